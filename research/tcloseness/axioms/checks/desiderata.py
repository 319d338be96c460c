"""What the papers ask for: that a distance knows what values mean and how rare they are; how it compares with others.

Not all of it can be had at once. On two values write D(x, y) for the masses x and y of the first. If D is symmetric,
D(x, x) = 0, convex in P and satisfies the triangle inequality, then for equal steps x, x + h, x + 2h

    2·max(D(x + h, x), D(x + 2h, x + h)) ≤ D(x + 2h, x) ≤ D(x + h, x) + D(x + 2h, x + h),

the left by convexity (x + h is the middle), the right by the triangle. So equal steps cost the same wherever they are
made, and 0.01 → 0.11 costs what 0.4 → 0.5 does: a convex metric cannot scale with probability. A measure that does
must give up symmetry, the triangle inequality or convexity; quasi-convexity, which is all that pruning asks for, it may
keep.

A distance is compared with the EMD and the variational distance by constants, where there are any. A constant is found
as the extreme ratio over many pairs, among them pairs that approach each other, where divergences lose against
distances. It is proved where the function runs on symbols, else it is one of examples. Ratios past 1000 and below
1/1000 count as no constant.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial

from tcloseness.axioms.checker import Checker, Vectors
from tcloseness.axioms.function import BoundFunction, Reference, variational
from tcloseness.axioms.grounds import apart
from tcloseness.axioms.laws import Claim, Law, Named, Vector
from tcloseness.axioms.search import distributions_of, grid
from tcloseness.axioms.values import Value
from tcloseness.axioms.verdict import Check, CheckVerdict, Fails, Holds, NotApplicable, Undecided
from tcloseness.exact import decimal_text_of, number_text

__all__ = ["CHECKS", "LARGEST_CONSTANT"]

F = Fraction

LARGEST_CONSTANT = 1000
"""A constant past it is none."""


# ---------------------------------------------------------------------- moving mass farther


def _journeys(d: BoundFunction) -> Iterator[tuple[int, int, int]]:
    """Yield values i, j, k with k farther from i than j is."""
    distance = d.ground.distance
    for i, j, k in itertools.permutations(range(d.m), 3):
        if distance(i, j) < distance(i, k):
            yield i, j, k


def _moved(q: Vector, mass: Fraction, i: int, j: int) -> Vector:
    return tuple(x - mass * (c == i) + mass * (c == j) for c, x in enumerate(q))


def _farther(checker: Checker) -> CheckVerdict:
    sizes = [m for m in checker.sizes if m >= 3][:3]
    if not sizes or not list(_journeys(checker.over(sizes[0]))):
        return NotApplicable("under this ground distance no value is farther from another than a third one is")
    more, equal = 0, None
    for m in sizes:
        d = checker.over(m)
        even = tuple([F(1, m)] * m)
        references = [even, *[q for n in range(1, 7) for q in distributions_of(m, n)][: checker.some(150)]]
        for q, (i, j, k) in itertools.product(references, list(_journeys(d))):
            on_the_way = d.ground.distance(i, k) == d.ground.distance(i, j) + d.ground.distance(j, k)
            if not q[i] or (q != even and not on_the_way):
                continue
            near, far = (Named(n, _moved(q, q[i] / 2, i, v)) for n, v in (("P_near", j), ("P_far", k)))
            reference = Named("Q", q)
            claim = d(near, reference) <= d(far, reference)
            if (wrong := claim.violated()) is None:
                continue
            checker.tried += 1
            if wrong:
                return Fails(claim.counterexample([reference]), "moving mass farther may cost less")
            if (claim.right <= claim.left).violated():
                more += 1
            else:
                equal = equal or claim.left < claim.right
    if not more and equal is not None:
        return Fails(equal.counterexample(), "moving mass farther never costs more")
    share = "always" if equal is None else f"in {more} of {checker.tried} examples, and as much in the others"
    return checker.holds(f"it costs more {share}")


# ---------------------------------------------------------------------- the papers' examples


def _salaries(checker: Checker) -> CheckVerdict:
    function = checker.function
    ground = function.family.over(9) if 9 in function.sizes(9, 9) else None
    if ground is None or any(ground.distance(i, j) != F(abs(i - j), 8) for i in range(9) for j in range(9)):
        return NotApplicable("the example is about nine ordered values")
    d, third = checker.over(9), F(1, 3)
    low = Named("P1", tuple(third if i in (0, 1, 2) else F(0) for i in range(9)))
    wide = Named("P2", tuple(third if i in (3, 5, 8) else F(0) for i in range(9)))
    table = Named("Q", tuple([F(1, 9)] * 9))
    return _of_examples(d(wide, table) < d(low, table))


def _of_examples(*claims: Claim) -> CheckVerdict:
    """Return whether all claims hold, with the values of the first."""
    for claim in claims:
        violated = claim.violated()
        if violated is None:
            return Undecided("the measure gives no number for the example")
        if violated:
            return Fails(claim.counterexample())
    return Holds(len(claims), None, ", ".join(f"{call} = {call.value}" for call in claims[0].calls))


def _scaling(checker: Checker) -> CheckVerdict:
    if 2 not in checker.function.sizes(2, 2):
        return NotApplicable("the example is about two values")
    d = checker.over(2)

    def pair(name: str, first: Fraction) -> Named:
        return Named(name, (first, 1 - first))

    printed = (F("0.01"), F("0.4"), F("0.1"))
    others = (F(1, 100), F(1, 10), F(1, 10)), (F(1, 10), F(2, 5), F(1, 10)), (F(1, 20), F(1, 4), F(1, 20))
    return _of_examples(
        *(
            d(pair("P2", common + step), pair("Q2", common)) < d(pair("P1", rare + step), pair("Q1", rare))
            for rare, common, step in (printed, *others)
        )
    )


# ---------------------------------------------------------------------- the ground distance itself


def _ground_monotone(checker: Checker) -> CheckVerdict:
    if not checker.function.takes_ground:
        return NotApplicable("it takes no ground distance")
    law = Law(
        ("P", "Q"),
        lambda d, wider, p, q: d(p, q) <= wider(p, q),
        cases=lambda d: [d.under_test.under(ground) for ground in apart(d.ground)],
    )
    return checker.test(law, remark="all distances doubled, and each cut twice as wide")


def _agrees_with_emd(checker: Checker) -> CheckVerdict:
    if not checker.claims_emd:
        return NotApplicable("it does not claim to be an Earth Mover's Distance (claims_emd=True asks)")
    law = Law(("P", "Q"), lambda d, emd, p, q: d(p, q).equals(emd(p, q)), cases=lambda d: [_emd(d)], most=6)
    return checker.test(law)


# ---------------------------------------------------------------------- bounds by other distances

_STEPS = tuple(F(1, 10**k) for k in (2, 4, 7, 10))


def _emd(d: BoundFunction) -> Reference:
    return Reference(d.ground)


def _variational(d: BoundFunction) -> Reference:
    return variational(d.m)


def _pairs(m: int, checker: Checker) -> Iterator[Vectors]:
    """Yield different distributions: small ones, and pairs that approach each other."""
    yield from (v for v in itertools.islice(grid(m, 2), checker.some(400)) if v[0] != v[1])
    for (q,) in itertools.islice(grid(m, 1), checker.some(9) + 3):
        for (i, j), step in itertools.product(itertools.permutations(range(m), 2), _STEPS):
            if q[i] >= step:
                yield _moved(q, step, i, j), q


def _ratio(d: BoundFunction, reference: Reference, p: Vector, q: Vector) -> Fraction | float | None:
    found, other = d.value(p, q), reference.value(p, q)
    if not isinstance(found, Value) or not isinstance(other, Value):
        return None
    if not found.exact and other.double < 2.0**-14:  # a double of D may be rounding alone
        return None
    if not other.double:
        return math.inf if found.double > 0 else None
    if isinstance(found.number, Fraction) and isinstance(other.number, Fraction):
        return found.number / other.number
    return found.double / other.double


def _bound(checker: Checker, made: Callable[[BoundFunction], Reference], *, lower: bool) -> CheckVerdict:
    made = cache(made)
    sizes = checker.sizes[:3]

    def law(constant: Fraction) -> Law:
        def claim(d: BoundFunction, reference: Reference, p: Named, q: Named) -> Claim:
            ours, theirs = d(p, q), constant * reference(p, q)
            return theirs <= ours if lower else ours <= theirs

        return Law(("P", "Q"), claim, cases=lambda d: [made(d)], most=sizes[-1])

    limit = F(1, LARGEST_CONSTANT) if lower else F(LARGEST_CONSTANT)
    extreme: Fraction | float | None = None
    letter = ""
    for m in sizes:
        d = checker.over(m)
        reference = made(d)
        for p, q in _pairs(m, checker):
            ratio = _ratio(d, reference, p, q)
            if ratio is None:
                continue
            checker.tried += 1
            if extreme is None or (ratio < extreme if lower else ratio > extreme):
                extreme, letter = ratio, reference.letter
            if ratio < limit if lower else ratio > limit:
                return Fails(law(limit).claim(d, reference, Named("P", p), Named("Q", q)).counterexample())
    if extreme is None:
        return checker.holds()
    if extreme in (math.inf, -math.inf):
        return checker.holds("it is infinite in all examples")
    constant = extreme if isinstance(extreme, Fraction) else F(extreme).limit_denominator(LARGEST_CONSTANT)
    about = number_text(constant) if constant.denominator < 100 else decimal_text_of(F(extreme), 4)
    held = Holds(checker.tried, None, f"D {'≥' if lower else '≤'} {about}·{letter} for m ≤ {sizes[-1]}")
    if isinstance(extreme, float) and not constant:
        return held
    proof = checker.prove(law(constant), held)
    return proof if isinstance(proof, Holds) else held


_desiderata = partial(Check, group="desiderata")

CHECKS = (
    _desiderata(
        "farther-costs-more",
        "moving mass from i to k costs no less than to j if k is farther (and j on the way, or Q uniform), and "
        "somewhere more",
        "Li et al. 2007, §4 (distances between values); Li et al. 2010, desideratum 5 (semantic awareness)",
        "a class of similar values counts no worse than a diverse one: similarity attacks go unnoticed",
        _farther,
    ),
    _desiderata(
        "salary-order",
        "of nine salaries, {3k, 4k, 5k} is farther from all than {6k, 8k, 11k}",
        "Li et al. 2007, §4, the thought experiment with Tables 3 and 4",
        "the paper's own example comes out in the wrong order, or undecided",
        _salaries,
    ),
    _desiderata(
        "ground-monotone",
        "if values move apart, no distance falls",
        "Li et al. 2007, §4 (cost of a unit of mass); Li et al. 2010, desideratum 5 (semantic awareness)",
        "calling two values less alike can hide a difference between classes",
        _ground_monotone,
    ),
    _desiderata(
        "probability-scaling",
        "0.01 → 0.11 is farther than 0.4 → 0.5, and likewise for other rare and common values",
        "Li et al. 2007, §8; Li et al. 2010, desideratum 3 (probability scaling)",
        "a rare value may become many times likelier at the price of a slight change of a common one",
        _scaling,
    ),
    _desiderata(
        "emd-agreement",
        "D(P, Q) = EMD(P, Q) under the ground distance",
        "Li et al. 2007, §5 (closed forms), certified by transport",
        "thresholds and published numbers of t-closeness do not carry over",
        _agrees_with_emd,
    ),
    _desiderata(
        "at-least-emd",
        "D(P, Q) ≥ c·EMD(P, Q) with a constant c > 1/1000",
        "Li et al. 2007, §4; the bounds of a metric by another",
        "a table that is close under D may be far under the EMD: no t for D gives a t for t-closeness",
        lambda checker: _bound(checker, _emd, lower=True),
    ),
    _desiderata(
        "at-most-emd",
        "D(P, Q) ≤ C·EMD(P, Q) with a constant C < 1000",
        "Li et al. 2007, §4; the bounds of a metric by another",
        "a table that is close under the EMD may be far under D: existing releases must be measured anew",
        lambda checker: _bound(checker, _emd, lower=False),
    ),
    _desiderata(
        "at-least-variational",
        "D(P, Q) ≥ c·½Σ|p − q| with a constant c > 1/1000",
        "Li et al. 2007, §4 (variational distance)",
        "a small D does not limit how much likelier any event becomes in a class",
        lambda checker: _bound(checker, _variational, lower=True),
    ),
    _desiderata(
        "at-most-variational",
        "D(P, Q) ≤ C·½Σ|p − q| with a constant C < 1000",
        "Li et al. 2007, §4 (variational distance)",
        "the tiniest change of probabilities may have a large distance",
        lambda checker: _bound(checker, _variational, lower=False),
    ),
)
