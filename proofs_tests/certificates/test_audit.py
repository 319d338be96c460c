"""Certificates of audits: each value and verdict is what the counts say, in the open and with values withheld."""

from __future__ import annotations

import copy
import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tcloseness as tc
from proofs_tests.certificates.audits import audited, counted, fixed
from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from proofs_tests.certificates.tables import table
from tcloseness.certificates import (
    check,
    nodes as nodes_of_tables,
    read_certificate,
    seal,
    verify,
)
from tcloseness.certificates.audit import AUDIT, measured_text
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.measures import Measure
from tcloseness.errors import CertificateError, InputError, NotCertified
from tcloseness.ground import Matrix
from tcloseness.microdata import FrequencySet
from tcloseness.models import TCloseness
from tcloseness.models.certified import CertifiedTable

pytestmark = pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")

Class = tuple[str, ...]


# ---------------------------------------------------------------------- what the counts say, in fractions


def classes_of(frame: Any, marker: str | None) -> tuple[dict[Class, Counter[str]], Counter[str]]:
    """The counts of the released classes, and of all records."""
    classes: dict[Class, Counter[str]] = {}
    everything: Counter[str] = Counter()
    for a, b, s in frame[["a", "b", "s"]].itertuples(index=False):
        everything[s] += 1
        if (a, b) != (marker, marker):
            classes.setdefault((a, b), Counter())[s] += 1
    return classes, everything


def value_of(measure: Mapping[str, Any], counts: Counter[str], q: Counter[str]) -> Fraction | float:
    """A measure of a class, by its definition; the entropy as the power that decides it would need, a double."""
    n, total, name = sum(counts.values()), sum(q.values()), measure["measure"]
    falling = sorted(counts.values(), reverse=True)
    p = {value: Fraction(counts[value], n) for value in q}
    whole = {value: Fraction(q[value], total) for value in q}
    if name == "records":
        return Fraction(n)
    if name == "values":
        return Fraction(len(falling))
    if name == "entropy":
        return math.exp(-sum(c / n * math.log(c / n) for c in falling))
    if name == "tail":
        rest = sum(falling[measure["l"] - 1 :])
        return Fraction(0) if measure["l"] == 1 else Fraction(falling[0], rest) if rest else math.inf
    if name == "commonest":
        return Fraction(n, falling[0])
    if name == "share":
        listed = None if measure["values"] is None else {value.partition(":")[2] for value in measure["values"]}
        return max((p[value] for value in q if listed is None or value in listed), default=Fraction(0))
    if name == "gain":
        return max(p[value] / whole[value] - 1 for value in q)
    if name == "ratio":
        if measure["absent"] == "infinite" and not all(p.values()):
            return math.inf
        return max(max(p[value] / whole[value], whole[value] / p[value]) for value in q if p[value])
    values = sorted(q)
    difference = [p[value] - whole[value] for value in values]
    if measure["ground"]["name"] == "equal":
        return sum(map(abs, difference), Fraction(0)) / 2
    if measure["ground"]["name"] == "ordered":
        return sum(map(abs, itertools.accumulate(difference[:-1])), Fraction(0)) / max(len(values) - 1, 1)
    pairs = {True: Fraction(0), False: Fraction(0)}  # x and y below one node, z and w below another
    for value, each in zip(values, difference, strict=True):
        pairs[value in "xy"] += each
    return (sum(map(abs, difference), Fraction(0)) + sum(map(abs, pairs.values()), Fraction(0))) / 4


LEAST = ("records", "values", "entropy", "commonest")


def is_true(proof: Mapping[str, Any], model: Any, frame: Any) -> bool:
    """Whether what an audit states is so."""
    if proof["suppressed"] not in (None, "*") or proof["reference"] not in ("released", "all"):
        return not (frame[["a", "b"]] == proof["suppressed"]).all(axis=1).any()
    classes, everything = classes_of(frame, proof["suppressed"])
    q = everything if proof["reference"] == "all" else sum(classes.values(), Counter())
    if proof["classes"] != len(classes):
        return False
    for entry in proof["measures"]:
        values = {labels: value_of(entry, counts, q) for labels, counts in classes.items()}
        worst = (min if entry["measure"] in LEAST else max)(values.values())
        labels = tuple(entry["class"])
        if labels not in values:
            return False
        if entry["measure"] == "entropy":
            near = float(Fraction(entry["value"]))
            if not (abs(values[labels] - worst) < 1e-8 and -1e-12 < worst - near < 1e-9 + 1e-12):
                return False
        elif values[labels] != worst or entry["value"] != ("infinite" if worst == math.inf else str(worst)):
            return False
    values = [value.partition(":")[2] for value in proof["values"]]
    asked = Conditions(model, proof["values"], [q[value] for value in values])
    block = np.array([[counts[value] for value in values] for counts in classes.values()], dtype=np.int64)
    holds = [not violating(block, block.sum(axis=1)).any() for _, violating in asked.each]
    return list(proof["holds"]) == holds


