"""Values that look the same are found, counted, never merged in silence, and merged where that is asked for."""

from __future__ import annotations

import datetime as dt
import random
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tcloseness import check
from tcloseness.errors import DomainError, HierarchyError, TableError, TableWarning
from tcloseness.microdata import Domain, FrequencySet, Hierarchy, Microdata
from tcloseness.microdata.normal_form import normal_form, normal_forms
from tcloseness.microdata.spellings import look_alikes, merged_spellings

TWINS: list[tuple[Any, Any]] = [
    ("<=50K", "<=50K."),
    ("flu", "Flu"),
    ("straße", "STRASSE"),
    ("flu", "flu "),
    ("New York", "NewYork"),
    ("New York", "New\u00a0York"),
    ("New York", "New  York"),
    ("é", "e\u0301"),
    ("ﬁn", "fin"),
    ("Ａ", "a"),
    ("ab", "a\u200bb"),
    ("ab", "\ufeffab"),
    ("ab", "a\u00adb"),
    ("ab", "\u202aab\u202c"),
    ("ab", "ab\u2060"),
    ("ab", "a\ufe0fb"),
    ("20-30", "20–30"),
    ("don't", "don’t"),
    ("1", "1.0"),
    ("1", 1),
    (1, "01"),
    ("1e0", "1"),
    ("007", "7"),
    ("+1", "1"),
    ("-0", "0"),
    ("1,000", "1000"),
    ("1_000", 1000),
    ("1 000", "1000"),
    ("1,5", "1.5"),
    ("1/2", "0.5"),
    ("٣", "3"),
    ("−1", "-1"),
    (".5", "0.50"),
    (0.1, "0.10"),
    (Decimal("0.1"), 0.1),
    (True, "true"),
    ("2020-01-02", "2020-1-2"),
    ("2020-01-02", "2020/01/02"),
    ("2020-01-02", "02.01.2020"),
    ("2020-01-02", "2020-01-02 00:00:00"),
    ("2020-01-02", "2020-01-02T00:00:00Z"),
    ("2020-01-02", "2 Jan 2020"),
    ("2020-01-02", "January 2, 2020"),
    ("2020-12-31", "12/31/2020"),
    (pd.Timestamp("2020-01-02"), "2020-01-02"),
    (dt.date(2020, 1, 2), pd.Timestamp("2020-01-02")),
    ("2020-01-02", "20200102"),
    ("2020-01-02", "January 2nd, 2020"),
    ("9:05", "09:05:00"),
    (dt.time(9, 5), "9:05"),
    ("İstanbul", "istanbul"),
    ("ISTANBUL", "ıstanbul"),
    ("ﬂu", "flu"),
    ("ạ́", "a\u0301\u0323"),
    ("B", "В"),  # the second one is Cyrillic
    ("cop", "сор"),
    ("a", "a\U000e0100"),
    ("≤50K", "<=50K"),
    ("½", "0.5"),
    ("１２", "12"),
    ("1e3", "1000"),
    ("TRUE", "true"),
    ("1'000.5", "1000.50"),
    ("1.000,50", "1000.5"),
    ("1.000.000", "1000000"),
    ("1,00,000", "100000"),
    ("1٫5", "1.5"),
    ("€5", "5 €"),
    ("$1,000", "1000.00 $"),
    ("50 %", "50.0%"),
    (None, "(missing)"),
]
STRANGERS: list[tuple[Any, Any]] = [
    ("a", "b"),
    ("1", "2"),
    (1, True),
    ("", "0"),
    (".", "0"),
    ("e5", "5"),
    ("1/0", "1"),
    ("a.b", "ab"),
    ("20-30", "2030"),
    ("+", "-"),
    ("3/2/2020", "2/3/2020"),
    ("2020-01-02", "2020-01-02 00:00:01"),
    ("<=50K", ">50K"),
    (0.1, 0.2),
    ("flu", "flue"),
    ("$5", "5"),
    ("$5", "€5"),
    ("50%", "50"),
    ("1.000", "1000"),
    ("1,0,000", "10000"),
    ("5 μg", "5 mg"),
    ("9:05", "9:06"),
    ("9:05", "905"),
    ("2020-01-02", "20200103"),
    ("%", ""),
    ("$", "€"),
    ("i", "l"),
]


@pytest.mark.parametrize(("one", "other"), TWINS, ids=ascii)
def test_twins_have_one_form_and_stay_two_values(one: Any, other: Any) -> None:
    domain = Domain.of([one, other])
    assert len(domain) == 2
    assert look_alikes(domain) == [[0, 1]]


