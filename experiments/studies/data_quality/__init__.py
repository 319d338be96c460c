"""Data quality of the best anonymous Adult tables: Li et al. 2007, Figure 4, and Machanavajjhala et al. 2006, Figure 7.

The papers print curves and sentences, no numbers. Here each criterion's minimal tables are found exactly; quality is
discernibility, mean class size and generalization height.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from experiments.adult_criteria import ENTROPY, GROUNDS, K_ANONYMITY, RECURSIVE_3, RECURSIVE_4, closeness
from experiments.adult_lattices import shown
from experiments.all_groupings import FACTORS, cheap_and_close, five_five_four
from experiments.claims import outcomes_of
from experiments.intervals import bootstrap
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.studies.data_quality.claims import gender_alone
from experiments.studies.data_quality.figures import cost_of_thresholds, figure_4, figure_7
from experiments.studies.data_quality.quality import SHARE, Quality, of_four, of_sample, of_seven
from tcloseness.exact import number_text

__all__ = ["STUDY", "Grid", "one_apart"]

NAME = "data_quality"


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    presets: tuple[str, ...]
    parameters: tuple[int, ...]
    thresholds: tuple[str, ...]
    more_thresholds: tuple[str, ...]
    four_presets: tuple[str, ...]
    four_parameters: tuple[int, ...]
    samples: int


def run(study: StudyRun) -> StudyResult:
    """Find the best tables by every criterion, on all records and on samples."""
    grid = study.grid(Grid)
    close = [closeness(t, ground) for ground in GROUNDS for t in grid.thresholds]
    criteria = [K_ANONYMITY, ENTROPY, RECURSIVE_4, *close]
    seven = pd.DataFrame(
        _row(preset, criterion, parameter, of_seven(preset, criterion, parameter))
        for preset, criterion, parameter in study.progress(
            list(product(grid.presets, criteria, grid.parameters)), "seven quasi-identifiers"
        )
    )
    thresholds = pd.DataFrame(
        _threshold_row(preset, ground, t)
        for preset, ground, t in study.progress(
            list(product(grid.presets, GROUNDS, grid.more_thresholds)), "thresholds t"
        )
    )
    work = list(product(grid.four_presets, (K_ANONYMITY, ENTROPY, RECURSIVE_3), grid.four_parameters))
    four = pd.DataFrame(_row(preset, name, p, of_four(preset, name, p)) for preset, name, p in work)
    study.draws_with(f"0 to {grid.samples - 1}")  # a sample's number is its seed
    samples = pd.DataFrame(
        {"sample": seed, **_row(preset, name, p, of_sample(preset, name, p, seed))}
        for seed in study.progress(range(grid.samples), f"samples of {float(SHARE):.0%}")
        for preset, name, p in work
    )
    found = {} if study.smoke else outcomes_of(NAME)
    first = shown([grid.four_presets[0]])[0]
    figures = [
        Figure(
            cost_of_thresholds(thresholds, study.folder / "cost_of_the_threshold.png"),
            "How many times the discernibility of 5-anonymity it costs to be t-close as well. At t = 0.2 it is several "
            "times as much; near t = 0.5 next to nothing.",
        ),
        Figure(
            figure_4(seven, study.folder / "quality_of_the_best_tables.png"),
            "The least discernibility and the least mean class size of a minimal table by criterion (less is better). "
            "For most k = l, t-closeness costs more than entropy l-diversity.",
        ),
        Figure(
            figure_7(four, samples, first, study.folder / "height_and_samples.png"),
            f"{first}, four quasi-identifiers: least heights on all records; in {grid.samples} samples of "
            f"{float(SHARE):.0%} how far the three least heights are apart, and the spread of the two other measures "
            "(boxes: quartiles; whiskers: range without outliers).",
        ),
    ]
    tables = {"seven_quasi_identifiers": seven, "thresholds": thresholds, "four_quasi_identifiers": four}
    tables |= {"samples": samples} if study.smoke else {"samples": samples, "groupings": _groupings(grid.presets)}
    return StudyResult(tables, figures, found, _summary(thresholds, samples, study.seed))


def _groupings(presets: Sequence[str]) -> pd.DataFrame:
    """Count the groupings of the occupations under which some cheap 5-anonymous table is 0.2-close."""
    return pd.DataFrame(
        {"preset": shown([preset])[0], "groupings": len(five_five_four())}
        | {f"within {float(factor):g} times": cheap_and_close(preset, factor)[1] for factor in FACTORS}
        for preset in presets
    )


def _row(preset: str, criterion: str, parameter: int, found: Quality | None) -> dict[str, object]:
    row: dict[str, object] = {"preset": shown([preset])[0], "criterion": criterion, "k = l": parameter}
    if found is None:
        return {**row, "minimal tables": 0}
    return {
        **row,
        "minimal tables": found.minimal,
        "height": found.height,
        "discernibility": found.discernibility,
        "mean class size": number_text(found.class_size),
        "mean class size (decimal)": round(float(found.class_size), 1),
    }


def _threshold_row(preset: str, ground: str, t: str, k: int = 5) -> dict[str, object]:
    plain, close = of_seven(preset, K_ANONYMITY, k), of_seven(preset, closeness(t, ground), k)
    row = {"preset": shown([preset])[0], "ground distance": ground, "t": t}
    if plain is None or close is None:
        return {**row, "minimal tables": 0}
    return {
        **row,
        "minimal tables": close.minimal,
        "discernibility": close.discernibility,
        "mean class size": round(float(close.class_size), 1),
        "times the discernibility of k alone": round(close.discernibility / plain.discernibility, 3),
    }


def one_apart(samples: pd.DataFrame, seed: int) -> str:
    """Return in how many cases the least heights are at most one apart; samples are what was drawn, not cases."""
    heights = samples.groupby(["preset", "k = l", "sample"])["height"]
    close = heights.max() - heights.min() <= 1
    low, high = bootstrap(close.groupby("sample").mean(), np.mean, seed=seed)
    return f"{close.sum()} of {len(close)} cases ({close.mean():.1%}, 95 % interval {low:.1%} to {high:.1%}"


def _summary(thresholds: pd.DataFrame, samples: pd.DataFrame, seed: int) -> str:
    def range_at(t: str) -> str:
        mine = thresholds.loc[thresholds["t"] == t, "times the discernibility of k alone"]
        least, most = f"{mine.min():.1f}", f"{mine.max():.1f}"
        return f"{least} times" if least == most else f"{least} to {most} times"

    gender = gender_alone()
    return (
        f"At k = 5, t = 0.2 costs {range_at('0.2')} the discernibility of k-anonymity alone, by preset and ground "
        f"distance; t = 0.5 costs {range_at('0.5')}. The reason does not depend on the hierarchies: a table that keeps "
        f"gender has t of at least {number_text(gender)} = {float(gender):.4f} under the equal distance, so t = 0.2 "
        f"suppresses it. On {samples['sample'].nunique()} samples of {float(SHARE):.0%} the least heights of "
        f"k-anonymity, entropy and recursive diversity are at most one apart in {one_apart(samples, seed)}; a case is "
        "a preset, a k = l and a sample, and the interval is a bootstrap over samples)."
    )


STUDY = Study(
    NAME,
    "How much data quality do k-anonymity, l-diversity and t-closeness cost on Adult?",
    run,
    basis="every node of each lattice and all records; only the numbers for 5 % samples are of a sample of "
    "them, and have an interval.",
)
