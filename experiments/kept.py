"""What a folder of results holds of a study: a whole result, one that was begun and not ended, or files that changed.

A study works in the folder ``unfinished`` inside its own. When it ends, everything is put in place at once, last of all
``provenance.json``, which has the hashes of the other files; then ``unfinished`` is removed. As long as it is there,
whatever else the folder holds is not a result: neither of this run nor, any more, of an earlier one.

Two runs with the same code, data and versions leave the same bytes, except in the files that `varies` names: what was
measured on a clock is in files of its own, whose names end with ``_times``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.figures import NARROW
from experiments.provenance import digest
from tcloseness.errors import InputError, StudyError
from tcloseness.strict_json import read_json
from tcloseness.writing import make_folder, write_files

__all__ = [
    "CHECKSUMS",
    "PRINTED",
    "PROVENANCE",
    "REPORTS",
    "UNFINISHED",
    "begin",
    "changed",
    "differing",
    "end",
    "json_text",
    "last_run",
    "note_run",
    "read",
    "varies",
    "why_not",
]

PROVENANCE, CLAIMS = "provenance.json", "claims.json"
UNFINISHED = "unfinished"
INPUTS = "inputs.json"
LAST_RUN = "last_run.json"
TIMES = "_times"
PRINTED, CHECKSUMS = "report.pdf", "SHA256SUMS"
"""The first has the time at which it was printed, the second the hashes of all files."""
REPORTS = ("report.html", "article.md", PRINTED, CHECKSUMS)
"""What is made of all studies, and is out of date when one of them runs again."""

_LONGEST, _DEEPEST = 50_000_000, 40

KEYS = {"study", "question", "basis", "summary", "seconds", "tables", "figures", "grid", "seeds", "revision"} | {
    "data",
    "needs",
    "date",
    "cores",
    "all_packages",
}
"""What a provenance has, beside the inputs and the hashes."""

WORDS = {
    "smoke": "the part of the data",
    "seed": "the seed",
    "code_sha256": "the code",
    "grid_sha256": "the grid",
    "data_sha256": "the data",
    "hierarchies_sha256": "the hierarchies",
    "packages": "a package",
    "python": "Python",
    "platform": "the system",
    "processor": "the processor",
}
"""What has changed, by the name of an input."""


def json_text(record: Any) -> bytes:
    """Return a record as a file of JSON."""
    return (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode()


def _read_json(path: Path) -> Any:
    return read_json(path.read_bytes(), longest=_LONGEST, deepest=_DEEPEST)


def begin(folder: Path, inputs: Mapping[str, Any]) -> Path:
    """Mark a study as unfinished, and return the folder that it works in.

    What an interrupted run with the same inputs left there is still there; what one with others left is removed.
    """
    work = folder / UNFINISHED
    try:
        same = _read_json(work / INPUTS) == json.loads(json_text(inputs))
    except (OSError, InputError):
        same = False
    if not same:
        shutil.rmtree(work, ignore_errors=True)
        make_folder(work)
        write_files({work / INPUTS: json_text(inputs)})
    return work


def end(folder: Path, files: Mapping[str, bytes], record: Mapping[str, Any]) -> None:
    """Put a study's files in place, with what it left in the folder where it worked, and take the mark away.

    Parameters
    ----------
    files
        By name, beside those that the study wrote.
    record
        The provenance, to which the hashes of all files are added.
    """
    work = folder / UNFINISHED
    found = {path.name: path.read_bytes() for path in sorted(work.iterdir()) if path.is_file() and path.name != INPUTS}
    contents = found | dict(files)
    hashes = {name: digest(content) for name, content in sorted(contents.items())}
    try:
        before = set(_read_json(folder / PROVENANCE)["files"])
    except (OSError, InputError, KeyError, TypeError):
        before = set()
    contents[PROVENANCE] = json_text({**record, "files": hashes})
    write_files({folder / name: content for name, content in contents.items()}, force=True)
    for name in before - set(contents):  # an earlier run's, which this one does not have
        if Path(name).name == name:
            (folder / name).unlink(missing_ok=True)
    shutil.rmtree(work)


def read(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the provenance and the claims of a whole result.

    Raises
    ------
    StudyError
        If it is not whole: see `why_not`.
    """
    record, claims = _checked(folder)
    if isinstance(record, str):
        raise StudyError(f"{folder.name} has no whole result: {record}")
    return record, claims