@pytest.mark.parametrize(("one", "other"), STRANGERS, ids=ascii)
def test_strangers_have_two_forms(one: Any, other: Any) -> None:
    assert look_alikes(Domain.of([one, other])) == []


def test_numbers_that_differ_have_different_forms_however_they_are_written() -> None:
    """Random numbers in random spellings against exact arithmetic."""
    drawn = random.Random(5)
    spelled: dict[str, Decimal] = {}
    for _ in range(3_000):
        number = Decimal(drawn.randrange(-40, 40)).scaleb(drawn.randrange(-2, 3))
        text = drawn.choice([str(number), f"{number:f}", f"{number:e}", f"{number:f}".rjust(7, "0")])
        try:
            spelled[text] = Decimal(text)
        except ArithmeticError:
            continue
    forms: dict[Any, set[Decimal]] = {}
    for text, number in spelled.items():
        forms.setdefault(normal_form(text), set()).add(number)
    assert all(len(numbers) == 1 for numbers in forms.values())
    assert len(forms) == len(set(spelled.values()))


def frame(*values: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {"q": ["a", "b"] * (len(values) // 2) + ["a"] * (len(values) % 2), "v": list(values)}, dtype=object
    )


ROLES = [{"quasi_identifiers": "q", "sensitive": "v"}, {"quasi_identifiers": "v", "sensitive": "q"}]


@pytest.mark.parametrize("roles", ROLES)
@pytest.mark.parametrize(("one", "other"), [pair for pair in TWINS if pair[0] is not None], ids=ascii)
def test_twins_are_told_of_with_their_rows_and_merged_where_asked(roles: dict[str, str], one: Any, other: Any) -> None:
    table = frame(one, one, one, other, "z", "z")
    with pytest.warns(TableWarning, match=r"column 'v' has 1 group\(s\)") as told:
        apart = FrequencySet.from_frame(table, **roles)
    message = str(told[0].message)
    for value, rows in ((one, 3), (other, 1)):
        assert f"{Domain.of([value]).values[0]!r} ({rows} row(s))" in message
    assert len(apart.domains["v"]) == 3
    assert "spellings" not in apart.conventions
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*has a different value in each")
        merged = FrequencySet.from_frame(table, **roles, merge_spellings="v")
    assert len(merged.domains["v"]) == 2
    assert Domain.of([one]).values[0] in merged.domains["v"]  # the spelling of most rows stays
    assert merged.conventions["spellings"] == "1 spelling(s) of 1 row(s) merged in 'v'"
    assert merged.records == apart.records


@pytest.mark.long
def test_merging_is_reading_a_column_that_was_written_in_one_way() -> None:
    """Random spellings of random values: merged, the classes are those of the values."""
    drawn = random.Random(11)
    spell = [str.upper, str.title, lambda t: t + ".", lambda t: f" {t}", lambda t: t.replace("u", "u\u200b"), str]
    for _ in range(150):
        values = [drawn.choice(["flu", "gut", "ulcer"]) for _ in range(12)]
        rows = [drawn.choice("ab") for _ in values]
        plain = pd.DataFrame({"q": rows, "s": values})
        written = pd.DataFrame({"q": rows, "s": [drawn.choice(spell)(value) for value in values]})
        options: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s"}
        one = FrequencySet.from_frame(plain, **options).class_counts()
        other = FrequencySet.from_frame(written, **options, merge_spellings=["s"]).class_counts()
        assert one.class_sizes.tolist() == other.class_sizes.tolist()
        assert sorted(one.reference.tolist()) == sorted(other.reference.tolist())


def test_no_group_is_passed_over_in_silence() -> None:
    values = [f"v{i}{case}" for i in range(10) for case in ("a", "A")]
    with pytest.warns(TableWarning, match=r"has 10 group\(s\).*; and 7 more such groups"):
        FrequencySet.from_frame(frame(*values), quasi_identifiers="q", sensitive="v")


def test_a_declared_spelling_stays_and_the_columns_must_have_a_role() -> None:
    table = frame("Flu", "Flu", "flu", "cold")
    merged = Microdata.from_frame(table, **ROLES[0], merge_spellings="v", orders={"v": ["cold", "flu"]})  # type: ignore[arg-type]
    assert merged.sensitive[0].domain.values == ("cold", "flu")
    with pytest.raises(TableError, match="merge_spellings names 'w', which is neither"):
        Microdata.from_frame(table, **ROLES[0], merge_spellings="w")  # type: ignore[arg-type]


def test_the_missing_value_is_never_merged() -> None:
    table = frame("(missing)", "x", None, "x")
    merged = Microdata.from_frame(table, **ROLES[0], missing="category", merge_spellings="v")  # type: ignore[arg-type]
    assert len(merged.sensitive[0].domain) == 3


def test_a_name_that_misses_a_value_by_its_look_is_pointed_out() -> None:
    """Orders, domains and hierarchies: the error names the twin."""
    table = frame("<=50K.", "<=50K.", ">50K")
    names = ["<=50K", ">50K"]
    twin = r"'<=50K' looks the same as '<=50K\.' and is another value"
    for options in ({"orders": {"v": names}}, {"domains": {"v": names}}):
        with pytest.raises(DomainError, match=twin):
            Microdata.from_frame(table, **ROLES[0], **options)  # type: ignore[arg-type]
    domain = FrequencySet.from_frame(table, **ROLES[0]).domains["v"]  # type: ignore[arg-type]
    with pytest.raises(HierarchyError, match=rf"\(2 record\(s\) hold them\); {twin}"):
        Hierarchy.suppression(names).rows(domain, [2, 1])
    with pytest.raises(HierarchyError, match=r"the table holds texts, and the name is of type int"):
        Hierarchy.suppression([1, 2]).rows(Domain.of(["1", "2"]))


def test_a_ground_distance_that_misses_a_value_names_the_attribute() -> None:
    table = FrequencySet.from_frame(frame("x", "x", "y"), **ROLES[0])  # type: ignore[arg-type]
    with pytest.raises(HierarchyError, match=r"ground distance of 'v': .* does not cover 1 of 2 values, first 'y'"):
        check(table, ground={"v": Hierarchy.suppression(["x"])})


# ---------------------------------------------------------------------- columns without a role


def test_columns_without_a_role_are_named_and_identifiers_are_warned_of() -> None:
    table = pd.DataFrame({"name": list("abcd"), "zip": list("xxyy"), "note": list("uuuu"), "s": list("klkl")})
    with pytest.warns(TableWarning, match=r"column 'name' \(no role\) has a different value in each of the 4 rows"):
        read = FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="s")
    assert read.conventions["columns without a role"] == "name, note"
    with pytest.warns(TableWarning, match=r"column 'name' \(quasi-identifier\) has a different value"):
        Microdata.from_frame(table, quasi_identifiers=["name", "zip"], sensitive="s")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="s", identifying="name")
        Microdata.from_frame(table.drop(columns="note"), quasi_identifiers="zip", sensitive="name", identifying="s")
    assert read.conventions["columns without a role"] == "note"


