"""What others define and print about releases whose method is known, beside the notion here, where it can be run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import pandas as pd

from tcloseness.attacks import ConsistentOriginals, consistent_originals
from tcloseness.exact import number_text
from tcloseness.microdata import Microdata

__all__ = ["compared_with", "jump", "wong"]

BORN = (1990, 1985, 1974, 1962, 1953, 1941)
ILL = ("flu", "cold", "cancer", "cancer", "headache", "toothache")

NOT_RUN = {
    "Cohen 2022, downcoding": "constant shares of a minimal hierarchical release are recovered for tables drawn from a "
    "stated distribution. Here a fact is certain if it is true in all originals, of one table; a theorem about a "
    "distribution is not of this kind. Of the same setting is full domain, least height, where the release is known",
    "Chhillar et al. 2025, combinatorial refinement": "linear programs over the order in which one program chooses "
    "among states. Its running example was not to be had, and that program's local recoding is no method here",
    "Liu et al. 2025, generate then verify": "claims common to some consistent tables are verified one by one. "
    "Linear programs about two releases proceed likewise here; its tables were not to be had",
    "Ganta et al. 2008; Kifer 2009; Xiao et al. 2010": "composition, deFinetti, and transparent diversity. Their "
    "tables could not be read whole, so no number of theirs is compared; what is learned from a release by a model "
    "(deFinetti) is not certain, and only the share guessed right is measured here",
}
"""What could not be reproduced, and why."""


def _table(known: Sequence[object], ill: Sequence[str]) -> Microdata:
    return Microdata.from_frame(pd.DataFrame({"q": known, "ill": ill}), quasi_identifiers="q", sensitive="ill")


def _ill(world: Microdata) -> list[object]:
    (column,) = world.sensitive
    return [column.domain.values[code] for code in column.codes.tolist()]


def wong() -> ConsistentOriginals:
    """Two q1 with cancer and four q2; as few q2 join the q1 as make cancer at most half of each class."""

    def merged(world: Microdata) -> list[str]:
        ill = [each == "cancer" for each in _ill(world)]
        for m in range(4):
            if all(2 * sum(part) <= len(part) for part in (ill[: 2 + m], ill[2 + m :])):
                return ["Q"] * (2 + m) + ["q2"] * (4 - m)
        return ["Q"] * 6

    return consistent_originals(_table(["q1"] * 2 + ["q2"] * 4, ["cancer"] * 2 + ["none"] * 4), merged)


def jump() -> ConsistentOriginals:
    """Six persons by years of birth: classes of 20 years, and of 30 where one of those has a single illness."""

    def tried(world: Microdata) -> list[int]:
        ill = _ill(world)
        for size in (2, 3):
            parts = [ill[i : i + size] for i in range(0, 6, size)]
            if all(len(set(part)) > 1 for part in parts):
                return [i // size for i in range(6)]
        return [0] * 6

    return consistent_originals(_table(BORN, ILL), tried)


def compared_with() -> pd.DataFrame:
    """Return for each source what it says, and what comes out here; of those that were not run, why."""
    ran: dict[str, tuple[str, Callable[[], ConsistentOriginals], int, Callable[[ConsistentOriginals], bool]]] = {
        "Wong et al. 2007, minimality attack": (
            "the authors' slides: both q1 have cancer for certain",
            wong,
            0,
            lambda found: all(found.beliefs[person].get("cancer") == 1 for person in (0, 1)),
        ),
        "Liu et al. 2010, k-jump": (
            "a grouping that was tried before and failed says why it failed",
            jump,
            2,
            lambda found: found.consistent < found.candidates,
        ),
    }
    rows = []
    for source, (says, run, person, holds) in ran.items():
        found = run()
        value, _ = max(found.beliefs[person].items(), key=lambda each: each[1])
        before = found.beliefs_before[person].get(value, Fraction())
        rows.append(
            {
                "source": source,
                "what it says": says,
                "originals by classes": found.candidates,
                "originals by code": found.consistent,
                "belief before": number_text(before),
                "belief after": number_text(found.beliefs[person][value]),
                "persons certain": found.counts["persons"].certain,
                "reproduced": "yes" if holds(found) else "no",
            }
        )
    rows += [{"source": source, "what it says": why, "reproduced": "not run"} for source, why in NOT_RUN.items()]
    return pd.DataFrame(rows).astype(
        dict.fromkeys(("originals by classes", "originals by code", "persons certain"), "Int64")
    )
