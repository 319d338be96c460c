"""Values and counts as certificates name them, the same from every source.

A value is a text with its kind before it: ``text:Sales``, ``number:3/8``, ``missing:``; see
`tcloseness.certificates.reading`, which reads the same from files and shares nothing with this.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from tcloseness.errors import InputError
from tcloseness.exact import as_fraction, number_text
from tcloseness.microdata.frequency import FrequencySet
from tcloseness.microdata.values import kind_of, plain_value, value_text

__all__ = ["canonical_counts", "canonical_value"]


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
