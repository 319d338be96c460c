"""How much background knowledge a class withstands: Machanavajjhala et al. 2006, §4.1.

Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "ℓ-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.conventions import Conventions
from tcloseness.displayed import Explained
from tcloseness.exact import IntArray
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape

__all__ = ["DamagingKnowledge", "damaging_knowledge"]


@dataclass(frozen=True, eq=False)
class DamagingKnowledge(Explained):
    """How many damaging pieces of background knowledge each class, and so the table, takes.

    Attributes
    ----------
    pieces
        Shape (classes,): the number of pieces that leave one value in the class.
    least
        The least of them, that of the table: 0 if a class is homogeneous.
    worst
        The indices of the classes that have it.
    records
        How many records are in those.
    conventions
        What was chosen on the way, by name.
    """

    pieces: IntArray
    least: int
    worst: npt.NDArray[np.intp]
    records: int
    conventions: Conventions

    def _said(self) -> str:
        return self.sentence

    @property
    def sentence(self) -> str:
        """What the number says, as text."""
        where = f"{len(self.worst)} class{'es' if len(self.worst) != 1 else ''} with {self.records} record(s)"
        if not self.least:
            return f"Nothing need be known beforehand: {where} give one value away."
        return (
            f"{self.least} value{'s' if self.least != 1 else ''} must be excluded beforehand to be left with one, "
            f"in {where}; no class falls to fewer."
        )

    def to_dict(self, classes: ClassCounts | None = None, *, worst: int = 3) -> dict[str, Any]:
        """Return the result as JSON-ready data, with some of the worst classes described if `classes` is given."""
        record: dict[str, Any] = {
            "pieces": self.least,
            "worst_classes": len(self.worst),
            "records": self.records,
            "sentence": self.sentence,
            "citation": "Machanavajjhala et al. 2006, §4.1",
            "conventions": dict(self.conventions),
        }
        if classes is not None:
            record["worst"] = [classes.describe(int(g)) for g in self.worst[:worst]]
        return record


def damaging_knowledge(classes: ClassCounts | FullTable) -> DamagingKnowledge:
    """Return for each class ℓ_g − 1, where ℓ_g = number of different sensitive values; the table has the least.

    A *damaging piece* of knowledge excludes one value for the person sought ("men do not have breast cancer", "Bob
    does not have diabetes"). With ℓ different values in her class, ℓ − 1 of them are needed to be left with one value,
    and the class withstands any ℓ − 2.

    Parameters
    ----------
    classes
        The released counts.

    Notes
    -----
    Exact and certain knowledge only. Where values are not well represented, fewer pieces already make one value
    *likely*; entropy and recursive ℓ-diversity bound that.

    References
    ----------
    Machanavajjhala et al. 2006, §4.1, the paragraphs before Principle 2.

    Examples
    --------
    >>> found = damaging_knowledge(ClassCounts.from_mapping({"a": {"x": 2, "y": 1, "z": 1}, "b": {"x": 3, "y": 1}}))
    >>> found.pieces.tolist(), found.least
    ([2, 1], 1)
    """
    classes = in_shape(classes, ClassCounts)
    classes.require_values("damaging knowledge")
    classes.require_records("damaging knowledge")
    pieces = np.diff(classes.starts) - 1
    least = int(pieces.min())
    worst = np.flatnonzero(pieces == least)
    return DamagingKnowledge(pieces, least, worst, int(classes.class_sizes[worst].sum()), classes.conventions)
