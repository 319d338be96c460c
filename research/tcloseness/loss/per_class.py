"""What a loss costs one equivalence class, without the loss's name: the form that programs read.

A loss that is a sum over the classes and the suppressed records, or follows from such a sum, gives it as `class_cost`,
a `CellCost` or a `SizeCost`. That is optional: of a loss without it only `evaluate` is known, and no program minimizes
it. Its claim ``generalizing = "never lowers it"`` is that the cost of a class never grows when the class is split;
programs rest on that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, get_args

import numpy as np

from tcloseness.errors import InputError, ProtocolError
from tcloseness.exact import IntArray
from tcloseness.loss.protocol import Generalizing, Loss
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.release import Attribute

__all__ = ["CellCost", "ClassCost", "SizeCost", "class_cost_of", "require_loss", "total_of"]

LossOf: TypeAlias = Callable[[Fraction, int, int], Fraction]
"""The loss that a sum of costs stands for, given the numbers of all records and of attributes; it rises with the sum.

C_AVG and its like fall with the number of classes, and so have a negative sum.
"""


def total_of(total: Fraction, *_: int) -> Fraction:
    """Return the sum of the classes' costs as it is: the loss of many."""
    return total


def _one(_: int) -> int:
    return 1


def _nothing(_: int) -> int:
    return 0


@dataclass(frozen=True)
class CellCost:
    """A class of n records costs n·Σ_A of the penalty of its label of attribute A.

    Attributes
    ----------
    penalty
        From what is measured of some labels, the same of the label that stands for everything, and whether extents
        count values (`tcloseness.release.Attribute`), the penalties in whole numbers and the unit they are counted in.
        It must not fall where the measure grows, and be 0 for a single value.
    loss_of
        See `LossOf`.
    of_heights
        Whether the height of a label is measured; by default its extent is.
    suppressed
        What a suppressed record costs for an attribute, from the measure of the label that stands for everything.
    share
        What the penalty of one label as a share of that is called; the loss's name if it is left out.
    """

    penalty: Callable[[IntArray, int, bool], tuple[IntArray, int]]
    loss_of: LossOf
    of_heights: bool = False
    suppressed: Callable[[int], int] = _one
    share: str = ""

    def penalties(self, measured: IntArray, whole: int, counted: bool) -> tuple[IntArray, int]:
        """Return what `penalty` gives; a `ProtocolError` where that is not whole numbers and a unit > 0."""
        found = self.penalty(measured, whole, counted)
        match found:
            case (np.ndarray(dtype=np.dtype(kind="i" | "u" | "O")) as penalties, int() | np.integer() as unit) if (
                unit > 0
            ):
                return penalties, int(unit)
        raise ProtocolError(f"the penalty of a CellCost is an array of whole numbers and a unit > 0, not {found!r}")

    def whole(self, attribute: Attribute) -> int:
        """Return the measure of the label that stands for everything."""
        return attribute.top if self.of_heights else attribute.whole

    def unit(self, attribute: Attribute) -> int:
        """Return what the penalties of an attribute are counted in."""
        return self.penalties(np.zeros(0, dtype=np.int64), self.whole(attribute), attribute.counted)[1]

    def of_labels(self, attribute: Attribute, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the penalty of each class: codes sorted by class, and where each starts."""
        measured = (attribute.heights if self.of_heights else attribute.extents)(codes, starts)
        return self.penalties(measured, self.whole(attribute), attribute.counted)[0]

    def of_nodes(self, tree: Ancestors) -> tuple[IntArray, int, int]:
        """Return the penalty of each node of a hierarchy, the unit, and what a suppressed value costs in it."""
        measured = tree.height if self.of_heights else tree.high - tree.low
        penalties, unit = self.penalties(measured, int(measured[0]), True)
        return penalties, unit, unit * self.suppressed(int(measured[0]))


@dataclass(frozen=True)
class SizeCost:
    """A class of n records costs each + of_size(n), a whole number.

    Attributes
    ----------
    loss_of
        See `LossOf`.
    each
        What a class costs whatever its size, ≤ 0.
    of_size
        Convex, with of_size(0) = 0.
    suppressed
        What a suppressed record costs, from the number of all records. None: suppression may lower the loss, which the
        sum does not see.
    """

    loss_of: LossOf
    each: int = 0
    of_size: Callable[[int], int] = _nothing
    suppressed: Callable[[int], int] | None = None


ClassCost: TypeAlias = CellCost | SizeCost


def require_loss(loss: Any) -> Loss:
    """Return a loss; raise `InputError` for what is not one, `ProtocolError` for a claim that is unknown."""
    if not isinstance(loss, Loss) or isinstance(loss, type):
        hint = f"; give an object, {loss.__name__}()" if isinstance(loss, type) else ""
        raise InputError(f"{loss!r} is not a loss; it needs name, generalizing and evaluate(source){hint}")
    claims = get_args(Generalizing)
    for member, claim in (("generalizing", loss.generalizing), ("suppressing", getattr(loss, "suppressing", None))):
        optional = member == "suppressing" and claim is None
        if not optional and (not isinstance(claim, str) or claim not in claims):
            raise ProtocolError(
                f"{member} of the loss {loss.name} is {claim!r:.80}; it is one of {', '.join(map(repr, claims))}"
            )
    return loss


def class_cost_of(loss: Loss) -> ClassCost:
    """Return what a loss costs class by class.

    Raises
    ------
    InputError
        If it does not say, or it is not a loss that splitting a class never raises.
    """
    found = getattr(loss, "class_cost", None)
    if found is None:
        raise InputError(
            f"the loss {loss.name} has no class_cost, what one class costs, so no program minimizes it; take one of "
            "ncp, gcp, lm, height, dm, class-size, c-avg, or measure it in a search"
        )
    if not isinstance(found, CellCost | SizeCost):
        raise InputError(f"class_cost of the loss {loss.name} is {found!r}; it is a CellCost or a SizeCost")
    if loss.generalizing != "never lowers it" or getattr(loss, "better", "lower") != "lower":
        raise InputError(
            f"the loss {loss.name} has a class_cost, but not generalizing = 'never lowers it' with lower values "
            "better; programs rest on that a class never costs less than its parts"
        )
    return found
