"""`optimal_microaggregation`: numbers in groups of k or more with the least variability within groups.

The optimum is a shortest path, exact and fast (`tcloseness.release.univariate`); no solver is needed.

S. Hansen, S. Mukherjee, "A Polynomial Algorithm for Optimal Univariate Microaggregation", TKDE 15(4), 2003.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tcloseness.exact import Number, as_fraction, number_text
from tcloseness.limits import Clock, TimeLimit
from tcloseness.models.thresholds import whole
from tcloseness.optimal.answers import Infeasible, Optimal
from tcloseness.release.draws import Draws
from tcloseness.release.univariate import optimal_groups, within_groups

__all__ = ["Microaggregation", "optimal_microaggregation"]


@dataclass(frozen=True)
class Microaggregation:
    """Groups of numbers, each shown as its mean.

    Attributes
    ----------
    groups
        The places of each group's numbers, groups ascending by value.
    means
        The mean of each group.
    draws
        How it was drawn which of equal numbers go into which group.
    """

    groups: tuple[tuple[int, ...], ...]
    means: tuple[Fraction, ...]
    draws: str

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-ready data."""
        return {
            "groups": [list(group) for group in self.groups],
            "means": [number_text(mean) for mean in self.means],
            "draws": self.draws,
        }


def optimal_microaggregation(
    values: Sequence[Number],
    k: int,
    *,
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
) -> Optimal[Microaggregation] | Infeasible:
    """Return the groups of at least k numbers that minimize SSE = Σ over groups of Σ (value − mean)².

    Parameters
    ----------
    values
        Numbers, read exactly.
    k
        The least size, ≥ 1.
    seed
        For the draw by which of equal numbers those are chosen that go into one group and not the next, so that the
        order in which they stand decides nothing; None (default): a secret one. A given seed makes the same choice
        again; it is not for publication.
    time_limit
        Seconds.
    memory_limit
        Bytes; by default half of what is free.

    Returns
    -------
    Optimal or Infeasible
        Infeasible for fewer than k numbers.

    Raises
    ------
    InputError
        For a k that is not a whole number ≥ 1, a value that is not a number, or a seed that cannot be given.
    LimitReached
        If a limit is reached: a path that is not at its end is no solution.

    Examples
    --------
    >>> found = optimal_microaggregation([1, 2, 3, 4, 20, 21, 22], 3)
    >>> found.objective, found.solution.groups
    (Fraction(7, 1), ((0, 1, 2, 3), (4, 5, 6)))
    """
    clock, draws = Clock.of(time_limit, memory_limit), Draws(seed)
    if len(values) < whole(k, "k"):
        return Infeasible(f"{len(values)} values make no group of k = {k}")
    exact = [as_fraction(v, f"values[{i}]") for i, v in enumerate(values)]
    order = draws.permutation(len(exact), "order of equal values").tolist()
    found = optimal_groups([exact[i] for i in order], k, clock=clock)
    groups = tuple(tuple(sorted((order[place] for place in group), key=lambda i: (exact[i], i))) for group in found)
    means = tuple(sum((exact[i] for i in group), Fraction(0)) / len(group) for group in groups)
    return Optimal(
        within_groups(exact, groups),
        "sum of squared errors within groups",
        Microaggregation(groups, means, draws.text),
        "shortest path in exact numbers",
    )
