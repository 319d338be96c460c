"""Certificates of cuts: every optimum is proved, and what is not so is refused, against all cuts of small trees."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from experiments import adult
from experiments.adult_hierarchies import preset
from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from proofs_tests.certificates.tables import models
from tcloseness.certificates import Counts, Nodes, check, cut, read_certificate, seal, verify
from tcloseness.certificates.branches import settled
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.cut import CUT, INFEASIBLE, check_cut
from tcloseness.errors import CertificateError, CertificateFormatError, InputError, NotCertified
from tcloseness.loss import Discernibility
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy, Microdata
from tcloseness.models import DeltaDisclosure, KAnonymity, TCloseness
from tcloseness.models.certified import CertifiedTable, checked_conditions, counts_text
from tcloseness.optimal import Feasible, Infeasible, Optimal, cut as answering, optimal_cut, splits, tree as tree_search
from tcloseness.optimal.tree import Searched

pytestmark = pytest.mark.solver

TREES = {
    "a": Hierarchy([("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*"), ("4", "high", "*")], name="a"),
    "b": Hierarchy([("p", "p", "*"), ("q", "qr", "*"), ("r", "qr", "*")], name="b"),
}
CUBE = {name: Hierarchy.suppression(["0", "1"], name=name) for name in "xyz"}
FILES = {
    name: (f"{name}.csv", "".join(",".join(path) + "\n" for path in tree.paths).encode())
    for name, tree in {**TREES, **CUBE}.items()
}
LOSSES = ("ncp", "gcp", "lm", "height")
Node = tuple[int, str]


def frame_of(rng: random.Random, trees: dict[str, Hierarchy] = TREES, most: int = 12) -> pd.DataFrame:
    rows = rng.randint(1, most)
    columns = {name: [rng.choice(tree.values) for _ in range(rows)] for name, tree in trees.items()}
    return pd.DataFrame({**columns, "s": [rng.choice("xyz") for _ in range(rows)]})


def read(frame: pd.DataFrame) -> Microdata:
    names = [name for name in frame.columns if name != "s"]
    return Microdata.from_frame(
        frame, quasi_identifiers=names, sensitive="s", orders={"s": sorted(frame["s"].unique())}
    )


def all_cuts(tree: Hierarchy) -> Iterator[frozenset[Node]]:
    """Every set of nodes that has one above each value."""
    nodes = sorted({(level, path[level]) for path in tree.paths for level in range(len(path))})
    for size in range(1, len(tree.paths) + 1):
        for some in itertools.combinations(nodes, size):
            held = [[node for node in some if path[node[0]] == node[1]] for path in tree.paths]
            if all(len(above) == 1 for above in held):
                yield frozenset(some)


def loss_of(
    frame: pd.DataFrame, trees: dict[str, Hierarchy], chosen: dict[str, frozenset[Node]], loss: str
) -> Fraction:
    """By the definition, cell by cell."""
    total = Fraction(0)
    for name, tree in trees.items():
        path_of, size = {path[0]: path for path in tree.paths}, len(tree.paths)
        for value in frame[name]:
            level, label = next((k, text) for k, text in enumerate(path_of[value]) if (k, text) in chosen[name])
            width = sum(path[level] == label for path in tree.paths)
            total += {
                "ncp": Fraction(width if width > 1 else 0, size),
                "gcp": Fraction(width if width > 1 else 0, size),
                "lm": Fraction(width - 1, max(size - 1, 1)),
                "height": Fraction(level * len(trees)),
                "mean-height": Fraction(level * len(trees)),
            }[loss]
    return total if loss == "ncp" else total / (len(frame) * len(trees))


def satisfying(frame: pd.DataFrame, trees: dict[str, Hierarchy], cuts: list[dict[str, Any]], model: Any) -> list[Any]:
    """The cuts all of whose classes satisfy, by the model's own decision, all at once."""
    domain = read(frame).sensitive[0].domain
    place = {value: i for i, value in enumerate(domain.values)}
    owner, rows = [], []
    for number, chosen in enumerate(cuts):
        of = [
            {path[0]: next(node for node in enumerate(path) if node in chosen[name]) for path in tree.paths}
            for name, tree in trees.items()
        ]
        classes: dict[Any, list[int]] = {}
        for *cells, value in frame[[*trees, "s"]].itertuples(index=False):
            labels = tuple(known[cell] for known, cell in zip(of, cells, strict=True))
            classes.setdefault(labels, [0] * len(domain))[place[value]] += 1
        rows += classes.values()
        owner += [number] * len(classes)
    reference = [int((frame["s"] == value).sum()) for value in domain.values]
    where, values = np.nonzero(np.array(rows))
    counts = ClassCounts.from_cells(
        domain,
        np.searchsorted(where, np.arange(len(rows) + 1)),
        values,
        np.array(rows)[where, values],
        reference=np.array(reference),
    )
    bad = {owner[g] for g in model.evaluate(counts).violating}
    return [chosen for number, chosen in enumerate(cuts) if number not in bad]


