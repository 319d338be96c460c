"""The digest of a frequency set is that of the canonical text, which the checkers make in a way of their own."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tcloseness.certificates import canonical_text, read_counts
from tcloseness.errors import TableError
from tcloseness.exact import INT64_MAX
from tcloseness.microdata import FrequencySet, Hierarchy, canonical
from tcloseness.microdata.canonical import canonical_counts, canonical_digest, canonical_lines

VALUES = ["a", "a b", "a!", 'a"', "a,", "é", "\\", "1", 1, 1.5, Decimal("0.1"), True, None, "", "b\n", "z" * 40, 10, 9]


def frame_of(seed: int, rows: int = 60) -> pd.DataFrame:
    drawn = Random(seed)
    columns = {name: [drawn.choice(VALUES) for _ in range(rows)] for name in ("q", 'r "x"', "s")}
    return pd.DataFrame({**columns, "w": [drawn.randint(1, 10**9) for _ in range(rows)]}, dtype=object)


def counted(frame: pd.DataFrame, **roles: Any) -> FrequencySet:
    chosen = {"quasi_identifiers": ["q", 'r "x"'], "sensitive": "s", "missing": "category", **roles}
    return FrequencySet.from_frame(frame, **chosen)


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
@pytest.mark.parametrize("widest", [canonical._WIDEST, 0])
@pytest.mark.parametrize("together", [0, canonical._TOGETHER, 2**24])
@pytest.mark.parametrize("largest", [INT64_MAX, 0])
def test_the_text_and_the_digest_are_those_of_the_checkers(
    widest: int, together: int, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many columns are written as one: each by itself, two and one, all three; and where no key holds all."""
    monkeypatch.setattr(canonical, "_WIDEST", widest)
    monkeypatch.setattr(canonical, "_TOGETHER", together)
    monkeypatch.setattr(canonical, "INT64_MAX", largest)
    monkeypatch.setattr(canonical, "_BLOCK", 700)
    for seed in range(4):
        found = counted(frame_of(seed), **({} if seed % 2 else {"weight": "w"}))
        want = canonical_text(*canonical_counts(found, "s"))
        text = b"".join(canonical_lines(found, ["q", 'r "x"', "s"]))
        assert text.decode("ascii") == want
        assert found.digest == hashlib.sha256(text).hexdigest() == read_counts(text).digest


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_the_digest_depends_on_values_their_types_and_counts_and_on_nothing_else() -> None:
    frame = frame_of(3)
    found = counted(frame).digest
    assert counted(frame.iloc[::-1]).digest == found
    assert counted(frame, orders={"s": counted(frame).domains["s"].cells(np.arange(17)[::-1][-17:])}).digest == found
    assert counted(frame.iloc[1:]).digest != found
    assert counted(frame, quasi_identifiers=['r "x"', "q"]).digest != found
    assert counted(pd.concat([frame, frame])).digest != found
    other = frame.copy()
    other["q"] = [str(cell) if type(cell) is int else cell for cell in other["q"]]
    assert counted(other).digest != found


def test_persons_and_marked_records_are_counted_by_their_values() -> None:
    frame = pd.DataFrame({"who": [1, 1, 2, 3], "q": ["a", "a", "a", "*"], "s": ["x", "x", "x", "y"]})
    persons = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", person="who", suppressed="*")
    plain = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", identifying="who", suppressed="*")
    assert persons.digest == plain.digest
    assert b"".join(canonical_lines(persons, ["q", "s"])).splitlines()[1:] == [
        b'["text:*","text:y",1]',
        b'["text:a","text:x",3]',
    ]
    both = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive=["s", "who"], suppressed="*")
    assert both.digest == canonical_digest(both, ["q", "s", "who"]) != plain.digest


def test_instants_are_one_value_whatever_their_zone() -> None:
    times = pd.Series(pd.to_datetime(["2020-01-01 00:00", "2020-01-01 12:00"]).tz_localize("UTC"))
    digests = {
        FrequencySet.from_frame(
            pd.DataFrame({"q": times.dt.tz_convert(zone), "s": ["x", "y"]}), quasi_identifiers="q", sensitive="s"
        ).digest
        for zone in ("UTC", "Europe/Paris", "Asia/Tokyo")
    }
    assert len(digests) == 1


def test_rows_are_known_where_they_were_counted_and_not_of_what_was_made_of_them(tmp_path: Any) -> None:
    file = tmp_path / "table.csv"
    file.write_text("q,s\n11,x\n12,y\n11,x\n")
    found = FrequencySet.read(file, quasi_identifiers="q", sensitive="s")
    assert found.microdata.quasi_identifiers[0].codes.tolist() == [0, 1, 0]
    assert found.microdata is found.microdata
    hierarchy = Hierarchy.prefixes(["11", "12"], name="q")
    with pytest.raises(TableError, match="the rows are not known"):
        found.generalize({"q": hierarchy}, {"q": 1}).microdata  # noqa: B018
    again = FrequencySet.read(file, quasi_identifiers="q", sensitive="s")
    file.write_text("q,s\n11,x\n12,y\n13,x\n")
    with pytest.raises(TableError, match="no longer what was counted"):
        again.microdata  # noqa: B018
