"""Domains: which values are one value, and an order that no row decides."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import pickle
import random
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from tcloseness.errors import DomainError
from tcloseness.microdata import MISSING, Domain, Microdata
from tcloseness.microdata.naming import declared_order
from tcloseness.microdata.sources.pandas import factorize
from tcloseness.microdata.values import is_missing, kind_and_value, natural_position, plain_value, sort_key

VALUES = st.one_of(
    st.integers(-20, 20),
    st.fractions(-3, 3, max_denominator=4),
    st.sampled_from([0.5, 1.0, math.inf, True, False, None, math.nan, "", "1", "1.0", "a", "a ", "A", (1, "x")]),
    st.sampled_from(
        [dt.date(2007, 4, 15), pd.Timestamp("2007-04-15"), Decimal("0.1"), 0.1, np.int64(3), np.float64(0.5)]
    ),
)


@given(st.lists(VALUES), st.randoms())
def test_the_order_of_the_rows_decides_nothing(values: list[Any], random: Any) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    one, other = Domain.of(values), Domain.of(shuffled + shuffled)
    assert one == other
    assert one.order == other.order


ALIKE: list[list[Any]] = [
    [0.5, Fraction(1, 2), Decimal("0.5"), Decimal("0.50")],
    [0.1, "0.1", Decimal("0.10"), Decimal("0.1"), Fraction(1, 10)],
    [0.1, Decimal.from_float(0.1), Fraction(0.1), Decimal("0.1"), 0.25],
    [1, 1.0, Decimal("1.0"), Fraction(1), True, "1"],
    [math.inf, Decimal("Infinity"), 1],
    [pd.Timestamp("2020"), pd.Timestamp("2020", tz="UTC"), pd.Timestamp("2020-01-02")],
    [
        pd.Timestamp("2020", tz="UTC"),
        pd.Timestamp("2020-01-01 01:00", tz="Europe/Berlin"),
        pd.Timestamp("2021", tz="UTC"),
    ],
    [Fraction(10**5000, 3), Fraction(10**5000, 3), Decimal("1e999999")],
    [5e-324, -0.0, 0, 1e308, int(1e308)],
]


@pytest.mark.parametrize("values", ALIKE)
def test_values_that_are_equal_or_lie_at_one_place_are_the_same_in_every_order(values: list[Any]) -> None:
    found = set()
    for cells in itertools.permutations(values):
        domain, codes = Domain.numbered(list(cells))
        assert codes.tolist() == domain.codes(cells).tolist()
        written = (
            (type(value), str(value) if isinstance(value, Decimal | dt.date) else value) for value in domain.values
        )
        found.add((domain.order, *written))
    assert len(found) == 1


@given(st.lists(VALUES, min_size=1))
def test_codes_are_the_places_of_the_values(values: list[Any]) -> None:
    domain = Domain.of(values)
    assert domain.codes(domain.values).tolist() == list(range(len(domain)))
    for value in values:
        assert value in domain
        kept = domain.values[domain.code(value)]
        assert (kept is MISSING and is_missing(value)) or kept == value


@pytest.mark.long
@given(st.lists(st.fractions(-5, 5, max_denominator=50), unique=True, min_size=1))
def test_numbers_ascend(numbers: list[Fraction]) -> None:
    domain = Domain.of(numbers)
    assert domain.order == "natural"
    assert list(domain.values) == sorted(numbers)
    assert domain.positions("a test") == tuple(sorted(numbers))


@given(st.lists(st.integers(-500, 500), unique=True, min_size=1))
def test_numeric_text_ascends_by_number_and_not_by_letter(numbers: list[int]) -> None:
    domain = Domain.of(map(str, numbers))
    assert domain.order == "natural"
    assert list(domain.values) == [str(n) for n in sorted(numbers)]


def test_one_number_is_one_value_however_it_is_held() -> None:
    assert Domain.of([1.0, np.int64(1), Fraction(1), Decimal(1), np.float32(1), 1]).values == (1,)


def test_a_number_a_text_and_a_truth_value_are_three_values() -> None:
    domain = Domain.of([1, "1", True])
    assert len(domain) == 3
    assert [type(domain.values[domain.code(v)]) for v in (1, "1", True)] == [int, str, bool]
    assert 1 in Domain((1,))
    assert "1" not in Domain((1,))
    assert True not in Domain((1,))


def test_every_empty_cell_is_the_one_missing_value() -> None:
    assert Domain.of([None, math.nan, np.float64("nan"), pd.NaT, pd.NA, Decimal("NaN"), MISSING]).values == (MISSING,)
    assert np.datetime64("NaT", "ns") in Domain((MISSING,))
    assert "(missing)" not in Domain((MISSING,))
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING


@pytest.mark.parametrize(
    ("values", "order"),
    [
        ([3, 1, 2], "natural"),
        (["10", "2", "11"], "natural"),
        ([pd.Timestamp("2020-02-01"), pd.Timestamp("2020-01-31")], "natural"),
        ([dt.date(2020, 2, 1), dt.date(2020, 1, 31)], "natural"),
        ([True, False], None),
        (["a", "b"], None),
        ([1, "2"], None),  # of two kinds
        (["1", "1.0"], None),  # one number written twice: which is lower?
        (["1", "x"], None),
        ([1, None], None),
        ([1, math.inf], None),
    ],
)
def test_an_order_is_natural_only_where_every_value_has_its_own_place(values: list[Any], order: str | None) -> None:
    assert Domain.of(values).order == order


def test_dates_ascend_and_have_positions() -> None:
    days = [dt.date(2020, 3, 1), dt.date(2020, 2, 28)]
    assert Domain.of(days).positions("a test") == tuple(Fraction(d.toordinal()) for d in reversed(days))
    stamps = pd.to_datetime(["2020-03-01", "2020-02-28"])
    gap = [b - a for a, b in zip(*[iter(Domain.of(stamps).positions("a test"))] * 2, strict=True)]
    assert gap == [2 * 24 * 3600 * 10**9]  # 2020 is a leap year: two days, in nanoseconds


@pytest.mark.parametrize("text", ["1066-10-14", "3000-01-01"])
def test_dates_outside_the_nanosecond_years_are_dates(text: str) -> None:
    early = Domain.of([pd.Timestamp(text), pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-02")])
    assert early.order == "natural"
    assert list(early.values) == sorted(early.values)


def test_numpy_dates_are_the_dates_of_pandas() -> None:
    column = pd.Series(pd.to_datetime(["2020-03-01", "2020-02-28"]))
    assert Domain.declare(column.to_numpy()).values == tuple(column)


def test_the_times_of_python_are_the_times_of_pandas() -> None:
    """A column of objects may hold them, and a database hands them out."""
    utc, east = dt.UTC, dt.timezone(dt.timedelta(hours=2))
    times = [dt.datetime(2020, 2, 1), dt.datetime(9999, 12, 31, 1, 2, 3, 4), pd.Timestamp("2020-02-01")]
    domain = Domain.of(times)
    assert domain.values == (pd.Timestamp("2020-02-01"), pd.Timestamp("9999-12-31 01:02:03.000004"))
    assert domain.order == "natural"
    assert set(map(type, domain.values)) == {pd.Timestamp}
    assert domain == Domain.of(reversed(times))
    assert domain.code(times[0]) == domain.code(times[2]) == domain.code(np.datetime64("2020-02-01")) == 0
    assert len(Domain.of([dt.datetime(2020, 1, 1, 2, tzinfo=east), dt.datetime(2020, 1, 1, tzinfo=utc)])) == 1
    spans = Domain.of([dt.timedelta(days=2), dt.timedelta(hours=1), pd.Timedelta(hours=1)])
    assert spans.values == (pd.Timedelta(hours=1), pd.Timedelta(days=2))
    assert spans.order == "natural"
    assert len(Domain.of([dt.timedelta(days=999_999_999), dt.timedelta(1)])) == 2  # pandas has no such span


def test_a_text_with_a_vast_exponent_is_a_text() -> None:
    """Hexadecimal record numbers look like this; as an exact number it would have a billion digits."""
    assert Domain.of(["7e999999999", "1"]).order is None


def test_numbers_beyond_doubles_are_ordered() -> None:
    assert Domain.of([10**400, 1, -(10**400)]).values == (-(10**400), 1, 10**400)


# ---------------------------------------------------------------------- declared


def test_a_declared_domain_keeps_its_order_and_its_unused_values() -> None:
    domain = Domain.declare(["low", "mid", "high"])
    assert domain.values == ("low", "mid", "high")
    assert (domain.order, domain.declared) == ("declared", True)


@given(st.permutations(["a", "b", "c", "d"]), st.sets(st.sampled_from(["a", "b", "c", "d"]), min_size=1))
def test_a_declared_order_ranks_the_values_that_occur(order: list[str], occurring: set[str]) -> None:
    ordered, _ = declared_order(Domain.of(occurring), order)
    assert list(ordered.values) == [v for v in order if v in occurring]
    assert (ordered.order, ordered.declared) == ("declared", False)


def test_a_subset_keeps_the_order() -> None:
    domain = Domain.declare(["low", "mid", "high"]).subset([0, 2])
    assert (domain.values, domain.order, domain.declared) == (("low", "high"), "declared", True)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8, np.int64])
@pytest.mark.parametrize("codes", [[0, 2, 1, 3], [0, 1, 1, 3], [0, 3, 2, 4]])
def test_codes_of_a_part_ascend_whatever_machine_numbers_they_are(codes: list[int], dtype: Any) -> None:
    with pytest.raises(DomainError, match="must ascend"):
        Domain.of(range(5)).subset(np.array(codes, dtype=dtype))


@given(st.lists(VALUES, min_size=1))
def test_an_order_is_there_or_refused_by_name(values: list[Any]) -> None:
    domain = Domain.of(values)
    if domain.order is None:
        with pytest.raises(DomainError, match=r"^a test needs an order .* declare the order"):
            domain.require_order("a test")
    else:
        domain.require_order("a test")


def test_a_declared_order_may_place_the_missing_value() -> None:
    Domain.declare([1, 2, None]).require_order("a test")


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("call", "fragment"),
    [
        (lambda: Domain.declare([]), "the declared domain is empty"),
        (lambda: Domain.declare(["a", "b", "a"]), "value 'a' occurs twice"),
        (lambda: Domain.declare([1, 1.0]), "value 1 occurs twice"),
        (lambda: Domain.declare([None, math.nan]), "occurs twice"),
        (lambda: Domain.of(["a"]).code("b"), "value 'b' is not in the domain of 1 values$"),
        (lambda: Domain.of(["a"]).code("A "), "there is 'a', which looks the same and is another value"),
        (lambda: Domain.of([1]).code("1"), "there is 1, which looks the same"),
        (lambda: Domain.of([1]).codes([1, 2]), "value 2 is not in the domain"),
        (lambda: declared_order(Domain.of(["a", "b"]), ["a"]), "misses 1 of 2 values, first 'b'"),
        (lambda: declared_order(Domain.of(["a", "b"]), ["a", "b", "a"]), "'a' occurs twice"),
        (lambda: Domain.of(["a", "b"]).require_order("it"), "'a' is not a number; declare the order"),
        (lambda: Domain.of([1, "1"]).require_order("it"), "mixed kinds"),
        (lambda: Domain.of(["1", "1.0"]).require_order("it"), "equal as numbers"),
        (lambda: Domain.of([1, None]).require_order("it"), "missing"),
        (lambda: Domain.of(["a", "b"]).positions("it"), "it needs numbers, and 'a' is not one"),
    ],
)
def test_bad_input_is_refused_by_name(call: Any, fragment: str) -> None:
    with pytest.raises(DomainError, match=fragment):
        call()


PLAIN: list[list[Any]] = [
    [0, 1, -3, 10**30, -(10**30), 2**53, 2**53 + 1, 2**63, -(2**63), 0.5, -0.0, 1e300, 5e-324, float(2**53), -0.25],
    [0.1, 0.30000000000000004, 0.3, math.inf, -math.inf, 1, Fraction(1, 3), Decimal("0.1"), Decimal("0.5")],
    ["0", "01", "-1", "+1", "1.0", "1.50", "1.5", "9", "9007199254740993", "9007199254740992", "9007199254740992.5"],
    ["0.1", "0.10000000000000000001", "-0.5", ".5", "5.", " 5", "1\n2", "1e5", "1e400", "", "0" * 301, "7" * 400],
    ["a", "b", "A", "a ", "a\0", "\0a", "é", "10", "9"],
    [pd.Timestamp("2020-01-01"), pd.Timestamp("1066-10-14"), pd.Timestamp("2020-01-01", tz="UTC"), dt.date(2020, 1, 1)],
    [pd.Timestamp("2020-01-01T00:00:00.000000001"), pd.Timestamp("2020-01-01T00:00:00.000000002"), pd.Timedelta(1)],
    [True, False, (1, "x"), np.int64(3), np.float32(0.1)],
]


def _slowly(values: list[Any]) -> tuple[list[Any], bool]:
    """Return the domain's values and whether they ascend, by exact positions alone."""
    distinct: dict[Any, Any] = {}
    kinds_of_numbers = (int, float, Decimal, Fraction)  # the first of these writes a value that they have in common
    for value in map(plain_value, values):
        known = distinct.setdefault(kind_and_value(value), value)
        if type(value) in kinds_of_numbers:
            distinct[kind_and_value(value)] = min(known, value, key=lambda v: kinds_of_numbers.index(type(v)))
    kinds, found = {kind for kind, _ in distinct}, list(distinct.values())
    by_position = {natural_position(value): value for value in found}
    if len(kinds) == 1 and None not in by_position and len(by_position) == len(found):
        return [value for _, value in sorted(by_position.items())], True  # type: ignore[type-var]
    return sorted(found, key=sort_key), False


