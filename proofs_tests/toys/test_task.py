"""A solver task of the user's own, made of the pieces of `tcloseness.optimal`, and answered as its tasks answer.

Whole classes are withheld, as few records as possible, so that no sensitive value has more than half of what is left.
The program is linear, the solver proposes, exact counts decide, and what no checker knows is said to be not certified.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import pandas as pd
import pytest

from tcloseness.errors import InputError, SolverError
from tcloseness.microdata import ClassCounts, FrequencySet
from tcloseness.optimal import Answer, Feasible, Infeasible, Optimal
from tcloseness.optimal.answers import OfClasses, answer
from tcloseness.optimal.program import Program
from tcloseness.optimal.solver import NoSolution, Proposal, propose, whose_bound

MINIMIZED = "records in withheld classes"


@dataclass(frozen=True, eq=False, kw_only=True)
class Withheld(OfClasses):
    """Which classes are withheld."""

    classes: tuple[int, ...]

    def to_dict(self):
        return {"withheld": list(self.classes)}


def balanced(rows, kept):
    """The definition, on counts by value: something is left, and no value has more than half of it."""
    values = {value for row in rows for value in row}
    left = sum(sum(rows[g].values()) for g in kept)
    return bool(kept) and all(2 * sum(rows[g].get(v, 0) for g in kept) <= left for v in values)


def withhold(classes: ClassCounts, *, bound: float | None = None, wrong: bool = False) -> Answer[Withheld]:
    rows = [classes.row(g) for g in range(len(classes))]
    program = Program()
    keep = [program.add(0, 1) for _ in rows]
    for g, row in enumerate(rows):
        program.price(keep[g], -sum(row.values()))
    program.at_least(dict.fromkeys(keep, 1), 1)
    for value in range(len(classes.domain)):
        if not wrong:
            program.at_most({keep[g]: 2 * row.get(value, 0) - sum(row.values()) for g, row in enumerate(rows)})
    found = propose(program)
    proof = f"{whose_bound('HiGHS', 0.0)}; not certified: no checker for withheld classes"
    if isinstance(found, NoSolution):
        return Infeasible(f"no classes together have no value of more than half ({proof})")
    assert isinstance(found, Proposal)
    kept = [g for g in range(len(rows)) if found.values[keep[g]]]
    if not balanced(rows, kept):
        raise SolverError("the proposal does not hold by exact counts")
    lost = sum(sum(row.values()) for g, row in enumerate(rows) if g not in kept)
    least = classes.records + round(found.bound if bound is None else bound)
    solution = Withheld(classes=tuple(g for g in range(len(rows)) if g not in kept))
    return answer(solution, objective=Fraction(lost), bound=Fraction(least), minimized=MINIMIZED, proof=proof)


def cases():
    draw = random.Random("withheld")
    for _ in range(40):
        rows = [{v: n for v in "xyz" if (n := draw.choice([0, 0, 1, 2, 5]))} for _ in range(draw.randint(1, 5))]
        if all(rows):
            yield rows


def test_its_answer_is_that_of_every_way_tried_and_says_that_it_is_not_certified():
    seen = set()
    for rows in cases():
        found = withhold(ClassCounts.from_mapping(dict(enumerate(rows))))
        size, everyone = len(rows), sum(sum(row.values()) for row in rows)
        ways = [kept for n in range(1, size + 1) for kept in combinations(range(size), n) if balanced(rows, kept)]
        most = max((sum(sum(rows[g].values()) for g in kept) for kept in ways), default=None)
        seen.add(type(found))
        assert isinstance(found, Infeasible) == (most is None)
        assert "not certified: no checker for withheld classes" in json.dumps(found.to_dict())
        if most is not None:
            assert isinstance(found, Optimal)
            assert found.objective == everyone - most
            assert found.to_dict()["solution"] == {"withheld": list(found.solution.classes)}
            assert sum(sum(rows[g].values()) for g in found.solution.classes) == everyone - most
    assert seen == {Optimal, Infeasible}


def test_a_weaker_bound_makes_it_feasible_and_a_wrong_one_is_refused():
    classes = ClassCounts.from_mapping({"a": {"x": 3, "y": 1}, "b": {"x": 1, "y": 1}})
    assert isinstance(withhold(classes), Optimal)
    weaker = withhold(classes, bound=-6)
    assert isinstance(weaker, Feasible)
    assert (weaker.objective, weaker.bound, weaker.gap) == (4, 0, 4)
    with pytest.raises(SolverError, match="lies below the bound"):
        withhold(classes, bound=0)
    with pytest.raises(SolverError, match="exact counts"):
        withhold(classes, wrong=True)


def test_its_release_is_asked_for_by_the_words_of_every_answer():
    frame = pd.DataFrame({"q": ["a", "a", "b", "b"], "s": ["x", "x", "x", "y"]})
    found = withhold(FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s").class_counts())
    assert found.solution.classes == (0,)
    with pytest.raises(InputError, match="class counts were given, whose records are not known"):
        _ = found.release
