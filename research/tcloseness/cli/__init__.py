"""The command ``tcloseness``: it parses and prints, and computes nothing.

The result goes to standard output, everything else to standard error; how a command can end is in
`tcloseness.cli.exit_codes`. The commands are loaded when they are needed, so that an interrupt or a fault before that
ends like any other.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from tcloseness.cli.ending import Terminated, ended, hear_signals, standard_streams
from tcloseness.cli.exit_codes import INTERRUPTED, TERMINATED

__all__ = ["app", "main", "main_of_module"]


def __getattr__(name: str) -> Any:
    if name == "app":
        from tcloseness.cli.commands import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _run() -> None:
    from tcloseness.cli.commands import app

    app(prog_name="tcloseness")


def main(run: Callable[[], None] = _run, *, command: str | None = None) -> None:
    """Run a program and exit, whatever happens in it, with a code of the one table; the script ``tcloseness``.

    Parameters
    ----------
    run
        The program; by default the command line of tcloseness.
    command
        Its row of the table, where that is not the first word of the command line.
    """
    try:  # the first line, so that an interrupt finds it
        code = _code_of(run, command)
    except KeyboardInterrupt:  # by Python's own handler, before `hear_signals` has put another there
        code = INTERRUPTED
    except Terminated:
        code = TERMINATED
    gc.freeze()  # the search for garbage among all that was loaded would take up to a second of the time limit
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # the answer is given, and how it ends is settled
    sys.exit(code)


def main_of_module(run: Callable[[], None] = _run, *, command: str | None = None) -> None:
    """Run `main` for ``python -m``, also after an interrupt.

    Once an interrupt has passed through code that was compiled from a text, as that of a dataclass is, Python ends a
    module that it runs by the signal itself, whatever exit code it is given.
    """
    try:
        main(run, command=command)
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        atexit._run_exitfuncs()
        os._exit(INTERRUPTED)


def _code_of(run: Callable[[], None], command: str | None) -> int:
    def code_of_run() -> int:
        try:
            run()
        except SystemExit as end:  # of `Commands.main`, which lets nothing else leave
            return int(end.code or 0)
        return 0

    hear_signals()
    with standard_streams():
        return ended(code_of_run, sys.argv[1:], command=command)
