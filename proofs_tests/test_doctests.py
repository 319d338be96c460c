"""The examples in docstrings run and answer as they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import tcloseness

MODULES = ["tcloseness", *(m.name for m in pkgutil.walk_packages(tcloseness.__path__, "tcloseness."))]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_answer_as_they_say(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
