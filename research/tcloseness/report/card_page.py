"""The report card of a distance as one self-contained HTML page: the answer, every law, and each counterexample drawn.

Like the page of an audit it opens from disk, has no script and fetches nothing; every text is escaped by the template
engine. Making a page loads jinja2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tcloseness import __version__
from tcloseness.axioms import CheckResult, Counterexample, ReportCard
from tcloseness.axioms.verdict import GROUPS, ExpectedFailure, Holds
from tcloseness.page_templates import rendered
from tcloseness.report.card_comparison import MARKS, Compared, compared, shipped
from tcloseness.report.short_text import printable

__all__ = ["MOST_BARS", "Panel", "card_page", "panels"]

MOST_BARS = 16
"""Distributions over more values are named, and not drawn."""

_LONGEST_MASS = 5
"""A mass with a longer text is written over its bar as a decimal."""

_NUMBER = re.compile(r"[-+./0-9e]+")

_LOOKS = {
    "holds": ("✓", "satisfied"),
    "fails": ("✗", "violated"),
    "unexpected pass": ("✗", "violated"),
    "undecided": ("?", "undecided"),
    "expected failure": ("✗", "measured"),
    "not applicable": ("–", "measured"),
}
"""The sign and the style of a status."""

_ANSWERS = {
    "yes": ("✓ yes", "satisfied"),
    "no": ("✗ no", "violated"),
    "open": ("? open", "undecided"),
    "not applicable": ("– n/a", "measured"),
}

_COLUMNS = {
    "a metric": ("symmetric", "triangle"),
    "bounded": ("bounded-by-1",),
    "defined at zero": ("defined-at-zero",),
    "convex": ("convex",),
    "scales with probability": ("probability-scaling",),
    "respects the ground distance": ("farther-costs-more", "salary-order", "ground-monotone"),
    "allows pruning": ("generalization-property", "subset-property"),
}
"""The columns of the comparison, by the checks that they read."""

# the drawing, in pixels
_BAR, _LEFT, _TOP, _TALL, _UNDER, _LEAST = 34, 6, 22, 92, 20, 76


@dataclass(frozen=True)
class Bar:
    """A value's mass in a drawing: a rectangle and its text; y runs downwards."""

    x: float
    y: float
    height: float
    text: str
    code: int


@dataclass(frozen=True)
class Panel:
    """A distribution, drawn."""

    name: str  # P, Q, …
    before: str  # what is written before it: ``+`` between classes that are merged, ``→`` before their union
    role: str  # ``class``, ``merged`` or ``reference``
    # pixels
    width: float
    height: float
    base: float  # the places of the bars
    bars: tuple[Bar, ...]  # one a value
    label: str  # in words, for those who do not see it


def card_page(card: ReportCard, *, command: str = "", comparison: Sequence[Compared] | None = None) -> str:
    """Return the page of a card.

    `command` makes the same card again; beside it are the measures of `comparison`, by default those of the package.
    """
    beside = [compared(card), *(shipped() if comparison is None else comparison)]
    return rendered(
        "report",
        "card.html",
        version=__version__,
        measure=printable(card.measure),
        status=_LOOKS[card.status][1],
        sign=_LOOKS[card.status][0],
        counts=_counts(card),
        sentences=list(_sentences(card)),
        questions=_questions(card),
        groups=_groups(card),
        columns=list(_COLUMNS),
        compared=[_row(one, first=n == 0) for n, one in enumerate(beside)],
        marks={word: mark for word, mark in MARKS.items() if word != "undecided"},
        assumed=[(key.replace("_", " "), _text(value)) for key, value in card.assumed.items()],
        command=printable(command),
    )


def _counts(card: ReportCard) -> str:
    words = {
        "fails": ("check fails", "checks fail"),
        "unexpected pass": ("check passes against expectation", "checks pass against expectation"),
        "undecided": ("is undecided", "are undecided"),
        "expected failure": ("fails as expected", "fail as expected"),
        "holds": ("holds", "hold"),
    }
    parts = []
    for status, (one, many) in words.items():
        number = sum(result.status == status for result in card)
        proved = sum(isinstance(r.verdict, Holds) and r.verdict.proved is not None for r in card)
        if number:
            more = f" ({proved} proved)" if status == "holds" and proved else ""
            parts.append(f"{number} {one if number == 1 else many}{more}")
    return ", ".join(parts) or "nothing was asked"


def _sentences(card: ReportCard) -> Iterator[str]:
    made = {result.name for result in card}
    answers = card.searches
    may, must_not = ([what for what, found in answers.items() if found == a] for a in ("yes", "no"))
    if must_not:
        yield f"Searches that must not prune: {'; '.join(must_not)}."
    if may:
        yield f"Searches that may prune: {'; '.join(may)}."
    if "probability-scaling" in made and set(card.open_question.values()) == {"yes"}:
        question = "all that Li et al. 2007, §8 asks for"
        yield f"It scales with probability, respects the ground distance and allows pruning: {question}."


def _questions(card: ReportCard) -> list[tuple[str, list[tuple[str, str, str]]]]:
    asked: dict[str, dict[str, str]] = {
        "May a search prune?": dict(card.searches),
        "The desiderata of the 2010 paper": dict(card.desiderata),
        "The open question of the 2007 paper": dict(card.open_question),
    }
    found = []
    for heading, answers in asked.items():
        if set(answers.values()) != {"open"}:
            found.append((heading, [(what, *_ANSWERS[answer]) for what, answer in answers.items()]))
    return found


