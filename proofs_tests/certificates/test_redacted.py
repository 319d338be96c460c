"""Certificates of audits that withhold the table's values: what is opened is so, and nothing else is known."""

from __future__ import annotations

import copy
import hashlib
import hmac
import itertools
import json
import random
import re
from typing import Any

import pytest

from proofs_tests.certificates.audits import audited, counted, fixed
from proofs_tests.certificates.changes import ODD, places_of
from tcloseness.audited import audit_certificate
from tcloseness.certificates import (
    Envelope,
    check_redacted,
    redacted,
    seal,
    verify_redacted,
)
from tcloseness.certificates.audit import AUDIT, measured_text
from tcloseness.certificates.redacted import REDACTED, salt_text
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.models import TCloseness
from tcloseness.models.certified import CertifiedTable

pytestmark = pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")

SECRET = bytes(range(32))


def withheld(frame: Any, found: Any, secret: bytes = SECRET) -> tuple[str, str]:
    return found.redacted_certificate(secret=secret)  # type: ignore[no-any-return]


@pytest.mark.long
def test_a_withheld_audit_holds_by_itself_and_whole_with_table_and_salt() -> None:
    rng = random.Random(44)
    for _ in range(12):
        frame, found = audited(rng, suppressed=rng.random() < 0.4)
        public, own = withheld(frame, found)
        file = frame.to_csv(index=False).encode()
        envelope = found.certificate()
        assert verify_redacted(public, own, file).envelope == envelope
        words = check_redacted(public)
        for entry in envelope.proof["measures"]:
            seen = entry["measure"] in redacted._OPEN and entry.get("values") is None
            assert (measured_text(entry) in words.partition("Only with")[0]) == seen
        other = frame.iloc[:-1] if len(frame) > 1 else frame.assign(s="another")
        with pytest.raises(CertificateError):
            verify_redacted(public, own, other.to_csv(index=False).encode())
        with pytest.raises(CertificateError, match="another certificate"):
            verify_redacted(public, salt_text(bytes(32), envelope), file)
        assert withheld(frame, found)[0] == public
        assert found.redacted_certificate()[0] != public


def test_nobody_finds_a_value_by_guessing_who_knows_the_domains() -> None:
    """All labels and all small counts are tried, with each salt that the public sees, and with the usual ones."""
    rng = random.Random(45)
    for _ in range(3):
        frame, found = audited(rng)
        public, own = withheld(frame, found)
        record = json.loads(public)
        envelope = found.certificate()
        assert own  # the owner's file holds everything; the public one:
        for text in (envelope.digest, hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest(), SECRET.hex()):
            assert text not in public
        names = {each.partition(":")[2] for each in envelope.proof["values"]} | set("1234pq")
        texts = {value for way in places_of(record) if isinstance(value := at(record, way), str)}
        stated = {entry["value"] for entry in record["measures"]}
        assert not names & (texts - stated - {*record["quasi_identifiers"], record["sensitive"]})
        seen = {bytes.fromhex(text) for text in texts if len(text) == 64 and set(text) <= set("0123456789abcdef")}
        assert len(seen) > 3
        salts = [b"", bytes(32), *seen]
        counts = [list(part) for n in range(1, 5) for part in itertools.product(range(1, 5), repeat=n)]
        digest = envelope.digest
        guesses = [
            json.dumps([kind, labels], separators=(",", ":")).encode()
            for kind in ("class", "table")
            for labels in ([[a, b] for a in "1234" for b in "pq"] + [digest])
        ]
        opened = {bytes.fromhex(each["salt"]) for each in record["opened"]}
        macs = {hmac.new(salt, guess, hashlib.sha256).digest() for salt in salts for guess in guesses}
        assert not macs & seen
        plain = [json.dumps(part, separators=(",", ":")).encode() for part in counts]
        leaves = {hashlib.sha256(b"\0" + salt + part).digest() for salt in {*salts, *macs} - opened for part in plain}
        assert not leaves & seen


def at(record: Any, way: tuple[Any, ...]) -> Any:
    for key in way:
        record = record[key]
    return record


