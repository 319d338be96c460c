"""An audit without the table's values: neutral names replace them, so that a report may be shared.

Classes become ``class 1``, ``class 2`` … and sensitive values ``value 1``, ``value 2`` …; the names of the columns, all
counts and all measured numbers stay. Where a sensitive attribute has an order its values are numbered in that order.
Otherwise, and for the classes, the numbers are shuffled, since a value's alphabetical place would show it to whoever
knows the domain. The shuffle is drawn secretly and anew for each report: from one that followed from the table, whoever
guesses the table, or which label is which, could confirm the guess.

Everything that reports read is replaced here, once. A field that this module does not know must be added to it: a test
compares `KNOWN_FIELDS` with the dataclasses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.attacks import AttackResult
from tcloseness.audit import AttributeAudit, Audit
from tcloseness.conventions import Conventions
from tcloseness.errors import InputError
from tcloseness.exact import IntArray, as_fraction
from tcloseness.ground import Cuts, GroundDistance
from tcloseness.ground.base import PackageGround
from tcloseness.loss import LossResult
from tcloseness.microdata import ClassCounts, ClassKeys, Domain
from tcloseness.models import ModelResult
from tcloseness.models.catalogue import MODELS
from tcloseness.release.draws import Draws

__all__ = ["KNOWN_FIELDS", "WITHHELD", "redacted", "redacted_result"]

WITHHELD = "(withheld)"

KNOWN_FIELDS = {
    "Audit": (
        "attributes records suppressed classes conventions quasi_identifiers dropped undefined redacted "
        "multi_attribute losses rows prover frequencies origin"
    ),
    "AttributeAudit": "classes results ground distances attacks over_rows",
    "Distance": "measure value classes",
    "AttackResult": "attack citation parameters affected records released findings sentence conventions",
    "LossResult": "loss formula citation value bounds terms better parameters suppressed conventions",
    "Undefined": "quantity sensitive why",
    "ClassCounts": "domain starts values counts reference sensitive keys suppressed conventions persons _dense",
    "ModelResult": (
        "model citation parameters status value margin values worst violating records_at_risk monotone conventions "
        "subject notes parts threshold relation threshold_name further bounds title reading why_infinite "
        "looks_at_values"
    ),
}
"""By class, the fields that are thought of here: either they hold no value of the table, or it is replaced."""

_SAFE_PARAMETERS = ("measure", "base", "absent", "unit")
"""Parameters that are words of ours; any other is kept only if it is a number."""

_OURS = {each.name for each in MODELS}
"""The names of this package's models."""

_LARGEST_GROUND = 200
"""The distances of at most so many values are kept, for the picture of the moves."""


def redacted(audit: Audit) -> Audit:
    """Return the audit with neutral names in place of all values.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness import FrequencySet, check
    >>> frame = pd.DataFrame({"zip": ["476**", "476**"], "salary": [3, 4]})
    >>> audit = check(FrequencySet.from_frame(frame, quasi_identifiers="zip", sensitive="salary"))
    >>> redacted(audit).attributes[0].classes.describe(0)
    {'class': {'class': '1'}, 'records': 2, 'counts': {'value 1': 1, 'value 2': 1}}
    """
    if audit.redacted:
        return audit
    draws = Draws()
    attributes = tuple(_attribute(attribute, draws, number) for number, attribute in enumerate(audit.attributes))
    return replace(
        audit,
        attributes=attributes,
        conventions=_conventions(audit),
        redacted=True,
        multi_attribute=tuple(_withheld_classes(result) for result in audit.multi_attribute),
        losses=tuple(replace(loss, conventions=_conventions(loss)) for loss in audit.losses),
        prover=None,
        frequencies=None,
        origin=replace(audit.origin, files=()),
    )


def _attribute(attribute: AttributeAudit, draws: Draws, number: int) -> AttributeAudit:
    classes, ordered = attribute.classes, attribute.classes.domain.order is not None
    # the same draw for every attribute: a class has one name in the whole report
    names = draws.permutation(len(classes), "classes") + 1
    m = len(classes.domain)
    order = np.arange(m) if ordered else draws.permutation(m, f"values of attribute {number}")
    return AttributeAudit(
        _counts(classes, names, order),
        tuple(_result(result, names) for result in attribute.results),
        None if attribute.ground is None else _ground(attribute.ground, order),
        attribute.distances,
        tuple(_attack(attack) for attack in attribute.attacks),
        None if attribute.over_rows is None else _attribute(attribute.over_rows, draws, number),
    )


