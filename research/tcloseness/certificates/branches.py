"""A proof by cases, as checkers read it: a tree in which each case is split in two, or settled by prices.

It is written in pre-order, a list in which what follows a split is the whole of its first case, then that of its
second: so each case is settled or the list is too short, and nothing need be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from tcloseness.errors import CertificateError
from tcloseness.strict_records import listed

__all__ = ["Steps", "settled"]

Case = TypeVar("Case")


class Steps(NamedTuple):
    """The case of one side of a split, within the case that was split."""

    within: Steps | None
    key: Any
    side: Any

    @classmethod
    def to(cls, case: Steps | None) -> Iterator[tuple[Any, Any]]:
        """Yield what leads to a case, the last split first."""
        while case is not None:
            yield case.key, case.side
            case = case.within


def settled(given: object, whole: Case, split: Callable[[Any, Case], tuple[Case, Case] | None]) -> Iterator[Any]:
    """Yield each entry that settles a case, and the case.

    Parameters
    ----------
    given
        The tree, as it was read.
    whole
        The case of the root.
    split
        The two cases of an entry that splits one; None for an entry that settles it.

    Raises
    ------
    CertificateError
        If the list ends before all cases are settled, or goes on when they are.
    """
    waiting = [whole]
    for entry in listed(given, "tree"):
        if not waiting:
            raise CertificateError("the tree goes on after its last case")
        case = waiting.pop()
        parts = split(entry, case)
        if parts is None:
            yield entry, case
        else:
            waiting += reversed(parts)
    if waiting:
        raise CertificateError("the tree ends before its last case")
