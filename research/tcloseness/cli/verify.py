"""``tcloseness verify``: whether certificates prove what they say."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import Format
from tcloseness.cli.output import print_json, result_console
from tcloseness.errors import CertificateError, InputError

if TYPE_CHECKING:
    from rich.console import Console

    from tcloseness.transport import Certificate

__all__ = ["EPILOG", "verify"]

FORMAT = "tcloseness-verify-1"

EPILOG = """
Example: write a certificate, then check it.

\b
  tcloseness emd --p 1/2,1/2 --q 1,0 --ground equal --certificate proof.json
  tcloseness verify proof.json
"""


def verify(
    certificates: Annotated[
        list[str], typer.Argument(metavar="CERTIFICATE…", help="Certificate files; - reads standard input.")
    ],
    output: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.TEXT,
) -> None:
    """Check certificates of tcloseness emd: exactly, and without any solver."""
    from tcloseness import Certificate, __version__

    console = result_console()
    records: list[dict[str, Any]] = []
    failed = unreadable = False
    for file in certificates:
        try:
            record = _read(file)
            proof = Certificate.from_dict(record)
            proof.verify()
        except InputError as error:
            unreadable = True
            records.append({"file": file, "holds": None, "reason": str(error)})
            print(f"error: {error}", file=sys.stderr)
        except CertificateError as error:
            failed = True
            records.append({"file": file, "holds": False, "reason": str(error)})
            if output is Format.TEXT:
                console.print(f"{file}: does not hold: {error}", soft_wrap=True)
        else:
            records.append({"file": file, "holds": True, **_proved(proof)})
            if output is Format.TEXT:
                _print(file, proof, console)
    if output is Format.JSON:
        print_json({"format": FORMAT, "version": __version__, "certificates": records})
    raise typer.Exit(2 if unreadable else 1 if failed else 0)


def _read(file: str) -> Any:
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(
            f"certificate file {file} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from error
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"certificate file {file} is no JSON: {error}") from error


def _proved(proof: Certificate) -> dict[str, Any]:
    from tcloseness.models.protocol import value_texts

    values, record = value_texts(proof.value), proof.to_dict()
    return {
        "emd": values["value"],
        "decimal": values["decimal"],
        "p": record["p"],
        "q": record["q"],
        "labels": record["labels"],
        "ground": record["ground"],
        "sha256": record["sha256"],
    }


def _print(file: str, proof: Certificate, console: Console) -> None:
    from tcloseness.report.text import assumed, decimal_text, vector_text

    console.print(f"{file}: holds: EMD(P, Q) = {decimal_text(proof.value)}", soft_wrap=True)
    lines = {
        "P": vector_text(proof.p),
        "Q": vector_text(proof.q),
        **({"values": vector_text(proof.labels)} if proof.labels else {}),
        "ground distance": f"{proof.ground.name}, m = {proof.ground.m}",
        "upper bound": f"a coupling of P and Q with {len(proof.coupling)} entries costs it",
        "lower bound": "potentials with u_i + v_j ≤ d(i, j) earn it",
        "found by": proof.method,
    }
    console.print(assumed(lines, title=None))