def _groups(card: ReportCard) -> list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]]:
    """Return for each group its heading, its rows and its counterexamples."""
    found = []
    for group, heading in GROUPS.items():
        results = [result for result in card if result.check.group == group]
        if results:
            examples = [(each, each.counterexample) for each in results]
            broken = [_broken(each, example) for each, example in examples if example is not None]
            found.append((heading[0].upper() + heading[1:], [_line(result) for result in results], broken))
    return found


def _line(result: CheckResult) -> dict[str, Any]:
    verdict, held = result.verdict, result.held
    how = ""
    if held is not None:
        how = f"{held.examples} example{'' if held.examples == 1 else 's'}"
        how = how if held.proved is None else f"proved, m ≤ {held.proved}"
    return {
        "name": result.name,
        "statement": result.check.statement,
        "sign": _LOOKS[result.status][0],
        "status": result.status,
        "css": _LOOKS[result.status][1],
        "how": printable(verdict.reason) if isinstance(verdict, ExpectedFailure) else how,
        "remark": printable(verdict.remark),
        "reference": result.check.reference,
        "broken": result.counterexample is not None,
    }


def _broken(result: CheckResult, found: Counterexample) -> dict[str, Any]:
    drawn = panels(found)
    return {
        "name": result.name,
        "expected": result.status == "expected failure",
        "statement": result.check.statement,
        "consequence": result.check.consequence,
        "finding": printable(found.finding),
        "ground": printable(found.ground),
        "panels": drawn,
        "inputs": [] if drawn else [(name, _listed(masses)) for name, masses in found.inputs.items()],
        "test": found.as_test(result.name),
    }


def panels(found: Counterexample) -> list[Panel]:
    """Draw the distributions of a counterexample on one scale: the classes, their union, then what they are held to.

    Empty where some distribution has more than `MOST_BARS` values, or is described and not written out.
    """
    if not found.inputs or not 0 < found.m <= MOST_BARS:
        return []
    try:
        top = max(Fraction(mass) for masses in found.inputs.values() for mass in masses)
    except ValueError:  # "1 − 1e-300", or a formula for many values
        return []
    order = _order(list(found.inputs))
    merges = "M" in found.inputs and sum(_role(name) == "class" for name in order) == 2
    signs = {name: "+" for number, name in enumerate(order) if merges and number == 1} | {"M": "→"}
    return [_panel(name, signs.get(name, ""), found.inputs[name], top or Fraction(1)) for name in order]


def _order(names: Sequence[str]) -> list[str]:
    """Return pairs P1, Q1, P2, Q2 as pairs, three equals P, Q, R as they are, else classes, their union, and Q."""
    if sum(name.startswith("Q") for name in names) > 1:
        return sorted(names, key=lambda name: (name[1:], name[0]))
    if "R" in names:
        return sorted(names)
    return sorted(names, key=lambda name: _ROLES.index(_role(name)))


_ROLES = ("class", "merged", "reference")


def _role(name: str) -> str:
    return "merged" if name == "M" else "reference" if name.startswith("Q") else "class"


def _panel(name: str, before: str, masses: Sequence[str], top: Fraction) -> Panel:
    width = max(_LEAST, 2 * _LEFT + _BAR * len(masses))
    start = (width - _BAR * len(masses)) / 2
    base = _TOP + _TALL
    bars = []
    for code, mass in enumerate(masses):
        height = float(Fraction(mass) / top) * _TALL
        bars.append(Bar(start + code * _BAR, round(base - height, 2), round(height, 2), _mass_text(mass), code + 1))
    label = f"{name} = ({', '.join(_mass_text(mass) for mass in masses)})"
    return Panel(name, before, _role(name), width, base + _UNDER, base, tuple(bars), label)


def _mass_text(mass: str) -> str:
    if len(mass) <= _LONGEST_MASS or not _NUMBER.fullmatch(mass):
        return mass
    value = float(Fraction(mass))
    return f"{value:.0e}".replace("e-0", "e-") if 0 < value < 0.001 else f"{value:.3f}".lstrip("0") or "0"


def _listed(masses: Sequence[str]) -> str:
    shown = [_mass_text(mass) for mass in masses[:8]]
    return ", ".join(shown) + (f", … ({len(masses)} values)" if len(masses) > 8 else "")


def _row(one: Compared, *, first: bool) -> dict[str, Any]:
    answers = {part: answer for part, answer in one.open_question.items() if answer != "open"}
    cells = []
    for column, checks in _COLUMNS.items():
        mark = one.of(*checks)
        if answers.get(column) == "not applicable":
            mark = MARKS["not applicable"]
        word = next((word for word, sign in MARKS.items() if sign == mark), "not asked")
        css = {"fails": "violated", "proved": "satisfied", "examples": "satisfied"}.get(word, "measured")
        cells.append((column, mark, word, css))
    return {
        "name": printable(one.name),
        "this": first,
        "ground": printable(one.ground),
        "cells": cells,
        "failures": ", ".join(one.failures) or "none",
    }


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return printable(", ".join(map(str, value))) or "none"
    return printable(str(value))
