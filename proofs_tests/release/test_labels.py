"""The spellings of labels that the page of comparisons lists are read as it says, and the others are refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tcloseness
from tcloseness.errors import TableError
from tcloseness.microdata import Domain, Hierarchy, Microdata
from tcloseness.release.labels import Labels

AGES = (19, 20, 24, 27, 29, 30, 31)
PAGE = Path(tcloseness.__file__).parents[2] / "docs" / "jobs_source" / "plot_3_compare.py"

READ = {
    "24": lambda age: age == 24,
    "24.0": lambda age: age == 24,
    "20-29": lambda age: 20 <= age <= 29,
    "20 – 29": lambda age: 20 <= age <= 29,
    "[20, 29]": lambda age: 20 <= age <= 29,
    "[20, 30)": lambda age: 20 <= age < 30,
    "[20, 30[": lambda age: 20 <= age < 30,
    "(19, 29]": lambda age: 19 < age <= 29,
    "]19;29]": lambda age: 19 < age <= 29,
    "[30, inf)": lambda age: age >= 30,
    "(-∞, 30)": lambda age: age < 30,
    "{24, 27}": lambda age: age in (24, 27),
    "*": lambda age: True,
}
NOT_READ = ("2*", ">=40", "40+", "20 to 29", "010**")


def read(text: str) -> set[int]:
    cells = np.array([text], dtype=object)
    recoding, codes = Labels("age", Domain.of(AGES), None).read_alone(cells, np.array([True]), spare=False)
    assert codes.tolist() == [0]
    starts, places = recoding.below("table")
    return {AGES[place] for place in places[starts[0] : starts[1]].tolist()}


@pytest.mark.parametrize("text", READ)
def test_a_spelling_stands_for_the_values_that_it_says(text: str) -> None:
    assert read(text) == {age for age in AGES if READ[text](age)}


@pytest.mark.parametrize("text", NOT_READ)
def test_a_spelling_that_says_nothing_by_itself_is_refused(text: str) -> None:
    with pytest.raises(TableError, match=r"neither a value, an interval nor a set .* give its hierarchy"):
        read(text)


CITIES = Hierarchy([["Bonn", "Rhine", "DE"], ["Köln", "Rhine", "DE"], ["Ulm", "Danube", "DE"]], name="city")


def level_of(texts: list[str], hierarchy: Hierarchy | None, values: tuple[object, ...]) -> int | None:
    reader = Labels("city", Domain.of(values), hierarchy)
    recoding, _ = reader.read_alone(np.array(texts, dtype=object), np.ones(len(texts), dtype=bool), spare=False)
    return recoding.level


def test_labels_are_of_a_level_if_all_are_of_the_same_one() -> None:
    """By a hierarchy any; without one only that of the values themselves."""
    cities = ("Bonn", "Köln", "Ulm")
    columns = [["Bonn", "Köln", "Ulm"], ["Rhine", "Danube"], ["DE"]]
    for level, column in enumerate(columns):
        assert level_of(column, CITIES, cities) == level
    assert level_of(["Rhine", "Ulm"], CITIES, cities) is None
    assert level_of(["Bonn", "Köln", "Danube"], CITIES, cities) is None
    assert level_of(["19", "24"], None, AGES) == 0
    assert level_of(["19-20", "24-31"], None, AGES) is None
    assert level_of(["19", "24-31"], None, AGES) is None


def test_the_page_lists_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [text for text in (*READ, *NOT_READ) if f"``{text}``" not in page] == []


def test_each_text_of_a_set_may_be_quoted() -> None:
    cells = np.array(["{'a, b', c}"], dtype=object)
    recoding, _ = Labels("town", Domain.of(["a, b", "c", "d"]), None).read_alone(cells, np.array([True]), spare=True)
    starts, places = recoding.below("table")
    assert places[: starts[1]].tolist() == [0, 1]
    assert (list(recoding.labels.values), recoding.numeric) == (["{'a, b', c}", "*"], False)


def test_values_are_read_as_they_are_or_by_an_equal_number() -> None:
    reader = Labels("age", Domain.of(AGES), None)
    assert reader.values_of(np.array(["31", "19", "24.0"], dtype=object)).tolist() == [6, 0, 2]
    with pytest.raises(TableError, match="'20-29' as 'age', which is not a value of the original"):
        reader.values_of(np.array(["20-29"], dtype=object))


ALIKE = ("01", "1", "1.0", "02")
"""Texts of which three are one number."""


def read_aligned(text: str, held: str) -> set[str]:
    reader = Labels("zip", Domain.of(ALIKE), None)
    domain, cells = reader.domain, np.array([text], dtype=object)
    rows = Microdata.from_frame(pd.DataFrame({"zip": [held], "ill": ["x"]}), quasi_identifiers="zip", sensitive="ill")
    recoding, _ = reader.read(domain.codes([held]), cells, np.array([True]), rows)
    starts, places = recoding.below("table")
    return {domain.values[place] for place in places[starts[0] : starts[1]].tolist()}


@pytest.mark.parametrize("text", ALIKE)
def test_a_label_that_is_written_as_a_value_is_that_value_and_none_that_is_equal_as_a_number(text: str) -> None:
    reader = Labels("zip", Domain.of(ALIKE), None)
    cells = np.array([text, f"{{{text}, 02}}"], dtype=object)
    recoding, codes = reader.read_alone(cells, np.array([True, True]), spare=False)
    starts, places = recoding.below("table")
    shown = [
        {reader.domain.values[place] for place in places[starts[code] : starts[code + 1]].tolist()}
        for code in codes.tolist()
    ]
    assert shown == [{text}, {text, "02"}]
    assert reader.values_of(np.array([text], dtype=object)).tolist() == [reader.domain.code(text)]
    assert read_aligned(text, text) == {text}


def test_a_label_that_is_not_its_records_value_as_it_is_written_is_read_as_a_number() -> None:
    assert read_aligned("1", "1.0") == read_aligned("001", "1") == {"01", "1", "1.0"}
    assert read_aligned("{1, 2}", "01") == set(ALIKE)


@pytest.mark.parametrize("kept", [[19, 30, 45], ["1", "21", "30"], [], ["x", "21"]])
@pytest.mark.parametrize("twice", [["21", "21.0"], ["7", "07"], ["-3", "-3.0", "9"], None])
def test_two_values_that_are_one_number_are_named(kept: list[object], twice: list[str] | None) -> None:
    values = dict.fromkeys([*kept, *(twice or [])])
    found = Labels("age", Domain.of(values), None).spellings
    numbers = [Fraction(str(v)) for v in values if str(v) != "x"]
    assert (found is None) == (len(set(numbers)) == len(numbers))
    if found is not None:
        assert found[0] != found[1]
        assert Fraction(found[0]) == Fraction(found[1])
    if values:
        tree = Hierarchy.suppression(list(values), name="age")
        assert Labels("age", Domain.of(values), tree).spellings is None
