"""`RollUp`: the class counts of any node of the lattice, computed from the smallest node below that is at hand.

LeFevre, DeWitt, Ramakrishnan, "Incognito", SIGMOD 2005, §3: the rollup property. A node's classes are unions of the
classes of every node below it, so the table is read once.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.displayed import Displayed
from tcloseness.errors import TableError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.lattice.lattice import Lattice, Node
from tcloseness.lattice.node_classes import Cells, DenseClasses, LevelCodes, NodeClasses, SparseClasses
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.grouping import combined_codes
from tcloseness.release import Recoding, Release
from tcloseness.release.recoding import LabelCodes

__all__ = ["RollUp"]

_DENSE_VALUES = 256
"""Up to so many sensitive values, classes are kept as a matrix by compiled code."""

_WORTH_COMPILING = 2**17
"""From so many classes × nodes on, loading compiled code costs less than it saves."""

_ROOM = 64
"""Kept nodes that there is room for at first; twice as many whenever it is full."""

_MARKED = 2**22
"""Up to so many labels, those of some classes are marked among all."""

_PREPARING = "preparing the table for the search"


class RollUp(Displayed):
    """A table under a generalization lattice.

    Parameters
    ----------
    frequencies
        The original table, compressed; without suppressed records.
    hierarchies
        One for each of its quasi-identifiers, by name.
    sensitive
        The sensitive attribute; may be left out if there is one.
    memory
        How many bytes of computed nodes to keep; the one that was used longest ago goes first.
    compiled
        Whether compiled code does the work; None (default): where there is enough of it. Answers are the same.
    time_limit, memory_limit
        How long the table may take to be prepared, and how many bytes, as in `exhaustive`; the searches of it have
        their own. A running clock may be handed to both.

    Attributes
    ----------
    lattice
        The lattice; its size is known before anything is computed.
    records
        The number of records.

    Raises
    ------
    TableError
        For a quasi-identifier without a hierarchy, or a table with records that are marked as suppressed.
    HierarchyError
        For a hierarchy without levels, or one that does not cover a value.
    TimeLimitReached, MemoryLimitReached
        When a limit is reached while the table is prepared.

    Notes
    -----
    The reference distribution Q of every node is that of all records: what a search suppresses at a node stays in it.
    A roll-up costs time in proportion to the classes of the node that it starts from. Class counts are added up when
    they are first asked for; until then a node needs those that it was rolled up from, which may outlive their place.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"zip": ["476", "476", "479"], "disease": ["flu", "cold", "flu"]})
    >>> frequencies = FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="disease")
    >>> rolled = RollUp(frequencies, {"zip": Hierarchy.prefixes(["476", "479"], name="zip")})
    >>> rolled.classes((1,)).class_sizes, rolled.classes((1,)).label(0)
    (array([3]), ('47*',))
    """

    def to_dict(self) -> dict[str, Any]:
        """Return what is searched as JSON-ready data."""
        return {**self.lattice.to_dict(), "records": self.records, "sensitive": self.sensitive or None}

    def _state(self) -> dict[str, Any]:
        arguments = {"sensitive": self.sensitive, "memory": self.memory, "compiled": self.compiled}
        return {"frequencies": self.frequencies, "hierarchies": self.lattice.hierarchies, **arguments}

    def __reduce_ex__(self, protocol: Any) -> Any:
        return partial(RollUp, **self._state()), ()  # what was computed is computed again

    def _said(self) -> str:
        return self.lattice._said()

    def __init__(
        self,
        frequencies: FrequencySet | FullTable,
        hierarchies: Mapping[str, Hierarchy],
        *,
        sensitive: str | None = None,
        memory: int = 2**27,
        compiled: bool | None = None,
        time_limit: TimeLimit = None,
        memory_limit: int | None = None,
    ) -> None:
        clock = Clock.of(time_limit, memory_limit)
        frequencies = in_shape(frequencies, FrequencySet)
        if frequencies.suppressed.any():
            raise TableError(
                f"{int(frequencies.counts[frequencies.suppressed].sum())} record(s) are marked as suppressed, so their "
                "values are unknown; give the table before suppression, the search decides what to suppress"
            )
        frequencies.require_rows_of_different_persons("a search of generalizations")
        for name in hierarchies:
            if name not in frequencies.quasi_identifiers:
                raise TableError(
                    f"a hierarchy is given for {name!r}, which is not a quasi-identifier of this table; it has "
                    f"{frequencies.quasi_identifiers}"
                )
        if not len(frequencies):
            raise TableError("the table has no record, so there is nothing to generalize")
        self.frequencies = frequencies
        self.lattice = Lattice(hierarchies, frequencies.quasi_identifiers)
        clock.check(_PREPARING)
        self.bottom_classes = frequencies.class_counts(sensitive)
        clock.check(_PREPARING)
        self.sensitive = self.bottom_classes.sensitive
        self.domain = self.bottom_classes.domain
        self.reference = self.bottom_classes.reference
        self.records = frequencies.records
        assert self.bottom_classes.keys is not None
        n, m = len(self.bottom_classes), len(self.domain)
        clock.require_memory(
            12 * n * len(self.lattice.shape), f"{n:,} classes on {sum(self.lattice.shape)} levels of their attributes"
        )
        self.codes = LevelCodes(self.lattice, self.bottom_classes.keys, clock)
        self.memory = memory
        can = m <= _DENSE_VALUES and self.codes.size(self.lattice.bottom) <= INT64_MAX
        nodes = math.prod(self.lattice.shape)
        self.compiled = can and (n * nodes >= _WORTH_COMPILING if compiled is None else compiled)
        clock.check(_PREPARING)
        self._bottom = self._start(n, m)
        self._kept: OrderedDict[Node, NodeClasses] = OrderedDict()
        self._held = 0
        self._levels = np.zeros((_ROOM, len(self.lattice.shape)), dtype=np.int16)  # of the kept nodes, in any order
        self._classes = np.zeros(_ROOM, dtype=np.int64)  # how many classes each has
        self._rows = 0
        self.roll_ups = 0
        self.remembered: dict[Hashable, Any] = {}  # what depends on the table and the lattice alone

    def _start(self, n: int, m: int) -> NodeClasses:
        bottom, inside = self.bottom_classes, np.arange(n, dtype=np.int32)
        if self.compiled:
            from tcloseness.lattice.compiled import blank_places

            cells = Cells(bottom.starts, bottom.values, bottom.counts)
            dtype = np.int32 if self.records < 2**31 else np.int64
            return DenseClasses(inside, bottom.class_sizes, m, blank_places(), cells, dtype=dtype)
        return SparseClasses(inside, bottom.starts, bottom.values, bottom.counts, m)

    # ------------------------------------------------------------------ nodes

    def at(self, node: Node) -> NodeClasses:
        """Return a node's classes in the form that the search works on, and keep them."""
        found = self._kept.get(node)
        if found is None:
            if node == self.lattice.bottom and self.codes.apart:
                found = self._bottom
            else:
                found = self._nearest(node).rolled_up(self.codes, node)
            self.roll_ups += 1
            self._keep(node, found)
        else:
            self._kept.move_to_end(node)
        return found

    def _nearest(self, node: Node) -> NodeClasses:
        """Return the smallest computed node below: a child if all are there, else the best of all kept nodes."""
        if self.compiled:
            from tcloseness.lattice.compiled import fewest_below

            place = fewest_below(self._levels, self._classes, self._rows, np.array(node))
            return self._bottom if place < 0 else self._kept[tuple(self._levels[place].tolist())]
        children = [self._kept.get(child) for child in self.lattice.children(node)]
        if children and None not in children:
            return min(children, key=lambda child: len(child.sizes))  # type: ignore[union-attr, return-value]
        below = (self._levels[: self._rows] <= np.array(node, dtype=np.int16)).all(axis=1)
        places = np.flatnonzero(below)
        if not len(places):
            return self._bottom
        best = places[self._classes[places].argmin()]
        return self._kept[tuple(self._levels[best].tolist())]

    def _keep(self, node: Node, classes: NodeClasses) -> None:
        self._held += classes.memory
        self._kept[node] = classes
        if self._rows == len(self._levels):  # which grows last, so that an interrupt in between does no harm
            self._classes = np.resize(self._classes, 2 * self._rows)
            self._levels = np.concatenate([self._levels, np.zeros_like(self._levels)])
        self._levels[self._rows] = node
        self._classes[self._rows] = len(classes.sizes)
        self._rows += 1
        if self._held > self.memory:
            self._drop()

    def _drop(self) -> None:
        """Drop what was used longest ago until half of the memory is free; the newest node stays."""
        self._rows = 0  # so that an interrupt leaves no row of a dropped node
        while self._held > self.memory // 2 and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._held -= dropped.memory
        rows = len(self._kept)
        self._levels[:rows] = list(self._kept)
        self._classes[:rows] = [len(kept.sizes) for kept in self._kept.values()]
        self._rows = rows

    def forget(self) -> None:
        """Drop every computed node, so that the next search starts from the table again."""
        self._rows = 0  # first, as in `_drop`
        self._kept.clear()
        self._held, self.roll_ups = 0, 0

    def release(self, node: Node) -> Release:
        """Return the table generalized to a node, for losses that compare it with the original; nothing suppressed."""
        recodings, label_of = {}, {}
        for a, (name, level) in enumerate(zip(self.lattice.quasi_identifiers, node, strict=True)):
            key = ("recoding", a, level)
            if key not in self.remembered:
                values, hierarchy = self.frequencies.domains[name], self.lattice.hierarchies[name]
                generalized = self.codes.generalized(a, level, values)
                self.remembered[key] = Recoding.at_level(name, values, hierarchy, level, generalized)
            recodings[name], label_of[name] = self.remembered[key]
        codes = LabelCodes(self.frequencies.codes, label_of)
        return Release(self.frequencies, recodings, codes, np.zeros(len(self.frequencies), dtype=bool))

    def withheld(self, release: Release, node: Node, violating: npt.NDArray[np.bool_]) -> Release:
        """Return a node's release without some of its classes, which are marked in the order of `at`."""
        if not violating.any():
            return release
        every = np.arange(len(self.bottom_classes))
        keys, size = self.codes.keys(node, np.append(every, self.at(node).inside[violating]))
        if size > _MARKED:
            marked = np.isin(keys[: len(every)], keys[len(every) :])
        else:
            marks = np.zeros(size, dtype=bool)
            marks[keys[len(every) :]] = True
            marked = marks[keys[: len(every)]]
        return replace(release, withheld=release.withheld | marked[self._class_of])

    @cached_property
    def _class_of(self) -> IntArray:
        """The bottom class of each combination."""
        keys = self.frequencies
        codes = [keys.codes[name] for name in keys.quasi_identifiers]
        key = combined_codes(codes, [len(keys.domains[name]) for name in keys.quasi_identifiers], rows=len(keys))
        if (key[1:] >= key[:-1]).all():
            return np.cumsum(np.diff(key, prepend=key[0]) > 0)
        return np.unique(key, return_inverse=True)[1]

    # ------------------------------------------------------------------ class counts

    def classes(self, node: Node) -> ClassCounts:
        """Return the class counts of a node, classes in the order of their labels.

        Raises
        ------
        TableError
            If the lattice does not have the node.
        """
        node = self.lattice.node(node)
        found = self.at(node)
        keys, _ = self.codes.keys(node, found.inside)
        order = None if (keys[1:] > keys[:-1]).all() else np.argsort(keys, kind="stable")
        return self._counts(node, found, order)

    def unsorted(self, node: Node) -> ClassCounts:
        """Return the class counts of a node in the order of `at`: quicker, for a model to evaluate."""
        return self._counts(node, self.at(node), None)

    def _counts(self, node: Node, found: NodeClasses, order: IntArray | None) -> ClassCounts:
        starts, values, counts = found.cells()
        inside = found.inside
        if order is not None:
            widths = np.diff(starts)[order]
            begin = np.repeat(starts[:-1][order], widths)
            within = np.arange(len(values)) - np.repeat(np.cumsum(widths) - widths, widths)
            values, counts = values[begin + within], counts[begin + within]
            starts = np.append(0, np.cumsum(widths))
            inside = inside[order]
        return ClassCounts(
            self.domain,
            starts,
            values,
            counts,
            self.reference,
            self.sensitive,
            self.codes.class_keys(node, inside),
            0,
            self.bottom_classes.conventions,
        )

    def suppressed(self, classes: ClassCounts, withheld: IntArray) -> ClassCounts:
        """Return class counts without some of the classes; their records count as suppressed and stay in Q.

        Parameters
        ----------
        withheld
            Numbers of classes; at least one class must be left.
        """
        keep = np.ones(len(classes), dtype=bool)
        keep[withheld] = False
        cells = keep[classes.class_of_cell]
        keys = classes.keys
        if keys is not None:
            keys = type(keys)(keys.names, keys.domains, {name: codes[keep] for name, codes in keys.codes.items()})
        return ClassCounts(
            classes.domain,
            np.append(0, np.cumsum(np.diff(classes.starts)[keep])),
            classes.values[cells],
            classes.counts[cells],
            classes.reference,
            classes.sensitive,
            keys,
            int(classes.class_sizes[~keep].sum()),
            classes.conventions.but({"reference distribution": "all records"} if classes.has_values else {}),
        )