def why_not(folder: Path) -> str:
    """Return why a folder holds no whole result; nothing if it does."""
    record, _ = _checked(folder)
    return record if isinstance(record, str) else ""


def _checked(folder: Path) -> tuple[dict[str, Any] | str, list[dict[str, Any]]]:
    if (folder / UNFINISHED).exists():
        return "it was begun and did not end", []
    try:
        record = _read_json(folder / PROVENANCE)
        hashes = record["files"]
        contents = {name: (folder / Path(name).name).read_bytes() for name in hashes}
        differ = [name for name, content in contents.items() if digest(content) != hashes[name]]
        claims = read_json(contents[CLAIMS], longest=_LONGEST, deepest=_DEEPEST)
        if {CLAIMS, *record["tables"], *(figure["file"] for figure in record["figures"])} - set(hashes):
            return "its provenance does not describe all of its files", []
        if lacking := KEYS - set(record):
            raise KeyError(*sorted(lacking))
        if record["study"] != folder.name:
            return f"it is the result of {record['study']!r}", []
    except FileNotFoundError as error:
        return f"{Path(str(error.filename)).name} is missing", []
    except OSError as error:
        return f"{Path(str(error.filename)).name} cannot be read ({error.strerror})", []
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return f"its provenance cannot be read, or is of an earlier version ({type(error).__name__})", []
    if differ:
        return f"{', '.join(differ)} {'has' if len(differ) == 1 else 'have'} changed since it was written", []
    return record, claims


def changed(record: Mapping[str, Any], inputs: Mapping[str, Any]) -> list[str]:
    """Return in words which inputs of a result are others now."""
    now = json.loads(json_text(inputs))
    return [WORDS.get(name, name) for name, value in now.items() if record.get(name) != value]


def last_run(results: Path) -> dict[str, list[str]]:
    """Return what the last run did: the names of the studies that it ran, and of those whose results it reused."""
    try:
        found = _read_json(results / LAST_RUN)
        return {key: [str(name) for name in found[key]] for key in ("ran", "reused")}
    except (OSError, InputError, KeyError, TypeError):
        return {"ran": [], "reused": []}


def note_run(results: Path, ran: Sequence[str], reused: Sequence[str]) -> None:
    """Keep what `last_run` returns."""
    write_files({results / LAST_RUN: json_text({"ran": list(ran), "reused": list(reused)})}, force=True)


def varies(name: str) -> bool:
    """Say whether a file may be another one in a second run: timings, provenance, the PDF, and the list of hashes."""
    path = Path(name)
    return (
        path.stem.removesuffix(NARROW).endswith(TIMES)
        or path.name in (PROVENANCE, LAST_RUN, PRINTED, CHECKSUMS)
        or path.name.startswith(".")
    )


def differing(one: Path, other: Path) -> tuple[int, dict[str, str]]:
    """Compare two folders of results: how many files were compared, and what is not the same, by name.

    Every study must have ended in both.

    Raises
    ------
    StudyError
        For a folder that is not there.
    """
    found = []
    for folder in (one, other):
        if not folder.is_dir():
            raise StudyError(f"there is no folder {folder.name!r} of results; run 'python -m experiments run' first")
        found.append({p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()})
    first, second = ({name: path for name, path in files.items() if not varies(name)} for files in found)
    names = sorted({*first, *second})
    differ = {}
    for name in names:
        if UNFINISHED in Path(name).parts:
            differ[name] = "of a study that did not end"
        elif name not in first or name not in second:
            differ[name] = f"only in the {'first' if name in first else 'second'} folder"
        elif first[name].read_bytes() != second[name].read_bytes():
            differ[name] = "differs"
    return len(names), differ
