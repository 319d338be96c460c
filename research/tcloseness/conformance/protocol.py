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

from tcloseness.errors import HarnessError, ProtocolError

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
    "read_reply",
    "schema",
]

VERSION = 1

RESULT_FIELDS = ("value", "satisfied", "nodes", "excluded")
"""What a result may have."""

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

        Raises
        ------
        HarnessError
            For another version of the protocol, or an answer without a name or algorithms.
        """
        try:
            said = record["implementation"]
            version, algorithms = record["version"], tuple(map(str, record["algorithms"]))
            name = str(said["name"])
        except (KeyError, TypeError) as error:
            raise HarnessError(
                f"the answer to start is {record!r}; it needs version, implementation.name, algorithms"
            ) from error
        if isinstance(version, str) and version.strip() == str(VERSION):
            raise HarnessError(f'the answer to start has "version": "{version}", a text; write the number {VERSION}')
        if isinstance(version, bool) or version != VERSION:
            raise HarnessError(f"the harness speaks version {version!r} of the protocol; this runner speaks {VERSION}")
        conventions = tuple(map(str, record.get("conventions", ())))
        if isinstance(record["algorithms"], str) or isinstance(record.get("conventions"), str):
            raise HarnessError("algorithms and conventions are lists of names, also where there is one name only")
        return cls(name, str(said.get("version", "")), str(said.get("language", "")), algorithms, conventions)


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
    """No answer within the time limit, in seconds."""

    seconds: float


Reply = Given | Skipped | Failed | TimedOut


def line(record: Mapping[str, Any]) -> str:
    """Return a message as a line."""
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")) + "\n"


def read_reply(text: str, seq: int) -> Reply:
    """Read the answer to ``run``.

    Raises
    ------
    ProtocolError
        For a line that is no JSON object, an answer to another question, or one without result, skipped or error.
    """
    try:
        record = json.loads(text)
    except ValueError as error:
        raise ProtocolError(
            f"the harness wrote {text[:80]!r}, which is no JSON; only answers go to its output"
        ) from error
    if isinstance(record, dict) and isinstance(record.get("seq"), str) and record["seq"].strip() == str(seq):
        raise ProtocolError(f"the harness answered seq {record['seq']!r}, a text, to question {seq}; write a number")
    if not isinstance(record, dict) or record.get("seq") != seq:
        raise ProtocolError(f"the harness answered {text[:80]!r} to question {seq}; answers carry the question's seq")
    if isinstance(record.get("result"), dict):
        return Given(record["result"])
    if "skipped" in record:
        return Skipped(str(record["skipped"]))
    if "error" in record:
        said = record["error"]
        return Failed(str(said.get("message", said)) if isinstance(said, dict) else str(said))
    raise ProtocolError(f"the harness answered {text[:80]!r}; an answer has result, skipped or error")


def schema(name: str) -> dict[str, Any]:
    """Return a JSON schema: ``vectors``, ``protocol`` or ``report``."""
    file = resources.files("tcloseness.conformance") / "schemas" / f"{name}.schema.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found
