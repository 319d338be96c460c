"""Guesses of a fitted model: what chance gives, what is handed out, and the shares on Adult."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from importlib import import_module
from itertools import permutations
from math import prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from experiments import adult
from tcloseness.anonymize import anatomy
from tcloseness.attacks import fitted_guesses
from tcloseness.errors import InputError
from tcloseness.microdata import Microdata
from tcloseness.models import FrequencyLDiversity
from tcloseness.release import Partition


def table_of(secrets, ages=None):
    frame = pd.DataFrame({"age": ages or [1] * len(secrets), "s": list(secrets)})
    return Microdata.from_frame(frame, quasi_identifiers="age", sensitive="s")


@given(st.integers(1, 4), st.integers(0, 10**6))
def test_beliefs_given_the_model_are_shares_of_all_ways_by_weight(n, seed):
    weights = np.random.default_rng(seed).uniform(0.1, 1, (2, n, n))
    found = import_module("tcloseness.attacks.fitted_guesses")._handed_out(weights)
    for matrix, mine in zip(weights, found, strict=True):
        ways = {way: prod(matrix[i][j] for i, j in enumerate(way)) for way in permutations(range(n))}
        for i in range(n):
            for j in range(n):
                share = sum(w for way, w in ways.items() if way[i] == j) / sum(ways.values())
                assert abs(mine[i][j] - share) < 1e-12


def test_of_persons_who_are_alike_no_guess_is_better_than_chance():
    """All have one age, so the first value is guessed for both of each pair."""
    found = fitted_guesses(Partition.of(table_of("abababab"), [[0, 1], [2, 3], [4, 5], [6, 7]]))
    assert (found.right, found.expected, found.persons) == (4, 4, 8)
    assert found.share == Fraction(1, 2)
    assert json.loads(json.dumps(found.to_dict()))["expected_by_chance"] == "4"
    assert "not certain of anybody" in found.sentence


def test_what_goes_with_a_quasi_identifier_is_learned():
    """Persons aged 1 have a or b; the others have c or d; pairs are drawn."""
    rng = random.Random(1)
    ages = [1] * 100 + [2] * 100
    secrets = [rng.choice("ab") for _ in range(100)] + [rng.choice("cd") for _ in range(100)]
    order = rng.sample(range(200), 200)
    found = fitted_guesses(Partition.of(table_of(secrets, ages), [order[i : i + 2] for i in range(0, 200, 2)]))
    mixed = sum(ages[order[i]] != ages[order[i + 1]] for i in range(0, 200, 2))
    assert found.right >= 2 * mixed + (200 - 2 * mixed) * 0.4


def test_what_is_not_counted_is_named():
    with pytest.raises(InputError, match="1 records are suppressed, and the largest class has 3 records"):
        fitted_guesses(Partition.of(table_of("abca"), [[0, 1, 2]]))
    with pytest.raises(InputError, match="the largest class has 15 records"):
        fitted_guesses(Partition.of(table_of("a" * 15), [range(15)]))


NAMES = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]


@pytest.mark.slow
@pytest.mark.parametrize(("l", "share"), [(2, 83), (3, 68), (4, 56), (5, 45), (6, 38)])
def test_shares_guessed_right_on_adult(l, share):  # noqa: E741
    """Anatomy as it is shipped, of a given draw; between draws the share differs by some percentage points."""
    rows = adult.load("train-complete")
    table = Microdata.from_frame(rows, quasi_identifiers=NAMES, sensitive="occupation")
    found = fitted_guesses(anatomy(table, FrequencyLDiversity(l), seed=5).partition)
    assert abs(100 * found.share - share) <= 7
    assert found.right > Fraction(3, 2) * found.expected
    assert abs(100 * found.expected / found.persons - Fraction(100, l)) < Fraction(1, 2)
