"""The stand-in for the Lands End database: its shape is the paper's, and its rows are the same in every run."""

from __future__ import annotations

import re

import duckdb
import numpy as np
import pytest

from experiments import lands_end
from experiments.claims import load_ledger
from experiments.lands_end import ATTRIBUTES, DOMAIN_SIZES, HEIGHTS, KINDS, SENSITIVE, blocks, hierarchies, texts, write
from tcloseness import read_table
from tcloseness.microdata import FrequencySet


def columns(form, rows, **options):
    found = list(blocks(form, rows, **options))
    return {name: np.concatenate([block[name] for block in found]) for name in found[0]}


def distinct(codes, names):
    return len(np.unique(np.column_stack([codes[name] for name in names]), axis=0))


@pytest.mark.parametrize(("form", "counts"), [("distinct", (60_000, 60_000)), ("repeated", (45_103, 58_629))])
def test_the_same_seed_draws_the_same_rows(form, counts):
    """Pinned: classes and combinations of the first 60,000 rows."""
    codes, other = columns(form, 60_000), columns(form, 60_000, seed=1)
    assert (distinct(codes, ATTRIBUTES), distinct(codes, DOMAIN_SIZES)) == counts
    assert set(codes) == set(DOMAIN_SIZES)
    for name, column in codes.items():
        assert column.min() >= 0
        assert column.max() < DOMAIN_SIZES[name]
        assert DOMAIN_SIZES[name] == 1 or (column != other[name]).any()


@pytest.mark.parametrize("form", ["distinct", "repeated"])
def test_a_smaller_table_is_the_beginning_of_a_larger_one(form, monkeypatch):
    monkeypatch.setattr(lands_end, "_BLOCK", 1_000)
    whole = columns(form, 4_500)
    for rows in (1, 999, 1_000, 1_001, 4_500):
        part = columns(form, rows)
        assert all(len(codes) == rows and (codes == whole[name][:rows]).all() for name, codes in part.items())


def test_the_values_are_as_many_as_the_paper_says():
    for name, size in DOMAIN_SIZES.items():
        found = texts(name)
        assert len(found) == len(set(found)) == size
    tall = hierarchies()
    assert {name: tall[name].height for name in ATTRIBUTES} == HEIGHTS
    kinds = lands_end._kinds(2006)
    assert all(len(codes) == KINDS and codes.min() >= 0 for codes in kinds.values())
    assert len(np.unique(kinds["zipcode"])) == DOMAIN_SIZES["zipcode"]


def test_the_shape_is_what_the_ledger_says_of_the_paper():
    ledger = load_ledger()
    numbers = {key: list(map(int, re.findall(r"\d+", ledger[key].statement))) for key in ("LD-23e", "LD-23f")}
    assert list(DOMAIN_SIZES.values()) == numbers["LD-23e"]
    assert list(HEIGHTS.values()) == numbers["LD-23f"]
    assert str(lands_end.ROWS) == ledger["LD-23d"].stated


@pytest.mark.long
def test_files_hold_the_rows_that_were_drawn(tmp_path):
    """CSV and Parquet, all columns or some."""
    codes = columns("repeated", 3_000)
    wanted = {name: np.array(texts(name))[codes[name]].tolist() for name in DOMAIN_SIZES}
    for name in ("it's.csv", "it.parquet"):
        for chosen in (tuple(DOMAIN_SIZES), ("style", SENSITIVE)):
            path = write(tmp_path / name, "repeated", 3_000, columns=chosen)
            if path.suffix == ".csv":
                found = {key: column.tolist() for key, column in read_table(path).items()}
            else:
                found = duckdb.read_parquet(str(path)).df().to_dict("list")
            assert list(found) == list(chosen)
            assert sorted(zip(*found.values(), strict=True)) == sorted(zip(*map(wanted.get, chosen), strict=True))
            path.unlink()


@pytest.mark.long
def test_a_search_can_roll_it_up(tmp_path):
    table = read_table(write(tmp_path / "a.csv", "repeated", 500))
    counted = FrequencySet.from_frame(table, quasi_identifiers=ATTRIBUTES, sensitive=SENSITIVE)
    top = counted.generalize(hierarchies(), HEIGHTS)
    assert len(top.class_counts()) == 1
    middle = counted.generalize(hierarchies(), {"zipcode": 4, "order_date": 2})
    assert set(middle.domains["zipcode"].values) <= {f"{digit}****" for digit in range(10)}
    assert set(middle.domains["order_date"].values) <= {f"quarter {n}" for n in range(1, 5)}
