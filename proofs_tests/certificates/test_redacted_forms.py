"""How the owner's file is written and read, and how deep what is read may be nested."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

import pytest

from proofs_tests.certificates.audits import fixed
from proofs_tests.certificates.changes import ODD
from proofs_tests.certificates.test_envelope import ENVELOPE
from tcloseness.certificates import redacted, seal
from tcloseness.certificates.redacted import SALT, check_redacted, read_salt, salt_text
from tcloseness.errors import CertificateFormatError

SECRET = bytes(range(32))


def nested(levels: int) -> Any:
    return [nested(levels - 1)] if levels > 1 else []


def test_the_owners_file_holds_the_certificate_in_its_own_script() -> None:
    envelope = replace(ENVELOPE, sensitive="é 東京")
    text = salt_text(SECRET, envelope)
    assert '"é 東京"' in text
    found = read_salt(text)
    assert found.secret == SECRET
    assert '"é 東京"' in found.certificate
    assert json.loads(found.certificate) == envelope.to_dict()
    assert read_salt(text.encode()) == found


@pytest.mark.parametrize("odd", [*ODD, "tcloseness-salt-2"], ids=lambda odd: repr(odd)[:20])
def test_the_owners_file_is_of_its_format_and_holds_32_bytes(odd: Any) -> None:
    given = {"format": SALT, "salt": SECRET.hex(), "certificate": {}}
    assert read_salt(json.dumps(given)).secret == SECRET
    for changes in ({"format": odd}, {"salt": odd}, {"salt": SECRET.hex().upper()}, {"more": odd}):
        with pytest.raises(CertificateFormatError):
            read_salt(json.dumps({**given, **changes}))


@pytest.mark.parametrize("deep", [19, 20, 21, 22])
def test_the_owners_file_is_nested_twenty_deep_at_most(deep: int) -> None:
    text = json.dumps({"format": SALT, "salt": SECRET.hex(), "certificate": nested(deep - 1)})
    if deep <= 20:
        assert json.loads(read_salt(text).certificate) == nested(deep - 1)
    else:
        with pytest.raises(CertificateFormatError, match="deep"):
            read_salt(text)


@pytest.mark.parametrize("deep", [15, 16, 17, 18])
def test_a_withheld_audit_is_nested_sixteen_deep_at_most(deep: int) -> None:
    with pytest.raises(CertificateFormatError) as refused:
        check_redacted(json.dumps({"format": nested(deep - 1)}))
    assert ("deep" in str(refused.value)) == (deep > 16)


def test_a_withheld_audit_names_a_quasi_identifier_and_a_condition_at_least() -> None:
    given = json.loads(fixed()[1].redacted_certificate(secret=SECRET)[0])
    for changes, read in (
        ({"quasi_identifiers": ["a", "b"]}, True),
        ({"quasi_identifiers": ["a"]}, True),
        ({"quasi_identifiers": []}, False),
        ({"model": given["model"][:1], "holds": given["holds"][:1]}, True),
        ({"model": [], "holds": []}, False),
    ):
        record = {**given, **changes}
        record["sha256"] = seal(record)
        if read:
            assert check_redacted(json.dumps(record))
        else:
            with pytest.raises(CertificateFormatError, match="at least 1"):
                check_redacted(json.dumps(record))


def sealed(given: dict[str, Any], **changes: Any) -> str:
    record = {**given, **changes}
    record["sha256"] = seal(record)
    return json.dumps(record)


def test_a_share_of_named_values_shows_only_with_the_table() -> None:
    """The counts of a class do not say which value each is of."""
    given = json.loads(fixed()[1].redacted_certificate(secret=SECRET)[0])
    entry = {"measure": "share", "values": 2, "value": "1/2", "opened": None}
    assert "the values of share" in check_redacted(sealed(given, measures=[entry]))
    with pytest.raises(CertificateFormatError, match="more than is opened"):
        check_redacted(sealed(given, measures=[{**entry, "opened": 0}]))
    with pytest.raises(CertificateFormatError):
        check_redacted(sealed(given, measures=[{**entry, "values": None}]))


def test_numbers_and_texts_of_measures_and_conditions_stand_in_their_places() -> None:
    given = json.loads(fixed()[1].redacted_certificate(secret=SECRET)[0])
    shut = {"value": "1", "opened": None}
    for entry in (
        {"measure": "distance", "ground": 5, **shut},
        {"measure": "ratio", "absent": 1, **shut},
        {"measure": "share", "values": -1, **shut},
        {"measure": "share", "values": [1], **shut},
    ):
        with pytest.raises(CertificateFormatError):
            check_redacted(sealed(given, measures=[entry]))
    for condition, read in (
        ({"condition": "records", "least": 2}, True),
        ({"condition": "records", "least": -2}, False),
        ({"condition": "tail", "l": 2, "c": "3"}, True),
        ({"condition": "tail", "l": 2, "c": 3}, False),
        ({"condition": "distance", "t": "1/2", "ground": "equal"}, True),
        ({"condition": "distance", "t": "1/2", "ground": 5}, False),
        ({"condition": "distance", "t": 1, "ground": "equal"}, False),
        ({"condition": "share", "most": "1/2", "values": 3}, True),
        ({"condition": "trusted", "function": "m:f", "source_sha256": "0", "number": "1"}, False),
    ):
        if read:
            assert check_redacted(sealed(given, model=[condition], holds=[True]))
        else:
            with pytest.raises(CertificateFormatError):
                check_redacted(sealed(given, model=[condition], holds=[True]))


def test_commitments_are_the_hashes_that_the_format_names() -> None:
    """Of ASCII; a leaf begins with the byte 0, and what joins two with the byte 1: neither stands for the other."""
    one, other = bytes(32), bytes([7]) * 32
    assert redacted._leaf(one, [2, 1]) == hashlib.sha256(b"\0" + one + b"[2,1]").digest()
    assert redacted._inner(one, other) == hashlib.sha256(b"\1" + one + other).digest()
    mac = hmac.new(SECRET, b'["class",["\\u00e9","b"]]', hashlib.sha256).digest()
    assert redacted._mac(SECRET, "class", ["é", "b"]) == mac
    assert redacted._falling([0, 3, 1, 0, 9]) == [9, 3, 1]
