"""What classes cost, as checkers recompute it: each loss by its definition, for groups of records at random."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tcloseness.certificates import Nodes, class_costs
from tcloseness.certificates.class_costs import ClassCosts, number_of
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError, InputError
from tcloseness.strict_records import Work

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


def of_one(loss: str, place: int, members: Sequence[int]) -> Fraction:
    """What one record pays for the label of one attribute, by the definition of the loss."""
    values = {RECORDS[i][place] for i in members}
    if place == 0:
        width = max(map(Fraction, values)) - min(map(Fraction, values))
        return Fraction(width > 0) if loss == "mean-height" else width / 8
    groups = {"x" if leaf in "ac" else "y" for leaf in values}
    height = 0 if len(values) == 1 else len(groups) if place == 1 else 1
    below = len(values) if place == 2 else {0: 1, 1: 2 if groups == {"x"} else 3, 2: 5}[height]
    every = 5 if place == 1 else 4
    if loss == "mean-height":
        return Fraction(height)
    return Fraction(below - 1, every - 1) if loss == "lm" else Fraction(below if height else 0, every)


def penalty(loss: str, members: Sequence[int]) -> Fraction:
    """What one record pays, by the definition of the loss."""
    return sum((of_one(loss, place, members) for place in range(3)), Fraction(0))


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


@pytest.mark.parametrize("place", [0, 1], ids=["numbers", "hierarchy"])
def test_no_more_values_of_a_single_attribute_than_are_checked(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def of_one_attribute() -> ClassCosts:
        names, rows = [["n", "h"][place], "s"], [{"n": None}, {"h": ROWS}][place]
        counts = Counter((f"text:{record[place]}", "text:s") for record in RECORDS)
        one = Nodes(Counts.of(names, counts), rows, ["text:s"])
        return ClassCosts(one, [record[place : place + 1] for record in RECORDS], [ATTRIBUTES[place]], "ncp", UNIT)

    monkeypatch.setattr(class_costs, "_MOST_PAIRS", 25)
    of_one_attribute()
    monkeypatch.setattr(class_costs, "_MOST_PAIRS", 24)
    with pytest.raises(InputError, match="more values than are checked"):
        of_one_attribute()


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


@pytest.mark.parametrize("kinds", ["hnc", "nhhn", "chnnhc", "cc", "nn", "hh"])
@pytest.mark.parametrize("loss", ["ncp", "gcp", "lm", "mean-height"])
def test_attributes_of_every_kind_stand_in_every_order(kinds: str, loss: str) -> None:
    """The column of each attribute is one of the three above, some records later."""
    draw, place = random.Random(loss + kinds), {"n": 0, "h": 1, "c": 2}
    records = [[RECORDS[(i + shift) % 6][place[kind]] for shift, kind in enumerate(kinds)] for i in range(6)]
    names = [f"{kind}{i}" for i, kind in enumerate(kinds)]
    counts = Counter((*(f"text:{cell}" for cell in record), "text:s") for record in records)
    nodes = Nodes(
        Counts.of([*names, "s"], counts), {name: ROWS if name[0] == "h" else None for name in names}, ["text:s"]
    )
    found = ClassCosts(nodes, records, [ATTRIBUTES[place[kind]] for kind in kinds], loss, UNIT)
    for _ in range(15):
        group = sorted(draw.sample(range(6), draw.randint(1, 6)))
        each = [of_one(loss, place[kind], [(i + shift) % 6 for i in group]) for shift, kind in enumerate(kinds)]
        row = np.array([[int(i in group) for i in range(6)]])
        assert [Fraction(cost, UNIT) for cost in found.of(row)] == [len(group) * sum(each)]
    over = 1 if loss == "ncp" else 6 if loss == "mean-height" else 6 * len(kinds)
    assert found.loss_of(Fraction(1)) == Fraction(1, over)
    tall = {"n": 1, "h": 2, "c": 1} if loss == "mean-height" else {"n": 1, "h": 1, "c": 1}
    assert found.lost == UNIT * sum(tall[kind] for kind in kinds)
    said = {"n": "{} over -1 to 7", "h": "{} by its hierarchy", "c": "{} over 4 values"}
    assert found.measured == [said[name[0]].format(name) for name in names]


def test_the_work_of_penalties_is_added_up_before_it_is_done() -> None:
    """Five numbers, and five leaves of paths of three; then numbers of 641 binary digits."""
    work = Work(10**9)
    ClassCosts(nodes(), RECORDS, ATTRIBUTES, "ncp", UNIT, work)
    assert 10**9 - work.left == 5 * 5 * 2000 + 5 * 5 * (2000 + 50 * 3)
    for ends in (["-1", str(2**640)], [str(-(2**640)), "7"], [f"-1/{2**640}", "7"]):
        work = Work(10**9)
        long = [{"kind": "numeric", "range": ends}, *ATTRIBUTES[1:]]
        ClassCosts(nodes(), RECORDS, long, "mean-height", 1, work)
        assert 10**9 - work.left == 5 * 5 * (2000 + 20**2) + 5 * 5 * (2000 + 50 * 3)
    for units in (5 * 5 * 2000 - 1, 5 * 5 * 4150 - 1):
        with pytest.raises(InputError, match="the penalties of so many labels would take too long"):
            ClassCosts(nodes(), RECORDS, ATTRIBUTES, "ncp", UNIT, Work(units))
