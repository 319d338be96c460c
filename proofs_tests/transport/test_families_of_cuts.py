"""What the papers' ground distances do not show: couplings of any laminar family, and kernels past their tiles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import distributions, laminar_cuts
from tcloseness.ground import Cuts
from tcloseness.transport import compiled, virtual_tree
from tcloseness.transport.solve import laminar_coupling

F = Fraction


def crossings(coupling, cuts):
    """By set: the mass that leaves it and the mass that enters it."""
    order = cuts.order.tolist()
    sets = [set(order[low:high]) for low, high in zip(cuts.low.tolist(), cuts.high.tolist(), strict=True)]
    return [
        (
            sum((x for i, j, x in coupling if i in inside and j not in inside), F(0)),
            sum((x for i, j, x in coupling if i not in inside and j in inside), F(0)),
        )
        for inside in sets
    ]


def surpluses(p, q, cuts):
    order = cuts.order.tolist()
    return [
        sum((p[i] - q[i] for i in order[low:high]), F(0))
        for low, high in zip(cuts.low.tolist(), cuts.high.tolist(), strict=True)
    ]


@given(data=st.data(), m=st.integers(1, 9))
def test_no_more_than_must_crosses_a_set_of_any_family(data, m):
    cuts, p, q = data.draw(laminar_cuts(m)), data.draw(distributions(m)), data.draw(distributions(m))
    coupling = laminar_coupling(p, q, cuts)
    assert crossings(coupling, cuts) == [(max(s, F(0)), max(-s, F(0))) for s in surpluses(p, q, cuts)]


def test_a_first_set_that_does_not_begin_at_the_left_is_settled_first():
    """With {1, 2} to stay among itself, 0 has to give to 3; matched from the left, two would cross."""
    cuts = Cuts.of(range(4), [(1, 3)], [F(1)])
    half = F(1, 2)
    assert laminar_coupling((half, half, F(0), F(0)), (F(0), F(0), half, half), cuts) == ((0, 3, half), (1, 2, half))


FAMILIES = {
    "prefixes": [(0, 1), (0, 2)],
    "prefixes with a gap": [(0, 2)],
    "pairs": [(0, 2), (2, 4)],
    "nested": [(1, 2), (1, 3)],
}


@pytest.mark.parametrize("weight", [F(1), F(3)])
@pytest.mark.parametrize("sets", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("g", [511, 512, 513, 1030])
def test_the_kernels_run_as_python_stay_within_their_arrays(sets, weight, g, monkeypatch):
    """Machine code reads past the end of a slice without a word; Python does not. Tiles hold 512 classes."""
    for name in ("_prefix_tiles", "_interval_tiles"):
        monkeypatch.setattr(compiled, name, getattr(getattr(compiled, name), "py_func", getattr(compiled, name)))
    cuts = Cuts.of(range(4), sets, [weight] * len(sets))
    matrix = np.random.default_rng(g).integers(0, 9, size=(4, g))
    sizes, reference = matrix.sum(axis=0), np.array([3, 1, 4, 2])
    found = compiled.dense_work(matrix, sizes, reference, cuts)
    shares = np.cumsum([[0] * g, *matrix.tolist()], axis=0)
    total, whole = int(reference.sum()), [0, *np.cumsum(reference).tolist()]
    expected = sum(
        int(w) * abs((shares[high] - shares[low]) * total - (whole[high] - whole[low]) * sizes)
        for low, high, w in zip(cuts.low, cuts.high, cuts.weights, strict=True)
    )
    assert found.tolist() == expected.tolist()


NESTED = {
    "one inside the other": [(0, k) for k in range(1, 1200)],
    "one beside the other": [(k, k + 1) for k in range(600)],
    "a comb": [s for k in range(1, 600) for s in ((0, k), (k, k + 1))],
    "halves": [(low, low + 2**e) for e in range(10) for low in range(0, 1024, 2**e)],
}


@pytest.mark.parametrize("sets", NESTED.values(), ids=NESTED)
def test_any_set_around_a_set_is_reached_in_logarithmically_many_steps(sets):
    """By jumps, and by parents where a jump goes too far: at most 3·log₂ K (Myers 1983)."""
    m = max(high for _, high in sets) + 1
    cuts = Cuts.of(range(m), sets, [F(1)] * len(sets))
    forest = virtual_tree.Forest(cuts, np.ones(m, dtype=np.int64), np.int64)
    parent, jump, depth = forest.parent.tolist(), forest.jump.tolist(), forest.depth.tolist()
    whole = len(cuts)
    assert depth[whole] == -1
    assert [depth[s] for s in range(whole)] == [depth[parent[s]] + 1 for s in range(whole)]
    for start in np.random.default_rng(1).integers(0, whole, 200).tolist():
        for aim in {-1, 0, depth[start] // 3, depth[start] // 2, max(depth[start] - 1, -1)}:
            x, steps = start, 0
            while depth[x] > aim:
                x = jump[x] if depth[jump[x]] >= aim else parent[x]
                steps += 1
            assert depth[x] == aim
            assert steps <= 3 * np.log2(whole + 2)
