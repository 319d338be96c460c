"""Certificates of microaggregation: labels prove that no groups have less, and no labels prove what is not so."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

from proofs_tests.certificates.changes import changed
from proofs_tests.optimal.partitions import set_partitions
from tcloseness.certificates import Nodes, microaggregation, verify
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.microaggregation import check_microaggregation, require_path
from tcloseness.errors import CertificateError, CertificateFormatError, InputError, NotCertified
from tcloseness.exact import number_text
from tcloseness.microdata import FrequencySet, Microdata
from tcloseness.models.certified import CertifiedTable, counts_text
from tcloseness.optimal import Infeasible, Optimal, optimal_microaggregation
from tcloseness.release.univariate import shortest_path
from tcloseness.strict_records import Work, cells, common_bits


def table_of(values: list[Any]) -> Microdata:
    frame = pd.DataFrame({"x": values, "s": ["ab"[i % 2] for i in range(len(values))]})
    return Microdata.from_frame(frame, quasi_identifiers=["x"], sensitive="s")


def drawn(draw: random.Random) -> list[Fraction]:
    """A few numbers, with ties and fractions."""
    of = draw.choice([range(4), range(-9, 10), [Fraction(n, d) for n in range(9) for d in (1, 2, 3, 7)]])
    return [Fraction(draw.choice(of)) for _ in range(draw.randint(1, 7))]


def errors(values: list[Fraction], groups: list[list[int]]) -> Fraction:
    total = Fraction(0)
    for group in groups:
        mean = sum((values[i] for i in group), Fraction(0)) / len(group)
        total += sum((values[i] - mean) ** 2 for i in group)
    return total


def least(values: list[Fraction], k: int) -> Fraction:
    """By trying all partitions, not only those into intervals."""
    return min(errors(values, way) for way in set_partitions(len(values)) if min(map(len, way)) >= k)


def nearly(draw: random.Random, proof: Mapping[str, Any]) -> dict[str, Any]:
    """A proof with labels that are nearly right, the last of which is its value."""
    labels = [Fraction(label) + draw.choice([0, 0, Fraction(1, 6), -1]) for label in proof["labels"]]
    return {**proof, "labels": list(map(number_text, labels)), "value": number_text(labels[-1])}


def counted(table: Microdata) -> bytes:
    return counts_text(FrequencySet.of(table), "s").encode()


@pytest.mark.parametrize("cases", [40, pytest.param(600, marks=pytest.mark.slow)])
def test_every_optimum_is_proved_and_checked_from_the_counts(cases: int) -> None:
    draw, none = random.Random(50), 0
    for _ in range(cases):
        values, k = drawn(draw), draw.randint(1, 4)
        table = table_of(values)
        answer = optimal_microaggregation(table, k)
        envelope = answer.certificate()
        found = verify(envelope.to_json(), counted(table), {}).found
        if isinstance(answer, Infeasible):
            none += 1
            assert len(values) < k
            continue
        assert answer.proof.endswith(", checked")
        assert answer.objective == least(values, k)
        assert found.endswith(f"is {answer.objective}, the least")
    assert none


@pytest.mark.parametrize("cases", [25, pytest.param(600, marks=pytest.mark.slow)])
def test_no_changed_proof_is_accepted_that_says_what_is_not_so(cases: int) -> None:
    draw, kept, tried = random.Random(51), 0, 0
    for _ in range(cases):
        values, k = drawn(draw), draw.randint(1, 3)
        if len(values) < k:
            continue
        table = table_of(values)
        envelope = optimal_microaggregation(table, k).certificate()
        known = CertifiedTable.of(FrequencySet.of(table), "s")
        nodes = Nodes(known.counts, known.levels, envelope.proof["values"])
        conditions = Conditions(envelope.model, envelope.proof["values"], nodes.reference.tolist())
        given = json.loads(json.dumps(dict(envelope.proof)))
        truth, ordered = least(values, k), sorted(values)
        for _ in range(30):
            proof = changed(draw, given)
            if draw.random() < 0.4:
                proof = nearly(draw, given)
            if proof == given or proof.get("values") != given["values"]:
                continue
            tried += 1
            try:
                check_microaggregation(nodes, conditions, proof)
            except (CertificateError, InputError):
                continue
            kept += 1
            ends = [sum(proof["groups"][:i]) for i in range(len(proof["groups"]) + 1)]
            groups = [list(range(a, b)) for a, b in zip(ends, ends[1:], strict=False)]
            assert min(map(len, groups)) >= k
            assert Fraction(proof["value"]) == truth == errors(ordered, groups), (values, k, proof)
    assert kept
    assert tried > 10 * cases


@pytest.mark.parametrize(
    ("numbers", "sizes", "value", "labels", "said"),
    [
        ((1, 2, 8, 9), [2, 2], 1, [1, 0, 1], "first 2 numbers is too great for a group behind 0"),
        ((1, 2, 8, 9), [2, 2], 1, ["2/3", 0, 1], "first 2 numbers is too great"),
        ((1, 2, 8, 9), [4], 1, ["1/2", 0, 1], "not of 2 to 3"),
        ((1, 2, 8, 9), [1, 3], 1, ["1/2", 0, 1], "not of 2 to 3"),
        ((1, 2, 8, 9), [2, 2], 2, ["1/2", 0, 2], "another sum"),
        ((1, 2, 8, 9), [2, 2, 2], 1, ["1/2", 0, 1], "not of all 4"),
        ((1, 2, 8, 9), [], 1, ["1/2", 0, 1], "not of all 4"),
        ((1, 2, 8, 9), [2, 2], 1, ["1/2", 0, "1/2"], "last label"),
        ((1, 2, 8, 9), [2, 2], 1, ["1/2", "1/7", 1], "not a sum"),
        ((1, 2, 8, 9), [2, 2], 1, ["1/4", 0, 1], "not a sum"),  # of 2 or 3 records: of halves and thirds
        (
            (1, 2, 3, 8, 9),
            [2, 3],
            "127/6",
            ["1/2", 2, 13, "127/6"],
            "is too great for a group behind 3",
        ),
        ((1, 8, 9, 9, 9), [3, 2], 38, ["49/2", 38, "49/2", 38], "is too great for a group behind 2"),
    ],
)
def test_labels_that_are_too_great_prove_nothing(numbers: Any, sizes: Any, value: Any, labels: Any, said: str) -> None:
    given = [Fraction(x) for x in numbers]
    with pytest.raises(CertificateError, match=said):
        require_path(given, 2, sizes, Fraction(value), [Fraction(x) for x in labels], Work(None))
    found, right = shortest_path(given, 2)
    require_path(given, 2, list(map(len, found)), right[-1], right, Work(None))


@pytest.mark.parametrize(
    ("numbers", "k", "labels"), [([-2, -1, 0], 2, ["1/2", 2]), ([-9, -4, -2, 0, 0], 3, [26, "179/4", 56])], ids=str
)
def test_no_group_has_fewer_records_than_are_asked_for(numbers: list[int], k: int, labels: list[Any]) -> None:
    """The last k − 1 numbers are 0: as a group they would lose nothing."""
    right = [Fraction(label) for label in labels]
    require_path([Fraction(x) for x in numbers], k, [len(numbers)], right[-1], right, Work(None))


def test_the_work_is_added_up_before_it_is_done() -> None:
    numbers, work = [Fraction(x, 3) for x in range(50)], Work(10**6)
    found, labels = shortest_path(numbers, 4)
    require_path(numbers, 4, list(map(len, found)), labels[-1], labels, work)
    assert 10**6 - work.left == 4 * 4 + 4 * 50 * 4 * 2  # fewer than 62 binary digits
    for units in (15, 1600):
        with pytest.raises(InputError, match="too long"):
            require_path(numbers, 4, list(map(len, found)), labels[-1], labels, Work(units))
    long = [Fraction(x**30) for x in range(50)]
    found, labels = shortest_path(long, 4)
    work = Work(10**9)
    require_path(long, 4, list(map(len, found)), labels[-1], labels, work)
    scale = 4 * 5 * 6 * 7 // 2  # of numbers that are whole: the least that all sizes divide
    bits = max(common_bits(labels, ""), 2 * (common_bits(long, "") + (50).bit_length())) + scale.bit_length()
    assert 10**9 - work.left == 4 * 4 + 4 * 50 * 4 * cells(bits)
    alike, work = [Fraction(2**4000)] * 50, Work(10**9)  # long numbers, and no errors
    require_path(alike, 4, [4] * 11 + [6], Fraction(0), [Fraction(0)] * 47, work)
    assert 10**9 - work.left == 4 * 4 + 4 * 50 * 4 * cells(2 * (4002 + 6) + scale.bit_length())


def test_more_numbers_than_are_checked_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of([1, 2, 8, 9])
    envelope = optimal_microaggregation(table, 2).certificate()
    for most, read in ((4, True), (3, False)):
        monkeypatch.setattr(microaggregation, "_MOST_RECORDS", most)
        if read:
            verify(envelope.to_json(), counted(table), {})
        else:
            with pytest.raises(CertificateFormatError, match="at most 3 are"):
                verify(envelope.to_json(), counted(table), {})


def test_numbers_too_long_for_a_checker_are_grouped_and_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one denominator, 60 = 2·2·3·5, four numbers below 256 of 14 binary digits."""
    table = table_of([Fraction(1, 4), Fraction(1, 3), Fraction(1, 5), 200])
    for most, read in ((4 * 14, True), (4 * 14 - 1, False)):
        monkeypatch.setattr(microaggregation, "_MOST_BITS", most)
        answer = optimal_microaggregation(table, 2)
        assert isinstance(answer, Optimal)
        assert answer.proof.endswith(", checked") is read
        if not read:
            with pytest.raises(NotCertified, match="4 numbers of 14 binary digits are not checked"):
                answer.certificate()


