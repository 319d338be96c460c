"""Microaggregation with swaps, against the algorithm written out record by record."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import SEED, as_sets, assert_release_holds, cases
from proofs_tests.anonymize.test_methods import T_MODELS, holds_as_one_class
from proofs_tests.effort import effort
from tcloseness.anonymize import mdav, swapping
from tcloseness.errors import InfeasibleError, InputError
from tcloseness.ground import Ordered
from tcloseness.microdata import Microdata
from tcloseness.models import KAnonymity, TCloseness
from tcloseness.release.draws import Draws
from tcloseness.transport import emd


@pytest.mark.long
@effort(1)
@given(data=st.data())
def test_the_written_table_satisfies_the_model_or_no_grouping_does(data: st.DataObject) -> None:
    """All models here are monotone, so if one class of all records violates one, every grouping does."""
    case, model = data.draw(cases()), data.draw(st.sampled_from(T_MODELS))
    if not holds_as_one_class(case, model):
        with pytest.raises(InfeasibleError, match="no grouping"):
            swapping(case.table, model, case.hierarchies)
        return
    found = swapping(case.table, model, case.hierarchies, seed=SEED)
    assert_release_holds(case, found, model)
    assert found.partition.suppressed == 0
    order = data.draw(st.permutations(range(len(case.rows))))
    other = case.permuted(order)
    moved = swapping(other.table, model, case.hierarchies, seed=SEED)
    assert as_sets(moved.grouped, other.rows) == as_sets(found.grouped, case.rows)
    assert moved.done == found.done


def by_hand(rows: list[tuple[int, int]], order: list[int], k: int, t: Fraction) -> tuple[list[list[int]], int]:
    """Algorithm 2 before its mergers, for a number x and an ordered salary, each record tried: classes, swaps.

    Ties go by the given order of the records.
    """
    span = max(x for x, _ in rows) - min(x for x, _ in rows) or 1
    salaries = sorted({salary for _, salary in rows})
    q = [Fraction(sum(s == v for _, s in rows), len(rows)) for v in salaries]

    def away(group: list[int]) -> Fraction:
        p = [Fraction(sum(rows[i][1] == v for i in group), len(group)) for v in salaries]
        return Fraction(emd(p, q, Ordered(len(salaries))))

    def apart(i: int, j: int) -> Fraction:
        return Fraction((rows[i][0] - rows[j][0]) ** 2, span**2)

    left = list(order)
    place = {i: n for n, i in enumerate(left)}
    classes, swaps, before = [], 0, None
    while len(left) >= 2 * k:
        around = left if before is None else [before]
        scores = {i: sum(apart(i, j) for j in around) for i in left}
        seed = max(left, key=lambda i: (scores[i], -place[i]))
        before = seed if before is None else None
        near = sorted(left, key=lambda i: (apart(seed, i), place[i]))
        group = near[:k]
        for other in near[k:]:
            if away(group) <= t:
                break
            trials = [([*group[:p], *group[p + 1 :], other], -p) for p in range(k)]
            best, _ = min(trials, key=lambda trial: (away(trial[0]), trial[1]))
            if away(best) < away(group):
                group, swaps = best, swaps + 1
        classes.append(sorted(group))
        left = [i for i in left if i not in group]
    if left:
        classes.append(sorted(left))
    return sorted(classes), swaps


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=2, max_size=9),
    k=st.integers(1, 3),
    t=st.sampled_from([Fraction(0), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)]),
)
@effort(1)
def test_the_swaps_are_those_of_the_algorithm(rows: list[tuple[int, int]], k: int, t: Fraction) -> None:
    """Every class within t is as the algorithm leaves it, and if all are, the partition is; swaps are as many."""
    k = min(k, len(rows))
    frame = pd.DataFrame(rows, columns=["x", "salary"])
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="salary")
    expected, swaps = by_hand(rows, Draws(SEED).order(table).tolist(), k, t)
    found = swapping(table, KAnonymity(k) & TCloseness(t, ground="ordered"), seed=SEED)
    assert found.done["swaps"] == swaps
    assert found.done["classes before mergers"] == len(expected)
    if not found.done["mergers"]:
        assert sorted(group.tolist() for group in found.grouped.groups) == expected


def test_one_swap_spares_a_merger() -> None:
    """x 1, 2, 3, 4 with salaries 1, 1, 2, 2 and k = 2: {1, 2} and {3, 4} lie at 1/2 of the ordered distance from Q.

    From the seed x = 1 the next record is x = 3; with it in place of x = 2, the farthest that may leave, the class has
    salaries 1, 2 like the table, and so has the other. MDAV has to merge both.
    """
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "salary": [1, 1, 2, 2]})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="salary")
    model: Any = KAnonymity(2) & TCloseness(0, ground="ordered")
    found = swapping(table, model)
    assert found.done == {"k": 2, "swaps": 1, "classes before mergers": 2, "mergers": 0}
    assert [group.tolist() for group in found.grouped.groups] == [[0, 2], [1, 3]]
    assert len(mdav(table, model).partition) == 1
    assert swapping(table, KAnonymity(2) & TCloseness("1/2", ground="ordered")).done["swaps"] == 0


def test_it_asks_for_one_t_closeness_and_enough_records() -> None:
    table = Microdata.from_frame(pd.DataFrame({"x": [1], "s": [1]}), quasi_identifiers="x", sensitive="s")
    with pytest.raises(InputError, match="has 0 of these"):
        swapping(table, KAnonymity(1))
    with pytest.raises(InfeasibleError, match="the table has 1"):
        swapping(table, TCloseness(1, ground="ordered"), k=2)


@pytest.mark.parametrize("values", ["aabbcdcd", "bbaacdcd", "ddccabab"])
def test_of_values_that_may_leave_alike_the_farthest_record_goes_whichever_value_it_has(values: str) -> None:
    """Around the seed x = 0 either value may leave for that of x = 4, with the same gain, 1/2 to 1/4: x = 3 does."""
    table = Microdata.from_frame(pd.DataFrame({"x": range(8), "s": list(values)}), quasi_identifiers="x", sensitive="s")
    found = swapping(table, KAnonymity(4) & TCloseness("1/4", ground="equal"))
    assert found.done["swaps"] == 1
    assert sorted(group.tolist() for group in found.grouped.groups) == [[0, 1, 2, 4], [3, 5, 6, 7]]
