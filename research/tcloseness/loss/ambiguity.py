"""Ambiguity: how many original quasi-identifiers a released record could come from.

Nergiz and Clifton, "Thoughts on k-Anonymization", Data & Knowledge Engineering 63, 2007 (AM).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from tcloseness.errors import InputError
from tcloseness.loss.protocol import Choices, Generalizing, LossResult, Source, loss_result, release_of
from tcloseness.loss.sums import sum_of_products
from tcloseness.release.recoding import LEAVES, Leaves

__all__ = ["Ambiguity"]


@dataclass(frozen=True, kw_only=True)
class Ambiguity(Choices):
    """Ambiguity metric, AM = (1/records) Σ_records Π_A leaves(label_A): the mean number of combinations per record.

    Parameters
    ----------
    leaves
        Which values a label stands for: ``"hierarchy"`` (default) or ``"table"``, as in `GlobalCertaintyPenalty`.
    suppressed
        ``"whole"`` (default): a suppressed record could be any combination; ``"excluded"``: it does not count.

    Notes
    -----
    Combinations count whether they occur or not.

    References
    ----------
    Nergiz and Clifton 2007.
    """

    leaves: Leaves = "hierarchy"
    suppressed: Literal["whole", "excluded"] = "whole"
    name = "ambiguity"
    generalizing: ClassVar[Generalizing] = "never lowers it"

    def evaluate(self, source: Source) -> LossResult:
        """Measure a release; the value lies between 1 and the number of all combinations."""
        release = release_of(source, self.name)
        lost = 0 if self.suppressed == "excluded" else release.suppressed
        n = release.records - release.suppressed + lost
        if not n:
            raise InputError("ambiguity over released records needs one, and every record is suppressed")
        everything = math.prod(recoding.size(self.leaves) for recoding in release.recodings.values())
        shown = release.released
        kept = ~shown.suppressed
        volumes = [
            recoding.leaf_counts(self.leaves)[shown.codes[name][kept]] for name, recoding in release.recodings.items()
        ]
        return loss_result(
            self,
            release,
            Fraction(sum_of_products(shown.counts[kept], *volumes) + lost * everything, n),
            bounds=(1, everything),
            formula="(1/records) Σ_records Π_A leaves(label_A)",
            citation="Nergiz and Clifton 2007",
            suppressed_as=self.suppressed,
            conventions={"leaves of a label": LEAVES[self.leaves]},
        )
