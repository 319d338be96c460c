"""What is measured of each class in an audit, as a fraction of whole numbers; and which class is worst.

For a class of n records, n_v of them with the value v, r_1 ≥ … ≥ r_m its counts in falling order, and Q the counts of
all N records, least or greatest is the worst:

* ``records``: n, least
* ``values``: how many n_v are positive, least
* ``entropy``: exp(−Σ n_v/n·ln n_v/n), least, to nine decimals, rounded down
* ``tail``: r_1/(r_l + … + r_m), greatest; infinite if that is 0, and 0 for l = 1
* ``commonest``: n/r_1, least
* ``share``: n_v/n, greatest of all values or those that are listed
* ``gain``: n_v·N/(n·Q_v) − 1, greatest
* ``ratio``: n_v·N/(n·Q_v) or its reciprocal, greatest over the values with Q_v > 0; infinite for a value that is absent
  or, where that is left out, of those that are there
* ``distance``: Σ_S w_S·|n(S)/n − Q(S)/N|, greatest
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.certificates.conditions import Conditions, asked_places, cut_sums
from tcloseness.certificates.grounds import cuts_of
from tcloseness.errors import InputError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.strict_records import cells, fields, shown, whole

__all__ = ["DECIMALS", "MEASURE_KEYS", "Measure", "entropies_below"]

DECIMALS = 10**9
"""Entropies are given in units of one over it."""


class Measure:
    """A measure of classes.

    Parameters
    ----------
    record
        Its name as ``measure``, and what else it takes.
    conditions
        The values and the reference.

    Attributes
    ----------
    kind
        The name.
    least
        Whether the least value is the worst.

    Raises
    ------
    InputError
        If it is not one of those above.
    """

    def __init__(self, record: Mapping[str, Any], conditions: Conditions) -> None:
        kind = record.get("measure")
        if type(kind) is not str or kind not in _KINDS:
            raise InputError(f"the measure is {shown(kind)}; it is one of {', '.join(_KINDS)}")
        self.kind, self._conditions = kind, conditions
        keys, self.least, make = _KINDS[kind]
        self._of = make(fields(record, ("measure", *keys), "a measure"), conditions)

    def worst(self, blocks: Iterable[IntArray]) -> tuple[int, int]:
        """Return the worst value of the classes, above and below the line, which is 0 for an infinite one.

        Raises
        ------
        InputError
            If that would take too long.
        """
        worst: tuple[int, int] | None = None
        for counts in blocks:
            if len(counts):
                self._conditions.work.spend(1000 + 20 * counts.size, "the measures of classes")
                above, below = self._of(counts, counts.sum(axis=1))
                found = _greatest(below, above) if self.least else _greatest(above, below)
                here = (int(above[found]), int(below[found]))
                if worst is None or self._is_worse(here, worst):
                    worst = here
        if worst is None:
            raise InputError("there is no class")
        return worst

    def _is_worse(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        difference = one[0] * other[1] - other[0] * one[1]
        return difference < 0 if self.least else difference > 0


def _greatest(above: IntArray, below: IntArray) -> int:
    """Return the place of a greatest fraction; one with 0 below the line is infinite, and none has 0 on both sides."""
    places = np.arange(len(above))
    if int(above.max()) * int(below.max()) > INT64_MAX:
        above, below = above.astype(object), below.astype(object)
    while len(places) > 1:
        half = len(places) // 2
        one, other = places[:half], places[half : 2 * half]
        better = above[one] * below[other] >= above[other] * below[one]
        places = np.concatenate([np.where(better, one, other), places[2 * half :]])
    return int(places[0])


def entropies_below(effective: Fraction, blocks: Iterable[IntArray], conditions: Conditions) -> bool:
    """Say whether a class has exp(H) below a number."""
    number = f"{effective.numerator}/{effective.denominator}".removesuffix("/1")
    asked = Conditions([{"condition": "entropy", "l": number}], conditions.values, conditions.reference.tolist())
    asked.work = conditions.work
    return any(asked.violating(block).any() for block in blocks)


# ---------------------------------------------------------------------- each


def _ones(sizes: IntArray) -> IntArray:
    return np.ones_like(sizes)


def _records(_: Mapping[str, Any], __: Conditions) -> Any:
    return lambda counts, sizes: (sizes, _ones(sizes))


def _values(_: Mapping[str, Any], __: Conditions) -> Any:
    return lambda counts, sizes: ((counts > 0).sum(axis=1), _ones(sizes))


def _tail(record: Mapping[str, Any], _: Conditions) -> Any:
    rank = whole(record["l"], "l", least=1)

    def of(counts: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray]:
        if rank == 1:
            return np.zeros_like(sizes), _ones(sizes)
        falling = -np.sort(-counts, axis=1)
        return falling[:, 0], falling[:, rank - 1 :].sum(axis=1)

    return of


def _commonest(_: Mapping[str, Any], __: Conditions) -> Any:
    return lambda counts, sizes: (sizes, counts.max(axis=1))


def _share(record: Mapping[str, Any], conditions: Conditions) -> Any:
    asked = asked_places(record["values"], conditions)
    return lambda counts, sizes: (counts[:, asked].max(axis=1, initial=0), sizes)


def _ratios(counts: IntArray, sizes: IntArray, conditions: Conditions) -> tuple[IntArray, IntArray]:
    """Return n_v·N and n·Q_v."""
    reference, total = conditions.reference, int(conditions.reference.sum())
    fits = total * int(sizes.max()) <= INT64_MAX
    kind: Any = np.int64 if fits else object
    conditions.work.spend(4 * cells(0 if fits else 100) * counts.size, "the ratios of each class")
    return counts.astype(kind) * total, sizes.astype(kind)[:, None] * reference.astype(kind)


def _gain(_: Mapping[str, Any], conditions: Conditions) -> Any:
    def of(counts: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray]:
        above, below = _ratios(counts, sizes, conditions)
        apart = above > below  # some value is, unless all gains are 0
        above, below = above[apart], below[apart]
        if not len(above):
            return np.zeros_like(sizes), _ones(sizes)
        return np.where(below == 0, 1, above - below), below

    return of


def _ratio(record: Mapping[str, Any], conditions: Conditions) -> Any:
    if record["absent"] not in ("infinite", "skipped"):
        raise InputError(f"absent is {shown(record['absent'])}; it is 'infinite' or 'skipped'")

    def of(counts: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray]:
        above, below = _ratios(counts, sizes, conditions)
        asked = above > 0 if record["absent"] == "skipped" else (above > 0) | (below > 0)
        above, below = above[asked], below[asked]
        return np.maximum(above, below), np.minimum(above, below)

    return of


def _distance(record: Mapping[str, Any], conditions: Conditions) -> Any:
    total = int(conditions.reference.sum())
    cuts = cuts_of(record["ground"], len(conditions.reference))
    _, sets, denominator = cuts
    factor = 2 * max(sum(weight for *_, weight in sets), denominator) * total

    def of(counts: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray]:
        own, size = cut_sums(counts, sizes, conditions, cuts, factor * int(sizes.max()))
        return own, size * (denominator * total)

    return of


_KINDS: dict[str, tuple[Sequence[str], bool, Any]] = {
    "records": ((), True, _records),
    "values": ((), True, _values),
    "tail": (("l",), False, _tail),
    "commonest": ((), True, _commonest),
    "share": (("values",), False, _share),
    "gain": ((), False, _gain),
    "ratio": (("absent",), False, _ratio),
    "distance": (("ground",), False, _distance),
}
"""By name: the further keys, whether the least value is the worst, and what makes the two sides of fractions, at least
one for each class or the worst of them all."""

MEASURE_KEYS = {name: tuple(keys) for name, (keys, *_) in _KINDS.items()} | {"entropy": ()}
"""By name, what a measure takes."""
