"""Speed, as ratios inside one run: the machines that this runs on are shared and noisy, and a ratio survives that.

Candidates take turns and medians are taken; other packages are asked in the same run, in an environment of their own.
Nothing here is a test.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments.bench import anonymization, distances, engines, lattices, processes, programs, proofs
from experiments.bench.timing import PEERS, Curve, Row, shown
from experiments.provenance import ROOT, provenance
from experiments.runner import RESULTS
from tcloseness.errors import StudyError
from tcloseness.writing import write_files

__all__ = ["FAMILIES", "compared", "draw", "run", "table"]

FORMAT = "tcloseness-bench-1"
PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "benchmarks.png"

Family = Callable[[bool], tuple[list[Row], list[Curve]]]

FAMILIES: dict[str, Family] = {
    "distances": distances.measure,
    "lattices": lattices.measure,
    "programs": programs.measure,
    "proofs": proofs.measure,
    "anonymization": anonymization.measure,
    "processes": processes.measure,
    "engines": engines.measure,
}
"""What is measured, by name; each takes whether other packages are measured too."""


ALONE = ("engines", "proofs")
"""Families with a table of their own in the documentation, which are also run by themselves."""


def run(
    names: Sequence[str] = (),
    *,
    write: bool = False,
    peers: bool = True,
    target: Path | None = None,
    against: Path | None = None,
) -> None:
    """Measure, print a table, and write ``bench.json``, ``bench.md`` and ``bench.png`` into ``results``.

    Parameters
    ----------
    names
        Some of `FAMILIES`; all if empty.
    write
        Whether table and figure are written into the documentation too, only of a whole run; of a family of `ALONE`
        its own table, and of ``proofs`` also the one in README.
    peers
        Whether other packages are measured too.
    target
        Where the record is written, in place of ``results/bench.json``.
    against
        The record of another run: each ratio is printed beside its own of that run.

    Raises
    ------
    StudyError
        For an unknown family, a part of a run that is to be written into the documentation, or a file that is not of
        another run.
    """
    odd = [name for name in names if name not in FAMILIES]
    if odd:
        raise StudyError(f"there is nothing called {odd[0]!r} to measure; name some of {', '.join(FAMILIES)}")
    alone = names[0] if len(names) == 1 and names[0] in ALONE else ""
    if write and not alone and (names or not peers):
        raise StudyError(
            "the documentation shows whole runs, and those of proofs or of engines alone; leave names and --no-peers "
            "out, or --write"
        )
    earlier = None if against is None else _read(against)
    console = Console(stderr=True)
    of_family: dict[str, list[Row]] = {}
    curves: list[Curve] = []
    for name in names or FAMILIES:
        console.print(f"[dim]{name} …[/dim]")
        of_family[name], drawn = FAMILIES[name](peers)
        curves += drawn
    rows = [row for found in of_family.values() for row in found]
    made = provenance()
    record: dict[str, Any] = {
        "format": FORMAT,
        "provenance": made,
        "peers": PEERS if peers else {},
        "rows": [{**asdict(row), "ratio": row.ratio} for row in rows],
        "curves": [asdict(curve) for curve in curves],
    }
    text = table(rows, made)
    RESULTS.mkdir(exist_ok=True)
    write_files(
        {
            target or RESULTS / "bench.json": (json.dumps(record, indent=1) + "\n").encode(),
            RESULTS / "bench.md": text.encode(),
        },
        force=True,
    )
    print(text)
    if curves:
        draw(curves, RESULTS / "bench.png")
    if earlier is not None:
        print(compared(earlier, record["rows"]))
    if write:
        pages, written = {}, PAGE.read_text(encoding="utf-8")
        if "proofs" in of_family:
            pages[README] = _between(README.read_text(encoding="utf-8"), proofs.summary(rows))
        for name in ALONE:
            if name in of_family:
                pages[PAGE] = written = _between(written, table(of_family.pop(name), made), f"bench {name}")
        if not alone:
            pages[PAGE] = _between(written, table([row for found in of_family.values() for row in found], made))
        files: dict[Path | str, bytes] = {page: content.encode() for page, content in pages.items()}
        if not alone:
            files[PICTURE] = (RESULTS / "bench.png").read_bytes()
        write_files(files, force=True)


def _between(page: str, text: str, name: str = "bench") -> str:
    """Return a page with a text between its marks."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    return re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n{text}{end}", page, flags=re.DOTALL)


