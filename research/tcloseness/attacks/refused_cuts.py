"""What a class that was not cut says of its members, for cuts as strict Mondrian makes them: exactly, class by class.

The attacker knows everybody's quasi-identifiers, so she knows how each class would be cut on each attribute. A class is
final if each of these cuts leaves some part that violates the model. Persons who would go to the same part by every cut
are alike: an *atom*. A class's original is then a table of atoms by values whose margins are known, and stands for

    Π_v Π_a C(r_av, x_av),    r_av the records of atom a that are left when the values before v are placed

ways to hand the values to the members. Values are placed one after the other; of the parts, only what decides whether
they violate the model is kept: the number of values, whether one is too frequent, or the surplus over Q.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from math import comb, floor, prod
from typing import Any

import numpy as np

from tcloseness.attacks.certified_cuts import RefusedCuts
from tcloseness.attacks.counted_beliefs import BeliefChange, Enclosure
from tcloseness.attacks.disclosure import Fact, StatusCounts
from tcloseness.attacks.replay import require_one_secret
from tcloseness.displayed import counted
from tcloseness.errors import InputError, TableError
from tcloseness.exact import IntArray, decimal_text_of
from tcloseness.ground import GroundDistance, ground_distance
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import Microdata
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import (
    ClassCondition,
    LeastRecords,
    LeastValues,
    MostDistance,
    ShareBounds,
    conditions_of,
    parts_of,
)
from tcloseness.models.thresholds import whole
from tcloseness.release import Anonymized
from tcloseness.release.attributes import Categorical, Hierarchical, Numeric
from tcloseness.release.counting import Counting
from tcloseness.release.cuts import ranks_of, strict_parts

__all__ = ["refused_cuts"]


def refused_cuts(
    made: Anonymized, model: PrivacyModel, *, most: int = 10_000, time_limit: TimeLimit = None
) -> RefusedCuts:
    """Return what it says of each person that no class of a release can be cut on any attribute.

    P(person i has v | R) = |{T : each cut of each class violates the model in T, T_i = v}| / |{T : each cut violates}|,
    T every way to hand each class's sensitive values to its members.

    Parameters
    ----------
    made
        A release by `mondrian`, strict.
    model
        The model by which it was made: numbers of records, of values, shares (frequency ℓ-diversity,
        (α,k)-anonymity) or t-closeness with the equal distance, alone or together.
    most
        How many states the count may have for a class. Of a class that has more, nothing is said: its members are open.
    time_limit
        Seconds, or a running `tcloseness.limits.Clock`.

    Returns
    -------
    RefusedCuts
        With the counts ``"persons"`` and ``"persons, by their class alone"``, a fact for each atom whose value is
        certain, and a change for each atom. Beliefs are exact. Its `certified` proves what is certain.

    Raises
    ------
    InputError
        For a release of which a class could be cut, so that no strict Mondrian made it, or a model with other
        conditions.
    TableError
        For suppressed records, weights or several sensitive attributes.
    TimeLimitReached
        At the limit.

    Notes
    -----
    Cuts that were refused above the final classes, and of attributes that were tried before the one that was cut, are
    left out. Whoever knows the whole method therefore knows at least what is certain here, but may believe otherwise. A
    cut that class sizes alone refuse says nothing. Worlds of different classes are independent.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan, ICDE 2006 (the cuts). Wong, Fu, Wang, Pei, VLDB 2007, §3 (random worlds).

    Examples
    --------
    Five persons would be cut into three and two. Since that would leave a class of one value, the two have the value
    that occurs twice:

    >>> import pandas as pd
    >>> from tcloseness.models import DistinctLDiversity
    >>> from tcloseness.release import Partition, attributes_of
    >>> from tcloseness.release.anonymized import verified
    >>> frame = pd.DataFrame({"age": [31, 32, 33, 34, 35], "ill": ["flu", "cold", "gout", "hiv", "hiv"]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="ill")
    >>> model, attributes = DistinctLDiversity(2), attributes_of(table)
    >>> made = verified(Partition.of(table, [range(5)]), model, method="Mondrian, strict", attributes=attributes)
    >>> found = refused_cuts(made, model)
    >>> proof = found.facts[0].proof
    >>> found.counts["persons"].certain, proof["ways"], proof["ways with every cut refused"]
    (2, 60, 6)
    """
    most, clock = whole(most, "most", least=1), Clock.of(time_limit)
    table, partition = made.grouped.table, made.grouped
    require_one_secret(table)
    if partition.suppressed:
        raise TableError(
            f"{counted(partition.suppressed, 'record')} of the release are suppressed, and no cut says why; give a "
            "release by mondrian, which suppresses none"
        )
    counting = Counting(table, made.sensitive)
    rules = _rules_of(model, counting)
    rows, starts = partition.rows, partition.starts
    cuts = []
    for attribute, column in zip(made.attributes, table.quasi_identifiers, strict=True):
        if not isinstance(attribute, Hierarchical | Numeric | Categorical):
            raise InputError(
                f"{attribute.name!r} is generalized to {attribute.kind} values, which strict Mondrian does not cut; "
                "give its own release"
            )
        cuts.append(strict_parts(attribute, ranks_of(attribute), column.codes[rows], starts))
    search = _Classes(counting, rules, most, clock)
    found: list[_Read] = []
    for mine in np.split(np.arange(len(rows)), starts[1:]):
        found.append(search.read(rows[mine], [parts for cut in cuts if len(set((parts := cut[mine]).tolist())) > 1]))
    return _disclosure(made, model, found)


# ---------------------------------------------------------------------- what a part must meet


@dataclass(frozen=True)
class _Rule:
    """One condition: what c records of a value add to a part of so many records, and which sums violate it."""

    adds: Callable[[int, int, int], int]
    violated: Callable[[int, int], bool]
    enough: Callable[[int], int]
    """A sum from which on more changes nothing."""
    too_few: Callable[[int], bool]
    """Whether a part of so many records violates it whatever its values are."""


def _rules_of(model: PrivacyModel, counting: Counting) -> list[_Rule]:
    found = []
    for part in parts_of(model):
        conditions = conditions_of(part)
        rules = None if conditions is None else [_rule(each, counting) for each in conditions]
        if rules is None or any(rule is None for rule in rules):
            raise InputError(
                f"what refused cuts say is not counted for {part.name}; it is for numbers of records and of values, "
                "shares, and t-closeness with the equal distance; for another model take level='code' on a small table"
            )
        found += [rule for rule in rules if rule is not None]
    return found


def _rule(condition: ClassCondition, counting: Counting) -> _Rule | None:
    if isinstance(condition, LeastRecords):
        return _Rule(
            lambda v, c, size: 0,
            lambda total, size: size < condition.records,
            lambda size: 0,
            lambda size: size < condition.records,
        )
    if isinstance(condition, LeastValues):
        return _Rule(
            lambda v, c, size: int(c > 0),
            lambda total, _: total < condition.l,
            lambda _: condition.l,
            lambda size: size < condition.l,
        )
    if isinstance(condition, ShareBounds) and (share := condition.share) is not None:
        asked = [condition.values is None or value in condition.values for value in counting.domain.values]
        return _Rule(
            lambda v, c, size: int(asked[v] and c > share * size),
            lambda total, _: total > 0,
            lambda _: 1,
            lambda size: all(asked) and share * size < 1,
        )
    if isinstance(condition, MostDistance):
        if not _all_equally_far(ground_distance(condition.ground, counting.domain)):
            return None
        n, q, t = len(counting), counting.reference.tolist(), condition.t
        return _Rule(
            lambda v, c, size: max(c * n - q[v] * size, 0),
            lambda total, size: total > t * n * size,
            lambda size: floor(t * n * size) + 1,
            lambda size: False,
        )
    return None


def _all_equally_far(ground: GroundDistance) -> bool:
    """Whether every two values have the distance 1, so that the EMD is Σ max(p − q, 0)."""
    return all((np.delete(ground.row(i), i) == ground.denominator).all() for i in range(ground.m))


# ---------------------------------------------------------------------- one class


@dataclass(frozen=True)
class _Read:
    """A class: its members; by atom their places, and their beliefs; the ways that are left, and all; None if open."""

    rows: IntArray
    values: tuple[int, ...]
    shares: tuple[Fraction, ...]
    atoms: Sequence[IntArray]
    beliefs: Sequence[tuple[Fraction, ...]] | None
    kept: int
    ways: int
    refused: int


class _Classes:
    """Reads classes by their refused cuts; those with the same counts are read once."""

    def __init__(self, counting: Counting, rules: Sequence[_Rule], most: int, clock: Clock) -> None:
        self.counting, self.rules, self.most, self.clock = counting, rules, most, clock

    def read(self, rows: IntArray, cuts: Sequence[IntArray]) -> _Read:
        self.clock.check("the cuts of classes are looked at")
        codes = self.counting.codes[rows]
        found, margin = np.unique(codes, return_counts=True)
        values, totals = tuple(found.tolist()), margin.tolist()
        for cut in cuts:
            if not any(self._violates(codes[cut == part]) for part in set(cut.tolist())):
                raise InputError(
                    f"a class of {counted(len(rows), 'record')} can be cut so that each part satisfies the model, so "
                    "the release is not one by strict Mondrian for this model; give the model and the release as they "
                    "were made"
                )
        shares = tuple(Fraction(n, len(rows)) for n in totals)
        cuts = [cut for cut in cuts if not self._refused_by_size(cut)]
        if not cuts or len(values) == 1:
            return _Read(rows, values, shares, [rows], [shares], 1, 1, 0)
        kinds, atom_of = np.unique(np.stack(cuts), axis=1, return_inverse=True)
        atom_of = atom_of.reshape(-1)
        atoms = [rows[atom_of == a] for a in range(kinds.shape[1])]
        parts = [
            (cut, tuple(np.flatnonzero(kinds[cut] == part).tolist()))
            for cut in range(len(cuts))
            for part in sorted(set(kinds[cut].tolist()))
        ]
        counted_ways = self._count(values, totals, [len(atom) for atom in atoms], parts)
        if counted_ways is None:
            return _Read(rows, values, shares, [rows], None, 0, 0, len(cuts))
        beliefs, kept, ways = counted_ways
        return _Read(rows, values, shares, atoms, beliefs, kept, ways, len(cuts))

    def _violates(self, codes: IntArray) -> bool:
        sums = [0] * len(self.rules)
        for v, c in enumerate(np.bincount(codes, minlength=len(self.counting.domain)).tolist()):
            sums = [total + rule.adds(v, c, len(codes)) for total, rule in zip(sums, self.rules, strict=True)]
        return any(rule.violated(total, len(codes)) for total, rule in zip(sums, self.rules, strict=True))

    def _refused_by_size(self, cut: IntArray) -> bool:
        """Say whether some part violates the model whatever its values are, since it has too few records."""
        sizes = np.bincount(np.unique(cut, return_inverse=True)[1].reshape(-1)).tolist()
        return any(rule.too_few(size) for size in sizes for rule in self.rules)

    def _count(
        self,
        values: Sequence[int],
        totals: Sequence[int],
        sizes: Sequence[int],
        parts: Sequence[tuple[int, tuple[int, ...]]],
    ) -> tuple[list[tuple[Fraction, ...]], int, int] | None:
        """Return by atom the belief in each value, how many ways keep every cut refused, and how many there are."""
        records = [sum(sizes[a] for a in mine) for _, mine in parts]
        if self._more_states(totals, sizes):
            return None
        width = len(sizes) * len(values)
        states: dict[Any, tuple[int, list[int]]] = {
            (tuple(sizes), ((0,) * len(self.rules),) * len(parts)): (1, [0] * width)
        }
        for k, (v, total) in enumerate(zip(values, totals, strict=True)):
            fresh: dict[Any, tuple[int, list[int]]] = {}
            for (room, sums), (ways, having) in states.items():
                self.clock.check("what refused cuts say is counted")
                for placed in _deals(total, room):
                    times = prod(map(comb, room, placed))
                    after = tuple(
                        self._added(old, v, sum(placed[a] for a in mine), size)
                        for old, (_, mine), size in zip(sums, parts, records, strict=True)
                    )
                    key = (tuple(r - c for r, c in zip(room, placed, strict=True)), after)
                    old_ways, old_having = fresh.get(key, (0, None))
                    if old_having is None:
                        if len(fresh) >= self.most:
                            return None
                        old_having = [0] * width
                    for place in range(k * len(sizes)):
                        if having[place]:
                            old_having[place] += having[place] * times
                    for a, c in enumerate(placed):
                        old_having[k * len(sizes) + a] += ways * times * c
                    fresh[key] = (old_ways + ways * times, old_having)
            states = fresh
        kept = every = 0
        summed = [0] * width
        for (_, sums), (ways, having) in states.items():
            every += ways
            refused = {
                cut
                for (cut, _), mine, size in zip(parts, sums, records, strict=True)
                if any(rule.violated(total, size) for rule, total in zip(self.rules, mine, strict=True))
            }
            if len(refused) == parts[-1][0] + 1:
                kept += ways
                summed = [a + b for a, b in zip(summed, having, strict=True)]
        beliefs = [
            tuple(Fraction(summed[k * len(sizes) + a], kept * size) for k in range(len(values)))
            for a, size in enumerate(sizes)
        ]
        return beliefs, kept, every

    def _more_states(self, totals: Sequence[int], sizes: Sequence[int]) -> bool:
        """Say whether what is left of the atoms alone has more states than may be, once some values are placed.

        After m of n records there are [z^m] Π_a (1 + z + … + z^|a|) = [z^(n − m)] of the same, and no fewer with more
        atoms.
        """
        n = sum(sizes)
        asked = {min(m, n - m) for m in accumulate(totals)}
        ways = [1] + [0] * max(asked)
        for size in sizes:
            sums = [0, *accumulate(ways)]
            ways = [min(sums[m + 1] - sums[max(m - size, 0)], self.most + 1) for m in range(len(ways))]
            if any(ways[m] > self.most for m in asked):
                return True
        return False

    def _added(self, sums: tuple[int, ...], v: int, c: int, size: int) -> tuple[int, ...]:
        return tuple(
            min(total + rule.adds(v, c, size), rule.enough(size)) for total, rule in zip(sums, self.rules, strict=True)
        )


def _deals(count: int, room: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Go through the ways to put so many records into atoms with so much room, of which there is enough."""
    behind = [0, *accumulate(reversed(room))][::-1]  # the room of an atom and those after it
    placed = [0] * len(room)
    left, at = count, 0
    while True:
        for a in range(at, len(room)):  # as few as possible first
            placed[a] = max(0, left - behind[a + 1])
            left -= placed[a]
        yield tuple(placed)
        at = len(room) - 1
        while at >= 0 and (left == 0 or placed[at] == room[at]):  # the last atom that can take one more
            left += placed[at]
            at -= 1
        if at < 0:
            return
        placed[at] += 1
        left -= 1
        at += 1


# ---------------------------------------------------------------------- the answer


def _disclosure(made: Anonymized, model: PrivacyModel, found: Sequence[_Read]) -> RefusedCuts:
    table = made.grouped.table
    (column,) = table.sensitive
    facts, changes = [], []
    settled: dict[int, int] = {}
    alone = certain = unread = refused = 0
    for number, each in enumerate(found):
        refused += each.refused
        alone += len(each.rows) * (len(each.values) == 1)
        if each.beliefs is None:
            unread += len(each.rows)
            continue
        values: tuple[Hashable, ...] = tuple(column.domain.values[v] for v in each.values)
        for rows, beliefs in zip(each.atoms, each.beliefs, strict=True):
            after = tuple(map(Enclosure.of, beliefs))
            changes.append(BeliefChange(rows, f"class {number}", values, each.shares, after))
            if 1 in beliefs:
                certain += len(rows)
                at = beliefs.index(Fraction(1))
                facts += [_fact(table, int(row), values[at], each) for row in rows]
                settled |= dict.fromkeys(rows.tolist(), each.values[at])
    n = len(table)
    answer = RefusedCuts(
        "minimal",
        {
            "quasi-identifiers": "those of everybody, and the class of each",
            "the method": "that it cuts as strict Mondrian does, until each cut of each class violates the model",
        },
        {
            "persons": StatusCounts(certain, n - certain - unread, unread),
            "persons, by their class alone": StatusCounts(alone, n - alone),
        },
        tuple(facts),
        (),
        "LeFevre et al. 2006 (cuts); Wong et al. 2007, §3 (random worlds)",
        table.conventions,
        changes=tuple(changes),
        made=made,
        model=model,
        settled=settled,
    )
    return replace(answer, sentences=_sentences(answer, refused))


def _fact(table: Microdata, row: int, value: Hashable, read: _Read) -> Fact:
    name = table.sensitive[0].name
    person = f"record {row + 1 if table.index is None else value_text(table.index[row])}"
    proof = {
        "rule": "the class has one value" if len(read.values) == 1 else "no other value leaves every cut refused",
        "records": len(read.rows),
        "refused cuts": read.refused,
        "ways": read.ways,
        "ways with every cut refused": read.kept,
    }
    why = f"{read.kept:,} of {counted(read.ways, 'way')} to hand out its class's values leave each cut refused"
    said = "its class has one value" if len(read.values) == 1 else f"{why}, and in each it does"
    return Fact("certain", person, name, (value,), 1, proof, f"{person} has {name} {value_text(value)}: {said}.")


def _sentences(found: RefusedCuts, refused: int) -> tuple[str, ...]:
    persons, alone = found.counts["persons"], found.counts["persons, by their class alone"]
    left = f"; {persons.open:,} are in classes too large to count" if persons.open else ""
    if not refused:
        first = "The method left each group whole because of its size alone, which says nothing of who has which value."
    else:
        first = (
            f"The method left groups whole because {counted(refused, 'cut')} would have broken the rule on sensitive "
            "values, which says something about the persons on each side."
        )
    return (
        first,
        f"This settles the value of {persons.certain:,} of {counted(persons.total, 'person')}, where the groups alone "
        f"settle that of {alone.certain:,}{left}.",
        f"The probability that a person has a value changes by up to {decimal_text_of(100 * found.greatest_change, 3)} "
        "percentage points.",
    )
