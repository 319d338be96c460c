"""A ground distance as text: what distinguishes it is there, and the beginning alone of a long one."""

from __future__ import annotations

from itertools import combinations

from proofs_tests.transport.certificate_mutants import originals
from tcloseness.ground import Hierarchical, Matrix, Ordered, OrderedByValue, ground_digest, ground_from_dict
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.report.text import ground_text

TREE = Hierarchy([("x", "A", "*"), ("y", "B", "*"), ("z", "A", "*"), ("w", "C", "*")])


def test_the_paths_stand_in_the_order_of_the_values_and_the_rest_beside_them():
    ground = Hierarchical(TREE, Domain.declare(["z", "y", "x"]))
    assert ground_text(ground) == "hierarchical, m = 3: z < A < *; y < B < *; x < A < *; beside these: w < C < *"


def test_different_distances_read_differently():
    grounds = [ground_from_dict(record["ground"]) for record in originals()]
    grounds += [Hierarchical(TREE, Domain.declare(order)) for order in ("wxyz", "xwyz")]
    grounds += [Hierarchical(TREE, Domain.declare("wxyz"), trivial_levels="collapse")]
    for one, other in combinations(grounds, 2):
        assert (ground_text(one) == ground_text(other)) == (ground_digest(one) == ground_digest(other))


def test_a_long_one_shows_its_beginning_and_its_length():
    text = ground_text(OrderedByValue(tuple(range(10**6, 10**6 + 500))))
    assert text.startswith("ordered-by-value, m = 500: over the range of the values 1000000, 1000001")
    assert text.endswith("characters; see its sha256)")
    assert len(text) < 400


def test_names_cannot_steer_the_terminal():
    tree = Hierarchy([("a\x1b[2J", "*"), ("b", "*")])
    assert "\x1b" not in ground_text(Hierarchical(tree, Domain.declare(["a\x1b[2J", "b"])))
    assert ground_text(Ordered(1)) == "ordered, m = 1: d(i, j) = |i − j|/1"
    assert ground_text(Matrix([[0]])) == "matrix, m = 1: rows 0"
