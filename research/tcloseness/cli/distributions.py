"""What `emd` computes and `verify` compares: two distributions and a ground distance, as they are written."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import typer

from tcloseness.cli.arguments import (
    items,
)
from tcloseness.cli.grounds import GROUND_HELP, Ground
from tcloseness.errors import InputError

if TYPE_CHECKING:
    from tcloseness.ground import GroundDistance
    from tcloseness.transport import Certificate

__all__ = [
    "ENCODING",
    "GROUND",
    "NON_METRIC",
    "RAGGED",
    "SEPARATOR",
    "VALUES",
    "WHAT",
    "Wanted",
    "value_names",
]

WHAT = "The two distributions"

VALUES: Any = typer.Option(
    metavar="VALUE,…",
    help="The values that the masses lie on. ordered-by-value and hierarchical need them.",
    rich_help_panel=WHAT,
)
NON_METRIC: Any = typer.Option("--allow-non-metric", help="Accept a matrix that is not a metric.", rich_help_panel=WHAT)
SEPARATOR: Any = typer.Option(
    metavar="CHAR", help="Between the cells of the hierarchy or matrix.", rich_help_panel=WHAT
)
ENCODING: Any = typer.Option(metavar="NAME", help="Of the hierarchy or matrix.", rich_help_panel=WHAT)
RAGGED: Any = typer.Option(help="What rows of different length in the hierarchy mean.", rich_help_panel=WHAT)
GROUND: Any = typer.Option(
    metavar="DISTANCE", help=f"How far apart two values are: {GROUND_HELP}", rich_help_panel=WHAT
)


def value_names(values: str | None, ground: Ground | None) -> list[str]:
    """Return the values' names in the order of the masses; none where the ground distance does not need any.

    Raises
    ------
    InputError
        If it depends on the values, and none are given.
    """
    if values is not None:
        return items(values, "--values")
    if ground is None:
        return []
    if hasattr(ground.spec, "table"):  # a matrix names its values
        return list(ground.spec.table)
    if ground.needs_values:
        raise InputError(
            f"the ground distance {ground.name!r} depends on the values; give --values in the order of p and q"
        )
    return []


@dataclass(frozen=True)
class Wanted:
    """What a certificate must be a proof about; None, or no names, where nothing was said."""

    p: tuple[Fraction, ...] | None
    q: tuple[Fraction, ...] | None
    ground: Ground | None
    names: list[str]

    @classmethod
    def of(cls, p: str | None, q: str | None, counts: bool, ground: Ground | None, values: str | None) -> Wanted:
        """Read what was written."""
        from tcloseness.exact import masses, shares
        from tcloseness.transport.problem import OR_COUNTS

        def read_as(text: str, name: str) -> tuple[Fraction, ...]:
            entries = text.split(",")
            return shares(entries, name) if counts else masses(entries, name, hint=OR_COUNTS)

        read = [None if text is None else read_as(text, name) for text, name in ((p, "p"), (q, "q"))]
        return cls(read[0], read[1], ground, value_names(values, ground))

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
