"""The papers' worked numbers by the closed forms, each with its derivation."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tcloseness.ground import Equal, Hierarchical, Matrix, Ordered, OrderedByValue
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.transport import emd
from tcloseness.transport.closed_forms import (
    cut_potential,
    cut_work,
    equal_emd,
    hierarchical_emd,
    ordered_emd,
    ordered_emd_double_sum,
)

F = Fraction
PAPERS = Path(__file__).parents[2] / "data" / "papers"


def share(sample, domain):
    """The distribution of a sample over a domain of values."""
    return [F(list(sample).count(v), len(sample)) for v in domain]


# ---------------------------------------------------------------------- salaries, ordered

SALARIES = list(range(3, 12))  # 3k … 11k, each once in the table


@pytest.mark.parametrize(
    ("salaries", "expected"),
    [
        # prefix sums of p − q in ninths: 2 4 6 5 4 3 2 1 0, sum 27; 27/9/8 = 3/8 (Li et al. 2007, §5.3, Dosselmann et
        # al. 2019, (11))
        ((3, 4, 5), F(3, 8)),
        # −1 −2 −3 −1 −2 0 −1 −2 0, absolute sum 12; 12/9/8 = 1/6 (Li et al. 2007, §5.3, Dosselmann et al. 2019, (13))
        ((6, 8, 11), F(1, 6)),
        # −1 −2 −3 −4 −2 −3 −1 1 0, absolute sum 17; 17/72 (Dosselmann et al. 2019, §3: 0.2361)
        ((7, 9, 10), F(17, 72)),
        # Table 5. 3, 5, 9: 2 1 3 2 1 0 2 1 0, sum 12; 1/6
        ((3, 5, 9), F(1, 6)),
        # 4, 7, 10: −1 1 0 −1 1 0 −1 1 0, sum 6; 1/12
        ((4, 7, 10), F(1, 12)),
    ],
)
def test_the_salary_classes(salaries, expected):
    p, q = share(salaries, SALARIES), share(SALARIES, SALARIES)
    assert ordered_emd(p, q) == ordered_emd_double_sum(p, q) == emd(p, q, Ordered(9)) == expected


def test_values_14_and_88_by_rank_and_by_value():
    """Dosselmann et al. 2019, §2: P = {14, 88} in Q = {14, 27, 88, 101}.

    p − q = 1/4, −1/4, 1/4, −1/4, so the prefix sums are 1/4, 0, 1/4, 0: by rank (1/4 + 1/4)/3 = 1/6. By value the gaps
    after 14 and after 88 are 13 each, of a range of 87: (13 + 13)/4/87 = 26/348 = 13/174.
    """
    values = (14, 27, 88, 101)
    p, q = share((14, 88), values), share(values, values)
    assert emd(p, q, Ordered(4)) == F(1, 6)
    assert emd(p, q, OrderedByValue(values)) == F(13, 174)


MERIT = (3, 3, 3, 3, 4, 4, 4, 1, 1, 2)


@pytest.mark.parametrize(
    ("order", "points", "expected"),
    [
        # Dosselmann et al. 2019, §4 orders the values 3, 4, 1, 2; q = 4 3 2 1 tenths. In thirtieths p − q is −12 1 4 7,
        # the prefix sums are −12 −11 −7 0, so 30/30/3 = 1/3 (Dosselmann et al. 2019, (17))
        ((3, 4, 1, 2), (1, 4, 2), F(1, 3)),
        # p − q in tenths 6 −3 −2 −1, prefix 6 3 1 0: 10/10/3 = 1/3
        ((3, 4, 1, 2), (3,), F(1, 3)),
        # in twentieths 2 −1 1 −2, prefix 2 1 2 0: 5/20/3 = 1/12 (printed: 0.0833)
        ((3, 4, 1, 2), (3, 4, 3, 1), F(1, 12)),
        # in tenths 1 2 −2 −1, prefix 1 3 1 0: 5/10/3 = 1/6 (printed: 0.1667)
        ((3, 4, 1, 2), (4, 3), F(1, 6)),
        # in value order q = 2 1 4 3 tenths. In thirtieths p − q is 4 7 −12 1, prefix 4 11 −1 0: 16/30/3 = 8/45
        ((1, 2, 3, 4), (1, 4, 2), F(8, 45)),
        # in tenths −2 −1 6 −3, prefix −2 −3 3 0: 8/10/3 = 4/15
        ((1, 2, 3, 4), (3,), F(4, 15)),
    ],
)
def test_the_merit_points_depend_on_the_order_of_the_values(order, points, expected):
    assert emd(share(points, order), share(MERIT, order), Ordered(4)) == expected


# ---------------------------------------------------------------------- incidents, equal


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        # 14 incidents: power outage 5, theft 1, fire 2, fatal accident 1, sidewalk repair 3, pest control 1, tree 1.
        # Only values whose share exceeds q count: EMD = Σ max(p − q, 0).
        ("2C", F(9, 14)),  # 1 − 5/14
        ("4F", F(5, 7)),  # theft and accident 1/4 − 1/14 each, fire 1/2 − 2/14: 5/28 + 5/28 + 10/28 = 20/28
        ("9A", F(3, 7)),  # sidewalk 1/2 − 3/14, power 1/2 − 5/14: 4/14 + 2/14
        ("3B", F(31, 70)),  # pest and tree 1/5 − 1/14 each, sidewalk 2/5 − 3/14: 9/70 + 9/70 + 13/70
    ],
)
def test_the_incident_zones(zone, expected):
    """Dosselmann et al. 2019, §2.2, equation (10) and after: 0.6429, 0.7143, 0.4286, 0.4429."""
    with open(PAPERS / "dosselmann_table1.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    kinds = sorted({row["Incident"] for row in rows})
    p = share([row["Incident"] for row in rows if row["Zone"] == zone], kinds)
    q = share([row["Incident"] for row in rows], kinds)
    assert equal_emd(p, q) == emd(p, q, Equal(len(kinds))) == expected


# ---------------------------------------------------------------------- diseases, hierarchical

DISEASES = ("gastric ulcer", "gastritis", "stomach cancer", "flu", "bronchitis", "pneumonia")
OWN = (1, 2, 2, 1, 2, 1)  # how often each occurs in the nine records of Li et al. 2007, Table 3
UNIFORM = (1, 1, 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("diseases", "reference", "expected"),
    [
        # Table 4. Class 1 is all below stomach disease, which holds 5/9 of the table: 4/9 cross the root, distance 1.
        (("gastric ulcer", "gastritis", "stomach cancer"), OWN, F(4, 9)),
        # In ninths −1 1 −2 | 2 1 −1: 1 is matched below stomach disease (1/3), 1 below respiratory infection (1/3), 2
        # cross the root (1): (1/3 + 1/3 + 2)/9 = 8/27
        (("gastritis", "flu", "bronchitis"), OWN, F(8, 27)),
        # −1 −2 1 | −1 1 2: again 1, 1 and 2
        (("bronchitis", "pneumonia", "stomach cancer"), OWN, F(8, 27)),
        # Uniform over the six diseases: half of the mass crosses the root
        (("gastric ulcer", "gastritis", "stomach cancer"), UNIFORM, F(1, 2)),
        # In sixths −1 1 −1 | 1 1 −1: 1 and 1 are matched (1/3), 1 crosses (1): (1/3 + 1/3 + 1)/6 = 5/18
        (("gastritis", "flu", "bronchitis"), UNIFORM, F(5, 18)),
        (("bronchitis", "pneumonia", "stomach cancer"), UNIFORM, F(5, 18)),
        # Table 5, class 1: in ninths 2 −2 1 | −1 −2 2: 2 and 2 are matched (1/3), 1 crosses: (2/3 + 2/3 + 1)/9 = 7/27
        (("gastric ulcer", "stomach cancer", "pneumonia"), OWN, F(7, 27)),
        # Li et al. 2007, §5.3 prints 0.278 for it, which is 5/18 under the uniform reference
        (("gastric ulcer", "stomach cancer", "pneumonia"), UNIFORM, F(5, 18)),
    ],
)
def test_the_disease_classes(diseases, reference, expected):
    hierarchy = Hierarchy.from_csv(PAPERS / "disease_hierarchy.csv")
    domain = Domain.declare(DISEASES)
    ground = Hierarchical(hierarchy, domain)
    p = share(diseases, DISEASES)
    q = [F(c, sum(reference)) for c in reference]
    assert hierarchical_emd(p, q, *ground.nodes) == emd(p, q, ground) == expected


# ---------------------------------------------------------------------- cases from other tools


@pytest.mark.parametrize(
    ("p", "q", "ordered", "equal"),
    [
        # T03, both distributions hold the same masses: prefix 1/2 1 1/2 0 over 3; all mass moves
        (("1/2", "1/2", 0, 0), (0, 0, "1/2", "1/2"), F(2, 3), F(1)),
        # T13: prefix 1/4 1/2 1/4 0 over 3; two values surplus of 1/4 (the greatest difference, 1/4, is not an EMD)
        (("1/2", "1/2", 0, 0), ("1/4",) * 4, F(1, 3), F(1, 2)),
        # T14, the telling value is the one that the class lacks: prefix 1/5 2/5 0 over 2; surplus 2 · 1/5
        (("1/2", "1/2", 0), ("3/10", "3/10", "2/5"), F(3, 10), F(2, 5)),
        # T01: the class 11, 12, 13 of nine values, as the salaries
        (("1/3",) * 3 + (0,) * 6, ("1/9",) * 9, F(3, 8), F(2, 3)),
    ],
)
def test_cases_that_other_tools_got_wrong(p, q, ordered, equal):
    m = len(p)
    assert emd(p, q, Ordered(m)) == ordered
    assert emd(p, q, Equal(m)) == equal


def test_counts_of_different_totals_are_compared_as_shares():
    """Case T05: counts (1, 1) and (1, 3) are shares (1/2, 1/2) and (1/4, 3/4); a quarter moves over distance 1."""
    assert emd(["1/2", "1/2"], ["1/4", "3/4"], Equal(2)) == F(1, 4)
    assert emd(["1/2", "1/2"], ["1/4", "3/4"], Matrix([[0, 1], [1, 0]])) == F(1, 4)


def test_a_padded_hierarchy_scales_the_emd_unless_trivial_levels_collapse():
    """Case T17: {x} in {x, z, w}. 2/3 of the mass goes from A to B: over 2/2, or 2/3 where a spare column counts."""
    plain = [("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*"), ("w", "B", "*")]
    padded = Hierarchy([(*row, "*") for row in plain])
    domain = Domain.declare("xzw")
    p, q = [1, 0, 0], ["1/3"] * 3
    assert emd(p, q, Hierarchical(Hierarchy(plain), domain)) == F(2, 3)
    assert emd(p, q, Hierarchical(padded, domain)) == F(4, 9)
    assert emd(p, q, Hierarchical(padded, domain, trivial_levels="collapse")) == F(2, 3)


# ---------------------------------------------------------------------- number types


def test_the_closed_form_runs_on_floats_and_on_whole_numbers():
    """On counts c·N − C·n of the class (1, 0, 1, 0) in (1, 1, 1, 1): 2 −2 2 −2, prefix 2 0 2 0, sum 4 = n·N·3·EMD."""
    cuts = Ordered(4).cuts
    assert cut_work([2, -2, 2, -2], cuts) == 4
    assert cut_work([0.25, -0.25, 0.25, -0.25], cuts) == 0.5
    assert cut_potential([2, -2, 2, -2], cuts) == [2, 1, 1, 0]


def test_the_recursion_runs_on_arrays_one_entry_a_class():
    """Li et al. 2007, §5.2 on two classes of Table 3's diseases at once: gastric ulcer, and pneumonia, against halves
    of each.

    Half of the mass crosses the root, at distance 1.
    """
    hierarchy = Hierarchy([("ulcer", "stomach", "*"), ("pneumonia", "lungs", "*")])
    ground = Hierarchical(hierarchy, Domain.declare(["ulcer", "pneumonia"]))
    p, q = np.array([[1, 0], [0, 1]]), np.array([[0.5, 0.5], [0.5, 0.5]])
    assert hierarchical_emd(p, q, *ground.nodes, least=np.minimum).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("form", [ordered_emd, ordered_emd_double_sum, equal_emd])
def test_one_value_is_at_distance_zero_from_itself(form):
    assert form([F(1)], [F(1)]) == 0
