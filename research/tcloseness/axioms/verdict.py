"""`Check`: one named question to a distance, and what it answers: one class a verdict, with its counterexample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from tcloseness.displayed import Displayed, Explained, counted

if TYPE_CHECKING:
    from tcloseness.axioms.checker import Checker
    from tcloseness.axioms.laws import Law

__all__ = [
    "GROUPS",
    "Check",
    "CheckVerdict",
    "Counterexample",
    "ExpectedFailure",
    "Fails",
    "Group",
    "Holds",
    "NotApplicable",
    "Undecided",
    "UnexpectedPass",
]


@dataclass(frozen=True, eq=False)
class Counterexample(Explained):
    """Inputs for which a law does not hold.

    Attributes
    ----------
    inputs
        By name, each distribution as texts of its masses (``"1/3"``).
    ground
        The ground distance as text.
    values
        By expression, what the measure returned.
    finding
        What is wrong, in one line: ``D(P, Q) = 1 and D(Q, P) = 1/2``.
    code
        The lines of a test that fails as long as the law does; see `as_test`.
    """

    inputs: Mapping[str, tuple[str, ...]]
    ground: str
    values: Mapping[str, str]
    finding: str
    code: tuple[str, ...] = field(default=(), repr=False)

    def _frame_rows(self) -> list[dict[str, Any]]:
        given = {name: f"({', '.join(masses)})" for name, masses in self.inputs.items()}
        return [{**given, "ground": self.ground, "finding": self.finding}]

    def _said(self) -> str:
        return f"over {counted(self.m, 'value')}, {self.finding}"

    @property
    def m(self) -> int:
        """The number of values of the longest distribution."""
        return max((len(masses) for masses in self.inputs.values()), default=0)

    def as_test(self, name: str = "law") -> str:
        """Return a test to paste: ``measure`` is the measure that was checked, as the caller imports it."""
        lines = ["from fractions import Fraction as F", "", "", f"def test_{name.replace('-', '_')}():"]
        return "\n".join([*lines, *(f"    {line}" for line in self.code), ""])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as text."""
        return {
            "inputs": {name: list(masses) for name, masses in self.inputs.items()},
            "m": self.m,
            "ground": self.ground,
            "values": dict(self.values),
            "finding": self.finding,
        }


@dataclass(frozen=True)
class Holds:
    """No example breaks the law; with `proved`, no distributions over up to that many values can.

    Attributes
    ----------
    examples
        How many examples were tried.
    proved
        The greatest m for which it is proved (by SMT, in real arithmetic, for every m from 2 up), or None.
    remark
        What was found besides, or why no proof was had.
    """

    examples: int
    proved: int | None = None
    remark: str = ""
    status = "holds"

    def __str__(self) -> str:
        if self.proved is not None:
            return f"holds (proved, m ≤ {self.proved})"
        return f"holds ({self.examples} example{'' if self.examples == 1 else 's'})"


@dataclass(frozen=True)
class Fails:
    """The law is broken by a counterexample."""

    counterexample: Counterexample
    remark: str = ""
    status = "fails"

    def __str__(self) -> str:
        return "fails"


@dataclass(frozen=True)
class ExpectedFailure:
    """The law is broken, and the caller said beforehand that it would be, and why."""

    reason: str
    counterexample: Counterexample
    remark: str = ""
    status = "expected failure"

    def __str__(self) -> str:
        return f"expected failure ({self.reason})"


@dataclass(frozen=True)
class UnexpectedPass:
    """A failure was expected, and none was found: the expectation is out of date."""

    reason: str
    found: Holds
    status = "unexpected pass"

    @property
    def remark(self) -> str:
        """What was expected."""
        return f"a failure was expected ({self.reason}); take it back"

    def __str__(self) -> str:
        return f"unexpected pass: {self.found}"


@dataclass(frozen=True)
class Undecided:
    """Neither a counterexample nor enough examples."""

    remark: str
    status = "undecided"

    def __str__(self) -> str:
        return "undecided"


@dataclass(frozen=True)
class NotApplicable:
    """The question does not arise for this measure or ground distance."""

    remark: str
    status = "not applicable"

    def __str__(self) -> str:
        return "not applicable"


CheckVerdict = Holds | Fails | ExpectedFailure | UnexpectedPass | Undecided | NotApplicable


# ---------------------------------------------------------------------- checks

Group = Literal["values", "metric", "algorithms", "desiderata", "numbers"]

GROUPS: dict[Group, str] = {
    "values": "values",
    "metric": "metric",
    "algorithms": "what the anonymization algorithms need",
    "desiderata": "desiderata of the literature",
    "numbers": "numerical",
}
"""The groups of checks in their order, with their headings."""


@dataclass(frozen=True)
class Check(Displayed):
    """A question to a distance.

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
    question
        The law as it is tested and proved; or a function that answers otherwise.
    group
        Under which heading it is listed.
    """

    name: str
    statement: str
    reference: str
    consequence: str
    question: Law | Callable[[Checker], CheckVerdict]
    group: Group

    def to_dict(self) -> dict[str, str]:
        """Return what is asked, as texts."""
        return {
            "check": self.name,
            "group": self.group,
            "statement": self.statement,
            "reference": self.reference,
            "consequence": self.consequence,
        }

    def _said(self) -> str:
        return f"{self.name}, {self.statement}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        known = self is _check_named(self.name)  # one of the package's own is found by its name
        return (_check_named, (self.name,)) if known else super().__reduce_ex__(protocol)


def _check_named(name: str) -> Check | None:
    """Return the check of this package that has a name."""
    from tcloseness.axioms.checks import CHECKS

    return next((check for check in CHECKS if check.name == name), None)
