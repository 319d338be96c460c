"""What a claim is worth: the one list of verdicts. Results, tables, page and texts take their words from here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Kind", "Verdict"]


class Kind(Enum):
    """What became of a claim.

    Attributes
    ----------
    key
        Its name in a style sheet.
    sign
        Its sign on a page.
    one, many
        How one and several claims of the kind are spoken of.
    meaning
        What it says, in a sentence or two.
    """

    PROVED = (
        "proved",
        "∎",
        "proved",
        "proved",
        "A theorem with a proof that a machine has checked, which is named; or, where it says so, one that is proved "
        "in the literature.",
    )
    HOLDS = (
        "holds",
        "✓",
        "holds",
        "hold",
        "What is printed is what we compute under the paper's own definitions: equal, or correctly rounded at the "
        "printed digits.",
    )
    READ = (
        "read",
        "◐",
        "holds under a reading",
        "hold under a reading",
        "The same, once something is read into the claim that the paper leaves open; the reading is named.",
    )
    FITTED = (
        "fitted",
        "≈",
        "can be fitted",
        "can be fitted",
        "The number comes out under hierarchies that were searched or chosen for it. This confirms nothing; beside it "
        "is how rare it is among hierarchies drawn at random.",
    )
    MISPRINT = (
        "misprint",
        "¶",
        "misprint",
        "misprints",
        "A slip in the text, on which no conclusion of the paper rests; what it should read is named.",
    )
    FAILS = (
        "fails",
        "✗",
        "does not hold",
        "do not hold",
        "We compute something else. Where an assumption is known under which the statement would hold, it is named.",
    )
    CONTESTED = (
        "contested",
        "⇄",
        "contested",
        "contested",
        "A result that the paper cites and that later work does not confirm; the source is named.",
    )
    UNCHECKABLE = (
        "uncheckable",
        "–",
        "not checkable",
        "not checkable",
        "It rests on data or hierarchies that are not public.",
    )
    WAITS = (
        "waits",
        "…",
        "has no result here",
        "have no result here",
        "The study that checks it has not been run, or not since the claim was worded as it is now.",
    )

    def __init__(self, key: str, sign: str, one: str, many: str, meaning: str) -> None:
        self.key, self.sign, self.one, self.many, self.meaning = key, sign, one, many, meaning

    def __str__(self) -> str:
        return self.one

    @property
    def agrees(self) -> bool:
        """Whether the claim is confirmed."""
        return self in (Kind.PROVED, Kind.HOLDS, Kind.READ)

    @classmethod
    def of(cls, words: str) -> Kind:
        """Return the kind that is spoken of so; KeyError for words that speak of none."""
        return {kind.one: kind for kind in cls}[words]


@dataclass(frozen=True)
class Verdict:
    """What a claim is worth; ``str`` gives it in words.

    Attributes
    ----------
    kind
        Which of `Kind`.
    why
        The theorem, the reading, how rare a fit is, what a misprint should read, the assumptions under which the claim
        would hold, the source, or the reason, by the kind; None where there is nothing to say.
    """

    kind: Kind
    why: str | None = None

    def __str__(self) -> str:
        if not self.why:
            return self.kind.one
        return f"{self.kind.one}{'; it would if' if self.kind is Kind.FAILS else ':'} {self.why}"
