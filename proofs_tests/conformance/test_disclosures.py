"""Vectors of what a release discloses to attackers who know its method: the literature, other laws, and the judge."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path
from random import Random

import pytest

from tcloseness.attacks import ordered_draw_attack
from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.answers import Answer
from tcloseness.conformance.assessment import assess
from tcloseness.conformance.disclosures import METHODS
from tcloseness.conformance.inputs import Table, input_from_dict
from tcloseness.conformance.models import right_answer
from tcloseness.conformance.protocol import Given
from tcloseness.conformance.reference import reference_answer
from tcloseness.conformance.released_tables import released_table
from tcloseness.conformance.vectors import Vector, load
from tcloseness.errors import VectorError

PAGE = Path(__file__).parents[2] / "docs" / "conformance" / "protocol.md"
NAMES = [a.name for a in ALGORITHMS.values() if a.kind == "disclosure"]


@cache
def vectors() -> list[Vector]:
    return load(algorithms=NAMES)


def of_paper(name: str, source: str) -> dict[str, object]:
    """By level, what a vector expects of a table of the literature."""
    found = [v for v in vectors() if v.algorithm == name and v.reason == "paper" and source in str(v.source)]
    return {v.parameters["level"]: value_of(v) for v in found}


def value_of(vector: Vector) -> Fraction:
    assert isinstance(vector.expected, Answer)
    assert isinstance(vector.expected.value, Fraction)
    return vector.expected.value


def test_both_q1_of_wong_et_al_have_cancer() -> None:
    """Without the method 4!/(2!2!) = 6 ways, and belief 2/4; fewer q2 would do unless both q1 have it."""
    assert of_paper("consistent-originals", "Wong") == {"labels": 6, "code": 1}
    assert of_paper("greatest-belief", "Wong") == {"labels": Fraction(1, 2), "code": 1}
    assert of_paper("certain-values", "Wong") == {"labels": 2, "code": 6}


def test_a_jump_says_that_the_first_grouping_failed() -> None:
    """Of all ways to hand out the values of two classes of three, those are left in which a pair has one illness."""
    ill = ["flu", "cold", "cancer", "cancer", "headache", "toothache"]
    worlds = {(*a, *b) for a in permutations(ill[:3]) for b in permutations(ill[3:])}
    left = [w for w in worlds if any(w[i] == w[i + 1] for i in (0, 2, 4))]
    assert of_paper("consistent-originals", "Liu") == {"labels": len(worlds), "code": len(left)}
    assert 1 <= len(left) < len(worlds)
    assert of_paper("certain-values", "Liu")["code"] == sum(len(set(values)) == 1 for values in zip(*left, strict=True))
    most = max(Fraction(values.count("cancer"), len(left)) for values in zip(*left, strict=True))
    assert of_paper("greatest-belief", "Liu")["code"] == most


def test_ordered_anatomy_of_ten_records_is_what_the_attack_on_ordered_draws_reads_off() -> None:
    """Another program answers: chains of ascending records, in place of running the method on every original."""
    import pandas as pd

    found = [v for v in vectors() if v.algorithm == "certain-values" and method_of(v) == "anatomy-in-order"]
    ten = [v for v in found if v.parameters["level"] == "code" and len(tables_of(v).rows) == 10]
    assert ten
    for vector in ten:
        table = tables_of(vector)
        assert table.release is not None
        secrets, classes = table.column("s"), table.release.classes
        people = pd.DataFrame({"x": table.column("x"), "class": classes})
        values = pd.DataFrame({"class": classes, "s": secrets, "count": 1}).sort_values(["class", "s"])
        read = ordered_draw_attack(people, values, 2)
        assert read.contradiction is None
        assert read.counts["persons"].certain == value_of(vector)


def tables_of(vector: Vector) -> Table:
    assert isinstance(vector.given, Table)
    return vector.given


def method_of(vector: Vector) -> str:
    released = tables_of(vector).release
    assert released is not None
    return released.method


def test_every_method_is_asked_about_and_its_words_are_on_the_page() -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    for name in NAMES:
        asked = {method_of(v) for v in vectors() if v.algorithm == name}
        assert asked == set(METHODS) - ({"mdav"} if name == "greatest-belief" else set())
    for name, method in METHODS.items():
        parameters = ", ".join(f"`{p}`" for p in method.parameters)
        assert f"| `{name}` | {parameters} | {method.words} |" in page


@pytest.mark.parametrize("name", NAMES)
def test_knowing_the_method_leaves_no_more_originals_and_no_less_certain(name: str) -> None:
    by_table: dict[str, dict[str, Fraction]] = {}
    for v in vectors():
        if v.algorithm == name:
            by_table.setdefault(str(v.given.to_dict()), {})[v.parameters["level"]] = value_of(v)
    both = [found for found in by_table.values() if len(found) == 2]
    assert any(found["code"] != found["labels"] for found in both)
    for found in both:
        less, more = (
            (found["code"], found["labels"]) if name == "consistent-originals" else (found["labels"], found["code"])
        )
        assert less <= more


@pytest.mark.parametrize("name", NAMES)
def test_the_judge_accepts_the_right_answer_and_says_on_which_side_others_are_wrong(name: str) -> None:
    larger_is_safer = ALGORITHMS[name].larger_is_safer
    asked = [v for v in vectors() if v.algorithm == name]
    for vector in asked:
        right = value_of(vector)
        assert assess(vector, Given({"value": str(right)})).verdict == "right"
        assert assess(vector, Given({"value": float(right)})).verdict == "right"
        for wrong in (right + 100, right - Fraction(1, 3)):
            side = "wrong, unsafe side" if (wrong > right) == larger_is_safer else "wrong, over-strict"
            assert assess(vector, Given({"value": f"{float(wrong):.12f}"})).verdict == side
        for flag, other in vector.flags.items():
            assert isinstance(other, Answer)
            assessment = assess(vector, Given({"value": str(other.value)}))
            assert assessment.verdict != "right"
            assert flag in (assessment.otherwise or assessment).looks_like
        assert assess(vector, Given({"value": str(right), "satisfied": True})).verdict == "wrong"


def test_under_k_anonymity_alone_strict_classes_leave_every_way_to_hand_out_their_values() -> None:
    """Classes that are a function of the quasi-identifiers say nothing of who has which value."""
    rng = Random("k alone")
    for _ in range(4):
        keys = [str(key) for key in rng.sample(range(20), 6)]
        table = released_table(
            keys, [rng.choice("aabc") for _ in keys], "mondrian", {"k": "3", "l": "1"}, "quasi-identifiers"
        )
        assert table is not None
        one, other = (reference_answer("consistent-originals", table, {"level": level}) for level in ("labels", "code"))
        assert one == other == right_answer("consistent-originals", table, {"level": "code"})


@pytest.mark.parametrize("answer", [right_answer, reference_answer])
def test_classes_that_the_method_does_not_make_are_refused(answer) -> None:  # type: ignore[no-untyped-def]
    record = next(v.given.to_dict() for v in vectors() if method_of(v) == "jump")
    record["release"]["classes"] = [str(number) for number in range(1, len(record["rows"]) + 1)]
    with pytest.raises(VectorError, match="not those that its method makes"):
        answer("certain-values", input_from_dict(record), {"level": "code"})
    del record["release"]
    with pytest.raises(VectorError, match="asked of a table with a release"):
        answer("certain-values", input_from_dict(record), {"level": "code"})
