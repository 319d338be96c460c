"""What a model asks of each class, decided on counts in whole numbers.

Each condition is a JSON object; for a class of n records, n_v of them with the value v, Q the counts of all N records:

* ``records``: n ≥ least
* ``values``: at least so many n_v are positive
* ``entropy``: −Σ n_v/n·ln n_v/n ≥ ln l, as Π n_v^n_v · l^n ≤ n^n
* ``tail``: r_1 < c·(r_l + … + r_m), the counts in falling order
* ``share``: n_v ≤ most·n, for all values or those that are listed
* ``gain``: n_v/n ≤ (1 + most)·Q_v/N
* ``distance``: Σ_S w_S·|n(S)/n − Q(S)/N| ≤ t, over the sets S that give the ground distance; they are laminar
* ``trusted``: what a function of the user's own says of the counts, Q and a number; it is run only if it is trusted

Each but the last is monotone: what two classes satisfy, their union does (``proofs_tests/coq``, for tables of any
size). Of the last whoever trusts the function must know it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tcloseness.certificates.grounds import Cuts, cuts_of, positive
from tcloseness.errors import InputError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.strict_records import (
    Work,
    canonical_fraction,
    cells,
    fields,
    listed,
    shown,
    text,
    whole,
)

__all__ = [
    "CONDITION_KEYS",
    "MOST_WORK",
    "Conditions",
    "Trusted",
    "asked_places",
    "cut_sums",
    "described",
]

_MOST_RECORDS = 2**53
MOST_WORK = 1e11
"""Of all that is decided for one certificate; some minutes."""
_LOG_BITS, _FINE_BITS = 32, 160
"""Binary digits behind the point of a logarithm; on the way to it the number has 64 more."""
_LOG_WORK, _FINE_WORK = 5000, 40_000
_SHOWN = 100
Trusted: TypeAlias = Mapping[str, tuple[Callable[..., object], str]]
"""Functions of the user's own that may be run, by ``module:name``, each with the sha256 of its module's source. One is
called with the counts of a class and those of the reference, as tuples of whole numbers, and a `Fraction`, and returns
whether the class satisfies."""

TRUSTED = "trusted"
"""The kind of condition that such a function decides."""


class Conditions:
    """The conditions of a model, over a sensitive attribute.

    Parameters
    ----------
    model
        The conditions as they are written.
    values
        The values of the sensitive attribute as the certificate lists them; a count is of the value of its place.
    reference
        Shape (m,): how many of all records have each.
    trusted
        The functions that conditions of the kind ``trusted`` may run.

    Attributes
    ----------
    each
        Each condition with what says of classes, by their counts and sizes, whether they break it.

    Raises
    ------
    InputError
        If a condition is not one of those above.
    """

    def __init__(
        self,
        model: Sequence[Mapping[str, Any]],
        values: Sequence[str],
        reference: Sequence[int],
        trusted: Trusted = MappingProxyType({}),
    ) -> None:
        self.model = tuple(model)
        self.values, self.reference = tuple(values), np.array(reference, dtype=np.int64)
        self.work, self.trusted = Work(MOST_WORK), trusted
        self._cuts: dict[int, Cuts] = {}
        self.each: list[tuple[Mapping[str, Any], Any]] = []
        for i, record in enumerate(model):
            kind = record.get("condition")
            if type(kind) is not str or kind not in _KINDS:
                raise InputError(f"model[{i}] asks for {shown(kind)}; a condition is one of {', '.join(_KINDS)}")
            keys, make = _KINDS[kind]
            self.each.append((record, make(fields(record, ("condition", *keys), f"model[{i}]"), self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Conditions, (self.model, self.values, self.reference.tolist(), dict(self.trusted))

    def cuts(self, record: Mapping[str, Any]) -> Cuts:
        """Return the sets of a distance of the model, see `cuts_of`; made once, however large its ground is."""
        if id(record) not in self._cuts:
            self._cuts[id(record)] = cuts_of(record["ground"], len(self.reference))
        return self._cuts[id(record)]

    def violating(self, counts: IntArray) -> npt.NDArray[np.bool_]:
        """Say of each class whether it breaks a condition.

        Parameters
        ----------
        counts
            Shape (classes, m), int64; no class is empty.

        Raises
        ------
        InputError
            If that would take too long.
        """
        sizes = counts.sum(axis=1)
        bad = np.zeros(len(counts), dtype=np.bool_)
        for _, check in self.each:
            left = np.flatnonzero(~bad)
            if not len(left):
                break
            self.work.spend(1000 + 5 * counts[left].size, "what is asked of each class")
            bad[left] = check(counts[left], sizes[left])
        return bad


def _records(record: Mapping[str, Any], _: Conditions) -> Any:
    least = whole(record["least"], "least", least=1, most=_MOST_RECORDS)
    return lambda counts, sizes: sizes < least


def _values(record: Mapping[str, Any], _: Conditions) -> Any:
    least = whole(record["least"], "least", least=1, most=_MOST_RECORDS)
    return lambda counts, sizes: (counts > 0).sum(axis=1) < least


def _entropy(record: Mapping[str, Any], conditions: Conditions) -> Any:
    """Decide by whole logarithms, what they leave open by finer ones, and what these leave open by the powers."""
    above, below = positive(record["l"], "l").as_integer_ratio()
    log_of: dict[int, int] = {}
    known: dict[tuple[int, ...], bool] = {}

    def logs(numbers: IntArray, kind: Any) -> IntArray:
        found, places = np.unique(numbers, return_inverse=True)
        new = [number for number in found.tolist() if number not in log_of]
        conditions.work.spend(_LOG_WORK * len(new), "the logarithms of counts")
        log_of.update((number, _log(max(number, 1))) for number in new)  # 0·log 0 = 0
        of_found = np.array([log_of[number] for number in found.tolist()], dtype=kind)
        return np.asarray(of_found[places].reshape(numbers.shape))

    def violates(row: Sequence[int], size: int) -> bool:
        common = math.gcd(*row)  # the powers of counts that are all so many times as great are those, so often
        alike = tuple(sorted(count // common for count in row if count))
        if alike not in known:
            known[alike] = decided(alike, size // common)
        return known[alike]

    def decided(row: Sequence[int], size: int) -> bool:
        conditions.work.spend(_FINE_WORK * (3 + len(row)), "the entropy of a class")
        least = _log(above, _FINE_BITS) - _log(below, _FINE_BITS)
        excess = size * (_log(size, _FINE_BITS) - least) - sum(count * _log(count, _FINE_BITS) for count in row)
        return excess < 0 if abs(excess) >= 4 * size else by_powers(row, size)

    def by_powers(row: Sequence[int], size: int) -> bool:
        bits = size * max(above.bit_length(), below.bit_length(), size.bit_length())
        powers = 2 + len(row)
        conditions.work.spend(powers * (100 + 10 * (bits / 30) ** 1.6), "the entropy of a class")
        power = above**size
        for count in row:
            power *= count**count
        return bool(power > size**size * below**size)

    asked = _log(above) - _log(below)

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        conditions.work.spend(75 * counts.size, "the entropy of each class")
        greatest = int(sizes.max(initial=1))
        fits = greatest * (_log(greatest) + abs(asked) + 8) <= INT64_MAX
        kind: Any = np.int64 if fits else object
        numbers, n = counts.astype(kind), sizes.astype(kind)
        excess = n * (logs(sizes, kind) - asked) - (numbers * logs(counts, kind)).sum(axis=1)
        bad = np.asarray(excess < 0, dtype=np.bool_)
        for g in np.flatnonzero(np.abs(excess) < 4 * n).tolist():  # each logarithm is less than 2 too small
            bad[g] = violates(counts[g].tolist(), int(sizes[g]))
        return bad

    return violating


def _log(number: int, bits: int = _LOG_BITS) -> int:
    """Return a whole number that log₂ of a number ≥ 1, times 2^bits, exceeds by less than 2: one bit after another."""
    exponent, places = number.bit_length() - 1, bits + 64
    shift = exponent - places
    rest, found = number >> shift if shift > 0 else number << -shift, exponent
    for _ in range(bits):
        rest = rest * rest >> places
        bit = rest >> (places + 1)
        rest, found = rest >> bit, 2 * found + bit
    return found


def _tail(record: Mapping[str, Any], _: Conditions) -> Any:
    rank = whole(record["l"], "l", least=1, most=_MOST_RECORDS)
    above, below = positive(record["c"], "c").as_integer_ratio()

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        if rank == 1:
            return np.zeros(len(counts), dtype=np.bool_)
        falling = -np.sort(-counts, axis=1)
        first, tail = falling[:, 0], falling[:, rank - 1 :].sum(axis=1)
        return _times(first, below) >= _times(tail, above)

    return violating


def asked_places(given: object, conditions: Conditions) -> Any:
    """Return the places of the values that a share is asked of; all for None."""
    if given is None:
        return slice(None)
    places = {value: place for place, value in enumerate(conditions.values)}
    named = [text(value, "values[]") for value in listed(given, "values", least=1)]
    return [places[value] for value in named if value in places]


def _share(record: Mapping[str, Any], conditions: Conditions) -> Any:
    above, below = positive(record["most"], "most").as_integer_ratio()
    asked = asked_places(record["values"], conditions)

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        most = counts[:, asked].max(axis=1, initial=0)
        return _times(most, below) > _times(sizes, above)

    return violating


def _gain(record: Mapping[str, Any], conditions: Conditions) -> Any:
    above, below = (1 + canonical_fraction(record["most"], "most")).as_integer_ratio()
    if above < below:
        raise InputError(f"most is {shown(record['most'])}; it must not be negative")
    reference, total = conditions.reference, int(conditions.reference.sum())
    step = 2 * cells(100 + above.bit_length())

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        conditions.work.spend(step * counts.size, "the gain of each value")
        gained = _times(counts, below * total)
        allowed = _times(sizes, above)[:, None] * reference.astype(object)
        return (gained > allowed).any(axis=1)

    return violating


def cut_sums(
    counts: IntArray, sizes: IntArray, conditions: Conditions, cuts: Cuts, largest: int
) -> tuple[IntArray, IntArray]:
    """Return of each class Σ_S w_S·|N·n(S) − n·Q(S)|, and n, as numbers that have room for `largest`."""
    reference, total = conditions.reference, int(conditions.reference.sum())
    order, sets, _ = cuts
    fits = largest <= INT64_MAX
    kind, step = (np.int64, cells(0)) if fits else (object, cells(100 + largest.bit_length()))
    conditions.work.spend((len(sets) + counts.shape[1]) * (500 + step * len(counts)), "the distances of classes")
    prefix = np.zeros((len(counts), len(reference) + 1), dtype=kind)
    prefix[:, 1:] = np.cumsum(counts[:, order], axis=1)
    prefix *= total
    behind = np.concatenate([[0], np.cumsum(reference[order])]).astype(kind)
    own, size = np.zeros(len(counts), dtype=kind), sizes.astype(kind)
    for low, high, weight in sets:
        own += weight * abs(prefix[:, high] - prefix[:, low] - size * (behind[high] - behind[low]))
    return own, size


def _distance(record: Mapping[str, Any], conditions: Conditions) -> Any:
    t = canonical_fraction(record["t"], "t")
    if t < 0:
        raise InputError(f"t is {shown(record['t'])}; it must not be negative")
    total = int(conditions.reference.sum())
    cuts = conditions.cuts(record)
    _, sets, denominator = cuts
    whole_weight = max(sum(weight for *_, weight in sets), 1)
    factor = max(2 * whole_weight * t.denominator, t.numerator * denominator) * total

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        own, size = cut_sums(counts, sizes, conditions, cuts, factor * int(sizes.max(initial=0)))
        return own * t.denominator > size * (t.numerator * denominator * total)

    return violating


def _trusted(record: Mapping[str, Any], conditions: Conditions) -> Any:
    name, number = text(record["function"], "function"), canonical_fraction(record["number"], "number")
    if name not in conditions.trusted:
        raise InputError(
            f"a condition is decided by {name!r}, code of somebody's own, which is run only if you trust it (--trust "
            f"{name}; trusted= in Python)"
        )
    function, source = conditions.trusted[name]
    if source != text(record["source_sha256"], "source_sha256"):
        raise InputError(f"the source of {name!r} is another than the one that is certified (sha256 {source})")
    reference = tuple(conditions.reference.tolist())

    def satisfied(row: tuple[int, ...]) -> bool:
        try:
            found = function(row, reference, number)
        except Exception as error:
            raise InputError(
                f"the trusted function {name!r} fails by itself ({type(error).__name__}: {error})"
            ) from error
        if type(found) is not bool:
            raise InputError(f"the trusted function {name!r} returns {shown(found)}; it must return True or False")
        return found

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        return np.array([not satisfied(tuple(row)) for row in counts.tolist()], dtype=np.bool_)

    return violating


_KINDS: dict[str, tuple[tuple[str, ...], Any]] = {
    "records": (("least",), _records),
    "values": (("least",), _values),
    "entropy": (("l",), _entropy),
    "tail": (("l", "c"), _tail),
    "share": (("most", "values"), _share),
    "gain": (("most",), _gain),
    "distance": (("t", "ground"), _distance),
    TRUSTED: (("function", "source_sha256", "number"), _trusted),
}

CONDITION_KEYS = {name: keys for name, (keys, _) in _KINDS.items() if name != TRUSTED}
"""By name, what a condition takes that the checkers know by themselves."""


def _times(numbers: IntArray, factor: int) -> IntArray:
    """Multiply exactly."""
    if factor * max(int(numbers.max(initial=0)), 1) <= INT64_MAX:
        return numbers * factor
    return numbers.astype(object) * factor


def described(record: Mapping[str, Any], values: Sequence[str] = ()) -> str:
    """Return a condition that was checked as people read it; `values` is what it speaks of, in their order, if said.

    >>> described({"condition": "distance", "t": "1/5", "ground": {"name": "ordered", "m": 2}}, ["text:a", "text:b"])
    'EMD ≤ 1/5 by the ordered distance over text:a, text:b'
    """
    if record["condition"] == "distance":
        ground = record["ground"]
        asked = f"EMD ≤ {record['t']} by the {ground['name']} distance"
        if ground["name"] == "equal" or not values:
            return asked
        over = list(values)
        if ground["name"] == "ordered-by-value":
            over = [f"{value} as {number}" for value, number in zip(values, ground["values"], strict=True)]
        if ground["name"] == "hierarchical":
            paths = (ground["paths"][row] for row in ground["values"])
            over = [f"{value} as {' < '.join(path)}" for value, path in zip(values, paths, strict=True)]
        more = ", …" if len(over) > _SHOWN else ""
        return f"{asked} over {', '.join(over[:_SHOWN])}{more}"
    if record["condition"] == "share":
        of = "a value" if record["values"] is None else " or ".join(record["values"])
        return f"at most {record['most']} of the records have {of}"
    return {
        "records": "at least {least} record" + ("" if record.get("least") == 1 else "s"),
        "values": "at least {least} different value" + ("" if record.get("least") == 1 else "s"),
        "entropy": "entropy ≥ ln {l}",
        "tail": "r₁ < {c}·(r_{l} + … + r_m)",
        "gain": "p ≤ (1 + {most})·q",
        TRUSTED: "what {function} says with {number}, which is trusted (source {source_sha256:.12})",
    }[record["condition"]].format(**record)
