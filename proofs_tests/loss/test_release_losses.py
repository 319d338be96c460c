"""Losses that compare a release with its original: row-by-row oracles on random small tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.loss.naive import Case, cases, log_of_product, seeded_cases
from tcloseness.errors import InputError
from tcloseness.loss import (
    Ambiguity,
    GeneralizationHeight,
    GlobalCertaintyPenalty,
    KLUtility,
    LossMetric,
    NonUniformEntropy,
    NormalizedCertaintyPenalty,
    Precision,
)
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.release import Release

LEAVES = st.sampled_from(["hierarchy", "table"])


def cells(case: Case) -> Iterator[tuple[int, str, int]]:
    """Every cell of the table: its row, its attribute, and the attribute's place."""
    for i in range(len(case.rows)):
        yield from ((i, "town", 0), (i, "age", 1))


def share(case: Case, row: int, name: str, place: int, leaves: str, less: int) -> Fraction:
    """The categorical penalty of a cell that is not suppressed."""
    below = case.leaves(name, case.label(name, case.rows[row][place]), leaves)
    return Fraction(0) if len(below) == 1 else Fraction(len(below) - less, len(case.all_leaves(name, leaves)) - less)


def width(case: Case, row: int, leaves: str, extent: str) -> Fraction:
    """The numeric penalty of the age of a row that is not suppressed."""
    everything = case.all_leaves("age", leaves)
    if max(everything) == min(everything):
        return Fraction(0)
    if extent == "label":
        values = case.leaves("age", case.label("age", case.rows[row][1]), leaves)
    else:
        values = [case.rows[j][1] for j in next(m for m in case.classes().values() if row in m)]
    return Fraction(max(values) - min(values), max(everything) - min(everything))


@given(cases(), LEAVES)
def test_categorical_penalties_are_shares_of_leaves(case: Case, leaves: str) -> None:
    lost, n = case.lost_rows(), len(case.rows)
    for less, of in ((0, GlobalCertaintyPenalty(leaves=leaves)), (1, LossMetric(leaves=leaves))):
        costs = [1 if i in lost else share(case, i, name, place, leaves, less) for i, name, place in cells(case)]
        assert of.evaluate(case.release).value == Fraction(sum(costs), 2 * n)
    total = LossMetric(leaves=leaves, attributes="sum").evaluate(case.release)
    assert total.value == Fraction(sum(costs), n)
    if len(lost) < n:
        kept = [share(case, i, name, place, leaves, 0) for i, name, place in cells(case) if i not in lost]
        left = GlobalCertaintyPenalty(leaves=leaves, suppressed="excluded").evaluate(case.release)
        assert left.value == sum(kept) / len(kept)


@given(cases(), LEAVES, st.sampled_from(["label", "class"]))
def test_numeric_penalties_are_widths_of_intervals(case: Case, leaves: str, extent: str) -> None:
    lost = case.lost_rows()
    costs = {"town": Fraction(0), "age": Fraction(0)}
    for i, name, place in cells(case):
        if i in lost:
            costs[name] += 1
        else:
            costs[name] += width(case, i, leaves, extent) if name == "age" else share(case, i, name, place, leaves, 0)
    chosen = {"numeric": "age", "leaves": leaves, "extent": extent}
    found = NormalizedCertaintyPenalty(weights={"age": "1/3"}, **chosen).evaluate(case.release)
    assert found.terms == {"town": costs["town"], "age": costs["age"] / 3}
    mean = GlobalCertaintyPenalty(weights={"age": "1/3"}, **chosen).evaluate(case.release)
    assert mean.value == found.value / (len(case.rows) * Fraction(4, 3))
    assert mean.terms == {name: cost / len(case.rows) for name, cost in costs.items()}, "means, without the weights"


@given(cases())
def test_height_and_precision_count_levels(case: Case) -> None:
    lost, n = case.lost_rows(), len(case.rows)
    release, levels = case.release, case.levels
    assert GeneralizationHeight().evaluate(release).value == sum(levels.values())
    assert GeneralizationHeight({"age": 3}).evaluate(release).value == levels["town"] + 3 * levels["age"]
    climbed = {name: Fraction(levels[name], case.hierarchies[name].height) for name in levels}
    costs = [Fraction(1) if i in lost else climbed[name] for i, name, _ in cells(case)]
    assert Precision().evaluate(release).value == 1 - sum(costs) / (2 * n)


