"""What is said of a ground distance is said in its own class: the other rooms compare no name and ask for no class."""

from __future__ import annotations

import ast
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import tcloseness
from tcloseness import ground as room
from tcloseness.errors import DomainError
from tcloseness.ground import (
    FORMS,
    GROUNDS,
    Cuts,
    Equal,
    GroundDistance,
    Hierarchical,
    Laminar,
    Matrix,
    Ordered,
    OrderedByValue,
    ProductGround,
    ground_distance,
    ground_from_dict,
    ground_name,
    ground_record,
)
from tcloseness.ground.base import PackageGround, WithCuts
from tcloseness.microdata import Domain, Hierarchy

F = Fraction
PACKAGE = Path(tcloseness.__file__).parent
APART = {"ground", "conformance", "certificates"}  # where they are defined, or tried or checked anew on purpose
FILES = [file for file in PACKAGE.rglob("*.py") if file.relative_to(PACKAGE).parts[0] not in {*APART, "__init__.py"}]
NAMES = {each.name for each in GROUNDS}
CLASSES = {each.__name__ for each in GROUNDS}
MADE = {"Laminar", "Matrix", "ProductGround"}
"""Classes that other rooms may build from their parts: from cuts, from entries, from components."""


def constants(node: ast.AST) -> set[object]:
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}


def dispatches(source: str) -> set[str]:
    """Where a file goes by a ground distance's name or class."""
    found: set[str] = set()
    imported: dict[str, str] = {}
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tcloseness.ground"):
            imported |= {each.asname or each.name: each.name for each in node.names}
            found |= {each.name for each in node.names if each.name in CLASSES - MADE}
        elif isinstance(node, ast.Attribute) and node.attr in CLASSES:
            found |= {node.attr} if ast.unparse(node.value).endswith("ground") else set()
        elif isinstance(node, ast.Compare | ast.MatchValue | ast.Dict):
            keys = [key for key in node.keys if key is not None] if isinstance(node, ast.Dict) else [node]
            texts = [str(text) for key in keys for text in constants(key)]
            found |= {name for name in NAMES for text in texts if name == text or text.startswith(f"{name}:")}
    for node in ast.walk(tree) if imported else ():
        asked: list[ast.AST] = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
            asked = [*node.args]
        elif isinstance(node, ast.Compare | ast.MatchClass):
            asked = [node]
        names = {each.id for each in asked for each in ast.walk(each) if isinstance(each, ast.Name)}
        found |= {imported[name] for name in names & set(imported) if imported[name] in CLASSES}
    return found


def test_no_other_room_goes_by_a_ground_distances_name_or_class() -> None:
    found = {str(file.relative_to(PACKAGE)): dispatches(file.read_text("utf-8")) for file in FILES}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "source",
    [
        "from tcloseness.ground import Equal",
        "import tcloseness.ground as g; from tcloseness import ground; ground.Hierarchical(h, d)",
        "from tcloseness.ground.matrix import Matrix\nisinstance(x, Matrix)",
        "from tcloseness.ground import Matrix as M\nif type(x) is M: pass",
        "x = ground.name == 'equal'",
        "x = ground.name in ('ordered-by-value', 'hierarchical')",
        "match name:\n    case 'laminar': pass",
        "from tcloseness.ground import Laminar\nmatch ground:\n    case Laminar(): pass",
        "order = {'ordered': 'lowest first'}.get(name)",
        "any('hierarchical:' == text[:13] for text in texts)",
    ],
)
def test_it_would_be_seen_however_it_is_written(source: str) -> None:
    assert dispatches(source)


def test_what_makes_one_is_not_seen() -> None:
    assert not dispatches(
        "from tcloseness.ground import Matrix\nMatrix(rows)\nf(ground='equal')\nisinstance(x, Hierarchical)"
    )


# ---------------------------------------------------------------------- the catalogue

