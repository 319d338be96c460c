"""Limits up to all records: a node of which nothing is left does not satisfy, and settles no other."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.limits import check_minimal, check_optimum
from tcloseness.certificates.nodes import Nodes
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError

LEVELS = {"a": [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")]}
VALUES = ["text:s", "text:t"]


def accepted(check: Any, *given: Any) -> bool:
    try:
        check(*given)
    except CertificateError:
        return False
    return True


@pytest.mark.parametrize("condition", ["records", "values"])
@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 1, 0), (1, 3, 2), (2, 2, 2)], ids=str)
def test_nodes_settle_what_is_above_them_if_they_keep_a_record_and_only_then(
    sizes: tuple[int, ...], condition: str
) -> None:
    """Each least number, no node or one that settles others, and every list of at most two that are minimal or best."""
    counts = Counter((f"text:{i + 1}", VALUES[n % 2]) for i, size in enumerate(sizes) for n in range(size))
    nodes, total = Nodes(Counts.of(["a", "s"], counts), LEVELS, VALUES), sum(sizes)
    groups = [[(0,), (1,), (2,)], [(0, 1), (2,)], [(0, 1, 2)]]
    every = [[level] for level in range(3)]
    for limit, least in itertools.product({0, 1, total - 1, total}, range(1, total + 2)):
        conditions = Conditions([{"condition": condition, "least": least}], VALUES, nodes.reference.tolist())
        met = []
        for classes in groups:
            of = [[sizes[i] for i in members] for members in classes]
            met.append([(sum(each), sum(each) if condition == "records" else 1 + (max(each) > 1)) for each in of])
        lost = [sum(n for n, many in node if many < least) for node in met]
        good = [level for level in range(3) if lost[level] <= limit and lost[level] < total]
        minimal = [level for level in good if level - 1 not in good]
        lists = [list(each) for many in range(3) for each in itertools.combinations(range(3), many)]
        for settling, given in itertools.product(lists[:4], lists):
            right = set(settling) <= set(good) and given == minimal
            proof = {
                "values": VALUES,
                "limit": limit,
                "minimal": [every[level] for level in given],
                "satisfying": [every[level] for level in settling],
                "violating": [],
            }
            assert accepted(check_minimal, nodes, conditions, proof) == right, proof
        kept = {level: sum(1 for n, many in met[level] if n and many >= least) for level in good}
        best = [level for level in good if kept[level] == max(kept.values())]
        for given in lists[1:]:
            proof = {"values": VALUES, "limit": limit, "loss": "class-size-in-n", "violating": []}
            proof |= {"value": str(Fraction(total, max(kept.values(), default=1)))}
            proof |= {"optima": [every[level] for level in given]}
            assert accepted(check_optimum, nodes, conditions, proof) == (given == best and bool(best)), proof
