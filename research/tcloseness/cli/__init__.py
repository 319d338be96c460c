"""The command ``tcloseness``: it parses and prints, and computes nothing.

The result goes to standard output, everything else to standard error; how a command can end is in
`tcloseness.cli.exit_codes`. The commands are loaded when they are needed, so that an interrupt or a fault before that
ends like any other.
"""

from __future__ import annotations

import atexit
import gc
import signal
import sys
from collections.abc import Callable
from typing import Any

from tcloseness.cli.ending import ended, hear_signals, standard_streams

__all__ = ["app", "main", "run_and_exit"]


def __getattr__(name: str) -> Any:
    if name == "app":
        from tcloseness.cli.commands import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main() -> None:
    """Run the command line and exit; the entry point of the script ``tcloseness``."""
    run_and_exit(_run)


def _run() -> None:
    from tcloseness.cli.commands import app

    app(prog_name="tcloseness")


def run_and_exit(run: Callable[[], None], *, command: str | None = None) -> None:
    """Run a program and exit, whatever happens in it, with a code of the one table.

    Parameters
    ----------
    run
        The program.
    command
        Its row of the table, where that is not the first word of the command line.
    """

    def code_of_run() -> int:
        try:
            run()
        except SystemExit as end:  # of `Commands.main`, which lets nothing else leave
            return int(end.code or 0)
        return 0

    with standard_streams():
        hear_signals()
        code = ended(code_of_run, sys.argv[1:], command=command)
    gc.freeze()  # the search for garbage among all that was loaded would take up to a second of the time limit
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # the answer is given, and how it ends is settled
    sys.exit(code)
