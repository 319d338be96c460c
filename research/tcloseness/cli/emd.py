"""``tcloseness emd``: the Earth Mover's Distance of two distributions, with its certificate."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import Format, Ragged
from tcloseness.cli.distributions import (
    ENCODING,
    GROUND,
    NON_METRIC,
    RAGGED,
    SEPARATOR,
    VALUES,
    WHAT,
    value_names,
)
from tcloseness.cli.grounds import Ground, grounds_of
from tcloseness.cli.options import RESULT, OutputFormat
from tcloseness.cli.output import file_name, print_json, result_console
from tcloseness.errors import CertificateFormatError, InputError
from tcloseness.writing import refuse_files, write_files

if TYPE_CHECKING:
    from tcloseness.transport import Certificate

__all__ = ["EPILOG", "Solver", "emd"]

FORMAT = "tcloseness-emd-1"

EPILOG = """
Example: how far are the salaries of a class, 14 and 88, from those of all, and which mass moves?

\b
  tcloseness emd --p 1/2,0,1/2,0 --q 1/4,1/4,1/4,1/4 --ground ordered-by-value \\
      --values 14,27,88,101 --certificate proof.json --moves
"""

_HOW = "How the distance is computed"


class Solver(StrEnum):
    """The ways to compute an EMD, see `tcloseness.transport.SOLVERS`."""

    CLOSED_FORM = "closed-form"
    NETWORKX = "networkx"
    PULP = "pulp"
    PULP_CBC = "pulp-cbc"


def emd(
    p: Annotated[
        str,
        typer.Option(
            "--p",
            metavar="MASS,…",
            help="The masses of P, such as 1/3,0.5,1/6; they must sum to exactly 1.",
            rich_help_panel=WHAT,
        ),
    ],
    q: Annotated[
        str, typer.Option("--q", metavar="MASS,…", help="The masses of Q, over the same values.", rich_help_panel=WHAT)
    ],
    ground: Annotated[str, GROUND],
    values: Annotated[str | None, VALUES] = None,
    counts: Annotated[
        bool, typer.Option("--counts", help="Read p and q as counts of records.", rich_help_panel=WHAT)
    ] = False,
    allow_non_metric: Annotated[bool, NON_METRIC] = False,
    ground_separator: Annotated[str | None, SEPARATOR] = None,
    encoding: Annotated[str | None, ENCODING] = None,
    ragged: Annotated[Ragged, RAGGED] = Ragged.ERROR,
    solver: Annotated[
        Solver | None,
        typer.Option(
            help="Who computes it; the answer is verified exactly in any case. By default the closed form where there "
            "is one, else networkx.",
            show_default=False,
            rich_help_panel=_HOW,
        ),
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the proof to this file, for tcloseness verify.", rich_help_panel=RESULT
        ),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Draw the moves into this file (.png, .svg or .pdf).", rich_help_panel=RESULT
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the certificate or figure if it exists.", rich_help_panel=RESULT)
    ] = False,
    moves: Annotated[
        bool,
        typer.Option("--moves", help="Show which mass goes where, and what crosses each cut.", rich_help_panel=RESULT),
    ] = False,
    output: OutputFormat = Format.TEXT,
) -> None:
    """Compute the Earth Mover's Distance of P and Q: the least work that turns P into Q. Exact, with a proof.

    The distance is a fraction. Whoever computed it, the proof is checked before anything is printed.
    """
    (chosen,) = grounds_of(
        [ground], separator=ground_separator, ragged=ragged, encoding=encoding, allow_non_metric=allow_non_metric
    )
    labels = value_names(values, chosen)
    refuse_files([file for file in (certificate, figure) if file is not None], force=force)
    if figure is not None and not figure.endswith((".png", ".svg", ".pdf")):
        raise InputError(f"figure file {figure!r} must end in .png, .svg or .pdf")

    from tcloseness.microdata import Domain
    from tcloseness.transport import certify

    left, right = p.split(","), q.split(",")
    distance = chosen.over(Domain.declare(labels or range(len(left))))
    proof = certify(
        left,
        right,
        distance,
        counts=counts,
        solver=solver.value if solver is not None else "networkx" if distance.cuts is None else "closed-form",
        labels=labels,
    )
    contents = {} if certificate is None else {certificate: _readable(proof)}
    if figure is not None:
        from tcloseness.report.figures import image, plot_moves

        contents[figure] = image(plot_moves(proof), PurePath(figure).suffix)
    write_files(contents, force=force)
    if output is Format.JSON:
        print_json(_record(proof, chosen, certificate, moves))
    else:
        _print(proof, chosen, certificate, moves)


def _readable(proof: Certificate) -> bytes:
    """Return a certificate's text."""
    try:
        return proof.to_json().encode()
    except CertificateFormatError as error:
        raise InputError(
            f"{error}; or leave out --certificate, and the distance is printed, verified all the same"
        ) from error


def _assumed(proof: Certificate, ground: Ground) -> dict[str, str]:
    return {
        "ground distance": ground.text(proof.ground),
        "order of the values": getattr(proof.ground, "value_order", "none"),
        "m": str(proof.ground.m),
        "solver": proof.method,
    }


def _record(proof: Certificate, ground: Ground, file: str | None, moves: bool) -> dict[str, Any]:
    from tcloseness import __version__
    from tcloseness.ground import ground_digest
    from tcloseness.models.protocol import value_texts

    values = value_texts(proof.value)
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "emd": values["value"],
        "decimal": values["decimal"],
        "solver": proof.method,
        "verified": True,
        "ground_distance": ground.to_dict(proof.ground),
        "ground_sha256": ground_digest(proof.ground),
        "conventions": _assumed(proof, ground),
        "certificate": proof.to_dict(),
    }
    if file is not None:
        record["certificate_file"] = file_name(file)
    if moves:
        from tcloseness.transport import moves_of

        record["moves"] = [move.to_dict() for move in moves_of(proof)]
        record["crossings"] = [crossing.to_dict() for crossing in _crossings(proof)]
    return record


def _crossings(proof: Certificate) -> list[Any]:
    from tcloseness.transport import crossings

    return [] if proof.ground.cuts is None else crossings(proof.p, proof.q, proof.ground)


def _print(proof: Certificate, ground: Ground, file: str | None, moves: bool) -> None:
    from tcloseness.exact import number_text
    from tcloseness.ground import ground_digest
    from tcloseness.report.text import assumed, crossings_table, decimal_text, moves_table
    from tcloseness.transport import moves_of

    console = result_console()
    console.print(f"EMD(P, Q) = {decimal_text(proof.value)}", style="bold")
    value = number_text(proof.value)
    console.print(f"certificate verified: a coupling costs {value} and potentials earn {value}")
    if file is not None:
        console.print(f"certificate written to {file}", soft_wrap=True)
    if moves:
        console.print()
        console.print(moves_table(moves_of(proof), proof.labels))
        crossed = _crossings(proof)
        if crossed:
            console.print()
            console.print(crossings_table(crossed, proof.labels))
    console.print()
    console.print(assumed(_assumed(proof, ground)))
    console.print(f"  sha256 of the ground distance {ground_digest(proof.ground)}", soft_wrap=True)
