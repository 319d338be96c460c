"""The examples for GitHub Actions and pre-commit: their steps run as they stand, and fail where a release does."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "examples" / "ci"
ACTION: dict[Any, Any] = yaml.safe_load((FOLDER / "github-action.yml").read_text(encoding="utf-8"))
HOOKS: list[dict[str, Any]] = yaml.safe_load((FOLDER / "pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][
    0
]["hooks"]
STEPS = [step for step in ACTION["jobs"]["check"]["steps"] if "run" in step]


def shell(command: str) -> int:
    """Run a command as a runner of Actions does, with the present Python's programs."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command]
    return subprocess.run(
        words, cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, check=False
    ).returncode


def matched(hook: dict[str, Any]) -> list[str]:
    """The files of the sources that a hook is given."""
    asked = ["git", "ls-files"] if (ROOT / ".git").exists() else ["find", "data", "examples", "-type", "f"]
    files = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [file for file in files if re.search(hook["files"], file)]


def test_a_workflow_has_what_github_asks_for() -> None:
    assert set(ACTION) == {"name", True, "jobs"}  # YAML 1.1 reads `on` as true
    assert [step["name"] for step in STEPS] == [
        "install",
        "the release satisfies its thresholds",
        "the implementation is right",
    ]
    assert STEPS[0]["run"] == "python -m pip install tcloseness"


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS[1:], ids=lambda step: step["name"])
def test_a_step_of_the_workflow_runs_as_it_stands(step: dict[str, Any]) -> None:
    assert shell(step["run"]) == 0


@pytest.mark.slow
def test_the_step_of_the_release_fails_where_a_threshold_is_violated() -> None:
    assert shell(STEPS[1]["run"]) == 0
    assert shell(STEPS[1]["run"].replace("--t 3/8", "--t 1/4")) == 1
    assert shell(STEPS[1]["run"].replace("li_table4", "nothing")) == 2


@pytest.mark.slow
@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_runs_with_the_files_that_it_is_given(hook: dict[str, Any]) -> None:
    files = matched(hook)
    assert files
    given = files if hook.get("pass_filenames", True) else []
    assert shell(shlex.join([*shlex.split(hook["entry"]), *given])) == 0
    assert hook["additional_dependencies"] == ["tcloseness"]
