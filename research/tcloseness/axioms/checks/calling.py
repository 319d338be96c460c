"""How a measure behaves as a function: exact, deterministic, and without traces in its inputs."""

from __future__ import annotations

import copy
import itertools
import math

import numpy as np

from tcloseness.axioms.amounts import Amount, is_exact, text
from tcloseness.axioms.check import Check
from tcloseness.axioms.examination import Examination, Vectors
from tcloseness.axioms.laws import Named, found_wrong
from tcloseness.axioms.search import grid
from tcloseness.axioms.subject import OutOfTime, Scene, shown
from tcloseness.axioms.verdict import Counterexample, Fails, Holds, Undecided, Verdict

__all__ = ["CHECKS", "DOUBLE_ERROR"]

DOUBLE_ERROR = 2.0**-40
"""The greatest error, relative to the value and 1, that a measure of doubles may have: 2¹³ roundings of one double."""

_SAMPLE = 60
"""So many pairs of distributions are called twice."""


def _sample(examination: Examination) -> list[Vectors]:
    pairs = itertools.chain.from_iterable(grid(m, 2) for m in examination.sizes[:2])
    return list(itertools.islice((v for v in pairs if v[0] != v[1]), 0, 8 * examination.some(_SAMPLE), 8))


def _exact(examination: Examination) -> Verdict:
    subject = examination.subject
    kinds: dict[str, int] = {}
    greatest, worst = 0.0, None
    tried = 0
    try:
        for p, q in _sample(examination):
            scene = examination.scene(len(p))
            found = scene.outcome(p, q)
            if not isinstance(found, Amount):
                continue
            tried += 1
            kind = type(found.value).__name__ if is_exact(found) else "float"
            kinds[kind] = kinds.get(kind, 0) + 1
            if found.epsilon > 2 * DOUBLE_ERROR:
                wrong = f"= {text(found)} is rounded to {-math.log2(found.epsilon):.0f} bits"
                return Fails(
                    found_wrong(scene, Named("P", p), Named("Q", q), wrong, "isinstance({call}, (float, int, F))")
                )
            if not is_exact(found):
                error = _error(scene, p, q, found)
                if error > greatest:
                    greatest, worst = error, (scene, p, q, found)
    except OutOfTime:
        return Undecided(f"{examination.budget:g} s were over after {tried} examples")
    if not tried:
        return Undecided("no example gave a number")
    if worst is not None and greatest > DOUBLE_ERROR:
        scene, p, q, found = worst
        wrong = f"= {shown(found)}, and differs by {greatest:.2g} when the same numbers are given in another way"
        code = "abs(float({call}) - float(" + _again_code(scene) + ")) <= 2**-40"
        return Fails(found_wrong(scene, Named("P", p), Named("Q", q), wrong, code))
    exact = [kind for kind in kinds if kind != "float"]
    remark = f"exact ({', '.join(exact)})"
    if "float" in kinds:
        remark = f"doubles; they differ by at most {greatest:.2g}"
        remark += " between the forms of input" if len(subject.accepted) > 1 else " when the values are turned round"
    return Holds(tried, None, remark)


def _error(scene: Scene, p: tuple[object, ...], q: tuple[object, ...], found: Amount) -> float:
    """Return how far the value is from that of the same numbers in another form; reversed if there is no other form."""
    subject, error = scene.subject, 0.0
    for form in subject.accepted:
        other = scene.call(p, q, form)  # type: ignore[arg-type]
        if isinstance(other, Amount) and math.isfinite(found.double) and math.isfinite(other.double):
            error = max(error, abs(other.double - found.double) / max(1.0, abs(found.double)))
    return error


def _again_code(scene: Scene) -> str:
    call = scene.subject.call_code("[float(x) for x in P]", "[float(x) for x in Q]", scene.ground)
    return call


def _deterministic(examination: Examination) -> Verdict:
    tried = 0
    try:
        for p, q in _sample(examination):
            scene = examination.scene(len(p))
            first = scene.outcome(p, q)
            for _ in range(2):
                again = scene.call(p, q)
                tried += 1
                if shown(again) != shown(first):
                    wrong = f"= {shown(first)}, and then {shown(again)}"
                    return Fails(found_wrong(scene, Named("P", p), Named("Q", q), wrong, "{call} == {call} == {call}"))
    except OutOfTime:
        return Undecided(f"{examination.budget:g} s were over after {tried} examples")
    return Holds(tried)


def _leaves_inputs(examination: Examination) -> Verdict:
    tried = 0
    subject = examination.subject
    for p, q in _sample(examination):
        scene = examination.scene(len(p))
        left, right = subject.convert(p), subject.convert(q)
        before = copy.deepcopy((left, right))
        scene.call_with(left, right)
        tried += 1
        for given, was, name in ((left, before[0], "P"), (right, before[1], "Q")):
            if len(given) != len(was) or not all(a == b for a, b in zip(given, was, strict=True)):
                return Fails(_changed(scene, p, q, name, given))
    return Holds(tried)


def _changed(scene: Scene, p: tuple[object, ...], q: tuple[object, ...], name: str, given: object) -> Counterexample:
    subject = scene.subject
    vectors = {"P": p, "Q": q}
    masses = {key: tuple(str(x) for x in v) for key, v in vectors.items()}
    body = [f"{key} = {subject.vector_code(v)}" for key, v in vectors.items()]  # type: ignore[arg-type]
    now = [f"{float(x):.6g}" for x in given] if isinstance(given, (list, np.ndarray)) else [str(given)]
    body += [
        f"before = list({name})",
        subject.call_code("P", "Q", scene.ground),
        f"assert list({name}) == before",
    ]
    return Counterexample(
        inputs=masses,
        ground=f"{scene.ground.name}, m = {scene.m}",
        values={},
        finding=f"after D(P, Q), {name} is {', '.join(now)}",
        code=(*subject.imports("\n".join(body)), *body),
    )


CHECKS = (
    Check(
        "exact",
        f"values are exact, or doubles with a relative error of at most 2^{math.log2(DOUBLE_ERROR):.0f}",
        "IEEE 754; TC Definition 2 compares with a threshold",
        "a class at the threshold passes or fails by rounding",
        "values",
        _exact,
    ),
    Check(
        "deterministic",
        "the same distributions have the same distance",
        "a distance is a function (TC §4)",
        "an audit cannot be repeated",
        "values",
        _deterministic,
    ),
    Check(
        "leaves-inputs",
        "P and Q are what they were after D(P, Q)",
        "a distance is a function (TC §4)",
        "the second class of a table is compared with a reference that the first one has changed",
        "values",
        _leaves_inputs,
    ),
)