TREE = Hierarchy([("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*"), ("w", "C", "*")])
CUTS = Cuts.of([2, 0, 1], [(0, 1), (0, 2)], ["1/4", "1/2"])
EXAMPLES: dict[type, list[GroundDistance]] = {
    Ordered: [Ordered(m) for m in (1, 2, 5)],
    OrderedByValue: [OrderedByValue(values) for values in ([7], ["1/3", "1/2", 4], [-(10**30), 0, 1])],
    Equal: [Equal(m) for m in (1, 2, 5)],
    Hierarchical: [
        Hierarchical(TREE, Domain.declare(values), trivial_levels=levels)
        for values in ("wxyz", "zx", "y")
        for levels in ("keep", "collapse")
    ],
    Matrix: [Matrix([[0, 2], [2, 0]]), Matrix([[0, "1/3", 1], [1, 0, 1], [2, 1, 0]], allow_non_metric=True)],
    Laminar: [Laminar(CUTS), Laminar(Cuts.of(range(2), [], []))],
    ProductGround: [
        ProductGround([Ordered(3), Equal(2)], [(0, 0), (2, 1), (1, 1)]),
        ProductGround([Ordered(3), Matrix([[0, 7], [7, 0]])], [(0, 0), (2, 1)], weights=[1, 2]),
        ProductGround([Laminar(CUTS), Equal(2)], [(0, 0), (2, 1)], combine="max"),
    ],
}
EACH = [each for examples in EXAMPLES.values() for each in examples]


def test_every_class_of_the_room_is_in_the_catalogue() -> None:
    exported = {each for name in room.__all__ if isinstance(each := getattr(room, name), type)}
    assert {each for each in exported if issubclass(each, PackageGround)} == set(GROUNDS) == set(EXAMPLES)
    assert len(NAMES) == len(GROUNDS)


@pytest.mark.parametrize("ground", EACH, ids=repr)
def test_a_record_is_read_back_as_the_same_distance(ground: GroundDistance) -> None:
    record = ground_record(ground)
    assert record == ground.to_dict()
    assert set(record) == {"name", *type(ground).keys}
    again = ground_from_dict(json.loads(json.dumps(record)))
    assert type(again) is type(ground)
    codes = range(ground.m)
    assert [[again.distance(i, j) for j in codes] for i in codes] == [
        [ground.distance(i, j) for j in codes] for i in codes
    ]
    for key in type(ground).keys:
        with pytest.raises(DomainError, match=key):
            ground_from_dict({name: value for name, value in record.items() if name != key})


@pytest.mark.parametrize("ground", EACH, ids=repr)
def test_rows_are_the_distances_and_no_distance_exceeds_the_greatest(ground: GroundDistance) -> None:
    codes = range(ground.m)
    d = [[ground.distance(i, j) for j in codes] for i in codes]
    assert [[F(int(x), ground.denominator) for x in ground.row(i)] for i in codes] == d
    assert max(map(max, d)) <= ground.greatest
    if ground.cuts is not None:
        assert isinstance(ground, WithCuts)
        assert [[ground.cuts.distance(i, j) for j in codes] for i in codes] == d


@pytest.mark.parametrize("ground", EACH, ids=repr)
def test_an_order_is_said_to_change_nothing_only_where_it_does_not(ground: GroundDistance) -> None:
    for shift in range(ground.m):
        order = np.roll(np.arange(ground.m), shift)
        rows = np.array([ground.row(i)[order] for i in order])
        if ground.unchanged_by(order):
            assert (rows == np.array([ground.row(i) for i in range(ground.m)])).all()
            assert {*ground.to_dict()} == {"name", "m"}, "its record may hold values"
    assert Equal(3).unchanged_by(np.array([2, 0, 1]))
    assert Ordered(3).unchanged_by(np.arange(3))


def test_a_spec_has_the_name_of_what_it_makes() -> None:
    domain = Domain.declare([1, 2])
    tree = Hierarchy([(1, "*"), (2, "*")])
    labelled = {1: {1: 0, 2: 3}, 2: {1: 3, 2: 0}}
    specs = [*(form for form in FORMS if ":" not in form), tree, Hierarchical(tree, domain), [[0, 1], [1, 0]], labelled]
    for spec in [*specs, room.LabelledMatrix(labelled), np.array([[0, 1], [1, 0]])]:
        assert ground_distance(spec, domain).name == ground_name(spec)
    assert ground_name(Matrix([[0]])) == "matrix"
    assert ground_name("no such name") == "no such name"
