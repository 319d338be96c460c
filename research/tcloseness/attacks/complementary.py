"""The complementary release attack: releases of the same people, linked (Kantarcioglu's slides, after Sweeney 2002).

What all releases together say of a person follows from the published counts over the meet of their classes: from the
values that the person's classes share, from sums of counts (`tcloseness.attacks.composition`), and from linear programs
(`tcloseness.attacks.composition_programs`). Of what each of these settles there is a certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from statistics import median
from typing import Any, ClassVar

from tcloseness.attacks.composition_programs import decide
from tcloseness.attacks.disclosure import Disclosure, Fact, StatusCounts
from tcloseness.attacks.linked_releases import LinkedCells, LinkedRelease, all_persons
from tcloseness.attacks.result import Revealing, class_text, listed
from tcloseness.certificates import Reading, canonical_text
from tcloseness.certificates.composition import Fact as Proved, verify_composition
from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, Explained, counted
from tcloseness.errors import InputError, NotCertified, TableError
from tcloseness.exact import percent_of
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata.domain import value_text
from tcloseness.models.thresholds import whole

__all__ = ["ComplementaryAttack", "LinkedPerson", "LinkedRelease", "complementary_release_attack"]


@dataclass(frozen=True, eq=False)
class LinkedPerson(Displayed):
    """What linking leaves for one person.

    Attributes
    ----------
    person
        The key.
    indices
        The class in each release, −1 where the person is not in it.
    values
        The sensitive values that are left by all that was read; none at all if the classes have no value in common.
    alone
        The number of values in the smallest of the classes: what one release by itself leaves.
    common
        The number of values that every one of those classes has.
    releases
        The releases, for the sentence.
    """

    person: Hashable
    indices: tuple[int, ...]
    values: tuple[Hashable, ...]
    alone: int
    common: int
    releases: Sequence[LinkedRelease] = field(repr=False)

    _withheld = ("person", "sentence")

    def _said(self) -> str:
        return f"{counted(len(self.values), 'value')} left, {self.alone} by one release alone"

    @property
    def rule(self) -> str:
        """What leaves so few values, in short."""
        if self.alone == len(self.values):
            return "the values of one class"
        return "the published counts" if len(self.values) != self.common else "the values that all classes have"

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
        only, are = ("the only value", "is") if len(self.values) == 1 else ("the only values", "are")
        if len(self.values) > self.common:
            told = f"{only} in one of them {are} {listed(self.values, 'and')}"
            return f"{where}: {told}; their counts contradict each other."
        if len(self.values) < self.common:
            return f"{where}: {only} that the published counts leave {are} {listed(self.values, 'and')}."
        return f"{where}: {only} in {'it' if len(places) == 1 else 'all'} {are} {listed(self.values, 'and')}."

    def fact(self, sensitive: str) -> Fact:
        """Return it as a certain fact."""
        return Fact("certain", value_text(self.person), sensitive, self.values, 1, {"rule": self.rule}, self.sentence)

    def to_dict(self) -> dict[str, Any]:
        """Return what is left as JSON-ready data."""
        return {
            "person": value_text(self.person),
            "class_indices": list(self.indices),
            "values": [value_text(v) for v in self.values],
            "alone": self.alone,
            "common": self.common,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, eq=False)
class ComplementaryAttack(Explained, Revealing):
    """What several releases of the same people reveal together.

    Attributes
    ----------
    revealed
        Those who are left with at least one and fewer than `fewer_than` values, fewest values first.
    alone
        How many of them a single release leaves with so few.
    by_sets, by_sums
        How many of them the values common to all their classes leave with so few, and how many sums of counts do.
    contradicted
        Those who are left with no value: their value changed between releases, or the link is wrong.
    inconsistent
        How many more are in classes whose counts no assignment satisfies. A value changed, or is written otherwise, or
        a link is wrong, of somebody there: of each the values of one class are told, and nothing that follows from two.
    possible
        How many have `fewer_than` values or more, each in an assignment that satisfies every published count.
    people, releases
        How many people and releases were linked.
    fewer_than
        The number of values asked.
    components, decided, programs
        How many components were open when linear programs were asked, how many of them were decided, and how many
        programs were solved.
    linked
        What was linked.
    conventions
        Those of each release.
    """

    revealed: tuple[LinkedPerson, ...]
    alone: int
    by_sets: int
    by_sums: int
    contradicted: tuple[LinkedPerson, ...]
    inconsistent: int
    possible: int
    people: int
    releases: int
    fewer_than: int
    components: int
    decided: int
    programs: int
    linked: LinkedCells = field(repr=False)
    conventions: tuple[Conventions, ...] = ()
    attack = "complementary release"
    citation = "Kantarcioglu, l-diversity and t-closeness (slides); Sweeney 2002, §5"

    _withheld = LinkedPerson._withheld

    @property
    def by_linking(self) -> int:
        """How many of those revealed no single release leaves with so few values."""
        return self.records - self.alone

    @property
    def _given_away_alone(self) -> int:
        """How many a single release leaves with so few values, also where another one contradicts it."""
        return self.alone + sum(person.alone < self.fewer_than for person in self.contradicted)

    @property
    def open(self) -> int:
        """How many are neither revealed nor possible nor contradicted."""
        return self.people - self.records - self.possible - len(self.contradicted)

    @property
    def persons(self) -> StatusCounts:
        """Those revealed, those shown to have several values in assignments, and the others; nobody contradicted."""
        return StatusCounts(self.records, self.possible, self.open)

    _columns: ClassVar = {"person": "", "alone": 0, "common": 0, "sentence": ""}

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

    @property
    def advice(self) -> str:
        """What it means for who publishes, in a few plain sentences without a value of the table."""
        return " ".join(self._sentences)

    @property
    def _sentences(self) -> tuple[str, ...]:
        together = "both together" if self.releases == 2 else f"all {self.releases} together"
        given = "hides the value of" if self.fewer_than == 2 else f"leaves {self.fewer_than} values or more to"
        alone = self._given_away_alone
        whom = f"all but {counted(alone, 'person', 'people')}" if alone else "everybody"
        if not self.by_linking:
            found = f"Each table alone {given} {whom}, and {together} give away no more."
            return tuple(filter(None, (found, self._left_open)))
        away = "give away" if self.fewer_than == 2 else "leave fewer to"
        all_given = alone + self.by_linking
        found = (
            f"Each table alone {given} {whom}, but {together} {away} {all_given:,} "
            f"({percent_of(Fraction(all_given, self.people))})."
        )
        last = "second" if self.releases == 2 else "last"
        way_out = f"Do not publish the {last} table, or publish a coarser version of the first."
        return tuple(filter(None, (found, self._proved, self._left_open, way_out)))

    @property
    def disclosure(self) -> Disclosure:
        """The same in the shape that results of all levels of knowledge have; those come first whom no release alone
        gives away.
        """
        if self.fewer_than > 2:
            raise InputError(f"fewer_than={self.fewer_than} asks for several values, and a value is certain with 2")
        alone = self._given_away_alone
        ordered = sorted(self.revealed, key=lambda person: person.alone == 1)
        return Disclosure(
            "several releases",
            {"quasi-identifiers": "those of everybody, and so the class of each person in each release"},
            {
                "persons": self.persons,
                "persons, by one release alone": StatusCounts(alone, self.people - alone),
            },
            tuple(person.fact(self.linked.tables[0].columns[-1]) for person in ordered),
            self._sentences,
            self.citation,
            self.conventions[0],
        )

    @property
    def _proved(self) -> str:
        """For whom the certificate lists what proves it."""
        by_counts = {self.linked.cells[p.indices] for p in self.revealed if p.common >= self.fewer_than}
        used = [len(fact.weights) for fact in self.facts if fact.cell in by_counts]
        usually = f", usually {median(used):g} where their groups share several values" if used else ""
        cells = {fact.cell for fact in self.facts}
        proved = sum(self.linked.cells[person.indices] in cells for person in self.revealed)
        lists = f"the certificate lists the published counts that prove it{usually}"
        if proved == self.records:
            return f"For each of them {lists}."
        seen = "the values of their groups show it"
        return f"For {proved:,} of them {lists}; of the others {seen}." if proved else f"{seen.capitalize()}."

    @property
    def _left_open(self) -> str:
        odd = len(self.contradicted) + self.inconsistent
        contradict = (
            f"About {counted(odd, 'person', 'people')} the releases contradict each other: there a value changed, or "
            "is written in another way, or a link is wrong."
        )
        left = f"Of {counted(self.open, 'other person', 'other people')} this was not decided."
        return " ".join([*([contradict] if odd else []), *([left] if self.open else [])])

    @cached_property
    def facts(self) -> list[Proved]:
        """What proves that those revealed have no other values than these, each fact once."""
        cells = {self.linked.cells[person.indices] for person in self.revealed}
        composition = self.linked.composition
        return composition.facts(step for cell in sorted(cells) for step in composition.settling_steps(cell))

    def certificate(self, readings: Sequence[Reading] | None = None) -> str:
        """Return the published counts that prove what is revealed, as JSON text, once a checker has accepted it.

        Parameters
        ----------
        readings
            How the file of each release is read, where they are CSV files; else it is checked against `published`.

        Raises
        ------
        NotCertified
            If nobody is revealed, or by no more than the values of a class.
        InputError
            If there are not as many readings as releases.
        """
        if readings is not None and len(readings) != self.releases:
            raise InputError(f"{len(readings)} readings are given for {self.releases} releases; give one of each")
        if not self.facts:
            raise NotCertified("not certified: nothing is revealed by counts, so there is nothing to prove")
        found = self.linked.certificate(self.facts, [Reading()] * self.releases if readings is None else readings)
        verify_composition(found, self.published())
        return found

    def published(self) -> list[bytes]:
        """Return the canonical text of the counts of each release, against which a certificate is checked."""
        return [canonical_text(each.columns, each.counts).encode() for each in self.linked.tables]

    def assignment(self, person: Hashable, value: Hashable) -> dict[Hashable, Hashable] | None:
        """Return a value for each person such that every published count is satisfied, in which a person has one.

        Returns
        -------
        dict or None
            By person; those whose releases contradict each other are left out. None if linear programs met none.
        """
        return self.linked.assignment(person, value)

    def to_dict(self, *, persons: int = 3) -> dict[str, Any]:
        """Return the result as JSON-ready data, with at most so many persons of each kind."""
        return {
            "attack": self.attack,
            "parameters": {"fewer than": str(self.fewer_than), "releases": str(self.releases)},
            "succeeds": self.succeeds,
            "records": self.records,
            "alone": self.alone,
            "by_linking": self.by_linking,
            "by_sets": self.by_sets,
            "by_sums": self.by_sums,
            "persons": self.persons.to_dict(),
            "people": self.people,
            "contradicted_people": len(self.contradicted),
            "inconsistent_people": self.inconsistent,
            "components": self.components,
            "components_decided": self.decided,
            "programs": self.programs,
            "sentence": self.sentence,
            "advice": self.advice,
            "revealed": [p.to_dict() for p in self.revealed[:persons]],
            "contradicted": [p.to_dict() for p in self.contradicted[:persons]],
            "citation": self.citation,
            "conventions": [dict(c) for c in self.conventions],
        }


def complementary_release_attack(
    releases: Sequence[LinkedRelease],
    *,
    fewer_than: int = 2,
    programs: bool = False,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
) -> ComplementaryAttack:
    """Return who is left with few values by all releases together: |{s : x_(c,s) may be above 0}| < ℓ.

    x_(c,s) is how many of the persons who share all classes with somebody have the value s; it satisfies, in whole
    numbers, Σ_s x_(c,s) = the persons of c, and in each class g of each release Σ_(c in g) x_(c,s) = n_(g,s).

    Parameters
    ----------
    releases
        Two or more releases of one sensitive attribute, with the same person keys.
    fewer_than
        ℓ ≥ 2. With 2 (default) those are revealed whose value is known.
    programs
        Whether linear programs are asked what sums of counts leave open, and for assignments that show it is possible.
    time_limit, memory_limit
        Seconds and bytes, see `tcloseness.limits.Clock`. What linear programs do not decide within them remains open.

    Raises
    ------
    TableError
        For fewer than two releases, releases that share no person, or of different sensitive attributes.
    DomainError
        If two classes or values of a release are written alike though they are not equal.
    TimeLimitReached, MemoryLimitReached
        If the published counts alone cannot be added up within the limits.

    Notes
    -----
    A person's value is taken to be the same in every release, and each person to have a record of their own. Values are
    the same in two releases if they are equal and of one kind. Whatever is revealed is so: the certificate lists
    weights of published counts that prove it. Bounds by sums (the default) do not find all that follows; linear
    programs find all that follows in real numbers, within their limits. What is left, `open`, may follow in whole
    numbers or not.

    Persons whose classes have no value in common contradict the releases. Their links are not used. Where sums of
    counts, or a linear program, show that no assignment satisfies the counts of others, somebody's value changed or is
    written in another way, or a link is wrong, and nothing is concluded but from each release alone. A contradiction
    that neither shows is not seen.

    Cost: a few passes over the combinations of classes and values that occur; linear programs in seconds or minutes.

    References
    ----------
    Kantarcioglu, slide "Attacks Against K-Anonymity"; Sweeney, "k-Anonymity: A Model for Protecting Privacy", 2002, §5.
    The sums are those of contingency tables with fixed margins: Dobra and Fienberg, "Bounds for cell entries in
    contingency tables given marginal totals and decomposable graphs", PNAS 2000.

    Examples
    --------
    >>> from tcloseness import ClassCounts
    >>> first = ClassCounts.from_mapping({"a": {3: 1, 4: 1}, "b": {5: 1, 6: 1}})
    >>> second = ClassCounts.from_mapping({"c": {3: 1, 5: 1}, "d": {4: 1, 6: 1}})
    >>> found = complementary_release_attack(
    ...     [LinkedRelease(first, {"Ann": "a", "Bob": "a"}), LinkedRelease(second, {"Ann": "c", "Bob": "d"})]
    ... )
    >>> [(p.person, p.values) for p in found.revealed]
    [('Ann', (3,)), ('Bob', (4,))]
    """
    least = whole(fewer_than, "fewer_than", least=2)
    clock = Clock.of(time_limit, memory_limit)
    if len(releases) < 2:
        raise TableError(f"{len(releases)} release(s) are given; linking takes at least two")
    if not any(sum(person in release.places for release in releases) > 1 for person in all_persons(releases)):
        raise TableError("no person is in two of the releases, so nothing can be linked; give the same keys in each")
    linked = LinkedCells(releases, clock)

    def people(few: Callable[[tuple[int, ...]], bool]) -> int:
        return sum(
            len(persons) for indices, persons in linked.persons.items() if linked.common[indices] and few(indices)
        )

    by_sums = {indices: len(linked.left(indices)) for indices in linked.persons}
    if programs:
        linked.decided = decide(linked.composition, clock)

    def few(indices: tuple[int, ...], left: int) -> bool:  # where counts contradict each other, by one release alone
        return (len(linked.fewest[indices]) if linked.contradictory(indices) else left) < least

    revealed: list[LinkedPerson] = []
    contradicted: list[LinkedPerson] = []
    for indices, persons in linked.persons.items():
        values = linked.left(indices)
        if len(values) < least:
            common, alone = len(linked.common[indices]), len(linked.fewest[indices])
            told = (LinkedPerson(person, indices, values, alone, common, releases) for person in persons)
            (revealed if values else contradicted).extend(told)
    shown = linked.decided.shown_values()
    return ComplementaryAttack(
        tuple(sorted(revealed, key=lambda p: len(p.values))),
        sum(p.alone < least for p in revealed),
        people(lambda indices: few(indices, len(linked.common[indices]))),
        people(lambda indices: few(indices, by_sums[indices])),
        tuple(contradicted),
        people(linked.contradictory),
        people(lambda indices: len(shown.get(linked.cells[indices], ())) >= least),
        sum(map(len, linked.persons.values())),
        len(releases),
        least,
        linked.decided.components,
        linked.decided.done,
        linked.decided.programs,
        linked,
        tuple(release.classes.conventions for release in releases),
    )
