"""Readings of the numbers and of the verdict: doubles, 32 and 64 bits, equality, the mean of the classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.algorithms import Algorithm
from tcloseness.conformance.answers import Answer
from tcloseness.conformance.exact_text import Value, order
from tcloseness.conformance.inputs import Table
from tcloseness.conformance.readings.reading import CLOSENESS, MODELS, convention, fault
from tcloseness.conformance.reference import (
    Grouped,
    NoAnswer,
    Question,
    Steps,
    added,
    decide,
    distance_of_class,
    grouped,
    numerators,
    prefix_work,
    tree_work,
)

__all__ = ["ARITHMETIC"]


def wrapped(number: int, bits: int) -> int:
    """Return a whole number as a signed machine word holds it."""
    half = 1 << (bits - 1)
    return (number + half) % (1 << bits) - half


def in_words(bits: int) -> Steps:
    """Compute the products of counts in machine words."""

    def measure(asked: Question, classes: Grouped, g: int) -> Value:
        extra, denominator = numerators(classes, g)
        held = {v: wrapped(e, bits) for v, e in extra.items()}
        if asked.name == "t-matrix" and sum(held.values()) != 0:
            raise NoAnswer  # what wraps does not balance, and a transport has no solution
        return distance_of_class(asked.name, held, denominator, asked.table, classes)

    return Steps(measure=measure)


def square_in_words(bits: int) -> Steps:
    """Sum the squares of the class sizes in machine words."""

    def answer(asked: Question) -> Answer:
        return Answer(Fraction(wrapped(sum(size * size for size in grouped(asked.table)[0].sizes), bits)))

    return Steps(answer=answer)


def size_in_words(bits: int) -> Steps:
    """Count the records of a class in a machine word."""

    def measure(asked: Question, classes: Grouped, g: int) -> Value:
        return Fraction(wrapped(classes.sizes[g], bits))

    return Steps(measure=measure)


def size_in_doubles(asked: Question, value: Value, groups: Sequence[Grouped]) -> bool:
    """Compare class sizes as doubles."""
    return float(value) >= float(Fraction(asked.parameters["k"]))  # type: ignore[arg-type]


def equality_the_other_way(asked: Question, value: Value, groups: Sequence[Grouped]) -> bool:
    """Decide equality with the threshold the other way."""
    if order(value, asked.threshold):
        return decide(asked, value, groups)
    changed = replace(asked.algorithm, strict=not asked.algorithm.strict)
    return decide(replace(asked, algorithm=changed), value, groups)


def tolerant(asked: Question, value: Value, groups: Sequence[Grouped]) -> bool:
    """Accept what misses the threshold by less than 10⁻⁹."""
    step = Fraction(1, 10**9) * (-1 if asked.algorithm.larger_is_safer else 1)
    return decide(asked.but(**{asked.algorithm.threshold or "": str(asked.threshold + step)}), value, groups)


def k_forgotten(asked: Question, value: Value, groups: Sequence[Grouped]) -> bool:
    """Compare the greatest share with alpha and nothing else."""
    return decide(asked.but(k="1"), value, groups)


# ---------------------------------------------------------------------- doubles


def in_doubles(asked: Question, value: Value, groups: Sequence[Grouped]) -> bool:
    """Compute the formula in doubles, left to right, and compare doubles."""
    limit = float(asked.threshold)
    return all(double_verdict(asked, classes, g, limit) for classes in groups for g in range(len(classes.classes)))


def double_verdict(asked: Question, classes: Grouped, g: int, limit: float) -> bool:
    """Decide one class in doubles."""
    counts, n, total = classes.classes[g], classes.sizes[g], sum(classes.reference.values())
    r = sorted(counts.values(), reverse=True)
    p = [counts.get(v, 0) / n for v in classes.domain]
    q = [classes.reference[v] / total for v in classes.domain]
    match asked.name:
        case "entropy-l":
            return float(-added(c / n * math.log(c / n) for c in r)) >= math.log(limit)
        case "recursive-cl":
            l = int(asked.parameters["l"])  # noqa: E741
            return l == 1 or r[0] < limit * float(sum(r[l - 1 :]))
        case "frequency-l":
            return r[0] / n <= 1 / limit
        case "beta-basic" | "beta-enhanced":
            gains = [(a - b) / b for a, b in zip(p, q, strict=True)]
            capped = asked.name == "beta-enhanced"
            return all(
                gain <= (min(limit, -math.log(b)) if capped else limit)
                for gain, a, b in zip(gains, p, q, strict=True)
                if a > b
            )
    return double_distance(asked.name, p, q, asked.table, classes) <= limit


def double_distance(name: str, p: list[float], q: list[float], table: Table, classes: Grouped) -> float:
    """Compute a closed form in doubles."""
    d = [a - b for a, b in zip(p, q, strict=True)]
    m = len(d)
    if name == "t-equal":
        return float(added(abs(x) for x in d)) / 2
    if m == 1:
        return 0.0
    if name == "t-ordered":
        return float(prefix_work(d, [1.0] * (m - 1)) / (m - 1))
    if name == "t-ordered-by-value":
        places = [float(v) for v in classes.domain]  # type: ignore[arg-type]
        gaps = [b - a for a, b in zip(places, places[1:], strict=False)]
        if places[-1] == places[0]:  # different numbers, and one double
            raise NoAnswer
        return float(prefix_work(d, gaps) / (places[-1] - places[0]))
    return float(tree_work(dict(zip(classes.domain, d, strict=True)), table.hierarchies[classes.attribute]))


# ---------------------------------------------------------------------- over the classes


def mean(algorithm: Algorithm, values: Sequence[Value], sizes: Sequence[int]) -> Value:
    """Return the mean over the classes."""
    if not all(isinstance(v, Fraction) for v in values):
        return max(values, key=lambda v: v == math.inf) if math.inf in values else values[0]
    return sum((v for v in values if isinstance(v, Fraction)), Fraction(0)) / len(values)


def last(algorithm: Algorithm, values: Sequence[Value], sizes: Sequence[int]) -> Value:
    """Return the last class's value."""
    return values[-1]