def test_what_has_no_role_does_not_make_results_incomparable() -> None:
    table = pd.DataFrame({"zip": list("xxyy"), "note": list("uuuu"), "s": list("klkl")})
    one, other = (
        FrequencySet.from_frame(each, quasi_identifiers="zip", sensitive="s").conventions
        for each in (table, table.drop(columns="note"))
    )
    one.require_same(other)
    assert one.differences(other) == {}


def test_of_spellings_of_equally_many_rows_the_first_of_the_domain_stays():
    for rows, kept in (([0, 1], "A"), ([1, 0, 1, 0], "A"), ([1, 1, 0], "a"), ([0, 0, 1], "A")):
        merged, codes, spellings, changed = merged_spellings(Domain.of(["A", "a", "b"]), np.array([*rows, 2]))
        assert merged.values == (kept, "b")
        assert [merged.values[code] for code in codes] == [kept] * len(rows) + ["b"]
        assert (spellings, changed) == (1, rows.count(1 if kept == "A" else 0))


@pytest.mark.long
def test_normal_forms_found_together_are_those_found_one_by_one() -> None:
    draw, at_once = random.Random(2007), 0
    pieces = [*"abejzt0159.,-+/:%$ _'\n\t\0éJF", "Jan", "feb", "2020", "1st", "1.50", "00", "e5", "x" * 401]
    for _ in range(8000):
        alphabet = draw.choice([pieces, "abjznfe0159_A%Z.", "abcdJAN"])
        values: list[Any] = ["".join(draw.choices(alphabet, k=draw.randrange(7))) for _ in range(draw.randrange(5))]
        values = list(dict.fromkeys(values)) + draw.choice([[], [], [], [1.5], [1], [None]])
        found, forms = normal_forms(values), list(map(normal_form, values))
        at_once += found is None
        assert len(set(forms)) == len(forms) if found is None else found == forms, values
    assert at_once > 500
    for alike in (["1jan2020", "01jan2020", "xy"], ["jan1,2020", "jan01,2020"], ["xy%", "5%", "5.0%"], ["ab", "ab."]):
        forms = normal_forms(alike)
        assert forms is not None
        assert len(set(forms)) < len(alike)
    texts = [text for pair in TWINS for text in pair]
    assert normal_forms(texts) == list(map(normal_form, texts))
