"""Judging one answer: right, right by another convention, wrong and on which side, undefined, error, timeout, skip."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.answers import Answer, Refused
from tcloseness.conformance.exact_text import agrees, answer_decimal, decimal
from tcloseness.conformance.protocol import RESULT_FIELDS, Failed, Given, Reply, Skipped, TimedOut
from tcloseness.conformance.readings import READINGS
from tcloseness.conformance.vectors import Vector
from tcloseness.printable import printable

__all__ = ["FAILURES", "VERDICTS", "Assessment", "answer_text", "assess", "settled"]

VERDICTS = (
    "right",
    "other convention",
    "wrong, unsafe side",
    "wrong, over-strict",
    "wrong",
    "undefined",
    "error",
    "timeout",
    "skipped",
)
"""In the order of reports. ``wrong`` alone is said of numbers that have no safe side, such as losses."""

FAILURES = ("wrong, unsafe side", "wrong, over-strict", "wrong", "undefined", "error", "timeout")


@dataclass(frozen=True)
class Assessment:
    """What is said of one answer.

    Attributes
    ----------
    verdict
        One of `VERDICTS`.
    looks_like
        The readings that would answer the same: the convention's name, or the likely mistake's.
    got
        The answer as it was sent, or what came in its place.
    because
        What is wrong with the answer, where the verdict of its table does not say it: the value, or a field's type.
    otherwise
        For another convention that was not declared: what is said if it turns out not to be followed.
    """

    verdict: str
    looks_like: tuple[str, ...] = ()
    got: str = ""
    because: str = ""
    otherwise: Assessment | None = None

    @property
    def failed(self) -> bool:
        """Whether it speaks against the implementation."""
        return self.verdict in FAILURES


_CRASH_WORDS = 800
"""How much is kept of a message about a crash, which has the beginning and the end of what the harness wrote."""


def assess(vector: Vector, reply: Reply, *, conventions: Sequence[str] = ()) -> Assessment:
    """Judge a harness's answer to a vector.

    `conventions` are the readings that the implementation declares to follow.
    """
    match reply:
        case Skipped():
            return Assessment("skipped", (), reply.why)
        case TimedOut():
            begun = f", only {reply.begun}" if reply.begun else ""
            return Assessment("timeout", (), f"no answer within {reply.seconds:g} s{begun}")
        case Failed():
            if isinstance(vector.expected, Refused) and not reply.crashed:
                return Assessment("right", (), f"refused: {reply.message}"[:200])
            alike = tuple(name for name, answer in vector.flags.items() if isinstance(answer, Refused))
            return Assessment("error", alike, reply.message[: _CRASH_WORDS if reply.crashed else 200])
    return _assess_result(vector, reply, conventions)


def _assess_result(vector: Vector, reply: Given, conventions: Sequence[str]) -> Assessment:
    got = answer_text(reply.fields)[:200]
    answer = _read(reply)
    if isinstance(answer, str):
        alike = [name for name, other in vector.flags.items() if isinstance(other, Refused)]
        return Assessment("undefined", tuple(alike), got or "an empty result", answer)
    if _matches(answer, vector.expected):
        return Assessment("right", (), got)
    alike = [name for name, other in vector.flags.items() if _matches(answer, other)]
    # a verdict alone agrees with every reading that errs, so it must have been declared
    decisive = answer.value is not None or answer.nodes is not None or vector.result == "acceptable"
    if _rounding_decides(vector, answer):
        alike = [name for name in alike if READINGS[name].kind == "convention"] + ["double-threshold"]
    named = [name for name in alike if READINGS[name].kind == "convention" and (decisive or name in conventions)]
    side, because = _side(vector, answer)
    wrong = Assessment(side, tuple(alike) if decisive else (), got, because)
    if not named:
        return wrong
    declared = any(name in conventions for name in named)
    return Assessment("other convention", tuple(named), got, otherwise=None if declared else wrong)


def settled(vectors: Sequence[Vector], assessments: Sequence[Assessment]) -> list[Assessment]:
    """Return the assessments with the readings that the answers to all tests speak for.

    Notes
    -----
    A wrong answer may coincide with what some reading answers. A reading's *following* is the share of the tests on
    which it matters, among those of the algorithm, that were answered as it has it. An undeclared convention counts
    only if it is followed at least half of the time; of several likenesses those are kept that are followed at least
    half as often as the one that is followed most.
    """
    following = _following(vectors, assessments)
    found = []
    for vector, assessment in zip(vectors, assessments, strict=True):
        if assessment.otherwise is not None:
            kept = tuple(n for n in assessment.looks_like if 2 * following[vector.algorithm, n] >= 1)
            assessment = replace(assessment, looks_like=kept) if kept else assessment.otherwise
        if assessment.failed and len(assessment.looks_like) > 1:
            best = max(following[vector.algorithm, name] for name in assessment.looks_like)
            alike = tuple(n for n in assessment.looks_like if 2 * following[vector.algorithm, n] >= best)
            assessment = replace(assessment, looks_like=alike)
        found.append(assessment)
    return found


def _following(vectors: Sequence[Vector], assessments: Sequence[Assessment]) -> dict[tuple[str, str], Fraction]:
    """Return by algorithm and reading how large a share of the tests on which it matters is answered as it has it."""
    matters: Counter[tuple[str, str]] = Counter()
    followed: Counter[tuple[str, str]] = Counter()
    for vector, assessment in zip(vectors, assessments, strict=True):
        if assessment.verdict not in ("skipped", "timeout"):
            alike = {*assessment.looks_like, *(assessment.otherwise.looks_like if assessment.otherwise else ())}
            matters.update((vector.algorithm, name) for name in {*vector.flags, *alike})
            followed.update((vector.algorithm, name) for name in alike)
    return {key: Fraction(followed[key], n) for key, n in matters.items()}


def answer_text(fields: Mapping[str, Any]) -> str:
    """Return an answer's fields in words."""
    words = []
    for name, value in fields.items():
        if name == "satisfied" and isinstance(value, bool):
            words.append("satisfied" if value else "violated")
        elif name == "refused":
            words.append("no answer")
        elif name == "nodes" and isinstance(value, list):
            words.append("nodes " + (" ".join(f"({','.join(map(str, node))})" for node in value) or "none"))
        elif name != "decimal":
            bare = isinstance(value, str) and name != "satisfied"
            words.append(f"{name} {value if bare else json.dumps(value, ensure_ascii=False, default=str)}")
    return printable(", ".join(words))


