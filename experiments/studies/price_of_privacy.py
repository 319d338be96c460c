"""What t-closeness and ℓ-diversity cost at least: the optimum loss as a function of t and of ℓ.

Two sets of anonymizations, each searched to the optimum: the full-domain generalizations of Adult, and all partitions
of small tables drawn from it. So the curves are those of the models, not of a heuristic; both only ever rise when t
falls or ℓ grows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.adult_lattices import rolled, shown
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.small_tables import drawn
from tcloseness.exact import number_text
from tcloseness.lattice import optimum
from tcloseness.loss.names import loss_named
from tcloseness.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel, TCloseness
from tcloseness.optimal import Infeasible, Optimal, optimal_partition

__all__ = ["STUDY", "Grid", "full_domain", "models", "of_small_tables"]

NAME = "price_of_privacy"
T, DISTINCT, FREQUENCY = "t-closeness, equal", "distinct l-diversity", "frequency l-diversity"
RATIO = "times the loss of k alone"


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    presets: tuple[str, ...]
    k: int
    thresholds: tuple[str, ...]
    diversities: tuple[int, ...]
    records: int
    draws: int
    small_k: int
    small_thresholds: tuple[str, ...]
    small_diversities: tuple[int, ...]
    seconds: int


def models(
    k: int, thresholds: tuple[str, ...], diversities: tuple[int, ...]
) -> Iterator[tuple[str, str, PrivacyModel]]:
    """Yield each model with k-anonymity: its name, its threshold as text, and itself."""
    base = KAnonymity(k)
    for t in thresholds:
        yield T, t, base & TCloseness(t, ground="equal")
    for l in diversities:  # noqa: E741
        yield DISTINCT, str(l), base & DistinctLDiversity(l)
        yield FREQUENCY, str(l), base & FrequencyLDiversity(l)


def full_domain(preset: str, k: int, model: PrivacyModel, loss: str) -> dict[str, Any]:
    """Return the least loss over all full-domain generalizations that satisfy a model, and that of k-anonymity."""
    lattice = rolled(preset)
    least = optimum(lattice, model, loss=loss_named(loss))
    alone = optimum(lattice, KAnonymity(k), loss=loss_named(loss)).value
    if least.value is None or alone is None:
        return {"node": None, "optimum": None, RATIO: None}
    node = min(found.node for found in least.nodes)
    return {"node": str(node), "optimum": number_text(least.value), RATIO: float(least.value / alone)}


def of_small_tables(grid: Grid, number: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the least GCP over all partitions of one drawn table, for every model."""
    small = drawn(grid.records, number, seed)
    alone: Any = None
    k_alone = ("k alone", "", KAnonymity(grid.small_k))
    for name, threshold, model in (k_alone, *models(grid.small_k, grid.small_thresholds, grid.small_diversities)):
        best = optimal_partition(
            small.table, model, "gcp", hierarchies=small.hierarchies, time_limit=grid.seconds, seed=seed
        )
        value = None if isinstance(best, Infeasible) else best.objective
        alone = value if name == "k alone" else alone
        yield {
            "table": small.name,
            "model": name,
            "threshold": threshold,
            "answer": type(best).__name__.lower(),
            "optimum": None if value is None else number_text(value),
            "is optimal": isinstance(best, Optimal),
            "gcp": None if value is None else float(value),
            RATIO: float(value / alone) if value is not None and alone else None,
        }


def run(study: StudyRun) -> StudyResult:
    """Compute both curves."""
    grid = study.grid(Grid)
    work = list(product(grid.presets, ("dm", "gcp"), models(grid.k, grid.thresholds, grid.diversities)))
    adult = pd.DataFrame(
        {"preset": shown([preset])[0], "loss": loss, "model": name, "threshold": threshold}
        | full_domain(preset, grid.k, model, loss)
        for preset, loss, (name, threshold, model) in study.progress(work, "full-domain optima of Adult")
    )
    numbers = list(range(grid.draws))
    small = pd.DataFrame(
        row
        for number in study.progress(numbers, "optimal partitions of small tables")
        for row in of_small_tables(grid, number, study.seed)
    )
    figures = [
        Figure(
            _draw(adult, study.folder / "full_domain.png"),
            f"Least loss of a full-domain generalization of Adult, as a multiple of that of {grid.k}-anonymity alone, "
            "by t (left) and by ℓ (right). A line ends where nothing satisfies the model.",
        ),
        Figure(
            _draw_small(small, study.folder / "small_tables.png"),
            f"Least GCP over all partitions of {grid.draws} tables of {grid.records} records, k = {grid.small_k}: a "
            "thin line a table, the thick one their mean over the tables for which the model can be satisfied.",
        ),
    ]
    return StudyResult({"full_domain": adult, "small_tables": small}, figures, {}, _summary(adult, small, grid))


