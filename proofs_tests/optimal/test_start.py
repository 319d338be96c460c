"""Where a search starts, it is never worse than; what is not a start is refused by name; and what is drawn is drawn."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proofs_tests.anonymize.cases import costs_of
from proofs_tests.optimal.hard import table_of
from proofs_tests.optimal.oracle import MODELS, least_total, random_instance
from tcloseness.anonymize import mdav, mondrian
from tcloseness.errors import InputError, SolverError, TableError
from tcloseness.loss.names import OF_CLASSES
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import DistinctLDiversity, KAnonymity, TCloseness
from tcloseness.optimal import Feasible, Optimal, cut, optimal_cut, optimal_partition, partition
from tcloseness.optimal.partition import FORMULATIONS
from tcloseness.optimal.solver import Proposal
from tcloseness.optimal.tree import Searched
from tcloseness.release import AtLevel, Partition, attributes_of
from tcloseness.release.anonymized import verified

pytestmark = pytest.mark.solver

MODEL = KAnonymity(3) & DistinctLDiversity(2)


def loss_of(partition: Partition, loss: str = "ncp", k: int = 3) -> Any:
    table = partition.table
    return costs_of(loss, table, attributes_of(table), k=k).of(partition)


@pytest.mark.parametrize("formulation", ["auto", "assignment", "column-generation"])
@pytest.mark.parametrize(
    ("loss", "limit"),
    [
        *((loss, 1e-9) for loss in ("ncp", "dm", "c-avg")),
        ("ncp", 0.3),
        *(pytest.param(loss, 0.3, marks=pytest.mark.slow) for loss in ("dm", "c-avg")),
    ],
)
def test_no_answer_is_worse_than_its_start(formulation: Any, loss: str, limit: float) -> None:
    table = table_of(40)
    for start in (mondrian(table, MODEL), mdav(table, MODEL, seed=1)):
        found = optimal_partition(table, MODEL, loss, start=start, formulation=formulation, time_limit=limit)
        assert isinstance(found, (Feasible, Optimal))
        assert found.objective <= loss_of(start.grouped, loss)
        assert found.solution.done["started from"] == start.method
        if limit < 1e-6:
            assert found.objective == loss_of(start.grouped, loss)
            assert found.solution.partition.class_of.tolist() == start.partition.class_of.tolist()


def test_a_proposal_that_is_worse_than_the_start_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver may end with any incumbent: here with all records in one class, or with the roots."""
    table, start = table_of(20), mondrian(table_of(20), MODEL)

    def one_class(self: partition.Task, formulation: str, upper: int | None) -> partition.Outcome:
        assert upper is not None
        return partition.Outcome(formulation, [dict(enumerate(self.kinds.counts))], 0, "none")

    def violating(self: partition.Task, formulation: str, upper: int | None) -> partition.Outcome:
        groups = [{kind: count} for kind, count in enumerate(self.kinds.counts)]
        return partition.Outcome(formulation, groups, 0, "none")

    monkeypatch.setattr(partition.Task, "solve", violating)
    with pytest.raises(SolverError, match=r"proposes 20 classes on which .* is violated; refused"):
        optimal_partition(table, MODEL, start=start)
    monkeypatch.setattr(partition.Task, "solve", one_class)
    found = optimal_partition(table, MODEL, start=start)
    assert isinstance(found, Feasible)
    assert found.objective == loss_of(start.grouped)
    roots = optimal_partition(table, MODEL)
    assert isinstance(roots, Feasible)
    assert roots.objective == 60  # twenty records of three cells

    monkeypatch.setattr(cut, "propose", lambda *_, **__: Proposal({}, -math.inf))
    monkeypatch.setattr(cut.SplitProgram, "search", lambda *_: Searched(None, open=True))
    monkeypatch.setattr(cut.SplitProgram, "read", lambda *_: [[0], [0]])
    at = optimal_cut(sixteen(), KAnonymity(2), hierarchies=NUMBERS, start={"x": 1, "y": 2})
    assert isinstance(at, Feasible)
    assert at.objective == 16 * (Fraction(1, 4) + 1)  # fours of sixteen, and all


@pytest.mark.long
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_from_any_start_the_optimum_is_the_same(formulation: Any) -> None:
    """From every record in one class, from the optimum itself, and from partitions that suppress."""
    draw = random.Random(f"start {formulation}")
    tried = 0
    while tried < 8:
        instance = random_instance(draw, most=6)
        model, _, good = draw.choice(MODELS())
        suppressed = draw.randint(0, 2)
        least = least_total(instance, "ncp", good, min(suppressed, len(instance.rows) - 1))
        if least is None:
            continue
        tried += 1
        ask: dict[str, Any] = {"hierarchies": instance.hierarchies, "suppress_at_most": suppressed}
        table = instance.table
        first = optimal_partition(table, model, formulation=formulation, **ask)
        assert isinstance(first, Optimal)
        for start in (first.solution, first.solution.grouped, first.solution.grouped.class_of.tolist()):
            again = optimal_partition(table, model, formulation=formulation, start=start, **ask)
            assert isinstance(again, Optimal)
            assert again.objective == first.objective == least


