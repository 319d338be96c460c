"""Of a table without a sensitive attribute each class that is opened has one count: its records."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from proofs_tests.certificates.audits import fixed
from tcloseness.certificates import redacted, seal
from tcloseness.certificates.redacted import check_redacted
from tcloseness.errors import CertificateFormatError


@pytest.mark.parametrize(
    ("opened", "right"),
    [([[3], [2]], True), ([[3], [1, 1]], False), ([[2, 1], [2]], False), ([[2, 1], [1, 1]], False)],
)
def test_no_class_of_several_is_opened_with_several_values(opened: list[list[int]], right: bool) -> None:
    """Of an attribute that is named all may be opened."""
    _, found = fixed()
    given = json.loads(found.redacted_certificate(secret=bytes(32))[0])
    salts = [hashlib.sha256(bytes([i])).digest() for i in range(2)]
    leaves = [redacted._leaf(salt, counts) for salt, counts in zip(salts, opened, strict=True)]
    paths = [[["right", leaves[1].hex()]], [["left", leaves[0].hex()]]]
    classes = [
        {"counts": counts, "salt": salt.hex(), "path": path}
        for counts, salt, path in zip(opened, salts, paths, strict=True)
    ]
    measure = {"measure": "records", "value": str(sum(opened[1])), "opened": 1}
    record = {
        **given,
        "opened": classes,
        "root": redacted._inner(*leaves).hex(),
        "measures": [measure],
        "model": [{"condition": "records", "least": 1}],
        "holds": [True],
    }
    for sensitive, accepted in ((given["sensitive"], True), (None, right)):
        record["sensitive"] = sensitive
        record["sha256"] = seal(record)
        if accepted:
            assert check_redacted(json.dumps(record))
        else:
            with pytest.raises(CertificateFormatError, match=re.escape("has several sensitive values")):
                check_redacted(json.dumps(record))
