"""Searches of lattices that are too large for a matrix of their order: 23,328 nodes, and any others told to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import tcloseness.lattice.tags as tags
from proofs_tests.effort import effort
from proofs_tests.lattice.cases import Case, cases, minimal, models
from tcloseness.errors import LimitReached, MemoryLimitReached
from tcloseness.lattice import Lattice, Node, RollUp, minimal_generalizations, optimum
from tcloseness.lattice.tags import UNKNOWN, Tags, Worse
from tcloseness.limits import Clock
from tcloseness.loss import Discernibility, GeneralizationHeight, LossMetric
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import DistinctLDiversity, KAnonymity, TCloseness

# ---------------------------------------------------------------------- 6⁵·3 = 23,328 nodes

NAMES = tuple("abcdef")
DIGITS = (5, 5, 5, 5, 5, 2)
"""Values are binary numbers, masked digit by digit from the right: one level more than digits."""

VALUES = [[f"{i:0{digits}b}" for i in range(2**digits)] for digits in DIGITS]
ROWS = [
    (*(values[(7 * i * (a + 1) + i // 5) % len(values)] for a, values in enumerate(VALUES)), "xyzx"[i % 4])
    for i in range(24)
]


@cache
def large() -> RollUp:
    frame = pd.DataFrame(ROWS, columns=[*NAMES, "s"])
    frequencies = FrequencySet.from_frame(frame, quasi_identifiers=list(NAMES), sensitive="s")
    return RollUp(frequencies, {a: Hierarchy.prefixes(v, name=a) for a, v in zip(NAMES, VALUES, strict=True)})


def partitions() -> Iterator[tuple[Node, frozenset[frozenset[int]]]]:
    """Every node with the sets of rows that it makes alike, from the digits alone."""
    keys = [[[row[a][: n - level] for row in ROWS] for level in range(n + 1)] for a, n in enumerate(DIGITS)]
    for node in product(*(range(digits + 1) for digits in DIGITS)):
        groups: dict[tuple[str, ...], list[int]] = {}
        for i, labels in enumerate(zip(*(keys[a][level] for a, level in enumerate(node)), strict=True)):
            groups.setdefault(labels, []).append(i)
        yield node, frozenset(map(frozenset, groups.values()))


@cache
def alike() -> dict[Node, frozenset[frozenset[int]]]:
    return dict(partitions())


def two_anonymous(groups: frozenset[frozenset[int]]) -> bool:
    return min(map(len, groups)) >= 2


def close_and_diverse(groups: frozenset[frozenset[int]]) -> bool:
    """k = 3, 2 values, and Σ_s |p_s − q_s| / 2 ≤ 1/4."""
    whole = Counter(row[-1] for row in ROWS)
    for group in groups:
        here = Counter(ROWS[i][-1] for i in group)
        gaps = [abs(Fraction(here[s], len(group)) - Fraction(whole[s], len(ROWS))) for s in whole]
        if len(group) < 3 or len(here) < 2 or sum(gaps) / 2 > Fraction(1, 4):
            return False
    return True


WANTED: dict[str, tuple[Any, Any]] = {
    "k": (KAnonymity(2), two_anonymous),
    "k, l, t": (KAnonymity(3) & DistinctLDiversity(2) & TCloseness("1/4", ground="equal"), close_and_diverse),
}


@cache
def satisfying(name: str) -> set[Node]:
    of_partition = cache(WANTED[name][1])
    return {node for node, groups in alike().items() if of_partition(groups)}


@pytest.mark.long
@pytest.mark.parametrize("name", WANTED)
def test_all_nodes_of_a_large_lattice_are_settled(name: str) -> None:
    found = minimal_generalizations(large(), WANTED[name][0])
    assert len(found.lattice) == 23_328 > tags._MULTIPLIED
    assert set(found.satisfying) == satisfying(name)
    assert set(found.minimal) == minimal(satisfying(name))
    assert not found.tags.count(UNKNOWN)
    assert found.work.checked + found.work.tagged == 23_328


@pytest.mark.parametrize("name", WANTED)
def test_the_optima_of_a_large_lattice(name: str) -> None:
    nodes = satisfying(name)
    least = min(map(sum, nodes))
    by_rank = optimum(large(), WANTED[name][0], loss=GeneralizationHeight())
    assert {best.node for best in by_rank.nodes} == {node for node in nodes if sum(node) == least}
    squares = {node: sum(len(group) ** 2 for group in alike()[node]) for node in nodes}
    by_measuring = optimum(large(), WANTED[name][0], loss=Discernibility())
    assert by_measuring.value == min(squares.values())
    assert {best.node for best in by_measuring.nodes} == {v for v, dm in squares.items() if dm == by_measuring.value}
    assert sum(by_rank.excluded.values()) + len(by_rank.nodes) == 23_328


# ---------------------------------------------------------------------- the same on every small lattice


@pytest.mark.long
@effort(1 / 2)
@given(cases(), models, st.integers(0, 4), st.booleans(), st.sampled_from([1, 4, 2**14]))
def test_running_sums_find_the_same_nodes(case: Case, model: Any, limit: int, compiled: bool, several: int) -> None:
    """Also where a count of the nodes serves several questions, and nodes are gone through few at a time."""
    limit = min(limit, len(case.rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tags, "_MULTIPLIED", 0)
        patch.setattr(tags, "_SEVERAL", several)
        patch.setattr(tags, "_PART", several)
        rolled = case.rolled(compiled=compiled)
        found = minimal_generalizations(rolled, model, suppression=limit)
        best = optimum(rolled, model, loss=LossMetric())
    assert set(found.satisfying) == case.satisfying(model, limit)
    losses = {node: case.loss(node, model, LossMetric()).value for node in case.satisfying(model)}
    assert {each.node for each in best.nodes} == {v for v, x in losses.items() if x == min(losses.values())}


@given(arrays(np.bool_, array_shapes(max_dims=4, min_side=2, max_side=4)))
def test_running_sums_count_what_the_order_says(wanted: Any) -> None:
    """Both ways count the wanted nodes u ≤ v and u ≥ v."""
    hierarchies = {str(a): Hierarchy.prefixes(["x" * (size - 1)]) for a, size in enumerate(wanted.shape)}
    counting = Tags(Lattice(hierarchies))
    for other in (counting._multiplied(wanted), counting._summed(wanted)):
        for node in np.ndindex(wanted.shape):
            marked = np.argwhere(wanted)
            assert other[0][node] == (marked <= node).all(axis=1).sum()
            assert other[1][node] == (marked >= node).all(axis=1).sum()


def test_compiled_code_asks_the_same_questions() -> None:
    """By the nodes above, or by those of greater ranks; with ties, and where few nodes are unknown or wanted."""
    draw = np.random.default_rng(4)
    for number in range(400):
        shape = tuple(draw.integers(2, 5, draw.integers(1, 5)).tolist())
        lattice = Lattice({str(a): Hierarchy.prefixes(["x" * (size - 1)]) for a, size in enumerate(shape)})
        unknown = draw.random(shape) < draw.choice([0.1, 0.5, 1])
        wanted = unknown & (draw.random(shape) < draw.choice([0.3, 1]))
        ranks = draw.integers(0, draw.integers(1, 2 * unknown.size), unknown.size)
        chance = draw.random(lattice.height + 1, dtype=np.float32)
        asked = []
        for compiled in (False, True):
            known = Tags(lattice, compiled=compiled)
            known.array[~unknown] = tags.VIOLATING
            settled = Worse(known, wanted, ranks, int(ranks.max())) if number % 2 else None
            asked.append(known.next_node(chance, wanted, settled))
        assert asked[0] == asked[1]
        assert (asked[0] is None) == (not wanted.any())


def suppressions(attributes: int) -> Lattice:
    return Lattice({str(a): Hierarchy.suppression(["x", "y"], name="x") for a in range(attributes)})


def test_a_lattice_beyond_all_memory_is_refused_by_name_with_its_size() -> None:
    with pytest.raises(MemoryLimitReached, match=r"lattice of 1,099,511,627,776 nodes would take about 2\.2 T"):
        Tags(suppressions(40))
    with pytest.raises(MemoryLimitReached, match="give fewer quasi-identifiers, lower hierarchies, or a gre"):
        Tags(suppressions(70), Clock(memory_limit=2**60))
    with pytest.raises(LimitReached, match="4,294,967,296 nodes, more than the 2,147,483,647"):
        Tags(suppressions(32), Clock(memory_limit=2**50))