def test_other_models_and_more_columns_are_not_of_the_form() -> None:
    table = table_of([1, 2, 8, 9])
    envelope = optimal_microaggregation(table, 2).certificate()
    known = CertifiedTable.of(FrequencySet.of(table), "s")
    nodes = Nodes(known.counts, known.levels, envelope.proof["values"])
    for model in ([{"condition": "values", "least": 1}], [{"condition": "records", "least": 2}] * 2):
        with pytest.raises(InputError, match="number of records alone"):
            check_microaggregation(
                nodes, Conditions(model, list(nodes.values), nodes.reference.tolist()), dict(envelope.proof)
            )
    two = pd.DataFrame({"x": [1, 2, 8, 9], "y": [1, 1, 1, 1], "s": list("abab")})
    wider = CertifiedTable.of(FrequencySet.from_frame(two, quasi_identifiers=["x", "y"], sensitive="s"), "s")
    conditions = Conditions(envelope.model, list(nodes.values), nodes.reference.tolist())
    with pytest.raises(InputError, match="of one column"):
        check_microaggregation(wider.nodes, conditions, dict(envelope.proof))


def test_what_names_no_table_is_not_certified() -> None:
    with pytest.raises(NotCertified, match="list of numbers"):
        optimal_microaggregation([1, 2, 3], 1).certificate()
    frame = pd.DataFrame({"x": [1, 2, 2], "s": list("aba"), "u": list("bba")})
    two = Microdata.from_frame(frame, quasi_identifiers=["x"], sensitive=["s", "u"])
    with pytest.raises(NotCertified, match="one sensitive attribute"):
        optimal_microaggregation(two, 1).certificate()


@pytest.mark.slow
def test_a_thousand_numbers_are_proved() -> None:
    draw = random.Random(52)
    table = table_of([draw.randint(0, 10**6) for _ in range(1000)])
    for k in (3, 30):
        answer = optimal_microaggregation(table, k)
        assert isinstance(answer, Optimal)
        assert verify(answer.certificate().to_json(), counted(table), {}).found.endswith("the least")
