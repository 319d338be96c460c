"""The partition of least loss, against all partitions of small tables, in both formulations."""

from __future__ import annotations

import itertools
import json
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import Case, cases, costs_of
from proofs_tests.effort import effort
from proofs_tests.optimal.partitions import set_partitions
from proofs_tests.strategies import metrics
from tcloseness.errors import InputError, LimitReached
from tcloseness.ground import Matrix
from tcloseness.limits import Clock
from tcloseness.loss.names import OF_CLASSES
from tcloseness.measures import KullbackLeibler
from tcloseness.microdata import Microdata
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    NTCloseness,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.optimal import set_partitioning
from tcloseness.optimal.answers import Feasible, Infeasible, Optimal, Progress
from tcloseness.optimal.kinds import KindCounts
from tcloseness.optimal.partition import FORMULATIONS, optimal_partition
from tcloseness.optimal.set_partitioning import candidates, number_of_groups
from tcloseness.release import Anonymized, AtLevel, Partition, attributes_of

pytestmark = pytest.mark.solver

LINEAR = (
    KAnonymity(2),
    KAnonymity(3),
    DistinctLDiversity(2),
    FrequencyLDiversity("3/2"),
    AlphaKAnonymity("2/3", 2),
    RecursiveCLDiversity(2, c=2),
    BasicBetaLikeness(1),
    EnhancedBetaLikeness(1),
    DeltaDisclosure(2),
    TCloseness("1/4", ground="ordered"),
    TCloseness("2/5", ground="equal"),
    KAnonymity(2) & TCloseness("1/5", ground="ordered-by-value"),
)
OTHER = (EntropyLDiversity("3/2"), TCloseness("1/5", measure=KullbackLeibler()))

models = st.one_of(
    st.sampled_from(LINEAR),
    metrics(4).map(lambda d: TCloseness("2", ground=Matrix(d)) & KAnonymity(2)),
)


def least_loss(case: Case, model: Any, loss: str, k: int, suppressed: int = 0) -> Fraction | None:
    """By hand: the least loss of all partitions whose classes satisfy the model; None if there is none.

    A model sees the classes' sensitive values and nothing else, so it is asked once for each way to spread them.
    """
    cost = costs_of(loss, case.table, attributes_of(case.table, case.hierarchies), k=k)
    rows = range(len(case.rows))
    satisfied: dict[tuple[tuple[int, ...], ...], bool] = {}
    found = None
    for kept in itertools.chain.from_iterable(
        itertools.combinations(rows, len(rows) - gone) for gone in range(min(suppressed, len(rows) - 1) + 1)
    ):
        for places in set_partitions(len(kept)):
            groups = [[kept[i] for i in group] for group in places]
            spread = tuple(sorted(tuple(sorted(case.rows[i][-1] for i in group)) for group in groups))
            if spread not in satisfied:
                satisfied[spread] = model.evaluate(Partition.of(case.table, groups).class_counts()).satisfied
            if satisfied[spread]:
                value = cost.of(Partition.of(case.table, groups))
                found = value if found is None else min(found, value)
    return found


def k_of(model: Any) -> int:
    parts = getattr(model, "models", (model,))
    return max(getattr(part, "k", None) or 1 for part in parts)


def solved(case: Case, model: Any, loss: str, formulation: Any, **options: Any) -> Any:
    return optimal_partition(case.table, model, loss, hierarchies=case.hierarchies, formulation=formulation, **options)


def assert_least(case: Case, model: Any, loss: str, found: Any, suppressed: int = 0) -> None:
    least = least_loss(case, model, loss, k_of(model), suppressed)
    if least is None:
        assert isinstance(found, Infeasible)
        return
    assert isinstance(found, Optimal)
    assert found.objective == least
    release = found.solution
    assert isinstance(release, Anonymized)
    assert release.grouped.suppressed <= suppressed
    assert model.evaluate(release.grouped.class_counts()).satisfied
    assert model.evaluate(release.partition.class_counts()).satisfied


@pytest.mark.parametrize("loss", sorted(OF_CLASSES))
@effort(1 / 3)
@given(cases(max_rows=5), models)
def test_no_partition_has_less_loss_by_assignment(loss: str, case: Case, model: Any) -> None:
    assert_least(case, model, loss, solved(case, model, loss, "assignment"))


