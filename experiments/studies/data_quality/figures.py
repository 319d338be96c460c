"""The figures of the study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from experiments.adult_criteria import look
from tcloseness.report.figures import INK, MOVE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cost_of_thresholds", "figure_4", "figure_7"]

VIOLET = "#7d5aa6"

_APART = ("#d9dde3", "#9fb6c8", "#d1622b", "#7a2f0e")
"""Heights that differ by 0 and by 1, which is what the paper says, and by 2 and more."""


def _log_scale(axes: Axes) -> None:
    """Scale the ordinate by logarithms, with ticks at 1, 2 and 5 and plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / 1e6:g} M" if x >= 1e6 else f"{x:,.0f}"))


def figure_4(seven: pd.DataFrame, path: Path) -> Path:
    """Draw discernibility and mean class size by k = ℓ: a column a preset, a line a criterion."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from experiments.figures import save
    from tcloseness.report.figures import STYLE

    presets, criteria = list(seven["preset"].unique()), list(seven["criterion"].unique())
    parameters = sorted(seven["k = l"].unique())
    measures = {"discernibility": "discernibility", "mean class size (decimal)": "mean class size"}
    with rc_context(STYLE):
        figure = Figure(figsize=(2.2 + 2.6 * len(presets), 6.4), layout="constrained")
        panels = figure.subplots(2, len(presets), sharex=True, sharey="row", squeeze=False)
        for (column, words), row in zip(measures.items(), panels, strict=True):
            for axes, preset in zip(row, presets, strict=True):
                for criterion in criteria:
                    mine = seven[(seven["preset"] == preset) & (seven["criterion"] == criterion)].dropna()
                    axes.plot(mine["k = l"], mine[column], label=criterion, **look(criterion))
                axes.set_xticks(parameters)
                axes.grid(axis="y", color="#e6e8ec", linewidth=0.8)
            _log_scale(row[0])
            row[0].set_ylabel(words)
        for axes, preset in zip(panels[0], presets, strict=True):
            axes.set_title(preset, loc="left", fontsize=10.5)
        for axes in panels[1]:
            axes.set_xlabel("k = l")
        figure.legend(*panels[0][0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=3)
    return save(figure, path)


def cost_of_thresholds(thresholds: pd.DataFrame, path: Path) -> Path:
    """Draw how many times the discernibility of k-anonymity alone each threshold t costs."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from experiments.figures import save
    from tcloseness.report.figures import STYLE

    marks = dict(zip(thresholds["preset"].unique(), "os^", strict=False))
    with rc_context(STYLE):
        figure = Figure(figsize=(8.2, 4.6), layout="constrained")
        axes = figure.subplots()
        for (preset, ground), mine in thresholds.groupby(["preset", "ground distance"], sort=False):
            axes.plot(
                mine["t"].astype(float),
                mine["times the discernibility of k alone"],
                color=MOVE if ground == "equal" else VIOLET,
                marker=marks[preset],
                markersize=5,
                linewidth=1,
                label=f"{preset}, {ground}",
            )
        axes.axhline(1, color=INK, linewidth=0.8, linestyle="--")
        axes.set_yscale("log")
        axes.set_yticks([1, 2, 4, 8], ["1", "2", "4", "8"])
        axes.minorticks_off()
        axes.set_xlabel("t")
        axes.set_ylabel("discernibility, times that of k = 5 alone")
        axes.grid(color="#e6e8ec", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, fontsize=9)
    return save(figure, path)


def figure_7(four: pd.DataFrame, samples: pd.DataFrame, preset: str, path: Path) -> Path:
    """Draw the least heights on all records, and over the samples how far they are apart and the other measures."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from experiments.figures import save
    from tcloseness.report.figures import STYLE

    four, samples = four[four["preset"] == preset], samples[samples["preset"] == preset]
    criteria, parameters = list(four["criterion"].unique()), sorted(four["k = l"].unique())
    measures = {"mean class size (decimal)": "least mean class size", "discernibility": "least discernibility"}
    with rc_context(STYLE):
        figure = Figure(figsize=(8.6, 7.4), layout="constrained")
        (first, apart), panels = figure.subplots(2, 2)
        for place, criterion in enumerate(criteria):
            shift = (place - (len(criteria) - 1) / 2) * 0.27
            color = look(criterion)["color"]
            heights = four[four["criterion"] == criterion].set_index("k = l")["height"]
            at = [i + shift for i in range(len(parameters))]
            first.bar(at, heights.reindex(parameters), 0.25, color=color, label=criterion)
            for axes, column in zip(panels, measures, strict=True):
                mine = samples[samples["criterion"] == criterion]
                found = [mine.loc[mine["k = l"] == p, column].dropna().to_numpy(dtype=float) for p in parameters]
                _boxes(axes, found, at, color)
        first.set_title("least height, all records", loc="left", fontsize=10.5)
        _heights_apart(apart, samples, parameters)
        for axes, words in zip(panels, measures.values(), strict=True):
            _log_scale(axes)
            axes.set_title(f"{words}, samples of 5 %", loc="left", fontsize=10.5)
        for axes in (first, apart, *panels):
            axes.set_xticks(range(len(parameters)), [str(p) for p in parameters])
            axes.set_xlabel("k = l")
            axes.set_axisbelow(True)
            axes.grid(axis="y", color="#e6e8ec", linewidth=0.8)
        figure.legend(*first.get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=3)
    return save(figure, path)


def _boxes(axes: Axes, found: Sequence[Any], at: Sequence[float], color: str) -> None:
    """Draw a box for each list of numbers, all in one colour."""
    box = axes.boxplot(found, positions=at, widths=0.22, patch_artist=True, showfliers=False)
    for patch in box["boxes"]:
        patch.set(facecolor=color, edgecolor=color, alpha=0.75)
    for part in ("whiskers", "caps"):
        for line in box[part]:
            line.set(color=color)
    for line in box["medians"]:
        line.set(color="white")


def _heights_apart(axes: Axes, samples: pd.DataFrame, parameters: Sequence[int]) -> None:
    """Stack, for each k = ℓ, the numbers of samples whose three least heights are 0, 1, 2 … apart."""
    heights = samples.groupby(["k = l", "sample"])["height"]
    differences = (heights.max() - heights.min()).rename("apart")
    counts = differences.groupby("k = l").value_counts().unstack(fill_value=0).reindex(list(parameters))
    below = [0] * len(parameters)
    for difference in sorted(counts.columns):
        color = _APART[min(int(difference), len(_APART) - 1)]
        high = counts[difference].tolist()
        axes.bar(range(len(parameters)), high, 0.62, below, color=color, label=f"{difference:.0f}")
        below = [low + more for low, more in zip(below, high, strict=True)]
    axes.set_title("greatest less least of these heights, samples of 5 %", loc="left", fontsize=10.5)
    axes.set_ylabel("samples")
    axes.set_ylim(top=1.3 * max(below))
    axes.legend(frameon=False, loc="upper left", ncols=4, title="heights apart by", alignment="left", fontsize=9)
