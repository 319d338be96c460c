"""``tcloseness search``: what it lists, what it writes, and that what it writes passes its own re-check."""

from __future__ import annotations

import csv
import hashlib
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from random import Random

import duckdb
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st

from experiments.adult_hierarchies import QUASI_IDENTIFIERS
from proofs_tests.cli.commands import PAPERS, Answer, adult_file, interrupted, process, recheck, run, validated
from proofs_tests.effort import effort
from proofs_tests.lattice.cases import cases
from tcloseness.cli import search
from tcloseness.errors import MemoryLimitReached, TimeLimitReached
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata, read_table
from tcloseness.release import Release

DATA = PAPERS.parent / "adult"

CODES = (47677, 47602, 47678, 47905, 47909, 47906, 47605, 47673, 47607)
ZIPS = "".join(f"{z},{z[:4]}*,{z[:3]}**,*\n" for z in map(str, CODES))
AGES = "".join(f"{a},{'20-39' if a < 40 else '40-59'},*\n" for a in (29, 22, 27, 43, 52, 47, 30, 36, 32))


def record(answer: Answer) -> dict:
    """The JSON answer, validated; nothing else may stand on standard output."""
    return answer.record


def sidecar(file: str | Path) -> dict:
    return validated(Path(file).read_text(encoding="utf-8"))


def measured(answer: Answer) -> dict[str, str]:
    return {r["model"]: r["value"] for r in answer.record["summary"]}


