"""How much work a search is under each privacy measure: Li 2007, Figure 3, and Machanavajjhala 2006, Figure 5.

Seconds of other machines do not compare, so work is counted in nodes: those whose frequency set Incognito checks, and
those that our own search checks. Seconds are written beside the counts, and no verdict rests on them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.adult_criteria import ENTROPY, GROUNDS, K_ANONYMITY, RECURSIVE_4, five_measures, look, model
from experiments.adult_hierarchies import QUASI_IDENTIFIERS, preset
from experiments.adult_lattices import SEVEN, frequencies, rolled, shown
from experiments.claims import Outcome, check, outcomes_of
from experiments.runner import Figure, Study, StudyResult, StudyRun
from tcloseness.lattice import RollUp, SearchResult, incognito, minimal_generalizations

__all__ = ["ALGORITHMS", "FIGURE_4", "STUDY", "Effort", "Grid", "diverse", "of_seven"]

NAME = "efficiency"

PARAMETERS = (2, 4, 5, 6, 8, 10)
"""The values of k = ℓ of the claims; Li 2007 prints them as an axis only."""

ALGORITHMS: dict[str, Callable[..., SearchResult]] = {
    "Incognito": incognito,
    "two-sided tagging": minimal_generalizations,
}
"""The published algorithm, which both papers use, and ours, which finds the same nodes."""

FIGURE_4 = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass")
"""The quasi-identifiers in the order of Machanavajjhala 2006, Figure 4."""


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    presets: tuple[str, ...]
    grounds: tuple[str, ...]
    sizes: tuple[int, ...]
    parameters: tuple[int, ...]
    diverse_sizes: tuple[int, ...]


@dataclass(frozen=True)
class Effort:
    """What one search took.

    Attributes
    ----------
    nodes
        The size of the lattice.
    checked, tagged
        How many nodes were checked on their class counts, and how many were settled without. Incognito counts the
        nodes of the lattices of all subsets of the quasi-identifiers.
    table_scans
        How many frequency sets Incognito takes from the table.
    satisfying, minimal
        What it found.
    seconds
        In one run, from the compressed table; on this machine.
    """

    nodes: int
    checked: int
    tagged: int
    table_scans: int
    satisfying: int
    minimal: int
    seconds: float


def _effort(table: RollUp, algorithm: str, wanted: Any) -> Effort:
    table.forget()
    begun = time.perf_counter()
    found = ALGORITHMS[algorithm](table, wanted)
    seconds = time.perf_counter() - begun
    work = found.work
    return Effort(
        len(table.lattice),
        work.checked,
        work.tagged,
        work.table_scans,
        len(found.satisfying),
        len(found.minimal),
        seconds,
    )


@cache
def of_seven(name: str, algorithm: str, criterion: str, parameter: int, size: int = 7) -> Effort:
    """Search a preset's lattice over the first `size` quasi-identifiers of Li 2007, Figure 2."""
    table = rolled(name, "train-complete", "occupation", QUASI_IDENTIFIERS[name][:size])
    return _effort(table, algorithm, model(criterion, parameter))


@cache
def _diverse_table(size: int) -> RollUp:
    hierarchies = preset("ARX+race") | preset("ARX")  # the five of the one, workclass and country of the other
    names = FIGURE_4[:size]
    return RollUp(frequencies("both-complete", names), {name: hierarchies[name] for name in names})


@cache
def diverse(algorithm: str, criterion: str, parameter: int, size: int) -> Effort:
    """Search over the first `size` quasi-identifiers of Machanavajjhala 2006, Figure 4, under ARX's hierarchies."""
    return _effort(_diverse_table(size), algorithm, model(criterion, parameter))


# ---------------------------------------------------------------------- claims


@check("TC-26a")
def _entropy_is_fastest() -> Outcome:
    def checked(name: str, criterion: str, parameter: int) -> int:
        return of_seven(name, "Incognito", criterion, parameter).checked

    def fastest(others: tuple[str, ...]) -> bool:
        for name in SEVEN:
            leads = [
                min(checked(name, other, parameter) for other in others) - checked(name, ENTROPY, parameter)
                for parameter in PARAMETERS
            ]
            if min(leads) < 0 or leads[-1] <= leads[0]:
                return False
        return True

    close = {
        ground: [c for c in five_measures(ground) if c not in (K_ANONYMITY, ENTROPY, RECURSIVE_4)] for ground in GROUNDS
    }
    at_5 = {
        criterion: checked("T1", criterion, 5)
        for criterion in (K_ANONYMITY, ENTROPY, RECURSIVE_4, *close["equal"], *close["hierarchical S1"])
    }
    return Outcome(
        all(fastest((K_ANONYMITY, RECURSIVE_4, *close[ground])) for ground in GROUNDS),
        {
            "entropy l-diversity is compared with k-anonymity alone": fastest((K_ANONYMITY,)),
            "it is compared with k-anonymity and recursive diversity, not with t-closeness": fastest(
                (K_ANONYMITY, RECURSIVE_4)
            ),
        },
        "nodes that Incognito checks under T1 (fitted) at k = l = 5: "
        + ", ".join(f"{criterion} {n}" for criterion, n in at_5.items())
        + "; the stricter a measure is, the earlier it prunes, and t-closeness is the strictest here",
    )


@check("LD-45")
def _about_the_same() -> Outcome:
    sizes = (3, 4, 5, 6, 7)
    pairs = {
        size: tuple(diverse("Incognito", criterion, 6, size).checked for criterion in (K_ANONYMITY, ENTROPY))
        for size in sizes
    }
    return Outcome(
        all(max(pair) <= 2 * min(pair) for pair in pairs.values()),
        detail="nodes checked for k = 6 and for l = 6 (entropy): "
        + ", ".join(f"{size} attributes {plain} and {entropy}" for size, (plain, entropy) in pairs.items()),
    )


