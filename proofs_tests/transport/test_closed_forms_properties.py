"""Laws of the EMD by the closed forms, over random distributions and ground distances."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.oracles import cheapest_assignment, shares
from proofs_tests.strategies import (
    ascending,
    distributions,
    grounds,
    hierarchical_distances,
    metrics,
    partitions,
    samples,
)
from tcloseness.ground import Equal, Hierarchical, Matrix, Ordered, OrderedByValue
from tcloseness.microdata import Domain
from tcloseness.transport import certify, emd
from tcloseness.transport.closed_forms import (
    cut_potential,
    cut_work,
    equal_emd,
    hierarchical_emd,
    ordered_emd,
    ordered_emd_double_sum,
)

F = Fraction
sizes = st.integers(1, 7)


@st.composite
def problems(draw, *, distances=grounds, min_m=1, max_m=7, count=2):
    """A ground distance and `count` distributions over its values."""
    m = draw(st.integers(min_m, max_m))
    return draw(distances(m)), [draw(distributions(m)) for _ in range(count)]


def greatest(ground):
    return max(ground.distance(i, j) for i in range(ground.m) for j in range(ground.m))


# ---------------------------------------------------------------------- one number, several ways


@given(problems(distances=lambda m: st.just(Ordered(m))))
def test_the_ordered_form_the_double_sum_and_the_cuts_agree(problem):
    """Li et al. 2007, §5.1, Dosselmann et al. 2019, equation (2) and Algorithm 1."""
    ground, (p, q) = problem
    assert ordered_emd(p, q) == ordered_emd_double_sum(p, q) == emd(p, q, ground)


@given(problems(distances=lambda m: ascending(m).map(OrderedByValue)))
def test_by_value_the_prefix_sums_are_weighted_by_the_gaps(problem):
    """Σ_i |Σ_{j≤i} (p_j − q_j)|·(v_{i+1} − v_i) / (v_m − v_1), written out."""
    ground, (p, q) = problem
    v = ground.positions
    prefix = [sum((a - b for a, b in zip(p[: i + 1], q[: i + 1], strict=True)), F(0)) for i in range(len(v) - 1)]
    work = sum((abs(s) * (v[i + 1] - v[i]) for i, s in enumerate(prefix)), F(0))
    assert emd(p, q, ground) == (work / (v[-1] - v[0]) if len(v) > 1 else 0)


@given(problems(distances=lambda m: st.just(Equal(m))))
def test_the_equal_form_the_surplus_and_the_cuts_agree(problem):
    """Li et al. 2007, §5.2: ½·Σ|p − q| = Σ max(p − q, 0) = Σ max(q − p, 0)."""
    ground, (p, q) = problem
    surplus = sum((max(a - b, F(0)) for a, b in zip(p, q, strict=True)), F(0))
    deficit = sum((max(b - a, F(0)) for a, b in zip(p, q, strict=True)), F(0))
    assert equal_emd(p, q) == surplus == deficit == emd(p, q, ground)


@given(problems(distances=hierarchical_distances))
def test_the_recursion_over_the_tree_and_the_cuts_agree(problem):
    """Li et al. 2007, §5.2, with the direct children; also for ragged trees, collapsed levels and values that do not
    occur."""
    ground, (p, q) = problem
    assert hierarchical_emd(p, q, *ground.nodes) == emd(p, q, ground)


def test_a_tree_of_any_depth_is_passed_over():
    """A chain of 5,000 nodes, each with a leaf beside the rest: no recursion, so nothing limits the depth."""
    inner = list(range(0, 9999, 2))  # the leaf at the bottom, then each inner node after the leaf beside it
    parent = [place for node in inner[1:] for place in (node, node)] + [inner[-1]]
    height = [0, *(each for level in range(1, len(inner)) for each in (0, level))]
    code = [0, *(each for level in range(1, len(inner)) for each in (level, -1))]
    m = len(inner)
    p, q = [F(1)] + [F(0)] * (m - 1), [F(0)] * (m - 1) + [F(1)]
    assert hierarchical_emd(p, q, parent, height, code) == 1
    q = [F(0), F(1)] + [F(0)] * (m - 2)
    assert hierarchical_emd(p, q, parent, height, code) == F(1, m - 1)


@given(samples(), st.data())
def test_the_closed_form_is_the_cheapest_of_all_pairings(sample, data):
    """Brute force over all pairings of up to five units knows neither cuts nor solvers."""
    m, p, q = sample
    ground = data.draw(grounds(m))
    assert emd(shares(p, m), shares(q, m), ground) == cheapest_assignment(p, q, ground.distance)


@given(problems())
def test_the_closed_form_comes_with_a_proof(problem):
    """certify() verifies its certificate; it costs what emd() says."""
    ground, (p, q) = problem
    certificate = certify(p, q, ground)
    certificate.verify()
    assert certificate.value == emd(p, q, ground)


@pytest.mark.solver
@given(problems(max_m=6))
def test_the_closed_form_is_what_network_simplex_finds(problem):
    ground, (p, q) = problem
    assert certify(p, q, ground, solver="networkx").value == emd(p, q, ground)


@pytest.mark.long
@given(problems())
def test_the_potential_of_the_cuts_earns_the_emd_and_is_lipschitz(problem):
    """|φ(i) − φ(j)| ≤ d(i, j), and Σ φ(i)·(p_i − q_i) = EMD."""
    ground, (p, q) = problem
    r = [a - b for a, b in zip(p, q, strict=True)]
    phi = [F(x, ground.cuts.denominator) for x in cut_potential(r, ground.cuts)]
    assert sum((x * y for x, y in zip(phi, r, strict=True)), F(0)) == emd(p, q, ground)
    assert all(abs(phi[i] - phi[j]) <= ground.distance(i, j) for i in range(ground.m) for j in range(ground.m))


@pytest.mark.long
@given(problems())
def test_fractions_and_whole_numbers_give_the_same_work(problem):
    ground, (p, q) = problem
    r = [a - b for a, b in zip(p, q, strict=True)]
    scale = 1
    for x in r:
        scale *= x.denominator
    assert cut_work([int(x * scale) for x in r], ground.cuts) == scale * cut_work(r, ground.cuts)


# ---------------------------------------------------------------------- the papers' facts


@pytest.mark.long
@given(problems())
def test_fact_1_the_emd_lies_between_0_and_the_greatest_distance(problem):
    """Li et al. 2007, Fact 1."""
    ground, (p, q) = problem
    assert 0 <= emd(p, q, ground) <= greatest(ground)


@pytest.mark.long
@given(problems(count=3), st.fractions(0, 1, max_denominator=50))
def test_fact_2_the_emd_is_convex(problem, weight):
    """Li et al. 2007, Fact 2: EMD(λP₁ + (1 − λ)P₂, Q) ≤ λ·EMD(P₁, Q) + (1 − λ)·EMD(P₂, Q)."""
    ground, (p1, p2, q) = problem
    mixed = [weight * a + (1 - weight) * b for a, b in zip(p1, p2, strict=True)]
    assert emd(mixed, q, ground) <= weight * emd(p1, q, ground) + (1 - weight) * emd(p2, q, ground)


@pytest.mark.long
@given(problems(count=4), st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_fact_2_holds_for_any_number_of_classes(problem, sizes_):
    """The union of classes of sizes n_g: EMD ≤ Σ (n_g/n)·EMD_g, so never above the worst of them."""
    ground, (*ps, q) = problem
    n = sum(sizes_)
    mixed = [sum((F(k, n) * x for k, x in zip(sizes_, masses, strict=True)), F(0)) for masses in zip(*ps, strict=True)]
    each = [emd(p, q, ground) for p in ps]
    mean = sum((F(k, n) * e for k, e in zip(sizes_, each, strict=True)), F(0))
    assert emd(mixed, q, ground) <= mean <= max(each)


@pytest.mark.long
@given(problems())
def test_the_emd_is_symmetric(problem):
    ground, (p, q) = problem
    assert emd(p, q, ground) == emd(q, p, ground)


@pytest.mark.long
@given(problems(count=3))
def test_the_emd_satisfies_the_triangle_inequality(problem):
    ground, (p, q, r) = problem
    assert emd(p, r, ground) <= emd(p, q, ground) + emd(q, r, ground)


@pytest.mark.long
@given(problems(distances=lambda m: grounds(m, papers_only=True)))
def test_the_emd_is_zero_for_equal_distributions_and_only_for_them(problem):
    ground, (p, q) = problem
    assert emd(p, p, ground) == 0
    assert (emd(p, q, ground) == 0) == (p == q)


@pytest.mark.long
@given(problems(count=3), st.fractions(0, 1, max_denominator=20))
def test_mass_that_both_share_does_not_matter(problem, weight):
    """EMD(λP + (1 − λ)R, λQ + (1 − λ)R) = λ·EMD(P, Q): under a sum of cuts, shared mass stays."""
    ground, (p, q, r) = problem

    def mix(a):
        return [weight * x + (1 - weight) * y for x, y in zip(a, r, strict=True)]

    assert emd(mix(p), mix(q), ground) == weight * emd(p, q, ground)


# ---------------------------------------------------------------------- changes of the domain


@pytest.mark.long
@pytest.mark.solver
@given(problems(max_m=6), st.data())
def test_renaming_the_values_changes_nothing(problem, data):
    """Codes permuted together in P, Q and the distance."""
    ground, (p, q) = problem
    way = data.draw(st.permutations(range(ground.m)))
    d = [[ground.distance(way[i], way[j]) for j in range(ground.m)] for i in range(ground.m)]
    permuted = certify([p[i] for i in way], [q[i] for i in way], Matrix(d), solver="networkx")
    assert permuted.value == emd(p, q, ground)


@given(problems(distances=lambda m: st.just(Equal(m))), st.integers(0, 7))
def test_a_value_that_never_occurs_changes_no_equal_emd(problem, place):
    ground, (p, q) = problem
    place = min(place, ground.m)
    more = Equal(ground.m + 1)
    assert emd((*p[:place], 0, *p[place:]), (*q[:place], 0, *q[place:]), more) == emd(p, q, ground)


@pytest.mark.long
@given(problems(distances=lambda m: hierarchical_distances(m + 1), max_m=6))
def test_a_value_that_never_occurs_changes_no_hierarchical_emd(problem):
    """The hierarchy is the same; only the domain lists one of its values less."""
    ground, (p, q) = problem
    fewer = Hierarchical(
        ground.hierarchy, Domain.declare(ground.domain.values[:-1]), trivial_levels=ground.trivial_levels
    )
    assert emd((*p, 0), (*q, 0), ground) == emd(p, q, fewer)


@pytest.mark.long
@given(problems(distances=lambda m: st.just(Ordered(m))), st.integers(0, 7))
def test_a_value_that_never_occurs_changes_the_ordered_emd_by_the_formula(problem, place):
    """m grows to m + 1, and the prefix sum at the new place is counted once more."""
    ground, (p, q) = problem
    m, place = ground.m, min(place, ground.m)
    prefix = sum((a - b for a, b in zip(p[:place], q[:place], strict=True)), F(0))
    work = emd(p, q, ground) * ground.denominator + abs(prefix)
    assert emd((*p[:place], 0, *p[place:]), (*q[:place], 0, *q[place:]), Ordered(m + 1)) == work / m


@pytest.mark.long
@given(problems(distances=lambda m: st.just(Equal(m))), st.data())
def test_telling_values_apart_less_never_increases_the_equal_emd(problem, data):
    """Groups of values taken as one value: |P(S) − Q(S)| ≤ Σ_{i in S} |p_i − q_i|."""
    ground, (p, q) = problem
    groups = data.draw(partitions(ground.m))
    coarse = [[sum((d[i] for i in group), F(0)) for group in groups] for d in (p, q)]
    assert emd(*coarse, Equal(len(groups))) <= emd(p, q, ground)


@pytest.mark.long
@given(st.integers(1, 6).flatmap(metrics), st.fractions(0, 9, max_denominator=7), st.data())
def test_the_emd_scales_with_the_distance(entries, factor, data):
    """Nothing is normalised: entries times f give the EMD times f."""
    p, q = (data.draw(distributions(len(entries))) for _ in "pq")
    scaled = [[factor * d for d in row] for row in entries]
    assert emd(p, q, Matrix(scaled)) == factor * emd(p, q, Matrix(entries))
