"""Values that look like numbers or dates and are read as texts are noticed, and nothing else is."""

from __future__ import annotations

import datetime as dt

from hypothesis import given, strategies as st

from tcloseness.microdata.misread import misread_text, written_otherwise_text
from tcloseness.microdata.values import natural_position

WHOLE = st.integers(-(10**9), 10**9)
TEXTS = st.text(max_size=8)


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


@given(st.dates(), st.sampled_from(["{0.day:02}.{0.month:02}.{0.year:04}", "{0}", "{0.month}/{0.day}/{0.year:04}"]))
def test_dates_as_texts_are_noticed_and_not_beside_a_word(day: dt.date, form: str) -> None:
    text = form.format(day)
    assert "look like dates" in str(written_otherwise_text([text, text]))
    assert written_otherwise_text([text, "x"]) is None


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


@given(st.lists(TEXTS | WHOLE.map(str), max_size=6))
def test_what_is_said_counts_the_texts_that_are_not_numbers_or_the_numbers_beside_them(values: list[str]) -> None:
    numbers = sum(natural_position(value) is not None for value in values)
    said = misread_text(values)
    if said is not None:
        assert said.startswith((f"{numbers:,} of the {len(values):,} ", f"{len(values) - numbers:,} of the "))
    if len(values) - numbers < numbers and numbers < len(values):
        assert said is not None
