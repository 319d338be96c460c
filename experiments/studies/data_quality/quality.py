"""What anonymity costs: the best tables that satisfy a criterion, by three measures of data quality."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments import adult
from experiments.adult_criteria import model
from experiments.adult_hierarchies import preset
from experiments.adult_lattices import rolled
from tcloseness.lattice import RollUp, minimal_generalizations
from tcloseness.loss import AverageClassSize, Discernibility, Loss
from tcloseness.microdata import ClassCounts, FrequencySet

__all__ = ["FOUR", "SHARE", "Quality", "best", "kept", "of_four", "of_sample", "of_seven"]

FOUR = ("age", "sex", "race", "marital-status")
"""The quasi-identifiers of Machanavajjhala et al. 2006, Figure 7."""

SHARE = Fraction(1, 20)
"""The probability with which each record comes into a sample."""


@dataclass(frozen=True)
class Quality:
    """The best tables that satisfy a criterion; the three numbers may belong to different tables.

    Attributes
    ----------
    minimal
        How many tables are minimal.
    height
        The least generalization height.
    discernibility
        The least discernibility, Σ n_g².
    class_size
        The least mean class size, n / classes.
    """

    minimal: int
    height: int
    discernibility: int
    class_size: Fraction


def best(table: RollUp, wanted: Any) -> Quality | None:
    """Search for the tables that satisfy a model; None if there are none.

    Discernibility and mean class size never improve by generalizing, so the best are among the minimal tables.
    """
    found = minimal_generalizations(table, wanted)
    if not found.minimal:
        return None
    classes = [table.classes(node) for node in found.minimal]
    return Quality(
        len(found.minimal),
        min(map(sum, found.minimal)),
        int(min(_loss(Discernibility(), c) for c in classes)),
        min(_loss(AverageClassSize(), c) for c in classes),
    )


def _loss(loss: Loss, classes: ClassCounts) -> Fraction:
    value = loss.evaluate(classes).value
    assert isinstance(value, Fraction)
    return value


@cache
def of_seven(name: str, criterion: str, parameter: int) -> Quality | None:
    """Return the best tables of a seven-attribute preset on the 30,162 complete training records."""
    return best(rolled(name), model(criterion, parameter))


@cache
def of_four(name: str, criterion: str, parameter: int) -> Quality | None:
    """Return the best tables of a preset's lattice of `FOUR` on the 45,222 complete records."""
    return best(rolled(name, "both-complete", "occupation", FOUR), model(criterion, parameter))


@cache
def of_sample(name: str, criterion: str, parameter: int, seed: int) -> Quality | None:
    """Return the same on a Bernoulli sample: each record is kept with probability `SHARE`, by itself."""
    return best(_sampled(name, seed), model(criterion, parameter))


def kept(records: int, seed: int) -> npt.NDArray[np.bool_]:
    """Draw which records come into a sample."""
    draws = np.random.default_rng(seed).integers(SHARE.denominator, size=records)
    return np.asarray(draws < SHARE.numerator)


@cache
def _records() -> pd.DataFrame:
    return adult.load("both-complete")


@cache
def _sample(seed: int) -> FrequencySet:
    frame = _records()
    return FrequencySet.from_frame(frame[kept(len(frame), seed)], quasi_identifiers=list(FOUR), sensitive="occupation")


@cache
def _sampled(name: str, seed: int) -> RollUp:
    hierarchies = preset(name)
    return RollUp(_sample(seed), {key: hierarchies[key] for key in FOUR}, compiled=True)
