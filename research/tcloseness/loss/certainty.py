"""How uncertain each released cell is: NCP, GCP and LM.

Xu, Wang, Pei, Wang, Shi, Fu, "Utility-Based Anonymization Using Local Recoding", KDD 2006 (NCP); Ghinita, Karras,
Kalnis, Mamoulis, "Fast Data Anonymization with Low Information Loss", VLDB 2007 (GCP); Iyengar, "Transforming Data
to Satisfy Privacy Constraints", KDD 2002 (LM).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import IntArray, Number
from tcloseness.loss.per_class import CellCost, total_of
from tcloseness.loss.protocol import Choices, Generalizing, LossResult, Source, loss_result, release_of
from tcloseness.loss.sums import sum_of_products
from tcloseness.loss.weights import read_weights, weight_parameters
from tcloseness.microdata.grouping import grouped
from tcloseness.release.recoding import LEAVES, Leaves, Recoding
from tcloseness.release.release import Release

__all__ = ["GlobalCertaintyPenalty", "LossMetric", "NormalizedCertaintyPenalty"]

Extent: TypeAlias = Literal["label", "class"]
Suppressed: TypeAlias = Literal["whole", "excluded"]

_EXTENTS = {"label": "from the first to the last value below the label", "class": "of the class's own values (tight)"}


def xu(extents: IntArray, whole: int, counted: bool) -> tuple[IntArray, int]:
    """Return NCP_A of labels, times the unit that comes with them: (max − min)/range; leaves/size, 0 for one leaf."""
    return np.where(extents > 1, extents, 0) if counted else extents, max(whole, 1)


def iyengar(extents: IntArray, whole: int, counted: bool) -> tuple[IntArray, int]:
    """Return LM_A of labels likewise: (max − min)/range; (leaves − 1)/(size − 1)."""
    if not counted:
        return extents, max(whole, 1)
    return np.where(extents > 1, extents - 1, 0), max(whole - 1, 1)


def _mean(total: Fraction, records: int, attributes: int) -> Fraction:
    return total / (records * attributes)


NCP = CellCost(xu, total_of)
"""The penalty of cells by Xu et al., summed."""


@dataclass(frozen=True, kw_only=True)
class _Cells(Choices):
    """The choices behind the penalty of a cell; see `GlobalCertaintyPenalty`."""

    name: ClassVar[str]
    generalizing: ClassVar[Generalizing] = "never lowers it"
    of_cells: ClassVar[CellCost]
    of_a_cell: ClassVar[str]
    formula: ClassVar[str]
    citation: ClassVar[str]

    numeric: Collection[str] | None = None
    leaves: Leaves = "hierarchy"
    extent: Extent = "label"
    suppressed: Suppressed = "whole"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.numeric is not None:
            names = (self.numeric,) if isinstance(self.numeric, str) else tuple(self.numeric)
            object.__setattr__(self, "numeric", names)

    @property
    def terms_are(self) -> Literal["summed"] | None:
        """A label's own extent follows from its level, the extent of a class's values does not."""
        return "summed" if self.extent == "label" else None

    @property
    def checked_as(self) -> str | None:
        """The loss's name for the checker of optima, with the choices as they are by default."""
        plain = not self.numeric and replace(self, suppressed="whole", numeric=None) == type(self)()
        return self.name.lower() if plain else None

    @property
    def suppressing(self) -> Generalizing | None:
        """No cell costs more than a suppressed one, where these count."""
        return "never lowers it" if self.suppressed == "whole" else None

    @property
    def class_cost(self) -> CellCost | None:
        """A class costs n·Σ_A of its labels' penalties, as the choices are by default."""
        return self.of_cells if replace(self, numeric=None) == type(self)() else None

    def intervals(self, release: Release) -> tuple[str, ...]:
        """Return the attributes whose cells are intervals of numbers."""
        if self.numeric is not None:
            return tuple(self.numeric)
        return tuple(name for name, recoding in release.recodings.items() if recoding.numeric)

    def penalties(self, release: Release, name: str) -> dict[str, Fraction]:
        """Return each attribute's penalty, summed over the counted records."""
        numeric = self.intervals(release)
        release.require_attributes(name, numeric)
        if self.suppressed == "excluded" and not len(release):
            raise InputError(f"{name} over released records needs one, and every record is suppressed")
        lost = 0 if self.suppressed == "excluded" else release.suppressed
        found = {}
        for attribute, recoding in release.recodings.items():
            counts, extents, whole = self._extents(release, recoding, attribute in numeric)
            penalties, unit = self.of_cells.penalties(extents, whole, attribute not in numeric)
            found[attribute] = lost + Fraction(sum_of_products(counts, penalties), unit)
        return found

    def _extents(self, release: Release, recoding: Recoding, numeric: bool) -> tuple[IntArray, IntArray, int]:
        """Return how many records each label has, or each class, its extent, and that of the whole."""
        if not numeric:
            return (
                release.label_counts(recoding.name),
                recoding.leaf_counts(self.leaves),
                recoding.size(self.leaves),
            )
        if self.extent == "label":
            return release.label_counts(recoding.name), *recoding.extents(self.leaves)
        if not len(release):
            return release.class_sizes, release.class_sizes, 0
        by_class = np.argsort(release.class_of, kind="stable")[int(release.withheld.sum()) :]
        starts, _ = grouped(release.class_of[by_class], np.ones(len(by_class), dtype=np.int64))
        codes = release.original.codes[recoding.name][by_class]
        return release.class_sizes, *recoding.class_extents(self.leaves, codes, starts)

    def evaluate(self, source: Source) -> LossResult:
        """Measure a release; the value lies between 0 and what it is where every record is suppressed."""
        release, given = release_of(source, self.name), getattr(self, "weights", None)
        weights, penalties = read_weights(given, release), self.penalties(release, self.name)
        n, numeric = self._counted(release), self.intervals(release)
        greatest = self._greatest(n, list(weights.values()))
        total = sum((weights[a] * penalty for a, penalty in penalties.items()), Fraction(0))
        chosen = {"loss": self.of_a_cell, "leaves of a label": LEAVES[self.leaves]}
        return loss_result(
            self,
            release,
            greatest * total / (n * sum(weights.values(), Fraction(0))),
            bounds=(0, greatest),
            terms={a: self._term(penalty, weights[a], n) for a, penalty in penalties.items()},
            formula=self.formula,
            citation=self.citation,
            suppressed_as=self.suppressed,
            parameters={"numeric": ", ".join(sorted(map(str, numeric))) or "none", **weight_parameters(given)},
            conventions=chosen | ({"extent of a numeric cell": _EXTENTS[self.extent]} if numeric else {}),
        )

    def _counted(self, release: Release) -> int:
        return release.records - (release.suppressed if self.suppressed == "excluded" else 0)

    def _greatest(self, records: int, weights: Sequence[Fraction]) -> Fraction:
        """Return the greatest value that there could be."""
        return Fraction(1)

    def _term(self, penalty: Fraction, weight: Fraction, records: int) -> Fraction:
        """Return an attribute's term, from its penalty summed over the records."""
        return penalty / records


