"""Numbers at their limits: many records, tiny masses, one value, many values, steps as small as rounding."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction
from functools import partial

from tcloseness.axioms.checker import Checker
from tcloseness.axioms.checks.invariance import differs_by_class
from tcloseness.axioms.function import BoundFunction
from tcloseness.axioms.laws import ZERO, Named, Vector, counterexample, imports, wrong_value
from tcloseness.axioms.values import NoNumber, Value, difference_sign
from tcloseness.axioms.verdict import Check, CheckVerdict, Counterexample, Fails, Holds, NotApplicable, Undecided
from tcloseness.exact import number_text

__all__ = ["CHECKS"]

F = Fraction

MANY = (10, 30, 100, 300, 1000, 3000, 10_000)
"""The numbers of values that are tried one after the other."""

_HUGE = (2**31 + 1, 2**53 + 1, 10**18 + 9)
"""Numbers of records past 32-bit integers, doubles' whole numbers, and nearly 64-bit integers."""

_TINY = (F(1, 10**12), F(1, 10**100), F(1, 10**300))


def _near(p: Vector, n: int) -> Vector:
    """Return the distribution of n records that is nearest to P."""
    whole = [math.floor(x * n) for x in p]
    whole[max(range(len(p)), key=lambda i: p[i])] += n - sum(whole)
    return tuple(F(w, n) for w in whole)


def _even(m: int) -> Vector:
    return tuple([F(1, m)] * m)


def _bases(m: int) -> list[tuple[Vector, Vector]]:
    rising = tuple(F(2 * (i + 1), m * (m + 1)) for i in range(m))
    return [(_even(m), rising), (rising, _even(m)), (tuple(reversed(rising)), rising)]


def _large_counts(checker: Checker) -> CheckVerdict:
    """Compare D of P and Q with D of their nearest distributions of huge denominators, and `per_class` with both."""
    for m in checker.sizes[:2]:
        d = checker.over(m)
        for p, q in _bases(m):
            expected = d.value(p, q)
            if isinstance(expected, NoNumber) or not expected.finite:
                continue
            for n in _HUGE:
                near = _near(p, n), _near(q, n + 2)
                checker.tried += 1
                if wrong := _other(d.value(*near), expected):
                    assertion = f"abs(float({{call}}) - {expected.double!r}) <= 2**-18"
                    return Fails(wrong_value(d, *near, wrong, assertion))
                if checker.function.is_measure and n < 2**60:
                    checker.tried += 1
                    if different := differs_by_class(d, _large_table(m, n)):
                        return Fails(different)
    return checker.holds()


def _other(found: Value | NoNumber, expected: Value) -> str | None:
    if isinstance(found, NoNumber):
        return found.what
    if abs(found.double - expected.double) <= 2.0**-18 * max(1.0, abs(expected.double)):
        return None
    return f"= {found}, where distributions that differ by less than 10⁻⁹ have {expected}"


def _large_table(m: int, n: int) -> list[list[int]]:
    """Return the counts of two classes of n records, each with nearly all of them on one value."""
    first, last = [n - (m - 1)] + [1] * (m - 1), [1] * (m - 1) + [n - (m - 1)]
    return [list(row) for row in zip(first, last, strict=True)]


def _tiny(checker: Checker) -> CheckVerdict:
    d = checker.over(checker.sizes[0])
    rest = [F(0)] * (d.m - 2)
    half = (F(1, 2), F(1, 2), *rest)
    for tiny in _TINY:
        for p0, q0 in ((tiny, tiny), (tiny, 2 * tiny), (2 * tiny, tiny), (tiny, F(1, 2))):
            p, q = (p0, 1 - p0, *rest), (q0, 1 - q0, *rest)
            found = d.value(p, q)
            checker.tried += 1
            if isinstance(found, NoNumber):
                return Fails(_tiny_case(d, p, q, found.what))
            at_half = d.value(half, half)
            zero_at_half = isinstance(at_half, Value) and abs(at_half.double) <= 2.0**-24
            if not 0 <= found.double < math.inf or (p == q and found.double > 2.0**-24 and zero_at_half):
                return Fails(_tiny_case(d, p, q, f"= {found}"))
    return Holds(checker.tried)


def _tiny_case(d: BoundFunction, p: Vector, q: Vector, says: str) -> Counterexample:
    found = wrong_value(d, p, q, says, "0 <= float({call}) < math.inf")
    return replace(found, inputs={name: tuple(map(_short, v)) for name, v in (("P", p), ("Q", q))})


def _short(x: Fraction) -> str:
    written = number_text(x)
    return written if len(written) < 30 else f"{float(x):.3g}" if x < F(1, 2) else f"1 − {float(1 - x):.3g}"


def _one_value(checker: Checker) -> CheckVerdict:
    if 1 not in checker.function.sizes(1, 1):
        return NotApplicable("it is bound to its domain")
    one, d = (F(1),), checker.over(1)
    found = d.value(one, one)
    if isinstance(found, NoNumber):
        return Fails(wrong_value(d, one, one, found.what, "float({call}) == 0"))
    m = checker.sizes[0]
    elsewhere = checker.over(m).value(_even(m), _even(m))
    zero = elsewhere if isinstance(elsewhere, Value) else Value(ZERO, 0.0)
    if difference_sign(found, zero):
        wrong = f"= {found}; P = Q has {zero} elsewhere"
        return Fails(wrong_value(d, one, one, wrong, f"float({{call}}) == {zero.double!r}"))
    return Holds(1)


