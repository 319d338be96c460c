"""The matrix of verdicts: a row a measure, a column a law, and the three answers to the open question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcloseness.axioms import CHECKS
from tcloseness.axioms.verdict import GROUPS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

__all__ = ["draw"]

_PARTS = {
    "scales with probability": "scales",
    "respects the ground distance": "ground",
    "allows pruning": "prunes",
}
_HEADINGS = {
    "values": "values",
    "metric": "metric",
    "algorithms": "algorithms",
    "desiderata": "desiderata",
    "numbers": "numerical",
}
_GAP = 0.45
"""Between two groups of rows or columns, in cells."""

_WIDE = 1.75
"""The width of an answer, in cells."""


def draw(verdicts: pd.DataFrame, measures: pd.DataFrame, path: Path) -> Path:
    """Draw the matrix and save it; its narrow twin has the open question's columns alone."""
    from experiments.figures import save

    return save(_matrix(verdicts, measures), path, _matrix(verdicts.iloc[:0], measures))


def _matrix(verdicts: pd.DataFrame, measures: pd.DataFrame) -> Figure:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Drawing
    from matplotlib.lines import Line2D

    from tcloseness.report.figures import INK, MASS, MOVE, STYLE

    laws = not verdicts.empty
    columns, edges, headings = _columns(set(verdicts["check"]))
    places, groups = _rows(measures)
    wide, high = max(edges) + 1.6, max(places.values()) + 1
    with rc_context(STYLE):
        size = (0.245 * wide + 3.4, 0.235 * high + 2.6) if laws else (3.6, 0.2 * high + 1)
        figure = Drawing(figsize=size, layout="constrained")
        axes = figure.subplots()
        for _, row in verdicts.iterrows():
            _mark(axes, columns[row["check"]], places[row["measure"]], row["verdict"])
        for part in _PARTS:
            for _, row in measures.iterrows():
                _answer(axes, columns[part], places[row["measure"]], row[part])
        axes.set_yticks(list(places.values()), list(places), fontsize=9 if laws else 8)
        labels = {name: _PARTS.get(name, name) for name in columns}
        axes.set_xticks(list(columns.values()), list(labels.values()), rotation=90, fontsize=8.5)
        axes.xaxis.tick_bottom()
        axes.tick_params(length=0)
        for heading, (low, top) in headings.items():
            axes.plot([low - 0.35, top + 0.35], [-0.85, -0.85], color=INK, linewidth=0.8)
            text = _HEADINGS.get(heading, heading)
            axes.text((low + top) / 2, -1.05, text, ha="center", va="bottom", fontsize=8.5 if top - low < 2 else 9.5)
        for group, height in groups.items() if laws else ():
            axes.text(wide - 0.25, height, group, ha="left", va="center", fontsize=9, style="italic")
        axes.set_xlim(-0.7, wide - 0.4)
        axes.set_ylim(high - 0.3, -1.9)
        for spine in axes.spines.values():
            spine.set_visible(False)
        looks: list[tuple[str, str, dict[str, Any]]] = [
            ("proved", "o", {"color": MASS}),
            ("on all examples", "o", {"color": MASS, "fillstyle": "none"}),
            ("fails", "X", {"color": MOVE}),
            ("does not apply", "_", {"color": "#9aa1ab"}),
        ]
        if "undecided" in set(verdicts["verdict"]):
            looks.append(("undecided", "$?$", {"color": INK}))
        handles = [Line2D([], [], linestyle="", markersize=7.5, marker=m, label=w, **how) for w, m, how in looks]
        if laws:
            figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False, fontsize=9.5)
    return figure


def _columns(made: set[str]) -> tuple[dict[str, float], list[float], dict[str, tuple[float, float]]]:
    """Place the laws from left to right, with a gap between groups, and the open question after them."""
    columns: dict[str, float] = {}
    headings: dict[str, tuple[float, float]] = {}
    at = 0.0
    for group in GROUPS:
        names = [check.name for check in CHECKS if check.group == group and check.name in made]
        for name in names:
            columns[name] = at
            at += 1
        if names:
            headings[group] = (columns[names[0]], columns[names[-1]])
            at += _GAP
    at += _GAP
    for part in _PARTS:
        columns[part] = at + (_WIDE - 1) / 2
        at += _WIDE
    headings["open question"] = (columns["scales with probability"], columns["allows pruning"])
    return columns, list(columns.values()), headings


def _rows(measures: pd.DataFrame) -> tuple[dict[str, float], dict[str, float]]:
    places: dict[str, float] = {}
    groups: dict[str, float] = {}
    at = 0.0
    for group, mine in measures.groupby("group", sort=False):
        first = at
        for name in mine["measure"]:
            places[name] = at
            at += 1
        groups[str(group)] = (first + at - 1) / 2
        at += _GAP
    return places, groups


def _mark(axes: Axes, x: float, y: float, verdict: str) -> None:
    from tcloseness.report.figures import INK, MASS, MOVE

    match verdict:
        case "proved":
            axes.plot(x, y, "o", color=MASS, markersize=7.5)
        case "examples":
            axes.plot(x, y, "o", color=MASS, markersize=7.5, fillstyle="none", markeredgewidth=1.1)
        case "fails":
            axes.add_patch(_cell(x, y, "#f9e3d8"))
            axes.plot(x, y, "X", color=MOVE, markersize=8, markeredgewidth=0)
        case "undecided":
            axes.text(x, y, "?", color=INK, ha="center", va="center", fontsize=10)
        case _:
            axes.plot(x, y, "_", color="#9aa1ab", markersize=6)


def _answer(axes: Axes, x: float, y: float, answer: str) -> None:
    from tcloseness.report.figures import INK, MASS, MOVE

    fill = {"yes": "#d3e3ef", "no": "#f9e3d8"}.get(answer, "#eef0f3")
    color = {"yes": MASS, "no": MOVE}.get(answer, INK)
    axes.add_patch(_cell(x, y, fill, _WIDE))
    text = {"not applicable": "–", "open": "?"}.get(answer, answer)
    axes.text(x, y, text, ha="center", va="center_baseline", fontsize=9, color=color, weight="bold")


def _cell(x: float, y: float, color: str, wide: float = 1.0) -> Rectangle:
    from matplotlib.patches import Rectangle

    return Rectangle((x - wide / 2 + 0.04, y - 0.46), wide - 0.08, 0.92, facecolor=color, edgecolor="none", zorder=0)
