"""The table of docs/models.md that says where each model is defined: written from the catalogue of models.

A model's docstring has its formula in the first sentence and its source under References; its `option` is its own. The
test is the nearest in the map of modules, and the theorems are those of the claims that speak of the model.
``python -m proofs_tests.written`` writes the table, and a test compares it.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from proofs_tests.ledger import ROOT, claims
from proofs_tests.module_map import about
from tcloseness.models.catalogue import MODELS

__all__ = ["PAGE", "source", "statement", "table", "with_table"]

PAGE = ROOT / "docs" / "models.md"
BEGIN, END = "<!-- definitions:begin -->", "<!-- definitions:end -->"
KINDS = ("_smt.py", "_stateful.py")
"""Tests of a law over many models, not of one model's definition."""


def statement(model: type[Any]) -> str:
    """Return the first paragraph of a model's docstring: its name and formula."""
    return " ".join(inspect.cleandoc(model.__doc__ or "").split("\n\n")[0].split()).removesuffix(".")


def source(model: type[Any]) -> str:
    """Return where a model is from, as its docstring says it."""
    _, _, after = inspect.cleandoc(model.__doc__ or "").partition("References\n----------\n")
    return " ".join(after.split("\n\n")[0].split()).removesuffix(".")


def theorems(model: type[Any]) -> dict[str, None]:
    """Return the theorems of the claims that speak of a model, as ``File.theorem``."""
    own = f"{model.__module__}:{model.__name__}."
    return dict.fromkeys(
        each for claim in claims().values() if any(name.startswith(own) for name in claim.code) for each in claim.coq
    )


def nearest_test(module: str) -> str:
    """Return the file with the tests of a model's definition."""
    for test in about()[module]:
        if test.startswith("models/") and not test.endswith(KINDS):
            return test
    raise LookupError(f"no test in proofs_tests/models takes a name from {module}; write its definition there")


def table() -> str:
    """Return the table in Markdown."""
    lines = ["| source | definition | option | code | test | Coq |", "|---|---|---|---|---|---|"]
    for model in MODELS:
        module = model.__module__.removeprefix("tcloseness.").replace(".", "/") + ".py"
        test = nearest_test(module)
        option = f"`--{model.option.keyword.replace('_', '-')}`" if hasattr(model, "option") else "–"
        files = dict.fromkeys(name.split(".")[0] for name in theorems(model))
        row = (
            source(model),
            statement(model).replace("|", "\\|"),
            option,
            f"[`{model.__name__}`](../research/tcloseness/{module})",
            f"[{test.rpartition('/')[2]}](../proofs_tests/{test})",
            ", ".join(f"[{each}](../proofs_tests/coq/{each}.v)" for each in files) or "–",
        )
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def with_table(page: str) -> str:
    """Return the page with the present table."""
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: f"{BEGIN}\n{table()}{END}", page, flags=re.DOTALL)
