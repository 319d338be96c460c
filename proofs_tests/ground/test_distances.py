"""Ground distances: the papers' numbers, the axioms, and the conventions that change a distance."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import any_tree, grounds, metrics, non_metrics
from tcloseness.errors import DomainError
from tcloseness.ground import Equal, GroundDistance, Hierarchical, Matrix, Ordered, OrderedByValue, ground_distance
from tcloseness.microdata import Domain, Hierarchy

PAPERS = Path(__file__).parents[2] / "data" / "papers"

sizes = st.integers(1, 7)
matrices = sizes.flatmap(metrics).map(Matrix)
any_ground = st.one_of(sizes.flatmap(grounds), matrices)


# ---------------------------------------------------------------------- laws


@pytest.mark.long
@given(any_ground)
def test_a_metric_has_zero_diagonal_symmetry_and_the_triangle_inequality(ground):
    d = [[ground.distance(i, j) for j in range(ground.m)] for i in range(ground.m)]
    codes = range(ground.m)
    assert ground.metric
    assert all(d[i][i] == 0 for i in codes)
    assert all(d[i][j] == d[j][i] >= 0 for i, j in product(codes, codes))
    assert all(d[i][k] <= d[i][j] + d[j][k] for i, j, k in product(codes, codes, codes))


@given(st.integers(2, 7).flatmap(lambda m: grounds(m, papers_only=True)))
def test_the_papers_distances_lie_between_0_and_1(ground):
    """Li et al. 2007, §5: every ground distance is in [0, 1], so that t is (Fact 1)."""
    d = [ground.distance(i, j) for i in range(ground.m) for j in range(ground.m)]
    assert min(d) >= 0
    assert max(d) <= 1
    if ground.name != "hierarchical":  # a hierarchy may have values that the domain lacks
        assert max(d) == 1


@given(any_ground)
def test_a_row_over_the_denominator_is_the_distance(ground):
    for i in range(ground.m):
        row = ground.row(i)
        assert len(row) == ground.m
        assert [Fraction(int(x), ground.denominator) for x in row] == [ground.distance(i, j) for j in range(ground.m)]


@given(any_ground)
def test_every_ground_distance_keeps_the_protocol(ground):
    assert isinstance(ground, GroundDistance)
    assert isinstance(ground.name, str)


@given(st.integers(2, 6).flatmap(non_metrics))
def test_a_non_metric_is_refused_unless_it_is_allowed(entries):
    with pytest.raises(DomainError, match="is not a metric"):
        Matrix(entries)
    allowed = Matrix(entries, allow_non_metric=True)
    assert not allowed.metric
    assert allowed.entries == tuple(map(tuple, entries))


# ---------------------------------------------------------------------- the papers' numbers


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("flu", "bronchitis", Fraction(1, 3)),  # both respiratory infections, height 1 of 3
        ("flu", "pulmonary embolism", Fraction(2, 3)),  # both respiratory system, height 2 of 3
        ("flu", "stomach cancer", Fraction(1)),  # only any disease in common, height 3 of 3
    ],
)
def test_the_three_pairs_of_diseases_of_the_paper(one, other, expected):
    """Li et al. 2007, §5.3, on the tree of Figure 1."""
    hierarchy = Hierarchy.from_csv(PAPERS / "disease_hierarchy.csv")
    domain = Domain.of(hierarchy.values)
    ground = Hierarchical(hierarchy, domain)
    assert ground.height == 3
    assert ground.distance(domain.code(one), domain.code(other)) == expected


def test_neighbouring_salaries_lie_one_eighth_apart():
    """Li et al. 2007, §5.3: nine salaries 3k … 11k, so d = 1/(9 − 1); the whole way is 1."""
    ground = Ordered(9)
    assert ground.distance(3, 4) == Fraction(1, 8)
    assert ground.distance(0, 8) == 1


def test_by_value_the_spacing_counts_and_by_rank_it_does_not():
    """14, 27, 88, 101 (Dosselmann et al. 2019, §2): 14–27 is 1/3 of the ranks and 13/87 of the range."""
    assert Ordered(4).distance(0, 1) == Fraction(1, 3)
    assert OrderedByValue((14, 27, 88, 101)).distance(0, 1) == Fraction(13, 87)


# ---------------------------------------------------------------------- conventions


def test_a_padded_hierarchy_changes_the_distance_unless_trivial_levels_collapse():
    """A spare top column makes the height 3, so x–z is 2/3 and no longer 1, and x–y 1/3 and no longer 1/2."""
    plain = [("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*"), ("w", "B", "*")]
    padded = [(*row, "*") for row in plain]
    domain = Domain.of("xyzw")
    x, y, z = (domain.code(v) for v in "xyz")

    def pair(rows, **options):
        ground = Hierarchical(Hierarchy(rows), domain, **options)
        return ground.distance(x, y), ground.distance(x, z)

    assert pair(plain) == (Fraction(1, 2), 1)
    assert pair(padded) == (Fraction(1, 3), Fraction(2, 3))
    assert pair(padded, trivial_levels="collapse") == (Fraction(1, 2), 1)


def test_leaves_at_unequal_depth_lie_as_far_apart_as_their_lowest_common_ancestor_is_high():
    """a and b below G below *, c directly below *: heights G 1, * 2. So a–b is 1/2, a–c and b–c are 2/2."""
    hierarchy = Hierarchy([("a", "G", "*"), ("b", "G", "*"), ("c", "*")], ragged="keep")
    ground = Hierarchical(hierarchy, Domain.of("abc"))
    assert ground.distance(0, 1) == Fraction(1, 2)
    assert ground.distance(0, 2) == ground.distance(1, 2) == 1


def test_the_height_is_that_of_the_whole_hierarchy_whichever_values_occur():
    """x and y meet at height 1 of 2, although only they occur."""
    hierarchy = Hierarchy([("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*")])
    assert Hierarchical(hierarchy, Domain.of("xy")).distance(0, 1) == Fraction(1, 2)


def heights(rows, trivial_levels):
    """From the rows alone: the nodes above each value, from the root down, and the height of every node."""
    above = {row[0]: [tuple(reversed(row[place:])) for place in range(len(row))][::-1] for row in rows}
    below = {}
    for chain in above.values():
        for node, child in zip(chain, chain[1:], strict=False):
            below.setdefault(node, set()).add(child)
    if trivial_levels == "collapse":
        above = {value: [n for n in chain if len(below.get(n, "ab")) > 1] for value, chain in above.items()}
    height = {}
    for chain in above.values():
        for steps, node in enumerate(reversed(chain)):
            height[node] = max(steps, height.get(node, 0))
    return above, height


@pytest.mark.parametrize("trivial_levels", ["keep", "collapse"])
def test_a_hierarchical_distance_is_the_height_of_the_lowest_node_over_both_of_the_whole_height(trivial_levels):
    """Of any tree, leaves at any depth, whichever of its values occur, in whatever order; by its cuts too."""
    rng = Random(f"heights {trivial_levels}")
    for _ in range(120):
        leaves = any_tree(rng)
        hierarchy = Hierarchy(rng.sample(leaves, len(leaves)), ragged="keep")
        values = rng.sample(hierarchy.values, rng.randrange(1, len(leaves) + 1))
        above, height = heights(leaves, trivial_levels)
        built = Hierarchical(hierarchy, Domain.declare(hierarchy.values), trivial_levels=trivial_levels)
        for ground in (
            Hierarchical(hierarchy, Domain.declare(values), trivial_levels=trivial_levels),
            ground_distance(built, Domain.declare(values)),
        ):
            for (i, one), (j, other) in product(enumerate(values), repeat=2):
                both = [node for node in above[one] if node in above[other]]
                right = Fraction(height[both[-1]], max(height.values()) or 1)
                assert ground.distance(i, j) == ground.cuts.distance(i, j) == right, (hierarchy.paths, values)


@pytest.mark.parametrize("allow", [True, False])
def test_a_pseudometric_is_a_metric_here(allow):
    """Two different values at distance 0 break none of the rules that are checked."""
    assert Matrix([[0, 0], [0, 0]], allow_non_metric=allow).metric


def test_the_fault_of_a_non_metric_is_named():
    """Case T07: d(0,2) = 4 > d(0,1) + d(1,2) = 2."""
    with pytest.raises(DomainError, match=r"triangle violated: d\(0,2\) = 4 > d\(0,1\) \+ d\(1,2\) = 2"):
        Matrix([[0, 1, 4], [1, 0, 1], [4, 1, 0]])


def test_the_triangle_is_checked_exactly_where_doubles_and_int64_cannot():
    """10⁴⁰ + 10⁴⁰ against 2·10⁴⁰ + 1: one unit in forty digits."""
    big = 10**40

    def table(far):
        return [[0, big, far], [big, 0, big], [far, big, 0]]

    assert Matrix(table(2 * big)).metric
    with pytest.raises(DomainError, match="triangle violated"):
        Matrix(table(2 * big + 1))


def test_entries_are_read_as_they_are_written():
    assert Matrix([[0, 0.1], ["1/10", 0]]).distance(0, 1) == Fraction(1, 10)


def test_the_callers_matrix_is_not_changed_nor_does_changing_it_later_matter():
    entries = np.array([[0, 1], [1, 0]])
    ground = Matrix(entries)
    entries[:] = 7
    assert ground.distance(0, 1) == 1


def test_equal_distance_is_one_for_different_values_only():
    assert [[Equal(3).distance(i, j) for j in range(3)] for i in range(3)] == [
        [0, 1, 1],
        [1, 0, 1],
        [1, 1, 0],
    ]


def test_whole_numbers_over_a_denominator_are_their_fractions() -> None:
    for numbers, denominator in (([3, 4, 9], 2), ([-7, 0, 10**30], 100), ([5], 3)):
        made, read = (
            OrderedByValue.of_whole(numbers, denominator),
            OrderedByValue([Fraction(n, denominator) for n in numbers]),
        )
        assert made == read
        assert made.to_dict() == read.to_dict()
        assert (made.denominator, made.row(0).tolist()) == (read.denominator, read.row(0).tolist())
        assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(DomainError, match="values 2, 3/2 do not ascend"):
        OrderedByValue.of_whole([4, 3], 2)
    with pytest.raises(AttributeError, match="no attribute 'place'"):
        _ = made.place
