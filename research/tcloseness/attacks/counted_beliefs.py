"""Beliefs that are counted, not enumerated: by groups of persons whom the attacker cannot distinguish."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.attacks.disclosure import Disclosure
from tcloseness.displayed import Displayed, counted
from tcloseness.exact import IntArray, decimal_text_of, number_text
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import ClassCondition, LeastRecords, ShareBounds, conditions_of, parts_of

__all__ = ["BeliefChange", "CountedBeliefs", "Enclosure", "asks_of_one_value"]


@dataclass(frozen=True)
class Enclosure(Displayed):
    """A number between two fractions; where they are equal, the number itself.

    Attributes
    ----------
    least, most
        Fractions, least ≤ most.
    """

    least: Fraction
    most: Fraction

    @classmethod
    def of(cls, number: Fraction) -> Enclosure:
        """Return what encloses one number alone."""
        return cls(number, number)

    @property
    def exact(self) -> bool:
        """Whether it is one number."""
        return self.least == self.most

    def _said(self) -> str:
        return number_text(self.least) if self.exact else f"about {decimal_text_of(self.least)}"

    def to_dict(self) -> dict[str, str]:
        """Return both ends as text."""
        return {"least": number_text(self.least), "most": number_text(self.most)}


@dataclass(frozen=True, eq=False)
class BeliefChange(Displayed):
    """How knowledge of the method changes what is believed of persons who are alike to the attacker.

    Attributes
    ----------
    persons
        The places of their records in the table.
    source
        What the belief comes from: a step that was ruled out, or a class that was not cut.
    values
        Sensitive values.
    before
        By value, the share of the class that has it.
    after
        By value, P(a given person of these has it | what was ruled out), in [0, 1].
    """

    persons: IntArray
    source: str
    values: tuple[Hashable, ...]
    before: tuple[Fraction, ...]
    after: tuple[Enclosure, ...]

    _withheld = ("sensitive_values",)

    def _said(self) -> str:
        return f"{self.source}, {counted(len(self.persons), 'person')}, change {decimal_text_of(self.change, 3)}"

    @property
    def change(self) -> Fraction:
        """By how much a belief changes at most; of an enclosed one, by how much at least."""
        both = zip(self.before, self.after, strict=True)
        return max((max(a.least - b, b - a.most, Fraction()) for b, a in both), default=Fraction())

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "source": self.source,
                "persons": len(self.persons),
                "sensitive_values": value_text(value),
                "before": number_text(before),
                "after, at least": number_text(after.least),
                "after, at most": number_text(after.most),
            }
            for value, before, after in zip(self.values, self.before, self.after, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the beliefs as JSON-ready data; exact numbers are text."""
        return {
            "records": self.persons.tolist(),
            "source": self.source,
            "sensitive_values": [value_text(value) for value in self.values],
            "before": [*map(number_text, self.before)],
            "after": [each.to_dict() for each in self.after],
            "change": number_text(self.change),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedBeliefs(Disclosure):
    """What is true in all originals that are consistent with what was ruled out, counted without going through them.

    Attributes
    ----------
    changes
        By group of persons and by what was ruled out.
    """

    changes: tuple[BeliefChange, ...]

    @property
    def greatest_change(self) -> Fraction:
        """By how much a belief changes at most, in [0, 1]; where beliefs are enclosed, by how much at least."""
        return max((each.change for each in self.changes), default=Fraction())

    @property
    def exact(self) -> bool:
        """Whether each belief is one number."""
        return all(after.exact for each in self.changes for after in each.after)

    def moved(self, by: Fraction) -> int:
        """Return of how many persons a belief changes by more than a number."""
        rows = [each.persons for each in self.changes if each.change > by]
        return len(np.unique(np.concatenate(rows))) if rows else 0

    def to_dict(self, *, facts: int = 3) -> dict[str, Any]:
        """Return the result as JSON-ready data, see `Disclosure.to_dict`."""
        return {
            **super().to_dict(facts=facts),
            "greatest_change": number_text(self.greatest_change),
            "exact": self.exact,
        }


def asks_of_one_value(model: PrivacyModel) -> tuple[int, Fraction, Any] | None:
    """Return k, p and s if a model asks for k records and at most the share p of one value s in each class, else None.

    Examples
    --------
    >>> from tcloseness.models import AlphaKAnonymity, DistinctLDiversity
    >>> asks_of_one_value(AlphaKAnonymity("1/2", 5, values=["hiv"])), asks_of_one_value(DistinctLDiversity(2))
    ((5, Fraction(1, 2), 'hiv'), None)
    """
    asked: list[ClassCondition] = []
    for part in parts_of(model):
        known = conditions_of(part)
        if known is None:
            return None
        asked += known
    shares = [each for each in asked if not isinstance(each, LeastRecords)]
    if len(shares) != 1 or not isinstance(shares[0], ShareBounds):
        return None
    share, values = shares[0].share, shares[0].values
    if share is None or values is None or len(values) != 1:
        return None
    least = max((each.records for each in asked if isinstance(each, LeastRecords)), default=1)
    return least, share, next(iter(values))
