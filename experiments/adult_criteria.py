"""The privacy measures that the Adult studies compare, by name and one parameter, k or ℓ; and how they are drawn."""

from __future__ import annotations

from typing import Any

from experiments.adult_hierarchies import occupation_groups
from tcloseness.ground import GroundSpec
from tcloseness.models import EntropyLDiversity, KAnonymity, RecursiveCLDiversity, TCloseness

__all__ = [
    "ENTROPY",
    "GROUNDS",
    "K_ANONYMITY",
    "RECURSIVE_3",
    "RECURSIVE_4",
    "closeness",
    "five_measures",
    "look",
    "model",
]

K_ANONYMITY, ENTROPY, RECURSIVE_4, RECURSIVE_3 = "k-anonymity", "entropy l", "recursive (4,l)", "recursive (3,l)"
"""The criteria that have one parameter, k or ℓ. Li et al. 2007 does not say which c it uses; 4 is that of its other
study."""

GROUNDS: dict[str, GroundSpec] = {"equal": "equal", "hierarchical S1": occupation_groups("S1")}
"""The ground distances of occupations; the paper has a hierarchical one, over groups that are not published."""


def closeness(t: str, ground: str) -> str:
    """Name the criterion of k-anonymity together with t-closeness."""
    return f"k and t = {t}, {ground}"


def model(criterion: str, parameter: int) -> Any:
    """Return the model of a criterion's name and its parameter."""
    if criterion == K_ANONYMITY:
        return KAnonymity(parameter)
    if criterion == ENTROPY:
        return EntropyLDiversity(parameter)
    if criterion in (RECURSIVE_3, RECURSIVE_4):
        return RecursiveCLDiversity(parameter, c=3 if criterion == RECURSIVE_3 else 4)
    t, ground = _parts(criterion)
    return KAnonymity(parameter) & TCloseness(t, ground=GROUNDS[ground])


def _parts(criterion: str) -> tuple[str, str]:
    """Return t and the ground distance of a criterion that `closeness` named."""
    t, ground = criterion.removeprefix("k and t = ").split(", ", 1)
    return t, ground


def five_measures(ground: str) -> tuple[str, ...]:
    """Return the five measures that Li et al. 2007, §6, compares, under a ground distance."""
    return (K_ANONYMITY, ENTROPY, RECURSIVE_4, closeness("0.2", ground), closeness("0.15", ground))


_INK, _BLUE, _ORANGE, _GREEN, _VIOLET = "#22252a", "#2f6f9f", "#d1622b", "#4f8f5b", "#7d5aa6"
_LOOK: dict[str, dict[str, Any]] = {
    K_ANONYMITY: {"color": _INK, "marker": "o"},
    ENTROPY: {"color": _BLUE, "marker": "s"},
    RECURSIVE_4: {"color": _GREEN, "marker": "^"},
    RECURSIVE_3: {"color": _GREEN, "marker": "^"},
}
_DASHES = {"0.2": (0, (4, 2)), "0.15": (0, (1, 1))}


def look(criterion: str) -> dict[str, Any]:
    """Return how a criterion's line is drawn, so that it is still seen where it lies on another.

    Lines of t-closeness have their own dashes for each t; those of the equal distance are wide, with hollow marks, and
    lie below those of the hierarchical one.
    """
    if criterion in _LOOK:
        return {"markersize": 5, **_LOOK[criterion]}
    t, ground = _parts(criterion)
    dashes = {"linestyle": _DASHES.get(t, "-")}
    if ground == "equal":
        return {"color": _ORANGE, "marker": "D", "markersize": 7.5, "fillstyle": "none", "linewidth": 2.4} | dashes
    return {"color": _VIOLET, "marker": "D", "markersize": 4, "linewidth": 1.2} | dashes
