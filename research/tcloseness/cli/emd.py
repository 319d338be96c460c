"""``tcloseness emd``: the Earth Mover's Distance of two distributions, with its certificate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import (
    Format,
    Ragged,
    encoding_name,
    items,
    open_source,
    read_frame,
    reading_of,
    refuse_unused,
    separator_text,
)
from tcloseness.cli.grounds import GROUND_HELP, Ground, grounds_of
from tcloseness.cli.options import RESULT, Missing, OutputFormat, expanded, flag, option
from tcloseness.cli.output import file_name, print_json, require_figure, result_console
from tcloseness.errors import CertificateFormatError, InputError
from tcloseness.writing import refuse_files, write_files

if TYPE_CHECKING:
    from tcloseness.transport import Certificate, Transformation

__all__ = ["EPILOG", "GROUND", "WHAT", "Solver", "Values", "emd", "value_names"]

FORMAT = "tcloseness-emd-1"

EPILOG = """
Example: how far are the salaries of a class, 14 and 88, from those of all, and which mass moves?

\b
  tcloseness emd --p 1/2,0,1/2,0 --q 1/4,1/4,1/4,1/4 --ground ordered-by-value \\
      --values 14,27,88,101 --certificate proof.json --moves

Example: how far are the diseases of the women of a table from those of all?

\b
  tcloseness emd hospital.csv --column disease --by sex --group female --ground equal --moves
"""

_HOW = "How the distance is computed"
_OF_TABLE = "The groups of a table, in place of P and Q"


class Solver(StrEnum):
    """The ways to compute an EMD, see `tcloseness.transport.SOLVERS`."""

    CLOSED_FORM = "closed-form"
    NETWORK_SIMPLEX = "network-simplex"
    NETWORKX = "networkx"
    PULP = "pulp"
    PULP_CBC = "pulp-cbc"


WHAT = "The two distributions"

GROUND: Any = option(WHAT, "DISTANCE", f"How far apart two values are: {GROUND_HELP}")


@dataclass(frozen=True)
class Values:
    """What the two distributions lie on, and how it is written."""

    values: Annotated[
        str | None,
        option(WHAT, "VALUE,…", "The values that the masses lie on. ordered-by-value and hierarchical need them."),
    ] = None
    counts: Annotated[bool, flag(WHAT, "--counts", "Read p and q as counts of records.")] = False
    allow_non_metric: Annotated[bool, flag(WHAT, "--allow-non-metric", "Accept a matrix that is not a metric.")] = False
    ground_separator: Annotated[str | None, option(WHAT, "CHAR", "Between the cells of the hierarchy or matrix.")] = (
        None
    )
    encoding: Annotated[str | None, option(WHAT, "NAME", "Of the hierarchy or matrix.")] = None
    ragged: Annotated[Ragged, option(WHAT, None, "What rows of different length in the hierarchy mean.")] = Ragged.ERROR

    def grounds(self, *texts: str) -> list[Ground]:
        """Read ground distances."""
        return grounds_of(
            texts,
            separator=self.ground_separator,
            ragged=self.ragged,
            encoding=self.encoding,
            allow_non_metric=self.allow_non_metric,
        )


@dataclass(frozen=True)
class Groups:
    """Two groups of the rows of a table, and how it is read."""

    column: Annotated[str | None, option(_OF_TABLE, "COLUMN", "The column whose values are compared.")] = None
    by: Annotated[str | None, option(_OF_TABLE, "COLUMN", "The column that says which group a row is of.")] = None
    group: Annotated[
        str | None,
        option(
            _OF_TABLE,
            "VALUE[,VALUE]",
            "The two groups; or one, which is then compared with all rows.  [default: the two that there are]",
        ),
    ] = None
    missing: Annotated[Missing | None, option(_OF_TABLE, None, "What an empty cell means.  [default: error]")] = None
    missing_text: Annotated[
        list[str] | None, option(_OF_TABLE, "TEXT", "A text that means that a value is missing, such as ?. Repeatable.")
    ] = None
    separator: Annotated[
        str | None, option(_OF_TABLE, "CHAR", "Between the cells of the table.  [default: comma, of .tsv tab]")
    ] = None

    def refuse(self) -> None:
        """Refuse what belongs to a table where none is given."""
        given = {f"--{name.replace('_', '-')}": value for name, value in vars(self).items()}
        refuse_unused(given, "no TABLE is")

    def compared(self, table: str, ground: Ground, over: Values, solver: str | None) -> Transformation:
        """Return the distance of the two groups."""
        from tcloseness.transport.values import emd_of

        if self.column is None or self.by is None:
            raise InputError("of a TABLE --column and --by say what is compared; give both, or --p and --q alone")
        source = open_source(table)
        options = reading_of(
            source,
            separator_text(self.separator),
            encoding_name(over.encoding),
            self.missing_text,
            other_files=ground.file is not None,
        )
        return emd_of(
            read_frame(source, options),
            column=self.column,
            by=self.by,
            groups=None if self.group is None else items(self.group, "--group"),
            ground=ground.spec,
            order=None if over.values is None else items(over.values, "--values"),
            missing=(self.missing or Missing.ERROR).value,
            solver=solver,
        )


def value_names(values: str | None, ground: Ground | None) -> list[str]:
    """Return the values' names in the order of the masses; none where the ground distance does not need any.

    `InputError` if it depends on the values, and none are given.
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


