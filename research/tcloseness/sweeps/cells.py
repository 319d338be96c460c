"""`Cell` and `Sweep`: what came of each point of a grid, and of all of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from typing import Any, TypeAlias

from tcloseness import __version__
from tcloseness.displayed import Displayed
from tcloseness.exact import number_text

__all__ = ["FORMAT", "OUTCOMES", "PASSING", "Cell", "Sweep", "Task", "cell_of", "record_of"]

FORMAT = "tcloseness-cell-1"

Task: TypeAlias = tuple[str, str, dict[str, Any], tuple[Any, ...]]
"""Which table, which verb, with which arguments, and the further losses."""

_ARGUMENTS = re.compile("""[('"]""")

OUTCOMES = {
    "satisfied": "the thresholds hold",
    "violated": "they do not hold",
    "undecided": "the model could not decide",
    "measured": "no threshold was given",
    "optimal": "no release costs less, and that is proved",
    "feasible": "a release that satisfies the model, with a bound",
    "infeasible": "no release satisfies the model",
    "not reached": "the method found no release that satisfies the model",
    "refused": "the question is wrong: the message says why",
    "time limit": "it ended at its time limit",
    "memory limit": "it ended at its memory limit",
    "fault": "the program failed, which says nothing about the table",
}
"""What came of a cell, in a word, and what it means."""

PASSING = ("fault", "memory limit")
"""The outcomes that another run may not have: they are not kept."""


def _head(value: str | float) -> str | float:
    """Return a parameter as far as it holds no value of a table: of a model no arguments, of a list no texts."""
    head = _ARGUMENTS.split(value, maxsplit=1)[0] if isinstance(value, str) else value
    return head if head == value else f"{head}…"


@dataclass(frozen=True, eq=False)
class Cell(Displayed):
    """One answer of a sweep.

    Attributes
    ----------
    table
        The name of the table.
    verb
        What was asked: ``check``, ``search``, ``anonymize`` or ``optimal``.
    parameters
        With which arguments; what is not a finite number is text.
    outcome
        What came of it, a word of `OUTCOMES`.
    message
        Why, where there is no answer.
    quantities
        By name the exact value, as text, of everything that was measured on the release (or, for ``check``, the table).
    decimals
        The same as decimals.
    seconds
        How long it took.
    key
        By which it is found again: a digest of the table, the parameters and the version.
    reused
        Whether it was answered by an earlier run.
    """

    table: str
    verb: str
    parameters: Mapping[str, str | int | float]
    outcome: str
    message: str
    quantities: Mapping[str, str]
    decimals: Mapping[str, str]
    seconds: float = field(compare=False)
    key: str = ""
    reused: bool = field(default=False, compare=False)

    _withheld = ("message",)  # of an error, which may name a value

    def _said(self) -> str:
        asked = ", ".join(f"{name}={_head(value)}" for name, value in self.parameters.items())
        return f"{self.verb} {asked}: {self.outcome}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "format": FORMAT,
            "version": __version__,
            "key": self.key,
            "verb": self.verb,
            "parameters": dict(self.parameters),
            "outcome": self.outcome,
            "message": self.message,
            "quantities": {
                name: {"exact": exact, "decimal": self.decimals[name]} for name, exact in self.quantities.items()
            },
            "seconds": self.seconds,
        }


@dataclass(frozen=True, eq=False)
class Sweep(Displayed):
    """What a sweep found, see `sweep`.

    Attributes
    ----------
    cells
        One a point of the grid, in its order: tables first, then the axes as they were given, the last one changing
        fastest.
    axes
        The names of what varies.
    folder
        Where the answers are kept; None if nowhere.
    """

    cells: tuple[Cell, ...]
    axes: tuple[str, ...]
    folder: str | None = field(default=None, compare=False)

    @property
    def outcomes(self) -> dict[str, int]:
        """How many cells had each outcome."""
        words = [cell.outcome for cell in self.cells]
        return {word: words.count(word) for word in OUTCOMES if word in words}

    @property
    def _withheld(self) -> Collection[str]:
        held = {n for cell in self.cells for n, value in cell.parameters.items() if _head(value) != value}
        return {*Cell._withheld, *held}

    def _said(self) -> str:
        return f"{len(self.cells)} cells, " + ", ".join(f"{number} {word}" for word, number in self.outcomes.items())

    def _frame_rows(self) -> list[dict[str, Any]]:
        names = dict.fromkeys(name for cell in self.cells for name in cell.quantities)
        asked = dict.fromkeys(name for cell in self.cells for name in cell.parameters)
        return [
            {
                "table": cell.table,
                "verb": cell.verb,
                **{name: cell.parameters.get(name) for name in asked},
                "outcome": cell.outcome,
                "message": cell.message,
                "seconds": cell.seconds,
                **{name: float(cell.decimals[name]) if name in cell.decimals else None for name in names},
                **{f"{name} exact": cell.quantities.get(name) for name in names},
            }
            for cell in self.cells
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "format": "tcloseness-sweep-1",
            "version": __version__,
            "axes": list(self.axes),
            "outcomes": self.outcomes,
            "cells": [{"table": cell.table, **cell.to_dict()} for cell in self.cells],
        }


def record_of(
    task: Task, outcome: str, message: str, rows: Sequence[Mapping[str, Any]], seconds: float
) -> dict[str, Any]:
    """Return what is kept of an answer, as JSON-ready data."""
    _, verb, arguments, _ = task
    several = len({row["sensitive"] for row in rows if row["sensitive"]}) > 1
    quantities = {
        whole_text(f"{row['sensitive']}: {row['quantity']}" if several and row["sensitive"] else row["quantity"]): {
            "exact": row["exact"],
            "decimal": repr(row["value"]),
        }
        for row in rows
    }
    return {
        "format": FORMAT,
        "version": __version__,
        "verb": verb,
        "parameters": _parameters(arguments),
        "outcome": outcome,
        "message": whole_text(message),
        "quantities": quantities,
        "seconds": seconds,
    }


def cell_of(task: Task, key: str, record: Mapping[str, Any], *, reused: bool = False) -> Cell:
    """Return the cell of a record."""
    quantities = record["quantities"]
    return Cell(
        task[0],
        task[1],
        _parameters(task[2]),
        record["outcome"],
        record["message"],
        {name: each["exact"] for name, each in quantities.items()},
        {name: each["decimal"] for name, each in quantities.items()},
        record["seconds"],
        key,
        reused,
    )


def _parameters(arguments: Mapping[str, Any]) -> dict[str, str | int | float]:
    return {name: _shown(value) for name, value in arguments.items()}


def _shown(value: Any) -> str | int | float:
    """Return an argument as people read it; numbers that JSON keeps exactly stay numbers."""
    if isinstance(value, str):
        return whole_text(value)
    if type(value) in (int, bool) or (type(value) is float and isfinite(value)):
        return value  # type: ignore[no-any-return]
    if isinstance(value, Fraction):
        return number_text(value)
    if isinstance(value, tuple):
        return ", ".join(str(_shown(each)) for each in value)
    return whole_text(str(getattr(value, "__name__", None) or repr(value)))


def whole_text(text: str) -> str:
    """Return a text with halves of surrogate pairs, which no file can hold, as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
