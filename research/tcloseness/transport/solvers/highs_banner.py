"""HiGHS without its banner, for all who hand it programs."""

from __future__ import annotations

import ctypes
import functools
import os

__all__ = ["silence_banner"]


@functools.cache
def silence_banner() -> None:
    """Let HiGHS print its banner into nothing: it does so once a process, before any option can silence it.

    The banner comes from C, so the file descriptor is turned away, and C's buffer is emptied while it is.
    """
    import highspy

    flush = ctypes.CDLL(None).fflush if os.name == "posix" else ctypes.cdll.msvcrt.fflush
    flush(None)
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        highspy.Highs()
        flush(None)
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
