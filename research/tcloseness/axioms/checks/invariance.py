"""What must not change a distance: names of values, values without records, vanishing masses, the number of records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from tcloseness.axioms.amounts import Amount, amount, difference_sign, text
from tcloseness.axioms.check import Check
from tcloseness.axioms.examination import Examination, Vectors
from tcloseness.axioms.grounds import extended, isometries, permuted
from tcloseness.axioms.laws import Call, Claim, Law, Named, side
from tcloseness.axioms.search import grid
from tcloseness.axioms.subject import OutOfTime, Scene, Vector
from tcloseness.axioms.verdict import Counterexample, Fails, Holds, NotApplicable, Undecided, Verdict
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


def _relabellings(scene: Scene) -> Iterable[Any]:
    orders = _orders(scene.m)
    if not scene.subject.takes_ground:
        return [(order, scene) for order in isometries(scene.ground, orders)]
    return [(order, scene.subject.under(permuted(scene.ground, order))) for order in orders]


def _relabelled(scene: Scene, case: tuple[tuple[int, ...], Scene], p: Named, q: Named) -> Claim:
    order, there = case
    p_, q_ = (Named(f"{v.name}_", tuple(v.masses[i] for i in order)) for v in (p, q))
    return Claim(side(Call(scene, p, q)), "=", side(Call(there, p_, q_)))


def _check_relabelling(examination: Examination) -> Verdict:
    m = examination.sizes[0]
    if not list(_relabellings(examination.scene(m))):
        return NotApplicable("it takes no ground distance, and no relabelling keeps the distances of this one")
    return examination.settle(Law(("P", "Q"), _relabelled, cases=_relabellings, most=4))


# ---------------------------------------------------------------------- a value that never occurs


def _with_one_more(scene: Scene) -> Iterator[tuple[Scene, int, Fraction, Fraction]]:
    """Yield the measure over one value more, where that stands, and by what factors the distances may change."""
    subject, m = scene.subject, scene.m
    if subject.takes_ground:
        for beside in (0, m - 1):
            yield subject.under(extended(scene.ground, beside, F(1, 2))), m, F(1), F(1)
        return
    larger = subject.family.over(m + 1)
    if larger is not None and subject.kind != "bound measure":
        for place in (m, 0):
            yield subject.at(m + 1), place, *_change(scene.ground, larger, place)


def _absent(scene: Scene, case: tuple[Scene, int, Fraction, Fraction], p: Named, q: Named) -> list[Claim]:
    larger, place, least, most = case
    p0, q0 = (Named(f"{v.name}0", (*v.masses[:place], 0 * v.masses[0], *v.masses[place:])) for v in (p, q))
    before, after = Call(scene, p, q), Call(larger, p0, q0)
    if least == most == 1:
        return [Claim(side(before), "=", side(after))]
    return [Claim(side((least, before)), "≤", side(after)), Claim(side(after), "≤", side((most, before)))]


def _change(ground: GroundDistance, larger: GroundDistance, place: int) -> tuple[Fraction, Fraction]:
    """Return by what factors the distances of the old values change, 1 among them (a measure may not look at them)."""
    old = [i for i in range(larger.m) if i != place]
    factors = {F(1)}
    for i, j in itertools.combinations(range(ground.m), 2):
        if ground.distance(i, j):
            factors.add(larger.distance(old[i], old[j]) / ground.distance(i, j))
    return min(factors), max(factors)


def _check_absent(examination: Examination) -> Verdict:
    scene = examination.scene(examination.sizes[0])
    if not list(_with_one_more(scene)):
        return NotApplicable("it is bound to its domain, which has no further value")
    remark = (
        "one more value, half a unit past the first or the last"
        if examination.subject.takes_ground
        else "one more value, before the first or after the last"
    )
    answer: Verdict | None = None
    for part in (0, 1):

        def claim(scene: Scene, case: Any, p: Named, q: Named, part: int = part) -> Claim:
            claims = _absent(scene, case, p, q)
            return claims[min(part, len(claims) - 1)]

        found = examination.settle(Law(("P", "Q"), claim, cases=_with_one_more, most=4), remark=remark)
        if not isinstance(found, Holds):
            return found
        if answer is None or (found.proved or 0) < (answer.proved or 0):  # type: ignore[union-attr]
            answer = found
        if len(_absent(scene, next(_with_one_more(scene)), *_some(scene))) == 1:
            break
    assert answer is not None
    return answer


def _some(scene: Scene) -> tuple[Named, Named]:
    even = tuple([F(1, scene.m)] * scene.m)
    return Named("P", even), Named("Q", even)


# ---------------------------------------------------------------------- a mass that vanishes

_STEPS = tuple(F(1, 10**k) for k in (3, 6, 9))


def _vanishing(examination: Examination) -> Verdict:
    """Compare D at P with D at (1 − ε)·P + ε·[i] for falling ε, for a value i that P lacks and Q has."""

    def trial(vectors: Vectors) -> tuple[int, Counterexample | None]:
        p, q = vectors
        scene = examination.scene(len(p))
        counted = 0
        for i in range(len(p)):
            if p[i] or not q[i]:
                continue
            near = [tuple((1 - e) * x + e * (k == i) for k, x in enumerate(p)) for e in _STEPS]
            found = [scene.outcome(v, q) for v in (p, *near)]
            values = [x.double for x in found if isinstance(x, Amount)]
            if len(values) < len(found):
                continue
            counted += 1
            if not _continuous(values[0], values[1:]):
                return counted, _jump(scene, p, q, near[-1], values)
        return counted, None

    return examination.tried(trial, 2, examination.sizes)


def _continuous(at: float, near: list[float]) -> bool:
    """Say whether the values go to that at 0: their gaps fall at least to a quarter, or they grow without end."""
    if math.isinf(at):
        first, second, third = near
        return math.isinf(third) or third - second >= abs(third - first) / 4 > 0
    gaps = [abs(x - at) for x in near]
    return not math.isinf(gaps[-1]) and (gaps[-1] <= 2.0**-20 or gaps[-1] <= gaps[0] / 4)


def _jump(scene: Scene, p: Vector, q: Vector, near: Vector, values: list[float]) -> Counterexample:
    subject = scene.subject
    vectors = {"P": p, "P_near": near, "Q": q}
    body = [f"{name} = {subject.vector_code(v)}" for name, v in vectors.items()]
    calls = [f"float({subject.call_code(name, 'Q', scene.ground)})" for name in ("P", "P_near")]
    body.append(f"assert abs({calls[0]} - {calls[1]}) < 2**-20")
    return Counterexample(
        inputs={name: tuple(str(x) for x in v) for name, v in vectors.items()},
        ground=f"{scene.ground.name}, m = {scene.m}",
        values={"D(P, Q)": f"{values[0]:.6g}", "D(P_near, Q)": f"{values[-1]:.6g}"},
        finding=f"D(P, Q) = {values[0]:.6g}, but {values[-1]:.6g} with 10⁻⁹ of the mass on the value that P lacks",
        code=(*subject.imports("\n".join(body)), *body),
    )


# ---------------------------------------------------------------------- counts


def _scale_of_counts(examination: Examination) -> Verdict:
    """Compare `per_class` of counts, of 3 and 10⁶ times the counts, with `distance` of the distributions."""
    subject, tried = examination.subject, 0
    if subject.kind not in ("Measure", "bound measure"):
        return NotApplicable("it takes distributions, and no counts")
    try:
        for m in examination.sizes[:2]:
            scene = examination.scene(m)
            for p, q in itertools.islice(grid(m, 2), 0, 240, 3):
                if any(a and not b for a, b in zip(p, q, strict=True)) or len(set(q)) == 1 == m:
                    continue
                for factor in (1, 3, 10**6):
                    tried += 1
                    if wrong := differs_by_class(scene, _matrix(p, q, factor)):
                        return Fails(wrong)
    except OutOfTime:
        return Undecided(f"{examination.budget:g} s were over after {tried} examples")
    return Holds(tried)


def _matrix(p: Vector, q: Vector, factor: int) -> list[list[int]]:
    """Return counts, shape (m, 2): a class with distribution P in a table with distribution Q."""
    n = math.lcm(*(x.denominator for x in p))
    total = n * math.lcm(*(x.denominator for x in q))
    while any(b * total < a * n for a, b in zip(p, q, strict=True)):  # the rest of the table cannot be negative
        total *= 2
    if all(b * total == a * n for a, b in zip(p, q, strict=True)):
        total *= 2
    return [[int(a * n) * factor, int(b * total - a * n) * factor] for a, b in zip(p, q, strict=True)]


def differs_by_class(scene: Scene, matrix: list[list[int]]) -> Counterexample | None:
    """Compare `per_class` for the first class of a table with `distance` of its distribution.

    Parameters
    ----------
    matrix
        Shape (m, classes): the counts.
    """
    first, whole = [row[0] for row in matrix], [sum(row) for row in matrix]
    p = tuple(F(c, sum(first)) for c in first)
    q = tuple(F(c, sum(whole)) for c in whole)
    expected, found = scene.outcome(p, q), _of_class(scene, matrix)
    if not isinstance(expected, Amount) or (isinstance(found, Amount) and not difference_sign(expected, found)):
        return None
    said = f"gives {text(found)}" if isinstance(found, Amount) else found
    subject = scene.subject
    call = subject.call_code("P", "Q", scene.ground)
    body = [
        f"P = {subject.vector_code(p)}",
        f"Q = {subject.vector_code(q)}",
        f"classes = tc.ClassCounts.from_matrix({matrix}, domain=tc.Domain.declare(range({scene.m})))",
        f"of_class = {call.removesuffix('.distance(P, Q)')}.per_class(classes)[0]",
        f"assert abs(float(of_class) - float({call})) <= 2**-24",
    ]
    return Counterexample(
        inputs={"P": tuple(map(str, p)), "Q": tuple(map(str, q))},
        ground=f"{scene.ground.name}, m = {scene.m}",
        values={"D(P, Q)": text(expected)},
        finding=f"D(P, Q) = {text(expected)}, and per_class {said} for the first of the classes with counts {matrix}",
        code=(*subject.imports("\n".join(body)), *body),
    )


def _of_class(scene: Scene, matrix: list[list[int]]) -> Amount | str:
    """Return the distance of the first class from the table, by `per_class`; or what is wrong with it."""
    subject = scene.subject
    try:
        bound = subject.over(scene.ground) if subject.kind == "Measure" else subject.measure
        classes = ClassCounts.from_matrix(matrix, domain=Domain.declare(range(scene.m)))
        found = amount(bound.per_class(classes)[0])
    except Exception as error:  # noqa: BLE001 (whatever a measure raises is an answer to report)
        return f"raises {type(error).__name__}: {error}"
    return "no real number" if found is None else found


CHECKS = (
    Check(
        "relabelling",
        "renaming the values changes nothing, if their ground distances go along",
        "TC §4 (only the ground distance knows the values)",
        "the result depends on how the values are sorted or coded, or on the order of the rows",
        "values",
        _check_relabelling,
    ),
    Check(
        "absent-value",
        "a value that occurs neither in P nor in Q changes nothing, except as it changes the ground distances",
        "TC §4; conventions of the domain (observed or declared)",
        "declaring a domain, or a value that only another table has, changes the result",
        "values",
        _check_absent,
    ),
    Check(
        "vanishing-mass",
        "D at P is the limit of D as a mass that P lacks goes to 0",
        "TC §4 (sums over all values of the domain, not over those present)",
        "a class that lacks a value of the table is measured as if the table had none either: it is under-reported",
        "values",
        _vanishing,
    ),
    Check(
        "scale-of-counts",
        "a class and one with many times its records have the distance of their distribution",
        "TC Definition 2 (distributions, not counts)",
        "duplicating all records changes the result",
        "values",
        _scale_of_counts,
    ),
)
