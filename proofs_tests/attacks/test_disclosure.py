"""The result that all levels of knowledge have in common."""

from __future__ import annotations

import json

from hypothesis import given, strategies as st

from proofs_tests.every_result import disclosed
from tcloseness.attacks import Disclosure, Fact, StatusCounts

FACTS = [
    Fact("certain", "Ann", "disease", ("flu",), 1, {"rule": "counted", "worlds": 3}, "Ann has flu."),
    Fact("possible", "Bob", "disease", ("flu", "cold"), 1, {"witnesses": [[1, 0], [0, 1]]}, "Bob has flu or cold."),
]


def made(**changed):
    told = {
        "level": "code",
        "known": {"quasi-identifiers": "all"},
        "counts": {"persons": StatusCounts(1, 1, 2), "cells": StatusCounts(0, 4)},
        "facts": FACTS,
        "sentences": ("One.", "Two."),
        "citation": "",
    }
    return Disclosure(**{**told, **changed})


@given(st.lists(st.integers(0, 99), min_size=3, max_size=3))
def test_the_statuses_are_of_all_there_are(numbers):
    counts = StatusCounts(*numbers)
    assert counts.total == sum(numbers) == counts.to_dict()["total"]
    assert made(counts={"persons": counts}).succeeds == (numbers[0] > 0)


def test_a_certificate_has_every_fact_and_a_dictionary_the_first_ones():
    found = made()
    certificate = json.loads(json.dumps(found.certificate()))
    assert [fact["subject"] for fact in certificate["facts"]] == ["Ann", "Bob"]
    assert certificate["facts"][1]["proof"] == {"witnesses": [[1, 0], [0, 1]]}
    short = found.to_dict(facts=1)
    assert (len(short["facts"]), short["number_of_facts"]) == (1, 2)


def test_who_and_what_is_withheld_where_a_result_shows_itself():
    shown, page = repr(made()), made()._repr_html_()
    assert "1 of 4 persons" in shown
    assert all(word not in shown + page for word in ("Ann", "Bob", "flu", "cold"))
    assert made().to_frame()["subject"].tolist() == ["Ann", "Bob"]
    assert made().explain() == "One. Two."


def test_the_example_is_a_table_with_facts():
    assert len(disclosed().facts)
