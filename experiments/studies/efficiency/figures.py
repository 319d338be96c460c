"""The figures of the study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from experiments.adult_criteria import ENTROPY, K_ANONYMITY, look
from experiments.studies.efficiency.work import ALGORITHMS

__all__ = ["figure_3", "figure_5"]


def figure_3(sizes: pd.DataFrame, parameters: pd.DataFrame, preset: str, criteria: Sequence[str], path: Path) -> Path:
    """Draw the nodes checked by size of the quasi-identifier and by k = ℓ: a row an algorithm, a line a criterion."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    from experiments.figures import save
    from tcloseness.report.figures import STYLE

    with rc_context(STYLE):
        canvas = Canvas(figsize=(8.6, 7.2), layout="constrained")
        panels = canvas.subplots(2, 2, sharey="row", sharex="col")
        for row, algorithm in zip(panels, ALGORITHMS, strict=True):
            for axes, table, x in zip(row, (sizes, parameters), ("quasi-identifiers", "k = l"), strict=True):
                for criterion in criteria:
                    chosen = (table["preset"] == preset) & (table["algorithm"] == algorithm)
                    mine = table[chosen & (table["criterion"] == criterion)]
                    axes.plot(mine[x], mine["checked"], label=criterion, **look(criterion))
                axes.set_xticks(sorted(table[x].unique()))
                axes.grid(axis="y", color="#e6e8ec", linewidth=0.8)
                axes.set_title(algorithm, loc="left", fontsize=10.5)
                axes.yaxis.set_major_formatter("{x:,.0f}")
            row[0].set_ylim(bottom=0)  # after both panels, which share the scale, have their lines
            row[0].set_ylabel("nodes checked")
        panels[1][0].set_xlabel("quasi-identifiers (k = l = 5)")
        panels[1][1].set_xlabel("k = l (seven quasi-identifiers)")
        canvas.legend(*panels[0][0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=3)
    return save(canvas, path)


def figure_5(six: pd.DataFrame, path: Path) -> Path:
    """Draw the nodes checked for 6-anonymity and for 6-diversity by size of the quasi-identifier."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    from experiments.figures import save
    from tcloseness.report.figures import STYLE

    dashes = ("-", (0, (5, 2)), (0, (1, 1)))
    with rc_context(STYLE):
        canvas = Canvas(figsize=(8.6, 4.6), layout="constrained")
        panels = canvas.subplots(1, 2)
        for axes, algorithm in zip(panels, ALGORITHMS, strict=True):
            for name, dash in zip(six["preset"].unique(), dashes, strict=False):
                for criterion, words in ((K_ANONYMITY, "6-anonymous"), (ENTROPY, "6-diverse (entropy)")):
                    chosen = (six["preset"] == name) & (six["criterion"] == criterion)
                    mine = six[chosen & (six["algorithm"] == algorithm)]
                    style = look(criterion) | {"linestyle": dash}
                    axes.plot(mine["quasi-identifiers"], mine["checked"], label=f"{words}, {name}", **style)
            axes.set_xticks(sorted(six["quasi-identifiers"].unique()))
            axes.set_xlabel("quasi-identifiers")
            axes.grid(axis="y", color="#e6e8ec", linewidth=0.8)
            axes.set_title(algorithm, loc="left", fontsize=10.5)
            axes.yaxis.set_major_formatter("{x:,.0f}")
            axes.set_ylim(bottom=0)
        panels[0].set_ylabel("nodes checked")
        canvas.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=3)
    return save(canvas, path)
