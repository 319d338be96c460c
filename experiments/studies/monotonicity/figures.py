"""The picture of the study: which models have edges that violate, by how much may be suppressed."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.studies.monotonicity.edges import EVERY
from experiments.studies.monotonicity.totals import Total

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_matrix"]

_YES, _NO = "yes", "no"


def draw_matrix(rows: Sequence[Sequence[Total]], path: Path) -> Path:
    """Draw a row for each model and a column for each suppression limit.

    Parameters
    ----------
    rows
        For each model its totals, one for each limit.
    """
    from experiments.figures import save

    return save(_table(rows), path, _table(rows, narrow=True))


def _table(rows: Sequence[Sequence[Total]], *, narrow: bool = False) -> Figure:
    from matplotlib import rc_context
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure as Drawing

    from tcloseness.report.figures import INK, MASS, MOVE, STYLE

    shades = LinearSegmentedColormap.from_list("violating", ["#fbeee6", MOVE])
    limits = [total.share for total in rows[0]]
    heads = ["declares\nmonotone", *(_limit(share) for share in limits), "search prunes\nunder a limit"]
    greatest = max(total.violating / total.edges for row in rows for total in row) or 1
    labels = [_label(row[0], rows[0][0].edges) for row in rows]
    size = (3.6, 2.6 + 0.26 * len(rows)) if narrow else (8.2, 1.5 + 0.315 * len(rows))
    small = 7.5 if narrow else 10
    with rc_context(STYLE):
        canvas = Drawing(figsize=size, layout="constrained")
        axes = canvas.subplots()
        for y, row in enumerate(rows):
            for x, yes in ((0, row[0].declared), (len(heads) - 1, row[-1].prunable)):
                color = MASS if yes else "#7a7f88"
                axes.text(x, y, _YES if yes else _NO, ha="center", va="center", fontsize=small, color=color)
            for x, total in enumerate(row, 1):
                share = total.violating / total.edges
                dark = share > 0.5 * greatest  # a dark cell takes white text
                axes.add_patch(_cell(x, y, shades((share / greatest) ** 0.5) if share else "#f3f5f7"))
                color = "white" if dark else INK
                axes.text(x, y, f"{total.violating:,}", ha="center", va="center", fontsize=small, color=color)
        axes.set_xlim(-0.5, len(heads) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xticks(range(len(heads)), heads, fontsize=small, rotation=90 if narrow else 0)
        axes.xaxis.tick_top()
        parted = [textwrap.fill(label, 24) for label in labels] if narrow else labels
        axes.set_yticks(range(len(rows)), parted, fontsize=small)
        axes.tick_params(length=0)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        starred = [f"{row[0].model}: {row[0].threshold}" for row in rows if row[0].threshold != EVERY]
        title = f"Edges that violate, of {rows[0][0].edges:,} in the Adult lattices"
        canvas.suptitle(textwrap.fill(title, 40) if narrow else title, fontsize=11 if narrow else 12)
        if starred:
            canvas.supxlabel("* at one threshold: " + "; ".join(starred), fontsize=8 if narrow else 9, wrap=True)
    return canvas


def _label(total: Total, usual: int) -> str:
    star = "" if total.threshold == EVERY else " *"
    return total.model + star + ("" if total.edges == usual else f", of {total.edges:,}")


def _cell(x: int, y: int, color: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.47, y - 0.44), 0.94, 0.88, facecolor=color, linewidth=0)


def _limit(share: str) -> str:
    return "nothing\nsuppressed" if share == "0" else f"up to {100 * float(share):g} %\nsuppressed"
