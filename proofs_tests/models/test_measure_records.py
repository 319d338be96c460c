"""What a model measures is what the checkers measure: the same values, on random classes."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.measures import Measure
from tcloseness.ground import Matrix
from tcloseness.measures import EMD, JensenShannon, Variational
from tcloseness.microdata import ClassCounts, Domain, Hierarchy
from tcloseness.microdata.canonical import canonical_value
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    ExpEpsilonCloseness,
    FrequencyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)

TREE = Hierarchy([("x", "xy", "*"), ("y", "xy", "*"), ("z", "z", "*"), ("w", "z", "*")], name="s")
MODELS: dict[str, Any] = {
    "records": KAnonymity(),
    "values": DistinctLDiversity(),
    "tail": RecursiveCLDiversity(3),
    "commonest": FrequencyLDiversity(),
    "share": AlphaKAnonymity(),
    "share of two": AlphaKAnonymity(values=["x", "z"]),
    "gain": BasicBetaLikeness(),
    "ratio": DeltaDisclosure(),
    "ratio, absent skipped": DeltaDisclosure(absent="skipped"),
    "ratio of epsilon": ExpEpsilonCloseness(),
    "distance, equal": TCloseness(ground="equal"),
    "distance, ordered": TCloseness(ground="ordered"),
    "distance, hierarchical": TCloseness(ground=TREE),
    "distance, variational": TCloseness(measure=Variational()),
    "distance, as a measure": TCloseness(measure=EMD("ordered")),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_worst_value_is_that_of_the_model(name: str) -> None:
    model, rng, domain = MODELS[name], random.Random(name), Domain.declare(list("xyzw"))
    record = model.measure_record(domain)
    assert record["measure"] == name.split(",")[0].split(" ")[0]
    for _ in range(60):
        counts = np.array([[rng.choice([0, 1, 1, 2, 3, 5, 40]) for _ in range(4)] for _ in range(rng.randint(1, 6))])
        counts = counts[counts.any(axis=1)]
        if not len(counts):
            continue
        classes = ClassCounts.from_matrix(counts.T, domain=domain)
        conditions = Conditions([], [canonical_value(v) for v in domain.values], classes.reference.tolist())
        above, below = Measure(record, conditions).worst([counts])
        value = model.evaluate(classes).value
        if record["measure"] == "ratio":
            value = math.exp(float(value) * (math.log(2) if "epsilon" not in name else 1))
            assert value == pytest.approx(above / below if below else math.inf)
        else:
            assert value == (Fraction(above, below) if below else math.inf)


def test_what_no_checker_measures_has_no_record() -> None:
    domain = Domain.declare(list("xyzw"))
    matrix = Matrix([[int(i != j) for j in range(4)] for i in range(4)])
    for model in (TCloseness(ground=matrix), TCloseness(measure=JensenShannon())):
        assert model.measure_record(domain) is None
    assert not hasattr(EnhancedBetaLikeness(), "measure_record")
    assert EntropyLDiversity().measure_record(domain) == {"measure": "entropy"}
