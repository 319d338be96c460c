"""A program as a user writes it, with types: what takes a table by its shape takes a `tc.Table` as well.

mypy reads this file with the package, strictly.
"""

from __future__ import annotations

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
