"""Changed proofs: one thing in it left out, repeated or another, or an odd value in a place of it."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from typing import Any

__all__ = ["ODD", "changed", "places_of", "with_at"]

ODD = [None, True, 0, -1, 2**53, 2**63, 10**40, 0.5, "", "0", "1/3", f"{10**3000}", f"1/{10**3000 + 7}", "\ud800"]
ODD += ["hex", [], [0], ["x"], [[]], [None], {}, {"name": "equal", "m": 2**31 - 1}, {"name": "ordered", "m": 2**31 - 1}]
"""What stands in no place of a proof, or in few."""


def places_of(value: Any) -> list[tuple[Any, ...]]:
    """The ways to all that a JSON value holds."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for key, each in inner for way in ((key,), *((key, *rest) for rest in places_of(each)))]


def with_at(given: Any, way: Sequence[Any], value: Any) -> Any:
    """A copy of a JSON value in which another one stands where a way leads."""
    record = copy.deepcopy(given)
    holder = record
    for key in way[:-1]:
        holder = holder[key]
    holder[way[-1]] = value
    return record


def changed(rng: random.Random, proof: Any) -> Any:
    """A proof with one thing in it changed: left out, repeated, or another number or text."""
    proof = copy.deepcopy(proof)
    places = []

    def visit(value: Any) -> None:
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            places.append((value, key))
            if isinstance(inner, dict | list):
                visit(inner)

    visit(proof)
    holder, key = rng.choice(places)
    value = holder[key]
    if isinstance(holder, list) and rng.random() < 0.4:
        if rng.random() < 0.5:
            del holder[key]
        else:
            holder.append(copy.deepcopy(value))
    elif isinstance(value, int):
        holder[key] = rng.choice([value - 1, value + 1, 0, 10**30, -1, True, str(value), None])
    elif isinstance(value, str):
        holder[key] = rng.choice(["", "*", "low", "1", "text:x", value + " ", 3, None])
    else:
        holder[key] = rng.choice([[], {}, None, 0, "x"])
    return proof
