"""What is read off classes that were filled from buckets: sound on small tables, and a sample of Adult."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments import adult
from tcloseness.anonymize import closeness_first
from tcloseness.anonymize.buckets import even_quotas
from tcloseness.anonymize.closeness_first import _bucket_sizes
from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.attacks import consistent_originals, filled_classes_attack
from tcloseness.attacks.filled_classes import _replayed
from tcloseness.errors import InputError
from tcloseness.microdata import Microdata
from tcloseness.models import KAnonymity, TCloseness
from tcloseness.release import attributes_of


def places_of(table):
    """The place of each record by its quasi-identifiers."""
    rows = list(zip(*(column.codes.tolist() for column in table.quasi_identifiers), strict=True))
    order = {row: place for place, row in enumerate(sorted(set(rows)))}
    return np.array([order[row] for row in rows])


def attacked(table, k, t, known_class=None):
    """Run the method and the attack: nobody's value is known, or those of one class."""
    made = closeness_first(table, KAnonymity(k) & TCloseness(t, ground="ordered"), k=k, seed=1)
    class_of = np.asarray(made.grouped.class_of)
    codes = table.sensitive[0].codes
    quotas = even_quotas(_bucket_sizes(len(table), k), len(table) // k)
    values = [sorted(codes[class_of == g].tolist()) for g in range(class_of.max() + 1)]
    distances = SquaredDistances(attributes_of(table), [c.codes for c in table.quasi_identifiers])
    if known_class == "last":  # of those that are replayed and have no value twice, so that values show buckets
        order = _replayed(distances, class_of, places_of(table))
        known_class = [g for g, _ in order if len(set(values[g])) == k][-1]
    known = {} if known_class is None else {int(i): int(codes[i]) for i in np.flatnonzero(class_of == known_class)}
    return (
        made,
        codes.tolist(),
        filled_classes_attack(class_of, values, quotas, distances, places_of(table), known=known),
    )


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("known", [None, 0])
def test_what_is_left_includes_every_original_that_is_released_alike(number, known):
    """Eight persons and values that differ, classes of two: each original is released again."""
    rng = random.Random(f"filled {number}")
    frame = pd.DataFrame({"x": rng.sample(range(100), 8), "s": rng.sample(range(8), 8)})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    made, codes, found = attacked(table, 2, 1, known)
    assert made.done["mergers"] == 0
    method = lambda world: closeness_first(  # noqa: E731
        world, KAnonymity(2) & TCloseness(1, ground="ordered"), k=2, seed=1
    )
    exact = consistent_originals(table, method)
    value = table.sensitive[0].domain.values
    first = np.flatnonzero(np.asarray(made.grouped.class_of) == 0)
    for i, left in enumerate(found.left):
        assert codes[i] in left
        if known is None:
            assert {value.index(v) for v in exact.beliefs[i]} <= left
        elif i in first:
            assert left == {codes[i]}
    assert found.counts["persons"].certain >= (len(first) if known == 0 else 0)


def test_what_is_wrong_is_named():
    table = Microdata.from_frame(pd.DataFrame({"x": [1, 2], "s": ["a", "b"]}), quasi_identifiers="x", sensitive="s")
    distances = SquaredDistances(attributes_of(table), [c.codes for c in table.quasi_identifiers])
    classes = np.array([0, 0])
    with pytest.raises(InputError, match="give a row of quotas for each class"):
        filled_classes_attack(classes, [["a", "b"]], np.array([[1, 1], [1, 1]]), distances, np.arange(2))
    with pytest.raises(InputError, match="takes no record from some bucket"):
        filled_classes_attack(classes, [["a", "b"]], np.array([[2, 0]]), distances, np.arange(2))
    with pytest.raises(InputError, match="record 0 is said to have 'c', and its class does not have it"):
        filled_classes_attack(classes, [["a", "b"]], np.array([[1, 1]]), distances, np.arange(2), known={0: "c"})
    for known in ({2: "a"}, {-1: "a"}):
        with pytest.raises(InputError, match="and they are 0 to 1"):
            filled_classes_attack(classes, [["a", "b"]], np.array([[1, 1]]), distances, np.arange(2), known=known)
    with pytest.raises(InputError, match="other numbers of records than quotas says"):
        filled_classes_attack(classes, [["a", "b"]], np.array([[2, 1]]), distances, np.arange(2))
    with pytest.raises(InputError, match="give quotas as classes by buckets"):
        filled_classes_attack(classes, [["a", "b"]], np.array([[1, 1]]), distances, np.arange(1))
    with pytest.raises(InputError, match="give a row of quotas for each class"):
        filled_classes_attack(classes - 1, [["a", "b"]], np.array([[1, 1]]), distances, np.arange(2))


def test_what_cannot_be_is_a_contradiction_and_nobody_s_value_is_certain():
    """Each of two records is said to have the one value of the first bucket."""
    table = Microdata.from_frame(pd.DataFrame({"x": [1, 2], "s": ["a", "b"]}), quasi_identifiers="x", sensitive="s")
    distances = SquaredDistances(attributes_of(table), [c.codes for c in table.quasi_identifiers])
    known = {0: "a", 1: "a"}
    found = filled_classes_attack([0, 0], [["a", "b"]], [[1, 1]], distances, np.arange(2), known=known)
    assert found.contradiction is not None
    assert (found.counts["persons"].certain, found.facts) == (0, ())


@pytest.mark.parametrize("buckets", [62, 63, 64, 130])
def test_there_may_be_any_number_of_buckets(buckets):
    rows = pd.DataFrame({"x": range(buckets), "s": range(buckets)})
    table = Microdata.from_frame(rows, quasi_identifiers="x", sensitive="s")
    distances = SquaredDistances(attributes_of(table), [c.codes for c in table.quasi_identifiers])
    one = np.zeros(buckets, dtype=int), [list(range(buckets))], np.ones((1, buckets), dtype=int)
    known = {i: i for i in range(1, buckets)}
    found = filled_classes_attack(*one, distances, np.arange(buckets), known=known)
    assert found.left[0] == {0}


@pytest.mark.slow
@pytest.mark.parametrize(("k", "share"), [(3, "87.9"), (5, "83.3")])
def test_on_adult_one_class_s_values_give_away_most_others(k, share):
    """1,001 records; age, education-num and fnlwgt; of hours per week the ordered distance. The page says so too."""
    page = Path(__file__).resolve().parents[2] / "docs" / "secret_draws.md"
    assert f"{share} % of all values at k = {k}" in " ".join(page.read_text(encoding="utf-8").split())
    rows = adult.load("train-complete").sample(1001, random_state=1).reset_index(drop=True)
    names = ["age", "education-num", "fnlwgt"]
    table = Microdata.from_frame(rows, quasi_identifiers=names, sensitive="hours-per-week")
    for known, expected in ((None, "0.0"), ("last", share)):
        _, codes, found = attacked(table, k, Fraction(1, 2), known)
        assert all(code in left for code, left in zip(codes, found.left, strict=True))
        assert f"{100 * found.counts['persons'].certain / 1001:.1f}" == expected
