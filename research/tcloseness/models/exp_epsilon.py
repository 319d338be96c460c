"""exp(ε)-closeness: t-closeness with the ratio distance, which reads as ε-differential privacy.

Soria-Comas, Domingo-Ferrer, "Connecting privacy models: synergies between k-anonymity, t-closeness and
differential privacy", UNECE/Eurostat work session on statistical data confidentiality, 2013.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from typing import Any

from tcloseness.errors import InputError
from tcloseness.exact import Rationals, number_text
from tcloseness.measures import Ratio
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.combination import Combinable
from tcloseness.models.delta_disclosure import LACKS, log_ratios
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import COUNTED, Exact, Option, at_least, texts

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
    The value is the smallest ε, ln of the greatest ratio, in [0, ∞]; the ratio itself, a rational number, is in
    the result's `subject`. Where the threshold is a ratio, the value is the ratio, in [1, ∞], and ε is in the result's
    `further`. r ≤ exp(ε) is decided as ln r ≤ ε, exactly: ε = 0 holds exactly where all classes have the
    table's distribution, and for a rational ε > 0 the two sides are never equal. Infinite as soon as a class lacks a
    value. The differential-privacy reading and the two assumptions it rests on are the result's `notes`. Monotone under
    generalization (the ratio distance is quasi-convex in P), not under suppression.

    References
    ----------
    Soria-Comas and Domingo-Ferrer 2013, Definition 5 and §4.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 5, "y": 1}})
    >>> found = ExpEpsilonCloseness(ratio=2).evaluate(classes)
    >>> found.status, str(found.value), str(found.further["epsilon"])
    ('satisfied', '2', '≈ 0.6931471806')
    """

    epsilon: Exact[Fraction | None] = Exact(at_least, 0, default=None)
    _: KW_ONLY
    ratio: Exact[Fraction | None] = Exact(at_least, 1, default=None)
    name = "exp(epsilon)-closeness"
    of_shares = True
    monotone = Monotone(generalization=True, suppression=False)
    option = Option(
        "epsilon",
        "ε",
        "E",
        "No value's probability changes by more than exp(E) in a class.",
        most=43,
        why=f"{COUNTED}, and ln of a ratio is < 43",
    )

    def __post_init__(self) -> None:
        if self.epsilon is not None and self.ratio is not None:
            raise InputError("epsilon and ratio are both given; they are one threshold, exp(epsilon) = ratio")

    def measure_record(self, domain: Domain) -> dict[str, Any]:
        """See `tcloseness.models.protocol.PrivacyModel`."""
        return {"measure": "ratio", "absent": "infinite"}

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the greatest ratio of a class: its logarithm, or itself where the threshold is a ratio."""
        classes = in_shape(classes, ClassCounts)
        ratios: Rationals = Ratio().per_class(classes)
        in_nats = self.ratio is None
        found = result(
            self,
            classes,
            log_ratios(ratios) if in_nats else ratios,
            citation="Soria-Comas and Domingo-Ferrer 2013, Definition 5",
            parameters=texts(epsilon=self.epsilon, ratio=self.ratio),
            threshold=self.epsilon if in_nats else self.ratio,
            worst_is="largest",
            threshold_name="epsilon" if in_nats else "ratio",
            bounds=(0 if in_nats else 1, None),
            reading="a class changes a value's probability by at most the factor exp of this"
            if in_nats
            else "a class changes a value's probability by at most this factor",
            why_infinite=LACKS,
            conventions={
                "measure": Ratio.name,
                "unit": "nats" if in_nats else "the ratio itself",
                "absent values": "infinite",
            },
            notes=_READING,
        )
        also = {} if in_nats or isinstance(found.value, float) else {"epsilon": log_ratios(ratios).largest()[0]}
        subject = {**found.subject, "ratio": number_text(ratios.largest()[0])}
        return replace(found, subject=subject, further=also)
