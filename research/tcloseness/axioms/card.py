"""The report card: one result a check, what follows from them, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any, Literal

from tcloseness.axioms.verdict import GROUPS, Check, CheckVerdict, Counterexample, Holds, UnexpectedPass
from tcloseness.displayed import Explained

__all__ = ["DESIDERATA", "FORMAT", "CheckResult", "ReportCard"]

FORMAT = "tcloseness-card-2"

DESIDERATA = {
    "identity of indiscernibles": ("zero-on-equal", "zero-only-on-equal"),
    "non-negativity": ("non-negative",),
    "probability scaling": ("probability-scaling",),
    "zero-probability definability": ("defined-at-zero",),
    "semantic awareness": ("farther-costs-more", "salary-order", "ground-monotone"),
}
"""The five desiderata of Li et al. 2010, by the checks that read them."""

OPEN_QUESTION = {
    "scales with probability": ("probability-scaling",),
    "respects the ground distance": ("farther-costs-more", "salary-order", "ground-monotone"),
    "allows pruning": ("generalization-property", "subset-property"),
}
"""What Li et al. 2007, §8, asks of one measure, by the checks that read it."""

_SEARCHES = {
    "bottom-up over the lattice, discarding what lies above a minimal generalization": "generalization-property",
    "over sets of quasi-identifiers (Incognito)": "subset-property",
    "merging classes until all are close": "quasi-convex",
    "branch and bound with bounds by mixtures": "convex",
}

Answer = Literal["yes", "no", "open", "not applicable"]
"""Open where a check is undecided or was not made."""


@dataclass(frozen=True)
class CheckResult(Explained):
    """A check and its verdict."""

    check: Check
    verdict: CheckVerdict

    def _said(self) -> str:
        return f"{self.name}, {self.verdict}"

    @property
    def name(self) -> str:
        """The check's name."""
        return self.check.name

    @property
    def status(self) -> str:
        """The verdict in one word or two."""
        return self.verdict.status

    @property
    def passed(self) -> bool:
        """Whether the law is not broken, or expectedly so."""
        return self.status in ("holds", "expected failure", "not applicable")

    @property
    def counterexample(self) -> Counterexample | None:
        """What breaks the law, expectedly or not; None if nothing was found."""
        return getattr(self.verdict, "counterexample", None)

    @property
    def sentence(self) -> str:
        """The verdict with what breaks the law, and what follows from that."""
        said = f"{self.name}: {self.verdict}"
        if self.counterexample is None:
            return f"{said}."
        given = ", ".join(f"{name} = ({', '.join(masses)})" for name, masses in self.counterexample.inputs.items())
        return f"{said}. {given}: {self.counterexample.finding}; so {self.check.consequence}."

    @property
    def held(self) -> Holds | None:
        """How far the law holds, expectedly or not; None if it does not."""
        found = self.verdict.found if isinstance(self.verdict, UnexpectedPass) else self.verdict
        return found if isinstance(found, Holds) else None

    def to_dict(self) -> dict[str, Any]:
        """Return everything the card says of the check."""
        verdict = self.verdict
        record: dict[str, Any] = {
            **self.check.to_dict(),
            "status": self.status,
            "verdict": str(verdict),
            "remark": verdict.remark,
        }
        if self.held is not None:
            record |= {"examples": self.held.examples, "proved_up_to_m": self.held.proved}
        if self.counterexample is not None:
            record["counterexample"] = self.counterexample.to_dict()
            record["test"] = self.counterexample.as_test(self.name)
        return record


