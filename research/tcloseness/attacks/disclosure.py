"""What is true in every original that is consistent with a release: one shape of result for all levels of knowledge.

    C(R, M, K) = {T : M(T) = R, T in K}

R is the release, M the method that made it as far as the attacker knows it, and K the originals that agree with what
else she knows. A fact is

* *certain* if it is true in every T of C. Its certificate shows this for a set that includes C, which suffices;
* *possible* if it is true in some T of C, and another T of C contradicts it. Each such T is a witness: the method maps
  it to the release;
* *open* if neither is shown.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, Explained, Pictured, counted
from tcloseness.microdata.domain import value_text

__all__ = ["Disclosure", "Fact", "FactStatus", "Level", "StatusCounts"]

FactStatus: TypeAlias = Literal["certain", "possible", "open"]
"""What is shown of a fact, see the module."""

Level: TypeAlias = Literal["labels", "tight", "minimal", "optimal", "code", "several releases"]
"""What the attacker knows of how the release was made.

``labels``: which values each label stands for. ``tight``: also that labels depend on the values of their class alone.
``minimal``, ``optimal``: also that every finer release, or every one of less loss, was ruled out. ``code``: the method
with all its parameters, so that she can run it. ``several releases``: the labels of two or more releases of one table.
"""


@dataclass(frozen=True)
class StatusCounts(Displayed):
    """How many persons or cells are settled, shown to be undetermined, and neither.

    Attributes
    ----------
    certain
        Those whose value is the same in all consistent originals, as is shown.
    possible
        Those whose value differs between two consistent originals, as is shown.
    open
        The others.
    """

    certain: int
    possible: int
    open: int = 0

    @property
    def total(self) -> int:
        """How many there are."""
        return self.certain + self.possible + self.open

    def _said(self) -> str:
        return f"{self.certain:,} certain, {self.possible:,} possible, {self.open:,} open of {self.total:,}"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON-ready data."""
        return {"certain": self.certain, "possible": self.possible, "open": self.open, "total": self.total}


@dataclass(frozen=True, eq=False)
class Fact(Displayed):
    """One statement about the original, with what shows it.

    Attributes
    ----------
    status
        What is shown.
    subject
        Whom or what it is about: a person, or a class, as text.
    attribute
        The attribute.
    values
        If certain: values that the subject has, for a class one for each of as many of its records. Otherwise those
        that a person has in some consistent original.
    records
        How many records the subject has.
    proof
        If certain, the certificate; if possible, the witnesses; JSON-ready, exact (fractions are text).
    sentence
        The statement with its reason.
    """

    status: FactStatus
    subject: str
    attribute: str
    values: tuple[Hashable, ...]
    records: int
    proof: Mapping[str, Any]
    sentence: str

    _withheld = ("subject", "values", "sentence")

    def _said(self) -> str:
        return f"{self.status}, {counted(len(self.values), 'value')} of {counted(self.records, 'record')}"

    def _frame_rows(self) -> list[dict[str, Any]]:
        record = self.to_dict()
        return [{**record, "values": ", ".join(record["values"]), "proof": str(record["proof"].get("rule", ""))}]

    def to_dict(self) -> dict[str, Any]:
        """Return the fact as JSON-ready data."""
        return {
            "status": self.status,
            "subject": self.subject,
            "attribute": self.attribute,
            "values": [value_text(v) for v in self.values],
            "records": self.records,
            "proof": dict(self.proof),
            "sentence": self.sentence,
        }


@dataclass(frozen=True, eq=False)
class Disclosure(Explained, Pictured):
    """What a release discloses to somebody of a stated knowledge.

    Attributes
    ----------
    level
        What she knows of how the release was made.
    known
        What else she is taken to know, by name, as text.
    counts
        By what is counted (``"persons"``, ``"cells"``, …) how many of it have each status.
    facts
        Those that are shown, the strongest first; they are written when they are read.
    sentences
        The whole in a few plain sentences for the one who publishes, without a value of the table.
    citation
        Where it is described.
    conventions
        What was chosen on the way, by name.
    """

    level: Level
    known: Mapping[str, str]
    counts: Mapping[str, StatusCounts]
    facts: Sequence[Fact]
    sentences: tuple[str, ...]
    citation: str
    conventions: Conventions = field(default_factory=Conventions)

    _withheld = ("subject", "values", "proof")

    def _said(self) -> str:
        numbers = (f"{each.certain:,} of {each.total:,} {what}" for what, each in self.counts.items())
        return f"level {self.level}, certain of {' and of '.join(numbers)}"

    _columns: ClassVar = {"status": "", "subject": "", "attribute": "", "values": "", "records": 0, "proof": ""}

    def _frame_rows(self) -> Iterator[Mapping[str, Any]]:
        rows = (row for fact in self.facts for row in fact._frame_rows())  # a sentence repeats the other columns
        return ({name: cell for name, cell in row.items() if name != "sentence"} for row in rows)

    @property
    def sentence(self) -> str:
        """The sentences as one text."""
        return " ".join(self.sentences)

    @property
    def succeeds(self) -> bool:
        """Whether anything is certain."""
        return any(each.certain for each in self.counts.values())

    @property
    def status(self) -> Literal["certain", "open", "nothing certain"]:
        """Whether a fact is certain; if none is, whether something is open."""
        if any(fact.status == "certain" for fact in self.facts[:1]):
            return "certain"
        return "open" if any(each.open for each in self.counts.values()) else "nothing certain"

    def certificate(self) -> dict[str, Any]:
        """Return all facts with their certificates and witnesses, as JSON-ready data."""
        return {"format": "tcloseness-disclosure-1", **self.to_dict(facts=len(self.facts))}

    def to_dict(self, *, facts: int = 3) -> dict[str, Any]:
        """Return the result as JSON-ready data.

        Parameters
        ----------
        facts
            How many facts, the first ones.
        """
        return {
            "level": self.level,
            "known": dict(self.known),
            "counts": {what: each.to_dict() for what, each in self.counts.items()},
            "succeeds": self.succeeds,
            "facts": [fact.to_dict() for fact in self.facts[:facts]],
            "number_of_facts": len(self.facts),
            "sentences": list(self.sentences),
            "citation": self.citation,
            "conventions": dict(self.conventions),
        }
