"""The oracle of this room: classes counted by dictionaries, row by row, without pandas grouping or codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.microdata import ClassCounts
from tcloseness.microdata.domain import MISSING

Marked = tuple[str, Hashable]
Counted = dict[tuple[Marked, ...], dict[Marked, int]]


def marked(value: Any) -> Marked:
    """A value with its kind, so that 1, "1" and True differ, 1 and 1.0 don't, and every missing cell is one value."""
    if value is MISSING or pd.isna(value):
        return ("missing", "")
    if isinstance(value, str):
        return ("text", value)
    if isinstance(value, (bool, np.bool_)):
        return ("truth value", bool(value))
    if isinstance(value, pd.Timestamp):
        return ("date", value.isoformat())
    return ("number", Fraction(value.item() if hasattr(value, "item") else value))


def counted(
    frame: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    sensitive: str,
    *,
    generalized: Mapping[str, Callable[[Any], Any]] | None = None,
    weights: Sequence[int] | None = None,
) -> Counted:
    """{quasi-identifier values: {sensitive value: records}} of a frame, its index ignored."""
    change = dict(generalized or {})
    cells = {name: frame[name].tolist() for name in (*quasi_identifiers, sensitive)}
    classes: dict[tuple[Marked, ...], Counter[Marked]] = {}
    for row in range(len(frame)):
        key = tuple(marked(change.get(n, _same)(cells[n][row])) for n in quasi_identifiers)
        weight = 1 if weights is None else weights[row]
        classes.setdefault(key, Counter())[marked(cells[sensitive][row])] += weight
    return {key: dict(values) for key, values in classes.items()}


def _same(value: Any) -> Any:
    return value


def as_counted(counts: ClassCounts) -> Counted:
    """The same from the package's `ClassCounts`; a class that occurs twice is refused."""
    classes: Counted = {}
    for g in range(len(counts)):
        key = tuple(map(marked, counts.label(g)))
        assert key not in classes, f"class {key} occurs twice"
        classes[key] = {marked(counts.domain.values[code]): n for code, n in counts.row(g).items()}
    return classes


def rows(counts: ClassCounts) -> list[tuple[tuple[Hashable, ...], dict[int, int]]]:
    """The classes in the package's own order, for tests that the order depends on nothing."""
    return [(counts.label(g), counts.row(g)) for g in range(len(counts))]
