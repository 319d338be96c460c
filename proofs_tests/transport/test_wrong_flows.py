"""A flow that is not optimal is refused however large its costs are, and the solver that was asked for is run."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from tcloseness.errors import SolverError
from tcloseness.ground import Equal
from tcloseness.transport import solve
from tcloseness.transport.problem import TransportProblem
from tcloseness.transport.solve import _shortest
from tcloseness.transport.solvers import linear_program


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("extra", [0, 1, 4], ids="{} sinks more".format)
def test_the_potentials_of_a_wrong_flow_fall_without_end_and_without_overflow(n, extra):
    """Every source ships at cost M to its own sink, and could at cost 0 to the next one's: each round all fall by M.

    Rounds × M passes 2⁶³ for one of these M in the last round or before, wherever 64 bits are given up.
    """
    k = n + extra
    for rounds in range(1, 2 * (n + k) + 2):
        for largest in (2**63 // rounds - 1, 2**63 // rounds + 1):
            if largest < 2**62:
                costs = np.full((n, k), largest, dtype=np.int64)
                costs[np.arange(n), (np.arange(n) + 1) % n] = 0
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    with pytest.raises(SolverError, match="negative cycle"):
                        _shortest(costs, {(i, i): 1 for i in range(n)})
                with pytest.raises(SolverError, match="negative cycle"):
                    _shortest(costs.T, {(i, i): 1 for i in range(n)})


@pytest.mark.parametrize(("solver", "engine"), [("pulp", "HiGHS"), ("pulp-cbc", "CBC")])
def test_the_engine_that_was_asked_for_is_run(solver, engine, monkeypatch):
    asked, run = [], linear_program.solve_flow

    def solve_flow(problem, engine):
        asked.append(engine)
        return run(problem, engine)

    monkeypatch.setattr(linear_program, "solve_flow", solve_flow)
    solve(TransportProblem.of(["1/2", "1/2", 0], [0, "1/2", "1/2"], Equal(3)), solver=solver)
    assert asked == [engine]
