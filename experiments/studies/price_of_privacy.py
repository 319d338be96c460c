"""What t-closeness and ℓ-diversity cost at least: the optimum loss as a function of t and of ℓ.

Two sets of anonymizations, each searched to the optimum: the full-domain generalizations of Adult, and all partitions
of small tables drawn from it. So the curves are those of the models, not of a heuristic; both only ever rise when t
falls or ℓ grows. The first are computed on the whole data over all nodes of a lattice, and have no interval. The second
are means over a sample, the same tables at every point: those in which even the strictest of the models can be reached.
How many of the drawn tables are left out for that is shown, and at each threshold how many cannot reach it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.adult_hierarchies import QUASI_IDENTIFIERS, preset as hierarchies_of
from experiments.adult_lattices import rolled, shown
from experiments.intervals import bootstrap
from experiments.proofs import files_of, plain_name
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.small_tables import SmallTable, drawn, proof_files
from tcloseness.certificates import Envelope
from tcloseness.exact import number_text
from tcloseness.lattice import RollUp, search_lattice
from tcloseness.loss.names import loss_named
from tcloseness.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel, TCloseness
from tcloseness.optimal import Infeasible, Optimal, optimal_partition
from tcloseness.release import Partition

__all__ = ["STUDY", "Grid", "full_domain", "models", "of_small_tables", "points"]

NAME = "price_of_privacy"
T, DISTINCT, FREQUENCY = "t-closeness, equal", "distinct l-diversity", "frequency l-diversity"
ALONE, RATIO = "k alone", "times the loss of k alone"


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


def full_domain(
    lattice: RollUp, k: int, models: Mapping[str, PrivacyModel], loss: str, proved: dict[str, Envelope]
) -> Iterator[dict[str, Any]]:
    """Yield of each model the least loss over all full-domain generalizations that satisfy it, and how many times that
    of k-anonymity it is; a certificate of each is noted by the model's name."""
    alone: Fraction | None = None
    for name, model in {ALONE: KAnonymity(k), **models}.items():
        answer = search_lattice(lattice, model, ground="equal", wanted="optimum", loss=loss_named(loss))
        proved[name] = answer.certificate()
        least = answer.optimum
        assert least is not None
        if name == ALONE:
            alone = least.value
        elif least.value is None or alone is None:
            yield {"node": None, "optimum": None, RATIO: None}
        else:
            node = min(found.node for found in least.nodes)
            yield {"node": str(node), "optimum": number_text(least.value), RATIO: float(least.value / alone)}


def adult_files(proved: Mapping[tuple[str, str, str], Envelope]) -> dict[str, bytes]:
    """Return the files of certificates about Adult, each by its preset, loss and model."""
    presets = dict.fromkeys(preset for preset, _, _ in proved)
    tables = {plain_name(f"Adult {preset}"): rolled(preset) for preset in presets}
    return files_of(
        {plain_name(f"Adult {' '.join(key)}"): envelope for key, envelope in proved.items()},
        {name: (lattice.frequencies, lattice.frequencies.sensitive_name(None)) for name, lattice in tables.items()},
        [hierarchies_of(name)[column] for name in presets for column in QUASI_IDENTIFIERS[name]],
    )


