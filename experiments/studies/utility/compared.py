"""Methods compared seed by seed, and what may be said of them: nothing that an interval contradicts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from experiments.intervals import LEVEL, Paired, bootstrap, holm
from experiments.studies.utility.data import DataSet
from experiments.studies.utility.learning import names
from experiments.studies.utility.releases import MAJORITY, NO_MODEL, TWO_TABLES, UNCHANGED
from experiments.studies.utility.several import EACH, JOINTLY

__all__ = ["comparisons", "kept", "leaders", "medians", "summary"]


def medians(found: pd.DataFrame, measures: Mapping[str, int], seed: int) -> pd.DataFrame:
    """Return the median of each measure over the seeds, by model and method, with its bootstrap interval."""
    rows = []
    for (data, model, method), mine in found.groupby(["data", "model", "method"], sort=False):
        for measure in measures:
            values = mine[measure].dropna()
            row = {"data": data, "model": model, "method": method, "measure": measure, "seeds": len(mine)}
            if len(values):
                low, high = bootstrap(values, seed=seed)
                row |= {"reached": len(values), "median": float(np.median(values)), "low": low, "high": high}
                rows.append(row)
            elif method != MAJORITY:  # it answers no query
                rows.append(row | {"reached": 0})
    return pd.DataFrame(rows)


def comparisons(found: pd.DataFrame, measures: Mapping[str, int], seed: int) -> pd.DataFrame:
    """Compare each two methods for each model and measure, on the seeds where both reached the model.

    The sign tests of one model and measure are adjusted for being several. *better* names a method only if the adjusted
    p-value is at most 5 % and the interval of the median difference does not hold 0.

    Parameters
    ----------
    measures
        What is compared: 1 where more is better, −1 where less is.
    """
    rows: list[dict[str, Any]] = []
    for (data, model), mine in found[found["model"] != NO_MODEL].groupby(["data", "model"], sort=False):
        for measure, sign in measures.items():
            wide = mine.pivot(index="seed", columns="method", values=measure)
            pairs = {}
            for pair in combinations(mine["method"].unique(), 2):
                both = wide[list(pair)].dropna()
                if len(both):
                    pairs[pair] = both
            signed = {pair: [(-sign * both[name]).tolist() for name in pair] for pair, both in pairs.items()}
            tests = {pair: Paired.least(*values) for pair, values in signed.items()}
            adjusted = holm({pair: test.p for pair, test in tests.items()})
            for (one, other), both in pairs.items():
                test, difference = tests[one, other], both[one] - both[other]
                low, high = bootstrap(difference, seed=seed)
                clear = adjusted[one, other] <= LEVEL and not low <= 0 <= high
                rows.append(
                    {
                        "data": data,
                        "model": model,
                        "measure": measure,
                        "method": one,
                        "other": other,
                        "seeds": len(both),
                        "wins": test.wins,
                        "ties": test.ties,
                        "losses": test.losses,
                        "sign test": float(test.p),
                        "adjusted": float(adjusted[one, other]),
                        "median difference": float(np.median(difference)),
                        "low": low,
                        "high": high,
                        "better": (one if test.wins > test.losses else other) if clear else None,
                    }
                )
    return pd.DataFrame(rows)


def leaders(
    compared: pd.DataFrame, shown: pd.DataFrame, model: str, measure: str, sign: int, *, without: Collection[str] = ()
) -> list[str]:
    """Return the method of the best median, and behind it those that the seeds do not separate from it."""
    mine = shown[(shown["model"] == model) & (shown["measure"] == measure) & (shown["reached"] == shown["seeds"])]
    mine = mine[~mine["method"].isin(list(without))]
    by_median = mine.set_index("method")["median"].sort_values(ascending=sign < 0, kind="stable")
    first = str(by_median.index[0])
    pairs = compared[(compared["model"] == model) & (compared["measure"] == measure)]
    beaten = {
        {row["method"], row["other"]}.difference({first}).pop() for _, row in pairs[pairs["better"] == first].iterrows()
    }
    return [first, *(str(method) for method in by_median.index[1:] if method not in beaten)]


def kept(found: pd.DataFrame, measure: str, model: str, method: str) -> list[float]:
    """Return, seed by seed, the share that a release keeps of what the unchanged table adds to the majority's share."""
    wide = found.pivot(index="seed", columns=["model", "method"], values=measure)
    base = wide[NO_MODEL, MAJORITY]
    shares = (wide[model, method] - base) / (wide[NO_MODEL, UNCHANGED] - base)
    return [float(share) for share in shares]


