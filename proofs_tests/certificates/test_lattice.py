"""Certificates of searches: what is found is proved, and what is not so is refused, whatever a certificate says."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from proofs_tests.certificates.tables import FILES, HIERARCHIES, LOSSES, models, rolled, table
from tcloseness.certificates import (
    TASKS,
    Checked,
    Conditions,
    Counts,
    Envelope,
    Nodes,
    Reading,
    canonical_text,
    check,
    check_nodes,
    described,
    losses as losses_of_nodes,
    read_certificate,
    read_counts,
    read_table,
    seal,
    verify,
)
from tcloseness.certificates.lattice import MINIMAL, check_minimal, check_optimum
from tcloseness.certificates.losses import loss_named
from tcloseness.errors import CertificateError, CertificateFormatError, NotCertified
from tcloseness.ground import Matrix
from tcloseness.lattice import RollUp, search_lattice
from tcloseness.models import DeltaDisclosure, KAnonymity, TCloseness
from tcloseness.models.certified import CertifiedTable


def truth(table: RollUp, model: Any) -> set[tuple[int, ...]]:
    """All nodes that satisfy."""
    return {node for node in table.lattice if model.evaluate(table.classes(node)).satisfied}


def minimal_of(found: set[tuple[int, ...]], table: RollUp) -> set[tuple[int, ...]]:
    return {node for node in found if not any(child in found for child in table.lattice.children(node))}


def certified(table: RollUp, model: Any, loss: Any = None) -> tuple[Envelope, Any]:
    wanted = "minimal" if loss is None else "optimum"
    answer = search_lattice(table, model, ground="equal", wanted=wanted, loss=loss)
    return answer.certificate(), answer


@pytest.mark.long
@pytest.mark.parametrize("tables", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_every_search_is_proved_from_the_files_alone(tables: int) -> None:
    rng = random.Random(20)
    for _ in range(tables):
        frame = table(rng)
        file = frame.to_csv(index=False).encode()
        searched = rolled(frame)
        for model in models(rng):
            for loss in (None, rng.choice(LOSSES)):
                envelope, answer = certified(searched, model, loss)
                text = envelope.to_json()
                assert read_certificate(text) == envelope
                assert verify(text, file, FILES).envelope == envelope
                satisfying = truth(searched, model)
                if answer.optimum is None or not satisfying:
                    assert {tuple(node) for node in envelope.proof["minimal"]} == minimal_of(satisfying, searched)
                else:
                    sign = -1 if getattr(loss, "better", "lower") == "higher" else 1
                    values = {node: sign * loss.evaluate(searched.release(node)).value for node in satisfying}
                    best = {node for node, value in values.items() if value == min(values.values())}
                    assert {tuple(node) for node in envelope.proof["optima"]} == best


def states_something_true(record: dict[str, Any], searched: RollUp, model: Any, loss: Any) -> bool:
    """Whether a certificate whose proof alone was changed says what is so."""
    satisfying = truth(searched, model)
    if record["format"] == MINIMAL:
        return {tuple(node) for node in record["proof"]["minimal"]} == minimal_of(satisfying, searched)
    sign = -1 if getattr(loss, "better", "lower") == "higher" else 1
    values = {node: sign * loss.evaluate(searched.release(node)).value for node in satisfying}
    best = {node for node, value in values.items() if value == min(values.values())}
    return {tuple(node) for node in record["proof"]["optima"]} == best


@pytest.mark.long
@pytest.mark.parametrize("tables", [4, pytest.param(200, marks=pytest.mark.slow)])
def test_no_changed_proof_is_accepted_that_says_what_is_not_so(tables: int) -> None:
    rng = random.Random(21)
    accepted = refused = 0
    for _ in range(tables):
        searched = rolled(table(rng))
        read = CertifiedTable.of(searched.frequencies, searched.sensitive, HIERARCHIES)
        for model in models(rng):
            loss = rng.choice([None, *LOSSES])
            envelope, _ = certified(searched, model, loss)
            given = json.loads(envelope.to_json())
            for _ in range(12):
                record = {**given, "proof": changed(rng, given["proof"])}
                record["sha256"] = seal(record)
                try:
                    check(read_certificate(json.dumps(record)), read.counts, read.levels)
                except CertificateError:
                    refused += 1
                else:
                    accepted += 1
                    assert states_something_true(record, searched, model, loss), record["proof"]
    assert refused > 3 * accepted
    assert accepted


def random_lattice(rng: random.Random) -> tuple[Nodes, Conditions, dict[tuple[int, ...], list[list[str]]]]:
    """A table under the hierarchies, what is asked of its classes, and by node the labels of those that violate."""
    paths = {"a": HIERARCHIES["a"].paths, "b": [("p", "*"), ("q", "*")]}
    records = [(rng.choice("1234"), rng.choice("pq"), rng.choice("xy")) for _ in range(rng.randint(2, 9))]
    counted = Counter(tuple(f"text:{cell}" for cell in record) for record in records)
    nodes = Nodes(Counts.of(["a", "b", "s"], counted), {"a": paths["a"], "b": None}, ["text:x", "text:y"])
    kind, least = rng.choice([("records", 2), ("records", 3), ("values", 2)])
    conditions = Conditions([{"condition": kind, "least": least}], nodes.values, nodes.reference.tolist())
    label = {name: {path[0]: path for path in rows} for name, rows in paths.items()}
    violating = {}
    for node in itertools.product(range(3), range(2)):
        classes: dict[tuple[str, ...], list[str]] = {}
        for a, b, value in records:
            classes.setdefault((label["a"][a][node[0]], label["b"][b][node[1]]), []).append(value)
        sizes = {labels: len(set(of) if kind == "values" else of) for labels, of in classes.items()}
        violating[node] = [list(labels) for labels, size in sizes.items() if size < least]
    return nodes, conditions, violating


def accepted(check_proof: Any, *given: Any) -> bool:
    try:
        check_proof(*given)
    except CertificateError:
        return False
    return True


def is_below(node: tuple[int, ...], others: Any) -> bool:
    """Whether one of some nodes is at or above a node."""
    return any(all(a <= b for a, b in zip(node, other, strict=True)) for other in others)


@pytest.mark.parametrize("tables", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_a_list_of_nodes_is_accepted_just_if_the_proof_shows_that_it_is_the_answer(tables: int) -> None:
    """Every list of at most three satisfying nodes in every order, and lists with one that violates; of the classes
    that violate, those of all nodes or of some."""
    rng, found = random.Random(31), Counter[tuple[str, bool]]()
    for _ in range(tables):
        nodes, conditions, violating = random_lattice(rng)
        bad = [node for node, labels in violating.items() if labels]
        good = [node for node, labels in violating.items() if not labels]
        lists = [list(each) for many in range(4) for each in itertools.permutations(good, many)]
        lists += [[*rng.sample(good, min(len(good), 1)), node] for node in bad]
        for answer in lists:
            told = rng.choice([bad, [node for node in bad if rng.random() < 0.6]])
            classes = [{"node": list(node), "class": rng.choice(violating[node])} for node in told]
            stated = {"values": list(nodes.values), "violating": classes}
            children = [
                (*node[:i], level - 1, *node[i + 1 :]) for node in answer for i, level in enumerate(node) if level
            ]
            known = all(is_below(node, told) or any(is_below(each, [node]) for each in answer) for node in violating)
            right = known and all(is_below(child, told) for child in children) and not set(answer) & set(bad)
            proof = {**stated, "minimal": list(map(list, answer))}
            assert accepted(check_minimal, nodes, conditions, proof) == right, proof
            found["minimal", right] += 1
            for value in {sum(node) + more for node in answer for more in (0, 1)}:  # its height is what a node loses
                as_good = [node for node in violating if sum(node) <= value and node not in answer]
                right = {sum(node) for node in answer} == {value} and not set(answer) & set(bad)
                right = right and all(is_below(node, told) for node in as_good)
                proof = {**stated, "loss": "height", "value": str(value), "optima": list(map(list, answer))}
                assert accepted(check_optimum, nodes, conditions, proof) == right, proof
                found["optimum", right] += 1
    assert min(found.values()) > tables / 3
    assert len(found) == 4


def test_an_optimum_is_of_a_loss_of_cells() -> None:
    nodes, conditions, _ = random_lattice(random.Random(32))
    proof = {"values": list(nodes.values), "value": "1", "optima": [[0, 0]], "violating": []}
    for loss, told in (("class-size", "not a loss of cells"), ("none", "the loss is 'none'")):
        with pytest.raises(CertificateError, match=told):
            check_optimum(nodes, conditions, {**proof, "loss": loss})


def test_no_field_can_be_changed_unnoticed() -> None:
    frame = table(random.Random(3))
    envelope, _ = certified(rolled(frame), KAnonymity(2))
    given = json.loads(envelope.to_json())
    file = frame.to_csv(index=False).encode()
    for key in given:
        record = {**given, key: "x"}
        with pytest.raises(CertificateFormatError):
            verify(json.dumps(record), file, FILES)  # its seal
        with pytest.raises(CertificateFormatError):
            verify(json.dumps({name: each for name, each in given.items() if name != key}), file, FILES)
    for part in ("table", "reading"):
        for key in given[part]:
            record = {**given, part: {name: each for name, each in given[part].items() if name != key}}
            record["sha256"] = seal(record)
            with pytest.raises(CertificateFormatError):
                verify(json.dumps(record), file, FILES)
            for odd in (3.5, [1] if key == "missing_texts" else [], {}, True, "\ud800"):
                record = {**given, part: {**given[part], key: odd}}
                record["sha256"] = seal(record)
                with pytest.raises(CertificateFormatError):
                    verify(json.dumps(record), file, FILES)


def test_another_table_or_hierarchy_is_not_the_one_certified() -> None:
    frame = table(random.Random(4))
    envelope, _ = certified(rolled(frame), KAnonymity(2))
    file, text = frame.to_csv(index=False).encode(), envelope.to_json()
    other = frame.copy()
    other.loc[0, "s"] = "another"
    with pytest.raises(CertificateFormatError, match="another table"):
        verify(text, other.to_csv(index=False).encode(), FILES)
    with pytest.raises(CertificateFormatError, match="another hierarchy"):
        verify(text, file, {**FILES, "a": ("a.csv", b"1,high,*\n2,low,*\n3,high,*\n4,high,*\n")})
    with pytest.raises(CertificateFormatError, match="needs the hierarchy"):
        verify(text, file, {})
    for broken in (b"1,x,*\n1,y,*\n", b"1,x,*\n2,x,+\n", b"1,x\n2\n", b"", b"1,,*\n"):
        with pytest.raises(CertificateFormatError):
            verify(text, file, {**FILES, "a": ("a.csv", broken)})


def test_the_order_of_rows_changes_nothing_and_the_file_is_said() -> None:
    frame = table(random.Random(5))
    file = frame.to_csv(index=False).encode()
    answer = search_lattice(rolled(frame), KAnonymity(2), ground="equal")
    text = answer.certificate(reading=Reading(), file_sha256=hashlib.sha256(file).hexdigest()).to_json()
    assert verify(text, file, FILES).of_file
    turned = frame.iloc[::-1].to_csv(index=False).encode()
    found = verify(text, turned, FILES)
    assert isinstance(found, Checked)
    assert found.of_file == (turned == file)


def test_the_canonical_text_of_the_counts_stands_for_the_table() -> None:
    frame = table(random.Random(6)).astype({"a": int})
    searched = RollUp(rolled(frame.astype({"a": str})).frequencies, HIERARCHIES)
    envelope, _ = certified(searched, KAnonymity(2))
    counts = CertifiedTable.of(searched.frequencies, searched.sensitive).counts
    text = canonical_text(counts.columns, counts.counts)
    assert read_counts(text.encode()) == counts
    assert verify(envelope.to_json(), text.encode(), FILES).envelope == envelope
    for broken in (text[:-1], text.upper(), text + "[]\n", text.replace("1]", "0]"), "\n".join(text.split("\n")[::-1])):
        with pytest.raises(CertificateFormatError):
            read_counts(broken.encode())


def test_what_no_checker_knows_is_not_certified() -> None:
    searched = rolled(table(random.Random(8)))
    m = len(searched.domain)
    by_matrix = TCloseness("1/2", ground=Matrix([[int(i != j) for j in range(m)] for i in range(m)]))
    for model in (DeltaDisclosure(2), by_matrix):
        with pytest.raises(NotCertified, match="no checker"):
            search_lattice(searched, model, ground="equal").certificate()


@pytest.mark.long
@pytest.mark.parametrize("loss", [None, LOSSES[2]], ids=lambda loss: "minimal" if loss is None else loss.name)
def test_whatever_stands_in_a_place_a_certificate_is_refused_or_true(loss: Any) -> None:
    rng = random.Random(f"{loss}")
    frame = table(random.Random(9))
    file, searched = frame.to_csv(index=False).encode(), rolled(frame)
    tried = 0
    for model in models(random.Random(9)):
        given = json.loads(certified(searched, model, loss)[0].to_json())
        for way in places_of(given):
            for odd in rng.sample(ODD, 3):
                record = with_at(given, way, odd)
                record["sha256"] = seal(record)
                tried += 1
                try:
                    found = verify(json.dumps(record), file, FILES)
                except CertificateError:
                    continue
                assert all(described(each, found.envelope.proof["values"]) for each in found.envelope.model)
                if way[0] == "proof":
                    assert states_something_true(record, searched, model, loss), (way, odd)
    assert tried > 500


def claimed(counts: Counts, **changes: Any) -> Envelope:
    """Of a table whose quasi-identifiers stay as they are or become ``*``: each class has a record."""
    names = counts.columns[:-1]
    values = sorted({combination[-1] for combination in counts.counts})
    proof = {"values": values or ["text:x"], "minimal": [[0] * len(names)], "violating": []}
    records = min(max(sum(counts.counts.values()), 1), 2**53)
    model = ({"condition": "records", "least": 1},)
    envelope = Envelope(
        MINIMAL, TASKS[MINIMAL].statement, counts.digest, None, names, counts.columns[-1], records, Reading(),
        dict.fromkeys(names), model, proof,
    )  # fmt: skip
    return dataclasses.replace(envelope, **changes)


def accepts(counts: Counts, **changes: Any) -> str:
    return check(claimed(counts, **changes), counts, dict.fromkeys(counts.columns[:-1]))


def test_tables_beyond_what_is_checked_are_refused() -> None:
    for counts in (
        {},
        {("text:1", "text:x"): 2**53 + 1},
        {("text:1", "text:x"): 2**64},
        {("text:1", "text:x"): 10**4000},
        {("text:1", "text:x"): 1, ("number:1", "text:x"): 1},  # one name, which is all that a hierarchy knows
        {("missing:", "text:x"): 1, ("text:(missing)", "text:x"): 1},
        {("1", "text:x"): 1, ("2", "text:x"): 1},  # without their kinds
    ):
        with pytest.raises(CertificateFormatError):
            accepts(Counts.of(["a", "s"], counts))
    many = Counts.of([*(f"q{i}" for i in range(27)), "s"], {tuple(["text:x"] * 28): 1})
    with pytest.raises(CertificateFormatError, match="nodes"):
        accepts(many)
    assert "1 node: 0, minimal of 2" in accepts(Counts.of(["a", "s"], {("text:1", "text:x"): 2**53}))


def test_columns_and_hierarchies_are_those_of_the_certificate_however_it_is_checked() -> None:
    counts = Counts.of(["a", "s"], {("text:1", "text:x"): 3})
    assert accepts(counts)
    for changes in (
        {"quasi_identifiers": ("b",), "hierarchies": {"b": None}},
        {"sensitive": "t"},
        {"hierarchies": {"a": "0" * 64}},
        {"digest": "0" * 64},
        {"records": 4},
    ):
        with pytest.raises(CertificateFormatError):
            accepts(counts, **changes)
        with pytest.raises(CertificateFormatError):
            check_nodes(claimed(counts, **changes), Nodes(counts, {"a": None}, ["text:x"]))


def test_a_table_that_was_grouped_before_is_the_one_that_is_checked() -> None:
    counts = Counts.of(["a", "s"], {("text:1", "text:x"): 3, ("text:2", "text:y"): 1})
    levels, values = {"a": None}, ["text:x", "text:y"]
    nodes, envelope = Nodes(counts, levels, values), claimed(counts)
    assert (nodes.table, nodes.levels, nodes.values) == (counts, levels, tuple(values))
    assert check_nodes(envelope, nodes) == check(envelope, counts, levels) == accepts(counts)
    other = Counts.of(["a", "s"], {("text:1", "text:x"): 3, ("text:3", "text:y"): 1})
    with pytest.raises(CertificateFormatError, match="about another table"):
        check_nodes(envelope, Nodes(other, levels, values))
    with pytest.raises(CertificateFormatError, match="about another hierarchy"):
        check_nodes(envelope, Nodes(counts, {"a": [("1", "*"), ("2", "*")]}, values))
    for order in (values[::-1], [*values, "text:z"]):
        with pytest.raises(CertificateFormatError, match="cannot be read: its values are not those of the table, in"):
            check_nodes(envelope, Nodes(counts, levels, order))


def test_classes_of_more_labels_together_than_64_bits_count_are_told_apart() -> None:
    """12 columns of 64 values: their numbers in 72 bits, of which 64 are alike where the first column alone differs."""
    for apart in (0, 5, 11):
        single = {tuple(f"text:{i if column == apart else 0}" for column in range(12)): 1 for i in range(64)}
        double = {(f"text:{i}",) * 12: 2 for i in range(64)}
        rows = {(*row, "text:x"): count for row, count in {**single, **double}.items()}
        counts = Counts.of([*(f"q{i}" for i in range(12)), "s"], rows)
        assert "1 node" in accepts(counts)
        with pytest.raises(CertificateError, match="violates"):
            accepts(counts, model=({"condition": "records", "least": 2},))


def test_a_given_file_says_what_the_certificate_does() -> None:
    frame = table(random.Random(10))
    text, file = certified(rolled(frame), KAnonymity(2))[0].to_json(), frame.to_csv(index=False).encode()
    assert json.loads(text)["hierarchies"]["b"] is None
    leaves = sorted(set(frame["b"]))
    plain = "".join(f"{leaf},*\n" for leaf in leaves).encode()
    assert verify(text, file, {**FILES, "b": ("b.csv", plain)})
    assert verify(text, file, {"a": FILES["a"]})
    with pytest.raises(CertificateFormatError, match="another hierarchy of 'b'"):
        verify(text, file, {**FILES, "b": ("b.csv", "".join(f"{leaf},low,*\n" for leaf in leaves).encode())})


def test_what_would_take_too_long_is_refused_before_it_is_done() -> None:
    counts = Counts.of(["a", "s"], {("text:1", "text:x"): 2**50, ("text:1", "text:y"): 2**50 + 1})
    nearly = str(2 - Fraction(1, (2**51 + 1) ** 2))  # the power of the entropy, but for the square of that
    for condition, told in (
        ({"condition": "entropy", "l": nearly}, "too long"),  # logarithms leave it open
        ({"condition": "distance", "t": "1", "ground": {"name": "equal", "m": 2**31 - 1}}, "from 2 to 2"),
        ({"condition": "distance", "t": "1", "ground": {"name": "ordered", "m": 2**31 - 1}}, "from 2 to 2"),
    ):
        with pytest.raises(CertificateFormatError, match=told):
            accepts(counts, model=(condition,))
    fractions = [f"1/{10**3000 + i}" for i in range(1, 12)]
    names = ["text:x", "text:y", *(f"text:{i}" for i in range(9))]
    ground = {"name": "ordered-by-value", "values": fractions}
    with pytest.raises(CertificateFormatError, match="common denominator"):
        accepts(
            counts,
            model=({"condition": "distance", "t": "1", "ground": ground},),
            proof={"values": names, "minimal": [[0]], "violating": []},
        )


def test_many_classes_of_a_large_lattice_are_refused_before_they_are_looked_at() -> None:
    counts = Counts.of([*(f"q{i}" for i in range(24)), "s"], {("text:1",) * 24 + ("text:x",): 1})
    one = {"node": [1] * 24, "class": ["*"] * 24}
    proof = {"values": ["text:x"], "minimal": [], "violating": [one]}
    model = ({"condition": "records", "least": 2},)
    assert "0 satisfy" in accepts(counts, model=model, proof=proof)
    with pytest.raises(CertificateFormatError, match="too long"):
        accepts(counts, model=model, proof={**proof, "violating": [one] * 100_000})


def test_losses_beyond_64_bits_are_exact_and_refused_for_large_lattices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns of 3, 5, 7, 11 and 13 values: sums are in units of 1/15015. At level 1 two of the values are one."""
    sizes = (3, 5, 7, 11, 13)
    rows = {(*(f"text:{i % size}" for size in sizes), "text:x"): 2**48 + i for i in range(13)}
    counts = Counts.of([*map(str, sizes), "s"], rows)
    levels = {str(n): [(str(i), "low" if i < 2 else str(i), "*") for i in range(n)] for n in sizes}
    nodes = Nodes(counts, levels, ["text:x"])
    found = loss_named(nodes, "ncp")
    assert found.table is not None
    losses, value_of = found.table, found.value
    assert losses.dtype == object
    low = {n: sum(count for i, count in enumerate(rows.values()) if i % n < 2) for n in sizes}
    assert value_of(losses[1, 0, 0, 0, 1]) == Fraction(2 * low[3], 3) + Fraction(2 * low[13], 13)
    assert value_of(losses[2, 2, 2, 2, 2]) == 5 * nodes.records
    monkeypatch.setattr(losses_of_nodes, "_MOST_LONG", 242)
    with pytest.raises(CertificateFormatError, match="too long"):
        loss_named(nodes, "ncp")
    height = loss_named(
        Nodes(Counts.of([*map(str, sizes), "s"], dict.fromkeys(rows, 2**40)), levels, ["text:x"]), "height"
    )
    assert height.table is not None
    assert height.value(height.table[1, 1, 1, 1, 1]) == 5


