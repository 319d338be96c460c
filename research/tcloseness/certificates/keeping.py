"""Checkers of what can be kept of each class of a node: records that stay, or sensitive values that are shown.

Of a class with n_v records of each value v, x_v ≤ n_v are kept, X = Σ x_v; nothing is kept of a class that is gone. Q
stays that of all N records, so no class knows of another. Each class that violates has an entry: what is kept of it,
which satisfies, and why no more can be: every size Y above its `bound` is excluded, by what all x ≤ n of a size have in
common. What is asked besides is not used.

* A share of at most κ_v: x_v ≤ min(n_v, ⌊κ_v·Y⌋).
* r_1 < c·(r_l + … + r_m), and least numbers of values: if it fails when every x_v is the lesser of its bound and λ,
  then for every x with r_1 ≥ λ, also of lesser sizes. And of the x of one size within bounds, the most even has the
  least r_1, the least sum of its greatest l − 1 and the most values.
* A distance by sets S, t = a/b, weights w_S/D: with whole prices |β_S| ≤ N·w_S and u_v = Σ_{S ∋ v} β_S every close x
  has Σ x_v·d_v ≤ 0, d_v = b·(N·u_v − Σ_j N_j·u_j) − a·D·N². If no real x of a size, within the bounds on shares, has
  that, none of a greater size has, since a part of it would. And with any prices
  Σ_S w_S·|N·x(S) − Y·N(S)| ≥ Σ_S min_z (w_S·|N·z − Y·N(S)| − β_S·z) + min Σ x_v·u_v over the x of size Y.
* Where that is not enough, a size is split: into the x with x_v ≤ k and those with x_v > k, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.envelope import Task
from tcloseness.certificates.grounds import cuts_of
from tcloseness.certificates.nodes import Nodes
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError
from tcloseness.exact import IntArray
from tcloseness.strict_records import cells, fields, listed, whole

__all__ = ["HIDING", "NO_HIDING", "NO_SUPPRESSION", "SUPPRESSION", "TASKS", "Asked", "PricedDistance", "kept_of"]

SUPPRESSION, NO_SUPPRESSION = "tcloseness-suppression-certificate-1", "tcloseness-no-suppression-certificate-1"
HIDING, NO_HIDING = "tcloseness-hiding-certificate-1", "tcloseness-no-hiding-certificate-1"

_ENTRY = ("counts", "kept", "bound", "above", "sizes")
_MOST = 2**53


class PricedDistance:
    """A distance of at most t, and what prices of its sets exclude.

    Attributes
    ----------
    order, sets
        The values' places, and the sets as (first, behind the last, weight) of them, in the order of their prices: by
        size, then by the least place. Equal sets are one, of the sum of their weights; that of all values, which parts
        none, is left out.
    denominator
        Of the weights.
    """

    def __init__(self, record: Mapping[str, Any], conditions: Conditions) -> None:
        reference: list[int] = conditions.reference.tolist()
        places, sets, self.denominator = cuts_of(record["ground"], len(reference))
        conditions.work.spend(sum(1000 + high - low for low, high, _ in sets), "the sets of a ground distance")
        self.sets = sorted(
            (each for each in sets if each[1] - each[0] < len(reference)),
            key=lambda each: (each[1] - each[0], int(places[each[0] : each[1]].min())),
        )
        self.order, self._reference, self._total = places.tolist(), reference, sum(reference)
        behind = [0, *accumulate(reference[v] for v in self.order)]
        self._theirs: list[int] = [behind[high] - behind[low] for low, high, _ in self.sets]
        self._t = Fraction(record["t"])

    @property
    def numbers(self) -> list[int]:
        """What is multiplied when prices are checked."""
        return [self._total, self.denominator, *self._t.as_integer_ratio(), *(int(weight) for *_, weight in self.sets)]

    def prices(self, given: object, what: str) -> list[int]:
        """Read a price for each set."""
        entries = listed(given, what, length=len(self.sets))
        most = (self._total * weight for *_, weight in self.sets)
        return [whole(price, what, least=-most, most=most) for price, most in zip(entries, most, strict=True)]

    def _by_place(self, prices: Sequence[int]) -> list[int]:
        """Return u_v for each value of the order."""
        steps = [0] * (len(self.order) + 1)
        for price, (low, high, _) in zip(prices, self.sets, strict=True):
            steps[low] += price
            steps[high] -= price
        return list(accumulate(steps[:-1]))

    def excludes_from(self, size: int, most: Sequence[int], prices: Sequence[int]) -> bool:
        """Say whether no real x of a size within 0 … most has Σ x_v·d_v ≤ 0."""
        total, (a, b) = self._total, self._t.as_integer_ratio()
        u = self._by_place(prices)
        mean = sum(self._reference[v] * price for v, price in zip(self.order, u, strict=True))
        allowed = a * self.denominator * total**2
        slopes = [b * (total * price - mean) - allowed for price in u]
        least, left = _cheapest(zip(slopes, (most[v] for v in self.order), strict=True), size)
        return left > 0 or least > 0

    def too_far(self, size: int, low: Sequence[int], high: Sequence[int], prices: Sequence[int]) -> bool:
        """Say whether all whole x of a size within bounds, of which there are some, are beyond t, by these prices."""
        total, (a, b) = self._total, self._t.as_integer_ratio()
        least = [0, *accumulate(low[v] for v in self.order)]
        most = [0, *accumulate(high[v] for v in self.order)]
        work = 0
        for (first, end, weight), price, theirs in zip(self.sets, prices, self._theirs, strict=True):
            bottom, top, share = least[end] - least[first], most[end] - most[first], size * theirs
            z = min(
                max(share // total, bottom), top
            )  # no price is steeper than the work, so it is least beside the share
            more = min(z + 1, top)
            work += min(weight * abs(total * x - share) - price * x for x in (z, more))
        u = self._by_place(prices)
        work += sum(price * low[v] for price, v in zip(u, self.order, strict=True))
        room = ((price, high[v] - low[v]) for price, v in zip(u, self.order, strict=True))
        work += _cheapest(room, size - least[-1])[0]
        return bool(b * work > a * self.denominator * total * size)


class Asked:
    """What a model asks of what is kept of each class, as far as it bounds how much that is.

    Parameters
    ----------
    conditions
        What is asked.
    hidden
        Whether ``records`` are asked of all records of a class and not of those that are kept, which show their values.

    Attributes
    ----------
    distances
        Those of the model, in its order.
    total
        N.
    """

    def __init__(self, conditions: Conditions, *, hidden: bool) -> None:
        places = {value: place for place, value in enumerate(conditions.values)}
        reference, self._work = conditions.reference.tolist(), conditions.work
        self._m, self.total = len(reference), sum(reference)
        self._least, self._values = 1, 0
        self._tails: list[tuple[int, int, int]] = []  # l, c
        self._most: dict[int, Fraction] = {}
        self.distances: list[PricedDistance] = []
        for record in conditions.model:
            kind = record["condition"]
            if kind == "records" and not hidden:
                self._least = max(self._least, record["least"])
            elif kind == "values":
                self._values = max(self._values, record["least"])
            elif kind == "tail" and record["l"] > 1:
                self._tails.append((record["l"], *Fraction(record["c"]).as_integer_ratio()))
            elif kind == "share":
                named = conditions.values if record["values"] is None else record["values"]
                self._bound({places[v]: Fraction(record["most"]) for v in named if v in places})
            elif kind == "gain":
                gain = 1 + Fraction(record["most"])
                self._bound({v: gain * Fraction(count, self.total) for v, count in enumerate(reference)})
            elif kind == "distance":
                self.distances.append(PricedDistance(record, conditions))
        self._unit = math.lcm(*(share.denominator for share in self._most.values()))
        numbers = [self._unit, *(x for tail in self._tails for x in tail)]
        numbers += [x for each in self.distances for x in each.numbers]
        sets = sum(len(each.sets) for each in self.distances)
        self._step = 200 * (20 + self._m + sets) * cells(2 * max(numbers).bit_length())

    def _bound(self, shares: Mapping[int, Fraction]) -> None:
        for v, share in shares.items():
            if share < 1:
                self._most[v] = min(share, self._most.get(v, share))

    def bound(self, counts: Sequence[int], entry: Mapping[str, Any], what: str) -> int:
        """Return what an entry says to be the most that can be kept of a class that violates, once all sizes above it
        are excluded.

        Raises
        ------
        CertificateError
            If one is not.
        """
        size, bound = sum(counts) - 1, whole(entry["bound"], f"{what}.bound", most=_MOST)
        if entry["above"] is not None:
            record = fields(entry["above"], ("size", "distance", "prices"), f"{what}.above")
            first = whole(record["size"], f"{what}.above.size", least=1, most=_MOST)
            distance, prices = self._priced(record, f"{what}.above")
            self._spend()
            if not distance.excludes_from(first * self._unit, self._box(counts, first, self._unit), prices):
                raise CertificateError(f"{what}: the potential does not exclude {counted(first, 'record')}")
            size = min(size, first - 1)
        trees: dict[int, list[Any]] = {}
        for i, each in enumerate(listed(entry["sizes"], f"{what}.sizes")):
            record = fields(each, ("size", "tree"), f"{what}.sizes[{i}]")
            place = whole(record["size"], f"{what}.sizes[{i}].size", least=1, most=_MOST)
            if place in trees:
                raise CertificateError(f"{what} names the size {place} twice")
            trees[place] = listed(record["tree"], f"{what}.sizes[{i}].tree", least=1)
        while size > bound and size >= self._least:
            self._spend()
            most = self._box(counts, size)
            room = self._room(most)
            if room < size:
                size = room
            else:
                self._exclude(size, most, trees.get(size, [None]), what)
                size -= 1
        return bound

    def _priced(self, record: Mapping[str, Any], what: str) -> tuple[PricedDistance, list[int]]:
        place = whole(record["distance"], f"{what}.distance", most=len(self.distances) - 1)
        return self.distances[place], self.distances[place].prices(record["prices"], f"{what}.prices")

    def _spend(self) -> None:
        self._work.spend(self._step, "the sizes of classes")

    # ------------------------------------------------------------------ what excludes sizes

    def _box(self, counts: Sequence[int], size: int, unit: int = 1) -> list[int]:
        """Return the most of each value in what has a size, in parts of a record."""
        most = [count * unit for count in counts]
        for v, share in self._most.items():
            most[v] = min(most[v], share.numerator * size * unit // share.denominator)
        return most

    def _room(self, most: Sequence[int]) -> int:
        """Return a size that nothing within these bounds is above, nor within lesser ones."""
        if sum(count > 0 for count in most) < self._values:
            return 0
        if not self._tails:
            return sum(most)
        falling = sorted(most, reverse=True)
        level = _last(falling[0], lambda level: self._holds([min(count, level) for count in falling], level))
        return sum(min(count, level) for count in most)

    def _holds(self, falling: Sequence[int], first: int) -> bool:
        return all(first * below < above * sum(falling[rank - 1 :]) for rank, above, below in self._tails)

    def _exclude(self, size: int, most: Sequence[int], tree: Sequence[Any], what: str) -> None:
        """Check that nothing within 0 … most has a size and satisfies, by a tree of splits: itself, then what is within
        the first part, then what is within the second."""
        boxes = [([0] * self._m, list(most))]
        for i, node in enumerate(tree):
            if not boxes:
                raise CertificateError(f"{what}: the tree of the size {size} goes on after its end")
            low, high = boxes.pop()
            self._spend()
            here = f"{what}, size {size}, tree[{i}]"
            if type(node) is dict and "value" in node:
                record = fields(node, ("value", "most"), here)
                v = whole(record["value"], f"{here}.value", most=self._m - 1)
                k = whole(record["most"], f"{here}.most", most=_MOST)
                boxes.append(([max(x, k + 1) if j == v else x for j, x in enumerate(low)], high))
                boxes.append((low, [min(x, k) if j == v else x for j, x in enumerate(high)]))
                continue
            by = [(distance, [0] * len(distance.sets)) for distance in self.distances]
            if node is not None:
                by = [self._priced(fields(node, ("distance", "prices"), here), here)]
            if any(a > b for a, b in zip(low, high, strict=True)) or not sum(low) <= size <= sum(high):
                continue
            if self._uneven(size, low, high):
                continue
            if not any(distance.too_far(size, low, high, prices) for distance, prices in by):
                raise CertificateError(f"{here}: it is not shown that no {counted(size, 'record')} can be kept")
        if boxes:
            raise CertificateError(f"{what}: the tree of the size {size} is not whole")

    def _uneven(self, size: int, low: Sequence[int], high: Sequence[int]) -> bool:
        """Say whether the most even counts of a size within bounds lack values, or have too small a tail."""
        if not self._tails and not self._values:
            return False

        def at(level: int) -> list[int]:
            return [min(max(level, a), b) for a, b in zip(low, high, strict=True)]

        level = _last(max(high), lambda level: sum(at(level)) <= size)
        even = at(level)
        over = size - sum(even)
        for v in range(self._m):
            if over and low[v] <= level < high[v]:
                even[v] += 1
                over -= 1
        even.sort(reverse=True)
        return sum(count > 0 for count in even) < self._values or not self._holds(even, even[0])


def _cheapest(given: Iterable[tuple[int, int]], size: int) -> tuple[int, int]:
    """Return the least price of a size, of things with a price and a greatest number; and how much is not to be had."""
    found = 0
    for price, most in sorted(given):
        taken = min(size, most)
        found += price * taken
        size -= taken
    return found, size


def _last(most: int, holds: Callable[[int], bool]) -> int:
    """Return the greatest number in 0 … most for which something holds that holds for 0 and then up to some number."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


