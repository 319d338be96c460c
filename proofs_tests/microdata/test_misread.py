"""Values that look like numbers or dates and are read as texts are noticed, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import thorough
from tcloseness.microdata.misread import misread_text, written_otherwise_text

WHOLE = st.integers(-(10**9), 10**9)


@given(WHOLE, st.integers(0, 99), st.lists(WHOLE, max_size=4))
def test_a_decimal_comma_is_noticed_also_among_whole_numbers(whole: int, cents: int, others: list[int]) -> None:
    values = [f"{whole},{cents:02d}", *(f"{other}" for other in others), "0"]
    said = misread_text(values, " of it")
    assert (
        said
        == f"1 of the {len(values)} values of it look like numbers with a decimal comma, first {values[0]!r}, "
        + ("and are read as texts")
    )
    assert said.replace(" of it", "") == written_otherwise_text(values)


DIGITS = st.integers(0, 999).map("{:03}".format)
HEAD = st.integers(-999, 999).map(str)
DAY, MONTH, YEAR = st.integers(1, 31), st.integers(1, 12), st.integers(1000, 2999)
FORMS = {
    "numbers with a comma, which is decimal or between thousands": st.builds("{},{}".format, HEAD, DIGITS),
    "numbers with commas between thousands": st.builds(
        "{},{},{}{}".format, HEAD, DIGITS, DIGITS, st.just("") | st.just(".5")
    )
    | st.builds("{},{}.25".format, HEAD, DIGITS),
    "numbers with a decimal comma": st.builds("{}.{},{}".format, HEAD, DIGITS, st.integers(0, 99))
    | st.builds("{},{}".format, WHOLE, st.integers(0, 99)),
    "numbers with a sign of percent": st.builds(
        "{}{}{}%".format, WHOLE, st.sampled_from(["", ".5", ",25"]), st.sampled_from(["", " ", "  "])
    ),
    "dates": st.builds("{2:04}-{1:02}-{0:02}{3}".format, DAY, MONTH, YEAR, st.sampled_from(["", "T10:00", " 10:00"]))
    | st.builds("{0}{3}{1}{3}{2}".format, DAY, MONTH, YEAR | st.integers(10, 99), st.sampled_from("./")),
}
"""By what is said of them, how numbers and dates are written otherwise than they are read."""


@pytest.mark.parametrize("kind", FORMS)
@given(st.data())
def test_what_is_written_otherwise_is_named_whatever_is_read_beside_it_and_not_beside_a_word(
    kind: str, data: st.DataObject
) -> None:
    texts = data.draw(st.lists(FORMS[kind], min_size=1, max_size=3))
    others = data.draw(st.lists(WHOLE.map(str) | WHOLE, min_size=len(texts) == 1, max_size=5))
    values = [*others, *texts]
    said = f"{len(texts)} of the {len(values)} values look like {kind}, first {texts[0]!r}, and are read as texts"
    assert written_otherwise_text(values) == misread_text(values) == said
    assert written_otherwise_text([*values, "word"]) is None
    assert written_otherwise_text(texts[:1]) is misread_text(texts[:1]) is None  # of one value nothing is known


@given(st.integers(0, 9999), st.integers(0, 99), st.integers(0, 99), st.sampled_from(["-", ".", "/"]))
def test_three_numbers_are_a_date_only_if_there_are_such_a_month_and_day(
    year: int, one: int, other: int, mark: str
) -> None:
    """Numbers of files, versions and codes are often written so."""
    parts = (f"{year:04}", str(one), str(other)) if mark == "-" else (str(one), str(other), f"{year:04}")
    orders = [(one, other)] if mark == "-" else [(one, other), (other, one)]
    is_date = any(1 <= month <= 12 and 1 <= day <= 31 for month, day in orders)
    text = mark.join(parts)
    assert (written_otherwise_text([text, text]) is not None) is is_date
    assert written_otherwise_text([text + " or so", text]) is None


@given(st.lists(st.one_of(WHOLE, WHOLE.map(str), st.none(), st.booleans()), max_size=6))
def test_nothing_is_said_of_numbers(values: list[object]) -> None:
    assert misread_text(values) is None
    assert written_otherwise_text(values) is None


@thorough()
@given(st.lists(st.text("abc"), max_size=4), st.lists(WHOLE.map(str) | WHOLE, max_size=5))
def test_words_are_named_where_most_values_are_numbers_and_only_there(words: list[str], numbers: list[object]) -> None:
    values = [*numbers, *words]
    said = None
    if words and len(numbers) > len(words):
        said = (
            f"{len(numbers)} of the {len(values)} values are numbers, but {words[0]!r} is not, so all are read as texts"
        )
    assert misread_text(values) == said
    assert written_otherwise_text(values) is None
