"""`checked`: a ground distance of the user's own is believed only as far as it was looked at.

Two of its claims change what is computed: `cuts` lets the closed form answer, `metric` lets shared mass stay where it
is. The closed form is the EMD only if the cuts sum to the distance (laminar-cut theorem; that a family is laminar,
`Cuts` sees to), and mass may stay only under the triangle inequality.
"""

from __future__ import annotations

import weakref
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.errors import DomainError
from tcloseness.exact import INT64_MAX, IntArray, is_exact, short_text, shown_value
from tcloseness.ground.cuts import Cuts
from tcloseness.ground.distances import Laminar
from tcloseness.ground.matrix import matrix_record, metric_fault
from tcloseness.ground.protocol import GroundDistance, domain_size, farthest

__all__ = ["LARGEST_CHECKED", "OWN", "checked", "ground_record"]

LARGEST_CHECKED = 1024
"""Up to so many values, what a ground distance of the user's own claims is checked: on all m² pairs, and the triangle
inequality on all m³ triples, some seconds. Beyond, it can make no claim."""

OWN: set[type] = set()
"""The classes of the catalogue, whose claims hold by construction; a class that is derived from one is not."""

_seen: dict[int, weakref.ref[Any]] = {}


def checked(ground: Any) -> GroundDistance:
    """Return a ground distance, once everything that it claims was proved by construction or checked.

    Raises
    ------
    DomainError
        If it is not a ground distance, its rows, distances and cuts contradict each other, it is called a metric and
        is none, or it is too large for that to be checked.

    Notes
    -----
    The package's own distances pass at once. Another object is checked when it is first met and then remembered, at a
    cost of m² calls of its `distance`, m of its `row`, and O(m²·(m + K)) or less for its claims, up to
    `LARGEST_CHECKED` values. A larger one is taken as it is if it claims nothing (``cuts = None``, ``metric = False``).
    """
    if type(ground) in OWN or _known(ground):
        return ground  # type: ignore[no-any-return]
    if isinstance(ground, type) or not isinstance(ground, GroundDistance):
        raise DomainError(
            f"the ground distance is {shown_value(ground, 80)}, which is not one; give 'ordered', 'equal', a matrix, "
            "Ordered(m) or another object of the GroundDistance protocol"
        )
    _check(ground)
    _remember(ground)
    return ground


def ground_record(ground: GroundDistance) -> dict[str, Any]:
    """Return a ground distance as data, from which `tcloseness.ground.ground_from_dict` computes it again.

    One of the user's own is written as its cuts, or else as its matrix; one of more values than are checked as it
    writes itself.
    """
    if type(ground) not in OWN and ground.cuts is not None:
        return Laminar(ground.cuts).to_dict()
    if type(ground) not in OWN and ground.m <= LARGEST_CHECKED:
        return matrix_record(ground)
    return ground.to_dict()


def _known(ground: object) -> bool:
    found = _seen.get(id(ground))
    return found is not None and found() is ground


def _remember(ground: object) -> None:
    key = id(ground)
    try:
        _seen[key] = weakref.ref(ground, lambda gone: _seen.pop(key, None) if _seen.get(key) is gone else None)
    except TypeError:  # it cannot be referred to weakly, and is checked again next time
        return


