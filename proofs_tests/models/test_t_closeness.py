"""t-closeness: the greatest distance of a class from the whole, decided exactly at t."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts, grounds, hierarchies, tables
from tcloseness.ground import Equal, Hierarchical, Matrix, OrderedByValue
from tcloseness.measures import EMD, KullbackLeibler, Variational
from tcloseness.microdata import ClassCounts, Domain, FrequencySet, Hierarchy
from tcloseness.models import TCloseness
from tcloseness.transport import emd

F = Fraction

SALARIES = ClassCounts.from_mapping(
    {"a": dict.fromkeys((11, 12, 13), 1), "b": dict.fromkeys((14, 16, 19), 1), "c": dict.fromkeys((15, 17, 18), 1)}
)
"""Li et al. 2007, Table 4 with salaries 11 … 19 (case T01): EMDs 3/8, 1/6 and 17/72 under the ordered distance."""


def records(table, columns=("q", "s")):
    return FrequencySet.from_frame(
        pd.DataFrame(table, columns=list(columns)), quasi_identifiers=list(columns[:-1]), sensitive=columns[-1]
    )


# ---------------------------------------------------------------------- at the threshold


@pytest.mark.parametrize("t", ["3/8", "0.375", Decimal("0.375"), 0.375, F(3, 8), "3.75e-1"])
def test_a_class_at_exactly_t_is_t_close(t):
    """Case T01; doubles give 0.37500000000000006 for 3/8."""
    result = TCloseness(t, ground="ordered").evaluate(SALARIES)
    assert result.satisfied
    assert result.margin == 0
    assert result.value == F(3, 8)
    assert [result.values[g] for g in range(3)] == [F(3, 8), F(1, 6), F(17, 72)]
    assert result.worst.tolist() == [0]
    assert result.violating.tolist() == []
    assert result.records_at_risk == 0


@pytest.mark.parametrize(
    ("t", "violating"),
    [("0.374", [0]), (0.3749999999999999, [0]), ("17/72", [0]), ("0.236", [0, 2]), ("1/6", [0, 2]), (0, [0, 1, 2])],
)
def test_the_violating_classes_and_their_records_are_named(t, violating):
    result = TCloseness(t, ground="ordered").evaluate(SALARIES)
    assert result.status == "violated"
    assert result.violating.tolist() == violating
    assert result.records_at_risk == 3 * len(violating)
    assert result.margin == F(str(t)) - F(3, 8)


@pytest.mark.parametrize("t", [0.2, "0.2", "1/5", Decimal("0.2")])
def test_one_fifth_is_one_fifth_however_it_is_written(t):
    """Classes (7, 3) and (3, 7) against one half each: 7/10 − 1/2 = 1/5."""
    classes = ClassCounts.from_mapping({"a": {"x": 7, "y": 3}, "b": {"x": 3, "y": 7}})
    result = TCloseness(t, ground="equal").evaluate(classes)
    assert result.satisfied
    assert result.margin == 0
    assert result.worst.tolist() == [0, 1]


@pytest.mark.parametrize("size", [500, 46_341, 50_000, 5_000_000, 2**60])
def test_two_pure_classes_are_one_half_close_at_any_size(size):
    """Case T15: x below A, z below B, half of each class crosses the root. Another tool accepts 0.49 at 50,000."""
    hierarchy = Hierarchy([("x", "A", "*"), ("z", "B", "*")])
    classes = ClassCounts.from_mapping({"a": {"x": size}, "b": {"z": size}})
    assert not TCloseness(0.49, ground=hierarchy).evaluate(classes).satisfied
    result = TCloseness("1/2", ground=hierarchy).evaluate(classes)
    assert result.satisfied
    assert result.value == F(1, 2)


@pytest.mark.long
@given(class_counts(), st.data())
def test_the_value_is_the_worst_class_and_the_decision_is_at_it(classes, data):
    """Satisfied at t = value, violated at any smaller t; the margin is t − value."""
    ground = data.draw(grounds(len(classes.domain)))
    q = [F(int(c), classes.records) for c in classes.reference]
    found = [emd([F(c, sum(v)) for c in v], q, ground) for v in map(classes.vector, range(len(classes)))]
    at = TCloseness(max(found), ground=ground).evaluate(classes)
    assert at.value == max(found)
    assert at.satisfied
    assert at.margin == 0
    assert at.worst.tolist() == [g for g, x in enumerate(found) if x == max(found)]
    if max(found):
        less = max(found) - F(1, 10**30)
        below = TCloseness(max(less, F(0)), ground=ground).evaluate(classes)
        assert below.violating.tolist() == [g for g, x in enumerate(found) if x > max(less, 0)]
        assert below.records_at_risk == sum(int(classes.class_sizes[g]) for g in below.violating)


# ---------------------------------------------------------------------- what is chosen


def test_numbers_in_text_are_measured_as_the_caller_says():
    """Case T23: "10" in class a, "2" and "11" in b; the order is 2, 10, 11.

    Ordered, class a: prefix sums of (0, 1, 0) − 1/3 are −1/3, 1/3, 0: 2/3/2 = 1/3; b: (1/2, 0, 1/2) − 1/3: 1/6, −1/6,
    0: 1/6. Equal, class a: 1 − 1/3 = 2/3. By value, of a range of 9: 1/3·8 + 1/3·1 = 3, 3/9 = 1/3.
    """
    classes = records([("a", "10"), ("b", "2"), ("b", "11")]).class_counts()
    assert TCloseness(ground="ordered").evaluate(classes).value == F(1, 3)
    assert TCloseness(ground="ordered-by-value").evaluate(classes).value == F(1, 3)
    assert TCloseness(ground="equal").evaluate(classes).value == F(2, 3)


def test_trivial_levels_are_chosen_by_the_ground_distance():
    """Case T17: a spare column makes 2/3 into 4/9, unless trivial levels collapse."""
    plain = [("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*"), ("w", "B", "*")]
    padded = Hierarchy([(*row, "*") for row in plain])
    classes = records([("a", "x"), ("b", "z"), ("b", "w")]).class_counts()
    collapsed = Hierarchical(padded, classes.domain, trivial_levels="collapse")
    assert TCloseness(ground=Hierarchy(plain)).evaluate(classes).value == F(2, 3)
    assert TCloseness(ground=padded).evaluate(classes).value == F(4, 9)
    assert TCloseness(ground=collapsed).evaluate(classes).value == F(2, 3)


def test_an_implicit_root_is_written_as_a_column():
    """Case T16, with the missing root added: two pure classes below two roots are 1/2 apart, not 0."""
    hierarchy = Hierarchy([("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*"), ("w", "B", "*")])
    classes = records([("a", "x"), ("a", "x"), ("b", "z"), ("b", "z")]).class_counts()
    result = TCloseness("0.001", ground=hierarchy).evaluate(classes)
    assert result.status == "violated"
    assert result.value == F(1, 2)


def test_the_disease_figures_rest_on_the_reference():
    """Li et al. 2007, §5.3. Class {gastric ulcer, gastritis, stomach cancer}: 1 − 5/9 of its mass crosses the root, or
    1 − 1/2 under the uniform reference; the other classes are derived in the tests of the closed forms.
    """
    diseases = {
        "1": ("gastric ulcer", "gastritis", "stomach cancer"),
        "2": ("gastritis", "flu", "bronchitis"),
        "3": ("bronchitis", "pneumonia", "stomach cancer"),
    }
    stomach = ("stomach disease", "digestive", "any")
    lung = ("respiratory infection", "respiratory", "any")
    tree = Hierarchy([(v, *stomach) for v in diseases["1"]] + [(v, *lung) for v in ("flu", "bronchitis", "pneumonia")])
    classes = ClassCounts.from_mapping({g: dict.fromkeys(v, 1) for g, v in diseases.items()})
    own = TCloseness(ground=tree).evaluate(classes).values
    uniform = TCloseness(ground=tree).evaluate(classes.with_uniform_reference()).values
    assert [own[g] for g in range(3)] == [F(4, 9), F(8, 27), F(8, 27)]
    assert [uniform[g] for g in range(3)] == [F(1, 2), F(5, 18), F(5, 18)]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (TCloseness(ground="equal"), "EMD, equal"),
        (TCloseness(measure=EMD("equal")), "EMD, equal"),
        (TCloseness(measure=Variational()), "variational"),
    ],
)
def test_the_variational_distance_is_the_emd_under_the_equal_distance(model, name):
    """Each class holds 1/3 of what the table holds 1/9 of: 3·(1/3 − 1/9) = 2/3."""
    result = model.evaluate(SALARIES)
    assert result.value == F(2, 3)
    assert result.parameters["measure"] == result.conventions["measure"] == name


def test_a_result_names_the_order_of_the_values_or_that_there_is_none():
    words = ClassCounts.from_mapping({"a": {"x": 1}, "b": {"y": 1}})
    named = [TCloseness(ground="equal").evaluate(c).conventions["order of the values"] for c in (SALARIES, words)]
    assert named == ["natural", "none"]


@pytest.mark.parametrize(
    "ground",
    [OrderedByValue(tuple(range(11, 20))), Matrix([[abs(i - j) for j in range(9)] for i in range(9)]), Equal(9)],
    ids=lambda g: g.name,
)
def test_a_ground_distance_already_built_is_taken(ground):
    """Equal gaps are ranks: 3/8. The matrix is not normalised: 8 times as much."""
    expected = {"ordered-by-value": F(3, 8), "matrix": F(3), "equal": F(2, 3)}[ground.name]
    assert TCloseness(ground=ground).evaluate(SALARIES).value == expected


# ---------------------------------------------------------------------- generalization and subset property

GROUNDS = st.sampled_from(["equal", "hierarchy", "KL"])


def t_model(kind, hierarchy):
    match kind:
        case "equal":
            return TCloseness(ground="equal")
        case "hierarchy":
            return TCloseness(ground=hierarchy)
    return TCloseness(measure=KullbackLeibler())


@pytest.mark.long
@given(tables(), GROUNDS, st.data())
def test_generalization_property(table, kind, data):
    """Li et al. 2007, Generalization Property: rolling a quasi-identifier up never increases t."""
    found = FrequencySet.from_frame(table, quasi_identifiers=["q1", "q2"], sensitive="s")
    model = t_model(kind, data.draw(hierarchies(values=found.domains["s"].values)))
    above = data.draw(hierarchies(values=found.domains["q1"].values))
    low = data.draw(st.integers(0, above.height))
    high = data.draw(st.integers(low, above.height))
    t = [model.evaluate(found.generalize({"q1": above}, {"q1": level}).class_counts()).value for level in (low, high)]
    assert t[1] <= t[0]


@pytest.mark.long
@given(tables(), GROUNDS, st.data())
def test_subset_property(table, kind, data):
    """Li et al. 2007, Subset Property: fewer quasi-identifiers never increase t, and none at all make it 0."""
    found = FrequencySet.from_frame(table, quasi_identifiers=["q1", "q2"], sensitive="s")
    model = t_model(kind, data.draw(hierarchies(values=found.domains["s"].values)))
    t = [model.evaluate(found.project(names).class_counts()).value for names in (["q1", "q2"], ["q1"], [])]
    assert t[1] <= t[0]
    assert t[2] == 0


# ---------------------------------------------------------------------- suppression


def worst(rows):
    """t under the equal distance of two values, by the definition: the greatest |p − q| of the share of x."""
    total = sum(x + y for x, y in rows)
    q = F(sum(x for x, _ in rows), total)
    return max(abs(F(x, x + y) - q) for x, y in rows)


def test_t_closeness_is_not_monotone_under_suppression():
    """{x, x}, {y}, {y}: Q = (1/2, 1/2) and t = 1/2. Without the last class Q = (2/3, 1/3), and {y} lies 2/3 away."""
    rows = {"a": {"x": 2}, "b": {"y": 1}, "c": {"y": 1}}
    before = ClassCounts.from_mapping(rows)
    after = ClassCounts.from_mapping({g: rows[g] for g in "ab"})
    model = TCloseness("1/2", ground="equal")
    assert model.evaluate(before).value == F(1, 2)
    assert model.evaluate(after).value == F(2, 3)
    assert model.evaluate(before).satisfied
    assert not model.evaluate(after).satisfied
    assert not model.monotone.suppression


def test_no_smaller_table_of_two_values_shows_it():
    """All tables of at most three records over {x, y}: suppressing a class never increases t."""
    cells = [(x, y) for x, y in product(range(4), repeat=2) if 1 <= x + y <= 3]
    tried = 0
    for classes in (2, 3):
        for rows in product(cells, repeat=classes):
            if sum(x + y for x, y in rows) <= 3:
                tried += 1
                for g in range(classes):
                    assert worst(rows[:g] + rows[g + 1 :]) <= worst(rows)
    assert tried > 20


@pytest.mark.parametrize(
    ("measure", "monotone"),
    [(EMD("equal"), True), (Variational(), True), (KullbackLeibler(), True)],
)
def test_the_claim_under_generalization_is_the_measures_convexity(measure, monotone):
    assert TCloseness(measure=measure).monotone.generalization is monotone is measure.convex


def test_a_measure_that_is_not_convex_makes_no_claim():
    class Odd:
        name = "odd"
        convex = False

        def over(self, domain):
            return Variational().over(domain)

        def to_dict(self):
            return {"name": self.name}

    model = TCloseness("1/2", measure=Odd())
    assert not model.monotone.generalization
    assert model.evaluate(SALARIES).status == "violated"  # 2/3, as the variational distance says


def test_the_domain_of_the_classes_names_the_values_of_a_labelled_matrix():
    """x–y 1, x–z 2, y–z 3 written in another order; class a holds x, b holds y and z, so 2/3 of x's mass moves:
    1/3·1 + 1/3·2 = 1.
    """
    classes = ClassCounts.from_mapping({"a": {"x": 1}, "b": {"y": 1, "z": 1}}, domain=Domain.declare("zxy"))
    d = {"y": {"z": 3, "x": 1, "y": 0}, "x": {"x": 0, "y": 1, "z": 2}, "z": {"y": 3, "x": 2, "z": 0}}
    result = TCloseness(ground=d).evaluate(classes)
    assert result.values[0] == 1
    frame = pd.DataFrame(d)
    assert TCloseness(ground=frame).evaluate(classes).values[0] == 1
