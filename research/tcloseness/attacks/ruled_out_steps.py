"""What a minimal full-domain release says of one protected value: the posterior belief, by counting.

In each class at most the share p may have the value s. The attacker knows everybody's quasi-identifiers, the released
node, and that one step below it some class D has s in more than p of its records. The released classes C are
independent. The ways to place the n_s values s of C among its N records are the coefficients of z^n_s in

    all             Π_D Σ_j C(|D|, j) z^j
    none violates   Π_D Σ_{j ≤ p|D|} C(|D|, j) z^j
    some violates   the sum over D of the second product before D, Σ_{j > p|D|} C(|D|, j) z^j, and the first after it

so that P(some violates) and, for a person of D, P(she has s, and some violates) are sums and ratios of whole numbers,
in which nothing is subtracted. Each polynomial is multiplied as one large integer. Where these would be too long, the
coefficients are floating-point numbers whose errors are bounded, and beliefs are enclosed: a sum of products of n
positive numbers has a relative error below n·u/(1 − n·u), u = 2^-53 (Higham, "Accuracy and Stability of Numerical
Algorithms", 2nd ed., 2002, §3.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, zip_longest
from math import comb, floor
from typing import Any

import numpy as np

from tcloseness.attacks.counted_beliefs import BeliefChange, CountedBeliefs, Enclosure, asks_of_one_value
from tcloseness.attacks.disclosure import Fact, StatusCounts
from tcloseness.attacks.replay import require_one_secret
from tcloseness.displayed import counted
from tcloseness.errors import InputError, TableError
from tcloseness.exact import IntArray, decimal_text_of
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.release import Release

__all__ = ["ruled_out_steps"]

BITS = 960
"""In units of 2^-BITS are the coefficients that become floating-point numbers, and the products of enclosures."""

TILT = 16
"""Binomials are weighted by a rate in units of 2^-TILT, so that coefficients are probabilities."""

EXACT = 1_000_000
"""So many bits may a polynomial of whole numbers have; beyond, beliefs are enclosed."""

COUNTING = "what ruled-out steps say is counted"


def ruled_out_steps(
    release: Release | FullTable, model: PrivacyModel, *, time_limit: TimeLimit = None
) -> CountedBeliefs:
    """Return what it says of each person that the direct specializations of a full-domain release violate the model.

    P(s | some D violates) = P(s, some D violates) / P(some D violates), every way to place the values of a released
    class among its members being equally probable.

    Parameters
    ----------
    release
        A full-domain release without suppression, minimal under the model.
    model
        One that asks for k records and at most a share of one sensitive value in each class: `AlphaKAnonymity` with one
        of `values`.
    time_limit
        Seconds, or a running `tcloseness.limits.Clock`; looked at between two products of polynomials.

    Returns
    -------
    CountedBeliefs
        With the counts ``"persons"`` and ``"persons, by their class alone"``, a fact for each class one step below all
        of whose members are known to have, or not to have, the value, and a change for each class and step.

    Raises
    ------
    InputError
        For another model, or a release that is not minimal: a step cannot violate the model however the values are
        placed.
    TableError
        For weights, suppressed records or several sensitive attributes; for a release that is not one of whole levels.
    TimeLimitReached
        At the limit.

    Notes
    -----
    One step at a time: where several were ruled out by the sensitive values, what they say together is not counted, and
    persons whose value is not certain are open. A step that already class sizes rule out says nothing of anybody. What
    is certain is decided without counting, from the sizes. Whether the release is minimal is not checked here, see
    `minimality_attack`.

    References
    ----------
    Wong, Fu, Wang, Pei, "Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007, §3.

    Examples
    --------
    Both of two persons q1 are ill, and none of five q2. That the persons q1 could not be shown as a class says so:

    >>> import pandas as pd
    >>> from tcloseness.models import AlphaKAnonymity
    >>> frame = pd.DataFrame({"q": ["q1"] * 2 + ["q2"] * 5, "ill": ["hiv"] * 2 + ["flu"] * 5})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="q", sensitive="ill")
    >>> release = Release.full_domain(FrequencySet.of(table), {"q": Hierarchy.suppression(["q1", "q2"])}, {"q": 1})
    >>> found = ruled_out_steps(release, AlphaKAnonymity("1/2", 1, values=["hiv"]))
    >>> [(len(each.persons), str(each.before[0]), str(each.after[0].least)) for each in found.changes]
    [(2, '2/7', '1'), (5, '2/7', '0')]
    """
    clock = Clock.of(time_limit)
    asked = asks_of_one_value(model)
    if asked is None:
        raise InputError(
            "what a minimal release says is counted for k records and a share of one sensitive value, and "
            f"{model.name} asks for something else; give AlphaKAnonymity with one of values=, or a smaller table to "
            "what_it_gives_away, which goes through its originals"
        )
    k, share, value = asked
    release = in_shape(release, Release)
    table = release.rows_of
    require_one_secret(table)
    if release.suppressed or None in release.levels.values():
        raise TableError(
            "what ruled-out steps say is counted for a full-domain release without suppression, and this one "
            "suppresses records or recodes locally; give its method to what_it_gives_away with level='code'"
        )
    (column,) = table.sensitive
    has = np.zeros(len(table), dtype=bool)
    if value in column.domain:
        has = column.codes == column.domain.code(value)
    hierarchies = {name: each.hierarchy for name, each in release.recodings.items() if each.hierarchy is not None}
    levels = {name: level for name, level in release.levels.items() if level}
    upper = _classes(table, hierarchies, levels)
    steps = []
    for name, level in levels.items():
        clock.check(COUNTING)
        lower = _classes(table, hierarchies, {**levels, name: level - 1})
        if np.bincount(lower).min() < k:
            continue
        step = _Step(f"{name} at level {level - 1}", upper, lower, has, share)
        if not step.can_violate:
            raise InputError(
                f"the release is not minimal: {step.name} satisfies {model.name} however the values are placed, so it "
                "was not ruled out"
            )
        steps.append(step)
    return _found(table, upper, has, value, steps, clock)


def _classes(table: Microdata, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> IntArray:
    """Return the class of each record at a node."""
    raised = {name: level for name, level in levels.items() if level}
    used = {name: hierarchies[name] for name in raised}
    made = Release.full_domain(FrequencySet.of(table), used, raised).on_rows(table)
    if not made.recodings:
        return np.zeros(len(table), dtype=np.int64)
    codes = np.stack([made.codes[name] for name in made.recodings])
    return np.unique(codes, axis=1, return_inverse=True)[1].reshape(-1)


class _Step:
    """One specialization that the sensitive values ruled out: its classes within those of the release."""

    def __init__(self, name: str, upper: IntArray, lower: IntArray, has: Any, share: Fraction) -> None:
        self.name = name
        order = np.lexsort((lower, upper))
        starts = np.flatnonzero(np.diff(lower[order], prepend=-1))
        self.rows = np.split(order, starts[1:])
        above = upper[order][starts]
        self.within = np.split(np.arange(len(starts)), np.flatnonzero(np.diff(above)) + 1)
        self.sizes = [[len(self.rows[d]) for d in mine] for mine in self.within]
        self.having = [int(sum(has[self.rows[d]].sum() for d in mine)) for mine in self.within]
        self.caps = [[floor(size * share) for size in sizes] for sizes in self.sizes]

    @property
    def can_violate(self) -> bool:
        """Whether in some way to place the values a class violates the model."""
        each = zip(self.having, self.sizes, self.caps, strict=True)
        return any(min(size, n_s) > cap for n_s, sizes, caps in each for size, cap in zip(sizes, caps, strict=True))

    def changes(self, value: Any, clock: Clock) -> list[BeliefChange]:
        found = []
        beliefs = _beliefs(list(zip(self.having, self.sizes, self.caps, strict=True)), clock)
        for mine, n_s, sizes, after in zip(self.within, self.having, self.sizes, beliefs, strict=True):
            before = (Fraction(n_s, sum(sizes)),)
            found += [
                BeliefChange(self.rows[d], self.name, (value,), before, (belief,))
                for d, belief in zip(mine, after, strict=True)
            ]
        return found

    def settled(self) -> list[tuple[IntArray, bool]]:
        """Return the members of each class that are known to have the value, or known not to, by sizes alone.

        Somebody may have it if her released class has it and some class can violate beside that, and likewise lack it.
        """
        able = [
            [min(size, n_s) > cap for size, cap in zip(sizes, caps, strict=True)]
            for n_s, sizes, caps in zip(self.having, self.sizes, self.caps, strict=True)
        ]
        somewhere = sum(map(any, able))
        found = []
        for mine, n_s, sizes, caps, can in zip(self.within, self.having, self.sizes, self.caps, able, strict=True):
            if n_s in (0, sum(sizes)):
                continue  # the class alone says so
            elsewhere = somewhere > any(can)
            with_one_more = [cap + 1 <= min(size, n_s - 1) for size, cap in zip(sizes, caps, strict=True)]
            for place, (d, size, cap) in enumerate(zip(mine, sizes, caps, strict=True)):
                others = sum(can) > can[place]
                others_and_her = sum(with_one_more) > with_one_more[place]
                may_have = elsewhere or can[place] or others_and_her
                may_lack = elsewhere or others or cap + 1 <= min(size - 1, n_s)
                if may_have != may_lack:
                    found.append((self.rows[d], may_have))
        return found


def _found(
    table: Microdata, upper: IntArray, has: Any, value: Any, steps: Sequence[_Step], clock: Clock
) -> CountedBeliefs:
    (column,) = table.sensitive
    pairs = np.unique(np.stack([upper, column.codes]), axis=1)
    values = np.bincount(pairs[0])  # by released class
    others = np.zeros(len(values), dtype=np.int64)
    for group, code in pairs.T.tolist():
        others[group] += column.domain.values[code] != value
    alone = values[upper] == 1
    certain = alone.copy()
    facts: list[Fact] = []
    changes: list[BeliefChange] = []
    for step in steps:
        changes += step.changes(value, clock)
        for rows, having in step.settled():
            group = int(upper[rows[0]])
            if having or others[group] == 1:
                certain[rows] = True
            facts.append(_fact(column.name, step.name, rows, value, having))
    n, sure = len(table), int(certain.sum())
    left = n - sure
    possible = left if len(steps) <= 1 else 0
    found = CountedBeliefs(
        "minimal",
        {
            "quasi-identifiers": "those of everybody, and the class of each",
            "the method": "that its releases are minimal: each direct specialization violates the model, one at a time",
        },
        {
            "persons": StatusCounts(sure, possible, left - possible),
            "persons, by their class alone": StatusCounts(int(alone.sum()), n - int(alone.sum())),
        },
        tuple(sorted(facts, key=lambda fact: -fact.records)),
        (),
        "Wong et al. 2007, §3 (random worlds)",
        table.conventions,
        changes=tuple(changes),
    )
    return _with_sentences(found, len(steps))


def _fact(attribute: str, step: str, rows: IntArray, value: Any, having: bool) -> Fact:
    has = "has" if having else "does not have"
    proof = {"rule": "no other way to place the value violates the model", "step": step, "records": rows.tolist()}
    return Fact(
        "certain",
        f"{counted(len(rows), 'person')} of one class with {step}",
        attribute if having else f"not {attribute}",
        (value,) * (len(rows) if having else 1),
        len(rows),
        proof,
        f"Each of {counted(len(rows), 'person')} of one class with {step} {has} {attribute} {value_text(value)}: else "
        "that step would satisfy the model.",
    )


def _with_sentences(found: CountedBeliefs, steps: int) -> CountedBeliefs:
    persons, alone = found.counts["persons"], found.counts["persons, by their class alone"]
    points = decimal_text_of(100 * found.greatest_change, 3)
    return replace(
        found,
        sentences=(
            f"Of the tables one step finer than this one, {steps:,} broke the rule on sensitive values, and whoever "
            "knows that this table is minimal knows so.",
            f"This settles the value of {persons.certain:,} of {counted(persons.total, 'person')}, where the groups "
            f"alone settle that of {alone.certain:,}.",
            f"The probability that a person has the protected value changes by up to {points} percentage points.",
        ),
    )


# ---------------------------------------------------------------------- counting

_Class = tuple[int, Sequence[int], Sequence[int]]
"""A released class: how many of its records have s; the sizes of its classes one step below; the most of each."""


@dataclass(frozen=True)
class _Chances:
    """Of a released class: P(none violates), P(some does), and by class below the same with a given person having s."""

    none: Enclosure
    some: Enclosure
    has_none: list[Enclosure]
    has_some: list[Enclosure]


def _beliefs(classes: Sequence[_Class], clock: Clock) -> list[list[Enclosure]]:
    """Return by released class and class below P(a given person has s | some class violates)."""
    exact = all(sum(sizes) * min(n_s, sum(sizes)) <= EXACT for n_s, sizes, _ in classes)
    bits = None if exact else BITS
    found = [_chances(*each, exact, clock) for each in classes]
    ahead, behind = [(_ONE, _ZERO)], [(_ONE, _ZERO)]
    for each in found:
        ahead.append(_both(ahead[-1], (each.none, each.some), bits))
    for each in reversed(found):
        behind.append(_both(behind[-1], (each.none, each.some), bits))
    behind.reverse()
    some = ahead[-1][1]
    beliefs = []
    for place, each in enumerate(found):
        clock.check(COUNTING)
        _, elsewhere = _both(ahead[place], behind[place + 1], bits)
        beliefs.append(
            [
                _over(_plus(_times(none, elsewhere, bits), violated), some)
                for none, violated in zip(each.has_none, each.has_some, strict=True)
            ]
        )
    return beliefs


_ONE, _ZERO = Enclosure.of(Fraction(1)), Enclosure.of(Fraction(0))


def _both(
    a: tuple[Enclosure, Enclosure], b: tuple[Enclosure, Enclosure], bits: int | None
) -> tuple[Enclosure, Enclosure]:
    """Return P(none) and P(some) of two independent parts together."""
    return _times(a[0], b[0], bits), _plus(a[1], _times(a[0], b[1], bits))


def _plus(a: Enclosure, b: Enclosure) -> Enclosure:
    return Enclosure(a.least + b.least, a.most + b.most)


def _times(a: Enclosure, b: Enclosure, bits: int | None) -> Enclosure:
    least, most = a.least * b.least, a.most * b.most
    if bits is None:
        return Enclosure(least, most)
    return Enclosure(Fraction(floor(least * 2**bits), 2**bits), Fraction(-floor(-most * 2**bits), 2**bits))


def _over(part: Enclosure, whole: Enclosure) -> Enclosure:
    """Return a probability as a ratio."""
    most = part.most / whole.least if whole.least else Fraction(1)
    return Enclosure(min(part.least / whole.most, Fraction(1)), min(most, Fraction(1)))


def _chances(n_s: int, sizes: Sequence[int], caps: Sequence[int], exact: bool, clock: Clock) -> _Chances:
    records = sum(sizes)
    if n_s in (0, records):
        none = all(min(size, n_s) <= cap for size, cap in zip(sizes, caps, strict=True))
        chances = (_ONE, _ZERO) if none else (_ZERO, _ONE)
        has = [each if n_s else _ZERO for each in chances]
        return _Chances(*chances, [has[0]] * len(sizes), [has[1]] * len(sizes))
    ring: Any = _Whole(n_s, records) if exact else _Doubles(n_s, sizes)
    free = [ring.binomial(size) for size in sizes]
    fine = [each[: cap + 1] for each, cap in zip(free, caps, strict=True)]
    bad = [ring.above(each, cap) for each, cap in zip(free, caps, strict=True)]
    behind = [records - before for before in accumulate(sizes)]
    after = [ring.binomial(left) for left in behind]  # whatever the classes behind have
    ahead: list[tuple[Any, Any]] = [(ring.one, ring.zero)]
    for mine, worse, all_of_it in zip(fine, bad, free, strict=True):
        clock.check(COUNTING)
        none, some = ahead[-1]
        ahead.append((ring.times(none, mine), ring.plus(ring.times(some, all_of_it), ring.times(none, worse))))
    back: list[tuple[Any, Any]] = [(ring.one, ring.zero)]
    for mine, worse, rest in zip(reversed(fine), reversed(bad), reversed(after), strict=True):
        clock.check(COUNTING)
        none, some = back[-1]
        back.append((ring.times(mine, none), ring.plus(ring.times(mine, some), ring.times(worse, rest))))
    back.reverse()
    has_none, has_some = [], []
    for place, size in enumerate(sizes):
        clock.check(COUNTING)
        (none, some), (none_after, some_after) = ahead[place], back[place + 1]
        mine, worse, all_of_it = (ring.having(each) for each in (fine[place], bad[place], free[place]))
        kept = ring.times(none, mine)
        has_none.append(ring.share(ring.last(kept, none_after), size))
        violated = ring.plus(ring.times(some, all_of_it), ring.times(none, worse))
        has_some.append(ring.share(ring.last(violated, after[place]) + ring.last(kept, some_after), size))
    none, some = ahead[-1]
    return _Chances(ring.share(ring.last(none, ring.one)), ring.share(ring.last(some, ring.one)), has_none, has_some)


class _Whole:
    """Polynomials up to z^n_s, of whole numbers."""

    def __init__(self, n_s: int, records: int) -> None:
        self.n_s, self.every = n_s, comb(records, n_s)
        self.slot = (records + 2 * records.bit_length()) // 8 + 1
        self.one, self.zero = [1], [0]

    def binomial(self, size: int) -> list[int]:
        """Return C(size, j) for each j."""
        return [comb(size, j) for j in range(min(size, self.n_s) + 1)]

    def above(self, each: list[int], cap: int) -> list[int]:
        """Return a polynomial without the coefficients up to one."""
        return [0] * (cap + 1) + each[cap + 1 :] if len(each) > cap + 1 else [0]

    def having(self, each: list[int]) -> list[int]:
        """Return the coefficients, each times its j."""
        return [j * number for j, number in enumerate(each)]

    def plus(self, a: list[int], b: list[int]) -> list[int]:
        """Return the sum."""
        return [x + y for x, y in zip_longest(a, b, fillvalue=0)]

    def times(self, a: list[int], b: list[int]) -> list[int]:
        """Return the product, by one product of two integers with so many bytes for each coefficient."""
        size = len(a) + len(b) - 1
        raw = (self._packed(a) * self._packed(b)).to_bytes(self.slot * (size + 1), "little")
        pieces = (raw[self.slot * i : self.slot * (i + 1)] for i in range(min(size, self.n_s + 1)))
        return [int.from_bytes(piece, "little") for piece in pieces]

    def _packed(self, coefficients: list[int]) -> int:
        return int.from_bytes(b"".join(each.to_bytes(self.slot, "little") for each in coefficients), "little")

    def last(self, a: list[int], b: list[int]) -> int:
        """Return the coefficient of z^n_s of the product."""
        return sum(x * b[self.n_s - j] for j, x in enumerate(a) if self.n_s - j < len(b))

    def share(self, ways: int, size: int = 1) -> Enclosure:
        """Return the share of all ways, divided by a size."""
        return Enclosure.of(Fraction(ways, self.every * size))


class _Doubles:
    """Polynomials up to z^n_s, of floating-point numbers: the coefficients are weighted as r^j·(1 − r)^(m − j)."""

    def __init__(self, n_s: int, sizes: Sequence[int]) -> None:
        records = sum(sizes)
        self.n_s, self.rate = n_s, min(max(round(Fraction(n_s, records) * 2**TILT), 1), 2**TILT - 1)
        self.every = Fraction(self._weight(records, n_s), 2**BITS)
        self.relative = Fraction(8 * records + 32 * len(sizes) + 64, 2**53)  # of all sums on the way
        self.absolute = Fraction(8 * records, 2**BITS) / self.every  # of units of 2^-BITS; more than of underflow
        self.one, self.zero = np.ones(1), np.zeros(1)

    def binomial(self, size: int) -> Any:
        """Return C(size, j)·r^j·(1 − r)^(size − j) for each j, from the greatest downwards to both sides.

        There the ratio of neighbours is below 1, so that errors of rounding to 2^-BITS do not grow but add up.
        """
        most, other = min(size, self.n_s), 2**TILT - self.rate
        top = min((size + 1) * self.rate // 2**TILT, most)
        found = {top: self._weight(size, top)}
        for j in range(top, most):
            found[j + 1] = found[j] * (size - j) * self.rate // ((j + 1) * other)
        for j in range(top, 0, -1):
            found[j - 1] = found[j] * j * other // ((size - j + 1) * self.rate)
        return np.array([found[j] / 2**BITS for j in range(most + 1)])

    def _weight(self, size: int, j: int) -> int:
        exact: int = comb(size, j) * self.rate**j * (2**TILT - self.rate) ** (size - j)
        move = TILT * size - BITS
        return exact >> move if move > 0 else exact << -move

    def above(self, each: Any, cap: int) -> Any:
        """Return a polynomial without the coefficients up to one."""
        return np.where(np.arange(len(each)) > cap, each, 0.0)

    def having(self, each: Any) -> Any:
        """Return the coefficients, each times its j."""
        return each * np.arange(len(each))

    def plus(self, a: Any, b: Any) -> Any:
        """Return the sum."""
        found = np.zeros(max(len(a), len(b)))
        found[: len(a)] += a
        found[: len(b)] += b
        return found

    def times(self, a: Any, b: Any) -> Any:
        """Return the product."""
        return np.convolve(a, b)[: self.n_s + 1]

    def last(self, a: Any, b: Any) -> float:
        """Return the coefficient of z^n_s of the product."""
        j = np.arange(max(0, self.n_s - len(b) + 1), len(a))
        return float(a[j] @ b[self.n_s - j])

    def share(self, weight: float, size: int = 1) -> Enclosure:
        """Return what encloses the share of the weight of all ways, divided by a size."""
        number = Fraction(weight) / self.every / size
        least = max(number * (1 - self.relative) - self.absolute, Fraction())
        return Enclosure(least, number * (1 + self.relative) + self.absolute)
