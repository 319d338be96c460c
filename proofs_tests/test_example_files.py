"""The archive of example files that the site offers holds what the pages read, and they run where it is unpacked."""

from __future__ import annotations

import importlib.util
import re
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from proofs_tests.cli.commands import run

ROOT = Path(__file__).resolve().parent.parent


def made() -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_files", ROOT / "docs" / "example_files.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made().write(tmp_path / "examples.zip")
    with zipfile.ZipFile(tmp_path / "examples.zip") as archive:
        archive.extractall(tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def test_the_archive_holds_the_projects_files_and_is_made_alike_each_time(unpacked: Path, tmp_path: Path) -> None:
    files = {path.relative_to(unpacked).as_posix(): path.read_bytes() for path in unpacked.rglob("*") if path.is_file()}
    assert files.pop("patients.csv").decode() in (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    assert {name: (ROOT / name).read_bytes() for name in files} == files
    papers = [name for name in files if name.startswith("data/papers/") and name.endswith(".csv")]
    assert len(papers) == len(list((ROOT / "data" / "papers").glob("*.csv")))
    made().write(tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "examples.zip").read_bytes()


def test_whatever_of_these_folders_a_page_names_is_in_it(unpacked: Path) -> None:
    named = re.compile(r"(?<![\w/.-])((?:data/papers|examples/(?:certificates|checkers|harnesses))/[\w./-]*\w)")
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "examples" / "certificates" / "README.md"]
    found = {name for page in pages for name in named.findall(page.read_text(encoding="utf-8"))}
    assert len(found) > 5
    assert not [name for name in found if not (unpacked / name).exists()]


def test_what_the_pages_run_finds_its_files_there(unpacked: Path) -> None:
    proof = "examples/certificates/optimum_salary.json"
    done = run(
        "verify", proof, "--table", "data/papers/li_table3.csv", "--hierarchies", "examples/certificates/hierarchies"
    )
    assert (done.code, "proved of li_table3.csv" in done.out) == (0, True)
    assert run("check", "patients.csv", "-q", "age,zip", "-s", "disease", "--k", "2").code == 1
