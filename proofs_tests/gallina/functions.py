"""The functions of the package that are translated, and ``Generated.v``, the file that holds their translation."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from proofs_tests.coq.audit import HERE
from proofs_tests.gallina.names import Function
from proofs_tests.gallina.translation import translated

__all__ = ["FUNCTIONS", "GENERATED", "KERNELS", "SOURCES", "differs", "generated"]

SOURCES = Path(__file__).resolve().parent.parent.parent / "research"
KERNELS = HERE / "kernels"
GENERATED = KERNELS / "Generated.v"

_HEAD = """(* Written by `python -m proofs_tests.gallina write` from the syntax trees of the functions; do not edit. *)
Require Import ZArith Bool.
From Tcloseness.kernels Require Import Kernel.
Open Scope Z_scope."""

_CLOSED_FORMS = "tcloseness/transport/closed_forms.py"
_TRANSPORT = "tcloseness/transport/compiled.py"
_LATTICE = "tcloseness/lattice/compiled.py"
_SETS = {"order": "arr", "low": "arr", "high": "arr", "weights": "arr"}
_TILES = {
    "matrix": "arr2",
    "sizes": "arr",
    "total": "int",
    "order": "arr",
    "high": "arr",
    "weights": "arr",
    "work": "arr",
}

FUNCTIONS = (
    Function(_CLOSED_FORMS, "cut_work", {"differences": "list", "cuts": "cuts", "absolute": "abs"}, "CutWork"),
    Function(_CLOSED_FORMS, "cut_potential", {"differences": "list", "cuts": "cuts"}, "Potential"),
    Function(_CLOSED_FORMS, "ordered_emd", {"p": "list", "q": "list"}, "Ordered"),
    Function(_CLOSED_FORMS, "ordered_emd_double_sum", {"p": "list", "q": "list"}, "Ordered"),
    Function(_CLOSED_FORMS, "equal_emd", {"p": "list", "q": "list"}, "Ordered"),
    Function(
        *(_CLOSED_FORMS, "hierarchical_emd"),
        {**dict.fromkeys(("p", "q", "parent", "height", "code"), "list"), "least": "min"},
        "Hierarchical",
    ),
    Function(_TRANSPORT, "_prefix_tiles", {**_TILES, "prefix": "arr"}, "Prefix"),
    Function(_TRANSPORT, "_interval_tiles", {**_TILES, "share": "arr", "low": "arr"}, "Interval"),
    Function(
        *("tcloseness/transport/network_simplex.py", "is_optimal"),
        {
            "costs": "list",
            "supply": "list",
            "demand": "list",
            "sources": "int",
            "sinks": "int",
            "tree": "arr2",
            "left": "list",
        },
        "Optimal",
    ),
    Function(
        *(_LATTICE, "_work"),
        {**_SETS, "row": "arr", "n": "int", "share": "arr", "all_records": "int", "prefix": "arr"},
        "Lattice",
    ),
    Function(
        *(_LATTICE, "_group"),
        dict.fromkeys(("slot_of", "place", "inside", "sizes", "class_of", "new_inside", "new_sizes"), "arr"),
        "Grouping",
    ),
    Function(_LATTICE, "_counted", {"row": "arr", "greatest": "arr"}, "Counted"),
    Function(_LATTICE, "merged_rows", {"matrix": "arr2", "class_of": "arr", "n": "int"}, "Lattice"),
)


def generated(functions: tuple[Function, ...] = FUNCTIONS, sources: Path = SOURCES) -> str:
    """Return the text of ``Generated.v`` for the present code.

    Raises
    ------
    NotTranslatedError
        If a function uses something that has no translation.
    """
    trees = {f.file: ast.parse((sources / f.file).read_text(encoding="utf-8")) for f in functions}
    return "\n\n".join([_HEAD, *(translated(trees[f.file], f) for f in functions)]) + "\n"


def differs(text: str, other: str) -> bool:
    """Say whether two texts define different functions: versions of Python write the same statement differently."""
    return _without_comments(text) != _without_comments(other)


def _without_comments(text: str) -> list[str]:
    """Return the lines that are not one comment: what stands behind a comment, or inside a longer one, counts."""
    return [line for line in text.splitlines() if not re.fullmatch(r" *\(\*((?!\*\)|\(\*).)*\*\)", line)]
