"""How far heuristics are from optimal: the loss of each divided by the least possible one, over many small tables.

The optimum is that of `tcloseness.optimal.optimal_partition`, over all partitions into classes with tight labels. All
methods are given the same table, hierarchies and model; none may suppress a record, since the optimum may not either.
Mondrian cuts along the hierarchies, where strict and relaxed cuts are the same.
The drawn tables are a sample: medians over them have bootstrap intervals, and a method is said to lose less than
another only where the sign test over the tables rejects that it is as often worse as better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.intervals import LEVEL, Paired, bootstrap, holm
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.small_tables import SmallTable, drawn, printed, proof_files
from tcloseness.anonymize import (
    closeness_first,
    confidential_microaggregation,
    datafly,
    mdav,
    mondrian,
    sabre,
)
from tcloseness.certificates import Envelope
from tcloseness.errors import NotReached
from tcloseness.exact import number_text
from tcloseness.loss.names import loss_named
from tcloseness.models import DistinctLDiversity, KAnonymity, PrivacyModel, TCloseness
from tcloseness.optimal import Infeasible, Optimal, optimal_partition
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.release import Anonymized

__all__ = ["METHODS", "STUDY", "Grid", "best_of", "compared", "gaps", "models", "not_beaten", "shares"]

NAME = "optimality_gap"
LOSS = "gcp"
RATIO = "loss ÷ optimum"

Method = Callable[[SmallTable, PrivacyModel, int], Anonymized]

METHODS: dict[str, Method] = {
    "Mondrian": lambda small, model, seed: mondrian(small.table, model, small.hierarchies, seed=seed),
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
    """What the study runs over; of each size in turn so many tables are drawn."""

    sizes: tuple[int, ...]
    draws: tuple[int, ...]
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


Proved = dict[tuple[SmallTable, str], Envelope]


def gaps(
    small: SmallTable, name: str, model: PrivacyModel, seconds: float, seed: int, proved: Proved | None = None
) -> Iterator[dict[str, Any]]:
    """Yield a row for each method that serves the model: its loss, the optimum, and their exact ratio.

    The certificate of the optimum is put to those that are proved.
    """
    best = optimal_partition(small.table, model, LOSS, hierarchies=small.hierarchies, time_limit=seconds, seed=seed)
    if isinstance(best, Infeasible):
        return
    if proved is not None and isinstance(best, Optimal):
        proved[small, name] = best.certificate()
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
            "drawn": small not in printed(),
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
    """Compare every method with the optimum, and with every other method, on every table and model."""
    grid = study.grid(Grid)
    sizes = zip(grid.sizes, grid.draws, strict=True)
    tables = [*printed(), *(drawn(n, i, study.seed) for n, draws in sizes for i in range(draws))]
    work, proved = [(small, *named) for small in tables for named in models(grid).items()], Proved()
    found = pd.DataFrame(
        chain.from_iterable(
            gaps(small, name, model, grid.seconds, study.seed, proved)
            for small, name, model in study.progress(work, "heuristics and optima")
        )
    ).astype({"classes": "Int64"})
    sample = found[found["drawn"]]
    worst = found.loc[found.dropna(subset=[RATIO]).groupby(["model", "method"])[RATIO].idxmax()].reset_index(drop=True)
    pairs = compared(sample)
    medians = shares(sample, study.seed)
    open_ = ["table", "records", "model", "optimum"]
    bounded = found.loc[~found["is optimal"], open_].drop_duplicates().rename(columns={"optimum": "bound"})
    figure = Figure(
        _draw(sample, medians, study.folder / "gaps.png"),
        f"GCP of each method ÷ the least GCP, a dot a table, {sample['table'].nunique()} of them; the bar is the "
        "median with its 95 % interval, 1 is optimal. The number at the right says on how many tables the method "
        "reached the optimum.",
    )
    worst_tables = _written(worst, {small.name: small for small in tables})
    return StudyResult(
        {
            "gaps": found,
            "shares": medians,
            "pairs": pairs,
            "not_proved": bounded,
            "worst": worst,
            "worst_tables": worst_tables,
        },
        [figure],
        {},
        f"{_summary(medians, pairs, found, bounded)} Each of the {len(proved)} optima is proved by a certificate.",
        proof_files(proved),
    )


def _by_size(sample: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [("all", sample), *((str(n), part) for n, part in sample.groupby("records"))]


def shares(sample: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return, by model, method and size of the tables, how often the optimum is reached, and the median ratio."""
    rows = []
    for size, part in _by_size(sample):
        for (name, method), mine in part.groupby(["model", "method"], sort=False):
            ratios = mine[RATIO].dropna()
            low, high = bootstrap(ratios, seed=seed) if len(ratios) else (math.nan, math.nan)
            rows.append(
                {
                    "model": name,
                    "method": method,
                    "records": size,
                    "tables": len(mine),
                    "not reached": int(mine["loss"].isna().sum()),
                    "optimal": int(mine["reaches the optimum"].sum()),
                    "median ratio": ratios.median(),
                    "interval from": low,
                    "interval to": high,
                    "greatest ratio": ratios.max(),
                }
            )
    return pd.DataFrame(rows)


