"""Test vectors: a question with its right answer and the answers of other readings; files of them, one an algorithm."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.answers import Answer, Refused
from tcloseness.conformance.inputs import Distributions, Table, input_from_dict
from tcloseness.conformance.readings import READINGS
from tcloseness.errors import VectorError
from tcloseness.printable import Brief
from tcloseness.strict_json import read_json

__all__ = ["REASONS", "Vector", "file_text", "load", "read_vectors", "shipped"]

FORMAT = "tcloseness-vectors-1"
Result = Literal["valid", "invalid", "acceptable"]

REASONS = {
    "smoke": "the simplest questions: a harness that gets these wrong is broken, or means something else",
    "paper": "tables that papers print",
    "random": "tables of no particular kind",
    "exact": "decisions exactly at the threshold, and values that only exact arithmetic finds",
    "methods": "each method whose releases are asked about, with its parameters",
}
"""The reasons of vectors that no single reading explains; every other reason is the name of a reading."""


@dataclass(frozen=True)
class Vector(Brief):
    """One test.

    Attributes
    ----------
    id
        ``algorithm/reason/number``.
    comment
        One line.
    algorithm, given, parameters
        The question.
    expected
        The right answer.
    result
        ``valid``: the table satisfies the model, or the input has an answer; ``invalid``: it does not; ``acceptable``:
        the question leaves a convention open, and the answer of every convention among the flags is accepted.
    flags
        The readings that answer otherwise, each with its answer.
    twin
        The id of the test whose verdict is the opposite for the same reason.
    source
        Where the table comes from, if it is printed somewhere.
    """

    id: str
    comment: str
    algorithm: str
    given: Table | Distributions
    parameters: Mapping[str, str]
    expected: Answer | Refused
    result: Result
    flags: Mapping[str, Answer | Refused] = field(default_factory=dict)
    twin: str | None = None
    source: str | None = None

    @property
    def reason(self) -> str:
        """Why the test is there."""
        return self.id.split("/")[1]

    def question(self) -> dict[str, Any]:
        """Return what a harness is sent."""
        return {"algorithm": self.algorithm, "parameters": dict(self.parameters), "input": self.given.to_dict()}

    def to_dict(self) -> dict[str, Any]:
        """Return the test as the file has it."""
        record: dict[str, Any] = {"id": self.id, "comment": self.comment, "result": self.result}
        if self.twin is not None:
            record["twin"] = self.twin
        if self.source is not None:
            record["source"] = self.source
        record |= {"parameters": dict(self.parameters), "input": self.given.to_dict()}
        record["expected"] = self.expected.to_dict()
        record["flags"] = {name: answer.to_dict() for name, answer in self.flags.items()}
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], algorithm: str) -> Vector:
        """Read a test; `VectorError` for a record that is none."""
        try:
            return cls(
                record["id"],
                record["comment"],
                algorithm,
                input_from_dict(record["input"]),
                record["parameters"],
                Answer.from_dict(record["expected"]),
                record["result"],
                {name: Answer.from_dict(answer) for name, answer in record["flags"].items()},
                record.get("twin"),
                record.get("source"),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise VectorError(f"test {record.get('id')!r} cannot be read: {error!r}; see the schema") from error


def file_text(algorithm: str, vectors: Sequence[Vector], *, made_by: str) -> str:
    """Return the file of an algorithm's vectors: JSON with one test a line.

    `made_by` says how it is made again.
    """
    used = {name for vector in vectors for name in vector.flags}
    head: dict[str, Any] = {
        "format": FORMAT,
        "algorithm": algorithm,
        "formula": ALGORITHMS[algorithm].formula,
        "definition": ALGORITHMS[algorithm].citation,
        "made_by": made_by,
        "number_of_tests": len(vectors),
        "notes": {name: reading.note() for name, reading in READINGS.items() if name in used},
    }
    lines = json.dumps(head, indent=1, ensure_ascii=False)[:-2]
    groups: dict[str, list[Vector]] = {}
    for vector in vectors:
        groups.setdefault(vector.reason, []).append(vector)
    written = []
    for reason, tests in groups.items():
        rows = ",\n".join(json.dumps(t.to_dict(), ensure_ascii=False, separators=(",", ":")) for t in tests)
        written.append(f'{{"reason": {json.dumps(reason)}, "tests": [\n{rows}\n]}}')
    return f'{lines},\n "groups": [\n' + ",\n".join(written) + "\n]}\n"


def read_vectors(text: str, name: str) -> list[Vector]:
    """Read a file of vectors; `VectorError` for a text that is not such a file."""
    try:
        record = read_file(text)
        if record["format"] != FORMAT:
            raise VectorError(f"{name} has format {record['format']!r}; this version reads {FORMAT}")
        return [Vector.from_dict(t, record["algorithm"]) for group in record["groups"] for t in group["tests"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise VectorError(f"{name} is not a file of vectors: {error!r}") from error


def read_file(text: str) -> Any:
    """Read the JSON of a file of vectors or of a report.

    Raises
    ------
    InputError
        As `tcloseness.strict_json.read_json`.
    """
    return read_json(text, longest=1 << 28, deepest=50)


def shipped() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file that comes with the package, in the order of the algorithms."""
    folder = resources.files("tcloseness.conformance") / "vectors"
    for algorithm in ALGORITHMS:
        file = folder / f"{algorithm}.json"
        if file.is_file():
            yield f"{algorithm}.json", file.read_text(encoding="utf-8")


def load(files: Iterable[Path] = (), algorithms: Iterable[str] = ()) -> list[Vector]:
    """Return vectors: of the given files, or all that come with the package; of some algorithms only, if named.

    `VectorError` for a file that cannot be read, or an unknown algorithm.
    """
    wanted = set(algorithms)
    if unknown := wanted - set(ALGORITHMS):
        raise VectorError(f"algorithm {min(unknown)!r} is unknown; it is one of {', '.join(ALGORITHMS)}")
    texts = []
    for file in files:
        try:
            texts.append((str(file), file.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            raise VectorError(f"file {str(file)!r} of vectors cannot be read: {error}") from error
    found = [v for name, text in texts or shipped() for v in read_vectors(text, name)]
    return [v for v in found if not wanted or v.algorithm in wanted]
