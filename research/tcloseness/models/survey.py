"""Survey weights: what a sample says by its rows, and by the weights with which rows stand for the population.

A survey weight such as 775.16 is read exactly, as 19379/25. The share of a value in a class is the sum of its weights
over that of the class, so what depends on shares alone is the same for whole multiples of the weights: these are scaled
to the least whole numbers. A weight is an estimate of how many persons a row stands for and no count of records, so
what counts records is asked of the rows alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import InputError, TableError
from tcloseness.exact import INT64_MAX, as_fraction, number_text, scaled_integers, shown_value
from tcloseness.microdata import ClassCounts, FrequencySet
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text
from tcloseness.microdata.frequency import Reference
from tcloseness.microdata.roles import require_columns
from tcloseness.models.conditions import parts_of
from tcloseness.models.protocol import ModelResult, Monotone, PrivacyModel, require_model

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ByWeights", "SurveyResult", "of_shares", "survey_results", "weighted_table"]


def of_shares(model: object) -> bool:
    """Return whether a model says that it looks at shares alone, see `tcloseness.models.protocol.PrivacyModel`."""
    return getattr(model, "of_shares", False) is True


@dataclass(frozen=True, eq=False)
class ByWeights:
    """A model that is asked of shares by survey weights, beside models that are asked of the rows.

    Parameters
    ----------
    model
        One of shares, see `tcloseness.models.protocol.PrivacyModel`.
    weighted
        The same classes, counted by weights, see `weighted_table`.

    Notes
    -----
    It holds the counts of one table's classes, so it claims nothing about others.

    Examples
    --------
    >>> from tcloseness.models import FrequencyLDiversity
    >>> rows = ClassCounts.from_mapping({"a": {"flu": 1, "hiv": 1}})
    >>> weighted = ClassCounts.from_mapping({"a": {"flu": 19379, "hiv": 2}})
    >>> ByWeights(FrequencyLDiversity(2), weighted).evaluate(rows).status
    'violated'
    """

    model: PrivacyModel
    weighted: ClassCounts
    monotone = Monotone(generalization=False, suppression=False)

    def __post_init__(self) -> None:
        name = require_model(self.model).name
        if not of_shares(self.model):
            raise InputError(f"{name} counts records, and a survey weight is not a number of records; ask it of rows")

    @property
    def name(self) -> str:
        """The model's name, and by what it is asked."""
        return f"{self.model.name} by weights"

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure by the weights; the records at risk are rows.

        Raises
        ------
        TableError
            For other classes than those that were weighted.
        """
        classes = in_shape(classes, ClassCounts)
        both = (classes, self.weighted)
        labels = [[tuple(map(value_text, _as_tuple(each.label(g)))) for g in range(len(each))] for each in both]
        if labels[0] != labels[1]:
            raise TableError(f"{self.name} was counted over other classes than those of this table; count both alike")
        found = self.model.evaluate(self.weighted)  # whose parts may be numbers of records, which weights are not
        return replace(
            found,
            model=self.name,
            records_at_risk=int(classes.people[found.violating].sum()),
            monotone=self.monotone,
            parts=(),
            conventions=classes.conventions.but({**found.conventions, "weights": "survey weights; shares go by them"}),
        )


def _as_tuple(label: Any) -> tuple[Any, ...]:
    """Return the values of a class's label."""
    return label if isinstance(label, tuple) else (label,)


@dataclass(frozen=True, eq=False)
class SurveyResult(Displayed):
    """What one model says of a table with survey weights.

    Attributes
    ----------
    by_rows
        With each row as one record.
    by_weights
        With the shares by weights; None where the model counts records.
    reason
        Why it is None; else empty.
    rows, weight
        How many rows there are, and the sum of their weights.
    """

    by_rows: ModelResult
    by_weights: ModelResult | None
    reason: str
    rows: int
    weight: Fraction

    _withheld = ()

    def _said(self) -> str:
        weights = "not asked" if self.by_weights is None else self.by_weights.status
        return f"{self.by_rows.model}, {self.by_rows.status} by {counted(self.rows, 'row')}, {weights} by weights"

    def to_dict(self) -> dict[str, Any]:
        """Return both results as JSON-ready data."""
        return {
            "model": self.by_rows.model,
            "rows": self.rows,
            "weight": number_text(self.weight),
            "by_rows": self.by_rows.to_dict(),
            "by_weights": None if self.by_weights is None else self.by_weights.to_dict(),
            "reason": self.reason,
        }

    def _frame_rows(self) -> list[dict[str, Any]]:
        both = {"rows": self.by_rows, "weights": self.by_weights}
        return [
            {"model": each.model, "by": by, **{key: each.to_dict()[key] for key in ("status", "value", "threshold")}}
            for by, each in both.items()
            if each is not None
        ]


