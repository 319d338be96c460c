"""``python -m proofs_tests.fuzz [--seconds S] [--each N] [--seed N] [--only WORD]``: what may go wrong, for a time.

Each trial is known by its kind, its number and the seed, and can be run again alone (``--only KIND --case NUMBER``). At
the end it is reported how many trials each kind had, and what was found; the exit code is 1 if anything was.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from random import Random

from proofs_tests.fuzz.laws import LAWS
from proofs_tests.fuzz.processes import ENDED, PROCESSES, SIGNALLED
from proofs_tests.microdata import reader_fuzz
from proofs_tests.transport import certificate_mutants

__all__ = ["KINDS", "fuzz", "main"]

READ_AT_ONCE, CHANGED_AT_ONCE = 20, 200


def readers(random: Random) -> None:
    """Every reader answers or names what is wrong, and reads what was written as it was."""
    found = reader_fuzz.faults(random.randrange(2**32), READ_AT_ONCE)
    assert not found, found[0]


def certificates(random: Random) -> None:
    """A changed certificate is refused by name, or true."""
    tally = certificate_mutants.try_all(CHANGED_AT_ONCE, random.randrange(2**32))
    assert not tally.faults, tally.faults[0]


KINDS: dict[str, Callable[[Random], None]] = {
    **LAWS,
    "readers": readers,
    "certificates": certificates,
    **PROCESSES,
}

SHARES = {
    "a study that is ended": 1,
    "a full disk": 4,
    "two at a time": 4,
    "certificates": 4,
    **dict.fromkeys(SIGNALLED, 0.8),
}
"""Of 100 parts of the time, how many a kind has; the others share the rest."""


def fuzz(seconds: float, seed: int, kinds: list[str], *, each: int = 0) -> tuple[Counter[str], list[str]]:
    """Try kinds in turn, each about its share of the time; return the number of trials of each, and what was found.

    With `each`, that many trials of each kind are made, in whatever time. An interrupt ends it with what was found.
    """
    tried: Counter[str] = Counter()
    rare = [kind for kind in kinds if SHARES.get(kind, 4) <= 1]  # what takes long to begin with
    Random(seed).shuffle(rare)  # they come one after another in the first 100 s
    spent = {kind: SHARES[kind] * (1 + rare.index(kind)) / len(rare) if kind in rare else 0.0 for kind in kinds}
    rest = (100 - sum(SHARES.get(kind, 0) for kind in kinds)) / max(1, sum(kind not in SHARES for kind in kinds))
    found: list[str] = []
    begun = time.monotonic()
    least = {kind: each or int(kind not in rare) for kind in kinds}
    while time.monotonic() - begun < seconds or any(tried[kind] < least[kind] for kind in kinds):
        todo = [kind for kind in kinds if tried[kind] < each] or kinds
        kind = min(todo, key=lambda kind: spent[kind] / SHARES.get(kind, rest))
        before = time.monotonic()
        try:
            finding = trial_of(kind, seed, tried[kind])
        except KeyboardInterrupt:
            break
        if finding:
            found.append(finding)
            print(finding, file=sys.stderr, flush=True)
        spent[kind] += time.monotonic() - before
        tried[kind] += 1
    return tried, found


def trial_of(kind: str, seed: int, number: int) -> str:
    """Return what one trial found; nothing if all is well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            KINDS[kind](Random(f"{kind} {seed} {number}"))
        except Exception as error:  # noqa: BLE001 – whatever it is, it is a finding
            again = f"python -m proofs_tests.fuzz --seed {seed} --only {kind!r} --case {number}"
            told = "".join(traceback.format_exception(error, limit=-2))
            return f"FOUND by {again}\n{told}\n"
    return ""


def main(arguments: list[str]) -> int:
    """Read the command line, try, and report."""
    parser = argparse.ArgumentParser(prog="python -m proofs_tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--each", type=int, default=0, help="so many trials of each kind, in place of a time")
    parser.add_argument("--seed", type=int, default=20070415)
    parser.add_argument("--only", action="append", help="a kind, or a part of its name")
    parser.add_argument("--case", type=int, help="the number of one trial, to be run alone")
    given = parser.parse_args(arguments)
    kinds = [kind for kind in KINDS if not given.only or any(word in kind for word in given.only)]
    if not kinds:
        parser.error(f"there is no such kind; there are {', '.join(KINDS)}")
    if given.case is not None:
        found = [told for kind in kinds if (told := trial_of(kind, given.seed, given.case))]
        print(*found or ["nothing found"], sep="\n")
        return int(bool(found))
    tried, found = fuzz(0.0 if given.each else given.seconds, given.seed, kinds, each=given.each)
    sizes = {"readers": READ_AT_ONCE, "certificates": CHANGED_AT_ONCE}
    for kind in kinds:
        print(f"{tried[kind] * sizes.get(kind, 1):8,}  {kind}")
    for name, how in ENDED.items():
        print(f"          {name}:", ", ".join(f"{number:,} {word}" for word, number in sorted(how.items())))
    print(f"{len(found)} finding(s), seed {given.seed}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
