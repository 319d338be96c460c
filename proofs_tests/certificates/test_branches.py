"""A proof by cases is read whole: every case is settled once, in its turn, and nothing follows the last."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tcloseness.certificates.branches import Steps, settled
from tcloseness.errors import CertificateError, InputError


def drawn(draw: random.Random, case: str, depth: int) -> tuple[list[Any], list[tuple[str, str]]]:
    """A tree of names, in pre-order, and what settles each of its cases."""
    if not depth or draw.random() < 0.3:
        leaf = f"leaf {draw.randint(0, 9)}"
        return [leaf], [(leaf, case)]
    (one, first), (two, second) = (drawn(draw, case + side, depth - 1) for side in "01")
    return ["split", *one, *two], [*first, *second]


def split(entry: str, case: str) -> tuple[str, str] | None:
    return (case + "0", case + "1") if entry == "split" else None


def test_every_case_is_settled_by_its_own_entry() -> None:
    draw = random.Random(110)
    for _ in range(50):
        tree, cases = drawn(draw, "", 4)
        assert list(settled(tree, "", split)) == cases
        for many in range(len(tree)):
            with pytest.raises(CertificateError, match="the tree ends before its last case"):
                list(settled(tree[:many], "", split))
        for more in ("split", "leaf"):
            with pytest.raises(CertificateError, match="the tree goes on after its last case"):
                list(settled([*tree, more], "", split))
    with pytest.raises(InputError, match="tree is 'leaf'; it must be a list"):
        list(settled("leaf", "", split))


def test_the_steps_to_a_case_are_told_from_the_last_on() -> None:
    first = Steps(None, "a", 0)
    assert list(Steps.to(None)) == []
    assert list(Steps.to(Steps(Steps(first, "b", 1), "c", 2))) == [("c", 2), ("b", 1), ("a", 0)]
