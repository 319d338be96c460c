"""Numbers at their limits: many records, tiny masses, one value, many values, steps as small as rounding."""

from __future__ import annotations

import math
import time
from fractions import Fraction

from tcloseness.axioms.amounts import Amount, amount, difference_sign, text
from tcloseness.axioms.check import Check
from tcloseness.axioms.checks.invariance import differs_by_class
from tcloseness.axioms.examination import Examination
from tcloseness.axioms.laws import Named, found_wrong
from tcloseness.axioms.subject import NoNumber, OutOfTime, Scene, Vector, shown
from tcloseness.axioms.verdict import Counterexample, Fails, Holds, NotApplicable, Undecided, Verdict
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


def _bases(m: int) -> list[tuple[Vector, Vector]]:
    even = tuple([F(1, m)] * m)
    rising = tuple(F(2 * (i + 1), m * (m + 1)) for i in range(m))
    return [(even, rising), (rising, even), (tuple(reversed(rising)), rising)]


def _large_counts(examination: Examination) -> Verdict:
    """Compare D of P and Q with D of their nearest distributions of huge denominators, and `per_class` with both."""
    tried = 0
    try:
        for m in examination.sizes[:2]:
            scene = examination.scene(m)
            for p, q in _bases(m):
                expected = scene.outcome(p, q)
                if not isinstance(expected, Amount) or not math.isfinite(expected.double):
                    continue
                for n in _HUGE:
                    near = _near(p, n), _near(q, n + 2)
                    found = scene.outcome(*near)
                    tried += 1
                    if wrong := _other(found, expected):
                        assertion = f"abs(float({{call}}) - {expected.double!r}) <= 2**-18"
                        return Fails(found_wrong(scene, Named("P", near[0]), Named("Q", near[1]), wrong, assertion))
                    if examination.subject.kind in ("Measure", "bound measure") and n < 2**60:
                        tried += 1
                        if different := differs_by_class(scene, _large_table(m, n)):
                            return Fails(different)
    except OutOfTime:
        return Undecided(f"{examination.budget:g} s were over after {tried} examples")
    return Holds(tried) if tried else Undecided("no example gave a number")


def _other(found: Amount | NoNumber, expected: Amount) -> str | None:
    if isinstance(found, NoNumber):
        return found.what
    if abs(found.double - expected.double) <= 2.0**-18 * max(1.0, abs(expected.double)):
        return None
    return f"= {text(found)}, where distributions that differ by less than 10⁻⁹ have {text(expected)}"


def _large_table(m: int, n: int) -> list[list[int]]:
    """Return the counts of two classes of n records, each with nearly all of them on one value."""
    first, last = [n - (m - 1)] + [1] * (m - 1), [1] * (m - 1) + [n - (m - 1)]
    return [list(row) for row in zip(first, last, strict=True)]


def _tiny(examination: Examination) -> Verdict:
    m = examination.sizes[0]
    scene = examination.scene(m)
    tried = 0
    rest = [F(0)] * (m - 2)
    for tiny in _TINY:
        for p0, q0 in ((tiny, tiny), (tiny, 2 * tiny), (2 * tiny, tiny), (tiny, F(1, 2))):
            p, q = (p0, 1 - p0, *rest), (q0, 1 - q0, *rest)
            found = scene.outcome(p, q)
            tried += 1
            if not isinstance(found, Amount) or not math.isfinite(found.double):
                says = f"= {shown(found)}" if isinstance(found, Amount) else found.what
                return Fails(_tiny_case(scene, p, q, says))
            if found.double < 0 or (p == q and found.double > 2.0**-24 and _zero_at_half(scene)):
                return Fails(_tiny_case(scene, p, q, f"= {text(found)}"))
    return Holds(tried)


def _zero_at_half(scene: Scene) -> bool:
    half = (F(1, 2), F(1, 2), *[F(0)] * (scene.m - 2))
    found = scene.outcome(half, half)
    return isinstance(found, Amount) and abs(found.double) <= 2.0**-24


def _tiny_case(scene: Scene, p: Vector, q: Vector, says: str) -> Counterexample:
    found = found_wrong(scene, Named("P", p), Named("Q", q), says, "0 <= float({call}) < math.inf")
    inputs = {name: tuple(map(_short, v)) for name, v in (("P", p), ("Q", q))}
    return Counterexample(inputs, found.ground, found.values, found.finding, found.code)


def _short(x: Fraction) -> str:
    written = number_text(x)
    return written if len(written) < 30 else f"{float(x):.3g}" if x < F(1, 2) else f"1 − {float(1 - x):.3g}"


def _one_value(examination: Examination) -> Verdict:
    subject = examination.subject
    if 1 not in subject.sizes(1, 1):
        return NotApplicable("it is bound to its domain")
    one = (F(1),)
    scene = subject.at(1)
    found = scene.outcome(one, one)
    if isinstance(found, NoNumber):
        return Fails(found_wrong(scene, Named("P", one), Named("Q", one), found.what, "float({call}) == 0"))
    more = examination.scene(examination.sizes[0])
    even = tuple([F(1, more.m)] * more.m)
    expected = more.outcome(even, even)
    zero = expected if isinstance(expected, Amount) else amount(0)
    assert zero is not None
    if difference_sign(found, zero):
        wrong = f"= {text(found)}; P = Q has {text(zero)} elsewhere"
        return Fails(found_wrong(scene, Named("P", one), Named("Q", one), wrong, f"float({{call}}) == {zero.double!r}"))
    return Holds(1)


