"""The background knowledge attack: values that the attacker can exclude leave few, or one.

Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "ℓ-Diversity: Privacy Beyond k-Anonymity", ICDE 2006, §1.1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tcloseness.attacks.population import as_label, label_key
from tcloseness.attacks.result import AttackResult, Finding, Revealing, attack_result, class_text, listed
from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, Explained, counted
from tcloseness.errors import DomainError, InputError, TableError
from tcloseness.exact import IntArray, number_text
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text
from tcloseness.models.thresholds import whole

__all__ = ["Person", "PersonInference", "PersonsAttack", "background_knowledge_attack", "known_persons_attack"]

_CITATION = "Machanavajjhala et al. 2006, §1.1 and §4.1"


def background_knowledge_attack(
    classes: ClassCounts | FullTable,
    excluded: Iterable[Hashable] = (),
    *,
    where: Mapping[str, Mapping[Hashable, Iterable[Hashable]]] | None = None,
    fewer_than: int = 2,
) -> AttackResult:
    """Return the classes that excluded values bring below `fewer_than` values: |{s : n_(g,s) > 0} ∖ excluded_g| < ℓ.

    Parameters
    ----------
    classes
        The released counts.
    excluded
        The sensitive values that the attacker can exclude for the person she seeks, whoever it is.
    where
        Values that she can exclude for people with a quasi-identifier value, on top:
        ``{"Nationality": {"Japanese": ["Heart Disease"]}}``. The value must be a label of the release.
    fewer_than
        ℓ ≥ 2. With 2 (default) classes count in which one value is left.

    Returns
    -------
    AttackResult
        One finding a class. Its records are those with a value that is left: about them the knowledge is true. Classes
        that had fewer than ℓ values beforehand are left out (they need no knowledge: see `homogeneity_attack`), and so
        are classes with every value excluded: nobody in them is the person sought.

    Raises
    ------
    DomainError
        For an excluded value that does not occur, or a label that no class has.
    TableError
        For an attribute that is not a quasi-identifier of the release.

    Notes
    -----
    An excluded value is certain knowledge; for beliefs that fall short of it, see
    `tcloseness.attacks.observed_beliefs`.

    References
    ----------
    Machanavajjhala et al. 2006, §1.1, Observation 2; §4.1.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"130**, 3*": {"cancer": 4}, "130**, <30": {"heart": 2, "virus": 2}})
    >>> background_knowledge_attack(classes, ["heart"]).findings[0].sentence
    'Whoever is in the class 130**, <30 and does not have heart has virus.'
    """
    classes = in_shape(classes, ClassCounts)
    classes.require_values("the background knowledge attack")
    classes.require_records("the background knowledge attack")
    least = whole(fewer_than, "fewer_than", least=2)
    everywhere = _codes(classes, excluded)
    somewhere = [
        (attribute, label, _codes(classes, values))
        for attribute, by_label in (where or {}).items()
        for label, values in by_label.items()
    ]
    gone = np.isin(classes.values, everywhere)
    for attribute, label, codes in somewhere:
        there = _classes_with(classes, attribute, label)
        gone |= there[classes.class_of_cell] & np.isin(classes.values, codes)
    starts = classes.starts[:-1]
    left = np.add.reduceat(~gone, starts, dtype=np.int64)
    hit = np.flatnonzero((left > 0) & (left < least) & (np.diff(classes.starts) >= least))
    records = np.add.reduceat(np.where(gone, 0, classes.counts), starts)[hit]
    return attack_result(
        "background knowledge",
        classes,
        hit,
        records,
        partial(_finding, classes, hit, gone, records),
        citation=_CITATION,
        parameters={
            "excluded": _text(classes, everywhere),
            "excluded where": "; ".join(
                f"{attribute}={value_text(label)}: {_text(classes, codes)}" for attribute, label, codes in somewhere
            ),
            "fewer than": str(least),
        },
        reveals=f"are left with {'one value' if least == 2 else f'fewer than {least} values'} by what was known before",
        spared=f"What was known before leaves no class {'one value' if least == 2 else f'fewer than {least} values'}",
    )


def _finding(
    classes: ClassCounts,
    hit: npt.NDArray[np.intp],
    gone: npt.NDArray[np.bool_],
    records: IntArray,
    i: int,
) -> Finding:
    g = int(hit[i])
    cells = np.arange(int(classes.starts[g]), int(classes.starts[g + 1]))
    kept = _values(classes, cells[~gone[cells]])
    sentence = f"Whoever is in the class {class_text(classes, g)} and does not have "
    sentence += f"{listed(_values(classes, cells[gone[cells]]))} has {listed(kept)}."
    return Finding(g, int(records[i]), kept, sentence)


@dataclass(frozen=True)
class Person(Displayed):
    """Somebody whom the attacker knows to be in the table.

    Attributes
    ----------
    label
        The class: the generalized quasi-identifier values of the person, as the release writes them.
    excluded
        The sensitive values that the attacker knows the person not to have.
    """

    label: Hashable
    excluded: tuple[Hashable, ...] = ()

    _withheld = ("excluded",)

    _columns: ClassVar = {"excluded": ""}

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [{"excluded": value} for value in self.to_dict()["excluded"]]

    def to_dict(self) -> dict[str, Any]:
        """Return what is known, as texts."""
        return {"label": list(map(value_text, as_label(self.label))), "excluded": list(map(value_text, self.excluded))}

    def _said(self) -> str:
        return f"in one class, {counted(len(self.excluded), 'value')} excluded"

    def __post_init__(self) -> None:
        object.__setattr__(self, "excluded", _several(self.excluded))


@dataclass(frozen=True, eq=False)
class PersonInference(Displayed):
    """What the attacker infers about one person.

    Attributes
    ----------
    name, index
        Who, and in which class.
    records
        How many records may be the person's.
    shares
        By sensitive value that is left, its share among those records: the belief in it, if nothing else is known.
    contradicted
        Whether every value of the class was excluded: then the knowledge is wrong, or the class.
    sentence
        The inference with its reason.
    """

    name: str
    index: int
    records: int
    shares: Mapping[Hashable, Fraction]
    sentence: str

    _withheld = ("person", "sentence")

    def _said(self) -> str:
        return f"{counted(len(self.shares), 'value')} left of {counted(self.records, 'record')}"

    @property
    def contradicted(self) -> bool:
        """Whether the attacker's knowledge contradicts the release."""
        return not self.shares

    def to_dict(self, classes: ClassCounts | None = None) -> dict[str, Any]:
        """Return the inference as JSON-ready data, with the class described if `classes` is given."""
        record: dict[str, Any] = {
            "person": self.name,
            "class_index": self.index,
            "records": self.records,
            "values": {value_text(v): number_text(share) for v, share in self.shares.items()},
            "contradicted": self.contradicted,
            "sentence": self.sentence,
        }
        return record if classes is None else {**record, **{"class": classes.describe(self.index)["class"]}}


