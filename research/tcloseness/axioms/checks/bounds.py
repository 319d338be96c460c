"""How a measure compares with the EMD and the variational distance: by constants, where there are any.

A constant is found as the extreme ratio over many pairs, among them pairs that approach each other, where divergences
lose against distances. It is proved where the measure runs on symbols, else it is one of examples. Ratios past 1000 and
below 1/1000 count as no constant.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tcloseness.axioms.amounts import Amount, is_exact
from tcloseness.axioms.check import Check
from tcloseness.axioms.examination import Examination, Vectors
from tcloseness.axioms.laws import Call, Claim, Law, Named, counterexample_of, side
from tcloseness.axioms.reference import Reference, earth_mover, variational
from tcloseness.axioms.search import grid
from tcloseness.axioms.subject import OutOfTime, Scene, Vector
from tcloseness.axioms.verdict import Fails, Holds, Undecided, Verdict
from tcloseness.exact import number_text

__all__ = ["CHECKS", "LARGEST_CONSTANT"]

LARGEST_CONSTANT = 1000
"""A constant past it is none."""

_STEPS = tuple(Fraction(1, 10**k) for k in (2, 4, 7, 10))

Made = Callable[[Scene], Reference]


@dataclass(frozen=True)
class _Extreme:
    """The pair with the extreme ratio so far."""

    ratio: Fraction | float
    scene: Scene
    vectors: Vectors


def _pairs(m: int, examination: Examination) -> Iterator[Vectors]:
    """Yield different distributions: small ones, and pairs that approach each other."""
    yield from (v for v in itertools.islice(grid(m, 2), examination.some(400)) if v[0] != v[1])
    for denominator_pairs in itertools.islice(grid(m, 1), examination.some(9) + 3):
        q = denominator_pairs[0]
        for (i, j), step in itertools.product(itertools.permutations(range(m), 2), _STEPS):
            if q[i] >= step:
                yield tuple(x - step * (c == i) + step * (c == j) for c, x in enumerate(q)), q


def _ratio(scene: Scene, reference: Reference, p: Vector, q: Vector) -> Fraction | float | None:
    found, other = scene.outcome(p, q), reference.outcome(p, q)
    if not isinstance(found, Amount) or not isinstance(other, Amount):
        return None
    if not is_exact(found) and other.double < 2.0**-14:  # a double of D may be rounding alone
        return None
    if not other.double:
        return math.inf if found.double > 0 else None
    if isinstance(found.value, Fraction) and isinstance(other.value, Fraction):
        return found.value / other.value
    return found.double / other.double


def _bound(examination: Examination, made: Made, *, lower: bool) -> Verdict:
    references: dict[int, Reference] = {}
    tried, extreme = 0, None
    try:
        for m in examination.sizes[:3]:
            scene = examination.scene(m)
            reference = references.setdefault(m, made(scene))
            for p, q in _pairs(m, examination):
                ratio = _ratio(scene, reference, p, q)
                if ratio is None:
                    continue
                tried += 1
                if extreme is None or (ratio < extreme.ratio if lower else ratio > extreme.ratio):
                    extreme = _Extreme(ratio, scene, (p, q))
                if ratio < Fraction(1, LARGEST_CONSTANT) if lower else ratio > LARGEST_CONSTANT:
                    constant = Fraction(1, LARGEST_CONSTANT) if lower else Fraction(LARGEST_CONSTANT)
                    return Fails(counterexample_of(_claim(lower, constant, references)(scene, None, *_named(p, q)), []))
    except OutOfTime:
        return Undecided(f"{examination.budget:g} s were over after {tried} examples")
    if extreme is None:
        return Undecided("no example gave a number")
    return _proved(examination, extreme, tried, lower, references, made)


def _named(p: Vector, q: Vector) -> tuple[Named, Named]:
    return Named("P", p), Named("Q", q)


def _claim(lower: bool, constant: Fraction, references: dict[int, Reference], made: Made | None = None) -> Any:
    def claim(scene: Scene, case: Any, p: Named, q: Named) -> Claim:
        if scene.m not in references and made is not None:
            references[scene.m] = made(scene)
        ours, theirs = side(Call(scene, p, q)), side((constant, Call(references[scene.m], p, q)))
        return Claim(theirs, "≤", ours) if lower else Claim(ours, "≤", theirs)

    return claim


def _proved(
    examination: Examination, extreme: _Extreme, tried: int, lower: bool, references: dict[int, Reference], made: Made
) -> Verdict:
    constant = (
        extreme.ratio
        if isinstance(extreme.ratio, Fraction)
        else Fraction(extreme.ratio).limit_denominator(LARGEST_CONSTANT)
    )
    letter = references[extreme.scene.m].letter
    sizes = examination.sizes[:3]
    about = number_text(constant) if constant.denominator < 100 else f"{float(extreme.ratio):.4g}"
    relation = f"D {'≥' if lower else '≤'} {about}·{letter}"
    remark = f"{relation} for m ≤ {sizes[-1]}"
    held = Holds(tried, None, remark)
    if isinstance(extreme.ratio, float) and not constant:
        return held
    law = Law(("P", "Q"), _claim(lower, constant, references, made), most=sizes[-1])
    proof = examination.prove(law, held)
    return proof if isinstance(proof, Holds) else held


def _emd(scene: Scene) -> Reference:
    return earth_mover(scene.ground)


def _variational(scene: Scene) -> Reference:
    return variational(scene.m)


CHECKS = (
    Check(
        "at-least-emd",
        "D(P, Q) ≥ c·EMD(P, Q) with a constant c > 1/1000",
        "TC §4; the bounds of a metric by another",
        "a table that is close under D may be far under the EMD: no t for D gives a t for t-closeness",
        "wishes",
        lambda e: _bound(e, _emd, lower=True),
    ),
    Check(
        "at-most-emd",
        "D(P, Q) ≤ C·EMD(P, Q) with a constant C < 1000",
        "TC §4; the bounds of a metric by another",
        "a table that is close under the EMD may be far under D: existing releases must be measured anew",
        "wishes",
        lambda e: _bound(e, _emd, lower=False),
    ),
    Check(
        "at-least-variational",
        "D(P, Q) ≥ c·½Σ|p − q| with a constant c > 1/1000",
        "TC §4 (variational distance)",
        "a small D does not limit how much likelier any event becomes in a class",
        "wishes",
        lambda e: _bound(e, _variational, lower=True),
    ),
    Check(
        "at-most-variational",
        "D(P, Q) ≤ C·½Σ|p − q| with a constant C < 1000",
        "TC §4 (variational distance)",
        "the tiniest change of probabilities may have a large distance",
        "wishes",
        lambda e: _bound(e, _variational, lower=False),
    ),
)
