"""Non-uniform entropy: how surprising the original values are to a reader of the release.

De Waal and Willenborg, "Information Loss Through Global Recoding and Local Suppression", Netherlands Official
Statistics 14, 1999; Gionis and Tassa, "k-Anonymization with Minimal Loss of Information", TKDE 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from tcloseness.exact import LogSum
from tcloseness.loss.protocol import Choices, Generalizing, LossResult, Source, loss_result, release_of
from tcloseness.loss.sums import log_sum
from tcloseness.release.recoding import Recoding
from tcloseness.release.release import Release

__all__ = ["NonUniformEntropy"]

_Terms = list[tuple[int, int]]


@dataclass(frozen=True)
class NonUniformEntropy(Choices):
    """Non-uniform entropy, Σ_records Σ_A −ln Pr(value | label), in nats.

    Pr(value | label) is the share of the value among the original's records whose value lies below the label.

    Parameters
    ----------
    suppressed
        ``"whole"`` (default): a suppressed cell stands for all values, −ln Pr(value); ``"excluded"``: it costs
        nothing.

    Notes
    -----
    The sum is over records, not a mean, and is not normalised; the result's upper bound is that of the fully
    generalized table, so `LossResult.share` is the normalised value. The frequencies are always those of the whole
    original.

    References
    ----------
    De Waal and Willenborg 1999; Gionis and Tassa 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.microdata import FrequencySet, Hierarchy
    >>> table = pd.DataFrame({"sex": ["f", "f", "m", "m"], "s": [1, 2, 1, 2]})
    >>> original = FrequencySet.from_frame(table, quasi_identifiers="sex", sensitive="s")
    >>> release = Release.full_domain(original, {"sex": Hierarchy.suppression(["f", "m"])}, {"sex": 1})
    >>> NonUniformEntropy().evaluate(release).value == LogSum({2: 4})  # 4 ln 2
    True
    """

    suppressed: Literal["whole", "excluded"] = "whole"
    name = "non-uniform entropy"
    generalizing: ClassVar[Generalizing] = "never lowers it"

    def evaluate(self, source: Source) -> LossResult:
        """Measure a release; the value lies between 0 and n times the sum of the attributes' entropies."""
        release = release_of(source, self.name)
        parts = {name: self._terms(release, recoding) for name, recoding in release.recodings.items()}
        highest = [term for name in release.recodings for term in _whole(release, name)]
        return loss_result(
            self,
            release,
            log_sum(term for part in parts.values() for term in part),
            bounds=(LogSum({}), log_sum(highest)),
            terms={name: log_sum(part) for name, part in parts.items()},
            formula="Σ_records Σ_A −ln(records with the value / records below the label)",
            citation="de Waal and Willenborg 1999; Gionis and Tassa 2009",
            suppressed_as=self.suppressed,
            conventions={"unit": "nats"},
        )

    def _terms(self, release: Release, recoding: Recoding) -> _Terms:
        counts = release.original.totals_of(recoding.name)
        terms = _log_terms(release.label_counts(recoding.name), recoding.leaf_sums(counts, "table"))
        if self.suppressed == "whole":  # −ln Pr(value) of suppressed records too: by all of them the values are summed
            return [*terms, (release.records, release.suppressed), *_log_terms(-counts, counts)]
        return [*terms, *_log_terms(-release.value_counts(recoding.name, withheld=False), counts)]


def _log_terms(exponents: object, bases: object) -> _Terms:
    pairs = zip(exponents.tolist(), bases.tolist(), strict=True)  # type: ignore[attr-defined]
    return [(base, exponent) for exponent, base in pairs if exponent]


def _whole(release: Release, name: str) -> _Terms:
    counts = release.original.totals_of(name)
    return [(release.records, release.records), *_log_terms(-counts, counts)]
