"""The values that are left for each person when what a method could not have done is taken out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tcloseness.attacks.disclosure import Disclosure, Fact, StatusCounts
from tcloseness.displayed import counted
from tcloseness.exact import percent_of
from tcloseness.microdata.domain import value_text

__all__ = ["Candidates", "candidates_left"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidates(Disclosure):
    """What is left for each person; every consistent original is among it, so one value left is certain.

    Attributes
    ----------
    left
        By row, the values that are not excluded.
    contradiction
        Why no original is consistent with the release and the method; None if none was found. Then nothing is certain.
    """

    left: tuple[frozenset[Hashable], ...]
    contradiction: str | None = None

    def to_dict(self, *, facts: int = 3) -> dict[str, Any]:
        """Return the result as JSON-ready data, see `Disclosure.to_dict`."""
        return {**super().to_dict(facts=facts), "contradiction": self.contradiction}


def candidates_left(
    left: Sequence[frozenset[Hashable]],
    before: Sequence[frozenset[Hashable]],
    attribute: str,
    known: Mapping[str, str],
    citation: str,
    proof: Mapping[str, Any],
    contradiction: str | None = None,
) -> Candidates:
    """Return the answer of an attack that leaves values to persons, each of whom is a row.

    Parameters
    ----------
    left, before
        By row, the values that are left, and those of the class.
    attribute
        The sensitive attribute.
    known, citation, proof
        As in `Disclosure` and `Fact`.
    contradiction
        As in `Candidates`.
    """
    n = len(left)
    alone = sum(len(each) == 1 for each in before)
    if contradiction is not None:
        left = before
    certain = [row for row, each in enumerate(left) if len(each) == 1]
    facts = [
        Fact(
            "certain",
            f"row {row}",
            attribute,
            tuple(left[row]),
            1,
            proof,
            f"row {row} has {attribute} {value_text(next(iter(left[row])))}: no other value of its class is left.",
        )
        for row in certain
    ]
    share = percent_of(Fraction(len(certain), n))
    sentences = (
        (
            "This table was not made so, and whoever takes it to be finds a contradiction and learns nothing from the "
            "method.",
        )
        if contradiction is not None
        else (
            "Whoever knows the code and all quasi-identifiers can tell many ways to hand out the values of the groups "
            "from those in which the method works.",
            f"This settles the value of {len(certain):,} of {counted(n, 'person')} ({share}), where the groups alone "
            f"settle that of {alone:,}.",
            "A secret draw would leave every way possible.",
        )
    )
    return Candidates(
        "code",
        known,
        {
            "persons": StatusCounts(len(certain), 0, n - len(certain)),
            "persons, by their class alone": StatusCounts(alone, n - alone),
        },
        tuple(facts),
        sentences,
        citation,
        left=tuple(left),
        contradiction=contradiction,
    )
