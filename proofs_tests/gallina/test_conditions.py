"""The conditions of the theorems about translated functions hold of whatever the package hands to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.gallina.functions import KERNELS
from proofs_tests.strategies import class_counts, grounds, hierarchical_distances, laminar_cuts
from tcloseness.errors import DomainError
from tcloseness.exact import INT64_MAX
from tcloseness.ground import Cuts, Equal, Ordered
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.transport import batched, compiled
from tcloseness.transport.batched import class_emds

NAMES = ("matrix", "sizes", "order", "low", "high", "weights", "reference")


def conditions(
    matrix: Any, sizes: Any, order: Any, low: Any, high: Any, weights: Any, reference: Any
) -> Iterator[tuple[str, bool]]:
    """Yield the conditions of ``Int64.inputs`` by name, and whether each holds, on Python's whole numbers.

    A family without sets multiplies nothing, so there the last is not asked.
    """
    m, (rows, classes) = len(order), matrix.shape
    table, numbers = matrix.astype(object), [int(v) for v in reference]
    total = sum(numbers)
    yield "classes0", classes <= INT64_MAX
    yield "domain", rows == m == len(reference)
    yield "sets0", len(low) == len(high) == len(weights)
    yield "intervals", all(0 <= a <= b <= m for a, b in zip(low, high, strict=True))
    yield "weights_0", all(w >= 0 for w in weights)
    yield "codes", all(0 <= code < m for code in order)
    yield "sizes0", len(sizes) == classes
    yield "counts", bool((table >= 0).all())
    yield "size_of", all(sum(table[code, g] for code in order) == sizes[g] for g in range(classes))
    yield "reference0", min(numbers) >= 0
    yield "some_record", sum(numbers[code] for code in order) >= 1
    n_max = max(int(n) for n in sizes)
    yield "fits_int64", not len(low) or 2 * max(sum(map(int, weights)), 1) * total * n_max <= INT64_MAX


def broken(arrays: Sequence[Any]) -> list[str]:
    """Return the names of the conditions that do not hold."""
    return [name for name, holds in conditions(*arrays) if not holds]


def calls_of(classes: Any, cuts: Cuts) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the calls of the two kernels, by name, that the EMDs of classes lead to."""
    calls: list[tuple[str, tuple[Any, ...]]] = []

    def heard(name: str) -> Any:
        own = getattr(compiled, name)
        return mock.patch.object(compiled, name, lambda *given: (calls.append((name, given)), own(*given))[1])

    with (
        mock.patch.object(batched, "_NUMPY_CELLS", -1),
        mock.patch.object(batched, "_is_dense", return_value=True),
        heard("_prefix_tiles"),
        heard("_interval_tiles"),
    ):
        class_emds(classes, cuts)
    prefixes = ("matrix", "sizes", "prefix", "total", "order", "high", "weights", "work")
    intervals = ("matrix", "sizes", "share", "total", "order", "low", "high", "weights", "work")
    for name, values in calls:
        yield name, dict(zip(prefixes if name == "_prefix_tiles" else intervals, values, strict=True))


def test_the_conditions_are_those_of_the_theorem() -> None:
    text = (KERNELS / "Int64.v").read_text(encoding="utf-8")
    record = text[text.index("Record inputs") : text.index("<= int64_max }.")]
    arrays = [np.ones((2, 1), int), np.array([2]), np.arange(2), *([np.array([0])] * 2), *([np.array([1])] * 2)]
    arrays[4], arrays[6] = np.array([1]), np.array([1, 1])
    assert re.findall(r"^  (\w+) :", record, re.MULTILINE) == [name for name, _ in conditions(*arrays)]
    assert not broken(arrays)


