"""A solver proposes, exact arithmetic disposes: every answer is the exact optimum with its proof, or a refusal."""

from __future__ import annotations

import random
import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.oracles import cheapest_assignment, shares
from proofs_tests.strategies import distributions, grounds, metrics, non_metrics, samples
from tcloseness.errors import InfeasibleError, InputError, SolverError
from tcloseness.ground import Equal, Matrix, Ordered
from tcloseness.transport import SOLVERS, TransportProblem, certify, emd, solve
from tcloseness.transport.solvers import linear_program, networkx_flow

F = Fraction
pytestmark = pytest.mark.solver


def matrices(m):
    """Metrics, and from two values on matrices that are none."""
    if m < 2:
        return metrics(m).map(Matrix)
    return st.one_of(metrics(m).map(Matrix), non_metrics(m).map(lambda d: Matrix(d, allow_non_metric=True)))


@st.composite
def problems(draw, distances, max_m=5, huge=True):
    m = draw(st.integers(1, max_m))
    return draw(distributions(m, huge=huge)), draw(distributions(m, huge=huge)), draw(distances(m))


def exact_or_refused(p, q, ground, solver):
    """The certified value, or None where the solver's answer was refused. Any other number fails verify()."""
    try:
        certificate = certify(p, q, ground, solver=solver)
    except SolverError:
        return None
    certificate.verify()
    return certificate.value


# ---------------------------------------------------------------------- one optimum, several ways


@given(samples(), st.data())
def test_networkx_finds_the_cheapest_of_all_pairings(sample, data):
    """Brute force over all pairings of up to five units, under metrics and non-metrics."""
    m, p, q = sample
    ground = data.draw(matrices(m))
    found = certify(shares(p, m), shares(q, m), ground, solver="networkx").value
    assert found == cheapest_assignment(p, q, ground.distance)


@effort(2 / 5)
@given(samples(max_m=3, max_size=4), st.data())
def test_highs_finds_the_cheapest_of_all_pairings(sample, data):
    m, p, q = sample
    ground = data.draw(matrices(m))
    found = certify(shares(p, m), shares(q, m), ground, solver="pulp").value
    assert found == cheapest_assignment(p, q, ground.distance)


@effort(2 / 5)
@given(problems(grounds, huge=False))
def test_closed_form_networkx_and_highs_agree_where_there_are_cuts(problem):
    values = {certify(*problem, solver=solver).value for solver in ("closed-form", "networkx", "pulp")}
    assert values == {emd(*problem)}


@effort(2 / 5)
@given(problems(matrices, huge=False))
def test_networkx_and_highs_agree_on_any_matrix(problem):
    networkx = certify(*problem, solver="networkx")
    highs = certify(*problem, solver="pulp")
    assert networkx.value == highs.value == emd(*problem)
    assert (networkx.method, highs.method) == ("networkx", "pulp")


@effort(2 / 5)
@given(problems(lambda m: st.one_of(grounds(m), matrices(m))))
def test_highs_on_masses_beyond_doubles_is_exact_or_refused(problem):
    found = exact_or_refused(*problem, "pulp")
    assert found is None or found == certify(*problem, solver="networkx").value


@pytest.mark.parametrize(
    ("p", "q", "ground", "expected"),
    [
        # Li et al. 2007, §5.3, salaries: 27/9/8
        (["1/3"] * 3 + [0] * 6, ["1/9"] * 9, Ordered(9), F(3, 8)),
        # a quarter moves over distance 1
        (["1/2", "1/2"], ["1/4", "3/4"], Equal(2), F(1, 4)),
        # T07: 0 → 1 and 1 → 2 at 1 each, half of the mass each
        (
            ["1/2", "1/2", 0],
            [0, "1/2", "1/2"],
            Matrix([[0, 1, 4], [1, 0, 1], [4, 1, 0]], allow_non_metric=True),
            F(1),
        ),
        # 2/3 over 1/2, 1/3 stays
        ([1, 0], ["1/3", "2/3"], Matrix([[0, "1/2"], ["1/2", 0]]), F(1, 3)),
        # nothing moves
        ([1, 0], [1, 0], Equal(2), F(0)),
    ],
)
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_on_numbers_done_by_hand(p, q, ground, expected, solver):
    if solver == "closed-form" and ground.cuts is None:
        pytest.skip("a matrix has no closed form")
    certificate = certify(p, q, ground, solver=solver)
    certificate.verify()
    assert certificate.value == expected
    assert certificate.method == solver


# ---------------------------------------------------------------------- non-metrics


