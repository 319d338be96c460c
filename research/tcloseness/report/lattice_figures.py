"""Figures of a searched lattice: a small one whole, node by node; a large one by height. Loads matplotlib.

The Hasse diagrams are those of Machanavajjhala et al. 2006, Figure 6 and Incognito Figure 3; the picture by height
keeps their outline.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tcloseness.lattice import Lattice, Node, SearchResult
from tcloseness.lattice.tags import SATISFYING, UNDECIDED
from tcloseness.report.drawing import Figure, LineCollection, Patch, mpl
from tcloseness.report.figures import INK, MASS, MOVE, REFERENCE, STYLE, save

if TYPE_CHECKING:
    from tcloseness.report.drawing import Axes

__all__ = ["HeightCounts", "counts_by_height", "draw_by_height", "draw_nodes", "plot_lattice", "shown_whole"]

_WIDEST, _MOST = 16, 120
"""A lattice with more nodes on one height, or in all, is drawn by height."""

_SWEEPS = 8
"""So many times the nodes of each height are put in the order of their neighbours' places."""

_LETTERS = 11
"""So many letters of a title fit on an inch."""

_PALE = "#eceef1"
_OPEN = "#ffffff"


@dataclass(frozen=True)
class HeightCounts:
    """How many nodes of one height there are, and of which kind."""

    height: int  # the sum of the levels
    nodes: int
    satisfying: int
    minimal: int
    optimal: int
    undecided: int  # how many the model could not decide


def counts_by_height(found: SearchResult, optimal: Collection[Node] = ()) -> list[HeightCounts]:
    """Count the nodes of each height, from the bottom up."""
    lattice, tags = found.lattice, found.tags.array
    length = lattice.height + 1
    sums = np.asarray(sum(np.ogrid[tuple(slice(size) for size in lattice.shape)]))

    def among(kind: npt.NDArray[np.bool_]) -> list[int]:
        return [int(x) for x in np.bincount(sums[kind], minlength=length)]

    def listed(nodes: Collection[Node]) -> list[int]:
        return [sum(sum(node) == height for node in nodes) for height in range(length)]

    columns = (
        range(length),
        lattice.sizes_by_height(),
        among(tags == SATISFYING),
        listed(found.minimal),
        listed(optimal),
        among(tags == UNDECIDED),
    )
    return [HeightCounts(*row) for row in zip(*columns, strict=True)]


def shown_whole(lattice: Lattice) -> bool:
    """Say whether a lattice is small enough to be drawn node by node."""
    return len(lattice) <= _MOST and max(lattice.sizes_by_height()) <= _WIDEST


