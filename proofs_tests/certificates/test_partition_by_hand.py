"""Certificates of partitions that are written by hand: what is proved at the bound itself, and not beyond it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tcloseness.certificates import Nodes
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.partition import check_partition
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError
from tcloseness.exact import number_text


def by_hand(
    numbers: tuple[int, ...],
    classes: list[list[int]],
    model: list[dict[str, Any]],
    sensitive: str,
    **proof: Any,
) -> bool:
    """Whether a proof about numbers that is written by hand is accepted; costs are in units of 1/range, scale 10."""
    counts = {(f"text:{x}", f"text:{s}"): 1 for x, s in zip(numbers, sensitive, strict=True)}
    values = sorted({f"text:{s}" for s in sensitive})
    nodes = Nodes(Counts.of(["x", "s"], counts), {"x": None}, values)
    width = max(numbers) - min(numbers)
    cost = sum(len(group) * (numbers[group[-1]] - numbers[group[0]]) for group in classes)
    of_values = any(each["condition"] != "records" for each in model)
    names = [[str(x), f"text:{s}"][: 1 + of_values] for x, s in zip(numbers, sensitive, strict=True)]
    given = {
        "values": values,
        "attributes": [{"kind": "numeric", "range": [str(min(numbers)), str(max(numbers))]}],
        "loss": "ncp",
        "unit": width,
        "suppressed": 0,
        "kinds": names,
        "classes": classes,
        "value": number_text(Fraction(cost, width)),
        "bound": number_text(Fraction(cost, width)),
        "scale": 10,
        "cuts": [],
        "limit": -1,
        "tree": None,
        **proof,
    }
    conditions = Conditions(model, values, nodes.reference.tolist())
    try:
        check_partition(nodes, conditions, given)
    except CertificateError:
        return False
    return True


PAIRS = [{"condition": "records", "least": 2}]


@pytest.mark.parametrize(
    ("prices", "proved"),
    [
        ((7, 8, 7, 8), False),  # 30, and S·(4 − 1) is 30
        ((8, 8, 7, 8), True),  # 31
        ((15, 16, 0, 0), False),  # a class with r = 20 − 31
        ((11, 10, 6, 5), False),  # 32, less 2·1
        ((11, 10, 6, 6), True),  # 33, less 2·1
    ],
)
def test_prices_alone_prove_what_is_above_the_bound_and_no_less(prices: tuple[int, ...], proved: bool) -> None:
    """Two pairs of cost 2 each: each class may be as far below its price as the one that is farthest."""
    given = {"kinds": list(prices), "cuts": []}
    assert by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", prices=given) == proved


@pytest.mark.parametrize(
    ("prices", "limit", "proved"),
    [
        ((7, 8, 7, 8), -1, False),  # 30 + 0
        ((7, 8, 7, 8), 0, True),
        ((11, 10, 5, 5), -1, False),  # 31 − 1 + 0
        ((11, 10, 5, 5), 0, True),
    ],
)
def test_a_limit_is_enough_where_any_other_class_costs_too_much(
    prices: tuple[int, ...], limit: int, proved: bool
) -> None:
    leaf = {"kinds": [8] * 4, "cuts": [], "empty": False}
    given: dict[str, Any] = {"prices": {"kinds": list(prices), "cuts": []}, "limit": limit, "tree": [leaf]}
    assert by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", **given) == proved


@pytest.mark.parametrize(("last", "proved"), [(7, False), (8, True)])
def test_each_other_class_may_be_as_far_below(last: int, proved: bool) -> None:
    """Three pairs: one class is not looked for, and two may have r = −1."""
    leaf = {"kinds": [9] * 6, "cuts": [], "empty": False}
    prices = {"kinds": [11, 10, 8, 8, 8, last], "cuts": []}
    pairs = [[0, 1], [2, 3], [4, 5]]
    assert by_hand((1, 2, 5, 6, 9, 10), pairs, PAIRS, "ababab", prices=prices, tree=[leaf]) == proved


@pytest.mark.parametrize(("price", "proved"), [(7, False), (8, True)])
def test_a_leaf_proves_what_is_above_the_bound_and_no_less(price: int, proved: bool) -> None:
    prices = {"kinds": [8, 8, 8, 8], "cuts": []}
    leaf = {"kinds": [8, 8, 7, price], "cuts": [], "empty": False}
    assert by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", prices=prices, limit=10**4, tree=[leaf]) == proved
    empty = {**leaf, "empty": True}
    assert not by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", prices=prices, limit=10**4, tree=[empty])


@pytest.mark.parametrize("least", [1, 2])
def test_a_model_of_values_has_classes_of_every_size(least: int) -> None:
    """All in one class is not the best; with prices so great every class has r < 0, also the greatest ones."""
    for model in (
        [{"condition": "values", "least": 2}],
        [{"condition": "values", "least": 2}, {"condition": "records", "least": least}],
        [{"condition": "share", "most": "2/3", "values": None}],
    ):
        for price in (10, 1000, 10**6):
            prices = {"kinds": [price] * 5, "cuts": []}
            assert not by_hand((1, 2, 5, 6, 9), [[0, 1, 2, 3, 4]], model, "ababa", prices=prices)
