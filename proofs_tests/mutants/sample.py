"""A seeded sample of the mutants of every room whose code decides an answer, with the further kinds of faults.

    python -m proofs_tests.mutants --sample 1000 --seed 1 [--minutes 60]

It is stratified by room: each has as many places as its share of all mutants, drawn by a generator with a seed of its
own, before any test is looked at. They are run in an order that is drawn as well, so that those that are run when the
time is over are a sample too. Asked are the quick tests of the room that are about the mutant's module, the nearest
files first (`proofs_tests.module_map`): fewer than all that could notice.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from proofs_tests.mutants.operators import Mutant, mutants_of, names_of
from proofs_tests.mutants.processes import PACKAGE, ROOT

__all__ = ["DECIDING", "Drawn", "asked_about", "draw", "population", "shares", "table", "wilson"]

DECIDING: Mapping[str, tuple[str, ...]] = {
    **{
        room: (f"{room}/**/*.py",)
        for room in (
            *("exact", "microdata", "certificates", "ground", "transport", "measures", "models", "release", "loss"),
            *("lattice", "anonymize", "optimal", "attacks"),
        )
    },
    "audit": ("audit.py", "audited.py", "methods.py", "comparison.py", "table.py"),
    "judge": tuple(
        f"conformance/{name}.py"
        for name in ("answers", "assessment", "candidates", "exact_text", "inputs", "reference", "runner")
    ),
    "sentences": (
        "displayed.py",
        *(f"report/{name}.py" for name in ("findings", "wording", "text", "showing", "redaction")),
        "report/*_text.py",
    ),
}
"""The rooms whose code decides an answer, or says it, by the patterns of their files."""

_NEAREST = 8
"""Files of tests that are asked of a mutant."""

_STRUCTURE = ("test_ledger.py", "test_mutants.py", "test_written.py", "test_doctests.py")
"""Tests of how the project is written: of these a change of any code is noticed, or no fault."""


@dataclass(frozen=True)
class Drawn:
    """A mutant of the sample, and its room."""

    room: str
    mutant: Mutant


def files_of(room: str) -> list[str]:
    """Return the files of a room, without those that only hand on names."""
    found = {path for pattern in DECIDING[room] for path in PACKAGE.glob(pattern) if path.name != "__init__.py"}
    return sorted(path.relative_to(PACKAGE).as_posix() for path in found)


def population() -> dict[str, list[tuple[str, str]]]:
    """Return all mutants of each room, by their files and names."""
    return {
        room: [(file, name) for file in files_of(room) for name in names_of((PACKAGE / file).read_text("utf-8"))]
        for room in DECIDING
    }


def shares(sizes: Mapping[str, int], number: int) -> dict[str, int]:
    """Return how many of a number of places each room has: its share rounded down, the rest by largest remainders.

    >>> shares({"a": 50, "b": 30, "c": 21}, 10)
    {'a': 5, 'b': 3, 'c': 2}
    """
    total = sum(sizes.values())
    if not 0 < number <= total:
        raise SystemExit(f"--sample {number}: there are {total:,} mutants; a sample has from 1 to as many")
    exact = {room: Fraction(number * size, total) for room, size in sizes.items()}
    found = {room: math.floor(share) for room, share in exact.items()}
    for room in sorted(sizes, key=lambda room: found[room] - exact[room])[: number - sum(found.values())]:
        found[room] += 1
    return found


def draw(number: int, seed: int, among: Mapping[str, Sequence[tuple[str, str]]] | None = None) -> list[Drawn]:
    """Draw a sample, in the order in which it is run; the same for the same number, seed and code."""
    given = population() if among is None else among
    places = shares({room: len(each) for room, each in given.items()}, number)
    chosen = [
        (room, *each)
        for room, many in places.items()
        for each in random.Random(f"{seed} {room}").sample(given[room], many)
    ]
    random.Random(f"{seed}").shuffle(chosen)
    names: dict[str, set[str]] = {}
    for _, file, name in chosen:
        names.setdefault(file, set()).add(name)
    made = {
        (file, mutant.name): mutant
        for file, some in names.items()
        for mutant in mutants_of(file, (PACKAGE / file).read_text("utf-8"), further=True, chosen=some)
    }
    return [Drawn(room, made[file, name]) for room, file, name in chosen]


def asked_about(file: str) -> tuple[str, ...]:
    """Return the files of tests that have to notice: the nearest of its room, or else the nearest of all."""
    from proofs_tests import module_map

    near = [*module_map.about().get(file, ()), *filter(None, [module_map.through(file)])]
    found = [test for test in dict.fromkeys(near) if test not in _STRUCTURE]
    own = [test for test in found if test.partition("/")[0] == file.partition("/")[0]]
    return tuple((module_map.TESTS / test).relative_to(ROOT).as_posix() for test in (own or found)[:_NEAREST])


def wilson(hits: int, trials: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return the Wilson score interval of a share; at 95 % if z is not given.

    The p with (p̂ − p)² ≤ z²·p(1 − p)/n: (p̂ + z²/2n ± z·√(p̂(1 − p̂)/n + z²/4n²)) / (1 + z²/n).
    E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927), 209-212.

    >>> [round(end, 4) for end in wilson(19, 20)]
    [0.7639, 0.9911]
    """
    if not trials:
        return 0.0, 1.0
    share, extra = hits / trials, z * z / trials
    middle, half = share + extra / 2, z * math.sqrt(share * (1 - share) / trials + extra / (4 * trials))
    return max(0.0, (middle - half) / (1 + extra)), min(1.0, (middle + half) / (1 + extra))


def table(drawn: Iterable[Drawn], fates: Mapping[str, str], reasons: Mapping[str, str]) -> list[str]:
    """Return the numbers by room as lines of Markdown.

    A share is that of the mutants that were run and do not have a reason for which they change no result. One whose
    tests took too long is unseen.
    """
    counts: dict[str, Counter[str]] = {}
    for each in drawn:
        fate = fates.get(each.mutant.id, "")
        kind = "equivalent" if fate == "survives" and each.mutant.id in reasons else fate or "not run"
        for name in (each.room, "**all**"):
            counts.setdefault(name, Counter())[kind] += 1
    lines = [
        "| room | drawn | run | noticed | no other result | unseen | noticed, 95 % interval |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for name in [*(room for room in DECIDING if room in counts), "**all**"]:
        of = counts[name]
        noticed, run = of["killed"] + of["hangs"], of.total() - of["not run"]
        told = "not run"
        if asked := run - of["equivalent"]:
            low, high = wilson(noticed, asked)
            told = f"{noticed / asked:.1%} ({low:.1%} to {high:.1%})"
        numbers = (of.total(), run, noticed, of["equivalent"], of["survives"] + of["late"])
        lines.append(f"| {name} | {' | '.join(map(str, numbers))} | {told} |")
    return lines
