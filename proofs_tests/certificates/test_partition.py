"""Certificates of partitions: every optimum is proved, and no certificate is accepted that says what is not so."""

from __future__ import annotations

import copy
import itertools
import json
import random
import re
from collections import Counter
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Any

import pandas as pd
import pytest

from proofs_tests.certificates.changes import changed
from proofs_tests.optimal.oracle import MODELS, Instance, least_total, random_instance
from tcloseness.certificates import Nodes, verify
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.partition import check_partition
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, InputError, NotCertified, SolverError
from tcloseness.exact import number_text
from tcloseness.loss import NormalizedCertaintyPenalty
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import DeltaDisclosure, KAnonymity, TCloseness
from tcloseness.models.certified import CertifiedTable, counts_text
from tcloseness.optimal import Feasible, Infeasible, Optimal, optimal_partition
from tcloseness.strict_records import Work

pytestmark = pytest.mark.solver

LOSSES = ("ncp", "gcp", "lm", "height", "dm", "class-size", "c-avg")
FORMULATIONS = ("column-generation", "column-generation", "set-partitioning", "assignment")


class Case:
    """A small table with a model, and its answer."""

    def __init__(self, draw: random.Random, *, most: int = 8, formulation: str | None = None) -> None:
        self.formulation = formulation or draw.choice(FORMULATIONS)
        self.instance = random_instance(draw, most=most if self.formulation != "assignment" else 5)
        self.model, self.k, self.good = draw.choice(MODELS())
        self.loss = draw.choice(LOSSES)
        self.suppressed = 0 if self.loss in ("c-avg", "class-size") else draw.choice([0, 0, 1, 3])
        self.answer = optimal_partition(
            self.instance.table,
            self.model,
            self.loss,
            hierarchies=self.instance.hierarchies,
            formulation=self.formulation,  # type: ignore[arg-type]
            suppress_at_most=self.suppressed,
        )

    @property
    def least(self) -> Fraction | None:
        """The least loss, by the oracle."""
        named = "c-avg" if self.loss == "class-size" else self.loss
        total = least_total(self.instance, named, self.good, min(self.suppressed, len(self.instance.rows) - 1))
        return None if total is None else self.instance.loss_of(named, total, self.k if self.loss == "c-avg" else 1)

    def files(self) -> tuple[bytes, dict[str, tuple[str, bytes]]]:
        """The table's counts and the hierarchies, as files."""
        text = counts_text(FrequencySet.of(self.instance.table), "s").encode()
        rows = {
            name: "".join(",".join(map(str, path)) + "\n" for path in tree.paths).encode()
            for name, tree in self.instance.hierarchies.items()
        }
        return text, {name: (f"{name}.csv", content) for name, content in rows.items()}


@pytest.mark.long
@pytest.mark.parametrize("cases", [25, pytest.param(600, marks=pytest.mark.slow)])
def test_every_optimum_is_proved_and_checked_from_the_counts(cases: int) -> None:
    draw, trees, sizes = random.Random(40), 0, Counter[str]()
    for _ in range(cases):
        case = Case(draw)
        if isinstance(case.answer, Infeasible):
            assert case.least is None
            continue
        assert isinstance(case.answer, Optimal)
        assert case.answer.proof.endswith(", checked")
        assert case.answer.objective == case.least
        envelope = case.answer.certificate()
        found = verify(envelope.to_json(), *case.files())
        assert (found.envelope, found.of_file) == (envelope, False)
        assert found.found.endswith(f"= {case.least}, the least")
        proof = envelope.proof
        assert Fraction(proof["value"]) == Fraction(proof["bound"]) == case.least
        trees += proof["tree"] is not None
        sizes[proof["loss"].partition("/")[0]] += 1
    assert trees
    assert len(sizes) == 6


@pytest.mark.long
def test_where_no_partition_is_that_is_proved() -> None:
    draw, found_some = random.Random(45), Counter[bool]()
    for _ in range(60):
        case = Case(draw)
        if isinstance(case.answer, Infeasible):
            envelope = case.answer.certificate()
            found = verify(envelope.to_json(), *case.files()).found
            assert case.least is None
            suppressed = "classes" in envelope.proof
            found_some[suppressed] += 1
            if suppressed:
                assert found.startswith(f"no classes of {counted(len(case.instance.rows), 'record')} satisfy the model")
                assert true_least(dict(envelope.proof) | {"classes": []}, case.instance, case.good)[0] is None
    assert len(found_some) == 2


