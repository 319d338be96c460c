"""Monotone under merging, by solver: for counts of any size, and thresholds of any value, over a few sensitive values.

The models are stated as inequalities between the counts of a class (`proofs_tests.smt.models`). Two links tie them to
the package: the compiled decisions of the lattice searches run on symbols and say the same on every path, and the
models' own `evaluate` says the same on random tables. Entropy ℓ-diversity is out of reach: logarithms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
import z3
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.lattice.test_compiled_decisions import rolled_up
from proofs_tests.smt import models as forms
from proofs_tests.smt.compiled import as_python, objects
from proofs_tests.smt.models import holds, no_class_is_empty, stated, union
from proofs_tests.smt.proofs import counterexample, numbers
from proofs_tests.smt.symbolic import Symbol, Truth, every, paths, reals, wholes
from proofs_tests.strategies import class_counts
from tcloseness.ground import Equal, Ordered, OrderedByValue
from tcloseness.lattice.compiled import violating_classes
from tcloseness.lattice.decide import thresholds_of
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    ExpEpsilonCloseness,
    FrequencyLDiversity,
    KAnonymity,
    NegativeDisclosure,
    PositiveDisclosureRecursive,
    PrivacyModel,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.conditions import stays_when_merged
from tcloseness.transport.closed_forms import cut_work

pytestmark = pytest.mark.smt
F = Fraction


@dataclass(frozen=True)
class Rule:
    """A model over m values: its statements about one class, and what its unknown thresholds are."""

    name: str
    m: int
    of: Any
    thresholds: tuple[Symbol, ...]
    known: tuple[Truth, ...]
    shipped: PrivacyModel

    def __str__(self) -> str:
        return f"{self.name}, m = {self.m}"

    def __call__(self, counts: Any, thresholds: Any = None) -> Any:
        return self.of(counts, *(self.thresholds if thresholds is None else thresholds))


def rules() -> list[Rule]:
    k, c, least = (Symbol(z3.Real(name)) for name in ("k", "c", "least"))
    found = [Rule("k-anonymity", m, forms.k_anonymous, (k,), (), KAnonymity(2)) for m in (2, 5)]
    for m, l in ((2, 2), (4, 3), (6, 4)):  # noqa: E741
        of = lambda counts, l=l: forms.at_least_l_values(counts, l)  # noqa: E731, E741
        found.append(Rule(f"distinct {l}-diversity", m, of, (), (), DistinctLDiversity(l)))
    for m in (2, 4, 6):
        found.append(Rule("frequency l-diversity", m, forms.frequency_diverse, (k,), (), FrequencyLDiversity(2)))
    for m, l in ((2, 2), (3, 3), (4, 2), (5, 3), (6, 3), (7, 4)):  # noqa: E741
        of = lambda counts, c, l=l: forms.recursive(counts, c, l)  # noqa: E731, E741
        found.append(Rule(f"recursive (c,{l})-diversity", m, of, (c,), (c > 0,), RecursiveCLDiversity(l, c=2)))
    for m, l, y in ((3, 2, (0,)), (4, 3, (0, 1)), (5, 3, (0,)), (5, 4, (0, 1))):  # noqa: E741
        of = lambda counts, c, l=l, y=y: forms.positive_disclosure_recursive(counts, c, l, y)  # noqa: E731, E741
        shipped = PositiveDisclosureRecursive(l, allowed=y)
        found.append(Rule(f"pd-recursive (c,{l})-diversity, Y = {set(y)}", m, of, (c,), (c > 0,), shipped))
    for m in (2, 5):
        of = lambda counts, least: forms.at_least_so_likely(counts, least, (0, 1))  # noqa: E731
        shipped = NegativeDisclosure(protected=(0, 1))
        found.append(Rule("negative disclosure", m, of, (least,), (least > 0,), shipped))
    for m in (2, 4, 6):
        low, high = reals("low", m), reals("high", m)
        bounded = tuple(truth for a, b in zip(low, high, strict=True) for truth in (a > 0, a <= b))
        of = lambda counts, *b: forms.within_bounds(counts, b)  # noqa: E731
        found.append(Rule("beta-likeness, basic and enhanced", m, of, tuple(high), (), BasicBetaLikeness(1)))
        of = lambda counts, *b, m=m: forms.between(counts, b[:m], b[m:])  # noqa: E731
        found.append(Rule("exp(epsilon)-closeness", m, of, (*low, *high), bounded, ExpEpsilonCloseness()))
        of = lambda counts, *b, m=m: forms.between(counts, b[:m], b[m:], strict=True)  # noqa: E731
        found.append(Rule("delta-disclosure privacy", m, of, (*low, *high), bounded, DeltaDisclosure(1)))
    return found


RULES = rules()
every_rule = pytest.mark.parametrize("rule", RULES, ids=str)
small_rules = pytest.mark.parametrize("rule", [rule for rule in RULES if rule.m <= 4], ids=str)


def classes(rule: Rule, names: str) -> tuple[list[list[Symbol]], list[Truth]]:
    """Unknown classes, none of them empty."""
    drawn = [wholes(name, rule.m) for name in names]
    return drawn, [*no_class_is_empty(*drawn), *rule.known]


# ---------------------------------------------------------------------- the laws


@pytest.mark.long
@every_rule
def test_a_union_of_satisfying_classes_satisfies(rule):
    """Machanavajjhala et al. 2006, Theorems 5.2 and 5.3 (but for entropy), Li et al. 2007, §4: whatever the counts and
    the thresholds."""
    (x, y), are = classes(rule, "xy")
    parts = [stated(rule(x)), stated(rule(y))]
    assert counterexample(stated(rule(union(x, y))), [*are, *parts], both=rule.m <= 2) is None


@small_rules
def test_so_does_a_union_of_three(rule):
    (x, y, z), are = classes(rule, "xyz")
    parts = [stated(rule(part)) for part in (x, y, z)]
    assert counterexample(stated(rule(union(x, y, z))), [*are, *parts]) is None


@small_rules
def test_whether_one_satisfying_part_is_enough(rule):
    """Only for k-anonymity and distinct ℓ-diversity, which is what the lattice searches prune on under suppression."""
    (x, y), are = classes(rule, "xy")
    model = counterexample(stated(rule(union(x, y))), [*are, stated(rule(x))])
    assert (model is None) == stays_when_merged(rule.shipped)
    if model is not None:
        known, one, other = (numbers(model, some) for some in (rule.thresholds, x, y))
        assert holds(rule(one, known))
        assert not holds(rule(other, known))
        assert not holds(rule(union(one, other), known))


@pytest.mark.parametrize("m", range(2, 6))
def test_the_ratio_of_all_events_is_that_of_single_values(m):
    """Soria-Comas and Domingo-Ferrer 2013, Definition 5: the factor e bounds P(S)/Q(S) both ways for every set S if it
    does for every single value."""
    p, q, e = reals("p", m), reals("q", m), Symbol(z3.Real("e"))
    some = [*[x >= 0 for x in p], *[x > 0 for x in q], e >= 1]
    events = [event for size in range(1, m + 1) for event in combinations(range(m), size)]
    sums = [(sum(p[s] for s in event), sum(q[s] for s in event)) for event in events]
    within = [truth for a, b in sums for truth in (a <= e * b, b <= e * a)]
    singles = [truth for a, b in zip(p, q, strict=True) for truth in (a <= e * b, b <= e * a)]
    assert counterexample(within, [*some, *singles], both=m <= 3) is None
    assert counterexample(within, [*some, *singles[2:]]) is not None  # a mutant: one value left out


@pytest.mark.parametrize("m", [2, 4, 6])
def test_basic_beta_is_one_bound_a_value(m):
    """Cao and Karras 2012 asks p_s − q_s ≤ β·q_s where p_s > q_s only; as β ≥ 0, that is p_s ≤ (1 + β)·q_s
    everywhere."""
    p, q, beta = reals("p", m), reals("q", m), Symbol(z3.Real("beta"))
    some = [*[x >= 0 for x in p], *[x > 0 for x in q], beta >= 0]
    for a, b in zip(p, q, strict=True):
        as_defined = z3.Implies((a > b).term, (a - b <= beta * b).term)
        assert counterexample(as_defined == (a <= b + beta * b).term, some) is None
    no_sign = z3.Implies((p[0] > q[0]).term, (p[0] - q[0] <= beta * q[0]).term) == (p[0] <= q[0] + beta * q[0]).term
    assert counterexample(no_sign, some[:-1]) is not None  # a mutant: β of either sign


# ---------------------------------------------------------------------- mutants


@small_rules
def test_a_satisfying_union_does_not_speak_for_its_parts(rule):
    (x, y), are = classes(rule, "xy")
    model = counterexample(stated(rule(x)), [*are, stated(rule(union(x, y)))])
    assert model is not None
    known, one, other = (numbers(model, some) for some in (rule.thresholds, x, y))
    assert holds(rule(union(one, other), known))
    assert not holds(rule(one, known))


def loosely(counts, c, l):  # noqa: E741
    """≤ for <."""
    for statement in forms.recursive(counts, c, l):
        smaller, larger = statement.term.children()
        yield Truth(smaller <= larger)


@pytest.mark.parametrize(("m", "l"), [(2, 2), (3, 2), (4, 3)])
def test_recursive_mutants_are_refuted(m, l):  # noqa: E741
    """≤ in the parts for < in the union; a tail that starts one rank later; a smaller c."""
    x, y, c = wholes("x", m), wholes("y", m), Symbol(z3.Real("c"))
    given_ = [*no_class_is_empty(x, y), c > 0]
    parts = [stated(forms.recursive(x, c, l)), stated(forms.recursive(y, c, l))]
    both = union(x, y)
    loose = [stated(loosely(x, c, l)), stated(loosely(y, c, l))]
    assert counterexample(stated(loosely(both, c, l)), [*given_, *loose]) is None  # ≤ throughout is monotone too
    assert counterexample(stated(forms.recursive(both, c, l)), [*given_, *loose]) is not None
    assert counterexample(stated(forms.recursive(both, c, l + 1)), [*given_, *parts]) is not None
    assert counterexample(stated(forms.recursive(both, c / 2, l)), [*given_, *parts]) is not None


@pytest.mark.parametrize("m", [2, 4])
def test_frequency_mutants_are_refuted(m):
    """< for ≤, and the numbers of different values added up."""
    x, y, l = wholes("x", m), wholes("y", m), Symbol(z3.Real("l"))  # noqa: E741
    given_ = [*no_class_is_empty(x, y)]
    parts = [stated(forms.frequency_diverse(x, l)), stated(forms.frequency_diverse(y, l))]
    both = union(x, y)
    strictly = [l * count < sum(both) for count in both]
    assert counterexample(strictly, [*given_, *parts]) is not None
    some = [stated(forms.at_least_l_values(part, m - 1)) for part in (x, y)]
    assert counterexample(stated(forms.at_least_l_values(both, m)), [*given_, *some]) is not None


def test_skipping_absent_values_is_refuted_and_the_package_agrees():
    """δ-disclosure on the values that a class has only, in a table of six records of each of two values and e^δ = 3.

    The solver finds three classes that satisfy it while the union of two does not; the package says the same.
    """
    x, y, z = (wholes(name, 2) for name in "xyz")

    def skipping(counts):
        n = sum(counts)
        for count in counts:  # the value's share of the table is 1/2
            yield Truth(z3.Or((count == 0).term, z3.And((2 * count < 3 * n).term, (n < 6 * count).term)))

    fine = [stated(skipping(part)) for part in (x, y, z)]
    whole = [count == 6 for count in union(x, y, z)]
    model = counterexample(stated(skipping(union(x, y))), [*no_class_is_empty(x, y, z), *whole, *fine])
    assert model is not None
    rows = [[int(v) for v in numbers(model, part)] for part in (x, y, z)]
    found = ClassCounts.from_matrix([list(row) for row in zip(*rows, strict=True)])
    shipped = DeltaDisclosure("1.098612288668109691", base="e", absent="skipped")  # just below ln 3
    assert shipped.evaluate(found).satisfied
    assert not shipped.evaluate(found.merge([[0, 1], [2]])).satisfied
    assert not shipped.monotone.generalization


# ---------------------------------------------------------------------- the shipped decisions, on symbols

DECIDE = as_python(violating_classes)


def as_searched(*asked, reference):
    """The thresholds that a search makes of models for the classes of a table of these counts, round by round."""
    rounds, entropy, others = thresholds_of(asked, rolled_up([list(reference)]))
    assert (entropy, others) == (None, [])
    return rounds


def marked(counts, rounds):
    """Whether the compiled decisions mark one class of unknown counts as violating; run it by `paths`."""
    bad = [0]
    for numbers_of_counts, close in rounds:
        DECIDE(objects([counts]), objects([sum(counts)]), bad, 0, 10**6, *numbers_of_counts, *close)
    return bad[0] == 1


def disagreements(counts, form, *asked, reference=None):
    """For each path through the decision, whether some counts get another verdict than the form's."""
    rounds = as_searched(*asked, reference=reference or [1] * len(counts))
    walked = paths(lambda: marked(counts, rounds), no_class_is_empty(counts), most=200)
    return [path.counterexample(Truth(z3.Not(form.term)) if path.result else form) is not None for path in walked]


