"""What the papers' ground distances do not show: couplings of any laminar family, and kernels past their tiles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_tests.strategies import distributions, laminar_cuts
from tcloseness.ground import Cuts
from tcloseness.transport import compiled
from tcloseness.transport.coupling import laminar_coupling

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
