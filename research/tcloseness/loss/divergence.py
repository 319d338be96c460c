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
import numpy.typing as npt

from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.loss.protocol import Choices, Generalizing, LossResult, Source, loss_result, release_of
from tcloseness.loss.sums import log_sum
from tcloseness.microdata.grouping import combined_codes
from tcloseness.release.counting import totals
from tcloseness.release.recoding import LEAVES, Leaves
from tcloseness.release.release import Release

__all__ = ["KLUtility"]


@dataclass(frozen=True, kw_only=True)
class KLUtility(Choices):
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

    def evaluate(self, source: Source) -> LossResult:
        """Measure a release; the value lies between 0 and ln Π_A size_A."""
        release = release_of(source, self.name)
        if release.locally_recoded:
            name = release.locally_recoded[0]
            raise InputError(
                f"the {self.name} asks that a value lies below one label only, and values of {name!r} lie below "
                "several; NCP, LM and precision are defined for such releases"
            )
        spread = self.suppressed == "spread"
        counted = np.ones(len(release.original), dtype=bool) if spread else ~release.withheld
        n = int(release.original.counts[counted].sum())
        if not n:
            raise InputError("the KL utility of released records needs one, and every record is suppressed")
        everything = math.prod(r.size(self.leaves) for r in release.recodings.values())
        kept, lost, volumes = (each[counted].tolist() for each in self._alike(release))
        own = release.original.counts[counted].tolist()
        # of a combination some records may be suppressed, others not
        original = _shared(release.original.combinations(), counted, release.original.counts)[counted].tolist()
        exponents: Counter[int] = Counter()
        # p/p̂ = c·V·everything / (kept·everything + lost·V), with V combinations in the class
        for (c, mine, k, s, volume), times in Counter(zip(original, own, kept, lost, volumes, strict=True)).items():
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

    def _alike(self, release: Release) -> tuple[IntArray, IntArray, IntArray]:
        """Return, for each combination, how many released records with its sensitive values its class has.

        Then how many suppressed ones the whole table has, and for how many combinations the class stands. The class of
        a suppressed combination is the released one that stands for it too, if there is one.
        """
        table, shown = release.original, release.released
        kept = ~shown.suppressed
        volumes, codes, radices = np.ones(len(table), dtype=object), [], []
        for name, recoding in release.recodings.items():
            label = release.label_of_values(name)[table.codes[name]]
            volumes = volumes * np.append(recoding.leaf_counts(self.leaves), 1)[label]  # the last where there is none
            codes.append(np.append(label, shown.codes[name][kept]) + 1)
            radices.append(len(recoding.labels) + 1)
        values = [np.append(table.codes[name], shown.codes[name][kept]) for name in table.sensitive]
        sizes = [len(table.domains[name]) for name in table.sensitive]
        both = np.append(np.zeros(len(table), dtype=np.int64), shown.counts[kept])  # records of labels, not of values
        chosen = np.ones(len(both), dtype=bool)
        in_class = _shared(combined_codes([*codes, *values], [*radices, *sizes], rows=len(both)), chosen, both)
        of_values = combined_codes(values, sizes, rows=len(both))
        released = _shared(of_values, chosen, both)
        all_of_them = _shared(of_values, chosen, np.append(table.counts, np.zeros(int(kept.sum()), dtype=np.int64)))
        withheld = (all_of_them - released)[: len(table)]
        return in_class[: len(table)], withheld * (self.suppressed == "spread"), volumes


def _shared(groups: IntArray, chosen: npt.NDArray[np.bool_], counts: IntArray) -> IntArray:
    """Return, for each combination, how many chosen records its group has."""
    numbers = np.unique(groups, return_inverse=True)[1]
    return totals(numbers[chosen], counts[chosen], len(counts))[numbers]
