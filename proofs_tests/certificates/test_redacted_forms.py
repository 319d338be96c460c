"""How the owner's file is written and read, and how deep what is read may be nested."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proofs_tests.certificates.audits import fixed
from proofs_tests.certificates.test_envelope import ENVELOPE
from tcloseness.certificates import seal
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