_SUMMED = tuple(name for name in MODELS if name not in ("entropy-l", "delta-disclosure"))
_IN_DOUBLES = tuple(
    name for name in MODELS if name not in ("k-anonymity", "distinct-l", "alpha-k", "t-matrix", "delta-disclosure")
)
"""A share of two whole numbers below 2⁵³ is rounded like its threshold, so alpha is safe in doubles; log₂ of a power of
two is exact, and no other logarithm equals a fraction."""

_BOUNDARY = "a table exactly at the threshold is decided by rounding"

ARITHMETIC = (
    fault(
        "double-threshold",
        _IN_DOUBLES,
        Steps(decide=in_doubles),
        "computes and compares in doubles",
        f"{_BOUNDARY}: it is refused, or declared safe, depending on the order of the terms",
        "3/8 comes out as 0.37500000000000006 in Li et al. 2007, Table 3",
        needs=("boundary",),
    ),
    fault(
        "equality-the-other-way",
        MODELS,
        Steps(decide=equality_the_other_way),
        "decides a value equal to the threshold the other way",
        "the threshold is misread by the one case that people test with",
        "the definitions say < or <=",
        needs=("boundary",),
    ),
    convention(
        "tolerance",
        tuple(name for name in MODELS if name not in ("k-anonymity", "distinct-l")),
        Steps(decide=tolerant),
        "accepts what misses the threshold by less than 10^-9",
        "a choice that must be named: tables a little beyond the threshold pass",
        "the definitions have no tolerance",
        needs=("near",),
    ),
    fault(
        "products-in-32-bits",
        CLOSENESS,
        in_words(32),
        "multiplies counts in 32 bits",
        "from some 46,341 records on the distance is arbitrary, and can come out near 0",
        "46,341 squared exceeds 2^31",
        needs=("large",),
    ),
    fault(
        "products-in-64-bits",
        CLOSENESS,
        in_words(64),
        "multiplies counts in 64 bits",
        "from some 3 thousand million records on the distance is arbitrary",
        "3,037,000,500 squared exceeds 2^63",
        needs=("huge",),
    ),
    fault(
        "squares-in-32-bits",
        ("discernibility",),
        square_in_words(32),
        "sums squares of class sizes in 32 bits",
        "large classes seem to cost nothing",
        "46,341 squared exceeds 2^31",
        needs=("large",),
    ),
    fault(
        "squares-in-64-bits",
        ("discernibility",),
        square_in_words(64),
        "sums squares of class sizes in 64 bits",
        "large classes seem to cost nothing",
        "3,037,000,500 squared exceeds 2^63",
        needs=("huge",),
    ),
    fault(
        "sizes-in-32-bits",
        ("k-anonymity",),
        size_in_words(32),
        "counts the records of a class in 32 bits",
        "a class of 2^31 records has a negative size",
        "2^31 does not fit",
        needs=("huge",),
    ),
    fault(
        "sizes-in-doubles",
        ("k-anonymity",),
        Steps(decide=size_in_doubles),
        "compares class sizes as doubles",
        "2^53 records pass for 2^53 + 1",
        "a double holds 53 bits",
        needs=("gigantic",),
    ),
    fault(
        "k-forgotten",
        ("alpha-k",),
        Steps(decide=k_forgotten),
        "compares the greatest share with alpha and forgets k",
        "small classes pass",
        "Wong et al. 2006 ask both",
    ),
    fault(
        "mean-over-classes",
        _SUMMED,
        Steps(worst=mean),
        "averages over the classes",
        "good classes hide a bad one",
        "every class must satisfy the model",
    ),
    fault(
        "last-class-only",
        MODELS,
        Steps(worst=last),
        "keeps the answer of the class that it looked at last",
        "all other classes go unchecked",
        "every class must satisfy the model",
    ),
)
"""What an implementation may do with the numbers, and with the classes' values."""