def plot_lattice(
    found: SearchResult,
    *,
    optimal: Collection[Node] = (),
    title: str = "",
    path: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> Figure:
    """Draw a searched lattice: node by node if it is small (see `shown_whole`), else by height.

    Parameters
    ----------
    found
        What a search answered: which nodes satisfy, and which of them are minimal.
    optimal
        Nodes of least loss, to be marked.
    title
        What the nodes had to satisfy; by default the model's name.
    path
        Where to save it (PNG, SVG or PDF by its suffix).
    force
        Whether an existing file may be overwritten; else it is an `InputError`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    lattice = found.lattice
    counted = f"{found.tags.count(SATISFYING):,} of {len(lattice):,} nodes satisfy, {len(found.minimal):,} minimal"
    said = [title or found.model, counted]
    sizes = lattice.sizes_by_height()
    with mpl.rc_context(STYLE):
        if shown_whole(lattice):
            figure = Figure(figsize=(_width(lattice), 1.5 + 0.72 * len(sizes)), layout="constrained")
            draw_nodes(figure.subplots(), found, optimal=optimal)
        else:
            figure = Figure(figsize=(7.4, 1.7 + 0.27 * len(sizes)), layout="constrained")
            draw_by_height(figure.subplots(), found, optimal=optimal)
        longest = int(_LETTERS * figure.get_figwidth())
        heading = "\n".join(textwrap.fill(line, longest) for line in said)
        figure.suptitle(heading, x=0.02, ha="left", fontsize=11)
        if path is not None:
            save(figure, path, force=force)
    return figure


# ---------------------------------------------------------------------- node by node


def _width(lattice: Lattice) -> float:
    """Return how many inches wide the figure of all nodes is."""
    return max(4.6, 0.9 + max(lattice.sizes_by_height()) * (0.3 + 0.11 * len(lattice.text(lattice.top))))


def draw_nodes(axes: Axes, found: SearchResult, *, optimal: Collection[Node] = ()) -> None:
    """Draw the Hasse diagram: a node is a label at its height, a line joins it to its direct generalizations."""
    lattice, best, minimal = found.lattice, set(optimal), set(found.minimal)
    places = _places(lattice)
    lines = [[places[node], places[parent]] for node in lattice for parent in lattice.parents(node)]
    axes.add_collection(LineCollection(lines, colors=REFERENCE, linewidths=0.8, zorder=1))
    small = 8.5 if max(lattice.sizes_by_height()) > 8 else 9.5
    for node, (x, y) in places.items():
        face, edge, ink = _look(found, node, minimal, best)
        axes.text(
            x,
            y,
            lattice.text(node),
            ha="center",
            va="center",
            fontsize=small,
            color=ink,
            zorder=3,
            bbox={"boxstyle": "round,pad=0.3", "facecolor": face, "edgecolor": edge, "linewidth": 1.6},
        )
    widest = max(lattice.sizes_by_height())
    axes.set_xlim(-widest / 2 - 0.1, widest / 2 + 0.1)
    axes.set_ylim(-0.5, lattice.height + 0.5)
    axes.set_yticks(range(lattice.height + 1))
    axes.set_ylabel("height")
    axes.set_xticks([])
    digits = f"a node's digits: {', '.join(map(str, lattice.quasi_identifiers))}"
    axes.set_xlabel(textwrap.fill(digits, int(_LETTERS * _width(lattice))), fontsize=9)
    for side in ("bottom", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    _legend(axes, found, bool(best))


def _places(lattice: Lattice) -> dict[Node, tuple[float, int]]:
    """Place nodes by height; on each, in the order of the mean place of their neighbours, so that lines are short."""
    rows = [list(lattice.at_height(height)) for height in range(lattice.height + 1)]
    x = {node: i - (len(row) - 1) / 2 for row in rows for i, node in enumerate(row)}
    for sweep in range(_SWEEPS):
        upward = sweep % 2 == 0
        neighbours = lattice.children if upward else lattice.parents
        for row in rows if upward else rows[::-1]:
            near = {node: [x[other] for other in neighbours(node)] for node in row}
            row.sort(key=lambda node: (sum(near[node]) / len(near[node]) if near[node] else 0.0, node))
            for i, node in enumerate(row):
                x[node] = i - (len(row) - 1) / 2
    return {node: (x[node], height) for height, row in enumerate(rows) for node in row}


def _look(found: SearchResult, node: Node, minimal: set[Node], best: set[Node]) -> tuple[str, str, str]:
    """Return the colours of a node's face, edge and label."""
    tag = found.tags[node]
    if node in best:
        return MOVE, INK if node in minimal else MOVE, "white"
    if tag == SATISFYING:
        return MASS, INK if node in minimal else MASS, "white"
    if tag == UNDECIDED:
        return _OPEN, REFERENCE, INK
    return _PALE, _PALE, "#6b7280"


def _legend(axes: Axes, found: SearchResult, optimal: bool) -> None:
    entries = [Patch(facecolor=_PALE, label="violates"), Patch(facecolor=MASS, label="satisfies")]
    entries.append(Patch(facecolor=MASS, edgecolor=INK, linewidth=1.6, label="minimal (outlined)"))
    if optimal:
        entries.append(Patch(facecolor=MOVE, label="least loss"))
    if found.undecided:
        entries.append(Patch(facecolor=_OPEN, edgecolor=REFERENCE, label="not decided"))
    axes.figure.legend(handles=entries, loc="outside lower left", ncols=len(entries), frameon=False, fontsize=9)


# ---------------------------------------------------------------------- by height


def draw_by_height(axes: Axes, found: SearchResult, *, optimal: Collection[Node] = ()) -> None:
    """Draw a bar for each height, as long as it has nodes, its satisfying part filled; the counts are beside it."""
    rows = counts_by_height(found, optimal)
    most = max(row.nodes for row in rows)
    undecided = any(row.undecided for row in rows)

    def bars(widths: list[int], **look: Any) -> None:
        axes.barh([row.height for row in rows], widths, 0.78, [-width / 2 for width in widths], **look)

    bars([row.nodes for row in rows], color=REFERENCE)
    if undecided:  # between the violating nodes outside and the satisfying ones in the middle
        open_nodes = [row.satisfying + row.undecided for row in rows]
        bars(open_nodes, color=_OPEN, hatch="////", edgecolor=REFERENCE)
    bars([row.satisfying for row in rows], color=MASS)
    columns = [("nodes", "nodes", INK), ("satisfy", "satisfying", MASS), ("minimal", "minimal", INK)]
    if optimal:
        columns.append(("least\nloss", "optimal", MOVE))
    if undecided:
        columns.append(("not\ndecided", "undecided", "#6b7280"))
    step, first = most * 0.18, most * 0.68
    for number, (heading, field, colour) in enumerate(columns):
        place = first + number * step
        axes.text(place, len(rows) - 0.25, heading, ha="right", va="bottom", fontsize=9, color=colour, weight="bold")
        for row in rows:
            count = getattr(row, field)
            shown = f"{count:,}" if count or field == "nodes" else "·"
            ink = colour if count else REFERENCE
            bold = "bold" if count and field in ("minimal", "optimal") else "normal"
            axes.text(place, row.height, shown, ha="right", va="center", fontsize=9, color=ink, weight=bold)
    axes.set_xlim(-most * 0.53, first + (len(columns) - 1) * step + most * 0.02)
    axes.set_ylim(-0.6, len(rows) + 0.6)
    axes.set_yticks([row.height for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_ylabel("height (sum of the levels)")
    axes.set_xticks([])
    for side in ("bottom", "left"):
        axes.spines[side].set_visible(False)
