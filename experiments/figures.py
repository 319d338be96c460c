"""Figures of the studies: each is drawn once, and saved twice, for a wide screen and for a phone.

On a phone the panels are one below the other, as wide as the screen, instead of shrunk. Importing this module loads
neither matplotlib nor Pillow.
"""

from __future__ import annotations

import io
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from tcloseness.writing import write_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

__all__ = ["NARROW", "save", "stack"]

NARROW = "_narrow"
"""What a figure's name ends with where its panels are one below the other, for a narrow screen."""

_WIDTH = 3.6
"""Inches of a narrow figure without its margin: about 356 pixels of a phone's screen, whose text is 361 wide."""

_MOST_PANELS, _LEAST, _MOST = 5, 1.05, 2.3
"""Of more panels than this each gets less height; inches of the axes alone."""

_LONGEST_NAME = 24
"""A longer name of a row is parted into lines."""

_TEXT, _CLOSEST = 0.13, 0.1
"""Inches of a line of text beside a bar; and how near two bars of a row are at least, as a share of the row."""

_CHARACTER = 0.58
"""The mean width of a letter, in ems."""


def save(figure: Figure, path: Path, narrow: Figure | None = None) -> Path:
    """Save a figure, over what is there, and its narrow twin beside it; return the file.

    Parameters
    ----------
    narrow
        The twin, where stacking the panels does not make one; else the figure itself becomes it.
    """
    write_files({path: _png(figure)}, force=True)
    if narrow is None:
        stack(figure)
    write_files({path.with_stem(f"{path.stem}{NARROW}"): _png(narrow or figure)}, force=True)
    return path


def _png(figure: Figure) -> bytes:
    """Return a figure as a PNG of at most 256 colours, a third as large as one of all colours."""
    from PIL import Image

    from tcloseness.report.figures import image

    content = io.BytesIO()
    with Image.open(io.BytesIO(image(figure, ".png"))) as picture:
        colours = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        colours.save(content, format="PNG", optimize=True)
    return content.getvalue()


# ---------------------------------------------------------------------- one below the other


def stack(figure: Figure) -> None:
    """Put a figure's panels one below the other, each with the title and labels that it shared with its neighbours."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from tcloseness.report.figures import STYLE

    FigureCanvasAgg(figure)
    panels = sorted((axes for axes in figure.axes if axes.get_subplotspec() is not None), key=_place)
    with rc_context(STYLE):
        figure.draw_without_rendering()
        inches = [axes.get_position().height * figure.get_size_inches()[1] for axes in panels]
        _share_labels(panels)
        rows = [_wrap_categories(axes) for axes in panels]
        heights = [_height(*of) for of in zip(panels, inches, rows, strict=True)]
        if len(panels) > _MOST_PANELS:
            heights = [max(h * _MOST_PANELS / len(panels), _LEAST, row) for h, row in zip(heights, rows, strict=True)]
        grid = figure.add_gridspec(len(panels), 1, height_ratios=heights)
        for place, axes in enumerate(panels):
            axes.set_subplotspec(grid[place])
            _wrap(axes, heights[place])
        around = sum(
            0.24 * (axes.get_xlabel().count("\n") + bool(axes.get_xlabel())) + 0.2 * _lines(axes) + 0.32
            for axes in panels
            if axes.axison
        )
        if figure.get_suptitle():
            figure.suptitle(_filled(figure.get_suptitle(), _WIDTH, 11), fontsize=11, x=0.02, ha="left")
            around += 0.22 * (figure.get_suptitle().count("\n") + 1)
        around += sum(_legends_above(figure, panels))
        figure.set_size_inches(_WIDTH, sum(heights) + around + 0.1)
        figure.draw_without_rendering()
        for axes in panels:
            _thin_out(axes)
            _free_legend(axes)


def _place(axes: Axes) -> tuple[int, int]:
    """Return in which row and column a panel begins."""
    where = axes.get_subplotspec()
    return (where.rowspan.start, where.colspan.start) if where else (0, 0)


def _height(axes: Axes, inches: float, rows: float) -> float:
    """Return how high a panel is: as high as it was, within limits, and as its rows of text ask for."""
    return max(min(inches, _MOST), _LEAST, rows) if axes.axison else 0.5


def _is_number(text: str) -> bool:
    return not any(letter.isalpha() for letter in text.replace("M", "").replace("e", ""))


def _filled(text: str, inches: float, size: float) -> str:
    width = int(inches * 72 / (_CHARACTER * size))
    text = text.replace(" %", "\N{NO-BREAK SPACE}%").replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return "\n".join(textwrap.fill(line, max(width, 8)) for line in text.split("\n"))


def _share_labels(panels: list[Axes]) -> None:
    """Give each panel the title, labels and tick labels that its row or column showed once."""
    places = {axes: _place(axes) for axes in panels}
    shown = [axes for axes in panels if axes.axison]
    last = shown[-1].get_xlabel()
    for axes in shown:
        row, column = ([a for a in shown if places[a][way] == places[axes][way]] for way in (0, 1))
        if not axes.get_ylabel():
            axes.set_ylabel(row[0].get_ylabel())
        if not axes.get_xlabel() and axes.get_shared_x_axes().joined(axes, column[-1]):
            axes.set_xlabel(column[-1].get_xlabel())
        title = column[0].get_title(loc="left")
        if not axes.get_title(loc="left") and title and len({column for _, column in places.values()}) > 1:
            axes.set_title(title, loc="left", fontsize=_title(column[0]).get_fontsize())
        if axes.get_shared_y_axes().joined(axes, row[0]):
            axes.yaxis.set_tick_params(which="both", labelleft=row[0].yaxis.get_tick_params().get("labelleft", True))
        if axes.get_shared_x_axes().joined(axes, column[-1]):
            below = column[-1].xaxis.get_tick_params().get("labelbottom", True)
            axes.xaxis.set_tick_params(which="both", labelbottom=below)
    for axes, following in pairwise(shown):
        if axes.get_xlabel() == following.get_xlabel() == last:
            axes.set_xlabel("")


def _title(axes: Axes) -> Text:
    return axes._left_title  # type: ignore[attr-defined,no-any-return]


def _wrap_categories(axes: Axes) -> float:
    """Part the names at a panel's rows into lines; return the inches that they and the texts beside bars need."""
    labels = [label.get_text() for label in axes.get_yticklabels()] if axes.axison else []
    if all(map(_is_number, labels)):
        return 0
    kept = [label.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}") for label in labels]
    parted = ["\n".join(textwrap.fill(line, _LONGEST_NAME) for line in label.split("\n")) for label in kept]
    if parted != labels:
        axes.set_yticks(axes.get_yticks(), parted, fontsize=8.5)
    places = sorted({text.get_position()[1] for text in axes.texts})
    gaps = [b - a for a, b in pairwise(places) if b - a >= _CLOSEST]
    beside_bars = _TEXT / min(gaps) if gaps else 0
    return len(parted) * max(0.14 * max(label.count("\n") + 1 for label in parted) + 0.05, beside_bars)


