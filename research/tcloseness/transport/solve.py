"""`certify`: the EMD with its proof. A solver proposes, exact arithmetic disposes.

A laminar family needs no solver: mass is matched within the smallest sets first. Any other ground distance goes to the
network simplex, whose potentials are the proof; those that a solver leaves out follow from its flow, exactly.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence, Sized
from fractions import Fraction
from operator import itemgetter

import numpy as np

from tcloseness.errors import CertificateError, InputError, SolverError
from tcloseness.exact import IntArray, fits_int64, scaled_integers, shown_value
from tcloseness.ground import Cuts, GroundDistance, GroundSpec, distance_rows
from tcloseness.strict_records import text
from tcloseness.transport import network_simplex
from tcloseness.transport.certificate import Certificate
from tcloseness.transport.closed_forms import cut_potential, cut_work
from tcloseness.transport.problem import PosedProblem, TransportProblem

__all__ = ["SOLVERS", "certify", "emd", "laminar_coupling", "potentials", "solve"]


SOLVERS = ("closed-form", "network-simplex", "networkx", "pulp", "pulp-cbc")
"""The names of the ways to compute an EMD: the closed form over cuts, the package's network simplex, that of networkx,
PuLP with HiGHS, PuLP with CBC."""

_INTERPRETED_ARCS = 100
"""Up to so many arcs the network simplex is run in Python, within a millisecond or two: machine code must be loaded."""


def emd(p: Sequence[object], q: Sequence[object], ground: GroundSpec, *, counts: bool = False) -> Fraction:
    """Return the Earth Mover's Distance: the least Σ f_ij·d(i, j) over all couplings f of P and Q.

    Parameters
    ----------
    p, q
        Shape (m,): masses that `as_fraction` reads, each vector summing to exactly 1.
    ground
        The ground distance over the m values: ``"ordered"``, ``"equal"``, a matrix in their order (rows, an array, or a
        DataFrame, whose rows are then in that order), or an object such as ``Ordered(m)``. One that depends on what
        the values are is built first, or the values are given to `emd_of`.
    counts
        Read p and q as counts of records: whole numbers ≥ 0, each vector over its own total.

    Returns
    -------
    Fraction
        Exact, ≥ 0, and at most the greatest ground distance (Li et al. 2007, Fact 1). By the closed form where the
        ground distance has cuts, else by the network simplex, whose potentials are checked against its flow.

    Raises
    ------
    MassError
        If P or Q is not a distribution over m values.
    DomainError
        If `ground` is not a ground distance, what it claims does not hold (see `tcloseness.ground.checked`), or it
        depends on what the values are and is not built over them.

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
    if counts is True and isinstance(ground, GroundDistance) and ground.cuts is None:
        return _least(PosedProblem.of_counts(p, q, ground), ground)
    problem = TransportProblem.of(p, q, ground, counts=counts)
    cuts = problem.ground.cuts
    if cuts is None:
        return _least(problem.posed, problem.ground)
    differences, denominator = _differences(problem)
    return Fraction(cut_work(differences, cuts), denominator * cuts.denominator)


