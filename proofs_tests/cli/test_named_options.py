"""A message names no option that its command does not have, whatever is wrong with the files."""

from __future__ import annotations

import re

import pytest

from proofs_tests.cli.commands import run

ROWS = [("P1", "21", "13053", "f", "1,5"), ("P2", "24", "13068", "m", "2,5"), ("P3", "38", "13053", "f", "10,5")]
HEADER = "id,age,zip,sex,wage"


def text(rows: list[tuple[str, ...]], separator: str = ",", header: str = HEADER) -> str:
    lines = [header.replace(",", separator), *(separator.join(f'"{cell}"' for cell in row) for row in rows)]
    return "\n".join(lines) + "\n"


def changed(column: int, cell: str) -> list[tuple[str, ...]]:
    first, *others = ROWS
    return [(*first[:column], cell, *first[column + 1 :]), *others]


TABLES = {
    "an identifier": text(ROWS).encode(),
    "another separator": text(ROWS, ";").encode(),
    "another encoding": text(changed(3, "für")).encode("cp1252"),
    "another encoding of two bytes": text(ROWS).encode("utf-16"),
    "a missing cell": text(changed(1, "")).encode(),
    "a word among numbers": text(changed(1, "unknown")).encode(),
    "two spellings": text([*ROWS, ("P4", "24", "13068", "F", "2,5")]).encode(),
    "a column twice": text(ROWS, header="id,age,zip,zip,wage").encode(),
    "another column": text(ROWS, header="id,age,post,sex,wage").encode(),
    "a person of several rows": text([*ROWS, *ROWS, *ROWS], header=HEADER.replace("id", "person")).encode(),
    "a short row": text([*ROWS, ("P4", "24")]).encode(),
    "no row": text([]).encode(),
    "a marker": text(changed(1, "*")).encode(),
    "Parquet by its name": b"PAR1 and no more",
}
ROLES = ("-q", "age,zip", "-s", "wage")
ORDERED = ("--t", "1/2", "--ground", "wage=ordered")
LINES = {
    "check": ["check", "table.csv", *ROLES, "--k", "2", *ORDERED],
    "columns": ["columns", "table.csv", "-q", "age,zip"],
    "search": ["search", "table.csv", *ROLES, "--k", "2"],
    "search by hierarchies": ["search", "table.csv", *ROLES, "--k", "2", "--hierarchies", "levels"],
    "anonymize": ["anonymize", "table.csv", *ROLES, "--k", "2", *ORDERED],
    "anonymize by hierarchies": ["anonymize", "table.csv", *ROLES, "--k", "2", "--hierarchies", "levels"],
    "optimal partition": ["optimal", "partition", "table.csv", *ROLES, "--k", "2"],
    "optimal cut": ["optimal", "cut", "table.csv", *ROLES, "--k", "2", "--hierarchies", "levels"],
    "compare": ["compare", "table.csv", "good.csv", *ROLES, "--k", "2"],
    "compare with a release": ["compare", "good.csv", "table.csv", *ROLES, "--hierarchies", "levels"],
    "attack": ["attack", "table.csv", *ROLES, "--level", "tight"],
    "attack with a table": ["attack", "good.csv", "--table", "table.csv", *ROLES, "--hierarchies", "levels"],
    "emd": ["emd", "table.csv", "--column", "wage", "--by", "sex", "--ground", "ordered"],
}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@pytest.mark.long
@pytest.mark.parametrize("line", LINES.values(), ids=list(LINES))
def test_an_option_that_a_message_names_is_one_of_the_command(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels" / "zip.csv").write_text("13053,130**,*\n13068,130**,*\n", encoding="utf-8")
    (tmp_path / "good.csv").write_text(text(ROWS), encoding="utf-8")
    known = {*OPTION.findall(run(*line[: 2 if line[0] == "optimal" else 1], "--help").out)}
    several = 0
    for name, content in TABLES.items():
        (tmp_path / "table.csv").write_bytes(content)
        said = run(*line).whole_err
        named = {*OPTION.findall(said)}
        several += bool(named)
        assert named <= known, (name, said)
    assert several >= 3
