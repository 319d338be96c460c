"""`emd_of`: the Earth Mover's Distance of two columns of raw values, or of two groups of the rows of a table."""

from __future__ import annotations

import importlib
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import InputError, TableError
from tcloseness.exact import number_text, shown_value
from tcloseness.ground import GroundSpec, ground_digest, ground_distance
from tcloseness.microdata import Domain, Microdata
from tcloseness.microdata.domain import identity, is_missing, value_text
from tcloseness.microdata.roles import MissingRule, Roles
from tcloseness.microdata.sources import own_orders
from tcloseness.microdata.values import plain_value
from tcloseness.transport.certificate import Certificate
from tcloseness.transport.moves import Move, moves_of
from tcloseness.transport.solve import certify
from tcloseness.writing import refuse_files

__all__ = ["ALL", "Transformation", "emd_of"]

ALL = "all rows"
"""What the rows of the whole table are called, where a group is compared with them."""


@dataclass(frozen=True, eq=False)
class Transformation(Displayed):
    """How the values of one group become those of another, with the proof that it cannot be done by less work.

    Attributes
    ----------
    certificate
        Of the distance: coupling and potentials, both checked.
    domain
        The values that both are distributions over, in the order of the certificate.
    names
        What the two groups are called.
    counts
        How many values each has.
    """

    certificate: Certificate
    domain: Domain
    names: tuple[str, str]
    counts: tuple[int, int]

    @property
    def value(self) -> Fraction:
        """The distance, exact."""
        return self.certificate.value

    def __float__(self) -> float:
        return float(self.value)

    @property
    def moves(self) -> list[Move]:
        """What goes from which value to which, see `tcloseness.transport.moves`; their costs sum to the distance."""
        return moves_of(self.certificate)

    def _said(self) -> str:
        first, second = self.counts
        exact = number_text(self.value)
        decimal = f" = {float(self.value):.4g}" if "/" in exact else ""
        return (
            f"EMD = {exact}{decimal} ({self.certificate.ground.name} distance) of {first:,} and {second:,} values, "
            f"{counted(len(self.moves), 'move')}"
        )

    _withheld = ("from", "to")

    _columns: ClassVar = {"from": "", "to": "", "mass": "", "distance": "", "cost": "", "share of the work": 0.0}

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "from": value_text(self.domain.values[move.source]),
                "to": value_text(self.domain.values[move.target]),
                "mass": number_text(move.mass),
                "distance": number_text(move.distance),
                "cost": number_text(move.cost),
                "share of the work": float(move.cost / self.value) if self.value else 0.0,
            }
            for move in self.moves
        ]

    def plot(self, *, title: str = "", path: str | os.PathLike[str] | None = None, force: bool = False) -> Any:
        """Draw the moves, see `tcloseness.report.figures.plot_moves`.

        Parameters
        ----------
        title
            The figure's; by default the groups and the distance.
        path
            Where to save it (PNG or SVG by its suffix).
        force
            Whether a file that exists may be overwritten.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            If the file exists and `force` is not given, or it cannot be written.
        """
        if path is not None:
            refuse_files([path], force=force)
        drawing = importlib.import_module("tcloseness.report.figures")  # a room above this one
        exact, ground = number_text(self.value), self.certificate.ground.name
        decimal = f" = {float(self.value):.4g}" if "/" in exact else ""
        said = title or f"{self.names[0]} to {self.names[1]}: EMD = {exact}{decimal} ({ground} distance)"
        figure = drawing.plot_moves(self.certificate, title=said, sides=self.names)
        if path is not None:
            drawing.save(figure, path, force=force)
        return figure

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data, with the certificate."""
        return {
            "format": "tcloseness-transformation-1",
            "emd": number_text(self.value),
            "decimal": f"{float(self.value):.10g}",
            "groups": list(self.names),
            "values": list(self.counts),
            "solver": self.certificate.method,
            "verified": True,
            "ground_sha256": ground_digest(self.certificate.ground),
            "certificate": self.certificate.to_dict(),
            "moves": [move.to_dict() for move in self.moves],
        }


def emd_of(
    first: Any,
    second: Iterable[Any] | None = None,
    *,
    ground: GroundSpec,
    column: str | None = None,
    by: str | None = None,
    groups: Any = None,
    order: Sequence[object] | None = None,
    missing: MissingRule = "error",
    solver: str | None = None,
) -> Transformation:
    """Return the Earth Mover's Distance of two columns of raw values, or of two groups of a table's rows.

    Parameters
    ----------
    first, second
        Two columns: Series, arrays or lists of values, of any lengths. Or a frame alone, with `column` and `by`.
    ground
        How far apart two values are: ``"ordered"``, ``"ordered-by-value"``, ``"equal"``, a `Hierarchy`, or a matrix of
        one's own: a DataFrame or a dict of dicts labelled by the values, or an array in the order of the values.
    column, by
        Of a frame: the column whose values are compared, and the column that says which group a row is of.
    groups
        Two values of `by`, or how they are written; or one, which is then compared with all rows, as t-closeness does.
        By default the two that there are.
    order
        The values from lowest to highest; it may name values that do not occur. By default they are in the order of an
        ordered categorical column, else sorted.
    missing
        What a missing value means: ``"error"`` (default), ``"category"`` or ``"drop"``.
    solver
        As for `certify`.

    Returns
    -------
    Transformation
        The distance, its moves, and its certificate.

    Raises
    ------
    TableError
        For an unknown column, or missing values under ``"error"``.
    InputError
        For groups that are not two, or one without rows.
    DomainError
        As `tcloseness.ground.ground_distance`: a matrix that lacks a value, or is not a metric, among others.

    Examples
    --------
    >>> frame = pd.DataFrame({"sex": ["f", "f", "m", "m"], "salary": [3, 4, 4, 11]})
    >>> found = emd_of(frame, column="salary", by="sex", ground="ordered")
    >>> found.value, emd_of([3, 4], [4, 11], ground="ordered").value
    (Fraction(1, 2), Fraction(1, 2))
    >>> own = {3: {3: 0, 4: 1, 11: 8}, 4: {3: 1, 4: 0, 11: 7}, 11: {3: 8, 4: 7, 11: 0}}
    >>> emd_of(frame, column="salary", by="sex", groups="f", ground=own).to_frame()[["from", "to", "mass", "cost"]]
      from  to mass cost
    0    3  11  1/4    2
    """
    if isinstance(first, pd.DataFrame):
        if second is not None:
            raise InputError("a frame and a second column are given; give frame['column'] twice, or column= and by=")
        sides, names, called = _grouped(first, column, by, groups)
        own = own_orders(first[[column]].set_axis([called], axis=1), [called])
    else:
        if second is None or not (column is None and by is None and groups is None):
            raise InputError("give two columns of values; column=, by= and groups= belong to a frame alone")
        sides, called = [_values(first, "first"), _values(second, "second")], "values"
        own = _own_order(called, first, second)
        names = (_called(first, "first"), _called(second, "second"))
    lengths = [len(side) for side in sides]
    for name, length in zip(names, lengths, strict=True):
        if not length:
            raise InputError(f"{name} has no values, so it is not a distribution; give at least one value")
    both = pd.DataFrame({called: pd.Series([*sides[0], *sides[1]], dtype=object)})
    declared = {} if order is None else {"domains": {called: order}}
    roles = Roles.of(quasi_identifiers=(), sensitive=called, missing=missing, **declared)  # type: ignore[arg-type]
    read = Microdata.in_roles(both, roles, own=own)
    assert read.index is not None
    (of_values,) = read.sensitive
    of_first = np.asarray(read.index) < lengths[0]
    size = len(of_values.domain)
    p, q = (np.bincount(of_values.codes[chosen], minlength=size).tolist() for chosen in (of_first, ~of_first))
    for name, counts in zip(names, (p, q), strict=True):
        if not sum(counts):
            raise InputError(f"all values of {name} are missing, so it is not a distribution; give at least one value")
    certificate = certify(
        p,
        q,
        ground_distance(ground, of_values.domain),
        counts=True,
        solver=solver,
        labels=[value_text(value) for value in of_values.domain.values],
    )
    return Transformation(certificate, of_values.domain, names, (sum(p), sum(q)))


def _values(given: Any, which: str) -> list[Any]:
    if (
        isinstance(given, str | bytes | Mapping | Set)
        or not isinstance(given, Iterable)
        or getattr(given, "ndim", 1) != 1
    ):
        raise InputError(
            f"the {which} column is {shown_value(given)}; give a Series, a list or an array of one dimension, in "
            "which each value stands as often as it occurs, or a frame with column= and by="
        )
    return list(given)


def _own_order(called: str, *columns: Any) -> Mapping[str, Sequence[object]]:
    """Return the order that columns declare, under the name of a column; none where they declare different ones."""
    orders = [own_orders(each.to_frame(called), [called]) for each in columns if isinstance(each, pd.Series)]
    found = [order for order in orders if order]
    return found[0] if found and all(order == found[0] for order in found) else {}


def _called(given: Any, otherwise: str) -> str:
    name = getattr(given, "name", None)
    return otherwise if name is None else str(name)


def _grouped(frame: pd.DataFrame, column: Any, by: Any, groups: Any) -> tuple[list[list[Any]], tuple[str, str], str]:
    """Return the values of the two groups, what they are called, and the name of the column."""
    for what, name in (("column", column), ("by", by)):
        if name is None:
            raise InputError(f"of a frame {what}= is needed, as in emd_of(frame, column='salary', by='sex', ground=…)")
        times = list(frame.columns).count(name)
        if times != 1:
            known = ", ".join(map(repr, frame.columns))
            raise TableError(f"the table has {times} columns {name!r} ({what}=); it has {known}")
    values, of_row = frame[column].tolist(), [*map(plain_value, frame[by].tolist())]
    unknown = sum(map(is_missing, of_row))
    found = {identity(value): value for value in of_row if not is_missing(value)}
    if groups is None:
        if len(found) != 2 or unknown:
            lacking = f", and {unknown} row(s) have none" if unknown else ""
            raise InputError(
                f"column {by!r} has {len(found)} different values{lacking}; name two of them in groups=, or one, which "
                "is then compared with all rows"
            )
        groups = tuple(sorted(found.values(), key=value_text))
    chosen = groups if isinstance(groups, list | tuple) else (groups,)
    if len(chosen) not in (1, 2) or not all(isinstance(each, Hashable) for each in chosen):
        raise InputError(f"groups is {groups!r}; name two values of {by!r}, or one, which is compared with all rows")
    sides = []
    written: dict[str, list[tuple[str, Hashable]]] = {}
    for each, value in found.items():
        written.setdefault(value_text(value), []).append(each)
    for group in chosen:
        wanted = identity(plain_value(group))
        if wanted not in found and isinstance(group, str) and len(written.get(group, [])) == 1:
            (wanted,) = written[group]  # a text names the one value that is written so
        if wanted not in found:
            raise InputError(f"no row has {group!r} as {by!r}, so that group is empty; name values that occur")
        sides.append([value for value, mine in zip(values, of_row, strict=True) if identity(mine) == wanted])
    names = [f"{by} = {value_text(group)}" for group in chosen]
    if len(chosen) == 1:
        sides, names = [*sides, values], [*names, ALL]
    return sides, (names[0], names[1]), str(column)
