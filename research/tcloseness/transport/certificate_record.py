"""The strict reader of certificates, for the library and the command line alike.

Every key and no other; whole numbers as numbers, all other numbers as ASCII texts in lowest terms; as many entries as
there are values; a seal that fits; and a record that, read and written again, is the same. What reading and checking
cost is known before it is done; memory is proportional to the record, and nothing of a size that it only states is
made.
"""

from __future__ import annotations

from typing import Any

from tcloseness.errors import CertificateFormatError, InputError
from tcloseness.ground import ground_from_dict
from tcloseness.strict_json import read_json
from tcloseness.strict_records import (
    Work,
    canonical_fraction,
    canonical_fractions,
    cells,
    common_bits,
    fields,
    listed,
    shown,
    sums,
    text,
    whole,
)
from tcloseness.transport.certificate import FORMAT, STATEMENT, Certificate, seal

__all__ = ["LONGEST", "read_certificate", "read_certificate_text"]

LONGEST = 2**25
"""Bytes of a certificate's text."""

_DEEPEST = 16
_LONGEST_METHOD = 100
_MOST_WORK = 4e9
"""Some ten seconds: an ordered distance of 25,000 values, or a matrix of 1,000."""

_KEYS = ("format", "statement", "method", "ground", "labels", "p", "q", "emd", "coupling", "u", "v", "sha256")


def read_certificate_text(content: object) -> Certificate:
    """Read a certificate from JSON text, see `Certificate.from_json`."""
    if not isinstance(content, str | bytes):
        raise CertificateFormatError(
            f"a certificate is {shown(content)}; it must be a JSON text, or its bytes in UTF-8"
        )
    try:
        record = read_json(content, longest=LONGEST, deepest=_DEEPEST)
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error
    return read_certificate(record)


def read_certificate(record: object) -> Certificate:
    """Read a certificate from data, see `Certificate.from_dict`."""
    try:
        return _read(record)
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error


def _read(given: object) -> Certificate:
    if type(given) is not dict or given.get("format") != FORMAT:
        raise InputError(f"this is not a certificate: its format must be {FORMAT!r}")
    record = fields(given, _KEYS, "the certificate")
    if record["statement"] != STATEMENT:
        raise InputError(f"its statement is {shown(record['statement'])}; it must be {STATEMENT!r}")
    method = text(record["method"], "method", longest=_LONGEST_METHOD)
    p = canonical_fractions(record["p"], "p", least=1)
    m = len(p)
    q, u, v = (canonical_fractions(record[name], name, length=m) for name in ("q", "u", "v"))
    value = canonical_fraction(record["emd"], "emd")
    labels = [text(label, f"labels[{i}]") for i, label in enumerate(listed(record["labels"], "labels"))]
    if len(labels) not in (0, m):
        raise InputError(f"labels has {len(labels)} entries; it must have {m}, or none")
    coupling = []
    for k, entry in enumerate(listed(record["coupling"], "coupling")):
        i, j, mass = listed(entry, f"coupling[{k}]", length=3)
        what = f"coupling[{k}]"
        coupling.append((whole(i, f"{what}[0]"), whole(j, f"{what}[1]"), canonical_fraction(mass, f"{what}[2]")))
    work = Work(_MOST_WORK)
    masses = [*p, *q, *(mass for _, _, mass in coupling)]
    mass_bits = common_bits(masses, "the masses")
    work.spend(sums(masses, mass_bits), "the masses")
    ground = ground_from_dict(record["ground"], most_work=work.left)
    if ground.m != m:
        raise InputError(f"p has {m} entries and the ground distance {ground.m} values")
    scale = ground.denominator.bit_length()
    bits = common_bits([*u, *v], "the potentials") + scale
    each = ground.row_work
    costs = sums(coupling, mass_bits + scale)
    work.spend(sums([*u, *v], bits) + costs + m**2 * (cells(bits) + 2 * each), f"a proof over {m} values")
    if text(record["sha256"], "sha256", longest=64) != seal(record):
        raise InputError("it was changed: its sha256 does not match its content")
    found = Certificate(tuple(p), tuple(q), ground, tuple(coupling), tuple(u), tuple(v), value, method, tuple(labels))
    _check_form(found, record)
    return found


def _check_form(found: Certificate, record: dict[str, Any]) -> None:
    """Check that the record is what the certificate that was read from it would be written as."""
    again = found.to_dict()
    odd = next((key for key in _KEYS if again[key] != record[key]), None)
    if odd is not None:
        raise InputError(f"{odd!r} is not written as it would be by tcloseness")
