"""How frequent one value may be: (α,k)-anonymity, the 1/ℓ form of ℓ-diversity, and p-sensitive k-anonymity."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts
from tcloseness.exact import Exponential, LogSum
from tcloseness.microdata import ClassCounts, Domain, FrequencySet
from tcloseness.models import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    PSensitiveKAnonymity,
)

F = Fraction
PAPERS = Path(__file__).parents[2] / "data" / "papers"


def shares(classes, g):
    n = sum(classes.vector(g))
    return [F(c, n) for c in classes.vector(g)]


# ---------------------------------------------------------------------- (α,k)-anonymity


@pytest.mark.long
@given(class_counts(), st.fractions("1/20", 1, max_denominator=20), st.integers(1, 9), st.data())
def test_alpha_k_anonymity_by_definition(classes, alpha, k, data):
    m = len(classes.domain)
    bounded = data.draw(st.none() | st.sets(st.integers(0, m - 1)))
    checked = range(m) if bounded is None else bounded
    found = [max((shares(classes, g)[s] for s in checked), default=F(0)) for g in range(len(classes))]
    sizes = [sum(classes.vector(g)) for g in range(len(classes))]
    result = AlphaKAnonymity(alpha, k, bounded).evaluate(classes)
    assert result.value == max(found)
    assert result.margin == alpha - max(found)
    assert result.violating.tolist() == [g for g in range(len(classes)) if found[g] > alpha or sizes[g] < k]
    assert result.satisfied == (max(found) <= alpha and min(sizes) >= k)
    assert result.records_at_risk == sum(sizes[g] for g in result.violating)
    assert [part.value for part in result.parts] == [max(found), min(sizes)]


def test_a_share_of_exactly_alpha_is_allowed():
    """3 of 10 records, α = 0.3 as text and as a float, whose double is not 3/10."""
    classes = ClassCounts.from_mapping({"a": {"x": 3, "y": 3, "z": 2, "w": 2}})
    for alpha in ("3/10", 0.3, "0.3"):
        assert AlphaKAnonymity(alpha, 10).evaluate(classes).satisfied
    assert not AlphaKAnonymity("0.2999999", 10).evaluate(classes).satisfied
    assert AlphaKAnonymity("3/10", 11).evaluate(classes).violating.tolist() == [0]


def test_only_the_declared_values_are_bounded_and_the_result_says_so():
    """flu fills 3/4 of b, cold 2/4 of a."""
    classes = ClassCounts.from_mapping({"a": {"cold": 2, "flu": 2}, "b": {"cold": 1, "flu": 3}})
    everything, cold = AlphaKAnonymity("1/2").evaluate(classes), AlphaKAnonymity("1/2", values=["cold"])
    assert everything.status == "violated"
    assert cold.evaluate(classes).status == "satisfied"
    assert everything.conventions["values bounded"] == "all sensitive values"
    assert cold.evaluate(classes).conventions["values bounded"] == "declared: cold"
    assert cold.evaluate(classes).parameters == {"alpha": "1/2"}


def test_a_declared_value_that_does_not_occur_has_no_share():
    """Suppression may take a value out of the table; a declared domain lists all, so there it is a mistake."""
    classes = ClassCounts.from_mapping({"a": {"flu": 2}})
    assert AlphaKAnonymity("1/2", values=["cold"]).evaluate(classes).value == 0


@pytest.mark.parametrize("index", [[0, 1, 0, 1], [10, 11, 12, 13]])
def test_the_frames_index_decides_nothing(index):
    """Cases K08 and K09: class b holds x only, so α = 1, l = 1, k = 2; another tool answers l = 2 for the first."""
    frame = pd.DataFrame({"q": list("aabb"), "s": list("xyxx")}, index=index)
    classes = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s").class_counts()
    assert AlphaKAnonymity().evaluate(classes).value == 1
    assert FrequencyLDiversity().evaluate(classes).value == 1
    assert PSensitiveKAnonymity(k=2, p=1).evaluate(classes).margin == 0
    assert KAnonymity().evaluate(classes).value == 2


# ---------------------------------------------------------------------- the 1/ℓ form


@given(class_counts(), st.fractions(1, 6, max_denominator=6))
def test_frequency_l_by_definition(classes, l):  # noqa: E741
    most = [max(shares(classes, g)) for g in range(len(classes))]
    result = FrequencyLDiversity(l).evaluate(classes)
    assert result.value == 1 / max(most)
    assert result.violating.tolist() == [g for g, share in enumerate(most) if share > 1 / l]
    assert result.margin == 1 / max(most) - l


@given(class_counts(huge=False))
def test_frequency_l_is_at_most_entropy_l_and_that_at_most_distinct_l(classes):
    """exp(H) ≥ 1/max p (the least information of a value), and exp(H) ≤ the number of values."""
    frequency = FrequencyLDiversity().evaluate(classes).values
    entropy = EntropyLDiversity().evaluate(classes).values
    distinct = DistinctLDiversity().evaluate(classes).values
    for g in range(len(classes)):
        assert frequency[g] <= entropy[g] <= distinct[g]


@pytest.mark.parametrize("times", [1, 200, 2**40])
@pytest.mark.parametrize("l", range(1, 21))
def test_uniform_classes_are_exactly_frequency_l_diverse(l, times):  # noqa: E741
    classes = ClassCounts.from_mapping({"a": dict.fromkeys(range(l), times)})
    assert FrequencyLDiversity(l).evaluate(classes).margin == 0
    assert not FrequencyLDiversity(l + F(1, 10**20)).evaluate(classes).satisfied


# ---------------------------------------------------------------------- p-sensitive k-anonymity


@given(class_counts(), st.integers(1, 5), st.integers(1, 9))
def test_p_sensitive_k_anonymity_by_definition(classes, p, k):
    rows = [classes.vector(g) for g in range(len(classes))]
    result = PSensitiveKAnonymity(p, k).evaluate(classes)
    broken = [g for g, row in enumerate(rows) if sum(row) < k or len([c for c in row if c]) < p]
    assert result.violating.tolist() == broken
    assert result.status == ("violated" if broken else "satisfied")
    assert result.value == min(len([c for c in row if c]) for row in rows)


# ---------------------------------------------------------------------- the paper's table


def test_figure_2_of_the_l_diversity_paper():
    """Machanavajjhala et al. 2006, Figure 2: 4-anonymous; diversities exp(H) = 2, 2√2 and 1: H = ln 2, 3/2·ln 2 and 0.

    Greatest shares 2/4, 2/4, 4/4; different values 2, 3, 1.
    """
    with open(PAPERS / "machanavajjhala_figure2.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {}
    for row in rows:
        block = table.setdefault((row["Zip Code"], row["Age"]), {})
        block[row["Condition"]] = block.get(row["Condition"], 0) + 1
    classes = ClassCounts.from_mapping(table)
    assert KAnonymity(4).evaluate(classes).margin == 0
    entropy = EntropyLDiversity().evaluate(classes).values
    assert [entropy[g] for g in range(3)] == [F(2), Exponential(LogSum({2: F(3, 2)})), F(1)]
    frequency = FrequencyLDiversity().evaluate(classes).values
    assert [frequency[g] for g in range(3)] == [2, 2, 1]
    assert PSensitiveKAnonymity(2, 4).evaluate(classes).violating.tolist() == [2]
    assert AlphaKAnonymity("1/2", 4).evaluate(classes).violating.tolist() == [2]


@pytest.mark.parametrize("size", [50_000, 5_000_000, 2**60])
def test_large_counts(size):
    """Two values, one record apart: shares n/(2n − 1) just above one half."""
    classes = ClassCounts.from_mapping({"a": {"x": size, "y": size - 1}}, domain=Domain.declare("xy"))
    assert not FrequencyLDiversity(2).evaluate(classes).satisfied
    assert not AlphaKAnonymity("1/2").evaluate(classes).satisfied
    assert AlphaKAnonymity(F(size, 2 * size - 1)).evaluate(classes).margin == 0
