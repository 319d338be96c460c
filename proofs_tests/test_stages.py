"""What `.ci/run` leaves out of the slow tests is named here, no other mark takes a test out, and what fails, fails."""

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


FAILS = {
    "the first of three": "part a 9 false; part b 9 true; part c 9 true",
    "the second": "part a 9 true; part b 9 false; part c 9 true",
    "the last": "part a 9 true; part b 9 false",
    "within a pipe": "piped() { false | cat; }; part a 9 piped; part b 9 true",
    "below a condition": "if true; then part a 9 false; fi; part b 9 true",
    "with a variable": "VARIABLE=1 part a 9 false; part b 9 true",
    "by a signal": "part a 9 bash -c 'kill -9 $$'; part b 9 true",
}


def run(program: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run a program with the functions of `.ci/run`, up to where they end."""
    text = (ROOT / ".ci" / "run").read_text("utf-8")
    functions = text[text.index("set -euo") : text.index("# the tests open")].replace(
        'cd "$(dirname', 'true "$(dirname'
    )
    assert "\nset -euo pipefail\n" in text
    script = tmp_path / "run"
    script.write_text(f"set -euo pipefail\n{functions}\n{program}\necho all has run\n", "utf-8")
    return subprocess.run(["bash", script], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.long
@pytest.mark.parametrize("parts", FAILS.values(), ids=FAILS)
@pytest.mark.parametrize("how", ["one", "beside other one", "beside one other"])
def test_a_part_that_fails_fails_all_wherever_it_runs(parts: str, how: str, tmp_path: Path) -> None:
    ended = run(f"one() {{ {parts}; }}; other() {{ part other 9 sleep 0.1; }}\n{how}", tmp_path)
    assert ended.returncode != 0
    assert "all has run" not in ended.stdout
    assert "in all" in ended.stdout


@pytest.mark.long
def test_what_runs_behind_is_ended_with_the_part_that_fails_and_all_that_pass_pass(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    behind = f"behind() {{ part behind 99 bash -c 'touch {begun}; sleep 60 & wait'; }}"
    fails = f"fails() {{ until [[ -e {begun} ]]; do sleep 0.01; done; part fails 9 false; }}"
    ended = run(f"{behind}; {fails}\nbeside behind fails", tmp_path)  # which would take longer than it may
    assert (ended.returncode, "all has run" in ended.stdout) == (1, False)
    assert "stopped, because another part has failed" in ended.stdout
    ended = run("one() { part a 9 true; part b 9 true; }; other() { part c 9 true; }\nbeside one other", tmp_path)
    assert (ended.returncode, "all has run" in ended.stdout) == (0, True)
