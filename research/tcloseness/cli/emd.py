"""``tcloseness emd``: the Earth Mover's Distance of two distributions, with its certificate."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import (
    GROUND_HELP,
    Format,
    Ground,
    Ragged,
    encoding_name,
    ground_of,
    items,
    refuse_unused_ground,
    separator_text,
)
from tcloseness.cli.options import RESULT, OutputFormat
from tcloseness.cli.output import file_name, print_json, result_console
from tcloseness.errors import InputError
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

_WHAT, _HOW = "The two distributions", "How the distance is computed"


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
            rich_help_panel=_WHAT,
        ),
    ],
    q: Annotated[
        str, typer.Option("--q", metavar="MASS,…", help="The masses of Q, over the same values.", rich_help_panel=_WHAT)
    ],
    ground: Annotated[
        str,
        typer.Option(
            metavar="DISTANCE",
            help=f"How far apart two values are: {GROUND_HELP}",
            rich_help_panel=_WHAT,
        ),
    ],
    values: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE,…",
            help="The values that the masses lie on. ordered-by-value and hierarchical need them.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    counts: Annotated[
        bool, typer.Option("--counts", help="Read p and q as counts of records.", rich_help_panel=_WHAT)
    ] = False,
    allow_non_metric: Annotated[
        bool,
        typer.Option("--allow-non-metric", help="Accept a matrix that is not a metric.", rich_help_panel=_WHAT),
    ] = False,
    ground_separator: Annotated[
        str | None,
        typer.Option(metavar="CHAR", help="Between the cells of the hierarchy or matrix.", rich_help_panel=_WHAT),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the hierarchy or matrix.", rich_help_panel=_WHAT)
    ] = None,
    ragged: Annotated[
        Ragged,
        typer.Option(help="What rows of different length in the hierarchy mean.", rich_help_panel=_WHAT),
    ] = Ragged.ERROR,
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
    refuse_unused_ground([ground], separator=ground_separator, ragged=ragged, encoding=encoding)
    chosen = ground_of(
        ground,
        separator=separator_text(ground_separator),
        encoding=encoding_name(encoding),
        ragged=ragged,
        allow_non_metric=allow_non_metric,
    )
    labels = _labels(values, chosen)
    refuse_files([file for file in (certificate, figure) if file is not None], force=force)
    if figure is not None and not figure.endswith((".png", ".svg", ".pdf")):
        raise InputError(f"figure file {figure!r} must end in .png, .svg or .pdf")

    from tcloseness.microdata import Domain
    from tcloseness.transport import certify

    left, right = (_masses(text, name, counts) for text, name in ((p, "p"), (q, "q")))
    distance = chosen.over(Domain.declare(labels or range(len(left))))
    proof = certify(
        left,
        right,
        distance,
        solver=solver.value if solver is not None else "networkx" if distance.cuts is None else "closed-form",
        labels=labels,
    )
    contents: dict[str, bytes] = {} if certificate is None else {certificate: proof.to_json().encode()}
    if figure is not None:
        from tcloseness.report.figures import image, plot_moves

        contents[figure] = image(plot_moves(proof), PurePath(figure).suffix)
    write_files(contents, force=force)
    if output is Format.JSON:
        print_json(_record(proof, chosen, certificate, moves))
    else:
        _print(proof, chosen, certificate, moves)


def _labels(values: str | None, ground: Ground) -> list[str]:
    if values is not None:
        return items(values, "--values")
    if hasattr(ground.spec, "table"):  # a matrix names its values
        return list(ground.spec.table)
    if ground.name in ("ordered-by-value", "hierarchical"):
        raise InputError(
            f"the ground distance {ground.name!r} depends on the values; give --values in the order of p and q"
        )
    return []


def _masses(text: str, name: str, counts: bool) -> list[Any]:
    entries = text.split(",")
    if not counts:
        return entries
    from tcloseness.exact import masses
    from tcloseness.models.thresholds import whole

    whole_numbers = [whole(entry, f"{name}[{i}]", least=0) for i, entry in enumerate(entries)]
    total = sum(masses(whole_numbers, name, total=None))
    return [number / total for number in whole_numbers]


def _assumed(proof: Certificate, ground: Ground) -> dict[str, str]:
    order = {
        "ordered": "as given, lowest first",
        "ordered-by-value": "by value, lowest first",
    }.get(ground.name, "none")
    return {
        "ground distance": ground.text(proof.ground),
        "order of the values": order,
        "m": str(proof.ground.m),
        "solver": proof.method,
    }


def _record(proof: Certificate, ground: Ground, file: str | None, moves: bool) -> dict[str, Any]:
    from tcloseness import __version__
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
