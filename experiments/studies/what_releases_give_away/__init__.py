"""What releases give away to somebody who knows how they were made: each method, level of knowledge and model.

One notion, of `tcloseness.attacks.disclosure`: certain is what is true in every original that is consistent with the
release, the method and what else is known. On Adult labels are read in closed form, classes by their values, and two
releases by sums of counts and linear programs with certificates. Of small tables every candidate is released again.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.studies.what_releases_give_away import figures
from experiments.studies.what_releases_give_away.adult_tables import CURES, GUESSED, refused_row, rows_of
from experiments.studies.what_releases_give_away.asked import asked
from experiments.studies.what_releases_give_away.cures import cured
from experiments.studies.what_releases_give_away.literature import compared_with
from experiments.studies.what_releases_give_away.small_tables import CODE, SECRET, Drawn, all_tables, drawn_tables
from experiments.studies.what_releases_give_away.two_releases import WAYS, compared

__all__ = ["BASIS", "STUDY", "Grid", "run"]

NAME = "what_releases_give_away"

NOT_MEASURED = "Not measured: the beliefs by a minimal node of Adult."
"""What is said of what others measure."""

BASIS = (
    "all records of Adult, and all tables of a size; the random small tables are a sample of no population, so that "
    "their shares have no interval."
)


@dataclass(frozen=True)
class Grid:
    """What the study runs over.

    Attributes
    ----------
    adult
        Methods and models on Adult, as `asked` reads them.
    refused, states
        Methods and models on Adult of which refused cuts are counted, and with how many states a class at most.
    cured
        Methods and models on Adult that are cured of what the method gives away.
    pairs, programs
        Two releases each; and those of which linear programs are asked too.
    whole, values, records
        Methods and models of which every table is released, of so many values and records.
    drawn, repeated
        Methods and models that random tables are released by; those whose quasi-identifiers are equal, too.
    draws, seeds
        Of which a reader who does not know the seed is asked about, too, and how many seeds are tried for her.
    tables, people, most, tries
        So many random tables of so many records, each of at most so many candidates, of at most so many drawn ones.
    """

    adult: tuple[str, ...]
    refused: tuple[str, ...]
    states: int
    cured: tuple[str, ...]
    pairs: tuple[str, ...]
    programs: tuple[str, ...]
    whole: tuple[str, ...]
    values: int
    records: int
    drawn: tuple[str, ...]
    repeated: tuple[str, ...]
    draws: tuple[str, ...]
    seeds: int
    tables: int
    people: int
    most: int
    tries: int


def run(study: StudyRun) -> StudyResult:
    """Ask every method at every level that is exact for it, and say what comes out."""
    grid = study.grid(Grid)
    tables, proofs = dict[str, pd.DataFrame](), dict[str, bytes]()
    rows = []
    for text in study.progress(grid.adult, "releases of Adult"):
        for row, files in rows_of(asked(text)):
            rows.append(row)
            proofs |= files
    whole = ["classes", "smallest class", "suppressed records", "cells", "certain by labels", "certain by tight"]
    whole += ["generalized cells", "of these certain by tight", "open", "persons certain by classes"]
    tables["adult"] = _whole(pd.DataFrame(rows), whole)
    rows = [refused_row(asked(text), grid.states) for text in study.progress(grid.refused, "refused cuts")]
    tables["refused_cuts"] = pd.DataFrame(rows)
    healed = []
    for text in study.progress(grid.cured, "cures"):
        row, files = cured(text, grid.states)
        healed.append(row)
        proofs |= files
    tables["cures"] = pd.DataFrame(healed)
    linked = []
    for pair in study.progress(grid.pairs, "two releases"):
        row, files = compared(pair, programs=pair in grid.programs)
        linked.append(row)
        proofs |= files
    every = ["by programs", "shown to be open to several values", "undecided", "components", "most"]
    tables["two_releases"] = _whole(pd.DataFrame(linked), every)
    rows = []
    for text in study.progress(grid.whole, "all tables of a size"):
        each = asked(text)
        rows.append({"method": each.shown, "model": each.title, **all_tables(each, grid.records, grid.values)})
    tables["every_small_table"] = pd.DataFrame(rows)
    rows = []
    work = [*((text, False) for text in grid.drawn), *((text, True) for text in grid.repeated)]
    for text, repeated in study.progress(work, "random tables"):
        each, drawn = asked(text), Drawn(study.seed, grid.people, repeated=repeated)
        head = {"method": each.shown, "model": each.title, "quasi-identifiers": "equal" if repeated else "distinct"}
        seeds = grid.seeds if repeated or text in grid.draws else 0
        rows += [{**head, **row} for row in drawn_tables(each, drawn, grid.tables, grid.most, grid.tries, seeds)]
    tables["random_small_tables"] = pd.DataFrame(rows)
    tables["literature"] = compared_with()
    return StudyResult(tables, _figures(study, tables, grid), {}, _summary(tables, len(grid.programs)), proofs)


def _whole(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    return table.astype({name: "Int64" for name in columns if name in table})


def _figures(study: StudyRun, tables: dict[str, pd.DataFrame], grid: Grid) -> list[Figure]:
    adult = tables["adult"]
    shown = adult[adult["labels"].isin(CURES)]
    return [
        Figure(
            figures.cures(shown, study.folder / "labels_and_cures.png"),
            "The same classes of Adult under three kinds of labels: how many of the generalized values of age, "
            "education-num and hours-per-week can be listed exactly, and what the labels cost. The grid counts from "
            "0. Labels at whole levels have one kind. Of intervals of the hierarchy only what they show is certain.",
        ),
        Figure(
            figures.worlds(tables["random_small_tables"], study.folder / "persons_by_level.png"),
            f"Persons whose sensitive value is certain in random tables of {grid.people} records, if everybody's "
            "quasi-identifiers are known: by the classes alone; by the method with its parameters and its seed; by "
            "that the release is minimal, or an optimum; and by the method without its seed, where every original was "
            "shown to be possible.",
        ),
        Figure(
            figures.healed(tables["cures"], study.folder / "persons_before_and_after.png"),
            "Persons of Adult whose occupation is certain: by the classes alone; to somebody who knows the method, "
            "before and after the cure. With Anatomy seven quasi-identifiers are published as they are, and records of "
            "a value went to the classes in their order; they are drawn with a secret seed instead. Mondrian's refused "
            "cuts are of three, and the cure decides cuts by these alone.",
        ),
        Figure(
            figures.releases(tables["two_releases"], WAYS, study.folder / "two_releases.png"),
            "Persons of Adult whose occupation two Mondrian releases make certain: one of them alone, the values that "
            "both classes have, sums of counts, and linear programs where these were asked.",
        ),
    ]


def _summary(tables: dict[str, pd.DataFrame], programs: int) -> str:
    parts = [
        _labels(tables["adult"]),
        _guessed(tables["adult"]),
        _refused(tables["refused_cuts"]),
        _cured(tables["cures"]),
        _code(tables["random_small_tables"]),
        _together(tables["two_releases"], programs),
        _others(tables["literature"]),
        NOT_MEASURED,
    ]
    return " ".join(filter(None, parts))


def _labels(adult: pd.DataFrame) -> str:
    of = {way: adult[adult["labels"] == way].set_index(["method", "model"]) for way in CURES}
    both = of[CURES[0]].index.intersection(of[CURES[1]].index)
    made, cured, trees = (of[way].loc[both] for way in CURES)
    worst = made.reset_index().iloc[made["share"].argmax()]
    prices = (_between(each["NCP per cell"] / made["NCP per cell"], "{:.1f}") for each in (cured, trees))
    return (
        f"Tight labels alone make {_between(made['share'])} of the generalized values of Adult certain, the most with "
        f"{worst['method']} at {worst['model']}. On a grid of 5, 2 and 5 the same classes leave "
        f"{_between(cured['share'])}, for {next(prices)} times the NCP; under intervals of a hierarchy "
        f"{_between(trees['share'])}, for {next(prices)} times."
    )


def _guessed(adult: pd.DataFrame) -> str:
    if GUESSED not in adult:
        return ""
    found = adult.dropna(subset=[GUESSED])
    said = [f"{row[GUESSED]:.1%} at {row['model']}" for row in found.to_dict("records")]
    return f"Of a table in two parts a model that is fitted to it guesses {', '.join(said)} right, and proves nothing."


def _refused(refused: pd.DataFrame) -> str:
    said = [
        f"{row['persons certain']:,} at {row['model']} ({row['open']:,} open)" for row in refused.to_dict("records")
    ]
    return f"That Mondrian cut no class further makes as many persons of Adult certain: {', '.join(said)}."


def _cured(found: pd.DataFrame) -> str:
    said = [
        f"{row['method']} at {row['model']} from {row['certain']:,} of {row['persons']:,} to {row['certain, cured']:,} "
        f"by {row['cure']} ({_price(row)})"
        for row in found.to_dict("records")
    ]
    return f"Cures bring the persons whose value is certain down: {'; '.join(said)}. A certificate proves each of them."


def _price(row: Mapping[Hashable, Any]) -> str:
    before, after = row["NCP per cell"], row["NCP per cell, cured"]
    return "at no loss" if after == before else f"for {after / before:.1f} times the NCP"


def _code(small: pd.DataFrame) -> str:
    small = small[small["tables"] > 0]
    sizes = small["model"].str.fullmatch(r"k = \d+") & (small["method"] != "confidential")
    code, equal = small["level"] == CODE, small["quasi-identifiers"] == "equal"
    plain, loud = small[sizes & code & ~equal], small[~sizes & code]
    ties, secret = small[sizes & code & equal], small[sizes & equal & (small["level"] == SECRET)]
    most = loud.iloc[(loud["certain by level"] - loud["certain by classes"]).argmax()]
    return (
        f"In {int((plain['worlds left'] == 1).sum())} of {len(plain)} cases in which a method that does not look at "
        "sensitive values is asked for k alone, and no quasi-identifiers are equal, its code and seed exclude no "
        f"original. Of equal ones draws decide: whoever knows the seed is left with {_between(ties['worlds left'])} of "
        f"the originals, and whoever does not with at least {_between(secret['worlds left'])}. Where sensitive values "
        f"are asked about, {_between(loud['worlds left'])} are left on average, and {most['method']} at "
        f"{most['model']} makes {most['certain by level']:.1%} of the persons certain instead of "
        f"{most['certain by classes']:.1%}."
    )


def _together(linked: pd.DataFrame, programs: int) -> str:
    most, silent = linked.iloc[linked["by sums"].argmax()], linked[linked["alone"] == 0]
    more = "" if pd.isna(most["by programs"]) else f" and {most['by programs']:,} by linear programs"
    found = [
        f"Two releases ({most['releases']}) make {most['alone']:,} persons certain alone, {most['by sets']:,} by "
        f"values that both classes have, {most['by sums']:,} by sums of counts{more}."
    ]
    if len(silent):
        persons = _between(silent["by sums"], "{:,}")
        found.append(f"Where neither release makes anybody certain, two make {persons} persons so by sums.")
    found.append(
        f"Linear programs were asked about {programs} of {len(linked)} pairs; what the values of the classes do not "
        "show is proved by a certificate beside the table."
    )
    return " ".join(found)


def _between(numbers: pd.Series[float], form: str = "{:.1%}") -> str:
    ends = (form.format(numbers.min()), form.format(numbers.max()))
    return " to ".join(dict.fromkeys(ends))


def _others(literature: pd.DataFrame) -> str:
    yes, no, not_run = (int((literature["reproduced"] == each).sum()) for each in ("yes", "no", "not run"))
    return f"Of the literature {yes} examples come out as it says, {no} do not, and {not_run} could not be run."


STUDY = Study(
    NAME,
    "What does a release give away to somebody who knows how it was made, and what do cures cost?",
    run,
    basis=BASIS,
)