NEVER = Truth(z3.BoolVal(False))


@pytest.mark.long
@pytest.mark.parametrize(
    ("m", "l"), [(1, 1), (1, 2), (2, 2), (2, 4), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (4, 2), (4, 3)]
)
def test_the_lattice_decides_recursive_diversity_by_the_inequalities(m, l):  # noqa: E741
    """The l − 1 greatest counts are kept in order; whatever the order of the counts, the verdict is that of the
    inequalities (c = 3/2); with l = 1 it always holds, and no class of fewer than l values has it."""
    x = wholes("x", m)
    form = Truth(z3.BoolVal(True)) if l == 1 else NEVER if l > m else stated(forms.recursive(x, F(3, 2), l))
    assert not any(disagreements(x, form, RecursiveCLDiversity(l, c=F(3, 2))))


@pytest.mark.long
@pytest.mark.parametrize("c", [F(5, 7), F("0.999999999"), F(10**12 + 1, 10**12)], ids=str)
def test_the_lattice_decides_recursive_diversity_for_a_bound_of_many_digits(c):
    """No bound is rounded; one a little greater or less is another one."""
    x = wholes("x", 3)
    assert not any(disagreements(x, stated(forms.recursive(x, c, 2)), RecursiveCLDiversity(2, c=c)))
    for other in (c + F(1, 10**13), c - F(1, 10**13)):
        assert any(disagreements(x, stated(forms.recursive(x, c, 2)), RecursiveCLDiversity(2, c=other)))


