"""Tables, hierarchies and matrices that nobody would write, for the readers: seeded, as many as one likes.

`faults` tries so many cases of a seed and returns what went wrong. Two laws: whatever the bytes, a reader answers or
raises an error of the package; and what was written by `quoted` is read as it was, from every source alike.
"""

from __future__ import annotations

import gzip
import io
import random
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from tcloseness.cli.arguments import items
from tcloseness.cli.grounds import ground_of
from tcloseness.errors import TClosenessError
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata, read_table
from tcloseness.microdata.text_files import quoted

__all__ = ["faults"]

PIECES = ["a", "b", "7", "007", "1.0", "?", "*", " ", "\t", "\u00a0", "\u200b", '"', "'", ",", ";", "|", "\n", "\r\n"]
PIECES += ["", "(missing)", "é", "e\u0301", "٣", "<=50K", ".", "=", "\x00", "NA", "😀", "-", "1e400", "\ufeff", "#"]
BYTES = [b",", b'"', b"\n", b"\r", b"\x00", b"\xff", b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"\xff\xfe", b" ", b"a", b";"]


def cell(random: random.Random) -> str:
    """Return a text of a few awkward pieces, without the character that no text file holds."""
    return "".join(random.choice(PIECES) for _ in range(random.randrange(4))).replace("\x00", "")


def table_text(random: random.Random, separator: str) -> tuple[str, list[list[str]]]:
    """Return a table as a text file, and its rows; the first is the header."""
    width = random.randrange(2, 5)
    header = [random.choice(["", "\ufeff"]) + f"{name}{cell(random)}" for name in "qstu"[:width]]
    rows = [header, *([cell(random) for _ in range(width)] for _ in range(random.randrange(1, 6)))]
    text = "".join(separator.join(quoted(each, separator) for each in row) + "\n" for row in rows)
    return text, rows


def cells_of_frame(frame: pd.DataFrame) -> list[list[str]]:
    return [[str(name) for name in frame.columns], *frame.to_numpy(dtype=object).tolist()]


def _round_trip(random: random.Random, folder: Path) -> str | None:
    separator = random.choice([",", ";", "\t", "|"])
    text, rows = table_text(random, separator)
    name = random.choice(["t.csv", "t.tsv", "t.csv.gz"])
    content = text.encode()
    (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    sources: list[Callable[[], pd.DataFrame]] = [
        lambda: read_table(folder / name, separator=separator, missing_texts=()),
        lambda: read_table(io.BytesIO(content), separator=separator, missing_texts=()),
        lambda: read_table(io.StringIO(text, newline=""), separator=separator, missing_texts=()),
    ]
    for source in sources:
        found = cells_of_frame(source())
        if found != rows:
            return f"{text!r} at {separator!r} was read as {found!r}"
    return None


def _mutated(random: random.Random, folder: Path) -> str | None:
    """Read damaged bytes by every reader."""
    separator = random.choice([",", ";", "\t"])
    content = bytearray(table_text(random, separator)[0].encode())
    for _ in range(random.randrange(1, 5)):
        place = random.randrange(len(content) + 1)
        content[place : place + random.randrange(3)] = random.choice(BYTES)
    file = folder / random.choice(["m.csv", "m.parquet", "m.tsv", "m.csv.gz"])
    file.write_bytes(content)
    encoding = random.choice([None, "utf-8", "latin-1", "utf-16", "hex", "cp1252", "idna", "no-such"])
    given = random.choice([None, separator, ",", '"', "ab"])
    missing = random.choice(["error", "category", "drop"])

    def counted() -> None:
        frame = read_table(file, separator=given, encoding=encoding, missing_texts=["", "?"])
        *others, last = [str(name) for name in frame.columns]
        FrequencySet.of(Microdata.from_frame(frame, quasi_identifiers=others[:1], sensitive=last, missing=missing))  # type: ignore[arg-type]

    for reader in (
        counted,
        lambda: Hierarchy.from_csv(file, separator=given, encoding=encoding, ragged="keep"),
        lambda: ground_of(f"matrix:{file}", separator=given, encoding=encoding),
        lambda: items(bytes(content).decode("latin-1"), "--values"),
    ):
        try:
            reader()
        except TClosenessError:
            pass
        except Exception as error:  # noqa: BLE001 - this is what is looked for
            return f"{bytes(content)!r} ({file.name}, {given!r}, {encoding!r}): {error!r}"
    return None


def faults(seed: int, cases: int) -> list[str]:
    """Return what went wrong in so many cases of a seed; nothing is right."""
    drawn, found = random.Random(seed), []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(cases):
            fault = (_round_trip, _mutated)[number % 2](drawn, Path(folder))
            if fault is not None:
                found.append(f"case {number} of seed {seed}: {fault}")
    return found
