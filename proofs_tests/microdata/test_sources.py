"""Files are read as text: what stands in a cell is the value, and a damaged file is refused by name."""

from __future__ import annotations

import io
import math
import random
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tcloseness.errors import TableError
from tcloseness.microdata import FrequencySet, read_table


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    file = folder / "table.csv"
    file.write_bytes(text.encode(encoding))
    return file


def cells(frame: pd.DataFrame) -> list[list[Any]]:
    return [[None if pd.isna(c) else c for c in row] for row in frame.to_numpy(dtype=object).tolist()]


def test_cells_stay_text_and_nothing_is_guessed(tmp_path: Path) -> None:
    """Leading zeros, exponents, truth values and dates stay what they are; NA and ? are values unless named."""
    frame = read_table(written(tmp_path, "zip,s\n01234,1e5\nNA,TRUE\n?,2020-01-01\nnan,NULL\n"))
    assert cells(frame) == [["01234", "1e5"], ["NA", "TRUE"], ["?", "2020-01-01"], ["nan", "NULL"]]


def test_only_the_empty_cell_is_missing_unless_others_are_named(tmp_path: Path) -> None:
    file = written(tmp_path, 'q,s\n,x\n?,y\n"",z\na,\n')
    assert cells(read_table(file)) == [[None, "x"], ["?", "y"], [None, "z"], ["a", None]]
    assert cells(read_table(file, missing_texts=["", "?"]))[1] == [None, "y"]
    quoted = written(tmp_path, 'q,s\n" ? ",x\n"  ",y\na," b "\n')  # quoted blanks belong to a value alone
    assert cells(read_table(quoted, missing_texts=["", "?"])) == [[None, "x"], [None, "y"], ["a", " b "]]


