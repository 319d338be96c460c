"""What a picture of a lattice shows is what the search found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from proofs_tests.effort import effort
from proofs_tests.lattice.cases import Case, cases, minimal, models
from proofs_tests.lattice.test_searches_properties import Unsure
from tcloseness.lattice import Lattice, exhaustive, minimal_generalizations
from tcloseness.microdata import Hierarchy
from tcloseness.models import KAnonymity
from tcloseness.report.figures import MASS, MOVE
from tcloseness.report.lattice_figures import (
    counts_by_height,
    draw_by_height,
    draw_nodes,
    plot_lattice,
    shown_whole,
)

SMALL = Case(
    [("v0", "v0", 0), ("v0", "v1", 1), ("v1", "v1", 2), ("v2", "v0", 3)],
    {
        "a": Hierarchy([("v0", "low", "*"), ("v1", "low", "*"), ("v2", "high", "*")], name="a"),
        "b": Hierarchy.suppression(["v0", "v1"], name="b"),
    },
)


@effort(1 / 2)
@given(cases(), models, st.integers(0, 3))
def test_the_counts_by_height_are_those_of_the_nodes(case, model, limit):
    limit = min(limit, len(case.rows))
    found = minimal_generalizations(case.rolled(compiled=False), model, suppression=limit)
    satisfying, optimal = case.satisfying(model, limit), list(found.minimal[:1])
    for height, row in enumerate(counts_by_height(found, optimal)):
        assert row.height == height
        assert row.nodes == sum(sum(node) == height for node in case.nodes)
        assert row.satisfying == sum(sum(node) == height for node in satisfying)
        assert row.minimal == sum(sum(node) == height for node in minimal(satisfying))
        assert row.optimal == sum(sum(node) == height for node in optimal)
        assert row.undecided == 0


def faces(axes):
    return {text.get_text(): to_hex(text.get_bbox_patch().get_facecolor()) for text in axes.texts}


@effort(1 / 4)
@given(cases(max_attributes=2), models)
def test_the_diagram_has_every_node_once_every_step_once_and_the_satisfying_ones_filled(case, model):
    found = minimal_generalizations(case.rolled(compiled=False), model)
    axes = Figure().subplots()
    draw_nodes(axes, found, optimal=found.minimal[:1])
    lattice, satisfying = found.lattice, case.satisfying(model)
    shown = faces(axes)
    assert len(axes.texts) == len(shown) == len(lattice)
    best = {lattice.text(node) for node in found.minimal[:1]}
    assert {text for text, face in shown.items() if face == MOVE} == best
    assert {text for text, face in shown.items() if face == MASS} == {lattice.text(n) for n in satisfying} - best
    places = {text.get_text(): text.get_position() for text in axes.texts}
    assert len(set(places.values())) == len(lattice)
    assert all(places[lattice.text(node)][1] == sum(node) for node in lattice)
    (lines,) = (c for c in axes.collections if isinstance(c, LineCollection))
    drawn = {tuple(map(tuple, np.asarray(line))) for line in lines.get_segments()}
    assert drawn == {(places[lattice.text(n)], places[lattice.text(p)]) for n in lattice for p in lattice.parents(n)}


def test_the_picture_by_height_has_a_bar_a_height_and_writes_its_counts():
    """Two hierarchies of heights 2 and 1: 1, 2, 2, 1 nodes. 2-anonymous are only those with a at its root."""
    found = minimal_generalizations(SMALL.rolled(compiled=False), KAnonymity(2))
    assert set(found.satisfying) == {(2, 0), (2, 1)}
    axes = Figure().subplots()
    draw_by_height(axes, found, optimal=[(2, 0)])
    bars = [round(bar.get_width()) for bar in axes.patches]
    assert bars == [1, 2, 2, 1, 0, 0, 1, 1]
    columns = {text.get_text().replace("\n", " ") for text in axes.texts}
    assert {"nodes", "satisfy", "minimal", "least loss"} <= columns
    assert "not decided" not in columns


@pytest.mark.parametrize("draw", [draw_nodes, draw_by_height])
def test_what_the_model_could_not_decide_is_shown(draw):
    found = exhaustive(SMALL.rolled(compiled=False), Unsure())
    assert found.undecided
    figure = Figure()
    draw(figure.subplots(), found)
    words = [text.get_text().replace("\n", " ") for text in figure.axes[0].texts]
    words += [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert "not decided" in words


def lattice_of(*heights: int) -> Lattice:
    return Lattice(
        {
            f"a{i}": Hierarchy([("v", *(f"l{level}" for level in range(height)))], name=f"a{i}")
            for i, height in enumerate(heights)
        }
    )


@pytest.mark.parametrize(("heights", "whole"), [((2, 1), True), ((1, 1, 1, 1), True), ((4, 2, 3, 2, 2, 2, 1), False)])
def test_a_small_lattice_is_drawn_whole(heights, whole):
    """3 · 2 and 2⁴ nodes are; Adult's 3,240 are not, nor is a long chain of more than 120."""
    assert shown_whole(lattice_of(*heights)) is whole
    assert not shown_whole(lattice_of(120))


def test_the_title_counts_and_wraps():
    found = minimal_generalizations(SMALL.rolled(compiled=False), KAnonymity(2))
    title = plot_lattice(found, title="k = 2, " * 12).get_suptitle()
    assert title.endswith("2 of 6 nodes satisfy, 1 minimal")
    assert max(map(len, title.split("\n"))) <= 51


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_equal_pictures_are_equal_files(tmp_path, suffix):
    found = minimal_generalizations(SMALL.rolled(compiled=False), KAnonymity(2))
    files = [tmp_path / f"{n}{suffix}" for n in "ab"]
    for file in files:
        plot_lattice(found, path=file)
    contents = [file.read_bytes() for file in files]
    assert contents[0]
    if suffix != ".pdf":
        assert contents[0] == contents[1]