def _many_values(examination: Examination) -> Verdict:
    """Ask about ever more values, as long as the next question will be answered soon, at the rate the cost grows."""
    subject = examination.subject
    if subject.family.largest is not None:
        return NotApplicable("it is bound to its domain")
    before = 0.0
    for m in MANY:
        scene = subject.at(m)
        p = tuple(F(2 * (i + 1), m * (m + 1)) for i in range(m))
        q = tuple([F(1, m)] * m)
        began = time.monotonic()
        found = scene.call(p, q)
        took = time.monotonic() - began
        if isinstance(found, NoNumber) or not math.isfinite(found.double):
            return Fails(_many_case(scene, m, found))
        growth = min(max(took / before, 3), 27) if before else 27
        if m < MANY[-1] and took * growth > examination.budget / 8:
            return Undecided(f"over {m} values one distance takes {took:.2g} s; {MANY[-1]} were not tried")
        before = took
    return Holds(len(MANY))


def _many_case(scene: Scene, m: int, found: Amount | NoNumber) -> Counterexample:
    subject = scene.subject
    body = [
        f"m = {m}",
        "P = [F(2 * (i + 1), m * (m + 1)) for i in range(m)]",
        "Q = [F(1, m)] * m",
    ]
    if subject.form != "fractions":
        body += ["P, Q = [float(x) for x in P], [float(x) for x in Q]"]
    if subject.form == "array":
        body += ["P, Q = np.array(P), np.array(Q)"]
    call = subject.call_code("P", "Q", scene.ground) if m <= 30 else "measure(P, Q)"
    body.append(f"assert math.isfinite(float({call}))")
    inputs = {"P": (f"2(i + 1)/(m(m + 1)) for {m} values i",), "Q": (f"1/m for {m} values",)}
    code = ("import math", *subject.imports("\n".join(body)), *body)
    return Counterexample(inputs, f"{scene.ground.name}, m = {m}", {}, f"D(P, Q) {shown(found)}", code)


def _monotone_under_rounding(examination: Examination) -> Verdict:
    """Go from Q towards P in steps of 2⁻⁴⁰: D must not fall, not even by rounding."""
    tried = 0
    step = F(1, 2**40)
    try:
        for m in examination.sizes[:3]:
            scene = examination.scene(m)
            even = tuple([F(1, m)] * m)
            for q, p in ((even, tuple(F(int(i == 0)) for i in range(m))), *_bases(m)):
                for start in (F(1, 8), F(1, 3), F(1, 2), F(9, 10)):
                    points = [_between(q, p, start + k * step) for k in range(6)]
                    found = [scene.outcome(x, q) for x in points]
                    values = [x for x in found if isinstance(x, Amount)]
                    if len(values) < len(found):
                        continue
                    for k in range(5):
                        tried += 1
                        a, b = values[k], values[k + 1]
                        if b.double < a.double:
                            return Fails(_falls(scene, points[k], points[k + 1], q, a, b))
    except OutOfTime:
        return Undecided(f"{examination.budget:g} s were over after {tried} examples")
    return Holds(tried) if tried else Undecided("no example gave a number")


def _between(q: Vector, p: Vector, share: Fraction) -> Vector:
    return tuple((1 - share) * b + share * a for a, b in zip(p, q, strict=True))


def _falls(scene: Scene, near: Vector, far: Vector, q: Vector, a: Amount, b: Amount) -> Counterexample:
    subject = scene.subject
    vectors = {"P_near": near, "P_far": far, "Q": q}
    body = [f"{name} = {subject.vector_code(v)}" for name, v in vectors.items()]
    calls = [f"float({subject.call_code(name, 'Q', scene.ground)})" for name in ("P_near", "P_far")]
    body.append(f"assert {calls[0]} <= {calls[1]}")
    return Counterexample(
        inputs={name: tuple(number_text(x) for x in v) for name, v in vectors.items()},
        ground=f"{scene.ground.name}, m = {scene.m}",
        values={"D(P_near, Q)": repr(a.double), "D(P_far, Q)": repr(b.double)},
        finding=f"P_far is 2⁻⁴⁰ farther on the way from Q, and D falls from {a.double!r} to {b.double!r}",
        code=(*subject.imports("\n".join(body)), *body),
    )


CHECKS = (
    Check(
        "large-counts",
        "classes of more than 2³¹, 2⁵³ and 10¹⁸ records have the distance of their distribution",
        "conventions of the package (exact integers)",
        "an overflow turns a large class's distance into a small one",
        "numbers",
        _large_counts,
    ),
    Check(
        "tiny-probabilities",
        "masses of 10⁻¹², 10⁻¹⁰⁰ and 10⁻³⁰⁰ have finite distances, not below 0, and 0 for P = Q",
        "IEEE 754 (underflow)",
        "rare values stop an audit or turn it into infinities",
        "numbers",
        _tiny,
    ),
    Check(
        "one-value",
        "over one value the distance is that of P = Q",
        "TC §5.1 divides by m − 1; conventions of the package (0 for m = 1)",
        "a table with a single sensitive value stops an audit",
        "numbers",
        _one_value,
    ),
    Check(
        "many-values",
        "ten thousand values have a finite distance, in seconds",
        "TC §5 (closed forms of linear cost)",
        "numeric attributes with many values cannot be measured",
        "numbers",
        _many_values,
    ),
    Check(
        "monotone-under-rounding",
        "on the way from Q to P in steps of 2⁻⁴⁰ the distance never falls, whatever is rounded",
        "follows from convexity and D(Q, Q) = 0; IEEE 754",
        "two nearly equal classes are ranked by rounding, and bisection for a threshold goes astray",
        "numbers",
        _monotone_under_rounding,
    ),
)