class Truth:
    """What is so of a table under a model: the cuts that satisfy, and the least loss of them."""

    def __init__(self, frame: pd.DataFrame, trees: dict[str, Hierarchy], model: Any) -> None:
        self.frame, self.trees = frame, trees
        every = itertools.product(*(list(all_cuts(tree)) for tree in trees.values()))
        self.cuts = satisfying(frame, trees, [dict(zip(trees, each, strict=True)) for each in every], model)

    def values(self, loss: str, recoding: str) -> list[Fraction]:
        return [
            loss_of(self.frame, self.trees, chosen, loss)
            for chosen in self.cuts
            if recoding == "subtree" or all(len({level for level, _ in nodes}) == 1 for nodes in chosen.values())
        ]

    def holds(self, record: dict[str, Any]) -> bool:
        """Whether a certificate with another proof says what is so."""
        proof = record["proof"]
        chosen = dict(zip(self.trees, [frozenset(map(tuple, nodes)) for nodes in proof["cut"]], strict=True))
        values = self.values(proof["loss"], proof["recoding"])
        return (
            chosen in self.cuts
            and str(loss_of(self.frame, self.trees, chosen, proof["loss"])) == proof["value"]
            and Fraction(proof["value"]) in values
            and Fraction(proof["bound"]) <= min(values)
        )


def checked(record: dict[str, Any], table: CertifiedTable) -> str:
    record = {**record, "sha256": seal(record)}
    return check(read_certificate(json.dumps(record)), table.counts, table.levels)


def solved(frame: pd.DataFrame, trees: dict[str, Hierarchy], model: Any, loss: Any, recoding: Any) -> Any:
    return optimal_cut(read(frame), model, loss, hierarchies=trees, recoding=recoding)


def table_of(frame: pd.DataFrame, trees: dict[str, Hierarchy]) -> CertifiedTable:
    return CertifiedTable.of(FrequencySet.of(read(frame)), "s", trees)


@pytest.mark.parametrize("tables", [1, pytest.param(30, marks=pytest.mark.slow)])
def test_every_cut_is_proved_from_the_files_alone(tables: int) -> None:
    rng = random.Random("cuts")
    found = Counter[str]()
    for _ in range(tables):
        frame = frame_of(rng)
        file = frame.to_csv(index=False).encode()
        for model in models(rng):
            loss, recoding = rng.choice(LOSSES), rng.choice(["subtree", "full-domain"])
            truth = Truth(frame, TREES, model)
            answer = solved(frame, TREES, model, loss, recoding)
            text = answer.certificate().to_json()
            said = verify(text, file, FILES).found
            found[type(answer).__name__] += 1
            if not truth.cuts:
                assert isinstance(answer, Infeasible)
                assert (json.loads(text)["format"], "all records together" in said) == (INFEASIBLE, True)
                continue
            assert isinstance(answer, Optimal)
            assert answer.proof.endswith(", checked")
            record = json.loads(text)
            least = str(min(truth.values(loss, recoding)))
            assert record["proof"]["value"] == record["proof"]["bound"] == least
            assert said.startswith(f"{recoding}, nodes: ")
            assert said.endswith("and no cut loses less")
            assert truth.holds(record)
    assert min(found["Optimal"], found["Infeasible"]) > 1


