"""The command ``tcloseness``: it parses and prints, and computes nothing.

The result goes to standard output, everything else to standard error; how a command can end is in
`tcloseness.cli.exit_codes`. The commands are loaded when they are needed, so that an interrupt or a fault before that
ends like any other.
"""

from __future__ import annotations

import atexit
import signal
import sys
from typing import Any

from tcloseness.cli.ending import ended, hear_signals, standard_streams

__all__ = ["app", "main"]


def __getattr__(name: str) -> Any:
    if name == "app":
        from tcloseness.cli.commands import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main() -> None:
    """Run the command line and exit; the entry point of the script ``tcloseness``."""
    with standard_streams():
        hear_signals()
        code = ended(_run, sys.argv[1:])
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # the answer is given, and how it ends is settled
    sys.exit(code)


def _run() -> int:
    from tcloseness.cli.commands import app

    try:
        app(prog_name="tcloseness")
    except SystemExit as end:  # of `Commands.main`, which lets nothing else leave
        return int(end.code or 0)
    return 0
