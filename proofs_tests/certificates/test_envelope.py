"""What every certificate says around its proof is read strictly: what is not of the form is refused by name."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from dataclasses import replace
from typing import Any

import pytest

from proofs_tests.certificates.changes import ODD, places_of, with_at
from tcloseness.certificates.envelope import Envelope, Reading, read_envelope, seal
from tcloseness.errors import CertificateFormatError

KNOWN = {"format-1": "it is so", "format-2": "it is not"}
ENVELOPE = Envelope(
    "format-1",
    "it is so",
    "0" * 64,
    "f" * 64,
    ("a", "b"),
    "s",
    7,
    Reading(),
    {"a": "1" * 64, "b": None},
    ({"condition": "records", "least": 2},),
    {"values": ["text:x"], "nodes": [[0, 1], [2, 3]]},
)
READINGS = [
    Reading(),
    Reading(separator=";", encoding="latin-1", missing_texts=("?", "NA"), missing="category", weight="n"),
    Reading(separator="\t", missing_texts=(), missing="drop", hierarchy_separator="|", ragged="repeat-leaf"),
    Reading(separator=" ", encoding="utf-16", hierarchy_separator=",", ragged="repeat-parent"),
]


def sealed(record: dict[str, Any]) -> str:
    return json.dumps({**record, "sha256": seal(record)})


@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_what_is_written_is_read_again(reading: Reading) -> None:
    for envelope in (
        replace(ENVELOPE, reading=reading),
        replace(ENVELOPE, reading=reading, file_sha256=None, records=1, format="format-2", statement="it is not"),
        replace(ENVELOPE, reading=reading, records=2**53, sensitive="é \u2028", proof={}),
    ):
        text = envelope.to_json()
        assert read_envelope(text, KNOWN) == read_envelope(text.encode(), KNOWN) == envelope
        assert json.loads(text) == envelope.to_dict()
        assert list(envelope.reading.to_dict().values()) == [
            *(reading.separator, reading.encoding, list(reading.missing_texts), reading.missing),
            *(reading.weight, reading.hierarchy_separator, reading.ragged),
        ]


def test_the_seal_is_the_hash_of_all_the_rest_in_one_form() -> None:
    record = ENVELOPE.to_dict()
    rest = {key: value for key, value in record.items() if key != "sha256"}
    plain = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    assert record["sha256"] == seal(record) == seal(rest) == hashlib.sha256(plain.encode("ascii")).hexdigest()
    assert seal({"b": "é", "a": [1, 2]}) == hashlib.sha256(b'{"a":[1,2],"b":"\\u00e9"}').hexdigest()


def test_a_list_of_numbers_or_texts_stands_on_one_line() -> None:
    proof = {"nodes": [[0, 10], [], ["a", "b\nc"]]}
    lines = replace(ENVELOPE, proof=proof).to_json()
    assert '  "nodes": [\n   [0, 10],\n   [],\n   ["a", "b\\nc"]\n  ]' in lines
    assert '"quasi_identifiers": ["a", "b"]' in lines
    assert lines.endswith("}\n")


def test_how_files_are_read_is_said_in_words() -> None:
    assert list(map(str, READINGS)) == [
        "cells separated by ',', in utf-8-sig",
        "cells separated by ';', in latin-1; missing where a cell is '?', 'NA': a value; a row stands for as many "
        "records as 'n' says",
        "cells separated by '\\t', in utf-8-sig; missing where a cell is : left out",
        "cells separated by ' ', in utf-16",
    ]


@pytest.mark.parametrize("way", places_of(json.loads(ENVELOPE.to_json())), ids=str)
def test_whatever_stands_in_a_place_is_refused_or_read_as_it_stands(way: tuple[Any, ...]) -> None:
    given = json.loads(ENVELOPE.to_json())
    for odd in [*random.Random(str(way)).sample(ODD, 6), "utf-8", "x", "a"]:
        record = with_at(given, way, odd)
        if json.dumps(record) == json.dumps(given):
            continue
        with pytest.raises(CertificateFormatError):
            read_envelope(json.dumps(record), KNOWN)  # by its seal
        if way == ("sha256",):
            continue
        try:
            found = read_envelope(sealed(record), KNOWN)
        except CertificateFormatError:
            continue
        assert {**found.to_dict(), "sha256": ""} == {**record, "sha256": ""}


def with_table(**change: Any) -> dict[str, Any]:
    given = ENVELOPE.to_dict()
    return {**given, "table": {**given["table"], **change}}


def with_reading(**change: Any) -> dict[str, Any]:
    given = ENVELOPE.to_dict()
    return {**given, "reading": {**given["reading"], **change}}


REFUSED: list[tuple[Any, str]] = [
    ([], "its format is None; it must be one of 'format-1', 'format-2'"),
    ({}, "its format is None"),
    ({**ENVELOPE.to_dict(), "format": ["format-1"]}, "its format is of type list"),
    ({**ENVELOPE.to_dict(), "format": "format-3"}, "its format is 'format-3'"),
    ({**ENVELOPE.to_dict(), "format": "format-2"}, "its statement is 'it is so'; it must be 'it is not'"),
    ({**ENVELOPE.to_dict(), "more": 1}, "the certificate has the key 'more'"),
    ({k: v for k, v in ENVELOPE.to_dict().items() if k != "model"}, "the certificate lacks the key 'model'"),
    ({**ENVELOPE.to_dict(), "model": []}, "model has 0 entries; it must have at least 1"),
    ({**ENVELOPE.to_dict(), "model": [1]}, "a condition of the model, or the proof, is 1; it must be an object"),
    ({**ENVELOPE.to_dict(), "proof": []}, "a condition of the model, or the proof, is of type list"),
    ({**ENVELOPE.to_dict(), "hierarchies": {"a": None}}, "hierarchies lacks the key 'b'"),
    ({**ENVELOPE.to_dict(), "hierarchies": {"a": None, "b": None, "c": None}}, "hierarchies has the key 'c'"),
    ({**ENVELOPE.to_dict(), "hierarchies": {"a": "1" * 63, "b": None}}, r"hierarchies\['a'\] is '1+…'; it must be"),
    (with_table(digest="0" * 63), "digest is '0+…'; it must be a sha256 in 64 hexadecimal digits"),
    (with_table(digest="0" * 65), "digest is"),
    (with_table(digest="A" * 64), "digest is"),
    (with_table(digest=None), "digest is None"),
    (with_table(file_sha256=""), "file_sha256 is ''; it must be a sha256"),
    (with_table(quasi_identifiers=[]), "quasi_identifiers has 0 entries; it must have at least 1"),
    (with_table(quasi_identifiers=["a", "a"]), "quasi_identifiers names a column twice"),
    (with_table(quasi_identifiers=["a", 1]), r"quasi_identifiers\[1\] is 1; it must be a text"),
    (with_table(sensitive=1), "sensitive is 1; it must be a text"),
    (with_table(records=0), "records is 0; it must be a whole number from 1 to 9007199254740992"),
    (with_table(records=2**53 + 1), "records is 9007199254740993"),
    (with_reading(separator=""), "separator is ''; it must be one character of ASCII, not a quote or a line break"),
    (with_reading(separator=",,"), "separator has 2 characters"),
    (with_reading(separator="§"), "separator is '§'; it must be one character of ASCII"),
    *((with_reading(separator=mark), "separator is .*one character of ASCII") for mark in '"\r\n\0'),
    *((with_reading(hierarchy_separator=mark), "hierarchy_separator is .*one char") for mark in ("", '"', "\n", "é")),
    (with_reading(hierarchy_separator="||"), "hierarchy_separator has 2 characters"),
    (with_reading(missing="none"), "missing is 'none'; it must be one of 'error', 'category', 'drop'"),
    (with_reading(ragged=None), "ragged is None; it must be one of 'error', 'repeat-leaf', 'repeat-parent'"),
    *((with_reading(encoding=name), "it must name the encoding of a text file, such as 'utf-8'")
      for name in ("", "utf-99", "hex", "idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined")),
    (with_reading(encoding="a\0b"), "it must name the encoding of a text file"),
    (with_reading(encoding="x" * 101), "encoding has 101 characters; at most 100"),
    (with_reading(missing_texts=[1]), r"missing_texts\[\] is 1; it must be a text"),
    (with_reading(missing_texts="?"), "missing_texts is '\\?'; it must be a list"),
    (with_reading(weight=1), "weight is 1; it must be a text"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "said"), REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_what_is_not_of_the_form_is_refused_by_name(record: Any, said: str) -> None:
    text = sealed(copy.deepcopy(record)) if isinstance(record, dict) else json.dumps(record)
    with pytest.raises(CertificateFormatError, match=f"^the certificate cannot be read: .*{said}"):
        read_envelope(text, KNOWN)


def test_what_was_changed_after_it_was_sealed_is_refused() -> None:
    record = {**ENVELOPE.to_dict(), "proof": {}}
    with pytest.raises(CertificateFormatError, match="its sha256 is not that of the rest; it was changed since"):
        read_envelope(json.dumps(record), KNOWN)
