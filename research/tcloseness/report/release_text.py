"""An anonymized table as text for a terminal: the answer first, then what it protects, what it costs, what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from rich.console import Group, RenderableType
from rich.text import Text

from tcloseness.displayed import counted
from tcloseness.exact import number_text
from tcloseness.ground import GroundSpec
from tcloseness.loss import LossResult
from tcloseness.microdata import ClassCounts
from tcloseness.models import ModelResult
from tcloseness.models.catalogue import UsualValues, Valued
from tcloseness.report.search_text import loss_text
from tcloseness.report.short_text import decimal_text
from tcloseness.report.text import assumed, table_of
from tcloseness.report.wording import Letters, Line, lines_of

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Evaluated", "Measured", "amount_text", "attained", "print_release"]

_STYLES = {"satisfied": "green", "optimal": "green", "feasible": "yellow", "infeasible": "bold red"}


@dataclass(frozen=True)
class Measured(Valued):
    """What the classes of a release are like."""

    # how many classes there are, and records in them
    classes: int
    records: int
    # their measured k-anonymity; and distinct ℓ-diversity, entropy ℓ-diversity and t-closeness, where they have values
    k: int
    values: UsualValues | None

    @classmethod
    def of(cls, classes: ClassCounts, ground: GroundSpec, *, people: ClassCounts | None = None) -> Measured:
        """Measure classes, t with a ground distance.

        `people` are all records of the classes, where not all of them show their value; k is that of these.

        Examples
        --------
        >>> found = Measured.of(ClassCounts.from_matrix([[2, 1], [1, 2]]), "equal")
        >>> found.classes, found.records, found.k, found.distinct_l, str(found.t)
        (2, 6, 3, 2, '1/6')
        """
        whole = classes if people is None else people
        return cls(len(whole), whole.records, int(whole.class_sizes.min()), UsualValues.of(classes, ground))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON-ready data; those that can be fractions are text."""
        return {"classes": self.classes, "k": self.k, **self._values_record()}

    def lines(self, ground: str, threshold: Fraction | None) -> dict[str, str]:
        """Return the numbers by name, as text; t with the ground distance's name."""
        sizes = {"classes": f"{self.classes:,}, of {counted(self.records, 'record')}", "k": f"{self.k:,}"}
        if self.values is None:
            return sizes
        return {
            **sizes,
            "distinct ℓ": str(self.distinct_l),
            "entropy ℓ": f"{self.effective_l:.4g}",
            "t": f"{decimal_text(self.t, apart_from=threshold)}, by the ground distance {ground}",
        }


Evaluated: TypeAlias = tuple[ModelResult, ClassCounts]
"""What a model says, and of which classes."""


def amount_text(value: Fraction) -> str:
    """Write an amount as people read it: exactly, with its decimal beside it.

    Examples
    --------
    >>> amount_text(Fraction(30162)), amount_text(Fraction(604821, 16)), amount_text(Fraction(1, 8))
    ('30,162', '604821/16 ≈ 37,801.3', '1/8 = 0.125')
    """
    if value.denominator == 1:
        return f"{int(value):,}"
    return f"{number_text(value)} ≈ {float(value):,.1f}" if abs(value) >= 10_000 else decimal_text(value)


def attained(verdicts: Sequence[Evaluated]) -> str:
    """Say what each model measures, in one line."""
    return ", ".join(f"{line.model} {line.value}" for line in _lines(verdicts))


def _lines(verdicts: Sequence[Evaluated]) -> list[Line]:
    return [line for result, classes in verdicts for line in lines_of(_single(result), classes, Letters())]


def _single(result: ModelResult) -> list[ModelResult]:
    """Return the results of the single models that a result is made of."""
    return [each for part in result.parts for each in _single(part)] if result.parts else [result]


def print_release(
    console: Console,
    *,
    status: str,
    answer: Sequence[str],
    verdicts: Sequence[Evaluated] = (),
    measured: Mapping[str, str] | None = None,
    losses: Sequence[LossResult] = (),
    given_away: Mapping[str, str] | None = None,
    done: Mapping[str, str] | None = None,
    written: Mapping[str, str] | None = None,
    conventions: Mapping[str, str] | None = None,
) -> None:
    """Print what a method or a program made of a table.

    Of `answer`, in sentences, the first is coloured by the `status`: ``satisfied``, ``optimal``, ``feasible`` or
    ``infeasible``.
    """
    first, *more = answer
    console.print(Text(first, style=_STYLES[status]))
    for sentence in more:
        console.print(Text(sentence))
    blocks: list[RenderableType] = []
    if verdicts:
        blocks.append(_verdicts(verdicts))
    if measured:
        blocks.append(assumed(measured, title="what the classes are like"))
    if losses:
        blocks.append(_losses(losses))
    titled = {"what it gives away": given_away, "what was done": done, "written": written, "assumed": conventions}
    for title, lines in titled.items():
        if lines:
            blocks.append(assumed(lines, title=title))
    for block in blocks:
        console.print()
        console.print(block)


def _verdicts(verdicts: Sequence[Evaluated]) -> RenderableType:
    table = table_of("model", "measured", "threshold", "margin", "verdict")
    for line in _lines(verdicts):
        table.add_row(line.model, line.value, line.threshold, line.margin, Text(line.status, style="green"))
    return Group(Text("what was asked for", style="bold"), table)


def _losses(losses: Sequence[LossResult]) -> RenderableType:
    table = table_of("loss", "value", "range")
    for found in losses:
        low, high = (loss_text(replace(found, value=bound)) for bound in found.bounds)
        table.add_row(found.loss, loss_text(found), f"{low} to {high}")
    return Group(Text("what it costs", style="bold"), table)
