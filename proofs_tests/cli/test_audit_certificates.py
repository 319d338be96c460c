"""``tcloseness check --certificate``: an audit that is checked from the file, in the open or with values withheld."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proofs_tests.cli.commands import run

TABLE = "zip,age,disease\n476,2*,flu\n476,2*,cold\n477,3*,flu\n477,3*,flu\n477,3*,ulcer\n"
ASKED = ("-q", "zip,age", "-s", "disease", "--ground", "disease=equal", "--k", "2", "--t", "1/2")


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    return "table.csv"


@pytest.mark.parametrize("read", ["table.csv", "counts.txt"])
def test_an_audit_is_proved_from_the_file_or_from_its_counts(table, read):
    done = run("check", table, *ASKED, "--certificate", "proof.json", "--counts", "counts.txt")
    assert done.code == 0, done.err
    assert "proof.json, checked" in done.out
    verified = run("verify", "proof.json", "--table", read, "--format", "json")
    (record,) = verified.record["certificates"]
    assert (verified.code, record["of_this_file"]) == (0, read == "table.csv")
    assert "records = 2" in record["found"]
    assert "distance (equal) = 3/10" in record["found"]
    assert "2 of 2 conditions met by all classes" in record["found"]
    words = run("verify", "proof.json", "--table", read).out
    assert "asked of each class" in words
    assert "as it is, or nothing" not in words


def test_a_verdict_that_is_violated_is_proved_too_and_the_exit_code_is_that_of_the_audit(table):
    done = run("check", table, *ASKED, "--recursive", "2,2", "--certificate", "proof.json", "--format", "json")
    assert (done.code, done.record["status"], done.record["certificate"]) == (1, "violated", "proof.json")
    found = run("verify", "proof.json", "--table", table).out
    assert "2 of 3 conditions met by all classes" in " ".join(found.split())
    done = run("check", table, *ASKED, "--format", "json")
    assert done.record["certificate"] is None


def test_an_audit_of_suppressed_weighted_and_missing_records_is_proved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "zip,age,disease,n\n476,2*,flu,3\n476,2*,cold,1\n*,*,flu,2\n,3*,flu,4\n477,3*,,1\n"
    Path("table.csv").write_text(rows, encoding="utf-8")
    for more in (["--missing", "category"], ["--missing", "drop"]):
        for reference in ("all", "released"):
            asked = ("check", "table.csv", *ASKED, "--weight", "n", "--suppressed", "*", "--reference", reference)
            done = run(*asked, *more, "--certificate", "proof.json", "--force")
            assert done.code in (0, 1), done.err
            verified = run("verify", "proof.json", "--table", "table.csv")
            assert verified.code == 0, verified.err
    proof = json.loads(Path("proof.json").read_text(encoding="utf-8"))
    assert (proof["proof"]["suppressed"], proof["proof"]["reference"], proof["table"]["records"]) == (
        "*",
        "released",
        6,
    )


def test_with_values_withheld_the_salt_is_written_beside_and_proves_the_rest(table):
    done = run("check", table, *ASKED, "--redact", "--certificate", "public.json", "--format", "json")
    assert (done.code, done.record["certificate"]) == (0, "public.json")
    public = Path("public.json").read_text(encoding="utf-8")
    for value in ("text:476", "2*", "flu", "ulcer"):  # 476 alone may be in a digest
        assert value not in public
    alone = run("verify", "public.json")
    assert alone.code == 0
    assert "Only with the table and its salt" in " ".join(alone.out.split())
    whole = run("verify", "public.json", "--table", table, "--salt", "public.json.salt", "--format", "json")
    (record,) = whole.record["certificates"]
    assert (whole.code, record["with_the_table"]) == (0, True)
    assert "the table and its salt make this certificate" in record["found"]
    Path("other.csv").write_text(TABLE.replace("ulcer", "cold"), encoding="utf-8")
    assert run("verify", "public.json", "--table", "other.csv", "--salt", "public.json.salt").code == 2
    run("check", table, *ASKED, "--redact", "--certificate", "again.json")
    assert Path("again.json").read_text(encoding="utf-8") != public
    refuted = run("verify", "again.json", "--table", table, "--salt", "public.json.salt")
    assert (refuted.code, "another certificate" in refuted.out) == (1, True)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("check", "table.csv", *ASKED, "--redact", "--counts", "counts.txt"), "leave one of them out"),
        (("check", "table.csv", "-q", "zip", "-s", "disease,age", "--certificate", "p.json"), "name one of"),
        (("check", "table.csv", "-q", "", "-s", "disease", "--certificate", "p.json"), "without quasi-identifiers"),
        (("verify", "public.json", "--table", "table.csv"), "give both --table and --salt"),
        (("verify", "public.json", "--salt", "public.json.salt"), "give both --table and --salt"),
        (("verify", "public.json", "--checker", "extracted"), "--checker would not be used; leave it out"),
        (("verify", "public.json", "--table", "table.csv", "--salt", "table.csv"), "the salt cannot be read"),
        (("verify", "public.json", "--table", "table.csv", "--salt", "none"), "cannot be read"),
        (("verify", "public.json", "--p", "1,0"), "--p would not be used; leave it out"),
    ],
)
def test_what_does_not_fit_together_is_refused(table, asked, told):
    assert run("check", table, *ASKED, "--redact", "--certificate", "public.json").code == 0
    done = run(*asked)
    assert (done.code, told in " ".join(done.err.split())) == (2, True), done.err
    assert not Path("p.json").exists()


def test_nothing_is_overwritten_unless_forced(table):
    Path("proof.json.salt").write_text("mine", encoding="utf-8")
    done = run("check", table, *ASKED, "--redact", "--certificate", "proof.json")
    assert (done.code, "exists and is not overwritten" in done.err) == (2, True)
    assert not Path("proof.json").exists()
    assert run("check", table, *ASKED, "--redact", "--certificate", "proof.json", "--force").code == 0
    assert Path("proof.json.salt").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize("method", ["mondrian", "datafly"])
def test_the_audit_of_a_release_is_proved_from_the_file_that_was_written(tmp_path, monkeypatch, method):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{20 + 3 * i},{47600 + 7 * i % 50},{('flu', 'cold', 'gout')[i % 3]}\n" for i in range(12))
    Path("in.csv").write_text(f"age,zip,disease\n{rows}", encoding="utf-8")
    asked = ["anonymize", "in.csv", "-q", "age,zip", "-s", "disease", "--ground", "disease=ordered"]
    asked += ["--order", "disease=cold,flu,gout", "--method", method, "--k", "3", "--t", "0.4"]
    if method == "datafly":
        ages = "".join(f"{age},{age // 10}0s,*\n" for age in range(20, 60))
        Path("age.csv").write_text(ages, encoding="utf-8")
        asked += ["--hierarchy", "age=age.csv", "--suppress-only", "zip", "--suppression", "0.4"]
    done = run(*asked, "--output", "out.csv", "--certificate", "proof.json", "--counts", "c.txt", "--format", "json")
    assert (done.code, done.record["certificate"]) == (0, "proof.json"), done.err
    for table in ("out.csv", "c.txt"):
        verified = run("verify", "proof.json", "--table", table, "--format", "json")
        (record,) = verified.record["certificates"]
        assert (verified.code, record["of_this_file"]) == (0, table == "out.csv")
        assert "2 of 2 conditions met by all classes" in record["found"]
        assert f"records = {done.record['measured']['k']};" in record["found"]
        assert f"distance (ordered) = {done.record['measured']['t']['value']}" in record["found"]
    proof = json.loads(Path("proof.json").read_text(encoding="utf-8"))["proof"]
    assert (proof["suppressed"], proof["reference"]) == (
        ("*", "all") if done.record["suppressed_records"] else (None, "released")
    )
    assert (method == "datafly") == bool(done.record["suppressed_records"])


def test_what_a_release_cannot_prove_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    asked = ("anonymize", "table.csv", "-q", "zip,age", "-s", "disease")
    done = run(*asked, "--method", "mondrian", "--k", "2", "--certificate", "proof.json")
    assert (done.code, "give --output" in done.err) == (2, True)
    done = run(*asked, "--method", "anatomy", "--frequency-l", "1", "--output", "o.csv", "--certificate", "proof.json")
    assert (done.code, "two tables" in done.err) == (2, True)
    assert Path("o.csv").exists()
    assert not Path("proof.json").exists()