def certify(
    p: Sequence[object],
    q: Sequence[object],
    ground: GroundSpec,
    *,
    counts: bool = False,
    solver: str | None = None,
    labels: Sequence[str] = (),
) -> Certificate:
    """Return the EMD of P and Q with a verified certificate.

    Parameters
    ----------
    p, q, ground, counts
        As for `emd`.
    solver
        One of `SOLVERS`; by default the closed form where the ground distance has cuts, else the network simplex.
    labels
        The values' names, kept in the certificate for reading; a matrix with names is put in their order, and a
        hierarchy is one of them.

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
    problem = TransportProblem.of(p, q, ground, counts=counts, values=labels)
    return solve(problem, solver=solver, labels=labels)


def solve(problem: TransportProblem, *, solver: str | None = None, labels: Sequence[str] = ()) -> Certificate:
    """Solve a transportation problem and prove the answer; see `certify`."""
    labels = _names(labels, problem.ground.m)
    if solver is None:
        solver = "network-simplex" if problem.ground.cuts is None else "closed-form"
    if solver == "closed-form":
        certificate = _by_cuts(problem, labels)
    else:
        posed, scale = problem.posed, problem.scale
        flow: Flow
        if solver == "network-simplex":
            arc, carried, height = _by_simplex(posed)
            rows, columns = np.divmod(arc, max(len(posed.sinks), 1))
            flow = {
                (i, j): mass
                for i, j, mass in zip(*map(np.ndarray.tolist, (rows, columns, carried)), strict=True)
                if mass
            }
            u, v = _complete(problem, -height[: len(posed.sources)], height[len(posed.sources) :])
        else:
            flow = _proposed_flow(problem, solver)
            u, v = potentials(problem, flow)
        sources, sinks, costs = posed.sources.tolist(), posed.sinks.tolist(), posed.costs
        stays = [*problem.p]
        for i in sources:
            stays[i] = problem.q[i]
        coupling = [(i, i, stays[i]) for i, mass in enumerate(posed.staying.tolist()) if mass]
        coupling += [(sources[a], sinks[b], Fraction(mass, scale)) for (a, b), mass in flow.items()]
        work = sum(mass * int(costs[arc]) for arc, mass in flow.items())
        value = Fraction(work, scale * problem.ground.denominator)
        coupling.sort(key=itemgetter(0, 1))
        triples, names = tuple(coupling), tuple(labels)
        certificate = Certificate(problem.p, problem.q, problem.ground, triples, u, v, value, solver, names)
    try:
        certificate.verify()
    except CertificateError as error:
        raise SolverError(f"the answer of {solver} is refused: {error}") from error
    return certificate


def _names(labels: Sequence[str], m: int) -> list[str]:
    """Return the values' names, as a certificate can hold them."""
    if isinstance(labels, str) or not isinstance(labels, Sized) or len(labels) not in (0, m):
        raise InputError(f"labels {shown_value(labels, 80)} must name the {m} values, one each, or be left out")
    return [text(label, f"labels[{i}]") for i, label in enumerate(labels)]


def _proposed_flow(problem: TransportProblem, solver: str) -> dict[tuple[int, int], int]:
    if solver not in SOLVERS:
        raise InputError(f"solver {solver!r} is unknown; it is one of {', '.join(SOLVERS)}")
    if not problem.sources:
        return {}
    if solver == "networkx":
        from tcloseness.transport.solvers import networkx_flow

        return networkx_flow.solve_flow(problem)
    from tcloseness.transport.solvers import linear_program

    return linear_program.solve_flow(problem, "CBC" if solver == "pulp-cbc" else "HiGHS")


def _differences(problem: TransportProblem) -> tuple[list[int], int]:
    return scaled_integers([a - b for a, b in zip(problem.p, problem.q, strict=True)])


def _by_cuts(problem: TransportProblem, labels: Sequence[str]) -> Certificate:
    cuts = problem.ground.cuts
    if cuts is None:
        raise InputError(
            f"the ground distance {problem.ground.name!r} has no closed form (it is not a sum of laminar cuts); "
            "use solver='network-simplex' or 'pulp'"
        )
    differences, denominator = _differences(problem)
    u = tuple(Fraction(x, cuts.denominator) for x in cut_potential(differences, cuts))
    value = Fraction(cut_work(differences, cuts), denominator * cuts.denominator)
    coupling = laminar_coupling(problem.p, problem.q, cuts)
    v = tuple(-x for x in u)
    return Certificate(problem.p, problem.q, problem.ground, coupling, u, v, value, "closed-form", tuple(labels))


Flow = Mapping[tuple[int, int], int]
Potential = tuple[Fraction, ...]


