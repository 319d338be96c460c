"""A result says that no table can break its threshold exactly where none does: by trying all small tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from proofs_tests.models.every_model import MONOTONE
from proofs_tests.optimal.cases import counts_of
from tcloseness import models as m
from tcloseness.measures import ChiSquare, Hellinger, JensenShannon, KullbackLeibler, Ratio, Variational

COUNTS = (0, 1, 2, 999)

TABLES = [
    (table, [sum(column) for column in zip(*table, strict=True)])
    for size in (1, 2)
    for table in combinations_with_replacement([row for row in product(COUNTS, repeat=2) if any(row)], size)
]
"""All tables of one or two classes of two values with such counts, each with its own distribution for Q."""

AT_THE_ENDS = (
    *(m.KAnonymity(k) for k in (1, 2)),
    *(m.DistinctLDiversity(l) for l in (1, 2)),  # noqa: E741
    *(m.EntropyLDiversity(l) for l in (1, "101/100")),  # noqa: E741
    *(m.FrequencyLDiversity(l) for l in (1, "101/100")),  # noqa: E741
    *(m.RecursiveCLDiversity(l, c=c) for l in (1, 2) for c in ("1/1000", 1, 998)),  # noqa: E741
    *(m.PositiveDisclosureRecursive(l, c, allowed=[0]) for l in (1, 2) for c in ("1/1000", 1)),  # noqa: E741
    m.PositiveDisclosureRecursive(1, 1, allowed=[0], no_value_at_risk="literal"),
    *(m.NegativeDisclosure(c, protected=[1]) for c in (0, "1/100", 99)),
    *(m.NegativeDisclosure(c, protected=[1], unit="fraction") for c in (0, "1/100", "99/100")),
    m.NegativePositiveRecursive(1, 2, 0, allowed=[0], protected=[1]),
    *(m.AlphaKAnonymity(alpha, k) for alpha in ("99/100", 1) for k in (1, 2)),
    m.AlphaKAnonymity(1, values=[1]),
    m.AlphaKAnonymity("99/100", values=[1]),
    m.PSensitiveKAnonymity(p=1, k=1),
    m.PSensitiveKAnonymity(p=1, k=2),
    *(model(beta) for model in (m.BasicBetaLikeness, m.EnhancedBetaLikeness) for beta in (0, 500)),
    *(m.DeltaDisclosure(delta) for delta in ("1/1000", 500)),
    *(m.ExpEpsilonCloseness(epsilon=epsilon) for epsilon in ("1/1000", 500)),
    *(m.TCloseness(t, ground=ground) for ground in ("equal", "ordered-by-value") for t in (0, "99/100", 1, 20)),
    *(m.TCloseness(t, measure=Variational()) for t in ("99/100", 1)),
    *(m.TCloseness(t, measure=Hellinger()) for t in ("96/100", 1, 2)),
    *(m.TCloseness(t, measure=JensenShannon()) for t in ("68/100", "7/10", 1)),
    *(m.TCloseness(t, measure=JensenShannon(base=2)) for t in ("98/100", 1)),
    *(m.TCloseness(t, measure=JensenShannon(root=True)) for t in ("82/100", "84/100", 1)),
    *(m.TCloseness(t, measure=JensenShannon(base=2, root=True)) for t in ("99/100", 1)),
    *(m.TCloseness(t, measure=measure) for t in (1, 6) for measure in (KullbackLeibler(), Ratio(), ChiSquare())),
    *(m.NTCloseness(n, t, ground="equal") for n in (1, 2, 5) for t in (0, "99/100", 1, 20)),
    *(m.NTCloseness(n, t, measure=Ratio()) for n in (1, 2) for t in ("1/2", 1, 5)),
    *(m.NTCloseness(n, t, measure=JensenShannon()) for n in (1, 2) for t in (0, 1)),
)


def parts(found: Any) -> list[Any]:
    return [found, *(inner for part in found.parts for inner in parts(part))]


def violated_and_said(model: Any, tables: Any) -> dict[str, tuple[bool, set[bool]]]:
    """By the name of the model or part: whether a table violates it, and what was said of whether any can."""
    seen: dict[str, tuple[bool, set[bool]]] = {}
    for table, reference in tables:
        found = model.evaluate(counts_of(table, reference))
        for place, part in enumerate(parts(found)):
            if part.threshold is None or part.parts:  # only measured, or of two thresholds: said of each
                continue
            violated, said = seen.get(f"{place} {part.model}", (False, set()))
            said.add(part.unbreakable)
            seen[f"{place} {part.model}"] = (violated or part.status == "violated", said)
    return seen


@pytest.mark.parametrize("model", AT_THE_ENDS, ids=repr)
@pytest.mark.slow
def test_no_table_can_break_it_is_said_exactly_of_what_none_breaks(model):
    assert_said_exactly_where_none_breaks(model, TABLES)


@pytest.mark.parametrize("model", MONOTONE, ids=repr)
def test_of_thresholds_that_small_tables_miss_it_is_not_said(model):
    rows = [row for row in product((0, 1, 999), repeat=3) if any(row)]
    tables = [([row], row) for row in rows] + [
        ([row, (1, 1, 1)], [count + 1 for count in row]) for row in rows
    ]  # a third value, as some allow the other two everything
    assert_said_exactly_where_none_breaks(model, tables)


def assert_said_exactly_where_none_breaks(model: Any, tables: Any) -> None:
    found = violated_and_said(model, tables)
    assert found
    for name, (violated, said) in found.items():
        assert said == {not violated}, name


@pytest.mark.parametrize(("low", "high"), [(0, 1), ("1/999", 1), (0, "998/999"), ("1/2", "1/2"), (0, 0)])
def test_presence_can_be_broken_but_at_the_ends_of_probability(low, high):
    """Of a population of 1,998 persons in each class."""
    model = m.DeltaPresence(m.PopulationCounts((1998, 1998)), low=low, high=high)
    assert_said_exactly_where_none_breaks(model, [each for each in TABLES if len(each[0]) == 2])


@pytest.mark.long
def test_every_bound_on_the_values_is_kept_by_every_small_table():
    for model in {type(each).__name__ + str(getattr(each, "measure", "")): each for each in AT_THE_ENDS}.values():
        for table, reference in TABLES[::5]:
            for part in parts(model.evaluate(counts_of(table, reference))):
                low, high = part.bounds
                if isinstance(part.value, Fraction):
                    assert low is None or low <= part.value
                    assert high is None or part.value <= high