def test_no_cut_is_proved_that_is_not_the_best_and_no_bound_that_is_too_high() -> None:
    rng, tried = random.Random("false"), 0
    for _ in range(6):
        frame, model = frame_of(rng), KAnonymity(2)
        truth, table = Truth(frame, TREES, model), table_of(frame, TREES)
        if not truth.cuts:
            continue
        record = json.loads(solved(frame, TREES, model, "ncp", "subtree").certificate().to_json())
        least = Fraction(record["proof"]["value"])
        for chosen in truth.cuts:
            value = loss_of(frame, TREES, chosen, "ncp")
            named = [sorted(map(list, nodes)) for nodes in chosen.values()]
            proof = {**record["proof"], "cut": named, "value": str(value)}
            assert "no cut loses less" in checked({**record, "proof": proof}, table)
            tried += 1
            for bound in {value, least + Fraction(1, 1000)} - {least}:
                with pytest.raises(CertificateError, match="not excluded"):
                    checked({**record, "proof": {**proof, "bound": str(bound)}}, table)
    assert tried > 20


def test_where_one_bound_is_not_enough_a_tree_proves_it() -> None:
    """Of the eight corners of a cube one axis may be split if four must be alike; half of each is relaxed."""
    frame = pd.DataFrame([(*corner, "x") for corner in itertools.product("01", repeat=3)], columns=[*CUBE, "s"])
    record = json.loads(solved(frame, CUBE, KAnonymity(4), "ncp", "subtree").certificate().to_json())
    proof, table = record["proof"], table_of(frame, CUBE)
    assert (proof["value"], proof["bound"]) == ("16", "16")
    assert any("attribute" in entry for entry in proof["tree"])
    assert verify(json.dumps(record), frame.to_csv(index=False).encode(), FILES).found.endswith("no cut loses less")
    for i in range(len(proof["tree"])):
        for tree in (
            proof["tree"][:i] + proof["tree"][i + 1 :],
            [*proof["tree"][:i], {"prices": []}, *proof["tree"][i + 1 :]],
            [*proof["tree"][: i + 1], *proof["tree"][i:]],
        ):
            if tree != proof["tree"]:
                with pytest.raises(CertificateError):
                    checked({**record, "proof": {**proof, "tree": tree}}, table)
    truth = Truth(frame, CUBE, KAnonymity(4))
    for factor in (0, 1, 3):
        scaled = {**proof, "scale": 2 * proof["scale"] * factor or 1}
        try:
            checked({**record, "proof": scaled}, table)
        except CertificateError:
            continue
        assert truth.holds({**record, "proof": scaled})


def test_where_costs_are_fractions_prices_are_in_their_unit() -> None:
    """Two hierarchies of two levels and five leaves, several records on each leaf, so that pairs of nodes violate."""
    rng, pairs = random.Random("fractions"), 0
    groups = [("0", "low", "*"), ("1", "low", "*"), ("2", "high", "*"), ("3", "high", "*"), ("4", "high", "*")]
    trees = {name: Hierarchy(groups, name=name) for name in ("h0", "h1")}
    for _ in range(12):
        rows = [(str(rng.randrange(5)), str(rng.randrange(5)), "x") for _ in range(rng.randint(16, 24))]
        frame = pd.DataFrame(rows, columns=["h0", "h1", "s"])
        found = solved(frame, trees, KAnonymity(rng.choice([2, 3])), "ncp", "subtree")
        assert isinstance(found, Optimal)
        proof = found.certificate().to_dict()["proof"]
        assert proof["bound"] == proof["value"]
        pairs += any(2 not in each["node"] for each in proof["violating"])
    assert pairs > 3