def _check(ground: GroundDistance) -> None:
    m, cuts, who = domain_size(ground.m), ground.cuts, f"the ground distance {ground.name!r}"
    if cuts is not None and (not isinstance(cuts, Cuts) or len(cuts.order) != m):
        raise DomainError(
            f"{who} has {m} values, and its cuts are {shown_value(cuts, 80)}; they must be Cuts over the same values"
        )
    if not isinstance(ground.name, str) or not isinstance(ground.metric, bool):
        odd = "name" if not isinstance(ground.name, str) else "metric"
        rule = "a text" if odd == "name" else "True or False"
        raise DomainError(f"{who}: its {odd} is {shown_value(getattr(ground, odd))}; it must be {rule}")
    greatest = getattr(ground, "greatest", None)
    if greatest is not None and not is_exact(greatest):
        raise DomainError(
            f"{who}: its greatest is {shown_value(greatest)}; it must be a Fraction, or None if not known"
        )
    if m > LARGEST_CHECKED:
        if cuts is None and not ground.metric and greatest is None:
            _row(ground, 0, m, who)
            return
        raise DomainError(
            f"{who} has {m} values, and what it claims about them can be checked for {LARGEST_CHECKED} at most; give "
            "Laminar(cuts), which is its cuts, or claim nothing: cuts None, metric False and no greatest"
        )
    d = _whole(ground, m, who)
    rows = getattr(ground, "rows", d)
    exact = isinstance(rows, np.ndarray) and all(type(x) is int for x in rows.ravel().tolist())
    if not exact or rows.dtype not in (np.int64, object) or not np.array_equal(rows, d):
        raise DomainError(
            f"{who}: its rows are {shown_value(rows, 80)}; they must be all rows as one array, of int64 or Python ints"
        )
    if greatest is not None and (d > greatest * ground.denominator).any():
        raise DomainError(
            f"{who} says that no distance exceeds {short_text(greatest)}, and one is "
            f"{short_text(farthest(ground) or Fraction(0))}; correct it"
        )
    if cuts is not None:
        _check_cuts(d, ground.denominator, cuts, who)
    elif ground.metric and (fault := metric_fault(d)) is not None:
        i, j, k = fault
        broken = f"d({i},{j}) and d({j},{i}) differ" if k is None else f"d({i},{j}) > d({i},{k}) + d({k},{j})"
        raise DomainError(f"{who} says that it is a metric, and {broken}; correct it, or say metric = False")


def _whole(ground: GroundDistance, m: int, who: str) -> IntArray:
    """Return all whole distances, once they are what `distance` says."""
    denominator = ground.denominator
    if type(denominator) is not int or denominator < 1:
        raise DomainError(
            f"{who} has the denominator {shown_value(denominator)}; it must be an int > 0, one of Python's own"
        )
    rows = []
    for i in range(m):
        rows.append(_row(ground, i, m, who))
        for j, whole in enumerate(rows[-1]):
            d = ground.distance(i, j)
            if not is_exact(d):
                raise DomainError(
                    f"{who}: distance({i}, {j}) is {shown_value(d)}; it must be a Fraction of Python's own ints"
                )
            if d < 0 or (i == j and d):
                rule = "a value is at distance 0 from itself" if i == j else "distances must be ≥ 0"
                raise DomainError(f"{who}: distance({i}, {j}) is {short_text(d)}; {rule}")
            if d * denominator != whole:
                raise DomainError(
                    f"{who}: distance({i}, {j}) is {short_text(d)}, and row({i})[{j}] is {short_text(whole)} over the "
                    f"denominator {short_text(denominator)}; they must be one number"
                )
    fits = max(map(max, rows)) <= INT64_MAX // 2
    return np.array(rows, dtype=np.int64 if fits else object)


def _row(ground: GroundDistance, i: int, m: int, who: str) -> list[int]:
    row = ground.row(i)
    exact = isinstance(row, np.ndarray) and row.shape == (m,) and row.dtype in (np.int64, object)
    if not exact or not all(isinstance(x, int) and not isinstance(x, bool) for x in row.tolist()):
        raise DomainError(
            f"{who}: row({i}) is {shown_value(row, 80)}; it must be an array of {m} int64, or of Python ints"
        )
    return list(row.tolist())


def _check_cuts(d: IntArray, denominator: int, cuts: Cuts, who: str) -> None:
    by_cuts = Laminar(cuts)
    for i, row in enumerate(d.astype(object)):
        differ = row * cuts.denominator != by_cuts.row(i).astype(object) * denominator
        if differ.any():
            j = int(np.flatnonzero(differ)[0])
            raise DomainError(
                f"{who}: d({i}, {j}) is {short_text(Fraction(int(row[j]), denominator))}, and its cuts sum to "
                f"{short_text(cuts.distance(i, j))}; the closed form over cuts holds only for "
                "d = Σ w_k·[S_k parts i from j] (cuts = None sends the distance to a solver)"
            )
