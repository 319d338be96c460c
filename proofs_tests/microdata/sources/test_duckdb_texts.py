"""Text files by DuckDB: what the strict reader makes of a file, it makes of it too, or leaves it to that reader."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import random
import warnings
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pytest

from tcloseness import FrequencySet, read_table
from tcloseness.errors import TableError
from tcloseness.microdata.combinations import Options
from tcloseness.microdata.domain import MISSING
from tcloseness.microdata.sources import combinations, files, names, rows

CASES = {
    "plain": b"a,b\n1,x\n2,y\n",
    "leading zeros, 1 and 1.0": b"a,b\n001,x\n1,x\n1.0,y\n",
    "a comma, a line break and quotes in quotes": b'a,b\n"1,2",x\n"l1\nl2","he said ""hi"""\n',
    "a quote within a cell": b'a,b\n5" disk,x\n1,y\n',
    "a blank after each separator": b"a, b\n1, x\n2, y\n",
    "a blank before a quote": b'a, b\n1, "x, y"\n2, "z"\n',
    "blanks within quotes": b'a,b\n" 1",x\n1 ,y\n',
    "a short row": b"a,b\n1\n2,y\n",
    "a long row": b"a,b\n1,x,z\n2,y\n",
    "blank lines": b"a,b\n\n1,x\n\n2,y\n\n",
    "a line of blanks": b"a,b\n1,x\n  \n2,y\n",
    "a blank line, one column": b"a\n1\n\n2\n",
    "a byte order mark": b"\xef\xbb\xbfa,b\n1,x\n2,y\n",
    "CRLF": b"a,b\r\n1,x\r\n2,y\r\n",
    "CR": b"a,b\r1,x\r2,y\r",
    "two kinds of line ends": b"a,b\n1,x\r\n2,y\n",
    "no last line end": b"a,b\n1,x\n2,y",
    "empty cells": b'a,b\n,x\n"",y\nNA,z\nnull,w\n',
    "a separator at the end": b"a,b,\n1,x,\n2,y,\n",
    "a header twice": b"a,a\n1,x\n2,y\n",
    "an empty header": b"a,\n1,x\n2,y\n",
    "an open quote": b'a,b\n1,"x\n2,y\n',
    "NUL": b"a,b\n1\x00,x\n2,y\n",
    "not UTF-8": b"a,b\n\xff,x\n2,y\n",
    "Latin-1": "a,b\nMüller,x\n2,y\n".encode("latin-1"),
    "a hash": b"a,b\n#1,x\n2,y\n",
    "a backslash before a quote": b'a,b\n"x\\"y",x\n2,y\n',
    "text after a quote": b'a,b\n"x"y,x\n2,y\n',
    "a header alone": b"a,b\n",
    "nothing": b"",
    "a line separator of Unicode": "a,b\n1\u2028z,x\n2,y\n".encode(),
    "a hard blank": "a,b\n\u00a01,x\n2,y\n".encode(),
    "a cell of 3 MB": b"a,b\n" + b"z" * 3_000_000 + b",x\n2,y\n",
    "a header in quotes": b'"a","b,c"\n1,x\n2,y\n',
    "headers that differ by case": b"a,A\n1,x\n2,y\n",
    "a header of two lines": b'"a\nx",b\n1,x\n2,y\n',
    "text in quotes at the end of the file": b'a,b\n1,"x"',
    "a separator at the end of a row": b"a,b\n1,x,\n2,y\n",
    "a separator at the end of the last row": b"a,b\n1,x\n2,y,",
    "an empty cell at the end of rows": b"a,b\n1,\n2,y\n3,",
    "an empty cell behind quotes": b'a,b\n"1",\n2,y\n',
    "a separator at the end of quoted lines": b'a,b\n"1,\n2,\n",x\n2,y\n',
    "a blank behind a cell": b"a,b\n1 ,x\n1,y\n",
    "a half of a character at the end": "a,b\n1,é".encode()[:-1],
}