def of_small_tables(
    grid: Grid, number: int, seed: int, proved: dict[tuple[SmallTable, str], Envelope] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield for one drawn table, for every model, whether it can be reached, and if all can, the least GCP.

    The least GCP is over all partitions. A model that is monotone can be reached if the whole table as one class does.
    """
    small = drawn(grid.records, number, seed)
    asked = [
        (ALONE, "", KAnonymity(grid.small_k)),
        *models(grid.small_k, grid.small_thresholds, grid.small_diversities),
    ]
    whole = Partition.of(small.table, [range(grid.records)]).class_counts()
    reached = [model.evaluate(whole).status == "satisfied" for _, _, model in asked]
    alone: Any = None
    for (name, threshold, model), can in zip(asked, reached, strict=True):
        best = _least(small, model, grid, seed) if all(reached) else None
        if isinstance(best, Optimal) and proved is not None:
            proved[small, f"{name} {threshold}"] = best.certificate()
        value = None if best is None else best.objective
        alone = value if name == ALONE else alone
        yield {
            "table": small.name,
            "model": name,
            "threshold": threshold,
            "can be reached": can,
            "optimum": None if value is None else number_text(value),
            "is optimal": None if best is None else isinstance(best, Optimal),
            "gcp": None if value is None else float(value),
            RATIO: float(value / alone) if value is not None and alone else None,
        }


def _least(small: SmallTable, model: PrivacyModel, grid: Grid, seed: int) -> Any:
    best = optimal_partition(
        small.table, model, "gcp", hierarchies=small.hierarchies, time_limit=grid.seconds, seed=seed
    )
    assert not isinstance(best, Infeasible)
    return best


def points(small: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return for every model and threshold the means over the tables in which all can be reached, with intervals."""
    known = small.dropna(subset=[RATIO])
    rows = []
    for (name, threshold), part in small.groupby(["model", "threshold"], sort=False):
        mine = known[(known["model"] == name) & (known["threshold"] == threshold)]
        row = {
            "model": name,
            "threshold": threshold,
            "drawn": len(part),
            "cannot reach it": int((~part["can be reached"]).sum()),
            "tables": len(mine),
        }
        for column in ("gcp", RATIO):
            low, high = bootstrap(mine[column], np.mean, seed=seed) if len(mine) else (None, None)
            row |= {f"mean {column}": mine[column].mean(), f"{column}, from": low, f"{column}, to": high}
        rows.append(row)
    return pd.DataFrame(rows)


def run(study: StudyRun) -> StudyResult:
    """Compute both curves."""
    grid = study.grid(Grid)
    asked = list(models(grid.k, grid.thresholds, grid.diversities))
    rows, of_adult = [], dict[tuple[str, str, str], Envelope]()
    for preset, loss in study.progress(list(product(grid.presets, ("dm", "gcp"))), "full-domain optima of Adult"):
        of_models = dict[str, Envelope]()
        found = full_domain(rolled(preset), grid.k, {f"{name} {t}": model for name, t, model in asked}, loss, of_models)
        for (name, threshold, _), row in zip(asked, found, strict=True):
            rows.append({"preset": shown([preset])[0], "loss": loss, "model": name, "threshold": threshold} | row)
        of_adult |= {(preset, loss, name): envelope for name, envelope in of_models.items()}
    adult = pd.DataFrame(rows)
    numbers, proved = list(range(grid.draws)), dict[tuple[SmallTable, str], Envelope]()
    small = pd.DataFrame(
        row
        for number in study.progress(numbers, "optimal partitions of small tables")
        for row in of_small_tables(grid, number, study.seed, proved)
    )
    means = points(small, study.seed)
    figures = [
        Figure(
            _draw(adult, study.folder / "full_domain.png"),
            f"Least loss of a full-domain generalization of Adult, as a multiple of that of {grid.k}-anonymity alone, "
            "by t (left) and by ℓ (right). A line ends where nothing satisfies the model.",
        ),
        Figure(
            _draw_small(small, means, study.folder / "small_tables.png"),
            f"Least GCP over all partitions of tables of {grid.records} records, k = {grid.small_k}: a thin line a "
            f"table, the thick one the mean over the same {means['tables'].max()} tables at each point, the band its "
            "95 % interval.",
        ),
    ]
    return StudyResult(
        {"full_domain": adult, "small_tables": small, "small_tables_means": means},
        figures,
        {},
        f"{_summary(adult, small, means, grid)} Each of the {len(of_adult)} answers about Adult and of the "
        f"{len(proved)} optima of small tables is proved by a certificate.",
        proof_files(proved) | adult_files(of_adult),
    )


def _draw(adult: pd.DataFrame, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, MOVE, STYLE

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


def _draw_small(small: pd.DataFrame, means: pd.DataFrame, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, MOVE, STYLE

    with rc_context(STYLE):
        figure = Figure(figsize=(9.4, 3.8), layout="constrained")
        panels = figure.subplots(1, 3, sharey=True)
        for axes, kind, color, label in zip(
            panels, (T, DISTINCT, FREQUENCY), (MOVE, MASS, INK), ("t", "l", "l"), strict=True
        ):
            of_kind = small[small["model"] == kind].dropna(subset=[RATIO])
            for _, mine in of_kind.groupby("table"):
                axes.plot(mine["threshold"].astype(float), mine["gcp"], color=color, linewidth=0.6, alpha=0.35)
            mean = means[means["model"] == kind].dropna()
            x = mean["threshold"].astype(float)
            axes.fill_between(x, mean["gcp, from"], mean["gcp, to"], color=color, alpha=0.25, linewidth=0)
            axes.plot(x, mean["mean gcp"], color=color, linewidth=2.4, marker="o", markersize=4)
            axes.set_title(kind, loc="left", fontsize=10.5)
            axes.set_xlabel(label)
            if label == "l":
                axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.grid(axis="y", color="#e6e8ec", linewidth=0.8)
        panels[0].set_ylabel("least GCP")
        panels[0].set_ylim(0, 1.02)
    return save(figure, path)


def _summary(adult: pd.DataFrame, small: pd.DataFrame, means: pd.DataFrame, grid: Grid) -> str:
    whole = adult[adult["loss"] == "gcp"].dropna(subset=[RATIO]).groupby(["preset", "model"], sort=False).tail(1)
    parts = [f"{row['preset']}, {row['model']} {row['threshold']}: {row[RATIO]:.2f}" for _, row in whole.iterrows()]
    strictest = means[means["model"] != ALONE].groupby("model", sort=False).tail(1).dropna()
    costs = [
        f"{row['model']} {row['threshold']}: {row[f'mean {RATIO}']:.2f} ({row[f'{RATIO}, from']:.2f} to "
        f"{row[f'{RATIO}, to']:.2f})"
        for _, row in strictest.iterrows()
    ]
    solved = small["is optimal"].dropna()
    open_ = small.loc[small["is optimal"].eq(False), ["table", "model", "threshold"]]
    bounded = "; not proved: " + ", ".join(" ".join(row) for row in open_.to_numpy()) if len(open_) else ""
    partitions = (
        f", and {_ends(strictest[f'mean {RATIO}'])} times on small tables, all partitions allowed" if costs else ""
    )
    return (
        f"The strictest threshold that can be satisfied costs {_ends(whole[RATIO])} times the GCP of k-anonymity alone "
        f"in full-domain generalizations of Adult{partitions}. Adult, all nodes of the lattice and all records, as a "
        f"multiple of {grid.k}-anonymity alone: {'; '.join(parts)}. Tables of {grid.records} records, as a multiple of "
        f"{grid.small_k}-anonymity alone, the mean with its 95 % bootstrap interval: "
        f"{', '.join(costs) or 'no table reaches the strictest'}. The means are over the same "
        f"{means['tables'].max()} of {means['drawn'].max()} drawn tables at each point, those in which every model can "
        f"be reached; {int(solved.sum())} of {len(solved)} optima are proved{bounded}."
    )


def _ends(ratios: pd.Series[float]) -> str:
    return f"{ratios.min():.2f} to {ratios.max():.2f}"


STUDY = Study(
    NAME,
    "What do t-closeness and l-diversity cost at least, as functions of t and l?",
    run,
    basis="every node of each lattice and all records for the full-domain costs, which have no interval; "
    "tables drawn from Adult for the others, whose means have one.",
)
