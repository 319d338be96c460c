"""Certificates of sensitive values shown as nodes, against trying every way to show each class of small tables."""

from __future__ import annotations

import itertools
import json
import math
import random
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from experiments.adult_hierarchies import occupation_groups
from experiments.studies.suppress_or_hide import tables as studied
from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from tcloseness.certificates import check, generalization, read_certificate, seal, verify
from tcloseness.certificates.branches import Steps
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.generalization import (
    NO_GENERALIZATION,
    Distance,
    Showing,
    check_generalization,
    shown_of,
)
from tcloseness.errors import CertificateError, InputError, NotCertified
from tcloseness.ground import Matrix
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import KAnonymity, TCloseness
from tcloseness.models.certified import CertifiedTable
from tcloseness.optimal import (
    Feasible,
    Infeasible,
    Optimal,
    certify,
    optimal_cut,
    optimal_sensitive_generalization,
    shown_values,
)
from tcloseness.optimal.tree import Searched
from tcloseness.release import Release

pytestmark = pytest.mark.solver

PLACES = Hierarchy([("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")], name="a")
FILES = {"a": ("a.csv", "".join(",".join(path) + "\n" for path in PLACES.paths).encode())}
ILLS = Hierarchy(
    [("flu", "lung", "*"), ("cough", "lung", "*"), ("ulcer", "gut", "*"), ("reflux", "gut", "*")], name="ill"
)
RAGGED = Hierarchy(
    [("flu", "one", "lung", "*"), ("cough", "lung", "*"), ("ulcer", "*"), ("reflux", "*"), ("rash", "*")],
    ragged="keep",
    name="ill",
)
WEIGHTS = ("ncp", "lm", "height")


def frame_of(rng: random.Random, most: int = 8) -> pd.DataFrame:
    rows = rng.randint(2, most)
    ills = rng.sample(["flu", "cough", "ulcer", "reflux"], rng.randint(2, 4))
    return pd.DataFrame({"a": [rng.choice("123") for _ in range(rows)], "ill": [rng.choice(ills) for _ in range(rows)]})


def counted(frame: pd.DataFrame) -> FrequencySet:
    order = {"ill": sorted(frame["ill"].unique())}
    return FrequencySet.from_frame(frame, quasi_identifiers="a", sensitive="ill", orders=order)


def release_of(frame: pd.DataFrame, level: int) -> Release:
    return Release.full_domain(counted(frame), {"a": PLACES}, {"a": level})


def table_of(frame: pd.DataFrame) -> CertifiedTable:
    return CertifiedTable.of(counted(frame), "ill", {"a": PLACES})


def solved(frame: pd.DataFrame, level: int, model: Any, tree: Hierarchy, weight: Any = "ncp", **more: Any) -> Any:
    return optimal_sensitive_generalization(release_of(frame, level), model, tree, weight=weight, **more)


def checked(record: dict[str, Any], table: CertifiedTable) -> str:
    record = {**record, "sha256": seal(record)}
    return check(read_certificate(json.dumps(record)), table.counts, table.levels)


# ---------------------------------------------------------------------- what is so, by trying everything


def node_cost(tree: Hierarchy, leaves: frozenset[Any], loss: str, label: str) -> Fraction:
    size, width = len(tree.paths), len(leaves)
    top = max(map(len, tree.paths)) - 1
    if loss == "height":
        return Fraction(max(path.index(label) for path in tree.paths if label in path), top)
    return {"ncp": Fraction(width, size), "lm": Fraction(width - 1, size - 1)}[loss]


def ways(count: int, among: int) -> Iterator[tuple[int, ...]]:
    if among == 1:
        yield (count,)
        return
    for first in range(count + 1):
        for rest in ways(count - first, among - 1):
            yield first, *rest


class Truth:
    """Of a table at a level: the costs of all ways to show each class that are within t, with what is shown."""

    def __init__(self, frame: pd.DataFrame, level: int, distances: list[Any], tree: Hierarchy, loss: str) -> None:
        self.values = sorted(frame["ill"].unique())
        self.reference = [int((frame["ill"] == value).sum()) for value in self.values]
        path_of = {path[0]: path for path in PLACES.paths}
        labels = [path_of[place][level] for place in frame["a"]]
        self.classes = Counter[tuple[int, ...]]()
        for label in sorted(set(labels)):
            inside = frame["ill"][[each == label for each in labels]]
            self.classes[tuple(int((inside == value).sum()) for value in self.values)] += 1
        below: dict[str, frozenset[Any]] = {}
        for path in tree.paths:
            for label in path:
                below[label] = below.get(label, frozenset()) | {path[0]}
        mass = {
            label: sum(q for v, q in zip(self.values, self.reference, strict=True) if v in below[label])
            for label in below
        }
        self.nodes = [
            [None, *(label for label in path if len(below[label]) > 1 and mass[label])]
            for path in tree.paths
            for value in self.values
            if path[0] == value
        ]
        self.nodes = [
            next(
                [None, *(label for label in path if len(below[label]) > 1 and mass[label])]
                for path in tree.paths
                if path[0] == value
            )
            for value in self.values
        ]
        self.cost = {label: node_cost(tree, below[label], loss, label) for label in below}
        self._below, self._mass, self._distances = below, mass, distances
        self.least = cache(self._least)

    def read(self, way: tuple[tuple[int, ...], ...]) -> list[Fraction]:
        """What a reader takes a class for."""
        p = [Fraction(0)] * len(self.values)
        for v, shown in enumerate(way):
            for node, records in zip(self.nodes[v], shown, strict=True):
                if node is None:
                    p[v] += records
                else:
                    for w, value in enumerate(self.values):
                        if value in self._below[node]:
                            p[w] += Fraction(records * self.reference[w], self._mass[node])
        return [x / sum(p) for x in p]

    def close(self, p: list[Fraction]) -> bool:
        q = [Fraction(x, sum(self.reference)) for x in self.reference]
        return all(emd(p, q, ground) <= t for t, ground in self._distances)

    def cost_of(self, way: tuple[tuple[int, ...], ...]) -> Fraction:
        return sum(
            (
                self.cost[node] * records
                for v, shown in enumerate(way)
                for node, records in zip(self.nodes[v], shown, strict=True)
                if node is not None
            ),
            Fraction(0),
        )

    def _least(self, counts: tuple[int, ...]) -> Fraction:
        every = itertools.product(*(list(ways(n, len(self.nodes[v]))) for v, n in enumerate(counts)))
        priced = sorted(((self.cost_of(way), way) for way in every), key=lambda each: each[0])
        return next(cost for cost, way in priced if self.close(self.read(way)))

    @property
    def optimum(self) -> Fraction:
        return sum((many * self.least(counts) for counts, many in self.classes.items()), Fraction(0))


