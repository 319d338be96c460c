"""Checkers of sensitive values shown as nodes of their hierarchy, as few as t-closeness needs, class by class.

Of a class of n records y_va records of value v are shown at node a, as itself or above it, Σ_a y_va = n_v, at W_a each.
A reader takes a node for the values below it by Q: n·P_v = y_vv + Σ_a s_a·Q_v/Q_a with the totals s_a = Σ_v y_va of all
nodes a above v. If P is within t of Q, then for whole numbers u_v with |u_v − u_w| ≤ μ·d(v, w), where d is the ground
distance, Σ_v (P_v − Q_v)·u_v ≤ μ·t. With such u and the least such μ for each distance, summed in u, and any prices ν_a
of the totals, what is shown within bounds on some y_va and s_a costs at least

    Σ_v min {Σ_a (W_a + Σ_w Q_w·u_w/Q_a − ν_a)·y_va : Σ_a y_va = n_v} + Σ_a min ν_a·s_a − n·(Σ_v Q_v·u_v + Σ μ·t)

(u_v itself for a value that is shown as it is). Costs are whole in some unit, so this is rounded up. A tree of cases
bounds the y_va and s_a. No class knows of another, since Q is fixed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.certificates.branches import Steps, settled
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.envelope import Task
from tcloseness.certificates.grounds import tree_of
from tcloseness.certificates.nodes import Nodes
from tcloseness.certificates.reading import value_part
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, InputError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.strict_records import canonical_fraction, cells, fields, listed, shown, text, whole

__all__ = ["GENERALIZATION", "LOSSES", "NO_GENERALIZATION", "TASKS", "Showing", "check_generalization", "shown_of"]

GENERALIZATION = "tcloseness-generalization-certificate-1"
NO_GENERALIZATION = "tcloseness-no-generalization-certificate-1"

_MOST = 2**53
_LARGEST = 2**256
"""Of prices and their denominator."""
_MOST_PAIRS = 2**22
"""Of values, for each 64 bits of all distances together; and of values and the nodes above them."""
_CELLS = 2**20
"""So many numbers are looked at together."""

LOSSES: Mapping[str, Any] = {
    "ncp": lambda width, size, height, top: Fraction(width, size),
    "lm": lambda width, size, height, top: Fraction(width - 1, size - 1),
    "height": lambda width, size, height, top: Fraction(height, top),
}
"""By name: what a node of several leaves costs a record, from how many these are, of how many in all, and its height,
the longest way down to a leaf, and the root's."""

Cell = tuple[int | None, int | None]
"""A value and a node; without a node the value as it is, without a value the total of a node."""


