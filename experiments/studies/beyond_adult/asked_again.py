"""What the studies of Adult found, as statements that hold on a data set or do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from experiments.studies.monotonicity.totals import Total
from experiments.studies.price_of_privacy import RATIO, T

__all__ = ["STATEMENTS", "Seen", "Statement", "asked_again"]

_LUCKY = ("delta-disclosure privacy", "exp(epsilon)-closeness")
"""What happens to have no violating edge on Adult, though no search may rely on it."""

Rows = Sequence[Sequence[Total]]


@dataclass(frozen=True)
class Seen:
    """What was found on one data set: along the edges, costs, attacks, and medians of the heuristics."""

    edges: Rows
    costs: pd.DataFrame
    attacks: pd.DataFrame
    medians: pd.DataFrame


def _monotone(seen: Seen) -> tuple[bool, str]:
    declared = [row[0] for row in seen.edges if row[0].declared]
    broken = sum(total.violating for total in declared)
    return not broken, f"{broken} of {declared[0].edges:,} edges under {len(declared)} models"


def _pruned(seen: Seen) -> tuple[bool, str]:
    prunable = [total for row in seen.edges for total in row[1:] if total.declared and total.prunable]
    broken = sum(total.violating for total in prunable)
    return not broken, f"{broken} edges under {len({total.model for total in prunable})} models"


def _suppressed(seen: Seen) -> tuple[bool, str]:
    (row,) = (row for row in seen.edges if row[0].model == T)
    worst = max(row[1:], key=lambda total: total.violating)
    return worst.violating > 0, f"{worst.violating:,} of {worst.edges:,} edges"


def _lucky(seen: Seen) -> tuple[bool, str]:
    worst = max((total for row in seen.edges if row[0].model in _LUCKY for total in row[1:]), key=lambda t: t.violating)
    return not worst.violating, f"{worst.violating:,} of {worst.edges:,} edges of {worst.model}"


def _cost(seen: Seen) -> tuple[bool, str]:
    found = seen.costs[(seen.costs["loss"] == "dm") & (seen.costs["model"] == T)].set_index("threshold")[RATIO]
    strict, loose = found["0.2"], found["0.5"]
    words = ", ".join(
        f"t = {t} cannot be reached" if pd.isna(ratio) else f"t = {t} costs {ratio:.2f} times"
        for t, ratio in (("0.2", strict), ("0.5", loose))
    )
    return bool((pd.isna(strict) or strict > 1.5) and not pd.isna(loose) and loose < 1.25), words


def _opened(attack: str, criterion: str) -> Callable[[Seen], tuple[bool, str]]:
    def found(seen: Seen) -> tuple[bool, str]:
        (row,) = (
            row
            for _, row in seen.attacks.iterrows()
            if row["attack"] == attack and row["criterion"].startswith(criterion) and "t =" not in row["criterion"]
        )
        most = (
            f", at most {row['most records revealed']:,} records (values: {row['values there']})"
            if row["opened"]
            else ""
        )
        return bool(row["opened"] > 0), f"{row['opened']} of {row['minimal tables']} minimal tables{most}"

    return found


def _heuristics(seen: Seen) -> tuple[bool, str]:
    whole = seen.medians[seen.medians["records"] == "all"].dropna(subset=["median ratio"])
    best = whole.loc[whole.groupby("model", sort=False)["median ratio"].idxmin()]
    words = ", ".join(
        f"{row['median ratio']:.2f} ({row['interval from']:.2f} to {row['interval to']:.2f}) under {row['model']}"
        for _, row in best.iterrows()
    )
    return bool((best["interval from"] > 1.05).all()), words


@dataclass(frozen=True)
class Statement:
    """A finding of the studies of Adult: in short for a figure, in a sentence, and what says whether it holds."""

    short: str
    sentence: str
    check: Callable[[Seen], tuple[bool, str]]


STATEMENTS = {
    "monotone": Statement(
        "models that declare themselves monotone are",
        "Without suppression no model that declares itself monotone has an edge along which a table that satisfies it "
        "is generalized to one that does not.",
        _monotone,
    ),
    "pruning": Statement(
        "a search prunes rightly under suppression",
        "Where some records may be suppressed, the models on which a search prunes have no such edge.",
        _pruned,
    ),
    "suppression": Statement(
        "t-closeness is not monotone under suppression",
        "Where some records may be suppressed, t-closeness is not monotone.",
        _suppressed,
    ),
    "delta-disclosure": Statement(
        "delta-disclosure violates nothing under suppression",
        "Where some records may be suppressed, delta-disclosure privacy and exp(epsilon)-closeness have no such edge "
        "either, though nothing promises it.",
        _lucky,
    ),
    "cost of t": Statement(
        "t = 0.2 is not cheap, t = 0.5 is",
        "t = 0.2 costs more than 1.5 times the discernibility of k alone, or cannot be reached, and t = 0.5 less than "
        "1.25 times.",
        _cost,
    ),
    "homogeneity attack": Statement(
        "homogeneity opens k-anonymous tables",
        "Among the minimal k-anonymous tables some reveal somebody's sensitive value.",
        _opened("homogeneity", "k ="),
    ),
    "similarity attack": Statement(
        "similarity opens entropy l-diverse tables",
        "Among the minimal entropy l-diverse tables some reveal the group of somebody's sensitive value.",
        _opened("similarity", "entropy"),
    ),
    "heuristics": Statement(
        "no heuristic comes near the optimum",
        "Under each model the best heuristic loses more than 1.05 times the least possible loss in the median, by its "
        "95 % interval.",
        _heuristics,
    ),
}
"""By the name by which the report asks for it."""


def asked_again(
    edges: Mapping[str, Rows], costs: pd.DataFrame, attacks: pd.DataFrame, medians: pd.DataFrame
) -> pd.DataFrame:
    """Return whether each of the `STATEMENTS` holds on each data set, with the numbers that say so."""
    rows = []
    for finding, statement in STATEMENTS.items():
        for title, followed in edges.items():
            parts = (part[part["data"] == title] for part in (costs, attacks, medians))
            holds, numbers = statement.check(Seen(followed, *parts))
            rows.append(
                {
                    "finding": finding,
                    "in short": statement.short,
                    "statement": statement.sentence,
                    "data": title,
                    "holds": "yes" if holds else "no",
                    "numbers": numbers,
                }
            )
    return pd.DataFrame(rows)
