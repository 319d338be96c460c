"""The examples in docstrings run and answer as they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import tcloseness
from proofs_tests.closures import PACKAGE

NAMES = ["tcloseness", *(m.name for m in pkgutil.walk_packages(tcloseness.__path__, "tcloseness."))]


def has_examples(name: str) -> bool:
    path = PACKAGE.joinpath(*name.split(".")[1:])
    file = path.with_suffix(".py")
    file = file if file.is_file() else path / "__init__.py"
    return ">>>" in file.read_text(encoding="utf-8")


MODULES = [name for name in NAMES if has_examples(name)]


def test_every_module_can_be_imported() -> None:
    for name in NAMES:
        importlib.import_module(name)
    assert len(NAMES) > len(MODULES) > 100


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_answer_as_they_say(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