@pytest.fixture
def li(tmp_path, monkeypatch):
    """Li et al.'s Table 1 with hierarchies of its ZIP codes (4 levels) and ages (3 levels), in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_bytes((PAPERS / "li_table1.csv").read_bytes())
    Path("levels").mkdir()
    Path("levels", "ZIP Code.csv").write_text(ZIPS, encoding="utf-8")
    Path("levels", "Age.csv").write_text(AGES, encoding="utf-8")
    return ("search", "table.csv", "-q", "ZIP Code,Age", "-s", "Disease", "--hierarchies", "levels")


# ---------------------------------------------------------------------- what is found

# Table 1 has the ZIP prefixes 476 (six records, all aged below 40) and 479 (three, all aged over 40). With ages at
# level 1, "47**" with "20-39" and "40-59" are classes of 6 and 3; so are "476**" and "479**" with ages at 0 … no:
# nine different ages make nine classes. Level 0 of ZIP gives single records, level 1 the four groups 4767* {29, 27,
# 36}, 4760* {22, 30, 32}, 4790* {43, 52, 47}: three classes of three. So 3-anonymous are exactly the nodes with ZIP ≥ 1
# and age ≥ 1 and, since the age groups alone have 6 and 3 records, nothing less.


def test_the_minimal_nodes_of_table_1_are_listed_with_their_numbers(li):
    """Node 11: classes {29, 27, 36}, {22, 30, 32}, {43, 52, 47}: Heart Disease, Heart, Cancer; Heart, Heart, Cancer;
    Flu, Heart, Cancer. Over the table Heart 5/9, Flu 1/9, Cancer 3/9 the last is farthest: |1/3−5/9| = 2/9 = t.
    """
    answer = run(*li, "--k", "3", "--ground", "Disease=equal", "--format", "json")
    found = record(answer)
    assert (answer.code, found["status"], found["found"]["minimal"], found["found"]["satisfying"]) == (
        0,
        "satisfied",
        ["11"],
        6,
    )
    (node,) = found["nodes"]
    assert (node["classes"], node["k"], node["distinct_l"], node["t"]["value"]) == (3, 3, 2, "2/9")
    assert node["levels"] == {"ZIP Code": 1, "Age": 1}
    assert node["losses"]["discernibility"]["value"] == "27"  # 3 · 3²
    assert node["losses"]["C_AVG"]["value"] == "1"
    assert found["lattice"] == {"nodes": 12, "levels": [4, 3], "height": 5, "nodes_by_height": [1, 2, 3, 3, 2, 1]}
    assert answer.err == "lattice: 12 nodes (ZIP Code 4 × Age 3 levels), heights 0 to 5\n"


@pytest.mark.long
def test_a_search_counts_files_where_they_are_and_reads_rows_only_to_write_them(li, monkeypatch):
    lines = Path("table.csv").read_text(encoding="utf-8").splitlines()
    for part in range(3):
        Path(f"part-{part}.csv").write_text("\n".join([lines[0], *lines[1 + part :: 3]]) + "\n", encoding="utf-8")
        duckdb.sql(f"copy (from read_csv('part-{part}.csv', all_varchar=true)) to 'part-{part}.parquet'")
    ask = ("--k", "3", "--ground", "Disease=equal", "--format", "json")
    want = record(run(*li, *ask))
    with monkeypatch.context() as patched:

        def refuse(*given: object) -> None:
            raise AssertionError("the rows are read")

        patched.setattr("tcloseness.cli.table_inputs.read_frame", refuse)
        for name in ("table.csv", "part-*.csv", "part-*.parquet"):
            found = record(run("search", name, *li[2:], *ask, "--threads", "1", "--memory", "500MB"))
            assert found.pop("table")["file"] == name
            assert found == {key: value for key, value in want.items() if key != "table"}
    for name in ("table.csv", "part-*.csv", "part-*.parquet"):
        made = run("search", name, *li[2:], *ask, "--output", "made.csv", "--force")
        assert made.code == 0, made.err
        written = Path("made.csv").read_text(encoding="utf-8")
        assert sorted(written.splitlines())[:3] == [
            "4760*,20-39,Cancer",
            "4760*,20-39,Heart Disease",
            "4760*,20-39,Heart Disease",
        ]
        assert sidecar("made.json")["table"]["sha256"] == (want["table"]["sha256"] if name == "table.csv" else None)


def test_all_lists_every_satisfying_node(li):
    found = record(run(*li, "--k", "3", "--all", "--format", "json"))
    assert [node["node"] for node in found["nodes"]] == ["11", "12", "21", "22", "31", "32"]
    assert found["ground_distance"] == {"name": "equal", "chosen": "by default"}


def test_an_optimum_comes_with_the_reasons_against_every_other_node(li):
    found = record(run(*li, "--k", "3", "--optimum", "dm", "--format", "json"))
    best = found["optimum"]
    assert (best["nodes"], best["value"]["value"]) == (["11", "12"], "27")  # the ages add nothing: they tie
    assert sum(best["excluded"].values()) + len(best["nodes"]) == 12
    assert found["found"] is None


def test_where_no_node_satisfies_the_exit_is_1_and_the_top_is_shown(li):
    answer = run(*li, "--k", "10", "--output", "out.csv")
    assert answer.code == 1
    assert "None of 12 nodes satisfies k = 10." in answer.out
    assert "one class of 9 records with 3 distinct values" in " ".join(answer.out.split())
    assert not Path("out.csv").exists()
    found = record(run(*li, "--k", "10", "--format", "json"))
    assert (found["status"], found["nodes"], found["top"]["node"]) == ("violated", [], "32")


def test_the_text_answers_first_and_says_what_was_assumed(li):
    text = " ".join(run(*li, "--k", "3", columns=200).out.split())
    assert text.startswith("1 of 12 nodes is minimal: it satisfies k = 3, and no direct specialization does. 6 nodes")
    for words in ("equal (none was named)", "a node's digits ZIP Code, Age", "reference distribution all records"):
        assert words in text


def test_a_quasi_identifier_can_do_without_a_file(li):
    bare = run(*li[:4], "--suppress-only", "Age", "--hierarchy", f"ZIP Code={Path('levels', 'ZIP Code.csv')}",
               "-s", "Disease", "--k", "3", "--format", "json")  # fmt: skip
    assert record(bare)["lattice"]["nodes"] == 8
    assert record(bare)["found"]["minimal"] == ["11"]
    assert record(bare)["hierarchies"]["Age"] == {"levels": "as it is, or nothing"}


THRESHOLDS = [
    ("--k", "3", {"k": "3"}),
    ("--alpha", "0.6", {"alpha": "3/5"}),
    ("--distinct-l", "3", {"distinct-l": "3"}),
    ("--entropy-l", "1.9", {"entropy-l": "19/10"}),
    ("--frequency-l", "1.6", {"frequency-l": "8/5"}),
    ("--recursive", "2.1,2", {"recursive": "21/10,2"}),
    ("--t", "0.2", {"t": "1/5"}),
    ("--beta", "1", {"beta": "1"}),
    ("--enhanced-beta", "0.9", {"enhanced-beta": "9/10"}),
    ("--delta", "1.6", {"delta": "8/5"}),
    ("--epsilon", "1.2", {"epsilon": "6/5"}),
]


@pytest.mark.parametrize(("option", "text", "exact"), THRESHOLDS, ids=[option for option, _, _ in THRESHOLDS])
def test_a_node_satisfies_a_threshold_exactly_if_check_says_so_of_its_table(li, option, text, exact):
    """Every node is written out, listed or not; the check of the written file is the oracle."""
    ask = (option, text, "--ground", "Disease=equal")
    alone = ("search", "table.csv", "-q", "ZIP Code", *li[4:])
    found = record(run(*alone, *ask, "--all", "--format", "json"))
    assert found["thresholds"] == exact
    table = Microdata.from_frame(read_table("table.csv"), quasi_identifiers="ZIP Code", sensitive="Disease")
    zips = Hierarchy.from_csv(Path("levels", "ZIP Code.csv"))
    satisfying = []
    for level in range(4):
        release = Release.full_domain(FrequencySet.of(table), {"ZIP Code": zips}, {"ZIP Code": level})
        Path("node.csv").write_text(release.rows(table).to_csv(), encoding="utf-8")
        if run("check", "node.csv", "-q", "ZIP Code", "-s", "Disease", *ask, "--format", "json").code == 0:
            satisfying.append(str(level))
    assert [node["node"] for node in found["nodes"]] == satisfying
    assert 0 < len(satisfying) < 4  # or the law is empty


# ---------------------------------------------------------------------- what is written


@st.composite
def questions(draw):
    case = draw(cases(max_attributes=2))
    asked = {
        "--k": str(draw(st.integers(1, 4))),
        **draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "--t": st.sampled_from(["0.5", "3/10", "1"]),
                    "--distinct-l": st.sampled_from(["1", "2"]),
                    "--entropy-l": st.sampled_from(["1.5", "2"]),
                },
            )
        ),
    }
    ground = draw(st.sampled_from(["equal", "ordered"]))
    suppression = draw(st.sampled_from(["0", "0.1", "1/2"]))
    return case, asked, ground, suppression, draw(st.sampled_from(["dm", "height", "precision", "gcp"]))


@pytest.mark.long
@effort(1 / 4)
@given(questions())
def test_the_written_table_passes_the_written_check_with_the_same_numbers(question):
    case, asked, ground, suppression, loss = question
    with tempfile.TemporaryDirectory() as folder:
        frame = pd.DataFrame(case.rows, columns=[*case.hierarchies, "s"]).astype(str)
        frame["more"] = [f"row {i}" for i in range(len(frame))]
        place = Path(folder)
        frame.to_csv(place / "in.csv", index=False)
        for name, hierarchy in case.hierarchies.items():
            hierarchy.to_csv(place / f"{name}.csv")
        answer = run("search", str(place / "in.csv"), "-q", ",".join(case.hierarchies), "-s", "s",
                     "--hierarchies", folder, *(word for pair in asked.items() for word in pair),
                     "--ground", f"s={ground}", "--domain", "s=0,1,2,3", "--suppression", suppression,
                     "--optimum", loss, "--keep", "more",
                     "--output", str(place / "out.csv"), "--format", "json")  # fmt: skip
        found = record(answer)
        assert answer.code == (0 if found["nodes"] else 1)
        assert (place / "out.csv").exists() == bool(found["nodes"])
        assume(found["nodes"])
        done = sidecar(place / "out.json")
        checked = recheck(done, place)
        assert checked.code == 0, checked
        node, numbers = found["nodes"][0], measured(checked)
        assert checked.record["suppressed"] == node["suppressed_records"] == done["suppressed_records"]
        assert checked.record["classes"] == node["classes"]
        assert numbers["k-anonymity"] == str(node["k"])
        assert numbers["distinct l-diversity"] == str(node["distinct_l"])
        assert float(numbers["entropy l-diversity"]) == pytest.approx(float(node["effective_l"]))
        assert numbers["t-closeness"] == node["t"]["value"] == done["measured"]["t"]["value"]
        written = pd.read_csv(place / "out.csv", dtype=str, keep_default_na=False)
        assert sorted(written["more"]) == sorted(frame["more"])
        written = written.set_index("more").loc[frame["more"]]
        for name, hierarchy in case.hierarchies.items():
            level = done["levels"][name]["level"]
            for before, after in zip(frame[name], written[name], strict=True):
                assert after in (str(hierarchy.label(before, level)), done["suppressed_marker"])


def test_the_record_says_what_was_read_and_what_was_done(li):
    Path("table.csv").write_text(
        "ZIP Code,Age,Disease,Name\n47677,29,flu,A\n47602,22,bronchitis,B\n47678,27,flu,C\n47905,43,gastritis,D\n",
        encoding="utf-8",
    )
    Path("values.csv").write_text("flu,lung,*\nbronchitis,lung,*\ngastritis,stomach,*\n", encoding="utf-8")
    ground = "hierarchical:values.csv"
    answer = run(*li, "--k", "2", "--t", "0.5", "--ground", f"Disease={ground}", "--suppression", "0.25",
                 "--optimum", "height", "--output", "out.csv", "--format", "json")  # fmt: skip
    found, done = record(answer), sidecar("out.json")
    digest = {
        name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in ("table.csv", "values.csv", "out.csv")
    }
    assert done["table"] == {"file": "table.csv", "sha256": digest["table.csv"]}
    assert done["ground_distance"] == {"name": "hierarchical", "file": "values.csv", "sha256": digest["values.csv"]}
    assert done["anonymized"] == {"file": "out.csv", "sha256": digest["out.csv"]}
    ages = Path("levels", "Age.csv")
    assert done["hierarchies"]["Age"] == {"file": "Age.csv", "sha256": hashlib.sha256(ages.read_bytes()).hexdigest()}
    assert done["thresholds"] == {"k": "2", "t": "1/2"}
    assert done["columns"]["left_out"] == ["Name"]
    assert (done["suppression_limit_records"], done["suppressed_records"], done["suppressed_marker"]) == (1, 1, "*")
    assert done["suppressed_together"] == {"records": 1, "distinct_values": 1, "status": "violated"}
    assert "1 suppressed record(s) stand in the table with their sensitive values" in answer.err
    assert found["anonymized"]["check"] == done["check"]
    assert recheck(done).code == 0


def test_among_several_nodes_one_must_be_chosen(li):
    ask = (*li, "--k", "3", "--all", "--output", "out.csv")
    unchosen = run(*ask)
    assert unchosen.code == 2
    assert "6 of 12 nodes satisfy" in unchosen.out  # the list to choose from
    assert "choose with --node, such as --node 11" in unchosen.err
    assert sorted(os.listdir()) == ["levels", "table.csv"]
    assert run(*ask, "--node", "21").code == 0
    assert sidecar("out.json")["levels"]["ZIP Code"] == {"level": 2, "of": 3}
    assert Path("out.csv").read_text(encoding="utf-8").splitlines()[1] == "476**,20-39,Cancer"  # sorted


def test_a_tie_of_optima_is_said(li):
    assert run(*li, "--k", "3", "--optimum", "dm", "--output", "out.csv").code == 0
    assert sidecar("out.json")["chosen"] == "the first of 2 nodes that tie by discernibility"


@pytest.mark.parametrize(
    ("header", "rows", "options"),
    [
        ("q;s", ["a;x", "a;y", "b;x", "b;y"], ["--separator", ";"]),
        ("q,s", ["Köln,x", "Köln,y", "b,x", "b,y"], ["--encoding", "latin-1"]),
        ("q,s", [",x", ",y", "b,x", "b,y"], ["--missing", "category"]),
        ("q,s", [",x", "a,x", "a,y", "b,"], ["--missing", "drop"]),
        ("q,s,n", ["a,x,2", "b,y,3"], ["--weight", "n"]),
        ("q,s", ["a,x", "b,x"], ["--order", "s=x"]),
        ('q,"s, t"', ["a,x", "a,y"], []),
        ("-q,s", ["a,x", "a,y"], []),
    ],
    ids=["separator", "encoding", "category", "drop", "weight", "order", "comma", "dash"],
)
def test_the_check_that_is_written_reads_the_file_as_it_is_written(tmp_path, header, rows, options):
    encoding = "latin-1" if "--encoding" in options else "utf-8"
    table = tmp_path / "in.csv"
    table.write_text("\n".join([header, *rows, ""]), encoding=encoding)
    separator = ";" if ";" in header else ","
    qi, sa, *_ = next(csv.reader([header], delimiter=separator))
    before = table.read_bytes()
    answer = run("search", str(table), "--suppress-only", qi, "--quasi-identifiers", qi, "--sensitive", sa,
                 "--k", "1", *options, "--optimum", "height", "--output", str(tmp_path / "out.csv"))  # fmt: skip
    assert answer.code == 0, answer
    done = sidecar(tmp_path / "out.json")
    checked = recheck(done, tmp_path)
    assert (checked.code, checked.err) == (0, "")
    assert checked.record["records"] == done["records"]
    assert measured(checked)["t-closeness"] == done["measured"]["t"]["value"]
    assert table.read_bytes() == before
    if "drop" not in options:  # node 0 is written: the table as it is
        assert (tmp_path / "out.csv").read_text(encoding=encoding).splitlines() == [header, *rows]


def test_numbers_of_the_table_are_the_numeric_texts_of_a_hierarchy(tmp_path):
    """A Parquet table has whole numbers; the hierarchy's file has text."""
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"age": [21, 22, 41], "s": ["x", "y", "x"]})
    frame.to_parquet(tmp_path / "in.parquet")
    (tmp_path / "age.csv").write_text("21,20s,*\n22,20s,*\n41,40s,*\n", encoding="utf-8")
    answer = run("search", str(tmp_path / "in.parquet"), "-q", "age", "-s", "s", "--k", "2",
                 "--hierarchies", str(tmp_path), "--suppression", "0.4", "--optimum", "height",
                 "--output", str(tmp_path / "out.csv"))  # fmt: skip
    assert answer.code == 0
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "age,s\n20s,x\n20s,y\n*,x\n"
    assert recheck(sidecar(tmp_path / "out.json"), tmp_path).code == 0


