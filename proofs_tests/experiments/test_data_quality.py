"""Data quality of the best anonymous tables.

The expected numbers were found by an independent brute force over the whole lattices (integer counts, exact entropies
and Fractions) that shares no line with this package. Exhaustive search repeats some of them here.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments import adult
from experiments.adult_criteria import ENTROPY, K_ANONYMITY, RECURSIVE_3, RECURSIVE_4, closeness, model
from experiments.adult_hierarchies import preset
from experiments.adult_lattices import rolled
from experiments.intervals import bootstrap, wilson
from experiments.runner import StudyRun
from experiments.studies.data_quality import STUDY, one_apart
from experiments.studies.data_quality.claims import SAMPLES, apart, counted, gender_alone, similar, smaller
from experiments.studies.data_quality.quality import FOUR, SHARE, Quality, kept, of_four, of_sample, of_seven
from tcloseness.lattice import exhaustive, minimal_generalizations

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)

CRITERIA = (
    K_ANONYMITY,
    ENTROPY,
    RECURSIVE_4,
    *(closeness(t, g) for g in ("equal", "hierarchical S1") for t in ("0.2", "0.15")),
)

# preset, k = l → for each of the criteria: minimal nodes, least discernibility, least mean class size to one decimal
SEVEN = {
    ("T1", 2): (
        (25, 25032770, "314.2"),
        (21, 48146548, "502.7"),
        (26, 35742868, "502.7"),
        (3, 339331412, "7540.5"),
        (2, 339331412, "10054.0"),
        (4, 195193048, "3351.3"),
        (3, 339331412, "7540.5"),
    ),
    ("T1", 10): (
        (16, 64930188, "558.6"),
        (1, 682449722, "10054.0"),
        (4, 260069210, "3351.3"),
        (3, 339331412, "7540.5"),
        (2, 339331412, "10054.0"),
        (4, 195193048, "3351.3"),
        (3, 339331412, "7540.5"),
    ),
    ("T2", 5): (
        (26, 56156958, "471.3"),
        (10, 56156958, "942.6"),
        (11, 56156958, "942.6"),
        (2, 377295254, "7540.5"),
        (2, 455654372, "15081.0"),
        (6, 195193048, "3770.2"),
        (3, 377295254, "7540.5"),
    ),
    ("ARX+race", 8): (
        (13, 55170356, "754.0"),
        (2, 341691382, "3016.2"),
        (6, 97868020, "2010.8"),
        (2, 456853172, "15081.0"),
        (2, 456853172, "15081.0"),
        (3, 311880088, "4308.9"),
        (2, 456853172, "15081.0"),
    ),
}

# preset, k = l → k-anonymity, entropy, recursive (3,l): least height, mean class size, discernibility
FOUR_ATTRIBUTES = {
    ("L1", 2): ((4, "1413.2", 123519158), (4, "1507.4", 123519158), (4, "1413.2", 123519158)),
    ("L1", 8): ((4, "1507.4", 123519158), (6, "4522.2", 699994216), (5, "3014.8", 218844682)),
    ("L2", 4): ((4, "1130.5", 124598238), (5, "2261.1", 218844682), (4, "1507.4", 124598238)),
    ("L2", 8): ((4, "1413.2", 124598238), (6, "6460.3", 699994216), (5, "3014.8", 218844682)),
    ("ARX", 6): ((4, "1507.4", 123542232), (4, "1507.4", 123542232), (4, "1507.4", 123542232)),
}


# preset, ground distance, t → minimal nodes, least discernibility in 10⁸, least mean class size; k = 5
THRESHOLDS = {
    ("T1", "equal", "0.2"): (3, "3.39", "7540"),
    ("T1", "equal", "0.25"): (5, "1.95", "3351"),
    ("T1", "hierarchical S1", "0.5"): (21, "0.51", "559"),
    ("T2", "equal", "0.35"): (7, "0.99", "1508"),
    ("T2", "hierarchical S1", "0.3"): (9, "0.99", "1885"),
    ("ARX+race", "equal", "0.4"): (5, "0.98", "1508"),
    ("ARX+race", "hierarchical S1", "0.225"): (4, "3.12", "4309"),
}


@pytest.mark.parametrize(("preset", "parameter"), SEVEN)
def test_the_best_tables_of_seven_quasi_identifiers_are_those_of_the_brute_force(preset, parameter) -> None:
    for criterion, (minimal, discernibility, size) in zip(CRITERIA, SEVEN[preset, parameter], strict=True):
        found = of_seven(preset, criterion, parameter)
        assert found is not None
        assert (found.minimal, found.discernibility, f"{float(found.class_size):.1f}") == (
            minimal,
            discernibility,
            size,
        )


@pytest.mark.parametrize(("preset", "parameter"), FOUR_ATTRIBUTES)
def test_the_best_tables_of_four_quasi_identifiers_are_those_of_the_brute_force(preset, parameter) -> None:
    for criterion, expected in zip(
        (K_ANONYMITY, ENTROPY, RECURSIVE_3), FOUR_ATTRIBUTES[preset, parameter], strict=True
    ):
        found = of_four(preset, criterion, parameter)
        assert found is not None
        assert (found.height, f"{float(found.class_size):.1f}", found.discernibility) == expected


@pytest.mark.parametrize("criterion", [K_ANONYMITY, ENTROPY, RECURSIVE_3])
def test_no_satisfying_table_is_better_than_the_best_minimal_one(criterion) -> None:
    table = rolled("L2", "both-complete", "occupation", FOUR)
    found = [table.classes(node) for node in exhaustive(table, model(criterion, 4)).satisfying]
    best = of_four("L2", criterion, 4)
    assert best is not None
    assert best.discernibility == min(sum(int(n) ** 2 for n in classes.class_sizes) for classes in found)
    assert best.class_size == min(Fraction(table.records, len(classes)) for classes in found)


def test_gender_alone_costs_what_the_records_say() -> None:
    frame = adult.load("train-complete")
    whole = frame["occupation"].value_counts()
    n = len(frame)
    distances = []
    for _, rows in frame.groupby("sex"):
        own = rows["occupation"].value_counts()
        distances.append(
            sum(abs(Fraction(int(own.get(v, 0)), len(rows)) - Fraction(int(c), n)) for v, c in whole.items()) / 2
        )
    assert gender_alone() == max(distances) == Fraction(36532775, 147522342)


def test_a_sample_is_the_same_for_the_same_seed_and_smaller_than_the_table() -> None:
    one, again, other = (of_sample.__wrapped__("L1", K_ANONYMITY, 2, seed) for seed in (3, 3, 4))
    assert one == again
    assert one != other


def test_a_sample_keeps_each_record_with_the_same_probability() -> None:
    records, seeds = 4000, 100
    times = sum(kept(records, seed).astype(int) for seed in range(seeds))
    drawn, share = records * seeds, float(SHARE)
    assert abs(times.sum() - drawn * share) < 6 * (drawn * share * (1 - share)) ** 0.5  # six standard deviations
    assert times.max() < 30  # P(X ≥ 30) < 1e-14 for X ~ Bin(100, 1/20); 4,000 records


@pytest.mark.long
def test_the_best_2_anonymous_tables_of_a_sample_are_those_of_all_nodes() -> None:
    frame = adult.load("both-complete")
    frame = frame[kept(len(frame), 7)]
    levels = {key: preset("ARX")[key] for key in FOUR}
    labels = [
        [frame[key].map({path[0]: path[level] for path in hierarchy.paths}) for level in range(hierarchy.height + 1)]
        for key, hierarchy in levels.items()
    ]
    sizes = {
        node: frame.groupby([labels[a][level] for a, level in enumerate(node)], observed=True).size()
        for node in product(*(range(len(column)) for column in labels))
    }
    found = {node: n for node, n in sizes.items() if n.min() >= 2}
    best = of_sample("ARX", K_ANONYMITY, 2, 7)
    assert best is not None
    assert best.height == min(map(sum, found))
    assert best.discernibility == min(int((n**2).sum()) for n in found.values())
    assert best.class_size == min(Fraction(len(frame), len(n)) for n in found.values())


def test_similar_is_within_a_factor_of_two() -> None:
    some = Quality(1, 3, 100, Fraction(7))
    for other, expected in ((50, True), (200, True), (49, False), (201, False)):
        assert similar(some, Quality(1, 3, other, Fraction(7))) is expected
    assert similar(some, None)


def test_groups_are_smaller_where_none_is_larger_and_one_is_smaller() -> None:
    six, seven = Quality(1, 3, 100, Fraction(6)), Quality(1, 3, 100, Fraction(7))
    assert smaller([(seven, seven), (six, seven)])
    assert smaller([(seven, seven), (six, None)])
    assert not smaller([(seven, seven), (None, None)])
    assert not smaller([(six, seven), (seven, six)])
    assert not smaller([(six, seven), (None, six)])


def test_heights_are_apart_by_the_greatest_less_the_least() -> None:
    low, high = Quality(1, 3, 100, Fraction(7)), Quality(1, 5, 100, Fraction(7))
    assert apart([low, high, None]) == apart([high, low]) == 2
    assert apart([low, None]) == 0


@pytest.mark.parametrize(("preset", "ground", "t"), THRESHOLDS)
def test_the_best_tables_by_threshold_are_those_of_the_brute_force(preset, ground, t) -> None:
    minimal, discernibility, size = THRESHOLDS[preset, ground, t]
    found = of_seven(preset, closeness(t, ground), 5)
    assert found is not None
    assert (found.minimal, f"{found.discernibility / 1e8:.2f}", f"{float(found.class_size):.0f}") == (
        minimal,
        discernibility,
        size,
    )


def test_t_of_one_fifth_suppresses_gender_and_one_quarter_need_not() -> None:
    table = rolled("ARX+race")
    sex = table.lattice.quasi_identifiers.index("sex")
    for ground, least in (("equal", Fraction(36532775, 147522342)), ("hierarchical S1", Fraction(11455099, 49174114))):
        assert least > Fraction(1, 5)
        found = minimal_generalizations(table, model(closeness("0.2", ground), 5))
        assert found.satisfying
        assert all(node[sex] == 1 for node in found.satisfying)
        found = minimal_generalizations(table, model(closeness("0.25", ground), 5))
        assert any(node[sex] == 0 for node in found.satisfying)


@pytest.mark.slow
def test_the_study_runs_small(tmp_path: Path, undrawn: None) -> None:
    result = STUDY.run(StudyRun(STUDY.name, tmp_path, smoke=True))
    assert all(figure.path.stat().st_size > 0 and figure.caption for figure in result.figures)
    thresholds = result.tables["thresholds"]
    ratio = thresholds.groupby("ground distance")["times the discernibility of k alone"]
    assert (ratio.first() >= ratio.last()).all()  # t = 0.2 before t = 0.5


def test_a_share_of_the_samples_has_its_interval() -> None:
    low, high = wilson(52, SAMPLES)
    assert counted({"L2": 52, "ARX": 0}).startswith(
        f"L2 52 (95 % interval {100 * low:.1f} to {100 * high:.1f} %), ARX 0 ("
    )


def test_the_interval_of_heights_is_over_samples_not_over_cases_that_hang_together() -> None:
    """Four cases a sample, all of which hold in it or none: the interval is that of the samples."""
    holds = [sample % 3 > 0 for sample in range(30)]
    rows = [
        {"preset": preset, "k = l": k, "sample": sample, "height": height}
        for sample, k, preset in product(range(30), (2, 4), ("L1", "L2"))
        for height in (3, 4 if holds[sample] else 5)
    ]
    low, high = bootstrap(holds, np.mean, seed=7)
    expected = f"80 of 120 cases (66.7%, 95 % interval {low:.1%} to {high:.1%}"
    assert one_apart(pd.DataFrame(rows), 7) == expected
