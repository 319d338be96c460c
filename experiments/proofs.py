"""Certificates among the results, and the check of all of them by what trusts nothing of the studies.

A study hands over the envelopes of what it found, and the counts of the tables that they are about; both become files
of its result. What is in the files is checked again, by `tcloseness.certificates` alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from experiments.kept import why_not
from tcloseness.certificates import Envelope, read_certificate, verify
from tcloseness.errors import CertificateError, StudyError
from tcloseness.microdata import FrequencySet
from tcloseness.microdata.digest import counts_text

__all__ = ["CERTIFICATE", "COUNTS", "files_of", "verified"]

CERTIFICATE, COUNTS = ".certificate.json", ".counts.txt"


def files_of(certificates: Mapping[str, Envelope], tables: Mapping[str, tuple[FrequencySet, str]]) -> dict[str, bytes]:
    """Return the files of certificates, and of the counts of tables with their sensitive attribute, by name."""
    files = {f"{name}{CERTIFICATE}": envelope.to_json().encode() for name, envelope in certificates.items()}
    return files | {f"{name}{COUNTS}": counts_text(*table).encode() for name, table in tables.items()}


def verified(results: Path) -> list[str]:
    """Check every certificate of all studies against the counts beside it; return what was found, in sentences.

    Raises
    ------
    StudyError
        If one does not hold, has no counts beside it, or a study that has some has no whole result.
    """
    said = []
    for folder in sorted({path.parent for path in results.glob(f"*/*{CERTIFICATE}")}):
        if why := why_not(folder):
            raise StudyError(f"no whole result: {folder.name} ({why}); run 'python -m experiments run' first")
        counts = _by_digest(folder.glob(f"*{COUNTS}"))
        files = sorted(folder.glob(f"*{CERTIFICATE}"))
        for path in files:
            _check(path, counts)
        size = sum(path.stat().st_size for path in files)
        said.append(f"{folder.name}: {len(files)} certificates of {size / 1024:,.0f} KiB hold")
    return said or ["there are no certificates"]


def _by_digest(paths: Iterable[Path]) -> dict[str, bytes]:
    return {hashlib.sha256(content).hexdigest(): content for content in (path.read_bytes() for path in paths)}


def _check(path: Path, counts: Mapping[str, bytes]) -> None:
    where = f"{path.parent.name}/{path.name}"
    try:
        content = path.read_bytes()
        digest = read_certificate(content).digest
        if digest not in counts:
            raise StudyError(f"{where} is about a table whose counts are not beside it (digest {digest})")
        verify(content, counts[digest], {})
    except CertificateError as error:
        raise StudyError(f"{where} does not hold: {error}") from error
