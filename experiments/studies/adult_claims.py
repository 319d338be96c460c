"""Checks of what Li 2007 and Machanavajjhala 2006 say about the Adult data, as far as it needs no generalization.

The studies that search a lattice check the rest. Which records each paper uses is in `experiments.adult`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pandas as pd

from experiments import adult
from experiments.claims import Outcome, check

__all__ = ["FIGURE_2", "FIGURE_4", "SENSITIVE"]

FIGURE_2 = {
    "a": "age",
    "b": "workclass",
    "c": "education",
    "d": "native-country",
    "e": "marital-status",
    "f": "race",
    "g": "sex",
    "h": "occupation",
    "i": "class",
}
"""Li 2007, Figure 2: the attributes in its order, by the letter of their claim TC-21."""

FIGURE_4 = {
    "a": "age",
    "b": "sex",
    "c": "race",
    "d": "marital-status",
    "e": "education",
    "f": "native-country",
    "g": "workclass",
    "h": "class",
    "i": "occupation",
}
"""Machanavajjhala 2006, Figure 4: the attributes in its order, by the letter of their claim LD-15."""

SENSITIVE = ("class", "occupation")
"""The two attributes that both figures mark as sensitive."""


@cache
def _records(rows: adult.Rows) -> pd.DataFrame:
    return adult.load(rows)


def _distinct(rows: adult.Rows, column: str) -> int:
    return int(_records(rows)[column].nunique())


@check("TC-20", "LD-11")
def _records_without_missing_values() -> dict[str, Outcome]:
    train, both = len(_records("train-complete")), len(_records("both-complete"))
    return {
        "TC-20": Outcome(train, {"the test file is used too": both}),
        "LD-11": Outcome(both, {"only the training file is used": train}),
    }


@check(*(f"TC-21{letter}" for letter in FIGURE_2))
def _domains_of_figure_2() -> dict[str, Outcome]:
    found = {}
    for letter, column in FIGURE_2.items():
        ours = _distinct("train-complete", column)
        others = {
            "the records of the test file are counted too": _distinct("both-complete", column),
            "incomplete records are counted too": _distinct("train-raw", column),
        }
        found[f"TC-21{letter}"] = Outcome(ours, {why: value for why, value in others.items() if value != ours})
    return found


@check(*(f"LD-15{letter}" for letter in FIGURE_4))
def _domains_of_figure_4() -> dict[str, Outcome]:
    size = {column: _distinct("both-complete", column) for column in FIGURE_4.values()}
    found = {f"LD-15{letter}": Outcome(size[column]) for letter, column in FIGURE_4.items()}
    return found | {
        "LD-15i": Outcome(size["occupation"], {"the row of Native Country is repeated": size["native-country"]})
    }


@check("LD-12", "LD-13")
def _ages() -> dict[str, Outcome]:
    ages = _records("both-complete")["age"]
    return {
        "LD-12": Outcome(int(ages.between(81, 90).sum())),
        "LD-13": Outcome(int(ages.between(31, 40).sum())),
    }


@check("LD-14")
def _skew_of_salary_class() -> Outcome:
    frequent, rare = _records("both-complete")["class"].value_counts()
    ratio = Fraction(int(frequent), int(rare))
    return Outcome(ratio, detail=f"{frequent:,} records to {rare:,}, {float(ratio):.3f}")


@check("LD-21")
def _five_percent_sample() -> Outcome:
    expected = [Fraction(int(n), 20) for n in _records("both-complete")["age"].value_counts()]
    near = sum(10 <= n < 30 for n in expected)
    below, rare = (sum(n < limit for n in expected) for limit in (10, 1))
    return Outcome(
        2 * near > len(expected) and 4 * below < len(expected),
        detail=f"of {len(expected)} ages {near} have 10 to 30 expected records, {len(expected) - near - below} more, "
        f"{below} fewer ({rare} of them less than one)",
    )


@check("LD-22")
def _quasi_identifier_sizes() -> Outcome:
    available = set(FIGURE_4.values()) - set(SENSITIVE)
    return Outcome(
        len(available),
        {"the eighth attribute, the sensitive Salary class, joins the quasi-identifiers": len(available) + 1},
    )
