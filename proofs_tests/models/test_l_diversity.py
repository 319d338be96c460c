"""ℓ-diversity in three readings, decided exactly at the boundary."""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from proofs_tests.oracles import is_entropy_diverse
from proofs_tests.strategies import class_counts
from tcloseness.exact import Exponential, LogSum
from tcloseness.microdata import ClassCounts
from tcloseness.models import DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity

F = Fraction
PAPERS = Path(__file__).parents[2] / "data" / "papers"


def one_class(*counts):
    return ClassCounts.from_mapping({"a": {f"v{i}": n for i, n in enumerate(counts)}})


def nonzero(classes):
    return [[n for n in classes.vector(g) if n] for g in range(len(classes))]


# ---------------------------------------------------------------------- distinct


@given(class_counts(), st.integers(1, 6))
def test_distinct_counts_the_different_values(classes, l):  # noqa: E741
    found = [len(v) for v in nonzero(classes)]
    result = DistinctLDiversity(l).evaluate(classes)
    assert result.value == min(found)
    assert result.violating.tolist() == [g for g, n in enumerate(found) if n < l]
    assert result.satisfied == (min(found) >= l)
    assert result.margin == min(found) - l


# ---------------------------------------------------------------------- entropy


@pytest.mark.parametrize("times", [1, 2, 7, 50_000, 2**40])
@pytest.mark.parametrize("l", range(1, 21))
def test_uniform_classes_of_l_values_are_exactly_entropy_l_diverse(l, times):  # noqa: E741
    """Case L03. H = ln l, on which rounding decides at random: satisfied at l, violated a hair above."""
    classes = one_class(*[times] * l)
    at = EntropyLDiversity(l).evaluate(classes)
    assert at.satisfied
    assert at.margin == 0
    assert at.value == l
    assert at.further["entropy"] == LogSum({l: F(1)})
    assert math.isclose(float(at.value), l)
    assert not EntropyLDiversity(l + F(1, 10**30)).evaluate(classes).satisfied
    if l > 1:
        assert EntropyLDiversity(l - F(1, 10**30)).evaluate(classes).satisfied


def test_figure_3_of_the_paper_is_diverse_up_to_2_sqrt_2():
    """Machanavajjhala et al. 2006, Figure 3, three blocks of counts 2, 1, 1: H = ln 4 − 2/4·ln 2 = 3/2·ln 2, so exp(H)
    = √8.

    Machanavajjhala et al. 2006, §4 calls it 2.8-diverse. √8 is irrational; it is cut at the fortieth digit,
    isqrt(8·10⁸⁰)/10⁴⁰.
    """
    with open(PAPERS / "machanavajjhala_figure3.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {}
    for row in rows:
        block = table.setdefault((row["Zip Code"], row["Age"]), {})
        block[row["Condition"]] = block.get(row["Condition"], 0) + 1
    classes = ClassCounts.from_mapping(table)
    assert [sorted(v) for v in nonzero(classes)] == [[1, 1, 2]] * 3

    below = F(math.isqrt(8 * 10**80), 10**40)
    result = EntropyLDiversity(below).evaluate(classes)
    assert result.value == Exponential(LogSum({2: F(3, 2)}))
    assert result.further["entropy"] == LogSum({2: F(3, 2)})
    assert result.worst.tolist() == [0, 1, 2]
    assert result.satisfied
    assert EntropyLDiversity("2.8").evaluate(classes).satisfied
    assert not EntropyLDiversity(below + F(1, 10**40)).evaluate(classes).satisfied


@pytest.mark.long
@given(class_counts(huge=False), st.fractions(1, 6, max_denominator=6))
def test_entropy_is_decided_as_whole_numbers_decide_it(classes, l):  # noqa: E741
    """Π c^c·lⁿ ≤ nⁿ, on Python ints."""
    diverse = [is_entropy_diverse(v, l) for v in nonzero(classes)]
    result = EntropyLDiversity(l).evaluate(classes)
    assert result.violating.tolist() == [g for g, holds in enumerate(diverse) if not holds]
    assert result.satisfied == all(diverse)
    assert (result.margin >= 0) == all(diverse)


@pytest.mark.long
@given(class_counts())
def test_entropy_is_what_the_formula_gives_in_doubles(classes):
    result = EntropyLDiversity().evaluate(classes)
    for g, counts in enumerate(nonzero(classes)):
        n = sum(counts)
        formula = math.exp(-math.fsum(c / n * math.log(c / n) for c in counts))
        assert math.isclose(float(result.values[g]), formula, rel_tol=1e-9, abs_tol=1e-13)
    assert result.value == min(result.values[g] for g in range(len(classes)))


@given(class_counts(huge=False))
def test_a_class_is_as_diverse_as_its_number_of_values_at_most(classes):
    """exp(H) ≤ the number of different values, with equality for a uniform class."""
    values = EntropyLDiversity().evaluate(classes).values
    for g, counts in enumerate(nonzero(classes)):
        bound = F(len(counts))
        assert values[g] <= bound
        assert (values[g] == bound) == (len(set(counts)) == 1)


def test_the_failing_class_is_named():
    """Case L07: a = (1, 1), exp(H) = 2; b = (2, 1), exp(H) = 3/2^(2/3) = 1.8898… < 1.9."""
    classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 2, "y": 1}})
    result = EntropyLDiversity(1.9).evaluate(classes)
    assert result.status == "violated"
    assert result.violating.tolist() == [1]
    assert result.records_at_risk == 3
    assert math.isclose(float(result.value), 3 / 2 ** (2 / 3))
    assert result.value == Exponential(LogSum({3: F(1), 2: F(-2, 3)}))
    assert result.margin < 0


