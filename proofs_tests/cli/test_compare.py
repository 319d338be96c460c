"""``tcloseness compare`` says what `tcloseness.Table.compare` says of the same files, with every option."""

from __future__ import annotations

import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import tcloseness as tc
from proofs_tests.cli.commands import run

ROWS = "name,age,ill\nA,21,flu\nB,24,cold\nC,38,flu\nD,41,cold\nE,45,flu\nF,49,flu\n"
OURS = "age,ill\n20-29,cold\n20-29,flu\n30-49,cold\n30-49,flu\n30-49,flu\n30-49,flu\n"
THEIRS = "ill;age\nflu;*\ncold;[20, 40)\nflu;[20, 40)\nflu;[20, 40)\n"
ASKED = ("-q", "age", "-s", "ill")


def called(found, name, other):
    """The releases of an answer, one of them by another name."""
    return json.loads(json.dumps(found["releases"]).replace(f'"{name}"', f'"{other}"'))


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"table.csv": ROWS, "ours.csv": OURS, "theirs.csv": THEIRS.replace(";", "\t")}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "theirs.csv").rename(tmp_path / "theirs.tsv")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "ours.csv").write_text(OURS, encoding="utf-8")


def in_python(*releases, **asked):
    table = tc.Table("table.csv", quasi_identifiers="age", sensitive="ill", **asked.pop("of_table", {}))
    return table.compare({name: name for name in releases}, **asked)


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ((), {}),
        (("--k", "2"), {"k": 2}),
        (("--k", "2", "--t", "1/2", "--ground", "ill=equal"), {"k": 2, "t": "1/2", "of_table": {"ground": "equal"}}),
        (("--suppressed", "*"), {"suppressed": "*"}),
    ],
)
def test_json_is_what_python_returns_and_keeps_to_its_schema(line, asked):
    answer = run("compare", "table.csv", "ours.csv", "theirs.tsv", *ASKED, *line, "--format", "json")
    found = in_python("ours.csv", "theirs.tsv", **asked)
    assert answer.record == found.to_dict()
    assert answer.code == {"measured": 0, "satisfied": 0, "violated": 1, "undecided": 3}[found.status]
    Draft202012Validator(tc.Comparison.schema()).validate(answer.record)


def test_the_original_decides_no_exit_code_and_each_release_does():
    assert run("check", "table.csv", *ASKED, "--k", "2").code == 1
    assert run("compare", "table.csv", "ours.csv", *ASKED, "--k", "2").code == 0
    assert run("compare", "table.csv", "ours.csv", *ASKED, "--k", "3").code == 1
    assert run("compare", "table.csv", "ours.csv", "theirs.tsv", *ASKED, "--k", "2").code == 1


def test_text_says_the_verdicts_first_and_shows_every_quantity():
    answer = run("compare", "table.csv", "ours.csv", "theirs.tsv", *ASKED, "--k", "2", columns=200)
    found = in_python("ours.csv", "theirs.tsv", k=2)
    assert words(answer.out).startswith(words(found.explain()))
    for name in found.to_frame()["quantity"]:
        assert name in words(answer.out)
    assert "k-anonymity ≥ 2" in answer.out


def test_csv_is_the_frame_and_is_not_written_over():
    assert run("compare", "table.csv", "ours.csv", *ASKED, "--output", "out.csv").code == 0
    with open("out.csv", encoding="utf-8") as file:
        written = file.read()
    assert written == in_python("ours.csv").to_frame().to_csv(index=False)
    assert set(pd.read_csv(io.StringIO(written))["release"]) == {"original", "ours.csv"}
    assert run("compare", "table.csv", "ours.csv", *ASKED, "--output", "out.csv").code == 2
    assert run("compare", "table.csv", "ours.csv", *ASKED, "--output", "out.csv", "--force").code == 0


