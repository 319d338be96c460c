"""An anonymized table as a file: its bytes, what became of the columns, and the command that re-checks it."""

from __future__ import annotations

import codecs
import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcloseness.cli.command import without_folders
from tcloseness.cli.output import file_name
from tcloseness.errors import InputError

if TYPE_CHECKING:
    from tcloseness.cli.table_inputs import TableInputs
    from tcloseness.release.rows import AnonymizedTable

__all__ = ["ReleaseFile", "check_command", "recorded", "release_files", "sidecar_name", "sidecar_text", "table_file"]

_SUFFIXES = (".csv", ".tsv", ".txt")


def table_file(output: str) -> str:
    """Return the name of a table to write, if it is one.

    Raises
    ------
    InputError
        Unless it ends like a text table: ``check`` reads a file by its suffix.
    """
    if not output.endswith(_SUFFIXES):
        raise InputError(f"output {output!r} must end in {', '.join(_SUFFIXES[:-1])} or {_SUFFIXES[-1]}: it is a table")
    return output


def sidecar_name(output: str) -> str:
    """Return the name of the file that says what was done: the table's, with ``.json`` in place of its suffix."""
    return str(Path(output).with_suffix(".json"))


def release_files(output: str | None) -> list[str]:
    """Return the files that ``--output`` writes."""
    return [] if output is None else [table_file(output), sidecar_name(output)]


def sidecar_text(record: Mapping[str, Any]) -> bytes:
    """Return what was done as the bytes of its file."""
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class ReleaseFile:
    """An anonymized table to write.

    Attributes
    ----------
    name
        The file.
    rows
        The table, with the columns that were kept.
    content
        The file's bytes.
    left_out
        The columns of the table that was read that are not written.
    """

    name: str
    rows: AnonymizedTable
    content: bytes
    left_out: tuple[str, ...]

    @classmethod
    def of(cls, name: str, rows: AnonymizedTable, inputs: TableInputs, *, elsewhere: Sequence[str] = ()) -> ReleaseFile:
        """Return the file of rows in the order of the table, with the weights and what is kept; sorted when written.

        Columns are in the order of the table that was read; what that did not have comes last. Those that stand
        elsewhere, in another file, are not left out.

        Raises
        ------
        InputError
            If the table cannot be written in its encoding.
        """
        from tcloseness.release.rows import cell_text

        frame = inputs.frame
        more = [*([inputs.weight] if inputs.weight is not None else []), *inputs.keep]
        cells = {each: list(map(cell_text, frame[each])) for each in more}
        whole = rows.with_columns(cells)
        columns = [str(each) for each in frame.columns]
        added = [each for each in whole.columns if each not in columns]
        whole = whole.in_order([*(each for each in columns if each in whole.columns), *added])
        left_out = tuple(each for each in columns if each not in whole.columns and each not in elsewhere)
        return cls(name, whole, _encoded(name, whole, inputs), left_out)

    @classmethod
    def alone(cls, name: str, rows: AnonymizedTable, inputs: TableInputs) -> ReleaseFile:
        """Return the file of rows that are not rows of the table that was read."""
        return cls(name, rows, _encoded(name, rows, inputs), ())

    @property
    def record(self) -> dict[str, str]:
        """The name, and the sha256 of the bytes."""
        return {"file": file_name(self.name), "sha256": hashlib.sha256(self.content).hexdigest()}


def _encoding(inputs: TableInputs) -> str:
    return codecs.lookup(inputs.written.encoding or "utf-8").name.removesuffix("-sig")


def _separator(name: str, inputs: TableInputs) -> str:
    from tcloseness.microdata.text_files import separator_of

    return separator_of(inputs.written.separator, name, "", InputError)


def _encoded(name: str, rows: AnonymizedTable, inputs: TableInputs) -> bytes:
    encoding = _encoding(inputs)
    try:
        return rows.to_csv(separator=_separator(name, inputs)).encode(encoding)
    except UnicodeEncodeError as error:
        raise InputError(f"output {name!r} cannot be written in {encoding}: {error.reason}") from error


def check_command(
    file: ReleaseFile,
    inputs: TableInputs,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    weight: str | None = None,
) -> str:
    """Return the command line that asks the same of a written table; a value like an option is tied to its own.

    Parameters
    ----------
    file, inputs
        What was written, and from what.
    quasi_identifiers
        The columns that show the classes, if they are others than those that were read.
    weight
        The column of weights, if it is another.
    """
    rows, separator, encoding = file.rows, inputs.written.separator, _encoding(inputs)  # None: by the file's name
    qi = inputs.quasi_identifiers if quasi_identifiers is None else quasi_identifiers
    weight = inputs.weight if weight is None else weight
    options: dict[str, list[str]] = {
        **inputs.recheck(qi),
        **({"--weight": [weight]} if weight is not None else {}),
        **({"--missing": ["category"]} if rows.has_empty([*qi, inputs.sensitive]) else {}),
        **({"--suppressed": [rows.marker], "--reference": ["all"]} if rows.marker is not None else {}),
        **({"--separator": [separator]} if separator is not None else {}),
        **({"--encoding": [encoding]} if encoding != "utf-8" else {}),
    }
    words = ["tcloseness", "check", f"./{file.name}" if file.name.startswith("-") else file.name]
    for option, values in options.items():
        for value in values:
            words += [f"{option}={value}"] if value.startswith("-") else [option, value]
    return shlex.join(words)


def recorded(command: str) -> str:
    """Return a command that re-checks a table as its record names it: for where the files are in one folder."""
    program, verb, table, *words = shlex.split(command)
    name = file_name(table)
    return shlex.join([program, verb, f"./{name}" if name.startswith("-") else name, *map(without_folders, words)])
