"""The strict reader of JSON: what it reads is what the standard library reads, and only one exception leaves it."""

from __future__ import annotations

import json
import random
from contextlib import suppress

import pytest

from tcloseness.errors import InputError
from tcloseness.printable import printable
from tcloseness.strict_json import read_json

ALPHABET = '{}[]",:\\ \n\t\x00\x1b01289.eE+-aNtrufls/\u0663\u00e9\ud800\u2028\ufeff'


def read(text: str | bytes) -> object:
    return read_json(text, longest=1_000_000, deepest=5)


def drawn(draw: random.Random, depth: int) -> object:
    kind = draw.randrange(7 if depth else 5)
    if kind == 5:
        return [drawn(draw, depth - 1) for _ in range(draw.randrange(4))]
    if kind == 6:
        keys = ["".join(draw.choices('ab"\\é\x00[{', k=2)) for _ in range(draw.randrange(4))]
        return {key: drawn(draw, depth - 1) for key in keys}
    plain = [draw.randrange(-9, 10**30), draw.random() * 10 ** draw.randrange(-300, 300), None, True]
    return [*plain, "".join(draw.choices('x\\"\n\x1b𝄞é]', k=4))][kind]


def test_what_json_writes_is_read_back() -> None:
    draw = random.Random(3)
    for _ in range(2000):
        value = drawn(draw, 5)
        for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
            assert read(text) == value
            assert read(text.encode()) == value


def test_whatever_the_text_is_it_is_read_as_json_reads_it_or_refused_by_name() -> None:
    draw = random.Random(4)
    taken, said = 0, set[str]()
    for _ in range(20_000):
        text = "".join(draw.choices(ALPHABET, k=draw.randrange(12)))
        try:
            value = read(text)
        except InputError as error:
            said.add(str(error))
            continue
        taken += 1
        assert json.loads(text) == value
    assert all(map(str.isprintable, said))
    assert taken > 100


def test_damaged_bytes_are_refused_by_name() -> None:
    draw = random.Random(5)
    whole = json.dumps({"seq": 1, "result": {"value": "3/8", "nodes": [["0", "1"]], "é": "𝄞"}}, ensure_ascii=False)
    for _ in range(5_000):
        content = bytearray(whole.encode())
        for _ in range(draw.randrange(1, 4)):
            content[draw.randrange(len(content))] = draw.randrange(256)
        try:
            read(bytes(content))
        except InputError:
            continue


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "b": {"a": 1, "a": 1}}', "key 'a' occurs twice"),
        ("[[[[[[]]]]]]", "more than 5 deep"),
        ('{"a":' * 100_000, "more than 5 deep"),
        ("[1e400]", "beyond the doubles"),
        ("-1e400", "beyond the doubles"),
        ("1" * 1001, "1,001 digits"),
        ("NaN", "NaN is not JSON"),
        ("-Infinity", "not JSON"),
        ('"\\ud800"', "surrogate"),
        ('{"\\udc00": 1}', "surrogate"),
        ('"\ud800"', "surrogate"),
        (b'"\xff"', "not UTF-8"),
        ('"\x00"', "not JSON"),
        ("\ufeff{}", "not JSON"),
        ("{} {}", "not JSON"),
        ("", "not JSON"),
        (" " * 1_000_001, "1,000,001 characters"),
    ],
)
def test_what_is_refused_is_named(text: str | bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(text)


def test_constants_are_read_where_they_are_asked_for() -> None:
    assert read_json("[Infinity]", longest=10, deepest=1, constants=True) == [float("inf")]
    assert str(read_json("NaN", longest=10, deepest=1, constants=True)) == "nan"


@pytest.mark.parametrize("part", ['"', '"\\', "\\", '"a', "[{", "[1,2,", '"\\u0000",', '{"a":"', '[],""', "1e9", "[1,"])
def test_what_is_repeated_often_is_read_or_refused(part: str) -> None:
    """If the time were not proportional to the length, this would take hours."""
    with suppress(InputError):
        read(part * (900_000 // len(part)))


def test_brackets_in_strings_are_not_depth() -> None:
    assert read('["[[[[[[[[", "\\"[[[[[[[[", {"{{{{{{{": 1}]') == ["[[[[[[[[", '"[[[[[[[[', {"{{{{{{{": 1}]


def test_what_is_shown_can_be_shown_anywhere() -> None:
    text = "".join(map(chr, [*range(0x2100), 0x202E, 0xD800, 0xDFFF, 0xFFFE, 0xFFFF, 0x1F600, 0x10FFFF]))
    shown = printable(text)
    assert shown.isprintable()
    shown.encode()
    assert printable(shown) == shown
