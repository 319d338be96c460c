"""Checkers of partitions: that no partition of the records into classes that satisfy a model loses less.

Records of one combination of values are alike, and are called a kind; where the model asks for numbers of records
alone, the sensitive value is left out of it. A class costs |C|·E(C) + c(|C|), by its penalty E, which never falls when
a record joins, and by its size. Costs are whole numbers of 1/u. Whatever the prices p of kinds and the dues σ ≥ 0 of
cuts are, in units of 1/S, let r(C) = S·cost(C) − p(C) + σ(C), where a class pays the due of a cut ⌊Σ w_i·c_i/d⌋ times.
A partition pays it at most ⌊Σ w_i·n_i / d⌋ times, since ⌊·⌋ of a sum is no less than the sum of the ⌊·⌋, so

    S·cost ≥ base + Σ over classes of r,    base = p(all) − Σ σ·⌊Σ w_i·n_i / d⌋ + what suppression can gain,

and a partition has at most K = ⌊N / least size⌋ classes. All classes with r ≤ limit are looked for anew, limit ≥ −1;
let `least` be the least of their r, or 0. A partition with another class costs at least
(base + (K − 1)·least + limit + 1)/S, and one of these classes alone what the leaves of `tree` show: each has prices, by
which the same inequality holds with the least of each class within the bounds that the branches above put on how often
it is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.certificates.branches import settled
from tcloseness.certificates.class_costs import ClassCosts
from tcloseness.certificates.classes import LARGEST, Priced, all_classes
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.envelope import Task
from tcloseness.certificates.nodes import Nodes
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, InputError
from tcloseness.exact import IntArray
from tcloseness.strict_records import Work, canonical_fraction, fields, listed, shown, text, whole

__all__ = ["PARTITION", "TASKS", "check_partition"]

PARTITION = "tcloseness-partition-certificate-1"

_MOST_CELLS = 2**22
"""Kinds of records times records."""
_MOST_FOUND = 2**24
"""Of the classes that are looked for, how many times the kinds."""
_LONGEST = 2**200

_KEYS = (
    "values",
    "attributes",
    "loss",
    "unit",
    "suppressed",
    "kinds",
    "classes",
    "value",
    "bound",
    "scale",
    "cuts",
    "prices",
    "limit",
    "tree",
)


def check_partition(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any], *, work: Work | None = None) -> str:
    """Check that `classes` satisfy and lose `value`, and no partition less than `bound`; return it in words.

    Where these are null, that there is no partition. `work` is how much of it may be done.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    record = fields(proof, _KEYS, "proof")
    work = work or conditions.work
    kinds = _Kinds(nodes, conditions, record["kinds"])
    costs = ClassCosts(nodes, kinds.names, record["attributes"], record["loss"], record["unit"], work)
    most_lost = whole(record["suppressed"], "suppressed", most=kinds.records - 1)
    if most_lost and costs.lost is None:
        raise InputError("by a loss of class sizes that suppression lowers, none is suppressed")
    rows = _Rows(kinds, costs, most_lost, record["scale"], record["cuts"], work)
    if record["classes"] is None:
        if record["value"] is not None or record["bound"] is not None:
            raise InputError("where classes is null, value and bound are null")
        _require_bound(rows, conditions, record, rows.scale * (costs.lost or 0) * kinds.records, work)
        of = counted(kinds.records, "record")
        return f"no classes of {of} satisfy the model, with at most {most_lost:,} of them suppressed"
    value, bound = (canonical_fraction(record[name], name) for name in ("value", "bound"))
    classes, lost = _partition(kinds, record["classes"], most_lost)
    found = costs.loss_of(Fraction(sum(costs.of(classes)) + lost * (costs.lost or 0), costs.unit))
    if found != value:
        raise CertificateError(f"the classes lose {found}, not {record['value']}")
    if bound > value:
        raise CertificateError(f"the bound {record['bound']} lies above the value {record['value']}")
    target = math.ceil(costs.total_of(bound) * costs.unit)
    _require_bound(rows, conditions, record, rows.scale * (target - 1), work)
    gone = f", {lost:,} suppressed" if most_lost else ""
    least = "the least" if bound == value else f"and none loses less than {bound}"
    by = f" ({', '.join(costs.measured)})" if costs.measured else ""
    of = f"{counted(len(classes), 'class')} of {counted(kinds.records, 'record')}"
    return f"{of}{gone}; {record['loss']}{by} = {value}, {least}"


