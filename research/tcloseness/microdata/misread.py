"""Numbers and dates that are read as texts, since they are written in another way than numbers are read in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tcloseness.microdata.values import natural_position

__all__ = ["AS_NUMBERS", "misread_text", "written_otherwise_text"]

AS_NUMBERS = (
    "give numbers with a decimal point and none between thousands, and dates as dates (pandas reads them by decimal=, "
    "thousands= and parse_dates=)"
)
"""The way out."""

_MONTH, _DAY = "(0?[1-9]|1[0-2])", "(0?[1-9]|[12][0-9]|3[01])"
_DATE = (
    rf"\d{{4}}-{_MONTH}-{_DAY}([T ]\d{{1,2}}:\d{{2}}.*)?|({_DAY}[./]{_MONTH}|{_MONTH}[./]{_DAY})[./](\d{{4}}|\d{{2}})"
)
"""Of a month and a day that there are: codes of another kind often have three numbers too."""

_KINDS = (
    (re.compile(r"[+-]?\d{1,3},\d{3}"), "numbers with a comma, which is decimal or between thousands"),
    (re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?"), "numbers with commas between thousands"),
    (re.compile(r"[+-]?\d+(\.\d{3})*,\d+"), "numbers with a decimal comma"),
    (re.compile(r"[+-]?\d+([.,]\d+)?\s*%"), "numbers with a sign of percent"),
    (re.compile(_DATE), "dates"),
)
"""How numbers and dates are often written that are read as texts, and what they are."""


def misread_text(values: Iterable[object], of: str = "") -> str | None:
    """Return what is said of values that are read as texts although all or most are numbers or dates; else None.

    Parameters
    ----------
    values
        The different values; what is neither a text, a number nor a date is not looked at.
    of
        Whose they are, such as " of column 'age'".

    Examples
    --------
    >>> misread_text(["6,0", "61,0", "7"], " of column 'age'")
    "2 of the 3 values of column 'age' look like numbers with a decimal comma, first '6,0', and are read as texts"
    >>> misread_text(["6", "61", "unknown"])
    "2 of the 3 values are numbers, but 'unknown' is not, so all are read as texts"
    >>> misread_text(["A1", "B2", "7"]) is None
    True
    """
    values = list(values)
    texts = _texts(values)
    numbers = sum(natural_position(value) is not None for value in values)
    if texts and numbers > len(texts) and not _kind(texts):
        return (
            f"{numbers:,} of the {len(values):,} values{of} are numbers, but {texts[0]!r} is not, so all are read as "
            "texts"
        )
    return written_otherwise_text(values, of)


def written_otherwise_text(values: Iterable[object], of: str = "") -> str | None:
    """Return what is said of texts among values that all look like numbers or dates; None if they do not."""
    values = list(values)
    texts = _texts(values)
    kind = _kind(texts) if len(values) > 1 else None
    return kind and (
        f"{len(texts):,} of the {len(values):,} values{of} look like {kind}, first {texts[0]!r}, and are read as texts"
    )


def _texts(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str) and natural_position(value) is None]


def _kind(texts: Sequence[str]) -> str | None:
    """Return what all of some texts look like, one of `_KINDS`."""
    kinds = (kind for form, kind in _KINDS if all(form.fullmatch(text.strip()) for text in texts))
    return next(kinds, None) if texts else None