def test_files_of_one_name_are_told_apart_by_their_folders():
    found = run("compare", "table.csv", "ours.csv", "folder/ours.csv", *ASKED, "--format", "json").record
    assert [each["release"] for each in found["releases"]] == ["original", "ours.csv", "folder/ours.csv"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("table.csv", *ASKED), "RELEASE"),
        (("table.csv", "none.csv", *ASKED), "none.csv"),
        (("table.csv", "ours.csv", "ours.csv", *ASKED), "RELEASE 'ours.csv' is named twice"),
        (("ours.csv", "table.csv", *ASKED), "'21' as 'age', which is neither a value"),
        (("table.csv", "ours.csv", "-q", "age", "-s", "ill,name"), "one sensitive attribute is decided"),
        (("table.csv", "ours.csv", *ASKED, "--t", "1/2"), "ground"),
    ],
)
def test_what_cannot_be_compared_is_wrong_input(line, said):
    answer = run("compare", *line)
    assert (answer.code, answer.out) == (2, "")
    assert said in words(answer.err)


def test_a_file_that_is_not_a_release_is_named_with_an_option_as_the_way_out():
    with open("bad.csv", "w", encoding="utf-8") as file:
        file.write(OURS.replace("20-29,cold", "x,cold"))
    answer = run("compare", "table.csv", "ours.csv", "bad.csv", *ASKED)
    assert (answer.code, answer.out) == (2, "")
    assert "bad.csv: the published table shows 'x' as 'age'" in words(answer.err)
    assert "the marker in --suppressed" in words(answer.err)


def test_json_has_no_number_that_json_has_not():
    def refuse(name):
        raise ValueError(name)

    answer = run("compare", "table.csv", "ours.csv", *ASKED, "--format", "json")
    assert "inf" in answer.out
    json.loads(answer.out, parse_constant=refuse)


# ---------------------------------------------------------------------- rows that are matched by a column

NAMED = "age,name,ill\n30-49,F,flu\n20-29,B,cold\n*,A,flu\n30-49,D,cold\n30-49,C,flu\n30-49,E,flu\n"


def test_rows_are_matched_by_the_column_of_the_records_in_any_order(folder):
    Path("named.csv").write_text(NAMED, encoding="utf-8")
    line = ("compare", "table.csv", "named.csv", *ASKED, "--k", "2")
    frames = [pd.read_csv(file).set_index("name") for file in ("table.csv", "named.csv")]
    table = tc.Table(frames[0], quasi_identifiers="age", sensitive="ill")
    by_index = table.compare({"named.csv": frames[1]}, k=2)
    assert by_index["named.csv"].aligned
    assert run(*line, "--index", "name", "--format", "json").record == by_index.to_dict()
    assert run(*line, "--format", "json").record == in_python("named.csv", k=2).to_dict()
    assert run(*line, "--index", "name", "--format", "json").record != run(*line, "--format", "json").record


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name", "nome", "named.csv has no column 'name', which --index names; did you mean 'nome'?"),
        ("F,", "G,", "or leave --index out, and labels and counts are read alone"),
        ("F,", "E,", "two rows of the published table are both labelled 'E'"),
        ("30-49,F", "20-29,F", "row 'F' has '49' as 'age' in the original"),
    ],
)
def test_records_that_do_not_fit_are_named(folder, old, new, said):
    Path("named.csv").write_text(NAMED.replace(old, new), encoding="utf-8")
    answer = run("compare", "table.csv", "named.csv", *ASKED, "--index", "name")
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert "frame.set_index" not in answer.err


@pytest.mark.parametrize(
    "roles",
    [("-q", "age,name", "-s", "ill"), ("-q", "age", "-s", "name"), ("-q", "age", "-s", "ill", "--identifying", "name")],
)
def test_the_column_of_the_records_has_no_other_role(folder, roles):
    Path("named.csv").write_text(NAMED, encoding="utf-8")
    answer = run("compare", "table.csv", "named.csv", *roles, "--index", "name")
    assert (answer.code, answer.out) == (2, "")
    assert "--index name says which record a row is, so 'name' has no other role" in answer.err


@pytest.mark.long
def test_a_page_has_the_sentences_and_a_picture_of_what_is_given_away_and_of_what_is_lost():
    answer = run("compare", "table.csv", "ours.csv", *ASKED, "--k", "2", "--html", "page.html")
    assert answer.code == 0
    text = Path("page.html").read_text(encoding="utf-8")
    assert text.count("<svg") == 2
    for said in ("What does each release give away?", "What does each release lose?", "k-anonymity", "ours.csv"):
        assert said in text
    refused = run("compare", "table.csv", "ours.csv", *ASKED, "--k", "2", "--html", "page.html")
    assert (refused.code, Path("page.html").read_text(encoding="utf-8")) == (2, text)