@pytest.fixture(autouse=True)
def by_duckdb_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small files be counted by DuckDB too."""
    monkeypatch.setattr("tcloseness.microdata.sources.duckdb.SMALL", 0)


def rows_of(found: dict[str, tuple[object, object]], counts: object) -> Counter[tuple[object, ...]]:
    columns = [[domain.values[code] for code in codes] for codes, domain in found.values()]  # type: ignore[attr-defined]
    times = [1] * len(columns[0]) if counts is None else counts.tolist()  # type: ignore[attr-defined]
    rows: Counter[tuple[object, ...]] = Counter()
    for row, number in zip(zip(*columns, strict=True), times, strict=True):
        rows[row] += number
    return rows


def by_reader(path: Path, **options: object) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            frame = read_table(path, **options)  # type: ignore[arg-type]
        except TableError as error:
            return str(error)
    names = [str(name) for name in frame.columns]
    cells = zip(*(frame.iloc[:, place].tolist() for place in range(len(names))), strict=True)
    return names, Counter(tuple(MISSING if cell != cell else cell for cell in row) for row in cells)


def by_engine(path: Path, names: list[str], **options: object) -> tuple[str, object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _by_engine(path, names, **options)


def _by_engine(path: Path, names: list[str], **options: object) -> tuple[str, object]:
    try:
        found = combinations(path, dict.fromkeys(names, "sensitive"), options=Options(**options))  # type: ignore[arg-type]
    except TableError as error:
        return "refused", str(error)
    return found.origin.engine.split()[0], (list(found.names), rows_of(found.columns, found.counts))  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_a_text_file_is_what_the_strict_reader_makes_of_it(name: str, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes(CASES[name])
    want = by_reader(file)
    if isinstance(want, str):
        assert by_engine(file, ["a"]) == ("refused", want)
        return
    names, _ = want  # type: ignore[misc]
    if len(set(names)) < len(names):
        assert "2 columns named 'a'" in str(by_engine(file, names)[1])
        return
    assert by_engine(file, names)[1] == want
    assert by_engine(file, names, encoding="utf-8")[1] == want


@pytest.mark.long
def test_most_files_are_counted_by_duckdb(tmp_path: Path) -> None:
    for name in ("plain", "CRLF", "empty cells", "headers that differ by case", "a byte order mark", "a hash"):
        file = tmp_path / "table.csv"
        file.write_bytes(CASES[name])
        names, _ = by_reader(file)  # type: ignore[misc]
        assert by_engine(file, names)[0] == "DuckDB", name


@pytest.mark.parametrize("files", [20, pytest.param(1_000, marks=pytest.mark.slow)])
def test_any_small_file_is_what_the_strict_reader_makes_of_it(files: int, tmp_path: Path) -> None:
    file, drawn, engines = tmp_path / "table.csv", random.Random(20), Counter[str]()
    pieces = ["a", "b", "1", "", " ", '"', '"x"', ",", "é", "\t", "\\", "'", "#", "x y", "N", "\n"]
    for _ in range(files):
        cells = ["".join(drawn.choices(pieces, k=drawn.choice([1, 1, 1, 2]))) for _ in range(2 * drawn.randrange(1, 5))]
        body = drawn.choice(["\n", "\n", "\r\n"]).join(map(",".join, zip(cells[::2], cells[1::2], strict=True)))
        body += drawn.choice(["", "\n", ",", "\n\n", '"'])
        file.write_text("p,q\n" + body, encoding="utf-8", newline="")
        want = by_reader(file)
        engine, found = by_engine(file, ["p", "q"])
        assert found == want, body
        engines[engine] += 1
    assert engines["DuckDB"] > files // 8, engines


@pytest.mark.parametrize("texts", [["?"], ["", "?"], [""], [], [" ? "]])
def test_the_texts_that_mean_missing_are_those_of_the_strict_reader(texts: list[str], tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes(b"a,b\n?,x\n,y\nz,?\n1,\n")
    engine, found = by_engine(file, ["a", "b"], missing_texts=texts)
    assert engine == "DuckDB"
    assert found == by_reader(file, missing_texts=texts)


@pytest.mark.parametrize("separator", [";", "\t", "|", " ", ","])
def test_the_separator_is_obeyed(separator: str, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text(separator.join("ab") + "\n" + separator.join("12") + "\n" + separator.join("13") + "\n")
    assert by_engine(file, ["a", "b"], separator=separator)[1] == by_reader(file, separator=separator)


def test_what_is_not_utf8_is_refused_also_in_a_column_that_is_not_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    for content in (b"a,b\n1,\xff\n2,y\n", b"a,b\n1,\x00\n2,y\n", b"a,b\n1,x\n2,\xc3"):
        file.write_bytes(content)
        assert by_engine(file, ["a"]) == ("refused", by_reader(file))


@pytest.mark.parametrize("ending", ["gz", "zst", "bz2", "xz"])
def test_compressed_files_are_read(ending: str, tmp_path: Path) -> None:
    import lzma

    content, plain, file = b"a,b,c\n1,x,1\n2,y,1\n1,x,2\n", tmp_path / "table.csv", tmp_path / f"table.csv.{ending}"
    plain.write_bytes(content)
    if ending == "zst":
        duckdb.sql(f"copy (from read_csv('{plain}', all_varchar=true)) to '{file}' (header)")
    else:
        file.write_bytes({"gz": gzip, "bz2": bz2, "xz": lzma}[ending].compress(content))  # type: ignore[attr-defined]
    roles = {"quasi_identifiers": "a", "sensitive": "b"}
    want, found = FrequencySet.read(plain, **roles), FrequencySet.read(file, **roles)
    assert found.counts.tolist() == want.counts.tolist() == [2, 1]
    assert found.domains == want.domains
    assert found.origin.engine.startswith("DuckDB" if ending in ("gz", "zst") else "strict reader")


def test_a_damaged_compressed_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "table.csv.gz"
    file.write_bytes(gzip.compress(b"a,b\n" + b"1,x\n" * 10_000)[:-30])
    with pytest.raises(TableError, match="compressed and damaged"):
        FrequencySet.read(file, quasi_identifiers="a", sensitive="b")


def test_files_of_one_table_are_read_together_by_pattern_or_list(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"part-{number}.csv").write_text(f"a,b\n{number},x\n7,y\n")
    roles = {"quasi_identifiers": "a", "sensitive": "b"}
    found = FrequencySet.read(str(tmp_path / "part-*.csv"), **roles)
    assert found.records == 6
    assert found.domains["a"].values == ("0", "1", "2", "7")
    assert [name for name, _ in found.origin.files] == [str(tmp_path / f"part-{n}.csv") for n in range(3)]
    listed = FrequencySet.read([tmp_path / "part-0.csv", tmp_path / "part-2.csv"], **roles)
    assert listed.records == 4
    (tmp_path / "part-2.csv").write_text("a,b\n2, x\n7,y\n")  # left to the strict reader, and the others with it
    left = FrequencySet.read(str(tmp_path / "part-*.csv"), **roles)
    assert left.counts.tolist() == found.counts.tolist()
    assert left.domains == found.domains
    assert left.origin.engine.startswith("strict reader")


def test_files_that_are_not_of_one_table_are_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "1.csv", tmp_path / "2.csv"
    one.write_text("a,b\n1,x\n1,y\n")
    roles = {"quasi_identifiers": "a", "sensitive": "b"}
    for header in ("a,c", "b,a", "a,b,c", "a"):
        two.write_text(f"{header}\n{','.join('1' * len(header.split(',')))}\n")
        with pytest.raises(TableError, match=r"the same columns: column \d is"):
            FrequencySet.read([one, two], **roles)
    with pytest.raises(TableError, match="given twice"):
        FrequencySet.read([one, one], **roles)
    with pytest.raises(TableError, match="no file is named like"):
        FrequencySet.read(str(tmp_path / "part-*.csv"), **roles)
    with pytest.raises(TableError, match=r"cannot be read: No such file"):
        FrequencySet.read(tmp_path / "part.csv", **roles)


@pytest.mark.parametrize(
    "name", ["a[1].csv", "a*.csv", "a?.csv", "it's.csv", 'a"b.csv', "ä {1}.csv", "x=1.csv", "a\\b.csv"]
)
def test_a_file_is_read_by_its_own_name_whatever_it_is(name: str, tmp_path: Path) -> None:
    (tmp_path / "a1.csv").write_text("a,b\n5,x\n5,y\n")
    file = tmp_path / name
    file.write_text("a,b\n1,x\n2,y\n")
    found = FrequencySet.read(file, quasi_identifiers="a", sensitive="b")
    assert found.origin.engine.startswith("DuckDB")
    assert found.domains["a"].values == ("1", "2")


@pytest.mark.parametrize("block", [1, 2, 3, 2**20])
def test_the_ends_of_lines_are_seen_in_whatever_blocks_a_file_is_read(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands before a line break of any kind, and at the end of the file, also across two blocks."""
    monkeypatch.setattr(files, "_BLOCK", block)
    draw = np.random.default_rng(block)
    path = tmp_path / "table.csv"
    for _ in range(60):
        text = bytes(draw.choice(list(b"ab,;\n\r"), int(draw.integers(1, 12))).tolist())
        path.write_bytes(text)
        pairs = zip(text, text[1:], strict=False)
        assert files.scanned(str(path)).ends == {bytes([a]) for a, b in pairs if b in b"\n\r"} | {text[-1:]}