@pytest.mark.long
@pytest.mark.parametrize("tables", [2, pytest.param(60, marks=pytest.mark.slow)])
def test_no_place_of_a_withheld_audit_can_be_changed_against_the_owner(tables: int) -> None:
    rng = random.Random(46)
    for _ in range(tables):
        frame, found = audited(rng)
        public, own = withheld(frame, found)
        given, file = json.loads(public), frame.to_csv(index=False).encode()
        for way in places_of(given):
            for odd in [*rng.sample(ODD, 2), "0" * 64]:
                record = copy.deepcopy(given)
                at(record, way[:-1])[way[-1]] = odd
                if json.dumps(record) == json.dumps(given):
                    continue
                with pytest.raises(CertificateError):
                    check_redacted(json.dumps(record))  # its seal
                record["sha256"] = seal(record)
                if record == given:
                    continue
                try:
                    words = check_redacted(json.dumps(record))
                except CertificateError:
                    continue
                assert way[0] != "opened", (way, odd)  # what is opened is committed to
                assert words
                with pytest.raises(CertificateError):
                    verify_redacted(json.dumps(record), own, file)


def test_an_opened_class_is_one_that_is_committed_to_and_has_its_value() -> None:
    frame, found = audited(random.Random(47))
    given = json.loads(withheld(frame, found)[0])
    (first, *_) = given["opened"]
    changes: list[tuple[Any, ...]] = [
        ("counts", [*first["counts"], 1]),
        ("counts", [first["counts"][0] + 1, *first["counts"][1:]]),
        ("salt", "0" * 64),
        ("path", first["path"][1:]),
        ("path", [["left" if side == "right" else "right", beside] for side, beside in first["path"]]),
    ]
    for key, value in changes:
        record = copy.deepcopy(given)
        record["opened"][0][key] = value
        record["sha256"] = seal(record)
        with pytest.raises(CertificateError, match="not a class that is committed to"):
            check_redacted(json.dumps(record))
    for step, (side, _) in enumerate(first["path"]):
        for odd in ("", "up", side.upper(), None):
            record = copy.deepcopy(given)
            record["opened"][0]["path"][step][0] = odd
            record["sha256"] = seal(record)
            with pytest.raises(CertificateFormatError, match="it is 'left' or 'right'"):
                check_redacted(json.dumps(record))
    for place, entry in enumerate(given["measures"]):
        record = copy.deepcopy(given)
        record["measures"][place]["value"] = "17"
        record["sha256"] = seal(record)
        if entry["opened"] is None:
            assert check_redacted(json.dumps(record))  # only the owner can show it
        else:
            with pytest.raises(CertificateError, match="has not the value"):
                check_redacted(json.dumps(record))


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"format": 1}', "[" * 100_000, "{" * 40])
def test_what_is_no_certificate_and_no_salt_is_refused(content: bytes | str) -> None:
    with pytest.raises(CertificateFormatError):
        check_redacted(content)
    with pytest.raises(CertificateFormatError):
        redacted.read_salt(content)
    owner = json.dumps({"format": redacted.SALT, "salt": "0" * 63, "certificate": {}})
    with pytest.raises(CertificateFormatError, match="salt"):
        redacted.read_salt(owner)


def test_only_an_audit_withholds_values() -> None:
    frame, found = audited(random.Random(48))
    envelope: Envelope = found.certificate()
    assert envelope.format == AUDIT
    assert REDACTED in withheld(frame, found)[0]
    read = CertifiedTable.of(counted(frame), "s")
    other = Envelope(**{**vars(envelope), "format": "tcloseness-minimal-certificate-1"})
    with pytest.raises(CertificateFormatError, match="only the certificate of an audit"):
        redacted.redacted_audit(other, read.nodes, SECRET)
    classes = counted(frame).class_counts("s")
    whole, _ = audit_certificate(
        counted(frame),
        classes,
        [(TCloseness("1/2", ground="equal"), TCloseness("1/2", ground="equal").evaluate(classes))],
        "released",
    )
    assert [each["measure"] for each in whole.proof["measures"]] == ["distance"]


