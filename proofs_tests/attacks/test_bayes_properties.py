"""Theorem 3.1 against the enumeration of all random worlds, and against the formula written out."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import permutations

from hypothesis import assume, given, strategies as st

from proofs_tests.effort import effort
from tcloseness.attacks import Population, observed_beliefs
from tcloseness.microdata import ClassCounts

F = Fraction


def by_enumerating_worlds(people, block_of, rows):
    """β by Machanavajjhala et al. 2006, §3.1: a world is a permutation of a simple random sample of the population (a
    list of people (q, s)) that is compatible with the published rows (q*, s). Worlds, and the records of a world that
    may be the person sought, are equally likely: β(q, s) is the share of (world, record with q) in which the record has
    s.
    """
    found = defaultdict(Counter)
    for world in permutations(people, len(rows)):  # people stand apart by position, so this counts samples right
        if all((block_of[q], s) == row for (q, s), row in zip(world, rows, strict=True)):
            for q, s in world:
                found[q][s] += 1
    return {q: {s: F(n, sum(row.values())) for s, n in row.items()} for q, row in found.items()}


def by_the_formula(joint, block_of, classes):
    """Equation (1) of Machanavajjhala et al. 2006 with its denominator corrected, one division at a time."""

    def conditional(s, members):
        mass = sum(sum(joint[q].values()) for q in members)
        return F(sum(joint[q].get(s, 0) for q in members), mass)

    beliefs = {}
    for q in joint:
        if block_of[q] not in classes:
            continue
        block = [other for other in joint if block_of[other] == block_of[q]]
        parts = {s: n * conditional(s, [q]) / conditional(s, block) for s, n in classes[block_of[q]].items() if n}
        if sum(parts.values()):
            beliefs[q] = {s: x / sum(parts.values()) for s, x in parts.items()}
    return beliefs


@st.composite
def tiny_worlds(draw):
    """A population of up to 6 people, a generalization of their q, and a sample of up to 4 of them, published."""
    people = draw(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2)), min_size=1, max_size=6))
    block_of = {q: draw(st.sampled_from("XY")) for q in "abc"}
    sample = draw(st.permutations(people))[: draw(st.integers(1, min(4, len(people))))]
    return people, block_of, [(block_of[q], s) for q, s in sample]


def population_of(people):
    counts = defaultdict(Counter)
    for q, s in people:
        counts[q][s] += 1
    return Population.from_mapping(counts)


def release_of(rows):
    counts = defaultdict(Counter)
    for block, s in rows:
        counts[block][s] += 1
    return ClassCounts.from_mapping(counts)


def nonzero(found):
    beliefs = defaultdict(dict)
    for b in found:
        if b.posterior:
            beliefs[b.q[0]][b.value] = b.posterior
    return dict(beliefs)


@effort(2)
@given(tiny_worlds())
def test_theorem_3_1_counts_the_compatible_random_worlds(drawn):
    people, block_of, rows = drawn
    population = population_of(people)
    blocks = {q: block_of[q] for (q,) in population.labels}
    found = observed_beliefs(population, release_of(rows), blocks=blocks)
    expected = by_enumerating_worlds(people, block_of, rows)
    assert nonzero(found) == expected
    in_released_blocks = {q for q, block in blocks.items() if block in {b for b, _ in rows}}
    assert {q for (q,) in found.impossible} == in_released_blocks - set(expected)


@st.composite
def releases(draw):
    """A joint distribution over up to 5 q and 4 values, some counts past 2⁵³, with blocks, and released counts that it
    allows.
    """
    big = draw(st.booleans())
    weight = st.one_of(st.integers(0, 5), st.integers(2**53 - 1, 2**53 + 1)) if big else st.integers(0, 5)
    row = st.dictionaries(st.integers(0, 3), weight, min_size=1).filter(lambda r: any(r.values()))
    joint = dict(enumerate(draw(st.lists(row, min_size=1, max_size=5))))
    block_of = {q: f"block {draw(st.integers(0, 2))}" for q in joint}
    possible = defaultdict(set)
    for q, masses in joint.items():
        possible[block_of[q]] |= {s for s, f in masses.items() if f}
    classes = {}
    for block, values in sorted(possible.items()):
        counts = {s: draw(st.integers(0, 9)) for s in sorted(values)}
        if any(counts.values()):
            classes[block] = counts
    assume(classes)
    return joint, block_of, classes


@given(releases())
def test_all_blocks_at_once_answer_as_the_formula_does_one_by_one(drawn):
    joint, block_of, classes = drawn
    found = observed_beliefs(Population.from_mapping(joint), ClassCounts.from_mapping(classes), blocks=block_of)
    expected = by_the_formula(joint, block_of, classes)
    assert nonzero(found) == {q: {s: x for s, x in row.items() if x} for q, row in expected.items()}
    for q in expected:
        beliefs = found.about(q)
        assert sum(b.posterior for b in beliefs) == 1
        assert sum(b.prior for b in beliefs) == 1


@given(releases(), st.sets(st.integers(1, 11), min_size=2, max_size=2))
def test_disclosures_and_breaches_are_what_their_definitions_say(drawn, bounds):
    """Definitions 3.1 and 3.2, the (ρ₁, ρ₂)-breach and the largest change, over all beliefs one by one."""
    joint, block_of, classes = drawn
    low, high = (F(twelfths, 12) for twelfths in sorted(bounds))
    found = observed_beliefs(Population.from_mapping(joint), ClassCounts.from_mapping(classes), blocks=block_of)
    beliefs = list(found)
    assert list(found.positive_disclosures(low)) == [b for b in beliefs if b.posterior > 1 - low]
    assert list(found.negative_disclosures(low)) == [b for b in beliefs if b.posterior < low]
    assert list(found.breaches(low, high)) == [
        b for b in beliefs if (b.prior < low and b.posterior > high) or (b.prior > 1 - low and b.posterior < 1 - high)
    ]
    if beliefs:
        largest = max(abs(b.change) for b in beliefs)
        assert found.largest_change == largest
        assert list(found.most_changed()) == [b for b in beliefs if abs(b.change) == largest]


@given(releases())
def test_without_generalization_beliefs_are_the_shares_of_the_class(drawn):
    """q* = q: f cancels, and what is known of the population tells nothing about the person."""
    joint, _, _ = drawn
    classes = {q: {s: f % 7 + 1 for s, f in row.items() if f} for q, row in joint.items()}
    for b in observed_beliefs(Population.from_mapping(joint), ClassCounts.from_mapping(classes)):
        counts = classes[b.q[0]]
        assert b.posterior == F(counts[b.value], sum(counts.values()))


@given(releases(), st.integers(1, 3))
def test_a_release_in_proportion_to_the_population_changes_no_belief(drawn, times):
    joint, block_of, _ = drawn
    classes = defaultdict(Counter)
    for q, row in joint.items():
        for s, f in row.items():
            classes[block_of[q]][s] += times * f
    assume(sum(sum(row.values()) for row in classes.values()) < 2**61)
    found = observed_beliefs(Population.from_mapping(joint), ClassCounts.from_mapping(classes), blocks=block_of)
    assert found.impossible == ()
    assert found.largest_change == 0
