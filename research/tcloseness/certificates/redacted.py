"""Audits that withhold the table's values: its classes are committed to, and those that are worst are opened.

The owner keeps a secret salt. By it each class has a salt of its own, HMAC-SHA256(salt, ["class", labels]), and a
commitment, SHA-256(0x00, its salt, its positive counts in falling order); the commitments, sorted, are the leaves of a
Merkle tree. The table's digest is committed to by HMAC-SHA256(salt, ["table", digest]). Who has not the salt can try
neither a table nor a class: every one of them fits, by some salt.

What is opened of a class are its salt and its counts in falling order, without a label and without saying which value
has which count. That is enough for the measures that depend on nothing else. With the salt and the table everything is
made again, and compared.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tcloseness.certificates.audit import (
    AUDIT,
    AuditedTable,
    holds_text,
    measured_text,
    require_value,
    stated_value,
)
from tcloseness.certificates.conditions import CONDITION_KEYS, Conditions
from tcloseness.certificates.envelope import LONGEST, Envelope, digest_of, seal, sealed_record
from tcloseness.certificates.measures import MEASURE_KEYS
from tcloseness.certificates.nodes import Nodes
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.strict_json import read_json
from tcloseness.strict_records import fields, listed, shown, text, whole

__all__ = ["REDACTED", "SALT", "STATEMENT", "Salt", "check_redacted", "read_salt", "redacted_audit", "salt_text"]

REDACTED, SALT = "tcloseness-redacted-audit-certificate-1", "tcloseness-salt-1"

STATEMENT = (
    "the owner of a table has committed to its classes by `root`; those that are opened have the values that "
    "`measures` states of them; that no class has a worse one, and what `holds` says of the model, show only with the "
    "table and its salt"
)
_KEYS = (
    *("format", "statement", "quasi_identifiers", "sensitive", "reference", "classes", "model", "measures", "holds"),
    *("unchecked", "table", "root", "opened", "sha256"),
)
_OPEN = ("records", "values", "entropy", "tail", "commonest", "share")
"""Measures that follow from the counts of a class, whichever value each is of."""
_MOST = 2**53


@dataclass(frozen=True)
class Salt:
    """What the owner keeps: the secret, and the certificate that was redacted."""

    secret: bytes
    certificate: str


def salt_text(secret: bytes, envelope: Envelope) -> str:
    """Return the owner's file."""
    record = {"format": SALT, "salt": secret.hex(), "certificate": envelope.to_dict()}
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def read_salt(content: str | bytes) -> Salt:
    """Read the owner's file strictly.

    Raises
    ------
    CertificateFormatError
        If it is not one.
    """
    try:
        record = fields(read_json(content, longest=LONGEST, deepest=20), ("format", "salt", "certificate"), "the salt")
        if record["format"] != SALT:
            raise InputError(f"its format is {shown(record['format'])}; it must be {SALT!r}")
        return Salt(_digest(record["salt"], "salt"), json.dumps(record["certificate"], ensure_ascii=False))
    except InputError as error:
        raise CertificateFormatError(f"the salt cannot be read: {error}") from error


