"""The normal form of a value: two values of one normal form look the same to a person, and are usually one.

It is used to find values that were written in two ways, and to name the one that was probably meant. Nothing is merged
by it: `Domain` keeps values apart unless they are equal and of one kind.

The form of a text leaves out what cannot be seen or is seldom meant: the Unicode form (NFKC), upper and lower case,
blanks anywhere, invisible characters (zero width, byte order mark, soft hyphen, direction marks), the kinds of dashes
and quotes, the dot of the letter i, Cyrillic and Greek letters with a Latin picture, and dots at the end (``<=50K.`` of
Adult's test file is ``<=50K``). What reads as a number is its exact value, also beside a currency or percent sign; what
reads as a date or a time is its year, month and day, its hour, minute and second.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Hashable, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

__all__ = ["NUMERIC_TEXT", "normal_form", "normal_forms"]

NUMERIC_TEXT = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
"""A number as a table writes it. ASCII only: other digits, and digits in groups, are texts."""

_LONGEST = 400
"""Texts longer than this are compared as texts; nobody writes a number or a date of so many characters."""

_NUMBER = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]{1,4}))?")
_RATIO = re.compile(r"([+-]?[0-9]+)/([0-9]+)")
_GROUPS = re.compile(r"[+-]?[0-9]{1,3}(?:([,_'])[0-9]{3}(?:\1[0-9]{3})*|(?:,[0-9]{2})+,[0-9]{3})(?:\.[0-9]*)?")
_DOT_GROUPS = re.compile(r"[+-]?[0-9]{1,3}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,})")
"""Dots between the groups; ``1.000`` by itself is one."""
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")

_TIME = r"(?:t?([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(?:z|\+00:?00)?)?"
_YEAR_FIRST = re.compile(rf"([0-9]{{4}})([-/.])([0-9]{{1,2}})\2([0-9]{{1,2}}){_TIME}")
_YEAR_LAST = re.compile(rf"([0-9]{{1,2}})([-/.])([0-9]{{1,2}})\2([0-9]{{4}}){_TIME}")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = f"({'|'.join(_MONTHS)})[a-z]*"
_DAY = "([0-9]{1,2})(?:st|nd|rd|th)?"
_DAY_MONTH = re.compile(rf"{_DAY}[-.]?{_MONTH}[-.,]*([0-9]{{4}})")
_MONTH_DAY = re.compile(rf"{_MONTH}[-.]?{_DAY}[-.,]*([0-9]{{4}})")
_TIME_OF_DAY = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?")

_LETTERS = re.compile(r"[^-+0-9.,_'/:etz]")
"""What occurs in no number, and in a date only as the name of a month."""

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−⁃﹘﹣－"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′ʼ`´"), "'") | dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_SIGNS = {"≤": "<=", "≥": ">=", "≠": "!=", "⁄": "/", "∕": "/", "٫": ".", "٬": ",", "ı": "i"}
_PICTURES = dict(zip(map(ord, "авекмнорстухіјѕο"), "abekmhopctyxijso", strict=True))
"""Letters whose upper and lower case both look like a Latin letter, or whose upper case does."""
_SEEN = _DASHES | _QUOTES | {ord(sign): text for sign, text in _SIGNS.items()} | _PICTURES
_UNSEEN = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
_UNSEEN |= {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}  # variants of a picture
"""Characters without a picture that Unicode does not count among the format characters."""


def normal_form(value: Any) -> Hashable:
    """Return what a value looks like: equal for two values that a person would take for one.

    Examples
    --------
    >>> normal_form("<=50K") == normal_form("<=50k. "), normal_form("1e0") == normal_form(1)
    (True, True)
    >>> normal_form("2020-01-02") == normal_form("2.1.2020"), normal_form("a") == normal_form("b")
    (True, False)
    """
    if type(value) is str:
        if value.isascii() and value.isdigit() and len(value) <= _LONGEST:
            return int(value)  # most columns of numbers hold these
        whole, point, digits = value.partition(".")
        if point and value.isascii() and whole.isdigit() and digits.isdigit() and len(value) <= _LONGEST:
            return Fraction(int(whole + digits), 10 ** len(digits))
        return _text_form(value)
    if isinstance(value, bool):
        return str(value).casefold()
    if isinstance(value, dt.datetime):  # pandas' Timestamp is one
        return _date(value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond)
    if isinstance(value, dt.date):
        return _date(value.year, value.month, value.day)
    if isinstance(value, dt.time):
        return ("time", value.hour, value.minute, value.second, value.microsecond)
    if isinstance(value, Rational):
        return Fraction(value)
    if isinstance(value, (float, Decimal)):
        text = str(value).lower()
        return _number(text) if _number(text) is not None else text
    return _text_form(value if isinstance(value, str) else str(value))


_LOWER = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")
_UNPRINTED = bytes(code for code in (*range(33), 127) if code != ord("\n"))
"""The blanks and invisible characters of ASCII, but for the end of a line."""

_READ = re.compile(rf"^(?:[-+0-9.,_'/:etz]*|{_DAY_MONTH.pattern}|{_MONTH_DAY.pattern}|[%$].*|.*[%$])$", re.MULTILINE)
"""The lines of lower-case ASCII without blanks that may be read as a number or a date; of any other the form is itself.

