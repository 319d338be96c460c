"""The tables of the papers come with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import tcloseness as tc
from tcloseness.errors import InputError

ROOT = Path(__file__).resolve().parent.parent


def test_every_table_is_found_by_its_name() -> None:
    files = {file.stem: file.read_bytes() for file in (ROOT / "data" / "papers").glob("*.csv")}
    assert tc.papers.names() == sorted(files)
    assert {name: tc.papers.path(name).read_bytes() for name in tc.papers.names()} == files


def test_another_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'li_table4'"):
        tc.papers.path("li_tabel4")
    with pytest.raises(InputError, match="they are disease_hierarchy"):
        tc.papers.path("../adult")