@pytest.mark.parametrize(("m", "l"), [(1, 2), (2, 1), (2, 4), (3, 2), (4, 3), (5, 5)])
def test_the_lattice_decides_distinct_diversity_by_the_inequalities(m, l):  # noqa: E741
    x = wholes("x", m)
    form = NEVER if l > m else stated(forms.at_least_l_values(x, l))
    assert not any(disagreements(x, form, DistinctLDiversity(l)))


@pytest.mark.long
def test_the_lattice_decides_several_by_all():
    """Two recursive models are two rounds of thresholds; of two numbers of values the greater is asked."""
    x = wholes("x", 3)
    all_of = [*forms.at_least_l_values(x, 2), *forms.recursive(x, F(3, 2), 2), *forms.recursive(x, F(4), 3)]
    asked = [
        RecursiveCLDiversity(2, c=F(3, 2)),
        DistinctLDiversity(1),
        RecursiveCLDiversity(3, c=4),
        DistinctLDiversity(2),
    ]
    assert len(as_searched(*asked, reference=[1, 1, 1])) == 2
    assert not any(disagreements(x, Truth(every(all_of)), *asked))
    assert any(disagreements(x, Truth(every(all_of)), *asked[:2]))


@pytest.mark.long
@pytest.mark.parametrize("t", [F(0), F(3, 20), F("0.333333333")], ids=str)
@pytest.mark.parametrize("ground", [Ordered(4), Equal(4), OrderedByValue((14, 27, 88, 101))], ids=lambda g: g.name)
def test_the_lattice_decides_t_closeness_by_the_closed_form(ground, t):
    """A class is marked exactly if EMD > t, for any class in a table of known counts."""
    cuts, reference = ground.cuts, [3, 1, 4, 1]
    total = sum(reference)
    x = wholes("x", ground.m)
    differences = [count * total - of_table * sum(x) for count, of_table in zip(x, reference, strict=True)]
    work = cut_work(differences, cuts)  # EMD = work / (n·N·D)
    allowed = t * total * cuts.denominator * sum(x)
    asked = TCloseness(t, ground)
    assert not any(disagreements(x, work <= allowed, asked, reference=reference))
    assert any(disagreements(x, work < allowed, asked, reference=reference))  # a mutant


