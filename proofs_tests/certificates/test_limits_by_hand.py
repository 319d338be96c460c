"""Certificates of searches under a limit, drawn at random: accepted where they say what is so, and only then."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tcloseness.certificates import limits, nodes as nodes_of_tables
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.leaving import fewest_leaving
from tcloseness.certificates.limits import check_minimal, check_optimum, direct_minimal, ruled_out, stays_satisfied
from tcloseness.certificates.losses import CELLS, CLASSES, Suppressed, loss_named
from tcloseness.certificates.nodes import Nodes
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError, CertificateFormatError, InputError

LEVELS: dict[str, Any] = {
    "a": [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*"), ("4", "high", "*")],
    "b": [("m", "*"), ("n", "*")],
    "c": [("x", "x", "x or y"), ("y", "y", "x or y")],
}
VALUES = ["text:s", "text:t", "text:u"]
Node = tuple[int, ...]


class Drawn:
    """A small table, what is asked of its classes, a limit, and what is so of its nodes."""

    def __init__(self, draw: random.Random) -> None:
        names = draw.sample("abc", draw.randint(1, 3))
        counts: Counter[tuple[str, ...]] = Counter()
        for _ in range(draw.randint(1, 7)):
            cells = [draw.choice(LEVELS[name])[0] for name in names]
            counts[tuple(f"text:{cell}" for cell in (*cells, draw.choice("stu")))] += draw.choice([1, 1, 2])
        self.nodes = Nodes(Counts.of([*names, "s"], counts), {name: LEVELS[name] for name in names}, VALUES)
        self.records = sum(counts.values())
        model: list[dict[str, Any]] = draw.choice(
            [
                [{"condition": "records", "least": draw.randint(1, 4)}],
                [{"condition": "values", "least": 2}],
                [{"condition": "records", "least": 2}, {"condition": "values", "least": draw.randint(1, 2)}],
                [{"condition": "share", "most": draw.choice(["1/2", "2/3"]), "values": None}],
                [{"condition": "records", "least": 2}, {"condition": "share", "most": "2/3", "values": None}],
            ]
        )
        self.merges = all(each["condition"] in ("records", "values") for each in model)
        self.model = model
        self.limit = min(draw.choice([0, 0, 1, 2, 3, 20]), self.records)
        self.every = [tuple(map(int, node)) for node in np.ndindex(*self.nodes.shape)]
        self._leave: dict[Node, int] = {}
        self.found = {node: self.suppressed(node) for node in self.every}
        self.satisfying = {
            node for node in self.every if self.lost(node) <= self.limit and self.lost(node) < self.records
        }
        self.minimal = {
            node
            for node in self.satisfying
            if not any((*node[:i], node[i] - 1, *node[i + 1 :]) in self.satisfying for i in range(len(node)))
        }

    def conditions(self) -> Conditions:
        return Conditions(self.model, VALUES, self.nodes.reference.tolist())

    def suppressed(self, node: Node) -> Suppressed:
        counts = np.concatenate(list(self.nodes.classes(node)))
        return Suppressed(self.nodes.class_of(node), counts.sum(axis=1), self.conditions().violating(counts))

    def lost(self, node: Node) -> int:
        found = self.found[node]
        return sum(size for size, gone in zip(found.sizes.tolist(), found.withheld.tolist(), strict=True) if gone)

    def settles(self, node: Node) -> bool:
        """Whether a node that satisfies shows that those above it do."""
        return self.lost(node) <= (self.limit if self.merges else 0) and self.lost(node) < self.records

    def rules_out(self, node: Node) -> bool:
        if node not in self._leave:
            self._leave[node] = fewest_leaving(self.nodes.classes(node), self.conditions(), 10**9)
        leave = self._leave[node]
        return leave > self.limit or leave == self.records

    def some(self, draw: random.Random, right: Any, share: float) -> list[Node]:
        """Some nodes for which something is so, and now and then one more."""
        found = [node for node in self.every if right(node) and draw.random() < share]
        more = draw.choice(self.every)
        return [*found, more] if more not in found and draw.random() < 0.15 else found


def above(node: Node, other: Node) -> bool:
    return all(a >= b for a, b in zip(node, other, strict=True))


def accepted(check: Any, drawn: Drawn, proof: dict[str, Any]) -> bool:
    try:
        check(drawn.nodes, drawn.conditions(), proof)
    except CertificateError:
        return False
    return True


class Watched:
    """Which nodes are counted, in their order, and as how many they are accounted for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counted: list[Node] = []
        self.accounted: list[int] = []
        plain = limits.suppressed
        monkeypatch.setattr(
            limits, "suppressed", lambda nodes, node, asked: self.counted.append(node) or plain(nodes, node, asked)
        )
        monkeypatch.setattr(
            Nodes,
            "require_time",
            lambda _, passes, what: self.accounted.append(passes) if what == "nodes that are left" else None,
        )