def test_what_is_no_start_is_refused_by_name() -> None:
    table, other = table_of(12), table_of(9)
    one = np.zeros(12, dtype=np.int64)
    for start, model, message in (
        (
            mondrian(other, MODEL),
            MODEL,
            r"of another table \(9 records of x, y, z; this one has 12 records of x, y, z\)",
        ),
        ([0] * 6 + [1] * 4 + [2] * 2, KAnonymity(3), r"does not satisfy k-anonymity: 1 of 3 classes violate it"),
        ([-1] + [0] * 11, KAnonymity(3), "suppresses 1 records, and at most 0 may be"),
        (one[:5], KAnonymity(3), r"class numbers have shape \(5,\)"),
        (one + 1, KAnonymity(3), "class 0 has no records"),
        (one * 0.5, KAnonymity(3), "give a whole number"),
        ("mondrian", KAnonymity(3), "class numbers have shape"),
        ([[0], [1, 2]], KAnonymity(3), "is not a number for each record|class numbers have shape"),
        ([True] * 12, KAnonymity(3), "give a whole number"),
    ):
        with pytest.raises((InputError, TableError), match=message):
            optimal_partition(table, model, start=start)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="suppresses every record"):
        optimal_partition(table, KAnonymity(3), start=one - 1, suppress_at_most=12)
    frame = pd.DataFrame({"x": range(12), "s": list("abc") * 4})
    a, b = (
        Microdata.from_frame(each, quasi_identifiers="x", sensitive="s")
        for each in (frame, frame.replace({"x": {0: 99}}))
    )
    back = Microdata.from_frame(
        frame.iloc[::-1], quasi_identifiers="x", sensitive="s"
    )  # the same rows in another order
    for other in (b, back):
        with pytest.raises(InputError, match="of one with other values"):
            optimal_partition(a, KAnonymity(2), start=mondrian(other, KAnonymity(2)))


