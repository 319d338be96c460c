"""The protocol's side of an adapter: read questions, hand them on, write answers."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from importlib.metadata import version
from typing import Any

__all__ = ["Answers", "Parameters", "Skip", "Table", "by_whole_c", "number", "serve"]

Table = Mapping[str, Any]
"""A question's input, as the protocol has it."""

Parameters = Mapping[str, str]

Answers = Mapping[str, Callable[[Table, Parameters], Mapping[str, Any]]]
"""By algorithm, what answers a question of its input and its parameters."""


class Skip(Exception):  # noqa: N818 (it is not an error)
    """The implementation is not asked this; the text says why."""


def number(text: str) -> float:
    """Return a threshold as a float."""
    return float(Fraction(text))


def by_whole_c(asked: str, reported: int) -> dict[str, bool]:
    """Return the verdict on a c that follows from the smallest whole c that an implementation says to hold.

    `Skip` for a c between that and the whole number below, of which the implementation says nothing.
    """
    c = Fraction(asked)
    if reported - 1 < c < reported:
        raise Skip("it reports the smallest whole c, which says nothing of this one")
    return {"satisfied": c >= reported}


def serve(name: str, distribution: str, answers: Answers, conventions: Sequence[str] = ()) -> None:
    """Answer questions until ``stop``.

    Parameters
    ----------
    name
        What the implementation is called.
    distribution
        What it was installed as; its version is read there.
    answers
        What it can be asked.
    conventions
        The readings that it follows by its own documentation.

    Notes
    -----
    Whatever the implementation prints goes to standard error: the output is the protocol's.
    """
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as output:
        os.dup2(2, 1)
        for line in sys.stdin:
            message = json.loads(line)
            if message["cmd"] == "stop":
                return
            if message["cmd"] == "start":
                reply: dict[str, Any] = {
                    "version": 1,
                    "implementation": {"name": name, "version": version(distribution), "language": "Python"},
                    "algorithms": list(answers),
                    "conventions": list(conventions),
                }
            else:
                reply = {"seq": message["seq"], **_answer(answers, message)}
            output.write(json.dumps(reply) + "\n")
            output.flush()


def _answer(answers: Answers, message: Mapping[str, Any]) -> dict[str, Any]:
    try:
        found = answers[message["algorithm"]](message["input"], message["parameters"])
    except Skip as reason:
        return {"skipped": str(reason)}
    except Exception as error:  # noqa: BLE001 (whatever it raises is its answer)
        return {"error": {"message": f"{type(error).__name__}: {error}"[:300], "type": type(error).__name__}}
    return {"result": {name: _plain(value) for name, value in found.items()}}


def _plain(value: object) -> object:
    """Return a value as JSON has it: numbers in full, as text."""
    if isinstance(value, (bool, str)) or value is None:
        return value
    if type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    if hasattr(value, "item"):
        value = value.item()
    return repr(value)