@pytest.mark.parametrize("cases", [80, pytest.param(5000, marks=pytest.mark.slow)])
def test_minimal_nodes_are_accepted_if_they_are_and_only_then(cases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, told = random.Random(100), Counter[bool]()
    for _ in range(cases):
        drawn = Drawn(draw)
        settling = drawn.some(draw, drawn.settles, draw.choice([0, 0.2, 1]))
        violating = drawn.some(draw, drawn.rules_out, draw.choice([0, 0.3, 1]))
        minimal = list(drawn.minimal)
        if draw.random() < 0.4:
            minimal = draw.choice([minimal[1:], [*minimal, draw.choice(drawn.every)], [draw.choice(drawn.every)]])
        draw.shuffle(minimal)
        proof = {"values": VALUES, "limit": drawn.limit, "minimal": [list(node) for node in minimal]}
        proof |= {"satisfying": [list(node) for node in settling], "violating": [list(node) for node in violating]}
        right = all(map(drawn.settles, settling)) and all(map(drawn.rules_out, violating))
        right = right and set(minimal) == drawn.minimal and len(minimal) == len(drawn.minimal)
        with monkeypatch.context() as patch:
            watched = Watched(patch)
            assert accepted(check_minimal, drawn, proof) == right, (vars(drawn), proof)
        if right:
            below = [node for node in drawn.every if any(above(each, node) for each in violating)]
            done = [node for node in drawn.every if any(above(node, each) for each in settling)]
            left = [node for node in drawn.every if node not in below and node not in done]
            assert watched.counted == [*settling, *left]
            assert watched.accounted == [len(left)] * len(left)
        told[right] += 1
    assert min(told.values()) > cases / 5


@pytest.mark.parametrize("cases", [60, pytest.param(5000, marks=pytest.mark.slow)])
def test_optima_are_accepted_if_they_are_all_and_only_then(cases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, told, closed = random.Random(101), Counter[bool](), 0
    names = [*CELLS, *CLASSES, "class-size/2", "class-size-one-class/3/2"]
    while told.total() < cases:
        drawn, name = Drawn(draw), draw.choice(names)
        loss = loss_named(drawn.nodes, name)
        numbers = {node: loss.of(node, drawn.found[node]) for node in drawn.satisfying}
        if not numbers:
            continue
        best = min(numbers.values())
        true = [node for node in drawn.every if numbers.get(node) == best]
        violating = drawn.some(draw, drawn.rules_out, draw.choice([0, 0.3, 1]))
        optima = draw.sample(true, len(true))
        if draw.random() < 0.4:
            optima = draw.choice([optima[1:], [*optima, draw.choice(drawn.every)], [draw.choice(drawn.every)], []])
        value = str(loss.value(numbers.get(optima[0], best) if optima else best))
        if draw.random() < 0.1:
            value = draw.choice([value + "0", str(Fraction(value) + 1), "-1/2"])
        proof: dict[str, Any] = {"values": VALUES, "limit": drawn.limit, "loss": name, "value": value}
        proof |= {"optima": [list(node) for node in optima], "violating": [list(node) for node in violating]}
        right = sorted(optima) == true and value == str(loss.value(best)) and all(map(drawn.rules_out, violating))
        with monkeypatch.context() as patch:
            watched = Watched(patch)
            if optima:
                assert accepted(check_optimum, drawn, proof) == right, (vars(drawn), proof)
            else:
                with pytest.raises(InputError, match="at least 1"):
                    check_optimum(drawn.nodes, drawn.conditions(), proof)
        told[right] += 1
        if right:
            left, counted = [node for node in drawn.every if not any(above(each, node) for each in violating)], []
            while left:
                node = left.pop(0)
                whole = Suppressed(
                    drawn.found[node].class_of, drawn.found[node].sizes, np.zeros_like(drawn.found[node].withheld)
                )
                before = loss.of(node, whole)
                if name not in CELLS or before <= best:
                    counted.append(node)
                if name not in CELLS and before > best and (loss.bounded or not drawn.limit):
                    closed += any(above(other, node) for other in left)
                    left = [other for other in left if not above(other, node)]
            assert watched.counted == [optima[0], *counted]
            steps = range(1, len(counted) + 1)
            assert watched.accounted == (list(steps) if name not in CELLS else [len(counted)] * len(counted))
    assert min(told.values()) > cases / 5
    assert closed > cases / 30


def test_the_minimal_of_some_nodes_have_none_directly_beneath_among_them() -> None:
    draw = random.Random(102)
    for _ in range(100):
        shape = tuple(draw.randint(1, 4) for _ in range(draw.randint(1, 3)))
        some = np.array([draw.random() < 0.5 for _ in range(int(np.prod(shape)))]).reshape(shape)
        found = direct_minimal(some)
        for node in np.ndindex(*shape):
            beneath = [(*node[:i], node[i] - 1, *node[i + 1 :]) for i in range(len(shape)) if node[i]]
            assert found[node] == (some[node] and not any(some[each] for each in beneath))


def test_more_than_the_limit_or_all_must_leave_to_rule_out() -> None:
    """Of (2 s, 1 t) one leaves at least that as many of both stay; of the class (1, 1) none."""
    counts = {("text:m", "text:s"): 2, ("text:m", "text:t"): 1, ("text:n", "text:s"): 1, ("text:n", "text:t"): 1}
    nodes = Nodes(Counts.of(["b", "s"], counts), {"b": LEVELS["b"]}, VALUES[:2])
    share = Conditions([{"condition": "share", "most": "1/2", "values": None}], VALUES[:2], [3, 2])
    assert [ruled_out(nodes, (0,), share, limit) for limit in (0, 1, 5)] == [True, False, False]
    none = Conditions([{"condition": "values", "least": 3}], VALUES[:2], [3, 2])
    assert [ruled_out(nodes, (1,), none, limit) for limit in (0, 4, 5)] == [True, True, True]


def test_of_which_conditions_classes_that_merge_are_none_the_worse() -> None:
    records, share = {"condition": "records", "least": 2}, {"condition": "share", "most": "1/2", "values": None}
    values = {"condition": "values", "least": 2}
    for model, stays in (([records], True), ([values, records], True), ([share], False), ([records, share], False)):
        assert stays_satisfied(Conditions(model, VALUES, [1, 1, 1])) is stays


@pytest.mark.parametrize(("limit", "read"), [(0, True), (4, True), (5, False), (-1, False), (True, False)])
def test_a_limit_is_up_to_all_records(limit: Any, read: bool) -> None:
    nodes = Nodes(Counts.of(["b", "s"], {("text:m", "text:s"): 3, ("text:n", "text:s"): 1}), {"b": LEVELS["b"]}, VALUES)
    asked = Conditions([{"condition": "records", "least": 1}], VALUES, [4, 0, 0])
    minimal = {"values": VALUES, "limit": limit, "minimal": [[0]], "satisfying": [], "violating": []}
    optimum = {"values": VALUES, "limit": limit, "loss": "gcp", "value": "0", "optima": [[0]], "violating": []}
    for check, proof in ((check_minimal, minimal), (check_optimum, optimum)):
        if read:
            assert check(nodes, asked, proof)
        else:
            with pytest.raises(InputError, match="limit is"):
                check(nodes, asked, proof)


def test_what_would_take_too_long_is_counted_as_nodes_that_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Drawn(random.Random(103))
    monkeypatch.setattr(nodes_of_tables, "_MOST_WORK", 0)
    proof = {"values": VALUES, "limit": drawn.limit, "minimal": [], "satisfying": [], "violating": []}
    with pytest.raises(CertificateFormatError, match=f"{len(drawn.every)} nodes that are left of such a table"):
        check_minimal(drawn.nodes, drawn.conditions(), proof)
