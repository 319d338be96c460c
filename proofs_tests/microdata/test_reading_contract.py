"""One contract for every source: one table is one frequency set, and an option is obeyed or refused by name."""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import io
import lzma
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proofs_tests.microdata.reader_fuzz import faults
from tcloseness.cli.grounds import ground_of
from tcloseness.errors import DomainError, HierarchyError, InputError, TableError, TableWarning
from tcloseness.ground import Matrix
from tcloseness.microdata import MISSING, Domain, FrequencySet, Hierarchy, Microdata, read_table
from tcloseness.microdata.naming import MISSING_NAME
from tcloseness.microdata.text_files import cells_of
from tcloseness.release.rows import AnonymizedTable

HEADER = ["zip", "ill", "n"]
ROWS = [
    ["047", "flu", "2"],
    ["047", "?", "1"],
    ["47", "ülcer", "3"],
    ["", "flu", "1"],
    ["47", "NA", "1"],
    ["? ", "flu", "2"],
]
FRAME = pd.DataFrame(ROWS, columns=HEADER, dtype=object)


def text(separator: str = ",") -> str:
    return "".join(separator.join(row) + "\n" for row in [HEADER, *ROWS])


Make = Callable[[Path, str, str], Any]
"""Makes a source in a folder, its cells separated and encoded as asked where it has characters."""


def file(name: str, pack: Callable[[bytes], bytes] = bytes) -> Make:
    def make(folder: Path, separator: str, encoding: str) -> Path:
        place = folder / name
        place.write_bytes(pack(text(separator).encode(encoding)))
        return place

    return make


def parquet(folder: Path, separator: str, encoding: str) -> Path:
    FRAME.to_parquet(folder / "t.parquet")
    return folder / "t.parquet"


TEXT_FILES: dict[str, Make] = {
    "csv": file("t.csv"),
    "another suffix": file("t.data"),
    "csv.gz": file("t.csv.gz", gzip.compress),
    "csv.bz2": file("t.csv.bz2", bz2.compress),
    "csv.xz": file("t.csv.xz", lzma.compress),
    "gz without its suffix": file("t.csv", gzip.compress),
    "bytes": lambda folder, separator, encoding: io.BytesIO(text(separator).encode(encoding)),
    "open file": lambda folder, separator, encoding: io.BufferedReader(io.BytesIO(text(separator).encode(encoding))),  # type: ignore[arg-type]
    "byte order mark": lambda folder, separator, encoding: io.BytesIO(
        (b"\xef\xbb\xbf" if encoding == "utf-8" else b"") + text(separator).encode(encoding)
    ),
}
OPEN_TEXTS: dict[str, Make] = {
    "StringIO": lambda folder, separator, encoding: io.StringIO(text(separator)),
    "text file": lambda folder, separator, encoding: io.TextIOWrapper(
        io.BytesIO(text(separator).encode(encoding)), encoding=encoding
    ),
}
TYPED: dict[str, Make] = {"frame": lambda folder, separator, encoding: FRAME.copy()}
if importlib.util.find_spec("pyarrow"):
    TYPED["parquet"] = parquet
    TYPED["parquet bytes"] = lambda folder, separator, encoding: io.BytesIO(
        parquet(folder, separator, encoding).read_bytes()
    )
SOURCES = TEXT_FILES | OPEN_TEXTS | TYPED


def same(one: FrequencySet, other: FrequencySet) -> bool:
    return (
        one.domains == other.domains
        and all((one.codes[name] == other.codes[name]).all() for name in one.codes)
        and one.counts.tolist() == other.counts.tolist()
        and (one.records, one.dropped) == (other.records, other.dropped)
    )


def counted(frame: pd.DataFrame, **more: Any) -> FrequencySet:
    with pytest.warns(TableWarning, match="'047' .* and '47'"):
        return FrequencySet.from_frame(frame, quasi_identifiers="zip", sensitive="ill", **more)


MEANINGS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "category": (("",), {"missing": "category"}),
    "drop": (("",), {"missing": "drop"}),
    "? is missing too": (("", "?"), {"missing": "category"}),
    "? is missing, with blanks": (("", " ? "), {"missing": "drop"}),
    "a text of a number": (("", "047"), {"missing": "category"}),
    "weights": (("", "?"), {"missing": "drop", "weight": "n"}),
    "order": (("", "?"), {"missing": "category", "orders": {"ill": ["(missing)", "NA", "flu", "ülcer"]}}),
    "domain": (("", "?"), {"missing": "category", "domains": {"ill": ["ebola", "NA", "flu", "ülcer", "(missing)"]}}),
}


