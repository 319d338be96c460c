"""Formats that the package writes or reads have a number, and the page of formats lists them all."""

from __future__ import annotations

import re
from pathlib import Path

from proofs_tests.floors import PACKAGE

PAGE = Path(__file__).resolve().parent.parent / "docs" / "formats.md"
FORMAT = re.compile(r"tcloseness-[a-z]+(?:-[a-z]+)*-[0-9]+")


def in_code() -> set[str]:
    files = [file for file in PACKAGE.rglob("*") if file.suffix in (".py", ".json")]
    return {found for file in files for found in FORMAT.findall(file.read_text(encoding="utf-8"))}


def test_the_page_lists_every_format_of_the_package_and_no_other() -> None:
    listed = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.M)
    assert len(listed) == len(set(listed))
    assert set(listed) == in_code()


def test_no_format_has_two_numbers() -> None:
    names = [found.rpartition("-")[0] for found in in_code()]
    assert len(names) == len(set(names))
