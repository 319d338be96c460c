"""Programs and solvers: small knapsacks against trying everything, on both engines; limits and refusals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from tcloseness.errors import InputError, LimitReached, SolverError
from tcloseness.limits import Clock
from tcloseness.optimal import highs, solver
from tcloseness.optimal.program import EXACT_SUM, Program, plus, times
from tcloseness.optimal.solver import ENGINES, NoSolution, OutOfTime, Proposal, propose

pytestmark = pytest.mark.solver


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


coefficients = st.lists(st.integers(-9, 9), min_size=3, max_size=3)


def built(costs: list[int], rows: list[tuple[list[int], int]], high: int = 3) -> Program:
    program = Program()
    for cost in costs:
        program.add(0, high, cost=cost)
    for row, most in rows:
        program.at_most(dict(enumerate(row)), most)
    return program


@pytest.mark.parametrize("engine", ENGINES)
@effort(1 / 3)
@given(costs=coefficients, rows=st.lists(st.tuples(coefficients, st.integers(-9, 20)), max_size=3))
def test_the_proposal_is_a_point_and_of_highs_the_best(engine, costs, rows) -> None:  # type: ignore[no-untyped-def]
    points = [x for x in itertools.product(range(4), repeat=3) if all(dot(row, x) <= most for row, most in rows)]
    found = propose(built(costs, rows), engine=engine)
    if not points:
        assert isinstance(found, NoSolution)
        return
    assert isinstance(found, Proposal)
    x = tuple(found.values[i] for i in range(3))
    assert x in points
    best = min(dot(costs, y) for y in points)
    if engine == "HiGHS":
        assert dot(costs, x) == best
        assert found.bound == pytest.approx(best)
    assert found.bound <= best + 1e-6


def test_the_word_of_cbc_is_not_taken() -> None:
    """Of −3y + 4z with 5y − 7z ≤ −1 and y, z in 0 … 3 the least is 1, at (1, 1); a CBC calls (2, 2) optimal."""
    program = built([-3, 4], [([5, -7], -1)])
    found = {engine: propose(program, engine=engine) for engine in ENGINES}
    assert found["HiGHS"] == Proposal({0: 1, 1: 1}, 1.0)
    assert isinstance(found["CBC"], Proposal)
    assert found["CBC"].bound == -math.inf
    assert 5 * found["CBC"].values[0] - 7 * found["CBC"].values[1] <= -1


def test_a_variable_in_no_row_stays_within_its_bounds() -> None:
    program = Program()
    used, unused = program.add(0, 5, cost=-1), program.add(2, 4)
    program.at_most({used: 2}, 7)
    for engine in ENGINES:
        found = propose(program, engine=engine)
        assert isinstance(found, Proposal)
        assert found.values[used] == 3
        assert 2 <= found.values[unused] <= 4


def test_an_empty_program_is_decided_at_once() -> None:
    program = Program()
    assert propose(program) == Proposal({}, 0.0)
    program.at_least({}, 1)
    assert propose(program) == NoSolution()


def test_out_of_time_is_no_infeasibility() -> None:
    """A market split (Cornuéjols, Dawande 1998) of 30 columns and 4 rows: no solver ends it in a hundredth second."""
    program = Program()
    for _ in range(30):
        program.add(0, 1)
    rows = [[(i * i * 7919 + j * 104729 + i * j * 1299709) % 100 for j in range(30)] for i in range(1, 5)]
    for row in rows:
        off = program.add(-2000, 2000, cost=0)
        size = program.add(0, 2000, cost=1)
        program.equal({**dict(enumerate(row)), off: 1}, sum(row) // 2)
        program.at_most({off: 1, size: -1})
        program.at_most({off: -1, size: -1})
    found = propose(program, clock=Clock(0.01))
    assert isinstance(found, (Proposal, OutOfTime))
    if isinstance(found, Proposal):
        cost = sum(found.values[v] for v in program.costs)
        assert found.bound < cost


def breaking_down(monkeypatch: pytest.MonkeyPatch, times: int) -> list[str]:
    """HiGHS as it is, but the first so many answers are that it broke down; what its presolve was set to."""
    real, asked = highs.run, list[str]()

    def run(program: Program, **options: Any) -> highs.Run:
        asked.append(options["options"].get("presolve", "on"))
        return highs.Run("kSolveError", None, -math.inf, []) if len(asked) <= times else real(program, **options)

    monkeypatch.setattr(highs, "run", run)
    return asked


def test_a_solver_that_breaks_down_is_asked_again_without_presolve(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not out of time: minimize −y over y ≤ 3 is solved by the second try."""
    asked = breaking_down(monkeypatch, 1)
    assert propose(built([-1], [([1], 3)]), clock=Clock(60)) == Proposal({0: 3}, -3.0)
    assert asked == ["on", "off"]


def test_a_solver_that_breaks_down_twice_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    breaking_down(monkeypatch, 2)
    with pytest.raises(SolverError, match="HiGHS broke down on a program of 1 variables"):
        propose(built([-1], [([1], 3)]))


def test_whole_rows_are_divided_and_rounded() -> None:
    program = Program()
    x, y = program.add(0, 9), program.add(0, 9, whole=False)
    program.at_most({x: 4}, 7)
    program.at_most({x: 4, y: 2}, 7)
    program.at_most({x: 4, y: 2}, 6)
    assert [(dict(row.terms), row.most) for row in program.rows] == [({x: 1}, 1), ({x: 4, y: 2}, 7), ({x: 2, y: 1}, 3)]


def test_a_row_that_doubles_cannot_carry_is_refused() -> None:
    program = Program()
    x, y = program.add(0, 2**30), program.add(0, 2**30)
    program.at_most({x: 2**22 - 1, y: 1}, 5)
    with pytest.raises(LimitReached, match=r"exact below 2\^53"):
        program.at_most({x: 2**22 + 1, y: 2**22}, 5)
    with pytest.raises(LimitReached, match=r"exact below 2\^53"):
        program.add(0, EXACT_SUM, cost=1)


def test_expressions_add_up() -> None:
    assert plus({0: 1, 1: 2}, times(-2, {1: 1, 2: 3}), times(0, {5: 1})) == {0: 1, 2: -6}


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="engine 'GLPK' is unknown"):
        propose(Program(), engine="GLPK")  # type: ignore[arg-type]


@given(st.lists(st.tuples(coefficients, st.integers(-20, 20)), min_size=1, max_size=3), st.data())
def test_a_point_is_refused_where_a_row_does_not_hold(rows: list[tuple[list[int], int]], data: st.DataObject) -> None:
    point = data.draw(st.lists(st.integers(0, 3), min_size=3, max_size=3))
    program = built([0, 0, 0], rows)
    for noise in (0.0, 1e-10):
        found = [number + noise for number in point]
        if all(dot(row, point) <= most for row, most in rows):
            solver._require_rows(program, found)
        else:
            with pytest.raises(SolverError, match="the answer is refused"):
                solver._require_rows(program, found)
