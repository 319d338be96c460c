"""The originals that are consistent with a release of a small table, exactly: each candidate is released again.

Without knowledge of the method, whoever knows everybody's quasi-identifiers and class holds every way possible to hand
the values of each class to its members; whoever knows the release alone, every table that its labels allow. The method
is run on each of these worlds, and those are left that it maps to the very release. Each is held equally probable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from operator import and_
from typing import Any, Literal, TypeAlias

from tcloseness.attacks.disclosure import Disclosure, Fact, Level, StatusCounts
from tcloseness.attacks.replay import (
    Optimum,
    Replay,
    Shown,
    require_one_secret,
    shown_by,
    shown_of,
    with_rows,
    with_secrets,
)
from tcloseness.attacks.result import listed
from tcloseness.displayed import counted
from tcloseness.errors import InputError, LimitReached, ProtocolError, TableError
from tcloseness.exact import decimal_text_of, number_text, percent_of, short_text, shown_value
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import Column, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text
from tcloseness.models.thresholds import whole
from tcloseness.release import Release

__all__ = ["ConsistentOriginals", "Knows", "arranged", "candidates_of", "consistent_originals"]

Knows: TypeAlias = Literal["quasi-identifiers", "release"]
"""Whether the attacker knows everybody's quasi-identifiers and class, or the release alone."""

RUNNING = "originals are released again"

CITATION = "Wong et al. 2007, §3 (random worlds); Xiao, Tao, Koudas 2010"


@dataclass(frozen=True, eq=False, kw_only=True)
class ConsistentOriginals(Disclosure):
    """What is true in all originals, and in some, of which the method makes the release; none is open.

    Attributes
    ----------
    candidates, consistent
        How many originals there are without knowledge of the method, and with it, each counted once.
    beliefs_before, beliefs
        By person, the share of the candidates, and of the consistent originals, in which the person has each value;
        empty where no person is known. A value that no original has is left out.
    """

    candidates: int
    consistent: int
    beliefs_before: tuple[Mapping[Hashable, Fraction], ...]
    beliefs: tuple[Mapping[Hashable, Fraction], ...]

    @property
    def excluded(self) -> int:
        """How many pairs of a person and a value the method alone excludes."""
        return sum(map(len, self.beliefs_before)) - sum(map(len, self.beliefs))

    @property
    def greatest_change(self) -> Fraction:
        """By how much knowledge of the method changes a belief, at most."""
        both = zip(self.beliefs_before, self.beliefs, strict=True)
        return max((abs(b.get(v, Fraction()) - p) for a, b in both for v, p in a.items()), default=Fraction())

    def to_dict(self, *, facts: int = 3) -> dict[str, Any]:
        """Return the result as JSON-ready data, see `Disclosure.to_dict`."""
        return {
            **super().to_dict(facts=facts),
            "candidates": self.candidates,
            "consistent": self.consistent,
            "greatest_change": number_text(self.greatest_change),
        }


