"""Mondrian: cut the table in two, attribute by attribute, as long as both halves satisfy the model.

LeFevre, DeWitt, Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006: strict and relaxed multidimensional
partitioning (§3), with their greedy algorithm (Figure 6). Any model takes the place of k.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np
import numpy.typing as npt

from tcloseness.anonymize.merging import require_reachable, violating
from tcloseness.exact import IntArray, fits_int64
from tcloseness.limits import Clock, TimeLimit
from tcloseness.loss.certainty import NCP
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.release.anonymized import Anonymized, verified
from tcloseness.release.attributes import Categorical, Hierarchical, Numeric, attributes_of
from tcloseness.release.counting import Counting
from tcloseness.release.cuts import ranks_of, strict_parts
from tcloseness.release.draws import NOTHING_DRAWN, Draws
from tcloseness.release.partition import Partition

__all__ = ["mondrian"]


def mondrian(
    table: Microdata | FullTable,
    model: PrivacyModel,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    relaxed: bool = False,
    sensitive: str | None = None,
    categorical: Collection[str] = (),
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
) -> Anonymized:
    """Anonymize by Mondrian: from the whole table downwards, cut each class as long as the model allows.

    A class is cut on the attribute of greatest NCP; where that cut breaks the model in any part, on the next one; where
    none is left, the class is final. Numbers and sets (in the domain's order) are cut at the lower median: values up to
    it to the left, or those below it where it is the greatest value. On a hierarchy the class's ancestor is replaced by
    its children, one part each.

    Parameters
    ----------
    table, model, hierarchies, sensitive, categorical, time_limit, memory_limit
        As for `tcloseness.anonymize.mdav`.
    relaxed
        Whether records with the median value may be divided between both halves, so that each has half of the
        records; they go by their other quasi-identifiers in the table's order, equal ones as drawn. False (default,
        strict): records of equal quasi-identifiers share a class.
    seed
        As there, for the draws of relaxed cuts; strict ones draw nothing.

    Raises
    ------
    InfeasibleError, NotReached, LimitReached
        As `tcloseness.anonymize.mdav`.

    Notes
    -----
    For a model that asks nothing of the sensitive values the classes show nothing of them; for any other, a refused cut
    does. The order of the records changes nothing; for relaxed cuts with a given seed, and up to records that are equal
    in everything. Every part of every cut is decided exactly, all classes of a round at once:
    O(rounds · attributes · n log n), with about log₂(n/k) rounds. Ties of NCP go to the attribute that comes first.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.models import KAnonymity
    >>> frame = pd.DataFrame({"x": [1, 2, 8, 9], "y": [1, 2, 8, 9], "s": list("abab")})
    >>> table = Microdata.from_frame(frame, quasi_identifiers=["x", "y"], sensitive="s")
    >>> mondrian(table, KAnonymity(2)).frame()["x"].tolist()
    ['1-2', '1-2', '8-9', '8-9']
    """
    table = in_shape(table, Microdata)
    clock, draws = Clock.of(time_limit, memory_limit), Draws(seed)
    counting = Counting(table, sensitive)
    attributes = attributes_of(table, hierarchies, categorical=categorical)
    require_reachable(counting, model)
    search = _Mondrian(table, model, counting, attributes, draws.places(table) if relaxed else None, clock)
    class_of = search.run()
    return verified(
        Partition(table, class_of),
        model,
        method="Mondrian, relaxed" if relaxed else "Mondrian, strict",
        attributes=attributes,
        sensitive=counting.sensitive,
        done={"rounds": search.rounds, "cuts made": search.made, "cuts refused": search.refused},
        conventions={
            "recoding": (
                "multidimensional, relaxed: records at the median are divided"
                if relaxed
                else "multidimensional, strict: records of equal quasi-identifiers share a class"
            ),
            "choice of the attribute": "greatest NCP of the class; where its cut is refused, the next",
            "place of a cut": "lower median, to the left; below it where it is the greatest; a hierarchy's children",
            "ties": "the attribute that comes first in the table; records at the median by the other "
            "quasi-identifiers, then by a drawn number"
            if relaxed
            else "the attribute that comes first in the table",
            "draws": draws.text if relaxed else NOTHING_DRAWN,
        },
    )


class _Mondrian:
    """The state of a run: the class of each record, and which classes may still be cut."""

    def __init__(
        self,
        table: Microdata,
        model: PrivacyModel,
        counting: Counting,
        attributes: tuple[Hierarchical | Numeric | Categorical, ...],
        tie: IntArray | None,
        clock: Clock,
    ) -> None:
        self.model, self.counting, self.tie, self.clock = model, counting, tie, clock
        self.attributes = attributes
        self.codes = [column.codes for column in table.quasi_identifiers]
        self.ranks = [*map(ranks_of, attributes)]
        self.class_of = np.zeros(len(table), dtype=np.int64)
        self.rounds = self.made = self.refused = 0

    def run(self) -> IntArray:
        """Cut until no class can be cut, and return the class of each record."""
        open_rows = np.arange(len(self.class_of))
        while len(open_rows) and self.attributes:
            self.rounds += 1
            open_rows = self._round(open_rows)
        return np.unique(self.class_of, return_inverse=True)[1].reshape(-1)

    def _round(self, rows: IntArray) -> IntArray:
        """Try to cut every open class once; return the records of the classes that were cut."""
        _, numbers = np.unique(self.class_of[rows], return_inverse=True)
        order = np.argsort(numbers, kind="stable")
        rows, numbers = rows[order], numbers[order]
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        widths = self._widths(rows, starts)
        preference = np.argsort(-widths, axis=0, kind="stable")
        pending = np.ones(len(starts), dtype=bool)
        cut_rows = []
        for chosen in preference:
            self.clock.check(f"cutting classes: {self.made:,} cuts were made and {self.refused:,} refused")
            pending &= widths[chosen, np.arange(len(starts))] > 0  # the rest are no wider
            if not pending.any():
                break
            part, cut = np.full(len(rows), -1, dtype=np.int64), pending[numbers]
            for a in np.unique(chosen[pending]).tolist():
                mine = cut & (chosen[numbers] == a)
                part[mine] = self._parts(a, rows[mine], numbers[mine])
            keys, parts = np.unique(np.stack([numbers[cut], part[cut]]), axis=1, return_inverse=True)
            allowed = self._allowed(rows[cut], keys[0], parts.reshape(-1), len(starts)) & pending
            made = allowed[numbers]
            fresh = int(self.class_of.max()) + 1
            self.class_of[rows[made]] = fresh + parts.reshape(-1)[made[cut]]
            cut_rows.append(rows[made])
            self.made += int(allowed.sum())
            self.refused += int((pending & ~allowed).sum())
            pending &= ~allowed
        return np.sort(np.concatenate(cut_rows)) if cut_rows else np.zeros(0, dtype=np.int64)

    def _widths(self, rows: IntArray, starts: IntArray) -> IntArray:
        """Return the NCP of each attribute and class in one common unit, shape (attributes, classes)."""
        unit = math.lcm(*map(NCP.unit, self.attributes))
        found = []
        for attribute, codes in zip(self.attributes, self.codes, strict=True):
            scale = unit // NCP.unit(attribute)
            ncps = NCP.of_labels(attribute, codes[rows], starts)
            found.append((ncps if fits_int64(unit) else ncps.astype(object)) * scale)  # an NCP is at most 1
        return np.stack(found)

    def _parts(self, a: int, rows: IntArray, numbers: IntArray) -> IntArray:
        """Return which part of its class each record goes to, when the classes are cut on attribute a."""
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        attribute, ranks, codes = self.attributes[a], self.ranks[a], self.codes[a][rows]
        if self.tie is None or isinstance(attribute, Hierarchical):
            return strict_parts(attribute, ranks, codes, starts)
        sizes = np.diff(starts, append=len(rows))
        part = np.empty(len(rows), dtype=np.int64)
        order = np.lexsort((self.tie[rows], ranks[codes], numbers))
        part[order] = np.arange(len(rows)) - np.repeat(starts, sizes) >= np.repeat((sizes + 1) // 2, sizes)
        return part

    def _allowed(self, rows: IntArray, class_of_part: IntArray, parts: IntArray, classes: int) -> npt.NDArray[np.bool_]:
        """Say for each class whether all its parts satisfy the model."""
        bad = violating(self.model, self.counting.of(parts, rows))
        allowed = np.ones(classes, dtype=bool)
        allowed[class_of_part[bad]] = False
        return allowed
