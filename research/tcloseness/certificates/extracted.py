"""The second checker: a program extracted from a proof in Coq, which reads the same certificates.

``make prove`` builds it (``proofs_tests/coq``). It is given the certificate, the canonical text of the table's counts
and that of each hierarchy, or of each release's counts; it finds their digests, and what follows from them, itself.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tcloseness.certificates.envelope import Envelope
from tcloseness.certificates.reading import Counts, canonical_text, levels_text
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.printable import printable

__all__ = [
    "PROGRAM",
    "check_extracted",
    "check_sums_extracted",
    "of_answer",
    "program",
    "release_blocks",
    "table_blocks",
]

PROGRAM = "TCLOSENESS_CHECKER"
"""The environment variable that names the program."""

_BUILT = Path(__file__).resolve().parents[3] / "proofs_tests" / "coq" / "driver" / "checker"
"""Where ``make prove`` leaves it, beside the package's sources."""


def program() -> str:
    """Return the program.

    Raises
    ------
    InputError
        If it is not there.
    """
    found = os.environ.get(PROGRAM) or str(_BUILT)
    if not os.path.isfile(found) or not os.access(found, os.X_OK):
        raise InputError(
            f"the extracted checker is not at {found!r}; build it with make prove in the sources of tcloseness, name "
            f"it in the environment variable {PROGRAM}, or leave --checker out"
        )
    return found


def table_blocks(counts: Counts, levels: Mapping[str, Sequence[Sequence[str]] | None]) -> str:
    """Return a table and its hierarchies as the program reads them."""
    blocks = [("counts", canonical_text(counts.columns, counts.counts))]
    blocks += [
        ("hierarchy", f"{json.dumps(name)}\n{levels_text(rows)}") for name, rows in levels.items() if rows is not None
    ]
    return _blocks(blocks)


def release_blocks(releases: Sequence[Counts]) -> str:
    """Return several releases of one table as the program reads them."""
    kinds = ("counts", *["release"] * (len(releases) - 1))
    texts = [canonical_text(counts.columns, counts.counts) for counts in releases]
    return _blocks(list(zip(kinds, texts, strict=True)))


def _blocks(blocks: Sequence[tuple[str, str]]) -> str:
    return "".join(f"{kind} {text.count(chr(10))}\n{text}" for kind, text in blocks)


def check_extracted(envelope: Envelope, counts: Counts, levels: Mapping[str, Sequence[Sequence[str]] | None]) -> str:
    """Let the program check a certificate, as `tcloseness.certificates.check` does; return what was found.

    Raises
    ------
    CertificateFormatError
        If the certificate is not of a form that the program reads, or is about another table or other hierarchies.
    CertificateError
        If its proof does not hold.
    InputError
        If the program is not there, or ends without an answer.
    """
    return _answer(table_blocks(counts, levels), envelope.to_dict())


def check_sums_extracted(record: Mapping[str, Any], releases: Sequence[Counts]) -> str:
    """Let the program check a certificate of what several releases say together; return what was found.

    Raises
    ------
    CertificateFormatError, CertificateError, InputError
        As `check_extracted`.
    """
    return _answer(release_blocks(releases), record)


def _answer(blocks: str, record: Mapping[str, Any]) -> str:
    """Return what the program says of a certificate about these tables."""
    found = program()
    asked = f"{blocks}certificate 1\n{json.dumps(record)}\n"
    try:
        ran = subprocess.run([found], input=asked.encode("ascii"), capture_output=True, check=False)
    except (OSError, ValueError) as error:
        raise InputError(f"the extracted checker {found!r} cannot be run: {error}") from error
    lines = ran.stdout.decode("utf-8", "replace").splitlines()
    if ran.returncode or len(lines) != 1:
        raise InputError(f"the extracted checker {found!r} ended with {ran.returncode} and without an answer")
    return of_answer(lines[0])


def of_answer(line: str) -> str:
    """Return what the program found, from its answer.

    Raises
    ------
    CertificateFormatError, CertificateError
        If it did not accept.
    """
    verdict, _, words = line.partition(" ")
    if verdict == "accepted":
        return printable(words)
    if verdict == "refused":
        raise CertificateError(words)
    raise CertificateFormatError(f"the certificate cannot be read by the extracted checker: {words}")