def test_what_compiled_code_does_not_know_is_left_to_the_model():
    others = [
        FrequencyLDiversity(F(5, 2)),
        RecursiveCLDiversity(2, c=F(2**62, 3)),
        EntropyLDiversity(F(2**62 + 1, 2**62)),
    ]
    for model in others:
        assert thresholds_of([model], rolled_up([[2**60, 5, 1]]))[2] == [model]


def test_other_inequalities_are_not_what_the_lattice_decides():
    """Mutants of the decisions: another c, a tail one rank later, ≤ for <, one value fewer."""
    x = wholes("x", 3)
    asked = RecursiveCLDiversity(2, c=F(3, 2))
    assert any(disagreements(x, stated(forms.recursive(x, F(2), 2)), asked))
    assert any(disagreements(x, stated(forms.recursive(x, F(3, 2), 3)), asked))
    assert any(disagreements(x, stated(loosely(x, F(3, 2), 2)), asked))
    assert any(disagreements(x, stated(forms.at_least_l_values(x, 1)), DistinctLDiversity(2)))


# ---------------------------------------------------------------------- the models' own evaluation, on random tables


def violating(shipped, found, form):
    """Both verdicts for every class: the model's, and the inequalities'."""
    theirs = set(shipped.evaluate(found).violating.tolist())
    mine = {g for g in range(len(found)) if not holds(form(found.vector(g)))}
    return theirs, mine


