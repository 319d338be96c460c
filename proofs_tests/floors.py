"""The floors of the package: which room may import which, and the page that shows it.

``python -m proofs_tests.floors`` writes the picture and the table of ``docs/architecture.md``.
"""

from __future__ import annotations

import ast
import re
from html import escape
from pathlib import Path

import tcloseness

__all__ = ["FLOOR", "FLOORS", "PACKAGE", "PAGE", "PICTURE", "first_sentence", "page", "picture"]

PACKAGE = Path(tcloseness.__file__).parent
PAGE = Path(__file__).resolve().parent.parent / "docs" / "architecture.md"
PICTURE = PAGE.with_suffix(".svg")
BEGIN, END = "<!-- rooms:begin -->", "<!-- rooms:end -->"

FLOORS = (  # from the ground up; neighbours on a floor do not import each other
    ("errors", "own_process", "printable", "progress"),
    ("extras", "limits", "papers", "worker_pool", "writing", "strict_json", "conventions", "exact"),
    ("strict_records", "page_templates", "displayed"),
    ("microdata", "certificates"),
    ("ground",),
    ("transport",),
    ("measures",),
    ("models",),
    ("release",),
    ("loss",),
    ("lattice", "anonymize", "optimal", "attacks", "axioms"),
    ("conformance", "audited"),
    ("audit", "methods"),
    ("comparison",),
    ("table",),
    ("sweeps",),
    ("report", "estimator"),
    ("cli",),
    ("__main__",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
SHOWN = [tuple(room for room in rooms if room != "__main__") for rooms in reversed(FLOORS)]

WAIST = "microdata"


def first_sentence(room: str) -> str:
    """Return the first line of what a room says of itself."""
    file = PACKAGE / room / "__init__.py" if (PACKAGE / room).is_dir() else PACKAGE / f"{room}.py"
    return str(ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))).split("\n")[0]


def page(text: str) -> str:
    """Return the page with the present table of rooms."""
    lines = ["| floor | room | what it is |", "|---|---|---|"]
    for rooms in SHOWN:
        for room in rooms:
            name = f"{room}/" if (PACKAGE / room).is_dir() else f"{room}.py"
            said = first_sentence(room).replace("``", "`").replace("|", "\\|")
            lines.append(f"| {FLOOR[room] + 1} | [`{name}`](../research/tcloseness/{name}) | {said} |")
    table = "\n".join(lines) + "\n"
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{table}{END}", text, flags=re.DOTALL)


def picture() -> str:
    """Return the floors as an SVG picture: a room imports only from rooms below it."""
    width, high, gap, row = 760, 30, 12, 42
    rows = [rooms for rooms in SHOWN if rooms]
    parts = []
    for number, rooms in enumerate(rows):
        broad = [max(96, 11 * len(room) + 26) for room in rooms]
        x, y = (width - sum(broad) - gap * (len(rooms) - 1)) / 2, 12 + number * row
        for room, wide in zip(rooms, broad, strict=True):
            kind = ' class="waist"' if room == WAIST else ""
            parts.append(f'<rect{kind} x="{x:g}" y="{y}" width="{wide}" height="{high}" rx="6"/>')
            parts.append(f'<text x="{x + wide / 2:g}" y="{y + 20}">{escape(room)}</text>')
            x += wide + gap
    height = 12 + row * len(rows)
    style = (
        "text{font:14px system-ui,sans-serif;text-anchor:middle;fill:#1b1b1b}"
        "rect{fill:#eef2f7;stroke:#6b7c93}.waist{fill:#ffe3b3;stroke:#b97a00}"
        "@media(prefers-color-scheme:dark){text{fill:#eee}rect{fill:#2a3340;stroke:#8ea0b8}.waist{fill:#5b4313;stroke:#e0a83a}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="The rooms of the package by floor">\n<style>{style}</style>\n' + "\n".join(parts) + "\n</svg>\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
