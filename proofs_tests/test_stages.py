"""No mark takes a test out of all that is run: what `.ci/run` leaves out of the slow tests is named here."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "proofs_tests"

LEFT_OUT = {
    "cli/test_attack.py": "a search by the command; optimal has the search itself",
    "cli/test_check.py": "what a terminal sees while many rows are counted",
    "cli/test_optimal.py": "what a terminal sees of a search, and time limits on Adult",
    "cli/test_optimal_interrupts.py": "the tasks that are not among its quick ones, and limits of time",
    "cli/test_written_tables.py": "further ways of making a release that is written, and every moment of a signal",
    "conformance/test_adapters.py": "implementations that are installed where they are asked for",
    "conformance/test_process.py": "every fault of a harness at every phase",
    "conformance/test_runner.py": "a harness that hangs",
    "fuzz/test_fuzz.py": "a study that is ended; experiments has interrupts of all studies",
    "release/test_grid.py": "the price of a grid on Adult",
    "release/test_statement.py": "rows in the engines of others in many draws",
    "release/test_writing_back.py": "what is written in many draws, and a full disk",
    "test_notebooks.py": "every result in a notebook's cell",
}
"""Files whose slow tests `make test-slow` runs and `.ci/run` does not, for its time is limited: what these try."""


@cache
def texts() -> dict[str, str]:
    return {file.relative_to(TESTS).as_posix(): file.read_text("utf-8") for file in TESTS.rglob("test_*.py")}


def marked(mark: str) -> set[str]:
    """The files in which a mark is set."""
    return {file for file, text in texts().items() if re.search(rf"pytest\.mark\.{mark}\b", text)}


def chosen() -> list[str]:
    """The files and folders whose slow tests `.ci/run` runs, as its own lines say."""
    lines = [line for line in (ROOT / ".ci" / "run").read_text("utf-8").splitlines() if line.startswith("slow=")]
    told = subprocess.run(["bash", "-c", "\n".join([*lines, "echo $slow"])], capture_output=True, text=True, check=True)
    return told.stdout.split()


def within(file: str, places: list[str]) -> bool:
    return any(file == place or file.startswith(f"{place}/") for place in places)


def test_every_slow_test_is_run_or_is_named() -> None:
    places = chosen()
    assert len(places) == len({*places}) > 20
    assert {file for file in marked("slow") if not within(file, places)} == {*LEFT_OUT}
    assert [place for place in places if not any(within(file, [place]) for file in marked("slow"))] == []


@pytest.mark.parametrize(("mark", "target"), [("coq", "prove"), ("site", "docs"), ("spark", "test-spark")])
def test_the_tests_of_a_mark_are_in_the_files_that_its_target_runs(mark: str, target: str) -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    (recipe,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    (words,) = (line.split(f"-m {mark}", 1)[1].split() for line in recipe.splitlines() if f"-m {mark}" in line)
    places = [word.removeprefix("proofs_tests/") for word in words]
    assert marked(mark)
    assert [file for file in marked(mark) if not within(file, places)] == []
    assert f"make {target}" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_quick_and_long_tests_are_all_run() -> None:
    """What is neither slow nor long, `make test` runs; what is long and not slow, `make test-long`; without folders."""
    text = (ROOT / "Makefile").read_text("utf-8")
    assert "QUICK  := not slow and not long\n" in text
    assert '-m "$(QUICK) and not coq and not site"\n' in text
    assert '-m "long and not slow and not coq and not site"\n' in text
    steps = (ROOT / ".ci" / "run").read_text("utf-8")
    assert re.search(r"part test \d+ make test\b(?!-)(?!.*ROOMS)", steps)
    assert re.search(r"part test-long \d+ make test-long\b(?!.*ROOMS)", steps)
