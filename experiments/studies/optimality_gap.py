"""How far heuristics are from optimal: the loss of each divided by the least possible one, over many small tables.

The optimum is that of `tcloseness.optimal.optimal_partition`, over all partitions into classes with tight labels. All
methods are given the same table, hierarchies and model; none may suppress a record, since the optimum may not either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.small_tables import SmallTable, drawn, printed
from tcloseness.anonymize import (
    closeness_first,
    confidential_microaggregation,
    datafly,
    mdav,
    mondrian,
    sabre,
)
from tcloseness.errors import NotReached
from tcloseness.exact import number_text
from tcloseness.loss.names import loss_named
from tcloseness.models import DistinctLDiversity, KAnonymity, PrivacyModel, TCloseness
from tcloseness.optimal import Infeasible, Optimal, optimal_partition
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.release import Anonymized

__all__ = ["METHODS", "STUDY", "Grid", "gaps", "models"]

NAME = "optimality_gap"
LOSS = "gcp"
RATIO = "loss ÷ optimum"

Method = Callable[[SmallTable, PrivacyModel, int], Anonymized]

METHODS: dict[str, Method] = {
    "Mondrian, strict": lambda small, model, seed: mondrian(small.table, model, small.hierarchies, seed=seed),
    "Mondrian, relaxed": lambda small, model, seed: mondrian(
        small.table, model, small.hierarchies, relaxed=True, seed=seed
    ),
    "MDAV": lambda small, model, seed: mdav(small.table, model, small.hierarchies, seed=seed),
    "t-closeness first": lambda small, model, seed: closeness_first(small.table, model, small.hierarchies, seed=seed),
    "SABRE": lambda small, model, seed: sabre(small.table, model, small.hierarchies, seed=seed),
    "confidential": lambda small, model, seed: confidential_microaggregation(
        small.table, model, small.hierarchies, seed=seed
    ),
    "Datafly": lambda small, model, seed: datafly(small.table, model, small.hierarchies, suppression=0, seed=seed),
}
ONLY_CLOSENESS = ("t-closeness first", "SABRE")


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    sizes: tuple[int, ...]
    draws: int
    k: int
    l: int  # noqa: E741
    t: str
    seconds: int


def models(grid: Grid) -> dict[str, PrivacyModel]:
    """Return k, k with ℓ, and k with t by name."""
    k = KAnonymity(grid.k)
    return {
        f"k = {grid.k}": k,
        f"k = {grid.k}, l = {grid.l}": k & DistinctLDiversity(grid.l),
        f"k = {grid.k}, t = {grid.t}": k & TCloseness(grid.t, ground="equal"),
    }


def gaps(small: SmallTable, name: str, model: PrivacyModel, seconds: float, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each method that serves the model: its loss, the optimum, and their exact ratio."""
    best = optimal_partition(small.table, model, LOSS, hierarchies=small.hierarchies, time_limit=seconds, seed=seed)
    if isinstance(best, Infeasible):
        return
    least = best.objective if isinstance(best, Optimal) else best.bound
    for method, anonymize in METHODS.items():
        if method in ONLY_CLOSENESS and "t = " not in name:
            continue
        try:
            found = anonymize(small, model, seed)
        except NotReached:
            loss, classes = None, None
        else:
            loss = ClassCosts(loss_named(LOSS), small.table, found.attributes).of(found.partition)
            classes = len(found.partition)
        yield {
            "table": small.name,
            "records": len(small.table),
            "model": name,
            "method": method,
            "optimum": number_text(least),
            "is optimal": isinstance(best, Optimal),
            "classes of the optimum": len(best.solution.partition),
            "classes": classes,
            "loss": None if loss is None else number_text(loss),
            RATIO: None if loss is None or not least else float(loss / least),
            "reaches the optimum": loss is not None and loss == least,
        }


def run(study: StudyRun) -> StudyResult:
    """Compare every method with the optimum on every table and model."""
    grid = study.grid(Grid)
    tables = [*printed(), *(drawn(n, i, study.seed) for n in grid.sizes for i in range(grid.draws))]
    work = [(small, *named) for small in tables for named in models(grid).items()]
    found = pd.DataFrame(
        chain.from_iterable(
            gaps(small, name, model, grid.seconds, study.seed)
            for small, name, model in study.progress(work, "heuristics and optima")
        )
    ).astype({"classes": "Int64"})
    reached = found.dropna(subset=["loss"])
    worst = reached.loc[reached.dropna(subset=[RATIO]).groupby(["model", "method"])[RATIO].idxmax()].reset_index(
        drop=True
    )
    shares = (
        found.groupby(["model", "method"], sort=False)
        .agg(
            tables=("table", "size"),
            **{
                "not reached": ("loss", lambda losses: int(losses.isna().sum())),
                "optimal": ("reaches the optimum", "sum"),
                "median ratio": (RATIO, "median"),
                "greatest ratio": (RATIO, "max"),
            },
        )
        .reset_index()
    )
    figure = Figure(
        _draw(found, study.folder / "gaps.png"),
        "GCP of each method ÷ the least GCP, a dot a table; the bar is the median, 1 is optimal. The number at the "
        f"right says on how many of the {found['table'].nunique()} tables the method reached the optimum.",
    )
    worst_tables = _written(worst, {small.name: small for small in tables})
    return StudyResult(
        {"gaps": found, "shares": shares, "worst": worst, "worst_tables": worst_tables},
        [figure],
        {},
        _summary(shares, found),
    )


