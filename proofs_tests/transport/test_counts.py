"""Counts of records in place of masses: the same distance, and a name for everything that is not a count."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from proofs_tests.case_names import shown
from proofs_tests.cli.commands import run
from tcloseness.errors import InputError, MassError
from tcloseness.ground import Equal, Matrix, Ordered
from tcloseness.transport import certify, crossings, emd, moves

F = Fraction


def test_counts_are_masses_over_their_own_totals_in_every_function():
    rng = random.Random(4)
    for _ in range(60):
        m = rng.randint(1, 5)
        p, q = ([rng.randint(0, 9) for _ in range(m)] for _ in range(2))
        if not (sum(p) and sum(q)):
            continue
        left, right = ([F(x, sum(counts)) for x in counts] for counts in (p, q))
        for ground in (Ordered(m), Equal(m), Matrix([[abs(i - j) for j in range(m)] for i in range(m)])):
            assert emd(p, q, ground, counts=True) == emd(left, right, ground)
            solver = "networkx" if ground.cuts is None else "closed-form"
            proof = certify(p, q, ground, counts=True, solver=solver)
            assert proof == certify(left, right, ground, solver=solver)
            assert moves(p, q, ground, counts=True) == moves(left, right, ground)
        assert crossings(p, q, Ordered(m), counts=True) == crossings(left, right, Ordered(m))


@pytest.mark.parametrize(
    "counts",
    [
        np.array([1, 3]),
        pd.Series([1, 3], index=["b", "a"]),
        (1, 3),
        ["1", "3"],
        [10**30, 3 * 10**30],
        [np.int8(1), np.uint64(3)],
        np.array([1, 3], dtype=np.uint8),
        np.array([2**61, 3 * 2**61], dtype=np.uint64),
        np.array([1, 3], dtype=object),
        [1.0, 3.0],
    ],
    ids=shown,
)
def test_counts_may_come_as_any_list_of_whole_numbers(counts):
    for ground in (Equal(2), Matrix([[0, 1], [1, 0]]), Matrix([[0, 1], [2, 0]], allow_non_metric=True)):
        far = 2 if not ground.metric else 1
        assert emd(counts, [1, 1], ground, counts=True) == emd(iter([1, 3]), [1, 1], ground, counts=True) == F(far, 4)
        assert certify(counts, [1, 1], ground, counts=True).value == F(far, 4)


@pytest.mark.parametrize(
    ("p", "q", "options", "error", "message"),
    [
        ([1, 3], [1, 1], {}, MassError, "p sums to 4, which must be exactly 1; .* or counts with counts=True"),
        ([1, 3], [1, 1, 1], {"counts": True}, MassError, "p has 2 values, q 3"),
        ([1, 0, 0], [1, 0, 0], {}, MassError, "p has 3 values, q 3 and the ground distance 2"),
        ([0, 0], [1, 1], {"counts": True}, MassError, "p sums to 0: it counts no record"),
        ([1, 1], [-1, 1], {"counts": True}, MassError, "q.1?0?.* = -1 is negative"),
        ([1, 1], [0.5, 0.5], {"counts": True}, MassError, "is not a whole number"),
        ([1, 1], [1, float("nan")], {"counts": True}, InputError, "is nan"),
        ([1, 1], [1, True], {"counts": True}, InputError, "truth value"),
        ([1, 1], np.array([True, True]), {"counts": True}, InputError, "truth value"),
        (np.ma.array([1, 1], mask=[0, 1]), [1, 1], {"counts": True}, InputError, "masked"),
        ("11", [1, 1], {"counts": True}, MassError, "p is '11'; give a list of counts"),
        ({0: 1, 1: 1}, [1, 1], {"counts": True}, MassError, "give a list of counts"),
        (None, [1, 0], {}, InputError, "p"),
        ([1, 0], {1, 0}, {}, MassError, "give a list of masses"),
        ([], [1, 1], {"counts": True}, MassError, "p is empty"),
        ([1, 1], [1, 1], {"counts": "yes"}, MassError, "counts='yes' must be True or False"),
    ],
)
def test_what_cannot_be_read_is_named(p, q, options, error, message):
    for ground in (Equal(2), Matrix([[0, 1], [1, 0]])):
        for way in (emd, certify):
            with pytest.raises(error, match=message):
                way(p, q, ground, **options)


@pytest.mark.parametrize("labels", ["ab", ["a"], ["a", "b", "c"], ["a", 1], ["a", None], ["a", "\ud800"]], ids=shown)
def test_labels_name_the_values_or_are_left_out(labels):
    with pytest.raises(InputError, match="labels"):
        certify([1, 0], [0, 1], Equal(2), labels=labels)


def test_the_command_line_takes_counts_as_the_library_does():
    ask = ("emd", "--p", "1,3", "--q", "1,1", "--ground", "equal")
    refused = run(*ask)
    assert (refused.code, refused.out) == (2, "")
    assert "or counts together with --counts" in refused.err
    assert run(*ask, "--counts", "--format", "json").record["emd"] == str(emd([1, 3], [1, 1], Equal(2), counts=True))
    assert "is not a whole number" in run("emd", "--p", "1/2,3", "--q", "1,1", "--ground", "equal", "--counts").err
