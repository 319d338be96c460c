"""What is kept of a sweep: a file a cell, by a digest of all that the answer depends on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tcloseness import __version__
from tcloseness.errors import InputError
from tcloseness.exact import shown_value
from tcloseness.ground import ground_digest, ground_distance
from tcloseness.microdata import Hierarchy
from tcloseness.strict_json import read_json
from tcloseness.sweeps.cells import FORMAT, OUTCOMES, PASSING, Task
from tcloseness.table import Table
from tcloseness.writing import write_files

__all__ = ["digest_of", "file_of", "keep", "kept", "key_of"]

_LONGEST, _DEEPEST = 2**20, 6
"""Of the file of a cell."""


_PLAIN = (str, bytes, int, float, Fraction, Decimal, date, time, timedelta, np.generic, pd.Interval, pd.Period)
"""Whose text says all that they are."""


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
    if value is None or isinstance(value, _PLAIN):
        return f"{type(value).__name__} {value!r}"
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__} ({', '.join(map(_text, value))})"
    if isinstance(value, Set):
        return f"set ({', '.join(sorted(map(_text, value)))})"
    if isinstance(value, Mapping):
        return f"mapping ({', '.join(f'{_text(key)}: {_text(each)}' for key, each in value.items())})"
    if isinstance(value, Hierarchy):
        return f"{kind} {value.name!r} {[[*map(repr, path)] for path in value.paths]}"
    if isinstance(value, np.ndarray):
        return f"{kind} {value.dtype} {value.shape} {_text(value.ravel().tolist())}"
    if isinstance(value, pd.DataFrame):
        return f"{kind} {_text([value.index.tolist(), value.columns.tolist(), *value.to_numpy(object).tolist()])}"
    if is_dataclass(value) and not isinstance(value, type):  # its text may leave out what it holds
        return f"{kind} ({', '.join(f'{each.name}={_text(getattr(value, each.name))}' for each in fields(value))})"
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
        good = record["format"] == FORMAT and record["key"] == key and record["outcome"] in {*OUTCOMES} - {*PASSING}
        good = good and isinstance(record["message"], str) and isfinite(record["seconds"])
        for each in record["quantities"].values():
            good = good and set(each) == {"exact", "decimal"} and all(isinstance(text, str) for text in each.values())
            float(each["decimal"])
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
