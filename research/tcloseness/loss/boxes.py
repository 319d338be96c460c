"""NCP of classes that are boxes of numbers, as Mondrian and microaggregation make them.

A class's box may be *tight* (from the least to the greatest value of its records) or wider, where an algorithm passes
on the bounds of the region that it split. Both are generalizations, and their losses differ.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from tcloseness.conventions import Conventions
from tcloseness.errors import InputError
from tcloseness.exact import Number, as_fraction, number_text, scaled_integers
from tcloseness.loss.certainty import xu
from tcloseness.loss.protocol import SUPPRESSED, LossResult
from tcloseness.models.thresholds import whole

__all__ = ["Box", "certainty_of_boxes", "tight_boxes"]

Box: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
"""Per attribute the least and the greatest value."""


def tight_boxes(points: Sequence[Sequence[Number]], groups: Sequence[Sequence[int]]) -> list[Box]:
    """Return the least box around the points of each group.

    Parameters
    ----------
    points
        Shape (records, attributes): numbers, read exactly.
    groups
        The numbers of each class's records.

    Raises
    ------
    InputError
        For points of unequal length, an empty group, or a record that is unknown, in no group, or in two.

    Examples
    --------
    >>> boxes = tight_boxes([(1, 1), (2, 2), (8, 8), (9, 9)], [[0, 1], [2, 3]])
    >>> certainty_of_boxes(boxes, [2, 2], [(1, 9), (1, 9)]).value
    Fraction(1, 8)
    """
    table = _table(points)
    seen = [i for group in groups for i in group]
    if sorted(seen) != list(range(len(table))) or not all(len(group) for group in groups):
        raise InputError(
            f"the groups hold {len(seen)} record numbers for {len(table)} records; every record belongs to exactly "
            "one group, and no group is empty"
        )
    boxes = []
    for group in groups:
        rows = table[list(map(int, group))]
        bounds = zip(rows.min(axis=0).tolist(), rows.max(axis=0).tolist(), strict=True)
        boxes.append(tuple((Fraction(low), Fraction(high)) for low, high in bounds))
    return boxes


def _table(points: Sequence[Sequence[Number]]) -> np.ndarray[Any, Any]:
    if isinstance(points, np.ndarray) and points.ndim == 2 and points.dtype.kind in "iu":
        return points
    exact = [[as_fraction(x, f"points[{i}]") for x in point] for i, point in enumerate(points)]
    if not exact or len({len(row) for row in exact}) != 1 or not exact[0]:
        raise InputError("the points are not a table; give at least one point, all with the same number of attributes")
    return np.array(exact, dtype=object)


def certainty_of_boxes(
    boxes: Sequence[Sequence[tuple[Number, Number]]],
    sizes: Sequence[int],
    ranges: Sequence[tuple[Number, Number]],
    *,
    attributes: Sequence[str] | None = None,
    suppressed: int = 0,
) -> LossResult:
    """Return GCP of boxes: Σ_g n_g Σ_A (max − min)/range / (records · attributes).

    Parameters
    ----------
    boxes, sizes
        The classes' boxes and numbers of records.
    ranges
        Per attribute the least and the greatest value of the whole table, or of its domain.
    attributes
        The attributes' names, for the terms.
    suppressed
        How many records are suppressed; each costs 1 per attribute.

    Raises
    ------
    InputError
        For a box that is empty (max < min) or outside the ranges, sizes that are not positive whole numbers, or
        arguments of unequal length.

    References
    ----------
    Xu et al. 2006; Ghinita et al. 2007.
    """
    spans = [(as_fraction(low, "range"), as_fraction(high, "range")) for low, high in ranges]
    names = [f"attribute {i + 1}" for i in range(len(spans))] if attributes is None else list(attributes)
    counts, lost = [whole(size, "a class size") for size in sizes], whole(suppressed, "suppressed", least=0)
    n = sum(counts) + lost
    if not spans or len(names) != len(spans) or len(counts) != len(boxes) or not n:
        raise InputError(
            f"{len(boxes)} boxes, {len(counts)} sizes, {len(spans)} ranges and {len(names)} names do not fit together; "
            "give one size per box, and one range and name per attribute, at least one of each"
        )
    ends: list[list[Fraction]] = [[least, greatest] for least, greatest in spans]
    for number, box in enumerate(boxes):
        if len(box) != len(spans) or any(len(side) != 2 for side in box):
            raise InputError(
                f"boxes[{number}] is {box!r}; give a least and a greatest value for each of the {len(spans)} ranges"
            )
        for a, ((low, high), (least, greatest)) in enumerate(zip(box, spans, strict=True)):
            left, right = as_fraction(low, f"boxes[{number}]"), as_fraction(high, f"boxes[{number}]")
            if not least <= left <= right <= greatest:
                raise InputError(
                    f"boxes[{number}], {names[a]}: [{number_text(left)}, {number_text(right)}] is empty or leaves the "
                    f"range [{number_text(least)}, {number_text(greatest)}]"
                )
            ends[a] += [left, right]
    terms = {}
    for name, of_attribute in zip(names, ends, strict=True):
        places = np.array(scaled_integers(of_attribute)[0], dtype=object)
        widths = places[1::2] - places[::2]  # of the whole, then of each box
        penalties, unit = xu(widths[1:], widths[0], False)
        terms[name] = (lost + Fraction(sum(map(operator.mul, counts, penalties)), unit)) / n
    return LossResult(
        loss="GCP of boxes",
        formula="Σ_g n_g Σ_A (max − min)/range / (records · attributes)",
        citation="Xu et al. 2006; Ghinita et al. 2007",
        value=sum(terms.values(), Fraction(0)) / len(terms),
        bounds=(Fraction(0), Fraction(1)),
        terms=terms,
        suppressed=lost,
        conventions=Conventions({"suppressed records in the loss": SUPPRESSED["whole"]}),
    )
