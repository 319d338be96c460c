"""One loss is one number, whoever asks: of a heuristic's release, a program's objective, another tool's frame."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import tcloseness as tc
from proofs_tests.effort import effort
from proofs_tests.loss.naive import Case, cases
from tcloseness.loss import losses
from tcloseness.loss.names import OF_CLASSES, loss_named
from tcloseness.optimal import Optimal
from tcloseness.release import Release

pytestmark = pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")

TOWNS = tc.Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}], name="town")


BY_SIZE = ("dm", "class-size", "c-avg")
"""What two classes of the same labels cost is another thing once they are published, and so one class."""


def value_of(release: Release, name: str, k: int) -> Fraction:
    """The loss that a program minimizes under this name, as `losses` answers it; it leaves the mean height out."""
    loss = loss_named(name, k=k, classes=True)
    shown = losses(release, k=k)
    found = shown[loss.name] if loss.name in shown else loss.evaluate(release)
    assert isinstance(found.value, Fraction)
    return found.value


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=4, max_size=7),
    st.integers(2, 3),
    st.sampled_from(OF_CLASSES),
    st.booleans(),
)
@effort(1)
@pytest.mark.long
def test_a_heuristics_loss_is_what_the_program_minimizes(rows: list, k: int, name: str, two: bool) -> None:
    """Never below the optimum, and equal to it where both make the same classes."""
    columns = ["age", "town"] if two else ["age"]
    frame = pd.DataFrame(rows, columns=["age", "town", "ill"])
    table = tc.Table(frame, quasi_identifiers=columns, sensitive="ill", hierarchies={"town": TOWNS} if two else None)
    best = table.optimal(k=k, options={"loss": name})
    made = table.anonymize("mondrian", k=k)
    assert isinstance(best, Optimal)
    merged = len(best.solution.grouped) - len(best.solution.partition)  # classes that show the same labels
    if merged == 0 or name not in BY_SIZE:
        assert value_of(best.release, name, k) == best.objective
    assert value_of(best.release, name, k) >= best.objective
    assert value_of(made.release, name, k) >= best.objective
    assert value_of(table.read_release(made.table), name, k) == value_of(made.release, name, k)
    classes = [{frozenset(map(int, part)) for part in groups(each)} for each in (made.release, best.release)]
    if classes[0] == classes[1] and (merged == 0 or name not in BY_SIZE):
        assert value_of(made.release, name, k) == best.objective


def groups(release: Release) -> list[list[int]]:
    return list(pd.Series(range(release.records)).groupby(release.on_rows().class_of).apply(list))


def test_where_the_optimum_has_mondrians_classes_every_loss_is_the_objective() -> None:
    frame = pd.DataFrame({"age": [1, 2, 7, 8, 20, 21, 22], "ill": list("abababa")})
    table = tc.Table(frame, quasi_identifiers="age", sensitive="ill")
    made = table.anonymize("mondrian", k=2)
    for name in OF_CLASSES:
        best = table.optimal(k=2, options={"loss": name})
        assert sorted(best.release.class_sizes) == sorted(made.release.class_sizes)
        assert value_of(made.release, name, 2) == best.objective, name


@pytest.mark.slow
@given(cases())
@settings(max_examples=200, deadline=None)
def test_a_full_domain_release_costs_what_its_frame_does_by_every_loss(case: Case) -> None:
    frame = pd.DataFrame(case.rows, columns=["town", "age", "job", "sex"])
    roles = {"quasi_identifiers": ["town", "age"], "sensitive": "job"}
    made = Release.full_domain(tc.FrequencySet.from_frame(frame, **roles), case.hierarchies, case.levels)
    made = made.suppress([g for g in case.suppressed if g < len(made)])
    nodes = {name: [label for path in tree.paths for label in path] for name, tree in case.hierarchies.items()}
    texts = {name: {} for name in nodes}  # type: dict[str, dict[str, set]]
    for name, tree in case.hierarchies.items():
        for path in tree.paths:
            for level, label in enumerate(path):
                texts[name].setdefault(str(label), set()).add(level)
    if any(len(levels) > 1 for each in texts.values() for levels in each.values()):
        return  # one text on two levels: a frame does not say which is meant
    back = Release.from_frames(frame, made.table, hierarchies=case.hierarchies, suppressed=made.rows().marker, **roles)
    mine, theirs = losses(made, k=2), losses(back, k=2)
    unknown = {"generalization height"} if made.withheld.all() else set()  # no label says which level it is
    assert mine.keys() - theirs.keys() == unknown & mine.keys()
    for name, other in theirs.items():
        loss = mine[name]
        assert (other.value, other.bounds, other.terms) == (loss.value, loss.bounds, loss.terms), name