@dataclass(frozen=True, eq=False)
class ReportCard(Explained):
    """What a measure satisfies.

    Attributes
    ----------
    measure
        Its name.
    results
        One a check, in their order; iterating over the card goes through them.
    assumed
        How it was called, and by which ground distance, sizes and budget it was judged.
    """

    measure: str
    results: tuple[CheckResult, ...]
    assumed: dict[str, Any]

    def _frame_rows(self) -> Iterator[Mapping[str, Any]]:
        return (row for each in self for row in each._frame_rows())

    def _said(self) -> str:
        found = [f"{n} {status}" for status in _STATUSES if (n := sum(each.status == status for each in self))]
        return f"{self.measure}, {self.status}: {', '.join(found)}"

    def __iter__(self) -> Iterator[CheckResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str) -> CheckResult:
        """Return the result of a check by name."""
        for result in self.results:
            if result.name == name:
                return result
        raise KeyError(name)

    @property
    def status(self) -> str:
        """``fails`` if a check does (or passes against expectation), else ``undecided`` if one is, else ``holds``."""
        found = {result.status for result in self}
        if found & {"fails", "unexpected pass"}:
            return "fails"
        return "undecided" if "undecided" in found else "holds"

    @property
    def passed(self) -> bool:
        """Whether every check holds, fails as expected, or does not apply."""
        return self.status == "holds"

    @property
    def failures(self) -> tuple[str, ...]:
        """The checks that fail, expectedly or not."""
        return tuple(result.name for result in self if result.counterexample is not None)

    def answer(self, *names: str) -> Answer:
        """Say whether all of some checks hold. If the first does not apply, the question does not arise."""
        made = {result.name: result.status for result in self}
        found = [made.get(name, "undecided") for name in names]
        if any(status in ("fails", "expected failure") for status in found):
            return "no"
        if found[0] == "not applicable":
            return "not applicable"
        return "open" if "undecided" in found else "yes"

    @property
    def desiderata(self) -> dict[str, Answer]:
        """The five desiderata of Li et al. 2010."""
        return {desideratum: self.answer(*names) for desideratum, names in DESIDERATA.items()}

    @property
    def open_question(self) -> dict[str, Answer]:
        """Li et al. 2007, §8: does it scale with probability, respect the ground distance, and allow pruning?"""
        return {part: self.answer(*names) for part, names in OPEN_QUESTION.items()}

    @property
    def searches(self) -> dict[str, Answer]:
        """Which searches may prune."""
        return {search: self.answer(name) for search, name in _SEARCHES.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the card as a record, see ``card.schema.json``."""
        return {
            "format": FORMAT,
            "measure": self.measure,
            "status": self.status,
            "assumed": self.assumed,
            "searches": self.searches,
            "desiderata": self.desiderata,
            "open_question": self.open_question,
            "checks": [result.to_dict() for result in self],
        }

    def text(self, width: int = 100, *, tests: bool = False) -> str:
        """Return the card for a terminal.

        Parameters
        ----------
        width
            Columns.
        tests
            Whether each counterexample is followed by the test that can be pasted.
        """
        counted = [f"{n} {status}" for status in _STATUSES if (n := sum(r.status == status for r in self))]
        lines = [f"{self.measure}: {', '.join(counted)}", ""]
        heads: dict[str, tuple[dict[str, Answer], dict[str, tuple[str, ...]]]] = {
            "May a search prune?": (self.searches, {k: (v,) for k, v in _SEARCHES.items()}),
            "Desiderata (Li et al. 2010)": (self.desiderata, DESIDERATA),
            "The open question of Li et al. 2007, §8": (self.open_question, OPEN_QUESTION),
        }
        made = {result.name for result in self}
        for heading, (answers, by) in heads.items():
            rows = [f"  {answer:14}  {what}" for what, answer in answers.items() if made & set(by[what])]
            lines += [heading, *rows, ""] if rows else []
        lines.pop()
        for group, heading in GROUPS.items():
            results = [r for r in self if r.check.group == group]
            if results:
                lines += ["", heading[0].upper() + heading[1:]]
                for result in results:
                    lines += _result_lines(result, width, tests)
        lines += ["", "Assumed"]
        for key, value in self.assumed.items():
            shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else _plain(value)
            lines.append(_filled(f"{key.replace('_', ' ')}: {shown}", width, 2, 4))
        return "\n".join(lines) + "\n"

    def __str__(self) -> str:
        return self.text()


_STATUSES = ("fails", "unexpected pass", "undecided", "expected failure", "holds", "not applicable")


def _plain(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _filled(words: str, width: int, first: int, then: int) -> str:
    return fill(words, max(width, 40), initial_indent=" " * first, subsequent_indent=" " * then)


def _result_lines(result: CheckResult, width: int, tests: bool) -> list[str]:
    verdict = result.verdict
    lines = [f"  {result.name:24} {verdict}"]
    if len(lines[0]) > width:
        lines = [f"  {result.name}", _filled(str(verdict), width, 6, 6)]
    if verdict.remark:
        lines.append(_filled(verdict.remark, width, 6, 6))
    if (example := result.counterexample) is not None:
        lines.append(_filled(f"law: {result.check.statement}", width, 6, 11))
        for name, masses in example.inputs.items():
            lines.append(_filled(f"{name} = ({', '.join(masses)})", width, 6, 10))
        lines.append(_filled(example.finding, width, 6, 6))
        lines.append(_filled(f"so: {result.check.consequence}", width, 6, 10))
        if tests:
            lines += ["", *(f"      {line}" if line else "" for line in example.as_test(result.name).splitlines()), ""]
    return lines
