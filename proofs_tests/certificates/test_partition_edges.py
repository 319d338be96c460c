"""What is lost by suppressed records, or is not; cuts, none or several; and sums that pass 64 bits."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from proofs_tests.certificates.changes import ODD
from proofs_tests.certificates.test_partition_by_hand import PAIRS, Costs, by_hand, said
from tcloseness.certificates import classes, partition
from tcloseness.certificates.class_costs import ClassCosts
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.nodes import Nodes
from tcloseness.certificates.partition import check_partition
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError, InputError
from tcloseness.strict_records import Work


@pytest.mark.parametrize(("price", "proved"), [(0, False), (1, True)])
def test_that_there_is_no_partition_is_proved_by_what_is_more_than_nothing(price: int, proved: bool) -> None:
    """By a loss that suppression lowers nothing is suppressed, so that nothing is lost by it."""
    given: dict[str, Any] = {"loss": "class-size", "attributes": [], "unit": 1, "value": None, "bound": None}
    prices = {"kinds": [price, 0, 0, 0], "cuts": []}
    assert by_hand((1, 2, 5, 6), None, [{"condition": "values", "least": 3}], "abab", **given, prices=prices) == proved


def test_a_record_that_can_be_generalized_to_no_level_loses_nothing_when_it_is_suppressed() -> None:
    nodes = Nodes(Counts.of(["x", "s"], {("text:1", "text:a"): 3}), {"x": [("1",)]}, ["text:a"])
    proof: dict[str, Any] = {
        "values": ["text:a"],
        "attributes": [{"kind": "hierarchical"}],
        "loss": "mean-height",
        "unit": 1,
        "suppressed": 1,
        "kinds": [["1"]],
        "classes": [[0, 0]],
        "value": "0",
        "bound": "0",
        "scale": 1,
        "cuts": [],
        "prices": {"kinds": [0], "cuts": [0]},
        "limit": -1,
        "tree": None,
    }
    found = check_partition(nodes, Conditions([{"condition": "records", "least": 2}], ["text:a"], [3]), proof)
    assert found == "1 class of 3 records, 1 suppressed; mean-height (x by its hierarchy) = 0, the least"


def cut(divisor: Any = 2, kind: Any = 0, weight: Any = 1) -> dict[str, Any]:
    return {"weights": [[kind, weight]], "divisor": divisor}


@pytest.mark.parametrize("odd", [0, -1, 2**31, True, "1", None, 1.0, []], ids=repr)
def test_what_is_not_a_cut_is_refused(odd: Any) -> None:
    """A divisor and a weight are at least 1, and a kind is one of those that are listed."""
    prices = {"kinds": [8] * 4, "cuts": [0]}
    for record in (cut(divisor=odd), cut(weight=odd), cut(kind=4 if odd == 0 else odd)):
        with pytest.raises(InputError):
            by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", prices=prices, cuts=[record])
    assert by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", prices=prices, cuts=[cut()])


@pytest.mark.parametrize("many", [0, 1, 2, 3])
def test_the_work_of_cuts_grows_with_their_number_and_that_of_kinds(many: int) -> None:
    counts = Counts.of(["x", "s"], {(f"text:{x}", "text:a"): 1 for x in range(5)})
    nodes, work = Nodes(counts, {"x": None}, ["text:a"]), Work(10**6)
    kinds = partition._Kinds(nodes, Conditions(PAIRS, ["text:a"], [5]), [[str(x)] for x in range(5)])
    costs = ClassCosts(nodes, kinds.names, [], "class-size", 1)
    partition._Rows(kinds, costs, 0, 1, [cut()] * many, work)
    assert 10**6 - work.left == 10_000 * many * 5


def rows_of(counts: list[int], most_lost: int, scale: int, cuts: list[dict[str, Any]]) -> Any:
    """Kinds of so many records each, at a cost of 11 a record, and of 7 for one that is suppressed."""
    table = Counts.of(["x", "s"], {(f"text:{x}", "text:a"): count for x, count in enumerate(counts)})
    nodes, names = Nodes(table, {"x": None}, ["text:a"]), [[str(x)] for x in range(len(counts))]
    ones = [{"condition": "records", "least": 1}]
    kinds = partition._Kinds(nodes, Conditions(ones, ["text:a"], [sum(counts)]), names)
    return partition._Rows(kinds, Costs(), most_lost, scale, cuts, Work(10**9))  # type: ignore[arg-type]


def test_what_a_partition_costs_at_least_holds_however_many_are_suppressed() -> None:
    """S times its cost less r of its classes is least where each kind loses what gains most, one by one up to all."""
    draw = random.Random(17)
    for _ in range(200):
        counts = [draw.randint(1, 4) for _ in range(draw.randint(1, 3))]
        most_lost, scale = draw.randint(0, sum(counts) - 1), draw.choice([1, 3])
        prices = [draw.randint(-5, 30) for _ in counts]
        dues = [draw.randint(0, 4)] if most_lost else []
        total = sum(p * n for p, n in zip(prices, counts, strict=True)) - sum(due * most_lost for due in dues)
        gains = [
            sum((scale * 7 - price + dues[-1]) * n for price, n in zip(prices, gone, strict=True)) if any(gone) else 0
            for gone in itertools.product(*(range(min(n, most_lost) + 1) for n in counts))
        ]
        assert rows_of(counts, most_lost, scale, []).base(prices, dues) == total + min(gains)


def test_reduced_costs_are_exact_whichever_of_prices_and_dues_pass_64_bits() -> None:
    counts = [200, 1, 300]
    groups = np.array([[1, 0, 3], [2, 1, 0], counts])
    rows = rows_of(counts, 0, 1, [{"weights": [[0, 9], [2, 5]], "divisor": 1}])
    for k, m in itertools.product((0, 30, 52, 55, 58, 59, 60, 61, 62, 63, 90), repeat=2):
        for sign in (-1, 1):
            prices, due = [sign * 2**k, 1, sign * (2**k - 1)], 2**m - 1
            found = rows.reduced(groups, prices, [due]).tolist()
            for row, r in zip(groups.tolist(), found, strict=True):
                paid = sum(p * n for p, n in zip(prices, row, strict=True)) - due * (9 * row[0] + 5 * row[2])
                assert r == 11 * sum(row) - paid, (k, m)


@pytest.mark.parametrize("together", [1, 3, 4, 20_000])
def test_the_classes_that_are_looked_for_are_counted_over_all_blocks(
    together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten classes of two or three of four records, so many of them in a block."""
    given: dict[str, Any] = {"prices": {"kinds": [8] * 4, "cuts": []}, "limit": 10**4}
    given["tree"] = [{"kinds": [8] * 4, "cuts": [], "empty": False}]
    monkeypatch.setattr(classes, "_ROOM", together)
    monkeypatch.setattr(partition, "_MOST_FOUND", 10 * 4)
    assert by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", **given)
    monkeypatch.setattr(partition, "_MOST_FOUND", 10 * 4 - 1)
    with pytest.raises(InputError, match="too many classes"):
        by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", **given)