@dataclass(frozen=True, eq=False)
class PersonsAttack(Explained, Revealing):
    """What the attacker infers about the people whom she knows to be in the table.

    Attributes
    ----------
    inferences
        One a person, in the caller's order.
    revealed
        Those who are left with fewer values than asked, and not contradicted.
    fewer_than
        The number of values asked.
    conventions
        What was chosen on the way, by name.
    """

    inferences: tuple[PersonInference, ...]
    revealed: tuple[PersonInference, ...]
    fewer_than: int = 2
    conventions: Conventions = field(default_factory=Conventions)
    attack = "background knowledge about persons"
    citation = _CITATION

    _withheld = PersonInference._withheld

    def _frame_rows(self) -> Iterator[Mapping[str, Any]]:
        return (row for each in self.inferences for row in each._frame_rows())

    def _said(self) -> str:
        return f"{self.attack}, {self.sentence}"

    @property
    def sentence(self) -> str:
        """The whole in one sentence, without a value of the table."""
        return f"{self.records} of {counted(len(self.inferences), 'person')} sought are left with {self.left}."

    def to_dict(self, classes: ClassCounts | None = None) -> dict[str, Any]:
        """Return the result as JSON-ready data, with the classes described if `classes` is given."""
        return {
            "attack": self.attack,
            "parameters": {"fewer than": str(self.fewer_than)},
            "succeeds": self.succeeds,
            "records": self.records,
            "sentence": self.sentence,
            "revealed": [inference.name for inference in self.revealed],
            "persons": [inference.to_dict(classes) for inference in self.inferences],
            "citation": self.citation,
            "conventions": dict(self.conventions),
        }


