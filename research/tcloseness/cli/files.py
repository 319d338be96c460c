"""Files that a command writes: all of them whole, or none; nothing of the user's is overwritten by accident."""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from tcloseness.cli.output import refuse_to_overwrite
from tcloseness.errors import InputError

__all__ = ["refuse_files", "write_files"]


def refuse_files(files: Collection[str], *, inputs: Collection[str], force: bool) -> None:
    """Raise `InputError` before any work if files cannot be written as asked.

    Parameters
    ----------
    files
        The files to write.
    inputs
        What the command reads: none of it is overwritten, not even by force.
    force
        Whether an existing file may be overwritten.
    """
    seen: dict[Path, str] = {}
    for file in files:
        refuse_to_overwrite(file, force)
        path = Path(file)
        if not path.parent.is_dir():
            raise InputError(f"file {file!r} cannot be written: there is no folder {str(path.parent)!r}; make it first")
        if path.exists() and not path.is_file():
            raise InputError(f"file {file!r} cannot be written: it exists and is no file; give another name")
        place = path.resolve()
        if place in seen:
            raise InputError(f"{seen[place]!r} and {file!r} are one file; give each result a file of its own")
        seen[place] = file
        for read in inputs:
            if path.exists() and os.path.exists(read) and os.path.samefile(path, read):
                raise InputError(
                    f"file {file!r} is what the command reads, and is never overwritten; give another name"
                )


def write_files(files: Mapping[str, bytes], *, force: bool) -> None:
    """Write all files, or none: each first beside its place, then all are put there.

    Raises
    ------
    InputError
        If one exists (also if it appeared in the meantime), or cannot be written.
    """
    staged: dict[str, str] = {}
    placed: list[str] = []
    try:
        for file, content in files.items():
            staged[file] = _staged(file, content)
        for file, temporary in staged.items():
            if _place(temporary, file, force):
                placed.append(file)
    except BaseException as error:
        for done in placed:
            with suppress(OSError):
                os.unlink(done)
        if isinstance(error, FileExistsError):
            refuse_to_overwrite(file, force)
        if isinstance(error, OSError | ValueError) and not isinstance(error, InputError):
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"file {file!r} cannot be written: {reason}") from error
        raise
    finally:
        for temporary in staged.values():
            with suppress(OSError):
                os.unlink(temporary)


def _staged(file: str, content: bytes) -> str:
    path = Path(file)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as target:
            target.write(content)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    return str(temporary)


def _place(temporary: str, file: str, force: bool) -> bool:
    """Put a written file in its place and say whether it is new there."""
    if force:
        fresh = not os.path.lexists(file)
        os.replace(temporary, file)
        return fresh
    try:
        os.link(temporary, file)  # fails if the file appeared in the meantime
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(file):
            raise FileExistsError(file) from None
        os.rename(temporary, file)
    return True
