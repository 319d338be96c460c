"""Certificates of searches that may suppress records, and of losses of classes: against all nodes, one by one."""

from __future__ import annotations

import itertools
import json
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from proofs_tests.certificates.tables import FILES, HIERARCHIES, LOSSES, models, rolled, table
from tcloseness.certificates import (
    TASKS,
    Envelope,
    check,
    conditions as conditions_of_classes,
    losses,
    nodes as nodes_of_tables,
    read_certificate,
    seal,
    verify,
)
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.leaving import fewest_leaving
from tcloseness.certificates.limits import LIMITED_MINIMAL, LIMITED_OPTIMUM, ruled_out
from tcloseness.certificates.nodes import Nodes
from tcloseness.certificates.reading import Counts
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
from tcloseness.models.certified import CertifiedTable, checked_conditions

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
                    assert f"at most {limit} of {len(frame)} records suppressed" in found
    assert seen == {LIMITED_MINIMAL, LIMITED_OPTIMUM}


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


# ---------------------------------------------------------------------- what must leave


@pytest.mark.parametrize("classes", [150, pytest.param(5000, marks=pytest.mark.slow)])
def test_no_part_that_satisfies_is_larger_than_the_bound(classes: int) -> None:
    """Of all parts of a class; what satisfies is decided by `Conditions`, which other tests hold to the models."""
    rng = random.Random(33)
    exact = bounded = 0
    for _ in range(classes):
        _, searched = drawn(rng)
        reference = searched.reference.tolist()
        counts = [rng.randint(0, min(c, 4)) for c in reference]
        if not any(counts):
            continue
        model = rng.choice(models(rng))
        values = CertifiedTable.of(searched.frequencies, searched.sensitive).values
        conditions = Conditions(checked_conditions(model, searched.domain), values, reference)
        parts = np.array([part for part in itertools.product(*(range(c + 1) for c in counts)) if any(part)])
        most = int(parts.sum(axis=1)[~conditions.violating(parts)].max(initial=0))
        bound = sum(counts) - fewest_leaving([np.array([counts])], conditions, 10**6)
        assert bound >= most, (counts, model)
        exact += bound == most
        bounded += 1
    assert exact > 0.8 * bounded


