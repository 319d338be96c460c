"""``tcloseness verify``: whether certificates prove what they say."""

from __future__ import annotations

import sys
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
    Wanted,
)
from tcloseness.cli.exit_codes import ROWS
from tcloseness.cli.grounds import grounds_of
from tcloseness.cli.output import file_name, print_json, result_console
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

    from tcloseness.transport import Certificate

__all__ = ["EPILOG", "verify"]

FORMAT = "tcloseness-verify-1"

EPILOG = """
Example: write a certificate, then check it.

\b
  tcloseness emd --p 1/2,1/2 --q 1,0 --ground equal --certificate proof.json
  tcloseness verify proof.json --p 1/2,1/2 --q 1,0 --ground equal
"""


def verify(
    certificates: Annotated[
        list[str], typer.Argument(metavar="CERTIFICATE…", help="Certificate files; - reads standard input.")
    ],
    p: Annotated[
        str | None,
        typer.Option("--p", metavar="MASS,…", help="P must be this distribution.", rich_help_panel=WHAT),
    ] = None,
    q: Annotated[
        str | None,
        typer.Option("--q", metavar="MASS,…", help="Q must be this distribution.", rich_help_panel=WHAT),
    ] = None,
    ground: Annotated[str | None, GROUND] = None,
    values: Annotated[str | None, VALUES] = None,
    counts: Annotated[
        bool, typer.Option("--counts", help="Read p and q as counts of records.", rich_help_panel=WHAT)
    ] = False,
    allow_non_metric: Annotated[bool, NON_METRIC] = False,
    ground_separator: Annotated[str | None, SEPARATOR] = None,
    encoding: Annotated[str | None, ENCODING] = None,
    ragged: Annotated[Ragged, RAGGED] = Ragged.ERROR,
    output: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.TEXT,
) -> None:
    """Check certificates of tcloseness emd: exactly, and without any solver.

    With --p, --q, --ground or --values a certificate must be about these: the same masses, the same distance of every
    two values. One that is about something else is refused, whether or not it holds.
    """
    from tcloseness import __version__

    named = [] if ground is None else [ground]
    chosen = grounds_of(
        named, separator=ground_separator, ragged=ragged, encoding=encoding, allow_non_metric=allow_non_metric
    )
    if counts and p is None and q is None:
        raise InputError("--counts was given, and neither --p nor --q; leave it out")
    wanted = Wanted.of(p, q, counts, chosen[0] if chosen else None, values)
    console = result_console()
    records: list[dict[str, Any]] = []
    statuses = set()
    for file in certificates:
        try:
            proof = _read(file)
            difference = wanted.difference(proof)
            if difference is not None:
                raise InputError(f"certificate file {file} is about something else: {difference}")
            proof.verify()
        except InputError as error:
            statuses.add("unreadable")
            reason = str(error).replace(file, file_name(file))
            records.append({"file": file_name(file), "holds": None, "reason": reason})
            print(f"error: {printable(str(error))}", file=sys.stderr)
        except CertificateError as error:
            statuses.add("refuted")
            records.append({"file": file_name(file), "holds": False, "reason": str(error)})
            if output is Format.TEXT:
                console.print(printable(f"{file}: does not hold: {error}"), soft_wrap=True)
        else:
            statuses.add("proved")
            records.append({"file": file_name(file), "holds": True, **_proved(proof)})
            if output is Format.TEXT:
                _print(file, proof, console)
    if output is Format.JSON:
        print_json({"format": FORMAT, "version": __version__, "certificates": records})
    worst = next(status for status in ("unreadable", "refuted", "proved") if status in statuses)
    raise typer.Exit(ROWS["verify"].statuses[worst])


def _read(file: str) -> Certificate:
    """Read a certificate; what cannot be read as one is wrong input."""
    from tcloseness.transport.certificate_record import LONGEST, read_certificate_text

    try:
        if file == "-":
            content = sys.stdin.buffer.read(LONGEST + 1)
        else:
            with open(file, "rb") as source:
                content = source.read(LONGEST + 1)
    except (OSError, ValueError) as error:
        raise InputError(
            f"certificate file {file} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from error
    try:
        return read_certificate_text(content)
    except CertificateFormatError as error:
        raise InputError(f"certificate file {file}: {error}") from error


def _proved(proof: Certificate) -> dict[str, Any]:
    from tcloseness.ground import ground_digest
    from tcloseness.models.protocol import value_texts

    values, record = value_texts(proof.value), proof.to_dict()
    return {
        "emd": values["value"],
        "decimal": values["decimal"],
        "p": record["p"],
        "q": record["q"],
        "labels": record["labels"],
        "ground": record["ground"],
        "ground_sha256": ground_digest(proof.ground),
        "sha256": record["sha256"],
    }


def _print(file: str, proof: Certificate, console: Console) -> None:
    from tcloseness.ground import ground_digest
    from tcloseness.report.text import assumed, decimal_text, ground_text, vector_text

    console.print(f"{printable(file)}: holds: EMD(P, Q) = {decimal_text(proof.value)}", soft_wrap=True)
    lines = {
        "P": vector_text(proof.p),
        "Q": vector_text(proof.q),
        **({"values": vector_text(proof.labels)} if proof.labels else {}),
        "ground distance": ground_text(proof.ground),
        "upper bound": f"a coupling of P and Q with {len(proof.coupling)} entries costs it",
        "lower bound": "potentials with u_i + v_j ≤ d(i, j) earn it",
        "found by": proof.method,
    }
    console.print(assumed(lines, title=None))
    console.print(f"  sha256 of the ground distance {ground_digest(proof.ground)}", soft_wrap=True)
    console.print(f"  sha256 of the certificate     {proof.to_dict()['sha256']}", soft_wrap=True)
