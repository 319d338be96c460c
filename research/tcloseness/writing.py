"""The one place where files are written: whole or not at all, and never over what is read.

Content is written beside its place under a name of its own, brought to the disk, and then put in its place. If that
fails (a full disk, no permission, a folder that vanishes, an interrupt), the files that were there before are there
again. An interrupt that comes while files are put in their places waits until all of them are.

What a symbolic link names is overwritten, and the link stays. A device, a pipe, a folder and a link to nothing are
refused. A file that is overwritten keeps its permissions; other hard links to it keep the old content.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import FrameType
from typing import TypeAlias, TypeVar

from tcloseness.errors import InputError, StudyError

__all__ = ["Draft", "draft", "drafted", "lock", "make_folder", "protect", "protecting", "refuse_files", "write_files"]

Name = str | PathLike[str]
AnyName = TypeVar("AnyName", bound=str | PathLike[str])
Content: TypeAlias = "bytes | Draft | Callable[[], bytes]"

_protected: ContextVar[list[str] | None] = ContextVar("protected", default=None)
_drafts: ContextVar[ExitStack | None] = ContextVar("drafts", default=None)

ANOTHER_NAME = "give another name, or force=True"
_STEP = 1 << 20
"""How many bytes are written between two looks at whether the user has interrupted."""

_HOLDER = re.compile(rb"(process [0-9]+ since [-0-9: ]*\n?)?")
"""What a lock holds; nothing, of a process that ended before it wrote."""

_PATIENCE = 500
"""How many hundredths of a second to wait for another process that puts its files into the same folder."""

# ---------------------------------------------------------------------- what is never overwritten


@contextmanager
def protecting(files: Iterable[Name] = ()) -> Iterator[None]:
    """Remember, while something runs, which files it reads: nothing is written over them; its drafts end with it.

    Parameters
    ----------
    files
        What is known from the start; `protect` adds more.
    """
    token = _protected.set([os.fspath(file) for file in files])
    with ExitStack() as drafts:
        before = _drafts.set(drafts)
        try:
            yield
        finally:
            _drafts.reset(before)
            _protected.reset(token)


def protect(*files: Name) -> None:
    """Say that files are read, so that what runs never writes over them; see `protecting`."""
    known = _protected.get()
    if known is not None:
        known += [os.fspath(file) for file in files]


def _is_read(place: Path, inputs: Iterable[Name]) -> bool:
    """Whether a place is that of a file that is read, by whatever name; standard input may be redirected from it."""
    there = _status(place)
    for file in [*(os.fspath(each) for each in inputs), *(_protected.get() or ())]:
        with suppress(OSError, ValueError, RuntimeError):
            status = None if file == "-" else _status(file)
            if status is not None and there is not None and os.path.samestat(status, there):
                return True
            if file != "-" and status is None and there is None and Path(file).resolve() == place:
                return True
    with suppress(OSError, ValueError, AttributeError):
        return there is not None and os.path.samestat(os.fstat(sys.stdin.fileno()), there)
    return False


def _status(path: Name) -> os.stat_result | None:
    """Return what a name stands for; None if there is nothing."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


# ---------------------------------------------------------------------- before any work


def refuse_files(files: Collection[Name], *, force: bool = False, inputs: Iterable[Name] = ()) -> None:
    """Raise `InputError` before any work if files cannot be written as asked.

    Parameters
    ----------
    files
        The files to write.
    force
        Whether an existing file may be overwritten.
    inputs
        What is read: none of it is overwritten, not even by force. What `protect` was given is never overwritten.

    Raises
    ------
    InputError
        For a name that stands for no file, an existing file without `force`, what is read, a folder that is missing, or
        two names of one file.
    """
    _places(files, force, list(inputs))


