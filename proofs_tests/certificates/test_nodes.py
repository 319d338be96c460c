"""A table under its hierarchies, as checkers see it: the classes of every node, against records grouped one by one."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tcloseness.certificates import nodes as module
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.nodes import Nodes, added, numbered
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.exact import INT64_MAX

LEVELS: dict[str, Any] = {
    "a": [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*"), ("4", "high", "*")],
    "b": None,
    "c": [("x",), ("y",), ("z",)],
    "d": [("p", "p or q"), ("q", "p or q")],
}
"""Of three levels, of those that every value has, of one alone, and without a label for everything."""
VALUES = ["text:s", "text:never", "text:t", "text:u"]


class Drawn:
    """A small table at random, and its records."""

    def __init__(self, draw: random.Random, names: str | None = None) -> None:
        self.names = list(names or draw.sample("abcd", draw.randint(1, 4)))
        cells = {"a": "1234", "b": "mn", "c": "xyz", "d": "pq"}
        self.records: Counter[tuple[str, ...]] = Counter()
        for _ in range(draw.randint(1, 9)):
            labels = [draw.choice(cells[name]) for name in self.names]
            self.records[*labels, draw.choice("stu")] += draw.choice([1, 1, 2, 2**40])
        counts = {tuple(f"text:{cell}" for cell in record): n for record, n in self.records.items()}
        self.nodes = Nodes(Counts.of([*self.names, "s"], counts), {name: LEVELS[name] for name in self.names}, VALUES)
        self.levels = [LEVELS[name] or [(cell, "*") for cell in "mn"] for name in self.names]
        self.shape = tuple(len(rows[0]) for rows in self.levels)

    def label(self, i: int, cell: str, level: int) -> str:
        return next(row[level] for row in self.levels[i] if row[0] == cell)

    def classes(self, node: tuple[int, ...]) -> dict[tuple[str, ...], list[int]]:
        found: dict[tuple[str, ...], list[int]] = {}
        for (*cells, s), n in self.records.items():
            labels = tuple(self.label(i, cell, node[i]) for i, cell in enumerate(cells))
            found.setdefault(labels, [0] * 4)[VALUES.index(f"text:{s}")] += n
        return found


def test_the_classes_of_every_node_are_the_records_of_equal_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(90)
    for _ in range(60):
        drawn = Drawn(draw)
        nodes = drawn.nodes
        total = sum(drawn.records.values())
        assert (nodes.records, nodes.shape, nodes.names) == (total, drawn.shape, tuple(drawn.names))
        assert nodes.counts.sum() == total
        assert nodes.reference.tolist() == [
            sum(n for r, n in drawn.records.items() if f"text:{r[-1]}" == v) for v in VALUES
        ]
        for node in np.ndindex(*drawn.shape):
            monkeypatch.setattr(module, "_CELLS", draw.choice([1, 4, 8, 12, 2**22]))
            expected = drawn.classes(node)
            blocks = list(nodes.classes(node))
            assert all(len(block) == max(1, module._CELLS // 4) for block in blocks[:-1])
            found = [tuple(row) for block in blocks for row in block.tolist()]
            assert sorted(found) == sorted(map(tuple, expected.values()))
            for labels, counts in expected.items():
                assert nodes.one(node, labels).tolist() == counts
            assert not nodes.one(node, ["nowhere"] * len(node)).any()
            class_of = nodes.class_of(node).tolist()
            assert sorted(set(class_of)) == list(range(len(expected)))
            of_class: dict[int, set[tuple[str, ...]]] = {}
            for number, record in zip(class_of, drawn.records, strict=True):
                labels = tuple(drawn.label(i, cell, node[i]) for i, cell in enumerate(record[:-1]))
                of_class.setdefault(number, set()).add(labels)
            assert all(len(each) == 1 for each in of_class.values())
            assert [found[number] for number in class_of] == [
                tuple(expected[next(iter(of_class[number]))]) for number in class_of
            ]
            for least in (1, 2, 3, total):
                conditions = Conditions([{"condition": "records", "least": least}], VALUES, nodes.reference.tolist())
                assert nodes.violates(node, conditions) == any(sum(each) < least for each in expected.values())


def test_rows_are_numbered_in_their_order_without_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many numbers a column might have: beyond 64 bits what came before is numbered anew."""
    draw = random.Random(91)
    for _ in range(150):
        monkeypatch.setattr(module, "_FEW", draw.choice([0, 0, 2**16]))
        rows = draw.randint(1, 7)
        below = [draw.choice([1, 2, 3, 2**31, INT64_MAX // 8]) for _ in range(draw.randint(0, 5))]
        columns = [[draw.choice([0, 0, 1, size // 2, size - 1]) % size for _ in range(rows)] for size in below]
        key = list(zip(*columns, strict=True)) or [()] * rows
        given = [(np.array(column, dtype=np.int64), size) for column, size in zip(columns, below, strict=True)]
        order = sorted(set(key))
        assert numbered(given, rows).tolist() == [order.index(each) for each in key]


def test_counts_are_added_at_their_places() -> None:
    assert added(np.array([2, 0, 2]), np.array([5, 1, 7]), 4).tolist() == [1, 0, 12, 0]
    assert added(np.array([], dtype=np.int64), np.array([], dtype=np.int64), 2).tolist() == [0, 0]


# ---------------------------------------------------------------------- what a proof names


def fixed() -> tuple[Nodes, Conditions]:
    """Six records: two of the class (low, m), one of (low, n), three of (high, n)."""
    counts = {("text:1", "text:m", "text:s"): 2, ("text:2", "text:n", "text:t"): 1, ("text:4", "text:n", "text:u"): 3}
    nodes = Nodes(Counts.of(["a", "b", "s"], counts), {name: LEVELS[name] for name in "ab"}, VALUES)
    return nodes, Conditions([{"condition": "records", "least": 3}], VALUES, nodes.reference.tolist())


def test_classes_that_violate_are_read() -> None:
    nodes, conditions = fixed()
    given = [{"node": [1, 0], "class": ["low", "m"]}, {"node": [0, 0], "class": ["2", "n"]}]
    assert nodes.violating(given, conditions) == [((1, 0), ["low", "m"]), ((0, 0), ["2", "n"])]
    assert nodes.violating([], conditions) == []


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ([{"node": [1, 0], "class": ["high", "n"]}], CertificateError, "does not violate the model"),
        ([{"node": [1, 0], "class": ["high", "m"]}], CertificateError, "has no record"),
        ([{"node": [1, 0], "class": ["low", "*"]}], CertificateError, "has no record"),
        ([{"node": [1, 0], "class": ["low"]}], InputError, "class has 1 entries; it must have 2"),
        ([{"node": [1, 0], "class": ["low", 1]}], InputError, r"violating\[0\] is 1; it must be a text"),
        ([{"node": [1, 0], "class": ["low", "m"]}, {"node": [1]}], InputError, r"violating\[1\] lacks the key 'class'"),
        ([{"node": [3, 0], "class": ["low", "m"]}], InputError, r"violating\[0\]\[\] is 3; .* from 0 to 2"),
        ([{"node": [0, 2], "class": ["low", "m"]}], InputError, r"violating\[0\]\[\] is 2; .* from 0 to 1"),
        ([{"node": [-1, 0], "class": ["low", "m"]}], InputError, r"violating\[0\]\[\] is -1"),
        ("low", InputError, "violating is 'low'; it must be a list"),
    ],
)
def test_classes_that_do_not_violate_or_are_not_there_are_refused(given: Any, error: Any, said: str) -> None:
    nodes, conditions = fixed()
    with pytest.raises(error, match=said):
        nodes.violating(given, conditions)


def test_nodes_are_read_once_each() -> None:
    nodes, _ = fixed()
    assert nodes.node([2, 1], "x") == (2, 1)
    assert nodes.nodes([[2, 1], [0, 0]], "x") == [(2, 1), (0, 0)]
    assert nodes.nodes([], "x") == []
    for given, error, said in (
        ([[2, 1], [0, 0], [2, 1]], CertificateError, "x names a node twice"),
        ([[2, 1], [2]], InputError, r"x\[1\] has 1 entries; it must have 2"),
        ([[2, 1], [2, 2]], InputError, r"x\[1\]\[\] is 2; it must be a whole number from 0 to 1"),
        ([[2, True]], InputError, r"x\[0\]\[\] is True"),
    ):
        with pytest.raises(error, match=said):
            nodes.nodes(given, "x")
    with pytest.raises(InputError, match="x has 0 entries; it must have at least 1"):
        nodes.nodes([], "x", least=1)


def test_what_would_take_too_long_is_refused_before_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass is over three combinations of three columns, and a sixteenth of six nodes."""
    nodes, conditions = fixed()
    each = 3 * 3 + 6 / 16
    monkeypatch.setattr(module, "_MOST_WORK", 2 * each)
    nodes.require_time(2, "steps")
    given = [{"node": [1, 0], "class": ["low", "m"]}] * 2
    assert len(nodes.violating(given, conditions)) == 2
    assert len(nodes.nodes([[0, 0], [1, 0]], "x")) == 2
    monkeypatch.setattr(module, "_MOST_WORK", 2 * each - 0.01)
    with pytest.raises(CertificateFormatError, match=r"^2 steps of such a table would take too long to check"):
        nodes.require_time(2, "steps")
    with pytest.raises(CertificateFormatError, match="2 violating classes of such a table"):
        nodes.violating(given, conditions)
    with pytest.raises(CertificateFormatError, match=r"^2 x of such a table"):
        nodes.nodes([[0, 0], [1, 0]], "x")


# ---------------------------------------------------------------------- tables


def made(counts: dict[tuple[str, ...], int], values: Any = ("text:s",), levels: Any = None) -> Nodes:
    """A table of as many quasi-identifiers as the combinations have, each of them as it is or ``*``."""
    names = [f"q{i}" for i in range(len(next(iter(counts), ("", ""))) - 1)]
    return Nodes(Counts.of([*names, "s"], counts), levels or dict.fromkeys(names), list(values))


def test_tables_of_any_size_up_to_2_to_the_53_are_read() -> None:
    one = ("text:1", "text:s")
    assert made({one: 1}).records == 1
    assert made({one: 2**53}).records == 2**53
    assert made({one: 2**52, ("text:2", "text:s"): 2**52}).records == 2**53
    for counts, records in (({one: 2**53, ("text:2", "text:s"): 1}, 2**53 + 1), ({}, 0)):
        with pytest.raises(CertificateFormatError, match=rf"the table has {records} records; from 1 to 2\^53 are"):
            made(counts)


def test_a_table_has_the_values_that_are_listed_and_rows_for_all_of_its_own() -> None:
    counts = {("text:1", "text:s"): 1, ("number:2", "text:t"): 1}
    assert made(counts, ("text:t", "text:s")).reference.tolist() == [1, 1]
    with pytest.raises(CertificateError, match="values lack 'text:t', or name one twice"):
        made(counts, ("text:s",))
    with pytest.raises(CertificateError, match="values lack 'text:u', or name one twice"):
        made({("text:1", "text:2", "text:u"): 1}, ("text:s",))
    with pytest.raises(CertificateError, match="values lack None, or name one twice"):
        made(counts, ("text:s", "text:t", "text:s"))
    for rows in ([("1", "*")], [("2", "*")], [("3", "*"), ("1", "*")]):
        with pytest.raises(CertificateError, match=r"the hierarchy of 'q0' has no row for the value '[12]'"):
            made(counts, ("text:s", "text:t"), {"q0": rows})
    with pytest.raises(CertificateFormatError, match="two values of 'q0' have one name"):
        made({("text:1", "text:s"): 1, ("number:1", "text:s"): 1})


def test_no_larger_lattice_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    one = {("text:x",) * 3 + ("text:s",): 1}
    for most, said in (
        ("_MOST_NODES", "the lattice has 8 nodes"),
        ("_MOST_ATTRIBUTES", "has 3 quasi-identifiers; at most 2"),
    ):
        enough = 8 if most == "_MOST_NODES" else 3
        monkeypatch.setattr(module, most, enough)
        assert math.prod(made(one).shape) == 8
        monkeypatch.setattr(module, most, enough - 1)
        with pytest.raises(CertificateFormatError, match=said):
            made(one)
        monkeypatch.undo()
