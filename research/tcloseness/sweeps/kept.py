"""What is kept of a sweep: a file a cell, by a digest of all that the answer depends on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tcloseness import __version__
from tcloseness.errors import InputError
from tcloseness.exact import shown_value
from tcloseness.ground import ground_digest, ground_distance
from tcloseness.strict_json import read_json
from tcloseness.sweeps.cells import FORMAT, OUTCOMES, Task
from tcloseness.table import Table
from tcloseness.writing import write_files

__all__ = ["digest_of", "file_of", "keep", "kept", "key_of"]

_LONGEST, _DEEPEST = 2**20, 6
"""Of the file of a cell."""


def file_of(folder: str | os.PathLike[str], key: str) -> Path:
    """Return the file of a cell."""
    return Path(folder, f"cell-{key}.json")


def digest_of(table: Table) -> str:
    """Return the digest of a table and of all that its answers depend on."""
    hashed = hashlib.sha256(table.frequencies.digest.encode())
    rows = table.frequencies.table
    for column in () if rows is None else (*rows.quasi_identifiers, *rows.sensitive):
        hashed.update(np.ascontiguousarray(column.codes, dtype="<i8").tobytes())  # draws depend on the rows' order
    grounds = {}
    for each, spec in table.ground.items():
        grounds[each] = ground_digest(ground_distance(spec, table.frequencies.domains[each]))
    hierarchies = {each: [[*map(repr, path)] for path in found.paths] for each, found in table.hierarchies.items()}
    parts = [grounds, hierarchies, sorted(table.categorical), dict(table.frequencies.conventions)]
    hashed.update(json.dumps(parts, sort_keys=True).encode())
    return hashed.hexdigest()


def key_of(digest: str, task: Task) -> str:
    """Return the digest of a question."""
    _, verb, arguments, losses = task
    parts = [FORMAT, __version__, digest, verb, {name: _text(value) for name, value in sorted(arguments.items())}]
    return hashlib.sha256(json.dumps([*parts, [_text(each) for each in losses]]).encode()).hexdigest()


def _text(value: Any) -> str:
    """Return the text by which an argument is recognised again."""
    if value is None or isinstance(value, str | int | float | Fraction | np.generic):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_text(value[key])}' for key in sorted(value, key=repr))}}}"
    if is_dataclass(value) and not isinstance(value, type) and " at 0x" not in repr(value):
        return f"{type(value).__module__}.{value!r}"
    raise InputError(
        f"{shown_value(value)} cannot be recognised when the sweep is called again, so its answers cannot be kept; "
        "give it by name or as a dataclass, or leave out folder="
    )


def kept(folder: str | os.PathLike[str], key: str) -> Mapping[str, Any] | None:
    """Return the record of a cell that was answered; None if it was not."""
    file = file_of(folder, key)
    if not file.exists():
        return None
    try:
        record = read_json(file.read_bytes(), longest=_LONGEST, deepest=_DEEPEST)
        good = record["format"] == FORMAT and record["key"] == key and record["outcome"] in OUTCOMES
        good = good and all(set(each) == {"exact", "decimal"} for each in record["quantities"].values())
        found: Mapping[str, Any] | None = record if good else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        found = None
    if found is None:
        raise InputError(
            f"file {os.fspath(file)!r} has the name of a cell and is not one, and it is not overwritten; move it away, "
            "or give another folder"
        )
    return found


def keep(folder: Path, key: str, record: Mapping[str, Any]) -> None:
    """Keep a record, unless it is kept already."""
    file = file_of(folder, key)
    if not file.exists():  # two points of a grid may be one question
        write_files({file: (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode()})
