"""Coarser tables, by any class map and by fewer quasi-identifiers; unions one by one; and what is read into them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations, pairwise

from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.models.every_model import MONOTONE, worse
from proofs_tests.strategies import class_counts, class_mappings, grounds, partitions, refinements, tables
from tcloseness.attacks import Population, observed_beliefs
from tcloseness.exact import LogSum
from tcloseness.measures import Ratio
from tcloseness.microdata import ClassCounts, FrequencySet
from tcloseness.models import EntropyLDiversity, ExpEpsilonCloseness, NTCloseness, TCloseness

F = Fraction


def test_the_thresholds_are_met_and_missed():
    """So the laws below are not about tables that always satisfy, or never: even classes, and pure ones."""
    even = ClassCounts.from_mapping({g: {0: 2, 1: 2, 2: 2, 10: 2} for g in "ab"})
    pure = ClassCounts.from_mapping({"a": {0: 7}, "b": {1: 1}, "c": {2: 2}})
    assert all(model.evaluate(even).satisfied for model in MONOTONE)
    assert not any(model.evaluate(pure).satisfied for model in MONOTONE)


# ---------------------------------------------------------------------- tables


@st.composite
def records(draw):
    """A table whose sensitive values 0 and 1 both occur, as some of the models name them."""
    frame = draw(tables(kinds=("text",), columns=("q1", "q2")))
    n = len(frame)
    values = draw(st.lists(st.sampled_from([0, 1, 2, 10]), min_size=n, max_size=n))
    return frame.assign(s=values)


def counted(frame, quasi_identifiers):
    """The class counts; over the domain 0, 1, 2, 10, whichever of them occur."""
    found = FrequencySet.from_frame(
        frame, quasi_identifiers=quasi_identifiers, sensitive="s", domains={"s": [0, 1, 2, 10]}
    )
    return found.class_counts()


def none_is_worse(tables_of_classes):
    """For every model: what a table satisfies the next one satisfies, with no smaller a margin."""
    for model in MONOTONE:
        found = [model.evaluate(classes) for classes in tables_of_classes]
        for before, after in pairwise(found):
            assert after.satisfied or not before.satisfied, model
            assert not worse(after, before), model


@effort(1 / 2)
@given(frame=records(), data=st.data())
def test_generalization_property_for_any_nested_class_maps(frame, data):
    """Li et al. 2007, §4, Machanavajjhala et al. 2006, Theorems 5.2 and 5.3: three maps of a quasi-identifier, each
    coarser than the one before."""
    maps = data.draw(refinements(list(dict.fromkeys(frame["q1"])), steps=3))
    none_is_worse([counted(frame.assign(q1=frame["q1"].map(labels)), ["q1", "q2"]) for labels in maps])


@effort(1 / 2)
@given(frame=records())
def test_subset_property_of_quasi_identifiers(frame):
    """Li et al. 2007, §4: what holds for all quasi-identifiers holds for some of them, and for none."""
    none_is_worse([counted(frame, names) for names in (["q1", "q2"], ["q1"], [])])


# ---------------------------------------------------------------------- entropy, class by class


@given(class_counts(max_classes=5), st.data())
def test_the_entropy_of_a_union_is_at_least_the_mean_of_its_parts(classes, data):
    """Concavity behind Machanavajjhala et al. 2006, Theorem 5.2: H(union) ≥ Σ (n_g/n)·H_g, so never below the smallest
    of the parts."""
    groups = data.draw(partitions(len(classes)))
    parts = EntropyLDiversity().evaluate(classes).values
    unions = EntropyLDiversity().evaluate(classes.merge(groups)).values
    for i, group in enumerate(groups):
        n = sum(int(classes.class_sizes[g]) for g in group)
        mean: dict[int, Fraction] = {}
        for g in group:
            for base, weight in parts[g].argument.terms.items():
                mean[base] = mean.get(base, F(0)) + weight * F(int(classes.class_sizes[g]), n)
        assert unions[i].argument >= LogSum(mean)
        assert any(unions[i] >= parts[g] for g in group)


# ---------------------------------------------------------------------- (n,t)-closeness, where it is monotone


@given(class_counts(max_values=4), st.data())
def test_n_t_closeness_is_monotone_where_only_the_table_is_large_enough(classes, data):
    """With n the number of records it is t-closeness; in general it is not monotone."""
    ground = data.draw(grounds(len(classes.domain)))
    model = NTCloseness(classes.records, ground=ground)
    merged = classes.merge(data.draw(partitions(len(classes))))
    assert model.evaluate(merged).value <= model.evaluate(classes).value
    assert model.evaluate(classes).value == TCloseness(ground=ground).evaluate(classes).value


@given(class_counts(max_values=4), st.data())
def test_a_class_that_is_a_large_enough_superset_is_at_distance_0(classes, data):
    """Merge up to supersets of at least n records each: (n,0)-close, whatever the table."""
    groups = data.draw(partitions(len(classes)))
    merged = classes.merge(groups)
    n = int(merged.class_sizes.min())
    assert NTCloseness(n, 0, ground=data.draw(grounds(len(classes.domain)))).evaluate(merged).satisfied


# ---------------------------------------------------------------------- the reading as differential privacy


def events(values):
    return chain.from_iterable(combinations(values, size) for size in range(1, len(values) + 1))


def uninformed(classes):
    """An intruder of Soria-Comas and Domingo-Ferrer 2013, §4: knows the distribution of the table, and nothing that
    tells one person from another.

    Assumption 2 as a population: with every quasi-identifier value, the sensitive values occur as in the whole table.
    Assumption 1 is what is measured: the relation of quasi-identifiers and sensitive values, and nothing else.
    """
    table = {classes.domain.values[code]: int(n) for code, n in enumerate(classes.reference) if n}
    labels = [classes.label(g)[0] for g in range(len(classes))]
    return observed_beliefs(Population.from_mapping(dict.fromkeys(labels, table)), classes)


@given(class_mappings(max_values=4, max_classes=4), st.sampled_from([F(1), F(3, 2), F(2), F(5)]))
def test_exp_epsilon_closeness_is_the_dp_inequality_for_an_uninformed_intruder(rows, factor):
    """Soria-Comas and Domingo-Ferrer 2013, §4: prior(S) and posterior(S) differ by at most exp(ε) for every set S of
    values and every person.

    The beliefs are those of `observed_beliefs`, from a population that meets the paper's two assumptions. The converse
    holds as well: if a class is not exp(ε)-close, some set shows it.
    """
    classes = ClassCounts.from_mapping(rows)
    model = ExpEpsilonCloseness(ratio=factor).evaluate(classes)
    beliefs = uninformed(classes)
    within = []
    for g in range(len(classes)):
        about = beliefs.about(classes.label(g)[0])
        sums = [(sum(b.prior for b in some), sum(b.posterior for b in some)) for some in events(about)]
        within.append(all(after <= factor * before and before <= factor * after for before, after in sums))
    assert [g for g, held in enumerate(within) if not held] == model.violating.tolist()
    assert model.satisfied == all(within)


@given(class_mappings(max_values=4, max_classes=4))
def test_any_two_persons_beliefs_differ_by_at_most_the_square(rows):
    """From one class to the table and on to another: exp(ε)·exp(ε)."""
    classes = ClassCounts.from_mapping(rows)
    found = Ratio().per_class(classes)
    greatest, _ = found.largest()
    if greatest == math.inf:
        return
    p = [[F(n, sum(v)) for n in v] for v in (classes.vector(g) for g in range(len(classes)))]
    for one, other in combinations(p, 2):
        for event in events(range(len(one))):
            a, b = (sum(row[s] for s in event) for row in (one, other))
            assert a <= greatest**2 * b
            assert b <= greatest**2 * a
