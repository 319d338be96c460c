"""Figures of a comparison: each quantity a panel, in which each release is a point.

Importing this module loads matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tcloseness.comparison import NO_ANSWER, ORIGINAL, Comparison
from tcloseness.report.audit_figures import FIGURE_STYLE, WIDTH
from tcloseness.report.drawing import Axes, Figure, MaxNLocator, mpl
from tcloseness.report.figures import INK, MASS, MOVE, REFERENCE
from tcloseness.report.short_text import printable, shortened

__all__ = ["MOST_PANELS", "Panel", "panels", "side_by_side"]

MOST_PANELS = 6
"""So many quantities of one kind are drawn at most; `Comparison.table` has all."""

_USUAL = ("k-anonymity", "distinct l-diversity", "entropy l-diversity", "t-closeness")
"""The models that are drawn where no threshold was given."""

_BETTER = {"higher": " (higher is better)", "lower": " (lower is better)"}
_LONGEST_NAME = 20
_INFINITE = "∞"


@dataclass(frozen=True)
class Panel:
    """One quantity: its title, its value by release (None where it is not known), and its threshold."""

    title: str
    values: Mapping[str, float | None]
    threshold: float | None
    violating: frozenset[str]


def panels(found: Comparison, kind: str) -> tuple[list[Panel], int]:
    """Return the panels of a kind of quantity, ``"privacy"`` or ``"loss"``, and how many are left out.

    Of models those are drawn that were decided, or else k, ℓ and t; of losses first those that lie between 0 and 1.
    """
    rows = [row for row in found._frame_rows() if row["kind"] == kind]
    keys = list(dict.fromkeys((row["sensitive"], row["quantity"]) for row in rows))
    decided = {(row["sensitive"], row["quantity"]) for row in rows if row["threshold"]}
    if kind == "privacy":
        chosen = [key for key in keys if key in decided or (not decided and key[1] in _USUAL)]
    else:
        losses = (pair for each in found.releases for pair in each.losses.items())
        of_unit = {name for name, loss in losses if [*map(float, loss.bounds)] == [0, 1]}
        chosen = sorted(keys, key=lambda key: key[1] not in of_unit)
    several = len({sensitive for sensitive, _ in chosen}) > 1
    made = []
    for sensitive, quantity in chosen[:MOST_PANELS]:
        mine = {row["release"]: row for row in rows if (row["sensitive"], row["quantity"]) == (sensitive, quantity)}
        first = next(iter(mine.values()))
        better = next((row["better"] for row in mine.values() if row["better"]), "")
        name = f"{quantity} of {sensitive}" if several else quantity
        made.append(
            Panel(
                shortened(printable(name)) + _BETTER.get(better, ""),
                {each.name: mine[each.name]["value"] if each.name in mine else None for each in found.releases},
                float(Fraction(first["threshold"])) if first["threshold"] else None,
                frozenset(release for release, row in mine.items() if row["status"] == "violated"),
            )
        )
    return made, len(chosen) - len(made)


def side_by_side(drawn: Sequence[Panel]) -> Figure:
    """Draw panels one below the other, a line a release: its value is a point, a diamond where it breaks a threshold.

    The original is a hollow point, since it is what the others are made of.
    """
    releases = list(drawn[0].values)
    height = sum([0.85 + 0.27 * len(releases)] * len(drawn))
    with mpl.rc_context(FIGURE_STYLE):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        for panel, axes in zip(drawn, figure.subplots(len(drawn), squeeze=False)[:, 0].tolist(), strict=True):
            _panel(axes, panel, releases)
    return figure


def _panel(axes: Axes, panel: Panel, releases: Sequence[str]) -> None:
    finite = [value for value in panel.values.values() if value is not None and math.isfinite(value)]
    marks = [*finite, *([] if panel.threshold is None else [panel.threshold])]
    low, high = min([0.0, *marks]), max(marks, default=0.0)
    span = (high - low) or 1.0
    for line, release in enumerate(releases):
        value = panel.values[release]
        axes.axhline(line, color=REFERENCE, linewidth=0.8, zorder=1)
        if value is None or not math.isfinite(value):
            text = NO_ANSWER if value is None else _INFINITE
            axes.annotate(text, (0.99, line), xycoords=("axes fraction", "data"), ha="right", va="center")
            continue
        broken = release in panel.violating
        colour = MOVE if broken else MASS
        axes.plot(
            [value],
            [line],
            marker="D" if broken else "o",
            markersize=7,
            color=colour,
            markerfacecolor="white" if release == ORIGINAL else colour,
            zorder=3,
        )
        left = value > low + 0.6 * span
        axes.annotate(
            f"{value:.4g}",
            (value, line),
            (-8 if left else 8, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            zorder=4,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )
    if panel.threshold is not None:
        axes.axvline(panel.threshold, color=INK, linestyle=(0, (5, 3)), linewidth=1.3, zorder=2)
    axes.set_title(panel.title, loc="left", fontsize="medium")
    axes.set_yticks(range(len(releases)), [shortened(printable(name), _LONGEST_NAME) for name in releases])
    axes.set_ylim(len(releases) - 0.5, -0.5)
    axes.set_xlim(low - 0.04 * span, high + 0.08 * span if marks else 1.0)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=all(float(mark).is_integer() for mark in marks)))
