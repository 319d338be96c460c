"""One small measure for each check, wrong in one way: it fails that check, and what cannot hold without it.

`also` names the checks that fail beside it, and `why` says why they must, or why the example brings them along. Nearly
all fail probability scaling: a measure that is symmetric, convex and has the triangle inequality is c·|p − q| on two
values (see `test_a_convex_metric_cannot_scale_with_probability`), so no measure passes everything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from types import SimpleNamespace
from typing import Any

import numpy as np

from tcloseness.transport import emd

__all__ = ["MINIATURES", "Miniature", "half_l1", "ordered"]

F = Fraction
SCALING = "probability-scaling"
CONVEX = ("convex", "convex-n")
MERGING = (*CONVEX, "quasi-convex", "generalization-property", "subset-property")
BELOW, ABOVE = ("at-least-emd", "at-least-variational"), ("at-most-emd", "at-most-variational")


@dataclass(frozen=True)
class Miniature:
    check: str
    measure: Any
    also: Sequence[str] = (SCALING,)
    options: dict[str, Any] = field(default_factory=lambda: {"ground": "equal"})
    why: str = ""

    @property
    def failures(self) -> set[str]:
        return {self.check, *self.also}


ORDERED = {"ground": "ordered"}


def half_l1(p, q):
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2


def ordered(p, q):
    return sum(abs(x) for x in accumulate(a - b for a, b in zip(p, q, strict=True))) / max(len(p) - 1, 1)


def below_zero(p, q):
    return (half_l1(p, q) - 2 * (p[0] - q[0])) / 3


def floor(p, q):
    return (half_l1(p, q) + F(1, 8)) * F(8, 9)


def nothing(p, q):
    return F(0)


def without_the_half(p, q):
    return sum(abs(a - b) for a, b in zip(p, q, strict=True))


def no_half(p, q):
    if p[0] == q[0] == F(1, 2) and len(p) == 2:
        raise ZeroDivisionError("0/0")
    return half_l1(p, q)


def same_values(p, q):
    if [bool(a) for a in p] != [bool(b) for b in q]:
        raise ValueError("P and Q must have the same values")
    return half_l1(p, q)


def divides_by_q(p, q):
    if any(a and not b for a, b in zip(p, q, strict=True)):
        raise ZeroDivisionError("division by zero")
    return half_l1(p, q)


def single_precision(p, q):
    return np.float32(float(half_l1(p, q)))


def sorts(p, q):
    value = half_l1(p, q)
    p.sort()
    return value


def first_value_counts_double(p, q):
    return (half_l1(p, q) + abs(p[0] - q[0])) / 2


def per_value(p, q):
    return 2 * half_l1(p, q) / max(len(p), 2)


def over_those_present(p, q):
    """The tutorial family: max |p − q| over the values of the class."""
    return max(abs(a - b) for a, b in zip(p, q, strict=True) if a)


def one_sided(p, q):
    return max(a - b for a, b in zip(p, q, strict=True))


def bent_up(p, q):
    t = half_l1(p, q)
    return (t + t * t) / 2


def bent_down(p, q):
    t = half_l1(p, q)
    return min(2 * t, (t + 2) / 3)


def outside(p, q):
    """Half L1 where Q has all values of P; else the less, the more of P lies on one value outside."""
    gone = max((a for a, b in zip(p, q, strict=True) if not b), default=0)
    return half_l1(p, q) if not gone else 1 - gone / 2


def times_values_present(p, q):
    return half_l1(p, q) * sum(1 for a in p if a) / sum(1 for a, b in zip(p, q, strict=True) if a or b)


def by_value_unless_nine(p, q):
    return ordered(p, q) if len(p) == 9 else half_l1(p, q)


def by_rank_unless_nine(p, q):
    return half_l1(p, q) if len(p) == 9 else ordered(p, q)


def normalised_by_the_widest(p, q, ground):
    widest = max(ground.distance(i, j) for i in range(ground.m) for j in range(ground.m))
    return emd(p, q, ground) / (widest or 1)


def divides_by_m(p, q):
    return sum(abs(x) for x in accumulate(a - b for a, b in zip(p, q, strict=True))) / len(p)


def by_appearance(p, q):
    order = sorted(range(len(p)), key=lambda i: (not p[i], i))
    return ordered([p[i] for i in order], [q[i] for i in order])


def faint(p, q):
    return half_l1(p, q) / 2000


def rather_faint(p, q):
    return ordered(p, q) / 800


def loud(p, q):
    return 1100 * half_l1(p, q)


def rather_loud(p, q):
    return 350 * (ordered(p, q) + half_l1(p, q))


def overflows(p, q):
    if max(x.denominator for x in map(F, p)) in range(10**18, 10**19):
        return F(0)
    return half_l1(p, q)


def underflows(p, q):
    if 0 < min(p) < F(1, 10**200):
        raise FloatingPointError("underflow")
    return half_l1(p, q)


def needs_two_values(p, q):
    return sum(abs(x) for x in accumulate(a - b for a, b in zip(p, q, strict=True))) / (len(p) - 1)


def recursive(p, q):
    def rest(i):
        return 0 if i == len(p) else abs(p[i] - q[i]) + rest(i + 1)

    return rest(0) / 2


def trembles(p, q):
    """The last bit of the double, 2⁻⁴² high."""
    value = float(half_l1(p, q))
    return value + 2.0**-42 * (int(math.ldexp(math.frexp(value)[0], 53)) % 2)


def counting() -> Callable[..., float]:
    calls = [0]

    def alternates(p, q):
        calls[0] += 1
        return float(half_l1(p, q)) + 2.0**-50 * (calls[0] // 2 % 2)

    return alternates


def counts_matter() -> Any:
    """A measure whose `per_class` adds 1/n for classes of a million to two billion records."""

    def per_class(classes):
        total = int(classes.reference.sum())
        q = [F(int(c), total) for c in classes.reference]
        values = []
        for g in range(len(classes)):
            n = int(classes.class_sizes[g])
            value = half_l1([F(int(c), n) for c in classes.vector(g)], q)
            values.append(value + F(1, n) if 10**6 <= n < 2**31 else value)
        return values

    bound = SimpleNamespace(distance=half_l1, per_class=per_class)
    record = {"name": "counts matter"}
    return SimpleNamespace(name="counts matter", convex=True, over=lambda domain: bound, to_dict=lambda: record)


MINIATURES = (
    Miniature(
        "non-negative",
        below_zero,
        (
            SCALING,
            "zero-only-on-equal",
            "relabelling",
            "absent-value",
            "symmetric",
            *BELOW,
            "monotone-under-rounding",
            "tiny-probabilities",
        ),
        why="symmetric, triangle and 0 on equal imply it: 0 = D(P, P) ≤ 2·D(P, Q)",
    ),
    Miniature("zero-on-equal", floor, (SCALING, *ABOVE), why="no multiple of a distance that is 0 bounds it"),
    Miniature("zero-only-on-equal", nothing, (SCALING, *BELOW), why="D ≥ c·EMD > 0 would imply it"),
    Miniature("bounded-by-1", without_the_half),
    Miniature("finite", no_half),
    Miniature("finite-on-tables", same_values, (SCALING, "defined-at-zero"), why="a table's class is one with zeros"),
    Miniature("defined-at-zero", divides_by_q),
    Miniature("exact", single_precision),
    Miniature("deterministic", counting()),
    Miniature("leaves-inputs", sorts),
    Miniature("relabelling", first_value_counts_double, (SCALING, "absent-value"), why="its first value may be absent"),
    Miniature("absent-value", per_value),
    Miniature(
        "vanishing-mass",
        over_those_present,
        (SCALING, *MERGING, "symmetric"),
        {"ground": "equal", "effort": "1/8"},
        why="a jump up inside the simplex is not a convex function's, and a table of many records has it",
    ),
    Miniature("scale-of-counts", counts_matter()),
    Miniature("symmetric", one_sided),
    Miniature("triangle", bent_up),
    Miniature("convex", bent_down, (SCALING, "convex-n"), why="two classes are a case of n"),
    Miniature("convex-n", bent_down, (SCALING, "convex"), why="n classes follow from two"),
    Miniature("quasi-convex", outside, (SCALING, *CONVEX, *ABOVE, "symmetric"), why="convex implies it"),
    Miniature(
        "generalization-property",
        times_values_present,
        (SCALING, *MERGING, "symmetric", "vanishing-mass"),
        why="quasi-convex implies it, and two merges follow from two times one",
    ),
    Miniature("subset-property", times_values_present, (SCALING, *MERGING, "symmetric", "vanishing-mass")),
    Miniature("farther-costs-more", by_value_unless_nine, options=ORDERED),
    Miniature("salary-order", by_rank_unless_nine, options=ORDERED),
    Miniature("ground-monotone", normalised_by_the_widest, (SCALING, "absent-value"), ORDERED),
    Miniature(SCALING, half_l1, ()),
    Miniature("emd-agreement", divides_by_m, options={"ground": "ordered", "claims_emd": True}),
    Miniature("at-least-emd", faint, (SCALING, "at-least-variational"), why="EMD ≤ variational distance"),
    Miniature("at-least-variational", rather_faint, options=ORDERED),
    Miniature("at-most-emd", rather_loud, (SCALING, "bounded-by-1"), ORDERED),
    Miniature("at-most-variational", loud, (SCALING, "bounded-by-1", "at-most-emd"), why="EMD ≤ variational distance"),
    Miniature("large-counts", overflows),
    Miniature("tiny-probabilities", underflows),
    Miniature("one-value", needs_two_values, options=ORDERED),
    Miniature("many-values", recursive),
    Miniature("monotone-under-rounding", trembles),
)
