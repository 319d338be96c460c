"""Bayes-optimal privacy: Machanavajjhala et al. 2006, Theorem 3.1, the definitions of §3.2 and the counterexample of
Theorem 5.1."""

from __future__ import annotations

from fractions import Fraction

import pytest

from proofs_tests.attacks.papers import frame
from tcloseness.attacks import Population, observed_beliefs
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy

F = Fraction

# Theorem 5.1: two q of equal weight, f(0|a) = 1/4, f(0|b) = 1/16; each block has two records with 0 and one with 1
JOINT = Population.from_mapping({"a": {0: "1/8", 1: "3/8"}, "b": {0: "1/32", 1: "15/32"}})
APART = ClassCounts.from_mapping({"a": {0: 2, 1: 1}, "b": {0: 2, 1: 1}})
TOGETHER = ClassCounts.from_mapping({"ab": {0: 4, 1: 2}})
INTO_ONE = {"a": "ab", "b": "ab"}


def posteriors(found, q):
    return {belief.value: belief.posterior for belief in found.about(q)}


def test_bayes_optimal_privacy_is_not_monotone():
    """Machanavajjhala et al. 2006, Theorem 5.1. Apart, the beliefs are the shares 2/3 and 1/3: no breach. Together,
    f(0|ab) = (1/4 + 1/16)/2 = 5/32, so β(a, 0) = 4·(1/4)/(5/32) / (4·(1/4)/(5/32) + 2·(3/4)/(27/32)) = (32/5)/(32/5 +
    16/9) = 18/23 > 3/4, from α = 1/4 < 3/8.
    """
    apart = observed_beliefs(JOINT, APART)
    assert posteriors(apart, "a") == {0: F(2, 3), 1: F(1, 3)} == posteriors(apart, "b")
    assert apart.breaches("3/8", "3/4") == ()
    together = observed_beliefs(JOINT, TOGETHER, blocks=INTO_ONE)
    assert posteriors(together, "a") == {0: F(18, 23), 1: F(5, 23)}
    breaches = together.breaches("3/8", "3/4")
    assert [(b.q, b.value, b.prior, b.posterior) for b in breaches] == [
        (("a",), 0, F(1, 4), F(18, 23)),
        (("a",), 1, F(3, 4), F(5, 23)),  # the same breach from the other side: α > 1 − ρ₁, β < 1 − ρ₂
    ]


def test_the_union_may_also_be_built_by_merging_classes():
    """Merged classes have numbers for labels; counts in place of shares change nothing."""
    counts = Population.from_mapping({"a": {0: 4, 1: 12}, "b": {0: 1, 1: 15}})
    found = observed_beliefs(counts, APART.merge([[0, 1]]), blocks={"a": 0, "b": 0})
    assert posteriors(found, "a") == {0: F(18, 23), 1: F(5, 23)}


def test_the_printed_denominator_is_an_erratum():
    """With f(s'|q*)/f(s'|q*) = 1 below the line, as printed, the beliefs about a would be (32/5)/6 and (16/9)/6: their
    sum is 184/135, no probability. With f(s'|q) they sum to 1.
    """
    f_0 = F(5, 32)
    above = {0: 4 * F(1, 4) / f_0, 1: 2 * F(3, 4) / (1 - f_0)}
    assert sum(above.values()) / 6 == F(184, 135)
    found = posteriors(observed_beliefs(JOINT, TOGETHER, blocks=INTO_ONE), "a")
    assert found == {s: x / sum(above.values()) for s, x in above.items()}


def test_a_homogeneous_block_makes_every_belief_in_its_value_certain():
    """Machanavajjhala et al. 2006, §3.2: n(q*, s') = 0 for all s' ≠ s, so β = 1; a breach unless the prior was near 1,
    and Bob's case."""
    found = observed_beliefs(JOINT, ClassCounts.from_mapping({"ab": {0: 4}}), blocks=INTO_ONE)
    assert posteriors(found, "a") == {0: 1, 1: 0} == posteriors(found, "b")
    assert {b.q for b in found.positive_disclosures("1/100")} == {("a",), ("b",)}
    assert {b.value for b in found.negative_disclosures("1/100")} == {1}
    assert found.largest_change == F(15, 16)
    assert [b.q for b in found.most_changed()] == [("b",), ("b",)]


def test_umeko_has_a_viral_infection_if_japanese_have_no_heart_disease():
    """Machanavajjhala et al. 2006, §1.1 as Theorem 3.1: Figure 2's first block has 2 + 2 records. With
    f(heart|Japanese) = 1/1000 and 1/2 for the others in it, each nationality as common: f(heart|q*) = 501/2000, so
    β(virus) = x/(x + y) with x = 2·(999/1000)/(1499/2000) = 3996/1499 and y = 2·(1/1000)/(501/2000) = 4/501.
    """
    f = Population.from_mapping(
        {"Japanese": {"heart": 1, "virus": 999}, "American": {"heart": 500, "virus": 500}}, names=("Nationality",)
    )
    block = ClassCounts.from_mapping({"*": {"heart": 2, "virus": 2}})
    found = observed_beliefs(f, block, blocks={"Japanese": "*", "American": "*"})
    assert posteriors(found, "Japanese")["virus"] == F(999 * 501, 999 * 501 + 1499) == F(500499, 501998)
    assert [b.q for b in found.positive_disclosures("1/100")] == [("Japanese",)]