def survey_results(
    frame: pd.DataFrame,
    models: Sequence[PrivacyModel],
    *,
    weight: str,
    sensitive: str,
    reference: Reference = "released",
    **roles: Any,
) -> tuple[SurveyResult, ...]:
    """Return what each model says by the rows of a sample, and by their survey weights.

    p_(g,s) = Σ w_i over the rows i of class g with the value s / Σ w_i over the rows of g; q_s alike over all classes.

    Parameters
    ----------
    frame
        The sample. Weights are whole or decimal numbers, fractions, or their texts, each read exactly: ``"775.16"`` is
        19379/25, and so is 775.16. Read a file with ``dtype={weight: str}`` where texts have more than 15 digits.
    models
        Models; of those that are combined, each by itself.
    weight, sensitive
        The columns.
    reference
        Whether q is that of the ``"released"`` rows, or of ``"all"``, also suppressed ones.
    **roles
        ``quasi_identifiers`` and the other arguments of `Microdata.from_frame`.

    Returns
    -------
    tuple of SurveyResult
        One a model. Those of shares are asked of rows and of weights, others of rows alone.

    Raises
    ------
    TableError
        For a weight that is missing or not a positive number, weights with so many digits that their sum is not a
        64-bit whole number in their least common unit, a column that is not there or there twice, or an unknown
        reference.
    ProtocolError
        For what is not a model.

    References
    ----------
    Domingo-Ferrer, Mateo-Sanz, Torra, "Comparing SDC Methods for Microdata on the Basis of Information Loss and
    Disclosure Risk", ETK-NTTS 2001 (a sample's rows and the persons that they stand for).

    Examples
    --------
    >>> import pandas as pd
    >>> sample = pd.DataFrame({"q": ["a", "a", "b", "b"], "ill": ["flu", "hiv", "flu", "hiv"]})
    >>> sample["w"] = ["775.16", "775.16", "1550.32", "258.386666666666666"]
    >>> from tcloseness.models import FrequencyLDiversity, KAnonymity
    >>> k, ell = survey_results(sample, [KAnonymity(2), FrequencyLDiversity(2)], weight="w", quasi_identifiers="q",
    ...                         sensitive="ill")
    >>> ell.by_rows.status, ell.by_weights.status
    ('satisfied', 'violated')
    >>> k.by_rows.status, k.by_weights, k.reason
    ('satisfied', None, 'k-anonymity counts records, and a survey weight is not a number of records')
    """
    weighted, total = weighted_table(frame, weight=weight, sensitive=sensitive, **roles)
    rows, classes = (each.class_counts(sensitive, reference=reference) for each in (weighted.over_rows(), weighted))
    found = []
    for part in (part for model in models for part in parts_of(require_model(model))):
        shares = of_shares(part)
        reason = "" if shares else f"{part.name} counts records, and a survey weight is not a number of records"
        by_weights = replace(part.evaluate(classes), parts=()) if shares else None
        found.append(SurveyResult(part.evaluate(rows), by_weights, reason, len(frame), total))
    return tuple(found)


def weighted_table(frame: pd.DataFrame, *, weight: str, **roles: Any) -> tuple[FrequencySet, Fraction]:
    """Return a sample with its weights as the least whole numbers of the same ratios, and the sum of the weights.

    Raises
    ------
    TableError
        As `survey_results`.
    """
    require_columns([*frame.columns], {weight: "weight"})
    read = [_weight(cell, weight, row) for row, cell in enumerate(frame[weight].tolist(), 1)]
    if not read:
        raise TableError("the table has no rows, so nothing is weighted")
    whole, _ = scaled_integers(read)
    unit = math.gcd(*whole)
    least = [number // unit for number in whole]
    if sum(least) > INT64_MAX:
        raise TableError(
            f"weight column {weight!r} sums to more than 2⁶³ − 1 of the greatest unit of which all its weights are "
            "whole multiples; give weights of fewer digits, or correct one that is far from the others"
        )
    weighted = FrequencySet.from_frame(frame.assign(**{weight: least}), weight=weight, **roles)
    return weighted, sum(read, Fraction())


def _weight(cell: object, name: str, row: int) -> Fraction:
    try:
        number = as_fraction(cell)
    except InputError:
        number = Fraction(0)
    if number <= 0:
        raise TableError(
            f"weight column {name!r}, row {row} holds {shown_value(cell)}; a survey weight is a positive number, such "
            "as 775.16: leave out rows without one"
        )
    return number
