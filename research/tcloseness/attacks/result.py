"""What an attack answers: which classes it affects, how many records it reveals, and why."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar, overload

import numpy as np
import numpy.typing as npt

from tcloseness.conventions import Conventions
from tcloseness.displayed import Compared, Displayed, Explained, counted
from tcloseness.exact import IntArray
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.domain import value_text

__all__ = ["AttackResult", "Finding", "Findings", "Revealing", "attack_result", "class_text", "listed"]


def listed(values: Iterable[object], word: str = "or") -> str:
    """Write values as people read it: ``a``, ``a or b``, ``a, b or c``."""
    texts = [value_text(v) for v in values]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {word} {texts[-1]}"


def class_text(classes: ClassCounts, index: int) -> str:
    """Write a class by its quasi-identifier values: ``Age=2*, ZIP Code=476**``."""
    names = ("class",) if classes.keys is None else classes.keys.names
    label = classes.label(index)
    if names == ("class",):  # classes that were given by name
        return value_text(label[0])
    pairs = zip(names, label, strict=True)
    return ", ".join(f"{name}={value_text(value)}" for name, value in pairs) or "the whole table"


@dataclass(frozen=True)
class Finding(Displayed):
    """What an attack infers about one class.

    Attributes
    ----------
    index
        The class.
    records
        How many of its records are revealed.
    values
        The sensitive values that are left for them; one value is a full disclosure.
    sentence
        The inference with its reason, as a sentence.
    """

    index: int
    records: int
    values: tuple[Hashable, ...]
    sentence: str

    _withheld = ("sentence",)

    def _said(self) -> str:
        return f"{counted(self.records, 'record')} of class {self.index}, {counted(len(self.values), 'value')} left"

    def to_dict(self, classes: ClassCounts | None = None) -> dict[str, Any]:
        """Return the finding as JSON-ready data, with the class described if `classes` is given."""
        record: dict[str, Any] = {
            "class_index": self.index,
            "records": self.records,
            "values": [value_text(v) for v in self.values],
            "sentence": self.sentence,
        }
        return record if classes is None else {**record, **{"class": classes.describe(self.index)["class"]}}


F = TypeVar("F")


class Findings(Compared, Sequence[F]):
    """Findings that are written when they are read: a table may have thousands, and a report shows three.

    Parameters
    ----------
    records
        How much each of them says; those that say most come first.
    finding
        Writes the finding at a place.
    """

    def __init__(self, records: IntArray, finding: Callable[[int], F]) -> None:
        self._records, self._finding = records, finding

    @cached_property
    def _order(self) -> IntArray:  # seldom needed, of millions of classes as long as they are
        return np.argsort(-self._records, kind="stable")

    def __len__(self) -> int:
        return len(self._records)

    def _write(self, place: int) -> F:
        return self._finding(int(self._order[place]))

    @overload
    def __getitem__(self, index: int) -> F: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[F, ...]: ...

    def __getitem__(self, index: int | slice) -> F | tuple[F, ...]:
        places = range(len(self))[index]
        return self._write(places) if isinstance(places, int) else tuple(map(self._write, places))

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'finding')}>"


class Revealing:
    """What attacks on persons have in common: some of them are left with few values."""

    revealed: Sequence[Any]
    fewer_than: int

    @property
    def succeeds(self) -> bool:
        """Whether anything is revealed."""
        return bool(self.revealed)

    @property
    def records(self) -> int:
        """How many people's records are revealed."""
        return len(self.revealed)

    @property
    def left(self) -> str:
        """With how few, for sentences."""
        return "one value" if self.fewer_than == 2 else f"fewer than {self.fewer_than} values"


@dataclass(frozen=True, eq=False)
class AttackResult(Explained):
    """What an attack on the classes of one release reveals.

    Attributes
    ----------
    attack, citation
        The attack's name, and where it is described.
    parameters
        What the attacker was taken to know, as text.
    affected
        The indices of the classes that the attack affects, ascending.
    records
        How many records it reveals, each counted once.
    released
        How many records the release has.
    findings
        What it infers, most records first; one a class, unless the attack says otherwise. Written when read.
    sentence
        The whole in one sentence, without a value of the table.
    conventions
        What was chosen on the way, by name.
    """

    attack: str
    citation: str
    parameters: Mapping[str, str]
    affected: npt.NDArray[np.intp]
    records: int
    released: int
    findings: Sequence[Finding]
    sentence: str
    conventions: Conventions = field(default_factory=Conventions)

    _withheld = Finding._withheld
    _columns: ClassVar = {"class_index": 0, "records": 0, "sentence": ""}

    def _frame_rows(self) -> Iterator[Mapping[str, Any]]:
        return (row for each in self.findings for row in each._frame_rows())

    def _said(self) -> str:
        return f"{self.attack}, {self.sentence}"

    @property
    def succeeds(self) -> bool:
        """Whether anything is revealed."""
        return bool(len(self.affected))

    def to_dict(self, classes: ClassCounts | None = None, *, findings: int = 3) -> dict[str, Any]:
        """Return the result as JSON-ready data.

        Parameters
        ----------
        classes
            The class counts, to describe the classes of the findings.
        findings
            How many findings, the first ones.
        """
        return {
            "attack": self.attack,
            "parameters": dict(self.parameters),
            "succeeds": self.succeeds,
            "affected_classes": len(self.affected),
            "records": self.records,
            "released_records": self.released,
            "sentence": self.sentence,
            "findings": [finding.to_dict(classes) for finding in self.findings[:findings]],
            "citation": self.citation,
            "conventions": dict(self.conventions),
        }


def attack_result(
    attack: str,
    classes: ClassCounts,
    affected: npt.NDArray[np.intp],
    records: IntArray,
    finding: Callable[[int], Finding],
    *,
    citation: str,
    parameters: Mapping[str, str],
    reveals: str,
    spared: str,
) -> AttackResult:
    """Put an answer together from one finding a class.

    Parameters
    ----------
    affected, records
        The indices of the affected classes, ascending, and how many records each reveals; shapes (affected,).
    finding
        Writes the finding of the affected class at a place: ``finding(i)`` is about class ``affected[i]``.
    reveals
        What the sentence says of the revealed records, as in ``have their value revealed``.
    spared
        What the sentence says if there are none.
    """
    total = int(records.sum())

    of = f"{counted(len(affected), 'class')} of {len(classes)}"
    some = f"{total} of {counted(classes.records, classes.unit)}, in {of}, {reveals}."
    return AttackResult(
        attack,
        citation,
        parameters,
        affected,
        total,
        classes.records,
        Findings(records, finding),
        some if len(affected) else f"{spared}.",
        classes.conventions,
    )
