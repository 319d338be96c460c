"""Microaggregate the confidential attribute, or the quasi-identifiers? Variability, and what a class gives away.

Soria-Comas and Domingo-Ferrer 2013 proposes classes whose *confidential* values vary least, published with generalized
quasi-identifiers, and combined with ℓ-diversity or t-closeness, since classes of like values disclose them. Here both
partitions are made of the same samples of Adult, for three confidential attributes, with and without a model beside k.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
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
from experiments.intervals import Paired, bootstrap, percent
from experiments.runner import SEED, Figure, Study, StudyResult, StudyRun
from tcloseness.anonymize import confidential_microaggregation, mdav
from tcloseness.errors import NotReached
from tcloseness.exact import as_fraction, number_text
from tcloseness.loss.names import loss_named
from tcloseness.microdata import Microdata
from tcloseness.models import DistinctLDiversity, KAnonymity, PrivacyModel, TCloseness
from tcloseness.release import Anonymized, within_groups

__all__ = ["METHODS", "STUDY", "Grid", "made", "measured", "models", "released", "sample"]

NAME = "confidential_microaggregation"
QUASI_IDENTIFIERS = ("age", "education", "marital-status", "sex")
METHODS = {"confidential attribute": confidential_microaggregation, "quasi-identifiers": mdav}
BY_CONFIDENTIAL, BY_QUASI_IDENTIFIERS = METHODS
ALONE = "k alone"
WITHIN = "share of all variability"
GROUND = "ordered-by-value"


@dataclass(frozen=True)
class Grid:
    """What the study runs over; see the file of its values for what they are."""

    attributes: tuple[str, ...]
    samples: int
    records: int
    sizes: tuple[int, ...]
    k: int
    l: int  # noqa: E741
    thresholds: tuple[str, ...]
    reaches: tuple[str, ...]
    unions: int
    smallest: int
    few: int

    @property
    def seeds(self) -> range:
        """What draws the samples."""
        return range(1, self.samples + 1)


@cache
def _adult() -> pd.DataFrame:
    return adult.load("train-complete")


@cache
def sample(confidential: str, records: int, seed: int) -> Microdata:
    """Return complete training records, drawn without replacement, with one attribute as the confidential one.

    The quasi-identifiers are those of `QUASI_IDENTIFIERS` that are not confidential.
    """
    names = [name for name in QUASI_IDENTIFIERS if name != confidential]
    rows = random.Random(seed).sample(range(len(_adult())), records)
    frame = _adult().iloc[rows].reset_index(drop=True)[[*names, confidential]]
    return Microdata.from_frame(frame, quasi_identifiers=names, sensitive=confidential)


def models(k: int, thresholds: tuple[str, ...], l: int) -> Mapping[str, PrivacyModel]:  # noqa: E741
    """Return k-anonymity with distinct ℓ-diversity, and with t-closeness by value, by name."""
    return {f"l = {l}": KAnonymity(k) & DistinctLDiversity(l)} | {
        f"t = {t}": KAnonymity(k) & TCloseness(t, ground=GROUND) for t in thresholds
    }


def measured(found: Anonymized, reaches: tuple[str, ...]) -> dict[str, Any]:
    """Return the variability within the classes as they were made, what they disclose, and what their labels cost.

    A record counts as disclosed if the mean of its class's values is near to the value of every record of the class:
    then whoever knows the class knows the value that well.

    Parameters
    ----------
    reaches
        How near, in standard deviations of the attribute in the table.
    """
    partition = found.grouped
    values = _values(found)
    groups = [[values[i] for i in rows.tolist()] for rows in partition.groups]
    whole, within = _squares(values), sum(map(_squares, groups), Fraction(0))
    variance = whole / len(values)
    farthest = [(len(group), max(abs(Fraction(sum(group), len(group)) - v) for v in _ends(group))) for group in groups]
    disclosed = {
        reach: sum(size for size, away in farthest if away**2 <= as_fraction(reach) ** 2 * variance)
        for reach in reaches
    }
    return {
        "classes": len(partition),
        "classes as published": len(found.partition),
        "within-class variability": number_text(within),
        WITHIN: float(within / whole),
        **{_disclosed(reach): count / len(values) for reach, count in disclosed.items()},
        "greatest distance": float(TCloseness(ground=GROUND).evaluate(partition.class_counts(found.sensitive)).value),
        "gcp": float(loss_named("gcp").evaluate(found.release).value),
    }


def _disclosed(reach: str) -> str:
    return f"disclosed within {reach} sd"


def _values(found: Anonymized) -> list[int]:
    column = found.partition.table.sensitive[0]
    return [int(column.domain.values[code]) for code in column.codes.tolist()]


def _squares(values: list[int]) -> Fraction:
    """Return Σ (value − mean)²."""
    return sum(v * v for v in values) - Fraction(sum(values) ** 2, len(values))


def _ends(values: list[int]) -> tuple[int, int]:
    return min(values), max(values)


@cache
def released(grid: Grid, confidential: str, seed: int, k: int, model: str, method: str) -> Anonymized | None:
    """Make one partition; None if the model is not reached."""
    asked = KAnonymity(k) if model == ALONE else models(k, grid.thresholds, grid.l)[model]
    levels = {name: preset("T1")[name] for name in QUASI_IDENTIFIERS if name != confidential}
    try:
        return METHODS[method](sample(confidential, grid.records, seed), asked, levels, seed=seed)
    except NotReached:
        return None


@cache
def made(grid: Grid, confidential: str, seed: int, k: int, model: str, method: str) -> dict[str, Any]:
    """Make one partition and measure it; of a model that is not reached nothing is measured."""
    found = released(grid, confidential, seed, k, model, method)
    return {} if found is None else measured(found, grid.reaches)


# ---------------------------------------------------------------------- claims


def _alone(grid: Grid, method: str, column: str) -> dict[tuple[str, int], list[float]]:
    """Return what k alone gives on the whole grid: by attribute and k, a number for each sample."""
    return {
        (name, k): [made(grid, name, seed, k, ALONE, method)[column] for seed in grid.seeds]
        for name, k in product(grid.attributes, grid.sizes)
    }


def _medians(found: dict[tuple[str, int], list[float]]) -> str:
    """Return the medians at the least and the greatest k."""
    ends = {min(k for _, k in found), max(k for _, k in found)}
    return ", ".join(f"{name} k = {k} {_median(values)}" for (name, k), values in found.items() if k in ends)


def _in_samples(pairs: Iterable[tuple[list[float], list[float]]]) -> list[bool]:
    """Say of each sample whether the first number is less than the second in every pair.

    The comparisons of one sample are made of the same records; so shares are of samples, which are independent.
    """
    return [all(less) for less in zip(*([a < b for a, b in zip(*pair, strict=True)] for pair in pairs), strict=True)]


def _median(values: list[float]) -> str:
    low, high = bootstrap(values, seed=SEED)
    return f"{100 * float(np.median(values)):.1f} % ({100 * low:.1f} to {100 * high:.1f})"


@check("CM-12", "CM-14", "CM-15", "CM-16")
def _classes_of_like_values() -> dict[str, Outcome]:
    grid = load_grid(Grid, NAME, smoke=False)
    mine, usual = (_alone(grid, method, WITHIN) for method in METHODS)
    less = _in_samples((mine[key], usual[key]) for key in mine)
    steps = [
        (found[name, low], found[name, high])
        for found, name, (low, high) in product((mine, usual), grid.attributes, pairwise(grid.sizes))
    ]
    more = _in_samples(steps)
    k = min(grid.sizes)
    disclosed = {reach: _alone(grid, BY_CONFIDENTIAL, _disclosed(reach)) for reach in grid.reaches}
    shares = [share for found in disclosed.values() for name in grid.attributes for share in found[name, k]]
    nearest = disclosed[grid.reaches[0]]
    classes = _alone(grid, BY_CONFIDENTIAL, "classes")
    published = _alone(grid, BY_CONFIDENTIAL, "classes as published")
    merged = {key: [1 - b / a for a, b in zip(classes[key], published[key], strict=True)] for key in classes}
    samples = f"{grid.samples} samples of {grid.records:,} records; medians with 95 % intervals"
    return {
        "CM-12": Outcome(
            all(less),
            detail=f"less by the confidential attribute, for each attribute and k, in {percent(sum(less), len(less))} "
            f"samples; share of the variance within classes by the quasi-identifiers: {_medians(usual)}; {samples}",
        ),
        "CM-14": Outcome(
            all(np.median(low) < np.median(high) for low, high in steps),
            detail=f"more at each greater k, for each attribute and either partition, in "
            f"{percent(sum(more), len(more))} samples; by the confidential attribute {_medians(mine)}; {samples}",
        ),
        "CM-15": Outcome(
            min(shares) >= 0.95,
            detail=f"records disclosed to within {grid.reaches[0]} standard deviations: "
            + ", ".join(f"{name} {_median(nearest[name, k])}" for name in grid.attributes)
            + f"; least share of all samples and distances {100 * min(shares):.1f} %; {samples}",
        ),
        "CM-16": Outcome(
            all(share > 0 for shares in merged.values() for share in shares),
            detail=f"share of the classes that coincide with another once generalized: {_medians(merged)}; {samples}",
        ),
    }


@check("CM-8")
def _least_variability() -> Outcome:
    """All partitions of a few records into groups of k or more, one by one."""
    grid = load_grid(Grid, NAME, smoke=False)
    every = list(partitions([(row,) for row in range(grid.smallest)]))
    tried, faults = 0, 0
    for name, seed in product(grid.attributes, grid.seeds[: grid.few]):
        table = sample(name, grid.smallest, seed)
        values = [Fraction(int(table.sensitive[0].domain.values[code])) for code in table.sensitive[0].codes.tolist()]
        for k in (2, 3):
            found = confidential_microaggregation(table, KAnonymity(k), seed=seed).grouped
            groups = [rows.tolist() for rows in found.groups]
            least = min(within_groups(values, part) for part in every if min(map(len, part)) >= k)
            tried += 1
            faults += within_groups(values, groups) != least
    return Outcome(
        not faults,
        detail=f"{tried} times {grid.smallest} records of Adult, {', '.join(grid.attributes)}, k = 2 and 3, against "
        f"each of {len(every):,} partitions",
    )


@check("CM-17")
def _unions_of_classes() -> Outcome:
    """What is asked of a union of classes is answered by its records' values, which the release does not change."""
    grid = load_grid(Grid, NAME, smoke=False)
    same = []
    for name, seed, method in product(grid.attributes, grid.seeds, METHODS):
        found = released(grid, name, seed, grid.k, ALONE, method)
        assert found is not None
        rows = found.frame(order="input")
        keys = list(map(tuple, rows.drop(columns=name).to_numpy().tolist()))
        original = np.array(_values(found))
        labels, draw = sorted(set(keys)), random.Random(seed)
        for _ in range(grid.unions):
            chosen = set(draw.sample(labels, draw.randint(1, len(labels))))
            of_release = rows[name].to_numpy()[[key in chosen for key in keys]]
            members = np.isin(found.partition.class_of, [i for i, x in enumerate(found.labels) if x in chosen])
            same.append(sorted(of_release.tolist()) == sorted(original[members].tolist()))
    return Outcome(
        all(same),
        detail=f"{len(same):,} drawn unions of classes of releases at k = {grid.k}, by either partition: the same "
        "confidential values as in the original",
    )