@pytest.mark.parametrize("recoding", ["subtree", "full-domain"])
def test_where_prices_are_of_no_use_every_case_is_proved_by_itself(
    recoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then some cases hold no cut that satisfies, which one violating class proves, or no cut at all."""
    rng, empty = random.Random(3), 0
    priced = tree_search._Tree._priced
    monkeypatch.setattr(
        tree_search._Tree,
        "_priced",
        lambda self, prices: priced(self, prices * 0 if max(abs(prices), default=0) > 1 else prices),
    )
    for _ in range(3):
        frame, model = frame_of(rng), KAnonymity(rng.choice([2, 3]))
        answer = solved(frame, TREES, model, "ncp", recoding)
        if isinstance(answer, Infeasible):
            continue
        record = json.loads(answer.certificate().to_json())
        assert Truth(frame, TREES, model).holds(record)
        assert record["proof"]["value"] == record["proof"]["bound"]
        empty += sum(price > 2**24 for entry in record["proof"]["tree"] for _, price in entry.get("prices", ()))
    assert empty


@pytest.mark.parametrize("tables", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_no_changed_proof_is_accepted_that_says_what_is_not_so(tables: int) -> None:
    rng = random.Random("changed cuts")
    accepted = refused = 0
    for _ in range(tables):
        trees = rng.choice([TREES, CUBE])
        frame = frame_of(rng, trees)
        table = table_of(frame, trees)
        for model in (KAnonymity(rng.randint(1, 4)), *rng.sample(models(rng), 3)):
            truth = Truth(frame, trees, model)
            answer = solved(frame, trees, model, rng.choice(LOSSES), rng.choice(["subtree", "full-domain"]))
            given = json.loads(answer.certificate().to_json())
            for _ in range(25):
                record = {**given, "proof": changed(rng, given["proof"])}
                try:
                    checked(record, table)
                except CertificateError:
                    refused += 1
                    continue
                accepted += 1
                if record["format"] == CUT:
                    assert truth.holds(record), record["proof"]
                else:
                    assert not truth.cuts
    assert refused > accepted > 0


def test_whatever_stands_in_a_place_a_certificate_is_refused_or_true() -> None:
    rng = random.Random("odd cuts")
    frame = pd.DataFrame([(*corner, "x") for corner in itertools.product("01", repeat=3)], columns=[*CUBE, "s"])
    table, truth = table_of(frame, CUBE), Truth(frame, CUBE, KAnonymity(4))
    given = json.loads(solved(frame, CUBE, KAnonymity(4), "lm", "subtree").certificate().to_json())["proof"]
    record = json.loads(solved(frame, CUBE, KAnonymity(4), "lm", "subtree").certificate().to_json())
    ways = places_of(given)
    for way in ways:
        for odd in rng.sample([*ODD, -(2**300), 2**300, "ncp", "full-domain", {"prices": [[0, 1]]}], 3):
            proof = with_at(given, way, odd)
            try:
                checked({**record, "proof": proof}, table)
            except CertificateError:
                continue
            assert truth.holds({**record, "proof": proof}), (way, odd)
    assert len(ways) > 60


def test_what_is_known_in_time_is_certified_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cut (north, c, d) loses 1, the roots 6. Without prices no cut is known to lose more than 0."""
    towns = Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}], name="town")
    frame = pd.DataFrame({"town": list("abccdd"), "s": list("xyxyxy")})
    trees = {"town": towns}
    for instead in (Searched(None, open=True), Searched(None, open=True, bound=-5), Searched(1, open=True, bound=-5)):
        with monkeypatch.context() as patch:
            patch.setattr(splits, "search_tree", lambda *_, instead=instead, **__: instead)
            found = solved(frame, trees, KAnonymity(2), "ncp", "subtree")
        assert isinstance(found, Feasible)
        assert (found.objective, found.bound) == (1, 0)
        assert checked(found.certificate().to_dict(), table_of(frame, trees)).endswith("no cut loses less than 0")
    frame = pd.DataFrame([(*corner, "x") for corner in itertools.product("01", repeat=3)], columns=[*CUBE, "s"])
    few = splits.search_tree
    less = {"nodes": 2, "upper": None}
    monkeypatch.setattr(splits, "search_tree", lambda *given, **named: few(*given, **{**named, **less}))
    found = solved(frame, CUBE, KAnonymity(4), "ncp", "subtree")
    assert isinstance(found, Feasible)
    assert 0 < found.bound < found.objective == 16
    assert checked(found.certificate().to_dict(), table_of(frame, CUBE)).endswith(f"loses less than {found.bound}")


