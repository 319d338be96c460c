"""The scaled EMD, which is ours: every statement of its docstring, and a counterexample of what it is not."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, strategies as st

from proofs_tests.measures.every_measure import some
from proofs_tests.strategies import CutDistance, distribution_pairs, distributions, grounds, laminar_cuts
from tcloseness.ground import Cuts, Equal, Ordered
from tcloseness.measures import EMD, ScaledEMD
from tcloseness.microdata import ClassCounts, Domain, Hierarchy
from tcloseness.models import TCloseness
from tcloseness.transport import certify, emd

F = Fraction


def sets_of(ground):
    """The ground distance's sets as codes, with their weights."""
    cuts = ground.cuts
    order = cuts.order.tolist()
    ends = zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True)
    return [(order[low:high], F(weight, cuts.denominator)) for low, high, weight in ends]


def by_formula(p, q, ground):
    """Half of half the relative changes inside and outside: w·(|Δ|/Q + |Δ|/(1 − Q))/4, set by set."""
    total = F(0)
    for codes, weight in sets_of(ground):
        moved = abs(sum((p[i] - q[i] for i in codes), F(0)))
        inside = sum((q[i] for i in codes), F(0))
        outside = sum((q[i] for i in range(len(q)) if i not in codes), F(0))
        if moved and not (inside and outside):
            return math.inf
        if moved:
            total += weight * (moved / inside + moved / outside) / 4
    return total


def scaled(ground, m):
    return ScaledEMD(ground).over(Domain.declare(range(m))).distance


def two(p):
    return [F(str(p)), 1 - F(str(p))]


# ---------------------------------------------------------------------- what it is


@some
@given(distribution_pairs(max_m=6), st.data())
def test_the_value_is_the_mean_relative_change_on_both_sides_of_each_cut(pair, data):
    p, q = pair
    ground = data.draw(grounds(len(p)))
    assert scaled(ground, len(p))(p, q) == by_formula(p, q, ground)


@some
@given(distribution_pairs(min_m=2, max_m=5, huge=False), st.data())
def test_for_a_fixed_reference_it_is_an_emd_with_a_certificate(pair, data):
    """Under the ground distance whose cuts weigh w/(4·Q·(1 − Q)): certified as any other."""
    p, q = pair
    q = tuple((x + F(1, len(q))) / 2 for x in q)  # no cut without reference on a side
    ground = data.draw(grounds(len(p)))
    cuts, weights = ground.cuts, []
    for codes, weight in sets_of(ground):
        inside = sum(q[i] for i in codes)
        weights.append(weight / (4 * inside * (1 - inside)))
    own = CutDistance(Cuts.of(cuts.order, list(zip(cuts.low.tolist(), cuts.high.tolist(), strict=True)), weights))
    value = scaled(ground, len(p))(p, q)
    assert emd(p, q, own) == value
    assert certify(p, q, own).value == value


@some
@given(distribution_pairs(max_m=6), st.data())
def test_it_is_at_least_the_emd(pair, data):
    """4·Q·(1 − Q) ≤ 1."""
    p, q = pair
    ground = data.draw(grounds(len(p)))
    assert scaled(ground, len(p))(p, q) >= emd(p, q, ground)


@some
@given(distributions(2))
def test_it_is_the_emd_where_every_cut_halves_the_reference(p):
    q = [F(1, 2)] * 2
    assert scaled("equal", 2)(p, q) == emd(p, q, Equal(2)) == abs(p[0] - F(1, 2))


@some
@given(distribution_pairs(max_m=6, supported=True), st.data())
def test_for_a_fixed_reference_it_is_bounded(pair, data):
    p, q = pair
    ground = data.draw(grounds(len(p)))
    insides = [sum((q[i] for i in codes), F(0)) for codes, _ in sets_of(ground)]
    least = min((x * (1 - x) for x in insides if 0 < x < 1), default=F(1, 4))
    assert scaled(ground, len(p))(p, q) <= emd(p, q, ground) / (4 * least)


@some
@given(distribution_pairs(max_m=6), st.data())
def test_it_is_infinite_exactly_where_mass_lies_on_a_side_without_reference(pair, data):
    p, q = pair
    ground = data.draw(grounds(len(p)))
    everything = set(range(len(p)))
    sides = [set(codes) for codes, _ in sets_of(ground)]
    sides += [everything - side for side in sides]
    lacking = any(any(p[i] for i in side) and not any(q[i] for i in side) for side in sides)
    assert (scaled(ground, len(p))(p, q) == math.inf) == lacking


