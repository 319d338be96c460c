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
from tcloseness.ground import Cuts, Equal, Hierarchical, Ordered, OrderedByValue
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.transport import compiled
from tcloseness.transport.closed_forms import cut_work
from tcloseness.transport.virtual_tree import Forest, sparse_work

pytestmark = pytest.mark.smt

PAIRS = Hierarchy([("v0", "a", "*"), ("v1", "a", "*"), ("v2", "b", "*"), ("v3", "b", "*")])
GROUNDS = {
    "ordered": Ordered(4),
    "by value": OrderedByValue((14, 27, 88, 101)),
    "equal": Equal(4),
    "2+2 leaves": Hierarchical(PAIRS, Domain.declare(["v0", "v1", "v2", "v3"])),
}
REFERENCE = [3, 1, 4, 2]
every_ground = pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)


def expected(counts, cuts: Cuts):
    """Σ_k w_k·|c(S_k)·N − C(S_k)·n| by the proved form."""
    total, n = sum(REFERENCE), sum(counts)
    return cut_work([c * total - of_table * n for c, of_table in zip(counts, REFERENCE, strict=True)], cuts)


@every_ground
def test_the_compiled_dense_kernels_compute_the_closed_form(ground):
    """Two classes at once, of any counts; prefix sets by the one kernel, any sets by the other."""
    cuts = ground.cuts
    x, y = classes = wholes("x", 4), wholes("y", 4)
    matrix = objects([list(pair) for pair in zip(*classes, strict=True)])
    sizes = objects([sum(x), sum(y)])
    prefix = np.append([0], np.cumsum(np.array(REFERENCE)[cuts.order]))
    total = int(prefix[-1])
    intervals, prefixes = objects([0, 0]), objects([0, 0])
    share = (prefix[cuts.high] - prefix[cuts.low]).tolist()
    as_python(compiled._interval_tiles)(
        matrix, sizes, share, total, cuts.order, cuts.low, cuts.high, cuts.weights, intervals
    )
    found = [*intervals]
    right = [expected(x, cuts), expected(y, cuts)]
    if (cuts.low == 0).all():
        shares = prefix[1:].tolist()
        as_python(compiled._prefix_tiles)(matrix, sizes, shares, total, cuts.order, cuts.high, cuts.weights, prefixes)
        found, right = [*found, *prefixes], right * 2
    given = [count >= 0 for count in (*x, *y)]
    assert counterexample([a == b for a, b in zip(found, right, strict=True)], given, both=True) is None
    assert counterexample([a == b + 1 for a, b in zip(found, right, strict=True)], given) is not None  # a mutant


@pytest.mark.parametrize("ground", [GROUNDS[name] for name in ("ordered", "equal", "2+2 leaves")], ids=lambda g: g.name)
@pytest.mark.parametrize("cells", [c for size in (1, 2, 3, 4) for c in combinations(range(4), size)], ids=str)
def test_the_sparse_kernel_computes_the_closed_form_on_every_path(ground, cells):
    """One class that has exactly these values, each with any positive count: every way through the forest's walk."""
    cuts = ground.cuts
    forest = Forest(cuts, np.array(REFERENCE), object)
    unknown = wholes("x", len(cells))
    counts = [unknown[cells.index(code)] if code in cells else 0 for code in range(4)]
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
            sum(REFERENCE),
            *forest.arrays,
            work,
        )
        return work[0]

    right = expected(counts, cuts)
    for path in paths(run, [count > 0 for count in unknown], most=60):
        assert path.counterexample(path.result == right) is None
        assert path.counterexample(path.result == right + 1) is not None  # a mutant, and so no path is vacuous