@expanded
def emd(
    *,
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]",
            help="A table whose rows are compared by --column and --by, in place of --p and --q: CSV, TSV or Parquet; "
            "- reads standard input.",
            show_default=False,
        ),
    ] = None,
    p: Annotated[
        str | None, option(WHAT, "MASS,…", "The masses of P, such as 1/3,0.5,1/6; they must sum to exactly 1.")
    ] = None,
    q: Annotated[str | None, option(WHAT, "MASS,…", "The masses of Q, over the same values.")] = None,
    ground: Annotated[str, GROUND],
    over: Values,
    groups: Groups,
    solver: Annotated[
        Solver | None,
        option(
            _HOW,
            None,
            "Who computes it; the answer is verified exactly in any case. By default the closed form where there "
            "is one, else the network simplex.",
        ),
    ] = None,
    certificate: Annotated[
        str | None, option(RESULT, "FILE", "Write the proof to this file, for tcloseness verify.")
    ] = None,
    figure: Annotated[str | None, option(RESULT, "FILE", "Draw the moves into this file (.png, .svg or .pdf).")] = None,
    force: Annotated[bool, flag(RESULT, "--force", "Overwrite the certificate or figure if it exists.")] = False,
    moves: Annotated[bool, flag(RESULT, "--moves", "Show which mass goes where, and what crosses each cut.")] = False,
    output: OutputFormat = Format.TEXT,
) -> None:
    """Compute the Earth Mover's Distance of P and Q: the least work that turns P into Q. Exact, with a proof.

    P and Q are masses (--p, --q), or how often each value of a column occurs in two groups of the rows of a TABLE. The
    distance is a fraction. Whoever computed it, the proof is checked before anything is printed.
    """
    (chosen,) = grounds_of(
        [ground],
        separator=over.ground_separator,
        ragged=over.ragged,
        encoding=over.encoding,
        other_files=table is not None,
        allow_non_metric=over.allow_non_metric,
    )
    drawn = require_figure(figure)
    refuse_files(drawn if certificate is None else [certificate, *drawn], force=force)

    with_solver = None if solver is None else solver.value
    between = None
    if table is None:
        groups.refuse()
        proof = _of_masses(p, q, chosen, over, with_solver)
    else:
        refuse_unused({"--p": p, "--q": q, "--counts": over.counts or None}, "a TABLE too")
        between = groups.compared(table, chosen, over, with_solver)
        proof = between.certificate
    contents = {} if certificate is None else {certificate: _readable(proof)}
    if figure is not None:
        from tcloseness.report.figures import image, plot_moves

        contents[figure] = image(plot_moves(proof), PurePath(figure).suffix)
    write_files(contents, force=force)
    if output is Format.JSON:
        print_json(_record(proof, chosen, certificate, moves, between))
    else:
        _print(proof, chosen, certificate, moves, between)


def _of_masses(p: str | None, q: str | None, ground: Ground, over: Values, solver: str | None) -> Certificate:
    from tcloseness.microdata import Domain
    from tcloseness.transport import certify

    if p is None or q is None:
        raise InputError("nothing is compared: give --p and --q, or a TABLE with --column and --by")
    labels = value_names(over.values, ground)
    left, right = p.split(","), q.split(",")
    distance = ground.over(Domain.declare(labels or range(len(left))))
    return certify(left, right, distance, counts=over.counts, solver=solver, labels=labels)


def _readable(proof: Certificate) -> bytes:
    """Return a certificate's text."""
    try:
        return proof.to_json().encode()
    except CertificateFormatError as error:
        raise InputError(
            f"{error}; or leave out --certificate, and the distance is printed, verified all the same"
        ) from error


def _assumed(proof: Certificate, ground: Ground, between: Transformation | None) -> dict[str, str]:
    groups = {} if between is None else _groups_text(between)
    return {
        **groups,
        "ground distance": ground.text(proof.ground),
        "order of the values": getattr(proof.ground, "value_order", "none")
        if between is None
        else between.domain.order or "none",
        "m": str(proof.ground.m),
        "solver": proof.method,
    }


def _record(
    proof: Certificate, ground: Ground, file: str | None, moves: bool, between: Transformation | None
) -> dict[str, Any]:
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
        "conventions": _assumed(proof, ground, between),
        "certificate": proof.to_dict(),
    }
    if between is not None:
        record["groups"] = [
            {"name": name, "records": count} for name, count in zip(between.names, between.counts, strict=True)
        ]
    if file is not None:
        record["certificate_file"] = file_name(file)
    if moves:
        from tcloseness.transport import moves_of

        record["moves"] = [move.to_dict() for move in moves_of(proof)]
        record["crossings"] = [crossing.to_dict() for crossing in _crossings(proof)]
    return record


def _groups_text(between: Transformation) -> dict[str, str]:
    from tcloseness.displayed import counted

    sides = zip(("P", "Q"), between.names, between.counts, strict=True)
    return {side: f"{name}, {counted(count, 'record')}" for side, name, count in sides}


def _crossings(proof: Certificate) -> list[Any]:
    from tcloseness.transport import crossings

    return [] if proof.ground.cuts is None else crossings(proof.p, proof.q, proof.ground)


def _print(proof: Certificate, ground: Ground, file: str | None, moves: bool, between: Transformation | None) -> None:
    from tcloseness.exact import number_text
    from tcloseness.ground import ground_digest
    from tcloseness.report.short_text import decimal_text
    from tcloseness.report.text import assumed, crossings_table, moves_table
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
    console.print(assumed(_assumed(proof, ground, between)))
    console.print(f"  sha256 of the ground distance {ground_digest(proof.ground)}", soft_wrap=True)