def consistent_originals(
    table: Microdata | FullTable,
    method: Callable[[Microdata], object],
    *,
    level: Literal["code", "optimal"] = "code",
    knows: Knows = "quasi-identifiers",
    most: int = 10_000,
    time_limit: TimeLimit = None,
) -> ConsistentOriginals:
    """Return what C(R, M, K) = {T : M(T) = R, T ∈ K} says of each person, by running M on every candidate T.

    P(person i has v | R) = |{T ∈ C : T_i = v}| / |C|

    Parameters
    ----------
    table
        The original, with one sensitive attribute. R is what the method makes of it; else the original is used for
        nothing.
    method
        M, of one argument: a table. It returns an answer with a release or a partition, or by record what is shown (a
        sequence). Give a method that draws a seed: the attacker is then taken to know it.
    level
        ``"code"`` (default): M(T) = R. ``"optimal"``: R is an optimum for T, where M returns optima (`objective`)
        whose loss does not depend on sensitive values.
    knows
        K: ``"quasi-identifiers"`` (default): those of everybody, and who is in which class; or ``"release"``: nothing
        but R, and the domains.
    most
        The greatest number of candidates; where labels overlap, of the ways to choose a value for each record.
    time_limit
        Seconds, or a running `tcloseness.limits.Clock`; looked at between two runs of the method.

    Returns
    -------
    ConsistentOriginals
        With the counts ``"persons"`` and ``"persons, by their class alone"``, and a fact a person: a certain one with
        the numbers of worlds, a possible one with a witness for each value. At level ``"code"`` `is_consistent` checks
        a witness again. If the release alone is known, with ``"cells"``, and a fact an attribute, whose values are
        those of the whole table.

    Raises
    ------
    LimitReached
        For more than `most` candidates; the message has their number. `TimeLimitReached` at the limit.
    InputError
        For an unknown level or word for what is known.
    TableError
        For weights, suppressed records, several sensitive attributes or two sensitive values that are written alike, or
        hidden sensitive values.
    ProtocolError
        For what makes no release of the table, or another one when it is run again.

    Notes
    -----
    A world that the method cannot release at all (`NotReached`, no solution) is not consistent. Suppressed records are
    taken to be published with their sensitive values, as one class. Cost: one run of the method for each candidate. If
    the release alone is known, candidates are tables up to the order of their records, on which the method is taken not
    to depend; that is checked on the original.

    References
    ----------
    Wong, Fu, Wang, Pei, "Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007, §3. Xiao, Tao, Koudas,
    "Transparent Anonymization", TODS 2010.

    Examples
    --------
    Two persons q1 and four q2. The publisher merges as few q2 with the q1 as it takes for cancer to be at most half of
    each class. Whoever knows so knows that both q1 have it:

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"q": ["q1"] * 2 + ["q2"] * 4, "ill": ["cancer"] * 2 + ["none"] * 4})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="q", sensitive="ill")
    >>> def merged(world):
    ...     ill = [world.sensitive[0].domain.values[code] == "cancer" for code in world.sensitive[0].codes]
    ...     for m in range(5):  # so many q2 are in the class of the q1
    ...         classes = [ill[: 2 + m], ill[2 + m :]]
    ...         if all(2 * sum(each) <= len(each) for each in classes):
    ...             return ["Q"] * (2 + m) + ["q2"] * (4 - m)
    ...     return ["Q"] * 6
    >>> found = consistent_originals(table, merged)
    >>> found.candidates, found.consistent, found.counts["persons"].certain
    (6, 1, 6)
    """
    clock = Clock.of(time_limit)
    table = in_shape(table, Microdata)
    if level not in ("code", "optimal") or knows not in ("quasi-identifiers", "release"):
        raise InputError(
            f"level={level!r}, knows={knows!r} is unknown; level is 'code' or 'optimal', and knows is "
            "'quasi-identifiers' or 'release'"
        )
    require_one_secret(table)
    answer = method(table)  # whatever it raises is about the original
    shown = shown_of(answer, table)
    if shown is None:
        raise ProtocolError(
            f"the method answers {shown_value(answer)} for the table itself, which has no release; let it return an "
            "answer with a release or a partition, or a list of what each record shows"
        )
    if knows == "release":
        if level != "code":
            raise InputError("level='optimal' takes knows='quasi-identifiers'; with the release alone take 'code'")
        return _of_release(table, method, answer, shown, whole(most, "most", least=1), clock)
    if level == "code":
        keeps: Callable[[Microdata], bool] = Replay(method, shown)
    else:
        keeps = Optimum.of(method, answer, table)
    return arranged(table, shown, keeps, level, whole(most, "most", least=1), clock)


def arranged(
    table: Microdata, shown: Shown, keeps: Callable[[Microdata], bool], level: Level, most: int, clock: Clock
) -> ConsistentOriginals:
    """Return what the ways to hand each class's values to its members say that some test keeps."""
    secrets = table.sensitive[0].codes.tolist()
    members, kinds, candidates = _handed_out(table, shown)
    _require_few(candidates, most)
    left: list[tuple[int, ...]] = []
    world = secrets.copy()
    for handed in product(*(list(_arrangements(k)) for k in kinds)):
        for group, values in zip(members, handed, strict=True):
            for i, code in zip(group, values, strict=True):
                world[i] = code
        clock.check(RUNNING)
        if keeps(with_secrets(table, world)):
            left.append(tuple(world))
    if tuple(secrets) not in left:
        raise ProtocolError("the method makes another release of the same table when it is run again; give it a seed")
    return _persons(table, members, kinds, left, candidates, level)


def candidates_of(table: Microdata, shown: Shown) -> int:
    """Return in how many ways each class's values can be handed to its members."""
    return _handed_out(table, shown)[2]


