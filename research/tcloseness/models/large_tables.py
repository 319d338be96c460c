"""Results about millions of classes, as an audit keeps them: without an array of values for each of its models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from tcloseness.exact import IntArray, MeasuredAgain
from tcloseness.models.protocol import ModelResult

__all__ = ["without_values"]


def without_values(found: ModelResult, again: Callable[[], ModelResult], kept: list[IntArray]) -> ModelResult:
    """Return a result that does not keep the values of the classes.

    Parameters
    ----------
    again
        Makes the same result once more.
    kept
        The indices of classes that other results keep; equal ones are kept once.
    """

    def once(indices: IntArray) -> IntArray:
        same = (each for each in kept if len(each) == len(indices) and (each == indices).all())
        if (held := next(same, None)) is None:
            kept.append(held := indices)
        return held

    parts = tuple(without_values(part, partial(_part, again, place), kept) for place, part in enumerate(found.parts))
    values: Any = MeasuredAgain(len(found.values), partial(_values, again))
    return replace(found, values=values, worst=once(found.worst), violating=once(found.violating), parts=parts)


def _part(again: Callable[[], ModelResult], place: int) -> ModelResult:
    return again().parts[place]


def _values(again: Callable[[], ModelResult]) -> Any:
    return again().values
