"""How one quasi-identifier of an equivalence class is shown, and how much that leaves open, for classes of any shape.

| attribute | label of a class | its extent | the whole |
|---|---|---|---|
| `Numeric` | the interval from its least to its greatest value | max − min | the range |
| `Hierarchical` | the lowest common ancestor | the leaves below it | all leaves |
| `Categorical` | the set of its values | how many values | m |

The height of a label is that of the ancestor's node; of an interval or a set 1, and 0 for one value.

Labels are *tight*: they depend on the class's own records only. What extents and heights cost, the losses say.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from tcloseness.displayed import Compared
from tcloseness.errors import InputError, TableError, warn
from tcloseness.exact import INT64_MAX, IntArray, number_text, scaled_integers
from tcloseness.microdata import MISSING, Column, Domain, Hierarchy, Microdata
from tcloseness.microdata.ancestors import Ancestors, slices
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import natural_position, value_text
from tcloseness.microdata.misread import AS_NUMBERS, misread_text

__all__ = [
    "Attribute",
    "Categorical",
    "Hierarchical",
    "Means",
    "Numeric",
    "OneAttribute",
    "Says",
    "attributes_of",
    "kinds_text",
    "require_numeric",
]


Says: TypeAlias = Literal["attained", "several", "contained", "summary"]
"""What a label says of the values of its class, as far as whoever knows how labels are made is concerned.

