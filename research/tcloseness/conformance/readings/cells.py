"""Readings of the cells: which of them are equal, and in what order declared values lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.answers import Answer, Refused
from tcloseness.conformance.exact_text import Value
from tcloseness.conformance.inputs import Cell, Table
from tcloseness.conformance.readings.reading import BY_KEYS, WITH_VALUES, by_keys, convention, fault, in_domain
from tcloseness.conformance.reference import (
    Grouped,
    NoAnswer,
    Question,
    Steps,
    grouped,
    keys_of,
    measure_class,
    numerators,
    prefix_work,
    reference_answer,
)

__all__ = ["CELLS", "NULL_WORDS", "PROTOTYPE_NAMES", "SEPARATORS"]


SEPARATORS = (",", "_", "-", "|", " ", ";", "/", ".", "\t", "")
"""What quasi-identifiers are joined by, the most usual ones first; the last is nothing at all."""

NULL_WORDS = ("null", "None", "nan", "NaN", "NA", "NULL", "N/A", "undefined")
"""Texts that stand for a missing value somewhere."""

PROTOTYPE_NAMES = ("__proto__", "constructor", "toString", "valueOf", "hasOwnProperty")
"""Names that an empty object of JavaScript has already."""


def joined_keys(table: Table) -> list[tuple[str, tuple[bool, ...]]]:
    """Join each row's quasi-identifiers by the separator that occurs in them; what is missing stays apart."""
    keys = keys_of(table)
    texts = [["" if cell is None else str(cell) for cell in key] for key in keys]
    separator = next((s for s in SEPARATORS if s and any(s in text for row in texts for text in row)), "")
    return [(separator.join(row), tuple(c is None for c in key)) for row, key in zip(texts, keys, strict=True)]


def with_cells(change: Callable[[Cell, str], Cell]) -> Steps:
    """Read every cell in another way; `change` is given the cell and its column's type."""

    def column(table: Table, name: str) -> list[Cell]:
        return [change(cell, table.type_of(name)) for cell in table.column(name)]

    def keys(table: Table) -> Sequence[object]:
        columns = [column(table, name) for name in table.quasi_identifiers]
        return list(zip(*columns, strict=True)) if columns else [() for _ in table.rows]

    return by_keys(keys, column)


def null_as_empty(cell: Cell, kind: str) -> Cell:
    """Take a missing text for an empty one."""
    return "" if cell is None and kind == "text" else cell


def null_as_text(cell: Cell, kind: str) -> Cell:
    """Take a word for a missing value."""
    return None if cell in NULL_WORDS and kind == "text" else cell


def as_double(cell: Cell, kind: str) -> Cell:
    """Hold a whole number as a double."""
    return int(float(cell)) if isinstance(cell, int) and kind == "integer" else cell


def values_lost(table: Table) -> Sequence[Grouped]:
    """Count no value called __proto__: what is written there does not stay."""

    def kept(counts: Mapping[Cell, int]) -> Mapping[Cell, int]:
        return {v: n for v, n in counts.items() if v != "__proto__"}

    return [
        replace(right, classes=tuple(map(kept, right.classes)), reference=kept(right.reference), domain=domain)
        for right in grouped(table)
        for domain in [tuple(v for v in right.domain if v != "__proto__")]
    ]


def measure_what_is_left(asked: Question, classes: Grouped, g: int) -> Value:
    """Measure a class; a count that began as a function is not a number, though the number of names is right."""
    if asked.name == "distinct-l":
        return Fraction(len(classes.classes[g]))
    if not classes.classes[g] or any(v in PROTOTYPE_NAMES for v in classes.domain):
        raise NoAnswer
    return measure_class(asked, classes, g)


def in_objects(asked: Question) -> Answer:
    """Look classes and values up in objects that have some names already."""
    if any(len(key) == 1 and key[0] in PROTOTYPE_NAMES for key in keys_of(asked.table)):
        raise NoAnswer
    steps = Steps()
    if asked.name in WITH_VALUES:
        steps = Steps(group=values_lost, measure=measure_what_is_left)
    elif asked.name == "classification-metric" and any(
        v in PROTOTYPE_NAMES for v in asked.table.column(asked.table.sensitive[0])
    ):
        raise NoAnswer
    answer = reference_answer(asked.name, asked.table, asked.parameters, steps)
    if isinstance(answer, Refused):
        raise NoAnswer
    return answer


def by_text(classes: Grouped, g: int, table: Table) -> tuple[Cell, ...]:
    """Return the values in alphabetical order where an order is declared."""
    return classes.domain if table.order is None else tuple(sorted(classes.domain, key=str))


def all_declared(asked: Question, classes: Grouped, g: int) -> Value:
    """Count the declared values that no record has in m."""
    if asked.table.order is None:
        return measure_class(asked, classes, g)
    extra, denominator = numerators(classes, g)
    steps = max(len(asked.table.order) - 1, 1)
    return prefix_work([extra.get(v, 0) for v in asked.table.order], [Fraction(1)] * steps) / (denominator * steps)


_MERGED = "different records count as alike, so a class that gives its people away can pass"

CELLS = (
    fault(
        "keys-joined",
        BY_KEYS,
        by_keys(joined_keys),
        "joins the quasi-identifiers to one text by a separator that cells may contain",
        f"'x,y' and 'z' are taken for 'x' and 'y,z': {_MERGED}",
        "a class is a tuple of values, and no text",
        needs=("joined-keys",),
        variants=len(SEPARATORS),
    ),
    fault(
        "null-as-empty",
        BY_KEYS,
        with_cells(null_as_empty),
        "takes a missing value for the empty text",
        _MERGED,
        "a missing value is a value of its own; a file without quotation marks cannot tell the two apart",
        needs=("empty-key", "empty-value"),
    ),
    fault(
        "null-as-text",
        BY_KEYS,
        with_cells(null_as_text),
        "takes a missing value for a text such as null, None, nan or NA, or that text for a missing value",
        _MERGED,
        "a missing value that is made text, and a text that a reader of files takes for a missing value",
        needs=("null-word-key", "null-word-value"),
        variants=len(NULL_WORDS),
    ),
    fault(
        "integers-as-doubles",
        BY_KEYS,
        with_cells(as_double),
        "reads whole numbers as doubles, so 9007199254740993 is 9007199254740992",
        f"identifiers of 17 and more digits merge: {_MERGED}",
        "a double holds 53 bits",
        needs=("big-key", "big-value"),
    ),
    fault(
        "prototype-names",
        BY_KEYS,
        Steps(answer=in_objects),
        "looks values up in objects that have names such as __proto__ and constructor already",
        "the value is lost or ends in an error: a class looks less diverse, or has no answer",
        "an object of JavaScript is not a dictionary; Map, or an object without a prototype, is one",
        needs=("prototype-key", "prototype-value"),
        variants=2,
    ),
    fault(
        "declared-order-forgotten",
        ("t-ordered",),
        in_domain(by_text),
        "sorts an ordinal attribute by its texts and not by the declared order",
        "high, low, medium: the number is another quantity and errs on either side",
        "the order belongs to the attribute",
        needs=("declared-order",),
        variants=2,
    ),
    convention(
        "declared-values-count",
        ("t-ordered",),
        Steps(measure=all_declared),
        "counts declared values that no record has in m",
        "distances come out smaller the more values are declared; which ones count must be said",
        "Li et al. 2007 speak of the attribute's domain; here m counts the values that occur",
        needs=("declared-unused",),
        variants=1,
    ),
)
"""What an implementation may take for the same value, and for the order of values."""
