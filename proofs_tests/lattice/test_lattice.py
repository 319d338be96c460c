"""The lattice is the product of chains, and says so before anything is searched."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given

from proofs_tests.lattice.cases import Case, cases
from tcloseness.errors import HierarchyError, TableError
from tcloseness.lattice import Lattice
from tcloseness.microdata import Hierarchy

SEX = Hierarchy.suppression(["F", "M"], name="sex")
ZIP = Hierarchy.prefixes(["476", "479"], name="zip")


@given(cases())
def test_every_node_stands_once_in_the_order_of_heights(case: Case) -> None:
    lattice = Lattice(case.hierarchies)
    nodes = list(lattice)
    assert len(nodes) == len(set(nodes)) == len(lattice) == math.prod(lattice.shape)
    assert nodes == sorted(product(*map(range, lattice.shape)), key=lambda node: (sum(node), node))
    sizes = [sum(1 for node in nodes if sum(node) == h) for h in range(lattice.height + 1)]
    assert lattice.sizes_by_height() == sizes
    assert all(node in lattice for node in nodes)


@given(cases())
def test_parents_and_children_are_one_step_apart_and_inverse(case: Case) -> None:
    lattice = Lattice(case.hierarchies)
    for node in lattice:
        for parent in lattice.parents(node):
            assert parent in lattice
            assert sum(parent) == sum(node) + 1
            assert node in lattice.children(parent)
        assert set(lattice.up_set(node)) == {v for v in lattice if all(a <= b for a, b in zip(node, v, strict=True))}
    assert not lattice.children(lattice.bottom)
    assert not lattice.parents(lattice.top)


def test_the_papers_sizes_are_known_up_front() -> None:
    """Li et al. 2007, §6: heights 5, 3, 4, 3, 3, 3, 2 give 3,240 nodes;
    Machanavajjhala et al. 2006, §6: 4, 1, 1, 2, 3 steps give 240."""
    assert math.prod([5, 3, 4, 3, 3, 3, 2]) == 3240
    chain = {str(i): Hierarchy([("v", *range(1, n))]) for i, n in enumerate([5, 2, 2, 3, 4])}
    lattice = Lattice(chain)
    assert (len(lattice), lattice.height, sum(lattice.sizes_by_height())) == (240, 11, 240)
    assert "240 nodes" in repr(lattice)


def test_nodes_are_read_by_name_or_in_order_and_written_as_digits() -> None:
    lattice = Lattice({"zip": ZIP, "sex": SEX})
    assert lattice.node({"sex": 1}) == (0, 1)
    assert lattice.node([2, 0]) == (2, 0)
    assert lattice.levels((2, 1)) == {"zip": 2, "sex": 1}
    assert lattice.text((2, 1)) == "21"
    assert lattice.subset(["sex"]).shape == (2,)
    high = Lattice({"h": Hierarchy([("v", *range(11))])})
    assert high.text((11,)) == "11"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Lattice({"zip": ZIP}, ["zip", "sex"]), TableError, "no hierarchy is given for .* 'sex'"),
        (lambda: Lattice({"zip": ZIP}, ["zip", "zip"]), TableError, "'zip' is named twice"),
        (lambda: Lattice({}), TableError, "needs a quasi-identifier"),
        (lambda: Lattice({"x": Hierarchy([("a", "b", "*"), ("c", "*")], ragged="keep")}), HierarchyError, "'x' has"),
        (lambda: Lattice({"zip": ZIP}).node({"age": 1}), TableError, "'age' is not a quasi-identifier"),
        (lambda: Lattice({"zip": ZIP}).node([4]), TableError, r"no node \(4,\)"),
        (lambda: Lattice({"zip": ZIP}).node([-1]), TableError, "no node"),
        (lambda: Lattice({"zip": ZIP}).subset(["age"]), TableError, "'age' is not a quasi-identifier"),
    ],
)
def test_what_is_no_lattice_or_node_is_refused(call, error, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=message):
        call()