def test_a_missing_value_has_a_row_of_its_own_in_a_hierarchy(tmp_path):
    (tmp_path / "in.csv").write_text("q,s\n,x\na,y\n", encoding="utf-8")
    (tmp_path / "q.csv").write_text("a,known,*\n(missing),unknown,*\n", encoding="utf-8")
    ask = (
        "search",
        str(tmp_path / "in.csv"),
        "-q",
        "q",
        "-s",
        "s",
        "--hierarchies",
        str(tmp_path),
        "--k",
        "1",
        "--format",
        "json",
    )
    assert run(*ask).code == 2
    found = record(run(*ask, "--missing", "category", "--node", "1", "--output", str(tmp_path / "out.csv")))
    assert found["records"] == 2
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "q,s\nknown,y\nunknown,x\n"


# ---------------------------------------------------------------------- files


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("taken", ["out.csv", "out.json", "lattice.png"])
def test_nothing_is_overwritten_and_nothing_half_written(li, tmp_path, taken):
    Path(taken).write_text("mine", encoding="utf-8")
    before = everything(tmp_path)
    answer = run(*li, "--k", "3", "--output", "out.csv", "--figure", "lattice.png")
    assert (answer.code, answer.out) == (2, "")
    assert f"{taken!r} exists" in answer.err
    assert everything(tmp_path) == before
    assert run(*li, "--k", "3", "--output", "out.csv", "--figure", "lattice.png", "--force").code == 0
    assert Path(taken).read_bytes() != b"mine"


