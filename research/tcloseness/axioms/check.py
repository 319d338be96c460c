"""`Check`: one named law, with what it says, where it is from, and what breaks without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tcloseness.axioms.examination import Examination
from tcloseness.axioms.verdict import Verdict

__all__ = ["GROUPS", "Check", "Group"]

Group = Literal["values", "metric", "algorithms", "wishes", "numbers"]

GROUPS: dict[Group, str] = {
    "values": "values",
    "metric": "metric",
    "algorithms": "what the anonymization algorithms need",
    "wishes": "what the papers wish for",
    "numbers": "numerical",
}
"""The groups of checks in their order, with their headings."""


@dataclass(frozen=True)
class Check:
    """A question to a measure.

    Attributes
    ----------
    name
        As it is written on the card, for expected failures and in tests.
    statement
        The law.
    reference
        Its place in the literature.
    consequence
        What breaks if it fails.
    group
        Under which heading it stands.
    run
        How it is answered.
    """

    name: str
    statement: str
    reference: str
    consequence: str
    group: Group
    run: Callable[[Examination], Verdict]