def _places(files: Collection[Name], force: bool, inputs: Collection[Name]) -> dict[str, Path]:
    """Return by name where each file is written: what a link names."""
    found: dict[str, Path] = {}
    for name in files:
        file = os.fspath(name)
        try:
            place = _place(file, force, inputs)
        except (OSError, RuntimeError) as error:
            raise _unwritable(file, error) from error
        except ValueError as error:
            raise error if isinstance(error, InputError) else _unwritable(file, error) from error
        for other, taken in found.items():
            if taken == place or (place.exists() and taken.exists() and os.path.samefile(place, taken)):
                raise InputError(f"{other!r} and {file!r} are one file; give each result a file of its own")
        found[file] = place
    return found


def _place(file: str, force: bool, inputs: Collection[Name]) -> Path:
    if file in ("", "-"):
        raise InputError(f"{file!r} is not the name of a file to write; name one, and read it from there")
    path = Path(file)
    place = path.resolve()
    there = _status(path)
    if there is None and path.is_symlink():
        raise InputError(f"file {file!r} is a link to {str(place)!r}, which does not exist; name that file itself")
    if there is not None and not stat.S_ISREG(there.st_mode):
        raise InputError(
            f"file {file!r} cannot be written: it exists and is not a regular file; give the name of a file"
        )
    if _is_read(place, inputs):
        raise InputError(f"file {file!r} is what the command reads, and is never overwritten; give another name")
    if there is not None and not force:
        raise InputError(f"file {file!r} exists and is not overwritten; {ANOTHER_NAME}")
    if not place.parent.is_dir():
        raise InputError(f"file {file!r} cannot be written: there is no folder {str(path.parent)!r}; make it first")
    return place


def _unwritable(file: str, error: BaseException) -> InputError:
    return InputError(f"file {file!r} cannot be written: {getattr(error, 'strerror', None) or error}")


# ---------------------------------------------------------------------- all of them, or none