def test_a_start_of_an_equal_table_is_one_of_this() -> None:
    frame = pd.DataFrame({"x": [1, 2, 8, 9], "s": list("abab")})
    a, b = (Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s") for _ in range(2))
    found = optimal_partition(a, KAnonymity(2), start=mondrian(b, KAnonymity(2)))
    assert found.solution.partition.table is a  # type: ignore[union-attr]


@pytest.mark.parametrize(("first", "objective"), [([0, 0, 1, 1], 4 + 4 + 16), ([0, 1, 1, 1], 16 + 16)])
def test_a_release_starts_from_its_classes_as_made_or_as_shown_where_the_model_needs_that(
    first: list[int], objective: int
) -> None:
    """Four records of one number may be two classes, which look alike and so are shown as one."""
    frame = pd.DataFrame({"x": [0] * 4 + [5] * 4, "s": list("abababab")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    made = Partition(table, np.array([*first, 2, 2, 2, 2]))
    start = verified(made, KAnonymity(2), method="ours", attributes=attributes_of(table))
    assert (len(start.grouped), len(start.partition)) == (3, 2)
    found = optimal_partition(table, KAnonymity(2), "dm", start=start, time_limit=1e-9)
    assert isinstance(found, Feasible)
    assert found.objective == objective


def test_a_start_may_suppress_where_that_is_allowed() -> None:
    """Of a, a, a, b half may be a: two go. Without time the start is the answer."""
    frame = pd.DataFrame({"x": range(4), "s": list("aaab")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    found = optimal_partition(table, DistinctLDiversity(2), start=[-1, -1, 0, 0], suppress_at_most=2, time_limit=1e-9)
    assert isinstance(found, Feasible)
    assert found.solution.partition.class_of.tolist() == [-1, -1, 0, 0]


# ---------------------------------------------------------------------- cuts

SIXTEEN = [((i * 7) % 16, (i * 11) % 16, "ab"[i % 2]) for i in range(16)]

NUMBERS = {name: Hierarchy.intervals(range(16), [4], name=name) for name in "xy"}


def sixteen() -> Microdata:
    """Records whose numbers go from 0 to 15; the levels of their hierarchies are numbers, fours and all."""
    return Microdata.from_frame(pd.DataFrame(SIXTEEN, columns=list("xys")), quasi_identifiers=["x", "y"], sensitive="s")


@pytest.mark.parametrize("recoding", ["subtree", "full-domain"])
@pytest.mark.parametrize("loss", sorted(OF_CLASSES))
def test_no_cut_is_worse_than_the_levels_that_it_starts_from(recoding: Any, loss: str) -> None:
    table, model, levels = sixteen(), KAnonymity(2), {"x": 1, "y": 2}
    at = [AtLevel(c.name, c.domain, NUMBERS[c.name], levels[c.name]) for c in table.quasi_identifiers]
    labels = np.column_stack([a.label_of[c.codes] for a, c in zip(at, table.quasi_identifiers, strict=True)])
    shown = np.unique(labels, axis=0, return_inverse=True)[1]
    expected = costs_of(loss, table, at, k=2).of(Partition(table, shown.reshape(-1)))
    ask: dict[str, Any] = {"hierarchies": NUMBERS, "recoding": recoding, "start": levels}
    found = optimal_cut(table, model, loss, time_limit=1e-9, **ask)
    roots = optimal_cut(table, model, loss, hierarchies=NUMBERS, time_limit=1e-9)
    assert isinstance(found, Feasible)
    assert isinstance(roots, Feasible)
    assert found.objective == expected < roots.objective
    best = optimal_cut(table, model, loss, **ask)
    alone = optimal_cut(table, model, loss, hierarchies=NUMBERS, recoding=recoding)
    assert isinstance(best, Optimal)
    assert isinstance(alone, Optimal)
    assert found.bound <= best.objective == alone.objective <= expected


def test_levels_that_are_no_start_are_refused_by_name() -> None:
    for start, message in (
        ({"x": 1}, "start= names x; give a level for each of x, y"),
        ({"x": 1, "y": 1, "u": 1}, "give a level for each of x, y"),
        ({"x": 1, "y": 3}, "start= has level 3 for 'y'; its hierarchy has the levels 0 to 2"),
        ({"x": -1, "y": 1}, "has level -1 for 'x'"),
        ({"x": True, "y": 1}, "has level True for 'x'"),
        ({"x": 0, "y": 0}, r"start= does not satisfy k-anonymity: 16 of 16 classes at these levels violate it"),
    ):
        with pytest.raises(InputError, match=message):
            optimal_cut(sixteen(), KAnonymity(2), hierarchies=NUMBERS, start=start)


def test_a_level_is_found_where_nodes_have_one_child() -> None:
    """a alone below north, b and c below south: at level 1 the nodes are north, not a, and south."""
    towns = Hierarchy([("a", "north", "*"), ("b", "south", "*"), ("c", "south", "*")], name="x")
    frame = pd.DataFrame({"x": list("abc"), "s": list("sst")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    for level, labels in ((0, ("a", "b", "c")), (1, ("north", "south")), (2, ("*",))):
        found = optimal_cut(
            table, KAnonymity(1), "height", hierarchies={"x": towns}, start={"x": level}, time_limit=1e-9
        )
        assert isinstance(found, Feasible | Optimal)
        assert found.solution.nodes == {"x": labels}


# ---------------------------------------------------------------------- what is drawn


def shown(found: Any) -> Counter[tuple[Any, ...]]:
    """The classes as what they show, with their sizes."""
    release = found.solution
    return Counter(zip(release.labels, release.partition.sizes.tolist(), strict=True))


@pytest.mark.long
@pytest.mark.parametrize("formulation", FORMULATIONS[1:])
def test_what_asks_nothing_of_the_sensitive_values_does_not_depend_on_them(formulation: Any) -> None:
    draw = random.Random(5)
    for _ in range(6):
        xs = [draw.randint(0, 4) for _ in range(8)]
        values = [draw.choice("abcd") for _ in xs]
        seen = set()
        for _ in range(4):
            frame = pd.DataFrame({"x": xs, "y": [x * x % 5 for x in xs], "s": values})
            table = Microdata.from_frame(frame, quasi_identifiers=["x", "y"], sensitive="s")
            found = optimal_partition(table, KAnonymity(3), formulation=formulation)
            seen.add((found.objective, tuple(sorted(shown(found).items()))))  # type: ignore[union-attr]
            draw.shuffle(values)
        assert len(seen) == 1


@pytest.mark.long
def test_which_of_equal_records_goes_into_which_class_is_drawn() -> None:
    """x = 0, 0, 1, 1, 2, 2: one of x = 1 joins the zeros, each about as often, whatever its sensitive value is."""
    frame = pd.DataFrame({"x": [0, 0, 1, 1, 2, 2], "s": list("abcdef")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")

    def joins(model: Any, **given: Any) -> int:
        classes = optimal_partition(table, model, **given).solution.grouped.class_of  # type: ignore[union-attr]
        assert classes[0] == classes[1] != classes[4] == classes[5]
        return 1 if classes[2] == classes[0] else 2

    drawn = Counter(joins(KAnonymity(3), seed=seed) for seed in range(60))
    assert drawn.keys() == {1, 2}
    assert min(drawn.values()) > 15
    assert {joins(KAnonymity(3)) for _ in range(40)} == {1, 2}  # fails once in 2³⁹ times
    assert len({joins(KAnonymity(3), seed=3) for _ in range(5)}) == 1
    found = optimal_partition(table, KAnonymity(3), seed=3)
    assert "seed 3" in found.solution.conventions["draws"]  # type: ignore[union-attr]
    with pytest.raises(InputError, match="seed"):
        optimal_partition(table, KAnonymity(2) & TCloseness(1, ground="equal"), seed=-1)