@pytest.mark.parametrize(
    ("key", "odd"),
    [
        *(("separator", odd) for odd in ("", '"', "\n", "\r", "\0", "é", "ab")),
        *(("hierarchy_separator", odd) for odd in ("", '"', "\n", "\r", "\0", "é", "ab")),
        *(("encoding", odd) for odd in ("", "none such", "punycode", "idna", "Unicode_Escape", "hex", "utf-8\0")),
    ],
    ids=repr,
)
def test_files_are_read_in_no_way_that_the_package_refuses(key: str, odd: str) -> None:
    frame = table(random.Random(12))
    given = json.loads(certified(rolled(frame), KAnonymity(2))[0].to_json())
    record = {**given, "reading": {**given["reading"], key: odd}}
    record["sha256"] = seal(record)
    with pytest.raises(CertificateFormatError):
        verify(json.dumps(record), frame.to_csv(index=False).encode(), FILES)


BORDERS = {
    "k = 5": (18, 34),
    "k = 5, hierarchical t = 0.2": (4, 11),
    "k = 5, equal t = 0.2": (3, 10),
    "entropy l = 2": (21, 34),
    "recursive (4,2)": (26, 38),
}
"""Of the 3,240 nodes over seven columns of Adult: the minimal ones that satisfy, and the maximal ones that do not."""


@pytest.mark.slow
@pytest.mark.parametrize("model", BORDERS)
def test_the_borders_of_adult_are_proved(model: str) -> None:
    """30,162 complete records of the training set; checked from the CSV file on, a witness a maximal node."""
    from experiments.bench.proofs import INSTANCES

    (question,) = [each.prepare() for each in INSTANCES if each.name == f"minimal of 3,240 nodes, {model}"]
    envelope = question.answer().certificate()
    assert (len(envelope.proof["minimal"]), len(envelope.proof["violating"])) == BORDERS[model]
    counts = read_table(question.file, envelope)
    assert "minimal" in check(envelope, counts, question.table.levels)
