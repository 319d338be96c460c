"""How much work a search is under each privacy measure: Li et al. 2007, Figure 3, and Machanavajjhala et al. 2006,
Figure 5.

Seconds of other machines do not compare, so work is counted in nodes: those whose frequency set Incognito checks, which
decide the claims, and those that our own search checks. Incognito's counts are the same on every machine; ours may
differ by a few, since our search orders its questions by rounded gains. Seconds are written into a table of their own,
and no verdict rests on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pandas as pd

from experiments.adult_criteria import ENTROPY, K_ANONYMITY, five_measures
from experiments.adult_lattices import shown
from experiments.claims import outcomes_of
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.studies.efficiency import claims  # its checks are registered by importing it
from experiments.studies.efficiency.figures import figure_3, figure_5
from experiments.studies.efficiency.work import ALGORITHMS, Effort, diverse, of_seven

__all__ = ["STUDY", "Grid", "claims"]

NAME = "efficiency"
_KEYS = ["preset", "algorithm", "criterion", "quasi-identifiers", "k = l"]


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    presets: tuple[str, ...]
    grounds: tuple[str, ...]
    sizes: tuple[int, ...]
    parameters: tuple[int, ...]
    diverse_presets: tuple[str, ...]
    diverse_sizes: tuple[int, ...]


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
    work = list(product(grid.diverse_presets, ALGORITHMS, (K_ANONYMITY, ENTROPY), grid.diverse_sizes))
    six = pd.DataFrame(
        {**_labels(name, algorithm, criterion), "quasi-identifiers": size, "k = l": 6}
        | _row(diverse(name, algorithm, criterion, 6, size))
        for name, algorithm, criterion, size in study.progress(work, "6-anonymous and 6-diverse")
    )
    tables = {"by_size": sizes, "by_parameter": parameters, "six_anonymous_and_diverse": six}
    times = pd.concat(tables.values(), ignore_index=True)[[*_KEYS, "seconds"]]
    tables = {name: table.drop(columns="seconds") for name, table in tables.items()} | {"searches_times": times}
    first = shown(grid.presets[:1])[0]
    figures = [
        Figure(
            figure_3(sizes, parameters, first, criteria, study.folder / "nodes_checked.png"),
            f"Nodes that are checked under {first}: against the number of quasi-identifiers at k = l = 5, and against "
            "k = l at seven. Incognito above, two-sided tagging below; note the different scales.",
        ),
        Figure(
            figure_5(six, study.folder / "six_anonymous_and_diverse.png"),
            "Nodes that are checked to find all 6-anonymous and all 6-diverse tables, by number of quasi-identifiers.",
        ),
    ]
    found = {} if study.smoke else outcomes_of(NAME)
    return StudyResult(tables, figures, found, _summary(parameters, six, first))


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


def _summary(parameters: pd.DataFrame, six: pd.DataFrame, first: str) -> str:
    parameter = 5 if 5 in set(parameters["k = l"]) else int(parameters["k = l"].iloc[0])
    mine = parameters[(parameters["preset"] == first) & (parameters["k = l"] == parameter)]
    checked = {
        algorithm: mine[mine["algorithm"] == algorithm].set_index("criterion")["checked"] for algorithm in ALGORITHMS
    }
    published, ours = checked["Incognito"], checked["two-sided tagging"]
    order = ", ".join(f"{criterion} {published[criterion]:,}" for criterion in published.sort_values().index)
    counts = parameters[parameters["algorithm"] == "Incognito"].pivot_table(
        index=["k = l", "preset"], columns="criterion", values="checked"
    )
    cheapest = (counts[ENTROPY] <= counts.min(axis=1)).groupby("k = l").all()
    fewest = ", ".join(str(p) for p in cheapest[cheapest].index)
    held = "for each of them" if cheapest.all() else f"only for l = {fewest}" if fewest else "for none of them"
    both = six[six["algorithm"] == "Incognito"].pivot_table(
        index=["preset", "quasi-identifiers"], columns="criterion", values="checked"
    )
    ratio = both[ENTROPY] / both[K_ANONYMITY]
    return (
        f"The stricter a measure is, the earlier a search prunes; of l = {', '.join(map(str, cheapest.index))}, "
        f"entropy l-diversity needs the fewest nodes under every preset {held}. Nodes that Incognito checks under "
        f"{first} at k = l = {parameter}: {order}. All 6-diverse tables take {ratio.min():.2f} to {ratio.max():.2f} "
        "times the nodes of all 6-anonymous ones. Two-sided tagging finds the same tables and checks "
        f"{ours.min():,} to {ours.max():,} of the lattice's {int(mine['nodes'].iloc[0]):,} nodes."
    )


STUDY = Study(
    NAME,
    "How many nodes does a search check under each privacy measure, and is entropy l-diversity the fastest?",
    run,
    basis="whole searches of each lattice on all records: nothing is a sample; seconds are of one run "
    "on one machine, and no verdict rests on them.",
    timed=True,
)
