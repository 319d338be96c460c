"""Under ``--redact`` no value of the table is said, by whichever message, whoever wrote it.

A message quotes each value that it names, as Python writes it. So every quoted text of an error or a warning is
withheld, unless it is the name of a column or a word of the command line that is not a value. Numbers, dates and truth
values are written without quotes: those that occur in a column of such are withheld too.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from tcloseness.errors import TClosenessError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["VALUE_OPTIONS", "saw_frame", "withheld", "without_values"]

VALUE_OPTIONS = ("order", "domain", "missing_text", "suppressed")
"""The parameters of commands that name values."""

_WITHHELD = "(withheld)"

_OURS = ("category", "drop", "error", "keep", "repeat-leaf", "repeat-parent", "network-simplex", "networkx", "pulp")
"""Words of messages that follow an equals sign: ways out, not values."""

_QUOTED = re.compile(r"""(=?)(?<!\w)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""", re.DOTALL)


class _Seen:
    """What a command has read: the words that may be shown, and how values without quotes are written."""

    def __init__(self, shown: set[str]) -> None:
        self.shown = shown
        self.bare: set[str] = set()

    def redacted(self, message: str) -> str:
        """Return a message without the values that it names."""

        def quoted(found: re.Match[str]) -> str:
            text = None
            with suppress(ValueError, SyntaxError):  # somebody else's way to quote
                text = ast.literal_eval(found[2])
            known = text in self.shown or (found[1] and text in _OURS)
            return found[0] if known else found[1] + _WITHHELD

        pieces = _QUOTED.sub(quoted, message)
        for text in sorted(self.bare, key=len, reverse=True):
            if text in pieces:
                pieces = re.sub(rf"(?<![\w.]){re.escape(text)}(?![\w]|\.\w)", _WITHHELD, pieces)
        return pieces


_SEEN: ContextVar[_Seen | None] = ContextVar("_SEEN", default=None)


def saw_frame(frame: pd.DataFrame) -> None:
    """Take note of a table that a command has read; does nothing without ``--redact``."""
    seen = _SEEN.get()
    if seen is None:
        return
    names = {str(name) for name in frame.columns}
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        try:
            distinct = column.drop_duplicates().tolist()
        except TypeError:  # cells that cannot be values: as they are written
            distinct = column.tolist()
        for value in distinct:
            if isinstance(value, str):
                seen.shown.discard(value)  # also what somebody typed
            else:
                seen.bare |= {repr(value), str(value)}
    seen.shown |= names


def without_values(message: str) -> str:
    """Return a message that is shown elsewhere than as an error, without the table's values under ``--redact``."""
    seen = _SEEN.get()
    return message if seen is None else seen.redacted(message)


@contextmanager
def withheld(parameters: Mapping[str, Any]) -> Iterator[None]:
    """Withhold the table's values from all errors and warnings of a command.

    `parameters` is what the command was given; nothing is withheld unless ``redact`` is among it.
    """
    if not parameters.get("redact"):
        yield
        return
    given = [value for name, value in parameters.items() if name not in VALUE_OPTIONS]
    words = [str(word) for value in given for word in (value if isinstance(value, list | tuple) else [value])]
    seen = _Seen({*words, *(piece for word in words for piece in re.split("[,=:]", word))})
    token, show = _SEEN.set(seen), warnings.showwarning

    def shown(message: Warning | str, *rest: Any, **more: Any) -> None:
        show(seen.redacted(str(message)), *rest, **more)

    warnings.showwarning = shown
    try:
        yield
    except TClosenessError as error:
        error.args = (seen.redacted(str(error)),)
        raise
    finally:
        warnings.showwarning = show
        _SEEN.reset(token)
