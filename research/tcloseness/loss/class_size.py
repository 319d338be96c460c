"""How large the equivalence classes are on average.

LeFevre, DeWitt, Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006; Machanavajjhala et al. 2006, §6 and
Li et al. 2007, §6, where the least mean size over the minimal generalizations is the *minimal average group size*.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Literal

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.loss.per_class import SizeCost
from tcloseness.loss.protocol import Choices, Generalizing, LossResult, Source, loss_result
from tcloseness.models.thresholds import whole

__all__ = ["AverageClassSize", "released_sizes"]


def released_sizes(source: Source, loss: str, *, one_class: bool) -> IntArray:
    """Return the class sizes, with the suppressed records as one more class if asked.

    Raises
    ------
    InputError
        If there is no class.
    """
    sizes = source.people
    if one_class and source.suppressed:
        sizes = np.append(sizes, source.suppressed)
    if not len(sizes):
        raise InputError(f"{loss} needs a released class, and every record is suppressed")
    return sizes


@dataclass(frozen=True)
class AverageClassSize(Choices):
    """Average class size n / classes, or C_AVG = (n / classes) / k.

    Parameters
    ----------
    k
        What to divide by: None (default) nothing, the mean class size of Machanavajjhala et al. 2006 and Li et al.
        2007; a whole number, the k that was aimed at (LeFevre et al.); ``"achieved"``, the size of the smallest class
        (pyCANON).
    suppressed
        ``"excluded"`` (default): n counts released records only; ``"in-n"``: n counts all records; ``"one-class"``:
        the suppressed records are one more class (ARX).

    Notes
    -----
    Merging classes never lowers it, except with ``k="achieved"``.

    References
    ----------
    LeFevre et al. 2006. Machanavajjhala et al. 2006, §6; Li et al. 2007, §6.

    Examples
    --------
    >>> from tcloseness.microdata import ClassCounts
    >>> classes = ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 2}})
    >>> AverageClassSize().evaluate(classes).value, AverageClassSize(k=2).evaluate(classes).value
    (Fraction(5, 2), Fraction(5, 4))
    """

    k: int | Literal["achieved"] | None = None
    suppressed: Literal["excluded", "in-n", "one-class"] = "excluded"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k is not None and not (isinstance(self.k, str) and self.k == "achieved"):
            object.__setattr__(self, "k", whole(self.k, "k"))

    @property
    def name(self) -> str:
        """C_AVG if it is divided by a k, else average class size."""
        return "average class size" if self.k is None else "C_AVG"

    @property
    def generalizing(self) -> Generalizing:
        """Whether merging classes can lower it."""
        return "may do either" if self.k == "achieved" else "never lowers it"

    @property
    def class_cost(self) -> SizeCost | None:
        """Each class costs −1; suppression lowers the loss unless all records count."""
        if self.k == "achieved" or self.suppressed != "excluded":
            return None
        k = self.k or 1
        return SizeCost(partial(_mean_size, k), each=-1)

    @property
    def checked_as(self) -> str | None:
        """The loss's name for the checker of optima; see `tcloseness.loss.protocol.Loss`."""
        if self.k == "achieved":
            return None
        name = "class-size" if self.suppressed == "excluded" else f"class-size-{self.suppressed}"
        return name if self.k is None else f"{name}/{self.k}"

    def evaluate(self, source: Source) -> LossResult:
        """Measure a table; without k the value lies between 1 and the number of counted records."""
        sizes = released_sizes(source, self.name, one_class=self.suppressed == "one-class")
        n = int(sizes.sum()) + (source.suppressed if self.suppressed == "in-n" else 0)
        k = 1 if self.k is None else int(sizes.min()) if self.k == "achieved" else int(self.k)
        divided = "" if self.k is None else " / smallest class" if self.k == "achieved" else " / k"
        return loss_result(
            self,
            source,
            Fraction(n, len(sizes) * k),
            bounds=(Fraction(1, 1 if self.k == "achieved" else k), Fraction(n, 1 if self.k == "achieved" else k)),
            formula="n / classes" + divided,
            citation="LeFevre et al. 2006",
            suppressed_as=self.suppressed,
            parameters={} if self.k is None else {"k": str(self.k)},
        )


def _mean_size(k: int, total: Fraction, records: int, _: int) -> Fraction:
    return Fraction(records) / -total / k
