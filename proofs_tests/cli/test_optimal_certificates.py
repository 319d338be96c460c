"""``tcloseness optimal --certificate``: what is proved is checked from the files alone, and what is not is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proofs_tests.cli.commands import run, validated


@pytest.fixture
def towns(tmp_path, monkeypatch):
    """North has towns a and b, south c and d; of north three have x and one y, of south two each."""
    monkeypatch.chdir(tmp_path)
    rows = ["a,x", "a,x", "b,x", "b,y", "c,x", "c,y", "d,x", "d,y"]
    Path("in.csv").write_text("\n".join(["town,s", *rows, ""]), encoding="utf-8")
    Path("town.csv").write_text("a,north,*\nb,north,*\nc,south,*\nd,south,*\n", encoding="utf-8")
    return ("in.csv", "-q", "town", "-s", "s")


ASKED = ("--hierarchies", ".", "--node", "1", "--k", "3", "--t", "1/9", "--ground", "s=equal")


@pytest.mark.parametrize(
    ("task", "left"), [("suppression", "2 of 8 records go"), ("hiding", "2 of 8 sensitive values go")]
)
@pytest.mark.parametrize("output", [(), ("--output", "out.csv")], ids=["alone", "beside the table"])
def test_an_optimum_over_classes_is_proved_from_the_files(towns, task, left, output):
    """Q is (5, 3) of 8; north, (3, 1), and south, (2, 2), are at 1/8 from it, and (2, 1) is at 1/24."""
    found = run("optimal", task, *towns, *ASKED, "--certificate", "proof.json", "--counts", "c.txt", *output)
    assert found.code == 0
    assert "Proof: exact argument, checked." in found.out
    assert "proof.json, checked" in found.out
    if output:
        assert validated(Path("out.json").read_text(encoding="utf-8"))["certificate"] == "proof.json"
    for table in ("in.csv", "c.txt"):
        verified = run("verify", "proof.json", "--table", table, "--hierarchies", ".", "--format", "json")
        assert verified.code == 0
        (record,) = verified.record["certificates"]
        assert left in json.dumps(record)
    Path("in.csv").write_text(Path("in.csv").read_text(encoding="utf-8").replace("c,x", "c,y"), encoding="utf-8")
    assert run("verify", "proof.json", "--table", "in.csv", "--hierarchies", ".").code == 2


def test_that_nothing_is_left_is_proved_too(towns):
    found = run("optimal", "hiding", *towns, "--k", "3", "--certificate", "proof.json", "--format", "json")
    assert (found.code, found.record["status"], found.record["certificate"]) == (1, "infeasible", "proof.json")
    assert "no-hiding" in Path("proof.json").read_text(encoding="utf-8")
    assert run("verify", "proof.json", "--table", "in.csv").code == 0


def test_what_has_no_checker_is_answered_and_named(towns):
    """The answer is printed, and the exit code is that of what was asked for and is not there."""
    Path("m.csv").write_text(",x,y\nx,0,1\ny,1,0\n", encoding="utf-8")
    matrix, solver = ("--ground", "s=matrix:m.csv"), ("--ground", "s=equal", "--solver", "highs")
    for more, named in ((matrix, "no checker for t-closeness"), (solver, "HiGHS was named")):
        found = run("optimal", "suppression", *towns, "--t", "1/2", *more, "--certificate", "proof.json")
        assert found.code == 2
        assert "Optimal" in found.out
        assert "not certified: " in found.err
        assert named in found.err
    assert not Path("proof.json").exists()
