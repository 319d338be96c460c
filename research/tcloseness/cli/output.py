"""Where a result goes: standard output, as text or JSON, and nothing else; progress goes to standard error.

Progress is a bar of a search, and a line of a solver; on a terminal, and nothing elsewhere.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from tcloseness.errors import InputError
from tcloseness.page_templates import require_report

if TYPE_CHECKING:
    from rich.console import Console

    from tcloseness.microdata.combinations import Counting
    from tcloseness.optimal import Progress

__all__ = [
    "file_name",
    "print_json",
    "reading_bar",
    "require_figure",
    "result_console",
    "solver_progress",
]


def print_json(record: Mapping[str, Any]) -> None:
    """Print a record in the order of its keys, as plain ASCII where the terminal knows nothing else."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(record, indent=1, ensure_ascii=not unicode))


def require_figure(file: str | None) -> list[str]:
    """Return the file of a figure, if there is one; `InputError` unless one can be drawn, as its suffix says."""
    if file is not None and not file.endswith((".png", ".svg", ".pdf")):
        raise InputError(f"figure file {file!r} must end in .png, .svg or .pdf")
    if file is not None:
        require_report()
    return [] if file is None else [file]


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


@contextmanager
def reading_bar(name: str) -> Iterator[Callable[[Counting], None] | None]:
    """Show how much of a table is counted, about how many rows that is, and the time left, once that takes a moment.

    Yields
    ------
    Callable or None
        What takes how far the engine is, see `Options.progress`; None where standard error is not a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

    shown = ("{task.description}", "{task.fields[rows]}")
    columns = (TextColumn(shown[0]), BarColumn(None), TaskProgressColumn(), TextColumn(shown[1]), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True, expand=True)
    passes: dict[bool, TaskID] = {}

    def tell(found: Counting) -> None:
        if not passes:
            bar.start()
        if found.again not in passes:
            what = "looking for columns that name persons in" if found.again else "counting"
            passes[found.again] = bar.add_task(f"{what} {file_name(name)}", total=1.0, rows="")
        rows = "" if found.total is None else f"about {found.rows:,} of {found.total:,} rows"
        bar.update(passes[found.again], completed=found.share, rows=rows)

    try:
        yield tell
    finally:
        bar.stop()


@contextmanager
def solver_progress() -> Iterator[Callable[[Progress], None] | None]:
    """Show in one line how far a solver is, while it runs; what is yielded takes what it has.

    Yields
    ------
    Callable or None
        None where standard error is not a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    begin, last = time.monotonic(), "solving"

    def line() -> Text:
        return Text(f"{time.monotonic() - begin:6.1f} s  {last}")

    def tell(progress: Progress) -> None:
        nonlocal last
        last = progress_text(progress)

    with Live(get_renderable=line, console=Console(stderr=True), transient=True, refresh_per_second=4):
        yield tell


def progress_text(progress: Progress) -> str:
    """Say what a solver has: its incumbent, its bound, and the gap between them; a dash for what is not known."""
    named = (("incumbent", progress.incumbent), ("bound", progress.bound), ("gap", progress.gap))
    return "  ".join(f"{name} {_number(value)}" for name, value in named)


def _number(value: object) -> str:
    if value is None or not math.isfinite(number := float(value)):  # type: ignore[arg-type]
        return "–"
    return f"{number:.6g}"
