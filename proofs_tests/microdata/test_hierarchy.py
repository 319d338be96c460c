"""Hierarchies: levels nest, cover, and end in one root; whatever does not is refused by name."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tcloseness.errors import DomainError, HierarchyError, InputError, TClosenessError
from tcloseness.microdata import MISSING, Domain, Hierarchy
from tcloseness.microdata.text_files import cells_of, plain_rows

LUNGS = [("flu", "lung", "*"), ("asthma", "lung", "*"), ("ulcer", "stomach", "*")]
PADDED = [(*path, "*") for path in LUNGS]


def labels(hierarchy: Hierarchy, level: int) -> list[Any]:
    return [hierarchy.label(v, level) for v in hierarchy.values]


# ---------------------------------------------------------------------- levels and trees


def test_level_zero_is_the_value_and_the_last_level_the_root() -> None:
    h = Hierarchy(LUNGS)
    assert labels(h, 0) == ["flu", "asthma", "ulcer"]
    assert labels(h, 1) == ["lung", "lung", "stomach"]
    assert labels(h, 2) == ["*", "*", "*"]
    assert (len(h), h.height, h.uniform) == (3, 2, True)


def test_generalizing_a_domain_maps_each_code_to_the_code_of_its_label() -> None:
    domain = Domain.of(["ulcer", "flu", "asthma"])  # sorted: asthma, flu, ulcer
    codes, target = Hierarchy(LUNGS).generalize(domain, 1)
    assert [target.values[c] for c in codes] == ["lung", "lung", "stomach"]


def test_the_height_of_a_node_is_the_longest_way_down() -> None:
    """Li et al. 2007, §5.2: a leaf hung directly under the root does not shorten the root's height."""
    tree = Hierarchy([("a", "*"), ("b", "B", "C", "*"), ("c", "C", "*")], ragged="keep").tree()
    assert (tree.label, tree.height) == ("*", 3)
    heights = {child.label: child.height for child in tree.children}
    assert heights == {"a": 0, "C": 2}
    assert sorted(tree.leaves()) == ["a", "b", "c"]


def test_a_level_that_merges_nothing_counts_or_not_as_the_caller_says() -> None:
    """A spare top column of `*`: kept, it adds 1 to the root's height; collapsed, it changes nothing."""
    assert Hierarchy(LUNGS).tree().height == 2
    assert Hierarchy(PADDED).tree(trivial_levels="keep").height == 3
    assert Hierarchy(PADDED).tree(trivial_levels="collapse") == Hierarchy(LUNGS).tree(trivial_levels="collapse")


def test_a_collapsed_chain_hands_its_only_child_up() -> None:
    """ulcer alone is below stomach, so with trivial levels collapsed it hangs under the root."""
    tree = Hierarchy(LUNGS).tree(trivial_levels="collapse")
    assert [(c.label, c.height) for c in tree.children] == [("lung", 1), ("ulcer", 0)]


def test_a_label_may_stand_on_several_levels() -> None:
    """A node is its label with its distance from the root (an equal label on two levels once broke ARX)."""
    h = Hierarchy([("x", "x", "*"), ("y", "x", "*"), ("z", "z", "*")])
    assert labels(h, 1) == ["x", "x", "z"]
    tree = h.tree()
    assert [(c.label, c.leaves()) for c in tree.children] == [("x", ["x", "y"]), ("z", ["z"])]


def test_one_value_alone_is_a_hierarchy_of_height_zero() -> None:
    h = Hierarchy([("only",)])
    assert (h.height, h.tree().leaves()) == (0, ["only"])


def test_a_number_finds_the_numeric_text_that_a_file_holds() -> None:
    h = Hierarchy([("21", "20s", "*"), ("1", "0s", "*"), ("01", "text", "*"), ("2.50", "half", "*")])
    assert h.label(21, 1) == "20s"
    assert h.label(np.int64(21), 1) == "20s"
    assert h.label(2.5, 1) == h.label(Decimal("2.5"), 1) == "half"
    assert h.label(1, 1) == "0s"  # its own text, before another that equals it as a number
    assert h.label("01", 1) == "text"