def test_a_pure_class_has_no_entropy():
    result = EntropyLDiversity(1).evaluate(one_class(17))
    assert (result.value, result.further["entropy"]) == (1, 0)
    assert result.satisfied


# ---------------------------------------------------------------------- recursive


def bound(counts, l):  # noqa: E741
    """r₁ / (r_l + … + r_m), by the definition; c must be greater."""
    r = sorted(counts, reverse=True)
    if l == 1:
        return F(0)
    tail = sum(r[l - 1 :])
    return F(r[0], tail) if tail else math.inf


@pytest.mark.long
@given(class_counts(), st.integers(1, 5), st.fractions(0, 5, max_denominator=6).filter(bool))
def test_recursive_follows_the_definition(classes, l, c):  # noqa: E741
    """Machanavajjhala et al. 2006, Definition 4.2: r₁ < c·(r_l + … + r_m), strictly."""
    bounds = [bound(v, l) for v in nonzero(classes)]
    result = RecursiveCLDiversity(l, c=c).evaluate(classes)
    assert [result.values[g] for g in range(len(classes))] == bounds
    assert result.value == max(bounds)
    assert result.violating.tolist() == [g for g, b in enumerate(bounds) if not b < c]
    assert result.satisfied == all(b < c for b in bounds)


@pytest.mark.parametrize(
    ("counts", "l", "c", "holds"),
    [
        ((2, 1, 1), 3, 2, False),  # 2 < 2·1 is false: the inequality is strict
        ((2, 1, 1), 3, "2.0001", True),
        ((2, 1, 1), 2, 1, False),  # 2 < 1·2 is false
        ((2, 1, 1), 2, "1.0001", True),
        ((6, 3, 1), 3, 6, False),  # case L01: 6 < 6·1 is false
        ((6, 3, 1), 3, "6.01", True),
        ((6, 3, 1), 2, "3/2", False),  # 6 < 3/2·(3 + 1) is false
        ((6, 3, 1), 2, "1.501", True),
        ((1, 3, 6), 2, "1.501", True),  # the order in which values stand does not matter
        ((5,), 2, 10**9, False),  # fewer than l values: the tail is 0
        ((5, 5), 3, 10**9, False),
    ],
)
def test_recursive_on_numbers_done_by_hand(counts, l, c, holds):  # noqa: E741
    assert RecursiveCLDiversity(l, c=c).evaluate(one_class(*counts)).satisfied is holds


@pytest.mark.long
@given(class_counts(), st.fractions(0, 2, max_denominator=100).filter(bool))
def test_recursive_with_l_1_always_holds(classes, c):
    """Machanavajjhala et al. 2006, Definition 4.2 says so."""
    result = RecursiveCLDiversity(1, c=c).evaluate(classes)
    assert result.satisfied
    assert result.value == 0


def test_fewer_than_l_values_make_the_bound_infinite():
    result = RecursiveCLDiversity(3, c=2).evaluate(one_class(5, 5))
    assert result.value == math.inf
    assert result.margin == -math.inf
    assert RecursiveCLDiversity(3).evaluate(one_class(5, 5)).status == "measured"


def test_neither_recursive_nor_entropy_diversity_implies_the_other():
    """(2, 1, 1) is 2.8-diverse (√8), and 2 < 2·1 fails. (3, 1): 3 < 4·1 holds, and 27·2⁴ = 432 > 4⁴ = 256."""
    assert EntropyLDiversity("2.8").evaluate(one_class(2, 1, 1)).satisfied
    assert not RecursiveCLDiversity(3, c=2).evaluate(one_class(2, 1, 1)).satisfied
    assert RecursiveCLDiversity(2, c=4).evaluate(one_class(3, 1)).satisfied
    assert not EntropyLDiversity(2).evaluate(one_class(3, 1)).satisfied


@pytest.mark.parametrize("size", [2**31, 2**53 + 1, 2**60])
def test_large_counts_are_compared_exactly(size):
    """Counts (n, n − 1): the bound n/(n − 1) is just above 1, and just below n/(n − 1) + 1/n²."""
    classes = one_class(size, size - 1)
    exact = F(size, size - 1)
    assert not RecursiveCLDiversity(2, c=exact).evaluate(classes).satisfied
    assert RecursiveCLDiversity(2, c=exact + F(1, size**2)).evaluate(classes).satisfied
    # entropy just below ln 2, though both counts are equal as doubles
    assert not EntropyLDiversity(2).evaluate(classes).satisfied