def redacted_audit(envelope: Envelope, nodes: Nodes, secret: bytes) -> dict[str, Any]:
    """Return the certificate of an audit without the table's values, the same from the same salt.

    Raises
    ------
    CertificateFormatError
        If it is not the certificate of an audit.
    """
    if envelope.format != AUDIT:
        raise CertificateFormatError("only the certificate of an audit can withhold values")
    proof = envelope.proof
    audited = AuditedTable(nodes, proof["suppressed"], proof["reference"], envelope.model)
    commitments = {}
    for labels, counts in audited.each():
        own = _mac(secret, "class", labels)
        falling = _falling(counts)
        commitments[tuple(labels)] = own, falling, _leaf(own, falling)
    tree = _tree(sorted(leaf for *_, leaf in commitments.values()))
    places = {leaf: place for place, leaf in enumerate(tree[0])}
    opened: list[dict[str, Any]] = []
    measures = []
    for entry in proof["measures"]:
        public = _without_values({key: value for key, value in entry.items() if key != "class"})
        place = None
        if _is_open(entry):
            own, falling, leaf = commitments[tuple(entry["class"])]
            shown_class = {"counts": falling, "salt": own.hex(), "path": _path(tree, places[leaf])}
            if shown_class not in opened:
                opened.append(shown_class)
            place = opened.index(shown_class)
        measures.append({**public, "opened": place})
    record = {
        "format": REDACTED,
        "statement": STATEMENT,
        "quasi_identifiers": list(envelope.quasi_identifiers),
        "sensitive": envelope.sensitive,
        "reference": proof["reference"],
        "classes": proof["classes"],
        "model": [_without_values(condition) for condition in envelope.model],
        "measures": measures,
        "holds": list(proof["holds"]),
        "unchecked": list(proof["unchecked"]),
        "table": _mac(secret, "table", envelope.digest).hex(),
        "root": tree[-1][0].hex(),
        "opened": opened,
    }
    return {**record, "sha256": seal(record)}


def check_redacted(content: str | bytes) -> str:
    """Check what anybody can: that the opened classes are committed to and have their values; say so in words.

    Raises
    ------
    CertificateFormatError
        If it cannot be read, or was changed since it was written.
    CertificateError
        If an opened class is not committed to, or has not a value that is stated.
    """
    try:
        return _check(sealed_record(read_json(content, longest=LONGEST, deepest=16), _KEYS, {REDACTED: STATEMENT}))
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error


def _check(record: Mapping[str, Any]) -> str:
    def about_sizes(quantity: str, what: str) -> None:
        if record["sensitive"] is None and quantity != "records":
            raise InputError(f"{what} is about sensitive values, and the table has no sensitive attribute")

    for name in listed(record["quasi_identifiers"], "quasi_identifiers", least=1):
        text(name, "quasi_identifiers[]")
    if record["sensitive"] is not None:
        text(record["sensitive"], "sensitive")
    if record["reference"] not in ("released", "all"):
        raise InputError(f"reference is {shown(record['reference'])}; it is 'released' or 'all'")
    classes = whole(record["classes"], "classes", least=1)
    _digest(record["table"], "table")
    root = _digest(record["root"], "root")
    opened = [_opened(each, root, f"opened[{i}]") for i, each in enumerate(listed(record["opened"], "opened"))]
    if record["sensitive"] is None and any(len(counts) > 1 for counts in opened):
        raise InputError(
            "a class that is opened has several sensitive values, and the table has no sensitive attribute"
        )
    found, shut, work = [], [], Conditions([], ["text:"], [1]).work  # one bound for all
    for i, entry in enumerate(listed(record["measures"], "measures")):
        measure = _public(entry, "measure", MEASURE_KEYS, f"measures[{i}]", ("value", "opened"))
        about_sizes(measure["measure"], f"measures[{i}]")
        if not _is_open(measure):
            if entry["opened"] is not None:
                raise InputError(f"measures[{i}] depends on more than is opened of a class")
            stated_value(entry["value"])
            shut.append(entry["measure"])
            continue
        counts = opened[whole(entry["opened"], f"measures[{i}].opened", most=len(opened) - 1)]
        conditions = Conditions([], ["text:"] * len(counts), [1] * len(counts))
        conditions.work = work
        require_value(measure, entry["value"], counts, conditions)
        found.append(measured_text(entry))
    model = listed(record["model"], "model", least=1)
    for i, condition in enumerate(model):
        about_sizes(_public(condition, "condition", CONDITION_KEYS, f"model[{i}]", ())["condition"], f"model[{i}]")
    holds = listed(record["holds"], "holds", length=len(model))
    if not all(type(each) is bool for each in holds):
        raise InputError("holds must be true or false for each condition of the model")
    names = [text(name, "unchecked[]") for name in listed(record["unchecked"], "unchecked")]
    later = [f"that the table has {counted(classes, 'class')}, and none is worse", holds_text(holds)]
    later += [f"the values of {', '.join(shut)}"] if shut else []
    return (
        f"of the classes that are opened, {'; '.join(found) or 'nothing is measured'}. "
        f"Only with the table and its salt: {'; '.join(later)}"
        + (f". Not certified: no checker for {', '.join(names)}" if names else "")
    )