def test_what_is_said_of_a_withheld_audit() -> None:
    frame, found = fixed()
    values = "records = 2; share = 2/3; values = 2; entropy = 1.889881574…; commonest = 3/2; tail (2) = 2"
    opened = f"of the classes that are opened, {values}"
    verdicts = "2 of 2 conditions met by all classes"
    later = f"that the table has 2 classes, and none is worse; {verdicts}; the values of gain, ratio, distance"
    last = "Not certified: no checker for enhanced beta-likeness"
    assert check_redacted(withheld(frame, found)[0]) == f"{opened}. Only with the table and its salt: {later}. {last}"
    envelope = found.certificate()
    kept = {"format": redacted.SALT, "salt": SECRET.hex(), "certificate": envelope.to_dict()}
    assert salt_text(SECRET, envelope) == json.dumps(kept, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    "change",
    [
        {"statement": "x"},
        {"format": AUDIT},
        {"quasi_identifiers": []},
        {"quasi_identifiers": [1]},
        {"sensitive": 1},
        {"reference": "some"},
        {"classes": 0},
        {"model": [], "holds": []},
        {"holds": [True]},
        {"holds": [True, 1]},
        {"table": "0" * 63},
        {"root": "0" * 64},
        {"opened": []},
        {"unchecked": [1]},
        {"more": 1},
    ],
    ids=repr,
)
def test_a_withheld_audit_of_another_form_is_refused(change: dict[str, Any]) -> None:
    given = json.loads(withheld(*fixed())[0])
    assert check_redacted(json.dumps(given))
    record = {**given, **change}
    record["sha256"] = seal(record)
    with pytest.raises(CertificateError):
        check_redacted(json.dumps(record))


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ([2, 1], None),
        ([1, 2], "must fall"),
        ([0], "from 1 to"),
        ([], "at least 1"),
        ([2**53], None),
        ([2**53, 1], "at most 2"),
        ([2**53 + 1], "from 1 to"),
    ],
    ids=repr,
)
def test_opened_counts_are_those_of_a_class(counts: list[int], told: str | None) -> None:
    """The root is that of the one class, so that nothing but its form can be wrong."""
    given = json.loads(withheld(*fixed())[0])
    own = bytes(32)
    opened = [{"counts": counts, "salt": own.hex(), "path": []}]
    size = str(sum(counts))
    record = {**given, "opened": opened, "root": redacted._leaf(own, counts).hex()}
    record["measures"] = [{"measure": "records", "value": size, "opened": 0}]
    record["sha256"] = seal(record)
    if told is None:
        assert f"records = {size}" in check_redacted(json.dumps(record))
        record["measures"][0]["opened"] = 1
        record["sha256"] = seal(record)
        told = "from 0 to 0"
    with pytest.raises(CertificateFormatError, match=told):
        check_redacted(json.dumps(record))


@pytest.mark.parametrize("leaves", range(1, 10))
def test_each_class_of_a_tree_leads_to_its_root_and_no_other_does(leaves: int) -> None:
    made = [hashlib.sha256(bytes([i])).digest() for i in range(leaves)]
    tree = redacted._tree(made)
    assert len(tree[-1]) == 1
    for place, leaf in enumerate(made):
        path = redacted._path(tree, place)
        for begin in (leaf, hashlib.sha256(leaf).digest()):
            node = begin
            for side, beside in path:
                pair = (bytes.fromhex(beside), node) if side == "left" else (node, bytes.fromhex(beside))
                node = hashlib.sha256(b"\1" + b"".join(pair)).digest()
            assert (node == tree[-1][0]) == (begin == leaf)


def test_a_salt_that_could_be_guessed_is_refused() -> None:
    frame, found = fixed()
    for secret in (b"", b"short", bytes(33), "0" * 32):
        with pytest.raises(InputError, match="32 bytes"):
            withheld(frame, found, secret)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("counts", "measure", "condition", "told"),
    [
        ([2], "records", "records", None),
        ([1, 1], "records", "records", "has several sensitive values, and the table has no"),
        *(
            ([2], name, "records", "measures[0] is about sensitive values")
            for name in ("values", "commonest", "entropy")
        ),
        ([2], "records", "values", "model[0] is about sensitive values"),
    ],
)
def test_a_withheld_audit_without_a_sensitive_attribute_says_nothing_of_values(
    counts: list[int], measure: str, condition: str, told: str | None
) -> None:
    """Of an attribute that is named the same may be said."""
    given, own = json.loads(withheld(*fixed())[0]), bytes(32)
    value = str(sum(counts)) if measure == "records" else "1"
    record = {
        **given,
        "opened": [{"counts": counts, "salt": own.hex(), "path": []}],
        "root": redacted._leaf(own, counts).hex(),
        "measures": [{"measure": measure, "value": value, "opened": 0}],
        "model": [{"condition": condition, "least": 1}],
        "holds": [True],
    }
    for sensitive, refused in ((given["sensitive"], None), (None, told)):
        record["sensitive"] = sensitive
        record["sha256"] = seal(record)
        if refused is None:
            assert check_redacted(json.dumps(record))
        else:
            with pytest.raises(CertificateFormatError, match=re.escape(refused)):
                check_redacted(json.dumps(record))
