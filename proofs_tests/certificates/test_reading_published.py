"""What a certificate says of a published table is read as it is written, and in no other form."""

from __future__ import annotations

from typing import Any

import pytest

from tcloseness.certificates import Reading
from tcloseness.certificates.reading import MOST_RECORDS, Counts, PublishedCounts, published
from tcloseness.errors import InputError

COUNTS = Counts.of(("a", "b", "s"), {("text:1", "text:2", "text:x"): 2, ("text:1", "text:3", "text:x"): 3})
WHOLE = PublishedCounts.of(COUNTS, Reading())


def test_it_is_read_as_it_is_written() -> None:
    assert PublishedCounts(COUNTS.digest, ("a", "b"), "s", 5, Reading()) == WHOLE
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
