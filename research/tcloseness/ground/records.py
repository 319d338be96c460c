"""Ground distances as data: what a certificate holds of one, read strictly, and its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from tcloseness.errors import DomainError, InputError
from tcloseness.ground.cuts import Cuts
from tcloseness.ground.distances import Equal, Hierarchical, Ordered, OrderedByValue
from tcloseness.ground.laminar import Laminar
from tcloseness.ground.matrix import Matrix
from tcloseness.ground.product import LONG_ROW, ProductGround
from tcloseness.ground.protocol import GroundDistance
from tcloseness.microdata.domain import Domain
from tcloseness.microdata.hierarchy import Hierarchy
from tcloseness.strict_records import (
    Work,
    canonical_fraction,
    canonical_fractions,
    cells,
    common_bits,
    fields,
    listed,
    shown,
    sums,
    text,
    whole,
)

__all__ = ["ground_digest", "ground_from_dict", "row_work"]

_MOST_LEVELS = 100
"""Levels of a hierarchy; its tree is walked by recursion."""

_MOST_NESTED = 4
"""How many products may stand inside one another."""

_MOST_COMPONENTS = 100


def ground_digest(ground: GroundDistance) -> str:
    """Return the sha256 of what `to_dict` gives, as JSON with sorted keys, without blanks, in ASCII."""
    plain = json.dumps(ground.to_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(plain.encode()).hexdigest()


def ground_from_dict(record: object, *, most_work: float | None = None) -> GroundDistance:
    """Rebuild a ground distance from what its `to_dict` returned.

    Parameters
    ----------
    record
        The data; read strictly, see `tcloseness.strict_records`.
    most_work
        How much work may be done, see `tcloseness.strict_records.Work`; no limit by default. Memory is proportional
        to the record in any case: nothing of a size that it only states is made.

    Raises
    ------
    DomainError
        If the record is not what a ground distance of this package writes of itself, or is too large.

    Examples
    --------
    >>> ground_from_dict({"name": "ordered", "m": 9}).distance(0, 2)
    Fraction(1, 4)
    """
    try:
        return _read(record, Work(most_work), _MOST_NESTED)
    except DomainError:
        raise
    except InputError as error:
        raise DomainError(f"a ground distance cannot be rebuilt: {error}") from error


def row_work(ground: GroundDistance) -> float:
    """Return about how much work one row is, for each of its values."""
    if isinstance(ground, Hierarchical):
        return 50.0 * (1 + max(map(len, ground.hierarchy.paths)))
    if isinstance(ground, ProductGround):
        # of a component that is much longer than the product only entries are asked, one by one
        return sum(
            _entry_work(part) if part.m > LONG_ROW * ground.m else row_work(part) * max(part.m / ground.m, 1)
            for part in ground.components
        )
    whole_numbers = ground.row(0) if isinstance(ground, OrderedByValue | Matrix | Laminar) else None
    return 200.0 if whole_numbers is not None and whole_numbers.dtype == object else 4.0


def _entry_work(ground: GroundDistance) -> float:
    """Return about how much work one distance is, where it is asked by itself."""
    if isinstance(ground, ProductGround):
        return 2000.0 + sum(map(_entry_work, ground.components))
    if isinstance(ground, Laminar):
        return 10_000.0 + (50.0 if ground.cuts.weights.dtype == object else 10.0) * len(ground.cuts)
    if isinstance(ground, Hierarchical):
        return 2000.0 + 200.0 * max(map(len, ground.hierarchy.paths))
    return 2000.0 + (ground.denominator.bit_length() / 64) ** 2


def _read(record: object, work: Work, nested: int) -> GroundDistance:
    name = record.get("name") if type(record) is dict else None
    if name == "product":
        return _product(record, work, nested)
    if type(name) is not str or name not in _READERS:
        known = ", ".join([*_READERS, "product"])
        raise InputError(f"its name is {shown(name)}, which is unknown; it is one of {known}")
    keys, read = _READERS[name]
    return read(fields(record, ("name", *keys), f"the ground distance {name!r}"), work)


def _ordered(record: dict[str, Any], _: Work) -> GroundDistance:
    return Ordered(whole(record["m"], "m", least=1))


def _equal(record: dict[str, Any], _: Work) -> GroundDistance:
    return Equal(whole(record["m"], "m", least=1))


def _by_value(record: dict[str, Any], work: Work) -> GroundDistance:
    values = canonical_fractions(record["values"], "values", least=1)
    work.spend(sums(values, 2 * common_bits(values, "values")), "the distance by value")
    return OrderedByValue(tuple(values))


def _hierarchical(record: dict[str, Any], work: Work) -> GroundDistance:
    paths = []
    for i, path in enumerate(listed(record["paths"], "paths", least=1)):
        cells_of = listed(path, f"paths[{i}]", least=1)
        if len(cells_of) > _MOST_LEVELS:
            raise InputError(f"paths[{i}] has {len(cells_of)} levels; at most {_MOST_LEVELS} are read")
        paths.append([text(cell, f"paths[{i}][{level}]") for level, cell in enumerate(cells_of)])
    entries = enumerate(listed(record["values"], "values", least=1))
    rows = [whole(row, f"values[{i}]", most=len(paths) - 1) for i, row in entries]
    levels = record["trivial_levels"]
    if type(levels) is not str or levels not in ("keep", "collapse"):
        raise InputError(f"trivial_levels is {shown(levels)}; it must be 'keep' or 'collapse'")
    work.spend(5000 * sum(map(len, paths)), "the hierarchy")
    hierarchy = Hierarchy(paths, ragged="keep")
    return Hierarchical(hierarchy, Domain.declare([paths[row][0] for row in rows]), trivial_levels=levels)  # type: ignore[arg-type]


def _matrix(record: dict[str, Any], work: Work) -> GroundDistance:
    allowed = record["allow_non_metric"]
    if type(allowed) is not bool:
        raise InputError(f"allow_non_metric is {shown(allowed)}; it must be true or false")
    rows = listed(record["entries"], "entries", least=1)
    m = len(rows)
    work.spend(m**3 * cells(0), f"the triangle inequality of {m} values")
    entries = [canonical_fractions(row, f"entries[{i}]", length=m) for i, row in enumerate(rows)]
    bits = common_bits((x for row in entries for x in row), "entries")
    work.spend(m**3 * (cells(bits) - cells(0)), f"the triangle inequality of {m} values")
    return Matrix(entries, allow_non_metric=allowed)


def _laminar(record: dict[str, Any], work: Work) -> GroundDistance:
    names = ("order", "low", "high")
    order, low, high = ([whole(x, f"{name}[{i}]") for i, x in enumerate(listed(record[name], name))] for name in names)
    weights = canonical_fractions(record["weights"], "weights", length=len(low))
    denominator = canonical_fraction(record["denominator"], "denominator")
    if any(x.denominator != 1 for x in (*weights, denominator)):
        raise InputError("weights and denominator must be whole numbers")
    work.spend(sums(weights, common_bits([*weights, denominator], "weights")), "the family of cuts")
    return Laminar(Cuts(order, low, high, [x.numerator for x in weights], denominator.numerator))  # type: ignore[arg-type]


_READERS: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any], Work], GroundDistance]]] = {
    "ordered": (("m",), _ordered),
    "ordered-by-value": (("values",), _by_value),
    "equal": (("m",), _equal),
    "hierarchical": (("paths", "values", "trivial_levels"), _hierarchical),
    "matrix": (("entries", "allow_non_metric"), _matrix),
    "laminar": (("order", "low", "high", "weights", "denominator"), _laminar),
}


def _product(given: object, work: Work, nested: int) -> GroundDistance:
    if not nested:
        raise InputError(f"products stand more than {_MOST_NESTED} deep inside one another")
    keys = ("name", "components", "tuples", "combine", "weights")
    record = fields(given, keys, "the ground distance 'product'")
    parts = listed(record["components"], "components", least=1)
    if len(parts) > _MOST_COMPONENTS:
        raise InputError(f"a product has {len(parts)} components; at most {_MOST_COMPONENTS} are read")
    components = [_read(part, work, nested - 1) for part in parts]
    tuples = []
    for i, row in enumerate(listed(record["tuples"], "tuples", least=1)):
        codes = listed(row, f"tuples[{i}]", length=len(parts))
        tuples.append([whole(code, f"tuples[{i}][{k}]") for k, code in enumerate(codes)])
    combine, weights = record["combine"], record["weights"]
    if type(combine) is not str or combine not in ("mean", "max"):
        raise InputError(f"combine is {shown(combine)}; it must be 'mean' or 'max'")
    if weights is not None:
        weights = canonical_fractions(weights, "weights", length=len(parts))
        common_bits(weights, "weights")
    return ProductGround(components, tuples, combine=combine, weights=weights)  # type: ignore[arg-type]