@pytest.mark.parametrize("output", ["table.csv", "levels/Age.csv", "./levels/../table.csv", "values.csv", "link.csv"])
def test_what_is_read_is_never_overwritten(li, tmp_path, output):
    Path("values.csv").write_text("Heart Disease,a,*\nFlu,b,*\nCancer,b,*\n", encoding="utf-8")
    os.link("table.csv", "link.csv")
    before = everything(tmp_path)
    answer = run(*li, "--k", "3", "--ground", "Disease=hierarchical:values.csv", "--output", output, "--force")
    assert answer.code == 2
    assert "never overwritten" in answer.err
    assert everything(tmp_path) == before


def test_a_file_that_appears_in_the_meantime_is_kept_and_nothing_is_written(li, tmp_path, monkeypatch):
    placed = os.link

    def late(temporary, file):
        Path("out.json").write_text("mine", encoding="utf-8")
        placed(temporary, file)

    monkeypatch.setattr(os, "link", late)
    answer = run(*li, "--k", "3", "--output", "out.csv")
    assert answer.code == 2
    assert "'out.json' exists" in answer.err
    assert set(everything(tmp_path)) == {"table.csv", "levels/Age.csv", "levels/ZIP Code.csv", "out.json"}
    assert Path("out.json").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_lattice_is_drawn(li, suffix):
    answer = run(*li, "--k", "3", "--optimum", "dm", "--figure", f"lattice.{suffix}", "--format", "json")
    assert (answer.code, record(answer)["figure"]) == (0, f"lattice.{suffix}")
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert Path(f"lattice.{suffix}").read_bytes().startswith(begins)
    assert record(answer)["found"]["satisfying"] == 6  # a picture needs every node decided


