"""A condition as people read it: with the values that it is about where they are known, and without."""

from __future__ import annotations

from typing import Any

import pytest

from tcloseness.certificates.conditions import described

VALUES = ["text:a", "text:b", "text:c"]
PATHS = [["x", "all"], ["y", "all"]]


@pytest.mark.parametrize(
    ("ground", "over"),
    [
        ({"name": "equal"}, None),
        ({"name": "ordered", "m": 3}, "text:a, text:b, text:c"),
        ({"name": "ordered-by-value", "values": ["1", "5/2", "9"]}, "text:a as 1, text:b as 5/2, text:c as 9"),
        (
            {"name": "hierarchical", "paths": PATHS, "values": [1, 0, 1]},
            "text:a as y < all, text:b as x < all, text:c as y < all",
        ),
    ],
)
def test_a_distance_is_said_with_what_its_ground_is_over(ground: dict[str, Any], over: str | None) -> None:
    record = {"condition": "distance", "t": "1/5", "ground": ground}
    short = f"EMD ≤ 1/5 by the {ground['name']} distance"
    assert described(record) == short
    assert described(record, []) == short
    assert described(record, VALUES) == (short if over is None else f"{short} over {over}")


@pytest.mark.parametrize("many", range(1, 20))
def test_the_first_values_are_said_and_that_there_are_more(many: int) -> None:
    """As many as are shown are shown without an ellipsis."""
    values = [f"text:{i}" for i in range(many)]
    said = described({"condition": "distance", "t": "1", "ground": {"name": "ordered", "m": many}}, values)
    prefix, _, over = said.partition(" over ")
    assert prefix == "EMD ≤ 1 by the ordered distance"
    *parts, last = over.split(", ")
    if last == "…":
        assert parts == values[: len(parts)]
        assert 0 < len(parts) < many
        fewer = {"condition": "distance", "t": "1", "ground": {"name": "ordered"}}
        assert "…" not in described(fewer, values[: len(parts)])
    else:
        assert [*parts, last] == values


@pytest.mark.parametrize("least", range(4))
def test_one_record_and_one_value_are_in_the_singular(least: int) -> None:
    s = "" if least == 1 else "s"
    assert described({"condition": "records", "least": least}) == f"at least {least} record{s}"
    assert described({"condition": "values", "least": least}) == f"at least {least} different value{s}"


def test_the_others_are_said_with_their_numbers() -> None:
    assert described({"condition": "share", "most": "1/2", "values": None}) == "at most 1/2 of the records have a value"
    named = {"condition": "share", "most": "1/2", "values": ["text:a", "text:b"]}
    assert described(named) == "at most 1/2 of the records have text:a or text:b"
    assert described({"condition": "entropy", "l": "3"}) == "entropy ≥ ln 3"
    assert described({"condition": "tail", "c": "2", "l": 3}) == "r₁ < 2·(r_3 + … + r_m)"
    assert described({"condition": "gain", "most": "1"}) == "p ≤ (1 + 1)·q"
