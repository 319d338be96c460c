"""What every certificate about a table says of the table: which one, how it is read, and what is asked of it.

A certificate is a JSON object. It names its format, which says the task; the statement in words; the table by the
digest of its counts, and by the sha256 of its file where it was a CSV file; how that file is read; each hierarchy by
its digest; the model as conditions on the counts of a class; and the proof. ``sha256`` seals all the rest.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tcloseness.displayed import Explained, counted
from tcloseness.errors import CertificateFormatError, InputError
from tcloseness.strict_json import read_json
from tcloseness.strict_records import fields, listed, shown, text, whole

__all__ = [
    "LONGEST",
    "Envelope",
    "Reading",
    "Task",
    "certificate_text",
    "digest_of",
    "names_of",
    "read_envelope",
    "reading_of",
    "seal",
    "sealed_record",
]

LONGEST = 2**25
"""Bytes of a certificate's text."""

_DEEPEST = 16

_KEYS = ("format", "statement", "table", "reading", "hierarchies", "model", "proof", "sha256")
_TABLE = ("digest", "file_sha256", "quasi_identifiers", "sensitive", "records")
_READING = ("separator", "encoding", "missing_texts", "missing", "weight", "hierarchy_separator", "ragged")
_REWRITING = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
"""Of the text encodings of Python those that no text file has."""
_HEX = set("0123456789abcdef")
_PLAIN_LIST, _LINE_BREAK = re.compile(r"\[\n\s*([^][{}]*?)\n\s*\]"), re.compile(r"\n\s*")
"""As `json` writes them with an indent; no text holds a line break."""


def seal(record: Mapping[str, Any]) -> str:
    """Return the sha256 of a record without its seal, as JSON with sorted keys, without blanks, in ASCII."""
    body = {key: value for key, value in record.items() if key != "sha256"}
    plain = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(plain.encode()).hexdigest()


def sealed_record(given: object, keys: Collection[str], statements: Mapping[str, str]) -> dict[str, Any]:
    """Return a certificate's record: it has these keys, a format with its statement, and is as it was sealed.

    Parameters
    ----------
    given
        The JSON value.
    keys
        What it must have, and nothing else.
    statements
        The formats that are known, each with its statement.

    Raises
    ------
    InputError
        If it is anything else, or was changed since it was written.
    """
    found = given.get("format") if type(given) is dict else None
    if type(found) is not str or found not in statements:
        raise InputError(f"its format is {shown(found)}; it must be one of {', '.join(map(repr, statements))}")
    record = fields(given, keys, "the certificate")
    if record["statement"] != statements[found]:
        raise InputError(f"its statement is {shown(record['statement'])}; it must be {statements[found]!r}")
    if record["sha256"] != seal(record):
        raise InputError("its sha256 is not that of the rest; it was changed since it was written")
    return record


def certificate_text(record: Mapping[str, Any]) -> str:
    """Return a certificate as JSON text, a list of numbers or texts on one line."""
    lines = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    return _PLAIN_LIST.sub(lambda found: f"[{_LINE_BREAK.sub(' ', found[1])}]", lines)


@dataclass(frozen=True)
class Reading:
    """How the files of a table are read.

    Attributes
    ----------
    separator, encoding
        Of the CSV file.
    missing_texts
        The cells that are missing values, whatever blanks are around them.
    missing
        What becomes of them: ``"error"``: there is none; ``"category"``: they are one more value; ``"drop"``: the row
        is left out if a quasi-identifier or the sensitive value is missing.
    weight
        The column that says how many records a row stands for; None where each is one.
    hierarchy_separator, ragged
        Of the hierarchies' files: what separates cells, None for what the file's name says; and what rows of different
        length mean: ``"error"``: there are none; ``"repeat-leaf"``, ``"repeat-parent"``.
    """

    separator: str = ","
    encoding: str = "utf-8-sig"
    missing_texts: tuple[str, ...] = ("",)
    missing: str = "error"
    weight: str | None = None
    hierarchy_separator: str | None = None
    ragged: str = "error"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "separator": self.separator,
            "encoding": self.encoding,
            "missing_texts": list(self.missing_texts),
            "missing": self.missing,
            "weight": self.weight,
            "hierarchy_separator": self.hierarchy_separator,
            "ragged": self.ragged,
        }

    def __str__(self) -> str:
        parts = [f"cells separated by {self.separator!r}, in {self.encoding}"]
        if self.missing != "error":
            texts = ", ".join(repr(cell) for cell in self.missing_texts)
            parts.append(
                f"missing where a cell is {texts}: " + ("a value" if self.missing == "category" else "left out")
            )
        if self.weight is not None:
            parts.append(f"a row stands for as many records as {self.weight!r} says")
        return "; ".join(parts)


@dataclass(frozen=True)
class Task:
    """What a kind of certificate states, and the checker of its proof.

    Attributes
    ----------
    format
        Its name, in the certificate.
    statement
        What is stated, in words; one text for each format.
    check
        Called with the table under its hierarchies (`tcloseness.certificates.nodes.Nodes`), what is asked of a class
        (`tcloseness.certificates.conditions.Conditions`) and the proof; it returns what was found, in words, and raises
        `CertificateError` if the proof does not show it, `InputError` if it is not of its form.
    trusts
        Whether a condition may be one that a function of the user's own decides: that a class satisfies, or not, and
        that this is monotone, is all that the checker asks.
    in_words
        Called with what is asked of each class, as people read it, and the proof that was checked; it returns in a
        sentence for people what that shows. None where what was found is one.
    """

    format: str
    statement: str
    check: Callable[..., str]
    trusts: bool = False
    in_words: Callable[[Sequence[str], Mapping[str, Any]], str] | None = None