@dataclass(frozen=True, kw_only=True)
class _Xu(_Cells):
    """Cells by Xu et al., weighted by attribute."""

    weights: Mapping[str, Number] | None = None
    of_a_cell: ClassVar[str] = "(max − min)/range; categorical: leaves/size, 0 for one leaf"


@dataclass(frozen=True, kw_only=True)
class NormalizedCertaintyPenalty(_Xu):
    """Weighted certainty penalty of the table, NCP(T) = Σ_records Σ_A w_A·NCP_A(record).

    NCP of a numeric cell is (max − min)/range, of a categorical one leaves/size, and 0 where there is one leaf.

    Parameters
    ----------
    weights
        A weight ≥ 0 of each attribute; those that are not named have 1.
    numeric, leaves, extent, suppressed
        As for `GlobalCertaintyPenalty`.

    References
    ----------
    Xu et al. 2006.
    """

    name = "NCP"
    of_cells = NCP
    formula = "Σ_records Σ_A w_A·NCP_A"
    citation = "Xu et al. 2006"

    def _greatest(self, records: int, weights: Sequence[Fraction]) -> Fraction:
        return records * sum(weights, Fraction(0))

    def _term(self, penalty: Fraction, weight: Fraction, records: int) -> Fraction:
        return weight * penalty


