"""What a privacy model is, and what it answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tcloseness.conventions import Conventions
from tcloseness.errors import ConventionError
from tcloseness.exact import Rationals, number_text
from tcloseness.microdata import ClassCounts
from tcloseness.reals import ExactReal, Filtered

__all__ = [
    "ModelResult",
    "Monotone",
    "PrivacyModel",
    "Status",
    "result",
    "value_number",
    "value_texts",
]

Status = Literal["satisfied", "violated", "undecided", "measured"]
"""``measured``: no threshold was given, so nothing was decided."""

Value = Fraction | ExactReal | float


@dataclass(frozen=True)
class Monotone:
    """Under what a model stays satisfied: the claim that a search may prune on.

    Attributes
    ----------
    generalization
        If a table satisfies the model, so does every table whose classes are unions of its classes.
    suppression
        If a table satisfies it, so does the table without any of its classes (all their records suppressed), with the
        reference distribution of what is left.
    """

    generalization: bool
    suppression: bool

    def to_dict(self) -> dict[str, bool]:
        """Return both claims."""
        return {"generalization": self.generalization, "suppression": self.suppression}


@dataclass(frozen=True, eq=False)
class ModelResult:
    """What a model says about a table.

    Attributes
    ----------
    model, citation
        The model's name, and where it is defined.
    parameters
        Its thresholds and choices, as text.
    status
        ``satisfied``, ``violated``, ``undecided``, or ``measured`` where no threshold was given.
    value
        The table's measured value: that of its worst class, exact.
    margin
        How far the value is from the threshold, positive on the safe side; None without a threshold.
    values
        The measured value of each class.
    worst
        The indices of all classes that have the table's value.
    violating
        The indices of the classes that break the threshold.
    records_at_risk
        How many records are in violating classes.
    monotone
        The model's claim.
    conventions
        What was chosen on the way, by name.
    subject
        What was measured: the sensitive attribute, and its number m of values.
    notes
        What the value means beyond its number, and what that reading rests on.
    parts
        The results of the models that this one is made of, if it is made of several.
    """

    model: str
    citation: str
    parameters: Mapping[str, str]
    status: Status
    value: Value
    margin: Value | None
    values: Rationals | Filtered[Any]
    worst: npt.NDArray[np.intp]
    violating: npt.NDArray[np.intp]
    records_at_risk: int
    monotone: Monotone
    conventions: Conventions = field(default_factory=Conventions)
    subject: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parts: tuple[ModelResult, ...] = ()

    @property
    def satisfied(self) -> bool:
        """Whether the status is ``satisfied``."""
        return self.status == "satisfied"

    def compare(self, other: ModelResult) -> int:
        """Return the exact sign of this table's value minus another's, under the same model and conventions.

        Raises
        ------
        ConventionError
            If the models or any convention differ; the message names the difference.
        """
        if self.model != other.model:
            raise ConventionError(f"a result of {self.model} and one of {other.model} cannot be compared")
        self.conventions.require_same(other.conventions)
        mine, theirs = self.value, other.value
        if isinstance(mine, float) or isinstance(theirs, float):
            return (float(mine) > float(theirs)) - (float(mine) < float(theirs))
        if isinstance(mine, ExactReal):
            return mine.order(theirs)
        assert isinstance(theirs, Fraction)
        return (mine > theirs) - (mine < theirs)

    def to_dict(self, classes: ClassCounts | None = None, *, worst: int = 3) -> dict[str, Any]:
        """Return the result as JSON-ready data; every number that can be a fraction is text.

        Parameters
        ----------
        classes
            The class counts, to describe the worst classes.
        worst
            How many of them.
        """
        record: dict[str, Any] = {
            "model": self.model,
            "parameters": dict(self.parameters),
            "status": self.status,
            **value_texts(self.value),
            "margin": None if self.margin is None else value_texts(self.margin)["value"],
            "classes": len(self.values),
            "worst_classes": len(self.worst),
            "violating_classes": len(self.violating),
            "records_at_risk": self.records_at_risk,
            "monotone": self.monotone.to_dict(),
            "citation": self.citation,
            "subject": dict(self.subject),
            "conventions": dict(self.conventions),
            "notes": list(self.notes),
            "parts": [part.to_dict(classes, worst=worst) for part in self.parts],
        }
        if classes is not None:
            record["worst"] = [classes.describe(int(i)) for i in self.worst[:worst]]
        return record


@runtime_checkable
class PrivacyModel(Protocol):
    """A property of a table that depends on its class counts only. Any object with these members is one."""

    @property
    def name(self) -> str:
        """The model's name."""

    @property
    def monotone(self) -> Monotone:
        """What a search may prune on."""

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Measure a table, and decide it if the model has a threshold."""


def value_number(value: Value) -> float:
    """Return a value as a double, for people and pictures."""
    return float(value)


def value_texts(value: Value) -> dict[str, str]:
    """Return a value as exact text and as a decimal.

    A sum of logarithms or of square roots has no short exact text; its decimal stands for it.
    """
    decimal = f"{value_number(value):.10g}"
    if isinstance(value, ExactReal):
        return {"value": "0" if value.sign == 0 else decimal, "decimal": decimal}
    return {"value": number_text(value), "decimal": decimal}


def result(
    model: PrivacyModel,
    classes: ClassCounts,
    values: Rationals | Filtered[Any],
    *,
    citation: str,
    parameters: Mapping[str, str],
    threshold: Fraction | ExactReal | None,
    worst_is: Literal["smallest", "largest"],
    strict: bool = False,
    value: Value | None = None,
    margin: Value | None = None,
    conventions: Mapping[str, str] | None = None,
    notes: tuple[str, ...] = (),
) -> ModelResult:
    """Decide a threshold on the exact values, class by class, and put the answer together.

    Parameters
    ----------
    threshold
        The bound: values must be ≥ it where the smallest is the worst, ≤ it where the largest is; None only measures.
    strict
        Whether a value equal to the threshold breaks it.
    value, margin
        What to report in place of the worst of `values` and its distance from the threshold.
    """
    extreme, worst = values.smallest() if worst_is == "smallest" else values.largest()
    violating = np.zeros(0, dtype=np.intp)
    status: Status = "measured"
    if threshold is not None:
        # a model's threshold is of the kind of its values
        side = values.compare(threshold) * (1 if worst_is == "smallest" else -1)  # type: ignore[arg-type]
        violating = np.flatnonzero(side <= 0 if strict else side < 0)
        status = "violated" if len(violating) else "satisfied"
        if margin is None:
            margin = _margin(extreme, threshold, worst_is)
    return ModelResult(
        model=model.name,
        citation=citation,
        parameters=parameters,
        status=status,
        value=extreme if value is None else value,
        margin=margin,
        values=values,
        worst=worst,
        violating=violating,
        records_at_risk=int(classes.class_sizes[violating].sum()),
        monotone=model.monotone,
        conventions=classes.conventions.but(conventions or {}),
        subject={"sensitive attribute": classes.sensitive, "m": str(len(classes.domain))},
        notes=notes,
    )


def _margin(value: Value, threshold: Fraction | ExactReal, worst_is: str) -> Value:
    if isinstance(value, float):  # infinite
        return math.inf if worst_is == "smallest" else -math.inf
    if isinstance(value, ExactReal):
        above = value.minus(threshold)
        return above if worst_is == "smallest" else above.negated()
    assert isinstance(threshold, Fraction)
    return value - threshold if worst_is == "smallest" else threshold - value
