"""The papers' example tables: their classes in printed order, and the people who are looked for in them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from tcloseness.errors import StudyError
from tcloseness.exact import Exponential, LogSum
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy, read_table
from tcloseness.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveCLDiversity

__all__ = [
    "DATA",
    "TABLES",
    "Example",
    "covers",
    "disease_hierarchy",
    "distinct_l",
    "entropy_l",
    "entropy_of",
    "exactly_one_label",
    "example",
    "k_of",
    "masked",
    "one_class",
    "probabilities",
    "recursive_bound",
]

DATA = Path(__file__).resolve().parents[3] / "data" / "papers"

_LI = ("ZIP Code", "Age")
_FIGURES = ("Zip Code", "Age", "Nationality")
_SLIDES = ("Zipcode", "Age")

TABLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "li_table1": (_LI, ("Disease",)),
    "li_table2": (_LI, ("Disease",)),
    "li_table3": (_LI, ("Salary", "Disease")),
    "li_table4": (_LI, ("Salary", "Disease")),
    "li_table5": (_LI, ("Salary", "Disease")),
    "machanavajjhala_figure1": (_FIGURES, ("Condition",)),
    "machanavajjhala_figure2": (_FIGURES, ("Condition",)),
    "machanavajjhala_figure3": (_FIGURES, ("Condition",)),
    "machanavajjhala_section4_3": (("Q",), ("S", "V")),
    "dosselmann_section2": (("Class",), ("Value",)),
    "dosselmann_table2": (("Zone",), ("Incident",)),
    "dosselmann_table3": (("Zip Code", "Age"), ("Salary", "Disease")),
    "dosselmann_table4": (("Project Name",), ("Merit Points",)),
    "kantarcioglu_3_anonymous": (_SLIDES, ("Disease",)),
    "kantarcioglu_3_diverse": (_SLIDES, ("Salary", "Disease")),
    "kantarcioglu_table5": (_LI, ("Salary", "Disease")),
}
"""By file name: the quasi-identifiers and the sensitive attributes, as in ``data/papers/README.md``."""


@dataclass(frozen=True, eq=False)
class Example:
    """One table of a paper.

    Attributes
    ----------
    name
        Its file name without suffix.
    frame
        The records as they are printed, all cells text.
    quasi_identifiers, sensitive
        The columns' roles.
    """

    name: str
    frame: pd.DataFrame
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]

    @cached_property
    def labels(self) -> list[tuple[str, ...]]:
        """The classes' quasi-identifier values, in the order in which the classes are printed."""
        return list(dict.fromkeys(self.frame[list(self.quasi_identifiers)].itertuples(index=False, name=None)))

    def counts(
        self,
        attribute: str | None = None,
        *,
        order: Sequence[object] | None = None,
        domain: Sequence[object] | None = None,
        quasi_identifiers: Sequence[str] | None = None,
    ) -> ClassCounts:
        """Return the class counts of a sensitive attribute (of the only one, if none is named)."""
        name = attribute or self.sensitive[0]
        return FrequencySet.from_frame(
            self.frame,
            quasi_identifiers=quasi_identifiers or self.quasi_identifiers,
            sensitive=name,
            orders={name: order} if order else None,
            domains={name: domain} if domain else None,
        ).class_counts()

    def index(self, counts: ClassCounts, number: int) -> int:
        """Return where the class that is printed as the number-th (from 1) stands in the counts."""
        return next(i for i in range(len(counts)) if counts.label(i) == self.labels[number - 1])

    def class_of(self, person: Mapping[str, object]) -> int:
        """Return which printed class (from 1) a person falls into, by the only labels that cover her values.

        Raises
        ------
        StudyError
            If there is none, or more than one.
        """
        found = [
            number
            for number, label in enumerate(self.labels, 1)
            if all(covers(cell, person[name]) for name, cell in zip(self.quasi_identifiers, label, strict=True))
        ]
        if len(found) != 1:
            raise StudyError(f"{person!r} falls into {len(found)} classes of {self.name}; a person falls into one")
        return found[0]

    def values(self, number: int, attribute: str | None = None) -> list[str]:
        """Return the sensitive values of the number-th printed class (from 1), in printed order."""
        mine = pd.Series(True, index=self.frame.index)
        for name, cell in zip(self.quasi_identifiers, self.labels[number - 1], strict=True):
            mine &= self.frame[name] == cell
        return list(self.frame.loc[mine, attribute or self.sensitive[0]])

    def generalizes(self, original: Example) -> bool:
        """Say whether the records are those of `original`, each with labels that cover its values, in order."""
        names = list(self.quasi_identifiers)
        pairs = zip(
            self.frame[names].itertuples(index=False, name=None),
            original.frame[names].itertuples(index=False, name=None),
            strict=True,
        )
        covered = all(covers(label, value) for row in pairs for label, value in zip(*row, strict=True))
        return covered and all((self.frame[s] == original.frame[s]).all() for s in self.sensitive)


