"""What is published of the package: its sources, its wheel, and how it is cited."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import tcloseness

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sources' archive and the wheel, as they are published."""
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(words, cwd=ROOT, capture_output=True, check=True)
    return folder


def test_the_repository_holds_nothing_that_its_sources_leave_out() -> None:
    """A file that somebody's command left here, and that was recorded with others, is noticed at once."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("these sources are not a repository")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = [*project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"], "pyproject.toml", ".gitignore"]
    known = {str(path.relative_to(ROOT)) for pattern in patterns for path in ROOT.glob(pattern)}
    names = [name for name in listed.stdout.split("\0") if name]
    assert not [name for name in names if known.isdisjoint({name, *map(str, Path(name).parents)})]


@pytest.mark.slow
def test_the_sources_hold_every_file_of_the_repository(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("these sources are not a repository")
    left_out = {name for name in listed.stdout.split("\0") if name and name not in names}
    assert left_out <= {".gitignore"}, left_out
    assert not {name for name in names if name.endswith((".pyc", ".vo")) or name.startswith((".venv", "results"))}


@pytest.mark.slow
def test_the_sources_work_in_an_empty_folder_with_nothing_of_this_one(built: Path, tmp_path: Path) -> None:
    """No variable but PATH and HOME, another home; the installed packages alone are those of here."""
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        safe: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # since Python 3.11.4
        archive.extractall(tmp_path, **safe)
    (folder,) = tmp_path.iterdir()
    home = tmp_path / "home"
    home.mkdir()
    variables = {"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(folder / "research")}
    tests = ["proofs_tests/test_papers.py", "proofs_tests/test_formats.py", "proofs_tests/exact/test_roots.py"]
    for words in (
        [sys.executable, "-m", "pytest", "-q", "-n", "0", *tests],
        [sys.executable, "-m", "experiments", "--help"],
        ["make", "-n", "reproduce", "test"],
    ):
        done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_wheel_has_the_package_and_the_tables_of_the_papers(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = wheel.namelist()
        for file in (ROOT / "data" / "papers").iterdir():
            assert wheel.read(f"tcloseness/data/{file.name}") == file.read_bytes()
    assert "tcloseness/py.typed" in names
    assert "tcloseness/__init__.pyi" in names
    package = {str(file.relative_to(ROOT / "research")) for file in (ROOT / "research" / "tcloseness").rglob("*.py")}
    assert package <= set(names)


def test_it_is_cited_by_its_version_and_licence_and_by_the_papers() -> None:
    """The keys and their forms are those of the Citation File Format 1.2.0."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= set(cited)  # which the format asks for
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] in ("software", "dataset")
    assert str(cited["version"]) == project["version"] == tcloseness.__version__
    assert cited["license"] == project["license"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", cited["date-released"])
    assert f"## {cited['version']} ({cited['date-released']})" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for entry in (cited, *cited["references"]):
        assert entry["title"]
        assert all(set(author) <= {"name", "family-names", "given-names"} for author in entry["authors"])
    assert all({"type", "title", "authors", "year"} <= set(each) for each in cited["references"])
    assert {each["year"] for each in cited["references"]} == {2006, 2007}


def test_the_module_is_the_command() -> None:
    words = [sys.executable, "-m", "tcloseness", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ}, check=True)
    assert done.stdout == f"tcloseness {tcloseness.__version__}\n"
