"""The sets of Adult records, and what can be counted in them without generalizing anything.

Which records each paper uses is in `experiments.adult`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Literal, get_args

import pandas as pd

from experiments import adult
from tcloseness.microdata import ClassCounts
from tcloseness.models import EntropyLDiversity, RecursiveCLDiversity

__all__ = [
    "FIGURE_2",
    "FIGURE_4",
    "SAMPLE",
    "SENSITIVE",
    "SETS",
    "AgeInSample",
    "Diversity",
    "RecordSet",
    "ages_in_sample",
    "counts",
    "distinct",
    "diversity",
    "fewer_than",
    "records",
]

RecordSet = Literal["train-raw", "test-raw", "both-raw", "train-complete", "both-complete"]

SETS: tuple[RecordSet, ...] = get_args(RecordSet)
"""The sets of records: raw is all of them, complete those that miss none of the 15 cells."""

FIGURE_2 = {
    "a": "age",
    "b": "workclass",
    "c": "education",
    "d": "native-country",
    "e": "marital-status",
    "f": "race",
    "g": "sex",
    "h": "occupation",
    "i": "class",
}
"""Li et al. 2007, Figure 2: the attributes in its order, by the letter of their claim TC-21."""

FIGURE_4 = {
    "a": "age",
    "b": "sex",
    "c": "race",
    "d": "marital-status",
    "e": "education",
    "f": "native-country",
    "g": "workclass",
    "h": "class",
    "i": "occupation",
}
"""Machanavajjhala et al. 2006, Figure 4: the attributes in its order, by the letter of their claim LD-15."""

SENSITIVE = ("class", "occupation")
"""The two attributes that both figures mark as sensitive."""

SAMPLE = Fraction(1, 20)
"""The share that Machanavajjhala et al. 2006 draws: each record with this probability, independently."""


@cache
def records(rows: RecordSet) -> pd.DataFrame:
    """Return a set of records; those of the test file are what is left of both without the training file."""
    if rows == "test-raw":
        return adult.load("both-raw").iloc[len(adult.load("train-raw")) :].reset_index(drop=True)
    return adult.load(rows)


def distinct(rows: RecordSet, column: str) -> int:
    """Return how many different values a column has; a missing cell is none."""
    return int(records(rows)[column].nunique())


def counts(rows: RecordSet, column: str) -> dict[Any, int]:
    """Return how many records each value has: ages and other numbers by size, texts the most frequent first."""
    found = records(rows)[column].value_counts()
    pairs: list[tuple[Any, int]] = [(value, int(n)) for value, n in found.items()]
    numeric = column in adult.INTEGER_COLUMNS
    return dict(sorted(pairs) if numeric else sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


# ---------------------------------------------------------------------- how diverse a table can be


@dataclass(frozen=True)
class Diversity:
    """The most that ℓ-diversity can ask of a table, whatever is generalized.

    No class of a table is more diverse than all records together may be: ℓ-diversity is monotone under generalization.

    Attributes
    ----------
    effective_l
        exp(H) of all records, a double.
    entropy_l
        The greatest whole ℓ that entropy ℓ-diversity can have, decided exactly.
    least_c
        Recursive (c,2)-diversity needs c greater than this, n₁/(n₂ + …).
    """

    effective_l: float
    entropy_l: int
    least_c: Fraction


@cache
def diversity(rows: RecordSet, column: str) -> Diversity:
    """Measure all records as one class."""
    whole = ClassCounts.from_mapping({"all": counts(rows, column)})
    effective = float(EntropyLDiversity().evaluate(whole).value)
    near = round(effective)
    entropy_l = max(least for least in range(1, near + 2) if EntropyLDiversity(least).evaluate(whole).satisfied)
    least_c = RecursiveCLDiversity(l=2).evaluate(whole).value
    assert isinstance(least_c, Fraction)
    return Diversity(effective, entropy_l, least_c)


# ---------------------------------------------------------------------- the 5 % sample


@dataclass(frozen=True)
class AgeInSample:
    """An age and what a Bernoulli sample can be expected to hold of it.

    Attributes
    ----------
    age, records
        The age, and how many of all records have it.
    expected
        The expected number of its records in the sample.
    fewer_than_ten
        The probability that the sample holds fewer than 10 of them.
    """

    age: int
    records: int
    expected: Fraction
    fewer_than_ten: Fraction


def fewer_than(limit: int, n: int, share: Fraction) -> Fraction:
    """Return Σ_{k<limit} C(n,k)·sᵏ·(1−s)ⁿ⁻ᵏ, the chance that a Bernoulli sample holds fewer than `limit` of n records.

    >>> fewer_than(1, 2, Fraction(1, 2)), fewer_than(3, 2, Fraction(1, 2))
    (Fraction(1, 4), Fraction(1, 1))
    """
    a, b = share.numerator, share.denominator
    ways = sum(math.comb(n, k) * a**k * (b - a) ** (n - k) for k in range(min(limit, n + 1)))
    return Fraction(ways, b**n)


@cache
def ages_in_sample() -> tuple[AgeInSample, ...]:
    """Return the ages of the complete records of both files, the youngest first."""
    found = counts("both-complete", "age")
    return tuple(AgeInSample(int(age), n, n * SAMPLE, fewer_than(10, n, SAMPLE)) for age, n in found.items())