def test_no_branch_is_at_a_record_where_none_is_suppressed() -> None:
    leaf = {"kinds": [51, 50, 50, 50], "cuts": [], "empty": False}
    given: dict[str, Any] = {"value": None, "bound": None, "prices": {"kinds": leaf["kinds"], "cuts": []}}
    model = [{"condition": "values", "least": 3}]
    assert by_hand((1, 2, 5, 6), None, model, "abab", **given, tree=[leaf])
    for record in range(4):
        assert not by_hand((1, 2, 5, 6), None, model, "abab", **given, tree=[{"record": record, "most": 0}, leaf, leaf])


@pytest.mark.parametrize("odd", [*ODD, "pair", ["pair"], {"pair": None}], ids=lambda odd: repr(odd)[:20])
def test_whatever_stands_in_a_tree_is_refused_as_input(odd: Any) -> None:
    leaf = {"kinds": [8] * 4, "cuts": [], "empty": False}
    given: dict[str, Any] = {"prices": {"kinds": [8] * 4, "cuts": []}, "limit": 10**4}
    assert by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", **given, tree=[{"pair": [0, 1]}, leaf, leaf])
    for tree in ([odd], [odd, leaf, leaf], [{"pair": [0, odd]}, leaf, leaf], [{**leaf, "cuts": odd or None}]):
        with pytest.raises((CertificateError, InputError)):
            said((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", **given, tree=tree)