def test_a_text_or_a_truth_value_does_not_find_a_number() -> None:
    h = Hierarchy([(1, "one", "*"), (2, "two", "*")])
    for stranger in ("1", True):
        with pytest.raises(HierarchyError, match="does not cover 1 of 1 values"):
            h.label(stranger, 1)


def test_the_missing_value_may_have_a_row_of_its_own() -> None:
    assert Hierarchy([(MISSING, "unknown", "*"), ("a", "known", "*")]).label(None, 1) == "unknown"


# ---------------------------------------------------------------------- ragged rows

RAGGED = [("hiv", "*"), ("flu", "lung", "*"), ("asthma", "airways", "lung", "*")]


def test_ragged_rows_are_an_error_unless_the_gap_is_named() -> None:
    with pytest.raises(HierarchyError, match=r"row 1: value 'hiv' has 2 levels and others have 4"):
        Hierarchy(RAGGED)


def test_kept_ragged_rows_have_a_tree_and_no_levels() -> None:
    h = Hierarchy(RAGGED, ragged="keep")
    assert (h.uniform, h.height) == (False, 3)
    with pytest.raises(HierarchyError, match="leaves at unequal depth, so it has no levels"):
        h.label("flu", 1)


def test_repeating_the_leaf_fills_the_low_levels_with_the_value() -> None:
    h = Hierarchy(RAGGED, ragged="repeat-leaf")
    assert [labels(h, i) for i in range(4)] == [
        ["hiv", "flu", "asthma"],
        ["hiv", "flu", "airways"],
        ["hiv", "lung", "lung"],
        ["*", "*", "*"],
    ]


def test_repeating_the_parent_fills_the_low_levels_with_the_generalization() -> None:
    h = Hierarchy(RAGGED, ragged="repeat-parent")
    assert [labels(h, i) for i in range(4)] == [
        ["hiv", "flu", "asthma"],
        ["*", "lung", "airways"],
        ["*", "lung", "lung"],
        ["*", "*", "*"],
    ]


@pytest.mark.parametrize("ragged", ["keep", "repeat-leaf", "repeat-parent"])
def test_a_value_that_is_also_a_group_of_the_same_depth_is_refused(ragged: Any) -> None:
    """Below the root both would be the one node x, and x would silently gain y as a sibling."""
    with pytest.raises(HierarchyError, match=r"'x' is a value and, on the same depth, the generalization of 'y'"):
        Hierarchy([("x", "*"), ("y", "x", "*")], ragged=ragged)


@pytest.mark.parametrize("ragged", ["keep", "repeat-leaf", "repeat-parent"])
def test_a_value_that_is_the_root_of_others_is_refused(ragged: Any) -> None:
    with pytest.raises(HierarchyError, match=r"'\*' is a value and, on the same depth, the generalization of 'a'"):
        Hierarchy([("*",), ("a", "*")], ragged=ragged)


# ---------------------------------------------------------------------- builders


def test_interval_edges_belong_to_the_cell_that_they_start() -> None:
    """anjana puts 10 into [0, 10) and 20 into [10, 20)."""
    h = Hierarchy.intervals([0, 5, 10, 19, 20, 25, -5, 35], [10])
    assert [h.label(v, 1) for v in (0, 5, 10, 19, 20, 25)] == ["0-9", "0-9", "10-19", "10-19", "20-29", "20-29"]
    assert [h.label(v, 1) for v in (-5, 35)] == ["-10--1", "30-39"]


@pytest.mark.parametrize("width", [10, "10", 10.0, Fraction(10)], ids=lambda width: type(width).__name__)
def test_one_width_is_that_of_one_level(width: Any) -> None:
    values = [0, 5, 10, 35]
    assert Hierarchy.intervals(values, width).paths == Hierarchy.intervals(values, [width]).paths