# ---------------------------------------------------------------------- all classes


def kept_of(
    classes: Iterable[IntArray], conditions: Conditions, entries: object, *, hidden: bool
) -> tuple[int, int, int]:
    """Return how much is kept of all classes, how much can be at most, and how many of them violate.

    Parameters
    ----------
    classes
        Their counts in blocks, shape (classes, m) each.
    conditions
        What is asked of a class.
    entries
        The entries of those that violate, see above; equal classes have one.
    hidden
        See `Asked`; then conditions on records are not looked at.

    Raises
    ------
    CertificateError, InputError
        If an entry does not show what it says, is missing or of no class, or is not of its form.
    """
    asked = Asked(conditions, hidden=hidden)
    m = len(conditions.values)
    if hidden:
        shown = [record for record in conditions.model if record["condition"] != "records"]
        work, conditions = conditions.work, Conditions(shown, conditions.values, conditions.reference.tolist())
        conditions.work = work
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    rows, names = [], []
    for i, each in enumerate(listed(entries, "classes")):
        what = f"classes[{i}]"
        entry = fields(each, _ENTRY, what)
        counts, kept = (
            tuple([whole(count, f"{what}.{name}[]", most=_MOST) for count in listed(entry[name], what, length=m)])
            for name in ("counts", "kept")
        )
        if any(x > n for x, n in zip(kept, counts, strict=True)):
            raise CertificateError(f"{what}: more is kept than there is")
        if counts in found or not 0 < sum(counts) <= _MOST:
            raise CertificateError(f"{what} is of no class, or of one that has an entry")
        bound = asked.bound(counts, entry, what)
        if sum(kept) > bound:
            raise CertificateError(f"{what}: {counted(sum(kept), 'record')} kept, more than its bound {bound}")
        found[counts] = sum(kept), bound
        if any(kept):
            rows.append(kept)
            names.append(what)
    if rows:
        for what, broken in zip(names, conditions.violating(np.array(rows, dtype=np.int64)).tolist(), strict=True):
            if broken:
                raise CertificateError(f"{what}: what is kept violates the model")
    kept_records = most_records = violating = 0
    used = set()
    for block in classes:
        bad = conditions.violating(block)
        good = int(block[~bad].sum())
        kept_records, most_records, violating = kept_records + good, most_records + good, violating + int(bad.sum())
        for row in map(tuple, block[bad].tolist()):
            if row not in found:
                raise CertificateError(f"the class with the counts {list(row)} violates and has no entry")
            used.add(row)
            kept_records += found[row][0]
            most_records += found[row][1]
    if len(used) < len(found):
        raise CertificateError(
            f"{counted(len(found) - len(used), 'entry', 'entries')} of classes that are not there, or satisfy"
        )
    return kept_records, most_records, violating