def summary(
    data: DataSet,
    found: pd.DataFrame,
    shown: pd.DataFrame,
    compared: pd.DataFrame,
    of_pairs: pd.DataFrame,
    error: str,
    unlike: str,
    seed: int,
) -> str:
    """Return the answer for a data set: what the best releases keep, which methods made them, and how those differ."""
    mine, label = found[found["data"] == data.name], next(iter(names(data)))
    keep, least, by, wrong = [], [], [], []
    for model in (name for name in mine["model"].unique() if name != NO_MODEL):
        methods = set(mine.loc[mine["model"] == model, "method"])
        best = leaders(compared, shown, model, label, 1, without=[TWO_TABLES])
        keep.append(f"{_interval(kept(mine, label, model, best[0]), seed)} at {model}")
        by.append(f"{_either(best, len(methods - {TWO_TABLES}))} at {model}")
        best = leaders(compared, shown, model, error, -1)
        wrong.append(
            f"{_interval(_values(mine, error, model, best[0]), seed)} at {model} by {_either(best, len(methods))}"
        )
    for pair, rows in of_pairs[of_pairs["data"] == data.name].groupby("sensitive attributes", sort=False):
        listed = [f"{_cost(row)} ({row['criterion']})" for _, row in rows.iterrows() if _of_both(row["criterion"])]
        least.append(f"{', '.join(listed)} for {pair}")
    learnt, always = (_interval(_values(mine, label, NO_MODEL, method), seed, 1) for method in (UNCHANGED, MAJORITY))
    return (
        f"{data.name}: of what a classifier learns from the unchanged table ({learnt} of {data.label} right, "
        f"against {always} for always saying the most frequent one), the best generalization keeps "
        f"{_and(keep)}. Methods that made it, or that the paired comparison of {mine['seed'].nunique()} samples does "
        f"not separate from it: {'; '.join(by)}. The least median errors of counts are {'; '.join(wrong)}. {unlike} So "
        f"a classifier of {data.label} learns from {TWO_TABLES} what it learns from the unchanged table. Protecting "
        f"two sensitive attributes costs at least a GCP of {'; and of '.join(least)}. Medians have 95 % intervals; the "
        "GCP is over all nodes and has none."
    )


def _interval(values: list[float], seed: int, digits: int = 0) -> str:
    low, high = bootstrap(values, seed=seed)
    middle = float(np.median(values))
    return f"{100 * middle:.{digits}f} % ({100 * low:.{digits}f} to {100 * high:.{digits}f})"


def _values(found: pd.DataFrame, measure: str, model: str, method: str) -> list[float]:
    return [float(x) for x in found.loc[(found["model"] == model) & (found["method"] == method), measure]]


_FEW = 3


def _either(methods: list[str], of: int) -> str:
    """Name few methods, and of many only the number: one of them is best by its median alone."""
    if len(methods) > _FEW:
        return f"any of {len(methods)} of the {of} methods" if len(methods) < of else f"any of the {of} methods"
    return " or ".join(methods)


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _of_both(criterion: str) -> bool:
    """Say whether a criterion is about both attributes alike, not about one of them."""
    return " for " not in criterion or criterion.endswith((EACH, JOINTLY))


def _cost(row: pd.Series[Any]) -> str:
    return f"{row['least GCP']:.2f}" if row["nodes that satisfy it"] else "no table at all"