# ---------------------------------------------------------------------- the study


def run(study: StudyRun) -> StudyResult:
    """Make every partition and measure it."""
    grid = study.grid(Grid)
    study.draws_with(f"1 to {grid.samples}")
    asked = [(k, ALONE) for k in grid.sizes] + [(grid.k, name) for name in models(grid.k, grid.thresholds, grid.l)]
    work = list(product(grid.attributes, asked, METHODS, grid.seeds))
    rows = []
    for name, (k, model), method, seed in study.progress(work, "microaggregation"):
        row: dict[str, Any] = {"confidential": name, "k": k, "model": model, "partition by": method, "seed": seed}
        rows.append(row | made(grid, name, seed, k, model, method))
    found = pd.DataFrame(rows).astype({"classes": "Int64", "classes as published": "Int64"})
    shown = _over_samples(found, grid, study.seed)
    compared = _compared(found, study.seed)
    reach = grid.reaches[len(grid.reaches) // 2]
    pictures = [
        Figure(
            _draw_sizes(shown, grid, reach, study.folder / "variability_and_disclosure.png"),
            f"{grid.samples} samples of {grid.records:,} records of Adult, k alone; medians and 95 % intervals. "
            "Variance within: its share that is within classes. Records disclosed: the share whose class gives their "
            f"value away to within {reach} standard deviations.",
        ),
        Figure(
            _draw_models(shown, grid, reach, study.folder / "with_a_model.png"),
            f"The same at k = {grid.k} with a model beside it.",
        ),
    ]
    tables = {"partitions": found, "over_samples": shown, "comparisons": compared}
    outcomes = {} if study.smoke else outcomes_of(NAME)
    return StudyResult(tables, pictures, outcomes, _summary(shown, found, grid, reach))


KEYS = ["confidential", "k", "model"]


def _over_samples(found: pd.DataFrame, grid: Grid, seed: int) -> pd.DataFrame:
    """Return medians over the samples with their bootstrap intervals."""
    rows = []
    for key, mine in found.groupby([*KEYS, "partition by"], sort=False):
        for measure in (WITHIN, *map(_disclosed, grid.reaches), "gcp"):
            values = mine[measure].dropna()
            row: dict[str, Any] = dict(zip([*KEYS, "partition by"], key, strict=True))
            row |= {"measure": measure, "samples": len(mine), "reached": len(values)}
            if len(values):
                low, high = bootstrap(values, seed=seed)
                row |= {"median": float(np.median(values)), "low": low, "high": high}
            rows.append(row)
    return pd.DataFrame(rows)


def _compared(found: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Compare both partitions of each sample: on how many the classes by the confidential attribute have less."""
    rows = []
    for key, mine in found.groupby(KEYS, sort=False):
        for measure in (WITHIN, "gcp"):
            both = mine.pivot(index="seed", columns="partition by", values=measure).dropna()
            if len(both):
                one, other = both[BY_CONFIDENTIAL], both[BY_QUASI_IDENTIFIERS]
                test, (low, high) = Paired.least(one.tolist(), other.tolist()), bootstrap(one - other, seed=seed)
                rows.append(
                    {
                        **dict(zip(KEYS, key, strict=True)),
                        "measure": measure,
                        "samples": len(both),
                        "less": test.wins,
                        "equal": test.ties,
                        "more": test.losses,
                        "sign test": float(test.p),
                        "median difference": float(np.median(one - other)),
                        "low": low,
                        "high": high,
                    }
                )
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------- figures

WIDTH = 5.6
LOOKS = {BY_CONFIDENTIAL: "o", BY_QUASI_IDENTIFIERS: "s"}


def _colors() -> dict[str, str]:
    from tcloseness.report.figures import MASS, MOVE

    return {BY_CONFIDENTIAL: MOVE, BY_QUASI_IDENTIFIERS: MASS}


def _columns(reach: str) -> dict[str, str]:
    return {WITHIN: "variance within", _disclosed(reach): "records disclosed"}


def _draw_sizes(shown: pd.DataFrame, grid: Grid, reach: str, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Drawing
    from matplotlib.ticker import PercentFormatter

    from experiments.figures import save
    from tcloseness.report.figures import STYLE

    alone = shown[shown["model"] == ALONE].set_index(["confidential", "partition by", "measure", "k"])
    at = range(len(grid.sizes))
    with rc_context(STYLE):
        drawing = Drawing(figsize=(WIDTH, 0.9 + 1.9 * len(grid.attributes)), layout="constrained")
        panels = drawing.subplots(len(grid.attributes), 2, sharex=True, sharey=True, squeeze=False)
        for (line, name), (place, measure) in product(enumerate(grid.attributes), enumerate(_columns(reach))):
            axes = panels[line][place]
            for method, color in _colors().items():
                mine = alone.loc[[(name, method, measure, k) for k in grid.sizes]]
                axes.fill_between(at, mine["low"], mine["high"], color=color, alpha=0.25, linewidth=0)
                axes.plot(at, mine["median"], color=color, marker=LOOKS[method], markersize=5, label=f"by {method}")
            axes.set_ylim(-0.04, 1.04)
            axes.grid(axis="y", color="#e6e8ec", linewidth=0.8)
            axes.yaxis.set_major_formatter(PercentFormatter(1))
            axes.set_xticks(at, [str(k) for k in grid.sizes])
            axes.set_title(f"{name}: {_columns(reach)[measure]}", loc="left", fontsize=9)
        for axes in panels[-1]:
            axes.set_xlabel("k")
        drawing.legend(*panels[0][0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=2)
    return save(drawing, path)


def _draw_models(shown: pd.DataFrame, grid: Grid, reach: str, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Drawing
    from matplotlib.ticker import PercentFormatter

    from experiments.figures import save
    from tcloseness.report.figures import STYLE

    mine = shown[shown["k"] == grid.k]
    names = list(mine["model"].unique())
    with rc_context(STYLE):
        drawing = Drawing(figsize=(WIDTH, 0.9 + len(grid.attributes) * (0.6 + 0.28 * len(names))), layout="constrained")
        panels = drawing.subplots(len(grid.attributes), 2, sharex=True, sharey=True, squeeze=False)
        for (line, name), (place, measure) in product(enumerate(grid.attributes), enumerate(_columns(reach))):
            axes = panels[line][place]
            for shift, (method, color) in zip((-0.14, 0.14), _colors().items(), strict=True):
                some = mine[
                    (mine["confidential"] == name) & (mine["partition by"] == method) & (mine["measure"] == measure)
                ].dropna(subset=["median"])
                rows = [names.index(model) + shift for model in some["model"]]
                axes.hlines(rows, some["low"], some["high"], color=color, linewidth=2.4, alpha=0.55)
                axes.plot(
                    some["median"], rows, LOOKS[method], color=color, markersize=5, linestyle="", label=f"by {method}"
                )
            axes.set_yticks(range(len(names)), names)
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.set_xlim(-0.04, 1.04)
            axes.set_xticks([0, 0.5, 1])
            axes.grid(axis="x", color="#e6e8ec", linewidth=0.8)
            axes.xaxis.set_major_formatter(PercentFormatter(1))
            axes.set_title(f"{name}: {_columns(reach)[measure]}", loc="left", fontsize=9)
        drawing.legend(*panels[0][0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=2)
    return save(drawing, path)


def _summary(shown: pd.DataFrame, found: pd.DataFrame, grid: Grid, reach: str) -> str:
    columns = ["measure", "partition by", "model", "k", "confidential"]
    by = {tuple(row[name] for name in columns): row for row in shown.to_dict("records")}
    k = min(grid.sizes)

    def text(measure: str, method: str, model: str, k: int) -> str:
        parts = []
        for name in grid.attributes:
            row = by[measure, method, model, k, name]
            known = f"{100 * row['median']:.1f} % ({100 * row['low']:.1f} to {100 * row['high']:.1f})"
            parts.append(f"{known} of {name}" if row["reached"] else f"nothing of {name}, since none is reached")
        return ", ".join(parts)

    alone = found[found["model"] == ALONE].sort_values("seed").groupby(["confidential", "k", "partition by"])[WITHIN]
    cases = {key: alone.get_group(key).tolist() for key in alone.groups}
    less = _in_samples(
        (cases[name, k, BY_CONFIDENTIAL], cases[name, k, BY_QUASI_IDENTIFIERS])
        for name, k in product(grid.attributes, grid.sizes)
    )
    last, measure = f"t = {grid.thresholds[-1]}", _disclosed(reach)
    return (
        f"At k = {k} classes by the confidential attribute give away, to within {reach} standard deviations, "
        f"{text(measure, BY_CONFIDENTIAL, ALONE, k)}; classes by the quasi-identifiers give away "
        f"{text(measure, BY_QUASI_IDENTIFIERS, ALONE, k)}. The former vary less within, for each attribute and k, in "
        f"{percent(sum(less), len(less))} samples. With {last} at k = {grid.k} the shares are "
        f"{text(measure, BY_CONFIDENTIAL, last, grid.k)} by the former and "
        f"{text(measure, BY_QUASI_IDENTIFIERS, last, grid.k)} by the latter. Medians over {grid.samples} samples of "
        f"{grid.records:,} records of Adult, with 95 % intervals."
    )


STUDY = Study(
    NAME,
    "Classes of like confidential values, or of like quasi-identifiers: what do they lose, and what do they disclose?",
    run,
    basis="samples drawn from the complete training records of Adult: medians over them have an interval, and both "
    "partitions of a sample are compared with each other.",
)