def _many_values(checker: Checker) -> CheckVerdict:
    """Ask about ever more values, as long as the next question will be answered soon, at the rate the cost grows."""
    if checker.function.family.largest is not None:
        return NotApplicable("it is bound to its domain")
    before = 0.0
    for m in MANY:
        d = checker.over(m)
        p = tuple(F(2 * (i + 1), m * (m + 1)) for i in range(m))
        began = time.monotonic()
        found = d.value_anew(p, _even(m))
        took = time.monotonic() - began
        if isinstance(found, NoNumber) or not found.finite:
            return Fails(_many_case(d, found))
        growth = min(max(took / before, 3), 27) if before else 27
        if m < MANY[-1] and took * growth > checker.budget / 8:
            return Undecided(f"over {m} values one distance takes {took:.2g} s; {MANY[-1]} were not tried")
        before = took
    return Holds(len(MANY))


def _many_case(d: BoundFunction, found: Value | NoNumber) -> Counterexample:
    function, m = d.under_test, d.m
    body = [
        f"m = {m}",
        "P = [F(2 * (i + 1), m * (m + 1)) for i in range(m)]",
        "Q = [F(1, m)] * m",
    ]
    if function.form != "fractions":
        body += ["P, Q = [float(x) for x in P], [float(x) for x in Q]"]
    if function.form == "array":
        body += ["P, Q = np.array(P), np.array(Q)"]
    call = function.call_code("P", "Q", d.ground) if m <= 30 else "measure(P, Q)"
    body.append(f"assert math.isfinite(float({call}))")
    inputs = {"P": (f"2(i + 1)/(m(m + 1)) for {m} values i",), "Q": (f"1/m for {m} values",)}
    return Counterexample(inputs, d.ground_text, {}, f"D(P, Q) {found}", (*imports("\n".join(body)), *body))


def _monotone_under_rounding(checker: Checker) -> CheckVerdict:
    """Go from Q towards P in steps of 2⁻⁴⁰: D must not fall, not even by rounding."""
    for m in checker.sizes[:3]:
        d = checker.over(m)
        for q, p in ((_even(m), tuple(F(int(i == 0)) for i in range(m))), *_bases(m)):
            for start in (F(1, 8), F(1, 3), F(1, 2), F(9, 10)):
                points = [_between(q, p, start + F(k, 2**40)) for k in range(6)]
                found = [d.value(x, q) for x in points]
                values = [x.double for x in found if isinstance(x, Value)]
                if len(values) < len(found):
                    continue
                for k in range(5):
                    checker.tried += 1
                    if values[k + 1] < values[k]:
                        return Fails(_falls(d, points[k], points[k + 1], q, values[k], values[k + 1]))
    return checker.holds()


def _between(q: Vector, p: Vector, share: Fraction) -> Vector:
    return tuple((1 - share) * b + share * a for a, b in zip(p, q, strict=True))


def _falls(d: BoundFunction, near: Vector, far: Vector, q: Vector, before: float, after: float) -> Counterexample:
    close, distant, reference = Named("P_near", near), Named("P_far", far), Named("Q", q)
    return counterexample(
        d,
        (close, distant, reference),
        f"P_far is 2⁻⁴⁰ farther on the way from Q, and D falls from {before!r} to {after!r}",
        f"assert float({d.code(close, reference)}) <= float({d.code(distant, reference)})",
        values={"D(P_near, Q)": repr(before), "D(P_far, Q)": repr(after)},
    )


_numbers = partial(Check, group="numbers")

CHECKS = (
    _numbers(
        "large-counts",
        "classes of more than 2³¹, 2⁵³ and 10¹⁸ records have the distance of their distribution",
        "conventions of the package (exact integers)",
        "an overflow turns a large class's distance into a small one",
        _large_counts,
    ),
    _numbers(
        "tiny-probabilities",
        "masses of 10⁻¹², 10⁻¹⁰⁰ and 10⁻³⁰⁰ have finite distances, not below 0, and 0 for P = Q",
        "IEEE 754 (underflow)",
        "rare values stop an audit or turn it into infinities",
        _tiny,
    ),
    _numbers(
        "one-value",
        "over one value the distance is that of P = Q",
        "Li et al. 2007, §5.1 divides by m − 1; conventions of the package (0 for m = 1)",
        "a table with a single sensitive value stops an audit",
        _one_value,
    ),
    _numbers(
        "many-values",
        "ten thousand values have a finite distance, in seconds",
        "Li et al. 2007, §5 (closed forms of linear cost)",
        "numeric attributes with many values cannot be measured",
        _many_values,
    ),
    _numbers(
        "monotone-under-rounding",
        "on the way from Q to P in steps of 2⁻⁴⁰ the distance never falls, whatever is rounded",
        "follows from convexity and D(Q, Q) = 0; IEEE 754",
        "two nearly equal classes are ranked by rounding, and bisection for a threshold goes astray",
        _monotone_under_rounding,
    ),
)
