"""Readings of the table: which records make a class, and what a missing cell means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.answers import Answer
from tcloseness.conformance.exact_text import Value
from tcloseness.conformance.inputs import Cell, Table
from tcloseness.conformance.readings.reading import (
    BY_KEYS,
    DIVERSITY,
    LIKENESS,
    MODELS,
    WITH_VALUES,
    by_keys,
    convention,
    fault,
)
from tcloseness.conformance.reference import (
    Grouped,
    NoAnswer,
    Question,
    Steps,
    count_rows,
    decide,
    grouped,
    in_order,
    keys_of,
    measure_class,
)

__all__ = ["GROUPING"]


def labels_as_positions(table: Table) -> Sequence[Grouped]:
    """Take the rows' labels for their places."""
    if table.index is None:
        return grouped(table)
    rows: dict[tuple[Cell, ...], list[int]] = {}
    for key, label in zip(keys_of(table), table.index, strict=True):
        rows.setdefault(key, []).append(label)
    if not all(0 <= label < len(table.rows) for label in table.index):
        raise NoAnswer
    found = []
    for name, right in zip(table.sensitive, grouped(table), strict=True):
        cells, classes = table.column(name), []
        for places in rows.values():
            counts: dict[Cell, int] = {}
            for place in places:
                counts[cells[place]] = counts.get(cells[place], 0) + table.counts[place]
            classes.append(counts)
        found.append(replace(right, classes=tuple(classes)))
    return found


def with_all_keys(table: Table) -> tuple[list[Grouped], int]:
    """Group the records without a missing quasi-identifier, and count the others."""
    keys = keys_of(table)
    kept = [i for i, key in enumerate(keys) if None not in key]
    times = [table.counts[i] for i in kept]
    found = []
    for name in table.sensitive:
        cells = table.column(name)
        found.append(count_rows([keys[i] for i in kept], [cells[i] for i in kept], times, table, name))
    return found, sum(table.counts) - sum(times)


def missing_key_lost(table: Table) -> Sequence[Grouped]:
    """Form no class of records with a missing quasi-identifier, but count them in Q."""
    pairs = zip(grouped(table), with_all_keys(table)[0], strict=True)
    return [replace(right, classes=part.classes) for right, part in pairs]


def missing_rows_left_out(table: Table) -> Sequence[Grouped]:
    """Leave records with a missing quasi-identifier out altogether, and say so."""
    parts, excluded = with_all_keys(table)
    return [replace(part, excluded=excluded) for part in parts]


def wildcard(asked: Question) -> Answer:
    """Let a missing quasi-identifier match every value: each record counts those that it may be."""
    keys = keys_of(asked.table)

    def alike(one: Sequence[Cell], other: Sequence[Cell]) -> bool:
        return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))

    value = Fraction(
        min(sum(n for other, n in zip(keys, asked.table.counts, strict=True) if alike(key, other)) for key in keys)
    )
    return Answer(value, decide(asked, value, []))


def _known(counts: Mapping[Cell, int]) -> Mapping[Cell, int]:
    return {v: n for v, n in counts.items() if v is not None}


def missing_value_ignored(table: Table) -> Sequence[Grouped]:
    """Count a missing sensitive value nowhere."""
    found = []
    for classes in grouped(table):
        counts = tuple(_known(c) for c in classes.classes)
        if not all(counts):
            raise NoAnswer
        reference = _known(classes.reference)
        domain = in_order(list(reference), table)
        found.append(replace(classes, classes=counts, reference=reference, domain=domain))
    return found


def with_empty_class(table: Table) -> Sequence[Grouped]:
    """Make a class of a category of the only quasi-identifier that no record has."""
    names = table.quasi_identifiers
    used = set(table.column(names[0])) if names else set()
    unused = [c for c in table.categories.get(names[0], ()) if c not in used] if len(names) == 1 else []
    return [replace(g, classes=(*g.classes, *({} for _ in unused))) for g in grouped(table)]


