"""The pytest plugin: one test a vector."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tcloseness.conformance.vectors import load

MINIATURES = Path(__file__).with_name("miniatures.py")


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tcloseness.conformance.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    return subprocess.run([*command, *options, str(folder)], capture_output=True, text=True, cwd=folder, check=False)


@pytest.mark.long
def test_a_wrong_harness_fails_the_vectors_with_its_flag(tmp_path: Path) -> None:
    harness = f"{sys.executable} {MINIATURES} unused-category"
    done = run_pytest(tmp_path, "--conform", harness, "--conform-algorithm", "distinct-l")
    assert done.returncode == 1, done.stdout + done.stderr
    vectors = load(algorithms=["distinct-l"])
    wrong = sum("unused-category" in vector.flags for vector in vectors)
    assert wrong == 2
    assert f"{wrong} failed, {len(vectors) - wrong} passed" in done.stdout
    assert "over-strict: got value 0" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.long
def test_what_a_harness_does_not_list_is_skipped(tmp_path: Path) -> None:
    harness = f"{sys.executable} {MINIATURES} unused-category"
    done = run_pytest(tmp_path, "--conform", harness, "--conform-algorithm", "precision")
    assert "11 skipped" in done.stdout, done.stdout + done.stderr


@pytest.mark.long
def test_without_a_harness_nothing_is_added(tmp_path: Path) -> None:
    assert "no tests ran" in run_pytest(tmp_path).stdout