@pytest.mark.parametrize(
    ("name", "value", "condition"),
    [
        ("matrix", np.array([[1]]), "domain"),
        ("matrix", np.array([[-1], [3]]), "counts"),
        ("sizes", np.array([2, 1]), "sizes0"),
        ("sizes", np.array([3]), "size_of"),
        ("order", np.array([0, 2]), "codes"),
        ("low", np.array([2]), "intervals"),
        ("high", np.array([3]), "intervals"),
        ("high", np.array([1, 1]), "sets0"),
        ("weights", np.array([-1]), "weights_0"),
        ("weights", np.array([INT64_MAX]), "fits_int64"),
        ("reference", np.array([2, -1]), "reference0"),
        ("reference", np.array([0, 0]), "some_record"),
    ],
)
def test_each_condition_can_be_broken(name: str, value: Any, condition: str) -> None:
    arrays: dict[str, Any] = {
        **{"matrix": np.ones((2, 1), int), "sizes": np.array([2]), "order": np.arange(2), "low": np.array([0])},
        **{"high": np.array([1]), "weights": np.array([1]), "reference": np.array([1, 1])},
    }
    found = []
    try:
        for each, holds in conditions(*({**arrays, name: value}[key] for key in NAMES)):
            found += [] if holds else [each]
    except (IndexError, ValueError):  # arrays of other lengths, of which the rest cannot be asked
        pass
    assert condition in found


@pytest.mark.parametrize(("ground", "kernel"), [(Ordered, "_prefix_tiles"), (Equal, "_interval_tiles")])
def test_both_kernels_are_reached(ground: Any, kernel: str) -> None:
    classes = ClassCounts.from_mapping({"x": {0: 1, 1: 2}, "y": {2: 3}}, domain=Domain.declare(range(3)))
    assert [name for name, _ in calls_of(classes, ground(3).cuts)] == [kernel]


@pytest.mark.long
@given(class_counts(full=False), st.data())
def test_what_is_handed_to_the_dense_kernels_meets_the_conditions(classes: Any, data: st.DataObject) -> None:
    m = len(classes.domain)
    cuts = data.draw(st.one_of(grounds(m).map(lambda ground: ground.cuts), laminar_cuts(m)))
    for name, handed in calls_of(classes, cuts):
        low = handed.get("low", np.zeros(len(handed["high"]), int))
        arrays = (*(handed[key] for key in ("matrix", "sizes", "order")), low, handed["high"], handed["weights"])
        assert not broken((*arrays, classes.reference))
        sums = [0]
        for code in handed["order"]:
            sums.append(sums[-1] + int(classes.reference[code]))
        assert handed["total"] == sums[-1]
        assert len(handed["work"]) == len(handed["sizes"])
        if name == "_prefix_tiles":
            assert handed["prefix"].tolist() == sums[1:]
            assert all(a < b for a, b in zip([0, *handed["high"]], handed["high"], strict=False))
        else:
            assert handed["share"].tolist() == [sums[b] - sums[a] for a, b in zip(low, handed["high"], strict=True)]


@given(st.integers(1, 7).flatmap(hierarchical_distances))
def test_the_nodes_of_a_hierarchy_meet_the_conditions(ground: Any) -> None:
    """Those of ``hierarchical_emd_is_emd``; heights need not rise where levels without a branch are collapsed."""
    parent, height, code = ground.nodes
    root = len(parent) - 1
    assert len(height) == len(code) == root + 1
    assert parent[root] == root
    assert all(node < above <= root for node, above in enumerate(parent[:root]))
    least = 1 if ground.trivial_levels == "keep" else 0
    assert all(height[above] - height[node] >= least for node, above in enumerate(parent[:root]))
    assert height[root] == ground.height
    assert sorted(c for c in code if c != -1) == list(range(ground.m))
    assert all(height[node] == 0 and node not in parent[:node] for node, c in enumerate(code) if c != -1)


@pytest.mark.parametrize("high", [[2, 2, 3], [2, 4, 4], [0, 2, 3], [3, 2, 1], [2, 3, 5]])
def test_prefixes_that_do_not_rise_inside_the_domain_are_no_family(high: list[int]) -> None:
    """The kernel for prefixes would count a value twice, or read outside its arrays."""
    arrays = np.arange(4), np.zeros(3, int), np.array(high)
    with pytest.raises(DomainError, match=r"cut [012]"):
        Cuts.from_integers(*arrays, [1, 1, 1], 3)
