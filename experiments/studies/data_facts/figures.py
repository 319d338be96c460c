"""The pictures of the study: stated against counted domains, and the ages of a 5 % sample."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from experiments.claims import load_ledger
from experiments.studies.data_facts.claims import ABOUT_20, FEW
from experiments.studies.data_facts.records import (
    FIGURE_2,
    FIGURE_4,
    SAMPLE,
    RecordSet,
    ages_in_sample,
    distinct,
    records,
)

__all__ = ["draw_ages", "draw_domains"]

_SHOWN = {
    "age": "Age",
    "workclass": "Work class",
    "education": "Education",
    "native-country": "Native country",
    "marital-status": "Marital status",
    "race": "Race",
    "sex": "Gender",
    "occupation": "Occupation",
    "class": "Salary class",
}

_PAPERS: tuple[tuple[str, str, dict[str, str], RecordSet], ...] = (
    ("Li 2007, Figure 2", "TC-21", FIGURE_2, "train-complete"),
    ("Machanavajjhala 2006, Figure 4", "LD-15", FIGURE_4, "both-complete"),
)


def draw_domains(path: Path) -> Path:
    """Draw for both papers the number of values of each attribute, stated and counted."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, MOVE, REFERENCE, STYLE

    ledger = load_ledger()
    places = {column: place for place, column in enumerate(_SHOWN)}
    with rc_context(STYLE):
        canvas = Figure(figsize=(8.4, 4.9), layout="constrained")
        for axes, (title, claim, figure, rows) in zip(canvas.subplots(1, 2, sharey=True), _PAPERS, strict=True):
            for letter, column in figure.items():
                stated, counted, y = int(ledger[f"{claim}{letter}"].stated or 0), distinct(rows, column), places[column]
                wrong = stated != counted
                axes.plot([1, counted], [y, y], color=REFERENCE, linewidth=2, zorder=1)
                if wrong:
                    axes.plot([counted, stated], [y, y], color=MOVE, linewidth=2, zorder=1)
                axes.scatter(counted, y, s=52, color=MASS, zorder=3, linewidths=0)
                axes.scatter(
                    stated, y, s=105, marker="D", facecolors="none", edgecolors=MOVE if wrong else INK, zorder=4
                )
                axes.annotate(
                    f"stated {stated}\ncounted {counted}" if wrong else f"{counted}",
                    (max(stated, counted), y),
                    xytext=(9, 0),
                    textcoords="offset points",
                    va="center",
                    color=MOVE if wrong else INK,
                    fontsize=8.5 if wrong else 10,
                    linespacing=0.95,
                )
            axes.set_xscale("log")
            axes.set_xlim(1, 500)  # with room for what differs
            axes.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
            axes.minorticks_off()
            axes.set_ylim(len(places) - 0.4, -0.7)
            axes.set_title(f"{title}\n{len(records(rows)):,} records", loc="left", fontsize=11)
            axes.set_xlabel("different values (logarithmic)")
        canvas.axes[0].set_yticks(list(places.values()), list(_SHOWN.values()))
        canvas.axes[0].scatter([], [], s=52, color=MASS, label="counted")
        canvas.axes[0].scatter([], [], s=105, marker="D", facecolors="none", edgecolors=INK, label="stated")
        canvas.axes[0].scatter([], [], s=105, marker="D", facecolors="none", edgecolors=MOVE, label="stated, differs")
        canvas.legend(frameon=False, loc="outside upper left", ncols=3)
    return save(canvas, path)


def draw_ages(path: Path) -> Path:
    """Draw the expected number of records of each age in a 5 % sample, by whether it is around 20."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, MOVE, REFERENCE, STYLE

    ages = ages_in_sample()
    bands = (
        (f"{ABOUT_20[1]} or more", MASS, [a for a in ages if a.expected >= ABOUT_20[1]]),
        (f"{ABOUT_20[0]} to {ABOUT_20[1]}", INK, [a for a in ages if FEW <= a.expected < ABOUT_20[1]]),
        (f"fewer than {FEW}", MOVE, [a for a in ages if a.expected < FEW]),
    )
    with rc_context(STYLE):
        canvas = Figure(figsize=(8.4, 4.4), layout="constrained")
        axes = canvas.subplots()
        axes.axhspan(*ABOUT_20, color=REFERENCE, alpha=0.55, linewidth=0, zorder=0)
        for words, color, members in bands:
            axes.bar(
                [a.age for a in members],
                [float(a.expected) for a in members],
                0.78,
                color=color,
                label=f"{words}: {len(members)} ages",
            )
        axes.text(
            ages[-1].age + 1,
            sum(ABOUT_20) / 2,
            "read as “around 20”",
            ha="right",
            va="center",
            fontsize=10,
            color=INK,
            bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 1.5},
        )
        axes.set_xlim(ages[0].age - 1, ages[-1].age + 1.5)
        axes.set_xlabel("age")
        axes.set_ylabel("expected records in the sample")
        whole = axes.secondary_yaxis("right", functions=(_times(1 / SAMPLE), _times(SAMPLE)))
        whole.set_ylabel("records in the data")
        whole.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_title(
            f"A 5 % sample of {sum(a.records for a in ages):,} Adult records: how many of each age",
            loc="left",
            fontsize=11,
        )
        axes.legend(frameon=False, loc="upper right", title="expected records", alignment="left")
    return save(canvas, path)


def _times(factor: Fraction) -> Callable[[Any], Any]:
    return lambda numbers: numbers * float(factor)
