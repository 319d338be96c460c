"""Laws of the EMD under *any* ground distance, with cuts or without, metric or not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import (
    ascending,
    couplings,
    distributions,
    feasible_potentials,
    grounds,
    hierarchies,
    metrics,
    non_metrics,
)
from tcloseness.ground import Equal, Hierarchical, Matrix, Ordered, OrderedByValue
from tcloseness.microdata import Domain
from tcloseness.transport import certify, emd
from tcloseness.transport.closed_forms import equal_emd, hierarchical_emd, ordered_emd, ordered_emd_double_sum

pytestmark = pytest.mark.solver
F = Fraction


def matrices(m):
    """Metrics, pseudometrics and, from two values on, matrices that are neither."""
    some = [metrics(m).map(Matrix), metrics(m, pseudo=True).map(Matrix)]
    if m > 1:
        some.append(non_metrics(m).map(lambda d: Matrix(d, allow_non_metric=True)))
    return st.one_of(some)


def any_ground(m):
    return st.one_of(grounds(m), matrices(m))


@st.composite
def problems(draw, distances=any_ground, max_m=4, count=2):
    m = draw(st.integers(1, max_m))
    return draw(distances(m)), [draw(distributions(m)) for _ in range(count)]


def entries(ground):
    return [[ground.distance(i, j) for j in range(ground.m)] for i in range(ground.m)]


def cost(flow, d):
    return sum((x * y for a, b in zip(flow, d, strict=True) for x, y in zip(a, b, strict=True)), F(0))


# ---------------------------------------------------------------------- duality


@given(problems(), st.data())
def test_weak_duality_any_potentials_bound_any_coupling(problem, data):
    """Σ u_i·p_i + Σ v_j·q_j ≤ EMD ≤ Σ f_ij·d_ij: neither side knows of the other, nor of a solver."""
    ground, (p, q) = problem
    d = entries(ground)
    flow = data.draw(couplings(p, q))
    u, v = data.draw(feasible_potentials(d))
    assert [sum(row) for row in flow] == list(p)
    assert [sum(column) for column in zip(*flow, strict=True)] == list(q)
    earned = sum((x * a for x, a in zip((*u, *v), (*p, *q), strict=True)), F(0))
    assert earned <= emd(p, q, ground) <= cost(flow, d)


@given(problems())
def test_strong_duality_the_certificate_closes_the_gap(problem):
    """What networkx proposes and `verify` proves, recomputed here from the certificate's parts."""
    ground, (p, q) = problem
    found = certify(p, q, ground, solver="networkx")
    d = entries(ground)
    assert all(found.u[i] + found.v[j] <= d[i][j] for i in range(ground.m) for j in range(ground.m))
    earned = sum((x * a for x, a in zip((*found.u, *found.v), (*p, *q), strict=True)), F(0))
    paid = sum((mass * d[i][j] for i, j, mass in found.coupling), F(0))
    assert earned == paid == found.value == emd(p, q, ground)


# ---------------------------------------------------------------------- the papers' four distances are min-cost flows


@st.composite
def trees(draw, m, ragged):
    hierarchy = draw(hierarchies(values=range(m), ragged=ragged))
    return Hierarchical(hierarchy, Domain.declare(range(m)))


KINDS = {
    "ordered": lambda m: st.just(Ordered(m)),
    "by value": lambda m: ascending(m).map(OrderedByValue),
    "equal": lambda m: st.just(Equal(m)),
    "hierarchical": lambda m: trees(m, False),
    "ragged": lambda m: trees(m, True),
}


def paper_form(ground, p, q):
    """The paper's own formula; by value, the prefix sums weighted by the gaps."""
    match ground:
        case Ordered():
            return ordered_emd(p, q)
        case Equal():
            return equal_emd(p, q)
        case Hierarchical():
            return hierarchical_emd(p, q, *ground.nodes)
    v = ground.positions
    work, prefix = F(0), F(0)
    for k in range(len(v) - 1):
        prefix += p[k] - q[k]
        work += abs(prefix) * (v[k + 1] - v[k])
    return work / (v[-1] - v[0]) if len(v) > 1 else work


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_the_papers_formula_is_the_cheapest_flow(kind, data):
    """Li et al. 2007, §5: each formula against network simplex on the plain matrix of distances, which knows nothing of
    its kind."""
    ground, (p, q) = data.draw(problems(KINDS[kind], max_m=6))
    assert paper_form(ground, p, q) == certify(p, q, Matrix(entries(ground)), solver="networkx").value


@given(problems(KINDS["ordered"], max_m=9))
def test_the_single_pass_is_the_double_sum(problem):
    """Dosselmann et al. 2019, Algorithm 1 and equation (2)."""
    _, (p, q) = problem
    assert ordered_emd(p, q) == ordered_emd_double_sum(p, q)


# ---------------------------------------------------------------------- the facts, without a closed form


@given(problems())
def test_fact_1_under_any_ground_distance(problem):
    ground, (p, q) = problem
    assert 0 <= emd(p, q, ground) <= max(map(max, entries(ground)))


@given(problems(count=4), st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_fact_2_under_any_ground_distance(problem, sizes):
    """Li et al. 2007, Fact 2 for two classes and for three; no property of the ground distance is needed."""
    ground, (*ps, q) = problem
    for some in (2, 3):
        n = sum(sizes[:some])
        shares = [F(size, n) for size in sizes[:some]]
        union = [
            sum((w * x for w, x in zip(shares, masses, strict=True)), F(0)) for masses in zip(*ps[:some], strict=True)
        ]
        average = sum((w * emd(p, q, ground) for w, p in zip(shares, ps[:some], strict=True)), F(0))
        assert emd(union, q, ground) <= average


@given(problems(lambda m: metrics(m).map(Matrix), count=3))
def test_the_emd_is_a_metric_where_the_ground_distance_is(problem):
    """Zero for equal distributions only, symmetric, and no detour is shorter."""
    ground, (p, q, r) = problem
    pq = emd(p, q, ground)
    assert (pq == 0) == (p == q)
    assert pq == emd(q, p, ground)
    assert emd(p, r, ground) <= pq + emd(q, r, ground)


@given(st.integers(1, 5).flatmap(any_ground))
def test_between_single_values_it_is_the_ground_distance(ground):
    """So where the ground distance is not a metric, the EMD is none either."""

    def all_on(i):
        return [int(k == i) for k in range(ground.m)]

    for i in range(ground.m):
        for j in range(ground.m):
            assert emd(all_on(i), all_on(j), ground) == ground.distance(i, j)


@given(problems(lambda m: metrics(m, pseudo=True).map(Matrix)))
def test_a_pseudometric_tells_some_distributions_not_apart(problem):
    """EMD 0 exactly if P and Q agree on every group of values at distance 0."""
    ground, (p, q) = problem
    d = entries(ground)
    groups = {tuple(j for j in range(ground.m) if d[i][j] == 0) for i in range(ground.m)}
    alike = all(sum(p[i] for i in group) == sum(q[i] for i in group) for group in groups)
    assert (emd(p, q, ground) == 0) == alike