# ---------------------------------------------------------------------- wrong usage

WRONG = [
    ((), "no threshold is given"),
    (("--t", "0.2"), "no ground distance for 'Disease'; give one, such as --ground Disease=equal"),
    (("--k", "2.5"), "whole number"),
    (("--k", "0"), "whole number ≥ 1"),
    (("--k", "2", "--recursive", "3"), "two numbers C,L"),
    (("--k", "2", "--suppression", "5"), "between 0 and 1, such as 0.05"),
    (("--k", "2", "--suppression", "much"), "much"),
    (("--k", "2", "--all", "--optimum", "dm"), "--all and --optimum ask for different lists"),
    (("--k", "2", "--optimum", "loss"), "--optimum 'loss' is not one of ncp"),
    (("--distinct-l", "2", "--optimum", "c-avg"), "give --k, or --optimum class-size"),
    (("--k", "2", "--node", "11"), "give --output too"),
    (("--k", "2", "--output", "out.csv", "--node", "1"), "it has 2 level(s), one for each of ZIP Code, Age"),
    (("--k", "2", "--output", "out.csv", "--node", "1a"), "not a node of this lattice"),
    (("--k", "2", "--output", "out.csv", "--node", "19"), "levels run from 0 to (3, 2)"),
    (("--k", "2", "--output", "out.csv", "--node", "00"), "--node 00 violates k-anonymity (9 of 9 records"),
    (("--k", "2", "--output", "out.csv", "--node", "00", "--suppression", "0.2"), "1 may be suppressed"),
    (("--k", "2", "--output", "out.json"), "must end in .csv, .tsv, .parquet or .txt"),
    (("--k", "2", "--output", "out.xlsx"), "must end in .csv, .tsv, .parquet or .txt"),
    (("--k", "2", "--output", "-"), "must end in"),
    (("--k", "2", "--output", "no/out.csv"), "there is no folder 'no'"),
    (("--k", "2", "--output", "levels.csv", "--figure", "levels.gif"), "must end in .png, .svg or .pdf"),
    (("--k", "2", "--keep", "Age"), "the quasi-identifier column, which is written anyway"),
    (("--k", "2", "--keep", "Name"), "the table has no such column"),
    (("--k", "2", "--suppress-only", "Name"), "'Name', which is not a quasi-identifier"),
    (("--k", "2", "--numeric", "Disease"), "'Disease', which is not a quasi-identifier"),
    (("--k", "2", "--hierarchy", "Age=none.csv"), "none.csv cannot be read"),
    (("--k", "2", "--hierarchy", "levels/Age.csv"), "--hierarchy"),
    (("--k", "2", "--hierarchy-separator", ";"), "give --hierarchy-separator ','"),
    (("--k", "2", "--hierarchy-separator", "::"), "one character"),
    (("--k", "2", "--order", "Age=1,2"), "'Age' is none of the columns"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=[" ".join(o) or "nothing" for o, _ in WRONG])
def test_wrong_usage_says_what_and_how_and_writes_nothing(li, tmp_path, options, message):
    before = everything(tmp_path)
    answer = run(*li, *options)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert "Traceback" not in answer.err
    assert everything(tmp_path) == before


def test_a_hierarchy_that_is_not_there_is_named_with_the_way_out(li):
    Path("levels", "Age.csv").unlink()
    error = run(*li, "--k", "2").err
    for words in ("'Age'", str(Path("levels", "Age.csv")), "--hierarchy Age=FILE", "--suppress-only Age"):
        assert words in error
    assert "--hierarchies names no folder" in run(*li[:6], "--k", "2").err
    assert "is not a folder" in run(*li[:6], "--k", "2", "--hierarchies", "none").err


def test_a_hierarchy_that_misses_a_value_names_its_file(li):
    Path("levels", "Age.csv").write_text(AGES.replace("29,20-39,*\n", ""), encoding="utf-8")
    error = run(*li, "--k", "2").err
    assert "does not cover 1 of 9 values, first '29'" in error
    assert str(Path("levels", "Age.csv")) in error


def test_rows_of_different_length_are_read_when_the_command_line_says_so(li):
    Path("levels", "Age.csv").write_text(AGES.replace("29,20-39,*", "29,*"), encoding="utf-8")
    assert "--hierarchy-ragged repeat-leaf or repeat-parent" in run(*li, "--k", "2").err
    assert run(*li, "--k", "2", "--hierarchy-ragged", "repeat-leaf").code == 0


def test_several_sensitive_columns_are_refused(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("q,s,r\na,x,y\n", encoding="utf-8")
    answer = run("search", str(table), "-q", "q", "-s", "s,r", "--suppress-only", "q", "--k", "1")
    assert answer.code == 2
    assert "a search decides one sensitive attribute" in answer.err


def test_a_hierarchy_that_is_not_used_is_mentioned(li):
    text = " ".join(run("search", "table.csv", "-q", "ZIP Code", *li[4:], "--k", "3", columns=200).out.split())
    assert "not used the hierarchies of Age" in text


# ---------------------------------------------------------------------- interrupts, terminals, imports


ENDED_EARLY = (
    (KeyboardInterrupt(), 130, "the search was interrupted", "interrupted"),
    (TimeLimitReached("over"), 3, "the time limit was reached", "time limit"),
    (MemoryLimitReached("full"), 3, "the memory limit was reached", "memory limit"),
)


def ending(monkeypatch, error, at):
    """Let a progress bar end the search early: in a stage, once so many nodes of it are done."""

    @contextmanager
    def bar():
        def tell(stage, done, _everything):
            if stage == at[0] and done >= at[1]:
                raise error

        yield tell

    monkeypatch.setattr(search, "progress_bar", bar)


@pytest.mark.long
@pytest.mark.parametrize("wanted", [(), ("--all",), ("--optimum", "height"), ("--optimum", "dm")])
@pytest.mark.parametrize("at", [("searching", 1), ("searching", 6), ("measuring", 1)])
@pytest.mark.parametrize(("error", "code", "sentence", "reason"), ENDED_EARLY)
def test_a_search_that_ends_early_says_so_first_and_writes_nothing(
    li, monkeypatch, error, code, sentence, reason, at, wanted
):
    files = ("--output", "out.csv", "--figure", "lattice.png", "--node", "32")
    whole = record(run(*li, "--k", "3", *wanted, "--format", "json"))
    ending(monkeypatch, error, at)
    before = sorted(Path().iterdir())
    answer = run(*li, "--k", "3", *wanted, *files, columns=300)
    assert answer.code == code
    assert answer.out.startswith(f"NOT COMPLETE: {sentence}; ")
    assert "out.csv, out.json, lattice.png: not written, since the search is not complete" in answer.err
    assert sorted(Path().iterdir()) == before
    answer = run(*li, "--k", "3", *wanted, *files, "--format", "json")
    found = record(answer)
    assert (answer.code, found["status"], found["partial"], found["so_far"]["reason"]) == (
        code,
        "partial",
        True,
        reason,
    )
    assert (found["found"], found["optimum"], found["anonymized"], found["figure"]) == (None, None, None, None)
    assert sorted(Path().iterdir()) == before
    satisfying = {"11", "12", "21", "22", "31", "32"}
    assert set(found["so_far"]["lowest_found"]) <= satisfying
    assert {node["node"] for node in found["nodes"]} <= satisfying
    if at[0] == "measuring":
        assert found["so_far"]["unsettled"] == 0
        assert found["nodes"] == whole["nodes"][: len(found["nodes"])]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (("--time-limit", "0"), "--time-limit 0.0: it must be a finite number of seconds > 0"),
        (("--time-limit", "soon"), "--time-limit 'soon' is not a number of seconds"),
        (("--memory-limit", "much"), "--memory-limit 'much' is not a size"),
        (("--memory-limit", "0"), "--memory-limit '0' is not a size"),
    ],
)
def test_a_limit_that_is_none_is_refused(li, limit, message):
    answer = run(*li, "--k", "3", *limit)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"error: {message}")