``contained``: each is one that the label stands for. ``attained``: also that no label that stands for less would do, so
that both ends of an interval occur, each value of a set, and values below two children of an ancestor at least.
``several``: also that the class has several values, if the label stands for several, and that none of fewer cells of a
grid would do. ``summary``: a number that is computed from them, such as their mean.
"""


@runtime_checkable
class Attribute(Protocol):
    """How one quasi-identifier is generalized. Any object with these members is one.

    Its methods promise to depend on nothing but the set of codes that a class has: not on their order, not on other
    classes. The plural methods answer for many classes at once: `codes` sorted by class, and where each class starts.
    """

    @property
    def name(self) -> str:
        """The attribute's name."""

    @property
    def kind(self) -> str:
        """``numeric``, ``hierarchical``, ``categorical`` or another word, for reports."""

    @property
    def domain(self) -> Domain:
        """The attribute's values."""

    @property
    def top(self) -> int:
        """The greatest height that a label can have."""

    @property
    def whole(self) -> int:
        """The extent of the label that stands for everything."""

    @property
    def counted(self) -> bool:
        """Whether extents count values, 1 for a single one; else they are widths, 0 for a single one."""

    def label(self, codes: IntArray) -> Hashable:
        """Return the generalized value of a class whose members have these codes."""

    def labels(self, codes: IntArray, starts: IntArray) -> list[Hashable]:
        """Return the label of each class."""

    def extents(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return how wide each class's label is, or for how many values it stands; at most `whole`."""

    def heights(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return how high each class's label lies above the values, in 0 … `top`."""

    def below(self, codes: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        """Return the leaves that each class's label stands for, as `Recoding.starts` and `Recoding.places`."""


class OneAttribute(Compared):
    """The answers for one class, from those for many."""

    def label(self: Any, codes: IntArray) -> Hashable:
        """Return the generalized value of a class."""
        found: list[Hashable] = self.labels(*_one_class(codes, self.name))
        return found[0]

    def extent(self: Any, codes: IntArray) -> int:
        """Return the extent of the class's label."""
        return int(self.extents(*_one_class(codes, self.name))[0])

    def height(self: Any, codes: IntArray) -> int:
        """Return the height of the class's label."""
        return int(self.heights(*_one_class(codes, self.name))[0])


def _one_class(codes: IntArray, name: str) -> tuple[IntArray, IntArray]:
    array = np.asarray(codes, dtype=np.int64)
    if not len(array):
        raise InputError(f"a class without records has no value of {name!r}; every class needs a record")
    return array, np.zeros(1, dtype=np.int64)


class Numeric(OneAttribute):
    """An attribute of numbers or dates: a class shows the interval [min, max] of its own values.

    The range is that of the table's domain (of the values that occur, unless a domain was declared).

    Parameters
    ----------
    name, domain
        The attribute; its values are numbers, numeric texts or dates. Values that are equal as numbers, such as the
        texts ``62`` and ``62.0``, lie at one place and are shown alike, by the first of them in the domain.

    Raises
    ------
    DomainError
        If a value is not a number or a date.

    Examples
    --------
    >>> age = Numeric("age", Domain.of([21, 22, 35, 41]))
    >>> age.label(np.array([2, 0, 1])), age.extent(np.array([2, 0, 1])), age.whole
    ('21-35', 14, 20)
    """

    kind = "numeric"
    top = 1
    counted = False
    says: Says = "attained"

    def __init__(self, name: str, domain: Domain) -> None:
        self.name, self.domain = name, domain
        positions = domain.positions(f"the numeric quasi-identifier {name!r}")
        scaled, _ = scaled_integers(positions)
        origin = min(scaled)
        span = max(scaled) - origin
        self.places = np.array([p - origin for p in scaled], dtype=np.int64 if span <= INT64_MAX else object)
        self.whole = int(span)
        self._by_place: dict[int, Hashable] = {}
        for place, value in zip(self.places.tolist(), domain.values, strict=True):
            self._by_place.setdefault(int(place), value)

    def labels(self, codes: IntArray, starts: IntArray) -> list[Hashable]:
        """Return the one value, or the interval's text."""
        low, high = self._ends(codes, starts)
        return [self._interval(int(a), int(b)) for a, b in zip(low, high, strict=True)]

    def extents(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return max − min of each class."""
        low, high = self._ends(codes, starts)
        return np.asarray(high - low)

    def heights(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return 0 for one value, else 1."""
        return (self.extents(codes, starts) > 0).astype(np.int64)

    def below(self, codes: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        """Return the values in each class's interval."""
        order = np.argsort(self.places, kind="stable")
        low, high = self._cells(codes, starts)
        at = self.places[order]
        return slices(order, np.searchsorted(at, low), np.searchsorted(at, high, side="right"))

    def _cells(self, codes: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        """Return the ends of each class's label as places."""
        return self._ends(codes, starts)

    def _ends(self, codes: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        at = self.places[codes]
        return np.minimum.reduceat(at, starts), np.maximum.reduceat(at, starts)

    def _interval(self, low: int, high: int) -> Hashable:
        if low == high:
            return self._by_place[low]
        a, b = value_text(self._by_place[low]), value_text(self._by_place[high])
        return f"[{a}, {b}]" if "-" in a + b else f"{a}-{b}"  # negative numbers, dates


class Means(Numeric):
    """An attribute of numbers, where a class shows the mean of its values: as a decimal if it has one, else a fraction.

    Examples
    --------
    >>> Means("age", Domain.of([21, 22, 35])).label(np.array([0, 0, 1])), Means("age", Domain.of([1, 2])).label([0, 1])
    ('64/3', '1.5')
    """

    kind = "mean of its group"
    says = "summary"

    def labels(self, codes: IntArray, starts: IntArray) -> list[Hashable]:
        """Return the text of each class's mean."""
        values = self.domain.positions(f"the mean of {self.name!r}")
        groups = np.split(np.asarray(codes), starts[1:])
        return [_decimal_or_fraction(sum((values[c] for c in g), Fraction(0)) / len(g)) for g in groups]


def _decimal_or_fraction(number: Fraction) -> str:
    for digits in range(20):
        scaled = number * 10**digits
        if scaled.denominator == 1:
            sign, whole_part = ("-" if scaled < 0 else ""), f"{abs(int(scaled)):0{digits + 1}d}"
            return f"{sign}{whole_part[:-digits]}.{whole_part[-digits:]}" if digits else f"{sign}{whole_part}"
    return number_text(number)


class Hierarchical(OneAttribute):
    """An attribute with a hierarchy: a class shows the lowest common ancestor of its values.

    Parameters
    ----------
    name, domain
        The attribute.
    hierarchy
        It covers the domain; leaves may lie at unequal depth. All its leaves count, whether they occur or not.

    Raises
    ------
    HierarchyError
        If the hierarchy misses a value.

    Examples
    --------
    >>> towns = Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d", "e"]}])
    >>> town = Hierarchical("town", Domain.of("abcde"), towns)
    >>> codes = np.array([0, 1, 1])
    >>> town.label(codes), town.extent(codes), town.whole, town.height(codes)
    ('north', 2, 5, 1)
    """

    kind = "hierarchical"
    counted = True
    says: Says = "attained"

    def __init__(self, name: str, domain: Domain, hierarchy: Hierarchy) -> None:
        self.name, self.domain, self.hierarchy = name, domain, hierarchy
        self.ancestors = Ancestors(hierarchy)
        self.places = self.ancestors.places(domain)
        self.leaf_nodes = self.ancestors.leaf_nodes[self.places]
        self.top = int(self.ancestors.height[0])
        self.whole = self.ancestors.leaves

    def nodes(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the lowest common ancestor of each class, a number of `ancestors`."""
        at = self.places[codes]
        return self.ancestors.covering(np.minimum.reduceat(at, starts), np.maximum.reduceat(at, starts))

    def labels(self, codes: IntArray, starts: IntArray) -> list[Hashable]:
        """Return the ancestors' labels; of a single value, the table's own value.

        Raises
        ------
        HierarchyError
            If two that are shown are called alike, and are not over the same leaves.
        """
        nodes = self.nodes(codes, starts)
        self.ancestors.require_labels_apart(self.name, np.unique(nodes).tolist())
        found = zip(nodes.tolist(), self.ancestors.height[nodes].tolist(), codes[starts].tolist(), strict=True)
        return [self.ancestors.labels[node] if height else self.domain.values[code] for node, height, code in found]

    def extents(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return how many leaves are below each class's ancestor."""
        nodes = self.nodes(codes, starts)
        return np.asarray(self.ancestors.high[nodes] - self.ancestors.low[nodes])

    def heights(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the height of each class's ancestor."""
        return self.ancestors.height[self.nodes(codes, starts)]

    def below(self, codes: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        """Return the leaves below each class's ancestor."""
        return self.ancestors.below(self.nodes(codes, starts))


class Categorical(OneAttribute):
    """An attribute of values without a hierarchy: a class shows the set of its values, in the domain's order.

    Parameters
    ----------
    name, domain
        The attribute.

    Examples
    --------
    >>> town = Categorical("town", Domain.of("abcde"))
    >>> town.label(np.array([3, 0, 3])), town.extent(np.array([3, 0, 3])), town.label(np.array([1]))
    ('{a, d}', 2, 'b')
    """

    kind = "categorical"
    top = 1
    counted = True
    says: Says = "attained"

    def __init__(self, name: str, domain: Domain) -> None:
        self.name, self.domain = name, domain
        self.places = np.arange(len(domain))
        self.whole = len(domain)
        self._like_sets = {text for text in map(value_text, domain.values) if text.startswith("{")}

    def labels(self, codes: IntArray, starts: IntArray) -> list[Hashable]:
        """Return the one value, or the set's text; a value with a comma, a brace or a quote is written in quotes.

        A set whose text is that of a value of the domain has all its values in quotes, so that it is not taken for it.
        """
        keys = self._present(codes, starts)
        ends = np.searchsorted(keys, np.arange(len(starts) + 1) * len(self.domain)).tolist()
        values = (keys % len(self.domain)).tolist()
        return [self._set(values[low:high]) for low, high in zip(ends, ends[1:], strict=False)]

    def extents(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the number of each class's values."""
        return np.bincount(self._present(codes, starts) // len(self.domain), minlength=len(starts))

    def heights(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return 0 for one value, else 1."""
        return (self.extents(codes, starts) > 1).astype(np.int64)

    def below(self, codes: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        """Return each class's values."""
        keys = self._present(codes, starts)
        return np.searchsorted(keys, np.arange(len(starts) + 1) * len(self.domain)), keys % len(self.domain)

    def _present(self, codes: IntArray, starts: IntArray) -> IntArray:
        of_class = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(codes)))
        return np.unique(of_class * len(self.domain) + codes)

    def _set(self, codes: Sequence[int]) -> Hashable:
        if len(codes) == 1:
            return self.domain.values[codes[0]]
        texts = [value_text(self.domain.values[code]) for code in codes]
        shown = "{" + ", ".join(map(_quoted, texts)) + "}"
        if shown in self._like_sets:
            shown = "{" + ", ".join(map(repr, texts)) + "}"
        while shown in self._like_sets:
            shown = f"{shown[:-1]} }}"
        return shown


def _quoted(text: str) -> str:
    return repr(text) if set(text) & set(",{}\"'") else text


def attributes_of(
    table: Microdata | FullTable,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    categorical: Collection[str] = (),
) -> tuple[Hierarchical | Numeric | Categorical, ...]:
    """Return how each quasi-identifier of a table is generalized, in the table's order.

    Hierarchical where a hierarchy is given; else numeric where every value is a number, a numeric text or a date; else
    categorical. Numbers with missing values among them are refused, since a missing value has no place among numbers.

    Parameters
    ----------
    table
        The table.
    hierarchies
        A hierarchy by attribute name, for any of the quasi-identifiers.
    categorical
        Quasi-identifiers whose numbers are mere names, such as ZIP codes.

    Raises
    ------
    TableError
        For a name that is not a quasi-identifier, or numbers with missing values among them.
    HierarchyError
        If a hierarchy misses a value that occurs.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [21, 41], "sex": ["f", "m"], "disease": ["flu", "cold"]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers=["age", "sex"], sensitive="disease")
    >>> kinds_text(attributes_of(table))
    'age: numeric (all its values are numbers or dates), sex: categorical'
    """
    table = in_shape(table, Microdata)
    given = hierarchies or {}
    names = tuple(column.name for column in table.quasi_identifiers)
    for name in (*given, *categorical):
        if name not in names:
            raise TableError(f"{name!r} is not a quasi-identifier of this table; it has {names!r}")
    found: list[Hierarchical | Numeric | Categorical] = []
    for column in table.quasi_identifiers:
        if column.name in given:
            found.append(Hierarchical(column.name, column.domain, given[column.name]))
        elif column.name not in categorical and _holds_numbers(column):
            found.append(Numeric(column.name, column.domain))
        else:
            if column.name not in categorical:
                _warn_if_misread(column)
            found.append(Categorical(column.name, column.domain))
    return tuple(found)


def _warn_if_misread(column: Column) -> None:
    told = misread_text(column.domain.values, f" of column {column.name!r}")
    if told:
        warn(
            f"{told}; they are generalized to sets of texts, not to intervals; {AS_NUMBERS}, or name the column in "
            "categorical= if its values are names"
        )


def _holds_numbers(column: Column) -> bool:
    """Say whether a column's values are numbers or dates; those among which there are missing ones are refused."""
    present = [value for value in column.domain.values if value is not MISSING]
    numbers = bool(present) and all(natural_position(value) is not None for value in present)
    if numbers:
        require_numeric(column)
    return numbers


def require_numeric(column: Column) -> None:
    """Raise `TableError` unless each value of a column is a number or a date; the message counts the rows."""
    odd = [code for code, value in enumerate(column.domain.values) if natural_position(value) is None]
    if not odd:
        return
    value, rows = column.domain.values[odd[0]], int(np.isin(column.codes, odd).sum())
    if value is MISSING and len(odd) == 1:
        raise TableError(
            f"the quasi-identifier {column.name!r} holds numbers and {rows:,} row(s) with a missing value, which has "
            "no place among numbers; leave these rows out (missing='drop'), give the column a hierarchy with a row for "
            "(missing), or name it in categorical= for sets of its values"
        )
    raise TableError(
        f"the quasi-identifier {column.name!r} is to be generalized to intervals of numbers, and {rows:,} row(s) hold "
        f"{len(odd):,} other value(s), first {value!r}, which is not a number; name a text that means missing with "
        "missing_texts=, give the column a hierarchy, or name it in categorical= for sets of its values"
    )


def kinds_text(attributes: Sequence[Attribute]) -> str:
    """Say how the quasi-identifiers are generalized, for a result's conventions."""
    chosen = {"numeric": " (all its values are numbers or dates)"}  # so it was chosen, or asked for
    return ", ".join(f"{a.name}: {a.kind}{chosen.get(a.kind, '')}" for a in attributes) or "none"