def test_interval_cells_of_fractions_are_half_open() -> None:
    h = Hierarchy.intervals([0, "0.25", "0.5"], ["1/4", "1/2"])
    assert [h.label(v, 1) for v in ("0.25", "0.5")] == ["[1/4, 1/2)", "[1/2, 3/4)"]
    assert [h.label(v, 2) for v in ("0.25", "0.5")] == ["[0, 1/2)", "[1/2, 1)"]


def test_only_cells_of_whole_numbers_that_start_at_whole_numbers_are_named_by_their_last() -> None:
    half = Fraction(1, 2)
    for value, width, origin in product((1, 1 + half), (2, 2 + half), (0, half)):
        low = origin + width * ((value - origin) // width)
        whole = half not in {value % 1, width % 1, origin % 1}
        right = f"{low}-{low + width - 1}" if whole else f"[{low}, {low + width})"
        assert Hierarchy.intervals([value], [width], origin=origin).label(value, 1) == right


def test_an_origin_moves_every_cell() -> None:
    h = Hierarchy.intervals(range(16, 27), [5, 10], origin=16)
    assert [h.label(v, 1) for v in (16, 20, 21, 26)] == ["16-20", "16-20", "21-25", "26-30"]
    assert [h.label(v, 2) for v in (16, 25, 26)] == ["16-25", "16-25", "26-35"]
    assert h.label(16, 3) == "*"


def test_prefixes_mask_from_the_right() -> None:
    h = Hierarchy.prefixes(["47677", "47602"])
    assert h.paths[1] == ("47677", "4767*", "476**", "47***", "4****", "*****")
    assert Hierarchy.prefixes([47677, 47602]).label(47602, 2) == "476**"


def test_suppression_is_the_value_or_nothing() -> None:
    assert Hierarchy.suppression(["b", "a", "b"]).paths == (("a", "*"), ("b", "*"))


def test_groups_name_the_values_below() -> None:
    h = Hierarchy.from_groups([{"l": ["flu", "asthma"], "s": ["ulcer"]}, {"ill": ["flu", "asthma", "ulcer"]}])
    assert h.paths[0] == ("flu", "l", "ill", "*")
    assert h.paths[2] == ("ulcer", "s", "ill", "*")


# ---------------------------------------------------------------------- files


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    file = folder / "disease.csv"
    file.write_bytes(text.encode(encoding))
    return file


def test_a_file_is_read_without_header_blanks_or_byte_order_mark(tmp_path: Path) -> None:
    h = Hierarchy.from_csv(written(tmp_path, "flu, lung ,*\r\n\r\n asthma,lung,*\n", "utf-8-sig"))
    assert h.paths == (("flu", "lung", "*"), ("asthma", "lung", "*"))
    assert h.name == "disease"


def test_in_a_file_only_the_first_cell_can_be_the_missing_value(tmp_path: Path) -> None:
    file = tmp_path / "h.csv"
    file.write_text("(missing),(missing),*\na,known,*\n", encoding="utf-8")
    assert Hierarchy.from_csv(file).paths == ((MISSING, "(missing)", "*"), ("a", "known", "*"))


def test_a_ragged_file_ends_a_row_at_its_last_filled_cell(tmp_path: Path) -> None:
    file = written(tmp_path, "hiv,*,,\nasthma,airways,lung,*\n")
    assert Hierarchy.from_csv(file, ragged="keep").paths[0] == ("hiv", "*")


def test_another_separator_is_read_when_it_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, "flu;lung;*\nulcer;stomach;*\n")
    assert Hierarchy.from_csv(file, separator=";").height == 2


def test_a_written_file_is_not_overwritten(tmp_path: Path) -> None:
    file = written(tmp_path, "flu,*\n")
    with pytest.raises(InputError, match="not overwritten"):
        Hierarchy(LUNGS).to_csv(file)
    assert file.read_text() == "flu,*\n"


