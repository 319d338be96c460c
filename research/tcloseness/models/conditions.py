"""What a model asks of one equivalence class, without the model's name: the form that searches and programs read.

A class has n records, n_v of them with the sensitive value v, and p_v = n_v/n; q_v is the share of v in the reference
distribution Q, which stays that of the whole table. A model that is satisfied by a table exactly if every class meets
its conditions gives them as `class_conditions`; a model that is several at once gives these as `parts`. Both are
optional: of a model without them only `evaluate` is known, and it is decided by that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, TypeAlias

from tcloseness.errors import ProtocolError
from tcloseness.exact import number_text
from tcloseness.ground import GroundSpec, ground_distance, ground_record
from tcloseness.microdata import Domain
from tcloseness.microdata.canonical import canonical_value
from tcloseness.microdata.classes import require_values
from tcloseness.models.protocol import PrivacyModel, require_model

__all__ = [
    "ByEvaluation",
    "ClassCondition",
    "LeastEntropy",
    "LeastRecords",
    "LeastValues",
    "MostDistance",
    "ShareBounds",
    "TailBound",
    "asks_of_values",
    "conditions_of",
    "least_records",
    "parts_of",
    "recorded_values",
    "require_values_for",
    "stays_when_merged",
]


def recorded_values(values: Collection[Hashable] | None, domain: Domain) -> list[str] | None:
    """Return values as certificates write them; None for all."""
    return None if values is None else sorted(canonical_value(value) for value in values if value in domain)


@dataclass(frozen=True)
class LeastRecords:
    """n ≥ records."""

    records: int

    def record(self, domain: Domain) -> dict[str, Any] | None:
        """Return the condition as `tcloseness.certificates.conditions` reads it; None if no checker knows it."""
        return {"condition": "records", "least": self.records}


@dataclass(frozen=True)
class LeastValues:
    """At least so many of the n_v are positive."""

    values: int

    @property
    def l(self) -> int:  # noqa: E743
        """ℓ."""
        return self.values

    @property
    def records(self) -> int:
        """A class has no more values than records."""
        return self.values

    def record(self, domain: Domain) -> dict[str, Any] | None:
        """See `LeastRecords.record`."""
        return {"condition": "values", "least": self.values}


@dataclass(frozen=True)
class LeastEntropy:
    """−Σ p_v·ln p_v ≥ ln ℓ."""

    l: Fraction  # noqa: E741 (the papers' letter)

    @property
    def records(self) -> int:
        """The entropy of n records is at most ln n."""
        return ceil(self.l)

    def record(self, domain: Domain) -> dict[str, Any] | None:
        """See `LeastRecords.record`."""
        return {"condition": "entropy", "l": number_text(self.l)}


@dataclass(frozen=True)
class TailBound:
    """r_1 < c·(r_ℓ + … + r_m), the counts in falling order; with ℓ = 1 nothing is asked."""

    l: int  # noqa: E741
    c: Fraction

    @property
    def records(self) -> int:
        """With fewer than ℓ values r_ℓ + … + r_m = 0; and no class is empty."""
        return self.l

    def record(self, domain: Domain) -> dict[str, Any] | None:
        """See `LeastRecords.record`."""
        return {"condition": "tail", "l": self.l, "c": number_text(self.c)}


@dataclass(frozen=True)
class ShareBounds:
    """Each p_v is small enough, and large enough, for its q_v.

    Attributes
    ----------
    most
        Whether a share p is small enough beside q; with one share every smaller one is. None asks nothing.
    least
        Whether it is large enough; with one share every greater one is. Asked of the values with q > 0 only.
    values
        The values that are asked; None asks all.
    of_absent
        Whether `least` is asked of a value that the class lacks.
    l
        Where this is p ≤ 1/ℓ: the ℓ.
    share, gain
        Where this is p ≤ share, or p ≤ (1 + gain)·q: that number.
    """

    most: Callable[[Fraction, Fraction], bool] | None = None
    least: Callable[[Fraction, Fraction], bool] | None = None
    values: Collection[Hashable] | None = None
    of_absent: bool = True
    l: Fraction | None = None  # noqa: E741
    share: Fraction | None = None
    gain: Fraction | None = None
    records: ClassVar[int] = 0

    def record(self, domain: Domain) -> dict[str, Any] | None:
        """See `LeastRecords.record`."""
        if self.gain is not None:
            return {"condition": "gain", "most": number_text(self.gain)}
        if self.share is None:
            return None
        values = recorded_values(self.values, domain)
        return {"condition": "share", "most": number_text(self.share), "values": values}


@dataclass(frozen=True)
class MostDistance:
    """EMD[P, Q] ≤ t by a ground distance."""

    t: Fraction
    ground: GroundSpec
    records: ClassVar[int] = 0

    def record(self, domain: Domain) -> dict[str, Any] | None:
        """See `LeastRecords.record`; a ground distance without cuts has no checker."""
        ground = ground_distance(self.ground, domain)
        if ground.cuts is None:
            return None
        return {"condition": "distance", "t": number_text(self.t), "ground": ground_record(ground)}


@dataclass(frozen=True)
class ByEvaluation:
    """What the model's `evaluate` alone decides, yet for each class by itself.

    Attributes
    ----------
    why
        Why no other form is given, to be read after "since".
    """

    why: str
    records: ClassVar[int] = 0

    def record(self, domain: Domain) -> dict[str, Any] | None:
        """No checker knows it."""
        return None


ClassCondition: TypeAlias = (
    LeastRecords | LeastValues | LeastEntropy | TailBound | ShareBounds | MostDistance | ByEvaluation
)
"""Each says in `records` how many records a class needs for it at least."""


def parts_of(model: object) -> tuple[PrivacyModel, ...]:
    """Return the models that are asked for together, each of which has no parts.

    Raises
    ------
    ProtocolError
        For an object that is not a privacy model, or parts that are none.

    Examples
    --------
    >>> from tcloseness.models import DistinctLDiversity, PSensitiveKAnonymity
    >>> parts_of(PSensitiveKAnonymity(p=2, k=3) & DistinctLDiversity(4))
    (KAnonymity(k=3), DistinctLDiversity(l=2), DistinctLDiversity(l=4))
    """
    return _parts_of(model, ())


def _parts_of(model: object, within: tuple[object, ...]) -> tuple[PrivacyModel, ...]:
    whole = require_model(model)
    parts = getattr(whole, "parts", ())
    if not isinstance(parts, tuple | list) or any(each is whole for each in within):
        raise ProtocolError(f"the parts of the model {whole.name} are {parts!r:.80}; they are a tuple of other models")
    return tuple(each for part in parts for each in _parts_of(part, (*within, whole))) if parts else (whole,)


def short_of_records(model: Any, records: int) -> str:
    """Return that a model asks a class for more records than there are, for the end of a sentence; else nothing.

    Examples
    --------
    >>> from tcloseness.models import KAnonymity
    >>> short_of_records(KAnonymity(5), 4), short_of_records(KAnonymity(5), 5)
    (': a class must have at least 5 records, and there are only 4', '')
    """
    each_asked = [each for part in parts_of(model) for each in conditions_of(part) or ()]
    least = max((each.records for each in each_asked if isinstance(each, LeastRecords)), default=0)
    return f": a class must have at least {least:,} records, and there are only {records:,}" if least > records else ""


def conditions_of(part: PrivacyModel) -> tuple[ClassCondition, ...] | None:
    """Return what a model asks of each class by itself: nothing without a threshold, None where it is not known."""
    found = getattr(part, "class_conditions", None)
    if found is None:
        return None
    if not isinstance(found, tuple | list) or not all(isinstance(each, ClassCondition) for each in found):
        raise ProtocolError(
            f"class_conditions of the model {part.name} are {found!r:.80}; they are a tuple of conditions of "
            "tcloseness.models.conditions"
        )
    return tuple(found)


def least_records(model: PrivacyModel) -> int:
    """Return the greatest class size that is asked for as such, at least 1."""
    asked = [each for part in parts_of(model) for each in conditions_of(part) or ()]
    return max((each.records for each in asked if isinstance(each, LeastRecords)), default=1)


def asks_of_values(model: PrivacyModel) -> bool:
    """Say whether a model asks anything of the sensitive values, and not only of the number of records."""
    asked = [conditions_of(part) for part in parts_of(model)]
    return any(found is None or not all(isinstance(each, LeastRecords) for each in found) for found in asked)


def require_values_for(model: PrivacyModel, sensitive: str) -> PrivacyModel:
    """Return a model that a table with a sensitive attribute of this name, or without one, can be asked for.

    Raises
    ------
    TableError
        For a model that looks at sensitive values, where the name says that there is no such attribute.

    Examples
    --------
    >>> from tcloseness.models import KAnonymity
    >>> require_values_for(KAnonymity(2), "")
    KAnonymity(k=2)
    """
    for part in parts_of(model):
        if getattr(part, "looks_at_values", True):
            require_values(part.name, sensitive)
    return model


def stays_when_merged(part: PrivacyModel) -> bool:
    """Say whether a class that satisfies still does after a merger with *any* class, also one that violates.

    Only then do the records that a node must suppress never grow under generalization. Least numbers of records and of
    values have the property. Entropy, bounds on shares and distances do not: one large violating class spoils a
    satisfying one.
    """
    conditions = conditions_of(part)
    return bool(conditions) and all(isinstance(each, LeastRecords | LeastValues) for each in conditions or ())
