"""The study's figures: for each measure the medians over the seeds, a row a release; the cost of two attributes."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from experiments.runner import Figure
from experiments.studies.utility.data import DataSet
from experiments.studies.utility.learning import names
from experiments.studies.utility.releases import MAJORITY, NO_MODEL, UNCHANGED

__all__ = ["draw_all"]

WIDTH, ROW = 5.6, 0.25
"""Inches: narrow, so that the text can be read on a telephone; and of a row."""


def draw_all(
    data: DataSet,
    shown: pd.DataFrame,
    of_pairs: pd.DataFrame,
    samples: int,
    unlike: str,
    folder: Path,
    *,
    few: bool = False,
) -> list[Figure]:
    """Draw the figures of a data set, and say under them how the methods are unlike; with few, one of each kind."""
    error = next(measure for measure in shown["measure"].unique() if measure not in names(data))
    logistic, _, bayes = names(data)
    stem = data.name.lower()
    base = f"{data.name}, {samples} samples: median and 95 % interval of each method's releases, by model. {unlike}"
    lines = "The dashed line is the unchanged table, the dotted one always says the most frequent value."
    captions = {
        logistic: f"{base} {lines} Logistic regression learns {data.label} from the quasi-identifiers "
        f"({data.described}) of the release and is tested on other records. Each value of a quasi-identifier is a "
        "feature: 1/m for each of the m values that a record's label stands for.",
        error: f"{base} The median relative error of count queries; the unchanged table has none.",
        bayes: f"{base} {lines} Naive Bayes learns {data.sensitive}, the sensitive attribute: what a user may want to "
        "know, and what t bounds.",
    }
    files = {logistic: "accuracy", error: "query_error", bayes: "accuracy_sensitive"}
    return [
        *(
            Figure(_by_method(shown, measure, folder / f"{stem}_{files[measure]}.png"), captions[measure])
            for measure in list(files)[: 1 if few else None]
        ),
        Figure(
            _pairs(of_pairs, folder / f"{stem}_several_sensitive.png"),
            f"{data.name}, {of_pairs['records'].iloc[0]:,} records: the least GCP of a full-domain generalization that "
            "protects one or both attributes of a pair; at the bars, how many of "
            f"{of_pairs['nodes'].iloc[0]:,} nodes do.",
        ),
    ]


def _by_method(shown: pd.DataFrame, measure: str, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Drawing
    from matplotlib.ticker import PercentFormatter

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, MOVE, STYLE

    mine = shown[shown["measure"] == measure]
    released = mine[mine["model"] != NO_MODEL]
    models = list(released["model"].unique())
    sizes = [int((released["model"] == model).sum()) for model in models]
    references = mine[mine["model"] == NO_MODEL].set_index("method")["median"]
    with rc_context(STYLE):
        drawing = Drawing(figsize=(WIDTH, 0.8 + sum(ROW * size + 0.42 for size in sizes)), layout="constrained")
        panels = drawing.subplots(
            len(models), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": [size + 0.4 for size in sizes]}
        )
        for (axes,), model in zip(panels, models, strict=True):
            rows = released[released["model"] == model].reset_index(drop=True)
            known = rows.dropna(subset=["median"])
            axes.hlines(known.index, known["low"], known["high"], color=MASS, linewidth=2.4, alpha=0.55)
            axes.plot(known["median"], known.index, "o", color=MASS, markersize=5)
            for place, row in rows[rows["reached"] < rows["seeds"]].iterrows():
                axes.text(
                    1.0,
                    float(place),
                    f"reached in {row['reached']} of {row['seeds']}",
                    transform=axes.get_yaxis_transform(),
                    ha="right",
                    va="center",
                    fontsize=8,
                    color=INK,
                )
            for method, dashes in ((UNCHANGED, (0, (5, 2))), (MAJORITY, (0, (1, 1.5)))):
                if method in references:
                    axes.axvline(references[method], color=MOVE, linewidth=1.2, linestyle=dashes)
            axes.set_yticks(range(len(rows)), rows["method"])
            axes.set_ylim(len(rows) - 0.4, -0.6)
            axes.grid(axis="x", color="#e6e8ec", linewidth=0.8)
            axes.set_title(model, loc="left", fontsize=10.5)
        panels[-1][0].xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        panels[-1][0].set_xlabel(measure)
    return save(drawing, path)


def _pairs(of_pairs: pd.DataFrame, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Drawing

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, STYLE

    pairs = list(of_pairs["sensitive attributes"].unique())
    rows = max(int((of_pairs["sensitive attributes"] == pair).sum()) for pair in pairs)
    with rc_context(STYLE):
        drawing = Drawing(figsize=(WIDTH, 0.7 + len(pairs) * (0.28 * rows + 0.4)), layout="constrained")
        panels = drawing.subplots(len(pairs), 1, sharex=True, squeeze=False)
        for (axes,), pair in zip(panels, pairs, strict=True):
            mine = of_pairs[of_pairs["sensitive attributes"] == pair].reset_index(drop=True)
            axes.barh(mine.index, mine["least GCP"].fillna(0), color=MASS, height=0.62)
            for place, row in mine.iterrows():
                end = 0 if pd.isna(row["least GCP"]) else row["least GCP"]
                axes.text(
                    end + 0.015,
                    float(place),
                    f"{row['nodes that satisfy it']:,}",
                    va="center",
                    fontsize=9,
                    color=INK,
                )
            short = [
                criterion.replace(" as quasi-identifier", "\nas quasi-identifier") for criterion in mine["criterion"]
            ]
            axes.set_yticks(range(len(mine)), short)
            axes.invert_yaxis()
            axes.set_xlim(0, 1.12)
            axes.set_title(pair, loc="left", fontsize=10.5)
        panels[-1][0].set_xlabel("least GCP; at the bars: nodes that satisfy it")
    return save(drawing, path)
