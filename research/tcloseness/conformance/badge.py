"""A report as one small picture: the name, and how many tests are right."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from tcloseness.conformance.judge import FAILURES

__all__ = ["badge_svg"]

_CHARACTER = 6.6
"""The mean width of a character at 11 px, in px; the text is fitted to it, so that any font fits."""


def badge_svg(report: Mapping[str, Any]) -> str:
    """Return an SVG of about 200 × 20 px: right of judged tests, and the number of unsafe ones if there are any."""
    totals = report["totals"]
    judged = sum(n for verdict, n in totals.items() if verdict != "skipped")
    other = totals["other convention"]
    unsafe = totals["wrong, unsafe side"]
    left = f"{report['implementation']['name']} conformance"
    right = (
        f"{totals['right']} of {judged}"
        + (f" + {other} by convention" if other else "")
        + (f", {unsafe} unsafe" if unsafe else "")
        + (", incomplete" if report["stopped"] else "")
    )
    fine = judged and not report["stopped"] and not any(totals[v] for v in FAILURES)
    colour = "#8a1c1c" if unsafe else "#1d6b35" if fine else "#8a5a00"
    a, b = (round(len(text) * _CHARACTER) + 14 for text in (left, right))
    title = escape(f"{left}: {right}")

    def words(text: str, x: int, width: int) -> str:
        return (
            f'<text x="{x + width / 2:g}" y="14" text-anchor="middle" textLength="{width - 14}" '
            f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        )

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{a + b}" height="20" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<rect width="{a + b}" height="20" rx="3" fill="#3d4451"/>'
        f'<path d="M{a} 0h{b - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3H{a}z" fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{words(left, 0, a)}{words(right, a, b)}</g></svg>\n"
    )
