"""Figures of an audit: class sizes, distances, the farthest class, beliefs, records at risk.

Each function answers one question and returns a figure of one width, which fits a phone and a column of a page. What
it draws is reduced first, so that a figure of a million classes is no larger than one of a thousand. Importing this
module loads matplotlib.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.ground import GroundDistance
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.domain import value_text
from tcloseness.report.drawing import Axes, Figure, MaxNLocator, NullFormatter, NullLocator, mpl
from tcloseness.report.figures import INK, MASS, MOVE, REFERENCE, STYLE, arrow
from tcloseness.report.findings import beliefs
from tcloseness.report.short_text import shortened
from tcloseness.transport import certify, moves_of

__all__ = [
    "FIGURE_STYLE",
    "MOST_VALUES",
    "WIDTH",
    "class_against_reference",
    "class_sizes",
    "distances",
    "records_beyond",
    "values_believed",
]

MOST_VALUES = 20
"""Of an attribute with more values, those with the largest differences are drawn."""

WIDTH = 4.7
_MOST_POINTS = 1200
_MOST_STEPS = 400
_LONGEST_LABEL = 24
FIGURE_STYLE = {**STYLE, "font.size": 11.5, "figure.dpi": 72}
_PRIOR = "#5a616b"
_HALO: dict[str, Any] = {
    "fontsize": 11,
    "bbox": {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.0},
}


def class_sizes(classes: ClassCounts) -> Figure:
    """Draw how many records are in classes of which size; few sizes get a bar each, many are binned by doubling."""
    sizes, number = np.unique(classes.people, return_counts=True)
    records = sizes * number
    with mpl.rc_context(FIGURE_STYLE):
        figure, axes = _figure(2.7)
        if len(sizes) <= 12:
            places, labels, heights = np.arange(len(sizes)), [str(s) for s in sizes.tolist()], records
        else:
            bins = np.array([int(s).bit_length() - 1 for s in sizes.tolist()])
            places = np.arange(bins.max() + 1)
            labels = [_range_text(2**b, min(2 ** (b + 1) - 1, int(sizes[-1]))) for b in places.tolist()]
            heights = np.bincount(bins, weights=records).astype(np.int64)
        axes.bar(places, heights, 0.72, color=MASS)
        axes.set_xlim(min(-0.6, len(places) / 2 - 2.5), max(len(places) - 0.4, len(places) / 2 + 1.5))
        crowded = sum(map(len, labels)) + 2 * len(labels) > 34
        axes.set_xticks(
            places, labels, rotation=35 if crowded else 0, ha="right" if crowded else "center", rotation_mode="anchor"
        )
        axes.set_xlabel(f"{classes.unit}s in the class")
        axes.set_ylabel(f"{classes.unit}s, altogether")
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    return figure


def distances(classes: ClassCounts, values: npt.NDArray[np.float64], t: Fraction | None) -> Figure:
    """Draw each class's distance against its size, with the threshold; many classes become shades of a grid."""
    points, number = np.unique(np.column_stack([classes.people.astype(np.float64), values]), axis=0, return_counts=True)
    sizes, values, infinite = points[:, 0], points[:, 1], np.isinf(points[:, 1])
    with mpl.rc_context(FIGURE_STYLE):
        figure, axes = _figure(3.1)
        top = max(float(values[~infinite].max(initial=0)), float(t or 0), 1e-9) * (1.3 if infinite.any() else 1.12)
        if infinite.any():
            values = np.where(infinite, 0.96 * top, values)
            _note(axes, "∞", (0, 0.96 * top), (-6, 0), ("axes fraction", "data"), ha="right", va="center")
        least, most = float(sizes.min()), float(sizes.max())
        axes.set_xscale("log")
        axes.set_xlim(least / 1.5, most * 1.5)
        axes.set_ylim(-0.03 * top, top)
        if len(points) > _MOST_POINTS:
            _shades(axes, sizes, values, number, (least / 1.5, most * 1.5, top))
        else:
            beyond = values > (np.inf if t is None else float(t))
            area = 34 * (1 + np.log2(number))
            for chosen, colour, marker in ((~beyond, MASS, "o"), (beyond, MOVE, "D")):
                if chosen.any():
                    look: Any = {"c": colour, "marker": marker, "alpha": 0.75, "linewidths": 0, "zorder": 3}
                    axes.scatter(sizes[chosen], values[chosen], s=area[chosen], **look)
        if t is not None:
            axes.axhline(float(t), color=INK, linestyle=(0, (5, 3)), linewidth=1.3, zorder=4)
            at, look = (1, float(t)), {"ha": "right", "va": "bottom", "zorder": 5, **_HALO}
            _note(axes, "threshold t", at, (0, 3), ("axes fraction", "data"), **look)
        _plain_log_ticks(axes, sizes)
        axes.set_xlabel(f"{classes.unit}s in the class")
        axes.set_ylabel("distance from Q")
    return figure


