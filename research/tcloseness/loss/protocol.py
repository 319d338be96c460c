"""What a loss is, and what it answers.

A loss is one number for a whole table: what its anonymization costs. The field defines most of them in several ways;
each result names the way it took, above all what a suppressed record costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Literal, Protocol, TypeAlias, get_args, get_origin, get_type_hints, runtime_checkable

from tcloseness.conventions import Conventions
from tcloseness.displayed import Explained
from tcloseness.errors import ConventionError, InputError, ProtocolError
from tcloseness.exact import LogSum
from tcloseness.microdata import ClassCounts
from tcloseness.models.protocol import value_texts
from tcloseness.release.release import Release

__all__ = ["Better", "Choices", "Generalizing", "Loss", "LossResult", "Source"]

Source: TypeAlias = ClassCounts | Release
"""What a loss is measured on: class counts where they are enough, a `Release` where the original is needed too."""

Value: TypeAlias = Fraction | LogSum
Better: TypeAlias = Literal["lower", "higher"]

Generalizing: TypeAlias = Literal["never lowers it", "never raises it", "may do either"]
"""What more generalization does to a loss while no record is suppressed: the claim that a search may rely on."""

SUPPRESSED = {
    "whole-table": "each costs the number of all records",
    "one-class": "one more class",
    "before-suppression": "counted in the classes before suppression",
    "excluded": "left out",
    "in-n": "counted as records, in no class",
    "whole": "each as if fully generalized",
    "penalty": "each costs 1",
    "spread": "spread over all combinations of values",
    "none": "cost nothing",
}
"""What a suppressed record costs: the option's name and what it means."""

_INHERITED = ("missing values", "suppressed records")  # other choices behind the counts change no loss


