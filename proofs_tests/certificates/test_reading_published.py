"""What a certificate says of a published table is read as it is written, and in no other form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tcloseness.certificates import Reading, canonical_text, levels_digest
from tcloseness.certificates.reading import MOST_RECORDS, Counts, PublishedCounts, published, require_hierarchy
from tcloseness.errors import CertificateFormatError, InputError

COUNTS = Counts.of(("a", "b", "s"), {("text:1", "text:2", "text:x"): 2, ("text:1", "text:3", "text:x"): 3})
WHOLE = PublishedCounts(COUNTS.digest, ("a", "b"), "s", 5, Reading())


def test_it_is_read_as_it_is_written() -> None:
    assert PublishedCounts.of(COUNTS, Reading()) == WHOLE
    assert PublishedCounts(**published(WHOLE.to_dict(), "release")) == WHOLE
    alone = PublishedCounts.of(COUNTS, Reading(), has_sensitive=False)
    assert PublishedCounts(**published(alone.to_dict(), "release")) == alone
    assert (alone.quasi_identifiers, alone.sensitive) == (("a", "b", "s"), None)
    for records in (1, MOST_RECORDS):
        assert published({**WHOLE.to_dict(), "records": records}, "release")["records"] == records


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("records", value) for value in (0, -1, MOST_RECORDS + 1, "5", 5.0, True, None)),
        *(("digest", value) for value in ("", "0" * 63, "0" * 65, "g" * 64, None, 5)),
        *(("quasi_identifiers", value) for value in ("ab", [1], [None], None, {})),
        *(("sensitive", value) for value in (1, False, ["s"], "\ud800")),
        *(("reading", value) for value in (None, [], {}, "text")),
    ],
)
def test_anything_else_is_refused(key: str, value: Any) -> None:
    with pytest.raises(InputError):
        published({**WHOLE.to_dict(), key: value}, "release")


def test_a_table_is_the_one_that_is_named_if_its_digest_and_its_records_are() -> None:
    text = canonical_text(COUNTS.columns, COUNTS.counts).encode()
    rows = b"s,c,a,b\n" + b"x,,1,2\n" * 2 + b"x,,1,3\n" * 3
    for file in (text, rows):
        assert WHOLE.counts_in(file, "release") == COUNTS
        with pytest.raises(CertificateFormatError, match="another release: the digest of these counts"):
            replace(WHOLE, digest="0" * 64).counts_in(file, "release")
        for records in (4, 6):
            with pytest.raises(CertificateFormatError, match=f"release has 5 records, and not {records}"):
                replace(WHOLE, records=records).counts_in(file, "release")
    for other in (rows + b"x,,1,3\n", rows.replace(b"x,,1,2\n", b"x,,1,3\n", 1)):
        with pytest.raises(CertificateFormatError, match="another release"):
            WHOLE.counts_in(other, "release")


def test_a_hierarchy_is_the_one_that_is_named_or_none_where_none_is() -> None:
    rows, other = [("1", "low", "*"), ("2", "low", "*")], [("1", "low", "*")]
    broken = [("1", "low", "*"), ("2", "low", "+")]
    require_hierarchy(None, None, "a")
    require_hierarchy(rows, levels_digest(rows), "a")
    with pytest.raises(CertificateFormatError, match="needs the hierarchy of 'a'; give its file"):
        require_hierarchy(None, levels_digest(rows), "a")
    for given, digest in ((rows, None), (rows, levels_digest(other)), (other, levels_digest(rows))):
        with pytest.raises(CertificateFormatError, match="about another hierarchy of 'a'"):
            require_hierarchy(given, digest, "a")
    with pytest.raises(CertificateFormatError, match="the hierarchy of 'a' has"):
        require_hierarchy(broken, levels_digest(broken), "a")


def test_counts_are_shown_by_their_columns_and_no_cell_of_them() -> None:
    """A traceback shows what it is about, and no record of it."""
    counts = Counts.of(["age", "ill"], {("text:41", "text:flu"): 20, ("text:42", "text:cough"): 30})
    assert repr(counts) == "Counts(columns=('age', 'ill'))"
