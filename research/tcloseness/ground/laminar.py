"""`Laminar`: the ground distance that a laminar family is the cuts of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tcloseness.errors import DomainError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.ground.cuts import Cuts

__all__ = ["Laminar"]


@dataclass(frozen=True, eq=False)
class Laminar:
    """The ground distance d(i, j) = Σ_k w_k·[exactly one of i, j lies in S_k] of a laminar family.

    It is its cuts, so that nothing can contradict them, however many values there are: a tree with lengths on its
    edges, a line with gaps, or singletons with weights.

    Parameters
    ----------
    cuts
        The family, see `Cuts`.

    Examples
    --------
    >>> Laminar(Cuts.of(range(3), [(0, 1), (0, 2)], ["1/4", "1/2"])).distance(0, 2)
    Fraction(3, 4)
    """

    cuts: Cuts
    name = "laminar"
    metric = True

    def __post_init__(self) -> None:
        if not isinstance(self.cuts, Cuts):
            raise DomainError(f"a laminar distance is made of its Cuts, not of {self.cuts!r:.80}")

    @property
    def m(self) -> int:
        """The number of values."""
        return len(self.cuts.order)

    @property
    def denominator(self) -> int:
        """The denominator of the weights."""
        return self.cuts.denominator

    def distance(self, i: int, j: int) -> Fraction:
        """Return the weight of the sets that part i from j."""
        return self.cuts.distance(i, j)

    @cached_property
    def _weight_around(self) -> IntArray:
        """Shape (m,): by place, the weight of the sets that hold it."""
        return self._spread(np.ones(len(self.cuts), dtype=bool))

    def _spread(self, chosen: IntArray) -> IntArray:
        """Return, by place, the weight of the chosen sets that hold it."""
        cuts = self.cuts
        weights = cuts.weights[chosen].astype(np.int64 if 2 * cuts.total_weight <= INT64_MAX else object)
        steps = np.zeros(self.m + 1, dtype=weights.dtype)
        np.add.at(steps, cuts.low[chosen], weights)
        np.subtract.at(steps, cuts.high[chosen], weights)
        return np.asarray(np.cumsum(steps)[:-1])

    def row(self, i: int) -> IntArray:
        """Return the distances from value i times `denominator`.

        They weigh the sets around either value, less twice those around both.
        """
        cuts, place = self.cuts, int(self.cuts.place[i])
        around = self._weight_around
        both = self._spread((cuts.low <= place) & (place < cuts.high))
        return np.asarray((around[place] + around - 2 * both)[cuts.place])

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the family."""
        cuts = self.cuts
        return {
            "name": self.name,
            "order": cuts.order.tolist(),
            "low": cuts.low.tolist(),
            "high": cuts.high.tolist(),
            "weights": [str(w) for w in cuts.weights.tolist()],
            "denominator": str(cuts.denominator),
        }