@pytest.mark.parametrize("loss", sorted(OF_CLASSES))
@effort(1 / 10)
@given(cases(max_rows=6), st.one_of(models, st.sampled_from(OTHER)))
def test_no_partition_has_less_loss_by_set_partitioning(loss: str, case: Case, model: Any) -> None:
    assert_least(case, model, loss, solved(case, model, loss, "set-partitioning"))


@pytest.mark.parametrize("loss", sorted(OF_CLASSES))
@effort(1 / 6)
@given(cases(max_rows=6), st.one_of(models, st.sampled_from(OTHER)))
def test_no_partition_has_less_loss_by_column_generation(loss: str, case: Case, model: Any) -> None:
    assert_least(case, model, loss, solved(case, model, loss, "column-generation"))


@pytest.mark.parametrize("formulation", FORMULATIONS[1:])
@effort(1 / 4)
@given(cases(max_rows=5), models, st.sampled_from(["ncp", "lm", "height", "dm"]), st.integers(1, 5))
def test_no_partition_that_suppresses_as_few_has_less_loss(
    formulation: Any, case: Case, model: Any, loss: str, most: int
) -> None:
    found = solved(case, model, loss, formulation, suppress_at_most=most)
    assert_least(case, model, loss, found, suppressed=most)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["numeric", "hierarchical", "categorical"])
@effort(1)
@given(data=st.data(), loss=st.sampled_from(["ncp", "lm", "height"]))
def test_each_kind_of_attribute_is_penalized_exactly(kind: str, data: st.DataObject, loss: str) -> None:
    case = data.draw(cases(kinds=(kind,), max_rows=5))
    assert_least(case, KAnonymity(2), loss, solved(case, KAnonymity(2), loss, "assignment"))


@pytest.mark.slow
@effort(1 / 3)
@given(cases(max_rows=8), models, st.sampled_from(sorted(OF_CLASSES)))
def test_the_formulations_agree(case: Case, model: Any, loss: str) -> None:
    answers = [solved(case, model, loss, f) for f in FORMULATIONS[1:]]
    assert len({type(found) for found in answers}) == 1
    assert len({found.objective for found in answers if isinstance(found, Optimal)}) <= 1


@effort(1 / 4)
@given(cases(max_rows=8), st.sampled_from(["ncp", "dm"]), st.fractions(0, "1/2", max_denominator=9))
def test_a_weaker_threshold_never_costs_more(case: Case, loss: str, t: Fraction) -> None:
    strict, weak = (
        solved(case, KAnonymity(2) & TCloseness(bound, ground="equal"), loss, "auto")
        for bound in (t, t + Fraction(1, 8))
    )
    if isinstance(strict, Optimal):
        assert isinstance(weak, Optimal)
        assert weak.objective <= strict.objective


def table_of(rows: list[tuple[Any, ...]], names: str = "xys", **options: Any) -> Microdata:
    frame = pd.DataFrame(rows, columns=list(names))
    return Microdata.from_frame(frame, quasi_identifiers=list(names[:-1]), sensitive=names[-1], **options)


FOUR = [(1, 1, "a"), (2, 2, "b"), (8, 8, "a"), (9, 9, "b")]


@pytest.mark.parametrize("formulation", ["auto", "assignment", "set-partitioning"])
@pytest.mark.parametrize("engine", ["HiGHS", "CBC"])
def test_four_points_make_two_pairs(formulation: Any, engine: Any) -> None:
    """Ranges 8 and 8; two pairs of extent 1 and 1: each record costs 1/8 + 1/8, over 2 attributes 1/8."""
    found = optimal_partition(table_of(FOUR), KAnonymity(2), "gcp", formulation=formulation, engine=engine)
    assert isinstance(found, Optimal if engine == "HiGHS" else Feasible)
    assert found.objective == Fraction(1, 8)
    assert found.solution.labels == (("1-2", "1-2"), ("8-9", "8-9"))
    assert found.proof == (
        "exact argument: linear programming duality in whole numbers, checked"
        if engine == "HiGHS"
        else "exact argument: any solution costs as much"
    )
    json.dumps(found.to_dict())