def others(rng: random.Random, frame: Any, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The proof of an audit with some class, not the worst, and its own value; and with another verdict."""
    classes, everything = classes_of(frame, given["suppressed"])
    for entry in range(len(given["measures"])):
        proof = copy.deepcopy(dict(given))
        labels, inside = rng.choice(list(classes.items()))
        value = value_of(proof["measures"][entry], inside, everything)
        shown = "infinite" if value == math.inf else str(Fraction(value).limit_denominator(10**9))
        proof["measures"][entry] |= {"class": list(labels), "value": shown}
        yield proof
    for place in range(len(given["holds"])):
        proof = copy.deepcopy(dict(given))
        proof["holds"][place] = not proof["holds"][place]
        yield proof


# ---------------------------------------------------------------------- in the open


@pytest.mark.long
@pytest.mark.parametrize("tables", [25, pytest.param(1000, marks=pytest.mark.slow)])
def test_every_value_and_verdict_is_proved_from_the_file_alone(tables: int) -> None:
    rng = random.Random(40)
    names: Counter[str] = Counter()
    for _ in range(tables):
        frame, found = audited(rng, suppressed=rng.random() < 0.4)
        envelope = found.certificate()
        file = frame.to_csv(index=False).encode()
        checked = verify(envelope.to_json(), file, {})
        proof = envelope.proof
        assert checked.envelope == read_certificate(envelope.to_json()) == envelope
        assert is_true(proof, envelope.model, frame), proof
        by_model = {result.model: result for result in found.attributes[0].results}
        for entry in proof["measures"]:
            names[entry["measure"]] += 1
            assert measured_text(entry) in checked.found
        values = {each["measure"]: each["value"] for each in proof["measures"]}
        assert values["records"] == str(by_model["k-anonymity"].value)
        gain = by_model["basic beta-likeness"].value
        assert values["gain"] == ("infinite" if gain == math.inf else str(gain))
        asked = [each for each in by_model.values() if each.status in ("satisfied", "violated") and not each.parts]
        assert all(proof["holds"]) <= all(each.satisfied for each in asked if each.model != "enhanced beta-likeness")
        assert "enhanced beta-likeness" in proof["unchecked"]
    assert set(names) == {*LEAST, "tail", "share", "gain", "ratio", "distance"}


@pytest.mark.long
@pytest.mark.parametrize("tables", [12, pytest.param(600, marks=pytest.mark.slow)])
def test_no_changed_audit_is_accepted_that_says_what_is_not_so(tables: int) -> None:
    rng = random.Random(41)
    accepted = refused = 0
    for _ in range(tables):
        frame, found = audited(rng, suppressed=rng.random() < 0.4)
        given = json.loads(found.certificate().to_json())
        counts = CertifiedTable.of(counted(frame), "s")
        proofs = [changed(rng, given["proof"]) for _ in range(20)]
        for proof in [*proofs, *others(rng, frame, given["proof"])]:
            record = {**given, "proof": proof}
            record["sha256"] = seal(record)
            try:
                check(read_certificate(json.dumps(record)), counts.counts, counts.levels)
            except CertificateError:
                refused += 1
            else:
                accepted += 1
                assert is_true(record["proof"], given["model"], frame), record["proof"]
    assert refused > 2 * accepted
    assert accepted > tables


def test_a_value_of_suppressed_records_alone_is_named_where_only_released_ones_are_the_reference() -> None:
    frame = pd.DataFrame({"a": list("1122*"), "b": list("pppp*"), "s": list("xyxyz")})
    release, asked = counted(frame, "*"), {"ground": {"s": "equal"}, "k": 2, "t": "1/2"}
    with pytest.raises(NotCertified, match=r"that no released record has, as 'z'.*take all as the reference"):
        tc.check(release, **asked, reference="released").certificate()
    envelope = tc.check(release, **asked, reference="all").certificate()
    assert verify(envelope.to_json(), frame.to_csv(index=False).encode(), {}).envelope == envelope


def test_names_of_models_that_no_checker_knows_are_said_as_a_terminal_can_show_them() -> None:
    frame, found = fixed()
    given = json.loads(found.certificate().to_json())
    given["proof"]["unchecked"] = ["a\nb", "\x1b[31m"]
    said = verify(json.dumps({**given, "sha256": seal(given)}), frame.to_csv(index=False).encode(), {}).found
    assert said.endswith(r"no checker for a\nb, \x1b[31m")


@pytest.mark.long
def test_whatever_stands_in_a_place_an_audit_is_refused_or_true() -> None:
    rng = random.Random(42)
    for suppressed in (False, True):
        frame, found = audited(rng, suppressed=suppressed)
        given = json.loads(found.certificate().to_json())
        counts = CertifiedTable.of(counted(frame), "s")
        for way in places_of(given["proof"]):
            for odd in rng.sample(ODD, 4):
                record = {**given, "proof": with_at(given["proof"], way, odd)}
                record["sha256"] = seal(record)
                try:
                    check(read_certificate(json.dumps(record)), counts.counts, counts.levels)
                except CertificateError:
                    continue
                if way[0] != "unchecked":
                    assert is_true(record["proof"], given["model"], frame), (way, odd)


def test_numbers_beyond_64_bits_are_compared_exactly() -> None:
    """Two classes whose values differ by less than a double sees; the worse of them comes first or last."""
    big, ground = 2**51, {"name": "ordered-by-value", "values": ["0", "1", f"{10**20}"]}
    one, other = [big, big - 1, 5], [big - 1, big + 1, 6]
    conditions = Conditions([], ["text:x", "text:y", "text:z"], [big, big, 7])
    for record in (
        {"measure": "share", "values": None},
        {"measure": "commonest"},
        {"measure": "tail", "l": 2},
        {"measure": "gain"},
        {"measure": "ratio", "absent": "infinite"},
        {"measure": "distance", "ground": ground},
    ):
        found = Measure(record, conditions)
        alone = [Fraction(*found.worst([np.array([each])])) for each in (one, other)]
        assert alone[0] != alone[1]
        assert float(alone[0]) == pytest.approx(float(alone[1]), rel=1e-12) or record["measure"] == "ratio"
        worst = (min if record["measure"] in LEAST else max)(alone)
        for order in ([one, other], [other, one]):
            assert Fraction(*found.worst([np.array(order)])) == worst
            assert Fraction(*found.worst([np.array([each]) for each in order])) == worst


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"measure": "none"},
        {"measure": ["records"]},
        {"measure": "records", "l": 2},
        {"measure": "tail"},
        {"measure": "tail", "l": 0},
        {"measure": "share", "values": []},
        {"measure": "ratio", "absent": "maybe"},
        {"measure": "distance", "ground": {"name": "equal", "m": 3}},
    ],
    ids=repr,
)
def test_what_is_no_measure_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Measure(record, Conditions([], ["text:x", "text:y"], [1, 1]))


def test_an_infinite_value_is_worse_than_every_other() -> None:
    conditions = Conditions([], ["text:x", "text:y"], [4, 0])
    gain = Measure({"measure": "gain"}, conditions)
    assert gain.worst([np.array([[3, 0], [1, 1], [2, 0]])]) == (1, 0)
    assert gain.worst([np.array([[3, 0]])]) == (0, 1)
    assert Measure({"measure": "ratio", "absent": "skipped"}, conditions).worst([np.array([[1, 1]])])[1] == 0
    with pytest.raises(InputError, match="no class"):
        gain.worst([])


def test_what_no_checker_reads_is_not_certified() -> None:
    frame = table(random.Random(43))
    m = frame["s"].nunique()
    by_matrix = Matrix([[int(i != j) for j in range(m)] for i in range(m)])
    found = tc.check(counted(frame), ground={"s": by_matrix}, t="1/2").certificate()
    assert "t-closeness" in found.proof["unchecked"]
    assert "not certified: no checker for" in verify(found.to_json(), frame.to_csv(index=False).encode(), {}).found
    nobody = tc.check(FrequencySet.from_frame(frame, quasi_identifiers=[], sensitive="s"))
    with pytest.raises(NotCertified, match="without quasi-identifiers"):
        nobody.certificate()
    people = pd.DataFrame({"a": list("112233"), "b": list("pppqqq"), "s": list("xyxyxy"), "who": list("112233")})
    with pytest.raises(NotCertified, match="by person"):
        tc.check(
            FrequencySet.from_frame(people, quasi_identifiers=["a", "b"], sensitive="s", person="who")
        ).certificate()
    two = tc.check(FrequencySet.from_frame(frame.assign(u=frame["s"]), quasi_identifiers="a", sensitive=["s", "u"]))
    with pytest.raises(InputError, match="one sensitive attribute"):
        two.certificate()
    assert two.certificate("u").sensitive == "u"
    with pytest.raises(InputError, match="not a sensitive attribute"):
        two.certificate("v")


# ---------------------------------------------------------------------- forms


def test_what_is_said_of_an_audit() -> None:
    frame, found = fixed()
    values = "records = 2; share = 2/3; values = 2; entropy = 1.889881574…; commonest = 3/2; tail (2) = 2; "
    rest = "gain = 3/2; ratio (infinite) = infinite; distance (equal) = 2/5"
    end = "; not certified: no checker for enhanced beta-likeness"
    told = verify(found.certificate().to_json(), frame.to_csv(index=False).encode(), {}).found
    assert told == f"2 classes: {values}{rest}; 2 of 2 conditions met by all classes{end}"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"classes": 3}, "the table has 2"),
        ({"classes": 0}, "from 1 to"),
        ({"suppressed": ""}, None),
        ({"suppressed": 1}, "must be a text"),
        ({"reference": "none"}, "'released' or 'all'"),
        ({"holds": [True]}, "must have 2"),
        ({"holds": [True, False]}, "no class breaks it"),
        ({"unchecked": None}, "must be a list"),
    ],
    ids=repr,
)
def test_an_audit_of_another_form_is_refused(change: dict[str, Any], told: str | None) -> None:
    frame, found = fixed()
    given = json.loads(found.certificate().to_json())
    record = {**given, "proof": {**given["proof"], **change}}
    record["sha256"] = seal(record)
    read = CertifiedTable.of(counted(frame), "s")
    if told is None:
        assert check(read_certificate(json.dumps(record)), read.counts, read.levels)
        return
    with pytest.raises(CertificateError, match=told):
        check(read_certificate(json.dumps(record)), read.counts, read.levels)


def test_a_table_whose_records_are_all_suppressed_has_no_audit() -> None:
    frame = pd.DataFrame({"a": ["*"], "b": ["*"], "s": ["x"]})
    envelope = fixed()[1].certificate()
    read = CertifiedTable.of(counted(frame), "s")
    proof = {**envelope.proof, "values": ["text:x"], "suppressed": "*"}
    with pytest.raises(NotCertified, match="every record of the table is suppressed"):
        read.sealed(AUDIT, [{"condition": "records", "least": 1}], proof)


def test_no_finite_value_is_stated_to_be_infinite_and_no_infinite_one_to_be_finite() -> None:
    frame, found = fixed()
    given = json.loads(found.certificate().to_json())
    read = CertifiedTable.of(counted(frame), "s")
    for place, entry in enumerate(given["proof"]["measures"]):
        record = copy.deepcopy(given)
        record["proof"]["measures"][place]["value"] = "3" if entry["value"] == "infinite" else "infinite"
        record["sha256"] = seal(record)
        with pytest.raises(CertificateError):
            check(read_certificate(json.dumps(record)), read.counts, read.levels)


def test_the_suppressed_records_are_left_out_wherever_their_class_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes are looked at two at a time."""
    monkeypatch.setattr(nodes_of_tables, "_CELLS", 4)
    for before in range(5):  # labels that come before the mark
        labels = [*"!#$%"[:before], *"5678"[before:], "*"]
        frame = pd.DataFrame({"a": [each for each in labels for _ in "xy"], "s": list("xyxyxyxyxy")}).iloc[:-1]
        frame["b"] = ["*" if each == "*" else "p" for each in frame["a"]]
        found = tc.check(counted(frame, "*"), ground={"s": "equal"}, k=2)
        record = found.certificate().proof
        assert (record["classes"], record["holds"], record["measures"][0]["value"]) == (4, [True], "2")


def test_what_is_left_out_is_said_and_leaves_no_empty_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class whose label is named as the mark of suppressed records is in no sentence about all classes."""
    monkeypatch.setattr(nodes_of_tables, "_CELLS", 1)  # one class at a time
    frame = pd.DataFrame({"a": list("ppzz"), "b": list("ppzz"), "s": list("xyxx")})
    huge = [TCloseness(10**40, ground="equal")]
    for reference, of in (("all", "all records"), ("released", "the others")):
        found = tc.check(counted(frame, "z"), ground={"s": "equal"}, models=huge, reference=reference, k=2)
        told = verify(found.certificate().to_json(), frame.to_csv(index=False).encode(), {}).found
        assert told.startswith(f"1 class, without 2 records with 'z' in every quasi-identifier, against {of}: ")
