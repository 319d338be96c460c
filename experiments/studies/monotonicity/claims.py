"""Checks of what Li et al. 2007 and Machanavajjhala et al. 2006 say about generalizing a table that satisfies a model.

Theorems are proved elsewhere; here they are looked at on every edge of a lattice over the paper's own records and
quasi-identifiers. The hierarchies are those that were fitted to its counts; the theorems hold for any.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from experiments.adult_lattices import shown
from experiments.claims import Outcome, check
from experiments.studies.monotonicity.edges import EVERY, Found, follow, left_at, tabulated
from tcloseness.attacks import Population, observed_beliefs
from tcloseness.exact import number_text
from tcloseness.microdata import ClassCounts

__all__ = ["LI", "MACHANAVAJJHALA"]

LI, MACHANAVAJJHALA = "T1", "L1"
"""The lattice of each paper."""

_SHARES = ("0", "0.04")
_CLOSE = ("t-closeness, equal", "t-closeness, ordered", "t-closeness, hierarchical")


def _every(lattice: str, model: str) -> list[Found]:
    """Return what was found at every threshold, without and with suppression."""
    return [found for found in follow(lattice, model, _SHARES) if found.threshold == EVERY]


def _outcome(lattice: str, *models: str) -> Outcome:
    found = [_every(lattice, model) for model in models]
    without, within = (sum(pair[i].violating for pair in found) for i in range(len(_SHARES)))
    (edges,) = {pair[0].edges for pair in found}
    number = f"{edges:,} edges of {shown([lattice])[0]}"
    asked = f", {len(models)} conditions on each" if len(models) > 1 else ""
    detail = (
        f"{number}{asked}, all thresholds: {without} are violated; {within} with up to 4 % of the records suppressed"
    )
    return Outcome(without == 0, detail=detail, presets=(lattice,))


@check("TC-32")
def _generalization_property() -> Outcome:
    return _outcome(LI, *_CLOSE)


@check("TC-33")
def _subset_property() -> Outcome:
    kinds, _ = tabulated(LI)
    nodes, subsets = kinds.without_one
    worse = [np.count_nonzero(left[subsets] > left[nodes]) for left in (left_at(LI, model) for model in _CLOSE)]
    return Outcome(
        not any(worse),
        detail=f"{len(nodes):,} pairs of a table of {shown([LI])[0]} and the same without one of its attributes, "
        f"{len(_CLOSE)} conditions on each, all thresholds: {sum(worse)} violate it",
        presets=(LI,),
    )


@check("LD-35")
def _entropy() -> Outcome:
    return _outcome(MACHANAVAJJHALA, "entropy l-diversity")


@check("LD-36")
def _both_disclosures() -> Outcome:
    return _outcome(MACHANAVAJJHALA, "pd-recursive (c,3)-diversity", "negative disclosure")


@check("LD-37")
def _k_anonymity() -> Outcome:
    return _outcome(MACHANAVAJJHALA, "k-anonymity")


@check("LD-34")
def _bayes_optimal_privacy() -> Outcome:
    """Two blocks of counts (2,1), f(s|a) = 1/4 and f(s|b) = 1/16, q equally frequent: fine apart, not together."""
    people = Population.from_mapping({"a": {0: "1/8", 1: "3/8"}, "b": {0: "1/32", 1: "15/32"}})
    apart = observed_beliefs(people, ClassCounts.from_mapping({"a": {0: 2, 1: 1}, "b": {0: 2, 1: 1}}))
    union = ClassCounts.from_mapping({"ab": {0: 4, 1: 2}})
    together = observed_beliefs(people, union, blocks={"a": "ab", "b": "ab"})
    low, high = Fraction(3, 8), Fraction(3, 4)
    before, after = (max(belief.posterior for belief in found.about("a")) for found in (apart, together))
    return Outcome(
        not apart.breaches(low, high) and bool(together.breaches(low, high)),
        detail=f"two blocks in which the greatest belief is {number_text(before)}; in their union it is "
        f"{number_text(after)}, above {number_text(high)}, from below {number_text(low)}",
    )
