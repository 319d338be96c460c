"""t-closeness with a suppression limit is not monotone: the smallest counterexample by solver, and by the lattice.

A node satisfies if the records of its violating classes are at most the limit. Merging can put a class that was
withheld together with one that was fine, and the union violates with more records than either.
"""

from __future__ import annotations

from itertools import product

import pandas as pd
import pytest
import z3

from proofs_tests.smt.models import no_class_is_empty, union
from proofs_tests.smt.proofs import counterexample, numbers
from proofs_tests.smt.symbolic import Symbol, Truth, wholes
from tcloseness.exact import as_fraction
from tcloseness.ground import Equal
from tcloseness.lattice import RollUp, minimal_generalizations
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.models import TCloseness
from tcloseness.transport.closed_forms import cut_work

pytestmark = pytest.mark.smt

GROUND = Equal(2)
T, LIMIT = Symbol(z3.Real("t")), Symbol(z3.Int("limit"))


def withheld(classes, reference, total, t):
    """How many records are in classes with EMD > t: the shipped closed form on c·N − C·n, over n·N·D."""
    records = Symbol(z3.IntVal(0))
    for counts in classes:
        n = sum(counts)
        differences = [c * total - of_table * n for c, of_table in zip(counts, reference, strict=True)]
        violates = cut_work(differences, GROUND.cuts) > t * (n * (total * GROUND.cuts.denominator))
        records = records + violates.as_number() * n
    return records


def found_with(total, *, limited=True):
    """Three classes of so many records that satisfy, while a table in which two of them are merged does not."""
    x, y, z = classes = [wholes(name, 2) for name in "xyz"]
    reference = union(*classes)
    before = withheld(classes, reference, total, T)
    after = withheld([union(x, y), z], reference, total, T)
    limit = LIMIT if limited else Symbol(z3.IntVal(0))
    given = [*no_class_is_empty(*classes), sum(reference) == total, T > 0, limit >= 0, limit < total]
    return counterexample(after <= limit, [*given, before <= limit]), classes


def rows_of(model, classes):
    return [[int(n) for n in numbers(model, counts)] for counts in classes]


def test_four_records_show_it_and_the_lattice_agrees():
    """One quasi-identifier, a and b under ab: level 0 satisfies, level 1 does not, and the root does again."""
    model, classes = found_with(4)
    assert model is not None
    rows = rows_of(model, classes)
    (t,), (limit,) = numbers(model, [T]), numbers(model, [LIMIT])
    records = [(q, s) for q, counts in zip("abc", rows, strict=True) for s in (0, 1) for _ in range(counts[s])]
    table = FrequencySet.from_frame(
        pd.DataFrame(records, columns=["q", "s"]), quasi_identifiers="q", sensitive="s", domains={"s": range(2)}
    )
    above = Hierarchy([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")], name="q")
    found = minimal_generalizations(
        RollUp(table, {"q": above}, compiled=False), TCloseness(t, ground="equal"), suppression=int(limit)
    )
    assert set(found.satisfying) == {(0,), (2,)}
    assert "not monotone" in found.algorithm


def test_three_records_do_not_show_it():
    """By solver for any t and limit, two values and three classes; and by trying all tables of three records."""
    assert found_with(3)[0] is None
    tried = 0
    for values in product(range(3), repeat=3):  # a record each in the classes a, b, c; with fewer classes all merge
        classes = ClassCounts.from_mapping({q: {s: 1} for q, s in zip("abc", values, strict=True)})
        fine, coarse = (TCloseness(ground="equal").evaluate(c) for c in (classes, classes.merge([[0, 1], [2]])))
        for t in {as_fraction(v) for found in (fine, coarse) for v in found.values}:
            before, after = ((r.values.compare(t) > 0) for r in (fine, coarse))
            assert before.sum() >= (after * [2, 1]).sum()
            tried += 1
    assert tried > 27


@pytest.mark.parametrize("total", [4, 6])
def test_without_a_limit_it_is_monotone(total):
    """Nothing may be withheld: the same question has no answer (Li et al. 2007, §4, Generalization Property)."""
    assert found_with(total, limited=False)[0] is None


def test_withholding_as_a_number_is_a_truth():
    """The encoding counts a violating class once: on known counts it is the sum by hand.

    Reference (2, 2); (1, 1) lies at 0, (0, 1) and (1, 0) at 1/2: above 1/3, two records.
    """
    fixed = withheld([[1, 1], [0, 1], [1, 0]], [2, 2], 4, Symbol(z3.RealVal("1/3")))
    assert counterexample(Truth((fixed == 2).term)) is None
