"""How values are named from outside: in orders, domains, hierarchies, matrices, and the marker of suppressed records.

A name is the value itself. Beyond that, ``(missing)`` names the missing value, and a text names the number, date or
truth value that it reads as, since files and options hold texts only. A text of the table is named by that text alone:
``"7"`` does not name ``"007"``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cache

import numpy as np

from tcloseness.errors import DomainError
from tcloseness.exact import IntArray
from tcloseness.microdata.domain import MISSING, Domain, identity, natural_position, value_text
from tcloseness.microdata.normal_form import normal_form
from tcloseness.microdata.values import usual_type

__all__ = ["MISSING_NAME", "declared_domain", "declared_order", "meant", "named_by", "uncovered"]

MISSING_NAME = str(MISSING)
"""What names the missing value."""


def meant(name: object, domain: Domain) -> object:
    """Return what a name means in a column: ``(missing)`` is the missing value, everything else is itself.

    Raises
    ------
    DomainError
        For ``(missing)`` where the column has that very text, so that it could mean either.
    """
    if name != MISSING_NAME:
        return name
    if MISSING_NAME in domain:
        raise DomainError(
            f"{MISSING_NAME!r} names the missing value, and the column has a text value {MISSING_NAME!r}; rename that "
            "value in the table, or read it as missing: name it in missing_texts="
        )
    return MISSING


def named_by(domain: Domain, names: Sequence[Hashable] | Domain) -> list[int | None]:
    """Return for each value of a domain the place of its name; None for a value that no name means.

    The names may be a domain already, which is then not read again.

    Raises
    ------
    DomainError
        For ``(missing)`` where the domain has the missing value and that text, and only one of them has a name.
    """
    if isinstance(names, Domain):
        if domain.usual is str is names.usual:
            return names.places(domain.values)
        names = names.values
    elif domain.usual is str is usual_type(names):  # equal texts are one value, and nothing else names a text
        of_text = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))  # the first of equal ones
        return list(map(of_text.get, domain.values))

    exact: dict[tuple[str, Hashable], int] = {}
    for place, name in enumerate(names):
        exact.setdefault(identity(name), place)

    @cache
    def read() -> dict[Hashable, int]:  # made only where it is needed: the number that "1e3999" writes is a long one
        texts = [(name, place) for place, name in enumerate(names) if isinstance(name, str)]
        return {normal_form(name): place for name, place in reversed(texts)}

    if MISSING in domain and identity(MISSING) not in exact and identity(MISSING_NAME) in exact:
        exact[identity(meant(MISSING_NAME, domain))] = exact[identity(MISSING_NAME)]

    def place_of(value: Hashable) -> int | None:
        found = exact.get(identity(value))
        if found is None and not isinstance(value, str) and value is not MISSING:
            found = exact.get(("str", value_text(value)), read().get(normal_form(value)))  # for 1 "1" goes before "01"
        return found

    return [place_of(value) for value in domain.values]


def uncovered(
    domain: Domain, places: Sequence[int | None], names: Iterable[object], rows: Sequence[int] | None = None
) -> str:
    """Say which values no name means: how many, in how many records, the first ones, and a twin's name."""
    codes = [code for code, place in enumerate(places) if place is None]
    absent = [domain.values[code] for code in codes]
    held = "" if rows is None else f" ({sum(rows[code] for code in codes):,} record(s) hold them)"
    shown = ", ".join(repr(value) for value in absent[:3]) + (
        f", and {len(absent) - 3} more" if len(absent) > 3 else ""
    )
    forms: dict[Hashable, object] = {}
    for name in names:
        forms.setdefault(normal_form(name), name)
    twin = next(((v, forms[normal_form(v)]) for v in absent if normal_form(v) in forms), None)
    hint = "" if twin is None else f"; {twin[1]!r} looks the same as {twin[0]!r} and is another value{_typed(*twin)}"
    return f"{len(absent)} of {len(domain)} values, first {shown}{held}{hint}"


def _typed(value: object, name: object) -> str:
    if isinstance(value, str) and not isinstance(name, str):
        return f" (the table holds texts, and the name is of type {type(name).__name__}; make them of one type)"
    return ""


def declared_order(domain: Domain, order: Sequence[object]) -> tuple[Domain, IntArray]:
    """Return the values of a domain in the order of their names, and the new code of each; names of no value are
    left out.

    Raises
    ------
    DomainError
        If a value has no name, or a name occurs twice.
    """
    places, _ = _places(domain, order, "order")
    ranked = np.argsort(places)
    codes = np.empty_like(ranked)
    codes[ranked] = np.arange(len(ranked))
    return domain.in_order(ranked), codes


def declared_domain(domain: Domain, names: Sequence[object]) -> tuple[Domain, IntArray]:
    """Return the domain that is declared for a column's values, and the new code of each of these.

    A name of no value is a value that never occurs.

    Raises
    ------
    DomainError
        If a value has no name, or a name occurs twice.
    """
    places, given = _places(domain, names, "domain")
    if domain.usual is str is given.usual:
        return given, places
    numbers = all(not isinstance(value, str) and natural_position(value) is not None for value in domain.values)
    whole = dict(zip(places.tolist(), domain.values, strict=True))

    def value(place: int) -> object:
        name = given.values[place]
        position = natural_position(name) if numbers and isinstance(name, str) else None
        if position is None:
            return name
        return position.numerator if position.denominator == 1 else position

    return Domain.declare(whole.get(place, value(place)) for place in range(len(given))), places


def _places(domain: Domain, order: Sequence[object], what: str) -> tuple[IntArray, Domain]:
    """Return the place of each value's name among the given ones, and these as a domain."""
    given = Domain.declare(meant(name, domain) for name in order)
    places = named_by(domain, given)
    if None in places:
        raise DomainError(
            f"the declared {what} misses {uncovered(domain, places, given.values)}; it must list every value of the "
            "attribute"
        )
    found = np.array(places, dtype=np.int64)
    twice = np.flatnonzero(np.bincount(found, minlength=1) > 1)
    if len(twice):
        place = int(next(place for place in found if place in twice))
        one, other, *_ = (value for value, at in zip(domain.values, found, strict=True) if at == place)
        raise DomainError(
            f"the declared {what} names {one!r} and {other!r} by {given.values[place]!r}; give each its own name"
        )
    return found, given
