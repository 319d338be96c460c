"""The commands and functions that the index of the jobs names are there, where it says."""

from __future__ import annotations

import importlib
import re
from operator import attrgetter
from pathlib import Path

import pytest
from typer.main import get_command

import tcloseness
from tcloseness.cli import app

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "jobs_source" / "README.txt").read_text(encoding="utf-8")
COMMANDS = sorted(set(re.findall(r"``tcloseness (\w+)``", TEXT)))
NAMES = sorted(set(re.findall(r"``(\w+(?:\.\w+)+)``", TEXT)))


def test_each_command_is_one() -> None:
    assert COMMANDS
    assert set(COMMANDS) <= set(get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_each_function_is_where_it_is_said_to_be(name: str) -> None:
    place, _, rest = name.partition(".")
    if place == "table":
        assert callable(attrgetter(rest)(tcloseness.Table))
    elif place == "tc":
        assert rest.partition(".")[0] in tcloseness.__all__  # others are there only once they were imported
        assert callable(attrgetter(rest)(tcloseness))
    else:
        room, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(room), function))
