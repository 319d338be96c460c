"""p-sensitive k-anonymity: enough records and enough different sensitive values in every class."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.combination import Combinable, united
from tcloseness.models.k_anonymity import KAnonymity
from tcloseness.models.l_diversity import DistinctLDiversity
from tcloseness.models.protocol import ModelResult, Monotone, PrivacyModel
from tcloseness.models.thresholds import Exact, texts, whole

__all__ = ["PSensitiveKAnonymity"]


@dataclass(frozen=True)
class PSensitiveKAnonymity(Combinable):
    """p-sensitive k-anonymity: every class has at least k records and at least p different sensitive values.

    Parameters
    ----------
    p, k
        Whole numbers ≥ 1, or None to measure only. A p above k asks for at least p records too.

    Notes
    -----
    The value is the least number of different values of a class, and the margin it minus p; the class sizes are in
    the result's `parts`. The paper asks it of each sensitive attribute apart. It is distinct ℓ-diversity with ℓ = p
    beside k-anonymity, so monotone under generalization and under suppression.

    References
    ----------
    T. M. Truta, B. Vinay, "Privacy Protection: p-Sensitive k-Anonymity Property", ICDE Workshops 2006.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 4}})
    >>> PSensitiveKAnonymity(p=2, k=3).evaluate(classes).violating.tolist()
    [1]
    """

    p: Exact[int | None] = Exact(whole, default=None)
    k: Exact[int | None] = Exact(whole, default=None)
    name = "p-sensitive k-anonymity"
    monotone = Monotone(generalization=True, suppression=True)

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """k-anonymity and distinct ℓ-diversity."""
        return (KAnonymity(self.k), DistinctLDiversity(self.p))

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the least number of different values, and the class sizes."""
        classes = in_shape(classes, ClassCounts)
        sizes, distinct = (part.evaluate(classes) for part in self.parts)
        distinct = replace(distinct, threshold_name="p")
        return united(
            self, classes, distinct, [sizes], citation="Truta and Vinay 2006", parameters=texts(p=self.p, k=self.k)
        )
