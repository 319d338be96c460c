"""The command line parses and prints: what is computed of rows is computed by the rooms below, also in Python."""

from __future__ import annotations

import ast

import pytest

from proofs_tests.floors import PACKAGE

FILES = sorted((PACKAGE / "cli").glob("*.py"))
OF_ROWS = {"class_of", "codes", "combinations", "counts", "kept", "recodings", "starts", "withheld"}
"""What is said row by row, cell by cell or class by class."""

EXCEPT = {
    "optimal_tasks.py": {"recodings"},
    "anonymized_output.py": {"recodings"},
    "emd.py": {"counts"},
    "verify.py": {"counts"},
    "check.py": {"counts", "withheld"},
    "proofs.py": {"counts"},
    "wanted.py": {"counts"},
}
"""How attributes are shown is printed; counts may be typed in."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_file_of_the_command_line_computes_with_rows(file) -> None:
    types_only = set()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            types_only.update(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        if id(node) in types_only:
            continue
        if isinstance(node, ast.Import):
            assert not {"numpy", "pandas"} & {alias.name for alias in node.names}, f"line {node.lineno}"
        if isinstance(node, ast.Attribute):
            assert node.attr not in OF_ROWS - EXCEPT.get(file.name, set()), f"line {node.lineno}: .{node.attr}"
