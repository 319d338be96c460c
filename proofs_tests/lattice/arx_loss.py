"""ARX's score "Loss" as a loss of another package: the geometric mean Π (1 + term)^(1/attributes) − 1 of LM's terms."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from tcloseness.loss import LossMetric, LossResult
from tcloseness.loss.protocol import Generalizing, Source


@dataclass(frozen=True)
class ArxLoss:
    """Its value is the exact product Π_A (1 + term_A); `printed` is the number that ARX prints."""

    name = "ARX loss"
    generalizing: Generalizing = "never lowers it"
    terms_are = "multiplied"

    def evaluate(self, source: Source) -> LossResult:
        found = LossMetric().evaluate(source)
        product = math.prod((1 + Fraction(term) for term in found.terms.values()), start=Fraction(1))  # type: ignore[arg-type]
        return replace(found, loss=self.name, value=product, bounds=(Fraction(1), Fraction(2 ** len(found.terms))))


def printed(product: Fraction, attributes: int) -> float:
    return float(product) ** (1 / attributes) - 1
