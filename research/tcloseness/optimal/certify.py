"""Certificates of programs over given classes: the table they are about, and the proof of what is kept of each class.

What says `Optimal` here is the checker: what it does not accept is answered with the bound that it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.certificates import Envelope, Reading
from tcloseness.certificates.generalization import GENERALIZATION, NO_GENERALIZATION, Showing, shown_of
from tcloseness.certificates.keeping import HIDING, NO_HIDING, NO_SUPPRESSION, SUPPRESSION, Asked, kept_of
from tcloseness.errors import CertificateError, InputError, NotCertified, TimeLimitReached
from tcloseness.exact import IntArray, number_text
from tcloseness.ground import ground_distance
from tcloseness.limits import Clock
from tcloseness.loss import Loss
from tcloseness.microdata import ClassCounts, Domain, Hierarchy
from tcloseness.microdata.canonical import canonical_value
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.models.certified import CertifiedTable, conditions_over
from tcloseness.models.conditions import LeastRecords, MostDistance, conditions_of, parts_of
from tcloseness.optimal.keeping import Keeper, Kept, Split, TreeNode
from tcloseness.optimal.shown_values import SCALE, Reader, Solved
from tcloseness.release import Release
from tcloseness.release.rows import texts_of
from tcloseness.strict_records import Work

__all__ = ["KeptProof", "ShownProof", "prove_kept", "table_of", "too_small"]

_CELLS = 2**22
"""So many counts are looked at together."""


def table_of(release: Release | None, sensitive: str) -> tuple[CertifiedTable, list[int]]:
    """Return the table that given classes are of as checkers read it, and their node.

    Whole levels are a node of the lattice of the original; of other releases the published table is read, with its
    labels as texts.

    Raises
    ------
    NotCertified
        If it is not known, or records are suppressed in it already.
    """
    if release is None:
        raise NotCertified("not certified: class counts were given, which name no table; give a Release")
    if release.suppressed:
        raise NotCertified("not certified: no checker for a release in which records are suppressed already")
    levels = release.levels
    if all(level is not None for level in levels.values()):
        hierarchies = {name: each.hierarchy for name, each in release.recodings.items() if each.hierarchy is not None}
        return CertifiedTable.of(release.original, sensitive, hierarchies), [
            int(level or 0) for level in levels.values()
        ]
    published = release.released
    texts = {name: Domain.declare(texts_of(published.domains[name], name).tolist()) for name in levels}
    shown = replace(published, domains={**published.domains, **texts})
    return CertifiedTable.of(shown, sensitive), [0] * len(levels)


class _Timed(Work):
    """The work of checking, without a limit of its own: it may go on a little beyond the search that it checks.

    Raises
    ------
    TimeLimitReached
        By `spend`, once the limit of time is passed by more than that.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__(None)
        self._clock = clock

    def spend(self, units: float, what: str) -> None:
        limit = self._clock.time_limit
        if limit is not None and self._clock.seconds > limit + max(0.8, limit / 12):
            raise TimeLimitReached(f"{what} could not be checked within {limit} seconds")


@dataclass(frozen=True)
class KeptProof:
    """What a checker accepted of what is kept of each class.

    Attributes
    ----------
    entries
        As `tcloseness.certificates.keeping` reads them.
    bound
        No more can be kept of all classes together.
    violating
        How many classes violate.
    hidden
        Whether sensitive values are hidden, not records suppressed.
    """

    entries: list[dict[str, Any]]
    kept: int
    bound: int
    violating: int
    hidden: bool

    def certificate(
        self, release: Release | None, sensitive: str, model: PrivacyModel, reading: Reading | None, file_sha256: str
    ) -> Envelope:
        """Return the certificate, checked as anybody would.

        Raises
        ------
        NotCertified
            As `table_of`, or if nothing is known to be kept and yet not that nothing can be.
        """
        table, node = table_of(release, sensitive)
        records = sum(table.counts.counts.values())
        proof: dict[str, Any] = {"node": node, "classes": self.entries}
        task = NO_HIDING if self.hidden else NO_SUPPRESSION
        if self.bound:
            task = HIDING if self.hidden else SUPPRESSION
            proof |= {"enough": records - self.kept, "least": records - self.bound}
        return table.sealed(task, model, proof, reading=reading, file_sha256=file_sha256)


