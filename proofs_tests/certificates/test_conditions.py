"""The checkers' conditions are the models' own, on every class."""

from __future__ import annotations

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs_tests.certificates.tables import TREE, models
from tcloseness.certificates.conditions import Conditions, _log, described
from tcloseness.certificates.grounds import cuts_of
from tcloseness.errors import InputError
from tcloseness.ground import Cuts, Hierarchical, Laminar, ground_distance, ground_record
from tcloseness.microdata import ClassCounts, Domain, Hierarchy
from tcloseness.microdata.canonical import canonical_value
from tcloseness.models import AlphaKAnonymity, TCloseness
from tcloseness.models.conditions import conditions_of, parts_of
from tcloseness.strict_records import Work, cells


def conditions(model, domain, reference) -> Conditions:
    asked = [each.record(domain) for part in parts_of(model) for each in conditions_of(part) or ()]
    assert None not in asked
    assert all(described(each, list(map(canonical_value, domain.values))) for each in asked)
    return Conditions(asked, [canonical_value(v) for v in domain.values], reference)


@pytest.mark.parametrize("scale", [1, 10**6, 10**12], ids=str)
def test_a_class_violates_for_the_checker_as_for_the_model(scale: int) -> None:
    rng, domain = random.Random(scale), Domain.declare(list("xyzw"))
    for _ in range(40):
        counts = np.array([[rng.choice([0, 0, 1, 1, 2, 3, 5]) for _ in range(4)] for _ in range(rng.randint(1, 6))])
        counts = counts[counts.any(axis=1)]
        if not len(counts):
            continue
        if scale > 1:  # also counts that are nearly the same
            counts = counts * scale + (counts > 0) * np.array([[rng.choice([-1, 0, 1]) for _ in range(4)]])
        classes = ClassCounts.from_matrix(counts.T, domain=domain)
        for model in models(rng):
            wrong = np.zeros(len(counts), dtype=bool)
            for part in parts_of(model):
                wrong[part.evaluate(classes).violating] = True
            if scale > 1 and "entropy" in model.name:
                continue
            found = conditions(model, domain, classes.reference.tolist()).violating(counts.astype(np.int64))
            assert (found == wrong).all(), (model, counts)


def test_thresholds_that_a_class_just_reaches_are_satisfied() -> None:
    domain = Domain.declare(list("xyzw"))
    for ground in ("equal", "ordered", TREE, "ordered-by-value"):
        over = Domain.declare([1, 2, 4, 8]) if ground == "ordered-by-value" else domain
        rng = random.Random(7)
        for _ in range(25):
            counts = np.array([[rng.randint(0, 3) for _ in range(4)] for _ in range(3)]) + np.eye(3, 4, dtype=int)
            classes = ClassCounts.from_matrix(counts.T, domain=over)
            distances = TCloseness(ground=ground).evaluate(classes).values
            for g in range(3):
                t = Fraction(int(distances.numerators[g]), int(distances.denominators[g]))
                for threshold, wrong in ((t, False), (t - Fraction(1, 10**9), True)):
                    if threshold < 0:
                        continue
                    asked = conditions(TCloseness(threshold, ground=ground), over, classes.reference.tolist())
                    assert asked.violating(counts[g : g + 1].astype(np.int64))[0] == wrong


def test_a_bound_on_named_values_leaves_the_others_alone() -> None:
    domain = Domain.declare(list("xyzw"))
    asked = conditions(AlphaKAnonymity("1/2", values=["x", "z"]), domain, [1, 1, 1, 1])
    assert asked.violating(np.array([[0, 9, 1, 0], [3, 0, 1, 0]])).tolist() == [False, True]


def test_cuts_are_those_of_the_ground_distance() -> None:
    domain = Domain.declare(list("xyzw"))
    laminar = Laminar(Cuts.of(range(4), [(0, 1), (0, 2), (3, 4)], ["1/4", "1/2", "1/3"]))
    for ground in ("equal", "ordered", TREE, laminar):
        built = ground_distance(ground, domain)
        order, sets, denominator = cuts_of(ground_record(built), 4)
        place = {int(code): i for i, code in enumerate(order)}
        for i in range(4):
            for j in range(4):
                apart = sum(w for low, high, w in sets if (low <= place[i] < high) != (low <= place[j] < high))
                assert Fraction(apart, denominator) == built.distance(i, j)


