"""The vectors that come with the package: enough of them, sound, with twins, and made by the generator."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.answers import Answer, same
from tcloseness.conformance.generate import flagged, fresh_vectors, vectors_of
from tcloseness.conformance.inputs import Table
from tcloseness.conformance.lint import lint_file, lint_vectors
from tcloseness.conformance.models import right_answer
from tcloseness.conformance.paper_tables import printed
from tcloseness.conformance.protocol import schema
from tcloseness.conformance.readings import READINGS, readings_of
from tcloseness.conformance.readings.cells import CELLS, NULL_WORDS, SEPARATORS
from tcloseness.conformance.reference import reference_answer
from tcloseness.conformance.vectors import Vector, file_text, load, read_vectors, shipped
from tcloseness.errors import VectorError

PAPERS = Path(__file__).parents[2] / "data" / "papers"


@cache
def vectors() -> list[Vector]:
    return load()


def test_there_are_more_than_a_thousand_with_unique_ids() -> None:
    ids = [v.id for v in vectors()]
    assert len(ids) > 1000
    assert len(set(ids)) == len(ids)
    assert {v.algorithm for v in vectors()} == set(ALGORITHMS)


def test_the_files_are_small_enough_to_ship() -> None:
    assert sum(len(text.encode()) for _, text in shipped()) < 1_700_000


@pytest.mark.parametrize("name", [name for name, _ in shipped()])
def test_a_file_follows_its_schema(name: str) -> None:
    jsonschema.Draft202012Validator(schema("vectors")).validate(json.loads(dict(shipped())[name]))


@pytest.mark.parametrize("name", ["vectors", "protocol", "report"])
def test_a_schema_is_a_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.slow
def test_every_expected_answer_is_what_both_computations_give(algorithm: str) -> None:
    for v in vectors():
        if v.algorithm == algorithm:
            assert same(v.expected, right_answer(algorithm, v.given, v.parameters)), v.id
            assert same(v.expected, reference_answer(algorithm, v.given, v.parameters)), v.id


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_reading_answers_its_own_vectors_as_they_say(algorithm: str) -> None:
    for v in vectors():
        if v.algorithm == algorithm and v.reason in v.flags:
            answer = reference_answer(algorithm, v.given, v.parameters, READINGS[v.reason].steps)
            assert same(answer, v.flags[v.reason]), v.id


@pytest.mark.parametrize("algorithm", ["k-anonymity", "emd", "precision", "minimal-nodes"])
def test_lint_finds_nothing_wrong(algorithm: str) -> None:
    name = f"{algorithm}.json"
    assert lint_file(dict(shipped())[name], name) == []


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_reading_has_a_vector_on_which_it_errs(algorithm: str) -> None:
    caught = Counter(flag for v in vectors() if v.algorithm == algorithm for flag in v.flags)
    for reading in readings_of(algorithm):
        assert caught[reading.name] > 0, reading.name
        made_for_it = [v for v in vectors() if v.algorithm == algorithm and v.reason == reading.name]
        assert any(reading.name in v.flags for v in made_for_it), reading.name


def test_model_vectors_made_for_a_reading_have_twins_of_opposite_verdicts() -> None:
    by_id = {v.id: v for v in vectors()}
    alone = []
    for v in vectors():
        if ALGORITHMS[v.algorithm].kind == "model" and v.reason in READINGS:
            if v.twin is None:
                alone.append(v.id)
                continue
            twin = by_id[v.twin]
            assert isinstance(v.expected, Answer)
            assert isinstance(twin.expected, Answer)
            assert v.expected.satisfied is not twin.expected.satisfied
    assert len(alone) <= 10, alone


def test_counts_beyond_the_limits_of_machine_arithmetic_occur() -> None:
    largest = {n for v in vectors() if isinstance(v.given, Table) and v.given.times for n in v.given.times}
    for limit in (46_341, 2**31, 2**53):
        assert any(n >= limit for n in largest)


def tables() -> list[tuple[Vector, Table]]:
    return [(v, v.given) for v in vectors() if isinstance(v.given, Table)]


def test_a_table_is_small_enough_to_write_out_or_far_too_large() -> None:
    """What the how-to says of `times`."""
    sizes = {sum(table.counts) for _, table in tables()}
    assert {n for n in sizes if n > 1000 and not 92_680 <= n <= 262_146} == {n for n in sizes if n > 4 * 10**9}


def test_a_missing_value_never_needs_a_place() -> None:
    """What the protocol says of `null`: none in an ordered attribute, in one with a hierarchy, or with a matrix."""
    for v, table in tables():
        if v.algorithm.startswith("t-") and v.algorithm != "t-equal":
            assert all(None not in table.column(name) for name in table.sensitive), v.id


def test_an_order_is_of_the_only_sensitive_attribute_and_lists_all_its_values() -> None:
    ordered = [(v, table) for v, table in tables() if table.order is not None]
    assert ordered
    for v, table in ordered:
        assert len(table.sensitive) == 1, v.id
        assert set(table.column(table.sensitive[0])) <= set(table.order or ())
        assert table.type_of(table.sensitive[0]) == "text"


@pytest.mark.parametrize("algorithm", ["k-anonymity", "distinct-l"])
def test_every_separator_word_and_name_is_asked(algorithm: str) -> None:
    """Separators and the words for a missing value in keys for k, the words in values for l."""
    keys = algorithm == "k-anonymity"

    def cells(reason: str, role: str) -> set[str | None]:
        made = [t for v, t in tables() if v.algorithm == algorithm and v.reason == reason]
        return {row[t.columns.index(name)] for t in made for name in getattr(t, role) for row in t.rows}

    assert cells("null-as-text", "quasi_identifiers" if keys else "sensitive") >= {None, *NULL_WORDS}
    if keys:
        assert cells("keys-joined", "quasi_identifiers") >= {f"a{s}b" for s in SEPARATORS}


@pytest.mark.long
def test_fresh_vectors_have_odd_cells_too() -> None:
    wanted = {reading.name for reading in CELLS}
    made = fresh_vectors(1, 60, ["k-anonymity"]), fresh_vectors(1, 60, ["t-ordered"])
    assert wanted - {flag for some in made for v in some for flag in flagged(v).flags} <= {"null-as-empty"}


def test_thresholds_lie_exactly_at_values() -> None:
    exact = [
        v
        for v in vectors()
        if isinstance(v.expected, Answer)
        and ALGORITHMS[v.algorithm].threshold in v.parameters
        and str(v.expected.value) == v.parameters[ALGORITHMS[v.algorithm].threshold or ""]
    ]
    assert len(exact) > 100


@pytest.mark.parametrize("algorithm", ["average-risk", "precision"])
def test_the_generator_makes_the_shipped_files_again(algorithm: str) -> None:
    text = file_text(algorithm, vectors_of(algorithm), made_by="tcloseness conform generate")
    assert text == dict(shipped())[f"{algorithm}.json"]


def test_a_seed_makes_the_same_fresh_vectors_and_another_seed_others() -> None:
    def made(seed: int) -> list[dict[str, object]]:
        return [v.to_dict() for v in fresh_vectors(seed, 6, ["k-anonymity", "t-equal"])]

    assert made(1) == made(1) != made(2)
    assert len(made(1)) == 6


def test_a_file_is_read_back_as_it_was_written() -> None:
    some = [v for v in vectors() if v.algorithm == "entropy-l"]
    assert read_vectors(file_text("entropy-l", some, made_by="a test"), "it") == some


def test_lint_names_what_is_wrong() -> None:
    one = next(v for v in vectors() if v.reason == "half-of-values-present" and v.flags)
    assert isinstance(one.expected, Answer)
    opposite = replace(one.expected, satisfied=not one.expected.satisfied)
    some = next(iter(one.flags))
    faults = {
        "expected": replace(one, twin=None, expected=opposite),
        "is missing": replace(one, twin=None, flags={k: a for k, a in one.flags.items() if k != some}),
        "that reading answers right": replace(one, twin=None, flags={**one.flags, "keys-as-text": one.expected}),
        "the result is": replace(one, twin=None, result="acceptable"),
        "is not in the file": one,
        "is neither a reading": replace(one, twin=None, id="t-equal/nothing/1"),
        "not one line": replace(one, twin=None, comment=""),
    }
    for words, vector in faults.items():
        assert any(words in fault for fault in lint_vectors([vector])), words


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "else"}'])
def test_what_is_no_file_of_vectors_is_refused(text: str) -> None:
    with pytest.raises(VectorError):
        read_vectors(text, "it")


def test_the_papers_tables_are_those_of_the_data_folder() -> None:
    for record in printed():
        with open(PAPERS / f"{record['name']}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert rows == [record["columns"], *record["rows"]]


def test_a_reading_says_what_it_probes_and_why() -> None:
    for reading in READINGS.values():
        assert reading.probes
        assert reading.why
        assert reading.reference
        assert "\n" not in reading.probes + reading.why


def test_labels_are_probed_where_they_are_no_positions_and_where_they_are_those_of_other_rows() -> None:
    """The first end in an error; the second in a number, which can declare an unsafe table safe."""
    reading = READINGS["labels-as-positions"]
    for algorithm in reading.algorithms:
        found = [v for v in vectors() if v.id.startswith(f"{algorithm}/{reading.name}/")]
        own = [sorted(v.given.index) == list(range(len(v.given.rows))) for v in found]
        assert set(own) == {False, True}, algorithm
        assert {isinstance(v.flags.get(reading.name), Answer) for v, mine in zip(found, own, strict=True) if mine} >= {
            True
        }
