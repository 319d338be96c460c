"""Tagging, Incognito and the exhaustive search agree with a plain oracle, for every model, with limits that bind.

For each model the oracle looks at 1,500 tables with 0 to 3 records suppressed, and the searches run where something is
at stake: a node satisfies below one that does not, or the violating classes hold just as many records as are allowed,
or one more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import tcloseness.models
from proofs_tests.lattice.cases import minimal
from proofs_tests.lattice.test_optimum_properties import LEVEL_LOSSES, OTHERS
from proofs_tests.lattice.tiny_tables import Tiny, judged, judging_by_class, tables, violating
from proofs_tests.models.every_model import MONOTONE
from tcloseness.lattice import (
    Node,
    RollUp,
    decide as deciding,
    exhaustive,
    incognito,
    minimal_generalizations,
    optimum,
)
from tcloseness.lattice.decide import Decider
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.models import (
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    Monotone,
    NTCloseness,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.conditions import parts_of, stays_when_merged
from tcloseness.release import Release

MODELS = (
    *MONOTONE,
    DistinctLDiversity(4),  # more than there are values
    DeltaDisclosure(1, absent="skipped"),
    KAnonymity(2) & TCloseness("1/3", ground="equal"),
    EntropyLDiversity("9/5") & RecursiveCLDiversity(2, c=2) & DeltaDisclosure("1/2"),
    EntropyLDiversity(2)
    & EntropyLDiversity("3/2")
    & DistinctLDiversity(2)
    & DistinctLDiversity(1),  # several of a kind
    RecursiveCLDiversity(2, c=4) & RecursiveCLDiversity(2, c=2) & KAnonymity(1) & KAnonymity(2),
    TCloseness("1/3", ground="equal") & TCloseness("1/6", ground="ordered-by-value"),
)
NAMES = [f"{number} {model.name}" for number, model in enumerate(MODELS)]
ELSEWHERE = {
    "ByWeights": "it holds the weights of one table's classes",
    "DeltaPresence": "it holds the population's counts of one table's classes, so it has no meaning at another node",
    "JournalistRisk": "as DeltaPresence",
    "KMap": "as DeltaPresence",
    "MInvariance": "it compares several releases",
    "NTCloseness": "it does not judge a class by itself; see below",
}
COUNT, LIMITS = 1_500, (0, 1, 2, 3)
EACH = 20
"""So many questions of each kind are asked the searches, for each model."""


@cache
def every_table() -> tuple[Tiny, ...]:
    return tuple(tables(COUNT, seed=1))


@cache
def rolled(number: int) -> RollUp:
    return every_table()[number].rolled(compiled=bool(number % 2))


@dataclass(frozen=True)
class Asked:
    """A question, and its answer by the oracle."""

    number: int
    limit: int
    expected: frozenset[Node]


@cache
def asked(place: int) -> dict[str, list[Asked]]:
    """Questions for a model, by what is at stake."""
    model, found = MODELS[place], {"falls": [], "just enough": [], "one too many": [], "none": []}
    for number, table in enumerate(every_table()):
        violates = violating(model, tuple(map(sum, zip(*next(iter(table.by_node.values())), strict=True))))
        lost = {n: sum(sum(v) for v in vectors if violates[v]) for n, vectors in table.by_node.items()}
        for limit in LIMITS:
            satisfying = {node for node, gone in lost.items() if gone <= limit and gone < len(table.rows)}
            kinds = {
                "falls": any(lower in satisfying and upper not in satisfying for lower, upper in table.steps),
                "just enough": limit > 0 and limit in lost.values(),
                "one too many": limit + 1 in lost.values(),
                "none": True,
            }
            kind = next(kind for kind, holds in kinds.items() if holds)
            found[kind].append(Asked(number, limit, frozenset(satisfying)))
    return found


def chosen(place: int, each: int = EACH) -> list[Asked]:
    """Some questions of every kind, spread over all that there are."""
    return [
        question for questions in asked(place).values() for question in questions[:: max(1, len(questions) // each)]
    ]


# ---------------------------------------------------------------------- the oracle and its tables


def test_every_model_is_tried() -> None:
    tried = {type(part).__name__ for model in MODELS for part in (model, *parts_of(model))}
    there = {
        name
        for name in tcloseness.models.__all__
        if hasattr(getattr(tcloseness.models, name), "evaluate") and name != "PrivacyModel"
    }
    assert there == tried | set(ELSEWHERE)


@pytest.mark.long
def test_a_model_judges_each_class_by_itself_against_all_records() -> None:
    """So the oracle may ask it about every possible class at once."""
    for number in range(0, COUNT, 150):
        table = every_table()[number]
        for model, vectors in product(MODELS, table.by_node.values()):
            counts = ClassCounts.from_matrix(np.array(vectors).T, domain=Domain.declare(range(3)))
            found = model.evaluate(counts)
            judgement = violating(model, tuple(counts.reference.tolist()))
            assert found.violating.tolist() == [g for g, vector in enumerate(vectors) if judgement[vector]]
            assert (found.status == "satisfied") == judged(model, vectors, 0)


@pytest.mark.parametrize("place", range(len(MODELS)), ids=NAMES)
def test_the_tables_put_every_rule_to_the_test(place: int) -> None:
    """The limit binds exactly and is missed by one; and where a claim of monotony would be false, it can be seen."""
    kinds = {kind: len(questions) for kind, questions in asked(place).items()}
    assert sum(kinds.values()) == COUNT * len(LIMITS)
    assert kinds["just enough"] >= 100
    assert kinds["one too many"] >= 50
    parts = parts_of(MODELS[place])
    assert (kinds["falls"] > 0) == (not all(map(stays_when_merged, parts)))
    unlimited = [question for question in asked(place)["falls"] if not question.limit]
    assert bool(unlimited) == (not all(part.monotone.generalization for part in parts))


# ---------------------------------------------------------------------- the searches


def satisfied(found: Any) -> set[Node]:
    assert set(found.minimal) == minimal(set(found.satisfying))
    return set(found.satisfying)


def all_agree(place: int, questions: list[Asked]) -> None:
    model = MODELS[place]
    with judging_by_class([model]):
        for question in questions:
            table = rolled(question.number)
            assert satisfied(minimal_generalizations(table, model, suppression=question.limit)) == question.expected
            assert satisfied(exhaustive(table, model, suppression=question.limit)) == question.expected
            if Decider(table, model, question.limit).prunable:
                assert satisfied(incognito(table, model, suppression=question.limit)) == question.expected


@pytest.mark.parametrize("place", range(len(MODELS)), ids=NAMES)
@pytest.mark.slow
def test_all_searches_agree_with_the_oracle(place: int) -> None:
    questions = chosen(place)
    assert len(questions) >= 60
    all_agree(place, questions)


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(MODELS)), ids=NAMES)
def test_all_searches_agree_with_the_oracle_on_many_tables(place: int) -> None:
    all_agree(place, chosen(place, 300))


FALL = [place for place, model in enumerate(MODELS) if not all(map(stays_when_merged, parts_of(model)))]


@pytest.mark.long
@pytest.mark.parametrize("place", FALL, ids=[NAMES[place] for place in FALL])
def test_a_model_that_is_wrongly_said_to_survive_mergers_is_noticed(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same comparison fails if a model is pruned on under suppression although its verdicts may fall."""
    monkeypatch.setattr(deciding, "stays_when_merged", lambda part: True)
    wrong = 0
    with judging_by_class([MODELS[place]]):
        for question in chosen(place):
            found = minimal_generalizations(rolled(question.number), MODELS[place], suppression=question.limit)
            wrong += set(found.satisfying) != question.expected
    assert wrong


