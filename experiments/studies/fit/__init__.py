"""The fit of hierarchies to the papers' counts of minimal tables: how often it succeeds, so that a fit can be weighed.

Machanavajjhala et al. 2006 and Li et al. 2007, sections 6, print how many tables are minimal and how many of them an
attack opens, under hierarchies that are not published. The presets L1, T1 and T2 of `experiments.adult_hierarchies`
were searched for these counts. Here the space is stated (`universe`), so are the targets (`targets`), and the printed
counts are looked for in it: under every hierarchy for the first paper (`whole`), under hierarchies drawn at random and
by a search for the second (`counts`, `search`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.adult_hierarchies import FITTED, PRESETS
from experiments.adult_lattices import FIVE, rolled, shown
from experiments.all_groupings import balanced, five_five_four, records_below
from experiments.claims import Outcome, load_ledger, outcomes_of
from experiments.intervals import percent, wilson
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.studies.fit.counts import CRITERIA, GROUPINGS
from experiments.studies.fit.search import Climb, Draws, Kept
from experiments.studies.fit.targets import TARGETS, Target
from experiments.studies.fit.universe import AGE_ORIGINS, FREE, outside, total
from experiments.studies.fit.whole import COLUMNS, every_count
from tcloseness.lattice import Node, minimal_generalizations

__all__ = ["STUDY", "Grid", "first_hit", "hits", "shares", "vulnerable"]

NAME = "fit"

CLIMBED = ("entropy 2-diverse",)
"""The targets that are searched for, with each grouping: those of one experiment of Li et al. 2007 that come out under
its own definitions."""


@dataclass(frozen=True)
class Grid:
    """How much the study looks at."""

    origins: int
    draws: int
    part: int
    tries: int


Counted = Mapping[str, Mapping[str, npt.NDArray[Any]]]
"""By space and column, the counts under each hierarchy: of ``five`` all, an axis for each attribute; of ``seven`` the
drawn ones."""


def run(study: StudyRun) -> StudyResult:
    """Count under every hierarchy, or under drawn ones, and say how often the printed counts come out."""
    grid = study.grid(Grid)
    kept = Kept(study.folder, study.seed)
    climbs = [
        Climb(study.seed, i, grid.tries)
        for i, target in enumerate(TARGETS)
        if target.title in CLIMBED and target.groups
    ]
    parts = [Draws(study.seed, i, min(i + grid.part, grid.draws)) for i in range(0, grid.draws, grid.part)]
    rows = kept.rows([*climbs, *parts], study.progress, workers=1 if study.smoke else None)
    seven = pd.DataFrame(row for draws in rows[len(climbs) :] for row in draws)
    counted: Counted = {
        "five": every_count(AGE_ORIGINS[: grid.origins]),
        "seven": {str(column): seven[column].to_numpy() for column in seven},
    }
    table = shares(counted, study.seed)
    figure = Figure(
        _figure(counted, study.folder / "counts_of_minimal_tables.png"),
        "Minimal tables and vulnerable ones among them: 6-anonymous tables under every hierarchy of the space, diverse "
        f"tables under {grid.draws:,} drawn ones, with the groups S1. The larger a dot, the more hierarchies give that "
        "pair. The cross is the printed pair.",
    )
    groupings = _groupings()
    searches = _searches(climbs, rows[: len(climbs)])
    result = StudyResult(
        {
            "shares": table,
            "searches": searches,
            "presets": _presets(),
            "groupings": groupings,
            "five_quasi_identifiers": _distribution(counted["five"]),
            "seven_quasi_identifiers": seven,
        },
        [figure],
        {key: _weighed(key, outcome, counted, groupings) for key, outcome in outcomes_of(NAME).items()},
        _summary(table, searches, groupings, counted),
    )
    kept.forget()  # the tables hold everything now
    return result


# ---------------------------------------------------------------------- shares


def hits(target: Target, counted: Counted, columns: Sequence[str] = ()) -> npt.NDArray[np.bool_]:
    """Say under which hierarchies the printed counts come out: all of a target's, or those of some columns."""
    mine, stated = counted[target.kind], target.stated
    found: npt.NDArray[np.bool_] = np.logical_and.reduce([mine[c] == stated[c] for c in columns or stated])
    return found


