"""Classification metric: how well the classes still predict a label.

Iyengar, "Transforming Data to Satisfy Privacy Constraints", KDD 2002 (CM).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from tcloseness.errors import InputError
from tcloseness.loss.protocol import Choices, Generalizing, LossResult, Source, loss_result
from tcloseness.microdata import ClassCounts
from tcloseness.release.release import Release

__all__ = ["ClassificationMetric"]

_TIES = {"one-winner": "one of several most frequent labels wins", "all-win": "all most frequent labels win"}


@dataclass(frozen=True, kw_only=True)
class ClassificationMetric(Choices):
    """Classification metric, CM = (records whose label is not their class's most frequent + suppressed) / n.

    Parameters
    ----------
    label
        The sensitive attribute that is the label; needed where a release has several.
    ties
        ``"one-winner"`` (default): where several labels are the most frequent, the records of all but one are
        penalized; ``"all-win"``: of none (pyCANON, for which a class of halves costs 0 and not 1/2).
    suppressed
        ``"penalty"`` (default): each costs 1; ``"excluded"``: they do not count.

    Notes
    -----
    With one winner, merging classes never lowers it; with all winners it can, so it is not a measure of loss then.

    References
    ----------
    Iyengar 2002.

    Examples
    --------
    >>> halves = ClassCounts.from_mapping({"a": {"x": 2, "y": 2}})
    >>> ClassificationMetric().evaluate(halves).value, ClassificationMetric(ties="all-win").evaluate(halves).value
    (Fraction(1, 2), Fraction(0, 1))
    """

    label: str | None = None
    ties: Literal["one-winner", "all-win"] = "one-winner"
    suppressed: Literal["penalty", "excluded"] = "penalty"
    name = "classification metric"

    @property
    def generalizing(self) -> Generalizing:
        """Whether merging classes can lower it."""
        return "never lowers it" if self.ties == "one-winner" else "may do either"

    def evaluate(self, source: Source) -> LossResult:
        """Measure a table; the value lies between 0 and 1."""
        if isinstance(source, ClassCounts) and self.label not in (None, source.sensitive):
            raise InputError(f"the label is to be {self.label!r}, and the class counts are of {source.sensitive!r}")
        if isinstance(source, ClassCounts):
            source.require_records(f"the {self.name}")
        lost = 0 if self.suppressed == "excluded" else source.suppressed
        released = int(source.class_sizes.sum())
        if not released + lost:
            raise InputError("the classification metric over released records needs one, and all are suppressed")
        right, label = 0, self.label
        if released:
            classes = source.class_counts(self.label) if isinstance(source, Release) else source
            classes.require_values(f"the {self.name}")
            label = classes.sensitive
            most = np.maximum.reduceat(classes.counts, classes.starts[:-1])
            if self.ties == "all-win":
                right = int(classes.counts[classes.counts == most[classes.class_of_cell]].sum())
            else:
                right = int(most.sum())
        return loss_result(
            self,
            source,
            Fraction(released - right + lost, released + lost),
            bounds=(0, 1),
            formula="(Σ_g (n_g − most frequent label's records) + suppressed) / n",
            citation="Iyengar 2002",
            suppressed_as=self.suppressed,
            parameters={} if label is None else {"label": label},
            conventions={"ties": _TIES[self.ties]},
        )
