"""Checks of sentences about *all* tables: tried on every small one, so that a false sentence meets its counterexample.

A sentence that survives is not proved by that; the outcome says how far it was tried. (Proofs are in ``proofs_tests``.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from experiments.claims import Outcome, check
from experiments.studies.worked_examples.distances import four_ways
from experiments.studies.worked_examples.tables import distinct_l, entropy_of, one_class, probabilities, recursive_bound
from tcloseness.exact import log_of
from tcloseness.ground import Equal
from tcloseness.microdata import ClassCounts
from tcloseness.models import EntropyLDiversity, TCloseness

__all__ = ["pd_recursive"]

TRIED = "tried on all counts up to 3 of 3 values"

Counts = tuple[int, ...]


def blocks(values: int = 3, most: int = 3) -> Iterator[Counts]:
    """Return the counts of every block with records: up to `most` of each of so many values."""
    return (counts for counts in product(range(most + 1), repeat=values) if any(counts))


def _block(counts: Counts) -> ClassCounts:
    return one_class(dict(enumerate(counts)))


# ---------------------------------------------------------------------- Li et al. 2007, §5.3 and §8


@check("TC-40")
def _attacks_on_close_tables() -> Outcome:
    faults: dict[bool, list[str]] = {True: [], False: []}  # by t = 0
    for one, other in combinations(list(blocks(3, 2)), 2):
        table = ClassCounts.from_matrix([list(pair) for pair in zip(one, other, strict=True)])
        whole = tuple(a + b for a, b in zip(one, other, strict=True))
        t = TCloseness(ground="equal").evaluate(table).value
        if _worked(one) - _worked(whole) or _worked(other) - _worked(whole):
            faults[t == 0].append(f"classes {one} and {other}, t = {t}")
    return Outcome(
        not faults[True],
        {"t may be greater than 0": not any(faults.values())},
        f"tried on all pairs of classes with counts up to 2 of 3 values; for t > 0 it fails for {faults[False][0]}",
    )


def _worked(counts: Counts) -> set[tuple[int, ...]]:
    """Return the sets of values that, once ruled out, leave one value only: the background knowledge that works."""
    present = [value for value, n in enumerate(counts) if n]
    return {
        out
        for size in range(len(counts))
        for out in combinations(range(len(counts)), size)
        if len(set(present) - set(out)) == 1
    }


@check("TC-41")
def _removing_a_value() -> Outcome:
    rises: dict[str, list[str]] = {"distinct": [], "entropy": [], "recursive": []}
    for counts in blocks():
        for value, n in enumerate(counts):
            fewer = tuple(c - (v == value) for v, c in enumerate(counts))
            if not n or not any(fewer):
                continue
            before, after = _block(counts), _block(fewer)
            if distinct_l(after) > distinct_l(before):
                rises["distinct"].append(f"{counts} to {fewer}")
            if entropy_of(after) > entropy_of(before):
                rises["entropy"].append(f"{counts} to {fewer}")
            if recursive_bound(after, 2) < recursive_bound(before, 2):
                rises["recursive"].append(f"{counts} to {fewer}")
    return Outcome(
        not any(rises.values()),
        {
            f"{kind} is meant": not rises[name]
            for name, kind in (
                ("distinct", "distinct l-diversity"),
                ("entropy", "entropy l-diversity"),
                ("recursive", "recursive (c,2)-diversity"),
            )
        },
        f"{TRIED}; the entropy rises from counts {rises['entropy'][0]}",
    )


@check("TC-42")
def _removing_an_outlier() -> Outcome:
    half = [Fraction(1, 2)] * 2
    before, after = (four_ways(probabilities(counts), half, Equal(2))[0].value for counts in ((2, 1), (1, 1)))
    return Outcome(after < before, detail=f"Q = (1/2, 1/2): counts (2, 1) are at distance {before}, (1, 1) at {after}")


# ---------------------------------------------------------------------- Machanavajjhala et al. 2006, §4.2 and §6


@check("LD-7")
def _a_value_of_90_percent() -> Outcome:
    """Other values in equal shares give the greatest entropy, so what they do not reach nothing does."""
    impossible = []
    for others in range(1, 60):
        counts = {"common": 9 * others, **{f"other {n}": 1 for n in range(others)}}
        impossible.append(not EntropyLDiversity(2).evaluate(one_class(counts)).satisfied)
    first_possible = impossible.index(False) + 1
    return Outcome(
        impossible[0],
        {"there may be any number of other values": all(impossible)},
        f"impossible for l = 2 with up to {first_possible - 1} other values, whatever their shares",
    )


@check("LD-30")
def _no_value_outside() -> Outcome:
    """All values of the block may be disclosed: r_y = 0, and y is one more than the number of values."""
    tried = [(counts, c, least) for counts in blocks() for c in (Fraction(1, 2), 1, 2) for least in (2, 3, 4)]
    faults = [x for x in tried if not pd_recursive(*x, set(range(3)))]
    lax = all(pd_recursive(*x, set(range(3)), strict=False) for x in tried)
    counts, _, least = min(faults, key=lambda x: (sum(x[0]), x[2]))
    return Outcome(
        not faults,
        {"a block without such a value satisfies the definition, or its < is read as ≤ there": lax},
        f"{TRIED}; 0 < c·0 fails for counts {counts}, l = {least}, any c",
    )


def pd_recursive(counts: Counts, c: Fraction | int, least: int, disclosable: set[int], *, strict: bool = True) -> bool:
    """Say whether a block is pd-recursive (c,ℓ)-diverse, ℓ = `least`, by the letter of Definition 4.3 (Machanavajjhala
    et al. 2006, §4.2)."""
    ranked = sorted(((n, value) for value, n in enumerate(counts) if n), reverse=True)
    r = [0, *(n for n, _ in ranked)]  # r[1] ≥ r[2] ≥ …
    outside = [rank for rank, (_, value) in enumerate(ranked, 1) if value not in disclosable]
    y = outside[0] if outside else len(r)
    r_y = r[y] if outside else 0
    tail = sum(r[least:]) if y <= least - 1 else sum(r[least - 1 : y]) + sum(r[y + 1 :])
    return r_y < c * tail or (not strict and r_y == c * tail)


@check("LD-42")
def _recursive_against_entropy() -> Outcome:
    enough: list[bool] = []
    stricter: list[Counts] = []
    looser: list[Counts] = []
    for counts, least in product(blocks(3, 4), (2, 3)):
        block = _block(counts)
        bound, entropy = recursive_bound(block, least), entropy_of(block) >= log_of(Fraction(least))
        if entropy:
            enough.append(not math.isinf(bound))
            if bound >= 2:
                stricter.append(counts)
        elif not math.isinf(bound):
            looser.append(counts)
    return Outcome(
        all(enough) and bool(looser),
        {"c = 2 is fixed": not stricter and bool(looser)},
        f"tried on all counts up to 4 of 3 values, l = 2 and 3; counts {looser[0]} satisfy the recursive definition "
        f"for some c and not the entropy definition, counts {stricter[0]} the reverse for c = 2",
    )
