"""Certificates of searches that may suppress records, and of losses of classes: against all nodes, one by one."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from proofs_tests.certificates.tables import FILES, HIERARCHIES, LOSSES, models, rolled, table
from tcloseness.certificates import (
    TASKS,
    Envelope,
    check,
    losses,
    nodes as nodes_of_tables,
    read_certificate,
    seal,
    verify,
)
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.limits import LIMITED_MINIMAL, LIMITED_OPTIMUM, ruled_out
from tcloseness.certificates.nodes import Nodes
from tcloseness.certificates.reading import Counts
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, CertificateFormatError, InputError, NotCertified
from tcloseness.lattice import RollUp, search_lattice
from tcloseness.lattice.measured import release_at
from tcloseness.loss import (
    AverageClassSize,
    Discernibility,
    GeneralizationHeight,
    GlobalCertaintyPenalty,
    Precision,
)
from tcloseness.models import KAnonymity, TCloseness
from tcloseness.models.certified import CertifiedTable

LIMITED = {
    loss.checked_as: loss
    for loss in (
        *LOSSES,
        GeneralizationHeight(suppressed="whole"),
        *(Discernibility(each) for each in ("whole-table", "one-class", "before-suppression", "excluded")),
        *(AverageClassSize(k, each) for k in (None, 3) for each in ("excluded", "in-n", "one-class")),
    )
}


def satisfying(searched: RollUp, model: Any, limit: int) -> set[tuple[int, ...]]:
    """All nodes whose violating classes hold at most so many records, and not all."""
    found = set()
    for node in searched.lattice:
        classes = searched.classes(node)
        lost = int(classes.class_sizes[model.evaluate(classes).violating].sum())
        if lost <= limit and lost < searched.records:
            found.add(node)
    return found


def minimal_among(found: set[tuple[int, ...]], searched: RollUp) -> set[tuple[int, ...]]:
    return {node for node in found if not any(child in found for child in searched.lattice.children(node))}


def least(searched: RollUp, model: Any, limit: int, loss: Any) -> tuple[Fraction, set[tuple[int, ...]]]:
    """The least loss of a satisfying node after suppression, and all that have it."""
    sign = -1 if getattr(loss, "better", "lower") == "higher" else 1
    values = {
        node: loss.evaluate(release_at(searched, node, model, limit=limit)[0]).value
        for node in satisfying(searched, model, limit)
    }
    best = min(sign * value for value in values.values())
    return sign * best, {node for node, value in values.items() if sign * value == best}


def states_something_true(record: dict[str, Any], searched: RollUp, model: Any) -> bool:
    proof = record["proof"]
    if record["format"] == LIMITED_MINIMAL:
        nodes = {tuple(node) for node in proof["minimal"]}
        return nodes == minimal_among(satisfying(searched, model, proof["limit"]), searched)
    value, optima = least(searched, model, proof["limit"], LIMITED[proof["loss"]])
    return {tuple(node) for node in proof["optima"]} == optima and proof["value"] == str(value)


def certified(searched: RollUp, model: Any, loss: Any, limit: int) -> Envelope:
    wanted = "minimal" if loss is None else "optimum"
    return search_lattice(searched, model, ground="equal", wanted=wanted, loss=loss, suppression=limit).certificate()


def drawn(rng: random.Random) -> tuple[Any, RollUp]:
    frame = table(rng)
    return frame, rolled(frame)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:column")
@pytest.mark.parametrize("tables", [2, pytest.param(200, marks=pytest.mark.slow)])
def test_every_search_under_a_limit_is_proved_from_the_files_alone(tables: int) -> None:
    rng = random.Random(30)
    seen = set()
    for _ in range(tables):
        frame, searched = drawn(rng)
        file = frame.to_csv(index=False).encode()
        for model in models(rng):
            limit = rng.randint(1, min(4, len(frame)))
            for loss in (None, rng.choice(list(LIMITED.values()))):
                envelope = certified(searched, model, loss, limit)
                record = json.loads(envelope.to_json())
                found = verify(envelope.to_json(), file, FILES).found
                seen.add(envelope.format)
                assert record["proof"]["limit"] == limit
                assert states_something_true(record, searched, model)
                if envelope.format == LIMITED_MINIMAL:
                    assert found.endswith(f"; {len(satisfying(searched, model, limit))} satisfy")
                    assert f"at most {limit} of {counted(len(frame), 'record')} suppressed" in found
    assert seen == {LIMITED_MINIMAL, LIMITED_OPTIMUM}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:column")
def test_the_best_by_a_loss_of_classes_is_proved_with_no_record_suppressed() -> None:
    rng = random.Random(31)
    proved = set()
    for _ in range(2):
        _, searched = drawn(rng)
        for model in rng.sample(models(rng), 2):
            for name, loss in LIMITED.items():
                if name in losses.CELLS or not satisfying(searched, model, 0):
                    continue
                envelope = certified(searched, model, loss, 0)
                assert (envelope.format, envelope.proof["limit"]) == (LIMITED_OPTIMUM, 0)
                assert states_something_true(json.loads(envelope.to_json()), searched, model)
                proved.add(name)
    assert len(proved) == 10


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:column")
@pytest.mark.parametrize("tables", [6, pytest.param(300, marks=pytest.mark.slow)])
def test_no_changed_proof_is_accepted_that_says_what_is_not_so(tables: int) -> None:
    rng = random.Random(32)
    accepted = refused = 0
    for _ in range(tables):
        frame, searched = drawn(rng)
        read = CertifiedTable.of(searched.frequencies, searched.sensitive, HIERARCHIES)
        for model in rng.sample(models(rng), 5):
            loss = rng.choice([None, *LIMITED.values()])
            given = json.loads(certified(searched, model, loss, rng.randint(0 if loss else 1, len(frame))).to_json())
            if given["format"] not in (LIMITED_MINIMAL, LIMITED_OPTIMUM):
                continue
            proofs = [changed(rng, given["proof"]) for _ in range(10)]
            for key in ("minimal", "optima", "satisfying", "violating"):
                if key in given["proof"]:
                    other = [list(rng.choice(list(searched.lattice))) for _ in range(rng.randint(0, 2))]
                    proofs += [{**given["proof"], key: nodes} for nodes in (other, given["proof"][key] + other)]
            for proof in proofs:
                record = {**given, "proof": proof}
                record["sha256"] = seal(record)
                try:
                    check(read_certificate(json.dumps(record)), read.counts, read.levels)
                except CertificateError:
                    refused += 1
                else:
                    accepted += 1
                    assert states_something_true(record, searched, model), record["proof"]
    assert refused > 2 * accepted
    assert accepted > tables


@pytest.mark.filterwarnings("ignore:column")
@pytest.mark.parametrize("loss", [None, LIMITED["gcp"], LIMITED["class-size/3"]], ids=["minimal", "gcp", "C_AVG"])
def test_whatever_stands_in_a_place_a_certificate_is_refused_or_true(loss: Any) -> None:
    rng = random.Random(f"{loss}")
    _, searched = drawn(random.Random(9))
    read = CertifiedTable.of(searched.frequencies, searched.sensitive, HIERARCHIES)
    for model in models(random.Random(9))[::3]:
        given = json.loads(certified(searched, model, loss, 2).to_json())
        for way in places_of(given["proof"]):
            for odd in rng.sample(ODD, 3):
                record = {**given, "proof": with_at(given["proof"], way, odd)}
                record["sha256"] = seal(record)
                try:
                    check(read_certificate(json.dumps(record)), read.counts, read.levels)
                except CertificateError:
                    continue
                assert states_something_true(record, searched, model), (way, odd)


# ---------------------------------------------------------------------- what is ruled out


def test_a_node_that_all_records_must_leave_rules_out_what_is_below() -> None:
    """Whatever the limit: at least one record stays."""
    counts = Counts.of(["a", "s"], {("text:1", "text:x"): 2, ("text:2", "text:x"): 1})
    nodes = Nodes(counts, {"a": None}, ["text:x", "text:y"])
    conditions = Conditions([{"condition": "values", "least": 2}], nodes.values, nodes.reference.tolist())
    assert ruled_out(nodes, (1,), conditions, 3)
    assert not ruled_out(nodes, (1,), Conditions([{"condition": "records", "least": 3}], nodes.values, [3, 0]), 0)


def test_what_would_take_too_long_is_refused_and_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = Counts.of(["a", "s"], {("text:1", "text:x"): 2**50, ("text:1", "text:y"): 2**50 + 1})
    model = [{"condition": "entropy", "l": str(2 - Fraction(1, (2**51 + 1) ** 2))}]  # logarithms leave it open
    nodes = Nodes(counts, {"a": None}, ["text:x", "text:y"])
    with pytest.raises(InputError, match="too long"):
        ruled_out(nodes, (0,), Conditions(model, nodes.values, nodes.reference.tolist()), 1)
    many = Counts.of([*(f"q{i}" for i in range(24)), "s"], {("text:1",) * 24 + ("text:x",): 1})
    wide = Nodes(many, dict.fromkeys(many.columns[:-1]), ["text:x"])
    one = Conditions([{"condition": "records", "least": 1}], ["text:x"], [1])
    proof = {"values": ["text:x"], "limit": 0, "minimal": [], "satisfying": [], "violating": []}
    with pytest.raises(CertificateFormatError, match="too long"):
        TASKS[LIMITED_MINIMAL].check(wide, one, proof)
    rows = {("text:1",) * 24 + ("text:x",): 1, ("text:2",) + ("text:1",) * 23 + ("text:x",): 1}
    wide = Nodes(Counts.of(many.columns, rows), dict.fromkeys(many.columns[:-1]), ["text:x"])
    two = Conditions([{"condition": "records", "least": 2}], ["text:x"], [2])
    best = {"values": ["text:x"], "limit": 0, "loss": "discernibility", "value": "4"}
    best |= {"optima": [[1] + [0] * 23], "violating": []}
    monkeypatch.setattr(nodes_of_tables, "_MOST_WORK", 2**24)
    with pytest.raises(CertificateFormatError, match="16 nodes that are left"):
        TASKS[LIMITED_OPTIMUM].check(wide, two, best)


# ---------------------------------------------------------------------- what is not certified


def test_what_no_checker_knows_is_not_certified() -> None:
    _, searched = drawn(random.Random(8))
    for loss in (GlobalCertaintyPenalty(suppressed="excluded"), Precision(suppressed="excluded")):
        with pytest.raises(NotCertified, match="no checker for the loss"):
            certified(searched, KAnonymity(2), loss, 1)
    with pytest.raises(NotCertified, match="no checker for the loss"):
        certified(searched, KAnonymity(1), AverageClassSize("achieved"), 0)


def test_a_loss_that_no_checker_knows_is_refused() -> None:
    frame, searched = drawn(random.Random(9))
    given = json.loads(certified(searched, KAnonymity(1), LIMITED["class-size/3"], 1).to_json())
    for name in ("", "class-size/0", "class-size/-3", "class-size/x", "class-size/", "gcp/3", "classes"):
        record = {**given, "proof": {**given["proof"], "loss": name}}
        record["sha256"] = seal(record)
        with pytest.raises(CertificateError):
            verify(json.dumps(record), frame.to_csv(index=False).encode(), FILES)


@pytest.mark.slow
@pytest.mark.parametrize("share", ["0.01", "0.05"])
def test_searches_of_the_adult_table_under_a_limit_are_proved(share: str) -> None:
    from experiments import adult
    from experiments.adult_hierarchies import occupation_groups, preset
    from tcloseness.microdata import FrequencySet

    frame, levels = adult.load("train-complete"), preset("T1")
    found = FrequencySet.from_frame(frame, quasi_identifiers=list(levels), sensitive="occupation")
    searched = RollUp(found, levels)
    for ground in (occupation_groups("S1"), "equal"):
        model = KAnonymity(5) & TCloseness("0.2", ground=ground)
        envelope = certified(searched, model, None, int(Fraction(share) * 30162))
        assert len(envelope.proof["violating"]) <= 22
        assert len(envelope.to_json()) < 8000
        assert certified(searched, model, GlobalCertaintyPenalty(), 301).proof["limit"] == 301
    best = certified(searched, model, Discernibility(), 0)
    minimal = certified(searched, model, None, 0).proof["minimal"]
    values = [Discernibility().evaluate(searched.classes(tuple(node))).value for node in minimal]
    assert best.proof["value"] == str(min(values))


def test_what_is_said_of_a_search_under_a_limit() -> None:
    """Two values of one quasi-identifier, three records of one and one of the other."""
    counts = Counts.of(["a", "s"], {("text:1", "text:x"): 3, ("text:2", "text:x"): 1})
    nodes = Nodes(counts, {"a": None}, ["text:x"])
    two = Conditions([{"condition": "records", "least": 2}], ["text:x"], [4])
    base: dict[str, Any] = {"values": ["text:x"], "limit": 1, "satisfying": [], "violating": []}
    minimal = TASKS[LIMITED_MINIMAL].check
    said = "at most 1 of 4 records suppressed: 1 node: 0, minimal of 2 nodes; 2 satisfy"
    assert minimal(nodes, two, {**base, "minimal": [[0]]}) == said
    assert minimal(nodes, two, {**base, "minimal": [[0]], "satisfying": [[0]]}) == said
    none = "no record suppressed: 1 node: 1, minimal of 2 nodes; 1 satisfy"
    assert minimal(nodes, two, {**base, "limit": 0, "minimal": [[1]], "violating": [[0]]}) == none
    for change, told in (
        ({"minimal": []}, r"the node \[0\] is a minimal one"),
        ({"minimal": [[1]]}, r"the node \[0\] is a minimal one"),
        ({"minimal": [[0], [1]]}, r"the node \[1\] is not a minimal one"),
        ({"minimal": [[0]], "violating": [[0]]}, "does not show that no node below"),
        ({"minimal": [[1]], "limit": 0, "satisfying": [[0]]}, "does not show that those above"),
    ):
        with pytest.raises(CertificateError, match=told):
            minimal(nodes, two, {**base, **change})
    with pytest.raises(InputError):
        minimal(nodes, two, {**base, "minimal": [[0]], "limit": 5})
    optimum = TASKS[LIMITED_OPTIMUM].check
    best = {"values": ["text:x"], "limit": 1, "loss": "gcp", "value": "1/4", "optima": [[0]], "violating": []}
    assert optimum(nodes, two, best) == ("at most 1 of 4 records suppressed: 1 node: 0, of 2 nodes; gcp = 1/4")
    for change, told in (
        ({"value": "1/3"}, "is 1/4, not '1/3'"),
        ({"optima": [[1]], "value": "1"}, r"the node \[0\] is better"),
        ({"optima": [[0], [1]]}, r"the node \[1\] is not optimal"),
        ({"limit": 0}, "does not satisfy"),
        ({"limit": 0, "optima": [[1]], "value": "1", "violating": [[1]]}, "does not show"),
    ):
        with pytest.raises(CertificateError, match=told):
            optimum(nodes, two, {**best, **change})
    sizes = {"loss": "class-size-one-class/2", "value": "1", "optima": [[0]]}
    assert "class-size-one-class/2 = 1" in optimum(nodes, two, {**best, **sizes})
    tie = {"loss": "discernibility-before-suppression", "value": "10", "optima": [[0]]}
    assert optimum(nodes, two, {**best, **tie})


def test_squares_of_large_classes_are_exact() -> None:
    many = 2**40
    counts = Counts.of(["a", "s"], {("text:1", "text:x"): many, ("text:2", "text:x"): many + 1})
    nodes = Nodes(counts, {"a": None}, ["text:x"])
    one = Conditions([{"condition": "records", "least": 1}], ["text:x"], [2 * many + 1])
    value = str(many**2 + (many + 1) ** 2)
    best = {
        "values": ["text:x"],
        "limit": 0,
        "loss": "discernibility",
        "value": value,
        "optima": [[0]],
        "violating": [],
    }
    assert TASKS[LIMITED_OPTIMUM].check(nodes, one, best).endswith(value)


def test_more_quasi_identifiers_than_a_table_of_nodes_has_sides_are_refused() -> None:
    names = [f"q{i}" for i in range(33)]
    read = Counts.of([*names, "s"], {("text:x",) * 33 + ("text:y",): 2})
    with pytest.raises(CertificateFormatError, match="33 quasi-identifiers; at most 32"):
        Nodes(read, {name: [("x",)] for name in names}, ["text:y"])
    fewer = Counts.of([*names[1:], "s"], {("text:x",) * 32 + ("text:y",): 2})
    assert Nodes(fewer, {name: [("x",)] for name in names[1:]}, ["text:y"]).shape == (1,) * 32