def test_releases_may_be_split_at_another_separator_than_the_table():
    Path("theirs.csv").write_text(THEIRS, encoding="utf-8")
    line = ("compare", "table.csv", "theirs.csv", *ASKED, "--suppressed", "*", "--format", "json")
    refused = run(*line)
    assert refused.code == 2
    assert "--release-separator ';'" in refused.err
    answer = run(*line, "--release-separator", ";")
    assert answer.record == in_python("theirs.csv", suppressed="*", separator=";").to_dict()
    Path("table.csv").write_text(ROWS.replace(",", ";"), encoding="utf-8")
    again = run(*line, "--separator", ";")
    assert again.record["releases"] == answer.record["releases"]


def test_options_for_text_files_are_obeyed_by_those_beside_parquet_files():
    """Else a table and a release of different kinds could not be compared: what one needs, the other would refuse."""
    expected = run("compare", "table.csv", "ours.csv", *ASKED, "--k", "2", "--format", "json").record
    pd.read_csv("table.csv").to_parquet("table.parquet")
    pd.read_csv("ours.csv").to_parquet("ours.parquet")
    for file in ("table.csv", "ours.csv"):
        Path(file).write_text(Path(file).read_text(encoding="utf-8").replace(",", ";"), encoding="utf-8")
    options = ("--separator", ";", "--encoding", "cp1252")
    for table, release in (("table.csv", "ours.parquet"), ("table.parquet", "ours.csv")):
        found = run("compare", table, release, *ASKED, "--k", "2", *options, "--format", "json").record
        assert called(found, release, "ours.csv") == expected["releases"]
    assert run("compare", "table.parquet", "ours.csv", "ours.parquet", *ASKED, "--release-separator", ";").code == 0
    for line in (("table.parquet", *options), ("table.csv", "--separator", ";", "--release-separator", ";")):
        refused = run("compare", line[0], "ours.parquet", *ASKED, *line[1:])
        assert (refused.code, refused.out) == (2, "")
        assert f"{line[-2] if line[0] == 'table.csv' else '--separator'} ';' cannot apply" in words(refused.err)


@pytest.mark.parametrize("text", ["||", "", '"'])
def test_a_separator_that_is_none_is_named_before_any_file_is_read(text):
    answer = run("compare", "none.csv", "ours.csv", *ASKED, "--release-separator", text)
    assert (answer.code, answer.out) == (2, "")
    assert f"--release-separator {text!r} must be one character" in words(answer.err)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("options", [(), ("--index", "name")])
def test_a_release_may_come_through_a_pipe(options):
    Path("named.csv").write_text(NAMED, encoding="utf-8")
    os.mkfifo("pipe")
    line = ("compare", "table.csv", "pipe", *ASKED, *options, "--format", "json")
    with ThreadPoolExecutor(1) as writer:
        written = writer.submit(Path("pipe").write_text, NAMED, encoding="utf-8")
        found = run(*line)
        assert written.result() == len(NAMED)
    of_file = run(*(word.replace("pipe", "named.csv") for word in line)).record
    assert called(found.record, "pipe", "named.csv") == of_file["releases"]


def test_labels_of_a_column_without_a_file_among_the_hierarchies_are_read_by_themselves():
    Path("table.csv").write_text("age,zip,ill\n21,13053,flu\n24,13068,cold\n", encoding="utf-8")
    Path("out.csv").write_text('age,zip,ill\n"[20, 30[",130**,flu\n"[20, 30[",130**,cold\n', encoding="utf-8")
    Path("folder", "zip.csv").write_text("13053,130**,*\n13068,130**,*\n", encoding="utf-8")
    line = ("compare", "table.csv", "out.csv", "-q", "age,zip", "-s", "ill", "--format", "json")
    assert "give its hierarchy" in run(*line).err
    answer = run(*line, "--hierarchies", "folder", "--k", "2")
    assert answer.code == 0
    levels = {"zip": tc.Hierarchy([["13053", "130**", "*"], ["13068", "130**", "*"]], name="zip")}
    table = tc.Table("table.csv", quasi_identifiers=["age", "zip"], sensitive="ill", hierarchies=levels)
    assert answer.record == table.compare("out.csv", k=2).to_dict()
