"""How a distance behaves as a function: exact, deterministic, and without traces in its inputs."""

from __future__ import annotations

import copy
import itertools
import math
from collections import Counter
from fractions import Fraction
from functools import partial
from typing import Any

from tcloseness.axioms.checker import Checker, Vectors
from tcloseness.axioms.function import BoundFunction
from tcloseness.axioms.laws import Named, Vector, counterexample, wrong_value
from tcloseness.axioms.search import grid
from tcloseness.axioms.values import NoNumber, Value
from tcloseness.axioms.verdict import Check, CheckVerdict, Fails, Holds
from tcloseness.exact import shown_value

__all__ = ["CHECKS", "DOUBLE_ERROR"]

DOUBLE_ERROR = 2.0**-40
"""The greatest error, relative to the value and 1, that a measure of doubles may have: 2¹³ roundings of one double."""

_SAMPLE = 60
"""So many pairs of distributions are called twice."""


def _sample(checker: Checker) -> list[Vectors]:
    pairs = itertools.chain.from_iterable(grid(m, 2) for m in checker.sizes[:2])
    return list(itertools.islice((v for v in pairs if v[0] != v[1]), 0, 8 * checker.some(_SAMPLE), 8))


def _exact(checker: Checker) -> CheckVerdict:
    kinds: Counter[str] = Counter()
    greatest, worst = 0.0, None
    for p, q in _sample(checker):
        d = checker.over(len(p))
        found = d.value(p, q)
        if isinstance(found, NoNumber):
            continue
        checker.tried += 1
        kinds[type(found.number).__name__ if found.exact else "float"] += 1
        if found.epsilon > 2 * DOUBLE_ERROR:
            wrong = f"= {found} is rounded to {-math.log2(found.epsilon):.0f} bits"
            return Fails(wrong_value(d, p, q, wrong, "isinstance({call}, (float, int, F))"))
        if not found.exact and (error := _error(d, p, q, found)) > greatest:
            greatest, worst = error, (d, p, q, found)
    if worst is not None and greatest > DOUBLE_ERROR:
        d, p, q, found = worst
        wrong = f"= {found}, and differs by {greatest:.2g} when the same numbers are given in another way"
        again = checker.function.call_code("[float(x) for x in P]", "[float(x) for x in Q]", d.ground)
        return Fails(wrong_value(d, p, q, wrong, f"abs(float({{call}}) - float({again})) <= 2**-40"))
    remark = f"exact ({', '.join(kind for kind in kinds if kind != 'float')})"
    if "float" in kinds:
        compared = f"they differ by at most {greatest:.2g} between the forms of input"
        remark = f"doubles; {compared if len(checker.function.accepted) > 1 else 'it takes one form of input only'}"
    return checker.holds(remark)


def _error(d: BoundFunction, p: Vector, q: Vector, found: Value) -> float:
    """Return how far the value is from those of the same numbers in other forms."""
    error = 0.0
    for form in d.under_test.accepted:
        other = d.value_anew(p, q, form)
        if isinstance(other, Value) and found.finite and other.finite:
            error = max(error, abs(other.double - found.double) / max(1.0, abs(found.double)))
    return error


def _deterministic(checker: Checker) -> CheckVerdict:
    for p, q in _sample(checker):
        d = checker.over(len(p))
        first = d.value(p, q)
        for _ in range(2):
            again = d.value_anew(p, q)
            checker.tried += 1
            if str(again) != str(first):
                return Fails(wrong_value(d, p, q, f"= {first}, and then {again}", "{call} == {call} == {call}"))
    return Holds(checker.tried)


def _leaves_inputs(checker: Checker) -> CheckVerdict:
    function = checker.function
    for p, q in _sample(checker):
        d = checker.over(len(p))
        left, right = function.convert(p), function.convert(q)
        before = copy.deepcopy((left, right))
        d.ask(left, right)
        checker.tried += 1
        for name, given, was in (("P", left, before[0]), ("Q", right, before[1])):
            if not _same(given, was):
                named = Named("P", p), Named("Q", q)
                now = [f"{float(x):.6g}" if isinstance(x, (Fraction, float)) else shown_value(x) for x in given]
                lines = f"before = list({name})", d.code(*named), f"assert list({name}) == before"
                return Fails(counterexample(d, named, f"after D(P, Q), {name} is {', '.join(now)}", *lines))
    return Holds(checker.tried)


def _same(given: Any, was: Any) -> bool:
    """Say whether a distribution that was handed over still has its masses; whatever was put in may not compare."""
    try:
        return len(given) == len(was) and all(bool(a == b) for a, b in zip(given, was, strict=True))
    except Exception:  # noqa: BLE001
        return False


_values = partial(Check, group="values")

CHECKS = (
    _values(
        "exact",
        f"values are exact, or doubles with a relative error of at most 2^{math.log2(DOUBLE_ERROR):.0f}",
        "IEEE 754; Li et al. 2007, Definition 2 compares with a threshold",
        "a class at the threshold passes or fails by rounding",
        _exact,
    ),
    _values(
        "deterministic",
        "the same distributions have the same distance",
        "a distance is a function (Li et al. 2007, §4)",
        "an audit cannot be repeated",
        _deterministic,
    ),
    _values(
        "leaves-inputs",
        "P and Q are what they were after D(P, Q)",
        "a distance is a function (Li et al. 2007, §4)",
        "the second class of a table is compared with a reference that the first one has changed",
        _leaves_inputs,
    ),
)
