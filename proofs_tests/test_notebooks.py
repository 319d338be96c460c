"""Results in notebooks: every public one is shown as HTML by IPython; the notebooks of the site are kept clean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from proofs_tests.every_result import EXAMPLES, LABELS, PRIVATE, example

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def shell() -> Any:
    return InteractiveShell.instance()


def shown_by(shell: Any, **names: Any) -> dict[str, str]:
    """Run a cell that displays what a name is given; return what it shows, by the type of the data."""
    shell.push(names)
    with capture_output() as captured:
        done = shell.run_cell(f"display({next(iter(names))})", store_history=False)
    assert done.success, done.error_in_exec
    (shown,) = captured.outputs
    return dict(shown.data)


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(EXAMPLES), ids=lambda kind: kind.__name__)
def test_a_cell_that_displays_a_result_shows_html(kind: type, shell: Any) -> None:
    made = example(kind)
    shown = shown_by(shell, made=made)
    assert shown["text/plain"] == repr(made)
    assert shown["text/html"].lstrip().startswith("<div")
    assert kind.__name__ in shown["text/html"]
    assert not [value for value in (*PRIVATE, *LABELS) if value in shown["text/html"]]


def test_what_is_no_result_shows_no_html(shell: Any) -> None:
    assert shown_by(shell, made=(30162, 15)) == {"text/plain": "(30162, 15)"}


def test_there_are_two_notebooks() -> None:
    assert [each.stem for each in NOTEBOOKS] == ["researcher", "steward"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_what_it_printed(path: Path) -> None:
    """So that no record of the data is in the repository, and what is shown is what was printed last."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert kept["metadata"]["kernelspec"]["name"] == "python3"
    for cell in kept["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        assert not cell["metadata"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_code_of_a_notebook_is_as_narrow_as_a_page(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    lines = ["".join(cell["source"]).splitlines() for cell in cells if cell["cell_type"] == "code"]
    assert [line for each in lines for line in each if len(line) > 88] == []
