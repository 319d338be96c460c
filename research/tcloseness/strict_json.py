"""Reading JSON that somebody else wrote: strictly, and within bounds of size and depth."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

from tcloseness.errors import InputError
from tcloseness.printable import printable

__all__ = ["read_json"]

_MOST_DIGITS = 1000
"""Digits of a whole number; a number of more is written as text, if at all."""

_STRING = re.compile(
    r'"(?:[^"\\]|\\.)*+"?', re.DOTALL
)  # also one that never ends, so that no text takes quadratic time
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWN = 80


def read_json(content: str | bytes, *, longest: int, deepest: int, constants: bool = False) -> Any:
    r"""Read a JSON text.

    Parameters
    ----------
    content
        The text; bytes are UTF-8.
    longest
        How many characters, or bytes, it may have.
    deepest
        How deep lists and objects may be nested.
    constants
        Whether ``NaN``, ``Infinity`` and ``-Infinity`` are read, which JSON does not have.

    Raises
    ------
    InputError
        For a text that is too long, too deep, not UTF-8, not JSON; with a key twice in one object, a number beyond the
        doubles or of more than 1000 digits, or half of a surrogate pair.

    Notes
    -----
    Memory and time are proportional to the length; no other exception leaves it, whatever the text is.

    Examples
    --------
    >>> read_json('{"a": [1, "2/3"]}', longest=100, deepest=3)
    {'a': [1, '2/3']}
    >>> read_json("[[[[1]]]]", longest=100, deepest=3)
    Traceback (most recent call last):
    ...
    tcloseness.errors.InputError: lists and objects stand more than 3 deep in '[[[[1]]]]'
    """
    if len(content) > longest:
        raise InputError(f"the text has {len(content):,} characters; at most {longest:,} are read")
    try:
        text = content if isinstance(content, str) else content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{_shown(content)} is not UTF-8 ({error.reason} at byte {error.start})") from error
    if _depth(text) > deepest:
        raise InputError(f"lists and objects stand more than {deepest} deep in {_shown(text)}")
    try:
        read = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_double,
            parse_constant=float if constants else _no_constant,
        )
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{_shown(text)} is not JSON ({error})") from error
    if "\\u" in text or not text.isascii():
        _refuse_surrogates(read)
    return read


def _shown(content: str | bytes) -> str:
    """Return the beginning of a text, in quotation marks and without control characters."""
    begin = content[:_SHOWN]
    text = begin if isinstance(begin, str) else begin.decode("utf-8", "replace")
    return f"'{printable(text)}{'…' if len(content) > _SHOWN else ''}'"


def _depth(text: str) -> int:
    """Return how deep brackets are nested, an upper bound where the text is not JSON."""
    marks = re.findall(r"[\[\]{}]", _STRING.sub("", text))
    return max(itertools.accumulate(map(_STEP.__getitem__, marks), initial=0))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            raise InputError(f"the key {_shown(key)} occurs twice in one object")
        read[key] = value
    return read


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise InputError(f"a whole number has {len(text):,} digits; at most {_MOST_DIGITS:,} are read")
    return int(text)


def _double(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise InputError(f"the number {_shown(text)} is beyond the doubles; write it as text")
    return value


def _no_constant(text: str) -> float:
    raise InputError(f"{text} is not JSON; write it as text")


def _refuse_surrogates(read: Any) -> None:
    """Refuse half of a pair, ``"\\ud800"``, which no file or terminal can take."""
    left = [read]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            left += [*part, *part.values()]
        elif isinstance(part, list):
            left += part
        elif isinstance(part, str) and _SURROGATE.search(part):
            raise InputError(f"the text {_shown(part)} holds half of a surrogate pair, which is not a character")
