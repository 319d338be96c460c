"""What is counted in the Adult data.

Expected numbers were counted with awk and by another program, or are computed here from the files with the csv module;
`test_adult.py` compares every cell that the loader reads.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, strategies as st
from rich.console import Console

from experiments import adult
from experiments.claims import load_ledger, outcomes_of, verdict
from experiments.runner import run_studies
from experiments.studies.data_facts.records import (
    FIGURE_2,
    SETS,
    ages_in_sample,
    counts,
    distinct,
    diversity,
    fewer_than,
    records,
)

try:
    FILES = adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)

# In the order of Li et al. 2007, Figure 2, counted with awk
DISTINCT = {
    "train-raw": (73, 8, 16, 41, 7, 5, 2, 14, 2),
    "test-raw": (73, 8, 16, 40, 7, 5, 2, 14, 2),
    "both-raw": (74, 8, 16, 41, 7, 5, 2, 14, 2),
    "train-complete": (72, 7, 16, 41, 7, 5, 2, 14, 2),
    "both-complete": (74, 7, 16, 41, 7, 5, 2, 14, 2),
}
RECORDS = {
    "train-raw": 32_561,
    "test-raw": 16_281,
    "both-raw": 48_842,
    "train-complete": 30_162,
    "both-complete": 45_222,
}
CLASSES = {
    "train-raw": (24_720, 7_841),
    "test-raw": (12_435, 3_846),
    "both-raw": (37_155, 11_687),
    "train-complete": (22_654, 7_508),
    "both-complete": (34_014, 11_208),
}
# exp of the Shannon entropy in nats, to ten decimals, by another program
EXP_ENTROPY = {
    ("train-complete", "occupation"): 10.5311822781,
    ("both-complete", "occupation"): 10.5669357618,
    ("train-complete", "class"): 1.7526839077,
    ("both-complete", "class"): 1.7505921174,
}
# the claims that do not hold, and under which assumption they would
ERRATA = {
    "TC-21a": "test file",  # 74 ages only over both files
    "TC-21b": "incomplete records",  # Never-worked occurs in incomplete records only
    "LD-14": None,  # 34,014 : 11,208 is about 3
    "LD-15i": "it should read 14",
    "LD-21": None,
    "LD-22": "it should read 7",  # seven attributes are left without the two sensitive ones
}


def with_csv(path: Path) -> list[list[str]]:
    with path.open(newline="") as lines:
        return [row for row in csv.reader(lines, skipinitialspace=True) if len(row) == len(adult.COLUMNS)]


@pytest.mark.parametrize("rows", SETS)
def test_records_and_distinct_values_are_the_pinned_ones(rows) -> None:
    assert len(records(rows)) == RECORDS[rows]
    assert tuple(distinct(rows, column) for column in FIGURE_2.values()) == DISTINCT[rows]
    assert tuple(counts(rows, "class").values()) == CLASSES[rows]


def test_the_records_of_the_test_file_are_its_own() -> None:
    """Every column but the label, which that file writes with a dot."""
    own = with_csv(FILES.test)
    found = records("test-raw").drop(columns="class").fillna("?").astype(str).to_numpy().tolist()
    assert found == [row[:-1] for row in own]


@pytest.mark.parametrize("column", FIGURE_2.values())
def test_counts_hold_every_record_once_in_their_order(column) -> None:
    place = adult.COLUMNS.index(column)
    every = Counter(row[place].removesuffix(".") for path in (FILES.train, FILES.test) for row in with_csv(path))
    del every["?"]
    found = counts("both-raw", column)
    assert {str(value): n for value, n in found.items()} == every
    assert list(found) == (sorted(found) if column == "age" else sorted(found, key=lambda v: (-found[v], v)))


@pytest.mark.parametrize(("rows", "column"), EXP_ENTROPY)
def test_entropy_limits(rows, column) -> None:
    """exp(H) from another program; H ≥ ln ℓ exactly if nⁿ ≥ ℓⁿ·Π cᶜ."""
    found = diversity(rows, column)
    assert found.effective_l == pytest.approx(EXP_ENTROPY[rows, column], abs=1e-9)
    every = list(counts(rows, column).values())
    n, inner = sum(every), math.prod(c**c for c in every)
    assert n**n >= found.entropy_l**n * inner
    assert n**n < (found.entropy_l + 1) ** n * inner
    assert found.least_c == Fraction(max(every), n - max(every))


def test_entropy_2_diversity_is_impossible_for_salary_class_in_every_set_of_records() -> None:
    assert {diversity(rows, "class").entropy_l for rows in SETS} == {1}


# ---------------------------------------------------------------------- the sample


def test_ages_in_a_five_percent_sample_are_the_pinned_ones() -> None:
    ages = ages_in_sample()
    assert [sum(low <= a.expected < high for a in ages) for low, high in ((30, 99), (10, 30), (0, 10), (0, 1))] == [
        36,
        13,
        25,
        8,
    ]
    assert sum(a.expected for a in ages) == Fraction(45_222, 20)
    by_age = {a.age: a.records for a in ages}
    assert sum(by_age[age] for age in range(81, 91)) == 114
    assert sum(by_age[age] for age in range(31, 41)) == 12_291


@given(st.integers(0, 7), st.integers(0, 8), st.fractions(0, 1, max_denominator=9))
def test_the_chance_of_few_records_is_that_of_all_samples(n, limit, share) -> None:
    """Every sample of n records, one by one."""
    chances = (
        math.prod((share if kept else 1 - share for kept in sample), start=Fraction(1))
        for sample in product((True, False), repeat=n)
        if sum(sample) < limit
    )
    assert fewer_than(limit, n, share) == sum(chances, Fraction())


# ---------------------------------------------------------------------- the study


def test_the_errata_are_these_and_no_others() -> None:
    ledger = load_ledger()
    found = {key: verdict(ledger[key], outcome) for key, outcome in outcomes_of("data_facts").items()}
    assert {key for key, its in found.items() if not its.kind.agrees} == set(ERRATA)
    for key, words in ERRATA.items():
        assert (words in str(found[key].why)) if words else found[key].why is None


@pytest.mark.slow
def test_the_study_writes_its_tables_and_figures(tmp_path: Path, undrawn: None) -> None:
    result = run_studies(["data_facts"], results=tmp_path, smoke=True, console=Console(quiet=True))["data_facts"]
    folder = tmp_path / "data_facts"
    assert all(figure.path.stat().st_size > 0 for figure in result.figures)
    domains = pd.read_csv(folder / "domains.csv").set_index("attribute")
    assert tuple(domains["test, raw"]) == DISTINCT["test-raw"]
    values = pd.read_csv(folder / "values.csv")
    assert set(values.groupby("attribute")["both, complete"].sum()) == {45_222}
    statements = pd.read_csv(folder / "statements.csv")
    assert set(statements.loc[statements["verdict"].str.startswith(("does not", "misprint")), "claim"]) == set(ERRATA)
    assert f"{len(result.outcomes) - len(ERRATA)} of {len(result.outcomes)} statements" in result.summary
    assert "impossible" in result.summary