def measure_also_empty(asked: Question, classes: Grouped, g: int) -> Value:
    """Measure a class; most formulas have no value for an empty one."""
    if not classes.classes[g] and asked.name not in ("k-anonymity", "distinct-l"):
        raise NoAnswer
    return measure_class(asked, classes, g)


def last_sensitive_only(table: Table) -> Sequence[Grouped]:
    """Measure the last sensitive attribute only."""
    return grouped(table)[-1:]


def others_join(table: Table) -> Sequence[Grouped]:
    """Let the other sensitive attributes join the quasi-identifiers in turn."""
    found = []
    for name in table.sensitive:
        others = tuple(other for other in table.sensitive if other != name)
        joined = replace(table, quasi_identifiers=(*table.quasi_identifiers, *others))
        found.append(count_rows(keys_of(joined), table.column(name), table.counts, table, name))
    return found


def each_quasi_identifier(asked: Question) -> Answer:
    """Measure k by one quasi-identifier at a time."""
    sizes = [
        size
        for name in asked.table.quasi_identifiers
        for size in grouped(replace(asked.table, quasi_identifiers=(name,)))[0].sizes
    ]
    value = Fraction(min(sizes))
    return Answer(value, decide(asked, value, []))


def runs(table: Table) -> list[tuple[int, ...]]:
    """Number the runs of equal neighbours."""
    number, keys = 0, keys_of(table)
    found: list[tuple[int, ...]] = []
    for i, key in enumerate(keys):
        number += int(i > 0 and key != keys[i - 1])
        found.append((number,))
    return found


def raw_texts(table: Table) -> list[tuple[str | None, ...]]:
    """Take the quasi-identifiers as they are written: 1 and 1.0 are two keys."""
    places = [table.columns.index(name) for name in table.quasi_identifiers]
    return [tuple(row[place] for place in places) for row in table.rows]


def cleaned_texts(table: Table) -> list[tuple[Cell, ...]]:
    """Take the quasi-identifiers without blanks around them and in small letters."""
    return [tuple(c.strip().casefold() if isinstance(c, str) else c for c in key) for key in keys_of(table)]


def one_class(table: Table) -> Sequence[Grouped]:
    """Take the whole table for one class."""
    return [replace(g, classes=(g.reference,)) for g in grouped(table)]


def one_each(table: Table) -> Sequence[Grouped]:
    """Count every row once, whatever number of records it stands for."""
    return grouped(replace(table, times=None))


_SEVERAL = tuple(name for name in WITH_VALUES if name not in ("t-hierarchical", "t-matrix"))
_UNSAFE_CLASSES = "records of several classes are mixed, so a class that gives its people away can pass"
_PANDAS = "the trap of grouping a data frame: labels of rows are not positions"