@pytest.mark.parametrize(
    "cell",
    [
        np.array(["?"], dtype=object),
        np.array([math.nan]),
        np.array([], dtype=object),
        np.array([1, 2]),
        np.array([np.array(["?"], dtype=object), np.array(["a", "b"], dtype=object)], dtype=object),
        ["?"],
        {"x": 1},
        {"?"},
        Decimal("sNaN"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("others", [[], [None], ["?"]], ids=str)
def test_cells_that_cannot_be_values_are_in_the_way_only_where_they_are_used(cell: Any, others: list[Any]) -> None:
    """Parquet holds lists and records beside the columns that are asked for: they come as arrays and dictionaries."""
    given = pd.DataFrame({"q": ["a", "?", "?"], "s": ["x", "y", "x"]})
    given["odd"] = pd.Series([cell, *others, *[cell] * (2 - len(others))], dtype=object)
    frame = read_table(given, missing_texts=["?"])
    assert cells(frame[["q", "s"]]) == [["a", "x"], [None, "y"], [None, "x"]]
    roles = {"missing": "category", "suppressed": "*"}
    table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", **roles)  # type: ignore[arg-type]
    assert table.records == 3
    for used in ({"quasi_identifiers": "odd"}, {"quasi_identifiers": "q", "identifying": "s", "sensitive": "odd"}):
        with pytest.raises(TableError, match="column 'odd' holds a cell that cannot be a value"):
            FrequencySet.from_frame(frame, **{"sensitive": "s", "missing": "category", **used})  # type: ignore[arg-type]


@pytest.mark.parametrize("row", ["b", "b,x,y"])
def test_a_row_of_another_length_is_refused_with_its_line(tmp_path: Path, row: str) -> None:
    with pytest.raises(TableError, match=rf"line 4 has {row.count(',') + 1} cells and the header 2"):
        read_table(written(tmp_path, f'q,s\n"a\nb",x\n{row}\nc,\n'))


def test_of_several_rows_of_another_length_the_first_is_named_and_all_are_counted(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"line 3 has 1 cells .* \(2 further row\(s\) differ from it too\)"):
        read_table(written(tmp_path, "q,s\na,x\nb\nc,\nd\ne\n"))


def test_a_blank_after_the_separator_is_no_part_of_a_value(tmp_path: Path) -> None:
    """The Adult files write `39, State-gov`; quoted separators and line breaks belong to the value."""
    frame = read_table(written(tmp_path, 'q, s\n39, State-gov\n40, "a, b\nc"\n'))
    assert list(frame.columns) == ["q", "s"]
    assert cells(frame) == [["39", "State-gov"], ["40", "a, b\nc"]]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    assert list(read_table(written(tmp_path, "q,s\na,x\n", "utf-8-sig")).columns) == ["q", "s"]


def test_columns_of_one_name_stay_two_columns(tmp_path: Path) -> None:
    frame = read_table(written(tmp_path, "q,q,s\na,b,x\n"))
    assert list(frame.columns) == ["q", "q", "s"]
    with pytest.raises(TableError, match="2 columns named 'q'"):
        FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s")


def test_other_separators_and_encodings_are_read_when_named(tmp_path: Path) -> None:
    frame = read_table(written(tmp_path, "q;s\na;é\n", "latin-1"), separator=";", encoding="latin-1")
    assert cells(frame) == [["a", "é"]]


def test_a_weight_column_of_a_file_counts_records(tmp_path: Path) -> None:
    frame = read_table(written(tmp_path, "q,s,w\na,x,2\na,y,3\n"))
    counts = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", weight="w").class_counts()
    assert counts.reference.tolist() == [2, 3]


def test_standard_input_and_open_files_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(b"q,s\na,x\n")

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert cells(read_table("-")) == [["a", "x"]]
    assert cells(read_table(io.BytesIO(b"q,s\nb,y\n"))) == [["b", "y"]]


@pytest.mark.parametrize(
    ("text", "options", "fragment"),
    [
        ("", {}, "is empty; it needs a header line and records"),
        ("\n\n", {}, "is empty"),
        ("q,s\n", {}, "has a header and no records"),
        ("q;s\na;x\n", {}, "has one column, 'q;s', when split at ','; split it by separator=';'"),
        ("q\ts\na\tx\n", {}, r"split it by separator='\\t'"),
        (
            "q;s\na;x,y\n",
            {},
            "2 cells and the header one, which holds ';' 1 time.s.; split it by separator=';'",
        ),
        ("q;s;v\n1,5;x;2\n2,5;y;3\n", {}, "which holds ';' 2 time.s.; split it by separator=';'"),
        ("q,s\na,x\n", {"separator": ";"}, "split it by separator=','"),
        ("q,s\na,x,extra\n", {}, "more cells than the header"),
        ('q,s\na,"x\n', {}, "a quote is open"),
        ("q,s\na,x\n", {"encoding": "utf-99"}, "utf-99"),
        ("q,s\na,x\n", {"separator": ""}, "one character"),
        ("q,s\na,x\n", {"separator": ", "}, "one character"),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, text: str, options: dict[str, Any], fragment: str) -> None:
    with pytest.raises(TableError, match=fragment):
        read_table(written(tmp_path, text), **options)


def test_a_file_in_another_encoding_names_the_byte(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"is not UTF-8 \(.*\); give encoding="):
        read_table(written(tmp_path, "q,s\na,é\n", "latin-1"))


@pytest.mark.parametrize("name", ["absent.csv", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(TableError, match="cannot be read"):
        read_table(tmp_path / name)


def test_a_blank_line_is_a_record_only_where_there_is_one_column(tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("s\nx\n\ny\n\n", encoding="utf-8")
    two.write_text("q,s\na,x\n\nb,y\n", encoding="utf-8")
    column = read_table(one)["s"]
    assert (len(column), column.isna().tolist()) == (3, [False, True, False])
    assert len(read_table(two)) == 2


@pytest.mark.slow
def test_a_table_is_the_same_whatever_ends_its_lines() -> None:
    """Also behind blank lines, and where a first cell is empty or a line end is within quotes."""
    rng = random.Random(20)
    known = ["", "x", "y z", '"q"', '"a\rb"', '"a\r\rb"', '"c\nd"', '" "', '"e""\r"""', 'f"']
    for _ in range(300):
        rows = [[rng.choice(known) for _ in range(3)] for _ in range(rng.randint(1, 5))]
        if not any(any(row) for row in rows):
            continue
        lines = ["a,b,c"]
        for row in rows:
            lines += [""] * rng.choice([0, 0, 1, 2])
            lines.append(",".join(row))
        plain = [[cell[1:-1].replace('""', '"') if cell[:1] == '"' else cell for cell in row] for row in rows]
        for end in ("\n", "\r\n", "\r"):
            found = cells(read_table(io.BytesIO(end.join([*lines, ""]).encode())))
            assert found == [[cell if cell.strip() else None for cell in row] for row in plain], (end, lines)