@pytest.mark.long
def test_machine_numbers_sort_as_exact_positions_do() -> None:
    draw = random.Random(2007)
    for turn in range(3000):
        pool = [value for part in draw.sample(PLAIN, draw.choice([1, 1, 2, 3])) for value in part]
        if turn % 3 == 0:
            pool = [f"{draw.randrange(-9, 9)}.{draw.randrange(100)}" for _ in range(20)]
        if turn % 5 == 0:
            pool = [*pool, None, None]
        values = draw.choices(pool, k=draw.randrange(1, 12))
        expected, natural = _slowly(values)
        domain, codes = Domain.numbered(values)
        assert [(type(v), v) for v in domain.values] == [(type(v), v) for v in expected], values
        assert (domain.order == "natural") == natural, values
        assert codes.tolist() == [domain.code(value) for value in values]
        if natural:
            positions = domain.positions("a test")
            assert positions == tuple(map(natural_position, expected))
            assert {type(p) for p in positions} == {Fraction}
            numbers, denominator = domain.scaled_positions("a test")
            assert tuple(Fraction(number, denominator) for number in numbers) == positions


@pytest.mark.parametrize("part", PLAIN[:6])
def test_a_column_has_the_domain_of_its_cells(part: list[Any]) -> None:
    draw = random.Random(2007)
    for _ in range(50):
        cells = draw.choices(part, k=6)
        codes, domain = factorize(pd.Series(cells, dtype=object), "a")
        assert [domain.values[code] for code in codes] == cells
        assert domain == Domain.of(cells)