def test_under_a_non_metric_shared_mass_must_not_stay():
    """Case T07, d(0,2) = 4, d(0,1) = d(1,2) = 1: optimum 1; moving only the surplus 0 → 2 costs 1/2 · 4 = 2."""
    d = [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    p, q = ["1/2", "1/2", 0], [0, "1/2", "1/2"]
    certificate = certify(p, q, Matrix(d, allow_non_metric=True), solver="networkx")
    assert certificate.value == 1
    assert certificate.coupling == ((0, 1, F(1, 2)), (1, 2, F(1, 2)))


def test_an_asymmetric_distance_has_an_asymmetric_emd():
    """Uphill costs 3, downhill 1."""
    ground = Matrix([[0, 3], [1, 0]], allow_non_metric=True)
    assert emd([1, 0], [0, 1], ground) == 3
    assert emd([0, 1], [1, 0], ground) == 1


# ---------------------------------------------------------------------- large counts, large costs

PRIME_N, PRIME_n = 999_999_937, 999_983


def with_total(total, m, seed):
    """m positive counts that sum to `total`."""
    rng = random.Random(seed)
    ends = sorted(rng.sample(range(1, total), m - 1))
    return [b - a for a, b in zip([0, *ends], [*ends, total], strict=True)]


def random_metric(m, seed):
    """Points in a square of side 10⁶, city-block distance: a metric by construction."""
    rng = random.Random(seed)
    points = [(rng.randrange(10**6), rng.randrange(10**6)) for _ in range(m)]
    return Matrix([[abs(a - c) + abs(b - d) for c, d in points] for a, b in points])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("solver", ["networkx", "pulp", "pulp-cbc"])
def test_prime_totals_are_exact_or_refused(solver, seed):
    """n·N = 999983 · 999999937 ≈ 10¹⁵ has no round common factor, so nothing hides behind 8 or 13 digits."""
    m = 9
    p = [F(c, PRIME_n) for c in with_total(PRIME_n, m, seed)]
    q = [F(c, PRIME_N) for c in with_total(PRIME_N, m, seed + 100)]
    for ground, wanted in ((Ordered(m), None), (random_metric(m, seed), "networkx")):
        expected = emd(p, q, ground) if wanted is None else certify(p, q, ground, solver=wanted).value
        found = exact_or_refused(p, q, ground, solver)
        assert found is None or found == expected
        if solver == "networkx":
            assert found == expected


@pytest.mark.parametrize("solver", ["networkx", "pulp", "pulp-cbc"])
def test_thirteen_digits_and_more_are_exact_or_refused(solver):
    """CBC's files hold 13 digits of a mass and 8 of a solution: 1234567890123 came back as 1234567900000."""
    total = 123456789012345678
    p, q = [F(1234567890123, total), 1 - F(1234567890123, total)], [F(1), F(0)]
    found = exact_or_refused(p, q, Equal(2), solver)
    assert found in (None, p[1])
    if solver == "networkx":
        assert found == p[1]


def huge_costs():
    """Case T11: forbidden moves at 10³², from five values to five others."""
    big = "1e32"
    d = [
        ["250", "370", "2400", big, "0.0015"],
        ["210", "330", "2300", big, "0.137"],
        ["200", "310", "2250", big, "2.46"],
        [big, big, big, "5.26", "2.5e31"],
        ["38", "81", "333", "2.5e31", "0"],
    ]
    entries = [[0 if i == j else big for j in range(10)] for i in range(10)]
    for i in range(5):
        entries[i][5:] = d[i]
    mass = ["1/8", "1/8", "1/8", "1/8", "1/2"]
    return mass + [0] * 5, [0] * 5 + mass, Matrix(entries, allow_non_metric=True)


@pytest.mark.parametrize("solver", ["networkx", "pulp", "pulp-cbc"])
def test_huge_costs_do_not_drown_small_ones(solver):
    """T11. In eighths: 0, 1, 2 → 4 at 0.0015, 0.137, 2.46; 3 → 3 at 5.26; 4 → 0, 1, 2 at 38, 81, 333; 4 → 4 at 0.

    Together 459.8585 / 8 = 57.4823125. Another tool answered 88.59.
    """
    found = exact_or_refused(*huge_costs(), solver)
    assert found in (None, F("57.4823125"))
    if solver == "networkx":
        assert found == F("57.4823125")


def test_costs_beyond_64_bits_are_exact():
    """3/4 of the mass over 10³⁰ + 1."""
    far = 10**30 + 1
    assert emd([1, 0], ["1/4", "3/4"], Matrix([[0, far], [far, 0]])) == F(3 * far, 4)


# ---------------------------------------------------------------------- what a solver gets, and what it gives


@pytest.mark.parametrize("ground", [Ordered(4), Equal(4), random_metric(4, 1)], ids=lambda g: g.name)
def test_networkx_gets_python_ints_only(monkeypatch, ground):
    """NumPy integers overflow silently in networkx, floats make it hang."""
    seen = []
    run = nx.network_simplex

    def spy(graph):
        seen.extend(x for _, data in graph.nodes(data=True) for x in data.values())
        seen.extend(x for *_, data in graph.edges(data=True) for x in data.values())
        return run(graph)

    monkeypatch.setattr(nx, "network_simplex", spy)
    certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, ground, solver="networkx")
    assert seen
    assert {type(x) for x in seen} == {int}


