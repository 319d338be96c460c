"""Checks of what Li et al. 2007 and Machanavajjhala et al. 2006 say about the Adult data, as far as it needs no
generalization.

The studies that search a lattice check the rest.
"""

from __future__ import annotations

from fractions import Fraction

from experiments.claims import Outcome, check
from experiments.studies.data_facts.records import (
    FIGURE_2,
    FIGURE_4,
    SENSITIVE,
    ages_in_sample,
    counts,
    distinct,
    records,
)

__all__ = ["ABOUT_20", "FEW"]

ABOUT_20 = (10, 30)
"""What is read as *around 20*: from the first, below the second."""

FEW = 10
"""Machanavajjhala et al. 2006 calls an age rare that occurs in fewer records of the sample than this."""


@check("TC-20", "LD-11")
def _records_without_missing_values() -> dict[str, Outcome]:
    train, both = len(records("train-complete")), len(records("both-complete"))
    return {
        "TC-20": Outcome(train, {"the test file is used too": both}),
        "LD-11": Outcome(both, {"only the training file is used": train}),
    }


@check(*(f"TC-21{letter}" for letter in FIGURE_2))
def _domains_of_figure_2() -> dict[str, Outcome]:
    found = {}
    for letter, column in FIGURE_2.items():
        ours = distinct("train-complete", column)
        others = {
            "the records of the test file are counted too": distinct("both-complete", column),
            "incomplete records are counted too": distinct("train-raw", column),
        }
        found[f"TC-21{letter}"] = Outcome(ours, {why: value for why, value in others.items() if value != ours})
    return found


@check(*(f"LD-15{letter}" for letter in FIGURE_4))
def _domains_of_figure_4() -> dict[str, Outcome]:
    size = {column: distinct("both-complete", column) for column in FIGURE_4.values()}
    found = {f"LD-15{letter}": Outcome(size[column]) for letter, column in FIGURE_4.items()}
    return found | {
        "LD-15i": Outcome(size["occupation"], {"the row of Native Country is repeated": size["native-country"]})
    }


@check("TC-21k")
def _height_of_salary() -> Outcome:
    """A level that differs from the one below has fewer groups, so two values have one level above them."""
    values = distinct("train-complete", FIGURE_2["i"])
    return Outcome(values, {"the values themselves are not a level": values - 1}, "two values, and nothing")


@check("LD-12", "LD-13")
def _ages() -> dict[str, Outcome]:
    ages = records("both-complete")["age"]
    return {
        "LD-12": Outcome(int(ages.between(81, 90).sum())),
        "LD-13": Outcome(int(ages.between(31, 40).sum())),
    }


@check("LD-14")
def _skew_of_salary_class() -> Outcome:
    frequent, rare = counts("both-complete", "class").values()
    ratio = Fraction(frequent, rare)
    return Outcome(ratio, detail=f"{frequent:,} records to {rare:,}, {float(ratio):.3f}")


@check("LD-21")
def _five_percent_sample() -> Outcome:
    ages = ages_in_sample()
    near = sum(ABOUT_20[0] <= a.expected < ABOUT_20[1] for a in ages)
    below, rare = (sum(a.expected < limit for a in ages) for limit in (FEW, 1))
    mean = sum((a.fewer_than_ten for a in ages), Fraction())
    return Outcome(
        2 * near > len(ages) and 4 * below < len(ages),
        detail=f"of {len(ages)} ages {near} have {ABOUT_20[0]} to {ABOUT_20[1]} expected records, "
        f"{len(ages) - near - below} more, {below} fewer ({rare} of them less than one); on average over all such "
        f"samples {float(mean):.1f} ages have fewer than {FEW}",
    )


@check("LD-22")
def _quasi_identifier_sizes() -> Outcome:
    available = set(FIGURE_4.values()) - set(SENSITIVE)
    return Outcome(
        len(available),
        {"the eighth attribute, which is sensitive, joins the quasi-identifiers": len(available) + 1},
        "the eighth attribute is Salary class of Adult, which could join where Occupation is the sensitive one, and "
        "Cost of Lands End, which is the sensitive one itself",
    )