def _wrap(axes: Axes, height: float) -> None:
    _title(axes).set_text(_filled(axes.get_title(loc="left"), 0.84 * _WIDTH, float(_title(axes).get_fontsize())))
    size = float(axes.yaxis.label.get_fontsize())
    axes.set_ylabel(_filled(" ".join(axes.get_ylabel().split()), height + 0.3, size))
    axes.set_xlabel(_filled(axes.get_xlabel(), 0.8 * _WIDTH, size))


def _lines(axes: Axes) -> int:
    text = axes.get_title(loc="left")
    return text.count("\n") + 1 if text else 0


def _legends_above(figure: Figure, panels: list[Axes]) -> list[float]:
    """Put the legends above the panels, where they are read first, and return their heights in inches.

    That of a panel alone comes there too, so that it covers nothing, and one beside its panel, which would need as much
    width.
    """
    legends = list(figure.legends)
    for axes in panels:
        own = axes.get_legend()
        if own is not None and (len(panels) == 1 or own.get_bbox_to_anchor() is not axes.bbox):
            legends.append(own)
    heights = []
    for legend in legends:
        handles, labels = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
        title = legend.get_title().get_text() or None
        legend.remove()
        for columns in (3, 2, 1):
            new = figure.legend(
                handles,  # type: ignore[arg-type]
                labels,
                title=title,
                frameon=False,
                alignment="left",
                loc="outside upper left",
                ncols=columns,
                fontsize=9,
                columnspacing=1.2,
                borderaxespad=0.1,
            )
            box = new.get_window_extent()
            if columns == 1 or box.width / figure.dpi <= _WIDTH:
                break
            new.remove()
        heights.append(float(box.height / figure.dpi))
    return heights


def _free_legend(axes: Axes) -> None:
    """Make room above the lines for a legend that is nearly as wide as its panel."""
    legend = axes.get_legend()
    if legend is None or legend.get_bbox_to_anchor() is not axes.bbox or axes.get_yscale() != "linear":
        return
    box, inside = legend.get_window_extent(), axes.get_window_extent()
    if box.width > 0.6 * inside.width:
        low, high = axes.get_ylim()
        axes.set_ylim(low, low + (high - low) / (1 - min(box.height / inside.height + 0.03, 0.6)))
        legend.set_loc("upper left")


def _thin_out(axes: Axes) -> None:
    """Turn or leave out tick labels that would overlap."""
    from matplotlib.ticker import FixedLocator, MaxNLocator

    labels = [label for label in axes.get_xticklabels() if label.get_text()]
    boxes = [label.get_window_extent() for label in labels]
    if not any(a.x1 + 2 > b.x0 > a.x0 for a, b in pairwise(boxes)) or labels[0].get_rotation():
        return
    if axes.get_xscale() == "linear" and not isinstance(axes.xaxis.get_major_locator(), FixedLocator):
        axes.xaxis.set_major_locator(MaxNLocator(5))
    else:
        for label in axes.get_xticklabels():
            label.set(rotation=50, ha="right", rotation_mode="anchor")
