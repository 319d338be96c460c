"""A law for methods: a release is a function of what it may depend on.

Which records share a class may depend on quasi-identifiers and on draws; on sensitive values only if the model asks for
something about them. So if a class's sensitive values are exchanged among its members, the distribution of the releases
stays what it was. On tables in which no two records have equal quasi-identifiers nothing of a draw of this package
depends on the sensitive values, and with one seed the release itself stays: that is what is tried.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pandas as pd

from tcloseness.displayed import Explained, counted
from tcloseness.errors import InfeasibleError, NotReached, ProtocolError
from tcloseness.exact import number_text, percent_of
from tcloseness.microdata import Microdata
from tcloseness.models.thresholds import whole
from tcloseness.release import Partition

__all__ = ["DependenceCard", "dependence_card"]

VALUES = "aabbc"
"""The sensitive values are drawn from these."""


@dataclass(frozen=True)
class DependenceCard(Explained):
    """How often a method makes the same release when sensitive values are exchanged within its classes.

    Attributes
    ----------
    method
        Its name.
    tables, worlds
        How many tables were released, and how many exchanges were released again.
    alike
        Of how many of these the release was the same.
    counterexample
        The first other one: quasi-identifiers, the sensitive values before and after, and the classes before and after
        (None if there is no release); None if none was found.
    """

    method: str
    tables: int
    worlds: int
    alike: int
    counterexample: dict[str, Any] | None

    @property
    def holds(self) -> bool:
        """Whether no exchange changed a release: then the law was not refuted, which does not prove it."""
        return self.alike == self.worlds

    @property
    def share(self) -> Fraction:
        """The share of the exchanges that are released alike, in [0, 1]."""
        return Fraction(self.alike, self.worlds)

    def _said(self) -> str:
        return self.sentence

    @property
    def sentence(self) -> str:
        """What was found."""
        tried = (
            f"{counted(self.worlds, 'exchange')} of sensitive values within classes of {counted(self.tables, 'table')}"
        )
        if self.holds:
            return f"{self.method}: none of {tried} changed the release."
        return (
            f"{self.method}: {percent_of(self.share)} of {tried} left the release as it was; the others show that it "
            "depends on who has which value."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the card as JSON-ready data."""
        return {
            "method": self.method,
            "law": "a release is a function of what it may depend on",
            "holds": self.holds,
            "tables": self.tables,
            "exchanges": self.worlds,
            "alike": self.alike,
            "share": number_text(self.share),
            "counterexample": self.counterexample,
            "sentence": self.sentence,
        }


def dependence_card(
    method: Callable[[Microdata], Any],
    *,
    name: str,
    tables: int = 5,
    records: int = 10,
    exchanges: int = 30,
    seed: int = 0,
) -> DependenceCard:
    """Try whether a method's releases depend on who has which sensitive value.

    For drawn tables T and drawn T′ in which each class of M(T) has the same sensitive values in T and in T′:
    M(T′) = M(T).

    Parameters
    ----------
    method
        M, of one argument: a table. It returns an answer with a partition, `grouped` or `partition`; give a method that
        draws a seed. A table that it does not release is left out.
    name
        Its name, for the card.
    tables, records, exchanges
        How many tables, of how many records, and how many exchanges each.
    seed
        Of the tables and exchanges.

    Raises
    ------
    ProtocolError
        If the method returns no partition, or releases none of the tables.

    Examples
    --------
    >>> def halves(table):  # by the quasi-identifier alone
    ...     order = table.quasi_identifiers[0].codes.argsort()
    ...     return Partition.of(table, [order[:5], order[5:]])
    >>> dependence_card(halves, name="halves").holds
    True
    """
    tables, records = whole(tables, "tables", least=1), whole(records, "records", least=2)
    exchanges = whole(exchanges, "exchanges", least=1)
    draw = random.Random(f"dependence {seed}")
    seen = alike = tried = 0
    counterexample = None
    for _ in range(20 * tables):
        if seen == tables:
            break
        people = {"x": draw.sample(range(4 * records), records), "y": draw.choices(range(8), k=records)}
        secrets = draw.choices(VALUES, k=records)
        classes = _classes(method, people, secrets)
        if classes is None or len(set(classes)) < 2:
            continue
        seen += 1
        for _ in range(exchanges):
            other = _exchanged(secrets, classes, draw)
            made = _classes(method, people, other)
            tried, alike = tried + 1, alike + (made == classes)
            if made != classes and counterexample is None:
                counterexample = {
                    "quasi-identifiers": people,
                    "values": secrets,
                    "classes": list(classes),
                    "exchanged": other,
                    "classes then": None if made is None else list(made),
                }
    if not seen:
        raise ProtocolError(
            f"{name} released none of {20 * tables} tables of {records} records in two classes or more; give more "
            "records=, or a weaker model"
        )
    return DependenceCard(name, seen, tried, alike, counterexample)


def _exchanged(secrets: Sequence[str], classes: Sequence[int], draw: random.Random) -> list[str]:
    """Return the values, those of each class handed to its members anew."""
    found = list(secrets)
    for group in sorted(set(classes)):
        members = [i for i, mine in enumerate(classes) if mine == group]
        for i, value in zip(members, draw.sample([secrets[i] for i in members], len(members)), strict=True):
            found[i] = value
    return found


def _classes(
    method: Callable[[Microdata], Any], people: dict[str, list[int]], secrets: Sequence[str]
) -> tuple[int, ...] | None:
    """Return by record the first one of its class; None if there is no release."""
    frame = pd.DataFrame({**people, "s": list(secrets)})
    table = Microdata.from_frame(frame, quasi_identifiers=["x", "y"], sensitive="s", domains={"s": sorted(set(VALUES))})
    try:
        answer = method(table)
    except (NotReached, InfeasibleError):
        return None
    found = answer if isinstance(answer, Partition) else getattr(answer, "grouped", getattr(answer, "partition", None))
    if not isinstance(found, Partition):
        raise ProtocolError(f"the method answers {answer!r:.80}, which has no partition; return an answer that has one")
    numbers = found.class_of.tolist()
    return tuple(numbers.index(number) for number in numbers)
