"""What ``tcloseness verify`` is told that a certificate of an earth mover's distance must be about."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from tcloseness.cli.emd import Values, value_names
from tcloseness.cli.grounds import Ground

if TYPE_CHECKING:
    from tcloseness.ground import GroundDistance
    from tcloseness.transport import Certificate

__all__ = ["Wanted"]


@dataclass(frozen=True)
class Wanted:
    """What a certificate must be a proof about; None, or no names, where nothing was said."""

    p: tuple[Fraction, ...] | None
    q: tuple[Fraction, ...] | None
    ground: Ground | None
    names: list[str]

    @classmethod
    def of(cls, p: str | None, q: str | None, ground: Ground | None, over: Values) -> Wanted:
        """Read what was written."""
        from tcloseness.exact import masses, shares
        from tcloseness.transport.problem import OR_COUNTS

        def read_as(text: str, name: str) -> tuple[Fraction, ...]:
            entries = text.split(",")
            return shares(entries, name) if over.counts else masses(entries, name, hint=OR_COUNTS)

        read = [None if text is None else read_as(text, name) for text, name in ((p, "p"), (q, "q"))]
        return cls(read[0], read[1], ground, value_names(over.values, ground))

    def difference(self, proof: Certificate) -> str | None:
        """Return the first thing in which a certificate is about something else; None if there is none."""
        from tcloseness.microdata import Domain
        from tcloseness.report.text import vector_text

        for name, wanted, given in (("P", self.p, proof.p), ("Q", self.q, proof.q)):
            if wanted is not None and wanted != given:
                return f"its {name} is {vector_text(given)}, and not {vector_text(wanted)}"
        if self.names and proof.labels and tuple(self.names) != proof.labels:
            return f"its values are {vector_text(proof.labels)}, and not {vector_text(self.names)}"
        if self.names and len(self.names) != proof.ground.m:
            return f"it has {proof.ground.m} values, and not {len(self.names)}"
        if self.names and not proof.labels and self.ground is None:
            return f"it does not name its values, which must be {vector_text(self.names)}"
        if self.ground is None:
            return None
        return _farther(proof.ground, self.ground.over(Domain.declare(self.names or range(proof.ground.m))))


def _farther(given: GroundDistance, wanted: GroundDistance) -> str | None:
    """Return the first pair of values that two ground distances over equally many values place differently."""
    if given.m != wanted.m:
        return f"its ground distance has {given.m} values, and not {wanted.m}"
    if given.to_dict() == wanted.to_dict():  # in linear time; different records may still place all values alike
        return None
    for i in range(given.m):
        one, other = given.row(i).astype(object) * wanted.denominator, wanted.row(i).astype(object) * given.denominator
        if (one != other).any():
            j = int((one != other).argmax())
            return f"its ground distance has d({i}, {j}) = {given.distance(i, j)}, and not {wanted.distance(i, j)}"
    return None
