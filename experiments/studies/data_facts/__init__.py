"""What the papers state about the Adult data, counted again: records, domains, ages, the classes' ratio, a sample."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from experiments.adult import COLUMNS
from experiments.claims import Outcome, load_ledger, outcomes_of, value_text, verdict
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.studies.data_facts import claims  # importing the module registers its checks
from experiments.studies.data_facts.figures import draw_ages, draw_domains
from experiments.studies.data_facts.records import (
    FIGURE_2,
    FIGURE_4,
    SENSITIVE,
    SETS,
    Diversity,
    RecordSet,
    ages_in_sample,
    counts,
    distinct,
    diversity,
    records,
)
from tcloseness.exact import number_text

__all__ = ["STUDY", "claims"]

NAME = "data_facts"


def run(study: StudyRun) -> StudyResult:
    """Count everything that the papers state, and compare. A smoke run is the full one: it takes a second or two."""
    found = outcomes_of(NAME)
    tables = {
        "statements": _statements(found),
        "domains": _domains(),
        "record_sets": pd.DataFrame([_described(rows) for rows in study.progress(SETS, "sets of records")]),
        "values": _values(),
        "diversity": _diversity(),
        "ages": _ages(),
    }
    figures = [
        Figure(
            draw_domains(study.folder / "stated_and_counted.png"),
            "The number of values of each attribute, as stated (diamonds) and as counted (dots) in the records that "
            "the paper uses; where they differ, both numbers stand beside them.",
        ),
        Figure(
            draw_ages(study.folder / "ages_in_a_sample.png"),
            "How many records of each age a 5 % sample can be expected to hold: most ages have more than 30 or fewer "
            "than 10, not about 20.",
        ),
    ]
    return StudyResult(tables, figures, found, _summary(found))


def _summary(found: Mapping[str, Outcome]) -> str:
    ledger = load_ledger()
    failing = [key for key, outcome in found.items() if not verdict(ledger[key], outcome).kind.agrees]
    differing = "; ".join(
        f"{ledger[key].statement} ({ledger[key].paper}), stated {ledger[key].stated}, counted {_short(found[key])}"
        for key in failing
        if ledger[key].stated
    )
    sizes = " and ".join(f"{len(records(rows)):,}" for rows in _COMPLETE)
    salary, work = ([diversity(rows, column) for rows in _COMPLETE] for column in SENSITIVE)
    possible = "possible" if any(d.entropy_l >= 2 for d in salary) else "impossible in every table"
    return (
        f"{len(found) - len(failing)} of {len(found)} statements about the data hold. Others are counted otherwise: "
        f"{differing}. On the 5 % sample: {found['LD-21'].detail}. In the {sizes} records exp(entropy) of Salary class "
        f"is {_two(salary)}, so entropy 2-diversity is {possible}; for Occupation it is {_two(work)}, the greatest l "
        "of entropy l-diversity."
    )


def _two(found: list[Diversity]) -> str:
    return " and ".join(f"{d.effective_l:.2f}" for d in found)


def _short(outcome: Outcome) -> str:
    text = value_text(outcome.ours)
    return f"{float(outcome.ours):.3f}" if "/" in text else text


_COMPLETE: tuple[RecordSet, ...] = ("train-complete", "both-complete")


def _words(rows: RecordSet) -> str:
    return rows.replace("-", ", ")


# ---------------------------------------------------------------------- tables


def _statements(found: Mapping[str, Outcome]) -> pd.DataFrame:
    ledger = load_ledger()
    return pd.DataFrame(
        {
            "claim": key,
            "paper": ledger[key].paper,
            "place": ledger[key].place,
            "statement": ledger[key].statement,
            "stated": ledger[key].stated or "",
            "counted": value_text(outcome.ours),
            "verdict": str(verdict(ledger[key], outcome)),
            "remark": outcome.detail,
        }
        for key, outcome in found.items()
    )


def _domains() -> pd.DataFrame:
    ledger = load_ledger()
    li, machanavajjhala = (
        {column: ledger[f"{claim}{letter}"].stated for letter, column in figure.items()}
        for claim, figure in (("TC-21", FIGURE_2), ("LD-15", FIGURE_4))
    )
    return pd.DataFrame(
        {
            "attribute": column,
            **{_words(rows): distinct(rows, column) for rows in SETS},
            "Li 2007 (train, complete)": li[column],
            "Machanavajjhala 2006 (both, complete)": machanavajjhala[column],
        }
        for column in FIGURE_2.values()
    )


def _described(rows: RecordSet) -> dict[str, object]:
    table = records(rows)
    frequent, rare = counts(rows, "class").values()
    missing = {column: int(table[column].isna().sum()) for column in COLUMNS}
    return {
        "records": _words(rows),
        "number": len(table),
        "with a missing cell": int(table.isna().any(axis=1).sum()),
        "missing cells": ", ".join(f"{column} {n}" for column, n in missing.items() if n) or "none",
        "equal to an earlier record": int(table.duplicated().sum()),
        "class <=50K": frequent,
        "class >50K": rare,
        "ratio": f"{frequent}/{rare}",
        "ratio (decimal)": round(frequent / rare, 4),
    }


def _values() -> pd.DataFrame:
    by_set = {rows: {column: counts(rows, column) for column in FIGURE_2.values()} for rows in SETS}
    return pd.DataFrame(
        {
            "attribute": column,
            "value": value,
            **{_words(rows): by_set[rows][column].get(value, 0) for rows in SETS},
        }
        for column in FIGURE_2.values()
        for value in by_set["both-raw"][column]
    )


def _diversity() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "records": _words(rows),
            "sensitive attribute": column,
            "values": distinct(rows, column),
            "exp(entropy)": round(diversity(rows, column).effective_l, 10),
            "greatest whole l of entropy l-diversity": diversity(rows, column).entropy_l,
            "entropy 2-diversity": "possible" if diversity(rows, column).entropy_l >= 2 else "impossible",
            "recursive (c,2)-diversity needs c above": number_text(diversity(rows, column).least_c),
            "decimal": round(float(diversity(rows, column).least_c), 4),
        }
        for rows in SETS
        for column in SENSITIVE
    )


def _ages() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": one.age,
            "records": one.records,
            "expected in a 5 % sample": number_text(one.expected),
            "decimal": float(one.expected),
            "probability of fewer than 10": round(float(one.fewer_than_ten), 6),
        }
        for one in ages_in_sample()
    )


STUDY = Study(
    NAME,
    "Do the papers' numbers about the Adult data hold?",
    run,
    basis="all records, counted; what a 5 % sample holds is computed from its distribution, and none is drawn.",
)
