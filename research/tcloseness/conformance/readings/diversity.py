"""Readings of ℓ-diversity: other entropies, other ends of the sorted counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.exact_text import INFINITE, Product, Value, decimal, logarithm, order
from tcloseness.conformance.readings.reading import convention, fault, of_counts, rounded
from tcloseness.conformance.reference import Parameters, Steps, entropy_l

__all__ = ["DIVERSE"]


def of_tail(formula: Callable[[list[int], int], Value], at_one: int = 0) -> Steps:
    """Measure a class by its descending counts and l; for l = 1 by a number of its own, as the definition has it."""

    def measure(r: list[int], parameters: Parameters) -> Value:
        l = int(parameters["l"])  # noqa: E741
        return Fraction(at_one) if l == 1 else formula(r, l)

    return of_counts(measure)


def tail(r: list[int], l: int) -> int:  # noqa: E741
    """Return r_l + … + r_m."""
    return sum(r[l - 1 :])


def ratio(r: int, tail: int) -> Value:
    """Return r/tail, infinite where there is no tail."""
    return Fraction(r, tail) if tail else INFINITE


def truncated_double(r: list[int], parameters: Parameters) -> Value:
    """Return int(exp(H)) in doubles."""
    n = sum(r)
    return Fraction(int(math.e ** -sum(c / n * math.log(c / n) for c in r)))


def floor_of_exp(r: list[int], parameters: Parameters) -> Value:
    """Return the exact floor of exp(H)."""
    value = entropy_l(r)
    floor = Fraction(int(decimal(value)))
    return floor + 1 if order(value, floor + 1) == 0 else floor


def in_unit(base: str) -> Callable[[list[int], Parameters], Value]:
    """Return the entropy itself in bits or nats."""

    def entropy(r: list[int], parameters: Parameters) -> Value:
        value = entropy_l(r)
        if isinstance(value, Fraction):
            return logarithm(value, base)
        assert isinstance(value, Product)
        common = math.lcm(*(e.denominator for _, e in value.powers))
        if common > 64:  # its logarithm has no short text: it is given in decimals
            return rounded(decimal(value).ln() / (decimal(Fraction(2)).ln() if base == "2" else 1))
        power = math.prod((Fraction(b) ** int(e * common) for b, e in value.powers), start=Fraction(1))
        return rounded(decimal(logarithm(power, base)) / common)

    return entropy


_TOO_LARGE = "bounds come out too large, and safe tables are refused"

DIVERSE = (
    fault(
        "distinct-for-entropy",
        ("entropy-l", "frequency-l"),
        of_counts(lambda r, _: Fraction(len(r))),
        "counts different values, however rare",
        "one value in almost all records of a class passes",
        "entropy and frequency are there to exclude that",
    ),
    fault(
        "truncated-double",
        ("entropy-l",),
        of_counts(truncated_double),
        "truncates exp(H) to a whole number in doubles",
        "H of n equal counts is often a little below ln n in doubles: exactly l-diverse tables are refused",
        "uniform classes have exp(H) = n exactly",
    ),
    convention(
        "floor-of-exp",
        ("entropy-l",),
        of_counts(floor_of_exp),
        "reports the whole part of exp(H)",
        "the same verdict for whole l, another for l between",
        "l need not be whole (Definition 4.1)",
    ),
    convention(
        "entropy-in-bits",
        ("entropy-l",),
        replace(of_counts(in_unit("2")), decide=lambda asked, v, _: order(v, logarithm(asked.threshold, "2")) >= 0),
        "reports H in bits",
        "a number in another unit, with the same verdict",
        "H ≥ log l holds in any base",
    ),
    convention(
        "entropy-in-nats",
        ("entropy-l",),
        replace(of_counts(in_unit("e")), decide=lambda asked, v, _: order(v, logarithm(asked.threshold, "e")) >= 0),
        "reports H in nats",
        "a number in another unit, with the same verdict",
        "H ≥ log l holds in any base",
    ),
    fault(
        "bits-against-l",
        ("entropy-l",),
        of_counts(in_unit("2")),
        "compares the entropy in bits with l itself and not with log l",
        "diverse tables are refused",
        "exp(H) is the effective l, not H",
    ),
    fault(
        "ascending",
        ("recursive-cl",),
        of_tail(lambda r, n: ratio(r[-1], tail(r[::-1], n))),
        "sorts the counts of a class the wrong way",
        "the bound is far too small: a class that is almost uniform in one value passes",
        "r1 is the largest count (Definition 4.2)",
    ),
    fault(
        "short-class-accepted",
        ("recursive-cl",),
        of_tail(lambda r, n: ratio(r[0], tail(r, n)) if tail(r, n) else Fraction(0)),
        "accepts a class with fewer than l values",
        "a class with a single value passes",
        "r1 < c·0 is false (Definition 4.2)",
    ),
    fault(
        "tail-one-late",
        ("recursive-cl",),
        of_tail(lambda r, n: ratio(r[0], tail(r, n + 1))),
        "starts the tail at r_(l+1)",
        _TOO_LARGE,
        "the tail is r_l + … + r_m (Definition 4.2)",
    ),
    fault(
        "rounded-up-c",
        ("recursive-cl",),
        of_tail(lambda r, n: Fraction(-(-r[0] // tail(r, n))) if tail(r, n) else INFINITE),
        "rounds r1/tail up, which is too small where it is whole already",
        "a c is reported for which the property does not hold",
        "r1 < c·tail is strict (Definition 4.2)",
    ),
    convention(
        "smallest-whole-c",
        ("recursive-cl",),
        of_tail(lambda r, n: Fraction(r[0] // tail(r, n) + 1) if tail(r, n) else INFINITE, at_one=1),
        "reports the smallest whole c that holds, and not the bound",
        "another number, and for c between whole numbers another verdict",
        "c need not be whole",
    ),
)
"""What an implementation may compute in place of entropy and recursive ℓ-diversity."""
