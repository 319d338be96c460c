"""The narrow twin of a figure: panels one below the other, none shrunk, each with what it shared with others."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.image import imread

from experiments.figures import NARROW, save, stack
from tcloseness.ground import Equal, Ordered
from tcloseness.report.figures import STYLE, plot_moves
from tcloseness.transport import certify

PHONE = 361
"""The pixels of a telephone's page beside its margins, at 96 an inch."""


def drawn(rows: int, columns: int, *, legend: bool = True, names: bool = False, wide: float = 9.0) -> Figure:
    """A figure of small multiples that share scales: titles on top, labels at the left and below."""
    with rc_context(STYLE):
        figure = Figure(figsize=(wide, 2.2 * rows), layout="constrained")
        panels = figure.subplots(rows, columns, sharex=True, sharey="row", squeeze=False)
        for i, row in enumerate(panels):
            for j, axes in enumerate(row):
                axes.plot([0, 1, 2], [i, j, i + j], label="a line of a rather long name, drawn")
                axes.plot([0, 1, 2], [j, i, 0], label="another line with a long name")
            row[0].set_ylabel(f"row {i}")
            if names:
                row[0].set_yticks([0, 1], ["a name that is too long for a telephone's margin", "short"])
        for j, axes in enumerate(panels[0]):
            axes.set_title(f"column {j}", loc="left")
        for axes in panels[-1]:
            axes.set_xlabel("k")
        if legend:
            handles, labels = panels[0][0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


@pytest.mark.long
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 3), (2, 2), pytest.param(3, 4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("names", [False, True])
def test_panels_are_stacked_in_reading_order_as_wide_as_a_telephone(
    tmp_path: Path, rows: int, columns: int, names: bool
):
    figure = drawn(rows, columns, names=names)
    panels = list(figure.axes)
    wide = save(figure, tmp_path / "figure.png")
    pixels = {path.stem: imread(path).shape[1] * 96 / STYLE["savefig.dpi"] for path in tmp_path.iterdir()}
    assert wide == tmp_path / "figure.png"
    assert set(pixels) == {"figure", f"figure{NARROW}"}
    assert pixels["figure"] > 600 > PHONE + 2 >= pixels[f"figure{NARROW}"] > 300
    boxes = [axes.get_tightbbox() for axes in panels]
    for above, below in zip(boxes, boxes[1:], strict=False):
        assert above.y0 >= below.y1 - 1
    assert len({round(axes.get_position().x0, 3) for axes in panels}) == 1
    if not names:
        assert all(axes.get_position().width > 0.6 for axes in panels)
    for place, axes in enumerate(panels):
        assert axes.get_title(loc="left") == f"column {place % columns}"
        assert axes.get_ylabel() == f"row {place // columns}"
        assert axes.get_xlabel() == ("k" if place == len(panels) - 1 else "")
        assert [label.get_text() for label in axes.get_xticklabels() if label.get_visible()]
        assert axes.yaxis.get_tick_params()["labelleft"]


def test_a_legend_is_above_the_panels_and_not_beside_the_page():
    for legend in (True, False):
        figure = drawn(1, 1, legend=legend)
        if not legend:
            figure.axes[0].legend(title="lines")
        stack(figure)
        (found,) = figure.legends
        assert figure.axes[0].get_legend() is None
        box = found.get_window_extent()
        assert box.y0 >= figure.axes[0].get_window_extent().y1
        assert box.x0 >= -1
        assert box.x1 <= figure.bbox.x1 + 1
        assert len(found.get_texts()) == 2


def test_no_name_of_a_row_and_no_tick_overlaps_the_next():
    figure = drawn(1, 2, names=True, wide=14)
    figure.axes[0].set_xticks(range(3), ["a long name", "a longer name yet", "the last of the long names"])
    stack(figure)
    for axes in figure.axes:
        rows = sorted(label.get_window_extent().y0 for label in axes.get_yticklabels())
        highest = max(label.get_window_extent().height for label in axes.get_yticklabels())
        assert min(b - a for a, b in zip(rows, rows[1:], strict=False)) >= 0.9 * highest
        assert all(label.get_rotation() for label in axes.get_xticklabels())


@pytest.mark.long
def test_equal_figures_are_equal_files(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        save(drawn(1, 2), tmp_path / name / "figure.png")
    for file in ("figure.png", f"figure{NARROW}.png"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("ground", [Ordered(9), Equal(9)], ids=["two panels", "one panel"])
def test_a_legend_beside_a_panel_takes_no_width_from_it(ground, tmp_path):
    """The moves of a transformation, whose legend is above the upper panel; the lower panel has no title of its own."""
    drawn = plot_moves(certify([1] + [0] * 8, [0] * 8 + [1], ground), title="A class")
    save(drawn, tmp_path / "moves.png")
    wide = [axes.get_position().width for axes in drawn.axes]
    assert min(wide) > 0.6
    assert [axes.get_title(loc="left") for axes in drawn.axes][1:] == [""] * (len(wide) - 1)
