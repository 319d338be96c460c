"""Cuts by hand: the bound of prices and cases against all cuts, and what a case or a price must name."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tcloseness.certificates import Nodes, cut
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.cut import check_cut, check_infeasible
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError, InputError

ROWS = {"a": [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")], "b": [("p", "*"), ("q", "*")]}
RECORDS = {("1", "p"): 2, ("1", "q"): 1, ("2", "p"): 1, ("2", "q"): 3, ("3", "q"): 2}
Node = tuple[int, str]


def table() -> Nodes:
    counts = {(f"text:{a}", f"text:{b}", "text:x"): n for (a, b), n in RECORDS.items()}
    return Nodes(Counts.of(["a", "b", "s"], counts), ROWS, ["text:x"])


def at_least(k: int) -> Conditions:
    return Conditions([{"condition": "records", "least": k}], ["text:x"], [sum(RECORDS.values())])


def cuts(rows: list[tuple[str, ...]]) -> Iterator[frozenset[Node]]:
    """Every set of nodes that has one above each leaf."""
    nodes = sorted({node for row in rows for node in enumerate(row)})
    for size in range(1, len(rows) + 1):
        for some in itertools.combinations(nodes, size):
            if all(sum(node in some for node in enumerate(row)) == 1 for row in rows):
                yield frozenset(some)


def cost(name: str, chosen: frozenset[Node], unit: int) -> int:
    """NCP of one attribute: of each record the leaves below its node, where they are several, over all leaves."""
    found = 0
    for (a, b), n in RECORDS.items():
        leaf = {"a": a, "b": b}[name]
        level, label = next(node for row in ROWS[name] if row[0] == leaf for node in enumerate(row) if node in chosen)
        width = sum(row[level] == label for row in ROWS[name])
        found += n * (width if width > 1 else 0) * unit // len(ROWS[name])
    return found


@cache
def below(name: str, chosen: frozenset[Node], node: Node) -> bool:
    """Whether a cut goes below a node: it has none at it or above."""
    level, label = node
    row = next(row for row in ROWS[name] if row[level] == label)
    return not any(n in chosen for n in list(enumerate(row))[level:])


@cache
def violating(k: int) -> list[dict[str, Any]]:
    """All classes of fewer than k records of all nodes, but those of the roots alone."""
    found = []
    for levels in itertools.product(range(3), range(2)):
        classes = Counter[tuple[str, ...]]()
        for leaves, n in RECORDS.items():
            rows = [next(row for row in ROWS[x] if row[0] == leaf) for x, leaf in zip("ab", leaves, strict=True)]
            classes[tuple(row[level] for row, level in zip(rows, levels, strict=True))] += n
        found += [{"node": list(levels), "class": list(c)} for c, n in sorted(classes.items()) if n < k]
    return found


def any_tree(rng: random.Random, tuples: int, deep: int = 2) -> list[Any]:
    if deep and rng.random() < 0.5:
        i = rng.randrange(2)
        nodes = sorted({node for row in ROWS["ab"[i]] for node in enumerate(row)})
        parts = [any_tree(rng, tuples, deep - 1) for _ in range(2)]
        return [{"attribute": i, "node": list(rng.choice(nodes))}, *parts[0], *parts[1]]
    places = [rng.randrange(tuples) for _ in range(rng.randint(0, 4))] if tuples else []
    return [{"prices": [[place, rng.randint(0, 3)] for place in places]}]


def cases(tree: list[Any]) -> Iterator[tuple[dict[tuple[int, Node], bool], Any]]:
    """The prices of each case, with the nodes that the cut goes below or not; of two splits at a node the last."""
    rest = iter(tree)

    def follow(fixed: dict[tuple[int, Node], bool]) -> Iterator[tuple[dict[tuple[int, Node], bool], Any]]:
        entry = next(rest)
        if "prices" in entry:
            yield fixed, entry["prices"]
            return
        for side in (False, True):
            yield from follow({**fixed, (entry["attribute"], tuple(entry["node"])): side})

    yield from follow({})


def test_the_bound_of_prices_and_cases_is_that_of_all_cuts() -> None:
    """In each case the least, over its cuts, of scale·cost + Σ y_T·(Σ d − how many nodes of T are not roots + 1)."""
    rng, nodes, seen = random.Random("bounds"), table(), Counter[str]()
    hierarchies, unit = cut._Hierarchy.all_of(nodes, "ncp")
    assert unit == 3
    every = list(itertools.product(cuts(ROWS["a"]), cuts(ROWS["b"])))
    level = [pair for pair in every if all(len({at for at, _ in each}) == 1 for each in pair)]
    costs = {pair: sum(cost(name, each, unit) for name, each in zip("ab", pair, strict=True)) for pair in every}
    for _ in range(60):
        k, scale, uniform = rng.choice([2, 3, 4, 5]), rng.randint(1, 4), rng.random() < 0.3
        given = rng.sample(violating(k), rng.randint(0, min(3, len(violating(k)))))
        tree, default = any_tree(rng, len(given)), rng.choice([10**6, 10**6, 5])
        above = []
        for each in given:
            rows = [
                next(row for row in ROWS[name] if row[level_of] == label)
                for name, level_of, label in zip("ab", each["node"], each["class"], strict=True)
            ]
            above.append(
                [
                    (i, (at + 1, row[at + 1]))
                    for i, (row, at) in enumerate(zip(rows, each["node"], strict=True))
                    if at + 1 < len(row)
                ]
            )
        wanted = default
        for fixed, prices in cases(tree):
            sums = []
            for pair in level if uniform else every:
                if any(below("ab"[i], pair[i], node) != side for (i, node), side in fixed.items()):
                    continue
                gained = sum(
                    unit * price * (sum(below("ab"[i], pair[i], n) for i, n in above[place]) - len(above[place]) + 1)
                    for place, price in prices
                )
                sums.append(scale * costs[pair] + gained)
            wanted = min([wanted, *(-(-total // scale) for total in sums)])
            seen["empty" if not sums else "case"] += 1
        record = {"violating": given, "scale": scale, "tree": tree}
        found = cut._bound(nodes, hierarchies, unit, at_least(k), record, uniform=uniform, default=default)
        assert found == wanted, (k, record, uniform)
        seen["more than nothing"] += 0 < wanted < default
    assert min(seen.values()) > 5


def proof(**changes: Any) -> dict[str, Any]:
    """Both attributes at their roots: NCP 2·9."""
    return {
        "values": ["text:x"],
        "recoding": "subtree",
        "loss": "ncp",
        "value": "18",
        "bound": "0",
        "cut": [[[2, "*"]], [[1, "*"]]],
        "violating": [],
        "scale": 1,
        "tree": [{"prices": []}],
        **changes,
    }


def test_a_bound_is_met_at_the_least_scale_and_by_any_attribute() -> None:
    """The group high has two records: where three must be alike, a is cut at its root, at 9, and b anywhere."""
    nodes, three = table(), at_least(3)
    two = [{"node": [1, 1], "class": ["high", "*"]}]
    given = proof(violating=two, tree=[{"prices": [[0, 9]]}], bound="9")
    assert check_cut(nodes, three, given).endswith("no cut loses less than 9")
    split = [{"attribute": 1, "node": [1, "*"]}, {"prices": [[0, 9]]}, {"prices": [[0, 9]]}]
    assert check_cut(nodes, three, {**given, "tree": split}).endswith("no cut loses less than 9")
    root = [split[0], {"prices": []}, split[1]]  # at its root b alone costs as much
    assert check_cut(nodes, three, {**given, "tree": root}).endswith("no cut loses less than 9")
    for changes in (
        {"bound": "55/6"},
        {"tree": [{"prices": [[0, 8]]}]},
        {"scale": 2},
        {"tree": [split[0], split[1], {"prices": []}]},
    ):
        with pytest.raises(CertificateError, match="is not excluded"):
            check_cut(nodes, three, {**given, **changes})


@pytest.mark.parametrize("odd", [None, 3, "prices", ["prices"], {}, {"prices": None}, {"attribute": 0}], ids=repr)
def test_what_is_neither_a_split_nor_prices_is_refused(odd: Any) -> None:
    with pytest.raises(InputError, match=r"tree|prices"):
        check_cut(table(), at_least(3), proof(tree=[odd]))


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_that_there_is_no_cut_is_accepted_just_if_all_records_together_violate(more: int) -> None:
    given = {"values": ["text:x"]}
    if more > 0:
        assert check_infeasible(table(), at_least(9 + more), given).startswith("all records together violate")
        with pytest.raises(InputError):
            check_infeasible(table(), at_least(9 + more), {**given, "bound": "0"})
    else:
        with pytest.raises(CertificateError, match="all records together satisfy"):
            check_infeasible(table(), at_least(9 + more), given)
