"""Certificates among the results, and the check of all of them by what trusts nothing of the studies.

A study hands over the envelopes of what it found, and the counts of the tables that they are about; both become files
of its result. What is in the files is checked again, by `tcloseness.certificates` alone; and so are the certificates of
EMDs in a folder ``certificates``, by `tcloseness.transport.Certificate`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from experiments.kept import why_not
from tcloseness.certificates import Envelope, read_certificate, verify
from tcloseness.errors import CertificateError, InputError, StudyError
from tcloseness.microdata import FrequencySet
from tcloseness.microdata.digest import counts_text
from tcloseness.transport import Certificate

__all__ = ["CERTIFICATE", "COUNTS", "files_of", "verified"]

CERTIFICATE, COUNTS = ".certificate.json", ".counts.txt"


def files_of(certificates: Mapping[str, Envelope], tables: Mapping[str, tuple[FrequencySet, str]]) -> dict[str, bytes]:
    """Return the files of certificates, and of the counts of tables with their sensitive attribute, by name."""
    files = {f"{name}{CERTIFICATE}": envelope.to_json().encode() for name, envelope in certificates.items()}
    return files | {f"{name}{COUNTS}": counts_text(*table).encode() for name, table in tables.items()}


def verified(results: Path) -> list[str]:
    """Check every certificate of all studies, those about a table against the counts beside it; return what was found,
    in sentences.

    Raises
    ------
    StudyError
        If one does not hold, has no counts beside it, or a study that has some has no whole result.
    """
    said = []
    for folder in sorted(path for path in results.glob("*") if path.is_dir()):
        about_tables, of_distances = sorted(folder.glob(f"*{CERTIFICATE}")), sorted(folder.glob("certificates/*.json"))
        if not about_tables and not of_distances:
            continue
        if why := why_not(folder):
            raise StudyError(f"no whole result: {folder.name} ({why}); run 'python -m experiments run' first")
        counts = _by_digest(folder.glob(f"*{COUNTS}"))
        for path in about_tables:
            _check(path, lambda content: _check_table(content, counts))  # noqa: B023 (called at once)
        for path in of_distances:
            _check(path, lambda content: Certificate.from_json(content).verify())
        size = sum(path.stat().st_size for path in (*about_tables, *of_distances))
        many = len(about_tables) + len(of_distances)
        said.append(f"{folder.name}: {many} certificates of {size / 1024:,.0f} KiB hold")
    return said or ["there are no certificates"]


def _by_digest(paths: Iterable[Path]) -> dict[str, bytes]:
    return {hashlib.sha256(content).hexdigest(): content for content in (path.read_bytes() for path in paths)}


def _check(path: Path, check: Callable[[bytes], None]) -> None:
    where = f"{path.parent.name}/{path.name}"
    try:
        check(path.read_bytes())
    except CertificateError as error:
        raise StudyError(f"{where} does not hold: {error}") from error
    except InputError as error:
        raise StudyError(f"{where} {error}") from error


def _check_table(content: bytes, counts: Mapping[str, bytes]) -> None:
    digest = read_certificate(content).digest
    if digest not in counts:
        raise InputError(f"is about a table whose counts are not beside it (digest {digest})")
    verify(content, counts[digest], {})