def shares(counted: Counted, seed: int) -> pd.DataFrame:
    """Return for each target how often its counts come out, and the first random draw that gives them."""
    rows = []
    for target in TARGETS:
        alike, every = hits(target, counted, list(target.columns)[:1]), hits(target, counted)
        whole = target.kind == "five"
        low, high = (None, None) if whole else wilson(int(every.sum()), every.size)
        rows.append(
            {
                "counts": target.title,
                "groups": target.groups,
                "printed": ", ".join(map(str, target.stated.values())),
                "hierarchies": total(target.kind),
                "looked at": every.size,
                "drawn": "no" if whole else "yes",
                "first count as printed": int(alike.sum()),
                "all counts as printed": int(every.sum()),
                "share": float(every.mean()),
                "interval from": low,
                "interval to": high,
                "first draw": first_hit(every, seed if whole else None),
            }
        )
    return pd.DataFrame(rows)


DRAWN_OF_ALL = 100_000
"""How many random draws look for a first hit where the counts are known under every hierarchy."""


def first_hit(hit: npt.NDArray[np.bool_], seed: int | None) -> str:
    """Return the number of the first draw that hits, from 1 on; without a seed, what is given are the draws."""
    if seed is not None:
        rng = np.random.default_rng([seed, 2])
        hit = hit[tuple(rng.integers(size, size=DRAWN_OF_ALL) for size in hit.shape)]
    return str(1 + int(hit.argmax())) if hit.any() else f"none of {len(hit):,}"


def _distribution(five: Mapping[str, npt.NDArray[Any]]) -> pd.DataFrame:
    """Return how many hierarchies give each combination of counts."""
    code = np.zeros(five[COLUMNS[0]].shape, dtype=np.int64)
    for column in COLUMNS:
        code = 256 * code + five[column]
    found, times = np.unique(code, return_counts=True)
    digits = {column: found // 256**i % 256 for i, column in enumerate(reversed(COLUMNS))}
    return pd.DataFrame({column: digits[column] for column in COLUMNS} | {"hierarchies": times})


# ---------------------------------------------------------------------- searches and presets


def _searches(climbs: Sequence[Climb], climbed: Sequence[Sequence[Mapping[str, int]]]) -> pd.DataFrame:
    rows = []
    for climb, steps in zip(climbs, climbed, strict=True):
        target, last = TARGETS[climb.target], steps[-1]
        rows.append(
            {
                "counts": target.title,
                "groups": target.groups,
                "printed": ", ".join(map(str, target.stated.values())),
                "seed": climb.seed,
                "at most": climb.tries,
                "tries": last["try"],
                "found": "no" if last["distance"] else "yes",
                "distance at the end": last["distance"],
                "tries to a distance of 2": next((step["try"] for step in steps if step["distance"] <= 2), None),
                **{f"choice of {attribute}": last[attribute] for attribute in FREE["seven"]},
            }
        )
    return pd.DataFrame(rows).astype({"tries to a distance of 2": "Int64"})


def _kind(name: str) -> str:
    return "five" if name in FIVE else "seven"


def _presets() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "preset": shown([name])[0],
            "quasi-identifiers": _kind(name),
            "in the space": "no" if outside(_kind(name), name) else "yes",
            "grouped otherwise": ", ".join(outside(_kind(name), name)),
        }
        for name in PRESETS
    )