def table(rows: Sequence[Row], made: dict[str, Any]) -> str:
    """Return the rows as Markdown: first those that have a goal."""
    packages = made["packages"]
    versions = ", ".join(f"{name} {packages[name]}" for name in ("numpy", "pandas", "numba"))
    aimed = [row for row in rows if row.goal is not None]
    lines = []
    if aimed:
        lines += ["| what | goal | version 0.1.0 | now | ours | yardstick |", "|---|---|---|---|---|---|"]
        lines += [
            f"| {row.what} | {_amount(row, row.goal)} | {_amount(row, row.before)} | {_reached(row)} | "
            f"{shown(row.ours, row.unit)} | {_yardstick(row)} |"
            for row in aimed
        ]
        lines.append("")
    others = [row for row in rows if row.goal is None]
    if others:
        lines += ["| what | ratio | ours | yardstick |", "|---|---|---|---|"]
        lines += [
            f"| {row.what} | {_times(row.ratio)} | {shown(row.ours, row.unit)} | {_yardstick(row)} |" for row in others
        ]
        lines.append("")
    lines.append(
        f"One run on {made['processor']}, {os.cpu_count()} processors, Python {platform.python_version()}, {versions}, "
        "tcloseness at revision "
        f"{str(made['revision'])[:10]}. CPU time unless seconds of the clock are named. The machine is shared: read "
        "the ratios."
    )
    return "\n".join(lines) + "\n"


def _reached(row: Row) -> str:
    reached = row.goal is not None and row.ratio <= row.goal
    return f"**{_amount(row, row.ratio)}**" if reached else f"{_amount(row, row.ratio)} (not reached)"


def _amount(row: Row, amount: float | None) -> str:
    if amount is None:
        return ""
    return _times(amount) if row.theirs is not None else shown(amount, row.unit)


def _yardstick(row: Row) -> str:
    return row.yardstick if row.theirs is None else f"{row.yardstick}: {shown(row.theirs, row.unit)}"


def _times(ratio: float) -> str:
    """Write a ratio with two significant digits, small ones as 1/n.

    >>> _times(0.02), _times(0.31), _times(36.2), _times(1.04)
    ('1/50', '0.31', '36', '1.0')
    """
    if ratio < 0.1:
        return f"1/{1 / ratio:,.0f}"
    digits = max(1 - math.floor(math.log10(ratio)), 0)
    return f"{ratio:,.{digits}f}"


def compared(earlier: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> str:
    """Return the ratios of two runs beside each other as Markdown, for what both have measured."""
    then = {row["what"]: row["ratio"] for row in earlier}
    lines = ["| what | then | now | now ÷ then |", "|---|---|---|---|"]
    lines += [
        f"| {row['what']} | {_times(then[row['what']])} | {_times(row['ratio'])} | "
        f"{_times(row['ratio'] / then[row['what']])} |"
        for row in rows
        if row["what"] in then
    ]
    return "\n".join(lines) + "\n"


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise KeyError(FORMAT)
        return list(record["rows"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StudyError(f"{file} is not the bench.json of another run: {error}") from error


def draw(curves: Sequence[Curve], path: Path) -> Path:
    """Draw how work grows with size, a picture a panel, both axes logarithmic."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    from tcloseness.report.figures import STYLE, save

    panels = list(dict.fromkeys(curve.panel for curve in curves))
    columns = min(len(panels), 2)
    with rc_context(STYLE):
        lines = -(-len(panels) // columns)
        figure = Figure(figsize=(5.2 * columns, 4.2 * lines), layout="constrained")
        grid = figure.subplots(lines, columns, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_axis_off()
        for axes, panel in zip(grid.flat, panels, strict=False):
            for marker, curve in zip("os^Dv*PX", (one for one in curves if one.panel == panel), strict=False):
                axes.loglog(curve.sizes, curve.seconds, marker=marker, markersize=5, linewidth=1.6, label=curve.name)
            axes.set_title(panel, loc="left")
            axes.set_ylabel("CPU seconds")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
            axes.grid(color="#e6e8ec", linewidth=0.8)
            axes.legend(frameon=False, fontsize=8.5, loc="upper left", bbox_to_anchor=(0, -0.08))
    return save(figure, path)
