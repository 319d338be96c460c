"""Suppress records, or hide sensitive values? The least of each that makes a k-anonymous Adult table t-close.

Li et al. 2007, §8, proposes to hide a sensitive value instead of its whole record. Here both are optimal, so that the
comparison is of the two operations and not of two heuristics. The reference distribution Q is that of all records.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from experiments import adult
from experiments.adult_criteria import GROUNDS
from experiments.adult_hierarchies import QUASI_IDENTIFIERS, preset
from experiments.adult_lattices import rolled
from experiments.proofs import files_of
from experiments.runner import Figure, Study, StudyResult, StudyRun
from tcloseness.anonymize import mondrian
from tcloseness.certificates import Envelope
from tcloseness.lattice import optimum
from tcloseness.loss import Discernibility
from tcloseness.microdata import FrequencySet, Microdata
from tcloseness.models import KAnonymity, TCloseness
from tcloseness.optimal import Answer, Infeasible, optimal_hiding, optimal_suppression
from tcloseness.release import Release

__all__ = ["STUDY", "Grid", "compared", "tables"]

NAME = "suppress_or_hide"
PRESET = "T1"
WAYS = ("whole classes suppressed", "records suppressed", "values hidden")


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    full_domain_k: int
    mondrian_k: int
    thresholds: tuple[str, ...]
    grounds: tuple[str, ...]
    seconds: int


@cache
def tables(full_domain_k: int, mondrian_k: int) -> dict[str, tuple[int, Release]]:
    """Return the k-anonymous tables by name, each with its k: full-domain, and Mondrian's local recoding; as they are
    published, so that their own labels are what is counted."""
    lattice = rolled(PRESET)
    node = optimum(lattice, KAnonymity(full_domain_k), loss=Discernibility()).nodes[0].node
    names = list(QUASI_IDENTIFIERS[PRESET])
    frame = adult.load("train-complete")
    occupations = {"occupation": sorted(frame["occupation"].unique())}
    table = Microdata.from_frame(frame, quasi_identifiers=names, sensitive="occupation", orders=occupations)
    cut = mondrian(table, KAnonymity(mondrian_k), {name: preset(PRESET)[name] for name in names})

    def published(release: Release) -> Release:
        rows = release.on_rows(table).table
        return Release.full_domain(
            FrequencySet.from_frame(rows, quasi_identifiers=names, sensitive="occupation", orders=occupations)
        )

    return {
        f"full-domain, k = {full_domain_k}": (full_domain_k, published(lattice.release(node))),
        f"Mondrian, k = {mondrian_k}": (mondrian_k, published(cut.release)),
    }


def compared(
    release: Release, k: int, t: str, ground: str, seconds: float, seed: int
) -> tuple[dict[str, object], dict[str, Envelope]]:
    """Return what each way costs to make classes of k or more records t-close, and the proofs of that."""
    model, classes = KAnonymity(k) & TCloseness(t, ground=GROUNDS[ground]), release.classes
    violating = model.evaluate(classes).violating
    suppressed = optimal_suppression(release, model, seed=seed, time_limit=seconds)
    hidden = optimal_hiding(release, model, seed=seed, time_limit=seconds)
    row: dict[str, object] = {
        "violating classes": len(violating),
        WAYS[0]: int(classes.class_sizes[violating].sum()),
        WAYS[1]: _objective(suppressed),
        "suppression": type(suppressed).__name__.lower(),
        "classes gone": None if isinstance(suppressed, Infeasible) else len(classes) - len(suppressed.solution.after),
        WAYS[2]: _objective(hidden),
        "hiding": type(hidden).__name__.lower(),
    }
    return row, {"suppression": suppressed.certificate(), "hiding": hidden.certificate()}


def _objective(answer: Answer[Any]) -> int | None:
    return None if isinstance(answer, Infeasible) else int(answer.objective)


def run(study: StudyRun) -> StudyResult:
    """Compare the ways for every table, ground distance and threshold."""
    grid = study.grid(Grid)
    given = tables(grid.full_domain_k, grid.mondrian_k)
    work = list(product(given, grid.grounds, grid.thresholds))
    rows, proofs = list[dict[str, object]](), dict[str, Envelope]()
    for name, ground, t in study.progress(work, "suppress and hide"):
        k, release = given[name]
        row, proved = compared(release, k, t, ground, grid.seconds, study.seed)
        rows.append({"table": name, "ground distance": ground, "t": t, "classes": len(release), **row})
        short = re.sub(r"[^a-z0-9.]+", "-", f"{name} {ground} t {t}".lower())
        proofs |= {f"{short}-{way}": envelope for way, envelope in proved.items()}
    found = pd.DataFrame(rows).astype(dict.fromkeys((*WAYS, "classes gone"), "Int64"))
    counted = {
        re.sub(r"[^a-z0-9]+", "-", name.lower()): (each.original, "occupation") for name, (_, each) in given.items()
    }
    records = next(iter(given.values()))[1].records
    figure = Figure(
        _draw(found, records, study.folder / "lost.png"),
        f"The share of the {records:,} records that lose something, by t: whole classes suppressed, the fewest records "
        "suppressed, the fewest sensitive values hidden. Where two lines are one, hiding saves nothing.",
    )
    return StudyResult({"lost": found}, [figure], {}, _summary(found, records, len(proofs)), files_of(proofs, counted))


def _draw(found: pd.DataFrame, records: int, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, MOVE, STYLE

    names, grounds = list(found["table"].unique()), list(found["ground distance"].unique())
    looks = zip(WAYS, (INK, MOVE, MASS), ("o", "s", "^"), ((0, (4, 2)), "-", "-"), strict=True)
    with rc_context(STYLE):
        figure = Figure(figsize=(1.6 + 3.6 * len(names), 1.2 + 2.6 * len(grounds)), layout="constrained")
        panels = figure.subplots(len(grounds), len(names), sharex=True, sharey=True, squeeze=False)
        for way, color, marker, dashes in looks:
            for (i, ground), (j, name) in product(enumerate(grounds), enumerate(names)):
                mine = found[(found["table"] == name) & (found["ground distance"] == ground)].dropna(subset=[way])
                panels[i][j].plot(
                    mine["t"].astype(float),
                    mine[way].astype(float) / records,
                    color=color,
                    marker=marker,
                    markersize=5,
                    linestyle=dashes,
                    label=way,
                )
        for (i, ground), (j, name) in product(enumerate(grounds), enumerate(names)):
            panels[i][j].set_title(f"{name}; {ground}", loc="left", fontsize=10.5)
            panels[i][j].grid(axis="y", color="#e6e8ec", linewidth=0.8)
            panels[i][j].yaxis.set_major_formatter(PercentFormatter(1))
        panels[0][0].set_ylim(-0.03, 1.03)
        for axes in panels[-1]:
            axes.set_xlabel("t")
        figure.legend(*panels[0][0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=3)
    return save(figure, path)


def _summary(found: pd.DataFrame, records: int, proofs: int) -> str:
    ends = found.dropna(subset=[WAYS[1], WAYS[2]])
    parts = []
    for (name, ground), mine in ends.groupby(["table", "ground distance"], sort=False):
        saved = (mine[WAYS[1]] - mine[WAYS[2]]).astype(int)
        most = mine.iloc[saved.argmax()]
        less = "hiding is never less than suppression"
        if saved.max() > 0:
            values, gone = int(most[WAYS[2]]), int(most[WAYS[1]])
            less = f"hiding saves up to {saved.max():,} (t = {most['t']}: {values:,} values, {gone:,} records)"
        parts.append(f"{name}, {ground}: {less}")
    fewer = int((ends[WAYS[1]] - ends[WAYS[2]]).max())
    return (
        "It is enough to hide sensitive values: that never takes more of them than records have to go, and up to "
        f"{fewer:,} fewer, of {records:,}, since class sizes stay; whole classes, which is all that a search over a "
        f"lattice can suppress, cost {_times(ends)} times as many records as single ones. By table and ground "
        f"distance: {_sentence(parts)} Each of the {proofs} optima is proved by a certificate beside the table."
    )


def _sentence(parts: Sequence[str]) -> str:
    return "; ".join(parts) + "."


def _times(found: pd.DataFrame) -> str:
    some = found[found[WAYS[1]] > 0]
    if some.empty:
        return "as many, or no"
    ratio = some[WAYS[0]].astype(float) / some[WAYS[1]].astype(float)
    return f"{ratio.min():.1f} to {ratio.max():.1f}"


STUDY = Study(
    NAME,
    "To make a k-anonymous table t-close, must records go, or is it enough to hide sensitive values, and how many?",
    run,
    basis="two generalizations of all records, and optima; nothing is a sample. The seed decides between "
    "records that are equal in everything that counts.",
)