@pytest.mark.parametrize("meaning", MEANINGS)
@pytest.mark.filterwarnings("ignore:column .zip. has 1 group")
def test_every_source_gives_the_same_frequency_set(meaning: str, tmp_path: Path) -> None:
    texts, options = MEANINGS[meaning]
    found = {
        name: FrequencySet.from_frame(
            read_table(make(tmp_path, ",", "utf-8"), missing_texts=texts),
            quasi_identifiers="zip",
            sensitive="ill",
            **options,
        )
        for name, make in SOURCES.items()
    }
    plain = found.pop("csv")
    typed = {name: found.pop(name) for name in TYPED}
    assert {name for name, each in found.items() if not same(plain, each)} == set()
    if "?" in {text.strip() for text in texts}:  # cells of a frame keep their blanks, and a missing text knows none
        assert {name for name, each in typed.items() if not same(plain, each)} == set()
    if meaning != "category":
        with_blanks = FrequencySet.from_frame(
            read_table(tmp_path / "t.data"), quasi_identifiers="zip", sensitive="ill", missing="category"
        )
        assert not same(plain, with_blanks)  # so that no option is without effect here


@pytest.mark.parametrize("name", SOURCES)
def test_a_separator_is_obeyed_or_refused_by_name(name: str, tmp_path: Path) -> None:
    for separator in (";", "\t", "|"):
        source = SOURCES[name](tmp_path, separator, "utf-8")
        if name in TYPED:
            with pytest.raises(TableError, match=r"^separator=.* cannot apply: .*leave separator out"):
                read_table(source, separator=separator)
        else:
            assert read_table(source, separator=separator, missing_texts=()).columns.tolist() == HEADER


@pytest.mark.parametrize("name", SOURCES)
def test_an_encoding_is_obeyed_or_refused_by_name(name: str, tmp_path: Path) -> None:
    source = SOURCES[name](tmp_path, ",", "latin-1")
    if name in TEXT_FILES:
        assert read_table(source, encoding="latin-1")["ill"].tolist()[2] == "ülcer"
        with pytest.raises(TableError, match="give encoding="):
            read_table(SOURCES[name](tmp_path, ",", "latin-1"))
    else:
        with pytest.raises(
            TableError, match=r"encoding='latin-1' cannot apply|encoding='latin-1' .*leave encoding out"
        ):
            read_table(source, encoding="latin-1")


@pytest.mark.parametrize("name", ["t.tsv", "t.tab", "t.TSV", "t.tsv.gz"])
def test_a_file_of_tabs_is_known_by_its_name(name: str, tmp_path: Path) -> None:
    pack = gzip.compress if name.endswith("gz") else bytes
    assert read_table(file(name, pack)(tmp_path, "\t", "utf-8")).columns.tolist() == HEADER
    assert read_table(file(name, pack)(tmp_path, ";", "utf-8"), separator=";").columns.tolist() == HEADER


def test_standard_input_is_read_as_a_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (text().encode(), gzip.compress(text().encode())):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read_table("-").columns.tolist() == HEADER
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(TableError, match="standard input cannot be read"):
        read_table("-")


