"""Bars on standard error that say how far something is; none where that is not a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None] | None]:
    """Show a bar while something runs; what is yielded takes what is done, how much of it, and of how much.

    Yields
    ------
    Callable or None
        None where standard error is not a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    stages: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def tell(stage: str, done: int, everything: int) -> None:
            if stage not in stages:
                stages[stage] = bar.add_task(stage, total=everything)
            bar.update(stages[stage], completed=done)

        yield tell
