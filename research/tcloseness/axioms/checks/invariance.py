"""What must not change a distance: names of values, values without records, vanishing masses, the number of records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from tcloseness.axioms.checker import Checker, Vectors
from tcloseness.axioms.function import BoundFunction, raised
from tcloseness.axioms.grounds import extended, isometries, permuted
from tcloseness.axioms.laws import Claim, Law, Named, Vector, counterexample
from tcloseness.axioms.search import grid
from tcloseness.axioms.values import NoNumber, Value, as_value, difference_sign
from tcloseness.axioms.verdict import Check, CheckVerdict, Counterexample, Fails, Holds, NotApplicable
from tcloseness.ground import GroundDistance
from tcloseness.microdata import ClassCounts, Domain

__all__ = ["CHECKS", "differs_by_class"]

F = Fraction


# ---------------------------------------------------------------------- relabelling


def _orders(m: int) -> list[tuple[int, ...]]:
    """Return relabellings: all for m ≤ 4, else the reversal, a rotation and the exchanges of neighbours."""
    if m <= 4:
        return list(itertools.permutations(range(m)))[1:]
    exchanged = [(*range(k), k + 1, k, *range(k + 2, m)) for k in range(m - 1)]
    return [tuple(reversed(range(m))), (*range(1, m), 0), *exchanged]


def _relabellings(d: BoundFunction) -> list[tuple[Sequence[int], BoundFunction]]:
    orders = _orders(d.m)
    if not d.under_test.takes_ground:
        return [(order, d) for order in isometries(d.ground, orders)]
    return [(order, d.under_test.under(permuted(d.ground, order))) for order in orders]


def _relabelled(d: BoundFunction, case: tuple[Sequence[int], BoundFunction], p: Named, q: Named) -> Claim:
    order, there = case
    p_, q_ = (Named(f"{v.name}_", tuple(v.masses[i] for i in order)) for v in (p, q))
    return d(p, q).equals(there(p_, q_))


def _relabelling(checker: Checker) -> CheckVerdict:
    if not _relabellings(checker.over(checker.sizes[0])):
        return NotApplicable("it takes no ground distance, and no relabelling keeps the distances of this one")
    return checker.test(Law(("P", "Q"), _relabelled, cases=_relabellings))


# ---------------------------------------------------------------------- a value that never occurs


def _with_one_more(d: BoundFunction) -> Iterator[tuple[BoundFunction, int, Fraction, Fraction]]:
    """Yield the function over one value more, where that is, and by what factors the distances may change."""
    function, m = d.under_test, d.m
    if function.takes_ground:
        for beside in (0, m - 1):
            yield function.under(extended(d.ground, beside, F(1, 2))), m, F(1), F(1)
        return
    larger = function.family.over(m + 1)
    if larger is not None and function.kind != "bound measure":
        for place in (m, 0):
            yield function.over(m + 1), place, *_change(d.ground, larger, place)


def _change(ground: GroundDistance, larger: GroundDistance, place: int) -> tuple[Fraction, Fraction]:
    """Return by what factors the distances of the old values change, 1 among them (a measure may not look at them)."""
    old = [i for i in range(larger.m) if i != place]
    factors = {F(1)}
    for i, j in itertools.combinations(range(ground.m), 2):
        if ground.distance(i, j):
            factors.add(larger.distance(old[i], old[j]) / ground.distance(i, j))
    return min(factors), max(factors)


def _absent(
    d: BoundFunction, case: tuple[BoundFunction, int, Fraction, Fraction], p: Named, q: Named, *, upper: bool
) -> Claim:
    larger, place, least, most = case
    p0, q0 = (Named(f"{v.name}0", (*v.masses[:place], 0 * v.masses[0], *v.masses[place:])) for v in (p, q))
    before, after = d(p, q), larger(p0, q0)
    if least == most == 1:
        return before.equals(after)
    return after <= most * before if upper else least * before <= after


def _absent_value(checker: Checker) -> CheckVerdict:
    first = next(_with_one_more(checker.over(checker.sizes[0])), None)
    if first is None:
        return NotApplicable("it is bound to its domain, which has no further value")
    remark = "one more value, before the first or after the last"
    if checker.function.takes_ground:
        remark = "one more value, half a unit past the first or the last"
    answers: list[Holds] = []
    for upper in (False, True):

        def claim(d: BoundFunction, case: Any, p: Named, q: Named, upper: bool = upper) -> Claim:
            return _absent(d, case, p, q, upper=upper)

        checker.tried = 0
        found = checker.test(Law(("P", "Q"), claim, cases=_with_one_more), remark=remark)
        if not isinstance(found, Holds):
            return found
        answers.append(found)
        if first[2] == first[3] == 1:  # an equation, which both are
            break
    return min(answers, key=lambda answer: answer.proved or 0)


# ---------------------------------------------------------------------- a mass that vanishes

_STEPS = tuple(F(1, 10**k) for k in (3, 6, 9))


def _vanishing(checker: Checker) -> CheckVerdict:
    """Compare D at P with D at (1 − ε)·P + ε·[i] for falling ε, for a value i that P lacks and Q has."""

    def trial(vectors: Vectors) -> Counterexample | None:
        p, q = vectors
        d = checker.over(len(p))
        for i in range(len(p)):
            if p[i] or not q[i]:
                continue
            near = [tuple((1 - e) * x + e * (k == i) for k, x in enumerate(p)) for e in _STEPS]
            found = [d.value(v, q) for v in (p, *near)]
            values = [x.double for x in found if isinstance(x, Value)]
            if len(values) < len(found):
                continue
            checker.tried += 1
            if not _continuous(values[0], values[1:]):
                return _jump(d, p, q, near[-1], values)
        return None

    return checker.search(trial, 2, checker.sizes)


def _continuous(at: float, near: list[float]) -> bool:
    """Say whether the values go to that at 0: their gaps fall at least to a quarter, or they grow without end."""
    if math.isinf(at):
        first, second, third = near
        return math.isinf(third) or third - second >= abs(third - first) / 4 > 0
    gaps = [abs(x - at) for x in near]
    return not math.isinf(gaps[-1]) and (gaps[-1] <= 2.0**-20 or gaps[-1] <= gaps[0] / 4)


def _jump(d: BoundFunction, p: Vector, q: Vector, near: Vector, values: list[float]) -> Counterexample:
    at, close, reference = Named("P", p), Named("P_near", near), Named("Q", q)
    first, last = f"{values[0]:.6g}", f"{values[-1]:.6g}"
    return counterexample(
        d,
        (at, close, reference),
        f"D(P, Q) = {first}, but {last} with 10⁻⁹ of the mass on the value that P lacks",
        f"assert abs(float({d.code(at, reference)}) - float({d.code(close, reference)})) < 2**-20",
        values={"D(P, Q)": first, "D(P_near, Q)": last},
    )


# ---------------------------------------------------------------------- counts


def _scale_of_counts(checker: Checker) -> CheckVerdict:
    """Compare `per_class` of counts, of 3 and 10⁶ times the counts, with `distance` of the distributions."""
    if not checker.function.is_measure:
        return NotApplicable("it takes distributions, and no counts")
    for m in checker.sizes[:2]:
        d = checker.over(m)
        for p, q in itertools.islice(grid(m, 2), 0, 240, 3):
            if any(a and not b for a, b in zip(p, q, strict=True)) or len(set(q)) == 1 == m:
                continue
            for factor in (1, 3, 10**6):
                checker.tried += 1
                if wrong := differs_by_class(d, _matrix(p, q, factor)):
                    return Fails(wrong)
    return Holds(checker.tried)


def _matrix(p: Vector, q: Vector, factor: int) -> list[list[int]]:
    """Return counts, shape (m, 2): a class with distribution P in a table with distribution Q."""
    n = math.lcm(*(x.denominator for x in p))
    total = n * math.lcm(*(x.denominator for x in q))
    while any(b * total < a * n for a, b in zip(p, q, strict=True)):  # the rest of the table cannot be negative
        total *= 2
    if all(b * total == a * n for a, b in zip(p, q, strict=True)):
        total *= 2
    return [[int(a * n) * factor, int(b * total - a * n) * factor] for a, b in zip(p, q, strict=True)]


def differs_by_class(d: BoundFunction, matrix: list[list[int]]) -> Counterexample | None:
    """Compare `per_class` for the first class of a table with `distance` of its distribution.

    Parameters
    ----------
    matrix
        Shape (m, classes): the counts.
    """
    first, whole = [row[0] for row in matrix], [sum(row) for row in matrix]
    p = tuple(F(c, sum(first)) for c in first)
    q = tuple(F(c, sum(whole)) for c in whole)
    expected, found = d.value(p, q), _of_class(d, matrix)
    if isinstance(expected, NoNumber) or (isinstance(found, Value) and not difference_sign(expected, found)):
        return None
    said = f"gives {found}" if isinstance(found, Value) else found
    named = Named("P", p), Named("Q", q)
    call = d.code(*named)
    return counterexample(
        d,
        named,
        f"D(P, Q) = {expected}, and per_class {said} for the first of the classes with counts {matrix}",
        f"classes = tc.ClassCounts.from_matrix({matrix}, domain=tc.Domain.declare(range({d.m})))",
        f"of_class = {call.removesuffix('.distance(P, Q)')}.per_class(classes)[0]",
        f"assert abs(float(of_class) - float({call})) <= 2**-24",
        values={"D(P, Q)": str(expected)},
    )


def _of_class(d: BoundFunction, matrix: list[list[int]]) -> Value | str:
    """Return the distance of the first class from the table, by `per_class`; or what is wrong with it."""
    try:
        classes = ClassCounts.from_matrix(matrix, domain=Domain.declare(range(d.m)))
        found = as_value(d.measure.per_class(classes)[0])
    except Exception as error:  # noqa: BLE001 (whatever a measure raises is an answer to report)
        return raised(error)
    return "is not a real number" if found is None else found


_values = partial(Check, group="values")

CHECKS = (
    _values(
        "relabelling",
        "renaming the values changes nothing, if their ground distances go along",
        "Li et al. 2007, §4 (only the ground distance knows the values)",
        "the result depends on how the values are sorted or coded, or on the order of the rows",
        _relabelling,
    ),
    _values(
        "absent-value",
        "a value that occurs neither in P nor in Q changes nothing, except as it changes the ground distances",
        "Li et al. 2007, §4; conventions of the domain (observed or declared)",
        "declaring a domain, or a value that only another table has, changes the result",
        _absent_value,
    ),
    _values(
        "vanishing-mass",
        "D at P is the limit of D as a mass that P lacks goes to 0",
        "Li et al. 2007, §4 (sums over all values of the domain, not over those present)",
        "a class that lacks a value of the table is measured as if the table had none either: it is under-reported",
        _vanishing,
    ),
    _values(
        "scale-of-counts",
        "a class and one with many times its records have the distance of their distribution",
        "Li et al. 2007, Definition 2 (distributions, not counts)",
        "duplicating all records changes the result",
        _scale_of_counts,
    ),
)
