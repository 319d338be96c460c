"""What a reader learns from the class counts alone: certain values, the surest guess, the range of beliefs.

Before, an outsider believes value s with probability Q(s); who finds a person's class g believes P_g(s) (Bayes-optimal
privacy without further knowledge: Machanavajjhala et al. 2006, §3).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tcloseness.exact import Rationals
from tcloseness.microdata import ClassCounts

__all__ = ["Findings", "Guess", "beliefs", "findings", "sizes"]


@dataclass(frozen=True)
class Guess:
    """The guess that a class's member has a value: right for `count` of the `size` records of the class.

    `prior` is the value's share of the reference distribution.
    """

    code: int
    count: int
    size: int
    prior: Fraction


@dataclass(frozen=True)
class Findings:
    """What one sensitive attribute's classes say."""

    # how many classes have one value only, and how many records are in them
    certain_classes: int
    certain_records: int
    surest: Guess  # the guess that is right most often; of several, that of the largest class, then of the first value


def findings(classes: ClassCounts) -> Findings:
    """Return what the classes say, exactly.

    Examples
    --------
    >>> found = findings(ClassCounts.from_mapping({"a": {"x": 2}, "b": {"x": 1, "y": 1}}))
    >>> found.certain_classes, found.certain_records, found.surest.prior
    (1, 2, Fraction(3, 4))
    """
    certain = np.flatnonzero(np.maximum.reduceat(classes.counts, classes.starts[:-1]) == classes.people)
    sizes_of_cells = classes.people[classes.class_of_cell]
    _, likeliest = Rationals(classes.counts, sizes_of_cells).largest()
    cell = int(likeliest[np.lexsort((classes.values[likeliest], -classes.counts[likeliest]))[0]])
    code = int(classes.values[cell])
    prior = Fraction(int(classes.reference[code]), int(classes.reference.sum()))
    if classes.persons is not None:  # who have several values: the mean of the classes' shares
        prior = Fraction(int(classes.counts[classes.values == code].sum()), classes.records)
    surest = Guess(code, int(classes.counts[cell]), int(sizes_of_cells[cell]), prior)
    return Findings(len(certain), int(classes.people[certain].sum()), surest)


def sizes(classes: ClassCounts) -> tuple[int, int]:
    """Return the size of the smallest class, and how many records are alone in theirs."""
    return int(classes.people.min()), int((classes.people == 1).sum())


def beliefs(classes: ClassCounts) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return for each value the least and the greatest P_g(s) over all classes; doubles, for figures."""
    m = len(classes.domain)
    shares = classes.counts / classes.class_sizes[classes.class_of_cell]
    greatest, least, present = np.zeros(m), np.ones(m), np.zeros(m, dtype=np.int64)
    np.maximum.at(greatest, classes.values, shares)
    np.minimum.at(least, classes.values, shares)
    np.add.at(present, classes.values, 1)
    least[present < len(classes)] = 0.0
    return least, greatest
