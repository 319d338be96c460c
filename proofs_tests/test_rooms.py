"""The architecture: a room imports only from rooms below it, and what is not used is not loaded."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tcloseness
from proofs_tests import floors
from proofs_tests.floors import FLOOR, PACKAGE

FILES = sorted(file.relative_to(PACKAGE) for file in PACKAGE.rglob("*.py"))
INSIDE = [file for file in FILES if file != Path("__init__.py")]  # the front door names every room, lazily
LAZY = (
    *("matplotlib", "numba", "pulp", "networkx", "pandas", "highspy", "rich", "typer"),
    *("duckdb", "narwhals", "polars", "pyarrow", "pyspark", "ibis", "dask"),
)


def room(file: Path) -> str:
    return file.parts[0].removesuffix(".py")


def imported_modules(file: Path) -> Iterator[str]:
    """The full names of everything of ours that a file imports, also inside functions and for type checking."""
    for node in ast.walk(ast.parse((PACKAGE / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "tcloseness")
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield "." * node.level
            elif node.module == "tcloseness":  # through the front door: the room that the name lives in
                homes = {name: home for name, home in tcloseness._HOME.items() if home != "tcloseness"}
                yield from (homes.get(alias.name, f"tcloseness.{alias.name}") for alias in node.names)
            elif node.module and node.module.startswith("tcloseness."):
                yield node.module


def wrong_imports(file: Path) -> Iterator[str]:
    """What a file imports and must not."""
    if room(file) not in FLOOR:
        yield f"{file} is in no known room; give the room its floor"
        return
    for module in imported_modules(file):
        target = module.split(".")[1] if "." in module else "the whole package"
        if module == "tcloseness.__version__":  # a fact about the whole, and no code
            continue
        if module.startswith("."):
            yield f"{file} imports {module!r} relatively; write the full name"
        elif target not in FLOOR:
            yield f"{file} imports {module}, which is not a room"
        elif target != room(file) and FLOOR[target] >= FLOOR[room(file)]:
            yield f"{file} imports {module}, not a room below its own"


def test_a_room_imports_only_from_rooms_below_it() -> None:
    wrong = [each for file in INSIDE for each in wrong_imports(file)]
    assert not wrong, "\n".join(wrong)


def test_every_room_is_there() -> None:
    assert {room(file) for file in INSIDE} == set(FLOOR)


def test_the_page_of_the_architecture_shows_the_rooms() -> None:
    text = floors.PAGE.read_text(encoding="utf-8")
    assert floors.BEGIN in text
    assert floors.page(text) == text, "run: python -m proofs_tests.floors"
    assert floors.picture() == floors.PICTURE.read_text(encoding="utf-8"), "run: python -m proofs_tests.floors"


def test_a_file_answers_one_question() -> None:
    lines = {str(file): (PACKAGE / file).read_text(encoding="utf-8").count("\n") for file in FILES}
    too_long = [f"{file} has {many} lines; past 500 it is split" for file, many in lines.items() if many > 500]
    assert not too_long, "\n".join(too_long)
    assert not [file for file in FILES if file.stem in {"utils", "util", "helpers", "helper", "common", "misc"}]


def loaded_by(statement: str) -> set[str]:
    program = f"{statement}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not loaded_by("import tcloseness").intersection(LAZY)


@pytest.mark.long
def test_reading_a_table_loads_no_solver_and_no_plotting() -> None:
    """Up to the counts, pandas is all that is needed."""
    loaded = loaded_by("from tcloseness import FrequencySet, Hierarchy, ClassCounts, read_table")
    assert not loaded.intersection(LAZY).difference({"pandas", "pyarrow"})  # which pandas loads itself


def test_every_name_at_the_front_door_loads_and_is_listed() -> None:
    assert "Microdata" in dir(tcloseness)
    assert "attacks" in dir(tcloseness)
    assert len([name for name, home in tcloseness._HOME.items() if home != "tcloseness"]) <= 50
    for name in tcloseness.__all__:
        assert getattr(tcloseness, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tcloseness.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_a_name_that_left_the_front_door_is_told_where_it_is() -> None:
    """Each public name of a room is at the front door, or its absence names the room."""
    rooms = [room for room, home in tcloseness._HOME.items() if home == "tcloseness"]
    seen = 0
    for room in rooms:
        for name in set(getattr(tcloseness, room).__all__) - set(tcloseness.__all__):
            with pytest.raises(AttributeError, match=rf"it is tcloseness\.\w+\.{name}$"):
                getattr(tcloseness, name)
            seen += 1
    assert seen > 100