@pytest.mark.parametrize(
    ("text", "options", "fragment"),
    [
        ("", {}, "is empty"),
        ("\n \n", {}, "is empty"),
        ("flu;lung;*\nulcer;stomach;*\n", {}, "give separator=';'"),
        ("flu\tlung\t*\n", {}, r"give separator='\\t'"),
        ("flu,lung,*\nulcer,,*\n", {}, "line 2: the cell of level 1 is empty"),
        ("flu,lung,*\nulcer\n", {}, "row 2: value 'ulcer' has 1 levels and others have 3"),
        ("flu,lung,*\nflu,airways,*\n", {}, "value 'flu' stands in rows 1 and 2"),
        ("21,20s,young\n22,20s,old\n31,30s,old\n", {}, "no common root"),
        ('flu,"lung,*\n' + "x" * 200_000, {}, "field larger than field limit"),
        ("flu,*\n", {"encoding": "utf-99"}, "utf-99"),
        ("flu,*\n", {"separator": ";;"}, "one character"),
    ],
)
def test_a_bad_file_is_refused_by_name(tmp_path: Path, text: str, options: dict[str, Any], fragment: str) -> None:
    with pytest.raises(HierarchyError, match=fragment):
        Hierarchy.from_csv(written(tmp_path, text), **options)


def test_a_file_in_another_encoding_is_refused_and_readable_when_it_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, "Grippe,Atemwegé,*\n", "latin-1")
    with pytest.raises(HierarchyError, match=r"is not UTF-8.*give encoding="):
        Hierarchy.from_csv(file)
    assert Hierarchy.from_csv(file, encoding="latin-1").label("Grippe", 1) == "Atemwegé"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match=r"absent\.csv cannot be read: No such file"):
        Hierarchy.from_csv(tmp_path / "absent.csv")


# ---------------------------------------------------------------------- bad input

