"""How a command can end: one table, which the code, the help, the page of the commands and the tests share.

Code 1 is said only after a verdict: whatever breaks, is interrupted or cannot be written has a code of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = [
    "CLOSED_PIPE",
    "DONE",
    "FAULT",
    "INTERRUPTED",
    "LIMIT",
    "MEANINGS",
    "ROWS",
    "TERMINATED",
    "USAGE",
    "VIOLATED",
    "Row",
    "markdown",
    "row_for",
]

DONE, VIOLATED, USAGE, LIMIT, FAULT = 0, 1, 2, 3, 70
INTERRUPTED, CLOSED_PIPE, TERMINATED = 130, 141, 143
"""The shell's own: 128 plus the number of the signal (SIGINT, SIGPIPE, SIGTERM)."""

MEANINGS = {
    DONE: "holds, or done",
    VIOLATED: "does not hold; said only after a verdict",
    USAGE: "wrong usage or input, or output that cannot be written",
    LIMIT: "no verdict: a limit of time, memory or precision was reached",
    FAULT: "no verdict: a fault of tcloseness; what to report is printed",
    INTERRUPTED: "interrupted (Ctrl-C), also when a partial answer is printed",
    CLOSED_PIPE: "whoever read the output has closed it",
    TERMINATED: "ended from outside (SIGTERM)",
}
"""What each code means for any command."""


@dataclass(frozen=True)
class Row:
    """How one command can end."""

    # by code, what it means for this command; the other codes mean what they mean for all. Without an entry for 1 the
    # command gives no verdict, and never ends with it
    own: Mapping[int, str]
    statuses: Mapping[str, int] = field(default_factory=dict)  # by the status of an answer, the code

    @property
    def meanings(self) -> dict[int, str]:
        """What each code means that the command can end with."""
        return {
            code: self.own.get(code, meaning)
            for code, meaning in MEANINGS.items()
            if code != VIOLATED or VIOLATED in self.own
        }


ROWS = {
    "check": Row(
        {
            DONE: "every given threshold is satisfied, or none was given",
            VIOLATED: "a threshold is violated",
            LIMIT: "a threshold is undecided, or a limit of time or memory was reached",
        },
        {"satisfied": DONE, "measured": DONE, "violated": VIOLATED, "undecided": LIMIT},
    ),
    "columns": Row(
        {
            DONE: "every set of columns was counted; the command decides nothing",
            LIMIT: "a limit of time or memory was reached",
        }
    ),
    "attack": Row(
        {
            DONE: "what is certain, possible and open was said; the command decides nothing",
            LIMIT: "a limit of originals, time or memory was reached",
        }
    ),
    "compare": Row(
        {
            DONE: "every release satisfies every given threshold, or none was given",
            VIOLATED: "a release violates a threshold; the table itself may",
            LIMIT: "a threshold is undecided, or a limit of memory was reached",
        },
        {"satisfied": DONE, "measured": DONE, "violated": VIOLATED, "undecided": LIMIT},
    ),
    "search": Row(
        {
            DONE: "a node satisfies all thresholds",
            VIOLATED: "no node does",
            LIMIT: "undecided, or a limit was reached; what was found is printed as partial",
        },
        {"satisfied": DONE, "violated": VIOLATED, "undecided": LIMIT, "partial": LIMIT},
    ),
    "anonymize": Row(
        {
            DONE: "the table that was made satisfies all thresholds",
            VIOLATED: "no table can satisfy them, as was shown",
            LIMIT: "the method did not reach them, or a limit was reached; nothing is written",
        },
        {"satisfied": DONE},
    ),
    "optimal": Row(
        {
            DONE: "a solution that meets its bound; what the bound rests on is printed",
            VIOLATED: "there is no solution",
            LIMIT: "the bound was not met, or a limit was reached; a solution that was found is printed with its bound",
        },
        {"optimal": DONE, "infeasible": VIOLATED, "feasible": LIMIT},
    ),
    "emd": Row({DONE: "the distance, with its proof"}),
    "validate": Row(
        {
            DONE: "every check holds, or fails as expected",
            VIOLATED: "a check fails",
            LIMIT: "a check is undecided, or a limit was reached",
        },
        {"holds": DONE, "fails": VIOLATED, "undecided": LIMIT},
    ),
    "verify": Row(
        {
            DONE: "every certificate proves what it says",
            VIOLATED: "one was read whole, and is refuted",
            USAGE: "one cannot be read, breaks its schema or its seal, or is not of what it should be; or wrong usage",
        },
        {"proved": DONE, "refuted": VIOLATED, "unreadable": USAGE},
    ),
    "conform": Row(
        {
            DONE: "everything is right, or under another convention that is named; or done",
            VIOLATED: "something is wrong",
            USAGE: "wrong usage or input, a harness that does not start, or output that cannot be written",
            LIMIT: "nothing was asked, or a limit was reached",
        },
        {"right": DONE, "wrong": VIOLATED, "broken": USAGE, "nothing asked": LIMIT},
    ),
    "experiments": Row({DONE: "every study that was asked for is done; what its claims are worth is in the report"}),
    "experiments compare": Row({DONE: "two runs gave the same files", VIOLATED: "a file differs"}),
}
"""By command, how it can end."""


def row_for(program: str | None, word: str | None) -> Row | None:
    """Return how a command of a program of its own name can end, or one of tcloseness: the row that says most."""
    return next((ROWS[name] for name in (f"{program} {word}", program, word) if name in ROWS), None)


def markdown() -> str:
    """Return the whole table as Markdown."""
    columns = (DONE, VIOLATED, USAGE, LIMIT)
    others = [code for code in MEANINGS if code not in columns]
    lines = ["| command | " + " | ".join(map(str, columns)) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += [
        f"| `{name}` | " + " | ".join(row.meanings.get(code, "–") for code in columns) + " |"
        for name, row in ROWS.items()
    ]
    lines += ["", "and for every command", "", *(f"- {code}: {MEANINGS[code]}" for code in others)]
    return "\n".join(lines) + "\n"