def _written(worst: pd.DataFrame, by_name: dict[str, SmallTable]) -> pd.DataFrame:
    """Return the records of the tables that are the worst case of some method."""
    parts = []
    for name in sorted(set(worst["table"])):
        table = by_name[name].table
        columns = {
            c.name: [c.domain.values[code] for code in c.codes] for c in (*table.quasi_identifiers, *table.sensitive)
        }
        records = [" | ".join(f"{key}={columns[key][i]}" for key in columns) for i in range(len(table))]
        parts.append(pd.DataFrame({"table": name, "record": range(1, len(table) + 1), "values": records}))
    return pd.concat(parts, ignore_index=True)


def _draw(found: pd.DataFrame, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from tcloseness.report.figures import INK, MASS, MOVE, STYLE, save

    names = list(found["model"].unique())
    methods = [method for method in METHODS if method in set(found["method"])]
    top = max(2.0, float(found[RATIO].max()))
    with rc_context(STYLE):
        figure = Figure(figsize=(10.6, 4.4), layout="constrained")
        panels = figure.subplots(1, len(names), sharey=True, sharex=True, squeeze=False)[0]
        for axes, name in zip(panels, names, strict=True):
            for place, method in enumerate(methods):
                mine = found[(found["model"] == name) & (found["method"] == method)]
                ratios = mine[RATIO].dropna().sort_values().to_numpy()
                if mine.empty:
                    axes.text(1 + (top - 1) / 2, place, "needs a t", ha="center", va="center", fontsize=9, color=INK)
                    continue
                spread = [0.26 * ((7 * i) % 11 - 5) / 5 for i in range(len(ratios))]
                axes.scatter(ratios, [place + s for s in spread], s=14, color=MASS, alpha=0.55, linewidths=0)
                if len(ratios):
                    axes.plot(
                        [float(mine[RATIO].median())] * 2, [place - 0.36, place + 0.36], color=MOVE, linewidth=2.2
                    )
                axes.text(
                    top * 1.03, place, f"{int(mine['reaches the optimum'].sum())}", va="center", fontsize=9, color=INK
                )
            axes.axvline(1, color=INK, linewidth=0.8, linestyle=(0, (4, 2)))
            axes.set_title(name, loc="left", fontsize=10.5)
            axes.set_xlabel("GCP ÷ optimum")
            axes.set_xlim(0.94, top * 1.12)
        panels[0].set_yticks(range(len(methods)), methods)
        panels[0].invert_yaxis()
    return save(figure, path)


def _summary(shares: pd.DataFrame, found: pd.DataFrame) -> str:
    parts = []
    for name, mine in shares.groupby("model", sort=False):
        known = mine[mine["not reached"] == 0].sort_values("median ratio")
        first, last = known.iloc[0], known.iloc[-1]
        refused = [f"{row['method']} on {row['not reached']}" for _, row in mine[mine["not reached"] > 0].iterrows()]
        parts.append(
            f"{name}: {first['method']} is nearest (median {first['median ratio']:.2f} times the optimum, optimal on "
            f"{first['optimal']} of {first['tables']}), {last['method']} farthest ({last['median ratio']:.2f})"
            + (f"; no table found: {', '.join(refused)}" if refused else "")
        )
    top = found.iloc[int(found[RATIO].argmax())]
    proved = (
        "all optima proved by the solver's bound"
        if found["is optimal"].all()
        else (
            f"{len(found.loc[~found['is optimal'], ['table', 'model']].drop_duplicates())} of the optima only bounded"
        )
    )
    return (
        f"GCP on {found['table'].nunique()} tables of {found['records'].min()} to {found['records'].max()} records, "
        f"{proved}. {'. '.join(parts)}. The worst case: {top['method']} under {top['model']} on {top['table']} loses "
        f"{top[RATIO]:.2f} times the optimum."
    )


STUDY = Study(NAME, "How many times the least possible loss do the heuristics lose?", run)