@pytest.mark.long
def test_a_limit_that_is_reached_while_the_table_is_read_ends_the_command_with_3(li):
    answer = process(*li, "--k", "3", "--time-limit", "0.001")
    assert (answer.code, answer.out) == (3, "")
    assert "error: the time limit of 0.001 seconds was reached while reading the table; " in answer.err
    assert answer.err.rstrip().endswith("or a greater --time-limit")


def test_limits_that_are_not_reached_change_nothing(li):
    plain = record(run(*li, "--k", "3", "--format", "json"))
    assert record(run(*li, "--k", "3", "--format", "json", "--time-limit", "60", "--memory-limit", "4G")) == plain


@pytest.mark.parametrize("attributes", [20, 40])
def test_a_lattice_too_large_for_the_memory_is_refused_with_its_size(attributes, tmp_path, monkeypatch):
    """4²⁰ and 4⁴⁰ nodes: so many attributes of three digits."""
    monkeypatch.chdir(tmp_path)
    names = [f"a{i}" for i in range(attributes)]
    Path("t.csv").write_text(
        ",".join([*names, "s"]) + "\n" + ",".join(["111"] * attributes + ["x"]) + "\n", encoding="utf-8"
    )
    Path("h").mkdir()
    for name in names:
        Path("h", f"{name}.csv").write_text("111,11*,1**,*\n", encoding="utf-8")
    answer = run("search", "t.csv", "-q", ",".join(names), "-s", "s", "--hierarchies", "h", "--k", "1")
    assert (answer.code, answer.out) == (3, "")
    assert f"search of a lattice of {4**attributes:,} nodes would take about" in answer.err
    assert answer.err.rstrip().endswith("give fewer quasi-identifiers, lower hierarchies, or a greater --memory-limit")


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """A table whose lattice has 4⁹ nodes, so that a search takes some seconds."""
    folder = tmp_path_factory.mktemp("wide")
    names = [f"a{i}" for i in range(9)]
    drawn = Random(5)
    rows = [[f"1{drawn.randrange(2)}{drawn.randrange(2)}" for _ in names] + ["xyz"[i % 3]] for i in range(200)]
    text = "".join(",".join(row) + "\n" for row in [[*names, "s"], *rows])
    folder.joinpath("t.csv").write_text(text, encoding="utf-8")
    folder.joinpath("h").mkdir()
    for j, name in enumerate(names):
        cells = sorted({row[j] for row in rows})
        lines = [f"{cell},{cell[:2]}*,{cell[:1]}**,*\n" for cell in cells]
        folder.joinpath("h", f"{name}.csv").write_text("".join(lines), encoding="utf-8")
    return ("search", str(folder / "t.csv"), "-q", ",".join(names), "-s", "s", "--hierarchies", str(folder / "h"))