def _opened(given: object, root: bytes, what: str) -> Any:
    record = fields(given, ("counts", "salt", "path"), what)
    counts = [whole(each, f"{what}.counts[]", least=1, most=_MOST) for each in listed(record["counts"], what, least=1)]
    if counts != sorted(counts, reverse=True) or sum(counts) > _MOST:
        raise InputError(f"{what}.counts must fall, to a sum of at most 2^53")
    node = _leaf(_digest(record["salt"], f"{what}.salt"), counts)
    for step in listed(record["path"], f"{what}.path"):
        side, beside = listed(step, f"{what}.path[]", length=2)
        if side not in ("left", "right"):
            raise InputError(f"{what}.path[] names {shown(side)}; it is 'left' or 'right'")
        other = _digest(beside, f"{what}.path[]")
        node = _inner(other, node) if side == "left" else _inner(node, other)
    if node != root:
        raise CertificateError(f"{what} is not a class that is committed to by the root")
    return np.array(counts, dtype=np.int64)


def _public(
    entry: object, kind: str, known: Mapping[str, Sequence[str]], what: str, more: Sequence[str]
) -> dict[str, Any]:
    """Read a measure or a condition in the form of `_without_values`; return it without what stands there besides."""
    name = entry.get(kind) if type(entry) is dict else None
    if type(name) is not str or name not in known:
        raise InputError(f"{what} is {shown(name)}; a {kind} is one of {', '.join(known)}")
    record = fields(entry, (kind, *known[name], *more), what)
    for key in known[name]:
        if key in ("values", "l", "least") and not (record[key] is None or type(record[key]) is str):
            whole(record[key], f"{what}.{key}", most=_MOST)
        elif record[key] is not None:
            text(record[key], f"{what}.{key}")
    return {key: value for key, value in record.items() if key not in more}


def _is_open(measure: Mapping[str, Any]) -> bool:
    return measure["measure"] in _OPEN and measure.get("values") is None


def _without_values(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a measure or a condition without values: of a ground distance its name, of listed values their number."""
    found = dict(record)
    if "ground" in found:
        found["ground"] = found["ground"]["name"]
    if found.get("values") is not None:
        found["values"] = len(found["values"])
    return found


# ---------------------------------------------------------------------- commitments


def _plain(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=True).encode()


def _mac(secret: bytes, what: str, content: Any) -> bytes:
    return hmac.new(secret, _plain([what, content]), hashlib.sha256).digest()


def _falling(counts: Any) -> list[int]:
    return sorted((int(count) for count in counts if count), reverse=True)


def _leaf(own: bytes, counts: Sequence[int]) -> bytes:
    return hashlib.sha256(b"\0" + own + _plain(list(counts))).digest()


def _inner(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def _tree(leaves: list[bytes]) -> list[list[bytes]]:
    """Return the levels of a Merkle tree, from the leaves to the root; what has no partner goes up as it is."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        row = levels[-1]
        pairs = [_inner(*row[i : i + 2]) if i + 1 < len(row) else row[i] for i in range(0, len(row), 2)]
        levels.append(pairs)
    return levels


def _path(levels: list[list[bytes]], place: int) -> list[list[str]]:
    found = []
    for row in levels[:-1]:
        beside = place ^ 1
        if beside < len(row):
            found.append(["left" if beside < place else "right", row[beside].hex()])
        place //= 2
    return found


def _digest(given: object, what: str) -> bytes:
    return bytes.fromhex(digest_of(given, what))