def test_numpy_masses_and_entries_come_out_as_fractions():
    ground = Matrix(np.array([[0, 2**40], [2**40, 0]]))
    found = certify(np.array([1, 0]), np.array([0.5, 0.5]), ground, solver="networkx")
    assert found.value == F(2**39)
    assert all(type(x) is Fraction for x in (*found.u, *found.v, found.value, *(c[2] for c in found.coupling)))


CROSSED = {(0, 1): 1, (1, 0): 1}
WRONG_FLOWS = {
    "feasible, not optimal": CROSSED,
    "nothing": {},
    "too little": {(0, 0): 1},
    "too much": {(0, 0): 2, (1, 1): 2},
    "to the wrong sinks": {(0, 0): 1, (1, 0): 1},
    "negative": {(0, 0): 2, (0, 1): -1, (1, 1): 2, (1, 0): -1},
}


@pytest.mark.parametrize("flow", WRONG_FLOWS.values(), ids=WRONG_FLOWS)
@pytest.mark.parametrize(("solver", "module"), [("networkx", networkx_flow), ("pulp", linear_program)])
def test_a_wrong_answer_of_a_solver_is_refused(monkeypatch, solver, module, flow):
    """{14, 88} in four values: sources 0, 1 are to give 1/4 each to sinks 0, 1."""
    monkeypatch.setattr(module, "solve_flow", lambda *_: flow)
    with pytest.raises(SolverError, match="refused"):
        certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4), solver=solver)


@pytest.mark.parametrize("shift", [1e-9, 1e-7, -1e-7, 0.3])
def test_a_linear_programs_flow_is_snapped_and_then_checked(monkeypatch, shift):
    """Doubles that are a little off are rounded to whole masses; what then does not balance is refused."""
    propose = linear_program._propose
    monkeypatch.setattr(linear_program, "_propose", lambda *args: {arc: x + shift for arc, x in propose(*args).items()})
    assert exact_or_refused(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4), "pulp") in (None, F(1, 6))


@pytest.mark.parametrize("value", [0.0, 0.4, 7.0])
def test_a_linear_programs_nonsense_is_refused(monkeypatch, value):
    monkeypatch.setattr(
        linear_program,
        "_propose",
        lambda s, d, *_: {(i, j): value for i in range(len(s)) for j in range(len(d))},
    )
    with pytest.raises(SolverError, match="refused"):
        certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4), solver="pulp")


@pytest.mark.parametrize(("status", "error"), [("Infeasible", InfeasibleError), ("Undefined", SolverError)])
def test_a_solvers_status_is_not_passed_on_as_a_number(monkeypatch, status, error):
    import pulp

    if hasattr(pulp, "LpStatus"):  # PuLP 3 answers a number
        answer = {name: number for number, name in pulp.LpStatus.items()}[status]
    else:
        answer = SimpleNamespace(status=pulp.LpSolveStatus[status])
    monkeypatch.setattr(pulp.LpProblem, "solve", lambda *_: answer)
    with pytest.raises(error):
        certify(["1/2", "1/2"], ["1/4", "3/4"], Equal(2), solver="pulp")


@pytest.mark.parametrize("error", [nx.NetworkXUnfeasible, nx.NetworkXUnbounded])
def test_networkx_refusals_are_named(monkeypatch, error):
    def refuse(graph):
        raise error("total node demand is not zero")

    monkeypatch.setattr(nx, "network_simplex", refuse)
    with pytest.raises(SolverError, match="networkx refused"):
        certify(["1/2", "1/2"], ["1/4", "3/4"], Equal(2), solver="networkx")


@pytest.mark.parametrize("solver", ["networkx", "pulp", "pulp-cbc"])
def test_solvers_print_nothing(capfd, solver):
    certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4), solver=solver)
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
def test_highs_prints_no_banner_in_a_fresh_process():
    """HiGHS announces itself once a process, from C: only a process of its own shows it."""
    code = (
        "from tcloseness.transport import certify; from tcloseness.ground import Ordered;"
        "print(certify(['1/2', 0, '1/2', 0], ['1/4'] * 4, Ordered(4), solver='pulp').value)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1/6\n", "")


def test_no_solver_is_asked_where_nothing_moves(monkeypatch):
    def fail(*_):
        raise AssertionError("asked")

    monkeypatch.setattr(networkx_flow, "solve_flow", fail)
    assert certify(["1/2", "1/2"], ["1/2", "1/2"], Equal(2), solver="networkx").value == 0


def test_an_unknown_solver_is_refused_even_where_nothing_moves():
    with pytest.raises(InputError, match="'cplex' is unknown"):
        certify([1, 0], [1, 0], Equal(2), solver="cplex")


def test_the_closed_form_is_refused_where_there_are_no_cuts():
    problem = TransportProblem.of([1, 0], [0, 1], Matrix([[0, 1], [1, 0]]))
    with pytest.raises(InputError, match="no closed form"):
        solve(problem, solver="closed-form")