@pytest.mark.long
def test_a_time_limit_is_kept_and_answered_with_what_was_found(wide):
    run(*wide, "--k", "201")  # all modules are loaded before the clock starts
    begin = time.monotonic()
    answer = run(*wide, "--k", "7", "--format", "json", "--time-limit", "1")
    taken = time.monotonic() - begin
    found = record(answer)
    assert (answer.code, found["status"], found["so_far"]["reason"]) == (3, "partial", "time limit")
    assert found["so_far"]["unsettled"] > 0
    assert taken < 1 + 2  # one second more than is promised, for a busy machine


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_control_c_in_the_search_prints_what_is_known_and_exits_with_130(wide):
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{heard}; from tcloseness.cli import main; main()", *wide, "--k", "7"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as searching:
        assert searching.stderr is not None
        assert searching.stdout is not None
        assert searching.stderr.readline().startswith(b"lattice: 262,144 nodes")  # the search begins
        time.sleep(0.5)
        searching.send_signal(signal.SIGINT)
        begin = time.monotonic()
        out, _ = searching.communicate(timeout=60)
    assert searching.returncode == 130
    assert out.decode().startswith("NOT COMPLETE: the search was interrupted; ")
    assert time.monotonic() - begin < 3


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="terminals as on POSIX")
def test_a_terminal_gets_a_bar_and_no_terminal_none(li):
    """The bar is on standard error only; the answer is the same."""
    ask = (*li, "--k", "3", "--format", "json")
    program = [sys.executable, "-c", "from tcloseness.cli import main; main()", *ask]
    master, slave = pty.openpty()
    done = subprocess.run(program, stdout=subprocess.PIPE, stderr=slave, check=True)
    os.close(slave)
    shown = os.read(master, 65536).decode()
    os.close(master)
    plain = run(*ask)
    assert done.stdout.decode() == plain.out
    assert "searching" in shown
    assert plain.err == "lattice: 12 nodes (ZIP Code 4 × Age 3 levels), heights 0 to 5\n"


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_control_c_before_the_search_ends_quietly_with_130(li):
    assert interrupted("search", "-", *li[2:], "--k", "3") == (130, b"", b"")


