"""The timing of exact programs: only proven optima count, and what is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from experiments.optimal_times import PROGRAMS, Program, Timed, draw, measure
from tcloseness.errors import StudyError
from tcloseness.optimal import Infeasible, optimal_microaggregation


def solved(records: int) -> Any:
    return lambda: optimal_microaggregation(range(records), 2, seed=0)


def test_each_program_is_asked_for_half_of_its_greatest_size() -> None:
    for program in PROGRAMS:
        assert program.sizes == tuple(sorted(set(program.sizes)))
        assert program.sizes[-1] // 2 in program.sizes
    assert Timed(Program("p", "q", (3, 4, 8), solved), (1.0, 2.0, 5.0)).half == 2.0


def test_all_sizes_are_timed_and_drawn(tmp_path: Path) -> None:
    timed = measure((Program("p", "k = 2", (4, 8), solved),))
    assert [len(one.seconds) for one in timed] == [2]
    drawn = draw([Timed(one.program, (0.5, 2.0)) for one in timed], tmp_path / "times.png")
    assert drawn.read_bytes().startswith(b"\x89PNG")


def test_an_answer_without_proof_is_no_measurement() -> None:
    with pytest.raises(StudyError, match="without a proven optimum"):
        measure((Program("p", "k = 2", (1, 2), lambda _: lambda: Infeasible("none")),))
