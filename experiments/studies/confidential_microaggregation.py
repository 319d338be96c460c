"""Microaggregate the confidential attribute, or the quasi-identifiers? Variability, and what a class gives away.

Soria-Comas and Domingo-Ferrer 2013 proposes classes whose *confidential* values vary least, published with generalized
quasi-identifiers, and combined with ℓ-diversity or t-closeness, since classes of like values disclose them. Here both
partitions are made of the same records of Adult, hours per week being confidential, with and without a model beside k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments import adult
from experiments.adult_hierarchies import preset
from experiments.all_groupings import partitions
from experiments.claims import Outcome, check, outcomes_of
from experiments.grids import load_grid
from experiments.runner import SEED, Figure, Study, StudyResult, StudyRun
from tcloseness.anonymize import confidential_microaggregation, mdav
from tcloseness.errors import NotReached
from tcloseness.exact import number_text
from tcloseness.loss.names import loss_named
from tcloseness.microdata import Microdata
from tcloseness.models import DistinctLDiversity, KAnonymity, PrivacyModel, TCloseness
from tcloseness.release import Anonymized, Partition, Release, within_groups

__all__ = ["METHODS", "STUDY", "Grid", "made", "measured", "models", "table"]

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


@cache
def made(records: int, k: int, name: str, method: str, seed: int) -> dict[str, Any] | None:
    """Make one partition of the grid and measure it; None if the model is not reached."""
    grid = load_grid(Grid, NAME, smoke=False)
    (model,) = (model for other, model in models(k, grid.thresholds, grid.l) if other == name)
    levels = {attribute: preset("T1")[attribute] for attribute in QUASI_IDENTIFIERS}
    try:
        return measured(METHODS[method](table(records), model, levels, seed=seed), grid.reach)
    except NotReached:
        return None


# ---------------------------------------------------------------------- claims

BY_CONFIDENTIAL, BY_QUASI_IDENTIFIERS = METHODS


def _alone(method: str) -> dict[int, dict[str, Any]]:
    """Return what k alone gives, by k, on the whole grid."""
    grid = load_grid(Grid, NAME, smoke=False)
    found = {k: made(grid.records, k, "k alone", method, SEED) for k in grid.sizes}
    return {k: row for k, row in found.items() if row is not None}


@check("CM-12", "CM-14", "CM-15", "CM-16")
def _classes_of_like_values() -> dict[str, Outcome]:
    mine, usual = _alone(BY_CONFIDENTIAL), _alone(BY_QUASI_IDENTIFIERS)
    within = {
        name: {k: row["share of all variability"] for k, row in rows.items()}
        for name, rows in (("mine", mine), ("usual", usual))
    }
    disclosed = {k: row["share disclosed"] for k, row in mine.items()}
    least = min(disclosed)
    merged = {k: row["classes"] - row["classes as published"] for k, row in mine.items()}
    return {
        "CM-12": Outcome(
            all(within["mine"][k] < within["usual"][k] for k in mine),
            detail=f"share of the variance within classes: {_listed(within['mine'])}"
            f", against {_listed(within['usual'])}",
        ),
        "CM-14": Outcome(
            all(a < b for rows in within.values() for a, b in pairwise(rows.values())),
            detail=f"by the confidential attribute {_listed(within['mine'])}; by the quasi-identifiers "
            f"{_listed(within['usual'])}",
        ),
        "CM-15": Outcome(disclosed[least] >= 0.95, detail=f"records disclosed: {_listed(disclosed)}"),
        "CM-16": Outcome(
            any(merged.values()),
            detail="classes that coincide with another once generalized: "
            + ", ".join(f"k = {k} {n} of {mine[k]['classes']}" for k, n in merged.items()),
        ),
    }


def _listed(shares: dict[int, float]) -> str:
    return ", ".join(f"k = {k} {share:.2%}" for k, share in shares.items())


@check("CM-8")
def _least_variability() -> Outcome:
    """All partitions of seven records into groups of k or more, one by one."""
    every = list(partitions([(row,) for row in range(7)]))
    faults, tried = [], 0
    for first in range(0, 70, 7):
        frame = adult.load("train-complete").iloc[first : first + 7]
        some = Microdata.from_frame(frame, quasi_identifiers=list(QUASI_IDENTIFIERS), sensitive=CONFIDENTIAL)
        values = [Fraction(int(hours)) for hours in frame[CONFIDENTIAL]]
        for k in (2, 3):
            found = confidential_microaggregation(some, KAnonymity(k), seed=SEED).grouped
            groups = [rows.tolist() for rows in found.groups]
            least = min(within_groups(values, part) for part in every if min(map(len, part)) >= k)
            tried += 1
            if within_groups(values, groups) != least:
                faults.append(first)
    return Outcome(not faults, detail=f"{tried} times seven records of Adult, k = 2 and 3, against every partition")


# ---------------------------------------------------------------------- the study


def run(study: StudyRun) -> StudyResult:
    """Make every partition and measure it."""
    grid = study.grid(Grid)
    work = [
        (k, name, method)
        for k in grid.sizes
        for (name, _), method in product(models(k, grid.thresholds, grid.l), METHODS)
    ]
    rows = []
    for k, name, method in study.progress(work, "microaggregation"):
        row: dict[str, Any] = {"k": k, "model": name, "partition by": method}
        rows.append(row | (made(grid.records, k, name, method, study.seed) or {}))
    found = pd.DataFrame(rows).astype(
        {"classes": "Int64", "records disclosed": "Int64", "classes as published": "Int64"}
    )
    figure = Figure(
        _draw(found, grid, study.folder / "variability_and_disclosure.png"),
        f"{grid.records:,} records of Adult. Above: the share of the variance of hours per week that is within "
        f"classes. Middle: the share of records whose class tells their hours to within {grid.reach}. Below: the loss "
        "of the generalized quasi-identifiers. By k, for k alone and with a model beside it.",
    )
    return StudyResult({"partitions": found}, [figure], outcomes_of(NAME), _summary(found, grid))


def _draw(found: pd.DataFrame, grid: Grid, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    from experiments.figures import save
    from tcloseness.report.figures import MASS, MOVE, STYLE

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