def class_against_reference(classes: ClassCounts, index: int, ground: GroundDistance | None) -> Figure:
    """Draw a class's distribution P beside the reference Q and, for up to `MOST_VALUES` values, the moves between.

    The moves are those of a certified optimal transformation of P into Q.
    """
    p, q = _distributions(classes, index)
    shown = _largest(np.abs(p - q))
    moved = []
    if ground is not None and len(p) <= MOST_VALUES:
        size, total = int(classes.class_sizes[index]), int(classes.reference.sum())
        certificate = certify(
            [Fraction(n, size) for n in classes.vector(index)],
            [Fraction(n, total) for n in classes.reference.tolist()],
            ground,
        )
        moved = moves_of(certificate)
    with mpl.rc_context(FIGURE_STYLE):
        figure, axes = _figure(0.95 + 0.4 * max(len(shown), 2))
        top = float(max(p[shown].max(), q[shown].max()))
        rows = np.arange(len(shown))
        axes.barh(rows - 0.19, p[shown], 0.36, color=MASS, label="P, in the class")
        axes.barh(rows + 0.19, q[shown], 0.36, color=REFERENCE, label="Q, reference")
        heaviest = max((float(move.mass) for move in moved), default=1.0)
        reach = max(len(shown) - 1, 1)
        for move in moved:
            _arc(
                axes, move.source, move.target, top, abs(move.source - move.target) / reach, float(move.mass) / heaviest
            )
        if moved:
            axes.plot([], [], color=MOVE, label="mass that moves")
        axes.set_xlim(0, top * (1.62 if moved else 1.06))
        _value_axis(axes, classes, shown)
        ticks = [
            tick for tick in MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]).tick_values(0, top) if 0 <= tick <= top * 1.001
        ]
        axes.set_xticks(ticks, [f"{tick:.3g}" for tick in ticks])
        axes.set_xlabel("probability", loc="left")
        _legend(axes)
    return figure


def values_believed(classes: ClassCounts, index: int) -> Figure:
    """Draw what an outsider believes of each value: before (Q), in one class (P), and between which bounds in all."""
    p, q = _distributions(classes, index)
    least, greatest = beliefs(classes)
    shown = _largest(np.abs(p - q))
    rows = np.arange(len(shown))
    with mpl.rc_context(FIGURE_STYLE):
        figure, axes = _figure(0.95 + 0.33 * max(len(shown), 2))
        axes.hlines(rows, least[shown], greatest[shown], color=REFERENCE, linewidth=7, label="in all classes", zorder=1)
        axes.hlines(rows, q[shown], p[shown], color=INK, linewidth=1.2, zorder=2)
        axes.plot(
            q[shown],
            rows,
            "D",
            color="white",
            markeredgecolor=_PRIOR,
            markeredgewidth=1.6,
            markersize=6.5,
            label="before: Q",
            clip_on=False,
            zorder=3,
            linestyle="none",
        )
        axes.plot(
            p[shown], rows, "o", color=MOVE, markersize=7.5, label="after: P", clip_on=False, zorder=4, linestyle="none"
        )
        most = max(float(greatest[shown].max()), float(q[shown].max()))
        axes.set_xlim(-0.03 * most, 1.04 * most)  # a marker at 0 stays clear of the names
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.grid(axis="x", color="#e8eaee", linewidth=0.8, zorder=0)
        axes.set_axisbelow(True)
        _value_axis(axes, classes, shown)
        axes.set_xlabel("probability")
        _legend(axes)
    return figure