def emd(p: list[Fraction], q: list[Fraction], ground: str) -> Fraction:
    """Equal, or ordered by name: by the papers' closed forms."""
    if ground == "equal":
        return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2
    ahead = list(itertools.accumulate(a - b for a, b in zip(p, q, strict=True)))
    return sum(map(abs, ahead), Fraction(0)) / max(len(p) - 1, 1)


def asked(rng: random.Random) -> tuple[Any, list[Any]]:
    """A model, and the distances that it asks for."""
    t, ground = Fraction(rng.randint(0, 5), 10), rng.choice(["equal", "ordered"])
    model: Any = TCloseness(t, ground=ground)
    distances: list[Any] = [(t, ground)]
    if rng.random() < 0.3:
        model, distances = model & TCloseness("1/2", ground="equal"), [*distances, (Fraction(1, 2), "equal")]
    return (KAnonymity(1) & model if rng.random() < 0.3 else model), distances


@pytest.mark.parametrize("tables", [12, pytest.param(500, marks=pytest.mark.slow)])
def test_every_way_to_show_values_is_proved_from_the_files_alone(tables: int) -> None:
    rng, seen = random.Random("shown"), Counter[Any]()
    for _ in range(tables):
        frame, level, tree = frame_of(rng), rng.choice([0, 1, 2]), rng.choice([ILLS, RAGGED])
        (model, distances), loss = asked(rng), rng.choice(WEIGHTS)
        answer = solved(frame, level, model, tree, loss)
        assert isinstance(answer, Optimal)
        assert answer.proof.endswith(", checked")
        truth = Truth(frame, level, distances, tree, loss)
        text = answer.certificate().to_json()
        proof = json.loads(text)["proof"]
        assert Fraction(proof["value"]) == Fraction(proof["bound"]) == answer.objective == truth.optimum
        found = verify(text, frame.to_csv(index=False).encode(), FILES).found
        many = sum(truth.classes[tuple(each["counts"])] for each in proof["classes"])
        which = "1 class violates" if many == 1 else f"{many} classes violate"
        said = f"shown at {loss} = {proof['value']}, and no way costs less"
        assert found == f"{which} at the node [{level}]; {said}"
        seen["violating"] += len(proof["classes"])
        seen["split"] += sum(len(each["tree"]) > 1 for each in proof["classes"])
    assert min(seen["violating"], seen["split"]) > 2


def states_something_true(proof: dict[str, Any], truth: Truth) -> bool:
    """Whether a certificate with another proof says what is so: a way at this cost is there, and none is cheaper."""
    cost = Fraction(0)
    for entry in proof["classes"]:
        counts = tuple(entry["counts"])
        numbers = sorted({node for each in truth.nodes for node in each if node}, key=lambda n: (n != "*", n != "lung"))
        way = [[0] * len(each) for each in truth.nodes]
        for v, node, records in entry["shown"]:
            way[v][0 if node is None else truth.nodes[v].index(numbers[node])] += records
        if [sum(shown) for shown in way] != list(counts) or not truth.close(truth.read(tuple(map(tuple, way)))):
            return False
        cost += truth.classes[counts] * truth.cost_of(tuple(map(tuple, way)))
    return str(cost) == proof["value"] and Fraction(proof["bound"]) <= truth.optimum


FIVE = pd.DataFrame(
    {"a": list("1112223331"), "ill": ["flu", "flu", "cough", "ulcer", "cough", "flu", "ulcer", "ulcer", "flu", "flu"]}
)


def proved(loss: str = "ncp", t: str = "1/10", level: int = 1) -> tuple[dict[str, Any], Truth, CertifiedTable]:
    answer = solved(FIVE, level, TCloseness(t, ground="equal"), RAGGED, loss)
    return (
        answer.certificate().to_dict(),
        Truth(FIVE, level, [(Fraction(t), "equal")], RAGGED, loss),
        table_of(FIVE),
    )


@pytest.mark.long
@pytest.mark.parametrize("mutants", [300, pytest.param(8000, marks=pytest.mark.slow)])
def test_no_changed_proof_is_accepted_that_says_what_is_not_so(mutants: int) -> None:
    rng, accepted, refused = random.Random("changed"), 0, 0
    given = [proved(loss, t, level) for loss, t, level in (("ncp", "1/10", 1), ("lm", "1/5", 0), ("height", "0", 1))]
    for _ in range(mutants):
        record, truth, table = rng.choice(given)
        proof = changed(rng, record["proof"])
        try:
            checked({**record, "proof": proof}, table)
        except CertificateError:
            refused += 1
            continue
        accepted += 1
        if proof["hierarchy"] == record["proof"]["hierarchy"] and proof["node"] == record["proof"]["node"]:
            assert states_something_true(proof, truth), proof
    assert refused > accepted > 0


def test_whatever_stands_in_a_place_a_certificate_is_refused_or_true() -> None:
    rng, (record, truth, table) = random.Random("odd"), proved()
    given = record["proof"]
    ways_there = places_of(given)
    for way in ways_there:
        for odd in rng.sample([*ODD, -(2**300), 2**300, 2**60, "ncp", "lm", [2, "*"], {"prices": []}], 2):
            proof = with_at(given, way, odd)
            try:
                checked({**record, "proof": proof}, table)
            except CertificateError:
                continue
            if way[0] not in ("hierarchy", "node"):
                assert states_something_true(proof, truth), (way, odd)
    assert len(ways_there) > 100


def case_of(showing: Showing, counts: Any, scale: int, entry: Any, case: Any) -> int | None:
    """What one case costs at least; None if nothing is in it."""
    numbered = None
    for cell, side in reversed(list(Steps.to(case))):
        numbered = Steps(numbered, showing._cells[cell], side)
    found = showing._least_totals(np.array(counts), sum(counts), scale, [(entry, numbered)])
    return math.ceil(Fraction(found[0] * showing.unit, scale)) if found else None