@given(cases())
def test_non_uniform_entropy_is_the_product_of_conditional_shares(case: Case) -> None:
    lost, rows = case.lost_rows(), case.rows
    shares, kept = [], []
    for i, name, place in cells(case):
        value = rows[i][place]
        alike = [r for r in rows if i in lost or case.label(name, r[place]) == case.label(name, value)]
        shares.append(Fraction(sum(r[place] == value for r in alike), len(alike)))
        kept += [] if i in lost else shares[-1:]
    assert NonUniformEntropy().evaluate(case.release).value == log_of_product(1 / s for s in shares)
    assert NonUniformEntropy("excluded").evaluate(case.release).value == log_of_product(1 / s for s in kept)


@given(cases(), LEAVES)
def test_ambiguity_counts_the_combinations_that_a_record_could_be(case: Case, leaves: str) -> None:
    lost = case.lost_rows()
    everything = len(case.all_leaves("town", leaves)) * len(case.all_leaves("age", leaves))
    found = [
        everything if i in lost else len(case.combinations(case.cell(row), leaves)) for i, row in enumerate(case.rows)
    ]
    assert Ambiguity(leaves=leaves).evaluate(case.release).value == Fraction(sum(found), len(found))


@given(cases(), LEAVES)
def test_kl_utility_is_the_divergence_from_the_spread_table(case: Case, leaves: str) -> None:
    rows, n = case.rows, len(case.rows)
    counts, expected = Counter(rows), case.reconstructed(leaves, spread=True)
    assert sum(expected.values()) == n
    found = KLUtility(leaves=leaves).evaluate(case.release)
    assert found.value == log_of_product((Fraction(counts[row]) / expected[row] for row in rows), over=n)
    assert found.bounds[0] <= found.value <= found.bounds[1]


@given(cases(), LEAVES)
def test_kl_utility_without_suppressed_records_compares_what_is_released(case: Case, leaves: str) -> None:
    kept = [row for i, row in enumerate(case.rows) if i not in case.lost_rows()]
    loss = KLUtility(leaves=leaves, suppressed="excluded")
    if not kept:
        with pytest.raises(InputError, match="every record is suppressed"):
            loss.evaluate(case.release)
        return
    counts, expected = Counter(kept), case.reconstructed(leaves, spread=False)
    factors = (Fraction(counts[row]) / expected[row] for row in kept)
    assert loss.evaluate(case.release).value == log_of_product(factors, over=len(kept))


@pytest.mark.long
def test_all_of_this_holds_on_many_tables_with_every_option() -> None:
    """The laws above, on more tables and on every one with all options: a class suppressed beside one that is not."""
    beside = 0
    for case in seeded_cases(60, "release losses"):
        test_height_and_precision_count_levels.hypothesis.inner_test(case)  # type: ignore[attr-defined]
        test_non_uniform_entropy_is_the_product_of_conditional_shares.hypothesis.inner_test(case)  # type: ignore[attr-defined]
        for leaves in ("hierarchy", "table"):
            for law in (
                test_categorical_penalties_are_shares_of_leaves,
                test_ambiguity_counts_the_combinations_that_a_record_could_be,
                test_kl_utility_is_the_divergence_from_the_spread_table,
                test_kl_utility_without_suppressed_records_compares_what_is_released,
            ):
                law.hypothesis.inner_test(case, leaves)  # type: ignore[attr-defined]
            for extent in ("label", "class"):
                test_numeric_penalties_are_widths_of_intervals.hypothesis.inner_test(case, leaves, extent)  # type: ignore[attr-defined]
        beside += 0 < len(case.lost_rows()) < len(case.rows)
    assert beside > 20


def test_ncp_of_two_of_five_leaves_is_two_fifths_or_one_quarter() -> None:
    """2/5 (Xu) and (2 − 1)/(5 − 1) (Iyengar); one leaf costs 0 in both."""
    table = pd.DataFrame({"q": ["a", "b"], "s": 1})
    original = FrequencySet.from_frame(table, quasi_identifiers="q", sensitive="s")
    tree = Hierarchy.from_groups([{"ab": ["a", "b"], "cde": ["c", "d", "e"]}])
    release = Release.full_domain(original, {"q": tree}, {"q": 1})
    assert GlobalCertaintyPenalty().evaluate(release).value == Fraction(2, 5)
    assert LossMetric().evaluate(release).value == Fraction(1, 4)
    assert GlobalCertaintyPenalty(leaves="table").evaluate(release).value == 1
    assert Ambiguity().evaluate(release).value == 2
    assert KLUtility().evaluate(release).value == 0, "a and b occur once each, as they do when spread evenly"
