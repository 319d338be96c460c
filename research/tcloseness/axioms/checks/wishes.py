"""What the papers wish for: that a distance knows what values mean, and how rare they are.

Not all of it can be had at once. On two values write D(x, y) for the masses x and y of the first. If D is symmetric,
D(x, x) = 0, convex in P and satisfies the triangle inequality, then for equal steps x, x + h, x + 2h

    2·max(D(x + h, x), D(x + 2h, x + h)) ≤ D(x + 2h, x) ≤ D(x + h, x) + D(x + 2h, x + h),

the left by convexity (x + h is the middle), the right by the triangle. So equal steps cost the same wherever they are
made, and 0.01 → 0.11 costs what 0.4 → 0.5 does: a convex metric cannot scale with probability. A measure that does
must give up symmetry, the triangle inequality or convexity; quasi-convexity, which is all that pruning asks for, it may
keep.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tcloseness.axioms.amounts import Amount, text
from tcloseness.axioms.check import Check
from tcloseness.axioms.examination import Examination
from tcloseness.axioms.grounds import apart
from tcloseness.axioms.laws import Call, Claim, Law, Named, counterexample_of, side, violated
from tcloseness.axioms.reference import earth_mover
from tcloseness.axioms.search import distributions_of
from tcloseness.axioms.subject import OutOfTime, Scene, Vector
from tcloseness.axioms.verdict import Fails, Holds, NotApplicable, Undecided, Verdict
from tcloseness.ground import GroundDistance

__all__ = ["CHECKS"]

F = Fraction


def _level(ground: GroundDistance) -> bool:
    """Say whether all values are equally far from each other."""
    return len({ground.distance(i, j) for i, j in itertools.combinations(range(ground.m), 2)}) <= 1


# ---------------------------------------------------------------------- moving mass farther


def _journeys(scene: Scene) -> Iterator[tuple[int, int, int]]:
    """Yield values i, j, k with k farther from i than j is."""
    d = scene.ground.distance
    for i, j, k in itertools.permutations(range(scene.m), 3):
        if d(i, j) < d(i, k):
            yield i, j, k


def _on_the_way(scene: Scene, i: int, j: int, k: int) -> bool:
    d = scene.ground.distance
    return d(i, k) == d(i, j) + d(j, k)


def _moved(q: Vector, mass: Fraction, i: int, j: int) -> Vector:
    return tuple(x - mass * (c == i) + mass * (c == j) for c, x in enumerate(q))


def _farther(examination: Examination) -> Verdict:
    sizes = [m for m in examination.sizes if m >= 3][:3]
    if not sizes or not list(_journeys(examination.scene(sizes[0]))):
        return NotApplicable("under this ground distance no value is farther from another than a third one is")
    tried, more, equal = 0, 0, None
    try:
        for m in sizes:
            scene = examination.scene(m)
            even = tuple([F(1, m)] * m)
            references = [even, *[q for n in range(1, 7) for q in distributions_of(m, n)][: examination.some(150)]]
            for q, (i, j, k) in itertools.product(references, list(_journeys(scene))):
                if not q[i] or (q != even and not _on_the_way(scene, i, j, k)):
                    continue
                near, far = (Named(n, _moved(q, q[i] / 2, i, v)) for n, v in (("P_near", j), ("P_far", k)))
                reference = Named("Q", q)
                claim = Claim(side(Call(scene, near, reference)), "≤", side(Call(scene, far, reference)))
                if (wrong := violated(claim)) is None:
                    continue
                tried += 1
                if wrong:
                    return Fails(counterexample_of(claim, [reference]), "moving mass farther may cost less")
                reversed_ = Claim(claim.right, "≤", claim.left)
                if violated(reversed_):
                    more += 1
                else:
                    equal = equal or Claim(claim.left, "<", claim.right)
    except OutOfTime:
        return Undecided(f"{examination.budget:g} s were over after {tried} examples")
    if not tried:
        return Undecided("no example gave a number")
    if not more and equal is not None:
        return Fails(counterexample_of(equal, []), "moving mass farther never costs more")
    share = "always" if equal is None else f"in {more} of {tried} examples, and as much in the others"
    return Holds(tried, None, f"it costs more {share}")


# ---------------------------------------------------------------------- the papers' examples


def _salaries(examination: Examination) -> Verdict:
    subject = examination.subject
    if subject.family.name != "ordered" or 9 not in subject.sizes(9, 9):
        return NotApplicable("the example is about nine ordered values")
    scene = examination.scene(9)
    third = F(1, 3)
    low = Named("P1", tuple(third if i in (0, 1, 2) else F(0) for i in range(9)))
    wide = Named("P2", tuple(third if i in (3, 5, 8) else F(0) for i in range(9)))
    table = Named("Q", tuple([F(1, 9)] * 9))
    claim = Claim(side(Call(scene, wide, table)), "<", side(Call(scene, low, table)))
    return _one(claim, examination)


def _one(claim: Claim, examination: Examination) -> Verdict:
    answer = violated(claim)
    if answer is None:
        return Undecided("the measure gives no number for the example")
    if answer:
        return Fails(counterexample_of(claim, []))
    values = []
    for call in claim.calls:
        found = call.scene.outcome(call.p.masses, call.q.masses)
        values.append(f"{call} = {text(found) if isinstance(found, Amount) else found}")
    return Holds(1, None, ", ".join(values))


def _scaling(examination: Examination) -> Verdict:
    if 2 not in examination.subject.sizes(2, 2):
        return NotApplicable("the example is about two values")
    scene = examination.scene(2)

    def pair(name: str, first: Fraction) -> Named:
        return Named(name, (first, 1 - first))

    printed = ((F("0.01"), F("0.4"), F("0.1")),)
    others = ((F(1, 100), F(1, 10), F(1, 10)), (F(1, 10), F(2, 5), F(1, 10)), (F(1, 20), F(1, 4), F(1, 20)))
    remark = ""
    for rare, common, step in (*printed, *others):
        claim = Claim(
            side(Call(scene, pair("P2", common + step), pair("Q2", common))),
            "<",
            side(Call(scene, pair("P1", rare + step), pair("Q1", rare))),
        )
        answer = _one(claim, examination)
        if not isinstance(answer, Holds):
            return answer
        remark = remark or answer.remark
    return Holds(1 + len(others), None, remark)


# ---------------------------------------------------------------------- the ground distance itself


def _wider(scene: Scene, there: Scene, p: Named, q: Named) -> Claim:
    return Claim(side(Call(scene, p, q)), "≤", side(Call(there, p, q)))


def _wider_scenes(scene: Scene) -> list[Scene]:
    return [scene.subject.under(ground) for ground in apart(scene.ground)]


def _ground_monotone(examination: Examination) -> Verdict:
    if not examination.subject.takes_ground:
        return NotApplicable("it takes no ground distance")
    law = Law(("P", "Q"), _wider, cases=_wider_scenes, most=4)
    return examination.settle(law, remark="all distances doubled, and each cut twice as wide")


def _agrees_with_emd(examination: Examination) -> Verdict:
    if not examination.claims_emd:
        return NotApplicable("it does not claim to be an Earth Mover's Distance (claims_emd=True asks)")

    references: dict[int, Scene] = {}

    def claim(scene: Scene, case: Any, p: Named, q: Named) -> Claim:
        reference = references.setdefault(scene.m, earth_mover(scene.ground))
        return Claim(side(Call(scene, p, q)), "=", side(Call(reference, p, q)))

    return examination.settle(Law(("P", "Q"), claim, most=6))


CHECKS = (
    Check(
        "farther-costs-more",
        "moving mass from i to k costs no less than to j if k is farther (and j on the way, or Q uniform), and "
        "somewhere more",
        "TC §4 (distances between values); TKDE, wish 5 (semantic awareness)",
        "a class of similar values counts no worse than a diverse one: similarity attacks go unnoticed",
        "wishes",
        _farther,
    ),
    Check(
        "salary-order",
        "of nine salaries, {3k, 4k, 5k} is farther from all than {6k, 8k, 11k}",
        "TC §4, the thought experiment with Tables 3 and 4",
        "the paper's own example comes out in the wrong order, or undecided",
        "wishes",
        _salaries,
    ),
    Check(
        "ground-monotone",
        "if values move apart, no distance falls",
        "TC §4 (cost of a unit of mass); TKDE, wish 5 (semantic awareness)",
        "calling two values less alike can hide a difference between classes",
        "wishes",
        _ground_monotone,
    ),
    Check(
        "probability-scaling",
        "0.01 → 0.11 is farther than 0.4 → 0.5, and likewise for other rare and common values",
        "TC §8; TKDE, wish 3 (probability scaling)",
        "a rare value may become many times likelier at the price of a slight change of a common one",
        "wishes",
        _scaling,
    ),
    Check(
        "emd-agreement",
        "D(P, Q) = EMD(P, Q) under the ground distance",
        "TC §5 (closed forms), certified by transport",
        "thresholds and published numbers of t-closeness do not carry over",
        "wishes",
        _agrees_with_emd,
    ),
)
