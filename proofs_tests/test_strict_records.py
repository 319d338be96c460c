"""The strict reader of records: a number has one form, the one in which it is written."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import product

import pytest

from tcloseness.errors import InputError
from tcloseness.exact import number_text
from tcloseness.strict_records import LONGEST_TEXT, canonical_fraction, canonical_fractions, text


def test_a_number_is_read_exactly_from_the_text_that_it_would_be_written_as() -> None:
    """Every text of up to five of these characters; no sign, zero, fraction or digit has a second form."""
    seen = 0
    for length in range(6):
        for letters in product("-0146/\u0661", repeat=length):
            written, right = "".join(letters), None
            with suppress(ValueError, ZeroDivisionError):
                number = Fraction(written)
                right = number if number_text(number) == written else None
            if right is None:
                with pytest.raises(InputError, match="in lowest terms"):
                    canonical_fraction(written, "x")
            else:
                assert canonical_fraction(written, "x") == right
                seen += 1
    assert seen > 500


def test_of_a_list_the_first_that_is_no_number_is_named() -> None:
    assert canonical_fractions(["1/2", "-3"], "x") == [Fraction(1, 2), Fraction(-3)]
    with pytest.raises(InputError, match=r"x\[1\] is '3/1'"):
        canonical_fractions(["1/2", "3/1", "2/4"], "x")


def test_a_text_is_one_that_a_file_can_take() -> None:
    for good in ("", "é𝄞", "x" * LONGEST_TEXT):
        assert text(good, "x") == good
    for bad in ("a\ud800", "\udfff", "x" * (LONGEST_TEXT + 1), b"x", 1, None):
        with pytest.raises(InputError, match=r"^x "):
            text(bad, "x")
