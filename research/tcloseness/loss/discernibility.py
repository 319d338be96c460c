"""Discernibility: from how many records each record is not distinguished.

Bayardo and Agrawal, "Data Privacy Through Optimal k-Anonymization", ICDE 2005; Machanavajjhala et al. 2006, §6; Li et
al. 2007, §6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from tcloseness.errors import InputError
from tcloseness.loss.per_class import SizeCost, total_of
from tcloseness.loss.protocol import Choices, Generalizing, LossResult, Source, loss_result
from tcloseness.loss.sums import sum_of_products
from tcloseness.release.release import Release

__all__ = ["Discernibility"]

_FORMULAS = {
    "whole-table": "Σ_g n_g² + n·suppressed",
    "one-class": "Σ_g n_g² + suppressed²",
    "before-suppression": "Σ_g n_g² over the classes before suppression",
    "excluded": "Σ_g n_g²",
}


@dataclass(frozen=True)
class Discernibility(Choices):
    """Discernibility metric, DM = Σ_g n_g² + n·suppressed, with n all records.

    Parameters
    ----------
    suppressed
        What suppressed records cost: ``"whole-table"`` (default): n each (Bayardo and Agrawal, Machanavajjhala et al.
        2006, Li et al. 2007); ``"one-class"``: together they are one more class; ``"before-suppression"``: DM*, the
        classes are counted as they were before suppression, which makes the loss monotone (ARX); ``"excluded"``:
        nothing (LeFevre et al.).

    Notes
    -----
    The variant can change which node of a lattice is best. DM* needs a `Release`, or class counts without suppressed
    records. Merging classes never lowers any variant: (a + b)² ≥ a² + b².

    References
    ----------
    Bayardo and Agrawal 2005. Machanavajjhala et al. 2006, §6 and Li et al. 2007, §6 use it without suppression.

    Examples
    --------
    >>> from tcloseness.microdata import ClassCounts
    >>> classes = ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 2}})
    >>> Discernibility().evaluate(classes).value
    Fraction(13, 1)
    """

    suppressed: Literal["whole-table", "one-class", "before-suppression", "excluded"] = "whole-table"
    name = "discernibility"
    generalizing: ClassVar[Generalizing] = "never lowers it"

    @property
    def before_suppression(self) -> bool:
        """Whether the classes are counted as they were before suppression."""
        return self.suppressed == "before-suppression"

    @property
    def class_cost(self) -> SizeCost | None:
        """A class of n records costs n²; that suppressed ones cost n each is asked for."""
        if self.suppressed != "whole-table":
            return None
        return SizeCost(total_of, of_size=_squared, suppressed=int)

    @property
    def checked_as(self) -> str:
        """The loss's name for the checker of optima; see `tcloseness.loss.protocol.Loss`."""
        return "discernibility" if self.suppressed == "whole-table" else f"discernibility-{self.suppressed}"

    def evaluate(self, source: Source) -> LossResult:
        """Measure a table; the value is a whole number between the number of counted records and its square."""
        sizes, lost = source.people, source.suppressed
        n = int(sizes.sum()) + lost
        if self.before_suppression:
            if isinstance(source, Release):
                sizes = source.sizes_before_suppression
            elif lost:
                raise InputError(
                    f"DM* counts the classes of the {lost} suppressed records too, and class counts do not have them; "
                    "give a Release"
                )
        value = sum_of_products(sizes, sizes)
        value += {"whole-table": n * lost, "one-class": lost * lost}.get(self.suppressed, 0)
        counted = n - lost if self.suppressed == "excluded" else n
        return loss_result(
            self,
            source,
            value,
            bounds=(counted, counted * counted),
            formula=_FORMULAS[self.suppressed],
            citation="Bayardo and Agrawal 2005",
            suppressed_as=self.suppressed,
        )


def _squared(records: int) -> int:
    return records * records
