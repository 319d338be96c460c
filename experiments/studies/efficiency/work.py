"""How many nodes a search checks, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from experiments.adult_criteria import model
from experiments.adult_hierarchies import QUASI_IDENTIFIERS, preset
from experiments.adult_lattices import frequencies, rolled
from tcloseness.lattice import RollUp, SearchResult, incognito, minimal_generalizations

__all__ = ["ALGORITHMS", "FIGURE_4", "Effort", "diverse", "of_seven"]

ALGORITHMS: dict[str, Callable[..., SearchResult]] = {
    "Incognito": incognito,
    "two-sided tagging": minimal_generalizations,
}
"""The published algorithm, which both papers use, and ours, which finds the same nodes."""

FIGURE_4 = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass")
"""The quasi-identifiers in the order of Machanavajjhala et al. 2006, Figure 4."""


@dataclass(frozen=True)
class Effort:
    """What one search took.

    Attributes
    ----------
    nodes
        The size of the lattice.
    checked, tagged
        How many nodes were checked on their class counts, and how many were settled without. Incognito counts the
        nodes of the lattices of all subsets of the quasi-identifiers.
    table_scans
        How many frequency sets the published Incognito takes from the table.
    satisfying, minimal
        What it found.
    seconds
        In one run, from the compressed table; on this machine.
    """

    nodes: int
    checked: int
    tagged: int
    table_scans: int
    satisfying: int
    minimal: int
    seconds: float


def _effort(table: RollUp, algorithm: str, wanted: Any) -> Effort:
    table.forget()
    begun = time.perf_counter()
    found = ALGORITHMS[algorithm](table, wanted)
    seconds = time.perf_counter() - begun
    work = found.work
    return Effort(
        len(table.lattice),
        work.checked,
        work.tagged,
        work.table_scans,
        len(found.satisfying),
        len(found.minimal),
        seconds,
    )


@cache
def of_seven(name: str, algorithm: str, criterion: str, parameter: int, size: int = 7) -> Effort:
    """Search a preset's lattice over the first `size` quasi-identifiers of Li et al. 2007, Figure 2."""
    table = rolled(name, "train-complete", "occupation", QUASI_IDENTIFIERS[name][:size])
    return _effort(table, algorithm, model(criterion, parameter))


@cache
def _diverse_table(name: str, size: int) -> RollUp:
    hierarchies = preset("ARX+race") | preset(name)  # for all seven, workclass and country of the public files
    names = FIGURE_4[:size]
    return RollUp(frequencies("both-complete", names), {key: hierarchies[key] for key in names})


@cache
def diverse(name: str, algorithm: str, criterion: str, parameter: int, size: int) -> Effort:
    """Search over the first `size` quasi-identifiers of Machanavajjhala et al. 2006, Figure 4, under a preset of five.

    The preset has no hierarchies for workclass and country; those of ARX's files are taken.
    """
    return _effort(_diverse_table(name, size), algorithm, model(criterion, parameter))