def vulnerable(name: str, nodes: Sequence[Node], groups: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each grouping of the occupations how many tables of a preset have a class within one group."""
    found = np.zeros(len(groups), dtype=np.int64)
    for node in nodes:
        found += (records_below(rolled(name).classes(node)) > 0)[groups].any(axis=1)
    return found


@cache
def _groupings() -> pd.DataFrame:
    """Return under how many groupings of occupations the fitted presets give the printed vulnerable tables."""
    rows = []
    for name in (name for name in FITTED if _kind(name) == "seven"):
        for criterion, model in CRITERIA.items():
            minimal = minimal_generalizations(rolled(name), model).minimal
            printed = int(load_ledger()["TC-22b" if criterion.startswith("entropy") else "TC-24b"].stated or 0)
            for words, groups in (
                ("5, 5 and 4 occupations", five_five_four()),
                ("25 to 42 % of the records", balanced()),
            ):
                opened = vulnerable(name, minimal, groups)
                rows.append(
                    {
                        "preset": shown([name])[0],
                        "criterion": criterion,
                        "minimal": len(minimal),
                        "groups of": words,
                        "groupings": len(groups),
                        "printed vulnerable": printed,
                        "as printed": int((opened == printed).sum()),
                        "fewest vulnerable": int(opened.min()),
                        "most vulnerable": int(opened.max()),
                    }
                )
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------- claims


def _weighed(key: str, outcome: Outcome, counted: Counted, groupings: pd.DataFrame) -> Outcome:
    """Return the outcome of a claim with how often its count comes out: how rare a fit is, or that it is not one."""
    texts = []
    for target in TARGETS:
        if key not in target.columns.values() or len(target.columns) > 2 or "all records" in "".join(target.columns):
            continue
        place = list(target.columns.values()).index(key)
        columns = list(target.columns)[: place + 1]
        stated = [target.stated[column] for column in columns]
        words = f"{stated[0]} minimal tables" + (f" with {stated[1]} of them vulnerable" if place else "")
        under = f" under {target.groups}" if place and target.groups else ""
        read = f", {target.title}," if key.startswith("TC-24") else ""
        text = f"{words}{under}{read} in {_often(hits(target, counted, columns), target.kind)}"
        if text not in texts:
            texts.append(text)
    (name,) = outcome.presets
    if key in ("TC-22b", "TC-24b"):
        texts += _by_grouping(name, "entropy" if key == "TC-22b" else "recursive", groupings)
    if key == "TC-24b":
        texts.append(_most_vulnerable(counted))
    if key.startswith("TC-24"):
        outcome = replace(outcome, detail=f"{outcome.detail}. {'; '.join(texts)}")
        return _as_drawn(outcome, texts[0], counted) if key == "TC-24a" else outcome
    found = "searched" if name in FITTED else "chosen among our presets"
    return replace(outcome, rare=f"under {name}, which was {found} for it; {'; '.join(texts)}")


def _as_drawn(outcome: Outcome, often: str, counted: Counted) -> Outcome:
    """Return the outcome under the first drawn hierarchies that give the printed count; unchanged if none does."""
    (target,) = (t for t in TARGETS if (t.title, t.groups) == ("recursive (4,4)-diverse", GROUPINGS[0]))
    column = next(iter(target.columns))
    hit = hits(target, counted, [column])
    if not hit.any():
        return outcome
    (name,) = outcome.presets
    ours = int(counted["seven"][column][hit][0])
    under = f"not under {name}, which gives {outcome.ours}, but under draw {first_hit(hit, None)} of our hierarchies"
    return replace(outcome, ours=ours, presets=(), rare=f"{under}; {often}")


def _most(counted: Counted) -> dict[str, int]:
    """Return by grouping how many minimal tables by the printed (4,4) are vulnerable at most, of a drawn hierarchy."""
    return {g: int(counted["seven"][f"vulnerable, recursive (4,4), {g}"].max()) for g in GROUPINGS}


def _most_vulnerable(counted: Counted) -> str:
    tables = " and ".join(f"{n} with {g}" for g, n in _most(counted).items())
    return f"no drawn hierarchy has more vulnerable minimal recursive (4,4)-diverse tables than {tables}"


def _by_grouping(name: str, criterion: str, groupings: pd.DataFrame) -> list[str]:
    """Say under how many groupings of occupations as many tables of a preset are vulnerable as are printed."""
    mine = groupings[groupings["preset"].eq(shown([name])[0]) & groupings["criterion"].str.startswith(criterion)]
    return [
        f"of the {rows['minimal'].iloc[0]} tables of {name} that are minimal by {text}, "
        f"{rows['printed vulnerable'].iloc[0]} are vulnerable under "
        + " and ".join(
            f"{row['as printed']:,} of all {row['groupings']:,} groupings into groups of {row['groups of']}"
            for row in rows.to_dict("records")
        )
        + f" ({rows['fewest vulnerable'].min()} to {rows['most vulnerable'].max()} at all)"
        for text, rows in mine.groupby("criterion", sort=False)
    ]


def _often(hit: npt.NDArray[np.bool_], kind: str) -> str:
    if kind == "seven":
        return f"{percent(int(hit.sum()), hit.size)} hierarchies drawn at random"
    return f"{int(hit.sum()):,} of all {hit.size:,} hierarchies of our space ({_share(hit)})"


def _share(hit: npt.NDArray[np.bool_]) -> str:
    return f"{100 * hit.mean():.2g} %"


# ---------------------------------------------------------------------- the summary and the figure


def _summary(table: pd.DataFrame, searches: pd.DataFrame, groupings: pd.DataFrame, counted: Counted) -> str:
    five, seven = counted["five"], counted["seven"]
    by = {(row["counts"], row["groups"]): row for row in table.to_dict("records")}
    pairs = {
        sensitive: by[f"6-anonymous, {sensitive}", ""]["printed"].replace(", ", " with ")
        for sensitive in ("Occupation", "Salary class")
    }
    whole = " and ".join(
        f"the printed {printed} vulnerable ({sensitive}) come out under "
        f"{by[f'6-anonymous, {sensitive}', '']['share']:.1%}"
        for sensitive, printed in pairs.items()
    )
    both = by["Occupation, and Salary class on all 48,842 records", ""]
    drawn = len(seven["draw"])
    shown_drawn = "; ".join(
        f"{title} ({groups}) " + percent(by[title, groups]["all counts as printed"], drawn)
        for title in ("entropy 2-diverse", "recursive (4,4)-diverse")
        for groups in GROUPINGS
    )
    tried = "; ".join(
        f"with {row['groups']} it finds hierarchies that give {row['printed']} at try {row['tries']:,}"
        if row["found"] == "yes"
        else f"with {row['groups']} it comes within {row['distance at the end']} of {row['printed']} in "
        f"{row['tries']:,} tries"
        for row in searches.to_dict("records")
    )
    first = groupings.iloc[0]
    records = int(max(seven[f"most records, {name}, {g}"].max() for name in CRITERIA for g in GROUPINGS))
    stated = int(load_ledger()["TC-24b"].stated or 0)
    never = max(_most(counted).values()) < stated
    but = f", all but the {stated} vulnerable recursive (4,4)-diverse tables," if never else ""
    sentences = (
        f"The printed counts{but} can be fitted, and so confirm nothing; a count of minimal tables says little where "
        "the hierarchies are not published.",
        f"Under all {five['minimal'].size:,} hierarchies of our space for the five quasi-identifiers, "
        f"{int(five['minimal'].min())} to {int(five['minimal'].max())} tables are minimal; {whole}, and both, the "
        f"second on all records, under {both['all counts as printed']:,} hierarchies.",
        f"Of {drawn:,} hierarchies drawn from the {total('seven'):,} for the seven quasi-identifiers, these give both "
        f"printed counts: {shown_drawn}; {_most_vulnerable(counted)}.",
        f"A search that changes one attribute at a time: {tried}.",
        f"The groups matter as much: of the {first['minimal']} tables of {first['preset']}, "
        f"{first['printed vulnerable']} are vulnerable under {first['as printed']:,} of all {first['groupings']:,} "
        f"groupings into groups of {first['groups of']}.",
        f"No drawn hierarchy lets the similarity attack reveal more than {records:,} records of a minimal table "
        f"(printed: {load_ledger()['TC-23'].stated}).",
    )
    return " ".join(sentences)


_PANELS = (
    ("6-anonymous, Occupation", ""),
    ("6-anonymous, Salary class", ""),
    ("entropy 2-diverse", "S1"),
    ("recursive (4,4)-diverse", "S1"),
    ("recursive (4,2)-diverse", "S1"),
)


def _figure(counted: Counted, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas
    from matplotlib.ticker import MaxNLocator

    from experiments.figures import save
    from tcloseness.report.figures import MASS, MOVE, STYLE

    by = {(target.title, target.groups): target for target in TARGETS}
    with rc_context(STYLE):
        canvas = Canvas(figsize=(8.6, 6.2), layout="constrained")
        grid = canvas.add_gridspec(2, 3)
        panels = [canvas.add_subplot(grid[divmod(place, 3)]) for place in range(len(_PANELS))]
        for axes, key in zip(panels, _PANELS, strict=True):
            target = by[key]
            columns = np.stack([counted[target.kind][column].ravel() for column in target.columns])
            pairs, times = np.unique(columns, axis=1, return_counts=True)
            sizes = 200 * times / times.max() + 3
            axes.scatter(pairs[0], pairs[1], s=sizes, color=MASS, alpha=0.55, linewidths=0, label="hierarchies")
            minimal, vulnerable = target.stated.values()
            axes.plot([minimal], [vulnerable], "x", color=MOVE, markersize=9, markeredgewidth=2.2, label="printed")
            axes.set_title(target.title, loc="left", fontsize=10)
            axes.set_xlim(0, max(pairs[0].max(), minimal) * 1.08)
            axes.set_ylim(-0.06 * max(pairs[1].max(), vulnerable), max(pairs[1].max(), vulnerable) * 1.1)
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_locator(MaxNLocator(integer=True))
            axes.grid(color="#e6e8ec", linewidth=0.8)
            axes.set_axisbelow(True)
        for axes in panels[::3]:
            axes.set_ylabel("vulnerable")
        for axes in panels[2:]:
            axes.set_xlabel("minimal tables")
        canvas.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=2)
    return save(canvas, path)


STUDY = Study(
    NAME,
    "How rare are hierarchies under which the printed counts of minimal tables come out?",
    run,
    basis="every hierarchy of the space for five quasi-identifiers, which is not a sample and has no interval; "
    "hierarchies drawn from the space for seven, whose shares have Wilson's.",
)
