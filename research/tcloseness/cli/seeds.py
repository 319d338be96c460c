"""The option ``--seed``: draws that can be made again, for experiments; and the rows of a table in a drawn order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, TypeAlias

from tcloseness.cli.options import option
from tcloseness.errors import InputError

if TYPE_CHECKING:
    from tcloseness.cli.table_inputs import TableInputs
    from tcloseness.release.draws import Draws

__all__ = ["Seed", "drawn_with", "in_drawn_order", "sentence"]

Seed: TypeAlias = Annotated[
    str | None,
    option(
        "Draws",
        "N",
        "For experiments: draw with this whole number, so that the same is drawn again. Not for publication: whoever "
        "knows it can undo what was drawn.  [default: a secret seed that is kept nowhere]",
    ),
]


def drawn_with(text: str | None) -> Draws:
    """Return the draws of a seed, or of a secret one.

    `InputError` for a text that is not a whole number that may be a seed.
    """
    from tcloseness.release.draws import GREATEST_SEED, Draws

    if text is None:
        return Draws()
    if not re.fullmatch("[0-9]{1,39}", text) or int(text) > GREATEST_SEED:
        raise InputError(
            f"--seed {text!r} is not a whole number from 0 to 2¹²⁸ − 1; write it like 7, or leave it out to draw with "
            "a secret one"
        )
    return Draws(int(text))


def sentence(draws: Draws, *, nothing: bool = False) -> list[str]:
    """Say of a given seed what it means for the table; nothing of a secret one.

    `nothing` says that nothing was drawn.
    """
    if draws.seed is None:
        return []
    if nothing:
        return [f"Nothing was drawn, so the seed {draws.seed} changes nothing."]
    return [f"Not for publication: drawn with the given seed {draws.seed}, so whoever knows it can draw the same."]


def in_drawn_order(inputs: TableInputs, draws: Draws) -> TableInputs:
    """Return a table with its rows in a drawn order: whatever goes by their order from there on is drawn.

    Which of several records that a model cannot tell apart is shown differently, such as which of three equal values of
    a class is hidden, is then drawn too, and not the first in the file. With a given seed the order of the rows in the
    file changes nothing.
    """
    order = draws.order_of_rows(inputs.frame)
    return inputs.with_rows(inputs.frame.iloc[order], inputs.table.in_order(order))
