"""The harness protocol: one JSON object a line, over standard input and output.

::

    → {"cmd": "start", "version": 1}
    ← {"version": 1, "implementation": {"name": …, "version": …}, "algorithms": […]}
    → {"cmd": "run", "seq": 7, "algorithm": …, "parameters": {…}, "input": {…}}
    ← {"seq": 7, "result": {…}}   or {"seq": 7, "skipped": "why"}   or {"seq": 7, "error": {"message": …}}
    → {"cmd": "stop"}             and the harness ends

A result has ``value`` (a number, best as text), ``satisfied`` (true or false), ``nodes`` and ``excluded``: whatever the
implementation gives. Expected answers, flags and ids are never sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from tcloseness.errors import HarnessError, InputError, ProtocolError
from tcloseness.printable import printable
from tcloseness.strict_json import read_json

__all__ = [
    "NOT_LISTED",
    "RESULT_FIELDS",
    "VERSION",
    "Failed",
    "Given",
    "Implementation",
    "Reply",
    "Skipped",
    "TimedOut",
    "line",
    "read_message",
    "read_reply",
    "schema",
]

VERSION = 1

RESULT_FIELDS = ("value", "satisfied", "nodes", "excluded")
"""What a result may have."""

LONGEST, DEEPEST = 1_000_000, 32
"""Bytes of a message from a harness, and how deep it may be nested."""

_MOST_NAMES, _LONGEST_NAME = 1000, 200
"""Algorithms or conventions that a harness may list, and the characters of a name that are kept."""

NOT_LISTED = "the harness does not list this algorithm"
"""Why a test is skipped that was never sent."""


@dataclass(frozen=True)
class Implementation:
    """What a harness says about itself.

    Attributes
    ----------
    name, version, language
        Of the implementation behind the harness.
    algorithms
        Those that it can be asked for; others count as skipped.
    conventions
        The readings that it follows by design; a wrong verdict without a value counts as one of these only if it is
        declared here.
    """

    name: str
    version: str = ""
    language: str = ""
    algorithms: tuple[str, ...] = ()
    conventions: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record of a report."""
        return {
            "name": self.name,
            "version": self.version,
            "language": self.language,
            "algorithms": list(self.algorithms),
            "conventions": list(self.conventions),
        }

    @classmethod
    def from_start(cls, record: Any) -> Implementation:
        """Read the answer to ``start``.

        `HarnessError` for another version of the protocol, or an answer without a name or algorithms.
        """
        shown = _shown(record)
        said = record.get("implementation") if isinstance(record, dict) else None
        if not isinstance(said, dict) or "name" not in said or not {"version", "algorithms"} <= set(record):
            raise HarnessError(f"the answer to start is {shown}; it needs version, implementation.name, algorithms")
        version = record["version"]
        if isinstance(version, str) and version.strip() == str(VERSION):
            raise HarnessError(f'the answer to start has "version": "{VERSION}", a text; write the number {VERSION}')
        if isinstance(version, bool) or version != VERSION:
            raise HarnessError(
                f"the harness speaks version {_shown(version)} of the protocol; this runner speaks {VERSION}"
            )
        listed = []
        for key in ("algorithms", "conventions"):
            names = record.get(key) or []
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise HarnessError("algorithms and conventions are lists of names, also where there is one name only")
            if len(names) > _MOST_NAMES:
                raise HarnessError(f"the answer to start lists {len(names):,} {key}; at most {_MOST_NAMES:,} are read")
            listed.append(tuple(map(_name, names)))
        name, own_version, language = (_name(said.get(key, "")) for key in ("name", "version", "language"))
        return cls(name, own_version, language, *listed)


@dataclass(frozen=True)
class Given:
    """A result: the fields as they were sent."""

    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Skipped:
    """The harness does not ask its implementation this, and says why."""

    why: str


@dataclass(frozen=True)
class Failed:
    """The implementation, or the harness, ended with an error."""

    message: str
    crashed: bool = False


@dataclass(frozen=True)
class TimedOut:
    """No answer within the time limit, in seconds; what had come, if anything."""

    seconds: float
    begun: str = ""


Reply = Given | Skipped | Failed | TimedOut


def line(record: Mapping[str, Any]) -> str:
    """Return a message as a line."""
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")) + "\n"


def read_message(content: str | bytes) -> Any:
    """Read a line that a harness wrote.

    `ProtocolError` if it is not strict JSON; ``NaN`` and ``Infinity``, which some languages write, are read.
    """
    try:
        return read_json(content, longest=LONGEST, deepest=DEEPEST, constants=True)
    except InputError as error:
        raise ProtocolError(
            f"a line of the harness is not a message: {error}; only answers go to its output"
        ) from error


def read_reply(content: str | bytes, seq: int) -> Reply:
    """Read the answer to ``run``.

    `ProtocolError` for a line that is not a JSON object, an answer to another question, or one that does not have
    exactly one of result, skipped and error.
    """
    record = read_message(content)
    found = record.get("seq") if isinstance(record, dict) else None
    if isinstance(found, str) and found.strip() == str(seq):
        raise ProtocolError(f"the harness answered seq {_shown(found)}, a text, to question {seq}; write a number")
    if type(found) is not int or found != seq:
        raise ProtocolError(
            f"the harness answered {_shown(record)} to question {seq}; answers carry the question's seq"
        )
    given = [key for key in ("result", "skipped", "error") if record.get(key) is not None]
    if given == ["result"] and isinstance(record["result"], dict):
        return Given(record["result"])
    if given == ["skipped"]:
        return Skipped(_name(record["skipped"]))
    if given == ["error"]:
        said = record["error"]
        return Failed(printable(str(said.get("message", said) if isinstance(said, dict) else said)))
    raise ProtocolError(f"the harness answered {_shown(record)}; an answer has one of result, skipped and error")


def _name(said: Any) -> str:
    """Return a short text that a harness sent, as it can be shown."""
    return printable(str(said)[:_LONGEST_NAME])


def _shown(record: Any) -> str:
    """Return the beginning of what a harness sent, as it can be shown."""
    text = printable(repr(record)[:_LONGEST_NAME])
    return text if len(text) <= 80 else text[:79] + "…"


def schema(name: str) -> dict[str, Any]:
    """Return a JSON schema: ``vectors``, ``protocol`` or ``report``."""
    file = resources.files("tcloseness.conformance") / "schemas" / f"{name}.schema.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found