def test_a_model_that_is_wrongly_declared_monotone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    place = next(i for i, model in enumerate(MODELS) if not all(p.monotone.generalization for p in parts_of(model)))
    monkeypatch.setattr(type(MODELS[place]), "monotone", Monotone(generalization=True, suppression=True))
    with judging_by_class([MODELS[place]]), pytest.raises(AssertionError):
        all_agree(place, [question for question in asked(place)["falls"] if not question.limit])


@pytest.mark.long
def test_a_model_that_looks_at_other_classes_is_decided_by_what_is_left() -> None:
    """(n,t)-closeness compares a class with its supersets, which suppression takes away."""
    model = NTCloseness(4, ground="equal", t="1/5")
    undone = 0  # a class was fine only beside those that are suppressed
    for number in range(4, COUNT, 25):
        table, limit = every_table()[number], number % 4
        expected = set()
        for node in table.nodes:
            levels = dict(zip(table.hierarchies, node, strict=True))
            classes = table.frequencies.generalize(table.hierarchies, levels).class_counts()
            found = model.evaluate(classes)
            gone = found.violating.tolist()
            lost = int(classes.class_sizes[gone].sum())
            if lost > limit or len(gone) == len(classes):
                continue
            left = rolled(number).suppressed(classes, found.violating) if gone else classes
            if model.evaluate(left).status == "satisfied":
                expected.add(node)
            undone += node not in expected
        for search in (minimal_generalizations, exhaustive):
            assert set(search(rolled(number), model, suppression=limit).satisfying) == expected
    assert undone >= 4


# ---------------------------------------------------------------------- the optimum


LOSSES = LEVEL_LOSSES + OTHERS


@pytest.mark.parametrize("which", range(len(LOSSES)), ids=[f"{i} {loss.name}" for i, loss in enumerate(LOSSES)])
@pytest.mark.slow
def test_the_optimum_is_the_least_loss_of_all_nodes_that_satisfy(which: int) -> None:
    """Measured on the release itself, node by node, after the suppression of the classes that violate."""
    loss: Any = LOSSES[which]
    if weights := getattr(loss, "weights", None):
        loss = replace(loss, weights={"a0": weights["a"]})
    sign = -1 if getattr(loss, "better", "lower") == "higher" else 1
    several = 0
    for place in range(which % 3, len(MODELS), 3):
        model = MODELS[place]
        question = next(q for q in reversed(chosen(place, 9)) if q.expected or q.number < 100)
        for each in (question, chosen(place, 9)[place % 9]):
            table, found = every_table()[each.number], {}
            for node in each.expected:
                levels = dict(zip(table.hierarchies, node, strict=True))
                release = Release.full_domain(table.frequencies, table.hierarchies, levels)
                classes = table.frequencies.generalize(table.hierarchies, levels).class_counts()
                found[node] = loss.evaluate(release.suppress(model.evaluate(classes).violating.tolist()))
            best = {v for v, x in found.items() if not any(sign * y.compare(x) < 0 for y in found.values())}
            answer = optimum(rolled(each.number), model, loss=loss, suppression=each.limit)
            assert {each.node for each in answer.nodes} == best
            assert all(node.loss.value == found[node.node].value for node in answer.nodes)
            assert sum(answer.excluded.values()) + len(best) == len(table.by_node)
            several += len(found) > len(best) > 0
    assert several > 2