def prove_kept(
    classes: ClassCounts,
    model: PrivacyModel,
    keeper: Keeper | None,
    reasons: Sequence[Kept],
    violating: Sequence[int],
    clock: Clock,
    *,
    hidden: bool,
) -> KeptProof:
    """Return what the checker accepts of what is kept of each class.

    Parameters
    ----------
    classes, model, keeper, reasons
        What was asked, of whom, and what is kept of each class.
    violating
        The classes that violate what is asked of what is kept.
    clock
        That of the search; what it does not leave the time for is not checked.
    hidden
        Whether sensitive values are hidden, not records suppressed.

    Raises
    ------
    NotCertified
        If no checker knows a condition of the model.
    CertificateError
        If the checker refuses what is kept.
    TimeLimitReached
        If there was no time to check it.
    """
    for part in parts_of(model) if hidden else ():
        sizes = [isinstance(each, LeastRecords) for each in conditions_of(part) or ()]
        if any(sizes) and not all(sizes):
            raise NotCertified(f"not certified: no checker for {part.name}, which asks for records that show a value")
    values = [canonical_value(value) for value in classes.domain.values]
    conditions = conditions_over(model, classes.domain, values, classes.reference.tolist())
    conditions.work = _Timed(clock)
    asked = Asked(conditions, hidden=hidden)
    prices = _Prices(classes.domain, keeper, model, asked)
    found: dict[tuple[int, ...], dict[str, Any]] = {}
    for g in violating:
        counts = tuple(classes.vector(g))
        if counts not in found:
            found[counts] = prices.entry(counts, reasons[g])
    entries = list(found.values())
    try:
        kept, bound, many = kept_of(_blocks(classes), conditions, entries, hidden=hidden)
    except CertificateError:
        entries = [_accepted(each, asked) for each in entries]
        kept, bound, many = kept_of(_blocks(classes), conditions, entries, hidden=hidden)
    return KeptProof(entries, kept, bound, many, hidden)


def _accepted(entry: dict[str, Any], asked: Asked) -> dict[str, Any]:
    """Return an entry, or if its proof is refused only what a class that violates says by itself."""
    try:
        asked.bound(entry["counts"], entry, "an entry")
    except CertificateError:
        return {**entry, "bound": sum(entry["counts"]) - 1, "above": None, "sizes": []}
    return entry


