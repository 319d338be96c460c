"""What Li et al. 2007 counts, under one set of hierarchies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from experiments.adult_hierarchies import OCCUPATION_GROUPS, QUASI_IDENTIFIERS
from experiments.adult_lattices import frequencies
from experiments.all_groupings import value_sets
from experiments.studies.fit.universe import draw, hierarchies
from tcloseness.lattice import RollUp, minimal_generalizations
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.models import EntropyLDiversity, PrivacyModel, RecursiveCLDiversity

__all__ = ["CRITERIA", "GROUPINGS", "Counts", "counts_of", "seven_counts"]

Counts = dict[str, int]

CRITERIA: Mapping[str, PrivacyModel] = {
    "entropy 2": EntropyLDiversity(2),
    "recursive (4,4)": RecursiveCLDiversity(4, c=4),
    "recursive (4,2)": RecursiveCLDiversity(2, c=4),
}
"""What Li et al. 2007 counts minimal tables of, and what its (4,4) may have been."""

GROUPINGS = tuple(OCCUPATION_GROUPS)


def seven_counts(built: Mapping[str, Hierarchy], criteria: Iterable[str] = tuple(CRITERIA)) -> Counts:
    """Count minimal ℓ-diverse tables of the 30,162 records, those that the similarity attack opens, and its records.

    A table is open under three groups of occupations if all values of one of its classes are in one group.
    """
    table = RollUp(frequencies("train-complete", QUASI_IDENTIFIERS["T1"]), built, compiled=True)
    groups = {name: _sets(name, table.domain) for name in GROUPINGS}
    found: Counts = {}
    for criterion in criteria:
        minimal = minimal_generalizations(table, CRITERIA[criterion]).minimal
        found[f"minimal, {criterion}"] = len(minimal)
        classes = [table.unsorted(node) for node in minimal]
        for name, sets in groups.items():
            records = [
                int(each.class_sizes[(value_sets(each)[:, None] & ~sets == 0).any(axis=1)].sum()) for each in classes
            ]
            found[f"vulnerable, {criterion}, {name}"] = sum(n > 0 for n in records)
            found[f"most records, {criterion}, {name}"] = max(records, default=0)
    return found


def _sets(name: str, occupations: Domain) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return the set of codes of each group of a grouping."""
    return np.array([sum(1 << occupations.code(v) for v in group) for group in OCCUPATION_GROUPS[name].values()])


def counts_of(seed: int, number: int) -> Counts:
    """Draw the hierarchies of one number and count; the draw depends on nothing but the arguments."""
    return seven_counts(hierarchies("seven", draw("seven", np.random.default_rng([seed, 0, number]))))
