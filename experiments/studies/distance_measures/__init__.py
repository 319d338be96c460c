"""The report card of every distance side by side, and what it answers to the open question of Li et al. 2007, §8.

That paper looks for a measure that combines the ground distance of the EMD with the probability scaling of the
Kullback–Leibler divergence. A search must be able to prune with it, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.studies.distance_measures.matrix import draw
from experiments.studies.distance_measures.roster import OURS, ROSTER, SOLD, Entry, card_of
from tcloseness.axioms import ReportCard
from tcloseness.axioms.verdict import Holds
from tcloseness.report.card_comparison import verdict_word

__all__ = ["PARTS", "STUDY", "Grid", "rows"]

PARTS = ("scales with probability", "respects the ground distance", "allows pruning")
"""The open question, as `ReportCard.open_question` has it."""


@dataclass(frozen=True)
class Grid:
    """What the study runs over; no measures are all of them."""

    measures: tuple[str, ...]
    least: int
    most: int
    effort: str
    seconds: int


def rows(card: ReportCard, entry: Entry) -> list[dict[str, Any]]:
    """Return a row a check."""
    found = []
    for result in card:
        verdict = result.verdict
        broken = result.counterexample
        held = verdict if isinstance(verdict, Holds) else None
        found.append(
            {
                "group": entry.group,
                "measure": entry.name,
                "check": result.name,
                "verdict": verdict_word(verdict),
                "examples": held and held.examples,
                "proved up to m": held and held.proved,
                "counterexample": broken
                and "; ".join(f"{name} = ({', '.join(masses)})" for name, masses in broken.inputs.items()),
                "finding": broken and broken.finding,
                "remark": verdict.remark,
            }
        )
    return found


def run(study: StudyRun) -> StudyResult:
    """Make all cards."""
    grid = study.grid(Grid)
    names = [name for name in ROSTER if name in grid.measures] if grid.measures else list(ROSTER)
    study.draws_with("that Hypothesis derives from each law")
    verdicts: list[dict[str, Any]] = []
    measures: list[dict[str, Any]] = []
    for name in study.progress(names, "cards"):
        entry = ROSTER[name]
        card = card_of(name, (grid.least, grid.most), grid.effort, grid.seconds)
        checked = rows(card, entry)
        verdicts += checked
        count = {word: sum(row["verdict"] == word for row in checked) for word in ("proved", "examples", "fails")}
        measures.append(
            {
                "group": entry.group,
                "measure": name,
                "judged by": card.assumed["ground_distance"],
                **{part: card.open_question[part] for part in PARTS},
                **{f"wish: {wish}": answer for wish, answer in card.desiderata.items()},
                **count,
                "fails": ", ".join(row["check"] for row in checked if row["verdict"] == "fails"),
                "number that fail": count["fails"],
                "source": entry.source,
            }
        )
    table, summary_table = pd.DataFrame(verdicts), pd.DataFrame(measures)
    figure = Figure(
        draw(table, summary_table, study.folder / "matrix.png"),
        f"Every measure against every law, distributions over {grid.least} to {grid.most} values. A filled mark is a "
        "law proved by SMT in real arithmetic, an open one holds on all examples, a cross has a counterexample (in the "
        "table of verdicts); a dash does not apply. The last three columns are the open question of the 2007 paper; "
        "a narrow screen shows these alone.",
    )
    return StudyResult({"verdicts": table, "measures": summary_table}, [figure], {}, _summary(table, summary_table))


def _summary(verdicts: pd.DataFrame, measures: pd.DataFrame) -> str:
    def named(chosen: pd.DataFrame) -> str:
        return ", ".join(chosen["measure"]) or "none"

    known, ours = measures[~measures["group"].isin([SOLD, OURS])], measures[measures["group"] == OURS]
    yes = {part: known[known[part] == "yes"] for part in PARTS}
    scaling = yes["scales with probability"]
    both = scaling[scaling["respects the ground distance"] == "yes"]
    all_of_ours = ours[(ours[list(PARTS)] == "yes").all(axis=1)]
    costs = "; ".join(f"{row['measure']}: {row['fails']}" for _, row in all_of_ours.iterrows())
    sold = measures[measures["group"] == SOLD]
    disagree = verdicts[(verdicts["check"] == "emd-agreement") & (verdicts["verdict"] == "fails")]["measure"]
    refuted = int(sold["measure"].isin(disagree).sum())
    unsafe = sold[sold["allows pruning"] == "no"]
    return (
        f"The open question: of {len(known)} measures of the literature, {len(scaling)} scale with probability, "
        f"{len(yes['respects the ground distance'])} respect the ground distance, {len(yes['allows pruning'])} allow "
        f"pruning; both scaling and respecting the ground distance: {named(both)}. It can be answered all the same: "
        f"{len(all_of_ours)} of {len(ours)} measures of ours do all three, each at the price of the laws it fails "
        f"({costs or 'none'}). Some price must be paid: a measure that is symmetric, convex and satisfies the triangle "
        "inequality costs the same for equal steps of a probability, wherever they are made, so it cannot scale. "
        "Quasi-convexity is all that pruning asks for, and the root of the cut-wise discrimination keeps it as a "
        f"metric. Of {len(sold)} functions that are sold as t or are a slip away, {refuted} "
        f"are refuted as an EMD; with {len(unsafe)} of them a search must not prune ({named(unsafe)}). "
        "What is not marked as proved is an observation on examples."
    )


STUDY = Study(
    "distance_measures",
    "Which distances scale with probability, respect the ground distance, and still allow a search to prune?",
    run,
    basis="proofs for all distributions over few values, counterexamples, which are exact, and examples that "
    "are drawn: a law that holds on all of them is observed, not proved, and no share is "
    "claimed.",
    data=(),
)