@dataclass(frozen=True, eq=False)
class Envelope(Explained):
    """What a certificate says around its proof.

    Attributes
    ----------
    format, statement
        The task, and what is stated, in words.
    digest, file_sha256
        Of the table's counts, see `tcloseness.certificates.reading`; and of its file, None where there was none.
    quasi_identifiers, sensitive, records
        The columns, in their order, and how many records there are; no sensitive attribute is None.
    reading
        How the files are read.
    hierarchies
        By quasi-identifier the digest of its levels; None where a value stays as it is or becomes ``*``.
    model
        The conditions, see `tcloseness.certificates.conditions`.
    proof
        What the task's checker reads.
    """

    format: str
    statement: str
    digest: str
    file_sha256: str | None
    quasi_identifiers: tuple[str, ...]
    sensitive: str | None
    records: int
    reading: Reading
    hierarchies: Mapping[str, str | None]
    model: tuple[Mapping[str, Any], ...]
    proof: Mapping[str, Any]

    def _said(self) -> str:
        columns = counted(len(self.quasi_identifiers), "quasi-identifier")
        return f"{self.format}, {counted(self.records, 'record')}, {columns}"

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as JSON-ready data, sealed."""
        record: dict[str, Any] = {
            "format": self.format,
            "statement": self.statement,
            "table": {
                "digest": self.digest,
                "file_sha256": self.file_sha256,
                "quasi_identifiers": list(self.quasi_identifiers),
                "sensitive": self.sensitive,
                "records": self.records,
            },
            "reading": self.reading.to_dict(),
            "hierarchies": dict(self.hierarchies),
            "model": [dict(condition) for condition in self.model],
            "proof": dict(self.proof),
        }
        return {**record, "sha256": seal(record)}

    def to_json(self) -> str:
        """Return the certificate as JSON text, a list of numbers or texts on one line."""
        return certificate_text(self.to_dict())


def read_envelope(content: str | bytes, statements: Mapping[str, str]) -> Envelope:
    """Read a certificate strictly; its seal is checked, its proof is not.

    Parameters
    ----------
    content
        The JSON text, or its bytes in UTF-8, of at most 32 MiB.
    statements
        The formats that are known, each with its statement.

    Raises
    ------
    CertificateFormatError
        If it is not such a certificate or was changed since it was written; nothing else, whatever the text is.
    """
    try:
        return _read(read_json(content, longest=LONGEST, deepest=_DEEPEST), statements)
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error


def _read(given: object, statements: Mapping[str, str]) -> Envelope:
    record = sealed_record(given, _KEYS, statements)
    table = fields(record["table"], _TABLE, "table")
    names = names_of(table["quasi_identifiers"], "quasi_identifiers")
    hierarchies = fields(record["hierarchies"], names, "hierarchies")
    model = listed(record["model"], "model", least=1)
    for each in (*model, record["proof"]):
        if type(each) is not dict:
            raise InputError(f"a condition of the model, or the proof, is {shown(each)}; it must be an object")
    return Envelope(
        record["format"],
        record["statement"],
        digest_of(table["digest"], "digest"),
        None if table["file_sha256"] is None else digest_of(table["file_sha256"], "file_sha256"),
        names,
        None if table["sensitive"] is None else text(table["sensitive"], "sensitive"),
        whole(table["records"], "records", least=1, most=2**53),
        reading_of(record["reading"]),
        {
            name: None if each is None else digest_of(each, f"hierarchies[{name!r}]")
            for name, each in hierarchies.items()
        },
        tuple(model),
        record["proof"],
    )


def names_of(given: object, what: str) -> tuple[str, ...]:
    """Read the names of columns, each once."""
    names = tuple(text(name, f"{what}[{i}]") for i, name in enumerate(listed(given, what, least=1)))
    if len(set(names)) < len(names):
        raise InputError(f"{what} names a column twice")
    return names


def digest_of(given: object, what: str) -> str:
    """Read a sha256."""
    if type(given) is not str or len(given) != 64 or not _HEX.issuperset(given):
        raise InputError(f"{what} is {shown(given)}; it must be a sha256 in 64 hexadecimal digits")
    return given


def reading_of(given: object) -> Reading:
    """Read how the files of a table are read."""
    record = fields(given, _READING, "reading")
    separator = text(record["separator"], "separator", longest=1)
    between = record["hierarchy_separator"]
    chosen = {"missing": ("error", "category", "drop"), "ragged": ("error", "repeat-leaf", "repeat-parent")}
    for name, known in chosen.items():
        if record[name] not in known:
            raise InputError(f"{name} is {shown(record[name])}; it must be one of {', '.join(map(repr, known))}")
    between = between if between is None else text(between, "hierarchy_separator", longest=1)
    for name, mark in (("separator", separator), ("hierarchy_separator", between)):
        if mark is not None and (not mark or not mark.isascii() or mark in '"\r\n\0'):
            raise InputError(f"{name} is {shown(mark)}; it must be one character of ASCII, not a quote or a line break")
    encoding = text(record["encoding"], "encoding", longest=100)
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses what does not make a text
        rewrites = codecs.lookup(encoding).name in _REWRITING
    except (LookupError, ValueError):
        rewrites = True
    if rewrites:
        raise InputError(f"encoding is {shown(encoding)}; it must name the encoding of a text file, such as 'utf-8'")
    return Reading(
        separator,
        encoding,
        tuple(text(each, "missing_texts[]") for each in listed(record["missing_texts"], "missing_texts")),
        record["missing"],
        None if record["weight"] is None else text(record["weight"], "weight"),
        between,
        record["ragged"],
    )
