"""What the search for the nodes of one class says, against what its certificate's checker makes of it."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from proofs_tests.optimal.cases import counts_of
from tcloseness.microdata import Hierarchy
from tcloseness.models import TCloseness
from tcloseness.optimal import optimal_sensitive_generalization
from tcloseness.optimal.answers import Optimal
from tcloseness.optimal.shown_values import EXACT

pytestmark = pytest.mark.solver

TREES = (
    Hierarchy.from_groups([{"low": [0, 1], "high": [2, 3, 4]}]),
    Hierarchy([(0, "0-1", "0-2", "*"), (1, "0-1", "0-2", "*"), (2, "2", "0-2", "*"), (3, "3-4", "3-4", "*"),
               (4, "3-4", "3-4", "*")]),
)  # fmt: skip


def test_the_checker_takes_the_prices_of_every_case_for_a_proof() -> None:
    """Cases that cost more than the best and cases in which nothing is; by one distance and by two."""
    draw, seen = random.Random("prices of cases"), Counter[str]()
    for _ in range(8):
        vector = [draw.choice([0, 0, 1, 2, 3]) for _ in range(4)] + [1]
        model = TCloseness(f"{draw.randint(0, 5)}/10", ground=draw.choice(["equal", "ordered"]))
        if draw.random() < 0.5:
            model = model & TCloseness(f"{draw.randint(0, 5)}/10", ground="equal")
        classes = counts_of([vector], [draw.randint(1, 4) for _ in range(5)])
        found = optimal_sensitive_generalization(
            classes, model, draw.choice(TREES), weight=draw.choice(["ncp", "height"])
        )
        assert isinstance(found, Optimal)
        assert found.proof in (f"{EXACT}, checked", "exact argument, checked")
        seen[found.proof] += 1
    assert seen[f"{EXACT}, checked"] > 2
