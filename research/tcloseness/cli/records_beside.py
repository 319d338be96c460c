"""The record that anonymize writes beside a table, as it is read again: columns, and what the table gives away."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcloseness.cli.anonymize import FORMAT
from tcloseness.cli.arguments import Source, digest
from tcloseness.cli.output import file_name
from tcloseness.cli.released import sidecar_name
from tcloseness.errors import InputError, TableError

__all__ = ["Record", "is_file", "said_beside", "second_table"]


@dataclass(frozen=True)
class Record:
    """What is read of the record that anonymize wrote beside a table."""

    quasi_identifiers: list[str]
    sensitive: str | None
    marker: str | None  # what suppressed records show
    second: tuple[str, str] | None  # the other of two tables, and its digest
    made: Mapping[str, tuple[int, int] | None]  # whose labels are tight, and their grids

    @classmethod
    def beside(cls, source: Source) -> Record | None:
        """Return what it says, if there is one of this very file; `InputError` if it has another form."""
        record = _read(source)
        if record is None:
            return None
        from tcloseness.strict_records import listed, shown, text

        try:
            columns = record["columns"]
            names, sensitive = columns["quasi_identifiers"], columns.get("sensitive")
            marker, labels = record["suppressed_marker"], record.get("gives_away", {}).get("labels", {})
            tight = {name: each["grid"] for name, each in labels.items() if each["says"] in ("attained", "several")}
            files = [(each["file"], each["sha256"]) for each in record["anonymized"][1:2]]
            for file, _ in files:
                if not text(file, "a file") or Path(file).name != file:
                    raise InputError(f"a file is {shown(file)}; it must be a name in the same folder")
            return cls(
                [text(name, "a quasi-identifier") for name in listed(names, "the list of quasi-identifiers")],
                None if sensitive is None else text(sensitive, "the sensitive column"),
                None if marker is None else text(marker, "the marker of suppressed records"),
                files[0] if files else None,
                {name: None if grid is None else _grid(grid) for name, grid in tight.items()},
            )
        except (AttributeError, KeyError, TypeError, InputError) as error:
            said = f"it lacks the key {error}" if isinstance(error, KeyError) else str(error)
            raise InputError(
                f"{file_name(sidecar_name(source.paths[0]))} has another form than the records of anonymize: {said}; "
                "anonymize again, or move it away and name the columns"
            ) from error


def _grid(given: object) -> tuple[int, int]:
    from tcloseness.strict_records import listed, whole

    width, origin = listed(given, "a grid", length=2)
    most = 2**62
    return whole(width, "the width of a grid", least=2, most=most), whole(origin, "a grid", least=-most, most=most)


def is_file(file: str, sha256: str) -> bool:
    """Return whether a file is there and has a digest."""
    try:
        return digest(file) == sha256
    except TableError:
        return False


def second_table(source: Source, name: str, sha256: str) -> str:
    """Return the second of two tables beside the first, as the record says; `InputError` if it is another."""
    path = Path(source.paths[0]).with_name(name)
    if not is_file(str(path), sha256):
        raise InputError(
            f"{file_name(source.name)} is one of two tables that are joined by class, and {file_name(name)} beside it "
            "is not there or has changed; give the other with --sensitive-table"
        )
    return str(path)


def said_beside(source: Source) -> dict[str, str]:
    """Return what anonymize wrote beside a table, if it is of this very file, of what the table gives away.

    The sentences are about somebody who knows how the table was made, and have no value of it.
    """
    try:
        said = (_read(source) or {})["gives_away"]
        found = {
            "by its labels": said["tight"]["sentences"] if said["tight"] else [],
            "by its method": said["code"]["sentences"],
            "less of it": said["cures"],
        }
        lines = {name: " ".join(sentences) for name, sentences in found.items() if sentences}
    except (KeyError, TypeError):  # no such record, or one of an earlier version
        return {}
    return {**lines, "as is said in": file_name(sidecar_name(source.paths[0]))} if lines else {}


def _read(source: Source) -> Mapping[str, Any] | None:
    """Return what anonymize wrote beside a table, if it is of this very file."""
    if len(source.paths) != 1:
        return None
    path = Path(sidecar_name(source.paths[0]))
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        files = [each["sha256"] for each in record["anonymized"]] if record["format"] == FORMAT else []
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # none, or of something else
        return None
    return record if files and files[0] == digest(source.paths[0]) else None