def _check(
    nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any], *, things: str, hidden: bool, any_kept: bool
) -> str:
    """Check what is kept of the classes of a node, or that nothing can be; return what was found, in words."""
    keys = ("values", "node", "classes", *(("enough", "least") if any_kept else ()))
    record = fields(proof, keys, "proof")
    node = nodes.node(record["node"], "node")
    at = f"at the node {list(node)}"
    if hidden:
        of_records = [each for each in conditions.model if each["condition"] == "records"]
        small = nodes.violates(node, Conditions(of_records, conditions.values, conditions.reference.tolist()))
        if small and not any_kept and not listed(record["classes"], "classes"):
            return f"a class {at} has too few records, which no hiding changes"
        if small:
            raise CertificateError(f"a class {at} has too few records")
    kept, most, violating = kept_of(nodes.classes(node), conditions, record["classes"], hidden=hidden)
    many = "1 class violates" if violating == 1 else f"{violating:,} classes violate"
    of, where = f"of {nodes.records:,} {things}", f"{at}, where {many}"
    if not any_kept:
        if most:
            raise CertificateError(f"it is not shown that {most} of the {things} cannot be kept")
        return f"none {of} can be kept {where}"
    enough, least = (whole(record[name], name, most=_MOST) for name in ("enough", "least"))
    if (enough, least) != (nodes.records - kept, nodes.records - most):
        raise CertificateError(
            f"enough and least are {enough} and {least}; by the entries {nodes.records - kept} and "
            f"{nodes.records - most}"
        )
    if not kept:
        raise CertificateError("nothing is kept, and a table without records is not a release")
    fewer = "fewer" if enough == least else f"fewer than {least:,}"
    return f"{enough:,} {of} go, and {fewer} are not enough, {where}"


TASKS = (
    Task(
        SUPPRESSION,
        "at `node`, and with the reference of all records, suppression of `enough` records leaves classes that satisfy "
        "the model, and suppression of fewer than `least` does not",
        partial(_check, things="records", hidden=False, any_kept=True),
    ),
    Task(
        NO_SUPPRESSION,
        "at `node`, and with the reference of all records, no records of any class satisfy the model",
        partial(_check, things="records", hidden=False, any_kept=False),
    ),
    Task(
        HIDING,
        "at `node`, and with the reference of all records, all classes have enough records; if `enough` sensitive "
        "values are hidden, then the values that each class shows satisfy the model, or it shows none; if fewer than "
        "`least` are hidden, that is not so",
        partial(_check, things="sensitive values", hidden=True, any_kept=True),
    ),
    Task(
        NO_HIDING,
        "at `node`, and with the reference of all records, a class has too few records, or no values of any class "
        "satisfy the model",
        partial(_check, things="sensitive values", hidden=True, any_kept=False),
    ),
)
