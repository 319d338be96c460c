"""How a class's quasi-identifiers are shown and what that costs: each label and number against one made by hand."""

from __future__ import annotations

import re
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import LEAVES, NUMBERS, cases_with_partitions, covers, lowest_common_label, penalty_of
from proofs_tests.effort import effort
from proofs_tests.strategies import hierarchies
from tcloseness.errors import HierarchyError, InputError, TableError, TableWarning
from tcloseness.microdata import Domain, Hierarchy, Microdata
from tcloseness.release import Categorical, Hierarchical, Numeric, attributes_of
from tcloseness.release.attributes import Attribute, kinds_text
from tcloseness.release.full_domain import AtLevel


@given(cases_with_partitions())
def test_labels_are_the_tight_ones_made_by_hand(drawn):
    case, partition = drawn
    labels = partition.labels(attributes_of(case.table, case.hierarchies))
    for group, label in zip(partition.groups, labels, strict=True):
        for place, name in enumerate(case.names):
            assert covers(case, name, str(label[place]), [case.rows[int(i)][place] for i in group])


@effort(1 / 2)
@given(cases_with_partitions(), st.randoms(use_true_random=False))
def test_one_class_is_answered_as_many_and_by_its_set_of_codes_alone(drawn, random):
    case, partition = drawn
    for attribute in attributes_of(case.table, case.hierarchies):
        codes = partition.codes(attribute.name)
        many = (
            attribute.labels(codes, partition.starts),
            attribute.extents(codes, partition.starts).tolist(),
            attribute.heights(codes, partition.starts).tolist(),
        )
        for g, members in enumerate(np.split(codes, partition.starts[1:])):
            shuffled = members.tolist() * 2
            random.shuffle(shuffled)
            again = np.array(shuffled)
            one = (attribute.label(again), attribute.extent(again), attribute.height(again))
            assert one == tuple(answers[g] for answers in many)
            assert int(attribute.counted) <= one[1] <= attribute.whole
            assert 0 <= one[2] <= attribute.top
            assert 0 <= penalty_of("ncp", attribute, again) <= 1
            assert 0 <= penalty_of("lm", attribute, again) <= 1


@given(hierarchies(values=LEAVES), st.lists(st.sampled_from(LEAVES), min_size=1))
def test_an_ancestor_costs_the_leaves_below_it(hierarchy, values):
    """NCP leaves/all and LM (leaves − 1)/(all − 1) of the node found by walking up; its height is its level."""
    domain = Domain.of(values)
    label, level = lowest_common_label(hierarchy, values)
    below = sum(path[level:] == _path(hierarchy, values[0])[level:] for path in hierarchy.paths)
    found, codes = Hierarchical("h", domain, hierarchy), domain.codes(values)
    assert found.label(codes) == label
    assert penalty_of("ncp", found, codes) == (Fraction(below, len(LEAVES)) if below > 1 else 0)
    assert penalty_of("lm", found, codes) == Fraction(below - 1, len(LEAVES) - 1)
    assert found.height(codes) == level


def _path(hierarchy, value):
    return next(path for path in hierarchy.paths if path[0] == value)


@given(st.lists(st.sampled_from(NUMBERS), min_size=1), st.lists(st.sampled_from(NUMBERS)))
def test_an_interval_costs_its_width_over_the_range(members, others):
    domain = Domain.of([*members, *others])
    span = max(domain.values) - min(domain.values)
    found = Numeric("n", domain)
    expected = Fraction(max(members) - min(members)) / span if span else 0
    for name in ("ncp", "lm"):
        assert penalty_of(name, found, domain.codes(members)) == expected


def test_numbers_that_leave_64_bits_stay_exact():
    """Between 0 and 2^70 the value 1 lies at 2^-70 of the range."""
    domain = Domain.of([0, 1, 2**70])
    assert penalty_of("ncp", Numeric("n", domain), [0, 1]) == Fraction(1, 2**70)


def test_a_constant_column_costs_nothing():
    for attribute in (Numeric("n", Domain.of([7])), Categorical("c", Domain.of("a"))):
        assert (penalty_of("ncp", attribute, [0, 0]), penalty_of("lm", attribute, [0])) == (0, 0)


def test_a_column_is_hierarchical_if_given_so_else_numeric_if_it_has_numbers_only():
    frame = pd.DataFrame({"a": [1, 2], "b": ["10", "9"], "c": ["x", "1"], "d": ["v0", "v1"], "s": [0, 1]})
    table = Microdata.from_frame(frame, quasi_identifiers=list("abcd"), sensitive="s")
    towns = {"d": Hierarchy.suppression(LEAVES)}
    found = attributes_of(table, towns)
    assert kinds_text(found) == (
        "a: numeric (all its values are numbers or dates), b: numeric (all its values are numbers or dates), "
        "c: categorical, d: hierarchical"
    )
    assert kinds_text(attributes_of(table, towns, categorical=["b"])).split(", ")[1] == "b: categorical"
    assert all(
        isinstance(attribute, Attribute) for attribute in (*found, AtLevel("a", table.sensitive[0].domain, None, 0))
    )
    with pytest.raises(TableError, match="'e' is not a quasi-identifier"):
        attributes_of(table, {"e": towns["d"]})
    with pytest.raises(HierarchyError, match="does not cover"):
        attributes_of(table, {"d": Hierarchy.suppression(["v0"])})