def test_disclosures_ask_the_base_table_where_it_is_given():
    """Definitions 3.1 and 3.2: a t ∈ T with t[Q] = q and t[S] = s; with t[S] ≠ s. T here has a with 0 only, no b."""
    found = observed_beliefs(JOINT, TOGETHER, blocks=INTO_ONE)
    base = ClassCounts.from_mapping({"a": {0: 4}})
    everywhere = {(b.q, b.value) for b in found.positive_disclosures("1/2")}
    assert everywhere == {(("a",), 0), (("b",), 1)}  # β(b, 0) = 4·(1/16)/(5/32) / (… + 2·(15/16)/(27/32)) = 18/43
    assert posteriors(found, "b")[0] == F(18, 43)
    assert [(b.q, b.value) for b in found.positive_disclosures("1/2", base=base)] == [(("a",), 0)]
    assert [(b.q, b.value) for b in found.negative_disclosures("1/2")] == [(("a",), 1), (("b",), 0)]
    assert [(b.q, b.value) for b in found.negative_disclosures("1/2", base=base)] == [(("a",), 1)]
    assert found.negative_disclosures("1/2", base=ClassCounts.from_mapping({"a": {1: 4}})) == ()


def test_thresholds_are_strict_and_exact():
    """β = 18/23 is a positive disclosure for a hair more than δ = 5/23, not for it; α = 1/4 is not below ρ₁ = 1/4."""
    found = observed_beliefs(JOINT, TOGETHER, blocks=INTO_ONE)
    hair = F(1, 10**40)
    assert found.positive_disclosures(F(5, 23)) == ()
    assert len(found.positive_disclosures(F(5, 23) + hair)) == 1
    assert found.negative_disclosures(F(5, 23)) == ()
    assert len(found.negative_disclosures(F(5, 23) + hair)) == 1
    assert found.breaches(F(1, 4), F(1, 2)) == ()
    assert len(found.breaches(F(1, 4) + hair, F(1, 2))) == 2
    assert found.breaches("3/8", F(18, 23)) == ()


def test_who_cannot_be_in_the_table_is_named_and_has_no_beliefs():
    """c generalizes to ab but has only the value 2, of which there is no record; d generalizes to nothing released."""
    f = Population.from_mapping({"a": {0: 1, 1: 1}, "b": {0: 1}, "c": {2: 5}, "d": {0: 1, 9: 1}})
    found = observed_beliefs(f, TOGETHER, blocks={**INTO_ONE, "c": "ab", "d": "elsewhere"})
    assert found.impossible == (("c",),)
    assert {b.q for b in found} == {("a",), ("b",)}
    assert found.class_of_label.tolist() == [0, 0, 0, -1]


def test_beliefs_from_a_table_of_the_population_and_hierarchies():
    """Figure 1 as the population and the release its generalization: everybody was sampled, so no belief changes."""
    names = ["Zip Code", "Age", "Nationality"]
    table = FrequencySet.from_frame(frame("machanavajjhala_figure1"), quasi_identifiers=names, sensitive="Condition")
    hierarchies = {
        "Zip Code": Hierarchy.prefixes([13053, 13068, 14850, 14853]),
        "Age": Hierarchy.intervals(range(20, 60), [10, 20]),
        "Nationality": Hierarchy.suppression(["Russian", "American", "Japanese", "Indian"]),
    }
    levels = {"Zip Code": 3, "Age": 1, "Nationality": 1}
    population = Population.from_classes(table.class_counts())
    release = table.generalize(hierarchies, levels).class_counts()
    found = observed_beliefs(population, release, blocks=population.blocks(hierarchies, levels))
    assert len({b.q for b in found}) == 12
    assert found.largest_change == 0
    assert population.blocks(hierarchies, {})[13068, 21, "Japanese"] == (13068, 21, "Japanese")
    assert found.about((13068, 21, "Japanese"))[0].to_dict() == {
        "quasi_identifiers": ["13068", "21", "Japanese"],
        "value": "Viral Infection",
        "prior": "1",
        "posterior": "1",
        "change": "0",
    }


def test_quasi_identifiers_without_names_are_named_by_their_places_and_shares_may_be_0():
    one = Population.from_mapping({"a": {"flu": 1, "hiv": 0}, "b": {"hiv": 2}})
    assert one.names == ("q",)
    assert Population.from_mapping({("a", 1): {"flu": 1}}).names == ("q1", "q2")
    assert observed_beliefs(one, ClassCounts.from_mapping({"a": {"flu": 3}})).about("a")[0].posterior == 1


def test_a_population_without_quasi_identifiers_is_one_block():
    population = Population.from_mapping({(): {"flu": 3, "hiv": 1}})
    assert population.blocks({}, {}) == {(): ()}


def test_the_result_is_json_ready_and_counts_what_it_leaves_out():
    found = observed_beliefs(JOINT, TOGETHER, blocks=INTO_ONE).to_dict(beliefs=1)
    assert found["largest_change"] == str(F(18, 23) - F(1, 4))
    assert found["most_changed_beliefs"] == 2
    assert len(found["most_changed"]) == 1
    assert found["beliefs"] == 4


@pytest.mark.parametrize("scale", [1, 10**30])
def test_only_the_ratios_of_f_matter(scale):
    """Counts past 64 bits are as exact as small ones."""
    counts = Population.from_mapping({"a": {0: 4 * scale, 1: 12 * scale}, "b": {0: scale, 1: 15 * scale}})
    found = observed_beliefs(counts, TOGETHER, blocks=INTO_ONE)
    assert posteriors(found, "a")[0] == F(18, 23)