def test_texts_that_differ_after_a_nul_are_two_values() -> None:
    for dtype in (object, "string[python]", "string[pyarrow]"):
        codes, domain = factorize(pd.Series(["a\0b", "a\0c", "a"], dtype=dtype), "a")
        assert len(domain) == len(set(codes.tolist())) == 3


def _machine_numbers(draw: random.Random) -> pd.Series[Any]:
    """Return a column of one machine type: whole numbers up to its ends, doubles of few and many digits, times."""
    kind = draw.choice(["int64", "uint64", "int8", "float64", "float32", "s", "ms", "us", "ns"])
    places = draw.randrange(0, 19)
    if "int" in kind:
        ends = np.iinfo(kind)
        pool: list[Any] = [ends.min, ends.max, *(draw.randrange(ends.min, ends.max) for _ in range(3)), 0, 1, 2]
    elif "float" in kind:
        pool = [round(draw.uniform(-10, 10), places) for _ in range(6)]
        extremes = [0.0, -0.0, 1.0, 2.0**53, 1e22, 5e-324, 1e-7, 0.1 + 0.2, 123456789012345.6, math.inf, math.nan]
        pool += draw.sample(extremes, draw.randrange(4))
    else:
        span = 2**62 if kind in ("s", "ms") else 2**40
        pool = [draw.randrange(-span // 10**6, span // 10**6) for _ in range(6)]
        column = pd.Series(np.array(draw.choices(pool, k=8), dtype=f"M8[{kind}]"))
        return column.where(np.arange(8) > 0) if places == 0 else column
    return pd.Series(np.array(draw.choices(pool, k=draw.randrange(1, 12)), dtype=kind))


@pytest.mark.long
def test_a_column_of_machine_numbers_has_the_domain_of_its_cells_and_their_positions() -> None:
    draw = random.Random(2026)
    for turn in range(1500):
        column = _machine_numbers(draw)
        cells = column.tolist()
        codes, domain = factorize(column.astype("category") if turn % 5 == 0 else column, "a")
        expected, natural = _slowly(cells)
        assert [(type(v), v) for v in domain.values] == [(type(v), v) for v in expected], cells
        assert codes.tolist() == [domain.code(cell) for cell in cells]
        assert (domain.order == "natural") == natural
        if natural:
            part = domain.subset([code for code in range(len(domain)) if code % 2 == 0])
            for each in (domain, part):
                numbers, denominator = each.scaled_positions("a test")
                assert [Fraction(int(n), denominator) for n in numbers] == list(map(natural_position, each.values))


@pytest.mark.long
def test_decimals_have_their_exact_positions() -> None:
    """Texts of up to 25 digits and with exponents: 16 characters may hold one digit more than a double keeps apart."""
    draw = random.Random(15)
    for _ in range(2000):
        digits, point = draw.randrange(1, 26), draw.randrange(0, 12)
        texts = set()
        for _ in range(draw.randrange(1, 6)):
            number = str(draw.randrange(10**digits)).rjust(point + 1, "0")
            text = draw.choice(["", "-", "+"]) + (f"{number[:-point]}.{number[-point:]}" if point else number)
            texts.add(text + draw.choice(["", "", "", f"e{draw.randrange(-99, 99)}", "E+07"]))
        domain = Domain.of(sorted(texts))
        if domain.order == "natural":
            numbers, denominator = domain.scaled_positions("a test")
            assert [Fraction(int(n), denominator) for n in numbers] == list(map(Fraction, domain.values)), texts
            assert sorted(domain.values, key=Fraction) == list(domain.values)
        else:
            assert len(set(map(Fraction, texts))) < len(texts)


@pytest.mark.parametrize("odd", [0.1 + 0.2, 1 / 3, 1e-16, 123456789012.3456])
def test_one_decimal_of_many_digits_among_many_of_few_keeps_its_position(odd: float) -> None:
    """Wherever it is: some of the many are looked at first."""
    short = [place / 10 for place in range(2500)]
    for at in range(1200, 1203):
        for cells in ([*short[:at], odd, *short[at:]], sorted([*short, odd])):
            domain = factorize(pd.Series(cells), "a")[1] if cells == sorted(cells) else Domain.of(cells)
            numbers, denominator = domain.scaled_positions("a test")
            assert Fraction(int(numbers[domain.code(odd)]), denominator) == Fraction(repr(odd))


@pytest.mark.parametrize("dtype", [np.float64, np.uint64])
def test_a_machine_number_just_beyond_int64_is_itself(dtype: Any) -> None:
    for values in ([1, 2**63], [2**63 - 1024, 2**63], [2**63]):
        domain = factorize(pd.Series(np.array(values, dtype=dtype)), "a")[1]
        assert domain.values == tuple(values)
        assert list(map(int, domain.scaled_positions("a test")[0])) == values


def test_texts_are_in_the_order_of_their_characters() -> None:
    draw = random.Random(8)
    alphabet = ["a", "B", " ", "\0", "\n", "é", "ż", "\uffff", "\U0001f600", "\ud800", "\x7f", "~" * 70]
    for turn in range(1500):
        some = alphabet if turn % 2 else draw.sample(alphabet, 4)
        texts = {"".join(draw.choices(some, k=draw.randrange(5))) for _ in range(draw.randrange(1, 9))}
        assert list(Domain.of(draw.sample(sorted(texts), len(texts))).values) == sorted(texts)


def test_each_row_keeps_its_value_whatever_order_or_domain_is_declared() -> None:
    """Also where a number is named by its text, and where names of no value are declared."""
    draw = random.Random(9)
    for turn in range(120):
        pool: list[Any] = [["a", "b", "c", "d"], [1, 2.5, 3, 4], [1, "b", None, 2.5]][turn % 3]
        cells = draw.choices(pool, k=draw.randrange(1, 9))
        named = ["(missing)" if value is None else str(value) if turn % 2 else value for value in pool]
        names = draw.sample([*named, "more"], len(pool) + 1)
        frame = pd.DataFrame({"q": "x", "s": pd.Series(cells, dtype=object)})
        for keyword in ("orders", "domains"):
            roles: dict[str, Any] = {keyword: {"s": names}, "missing": "category"}
            (column,) = Microdata.from_frame(frame, quasi_identifiers="q", sensitive="s", **roles).sensitive
            found = [column.domain.values[code] for code in column.codes]
            assert found == [MISSING if cell is None else cell for cell in cells]
            places = {MISSING if v is None else v: names.index(name) for v, name in zip(pool, named, strict=True)}
            if keyword == "orders":
                wanted = sorted({MISSING if cell is None else cell for cell in cells}, key=places.__getitem__)
                assert list(column.domain.values) == wanted
            else:
                assert len(column.domain) == len(names)
                assert all(column.domain.code(value) == places[value] for value in found)


COLUMNS: list[Any] = [
    np.array([2.5, -0.0, 7.0, 1e300, 5e-324]),
    np.array([0.1, 0.25, 3], dtype=np.float32),
    np.array([3.0, -1.0, 2.0**70]),
    np.array([2**64 - 1, 0, 7], dtype=np.uint64),
    np.array([5, -3, 2**62]),
    pd.DatetimeIndex(list(map(pd.Timestamp, ["2020-01-02 03:04:05.678", "1999-12-31", "2100-01-01"]))),
    pd.to_datetime(["2020-01-02", "1999-12-31"]).tz_localize("Europe/Berlin"),
    ["b", "a", "é"],
    ["10", "9", "1e2"],
    [Fraction(1, 2), 3, 0.1],
    ["x", 1, None, True],
]


def _column(cells: Any) -> Domain:
    return Domain.of(cells) if isinstance(cells, list) else Domain.of_index(pd.Index(cells))[0]


@pytest.mark.parametrize("cells", COLUMNS, ids=range(len(COLUMNS)))
def test_values_are_the_same_whenever_they_are_made(cells: Any) -> None:
    made = _column(cells)
    values = [(type(value), value) for value in made.values]
    assert made == Domain.of(list(cells))
    assert [(type(v), v) for v in map(_column(cells).value, range(len(cells)))] == values
    assert [(type(v), v) for v in map(made.value, range(len(cells)))] == values
    assert set(_column(cells).found) == set(made.values)
    for value in [*made.values, "*", "a", 7, 7.0, 2.5, True, MISSING, None, pd.Timestamp("1999-12-31"), math.nan]:
        assert (value in _column(cells)) == (value in made)
    for codes in ([], [0], [1], list(range(len(cells)))):
        part = _column(cells).subset(codes)
        assert len(part) == len(codes)
        assert part == made.subset(codes)
        assert set(part.found) == set(part.values)
        assert part.usual == made.subset(codes).usual or not codes
        assert [part.code(value) for value in part.values] == list(range(len(codes)))
    assert pickle.loads(pickle.dumps(_column(cells))) == made
    with pytest.raises(AttributeError, match="no attribute 'valves'"):
        made.valves  # type: ignore[attr-defined]  # noqa: B018


def test_texts_without_a_natural_order_are_sorted_by_their_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(2007)
    for turn in range(2000):
        monkeypatch.setattr("tcloseness.microdata.values._FEW_TEXTS", turn % 4 and -1)
        start, end = draw.choice(["", "record-", "x" * 60]), draw.choice(["", ";", "é", "y" * 70])
        alphabet = draw.choice(["ab", "abcdefgh \t", "aé\U0001f600z\n", "01\0"])
        longest = draw.choice([2, 9, 17])
        fixed = draw.random() < 0.5
        texts = [
            f"{start}{''.join(draw.choices(alphabet, k=longest if fixed else draw.randrange(longest)))}{end}"
            for _ in range(draw.randrange(1, 30))
        ]
        domain = Domain.of([*texts, "-"])
        assert domain.values == tuple(sorted({*texts, "-"}))
        assert domain.codes(texts).tolist() == [domain.values.index(text) for text in texts]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            ["1.189,99", "24,5"],
            "2 of the 2 values look like numbers with a decimal comma, first '1.189,99', and are read",
        ),
        (["01.08.1971", "14.12.1967"], "look like dates, first '01.08.1971', and are read as texts; give numbers"),
        (["low", "mid"], "'low' is not a number; declare the order"),
        (["7", "24", "unknown"], "'unknown' is not a number; declare the order"),
    ],
)
def test_an_order_that_is_asked_of_numbers_in_another_form_names_the_form(values: list[str], said: str) -> None:
    with pytest.raises(DomainError, match=re.escape(said)):
        Domain.of(values).require_order("the ordered distance")
