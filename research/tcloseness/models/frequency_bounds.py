"""How frequent may one sensitive value be in a class? (α,k)-anonymity, and the frequency form of ℓ-diversity."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.exact import Rationals
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.combination import Combinable, united
from tcloseness.models.conditions import ClassCondition, LeastRecords, ShareBounds, recorded_values
from tcloseness.models.declared_values import as_values, codes_of, listed
from tcloseness.models.k_anonymity import KAnonymity
from tcloseness.models.protocol import ModelResult, Monotone, PrivacyModel, result
from tcloseness.models.thresholds import Exact, Option, at_least, between, texts, whole

__all__ = ["AlphaKAnonymity", "FrequencyLDiversity"]


@dataclass(frozen=True)
class AlphaKAnonymity(Combinable):
    """(α,k)-anonymity: every class has n_g ≥ k records, and in no class is max_s p_s > α.

    Parameters
    ----------
    alpha
        The greatest share of a class that one sensitive value may have, 0 < α ≤ 1, or None to measure only.
    k
        A whole number ≥ 1, or None not to ask for it.
    values
        The sensitive values that α bounds; None bounds all of them.

    Notes
    -----
    The value is the greatest share, in (0, 1] (0 if none of the declared values occurs), and the margin α minus it;
    the class sizes are in the result's `parts`. ≤ is exact. Monotone under generalization (the share in a union is a
    mean of the parts' shares) and under suppression. The paper bounds one or several declared values and, in its
    general form, all of them.

    References
    ----------
    R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang, "(α, k)-Anonymity: An Enhanced k-Anonymity Model for Privacy
    Preserving Data Publishing", KDD 2006.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 2, "y": 2}, "b": {"x": 1, "y": 3}})
    >>> AlphaKAnonymity("3/4", 4).evaluate(classes).status, AlphaKAnonymity(values=["x"]).evaluate(classes).value
    ('satisfied', Fraction(1, 2))
    """

    alpha: Exact[Fraction | None] = Exact(between, 0, 1, default=None, above=True)
    k: Exact[int | None] = Exact(whole, default=None)
    values: Exact[tuple[Hashable, ...] | None] = Exact(as_values, default=None)
    name = "(alpha,k)-anonymity"
    monotone = Monotone(generalization=True, suppression=True)
    option = Option(
        "alpha", "α", "A", "No value fills more than the share A of a class.", most=1, why="no share exceeds 1"
    )

    @property
    def of_shares(self) -> bool:
        """Whether it asks for no number of records, see `tcloseness.models.protocol.PrivacyModel`."""
        return self.k is None

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """k-anonymity, if it is asked for, and the bound on shares."""
        if self.k is None:
            return ()
        shares = () if self.alpha is None else (AlphaKAnonymity(self.alpha, None, self.values),)
        return (KAnonymity(self.k), *shares)

    @property
    def class_conditions(self) -> tuple[ClassCondition, ...]:
        """n ≥ k, and p ≤ α for the values bounded."""
        sizes = () if self.k is None else (LeastRecords(self.k),)
        if (alpha := self.alpha) is None:
            return sizes
        return (*sizes, ShareBounds(most=lambda p, _: p <= alpha, values=self.values, share=alpha))

    def measure_record(self, domain: Domain) -> dict[str, Any]:
        """See `tcloseness.models.protocol.PrivacyModel`."""
        return {"measure": "share", "values": recorded_values(self.values, domain)}

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the greatest share of a bounded value in a class, and the class sizes."""
        classes = in_shape(classes, ClassCounts)
        bounded = "all sensitive values" if self.values is None else f"declared: {listed(self.values)}"
        parameters = texts(alpha=self.alpha)
        citation = "Wong et al. 2006"
        share = result(
            self,
            classes,
            _greatest_shares(classes, self.values),
            citation=citation,
            parameters=parameters,
            threshold=self.alpha,
            worst_is="largest",
            threshold_name="alpha",
            bounds=(0, 1),
            reading="share of the commonest value of a class",
            conventions={"values bounded": bounded},
        )
        sizes = KAnonymity(self.k).evaluate(classes)
        return united(self, classes, share, [sizes], citation=citation, parameters={**parameters, **sizes.parameters})


@dataclass(frozen=True)
class FrequencyLDiversity(Combinable):
    """The frequency form of ℓ-diversity: in every class max_s p_s ≤ 1/ℓ.

    Parameters
    ----------
    l
        A number ≥ 1 (it need not be whole), or None to measure only.

    Notes
    -----
    The value of a class is n/r₁, the greatest ℓ for which it holds, in [1, ∞); it is at most the number of different
    values, and at most exp of the entropy. Implied by neither distinct nor recursive ℓ-diversity. Monotone under
    generalization and under suppression.

    References
    ----------
    X. Xiao, Y. Tao, "Anatomy: Simple and Effective Privacy Preservation", VLDB 2006, Definition 2.

    Examples
    --------
    >>> FrequencyLDiversity(2).evaluate(ClassCounts.from_mapping({"a": {"x": 2, "y": 1, "z": 1}})).status
    'satisfied'
    """

    l: Exact[Fraction | None] = Exact(at_least, 1, default=None)  # noqa: E741 (the papers' letter)
    name = "frequency l-diversity"
    of_shares = True
    monotone = Monotone(generalization=True, suppression=True)
    option = Option("frequency_l", "frequency ℓ", "L", "No value fills more than 1/L of a class.")

    @property
    def class_conditions(self) -> tuple[ClassCondition, ...]:
        """p ≤ 1/ℓ."""
        if (l := self.l) is None:  # noqa: E741
            return ()
        return (ShareBounds(most=lambda p, _: p * l <= 1, l=l, share=1 / l),)

    def measure_record(self, domain: Domain) -> dict[str, Any]:
        """See `tcloseness.models.protocol.PrivacyModel`."""
        return {"measure": "commonest"}

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the least n/r₁ of a class; the margin is it minus ℓ."""
        classes = in_shape(classes, ClassCounts)
        shares = _greatest_shares(classes, None)
        return result(
            self,
            classes,
            Rationals(shares.denominators, shares.numerators),
            citation="Xiao and Tao 2006, Definition 2",
            parameters=texts(l=self.l),
            threshold=self.l,
            worst_is="smallest",
            threshold_name="l",
            bounds=(1, None),
            reading="a guess is right for at most one in so many",
            conventions={"values bounded": "all sensitive values"},
        )


def _greatest_shares(classes: ClassCounts, values: Collection[Hashable] | None) -> Rationals:
    """Return r₁/n of each class, r₁ over the given values."""
    counts = classes.counts
    if values is not None:
        counts = np.where(np.isin(classes.values, codes_of(classes.domain, values)), counts, 0)
    return Rationals(np.maximum.reduceat(counts, classes.starts[:-1]), classes.people)
