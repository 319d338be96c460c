"""What is said of a model is said in its own file: the others name no model, and its conditions are what it decides."""

from __future__ import annotations

import ast
import inspect
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import tcloseness
from tcloseness import models
from tcloseness.ground import ground_distance
from tcloseness.measures import ChiSquare, Variational
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    Combination,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    NTCloseness,
    PrivacyModel,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.catalogue import MODELS, NAMED, OPTIONS, model_named
from tcloseness.models.conditions import (
    ByEvaluation,
    LeastEntropy,
    LeastRecords,
    LeastValues,
    MostDistance,
    ShareBounds,
    TailBound,
    asks_of_values,
    conditions_of,
    least_records,
    parts_of,
)
from tcloseness.transport import emd

F = Fraction
PACKAGE = Path(tcloseness.__file__).parent
CLASSES = {each.__name__ for each in (*MODELS, Combination)}
APART = {"models", "conformance"}  # where models are defined, and where others' definitions are tried on purpose
FILES = [file for file in PACKAGE.rglob("*.py") if file.relative_to(PACKAGE).parts[0] not in {*APART, "__init__.py"}]


def named_in(source: str) -> set[str]:
    """The model classes that a file names in code: doctests, which are texts, may."""
    found = set()
    if not any(name in source for name in CLASSES):  # of most files the tree need not be made
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found.add(node.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found & CLASSES


def test_no_other_room_names_a_model() -> None:
    found = {str(file.relative_to(PACKAGE)): named_in(file.read_text("utf-8")) for file in FILES}
    assert {name: names for name, names in found.items() if names} == {}


def test_a_name_would_be_seen_however_it_is_written() -> None:
    for source in ("import x; x.TCloseness", "from m import KAnonymity", "isinstance(a, Combination)", "'TCloseness'"):
        assert named_in(source), source
    assert not named_in("def f():\n    '''>>> KAnonymity(2)'''")


def test_every_model_of_one_table_is_in_the_catalogue() -> None:
    def of_one_table(each: Any) -> bool:
        found = inspect.isclass(each) and not getattr(each, "_is_protocol", False) and getattr(each, "evaluate", None)
        return bool(found) and "classes" in inspect.signature(each.evaluate).parameters

    exported = {each for name in models.__all__ if of_one_table(each := getattr(models, name))}
    assert exported == {*MODELS, Combination, models.ByWeights}  # the last two are of other models
    assert len({each.name for each in MODELS}) == len(MODELS)
    assert list(NAMED) == list(OPTIONS)


@pytest.mark.parametrize("keyword", OPTIONS)
def test_a_model_without_a_threshold_asks_nothing_and_measures(keyword: str) -> None:
    model = model_named(keyword, None, ground_distance("equal", CASES[0].domain))
    assert model.evaluate(CASES[0]).status == "measured"
    assert conditions_of(model) in ((), None)


# ---------------------------------------------------------------------- conditions, read from their definitions


def cases() -> list[ClassCounts]:
    draw, found = random.Random("conditions"), []
    while len(found) < 60:
        m = draw.randint(1, 4)
        rows = [{v: n for v in range(m) if (n := draw.choice([0, 1, 1, 2, 3, 6]))} for _ in range(4)]
        if all(rows):
            found.append(ClassCounts.from_mapping(dict(enumerate(rows))))
    return found


CASES = cases()


def meets(condition: Any, row: dict[int, int], classes: ClassCounts) -> bool:
    n, reference = sum(row.values()), classes.reference.tolist()
    counts = sorted(row.values(), reverse=True)
    p = [F(row.get(v, 0), n) for v in range(len(reference))]
    q = [F(c, sum(reference)) for c in reference]
    match condition:
        case LeastRecords(k):
            return n >= k
        case LeastValues(l):
            return len(row) >= l
        case LeastEntropy(l):
            return n**n >= l**n * math.prod(c**c for c in counts)
        case TailBound(l, c):
            return l == 1 or counts[0] < c * sum(counts[l - 1 :])
        case MostDistance(t, ground):
            return emd(p, q, ground_distance(ground, classes.domain)) <= t
        case ShareBounds():
            values = classes.domain.values if condition.values is None else condition.values
            asked = [v for v, value in enumerate(classes.domain.values) if value in values]
            low = (v for v in asked if condition.least and q[v] and (p[v] or condition.of_absent))
            return all(condition.least(p[v], q[v]) for v in low) and all(
                condition.most is None or condition.most(p[v], q[v]) for v in asked if p[v]
            )
    raise AssertionError(f"{condition} is not read here: write it")


ASKED: list[PrivacyModel] = [
    *(KAnonymity(k) for k in (1, 3, 6)),
    *(DistinctLDiversity(l) for l in (1, 2, 3)),  # noqa: E741
    *(EntropyLDiversity(l) for l in (1, "3/2", 2, 3)),  # noqa: E741
    *(FrequencyLDiversity(l) for l in (1, "3/2", 2)),  # noqa: E741
    *(RecursiveCLDiversity(l, c=c) for l in (1, 2, 3) for c in ("1/2", 1, 3)),  # noqa: E741
    *(AlphaKAnonymity(a, k, values) for a in ("1/2", "2/3") for k in (None, 3) for values in (None, [0, 3])),
    *(BasicBetaLikeness(beta) for beta in (0, "1/2", 2)),
    *(EnhancedBetaLikeness(beta) for beta in (0, "1/2", 2)),
    *(
        DeltaDisclosure(d, base, absent)
        for d in ("1/2", 1, 2)
        for base in (2, "e")
        for absent in ("infinite", "skipped")
    ),
    *(TCloseness(t, ground=ground) for t in (0, "1/5", "1/2") for ground in ("equal", "ordered")),
    TCloseness("1/4", measure=Variational()),
]


@pytest.mark.parametrize("model", ASKED, ids=str)
def test_a_class_violates_exactly_if_it_breaks_a_condition(model: PrivacyModel) -> None:
    seen = set()
    for classes in CASES:
        violating = set(model.evaluate(classes).violating.tolist())
        for g in range(len(classes)):
            row = classes.row(g)
            good = all(meets(each, row, classes) for each in conditions_of(model) or ())
            seen.add(good)
            assert good == (g not in violating), (row, classes.reference.tolist())
            assert sum(row.values()) >= max(each.records for each in conditions_of(model) or ()) or not good
    assert seen


@pytest.mark.parametrize("model", ASKED, ids=str)
def test_the_parts_ask_for_what_the_whole_asks(model: PrivacyModel) -> None:
    for classes in CASES:
        broken = {g for part in parts_of(model) for g in part.evaluate(classes).violating.tolist()}
        assert broken == set(model.evaluate(classes).violating.tolist())


def test_what_other_rooms_ask_of_conditions() -> None:
    both = AlphaKAnonymity("1/2", 4) & KAnonymity(3)
    assert (least_records(both), least_records(TCloseness(1, ground="equal"))) == (4, 1)
    assert [asks_of_values(each) for each in (KAnonymity(2), AlphaKAnonymity(k=5), both)] == [False, False, True]
    assert asks_of_values(NTCloseness(1, 0, ground="equal")), "what is not known is taken to ask"
    (other,) = conditions_of(TCloseness("1/2", measure=ChiSquare())) or ()
    assert isinstance(other, ByEvaluation)
