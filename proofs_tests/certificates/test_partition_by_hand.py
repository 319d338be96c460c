"""Certificates of partitions that are written by hand: what is proved at the bound itself, and not beyond it."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tcloseness.certificates import Nodes, partition
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.partition import check_partition
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError, InputError
from tcloseness.exact import number_text
from tcloseness.strict_records import Work


def by_hand(
    numbers: tuple[int, ...],
    classes: list[list[int]] | None,
    model: list[dict[str, Any]],
    sensitive: str,
    work: Work | None = None,
    **proof: Any,
) -> bool:
    """Whether a proof about numbers that is written by hand is accepted; costs are in units of 1/range, scale 10."""
    try:
        return bool(said(numbers, classes, model, sensitive, work, **proof))
    except CertificateError:
        return False


def said(
    numbers: tuple[int, ...],
    classes: list[list[int]] | None,
    model: list[dict[str, Any]],
    sensitive: str,
    work: Work | None = None,
    **proof: Any,
) -> str:
    """What is found where such a proof is accepted."""
    counts = {(f"text:{x}", f"text:{s}"): 1 for x, s in zip(numbers, sensitive, strict=True)}
    values = sorted({f"text:{s}" for s in sensitive})
    nodes = Nodes(Counts.of(["x", "s"], counts), {"x": None}, values)
    width = max(numbers) - min(numbers)
    cost = sum(len(group) * (numbers[group[-1]] - numbers[group[0]]) for group in classes or ())
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
    return check_partition(nodes, Conditions(model, values, nodes.reference.tolist()), given, work=work)


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


# ---------------------------------------------------------------------- proofs at random, decided by their definition


class Drawn:
    """Numbers, some of them twice, with prices, cuts, a limit and a tree at random, and what is so of them."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        many = draw.randint(2, 4)
        self.numbers = sorted(draw.sample(range(9), many))
        self.counts = [draw.choice([1, 1, 1, 2]) for _ in self.numbers]
        self.records = sum(self.counts)
        self.k, self.lost = draw.choice([1, 2, 2, 3]), draw.choice([0, 0, 1, 2])
        self.k, self.lost = min(self.k, self.records), min(self.lost, self.records - 1)
        self.unit = self.numbers[-1] - self.numbers[0]
        self.scale = draw.choice([1, 1, 2, 5, 5, 2**57, 2**59, 2**70])
        drawn = [[draw.choice([0, 1, 1, 2]) for _ in self.numbers] for _ in range(draw.choice([0, 0, 1, 2]))]
        self.cuts = [(weights, draw.choice([1, 2, 3])) for weights in drawn if any(weights)]
        every = itertools.product(*(range(count + 1) for count in self.counts))
        self.every = [c for c in every if self.k <= sum(c) <= min(self.records, 2 * self.k - 1)]

    def cost(self, c: tuple[int, ...]) -> int:
        held = [x for x, n in zip(self.numbers, c, strict=True) if n]
        return sum(c) * (held[-1] - held[0])

    def prices(self) -> dict[str, Any]:
        typical = self.scale * self.unit
        return {
            "kinds": [self.draw.randint(-1, self.draw.choice([1, 1, 2]) * typical) for _ in self.numbers],
            "cuts": [self.draw.choice([0, 1, self.scale]) for _ in range(len(self.cuts) + bool(self.lost))],
        }

    def shares(self, c: tuple[int, ...]) -> list[int]:
        return [sum(w * n for w, n in zip(weights, c, strict=True)) // d for weights, d in self.cuts]

    def paid(self, c: tuple[int, ...], given: dict[str, Any]) -> int:
        found = sum(p * n for p, n in zip(given["kinds"], c, strict=True))
        return found - sum(due * share for due, share in zip(given["cuts"], self.shares(c), strict=False))

    def most_paid(self, given: dict[str, Any]) -> int:
        """By all records together; suppressed ones pay the last due at most so often."""
        return self.paid(tuple(self.counts), given) - (given["cuts"][-1] * self.lost if self.lost else 0)

    def alone(self, kind: int, given: dict[str, Any], cost: int) -> int:
        """r of a suppressed record."""
        return self.scale * cost - given["kinds"][kind] + given["cuts"][-1]

    def tree(self, found: list[tuple[int, ...]], depth: int) -> list[dict[str, Any]]:
        single = [kind for kind, n in enumerate(self.counts) if n == 1]
        some = ["pair"] * (len(single) > 1) + ["class"] * bool(found) + ["record"] * bool(self.lost)
        if not depth or not some or self.draw.random() < 0.3:
            return [{**self.prices(), "empty": self.draw.random() < 0.15}]
        kind = self.draw.choice(some)
        branch: dict[str, Any] = {"pair": self.draw.sample(single, 2)} if kind == "pair" else {}
        if kind == "class":
            held = self.draw.choice(found)
            branch = {"class": [i for i, n in enumerate(held) for _ in range(n)], "most": self.draw.choice([0, 0, 1])}
        elif kind == "record":
            branch = {"record": self.draw.randrange(len(self.numbers)), "most": self.draw.choice([0, 0, 1])}
        return [branch, *self.tree(found, depth - 1), *self.tree(found, depth - 1)]

    def shown(self, entries: list[dict[str, Any]], box: dict[Any, tuple[int, int]]) -> float:
        """What S times the cost in a box is shown to be at least; ∞ if it is shown to be empty."""
        entry = entries.pop(0)
        if "pair" in entry:
            i, j = entry["pair"]
            held = {z: (z == i, z == j) if isinstance(z, int) else (z[i] > 0, z[j] > 0) for z in box}
            apart = {z: (low, 0 if all(held[z]) else high) for z, (low, high) in box.items()}
            with_each_other = {z: (low, 0 if sum(held[z]) == 1 else high) for z, (low, high) in box.items()}
            return min(self.shown(entries, apart), self.shown(entries, with_each_other))
        if "most" in entry:
            z: Any = entry.get("record")
            if z is None:
                z = tuple(entry["class"].count(kind) for kind in range(len(self.numbers)))
            low, high = box[z]
            first = {**box, z: (low, min(high, entry["most"]))}
            second = {**box, z: (max(low, entry["most"] + 1), high)}
            return min(self.shown(entries, first), self.shown(entries, second))
        if any(low > high for low, high in box.values()):
            return math.inf
        total = self.most_paid(entry)
        for z, (low, high) in box.items():
            cost = 0 if entry["empty"] else self.unit if isinstance(z, int) else self.cost(z)
            r = self.alone(z, entry, cost) if isinstance(z, int) else self.scale * cost - self.paid(z, entry)
            if isinstance(z, int):
                one = tuple(int(kind == z) for kind in range(len(self.numbers)))
                r += sum(due * share for due, share in zip(entry["cuts"], self.shares(one), strict=False))
            total += min(r * low, r * high)
        return (math.inf if total > 0 else -math.inf) if entry["empty"] else total

    def proof(self) -> tuple[dict[str, Any], float]:
        """A proof, and more than which S·(bound − 1) may not be."""
        given = self.prices()
        r = {c: self.scale * self.cost(c) - self.paid(c, given) for c in self.every}
        limit = self.draw.choice([-1, 0, 3, *([max(-1, self.draw.choice(list(r.values())))] if r else [])])
        found = [c for c in self.every if r[c] <= limit]
        least = min([0, *(r[c] for c in found)])
        base = self.most_paid(given)
        if self.lost:
            base += sum(min(0, self.alone(i, given, self.unit)) * min(n, self.lost) for i, n in enumerate(self.counts))
        most = self.records // self.k
        tree = self.draw.choice([None, self.tree(found, 2), self.tree(found, 3)])
        reached: float = base + most * least
        if tree is not None:
            box: dict[Any, tuple[int, int]] = {
                c: (0, min(n // m for n, m in zip(self.counts, c, strict=True) if m)) for c in found
            }
            box |= {i: (0, min(n, self.lost)) for i, n in enumerate(self.counts) if self.lost}
            reached = min(base + (most - 1) * least + limit + 1, self.shown(list(tree), box))
        cuts = [
            {"weights": [[kind, w] for kind, w in enumerate(weights) if w], "divisor": divisor}
            for weights, divisor in self.cuts
        ]
        return {"prices": given, "limit": limit, "tree": tree, "cuts": cuts}, reached


def halves(many: int) -> list[tuple[str, int]]:
    """Alike records may have different sensitive values, of which nothing is asked."""
    return [("text:s", many)] if many == 1 else [("text:s", many - 1), ("text:u", 1)]


@pytest.mark.long
@pytest.mark.parametrize("cases", [700, pytest.param(4_000, marks=pytest.mark.slow)])
def test_a_proof_is_accepted_if_its_definition_says_so_and_only_then(cases: int) -> None:
    draw, told = random.Random(60), Counter[bool]()
    for _ in range(cases):
        drawn = Drawn(draw)
        proof, reached = drawn.proof()
        whole, gone = [kind for kind, n in enumerate(drawn.counts) for _ in range(n)], draw.randint(0, drawn.lost)
        whole = whole[: max(drawn.k, len(whole) - gone)]
        cost = drawn.cost(tuple(whole.count(kind) for kind in range(len(drawn.numbers))))
        cost += (drawn.records - len(whole)) * drawn.unit
        near = int(reached // drawn.scale) + draw.choice([0, 1, 1, 2]) if abs(reached) < math.inf else cost
        bound = max(0, min(cost, near))
        of = [(f"text:{x}", s, n) for x, m in zip(drawn.numbers, drawn.counts, strict=True) for s, n in halves(m)]
        counts = {(x, s): n for x, s, n in of}
        nodes = Nodes(Counts.of(["x", "s"], counts), {"x": None}, ["text:s", "text:u"])
        given = {
            "values": ["text:s", "text:u"],
            "attributes": [{"kind": "numeric", "range": [str(drawn.numbers[0]), str(drawn.numbers[-1])]}],
            "loss": "ncp",
            "unit": drawn.unit,
            "suppressed": drawn.lost,
            "kinds": [[str(x)] for x in drawn.numbers],
            "classes": [whole],
            "value": number_text(Fraction(cost, drawn.unit)),
            "bound": number_text(Fraction(bound, drawn.unit)),
            "scale": drawn.scale,
            **proof,
        }
        if draw.random() < 0.1:
            given |= dict.fromkeys(("classes", "value", "bound"))
            bound = drawn.records * drawn.unit + 1
        conditions = Conditions(
            [{"condition": "records", "least": drawn.k}], ["text:s", "text:u"], nodes.reference.tolist()
        )
        try:
            check_partition(nodes, conditions, given)
        except CertificateError:
            found = False
        else:
            found = True
        assert found == (reached > drawn.scale * (bound - 1)), (vars(drawn), given, reached)
        told[found] += 1
    assert min(told.values()) > cases / 10


def test_what_is_larger_than_is_checked_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"prices": {"kinds": [9] * 4, "cuts": []}}
    pairs, found = [[0, 1], [2, 3]], 2 * 4  # each with r = 2 looked for, times the kinds
    leaf = [{"kinds": [8] * 4, "cuts": [], "empty": False}]
    for limit, most, read in (("_MOST_CELLS", 4 * 5, True), ("_MOST_CELLS", 4 * 5 - 1, False)):
        monkeypatch.setattr(partition, limit, most)
        if read:
            assert by_hand((1, 2, 5, 6), pairs, PAIRS, "abab", **given)
        else:
            with pytest.raises(InputError, match="are not checked"):
                by_hand((1, 2, 5, 6), pairs, PAIRS, "abab", **given)
    monkeypatch.undo()
    for most in (found, found - 1):
        monkeypatch.setattr(partition, "_MOST_FOUND", most)
        if most == found:
            assert by_hand((1, 2, 5, 6), pairs, PAIRS, "abab", limit=2, tree=leaf, **given)
        else:
            with pytest.raises(InputError, match="too many classes"):
                by_hand((1, 2, 5, 6), pairs, PAIRS, "abab", limit=2, tree=leaf, **given)


def test_a_due_of_a_cut_that_nothing_shares_is_of_any_size() -> None:
    for due in (1, 2**63, 2**100):
        prices, cuts = {"kinds": [11, 10, 6, 6], "cuts": [due]}, [{"weights": [[0, 1]], "divisor": 5}]
        assert by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", prices=prices, cuts=cuts)


@pytest.mark.long
def test_values_that_do_not_occur_take_no_room_of_every_kind() -> None:
    """A thousand kinds and a million values: a number for each pair of them would fill any memory."""
    values = [f"text:{v}" for v in range(10**6)]
    counts = Counts.of(["x", "s"], {(f"text:{x}", values[x]): 1 for x in range(1000)})
    nodes = Nodes(counts, {"x": None}, values)
    conditions = Conditions([{"condition": "values", "least": 2}], values, nodes.reference.tolist())
    kinds = partition._Kinds(nodes, conditions, [[str(x), values[x]] for x in reversed(range(1000))])
    groups = np.zeros((2, 1000), dtype=np.int64)
    groups[0, 5], groups[1, 5:7] = 1, 1
    assert kinds.satisfying(groups).tolist() == groups[1:].tolist()


def test_the_work_of_cuts_branches_and_leaves_is_added_up() -> None:
    """Ten classes of two or three of four records; three hold the first two, and six one of them."""
    prices = {"kinds": [8] * 4, "cuts": [0]}
    given: dict[str, Any] = {
        "prices": prices,
        "cuts": [{"weights": [[0, 1]], "divisor": 2}],
        "limit": 10**4,
        "tree": [{"pair": [0, 1]}, {**prices, "empty": False}, {**prices, "empty": False}],
    }
    units = 2000 * 4 * 4 + 10_000 * 1 * 4 + 2 * 5 * (10 + 1000) + (10 + 7 + 4) * (4 + 10 + 100) + 2 * 1000
    work = Work(10**6)
    assert by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", work, **given)
    assert 10**6 - work.left == units
    with pytest.raises(InputError, match="too long"):
        by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", Work(units - 1), **given)


def test_what_is_found_of_a_partition_is_said_as_it_is() -> None:
    pairs, eight = [[0, 1], [2, 3]], {"kinds": [8] * 4, "cuts": []}
    given: dict[str, Any] = {"prices": eight}
    of = "2 classes of 4 records"
    assert said((1, 2, 5, 6), pairs, PAIRS, "abab", **given) == f"{of}; ncp (x over 1 to 6) = 4/5, the least"
    for bound in ("3/5", "0"):
        found = said((1, 2, 5, 6), pairs, PAIRS, "abab", **given, bound=bound)
        assert found == f"{of}; ncp (x over 1 to 6) = 4/5, and none loses less than {bound}"
    lost: dict[str, Any] = {"suppressed": 2, "prices": {"kinds": [8] * 4, "cuts": [0]}}
    assert (
        said((1, 2, 5, 6), pairs, PAIRS, "abab", **lost) == f"{of}, 0 suppressed; ncp (x over 1 to 6) = 4/5, the least"
    )
    one = {"value": "12/5", "bound": "4/5"}  # two pairs again, of which one is suppressed
    found = said((1, 2, 5, 6), pairs[:1], PAIRS, "abab", **lost, **one)
    assert found == "1 class of 4 records, 2 suppressed; ncp (x over 1 to 6) = 12/5, and none loses less than 4/5"
    sizes: dict[str, Any] = {"loss": "class-size", "attributes": [], "unit": 1, "value": "2", "bound": "2"}
    prices = {"kinds": [-3] * 4, "cuts": []}
    assert said((1, 2, 5, 6), pairs, PAIRS, "abab", **sizes, prices=prices) == f"{of}; class-size = 2, the least"
    none: dict[str, Any] = {"value": None, "bound": None, "prices": {"kinds": [51, 50, 50, 50], "cuts": []}}
    found = said((1, 2, 5, 6), None, [{"condition": "values", "least": 3}], "abab", **none)
    none["prices"] = {"kinds": [50] * 4, "cuts": []}  # no more than all records lose that are suppressed
    assert not by_hand((1, 2, 5, 6), None, [{"condition": "values", "least": 3}], "abab", **none)
    assert found == "no classes of 4 records satisfy the model, with at most 0 of them suppressed"


@pytest.mark.parametrize(("suppressed", "read"), [(0, True), (3, True), (4, False), (5, False), (-1, False)])
def test_at_most_all_records_but_one_are_suppressed(suppressed: int, read: bool) -> None:
    given: dict[str, Any] = {"suppressed": suppressed, "bound": "0"}
    given["prices"] = {"kinds": [0] * 4, "cuts": [0] if suppressed else []}
    if read:
        assert by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", **given)
    else:
        with pytest.raises(InputError, match="suppressed is"):
            by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", **given)


def test_by_a_loss_that_suppression_lowers_none_is_suppressed() -> None:
    given: dict[str, Any] = {"loss": "class-size", "attributes": [], "unit": 1, "value": "2", "bound": "2"}
    for suppressed, cuts in ((0, []), (1, [0]), (3, [0])):
        prices = {"kinds": [-3] * 4, "cuts": cuts}
        if suppressed:
            with pytest.raises(InputError, match="none is suppressed"):
                by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", **given, prices=prices, suppressed=suppressed)
        else:
            assert by_hand((1, 2, 5, 6), [[0, 1], [2, 3]], PAIRS, "abab", **given, prices=prices)


def test_classes_are_asked_in_parts_and_each_is_accounted_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five groups of three kinds, of two values."""
    counts = Counts.of(["x", "s"], {("text:1", "text:a"): 2, ("text:2", "text:b"): 1, ("text:3", "text:a"): 1})
    groups = np.array([[1, 0, 0], [1, 1, 0], [2, 0, 1], [0, 1, 1], [0, 0, 1]])
    for model, many, right in (
        ([{"condition": "values", "least": 2}], 2, [1, 3]),
        ([{"condition": "records", "least": 2}], 1, [1, 2, 3]),
    ):
        names = [["1", "text:a"], ["2", "text:b"], ["3", "text:a"]] if many == 2 else [["1"], ["2"], ["3"]]
        for together, parts in ((1, 5), (2 * many, 3), (4 * many, 2), (5 * many, 1), (2**22, 1)):
            nodes = Nodes(counts, {"x": None}, ["text:a", "text:b"])
            conditions = Conditions(model, nodes.values, nodes.reference.tolist())
            kinds = partition._Kinds(nodes, conditions, names)
            with monkeypatch.context() as patch:
                patch.setattr(partition, "_MOST_CELLS", together)
                conditions.work = Work(10**6)
                assert kinds.satisfying(groups).tolist() == groups[right].tolist()
            assert 10**6 - conditions.work.left == 10 * 15 + 1000 * parts + 5 * 5 * many


class Costs:
    """What classes cost: eleven a record, and so much is lost by one that is suppressed."""

    lost = 7

    def of(self, groups: Any) -> list[int]:
        return [11 * int(n) for n in groups.sum(axis=1)]


def test_reduced_costs_are_exact_and_accounted_for_however_long_they_are() -> None:
    counts = Counts.of(["x", "s"], {("text:1", "text:a"): 2, ("text:2", "text:a"): 1, ("text:3", "text:a"): 3})
    nodes = Nodes(counts, {"x": None}, ["text:a"])
    conditions = Conditions([{"condition": "records", "least": 1}], nodes.values, nodes.reference.tolist())
    kinds = partition._Kinds(nodes, conditions, [["1"], ["2"], ["3"]])
    cuts = [{"weights": [[0, 1], [2, 2]], "divisor": 3}, {"weights": [[1, 1]], "divisor": 1}]
    groups = np.array([[1, 0, 3], [2, 1, 0], [0, 0, 0]])
    for scale, long in ((1, False), (2**50, False), (2**57, True), (2**90, True)):
        for dues in ([0, 0], [scale, 0], [2, scale]):
            work = Work(10**9)
            rows = partition._Rows(kinds, Costs(), 0, scale, cuts, work)  # type: ignore[arg-type]
            assert rows.most == [(2 + 6) // 3, 1]
            left = work.left
            prices = [scale, -3, 2 * scale + 1]
            found = rows.reduced(groups, prices, dues).tolist()
            paid = [prices[0] + 3 * prices[2], 2 * prices[0] + prices[1], 0]
            shared = [dues[0] * (7 // 3), dues[0] * (2 // 3) + dues[1] * 1, 0]
            assert found == [44 * scale - paid[0] + shared[0], 33 * scale - paid[1] + shared[1], 0]
            assert left - work.left == 3 * (3 * (sum(map(bool, dues)) + (50 if long else 1)) + 10 * 2 + 100)
            total = 2 * prices[0] + prices[1] + 3 * prices[2] - 2 * dues[0] - dues[1]
            assert rows.base(prices, dues) == total
