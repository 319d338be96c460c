"""Machanavajjhala et al. 2006, §4.1: with ℓ different values in a class, ℓ − 1 damaging pieces of knowledge leave
one."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given

from proofs_tests.attacks.papers import released
from proofs_tests.strategies import class_counts
from tcloseness.attacks import background_knowledge_attack, damaging_knowledge, homogeneity_attack
from tcloseness.microdata import ClassCounts


@pytest.mark.parametrize(
    ("table", "sensitive", "least", "records"),
    [
        ("machanavajjhala_figure2", "Condition", 0, 4),  # the block of four cancers
        ("machanavajjhala_figure3", "Condition", 2, 12),  # 3-diverse
        ("li_table2", "Disease", 0, 3),
        ("li_table4", "Disease", 2, 9),
        ("li_table5", "Salary", 2, 9),
    ],
)
def test_papers_tables(table, sensitive, least, records):
    found = damaging_knowledge(released(table, sensitive))
    assert found.least == least
    assert found.records == records


@given(class_counts(max_values=5, max_classes=3, huge=False))
def test_that_many_exclusions_suffice_and_fewer_do_not(classes):
    """Against all sets of excluded values: the smallest that leaves one value of a class has `pieces` members."""
    found = damaging_knowledge(classes)
    values = classes.domain.values
    for g in range(len(classes)):
        there = {values[code] for code in classes.row(g)}
        smallest = min(
            size for size in range(len(there)) for gone in combinations(there, size) if len(there - set(gone)) == 1
        )
        assert found.pieces[g] == smallest
    assert found.least == min(found.pieces)
    assert found.worst.tolist() == [g for g, n in enumerate(found.pieces) if n == found.least]
    assert (found.least == 0) == homogeneity_attack(classes).succeeds


def test_to_dict_describes_the_worst_classes():
    classes = ClassCounts.from_mapping({"a": {"x": 2, "y": 1, "z": 1}, "b": {"x": 3, "y": 1}})
    found = damaging_knowledge(classes).to_dict(classes)
    assert (found["pieces"], found["worst_classes"], found["records"]) == (1, 1, 4)
    assert found["worst"][0]["class"] == {"class": "b"}
    assert found["sentence"].startswith("1 value must be excluded beforehand")
    assert background_knowledge_attack(classes, ["x"]).affected.tolist() == [1]
