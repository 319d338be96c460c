"""What a figure shows is what the certificate says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from matplotlib.patches import FancyArrowPatch

from proofs_tests.effort import effort
from proofs_tests.strategies import distribution_pairs
from tcloseness.errors import InputError
from tcloseness.ground import Equal, Ordered
from tcloseness.lattice import RollUp, exhaustive
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import KAnonymity
from tcloseness.report.figures import plot_moves
from tcloseness.report.lattice_figures import plot_lattice
from tcloseness.transport import certify, crossings, moves_of


@effort(1 / 6)
@given(distribution_pairs())
def test_there_is_one_arc_for_each_move_and_one_bar_for_each_gap(pair):
    p, q = pair
    certificate = certify(p, q, Ordered(len(p)))
    figure = plot_moves(certificate)
    arcs = [patch for patch in figure.axes[0].patches if isinstance(patch, FancyArrowPatch)]
    assert len(arcs) == len(moves_of(certificate))
    if len(p) > 1:
        heights = [bar.get_height() for bar in figure.axes[1].patches]
        assert heights == [float(abs(crossing.mass)) for crossing in crossings(p, q, Ordered(len(p)))]


def test_a_distance_without_an_order_has_no_panel_of_gaps():
    assert len(plot_moves(certify(["1/2", "1/2", 0], [0, "1/2", "1/2"], Equal(3))).axes) == 1


@pytest.mark.long
@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_equal_figures_are_equal_files(tmp_path: Path, suffix: str):
    certificate = certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4), labels=["14", "27", "88", "101"])
    files = [tmp_path / f"{n}{suffix}" for n in "ab"]
    for file in files:
        plot_moves(certificate, path=file)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("draw", [plot_moves, plot_lattice])
def test_a_drawing_is_never_over_a_file_of_the_users(tmp_path: Path, draw: Any) -> None:
    rows = pd.DataFrame({"q": [1, 2, 1, 2], "s": list("xyyx")})
    up = {"q": Hierarchy.suppression([1, 2], name="q")}
    rolled = RollUp(FrequencySet.from_frame(rows, quasi_identifiers="q", sensitive="s"), up)
    found = certify([1, 0], [0, 1], Equal(2)) if draw is plot_moves else exhaustive(rolled, KAnonymity(2))
    file = tmp_path / "mine.svg"
    file.write_text("mine")
    with pytest.raises(InputError, match=r"mine\.svg"):
        draw(found, path=file)
    assert file.read_text() == "mine"
    draw(found, path=file, force=True)
    assert file.read_text() != "mine"


def test_the_axis_carries_the_values_names():
    certificate = certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4), labels=["14", "27", "88", "101"])
    ticks = [tick.get_text() for tick in plot_moves(certificate).axes[0].get_xticklabels()]
    assert ticks == ["14", "27", "88", "101"]