def _handed_out(table: Microdata, shown: Shown) -> tuple[list[list[int]], list[Counter[int]], int]:
    """Return the members of each class, how many have each value, and in how many ways these can be handed out."""
    secrets = table.sensitive[0].codes.tolist()
    groups: dict[Hashable, list[int]] = {}
    for record, each in enumerate(shown):
        groups.setdefault(each, []).append(record)
    members = list(groups.values())
    kinds = [Counter(secrets[i] for i in group) for group in members]
    return members, kinds, prod(factorial(k.total()) // prod(map(factorial, k.values())) for k in kinds)


def _persons(
    table: Microdata,
    members: list[list[int]],
    kinds: list[Counter[int]],
    left: list[tuple[int, ...]],
    candidates: int,
    level: Level,
) -> ConsistentOriginals:
    (column,) = table.sensitive
    value = column.domain.values
    before: list[dict[Hashable, Fraction]] = [{} for _ in range(len(table))]
    for group, kind in zip(members, kinds, strict=True):
        for i in group:
            before[i] = {value[code]: Fraction(n, len(group)) for code, n in sorted(kind.items())}
    after: list[dict[Hashable, Fraction]] = []
    facts = []
    for i in range(len(table)):
        of_person = Counter(world[i] for world in left)
        beliefs = {value[code]: Fraction(n, len(left)) for code, n in sorted(of_person.items())}
        witnesses = {
            value_text(value[code]): [value_text(value[c]) for c in next(w for w in left if w[i] == code)]
            for code in sorted(of_person)
            if len(of_person) > 1
        }
        after.append(beliefs)
        facts.append(_fact(table, i, before[i], beliefs, witnesses, candidates, len(left)))
    facts.sort(key=lambda fact: len(fact.values))
    alone, certain, n = sum(len(b) == 1 for b in before), sum(len(b) == 1 for b in after), len(table)
    found = ConsistentOriginals(
        level,
        {"quasi-identifiers": "those of everybody, and the class of each", "the method": _METHOD[level]},
        {
            "persons": StatusCounts(certain, n - certain),
            "persons, by their class alone": StatusCounts(alone, n - alone),
        },
        tuple(facts),
        (),
        CITATION,
        table.conventions,
        candidates=candidates,
        consistent=len(left),
        beliefs_before=tuple(before),
        beliefs=tuple(after),
    )
    return replace(found, sentences=_sentences(found))


_METHOD: Mapping[Level, str] = {
    "code": "with all its parameters, and its seed if it draws",
    "optimal": "that its releases have the least loss",
    "minimal": "that its releases are minimal: each direct specialization violates the model",
}


_KNOWS: Mapping[Level, str] = {
    "code": "the method",
    "optimal": "that this table has the least loss",
    "minimal": "that no table one step finer would do",
}


def _fact(
    table: Microdata,
    i: int,
    before: Mapping[Hashable, Fraction],
    beliefs: Mapping[Hashable, Fraction],
    witnesses: Mapping[str, list[str]],
    candidates: int,
    consistent: int,
) -> Fact:
    name, values = table.sensitive[0].name, tuple(beliefs)
    person = f"record {i + 1 if table.index is None else value_text(table.index[i])}"
    proof: dict[str, Any] = {"candidates": candidates, "consistent": consistent}
    in_each = _in_each(consistent)
    if len(values) > 1:
        proof |= {"rule": "witnesses", "beliefs": [number_text(p) for p in beliefs.values()], "witnesses": witnesses}
        why = f"each is so in some of {counted(consistent, 'consistent original')}"
        return Fact("possible", person, name, values, 1, proof, f"{person} has {name} {listed(values)}: {why}.")
    proof["rule"] = "the class has one value" if len(before) == 1 else "no other value is consistent"
    why = proof["rule"] if len(before) == 1 else in_each
    return Fact("certain", person, name, values, 1, proof, f"{person} has {name} {value_text(values[0])}: {why}.")


def _in_each(consistent: int) -> str:
    return f"so it is in {'the one' if consistent == 1 else f'each of {consistent:,}'} " + (
        "consistent original" if consistent == 1 else "consistent originals"
    )


def _excludes(candidates: int, consistent: int) -> str:
    return "can exclude none" if consistent == candidates else f"can exclude all but {consistent:,}"


def _sentences(found: ConsistentOriginals) -> tuple[str, ...]:
    persons, alone = found.counts["persons"], found.counts["persons, by their class alone"]
    if found.consistent == found.candidates:
        change = "That says nothing beyond the groups."
    elif not found.greatest_change:
        change = "The probability that a person has a value does not change."
    else:
        points = decimal_text_of(100 * found.greatest_change, 3)
        change = f"The probability that a person has a value changes by up to {points} percentage points."
    return (
        f"There {'is' if found.candidates == 1 else 'are'} {counted(found.candidates, 'way')} to hand the values of "
        f"each group to its members, and whoever knows {_KNOWS[found.level]} "
        f"{_excludes(found.candidates, found.consistent)}.",
        f"This settles the value of {persons.certain:,} of {counted(persons.total, 'person')}, where the groups alone "
        f"settle that of {alone.certain:,}.",
        change,
    )


# ---------------------------------------------------------------------- what the release alone allows


def _of_release(
    table: Microdata, method: Callable[[Microdata], object], answer: object, shown: Shown, most: int, clock: Clock
) -> ConsistentOriginals:
    release = getattr(answer, "release", None)
    if not isinstance(release, Release):
        raise TableError(
            "knows='release' needs a method whose answer has a release, whose labels say what they stand for"
        )
    secrets = table.sensitive[0].codes.tolist()
    published = Counter(zip(shown, secrets, strict=True))
    parts = [(_allowed(release, table, label), secret, n) for (label, secret), n in published.items()]
    _require_few(prod(comb(prod(map(len, allowed)) + n - 1, n) for allowed, _, n in parts), most)
    ways = (list(combinations_with_replacement(list(product(*allowed)), n)) for allowed, _, n in parts)
    tables = {  # where labels overlap, one table is chosen in several ways
        tuple(sorted((*row, secret) for (_, secret, _), part in zip(parts, chosen, strict=True) for row in part))
        for chosen in product(*ways)
    }

    def is_released_alike(rows: tuple[tuple[int, ...], ...]) -> bool:
        clock.check(RUNNING)
        made = shown_by(method, with_rows(table, rows))
        return made is not None and Counter(zip(made, (row[-1] for row in rows), strict=True)) == published

    columns = [column.codes.tolist() for column in (*table.quasi_identifiers, *table.sensitive)]
    if not is_released_alike(tuple(sorted(zip(*columns, strict=True)))):
        raise ProtocolError(
            "the method makes another release of the same records in another order, or when it is run again; give it a "
            "seed, let it not depend on the order, or take knows='quasi-identifiers'"
        )
    candidates, left = len(tables), [rows for rows in sorted(tables) if is_released_alike(rows)]
    facts, cells, certain = [], 0, 0
    for place, column in enumerate(table.quasi_identifiers):
        common = reduce(and_, (Counter(row[place] for row in rows) for rows in left))
        cells, certain = cells + len(table), certain + common.total()
        if common:
            facts.append(_of_table(column, len(table), common, candidates, len(left)))
    return ConsistentOriginals(
        "code",
        {"quasi-identifiers": "not known", "the method": _METHOD["code"]},
        {"cells": StatusCounts(certain, cells - certain)},
        tuple(sorted(facts, key=lambda fact: -len(fact.values))),
        (
            f"The labels of this table fit {counted(candidates, 'original table')}, and whoever knows the method "
            f"{_excludes(candidates, len(left))}.",
            f"Of the values of the quasi-identifiers, {certain:,} of {cells:,} "
            f"({percent_of(Fraction(certain, max(1, cells)))}) can be listed exactly, though not whose they are.",
        ),
        CITATION,
        table.conventions,
        candidates=candidates,
        consistent=len(left),
        beliefs_before=(),
        beliefs=(),
    )


def _of_table(column: Column, records: int, common: Counter[int], candidates: int, consistent: int) -> Fact:
    values = tuple(column.domain.values[code] for code in sorted(common.elements()))
    proof = {"rule": "in every consistent original", "candidates": candidates, "consistent": consistent}
    has = "has" if len(values) == 1 else "have"
    said = f"Of {counted(records, 'record')}, {len(values):,} {has} {column.name} {listed(values, 'and')}"
    return Fact("certain", "the table", column.name, values, records, proof, f"{said}: {_in_each(consistent)}.")


def _allowed(release: Release, table: Microdata, label: Hashable) -> list[list[int]]:
    """Return by quasi-identifier the values that a class's label stands for; for a suppressed record and a mean all."""
    shown = None if label is None else dict(zip(release.recodings, label, strict=True))  # type: ignore[call-overload]
    found = []
    for column in table.quasi_identifiers:
        recoding = release.recodings[column.name]
        if shown is None or recoding.says == "summary":
            found.append(list(range(len(recoding.values))))
        else:
            starts, values = recoding.below("table")
            code = recoding.labels.code(shown[column.name])
            found.append(values[starts[code] : starts[code + 1]].tolist())
    return found


def _require_few(candidates: int, most: int) -> None:
    if candidates > most:
        shown = f"{candidates:,}" if candidates < 10**15 else short_text(candidates, 20, 4)
        raise LimitReached(
            f"{shown} originals are to be released again, and most={most:,} may be; take fewer records, a greater "
            "most=, or ask label_disclosure, which runs nothing"
        )


def _arrangements(kinds: Counter[int]) -> Iterator[tuple[int, ...]]:
    """Go through the different orders of a multiset, each once, in lexicographic order."""
    at = sorted(kinds.elements())
    while True:
        yield tuple(at)
        place = next((i for i in range(len(at) - 2, -1, -1) if at[i] < at[i + 1]), None)
        if place is None:
            return
        other = next(i for i in range(len(at) - 1, place, -1) if at[i] > at[place])
        at[place], at[other] = at[other], at[place]
        at[place + 1 :] = at[:place:-1]