@pytest.mark.parametrize("machine_words", [True, False])
def test_a_case_costs_at_least_what_its_potential_and_prices_say(
    machine_words: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By trying all counts within the case, in fractions: the checker's whole number is the next one above.

    Of a small scale each price at a node and each expectation is a whole number of it, on the safe side.
    """
    if not machine_words:
        monkeypatch.setattr(generalization, "INT64_MAX", 0)
    rng, (record, truth, table) = random.Random("cases"), proved()
    conditions = Conditions(
        [{**record["model"][0], "t": "3/10"}], record["proof"]["values"], table.nodes.reference.tolist()
    )
    showing = Showing(conditions, record["proof"]["hierarchy"], "ncp")
    number, seen = {"*": 0, "lung": 1}, Counter[bool]()
    q = [Fraction(x, sum(truth.reference)) for x in truth.reference]
    under = {0: [0, 1, 2], 1: [0, 1]}
    for _ in range(300):
        counts = tuple(rng.randint(0, 4) for _ in truth.values)
        size, scale = sum(counts), rng.choice([10**12, 1, 2, 3, 7])
        down, up = (math.floor, math.ceil) if scale < 10 else (Fraction, Fraction)
        u, nu = ([rng.randint(-2 * scale, 2 * scale) for _ in range(m)] for m in (3, 2))
        low, high = {}, {}
        case = None
        some = [(v, a) for v in (None, 0, 1, 2) for a in ([0, 1] if v is None else [None, *showing.above[v]])]
        some = rng.sample(some, 2)
        for _ in range(rng.choice([0, 1, 2, 3, 4])):
            v, node = rng.choice(some)
            most, more = rng.randint(0, 3), rng.random() < 0.5
            case = Steps(case, (v, node), (most + 1, 2**53) if more else (0, most))
            if more:
                low[v, node] = max(low.get((v, node), 0), most + 1)
            else:
                high[v, node] = min(high.get((v, node), 99), most)

        def ends(key: Any, n: int, low: Any = low, high: Any = high) -> tuple[int, int]:
            return low.get(key, 0), min(n, high.get(key, n))

        price = {None: 0} | {
            a: down(
                showing.costs[a] * Fraction(scale, showing.unit)
                + sum(q[w] * u[w] for w in under[a]) / sum(q[w] for w in under[a])
            )
            - nu[a]
            for a in under
        }
        expected = sum(a * b for a, b in zip(q, u, strict=True))
        total = Fraction(-up(size * expected) - up(size * (max(u) - min(u)) * Fraction(3, 10)))
        empty = False
        for a in under:
            least, most = ends((None, a), size)
            empty |= least > most
            total += min(nu[a] * least, nu[a] * most)
        for v, n in enumerate(counts):
            places = [None if each is None else number[each] for each in truth.nodes[v]]
            inside = [
                sum(records * (u[v] if a is None else price[a]) for a, records in zip(places, way, strict=True))
                for way in ways(n, len(places))
                if all(
                    least <= r <= most for r, (least, most) in zip(way, (ends((v, a), n) for a in places), strict=True)
                )
            ]
            empty |= not inside
            total += min(inside, default=0)
        entry = {"potentials": [u], "prices": nu}
        found = case_of(showing, counts, scale, entry, case)
        assert found == (None if empty else math.ceil(total * showing.unit / scale))
        seen[empty] += 1
        v, node = rng.choice(some)
        parts = [case_of(showing, counts, scale, entry, Steps(None, (v, node), side)) for side in ((0, 1), (2, 2**53))]
        split = [{"value": v, "node": node, "most": 1}, entry, entry]
        assert showing.least(counts, scale, split) == min((x for x in parts if x is not None), default=None)
    assert min(seen.values()) > 15


def test_numbers_at_the_limit_of_machine_words_are_added_up_as_long_ones_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Around the greatest price that is taken for narrow, of large classes, several distances and large weights."""
    rng, near = random.Random("words"), Counter[bool]()
    values, q = [f"text:{v}" for v in "abcd"], [3, 0, 5, 2]
    paths = [["a", "e", "z"], ["b", "e", "z"], ["c", "f", "z"], ["d", "f", "z"]]
    grounds: list[Any] = [{"name": "equal", "m": 4}, {"name": "ordered-by-value", "values": ["0", "1", "7", "2000"]}]
    for _ in range(200):
        model = [{"condition": "distance", "t": t, "ground": rng.choice(grounds)} for t in ("0", "2/7")]
        many = 10 ** rng.choice([0, 3, 6])
        conditions = Conditions(model[: rng.randint(0, 2)], values, [c * many for c in q])
        showing = Showing(conditions, paths, rng.choice(WEIGHTS))
        counts = [rng.randint(0, 9) * 10 ** rng.choice([0, 2, 4]) for _ in values]
        size, scale = sum(counts), 2 ** rng.choice([1, 20, 40])
        most = showing._greatest(size, scale)
        cases = []
        for _ in range(5):
            largest = max(most + rng.choice([-1, 0, 1]), 1)

            def numbers(many: int, largest: int = largest) -> list[int]:
                return [rng.choice([largest, -largest, 0, rng.randint(-largest, largest)]) for _ in range(many)]

            entry = {"potentials": [numbers(4) for _ in conditions.model], "prices": numbers(len(showing.costs))}
            case = None
            for _ in range(rng.randint(0, 2)):
                cell, least = rng.randrange(len(showing._cells)), rng.randint(0, size + 1)
                case = Steps(case, cell, rng.choice([(0, least), (least, 2**53)]))
            every = [n for each in (*entry["potentials"], entry["prices"]) for n in each]
            near[max(map(abs, every)) <= most] += 1
            cases.append((entry, case))
        found = sorted(showing._least_totals(np.array(counts), size, scale, cases))
        with monkeypatch.context() as patched:
            patched.setattr(generalization, "INT64_MAX", 0)
            assert found == sorted(showing._least_totals(np.array(counts), size, scale, cases))
    assert min(near.values()) > 100


def test_machine_words_add_up_what_is_documented_to_have_room_in_them_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bound of all numbers by each potential or price, written anew, is the largest word, or one above it."""
    rng = random.Random("room")
    paths = [["a", "e", "z"], ["b", "e", "z"], ["c", "f", "z"], ["d", "z"]]
    grounds: list[Any] = [{"name": "equal", "m": 4}, {"name": "ordered-by-value", "values": ["0", "1", "7", "20"]}]
    kinds: list[Any] = []
    totals = Showing._totals

    def seen(self: Showing, *given: Any) -> list[int]:
        kinds.append(given[3].dtype)
        return totals(self, *given)

    monkeypatch.setattr(Showing, "_totals", seen)
    for _ in range(60):
        model = [
            {"condition": "distance", "t": rng.choice(["0", "1/3", "2/7", "5"]), "ground": rng.choice(grounds)}
            for _ in range(rng.randint(0, 3))
        ]
        several = bool(model) or rng.random() < 0.8
        q = [rng.randint(1, 9) for _ in range(4 if several else 1)]
        conditions = Conditions(model, [f"text:{v}" for v in "abcd"[: len(q)]], q)
        showing = Showing(conditions, paths if several else [["a", "z"]], rng.choice(WEIGHTS))
        counts, scale = [rng.randint(0, 9) for _ in q], 2 ** rng.choice([0, 3, 40])
        n, k, largest = sum(counts), len(model), rng.choice([0, 1, 2, rng.randint(3, 10**9)])
        price = [0] * len(showing.costs)
        entry = {"potentials": [[0] * len(q) for _ in model], "prices": price}
        filled = rng.choice([*entry["potentials"], price])
        if filled:
            filled[rng.randrange(len(filled))] = rng.choice([-1, 1]) * largest
        else:
            largest = 0
        one = max(largest, 1)  # so that t has room too
        dearest = math.floor(scale * max([Fraction(0), *(Fraction(c, showing.unit) for c in showing.costs)]))
        of_prices = [one * 2 * each.denominator * (each.t.numerator or 1) for each in showing.distances]
        of_prices += [one * 3] * k + [one] * len(showing.costs) + [one, one, dearest, dearest, 6]
        of_reference = [one] * k + [showing.unit, showing.unit, n]
        own = [each.denominator for each in (showing.distances[i].t for i in range(k))]
        own += [sum(weight for *_, weight in conditions.cuts(each)[1]) for each in model]
        bound = (n + 1) * sum(of_prices) + sum(q) * sum(of_reference) + sum(own)
        for word, kind in ((bound, np.int64), (bound - 1, object)):
            monkeypatch.setattr(generalization, "INT64_MAX", word)
            showing._least_totals(np.array(counts), n, scale, [(entry, None)])
            assert kinds.pop() == kind


@pytest.mark.parametrize("narrow", [(0,), (1,), (0, 1)])
def test_nothing_is_in_a_case_that_has_no_room_for_the_records_of_one_value(narrow: tuple[int, ...]) -> None:
    conditions = Conditions([{"condition": "records", "least": 1}], ["text:a", "text:b"], [1, 1])
    showing = Showing(conditions, [["a", "c"], ["b", "c"]], "ncp")
    entry = {"potentials": [], "prices": [0] * len(showing.costs)}
    for room in (1, 2, 3):
        case = None
        for v in narrow:
            case = Steps(Steps(case, (v, None), (0, 0)), (v, 0), (0, room))
        assert (case_of(showing, [2, 2], 1, entry, case) is None) is (room < 2)


def test_so_many_values_and_nodes_above_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = Conditions([{"condition": "records", "least": 1}], ["text:a", "text:b"], [1, 1])
    paths = [["a", "c", "z"], ["b", "d", "c", "z"], ["e", "d", "c", "z"]]  # above a: c, z; above b: d too
    for most, right in ((2 * 4, True), (2 * 4 - 1, False)):
        monkeypatch.setattr(generalization, "_MOST_PAIRS", most)
        if right:
            assert Showing(conditions, paths, "ncp").above == [[0, 1], [0, 1, 2]]
        else:
            with pytest.raises(InputError, match="2 values with up to 3 nodes above: too many to check"):
                Showing(conditions, paths, "ncp")


def test_no_class_has_more_records_than_are_checked() -> None:
    conditions = Conditions([{"condition": "records", "least": 1}], ["text:a", "text:b"], [1, 1])
    showing = Showing(conditions, [["a", "*"], ["b", "*"]], "ncp")
    leaf = {"potentials": [], "prices": [2]}
    most = 2**53 // 2  # of a value itself and at one node
    assert showing.least([most - 1, 1], 2, [leaf]) == 0
    with pytest.raises(InputError, match="the records of a class"):
        showing.least([most, 1], 2, [leaf])


@pytest.mark.parametrize("room", [1, 36, 73, 74, 10**6])
def test_as_many_cases_are_looked_at_together_as_have_room_or_one(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One takes 3·3·2 numbers for pairs, 3·3 for what each value is shown as, and 8 + 2 for these and the totals."""
    parts: list[int] = []
    least_totals = Showing._least_totals

    def seen(self: Showing, *given: Any) -> list[int]:
        parts.append(len(given[-1]))
        return least_totals(self, *given)

    record, _, table = proved()
    monkeypatch.setattr(generalization, "_CELLS", room)
    monkeypatch.setattr(Showing, "_least_totals", seen)
    for entry in record["proof"]["classes"]:
        leaf = next(each for each in entry["tree"] if "prices" in each)
        split = {"value": None, "node": 0, "most": 2**53 - 1}  # of which one side is empty
        entry["tree"] = [split] * 4 + entry["tree"] + [leaf] * 4
    cases = [sum("prices" in each for each in entry["tree"]) for entry in record["proof"]["classes"]]
    assert checked(record, table).endswith("and no way costs less")
    together = max(room // 37, 1)
    assert parts == [min(together, many - done) for many in cases for done in range(0, many, together)]
    assert max(cases) > 6


def test_no_bound_is_proved_that_is_too_high_whatever_the_prices_are() -> None:
    """Random potentials, prices and trees for a cost one step above the least."""
    rng, (record, truth, table) = random.Random("too high"), proved()
    conditions = Conditions(record["model"], record["proof"]["values"], table.nodes.reference.tolist())
    showing = Showing(conditions, record["proof"]["hierarchy"], "ncp")
    m, many = len(truth.values), len(showing.costs)
    known = {
        tuple(entry["counts"]): [each for each in entry["tree"] if "prices" in each]
        for entry in record["proof"]["classes"]
    }
    for counts in truth.classes:
        least = truth.least(counts) * showing.unit
        entry = next((each for each in record["proof"]["classes"] if tuple(each["counts"]) == counts), None)
        assert entry is None or showing.least(counts, entry["scale"], entry["tree"]) == least > 0
        for _ in range(150):
            scale, real = rng.choice([1, 7, 1000]), known.get(counts, [])
            if real and rng.random() < 0.7:
                scale = shown_values.SCALE

            def leaf(scale: int = scale, real: Any = real) -> dict[str, Any]:
                base = rng.choice(real) if scale > 1000 else {"potentials": [[0] * m], "prices": [0] * many}
                most = rng.choice([0, scale // 10]) if scale > 1000 else 2 * scale
                potential = [price + rng.randint(-most, most) for price in base["potentials"][0]]
                return {
                    "potentials": [potential],
                    "prices": [price + rng.choice([0, rng.randint(-most, most)]) for price in base["prices"]],
                }

            def tree(depth: int) -> list[Any]:
                if depth == 0 or rng.random() < 0.5:
                    return [leaf()]
                v = rng.choice([None, *range(m)])
                node = rng.randrange(many) if v is None else rng.choice([None, *showing.above[v]])
                return [{"value": v, "node": node, "most": rng.randint(0, 3)}, *tree(depth - 1), *tree(depth - 1)]

            found = showing.least(counts, scale, tree(3))
            assert found is None or found <= least


def test_what_is_shown_is_within_t_or_refused_and_costs_what_its_nodes_do() -> None:
    rng, (record, truth, table) = random.Random("cost"), proved()
    conditions = Conditions(record["model"], record["proof"]["values"], table.nodes.reference.tolist())
    showing = Showing(conditions, record["proof"]["hierarchy"], "ncp")
    number, seen = {"*": 0, "lung": 1}, Counter[bool]()
    for _ in range(200):
        counts = tuple(rng.randint(0, 6) for _ in truth.values)
        if not any(counts):
            continue
        way = tuple(rng.choice(list(ways(n, len(truth.nodes[v])))) for v, n in enumerate(counts))
        shown = [
            [v, None if node is None else number[node], records]
            for v, each in enumerate(way)
            for node, records in zip(truth.nodes[v], each, strict=True)
        ]
        rng.shuffle(shown)
        close = truth.close(truth.read(way))
        seen[close] += 1
        if close:
            assert Fraction(showing.cost(counts, shown, "it"), showing.unit) == truth.cost_of(way)
        else:
            with pytest.raises(CertificateError, match="beyond t"):
                showing.cost(counts, shown, "it")
    assert min(seen.values()) > 30


def test_each_thing_that_a_proof_must_have_is_asked_for() -> None:
    record, _, table = proved()
    given = record["proof"]
    first = given["classes"][0]

    def entry(**changes: Any) -> dict[str, Any]:
        return {"classes": [{**first, **changes}, *given["classes"][1:]]}

    leaf = next(each for each in first["tree"] if "prices" in each)
    v = next(v for v, count in enumerate(first["counts"]) if count)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"value": "1/7"}, "and not 1/7"),
        ({"bound": str(Fraction(given["bound"]) + Fraction(1, 100))}, "it is not shown that no way costs less"),
        ({"loss": "gcp"}, "the loss is 'gcp'"),
        ({"classes": given["classes"][1:]}, "violates and has no entry"),
        ({"classes": [*given["classes"], first]}, "has an entry"),
        ({"hierarchy": given["hierarchy"][1:]}, "not a leaf"),
        ({"hierarchy": [*given["hierarchy"], ["flu", "*"]]}, "a leaf twice"),
        ({"hierarchy": [*given["hierarchy"], ["lung", "*"]]}, "something below it"),
        (entry(shown=first["shown"][1:]), "does not show each record once"),
        (entry(shown=[*first["shown"], [v, None, 1]]), "does not show each record once"),
        (entry(shown=[[v, None, count] for v, count in enumerate(first["counts"])]), "beyond t"),
        (entry(shown=[[0, 9, 1]]), "which is not above it"),
        (entry(shown=[[3, None, 1]]), "is 3; it must be a whole number from 0 to 2"),
        (entry(tree=[]), "ends before"),
        (entry(tree=[*first["tree"], leaf]), "goes on"),
        (entry(scale=0), "scale is 0"),
        (entry(tree=[{"value": None, "node": None, "most": 1}, leaf, leaf]), "which are none"),
        (entry(tree=[{"value": 0, "node": 2, "most": 1}, leaf, leaf]), "node"),
        (entry(tree=[{"value": None, "node": 2, "most": 1}, leaf, leaf]), "node is 2"),
        (entry(tree=[{"value": 3, "node": None, "most": 1}, leaf, leaf]), "value is 3"),
        (entry(tree=[{**leaf, "prices": leaf["prices"][1:]}]), "prices has"),
        (entry(counts=[9, *first["counts"][1:]]), "does not show each record once"),
    ]
    for changes, told in wrong:
        with pytest.raises((CertificateError, InputError), match=told):
            checked({**record, "proof": {**given, **changes}}, table)
    clear = {"counts": [0, 0, 1], "shown": [[2, 0, 1]], "scale": 1, "tree": [leaf]}
    with pytest.raises(CertificateError, match="not there, or satisfy"):
        checked({**record, "proof": {**given, "classes": [*given["classes"], clear]}}, table)
    share = {"condition": "share", "most": "1/2", "values": None}
    with pytest.raises(CertificateError, match="a generalized value has no count"):
        checked({**record, "model": [*record["model"], share]}, table)
    small = {"condition": "records", "least": 4}  # of 7 and 3
    with pytest.raises(CertificateError, match="too few records"):
        checked({**record, "model": [*record["model"], small]}, table)


def test_a_class_that_is_too_small_is_the_witness_that_nothing_helps() -> None:
    answer = solved(FIVE, 1, KAnonymity(4) & TCloseness("1/10", ground="equal"), ILLS)
    assert isinstance(answer, Infeasible)
    record, table = answer.certificate().to_dict(), table_of(FIVE)
    assert (record["format"], record["proof"]["class"]) == (NO_GENERALIZATION, ["high"])
    assert "the class high of the node [1]" in checked(record, table)
    for odd in ("low", "*", "nowhere"):
        with pytest.raises(CertificateError):
            checked({**record, "proof": {**record["proof"], "class": [odd]}}, table)
    far = {**record, "model": [each for each in record["model"] if each["condition"] == "distance"]}
    with pytest.raises(CertificateError, match="does not violate"):
        checked(far, table)


def test_what_is_known_in_time_is_certified_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = Truth(FIVE, 1, [(Fraction(1, 10), "equal")], RAGGED, "ncp")
    model = TCloseness("1/10", ground="equal")
    late = solved(FIVE, 1, model, RAGGED, time_limit=1e-9)
    assert isinstance(late, Feasible)
    assert late.bound == 2 * Fraction(2, 5)  # two classes violate; flu and cough are two leaves of five
    assert checked(late.certificate().to_dict(), table_of(FIVE)).endswith(f"costs less than {late.bound}")
    some, seen = shown_values.search_tree, set()
    for nodes in (1, 2, 4, None):
        monkeypatch.setattr(shown_values, "search_tree", lambda *a, nodes=nodes, **b: some(*a, **{**b, "nodes": nodes}))
        found = solved(FIVE, 1, model, RAGGED)  # what is left open is found by a solver, and is not proved
        seen.add(type(found))
        assert found.objective == truth.optimum
        if isinstance(found, Feasible):
            assert 0 < found.bound < truth.optimum
            assert checked(found.certificate().to_dict(), table_of(FIVE)).endswith(f"costs less than {found.bound}")
    assert seen == {Feasible, Optimal}


@pytest.mark.parametrize("bound", [None, 0, 1])
def test_a_search_that_proves_less_than_it_says_gives_a_lesser_bound(
    bound: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = Truth(FIVE, 1, [(Fraction(1, 10), "equal")], RAGGED, "ncp")
    real = shown_values.search_tree

    def search(*given: Any, **named: Any) -> Searched:
        found = real(*given, **named)
        found.leaves = (
            found.leaves[:bound]
            if bound is not None
            else [type(leaf)(leaf.path, leaf.prices * 0, leaf.empty) for leaf in found.leaves]
        )
        return found

    monkeypatch.setattr(shown_values, "search_tree", search)
    found = solved(FIVE, 1, TCloseness("1/10", ground="equal"), RAGGED)
    assert isinstance(found, Feasible)
    assert (found.objective, found.bound < truth.optimum) == (truth.optimum, True)
    assert checked(found.certificate().to_dict(), table_of(FIVE)).endswith(f"costs less than {found.bound}")


def test_what_no_checker_knows_is_not_certified() -> None:
    m = len(FIVE["ill"].unique())
    matrix = TCloseness("1/10", ground=Matrix([[int(i != j) for j in range(m)] for i in range(m)]))
    found = solved(FIVE, 1, matrix, ILLS)
    assert isinstance(found, Optimal)
    assert "; not certified: no checker for" in found.proof
    with pytest.raises(NotCertified, match="no checker"):
        found.certificate()
    counts = release_of(FIVE, 1).classes
    bare = optimal_sensitive_generalization(counts, TCloseness("1/10", ground="equal"), ILLS)
    assert bare.proof.endswith(", checked")  # type: ignore[union-attr]
    with pytest.raises(NotCertified, match="which name no table"):
        bare.certificate()


def test_a_published_table_is_certified_by_its_own_labels() -> None:
    """The cut (low, 3) is not of one level: the node of zeros of the table that shows these labels."""
    frame = FIVE.assign(a=list("1112223333"))
    table = Microdata.from_frame(
        frame, quasi_identifiers="a", sensitive="ill", orders={"ill": sorted(set(frame["ill"]))}
    )
    places = Hierarchy([("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*"), ("4", "high", "*")], name="a")
    release = optimal_cut(table, KAnonymity(4), hierarchies={"a": places}).release  # type: ignore[union-attr]
    answer = optimal_sensitive_generalization(release, TCloseness("1/10", ground="equal"), RAGGED)
    record = answer.certificate().to_dict()
    assert (record["proof"]["node"], record["hierarchies"]) == ([0], {"a": None})
    labels = frame.assign(a=["low" if place in "12" else "3" for place in frame["a"]])
    found = verify(json.dumps(record), labels.to_csv(index=False).encode(), {})
    assert found.found.endswith("and no way costs less")
    assert Fraction(record["proof"]["value"]) == Truth(frame, 1, [(Fraction(1, 10), "equal")], RAGGED, "ncp").optimum


def test_distances_and_slopes_are_those_of_the_ground() -> None:
    """Equal, ordered, and a family of two sets, by the least cost of moving: {0} weighs 2, {0, 1} 5, all over 7."""
    rng = random.Random("slopes")
    family = {
        "name": "laminar",
        "order": [0, 1, 2, 3],
        "low": [0, 0],
        "high": [1, 2],
        "weights": ["2", "5"],
        "denominator": "7",
    }
    steps: dict[str, Any] = {
        "equal": lambda i, j: Fraction(1),
        "ordered": lambda i, j: Fraction(abs(i - j), 3),
        "laminar": lambda i, j: Fraction(2 * ((i == 0) != (j == 0)) + 5 * ((i < 2) != (j < 2)), 7),
    }
    for ground in ({"name": "equal", "m": 4}, {"name": "ordered", "m": 4}, family):
        name = str(ground["name"])
        for _ in range(40):
            reference = [rng.randint(1, 5) for _ in range(4)]
            record = {"condition": "distance", "t": "3/8", "ground": ground}
            conditions = Conditions([record], [f"text:{i}" for i in range(4)], reference)
            distance = Distance(record, conditions)
            assert conditions.work.left == 1e11 - 200 * 16 * {"equal": 4, "ordered": 3, "laminar": 2}[name]
            u = [rng.randint(-50, 50) * rng.choice([1, 10**20]) for _ in range(4)]
            if name == "laminar":
                with pytest.raises(CertificateError, match="whose distance is 0"):
                    distance.slopes(np.array([[0] * 4, [*u[:3], u[2] + 1]], dtype=object))
                u[3] = u[2]
            pairs = [(i, j) for i, j in itertools.combinations(range(4), 2) if steps[name](i, j)]
            slope = max(Fraction(abs(u[i] - u[j])) / steps[name](i, j) for i, j in pairs)
            assert distance.slopes(np.array([u, [0] * 4], dtype=object)).tolist() == [
                -(-slope.numerator // slope.denominator),
                0,
            ]
            counts = [rng.randint(0, 9) * 10 ** rng.choice([0, 0, 30]) for _ in range(4)]
            if any(counts):
                p, q = ([Fraction(x, sum(each)) for x in each] for each in (counts, reference))
                if name == "laminar":
                    moved = (2 * abs(p[0] - q[0]) + 5 * abs(p[0] + p[1] - q[0] - q[1])) / 7
                else:
                    moved = emd(p, q, name)
                assert distance.within(counts, reference) == (moved <= Fraction(3, 8))
    alone = Distance({"t": "1", "ground": {"name": "equal", "m": 1}}, Conditions([], ["text:a"], [1]))
    assert alone.slopes(np.array([[7]])).tolist() == [0]
    exact = Distance({"t": "1/2", "ground": {"name": "equal", "m": 2}}, Conditions([], ["text:a", "text:b"], [1, 1]))
    assert (exact.within([10**40, 0], [1, 1]), exact.within([0, 1], [10**40 + 1, 10**40])) == (True, False)


def test_what_would_take_too_long_is_refused_before_it_is_done() -> None:
    record, _, table = proved()
    nodes, proof = table.nodes, record["proof"]
    conditions = Conditions(record["model"], proof["values"], nodes.reference.tolist())
    showing = Showing(conditions, proof["hierarchy"], "ncp")
    counts, case = (3, 1, 0), {"potentials": [[0, 0, 0]], "prices": [0, 0]}
    split = {"value": None, "node": 0, "most": 1}
    begun = conditions.work.left
    showing.least(counts, 1, [case])
    # 3 values with at most 2 nodes above; 8 of values, as flu and cough have 2 above and ulcer 1, and 2 totals
    step = 300 * (9 * 2 + 3 * 3 + 8 + 2)
    assert begun - conditions.work.left == step
    showing.least(counts, 1, [split, split, case, case, case])
    assert begun - conditions.work.left == 4 * step + 5 * 200
    begun = conditions.work.left
    showing.cost(counts, [[0, 0, 3], [1, 0, 1]], "it")
    assert round(begun - conditions.work.left, 3) == round((100 + 60 * 4 / 50) * (50 * 2 * 3 + 3 + 2 * 3), 3)
    conditions.work.left = 10_000
    with pytest.raises(InputError, match="too long"):
        check_generalization(nodes, conditions, proof)


def test_nodes_are_numbered_from_the_root_down_as_the_paths_come_to_them() -> None:
    conditions = Conditions([{"condition": "records", "least": 1}], [f"text:{v}" for v in "abcde"], [1, 1, 0, 0, 2])
    paths = [[*"ar", "z"], [*"br", "z"], [*"cq", "z"], [*"dq", "z"], ["e", "f", "p", "z"], ["g", "f", "p", "z"]]
    showing = Showing(conditions, paths, "height")
    assert list(showing.numbers.items()) == [((0, "z"), 0), ((1, "r"), 1), ((1, "p"), 2), ((2, "f"), 3)]  # q has none
    assert showing.above == [[0, 1], [0, 1], [0], [0], [0, 2, 3]]
    assert [Fraction(cost, showing.unit) for cost in showing.costs] == [
        1,
        Fraction(1, 3),
        Fraction(2, 3),
        Fraction(1, 3),
    ]


def test_two_values_of_one_name_are_not_told_apart() -> None:
    conditions = Conditions([{"condition": "records", "least": 1}], ["text:1", "number:1"], [1, 1])
    with pytest.raises(InputError, match="two values have one name"):
        Showing(conditions, [["1", "*"]], "ncp")
    single = Conditions([{"condition": "records", "least": 1}], ["text:1"], [3])
    showing = Showing(single, [["1", "*"]], "ncp")
    assert (showing.costs, showing.above) == ([], [[]])
    assert shown_of([np.array([[3]])], single, showing, []) == (0, 0, 0)
    with pytest.raises(CertificateError, match="not there, or satisfy"):
        shown_of([np.array([[3]])], single, showing, [{"counts": [3], "shown": [[0, None, 3]], "scale": 1, "tree": [
            {"potentials": [], "prices": []}]}])  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("k", "value"), [(200, "88817/14"), (100, "98191/14")])
def test_the_classes_of_adult_are_proved(k: int, value: str) -> None:
    """Mondrian's classes of 5 quasi-identifiers; equal distance, t = 1/5; NCP over the 14 occupations in groups."""
    release = studied(5, k)[f"Mondrian, k = {k}"][1]
    answer = optimal_sensitive_generalization(release, TCloseness("1/5", ground="equal"), occupation_groups("S1"))
    assert isinstance(answer, Optimal)
    assert (str(answer.objective), answer.proof.endswith(", checked")) == (value, True)
    record = answer.certificate().to_dict()
    assert record["proof"]["value"] == record["proof"]["bound"] == value
    table, _ = certify.table_of(release, "occupation")
    assert checked(record, table).endswith("and no way costs less")


@pytest.mark.parametrize("odd", [2**256 + 1, -(2**256) - 1, 1.0, True, "1"], ids=repr)
@pytest.mark.parametrize("place", [0, 1])
def test_prices_and_potentials_are_whole_numbers_of_a_bounded_length(odd: Any, place: int) -> None:
    for beside in (0, 2**256, -(2**256)):
        numbers = [beside, beside]
        assert generalization._numbers(numbers, "a price", 2) == numbers
        numbers[place] = odd
        with pytest.raises(InputError, match="a price"):
            generalization._numbers(numbers, "a price", 2)


@pytest.mark.parametrize("odd", [None, 3, "prices", ["prices"], {}, {"prices": []}], ids=repr)
def test_what_is_neither_a_split_nor_prices_is_refused(odd: Any) -> None:
    conditions = Conditions([{"condition": "records", "least": 1}], ["text:a", "text:b"], [1, 1])
    showing = Showing(conditions, [["a", "*"], ["b", "*"]], "ncp")
    with pytest.raises(InputError, match=r"tree\[\]"):
        showing.least([1, 1], 1, [odd])


def test_a_class_is_within_each_of_several_distances() -> None:
    near, far = ({"condition": "distance", "t": t, "ground": {"name": "equal", "m": 2}} for t in ("1/2", "1/4"))
    for model, right in (([near], True), ([near, far], False), ([far, near], False), ([far], False)):
        conditions = Conditions(model, ["text:a", "text:b"], [1, 1])
        showing = Showing(conditions, [["a", "*"], ["b", "*"]], "ncp")
        assert showing.cost([2, 0], [[0, 0, 2]], "it") == 2
        if right:
            assert showing.cost([2, 0], [[0, None, 2]], "it") == 0
        else:
            with pytest.raises(CertificateError, match="beyond t"):
                showing.cost([2, 0], [[0, None, 2]], "it")


def test_without_prices_a_class_that_violates_costs_a_record_at_the_cheapest_node() -> None:
    """Flu and cough are two leaves of five: 2/5 of each of two classes, and not more."""
    record, _, table = proved()
    given = record["proof"]
    leaf = {"potentials": [[0, 0, 0]], "prices": [0, 0]}
    classes = [{**entry, "scale": 1, "tree": [leaf]} for entry in given["classes"]]
    nodes = table.nodes
    for bound, right in (("4/5", True), ("401/500", False), (given["bound"], False)):
        conditions = Conditions(record["model"], given["values"], nodes.reference.tolist())
        proof = {**given, "classes": classes, "bound": bound}
        if right:
            assert check_generalization(nodes, conditions, proof).endswith("no way costs less than 4/5")
        else:
            with pytest.raises(
                CertificateError, match=r"it is not shown that no way costs less than .*, but less than 4/5"
            ):
                check_generalization(nodes, conditions, proof)


def test_so_many_pairs_of_values_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    near = {"condition": "distance", "t": "1/2", "ground": {"name": "equal", "m": 3}}
    conditions = Conditions([near, near], ["text:a", "text:b", "text:c"], [1, 1, 1])
    paths = [["a", "*"], ["b", "*"], ["c", "*"]]
    for most, right in ((2 * 9, True), (2 * 9 - 1, False)):
        monkeypatch.setattr(generalization, "_MOST_PAIRS", most)
        if right:
            assert len(Showing(conditions, paths, "ncp").distances) == 2
        else:
            with pytest.raises(InputError, match="too many: 2 distances of 3 values; 17 pairs are checked"):
                Showing(conditions, paths, "ncp")


def test_pairs_of_many_values_are_refused_before_they_are_made() -> None:
    many = [f"text:{i}" for i in range(3000)]
    same = {"condition": "distance", "t": "0", "ground": {"name": "ordered-by-value", "values": ["0"] * 3000}}
    conditions = Conditions([same], many, [1] * 3000)
    with pytest.raises(InputError, match="too many: 1 distance of 3,000 values"):
        Showing(conditions, [[str(i), "*"] for i in range(3000)], "ncp")
    few = Conditions([{**same, "ground": {"name": "equal", "m": 200}}] * 200, many[:200], [1] * 200)
    with pytest.raises(InputError, match="too many: 200 distances of 200 values"):
        Showing(few, [[str(i), "*"] for i in range(200)], "ncp")


@pytest.mark.parametrize(
    ("t", "weight", "denominator"),
    [
        (t, w, d)
        for t in ("0", "1/3", f"{10**30}", f"1/{10**30}")
        for w in ("1", f"{10**30}")
        for d in ("1", f"{10**30}")
    ],
)
def test_distances_and_thresholds_of_any_length_bound_as_pythons_integers_say(
    t: str, weight: str, denominator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where not even prices of 1 have room in 64 bits, those of 0 have none either: t and distances are longer."""
    family = {"name": "laminar", "order": [0, 1], "low": [0, 1], "high": [1, 2], "weights": [weight, weight]}
    asked = {"condition": "distance", "t": t, "ground": {**family, "denominator": denominator}}
    conditions = Conditions([asked], ["text:a", "text:b"], [1, 1])
    showing = Showing(conditions, [["a", "*"], ["b", "*"]], "ncp")
    slopes = Fraction(denominator) / (2 * Fraction(weight))  # of a potential of 0 and 1
    for largest in (0, 1, 2**60, 2**256):
        for scale in (1, 2**256):
            tree = [{"potentials": [[largest, 0]], "prices": [0]}]
            found = showing.least([1, 1], scale, tree)
            assert largest or found == 0
            assert largest != 1 or scale > 1 or found == -math.ceil(2 * math.ceil(slopes) * Fraction(t))
            with monkeypatch.context() as patched:
                patched.setattr(generalization, "INT64_MAX", 0)
                assert showing.least([1, 1], scale, tree) == found


def test_cases_take_memory_for_the_numbers_they_bound_not_for_their_splits() -> None:
    conditions = Conditions([{"condition": "records", "least": 1}], ["text:a", "text:b"], [1, 1])
    showing = Showing(conditions, [["a", "*"], ["b", "*"]], "ncp")
    leaf, many = {"potentials": [], "prices": [0]}, 400
    tree = [*([{"value": None, "node": 0, "most": 1}, leaf] * many), leaf]  # each case has one split more
    tracemalloc.start()
    try:
        assert showing.least([1, 1], 1, tree) == 0
        assert tracemalloc.get_traced_memory()[1] < 2_500 * many
    finally:
        tracemalloc.stop()


def test_a_pair_of_values_counts_once_for_each_64_bits_of_its_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generalization, "_MOST_PAIRS", 2 * 4)
    family = {"name": "laminar", "order": [0, 1], "low": [0], "high": [1]}
    for longer in ("weight", "denominator"):
        for bits, right in ((1, True), (127, True), (128, False)):
            long, one = str(2 ** (bits - 1)), "1"
            ground = {
                **family,
                "weights": [long if longer == "weight" else one],
                "denominator": long if longer == "denominator" else one,
            }
            conditions = Conditions(
                [{"condition": "distance", "t": "0", "ground": ground}], ["text:a", "text:b"], [1, 1]
            )
            if right:
                assert Showing(conditions, [["a", "*"], ["b", "*"]], "ncp").distances
            else:
                with pytest.raises(InputError, match="one counts once for each 64 bits"):
                    Showing(conditions, [["a", "*"], ["b", "*"]], "ncp")
