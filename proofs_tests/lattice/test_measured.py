"""The numbers of a node are those of its release, generalized anew and without its violating classes."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.lattice.cases import cases, models
from tcloseness.errors import InputError, TableError
from tcloseness.lattice import RollUp
from tcloseness.lattice.measured import measure_node, release_at
from tcloseness.loss import Discernibility, GeneralizationHeight, NormalizedCertaintyPenalty
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, TCloseness

LOSSES = (Discernibility(), GeneralizationHeight(), NormalizedCertaintyPenalty())


@st.composite
def questions(draw):
    """A case, a node, a model, and a limit of suppression."""
    case = draw(cases())
    node = draw(st.sampled_from(sorted(case.nodes)))
    return case, node, draw(models), draw(st.integers(0, len(case.rows)))


@given(questions(), st.booleans())
def test_a_node_that_satisfies_is_measured_after_suppression(question, compiled):
    case, node, model, limit = question
    rolled = case.rolled(compiled=compiled)
    if not case.satisfies(node, model, limit):
        if limit:
            with pytest.raises(InputError, match="violates"):
                measure_node(rolled, node, model, ground="equal", limit=limit)
        else:
            assert measure_node(rolled, node, model, ground="equal").status == "violated"
        return
    found = measure_node(rolled, node, model, ground="equal", limit=limit, losses=LOSSES)
    withheld = case.withheld(node, model) if limit else []
    whole = case.classes(node)
    sizes = [int(n) for i, n in enumerate(whole.class_sizes) if i not in withheld]
    assert (found.status, found.classes, found.k, found.height) == ("satisfied", len(sizes), min(sizes), sum(node))
    assert found.suppressed == sum(whole.class_sizes) - sum(sizes)
    # class by class against the Q of all records: the worst of those that are left
    for value, measure in ((found.t, TCloseness(ground="equal")), (found.distinct_l, DistinctLDiversity())):
        values = measure.evaluate(whole).values
        left = [values[i] for i in range(len(whole)) if i not in withheld]
        assert value == (max(left) if measure.name == "t-closeness" else min(left))
    for loss in LOSSES:
        expected = case.loss(node, model if limit else KAnonymity(1), loss)  # 1-anonymity suppresses nothing
        assert found.losses[loss.name].compare(expected) == 0


@given(questions())
def test_the_suppressed_records_are_one_class_of_those_that_are_not_released(question):
    """What the release lost of each sensitive value, counted from the rows."""
    case, node, model, limit = question
    if not (limit and case.satisfies(node, model, limit)):
        return
    release, classes = release_at(case.rolled(compiled=False), node, model, limit=limit)
    if not classes.suppressed:
        with pytest.raises(TableError, match="no record"):
            release.suppressed_class()
        return
    found = release.suppressed_class()
    lost = [sum(row[-1] == value for row in case.rows) for value in range(4)]
    for cell, count in zip(classes.values.tolist(), classes.counts.tolist(), strict=True):
        lost[classes.domain.values[cell]] -= count
    assert found.vector(0) == lost
    assert found.reference.tolist() == classes.reference.tolist()


def test_entropy_is_that_of_the_poorest_class():
    """Two classes: {x, y} has ln 2, {x, x, y} less: H = ln 3 − (2/3)·ln 2, so effective l = 3/2^(2/3) = 1.8899."""
    frame = pd.DataFrame({"q": list("aabbb"), "s": list("xyxxy")})
    table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s")
    rolled = RollUp(table, {"q": Hierarchy.suppression("ab", name="q")})
    found = measure_node(rolled, (0,), EntropyLDiversity("3/2"), ground="equal")
    assert (found.status, f"{found.effective_l:.4f}") == ("satisfied", "1.8899")


def test_the_record_holds_every_number_as_text_or_whole():
    frame = pd.DataFrame({"q": list("aab"), "s": list("xyx")})
    table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s")
    rolled = RollUp(table, {"q": Hierarchy.suppression("ab", name="q")})
    model = KAnonymity(1) & TCloseness("1/2", ground="equal")
    found = measure_node(rolled, (0,), model, ground="equal", losses=[Discernibility()])
    record = found.to_dict(rolled.lattice)
    assert (record["node"], record["levels"], record["k"], record["t"]["value"]) == ("0", {"q": 0}, 1, "1/3")
    assert record["losses"]["discernibility"]["value"] == "5"  # 2² + 1²
    assert found.parts == {"k-anonymity": "satisfied", "t-closeness": "satisfied"}