def test_the_table_may_come_from_standard_input(li):
    content = Path("table.csv").read_bytes()
    found = record(run("search", "-", *li[2:], "--k", "3", "--format", "json", stdin=content))
    assert found["table"] == {"file": "standard input", "sha256": hashlib.sha256(content).hexdigest()}


# ---------------------------------------------------------------------- Adult


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return adult_file(tmp_path_factory)


def adult_search(people: str, *more: str) -> tuple[str, ...]:
    names = ",".join(QUASI_IDENTIFIERS["T1"])
    folder = str(DATA / "hierarchies" / "T1")
    return ("search", people, "-q", names, "-s", "occupation", "--hierarchies", folder, *more, "--format", "json")


@pytest.mark.long
@pytest.mark.parametrize(
    ("ground", "satisfying", "expected"),
    [
        (
            "equal",
            4,
            {"3232221": "406121/2111340", "4231221": "331743/2362690", "4232121": "3456782/24446301"},
        ),
        (
            f"hierarchical:{DATA / 'hierarchies' / 'occupation-S1.csv'}",
            9,
            {
                "2232221": "44488/256377",
                "4231121": "207697/1206480",
                "4232021": "38347/211134",
                "4232201": "24615/140756",
            },
        ),
    ],
    ids=["equal", "hierarchical"],
)
def test_adult_at_k_5_and_t_a_fifth(people, ground, satisfying, expected):
    """The counts and distances that independent brute force with Fractions found (see `lattice/test_adult.py`)."""
    answer = run(*adult_search(people, "--k", "5", "--t", "0.2", "--ground", f"occupation={ground}"))
    found = record(answer)
    assert (answer.code, found["found"]["satisfying"]) == (0, satisfying)
    assert {node["node"]: Fraction(node["t"]["value"]) for node in found["nodes"]} == {
        node: Fraction(t) for node, t in expected.items()
    }


@pytest.mark.long
def test_adult_with_suppression_is_written_and_rechecked(people, tmp_path):
    answer = run(*adult_search(people, "--k", "5", "--t", "0.2", "--ground", "occupation=equal",
                               "--suppression", "0.01", "--optimum", "dm",
                               "--output", str(tmp_path / "out.csv")))  # fmt: skip
    found, done = record(answer), sidecar(tmp_path / "out.json")
    checked = recheck(done, tmp_path)
    assert (answer.code, checked.code) == (0, 0)
    (node,) = found["nodes"]
    assert 0 < node["suppressed_records"] <= 301  # 1 % of 30,162
    assert checked.record["suppressed"] == node["suppressed_records"]
    assert measured(checked)["t-closeness"] == node["t"]["value"]
    assert measured(checked)["k-anonymity"] == str(node["k"])
