"""Where a result goes: standard output, as text or JSON, and nothing else goes there; and files that were asked for."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tcloseness.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["EXIT_CODES", "print_json", "refuse_to_overwrite", "result_console", "write_file"]

EXIT_CODES = {"satisfied": 0, "measured": 0, "violated": 1, "undecided": 3}
"""By status, how a command exits."""


def print_json(record: Mapping[str, Any]) -> None:
    """Print a record in the order of its keys, as plain ASCII where the terminal knows nothing else."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(record, indent=1, ensure_ascii=not unicode))


def result_console() -> Console:
    """Return the console of results: no markup in data, no guessed colours; a closed pipe is the caller's to handle."""
    from rich.console import Console

    class ResultConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return ResultConsole(markup=False, highlight=False, emoji=False)


def refuse_to_overwrite(file: str, force: bool) -> None:
    """Raise `InputError` if a file to write exists, unless forced."""
    if file == "-":
        raise InputError("- is no file to write to; name one, and read it from there")
    if os.path.lexists(file) and not force:
        raise InputError(f"file {file!r} exists and is not overwritten; give another name, or --force")


def write_file(file: str, text: str, force: bool, what: str) -> None:
    """Write a file that a command was asked for.

    Raises
    ------
    InputError
        If it exists (also if it appeared in the meantime), or cannot be written.
    """
    try:
        with open(file, "w" if force else "x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        refuse_to_overwrite(file, force)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{what} file {file!r} cannot be written: {reason}") from error
