"""Two measures that are made to answer the open question of Li et al. 2007, §8. They are this study's own, from no
paper.

A ground distance with cuts is a sum over cuts S_k with weights w_k: two values are as far apart as the weights of the
cuts between them. The Earth Mover's Distance is Σ w_k·|P(S_k) − Q(S_k)| over them. Replace the difference of two masses
by a distance of the two-point distributions (P(S_k), 1 − P(S_k)) and (Q(S_k), 1 − Q(S_k)) that scales with probability,
and the sum still counts how far mass moves. Here it is the triangular discrimination (Vincze 1981, Le Cam 1986), which
is rational: with s = P(S) + Q(S)

    δ(P, Q; S) = (P(S) − Q(S))² / (s·(2 − s)) = ½·[(P(S) − Q(S))²/s + (P(S) − Q(S))²/(2 − s)],   0/0 = 0.

What follows:

- each term is Δ²/s with Δ and s linear in (P, Q), hence convex in both together: so is the sum, merging classes never
  raises it, and searches may prune;
- 0 ≤ δ ≤ |P(S) − Q(S)| ≤ 1, for Δ ≤ s and Δ ≤ 2 − s: the sum is at most the EMD, and never infinite;
- the sum is symmetric; by the theorem in `tcloseness.axioms.checks.desiderata` it then cannot satisfy the triangle
  inequality;
- √δ does (Kafka, Österreicher, Vincze 1991), so √(Σ w_k·δ) does too, by Minkowski's inequality. The root is no longer
  convex, as the theorem demands, but a rising function of a convex one is quasi-convex: pruning stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from tcloseness.errors import DomainError
from tcloseness.exact import RootSum, root_of
from tcloseness.ground import GroundDistance

__all__ = ["cutwise", "root_of_cutwise"]


def cutwise(p: Sequence[Fraction], q: Sequence[Fraction], ground: GroundDistance) -> Fraction:
    """Return Σ_k w_k·(P(S_k) − Q(S_k))² / (s_k·(2 − s_k)) with s_k = P(S_k) + Q(S_k), in [0, the greatest distance].

    Raises
    ------
    DomainError
        For a ground distance without cuts.
    """
    cuts = ground.cuts
    if cuts is None:
        raise DomainError(f"the ground distance {ground.name!r} has no cuts, over which the measure is a sum")
    order = cuts.order.tolist()
    in_p = list(accumulate((p[code] for code in order), initial=Fraction(0)))
    in_q = list(accumulate((q[code] for code in order), initial=Fraction(0)))
    total = Fraction(0)
    for low, high, weight in zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True):
        a, b = in_p[high] - in_p[low], in_q[high] - in_q[low]
        if a != b:
            total += weight * (a - b) ** 2 / ((a + b) * (2 - a - b))
    return total / cuts.denominator


def root_of_cutwise(p: Sequence[Fraction], q: Sequence[Fraction], ground: GroundDistance) -> RootSum:
    """Return the square root of `cutwise`, exact."""
    return root_of(Fraction(cutwise(p, q, ground)))
