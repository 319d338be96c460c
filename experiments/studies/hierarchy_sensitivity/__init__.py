"""How much the papers' counts of minimal tables depend on hierarchies that they do not publish.

Machanavajjhala et al. 2006 and Li et al. 2007, sections 6, print how many tables are minimal and how many of them an
attack opens. Here the same counts are taken under thousands of hierarchies that are drawn at random, see `universe`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from experiments.adult_hierarchies import FITTED
from experiments.claims import Outcome, load_ledger, outcomes_of
from experiments.intervals import percent
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.studies.hierarchy_sensitivity.counts import CRITERIA
from experiments.studies.hierarchy_sensitivity.sample import Sample
from experiments.studies.hierarchy_sensitivity.universe import universe_sizes

__all__ = ["STUDY", "Grid", "Printed", "shares"]

NAME = "hierarchy_sensitivity"


@dataclass(frozen=True)
class Grid:
    """How much the study draws."""

    five: int
    seven: int
    part: int


@dataclass(frozen=True)
class Printed:
    """A pair of printed counts, and the columns that hold the same counts of the sample.

    Attributes
    ----------
    title
        What is counted.
    kind
        Which sample, ``five`` or ``seven``.
    minimal, vulnerable
        The columns.
    claims
        The claims that print the two counts.
    """

    title: str
    kind: str
    minimal: str
    vulnerable: str
    claims: tuple[str, str]

    @property
    def stated(self) -> tuple[int, int]:
        """The printed counts."""
        ledger = load_ledger()
        one, other = (int(ledger[key].stated or 0) for key in self.claims)
        return one, other


PRINTED = (
    Printed("6-anonymous, Occupation", "five", "minimal", "vulnerable, occupation", ("LD-16a", "LD-16b")),
    Printed("6-anonymous, Salary class", "five", "minimal", "vulnerable, class", ("LD-17a", "LD-17b")),
    Printed("entropy 2-diverse", "seven", "minimal, entropy 2", "vulnerable, entropy 2", ("TC-22a", "TC-22b")),
    Printed(
        "recursive (4,4)-diverse",
        "seven",
        "minimal, recursive (4,4)",
        "vulnerable, recursive (4,4)",
        ("TC-24a", "TC-24b"),
    ),
    Printed(
        "recursive (4,2)-diverse",
        "seven",
        "minimal, recursive (4,2)",
        "vulnerable, recursive (4,2)",
        ("TC-24a", "TC-24b"),
    ),
)
"""The printed counts; those of (4,4) are also held against (4,2), which may have been meant."""


def run(study: StudyRun) -> StudyResult:
    """Draw hierarchies, count under each, and say how often the printed counts come out."""
    grid = study.grid(Grid)
    sample = Sample(study.folder, study.seed, grid.part)
    drawn = {
        kind: sample.draws(kind, number, study.progress, workers=1 if study.smoke else None)
        for kind, number in (("five", grid.five), ("seven", grid.seven))
    }
    table = shares(drawn)
    figure = Figure(
        _figure(drawn, study.folder / "counts_of_minimal_tables.png"),
        "Minimal tables and vulnerable ones among them, under hierarchies that are drawn at random: the larger a dot, "
        "the more hierarchies give that pair. The cross is the printed pair.",
    )
    sample.forget()  # the tables hold everything now
    return StudyResult(
        {"shares": table, "five_quasi_identifiers": drawn["five"], "seven_quasi_identifiers": drawn["seven"]},
        [figure],
        {key: replace(outcome, rare=_rare(key, outcome, drawn)) for key, outcome in outcomes_of(NAME).items()},
        _summary(table, drawn["seven"]),
    )


def shares(drawn: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how many of the drawn hierarchies give each printed count, and both at once."""
    rows = []
    for printed in PRINTED:
        mine = drawn[printed.kind]
        minimal, vulnerable = printed.stated
        alike = mine[printed.minimal] == minimal
        rows.append(
            {
                "tables": printed.title,
                "drawn": len(mine),
                "printed minimal": minimal,
                "printed vulnerable": vulnerable,
                "least": int(mine[printed.minimal].min()),
                "median": int(mine[printed.minimal].median()),
                "greatest": int(mine[printed.minimal].max()),
                "as many minimal": int(alike.sum()),
                "both as printed": int((alike & (mine[printed.vulnerable] == vulnerable)).sum()),
            }
        )
    return pd.DataFrame(rows)


