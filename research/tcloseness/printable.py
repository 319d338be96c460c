"""Text from outside as a terminal, a page and an XML file can show it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

__all__ = ["LONGEST", "Brief", "printable", "shortest"]

LONGEST = 280
"""Characters of a repr."""


def printable(text: str) -> str:
    r"""Return a text without control characters, which a terminal would obey; each is shown by its escape.

    Line breaks, ANSI sequences, marks that turn the direction of writing, lone surrogates and code points that XML
    does not allow are all of this kind.

    Examples
    --------
    >>> printable("a\x1b[31mb\ud800")
    'a\\x1b[31mb\\ud800'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shortest(text: str, longest: int) -> str:
    """Return a text of at most so many printable characters; what is cut is marked by an ellipsis."""
    shown = printable(text[:longest])
    return shown if len(text) <= longest and len(shown) <= longest else shown[: longest - 1] + "…"


class Brief:
    """The base of a dataclass whose repr shows its fields in fewer than 300 printable characters.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Numbers(Brief):
    ...     numbers: list[int]
    >>> Numbers([1, 2])
    Numbers(numbers=[1, 2])
    >>> len(repr(Numbers([0] * 1000)))
    281
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Brief.__repr__  # type: ignore[method-assign]  # so that a dataclass makes none of its own

    def __repr__(self) -> str:
        shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)  # type: ignore[arg-type]
        return shortest(f"{type(self).__name__}({', '.join(shown)}", LONGEST) + ")"
