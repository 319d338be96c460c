"""Incognito, the fast search and the exhaustive search return what asking every generalized table returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.lattice.cases import Case, cases, minimal, models
from tcloseness.errors import InputError, ProtocolError
from tcloseness.lattice import SearchResult, exhaustive, exhaustive_each, incognito, minimal_generalizations
from tcloseness.lattice.decide import Decider
from tcloseness.lattice.tags import UNKNOWN, VIOLATING
from tcloseness.microdata import Hierarchy
from tcloseness.models import EntropyLDiversity, KAnonymity, ModelResult, Monotone, PrivacyModel, TCloseness
from tcloseness.models.combination import Combinable
from tcloseness.models.delta_disclosure import DeltaDisclosure
from tcloseness.release.counting import suppression_rows

TREE = Hierarchy.suppression(["v0"], name="a")


def agrees(found: SearchResult, expected: set[tuple[int, ...]]) -> bool:
    assert type(found) is SearchResult
    assert not found.tags.count(UNKNOWN)
    assert set(found.minimal) == minimal(expected)
    return set(found.satisfying) == expected


@effort(2 / 3)
@given(cases(), models, st.booleans())
def test_all_searches_find_the_same_nodes(case: Case, model: Any, compiled: bool) -> None:
    expected = case.satisfying(model)
    for search in (exhaustive, incognito, minimal_generalizations):
        found = search(case.rolled(compiled=compiled), model)
        assert agrees(found, expected)
        counts = found.work.by_subset
        assert bool(counts) == (search is incognito)
        for candidates, checked, scans in counts:  # of no set are more checked, and one root of any that are
            assert bool(checked) <= scans <= checked <= candidates
        if counts:
            totals = [sum(each) for each in zip(*counts, strict=True)]
            assert totals[1:] == [found.work.checked, found.work.table_scans]
            assert counts[0][0] == sum(found.lattice.shape)


@effort(2 / 3)
@given(cases(), models, st.integers(0, 8), st.booleans())
def test_all_searches_find_the_same_nodes_with_records_suppressed(
    case: Case, model: Any, limit: int, compiled: bool
) -> None:
    limit = min(limit, len(case.rows))
    rolled = case.rolled(compiled=compiled)
    expected = case.satisfying(model, limit)
    assert agrees(exhaustive(rolled, model, suppression=limit), expected)
    assert agrees(minimal_generalizations(rolled, model, suppression=limit), expected)
    if Decider(rolled, model, limit).prunable:
        assert agrees(incognito(rolled, model, suppression=limit), expected)


@effort(1 / 2)
@given(cases(), st.lists(models, max_size=4), st.integers(0, 4), st.booleans())
def test_one_sweep_for_several_models_finds_what_one_each_finds(
    case: Case, several: list[Any], limit: int, compiled: bool
) -> None:
    limit = min(limit, len(case.rows))
    rolled = case.rolled(compiled=compiled)
    found = exhaustive_each(rolled, several, suppression=limit)
    for one, model in zip(found, several, strict=True):
        alone = exhaustive(rolled, model, suppression=limit)
        assert agrees(one, case.satisfying(model, limit))
        assert (one.model, one.minimal, one.tags.array.tolist()) == (
            alone.model,
            alone.minimal,
            alone.tags.array.tolist(),
        )
        assert one.work.checked == alone.work.checked == len(rolled.lattice)
        assert one.work.roll_ups == len(rolled.lattice)


@effort(1 / 2)
@given(cases(), models, st.integers(0, 8), st.booleans())
def test_the_classes_to_suppress_are_those_that_the_model_says_violate(
    case: Case, model: Any, limit: int, compiled: bool
) -> None:
    limit = min(limit, len(case.rows))
    rolled = case.rolled(compiled=compiled)
    decide = Decider(rolled, model, limit)
    for node in case.satisfying(model, limit):
        found, classes = decide.violating(node), rolled.unsorted(node)
        assert {classes.label(i) for i, bad in enumerate(found) if bad} == {
            case.classes(node).label(i) for i in case.withheld(node, model)
        }


@effort(1 / 2)
@given(cases(), models)
def test_tagging_never_asks_more_than_the_exhaustive_search(case: Case, model: Any) -> None:
    found = minimal_generalizations(case.rolled(compiled=False), model)
    assert found.work.checked + found.work.tagged == len(found.lattice)
    assert found.work.checked <= len(found.lattice)


@given(cases())
def test_suppression_that_spoils_monotonicity_is_never_pruned_on(case: Case) -> None:
    """Entropy ℓ-diversity with a limit: a violating class that is suppressed below may spoil a union above."""
    decide = Decider(case.rolled(compiled=False), EntropyLDiversity(2) & KAnonymity(2), 1)
    assert not decide.prunable
    assert [type(part) for part in decide.necessary] == [KAnonymity]
    with pytest.raises(InputError, match="with suppressed records"):
        incognito(case.rolled(compiled=False), EntropyLDiversity(2), suppression=1)


# ---------------------------------------------------------------------- models of others


@dataclass(frozen=True)
class ManyClasses(Combinable):
    """At least so many classes: what generalizing destroys, and no class is to blame for."""

    classes: int
    name = "at least so many classes"
    monotone = Monotone(generalization=False, suppression=False)

    def evaluate(self, classes: Any) -> ModelResult:
        found = KAnonymity(1).evaluate(classes)
        status = "satisfied" if len(classes) >= self.classes else "violated"
        return replace(found, model=self.name, status=status, threshold=None, relation=None, margin=None)


@effort(1 / 2)
@given(cases(), st.integers(1, 4), st.booleans())
def test_a_model_that_is_not_monotone_is_searched_exhaustively(case: Case, classes: int, compiled: bool) -> None:
    model = ManyClasses(classes)
    assert isinstance(model, PrivacyModel)
    expected = {node for node in case.nodes if len(case.classes(node)) >= classes}
    rolled = case.rolled(compiled=compiled)
    found = minimal_generalizations(rolled, model)
    assert "exhaustive" in found.algorithm
    assert agrees(found, expected)
    assert agrees(exhaustive(rolled, model), expected)
    with pytest.raises(InputError, match="does not declare itself monotone"):
        incognito(rolled, model)
    both = KAnonymity(2) & model
    found = minimal_generalizations(rolled, both)
    assert found.algorithm == "two-phase"
    assert agrees(found, expected & case.satisfying(KAnonymity(2)))


@effort(1 / 2)
@given(cases(), st.sampled_from(["1/2", "3/2", 2]), st.integers(0, 4))
def test_a_model_without_compiled_code_decides_itself(case: Case, delta: Any, limit: int) -> None:
    model = KAnonymity(2) & DeltaDisclosure(delta)
    limit = min(limit, len(case.rows))
    one = minimal_generalizations(case.rolled(compiled=True), model, suppression=limit)
    other = exhaustive(case.rolled(compiled=False), model, suppression=limit)
    assert one.satisfying == other.satisfying
    if not limit:
        assert set(one.satisfying) == case.satisfying(model)


@dataclass(frozen=True)
class Unsure(Combinable):
    """Cannot decide tables of an odd number of classes."""

    name = "unsure"
    monotone = Monotone(generalization=True, suppression=True)

    def evaluate(self, classes: Any) -> ModelResult:
        found = KAnonymity(1).evaluate(classes)
        return replace(found, status="undecided" if len(classes) % 2 else "satisfied")


@effort(1 / 2)
@given(cases(), st.booleans())
def test_what_a_model_cannot_decide_is_listed_apart(case: Case, compiled: bool) -> None:
    found = exhaustive(case.rolled(compiled=compiled), Unsure())
    assert set(found.undecided) == {node for node in case.nodes if len(case.classes(node)) % 2}
    assert set(found.satisfying) == set(case.nodes) - set(found.undecided)


@dataclass(frozen=True)
class Hesitant(Combinable):
    """k-anonymity that cannot decide tables whose smallest class has k − 1 or k + 1 records."""

    k: int
    name = "hesitant"
    monotone = Monotone(generalization=True, suppression=True)

    def evaluate(self, classes: Any) -> ModelResult:
        found = KAnonymity(self.k).evaluate(classes)
        unsure = abs(int(classes.class_sizes.min()) - self.k) == 1
        return replace(found, model=self.name, status="undecided" if unsure else found.status)


@pytest.mark.long
@effort(1)
@given(cases(), st.integers(1, 4), st.booleans())
def test_no_search_claims_more_than_is_known(case: Case, k: int, compiled: bool) -> None:
    """What is undecided may follow by monotonicity; nothing else may be said of it, and nothing wrong of the rest."""
    rolled, expected = case.rolled(compiled=compiled), case.satisfying(KAnonymity(k))
    alone = exhaustive(rolled, Hesitant(k))
    for search in (exhaustive, incognito, minimal_generalizations):
        found = search(rolled, Hesitant(k))
        assert set(alone.satisfying) <= set(found.satisfying) <= expected
        assert not set(found.tags.nodes(VIOLATING)) & expected
        assert not found.tags.count(UNKNOWN)
        assert set(found.undecided) <= set(alone.undecided)


# ---------------------------------------------------------------------- wrong questions


def test_a_share_is_rounded_down_and_a_whole_number_counts_records() -> None:
    assert suppression_rows("0.04", 30_162) == 1206
    assert suppression_rows(0.04, 30_162) == 1206
    assert suppression_rows(1.0, 10) == suppression_rows("1", 10) == suppression_rows(10, 10) == 10
    for wrong in (-1, 11, "1.1", -0.5, "a", True):
        with pytest.raises(InputError, match="suppression"):
            suppression_rows(wrong, 10)


@pytest.mark.parametrize("model", [KAnonymity(), TCloseness(ground="equal"), KAnonymity() & EntropyLDiversity()])
def test_a_model_without_a_threshold_is_refused(model: Any) -> None:
    case = Case([("v0", 1)], {"a": TREE})
    with pytest.raises(InputError, match="no threshold"):
        exhaustive(case.rolled(compiled=False), model)


def test_what_is_no_model_is_refused() -> None:
    case = Case([("v0", 1)], {"a": TREE})
    with pytest.raises(ProtocolError, match="not a privacy model"):
        exhaustive(case.rolled(compiled=False), 0.2)


def test_a_search_that_releases_nothing_finds_nothing() -> None:
    """Everything may be suppressed, but then nothing is released: no node satisfies."""
    case = Case([("v0", 1)], {"a": TREE})
    for compiled in (False, True):
        rolled = case.rolled(compiled=compiled)
        assert not exhaustive(rolled, KAnonymity(2), suppression="1").satisfying
        assert not minimal_generalizations(rolled, KAnonymity(2), suppression="1").satisfying
