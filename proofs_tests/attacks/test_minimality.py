"""Minimality: what the choice of a node says about the nodes below it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
from hypothesis import assume, given, strategies as st

from tcloseness.attacks import minimality_attack
from tcloseness.exact import Rationals
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import DistinctLDiversity, KAnonymity, Monotone
from tcloseness.models.protocol import result

F = Fraction


@dataclass(frozen=True)
class AtMostHalf:
    """In every class at most half of the records are positive: the model of Wong et al. §2, with ℓ = 2."""

    name = "at most half positive"
    monotone = Monotone(generalization=True, suppression=True)

    def evaluate(self, classes):
        row = classes.matrix[classes.domain.code("hiv")] if "hiv" in classes.domain else 0 * classes.class_sizes
        return result(
            self,
            classes,
            Rationals(np.asarray(row), classes.class_sizes),
            citation="Wong et al. 2007, §2",
            parameters={"share": "1/2"},
            threshold=F(1, 2),
            worst_is="largest",
        )


def count(rows, *, names=("q",)):
    table = pd.DataFrame(rows, columns=[*names, "s"])
    return FrequencySet.from_frame(table, quasi_identifiers=list(names), sensitive="s")


def test_minimality_tells_whose_records_are_positive():
    """Wong et al. §2 in small: q1 has two people, both positive, and q2 five, none. Together 2 of 7: the release says
    2/7 about each. But an algorithm that generalizes only if it must was forced to; of the 21 ways to place two
    positives among seven people, only one breaks the model below (two of q2's five are less than half, one of q1's two
    is half). So the attacker knows that both of q1 are positive, and exactly that step is listed.
    """
    worlds = [set(w) for w in combinations(range(7), 2)]
    breaking = [w for w in worlds if len(w & {0, 1}) * 2 > 2 or len(w & {2, 3, 4, 5, 6}) * 2 > 5]
    assert (len(worlds), breaking) == (21, [{0, 1}])

    counts = count([("q1", "hiv")] * 2 + [("q2", "flu")] * 5)
    found = minimality_attack(counts, {"q": Hierarchy.suppression(["q1", "q2"])}, {"q": 1}, AtMostHalf())
    assert found.minimal
    assert found.succeeds
    assert found.affected.tolist() == [0]
    assert found.records == 2
    (step,) = found.specializations
    assert step.ruled_out
    assert step.to_dict()["violating"] == [{"class": {"q": "q1"}, "records": 2, "counts": {"hiv": 2}}]
    record = found.to_dict()
    assert json.loads(json.dumps(record)) == record
    assert record["specializations"][0]["sentence"] == (
        "With q at level 0, at most half positive is violated (1), by 1 class with 2 records."
    )


def test_a_release_that_is_not_minimal_misleads_whoever_relies_on_it():
    """The twin: one of q1's two is positive, so there was no need to generalize."""
    counts = count([("q1", "hiv"), ("q1", "flu")] + [("q2", "flu")] * 5)
    found = minimality_attack(counts, {"q": Hierarchy.suppression(["q1", "q2"])}, {"q": 1}, AtMostHalf())
    assert not found.minimal
    assert not found.succeeds
    assert found.records == 0
    assert "minimality says nothing here" in found.specializations[0].sentence
    assert "misled" in found.sentence


def test_at_the_bottom_there_is_nothing_to_infer():
    counts = count([("q1", "hiv"), ("q1", "flu")])
    found = minimality_attack(counts, {}, {}, KAnonymity(2))
    assert found.minimal
    assert not found.succeeds
    assert found.specializations == ()
    assert found.sentence == "Nothing was generalized, so minimality says nothing."


def test_each_step_goes_one_level_down_in_one_attribute():
    """Two attributes at levels (2, 1): steps to (1, 1) and (2, 0); a suppressed record is in no class."""
    rows = [("11", "a", "x"), ("12", "a", "y"), ("21", "b", "x"), ("22", "b", "x"), ("*", "*", "x")]
    table = pd.DataFrame(rows, columns=["n", "c", "s"])
    counts = FrequencySet.from_frame(table, quasi_identifiers=["n", "c"], sensitive="s", suppressed="*")
    hierarchies = {"n": Hierarchy.prefixes(["11", "12", "21", "22"]), "c": Hierarchy.suppression(["a", "b"])}
    found = minimality_attack(counts, hierarchies, {"n": 2, "c": 1}, DistinctLDiversity(2))
    assert [(s.attribute, s.levels) for s in found.specializations] == [
        ("n", {"n": 1, "c": 1}),
        ("c", {"n": 2, "c": 0}),
    ]
    assert found.minimal  # both separate the two records with x only
    assert (found.records, found.total) == (2, 4)


NUMBERS = Hierarchy([(i, f"{i // 2}..", "*") for i in range(6)])
LETTERS = Hierarchy.suppression("ab")


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from("ab"), st.sampled_from("xyz")), min_size=2, max_size=9),
    st.tuples(st.integers(0, 2), st.integers(0, 1)),
    st.sampled_from([KAnonymity(2), DistinctLDiversity(2)]),
)
def test_steps_and_records_are_those_of_the_table_itself(rows, node, model):
    """Against a plain grouping of the rows, one node at a time."""

    def violating_rows(levels):
        groups = {}
        for i, (n, c, _) in enumerate(rows):
            groups.setdefault((NUMBERS.label(n, levels[0]), LETTERS.label(c, levels[1])), []).append(i)
        if isinstance(model, KAnonymity):
            bad = [g for g in groups.values() if len(g) < 2]
        else:
            bad = [g for g in groups.values() if len({rows[i][2] for i in g}) < 2]
        return {i for g in bad for i in g}

    assume(not violating_rows(node))
    levels = dict(zip(("n", "c"), node, strict=True))
    found = minimality_attack(count(rows, names=("n", "c")), {"n": NUMBERS, "c": LETTERS}, levels, model)
    below = {"n": (node[0] - 1, node[1]), "c": (node[0], node[1] - 1)}
    expected = {name: violating_rows(below[name]) for name in ("n", "c") if levels[name]}
    assert {s.attribute: s.result.records_at_risk for s in found.specializations} == {
        name: len(bad) for name, bad in expected.items()
    }
    assert found.minimal == all(expected.values())
    assert found.records == len(set().union(*expected.values()))
    hit = {
        (NUMBERS.label(rows[i][0], node[0]), LETTERS.label(rows[i][1], node[1]))
        for bad in expected.values()
        for i in bad
    }
    assert len(found.affected) == len(hit)
