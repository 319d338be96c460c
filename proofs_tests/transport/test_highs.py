"""HiGHS is asked one small program before it is believed: a version that answers it wrongly is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tcloseness.errors import SolverError
from tcloseness.ground import Ordered
from tcloseness.transport import certify
from tcloseness.transport.solvers import highs, highs_process

pytestmark = pytest.mark.solver

WRONG = os.environ.get("TCLOSENESS_WRONG_HIGHS")

CODE = """
from tcloseness.errors import SolverError
from tcloseness.ground import Ordered
from tcloseness.transport import certify
try:
    print(certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4), solver="pulp").value)
except SolverError as error:
    print(error)
"""


@pytest.fixture(autouse=True)
def _asked_anew():
    highs.require_highs.cache_clear()
    yield
    highs.require_highs.cache_clear()


def test_the_optimum_of_the_small_program_is_9_by_every_point_on_a_grid():
    """z is 0, 1, …, 10; for each the least x is 4.5 − z, and at least 0."""
    assert min(2 * max(0.0, 4.5 - z) + 3 * z for z in range(11)) == highs._RIGHT


def test_the_installed_highs_is_right():
    highs.require_highs()


@pytest.mark.parametrize("answer", [15.0, 8.0, 9.001, 0.0, float("nan"), float("inf"), None])
def test_another_answer_is_refused_by_name(monkeypatch, answer):
    monkeypatch.setattr(highs, "_probe", lambda _: answer)
    with pytest.raises(SolverError, match=r"HiGHS \d+\.\d+\.\d+ is refused.*install another version"):
        certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4), solver="pulp")


@pytest.mark.skipif(WRONG is None, reason="make test-lowest installs a highspy that is known to be wrong")
def test_a_version_that_is_known_to_be_wrong_is_refused():
    path = os.pathsep.join([str(WRONG), str(Path(highs.__file__).parents[3])])
    done = subprocess.run(
        [sys.executable, "-c", CODE], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    assert "HiGHS 1.14.0 is refused" in done.stdout


@pytest.mark.parametrize(
    ("said", "ray"),
    [
        ((0,), []),
        ((0, False), []),
        ((0, False, [1.0, -2.0]), []),  # what stands there is then of no meaning
        ((0, True, [1.0, -2.0]), [1.0, -2.0]),
    ],
)
def test_prices_are_a_ray_if_highs_says_so_and_only_then(said: tuple[Any, ...], ray: list[float]) -> None:
    class Solver:
        def getDualRay(self) -> tuple[Any, ...]:  # noqa: N802
            return said

    assert highs_process._ray(Solver()) == ray
