"""The ground distances of this package, a line each; and how the one that is meant is found, named, and rebuilt.

Everything else that is to be known of one it says itself, in its own file, see `tcloseness.ground.base`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Mapping, Sequence, Sized
from typing import Any

import pandas as pd

from tcloseness.errors import DomainError, InputError, did_you_mean
from tcloseness.ground.base import PackageGround
from tcloseness.ground.checking import OWN, checked, ground_record
from tcloseness.ground.distances import Equal, Laminar, Ordered, OrderedByValue
from tcloseness.ground.hierarchical import Hierarchical
from tcloseness.ground.matrix import LabelledMatrix, Matrix
from tcloseness.ground.product import ProductGround
from tcloseness.ground.protocol import GroundDistance
from tcloseness.microdata.domain import Domain
from tcloseness.microdata.hierarchy import Hierarchy
from tcloseness.strict_records import Work, fields, shown

__all__ = [
    "BY_SIZE",
    "FORMS",
    "GROUNDS",
    "IF_NONE",
    "GroundSpec",
    "ground_digest",
    "ground_distance",
    "ground_from_dict",
    "ground_name",
    "ground_of_size",
    "maker_of",
]

GROUNDS: tuple[type[Any], ...] = (Ordered, OrderedByValue, Equal, Hierarchical, Matrix, Laminar, ProductGround)

OWN.update(GROUNDS)

FORMS: Mapping[str, type[PackageGround]] = {form: ground for ground in GROUNDS for form in ground.forms}
"""How a ground distance is written on the command line, and which it is."""

BY_SIZE: Mapping[str, Callable[[int], GroundDistance]] = {each.name: each for each in GROUNDS if each.by_size}
"""By name, those that a number of values makes."""

IF_NONE = Equal.name
"""By which a table is measured where no ground distance is named."""

GroundSpec = (
    str
    | Hierarchy
    | GroundDistance
    | LabelledMatrix
    | Sequence[Any]
    | Mapping[Any, Any]
    | pd.DataFrame
    | Callable[[Domain], GroundDistance]
)

_MOST_NESTED = 4
"""How deep products may be nested."""


def ground_distance(spec: Any, domain: Domain) -> GroundDistance:
    """Return the ground distance that is meant, over a domain.

    Parameters
    ----------
    spec
        ``"ordered"``, ``"ordered-by-value"`` or ``"equal"``; a `Hierarchy` (hierarchical distance); a matrix in the
        domain's order (nested sequences or an array) or labelled with its values (a DataFrame, a dict of dicts, or a
        `LabelledMatrix` where it is to be rounded or closed); a ground distance already built, of that size; or what
        makes one of a domain: a function, or an object with a method `over`.
    domain
        The sensitive attribute's domain.

    Raises
    ------
    DomainError
        For an unknown name, a domain without the order that an ordered distance needs, another number of values, or an
        object whose claims do not hold (see `checked`).
    HierarchyError
        If the hierarchy misses a value.
    """
    kind = _kind(spec)
    built: GroundDistance
    if kind is not None:
        built = kind.of(spec, domain)
    elif isinstance(spec, str):
        raise _unknown(spec)
    elif (make := maker_of(spec)) is not None:
        built = checked(make(domain))
    elif isinstance(spec, GroundDistance):
        built = checked(spec)
    else:
        raise DomainError(f"a ground distance cannot be made from a {type(spec).__name__}")
    if built.m != len(domain):
        raise DomainError(f"the ground distance has {built.m} values and the domain {len(domain)}; they must agree")
    return built


def require_known(spec: object) -> None:
    """Refuse a name of a ground distance that is unknown over whatever domain.

    Raises
    ------
    DomainError
        For such a name.
    """
    if isinstance(spec, str) and _kind(spec) is None:
        raise _unknown(spec)


def _unknown(spec: str) -> DomainError:
    names = [form for form in FORMS if ":" not in form]
    hint = did_you_mean(spec, names, f"it is {', '.join(map(repr, names))}, a hierarchy or a matrix")
    return DomainError(f"ground distance {spec!r} is unknown; {hint}")


def ground_of_size(spec: Any, m: int, values: Sequence[Hashable] = ()) -> GroundDistance:
    """Return the ground distance that is meant over m values of which no more is known than their order.

    Parameters
    ----------
    spec
        As for `ground_distance`, where that many values and their order make it: a name, a matrix in their order (one
        with names is taken in the order of its rows), or a ground distance already built.
    m
        How many values there are.
    values
        What they are, each of the m, where that is known; then every name and matrix will do, and a hierarchy.

    Raises
    ------
    DomainError
        As `ground_distance`; and for a distance that depends on what the values are, where they are not given.

    Examples
    --------
    >>> ground_of_size("ordered", 3), ground_of_size([[0, 2], [2, 0]], 2).distance(0, 1)
    (<Ordered: ordered, 3 values>, Fraction(2, 1))
    """
    kind = None if isinstance(spec, PackageGround) else _kind(spec)
    if kind is None and not isinstance(spec, str):
        return checked(spec)
    if isinstance(values, Sized) and len(values) == m:
        return ground_distance(spec, Domain.declare(values))
    if kind is not None and kind.needs_values and not (isinstance(spec, str) and ":" in spec):
        raise DomainError(
            f"the {kind.name} distance depends on what the values are, and masses alone do not say that; give columns "
            "of values to tcloseness.emd_of, or build the distance over its domain: "
            "tcloseness.ground.ground_distance(…, Domain.declare(values))"
        )
    if isinstance(spec, LabelledMatrix):
        return spec.in_order_of_rows()
    return checked(Matrix(spec)) if kind is Matrix else ground_distance(spec, Domain.declare(range(m)))


def maker_of(spec: Any) -> Callable[[Domain], GroundDistance] | None:
    """Return what makes a ground distance of the user's own over any domain; None if a spec is not that."""
    known = isinstance(spec, str) or (isinstance(spec, GroundDistance) and not isinstance(spec, type))
    make = None if known or _kind(spec) is not None else getattr(spec, "over", spec)
    return make if callable(make) else None


