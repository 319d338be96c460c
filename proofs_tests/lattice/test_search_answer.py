"""A question to the lattice lists the nodes that the searches find, and an interrupt leaves what was found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.lattice.cases import Case, cases, minimal, models
from tcloseness.errors import InputError
from tcloseness.lattice import RollUp, exhaustive, incognito, minimal_generalizations
from tcloseness.lattice.optimum import EXCLUDED
from tcloseness.lattice.search_answer import search_lattice
from tcloseness.loss import Discernibility, GeneralizationHeight
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import KAnonymity

SMALL = Case(
    [("v0", "v0", 0), ("v0", "v1", 1), ("v1", "v1", 2), ("v2", "v0", 3)],
    {
        "a": Hierarchy([("v0", "low", "*"), ("v1", "low", "*"), ("v2", "high", "*")], name="a"),
        "b": Hierarchy.suppression(["v0", "v1"], name="b"),
    },
)


@effort(2 / 3)
@given(cases(max_attributes=2), models, st.integers(0, 5))
def test_the_listed_nodes_are_those_that_were_asked_for(case, model, limit):
    limit = min(limit, len(case.rows))
    satisfying = case.satisfying(model, limit)
    rolled = case.rolled(compiled=False)
    for wanted, expected in (("minimal", minimal(satisfying)), ("all", satisfying)):
        found = search_lattice(rolled, model, ground="equal", wanted=wanted, suppression=limit)
        assert {each.node for each in found.listed} == expected
        assert found.status == ("satisfied" if satisfying else "violated")
        assert (found.top is None) == bool(satisfying)
    best = search_lattice(
        rolled, model, ground="equal", wanted="optimum", loss=Discernibility(), suppression=limit, decide_all=True
    )
    assert best.result is not None
    assert set(best.result.satisfying) == satisfying
    if satisfying:
        values = {
            node: case.loss(node, model if limit else KAnonymity(1), Discernibility()).value for node in satisfying
        }
        assert {each.node for each in best.listed} == {n for n, v in values.items() if v == min(values.values())}
        assert {each.losses["discernibility"].value for each in best.listed} == {min(values.values())}


def test_progress_is_told_of_each_stage():
    told: dict[str, tuple[int, int]] = {}
    search_lattice(
        SMALL.rolled(compiled=False),
        KAnonymity(2),
        ground="equal",
        wanted="all",
        progress=lambda stage, done, everything: told.update({stage: (done, everything)}),
    )
    assert told == {"searching": (6, 6), "measuring": (2, 2)}


def test_the_measured_losses_are_those_asked_for_and_the_one_minimized():
    rolled = SMALL.rolled(compiled=False)
    found = search_lattice(
        rolled, KAnonymity(2), ground="equal", wanted="optimum", loss=Discernibility(), losses=[GeneralizationHeight()]
    )
    assert list(found.listed[0].losses) == ["generalization height", "discernibility"]


def test_of_losses_with_one_name_the_minimized_one_is_measured():
    """DM* is discernibility too: at 01 a single record is suppressed, which costs 1 before suppression and 4 after."""
    found = search_lattice(
        SMALL.rolled(compiled=False),
        KAnonymity(2),
        ground="equal",
        wanted="optimum",
        suppression=2,
        loss=Discernibility("before-suppression"),
        losses=[Discernibility(), GeneralizationHeight()],
    )
    assert found.optimum is not None
    for best, listed in zip(found.optimum.nodes, found.listed, strict=True):
        assert list(listed.losses) == ["discernibility", "generalization height"]
        assert listed.losses["discernibility"].to_dict() == best.loss.to_dict()
        assert listed.losses["discernibility"].value < Discernibility().evaluate(found.at(best.node)).value


def test_an_undecided_node_leaves_only_an_optimum_open():
    """A listed node satisfies whatever another does; an optimum could be beaten by the other."""
    asked = {"rolled": SMALL.rolled(compiled=False), "model": KAnonymity(2), "ground": "equal"}
    found = search_lattice(**asked)
    found.result.tags.set((0, 0), "undecided")
    assert (found.undecided, found.status, replace(found, listed=()).status) == (1, "satisfied", "undecided")
    best = search_lattice(**asked, wanted="optimum", loss=Discernibility())
    assert best.status == "satisfied"
    beaten = replace(best.optimum, excluded={EXCLUDED["undecided"]: 1})
    assert replace(best, optimum=beaten).status == "undecided"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"losses": [Discernibility(), Discernibility("one-class")]}, "2 losses are named 'discernibility'"),
        ({"wanted": "optimum", "loss": Discernibility}, r"is not a loss.* give an object, Discernibility\(\)"),
        ({"wanted": "best"}, "'minimal', 'all' or 'optimum'"),
        ({"wanted": "optimum"}, "needs the loss"),
        ({"wanted": "all", "loss": Discernibility()}, "needs the loss"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        search_lattice(SMALL.rolled(compiled=False), KAnonymity(2), ground="equal", **options)


@pytest.mark.parametrize("search", [exhaustive, minimal_generalizations, incognito])
def test_an_answer_says_what_was_allowed_and_counts_its_own_roll_ups(search: Any) -> None:
    """Two searches of one table share its classes; what each says it rolled up adds up to what was."""
    frame = pd.DataFrame({"zip": ["476", "477", "479"], "disease": ["flu", "cold", "flu"]})
    frequencies = FrequencySet.from_frame(frame, quasi_identifiers="zip", sensitive="disease")
    rolled = RollUp(frequencies, {"zip": Hierarchy.prefixes(frame["zip"], name="zip")})
    first, second = (search(rolled, KAnonymity(2), suppression=limit) for limit in (1, 2))
    assert (first.limit, second.limit) == (1, 2)
    assert first.work.roll_ups + second.work.roll_ups == rolled.roll_ups
    for found in (first, second):  # of one quasi-identifier each node is a candidate
        assert found.work.checked + found.work.tagged == len(rolled.lattice)