def test_k_of_all_records_is_one_class() -> None:
    found = optimal_partition(table_of(FOUR), KAnonymity(4))
    assert isinstance(found, Optimal)
    assert (found.objective, len(found.solution.partition)) == (8, 1)


def test_the_widest_pair_need_not_hold_the_first_record() -> None:
    """k = 3 of three records: x from 1 to 3, y from 0 to 9, each the whole range; the first has the middle y."""
    found = optimal_partition(
        table_of([(1, 5, "a"), (2, 0, "a"), (3, 9, "a")]), KAnonymity(3), formulation="assignment"
    )
    assert isinstance(found, Optimal)
    assert found.objective == 6


@pytest.mark.parametrize(("loss", "expected"), [("ncp", 4), ("lm", Fraction(1, 2))])
def test_sets_count_their_values(loss: str, expected: Fraction) -> None:
    """Six records of towns a, a, b, c, c, c of three: {a, a, b} costs 2/3 (NCP) or 1/2 (LM) a record, {c, c, c} none.

    So NCP 3·2/3 = 2 and LM 3·(1/2)/6 = 1/4. With one c fewer and k = 5, all five in one class: NCP 5, LM 1.
    """
    rows = [(town, 1) for town in "aabccc"]
    found = optimal_partition(table_of(rows, "xs"), KAnonymity(3), loss, formulation="assignment")
    assert isinstance(found, Optimal)
    assert found.objective == expected / 2
    whole = optimal_partition(table_of(rows[:5], "xs"), KAnonymity(5), loss, formulation="assignment")
    assert isinstance(whole, Optimal)
    assert whole.objective == {"ncp": 5, "lm": 1}[loss]


def test_equal_records_need_no_label_and_no_order() -> None:
    rows = [(1, 1, "a")] * 5 + [(2, 2, "b")] * 5
    for formulation in FORMULATIONS[1:]:
        found = optimal_partition(table_of(rows), KAnonymity(5), formulation=formulation)
        assert isinstance(found, Optimal)
        assert (found.objective, len(found.solution.partition)) == (0, 2)
        mixed = optimal_partition(table_of(rows), DistinctLDiversity(2), formulation=formulation)
        assert isinstance(mixed, Optimal)
        assert mixed.objective == 20


def test_classes_of_equal_labels_are_published_as_one() -> None:
    """DM of two classes of two equal records is 4 + 4; a reader sees one class of four, 16."""
    found = optimal_partition(table_of([(1, 1, "a")] * 4), KAnonymity(2), "dm")
    assert isinstance(found, Optimal)
    assert (found.objective, len(found.solution.grouped), len(found.solution.partition)) == (8, 2, 1)
    assert found.solution.done["loss of the classes as published"] == "16"


def test_t_closeness_may_need_classes_past_2k() -> None:
    """Values a, a, a, a, b: a class that is exactly like the whole table has all five records, though k = 1."""
    rows = [(i, i, s) for i, s in enumerate("aaaab")]
    for formulation in FORMULATIONS[1:]:
        found = optimal_partition(
            table_of(rows),
            KAnonymity(1) & TCloseness(0, ground="equal"),
            formulation=formulation,
        )
        assert isinstance(found, Optimal)
        assert len(found.solution.grouped) == 1


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.integers(1, 3))
@effort(1 / 3)
def test_with_k_alone_groups_of_k_to_2k_less_1_are_left(counts: list[int], k: int) -> None:
    rows = [(i, "a") for i, count in enumerate(counts) for _ in range(count)]
    table = table_of(rows, "xs")
    left = candidates(KindCounts(table, attributes_of(table)), KAnonymity(k), Clock())
    ways = itertools.product(*(range(c + 1) for c in counts))
    assert sorted(map(tuple, left.tolist())) == sorted(way for way in ways if k <= sum(way) < 2 * k)


def test_with_diversity_only_groups_that_do_not_fall_apart_are_left() -> None:
    """Records a, a, b, b: {a, b} twice; (a, a, b) does not fall into two diverse groups, (a, a, b, b) does."""
    table = table_of([(1, "a"), (1, "a"), (1, "b"), (1, "b")], "xs")
    left = candidates(KindCounts(table, attributes_of(table)), DistinctLDiversity(2), Clock())
    assert sorted(map(tuple, left.tolist())) == [(1, 1), (1, 2), (2, 1)]


