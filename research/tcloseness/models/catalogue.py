"""The models of one table, a line each; and the thresholds that people give by name.

Everything else that is to be known of a model it says itself, in its own file; see `tcloseness.models.protocol` for the
members that it must have, and those that it may.

A threshold that no table can attain or miss is a slip (``t = 20`` for 20 percent), and is refused here, at the border,
with the range. Models that are built by hand hold any value; then the results' sentences say that no table can break
it. The range is the same for every table:

* shares and distances end at 1, or at the greatest entry of a matrix;
* everything that counts records or values ends at 2⁶², since counts are kept in 64 bits; so do ratios of counts (c, β);
* logarithms of ratios of counts end at 62 bits, or 43 nats, unless they are infinite.

A threshold at the end of its range is answered. So is one that a given table cannot attain though another can, such as
ℓ = 5 over four values: no class satisfies it, and that is the answer.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar, cast

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import Exponential
from tcloseness.ground import GroundDistance, GroundSpec, greatest_distance
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.classes import require_values
from tcloseness.microdata.domain import NO_SENSITIVE
from tcloseness.models.beta_likeness import BasicBetaLikeness, EnhancedBetaLikeness
from tcloseness.models.conditions import parts_of
from tcloseness.models.delta_disclosure import DeltaDisclosure
from tcloseness.models.exp_epsilon import ExpEpsilonCloseness
from tcloseness.models.frequency_bounds import AlphaKAnonymity, FrequencyLDiversity
from tcloseness.models.k_anonymity import KAnonymity
from tcloseness.models.k_map import JournalistRisk, KMap
from tcloseness.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity
from tcloseness.models.n_t_closeness import NTCloseness
from tcloseness.models.negative_disclosure import NegativeDisclosure, NegativePositiveRecursive
from tcloseness.models.p_sensitive import PSensitiveKAnonymity
from tcloseness.models.positive_disclosure import PositiveDisclosureRecursive
from tcloseness.models.presence import DeltaPresence
from tcloseness.models.protocol import PrivacyModel, value_texts
from tcloseness.models.t_closeness import TCloseness
from tcloseness.models.thresholds import Option, at_most, called, name_of
from tcloseness.printable import Brief

__all__ = [
    "MODELS",
    "NAMED",
    "OPTIONS",
    "UsualValues",
    "Valued",
    "measured_of",
    "model_named",
    "models_of",
    "naming_thresholds",
    "require_thresholds",
    "taken_at_their_word",
    "within_distances",
]

F = TypeVar("F", bound=Callable[..., Any])

MODELS: tuple[type[Any], ...] = (
    KAnonymity,
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    RecursiveCLDiversity,
    BasicBetaLikeness,
    EnhancedBetaLikeness,
    DeltaDisclosure,
    ExpEpsilonCloseness,
    TCloseness,
    NTCloseness,
    PSensitiveKAnonymity,
    PositiveDisclosureRecursive,
    NegativeDisclosure,
    NegativePositiveRecursive,
    DeltaPresence,
    KMap,
    JournalistRisk,
)
"""In the order in which results are reported."""

NAMED: Mapping[str, type[Any]] = {model.option.keyword: model for model in MODELS if hasattr(model, "option")}
"""The models whose threshold people give by name, by keyword."""

OPTIONS: Mapping[str, Option] = {keyword: model.option for keyword, model in NAMED.items()}
"""How each of these thresholds is given."""


def model_named(keyword: str, threshold: Any = None, ground: GroundDistance | None = None) -> PrivacyModel:
    """Return the model of a keyword of `OPTIONS`; without a threshold it only measures.

    Examples
    --------
    >>> model_named("entropy_l", "3/2")
    EntropyLDiversity(l=Fraction(3, 2))
    """
    if keyword not in NAMED:
        raise InputError(f"{keyword!r} is not a threshold; they are {', '.join(OPTIONS)}")
    with _called(keyword):
        model: PrivacyModel = NAMED[keyword].asked(threshold, ground)
    return model


def _called(keyword: str) -> AbstractContextManager[None]:
    """Within this, messages call what a model reads by the keyword: ``l`` is ``entropy_l``, or ``l of recursive``."""
    name = name_of(keyword)
    parts = OPTIONS[keyword].pair or ()
    return called(lambda part: f"{part} of {name}" if part in parts else name)


def models_of(thresholds: Mapping[str, Any], ground: GroundDistance | None) -> tuple[PrivacyModel, ...]:
    """Return one model for each threshold, in the order of `OPTIONS`; one that is None is only measured.

    Parameters
    ----------
    thresholds
        By keyword of `OPTIONS`, as they were given.
    ground
        The ground distance of t-closeness; None where no threshold needs one.

    Raises
    ------
    InputError
        For a threshold that is not a number, or outside its range.

    Examples
    --------
    >>> from tcloseness.ground import Equal
    >>> models_of({"k": 2, "t": "1/5"}, Equal(3))[0]
    KAnonymity(k=2)
    >>> models_of({"t": 20}, Equal(3))
    Traceback (most recent call last):
        ...
    tcloseness.errors.InputError: t = 20; no distance exceeds 1 by the ground distance equal, so it must be ≤ 1; \
