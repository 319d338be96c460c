"""Values and counts as certificates name them, the same from every source.

A value is a text with its kind before it: ``text:Sales``, ``number:3/8``, ``missing:``; see
`tcloseness.certificates.reading`, which reads the same from files and shares nothing with this.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from tcloseness.errors import InputError
from tcloseness.exact import INT64_MAX, IntArray, as_fraction, number_text
from tcloseness.microdata.domain import Domain, attribute_names
from tcloseness.microdata.frequency import FrequencySet
from tcloseness.microdata.grouping import combined_codes, grouped, packed, unpacked
from tcloseness.microdata.values import kind_of, plain_value, value_text

__all__ = ["canonical_counts", "canonical_digest", "canonical_lines", "canonical_value"]


def canonical_value(value: Hashable) -> str:
    """Return a value as a text with its kind before it: equal for equal values, and for no others.

    >>> canonical_value("Sales"), canonical_value(0.5), canonical_value(2)
    ('text:Sales', 'number:1/2', 'number:2')
    """
    plain = plain_value(value)
    kind = kind_of(plain)
    if kind == "str":
        return f"text:{plain}"
    if kind == "missing":
        return "missing:"
    if kind == "number":
        try:
            exact = plain if isinstance(plain, Fraction) else as_fraction(plain)
        except InputError:  # infinite, or an exponent beyond all use
            return f"number:{plain}"
        return f"number:{number_text(exact)}"
    if isinstance(plain, pd.Timestamp) and plain.tzinfo is not None:
        plain = plain.tz_convert("UTC")  # equal instants are one value, whatever their zones
    return f"{kind}:{value_text(plain)}"


def canonical_counts(frequencies: FrequencySet, sensitive: str) -> tuple[tuple[str, ...], dict[tuple[str, ...], int]]:
    """Return the columns, quasi-identifiers and then any sensitive attribute, and the records of each combination."""
    columns = attribute_names(frequencies.quasi_identifiers, sensitive)
    texts = [[canonical_value(value) for value in frequencies.domains[name].values] for name in columns]
    cells = [map(of.__getitem__, frequencies.codes[name].tolist()) for name, of in zip(columns, texts, strict=True)]
    counts, rows = frequencies.counts.tolist(), list(zip(*cells, strict=True))
    found = dict(zip(rows, counts, strict=True))
    if len(found) < len(rows) or 0 in counts:  # some values are one as texts, or nobody has a combination
        found = {}
        for values, count in zip(rows, counts, strict=True):
            if count:
                found[values] = found.get(values, 0) + count
    return columns, found


_BLOCK = 2**22
"""So many bytes of the canonical text are made at a time, before the gaps between its cells are taken out."""

_COUNT = 21
"""A count and what ends its line are no longer."""

_WIDEST = 2_000
"""Cells that together are longer are not put side by side at their greatest widths."""

_TOGETHER = 2**18
"""Columns side by side are written as one while the texts of all their combinations take at most so many bytes."""

_Column: TypeAlias = tuple[IntArray, IntArray, int]
"""The codes of a column, the place of each code in the order that is asked for, and how many places there are."""


def canonical_lines(frequencies: FrequencySet, columns: Sequence[str]) -> Iterator[bytes]:
    """Return the canonical text of the counts of some columns' combinations, in blocks; it is sorted, and in ASCII.

    A cell in quotes never begins another, so lines ascend as the tuples of their cells do.
    """
    yield json.dumps(["tcloseness-counts-1", *columns], separators=(",", ":")).encode() + b"\n"
    together: list[list[_Column]] = []
    texts: list[Any] = []
    for name in columns:
        cells = _quoted(frequencies.domains[name])
        ascending = sorted(set(cells))
        place = dict(zip(ascending, range(len(ascending)), strict=True))
        places = np.fromiter(map(place.__getitem__, cells), np.int64, len(cells))
        column = frequencies.codes[name], places, len(ascending)
        shown = np.array([f"{cell}," for cell in ascending], dtype=np.bytes_)
        if texts and len(texts[-1]) * len(shown) * (texts[-1].itemsize + shown.itemsize) <= _TOGETHER:
            pairs = [first + second for first in texts[-1].tolist() for second in shown.tolist()]
            texts[-1] = np.array(pairs, dtype=np.bytes_)
            together[-1].append(column)
        else:
            texts.append(shown)
            together.append([column])
    width = 1 + sum(each.itemsize for each in texts) + _COUNT
    cells_of = [each.tolist() for each in texts] if width > _WIDEST else []
    for codes, counts in _ascending(together, frequencies.counts, max(_BLOCK // width, 1)):
        numbers, of_line = np.unique(counts, return_inverse=True)
        ends = np.array([f"{number}]\n" for number in numbers.tolist()], dtype=np.bytes_)
        if cells_of:
            rows = zip(*(part.tolist() for part in codes), ends[of_line].tolist(), strict=True)
            for *row, end in rows:
                yield b"[" + b"".join(cells[code] for cells, code in zip(cells_of, row, strict=True)) + end
            continue
        parts = [*zip(texts, codes, strict=True), (ends, of_line)]
        fields = [("begin", "S1"), *((f"c{column}", each.dtype) for column, (each, _) in enumerate(parts))]
        lines = np.empty(len(counts), dtype=fields)
        lines["begin"] = b"["
        for number, (each, part) in enumerate(parts):
            lines[f"c{number}"] = each[part]
        yield lines.tobytes().translate(None, b"\0")  # what fills a cell up to the width of the longest


def _quoted(domain: Domain) -> list[str]:
    """Return the values of a domain as `canonical_value` names them, in quotes."""
    named = [f"text:{value}" for value in domain.values] if domain.usual is str else map(canonical_value, domain.values)
    return list(map(json.JSONEncoder().encode, named))


def _ascending(
    together: Sequence[Sequence[_Column]], counts: IntArray, step: int
) -> Iterator[tuple[list[IntArray], IntArray]]:
    """Go through combinations in ascending order, equal ones as one, in blocks.

    Parameters
    ----------
    together
        The columns, and which of them are shown as one.

    Returns
    -------
        Of each block the numbers of what is shown, and the counts.
    """
    sizes = [[size for _, _, size in columns] for columns in together]
    each_size = [size for of_columns in sizes for size in of_columns]
    each = [column for columns in together for column in columns]
    largest = int(counts.max(initial=0)) + 1
    if math.prod(each_size) * largest > INT64_MAX:
        key = combined_codes([places[codes] for codes, places, _ in each], each_size, rows=len(counts))
        heads, counts = grouped(key, counts)
        for start in range(0, len(heads), step):
            chosen = heads[start : start + step]
            shown = [[places[codes[chosen]] for codes, places, _ in columns] for columns in together]
            yield list(map(combined_codes, shown, sizes)), counts[start : start + step]
        return
    key, counts = packed((places[codes] for codes, places, _ in each), each_size, counts, largest)
    for start in range(0, len(key), step):  # codes of all would take as much as the table
        yield unpacked(key[start : start + step], list(map(math.prod, sizes))), counts[start : start + step]


def canonical_digest(frequencies: FrequencySet, columns: Sequence[str]) -> str:
    """Return the sha256 of the canonical text of some columns' combinations."""
    digest = hashlib.sha256()
    for block in canonical_lines(frequencies, columns):
        digest.update(block)
    return digest.hexdigest()
