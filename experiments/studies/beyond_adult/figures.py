"""The pictures of the study: a colour and a mark for each data set, Adult in ink."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from experiments.studies.monotonicity.totals import Total
from experiments.studies.optimality_gap import METHODS
from experiments.studies.price_of_privacy import DISTINCT, RATIO, T

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_attacks", "draw_costs", "draw_edges", "draw_gaps", "draw_verdicts"]

_LOOKS = (
    ("#22252a", "o", "-"),
    ("#2f6f9f", "s", "-"),
    ("#d1622b", "^", "-"),
    ("#5b8c5a", "D", "-"),
    ("#8a5a9e", "v", "-"),
)
"""Colour, mark and line of each data set, in their order."""

_GRID = "#e6e8ec"

_BOUND = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
"""A threshold is not parted into two lines."""


def _looks(data: pd.Series[str]) -> dict[str, tuple[str, str, str]]:
    return dict(zip(dict.fromkeys(data), _LOOKS, strict=False))


def draw_verdicts(verdicts: pd.DataFrame, path: Path) -> Path:
    """Draw a row for each finding and a column for each data set: whether it holds."""
    from experiments.figures import save

    return save(_verdicts(verdicts), path, _verdicts(verdicts, narrow=True))


def _verdicts(verdicts: pd.DataFrame, *, narrow: bool = False) -> Figure:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Drawing

    from tcloseness.report.figures import INK, MASS, MOVE, STYLE

    titles, rows = (list(dict.fromkeys(verdicts[column])) for column in ("data", "in short"))
    small = 7.5 if narrow else 10
    with rc_context(STYLE):
        size = (3.6, 1.3 + 0.36 * len(rows)) if narrow else (8.6, 0.9 + 0.36 * len(rows))
        canvas = Drawing(figsize=size, layout="constrained")
        axes: Axes = canvas.subplots()
        for _, row in verdicts.iterrows():
            x, y, yes = titles.index(row["data"]), rows.index(row["in short"]), row["holds"] == "yes"
            axes.add_patch(_cell(x, y, "#e3eef5" if yes else "#fbe3d6"))
            words = ("yes" if yes else "no") if narrow else ("holds" if yes else "does not")
            color, weight = (MASS, "normal") if yes else (MOVE, "bold")
            axes.text(x, y, words, ha="center", va="center", fontsize=small, color=color, weight=weight)
        _frame(axes, titles, rows, small, narrow=narrow)
        axes.tick_params(colors=INK)
    return canvas


def _frame(axes: Axes, titles: Sequence[str], rows: Sequence[str], small: float, *, narrow: bool) -> None:
    """Label a matrix: titles above the columns, upright on a phone, and rows at the left."""
    heads = [title if narrow else "\n".join(map(_parted, title.splitlines())) for title in titles]
    axes.set_xlim(-0.5, len(titles) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(titles)), heads, fontsize=small, rotation=90 if narrow else 0)
    axes.xaxis.tick_top()
    labels = [textwrap.fill(row.replace(" = ", _BOUND), 25) if narrow else row for row in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=small)
    axes.tick_params(length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)


def draw_costs(costs: pd.DataFrame, path: Path) -> Path:
    """Draw what t and ℓ cost, a line for each data set, the loss of k alone being 1."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from experiments.figures import save
    from tcloseness.report.figures import INK, STYLE

    shown = costs[costs["loss"] == "gcp"].dropna(subset=[RATIO])
    with rc_context(STYLE):
        figure = Figure(figsize=(9.4, 4.2), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for axes, model, label in zip(panels, (T, DISTINCT), ("t", "l"), strict=True):
            for name, (color, mark, line) in _looks(costs["data"]).items():
                mine = shown[(shown["model"] == model) & (shown["data"] == name)]
                x = mine["threshold"].astype(float)
                axes.plot(x, mine[RATIO], color=color, marker=mark, linestyle=line, markersize=5, label=name)
            axes.axhline(1, color=INK, linewidth=0.7)
            axes.grid(axis="y", color=_GRID, linewidth=0.8)
            axes.set_title(model, loc="left", fontsize=10.5)
            axes.set_xlabel(label)
        panels[0].invert_xaxis()
        panels[1].xaxis.set_major_locator(MaxNLocator(integer=True))
        panels[0].set_ylabel("GCP: times that of k alone")
        figure.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=5)
    return save(figure, path)


