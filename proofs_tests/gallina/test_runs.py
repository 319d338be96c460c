"""The translation and the proofs in Coq: random programs, the translated functions themselves, and faults in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from proofs_tests.gallina.faults import Fault, Workshop, faults
from proofs_tests.gallina.functions import FUNCTIONS, SOURCES
from proofs_tests.gallina.random_programs import drawn
from proofs_tests.gallina.running import array, compared, failed, matrix
from proofs_tests.test_coq import built
from tcloseness.ground import Cuts
from tcloseness.transport.closed_forms import (
    cut_potential,
    cut_work,
    equal_emd,
    hierarchical_emd,
    ordered_emd,
    ordered_emd_double_sum,
)

pytestmark = pytest.mark.coq
__all__ = ["built"]

ALL = "(fun _ => true)"
JUNK = "(fun _ _ => 77)"
EQUIVALENT = (
    "potential = [0] * len(differences) -> potential = [1] * len(differences)",
    "if c > other: -> if c >= other:",
)
"""Every entry of that list is written before it is returned; two equal counts are the same in either place."""


def any_family(draws: random.Random, m: int, *, nested: bool) -> Cuts:
    """Draw sets of a permuted domain: prefixes, or intervals that are nested or disjoint."""
    order = np.array(draws.sample(range(m), m))
    if nested:
        sets = [(0, high) for high in draws.sample(range(1, m), draws.randint(0, m - 1))]
    else:
        middle = draws.randint(0, m)
        sets = [(0, middle), (middle, m), *((place, place + 1) for place in range(m) if draws.random() < 0.5)]
    return Cuts.of(order, sets, [draws.choice([1, 1, 2, 3, 10]) for _ in sets])


def runs(draws: random.Random, count: int) -> Iterator[str]:
    """Yield goals: each function, on random arguments, returns in Coq what it returns here."""
    from tcloseness.lattice import compiled as lattice
    from tcloseness.transport import compiled

    for nested in (i % 2 == 0 for i in range(count)):
        m, g = draws.randint(1, 6), draws.choice([1, 2, 3, 5])
        cuts = any_family(draws, m, nested=nested)
        sets = " ".join(map(array, (cuts.order, cuts.low, cuts.high, cuts.weights)))
        r = [draws.randint(-9, 9) for _ in range(m)]
        yield compared(f"numbers_of (cut_work {ALL} {array(r)} {sets})", [cut_work(r, cuts)])
        yield compared(f"numbers_of (cut_potential {ALL} {array(r)} {sets})", cut_potential(r, cuts))
        p, q = ([draws.randint(0, 9) for _ in range(m)] for _ in range(2))
        for form in (ordered_emd, ordered_emd_double_sum, equal_emd):
            value = form([Fraction(x) for x in p], [Fraction(x) for x in q])
            yield quotient(f"{form.__name__} {ALL} {array(p)} {array(q)}", value)
        yield recursion(draws, p, q)
        table = np.array([[draws.randint(0, 5) for _ in range(g)] for _ in range(m)])
        sizes, reference = table.sum(axis=0), np.array([draws.randint(0, 9) for _ in range(m)])
        total, work = int(reference.sum()), np.empty(g, np.int64)
        prefix = np.append([0], np.cumsum(reference[cuts.order]))
        share = prefix[cuts.high] - prefix[cuts.low]
        # small tiles in Coq, so that there are several; the code's own here: the theorems hold for any size
        tile, room = draws.randint(1, 4), array([55] * g)
        compiled._interval_tiles(table, sizes, share, total, cuts.order, cuts.low, cuts.high, cuts.weights, work)
        call = (
            f"_interval_tiles {ALL} {JUNK} {tile} {matrix(table)} {array(sizes)} {array(share)} {total} {sets} {room}"
        )
        yield compared(f"numbers_of ({call})", work)
        if nested:
            work[:] = -1
            compiled._prefix_tiles(table, sizes, prefix[1:], total, cuts.order, cuts.high, cuts.weights, work)
            rest = " ".join(map(array, (cuts.order, cuts.high, cuts.weights)))
            call = f"_prefix_tiles {ALL} {JUNK} 20 {tile} {matrix(table)} {array(sizes)} {array(prefix[1:])} {total}"
            yield compared(f"numbers_of ({call} {rest} {room})", work)
        row, zeros = table[:, 0].copy(), np.zeros(m + 1, np.int64)
        found = lattice._work(row, sizes[0], cuts.order, cuts.low, cuts.high, cuts.weights, share, total, zeros)
        call = f"_work {ALL} {array(row)} {sizes[0]} {sets} {array(share)} {total} {array([0] * (m + 1))}"
        yield compared(f"numbers_of ({call})", [found, *zeros])
        room = np.full(draws.randint(0, 3), 7)
        counted = lattice._counted(row, room)
        call = f"_counted {ALL} {array(row)} {array([7] * len(room))}"
        yield compared(f"numbers_of ({call})", [*counted, *room])
        yield numbered(draws, sizes)
        groups = np.array([draws.randint(0, 2) for _ in range(m)])
        merged = lattice.merged_rows(table, groups, 3).ravel()
        yield compared(f"numbers_of (merged_rows {ALL} {matrix(table)} {array(groups)} 3)", merged)
        yield from checked_flows(draws)


def recursion(draws: random.Random, p: list[int], q: list[int]) -> str:
    """Return the goal of the recursion over a tree, whose leaves may have no value, and whose heights are any."""
    nodes = draws.randint(1, 8)
    parent = [draws.randint(node + 1, nodes - 1) for node in range(nodes - 1)] + [nodes - 1]
    height = [draws.randint(0, 4) for _ in range(nodes)]
    code = [-1 if node in parent else draws.randint(-1, len(p) - 1) for node in range(nodes)]
    value = hierarchical_emd([Fraction(x) for x in p], [Fraction(x) for x in q], parent, height, code)
    call = f"hierarchical_emd {ALL} {' '.join(map(array, (p, q, parent, height, code)))}"
    return quotient(call, value)


def numbered(draws: random.Random, sizes: np.ndarray) -> str:
    """Return the goal of the numbers of groups: slots are any, and what is not written remains as it was."""
    from tcloseness.lattice import compiled

    classes = len(sizes)
    slots, inside = (np.array([draws.randrange(6) for _ in range(classes)]) for _ in range(2))
    place, *written = np.full(6, -1), *(np.full(classes, 8) for _ in range(3))
    call = f"_group {ALL} {' '.join(map(array, (slots, place, inside, sizes, *written)))}"
    n = compiled._group(slots, place, inside, sizes, *written)
    return compared(f"numbers_of ({call})", [n, *np.concatenate([*written, place])])


def quotient(call: str, value: Fraction) -> str:
    """Return the goal that the numerator and the denominator of a call are those of a fraction, times one number."""
    return (
        f"Goal match {call} with Some (a, b) => a * {value.denominator} =? {value.numerator} * b"
        " | None => false end = true. vm_compute. reflexivity. Qed."
    )


def checked_flows(draws: random.Random) -> Iterator[str]:
    """Yield goals of the check of a network simplex's answer: of the answer, and of one that was changed."""
    from tcloseness.transport import compiled
    from tcloseness.transport.network_simplex import TREE_ROWS

    sources, sinks = draws.randint(1, 3), draws.randint(1, 3)
    supply, demand = [draws.randint(1, 5) for _ in range(sources)], [draws.randint(1, 5) for _ in range(sinks)]
    behind = sum(supply) - sum(demand)
    (demand if behind > 0 else supply)[0] += abs(behind)
    costs = np.array([draws.randint(0, 9) for _ in range(sources * sinks)])
    given = costs, np.array(supply), np.array(demand), sources, sinks
    tree = np.zeros((TREE_ROWS, sources + sinks + 1), np.int64)
    compiled.solve_transportation(*given, tree)
    changed = tree.copy()
    changed[draws.choice([1, 3, 4]), draws.randrange(sources + sinks)] += draws.choice([-2, -1, 1, 2])
    for each in (tree, changed):
        left = np.full(sources + sinks, 9)
        answer = compiled.is_optimal(*given, each, left)
        arrays = " ".join(map(array, (costs, supply, demand)))
        call = f"is_optimal {ALL} {arrays} {sources} {sinks} {matrix(each)} {array([9] * len(left))}"
        yield compared(f"numbers_of ({call})", [answer, *left])