# ---------------------------------------------------------------------- what is true of a proof


def true_least(proof: Any, instance: Instance, good: Any) -> tuple[Fraction | None, Any]:
    """The least loss of what a proof names, by trying every partition, written without a line of the package.

    And what its classes lose.
    """
    rows, places = instance.rows, range(len(instance.kinds))
    name, _, k = proof["loss"].partition("/")
    q = Counter(row[-1] for row in rows)

    def penalty(place: int, mine: set[Any]) -> Fraction:
        about, every = proof["attributes"][place], {row[place] for row in rows}
        height, hierarchy = 1, about["kind"] == "hierarchical"
        if len(mine) == 1:
            return Fraction(0)
        if about["kind"] == "numeric":
            low, high = map(Fraction, about["range"])
            measured, whole, first = Fraction(max(mine) - min(mine)), high - low, Fraction(0)
        elif hierarchy and instance.kinds[place] == "h":
            height = 2 if len({value[0] for value in mine}) > 1 else 1
            measured, whole, first = Fraction(6 if height == 2 else 3), Fraction(6), Fraction(1)
        else:
            measured = Fraction(len(every) if hierarchy else len(mine))
            whole, first = Fraction(len(every) if hierarchy else about["of"]), Fraction(1)
        if name == "mean-height":
            return Fraction(height)
        return (measured - first) / (whole - first) if name == "lm" else measured / whole

    def cost(members: list[int]) -> Fraction:
        if name == "discernibility":
            return Fraction(len(members) ** 2)
        if name == "class-size":
            return Fraction(-1)
        return len(members) * sum((penalty(p, {rows[i][p] for i in members}) for p in places), Fraction(0))

    n = len(rows)
    each = Fraction(n if name == "discernibility" else 0)
    if name not in ("discernibility", "class-size"):
        tall = [a["kind"] == "hierarchical" and instance.kinds[p] == "h" for p, a in enumerate(proof["attributes"])]
        each = Fraction(sum(2 if name == "mean-height" and high else 1 for high in tall))

    def loss_of(total: Fraction) -> Fraction:
        over = {"gcp": n * len(instance.kinds), "lm": n * len(instance.kinds), "mean-height": n}.get(name, 1)
        return Fraction(n) / -total / int(k or 1) if name == "class-size" else total / over

    best: list[Fraction | None] = [Fraction(0)] + [None] * ((1 << n) - 1)
    total = [None] * (1 << n)
    for mask in range(1, 1 << n):
        members = [i for i in range(n) if mask >> i & 1]
        total[mask] = cost(members) if good(Counter(rows[i][-1] for i in members), q) else None  # type: ignore
    for mask in range(1, 1 << n):
        first, rest = mask & -mask, mask & (mask - 1)
        part = rest
        while True:
            mine, others = total[first | part], best[rest ^ part]
            if mine is not None and others is not None and (best[mask] is None or mine + others < best[mask]):
                best[mask] = mine + others
            if not part:
                break
            part = part - 1 & rest
    kept = [(value, n - mask.bit_count()) for mask, value in enumerate(best) if mask and value is not None]
    possible = [value + gone * each for value, gone in kept if gone <= proof["suppressed"]]
    by_values = [tuple(map(str, row[:-1])) for row in rows]
    if len(proof["kinds"][0]) > len(instance.kinds):
        by_values = [(*value, f"number:{row[-1]}") for value, row in zip(by_values, rows, strict=True)]
    left: dict[Any, list[int]] = {}
    for i, value in enumerate(by_values):
        left.setdefault(value, []).append(i)
    classes = [[left[tuple(proof["kinds"][kind])].pop() for kind in group] for group in proof["classes"]]
    gone = n - sum(map(len, classes))
    told = loss_of(sum(map(cost, classes), Fraction(0)) + gone * each)
    if not good or any(not good(Counter(rows[i][-1] for i in group), q) for group in classes):
        return None, None
    return (loss_of(min(possible)) if possible else None), told


def is_true(proof: Any, case: Case) -> bool:
    least, told = true_least(proof, case.instance, case.good)
    value, bound = Fraction(proof["value"]), Fraction(proof["bound"])
    return least is not None and told == value and bound <= least


def parts(case: Case) -> tuple[Nodes, Any, Any]:
    """The table as a checker groups it, the certificate of an answer, and its proof as JSON has it."""
    envelope = case.answer.certificate()
    table = CertifiedTable.of(FrequencySet.of(case.instance.table), "s", case.instance.hierarchies)
    nodes = Nodes(table.counts, table.levels, envelope.proof["values"])
    return nodes, envelope, json.loads(json.dumps(dict(envelope.proof)))