@dataclass(frozen=True, eq=False)
class LossResult(Explained):
    """What a loss says about a table.

    Attributes
    ----------
    loss, formula, citation
        The loss's name, its formula, and where it is defined.
    value
        Exact: a `Fraction`, or a `LogSum` in nats.
    bounds
        The least and the greatest value that any anonymization of this table could have under the same choices.
    terms
        The parts of the value by attribute, where it has such parts, or other named parts.
    better
        Whether ``lower`` or ``higher`` values are better.
    parameters
        The loss's choices that are not conventions, as text.
    suppressed
        The number of suppressed records; what they cost is among the conventions.
    conventions
        What was chosen on the way, by name.
    """

    loss: str
    formula: str
    citation: str
    value: Value
    bounds: tuple[Value, Value]
    terms: Mapping[str, Value] = field(default_factory=dict)
    better: Better = "lower"
    parameters: Mapping[str, str] = field(default_factory=dict)
    suppressed: int = 0
    conventions: Conventions = field(default_factory=Conventions)

    def _said(self) -> str:
        return f"{self.loss} = {value_texts(self.value)['decimal']}, {self.better} is better"

    def __float__(self) -> float:
        return float(self.value)

    @property
    def share(self) -> float:
        """Where the value lies between its bounds, 0 for the best and 1 for the worst, as a double; 0 if they agree."""
        low, high, value = (float(x) for x in (*self.bounds, self.value))
        place = (value - low) / (high - low) if high > low else 0.0
        return place if self.better == "lower" or high <= low else 1 - place

    def compare(self, other: LossResult) -> int:
        """Return the exact sign of this value minus another's, under the same loss, parameters and conventions.

        Raises
        ------
        ConventionError
            If the losses, a parameter or a convention differ; the message names the difference.
        """
        if self.loss != other.loss:
            raise ConventionError(f"a result of {self.loss} and one of {other.loss} cannot be compared")
        for name in {**self.parameters, **other.parameters}:
            here, there = self.parameters.get(name), other.parameters.get(name)
            if here != there:
                raise ConventionError(f"two results of {self.loss} with {name} {here!r} and {there!r} differ in kind")
        self.conventions.require_same(other.conventions)
        if isinstance(self.value, LogSum):
            return self.value.minus(other.value).sign
        assert isinstance(other.value, Fraction)
        return (self.value > other.value) - (self.value < other.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready data; every number that can be a fraction is text."""
        return {
            "loss": self.loss,
            **value_texts(self.value),
            "better": self.better,
            "range": [value_texts(bound)["value"] for bound in self.bounds],
            "terms": {name: value_texts(term) for name, term in self.terms.items()},
            "parameters": dict(self.parameters),
            "suppressed_records": self.suppressed,
            "formula": self.formula,
            "citation": self.citation,
            "conventions": dict(self.conventions),
        }


@runtime_checkable
class Loss(Protocol):
    """What an anonymization costs. Any object with these members is one.

    What a loss may say of itself besides, each as an attribute or a property:

    * `better`: ``"higher"`` if higher values are better.
    * `terms_are`: how its order follows from a result's terms, each of which belongs to one attribute and depends on
      its level only, while no record is suppressed: ``"summed"`` if it is that of Σ term, ``"multiplied"`` if that of
      Π (1 + term). Searches tabulate such a loss for all nodes; of any other, nodes are measured.
    * `suppressing`: what the suppression of classes does to each of its terms at one node: ``"never lowers it"`` or
      ``"never raises it"``. Where that is for the worse, the tabulated loss bounds the node's loss after suppression.
    * `level_weights`: by attribute, what a summed term is multiplied by where it is not 1.
    * `before_suppression`: True if it counts classes as they were before suppression.
    * `class_cost`: what one class costs (`tcloseness.loss.CellCost`, `SizeCost`), if the loss follows from the sum over
      classes. Programs minimize such a loss; without it they refuse the loss by name.
    * `checked_as`: its name in `tcloseness.certificates.losses`, if a checker knows it; without it no optimum by it is
      certified.
    """

    @property
    def name(self) -> str:
        """The loss's name."""

    @property
    def generalizing(self) -> Generalizing:
        """What more generalization does to it while no record is suppressed."""

    def evaluate(self, source: Source) -> LossResult:
        """Measure a table."""


def loss_result(
    loss: Loss,
    source: Source,
    value: Value | int,
    *,
    bounds: tuple[Value | int, Value | int],
    formula: str,
    citation: str,
    suppressed_as: str,
    terms: Mapping[str, Value] | None = None,
    better: Better = "lower",
    parameters: Mapping[str, str] | None = None,
    conventions: Mapping[str, str] | None = None,
) -> LossResult:
    """Put a result together, with the conventions that the counts bring along.

    Parameters
    ----------
    suppressed_as
        What a suppressed record costs: a name of `SUPPRESSED`.

    Raises
    ------
    ProtocolError
        For another name.
    """
    if suppressed_as not in SUPPRESSED:
        raise ProtocolError(
            f"suppressed_as of the loss {loss.name} is {suppressed_as!r:.80}; it is one of {', '.join(SUPPRESSED)}"
        )
    inherited = {name: text for name, text in source.conventions.items() if name in _INHERITED}
    low, high = (_exact(bound) for bound in bounds)
    return LossResult(
        loss=loss.name,
        formula=formula,
        citation=citation,
        value=_exact(value),
        bounds=(low, high),
        terms=dict(terms or {}),
        better=better,
        parameters=dict(parameters or {}),
        suppressed=source.suppressed,
        conventions=Conventions(inherited).but(
            {"suppressed records in the loss": SUPPRESSED[suppressed_as], **(conventions or {})}
        ),
    )


def _exact(value: Value | int) -> Value:
    return Fraction(value) if isinstance(value, int) else value


class Choices:
    """A dataclass of choices: a field of a `Literal` type holds one of its words, or an `InputError` says so."""

    def __post_init__(self) -> None:
        kind: type = type(self)
        for name, words in _choices(kind):
            if getattr(self, name) not in words:
                raise InputError(
                    f"{name} of {kind.__name__} is {getattr(self, name)!r}; it is one of {', '.join(map(repr, words))}"
                )


@cache
def _choices(kind: type) -> tuple[tuple[str, tuple[str, ...]], ...]:
    hints = get_type_hints(kind).items()
    return tuple((name, get_args(hint)) for name, hint in hints if get_origin(hint) is Literal)


def release_of(source: Source, loss: str) -> Release:
    """Return the source as a `Release`, or raise `InputError` if it is only class counts."""
    if not isinstance(source, Release):
        raise InputError(
            f"{loss} compares the release with the original table, and class counts were given; give a Release"
        )
    return source