@dataclass(frozen=True)
class Draft:
    """A file beside its place, written by something else: nothing is at its path at first."""

    path: Path

    @cached_property
    def sha256(self) -> str:
        """The digest of what was written there."""
        with open(self.path, "rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()


@contextmanager
def draft(name: Name, *, force: bool = False, inputs: Iterable[Name] = ()) -> Iterator[Draft]:
    """Yield the draft of a file, for what an engine writes; at the end it is gone, or where `write_files` put it.

    Parameters
    ----------
    name, force, inputs
        As for `refuse_files`, which is asked first.
    """
    file = os.fspath(name)
    found = Draft(_beside(_places([file], force, list(inputs))[file], "part"))
    try:
        yield found
    finally:
        with _signals_held(), suppress(OSError):
            os.unlink(found.path)


def drafted(name: Name) -> Draft:
    """Return a `draft` that is there until what runs has ended, see `protecting`; `write_files` asks about force."""
    drafts = _drafts.get()
    if drafts is None:
        raise RuntimeError("nothing runs that ends drafts")
    return drafts.enter_context(draft(name, force=True))


def write_files(contents: Mapping[AnyName, Content], *, force: bool = False, inputs: Iterable[Name] = ()) -> None:
    """Write all files, or none: each first beside its place, then all are put there.

    Parameters
    ----------
    contents
        By name, what a file holds, its draft, or what makes it, which is called once all names are those of files that
        can be written.
    force, inputs
        As for `refuse_files`, which is asked again.

    Raises
    ------
    InputError
        As `refuse_files`; or if a file appeared in the meantime, or cannot be written. Nothing has changed then.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name, "answer.txt")
    >>> write_files({file: b"42"})
    >>> file.read_bytes()
    b'42'
    >>> try:
    ...     write_files({file: b"43"})
    ... except InputError as error:
    ...     print(str(error).replace(folder.name, "…"))
    file '…/answer.txt' exists and is not overwritten; give another name, or force=True
    >>> folder.cleanup()
    """
    places = _places(contents, force, list(inputs))
    made = [each() if callable(each) else each for each in contents.values()]
    staged: dict[str, Path] = {}
    done: list[_Placed] = []
    file = ""
    with _signals_held() as interrupted:
        try:
            for file, content in zip(places, made, strict=True):
                if not _stage(staged, file, places[file], content, interrupted):
                    return  # and the signal is delivered
            with _alone_in({place.parent for place in places.values()}):
                for file, temporary in staged.items():
                    if any(placed.is_at(places[file]) for placed in done):  # names that differ in case only
                        raise InputError(f"{file!r} is the file of another result; give each a file of its own")
                    done.append(_Placed(places[file], force))
                    done[-1].put(temporary)
        except BaseException as error:
            for placed in reversed(done):
                placed.take_back()
            if isinstance(error, FileExistsError):
                raise InputError(
                    f"file {file!r} exists, since a moment ago, and is not overwritten; {ANOTHER_NAME}"
                ) from error
            if isinstance(error, OSError | ValueError) and not isinstance(error, InputError):
                raise _unwritable(file, error) from error
            raise
        finally:
            for placed in done:
                placed.forget()
            for temporary in staged.values():
                with suppress(OSError):
                    os.unlink(temporary)


def _beside(place: Path, ending: str) -> Path:
    """Return a fresh name in a file's folder; names have an end, and a long one is cut."""
    return place.with_name(f".{place.name[:40]}.{os.urandom(8).hex()}.{ending}")


def _stage(staged: dict[str, Path], file: str, place: Path, content: bytes | Draft, interrupted: list[int]) -> bool:
    """Write a file's content beside its place; whether there was no interrupt."""
    made = isinstance(content, Draft)
    temporary = content.path if isinstance(content, Draft) else _beside(place, "part")
    fresh = 0 if made else os.O_CREAT | os.O_EXCL
    descriptor = os.open(temporary, os.O_WRONLY | fresh | getattr(os, "O_BINARY", 0), 0o666)
    staged[file] = temporary
    with open(descriptor, "wb") as target:
        if there := _status(place):
            if hasattr(os, "fchown"):
                with suppress(OSError):  # only the superuser gives files away
                    os.fchown(descriptor, there.st_uid, there.st_gid)
            os.chmod(temporary, stat.S_IMODE(there.st_mode))
        for start in range(0, 0 if isinstance(content, Draft) else len(content), _STEP):
            if interrupted:
                return False
            target.write(content[start : start + _STEP])  # type: ignore[index]
        target.flush()
        os.fsync(descriptor)
    return not interrupted


class _Placed:
    """A file that is put in its place, and how to take it back."""

    def __init__(self, place: Path, force: bool) -> None:
        self.place, self.force = place, force
        self.before: Path | None = None
        self.own: os.stat_result | None = None

    def put(self, temporary: Path) -> None:
        """Put a written file in its place; what is there is overwritten only by force."""
        fresh = os.stat(temporary)
        if self.force and os.path.lexists(self.place):
            self._keep()
            os.replace(temporary, self.place)
        else:
            self._link(temporary)
        self.own = fresh

    def _keep(self) -> None:
        """Keep what is there under another name, until all files are placed."""
        kept = _beside(self.place, "kept")
        try:
            try:
                os.link(self.place, kept)
            except OSError:  # a file system without links
                shutil.copy2(self.place, kept)
        except BaseException:
            with suppress(OSError):
                os.unlink(kept)
            raise
        self.before = kept

    def _link(self, temporary: Path) -> None:
        try:
            os.link(temporary, self.place)  # fails if the file appeared in the meantime
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            os.close(os.open(self.place, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            try:
                os.replace(temporary, self.place)
            except BaseException:
                with suppress(OSError):
                    os.unlink(self.place)
                raise

    def is_at(self, place: Path) -> bool:
        """Whether another name stands for the file that was put here."""
        there = _status(place)
        return there is not None and self.own is not None and os.path.samestat(there, self.own)

    def take_back(self) -> None:
        """Restore what was there; what cannot be restored is kept under the other name."""
        kept, self.before = self.before, None
        with suppress(OSError):
            if kept is not None:
                os.replace(kept, self.place)
                self.before = kept  # it remains if nothing had been put in its place: both are one file
            elif self.is_at(self.place):
                os.unlink(self.place)

    def forget(self) -> None:
        """Remove what was kept."""
        if self.before is not None:
            with suppress(OSError):
                os.unlink(self.before)


@contextmanager
def _alone_in(folders: Collection[Path]) -> Iterator[None]:
    """Let no other process of ours put files there meanwhile, so that files that belong together stay together."""
    with ExitStack() as held:
        for folder in sorted(folders):
            with suppress(OSError):  # where folders cannot be locked, names are still exclusive
                descriptor = os.open(folder, os.O_RDONLY)
                held.callback(os.close, descriptor)
                for _ in range(_PATIENCE):
                    if _taken(descriptor):
                        break
                    time.sleep(0.01)
        yield


@contextmanager
def _signals_held() -> Iterator[list[int]]:
    """Let signals that would end the program wait, and deliver them at the end; what came so far is yielded."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():  # signals never come here
        yield came
        return

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    handlers = {number: signal.getsignal(number) for each in names if (number := getattr(signal, each, None))}
    held = {number: handler for number, handler in handlers.items() if handler not in (signal.SIG_IGN, None)}
    try:
        for number in held:
            signal.signal(number, note)
        yield came
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


# ---------------------------------------------------------------------- one process a folder


def make_folder(folder: Name) -> None:
    """Make a folder, and those that it is in, where it is not there.

    Raises
    ------
    InputError
        If it cannot be made.
    """
    try:
        os.makedirs(folder, exist_ok=True)
    except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"folder {os.fspath(folder)!r} cannot be made: {reason}; give another folder") from error


@contextmanager
def lock(folder: Name) -> Iterator[None]:
    """Hold a folder of results for oneself; a lock is gone with the process that held it, however that ended.

    Raises
    ------
    StudyError
        If another process holds it, with its number and since when; or if the folder cannot be locked, as where a file
        of another program has the lock's name.
    """
    place = Path(folder, ".lock")
    while True:
        try:
            descriptor = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except OSError as error:
            raise StudyError(f"folder {os.fspath(folder)!r} cannot be locked: {error.strerror}") from error
        try:
            taken = _taken(descriptor)
        except OSError as error:
            os.close(descriptor)
            raise StudyError(f"folder {os.fspath(folder)!r} cannot be locked: {error.strerror}") from error
        if not taken:
            os.lseek(descriptor, 0, os.SEEK_SET)
            holder = os.read(descriptor, 1000).decode("utf-8", "replace").strip() or "another process"
            os.close(descriptor)
            raise StudyError(
                f"folder {os.fspath(folder)!r} is in use by {holder}; wait until that ends, or give another folder"
            )
        there = _status(place)
        if there is not None and os.path.samestat(os.fstat(descriptor), there):
            break  # else the one before us removed it after it was opened here
        os.close(descriptor)
    os.lseek(descriptor, 0, os.SEEK_SET)
    if not _HOLDER.fullmatch(os.read(descriptor, 1000)):
        os.close(descriptor)
        raise StudyError(
            f"folder {os.fspath(folder)!r} cannot be locked: {str(place)!r} is a file of another program; move it, or "
            "give another folder"
        )
    try:
        with suppress(OSError):  # on a full disk nobody reads whose lock it is, and it is one all the same
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, f"process {os.getpid()} since {datetime.now():%Y-%m-%d %H:%M:%S}\n".encode())
        yield
    finally:
        with suppress(OSError):
            os.unlink(place)
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    """Lock an open file; whether nobody else had."""
    try:
        try:
            import fcntl
        except ImportError:  # Windows
            import msvcrt

            os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # beyond what is written: locked bytes cannot be read
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # the latter on Windows
        return False
    return True
