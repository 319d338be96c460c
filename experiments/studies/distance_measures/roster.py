"""All measures that the study makes a card of, in their groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import Any

from experiments.studies.distance_measures import candidates, sold_as_t
from tcloseness.axioms import CHECKS, ReportCard, check_distance
from tcloseness.microdata import Hierarchy
from tcloseness.report.card_comparison import SHIPPED, TIMED

__all__ = ["GROUPS", "ROSTER", "Entry", "card_of", "greatest_difference", "kolmogorov_smirnov"]

EMDS, DIVERGENCES, SMOOTHED, SOLD, OURS = (
    "Earth Mover's Distances",
    "no ground distance",
    "smoothed over it",
    "sold as t",
    "ours",
)
GROUPS = (EMDS, DIVERGENCES, SMOOTHED, SOLD, OURS)
"""The groups in their order."""


@dataclass(frozen=True)
class Entry:
    """A measure of the study.

    Attributes
    ----------
    name
        As the figure shows it.
    group
        One of `GROUPS`.
    measure
        The measure.
    options
        Of `check_distance`.
    source
        Where it is from, or where it was seen.
    """

    name: str
    group: str
    measure: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    source: str = "this package, which says where it is defined"


def greatest_difference(p: Sequence[Fraction], q: Sequence[Fraction]) -> Fraction:
    """Return max |p − q| over all values."""
    return max((abs(a - b) for a, b in zip(p, q, strict=True)), default=Fraction(0))


def kolmogorov_smirnov(p: Sequence[Fraction], q: Sequence[Fraction]) -> Fraction:
    """Return the greatest difference of the cumulative masses."""
    return max((abs(x) for x in accumulate(a - b for a, b in zip(p, q, strict=True))), default=Fraction(0))


def _group(name: str) -> str:
    if name.startswith("EMD"):
        return EMDS
    if name.startswith("smoothed"):
        return SMOOTHED
    return OURS if name.startswith("scaled") else DIVERGENCES


_TREE = Hierarchy.from_groups([{"low": ["a", "b"], "high": ["c", "d"]}])
_EQUAL = {"ground": "equal", "claims_emd": True}
_ORDERED = {"ground": "ordered", "claims_emd": True}
_SLIP = "one slip away from TC §5.1"

_ADDED = (
    Entry("Kolmogorov–Smirnov", DIVERGENCES, kolmogorov_smirnov, {"ground": "ordered"}, "Kolmogorov 1933"),
    Entry("max |p − q|", DIVERGENCES, greatest_difference, {"ground": "ordered"}, "Chebyshev distance"),
    Entry(
        "max |p − q| in the class",
        SOLD,
        sold_as_t.greatest_among_present,
        _EQUAL,
        "t in anonypyx 0.2.11 (default), privacy-preserver 1.0.1 and a family of tutorials",
    ),
    Entry(
        "½Σ|p − q| in the class", SOLD, sold_as_t.half_among_present, _EQUAL, "EMD of anonypyx 0.2.11, not categorical"
    ),
    Entry(
        "max (q − p)⁺ in the class", SOLD, sold_as_t.one_sided_among_present, _EQUAL, "anonymizer of privacy-preserver"
    ),
    Entry("Σ|p − q|", SOLD, sold_as_t.without_the_half, _EQUAL, "one slip away from TC §5.2"),
    Entry("ordered, over m", SOLD, sold_as_t.over_m, _ORDERED, _SLIP),
    Entry("ordered by appearance", SOLD, sold_as_t.in_order_of_appearance, _ORDERED, _SLIP),
    Entry(
        "ordered by frequency, not normalised",
        SOLD,
        sold_as_t.by_frequency,
        _ORDERED,
        "closeness_centrality of QIDLearningLib 0.0.6",
    ),
    Entry("cut-wise triangular, ordered", OURS, candidates.cutwise, {"ground": "ordered"}, "this study"),
    Entry("cut-wise triangular, hierarchical", OURS, candidates.cutwise, {"ground": _TREE}, "this study"),
    Entry("√ cut-wise triangular, ordered", OURS, candidates.root_of_cutwise, {"ground": "ordered"}, "this study"),
    Entry("√ cut-wise triangular, hierarchical", OURS, candidates.root_of_cutwise, {"ground": _TREE}, "this study"),
)


def _roster() -> dict[str, Entry]:
    entries = [*(Entry(one.name, _group(one.name), one.measure, one.options) for one in SHIPPED), *_ADDED]
    entries.sort(key=lambda entry: GROUPS.index(entry.group))
    return {entry.name: entry for entry in entries}


ROSTER = _roster()
"""By name, in the groups' order."""


@cache
def card_of(name: str, m: tuple[int, int], effort: str, seconds: int) -> ReportCard:
    """Return the card of a measure of the roster, without the checks that depend on the machine's speed."""
    entry = ROSTER[name]
    only = tuple(check.name for check in CHECKS if check.name not in TIMED)
    return check_distance(
        entry.measure, name=name, only=only, m=m, effort=effort, budget=seconds, **dict(entry.options)
    )
