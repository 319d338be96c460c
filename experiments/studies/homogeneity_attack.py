"""The homogeneity attack on minimal 6-anonymous Adult tables: Machanavajjhala et al. 2006, §6.

The paper searches the five quasi-identifiers age, gender, race, marital status and education twice, once for each of
two sensitive attributes. Its taxonomy trees are not published, so the search is run under several, see
`experiments.adult_hierarchies`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import pandas as pd

from experiments import adult
from experiments.adult_lattices import FIVE, rolled, shown
from experiments.claims import Outcome, check, load_ledger, outcomes_of
from experiments.runner import Figure, Study, StudyResult, StudyRun
from tcloseness.attacks import homogeneity_attack
from tcloseness.exact import number_text
from tcloseness.lattice import Node, exhaustive, minimal_generalizations
from tcloseness.models import EntropyLDiversity, KAnonymity, RecursiveCLDiversity

__all__ = ["STUDY", "Attacked", "Grid", "Run", "recursive_nodes", "search"]

NAME = "homogeneity_attack"

SENSITIVE = {"occupation": "Occupation", "class": "Salary class"}
"""The two sensitive attributes, and what the paper calls them."""

ROWS: tuple[adult.Rows, ...] = ("both-complete", "both-raw")
"""The paper's 45,222 complete records, and the 48,842 that need not be complete; neither a quasi-identifier nor salary
class is ever missing, so a run for salary class need not drop any."""

K = 6


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    presets: tuple[str, ...]
    k: int


@dataclass(frozen=True)
class Attacked:
    """A minimal k-anonymous table and what the homogeneity attack learns from it.

    ``least_c`` is the infimum of the c for which it is recursive (c,2)-diverse, None if no c will do.
    """

    node: str
    k: int
    classes: int
    mean_size: Fraction
    effective_l: float
    revealed_classes: int
    revealed_records: int
    least_c: Fraction | None


@dataclass(frozen=True)
class Run:
    """One search: a preset, a set of records, a sensitive attribute."""

    preset: str
    rows: adult.Rows
    sensitive: str
    records: int
    nodes: tuple[Attacked, ...]

    @property
    def vulnerable(self) -> int:
        """How many of the minimal tables have a class with one sensitive value."""
        return sum(node.revealed_classes > 0 for node in self.nodes)


@cache
def search(preset: str, rows: adult.Rows, sensitive: str, k: int = K) -> Run:
    """Find all minimal k-anonymous tables and attack each."""
    table = rolled(preset, rows, sensitive)
    found = minimal_generalizations(table, KAnonymity(k))
    nodes = tuple(_attacked(preset, rows, sensitive, node) for node in sorted(found.minimal))
    return Run(preset, rows, sensitive, table.records, nodes)


def _attacked(preset: str, rows: adult.Rows, sensitive: str, node: Node) -> Attacked:
    table = rolled(preset, rows, sensitive)
    classes = table.classes(node)
    attack = homogeneity_attack(classes)
    least = RecursiveCLDiversity(l=2).evaluate(classes).value
    return Attacked(
        table.lattice.text(node),
        int(classes.class_sizes.min()),
        len(classes),
        Fraction(table.records, len(classes)),
        float(EntropyLDiversity().evaluate(classes).value),
        len(attack.affected),
        attack.records,
        least if isinstance(least, Fraction) else None,
    )


@cache
def recursive_nodes(preset: str, rows: adult.Rows, sensitive: str, c: int, l: int) -> tuple[str, ...]:  # noqa: E741
    """Return all nodes of the lattice that are recursive (c,ℓ)-diverse."""
    table = rolled(preset, rows, sensitive)
    return tuple(map(table.lattice.text, exhaustive(table, RecursiveCLDiversity(l, c=c)).satisfying))


# ---------------------------------------------------------------------- claims


@check("LD-16a", "LD-16b")
def _occupation() -> dict[str, Outcome]:
    runs = {preset: search(preset, "both-complete", "occupation") for preset in FIVE}
    ours = runs["L1"]
    return {
        "LD-16a": Outcome(
            len(ours.nodes), detail=_by_preset({p: len(run.nodes) for p, run in runs.items()}), presets=("L1",)
        ),
        "LD-16b": Outcome(
            ours.vulnerable, detail=_by_preset({p: run.vulnerable for p, run in runs.items()}), presets=("L1",)
        ),
    }


@check("LD-17a", "LD-17b")
def _salary_class() -> dict[str, Outcome]:
    runs = {preset: search(preset, "both-complete", "class") for preset in FIVE}
    every = search("L1", "both-raw", "class")
    ours = runs["L2"]
    return {
        "LD-17a": Outcome(
            len(ours.nodes),
            detail=_by_preset({p: len(run.nodes) for p, run in runs.items()})
            + f"; L1 (fitted) on all {every.records:,} records {len(every.nodes)}",
            presets=("L2",),
        ),
        "LD-17b": Outcome(
            ours.vulnerable,
            detail=_by_preset({p: run.vulnerable for p, run in runs.items()})
            + f"; L1 (fitted) on all {every.records:,} records {every.vulnerable}",
            presets=("L2",),
        ),
    }


@check("LD-17c")
def _twelve_and_nine() -> Outcome:
    stated = {key: int(load_ledger()[key].stated or 0) for key in ("LD-16a", "LD-17a")}
    one, other = (
        {preset: len(search(preset, "both-complete", sensitive).nodes) for preset in FIVE} for sensitive in SENSITIVE
    )
    mixed = (len(search("L1", "both-complete", "occupation").nodes), len(search("L1", "both-raw", "class").nodes))
    return Outcome(
        any(one[p] == stated["LD-16a"] and other[p] == stated["LD-17a"] for p in FIVE),
        {
            "the run for Salary class used all records, also the incomplete ones, under taxonomy trees that were "
            "fitted to the counts": mixed == tuple(stated.values())
        },
        "k-anonymity never looks at the sensitive attribute, so one lattice and one set of records have one number of "
        f"minimal tables: {_by_preset(one)} for either attribute",
        presets=FIVE,
    )


@check("LD-18")
def _ninth_table() -> Outcome:
    runs = [search(preset, "both-complete", "class") for preset in FIVE] + [search("L1", "both-raw", "class")]
    least = min(node.least_c for run in runs for node in run.nodes if node.least_c is not None)
    safe = {preset: recursive_nodes(preset, "both-complete", "class", 6, 2) for preset in FIVE}
    top = {preset: rolled(preset, "both-complete", "class").lattice for preset in FIVE}
    only_top = all(nodes == (top[p].text(top[p].top),) for p, nodes in safe.items())
    return Outcome(
        any(node.least_c is not None and node.least_c < 6 for run in runs for node in run.nodes),
        detail=f"of the minimal tables of all runs the best needs c > {float(least):.2f}"
        + ("; the only (6,2)-diverse table of each lattice suppresses all five attributes" if only_top else ""),
        presets=FIVE,
    )


def _by_preset(values: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in zip(shown(list(values)), values.values(), strict=True))


# ---------------------------------------------------------------------- the study


def run(study: StudyRun) -> StudyResult:
    """Search under every preset, attack every minimal table, and compare with the printed counts."""
    grid = study.grid(Grid)
    work = [
        (p, rows, s)
        for p in grid.presets
        for rows in ROWS
        for s in SENSITIVE
        if (rows, s) != ("both-raw", "occupation")
    ]
    runs = [search(p, rows, s, grid.k) for p, rows, s in study.progress(work, "searches")]
    found = outcomes_of(NAME)
    summary = _summary(runs, grid.k)
    figure = Figure(
        _figure(runs, grid.k, study.folder / "minimal_and_vulnerable.png"),
        f"Minimal {grid.k}-anonymous tables, and how many of them reveal somebody's value, by preset. Dotted "
        "lines mark the printed numbers.",
    )
    return StudyResult({"searches": _searches(runs), "tables": _tables(runs)}, [figure], found, summary)


def _summary(runs: Sequence[Run], k: int) -> str:
    texts = [_sentence(one, k) for one in runs if one.preset == "L1" or (one.preset, one.sensitive) == ("L2", "class")]
    shares = []
    for sensitive, words in SENSITIVE.items():
        mine = [one for one in runs if one.sensitive == sensitive]
        opened, minimal = ({count(one) for one in mine} for count in (lambda r: r.vulnerable, lambda r: len(r.nodes)))
        shares.append(f"{_between(opened)} of {_between(minimal)} reveal somebody's {words.lower()}")
    return (
        f"Of the minimal {k}-anonymous tables {' and '.join(shares)}, by hierarchies and records. "
        + " ".join(texts)
        + " k-anonymity does not look at the sensitive attribute, so one lattice on one set of records "
        "has one number of minimal tables; the two printed numbers need different records or hierarchies."
    )


def _between(numbers: set[int]) -> str:
    return " to ".join(map(str, sorted({min(numbers), max(numbers)})))


def _sentence(one: Run, k: int) -> str:
    worst = max((node.revealed_records for node in one.nodes), default=0)
    records = f"all {one.records:,} records" if one.rows == "both-raw" else f"the {one.records:,} complete records"
    return (
        f"{shown([one.preset])[0]} has {len(one.nodes)} minimal {k}-anonymous tables on {records}; {one.vulnerable} "
        f"reveal somebody's {SENSITIVE[one.sensitive].lower()} (up to {worst:,} records in one table)."
    )


def _searches(runs: Sequence[Run]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "preset": shown([one.preset])[0],
            "records": one.records,
            "sensitive": one.sensitive,
            "minimal tables": len(one.nodes),
            "vulnerable": one.vulnerable,
            "records revealed, worst table": max((node.revealed_records for node in one.nodes), default=0),
        }
        for one in runs
    )


def _tables(runs: Sequence[Run]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "preset": shown([one.preset])[0],
            "records": one.records,
            "sensitive": one.sensitive,
            "node": node.node,
            "k": node.k,
            "classes": node.classes,
            "mean class size": round(float(node.mean_size), 1),
            "effective entropy l": round(node.effective_l, 4),
            "classes with one value": node.revealed_classes,
            "records revealed": node.revealed_records,
            "(c,2)-diverse for c above": "no c" if node.least_c is None else number_text(node.least_c),
            "decimal": math.inf if node.least_c is None else round(float(node.least_c), 2),
        }
        for one in runs
        for node in one.nodes
    )


PRINTED = {"occupation": ("LD-16a", "LD-16b"), "class": ("LD-17a", "LD-17b")}
"""The claims that print how many tables are minimal, and how many of them are vulnerable."""


def _figure(runs: Sequence[Run], k: int, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    from experiments.figures import save
    from tcloseness.report.figures import INK, MOVE, REFERENCE, STYLE

    ledger = load_ledger()
    with rc_context(STYLE):
        canvas = Canvas(figsize=(8.2, 1.9 + 0.38 * len(runs)), layout="constrained")
        panels = canvas.subplots(len(SENSITIVE), 1, sharex=True, height_ratios=[_count(runs, s) for s in SENSITIVE])
        for axes, sensitive in zip(panels, SENSITIVE, strict=True):
            mine = [one for one in runs if one.sensitive == sensitive]
            names = [f"{shown([one.preset])[0]}, {one.records:,} records" for one in mine]
            places = list(range(len(mine)))
            axes.barh(places, [len(one.nodes) for one in mine], 0.62, color=REFERENCE, label="minimal tables")
            axes.barh(places, [one.vulnerable for one in mine], 0.62, color=MOVE, label="of these, vulnerable")
            for place, one in zip(places, mine, strict=True):
                share = f"{one.vulnerable} of {len(one.nodes)}"
                clear = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # also where a dotted line runs
                axes.text(len(one.nodes) + 0.15, place, share, va="center", fontsize=9, bbox=clear)
            stated = [int(ledger[key].stated or 0) for key in PRINTED[sensitive]]
            for number, color in zip(stated, (INK, MOVE), strict=True):
                axes.axvline(number, color=color, linewidth=1.2, linestyle=":")
            axes.set_yticks(places, names)
            axes.set_ylim(len(mine) - 0.45, -0.55)
            axes.set_title(
                f"{SENSITIVE[sensitive]} is sensitive; printed (dotted): {stated[0]} tables, {stated[1]} vulnerable",
                loc="left",
                fontsize=10.5,
            )
        panels[0].set_xlim(0, max(len(one.nodes) for one in runs) + 2.5)
        panels[-1].set_xlabel(f"minimal {k}-anonymous tables")
        canvas.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=2)
    return save(canvas, path)


def _count(runs: Sequence[Run], sensitive: str) -> int:
    return max(1, sum(one.sensitive == sensitive for one in runs))


STUDY = Study(
    NAME,
    "How many minimal 6-anonymous Adult tables are open to the homogeneity attack?",
    run,
    basis="every node of each lattice and all records; nothing is a sample.",
)