BAD: list[tuple[Callable[[], object], type[TClosenessError], str]] = [
    (lambda: Hierarchy([]), HierarchyError, "is empty"),
    (lambda: Hierarchy([()]), HierarchyError, "row 1 is empty"),
    (lambda: Hierarchy(["flu", "hiv"]), HierarchyError, "row 1 is the text 'flu'"),
    (lambda: Hierarchy([("a", "*"), ("b", None)]), HierarchyError, "row 2: the cell of level 1 is empty"),
    (lambda: Hierarchy([("a", "*"), ("", "*")]), HierarchyError, "row 2: the cell of level 0 is empty"),
    (lambda: Hierarchy([("a", float("nan"))]), HierarchyError, "level 1 is empty"),
    (lambda: Hierarchy([(["a"], "*")]), HierarchyError, "row 1.*cannot be a label"),
    (lambda: Hierarchy([("a", "*"), ("a", "*")]), HierarchyError, "value 'a' stands in rows 1 and 2"),
    (lambda: Hierarchy([("x", "A"), ("z", "B")]), HierarchyError, "no common root: 'x' ends at 'A' and 'z' at 'B'"),
    (
        lambda: Hierarchy([("21", "20s", "young", "*"), ("22", "20s", "old", "*")]),
        HierarchyError,
        "sends '21' to 'young' but '22' to 'old' above their common label '20s' of level 1; levels must nest",
    ),
    (lambda: Hierarchy(RAGGED, ragged="fill"), HierarchyError, "ragged='fill' is unknown"),  # type: ignore[arg-type]
    (lambda: Hierarchy(LUNGS, name="ill").label("hiv", 1), HierarchyError, "'ill' does not cover 1 of 1 values"),
    (lambda: Hierarchy(LUNGS).label("flu", 3), HierarchyError, "levels 0 to 2, and level 3 was asked for"),
    (lambda: Hierarchy(LUNGS).label("flu", -1), HierarchyError, "levels 0 to 2, and level -1"),
    (lambda: Hierarchy(LUNGS).label("flu", 1.5), HierarchyError, "level 1.5"),  # type: ignore[arg-type]
    (lambda: Hierarchy(LUNGS).label("flu", "1"), HierarchyError, "level '1'"),  # type: ignore[arg-type]
    (
        lambda: Hierarchy(LUNGS).generalize(Domain.of(["flu", "hiv", "ebola"]), 1),
        HierarchyError,
        "does not cover 2 of 3 values, first 'ebola'",
    ),
    (lambda: Hierarchy.intervals([1], [5, 12]), HierarchyError, "width 12 do not nest those of width 5"),
    (lambda: Hierarchy.intervals([1], [0]), HierarchyError, "widths must be positive"),
    (lambda: Hierarchy.intervals([1], [-5]), HierarchyError, "widths must be positive"),
    (lambda: Hierarchy.intervals([1], [10, -5]), HierarchyError, "do not nest"),
    (lambda: Hierarchy.intervals([], [5]), HierarchyError, "is empty"),
    (lambda: Hierarchy.intervals(["young"], [5]), DomainError, "needs numbers, and 'young' is not one"),
    (lambda: Hierarchy.intervals([None, 1], [5]), DomainError, "needs numbers, and \\(missing\\) is not one"),
    (lambda: Hierarchy.prefixes(["47677", "4760"]), HierarchyError, "'4760' is shorter than others; pad it first"),
    (lambda: Hierarchy.prefixes([]), HierarchyError, "is empty"),
    (lambda: Hierarchy.suppression([]), HierarchyError, "is empty"),
    (lambda: Hierarchy.from_groups([]), HierarchyError, "no groups given"),
    (lambda: Hierarchy.from_groups([{}]), HierarchyError, "is empty"),
    (lambda: Hierarchy.from_groups([{"A": "xy"}]), HierarchyError, "group 'A' is the text 'xy'"),
    (
        lambda: Hierarchy.from_groups([{"A": ["x"], "B": ["y", "x"]}]),
        HierarchyError,
        "'x' is in the groups 'A' and 'B'",
    ),
    (
        lambda: Hierarchy.from_groups([{"A": ["x", "y"]}, {"B": ["x"]}]),
        HierarchyError,
        "'y' is not on both level 1 and level 2",
    ),
    (
        lambda: Hierarchy.from_groups([{"A": ["x"]}, {"B": ["x"]}, {"C": ["x"], "D": ["y"]}]),
        HierarchyError,
        "'y' is not on both level 1 and level 3",
    ),
    (
        lambda: Hierarchy.from_groups([{"A": ["x", "y"]}, {"B": ["x"], "C": ["y"]}]),
        HierarchyError,
        "levels must nest",
    ),
]


@pytest.mark.parametrize(("call", "error", "fragment"), BAD)
def test_bad_input_is_refused_by_name(call: Callable[[], object], error: type[TClosenessError], fragment: str) -> None:
    with pytest.raises(error, match=fragment):
        call()


@pytest.mark.parametrize("rows", [["01", "1"], ["1", "01"]])
def test_a_number_is_named_by_its_own_text_before_another_that_reads_as_it(rows: list[str]) -> None:
    hierarchy = Hierarchy([(row, "*") for row in rows])
    assert hierarchy.rows(Domain.of([1])) == [rows.index("1")]


def test_rows_that_are_split_at_once_are_those_of_the_reader() -> None:
    draw, split = random.Random(2007), 0
    for _ in range(5000):
        text = "".join(
            draw.choices(["a", "b", "é", ",", ",", "\n", "\n", " ", '"', "\r", "x" * 9], [9] * 7 + [1] * 4, k=9)
        )
        rows = plain_rows(text, ",")
        if rows is not None:
            assert rows == [tuple(cells) for _, cells in cells_of(text, ",", "", HierarchyError)]
            split += 1
    assert split > 100