@dataclass(frozen=True, kw_only=True)
class GlobalCertaintyPenalty(_Xu):
    """Global certainty penalty, GCP = Σ_records Σ_A w_A·NCP_A / (records · Σ_A w_A): NCP as a share.

    Parameters
    ----------
    numeric
        The attributes whose cells are intervals of numbers or dates; all others are categorical. By default those that
        the release shows as intervals of its own values' numbers.
    leaves
        How many values there are: ``"hierarchy"`` (default): those of the hierarchy, whether they occur or not;
        ``"table"``: those of the table's domain. Also decides the range of a numeric attribute.
    extent
        How wide a numeric cell is: ``"label"`` (default): from the first to the last value below its label;
        ``"class"``: from the least to the greatest value that its equivalence class really has.
    suppressed
        ``"whole"`` (default): a suppressed record costs 1 per attribute; ``"excluded"``: nothing, and does not count.
    weights
        A weight ≥ 0 of each attribute; those that are not named have 1.

    Notes
    -----
    An attribute of one value, or of range 0, costs nothing unless it is suppressed. Merging classes never lowers it.

    References
    ----------
    Ghinita et al. 2007; NCP: Xu et al. 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.microdata import FrequencySet, Hierarchy
    >>> table = pd.DataFrame({"town": ["a", "b", "c", "d", "e"], "s": [1, 2, 3, 4, 5]})
    >>> towns = Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d", "e"]}])
    >>> original = FrequencySet.from_frame(table, quasi_identifiers="town", sensitive="s")
    >>> GlobalCertaintyPenalty().evaluate(Release.full_domain(original, {"town": towns}, {"town": 1})).value
    Fraction(13, 25)
    """

    name = "GCP"
    of_cells = CellCost(xu, _mean)
    formula = "Σ_records Σ_A w_A·NCP_A / (records · Σ_A w_A)"
    citation = "Ghinita et al. 2007; Xu et al. 2006"

    @property
    def level_weights(self) -> Mapping[str, Number]:
        """The terms are means, which the value weights."""
        return self.weights or {}


@dataclass(frozen=True, kw_only=True)
class LossMetric(_Cells):
    """Loss metric, LM: per attribute the mean over records of (leaves − 1)/(size − 1), or (max − min)/range.

    Parameters
    ----------
    attributes
        ``"mean"`` (default): the mean over the attributes, at most 1; ``"sum"``: their sum.
    numeric, leaves, extent, suppressed
        As for `GlobalCertaintyPenalty`.

    Notes
    -----
    ARX's "Loss" is, with its defaults, the geometric mean Π_A (1 + term_A)^(1/attributes) − 1 of these terms.

    References
    ----------
    Iyengar 2002.
    """

    attributes: Literal["mean", "sum"] = "mean"
    name = "LM"
    of_cells = CellCost(iyengar, _mean)
    of_a_cell: ClassVar[str] = "(max − min)/range; categorical: (leaves − 1)/(size − 1)"
    formula = "over A of the mean over records of (leaves − 1)/(size − 1)"
    citation = "Iyengar 2002"

    def evaluate(self, source: Source) -> LossResult:
        """Measure a release; the value lies between 0 and 1, or the number of attributes for the sum."""
        found = super().evaluate(source)
        conventions = found.conventions.but({"several attributes": self.attributes})
        return replace(found, formula=f"{self.attributes} {self.formula}", conventions=conventions)

    def _greatest(self, records: int, weights: Sequence[Fraction]) -> Fraction:
        return Fraction(len(weights) if self.attributes == "sum" else 1)