def _least(posed: PosedProblem, ground: GroundDistance) -> Fraction:
    arc, flow, _ = _by_simplex(posed)
    if not len(arc):
        return Fraction(0)
    costs = posed.costs.ravel()[arc]  # the last one for an arc of the root, which carries nothing
    if not fits_int64(posed.scale, int(costs.max())):
        flow, costs = flow.astype(object), costs.astype(object)
    return Fraction(int((flow * costs).sum()), posed.scale * ground.denominator)


def _by_simplex(posed: PosedProblem) -> tuple[IntArray, IntArray, IntArray]:
    """Return, for each source and then each sink, the arc to its parent in an optimal tree, what that carries, and the
    potential, 0 at the first source; they prove each other."""
    (sources, sinks), rows = posed.costs.shape, network_simplex.TREE_ROWS
    vertices = sources + sinks
    if not vertices:
        return (np.zeros(0, dtype=np.int64),) * 3
    costs = posed.costs.ravel()
    if (
        costs.size > _INTERPRETED_ARCS
        and costs.dtype == posed.supply.dtype == posed.demand.dtype == np.int64
        and network_simplex.potentials_fit(int(costs.max()), vertices)
    ):
        from tcloseness.transport import compiled

        tree = np.empty((rows + 1, vertices + 1), dtype=np.int64)
        given = costs, posed.supply, posed.demand, sources, sinks, tree[:rows]
        compiled.solve_transportation(*given)
        proved = compiled.is_optimal(*given, tree[rows])
        found = tree[:, :vertices]
    else:
        lists = [[0] * (vertices + 1) for _ in range(rows + 1)]
        whole = costs.tolist(), posed.supply.tolist(), posed.demand.tolist(), sources, sinks, lists[:rows]
        network_simplex.solve_transportation(*whole)
        proved = network_simplex.is_optimal(*whole, lists[rows])
        found = np.array(lists, dtype=object)[:, :vertices]
    if not proved:
        raise SolverError("the answer of network-simplex is refused: its potentials do not prove its flow")
    return found[1].astype(np.int64), found[3], found[4] - found[4][0]  # without what the root's arcs cost


def potentials(problem: TransportProblem, flow: Flow) -> tuple[Potential, Potential]:
    """Return u, v over all m values with u_i + v_j ≤ d(i, j) everywhere and equality where the flow runs.

    They are shortest distances in the residual graph of the flow (Bellman–Ford), completed on the values without mass:
    under a metric to one potential, u = φ and v = −φ with φ(x) = min_j d(x, j) − v_j.

    Parameters
    ----------
    problem
        The transportation problem.
    flow
        ``{(source number, sink number): whole mass}``, a feasible flow.

    Raises
    ------
    SolverError
        If the residual graph has a negative cycle: the flow is not optimal.
    """
    return _complete(problem, *_shortest(problem.costs, flow))


def _shortest(costs: IntArray, flow: Flow) -> tuple[list[int], list[int]]:
    n, k = costs.shape
    if not costs.size:
        return [], []
    if costs.dtype != object and not fits_int64(2 * (n + k), int(costs.max(initial=0)) + 1):
        costs = costs.astype(object)
    support = np.array(sorted(flow), dtype=np.int64).reshape(-1, 2)
    back = costs[support[:, 0], support[:, 1]]
    to_source = np.zeros(n, dtype=costs.dtype)
    for _ in range(n + k + 1):
        to_sink = (to_source[:, None] + costs).min(axis=0)
        nearer = to_source.copy()
        np.minimum.at(nearer, support[:, 0], to_sink[support[:, 1]] - back)
        if (nearer == to_source).all():
            return [-int(x) for x in to_source], [int(x) for x in to_sink]
        to_source = nearer
    raise SolverError(
        "the solver's flow is not optimal (its residual graph has a negative cycle); the answer is refused"
    )


