"""Numbers, seeds, limits, names and paths of a wrong type or outside their range: refused by name in every public call.

The parameters are found in the signatures, by their annotations; what else a call needs is taken from a small table.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tcloseness as tc
from proofs_tests.microdata.test_border import public_calls
from tcloseness.anonymize import anatomy, closeness_first, sabre, swapping
from tcloseness.attacks import homogeneity_attack
from tcloseness.errors import TClosenessError
from tcloseness.exact import shown_value
from tcloseness.models import DistinctLDiversity
from tcloseness.optimal import optimal_cut, optimal_partition

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    FRAME = pd.DataFrame({"q": [1, 1, 2, 2, 3, 3], "s": list("xyxyxz")})
    TABLE = tc.Microdata.from_frame(FRAME, quasi_identifiers="q", sensitive="s")
COUNTED = tc.FrequencySet.of(TABLE)
CLASSES = COUNTED.class_counts()
UP = {"q": tc.Hierarchy([(1, "a", "*"), (2, "a", "*"), (3, "b", "*")], name="q")}
ROLLED = tc.RollUp(COUNTED, UP)
DOOR = tc.Table(FRAME, quasi_identifiers="q", sensitive="s", ground="equal", hierarchies=UP)
K, T = tc.KAnonymity(2), tc.TCloseness("1/2", ground="equal")

NEVER: tuple[Any, ...] = (True, "five", "", "20%", b"5", [5], {}, pd.NA, pd.NaT, math.nan, math.inf, 1j, object())
NEVER += (np.array(5), np.array([5, 6]), np.array("x"), Decimal("NaN"), Decimal("sNaN"), -1, -(10**30))
"""No seed, no limit, no number of things and no threshold."""

SELVES = {"Table": DOOR, "ClassCounts": CLASSES, "FrequencySet": COUNTED, "Microdata": TABLE, "Hierarchy": UP["q"]}
GIVEN: dict[str, Any] = {
    "Microdata | FullTable": TABLE,
    "FrequencySet | FullTable": COUNTED,
    "ClassCounts | FullTable": CLASSES,
    "RollUp | FullTable": ROLLED,
    "PrivacyModel": K,
    "Loss": tc.loss.Discernibility(),
    "Mapping[str, Hierarchy]": UP,
    "Sequence[Any]": [K],
    "Hashable": 1,
}
MODEL_OF = {anatomy: DistinctLDiversity(2), closeness_first: T, sabre: T, swapping: T}
MORE = {optimal_cut: {"hierarchies": UP}, optimal_partition: {"hierarchies": UP}}
NUMBERS = ("TimeLimit", "Exact[int | None]", "Exact[Fraction | None]", "Number", "Number | None")
AT_FIT = {
    tc.Anonymizer: lambda **given: tc.Anonymizer(**{"k": 2, "ground": "equal", **given}).fit(FRAME[["q"]], FRAME["s"])
}
"""What scikit-learn asks: a constructor keeps what it is given, and ``fit`` looks at it."""
COUNTS = ("seed", "memory_limit", "time_limit", "suppression", "worst", "findings", "top", "k")
"""Whole numbers that are called so, whatever their annotation."""


def arguments(what: str, call: Callable[..., Any], signature: inspect.Signature) -> dict[str, Any] | None:
    """Return what a call needs, or None where that is not at hand."""
    found: dict[str, Any] = dict(MORE.get(call, {}))
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            found["self"] = SELVES.get(what.split(".")[0])
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            found[parameter.name] = GIVEN.get(str(parameter.annotation), 2 if parameter.name == "k" else None)
    if "model" in found and call in MODEL_OF:
        found["model"] = MODEL_OF[call]
    if what.startswith("Table."):
        found["k"] = 2
    return None if any(value is None for value in found.values()) else found


def numbers() -> Iterator[tuple[str, Callable[..., Any], str, dict[str, Any]]]:
    """Each public call with a parameter that is a number, its name, and what else the call needs."""
    for what, call in public_calls():
        signature = inspect.signature(call)
        needed = arguments(what, call, signature)
        for parameter in signature.parameters.values() if needed is not None else ():
            text = str(parameter.annotation)
            if text in NUMBERS or (parameter.name in COUNTS and text.startswith("int")):
                yield what, AT_FIT.get(call, call), parameter.name, needed or {}


def refusal(call: Callable[[], Any], what: str, wrong: object) -> str:
    """Return what a call says of an argument that it refuses."""
    try:
        call()
    except TClosenessError as error:
        return str(error)
    except Exception as error:
        raise AssertionError(f"{what}: {shown_value(wrong)} ends in a foreign error") from error
    raise AssertionError(f"{what}: {shown_value(wrong)} is taken")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_what_is_no_number_is_refused_by_the_name_of_its_parameter() -> None:
    tried: dict[str, set[str]] = {}
    for what, call, name, needed in numbers():
        for wrong in NEVER:
            said = refusal(lambda: call(**{**needed, name: wrong}), f"{what}, {name}", wrong)  # noqa: B023
            assert name in said or name.replace("_", " ") in said, (what, name, wrong, said)
            assert len(said) < 400
        tried.setdefault(name, set()).add(what)
    assert len(tried["seed"]) > 10
    assert len(tried["time_limit"]) > 15
    assert len(tried["memory_limit"]) > 15
    assert len(tried) > 15
    assert sum(map(len, tried.values())) > 70


def test_what_means_a_number_is_taken() -> None:
    for five in (5, 5.0, "5", "5/1", " 5 ", Decimal(5), np.int32(5), np.float32(5), np.uint64(5), "5e0"):
        assert tc.KAnonymity(five).k == 5  # type: ignore[arg-type]
    for fifth in (0.2, "0.2", "1/5", Decimal("0.20"), np.float32(0.2), np.float64(0.2)):
        assert tc.TCloseness(fifth, ground="equal") == tc.TCloseness("1/5", ground="equal")
    assert tc.TCloseness(-0.0, ground="equal").t == 0  # type: ignore[comparison-overlap]


NAMES: dict[str, Callable[[Any], Any]] = {
    "reference": lambda wrong: COUNTED.class_counts(reference=wrong),
    "sensitive": COUNTED.class_counts,
    "wanted": lambda wrong: DOOR.search(wrong, k=2),
    "method": lambda wrong: DOOR.anonymize(wrong, k=2),
    "task": lambda wrong: DOOR.optimal(wrong, k=2),
    "solver": lambda wrong: tc.certify([1, 0], [0, 1], tc.Equal(2), solver=wrong),
    "ragged": lambda wrong: tc.Hierarchy([(1, "*")], ragged=wrong),
    "missing": lambda wrong: tc.Microdata.from_frame(FRAME, quasi_identifiers="q", sensitive="s", missing=wrong),
    "quasi_identifiers": lambda wrong: tc.Microdata.from_frame(FRAME, quasi_identifiers=wrong, sensitive="s"),
    "weight": lambda wrong: tc.Microdata.from_frame(FRAME, quasi_identifiers="q", sensitive="s", weight=wrong),
    "orders": lambda wrong: tc.Microdata.from_frame(FRAME, quasi_identifiers="q", sensitive="s", orders={"s": wrong}),
    "attribute": COUNTED.records_of,
    "separator": lambda wrong: UP["q"].to_csv("never written", separator=wrong),
    "models": lambda wrong: tc.check(COUNTED, models=wrong),
    "measures": lambda wrong: tc.check(COUNTED, measures=wrong),
    "losses": lambda wrong: tc.check(COUNTED, losses=wrong),
    "levels": lambda wrong: COUNTED.generalize(UP, {"q": wrong}),
    "code": CLASSES.domain.value,
    "count": lambda wrong: tc.ClassCounts.from_mapping({"a": {"x": wrong}}),
    "worst": lambda wrong: tc.check(COUNTED, k=2).to_dict(worst=wrong),
    "findings": lambda wrong: homogeneity_attack(CLASSES).to_dict(findings=wrong),
    "groups": lambda wrong: CLASSES.merge([[wrong], [0], [1]]),
}


@pytest.mark.parametrize("what", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_what_is_not_a_name_a_choice_or_a_place_is_refused(what: str) -> None:
    for wrong in (pd.NA, np.array("x"), np.array([5, 6]), 1j, object(), -1, True, "", {}, [5], math.nan):
        if what == "quasi_identifiers" and type(wrong) is dict:  # none at all make one class
            continue
        refusal(lambda: NAMES[what](wrong), what, wrong)  # noqa: B023


PATHS: dict[str, Callable[[Any], Any]] = {
    "read_table": tc.read_table,
    "from_csv": tc.Hierarchy.from_csv,
    "to_csv": UP["q"].to_csv,
    "Table": lambda wrong: tc.Table(wrong, quasi_identifiers="q", sensitive="s"),
}


@pytest.mark.parametrize("what", PATHS)
def test_what_is_not_a_path_of_a_file_is_refused(what: str, tmp_path: Path) -> None:
    strange = (b"table.csv", "", "a\0b", tmp_path, str(tmp_path), tmp_path / "no" / "file", 1, True, None, [tmp_path])
    for wrong in (*strange, pd.NA, math.nan, {}, np.array("x"), object()):
        refusal(lambda: PATHS[what](wrong), what, wrong)  # noqa: B023
    assert not list(tmp_path.iterdir())
