"""Inputs that a reading needs to show itself have what they are asked to have, and the others have not."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, permutations, product
from random import Random

import pytest

from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.candidates import (
    changed,
    growth,
    of_distributions,
    onto,
    plain,
    relabelled,
    shuffled_onto,
    two_columns,
    weighted,
)

HAVE = {
    "fractional-costs": lambda p, d: any(x.denominator > 1 for row in d for x in row),
    "asymmetric": lambda p, d: any(d[i][j] != d[j][i] for i, j in permutations(range(len(d)), 2)),
    "no-triangle": lambda p, d: any(d[i][k] > d[i][j] + d[j][k] for i, j, k in permutations(range(len(d)), 3)),
    "not-normalised": lambda p, d: sum(p) != 1,
    "negative": lambda p, d: min(p) < 0,
}
"""What each need is, from its words."""


@pytest.mark.parametrize("needs", ["plain", *HAVE])
def test_distributions_have_what_is_needed_and_nothing_else(needs: str) -> None:
    seen, sizes = 0, set[int]()
    for given in islice(of_distributions(needs, Random(needs)), 0, None, 5):
        p, q = ([Fraction(x) for x in each] for each in (given.p, given.q))
        sizes.add(len(p))
        if needs == "not-normalised":  # each entry is that of a distribution two or three times
            factors = [product((2, 3), repeat=sum(map(bool, p)))] if any(p) else []
            assert any(
                sum(x / f for x, f in zip(filter(None, p), each, strict=True)) == 1 for one in factors for each in one
            )
        d = [[Fraction(x) for x in row] for row in given.matrix]
        assert len(p) == len(q) == len(d) == len(d[0]) >= 2
        assert sum(q) == 1
        assert min(q) >= 0
        assert all((x == 0) == (i == j) for i, row in enumerate(d) for j, x in enumerate(row))
        assert min(map(min, d)) >= 0
        has = {name for name, of in HAVE.items() if of(p, d)}
        assert has <= {needs} | ({"no-triangle"} if needs == "asymmetric" else set())
        seen += needs in has
    assert seen > 30 or needs == "plain"
    assert sizes == {2, 3, 4, 5}


@pytest.mark.parametrize(("n", "most"), [(1, 1), (3, 3), (4, 2), (4, 3), (5, 4)])
def test_blocks_and_values_are_numbered_in_every_way_once(n: int, most: int) -> None:
    """Blocks by appearance; values so that 0, …, some m − 1 all occur."""
    every = list(product(range(most), repeat=n))
    appearing = [
        each for each in every if [x for i, x in enumerate(each) if x not in each[:i]] == [*range(len(set(each)))]
    ]
    assert sorted(growth(n, most)) == appearing
    assert sorted(onto(n, most)) == [each for each in every if set(each) == {*range(len(set(each)))}]
    assert all(relabelled(each) == list(each) for each in appearing)
    for each in every:
        renamed = relabelled(each)
        assert tuple(renamed) in appearing
        assert all((a == b) == (x == y) for (a, x), (b, y) in product(zip(each, renamed, strict=True), repeat=2))


@pytest.mark.parametrize("most", [1, 3, 7])
def test_values_are_drawn_so_that_all_up_to_the_greatest_occur(most: int) -> None:
    rng, drawn = Random("onto"), set()
    for n in (1, 2, 4, 6) * 20:
        codes = shuffled_onto(rng, n, most)
        assert len(codes) == n
        assert set(codes) == {*range(max(codes) + 1)}
        assert max(codes) < min(n, most)
        drawn.add(max(codes) + 1)
    assert drawn == {*range(1, min(most, 6) + 1)}


@pytest.mark.parametrize("name", ["k-anonymity", "t-ordered", "t-ordered-by-value", "t-hierarchical", "t-matrix"])
@pytest.mark.parametrize("kind", ["plain", "boundary"])
def test_tables_have_a_row_of_two_cells_for_each_time_that_they_stand_for(name: str, kind: str) -> None:
    rows, seen = 0, set()
    for table in islice(plain(ALGORITHMS[name], Random(kind), kind), 0, None, 23):
        assert {len(row) for row in table.rows} == {2}
        assert table.times is None or (len(table.times) == len(table.rows) and min(table.times) >= 1)
        keys = relabelled([table.column("z").index(key) for key in table.column("z")])
        assert max(keys) < 3
        rows = max(rows, len(table.rows))
        seen.add(table.times is not None)
    assert rows == 10
    assert seen == {False, kind == "boundary"}


@pytest.mark.parametrize("needs", ["two-keys", "two-sensitive"])
def test_two_columns_of_a_role_are_two_and_in_no_other(needs: str) -> None:
    roles = {"two-keys": (("z", "y"), ("s",)), "two-sensitive": (("z",), ("s", "u"))}[needs]
    found = list(islice(two_columns(ALGORITHMS["distinct-l"], needs), 0, None, 7))
    assert {(table.quasi_identifiers, table.sensitive) for table in found} == {roles}
    for table in found:
        assert set(table.columns) == {*table.quasi_identifiers, *table.sensitive}
        assert {len(row) for row in table.rows} == {len(table.columns)} == {len(table.types)}
    assert {len(table.rows) for table in found} == {2, 3, 4}


@pytest.mark.parametrize("name", ["k-anonymity", "t-hierarchical"])
def test_a_weighted_table_has_as_many_records_as_asked_a_row_and_some_a_few_more(name: str) -> None:
    sizes, shifted = (1_000, 5_000), 0
    found = list(weighted(ALGORITHMS[name], sizes))
    assert len(found) == 2 * 4 * 3
    for number, table in enumerate(found):
        size = sizes[number // 12]
        assert table.times is not None
        assert len(table.times) == len(table.rows)
        assert table.times[::2] == (size,) * len(table.times[::2])
        assert {each - size for each in table.times[1::2]} == {(0, 1, size // 3)[number % 3]}
        shifted += table.times[1] > size
    assert shifted == 16


def test_one_cell_is_changed_and_no_other() -> None:
    table = next(islice(plain(ALGORITHMS["distinct-l"], Random(0)), 200, None))
    for row, column in product(range(len(table.rows)), table.columns):
        other = changed(table, column, row, "another")
        cells = [
            (i, name)
            for name in table.columns
            for i in range(len(table.rows))
            if other.column(name)[i] != table.column(name)[i]
        ]
        assert cells == [(row, column)]
        assert len(other.rows) == len(table.rows)
