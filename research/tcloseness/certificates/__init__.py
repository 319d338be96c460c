"""Certificates: what proves an answer about a table, and small checkers that trust nothing of what answered.

A checker reads the table and its hierarchies itself, and decides in whole numbers and fractions. It imports neither the
reading of tables nor any model, search or solver of the package: only exact numbers, the strict reading of JSON, and
how a result shows itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tcloseness.certificates import (
    audit,
    cut,
    generalization,
    keeping,
    lattice,
    limits,
    microaggregation,
    partition,
    refusals,
)
from tcloseness.certificates.composition import Fact, verify_composition
from tcloseness.certificates.conditions import TRUSTED, Conditions, Trusted, described
from tcloseness.certificates.draws import verify_draws
from tcloseness.certificates.envelope import LONGEST, Envelope, Reading, Task, read_envelope, seal
from tcloseness.certificates.labels import verify_labels
from tcloseness.certificates.nodes import Nodes
from tcloseness.certificates.reading import (
    Counts,
    canonical_text,
    columns_of,
    levels_digest,
    levels_of,
    read_counts,
    read_table,
    require_hierarchy,
    require_nested,
    value_part,
)
from tcloseness.certificates.redacted import check_redacted, read_salt, redacted_audit
from tcloseness.displayed import Displayed
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.strict_json import read_json
from tcloseness.strict_records import listed, text

__all__ = [
    "LONGEST",
    "TASKS",
    "Checked",
    "Counts",
    "Envelope",
    "Fact",
    "HierarchyRows",
    "Nodes",
    "Reading",
    "Trusted",
    "canonical_text",
    "check",
    "check_nodes",
    "check_redacted",
    "described",
    "levels_digest",
    "levels_of",
    "read_certificate",
    "read_counts",
    "read_table",
    "require_nested",
    "seal",
    "verify",
    "verify_composition",
    "verify_draws",
    "verify_labels",
    "verify_redacted",
]

HierarchyRows = Mapping[str, Sequence[Sequence[str]] | None]
"""By quasi-identifier the rows of its hierarchy; None where a value stays as it is or becomes ``*``."""

_CHECKERS = (audit, cut, generalization, keeping, lattice, limits, microaggregation, partition, refusals)

TASKS: Mapping[str, Task] = {task.format: task for module in _CHECKERS for task in module.TASKS}
"""By format, what a certificate of it states and the checker of its proof."""


@dataclass(frozen=True, eq=False)
class Checked(Displayed):
    """What a certificate has proved.

    Attributes
    ----------
    envelope
        The certificate.
    found
        The answer, in words.
    of_file
        Whether the table was the very file that the certificate names; else its counts alone are known to be those.
    """

    envelope: Envelope
    found: str
    of_file: bool

    def _said(self) -> str:
        return f"proved {'of the very file' if self.of_file else 'of the counts'}, {self.envelope._said()}"

    def explain(self, table: str = "the table") -> str:
        """Return what was proved, and of which table, in one sentence without the names of formats and keys.

        Parameters
        ----------
        table
            The table's name.

        Examples
        --------
        >>> from tcloseness.certificates import Reading
        >>> from tcloseness.certificates.audit import AUDIT
        >>> asked, proof = ({"condition": "records", "least": 3},), {"classes": 2, "holds": [True]}
        >>> envelope = Envelope(AUDIT, "", "", None, ("age",), "disease", 6, Reading(), {}, asked, proof)
        >>> Checked(envelope, "", True).explain("h.csv")
        'proved of h.csv, the file that was certified: each of its 2 classes meets what is asked: at least 3 records'
        """
        asked = [described(each) for each in self.envelope.model]
        in_words = TASKS[self.envelope.format].in_words
        found = in_words(asked, self.envelope.proof) if in_words else f"{self.found}; each class: {', '.join(asked)}"
        of = "the file that was certified" if self.of_file else "which has the counts that were certified"
        return f"proved of {table}, {of}: {found}"

    def to_dict(self) -> dict[str, Any]:
        """Return what was proved, and the certificate, as JSON-ready data."""
        return {"found": self.found, "of_file": self.of_file, "certificate": self.envelope.to_dict()}


def read_certificate(content: str | bytes) -> Envelope:
    """Read a certificate about a table strictly; its seal is checked, its proof is not.

    Raises
    ------
    CertificateFormatError
        If it is not such a certificate, or was changed since it was written; nothing else, whatever it is.
    """
    return read_envelope(content, {name: task.statement for name, task in TASKS.items()})


def verify(
    content: str | bytes,
    table: bytes,
    hierarchies: Mapping[str, tuple[str, bytes]],
    *,
    checker: Callable[[Envelope, Counts, HierarchyRows], str] | None = None,
    trusted: Trusted = MappingProxyType({}),
) -> Checked:
    """Check a certificate against the files of its table.

    Parameters
    ----------
    content
        The certificate, as JSON.
    table
        The table's file: the CSV file, or the canonical text of its counts.
    hierarchies
        By quasi-identifier the name and the content of its hierarchy's file. What is given is also that of the
        certificate: a value that stays as it is or becomes ``*`` has no other label in its file.
    checker
        What checks, in place of `check`: `tcloseness.certificates.extracted.check_extracted`.
    trusted
        Functions of the user's own that a condition may run, see `tcloseness.certificates.conditions.Trusted`.

    Raises
    ------
    CertificateFormatError
        If the certificate cannot be read, or is about another table or other hierarchies.
    CertificateError
        If its proof does not hold.
    """
    envelope = read_certificate(content)
    counts, levels = _read(envelope, table, hierarchies)
    found = check(envelope, counts, levels, trusted) if checker is None else checker(envelope, counts, levels)
    return Checked(envelope, found, hashlib.sha256(table).hexdigest() == envelope.file_sha256)


def verify_redacted(content: str | bytes, salt: str | bytes, table: bytes) -> Checked:
    """Check a certificate that withholds the table's values against the table and the owner's salt.

    Parameters
    ----------
    content, salt
        The certificate, and the owner's file.
    table
        As for `verify`.

    Returns
    -------
    Checked
        With the certificate that was redacted.

    Raises
    ------
    CertificateFormatError, CertificateError
        As `verify` and `check_redacted`; also if the salt and the table make another certificate.
    """
    check_redacted(content)
    owned = read_salt(salt)
    checked = verify(owned.certificate, table, {})
    counts, levels = _read(checked.envelope, table, {})
    nodes = Nodes(counts, levels, checked.envelope.proof["values"])
    made = redacted_audit(checked.envelope, nodes, owned.secret)
    if made["sha256"] != read_json(content, longest=LONGEST, deepest=16)["sha256"]:
        raise CertificateError("the table and the salt make another certificate")
    return checked


def _read(
    envelope: Envelope, table: bytes, hierarchies: Mapping[str, tuple[str, bytes]]
) -> tuple[Counts, dict[str, list[tuple[str, ...]] | None]]:
    """Read the files of a table as its certificate says."""
    counts = read_table(table, envelope)
    levels: dict[str, list[tuple[str, ...]] | None] = {}
    for name, digest in envelope.hierarchies.items():
        if name not in hierarchies:
            if digest is not None:
                raise CertificateFormatError(f"the certificate needs the hierarchy of {name!r}; give its file")
            levels[name] = None
            continue
        file, rows = hierarchies[name]
        given = levels_of(rows, name, envelope.reading, file=file)
        place = counts.columns.index(name)
        plain = {(value_part(values[place]), "*") for values in counts.counts}
        levels[name] = None if digest is None and set(given) == plain else given
    return counts, levels


def check(envelope: Envelope, counts: Counts, levels: HierarchyRows, trusted: Trusted = MappingProxyType({})) -> str:
    """Check a certificate against counts and hierarchies; return what was found, in words.

    Raises
    ------
    CertificateFormatError
        If the certificate is about another table or other hierarchies, or is not of its form.
    CertificateError
        If its proof does not hold.
    """
    _require_table(envelope, counts, levels)
    with _unreadable():
        return _found(envelope, Nodes(counts, levels, _values(envelope)), trusted)


def check_nodes(envelope: Envelope, nodes: Nodes, trusted: Trusted = MappingProxyType({})) -> str:
    """Check likewise against a table that was brought under its hierarchies before; return what was found, in words.

    Raises
    ------
    CertificateFormatError, CertificateError
        As `check`; also if the values of the sensitive attribute are in another order.
    """
    _require_table(envelope, nodes.table, nodes.levels)
    with _unreadable():
        if tuple(_values(envelope)) != nodes.values:
            raise InputError("its values are not those of the table, in their order")
        return _found(envelope, nodes, trusted)


@contextmanager
def _unreadable() -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error


def _require_table(envelope: Envelope, counts: Counts, levels: HierarchyRows) -> None:
    if counts.columns != columns_of(envelope):
        raise CertificateFormatError(f"the certificate is about other columns than {', '.join(counts.columns)}")
    if counts.digest != envelope.digest:
        raise CertificateFormatError(
            f"the certificate is about another table: the digest of these counts is {counts.digest}, and not "
            f"{envelope.digest}"
        )
    for name, digest in envelope.hierarchies.items():
        require_hierarchy(levels[name], digest, name)


def _values(envelope: Envelope) -> list[str]:
    return [text(each, "values[]") for each in listed(envelope.proof.get("values"), "values", least=1)]


def _found(envelope: Envelope, nodes: Nodes, trusted: Trusted) -> str:
    if nodes.records != envelope.records:
        raise InputError(f"records is {envelope.records}; the table has {nodes.records}")
    task = TASKS[envelope.format]
    if not task.trusts and any(record.get("condition") == TRUSTED for record in envelope.model):
        raise InputError("a condition of somebody's own is decided in searches without suppression alone")
    if envelope.sensitive is None and any(record.get("condition") != "records" for record in envelope.model):
        raise InputError("a condition is about sensitive values, and the table has no sensitive attribute")
    conditions = Conditions(envelope.model, nodes.values, nodes.reference.tolist(), trusted)
    return task.check(nodes, conditions, envelope.proof)