@pytest.mark.parametrize("block", [1, 2, 3, 2**20])
def test_a_file_is_text_if_it_is_utf8_in_whatever_blocks_it_is_read(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_BLOCK", block)
    draw, path, seen = random.Random(block), tmp_path / "table.csv", Counter[bool]()
    for _ in range(200):
        content = "".join(draw.choice("aé€𝄞,\n") for _ in range(draw.randint(1, 6))).encode()
        if draw.random() < 0.5:  # a byte is lost, another one, or one too many: this may be text all the same
            at = draw.randrange(len(content))
            content = content[:at] + draw.choice([b"", b"\xff", b"\0", b"x"]) + content[at + draw.randrange(2) :]
        path.write_bytes(content)
        try:
            text = "\0" not in content.decode("utf-8")
        except UnicodeDecodeError:
            text = False
        found = files.scanned(str(path))
        assert found.kind == ("CSV" if text and content else None)
        assert found.sha256 == hashlib.sha256(content).hexdigest()
        seen[text] += 1
    assert min(seen.values()) > 20


def test_a_small_file_is_read_at_once_and_a_larger_one_by_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tcloseness.microdata.sources.duckdb.SMALL", 100)
    file, engines = tmp_path / "table.csv", []
    for size in (2, 24, 30):
        file.write_text("a,b\n" + "1,x\n" * size)
        found = FrequencySet.read(file, quasi_identifiers="a", sensitive="b")
        assert found.counts.tolist() == [size]
        engines.append(found.origin.engine.split()[0])
    assert engines == ["strict", "strict", "DuckDB"]


@pytest.mark.long
def test_rows_that_duckdb_alone_unpacks_are_those_of_the_plain_file(tmp_path: Path) -> None:
    plain, packed = tmp_path / "table.csv", tmp_path / "table.csv.zst"
    for content in ("a,b\nz,1\n,x\n?,2\na,\n", "a,b\n1, x\n2,y\n", "a,b\n1,x,\n2,y\n", "a,b\n"):
        plain.write_text(content)
        duckdb.sql(
            f"copy (from read_csv('{plain}', header=false, auto_detect=false, delim='\x01', quote='', "
            f"columns={{'line': 'VARCHAR'}})) to '{packed}' (header false, delim '\x01', quote '', escape '')"
        )
        for texts in (None, [], ["?"]):
            options = Options(missing_texts=texts)
            try:
                want = rows(plain, options)
            except TableError:
                with pytest.raises(TableError, match="Zstandard"):
                    rows(packed, options)
                continue
            if ", " in content:  # blanks around cells are left to the strict reader, which does not unpack it
                with pytest.raises(TableError, match="Zstandard"):
                    rows(packed, options)
                continue
            found = rows(packed, options)
            cells, wanted = (each.astype(object).fillna(MISSING).to_numpy().tolist() for each in (found, want))
            assert cells == wanted
            assert names(packed, options) == names(plain, options) == ("a", "b")
