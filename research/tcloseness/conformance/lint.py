"""Linting vectors: everything that a file says is computed again, twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tcloseness.conformance.answers import same
from tcloseness.conformance.generate import answered
from tcloseness.conformance.protocol import schema
from tcloseness.conformance.readings import READINGS
from tcloseness.conformance.vectors import REASONS, Vector, read_file, read_vectors
from tcloseness.errors import InputError, VectorError
from tcloseness.extras import needing

__all__ = ["lint_file", "lint_vectors", "schema_faults"]


def lint_file(text: str, name: str) -> list[str]:
    """Return what is wrong with a file of vectors, a line a fault; none if it is right.

    `VectorError` if it cannot be read at all, or if jsonschema is missing.
    """
    faults = [f"{name}: {fault}" for fault in schema_faults(text)]
    if faults:
        return faults
    record = read_file(text)
    vectors = read_vectors(text, name)
    if record["number_of_tests"] != len(vectors):
        faults.append(f"{name}: number_of_tests is {record['number_of_tests']} and there are {len(vectors)}")
    used = {flag for vector in vectors for flag in vector.flags}
    for flag in sorted(used - set(record["notes"])):
        faults.append(f"{name}: flag {flag!r} has no note")
    for flag, note in record["notes"].items():
        if flag not in used:
            faults.append(f"{name}: note {flag!r} is of no test")
        elif flag not in READINGS or note != READINGS[flag].note():
            faults.append(f"{name}: note {flag!r} is not what the reading says")
    return faults + list(lint_vectors(vectors))


def schema_faults(text: str) -> list[str]:
    """Return where a file breaks the schema of vectors; `MissingPackageError` if jsonschema is not installed."""
    with needing("checking vectors needs", "jsonschema"):
        import jsonschema  # type: ignore[import-untyped]
    try:
        record = read_file(text)
    except InputError as error:
        return [str(error)]
    validator: Any = jsonschema.Draft202012Validator(schema("vectors"))
    return [
        f"{'/'.join(map(str, error.absolute_path)) or 'the file'}: {error.message[:200]}"
        for error in validator.iter_errors(record)
    ][:20]


def lint_vectors(vectors: Sequence[Vector]) -> Iterator[str]:
    """Yield what is wrong with vectors: answers, flags, results, twins, ids."""
    by_id: dict[str, Vector] = {}
    for vector in vectors:
        if vector.id in by_id:
            yield f"{vector.id}: the id occurs twice"
        by_id[vector.id] = vector
    for vector in vectors:
        yield from (f"{vector.id}: {fault}" for fault in _faults(vector, by_id))


def _faults(vector: Vector, by_id: dict[str, Vector]) -> Iterator[str]:
    if not vector.id.startswith(f"{vector.algorithm}/"):
        yield f"the id does not start with the algorithm {vector.algorithm}"
    if vector.reason not in READINGS and vector.reason not in REASONS:
        yield f"reason {vector.reason!r} is neither a reading nor one of {', '.join(REASONS)}"
    if not vector.comment or "\n" in vector.comment:
        yield "the comment is not one line"
    try:
        again = answered(vector.algorithm, vector.given, vector.parameters, vector.id, vector.comment)
    except (VectorError, InputError) as error:
        yield str(error)
        return
    if not same(vector.expected, again.expected):
        yield f"expected {vector.expected.to_dict()}, computed {again.expected.to_dict()}"
    if vector.result != again.result:
        yield f"the result is {vector.result}, it should be {again.result}"
    for name in sorted({*vector.flags, *again.flags}):
        if name not in again.flags:
            yield f"flag {name!r} is set, and that reading answers right"
        elif name not in vector.flags:
            yield f"flag {name!r} is missing: that reading answers {again.flags[name].to_dict()}"
        elif not same(vector.flags[name], again.flags[name]):
            yield f"flag {name!r} says {vector.flags[name].to_dict()}, computed {again.flags[name].to_dict()}"
    if vector.twin is not None:
        yield from _twin_faults(vector, by_id.get(vector.twin))


def _twin_faults(vector: Vector, twin: Vector | None) -> Iterator[str]:
    if twin is None:
        yield f"twin {vector.twin!r} is not in the file"
    elif twin.twin != vector.id:
        yield f"twin {twin.id} has another twin"
    elif {vector.result, twin.result} not in ({"valid", "invalid"}, {"acceptable"}):
        yield f"the test and its twin {twin.id} are both {vector.result}"
    elif vector.reason != twin.reason:
        yield f"twin {twin.id} is there for another reason"
