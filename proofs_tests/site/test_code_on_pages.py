"""The code on the pages runs, page by page and block after block, and prints what the pages say.

A block of Python is followed by what it prints, in a block ``text``; a block ``console`` holds commands after ``$`` and
under each what it prints. ``…`` is for what is left out: any lines where it stands alone, else a part of one. A block
after "save this as `NAME`" is that file. The examples of ``docs/jobs_source`` run when the site is built, those of
docstrings in test_doctests.py, and those of sources.md in test_pages.py.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.verdicts import Kind

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
PAGES = (
    *("index", "start", "choosing", "theory", "own_distance", "own_implementation", "coming_from", "limits"),
    *("reproduction", "certificates", "commands", "attacks", "secret_draws"),
)

pytestmark = pytest.mark.site

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"[Ss]ave\s+this\s+as\s+`([^`]+)`")


def matches(printed: str, said: str) -> bool:
    """Whether a text is what a page says, but for ends of lines and what ``…`` leaves out."""
    lines = [re.escape(line.rstrip()) for line in said.strip("\n").splitlines()]
    form = "\n".join(r"(?:.*\n)*?.*" if line.strip() == "…" else line.replace("…", ".*") for line in lines)
    return re.fullmatch(form, "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())) is not None


def run_page(text: str, folder: Path) -> list[str]:
    """Run the blocks of a page in a folder; return what it says otherwise than they print."""
    faults, names, printed = [], {"__name__": "page"}, ""
    done = 0
    for found in BLOCK.finditer(text):
        kind, block = found.groups()
        named, done = FILE.search(text, done, found.start()), found.end()
        if named:
            (folder / named[1]).write_text(block, encoding="utf-8")
        elif kind == "python":
            shown = io.StringIO()
            with contextlib.redirect_stdout(shown):
                exec(compile(block, "page", "exec"), names)
            printed = shown.getvalue()
        elif kind == "text":
            if not matches(printed, block):
                faults.append(f"the page says\n{block}\nand printed is\n{printed}")
            printed = ""
        elif kind == "console":
            for command, said in re.findall(r"^\$ (.*?(?:\\\n.*?)*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                shown = command_line(command, folder)
                if said.strip() and not matches(shown, said):
                    faults.append(f"the page says\n$ {command}\n{said}\nand printed is\n{shown}")
    return faults


def command_line(command: str, folder: Path) -> str:
    """What a command prints on standard output."""
    if command.startswith(("pip ", "make ", "python -m venv")):
        return ""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    for name, words in (("tcloseness", "-m tcloseness"), ("python", ""), ("pytest", "-m pytest")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        (tools / name).chmod(0o755)
    places = os.pathsep.join([str(ROOT / "research"), str(folder)])
    surroundings = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": places}
    surroundings |= {"COLUMNS": "100", "NO_COLOR": "1"}
    run = {"shell": True, "cwd": folder, "env": surroundings, "capture_output": True, "text": True}
    done = subprocess.run(command, check=False, timeout=300, **run)
    return done.stdout if done.stdout else done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_prints_what_the_page_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "data").mkdir()
    for name in ("adult", "papers"):  # what a checkout has
        (tmp_path / "data" / name).symlink_to(ROOT / "data" / name)
    assert run_page((DOCS / f"{page}.md").read_text(encoding="utf-8"), tmp_path) == []


def test_the_verdicts_of_the_page_on_reproduction_are_those_of_the_report() -> None:
    text = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^\| verdict \| meaning \|\n\|---\|---\|\n((?:\|.*\n)*)", text, re.MULTILINE)
    assert table.splitlines() == [f"| {kind.one} | {kind.meaning} |" for kind in Kind]


def test_every_page_with_code_of_its_own_is_run() -> None:
    others = {"sources", "architecture", "proofs", "benchmarks", "mutants", "r"}
    with_code = {page.stem for page in DOCS.glob("*.md") if "```" in page.read_text(encoding="utf-8")}
    included = {page.stem for page in DOCS.glob("*.md") if "```{include}" in page.read_text(encoding="utf-8")}
    assert with_code - others - included <= set(PAGES)


@pytest.mark.parametrize(
    ("page", "faults"),
    [
        ("```python\nprint(1)\n```\n```text\n1\n```\n", 0),
        ("```python\nprint(1)\n```\n```text\n2\n```\n", 1),
        ("```python\nfor n in range(9):\n    print(n)\n```\n```text\n0\n…\n8\n```\n", 0),
        ("```python\nfor n in range(9):\n    print(n)\n```\n```text\n0\n…\n9\n```\n", 1),
        ("```console\n$ echo a\na\n$ echo b\nb\n```\n", 0),
        ("```console\n$ echo a\na\n$ echo b\nc\n```\n", 1),
        ("Save this as `a.csv`.\n```text\nx,y\n```\n```console\n$ cat a.csv\nx,y\n```\n", 0),
        ("```console\n$ cat a.csv\nx,y\n```\n", 1),
    ],
)
def test_what_a_page_says_wrongly_is_noticed(page: str, faults: int, tmp_path: Path) -> None:
    assert len(run_page(page, tmp_path)) == faults
