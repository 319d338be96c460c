"""What a tight label implies, against all groups of records that could show it; and each condition of the checker."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from tcloseness.certificates import Reading, canonical_text, read_counts, seal
from tcloseness.certificates.labels import (
    ClassFact,
    Tight,
    labels_text,
    read_labels_certificate,
    verify_labels,
)
from tcloseness.certificates.reading import MOST_RECORDS, PublishedCounts, levels_digest
from tcloseness.errors import CertificateError, CertificateFormatError

Rows = Sequence[tuple[str, ...]]


def about(classes: dict[tuple[str, ...], int]) -> tuple[PublishedCounts, bytes]:
    """A published table that has so many records of each class, with different sensitive values; and its counts."""
    names = [f"q{i}" for i in range(len(next(iter(classes))))]
    counts = {}
    for labels, size in classes.items():
        texts = tuple(f"text:{label}" for label in labels)
        counts[*texts, "text:a"] = size - size // 2
        if size // 2:
            counts[*texts, "text:b"] = size // 2
    content = canonical_text([*names, "s"], counts).encode()
    return PublishedCounts.of(read_counts(content), Reading()), content


def fact(label: str, values: Iterable[str], size: int = 4) -> ClassFact:
    return ClassFact((f"text:{label}",), "q0", size, tuple(values))


def accepted(label: str, tight: Tight, candidates: Iterable[str], rows: Rows | None = None, size: int = 4) -> set[str]:
    """The values that a class is said to have because it shows a label."""
    release, content = about({(label,): size})
    found = set()
    for value in candidates:
        text = labels_text(release, {"q0": tight}, [fact(label, [value], size)])
        try:
            said = verify_labels(text, content, {} if rows is None else {"q0": rows})
        except CertificateFormatError:
            raise
        except CertificateError:
            continue
        assert said == (
            "1 value of quasi-identifiers in 1 fact about a class and an attribute; labels are taken to be tight of q0"
        )
        found.add(value)
    return found


def groups(values: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
    """All sets of values that are not empty."""
    return itertools.chain.from_iterable(itertools.combinations(values, n) for n in range(1, len(values) + 1))


def below(label: str, rows: Rows) -> frozenset[str]:
    return frozenset(row[0] for row in rows if label in row)


def a_hierarchy(draw: random.Random) -> Rows:
    """Its nodes have names of their own, but for one that is passed on from its only child."""
    nodes = [(f"v{i}", [f"v{i}"]) for i in range(draw.randint(2, 6))]
    columns = [{leaf: name for name, leaves in nodes for leaf in leaves}]
    number = itertools.count()
    while len(nodes) > 1 or draw.random() < 0.3:
        draw.shuffle(nodes)
        above = []
        while nodes:
            many = min(len(nodes), draw.choice([1, 1, 2, 2, 3]))
            below, nodes = nodes[:many], nodes[many:]
            same = many == 1 and draw.random() < 0.5
            above.append(
                (below[0][0] if same else f"n{next(number)}", [leaf for _, leaves in below for leaf in leaves])
            )
        nodes = above
        columns.append({leaf: name for name, leaves in nodes for leaf in leaves})
    return [tuple(column[leaf] for column in columns) for leaf in sorted(columns[0])]


def test_a_node_implies_the_values_of_every_group_for_which_no_node_stands_for_less():
    """Whoever shows one value alone is not told more than the label says."""
    draw, implied = random.Random(7), 0
    for _ in range(25):
        rows = a_hierarchy(draw)
        shown: dict[str, list[set[str]]] = {}
        for some in groups(rows):
            level = next(level for level in range(len(rows[0])) if len({row[level] for row in some}) == 1)
            shown.setdefault(below(some[0][level], rows), []).append({row[0] for row in some})
        leaves = [row[0] for row in rows]
        for label in {label for row in rows for label in row}:
            node = below(label, rows)
            expected = set.intersection(*shown[node]) if len(node) > 1 else set()
            tight = Tight(hierarchy=levels_digest(rows))
            assert accepted(label, tight, leaves, rows) == expected, (rows, label)
            implied += len(expected)
    assert implied > 20


def test_a_label_of_several_nodes_implies_nothing():
    rows = [("a", "x", "x"), ("b", "x", "x"), ("c", "y", "x")]
    assert accepted("x", Tight(hierarchy=levels_digest(rows)), "abc", rows) == set()
    assert accepted("y", Tight(hierarchy=levels_digest(rows)), "abc", rows) == set()
    assert accepted("z", Tight(hierarchy=levels_digest(rows)), "abc", rows) == set()


def test_cells_of_a_grid_imply_the_values_of_every_group_that_reaches_from_the_first_to_the_last():
    """At least two different values: one alone is shown as it is."""
    draw, implied = random.Random(8), 0
    for _ in range(50):
        width, origin = draw.choice([2, 3, 5]), draw.choice([0, 1, -4, 7])
        domain = sorted({draw.randint(-8, 24) for _ in range(draw.randint(2, 7))})
        cells = {value: (value - origin) // width for value in domain}
        first, last = sorted(draw.choices(sorted(cells.values()), k=2))
        possible = [
            set(some)
            for some in groups(domain)
            if len(some) > 1 and min(map(cells.get, some)) == first and max(map(cells.get, some)) == last
        ]
        if not possible:
            continue
        low, high = origin + width * first, origin + width * (last + 1)
        texts = {value: str(value) for value in domain}
        tight = Tight(grid=(width, origin), domain=tuple(draw.sample(list(texts.values()), len(texts))))
        expected = {texts[value] for value in set.intersection(*possible)}
        assert accepted(f"[{low}, {high - 1}]", tight, texts.values()) == expected, (domain, tight)
        assert accepted(f"[{low}, {high})", tight, texts.values()) == set()  # not the text of an interval
        for a, b in ((0, 1), (1, 0), (0, -1), (-1, 1), (draw.randint(1, width - 1), draw.randint(1, width - 1))):
            assert accepted(f"[{low + a}, {high - 1 + b}]", tight, texts.values()) == set()  # not made of cells
        implied += len(expected)
    assert implied > 20


def test_a_value_of_a_grid_that_is_written_twice_is_one():
    tight = Tight(grid=(5, 0), domain=("1", "1.0", "5"))
    assert accepted("[0, 9]", tight, ["1", "1.0", "1/1", "5", "2"]) == {"1", "1.0", "1/1", "5"}


@pytest.mark.parametrize("label", ["[x, 9]", "[0, x]", "[x, y]", "0-x"])
def test_texts_are_not_the_ends_of_cells(label: str):
    assert accepted(label, Tight(grid=(5, 0), domain=("1", "6")), ["1", "6", "0", "9", "x", "y"]) == set()


NO_GRID = Tight()


@pytest.mark.parametrize(
    ("label", "ends"),
    [
        ("3-8", ["3", "8"]), ("3–8", ["3", "8"]), ("1/3-1/2", ["1/3", "1/2"]), (" 3 - 8 ", ["3", "8"]),
        ("[3, 8]", ["3", "8"]), ("[-3;8]", ["-3", "8"]), ("[b, a]", ["b", "a"]), ("[a, 8]", ["a", "8"]),
        ("[3, b]", ["3", "b"]), ("3-3.0", []), ("[3, 3.0]", []), ("[a, a]", []), ("8-3", []), ("[8, 3]", []),
        ("a-b", []), ("3-b", []), ("a-8", []), ("3-8-9", []), ("[3, 8, 9]", []), ("3", []), ("[3, 8", []),
        ("3, 8]", []), ("", []),
    ],
)  # fmt: skip
def test_the_ends_of_an_interval_are_values(label: str, ends: list[str]):
    assert accepted(label, NO_GRID, ["3", "8", "-3", "a", "b", "1/3", "1/2", "9", "3.0", "7"]) >= set(ends)
    parts = {part for part in ["3", "8", "-3", "a", "b", "1/3", "1/2", "9", "7"] if part not in ends}
    assert accepted(label, NO_GRID, parts) == set()


def test_a_set_implies_its_members_however_they_are_quoted():
    """As Python writes texts, or bare where that is one word in the list."""
    draw = random.Random(9)
    letters = "ab, '\"\\{}xé-"
    for _ in range(30):
        members = sorted({"".join(draw.choices(letters, k=draw.randint(1, 4))).strip() for _ in range(4)} - {""})
        quoted = [
            member if not set(member) & set(",'\"{}\\") and draw.random() < 0.5 else repr(member) for member in members
        ]
        label = "{" + draw.choice([", ", ",", " ,  "]).join(quoted) + "}"
        others = ["z", label, label[1:], label[:-1], *quoted]
        expected = set(members) if len(members) > 1 else set()
        assert accepted(label, NO_GRID, [*members, *(each for each in others if each not in members)]) == expected, (
            label
        )


@pytest.mark.parametrize(
    "label",
    [
        "{a, a}", "{a}", "{}", "{a, b", "a, b}", "{a, bx", "xa, b}", "xa, bx", "{a, 'b}", "{a b'c, d}", "(a, b)",
        "{a, '\\x1'}", "{a,,b}",
    ],
)  # fmt: skip
def test_what_is_not_the_text_of_a_set_implies_nothing(label: str):
    assert accepted(label, NO_GRID, ["a", "b", "d", "'b", "a b", "", "\\x1"]) == set()


def test_a_class_has_no_more_values_than_records_and_none_twice():
    for size in (1, 2, 3):
        release, content = about({("3-8",): size})
        text = labels_text(release, {"q0": NO_GRID}, [fact("3-8", ["3", "8"], size)])
        if size > 1:
            assert verify_labels(text, content).startswith("2 values of quasi-identifiers in 1 fact")
        else:
            with pytest.raises(CertificateError, match="a class of 1 record has not the 2 values"):
                verify_labels(text, content)
    release, content = about({("3-8",): 4})
    for values in (["3", "3"], ["3", "3.0"], ["3", "8", "8.0"]):
        with pytest.raises(CertificateError, match="does not imply all of its values"):
            verify_labels(labels_text(release, {"q0": NO_GRID}, [fact("3-8", values)]), content)


def test_facts_are_of_classes_and_tight_attributes_and_of_each_one_once():
    release, content = about({("3-8", "1-2"): 2, ("3-8", "5"): 3})
    good = [
        ClassFact(("text:3-8", "text:1-2"), "q0", 2, ("3",)),
        ClassFact(("text:3-8", "text:1-2"), "q1", 2, ("1", "2")),
        ClassFact(("text:3-8", "text:5"), "q0", 3, ("8",)),
    ]
    tight = {"q0": NO_GRID, "q1": NO_GRID}
    said = verify_labels(labels_text(release, tight, good), content)
    assert said == (
        "4 values of quasi-identifiers in 3 facts about a class and an attribute; labels are taken to be tight of q0, "
        "q1"
    )
    bad = [
        (tight, [*good, good[0]]),
        ({"q0": NO_GRID}, good),
        (tight, [ClassFact(("text:5", "text:3-8"), "q0", 3, ("3",))]),
        (tight, [ClassFact(("text:3-8", "text:1-2"), "s", 2, ("3",))]),
    ]
    for known, facts in bad:
        with pytest.raises(
            CertificateError, match="of no class of the table, of no tight attribute, or was there before"
        ):
            verify_labels(labels_text(release, known, facts), content)
    for records in (1, 3, 4):
        with pytest.raises(CertificateError, match="the class has 2 records"):
            verify_labels(
                labels_text(release, tight, [ClassFact(("text:3-8", "text:1-2"), "q0", records, ("3",))]), content
            )


def base() -> tuple[dict[str, Any], bytes, Rows]:
    rows = [("a", "n", "*"), ("b", "n", "*"), ("c", "m", "*")]
    release, content = about({("n", "[0, 4]"): 2})
    tight = {"q0": Tight(hierarchy=levels_digest(rows)), "q1": Tight(grid=(5, 0), domain=("1", "2"))}
    facts = [ClassFact(("text:n", "text:[0, 4]"), "q0", 2, ("a", "b"))]
    return json.loads(labels_text(release, tight, facts)), content, rows


def sealed(record: dict[str, Any]) -> str:
    record = {**record}
    record.pop("sha256", None)
    return json.dumps({**record, "sha256": seal(record)})


def changed(*way: Any, to: Any) -> dict[str, Any]:
    record, _, _ = base()
    at: Any = record
    for step in way[:-1]:
        at = at[step]
    at[way[-1]] = to
    return record


DEEP: Any = "a"
for _ in range(8):
    DEEP = [DEEP]

REFUSED = [
    (("format",), "tcloseness-labels-certificate-2", "its format is 'tcloseness-labels-certificate-2'"),
    (("statement",), "so it is", "its statement is 'so it is'; it must be"),
    (("tight",), [], "tight is of type list; it must be an object"),
    (("tight", "q0", "grid"), [5, 0], "has a hierarchy and a grid"),
    (("tight", "q1", "grid"), [1, 0], "the width of a grid is 1; it must be a whole number from 2"),
    (("tight", "q1", "grid"), [MOST_RECORDS + 1, 0], "the width of a grid"),
    (("tight", "q1", "grid"), [5], "has 1 entries; it must have 2"),
    (("tight", "q1", "grid"), [5, 0, 0], "has 3 entries; it must have 2"),
    (("tight", "q1", "grid"), [5, -MOST_RECORDS - 1], "an origin is"),
    (("tight", "q0", "hierarchy"), "0", "tight"),
    (("tight", "q0", "hierarchy"), "0" * 64, "another hierarchy of 'q0'"),
    (("tight", "q2"), {"hierarchy": None, "grid": None, "domain": []}, "'q2', which is not a quasi-identifier"),
    (("release", "records"), 3, "table has 2 records, and not 3"),
    (("release", "digest"), "0" * 64, "about another table"),
    (("facts",), [], "facts has 0 entries; it must have at least 1"),
    (("facts", 0, "values"), [], "has 0 entries; it must have at least 1"),
    (("facts", 0, "class"), ["text:n"], "has 1 entries; it must have 2"),
    (("facts", 0, "records"), MOST_RECORDS + 1, "records is"),
    (("facts", 0, "values"), DEEP, "more than 8 deep"),
]


@pytest.mark.parametrize(("way", "to", "said"), REFUSED)
def test_what_is_not_of_the_form_is_refused_by_name(way: tuple[Any, ...], to: Any, said: str):
    _, content, rows = base()
    with pytest.raises(CertificateFormatError, match=said):
        verify_labels(sealed(changed(*way, to=to)), content, {"q0": rows})


@pytest.mark.parametrize(
    ("way", "to"),
    [
        (("tight", "q1", "grid"), [2, 0]),
        (("tight", "q1", "grid"), [MOST_RECORDS, -MOST_RECORDS]),
        (("tight", "q1"), {"hierarchy": None, "grid": None, "domain": []}),
    ],
)
def test_what_is_at_the_edge_of_the_form_is_read(way: tuple[Any, ...], to: Any):
    _, content, rows = base()
    record = changed(*way, to=to)
    assert "2 values" in verify_labels(sealed(record), content, {"q0": rows})
    release, tight, facts = read_labels_certificate(sealed(record))
    assert labels_text(release, tight, [ClassFact(*(tuple(each) if isinstance(each, list) else each
                                                    for each in one.values())) for one in facts]).strip()  # fmt: skip
    assert {name: each.to_dict() for name, each in tight.items()} == record["tight"]


def test_a_hierarchy_that_is_needed_is_asked_for_and_must_nest():
    record, content, rows = base()
    with pytest.raises(CertificateFormatError, match="needs the hierarchy of 'q0'"):
        verify_labels(sealed(record), content)
    crossed = [("a", "n", "x"), ("b", "n", "y"), ("c", "m", "*")]
    with pytest.raises(CertificateFormatError):
        verify_labels(sealed(record), content, {"q0": crossed})
    assert "2 values" in verify_labels(sealed(record), content, {"q0": rows})
    with pytest.raises(CertificateFormatError, match="its sha256 is not that of the rest"):
        verify_labels(json.dumps({**record, "facts": [{**record["facts"][0], "records": 1}]}), content, {"q0": rows})
