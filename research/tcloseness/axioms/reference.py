"""The distances that a measure is compared with: the EMD under its ground distance, and the variational distance."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tcloseness.axioms.amounts import Amount, amount
from tcloseness.axioms.grounds import Family, ground_code
from tcloseness.axioms.subject import Form, NoNumber, Scene, Subject, Vector
from tcloseness.ground import Equal, GroundDistance
from tcloseness.measures.emd import BoundEMD
from tcloseness.transport import emd

__all__ = ["Reference", "earth_mover", "variational"]


class Reference(Scene):
    """A distance of the package over one ground distance, for a law that compares with it."""

    def __init__(self, ground: GroundDistance, letter: str) -> None:
        subject = Subject.__new__(Subject)  # it is asked directly, and never examined
        subject.measure, subject.family, subject.kind = BoundEMD(ground), Family(ground.name, ground), "bound measure"
        subject.name, subject.deadline = letter, float("inf")
        subject.accepted, subject.form = ("fractions",), "fractions"
        super().__init__(subject, ground)
        self.letter = letter

    def call(self, p: Sequence[Fraction], q: Sequence[Fraction], form: Form | None = None) -> Amount | NoNumber:
        """Return the distance, exact."""
        found = amount(emd(p, q, self.ground))
        assert found is not None
        return found

    def code(self, p: str, q: str, vectors: tuple[Vector, Vector]) -> str:
        """Return the call with exact masses, whatever form the measure takes."""
        left, right = (self.subject.vector_code(v) for v in vectors)
        return f"tc.emd({left}, {right}, {ground_code(self.ground)})"


def earth_mover(ground: GroundDistance) -> Reference:
    """Return the EMD under a ground distance."""
    return Reference(ground, "EMD")


def variational(m: int) -> Reference:
    """Return the variational distance over m values."""
    return Reference(Equal(m), "V")
