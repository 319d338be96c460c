"""The checkers' own reading of files is that of the package, cell by cell."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import random
import warnings

import pytest

from tcloseness.certificates import Counts, Envelope, Reading, levels_of, reading
from tcloseness.certificates.reading import read_table
from tcloseness.errors import CertificateFormatError, InputError, TableError
from tcloseness.microdata import FrequencySet, Hierarchy, read_table as read_frame
from tcloseness.microdata.canonical import canonical_counts
from tcloseness.models.certified import counts_text


def envelope(reading: Reading, names: tuple[str, ...] = ("a", "b")) -> Envelope:
    return Envelope("", "", "", None, names, "s", 1, reading, {}, (), {})


def cell(rng: random.Random) -> str:
    text = rng.choice(["x", "y", "?", "", "x y", "1.0", "1", "é", 'x"y'])
    form = rng.random()
    if form < 0.25 or '"' in text:
        inner = text.replace('"', '""') + rng.choice(["", " ", ",", "\n", "\r\n"])
        return rng.choice(["", " ", "\t"]) + f'"{inner}"' + rng.choice(["", " "])
    return rng.choice(["", " ", "\u00a0"]) + text + rng.choice(["", "  "])


@pytest.mark.parametrize("missing", ["error", "category", "drop"])
def test_a_table_is_read_as_the_package_reads_it(missing: str) -> None:
    rng = random.Random(missing)
    same = 0
    for _ in range(60):
        end = rng.choice(["\n", "\r\n", "\r"])
        rows = [",".join(cell(rng) for _ in range(3)) for _ in range(rng.randint(1, 6))]
        text = end.join(["a,b,s", *rows]) + rng.choice(["", end, end + end])
        content = text.encode("utf-8-sig" if rng.random() < 0.3 else "utf-8")
        content = gzip.compress(content) if rng.random() < 0.2 else content
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                frame = read_frame(io.BytesIO(content), missing_texts=["", "?"])
                counted = FrequencySet.from_frame(frame, quasi_identifiers=["a", "b"], sensitive="s", missing=missing)
        except (TableError, InputError):  # a missing value where none may be, no row that is left, other quotes
            continue
        found = read_table(content, envelope(Reading(missing_texts=("", "?"), missing=missing)))
        assert found == Counts.of(*canonical_counts(counted, "s")), text
        assert found.digest == hashlib.sha256(counts_text(counted, "s").encode()).hexdigest()
        same += 1
    assert same > 10


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_row_of_empty_cells_is_a_row_where_blanks_separate_too(quote: str) -> None:
    file = f"a\tb\ts\n\t\t\n \n1\t2\t{quote}x{quote}\n".encode()
    found = read_table(file, envelope(Reading(separator="\t", missing="category")))
    assert found.counts == {("missing:",) * 3: 1, ("text:1", "text:2", "text:x"): 1}


def test_weights_are_added() -> None:
    file = b"a,b,w,s\n1,2,3,x\n1,2,4,x\n1,2,0,y\n"
    found = read_table(file, envelope(Reading(weight="w")))
    assert found.counts == {("text:1", "text:2", "text:x"): 7}
    for weight in (b"-1", b"1.5", b"many"):
        with pytest.raises(CertificateFormatError):
            read_table(b"a,b,w,s\n1,2," + weight + b",x\n", envelope(Reading(weight="w")))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a,b\n1,2\n",
        b"a,b,s,s\n1,2,3,4\n",
        b"a,b,s\n1,2\n",
        b'a,b,s\n1,2,"3\n',
        b'a,b,s\n1,2,"3"4\n',
        b"a,b,s\n1,2,\xff\n",
        b"a,b,s\n1,2,\0\n",
        b"a,b,s\n1,,3\n",
        b"\x1f\x8bnot really",
    ],
    ids=repr,
)
def test_what_is_no_such_table_is_refused(content: bytes) -> None:
    with pytest.raises(CertificateFormatError):
        read_table(content, envelope(Reading()))


@pytest.mark.parametrize("ragged", ["error", "repeat-leaf", "repeat-parent"])
def test_a_hierarchy_is_read_as_the_package_reads_it(ragged: str, tmp_path) -> None:
    rng = random.Random(ragged)
    read = 0
    for i in range(150):
        rows = []
        for leaf in rng.sample("vwxyz", rng.randint(1, 4)):
            steps = [rng.choice(["g", "h"]) for _ in range(rng.randint(0, 2))]
            rows.append(", ".join([leaf, *steps, "*"]) + rng.choice(["", ",", ",,"]))
        file = tmp_path / f"{i}.csv"
        file.write_text("\n".join(rows) + "\n")
        try:
            paths = Hierarchy.from_csv(file, ragged=ragged).paths
        except InputError:
            paths = None
        try:
            found = levels_of(file.read_bytes(), "a", Reading(ragged=ragged))
        except CertificateFormatError:
            assert paths is None
        else:
            if paths is not None:  # a label may be one level's and another's, which the package is stricter about
                assert found == [tuple(path) for path in paths]
                read += 1
    assert read > 10


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bzip2", "xz"])
def test_a_small_file_that_unpacks_to_a_great_many_bytes_is_refused(pack, monkeypatch) -> None:
    content = pack(b"a,b,s\n" + b"1,2,3\n" * 10_000)
    assert sum(read_table(content, envelope(Reading())).counts.values()) == 10_000
    monkeypatch.setattr(reading, "LARGEST", 60_005)
    with pytest.raises(CertificateFormatError, match="unpacked"):
        read_table(content, envelope(Reading()))
    monkeypatch.setattr(reading, "LARGEST", 60_006)
    assert read_table(content, envelope(Reading()))


def test_how_files_are_read_is_said_in_words() -> None:
    texts = {
        Reading(): "cells separated by ',', in utf-8-sig",
        Reading(missing="category", missing_texts=("", "?")): "missing where a cell is '', '?': a value",
        Reading(missing="drop", missing_texts=("?",)): "missing where a cell is '?': left out",
        Reading(weight="w"): "a row stands for as many records as 'w' says",
    }
    for given, text in texts.items():
        assert text in str(given)
        assert ("missing" in str(given)) == (given.missing != "error")
        assert ("stands for" in str(given)) == (given.weight is not None)