def _rare(key: str, outcome: Outcome, drawn: Mapping[str, pd.DataFrame]) -> str:
    """Return under which preset a printed count comes out, and in how many of the drawn hierarchies."""
    printed = next(p for p in PRINTED if key in p.claims)
    mine = drawn[printed.kind]
    minimal, vulnerable = printed.stated
    hit, what = mine[printed.minimal] == minimal, f"{minimal} minimal tables"
    if key == printed.claims[1]:
        hit, what = hit & (mine[printed.vulnerable] == vulnerable), f"{what} with {vulnerable} of them vulnerable"
    (name,) = outcome.presets
    found = "searched" if name in FITTED else "chosen among our presets"
    return f"under {name}, which was {found} for it; {what} in {percent(int(hit.sum()), len(mine))} drawn at random"


def _summary(table: pd.DataFrame, seven: pd.DataFrame) -> str:
    texts = []
    for row in table.to_dict("records"):
        alike, both = (f"{row[key] / row['drawn']:.1%}" for key in ("as many minimal", "both as printed"))
        texts.append(
            f"{row['tables']}: {row['least']} to {row['greatest']} minimal tables, the printed "
            f"{row['printed minimal']} in {alike} of the hierarchies, with {row['printed vulnerable']} vulnerable in "
            f"{both}"
        )
    records = int(seven[[f"most records, {name}" for name in CRITERIA]].to_numpy().max())
    stated = load_ledger()["TC-23"].stated
    sizes = universe_sizes()
    return (
        f"{'. '.join(texts)}. No drawn hierarchy lets the similarity attack reveal more than {records:,} records of a "
        f"minimal table (printed: {stated}). A count of minimal tables says little where the hierarchies are not "
        f"published. (Drawn from {sizes['five']:,} and {sizes['seven']:,} hierarchies of our making, each as likely as "
        "every other.)"
    )


def _figure(drawn: Mapping[str, pd.DataFrame], path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas
    from matplotlib.ticker import MaxNLocator

    from tcloseness.report.figures import MASS, MOVE, STYLE, save

    with rc_context(STYLE):
        canvas = Canvas(figsize=(8.6, 6.2), layout="constrained")
        panels = canvas.subplots(2, 3).ravel()
        for axes, printed in zip(panels, PRINTED, strict=False):
            mine = drawn[printed.kind].groupby([printed.minimal, printed.vulnerable]).size()
            x, y = (mine.index.get_level_values(i) for i in (0, 1))
            axes.scatter(x, y, s=200 * mine / mine.max() + 3, color=MASS, alpha=0.55, linewidths=0)
            minimal, vulnerable = printed.stated
            axes.plot([minimal], [vulnerable], "x", color=MOVE, markersize=9, markeredgewidth=2.2)
            axes.set_title(printed.title, loc="left", fontsize=10)
            axes.set_xlim(0, max(x.max(), minimal) * 1.08)
            axes.set_ylim(-0.06 * max(y.max(), vulnerable), max(y.max(), vulnerable) * 1.1)
            axes.yaxis.set_major_locator(MaxNLocator(integer=True))
            axes.grid(color="#e6e8ec", linewidth=0.8)
            axes.set_axisbelow(True)
        panels[0].set_ylabel("vulnerable")
        panels[3].set_ylabel("vulnerable")
        for axes in panels[2:5]:
            axes.set_xlabel("minimal tables")
        last = panels[5]
        last.axis("off")
        last.scatter([], [], s=120, color=MASS, alpha=0.55, linewidths=0, label="drawn hierarchies")
        last.plot([], [], "x", color=MOVE, markersize=9, markeredgewidth=2.2, label="printed")
        last.legend(frameon=False, loc="center left")
    return save(canvas, path)


STUDY = Study(
    NAME,
    "What is a published count of minimal tables worth when the hierarchies are not published?",
    run,
)
