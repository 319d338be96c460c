"""`Hierarchy`: how the values of an attribute generalize, level by level, up to one root.

A hierarchy is written as one row a value, from the value (level 0) to the root. The same object serves the
generalization of a quasi-identifier (its levels) and the hierarchical ground distance of a sensitive attribute (its
tree): Li et al. 2007, §5.2, where the height of a node is the longest way down to a leaf.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from itertools import starmap
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tcloseness.displayed import Pictured, counted
from tcloseness.errors import HierarchyError
from tcloseness.exact import Number, as_fraction, number_text
from tcloseness.microdata.domain import MISSING, Domain, Missing, value_text
from tcloseness.microdata.naming import MISSING_NAME, named_by, uncovered
from tcloseness.microdata.text_files import cells_of, content_of, plain_rows, quoted, separator_of, text_of
from tcloseness.microdata.tree import TreeNode, tree_of
from tcloseness.writing import write_files

__all__ = ["Hierarchy"]

Ragged = Literal["error", "keep", "repeat-leaf", "repeat-parent"]


class Hierarchy(Pictured):
    """A hierarchy over the values of one attribute.

    Parameters
    ----------
    paths
        One row a value: the value, its generalization at level 1, …, the root. Every value once.
    ragged
        What rows of different length mean: ``"error"`` (default); ``"keep"``: leaves at unequal depth, usable for the
        hierarchical ground distance but not for levels; ``"repeat-leaf"``: the value stands for itself on the missing
        lower levels; ``"repeat-parent"``: the value's direct generalization is repeated.
    name
        The attribute's name, for error messages.

    Raises
    ------
    HierarchyError
        If there is no row, a cell is empty, a value occurs twice, two rows disagree on the parent of a node, or there
        is no common root.

    Notes
    -----
    A node is its label together with its distance from the root, so a label may be on several levels.

    Examples
    --------
    >>> h = Hierarchy([("flu", "lung", "*"), ("asthma", "lung", "*"), ("ulcer", "stomach", "*")])
    >>> h.height, h.label("flu", 1)
    (2, 'lung')
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the hierarchy as JSON-ready data: for each value its labels from itself up, as texts."""
        return {"name": self.name, "height": self.height, "paths": [list(map(value_text, path)) for path in self.paths]}

    @property
    def _withheld(self) -> Collection[str]:
        return [f"level {level}" for level in range(self.height + 1)]

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [dict(zip(self._withheld, map(value_text, path), strict=False)) for path in self.paths]

    _consists_of = ("name", "paths")

    def _said(self) -> str:
        return f"{counted(len(self), 'value')}, height {self.height}, {self.name!r:.100}"

    def __init__(
        self, paths: Iterable[Sequence[Hashable]], *, ragged: Ragged = "error", name: str = "hierarchy"
    ) -> None:
        self.name = name
        rows = self._read(paths)
        if ragged not in ("error", "keep", "repeat-leaf", "repeat-parent"):
            raise HierarchyError(
                f"ragged={ragged!r} is unknown; it is 'error', 'keep', 'repeat-leaf' or 'repeat-parent'"
            )
        self.paths = tuple(rows)
        if self._is_sound():
            return
        self._check_cells(rows)
        self.paths = tuple(self._level(rows, ragged))
        self._check_root()
        self._check_nesting(rows)  # as given: a repeated leaf could hide behind a group of the same name
        self._check_nesting(self.paths)

    # ------------------------------------------------------------------ validation

    def _is_sound(self) -> bool:
        """Say whether paths of texts and whole numbers of one length make a hierarchy: what is checked row by row
        elsewhere, to find the row that is wrong."""
        if len(set(map(len, self.paths))) != 1 or not self.paths[0]:
            return False
        place = dict(zip(self.columns[0], range(len(self.paths)), strict=True))
        labels = [place.keys(), *map(set, self.columns[1:])]
        plain = all(set(map(type, different)) <= {str, int, Missing} and "" not in different for different in labels)
        edges = zip(self.columns[1:-1], self.columns[2:], strict=True)
        if not (
            plain and len(place) == len(self.paths) and len(labels[-1]) == 1 and all(starmap(_parents_agree, edges))
        ):
            return False
        self._names = Domain.of_distinct(self.columns[0], place)
        return True

    def _read(self, paths: Iterable[Sequence[Hashable]]) -> list[tuple[Hashable, ...]]:
        paths = paths if isinstance(paths, Sequence) else list(paths)
        if set(map(type, paths)) <= {tuple, list}:
            rows = list(map(tuple, paths))
            with suppress(TypeError):  # it is found below in which row
                deque(map(hash, rows), maxlen=0)
                return rows
        rows = []
        for number, path in enumerate(paths, 1):
            if isinstance(path, str):
                raise HierarchyError(
                    f"hierarchy {self.name!r}, row {number} is the text {path!r}; a row lists the value, its "
                    "generalization at level 1, …, the root"
                )
            rows.append(tuple(path))
            try:
                hash(rows[-1])
            except TypeError:
                raise HierarchyError(
                    f"hierarchy {self.name!r}, row {number}: {path!r} has a cell that cannot be a label; "
                    "labels are texts, numbers or other hashable objects"
                ) from None
        return rows

    def _check_cells(self, rows: list[tuple[Hashable, ...]]) -> None:
        if not rows:
            raise HierarchyError(f"hierarchy {self.name!r} is empty; it needs one row for each value")
        seen: dict[Hashable, int] = {}
        for number, row in enumerate(rows, 1):
            for level, cell in enumerate(row):
                if cell is None or cell == "" or cell != cell:
                    raise HierarchyError(
                        f"hierarchy {self.name!r}, row {number}: the cell of level {level} is empty; "
                        "every value needs a label on every level (for leaves at unequal depth see ragged=)"
                    )
            if not row:
                raise HierarchyError(f"hierarchy {self.name!r}, row {number} is empty; remove it or give its value")
            if row[0] in seen:
                raise HierarchyError(
                    f"hierarchy {self.name!r}: value {row[0]!r} stands in rows {seen[row[0]]} and {number}; "
                    "each value must stand once"
                )
            seen[row[0]] = number

    def _level(self, rows: list[tuple[Hashable, ...]], ragged: Ragged) -> list[tuple[Hashable, ...]]:
        longest = max(map(len, rows))
        if ragged == "keep" or all(len(row) == longest for row in rows):
            return rows
        if ragged == "error":
            number, row = next((i, row) for i, row in enumerate(rows, 1) if len(row) != longest)
            raise HierarchyError(
                f"hierarchy {self.name!r}, row {number}: value {row[0]!r} has {len(row)} levels and others have "
                f"{longest}; fill the row, or say what the gap means: ragged='keep', 'repeat-leaf' or 'repeat-parent'"
            )
        if ragged == "repeat-leaf":
            return [row[:1] * (longest - len(row)) + row for row in rows]
        return [row[:1] + row[1:2] * (longest - len(row)) + row[1:] for row in rows]

    def _check_root(self) -> None:
        first = self.paths[0]
        for path in self.paths:
            if path[-1] != first[-1]:
                raise HierarchyError(
                    f"hierarchy {self.name!r} has no common root: {first[0]!r} ends at {first[-1]!r} and {path[0]!r} "
                    f"at {path[-1]!r}; add a last column with one label, such as '*'"
                )

    def _check_nesting(self, paths: Sequence[tuple[Hashable, ...]]) -> None:
        parent: dict[tuple[int, Hashable], tuple[Hashable, Hashable]] = {}
        leaves = {(len(path) - 1, path[0]) for path in paths}
        for path in paths:
            for level, label in enumerate(path):
                depth = len(path) - 1 - level
                if level and (depth, label) in leaves:
                    raise HierarchyError(
                        f"hierarchy {self.name!r}: {label!r} is a value and, on the same depth, the generalization of "
                        f"{path[0]!r}; a value has nothing below it"
                    )
                if not depth:
                    continue
                above, earlier = parent.setdefault((depth, label), (path[level + 1], path[0]))
                if above != path[level + 1]:
                    raise HierarchyError(
                        f"hierarchy {self.name!r} sends {earlier!r} to {above!r} but {path[0]!r} to "
                        f"{path[level + 1]!r} above their common label {label!r} of level {level}; levels must nest"
                    )

    # ------------------------------------------------------------------ reading and writing

    @classmethod
    def from_csv(
        cls,
        path: str | PathLike[str],
        *,
        separator: str | None = None,
        encoding: str | None = None,
        ragged: Ragged = "error",
        name: str | None = None,
    ) -> Hierarchy:
        """Read a hierarchy from a CSV file without a header: a row is ``value,level 1,…,root``.

        Cells are read as those of a table: blanks around a cell are not part of it unless it is quoted. A first cell
        ``(missing)`` is the missing value. In ragged files a row ends at its last filled cell.
        """
        file = Path(path)
        label, where = name or file.stem, f"hierarchy file {file}"
        separator = separator_of(separator, file.name, f" of {where}", HierarchyError)
        content, _ = content_of(file, "hierarchy file", HierarchyError)
        text = text_of(content, str(file), encoding, "hierarchy file", HierarchyError)
        plain = plain_rows(text, separator)
        if plain is not None and MISSING_NAME not in text and len(plain[0]) > 1:
            return cls(plain, ragged=ragged, name=label)
        rows: list[list[Hashable]] = []
        for line, cells in cells_of(text, separator, where, HierarchyError):
            row: list[Hashable] = list(cells)
            while row and row[-1] == "":
                row.pop()
            if "" in row:
                raise HierarchyError(
                    f"{where}, line {line}: the cell of level {row.index('')} is empty; every value needs a label on "
                    "every level (for leaves at unequal depth see ragged=)"
                )
            if row:
                rows.append([MISSING if row[0] == MISSING_NAME else row[0], *row[1:]])
        if rows and all(len(row) == 1 for row in rows):
            other = next((s for s in (";", "\t", ",", "|") if s in value_text(rows[0][0])), None)
            if other:
                told = f"every row is one cell when split at {separator!r}, and holds {other!r}"
                raise HierarchyError(f"{where}: {told}; give separator={other!r}")
        return cls(rows, ragged=ragged, name=label)

    def to_csv(self, path: str | PathLike[str], *, separator: str = ",", force: bool = False) -> None:
        """Write the hierarchy as `from_csv` reads it.

        Raises
        ------
        InputError
            If the file exists and `force` is not given, or cannot be written.
        """
        separator = separator_of(separator, "", f" of hierarchy {self.name!r}", HierarchyError)
        rows = [separator.join(quoted(value_text(cell), separator) for cell in row) for row in self.paths]
        if any("\ud800" <= character <= "\udfff" for character in "".join(rows)):
            raise HierarchyError(f"hierarchy {self.name!r} cannot be written: a label holds half of a character")
        write_files({path: "".join(f"{row}\n" for row in rows).encode()}, force=force)

    # ------------------------------------------------------------------ builders

    @classmethod
    def intervals(
        cls,
        values: Iterable[Any],
        widths: Number | Sequence[Number],
        *,
        origin: Any = 0,
        top: Hashable = "*",
        name: str = "hierarchy",
    ) -> Hierarchy:
        """Build a hierarchy of intervals: at level i a value v lies in the cell that starts at o + w_i·⌊(v − o)/w_i⌋.

        Parameters
        ----------
        values
            The attribute's values: numbers, or numeric text.
        widths
            The width of the cells at level 1, 2, …, or the only one; each a whole multiple of the one before.
        origin
            Where a cell starts, on every level.
        top
            The label of the root, above the widest cells.

        Notes
        -----
        Cells of whole numbers are labelled with their first and last value (``16-20``), others half-open (``[0,
        1/2)``).
        """
        start = as_fraction(origin, "origin")
        given = widths if isinstance(widths, Iterable) and not isinstance(widths, str) else [widths]
        steps = [as_fraction(w, "width") for w in given]
        for narrow, wide in zip([Fraction(1, 1), *steps][1:], steps[1:], strict=False):
            if wide <= 0 or narrow <= 0 or wide % narrow:
                raise HierarchyError(
                    f"hierarchy {name!r}: intervals of width {number_text(wide)} do not nest those of width "
                    f"{number_text(narrow)}; each width must be a whole multiple of the one before"
                )
        if any(step <= 0 for step in steps):
            raise HierarchyError(f"hierarchy {name!r}: widths must be positive, and one is {min(steps)}")
        domain = Domain.of(values)
        places = domain.positions(f"hierarchy {name!r} of intervals")
        whole = start.denominator == 1 and all(x.denominator == 1 for x in (*places, *steps))

        def cell(place: Fraction, width: Fraction) -> str:
            low = start + width * ((place - start) // width)
            return f"{low}-{low + width - 1}" if whole else f"[{low}, {low + width})"

        paths = [
            (value, *(cell(place, w) for w in steps), top) for value, place in zip(domain.values, places, strict=True)
        ]
        return cls(paths, name=name)

    @classmethod
    def prefixes(cls, values: Iterable[Any], *, mask: str = "*", name: str = "hierarchy") -> Hierarchy:
        """Build a hierarchy that masks one more character from the right at each level: 47677, 4767*, 476**, …, *****.

        Raises
        ------
        HierarchyError
            If the texts differ in length (a ZIP code that lost its leading zero, say).
        """
        domain = Domain.of(values)
        if not domain.values:
            raise HierarchyError(f"hierarchy {name!r} is empty; it needs one row for each value")
        lengths = {len(value_text(v)) for v in domain.values}
        if len(lengths) != 1:
            odd = min(domain.values, key=lambda v: len(value_text(v)))
            raise HierarchyError(
                f"hierarchy {name!r}: prefix masking needs texts of one length, and {odd!r} is shorter than others; "
                "pad it first"
            )
        (length,) = lengths
        paths = [
            (v, *(value_text(v)[: length - masked] + mask * masked for masked in range(1, length + 1)))
            for v in domain.values
        ]
        return cls(paths, name=name)

    @classmethod
    def suppression(cls, values: Iterable[Any], *, top: Hashable = "*", name: str = "hierarchy") -> Hierarchy:
        """Build the hierarchy of two levels: the value, or nothing."""
        return cls([(v, top) for v in Domain.of(values).values], name=name)

    @classmethod
    def from_groups(
        cls,
        levels: Sequence[Mapping[str, Iterable[Hashable]]],
        *,
        top: Hashable = "*",
        name: str = "hierarchy",
    ) -> Hierarchy:
        """Build a hierarchy from groups: ``levels[i]`` maps each label of level i + 1 to the *values* below it.

        Examples
        --------
        >>> Hierarchy.from_groups([{"north": ["N", "NE"], "south": ["S"]}]).paths[0]
        ('N', 'north', '*')
        """
        if not levels:
            raise HierarchyError(f"hierarchy {name!r}: no groups given; use Hierarchy.suppression for two levels")
        where: list[dict[Hashable, str]] = []
        for number, groups in enumerate(levels, 1):
            placed: dict[Hashable, str] = {}
            for label, members in groups.items():
                if isinstance(members, str):
                    raise HierarchyError(
                        f"hierarchy {name!r}, level {number}: group {label!r} is the text {members!r}; list its values"
                    )
                for value in members:
                    if value in placed:
                        raise HierarchyError(
                            f"hierarchy {name!r}, level {number}: {value!r} is in the groups {placed[value]!r} and "
                            f"{label!r}; groups must not overlap"
                        )
                    placed[value] = label
            where.append(placed)
        values = list(where[0])
        for number, placed in enumerate(where[1:], 2):
            if set(placed) != set(values):
                value = sorted(map(value_text, set(placed) ^ set(values)))[0]
                raise HierarchyError(
                    f"hierarchy {name!r}: {value!r} is not on both level 1 and level {number}; "
                    "levels cover the same values"
                )
        return cls([(v, *(placed[v] for placed in where), top) for v in values], name=name)

    # ------------------------------------------------------------------ use

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def columns(self) -> tuple[tuple[Hashable, ...], ...]:
        """The labels of all rows by level, where each row has as many; the first are the values."""
        return tuple(tuple(map(itemgetter(level), self.paths)) for level in range(len(self.paths[0])))

    @cached_property
    def values(self) -> tuple[Hashable, ...]:
        """The values (leaves) in the order in which they were given."""
        return self.columns[0] if self.uniform else tuple(map(itemgetter(0), self.paths))

    @cached_property
    def _names(self) -> Domain:
        return Domain.declare(self.values)

    @cached_property
    def uniform(self) -> bool:
        """Whether all leaves have the same depth, so that the hierarchy has levels."""
        return len(set(map(len, self.paths))) == 1

    @cached_property
    def height(self) -> int:
        """The height of the root: the number of steps from the deepest leaf up to it."""
        return max(map(len, self.paths)) - 1

    def rows(self, domain: Domain, rows: Sequence[int] | None = None) -> list[int]:
        """Return, for each value of a domain, the row of the hierarchy that it is in.

        A number or a date in the domain is also named by its text, the missing value by ``(missing)``.

        Parameters
        ----------
        domain
            The values.
        rows
            How many rows of the table hold each value, for the message.

        Raises
        ------
        HierarchyError
            If a value is not covered; the message counts the missing values and names the first ones.
        """
        if self._asked is not None and self._asked[0] is domain:
            return self._asked[1].copy()
        places: list[Any] = named_by(domain, self._names)
        if None in places:
            raise HierarchyError(
                f"hierarchy {self.name!r} does not cover {uncovered(domain, places, self.values, rows)}; each value "
                "that occurs needs a row"
            )
        self._asked = domain, places
        return places.copy()

    _asked: tuple[Domain, list[int]] | None = None
    """The domain that `rows` was last asked for, with its answer: the models and attacks of one check share it."""

    def label(self, value: Hashable, level: int) -> Hashable:
        """Return the generalization of a value at a level (0 is the value itself)."""
        self._check_level(level)
        (row,) = self.rows(Domain.of([value]))
        return self.paths[row][level]

    def generalize(self, domain: Domain, level: int) -> tuple[np.ndarray[Any, np.dtype[np.int64]], Domain]:
        """Return the map of a domain's codes at a level, and the domain of the labels there.

        Returns
        -------
        codes
            Shape (len(domain),): the code of each value's label in the new domain.
        labels
            The labels that occur, in an order that does not depend on the table.
        """
        self._check_level(level)
        target, codes = Domain.numbered(list(map(self.columns[level].__getitem__, self.rows(domain))))
        return codes, target

    def _check_level(self, level: int) -> None:
        if not self.uniform:
            raise HierarchyError(
                f"hierarchy {self.name!r} has leaves at unequal depth, so it has no levels to generalize to; "
                "read it with ragged='repeat-leaf' or 'repeat-parent'"
            )
        whole = isinstance(level, (int, np.integer)) and not isinstance(level, bool)
        if not whole or not 0 <= level <= self.height:
            raise HierarchyError(
                f"hierarchy {self.name!r} has levels 0 to {self.height}, and level {level!r} was asked for"
            )

    def tree(self, *, trivial_levels: Literal["keep", "collapse"] = "keep") -> TreeNode:
        """Return the hierarchy as a tree.

        Parameters
        ----------
        trivial_levels
            ``"keep"`` counts a level on which nothing merges (a node with one child) in the heights, as the columns of
            the table do; ``"collapse"`` leaves such nodes out, so that a spare column changes no distance.
        """
        return tree_of(self.paths, collapse=trivial_levels == "collapse")


def _parents_agree(below: Sequence[Hashable], above: Sequence[Hashable]) -> bool:
    """Say whether equal labels have equal ones above them."""
    parent = dict(zip(below, above, strict=True))
    return list(map(parent.__getitem__, below)) == list(above)