def _complete(
    problem: TransportProblem, u: Sequence[int] | IntArray, v: Sequence[int] | IntArray
) -> tuple[Potential, Potential]:
    """Return potentials of all m values from whole ones of the sources and sinks."""
    sources, sinks, ground, m = problem.posed.sources, problem.posed.sinks, problem.ground, problem.ground.m
    if not len(sources):
        return (Fraction(0),) * m, (Fraction(0),) * m
    distances = distance_rows(ground, range(m))
    most = max(map(abs, (*map(int, u), *map(int, v))))
    if distances.dtype != object and not fits_int64(4, most + int(distances.max())):
        distances = distances.astype(object)
    ends_u, ends_v = (np.array(ends, dtype=distances.dtype) for ends in (u, v))
    if ground.metric:
        all_u = (distances[:, sinks] - ends_v).min(axis=1)
        all_v = -all_u
    else:
        all_v = (distances[sources] - ends_u[:, None]).min(axis=0)
        all_v[sinks] = ends_v
        all_u = (distances - all_v).min(axis=1)
        all_u[sources] = ends_u
    unit = ground.denominator
    exact_u, exact_v = (
        tuple(map(Fraction, ends.tolist()) if unit == 1 else (Fraction(x, unit) for x in ends.tolist()))
        for ends in (all_u, all_v)
    )
    return exact_u, exact_v


Block = tuple[deque[tuple[int, Fraction]], int]  # (code, mass) from left to right, and their common sign


def laminar_coupling(p: Sequence[Fraction], q: Sequence[Fraction], cuts: Cuts) -> tuple[tuple[int, int, Fraction], ...]:
    """Return an optimal coupling of P and Q: triples (i, j, mass), mass that stays included.

    Mass is matched inside each set of the family before it leaves the set, first surplus with first deficit from the
    left; so exactly |P(S_k) − Q(S_k)| crosses the border of every S_k, which is the least that must (Li et al. 2007,
    §5.1, §5.2; Dosselmann et al. 2019, §3.2 lists these movements for the salaries).
    """
    moved: list[tuple[int, int, Fraction]] = []
    blocks: list[tuple[int, Block]] = []  # (first place, what is left there), from left to right

    def close(low: int) -> None:
        inside = []
        while blocks and blocks[-1][0] >= low:
            inside.append(blocks.pop()[1])
        merged: Block = (deque(), 0)
        for block in reversed(inside):
            merged = _meet(merged, block, moved)
        if merged[0]:
            blocks.append((low, merged))

    order = cuts.order.tolist()
    k = 0
    for place, code in enumerate(order):
        surplus = p[code] - q[code]
        if surplus:
            blocks.append((place, (deque([(code, abs(surplus))]), 1 if surplus > 0 else -1)))
        while k < len(cuts) and cuts.high[k] == place + 1:
            close(int(cuts.low[k]))
            k += 1
    close(0)
    staying = [(i, i, min(a, b)) for i, (a, b) in enumerate(zip(p, q, strict=True)) if min(a, b) > 0]
    return tuple(sorted([*staying, *moved]))


def _meet(left: Block, right: Block, moved: list[tuple[int, int, Fraction]]) -> Block:
    """Match two neighbouring blocks; what is left over has one sign. Amortised O(1) an entry."""
    (a, sign_a), (b, sign_b) = left, right
    if not a or not b:
        return left if a else right
    if sign_a == sign_b:
        if len(a) >= len(b):
            a.extend(b)
            return a, sign_a
        b.extendleft(reversed(a))
        return b, sign_b
    while a and b:
        (i, x), (j, y) = a.popleft(), b.popleft()
        mass = min(x, y)
        moved.append((i, j, mass) if sign_a > 0 else (j, i, mass))
        if x > mass:
            a.appendleft((i, x - mass))
        if y > mass:
            b.appendleft((j, y - mass))
    return (a, sign_a) if a else (b, sign_b)
