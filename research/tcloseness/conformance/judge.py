"""Judging one answer: right, right by another convention, wrong and on which side, undefined, error, timeout, skip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.answers import Answer, Refused
from tcloseness.conformance.exact_text import agrees, answer_decimal, decimal
from tcloseness.conformance.protocol import Failed, Given, Reply, Skipped, TimedOut
from tcloseness.conformance.readings import READINGS
from tcloseness.conformance.vectors import Vector

__all__ = ["FAILURES", "VERDICTS", "Judgement", "answer_text", "judge", "settled"]

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
class Judgement:
    """What is said of one answer.

    Attributes
    ----------
    verdict
        One of `VERDICTS`.
    looks_like
        The readings that would answer the same: the convention's name, or the likely mistake's.
    got
        The answer as it was sent, or what came in its place.
    otherwise
        For another convention that was not declared: what is said if it turns out not to be followed.
    """

    verdict: str
    looks_like: tuple[str, ...] = ()
    got: str = ""
    otherwise: Judgement | None = None

    @property
    def failed(self) -> bool:
        """Whether it speaks against the implementation."""
        return self.verdict in FAILURES


def judge(vector: Vector, reply: Reply, *, conventions: Sequence[str] = ()) -> Judgement:
    """Judge a harness's answer to a vector.

    Parameters
    ----------
    conventions
        The readings that the implementation declares to follow.
    """
    match reply:
        case Skipped():
            return Judgement("skipped", (), reply.why)
        case TimedOut():
            return Judgement("timeout", (), f"no answer within {reply.seconds:g} s")
        case Failed():
            if isinstance(vector.expected, Refused) and not reply.crashed:
                return Judgement("right", (), f"refused: {reply.message}"[:200])
            alike = tuple(name for name, answer in vector.flags.items() if isinstance(answer, Refused))
            return Judgement("error", alike, reply.message[:200])
    return _judge_result(vector, reply, conventions)


def _judge_result(vector: Vector, reply: Given, conventions: Sequence[str]) -> Judgement:
    got = answer_text(reply.fields)[:200]
    answer = _read(reply)
    if answer is None:
        return Judgement("undefined", (), got or "an empty result")
    if _matches(answer, vector.expected, vector):
        return Judgement("right", (), got)
    alike = [name for name, other in vector.flags.items() if _matches(answer, other, vector)]
    # a verdict alone agrees with every reading that errs, so it must have been declared
    telling = answer.value is not None or answer.nodes is not None or vector.result == "acceptable"
    named = [name for name in alike if READINGS[name].kind == "convention" and (telling or name in conventions)]
    wrong = Judgement(_side(vector, answer), tuple(alike) if telling else (), got)
    if not named:
        return wrong
    declared = any(name in conventions for name in named)
    return Judgement("other convention", tuple(named), got, None if declared else wrong)


def settled(vectors: Sequence[Vector], judgements: Sequence[Judgement]) -> list[Judgement]:
    """Return the judgements with every convention taken back that is followed only now and then.

    A wrong number may coincide with what some convention answers. So an undeclared convention counts for an algorithm
    only if at least half of the tests on which it matters were answered as it has it.
    """
    matters: dict[tuple[str, str], int] = {}
    followed: dict[tuple[str, str], int] = {}
    for vector, judgement in zip(vectors, judgements, strict=True):
        if judgement.verdict in ("skipped", "timeout"):
            continue
        for name in vector.flags:
            if READINGS[name].kind == "convention":
                key = vector.algorithm, name
                matters[key] = matters.get(key, 0) + 1
                followed[key] = followed.get(key, 0) + (name in judgement.looks_like)
    found = []
    for vector, judgement in zip(vectors, judgements, strict=True):
        if judgement.otherwise is not None:
            keys = [(vector.algorithm, name) for name in judgement.looks_like]
            kept = tuple(key[1] for key in keys if 2 * followed[key] >= matters[key])
            judgement = replace(judgement, looks_like=kept) if kept else judgement.otherwise
        found.append(judgement)
    return found


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
            words.append(f"{name} {value}")
    return ", ".join(words)


@dataclass(frozen=True)
class _Read:
    value: Decimal | None
    satisfied: bool | None
    nodes: tuple[tuple[int, ...], ...] | None
    excluded: int


def _read(reply: Given) -> _Read | None:
    """Read a result; None where it holds nothing, or something that is neither a number nor a verdict."""
    fields = reply.fields
    value = satisfied = nodes = None
    if "value" in fields:
        value = answer_decimal(fields["value"])
        if value is None:
            return None
    if "satisfied" in fields:
        satisfied = fields["satisfied"]
        if not isinstance(satisfied, bool):
            return None
    try:
        if "nodes" in fields:
            nodes = tuple(sorted(tuple(int(level) for level in node) for node in fields["nodes"]))
        excluded = int(fields.get("excluded", 0))
    except (TypeError, ValueError):
        return None
    if value is None and satisfied is None and nodes is None:
        return None
    return _Read(value, satisfied, nodes, excluded)


def _matches(answer: _Read, right: Answer | Refused, vector: Vector) -> bool:
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


def _side(vector: Vector, answer: _Read) -> str:
    """Say whether a wrong answer makes the table look safer than it is."""
    algorithm, right = ALGORITHMS[vector.algorithm], vector.expected
    if algorithm.kind != "model" or isinstance(right, Refused):
        return "wrong"
    if answer.satisfied is not None and answer.satisfied != right.satisfied:
        return "wrong, unsafe side" if answer.satisfied else "wrong, over-strict"
    if answer.value is None or right.value is None or agrees(answer.value, right.value):
        return "wrong"  # the number of records left out
    return (
        "wrong, unsafe side"
        if (answer.value > decimal(right.value)) == algorithm.larger_is_safer
        else "wrong, over-strict"
    )
