"""What the papers count, under one drawn set of hierarchies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from experiments.adult_hierarchies import QUASI_IDENTIFIERS, occupation_groups
from experiments.adult_lattices import frequencies
from experiments.studies.hierarchy_sensitivity.universe import draw_five, draw_seven
from tcloseness.attacks import homogeneity_attack, similarity_attack
from tcloseness.lattice import RollUp, minimal_generalizations
from tcloseness.microdata import Hierarchy
from tcloseness.models import EntropyLDiversity, KAnonymity, PrivacyModel, RecursiveCLDiversity

__all__ = ["CRITERIA", "Counts", "counts_of", "five_counts", "seven_counts"]

Counts = dict[str, int]

CRITERIA: Mapping[str, PrivacyModel] = {
    "entropy 2": EntropyLDiversity(2),
    "recursive (4,4)": RecursiveCLDiversity(4, c=4),
    "recursive (4,2)": RecursiveCLDiversity(2, c=4),
}
"""What Li et al. 2007 counts minimal tables of, and what its (4,4) may have been."""


def five_counts(hierarchies: Mapping[str, Hierarchy]) -> Counts:
    """Count minimal 6-anonymous tables of the 45,222 records, and those that the homogeneity attack opens."""
    tables = {
        sensitive: RollUp(frequencies("both-complete", QUASI_IDENTIFIERS["L1"], sensitive), hierarchies, compiled=True)
        for sensitive in ("occupation", "class")
    }
    minimal = minimal_generalizations(tables["occupation"], KAnonymity(6)).minimal
    found = {"minimal": len(minimal)}
    for sensitive, table in tables.items():
        found[f"vulnerable, {sensitive}"] = sum(
            len(homogeneity_attack(table.unsorted(node)).affected) > 0 for node in minimal
        )
    return found


def seven_counts(hierarchies: Mapping[str, Hierarchy]) -> Counts:
    """Count minimal ℓ-diverse tables of the 30,162 records, those that the similarity attack opens, and its records."""
    table = RollUp(frequencies("train-complete", QUASI_IDENTIFIERS["T1"]), hierarchies, compiled=True)
    groups = occupation_groups("S1")
    found: Counts = {}
    for name, model in CRITERIA.items():
        minimal = minimal_generalizations(table, model).minimal
        attacks = [similarity_attack(table.unsorted(node), groups, level=1) for node in minimal]
        found[f"minimal, {name}"] = len(minimal)
        found[f"vulnerable, {name}"] = sum(len(attack.affected) > 0 for attack in attacks)
        found[f"most records, {name}"] = max((attack.records for attack in attacks), default=0)
    return found


def counts_of(kind: str, seed: int, number: int) -> Counts:
    """Draw the hierarchies of one number and count; the draw depends on nothing but the arguments."""
    rng = np.random.default_rng([seed, ("five", "seven").index(kind), number])
    return five_counts(draw_five(rng)) if kind == "five" else seven_counts(draw_seven(rng))
