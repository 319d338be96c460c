"""δ-disclosure privacy: no class says much more, or much less, about a value than the table does.

Here too are the logarithms of exact ratios, one an equivalence class, that exp(ε)-closeness measures as well.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import LOG_FILTER, Bits, LogSum, LogSums, Rationals, log_of
from tcloseness.measures.ratio import Ratio, greatest_ratios
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.combination import Combinable
from tcloseness.models.conditions import ClassCondition, ShareBounds
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import COUNTED, Exact, Option, at_least, texts

__all__ = ["LACKS", "DeltaDisclosure", "log_ratios"]

LACKS = "a class lacks a value that the table has, so a probability falls by an infinite factor"
"""Why such a logarithm is infinite."""


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

    delta: Exact[Fraction | None] = Exact(at_least, 0, default=None, above=True)
    base: Literal[2, "e"] = 2
    absent: Literal["infinite", "skipped"] = "infinite"
    name = "delta-disclosure privacy"
    of_shares = True
    option = Option(
        "delta",
        "δ",
        "D",
        "No value's probability changes by D doublings or more in a class.",
        most=62,
        why=f"{COUNTED}, and log₂ of a ratio is ≤ 62",
    )

    def __post_init__(self) -> None:
        if self.base not in (2, "e"):
            raise InputError(f"base={self.base!r} is unknown; it is 2 or 'e'")
        if self.absent not in ("infinite", "skipped"):
            raise InputError(f"absent={self.absent!r} is unknown; it is 'infinite' or 'skipped'")

    @property
    def monotone(self) -> Monotone:
        """Monotone under generalization unless absent values are skipped; never under suppression."""
        return Monotone(generalization=self.absent == "infinite", suppression=False)

    @property
    def class_conditions(self) -> tuple[ClassCondition, ...]:
        """log(p/q) < δ and log(q/p) < δ, decided exactly."""
        if (delta := self.delta) is None:
            return ()

        def within(ratio: Fraction) -> bool:
            return bool((Bits(log_of(ratio).terms) if self.base == 2 else log_of(ratio)) < delta)

        return (
            ShareBounds(
                most=lambda p, q: p == 0 or (q > 0 and within(p / q)),
                least=lambda p, q: p > 0 and within(q / p),
                of_absent=self.absent == "infinite",
            ),
        )

    def measure_record(self, domain: Domain) -> dict[str, Any]:
        """See `tcloseness.models.protocol.PrivacyModel`."""
        return {"measure": "ratio", "absent": self.absent}

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the greatest |log(p/q)| of a class."""
        classes = in_shape(classes, ClassCounts)
        unit, changes = ("bits", "doublings") if self.base == 2 else ("nats", "times the factor e")
        return result(
            self,
            classes,
            log_ratios(self._ratios(classes), bits=self.base == 2),
            citation="Brickell and Shmatikov 2008",
            parameters={**texts(delta=self.delta), "base": str(self.base), "absent": self.absent},
            threshold=self.delta,
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
        return greatest_ratios(classes, either_way=True)


def log_ratios(ratios: Rationals, *, bits: bool = False) -> LogSums:
    """Return ln of each ratio ≥ 1, or log₂ of it, exact on demand; infinite where the ratio is."""
    doubles = ratios.floats()
    finite = np.isfinite(doubles)
    natural = np.log(np.where(finite, doubles, 1.0))
    approximate = np.where(finite, natural / np.log(2.0) if bits else natural, np.inf)
    # the ratio's relative error becomes an absolute one of its logarithm; the greatest double stands for all above it
    error = np.where(doubles < sys.float_info.max, (natural + 1) * LOG_FILTER * (2 if bits else 1), np.inf)
    return LogSums(approximate, error, partial(_log_ratio, ratios, bits), ratios.__getitem__)


def _log_ratio(ratios: Rationals, bits: bool, index: int) -> LogSum:
    ratio = ratios[index]
    assert isinstance(ratio, Fraction)
    found = log_of(ratio)
    return Bits(found.terms) if bits else found
