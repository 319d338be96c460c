"""The pages of the repository: the README's examples answer as it says, links lead somewhere, and it stays short."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
README = ROOT / "README.md"


@pytest.mark.long
def test_the_examples_of_the_readme_answer_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    said = [word.rstrip(":,") for block in blocks for word in re.findall(r"print\(.*\)  # (\S+)", block)]
    printed, names = io.StringIO(), {"__name__": "readme"}
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(compile(block, "README.md", "exec"), names)
    answers = iter([line.split(" ")[0] for line in printed.getvalue().splitlines()])
    assert len(said) >= 3
    assert all(word in answers for word in said), f"{said} in this order are not among what is printed"


def examples(page: Path) -> dict[str, str]:
    """The examples of a page by the headings that they are under."""
    sections = page.read_text(encoding="utf-8").split("\n## ")[1:]
    return {s.split("\n")[0]: s.split("```python\n")[1].split("```")[0] for s in sections if "```python" in s}


def printed(code: str) -> list[str]:
    """What an example prints, line by line."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(code, "example", "exec"), {"__name__": "example"})
    return shown.getvalue().splitlines()


SOURCES = examples(ROOT / "docs" / "sources.md")


def test_the_page_of_sources_has_an_example_of_each() -> None:
    engines = ["pandas", "Polars", "Arrow", "DuckDB, and databases", "Spark", "Files"]
    assert list(SOURCES) == [*engines, "Files of a spreadsheet", "Writing what is published"]


@pytest.mark.parametrize("heading", [each for each in SOURCES if each != "Spark"])  # which its own tests run
def test_the_examples_of_the_page_of_sources_print_what_they_say(heading: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code = SOURCES[heading]
    assert printed(code) == re.findall(r"print\(.*\)  # (.+)", code) != []


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def heading(line: str) -> str:
    return re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_leads_to_a_file_that_is_there_and_to_a_heading_in_it(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = page if not name else (page.parent / name).resolve()
        assert file.exists(), f"{page.name} links to {target}"
        if anchor and file.suffix == ".md":
            headings = [heading(line) for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
            assert anchor in headings, f"{page.name} links to {target}; its headings are {headings}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_calls_by_its_public_name_is_there(page: Path) -> None:
    for name in re.findall(r"`(?:tc|tcloseness)\.([A-Za-z_][\w.]*\w)\b(?!/)", page.read_text(encoding="utf-8")):
        found: object = importlib.import_module("tcloseness")
        for depth, part in enumerate(parts := name.split(".")):
            with contextlib.suppress(ImportError):
                importlib.import_module(".".join(["tcloseness", *parts[: depth + 1]]))
            found = getattr(found, part, None)
            assert found is not None, f"{page.name} names {name}, which is not there"