def compared(sample: pd.DataFrame) -> pd.DataFrame:
    """Return how every two methods compare under each model, table by table, over all tables and over those of a size.

    A method that finds no table loses against one that does. The p-values of a model and a size are adjusted together.
    """
    rows = []
    parts = [(size, *each) for size, part in _by_size(sample) for each in part.groupby("model", sort=False)]
    for size, name, mine in parts:
        losses = {
            method: [math.inf if pd.isna(loss) else Fraction(loss) for loss in of.sort_values("table")["loss"]]
            for method, of in mine.groupby("method", sort=False)
        }
        paired = {(a, b): Paired.least(losses[a], losses[b]) for a, b in combinations(losses, 2)}
        adjusted = holm({key: pair.p for key, pair in paired.items()})
        for (a, b), pair in paired.items():
            shown = adjusted[a, b] <= LEVEL
            rows.append(
                {
                    "model": name,
                    "records": size,
                    "method": a,
                    "other": b,
                    "wins": pair.wins,
                    "ties": pair.ties,
                    "losses": pair.losses,
                    "p": float(pair.p),
                    "adjusted p": float(adjusted[a, b]),
                    "loses less": (a if pair.wins > pair.losses else b) if shown else "not shown",
                }
            )
    return pd.DataFrame(rows)


def best_of(pairs: pd.DataFrame) -> str | None:
    """Return the method of one model's pairs that is shown to lose less than every other; None if there is none."""
    beats = pairs["loses less"].value_counts().drop("not shown", errors="ignore")
    others = len({*pairs["method"], *pairs["other"]}) - 1
    return next((str(method) for method, n in beats.items() if n == others), None)


def not_beaten(pairs: pd.DataFrame) -> list[str]:
    """Return the methods of one model's pairs that no other is shown to lose less than."""
    methods = dict.fromkeys([*pairs["method"], *pairs["other"]])
    beaten = {
        row["other"] if row["loses less"] == row["method"] else row["method"]
        for _, row in pairs[pairs["loses less"] != "not shown"].iterrows()
    }
    return [method for method in methods if method not in beaten]


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


def _draw(found: pd.DataFrame, medians: pd.DataFrame, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, MOVE, STYLE

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
                axes.scatter(ratios, [place + s for s in spread], s=9, color=MASS, alpha=0.45, linewidths=0)
                if len(ratios):
                    of = (medians["model"] == name) & (medians["method"] == method) & (medians["records"] == "all")
                    middle, low, high = medians.loc[of, ["median ratio", "interval from", "interval to"]].iloc[0]
                    axes.plot([middle] * 2, [place - 0.36, place + 0.36], color=MOVE, linewidth=2.2)
                    axes.plot([low, high], [place] * 2, color=MOVE, linewidth=4.4, alpha=0.6, solid_capstyle="butt")
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


def _summary(medians: pd.DataFrame, pairs: pd.DataFrame, found: pd.DataFrame, bounded: pd.DataFrame) -> str:
    whole = medians[medians["records"] == "all"]
    sample, solved = found[found["drawn"]], found[["table", "model"]].drop_duplicates()
    parts = []
    for name, of_model in pairs.groupby("model", sort=False):
        of = whole[whole["model"] == name].set_index("method").sort_values("median ratio")
        mine = of_model[of_model["records"] == "all"]
        first = not_beaten(mine)
        said = {
            method: f"{method} {row['median ratio']:.2f} ({row['interval from']:.2f} to {row['interval to']:.2f})"
            for method, row in of.iterrows()
            if row["not reached"] < row["tables"]
        }
        lead = ", ".join(text for method, text in said.items() if method in first)
        rest = ", ".join(text for method, text in said.items() if method not in first)
        refused = ", ".join(f"{method} on {n}" for method, n in of["not reached"].items() if n)
        tables = int(of["tables"].max())
        alone = [
            f"{best} at {size} records"
            for size, of_size in of_model.groupby("records", sort=False)
            if size != "all" and (best := best_of(of_size))
        ]
        others = ", at the others none" if 0 < len(alone) < of_model["records"].nunique() - 1 else ""
        parts.append(
            f"{name}: "
            + (
                f"{lead} loses less than every other method over all sizes together"
                if best_of(mine)
                else f"no method is shown to lose least; none is shown to lose less than {lead}"
            )
            + (f"; then {rest}" if rest else "")
            + f"; size by size, shown to lose least: {', '.join(alone) or 'none'}{others}"
            + (f"; on {tables} tables, the others cannot reach it" if tables < sample["table"].nunique() else "")
            + (f"; no table found by {refused}" if refused else "")
        )
    top = found.iloc[int(found[RATIO].argmax())]
    proved = (
        f"All {len(solved)} optima are proved"
        if bounded.empty
        else f"{len(solved) - len(bounded)} of {len(solved)} optima are proved; the ratios are to a bound, and may be "
        f"less, for {_listed(bounded)}"
    )
    low, high = whole["median ratio"].min(), whole["median ratio"].max()
    by_size = ", ".join(f"{part['table'].nunique()} of {n}" for n, part in sample.groupby("records"))
    return (
        f"At the median the heuristics lose {low:.2f} to {high:.2f} times the least possible loss, by method and "
        f"model. GCP on {sample['table'].nunique()} tables drawn from Adult ({by_size} records) and the papers' two. "
        "Medians with 95 % bootstrap intervals; a method is said to lose less than another where the exact sign test "
        "over the drawn tables says so at 5 % (Holm's adjustment for all pairs of a model). "
        f"{'. '.join(parts)}. The worst case: {top['method']} under {top['model']} on {top['table']} loses "
        f"{top[RATIO]:.2f} times the optimum. {proved}."
    )


def _listed(bounded: pd.DataFrame) -> str:
    return ", ".join(f"{row['table']} ({row['model']})" for _, row in bounded.iterrows())


STUDY = Study(
    NAME,
    "How many times the least possible loss do the heuristics lose?",
    run,
    basis="tables drawn from Adult: medians are of a sample, with an interval, and methods are compared by "
    "the sign test. The optimum of each table is over all its partitions.",
)