@some
@given(distribution_pairs(max_m=2))
def test_two_values_have_one_cut_however_it_is_written(pair):
    """The equal and the ordered distance of two values are one distance: singletons of 1/2 each, or one prefix."""
    p, q = pair
    assert scaled("equal", len(p))(p, q) == scaled("ordered", len(p))(p, q)


@some
@given(distribution_pairs(min_m=2, max_m=6), st.data())
def test_a_set_and_its_complement_are_one_cut(pair, data):
    """Replacing prefixes by suffixes changes no distance between values, and not this one."""
    p, q = pair
    m = len(p)
    sets = [(k, m) for k in range(1, m)] if data.draw(st.booleans()) else [(0, k) for k in range(1, m)]
    ground = CutDistance(Cuts.of(range(m), sets, [F(1, m - 1)] * (m - 1)))
    assert scaled(ground, m)(p, q) == scaled("ordered", m)(p, q)


@some
@given(distribution_pairs(max_m=4), st.data())
def test_the_order_of_the_values_of_a_hierarchy_does_not_matter(pair, data):
    p, q = pair
    values = range(len(p))
    tree = Hierarchy([(v, v // 2 + 10, "*") for v in values])
    order = data.draw(st.permutations(values))
    there = ScaledEMD(tree).over(Domain.declare(order)).distance([p[v] for v in order], [q[v] for v in order])
    assert there == ScaledEMD(tree).over(Domain.declare(values)).distance(p, q)


# ---------------------------------------------------------------------- what Li et al. 2007, §8 asks for


def test_it_scales_with_the_probability():
    """0.1 each under the EMD; 0.1/(4·0.0099) = 250/99 and 0.1/(4·0.24) = 5/48, and as ordered the other way round."""
    d = scaled("equal", 2)
    assert d(two("0.11"), two("0.01")) == F(250, 99)
    assert d(two("0.5"), two("0.4")) == F(5, 48)
    assert d(two("0.01"), two("0.11")) == F(1, 10) / (4 * F(11, 100) * F(89, 100))
    assert d(two("0.4"), two("0.5")) == F(1, 10)
    assert d(two("0.01"), two("0.11")) > d(two("0.4"), two("0.5"))
    plain = [emd(two(a), two(b), Equal(2)) for a, b in (("0.11", "0.01"), ("0.5", "0.4"))]
    assert plain == [F(1, 10)] * 2


def test_it_keeps_the_distances_of_the_values():
    """The salaries of Li et al. 2007: {3k, 4k, 5k} lies farther from the uniform distribution than {6k, 8k, 11k}.

    Ordered, Q of the prefix of k values is k/9. The low class: Δ = 2k/9 for k ≤ 3, then (9 − k)/9; each over
    4·(k/9)·(1 − k/9)·8, that is (9/32)·(2/(9 − k)) for k ≤ 3 and (9/32)·(1/k) for k ≥ 4.
    """
    low = [F(int(i in (0, 1, 2)), 3) for i in range(9)]
    spread = [F(int(i in (3, 5, 8)), 3) for i in range(9)]
    uniform = [F(1, 9)] * 9
    d = scaled("ordered", 9)
    by_hand = F(9, 32) * (sum(F(2, 9 - k) for k in (1, 2, 3)) + sum(F(1, k) for k in (4, 5, 6, 7, 8)))
    assert d(low, uniform) == by_hand
    assert d(low, uniform) > d(spread, uniform)


# ---------------------------------------------------------------------- what it is not


def test_it_is_not_symmetric():
    """Finite: |Δ| = 1/4 over 4·1/4 or over 4·3/16. Infinite: a reference without the value."""
    d = scaled("equal", 2)
    assert d(two("1/4"), two("1/2")) == F(1, 4)
    assert d(two("1/2"), two("1/4")) == F(1, 3)
    assert d([0, 1], two("1/2")) == F(1, 2)
    assert d(two("1/2"), [0, 1]) == math.inf


def test_the_triangle_inequality_fails():
    """(1, 0) to (1/10, 9/10): 9/10 over 4·9/100 = 5/2; over (1/2, 1/2): 1/2 + (4/10)/(36/100) = 29/18."""
    d = scaled("equal", 2)
    p, q, r = [1, 0], two("1/2"), two("1/10")
    assert d(p, r) == F(5, 2)
    assert d(p, q) + d(q, r) == F(29, 18)
    assert d(p, r) > d(p, q) + d(q, r)


def test_it_has_no_bound_over_all_references():
    d = scaled("equal", 2)
    assert d([1, 0], two(F(1, 10**9))) > 10**8


def test_a_value_that_the_ground_distance_does_not_part_is_not_seen():
    """Without cuts that part every two values (two values at distance 0) it is 0 for different distributions."""
    ground = CutDistance(Cuts.of(range(3), [(0, 2)], [F(1)]))
    assert scaled(ground, 3)([1, 0, 0], [0, 1, 0]) == 0


def test_a_value_without_reference_between_others_is_finite_if_only_ordered():
    """Every prefix has reference on both sides; the singletons of the equal distance do not."""
    p, q = [0, 1, 0], ["1/2", 0, "1/2"]
    assert scaled("ordered", 3)(p, q) == F(1, 2)  # Δ = −1/2 and 1/2, each of weight 1/2, 4·1/4 = 1
    assert scaled("equal", 3)(p, q) == math.inf


# ---------------------------------------------------------------------- in a model


@some
@given(st.integers(1, 5).flatmap(laminar_cuts).map(CutDistance), st.data())
def test_a_ground_distance_of_ones_own_is_taken_by_class_too(ground, data):
    rows = data.draw(
        st.lists(st.lists(st.integers(0, 4), min_size=ground.m, max_size=ground.m).filter(any), min_size=1)
    )
    classes = ClassCounts.from_mapping(
        {g: dict(enumerate(row)) for g, row in enumerate(rows)}, domain=Domain.declare(range(ground.m))
    )
    found = ScaledEMD(ground).over(classes.domain).per_class(classes)
    q = [F(int(c), classes.records) for c in classes.reference]
    for g, row in enumerate(rows):
        assert found[g] == by_formula([F(c, sum(row)) for c in row], q, ground)


@pytest.mark.parametrize("size", [1, 50_000, 2**55])
def test_the_decision_at_equality_is_exact_at_any_size(size):
    """Classes (3s, s) and (s, 3s) against one half each: as the EMD, 1/4."""
    classes = ClassCounts.from_mapping({"a": {"x": 3 * size, "y": size}, "b": {"x": size, "y": 3 * size}})
    for t, satisfied in ((F(1, 4), True), (F(1, 4) - F(1, 10**40), False)):
        result = TCloseness(t, measure=ScaledEMD("equal")).evaluate(classes)
        assert result.satisfied is satisfied
        assert result.worst.tolist() == [0, 1]


@pytest.mark.parametrize("weight", [F(1, 10**400), F(10**400), F(3)])
def test_weights_past_every_double_are_exact_all_the_same(weight):
    """Overflow and underflow of the filter leave the decision to the fractions."""
    ground = CutDistance(Cuts.of(range(2), [(0, 1)], [weight]))
    classes = ClassCounts.from_mapping({"a": {0: 3, 1: 1}, "b": {0: 1, 1: 2}}, domain=Domain.declare(range(2)))
    found = ScaledEMD(ground).over(classes.domain).per_class(classes)
    a, b = (weight * abs(F(x) - F(4, 7)) / (4 * F(4, 7) * F(3, 7)) for x in ("3/4", "1/3"))
    assert [found[0], found[1]] == [a, b]
    assert found.largest() == (max(a, b), pytest.approx([1]))
    assert found.compare(a).tolist() == [0, 1]


def test_a_table_is_never_infinite_against_its_own_distribution():
    """All tables of two classes with up to one record of each of three values."""
    for cells in product(range(2), repeat=6):
        rows = {"a": dict(enumerate(cells[:3])), "b": dict(enumerate(cells[3:]))}
        if all(any(row.values()) for row in rows.values()):
            classes = ClassCounts.from_mapping(rows, domain=Domain.declare(range(3)))
            for ground in ("equal", "ordered"):
                scaled_t = TCloseness(measure=ScaledEMD(ground)).evaluate(classes).value
                assert scaled_t != math.inf
                assert scaled_t >= TCloseness(measure=EMD(ground)).evaluate(classes).value


def test_the_cuts_of_the_ordered_distance_are_prefixes():
    """The one that the formulas above are written for."""
    assert [codes for codes, _ in sets_of(Ordered(3))] == [[0], [0, 1]]