@pytest.mark.parametrize(
    "record",
    [
        {"condition": "k", "least": 2},
        {"condition": "records", "least": 0},
        {"condition": "records", "least": "2"},
        {"condition": "values", "least": 0},
        {"condition": "tail", "l": 0, "c": "1"},
        {"condition": "records"},
        {"condition": "records", "least": 2, "more": 1},
        {"condition": "entropy", "l": "0"},
        {"condition": "entropy", "l": "2/4"},
        {"condition": "tail", "l": 2, "c": "-1"},
        {"condition": "share", "most": "1/2", "values": []},
        {"condition": "gain", "most": "-1/2"},
        {"condition": "distance", "t": "-1", "ground": {"name": "equal", "m": 2}},
        {"condition": "distance", "t": "1", "ground": {"name": "equal", "m": 3}},
        {"condition": "distance", "t": "1", "ground": {"name": "matrix", "m": 2}},
        {"condition": "distance", "t": "1", "ground": "equal"},
        {"condition": "distance", "t": "1", "ground": {"name": "laminar", "order": [0, 1], "low": [0], "high": [3]}},
        {
            "condition": "distance",
            "t": "1",
            "ground": {
                "name": "laminar",
                "order": [0, 1],
                "low": [0, 0],
                "high": [1, 1],
                "weights": ["1", "-1"],
                "denominator": "1",
            },
        },
    ],
    ids=repr,
)
def test_what_is_no_condition_is_refused(record) -> None:
    with pytest.raises(InputError):
        Conditions([record], ["text:x", "text:y"], [1, 1]).violating(np.array([[1, 1]]))


def test_entropies_are_decided_as_by_powers_however_near_they_are_to_the_threshold() -> None:
    rng = random.Random(11)
    for _ in range(300):
        counts = [rng.choice([0, 1, 2, 3, 7, 20]) for _ in range(4)] or [1]
        counts[0] += 1
        n = sum(counts)
        effective = math.exp(math.log(n) - sum(c * math.log(c) for c in counts if c) / n)
        near = Fraction(effective).limit_denominator(10 ** rng.choice([1, 4, 12]))
        for l in (near, Fraction(round(effective)), Fraction(rng.randint(1, 60), 10)):  # noqa: E741
            powers = math.prod(c**c for c in counts) * l.numerator**n > n**n * l.denominator**n
            asked = Conditions([{"condition": "entropy", "l": str(l)}], ["text:x"] * 4, [9] * 4)
            assert asked.violating(np.array([counts])).tolist() == [powers], (counts, l)


def test_whole_logarithms_are_as_exact_as_they_say() -> None:
    for number in (1, 2, 3, 5, 1023, 1024, 1025, 10**15, 2**53 - 1, 10**3000 + 7):
        exact = Decimal(number).ln() / Decimal(2).ln() * 2**32
        assert _log(number) <= exact + Decimal("1e-10")
        assert exact < _log(number) + 2


def test_sets_that_cross_are_refused() -> None:
    crossing = {
        "name": "laminar",
        "order": [0, 1, 2],
        "low": [0, 1],
        "high": [2, 3],
        "weights": ["1", "1"],
        "denominator": "2",
    }
    with pytest.raises(InputError, match="laminar"):
        cuts_of(crossing, 3)


def test_numbers_of_any_length_are_compared_exactly() -> None:
    """Where an array is empty, or holds zeros alone, a factor may still be longer than 64 bits."""
    long = 10**3000
    near, far = {"name": "ordered-by-value", "values": ["0", f"1/{long}"]}, {"name": "equal", "m": 2}
    for record, wrong in (
        ({"condition": "tail", "l": 3, "c": f"{long}"}, [True, True]),
        ({"condition": "tail", "l": 2, "c": f"{long}"}, [False, True]),
        ({"condition": "share", "most": f"1/{long}", "values": ["text:z"]}, [False, False]),
        ({"condition": "share", "most": f"{long - 1}/{long}", "values": None}, [False, True]),
        ({"condition": "gain", "most": f"{long}"}, [False, False]),
        ({"condition": "gain", "most": f"1/{long}"}, [False, True]),
        ({"condition": "distance", "t": f"1/{long}", "ground": near}, [False, True]),
        ({"condition": "distance", "t": f"{long}", "ground": far}, [False, False]),
        ({"condition": "entropy", "l": f"{long}/{long - 1}"}, [False, True]),
    ):
        for scale in (1, 2**48):
            if record["condition"] == "entropy" and scale > 1:
                continue
            counts = np.array([[2, 2], [0, 3]]) * scale
            asked = Conditions([record], ["text:x", "text:y"], [5 * scale, 5 * scale])
            assert asked.violating(counts).tolist() == wrong, record
            unasked = Conditions(
                [{"condition": "records", "least": 2**53}, record], ["text:x", "text:y"], [5 * scale, 5 * scale]
            )
            assert unasked.violating(counts).all()
    single = {"condition": "distance", "t": f"1/{long}", "ground": {"name": "ordered", "m": 1}}
    assert Conditions([single], ["text:x"], [5]).violating(np.array([[5]])).tolist() == [False]


