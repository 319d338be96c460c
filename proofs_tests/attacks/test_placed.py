"""Whoever knows everybody's quasi-identifiers is right about the class of each record that is placed."""

from __future__ import annotations

import random
import sys

import pandas as pd
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from tcloseness import Table
from tcloseness.attacks import complementary_release_attack
from tcloseness.attacks.placed import placed


def drawn(draw: random.Random):
    n = draw.randint(4, 14)
    rows = [(draw.randint(0, 9), draw.randint(0, 3), draw.choice("abc")) for _ in range(n)]
    return pd.DataFrame(rows, columns=["age", "zip", "ill"])


def of_file(table, found, *, drop=0):
    """The release as its rows in another order; of which row is which record nothing is said."""
    shown = found.frame().sample(frac=1, random_state=3).reset_index(drop=True)
    return table.read_release(shown.iloc[drop:].reset_index(drop=True))


@given(st.integers(0, 10**6), st.sampled_from(["mondrian", "mdav", "mondrian-relaxed"]), st.integers(0, 2))
@effort(0.3)
def test_a_record_that_is_placed_is_in_that_class(number, method, drop):
    frame = drawn(random.Random(number))
    table = Table(frame, quasi_identifiers=["age", "zip"], sensitive="ill")
    found = table.anonymize(method, k=2, seed=1)
    shown = found.release.table
    members = placed(of_file(table, found, drop=drop)).members
    for row, label in members.items():
        assert label == (shown["age"][row], shown["zip"][row])
    if method == "mondrian" and not drop:  # regions of strict cuts do not overlap, and each record fits its own
        overlapping = {row for row in range(len(frame)) if row not in members}
        for row in overlapping:
            fits = [label for label in set(zip(shown["age"], shown["zip"], strict=True)) if fit(frame, row, label)]
            assert len(fits) > 1


def fit(frame, row, label):
    def inside(value, text):
        low, _, high = text.partition("-")
        return int(low) <= value <= int(high or low)

    return inside(frame["age"][row], label[0]) and inside(frame["zip"][row], label[1])


def test_records_are_placed_alike_in_however_many_parts(monkeypatch):
    draw, placed_records = random.Random("parts"), 0
    for _ in range(6):
        table = Table(drawn(draw), quasi_identifiers=["age", "zip"], sensitive="ill")
        release = of_file(table, table.anonymize("mondrian-relaxed", k=2, seed=1))
        whole = placed(release).members
        with monkeypatch.context() as patch:
            for size in (1, 7):
                patch.setattr(sys.modules[placed.__module__], "_AT_ONCE", size)
                assert placed(release).members == whole
        placed_records += len(whole)
    assert placed_records > 6


@given(st.integers(0, 10**6))
@effort(0.2)
def test_what_two_files_reveal_is_true(number):
    draw = random.Random(number)
    frame = drawn(draw)
    linked = []
    for names in (["age", "zip"], ["age"]):
        table = Table(frame, quasi_identifiers=names, sensitive="ill")
        linked.append(placed(of_file(table, table.anonymize("mondrian", k=2, seed=1))))
    if not set(linked[0].members) & set(linked[1].members):
        return
    found = complementary_release_attack(linked)
    for person in found.revealed:
        assert person.values == (frame["ill"][person.person],)
    told = found.disclosure
    assert [fact.values for fact in told.facts if fact.status == "certain"] == [fact.values for fact in told.facts]
    assert told.counts["persons"] == found.persons
    assert " ".join(told.sentences) == found.advice
