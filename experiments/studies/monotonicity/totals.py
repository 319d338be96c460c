"""What was found along the edges, summed over the lattices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from experiments.studies.monotonicity.edges import EVERY, Found

__all__ = ["Total", "by_model", "percent"]


@dataclass(frozen=True)
class Total:
    """A model under one suppression limit, over all lattices.

    Attributes
    ----------
    model, threshold, share, declared, prunable
        As in `Found`.
    lattices, edges, violating
        How many lattices and edges were looked at, and how many edges violate.
    smallest
        The lattice and the edge among these with the smallest upper table, where there is one.
    """

    model: str
    threshold: str
    share: str
    declared: bool
    prunable: bool
    lattices: int
    edges: int
    violating: int
    smallest: Found | None

    @property
    def shown(self) -> str:
        """The model, with its threshold if it was asked for one only."""
        return self.model if self.threshold == EVERY else f"{self.model} ({self.threshold})"


def by_model(found: Sequence[Found]) -> list[list[Total]]:
    """Return for each model its totals, one for each limit, at every threshold or, failing that, at its first."""
    rows = []
    for model in _different(f.model for f in found):
        mine = [f for f in found if f.model == model]
        threshold = mine[0].threshold
        rows.append(
            [
                _sum([f for f in mine if (f.threshold, f.share) == (threshold, share)])
                for share in _different(f.share for f in mine)
            ]
        )
    return rows


def _sum(found: Sequence[Found]) -> Total:
    one = found[0]
    witnesses = sorted((f for f in found if f.violating), key=lambda f: f.upper_classes)
    return Total(
        one.model,
        one.threshold,
        one.share,
        one.declared,
        one.prunable,
        len(found),
        sum(f.edges for f in found),
        sum(f.violating for f in found),
        witnesses[0] if witnesses else None,
    )


def _different(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def percent(total: Total) -> str:
    """Write the share of violating edges, two digits: ``1.3 %``, ``0.02 %``."""
    return f"{100 * total.violating / total.edges:.2g} %"
