"""Shrinking: the smallest test of each kind of mistake, and nothing that the implementation does not get wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from tcloseness.conformance import shrink as shrinking
from tcloseness.conformance.assessment import Assessment, assess
from tcloseness.conformance.generate import answered
from tcloseness.conformance.inputs import Table
from tcloseness.conformance.protocol import Failed, Given, Implementation, Reply, TimedOut
from tcloseness.conformance.runner import Record, Report
from tcloseness.conformance.shrink import shrink, shrunk
from tcloseness.conformance.vectors import Vector
from tcloseness.errors import HarnessError


def test_shrinking_finds_the_smallest_table_that_is_still_wrong() -> None:
    """An implementation that counts at most 2 records a class: 3 alike records are enough, and needed, to see it."""

    def ask(vector: Vector) -> Assessment:
        assert isinstance(vector.given, Table)
        keys = [row[0] for row in vector.given.rows]
        smallest = min(min(keys.count(key), 2) for key in keys)
        return assess(vector, Given({"value": smallest}))

    rows = tuple((key, value) for key in "aaaabbbbb" for value in "x")
    table = Table(("z", "s"), ("text", "text"), rows, ("z",), ("s",), index=tuple(range(9)))
    start = answered("k-anonymity", table, {"k": "4"}, "k-anonymity/random/1", "to shrink")
    assert ask(start).verdict == "wrong, over-strict"
    small = shrink(start, "wrong, over-strict", ask)
    assert isinstance(small.given, Table)
    assert len(small.given.rows) == 3
    assert small.given.index is None
    assert len({row[0] for row in small.given.rows}) == 1


def question(records: int, reason: str = "random", k: str = "2") -> Vector:
    """Whether so many records of one class are k-anonymous."""
    rows = tuple(("a", "x") for _ in range(records))
    table = Table(("z", "s"), ("text", "text"), rows, ("z",), ("s",))
    return answered("k-anonymity", table, {"k": k}, f"k-anonymity/{reason}/{records}", "to shrink")


class CountsTooMany:
    """A harness that says one record more than there is; it is right on whatever it is asked a second time."""

    closed = 0
    thresholds: ClassVar[set[str]] = set()

    def __init__(self, command: Sequence[str], *, seconds: float) -> None:
        self.command, self.seen = command, set[str]()

    def start(self) -> None:
        if self.command == ["nowhere"]:
            raise HarnessError("it does not start")

    def ask(self, seq: int, asked: dict[str, Any]) -> Reply:
        records = len(asked["input"]["rows"])
        self.thresholds.add(asked["parameters"]["k"])
        again = self.command == ["fickle"] and str(asked) in self.seen
        self.seen.add(str(asked))
        return Given({"value": records + (not again)})

    def close(self) -> None:
        type(self).closed += 1


def reported(*replies: tuple[Vector, Reply]) -> Report:
    records = tuple(Record(vector, assess(vector, reply)) for vector, reply in replies)
    return Report(Implementation("counts too many", algorithms=("k-anonymity",)), records)


REPORT = reported(
    (question(1, "smoke"), Given({"value": 2})),
    (question(5, k="9"), TimedOut(1)),
    (question(6), Given({"value": 6})),
    (question(7), Given({"value": 8})),
    (question(8), Given({"value": 9})),
)


@pytest.fixture(autouse=True)
def harness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shrinking, "Harness", CountsTooMany)


def test_the_first_fresh_mistake_of_a_kind_becomes_the_smallest_and_all_else_stays() -> None:
    """Neither what comes along, nor a timeout, nor what is right, nor a second mistake of the kind."""
    CountsTooMany.thresholds.clear()
    closed = CountsTooMany.closed
    found = shrunk(REPORT, ["any"])
    assert CountsTooMany.closed == closed + 1
    assert "9" not in CountsTooMany.thresholds  # what took too long is not asked again
    (place,) = (i for i, pair in enumerate(zip(REPORT.records, found.records, strict=True)) if pair[0] != pair[1])
    assert place == 3
    small = found.records[place]
    assert small.assessment.verdict == REPORT.records[place].assessment.verdict == "wrong, unsafe side"
    assert len(small.vector.given.rows) == 1  # type: ignore[union-attr]
    assert replace(found, records=REPORT.records) == REPORT


def test_a_mistake_that_is_not_made_again_stays_as_it_was_reported() -> None:
    assert shrunk(REPORT, ["fickle"]) == REPORT


def test_without_a_harness_the_report_stays() -> None:
    assert shrunk(REPORT, ["nowhere"]) is REPORT
    crashed = reported((question(3), Failed("it crashed", crashed=True)))
    assert shrunk(crashed, ["any"]).records == crashed.records  # which now counts, and one too many
