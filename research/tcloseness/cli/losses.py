"""The losses of the command line: this package's by short names, and those of the user's own.

The names are those of `tcloseness.loss.names`, read from a file that is written from it (``make written``), since help
must load no loss.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any

from tcloseness.cli.options import RESULT, option
from tcloseness.cli.user_objects import Users, loaded
from tcloseness.errors import InputError, ProtocolError

if TYPE_CHECKING:
    from tcloseness.loss import Loss, LossResult
    from tcloseness.loss.protocol import Generalizing, Source

__all__ = ["NAMES", "OF_CLASSES", "OF_VALUES", "OwnLosses", "loss_given", "own_losses"]

_WRITTEN: dict[str, dict[str, Any]] = json.loads(
    resources.files("tcloseness.cli").joinpath("losses.json").read_text("utf-8")
)

NAMES = tuple(_WRITTEN)
"""The short names."""

OF_CLASSES = tuple(name for name, loss in _WRITTEN.items() if loss["of_classes"])
"""Those that a partition or a cut can minimize."""

OF_VALUES = tuple(name for name, loss in _WRITTEN.items() if loss["of_values"])
"""Those that single values shown as nodes of a hierarchy have too."""

OwnLosses = Annotated[
    list[str] | None,
    option(
        RESULT,
        "MODULE:NAME",
        "Report a loss of your own too: an object with name, generalizing and evaluate, or its class. It is imported, "
        "that is, run. Repeatable.",
    ),
]


def loss_given(text: str, option: str, names: Sequence[str]) -> str | Loss:
    """Return a short name as it is, if it is one of some, and of ``MODULE:NAME`` the loss.

    `InputError` if it is neither.
    """
    if ":" in text:
        return _own(text, option)
    if text not in names:
        close = difflib.get_close_matches(text, names, 1)
        hint = f"did you mean {close[0]}?" if close else "a loss of your own is MODULE:NAME"
        raise InputError(f"{option} {text!r} is not one of {', '.join(names)} ({hint})")
    return text


def own_losses(texts: Sequence[str] | None) -> tuple[Loss, ...]:
    """Return the losses of the user's own that ``--loss`` names."""
    return tuple(_own(text, "--loss") for text in texts or ())


def _own(text: str, option: str) -> Loss:
    from tcloseness.loss.names import LOSSES
    from tcloseness.loss.per_class import require_loss

    try:
        found = require_loss(loaded(text, option, "my_module:my_loss or my_file.py:MyLoss"))
    except (InputError, ProtocolError) as error:
        raise InputError(f"{option} {text!r}: {error}") from error
    return found if any(type(found) is each.made_by for each in LOSSES.values()) else _Users(option, text, found)


class _Users(Users):
    """A loss of the user's own."""

    @property
    def generalizing(self) -> Generalizing:
        """Its claim."""
        found: Generalizing = self.found.generalizing
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "found"), name)

    def evaluate(self, source: Source) -> LossResult:
        """Measure a table by it."""
        from tcloseness.loss import LossResult

        found: LossResult = self.called("evaluate", source, answer=LossResult)
        return found
