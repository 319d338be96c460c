"""The anonymized table: each row is its input row, generalized; what is written reads back as the same classes."""

from __future__ import annotations

import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st

from proofs_tests.lattice.cases import Case, cases, sorted_rows
from tcloseness.errors import TableError
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata, read_table
from tcloseness.release import Release
from tcloseness.release.rows import AnonymizedTable, free_marker

AWKWARD = ["a,b", 'say "x"', " blank before", "blank after ", "two\nlines", "*", "**", "NA", "Köln", "-q", "'", "=1"]
"""Texts that a careless writer loses."""


def microdata(case: Case) -> Microdata:
    frame = pd.DataFrame(case.rows, columns=[*case.hierarchies, "s"])
    return Microdata.from_frame(frame, quasi_identifiers=list(case.hierarchies), sensitive="s", domains={"s": range(4)})


def release_of(case: Case, node: tuple[int, ...], k: int) -> Release:
    """The release of a node without the classes of fewer than k records."""
    levels = dict(zip(case.hierarchies, node, strict=True))
    release = Release.full_domain(case.frequencies, case.hierarchies, levels)
    return release.suppress(np.flatnonzero(release.class_sizes < k))


@st.composite
def releases(draw):
    case = draw(cases())
    node = draw(st.sampled_from(sorted(case.nodes)))
    return case, node, draw(st.sampled_from([1, 2, 3]))


@given(releases())
def test_every_row_is_its_input_row_generalized_or_all_marker(drawn):
    """By hand, row by row: look up each value's label; a row is suppressed if fewer than k rows have its labels."""
    case, node, k = drawn
    found = release_of(case, node, k).rows(microdata(case))
    names = list(case.hierarchies)
    labels = [
        tuple(str(case.hierarchies[name].label(row[a], node[a])) for a, name in enumerate(names)) for row in case.rows
    ]
    for i, (row, label) in enumerate(zip(case.rows, labels, strict=True)):
        written = tuple(found.columns[name][i] for name in names)
        if labels.count(label) < k:
            assert found.suppressed[i]
            assert written == (found.marker,) * len(names)
        else:
            assert not found.suppressed[i]
            assert written == label
            assert written != (found.marker,) * len(names)
        assert found.columns["s"][i] == str(row[-1])


@given(releases())
def test_the_written_table_reads_back_as_the_classes_of_the_release(drawn):
    """Also where a released class is labelled * throughout: the marker is then another."""
    case, node, k = drawn
    release = release_of(case, node, k)
    assume(not release.withheld.all())
    found = release.rows(microdata(case))
    frame = read_table(io.BytesIO(found.to_csv().encode()))
    back = FrequencySet.from_frame(
        frame,
        quasi_identifiers=list(case.hierarchies),
        sensitive="s",
        domains={"s": "0123"},
        suppressed=found.marker,
    )
    expected, classes = release.released.class_counts(reference="all"), back.class_counts(reference="all")
    assert classes.suppressed == expected.suppressed == int(found.suppressed.sum())
    assert classes.reference.tolist() == expected.reference.tolist()
    assert sorted(sorted_rows(classes)) == sorted(sorted_rows(expected))


texts = st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(exclude_categories=("C", "Z")), min_size=1))


