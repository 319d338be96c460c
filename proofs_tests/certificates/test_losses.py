"""What checkers say that a node loses: each loss by its definition, with classes suppressed and without."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tcloseness.certificates import losses
from tcloseness.certificates.losses import CELLS, CLASSES, CellLoss, ClassLoss, Suppressed, loss_named
from tcloseness.certificates.nodes import Nodes
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.exact import INT64_MAX

LEVELS: dict[str, Any] = {
    "a": [("1", "low", "*"), ("2", "low", "*"), ("3", "3", "*"), ("4", "high", "*"), ("5", "high", "*")],
    "b": [("m", "*"), ("n", "*")],
    "c": [("x",), ("y",)],
    "d": [("z", "*")],
}
"""Of two levels above the values, of one, of none, and of a single value."""
Record = tuple[str, ...]


class Drawn:
    """A small table at random, with some classes of a node suppressed."""

    def __init__(self, draw: random.Random, scale: int = 1) -> None:
        self.names = draw.sample("abcd", draw.randint(1, 4))
        self.rows = [LEVELS[name] for name in self.names]
        self.records: Counter[Record] = Counter()
        for _ in range(draw.randint(1, 8)):
            self.records[*(draw.choice(rows)[0] for rows in self.rows), draw.choice("st")] += draw.randint(1, 3) * scale
        counts = {tuple(f"text:{cell}" for cell in record): n for record, n in self.records.items()}
        levels = {name: LEVELS[name] for name in self.names}
        self.nodes = Nodes(Counts.of([*self.names, "s"], counts), levels, ["text:s", "text:t"])
        self.node = tuple(draw.randrange(len(rows[0])) for rows in self.rows)
        class_of = self.nodes.class_of(self.node)
        sizes = np.bincount(class_of, self.nodes.counts).astype(np.int64)
        withheld = np.array([draw.random() < 0.3 for _ in sizes])
        withheld[draw.randrange(len(sizes))] = False  # not all are suppressed
        self.found = Suppressed(class_of, sizes, withheld)
        self.gone = [bool(withheld[number]) for number in class_of.tolist()]

    def label(self, i: int, cell: str, level: int) -> tuple[str, int]:
        """A label, and how many values of the hierarchy it stands for."""
        label = next(row[level] for row in self.rows[i] if row[0] == cell)
        return label, sum(row[level] == label for row in self.rows[i])

    def of_cells(self, name: str, node: Sequence[int], gone: Sequence[bool]) -> Fraction:
        """A loss of cells, by its definition."""
        n, total = sum(self.records.values()), Fraction(0)
        for (record, count), lost in zip(self.records.items(), gone, strict=True):
            for i, (cell, level, rows) in enumerate(zip(record, node, self.rows, strict=False)):
                top, (_, width) = len(rows[0]) - 1, self.label(i, cell, level)
                each = {
                    "height": Fraction(level),
                    "mean-height": Fraction(top if lost else level),
                    "precision": Fraction(1) if lost else Fraction(level, top or 1),
                    "lm": Fraction(1) if lost else Fraction(width - 1, max(len(rows) - 1, 1)),
                }.get(name, Fraction(1) if lost else Fraction(width if width > 1 else 0, len(rows)))
                total += count * each
        if name in ("height", "mean-height"):
            return total / n
        mean = total / (n * len(self.names))
        return {"ncp": total, "precision": 1 - mean}.get(name, mean)

    def of_classes(self, name: str) -> Fraction:
        """A loss of classes, by its definition."""
        both = list(zip(self.found.sizes.tolist(), self.found.withheld.tolist(), strict=True))
        kept, gone = [size for size, lost in both if not lost], [size for size, lost in both if lost]
        n, squares = sum(self.records.values()), sum(size**2 for size in kept)
        return {
            "discernibility": Fraction(squares + n * sum(gone)),
            "discernibility-one-class": Fraction(squares + sum(gone) ** 2),
            "discernibility-before-suppression": Fraction(sum(size**2 for size in kept + gone)),
            "discernibility-excluded": Fraction(squares),
            "class-size": Fraction(n - sum(gone), len(kept)),
            "class-size-in-n": Fraction(n, len(kept)),
            "class-size-one-class": Fraction(n, len(kept) + bool(gone)),
        }[name]


@pytest.mark.parametrize("scale", [1, 2**31, 2**46])
@pytest.mark.parametrize("name", CELLS)
def test_a_loss_of_cells_is_that_of_its_definition(name: str, scale: int) -> None:
    draw = random.Random(f"{name}{scale}")
    for _ in range(25):
        drawn = Drawn(draw, scale)
        loss = loss_named(drawn.nodes, name)
        assert isinstance(loss, CellLoss)
        assert loss.bounded
        assert drawn.found.records == sum(drawn.found.sizes[drawn.found.withheld].tolist())
        assert loss.value(loss.of(drawn.node, drawn.found)) == drawn.of_cells(name, drawn.node, drawn.gone)
        whole = Suppressed(drawn.found.class_of, drawn.found.sizes, np.zeros_like(drawn.found.withheld))
        assert loss.of(drawn.node, whole) == loss.table[drawn.node]
        assert loss.table.shape == drawn.nodes.shape
        for node in np.ndindex(*loss.table.shape):
            whole_value = drawn.of_cells(name, node, [False] * len(drawn.gone))
            assert loss.value(int(loss.table[node])) == whole_value
        better = [loss.of(drawn.node, found) for found in (whole, drawn.found)]
        assert better == sorted(better)  # suppression lowers none


@pytest.mark.parametrize("k", ["", "/3", "/3/2", "/1/7"])
@pytest.mark.parametrize("name", CLASSES)
def test_a_loss_of_classes_is_that_of_its_definition(name: str, k: str) -> None:
    draw = random.Random(name + k)
    for scale in (1, 2**31, 2**46):
        for _ in range(25):
            drawn = Drawn(draw, scale)
            loss = loss_named(drawn.nodes, name + k)
            assert isinstance(loss, ClassLoss)
            assert loss.table is None
            number = loss.of(drawn.node, drawn.found)
            assert number == drawn.of_classes(name)
            assert loss.value(number) == number / Fraction(k[1:] or 1)


def test_which_losses_suppression_may_lower_below_that_of_a_node_beneath() -> None:
    lowered = {name for name, (_, bounded) in CLASSES.items() if not bounded}
    assert lowered == {"discernibility-excluded", "class-size"}
    nodes = Drawn(random.Random(1)).nodes
    assert {name for name in CLASSES if not loss_named(nodes, name).bounded} == lowered


@pytest.mark.parametrize("name", ["", "entropy", "ncp/2", "/2", "class-size/0", "class-size/-1", "discernibility/0"])
def test_what_is_not_a_loss_is_refused(name: str) -> None:
    with pytest.raises(CertificateError, match=r"the loss is '.*'; a checker knows height, .*, class-size-one-class"):
        loss_named(Drawn(random.Random(2)).nodes, name)


@pytest.mark.parametrize("name", ["class-size/", "class-size/x", "class-size/2/4", "discernibility/01"])
def test_what_stands_behind_the_stroke_is_a_number(name: str) -> None:
    with pytest.raises(InputError, match=r"k is '.*'; it must be a text in lowest terms"):
        loss_named(Drawn(random.Random(2)).nodes, name)


def test_losses_beyond_64_bits_are_added_up_in_a_lattice_that_is_not_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven attributes of 337 values, two of them in a group: the top loses 7·337 units a record; 7·337 | 2⁶³ − 1."""
    rows = [("0", "g", "*"), ("1", "g", "*"), *((str(i), str(i), "*") for i in range(2, 337))]
    names, edge = [f"q{i}" for i in range(7)], INT64_MAX // (7 * 337)

    def table(many: int) -> Nodes:
        counts = {("text:0",) * 7 + ("text:s",): many}
        return Nodes(Counts.of([*names, "s"], counts), dict.fromkeys(names, rows), ["text:s"])

    for many, kind in ((edge, np.int64), (edge + 1, object), (2**53, object)):
        found = CellLoss(table(many), "ncp")
        assert found.table.dtype == kind
        assert found.table[(2,) * 7] == 7 * 337 * many
        assert found.table[(1,) * 7] == 7 * 2 * many
    monkeypatch.setattr(losses, "_MOST_LONG", 3**7)
    assert CellLoss(table(edge + 1), "ncp").table.shape == (3,) * 7
    monkeypatch.setattr(losses, "_MOST_LONG", 3**7 - 1)
    assert CellLoss(table(edge), "ncp").table.shape == (3,) * 7
    with pytest.raises(CertificateFormatError, match="the losses of 2,187 nodes are too long to be added up"):
        CellLoss(table(edge + 1), "ncp")


def test_squares_are_exact_where_64_bits_are_not_enough() -> None:
    root = int(INT64_MAX**0.5)
    for sizes in ([root], [root + 1], [root // 2, root // 2 + 1], [2**53, 2**53 - 1, 1], []):
        assert losses._squares(np.array(sizes, dtype=np.int64)) == sum(size**2 for size in sizes)
