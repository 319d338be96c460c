"""The Adult table under the lattices of the presets: what the lattice studies have in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from experiments import adult
from experiments.adult_hierarchies import FITTED, QUASI_IDENTIFIERS, preset
from tcloseness.lattice import RollUp
from tcloseness.microdata import FrequencySet

__all__ = ["FIVE", "SEVEN", "frequencies", "rolled", "shown"]

FIVE = ("L1", "L2", "ARX")
"""The presets of the l-diversity paper's five quasi-identifiers (240 nodes)."""

SEVEN = ("T1", "T2", "ARX+race")
"""The presets of the t-closeness paper's seven quasi-identifiers (3,240 nodes)."""


@cache
def frequencies(rows: adult.Rows, quasi_identifiers: tuple[str, ...], sensitive: str = "occupation") -> FrequencySet:
    """Return the records, compressed; a sensitive attribute's values stand in alphabetical order."""
    frame = adult.load(rows)
    if rows.endswith("raw"):  # a record may lack a value that this question does not ask for
        frame = frame.dropna(subset=[*quasi_identifiers, sensitive])
    return FrequencySet.from_frame(
        frame,
        quasi_identifiers=list(quasi_identifiers),
        sensitive=sensitive,
        orders={sensitive: sorted(frame[sensitive].unique())},
    )


@cache
def rolled(
    name: str,
    rows: adult.Rows = "train-complete",
    sensitive: str = "occupation",
    quasi_identifiers: tuple[str, ...] | None = None,
) -> RollUp:
    """Return the records under the lattice of a preset.

    Parameters
    ----------
    name
        One of `experiments.adult_hierarchies.PRESETS`.
    rows
        Which records, see `experiments.adult.load`.
    sensitive
        The sensitive attribute.
    quasi_identifiers
        Some of the preset's quasi-identifiers; all if left out.
    """
    names = QUASI_IDENTIFIERS[name] if quasi_identifiers is None else quasi_identifiers
    hierarchies = preset(name)
    return RollUp(frequencies(rows, names, sensitive), {key: hierarchies[key] for key in names})


def shown(names: Sequence[str]) -> list[str]:
    """Return how presets are written where they are shown: the fitted ones say so."""
    return [f"{name} (fitted)" if name in FITTED else name for name in names]