What is read has only characters of numbers (no `_LETTERS`), or the name of a month, or a unit at one end.
"""


def normal_forms(values: Sequence[Any]) -> list[Hashable] | None:
    """Return the normal form of each value: what `normal_form` returns, with most ASCII texts dealt with together.

    The values differ. None if it is seen at once that their forms differ too, as those of most texts do.

    Examples
    --------
    >>> normal_forms(["Flu", "flu ", "1.0", 1]) == [normal_form(v) for v in ("Flu", "flu ", "1.0", 1)]
    True
    >>> normal_forms(["Flu", "cold"])
    """
    texts: Sequence[int] = range(len(values))
    whole = "\n".join(values) if set(map(type, values)) == {str} else None
    if whole is None or not whole.isascii() or whole.count("\n") >= len(values):
        texts = [i for i, v in enumerate(values) if type(v) is str and v.isascii() and "\n" not in v]
        whole = "\n".join(values[i] for i in texts)
    if not texts:
        return list(map(normal_form, values))
    data = whole.encode()
    seen = data.translate(_LOWER, _UNPRINTED)
    none_read = _none_read(seen)
    if none_read and len(texts) == len(values) and len(seen) == len(data) and not _in_two_cases(data):
        return None
    lines = seen.decode()
    if ".\n" in lines or lines.endswith("."):
        lines = "\n".join(line.rstrip(".") or line for line in lines.split("\n"))
    read: list[int] = []
    if not none_read:
        ends = np.append(np.flatnonzero(np.frombuffer(lines.encode(), np.uint8) == ord("\n")), len(lines))
        read = np.searchsorted(ends, [found.start() for found in _READ.finditer(lines)]).tolist()
    forms: list[Hashable] = lines.split("\n")  # type: ignore[assignment]
    others: set[int] = set()
    if len(texts) < len(values):
        others = {*range(len(values))} - {*texts}
        of_texts = dict(zip(texts, forms, strict=True))
        forms = [of_texts.get(i) for i in range(len(values))]
    for i in (*others, *(texts[line] for line in read)):
        forms[i] = normal_form(values[i])
    return forms


_OF_NUMBERS = np.isin(np.arange(256), np.frombuffer(b"-+0123456789.,_'/:etz\n", np.uint8))
"""Whether a byte of lower-case text may be in a number: those that are no `_LETTERS`, and the end of a line."""


def _none_read(lines: bytes) -> bool:
    """Say whether it is seen at once that none of the lines is `_READ`, and that none ends with a dot."""
    if b"%" in lines or b"$" in lines or b".\n" in lines or lines.endswith(b"."):
        return False
    if any(all(letter in lines for letter in month) and month in lines for month in map(str.encode, _MONTHS)):
        return False
    ends = np.frombuffer(lines + b"\n", np.uint8)
    starts = np.append([0], np.flatnonzero(ends == ord("\n"))[:-1] + 1)
    return not np.logical_and.reduceat(_OF_NUMBERS[ends], starts).any()


def _in_two_cases(text: bytes) -> bool:
    """Say whether a letter occurs both upper and lower case."""
    return any(letter in text and letter + 32 in text for letter in b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _text_form(text: str) -> Hashable:
    if text.isascii():
        bare = "".join(text.lower().split())
        if not bare.isprintable():
            bare = "".join(c for c in bare if c.isprintable())
    else:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_SEEN)
        bare = "".join(_visible(c) for c in folded.replace("i\u0307", "i"))
    bare = bare.rstrip(".") or bare
    if len(bare) > _LONGEST:
        return bare
    if len(bare) > 1 and (sign := next((end for end in (bare[0], bare[-1]) if _is_unit(end)), None)):
        number = _number(bare.removeprefix(sign) if bare[0] == sign else bare[:-1])
        return bare if number is None else (sign, number)
    if _LETTERS.search(bare):
        date = _with_month(bare) if bare[-1].isdigit() and (bare[0].isdigit() or bare[:3] in _MONTHS) else None
        return bare if date is None else date
    number = _number(bare)
    if number is not None:
        return number
    date = _date_of(bare)
    return bare if date is None else date


def _is_unit(character: str) -> bool:
    return character in "%$" or (not character.isascii() and unicodedata.category(character) == "Sc")


def _visible(character: str) -> str:
    """Return a character as it is seen: nothing for a blank or an invisible one, an ASCII digit for any digit."""
    category = unicodedata.category(character)
    if category in ("Cf", "Cc", "Zs", "Zl", "Zp") or ord(character) in _UNSEEN:
        return ""
    return str(unicodedata.decimal(character)) if category == "Nd" else character


def _number(text: str) -> Fraction | None:
    if _GROUPS.fullmatch(text):
        text = re.sub("[,_']", "", text)
    elif _DOT_GROUPS.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    elif _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    found = _NUMBER.fullmatch(text)
    if found is None or not any(c.isdigit() for c in text):
        ratio = _RATIO.fullmatch(text)
        return Fraction(int(ratio[1]), int(ratio[2])) if ratio and int(ratio[2]) else None
    sign, whole, decimals, exponent = found[1], found[2], found[3] or "", int(found[4] or 0)
    if found[4] and not (whole or decimals or "0" in text.partition("e")[0]):
        return None  # an exponent alone
    digits = int((whole + decimals) or 0) * (-1 if sign == "-" else 1)
    return Fraction(digits) * Fraction(10) ** (exponent - len(decimals)) if digits else Fraction(0)


def _date_of(text: str) -> Hashable | None:
    if found := _YEAR_FIRST.fullmatch(text):
        year, _, month, day, *time = found.groups()
        return _date(int(year), int(month), int(day), *_clock(time))
    if found := _YEAR_LAST.fullmatch(text):
        first, mark, second, year, *time = found.groups()
        day, month = int(first), int(second)
        if mark != "." and day <= 12 and month <= 12 and day != month:
            return ("day and month, or month and day", day, month, int(year), *_clock(time))
        return _date(int(year), *((month, day) if month <= 12 else (day, month)), *_clock(time))
    if found := _TIME_OF_DAY.fullmatch(text):
        return ("time", *_clock(list(found.groups())))
    return None


def _with_month(text: str) -> Hashable | None:
    if found := _DAY_MONTH.fullmatch(text):
        return _date(int(found[3]), _MONTHS.index(found[2]) + 1, int(found[1]))
    if found := _MONTH_DAY.fullmatch(text):
        return _date(int(found[3]), _MONTHS.index(found[1]) + 1, int(found[2]))
    return None


def _clock(parts: list[str | None]) -> tuple[int, int, int, int]:
    hour, minute, second, fraction = parts
    return int(hour or 0), int(minute or 0), int(second or 0), int((fraction or "0")[:6].ljust(6, "0"))


_FIRST_OF_FOUR_DIGITS = 1000


def _date(year: int, month: int, day: int, *clock: int) -> Hashable:
    if any(clock) or year < _FIRST_OF_FOUR_DIGITS:
        return ("date", year, month, day, *clock)
    return (year * 100 + month) * 100 + day  # 20200102 is how dates are written without marks