@dataclass(frozen=True)
class _Read:
    value: Decimal | None
    satisfied: bool | None
    nodes: tuple[tuple[int, ...], ...] | None
    excluded: int


def _read(reply: Given) -> _Read | str:
    """Read a result; where it holds nothing, or something that is neither a number nor a verdict, say what it is."""
    fields = reply.fields
    if not any(name in fields for name in RESULT_FIELDS[:3]):
        others = f" and not {', '.join(map(repr, fields))[:200]}" if fields else ""
        return f"a result has {', '.join(RESULT_FIELDS[:3])}, or several of them{others}"
    value = nodes = None
    satisfied = fields.get("satisfied")
    if "value" in fields:
        value = answer_decimal(fields["value"])
        if value is None:
            return f"the value is {json.dumps(fields['value'])[:60]}, which is not a number"
    if "satisfied" in fields and not isinstance(satisfied, bool):
        kind = "a text" if isinstance(satisfied, str) else "null" if satisfied is None else "a number"
        return f"satisfied is {kind}; it is true or false, without quotation marks, or left out"
    try:
        if "nodes" in fields:
            nodes = tuple(sorted(tuple(map(_whole, _listed(node))) for node in _listed(fields["nodes"])))
        excluded = _whole(fields.get("excluded", 0))
    except ValueError:
        return "nodes are lists of whole numbers, and excluded is a whole number"
    return _Read(value, satisfied, nodes, excluded)


def _whole(written: object) -> int:
    """Read a whole number, as a number or as text."""
    if isinstance(written, str) and re.fullmatch(r"-?[0-9]{1,18}", written):
        return int(written)
    if isinstance(written, bool) or not isinstance(written, int | float) or written != written // 1:
        raise ValueError
    return int(written)


def _listed(written: object) -> Sequence[object]:
    if not isinstance(written, list):
        raise ValueError
    return written


def _rounding_decides(vector: Vector, answer: _Read) -> bool:
    """Say whether a right value, compared as a double with the threshold as a double, explains a wrong verdict."""
    algorithm, right = ALGORITHMS[vector.algorithm], vector.expected
    if algorithm.threshold is None or isinstance(right, Refused) or answer.satisfied in (None, right.satisfied):
        return False
    if answer.value is None or right.value is None or not agrees(answer.value, right.value):
        return False
    value, limit = float(answer.value), float(Fraction(vector.parameters[algorithm.threshold]))
    holds = value > limit if algorithm.larger_is_safer else value < limit
    return answer.satisfied is (holds or (value == limit and not algorithm.strict))


def _matches(answer: _Read, right: Answer | Refused) -> bool:
    """Say whether all that was answered agrees."""
    if isinstance(right, Refused):
        return False
    if answer.excluded != right.excluded:
        return False
    if answer.value is not None and (right.value is None or not agrees(answer.value, right.value)):
        return False
    if answer.satisfied is not None and answer.satisfied != right.satisfied:
        return False
    return answer.nodes is None or answer.nodes == right.nodes


def _side(vector: Vector, answer: _Read) -> tuple[str, str]:
    """Say whether a wrong answer makes the table look safer than it is, and what is wrong where that is not plain."""
    algorithm, right = ALGORITHMS[vector.algorithm], vector.expected
    if algorithm.kind not in ("model", "disclosure") or isinstance(right, Refused):
        return "wrong", ""
    if algorithm.kind == "disclosure" and (answer.satisfied is not None or answer.nodes is not None):
        return "wrong", "what is asked has a value, and neither a verdict nor nodes"
    known = answer.value is not None and right.value is not None
    close = answer.value is not None and right.value is not None and agrees(answer.value, right.value)
    if answer.satisfied is not None and answer.satisfied != right.satisfied:
        because = "the value is right, the verdict is not" if close else ""
        return ("wrong, unsafe side" if answer.satisfied else "wrong, over-strict"), because
    if not known or close:
        return "wrong", "the number of records left out"
    assert answer.value is not None
    assert right.value is not None
    large = answer.value > decimal(right.value)
    side = "wrong, unsafe side" if large == algorithm.larger_is_safer else "wrong, over-strict"
    return side, f"the value is too {'large' if large else 'small'}"
