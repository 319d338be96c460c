"""Guesses by a model that is fitted to a release itself: which share of them is right, and nothing else.

D. Kifer, "Attacks on Privacy and deFinetti's Theorem", SIGMOD 2009: the classes of a table by Anatomy teach how
sensitive values go with quasi-identifiers, and that separates the members of a class. The model here is naive Bayes,
fitted by expectation maximization; given the model, the values of a class are handed to its members in all ways, each
weighted by the product of p(value | quasi-identifiers). The attacker guesses for each member the value that is most
probable. Her probabilities are those of a model that is wrong in general and too sure of itself: they are not reported.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.attacks.replay import require_one_secret
from tcloseness.displayed import Explained, counted
from tcloseness.errors import InputError
from tcloseness.exact import IntArray, number_text, percent_of
from tcloseness.microdata.border import in_shape
from tcloseness.models.thresholds import whole
from tcloseness.release import Partition

__all__ = ["FittedGuesses", "fitted_guesses"]

LARGEST = 14
"""The most records of a class: its ways are counted over all subsets of its values."""


@dataclass(frozen=True)
class FittedGuesses(Explained):
    """How many persons' sensitive values a fitted model guesses right.

    Attributes
    ----------
    right
        How many.
    expected
        How many are right on average if each class's values are handed out at random: Σ_i (share of i's value in its
        class), exact.
    persons
        How many there are.
    rounds
        How often the model was fitted.
    """

    right: int
    expected: Fraction
    persons: int
    rounds: int
    citation = "Kifer, SIGMOD 2009"

    @property
    def share(self) -> Fraction:
        """The share of the persons whose value is guessed right."""
        return Fraction(self.right, self.persons)

    def _said(self) -> str:
        return self.sentence

    @property
    def sentence(self) -> str:
        """The result, for the one who publishes."""
        return (
            f"A statistical guess from the table itself is right for {self.right:,} of "
            f"{counted(self.persons, 'person')} ({percent_of(self.share)}; by chance "
            f"{percent_of(self.expected / self.persons)}); it is not certain of anybody."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready data; exact numbers are text."""
        return {
            "right": self.right,
            "persons": self.persons,
            "expected_by_chance": number_text(self.expected),
            "rounds": self.rounds,
            "sentence": self.sentence,
            "citation": self.citation,
        }


def fitted_guesses(partition: Partition, *, rounds: int = 30) -> FittedGuesses:
    """Return how many sensitive values a model guesses right that is fitted to quasi-identifiers and classes alone.

    p(s | q) ∝ Π_A p(q_A | s), with one record more of each value of A; P(member i has slot j of the class's values) is
    the sum over the ways with that, divided by the sum over all ways, of Π p(s | q).

    Parameters
    ----------
    partition
        The classes of a table whose quasi-identifiers are published as they are, such as `anatomy(…).partition`; its
        sensitive values are used for those of each class, and to count what is right.
    rounds
        How often the model is fitted, from random worlds on.

    Raises
    ------
    InputError
        For a class of more than 14 records, or a suppressed one.
    TableError
        For weights, or several sensitive attributes.

    Notes
    -----
    A guess, in floating-point numbers: nothing follows for a single person. Of equally probable values the one that
    comes first in the domain is guessed. The share differs by some percentage points between draws. Cost: 2^n·n² for
    classes of n records.

    References
    ----------
    Kifer 2009, §4.

    Examples
    --------
    Everybody aged 20 has flu and everybody aged 60 has gout; each class has one of both:

    >>> import pandas as pd
    >>> from tcloseness.microdata import Microdata
    >>> frame = pd.DataFrame({"age": [20, 60, 20, 60, 20, 40], "ill": ["flu", "gout", "flu", "gout", "flu", "cold"]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="ill")
    >>> found = fitted_guesses(Partition.of(table, [[0, 1], [2, 3], [4, 5]]))
    >>> found.right, found.expected
    (6, Fraction(3, 1))
    """
    partition = in_shape(partition, Partition)
    table, rounds = partition.table, whole(rounds, "rounds", least=1)
    require_one_secret(table)
    largest = int(partition.sizes.max())
    if partition.suppressed or largest > LARGEST:
        raise InputError(
            f"{partition.suppressed} records are suppressed, and the largest class has {largest} records; ways to hand "
            f"out values are counted for classes of up to {LARGEST} without suppression: give a table by Anatomy"
        )
    (column,) = table.sensitive
    codes = column.codes
    by_size: dict[int, list[IntArray]] = defaultdict(list)
    for group in partition.groups:
        by_size[len(group)].append(group)
    blocks = []
    expected = Fraction()
    for groups in by_size.values():
        members = np.stack(groups)
        values = np.sort(codes[members], axis=1)
        blocks.append((members, values))
        same = (codes[members][:, :, None] == values[:, None, :]).sum()
        expected += Fraction(int(same), members.shape[1])
    beliefs = _fitted([c.codes for c in table.quasi_identifiers], blocks, len(column.domain), rounds)
    right = 0
    for (members, values), of_slots in zip(blocks, beliefs, strict=True):
        size = members.shape[1]
        of_value = np.stack(
            [(of_slots * (values == values[:, j : j + 1])[:, None, :]).sum(axis=2) for j in range(size)], axis=2
        )
        best = of_value.argmax(axis=2)
        right += int((np.take_along_axis(values, best, axis=1) == codes[members]).sum())
    return FittedGuesses(right, expected, len(table), rounds)


