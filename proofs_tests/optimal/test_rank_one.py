"""Rank-1 cuts: no partition shares one too often, and those that are found are violated."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from proofs_tests.optimal.clocks import Ends
from proofs_tests.optimal.partitions import set_partitions
from tcloseness.errors import TimeLimitReached
from tcloseness.limits import Clock
from tcloseness.optimal import rank_one
from tcloseness.optimal.rank_one import ALL, TRIPLES, Cuts, violated


def test_no_partition_shares_a_cut_too_often() -> None:
    draw = random.Random("shared")
    for _ in range(30):
        kind_of = sorted(draw.randint(0, 3) for _ in range(draw.randint(1, 6)))
        kinds = max(kind_of) + 1
        counts = np.bincount(kind_of, minlength=kinds)
        weights = np.array([[draw.randint(0, 3) for _ in range(kinds)] for _ in range(5)])
        cuts = Cuts(weights, np.array([draw.randint(2, 5) for _ in range(5)]))
        for partition in set_partitions(len(kind_of)):
            held = [Counter(kind_of[i] for i in group) for group in partition]
            groups = np.array([[one[kind] for kind in range(kinds)] for one in held])
            assert (cuts.shared(groups).sum(axis=0) <= cuts.most(counts)).all()


def test_what_is_found_is_violated_is_new_and_has_weights_that_are_tried() -> None:
    """Three pairs of three records, each taken by half: by the triple's cut at most one may be."""
    groups = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]])
    taken, counts = np.array([0.5, 0.5, 0.5, 1.0]), np.ones(4, dtype=np.int64)
    found = violated(groups, taken, counts, Cuts.none(4), TRIPLES, Clock())
    assert sorted([0, float(taken @ found.shared(groups)[:, 0]) - int(found.most(counts)[0])]) == [0, 0.5]
    assert (found.weights.tolist(), found.divisors.tolist()) == ([[1, 1, 1, 0]], [2])
    assert not len(violated(groups, taken, counts, found, TRIPLES, Clock()))
    assert not len(violated(groups, np.array([1.0, 0, 0, 1.0]), counts, Cuts.none(4), ALL, Clock()))


def test_of_fractional_classes_at_random_all_that_is_found_is_violated() -> None:
    draw, seen = random.Random("found"), 0
    for _ in range(40):
        kinds = draw.randint(4, 8)
        counts = np.array([draw.choice([1, 1, 1, 2]) for _ in range(kinds)])
        groups = np.array([[draw.randint(0, min(1, int(n))) for n in counts] for _ in range(12)])
        taken = np.array([draw.choice([0, 0.25, 0.5, 0.5, 1]) for _ in range(12)])
        known = Cuts.none(kinds)
        for _ in range(3):
            found = violated(groups, taken, counts, known, ALL, Clock())
            over = taken @ found.shared(groups) - found.most(counts)
            assert (over > 0.009).all()
            assert (np.diff(over) <= 1e-9).all()
            for row, divisor in zip(found.weights.tolist(), found.divisors.tolist(), strict=True):
                assert (tuple(sorted((w for w in row if w), reverse=True)), divisor) in ALL
            known = known.and_(found)
            rows = [(*row, d) for row, d in zip(known.weights.tolist(), known.divisors.tolist(), strict=True)]
            assert len(set(rows)) == len(rows)
            seen += len(found)
    assert seen > 20


def test_cuts_are_looked_for_in_parts_between_which_a_limit_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts change nothing in what is found, and each holds as many tries as one look at the clock allows."""
    draw = random.Random("parts")
    groups = np.array([[draw.choice([0, 0, 1]) for _ in range(9)] for _ in range(20)])
    groups = np.concatenate([groups, np.eye(9, dtype=np.int64)])  # every record is in a class that is taken by half
    taken, counts = np.full(29, 0.5), np.ones(9, dtype=np.int64)
    whole = violated(groups, taken, counts, Cuts.none(9), ALL, Ends(len(ALL)))
    assert len(whole) > 3
    tries = len(ALL) * 3 * 9
    for work, looks in ((1, tries), (2 * 3 * 9 * 29, tries - 3 * 9 // 2)):
        monkeypatch.setattr(rank_one, "_WORK", work)
        found = violated(groups, taken, counts, Cuts.none(9), ALL, Ends(looks))
        assert (found.weights.tolist(), found.divisors.tolist()) == (whole.weights.tolist(), whole.divisors.tolist())
        with pytest.raises(TimeLimitReached, match="cuts"):
            violated(groups, taken, counts, Cuts.none(9), ALL, Ends(looks - 1 if work == 1 else 20))
