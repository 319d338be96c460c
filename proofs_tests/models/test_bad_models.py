"""What the models refuse: thresholds out of range, values that nobody meant, choices that do not exist."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tcloseness.errors import DomainError, InputError, TClosenessError
from tcloseness.measures import Variational
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    EnhancedBetaLikeness,
    ExpEpsilonCloseness,
    FrequencyLDiversity,
    NegativeDisclosure,
    NegativePositiveRecursive,
    NTCloseness,
    PositiveDisclosureRecursive,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
)

CLASSES = ClassCounts.from_mapping({"a": {"flu": 1, "cold": 2}})
DECLARED = ClassCounts.from_mapping({"a": {"flu": 1}}, domain=Domain.declare(["flu", "cold"]))

BAD = [
    ("alpha 0", lambda: AlphaKAnonymity(0), InputError, "alpha = 0; it must be > 0"),
    ("alpha above 1", lambda: AlphaKAnonymity("1.01"), InputError, "alpha = 101/100; it must be ≤ 1"),
    ("alpha NaN", lambda: AlphaKAnonymity(math.nan), InputError, "must be finite"),
    ("alpha and k fractional", lambda: AlphaKAnonymity(1, "5/2"), InputError, "k = 5/2; it must be a whole number"),
    (
        "values as text",
        lambda: AlphaKAnonymity(1, values="flu"),
        InputError,
        "values is 'flu'; it must be a collection",
    ),
    ("values as a number", lambda: AlphaKAnonymity(1, values=3), InputError, "values is 3"),
    ("values of lists", lambda: AlphaKAnonymity(1, values=[["flu"]]), InputError, "not a value of a cell"),
    (
        "a value that looks like another",
        lambda: AlphaKAnonymity(1, values=["Flu "]).evaluate(CLASSES),
        DomainError,
        "there is 'flu', which looks the same and is another value",
    ),
    (
        "a value outside a declared domain",
        lambda: AlphaKAnonymity(1, values=["angina"]).evaluate(DECLARED),
        DomainError,
        "'angina' is not in the domain",
    ),
    ("frequency l below 1", lambda: FrequencyLDiversity("1/2"), InputError, "l = 1/2; it must be ≥ 1"),
    ("p 0", lambda: PSensitiveKAnonymity(0, 2), InputError, "p = 0; it must be a whole number ≥ 1"),
    ("k text", lambda: PSensitiveKAnonymity(2, "two"), InputError, "k is 'two', which is not a number"),
    ("no l, where there is no default", lambda: RecursiveCLDiversity(None, c=1), InputError, "l is None"),
    ("no n", lambda: NTCloseness(None, ground="equal"), InputError, "n is None"),
    ("pd l 0", lambda: PositiveDisclosureRecursive(0), InputError, "l = 0"),
    ("pd c 0", lambda: PositiveDisclosureRecursive(2, 0), InputError, "c = 0; it must be > 0"),
    ("allowed as text", lambda: PositiveDisclosureRecursive(2, allowed="flu"), InputError, "allowed is 'flu'"),
    (
        "no such convention",
        lambda: PositiveDisclosureRecursive(2, no_value_at_risk="fine"),
        InputError,
        "no_value_at_risk='fine' is unknown",
    ),
    (
        "an allowed value of another type",
        lambda: PositiveDisclosureRecursive(2, allowed=["1"]).evaluate(ClassCounts.from_mapping({"a": {1: 2}})),
        DomainError,
        "there is 1, which looks the same",
    ),
    ("c2 of 100 percent", lambda: NegativeDisclosure(100, ["flu"]), InputError, "c2 = 100; it must be < 100"),
    ("c2 of 1 as a fraction", lambda: NegativeDisclosure(1, ["flu"], "fraction"), InputError, "c2 = 1; it must be < 1"),
    ("c2 negative", lambda: NegativeDisclosure(-1, ["flu"]), InputError, "c2 = -1; it must be ≥ 0"),
    ("an unknown unit", lambda: NegativeDisclosure(1, ["flu"], "permille"), InputError, "unit='permille' is unknown"),
    ("nothing protected", lambda: NegativeDisclosure(1), InputError, "protected is empty"),
    ("npd with nothing protected", lambda: NegativePositiveRecursive(2, 1, 1), InputError, "protected is empty"),
    (
        "npd c1 0",
        lambda: NegativePositiveRecursive(2, 0, 1, protected=["flu"]),
        InputError,
        "c1 = 0; it must be > 0",
    ),
    ("delta 0", lambda: DeltaDisclosure(0), InputError, "delta = 0; it must be > 0"),
    ("base 10", lambda: DeltaDisclosure(1, base=10), InputError, "base=10 is unknown; it is 2 or 'e'"),
    ("absent", lambda: DeltaDisclosure(1, absent="zero"), InputError, "absent='zero' is unknown"),
    ("beta negative", lambda: BasicBetaLikeness(-1), InputError, "beta = -1; it must be ≥ 0"),
    ("enhanced beta truth value", lambda: EnhancedBetaLikeness(True), InputError, "beta is True, a truth value"),
    ("epsilon negative", lambda: ExpEpsilonCloseness(-0.1), InputError, "epsilon = -1/10; it must be ≥ 0"),
    ("epsilon infinite", lambda: ExpEpsilonCloseness(math.inf), InputError, "epsilon is inf; it must be finite"),
    ("ratio below 1", lambda: ExpEpsilonCloseness(ratio="0.9"), InputError, "ratio = 9/10; it must be ≥ 1"),
    ("epsilon and ratio", lambda: ExpEpsilonCloseness(1, ratio=2), InputError, "both given"),
    ("n 0", lambda: NTCloseness(0, ground="equal"), InputError, "n = 0"),
    ("n,t negative", lambda: NTCloseness(5, -1, ground="equal"), InputError, "t = -1; it must be ≥ 0"),
    ("n,t without a distance", lambda: NTCloseness(5, "1/5"), InputError, "needs a ground distance, or a measure"),
    (
        "n,t with both",
        lambda: NTCloseness(5, ground="equal", measure=Variational()),
        InputError,
        "and not both",
    ),
    (
        "a partition as text",
        lambda: NTCloseness(5, ground="equal", supersets=["ab"]),
        InputError,
        "one label for every",
    ),
    ("a partition as a number", lambda: NTCloseness(5, ground="equal", supersets=[3]), InputError, "partition.* is 3"),
]


@pytest.mark.parametrize(("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_models_are_refused_with_a_named_error(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, TClosenessError)


@pytest.mark.parametrize(
    "values", [["cold", "flu"], {"flu", "cold"}, ("flu", "cold", "flu"), np.array(["flu", "cold"])]
)
def test_declared_values_are_read_from_any_collection_in_one_order(values):
    assert PositiveDisclosureRecursive(2, allowed=values).allowed == ("cold", "flu")