GROUPING = (
    fault(
        "labels-as-positions",
        (*WITH_VALUES, "classification-metric"),
        Steps(group=labels_as_positions),
        "takes the labels of a data frame's rows for their positions",
        f"after filtering, sorting or concatenating, {_UNSAFE_CLASSES}",
        _PANDAS,
        needs=("foreign-labels", "permuted-labels"),
    ),
    fault(
        "missing-key-lost",
        BY_KEYS,
        Steps(group=missing_key_lost),
        "records with a missing quasi-identifier belong to no class, though the reference counts them",
        "the rows that stand out most are not looked at: a unique record passes",
        "data frames drop missing keys when grouping, unless told not to",
        needs=("missing-key",),
    ),
    convention(
        "missing-rows-left-out",
        BY_KEYS,
        Steps(group=missing_rows_left_out),
        "leaves records with a missing quasi-identifier out of the table, and reports how many",
        "the answer is about another table than the one that is published, unless those rows are withheld too",
        "defensible only with the number of records left out",
        needs=("missing-key",),
    ),
    convention(
        "missing-key-as-wildcard",
        ("k-anonymity",),
        Steps(answer=wildcard),
        "a missing quasi-identifier may be any value, so a record with one is alike to many",
        "a blanked cell protects its record, but only against an intruder who does not know that it was blanked",
        "how sdcMicro counts frequencies, with weight 1",
        needs=("missing-key",),
    ),
    convention(
        "missing-value-ignored",
        (*DIVERSITY, "t-equal", *LIKENESS),  # the other distances ask where a missing value lies
        Steps(group=missing_value_ignored),
        "a missing sensitive value is not a value",
        "classes look less diverse, and the reference another one",
        "COUNT(DISTINCT …) of SQL does so",
        needs=("missing-value",),
    ),
    fault(
        "unused-category",
        (*MODELS, "average-class-size", "average-risk"),
        Steps(group=with_empty_class, measure=measure_also_empty),
        "a declared category that no record has becomes an empty class",
        "k = 0 for a table that is safe, or no answer at all",
        "data frames keep unused categories when grouping by one categorical column",
        needs=("unused-category",),
    ),
    fault(
        "keys-as-text",
        BY_KEYS,
        by_keys(raw_texts),
        "compares quasi-identifiers as they are written, so 1 and 1.0 are two",
        "equal records fall into different classes, and a safe table is refused",
        "numbers are equal if they are equal as numbers",
        needs=("decimal-key",),
    ),
    convention(
        "keys-cleaned",
        BY_KEYS,
        by_keys(cleaned_texts),
        "strips blanks and ignores case in quasi-identifiers",
        "records that a reader can tell apart count as alike",
        "loaders of the Adult data strip blanks; the table that is measured is then another one",
        needs=("look-alike-key",),
    ),
    fault(
        "each-quasi-identifier",
        ("k-anonymity",),
        Steps(answer=each_quasi_identifier),
        "counts by one quasi-identifier at a time and not by their combination",
        "a unique combination of common values passes",
        "k-anonymity is about the combination (Definition 2.2)",
        needs=("two-keys",),
    ),
    fault(
        "first-quasi-identifier-only",
        BY_KEYS,
        by_keys(lambda table: [key[:1] for key in keys_of(table)]),
        "groups by the first quasi-identifier and forgets the others",
        "classes are taken for larger and more mixed than they are",
        "classes are formed by all quasi-identifiers together",
        needs=("two-keys",),
    ),
    fault(
        "runs-for-classes",
        BY_KEYS,
        by_keys(runs),
        "takes a run of neighbours with equal quasi-identifiers for a class, without sorting first",
        "one class is taken for several small ones, and a safe table is refused",
        "the trap of grouping iterators and of uniq",
    ),
    fault(
        "last-sensitive-only",
        _SEVERAL,
        Steps(group=last_sensitive_only),
        "checks the last of several sensitive attributes only",
        "the others may be fully disclosed",
        "every sensitive attribute must satisfy the model",
        needs=("two-sensitive",),
    ),
    convention(
        "others-join-the-quasi-identifiers",
        _SEVERAL,
        Steps(group=others_join),
        "lets the other sensitive attributes join the quasi-identifiers in turn",
        "stricter: it also protects against an intruder who knows all but one sensitive attribute",
        "Machanavajjhala et al. 2006, Definition 4.5",
        needs=("two-sensitive",),
    ),
    fault(
        "table-for-class",
        (*DIVERSITY,),
        Steps(group=one_class),
        "measures the table as a whole and not each class",
        "a diverse table hides classes with a single value",
        "diversity is asked of every class",
    ),
    fault(
        "rows-for-records",
        tuple(name for name in BY_KEYS if name != "distinct-l"),
        Steps(group=one_each),
        "counts a row once, whatever number of records it stands for",
        "all sizes and shares are wrong",
        "rows with a multiplicity are how large tables are exchanged",
        needs=("times",),
    ),
)
"""What an implementation may do to the table before it measures anything."""