NO_TEXT = {
    "xlsx": (b"PK\x03\x04rest", "Excel workbook, not text; unpack it, or save the sheet as CSV"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save the sheet as CSV"),
    "zstd": (b"\x28\xb5\x2f\xfd", "decompress it first"),
    "feather": (b"ARROW1\0\0", "CSV or Parquet"),
    "gz cut": (gzip.compress(b"q,s\na,x\n")[:-9], "compressed and damaged"),
    "gz of a zip": (gzip.compress(b"PK\x03\x04"), "ZIP archive"),
    "utf-16": ("q,s\na,x\n".encode("utf-16"), "it begins like utf-16; give encoding="),
}


@pytest.mark.parametrize("kind", NO_TEXT)
def test_what_is_not_text_is_refused_with_a_way_out(kind: str, tmp_path: Path) -> None:
    content, fragment = NO_TEXT[kind]
    (tmp_path / "t.csv").write_bytes(content)
    for source in (tmp_path / "t.csv", io.BytesIO(content)):
        with pytest.raises(TableError, match=fragment):
            read_table(source)
    with pytest.raises(HierarchyError, match=fragment):
        Hierarchy.from_csv(tmp_path / "t.csv")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1garbagePAR1", b"q,s\na,x\n"])
def test_a_damaged_parquet_file_is_named(content: bytes, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "t.parquet").write_bytes(content)
    with pytest.raises(TableError, match=r"t.parquet is not a whole Parquet file"):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("given", [None, 3, ["a"], {"q": ["a"]}, np.zeros(2), b"q,s", object()])
def test_what_is_not_a_source_is_named(given: Any) -> None:
    with pytest.raises(TableError, match=type(given).__name__):
        read_table(given)


def test_a_file_that_was_closed_or_holds_no_characters_is_named() -> None:
    closed = io.StringIO("q,s\n")
    closed.close()
    with pytest.raises(TableError, match="cannot be read"):
        read_table(closed)

    class Numbers:
        def read(self) -> int:
            return 3

    with pytest.raises(TableError, match="it holds int"):
        read_table(Numbers())  # type: ignore[arg-type]
    with pytest.raises(TableError, match="cannot be decoded"):
        read_table(io.TextIOWrapper(io.BytesIO(b"q,s\n\xff,x\n"), encoding="utf-8"))


# ---------------------------------------------------------------------- numbers of Parquet and frames


def test_a_missing_text_is_compared_with_what_a_number_is_written_as() -> None:
    frame = pd.DataFrame({"q": [999, 1, 1], "s": ["a", "a", "b"]})
    found = read_table(frame, missing_texts=["999"])
    assert found["q"].isna().tolist() == [True, False, False]
    assert frame["q"].tolist() == [999, 1, 1]


# ---------------------------------------------------------------------- blanks: one rule everywhere

BLANKS = [" x", "x ", "\tx", "x\t ", "\u00a0x", " x \u2003"]


@pytest.mark.parametrize("cell", BLANKS)
def test_blanks_around_a_cell_are_not_part_of_it_in_any_file(cell: str, tmp_path: Path) -> None:
    """Table, header, hierarchy, matrix and missing texts alike; a quoted cell keeps them."""
    table = tmp_path / "t.csv"
    table.write_text(f"q,{cell}\na,{cell}\nb,{cell}\nc,y\n", encoding="utf-8")
    frame = read_table(table)
    assert frame.columns.tolist() == ["q", "x"]
    assert frame["x"].tolist() == ["x", "x", "y"]
    assert read_table(table, missing_texts=["x"])["x"].isna().tolist() == [True, True, False]
    tree = tmp_path / "h.csv"
    tree.write_text(f"{cell},*\ny,*\n", encoding="utf-8")
    assert Hierarchy.from_csv(tree).rows(Domain.of(["x", "y"])) == [0, 1]
    table.write_text(f'q,s\na,"{cell}"\nb,z\n', encoding="utf-8")
    assert read_table(table)["s"].tolist() == [cell, "z"]
    tree.write_text(f'"{cell}",*\n', encoding="utf-8")
    assert Hierarchy.from_csv(tree).values == (cell,)


@pytest.mark.long
def test_a_table_has_the_cells_that_a_strict_reader_of_its_text_finds() -> None:
    """Random texts full of quotes, separators, blanks and line breaks: the same cells, or both refuse the text.

    A text with a NUL is refused, whatever else it is: what parsers make of one depends on their version.
    """
    drawn = random.Random(3)
    read = refused = 0
    pieces = [*2 * ["a", "b", '"', '""', ",", " ", "\r\n", "\n"], "\0"]
    for _ in range(4_000):
        body = "".join(drawn.choices(pieces, k=drawn.randrange(1, 12)))
        text = f"q,s\n{body}"
        try:
            rows = [cells for _, cells in cells_of(text, ",", "it", TableError)][1:]
        except TableError:
            rows = []
        if "\0" in text:
            line = 1 + text[: text.index("\0")].count("\n")
            with pytest.raises(TableError, match=f"line {line} holds the character NUL"):
                read_table(io.StringIO(text, newline=""), missing_texts=[])
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TableWarning)
            if rows and all(len(row) == 2 for row in rows):
                read += 1
                assert read_table(io.StringIO(text), missing_texts=[]).to_numpy().tolist() == rows, text
            else:
                refused += 1
                with pytest.raises(TableError):
                    read_table(io.StringIO(text), missing_texts=[])
    assert min(read, refused) > 300


NULS = {
    "in a cell": ("q,s\na,x\nb\0c,y\n", 3),
    "in a quoted cell": ('q,s\r\na,x\r\n"b\n\0",y\r\n', 4),
    "before the header": ("\0q,s\na,x\n", 1),
    "in the header": ("q,s\0\na,x\n", 1),
    "instead of a cell": ("q,s\na,\0\nb,y\n", 2),
    "for a line": ("q,s\na,x\n\0\nb,y\n", 3),
    "after lines that old systems end": ("q,s\ra,x\rb,\0\r", 3),
    "at the end": ("q,s\na,x\nb,y\n\0\0\0\0", 4),
}


