"""k-anonymity: every equivalence class has at least k records."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.exact import Rationals
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.combination import Combinable
from tcloseness.models.conditions import ClassCondition, LeastRecords
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import Exact, Option, texts, whole

__all__ = ["KAnonymity"]


@dataclass(frozen=True)
class KAnonymity(Combinable):
    """k-anonymity: min over classes of n_g ≥ k.

    Parameters
    ----------
    k
        A whole number ≥ 1, or None to measure only.

    Notes
    -----
    Counts records, or persons where a column names them; suppressed records are in no class. Monotone under
    generalization (a union is no smaller) and under suppression of classes.

    References
    ----------
    Machanavajjhala et al. 2006, Definition 2.2 (after Samarati and Sweeney 1998).

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 2}})
    >>> KAnonymity(3).evaluate(classes).status, KAnonymity().evaluate(classes).value
    ('violated', Fraction(2, 1))
    """

    k: Exact[int | None] = Exact(whole, default=None)
    name = "k-anonymity"
    monotone = Monotone(generalization=True, suppression=True)
    looks_at_values = False
    option = Option("k", "k", "K", "Each class has at least K records.", headline=True)

    @property
    def class_conditions(self) -> tuple[ClassCondition, ...]:
        """n ≥ k."""
        return () if self.k is None else (LeastRecords(self.k),)

    def measure_record(self, domain: Domain) -> dict[str, Any]:
        """See `tcloseness.models.protocol.PrivacyModel`."""
        return {"measure": "records"}

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the smallest class size; the margin is in records."""
        classes = in_shape(classes, ClassCounts)
        sizes = classes.people
        return result(
            self,
            classes,
            Rationals(sizes, np.ones_like(sizes)),
            citation="Machanavajjhala et al. 2006, Definition 2.2",
            parameters=texts(k=self.k),
            threshold=None if self.k is None else Fraction(self.k),
            worst_is="smallest",
            threshold_name="k",
            bounds=(1, None),
            reading="records of the smallest class",
        )
