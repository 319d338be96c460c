"""δ-disclosure privacy: no class says much more, or much less, about a value than the table does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import Number, Rationals, as_fraction, number_text
from tcloseness.measures.ratio import Ratio, cell_ratios, greatest_of_cells
from tcloseness.microdata import ClassCounts
from tcloseness.models.combination import Combinable
from tcloseness.models.log_ratios import LACKS, log_ratios
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import at_least

__all__ = ["DeltaDisclosure"]


@dataclass(frozen=True)
class DeltaDisclosure(Combinable):
    """δ-disclosure privacy: |log(p_s / q_s)| < δ for every class and every value s of the table.

    Parameters
    ----------
    delta
        A number > 0, or None to measure only.
    base
        The logarithm's base, 2 (δ and the value in bits) or ``"e"`` (in nats).
    absent
        What a value that a class lacks counts: ``"infinite"``, |log 0|, as the definition says; or ``"skipped"``.

    Notes
    -----
    The value of a class is its greatest |log(p/q)|, in [0, ∞], a logarithm of a rational number that is compared with δ
    exactly; < is strict. Under the definition every class must hold every value, and the model is monotone under
    generalization (p·e^−δ < q < p·e^δ is linear in p). Skipping absent values, it is not: a union may hold a value
    that one of its parts lacks, more rarely than any part that holds it. Never under suppression, which changes q.

    References
    ----------
    J. Brickell, V. Shmatikov, "The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data Publishing",
    KDD 2008.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 2}})
    >>> DeltaDisclosure().evaluate(classes).value, DeltaDisclosure(absent="skipped").evaluate(classes).value == 1
    (inf, True)
    """

    delta: Number | None = None
    base: Literal[2, "e"] = 2
    absent: Literal["infinite", "skipped"] = "infinite"
    name = "delta-disclosure privacy"

    def __post_init__(self) -> None:
        if self.delta is not None:
            object.__setattr__(self, "delta", at_least(self.delta, "delta", 0, above=True))
        if self.base not in (2, "e"):
            raise InputError(f"base={self.base!r} is unknown; it is 2 or 'e'")
        if self.absent not in ("infinite", "skipped"):
            raise InputError(f"absent={self.absent!r} is unknown; it is 'infinite' or 'skipped'")

    @property
    def monotone(self) -> Monotone:
        """Monotone under generalization unless absent values are skipped; never under suppression."""
        return Monotone(generalization=self.absent == "infinite", suppression=False)

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Measure the greatest |log(p/q)| of a class."""
        delta = None if self.delta is None else as_fraction(self.delta)
        unit, changes = ("bits", "doublings") if self.base == 2 else ("nats", "times the factor e")
        return result(
            self,
            classes,
            log_ratios(self._ratios(classes), bits=self.base == 2),
            citation="Brickell and Shmatikov 2008",
            parameters={
                **({} if delta is None else {"delta": number_text(delta)}),
                "base": str(self.base),
                "absent": self.absent,
            },
            threshold=delta,
            worst_is="largest",
            strict=True,
            threshold_name="delta",
            bounds=(0, None),
            reading=f"a class changes a value's probability by at most so many {changes}",
            why_infinite=LACKS,
            conventions={
                "absent values": self.absent,
                "unit": unit,
                "comparison": "strict: delta must be greater than the value",
            },
        )

    def _ratios(self, classes: ClassCounts) -> Rationals:
        """Return for each class the greatest max(p/q, q/p) of its values."""
        if self.absent == "infinite":
            return Ratio().per_class(classes)
        ours, theirs = cell_ratios(classes)
        return greatest_of_cells(np.maximum(ours, theirs), np.minimum(ours, theirs), classes)