def _require_bound(rows: _Rows, conditions: Conditions, record: Mapping[str, Any], beaten: int, work: Work) -> None:
    """Raise `CertificateError` unless S times the cost of every partition is more than a number."""
    kinds = rows.kinds
    prices, dues = rows.priced(record["prices"], "prices")
    limit = whole(record["limit"], "limit", least=-1, most=_LONGEST)
    found = rows.classes(conditions, prices, dues, limit, work)
    least = min([0, *rows.reduced(found, prices, dues).tolist()])
    base, most = rows.base(prices, dues), kinds.records // kinds.least
    if record["tree"] is None:
        if base + most * least <= beaten:
            raise CertificateError("the prices alone do not show that no partition loses less than the bound")
        return
    if base + (most - 1) * least + limit + 1 <= beaten:
        raise CertificateError("the limit is too small: a class that is not looked for may be part of a better one")
    _Tree(rows, found, beaten, work).check(record["tree"])


class _Kinds:
    """The kinds of records in the order of the proof; `least` and `most` are the sizes of the classes to look at."""

    def __init__(self, nodes: Nodes, conditions: Conditions, given: object) -> None:
        self.conditions, self.records = conditions, nodes.records
        sizes = [record["least"] for record, _ in conditions.each if record["condition"] == "records"]
        self.by_size, self.least = len(sizes) == len(conditions.each), max([1, *sizes])
        self.most = min(self.records, 2 * self.least - 1) if self.by_size else self.records
        names = [list(labels[0]) for labels in nodes.labels]
        columns = [[known[code] for code in codes[0]] for known, codes in zip(names, nodes.codes, strict=True)]
        if not self.by_size:
            columns.append([nodes.values[code] for code in nodes.sensitive])
        counts: dict[tuple[str, ...], int] = {}
        for name, count in zip(zip(*columns, strict=True), nodes.counts.tolist(), strict=True):
            counts[name] = counts.get(name, 0) + count
        entries = listed(given, "kinds", length=len(counts))
        self.names = [tuple(text(part, "kinds[][]") for part in listed(each, "kinds[]")) for each in entries]
        odd = next((name for name in self.names if name not in counts), None)
        if odd is not None or len(set(self.names)) < len(self.names):
            raise CertificateError(f"kinds lists {odd}, which is not one of the table's, or one twice")
        if len(counts) * (self.records + 1) > _MOST_CELLS:
            raise InputError(
                f"partitions of {counted(self.records, 'record')} of {counted(len(counts), 'kind')} are not checked"
            )
        self.counts = np.array([counts[name] for name in self.names], dtype=np.int64)
        place = {value: code for code, value in enumerate(nodes.values)}
        of_kind = np.array([0 if self.by_size else place[name[-1]] for name in self.names], dtype=np.int64)
        self._many = 1 if self.by_size else len(nodes.values)
        self._order = np.argsort(of_kind, kind="stable")
        self._present, self._first = np.unique(of_kind[self._order], return_index=True)

    def satisfying(self, groups: IntArray) -> IntArray:
        """Return those of some groups, shape (groups, kinds), none of them empty, that satisfy the model."""
        kept, step = [groups[:0]], max(1, _MOST_CELLS // self._many)
        for first in range(0, len(groups), step):
            part = groups[first : first + step]
            self.conditions.work.spend(10 * part.size, "what is asked of each class")
            counts = np.zeros((len(part), self._many), dtype=np.int64)
            counts[:, self._present] = np.add.reduceat(part[:, self._order], self._first, axis=1)
            kept.append(part[~self.conditions.violating(counts)])
        return np.concatenate(kept)


def _partition(kinds: _Kinds, given: object, most_lost: int) -> tuple[IntArray, int]:
    """Read the classes, shape (classes, kinds), and how many records are in none; they satisfy."""
    entries = listed(given, "classes", least=1)
    if len(entries) > kinds.records:
        raise InputError(
            f"classes has {counted(len(entries), 'entry', 'entries')}, more than the {counted(kinds.records, 'record')}"
        )
    classes = np.zeros((len(entries), len(kinds.names)), dtype=np.int64)
    for row, entry in zip(classes, entries, strict=True):
        for kind in listed(entry, "classes[]", least=1):
            row[whole(kind, "classes[][]", most=len(kinds.names) - 1)] += 1
    left = kinds.counts - classes.sum(axis=0)
    if (left < 0).any():
        raise CertificateError(f"the classes hold records {kinds.names[int(left.argmin())]} more often than there are")
    lost = int(left.sum())
    if lost > most_lost:
        raise CertificateError(f"{counted(lost, 'record')} in no class, and at most {most_lost} may be suppressed")
    if len(kinds.satisfying(classes)) < len(classes):
        raise CertificateError("a class violates the model")
    return classes, lost


# ---------------------------------------------------------------------- bounds


class _Rows:
    """The inequalities that prices and dues belong to: of each kind its number, of each cut how often it is shared.

    Where records may be suppressed, each is as a class that holds it alone, and their number is one more cut.
    """

    def __init__(
        self, kinds: _Kinds, costs: ClassCosts, most_lost: int, scale: object, cuts: object, work: Work
    ) -> None:
        self.kinds, self.costs, self.most_lost, self._work = kinds, costs, most_lost, work
        self.scale = whole(scale, "scale", least=1, most=_LONGEST)
        entries = listed(cuts, "cuts")
        work.spend(10_000 * len(entries) * len(kinds.names), "so many cuts")
        self.weights = np.zeros((len(entries), len(kinds.names)), dtype=np.int64)
        self.divisors = np.zeros(len(entries), dtype=np.int64)
        for k, entry in enumerate(entries):
            record = fields(entry, ("weights", "divisor"), f"cuts[{k}]")
            self.divisors[k] = whole(record["divisor"], "divisor", least=1)
            for pair in listed(record["weights"], "weights", least=1):
                kind, weight = listed(pair, "weights[]", length=2)
                place = whole(kind, "weights[][0]", most=len(kinds.names) - 1)
                if self.weights[k, place]:  # a sum of many could pass 64 bits
                    raise InputError(f"cuts[{k}] has two weights of the kind {place}")
                self.weights[k, place] = whole(weight, "weights[][1]", least=1)
        self.most = [*((self.weights @ kinds.counts) // self.divisors).tolist(), *([most_lost] if most_lost else [])]

    def priced(self, given: object, what: str) -> tuple[list[int], list[int]]:
        """Read the prices of the kinds, and the dues."""
        record = fields(given, ("kinds", "cuts"), what)
        prices, dues = listed(record["kinds"], what, length=len(self.kinds.names)), record["cuts"]
        return (
            [whole(price, f"{what}[]", least=-_LONGEST, most=_LONGEST) for price in prices],
            [whole(due, "dues[]", most=_LONGEST) for due in listed(dues, "dues", length=len(self.most))],
        )

    def base(self, prices: Sequence[int], dues: Sequence[int]) -> int:
        """Return what S times the cost of a partition is at least, less r of its classes."""
        counts = self.kinds.counts.tolist()
        total: int = sum(p * n for p, n in zip(prices, counts, strict=True))
        total -= sum(due * most for due, most in zip(dues, self.most, strict=True))
        if self.most_lost:
            assert self.costs.lost is not None
            alone = [self.scale * self.costs.lost - price + dues[-1] for price in prices]
            total += sum(min(0, r) * min(n, self.most_lost) for r, n in zip(alone, counts, strict=True))
        return total

    def reduced(self, groups: IntArray, prices: Sequence[int], dues: Sequence[int], *, costs: Any = None) -> IntArray:
        """Return r of groups, shape (groups, kinds), exactly; with their costs where they are known."""
        own = np.array(self.costs.of(groups) if costs is None else costs, dtype=object) * self.scale
        most = max(map(abs, prices), default=0) * self.kinds.records
        most += sum(due * (limit + 1) for due, limit in zip(dues, self.most, strict=True))
        fits = np.int64 if most + max([0, *map(abs, own)]) < LARGEST else object
        priced = sum(1 for due in dues[: len(self.divisors)] if due) + (1 if fits is np.int64 else 50)
        self._work.spend(len(own) * (len(prices) * priced + 10 * len(dues) + 100), "so many leaves")
        found = own.astype(fits) - groups @ np.array(prices, dtype=fits)
        for row, divisor, due in zip(self.weights, self.divisors, dues, strict=False):
            if due:
                found += (groups @ row // divisor).astype(fits) * due
        return np.asarray(found)

    def classes(
        self, conditions: Conditions, prices: Sequence[int], dues: Sequence[int], limit: int, work: Work
    ) -> IntArray:
        """Return all classes that satisfy the model with r up to the limit, shape (classes, kinds)."""
        kinds, costs = self.kinds, self.costs
        asked = Priced(
            counts=kinds.counts.tolist(),
            places=costs.places,
            pairs=costs.pairs,
            sets=costs.sets,
            by_count=costs.by_count,
            sizes=costs.sizes,
            scale=self.scale,
            prices=prices,
            weights=self.weights.tolist(),
            divisors=self.divisors.tolist(),
            dues=dues[: len(self.divisors)],
            least=kinds.least,
            most=kinds.most,
        )
        found = [np.zeros((0, len(kinds.names)), dtype=np.int64)]
        room = _MOST_FOUND
        for block in all_classes(asked, limit, work):
            if len(block):
                found.append(kinds.satisfying(block))
                room -= found[-1].size
            if room < 0:
                raise InputError("there are too many classes of so small a reduced cost; no more are read")
        return np.concatenate(found)


class _Tree:
    """The branches: a pair of records that are in one class or not, or how often a class is taken; prices at leaves."""

    def __init__(self, rows: _Rows, classes: IntArray, beaten: int, work: Work) -> None:
        self.rows, self.beaten, self.work = rows, beaten, work
        kinds, lost = rows.kinds, rows.most_lost
        self.classes = len(classes)
        alone = np.eye(len(kinds.names), dtype=np.int64)[: len(kinds.names) if lost else 0]
        self.columns = np.concatenate([classes, alone])
        self.costs = [*rows.costs.of(classes), *[rows.costs.lost] * len(alone)]
        held = np.where(self.columns > 0, kinds.counts // np.maximum(self.columns, 1), kinds.records)
        self.high = held.min(axis=1) if len(held) else np.zeros(0, dtype=np.int64)
        self.high[self.classes :] = np.minimum(self.high[self.classes :], lost)
        self.place = {row.tobytes(): z for z, row in enumerate(classes)}

    def check(self, given: object) -> None:
        """Raise `CertificateError` unless each leaf shows that nothing on its way costs too little."""
        for entry, way in settled(given, None, self._split):
            low, high = np.zeros_like(self.high), self.high.copy()
            while way is not None:
                self.work.spend(5 * (len(high) + 1000), "so many branches")
                way, (kind, one, other, second) = way
                if kind == "taken":
                    if second:
                        low[one] = max(int(low[one]), other + 1)
                    else:
                        high[one] = min(int(high[one]), other)
                else:
                    held, also = self.columns[:, one] > 0, self.columns[:, other] > 0
                    high[held != also if second else held & also] = 0
            self._leaf(fields(entry, ("kinds", "cuts", "empty"), "tree[]"), low, high)

    def _split(self, entry: Any, way: Any) -> tuple[Any, Any] | None:
        """Return the two sides of a branch, each with the way to it; None for a leaf."""
        named = next((name for name in ("pair", "class", "record") if type(entry) is dict and name in entry), None)
        if named is None:
            return None
        branch = self._pair(entry) if named == "pair" else self._taken(entry, named)
        return (way, (*branch, False)), (way, (*branch, True))

    def _pair(self, entry: Any) -> tuple[str, int, int]:
        given, counts = fields(entry, ("pair",), "tree[]")["pair"], self.rows.kinds.counts
        one, other = (whole(each, "pair[]", most=len(counts) - 1) for each in listed(given, "pair", length=2))
        if one == other or counts[one] != 1 or counts[other] != 1:
            raise CertificateError("a pair is not of two records each of which is the only one of its kind")
        return "pair", one, other

    def _taken(self, entry: Any, named: str) -> tuple[str, int, int]:
        record, kinds = fields(entry, (named, "most"), "tree[]"), len(self.rows.kinds.names)
        row = np.zeros(kinds, dtype=np.int64)
        place = self.classes + whole(record[named], "record", most=kinds - 1) if named == "record" else len(self.high)
        for kind in listed(record[named], "class", least=1) if named == "class" else ():
            row[whole(kind, "class[]", most=kinds - 1)] += 1
        place = self.place.get(row.tobytes(), place)
        if place >= len(self.high):
            raise CertificateError("a branch is at a class that is not among those that are looked for")
        return "taken", place, whole(record["most"], "most", most=self.rows.kinds.records)

    def _leaf(self, record: Mapping[str, Any], low: IntArray, high: IntArray) -> None:
        prices, dues = self.rows.priced({name: record[name] for name in ("kinds", "cuts")}, "tree[]")
        if type(record["empty"]) is not bool:
            raise InputError(f"empty is {shown(record['empty'])}; it must be true or false")
        if (low > high).any():
            return
        some = np.flatnonzero(high)
        self.work.spend(1000, "so many leaves")
        costs = [0 if record["empty"] else self.costs[z] for z in some]
        left = self.rows.reduced(self.columns[some], prices, dues, costs=costs).astype(object)
        if self.rows.most_lost:
            left[some >= self.classes] += dues[-1]
        total = sum(p * n for p, n in zip(prices, self.rows.kinds.counts.tolist(), strict=True))
        total -= sum(due * most for due, most in zip(dues, self.rows.most, strict=True))
        total += sum((np.where(left > 0, low[some], high[some]).astype(object) * left).tolist())
        if total <= (0 if record["empty"] else self.beaten):
            raise CertificateError("the prices of a leaf do not show that no partition of its classes loses less")


TASKS = (
    Task(
        PARTITION,
        "`classes` satisfy the model and lose `value`; no partition of the records into classes that satisfy it, of "
        "which at most `suppressed` records may be left out, loses less than `bound`; where these are null, there is "
        "none",
        check_partition,
    ),
)