def _attack(attack: AttackResult) -> AttackResult:
    """Keep the sentence and the counts, which hold no value; the findings are written from values and classes."""
    return replace(attack, findings=(), parameters=_parameters(attack), conventions=_conventions(attack))


def _withheld_classes(result: ModelResult) -> ModelResult:
    """Withhold which classes are meant: those of a joined attribute have no neutral names of their own."""
    nothing = np.zeros(0, dtype=np.intp)
    return replace(
        result, worst=nothing, violating=nothing, parameters=_parameters(result), conventions=_conventions(result)
    )


def redacted_result(result: ModelResult) -> ModelResult:
    """Return the result of a model without which classes are meant, and without what may name a value."""
    return _withheld_classes(_in_words_of_ours(result))


def _counts(classes: ClassCounts, names: npt.NDArray[np.int64], order: npt.NDArray[np.int64]) -> ClassCounts:
    m, number = len(classes.domain), len(classes)
    code = np.empty(m, dtype=np.int64)
    code[order] = np.arange(m)
    values = code[classes.values]
    within = np.lexsort((values, classes.class_of_cell))
    labels = Domain(tuple(range(1, number + 1)))
    redacted = ClassCounts.from_cells(
        Domain(tuple(f"value {i}" for i in range(1, m + 1)), classes.domain.order, classes.domain.declared),
        classes.starts,
        values[within],
        classes.counts[within],
        reference=classes.reference[order],
        sensitive=classes.sensitive,
        keys=ClassKeys(("class",), (labels,), {"class": names - 1}),
        suppressed=classes.suppressed,
    )
    return replace(redacted, conventions=_conventions(classes), persons=classes.persons)


def _result(result: ModelResult, names: npt.NDArray[np.int64]) -> ModelResult:
    return replace(
        _in_words_of_ours(result),
        parameters=_parameters(result),
        conventions=_conventions(result),
        worst=_by_name(result.worst, names),
        violating=_by_name(result.violating, names),
        parts=tuple(_result(part, names) for part in result.parts),
    )


def _in_words_of_ours(result: ModelResult) -> ModelResult:
    return result if _ours(result) else replace(result, title="", reading="", why_infinite="", notes=(), subject={})


def _ours(result: ModelResult) -> bool:
    """Say whether a model of this package made a result, or one that is made of such: their sentences hold no value."""
    head, _, which = result.model.partition(", ")
    if head in _OURS and which in ("", "greatest", "least"):
        return True
    joined = result.model == " & ".join(part.model for part in result.parts)
    return joined and all(map(_ours, result.parts))


def _by_name(indices: npt.NDArray[np.intp], names: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Return classes in the order of their new names; their old order is that of the values."""
    return indices[np.argsort(names[indices])]


def _harmless(name: str, text: str) -> bool:
    if name in _SAFE_PARAMETERS:
        return True
    try:
        as_fraction(text)
    except InputError:
        return False
    return True


def _parameters(of: ModelResult | AttackResult) -> dict[str, str]:
    """Return parameters without those that may name a value."""
    return {name: text if _harmless(name, text) else WITHHELD for name, text in of.parameters.items()}


def _conventions(of: Audit | ClassCounts | ModelResult | AttackResult | LossResult) -> Conventions:
    """Return conventions without the values that some of them name."""
    heads = {"marked ": "marked by a text (withheld)", "declared: ": "declared (withheld)"}
    named = {
        name: instead
        for name, text in of.conventions.items()
        for head, instead in heads.items()
        if head in text and (text.startswith(head) or ": " in text)
    }
    return of.conventions.but(named)


# ---------------------------------------------------------------------- the ground distance


@dataclass(frozen=True, eq=False)
class _Numbers:
    """A ground distance as its numbers alone, over values in another order."""

    name: str
    metric: bool
    denominator: int
    rows: IntArray
    cuts: Cuts | None

    @property
    def m(self) -> int:
        return len(self.rows)

    def distance(self, i: int, j: int) -> Fraction:
        return Fraction(int(self.rows[i][j]), self.denominator)

    def row(self, i: int) -> IntArray:
        return np.asarray(self.rows[i])

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "m": self.m}


def _ground(ground: GroundDistance, order: npt.NDArray[np.int64]) -> GroundDistance | None:
    if isinstance(ground, PackageGround) and ground.unchanged_by(order):
        return ground
    if ground.m > _LARGEST_GROUND:
        return None
    code = np.argsort(order)
    cuts = None if ground.cuts is None else replace(ground.cuts, order=code[ground.cuts.order])
    rows = np.array([ground.row(int(i))[order] for i in order])
    return _Numbers(ground.name, ground.metric, ground.denominator, rows, cuts)
