"""Small wrong implementations: each is caught by exactly the vectors that carry its flag, and by no other."""

from __future__ import annotations

import importlib.util
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from tcloseness.conformance.assessment import Assessment, assess
from tcloseness.conformance.protocol import Failed, Given, Reply
from tcloseness.conformance.runner import run
from tcloseness.conformance.vectors import Vector, load

FILE = Path(__file__).with_name("miniatures.py")


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("miniatures", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["miniatures"] = module
    spec.loader.exec_module(module)
    return module


MODULE = _module()
MINIATURES = MODULE.MINIATURES


@cache
def vectors() -> list[Vector]:
    return load()


def ask(miniature: object, vector: Vector) -> Assessment:
    reply: Reply
    try:
        reply = Given(json.loads(json.dumps(miniature.answer(vector.question()))))  # type: ignore[attr-defined]
    except Exception as error:  # noqa: BLE001 (whatever happens is an answer)
        reply = Failed(repr(error))
    return assess(vector, reply)


@pytest.mark.parametrize("flag", MINIATURES)
def test_a_mistake_is_caught_by_exactly_the_vectors_with_its_flag(flag: str) -> None:
    miniature = MINIATURES[flag]
    asked = [v for v in vectors() if v.algorithm in miniature.algorithms]
    caught = {v.id for v in asked if ask(miniature, v).verdict != "right"}
    assert caught == {v.id for v in asked if flag in v.flags}
    assert caught


@pytest.mark.parametrize("flag", MINIATURES)
def test_a_mistake_looks_like_its_flag_on_the_vectors_made_for_it(flag: str) -> None:
    miniature = MINIATURES[flag]
    made_for_it = [v for v in vectors() if v.reason == flag and v.algorithm in miniature.algorithms]
    assert made_for_it
    for vector in made_for_it:
        assessment = ask(miniature, vector)
        if flag in vector.flags and assessment.failed:
            assert flag in assessment.looks_like


def test_the_right_miniature_gets_everything_right() -> None:
    right = MODULE.Right()
    asked = [v for v in vectors() if v.algorithm in right.algorithms]
    assert [v.id for v in asked if ask(right, v).verdict != "right"] == []
    assert len(asked) > 500


def test_a_miniature_is_caught_as_a_process_too() -> None:
    tests = load(algorithms=["recursive-cl"])
    report = run([sys.executable, str(FILE), "ascending"], tests, seconds=20)
    flagged = {v.id for v in tests if "ascending" in v.flags}
    assert {r.vector.id for r in report.records if r.assessment.verdict != "right"} == flagged
    assert report.totals["wrong, unsafe side"] > 0
    assert report.totals["wrong, over-strict"] == 0
    assert report.exit_code == 1
