"""Microaggregate the confidential attribute, or the quasi-identifiers? Variability, and what a class gives away.

Soria-Comas and Domingo-Ferrer 2013 proposes classes whose *confidential* values vary least, published with generalized
quasi-identifiers, and combined with ℓ-diversity or t-closeness, since classes of like values disclose them. Here both
partitions are made of the same records of Adult, hours per week being confidential, with and without a model beside k.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments import adult
from experiments.adult_hierarchies import preset
from experiments.runner import Figure, Study, StudyResult, StudyRun
from tcloseness.anonymize import confidential_microaggregation, mdav
from tcloseness.errors import NotReached
from tcloseness.exact import number_text
from tcloseness.loss.names import loss_named
from tcloseness.microdata import Microdata
from tcloseness.models import DistinctLDiversity, KAnonymity, PrivacyModel, TCloseness
from tcloseness.release import Anonymized, Partition, Release, within_groups

__all__ = ["METHODS", "STUDY", "Grid", "measured", "models", "table"]

NAME = "confidential_microaggregation"
CONFIDENTIAL = "hours-per-week"
QUASI_IDENTIFIERS = ("age", "education", "marital-status", "sex")
METHODS = {"confidential attribute": confidential_microaggregation, "quasi-identifiers": mdav}


@dataclass(frozen=True)
class Grid:
    """What the study runs over; `reach` is how near a guess must come to count as a disclosure, in hours."""

    records: int
    sizes: tuple[int, ...]
    thresholds: tuple[str, ...]
    l: int  # noqa: E741
    reach: int


@cache
def table(records: int) -> Microdata:
    """Return the first complete training records, with hours per week as the confidential attribute."""
    frame = adult.load("train-complete").head(records)
    return Microdata.from_frame(frame, quasi_identifiers=list(QUASI_IDENTIFIERS), sensitive=CONFIDENTIAL)


def models(k: int, thresholds: tuple[str, ...], l: int) -> Iterator[tuple[str, PrivacyModel]]:  # noqa: E741
    """Yield k-anonymity alone, with distinct ℓ-diversity, and with t-closeness by value."""
    yield "k alone", KAnonymity(k)
    yield f"l = {l}", KAnonymity(k) & DistinctLDiversity(l)
    for t in thresholds:
        yield f"t = {t}", KAnonymity(k) & TCloseness(t, ground="ordered-by-value")


def measured(found: Anonymized, reach: int) -> dict[str, Any]:
    """Return the variability within the classes as they were made, what they disclose, and what their labels cost.

    A record counts as disclosed if the mean of its class's hours is within `reach` hours of the
    value of every record of the class: then whoever knows the class knows the value that well.
    """
    partition = found.grouped
    hours = _hours(partition)
    total = within_groups(hours, [list(range(len(hours)))])
    groups = [rows.tolist() for rows in partition.groups]
    within = within_groups(hours, groups)
    disclosed = sum(len(rows) for rows in groups if _near([hours[i] for i in rows], reach))
    counts = partition.class_counts(CONFIDENTIAL)
    distances = TCloseness(ground="ordered-by-value").evaluate(counts)
    return {
        "classes": len(partition),
        "mean class size": float(Fraction(len(hours), len(partition))),
        "within-class variability": number_text(within),
        "share of all variability": float(within / total),
        "records disclosed": disclosed,
        "share disclosed": disclosed / len(hours),
        "greatest distance": float(distances.value),
        "gcp": float(loss_named("gcp").evaluate(Release.of_partition(partition, found.attributes)).value),
        "classes as published": len(found.partition),
    }


def _hours(partition: Partition) -> list[Fraction]:
    column = partition.table.sensitive[0]
    return [Fraction(column.domain.values[code]) for code in column.codes.tolist()]


def _near(values: list[Fraction], reach: int) -> bool:
    mean = sum(values, Fraction(0)) / len(values)
    return max(abs(value - mean) for value in values) <= reach


def run(study: StudyRun) -> StudyResult:
    """Make every partition and measure it."""
    grid = study.grid(Grid)
    levels = {name: preset("T1")[name] for name in QUASI_IDENTIFIERS}
    work = [
        (k, name, model, method)
        for k in grid.sizes
        for (name, model), method in product(models(k, grid.thresholds, grid.l), METHODS)
    ]
    rows = []
    for k, name, model, method in study.progress(work, "microaggregation"):
        row: dict[str, Any] = {"k": k, "model": name, "partition by": method}
        with suppress(NotReached):
            row |= measured(METHODS[method](table(grid.records), model, levels, seed=study.seed), grid.reach)
        rows.append(row)
    found = pd.DataFrame(rows).astype(
        {"classes": "Int64", "records disclosed": "Int64", "classes as published": "Int64"}
    )
    figure = Figure(
        _draw(found, grid, study.folder / "variability_and_disclosure.png"),
        f"{grid.records:,} records of Adult. Above: the share of the variance of hours per week that is within "
        f"classes. Middle: the share of records whose class tells their hours to within {grid.reach}. Below: the loss "
        "of the generalized quasi-identifiers. By k, for k alone and with a model beside it.",
    )
    return StudyResult({"partitions": found}, [figure], {}, _summary(found, grid))


def _draw(found: pd.DataFrame, grid: Grid, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    from tcloseness.report.figures import MASS, MOVE, STYLE, save

    names = list(found["model"].unique())
    columns = {"share of all variability": "variance within", "share disclosed": "disclosed", "gcp": "GCP"}
    looks = {"confidential attribute": (MOVE, "o"), "quasi-identifiers": (MASS, "s")}
    with rc_context(STYLE):
        figure = Figure(figsize=(1.6 + 2.3 * len(names), 6.6), layout="constrained")
        panels = figure.subplots(len(columns), len(names), sharex=True, sharey=True, squeeze=False)
        for (i, column), (j, name) in product(enumerate(columns), enumerate(names)):
            axes = panels[i][j]
            for method, (color, marker) in looks.items():
                mine = found[(found["model"] == name) & (found["partition by"] == method)].dropna(subset=[column])
                axes.plot(
                    np.arange(len(grid.sizes))[[grid.sizes.index(k) for k in mine["k"]]],
                    mine[column].astype(float),
                    color=color,
                    marker=marker,
                    markersize=5,
                    label=f"classes by {method}",
                )
            axes.set_ylim(-0.04, 1.04)
            axes.grid(axis="y", color="#e6e8ec", linewidth=0.8)
            axes.yaxis.set_major_formatter(PercentFormatter(1))
            axes.set_xticks(range(len(grid.sizes)), [str(k) for k in grid.sizes])
        for (i, words), (j, name) in product(enumerate(columns.values()), enumerate(names)):
            panels[i][0].set_ylabel(words)
            panels[0][j].set_title(name, loc="left", fontsize=10.5)
            panels[-1][j].set_xlabel("k")
        figure.legend(*panels[0][0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=2)
    return save(figure, path)


def _summary(found: pd.DataFrame, grid: Grid) -> str:
    k = 5 if 5 in grid.sizes else grid.sizes[0]
    parts = []
    for name in found["model"].unique():
        mine = found[(found["k"] == k) & (found["model"] == name)].set_index("partition by").dropna(subset=["classes"])
        words = [
            f"{row['share of all variability']:.1%} within and {row['share disclosed']:.1%} disclosed (by {method})"
            for method, row in mine.iterrows()
        ]
        parts.append(f"{name}: {' against '.join(words)}")
    return (
        f"{grid.records:,} records, k = {k}; variance of hours per week within classes, and records whose class tells "
        f"their hours to within {grid.reach}. {'; '.join(parts)}."
    )


STUDY = Study(
    NAME,
    "Classes of like confidential values, or of like quasi-identifiers: what do they lose, and what do they disclose?",
    run,
)
