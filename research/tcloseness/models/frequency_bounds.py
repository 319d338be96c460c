"""How frequent may one sensitive value be in a class? (α,k)-anonymity, and the frequency form of ℓ-diversity."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass

import numpy as np

from tcloseness.exact import Number, Rationals, as_fraction, number_text
from tcloseness.microdata import ClassCounts
from tcloseness.models.combination import Combinable
from tcloseness.models.declared_values import as_values, codes_of, listed
from tcloseness.models.joint_results import united
from tcloseness.models.k_anonymity import KAnonymity
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import at_least, between, whole

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

    alpha: Number | None = None
    k: int | None = None
    values: Collection[Hashable] | None = None
    name = "(alpha,k)-anonymity"
    monotone = Monotone(generalization=True, suppression=True)

    def __post_init__(self) -> None:
        if self.alpha is not None:
            object.__setattr__(self, "alpha", between(self.alpha, "alpha", 0, 1, above=True))
        if self.k is not None:
            object.__setattr__(self, "k", whole(self.k, "k"))
        if self.values is not None:
            object.__setattr__(self, "values", as_values(self.values, "values"))

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Measure the greatest share of a bounded value in a class, and the class sizes."""
        alpha = None if self.alpha is None else as_fraction(self.alpha)
        bounded = "all sensitive values" if self.values is None else f"declared: {listed(self.values)}"
        parameters = {} if alpha is None else {"alpha": number_text(alpha)}
        citation = "Wong et al. 2006"
        share = result(
            self,
            classes,
            _greatest_shares(classes, self.values),
            citation=citation,
            parameters=parameters,
            threshold=alpha,
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

    l: Number | None = None  # noqa: E741 (the papers' letter)
    name = "frequency l-diversity"
    monotone = Monotone(generalization=True, suppression=True)

    def __post_init__(self) -> None:
        if self.l is not None:
            object.__setattr__(self, "l", at_least(self.l, "l", 1))

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Measure the least n/r₁ of a class; the margin is it minus ℓ."""
        l = None if self.l is None else as_fraction(self.l)  # noqa: E741
        shares = _greatest_shares(classes, None)
        return result(
            self,
            classes,
            Rationals(shares.denominators, shares.numerators),
            citation="Xiao and Tao 2006, Definition 2",
            parameters={} if l is None else {"l": number_text(l)},
            threshold=l,
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
    return Rationals(np.maximum.reduceat(counts, classes.starts[:-1]), classes.class_sizes)
