"""Adult as ARX's own unit tests search it: the lattice of its hierarchy files, its score, and nine questions.

Prasser, Kohlmayer, "Putting Statistical Disclosure Control into Practice: The ARX Data Anonymization Tool", 2015. The
hierarchies are those of the files in its repository (arx-deidentifier/arx, ``data``).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from experiments.adult_hierarchies import QUASI_IDENTIFIERS, occupation_groups, preset
from experiments.adult_lattices import frequencies
from tcloseness.ground import GroundSpec
from tcloseness.lattice import RollUp
from tcloseness.loss import LossMetric, LossResult
from tcloseness.loss.protocol import Generalizing, Source
from tcloseness.microdata import Hierarchy
from tcloseness.models import EntropyLDiversity, KAnonymity, RecursiveCLDiversity, TCloseness

__all__ = ["ArxLoss", "nine_questions", "occupations", "printed", "rolled"]


@dataclass(frozen=True)
class ArxLoss:
    """ARX's score "Loss" as a loss of another package: Π (1 + term)^(1/attributes) − 1 over LM's terms.

    Its value is the exact product Π (1 + term), which orders nodes alike; `printed` is the number that ARX prints.
    """

    name = "ARX loss"
    generalizing: Generalizing = "never lowers it"
    terms_are = "multiplied"
    suppressing: Generalizing = "never lowers it"

    def evaluate(self, source: Source) -> LossResult:
        """Measure a release."""
        found = LossMetric().evaluate(source)
        product = math.prod((1 + Fraction(term) for term in found.terms.values()), start=Fraction(1))  # type: ignore[arg-type]
        return replace(found, loss=self.name, value=product, bounds=(Fraction(1), Fraction(2 ** len(found.terms))))


def printed(product: Fraction, attributes: int) -> float:
    """Return ARX's number for the value of an `ArxLoss`."""
    return math.pow(product, 1 / attributes) - 1


@cache
def rolled() -> RollUp:
    """Return the 30,162 records under the seven hierarchies: age up to 100 in five levels, race in two. 2,160 nodes."""
    hierarchies = preset("ARX+race") | {
        "race": preset("ARX")["race"],
        "age": Hierarchy.intervals(range(1, 101), [5, 10, 20], origin=1, name="age"),
    }
    return RollUp(frequencies("train-complete", QUASI_IDENTIFIERS["ARX+race"]), hierarchies)


@cache
def occupations() -> Hierarchy:
    """Return ARX's three groups of occupations."""
    groups: dict[str, list[Hashable]] = {
        "Technical": ["Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct"],
        "Nontechnical": ["Sales", "Exec-managerial", "Handlers-cleaners"],
    }
    named = {value for group in groups.values() for value in group}
    groups["Other"] = [value for value in occupation_groups("S1").values if value not in named]
    return Hierarchy.from_groups([groups])


def nine_questions() -> dict[str, Any]:
    """Return the nine models of which ARX's optimum is known, by name; each asks for 5-anonymity."""
    k = KAnonymity(5)
    grounds: dict[str, GroundSpec] = {"hierarchical": occupations(), "ordered": "ordered", "equal": "equal"}
    close = {
        f"{name} t = {t}": k & TCloseness(t, ground=ground) for name, ground in grounds.items() for t in ("0.2", "0.15")
    }
    return {
        "k = 5": k,
        **close,
        "entropy l = 5": k & EntropyLDiversity(5),
        "recursive (4,4)": k & RecursiveCLDiversity(4, c=4),
    }
