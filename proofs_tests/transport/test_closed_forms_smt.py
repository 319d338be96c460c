"""The closed forms for *all* distributions over a few values, by solver: the shipped functions run on symbols.

Two halves make a proof: every flow costs at least the formula, and one flow costs no more. Beside each proof stand
mutants, wrong formulas that the solver must refute with numbers on which the shipped EMD is another one; else the
encoding would prove anything.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from proofs_tests.smt.flows import (
    closed_form,
    cost,
    distributions,
    filled_flow,
    flows,
    is_coupling,
    over_all_leaves,
    sets_of,
    weighted_sets,
)
from proofs_tests.smt.proofs import counterexample, numbers
from proofs_tests.smt.symbolic import lesser, paths, reals
from tcloseness.ground import Cuts, Equal, Hierarchical, Ordered, OrderedByValue
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.transport import emd
from tcloseness.transport.closed_forms import (
    cut_potential,
    cut_work,
    equal_emd,
    hierarchical_emd,
    ordered_emd,
    ordered_emd_double_sum,
)
from tcloseness.transport.solve import laminar_coupling

pytestmark = pytest.mark.smt
F = Fraction


def tree(*rows):
    """The hierarchical distance over the first cells of the rows."""
    return Hierarchical(Hierarchy(rows, ragged="keep"), Domain.declare([row[0] for row in rows]))


TREES = {
    "2+2 leaves": tree(*[(i, f"a{i // 2}", "*") for i in range(4)]),
    "3+2 leaves": tree(*[(i, f"a{i // 3}", "*") for i in range(5)]),
    "ragged, 4 leaves": tree((0, "a", "b", "*"), (1, "a", "b", "*"), (2, "b", "*"), (3, "*")),
    "ragged, 5 leaves": tree((0, "a", "b", "*"), (1, "a", "b", "*"), (2, "b", "*"), (3, "*"), (4, "*")),
    "2+2+2+2 leaves": tree(*[(i, f"a{i // 2}", f"b{i // 4}", "*") for i in range(8)]),
    "3+3+3 leaves": tree(*[(i, f"a{i // 3}", "*") for i in range(9)]),  # the diseases of Li et al. 2007, §5.2
}
VALUES = (0, 1, 3, 7, 12, 20, 33, 54)
SIZES = (2, 3, 5, 8)
GROUNDS = {
    **{f"ordered, m = {m}": Ordered(m) for m in SIZES},
    **{f"equal, m = {m}": Equal(m) for m in SIZES},
    **{f"by value, m = {m}": OrderedByValue(VALUES[:m]) for m in SIZES},
    **TREES,
}
SMALL = {name: ground for name, ground in GROUNDS.items() if ground.m <= 5}
every_ground = pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)
small_grounds = pytest.mark.parametrize("ground", SMALL.values(), ids=SMALL)
every_tree = pytest.mark.parametrize("ground", TREES.values(), ids=TREES)


def quick(ground):
    """Where cvc5 is quick as well, it is asked for its opinion."""
    return ground.m <= 4


def sets_to_fill(ground):
    """For an ordered distance the whole domain at once, from the left; else the sets, the smallest first."""
    everything = list(range(ground.m))
    return [everything] if ground.name.startswith("ordered") else sets_of(ground.cuts)


# ---------------------------------------------------------------------- every flow costs at least the formula


@pytest.mark.long
@every_ground
def test_every_flow_costs_at_least_the_closed_form(ground):
    (p, q), _ = distributions("p", "q", m=ground.m)
    f, coupling = flows(p, q)
    assert counterexample(cost(f, ground) >= closed_form(p, q, ground), coupling, both=quick(ground)) is None


@pytest.mark.parametrize("m", range(2, 8))
def test_whatever_a_set_weighs_what_crosses_its_border_is_at_least_the_imbalance(m):
    """Each set by itself, with weight 1: Σ f_ij·[exactly one of i, j in S] ≥ |P(S) − Q(S)|. So for all weights ≥ 0."""
    (p, q), _ = distributions("p", "q", m=m)
    f, coupling = flows(p, q)
    for size in range(1, m):
        cuts = Cuts.of(range(m), [(0, size)], [F(1)])
        crossing = sum(f[i][j] for i in range(m) for j in range(m) if (i < size) != (j < size))
        work = cut_work([a - b for a, b in zip(p, q, strict=True)], cuts)
        assert counterexample(crossing >= work, coupling) is None


# ---------------------------------------------------------------------- one flow costs no more


def crossing(flow, inside):
    """How much mass crosses the border of a set, in either direction."""
    m = len(flow)
    return sum(flow[i][j] for i in range(m) for j in range(m) if (i in inside) != (j in inside))


@cache
def serving_a_set_leaves_masses(k):
    """One step of the flow, for any supply and demand of k values: no mass is negative, and none is taken twice."""
    supply, demand = reals("supply", k), reals("demand", k)
    served = filled_flow(supply, demand, [range(k)])
    masses = [x >= 0 for row in served for x in row]
    rows = [sum(row) <= a for row, a in zip(served, supply, strict=True)]
    columns = [sum(column) <= b for column, b in zip(zip(*served, strict=True), demand, strict=True)]
    return counterexample([*masses, *rows, *columns], [x >= 0 for x in (*supply, *demand)]) is None


@pytest.mark.long
@every_ground
def test_a_flow_attains_the_closed_form(ground):
    """Filled from inside, exactly |P(S) − Q(S)| crosses the border of each set S; the cost is the sum over the sets.

    No step makes a mass negative if none was before, so none is; and all mass leaves and arrives.
    """
    (p, q), given = distributions("p", "q", m=ground.m)
    f = filled_flow(p, q, sets_to_fill(ground))
    assert all(serving_a_set_leaves_masses(len(inside)) for inside in sets_to_fill(ground))
    assert counterexample(is_coupling(f, p, q)[ground.m**2 :], given) is None
    sets = [(w, inside, abs(sum(p[i] - q[i] for i in inside))) for w, inside in weighted_sets(ground.cuts)]
    for _, inside, imbalance in sets:
        assert counterexample(crossing(f, inside) == imbalance, given) is None
    anything = [reals(f"anything{i}_", ground.m) for i in range(ground.m)]
    over_sets = sum(w * crossing(anything, inside) for w, inside, _ in sets)
    assert counterexample(cost(anything, ground) * ground.cuts.denominator == over_sets) is None
    total = sum(w * imbalance for w, _, imbalance in sets)
    assert counterexample(closed_form(p, q, ground) * ground.cuts.denominator == total, given) is None
    if quick(ground):  # all in one question
        both = ground.m <= 3
        assert counterexample(is_coupling(f, p, q), given, both=both) is None
        assert counterexample(cost(f, ground) == closed_form(p, q, ground), given, both=both) is None


def paths_of_the_shipped_coupling(ground, *, apart):
    """Walk every way through `laminar_coupling`, prove its result on each, and count them.

    With `apart` all masses are positive, and P and Q differ on every value.
    """
    (p, q), given = distributions("p", "q", m=ground.m)
    if apart:
        given += [x > 0 for x in (*p, *q)] + [a != b for a, b in zip(p, q, strict=True)]
    seen = 0
    for path in paths(lambda: laminar_coupling(p, q, ground.cuts), given, most=300):
        f = [[F(0)] * ground.m for _ in range(ground.m)]
        for i, j, mass in path.result:
            f[i][j] = f[i][j] + mass
        positive = [mass > 0 for _, _, mass in path.result]
        right = cost(f, ground) == closed_form(p, q, ground)
        assert path.counterexample(*is_coupling(f, p, q), *positive, right) is None
        seen += 1
    return seen


@pytest.mark.long
def test_the_shipped_coupling_attains_it_on_every_path():
    """Three values, two of them under one node; also where masses are 0, or P and Q agree on a value."""
    assert paths_of_the_shipped_coupling(tree((0, "a", "*"), (1, "a", "*"), (2, "*")), apart=False) > 50


FOUR = {"ordered": Ordered(4), "2+2 leaves": TREES["2+2 leaves"], "ragged": TREES["ragged, 4 leaves"]}


@pytest.mark.long
@pytest.mark.parametrize("ground", FOUR.values(), ids=FOUR)
def test_the_shipped_coupling_attains_it_for_four_values_that_all_differ(ground):
    assert paths_of_the_shipped_coupling(ground, apart=True) > 20


# ---------------------------------------------------------------------- the potential that proves it without a solver


@every_ground
def test_the_shipped_potential_never_rises_faster_than_the_distance(ground):
    """|φ(i) − φ(j)| ≤ d(i, j), whatever P and Q are."""
    (p, q), given = distributions("p", "q", m=ground.m)
    phi = cut_potential([a - b for a, b in zip(p, q, strict=True)], ground.cuts)
    scale = ground.cuts.denominator
    lipschitz = [abs(phi[i] - phi[j]) <= scale * ground.distance(i, j) for i in range(ground.m) for j in range(i)]
    assert counterexample(lipschitz, given, both=quick(ground)) is None


POTENTIALS = {name: ground for name, ground in SMALL.items() if ground.m <= 4}


@pytest.mark.long
@pytest.mark.parametrize("ground", POTENTIALS.values(), ids=POTENTIALS)
def test_the_shipped_potential_earns_the_closed_form_on_every_path(ground):
    """Σ φ(i)·(p_i − q_i) = Σ_k w_k·|P(S_k) − Q(S_k)|, for each pattern of signs."""
    (p, q), given = distributions("p", "q", m=ground.m)
    r = [a - b for a, b in zip(p, q, strict=True)]
    value = closed_form(p, q, ground) * ground.cuts.denominator
    for path in paths(lambda: cut_potential(r, ground.cuts), given, most=1000):
        assert path.counterexample(sum(x * y for x, y in zip(r, path.result, strict=True)) == value) is None


# ---------------------------------------------------------------------- the papers' forms are the one over cuts


@pytest.mark.parametrize("m", SIZES)
def test_the_papers_flat_forms_are_the_closed_form_over_cuts(m):
    """Li et al. 2007, §5.1 and Dosselmann et al. 2019, equation (2) (double sum), Dosselmann et al. 2019, Algorithm 1
    (one pass), Li et al. 2007, §5.2 (½·Σ|p − q|)."""
    (p, q), given = distributions("p", "q", m=m)
    ordered, equal = closed_form(p, q, Ordered(m)), closed_form(p, q, Equal(m))
    same = [ordered_emd(p, q) == ordered, ordered_emd_double_sum(p, q) == ordered, equal_emd(p, q) == equal]
    assert counterexample(same, given, both=m <= 6) is None


@pytest.mark.long
@every_tree
def test_the_papers_recursion_is_the_closed_form_over_cuts(ground):
    """Li et al. 2007, §5.2: Σ height(N)/H·min(pos_extra(N), neg_extra(N)) over the direct children."""
    (p, q), given = distributions("p", "q", m=ground.m)
    recursion = hierarchical_emd(p, q, *ground.nodes, least=lesser)
    assert counterexample(recursion == closed_form(p, q, ground), given, both=quick(ground)) is None


# ---------------------------------------------------------------------- the papers' facts


@every_ground
def test_fact_1_the_closed_form_lies_between_0_and_the_greatest_distance(ground):
    (p, q), given = distributions("p", "q", m=ground.m)
    greatest = max(ground.distance(i, j) for i in range(ground.m) for j in range(ground.m))
    value = closed_form(p, q, ground)
    assert counterexample([value >= 0, value <= greatest], given, both=quick(ground)) is None


def shares_of_classes(names, m):
    """For each class its part λ·P of the mixture's mass and λ·Q of the reference's, λ unknown: linear in the parts.

    EMD(λP, λQ) = λ·EMD(P, Q), so Fact 2 says that the form is subadditive over such parts.
    """
    parts, given = [], []
    for name in names:
        weight = reals(f"weight_{name}", 1)[0]
        pair, are = distributions(f"{name}p", f"{name}q", m=m, total=weight)
        parts.append(pair)
        given += [*are, weight >= 0]
    return parts, given


def mixed(parts):
    return [[sum(masses) for masses in zip(*side, strict=True)] for side in zip(*parts, strict=True)]


@pytest.mark.long
@every_ground
def test_fact_2_a_union_is_no_farther_than_its_classes_on_average(ground):
    """Li et al. 2007, Fact 2: EMD(λP₁ + (1 − λ)P₂, Q) ≤ λ·EMD(P₁, Q) + (1 − λ)·EMD(P₂, Q)."""
    no_farther_on_average(ground, "ab")


@small_grounds
def test_fact_2_for_four_classes_at_once(ground):
    no_farther_on_average(ground, "abcd")


def no_farther_on_average(ground, classes):
    parts, given = shares_of_classes(classes, ground.m)
    union = closed_form(*mixed(parts), ground)
    average = sum(closed_form(*pair, ground) for pair in parts)
    assert counterexample(union <= average, given, both=ground.m <= 3 and len(parts) == 2) is None


@pytest.mark.parametrize("m", range(2, 6))
def test_fact_2_for_any_ground_distance(m):
    """No closed form is needed: a flow of each class, added up, is a flow of the union at the sum of the costs."""
    parts, given = shares_of_classes("ab", m)
    d = [reals(f"d{i}_", m) for i in range(m)]
    each = []
    for name, (p, q) in zip("ab", parts, strict=True):
        f, coupling = flows(p, q, name)
        each.append(f)
        given += coupling
    added = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(*each, strict=True)]

    def costs(f):
        return sum(f[i][j] * d[i][j] for i in range(m) for j in range(m))

    assert counterexample(is_coupling(added, *mixed(parts)), given) is None
    assert counterexample(costs(added) == sum(map(costs, each))) is None


@pytest.mark.parametrize(
    "ground", [g for g in GROUNDS.values() if g.m < 8], ids=[n for n, g in GROUNDS.items() if g.m < 8]
)
def test_the_closed_form_is_symmetric_and_satisfies_the_triangle_inequality(ground):
    (p, q, r), given = distributions("p", "q", "r", m=ground.m)
    pq, qr, pr = (closed_form(*pair, ground) for pair in ((p, q), (q, r), (p, r)))
    assert counterexample([pr <= pq + qr, pq == closed_form(q, p, ground)], given, both=ground.m <= 3) is None


# ---------------------------------------------------------------------- mutants: what must be refuted


def with_weights(cuts, weights):
    return replace(cuts, weights=cuts.weights + weights)


def heavier(p, q, ground):
    """The first set weighs one unit too much."""
    weights = [int(k == 0) for k in range(len(ground.cuts))]
    return cut_work(minus(p, q), with_weights(ground.cuts, weights)) / ground.cuts.denominator


def wrong_sign(p, q, ground):
    """P + Q in the place of P − Q."""
    return cut_work([a + b for a, b in zip(p, q, strict=True)], ground.cuts) / ground.cuts.denominator


def too_often(p, q, ground):
    """Every move counted where it leaves and where it arrives: without the ½ of the equal and hierarchical forms."""
    return closed_form(p, q, ground) * 2


def dropped_set(p, q, ground):
    """The last set left out."""
    c = ground.cuts
    fewer = Cuts(c.order, c.low[:-1], c.high[:-1], c.weights[:-1], c.denominator)
    return cut_work(minus(p, q), fewer) / c.denominator if len(fewer) else 0 * p[0]


def by_m(p, q, ground):
    """Divided by one too many."""
    return cut_work(minus(p, q), ground.cuts) / (ground.cuts.denominator + 1)


def not_absolute(p, q, ground):
    """Sums of differences in the place of their absolute values."""
    return closed_form(p, q, ground, absolute=lambda x: x)


def minus(p, q):
    return [a - b for a, b in zip(p, q, strict=True)]


def refuted(model, p, q, ground, mutant):
    """The counterexample in numbers: the shipped EMD, and what the mutant says."""
    exact = numbers(model, p), numbers(model, q)
    return emd(*exact, ground), mutant(*exact, ground)


@small_grounds
@pytest.mark.parametrize("mutant", [heavier, wrong_sign, too_often])
def test_a_formula_that_is_too_large_is_refuted_by_a_flow(ground, mutant):
    (p, q), given = distributions("p", "q", m=ground.m)
    f, coupling = flows(p, q)
    model = counterexample(cost(f, ground) >= mutant(p, q, ground), [*given, *coupling])
    assert model is not None
    right, wrong = refuted(model, p, q, ground, mutant)
    assert right < wrong


@small_grounds
@pytest.mark.parametrize("mutant", [dropped_set, by_m, not_absolute])
def test_a_formula_that_is_too_small_is_not_attained(ground, mutant):
    (p, q), given = distributions("p", "q", m=ground.m)
    f = filled_flow(p, q, sets_to_fill(ground))
    model = counterexample(cost(f, ground) <= mutant(p, q, ground), given)
    assert model is not None
    right, wrong = refuted(model, p, q, ground, mutant)
    assert right > wrong


@every_tree
def test_leaves_in_the_place_of_children_are_refuted(ground):
    """Li et al. 2007, §5.2 says that Child(N) is the set of all leaves below N; read so, the number is too large."""
    (p, q), given = distributions("p", "q", m=ground.m)
    f, coupling = flows(p, q)
    model = counterexample(cost(f, ground) >= over_all_leaves(p, q, ground), [*given, *coupling])
    assert model is not None
    right, wrong = refuted(model, p, q, ground, over_all_leaves)
    assert right < wrong


@small_grounds
def test_a_potential_that_is_too_steep_or_for_other_masses_is_refuted(ground):
    """Twice the potential rises too fast; that of P + Q does not always earn what moving P to Q costs."""
    (p, q), given = distributions("p", "q", m=ground.m)
    scale = ground.cuts.denominator
    phi = cut_potential(minus(p, q), ground.cuts)
    twice = [2 * abs(phi[i] - phi[0]) <= scale * ground.distance(i, 0) for i in range(1, ground.m)]
    assert counterexample(twice, given) is not None
    other = [0, *range(ground.m - 1)]  # a potential of whole numbers, whatever the masses
    earned = sum(x * y for x, y in zip(minus(p, q), other, strict=True))
    assert counterexample(earned == closed_form(p, q, ground) * scale, given) is not None


@small_grounds
def test_a_detour_may_be_longer_and_an_average_larger(ground):
    """The triangle inequality and Fact 2 the other way round."""
    (p, q, r), given = distributions("p", "q", "r", m=ground.m)
    pq, qr, pr = (closed_form(*pair, ground) for pair in ((p, q), (q, r), (p, r)))
    assert counterexample(pr >= pq + qr, given) is not None
    parts, classes = shares_of_classes("ab", ground.m)
    average = sum(closed_form(*pair, ground) for pair in parts)
    assert counterexample(closed_form(*mixed(parts), ground) >= average, classes) is not None


def test_flows_of_classes_that_are_not_added_up_are_refuted():
    """Fact 2 for any ground distance, with one class's flow for the union: no coupling, and not the cost."""
    parts, given = shares_of_classes("ab", 2)
    f, coupling = flows(*parts[0], "a")
    assert counterexample(is_coupling(f, *mixed(parts)), [*given, *coupling]) is not None