def draw_attacks(attacks: pd.DataFrame, path: Path) -> Path:
    """Draw for each criterion a panel: attacks as rows, the greatest share of records revealed by data set."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from experiments.figures import save
    from tcloseness.report.figures import STYLE

    criteria, names = (list(dict.fromkeys(attacks[column])) for column in ("criterion", "attack"))
    least = 0.001
    with rc_context(STYLE):
        figure = Figure(figsize=(10.2, 3.6), layout="constrained")
        panels = figure.subplots(1, len(criteria), sharey=True, sharex=True, squeeze=False)[0]
        for axes, criterion in zip(panels, criteria, strict=True):
            for number, (name, (color, mark, _)) in enumerate(_looks(attacks["data"]).items()):
                mine = attacks[(attacks["criterion"] == criterion) & (attacks["data"] == name)].set_index("attack")
                shares = [max(float(mine.loc[attack, "in %"]), least) for attack in names]
                places = [place + 0.14 * (number - 2) for place in range(len(names))]
                axes.scatter(shares, places, color=color, marker=mark, s=30, linewidths=0, label=name)
            axes.set_xscale("log")
            axes.set_xlim(least * 0.6, 160)
            axes.set_xticks([least, 0.01, 0.1, 1, 10, 100], ["0", "0.01", "0.1", "1", "10", "100"])
            axes.minorticks_off()
            axes.grid(axis="x", color=_GRID, linewidth=0.8)
            axes.set_axisbelow(True)
            axes.set_title(criterion, loc="left", fontsize=10.5)
            axes.set_xlabel("% of the records")
        panels[0].set_yticks(range(len(names)), names)
        panels[0].set_ylim(len(names) - 0.5, -0.5)
        figure.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=5)
    return save(figure, path)


def draw_gaps(medians: pd.DataFrame, path: Path) -> Path:
    """Draw a panel for each model: methods as rows, the median ratio and its interval by data set."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from experiments.figures import save
    from tcloseness.report.figures import INK, STYLE

    whole = medians[medians["records"] == "all"]
    models = list(dict.fromkeys(whole["model"]))
    methods = [method for method in METHODS if method in set(whole["method"])]
    with rc_context(STYLE):
        figure = Figure(figsize=(10.2, 4.6), layout="constrained")
        panels = figure.subplots(1, len(models), sharey=True, sharex=True, squeeze=False)[0]
        for axes, model in zip(panels, models, strict=True):
            for number, (name, (color, mark, _)) in enumerate(_looks(whole["data"]).items()):
                mine = whole[(whole["model"] == model) & (whole["data"] == name)].dropna(subset=["median ratio"])
                places = [methods.index(method) + 0.15 * (number - 2) for method in mine["method"]]
                low, high = mine["interval from"], mine["interval to"]
                axes.hlines(places, low, high, color=color, linewidth=1.6, alpha=0.6)
                axes.scatter(mine["median ratio"], places, color=color, marker=mark, s=24, linewidths=0, label=name)
            known = set(whole[whole["model"] == model]["method"])
            for place, method in enumerate(methods):
                if method not in known:
                    axes.text(1.05, place, "needs a t", va="center", fontsize=9, color=INK)
            axes.axvline(1, color=INK, linewidth=0.8, linestyle=(0, (4, 2)))
            axes.grid(axis="x", color=_GRID, linewidth=0.8)
            axes.set_axisbelow(True)
            axes.set_title(model, loc="left", fontsize=10.5)
            axes.set_xlabel("GCP ÷ optimum")
        panels[0].set_yticks(range(len(methods)), methods)
        panels[0].set_ylim(len(methods) - 0.5, -0.5)
        figure.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=5)
    return save(figure, path)


def draw_edges(followed: Mapping[str, Sequence[Sequence[Total]]], share: str, path: Path) -> Path:
    """Draw a row for each model and a column for each data set: how many of its edges violate under a limit."""
    from experiments.figures import save

    cells = {
        title: {row[0].model: next(t for t in row if t.share == share) for row in rows}
        for title, rows in followed.items()
    }
    return save(_matrix(cells, share), path, _matrix(cells, share, narrow=True))


def _matrix(cells: Mapping[str, Mapping[str, Total]], share: str, *, narrow: bool = False) -> Figure:
    from matplotlib import rc_context
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure as Drawing

    from tcloseness.report.figures import INK, MOVE, STYLE

    shades = LinearSegmentedColormap.from_list("violating", ["#fbeee6", MOVE])
    titles, models = list(cells), list(next(iter(cells.values())))
    shares = {(x, y): _share(cells[t][m]) for x, t in enumerate(titles) for y, m in enumerate(models)}
    greatest = max(shares.values()) or 1
    size = (3.6, 2.6 + 0.26 * len(models)) if narrow else (8.2, 1.6 + 0.3 * len(models))
    small = 7.5 if narrow else 10
    with rc_context(STYLE):
        canvas = Drawing(figsize=size, layout="constrained")
        axes: Axes = canvas.subplots()
        for (x, y), part in shares.items():
            axes.add_patch(_cell(x, y, shades((part / greatest) ** 0.5) if part else "#f3f5f7"))
            color = "white" if part > 0.5 * greatest else INK  # a dark cell takes white text
            text = "0" if not part else f"{100 * part:.2g} %" if part >= 0.001 else "< 0.1 %"
            axes.text(x, y, text, ha="center", va="center", fontsize=small, color=color)
        prunes = {model for model in models if all(cells[title][model].prunable for title in titles)}
        heads = [f"{title}\n{next(iter(cells[title].values())).edges:,} edges" for title in titles]
        _frame(axes, heads, [f"{m} *" if m in prunes else m for m in models], small, narrow=narrow)
        title = f"Edges that violate, up to {100 * float(share):g} % suppressed"
        canvas.suptitle(textwrap.fill(title, 40) if narrow else title, fontsize=11 if narrow else 12)
        canvas.supxlabel("* a search prunes on it under a limit", fontsize=8 if narrow else 9)
    return canvas


def _parted(text: str) -> str:
    return textwrap.fill(text, 14, break_on_hyphens=False)


def _share(total: Total) -> float:
    return total.violating / total.edges


def _cell(x: int, y: int, color: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.47, y - 0.44), 0.94, 0.88, facecolor=color, linewidth=0)
