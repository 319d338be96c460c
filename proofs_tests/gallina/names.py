"""What the names of a translated function stand for, and what they are called in Coq."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = [
    "ARRAYS",
    "CUTS",
    "FLAT",
    "Env",
    "Frame",
    "Function",
    "NotTranslatedError",
    "View",
    "coq",
    "pattern",
    "tuple_of",
    "where",
]


class NotTranslatedError(Exception):
    """The code uses something that has no translation."""


@dataclass(frozen=True)
class Function:
    """A function to translate.

    Attributes
    ----------
    file
        The file of the package that it stands in.
    name
        Its name there, and in Coq.
    kinds
        What each parameter is: "int", "arr" (an array of NumPy with one axis), "arr2" (with two), "list" (numbers in a
        sequence, of which no part is taken: for a list it would be a copy), "cuts" (a record of arrays), "abs"
        (stands for the absolute value), or "min" (for the lesser of two numbers).
    proof
        The file of `coq/kernels` that proves what it returns.
    """

    file: str
    name: str
    kinds: Mapping[str, str]
    proof: str = ""


@dataclass(frozen=True)
class View:
    """What a name is that stands for a part of an array, which has so many axes."""

    base: str
    axes: int


Env = dict[str, object]
"""What a name stands for: "int", "arr", "arr2", "list", "cuts", "abs", "min", or a `View`."""


@dataclass(frozen=True)
class Frame:
    """Where a block of statements stands: what is handed on at its end, and whether it may be left early."""

    state: tuple[str, ...]
    whole: bool = False
    """Whether it is the body of the function."""
    left: bool = False
    """Whether a return is in it, so that its end is marked as such."""


CUTS = ("order", "low", "high", "weights")
FLAT = ("arr", "list")
"""What has one axis and is read by its places."""
ARRAYS = ("arr", "arr2", "list")
_RESERVED = {"fits", "junk", "fuel", "at", "in", "as", "end", "let", "fun", "match", "with", "then", "else", "if"} | {
    *("len", "rows", "cols", "get", "set", "get2", "set2", "add", "sub", "mul", "num", "sum", "one", "fill", "exit"),
    *("append", "blit", "fresh", "zeros", "zeros2", "for_", "while", "steps", "view1", "view2", "inside", "part"),
    *("quotient", "remainder", "until", "guard", "bind", "absolute", "answer", "left", "right", "true", "false"),
    *("S", "O", "Some", "None", "Next", "Done", "pair", "tt", "inl", "inr", "exist", "conj", "I"),
}


def coq(name: str) -> str:
    """Return a name as Coq has it: what the target language uses itself gets a mark."""
    return f"{name}'" if name in _RESERVED else name


def tuple_of(names: tuple[str, ...]) -> str:
    """Return the values of some names as one value of Coq."""
    return "tt" if not names else coq(names[0]) if len(names) == 1 else f"({', '.join(map(coq, names))})"


def pattern(names: tuple[str, ...]) -> str:
    """Return what binds some names to such a value."""
    return f"'{tuple_of(names)}" if len(names) > 1 else coq(names[0]) if names else "_"


def where(node: ast.AST) -> dict[str, int]:
    """Return the place of a node, for one that is made from it."""
    return {"lineno": node.lineno, "col_offset": node.col_offset}  # type: ignore[attr-defined]
