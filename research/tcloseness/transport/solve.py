"""`certify`: the EMD with its proof. A solver proposes, exact arithmetic disposes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tcloseness.errors import CertificateError, InputError, SolverError
from tcloseness.exact import scaled_integers
from tcloseness.ground import GroundDistance
from tcloseness.strict_records import text
from tcloseness.transport.certificate import Certificate
from tcloseness.transport.closed_forms import cut_potential, cut_work
from tcloseness.transport.coupling import laminar_coupling
from tcloseness.transport.potentials import potentials
from tcloseness.transport.problem import TransportProblem

__all__ = ["SOLVERS", "certify", "emd", "solve"]

SOLVERS = ("closed-form", "networkx", "pulp", "pulp-cbc")
"""The names of the ways to compute an EMD: the closed form over cuts, networkx's network simplex, PuLP with HiGHS, PuLP
with CBC."""


def emd(p: Sequence[object], q: Sequence[object], ground: GroundDistance, *, counts: bool = False) -> Fraction:
    """Return the Earth Mover's Distance: the least Σ f_ij·d(i, j) over all couplings f of P and Q.

    Parameters
    ----------
    p, q
        Shape (m,): masses that `as_fraction` reads, each vector summing to exactly 1.
    ground
        The ground distance over the m values.
    counts
        Read p and q as counts of records: whole numbers ≥ 0, each vector over its own total.

    Returns
    -------
    Fraction
        Exact, ≥ 0, and at most the greatest ground distance (Li et al. 2007, Fact 1). By the closed form where the
        ground distance has cuts, else by network simplex with a checked certificate.

    Raises
    ------
    MassError
        If P or Q is not a distribution over m values.
    DomainError
        If `ground` is not a ground distance, or what it claims does not hold (see `tcloseness.ground.checked`).

    References
    ----------
    Li et al. 2007, §4 (definition) and §5 (formulas).

    Examples
    --------
    >>> from tcloseness.ground import Ordered
    >>> emd(["1/3"] * 3 + [0] * 6, ["1/9"] * 9, Ordered(9))
    Fraction(3, 8)
    >>> emd([1, 1, 1] + [0] * 6, [5] * 9, Ordered(9), counts=True)
    Fraction(3, 8)
    """
    problem = TransportProblem.of(p, q, ground, counts=counts)
    if ground.cuts is None:
        return solve(problem, solver="networkx").value
    differences, denominator = _differences(problem)
    return Fraction(cut_work(differences, ground.cuts), denominator * ground.cuts.denominator)


def certify(
    p: Sequence[object],
    q: Sequence[object],
    ground: GroundDistance,
    *,
    counts: bool = False,
    solver: str = "closed-form",
    labels: Sequence[str] = (),
) -> Certificate:
    """Return the EMD of P and Q with a verified certificate.

    Parameters
    ----------
    p, q, ground, counts
        As for `emd`.
    solver
        One of `SOLVERS`. A ground distance without cuts has no closed form.
    labels
        The values' names, kept in the certificate for reading.

    Raises
    ------
    MassError, DomainError
        As for `emd`.
    InputError
        For an unknown solver, the closed form of a distance without cuts, or labels that do not name the m values.
    SolverError
        If the solver's answer is not feasible and optimal exactly.

    Examples
    --------
    >>> from tcloseness.ground import Ordered
    >>> certify(["1/3"] * 3 + [0] * 6, ["1/9"] * 9, Ordered(9), solver="networkx").value
    Fraction(3, 8)
    """
    return solve(TransportProblem.of(p, q, ground, counts=counts), solver=solver, labels=labels)


def solve(problem: TransportProblem, *, solver: str = "closed-form", labels: Sequence[str] = ()) -> Certificate:
    """Solve a transportation problem and prove the answer; see `certify`."""
    labels = _names(labels, problem.ground.m)
    if solver == "closed-form":
        certificate = _by_cuts(problem, labels)
    else:
        flow = _proposed_flow(problem, solver)
        u, v = potentials(problem, flow)
        scale = problem.scale
        coupling = {(i, i): Fraction(mass, scale) for i, mass in enumerate(problem.staying) if mass}
        for (a, b), mass in flow.items():
            coupling[problem.sources[a], problem.sinks[b]] = Fraction(mass, scale)
        value = sum((mass * problem.ground.distance(i, j) for (i, j), mass in coupling.items()), Fraction(0))
        triples = tuple((i, j, mass) for (i, j), mass in sorted(coupling.items()))
        certificate = Certificate(problem.p, problem.q, problem.ground, triples, u, v, value, solver, tuple(labels))
    try:
        certificate.verify()
    except CertificateError as error:
        raise SolverError(f"the answer of {solver} is refused: {error}") from error
    return certificate


def _names(labels: Sequence[str], m: int) -> list[str]:
    """Return the values' names, as a certificate can hold them."""
    if isinstance(labels, str) or len(labels) not in (0, m):
        raise InputError(f"labels {labels!r:.80} must name the {m} values, one each, or be left out")
    return [text(label, f"labels[{i}]") for i, label in enumerate(labels)]


def _proposed_flow(problem: TransportProblem, solver: str) -> dict[tuple[int, int], int]:
    if solver not in SOLVERS:
        raise InputError(f"solver {solver!r} is unknown; it is one of {', '.join(SOLVERS)}")
    if not problem.sources:
        return {}
    if solver == "networkx":
        from tcloseness.transport.solvers import network_simplex

        return network_simplex.solve_flow(problem)
    from tcloseness.transport.solvers import linear_program

    return linear_program.solve_flow(problem, "CBC" if solver == "pulp-cbc" else "HiGHS")


def _differences(problem: TransportProblem) -> tuple[list[int], int]:
    return scaled_integers([a - b for a, b in zip(problem.p, problem.q, strict=True)])


def _by_cuts(problem: TransportProblem, labels: Sequence[str]) -> Certificate:
    cuts = problem.ground.cuts
    if cuts is None:
        raise InputError(
            f"the ground distance {problem.ground.name!r} has no closed form (it is not a sum of laminar cuts); "
            "use solver='networkx' or 'pulp'"
        )
    differences, denominator = _differences(problem)
    u = tuple(Fraction(x, cuts.denominator) for x in cut_potential(differences, cuts))
    value = Fraction(cut_work(differences, cuts), denominator * cuts.denominator)
    coupling = laminar_coupling(problem.p, problem.q, cuts)
    v = tuple(-x for x in u)
    return Certificate(problem.p, problem.q, problem.ground, coupling, u, v, value, "closed-form", tuple(labels))
