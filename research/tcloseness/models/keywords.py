"""The thresholds that people give by name, as keywords of `tcloseness.check` and as options: what each asks for.

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

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tcloseness.errors import InputError
from tcloseness.exact import shown_value
from tcloseness.ground import GroundDistance, greatest_distance
from tcloseness.models.beta_likeness import BasicBetaLikeness, EnhancedBetaLikeness
from tcloseness.models.delta_disclosure import DeltaDisclosure
from tcloseness.models.exp_epsilon import ExpEpsilonCloseness
from tcloseness.models.frequency_bounds import AlphaKAnonymity, FrequencyLDiversity
from tcloseness.models.k_anonymity import KAnonymity
from tcloseness.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity
from tcloseness.models.protocol import PrivacyModel
from tcloseness.models.t_closeness import TCloseness
from tcloseness.models.thresholds import at_most

__all__ = ["MOST_RECORDS", "THRESHOLDS", "Threshold", "models_of", "within_distances"]

MOST_RECORDS = 2**62
"""So many records a table can have: counts are kept in 64 bits."""

_COUNTED = "no table has more than 2⁶² records (counts are kept in 64 bits)"
_SHARES = "no share exceeds 1"


@dataclass(frozen=True)
class Threshold:
    """One threshold that has a name.

    Attributes
    ----------
    symbol
        As people write it.
    model
        Builds the model from the threshold (None only measures) and the ground distance.
    most
        The end of the range; None where it is that of the ground distance.
    why
        Why the range ends there.
    """

    symbol: str
    model: Callable[[Any, GroundDistance], PrivacyModel]
    most: int | None = MOST_RECORDS
    why: str = _COUNTED


def _recursive(pair: Any, _: GroundDistance) -> PrivacyModel:
    if pair is None:
        return RecursiveCLDiversity(2)
    if not (isinstance(pair, tuple | list) and len(pair) == 2):
        raise InputError(f"recursive is {shown_value(pair)}; it must be a pair (c, l), such as (3, 2)")
    c, l = pair  # noqa: E741
    return RecursiveCLDiversity(l, c=c)


THRESHOLDS: Mapping[str, Threshold] = {
    "k": Threshold("k", lambda k, _: KAnonymity(k)),
    "alpha": Threshold("α", lambda alpha, _: AlphaKAnonymity(alpha), 1, _SHARES),
    "distinct_l": Threshold("distinct ℓ", lambda l, _: DistinctLDiversity(l)),  # noqa: E741
    "entropy_l": Threshold("entropy ℓ", lambda l, _: EntropyLDiversity(l)),  # noqa: E741
    "frequency_l": Threshold("frequency ℓ", lambda l, _: FrequencyLDiversity(l)),  # noqa: E741
    "recursive": Threshold("recursive (c,ℓ)", _recursive),
    "beta": Threshold("β", lambda beta, _: BasicBetaLikeness(beta)),
    "enhanced_beta": Threshold("enhanced β", lambda beta, _: EnhancedBetaLikeness(beta)),
    "delta": Threshold("δ", lambda delta, _: DeltaDisclosure(delta), 62, f"{_COUNTED}, and log₂ of a ratio is ≤ 62"),
    "epsilon": Threshold(
        "ε", lambda epsilon, _: ExpEpsilonCloseness(epsilon), 43, f"{_COUNTED}, and ln of a ratio is < 43"
    ),
    "t": Threshold("t", lambda t, ground: TCloseness(t, ground=ground), None),
}
"""By keyword, in the order in which they are reported; the option is the keyword with hyphens."""


def models_of(thresholds: Mapping[str, Any], ground: GroundDistance) -> tuple[PrivacyModel, ...]:
    """Return one model for each threshold, in the order of `THRESHOLDS`; one that is None is only measured.

    Parameters
    ----------
    thresholds
        By keyword of `THRESHOLDS`, as they were given.
    ground
        The ground distance of t-closeness.

    Raises
    ------
    InputError
        For a threshold that is no number, or outside its range.

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
    unknown = [name for name in thresholds if name not in THRESHOLDS]
    if unknown:
        raise InputError(f"{unknown[0]!r} is not a threshold; they are {', '.join(THRESHOLDS)}")
    found = []
    for name, asked in THRESHOLDS.items():
        if name not in thresholds:
            continue
        given = thresholds[name]
        model = asked.model(given, ground)
        if given is not None:
            for number in given if name == "recursive" else (given,):
                if asked.most is None:
                    within_distances(number, ground, name)
                else:
                    at_most(number, name, Fraction(asked.most), asked.why)
        found.append(model)
    return tuple(found)


def within_distances(t: Any, ground: GroundDistance, name: str = "t") -> None:
    """Refuse a threshold that no distance exceeds.

    Raises
    ------
    InputError
        Naming the range.
    """
    most = greatest_distance(ground)
    if most:
        at_most(t, name, most, f"no distance exceeds {most} by the ground distance {ground.name}")
