"""The batched kernels for *all* counts of a class, by solver: their own code, on symbols, is the one closed form.

`cut_work` is proved in `test_closed_forms_smt.py`. Here the loops that decide in bulk run on unknown counts, as Python
and along every path; the table's own counts are known, since products of two unknown numbers are out of reach.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from proofs_tests.smt.compiled import as_python, objects
from proofs_tests.smt.proofs import counterexample
from proofs_tests.smt.symbolic import paths, wholes
from tcloseness.ground import Cuts, Equal, GroundDistance, Hierarchical, Ordered, OrderedByValue
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.transport import compiled
from tcloseness.transport.closed_forms import cut_work
from tcloseness.transport.virtual_tree import Forest, sparse_work

pytestmark = pytest.mark.smt

SIZES = (1, 2, 3, 4, 5)
REFERENCES = ([3, 1, 4, 2, 5], [0, 2, 0, 1, 3], [2, 0, 0, 0, 0], [1, 1, 1, 1, 0])
"""The table's counts of up to five values: any, first and inner ones absent, only the first, the last one absent."""


def leaves(*nodes: int) -> Hierarchical:
    """Return the distance of leaves that lie under so many inner nodes, so many under each."""
    under = [node for node, size in enumerate(nodes) for _ in range(size)]
    tree = Hierarchy([(f"v{i}", f"n{node}", "*") for i, node in enumerate(under)])
    return Hierarchical(tree, Domain.declare([f"v{i}" for i in range(len(under))]))


def grounds(m: int) -> dict[str, GroundDistance]:
    """Return ground distances over m values, of every form that has cuts."""
    trees = {1: [(1,)], 2: [(1, 1)], 3: [(2, 1)], 4: [(2, 2), (1, 3)], 5: [(2, 2, 1), (4, 1)]}[m]
    return {
        "ordered": Ordered(m),
        "by value": OrderedByValue((14, 27, 88, 101, 102)[:m]),
        "equal": Equal(m),
        **{f"{'+'.join(map(str, nodes))} leaves": leaves(*nodes) for nodes in trees},
    }


CASES = [
    pytest.param(ground, reference[:m], id=f"{m} {name} {reference[:m]}")
    for m in SIZES
    for name, ground in grounds(m).items()
    for reference in REFERENCES
    if sum(reference[:m])
]
"""Every ground distance of every size with every reference of some records."""


def expected(counts, reference, cuts: Cuts):
    """Σ_k w_k·|c(S_k)·N − C(S_k)·n| by the proved form."""
    total, n = sum(reference), sum(counts)
    return cut_work([c * total - of_table * n for c, of_table in zip(counts, reference, strict=True)], cuts)


@pytest.mark.parametrize(("ground", "reference"), CASES)
def test_the_compiled_dense_kernels_compute_the_closed_form(ground, reference):
    """Two classes at once, of any counts; prefix sets by the one kernel, any sets by the other."""
    cuts = ground.cuts
    x, y = classes = wholes("x", ground.m), wholes("y", ground.m)
    matrix = objects([list(pair) for pair in zip(*classes, strict=True)])
    sizes = objects([sum(x), sum(y)])
    prefix = np.append([0], np.cumsum(np.array(reference)[cuts.order]))
    total = int(prefix[-1])
    intervals, prefixes = objects([0, 0]), objects([0, 0])
    share = (prefix[cuts.high] - prefix[cuts.low]).tolist()
    as_python(compiled._interval_tiles)(
        matrix, sizes, share, total, cuts.order, cuts.low, cuts.high, cuts.weights, intervals
    )
    found = [*intervals]
    right = [expected(x, reference, cuts), expected(y, reference, cuts)]
    if (cuts.low == 0).all():
        shares = prefix[1:].tolist()
        as_python(compiled._prefix_tiles)(matrix, sizes, shares, total, cuts.order, cuts.high, cuts.weights, prefixes)
        found, right = [*found, *prefixes], right * 2
    given = [count >= 0 for count in (*x, *y)]
    assert counterexample([a == b for a, b in zip(found, right, strict=True)], given, both=True) is None
    assert counterexample([a == b + 1 for a, b in zip(found, right, strict=True)], given) is not None  # a mutant


@pytest.mark.long
@pytest.mark.parametrize(
    ("ground", "reference", "cells"),
    [
        pytest.param(ground, reference[:m], cells, id=f"{m} {name} {reference[:m]} {cells}")
        for m, of_any in ((1, 1), (2, 2), (3, 2), (4, 1))
        for name, ground in grounds(m).items()
        if name != "by value"
        for reference in REFERENCES[:of_any]
        for size in range(1, m + 1)
        for cells in combinations(range(m), size)
    ],
)
def test_the_sparse_kernel_computes_the_closed_form_on_every_path(ground, reference, cells):
    """One class that has exactly these values, each with any positive count: every way through the forest's walk."""
    cuts = ground.cuts
    forest = Forest(cuts, np.array(reference), object)
    unknown = wholes("x", len(cells))
    counts = [unknown[cells.index(code)] if code in cells else 0 for code in range(ground.m)]
    places = forest.place[list(cells)]
    order = np.argsort(places)

    def run():
        work = objects([0])
        sparse_work(
            [0, len(cells)],
            places[order].tolist(),
            forest.home[list(cells)][order].tolist(),
            objects([unknown[i] for i in order]),
            [sum(unknown)],
            sum(reference),
            *forest.arrays,
            work,
        )
        return work[0]

    right = expected(counts, reference, cuts)
    for path in paths(run, [count > 0 for count in unknown], most=60):
        assert path.counterexample(path.result == right) is None
        assert path.counterexample(path.result == right + 1) is not None  # a mutant, and so no path is vacuous
