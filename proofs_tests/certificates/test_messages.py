"""What checkers say of one thing is said of one: each number before what it counts is written by `counted`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tcloseness import certificates

FILES = sorted(Path(certificates.__file__).parent.glob("*.py"))
PACKAGE = FILES[0].parents[1]


@cache
def plurals() -> set[str]:
    """What is counted anywhere in the package."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name("counted"), args=[_, ast.Constant(str(noun)), *more]):
                    found.add(ast.literal_eval(more[0]) if more else noun + ("es" if noun.endswith("s") else "s"))
    return found


def uncounted(source: str, nouns: set[str]) -> Iterator[str]:
    """The numbers that are written before a plural whatever they are.

    Not looked at: constants, what is too long to be shown, and what is said where a number is not 1.
    """
    tree = ast.parse(source)
    several = {id(n.orelse) for n in ast.walk(tree) if isinstance(n, ast.IfExp) and "== 1" in ast.unparse(n.test)}
    for text in ast.walk(tree):
        if isinstance(text, ast.JoinedStr) and id(text) not in several:
            for number, words in pairwise(text.values):
                if isinstance(number, ast.FormattedValue) and isinstance(words, ast.Constant):
                    name, said = ast.unparse(number.value), str(words.value)
                    noun = next((noun for noun in nouns if re.match(rf" {noun}\b", said)), None)
                    if noun and not name.isupper() and not name.startswith("shown("):
                        yield f"{{{name}}} {noun}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_a_checker_counts_may_be_one(file: Path) -> None:
    assert not list(uncounted(file.read_text("utf-8"), plurals()))


def test_a_plural_behind_any_number_is_noticed() -> None:
    lines = {
        "f'{n} classes'": True,
        "f'{n:,} classes of {m}'": True,
        "f'of {n} records, '": True,
        "f'{n} classed'": False,
        "f'{_MOST} classes'": False,
        "f'{counted(n, noun)} of classes'": False,
        "'1 class' if n == 1 else f'{n} classes'": False,
    }
    for line, noticed in lines.items():
        assert bool(list(uncounted(line, {"classes", "records"}))) == noticed, line