def known_persons_attack(
    classes: ClassCounts | FullTable, persons: Mapping[str, Person], *, fewer_than: int = 2
) -> PersonsAttack:
    """Return what is left for each person: the values of the class without those that are known not to hold.

    The belief in a value s that is left is n_(g,s) / Σ n_(g,s') over the values s' that are left.

    Parameters
    ----------
    classes
        The released counts.
    persons
        By name, the class that the person is in and what is known about them.
    fewer_than
        ℓ ≥ 2: whoever is left with fewer values counts as revealed.

    Raises
    ------
    DomainError
        For a class that the release does not have, or an excluded value that does not occur in it.

    References
    ----------
    Machanavajjhala et al. 2006, §1.1: Bob and Umeko; §2: instance-level background knowledge.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"130**, 3*": {"cancer": 4}, "130**, <30": {"heart": 2, "virus": 2}})
    >>> umeko = Person("130**, <30", excluded=("heart",))
    >>> known_persons_attack(classes, {"Umeko": umeko}).inferences[0].shares
    {'virus': Fraction(1, 1)}
    """
    classes = in_shape(classes, ClassCounts)
    classes.require_values("the background knowledge attack")
    classes.require_records("the background knowledge attack")
    least = whole(fewer_than, "fewer_than", least=2)
    if not persons:
        raise InputError("no person is given; name at least one, or use background_knowledge_attack for all classes")
    index = {label_key(classes.label(g)): g for g in range(len(classes))}
    inferences = []
    for name, person in persons.items():
        g = index.get(label_key(person.label))
        if g is None:
            raise DomainError(
                f"{name!r} is said to be in the class {as_label(person.label)!r}, which the release does not have; "
                f"give the generalized quasi-identifier values, such as {classes.label(0)!r}"
            )
        inferences.append(_inference(classes, name, g, _codes(classes, person.excluded)))
    revealed = tuple(i for i in inferences if 0 < len(i.shares) < least)
    return PersonsAttack(tuple(inferences), revealed, least, classes.conventions)


def _inference(classes: ClassCounts, name: str, g: int, excluded: IntArray) -> PersonInference:
    row, gone = classes.row(g), set(excluded.tolist())
    kept = {code: n for code, n in row.items() if code not in gone}
    total = sum(kept.values())
    shares = {classes.domain.value(code): Fraction(n, total) for code, n in kept.items()}
    place = f"{name} is in the class {class_text(classes, g)}, with {counted(int(classes.class_sizes[g]), 'record')}"
    dropped = [classes.domain.value(code) for code in row if code in gone]
    knowing = f", and does not have {listed(dropped)}" if dropped else ""
    if not shares:
        return PersonInference(name, g, 0, {}, f"{place}{knowing}: nothing is left, so what was known is wrong.")
    if len(shares) == 1:
        return PersonInference(name, g, total, shares, f"{place}{knowing}: it must be {listed(shares)}.")
    beliefs = ", ".join(f"{value_text(s)} with probability {number_text(share)}" for s, share in shares.items())
    return PersonInference(name, g, total, shares, f"{place}{knowing}: {beliefs}.")


def _several(values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    if isinstance(values, str):
        raise InputError(f"the excluded values are the text {values!r}; give a list, such as [{values!r}]")
    return tuple(values)


def _codes(classes: ClassCounts, values: Iterable[Hashable]) -> IntArray:
    return np.unique(classes.domain.codes(_several(values)))


def _text(classes: ClassCounts, codes: IntArray) -> str:
    return ", ".join(value_text(classes.domain.value(code)) for code in codes.tolist())


def _values(classes: ClassCounts, cells: IntArray) -> tuple[Hashable, ...]:
    return tuple(classes.domain.value(code) for code in classes.values[cells].tolist())


def _classes_with(classes: ClassCounts, attribute: str, label: Hashable) -> np.ndarray[Any, np.dtype[np.bool_]]:
    names = ("class",) if classes.keys is None else classes.keys.names
    if classes.keys is None or attribute not in names:
        raise TableError(f"{attribute!r} is not a quasi-identifier of this release; it has {names!r}")
    domain = classes.keys.domains[names.index(attribute)]
    return np.asarray(classes.keys.codes[attribute] == domain.code(label))
