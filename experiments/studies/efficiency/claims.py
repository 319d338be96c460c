"""What the papers say about running times, checked on the numbers of nodes that Incognito checks."""

from __future__ import annotations

from itertools import pairwise

from experiments.adult_criteria import ENTROPY, GROUNDS, K_ANONYMITY, RECURSIVE_4, five_measures
from experiments.adult_lattices import FIVE, SEVEN, shown
from experiments.claims import Outcome, check
from experiments.studies.efficiency.work import diverse, of_seven

__all__ = ["PARAMETERS"]

PARAMETERS = (2, 4, 5, 6, 8, 10)
"""The values of k = ℓ of the claims; Li et al. 2007 prints them as an axis only."""


@check("TC-51")
def _pruned_earlier() -> Outcome:
    checked = {name: [of_seven(name, "Incognito", ENTROPY, p).checked for p in PARAMETERS] for name in SEVEN}
    small = len(PARAMETERS) - 2
    return Outcome(
        all(max(found[small:]) < min(found[:small]) for found in checked.values()),
        {
            "each larger l is compared with the one before it": all(
                a >= b for f in checked.values() for a, b in pairwise(f)
            )
        },
        f"nodes that Incognito checks for l = {', '.join(map(str, PARAMETERS))}: "
        + "; ".join(
            f"{name} {', '.join(map(str, found))}" for name, found in zip(shown(SEVEN), checked.values(), strict=True)
        ),
        presets=SEVEN,
    )


@check("TC-26a")
def _entropy_is_fastest() -> Outcome:
    def checked(name: str, criterion: str, parameter: int) -> int:
        return of_seven(name, "Incognito", criterion, parameter).checked

    def fewest(parameter: int) -> bool:
        others = {c for ground in GROUNDS for c in five_measures(ground) if c != ENTROPY}
        return all(checked(name, ENTROPY, parameter) <= checked(name, c, parameter) for name in SEVEN for c in others)

    def fastest(others: tuple[str, ...]) -> bool:
        for name in SEVEN:
            leads = [
                min(checked(name, other, parameter) for other in others) - checked(name, ENTROPY, parameter)
                for parameter in PARAMETERS
            ]
            if min(leads) < 0 or leads[-1] <= leads[0]:
                return False
        return True

    close = {
        ground: [c for c in five_measures(ground) if c not in (K_ANONYMITY, ENTROPY, RECURSIVE_4)] for ground in GROUNDS
    }
    at_5 = {
        criterion: checked("T1", criterion, 5)
        for criterion in (K_ANONYMITY, ENTROPY, RECURSIVE_4, *close["equal"], *close["hierarchical S1"])
    }
    return Outcome(
        all(fastest((K_ANONYMITY, RECURSIVE_4, *close[ground])) for ground in GROUNDS),
        {
            "entropy l-diversity is compared with k-anonymity alone": fastest((K_ANONYMITY,)),
            "it is compared with k-anonymity and recursive diversity, not with t-closeness": fastest(
                (K_ANONYMITY, RECURSIVE_4)
            ),
        },
        "nodes that Incognito checks under T1 (fitted) at k = l = 5: "
        + ", ".join(f"{criterion} {n}" for criterion, n in at_5.items())
        + "; entropy l-diversity needs the fewest under every preset only for "
        + (", ".join(f"l = {p}" for p in PARAMETERS if fewest(p)) or "no l")
        + f" of {', '.join(map(str, PARAMETERS))}",
        presets=SEVEN,
    )


@check("LD-45")
def _about_the_same() -> Outcome:
    pairs = {
        (name, size): tuple(
            diverse(name, "Incognito", criterion, 6, size).checked for criterion in (K_ANONYMITY, ENTROPY)
        )
        for name in FIVE
        for size in (3, 4, 5, 6, 7)
    }
    fewer = sum(entropy < plain for plain, entropy in pairs.values())
    return Outcome(
        all(max(pair) <= 2 * min(pair) for pair in pairs.values()),
        detail="nodes that Incognito checks for k = 6 and for l = 6 (entropy), by number of attributes: "
        + "; ".join(
            f"{shown([name])[0]} "
            + ", ".join(f"{size}: {plain} and {entropy}" for (n, size), (plain, entropy) in pairs.items() if n == name)
            for name in FIVE
        )
        + f"; diversity needs fewer in {fewer} of {len(pairs)}",
        presets=FIVE,
    )