@small_grounds
def test_strictly_more_than_the_formula_is_refuted(ground):
    """> for ≥ in the lower bound, and < for ≤ in Fact 1 and Fact 2."""
    (p, q), given = distributions("p", "q", m=ground.m)
    f, coupling = flows(p, q)
    assert counterexample(cost(f, ground) > closed_form(p, q, ground), [*given, *coupling]) is not None
    greatest = max(ground.distance(i, j) for i in range(ground.m) for j in range(ground.m))
    assert counterexample(closed_form(p, q, ground) < greatest, given) is not None
    parts, classes = shares_of_classes("ab", ground.m)
    average = sum(closed_form(*pair, ground) for pair in parts)
    assert counterexample(closed_form(*mixed(parts), ground) < average, classes) is not None


@small_grounds
def test_a_union_need_not_be_as_far_as_its_nearest_class(ground):
    """Fact 2 bounds a union from above only: no class's part of the work is a lower bound."""
    parts, given = shares_of_classes("ab", ground.m)
    assert counterexample(closed_form(*mixed(parts), ground) >= closed_form(*parts[0], ground), given) is not None


def test_masses_that_are_not_distributed_equally_have_no_flow():
    """Without equal totals (c2) and (c3) of Li et al. 2007, §4 contradict each other, and everything would be
    "proved"."""
    p, q = reals("p", 3), reals("q", 3)
    _, coupling = flows(p, q)
    assert counterexample(sum(p) == sum(q), coupling) is None
    (p, q), given = distributions("p", "q", m=3)
    _, coupling = flows(p, q)
    nothing = p[0] != p[0]
    assert counterexample(nothing, [*given, *coupling]) is not None  # distributions do have a flow
