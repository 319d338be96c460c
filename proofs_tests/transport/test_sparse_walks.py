"""The sparse kernel on families that the papers do not have: values directly in a set, sets deep in sets."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import laminar_cuts, repeated
from tcloseness.ground import Cuts
from tcloseness.microdata import ClassCounts
from tcloseness.transport import batched

F = Fraction


def works(classes, cuts):
    """Σ_k w_k·|c_g(S_k)·N − C(S_k)·n_g| as it is defined."""
    reference, order = classes.reference.tolist(), cuts.order.tolist()
    sets = [(order[low:high], int(w)) for low, high, w in zip(cuts.low, cuts.high, cuts.weights, strict=True)]
    found = []
    for g in range(len(classes)):
        ours, n, total = classes.vector(g), sum(classes.vector(g)), sum(reference)
        found.append(sum(w * abs(sum(ours[v] for v in s) * total - sum(reference[v] for v in s) * n) for s, w in sets))
    return found


def sparse(rows, reference):
    """Class counts of these rows {code: count} over as many values as the reference has."""
    cells = [sorted(row.items()) for row in rows]
    m = len(reference)
    return ClassCounts.from_cells(
        ClassCounts.from_matrix(np.eye(m, dtype=int)).domain,
        np.cumsum([0, *map(len, cells)]),
        [v for row in cells for v, _ in row],
        [c for row in cells for _, c in row],
        reference=np.array(reference),
    )


@pytest.mark.parametrize("machine", [False, True], ids=["as Python", "as machine code"])
@given(data=st.data(), m=st.integers(1, 14))
def test_the_walk_gives_the_sum_of_the_definition_for_any_family(machine, data, m):
    cuts = data.draw(laminar_cuts(m))
    row = st.dictionaries(st.integers(0, m - 1), st.integers(1, 4), min_size=1, max_size=6)
    classes = sparse(data.draw(st.lists(row, min_size=1, max_size=4)), data.draw(repeated(st.integers(1, 4), m)))
    found = batched._sparse(classes, cuts, int(classes.reference.sum()), machine)
    assert found.tolist() == works(classes, cuts)


DEEP = {
    "each set begins a value later": [(k, 40) for k in range(40)],
    "each set ends a value later": [(0, k) for k in range(1, 40)],
    "around the middle": [(20 - k, 20 + k) for k in range(1, 20)],
    "a pair of values in each": [(2 * k, 40) for k in range(20)],
}


@pytest.mark.parametrize("machine", [False, True], ids=["as Python", "as machine code"])
@pytest.mark.parametrize("sets", DEEP.values(), ids=DEEP)
def test_as_many_sets_may_be_open_as_a_class_has_values(sets, machine):
    """The class with most values stands in the middle; its values open one set inside the other."""
    cuts = Cuts.of(range(40), sets, [F(k % 3 + 1) for k in range(len(sets))])
    rows = [{0: 1}, {v: v % 5 + 1 for v in range(40)}, {7: 2, 39: 1}]
    classes = sparse(rows, [v % 7 + 1 for v in range(40)])
    found = batched._sparse(classes, cuts, int(classes.reference.sum()), machine)
    assert found.tolist() == works(classes, cuts)


@pytest.mark.parametrize("machine", [False, True], ids=["as Python", "as machine code"])
def test_a_set_between_two_open_ones_is_not_passed_over(machine):
    """A holds a value of its own and B, B one and C: from C the way ends at B, which is met before A."""
    cuts = Cuts.of(range(8), [(0, 6), (1, 5), (1, 2)], [F(1), F(2), F(3)])
    classes = sparse([{0: 1, 1: 2, 2: 3}], [1] * 8)
    assert batched._sparse(classes, cuts, 8, machine).tolist() == works(classes, cuts)
