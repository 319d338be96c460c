"""The models whose verdicts are followed along the edges.

All models of `tcloseness.models` that judge a table by its classes' counts. δ-presence needs a population and
m-invariance a series of releases; what they say is not about one table's counts. A model of several sensitive
attributes asks a model of this list once for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from experiments.dataset_lattices import table
from tcloseness.lattice import Node, RollUp
from tcloseness.measures import ChiSquare, Hellinger, JensenShannon, KullbackLeibler
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    ExpEpsilonCloseness,
    FrequencyLDiversity,
    KAnonymity,
    NegativeDisclosure,
    NegativePositiveRecursive,
    NTCloseness,
    PositiveDisclosureRecursive,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)

__all__ = ["NATURAL", "Asked", "asked", "natural_supersets"]

NATURAL = "(n,t)-closeness"
"""The one model whose answer depends on more of a node than its classes' counts: on their natural supersets."""


@dataclass(frozen=True)
class Asked:
    """A model with its thresholds.

    Attributes
    ----------
    name
        How it is shown.
    models
        The model at each threshold, by the threshold in words.
    ordered
        Whether the model measures a class by one number, so that it can be asked for every threshold at once; not so
        if it joins two conditions.
    """

    name: str
    models: Mapping[str, PrivacyModel]
    ordered: bool = True

    @property
    def first(self) -> PrivacyModel:
        """The model at its first threshold."""
        return next(iter(self.models.values()))


@cache
def asked(name: str = "adult") -> tuple[Asked, ...]:
    """Return the models, those of one sensitive attribute with that of a table of `experiments.dataset_lattices`."""
    of = table(name)
    groups, disclosable, protected = of.groups, (of.common,), (of.rarer,)
    return (
        Asked("k-anonymity", {f"k = {k}": KAnonymity(k) for k in (5, 50)}),
        Asked("distinct l-diversity", {f"l = {n}": DistinctLDiversity(n) for n in (3, 8)}),
        Asked("p-sensitive k-anonymity", {"p = 3, k = 5": PSensitiveKAnonymity(p=3, k=5)}, ordered=False),
        Asked("entropy l-diversity", {f"l = {n}": EntropyLDiversity(n) for n in (2, 8)}),
        Asked("recursive (c,2)-diversity", {"c = 4": RecursiveCLDiversity(2, 4)}),
        Asked("recursive (c,4)-diversity", {"c = 4": RecursiveCLDiversity(4, 4)}),
        Asked(
            "pd-recursive (c,3)-diversity",
            {"c = 4": PositiveDisclosureRecursive(3, 4, allowed=disclosable)},
        ),
        Asked(
            "npd-recursive (c,c2,3)-diversity",
            {"c = 4, c2 = 1 %": NegativePositiveRecursive(3, 4, 1, allowed=disclosable, protected=protected)},
            ordered=False,
        ),
        Asked("negative disclosure", {f"c2 = {c} %": NegativeDisclosure(c, protected=protected) for c in (1, 5)}),
        Asked("frequency l-diversity", {f"l = {n}": FrequencyLDiversity(n) for n in (2, 4)}),
        Asked("(alpha,k)-anonymity", {"alpha = 1/2, k = 5": AlphaKAnonymity("1/2", 5)}, ordered=False),
        Asked("t-closeness, equal", {f"t = {t}": TCloseness(t, ground="equal") for t in ("0.2", "0.4")}),
        Asked("t-closeness, ordered", {f"t = {t}": TCloseness(t, ground="ordered") for t in ("0.1", "0.2")}),
        Asked("t-closeness, hierarchical", {f"t = {t}": TCloseness(t, ground=groups) for t in ("0.2", "0.4")}),
        Asked(
            "5-anonymity & t-closeness, ordered",
            {"k = 5, t = 0.2": KAnonymity(5) & TCloseness("0.2", ground="ordered")},
            ordered=False,
        ),
        Asked("t-closeness, Kullback-Leibler", {"t = 0.5": TCloseness("0.5", measure=KullbackLeibler())}),
        Asked("t-closeness, Jensen-Shannon", {"t = 0.1": TCloseness("0.1", measure=JensenShannon())}),
        Asked("t-closeness, Hellinger", {"t = 0.3": TCloseness("0.3", measure=Hellinger())}),
        Asked("t-closeness, chi-square", {"t = 0.5": TCloseness("0.5", measure=ChiSquare())}),
        Asked("basic beta-likeness", {f"beta = {b}": BasicBetaLikeness(b) for b in (1, 4)}),
        Asked("enhanced beta-likeness", {f"beta = {b}": EnhancedBetaLikeness(b) for b in (1, 4)}),
        Asked("delta-disclosure privacy", {f"delta = {d}": DeltaDisclosure(d) for d in (1, 4)}),
        Asked("exp(epsilon)-closeness", {f"ratio {r}": ExpEpsilonCloseness(ratio=r) for r in (4, 16)}),
        Asked(
            "delta-disclosure, absent skipped", {f"delta = {d}": DeltaDisclosure(d, absent="skipped") for d in (1, 4)}
        ),
    )


def natural_supersets(rolled: RollUp, node: Node) -> list[list[int]]:
    """Return for each direct generalization of a node the class of it that each class of the node lies in.

    These are the natural supersets that (n,t)-closeness is given: boxes that are one step wider in one attribute.
    Classes are in the order of ``rolled.unsorted(node)``.
    """
    inside = rolled.at(node).inside
    return [rolled.codes.keys(parent, inside)[0].tolist() for parent in rolled.lattice.parents(node)]


def natural_closeness(rolled: RollUp, node: Node, n: int) -> NTCloseness:
    """Return (n,t)-closeness, equal distance, for the classes of a node."""
    return NTCloseness(n, ground="equal", supersets=natural_supersets(rolled, node))
