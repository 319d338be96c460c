"""Values and counts as certificates name them, the same from every source.

A value is a text with its kind before it: ``text:Sales``, ``number:3/8``, ``missing:``; see
`tcloseness.certificates.reading`, which reads the same from files and shares nothing with this.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd

from tcloseness.errors import InputError
from tcloseness.exact import as_fraction, number_text
from tcloseness.microdata.domain import Domain
from tcloseness.microdata.frequency import FrequencySet
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
    """Return the columns, quasi-identifiers and then a sensitive attribute, and the records of each combination."""
    columns = (*frequencies.quasi_identifiers, sensitive)
    texts = [[canonical_value(value) for value in frequencies.domains[name].values] for name in columns]
    cells = [map(of.__getitem__, frequencies.codes[name].tolist()) for name, of in zip(columns, texts, strict=True)]
    found: dict[tuple[str, ...], int] = {}
    for count, values in zip(frequencies.counts.tolist(), zip(*cells, strict=True), strict=True):
        if count:
            found[values] = found.get(values, 0) + count
    return columns, found


_BLOCK = 2**22
"""So many bytes of the canonical text are made at a time, before the gaps between its cells are taken out."""

_WIDEST = 2_000
"""Cells that together are longer are not put side by side at their greatest widths."""


def canonical_lines(frequencies: FrequencySet, columns: Sequence[str]) -> Iterator[bytes]:
    """Return the canonical text of the counts of some columns' combinations, in blocks; it is sorted, and in ASCII.

    A cell in quotes never begins another, so lines ascend as the tuples of their cells do.
    """
    yield json.dumps(["tcloseness-counts-1", *columns], separators=(",", ":")).encode() + b"\n"
    codes, domains, texts = {}, {}, []
    for name in columns:
        cells = [json.dumps(canonical_value(value)) for value in frequencies.domains[name].values]
        ascending = sorted(set(cells))
        place: dict[Hashable, int] = dict(zip(ascending, range(len(ascending)), strict=True))
        codes[name] = np.fromiter(map(place.__getitem__, cells), np.int64, len(cells))[frequencies.codes[name]]
        domains[name] = Domain.of_distinct(tuple(ascending), place)
        texts.append(np.array([f"{cell}," for cell in ascending], dtype=np.bytes_))
    nobody = np.zeros(len(frequencies), dtype=bool)
    found = replace(
        frequencies,
        quasi_identifiers=tuple(columns),
        sensitive=(),
        codes=codes,
        domains=domains,
        suppressed=nobody,
        rows=None,
        persons=None,
    )._compressed()
    numbers, of_line = np.unique(found.counts, return_inverse=True)
    texts.append(np.array([f"{number}]\n" for number in numbers.tolist()], dtype=np.bytes_))
    parts = [*(found.codes[name] for name in columns), of_line]
    width = 1 + sum(each.itemsize for each in texts)
    if width > _WIDEST:
        cells_of = [each.tolist() for each in texts]
        for row in zip(*(part.tolist() for part in parts), strict=True):
            yield b"[" + b"".join(cells[code] for cells, code in zip(cells_of, row, strict=True))
        return
    fields = [("begin", "S1"), *((f"c{column}", each.dtype) for column, each in enumerate(texts))]
    step = _BLOCK // width
    for start in range(0, len(found), step):
        chosen = [part[start : start + step] for part in parts]
        lines = np.empty(len(chosen[0]), dtype=fields)
        lines["begin"] = b"["
        for column, (each, part) in enumerate(zip(texts, chosen, strict=True)):
            lines[f"c{column}"] = each[part]
        yield lines.tobytes().translate(None, b"\0")  # what fills a cell up to the width of the longest


def canonical_digest(frequencies: FrequencySet, columns: Sequence[str]) -> str:
    """Return the sha256 of the canonical text of some columns' combinations."""
    digest = hashlib.sha256()
    for block in canonical_lines(frequencies, columns):
        digest.update(block)
    return digest.hexdigest()