20 percent is 1/5 = 0.2
    """
    found = [model_named(name, thresholds[name], ground) for name in sorted(thresholds, key=_place)]
    for name, option in OPTIONS.items():
        given = thresholds.get(name)
        parts = {} if given is None else dict(zip(option.pair, given, strict=True)) if option.pair else {name: given}
        with _called(name):
            for part, number in parts.items():
                if option.most is None:
                    within_distances(number, ground, part)
                else:
                    at_most(number, part, Fraction(option.most), option.why)
    return tuple(found)


def measured_of(thresholds: Mapping[str, Any], sensitive: str) -> dict[str, Any]:
    """Return the threshold, or None, of each model that can be measured of an attribute, or where there is none.

    Raises
    ------
    TableError
        For a threshold of a model that looks at sensitive values, where the name says that there is no such attribute.

    Examples
    --------
    >>> measured_of({"k": 2}, "")
    {'k': 2}
    """
    of_sizes = [name for name, model in NAMED.items() if not getattr(model, "looks_at_values", True)]
    for name in NAMED:
        if name not in of_sizes and thresholds.get(name) is not None:
            require_values(NAMED[name].name, sensitive)
    return {name: thresholds.get(name) for name in (NAMED if sensitive else of_sizes)}


def _place(keyword: str) -> int:
    return list(OPTIONS).index(keyword) if keyword in OPTIONS else -1


def within_distances(t: Any, ground: GroundDistance | None, name: str = "t") -> None:
    """Refuse a threshold that no distance exceeds.

    Raises
    ------
    InputError
        Naming the range.
    """
    most = None if ground is None else greatest_distance(ground)
    if ground is not None and most:
        at_most(t, name, most, f"no distance exceeds {most} by the ground distance {ground.name}")


@dataclass(frozen=True)
class UsualValues(Brief):
    """What is measured of the sensitive values of every release, beside its k.

    Attributes
    ----------
    distinct_l, entropy_l, t
        Distinct and entropy ℓ-diversity, and t-closeness.
    """

    distinct_l: int
    entropy_l: Exponential
    t: Any

    @classmethod
    def of(cls, classes: ClassCounts, ground: GroundSpec) -> UsualValues | None:
        """Measure classes, t with a ground distance; None where the table has no sensitive attribute."""
        if not classes.has_values:
            return None
        effective_l = EntropyLDiversity().evaluate(classes).value
        assert isinstance(effective_l, Exponential)
        return cls(int(np.diff(classes.starts).min()), effective_l, TCloseness(ground=ground).evaluate(classes).value)


class Valued:
    """What has the usual values as its own; `TableError` where they are asked of a table without sensitive values."""

    values: UsualValues | None

    def _usual(self, what: str) -> UsualValues:
        if self.values is None:
            require_values(what, NO_SENSITIVE)
        return cast(UsualValues, self.values)

    @property
    def distinct_l(self) -> int:
        """The measured distinct ℓ-diversity."""
        return self._usual("distinct l-diversity").distinct_l

    @property
    def entropy_l(self) -> Exponential:
        """The measured entropy ℓ-diversity."""
        return self._usual("entropy l-diversity").entropy_l

    @property
    def effective_l(self) -> float:
        """Its entropy ℓ as a double."""
        return float(self.entropy_l)

    @property
    def t(self) -> Any:
        """The measured t-closeness."""
        return self._usual("t-closeness").t

    def _values_record(self) -> dict[str, Any]:
        """Return them as JSON-ready data; nothing where there are none."""
        if self.values is None:
            return {}
        return {
            "distinct_l": self.distinct_l,
            "entropy": value_texts(self.entropy_l.argument),
            "effective_l": f"{self.effective_l:.10g}",
            "t": value_texts(self.t),
        }


def taken_at_their_word(model: PrivacyModel) -> str:
    """Return what a proof about a model rests on besides: what models that are not of this package say of themselves.

    It is empty if there are none, else a clause that follows the proof.
    """
    names = dict.fromkeys(part.name for part in parts_of(model) if type(part) not in MODELS)
    if not names:
        return ""
    return f"; not certified: no checker for {', '.join(names)}, whose conditions and monotonicity are taken as given"


def require_thresholds(given: Mapping[str, Any], what: str) -> None:
    """Refuse a name that is not a threshold's, as Python refuses an unknown keyword."""
    for name in (name for name in given if name not in OPTIONS):
        close = difflib.get_close_matches(name, OPTIONS, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise TypeError(f"{what} has no keyword {name!r}; the thresholds are {', '.join(OPTIONS)}{hint}")


def naming_thresholds(function: F) -> F:
    """Let the signature and the help of a function name every threshold, where its help says THRESHOLDS."""
    signature = inspect.signature(function)
    *others, _ = signature.parameters.values()
    named = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in OPTIONS]
    function.__signature__ = signature.replace(parameters=[*others, *named])  # type: ignore[attr-defined]
    lines = "\n        ".join(f"* `{name}`: {option.help}" for name, option in OPTIONS.items())
    function.__doc__ = (function.__doc__ or "").replace("THRESHOLDS", lines)
    return function
