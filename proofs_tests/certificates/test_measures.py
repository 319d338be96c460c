"""What checkers measure of classes: each measure by its definition, of the worst class of all blocks."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs_tests.certificates.changes import ODD, places_of, with_at
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.measures import MEASURE_KEYS, Measure, _greatest, entropies_below
from tcloseness.errors import InputError
from tcloseness.exact import INT64_MAX
from tcloseness.strict_records import Work

VALUES = ["text:a", "text:b", "text:c", "text:d"]
ORDERED = {"measure": "distance", "ground": {"name": "ordered", "m": 4}}
EQUAL = {"measure": "distance", "ground": {"name": "equal", "m": 4}}
MEASURES: list[dict[str, Any]] = [
    {"measure": "records"},
    {"measure": "values"},
    *({"measure": "tail", "l": rank} for rank in (1, 2, 3, 4, 5, 9)),
    {"measure": "commonest"},
    *({"measure": "share", "values": names} for names in (None, ["text:b"], ["text:a", "text:d"], ["text:z"])),
    {"measure": "gain"},
    *({"measure": "ratio", "absent": absent} for absent in ("infinite", "skipped")),
    ORDERED,
    EQUAL,
]
LEAST = ("records", "values", "commonest")


def value_of(measure: Mapping[str, Any], counts: Sequence[int], q: Sequence[int]) -> Fraction | float:
    """A measure of a class, by its definition."""
    n, total, name = sum(counts), sum(q), measure["measure"]
    falling = sorted(counts, reverse=True)
    p, whole = [Fraction(c, n) for c in counts], [Fraction(c, total) for c in q]
    if name == "records":
        return Fraction(n)
    if name == "values":
        return Fraction(sum(map(bool, counts)))
    if name == "tail":
        rest = sum(falling[measure["l"] - 1 :])
        return Fraction(0) if measure["l"] == 1 else Fraction(falling[0], rest) if rest else math.inf
    if name == "commonest":
        return Fraction(n, falling[0])
    if name == "share":
        named = VALUES if measure["values"] is None else measure["values"]
        return max((p[VALUES.index(value)] for value in named if value in VALUES), default=Fraction(0))
    if name == "gain":
        return max((a / b - 1 if b else math.inf) for a, b in zip(p, whole, strict=True) if a or b)
    if name == "ratio":
        pairs = [(a, b) for a, b in zip(p, whole, strict=True) if a or (b and measure["absent"] == "infinite")]
        return max((max(a / b, b / a) if a and b else math.inf) for a, b in pairs)
    apart = [a - b for a, b in zip(p, whole, strict=True)]
    if measure["ground"]["name"] == "equal":
        return sum(map(abs, apart), Fraction(0)) / 2
    return sum((abs(sum(apart[:i], Fraction(0))) for i in range(1, len(apart))), Fraction(0)) / 3


def blocks(draw: random.Random, scale: int) -> list[Any]:
    """Blocks of classes, some without any; small ones beside large ones, whose counts may differ little."""

    def one() -> list[int]:
        while True:
            near = draw.choice([0, 1])
            of = draw.choice([1, scale, scale])
            row = [draw.choice([0, 0, 1, 1, 2, 3, 5]) * of + draw.choice([0, near]) for _ in range(4)]
            if any(row):
                return row

    rows = [[one() for _ in range(draw.choice([0, 1, 2, 3, 4, 7]))] for _ in range(draw.randint(1, 3))]
    return [np.array(row, dtype=np.int64).reshape(len(row), 4) for row in [*rows, [one()]]]


@pytest.mark.parametrize("scale", [1, 10**5, 2**31, 2**48])
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_the_worst_value_of_all_classes_is_that_of_the_definition(measure: dict[str, Any], scale: int) -> None:
    draw = random.Random(f"{measure}{scale}")
    for _ in range(12):
        given = blocks(draw, scale)
        q = np.concatenate(given).sum(axis=0).tolist()
        if draw.random() < 0.4:  # records that are in none of the classes, or values that the reference lacks
            q = [c * draw.choice([0, 1, 1]) + draw.choice([0, 0, scale]) for c in q]
        if not any(q):
            continue
        asked = Measure(measure, Conditions([], VALUES, q))
        above, below = asked.worst(given)
        found = Fraction(above, below) if below else math.inf
        every = [value_of(measure, row, q) for block in given for row in block.tolist()]
        assert asked.least == (measure["measure"] in LEAST)
        assert found == (min(every) if asked.least else max(every)), (measure, given, q)
        assert isinstance(above, int)
        assert isinstance(below, int)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_the_worst_of_the_smallest_classes_is_that_of_the_definition(measure: dict[str, Any]) -> None:
    """Classes of one to three records of three values, one or more in a block, against references of one to six."""
    draw = random.Random(f"{measure}")
    every = [(*counts, 0) for counts in itertools.product(range(4), repeat=3) if 1 <= sum(counts) <= 3]
    for _ in range(200):
        rows = [draw.choice(every) for _ in range(draw.randint(1, 3))]
        q = [*draw.choice([(1, 0, 0), *itertools.product(range(3), repeat=3)]), 0]
        if not any(q):
            continue
        cut = draw.randint(0, len(rows))
        given = [np.array(part, dtype=np.int64).reshape(-1, 4) for part in (rows[:cut], rows[cut:])]
        asked = Measure(measure, Conditions([], VALUES, q))
        above, below = asked.worst(given)
        values = [value_of(measure, row, q) for row in rows]
        found = Fraction(above, below) if below else math.inf
        assert (above, below) != (0, 0)
        assert found == (min(values) if asked.least else max(values)), (measure, rows, q)


def test_a_greatest_fraction_is_found_wherever_it_stands() -> None:
    draw = random.Random(95)
    for _ in range(300):
        large = draw.choice([1, 1, 2**31, 2**61])
        many = range(draw.randint(1, 9))
        pairs = [(draw.randint(0, 3) * large + draw.randint(0, 1), draw.randint(0, 3) * large) for _ in many]
        pairs = [pair if any(pair) else (1, 1) for pair in pairs]
        above, below = (np.array(each, dtype=np.int64) for each in zip(*pairs, strict=True))
        value = [Fraction(a, b) if b else math.inf for a, b in pairs]
        assert value[_greatest(above, below)] == max(value)
    edge = np.array([INT64_MAX // 3, INT64_MAX // 3 - 1]), np.array([3, 3])  # the last product that fits
    assert _greatest(*edge) == 0


def test_without_a_class_nothing_is_the_worst() -> None:
    empty = np.zeros((0, 4), dtype=np.int64)
    for given in ([], [empty], [empty, empty]):
        with pytest.raises(InputError, match="there is no class"):
            Measure({"measure": "records"}, Conditions([], VALUES, [1, 1, 1, 1])).worst(given)


def test_a_class_is_below_a_number_by_its_entropy() -> None:
    conditions = Conditions([], VALUES, [9, 9, 9, 9])
    given = [np.array([[2, 2, 0, 0], [1, 1, 1, 1]]), np.array([[3, 3, 3, 0]])]
    for number, below in ((Fraction(2), False), (Fraction(10**9 + 1, 5 * 10**8), True), (Fraction(1), False)):
        assert entropies_below(number, given, conditions) is below
    assert entropies_below(Fraction(4), given[:1], conditions)
    assert not entropies_below(Fraction(4), [], conditions)
    assert not entropies_below(Fraction(3), given[1:], conditions)


def test_the_work_of_measures_is_added_up() -> None:
    """Two blocks, of three classes and of one, of four values."""
    counts = [np.array([[1, 2, 0, 0], [0, 0, 1, 1], [3, 0, 0, 0]]), np.array([[0, 1, 0, 0]])]
    plain = 2 * 1000 + 20 * 16
    for measure, units in (
        ({"measure": "records"}, plain),
        ({"measure": "gain"}, plain + 4 * 2 * 16),
        (EQUAL, plain + (4 + 4) * (2 * 500 + 2 * 4)),
        (ORDERED, plain + (3 + 4) * (2 * 500 + 2 * 4)),
    ):
        conditions = Conditions([], VALUES, [4, 3, 1, 1])
        conditions.work = Work(10**6)
        Measure(measure, conditions).worst(counts)
        assert 10**6 - conditions.work.left == units, measure
        conditions.work = Work(units - 1)
        with pytest.raises(InputError, match="too long"):
            Measure(measure, conditions).worst(counts)
    large, total = [block * 2**40 for block in counts], 9 * 2**40
    for measure, units in (
        ({"measure": "ratio", "absent": "skipped"}, plain + 4 * (100 + 100 / 50) * 16),
        (EQUAL, plain + sum(8 * (500 + len(b) * (100 + (100 + most(2 * 4 * total, b)) / 50)) for b in large)),
        (ORDERED, plain + sum(7 * (500 + len(b) * (100 + (100 + most(2 * 3 * total, b)) / 50)) for b in large)),
    ):
        conditions = Conditions([], VALUES, [4 * 2**40, 3 * 2**40, 2**40, 2**40])
        conditions.work = Work(10**6)
        Measure(measure, conditions).worst(large)
        assert 10**6 - conditions.work.left == pytest.approx(units, abs=1e-6), measure


def most(factor: int, block: Any) -> int:
    """How many binary digits the greatest number has that is made of the classes of a block."""
    return (factor * int(block.sum(axis=1).max())).bit_length()


def test_each_measure_takes_what_it_takes_and_no_more() -> None:
    keys = {"tail": ("l",), "share": ("values",), "ratio": ("absent",), "distance": ("ground",)}
    assert {name: keys.get(name, ()) for name in MEASURE_KEYS} == MEASURE_KEYS
    assert set(MEASURE_KEYS) == {each["measure"] for each in MEASURES} | {"entropy"}
    for measure in MEASURES:
        for record in ({**measure, "more": 1}, dict(list(measure.items())[:-1])):
            with pytest.raises(InputError):
                Measure(record, Conditions([], VALUES, [1, 1, 1, 1]))


@pytest.mark.parametrize("odd", [*ODD, 1, "1"], ids=lambda odd: repr(odd)[:20])
def test_whatever_stands_in_a_measure_is_measured_or_refused(odd: Any) -> None:
    for measure in MEASURES:
        for way in places_of(measure):
            try:
                asked = Measure(with_at(measure, way, odd), Conditions([], VALUES, [1, 1, 1, 1]))
                found = asked.worst([np.array([[1, 1, 0, 0], [0, 0, 1, 1]])])
            except InputError:
                continue
            assert way != ("measure",)
            assert found[0] > 0 or found[1] > 0
    for rank in (0, -1, 2**31):
        with pytest.raises(InputError):
            Measure({"measure": "tail", "l": rank}, Conditions([], VALUES, [1, 1, 1, 1]))