def ground_name(spec: Any) -> str:
    """Return the name of the ground distance that is meant, before a domain is known."""
    kind = _kind(spec)
    if kind is not None:
        return str(kind.name)
    return spec if isinstance(spec, str) else str(getattr(spec, "name", getattr(spec, "__name__", type(spec).__name__)))


def _kind(spec: Any) -> type[PackageGround] | None:
    return next((kind for kind in GROUNDS if kind.reads(spec)), None)


def ground_digest(ground: GroundDistance) -> str:
    """Return the sha256 of what `ground_record` gives, as JSON with sorted keys, without blanks, in ASCII."""
    plain = json.dumps(ground_record(ground), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(plain.encode()).hexdigest()


def ground_from_dict(record: object, *, most_work: float | None = None) -> PackageGround:
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
        return _read(record, Work(most_work), 0)
    except DomainError:
        raise
    except InputError as error:
        raise DomainError(f"a ground distance cannot be rebuilt: {error}") from error


def _read(record: object, work: Work, depth: int) -> PackageGround:
    if depth > _MOST_NESTED:
        raise InputError(f"products stand more than {_MOST_NESTED} deep inside one another")
    name = record.get("name") if type(record) is dict else None
    named = {each.name: each for each in GROUNDS}
    if type(name) is not str or name not in named:
        raise InputError(f"its name is {shown(name)}, which is unknown; it is one of {', '.join(named)}")
    kind = named[name]
    read = fields(record, ("name", *kind.keys), f"the ground distance {name!r}")
    made: PackageGround = kind.from_dict(read, work, lambda part: _read(part, work, depth + 1))
    return made
