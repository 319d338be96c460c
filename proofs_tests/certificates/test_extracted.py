"""The program that is extracted from a proof: what it is given, and what becomes of its answers."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from proofs_tests.certificates.tables import HIERARCHIES, rolled, table
from proofs_tests.certificates.test_composition import li
from proofs_tests.cli.commands import run
from tcloseness.certificates import extracted, levels_digest, read_counts, verify_composition
from tcloseness.certificates.extracted import (
    PROGRAM,
    check_extracted,
    check_sums_extracted,
    of_answer,
    program,
    release_blocks,
    table_blocks,
)
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.lattice import search_lattice
from tcloseness.models import KAnonymity
from tcloseness.models.certified import CertifiedTable


def searched() -> tuple[CertifiedTable, object]:
    roll_up = rolled(table(random.Random(10)))
    envelope = search_lattice(roll_up, KAnonymity(2), ground="equal").certificate()
    return CertifiedTable.of(roll_up.frequencies, "s", HIERARCHIES), envelope


def a_program(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "checker"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    monkeypatch.setenv(PROGRAM, str(file))


def test_the_program_is_given_what_the_digests_are_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_table, envelope = searched()
    a_program(tmp_path, f"cat > {tmp_path}/given; echo accepted as it is", monkeypatch)
    assert check_extracted(envelope, of_table.counts, of_table.levels) == "as it is"
    lines = (tmp_path / "given").read_text().splitlines(keepends=True)
    blocks = {}
    while lines:
        kind, many = lines.pop(0).split()
        blocks[kind] = [lines.pop(0) for _ in range(int(many))]
    assert read_counts("".join(blocks["counts"]).encode()) == of_table.counts
    name, *rows = map(json.loads, blocks["hierarchy"])  # that of b is no hierarchy: its values stay or become *
    assert (name, levels_digest(rows)) == ("a", envelope.hierarchies["a"])
    assert [json.loads(line) for line in blocks["certificate"]] == [envelope.to_dict()]
    assert "".join(table_blocks(of_table.counts, {"a": None})) == table_blocks(of_table.counts, {})


def test_the_program_is_given_each_release_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record, tables = li()
    a_program(tmp_path, f"cat > {tmp_path}/given; echo accepted as it is", monkeypatch)
    said = verify_composition(json.dumps(record), tables, checker=check_sums_extracted)
    texts = [table.decode() for table in tables]
    first, second = (f"{text.count(chr(10))}\n{text}" for text in texts)
    assert said == "as it is"
    given = (tmp_path / "given").read_text()
    assert given == f"counts {first}release {second}certificate 1\n{json.dumps(record)}\n"
    three = release_blocks([read_counts(table) for table in (*tables, tables[0])])
    assert three == f"counts {first}release {second}release {first}"


def test_answers_are_verdicts() -> None:
    assert of_answer("accepted 1 node: 0.0, of 6 nodes") == "1 node: 0.0, of 6 nodes"
    assert of_answer("accepted with 'a\u200b' in every one") == r"with 'a\u200b' in every one"
    with pytest.raises(CertificateFormatError, match="another table"):
        of_answer("unreadable it is about another table")
    with pytest.raises(CertificateError, match="the proof does not") as refuted:
        of_answer("refused the proof does not show it")
    assert refuted.type is CertificateError
    with pytest.raises(CertificateFormatError):
        of_answer("")


@pytest.mark.parametrize("script", ["exit 0", "echo accepted x; exit 3", "echo accepted x; echo accepted y"])
def test_a_program_without_one_answer_accepts_nothing(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_table, envelope = searched()
    a_program(tmp_path, f"cat > /dev/null; {script}", monkeypatch)
    with pytest.raises(InputError, match="without an answer"):
        check_extracted(envelope, of_table.counts, of_table.levels)


def test_a_program_that_is_not_there_or_cannot_be_run_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_table, envelope = searched()
    for place in (tmp_path / "none", tmp_path):
        monkeypatch.setenv(PROGRAM, str(place))
        with pytest.raises(InputError, match=f"not at '{place}'; build it with make prove"):
            program()
    plain = tmp_path / "plain"
    plain.write_text("no program")
    monkeypatch.setenv(PROGRAM, str(plain))
    with pytest.raises(InputError, match="make prove"):
        program()
    plain.chmod(0o755)
    with pytest.raises(InputError, match="cannot be run"):
        check_extracted(envelope, of_table.counts, of_table.levels)
    monkeypatch.setenv(PROGRAM, "")
    monkeypatch.setattr(extracted, "_BUILT", plain)
    assert program() == str(plain)


def test_verify_says_who_checked_and_keeps_other_certificates_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table(random.Random(10))
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "a.csv").write_text("".join(",".join(path) + "\n" for path in HIERARCHIES["a"].paths))
    (tmp_path / "c.json").write_text(searched()[1].to_json())
    words = ["verify", str(tmp_path / "c.json"), "--table", str(tmp_path / "t.csv")]
    words += ["--hierarchies", str(tmp_path), "--checker", "extracted"]
    for script, code in (("echo accepted so", 0), ("echo refused so", 1), ("echo unreadable so", 2), ("exit 1", 2)):
        a_program(tmp_path, f"cat > /dev/null; {script}", monkeypatch)
        answer = run(*words)
        assert answer.code == code, answer
        assert ("checked by" in answer.out) == (code == 0)
    emd = tmp_path / "emd.json"
    assert run("emd", "--p", "1/2,1/2", "--q", "1,0", "--ground", "equal", "--certificate", str(emd)).code == 0
    answer = run("verify", str(emd), "--checker", "extracted")
    assert answer.code == 2
    assert "--checker would not be used; leave it out" in answer.err