def records_beyond(classes: ClassCounts, values: npt.NDArray[np.float64], t: Fraction | None) -> Figure:
    """Draw for each threshold t how many records are in classes that are farther away than t."""
    order = np.argsort(values)
    steps, number = np.unique(values[order], return_counts=True)
    within = np.cumsum(classes.people[order])[np.cumsum(number) - 1]  # records in classes as near as each step
    finite = np.isfinite(steps)
    steps, beyond = steps[finite], (classes.records - within)[finite]
    if not len(steps):
        steps, beyond = np.zeros(1), np.array([classes.records])
    if len(steps) > _MOST_STEPS:
        kept = np.unique(np.searchsorted(steps, np.linspace(steps[0], steps[-1], _MOST_STEPS)))
        steps, beyond = steps[kept], beyond[kept]
    with mpl.rc_context(FIGURE_STYLE):
        figure, axes = _figure(2.7)
        right = max(float(steps[-1]), float(t or 0), 1e-9) * 1.08
        x = np.concatenate([[0.0], steps, [right]])
        y = np.concatenate([[classes.records if steps[0] > 0 else beyond[0]], beyond, beyond[-1:]])
        axes.fill_between(x, y, step="post", color=MOVE, alpha=0.18, linewidth=0)
        axes.step(x, y, where="post", color=MOVE, linewidth=1.8)
        axes.set_xlim(0, right)
        axes.set_ylim(0, classes.records * 1.14)
        if t is not None:
            axes.axvline(float(t), color=INK, linestyle=(0, (5, 3)), linewidth=1.3)
            left = float(t) > 0.6 * right
            look = {"ha": "right" if left else "left", "va": "top", **_HALO}
            _note(axes, "threshold t", (float(t), 1), (-4 if left else 4, -2), ("data", "axes fraction"), **look)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.set_xlabel("threshold t")
        axes.set_ylabel(f"{classes.unit}s in classes\nfarther away than t")
    return figure


# ---------------------------------------------------------------------- parts


def _figure(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots()


def _note(
    axes: Axes, text: str, at: tuple[float, float], away: tuple[int, int], by: tuple[str, str], **look: Any
) -> None:
    """Write a text some points away from a place, each coordinate of which is a datum or a share of the axes."""
    axes.annotate(text, at, away, xycoords=by, textcoords="offset points", **look)


def _distributions(classes: ClassCounts, index: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    p, q = np.array(classes.vector(index), dtype=np.float64), classes.reference.astype(np.float64)
    return p / p.sum(), q / q.sum()


def _largest(differences: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Return the codes of the largest differences, in the order of the domain."""
    return np.sort(np.argsort(-differences, kind="stable")[:MOST_VALUES])


def _value_axis(axes: Axes, classes: ClassCounts, shown: npt.NDArray[np.intp]) -> None:
    names = [shortened(value_text(classes.domain.value(code)), _LONGEST_LABEL) for code in shown]
    axes.set_yticks(range(len(shown)), names)
    axes.set_ylim(len(shown) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)


def _legend(axes: Axes) -> None:
    axes.legend(
        frameon=False,
        loc="lower right",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.1,
        fontsize=11,
        ncols=3,
        columnspacing=1.0,
        handlelength=1.2,
        handletextpad=0.5,
    )


def _arc(axes: Axes, source: int, target: int, base: float, reach: float, weight: float) -> None:
    start, apex = base * 1.04, base * (1.12 + 0.98 * reach)
    vertices = [(start, source), (apex, (source + target) / 2), (start, target)]
    arrow(axes, vertices, 2.2, 0.8 + 1.5 * weight, shrinkA=0, shrinkB=0)


def _shades(
    axes: Axes,
    sizes: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    number: npt.NDArray[np.intp],
    limits: tuple[float, float, float],
) -> None:
    left, right, top = limits
    counted, x, y = np.histogram2d(
        np.log(sizes), values, bins=(46, 34), range=((np.log(left), np.log(right)), (0, top)), weights=number
    )
    shade = np.ma.masked_less_equal(np.log1p(counted.T), 0)
    axes.pcolormesh(np.exp(x), y, shade, cmap="cividis_r", vmin=0, rasterized=True, zorder=2)


def _plain_log_ticks(axes: Axes, sizes: npt.NDArray[np.float64]) -> None:
    """Mark the sizes that occur if they are few and apart, else round numbers; with their digits, not as powers."""
    marks = [int(size) for size in np.unique(sizes)]
    if len(marks) > 5 or any(b < 1.12 * a for a, b in pairwise(marks)):
        least, most = marks[0], marks[-1]
        rounds = [step * 10**power for power in range(19) for step in (1, 2, 5)]
        within = [number for number in rounds if least / 1.5 <= number <= most * 1.5]
        marks = [number for number in within if str(number)[0] == "1"] if len(within) > 6 else within
        marks = marks if len(marks) > 1 else sorted({least, most})
    axes.set_xticks(marks, [f"{mark:,}".replace(",", "\N{NO-BREAK SPACE}") for mark in marks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())


def _range_text(low: int, high: int) -> str:
    return str(low) if low >= high else f"{low}–{high}"
