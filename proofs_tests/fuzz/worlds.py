"""Small random tables with all that a command may be told of them, and what may be done to them without another answer.

A `World` is a table with a hierarchy for each quasi-identifier and an order of the sensitive values. It can be written
into a folder, with its rows in another order, its columns in another order, its values renamed, or each record
repeated; and it answers a few questions itself, in plain Python that shares nothing with the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random

__all__ = ["AWKWARD", "World", "world"]

AWKWARD = (
    "a",
    "é",
    "(missing)",
    "*",
    "1.0",
    "1",
    "x y",
    "<=50K",
    "a;b",
    "?",
    "007",
    "-",
    "ſ",
    "A",
    "NA",
    "0",
    "{a, b}",
)
"""Cells that look like something else."""


@dataclass(frozen=True)
class World:
    """A table and what belongs to it.

    Attributes
    ----------
    columns
        The names in the order of the file.
    quasi_identifiers
        Those that an outsider may know; the only other column is ``s``, the sensitive one.
    rows
        By column, the text of the cell.
    trees
        By quasi-identifier, the rows of its hierarchy: value, level 1, …, ``*``.
    order
        The sensitive values that occur, from lowest to highest.
    """

    columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    trees: Mapping[str, tuple[tuple[str, ...], ...]]
    order: tuple[str, ...]

    def write(self, folder: Path) -> None:
        """Write ``t.csv`` and the folder ``h`` of hierarchies."""
        lines = [self.columns, *(tuple(row[name] for name in self.columns) for row in self.rows)]
        (folder / "t.csv").write_text("".join(map(line, lines)), encoding="utf-8")
        (folder / "h").mkdir(exist_ok=True)
        for name, tree in self.trees.items():
            (folder / "h" / f"{name}.csv").write_text("".join(map(line, tree)), encoding="utf-8")

    # ------------------------------------------------------------------ the same in another form

    def shuffled(self, random: Random) -> World:
        """Return the table with its rows in another order."""
        return replace(self, rows=tuple(random.sample(self.rows, len(self.rows))))

    def turned(self, random: Random) -> World:
        """Return the table with its columns in another order."""
        return replace(self, columns=tuple(random.sample(self.columns, len(self.columns))))

    def renamed(self) -> World:
        """Return the table with other names for all values, and for nodes of the hierarchies, in the same order."""
        return replace(
            self,
            rows=tuple({name: f"v_{cell}" for name, cell in row.items()} for row in self.rows),
            trees={name: tuple(tuple(map(_other, path)) for path in tree) for name, tree in self.trees.items()},
            order=tuple(map(_other, self.order)),
        )

    def repeated(self, times: int) -> World:
        """Return the table with each record so many times."""
        return replace(self, rows=self.rows * times)

    # ------------------------------------------------------------------ the same questions, answered here

    @property
    def classes(self) -> list[Counter[str]]:
        """How often each class has each sensitive value."""
        found: dict[tuple[str, ...], Counter[str]] = {}
        for row in self.rows:
            found.setdefault(tuple(row[name] for name in self.quasi_identifiers), Counter())[row["s"]] += 1
        return list(found.values())

    def value(self, option: str) -> Fraction:
        """Return the least of what the classes have, or the greatest, as the threshold of an option is held against."""
        classes, whole = self.classes, Counter(row["s"] for row in self.rows)
        if option == "--k":
            return Fraction(min(sum(counts.values()) for counts in classes))
        if option == "--distinct-l":
            return Fraction(min(map(len, classes)))
        shares = [{value: Fraction(counts[value], sum(counts.values())) for value in whole} for counts in classes]
        if option == "--alpha":
            return max(max(share.values()) for share in shares)
        if option == "--frequency-l":
            return 1 / max(max(share.values()) for share in shares)
        q = {value: Fraction(count, len(self.rows)) for value, count in whole.items()}
        if option == "--beta":
            return max((p - q[value]) / q[value] for share in shares for value, p in share.items())
        if option == "--t equal":
            return max(sum(abs(p - q[value]) for value, p in share.items()) / 2 for share in shares)
        assert option == "--t ordered"
        return max(self._ordered(share, q) for share in shares)

    def _ordered(self, p: Mapping[str, Fraction], q: Mapping[str, Fraction]) -> Fraction:
        total, moved = Fraction(0), Fraction(0)
        for value in self.order:
            total += p[value] - q[value]
            moved += abs(total)
        return moved / (len(self.order) - 1) if len(self.order) > 1 else Fraction(0)


def line(cells: Sequence[str]) -> str:
    """Write a line of a CSV file."""
    return ",".join(f'"{cell}"' if set(cell) & set(',"\n\r ') or not cell else cell for cell in cells) + "\n"


def _other(name: str) -> str:
    return name if name == "*" else f"v_{name}"


def world(random: Random, *, awkward: bool = False) -> World:
    """Draw a world of up to 14 records, one to three quasi-identifiers and one to four sensitive values."""
    quasi_identifiers = tuple(f"q{i}" for i in range(random.randrange(1, 4)))
    values = random.sample(AWKWARD, 4) if awkward else ["b", "c", "d", "e"]
    domains = {name: values[: random.randrange(1, 5)] for name in quasi_identifiers}
    sensitive = (random.sample(AWKWARD, 4) if awkward else ["r", "s", "t", "u"])[: random.randrange(1, 5)]
    rows = tuple(
        {**{name: random.choice(domain) for name, domain in domains.items()}, "s": random.choice(sensitive)}
        for _ in range(random.randrange(1, 15))
    )
    order = tuple(value for value in sensitive if any(row["s"] == value for row in rows))
    trees = {name: _tree(random, domain) for name, domain in domains.items()}
    return World((*quasi_identifiers, "s"), quasi_identifiers, rows, trees, order)


def _tree(random: Random, values: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Draw a hierarchy of two to four levels, in which neighbours of a level are joined."""
    paths = [[value] for value in values]
    for level in range(random.randrange(3)):
        before, number = [path[-1] for path in paths], 0
        for place, path in enumerate(paths):
            if place and before[place] != before[place - 1] and random.random() < 0.5:
                number += 1
            path.append(f"g{level}{number}")
    return tuple((*path, "*") for path in paths)