def test_what_the_whole_table_cannot_do_no_partition_can() -> None:
    for model in (KAnonymity(5), DistinctLDiversity(3), KAnonymity(2) & FrequencyLDiversity(3)):
        found = optimal_partition(table_of(FOUR), model)
        assert isinstance(found, Infeasible)
        assert "exact argument" in found.reason


LARGER = [((i * 37) % 101, (i * 53) % 97, "abc"[i % 3]) for i in range(24)]


@pytest.mark.long
def test_in_a_second_a_larger_table_has_a_gap() -> None:
    model = KAnonymity(3) & TCloseness("1/5", ground="equal")
    found = optimal_partition(table_of(LARGER), model, time_limit=1, formulation="assignment")
    assert isinstance(found, Feasible)
    assert found.solution.done["formulation"] == "assignment"
    assert 0 <= found.bound < found.objective
    assert found.objective <= 24 * 2  # that of one class
    assert model.evaluate(found.solution.partition.class_counts()).satisfied
    with pytest.raises(LimitReached, match="groups of records could be classes"):
        optimal_partition(table_of(LARGER), model, formulation="set-partitioning")


@pytest.mark.long
def test_the_formulations_agree_on_a_larger_table() -> None:
    """24 records in groups of 3 to 5 are more than set partitioning takes; with C_AVG 8 classes of 3 are obvious."""
    table = table_of([(x % 9, y % 9, s) for x, y, s in LARGER])
    generated = optimal_partition(table, KAnonymity(3))
    assert isinstance(generated, Optimal)
    assert generated.solution.done["formulation"] == "column-generation"
    assigned = optimal_partition(table, KAnonymity(3), formulation="assignment", time_limit=1)
    assert assigned.bound <= generated.objective <= assigned.objective  # type: ignore[union-attr]
    averaged = optimal_partition(table, KAnonymity(3), "c-avg")
    assert isinstance(averaged, Optimal)
    assert averaged.objective == 1
    # more than 8 classes of 3 there cannot be
    assert averaged.proof == "exact argument: any solution costs as much, checked"


def test_out_of_time_column_generation_has_a_gap() -> None:
    told: list[Progress] = []
    model = KAnonymity(3) & TCloseness("1/5", ground="equal")
    found = optimal_partition(table_of(LARGER), model, time_limit=1e-9, progress=told.append)
    assert isinstance(found, Feasible)
    assert (found.objective, found.bound) == (48, 0)
    with pytest.raises(LimitReached, match="give more time"):
        optimal_partition(table_of(FOUR), KAnonymity(2) & DistinctLDiversity(3), time_limit=1e-9, suppress_at_most=1)


def test_an_outlier_is_suppressed_at_the_cost_of_two_cells() -> None:
    """Four points and (100, 100): with it a class is wide; without it NCP (1/99 + 1/99)·4 for the pairs, and 2."""
    rows = [*FOUR, (100, 100, "a")]
    found = optimal_partition(table_of(rows), KAnonymity(2), suppress_at_most=1)
    assert isinstance(found, Optimal)
    assert found.objective == Fraction(8, 99) + 2
    assert found.solution.partition.suppressed == 1
    assert found.solution.done["suppressed"] == 1
    kept = optimal_partition(table_of(rows), KAnonymity(2))
    assert isinstance(kept, Optimal)
    assert kept.objective > found.objective


def test_suppression_helps_where_the_whole_table_cannot_satisfy() -> None:
    """Values a, a, a, b: a half of b needs two of the a's gone; with one gone no partition satisfies."""
    rows = [(i, i, s) for i, s in enumerate("aaab")]
    for formulation in FORMULATIONS[1:]:
        model = FrequencyLDiversity(2)
        assert isinstance(optimal_partition(table_of(rows), model, formulation=formulation), Infeasible)
        one = optimal_partition(table_of(rows), model, formulation=formulation, suppress_at_most=1)
        assert isinstance(one, Infeasible)
        two = optimal_partition(table_of(rows), model, formulation=formulation, suppress_at_most=2)
        assert isinstance(two, Optimal)
        assert two.objective == 4 + 2 * Fraction(2, 3)  # records 0, 1 go; 2 and 3 make a class of extent 1/3 and 1/3


