"""The checkers' conditions are the models' own, on every class."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from proofs_tests.certificates.tables import TREE, models
from tcloseness.certificates.conditions import Conditions, cuts_of, described
from tcloseness.errors import InputError
from tcloseness.ground import Cuts, Laminar, ground_distance, ground_record
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.digest import canonical_value
from tcloseness.models import AlphaKAnonymity, TCloseness
from tcloseness.models.conditions import conditions_of, parts_of


def conditions(model, domain, reference) -> Conditions:
    asked = [each.record(domain) for part in parts_of(model) for each in conditions_of(part) or ()]
    assert None not in asked
    assert all(described(each) for each in asked)
    return Conditions(asked, [canonical_value(v) for v in domain.values], reference)


@pytest.mark.parametrize("scale", [1, 10**6, 10**12], ids=str)
def test_a_class_violates_for_the_checker_as_for_the_model(scale: int) -> None:
    rng, domain = random.Random(scale), Domain.declare(list("xyzw"))
    for _ in range(40):
        counts = np.array([[rng.choice([0, 0, 1, 1, 2, 3, 5]) for _ in range(4)] for _ in range(rng.randint(1, 6))])
        counts = counts[counts.any(axis=1)]
        if not len(counts):
            continue
        if scale > 1:  # also counts that are nearly the same
            counts = counts * scale + (counts > 0) * np.array([[rng.choice([-1, 0, 1]) for _ in range(4)]])
        classes = ClassCounts.from_matrix(counts.T, domain=domain)
        for model in models(rng):
            wrong = np.zeros(len(counts), dtype=bool)
            for part in parts_of(model):
                wrong[part.evaluate(classes).violating] = True
            if scale > 1 and "entropy" in model.name:
                continue
            found = conditions(model, domain, classes.reference.tolist()).violating(counts.astype(np.int64))
            assert (found == wrong).all(), (model, counts)


def test_thresholds_that_a_class_just_reaches_are_satisfied() -> None:
    domain = Domain.declare(list("xyzw"))
    for ground in ("equal", "ordered", TREE, "ordered-by-value"):
        over = Domain.declare([1, 2, 4, 8]) if ground == "ordered-by-value" else domain
        rng = random.Random(7)
        for _ in range(25):
            counts = np.array([[rng.randint(0, 3) for _ in range(4)] for _ in range(3)]) + np.eye(3, 4, dtype=int)
            classes = ClassCounts.from_matrix(counts.T, domain=over)
            distances = TCloseness(ground=ground).evaluate(classes).values
            for g in range(3):
                t = Fraction(int(distances.numerators[g]), int(distances.denominators[g]))
                for threshold, wrong in ((t, False), (t - Fraction(1, 10**9), True)):
                    if threshold < 0:
                        continue
                    asked = conditions(TCloseness(threshold, ground=ground), over, classes.reference.tolist())
                    assert asked.violating(counts[g : g + 1].astype(np.int64))[0] == wrong


def test_a_bound_on_named_values_leaves_the_others_alone() -> None:
    domain = Domain.declare(list("xyzw"))
    asked = conditions(AlphaKAnonymity("1/2", values=["x", "z"]), domain, [1, 1, 1, 1])
    assert asked.violating(np.array([[0, 9, 1, 0], [3, 0, 1, 0]])).tolist() == [False, True]


def test_cuts_are_those_of_the_ground_distance() -> None:
    domain = Domain.declare(list("xyzw"))
    laminar = Laminar(Cuts.of(range(4), [(0, 1), (0, 2), (3, 4)], ["1/4", "1/2", "1/3"]))
    for ground in ("equal", "ordered", TREE, laminar):
        built = ground_distance(ground, domain)
        order, sets, denominator = cuts_of(ground_record(built), 4)
        place = {int(code): i for i, code in enumerate(order)}
        for i in range(4):
            for j in range(4):
                apart = sum(w for low, high, w in sets if (low <= place[i] < high) != (low <= place[j] < high))
                assert Fraction(apart, denominator) == built.distance(i, j)


@pytest.mark.parametrize(
    "record",
    [
        {"condition": "k", "least": 2},
        {"condition": "records", "least": 0},
        {"condition": "records", "least": "2"},
        {"condition": "records"},
        {"condition": "records", "least": 2, "more": 1},
        {"condition": "entropy", "l": "0"},
        {"condition": "entropy", "l": "2/4"},
        {"condition": "tail", "l": 2, "c": "-1"},
        {"condition": "share", "most": "1/2", "values": []},
        {"condition": "gain", "most": "-1/2"},
        {"condition": "distance", "t": "-1", "ground": {"name": "equal", "m": 2}},
        {"condition": "distance", "t": "1", "ground": {"name": "equal", "m": 3}},
        {"condition": "distance", "t": "1", "ground": {"name": "matrix", "m": 2}},
        {"condition": "distance", "t": "1", "ground": "equal"},
        {"condition": "distance", "t": "1", "ground": {"name": "laminar", "order": [0, 1], "low": [0], "high": [3]}},
        {
            "condition": "distance",
            "t": "1",
            "ground": {
                "name": "laminar",
                "order": [0, 1],
                "low": [0, 0],
                "high": [1, 1],
                "weights": ["1", "-1"],
                "denominator": "1",
            },
        },
    ],
    ids=repr,
)
def test_what_is_no_condition_is_refused(record) -> None:
    with pytest.raises(InputError):
        Conditions([record], ["text:x", "text:y"], [1, 1]).violating(np.array([[1, 1]]))


def test_sets_that_cross_are_refused() -> None:
    crossing = {
        "name": "laminar",
        "order": [0, 1, 2],
        "low": [0, 1],
        "high": [2, 3],
        "weights": ["1", "1"],
        "denominator": "2",
    }
    with pytest.raises(InputError, match="laminar"):
        cuts_of(crossing, 3)
