"""The movements of mass that turn P into Q, as data.

Dosselmann et al. 2019, §3 shows both views of one transformation: the *actions* A_k, how much mass crosses each gap
between neighbouring values (equation 12), and the *moves* B_n, how much goes from which value to which (equations 5 and
6). They cost the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import InputError
from tcloseness.exact import number_text, short_text
from tcloseness.ground import GroundSpec
from tcloseness.transport.certificate import Certificate
from tcloseness.transport.problem import TransportProblem
from tcloseness.transport.solve import certify

__all__ = ["Crossing", "Move", "crossings", "moves", "moves_of"]


@dataclass(frozen=True)
class Move(Displayed):
    """``mass`` goes from value ``source`` to value ``target`` (codes), over ``distance``; ``cost`` is their product."""

    source: int
    target: int
    mass: Fraction
    distance: Fraction

    def _said(self) -> str:
        return f"{short_text(self.mass)} from {self.source} to {self.target}, over {short_text(self.distance)}"

    @property
    def cost(self) -> Fraction:
        """The weighted distance mass·d(source, target) (Dosselmann et al. 2019, equation 5)."""
        return self.mass * self.distance

    def to_dict(self) -> dict[str, object]:
        """Return the move as JSON-ready data."""
        return {
            "from": self.source,
            "to": self.target,
            "mass": number_text(self.mass),
            "distance": number_text(self.distance),
            "cost": number_text(self.cost),
        }


@dataclass(frozen=True)
class Crossing(Displayed):
    """``mass`` crosses the border of a set of the ground distance's cuts.

    Attributes
    ----------
    inside
        The codes of the set, in the order of the permuted domain; for the ordered distance a prefix.
    mass
        P(S) − Q(S): positive mass leaves the set, negative mass enters it.
    weight
        The set's weight; the crossing costs weight·|mass|.
    """

    inside: tuple[int, ...]
    mass: Fraction
    weight: Fraction

    def _said(self) -> str:
        return f"{short_text(self.mass)} crosses a set of {counted(len(self.inside), 'value')}"

    @property
    def cost(self) -> Fraction:
        """Return weight·|mass|."""
        return self.weight * abs(self.mass)

    def to_dict(self) -> dict[str, object]:
        """Return the crossing as JSON-ready data."""
        return {
            "inside": list(self.inside),
            "mass": number_text(self.mass),
            "weight": number_text(self.weight),
            "cost": number_text(self.cost),
        }


def moves(
    p: Sequence[object],
    q: Sequence[object],
    ground: GroundSpec,
    *,
    counts: bool = False,
    solver: str | None = None,
) -> list[Move]:
    """Return the moves of an optimal transformation of P into Q (Dosselmann et al. 2019, §3.2, actions B); their costs
    sum to the EMD.

    Parameters
    ----------
    p, q, ground, counts
        As for `emd`.
    solver
        One of `SOLVERS`; by default as for `certify`.

    Examples
    --------
    >>> from tcloseness.ground import Ordered
    >>> [(m.source, m.target, str(m.mass)) for m in moves(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4))]
    [(0, 1, '1/4'), (2, 3, '1/4')]
    """
    return moves_of(certify(p, q, ground, counts=counts, solver=solver))


def moves_of(certificate: Certificate) -> list[Move]:
    """Return the moves of a certificate's coupling: its entries between different values."""
    return [Move(i, j, mass, certificate.ground.distance(i, j)) for i, j, mass in certificate.coupling if i != j]


def crossings(p: Sequence[object], q: Sequence[object], ground: GroundSpec, *, counts: bool = False) -> list[Crossing]:
    """Return how much mass crosses each cut of the ground distance (Dosselmann et al. 2019, §3.1, actions A); their
    costs sum to the EMD.

    Parameters
    ----------
    p, q, ground, counts
        As for `emd`.

    Raises
    ------
    InputError
        If the ground distance has no cuts.

    Examples
    --------
    >>> from tcloseness.ground import Ordered
    >>> [str(c.mass) for c in crossings(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4))]
    ['1/4', '0', '1/4']
    """
    problem = TransportProblem.of(p, q, ground, counts=counts)
    cuts = problem.ground.cuts
    if cuts is None:
        raise InputError(f"the ground distance {problem.ground.name!r} is not a sum of cuts; ask for its moves")
    order = cuts.order.tolist()
    found = []
    for low, high, weight in zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True):
        inside = tuple(order[low:high])
        mass = sum((problem.p[i] - problem.q[i] for i in inside), Fraction(0))
        found.append(Crossing(inside, mass, Fraction(weight, cuts.denominator)))
    return found
