"""Where a result goes: standard output, as text or JSON, and nothing else goes there."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from os import PathLike
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["file_name", "print_json", "result_console"]


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


def file_name(file: str | PathLike[str]) -> str:
    """Return how a record or a page names a file: by the last part, for folders may name persons and machines."""
    return PurePath(file).name or os.fspath(file)