Floats = npt.NDArray[np.float64]


def _fitted(columns: list[IntArray], blocks: list[tuple[IntArray, IntArray]], values: int, rounds: int) -> list[Floats]:
    """Return by block P(member i has slot j), shape (classes, members, slots)."""
    records = len(columns[0]) if columns else sum(members.size for members, _ in blocks)
    beliefs = [np.full((*members.shape, members.shape[1]), 1.0 / members.shape[1]) for members, _ in blocks]
    for _ in range(rounds):
        mass = np.zeros((records, values))
        for (members, held), each in zip(blocks, beliefs, strict=True):
            size = members.shape[1]
            np.add.at(mass, (members[:, :, None].repeat(size, 2), held[:, None, :].repeat(size, 1)), each)
        prior = mass.sum(axis=0)
        logs = np.zeros_like(mass)
        for codes in columns:
            together = np.zeros((int(codes.max()) + 1, values))
            np.add.at(together, codes, mass)
            logs += np.log((together + 1.0) / (prior + len(together)))[codes]
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        beliefs = []
        for members, held in blocks:
            own = np.take_along_axis(weights[members], held[:, None, :].repeat(members.shape[1], 1), axis=2) + 1e-300
            beliefs.append(_handed_out(own / own.max(axis=2, keepdims=True)))
    return beliefs


def _handed_out(weights: Floats) -> Floats:
    """Return P(member i has slot j) for matrices of weights, shape (classes, n, n): ratios of permanents."""
    classes, n, _ = weights.shape
    full = (1 << n) - 1
    ahead: list[dict[int, Floats]] = [{0: np.ones(classes)}]
    for i in range(n):
        reached: dict[int, Floats] = {}
        for used, weight in ahead[-1].items():
            for j in range(n):
                if not used >> j & 1:
                    key = used | 1 << j
                    reached[key] = reached.get(key, np.zeros(classes)) + weight * weights[:, i, j]
        ahead.append(reached)
    behind: dict[int, Floats] = {full: np.ones(classes)}
    found = np.zeros(weights.shape)
    for i in reversed(range(n)):
        earlier: dict[int, Floats] = {}
        for used, weight in ahead[i].items():
            total = np.zeros(classes)
            for j in range(n):
                if not used >> j & 1:
                    way = weights[:, i, j] * behind[used | 1 << j]
                    found[:, i, j] += weight * way
                    total = total + way
            earlier[used] = total
        behind = earlier
    return np.asarray(found / behind[0][:, None, None])
