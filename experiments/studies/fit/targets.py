"""The printed counts, each with the column that holds the same count under other hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from experiments.claims import load_ledger
from experiments.studies.fit.counts import GROUPINGS

__all__ = ["TARGETS", "Target"]


_ledger = cache(load_ledger)


@dataclass(frozen=True)
class Target:
    """Printed counts that are to come out under the same hierarchies.

    Attributes
    ----------
    title
        What is counted.
    kind
        In which space, ``five`` or ``seven``.
    columns
        The columns of the counts, each with the claim that prints it; the first is a number of minimal tables.
    groups
        The grouping of occupations that the columns are about, or nothing.
    """

    title: str
    kind: str
    columns: Mapping[str, str]
    groups: str = ""

    @cached_property
    def stated(self) -> dict[str, int]:
        """The printed counts, by column."""
        return {column: int(_ledger()[key].stated or 0) for column, key in self.columns.items()}

    def distance(self, counts: Mapping[str, int]) -> int:
        """Return how far counts are from the printed ones: the sum of the differences."""
        return sum(abs(counts[column] - number) for column, number in self.stated.items())


_OCCUPATION = {"minimal": "LD-16a", "vulnerable, occupation": "LD-16b"}
_ALL_RECORDS = {"minimal, all records": "LD-17a", "vulnerable, all records": "LD-17b"}


def _diverse(criterion: str, groups: str) -> dict[str, str]:
    one, other = ("TC-22a", "TC-22b") if criterion.startswith("entropy") else ("TC-24a", "TC-24b")
    return {f"minimal, {criterion}": one, f"vulnerable, {criterion}, {groups}": other}


TARGETS = (
    Target("6-anonymous, Occupation", "five", _OCCUPATION),
    Target("6-anonymous, Salary class", "five", {"minimal": "LD-17a", "vulnerable, class": "LD-17b"}),
    Target("6-anonymous, Salary class, all 48,842 records", "five", _ALL_RECORDS),
    Target("Occupation, and Salary class on all 48,842 records", "five", _OCCUPATION | _ALL_RECORDS),
    *(
        Target(title, "seven", {k: v for each in criteria for k, v in _diverse(each, groups).items()}, groups)
        for groups in GROUPINGS
        for title, criteria in (
            ("entropy 2-diverse", ("entropy 2",)),
            ("recursive (4,4)-diverse", ("recursive (4,4)",)),
            ("recursive (4,2)-diverse", ("recursive (4,2)",)),
            ("entropy 2, and recursive (4,4)", ("entropy 2", "recursive (4,4)")),
            ("entropy 2, and recursive (4,2)", ("entropy 2", "recursive (4,2)")),
        )
    ),
)
"""The printed counts of each experiment, and of those of a paper together; those of (4,4) are also held against (4,2),
which may have been meant."""
