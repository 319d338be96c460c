"""exp(ε)-closeness: t-closeness with the ratio distance, which reads as ε-differential privacy.

SD = Soria-Comas, Domingo-Ferrer, "Connecting privacy models: synergies between k-anonymity, t-closeness and
differential privacy", UNECE/Eurostat work session on statistical data confidentiality, 2013.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from tcloseness.errors import InputError
from tcloseness.exact import LogSum, Number, Rationals, as_fraction, log_of, number_text
from tcloseness.measures import Ratio
from tcloseness.microdata import ClassCounts
from tcloseness.models.combination import Combinable
from tcloseness.models.log_ratios import LACKS, log_ratios
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import at_least

__all__ = ["ExpEpsilonCloseness"]

_READING = (
    "read as ε-differential privacy: seeing the class of a person changes what an intruder holds for the probability "
    "of any set of that person's sensitive values by a factor of at most exp(ε), on two assumptions",
    "assumption 1: only the relation between quasi-identifiers and sensitive values is to be protected",
    "assumption 2: all that the intruder knows beforehand about a sensitive value is its distribution in the table",
)


@dataclass(frozen=True)
class ExpEpsilonCloseness(Combinable):
    """exp(ε)-closeness: max over classes of d(P_g, Q) ≤ exp(ε), d(P, Q) = max_S max(P(S)/Q(S), Q(S)/P(S)).

    Parameters
    ----------
    epsilon
        ε ≥ 0, or None to measure only.
    ratio
        The threshold as a ratio exp(ε) ≥ 1, in place of `epsilon`.

    Notes
    -----
    The value is the smallest ε, ln of the greatest ratio, in [0, ∞]; the ratio itself, a rational number, stands in
    the result's `subject`. r ≤ exp(ε) is decided as ln r ≤ ε, exactly: ε = 0 holds exactly where all classes have the
    table's distribution, and for a rational ε > 0 the two sides are never equal. Infinite as soon as a class lacks a
    value. The differential-privacy reading and the two assumptions it rests on are the result's `notes`. Monotone under
    generalization (the ratio distance is quasi-convex in P), not under suppression.

    References
    ----------
    SD Definition 5 and §4.

    Examples
    --------
    >>> import math
    >>> classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 5, "y": 1}})
    >>> found = ExpEpsilonCloseness(ratio=2).evaluate(classes)
    >>> found.status, found.subject["ratio"], float(found.value) == math.log(2)
    ('satisfied', '2', True)
    """

    epsilon: Number | None = None
    ratio: Number | None = field(default=None, kw_only=True)
    name = "exp(epsilon)-closeness"
    monotone = Monotone(generalization=True, suppression=False)

    def __post_init__(self) -> None:
        if self.epsilon is not None and self.ratio is not None:
            raise InputError("epsilon and ratio are both given; they are one threshold, exp(epsilon) = ratio")
        if self.epsilon is not None:
            object.__setattr__(self, "epsilon", at_least(self.epsilon, "epsilon", 0))
        if self.ratio is not None:
            object.__setattr__(self, "ratio", at_least(self.ratio, "ratio", 1))

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Measure ln of the greatest ratio of a class; the margin is ε minus it."""
        ratios: Rationals = Ratio().per_class(classes)
        threshold: Fraction | LogSum | None = None
        parameters = {}
        if self.epsilon is not None:
            threshold = as_fraction(self.epsilon)
            parameters = {"epsilon": number_text(threshold)}
        elif self.ratio is not None:
            threshold = log_of(as_fraction(self.ratio))
            parameters = {"ratio": number_text(as_fraction(self.ratio))}
        found = result(
            self,
            classes,
            log_ratios(ratios),
            citation="Soria-Comas and Domingo-Ferrer 2013, Definition 5",
            parameters=parameters,
            threshold=threshold,
            worst_is="largest",
            threshold_name="epsilon" if self.ratio is None else "ratio",
            scale="" if self.ratio is None else "exp",
            bounds=(0, None),
            reading="a class changes a value's probability by at most the factor exp of this"
            if self.ratio is None
            else "a class changes a value's probability by at most this factor",
            why_infinite=LACKS,
            conventions={
                "measure": Ratio.name,
                "unit": "nats",
                "absent values": "infinite",
            },
            notes=_READING,
        )
        return replace(found, subject={**found.subject, "ratio": number_text(ratios.largest()[0])})
