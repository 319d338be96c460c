"""``tcloseness check``: the example of the README, exit codes, roles and conventions, the two formats."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import html
import json
import math
import os
import pty
import re
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pytest

from proofs_tests.cli.commands import EXAMPLE_CHECK, HIERARCHY, LI4, PAPERS, QI, SCHEMAS, process, run

T = "t-closeness"
TERMINAL = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}


def summary(record, model=T, sensitive="Salary"):
    (found,) = (r for r in record["summary"] if (r["model"], r["sensitive"]) == (model, sensitive))
    return found


def result(record, model=T, attribute=0):
    (found,) = (r for r in record["sensitive_attributes"][attribute]["results"] if r["model"] == model)
    return found


@pytest.fixture
def table(tmp_path):
    def write(text: str, name: str = "table.csv") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


# ---------------------------------------------------------------------- the example, end to end


@pytest.mark.long
def test_the_salaries_of_table_4_are_exactly_three_eighths_close():
    """Li et al. 2007, §5.1 gives 0.375; the threshold 0.375 is met with margin 0."""
    answer = process(*EXAMPLE_CHECK, "--t", "0.375")
    found = summary(answer.record)
    assert (answer.code, answer.err) == (0, "")
    assert {k: found[k] for k in ("value", "decimal", "threshold", "margin", "status")} == {
        "value": "3/8",
        "decimal": "0.375",
        "threshold": "3/8",
        "margin": "0",
        "status": "satisfied",
    }


def test_a_threshold_just_below_the_value_is_violated_with_exit_1():
    answer = run(*EXAMPLE_CHECK, "--t", "0.3749")
    found = summary(answer.record)
    assert (answer.code, found["status"], found["margin"]) == (1, "violated", "-1/10000")


def test_the_diseases_of_table_4_are_four_ninths_close_under_the_hierarchy():
    """4/9 by hand: the class {gastric ulcer, gastritis, stomach cancer} of the six diseases; see the claims ledger."""
    answer = run("check", LI4, *QI, "--sensitive", "Disease", "--ground", f"Disease={HIERARCHY}", "--format", "json")
    record = answer.record
    assert (answer.code, record["status"], summary(record, T, "Disease")["value"]) == (0, "measured", "4/9")
    assert record["ground_distances"]["Disease"]["name"] == "hierarchical"
    content = (PAPERS / "disease_hierarchy.csv").read_bytes()
    assert record["ground_distances"]["Disease"]["sha256"] == hashlib.sha256(content).hexdigest()


# ---------------------------------------------------------------------- decisions and exit codes

HOLDING = [("--k", "3"), ("--distinct-l", "3"), ("--entropy-l", "3"), ("--recursive", "0.51,2"), ("--t", "3/8")]
BROKEN = [("--k", "4"), ("--distinct-l", "4"), ("--entropy-l", "3.001"), ("--recursive", "0.5,2"), ("--t", "0.3749")]


@pytest.mark.parametrize("threshold", HOLDING, ids=" ".join)
def test_a_threshold_that_the_table_meets_exits_with_0(threshold):
    """Every class has 3 records with 3 different salaries: k = 3, l = 3, entropy ln 3, r1/(r2 + r3) = 1/2."""
    answer = run(*EXAMPLE_CHECK, *threshold)
    assert (answer.code, answer.record["status"]) == (0, "satisfied")


@pytest.mark.parametrize("threshold", BROKEN, ids=" ".join)
def test_a_threshold_that_the_table_misses_exits_with_1(threshold):
    answer = run(*EXAMPLE_CHECK, *threshold)
    assert (answer.code, answer.record["status"]) == (1, "violated")
    assert [r["status"] for r in answer.record["summary"]].count("violated") == 1


def test_without_thresholds_everything_is_measured_and_nothing_decided():
    answer = run(*EXAMPLE_CHECK)
    assert (answer.code, answer.record["status"]) == (0, "measured")
    assert {r["threshold"] for r in answer.record["summary"]} == {None}


# ---------------------------------------------------------------------- JSON


def test_the_json_keys_stand_in_their_order():
    record = run(*EXAMPLE_CHECK, "--t", "0.375").record
    assert list(record) == [
        "format",
        "version",
        "status",
        "summary",
        "table",
        "ground_distances",
        "certificate",
        "digest",
        "source",
        "records",
        "suppressed",
        "dropped",
        "classes",
        "quasi_identifiers",
        "redacted",
        "conventions",
        "undefined",
        "sensitive_attributes",
        "multi_attribute",
        "losses",
    ]
    assert record["format"] == "tcloseness-check-2"
    assert record["table"] == {"file": "li_table4.csv", "sha256": hashlib.sha256(Path(LI4).read_bytes()).hexdigest()}
    assert list(record["summary"][0]) == [
        "sensitive",
        "model",
        "value",
        "decimal",
        "threshold",
        "relation",
        "margin",
        "status",
    ]
    assert (record["records"], record["classes"], record["suppressed"]) == (9, 3, 0)


@pytest.mark.long
def test_the_same_question_gets_the_same_bytes():
    """In another process sets have another order of their own."""
    assert process(*EXAMPLE_CHECK, "--t", "0.375") == run(*EXAMPLE_CHECK, "--t", "0.375")


def test_entropy_l_is_summed_up_as_l_with_the_entropy_in_nats_beside_it():
    found = summary(run(*EXAMPLE_CHECK, "--entropy-l", "3").record, "entropy l-diversity")
    assert (found["value"], found["threshold"], found["margin"]) == ("3", "3", "0")
    assert found["entropy"] == f"{math.log(3):.10g}"


# ---------------------------------------------------------------------- columns, orders, domains


def test_a_value_that_is_a_columns_name_is_not_split_at_its_comma(table):
    file = table('"ZIP, city",Age,"Salary, USD"\n1,2,10\n1,2,20\n')
    answer = run("check", file, "-q", "ZIP, city", "-q", "Age", "-s", "Salary, USD", "--format", "json")
    assert answer.record["quasi_identifiers"] == ["ZIP, city", "Age"]
    assert answer.record["sensitive_attributes"][0]["sensitive"] == "Salary, USD"


def test_a_ground_distance_belongs_to_the_longest_column_that_its_text_begins_with(table):
    file = table("q,a,a=b\n1,1,1\n1,2,2\n")
    answer = run("check", file, "-q", "q", "-s", "a,a=b", "--ground", "a=b=ordered", "--format", "json")
    assert answer.record["ground_distances"]["a=b"] == {"name": "ordered"}
    assert answer.record["ground_distances"]["a"] == {"name": "equal", "chosen": "by default"}


def test_an_order_is_that_of_the_command_line(table):
    """Class g has low and mid, h has high and high. In the order low, mid, high the class h is 2/4·1 + … away.

    Prefix differences of h against Q = (1/4, 1/4, 1/2): −1/4, −1/2; so t = (1/4 + 1/2)/2 = 3/8.
    """
    file = table("q,Grade\ng,low\ng,mid\nh,high\nh,high\n")
    order = ("--order", "Grade=low,mid,high")
    answer = run("check", file, "-q", "q", "-s", "Grade", *order, "--ground", "Grade=ordered", "--format", "json")
    assert summary(answer.record, T, "Grade")["value"] == "3/8"
    assert result(answer.record)["conventions"]["order of the values"] == "declared"


def test_a_declared_domain_counts_values_that_never_occur(table):
    """Values 1 and 2 alone in their classes: t = 1/2 over {1, 2}, and half of it over {1, 2, 3}."""
    file = table("q,v\na,1\nb,2\n")
    ask = ("check", file, "-q", "q", "-s", "v", "--ground", "v=ordered", "--format", "json")
    assert summary(run(*ask).record, T, "v")["value"] == "1/2"
    assert summary(run(*ask, "--domain", "v=1,2,3").record, T, "v")["value"] == "1/4"


def test_the_distance_by_value_follows_the_spacing(table):
    """{14, 88} against {14, 27, 88, 101}: mass 1/4 moves 13 twice, over the range 87 (Dosselmann et al. 2019, §2.1)."""
    file = table("Class,Value\nA,14\nB,27\nA,88\nB,101\n")
    answer = run("check", file, "-q", "Class", "-s", "Value", "--ground", "Value=ordered-by-value", "--format", "json")
    assert summary(answer.record, T, "Value")["value"] == "13/174"


def test_a_matrix_with_labels_is_read_whatever_the_order_of_its_labels(table):
    file = table("q,v\na,x\nb,y\n")
    matrix = table(",y,x\ny,0,1/2\nx,1/2,0\n", "matrix.csv")
    answer = run("check", file, "-q", "q", "-s", "v", "--ground", f"v=matrix:{matrix}", "--format", "json")
    assert summary(answer.record, T, "v")["value"] == "1/4"
    assert result(answer.record)["parameters"]["measure"] == "EMD, matrix"


def test_a_weight_stands_for_that_many_records(table):
    file = table("q,v,n\na,x,2\na,y,3\n")
    answer = run("check", file, "-q", "q", "-s", "v", "--weight", "n", "--format", "json")
    assert (answer.code, answer.record["records"]) == (0, 5)


def test_leaves_at_unequal_depth_are_read_when_the_command_line_says_so(table):
    file = table("q,v\na,x\nb,y\n")
    hierarchy = table("x,any\ny,group,any\nz,group,any\n", "ragged.csv")
    ask = ("check", file, "-q", "q", "-s", "v", "--ground", f"v=hierarchical:{hierarchy}", "--format", "json")
    assert "--ragged keep" in run(*ask).err
    assert summary(run(*ask, "--ragged", "keep").record, T, "v")["value"] == "1/2"


# ---------------------------------------------------------------------- missing and suppressed


def test_missing_cells_are_what_the_command_line_says(table):
    file = table("q,v\na,x\na,?\na,\na,y\n")
    ask = ("check", file, "-q", "q", "-s", "v", "--missing-text", "?", "--format", "json")
    assert run(*ask).code == 2
    dropped, category = run(*ask, "--missing", "drop").record, run(*ask, "--missing", "category").record
    assert (dropped["records"], category["records"]) == (2, 4)
    assert category["sensitive_attributes"][0]["values"] == 3
    assert (dropped["dropped"], category["dropped"]) == (2, 0)
    assert dropped["conventions"]["missing values"] == "drop"


def test_suppressed_records_are_in_no_class_and_count_in_the_reference_on_request(table):
    """Released: x in a, y in b. With the suppressed z, Q = (1/3, 1/3, 1/3) and a class is 2/3 away."""
    file = table("q,v\na,x\nb,y\n*,z\n")
    ask = ("check", file, "-q", "q", "-s", "v", "--ground", "v=equal", "--suppressed", "*", "--format", "json")
    released, everyone = run(*ask).record, run(*ask, "--reference", "all").record
    assert (released["records"], released["suppressed"], released["classes"]) == (2, 1, 2)
    assert summary(released, T, "v")["value"] == "1/2"
    assert summary(everyone, T, "v")["value"] == "2/3"
    assert everyone["conventions"]["reference distribution"] == "all records"


# ---------------------------------------------------------------------- how tables come in


def test_a_table_is_the_same_from_a_file_and_from_standard_input():
    content = Path(LI4).read_bytes()
    ask = (*QI, "--sensitive", "Salary", "--ground", "Salary=ordered", "--format", "json")
    from_file, from_stdin = run("check", LI4, *ask).record, run("check", "-", *ask, stdin=content).record
    assert from_stdin["table"]["sha256"] == from_file["table"]["sha256"]
    assert from_file["source"]["files"] == [{"file": Path(LI4).name, "sha256": from_file["table"]["sha256"]}]
    del from_file["table"], from_stdin["table"], from_file["source"], from_stdin["source"]
    assert from_stdin == from_file


@pytest.mark.long
def test_files_of_every_kind_have_the_same_answer_and_parts_are_one_table(tmp_path):
    ask = ("-q", "zip", "-s", "ill", "--k", "2", "--format", "json", "--memory", "500MB", "--threads", "1")
    lines = [f"{zip_},{ill}" for zip_ in ("01", "02", "03") for ill in ("a", "b", "a")]
    (tmp_path / "whole.csv").write_text("zip,ill\n" + "\n".join(lines) + "\n")
    for part in range(3):
        (tmp_path / f"part-{part}.csv").write_text("zip,ill\n" + "\n".join(lines[part::3]) + "\n")
    for name in ("whole", *(f"part-{part}" for part in range(3))):
        duckdb.sql(f"copy (from read_csv('{tmp_path / name}.csv', all_varchar=true)) to '{tmp_path / name}.parquet'")
    duckdb.sql(f"copy (from read_csv('{tmp_path}/whole.csv', all_varchar=true)) to '{tmp_path}/w.csv.zst' (header)")
    records = [
        run("check", str(tmp_path / name), *ask).record
        for name in ("whole.csv", "part-*.csv", "whole.parquet", "part-*.parquet", "w.csv.zst")
    ]
    tables, sources = [each.pop("table") for each in records], [each.pop("source") for each in records]
    assert all(each == records[0] for each in records)
    assert records[0]["digest"]
    assert [table["sha256"] is None for table in tables] == [False, True, False, True, False]
    assert [len(source["files"]) for source in sources] == [1, 3, 1, 3, 1]
    assert [source["rows"] for source in sources] == [9] * 5
    assert sources[3]["files"][1]["file"] == "part-1.parquet"
    assert sources[2]["engine"].startswith("DuckDB")
    assert tables[3]["file"] == "part-*.parquet"


@pytest.mark.parametrize(("option", "value"), [("--memory", "much"), ("--memory", "0"), ("--threads", "0")])
def test_what_the_engine_may_take_is_an_amount(option, value):
    answer = run("check", LI4, *QI, "--sensitive", "Salary", option, value)
    assert answer.code == 2
    assert f"{option} " in answer.err
    assert f"{option.removeprefix('--')}=" not in answer.err


def test_too_little_memory_is_said_with_the_option(tmp_path):
    duckdb.sql(
        f"copy (select i % 100000 as q, hash(i) as r, i % 7 as s from range(300000) t(i)) to '{tmp_path}/t.parquet'"
    )
    ask = ("check", str(tmp_path / "t.parquet"), "-q", "q,r", "-s", "s", "--threads", "1")
    answer = run(*ask, "--memory", "1MB")
    assert answer.code == 2
    assert "(--memory '1MB'); give more by --memory, fewer --threads" in answer.err
    assert not re.search(r"Error|[a-z]=", answer.err)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_is_read_once_and_hashed(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = Path(LI4).read_bytes()
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    answer = run("check", str(pipe), *QI, "--sensitive", "Salary", "--format", "json")
    writer.join()
    assert answer.record["table"]["sha256"] == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(("name", "separator"), [(";", ";"), ("tab", "\t"), ("\\t", "\t")])
def test_the_separator_is_the_one_that_is_named(table, name, separator):
    file = table(f"q{separator}v\na{separator}x\n")
    assert run("check", file, "-q", "q", "-s", "v", "--separator", name).code == 0


@pytest.mark.parametrize("from_stdin", [False, True])
def test_the_encoding_is_the_one_that_is_named(tmp_path, from_stdin):
    content = "q,v\na,Köln\n".encode("latin-1")
    (tmp_path / "latin.csv").write_bytes(content)
    file = "-" if from_stdin else str(tmp_path / "latin.csv")
    ask = ("check", file, "-q", "q", "-s", "v", "--format", "json")
    record = run(*ask, "--encoding", "latin-1", stdin=content).record
    assert record["sensitive_attributes"][0]["results"][0]["worst"][0]["counts"] == {"Köln": 1}
    refused = run(*ask, stdin=content)
    assert refused.code == 2
    assert "give --encoding" in refused.err


# ---------------------------------------------------------------------- warnings


@pytest.mark.long
def test_warnings_go_to_standard_error_and_standard_output_stays_json(table):
    file = table("q,v\na,x\na,X\n")
    answer = process("check", file, "-q", "q", "-s", "v", "--format", "json")
    assert answer.record["status"] == "measured"
    assert answer.err.startswith("warning: column 'v' has 1 group(s) of values that look the same")
    assert "'X' (1 row(s)) and 'x' (1 row(s))" in answer.err
    assert "--merge-spellings 'v'" in answer.err


# ---------------------------------------------------------------------- text


def test_the_text_begins_with_the_answer_and_ends_with_what_was_assumed():
    answer = run(*EXAMPLE_CHECK[:-2], "--t", "0.3749")
    lines = answer.out.splitlines()
    assert lines[0] == "violated: t-closeness of Salary does not hold: 3/8 > 0.3749"
    assumed = answer.out.split("assumed\n")[1]
    for name in ("ground distance", "order", "m ", "equivalence classes", "missing", "suppressed", "reference"):
        assert name in assumed


def test_several_thresholds_are_answered_in_one_line_each_named_once():
    sensitive = ("--sensitive", "Salary,Disease", "--ground", "Salary=ordered", "--ground", f"Disease={HIERARCHY}")
    answer = run("check", LI4, *QI, *sensitive, "--k", "4", "--t", "0.375", columns=200)
    assert answer.out.splitlines()[0] == (
        "violated: k-anonymity (3 < 4), t-closeness of Disease (4/9 > 3/8); 1 of 3 thresholds satisfied"
    )
    assert run("check", LI4, *QI, *sensitive, "--k", "3", "--t", "4/9").out.startswith("satisfied: all 3 thresholds\n")


def test_a_violated_entropy_never_looks_satisfied_by_rounding():
    """exp(ln 3) shown with four digits is 3; against 3.00001 more digits are shown."""
    answer = run(*EXAMPLE_CHECK[:-2], "--entropy-l", "3.00001")
    assert "does not hold: 3 < 3.00001, with entropy" in answer.out.splitlines()[0]
    answer = run(*EXAMPLE_CHECK[:-2], "--entropy-l", "3")
    assert answer.out.splitlines()[0].endswith("holds: 3 ≥ 3, with entropy 1.099 nats")


@pytest.mark.parametrize("columns", [80, 120])
def test_no_line_of_the_text_is_wider_than_the_terminal(columns):
    answer = run("check", LI4, *QI, "--sensitive", "Salary,Disease", "--k", "4", columns=columns)
    assert max(map(len, answer.out.splitlines())) <= columns
    assert "\x1b" not in answer.out


def test_cells_cannot_write_to_the_terminal_or_be_read_as_markup(table):
    file = table("q,v\n[red]\x1b[31mz,x\n")
    answer = run("check", file, "-q", "q", "-s", "v")
    assert "[red]\\x1b[31mz" in answer.out
    assert "\x1b" not in answer.out


# ---------------------------------------------------------------------- pages, and values withheld

BOTH = ("check", LI4, *QI, "-s", "Salary,Disease", "--ground", "Salary=ordered", "--ground", f"Disease={HIERARCHY}")


@pytest.mark.long
def test_html_writes_a_page_beside_the_usual_answer(tmp_path):
    file = tmp_path / "page.html"
    answer = run(*BOTH, "--t", "0.375", "--html", str(file))
    page = file.read_text(encoding="utf-8")
    assert answer == run(*BOTH, "--t", "0.375")
    assert answer.code == 1
    assert "Violated: t-closeness of Disease" in page
    assert "tcloseness check" not in answer.out
    assert "--t 0.375 --ground Salary=ordered --ground" in page
    assert hashlib.sha256(Path(LI4).read_bytes()).hexdigest() in page


@pytest.mark.long
@pytest.mark.parametrize("withheld", [(), ("--redact",)])
def test_the_page_of_an_anonymized_table_has_what_its_record_says_of_the_method(tmp_path, withheld):
    roles, out, page = (*QI, "--sensitive", "Disease"), tmp_path / "out.csv", tmp_path / "page.html"
    assert run("anonymize", str(PAPERS / "li_table3.csv"), *roles, "--k", "3", "--output", str(out)).code == 0
    said = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["gives_away"]
    asked = ("check", str(out), *roles, *withheld, "--html", str(page), "--force")
    assert run(*asked).code == 0
    text = html.unescape(page.read_text(encoding="utf-8"))
    assert "What it gives away to somebody who knows how it was made" in text
    for sentence in (*said["tight"]["sentences"], *said["code"]["sentences"], *said["cures"]):
        assert sentence in text
    assert "out.json" in text
    out.write_bytes(out.read_bytes() + b"\n")  # the record is of another file
    assert run(*asked).code == 0
    assert "somebody who knows how it was made" not in page.read_text(encoding="utf-8")


@pytest.mark.long
def test_a_page_never_overwrites_without_force(tmp_path):
    file = tmp_path / "page.html"
    file.write_text("mine", encoding="utf-8")
    refused = run(*EXAMPLE_CHECK, "--html", str(file))
    assert (refused.code, refused.out, file.read_text(encoding="utf-8")) == (2, "", "mine")
    assert "exists and is not overwritten; give another name, or --force" in refused.err
    assert run(*EXAMPLE_CHECK, "--html", str(file), "--force").code == 0
    assert file.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def kept_in(page: str) -> bytes:
    """The certificate that a page holds."""
    (found,) = re.findall(r'download="proof.json"\s+href="data:application/json;base64,([^"]+)"', page)
    return base64.b64decode(found)


@pytest.mark.long
def test_a_page_holds_the_certificate_of_its_audit_or_says_why_there_is_none(tmp_path):
    page, proof = tmp_path / "page.html", tmp_path / "proof.json"
    assert run(*EXAMPLE_CHECK, "--html", str(page)).code == 0
    proof.write_bytes(kept_in(page.read_text(encoding="utf-8")))
    assert run("verify", str(proof), "--table", LI4).code == 0
    redacted = run(*EXAMPLE_CHECK, "--html", str(page), "--force", "--redact", "--certificate", str(proof), "--force")
    assert redacted.code == 0
    assert kept_in(page.read_text(encoding="utf-8")) == proof.read_bytes()
    assert run("verify", str(proof)).code == 0
    several = ["check", LI4, "--quasi-identifiers", "ZIP Code,Age", "--sensitive", "Salary,Disease"]
    assert run(*several, "--html", str(page), "--force").code == 0
    assert "proof.json" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "why"), [("absent/page.html", "cannot be written"), ("-", "is not the name of a file")]
)
def test_a_page_that_cannot_be_written_is_an_error(tmp_path, monkeypatch, file, why):
    monkeypatch.chdir(tmp_path)
    answer = run(*EXAMPLE_CHECK, "--html", file)
    assert (answer.code, answer.out) == (2, "")
    assert why in answer.err


@pytest.mark.long
def test_redacted_answers_hold_no_value_in_any_form(tmp_path, table):
    """Neither cells, nor orders, markers, folders or hashes, by which a guess could be confirmed."""
    source = table(
        'zip,grade\n4711x,"low, very"\n4711x,mid-grade\n4712x,top-grade\n4712x,mid-grade\n#gone#,mid-grade\n'
    )
    page = tmp_path / "page.html"
    ask = ("check", source, "-q", "zip", "-s", "grade", "--order", 'grade="low, very",mid-grade,top-grade')
    ask = (*ask, "--ground", "grade=ordered", "--suppressed", "#gone#", "--missing-text", "unsaid", "--redact")
    text, data = run(*ask), run(*ask, "--format", "json", "--html", str(page))
    assert data.record["redacted"] is True
    assert data.record["table"] == {"file": "table.csv", "sha256": None}
    assert summary(data.record, T, "grade")["value"] == "1/4"
    outputs = {"text": text.out, "json": data.out, "html": page.read_text(encoding="utf-8")}
    hidden = ("4711", "4712", "low, very", "mid-grade", "top-grade", "#gone#", "unsaid", str(tmp_path))
    digest = hashlib.sha256(Path(source).read_bytes()).hexdigest()
    for form, output in outputs.items():
        assert not [word for word in (*hidden, digest) if word in output], form
        assert "value 2" in output
        assert "grade" in output
    assert "withheld" in text.out
    assert "--suppressed &#39;(withheld)&#39;" in outputs["html"]


def test_redacted_hierarchies_are_named_without_folder_and_hash():
    record = run(*BOTH, "--format", "json", "--redact").record
    assert record["ground_distances"]["Disease"] == {"name": "hierarchical", "file": "disease_hierarchy.csv"}
    assert summary(record, T, "Disease")["value"] == "4/9"
    assert result(record, attribute=1)["worst"][0]["class"].keys() == {"class"}


@pytest.mark.long
def test_only_a_page_loads_what_a_page_needs(tmp_path):
    asked = [["check", *EXAMPLE_CHECK[1:], *more] for more in ((), ("--redact",), ("--html", str(tmp_path / "p.html")))]
    code = (
        "import sys\nfrom tcloseness.cli import app\n"
        f"for arguments in {asked!r}:\n"
        "    try:\n        app(arguments)\n    except SystemExit:\n        pass\n"
        "    print(sorted({'jinja2', 'markupsafe', 'matplotlib'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == ["[]", "[]", "['jinja2', 'markupsafe', 'matplotlib']"]


# ---------------------------------------------------------------------- the schema of the JSON


def test_the_schema_is_a_schema_and_refuses_what_it_does_not_know():
    schema = SCHEMAS["tcloseness-check-2"]
    schema.check_schema(schema.schema)
    record = run(*BOTH, "--k", "3", "--entropy-l", "2.5", "--recursive", "1/3,4", "--format", "json").record
    assert schema.is_valid(record)
    for broken in ({**record, "more": 1}, {**record, "status": "fine"}, {**record, "records": "9"}):
        assert not schema.is_valid(broken)
    assert not schema.is_valid({key: record[key] for key in record if key != "undefined"})


def test_what_is_undefined_is_said_in_text_and_json(table):
    """A class with one value has r₁/(r₂ + …) = 1/0; and no ground distance was named."""
    file = table("q,v\na,x\nb,y\n")
    record = run("check", file, "-q", "q", "-s", "v", "--format", "json").record
    assert [(u["quantity"], u["sensitive"]) for u in record["undefined"]] == [
        ("recursive (c,l)-diversity", "v"),
        ("enhanced beta-likeness", "v"),
        ("delta-disclosure privacy", "v"),
        ("exp(epsilon)-closeness", "v"),
        (T, "v"),
    ]
    text = " ".join(run("check", file, "-q", "q", "-s", "v").out.split())
    assert "its bound is infinite: no c is greater" in text
    assert "2 records (100 %) are alone in a class of one." in text


def test_k_anonymity_is_listed_once_and_the_worst_classes_with_their_values():
    text = run(*BOTH, "--k", "4").out
    lines = [line.split() for line in text.splitlines() if line.startswith("k-anonymity")]
    assert [line[:2] for line in lines] == [["k-anonymity", "3"], ["k-anonymity", "A"]]
    assert "A  3000: 1, 4000: 1, 5000: 1" in text
    assert "A  ZIP Code 476**, Age 2*" in text


def test_a_redacted_answer_names_no_value_in_its_warnings(table):
    file = table("q,v\na,x\nA,y\n")
    loud, quiet = (run("check", file, "-q", "q", "-s", "v", *more).err for more in ((), ("--redact",)))
    assert "'A' (1 row(s)) and 'a' (1 row(s))" in loud
    assert quiet == loud.replace("'A'", "(withheld)").replace("'a'", "(withheld)")
    assert "(withheld)" in quiet


@pytest.mark.long
def test_a_text_that_is_read_whole_keeps_the_limit_of_memory_or_names_it(tmp_path, table):
    """Blanks around cells, and values that are withheld: an engine does not count these, and 24 times their size count
    as what they take."""
    content = "q,v\n" + "a, x\n" * 300_000 + "b,y\n" * 4
    ask = (table(content), "-q", "q", "-s", "v", "--threads", "1")
    for more, why in (((), "The strict reader alone"), (("--redact",), "leave --redact out")):
        for memory in (24 * len(content), 24 * len(content) - 1):
            answer = run("check", *ask, *more, "--memory", str(memory))
            assert answer.code == (0 if memory % 24 == 0 else 2), answer.err
        assert "more than --memory " in answer.err
        assert why in answer.err


def test_no_quasi_identifier_makes_one_class(table):
    record = run("check", table("q,v\na,x\nb,y\n"), "-q", "", "-s", "v", "--format", "json").record
    assert (record["classes"], record["quasi_identifiers"], summary(record, T, "v")["value"]) == (1, [], "0")


@pytest.mark.slow
def test_a_terminal_sees_how_much_is_counted_and_the_result_has_nothing_of_it(tmp_path):
    values = "i % 700000 as q, 'text ' || i % 7 as b, i % 5 as s"
    duckdb.sql(f"copy (select {values} from range(4000000) t(i)) to '{tmp_path}/t.csv'")
    words = ["check", f"{tmp_path}/t.csv", "-q", "q,b", "-s", "s", "--k", "2", "--threads", "1"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "tcloseness", *words], stdout=subprocess.PIPE, stderr=theirs, env=TERMINAL
    ) as running:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(ours, 4096):
                shown += part
        out = running.stdout.read().decode()
    os.close(ours)
    assert running.returncode == 0
    assert b"counting" in shown
    assert b"%" in shown
    assert re.search(rb"about [\d,]+ of 4,000,000 rows", shown)
    assert "counting" not in out
    assert "k-anonymity holds" in out