def _draw(adult: pd.DataFrame, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from tcloseness.report.figures import INK, MASS, MOVE, STYLE, save

    losses = {"dm": "discernibility", "gcp": "GCP"}
    presets = list(adult["preset"].unique())
    looks = {T: (MOVE, "o"), DISTINCT: (MASS, "s"), FREQUENCY: (INK, "^")}
    with rc_context(STYLE):
        figure = Figure(figsize=(9.4, 6.4), layout="constrained")
        panels = figure.subplots(2, 2, sharey="row", sharex="col")
        for (loss, words), row in zip(losses.items(), panels, strict=True):
            for axes, kinds in zip(row, ((T,), (DISTINCT, FREQUENCY)), strict=True):
                for kind, (preset, dashes) in product(kinds, zip(presets, ("-", (0, (4, 2))), strict=False)):
                    mine = adult[
                        (adult["loss"] == loss) & (adult["model"] == kind) & (adult["preset"] == preset)
                    ].dropna()
                    color, marker = looks[kind]
                    label = f"{kind.split(',')[0]}, {preset}"
                    axes.plot(
                        mine["threshold"].astype(float),
                        mine[RATIO],
                        color=color,
                        marker=marker,
                        linestyle=dashes,
                        markersize=5,
                        label=label,
                    )
                axes.axhline(1, color=INK, linewidth=0.7)
                axes.grid(axis="y", color="#e6e8ec", linewidth=0.8)
            row[0].set_ylabel(f"{words}: times that of k alone")
        panels[1][0].set_xlabel("t")
        panels[1][1].set_xlabel("l")
        panels[0][0].legend(frameon=False, fontsize=9)
        panels[0][1].legend(frameon=False, fontsize=9)
    return save(figure, path)


def _draw_small(small: pd.DataFrame, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from tcloseness.report.figures import INK, MASS, MOVE, STYLE, save

    with rc_context(STYLE):
        figure = Figure(figsize=(9.4, 3.8), layout="constrained")
        panels = figure.subplots(1, 3, sharey=True)
        for axes, kind, color, label in zip(
            panels, (T, DISTINCT, FREQUENCY), (MOVE, MASS, INK), ("t", "l", "l"), strict=True
        ):
            of_kind = small[small["model"] == kind].assign(x=lambda rows: rows["threshold"].astype(float))
            for _, mine in of_kind.groupby("table"):
                known = mine.dropna(subset=["gcp"]).sort_values("x")
                axes.plot(known["x"], known["gcp"], color=color, linewidth=0.7, alpha=0.4)
            mean = of_kind.dropna(subset=["gcp"]).groupby("x")["gcp"].mean()
            axes.plot(mean.index, mean, color=color, linewidth=2.4, marker="o", markersize=4)
            axes.set_title(kind, loc="left", fontsize=10.5)
            axes.set_xlabel(label)
            axes.grid(axis="y", color="#e6e8ec", linewidth=0.8)
        panels[0].set_ylabel("least GCP")
        panels[0].set_ylim(0, 1.02)
    return save(figure, path)


def _summary(adult: pd.DataFrame, small: pd.DataFrame, grid: Grid) -> str:
    parts = []
    for (preset, kind), mine in adult[adult["loss"] == "gcp"].groupby(["preset", "model"], sort=False):
        last = mine.dropna(subset=[RATIO]).tail(1)
        if not last.empty:
            parts.append(f"{preset}, {kind} {last['threshold'].iloc[0]}: {last[RATIO].iloc[0]:.2f}")
    proved = small[small["answer"] != "infeasible"]["is optimal"]
    means = small.dropna(subset=[RATIO]).groupby(["model", "threshold"], sort=False)[RATIO].mean()
    strictest = {kind: means[kind].iloc[-1] for kind in (T, DISTINCT, FREQUENCY) if kind in means}
    return (
        f"Least GCP of a full-domain generalization of Adult as a multiple of that of {grid.k}-anonymity alone, at the "
        f"strictest threshold that can be satisfied: {'; '.join(parts)}. On small tables, all partitions allowed, the "
        f"strictest threshold costs on the mean {', '.join(f'{v:.2f} ({k})' for k, v in strictest.items())} times k "
        f"alone; {int(proved.sum())} of {len(proved)} optima are proved by the solver's bound."
    )


STUDY = Study(NAME, "What do t-closeness and l-diversity cost at least, as functions of t and l?", run)
