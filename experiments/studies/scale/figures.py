"""The figures of the study: what was measured on a clock, so that no two runs draw the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["by_quasi_identifiers", "by_rows", "many_copies"]

_COLOURS = ("#22252a", "#d1622b", "#2f6f9f", "#4f8f5b", "#7d5aa6", "#8a8f98")
_MARKS = "oDs^vP"


def _look(place: int) -> dict[str, Any]:
    return {"color": _COLOURS[place], "marker": _MARKS[place], "markersize": 5, "linewidth": 1.6}


def by_rows(times: pd.DataFrame, titles: Mapping[str, str], path: Path) -> Path:
    """Draw CPU seconds above and memory below against rows, a column a form, both axes logarithmic."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    works = list(dict.fromkeys(times["work"]))
    together = "searches, with the reading"  # of one process
    one = next(work for work in works if work.startswith("search"))
    times = pd.concat([times, times[times["work"] == one].assign(work=together)])
    panels = [("seconds", "CPU seconds", works), ("peak MB", "memory at its peak, MB", [*works[:2], together])]

    def draw(axes: Any, form: str, column: str, label: str, shown: Sequence[str]) -> None:
        for work in shown:
            mine = times[(times["table"] == form) & (times["work"] == work)]
            axes.loglog(mine["rows"], mine[column], label=work, **_look([*works, together].index(work)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}" if x >= 1 else f"{x:g}"))
            axis.set_minor_formatter(NullFormatter())
        axes.set_title(titles[form], loc="left", fontsize=10.5)
        axes.set_ylabel(label)
        axes.set_xlabel("rows")

    cells = [(form, *panel) for panel in panels for form in titles]
    return _canvas(path, cells, draw, len(titles), (8.6, 8.2))


def by_quasi_identifiers(times: pd.DataFrame, titles: Mapping[str, str], path: Path) -> Path:
    """Draw CPU seconds of searches against the size of the quasi-identifier, a panel a table."""

    def draw(axes: Any, table: str) -> None:
        mine = times[times["table"] == table]
        for place, work in enumerate(dict.fromkeys(mine["work"])):
            one = mine[mine["work"] == work]
            axes.plot(one["quasi-identifiers"], one["seconds"], label=work.removeprefix("search: "), **_look(place))
        axes.set_ylim(bottom=0)
        axes.set_xticks(sorted(mine["quasi-identifiers"].unique()))
        axes.set_title(titles[table], loc="left", fontsize=10.5)
        axes.set_ylabel("CPU seconds")
        axes.set_xlabel("quasi-identifiers")

    return _canvas(path, [(table,) for table in titles], draw, len(titles), (8.6, 4.4))


def many_copies(times: pd.DataFrame, title: str, path: Path) -> Path:
    """Draw CPU seconds and memory of the group-by and of the audit against rows."""

    def draw(axes: Any, column: str, label: str) -> None:
        for place, work in enumerate(dict.fromkeys(times["work"])):
            mine = times[times["work"] == work]
            axes.plot(mine["rows"] / 1e6, mine[column], label=work, **_look(place))
        axes.set_ylim(bottom=0)
        axes.set_title(title, loc="left", fontsize=10.5)
        axes.set_ylabel(label)
        axes.set_xlabel("million rows")

    cells = [("seconds", "CPU seconds"), ("peak MB", "memory at its peak, MB")]
    return _canvas(path, cells, draw, 2, (8.6, 4.2))


def _canvas(path: Path, cells: Sequence[Any], draw: Any, columns: int, size: tuple[float, float]) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    from experiments.figures import save
    from tcloseness.report.figures import STYLE

    with rc_context(STYLE):
        canvas = Canvas(figsize=size, layout="constrained")
        panels = canvas.subplots(-(-len(cells) // columns), columns, squeeze=False)
        for axes, cell in zip(panels.flat, cells, strict=True):
            draw(axes, *cell)
            axes.grid(color="#e6e8ec", linewidth=0.8)
        lines = {
            label: line for axes in panels.flat for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        canvas.legend(lines.values(), lines, frameon=False, fontsize=8.5, loc="outside lower center", ncols=3)
    return save(canvas, path)
