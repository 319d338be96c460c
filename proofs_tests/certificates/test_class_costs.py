"""What classes cost, as checkers recompute it: each loss by its definition, for groups of records at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tcloseness.certificates import Nodes, class_costs
from tcloseness.certificates.class_costs import ClassCosts, number_of
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError, InputError

ROWS = [("a", "x", "*"), ("b", "y", "*"), ("c", "x", "*"), ("d", "y", "*"), ("e", "y", "*")]
"""Neighbours in the alphabet are none in the tree."""

RECORDS = [("1", "a", "p"), ("2", "b", "q"), ("5/2", "c", "r"), ("4", "d", "p"), ("7", "e", "q"), ("7", "b", "p")]
ATTRIBUTES = [
    {"kind": "numeric", "range": ["-1", "7"]},
    {"kind": "hierarchical"},
    {"kind": "categorical", "of": 4},
]
UNIT = 2 * 8 * 5 * 4 * 3 * 3


def nodes(records: Sequence[Sequence[str]] = RECORDS) -> Nodes:
    counts: dict[tuple[str, ...], int] = {}
    for record in records:
        combination = (*(f"text:{cell}" for cell in record), "text:s")
        counts[combination] = counts.get(combination, 0) + 1
    return Nodes(Counts.of(["n", "h", "c", "s"], counts), {"n": None, "h": ROWS, "c": None}, ["text:s"])


def costs(loss: str = "ncp", attributes: Any = ATTRIBUTES, unit: int = UNIT) -> ClassCosts:
    if loss.startswith(("discernibility", "class-size")) and attributes is ATTRIBUTES:
        attributes = []
    return ClassCosts(nodes(), RECORDS, attributes, loss, unit)


def penalty(loss: str, members: Sequence[int]) -> Fraction:
    """What one record pays, by the definition of the loss."""
    numbers, leaves, values = ({RECORDS[i][place] for i in members} for place in range(3))
    width = max(map(Fraction, numbers)) - min(map(Fraction, numbers))
    groups = {"x" if leaf in "ac" else "y" for leaf in leaves}
    level = 0 if len(leaves) == 1 else len(groups)
    below = {0: 1, 1: 2 if groups == {"x"} else 3, 2: 5}[level]
    if loss == "mean-height":
        return Fraction((width > 0) + level + (len(values) > 1))
    if loss == "lm":
        return width / 8 + Fraction(below - 1, 4) + Fraction(len(values) - 1, 3)
    return width / 8 + Fraction(below if level else 0, 5) + Fraction(len(values) if len(values) > 1 else 0, 4)


@pytest.mark.parametrize("loss", ["ncp", "gcp", "lm", "mean-height", "discernibility", "class-size", "class-size/3/2"])
def test_each_loss_is_that_of_its_definition(loss: str) -> None:
    draw = random.Random(loss)
    found = costs(loss)
    for _ in range(60):
        groups = [sorted(draw.sample(range(6), draw.randint(1, 6))) for _ in range(4)]
        rows = np.array([[int(i in group) for i in range(6)] for group in groups])
        if loss.startswith(("ncp", "gcp", "lm", "mean")):
            expected = [len(group) * penalty(loss, group) for group in groups]
        else:
            expected = [Fraction(len(group) ** 2 if loss == "discernibility" else -1) for group in groups]
        assert [Fraction(cost, UNIT) for cost in found.of(rows)] == expected
        total = sum(expected, Fraction(0))
        over = {"gcp": 18, "lm": 18, "mean-height": 6}.get(loss, 1)
        value = total / over
        if loss.startswith("class-size"):
            value = Fraction(6, len(groups)) / (Fraction(3, 2) if "/" in loss else 1)
        assert found.loss_of(total) == value
        assert found.total_of(value) == total


def test_a_suppressed_record_costs_what_stands_for_everything() -> None:
    for loss, lost in (("ncp", 3), ("gcp", 3), ("lm", 3), ("mean-height", 1 + 2 + 1), ("discernibility", 6)):
        assert costs(loss).lost == lost * UNIT
        assert costs(loss).records == 6
    assert costs("class-size").lost is None
    assert costs("discernibility", [], 1).lost == 6


def test_a_group_of_several_records_of_a_kind_costs_as_many() -> None:
    assert costs("ncp").of(np.array([[3, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0]])) == [
        0,
        3 * UNIT * (Fraction(1, 8) + 1 + Fraction(2, 4)),
    ]


@pytest.mark.parametrize(
    ("loss", "attributes", "unit"),
    [
        ("entropy", [], 1),
        ("ncp/2", ATTRIBUTES, UNIT),
        ("class-size/", [], 1),
        ("class-size/0", [], 1),
        ("class-size/-1", [], 1),
        ("class-size/2/4", [], 1),
        ("class-size", ATTRIBUTES, UNIT),
        ("discernibility/2", [], 1),
        (["ncp"], ATTRIBUTES, UNIT),
        ("ncp", ATTRIBUTES[:2], UNIT),
        ("ncp", ATTRIBUTES, 7),
        ("ncp", ATTRIBUTES, 0),
        ("ncp", [{"kind": []}, *ATTRIBUTES[1:]], UNIT),
        ("ncp", [{"kind": "date"}, *ATTRIBUTES[1:]], UNIT),
        ("ncp", ["numeric", *ATTRIBUTES[1:]], UNIT),
        ("ncp", [{"kind": "hierarchical", "of": 5}, *ATTRIBUTES[1:]], UNIT),
        ("ncp", [ATTRIBUTES[0], {"kind": "numeric", "range": ["0", "8"]}, ATTRIBUTES[2]], UNIT),
        ("ncp", [*ATTRIBUTES[:2], {"kind": "categorical", "of": 2}], UNIT),
        ("ncp", [{"kind": "numeric", "range": ["0"]}, *ATTRIBUTES[1:]], UNIT),
    ],
    ids=str,
)
def test_what_is_not_of_the_form_is_not_read(loss: Any, attributes: Any, unit: int) -> None:
    with pytest.raises(InputError):
        ClassCosts(nodes(), RECORDS, attributes, loss, unit)


@pytest.mark.parametrize("ends", [["2", "8"], ["0", "6"]], ids=str)
def test_a_range_holds_all_values(ends: list[str]) -> None:
    with pytest.raises(CertificateError, match="does not hold all its values"):
        costs(attributes=[{"kind": "numeric", "range": ends}, *ATTRIBUTES[1:]])
    assert costs(attributes=[{"kind": "numeric", "range": ["1", "7"]}, *ATTRIBUTES[1:]])


def test_no_more_values_than_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    squares = 25 + 25  # five numbers, and five values of a hierarchy
    for most in (squares, squares - 1):
        monkeypatch.setattr(class_costs, "_MOST_PAIRS", most)
        if most == squares:
            costs()
        else:
            with pytest.raises(InputError, match="more values than are checked"):
                costs()


def test_one_bound_below_every_size_is_not_one() -> None:
    for loss in ("class-size", "class-size/2"):
        for bound in (Fraction(0), Fraction(-1)):
            with pytest.raises(InputError, match="a record at least"):
                costs(loss).total_of(bound)


def test_values_are_numbers_or_dates() -> None:
    assert number_of("3/8", "x") == Fraction(3, 8)
    assert number_of("2020-03-01", "x") - number_of("2020-02-28", "x") == 2
    with pytest.raises(InputError, match="not a number"):
        number_of("a", "x")