def test_random_programs_return_in_coq_what_they_return_in_python(built: Path) -> None:
    assert not failed(drawn(60, 2007))


def test_the_functions_return_in_coq_what_the_compiled_code_returns(built: Path) -> None:
    assert not failed(runs(random.Random(2007), 25))


def test_a_wrong_number_is_noticed(built: Path) -> None:
    one, two = array([1]), array([2])
    assert failed([compared(f"numbers_of (merged_rows {ALL} {matrix([[1]])} {array([0])} 1)", [2])])
    assert failed([compared(f"numbers_of (ordered_emd {ALL} {one} {array([1, 2])})", [0, 1])])
    assert not failed([compared(f"numbers_of (ordered_emd {ALL} {one} {two})", [1, 1])])


def test_faults_in_the_functions_are_noticed_by_their_proofs(built: Path) -> None:
    """A sample; `python -m proofs_tests.gallina faults` tries all."""
    draws = random.Random(2007)
    with Workshop() as workshop:
        for function in draws.sample(FUNCTIONS, 4):
            fault = draws.choice([each for each in faults(function) if not each.words.endswith(EQUIVALENT)])
            assert workshop.outcome(fault) in ("not translated", "not typed", "not proved"), fault.words


def test_a_change_that_keeps_the_meaning_is_accepted(built: Path) -> None:
    """So it is the fault that a proof notices, and not the change."""
    (function,) = (each for each in FUNCTIONS if each.name == "cut_work")
    text = (SOURCES / function.file).read_text(encoding="utf-8")
    again = text.replace("(term if weight == 1 else weight * term)", "weight * term")
    assert again != text
    with Workshop() as workshop:
        assert workshop.outcome(Fault(function, "no case of weight 1", text)) == "the same"
        assert workshop.outcome(Fault(function, "no case of weight 1", again)) == "accepted"
