"""What a privacy model is, and what it answers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, Protocol, get_args, runtime_checkable

import numpy as np
import numpy.typing as npt

from tcloseness.conventions import Conventions
from tcloseness.displayed import Explained
from tcloseness.errors import ConventionError, InputError, ProtocolError
from tcloseness.exact import (
    ExactReal,
    Filtered,
    Rationals,
    as_fraction,
    decimal_text_of,
    nearest_double,
    number_text,
    shown_value,
)
from tcloseness.microdata import ClassCounts

__all__ = [
    "OPPOSITE",
    "ModelResult",
    "Monotone",
    "PrivacyModel",
    "Relation",
    "Status",
    "Verdict",
    "require_model",
    "result",
    "value_number",
    "value_texts",
]

Verdict = Literal["satisfied", "violated", "undecided"]
Status = Literal[Verdict, "measured"]
"""``measured``: no threshold was given, so nothing was decided."""

Value = Fraction | ExactReal | float

Relation = Literal["≥", ">", "≤", "<"]
"""The relation of a value to its threshold by which the threshold is satisfied."""

OPPOSITE: Mapping[Relation, Relation] = {"≥": "<", ">": "≤", "≤": ">", "<": "≥"}
"""The relation of a value that breaks it."""


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
class ModelResult(Explained):
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
    threshold
        What the value was compared with, exact and in the value's unit; None where nothing was decided, or where the
        `parts` alone say why the result is what it is.
    relation
        The relation of the value to the threshold that is required: ``"≥"`` or ``"≤"``, strictly ``">"`` or ``"<"``;
        None if unknown.
    threshold_name
        The name of the parameter that is the threshold, such as ``"k"``.
    further
        The value in other units, by name: of entropy ℓ-diversity, whose value is exp(H), the ``"entropy"`` H in nats.
    bounds
        The least and the greatest value that any table can have, None where there is none or it is not known.
    looks_at_values
        Whether the model looks at the sensitive values, and not only at the sizes of the classes.
    title, reading, why_infinite
        For people: the model's name with the parameters that belong to it, what its number counts, and why a value
        is infinite; empty where there is nothing to say.
    values
        The measured value of each class; of an audit of many classes they are measured again when they are asked for.
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
    threshold: Fraction | ExactReal | None = None
    relation: Relation | None = None
    threshold_name: str = ""
    further: Mapping[str, Value] = field(default_factory=dict)
    bounds: tuple[Fraction | None, Fraction | None] = (None, None)
    title: str = ""
    reading: str = ""
    why_infinite: str = ""
    looks_at_values: bool = True

    def _said(self) -> str:
        shown = f" = {value_texts(self.value)['decimal']}"
        asked = "" if self.threshold_text is None else f" (asked: {self.relation} {self.threshold_text:.40})"
        return f"{self.model:.80}, {self.status}, value{shown}{asked}, {self.records_at_risk} records at risk"

    def __post_init__(self) -> None:
        for name in ("value", "margin", "threshold"):
            what, absent, infinite = f"the {name} of a result of {self.model}", name != "value", name != "threshold"
            exact = _exact_value(getattr(self, name), what, absent=absent, infinite=infinite)
            object.__setattr__(self, name, exact)
        relation = _ASCII.get(str(self.relation), self.relation)
        if relation is not None and relation not in OPPOSITE:
            raise ProtocolError(f"the relation of a result of {self.model} is {relation!r}; give ≥, >, ≤, < or None")
        object.__setattr__(self, "relation", relation)
        for name in ("worst", "violating"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.intp))
        self._require_consistent()

    def _require_consistent(self) -> None:
        """Refuse what no sentence can say truly, as a model of the user's own may give it."""
        what = f"a result of {self.model}"
        if self.status not in get_args(Status):
            raise ProtocolError(f"the status of {what} is {self.status!r}; give one of {', '.join(get_args(Status))}")
        for name in ("worst", "violating"):
            numbers = getattr(self, name)
            outside = numbers[(numbers < 0) | (numbers >= len(self.values))]
            if len(outside):
                raise ProtocolError(
                    f"{name} of {what} holds the class {outside[0]}, and the classes are 0 to {len(self.values) - 1}"
                )
        value, threshold = self.value, self.threshold
        if self.relation is None or self.status not in ("satisfied", "violated"):
            return
        # logarithms and roots come from `result`, which decides them; comparing them once more may be costly
        if isinstance(threshold, Fraction) and isinstance(value, Fraction | float):
            holds = _HOLDS[self.relation](value, threshold)
            if holds != (self.status == "satisfied"):
                shown = shown_value(value_texts(value)["value"])
                raise ProtocolError(
                    f"the status of {what} is {self.status!r}, but its value {shown} "
                    f"is{'' if holds else ' not'} {self.relation} {shown_value(self.threshold_text)}"
                )

    @property
    def strict(self) -> bool:
        """Whether a value equal to the threshold breaks it."""
        return self.relation in ("<", ">")

    @property
    def threshold_text(self) -> str | None:
        """The threshold as exact text, such as ``"1/5"``; None without one.

        Examples
        --------
        >>> from tcloseness.models import EntropyLDiversity, KAnonymity
        >>> classes = ClassCounts.from_matrix([[2], [1]])
        >>> KAnonymity(3).evaluate(classes).threshold_text, EntropyLDiversity("3/2").evaluate(classes).threshold_text
        ('3', '3/2')
        """
        return None if self.threshold is None else value_texts(self.threshold)["value"]

    def numbers(self) -> dict[str, str | None]:
        """Return the value, its other units, threshold, relation and margin as texts: what every table and JSON shows.

        Examples
        --------
        >>> from tcloseness.models import EntropyLDiversity
        >>> EntropyLDiversity("3/2").evaluate(ClassCounts.from_matrix([[1], [1]])).numbers()
        {'value': '2', 'decimal': '2', 'entropy': '0.6931471806', 'threshold': '3/2', 'relation': '≥', 'margin': '1/2'}
        """
        return {
            **value_texts(self.value),
            **{name: value_texts(each)["decimal"] for name, each in self.further.items()},
            "threshold": self.threshold_text,
            "relation": self.relation,
            "margin": None if self.margin is None else value_texts(self.margin)["value"],
        }

    @property
    def unbreakable(self) -> bool:
        """Whether no table can break the threshold, by the model's `bounds`: then a satisfied one says nothing."""
        low, high = self.bounds
        if self.threshold is None or self.relation is None:
            return False
        if self.relation in ("≥", ">"):
            return low is not None and (low > self.threshold if self.strict else low >= self.threshold)
        return high is not None and (high < self.threshold if self.strict else high <= self.threshold)

    @property
    def decisive(self) -> tuple[ModelResult, ...]:
        """The results that say why the status is what it is: this one, or those of its parts (and theirs).

        Of a result with parts that is satisfied these are all that were decided, of any other those with its status.

        Examples
        --------
        >>> from tcloseness.models import AlphaKAnonymity
        >>> found = AlphaKAnonymity("3/4", k=9).evaluate(ClassCounts.from_matrix([[2], [1]]))
        >>> [(part.model, part.threshold_text) for part in found.decisive]
        [('k-anonymity', '9')]
        """
        deciding = [part for part in self.parts if part.status == self.status]
        return tuple(each for part in deciding for each in part.decisive) or (self,)

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
            **self.numbers(),
            "threshold_name": self.threshold_name,
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
    """A property of a table that depends on its class counts only. Any object with these members is one.

    What a model may say of itself besides, each as an attribute or a property:

    * `class_conditions`: what it asks of each class by itself (`tcloseness.models.conditions`). Searches decide that in
      compiled code and programs write it as rows; without it `evaluate` alone decides, and programs refuse the model.
    * `checked_by`: for a model that judges each class by itself by what no checker knows, a function of a module of
      yours and a number. It is called with the counts of a class and of the reference, tuples of whole numbers, and the
      number as a `Fraction`, and says whether the class satisfies. Certificates of searches without suppression name it
      with the sha256 of its source, and ``tcloseness verify --trust MODULE:NAME`` runs it.
    * `parts`: the models that it is made of, if it asks for several at once.
    * `looks_at_values`: False if it looks at the sizes of the classes alone; then reports show it once a table.
    * `measure_record`: called with the domain, what it measures as `tcloseness.certificates.measures` reads it, or
      None; without it no checker knows its value.
    * `of_shares`: True if it looks at nothing but which shares the values have in each class and in the table, so that
      its verdict is the same for counts times any number; then it is asked of survey weights too.
    * `option`: a threshold that people give by name (`tcloseness.models.thresholds.Option`), for a model of the
      catalogue; and `asked`, which makes the model of it.
    """

    @property
    def name(self) -> str:
        """The model's name."""

    @property
    def monotone(self) -> Monotone:
        """What a search may prune on."""

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Measure a table, and decide it if the model has a threshold."""


def require_model(found: object) -> PrivacyModel:
    """Return an object that is a privacy model.

    Raises
    ------
    ProtocolError
        For any other, and for a class.
    """
    if isinstance(found, PrivacyModel) and not isinstance(found, type):
        if isinstance(found.name, str) and isinstance(found.monotone, Monotone):
            return found
        raise ProtocolError(
            f"the model {found.name!r:.80} has monotone = {found.monotone!r:.80}; name is a text, and monotone a "
            "tcloseness.models.Monotone"
        )
    raise ProtocolError(f"{found!r} is not a privacy model; give an object with name, monotone and evaluate(classes)")


def value_number(value: Value) -> float:
    """Return a value as a double, for people and figures; the greatest double stands for all above it."""
    return nearest_double(value) if isinstance(value, Fraction) else float(value)


def value_texts(value: Value) -> dict[str, str]:
    """Return a value as exact text and as a decimal.

    An irrational number has no short exact text; its decimal stands for it.
    """
    exact = value.rational if isinstance(value, ExactReal) else value
    if exact is None or isinstance(exact, float):
        decimal = f"{value_number(value):.10g}"
        return {"value": decimal if exact is None else number_text(exact), "decimal": decimal}
    return {"value": number_text(exact), "decimal": decimal_text_of(exact)}


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
    threshold_name: str = "",
    bounds: tuple[Fraction | int | None, Fraction | int | None] = (None, None),
    title: str = "",
    reading: str = "",
    why_infinite: str = "",
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
    threshold_name, bounds, title, reading, why_infinite
        See `ModelResult`.
    """
    looks_at_values = getattr(model, "looks_at_values", True)
    if looks_at_values:
        classes.require_values(model.name)
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
        records_at_risk=int(classes.people[violating].sum()),
        monotone=model.monotone,
        conventions=classes.conventions.but(conventions or {}),
        subject={"sensitive attribute": classes.sensitive, "m": str(len(classes.domain))} if classes.has_values else {},
        notes=notes,
        threshold=threshold,
        relation=_RELATIONS[worst_is, strict],
        threshold_name=threshold_name,
        bounds=(_bound(bounds[0]), _bound(bounds[1])),
        title=title,
        reading=reading,
        why_infinite=why_infinite,
        looks_at_values=looks_at_values,
    )