@pytest.mark.parametrize("where", NULS)
def test_a_nul_is_refused_with_its_line_in_every_text(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, line = NULS[where]
    content = text.encode()
    says = rf"line {line} holds the character NUL \('\\x00'\).*write it again without it, or "
    packed: dict[str, bytes] = {
        "t.csv": content,
        "t.tsv": content.replace(b",", b"\t"),
        "t.csv.gz": gzip.compress(content),
        "t.csv.bz2": bz2.compress(content),
        "t.csv.xz": lzma.compress(content),
        "marked.csv": b"\xef\xbb\xbf" + content,
    }
    for name, held in packed.items():
        (tmp_path / name).write_bytes(held)
        for source in (tmp_path / name, io.BytesIO(held)):
            with pytest.raises(TableError, match=says + "give encoding="):
                read_table(source)
        with pytest.raises(HierarchyError, match=says + "give encoding="):
            Hierarchy.from_csv(tmp_path / name)
        with pytest.raises(DomainError, match=says + "give encoding="):
            ground_of(f"matrix:{tmp_path / name}")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(held)))
        with pytest.raises(TableError, match=f"standard input, {says}"):
            read_table("-")
    for encoding in ("latin-1", "utf-16"):
        (tmp_path / "t.csv").write_bytes(text.encode(encoding))
        with pytest.raises(TableError, match=says):
            read_table(tmp_path / "t.csv", encoding=encoding)
    with pytest.raises(TableError, match=says + "open it in its encoding"):
        read_table(io.StringIO(text, newline=""))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_characters_without_a_byte_order_mark_are_not_taken_for_utf_8(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("q,s\na,x\nb,y\n".encode(encoding))
    with pytest.raises(TableError, match=r"line 1 holds the character NUL .* give encoding= \(such as 'utf-16'\)"):
        read_table(tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv", encoding=encoding)["s"].tolist() == ["x", "y"]


def test_a_value_with_a_nul_is_written_into_no_text(tmp_path: Path) -> None:
    """A frame and Parquet may hold one; what is written could not be read again."""
    with pytest.raises(InputError, match=r"'a\\x00b' holds the character NUL"):
        Hierarchy.suppression(["a\0b", "c"]).to_csv(tmp_path / "h.csv")
    assert not (tmp_path / "h.csv").exists()
    rows = {"q": ["a", "a\0b"], "s": ["x", "y"]}
    for columns in (rows, {"q\0": ["a", "b"]}, {"q": ["a", "\0"]}):
        with pytest.raises(InputError, match="holds the character NUL"):
            AnonymizedTable(columns, np.zeros(2, dtype=bool), "*").to_csv()


@pytest.mark.parametrize("cell", ['"a"b', '"a" b', '"a" "b"', '"a""" b', ' "a"b'])
def test_a_cell_that_goes_on_after_its_last_quote_is_refused_in_any_file(cell: str, tmp_path: Path) -> None:
    file = tmp_path / "file.csv"
    file.write_text(f"q,s\nx,y\n{cell},y\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"line 3: .*a cell goes on after its last quote"):
        read_table(file)
    with pytest.raises(HierarchyError, match=r"line 3: .*a cell goes on after its last quote"):
        Hierarchy.from_csv(file)


@pytest.mark.parametrize("separator", ["ß", "¦", "\u3000"])
def test_a_separator_that_is_not_ascii_is_refused_in_any_file(separator: str, tmp_path: Path) -> None:
    file = tmp_path / "file.csv"
    file.write_text(f"q{separator}s\nx{separator}y\n", encoding="utf-8")
    with pytest.raises(TableError, match="must be one character, of ASCII"):
        read_table(file, separator=separator)
    with pytest.raises(HierarchyError, match="must be one character, of ASCII"):
        Hierarchy.from_csv(file, separator=separator)


def test_cells_that_blanks_alone_kept_apart_are_told_of_with_their_counts(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("q,s\na,flu\nb, flu\nc,flu \nd,cold\n", encoding="utf-8")
    with pytest.warns(TableWarning, match=r"column 's': 2 cell\(s\) of 1 value\(s\) have blanks around them"):
        frame = read_table(tmp_path / "t.csv")
    assert frame["s"].tolist() == ["flu", "flu", "flu", "cold"]
    (tmp_path / "t.csv").write_text("q, s\na, flu\nb, flu\n", encoding="utf-8")
    read_table(tmp_path / "t.csv")  # all alike: nothing was made one


def test_a_hierarchy_is_read_as_it_was_written(tmp_path: Path) -> None:
    values = [" x", "x", 'a"b', "a,b", "a\nb", "\u00a0", "'"]
    tree = Hierarchy.suppression(values)
    tree.to_csv(tmp_path / "h.csv")
    assert Hierarchy.from_csv(tmp_path / "h.csv").paths == tree.paths


# ---------------------------------------------------------------------- (missing)

GAPS = pd.DataFrame({"q": ["a", "a", None, None], "s": ["x", None, "x", "y"]}, dtype=object)
TEXTS = pd.DataFrame({"q": ["a", "a", "(missing)", None], "s": ["x", "(missing)", "x", None]}, dtype=object)


def micro(frame: pd.DataFrame, **more: Any) -> Microdata:
    return Microdata.from_frame(frame, quasi_identifiers="q", sensitive="s", missing="category", **more)


def test_the_missing_value_is_named_wherever_a_value_is() -> None:
    names = ["y", MISSING_NAME, "x"]
    assert micro(GAPS, orders={"s": names}).sensitive[0].domain.values == ("y", MISSING, "x")
    assert micro(GAPS, domains={"s": [*names, "z"]}).sensitive[0].domain.values == ("y", MISSING, "x", "z")
    domain = micro(GAPS).sensitive[0].domain
    assert Hierarchy([(name, "*") for name in names]).rows(domain) == [names.index(str(v)) for v in domain.values]
    entries = {a: {b: int(a != b) for b in names} for a in names}
    assert Matrix.labelled(entries, domain).m == 3
    marked = micro(GAPS, suppressed=MISSING_NAME)
    assert marked.suppressed.tolist() == [False, False, True, True]


def test_the_name_is_refused_where_the_column_has_that_text() -> None:
    names = ["x", MISSING_NAME]
    with pytest.warns(TableWarning), pytest.raises(DomainError, match="rename that value"):
        micro(TEXTS, orders={"s": names})
    with pytest.warns(TableWarning), pytest.raises(DomainError, match="rename that value"):
        micro(TEXTS, domains={"s": names})
    with pytest.warns(TableWarning), pytest.raises(DomainError, match="rename that value"):
        micro(TEXTS, suppressed=MISSING_NAME)
    with pytest.warns(TableWarning):
        domain = micro(TEXTS).sensitive[0].domain
    with pytest.raises(DomainError, match="rename that value"):
        Hierarchy([(name, "*") for name in names]).rows(domain)
    with pytest.raises(DomainError, match="rename that value"):
        Matrix.labelled({a: dict.fromkeys(names, 0) for a in names}, domain)


def test_a_text_of_a_file_names_a_number_or_a_date() -> None:
    """An order of the command line is text, and the values of a Parquet file may be numbers."""
    frame = pd.DataFrame({"q": ["a"] * 4, "s": [3, 1, 2, 2]})
    options: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s"}
    table = Microdata.from_frame(frame, **options, orders={"s": ["3", "1", "2"]})
    assert table.sensitive[0].domain.values == (3, 1, 2)
    table = Microdata.from_frame(frame, **options, domains={"s": ["1", "2", "3", "4"]})
    assert table.sensitive[0].domain.values == (1, 2, 3, 4)
    days = Domain.of(pd.to_datetime(["2020-01-02", "2020-01-01"]))
    assert Hierarchy([("2020-01-01", "*"), ("2020-01-02", "*")]).rows(days) == [0, 1]


# ---------------------------------------------------------------------- any bytes


@pytest.mark.long
def test_no_reader_fails_but_by_name_and_what_was_written_is_read() -> None:
    assert faults(20_261, 80) == []


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst", ".zip", ".xlsx", ".xls", ".7z"])
def test_what_is_neither_text_nor_what_its_name_says_is_named_so(ending: str, tmp_path: Path) -> None:
    """Random bytes, and whole files that lost their first byte; not "give an encoding", which would not help."""
    packed = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}.get(ending, gzip.compress)
    draw = random.Random(20)
    for turn in range(20):
        place = tmp_path / f"{turn}.csv{ending}"
        place.write_bytes(packed(text().encode())[1:] if turn == 0 else b"\xff" + draw.randbytes(200))
        for read in (read_table, Hierarchy.from_csv):
            with pytest.raises(InputError, match=rf"named \{ending} and is not .*; it is damaged") as caught:
                read(place)
            assert "encoding" not in str(caught.value)
    plain = tmp_path / f"plain.csv{ending}"  # text is read, whatever it is called
    plain.write_text(text(), encoding="utf-8")
    assert len(read_table(plain)) == len(ROWS)