# ---------------------------------------------------------------------- the study


def run(study: StudyRun) -> StudyResult:
    """Count the work of both algorithms under every measure, for growing quasi-identifiers and for growing k = ℓ."""
    grid = study.grid(Grid)
    criteria = list(dict.fromkeys(c for ground in grid.grounds for c in five_measures(ground)))
    of_seven.__wrapped__(
        grid.presets[0], "Incognito", ENTROPY, 5, 3
    )  # loads compiled code before any second is counted
    by_size = list(product(grid.presets, ALGORITHMS, criteria, grid.sizes))
    by_parameter = list(product(grid.presets, ALGORITHMS, criteria, grid.parameters))
    sizes = pd.DataFrame(
        {**_labels(name, algorithm, criterion), "quasi-identifiers": size, "k = l": 5}
        | _row(of_seven(name, algorithm, criterion, 5, size))
        for name, algorithm, criterion, size in study.progress(by_size, "quasi-identifiers")
    )
    parameters = pd.DataFrame(
        {**_labels(name, algorithm, criterion), "quasi-identifiers": 7, "k = l": parameter}
        | _row(of_seven(name, algorithm, criterion, parameter))
        for name, algorithm, criterion, parameter in study.progress(by_parameter, "k = l")
    )
    work = list(product(ALGORITHMS, (K_ANONYMITY, ENTROPY), grid.diverse_sizes))
    six = pd.DataFrame(
        {**_labels("ARX", algorithm, criterion), "quasi-identifiers": size, "k = l": 6}
        | _row(diverse(algorithm, criterion, 6, size))
        for algorithm, criterion, size in study.progress(work, "6-anonymous and 6-diverse")
    )
    first = shown(grid.presets[:1])[0]
    figures = [
        Figure(
            _figure(sizes, parameters, first, criteria, study.folder / "nodes_checked.png"),
            f"Nodes that are checked under {first}: against the number of quasi-identifiers at k = l = 5, and against "
            "k = l at seven. Incognito above, two-sided tagging below; note the different scales.",
        )
    ]
    found = {} if study.smoke else outcomes_of(NAME)
    tables = {"by_size": sizes, "by_parameter": parameters, "six_anonymous_and_diverse": six}
    return StudyResult(tables, figures, found, _summary(parameters, first))


def _labels(name: str, algorithm: str, criterion: str) -> dict[str, object]:
    return {"preset": shown([name])[0], "algorithm": algorithm, "criterion": criterion}


def _row(effort: Effort) -> dict[str, object]:
    return {
        "nodes": effort.nodes,
        "checked": effort.checked,
        "tagged": effort.tagged,
        "table scans": effort.table_scans,
        "satisfying": effort.satisfying,
        "minimal": effort.minimal,
        "seconds": round(effort.seconds, 4),
    }


def _summary(parameters: pd.DataFrame, first: str) -> str:
    parameter = 5 if 5 in set(parameters["k = l"]) else int(parameters["k = l"].iloc[0])
    mine = parameters[(parameters["preset"] == first) & (parameters["k = l"] == parameter)]
    checked = {
        algorithm: mine[mine["algorithm"] == algorithm].set_index("criterion")["checked"] for algorithm in ALGORITHMS
    }
    published, ours = checked["Incognito"], checked["two-sided tagging"]
    order = ", ".join(f"{criterion} {published[criterion]:,}" for criterion in published.sort_values().index)
    return (
        f"Nodes that Incognito checks under {first} at k = l = {parameter}: {order}. The stricter a measure is, the "
        "earlier it prunes. Two-sided tagging finds the same tables and checks "
        f"{ours.min():,} to {ours.max():,} of the lattice's {int(mine['nodes'].iloc[0]):,} nodes."
    )


def _figure(sizes: pd.DataFrame, parameters: pd.DataFrame, first: str, criteria: list[str], path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    from tcloseness.report.figures import STYLE, save

    with rc_context(STYLE):
        canvas = Canvas(figsize=(8.6, 7.2), layout="constrained")
        panels = canvas.subplots(2, 2, sharey="row", sharex="col")
        for row, algorithm in zip(panels, ALGORITHMS, strict=True):
            for axes, table, x in zip(row, (sizes, parameters), ("quasi-identifiers", "k = l"), strict=True):
                for criterion in criteria:
                    chosen = (table["preset"] == first) & (table["algorithm"] == algorithm)
                    mine = table[chosen & (table["criterion"] == criterion)]
                    axes.plot(mine[x], mine["checked"], markersize=5, label=criterion, **look(criterion, criteria))
                axes.set_xticks(sorted(table[x].unique()))
                axes.grid(axis="y", color="#e6e8ec", linewidth=0.8)
                axes.set_title(algorithm, loc="left", fontsize=10.5)
                axes.yaxis.set_major_formatter("{x:,.0f}")
            row[0].set_ylim(bottom=0)  # after both panels, which share the scale, have their lines
            row[0].set_ylabel("nodes checked")
        panels[1][0].set_xlabel("quasi-identifiers (k = l = 5)")
        panels[1][1].set_xlabel("k = l (seven quasi-identifiers)")
        canvas.legend(*panels[0][0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=3)
    return save(canvas, path)


STUDY = Study(
    NAME,
    "How many nodes does a search check under each privacy measure, and is entropy l-diversity the fastest?",
    run,
)