def accepted(nodes: Nodes, envelope: Any, proof: Any, work: float = 1e8) -> bool:
    """Whether a proof is accepted; nothing but a refusal may be raised."""
    conditions = Conditions(envelope.model, list(nodes.values), nodes.reference.tolist())
    try:
        check_partition(nodes, conditions, proof, work=Work(work))
    except (CertificateError, InputError):
        return False
    return True


def solved(draw: random.Random, **given: Any) -> Case:
    """A case that has an optimum."""
    while True:
        case = Case(draw, **given)
        if isinstance(case.answer, Optimal):
            return case


ODD = [None, True, 0, 1, -1, 2**63, -(2**70), 10**70, 0.5, "", "0", "1/3", "ncp", "\ud800", [], [0], [[]], [[0, 1]], {}]


@pytest.mark.long
@pytest.mark.parametrize("cases", [12, pytest.param(600, marks=pytest.mark.slow)])
def test_no_changed_proof_is_accepted_that_says_what_is_not_so(cases: int) -> None:
    """Everything of the format is changed in some case: left out, repeated, or another number or text."""
    draw, tried, kept = random.Random(41), Counter[str](), 0
    for _ in range(cases):
        case = solved(draw, most=6)
        nodes, envelope, given = parts(case)
        assert accepted(nodes, envelope, given)
        assert is_true(given, case)
        for _ in range(40):
            proof = changed(draw, given)
            if draw.random() < 0.3:
                place = draw.choice(list(given))
                proof = {**given, place: draw.choice(ODD)}
            if proof == given or proof.get("values") != given["values"]:
                continue
            tried[next(key for key in given if key not in proof or proof[key] != given[key])] += 1
            if accepted(nodes, envelope, proof):
                kept += 1
                assert is_true(proof, case), (case.instance, case.model.name, proof)
    assert kept
    assert len(tried) > 10


