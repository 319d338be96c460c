"""What the extracted checker reads in a condition and a ground distance, judged beside the Python checker."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from proofs_tests.coq.certificates import answers
from proofs_tests.test_coq import built
from tcloseness.certificates import TASKS, Counts, Envelope, Reading, check
from tcloseness.certificates.extracted import table_blocks
from tcloseness.certificates.lattice import MINIMAL
from tcloseness.errors import CertificateError

pytestmark = pytest.mark.coq
__all__ = ["built"]

VALUES = ["text:x", "text:y", "missing:", "text:(missing)", "number:3/2"]


def paths(rng: random.Random, name: str = "r", deep: int = 4) -> list[list[str]]:
    """The labels from each leaf of a tree up to its root; leaves at any depth, some nodes with one child."""
    if deep == 0 or (deep < 4 and rng.random() < 0.4):
        return [[name]]
    below = [path for i in range(rng.randint(1, 3)) for path in paths(rng, f"{name}{i}", deep - 1)]
    return [[*path, name] for path in below]


def family(rng: random.Random, low: int, high: int) -> list[tuple[int, int]]:
    """Intervals of which no two cross."""
    if high - low < 1 or rng.random() < 0.1:
        return []
    middle = rng.randint(low, high)
    inner = [(low, high)] if rng.random() < 0.7 else []
    return [*inner, *(family(rng, low, middle) + family(rng, middle, high) if low < middle < high else [])]


def ground(rng: random.Random, m: int) -> dict[str, Any]:
    kind = rng.choice(["equal", "ordered", "ordered-by-value", "hierarchical", "laminar"])
    if kind in ("equal", "ordered"):
        return {"name": kind, "m": m}
    if kind == "ordered-by-value":
        return {"name": kind, "values": [str(Fraction(rng.randint(-6, 6), rng.randint(1, 4))) for _ in range(m)]}
    if kind == "hierarchical":
        while len(tree := paths(rng)) < m:
            pass
        rows = rng.sample(range(len(tree)), m)
        return {"name": kind, "paths": tree, "values": rows, "trivial_levels": rng.choice(["keep", "collapse"])}
    sets = family(rng, 0, m) + family(rng, 0, m) * (rng.random() < 0.2)  # the second may cross the first
    return {
        "name": kind,
        "order": rng.sample(range(m), m),
        "low": [low for low, _ in sets],
        "high": [high for _, high in sets],
        "weights": [str(rng.randint(1, 4)) for _ in sets],
        "denominator": str(rng.randint(1, 6)),
    }


def condition(rng: random.Random, values: list[str]) -> dict[str, Any]:
    share = str(Fraction(rng.randint(1, 6), rng.randint(2, 6)))
    named = rng.choice([None, rng.sample([*values, "text:absent"], rng.randint(1, len(values)))])
    return rng.choice(
        [
            {"condition": "records", "least": rng.randint(1, 6)},
            {"condition": "values", "least": rng.randint(1, 4)},
            {"condition": "entropy", "l": str(Fraction(rng.randint(1, 12), 4))},
            {"condition": "tail", "l": rng.randint(1, 4), "c": str(Fraction(rng.randint(1, 9), 3))},
            {"condition": "share", "most": share, "values": named},
            {"condition": "gain", "most": str(Fraction(rng.randint(0, 8), 4))},
            *({"condition": "distance", "t": share, "ground": ground(rng, len(values))} for _ in range(6)),
        ]
    )


def test_every_condition_and_ground_distance_is_read_as_by_python(built: Any) -> None:
    """Of two classes: they satisfy what is asked, and the node of both is the one minimal one, or they do not."""
    rng = random.Random(8)
    blocks, ours = [], []
    for _ in range(1500):
        values = rng.sample(VALUES, rng.randint(1, 5))
        labels = rng.sample(["text:a", "text:b", "missing:", "text:(missing)"], 2)  # of which the last have one name
        counts = {(label, value): rng.randint(0, 4) for label in labels for value in values}
        counted = Counts.of("as", {key: count for key, count in counts.items() if count} or {("text:a", values[0]): 1})
        envelope = Envelope(
            MINIMAL, TASKS[MINIMAL].statement, counted.digest, None, ("a",), "s", sum(counted.counts.values()),
            Reading(), {"a": None}, tuple(condition(rng, values) for _ in range(rng.randint(1, 2))),
            {"values": values, "minimal": [[0]], "violating": []},
        )  # fmt: skip
        blocks.append(f"{table_blocks(counted, {'a': None})}certificate 1\n{json.dumps(envelope.to_dict())}\n")
        try:
            ours.append("accepted " + check(envelope, counted, {"a": None}))
        except CertificateError:
            ours.append("no")
    theirs = [line if line.startswith("accepted ") else "no" for line in answers("".join(blocks))]
    assert theirs == ours
    assert 400 < ours.count("no") < 1100