def test_what_a_solver_finds_is_proved_by_a_search_that_knows_its_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame([(*corner, "x") for corner in itertools.product("01", repeat=3)], columns=[*CUBE, "s"])
    real, asked_for = splits.search_tree, []

    def second(*given: Any, **named: Any) -> Searched:
        asked_for.append(named["upper"])
        return Searched(None, open=True) if len(asked_for) == 1 else real(*given, **named)

    monkeypatch.setattr(splits, "search_tree", second)
    found = solved(frame, CUBE, KAnonymity(4), "ncp", "subtree")
    assert isinstance(found, Optimal)
    assert (found.objective, found.proof) == (16, f"{answering.BY_PRICES}, checked")
    assert (asked_for[0], asked_for[1] is None) == (None, False)
    assert found.certificate().to_dict()["proof"]["bound"] == "16"


def test_what_no_checker_knows_is_not_certified() -> None:
    frame = pd.DataFrame({"town": list("abccdd"), "s": list("xyxyxy")})
    towns = {"town": Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}], name="town")}
    found = solved(frame, towns, KAnonymity(2), Discernibility(), "subtree")
    assert isinstance(found, Optimal)
    assert found.proof.endswith("; not certified: no checker for the loss discernibility of a cut")
    with pytest.raises(NotCertified, match="no checker"):
        found.certificate()
    ragged = {
        "town": Hierarchy([("a", "ab", "*"), ("b", "ab", "*"), ("c", "*"), ("d", "*")], ragged="keep", name="town")
    }
    found = solved(frame, ragged, KAnonymity(2), "ncp", "subtree")
    assert (
        found.proof
        == f"{answering.BY_PRICES}; not certified: no checker for leaves at unequal depth in the hierarchy of 'town'"
    )
    none = solved(frame, ragged, KAnonymity(9), "ncp", "subtree")
    assert isinstance(none, Infeasible)
    assert checked(none.certificate().to_dict(), table_of(frame, {})).startswith("all records together violate")
    found = solved(frame, towns, DeltaDisclosure(2), "ncp", "subtree")
    with pytest.raises(NotCertified, match="no checker"):
        found.certificate()


def test_a_table_beyond_what_is_checked_is_answered_without_a_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, trees = frame_of(random.Random(1)), TREES
    monkeypatch.setattr("tcloseness.certificates.nodes._MOST_NODES", 4)
    found = solved(frame, trees, KAnonymity(2), "ncp", "subtree")
    assert isinstance(found, Optimal)
    assert "; not certified: the checker refuses it: the lattice has" in found.proof


def asked(frame: pd.DataFrame, trees: dict[str, Hierarchy], model: Any) -> tuple[Nodes, Conditions]:
    table = table_of(frame, trees)
    nodes = table.nodes
    return nodes, Conditions(checked_conditions(model, table.domain), table.values, nodes.reference.tolist())


