"""Checkers of optimal cuts: one cut through each hierarchy, for the whole table, that satisfies at the least loss.

A cut has one node above each value of a hierarchy; a node is a level and a label of it. d_a = 1 says that the cut goes
below the node a. If a class of records of one node an attribute, a tuple T, violates, then so does some class of every
cut at or below T: of the nodes above those of T other than roots, not all have d = 1. So with any prices y_T ≥ 0 a
cut that satisfies costs at least

    Σ_A (cost of A's cut + Σ_T y_T·d_{above T_A}) − Σ_T y_T·(how many nodes of T are not roots, less 1),

in which each attribute's cut can be taken by itself: from the leaves upwards, a node is in the cut or it goes below.
Costs are whole in some unit, so this is rounded up. A tree of cases fixes some d, where one bound is not enough.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.certificates.branches import Steps, settled
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.envelope import Task
from tcloseness.certificates.losses import CELLS
from tcloseness.certificates.nodes import Nodes, added, numbered
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, InputError
from tcloseness.strict_records import canonical_fraction, fields, listed, shown, text, whole

__all__ = ["CUT", "INFEASIBLE", "LOSSES", "TASKS", "check_cut", "check_infeasible"]

CUT, INFEASIBLE = "tcloseness-cut-certificate-1", "tcloseness-infeasible-certificate-1"

_LARGEST = 2**256
"""Of prices and their denominator."""

LOSSES = tuple(name for name in CELLS if name != "precision")
"""Those of cells that are minimized."""


@dataclass(frozen=True)
class _Hierarchy:
    """A hierarchy: its nodes by numbers, a node after the one above it, the root first.

    Attributes
    ----------
    numbers
        By level and label.
    level, above, cost
        Of each node; the root is above itself. Costs are whole.
    """

    numbers: Mapping[tuple[int, str], int]
    level: Sequence[int]
    above: Sequence[int]
    cost: Sequence[int]

    @classmethod
    def all_of(cls, nodes: Nodes, loss: str) -> tuple[list[_Hierarchy], int]:
        """Return those of a table, and the unit of the costs."""
        each = [[CELLS[loss][0](nodes, i, level) for level in range(size)] for i, size in enumerate(nodes.shape)]
        unit = math.lcm(*{penalty.denominator for levels in each for here in levels for penalty in here})
        found = []
        for rows, labels, codes, levels in zip(nodes.rows, nodes.labels, nodes.codes, each, strict=True):
            top = len(levels) - 1
            records = [
                added(here, nodes.counts, len(names)).tolist() for here, names in zip(codes, labels, strict=True)
            ]
            numbers: dict[tuple[int, str], int] = {}
            for level in range(top, -1, -1):
                for label in labels[level]:
                    numbers[level, label] = len(numbers)
            above = list(range(len(numbers)))
            for row in rows:
                for level in range(top):
                    above[numbers[level, row[level]]] = numbers[level + 1, row[level + 1]]
            cost = []
            for level, label in numbers:
                place = labels[level][label]
                cost.append(records[level][place] * int(levels[level][place] * unit))
            found.append(cls(numbers, [level for level, _ in numbers], above, cost))
        return found, unit

    def node(self, given: object, what: str) -> int:
        """Read a node."""
        level, label = listed(given, what, length=2)
        found = self.numbers.get((whole(level, what), text(label, what)))
        if found is None:
            raise CertificateError(f"{what} is {shown(label)}, which is not a label of level {level}")
        return found

    def least(self, scale: int, prices: Mapping[int, int], fixed: Mapping[int, int], *, uniform: bool) -> int | None:
        """Return the least of scale·cost + Σ prices of the nodes that a cut goes below; None where there is no cut."""
        if uniform:  # all nodes of a cut have one level, and it goes below those that are higher
            found = [
                scale * sum(cost for cost, at in zip(self.cost, self.level, strict=True) if at == level)
                + sum(price for node, price in prices.items() if self.level[node] > level)
                for level in range(self.level[0] + 1)
                if all(value == (self.level[node] > level) for node, value in fixed.items())
            ]
            return min(found, default=None)
        size = len(self.cost)
        best: list[int | None] = [0] * size  # of what is below a node; then of a cut at it or below
        split = [fixed.get(node) == 1 for node in range(size)]  # whether the cut goes below it, or something below it
        for node in reversed(range(size)):
            below = best[node]
            best[node] = None if split[node] else scale * self.cost[node]
            if self.level[node] and fixed.get(node) != 0 and below is not None:
                below += prices.get(node, 0)
                best[node] = below if split[node] else min(below, scale * self.cost[node])
            if node:
                above, here = self.above[node], best[node]
                split[above] |= split[node]
                so_far = best[above]
                best[above] = None if here is None or so_far is None else so_far + here
        return best[0]


def check_cut(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check that a cut satisfies and loses `value`, and that none that satisfies loses less than `bound`.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    keys = ("values", "recoding", "loss", "value", "bound", "cut", "violating", "scale", "tree")
    record = fields(proof, keys, "proof")
    if record["recoding"] not in ("subtree", "full-domain"):
        raise InputError(f"recoding is {shown(record['recoding'])}; it must be 'subtree' or 'full-domain'")
    uniform, loss = record["recoding"] == "full-domain", text(record["loss"], "loss")
    value, bound = (canonical_fraction(record[key], key) for key in ("value", "bound"))
    if loss not in LOSSES:
        raise CertificateError(f"the loss is {shown(loss)}; a checker of cuts knows {', '.join(LOSSES)}")
    loss_of = CELLS[loss][2]
    hierarchies, unit = _Hierarchy.all_of(nodes, loss)
    cost = _cost(nodes, hierarchies, conditions, record["cut"], uniform=uniform)
    if loss_of(nodes, Fraction(cost, unit)) != value:
        raise CertificateError(f"the cut has {loss} = {loss_of(nodes, Fraction(cost, unit))}, and not {value}")
    least = min(cost, _bound(nodes, hierarchies, unit, conditions, record, uniform=uniform, default=cost))
    if loss_of(nodes, Fraction(least, unit)) < bound:
        raise CertificateError(f"a cut of {loss} = {loss_of(nodes, Fraction(least, unit))} is not excluded")
    cuts = ", ".join(f"{len(each)} of {name!r}" for name, each in zip(nodes.names, record["cut"], strict=True))
    return f"{record['recoding']}, nodes: {cuts}; {loss} = {value}, " + (
        "and no cut loses less" if value == bound else f"and no cut loses less than {bound}"
    )


def _cost(
    nodes: Nodes, hierarchies: Sequence[_Hierarchy], conditions: Conditions, given: object, *, uniform: bool
) -> int:
    """Check that a cut has one node above each value, and its classes satisfy; return what it costs."""
    cost, columns = 0, []
    for i, (each, hierarchy) in enumerate(zip(listed(given, "cut", length=len(hierarchies)), hierarchies, strict=True)):
        cut = [hierarchy.node(node, f"cut[{i}]") for node in listed(each, f"cut[{i}]")]
        place = {node: number for number, node in enumerate(cut)}
        at = []
        for row in nodes.rows[i]:
            above = [place[n] for n in map(hierarchy.numbers.__getitem__, enumerate(row)) if n in place]
            if len(above) != 1:
                raise CertificateError(f"cut[{i}] has {counted(len(above), 'node')} above {row[0]!r}; it must have one")
            at += above
        if len(place) < len(cut):
            raise CertificateError(f"cut[{i}] names a node twice")
        if uniform and len({hierarchy.level[node] for node in cut}) > 1:
            raise CertificateError(f"cut[{i}] has nodes of several levels, which is not full-domain recoding")
        cost += sum(hierarchy.cost[node] for node in cut)
        columns.append((np.array(at, dtype=np.int64)[nodes.codes[i][0]], len(cut)))
    for block in nodes.blocks(numbered(columns, len(nodes.counts))):
        if conditions.violating(block).any():
            raise CertificateError("a class of the cut violates the model")
    return cost


def _bound(
    nodes: Nodes,
    hierarchies: Sequence[_Hierarchy],
    unit: int,
    conditions: Conditions,
    record: Mapping[str, Any],
    *,
    uniform: bool,
    default: int,
) -> int:
    """Return what each cut that satisfies costs at least, or `default` where there are no others."""
    tuples = []
    for node, labels in nodes.violating(record["violating"], conditions):
        named = zip(node, labels, strict=True)
        at = [hierarchy.numbers[one] for hierarchy, one in zip(hierarchies, named, strict=True)]
        tuples.append([(i, hierarchies[i].above[n]) for i, n in enumerate(at) if n])
    scale = whole(record["scale"], "scale", least=1, most=_LARGEST)
    size = sum(len(hierarchy.cost) for hierarchy in hierarchies)

    def split(entry: Any, case: Steps | None) -> tuple[Steps, Steps] | None:
        if type(entry) is dict and "prices" in entry:
            return None
        record = fields(entry, ("attribute", "node"), "tree[]")
        i = whole(record["attribute"], "attribute", most=len(hierarchies) - 1)
        one = i, hierarchies[i].node(record["node"], "tree[]")
        return Steps(case, one, 0), Steps(case, one, 1)

    least = default
    for entry, case in settled(record["tree"], None, split):
        conditions.work.spend(1000 + 400 * size, "a case of the tree")
        total, prices = 0, [dict[int, int]() for _ in hierarchies]
        for pair in listed(fields(entry, ("prices",), "tree[]")["prices"], "prices"):
            place, given = listed(pair, "prices[]", length=2)
            price = unit * whole(given, "a price", most=_LARGEST)
            parents = tuples[whole(place, "a price's place", most=len(tuples) - 1)]
            total -= price * (len(parents) - 1)
            for i, above in parents:
                prices[i][above] = prices[i].get(above, 0) + price
        fixed: list[dict[int, int]] = [{} for _ in hierarchies]
        for (i, place), value in Steps.to(case):
            conditions.work.spend(200, "a case of the tree")
            fixed[i].setdefault(place, value)  # where an earlier split says otherwise, nothing is in the case
        for i, hierarchy in enumerate(hierarchies):
            cheapest = hierarchy.least(scale, prices[i], fixed[i], uniform=uniform)
            if cheapest is None:
                break  # no cut is in this case
            total += cheapest
        else:
            least = min(least, -(-total // scale))
    return least


def check_infeasible(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check that all records together violate; return what was found, in words.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    fields(proof, ("values",), "proof")
    if not conditions.violating(nodes.reference[None])[0]:
        raise CertificateError("all records together satisfy the model")
    return "all records together violate the model, and so does a class of every partition of them"


TASKS = (
    Task(
        CUT,
        "no record is suppressed; the classes of `cut` satisfy the model, its loss is `value`, and no cut through the "
        "hierarchies, of one level each if `recoding` is full-domain, satisfies the model and loses less than `bound`",
        check_cut,
    ),
    Task(
        INFEASIBLE,
        "no partition of the records, and so no cut through the hierarchies and no node, satisfies the model unless "
        "records are suppressed",
        check_infeasible,
        trusts=True,
    ),
)
