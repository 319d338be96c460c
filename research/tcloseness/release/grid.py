"""Intervals on a declared grid: the ends of a class's interval are shown to the cell of the grid only.

With cells of width w, counted from an origin o, a class of several values shows the interval from o + w⌊(min − o)/w⌋ to
o + w⌊(max − o)/w⌋ + w − 1; one of a single value shows that. Labels are wider than tight ones, which show both ends.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping

import numpy as np

from tcloseness.errors import DomainError, InputError, TableError
from tcloseness.exact import INT64_MAX, IntArray, as_fraction, shown_value
from tcloseness.microdata import Domain
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.models.thresholds import whole
from tcloseness.release.anonymized import Anonymized, verified
from tcloseness.release.attributes import Numeric, Says
from tcloseness.release.release import Release

__all__ = ["OnGrid", "on_grid", "suggested_widths"]

_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")


class OnGrid(Numeric):
    """An attribute of whole numbers, where a class of several values shows an interval of cells of a grid.

    The label of a class with values in [a, b], a < b, is the least union of neighbouring cells that includes a and b.
    Cell i has the whole numbers from o + iw to o + iw + w − 1. The extent of a label is that of its part within the
    range of the table.

    Parameters
    ----------
    name, domain
        The attribute; its values are whole numbers.
    width
        w ≥ 2.
    origin
        o, where a cell begins. It is to be chosen without regard to the table.

    Raises
    ------
    DomainError
        If a value is not a whole number.
    InputError
        For another width, or an origin that is not a whole number.

    Examples
    --------
    >>> age = OnGrid("age", Domain.of([21, 22, 35, 41]), 5)
    >>> age.label(np.array([0, 1])), age.label(np.array([0, 2])), age.label(np.array([3]))
    ('20-24', '20-39', 41)
    """

    kind = "numeric, on a grid"
    says: Says = "several"

    def __init__(self, name: str, domain: Domain, width: int, origin: int = 0) -> None:
        odd = [value for value in domain.values if not _WHOLE.fullmatch(value_text(value))]
        if odd:
            raise DomainError(
                f"{name!r} is to be shown on a grid, and {odd[0]!r} is not a whole number; leave {name!r} out, or give "
                "it a hierarchy of intervals"
            )
        super().__init__(name, domain)
        self.width = whole(width, f"the width of the grid of {name!r}", least=2)
        begins = as_fraction(origin, f"the origin of the grid of {name!r}")
        if begins.denominator != 1:
            raise InputError(f"the origin of the grid of {name!r} is {origin!r}; it must be a whole number")
        self.origin = int(begins)
        if self.whole + 2 * self.width > INT64_MAX:
            self.places = self.places.astype(object)
        self.least = int(min(domain.positions(f"the grid of {name!r}")))
        self.kind = f"numeric, on a grid of {self.width} from {self.origin}"

    @property
    def grid(self) -> tuple[int, int]:
        """The width of the cells, and where one begins."""
        return self.width, self.origin

    def labels(self, codes: IntArray, starts: IntArray) -> list[Hashable]:
        """Return the one value, or the interval's text."""
        shown = zip(*(ends.tolist() for ends in (*self._ends(codes, starts), *self._cells(codes, starts))), strict=True)
        return [self._by_place[low] if low == high else self._text(a, b) for low, high, a, b in shown]

    def extents(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the width of the part of each class's label that is within the range."""
        low, high = self._cells(codes, starts)
        return np.asarray(np.minimum(high, self.whole) - np.maximum(low, 0))

    def _cells(self, codes: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        """Return the ends of each class's label as places, some of which are outside of the range."""
        low, high = self._ends(codes, starts)
        shift, several = (self.least - self.origin) % self.width, low < high
        first = (low + shift) // self.width * self.width - shift
        last = (high + shift) // self.width * self.width + self.width - 1 - shift
        return np.where(several, first, low), np.where(several, last, high)

    def _text(self, low: int, high: int) -> str:
        a, b = low + self.least, high + self.least
        return f"[{a}, {b}]" if a < 0 else f"{a}-{b}"


def on_grid(
    found: Anonymized, model: PrivacyModel, widths: Mapping[str, int], *, origins: Mapping[str, int] | None = None
) -> Anonymized:
    """Return the same classes of records, with intervals of whole numbers shown on declared grids, verified anew.

    Tight labels give away the ends of each interval, see `tcloseness.attacks.label_disclosure`; those on a grid do not,
    and cost more. Classes whose labels become equal are one class.

    Parameters
    ----------
    found
        A heuristic's answer.
    model
        What it must satisfy.
    widths, origins
        By quasi-identifier the width w ≥ 2 of the cells, and where one begins (0 by default).

    Returns
    -------
    Anonymized
        The release on grids, with the model's verdict about it.

    Raises
    ------
    InputError
        For what is not the answer of a heuristic, a width below 2, or an origin that is not a whole number.
    TableError
        For a name that is not a quasi-identifier which shows intervals, or an origin without a width.
    DomainError
        If a value is not a whole number.
    NotReached
        If the classes with new labels do not satisfy the model, which is not monotone then.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.anonymize import mondrian
    >>> from tcloseness.microdata import Microdata
    >>> from tcloseness.models import KAnonymity
    >>> frame = pd.DataFrame({"age": [21, 24, 38, 41], "disease": ["flu", "cold", "flu", "cold"]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="disease")
    >>> found = mondrian(table, KAnonymity(2))
    >>> found.labels, on_grid(found, KAnonymity(2), {"age": 5}).labels
    ((('21-24',), ('38-41',)), (('20-24',), ('35-44',)))
    """
    if not isinstance(found, Anonymized):
        raise InputError(
            f"a grid is for the answer of a heuristic, and {shown_value(found)} is given; give what mondrian or "
            "another method of tcloseness.anonymize returns"
        )
    numbers = [each.name for each in found.attributes if type(each) is Numeric]
    for name in (*widths, *(origins or {})):
        if name not in numbers:
            raise TableError(f"{name!r} is not a quasi-identifier that shows intervals; those are {tuple(numbers)}")
        if name not in widths:
            raise TableError(f"an origin is given for {name!r} and no width; give both, or neither")
    attributes = tuple(
        OnGrid(each.name, each.domain, widths[each.name], (origins or {}).get(each.name, 0))
        if each.name in widths
        else each
        for each in found.attributes
    )
    conventions = {name: text for name, text in found.conventions.items() if name != "quasi-identifiers"}
    return verified(
        found.grouped,
        model,
        method=found.method,
        attributes=attributes,
        sensitive=found.sensitive,
        done=found.done,
        conventions=conventions,
    )


def suggested_widths(release: Release) -> dict[str, int]:
    """Return by quasi-identifier with tight intervals of whole numbers how wide the cells of a grid might be.

    The least of 2, 5, 10, 20, 50, … that is at least the median width of the records' intervals.
    """
    found = {}
    for name, recoding in release.recodings.items():
        tight = recoding.numeric and recoding.says == "attained" and recoding.hierarchy is None
        if not tight or not all(_WHOLE.fullmatch(value_text(value)) for value in recoding.values.values):
            continue
        extents, records = recoding.extents("table")[0], release.label_counts(name)
        wide = np.flatnonzero((extents > 0) & (records > 0))
        if len(wide):
            order = wide[np.argsort(extents[wide], kind="stable")]
            until = np.cumsum(records[order])
            found[name] = _round(int(extents[order[np.searchsorted(until, until[-1] / 2)]]))
    return found


def _round(number: int) -> int:
    """Return the least of 2, 5, 10, 20, 50, … that is at least a number."""
    power: int = 10 ** (len(str(number)) - 1)
    least = next(times for times in (1, 2, 5, 10) if times * power >= number)
    return int(max(2, least * power))