def test_each_thing_that_a_proof_must_have_is_asked_for() -> None:
    frame = pd.DataFrame([("1", "p", "x"), ("2", "p", "y"), ("3", "q", "x"), ("4", "r", "x")], columns=["a", "b", "s"])
    model = KAnonymity(2)
    nodes, conditions = asked(frame, TREES, model)
    given = {"values": ["text:x", "text:y"], **dict(solved(frame, TREES, model, "ncp", "subtree").certificate().proof)}
    assert check_cut(nodes, conditions, given).endswith("no cut loses less")
    one = {"node": [0, 2], "class": ["1", "*"]}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"recoding": "any"}, "recoding is 'any'"),
        ({"loss": "precision"}, "the loss is 'precision'"),
        ({"value": "9"}, "and not 9"),
        ({"cut": [[[2, "*"]]]}, "must have 2"),
        ({"cut": [[[2, "*"]], []]}, "cut.1. has 0 nodes above 'p'"),
        ({"cut": [[[2, "*"]], [[2, "*"], [0, "p"]]]}, "cut.1. has 2 nodes above 'p'"),
        ({"cut": [[[2, "*"]], [[2, "*"], [2, "*"]]]}, "names a node twice"),
        ({"cut": [[[2, "*"]], [[1, "*"]]]}, "not a label of level 1"),
        ({"cut": [[[0, v] for v in "1234"], [[0, v] for v in "pqr"]]}, "a class of the cut violates"),
        ({"violating": [{"node": [2, 2], "class": ["*", "*"]}]}, "does not violate"),
        ({"violating": [{"node": [0, 0], "class": ["1", "q"]}]}, "has no record"),
        ({"violating": [one], "tree": [{"prices": [[1, 1]]}]}, "a price's place is 1"),
        ({"violating": [one], "tree": [{"prices": [[0, -1]]}]}, "a price is -1"),
        ({"scale": 0}, "scale is 0"),
        ({"tree": []}, "ends before"),
        ({"tree": [{"prices": []}, {"prices": []}]}, "goes on"),
        ({"tree": [{"attribute": 2, "node": [2, "*"]}]}, "attribute is 2"),
        ({"tree": [{"attribute": 0, "node": [3, "*"]}]}, "not a label of level 3"),
    ]
    for changes, told in wrong:
        with pytest.raises((CertificateError, InputError), match=told):
            check_cut(nodes, conditions, {**given, **changes})
    one_of_two = [[[1, "low"], [0, "3"], [0, "4"]], [[2, "*"]]]  # 3 and 4 are alone
    lost = str(loss_of(frame, TREES, dict(zip(TREES, ({tuple(n) for n in c} for c in one_of_two), strict=True)), "ncp"))  # type: ignore[misc]
    with pytest.raises(CertificateError, match="a class of the cut violates"):
        check_cut(nodes, conditions, {**given, "cut": one_of_two, "value": lost})
    level = {**given, "recoding": "full-domain"}
    uneven = [[[1, "low"], [0, "3"], [0, "4"]], [[2, "*"]]]
    with pytest.raises(CertificateError, match=r"several levels"):
        check_cut(nodes, conditions, {**level, "cut": uneven})


def test_prices_of_the_nodes_that_a_cut_goes_below_are_its_own() -> None:
    """Against all cuts: the least of cost and prices, with any nodes fixed, of any cut and of those of one level."""
    rng = random.Random("least")
    counts = Counts.of(["a", "s"], {(f"text:{i}", "text:x"): i for i in range(1, 5)})
    rows = [("1", "1", "low", "*"), ("2", "2", "low", "*"), ("3", "3", "3", "*"), ("4", "4", "3", "*")]
    nodes = Nodes(counts, {"a": rows}, ["text:x"])
    (hierarchy,), _ = cut._Hierarchy.all_of(nodes, "ncp")
    name = {number: node for node, number in hierarchy.numbers.items()}
    every, seen = list(all_cuts(Hierarchy(rows))), Counter[bool]()
    for _ in range(60):
        prices = {n: rng.randint(0, 9) for n in rng.sample(range(1, len(name)), 3) if name[n][0]} | {
            0: rng.randint(0, 9)
        }
        fixed = {n: rng.randrange(2) for n in rng.sample(range(len(name)), rng.choice([0, 1, 2]))}
        scale = rng.randint(1, 3)
        for uniform in (False, True):
            sums = []
            for chosen in every:
                if uniform and len({level for level, _ in chosen}) > 1:
                    continue
                goes = {
                    n: all(
                        not any((k, path[k]) in chosen for k in range(level, 4))
                        for path in rows
                        if path[level] == label
                    )
                    for n, (level, label) in name.items()
                }
                if all(goes[n] == value for n, value in fixed.items()):
                    cost = sum(hierarchy.cost[hierarchy.numbers[node]] for node in chosen)
                    sums.append(scale * cost + sum(price for n, price in prices.items() if goes[n]))
            assert hierarchy.least(scale, prices, fixed, uniform=uniform) == min(sums, default=None)
            seen[bool(sums)] += 1
    assert min(seen.values()) > 10


