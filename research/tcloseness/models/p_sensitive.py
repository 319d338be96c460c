"""p-sensitive k-anonymity: enough records and enough different sensitive values in every class."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tcloseness.microdata import ClassCounts
from tcloseness.models.combination import Combinable
from tcloseness.models.joint_results import united
from tcloseness.models.k_anonymity import KAnonymity
from tcloseness.models.l_diversity import DistinctLDiversity
from tcloseness.models.protocol import ModelResult, Monotone
from tcloseness.models.thresholds import whole

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

    p: int | None = None
    k: int | None = None
    name = "p-sensitive k-anonymity"
    monotone = Monotone(generalization=True, suppression=True)

    def __post_init__(self) -> None:
        for letter in ("p", "k"):
            if getattr(self, letter) is not None:
                object.__setattr__(self, letter, whole(getattr(self, letter), letter))

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Measure the least number of different values, and the class sizes."""
        parameters = {letter: str(n) for letter, n in (("p", self.p), ("k", self.k)) if n is not None}
        distinct = DistinctLDiversity(self.p).evaluate(classes)
        sizes = KAnonymity(self.k).evaluate(classes)
        distinct = replace(distinct, threshold_name="p")
        return united(self, classes, distinct, [sizes], citation="Truta and Vinay 2006", parameters=parameters)