class Distance:
    """A distance of at most t from the reference.

    Attributes
    ----------
    t
        What it is at most.
    denominator
        The distance of two values is the weight of the sets that part them, over this.
    greatest
        The weight of all sets; no two values have more between them.
    steps
        About how many numbers are added up to find it.
    """

    def __init__(self, record: Mapping[str, Any], conditions: Conditions) -> None:
        m = len(conditions.values)
        order, self._sets, self.denominator = conditions.cuts(record)
        conditions.work.spend(200 * m * m * len(self._sets), "the ground distance of each two values")
        self.t, self.steps = Fraction(record["t"]), m + 2 * len(self._sets)
        self._order: list[int] = order.tolist()
        self._one, self._other = np.triu_indices(m, 1)
        between = np.zeros(len(self._one), dtype=object)
        for low, high, weight in self._sets:
            inside = np.zeros(m, dtype=np.bool_)
            inside[order[low:high]] = True
            between += weight * (inside[self._one] != inside[self._other]).astype(object)
        self._apart, self._between = between > 0, between[between > 0]
        self.greatest = sum(weight for *_, weight in self._sets)

    def within(self, counts: Sequence[int], reference: Sequence[int]) -> bool:
        """Say whether counts, also very long ones, are within t."""
        have, asked = (
            [0, *itertools.accumulate(of[v] for v in self._order)] for of in (counts, reference)
        )  # before each place
        size, total, work = have[-1], asked[-1], 0
        for low, high, weight in self._sets:
            work += weight * abs(total * (have[high] - have[low]) - size * (asked[high] - asked[low]))
        return work * self.t.denominator <= self.t.numerator * self.denominator * size * total

    def slopes(self, potentials: IntArray) -> IntArray:
        """Return the least μ such that no two values of a potential differ by more than μ times their distance.

        Parameters
        ----------
        potentials
            Shape (potentials, m), of int64 with room for twice them times `denominator`, or of Python's integers.

        Raises
        ------
        CertificateError
            If there is none: two values that are one place have different ones.
        """
        differences = abs(potentials[:, self._one] - potentials[:, self._other])
        if differences[:, ~self._apart].any():
            raise CertificateError("a potential parts two values whose distance is 0")
        between = self._between.astype(potentials.dtype)
        slopes = -(-differences[:, self._apart] * self.denominator // between)
        return np.asarray(slopes.max(axis=1, initial=0))


class Showing:
    """How the records of a class may be shown, and what that costs.

    Parameters
    ----------
    conditions
        What is asked: least numbers of records, and distances.
    hierarchy
        The labels from each leaf to the root.
    loss
        What a node costs, see `LOSSES`.

    Attributes
    ----------
    numbers
        Of each node that can be shown in place of a value, by how many nodes are above it and its label: nodes with
        several leaves below them of which the reference has records, from the root down, as the rows come to them.
    above
        The numbers of the nodes above each value.
    unit
        Costs are whole numbers of it.
    distances
        Those that are asked.

    Raises
    ------
    CertificateError
        For a loss that is not among `LOSSES`, or a value that is not a leaf.
    InputError
        If something else is asked, the hierarchy is not one, or two values have one name.
    """

    def __init__(self, conditions: Conditions, hierarchy: object, loss: str) -> None:
        odd = next((r["condition"] for r in conditions.model if r["condition"] not in ("records", "distance")), None)
        if odd is not None:
            raise InputError(f"the model asks for {odd}, and a generalized value has no count")
        if loss not in LOSSES:
            raise CertificateError(f"the loss is {shown(loss)}; a checker knows {', '.join(LOSSES)}")
        paths, _, _ = tree_of(hierarchy, "the hierarchy")
        self.work, self.reference = conditions.work, conditions.reference.tolist()
        self._total = sum(self.reference)
        place = {value_part(value): v for v, value in enumerate(conditions.values)}
        if len(place) < len(conditions.values):
            raise InputError("two values have one name, by which the hierarchy knows them")
        width: dict[tuple[int, str], int] = {}
        height: dict[tuple[int, str], int] = {}
        values: dict[tuple[int, str], list[int]] = {}
        for path in paths:
            for level, label in enumerate(path):
                node = len(path) - 1 - level, label
                width[node] = width.get(node, 0) + 1
                height[node] = max(height.get(node, level), level)
                values.setdefault(node, []).extend([place[path[0]]] if path[0] in place else [])
        if len(values[0, paths[0][-1]]) < len(place):
            raise CertificateError("a value is not a leaf of the hierarchy")
        mass = {node: sum(self.reference[v] for v in held) for node, held in values.items()}
        usable = [node for node in sorted(width, key=lambda node: node[0]) if width[node] > 1 and mass[node]]
        self.numbers = {node: number for number, node in enumerate(usable)}
        self.mass, self._values = [mass[node] for node in usable], [values[node] for node in usable]
        self.above: list[list[int]] = [[] for _ in place]
        for number, held in enumerate(self._values):
            for v in held:
                self.above[v].append(number)
        top = max(map(len, paths)) - 1
        costs = [LOSSES[loss](width[node], len(paths), height[node], top) for node in usable]
        self.unit = math.lcm(*(cost.denominator for cost in costs))
        self.costs = [int(cost * self.unit) for cost in costs]
        asked = [record for record in conditions.model if record["condition"] == "distance"]
        cuts = map(conditions.cuts, asked)
        words = sum(1 + max(below, sum(w for *_, w in sets)).bit_length() // 64 for _, sets, below in cuts)
        if words * len(place) ** 2 > _MOST_PAIRS:
            raise InputError(
                f"too many: {counted(len(asked), 'distance')} of {counted(len(place), 'value')}; {_MOST_PAIRS:,} pairs "
                "are checked, and one counts once for each 64 bits of its distance"
            )
        self.distances = [Distance(record, conditions) for record in asked]
        self._lay_out(conditions, words)

    # ------------------------------------------------------------------ what is shown

    def cost(self, counts: Sequence[int], given: object, what: str) -> int:
        """Return what it costs to show a class as is said, once that is all of it and within each t.

        Raises
        ------
        CertificateError, InputError
            If it is not, or is not of its form: a list of values, their nodes, or null, and numbers of records.
        """
        left, cost = list(counts), 0
        own, totals = [0] * len(counts), dict[int, int]()
        for entry in listed(given, f"{what}.shown"):
            v, node, records = listed(entry, f"{what}.shown[]", length=3)
            v = whole(v, f"{what}.shown[]", most=len(counts) - 1)
            left[v] -= whole(records, f"{what}.shown[]", most=_MOST)
            if node is None:
                own[v] += records
                continue
            if (v, whole(node, f"{what}.shown[]", most=_MOST)) not in self._cells:
                raise CertificateError(f"{what} shows the value {v} at node {node}, which is not above it")
            totals[node] = totals.get(node, 0) + records
            cost += records * self.costs[node]
        if any(left):
            raise CertificateError(f"{what} does not show each record once")
        steps = 50 * (len(totals) + 1) * len(counts) + sum(distance.steps for distance in self.distances)
        self.work.spend(cells(60 * (len(totals) + 3)) * steps, "what is shown")
        scale = math.lcm(*(self.mass[node] for node in totals))
        read = [records * scale for records in own]
        for node, records in totals.items():
            for v in self._values[node]:
                read[v] += records * self.reference[v] * (scale // self.mass[node])
        if not all(distance.within(read, self.reference) for distance in self.distances):
            raise CertificateError(f"{what} is shown so that a reader takes it for one beyond t")
        return cost

    # ------------------------------------------------------------------ what no way of showing costs less than

    def least(self, counts: Sequence[int], scale: int, tree: object) -> int | None:
        """Return what every way within t to show a class costs at least; None where there is none.

        Raises
        ------
        CertificateError, InputError
            If the tree leaves a case open, or is not of its form.
        """
        size = whole(sum(counts), "the records of a class", most=_MOST // self._longest)

        def split(entry: Any, case: Steps | None) -> tuple[Steps, Steps] | None:
            if type(entry) is dict and "prices" in entry:
                return None
            record = fields(entry, ("value", "node", "most"), "tree[]")
            v, node, most = record["value"], record["node"], whole(record["most"], "most", most=_MOST)
            if v is not None:
                v = whole(v, "value", most=len(counts) - 1)
            if node is not None:
                node = whole(node, "node", most=len(self.costs) - 1)
            cell = self._cells.get((v, node))
            if cell is None:
                raise CertificateError(f"the tree splits records of the value {v} at the node {node}, which are none")
            return Steps(case, cell, (0, most)), Steps(case, cell, (most + 1, _MOST))

        found: list[int] = []
        cases = settled(tree, None, split)
        while some := list(itertools.islice(cases, self._together)):
            found += self._least_totals(np.array(counts, dtype=np.int64), size, scale, some)
        return -(-min(found) * self.unit // scale) if found else None

    def _lay_out(self, conditions: Conditions, words: int) -> None:
        """Number what is shown: of each value itself and at each node above it, and the total of each node."""
        m, longest = len(self.above), 1 + max(map(len, self.above))
        self._longest = longest
        if m * longest > _MOST_PAIRS:
            raise InputError(
                f"{counted(m, 'value')} with up to {counted(longest - 1, 'node')} above: too many to check"
            )
        pairs = [(v, node) for v in range(m) for node in (None, *self.above[v])]
        every: list[Cell] = [*pairs, *((None, node) for node in range(len(self.costs)))]
        self._cells = {cell: number for number, cell in enumerate(every)}
        self._prices_at = np.zeros((m, longest), dtype=np.int64)
        self._cells_at = np.full((m, longest), len(every))  # what fills a row up has no room, whatever its price
        for v, above in enumerate(self.above):
            for place, node in enumerate((None, *above)):
                self._prices_at[v, place] = v if node is None else m + node
                self._cells_at[v, place] = self._cells[v, node]
        each = m * m * (1 + words) + m * longest + len(every)
        self._step, self._together = 300 * each, max(_CELLS // each, 1)
        self._q = conditions.reference

    def _least_totals(self, counts: IntArray, size: int, scale: int, some: Sequence[Any]) -> list[int]:
        """Return what is shown in some cases costs at least, times scale over unit; cases without any are left out."""
        low = np.zeros((len(some), len(self._cells) + 1), dtype=np.int64)
        high = np.full_like(low, size)
        high[:, -1] = 0
        narrow: list[list[int]] = []
        long: list[list[int]] = []
        of_narrow, of_long = list[int](), list[int]()
        rows: list[int] = []
        columns: list[int] = []
        sides: list[tuple[int, int]] = []
        most = self._greatest(size, scale)
        for i, (entry, case) in enumerate(some):
            record = fields(entry, ("potentials", "prices"), "tree[]")
            potentials = listed(record["potentials"], "potentials", length=len(self.distances))
            numbers = [n for each in potentials for n in _numbers(each, "a potential", len(counts))]
            numbers += _numbers(record["prices"], "prices", len(self.costs))
            fits = max([1, *map(abs, numbers)]) <= most  # where 1 has no room, t may have none either
            (narrow if fits else long).append(numbers)
            (of_narrow if fits else of_long).append(i)
            bounds: dict[int, tuple[int, int]] = {}
            steps = 0
            for steps, (cell, (low_here, high_here)) in enumerate(Steps.to(case), 1):  # noqa: B007
                below, above = bounds.get(cell, (0, size))
                bounds[cell] = low_here if low_here > below else below, high_here if high_here < above else above
            self.work.spend(self._step + 200 * steps, "the cases of what is shown")
            rows += [i] * len(bounds)
            columns += bounds
            sides += bounds.values()
        if sides:
            least_of, most_of = np.array(sides, dtype=np.int64).T
            low[rows, columns], high[rows, columns] = np.minimum(least_of, size + 1), most_of
        found: list[int] = []
        for numbers_of, chosen, kind in ((narrow, of_narrow, np.int64), (long, of_long, object)):
            if chosen:
                given = np.array(numbers_of, dtype=kind).reshape(len(chosen), -1)
                found += self._totals(counts, size, scale, given, low[chosen], high[chosen])
        return found

    def _greatest(self, size: int, scale: int) -> int:
        """Return the greatest potential or price, P, with which no number of `_totals` is beyond 64 bits.

        With n for the size, N for the reference's, C for what the dearest node costs times scale over unit, and of k
        distances D for the denominator, W for the weight of all sets and a/b for t, none of the A nodes' is beyond

            (n + 1)·(P·(Σ (2·D·max(a, 1) + 3) + A + 2) + 2·C + 6) + N·(k·P + 2·unit + n) + Σ (W + b)
        """
        dearest = scale * max([0, *self.costs]) // self.unit
        slopes = sum(2 * each.denominator * max(each.t.numerator, 1) + 3 for each in self.distances)
        per_price = (size + 1) * (slopes + len(self.costs) + 2) + self._total * len(self.distances)
        weights = sum(each.greatest + each.t.denominator for each in self.distances)
        fixed = (size + 1) * (2 * dearest + 6) + self._total * (2 * self.unit + size) + weights
        return int((INT64_MAX - fixed) // per_price)

    def _totals(
        self, counts: IntArray, size: int, scale: int, numbers: IntArray, low: IntArray, high: IntArray
    ) -> list[int]:
        """Return the same of cases by their potentials and prices, of int64 or Python's integers, and their bounds."""
        kind, many, m = numbers.dtype, len(numbers), len(counts)
        potentials = numbers[:, : m * len(self.distances)].reshape(many, len(self.distances), m)
        prices, q = numbers[:, m * len(self.distances) :], self._q.astype(kind)
        u, total = potentials.sum(axis=1, dtype=kind), np.zeros(many, dtype=kind)
        for i, distance in enumerate(self.distances):
            slopes = distance.slopes(potentials[:, i])
            total -= -(-size * slopes * distance.t.numerator // distance.t.denominator)
        mean = u @ q
        total -= size * (mean // self._total) - (-size * (mean % self._total) // self._total)
        means = np.array([u[:, held] @ q[held] for held in self._values], dtype=kind).reshape(-1, many).T
        mass, costs = np.array(self.mass, dtype=kind), [scale * cost for cost in self.costs]
        base = np.array([cost // self.unit for cost in costs], dtype=kind)
        rest = np.array([cost % self.unit for cost in costs], dtype=kind)
        at = base + means // mass + (rest * mass + self.unit * (means % mass)) // (self.unit * mass) - prices
        here = slice(len(self._cells) - len(self.costs), len(self._cells))
        total += np.minimum(prices * low[:, here], prices * high[:, here]).sum(axis=1, dtype=kind)
        empty = (low > high).any(axis=1)

        price = np.concatenate([u, at], axis=1)[:, self._prices_at]
        least = low[:, self._cells_at]
        room = np.minimum(high[:, self._cells_at], counts[:, None]) - least
        left = counts - least.sum(axis=2)
        order = np.argsort(price, axis=2, kind="stable")
        room, ascending = np.take_along_axis(room, order, axis=2), np.take_along_axis(price, order, axis=2)
        before = np.cumsum(room, axis=2) - room
        taken = np.minimum(np.maximum(left[:, :, None] - before, 0), room)
        empty |= (left < 0).any(axis=1) | (taken.sum(axis=2) < left).any(axis=1)
        total += (price * least + ascending * taken).sum(axis=(1, 2), dtype=kind)
        return list(map(int, total[~empty]))


def _numbers(given: object, what: str, length: int) -> list[int]:
    numbers = listed(given, what, length=length)
    if set(map(type, numbers)) == {int} and max(map(abs, numbers)) <= _LARGEST:
        return numbers
    return [whole(each, what, least=-_LARGEST, most=_LARGEST) for each in numbers]


def shown_of(
    classes: Iterable[IntArray], conditions: Conditions, showing: Showing, entries: object
) -> tuple[Fraction, Fraction, int]:
    """Return what it costs to show all classes, what it costs at least, and how many violate.

    Parameters
    ----------
    classes
        Their counts in blocks, shape (classes, m) each.
    conditions, showing
        What is asked.
    entries
        How each class that violates is shown, and why no way costs less; equal classes have one entry.

    Raises
    ------
    CertificateError, InputError
        If an entry does not show it, is missing or of no such class, or is not of its form; or a class is too small.
    """
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    for i, each in enumerate(listed(entries, "classes")):
        what = f"classes[{i}]"
        entry = fields(each, ("counts", "shown", "scale", "tree"), what)
        given = listed(entry["counts"], what, length=len(conditions.values))
        counts = tuple([whole(count, f"{what}.counts[]", most=_MOST) for count in given])
        if counts in found:
            raise CertificateError(f"{what} is of a class that has an entry")
        cost = showing.cost(counts, entry["shown"], what)
        least = showing.least(counts, whole(entry["scale"], f"{what}.scale", least=1, most=_LARGEST), entry["tree"])
        found[counts] = cost, cost if least is None else min(cost, least)
    small = Conditions(
        [r for r in conditions.model if r["condition"] == "records"], conditions.values, showing.reference
    )
    cost = bound = violating = 0
    used = set()
    for block in classes:
        if small.violating(block).any():
            raise CertificateError("a class has too few records, however its values are shown")
        for row in map(tuple, block[conditions.violating(block)].tolist()):
            if row not in found:
                raise CertificateError(f"the class with the counts {list(row)} violates and has no entry")
            used.add(row)
            some = min(showing.costs)  # a class that violates shows a record at a node
            cost, bound, violating = cost + found[row][0], bound + max(found[row][1], some), violating + 1
    if len(used) < len(found):
        raise CertificateError(
            f"{counted(len(found) - len(used), 'entry', 'entries')} of classes that are not there, or satisfy"
        )
    return Fraction(cost, showing.unit), Fraction(bound, showing.unit), violating


def check_generalization(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check that sensitive values can be shown at the cost `value`, and not at less than `bound`.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    record = fields(proof, ("values", "node", "hierarchy", "loss", "value", "bound", "classes"), "proof")
    node = nodes.node(record["node"], "node")
    value, bound = (canonical_fraction(record[key], key) for key in ("value", "bound"))
    showing = Showing(conditions, record["hierarchy"], text(record["loss"], "loss"))
    cost, least, violating = shown_of(nodes.classes(node), conditions, showing, record["classes"])
    if cost != value:
        raise CertificateError(f"what is shown costs {cost}, and not {value}")
    if least < bound:
        raise CertificateError(f"it is not shown that no way costs less than {bound}, but less than {least}")
    many = "1 class violates" if violating == 1 else f"{violating:,} classes violate"
    return f"{many} at the node {list(node)}; shown at {record['loss']} = {value}, " + (
        "and no way costs less" if value == bound else f"and no way costs less than {bound}"
    )


def check_no_generalization(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check that a class has too few records, however its values are shown; return what was found, in words.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    record = fields(proof, ("values", "node", "class"), "proof")
    of_records = [each for each in conditions.model if each["condition"] == "records"]
    asked = Conditions(of_records, conditions.values, conditions.reference.tolist())
    ((node, labels),) = nodes.violating([{"node": record["node"], "class": record["class"]}], asked)
    return f"the class {', '.join(labels)} of the node {list(node)} has too few records, however its values are shown"


TASKS = (
    Task(
        GENERALIZATION,
        "no record is suppressed; the classes of `node` satisfy the model if sensitive values are shown as is said, a "
        "node read as the values below it by the reference of all records, at the cost `value`; no way to show them as "
        "themselves or nodes of `hierarchy` above them that satisfies it costs less than `bound`",
        check_generalization,
    ),
    Task(
        NO_GENERALIZATION,
        "a class of `node` violates the model however its sensitive values are shown, unless records are suppressed",
        check_no_generalization,
    ),
)
