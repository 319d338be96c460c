"""The folder of results as one to deposit: what is in it, its hashes, the PDF, and two of them compared."""

from __future__ import annotations

import json
import re
import shutil
import stat
from pathlib import Path

import pytest

from experiments import archive as archiving
from experiments.archive import archive, checksums, printed
from experiments.kept import CHECKSUMS, PRINTED, PROVENANCE, UNFINISHED, differing
from experiments.provenance import ROOT, digest
from experiments.report import write_and_print
from experiments.report.article import article
from experiments.report.found import read_results
from proofs_tests.experiments.results import LEDGER, write, write_everything
from proofs_tests.report.pages import HOSTILE
from tcloseness import __version__
from tcloseness.errors import StudyError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results, their report, and nothing else."""
    folder = tmp_path_factory.mktemp("made") / "results"
    write_everything(folder)
    write_and_print(folder)
    return folder


@pytest.fixture
def results(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, where there is a browser that prints at once."""
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\nfor a; do case "$a" in --print-to-pdf=*) echo %PDF- $$ > "${a#*=}";; esac; done\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    printing = archiving.printed
    monkeypatch.setattr(archiving, "printed", lambda page: printing(page, (str(browser),)))
    return Path(shutil.copytree(made, tmp_path / "results"))


@pytest.mark.long
def test_every_file_is_in_the_list_with_its_hash_and_the_list_is_one_for_sha256sum(results: Path) -> None:
    said = archive(results)
    lines = (results / CHECKSUMS).read_text("utf-8").splitlines()
    found = dict(re.fullmatch(r"([0-9a-f]{64})  (\S.*)", line).group(2, 1) for line in lines)  # type: ignore[union-attr]
    files = {path.relative_to(results).as_posix() for path in results.rglob("*") if path.is_file()}
    assert set(found) == {name for name in files if not name.startswith(".")} - {CHECKSUMS}
    for name, value in found.items():
        assert digest((results / name).read_bytes()) == value
    assert {
        "report.html",
        "article.md",
        "claims.csv",
        "README.md",
        "LICENSE",
        "CITATION.cff",
        PRINTED,
        PROVENANCE,
    } <= set(found)
    assert f"{len(found):,} files" in said[1]
    (results / "claims.csv").write_bytes(b"other")
    assert checksums(results) != (results / CHECKSUMS).read_bytes()


def test_a_deposit_says_its_version_licence_citation_and_where_the_data_are(results: Path) -> None:
    archive(results)
    text = (results / "README.md").read_text("utf-8")
    for part in (__version__, "MIT licence", "CC BY 4.0", "not redistributed", "python -m experiments data", CHECKSUMS):
        assert part in text
    for name in ("LICENSE", "CITATION.cff"):
        assert (results / name).read_bytes() == (ROOT / name).read_bytes()
    record = json.loads((results / PROVENANCE).read_text("utf-8"))
    assert set(record["studies"]) == {"worked_examples", "data_facts", "zz_hostile"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", record["date"])
    assert record["cores"] >= 1
    assert {"numpy", "pytest"} <= {name.lower() for name in record["all_packages"]}
    assert record["hierarchies_sha256"]["data/adult/hierarchies/occupation-S1.csv"] == digest(
        (ROOT / "data/adult/hierarchies/occupation-S1.csv").read_bytes()
    )
    assert record["version"] == __version__
    for study in ("worked_examples", "data_facts"):
        own = json.loads((results / study / PROVENANCE).read_text("utf-8"))
        assert own["date"] == record["studies"][study]["date"]
        assert own["cores"] == record["cores"]


def test_two_runs_leave_the_same_folder_but_for_what_is_said_to_vary(results: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(results, tmp_path / "other"))
    archive(results)
    archive(other)
    assert (results / PRINTED).read_bytes() != (other / PRINTED).read_bytes()
    number, differ = differing(results, other)
    assert not differ
    assert number > 10
    (other / "article.md").write_bytes(b"")
    assert differing(results, other)[1] == {"article.md": "differs"}


def test_without_a_browser_or_when_it_fails_there_is_no_pdf_and_it_is_said(results: Path, tmp_path: Path) -> None:
    content, said = printed(results / "report.html", ("no-such-browser",))
    assert not content
    assert said == "report.pdf was not made: there is no Chromium here (no-such-browser)"
    false = shutil.which("false")
    assert false is not None
    content, said = printed(results / "report.html", (false,))
    assert not content
    assert "report.pdf was not made" in said


def test_an_old_pdf_does_not_remain_beside_a_page_that_was_not_printed(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(results)
    monkeypatch.setattr(archiving, "printed", lambda page: (b"", "not made"))
    archive(results)
    assert not (results / PRINTED).exists()
    assert PRINTED not in (results / CHECKSUMS).read_text("utf-8").replace(f"`{PRINTED}`", "")


def test_what_is_not_whole_is_not_deposited(results: Path) -> None:
    (results / "data_facts" / UNFINISHED).mkdir()
    with pytest.raises(StudyError, match=r"no whole result: data_facts \(it was begun and did not end\)"):
        archive(results)
    (results / "report.html").unlink()
    with pytest.raises(StudyError, match="there is no report in results"):
        archive(results)
    assert not (results / CHECKSUMS).exists()


def test_a_study_that_runs_again_takes_the_list_of_hashes_away(results: Path) -> None:
    archive(results)
    write(results, "worked_examples", texts=("Other?", "Yes."))
    write(results, "another")
    assert not [name for name in ("report.html", "article.md", PRINTED, CHECKSUMS) if (results / name).exists()]


# ---------------------------------------------------------------------- the article


def test_the_article_has_the_parts_of_one_every_claim_once_and_every_study(made: Path) -> None:
    found = read_results(made, LEDGER)
    text = article(found)
    heads = re.findall(r"^## (?:\d )?(\w+)", text, re.MULTILINE)
    assert heads == ["Abstract", "Introduction", "Methods", "Results", "Claims", "Limits", "Data", "References"]
    rows = re.findall(r"^\| (\S+) \|.*\|$", text, re.MULTILINE)
    assert [row for row in rows if row in LEDGER] == [
        answer.claim.id for paper in dict.fromkeys(a.claim.paper for a in found.answers)
        for answer in found.answers if answer.claim.paper == paper
    ]  # fmt: skip
    for study in found.studies:
        assert f"### {study.title}\n" in text
        assert f"`python -m experiments run {study.name}`" in text
    for _, path in re.findall(r"!\[((?:[^\\\]]|\\.)*)\]\(([^)]*)\)", text):
        assert (made / path).is_file(), path
    assert text.count("![") == 4
    assert (made / "article.md").read_text("utf-8") == text


def test_a_row_of_the_table_has_six_cells_and_hostile_texts_become_nothing(made: Path) -> None:
    text = article(read_results(made, LEDGER))
    for row in re.findall(r"^\| .*\|$", text, re.MULTILINE):
        assert len(re.findall(r"(?<!\\)\|", row)) == 7, row
    assert "<script" not in text.replace("\\<script", "")
    for cell in HOSTILE:
        assert cell not in text or not re.search(r"[<>`*_\[\]]", cell)
