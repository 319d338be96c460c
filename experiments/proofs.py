"""Certificates among the results, and the check of all of them by what trusts nothing of the studies.

A study hands over the envelopes of what it found, the counts of the tables that they are about, and the hierarchies;
all become files of its result. What is in the files is checked again, by `tcloseness.certificates` alone, also what
several releases say together, two tables by class, or labels; and so are the certificates of EMDs, by
`tcloseness.transport.Certificate`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from experiments.kept import why_not
from tcloseness.certificates import (
    Envelope,
    Reading,
    levels_digest,
    levels_of,
    read_certificate,
    verify,
    verify_composition,
    verify_draws,
    verify_labels,
)
from tcloseness.certificates.composition import read_composition
from tcloseness.certificates.draws import DrawnTable, read_draws
from tcloseness.certificates.labels import read_labels_certificate
from tcloseness.errors import CertificateError, CertificateFormatError, InputError, StudyError
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.microdata.domain import value_text
from tcloseness.models.certified import counts_text
from tcloseness.transport import Certificate

__all__ = [
    "CERTIFICATE",
    "COMPOSITION",
    "COUNTS",
    "DISTANCE",
    "DRAWS",
    "ENDINGS",
    "HIERARCHY",
    "LABELS",
    "ROWS",
    "certificates_of",
    "files_of",
    "levels_in",
    "plain_name",
    "verified",
]

CERTIFICATE, COUNTS, HIERARCHY = ".certificate.json", ".counts.txt", ".hierarchy.csv"
DISTANCE, COMPOSITION = ".emd.json", ".composition.json"
DRAWS, ROWS, LABELS = ".draws.json", ".rows.csv", ".labels.json"
ENDINGS = (CERTIFICATE, DISTANCE, COMPOSITION, DRAWS, LABELS)
"""Those of the names of certificates: about a table, a distance, several releases, two tables by class, and labels."""


def files_of(
    certificates: Mapping[str, Envelope],
    tables: Mapping[str, tuple[FrequencySet, str]],
    hierarchies: Iterable[Hierarchy] = (),
) -> dict[str, bytes]:
    """Return the files of certificates, of the counts of tables with their sensitive attribute, and of hierarchies.

    The first two go by their names, hierarchies by those of their attributes and their digests: each is written once.
    """
    files = {f"{name}{CERTIFICATE}": envelope.to_json().encode() for name, envelope in certificates.items()}
    files |= {f"{name}{COUNTS}": counts_text(*table).encode() for name, table in tables.items()}
    for hierarchy in hierarchies:
        rows = levels_in(hierarchy)
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(rows)
        files[f"{plain_name(hierarchy.name)}-{levels_digest(rows)[:12]}{HIERARCHY}"] = written.getvalue().encode()
    return files


def levels_in(hierarchy: Hierarchy) -> list[list[str]]:
    """Return the rows of a hierarchy's file."""
    return [[value_text(cell) for cell in path] for path in hierarchy.paths]


def plain_name(name: str) -> str:
    """Return a name as part of a file's name.

    >>> plain_name("k = 3, t = 0.5")
    'k-3-t-0.5'
    """
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def certificates_of(folder: Path) -> list[Path]:
    """Return the certificates among the results of a study."""
    return sorted(path for ending in ENDINGS for path in folder.glob(f"*{ending}"))


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
        certificates = certificates_of(folder)
        if not certificates:
            continue
        if why := why_not(folder):
            raise StudyError(f"no whole result: {folder.name} ({why}); run 'python -m experiments run' first")
        counts = _by_digest(folder.glob(f"*{COUNTS}"))
        hierarchies = _by_levels(folder.glob(f"*{HIERARCHY}"))
        checks: dict[str, Callable[[bytes], None]] = {
            CERTIFICATE: partial(_check_table, counts=counts, hierarchies=hierarchies),
            DISTANCE: _check_distance,
            COMPOSITION: partial(_check_composition, counts=counts),
            LABELS: partial(_check_labels, counts=counts, hierarchies=hierarchies),
            DRAWS: partial(_check_draws, tables=[path.read_bytes() for path in sorted(folder.glob(f"*{ROWS}"))]),
        }
        for path in certificates:
            _check(path, next(check for ending, check in checks.items() if path.name.endswith(ending)))
        size = sum(path.stat().st_size for path in certificates)
        said.append(f"{folder.name}: {len(certificates)} certificates of {size / 1024:,.0f} KiB hold")
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


def _check_distance(content: bytes) -> None:
    Certificate.from_json(content).verify()


def _check_composition(content: bytes, counts: Mapping[str, bytes]) -> None:
    tables, _ = read_composition(content)
    verify_composition(content, [_counts_of(table.digest, counts) for table in tables])


def _check_labels(content: bytes, counts: Mapping[str, bytes], hierarchies: Mapping[str, tuple[str, bytes]]) -> None:
    release, tight, _ = read_labels_certificate(content)
    named = {name: hierarchies.get(each.hierarchy or "") for name, each in tight.items()}
    levels = {name: levels_of(file[1], file[0], Reading()) for name, file in named.items() if file is not None}
    verify_labels(content, _counts_of(release.digest, counts), levels)


def _check_draws(content: bytes, tables: Sequence[bytes]) -> None:
    people, values, _ = read_draws(content)
    verify_draws(content, _rows_of(people, tables), _rows_of(values, tables))


def _rows_of(about: DrawnTable, tables: Iterable[bytes]) -> bytes:
    for table in tables:
        with suppress(CertificateFormatError):
            about.rows_in(table, "a table")
            return table
    raise InputError(f"is about a table whose rows are not beside it (digest {about.digest})")


def _counts_of(digest: str, counts: Mapping[str, bytes]) -> bytes:
    if digest not in counts:
        raise InputError(f"is about a table whose counts are not beside it (digest {digest})")
    return counts[digest]


def _by_levels(paths: Iterable[Path]) -> dict[str, tuple[str, bytes]]:
    given = ((path.name, path.read_bytes()) for path in paths)
    return {levels_digest(levels_of(content, name, Reading())): (name, content) for name, content in given}


def _check_table(content: bytes, counts: Mapping[str, bytes], hierarchies: Mapping[str, tuple[str, bytes]]) -> None:
    envelope = read_certificate(content)
    about = _counts_of(envelope.digest, counts)
    given = {name: hierarchies[of] for name, of in envelope.hierarchies.items() if of is not None and of in hierarchies}
    verify(content, about, given)