def test_a_tree_is_settled_case_by_case() -> None:
    def split(entry: Any, case: str) -> tuple[str, str] | None:
        return (case + "0", case + "1") if entry == "?" else None

    assert list(settled(["a"], "", split)) == [("a", "")]
    assert list(settled(["?", "?", "a", "b", "c"], "", split)) == [("a", "00"), ("b", "01"), ("c", "1")]
    assert list(settled(["?", "a", "?", "b", "c"], "", split)) == [("a", "0"), ("b", "10"), ("c", "11")]
    for wrong, told in ((["?", "a"], "ends"), (["a", "b"], "goes on"), ([], "ends"), (["?", "a", "b", "c"], "goes on")):
        with pytest.raises(CertificateError, match=told):
            list(settled(wrong, "", split))
    with pytest.raises(InputError):
        list(settled({}, "", split))


def test_long_numbers_are_refused_before_they_are_multiplied() -> None:
    frame = pd.DataFrame({"a": ["1", "1"], "b": ["p", "p"], "s": ["x", "x"]})
    record = solved(frame, TREES, KAnonymity(2), "ncp", "subtree").certificate().to_dict()
    proof, table = record["proof"], table_of(frame, TREES)
    with pytest.raises(CertificateFormatError, match="scale"):
        checked({**record, "proof": {**proof, "scale": 2**257}}, table)
    many = [{"attribute": 0, "node": [2, "*"]}] * 300 + [{"prices": []}] * 301
    assert checked({**record, "proof": {**proof, "tree": many}}, table).endswith("no cut loses less")
    size, spent = sum(len(level) for labels in table.nodes.labels for level in labels), []
    for tree in (many, many[:1] + [{"prices": []}] * 2, [{"prices": []}]):
        nodes, conditions = asked(frame, TREES, KAnonymity(2))
        check_cut(nodes, conditions, {**proof, "values": table.values, "tree": tree})
        spent.append(1e11 - conditions.work.left)
    steps = 300 + 300 * 301 // 2  # two cases are below all splits, the next ones each below one less
    assert spent[0] - spent[2] == 300 * (1000 + 400 * size) + 200 * steps
    assert spent[1] - spent[2] == 1000 + 400 * size + 2 * 200
    nodes, conditions = asked(frame, TREES, KAnonymity(2))
    conditions.work.left = 10_000
    with pytest.raises(InputError, match="too long"):
        check_cut(nodes, conditions, {**proof, "values": table.values, "tree": many})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "k", "value"),
    [
        (("age", "marital-status", "race"), 5, "254502/7"),
        (("age", "education", "marital-status", "sex"), 10, "4419057/112"),
    ],
)
def test_the_cuts_of_adult_are_proved(names: tuple[str, ...], k: int, value: str) -> None:
    """30,162 complete records of the training set; NCP, over the values of the hierarchies of preset L1."""
    frame = adult.load("train-complete")
    trees = {name: preset("L1")[name] for name in names}
    table = Microdata.from_frame(frame, quasi_identifiers=list(names), sensitive="occupation")
    record = optimal_cut(table, KAnonymity(k), hierarchies=trees).certificate().to_dict()
    assert record["proof"]["value"] == record["proof"]["bound"] == value
    files = {
        name: (f"{name}.csv", "".join(",".join(map(str, path)) + "\n" for path in tree.paths).encode())
        for name, tree in trees.items()
    }
    counts = counts_text(FrequencySet.of(table), "occupation").encode()  # ages are numbers
    assert verify(json.dumps(record), counts, files).found.endswith("no cut loses less")


def test_equal_tcloseness_is_certified_with_its_ground() -> None:
    frame = frame_of(random.Random(5))
    record = solved(frame, TREES, TCloseness("1/2", ground="ordered"), "gcp", "subtree").certificate().to_dict()
    assert record["model"][0]["ground"]["name"] == "ordered"
