"""Text from outside as a terminal, a page and an XML file can show it."""

from __future__ import annotations

__all__ = ["printable"]


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