def by_cells(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows as they are published, by hand: the first cell first, digits by their number, then as texts."""

    def key(text: str) -> tuple[list[tuple[int, str]], str]:
        pieces = re.findall("[0-9]+|[^0-9]+", text)
        return [(0, p.zfill(100)) if p[0] in "0123456789" else (1, p) for p in pieces], text

    return sorted(rows, key=lambda row: [key(text) for text in row])


@given(
    st.lists(st.tuples(texts, st.one_of(texts, st.just(""))), min_size=1, max_size=6), st.sampled_from([",", ";", "\t"])
)
def test_a_written_cell_is_read_as_it_was(rows, separator):
    table = AnonymizedTable(
        {"a, b": [a for a, _ in rows], " c": [b for _, b in rows]}, np.zeros(len(rows), dtype=bool), None
    )
    frame = read_table(io.BytesIO(table.to_csv(separator=separator).encode()), separator=separator)
    assert list(frame.columns) == ["a, b", " c"]
    assert [tuple("" if x != x else x for x in row) for row in frame.to_numpy().tolist()] == by_cells(rows)


@given(st.lists(st.one_of(texts, st.just("")), min_size=1, max_size=4))
def test_a_single_column_keeps_its_empty_cells(cells):
    table = AnonymizedTable({"a": cells}, np.zeros(len(cells), dtype=bool), None)
    frame = read_table(io.BytesIO(table.to_csv().encode()))
    assert [("" if x != x else x,) for x in frame["a"]] == by_cells([(cell,) for cell in cells])


def test_numbers_are_generalized_by_the_numeric_texts_of_a_file(tmp_path):
    """The hierarchy of a file has text, the table whole numbers: 21 is its row "21"."""
    (tmp_path / "age.csv").write_text("21,20s,*\n22,20s,*\n41,40s,*\n", encoding="utf-8")
    frame = pd.DataFrame({"age": [22, 41, 21], "s": [1, 2, 1]})
    table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="s")
    ages = {"age": Hierarchy.from_csv(tmp_path / "age.csv")}
    for level, expected in ((0, ["22", "41", "21"]), (1, ["20s", "40s", "20s"])):
        release = Release.full_domain(FrequencySet.of(table), ages, {"age": level})
        assert release.rows(table).columns == {"age": expected, "s": ["1", "2", "1"]}


# ---------------------------------------------------------------------- the marker


def with_sexes(rows: list[tuple[str, str]], hierarchy: list[tuple[str, ...]], level: int, withheld: list[int]):
    frame = pd.DataFrame(rows, columns=["sex", "s"])
    table = Microdata.from_frame(frame, quasi_identifiers="sex", sensitive="s")
    release = Release.full_domain(FrequencySet.of(table), {"sex": Hierarchy(hierarchy, name="sex")}, {"sex": level})
    return release.suppress(withheld).rows(table)


def test_the_marker_is_a_star_where_no_released_record_has_it():
    found = with_sexes([("F", "x"), ("F", "y"), ("M", "x")], [("F", "*"), ("M", "*")], 0, [1])
    assert (found.marker, found.columns["sex"]) == ("*", ["F", "F", "*"])


def test_the_marker_is_another_where_a_released_record_has_a_star():
    """A hierarchy may call a group of level 1 '*': it is a released class, and the suppressed record is in none."""
    hierarchy = [("F", "*", "any"), ("X", "*", "any"), ("M", "m", "any")]
    found = with_sexes([("F", "x"), ("X", "y"), ("M", "x")], hierarchy, 1, [1])
    assert (found.marker, found.columns["sex"]) == ("**", ["*", "*", "**"])


def test_without_suppression_there_is_no_marker():
    found = with_sexes([("F", "x"), ("M", "y")], [("F", "*"), ("M", "*")], 1, [])
    assert (found.marker, found.columns["sex"]) == (None, ["*", "*"])


# ---------------------------------------------------------------------- what is refused


def test_two_labels_of_one_text_are_refused():
    """Written, the number 1 and the text '1' are one value."""
    frame = pd.DataFrame({"q": [1, "1"], "s": ["x", "y"]}, dtype=object)
    with pytest.warns(UserWarning, match="look the same"):
        table = Microdata.from_frame(frame, quasi_identifiers="q", sensitive="s")
    with pytest.raises(TableError, match="two values that are both written '1'"):
        Release.full_domain(FrequencySet.of(table)).rows(table)


def test_a_release_of_another_table_is_refused():
    frames = [pd.DataFrame({"q": values, "s": ["x", "y"]}) for values in (["a", "b"], ["a", "c"])]
    one, other = (Microdata.from_frame(frame, quasi_identifiers="q", sensitive="s") for frame in frames)
    with pytest.raises(TableError, match="another table"):
        Release.full_domain(FrequencySet.of(other)).rows(one)


def test_columns_are_added_as_they_are_and_once():
    table = AnonymizedTable({"q": ["a", "b"]}, np.zeros(2, dtype=bool), None)
    assert table.with_columns({"more": ["1", ""]}).columns == {"q": ["a", "b"], "more": ["1", ""]}
    assert table.with_columns({"more": ["1", ""]}).has_empty(["more"])
    with pytest.raises(TableError, match="already"):
        table.with_columns({"q": ["x", "y"]})
    with pytest.raises(TableError, match="1 cells"):
        table.with_columns({"r": ["x"]})


def test_without_quasi_identifiers_any_star_is_free() -> None:
    assert free_marker({}, {}, np.ones(3, dtype=bool)) == "*"