@pytest.mark.long
@pytest.mark.parametrize("cases", [10, pytest.param(500, marks=pytest.mark.slow)])
def test_of_no_prices_and_no_tree_is_a_partition_proved_optimal_that_is_not(cases: int) -> None:
    """Worse partitions with the right prices, zero, and any; with a limit that is enough, and a leaf of any prices."""
    draw, tried = random.Random(42), 0
    for _ in range(cases):
        case = solved(draw, most=6)
        nodes, envelope, given = parts(case)
        kinds, S = len(given["kinds"]), given["scale"]
        for _ in range(15):
            everything = [kind for group in given["classes"] for kind in group]
            draw.shuffle(everything)
            many = draw.randint(1, max(1, len(everything) // max(2, case.k)))
            ends = sorted(draw.sample(range(1, len(everything)), many - 1)) if many > 1 else []
            classes = [everything[a:b] for a, b in itertools.pairwise([0, *ends, len(everything)])]
            proof = copy.deepcopy({**given, "classes": classes})
            least, told = true_least(proof, case.instance, case.good)
            if told is None or told == least:
                continue
            proof |= {"value": number_text(told), "bound": number_text(told)}
            unit = given["unit"]
            anything = [draw.randint(-2, 3) * S * unit // draw.choice([1, 2, 5]) for _ in range(kinds)]
            prices = draw.choice([given["prices"]["kinds"], [0] * kinds, anything])
            none = [0] * len(given["prices"]["cuts"])
            proof["prices"] = {"kinds": prices, "cuts": draw.choice([given["prices"]["cuts"], none])}
            proof["limit"] = draw.choice([given["limit"], -1, 0, 4 * S * unit * len(case.instance.rows) ** 2])
            leaf = {"kinds": draw.choice([prices, anything]), "cuts": none, "empty": draw.random() < 0.2}
            proof["tree"] = draw.choice([given["tree"], None, [leaf], []])
            tried += 1
            assert not accepted(nodes, envelope, proof), (case.instance, proof)
            none_at_all = dict.fromkeys(("classes", "value", "bound"))
            assert not accepted(nodes, envelope, {**proof, **none_at_all}), (case.instance, proof)
    assert tried > cases


# ---------------------------------------------------------------------- what the checker asks, one by one


@cache
def tight() -> tuple[Nodes, Any, Any]:
    """Five records of one number, whose optimum needs a tree."""
    frame = pd.DataFrame({"x": [1, 2, 5, 6, 12], "s": list("ababa")})
    table = Microdata.from_frame(frame, quasi_identifiers=["x"], sensitive="s")
    answer = optimal_partition(table, KAnonymity(2), formulation="column-generation")
    envelope = answer.certificate()
    counted = CertifiedTable.of(FrequencySet.of(table), "s")
    return Nodes(counted.counts, counted.levels, envelope.proof["values"]), envelope, dict(envelope.proof)


ZERO = {"kinds": [0] * 5, "cuts": []}
REFUSED: dict[str, Any] = {
    "kinds lists": {"kinds": [["1"], ["2"], ["5"], ["6"], ["6"]]},
    "more often": {"classes": [[0, 1], [2, 3, 4], [4, 3]]},
    "in no class": {"classes": [[0, 1], [2, 3]]},
    "a class violates": {"classes": [[0, 1], [2, 3], [4]]},
    "lose": {"value": "2"},
    "lies above": {"bound": "100"},
    "does not hold": {"attributes": [{"kind": "numeric", "range": ["2", "12"]}]},
    "too small": {"limit": -1, "tree": [{"kinds": [0] * 5, "cuts": [], "empty": False}]},
    "alone": {"prices": {"kinds": [0] * 5, "cuts": []}, "cuts": [], "tree": None},
    "the tree ends": {"tree": [{"pair": [0, 1]}], "limit": 10**9},
    "goes on": lambda given: {"tree": [*given["tree"], given["tree"][-1]]},
    "not of two": {"tree": [{"pair": [1, 1]}], "limit": 10**9},
    "at a class": {"tree": [{"class": [0, 0], "most": 0}], "limit": 10**9},
    "is at a class": {"tree": [{"record": 0, "most": 0}], "limit": 10**9},
    "not of two records": {"tree": [{"pair": [1, 1]}], "limit": 10**9},
    "the prices alone": {"classes": None, "value": None, "bound": None, "tree": None},
    "prices alone do": {
        **dict.fromkeys(("classes", "value", "bound", "tree")),
        **{"loss": "class-size", "attributes": [], "unit": 1, "cuts": [], "prices": ZERO},
    },
    "prices of a leaf": {
        "tree": [{"kinds": [0] * 5, "cuts": [], "empty": False}],
        "cuts": [],
        "prices": {"kinds": [0] * 5, "cuts": []},
        "limit": 10**9,
    },
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_does_not_hold_is_refused_by_name(said: str) -> None:
    nodes, envelope, given = tight()
    assert accepted(nodes, envelope, given)
    conditions = Conditions(envelope.model, list(nodes.values), nodes.reference.tolist())
    odd = REFUSED[said]
    with pytest.raises(CertificateError, match=said):
        check_partition(nodes, conditions, {**given, **(odd(given) if callable(odd) else odd)})


NOT_READ: dict[str, Any] = {
    "the loss is": {"loss": "entropy"},
    "unit is 0": {"unit": 0},
    "unit is 3": {"unit": 3},
    "scale is 0": {"scale": 0},
    "suppressed is 5": {"suppressed": 5},
    "suppressed is -1": {"suppressed": -1},
    "attributes has 0": {"attributes": []},
    "kinds has 4": {"kinds": [["1"], ["2"], ["5"], ["6"]]},
    "kinds[][] is 1": {"kinds": [[1], ["2"], ["5"], ["6"], ["12"]]},
    "divisor is 0": {"cuts": [{"weights": [[0, 1]], "divisor": 0}]},
    "weights[][0] is 5": {"cuts": [{"weights": [[5, 1]], "divisor": 1}]},
    "weights[][1] is -1": {"cuts": [{"weights": [[0, -1]], "divisor": 1}]},
    "weights[] has 1": {"cuts": [{"weights": [[0]], "divisor": 1}]},
    "two weights of the kind 0": {"cuts": [{"weights": [[0, 1], [0, 1]], "divisor": 1}]},
    "weights has 0": {"cuts": [{"weights": [], "divisor": 1}]},
    "dues[] is -1": {"prices": {"kinds": [0] * 5, "cuts": [-1]}, "cuts": [{"weights": [[0, 1]], "divisor": 2}]},
    "dues has 1": {"prices": {"kinds": [0] * 5, "cuts": [0]}, "cuts": []},
    "prices has 4": {"prices": {"kinds": [0] * 4, "cuts": []}, "cuts": []},
    "limit is -2": {"limit": -2},
    "empty is 0": {"tree": [{**ZERO, "empty": 0}], "cuts": [], "prices": ZERO, "limit": 10**9},
    "classes has 0": {"classes": []},
    "classes[] has 0": {"classes": [[0, 1], [2, 3, 4], []]},
    "classes[][] is 5": {"classes": [[0, 1], [2, 3, 5]]},
    "classes has 6": {"classes": [[0], [1], [2], [3], [4], [0]]},
    "pair has 1": {"tree": [{"pair": [0]}], "limit": 10**9},
    "pair[] is 5": {"tree": [{"pair": [0, 5]}], "limit": 10**9},
    "class[] is 5": {"tree": [{"class": [5], "most": 0}], "limit": 10**9},
    "class has 0": {"tree": [{"class": [], "most": 0}], "limit": 10**9},
    "record is 5": {"tree": [{"record": 5, "most": 0}], "limit": 10**9},
    "most is 6": {"tree": lambda given: [{"class": given["classes"][0], "most": 6}], "limit": 10**9},
    "most is -1": {"tree": lambda given: [{"class": given["classes"][0], "most": -1}], "limit": 10**9},
    "value and bound are null": {"classes": None, "value": None},
    "bound are null": {"classes": None, "bound": None},
}


@pytest.mark.parametrize("said", NOT_READ)
def test_what_is_not_of_the_form_is_not_read(said: str) -> None:
    nodes, envelope, given = tight()
    conditions = Conditions(envelope.model, list(nodes.values), nodes.reference.tolist())
    odd = {name: each(given) if callable(each) else each for name, each in NOT_READ[said].items()}
    with pytest.raises(InputError, match=re.escape(said)):
        check_partition(nodes, conditions, {**given, **odd})


def test_what_would_take_too_long_is_not_read_and_is_no_refutation() -> None:
    nodes, envelope, given = tight()
    conditions = Conditions(envelope.model, list(nodes.values), nodes.reference.tolist())
    for odd in ({}, {"tree": [{"pair": [0, 1]}] * 10_000, "limit": 10**9}):
        with pytest.raises(InputError, match="too long"):
            check_partition(nodes, conditions, {**given, **odd}, work=Work(100))


def test_dates_and_values_without_a_hierarchy_are_recounted_as_they_are_shown() -> None:
    days = [date(2020, 1, 1), date(2020, 1, 3), date(2020, 2, 1), date(2020, 2, 11)]
    frame = pd.DataFrame({"day": days, "x": ["1", "1.5", "7", "9"], "s": list("abab")})
    table = Microdata.from_frame(frame, quasi_identifiers=["day", "x"], sensitive="s")
    answer = optimal_partition(table, KAnonymity(2), "ncp")
    text = counts_text(FrequencySet.of(table), "s").encode()
    found = verify(answer.certificate().to_json(), text, {})
    assert found.found.endswith(f"ncp (day over 737425 to 737466, x over 1 to 9) = {answer.objective}, the least")
    assert answer.objective == 2 * Fraction(2, 41) + 2 * Fraction(10, 41) + 2 * Fraction(5, 80) + 2 * Fraction(2, 8)


# ---------------------------------------------------------------------- what is certified, and what is not


def test_what_no_checker_knows_is_said_in_the_answer_and_by_its_certificate() -> None:
    frame = random_instance(random.Random(3)).table

    class Mine(NormalizedCertaintyPenalty):
        checked_as = None

    for model, loss, what in (
        (DeltaDisclosure(20), "ncp", "delta|δ"),
        (KAnonymity(1), Mine(), "NCP|Certainty"),
    ):
        answer = optimal_partition(frame, model, loss)
        assert isinstance(answer, Optimal)
        assert "not certified: no checker for" in answer.proof
        with pytest.raises(NotCertified, match=f"no checker for.*({what})"):
            answer.certificate()


def test_leaves_at_unequal_depth_have_no_checker() -> None:
    frame = pd.DataFrame({"x": list("abcc"), "s": list("yzyz")})
    table = Microdata.from_frame(frame, quasi_identifiers=["x"], sensitive="s")
    uneven = Hierarchy([("a", "ab", "*"), ("b", "ab", "*"), ("c", "*")], name="x", ragged="keep")
    answer = optimal_partition(table, KAnonymity(2), hierarchies={"x": uneven})
    assert "not certified: no checker for leaves at unequal depth" in answer.proof


def test_what_the_checker_does_not_accept_is_not_called_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> str:
        raise CertificateError("no")

    monkeypatch.setattr("tcloseness.optimal.partition_proof.check_partition", refuse)
    table = random_instance(random.Random(5), most=8).table
    alike = Microdata.from_frame(
        pd.DataFrame({"x": [1, 1, 2, 2], "s": list("abab")}), quasi_identifiers=["x"], sensitive="s"
    )
    for formulation in set(FORMULATIONS):
        nothing = optimal_partition(alike, KAnonymity(2), formulation=formulation)  # type: ignore[arg-type]
        assert isinstance(nothing, Optimal)
        assert nothing.objective == 0  # what any partition costs needs no checker
        assert "no classes of these records cost less; not certified: the checker refuses it: no" in nothing.proof
        answer = optimal_partition(table, KAnonymity(2), formulation=formulation)  # type: ignore[arg-type]
        if answer.objective:
            assert isinstance(answer, Feasible)
            assert answer.bound < answer.objective
            assert "not proved optimal: not certified: the checker refuses it: no" in answer.proof
        with pytest.raises(NotCertified, match="refuses it: no"):
            answer.certificate()


@pytest.mark.parametrize("formulation", ["set-partitioning", "assignment"])
def test_an_answer_stands_where_its_proof_meets_a_solver_that_fails(
    formulation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise SolverError("HiGHS ended without an answer")

    monkeypatch.setattr("tcloseness.optimal.partition.Task._generate", fails)
    frame = pd.DataFrame({"x": [1, 2, 5, 6, 12], "s": list("ababa")})
    table = Microdata.from_frame(frame, quasi_identifiers=["x"], sensitive="s")
    answer = optimal_partition(table, KAnonymity(2), formulation=formulation)
    assert isinstance(answer, Feasible)
    assert answer.proof.endswith("not proved optimal: HiGHS ended without an answer")


@pytest.mark.long
def test_a_bound_below_the_loss_is_certified_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes are generated and no tree is searched: what the prices alone show is the certificate's bound."""
    monkeypatch.setattr("tcloseness.optimal.column_generation._Search.deepen", lambda self: self._round())
    draw, tried = random.Random(44), 0
    for _ in range(40):
        instance = random_instance(draw, most=8)
        answer = optimal_partition(instance.table, KAnonymity(2), formulation="column-generation")
        if isinstance(answer, Feasible):
            tried += 1
            envelope = answer.certificate()
            assert envelope.proof["bound"] == number_text(answer.bound)
            found = verify(envelope.to_json(), counts_text(FrequencySet.of(instance.table), "s").encode(), {})
            assert found.found.endswith(f"and none loses less than {answer.bound}")
    assert tried


@pytest.mark.slow
@pytest.mark.parametrize(
    ("records", "model", "least"),
    [
        (40, KAnonymity(3) & TCloseness("1/2", ground="equal"), Fraction(294353, 11055)),
        (40, KAnonymity(5), None),
        (60, KAnonymity(3), None),
        (100, KAnonymity(3), None),
    ],
    ids=["k = 3, t = 1/2", "k = 5", "60", "100"],
)
def test_the_samples_of_adult_are_proved_by_less_than_a_megabyte(
    records: int, model: Any, least: Fraction | None
) -> None:
    from experiments.bench.programs import THREE, sample

    table = sample(records, THREE)
    answer = optimal_partition(table, model, formulation="column-generation", seed=0)
    assert isinstance(answer, Optimal)
    assert least is None or answer.objective == least
    envelope = answer.certificate()
    verify(envelope.to_json(), counts_text(FrequencySet.of(table), "occupation").encode(), {})
    assert len(envelope.to_json()) < 2**20


def test_prices_of_cuts_and_of_suppressed_records_are_told_apart() -> None:
    draw = random.Random(0)
    columns = {name: [draw.randint(0, 30) for _ in range(24)] for name in "xyz"}
    frame = pd.DataFrame({**columns, "s": ["a", "b"] * 12})
    table = Microdata.from_frame(frame, quasi_identifiers=list("xyz"), sensitive="s")
    answer = optimal_partition(table, KAnonymity(3), formulation="column-generation", suppress_at_most=2, seed=0)
    proof = answer.certificate().proof
    leaves = [entry["cuts"] for entry in proof["tree"] if "cuts" in entry]
    assert isinstance(answer, Optimal)
    assert proof["cuts"]
    assert any(dues != dues[-1:] + dues[:-1] for dues in leaves)
