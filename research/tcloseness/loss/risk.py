"""How likely a record is to be re-identified by its quasi-identifiers: what is left to gain by more generalization.

With the released table as the population: the *prosecutor* knows that a person is in it, and finds the right record
with probability 1/n_g; the *marketer* links all records and gets a share classes/n of them right. The *journalist*
model replaces n_g by the class's size in a larger population, which a table alone does not show. El Emam and Dankar,
"Protecting Privacy Using k-Anonymity", JAMIA 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from tcloseness.loss.class_size import released_sizes
from tcloseness.loss.protocol import Choices, Generalizing, LossResult, Source, loss_result

__all__ = ["AverageRisk", "MaximalRisk"]

Suppressed = Literal["excluded", "one-class"]

_CITATION = "El Emam and Dankar 2008"


@dataclass(frozen=True)
class MaximalRisk(Choices):
    """Maximal re-identification risk, max_g 1/n_g (the prosecutor's).

    Parameters
    ----------
    suppressed
        ``"excluded"`` (default): suppressed records are in no class; ``"one-class"``: they are one more.

    References
    ----------
    El Emam and Dankar 2008.

    Examples
    --------
    >>> from tcloseness.microdata import ClassCounts
    >>> MaximalRisk().evaluate(ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 2}})).value
    Fraction(1, 2)
    """

    suppressed: Suppressed = "excluded"
    name = "maximal re-identification risk"
    generalizing: ClassVar[Generalizing] = "never raises it"

    def evaluate(self, source: Source) -> LossResult:
        """Measure a table; the value lies in (0, 1]."""
        sizes = released_sizes(source, self.name, one_class=self.suppressed == "one-class")
        return loss_result(
            self,
            source,
            Fraction(1, int(sizes.min())),
            bounds=(Fraction(1, int(sizes.sum())), 1),
            formula="max_g 1/n_g",
            citation=_CITATION,
            suppressed_as=self.suppressed,
        )


@dataclass(frozen=True)
class AverageRisk(Choices):
    """Average re-identification risk, over records classes/n or over classes mean_g 1/n_g.

    Parameters
    ----------
    over
        ``"records"`` (default): the mean of 1/n_g over the records, which is classes/n and the marketer's risk (ARX);
        ``"classes"``: the mean over the classes (pyCANON).
    suppressed
        As for `MaximalRisk`.

    Notes
    -----
    Merging classes never raises the mean over records; the mean over classes it can raise: sizes 1, 9, 9 have 11/27,
    and 1, 18 have 19/36.

    References
    ----------
    El Emam and Dankar 2008.

    Examples
    --------
    >>> from tcloseness.microdata import ClassCounts
    >>> classes = ClassCounts.from_matrix([[1, 1, 2, 3]])
    >>> AverageRisk().evaluate(classes).value, AverageRisk(over="classes").evaluate(classes).value
    (Fraction(4, 7), Fraction(17, 24))
    """

    over: Literal["records", "classes"] = "records"
    suppressed: Suppressed = "excluded"

    @property
    def name(self) -> str:
        """The name, with what is averaged over."""
        return f"average re-identification risk over {self.over}"

    @property
    def generalizing(self) -> Generalizing:
        """Whether merging classes can raise it."""
        return "never raises it" if self.over == "records" else "may do either"

    def evaluate(self, source: Source) -> LossResult:
        """Measure a table; the value lies in (0, 1]."""
        sizes = released_sizes(source, self.name, one_class=self.suppressed == "one-class")
        n, classes = int(sizes.sum()), len(sizes)
        if self.over == "records":
            value = Fraction(classes, n)
        else:
            different, how_many = np.unique(sizes, return_counts=True)
            pairs = zip(how_many.tolist(), different.tolist(), strict=True)
            value = sum((Fraction(c, size) for c, size in pairs), Fraction(0)) / classes
        return loss_result(
            self,
            source,
            value,
            bounds=(Fraction(1, n), 1),
            formula="classes / n" if self.over == "records" else "Σ_g (1/n_g) / classes",
            citation=_CITATION,
            suppressed_as=self.suppressed,
        )
