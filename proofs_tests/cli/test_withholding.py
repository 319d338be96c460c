"""Whatever a message says of a table, under ``--redact`` no value of it is read there: however it is written, wherever
it stands, and whoever typed it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

from tcloseness.cli.withholding import VALUE_OPTIONS, saw_frame, withheld, without_values
from tcloseness.errors import InputError

TEXTS = ("flu", "it's", 'say "ah"', 'it\'s "both"', "back\\slash", "two\nlines", "größe", "476**", "12", "a=b", " x ")
BARE = (17, -4, 0.25, 1e-7, True, date(2020, 2, 29), datetime(2021, 1, 2, 3, 4), Decimal("2.50"), Fraction(22, 7))


@contextmanager
def reading(*columns: list[Any], **parameters: Any) -> Iterator[None]:
    names = ["q", "name", "s"]
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in zip(names, columns, strict=False)})
    with withheld({"redact": True, "quasi_identifiers": ["q"], **parameters}):
        saw_frame(frame)
        yield


def said(message: str, *columns: list[Any], **parameters: Any) -> str:
    with pytest.raises(InputError) as caught, reading(*columns, **parameters):
        raise InputError(message)
    return str(caught.value)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("value", [*TEXTS, *BARE], ids=repr)
def test_a_value_is_withheld_in_every_column_and_spelling(value: Any, place: int) -> None:
    columns: list[list[Any]] = [["p", "r"], ["p", "r"], ["p", "r"]]
    columns[place] = ["other", value]
    spellings = {repr(value)} if isinstance(value, str) else {repr(value), str(value)}
    for text in spellings:
        for before, after in (("the value ", " is not one"), ("values: ", ", 'p'"), ("(", ")"), ("", ""), ("x=", ";")):
            shown = said(before + text + after, *columns)
            assert text not in shown, shown
            assert str(value) not in shown, shown  # of Decimal('2.50') it is seen that it is a Decimal
            assert shown.startswith(before), shown
            assert shown.endswith(after.replace("'p'", "(withheld)")), shown
            assert "(withheld)" in shown


@pytest.mark.parametrize("option", VALUE_OPTIONS)
def test_a_word_that_names_a_value_is_withheld_and_another_is_not(option: str) -> None:
    """A value may be typed that the table does not have: it names what somebody looked for."""
    given = ["s=seen,unseen"] if option != "suppressed" else "unseen"
    shown = said("'unseen' is not there; see 'file.csv' and 'q'", ["seen"], **{option: given}, table="file.csv")
    assert shown == "(withheld) is not there; see 'file.csv' and 'q'"


def test_a_typed_word_that_is_a_value_is_withheld_and_the_name_of_a_column_is_not() -> None:
    assert said("'flu' of 's'", ["flu"], ["s"], ["x"], order="flu", sensitive=["flu"]) == "(withheld) of 's'"
    assert said("'flu' of 'q'", ["cold"], sensitive=["flu"]) == "'flu' of 'q'"


def test_numbers_are_withheld_whole_and_parts_of_others_stay() -> None:
    """1.5 is not “(withheld).5” where 1 is a value too, and 15 rows are not the value 5."""
    assert said("1.5 and 1 in 15 rows, line 21", [1, 5], ["a", "b"], [1.5, 2.5]) == (
        "(withheld) and (withheld) in 15 rows, line 21"
    )


def test_a_value_that_begins_or_ends_another_does_not_show_what_is_left_of_it() -> None:
    """Of -4 no sign is left where 4 is a value too, and of a date no day where its year is one."""
    shown = said("-4, 4, 2020-02-29 and 2020", [4, -4], [2020, 7], [date(2020, 2, 29), date(2021, 1, 1)])
    assert shown == "(withheld), (withheld), (withheld) and (withheld)"


def test_ways_out_are_words_of_ours_after_an_equals_sign_only() -> None:
    assert said("missing='drop' or 'drop'", ["drop"]) == "missing='drop' or (withheld)"


def test_warnings_are_messages_too_and_afterwards_all_is_as_before() -> None:
    shown: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: shown.append(str(message))
        with reading(["flu"], [3]):
            warnings.warn("'flu' in 3 rows", UserWarning, stacklevel=1)
        warnings.warn("'flu' in 3 rows", UserWarning, stacklevel=1)
    assert shown == ["(withheld) in (withheld) rows", "'flu' in 3 rows"]
    assert said("'flu' in 3 rows", ["flu"], [3], redact=False) == "'flu' in 3 rows"


def test_a_message_on_a_page_names_no_value_either() -> None:
    message = "not certified: the class ['flu', 17] of 'name' has no record"
    assert without_values(message) == message
    with reading([17], ["flu"]):
        assert without_values(message) == "not certified: the class [(withheld), (withheld)] of 'name' has no record"