def test_a_set_that_is_listed_twice_weighs_twice() -> None:
    ground = {"name": "laminar", "order": [0, 1], "denominator": "2"}
    twice = cuts_of({**ground, "low": [0, 0], "high": [1, 1], "weights": ["1", "2"]}, 2)
    once = cuts_of({**ground, "low": [0], "high": [1], "weights": ["3"]}, 2)
    assert twice[1:] == once[1:]


@pytest.mark.parametrize("odd", [None, 3, "x", {}, {"x": 1}, [3], [[3]], [[]], [["x", "*"], None]], ids=repr)
def test_paths_of_another_type_are_refused(odd) -> None:
    for trivial_levels in ("keep", "collapse", None, []):
        with pytest.raises(InputError):
            cuts_of({"name": "hierarchical", "paths": odd, "values": [0], "trivial_levels": trivial_levels}, 1)


def test_trees_of_any_shape_give_the_distance_of_the_package() -> None:
    """Leaves at different depths, levels with one child, values that the tree has and the domain does not."""
    rng, tried = random.Random(11), 0
    for _ in range(60):
        leaves = rng.sample("uvwxyz", rng.randint(1, 6))
        groups = {leaf: [f"{rng.choice('GH')}{depth}" for depth in range(2)] for leaf in leaves}
        tree = [(leaf, *groups[leaf], "*") for leaf in leaves]
        try:
            hierarchy = Hierarchy(tree, name="s")
        except InputError:  # two labels above one
            continue
        domain = Domain.declare(rng.sample(leaves, rng.randint(1, len(leaves))))
        for trivial_levels in ("keep", "collapse"):
            built = ground_distance(Hierarchical(hierarchy, domain, trivial_levels=trivial_levels), domain)
            order, sets, denominator = cuts_of(ground_record(built), len(domain))
            place = {int(code): i for i, code in enumerate(order)}
            tried += 1
            for i in range(len(domain)):
                for j in range(len(domain)):
                    apart = sum(w for low, high, w in sets if (low <= place[i] < high) != (low <= place[j] < high))
                    assert Fraction(apart, denominator) == built.distance(i, j)
    assert tried > 20


def test_an_entropy_of_many_records_that_is_nearly_asked_for_is_decided() -> None:
    """To ten more digits than logarithms in 64 bits leave open, as an audit asks of its worst class."""
    k = 10**8
    counts = np.array([[7 * k + 1, 3 * k + 7]])
    with localcontext() as context:
        context.prec = 60
        n = Decimal(10 * k + 8)
        entropy = n.ln() - sum(Decimal(count) * Decimal(count).ln() for count in counts[0].tolist()) / n
        near = int(entropy.exp() * 10**20)
    for numerator, breaks in ((near, False), (near + 1, True)):
        asked = str(Fraction(numerator, 10**20))
        conditions = Conditions([{"condition": "entropy", "l": asked}], ["x", "y"], [1, 1])
        assert conditions.violating(counts).tolist() == [breaks]


def test_entropies_of_many_records_that_are_exactly_what_is_asked_are_decided() -> None:
    for counts, asked, breaks in (
        ([0, 2**52], "1", False),
        ([2**51, 2**51], "2", False),
        ([2**51, 2**51], "2000000000000000000001/1000000000000000000000", True),
        ([4 * 10**12, 10**12, 10**12, 2 * 10**12], "3363585661/1000000000", False),  # 2^1.75 = 3.36358566101…
    ):
        conditions = Conditions([{"condition": "entropy", "l": asked}], ["x"] * len(counts), [1] * len(counts))
        assert conditions.violating(np.array([counts])).tolist() == [breaks]


def test_the_work_of_an_entropy_is_told_for_each_cell_though_all_logarithms_are_known() -> None:
    counts = np.random.default_rng(1).integers(1, 4, (2000, 8))
    conditions = Conditions(
        [{"condition": "entropy", "l": "3"}], [f"text:{v}" for v in range(8)], counts.sum(axis=0).tolist()
    )
    conditions.violating(counts)
    left = conditions.work.left
    conditions.violating(counts)
    assert left - conditions.work.left >= 75 * counts.size
    conditions.work.left = 70 * counts.size
    with pytest.raises(InputError, match="entropy of each class would take too long"):
        conditions.violating(counts)


def spent(model: list[dict[str, Any]], counts: list[list[int]], reference: list[int]) -> tuple[float, float]:
    """The work of a model, asked of classes twice: the first time, and the second."""
    conditions = Conditions(model, [f"text:{v}" for v in range(len(reference))], reference)
    conditions.work = Work(1e9)
    first = conditions.violating(np.array(counts))
    between = conditions.work.left
    assert (conditions.violating(np.array(counts)) == first).all()
    return 1e9 - between, between - conditions.work.left


