"""The complementary release attack: releases of the same people, linked (Kantarcioglu's slides, after Sweeney 2002)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import and_
from typing import Any

import numpy as np

from tcloseness.attacks.population import as_label, label_key
from tcloseness.attacks.result import Revealing, class_text, listed
from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, Explained, counted
from tcloseness.errors import DomainError, TableError
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.domain import value_text
from tcloseness.models.thresholds import whole

__all__ = ["ComplementaryAttack", "LinkedPerson", "LinkedRelease", "complementary_release_attack"]


@dataclass(frozen=True, eq=False)
class LinkedRelease(Displayed):
    """A release, and who is known to be in which of its classes.

    Attributes
    ----------
    classes
        The released counts.
    members
        By person (any key that is the same in every release), the class that the person is in: its generalized
        quasi-identifier values as the release writes them.

    Raises
    ------
    DomainError
        For a class that the release does not have.
    TableError
        For more people than records in a class.

    Notes
    -----
    An attacker finds the classes from the people's quasi-identifiers; a publisher from the keys that were removed.
    """

    classes: ClassCounts
    members: Mapping[Hashable, Hashable]

    def to_dict(self) -> dict[str, Any]:
        """Return the sizes as JSON-ready data."""
        return {"persons": len(self.members), "classes": len(self.classes), "records": self.classes.records}

    def _said(self) -> str:
        return f"{counted(len(self.members), 'person')} in {counted(len(self.classes), 'class')}"

    def __post_init__(self) -> None:
        self.classes.require_records("linking of releases")
        people = np.bincount(np.fromiter(self.places.values(), np.int64), minlength=len(self.classes))
        for g in np.flatnonzero(people > self.classes.class_sizes).tolist():
            raise TableError(
                f"{people[g]} people are said to be in the class {self.classes.label(g)!r}, which has "
                f"{counted(int(self.classes.class_sizes[g]), 'record')}; each person has a record of their own"
            )

    @cached_property
    def places(self) -> Mapping[Hashable, int]:
        """By person, the index of the class."""
        index = {label_key(self.classes.label(g)): g for g in range(len(self.classes))}
        seen: dict[tuple[Any, ...], int | None] = {}  # many people have one label
        places = {}
        for person, label in self.members.items():
            parts = as_label(label)
            kinds = (*map(type, parts), *parts)
            if kinds not in seen:
                seen[kinds] = index.get(label_key(label))
            g = seen[kinds]
            if g is None:
                raise DomainError(
                    f"{person!r} is said to be in the class {label!r}, which the release does not have; give the "
                    f"generalized quasi-identifier values, such as {self.classes.label(0)!r}"
                )
            places[person] = g
        return places


@dataclass(frozen=True)
class LinkedPerson(Displayed):
    """What linking leaves for one person.

    Attributes
    ----------
    person
        The key.
    indices
        The class in each release, −1 where the person is not in it.
    values
        The sensitive values that every one of those classes has; none at all if the releases contradict each other.
    alone
        The number of values in the smallest of the classes: what one release by itself leaves.
    releases
        The releases, for the sentence.
    """

    person: Hashable
    indices: tuple[int, ...]
    values: tuple[Hashable, ...]
    alone: int
    releases: Sequence[LinkedRelease] = field(repr=False)

    _withheld = ("person", "sentence")

    def _said(self) -> str:
        return f"{counted(len(self.values), 'value')} left, {self.alone} by one release alone"

    @property
    def sentence(self) -> str:
        """The inference with its reason."""
        places = [
            f"{class_text(release.classes, g)} in release {number}"
            for number, (release, g) in enumerate(zip(self.releases, self.indices, strict=True), 1)
            if g >= 0
        ]
        where = f"{value_text(self.person)} is in the class {' and '.join(places)}"
        if not self.values:
            return f"{where}, which have no value in common: the value changed, or the link is wrong."
        common, are = ("the only value", "is") if len(self.values) == 1 else ("the only values", "are")
        return f"{where}: {common} in {'it' if len(places) == 1 else 'all'} {are} {listed(self.values, 'and')}."

    def to_dict(self) -> dict[str, Any]:
        """Return what is left as JSON-ready data."""
        return {
            "person": value_text(self.person),
            "class_indices": list(self.indices),
            "values": [value_text(v) for v in self.values],
            "alone": self.alone,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, eq=False)
class ComplementaryAttack(Explained, Revealing):
    """What several releases of the same people reveal together.

    Attributes
    ----------
    revealed
        Those who are left with at least one and fewer than `fewer_than` values, fewest values first.
    by_linking
        How many of them no single release leaves with so few.
    contradicted
        Those who are left with no value: their value changed between releases, or the link is wrong.
    people, releases
        How many people and releases were linked.
    fewer_than
        The number of values asked.
    conventions
        Those of each release.
    """

    revealed: tuple[LinkedPerson, ...]
    by_linking: int
    contradicted: tuple[LinkedPerson, ...]
    people: int
    releases: int
    fewer_than: int
    conventions: tuple[Conventions, ...] = ()
    attack = "complementary release"
    citation = "Kantarcioglu, l-diversity and t-closeness (slides); Sweeney 2002, §5"

    _withheld = LinkedPerson._withheld

    def _frame_rows(self) -> Iterator[Mapping[str, Any]]:
        return (row for each in (*self.revealed, *self.contradicted) for row in each._frame_rows())

    def _said(self) -> str:
        return f"{self.attack}, {self.sentence}"

    @property
    def sentence(self) -> str:
        """The whole in one sentence, without a value of the table."""
        more = f"; in {counted(len(self.contradicted), 'case')} the releases contradict each other"
        return (
            f"Linking {self.releases} releases leaves {self.records} of {counted(self.people, 'person')} with "
            f"{self.left}, {self.by_linking} of them through the link alone{more if self.contradicted else ''}."
        )

    def to_dict(self, *, persons: int = 3) -> dict[str, Any]:
        """Return the result as JSON-ready data, with at most so many persons of each kind."""
        return {
            "attack": self.attack,
            "parameters": {"fewer than": str(self.fewer_than), "releases": str(self.releases)},
            "succeeds": self.succeeds,
            "records": self.records,
            "by_linking": self.by_linking,
            "people": self.people,
            "contradicted_people": len(self.contradicted),
            "sentence": self.sentence,
            "revealed": [p.to_dict() for p in self.revealed[:persons]],
            "contradicted": [p.to_dict() for p in self.contradicted[:persons]],
            "citation": self.citation,
            "conventions": [dict(c) for c in self.conventions],
        }


def complementary_release_attack(releases: Sequence[LinkedRelease], *, fewer_than: int = 2) -> ComplementaryAttack:
    """Return who is left with few values by all releases together: |⋂_r {s : n_(g_r,s) > 0}| < ℓ.

    g_r is the class that the person is in, in release r; releases without the person are skipped.

    Parameters
    ----------
    releases
        Two or more releases of one sensitive attribute, with the same person keys.
    fewer_than
        ℓ ≥ 2. With 2 (default) those are revealed whose value is known.

    Raises
    ------
    TableError
        For fewer than two releases, or releases that share no person.

    Notes
    -----
    A person's value is taken to be the same in every release. Sets of values are intersected, no more: an attacker who
    also counts (three people share three values, and two of them are settled) may infer more, so what is revealed here
    is a lower bound.

    Values are the same in two releases if they are equal and of one kind. Cost: one intersection for each combination
    of classes that occurs.

    References
    ----------
    Kantarcioglu, slide "Attacks Against K-Anonymity"; Sweeney, "k-Anonymity: A Model for Protecting Privacy", 2002, §5.

    Examples
    --------
    >>> first = ClassCounts.from_mapping({"a": {3: 1, 4: 1}, "b": {5: 1, 6: 1}})
    >>> second = ClassCounts.from_mapping({"c": {3: 1, 5: 1}, "d": {4: 1, 6: 1}})
    >>> found = complementary_release_attack(
    ...     [LinkedRelease(first, {"Ann": "a", "Bob": "a"}), LinkedRelease(second, {"Ann": "c", "Bob": "d"})]
    ... )
    >>> [(p.person, p.values) for p in found.revealed]
    [('Ann', (3,)), ('Bob', (4,))]
    """
    least = whole(fewer_than, "fewer_than", least=2)
    if len(releases) < 2:
        raise TableError(f"{len(releases)} release(s) are given; linking takes at least two")
    combinations: dict[tuple[int, ...], list[Hashable]] = {}
    for person in {p: None for release in releases for p in release.places}:
        combinations.setdefault(tuple(release.places.get(person, -1) for release in releases), []).append(person)
    if not any(sum(g >= 0 for g in indices) > 1 for indices in combinations):
        raise TableError("no person is in two of the releases, so nothing can be linked; give the same keys in each")

    domain = Domain.of(v for release in releases for v in release.classes.domain.values)
    masks = [_masks(release.classes, domain) for release in releases]
    revealed: list[LinkedPerson] = []
    contradicted: list[LinkedPerson] = []
    by_linking = 0
    for indices, persons in combinations.items():
        sets = [masks[r][g] for r, g in enumerate(indices) if g >= 0]
        left, alone = reduce(and_, sets), min(s.bit_count() for s in sets)
        if left.bit_count() >= least:
            continue
        values = tuple(domain.values[code] for code in range(left.bit_length()) if left >> code & 1)
        for person in persons:
            linked = LinkedPerson(person, indices, values, alone, releases)
            (revealed if values else contradicted).append(linked)
            by_linking += bool(values) and alone >= least
    return ComplementaryAttack(
        tuple(sorted(revealed, key=lambda p: len(p.values))),
        by_linking,
        tuple(contradicted),
        sum(map(len, combinations.values())),
        len(releases),
        least,
        tuple(release.classes.conventions for release in releases),
    )


def _masks(classes: ClassCounts, domain: Domain) -> list[int]:
    """Return the values of each class as one integer: bit i stands for value i of the common domain."""
    bit = [1 << code for code in domain.codes(classes.domain.values).tolist()]
    masks = [0] * len(classes)
    for g, code in zip(classes.class_of_cell.tolist(), classes.values.tolist(), strict=True):
        masks[g] |= bit[code]
    return masks
