"""The law for methods: what asks nothing of sensitive values does not depend on them; of others a share is measured."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from tcloseness.anonymize import METHODS
from tcloseness.axioms import dependence_card
from tcloseness.errors import NotReached, ProtocolError
from tcloseness.methods import dependence_of, run_method
from tcloseness.microdata import Microdata
from tcloseness.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, TCloseness
from tcloseness.release import Partition

pytestmark = pytest.mark.filterwarnings("ignore:column .* has a different value in each:UserWarning")


@pytest.mark.parametrize("method", ["mondrian", "mondrian-relaxed", "mdav"])
def test_a_method_that_is_asked_for_records_alone_does_not_depend_on_values(method):
    card = dependence_of(method, KAnonymity(3), tables=3, exchanges=10)
    assert card.holds
    assert card.counterexample is None
    assert (card.tables, card.worlds) == (3, 30)
    assert "none of 30 exchanges" in card.sentence


def classes_of(people, secrets, make):
    frame = pd.DataFrame({**people, "s": secrets})
    table = Microdata.from_frame(frame, quasi_identifiers=["x", "y"], sensitive="s", domains={"s": list("abc")})
    numbers = make(table).grouped.class_of.tolist()
    return [numbers.index(number) for number in numbers]


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "model"),
    [
        ("mondrian", KAnonymity(2) & DistinctLDiversity(2)),
        ("mdav", KAnonymity(2) & DistinctLDiversity(2)),
        ("swapping", KAnonymity(3) & TCloseness("1/4", ground="equal")),
    ],
)
def test_a_method_that_looks_at_values_is_refuted_by_a_table_of_ten_records(method, model):
    """The counterexample is made again: the same values in each class, and another release."""
    card = dependence_of(method, model, exchanges=20)
    assert not card.holds
    assert 0 <= card.share < 1
    found = json.loads(json.dumps(card.to_dict()))["counterexample"]
    assert len(found["values"]) == 10
    for group in set(found["classes"]):
        members = [i for i, mine in enumerate(found["classes"]) if mine == group]
        assert sorted(found["values"][i] for i in members) == sorted(found["exchanged"][i] for i in members)
    made = []

    def make(table):
        return run_method(method, table, model, {}, seed=1)

    for secrets in (found["values"], found["exchanged"]):
        try:
            made.append(classes_of(found["quasi-identifiers"], secrets, make))
        except NotReached:
            made.append(None)
    assert made == [found["classes"], found["classes then"]]


def test_what_makes_no_release_is_named():
    with pytest.raises(ProtocolError, match="has no partition"):
        dependence_card(lambda table: 3, name="three")
    with pytest.raises(ProtocolError, match="released none of"):
        dependence_card(lambda table: Partition.of(table, [range(10)]), name="one class", tables=1)


RECORDS, CLOSE = (KAnonymity(3), "k = 3"), (KAnonymity(3) & TCloseness("1/4", ground="equal"), "k = 3 and t = 1/4")
MODELS = {
    **dict.fromkeys(("mondrian", "mondrian-relaxed", "mdav", "confidential"), RECORDS),
    **dict.fromkeys(("swapping", "closeness-first", "sabre"), CLOSE),
    "anatomy": (FrequencyLDiversity(2), "frequency l = 2"),
}
"""By method that needs no hierarchies, the weakest model that it is for, and how it is written."""

PAGE = Path(__file__).resolve().parents[2] / "docs" / "attacks.md"


@pytest.mark.slow
@pytest.mark.parametrize("method", sorted(set(METHODS) - {"datafly"}))
def test_each_method_has_its_card_on_the_page_and_those_for_records_alone_that_go_by_no_value_keep_the_law(method):
    model, written = MODELS[method]
    card = dependence_of(method, model, tables=5, exchanges=20)
    assert card.holds == (method in ("mondrian", "mondrian-relaxed", "mdav"))
    assert (card.method, card.tables) == (method, 5)
    assert (card.counterexample is None) == card.holds
    assert f"| `{method}` | {written} | {card.worlds} | {card.alike} |\n" in PAGE.read_text(encoding="utf-8")
