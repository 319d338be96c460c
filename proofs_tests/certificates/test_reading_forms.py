"""Files are read cell by cell as they are made here, and what is made wrong is refused where it is."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import itertools
import json
import lzma
import random
from collections import Counter
from typing import Any

import pytest

from tcloseness.certificates import Counts, Envelope, Reading, canonical_text, levels_digest, levels_of, read_counts
from tcloseness.certificates.reading import _rows, levels_text, read_rows, read_table, require_nested, value_part
from tcloseness.errors import CertificateFormatError

ENDS = ("\n", "\r\n", "\r")


def envelope(reading: Reading, names: tuple[str, ...] = ("a", "b")) -> Envelope:
    return Envelope("", "", "", None, names, "s", 1, reading, {}, (), {})


# ---------------------------------------------------------------------- the canonical text of counts


def test_a_text_of_counts_is_read_if_it_is_the_one_of_what_is_read() -> None:
    """Each text with one character changed, left out or doubled, or two lines in another order."""
    columns, rng, read = ["a", "s"], random.Random(3), 0
    counts = {("text:1", "text:x"): 2, ("text:1", "text:y"): 10, ("number:1/2", "missing:"): 1, ('text:"é', "text:"): 3}
    text = canonical_text(columns, counts)
    assert read_counts(text.encode()) == Counts.of(columns, counts)
    changed = {text[:i] + more + text[i + gone :] for i in range(len(text)) for more, gone in (("", 1), ("1", 0))}
    changed |= {text[:i] + rng.choice('x,0"[]\n ') + text[i + 1 :] for i in range(len(text))}
    head, *lines = text.splitlines()
    changed |= {"\n".join([head, *order]) + "\n" for order in itertools.permutations(lines)}
    for other in changed - {text}:
        try:
            found = read_counts(other.encode())
        except CertificateFormatError:
            continue
        read += 1
        assert canonical_text(found.columns, found.counts) == other
        assert found.digest == hashlib.sha256(other.encode()).hexdigest()
    assert read > 10


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [["another", "a", "s"], ["text:1", "text:x", 1]],
        [["tcloseness-counts-1", "a", 1], ["text:1", "text:x", 1]],
        *([["tcloseness-counts-1", "a", "s"], ["text:1", "text:x", odd]] for odd in (0, -1, True, 1.0, "1", None)),
        [["tcloseness-counts-1", "a", "s"], ["text:1", 1, 1]],
        [["tcloseness-counts-1", "a", "s"], ["text:1", 1]],
        [["tcloseness-counts-1", "a", "s"], ["text:1", "text:x", "text:x", 1]],
        [["tcloseness-counts-1", "a", "s"], ["text:1", "text:x", 1], ["text:1", "text:x", 1]],
        [["tcloseness-counts-1", "a", "s"], ["text:1", "text:x", 1], ["text:1", "text:x", 2]],
        [["tcloseness-counts-1", "a", "s"], {}],
        [1],
    ],
    ids=repr,
)
def test_lines_of_another_form_are_no_counts(lines: list[Any]) -> None:
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    with pytest.raises(CertificateFormatError):
        read_counts(text.encode())


def test_counts_are_of_the_columns_that_the_certificate_names_in_their_order() -> None:
    text = canonical_text(["a", "b", "s"], {("text:1", "text:2", "text:x"): 2}).encode()
    assert read_table(text, envelope(Reading())).counts == {("text:1", "text:2", "text:x"): 2}
    for names in (("b", "a"), ("a",), ("a", "b", "c")):
        with pytest.raises(CertificateFormatError, match="of the columns"):
            read_table(text, envelope(Reading(), names))


def test_a_value_is_named_by_what_stands_behind_its_kind() -> None:
    for canonical, name in (("text:a:b", "a:b"), ("number:1/2", "1/2"), ("missing:", "(missing)"), ("text:", "")):
        assert value_part(canonical) == name


# ---------------------------------------------------------------------- cells


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_each_row_is_read_with_its_cells_and_the_line_that_it_begins_on(separator: str) -> None:
    """Plain cells lose the blanks around them; quoted ones lose nothing, and may hold all but the character NUL."""
    rng = random.Random(separator)
    for _ in range(300):
        text, line, rows = "", 1, list[Any]()
        quotes, end = rng.random() < 0.6, rng.choice(ENDS)
        for _ in range(rng.randint(0, 5)):
            cells, begun = [], line
            for _ in range(rng.randint(1, 3)):
                inside = "".join(rng.choice(["x", "y", " ", "é"]) for _ in range(rng.randint(0, 3)))
                blanks = [rng.choice(["", " ", "\u00a0"]) for _ in range(2)]
                if quotes and rng.random() < 0.5:
                    inside += rng.choice(["", '"', separator, "\n", "\r\n", "\r", '""', "\t"])
                    line += inside.count("\n") + inside.replace("\r\n", "").count("\r")
                    cells.append((inside, True))
                    text += blanks[0] + '"' + inside.replace('"', '""') + '"' + blanks[1]
                else:
                    cells.append((inside.strip(), False))
                    text += blanks[0] + inside + blanks[1]
                text += separator
            text = text[: -len(separator)] + end
            line += 1
            if cells != [("", False)]:
                rows.append((begun, [inside for inside, _ in cells]))
        if rows and rng.random() < 0.3:
            text = text.removesuffix(end)
        assert list(_rows(text, separator, "it")) == rows, text


@pytest.mark.parametrize("end", ENDS, ids=repr)
def test_what_is_wrong_is_named_with_its_line(end: str) -> None:
    head = ["a,b,s", "", "1,2,x", '1,"2' + end + '3",x']  # its last row begins on line 4 and ends on line 5
    for row, told in (
        ("1,2", "line 6 of the table has 2 cells and the header 3"),
        ("1,2,3,4", "line 6 of the table has 4 cells and the header 3"),
        ('1,"2,3', "line 6 of the table has a quote"),
        ('1,"2"3,4', "line 6 of the table has a quote"),
        ('1,2,"x""', "line 6 of the table has a quote"),
    ):
        with pytest.raises(CertificateFormatError, match=told):
            read_table(end.join([*head, row]).encode(), envelope(Reading()))
    plain = end.join(["a,b,s", "", "1,2,x", "1,2"])
    with pytest.raises(CertificateFormatError, match="line 4 of the table has 2 cells"):
        read_table(plain.encode(), envelope(Reading()))
    assert read_table(end.join(head).encode(), envelope(Reading())).counts == {
        ("text:1", "text:2", "text:x"): 1,
        ("text:1", f"text:2{end}3", "text:x"): 1,
    }


# ---------------------------------------------------------------------- tables


def test_each_row_counts_under_its_values_whatever_else_the_table_holds() -> None:
    rng = random.Random(9)
    for _ in range(200):
        missing = rng.choice(["error", "category", "drop"])
        weight = rng.choice([None, "w"])
        header = rng.sample(["a", "b", "s", "w", "more"], 5)
        rows = [{name: rng.choice(["1", "1", "1", "2", "?", "-"]) for name in header} for _ in range(rng.randint(1, 6))]
        for row in rows:
            row["w"] = rng.choice(["0", "3", "3"])
        texts = ["?", " - "]
        expected: dict[tuple[str, ...], int] = {}
        odd = False
        for row in rows:
            values = tuple("missing:" if row[name] in "?-" else f"text:{row[name]}" for name in "abs")
            odd = odd or "missing:" in values
            if "missing:" in values and missing == "drop":
                continue
            records = int(row["w"]) if weight else 1
            if records:
                expected[values] = expected.get(values, 0) + records
        content = "\n".join(",".join(each) for each in [header, *([row[name] for name in header] for row in rows)])
        given = envelope(Reading(missing=missing, missing_texts=tuple(texts), weight=weight))
        if odd and missing == "error":
            with pytest.raises(CertificateFormatError, match="a missing value in"):
                read_table(content.encode(), given)
        else:
            assert read_table(content.encode(), given) == Counts.of(["a", "b", "s"], expected)


@pytest.mark.parametrize("reading", [Reading(weight="w"), Reading(missing="drop"), Reading(missing="drop", weight="w")])
def test_rows_that_have_a_place_are_neither_weighted_nor_left_out(reading: Reading) -> None:
    content = b"a,w\n1,2\n1,2\n"
    assert read_rows(content, ("a",), Reading(), "it") == [("text:1",)] * 2
    with pytest.raises(CertificateFormatError, match="it is read row by row, and its reading has a weight"):
        read_rows(content, ("a",), reading, "it")


def test_the_column_with_a_missing_value_is_named() -> None:
    for row, name in (("?,2,x", "a"), ("1,?,x", "b"), ("1,2,?", "s"), ("1,?,?", "b")):
        with pytest.raises(CertificateFormatError, match=f"missing value in '{name}'"):
            read_table(f"a,b,s\n{row}\n".encode(), envelope(Reading(missing_texts=("?",))))
    weighted = envelope(Reading(missing_texts=("?",), weight="w"))
    with pytest.raises(CertificateFormatError, match=r"\?"):
        read_table(b"a,b,s,w\n1,2,x,?\n", weighted)


def test_each_column_is_there_once() -> None:
    for head, told in (("a,b", "0 columns named 's'"), ("a,b,s,b", "2 columns named 'b'"), ("", "0 columns named 'a'")):
        with pytest.raises(CertificateFormatError, match=told):
            read_table(head.encode(), envelope(Reading()))
    with pytest.raises(CertificateFormatError, match="0 columns named 'w'"):
        read_table(b"a,b,s\n1,2,x\n", envelope(Reading(weight="w")))
    assert read_table(b"\xef\xbb\xbfa,b,s,x,x\n1,2,x,1,2\n", envelope(Reading(encoding="utf-8"))).counts


def test_a_file_is_unpacked_once() -> None:
    table, given = b"a,b,s\n1,2,x\n", envelope(Reading())
    packs = (gzip.compress, bz2.compress, lzma.compress)
    for pack in packs:
        assert sum(read_table(pack(table), given).counts.values()) == 1
    for outer, inner in itertools.product(packs, repeat=2):
        with pytest.raises(CertificateFormatError):
            read_table(outer(inner(table)), given)


# ---------------------------------------------------------------------- hierarchies


@pytest.mark.parametrize(
    ("content", "changes", "rows"),
    [
        ("1,low,*\n2,low,*\n", {}, ["1 low *", "2 low *"]),
        ("1,low,*,,\n\n2,low,*\n", {}, ["1 low *", "2 low *"]),
        ("1;low;*\n", {"hierarchy_separator": ";"}, ["1 low *"]),
        ("1\tlow\t*\n", {"file": "a.tsv"}, ["1 low *"]),
        ("1\tlow\t*\n", {"file": "b.c/a.TAB"}, ["1 low *"]),
        ("1\tlow\t*\n", {"file": "a.tsv.gz"}, ["1 low *"]),
        ("1,low,*\n", {"file": "tsv.csv"}, ["1 low *"]),
        ("1,low,*\n", {"file": "a.tsv.csv.gz"}, ["1 low *"]),
        ("1;low;*\n", {"file": "a.tsv", "hierarchy_separator": ";"}, ["1 low *"]),
        ("1,*\n2,low,*\n", {}, None),
        ("1,*\n2,low,*\n", {"ragged": "repeat-leaf"}, ["1 1 *", "2 low *"]),
        ("1,*\n2,low,top,*\n", {"ragged": "repeat-leaf"}, ["1 1 1 *", "2 low top *"]),
        ("1,g,*\n2,low,top,*\n", {"ragged": "repeat-leaf"}, ["1 1 g *", "2 low top *"]),
        ("1,g,*\n2,low,top,*\n", {"ragged": "repeat-parent"}, ["1 g g *", "2 low top *"]),
        ("1,*\n2,low,*\n", {"ragged": "repeat-parent"}, ["1 * *", "2 low *"]),
        ("1,,*\n", {}, None),
        (",1,*\n", {}, None),
        ("", {}, None),
        ("\n,,\n", {}, None),
        ("1,*\n1,*\n", {}, None),
        ("1,x,*\n2,x,+\n", {}, None),
        ("1,x,*\n2,y,+\n", {}, None),
        ("1\n", {}, ["1"]),
        ("1\n2\n", {}, None),
    ],
    ids=repr,
)
def test_a_hierarchy_is_a_row_for_each_value(content: str, changes: dict[str, Any], rows: list[str] | None) -> None:
    file = changes.get("file", "")
    reading = Reading(**{name: value for name, value in changes.items() if name != "file"})
    if rows is None:
        with pytest.raises(CertificateFormatError):
            levels_of(content.encode(), "a", reading, file=file)
    else:
        assert levels_of(content.encode(), "a", reading, file=file) == [tuple(row.split()) for row in rows]


def test_an_empty_cell_is_named_with_its_line() -> None:
    with pytest.raises(CertificateFormatError, match="line 3 of the hierarchy of 'a' has an empty cell"):
        levels_of(b"1,low,*\n\n2,,*\n", "a", Reading())


def test_levels_nest_just_if_each_label_has_one_above_it_and_all_have_one_root() -> None:
    rng, told = random.Random(12), Counter[bool]()
    for _ in range(600):
        rows = [
            [str(rng.choice([i, i, i, 0])), rng.choice("ghij"), rng.choice("kl"), rng.choice("*****+")]
            for i in range(rng.randint(1, 4))
        ]
        right = len({row[0] for row in rows}) == len(rows) and len({row[-1] for row in rows}) == 1
        for level in range(3):
            right = right and len({(row[level], row[level + 1]) for row in rows}) == len({row[level] for row in rows})
        told[right] += 1
        if right:
            require_nested(rows, "it")
        else:
            with pytest.raises(CertificateFormatError, match="it has"):
                require_nested(rows, "it")
    assert min(told.values()) > 50


def test_the_text_of_a_hierarchy_is_the_same_in_whatever_order_its_rows_stand() -> None:
    rows = [["1", "low", "*"], ["2", "low", "*"], ["10", "é", "*"]]
    lines = sorted(json.dumps(row, separators=(",", ":")) for row in rows)
    for order in itertools.permutations(rows):
        assert levels_text(order) == "\n".join(lines) + "\n"
        assert levels_digest(order) == hashlib.sha256(levels_text(rows).encode()).hexdigest()
    assert len({levels_digest(rows[:n]) for n in range(1, 4)}) == 3