def _blocks(classes: ClassCounts) -> Iterator[IntArray]:
    """Yield the counts of all classes, some classes at a time."""
    m = len(classes.domain)
    step = max(_CELLS // m, 1)
    for first in range(0, len(classes), step):
        many = min(step, len(classes) - first)
        cells = slice(int(classes.starts[first]), int(classes.starts[first + many]))
        block = np.zeros((many, m), dtype=np.int64)
        block[classes.class_of_cell[cells] - first, classes.values[cells]] = classes.counts[cells]
        yield block


class _Prices:
    """Where the checker expects the price of each cut of each distance, and in which unit."""

    def __init__(self, domain: Domain, keeper: Keeper | None, model: PrivacyModel, asked: Asked) -> None:
        self._of: list[tuple[int, list[int], int, int]] = []
        distances = [
            each for part in parts_of(model) for each in conditions_of(part) or () if isinstance(each, MostDistance)
        ]
        for each in () if keeper is None else keeper.distances:
            place = distances.index(each)
            cuts, read = ground_distance(each.ground, domain).cuts, asked.distances[place]
            assert cuts is not None  # or it would not be the keeper's
            mine = {
                (high - low, int(cuts.order[low:high].min())): k
                for k, (low, high) in enumerate(zip(cuts.low.tolist(), cuts.high.tolist(), strict=True))
            }
            at = [mine[high - low, min(read.order[low:high])] for low, high, _ in read.sets]
            self._of.append((place, at, *Fraction(read.denominator, cuts.denominator).as_integer_ratio()))

    def _by(self, distance: int, given: Sequence[int]) -> dict[str, Any]:
        place, at, above, below = self._of[distance]
        prices = [given[k] * above for k in at]
        if below > 1:  # towards 0: none is beyond its bound
            prices = [price // below if price >= 0 else -(-price // below) for price in prices]
        return {"distance": place, "prices": prices}

    def _node(self, node: TreeNode) -> dict[str, Any] | None:
        if isinstance(node, Split):
            return {"value": node.value, "most": node.most}
        return None if node is None else self._by(*node)

    def entry(self, counts: Sequence[int], kept: Kept) -> dict[str, Any]:
        """Return what the checker reads of one class; prices of 0 need not be written."""
        trees: dict[int, tuple[TreeNode, ...]] = {size: ((0, each),) for size, each in kept.prices.items() if any(each)}
        above = None
        if kept.potential is not None:
            above = {"size": kept.excluded, **self._by(kept.distance, kept.potential)}
        return {
            "counts": list(counts),
            "kept": [kept.counts.get(v, 0) for v in range(len(counts))],
            "bound": kept.bound if kept.known is None else kept.known,
            "above": above,
            "sizes": [
                {"size": size, "tree": [self._node(node) for node in tree]}
                for size, tree in {**trees, **kept.trees}.items()
            ],
        }


# ---------------------------------------------------------------------- values shown as nodes


def too_small(
    release: Release | None, sensitive: str, model: PrivacyModel, reading: Reading | None, file_sha256: str
) -> Envelope:
    """Return the certificate that the smallest class has too few records, however its values are shown.

    Raises
    ------
    NotCertified
        As `table_of`.
    """
    table, node = table_of(release, sensitive)
    nodes = table.nodes
    class_of = nodes.class_of(tuple(node))
    sizes = np.zeros(int(class_of.max()) + 1, dtype=np.int64)
    np.add.at(sizes, class_of, nodes.counts)
    row = int(np.argmax(class_of == np.argmin(sizes)))
    labels = [list(nodes.labels[i][level])[int(nodes.codes[i][level][row])] for i, level in enumerate(node)]
    proof = {"node": node, "class": labels}
    return table.sealed(NO_GENERALIZATION, model, proof, reading=reading, file_sha256=file_sha256)


class ShownProof:
    """The certificate of how all classes are shown.

    Attributes
    ----------
    refused
        Why there is none; empty if there is one.
    """

    def __init__(self, reader: Reader, model: PrivacyModel, loss: Loss, hierarchy: Hierarchy) -> None:
        self._reader, self._model, self.refused = reader, model, ""
        self._loss, self._bound = _LOSSES.get(getattr(loss, "checked_as", None) or "", ""), Fraction(0)
        self._rows = [[value_text(cell) for cell in path] for path in hierarchy.paths]
        self._entries: list[dict[str, Any]] = []
        classes = reader.classes
        try:
            if not self._loss:
                raise NotCertified(f"not certified: no checker for the loss {loss.name} of sensitive values")
            values = [canonical_value(value) for value in classes.domain.values]
            self._conditions = conditions_over(model, classes.domain, values, reader.reference)
            reader.showing = Showing(self._conditions, self._rows, self._loss)
        except (CertificateError, InputError) as error:
            self._refuse(error)

    def _refuse(self, error: Exception) -> None:
        refused = isinstance(error, NotCertified)
        self.refused = str(error) if refused else f"not certified: the checker refuses it: {error}"

    def accepted(self, solved: Mapping[tuple[tuple[int, int], ...], Solved]) -> Fraction | None:
        """Return the bound that the checker accepts; None if there is no certificate."""
        showing, classes = self._reader.showing, self._reader.classes
        if self.refused or showing is None:
            return None
        self._entries = [self._entry(dict(row), one) for row, one in solved.items()]
        try:
            try:
                found = shown_of(_blocks(classes), self._conditions, showing, self._entries)
            except CertificateError:
                self._entries = [self._without(each) for each in self._entries]
                found = shown_of(_blocks(classes), self._conditions, showing, self._entries)
        except InputError as error:  # beyond what is checked
            self._refuse(error)
            return None
        self._bound = found[1]
        return self._bound

    def _entry(self, row: Mapping[int, int], one: Solved) -> dict[str, Any]:
        reader, counts = self._reader, [0] * len(self._reader.reference)
        for v, count in row.items():
            counts[v] = count
        shown = [
            [v, None if node == reader.leaf(v) else reader.number(node), records]
            for (v, node), records in one.shown.items()
        ]
        return {"counts": counts, "shown": shown, "scale": SCALE, "tree": list(one.tree) or [reader.unpriced]}

    def _without(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Return an entry, or if its proof is refused, one that says only that no cost is below 0."""
        assert self._reader.showing is not None
        try:
            self._reader.showing.least(entry["counts"], entry["scale"], entry["tree"])
        except CertificateError:
            return {**entry, "tree": [self._reader.unpriced]}
        return entry

    def certificate(
        self, source: Release | None, value: Fraction, reading: Reading | None, file_sha256: str
    ) -> Envelope:
        """Return the certificate, checked as anybody would.

        Raises
        ------
        NotCertified
            As `table_of`.
        """
        table, node = table_of(source, self._reader.classes.sensitive)
        proof = {
            "node": node,
            "hierarchy": self._rows,
            "loss": self._loss,
            "value": number_text(value),
            "bound": number_text(self._bound),
            "classes": self._entries,
        }
        return table.sealed(GENERALIZATION, self._model, proof, reading=reading, file_sha256=file_sha256)


_LOSSES = {"ncp": "ncp", "gcp": "ncp", "lm": "lm", "mean-height": "height"}
"""By a loss's name for checkers, what the share that a node costs is called there."""