_RELATIONS: Mapping[tuple[str, bool], Relation] = {
    ("smallest", False): "≥",
    ("smallest", True): ">",
    ("largest", False): "≤",
    ("largest", True): "<",
}


_ASCII: Mapping[str, Relation] = {">=": "≥", "<=": "≤"}


_HOLDS: Mapping[Relation, Callable[[Any, Any], bool]] = {
    "≥": operator.ge,
    ">": operator.gt,
    "≤": operator.le,
    "<": operator.lt,
}


def _exact_value(value: Any, what: str, *, absent: bool, infinite: bool) -> Any:
    """Read a number of a result exactly, as a model of the user's own may give it: an int or a double, or infinity."""
    if (value is None and absent) or isinstance(value, Fraction | ExactReal):
        return value
    if infinite and isinstance(value, float | np.floating) and np.isinf(value):
        return float(value)
    try:
        return as_fraction(value, what)
    except InputError as error:
        raise ProtocolError(str(error)) from None


def _bound(bound: Fraction | int | None) -> Fraction | None:
    return None if bound is None else Fraction(bound)


def _margin(value: Value, threshold: Fraction | ExactReal, worst_is: str) -> Value:
    if isinstance(value, float):  # infinite
        return math.inf if worst_is == "smallest" else -math.inf
    if isinstance(value, ExactReal):
        above = value.minus(threshold)
        return above if worst_is == "smallest" else above.negated()
    assert isinstance(threshold, Fraction)
    return value - threshold if worst_is == "smallest" else threshold - value