@cache
def example(name: str) -> Example:
    """Read one of `TABLES`."""
    quasi_identifiers, sensitive = TABLES[name]
    return Example(name, read_table(DATA / f"{name}.csv"), quasi_identifiers, sensitive)


@cache
def disease_hierarchy() -> Hierarchy:
    """Read the hierarchy of Disease (Li et al. 2007, Figure 1)."""
    return Hierarchy.from_csv(DATA / "disease_hierarchy.csv", name="Disease")


# ---------------------------------------------------------------------- labels


def covers(label: str, value: object) -> bool:
    """Say whether a printed label (``476**``, ``2*``, ``>=40``, ``<30``, ``*``) covers a value.

    Examples
    --------
    >>> covers("476**", "47678"), covers("3*", 27), covers(">=40", 40), covers("*", "Russian")
    (True, False, True, True)
    """
    if label == "*":
        return True
    bound = re.fullmatch(r"(<=|>=|<|>)(\d+)", label)
    if bound:
        number, limit = int(str(value)), int(bound[2])
        above = number > limit if ">" in bound[1] else number < limit
        return above or ("=" in bound[1] and number == limit)
    text = str(value)
    return len(text) == len(label) and all(cell in ("*", digit) for cell, digit in zip(label, text, strict=True))


def masked(label: str) -> int | str:
    """Return on which level a label stands: how many characters are masked, or ``bound`` for ``>=40`` and its like."""
    return "bound" if label[0] in "<>" else label.count("*")


def exactly_one_label(labels: Iterable[str], values: Iterable[object]) -> bool:
    """Say whether every value is covered by exactly one of the labels: whether they partition the values."""
    distinct = set(labels)
    return all(sum(covers(label, value) for label in distinct) == 1 for value in values)


# ---------------------------------------------------------------------- numbers


def probabilities(counts: Iterable[int]) -> list[Fraction]:
    """Return counts as a distribution."""
    found = [int(c) for c in counts]
    total = sum(found)
    return [Fraction(c, total) for c in found]


def k_of(counts: ClassCounts) -> Fraction:
    """Return the k of a table."""
    return _fraction(KAnonymity().evaluate(counts).value)


def distinct_l(counts: ClassCounts) -> Fraction:
    """Return the distinct ℓ of a table."""
    return _fraction(DistinctLDiversity().evaluate(counts).value)


def entropy_l(counts: ClassCounts) -> Fraction | float:
    """Return the greatest ℓ for which a table is entropy ℓ-diverse: exactly if it is rational, else as a double."""
    effective = _effective(counts)
    return float(effective) if effective.rational is None else effective.rational


def entropy_of(counts: ClassCounts) -> LogSum:
    """Return the least entropy of a class in nats, exact."""
    return _effective(counts).argument


def _effective(counts: ClassCounts) -> Exponential:
    value = EntropyLDiversity().evaluate(counts).value
    if not isinstance(value, Exponential):
        raise StudyError(f"an effective l came out as {value!r}; it must be exp of a sum of logarithms")
    return value


def recursive_bound(counts: ClassCounts, least: int) -> Fraction | float:
    """Return what c must exceed for recursive (c,ℓ)-diversity, ℓ = `least`; infinite if no c will do."""
    value = RecursiveCLDiversity(least).evaluate(counts).value
    return value if isinstance(value, Fraction) else math.inf


def _fraction(value: object) -> Fraction:
    if not isinstance(value, Fraction):
        raise StudyError(f"a count came out as {value!r}; it must be a whole number")
    return value


def one_class(counts: Mapping[Any, int]) -> ClassCounts:
    """Return the counts of a single class."""
    return ClassCounts.from_mapping({"class": counts})