@effort(1 / 6)
@given(cases(max_rows=8), st.sampled_from(["gcp", "c-avg"]))
def test_the_order_of_records_changes_no_optimum(case: Case, loss: str) -> None:
    model = KAnonymity(2) & DistinctLDiversity(2)
    back = case.permuted(range(len(case.rows))[::-1])
    one, other = (solved(c, model, loss, "auto") for c in (case, back))
    assert type(one) is type(other)
    if isinstance(one, Optimal):
        assert one.objective == other.objective


def test_what_has_no_form_is_refused_by_name() -> None:
    table = table_of(FOUR)
    for arguments, message in (
        ({"model": KAnonymity()}, "no threshold"),
        ({"model": DeltaDisclosure(9, absent="skipped")}, "not monotone under generalization"),
        ({"model": NTCloseness(2, "1/2", ground="equal")}, "judge each class by itself"),
        ({"model": EntropyLDiversity(2), "formulation": "assignment"}, "not linear"),
        ({"model": KAnonymity(2), "formulation": "sat"}, "formulation='sat' is unknown"),
        ({"model": KAnonymity(2), "loss": "kl"}, "the loss KL utility has no class_cost"),
        ({"model": KAnonymity(2), "loss": "c-avg", "suppress_at_most": 1}, "suppression lowers it"),
        ({"model": KAnonymity(2), "suppress_at_most": -1}, "a number of records"),
        (
            {"model": KAnonymity(2), "formulation": "column-generation", "engine": "CBC"},
            "needs the dual prices of HiGHS",
        ),
    ):
        with pytest.raises(InputError, match=message):
            optimal_partition(table, **arguments)  # type: ignore[arg-type]


def test_an_attribute_of_unknown_kind_needs_the_other_formulation() -> None:
    table = table_of([(1, "a"), (1, "b")], "xs")
    column = table.quasi_identifiers[0]
    cost = costs_of("lm", table, [AtLevel(column.name, column.domain, None, 0)])
    with pytest.raises(InputError, match="has no linear form"):
        cost.by_values(0)


def test_numbers_past_what_doubles_carry_are_refused() -> None:
    rows = [(0, 0, "a"), (2**40, 3**25, "b"), (5, 7, "a"), (11, 13, "b")]
    with pytest.raises(LimitReached, match="2\\^53"):
        optimal_partition(table_of(rows), KAnonymity(2))


@pytest.mark.parametrize("less", [0, 1])
def test_as_many_groups_as_may_be_are_tried_and_no_more(less: int, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"x": [1, 1, 2, 3, 5], "s": list("abaab")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    kinds = KindCounts(table, attributes_of(table))
    every = itertools.product(*(range(count + 1) for count in kinds.counts))
    number = sum(2 <= sum(group) <= 3 for group in every)  # by hand: of k to 2k − 1 records
    assert number_of_groups(kinds.counts, KAnonymity(2), 10**6) == number
    monkeypatch.setattr(set_partitioning, "MOST_CANDIDATES", number - less)
    if less:
        with pytest.raises(LimitReached, match=f"more than {number - 1} groups"):
            candidates(kinds, KAnonymity(2), Clock())
    else:
        assert len(candidates(kinds, KAnonymity(2), Clock())) == number


@pytest.mark.parametrize("counts", [(3, 2, 2), (260, 1), (1, 70_000)])
def test_what_is_left_of_groups_are_those_that_no_two_others_make(counts: tuple[int, ...]) -> None:
    """Numbers of records that need one byte, two and four."""
    draw = random.Random(str(counts))
    for _ in range(20):
        some = {tuple(draw.randint(0, count) for count in counts) for _ in range(6)} - {(0,) * len(counts)}
        unions = {tuple(a + b for a, b in zip(x, y, strict=True)) for x in some for y in some}
        given = sorted(some | {u for u in unions if all(a <= b for a, b in zip(u, counts, strict=True))})
        sums = {tuple(a + b for a, b in zip(x, y, strict=True)) for x in given for y in given}
        found = set_partitioning._indivisible(np.array(given), counts, Clock())
        assert sorted(map(tuple, found.tolist())) == [group for group in given if group not in sums]
