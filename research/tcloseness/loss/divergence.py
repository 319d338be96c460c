"""KL utility: how far the table that a reader would reconstruct lies from the original.

Kifer and Gehrke, "Injecting Utility into Anonymized Datasets", SIGMOD 2006.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.loss.protocol import Generalizing, LossResult, Source, loss_result, one_of, release_of
from tcloseness.loss.sums import log_sum
from tcloseness.microdata.frequency import combined_codes
from tcloseness.release.counting import totals
from tcloseness.release.recoding import LEAVES, Leaves
from tcloseness.release.release import Release

__all__ = ["KLUtility"]


@dataclass(frozen=True, kw_only=True)
class KLUtility:
    """KL utility, KL[p ‖ p̂] = Σ_x p(x) ln(p(x)/p̂(x)) over combinations x of all values, in nats.

    p is the original's joint distribution of the quasi-identifiers and the sensitive attributes; p̂ is what the release
    leaves of it: the records of a class that carry the sensitive values s, spread evenly over the Π_A leaves(label_A)
    combinations that the class stands for. p̂ is the distribution of greatest entropy that fits the release.

    Parameters
    ----------
    leaves
        Which values a label stands for: ``"hierarchy"`` (default) or ``"table"``, as in `GlobalCertaintyPenalty`.
    suppressed
        ``"spread"`` (default): suppressed records keep their sensitive values and are spread over all combinations of
        quasi-identifiers; ``"excluded"``: both distributions are those of the released records.

    Notes
    -----
    Never infinite, since p̂ is positive wherever p is; at most ln of the number of combinations of quasi-identifiers.
    More generalization never lowers it (log sum inequality).

    References
    ----------
    Kifer and Gehrke 2006.
    """

    leaves: Leaves = "hierarchy"
    suppressed: Literal["spread", "excluded"] = "spread"
    name = "KL utility"
    generalizing: ClassVar[Generalizing] = "never lowers it"

    def __post_init__(self) -> None:
        one_of(self.leaves, LEAVES, "what a label stands for")
        one_of(self.suppressed, ("spread", "excluded"), "what suppressed records count in the KL utility")

    def evaluate(self, source: Source) -> LossResult:
        """Measure a release; the value lies between 0 and ln Π_A size_A."""
        release = release_of(source, self.name)
        if release.locally_recoded:
            name = release.locally_recoded[0]
            raise InputError(
                f"the {self.name} asks that a value is shown alike in all records, and values of {name!r} are shown in "
                "several ways; NCP, LM and precision are defined for such releases"
            )
        spread = self.suppressed == "spread"
        counted = np.ones(len(release.withheld), dtype=bool) if spread else ~release.withheld
        n = int(release.original.counts[counted].sum())
        if not n:
            raise InputError("the KL utility of released records needs one, and every record is suppressed")
        everything = math.prod(r.size(self.leaves) for r in release.recodings.values())
        kept, lost = self._alike(release, counted)
        volumes = self._volumes(release, counted)
        own = release.original.counts[counted]
        alike = release.original.combinations()[counted]  # of a combination some records may be suppressed, others not
        original = totals(alike, own, len(release.original))[alike].tolist()
        exponents: Counter[int] = Counter()
        # p/p̂ = c·V·everything / (kept·everything + lost·V), with V combinations in the class
        for (c, mine, k, s, volume), times in Counter(
            zip(original, own.tolist(), kept, lost, volumes, strict=True)
        ).items():
            mass = mine * times
            exponents[c] += mass
            exponents[volume] += mass
            if s:
                exponents[everything] += mass
                exponents[k * everything + s * volume] -= mass
            else:
                exponents[k] -= mass
        return loss_result(
            self,
            release,
            log_sum((base, Fraction(mass, n)) for base, mass in exponents.items()),
            bounds=(log_sum(()), log_sum([(everything, 1)])),
            formula="Σ_x p(x) ln(p(x)/p̂(x)), p̂ even over the combinations of a class",
            citation="Kifer and Gehrke 2006",
            suppressed_as=self.suppressed,
            conventions={"unit": "nats", "leaves of a label": LEAVES[self.leaves]},
        )

    def _alike(self, release: Release, counted: IntArray) -> tuple[list[int], list[int]]:
        """Return, for each counted combination, how many records with its sensitive values share its class.

        First the released ones; then the suppressed ones of the whole table.
        """
        table, kept = release.original, ~release.withheld
        before, classes = release.classes_before_suppression
        values = combined_codes(
            [table.codes[name] for name in table.sensitive], [len(table.domains[name]) for name in table.sensitive]
        )
        values, among = np.unique(values, return_inverse=True)
        groups, member = np.unique(combined_codes([before, among], [classes, len(values)]), return_inverse=True)
        in_class = totals(member[kept], table.counts[kept], len(groups))
        withheld = totals(among[~kept], table.counts[~kept], len(values))
        if self.suppressed == "excluded":
            withheld[:] = 0
        return in_class[member[counted]].tolist(), withheld[among[counted]].tolist()

    def _volumes(self, release: Release, counted: IntArray) -> list[int]:
        product = np.ones(int(counted.sum()), dtype=np.int64)
        largest = math.prod(int(r.leaf_counts(self.leaves).max()) for r in release.recodings.values())
        if largest >= 2**62:
            product = product.astype(object)
        for name, recoding in release.recodings.items():
            leaves = recoding.leaf_counts(self.leaves)
            product = product * leaves[release.codes[name][counted]]
        return list(product.tolist())