def test_texts_that_a_reader_could_confuse_stand_in_quotes():
    """Without quotes {a, b} with c and {a} with {b, c} would both be written {a, b, c}."""
    domain = Domain.of(["a, b", "c", "a", "b, c"])
    found = Categorical("c", domain)
    assert found.label(domain.codes(["a, b", "c"])) == "{'a, b', c}"
    assert found.label(domain.codes(["a", "b, c"])) == "{a, 'b, c'}"


def test_a_class_without_records_is_refused():
    with pytest.raises(InputError, match="every class needs a record"):
        Categorical("c", Domain.of("ab")).label(np.array([], dtype=np.int64))


def test_equal_numbers_are_shown_alike_and_cost_nothing():
    """62 and 62.0 lie at one place: a class of one, of the other and of both shows the same, and loses nothing."""
    domain = Domain.of(["62", "62.0", "7", "007"])
    age = Numeric("age", domain)
    for spellings in (["62", "62.0"], ["7", "007"]):
        codes = domain.codes(spellings)
        labels = {age.label(codes[:1]), age.label(codes[1:]), age.label(codes)}
        assert labels == {next(value for value in domain.values if value in spellings)}
        assert (penalty_of("ncp", age, codes), penalty_of("lm", age, codes), age.height(codes)) == (0, 0, 0)
    assert penalty_of("ncp", age, domain.codes(["62.0", "007"])) == 1


def test_leaves_at_unequal_depth_have_ancestors_too():
    hierarchy = Hierarchy([("flu", "lung", "*"), ("asthma", "lung", "*"), ("cut", "*")], ragged="keep")
    domain = Domain.of(["flu", "asthma", "cut"])
    found = Hierarchical("d", domain, hierarchy)
    assert found.label(domain.codes(["flu", "asthma"])) == "lung"
    assert found.label(domain.codes(["flu", "cut"])) == "*"
    assert (found.label(domain.codes(["cut", "cut"])), found.height(domain.codes(["cut"]))) == ("cut", 0)


DATES = ["2024-01-31", "2024-02-01", "1999-12-24"]
MISREAD = {
    "a decimal comma": (["6,0", "61,5", "7,25"], "look like numbers with a decimal comma, first '6,0'"),
    "a decimal comma beside whole numbers": (["6,0", "61", "7"], "look like numbers with a decimal comma, first '6,0'"),
    "commas, of thousands or decimal": (["1,000", "2,000"], "look like numbers with a comma, which is decimal or"),
    "commas between thousands": (["1,234.5", "2,000"], "2 of the 2 values of column 'a' look like numbers with commas"),
    "commas between thousands beside small numbers": (["1,000,000", "7"], "1 of the 2 values of column 'a' look like"),
    "three decimals among others": (["6,125", "7,5"], "look like numbers with a decimal comma"),
    "points between thousands": (["1.234,5", "61,5"], "look like numbers with a decimal comma"),
    "percent": (["5 %", "7%", "12.5%"], "look like numbers with a sign of percent"),
    "dates": (DATES, "look like dates, first '"),
    "days with points": (["31.1.2024", "1.2.2024"], "look like dates"),
    "a word among numbers": (["6", "61", "7", "n/a"], "3 of the 4 values of column 'a' are numbers, but 'n/a' is not"),
}
NAMES = (
    ["a1", "b2", "3"],
    ["north", "south"],
    ["2*", "3*"],
    ["20-29", "30-39"],
    ["x"],
    ["1", "b", "c"],
    ["10A", "10B"],
)


@pytest.mark.parametrize("values", [values for values, _ in MISREAD.values()], ids=[*MISREAD])
def test_numbers_and_dates_that_are_read_as_texts_are_never_made_sets_in_silence(values: list[str]) -> None:
    told = next(told for each, told in MISREAD.values() if each == values)
    table = Microdata.from_frame(pd.DataFrame({"a": values, "s": "x"}), quasi_identifiers="a", sensitive="s")
    with pytest.warns(TableWarning, match=re.escape(told)) as warned:
        (attribute,) = attributes_of(table)
    assert attribute.kind == "categorical"
    assert [Path(each.filename) for each in warned] == [Path(__file__)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        attributes_of(table, categorical=["a"])
        attributes_of(table, {"a": Hierarchy.suppression(values)})


@pytest.mark.parametrize("values", [*NAMES, [1.5, 2.5], [1, 2]])
def test_what_does_not_look_like_numbers_gives_no_warning(values: list[object]) -> None:
    table = Microdata.from_frame(pd.DataFrame({"a": values, "s": "x"}), quasi_identifiers="a", sensitive="s")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        attributes_of(table)