def as_documented(counts: list[int], q: list[int], sets: list[tuple[frozenset[int], Fraction]], t: Fraction) -> int:
    """The bound of a condition `distance`, written anew from the page about certificates."""
    total, values = sum(q), range(len(q))

    def apart(x: list[int], inside: frozenset[int]) -> int:
        return sum(x[v] for v in inside) * total - sum(x) * sum(q[v] for v in inside)

    if sum(w * abs(apart(counts, inside)) for inside, w in sets) <= t * total * sum(counts):
        return sum(counts)
    x, best = counts, sum(counts)
    for _ in range(4):
        signs = [(apart(x, inside) > 0) - (apart(x, inside) < 0) for inside, _w in sets]
        signed = [(inside, w * s) for (inside, w), s in zip(sets, signs, strict=True)]
        u = [sum((each for inside, each in signed if v in inside), Fraction(0)) for v in values]
        d = [total * u[v] - sum(q[j] * u[j] for j in values) - t * total for v in values]
        left, x = Fraction(0), [0] * len(q)
        for v in sorted(values, key=lambda v: (d[v], v)):
            x[v] = counts[v] if d[v] <= 0 else min(counts[v], left // d[v])
            left -= x[v] * d[v]
        best = min(best, sum(x))
    return best


@pytest.mark.parametrize("scale", [1, 10**6, 2**40])
@pytest.mark.parametrize("classes", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_what_stays_within_t_is_bounded_as_the_page_says(classes: int, scale: int) -> None:
    rng = random.Random(scale)
    tree = {"name": "laminar", "order": [2, 0, 3, 1], "low": [0, 0, 2, 2], "high": [2, 1, 4, 3]}
    tree |= {"weights": ["3", "1", "2", "1"], "denominator": "7"}
    members = [({2, 0}, 3), ({2}, 1), ({3, 1}, 2), ({3}, 1)]
    grounds: list[tuple[Any, list[tuple[frozenset[int], Fraction]]]] = [
        ({"name": "equal", "m": 4}, [(frozenset({v}), Fraction(1, 2)) for v in range(4)]),
        ({"name": "ordered", "m": 4}, [(frozenset(range(v + 1)), Fraction(1, 3)) for v in range(3)]),
        (tree, [(frozenset(inside), Fraction(w, 7)) for inside, w in members]),
    ]
    bounded = 0
    for _ in range(classes):
        ground, sets = rng.choice(grounds)
        reference = [rng.randint(1, 9) * scale + rng.randint(0, 1) for _ in range(4)]
        t = Fraction(rng.randint(0, 6), rng.choice([10, 11, 3 * 2**20]))
        record = {"condition": "distance", "t": str(t), "ground": ground}
        conditions = Conditions([record], [f"text:{v}" for v in range(4)], reference)
        block = [[rng.randint(0, 9) * scale + rng.randint(0, 2) for _ in range(4)] for _ in range(3)]
        block = [counts for counts in block if any(counts)]
        stays = [as_documented(counts, reference, sets, t) for counts in block]
        bounded += any(0 < stay < sum(counts) for stay, counts in zip(stays, block, strict=True))
        if block:
            leave = fewest_leaving([np.array(block)], conditions, 10**30)
            assert leave == sum(map(sum, block)) - sum(stays), (block, reference, ground, t)
    assert bounded > classes // 4


IN_TURN = [
    ([3, 3, 3, 5, 2, 1], [1, 0, 0, 5, 0, 1], [0, 5, 4, 2, 1, 3], 1, Fraction(3, 32)),
    ([2, 5, 3, 3, 5, 5], [0, 0, 3, 1, 2, 5], [1, 5, 4, 2, 3, 0], 3, Fraction(1, 64)),
    ([3, 5, 1, 2, 3], [0, 2, 0, 1, 3], [0, 2, 4, 3, 1], 2, Fraction(5, 32)),
]
"""Of reference, counts, order, a place in it and t: where the turn of records that cost the same decides."""

FOUR_TIMES = ([2, 2, 1, 5, 5, 1], [2, 0, 0, 5, 1, 1], [5, 0, 1, 2, 4, 3], 4, Fraction(5, 32))
"""Where three times are not enough."""


@pytest.mark.parametrize("case", [*IN_TURN, FOUR_TIMES])
def test_of_records_that_cost_the_same_those_of_the_first_values_stay(case: Any) -> None:
    """In the order of the values, whatever the order is in which the sets hold them."""
    reference, counts, order, k, t = case
    m = len(order)
    sets = [*((i, i + 1) for i in range(m)), (0, k), (k, m)]
    ground = {
        "name": "laminar", "order": order, "low": [low for low, _ in sets], "high": [high for _, high in sets],
        "weights": ["1"] * len(sets), "denominator": "4",
    }  # fmt: skip
    record = {"condition": "distance", "t": str(t), "ground": ground}
    conditions = Conditions([record], [f"text:{v}" for v in range(m)], reference)
    found = sum(counts) - fewest_leaving([np.array([counts])], conditions, 10**6)
    cuts = [(frozenset(order[a:b]), Fraction(1, 4)) for a, b in sets]
    assert found == as_documented(counts, reference, cuts, t)
    if case in IN_TURN:
        moved = [(frozenset(range(a, b)), weight) for (a, b), (_, weight) in zip(sets, cuts, strict=True)]
        assert found != as_documented([counts[v] for v in order], [reference[v] for v in order], moved, t)


def test_counting_ends_once_it_is_enough_and_adds_up_over_classes() -> None:
    conditions = Conditions([{"condition": "share", "most": "1/2", "values": None}], ["text:x", "text:y"], [300, 100])
    classes = np.array([[4, 1]] * 100)
    assert fewest_leaving([classes], conditions, 10**6) == 300  # 1 and 1 of each stay
    assert fewest_leaving([classes], conditions, 7) == 48  # of the first 16
    assert fewest_leaving([classes, classes], conditions, 10**6) == 600


def test_numbers_beyond_64_bits_leave_as_many_as_small_ones() -> None:
    """Counts, reference and t with a large factor in all: the share that may stay is the same."""
    ground = {"name": "ordered", "m": 3}
    for t, factor in (("1/5", 1), ("1/5", 2**45), (f"{2**60 // 5}/{2**60}", 2**40)):
        conditions = Conditions(
            [{"condition": "distance", "t": t, "ground": ground}], ["a", "b", "c"], [8 * factor, 8 * factor, 8 * factor]
        )
        leave = fewest_leaving([np.array([[8, 1, 1]]) * factor], conditions, 10**20)
        assert leave // factor in (4, 5), leave


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


def test_a_ground_distance_is_read_once_however_many_nodes_are_ruled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    cuts_of = conditions_of_classes.cuts_of
    monkeypatch.setattr(conditions_of_classes, "cuts_of", lambda *given: read.append(given) or cuts_of(*given))
    asked = [
        {"condition": "distance", "t": t, "ground": {"name": ground, "m": 3}}
        for t, ground in (("0", "equal"), ("1/9", "ordered"))
    ]
    conditions = Conditions(asked, ["a", "b", "c"], [3, 2, 1])
    for _ in range(5):
        assert fewest_leaving([np.array([[3, 0, 0], [0, 2, 1]])], conditions, 6) == 6
    assert len(read) == 2
