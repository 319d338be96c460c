"""The network simplex is exact: as Python and as machine code, beside networkx, and what it proves is checked."""

from __future__ import annotations

import random
from fractions import Fraction
from importlib import import_module
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.oracles import cheapest_assignment, shares
from proofs_tests.strategies import metrics, non_metrics, samples
from tcloseness.errors import SolverError
from tcloseness.exact import INT64_MAX, fits_int64
from tcloseness.ground import Matrix
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.transport import batched, certify, compiled, emd, network_simplex
from tcloseness.transport.batched import solved_class_emds
from tcloseness.transport.network_simplex import TREE_ROWS, is_optimal, solve_transportation

SOLVE = import_module("tcloseness.transport.solve")
"""The module; its package has a function of the same name."""


def proves(costs, supply, demand, tree):
    """Complementary slackness by its definition, over a matrix of the flow."""
    n, k = len(supply), len(demand)
    flow = [[0] * k for _ in range(n)]
    for v in range(n + k):
        if tree[3][v]:
            if not 0 <= tree[1][v] < n * k or tree[3][v] < 0:
                return False
            flow[tree[1][v] // k][tree[1][v] % k] += tree[3][v]
    slack = [[costs[i][j] + tree[4][i] - tree[4][n + j] for j in range(k)] for i in range(n)]
    moved = [sum(row) for row in flow] == supply and [sum(column) for column in zip(*flow, strict=True)] == demand
    return moved and all(s >= 0 and not (s and f) for s, f in zip(chain(*slack), chain(*flow), strict=True))


def plain(costs, supply, demand):
    """Run in Python; return the tree's rows."""
    tree = [[0] * (len(supply) + len(demand) + 1) for _ in range(TREE_ROWS)]
    flat = [cost for row in costs for cost in row]
    solve_transportation(flat, supply, demand, len(supply), len(demand), tree)
    assert is_optimal(flat, supply, demand, len(supply), len(demand), tree, [0] * len(tree[0]))
    return tree


def as_code(costs, supply, demand):
    """Run as machine code; return the tree's rows."""
    tree = np.full((TREE_ROWS, len(supply) + len(demand) + 1), 77, dtype=np.int64)
    flat = np.array(costs, dtype=np.int64).ravel()
    given = flat, np.array(supply), np.array(demand), len(supply), len(demand), tree
    compiled.solve_transportation(*given)
    assert compiled.is_optimal(*given, np.empty(len(tree[0]), dtype=np.int64))
    return tree.tolist()


def problem(rng, most=7):
    """Draw costs with many ties and zeros, and masses of which many are equal."""
    sources, sinks = rng.randint(1, most), rng.randint(1, most)
    dearest = rng.choice([0, 1, 2, 9, 10**6])
    costs = [[rng.randint(0, dearest) for _ in range(sinks)] for _ in range(sources)]
    supply = [rng.choice([1, 1, 2, rng.randint(1, 50)]) for _ in range(sources)]
    demand = [1] * sinks
    while sum(demand) < sum(supply):
        demand[rng.randrange(sinks)] += 1
    while sum(supply) < sum(demand):
        supply[rng.randrange(sources)] += 1
    return costs, supply, demand


@pytest.mark.long
def test_python_and_machine_code_pivot_alike_and_both_are_proved():
    rng = random.Random(20070415)
    for _ in range(600):
        drawn = problem(rng)
        one, other = plain(*drawn), as_code(*drawn)
        vertices = len(drawn[1]) + len(drawn[2])
        assert [row[:vertices] for row in one[:5]] == [row[:vertices] for row in other[:5]]
        assert proves(*drawn, one)
        assert all(one[3][v] or one[2][v] for v in range(vertices)), "strongly feasible: an empty arc runs to the root"


@given(samples(), st.data())
def test_it_finds_the_cheapest_of_all_pairings(sample, data):
    """Brute force over all pairings of up to five units, under metrics and other matrices."""
    m, p, q = sample
    matrix = data.draw(metrics(m) if m < 2 else st.one_of(metrics(m), non_metrics(m)))
    ground = Matrix(matrix, allow_non_metric=True)
    found = certify(shares(p, m), shares(q, m), ground)
    assert found.method == "network-simplex"
    assert found.value == emd(shares(p, m), shares(q, m), ground) == cheapest_assignment(p, q, ground.distance)


def matrix(rng, m, scale=1):
    """Draw a metric of shortest paths, or any matrix with a zero diagonal; ties and zeros are usual."""
    d = np.array([[0 if i == j else rng.randint(0, 4) for j in range(m)] for i in range(m)], dtype=object)
    if rng.random() < 0.6:
        d = np.minimum(d, d.T)
        for k in range(m):
            d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return Matrix((d * scale).tolist(), allow_non_metric=True)


def table(rng, m, times=1):
    rows = [[rng.choice([0, 0, 1, 1, 2, 7]) * times for _ in range(m)] for _ in range(rng.randint(1, 5))]
    for row in rows:
        row[rng.randrange(m)] += times
    return ClassCounts.from_matrix(np.array(rows, dtype=np.int64).T, domain=Domain.of(range(m)))


@pytest.mark.long
@pytest.mark.solver
@pytest.mark.parametrize("distances", [0, 10**9], ids=["machine code", "Python"])
def test_all_classes_at_once_are_each_alone_by_networkx(monkeypatch, distances):
    """From one value and one class on; with counts whose products leave 64 bits, and distances that do."""
    monkeypatch.setattr(batched, "_INTERPRETED_DISTANCES", distances)
    rng = random.Random(20190601)
    for _ in range(120):
        monkeypatch.setattr(batched, "_UNHEARD_DISTANCES", rng.choice([1, 30, 2**22]))
        m = rng.randint(1, 6)
        classes = table(rng, m, times=rng.choice([1, 1, 10**6, 10**15]))
        ground = matrix(rng, m, scale=rng.choice([1, 1, 10**3, 2**50, 2**61, 10**25, Fraction(1, 3**38)]))
        found = solved_class_emds(classes, ground)
        for g in range(len(classes)):
            alone = certify(classes.vector(g), classes.reference.tolist(), ground, counts=True, solver="networkx")
            assert found[g] == alone.value


@pytest.mark.long
@pytest.mark.parametrize("arcs", [0, 10**9], ids=["machine code", "Python"])
@pytest.mark.parametrize("distance", [2, 2**40 - 1, 2**59, 2**62, 2**200])
def test_single_distances_are_right_at_the_ends_of_64_bits(monkeypatch, arcs, distance):
    """Mass crosses a bridge of one length between two groups of values; inside them it moves for nothing."""
    monkeypatch.setattr(SOLVE, "_INTERPRETED_ARCS", arcs)
    entries = [[0 if i // 2 == j // 2 else distance for j in range(4)] for i in range(4)]
    for counts in (1, 2**20, 2**31, 2**40, 2**61, 2**70):
        p, q = [2 * counts, counts, counts, 0], [0, counts, counts, 2 * counts]
        assert emd(p, q, Matrix(entries), counts=True) == Fraction(distance, 2)
        assert certify(p, q, Matrix(entries), counts=True).value == Fraction(distance, 2)


@pytest.mark.long
def test_machine_code_is_only_given_what_fits(monkeypatch):
    """Whatever reaches it, potentials of four times the dearest way and the work of a class stay within 64 bits."""
    monkeypatch.setattr(batched, "_INTERPRETED_DISTANCES", 0)
    monkeypatch.setattr(SOLVE, "_INTERPRETED_ARCS", 0)
    given, alone = [], []
    monkeypatch.setattr(compiled, "class_flows", lambda *args: given.append(args) or compiled_flows(*args))
    single = compiled.solve_transportation
    with monkeypatch.context() as here:  # machine code of the other function is not made of this one's replacement
        here.setattr(compiled, "solve_transportation", lambda *args: alone.append(args) or single(*args))
        for power in range(64):
            entries = [[0, 1, 2**power], [1, 0, 1], [2**power, 1, 0]]
            emd([1, 2, 0], [1, 0, 1], Matrix(entries, allow_non_metric=True), counts=True)
    assert 50 < len(alone) < 64
    for costs, _, _, sources, sinks, _ in alone:
        assert (int(costs.max()) + 1) * (sources + sinks + 2) * 4 <= INT64_MAX
    rng = random.Random(7)
    for power in range(0, 64, 3):
        for times in (1, 2**20, 2**40):
            classes, ground = table(rng, 3, times), matrix(rng, 3, 2**power)
            solved_class_emds(classes, ground)
    assert given
    for _, _, _, sizes, reference, distances, *_ in given:
        dearest = int(distances.max())
        assert fits_int64(dearest, int(sizes.max()), int(reference.sum()))
        assert (dearest + 1) * (2 * 3 + 1) * 4 <= INT64_MAX
    assert len(given) < 22 * 3


compiled_flows = compiled.class_flows


def test_what_is_not_optimal_is_not_taken_for_it():
    """Each number of a proved tree is changed, in Python and as machine code: what is accepted costs as little."""
    rng = random.Random(11)
    refused = 0
    for _ in range(200):
        costs, supply, demand = problem(rng, most=4)
        tree = plain(costs, supply, demand)
        flat = [cost for row in costs for cost in row]
        n = len(supply) + len(demand)
        work = sum(tree[3][v] * flat[tree[1][v]] for v in range(n) if tree[3][v])
        row, v = rng.choice([1, 3, 4]), rng.randrange(n)
        changed = [list(numbers) for numbers in tree]
        if row == 4:  # of all vertices that flow connects, so that it may still run where the reduced cost is 0
            step, connected = rng.choice([-2, -1, 1, 2]), {v}
            for _ in range(n):
                for w in range(n):
                    ends = {tree[1][w] // len(demand), len(supply) + tree[1][w] % len(demand)}
                    connected |= ends if tree[3][w] and ends & connected else set()
            for w in connected:
                changed[4][w] += step
        else:
            changed[row][v] = rng.choice([changed[row][v] + 1, changed[row][v] - 1, 0, -1])
        ends = len(supply), len(demand)
        answer = is_optimal(flat, supply, demand, *ends, changed, [0] * n)
        assert answer == proves(costs, supply, demand, changed)
        whole = np.array(flat), np.array(supply), np.array(demand)
        assert answer == compiled.is_optimal(*whole, *ends, np.array(changed), np.zeros(n, dtype=np.int64))
        if answer:
            assert work == sum(changed[3][v] * flat[changed[1][v]] for v in range(n) if changed[3][v])
        refused += not answer
    assert refused > 100


def test_flows_whose_sum_leaves_64_bits_are_not_taken_for_a_unit():
    """Three times one arc, with 2⁶⁴ + 1 together."""
    costs, supply, demand = [0] * 6, [1, 2], [1, 1, 1]
    tree = [[0] * 6 for _ in range(TREE_ROWS)]
    tree[1], tree[3] = [0, 0, 0, 4, 5, -1], [INT64_MAX, INT64_MAX, 3, 1, 1, 0]
    assert not is_optimal(costs, supply, demand, 2, 3, tree, [0] * 6)
    assert not compiled.is_optimal(*map(np.array, (costs, supply, demand)), 2, 3, np.array(tree), np.zeros(6, int))
    tree[3] = [1, 0, 0, 1, 1, 0]
    assert compiled.is_optimal(*map(np.array, (costs, supply, demand)), 2, 3, np.array(tree), np.zeros(6, int))


@pytest.mark.parametrize("arcs", [0, 10**9], ids=["machine code", "Python"])
def test_written_potentials_are_as_small_as_the_distances(monkeypatch, arcs):
    """Under a metric none exceeds the greatest distance; the first value that gives has 0 under any distance. Also
    where P and Q agree in many values, so that arcs of the root stay in the tree."""
    monkeypatch.setattr(SOLVE, "_INTERPRETED_ARCS", arcs)
    rng = random.Random(23)
    for _ in range(150):
        m = rng.randint(1, 7)
        ground = matrix(rng, m, scale=rng.choice([1, 2**50, 2**70]))
        p = [rng.choice([1, 1, 2, 3]) for _ in range(m)]
        q = rng.sample(p, m) if rng.random() < 0.5 else [rng.choice([0, 1, 2]) for _ in range(m - 1)] + [1]
        found = certify(p, q, ground, counts=True)
        if ground.metric:
            assert max(map(abs, (*found.u, *found.v))) <= ground.greatest
        givers = [i for i in range(m) if found.p[i] > found.q[i] or not ground.metric]
        assert all(found.u[i] == 0 for i in givers[:1])


def test_an_answer_without_a_proof_is_refused(monkeypatch):
    """As if the simplex had stopped after no pivot."""

    def stop(costs, supply, demand, sources, sinks, tree):
        solve_transportation([0] * (sources * sinks), supply, demand, sources, sinks, tree)

    monkeypatch.setattr(network_simplex, "solve_transportation", stop)
    ground = Matrix([[0, 1, 3], [1, 0, 2], [3, 2, 0]])
    with pytest.raises(SolverError, match="network-simplex is refused"):
        emd([5, 3, 0], [2, 2, 4], ground, counts=True)
    monkeypatch.setattr(batched, "_INTERPRETED_DISTANCES", 0)
    unproved = [-1, 0]  # of the first class alone, and of the second
    monkeypatch.setattr(batched, "_UNHEARD_DISTANCES", 1)
    monkeypatch.setattr(compiled, "class_flows", lambda *args: unproved.pop(0))
    with pytest.raises(SolverError, match="does not prove the EMD of class 1"):
        solved_class_emds(ClassCounts.from_mapping({"a": {0: 1}, "b": {1: 1, 2: 1}}), ground)


def test_degenerate_problems_end():
    """Equal masses and equal costs everywhere: most pivots move nothing."""
    for n in (1, 2, 5, 12, 30):
        for cost in (0, 1):
            as_code([[cost] * n for _ in range(n)], [1] * n, [1] * n)
        plain([[abs(i - j) for j in range(n)] for i in range(n)], [1] * n, [1] * n)