def test_the_work_of_each_condition_is_added_up_before_it_is_done() -> None:
    counts, reference = [[2, 2, 0], [1, 3, 0], [0, 0, 1]], [3, 5, 2]
    asked = 1000 + 5 * 9
    near = 40_000 * (3 + 2) + 4 * (100 + 10 * (2 * 2 / 30) ** 1.6)  # (1, 1), by powers of 2 binary digits
    logs = 5000 * 2 + 5000 * 3  # of the sizes 4 and 1, and of 0, 2 and 3
    exact = 40_000 * (3 + 1)
    wide = {"name": "ordered-by-value", "values": ["0", "1", f"{2**70}"]}
    factor = 2 * 2**70 * 10  # twice the weights, in tenths
    for record, first, again in (
        ({"condition": "records", "least": 1}, 0, 0),
        ({"condition": "values", "least": 1}, 0, 0),
        ({"condition": "entropy", "l": "2"}, 75 * 9 + logs + near, 75 * 9),
        ({"condition": "entropy", "l": "1"}, 75 * 9 + logs + exact + 3 * (100 + 10 * (1 / 30) ** 1.6), 75 * 9),
        ({"condition": "tail", "l": 2, "c": "3"}, 0, 0),
        ({"condition": "share", "most": "1/2", "values": None}, 0, 0),
        ({"condition": "gain", "most": "1"}, 2 * cells(102) * 9, 2 * cells(102) * 9),
        ({"condition": "gain", "most": str(2**600)}, 2 * cells(701) * 9, 2 * cells(701) * 9),
        ({"condition": "distance", "t": "1/2", "ground": {"name": "ordered", "m": 3}}, *[5 * (500 + 2 * 3)] * 2),
        ({"condition": "distance", "t": "1/2", "ground": {"name": "equal", "m": 3}}, *[6 * (500 + 2 * 3)] * 2),
        (
            {"condition": "distance", "t": "1", "ground": wide},
            *[5 * (500 + cells(100 + (factor * 4).bit_length()) * 3)] * 2,
        ),
    ):
        found = spent([record], counts, reference)
        assert found == pytest.approx((asked + first, asked + again), abs=1e-6), record


def test_what_broke_a_condition_is_not_asked_again() -> None:
    counts = [[2, 2, 0], [1, 3, 0], [0, 0, 1]]
    one, two = {"condition": "records", "least": 2}, {"condition": "values", "least": 1}
    assert spent([one, two], counts, [3, 5, 2])[0] == 1000 + 5 * 9 + 1000 + 5 * 6
    none = {"condition": "records", "least": 9}
    assert spent([none, two], counts, [3, 5, 2])[0] == 1000 + 5 * 9
    assert spent([], counts, [3, 5, 2])[0] == 0


def test_a_condition_is_said_as_people_read_it() -> None:
    values = [f"text:{v}" for v in range(150)]
    for record, said in (
        ({"condition": "records", "least": 3}, "at least 3 records"),
        ({"condition": "values", "least": 2}, "at least 2 different values"),
        ({"condition": "entropy", "l": "5/2"}, "entropy ≥ ln 5/2"),
        ({"condition": "tail", "l": 2, "c": "3"}, "r₁ < 3·(r_2 + … + r_m)"),
        ({"condition": "gain", "most": "1/4"}, "p ≤ (1 + 1/4)·q"),
        ({"condition": "share", "most": "1/3", "values": None}, "at most 1/3 of the records have a value"),
        (
            {"condition": "share", "most": "1/3", "values": values[:2]},
            "at most 1/3 of the records have text:0 or text:1",
        ),
        ({"condition": "distance", "t": "0", "ground": {"name": "equal", "m": 2}}, "EMD ≤ 0 by the equal distance"),
    ):
        assert described(record, values[:2]) == said
    ordered = {"condition": "distance", "t": "1", "ground": {"name": "ordered", "m": 150}}
    for many, more in ((99, ""), (100, ""), (101, ", …"), (150, ", …")):
        said = described(ordered, values[:many])
        assert said == f"EMD ≤ 1 by the ordered distance over {', '.join(values[: min(many, 100)])}{more}"
    numbers = {"condition": "distance", "t": "1", "ground": {"name": "ordered-by-value", "values": ["3", "1/2"]}}
    assert described(numbers, values[:2]).endswith("distance over text:0 as 3, text:1 as 1/2")
    paths = [["a", "g", "*"], ["b", "g", "*"], ["c", "h", "*"]]
    tree = {"name": "hierarchical", "paths": paths, "values": [2, 0], "trivial_levels": "keep"}
    said = described({"condition": "distance", "t": "1", "ground": tree}, values[:2])
    assert said.endswith("by the hierarchical distance over text:0 as c < h < *, text:1 as a < g < *")
