"""t-closeness: in every equivalence class the sensitive attribute is distributed almost as in the whole table.

Li, Li, Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and ℓ-Diversity", ICDE 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tcloseness.errors import InputError
from tcloseness.ground import GroundDistance, GroundSpec, ground_distance, ground_record
from tcloseness.measures import EMD, Measure, Variational, class_distances, merging_never_increases
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.combination import Combinable
from tcloseness.models.conditions import ByEvaluation, ClassCondition, MostDistance
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import Exact, Option, at_least, texts

__all__ = ["INFINITE_DISTANCE", "TCloseness"]

INFINITE_DISTANCE = "by this distance a class is infinitely far from the reference"
"""Why the value is infinite."""


@dataclass(frozen=True)
class TCloseness(Combinable):
    """t-closeness: max over classes of D[P_g, Q] ≤ t.

    Parameters
    ----------
    t
        The threshold, read exactly (``0.2`` and ``"1/5"`` are the same), ≥ 0; None to measure only.
    ground
        The ground distance of the Earth Mover's Distance, see `tcloseness.ground.ground_distance`. Not guessed from the
        data's type.
    measure
        Another distance in place of the EMD.

    Notes
    -----
    ≤ is exact: a class at distance exactly 1/5 is 0.2-close. With a convex measure the model is monotone under
    generalization (Li et al. 2007, Fact 2 and Generalization Property) and under taking fewer quasi-identifiers (Subset
    Property); it is not monotone under suppression, which changes the reference distribution.

    References
    ----------
    Li et al. 2007, Definition 2, §4.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {1: 1, 2: 1}, "b": {3: 1, 4: 1}})
    >>> TCloseness("1/3", ground="ordered").evaluate(classes).value
    Fraction(1, 3)
    """

    t: Exact[Fraction | None] = Exact(at_least, 0, default=None)
    ground: GroundSpec | None = None
    measure: Measure | None = None
    name = "t-closeness"
    of_shares = True
    option = Option(
        "t", "t", "T", "Each class is at most T away from the reference distribution.", most=None, headline=True
    )

    @classmethod
    def asked(cls, threshold: Any, ground: GroundDistance) -> TCloseness:
        """Return the model of a threshold, by the EMD."""
        return cls(threshold, ground=ground)

    def __post_init__(self) -> None:
        if (self.ground is None) == (self.measure is None):
            raise InputError("t-closeness needs a ground distance, or a measure in place of the EMD, and not both")

    @property
    def distance(self) -> Measure:
        """The measure in use."""
        return self.measure if self.ground is None else EMD(self.ground)  # type: ignore[return-value]

    @property
    def monotone(self) -> Monotone:
        """Monotone under generalization if the measure is convex, or quasi-convex; never under suppression."""
        return Monotone(generalization=merging_never_increases(self.distance), suppression=False)

    @property
    def class_conditions(self) -> tuple[ClassCondition, ...]:
        """EMD ≤ t. Others `evaluate` decides."""
        if self.t is None:
            return ()
        ground = _ground_of(self.distance)
        if ground is not None:
            return (MostDistance(self.t, ground),)
        why = f"t-closeness by {self.distance.name} is not linear in the counts of a class; use an EMD"
        return (ByEvaluation(why),)

    def measure_record(self, domain: Domain) -> dict[str, Any] | None:
        """See `tcloseness.models.protocol.PrivacyModel`; None for a distance that is not an EMD by cuts."""
        spec = _ground_of(self.distance)
        ground = None if spec is None else ground_distance(spec, domain)
        if ground is None or ground.cuts is None:
            return None
        return {"measure": "distance", "ground": ground_record(ground)}

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the greatest distance of a class from the reference; the margin is t minus it."""
        classes = in_shape(classes, ClassCounts)
        measure = self.distance
        bound = measure.over(classes.domain)
        return result(
            self,
            classes,
            class_distances(bound, classes),
            citation="Li et al. 2007, Definition 2",
            parameters={"measure": measure.name, **texts(t=self.t)},
            threshold=self.t,
            worst_is="largest",
            threshold_name="t",
            bounds=(0, getattr(bound, "greatest", None)),
            reading="distance of the farthest class from the whole table",
            why_infinite=INFINITE_DISTANCE,
            conventions={
                "measure": measure.name,
                "order of the values": classes.domain.order or "none",
            },
        )


def _ground_of(measure: Measure) -> GroundSpec | None:
    """Return the ground distance of an EMD; the variational distance is one, by the equal ground distance."""
    if type(measure) is EMD:
        return measure.ground
    return "equal" if type(measure) is Variational else None
