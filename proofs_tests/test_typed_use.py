"""A program as a user writes it, with types: what takes a table by its shape takes a `tc.Table` as well.

mypy reads this file with the package, strictly.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

import tcloseness as tc
from tcloseness.microdata.border import FullTable

FRAME = pd.DataFrame({"zip": ["476", "476", "479", "479"], "salary": [3, 4, 3, 4]})
ZIPS = tc.Hierarchy.prefixes(FRAME["zip"], name="zip")
MODEL = tc.KAnonymity(2)


def table() -> tc.Table:
    return tc.Table(FRAME, quasi_identifiers="zip", sensitive="salary", ground="ordered", hierarchies={"zip": ZIPS})


def test_a_typed_program_gives_one_table_to_every_room() -> None:
    one = table()
    assert tc.check(one, k=2).status == "satisfied"
    assert MODEL.evaluate(one).status == "satisfied"
    assert tc.search_lattice(one, MODEL, ground="ordered").status == "satisfied"
    assert tc.lattice.minimal_generalizations(one, MODEL).minimal == ((0,),)
    assert tc.lattice.optimum(one, MODEL, loss=tc.loss.Discernibility()).value == 8
    made: tc.release.Anonymized = tc.mondrian(one, MODEL)
    assert len(made.partition) == len(tc.mdav(one, MODEL).partition) == 2
    assert isinstance(tc.optimal_partition(one, MODEL), tc.optimal.Optimal)
    assert isinstance(tc.optimal_suppression(one, MODEL), tc.optimal.Optimal)
    assert tc.losses(one)["discernibility"].value == 8
    assert not tc.attacks.homogeneity_attack(one).findings


def test_what_the_border_gives_a_function_the_function_would_take_itself() -> None:
    one = table()
    assert isinstance(one, FullTable)
    unguarded = tc.losses.__wrapped__  # type: ignore[attr-defined]
    assert unguarded(one)["discernibility"].value == tc.losses(one)["discernibility"].value


def test_a_typed_program_names_everything_at_the_front_door() -> None:
    """Each public name has a type; what is called here is called as the pages call it."""
    classes = tc.FrequencySet.of(tc.Microdata.from_frame(FRAME, quasi_identifiers="zip", sensitive="salary"))
    counts: tc.ClassCounts = classes.class_counts()
    domain: tc.Domain = counts.domain
    grounds = [tc.Equal(len(domain)), tc.Ordered(len(domain))]
    assert [tc.TCloseness("1/2", ground=ground).evaluate(counts).status for ground in grounds] == ["satisfied"] * 2
    models: list[tc.models.PrivacyModel] = [
        tc.AlphaKAnonymity(k=2, alpha="1/2"),
        tc.BasicBetaLikeness(1),
        tc.DeltaDisclosure(1),
        tc.DistinctLDiversity(2),
        tc.EnhancedBetaLikeness(1),
        tc.EntropyLDiversity(2),
        tc.FrequencyLDiversity(2),
        tc.KAnonymity(2),
        tc.PSensitiveKAnonymity(k=2, p=2),
        tc.RecursiveCLDiversity(c=2, l=2),
    ]
    statuses: set[str] = {model.evaluate(counts).status for model in models}
    assert statuses == {"satisfied"}
    audit: tc.Audit = tc.check(tc.FrequencySet.read(tc.papers.path("li_table4"), **LI), k=3)
    assert audit.to_dict()["answer"]["status"] == "satisfied"
    one = table()
    released: tc.Release = tc.datafly(one, MODEL).release
    assert len(released.rows()) == 4
    assert tc.anatomy(one, tc.DistinctLDiversity(2)).class_counts.records == 4
    rolled: tc.RollUp = one.rolled
    assert len(rolled.lattice) == ZIPS.height + 1
    distance = tc.emd([1, 0], [0, 1], ground=tc.Ordered(2))
    assert distance == 1
    assert tc.read_table(str(tc.papers.path("li_table1"))).shape[0] == 9
    assert set(tc.__all__) <= set(dir(tc))


LI: dict[str, Any] = {"quasi_identifiers": ["ZIP Code", "Age"], "sensitive": "Salary"}