@pytest.mark.long
@effort(1)
@given(class_counts(max_values=5), st.integers(1, 5), st.sampled_from([F(1, 2), F(1), F(3, 2), F(3)]), st.data())
def test_the_models_say_what_the_inequalities_say(found, l, c, data):  # noqa: E741
    m = len(found.domain)
    values = st.sets(st.integers(0, m - 1), min_size=1)
    protected = data.draw(values)
    q = [F(int(count), int(found.reference.sum())) for count in found.reference]
    asked = [
        (KAnonymity(l), lambda x: forms.k_anonymous(x, l)),
        (DistinctLDiversity(l), lambda x: forms.at_least_l_values(x, l)),
        (FrequencyLDiversity(l), lambda x: forms.frequency_diverse(x, l)),
        (NegativeDisclosure(c / 4, protected, "fraction"), lambda x: forms.at_least_so_likely(x, c / 4, protected)),
        (BasicBetaLikeness(c), lambda x: forms.within_bounds(x, [share * (1 + c) for share in q])),
        (ExpEpsilonCloseness(ratio=c + 1), lambda x: near(x, q, c + 1)),
        (DeltaDisclosure(l, base=2), lambda x: near(x, q, 2**l, strict=True)),
    ]
    for shipped, form in asked:
        theirs, mine = violating(shipped, found, form)
        assert theirs == mine, shipped.name


@given(class_counts(max_values=5), st.integers(2, 5), st.data())
def test_the_least_c_of_the_recursive_models_is_that_of_the_inequalities(found, l, data):  # noqa: E741
    """They hold for every c above the model's value of a class, and not at it: < is strict."""
    m = len(found.domain)
    allowed = data.draw(st.sets(st.integers(0, m - 1)))
    pairs = [(PositiveDisclosureRecursive(l, allowed=allowed), lambda x, c: pd(x, c, l, allowed))]
    if l <= m + 1:
        pairs.append((RecursiveCLDiversity(l), lambda x, c: forms.recursive(x, c, l)))
    for shipped, form in pairs:
        values = shipped.evaluate(found).values
        for g in range(len(found)):
            counts, least = found.vector(g), values[g]
            if least == math.inf:
                assert not holds(form(counts, F(10**30)))
            else:
                assert holds(form(counts, least + F(1, 10**40)))
                assert least == 0 or not holds(form(counts, least))


def pd(counts, c, l, allowed):  # noqa: E741
    return forms.positive_disclosure_recursive(counts, c, l, allowed)


def near(counts, q, factor, *, strict=False):
    return forms.between(counts, [share / factor for share in q], [share * factor for share in q], strict=strict)
