"""Checker of what it says of persons that no class of a release by strict Mondrian could be cut.

K. LeFevre, D. J. DeWitt, R. Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006: a class is cut at the
lower median of an attribute, values up to it to the left, or those below it where it is the greatest; on a hierarchy
its lowest common ancestor is replaced by its children. A class is final if each cut leaves a part that violates the
model.

Whoever knows everybody's quasi-identifiers knows the parts. Records that go to the same part by every cut are alike,
and form an *atom*. The ways to hand the values of a class to its members are tables x_av of atoms by values, whose
margins are the sizes of the atoms and the counts of the values. Values are handed out one after the other; of a part,
only what decides whether it violates is kept: how many values it has, or whether one is too frequent. Of each state it
is kept which facts fail on some way to it. A fact is proved if it fails on no way that leaves each cut refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from tcloseness.certificates.class_costs import number_of
from tcloseness.certificates.conditions import Conditions, asked_places
from tcloseness.certificates.envelope import Task
from tcloseness.certificates.nodes import Nodes
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, InputError
from tcloseness.exact import IntArray
from tcloseness.strict_records import Work, canonical_fraction, fields, listed, shown, text, whole

__all__ = ["REFUSALS", "TASKS", "check_refusals"]

REFUSALS = "tcloseness-refused-cuts-certificate-1"

_MOST_STATES, _MOST_ATOMS = 2**20, 64
_STEP = 500
"""Units of work for one part in one way to hand out a value."""


def check_refusals(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check that facts are so whatever way leaves each cut refused; return what was found, in words.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    record = fields(proof, ("values", "attributes", "classes"), "proof")
    rules = _rules(conditions)
    given = listed(record["attributes"], "attributes", length=len(nodes.names))
    cuts = [_cut_of(each, i, nodes) for i, each in enumerate(given)]
    rows_of: dict[tuple[int, ...], list[int]] = {}
    for row, key in enumerate(zip(*(codes[0].tolist() for codes in nodes.codes), strict=True)):
        rows_of.setdefault(key, []).append(row)
    seen: set[tuple[int, ...]] = set()
    persons = 0
    for i, each in enumerate(listed(record["classes"], "classes", least=1)):
        what = f"classes[{i}]"
        entry = fields(each, ("members", "facts"), what)
        names, counts = [], []
        for member in listed(entry["members"], f"{what}.members", least=1):
            values = [text(v, f"{what}.members[][]") for v in listed(member, f"{what}.members[]", length=len(cuts))]
            key = tuple(labels[0].get(value, -1) for labels, value in zip(nodes.labels, values, strict=True))
            if key not in rows_of or key in seen:
                raise CertificateError(f"{what} names {shown(str(values))}, which no record has, or which came before")
            seen.add(key)
            names.append(values)
            rows = rows_of[key]
            counts.append(np.bincount(nodes.sensitive[rows], nodes.counts[rows], len(nodes.values)).astype(np.int64))
        found = _Class(np.stack(counts), [list(column) for column in zip(*names, strict=True)])
        facts = [
            (
                whole(member, f"{what}.facts[]", most=len(names) - 1),
                whole(v, f"{what}.facts[]", most=len(nodes.values) - 1),
            )
            for member, v in (listed(fact, f"{what}.facts[]", length=2) for fact in listed(entry["facts"], "facts"))
        ]
        persons += found.check(cuts, facts, rules, conditions, what)
    return (
        f"the value of {counted(persons, 'person')} in {counted(len(record['classes']), 'class')} is certain: with "
        "another one some cut of the class would not have been refused"
    )


# ---------------------------------------------------------------------- how a class would be cut

_Cut = Callable[[Sequence[str], Sequence[int]], list[int]]
"""By member the part that it goes to, from the values of the members and their numbers of records."""


def _cut_of(given: object, i: int, nodes: Nodes) -> _Cut:
    kind = given.get("kind") if type(given) is dict else None
    name = nodes.names[i]
    if kind == "hierarchical":
        fields(given, ("kind",), f"attributes[{i}]")
        paths = {row[0]: row for row in nodes.rows[i]}
        return lambda values, _: _children([paths[value] for value in values])
    if kind == "numeric":
        fields(given, ("kind",), f"attributes[{i}]")
        return lambda values, sizes: _at_median([number_of(value, name) for value in values], sizes)
    if kind != "categorical":
        raise InputError(f"attributes[{i}] is of the kind {shown(kind)}; it is numeric, categorical or hierarchical")
    record = fields(given, ("kind", "order"), f"attributes[{i}]")
    order = [text(value, "order[]") for value in listed(record["order"], "order")]
    place = {value: at for at, value in enumerate(order)}
    if not place.keys() >= nodes.labels[i][0].keys() or len(place) < len(order):
        raise CertificateError(f"the order of {name!r} is not of all its values, each once")
    return lambda values, sizes: _at_median([place[value] for value in values], sizes)


def _at_median(places: Sequence[Any], sizes: Sequence[int]) -> list[int]:
    in_order = sorted(zip(places, sizes, strict=True))
    half = (sum(sizes) + 1) // 2
    median = next(
        place for (place, _), n in zip(in_order, accumulate(n for _, n in in_order), strict=True) if n >= half
    )
    if median < in_order[-1][0]:
        return [int(place > median) for place in places]
    return [int(place >= median) for place in places]


def _children(paths: Sequence[Sequence[str]]) -> list[int]:
    above = next(level for level in range(len(paths[0])) if len({path[level] for path in paths}) == 1)
    labels = [path[max(above - 1, 0)] for path in paths]
    number = {label: part for part, label in enumerate(dict.fromkeys(labels))}
    return [number[label] for label in labels]


# ---------------------------------------------------------------------- what a part must meet


@dataclass(frozen=True)
class _Rule:
    """What c records of a value add to a part of so many records, from where on more is the same, and what violates."""

    adds: Callable[[int, int, int], int]
    enough: int
    violated: Callable[[int, int], bool]
    too_few: Callable[[int], bool]  # whether a part of so many records violates whatever its values are


def _rules(conditions: Conditions) -> list[_Rule]:
    found = []
    for record, _ in conditions.each:
        kind = record["condition"]
        if kind == "records":
            found.append(_of_records(record["least"]))
        elif kind == "values":
            found.append(_of_values(record["least"]))
        elif kind == "share":
            found.append(_of_share(record, conditions))
        else:
            raise InputError(f"what refused cuts say is not checked for the condition {shown(kind)}")
    return found


def _of_records(least: int) -> _Rule:
    return _Rule(lambda v, c, size: 0, 0, lambda _, size: size < least, lambda size: size < least)


def _of_values(least: int) -> _Rule:
    return _Rule(lambda v, c, size: int(c > 0), least, lambda total, _: total < least, lambda size: size < least)


def _of_share(record: Mapping[str, Any], conditions: Conditions) -> _Rule:
    above, below = canonical_fraction(record["most"], "most").as_integer_ratio()
    places = range(len(conditions.values))
    asked = {*places} if record["values"] is None else {*asked_places(record["values"], conditions)}
    return _Rule(
        lambda v, c, size: int(v in asked and c * below > above * size),
        1,
        lambda total, _: total > 0,
        lambda size: False,
    )


# ---------------------------------------------------------------------- one class


class _Class:
    """A class: how many records with each value its members have, shape (members, values); their names by column."""

    def __init__(self, counts: IntArray, columns: Sequence[Sequence[str]]) -> None:
        self.counts, self.columns = counts, columns
        self.sizes: list[int] = counts.sum(axis=1).tolist()

    def check(
        self,
        cuts: Sequence[_Cut],
        facts: Sequence[tuple[int, int]],
        rules: Sequence[_Rule],
        conditions: Conditions,
        what: str,
    ) -> int:
        """Return of how many persons the facts are; `CertificateError` if a cut is not refused or a fact not proved."""
        kept = []
        for cut, column in zip(cuts, self.columns, strict=True):
            part_of = cut(column, self.sizes)
            parts = [[m for m, mine in enumerate(part_of) if mine == part] for part in sorted(set(part_of))]
            if len(parts) == 1:
                continue
            if not conditions.violating(np.stack([self.counts[part].sum(axis=0) for part in parts])).any():
                raise CertificateError(f"{what} can be cut so that each part satisfies the model, so it is not final")
            records = [sum(self.sizes[m] for m in part) for part in parts]
            if not any(rule.too_few(size) for rule in rules for size in records):
                kept.append(part_of)
        kinds = [tuple(part_of[m] for part_of in kept) for m in range(len(self.sizes))]
        atoms = list(dict.fromkeys(kinds))
        if len(atoms) > _MOST_ATOMS:
            raise InputError(f"{what} has {len(atoms)} parts of parts; at most {_MOST_ATOMS} are checked")
        sizes = [sum(n for n, kind in zip(self.sizes, kinds, strict=True) if kind == atom) for atom in atoms]
        asked = list(dict.fromkeys((atoms.index(kinds[member]), value) for member, value in facts))
        parts = [
            [a for a, atom in enumerate(atoms) if atom[cut] == part]
            for cut, part_of in enumerate(kept)
            for part in sorted(set(part_of))
        ]
        of_cut = [cut for cut, part_of in enumerate(kept) for _ in set(part_of)]
        failing = _failing(self.counts.sum(axis=0).tolist(), sizes, parts, of_cut, asked, rules, conditions.work)
        if failing:
            value = conditions.values[asked[(failing & -failing).bit_length() - 1][1]]
            raise CertificateError(f"{what}: that a member has {shown(value)} is not proved: there is another way")
        if len({member for member, _ in facts}) < len(facts):
            raise CertificateError(f"{what} states a fact twice")
        return sum(self.sizes[member] for member, _ in facts)


def _failing(
    totals: Sequence[int],
    sizes: Sequence[int],
    parts: Sequence[Sequence[int]],
    of_cut: Sequence[int],
    facts: Sequence[tuple[int, int]],
    rules: Sequence[_Rule],
    work: Work,
) -> int:
    """Return the facts, as bits, that fail on some way to hand out the values that leaves each cut refused.

    Parameters
    ----------
    totals, sizes
        How many records have each value, and each atom has.
    parts, of_cut
        The atoms of each part, and the cut that it is of.
    facts
        An atom and a value each: all records of the atom have the value.
    """
    records = [sum(sizes[a] for a in part) for part in parts]
    begin = tuple(sizes), ((0,) * len(rules),) * len(parts)
    states = {begin: sum(1 << i for i, (_, v) in enumerate(facts) if not totals[v])}
    for v, total in enumerate(totals):
        if not total:
            continue
        about = [(1 << i, a) for i, (a, value) in enumerate(facts) if value == v]
        fresh: dict[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]], int] = {}
        for (room, sums), failing in states.items():
            for placed in _ways(total, room):
                work.spend(_STEP * (1 + len(parts)), "so many ways to hand out the values of a class")
                after = tuple(
                    tuple(min(old + rule.adds(v, c, size), rule.enough) for old, rule in zip(mine, rules, strict=True))
                    for mine, size, c in zip(
                        sums, records, (sum(placed[a] for a in part) for part in parts), strict=True
                    )
                )
                key = tuple(r - c for r, c in zip(room, placed, strict=True)), after
                fails = sum(bit for bit, a in about if placed[a] < sizes[a])
                fresh[key] = fresh.get(key, 0) | failing | fails
                if len(fresh) > _MOST_STATES:
                    raise InputError(f"a class has more than {_MOST_STATES:,} states, which are not checked")
        states = fresh
    found = 0
    for (_, sums), failing in states.items():
        refused = {
            cut
            for cut, mine, size in zip(of_cut, sums, records, strict=True)
            if any(rule.violated(total, size) for rule, total in zip(rules, mine, strict=True))
        }
        if len(refused) == len(set(of_cut)):
            found |= failing
    return found


def _ways(count: int, room: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Go through the ways to put so many records into atoms with so much room."""
    if len(room) == 1:
        if count <= room[0]:
            yield (count,)
        return
    for first in range(max(0, count - sum(room[1:])), min(count, room[0]) + 1):
        for rest in _ways(count - first, room[1:]):
            yield (first, *rest)


TASKS = (
    Task(
        REFUSALS,
        "if the records whose quasi-identifiers an entry of `classes` names as its `members` are a class of a release "
        "by strict Mondrian, then those members that its `facts` name have the sensitive value of that place in "
        "`values`, in every table with the same quasi-identifiers and the same sensitive values in each class in which "
        "each cut of the class leaves a part that violates the model",
        check_refusals,
    ),
)
