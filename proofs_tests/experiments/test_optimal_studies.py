"""The studies that compare with optima: laws that their rows must obey, on small grids."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from experiments import adult
from experiments.small_tables import drawn, printed
from experiments.studies import (
    confidential_microaggregation as confidential,
    optimality_gap,
    price_of_privacy,
    suppress_or_hide,
)
from tcloseness.models import KAnonymity, TCloseness

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)

SEED = 20070415


def test_drawn_tables_are_the_same_each_time_and_different_from_each_other() -> None:
    def records(small):
        return list(zip(*([c.domain.values[x] for x in c.codes] for c in small.table.quasi_identifiers), strict=True))

    first, again, other = drawn(8, 0, SEED), drawn.__wrapped__(8, 0, SEED), drawn(8, 1, SEED)
    assert records(first) == records(again) != records(other)


@pytest.mark.parametrize("small", [drawn(8, 0, SEED), drawn(8, 1, SEED), printed()[0]], ids=lambda small: small.name)
def test_no_heuristic_loses_less_than_the_optimum(small) -> None:
    grid = optimality_gap.Grid(sizes=(8,), draws=1, k=3, l=3, t="0.5", seconds=60)
    rows = [
        row for named in optimality_gap.models(grid).items() for row in optimality_gap.gaps(small, *named, 60, SEED)
    ]
    assert {row["method"] for row in rows} == set(optimality_gap.METHODS)
    for row in rows:
        assert row["is optimal"]
        if row["loss"] is not None:
            assert Fraction(row["loss"]) >= Fraction(row["optimum"]), row
            assert row["reaches the optimum"] == (Fraction(row["loss"]) == Fraction(row["optimum"]))


def test_hiding_costs_at_most_suppression_which_costs_at_most_whole_classes_and_less_for_larger_t() -> None:
    k, classes = suppress_or_hide.tables(5, 3000)["Mondrian, k = 3000"]
    rows = [suppress_or_hide.compared(classes, k, t, "hierarchical S1", 60, 0) for t in ("0.2", "0.1")]
    whole, suppressed, hidden = ([row[way] for row in rows] for way in suppress_or_hide.WAYS)
    for row, a, b, c in zip(rows, hidden, suppressed, whole, strict=True):
        assert row["suppression"] == row["hiding"] == "optimal"
        assert a <= b <= c
    for costs in (whole, suppressed, hidden):
        assert all(a <= b for a, b in pairwise(costs))
    assert 0 < hidden[-1] < whole[-1]


def test_the_least_loss_rises_with_l_and_falls_with_t() -> None:
    grid = price_of_privacy.Grid((), 5, (), (), 7, 1, 2, ("1", "0.6", "0.3"), (1, 2, 3), 60)
    rows = list(price_of_privacy.of_small_tables(grid, 0, SEED))
    alone = Fraction(rows[0]["optimum"])
    for kind in (price_of_privacy.T, price_of_privacy.DISTINCT, price_of_privacy.FREQUENCY):
        losses = [row["optimum"] and Fraction(row["optimum"]) for row in rows if row["model"] == kind]
        assert losses[0] == alone  # t = 1 and l = 1 ask for nothing
        known = [loss for loss in losses if loss is not None]
        assert known == sorted(known)
        assert losses[: len(known)] == known  # what a threshold makes impossible, a stricter one does too


def test_full_domain_optima_rise_as_t_falls() -> None:
    ratios = [
        price_of_privacy.full_domain("T1", 5, KAnonymity(5) & TCloseness(t, ground="equal"), "dm")[
            price_of_privacy.RATIO
        ]
        for t in ("1", "0.3", "0.2")
    ]
    assert ratios[0] == 1
    assert ratios == sorted(ratios)


def test_classes_by_the_confidential_attribute_vary_least_and_disclosures_are_counted_record_by_record() -> None:
    table = confidential.table(60)
    found = {name: make(table, KAnonymity(5), seed=SEED) for name, make in confidential.METHODS.items()}
    rows = {name: confidential.measured(one, 5) for name, one in found.items()}
    variability = [Fraction(rows[name]["within-class variability"]) for name in confidential.METHODS]
    assert variability[0] <= variability[1]
    hours = adult.load("train-complete")[confidential.CONFIDENTIAL].head(60).tolist()
    for name, one in found.items():
        disclosed = 0
        for record, group in enumerate(one.grouped.class_of.tolist()):
            mine = [hours[i] for i, other in enumerate(one.grouped.class_of.tolist()) if other == group]
            assert hours[record] in mine
            disclosed += all(abs(h * len(mine) - sum(mine)) <= 5 * len(mine) for h in mine)
        assert rows[name]["records disclosed"] == disclosed
