"""What a model asks of each class, decided on counts in whole numbers.

Each condition is a JSON object; for a class of n records, n_v of them with the value v, Q the counts of all N records:

* ``records``: n ≥ least
* ``values``: at least so many n_v are positive
* ``entropy``: −Σ n_v/n·ln n_v/n ≥ ln l, as Π n_v^n_v · l^n ≤ n^n
* ``tail``: r_1 < c·(r_l + … + r_m), the counts in falling order
* ``share``: n_v ≤ most·n, for all values or those that are listed
* ``gain``: n_v/n ≤ (1 + most)·Q_v/N
* ``distance``: Σ_S w_S·|n(S)/n − Q(S)/N| ≤ t, over the sets S that give the ground distance; they are laminar

Each is monotone: what two classes satisfy, their union does (``proofs_tests/coq``, for tables of any size).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.strict_records import (
    Work,
    canonical_fraction,
    canonical_fractions,
    cells,
    common_bits,
    fields,
    listed,
    shown,
    text,
    whole,
)

__all__ = [
    "CONDITION_KEYS",
    "MOST_WORK",
    "Conditions",
    "Cuts",
    "asked_places",
    "cut_sums",
    "cuts_of",
    "described",
    "tree_of",
]

_MOST_RECORDS = 2**53
MOST_WORK = 1e11
"""Of all that is decided for one certificate; some minutes."""
_LOG_BITS, _FINE_BITS = 32, 160
"""Binary digits behind the point of a logarithm; on the way to it the number has 64 more."""
_LOG_WORK, _FINE_WORK = 5000, 40_000
_SHOWN = 100
_MOST_CELLS = 2**22
"""Of the paths of a tree."""

Cuts = tuple[IntArray, list[tuple[int, int, int]], int]
"""The order of the values' codes, sets of them as (first place, place behind the last, weight), and a denominator."""


class Conditions:
    """The conditions of a model, over a sensitive attribute.

    Parameters
    ----------
    model
        The conditions as they are written.
    values
        The values of the sensitive attribute as the certificate lists them; a count is of the value of its place.
    reference
        Shape (m,): how many of all records have each.

    Attributes
    ----------
    each
        Each condition with what says of classes, by their counts and sizes, whether they break it.

    Raises
    ------
    InputError
        If a condition is not one of those above.
    """

    def __init__(self, model: Sequence[Mapping[str, Any]], values: Sequence[str], reference: Sequence[int]) -> None:
        self.model = tuple(model)
        self.values, self.reference = tuple(values), np.array(reference, dtype=np.int64)
        self.work = Work(MOST_WORK)
        self._cuts: dict[int, Cuts] = {}
        self.each: list[tuple[Mapping[str, Any], Any]] = []
        for i, record in enumerate(model):
            kind = record.get("condition")
            if type(kind) is not str or kind not in _KINDS:
                raise InputError(f"model[{i}] asks for {shown(kind)}; a condition is one of {', '.join(_KINDS)}")
            keys, make = _KINDS[kind]
            self.each.append((record, make(fields(record, ("condition", *keys), f"model[{i}]"), self)))

    def cuts(self, record: Mapping[str, Any]) -> Cuts:
        """Return the sets of a distance of the model, see `cuts_of`; made once, however large its ground is."""
        if id(record) not in self._cuts:
            self._cuts[id(record)] = cuts_of(record["ground"], len(self.reference))
        return self._cuts[id(record)]

    def violating(self, counts: IntArray) -> npt.NDArray[np.bool_]:
        """Say of each class whether it breaks a condition.

        Parameters
        ----------
        counts
            Shape (classes, m), int64; no class is empty.

        Raises
        ------
        InputError
            If that would take too long.
        """
        sizes = counts.sum(axis=1)
        bad = np.zeros(len(counts), dtype=np.bool_)
        for _, check in self.each:
            left = np.flatnonzero(~bad)
            if not len(left):
                break
            self.work.spend(1000 + 5 * counts[left].size, "what is asked of each class")
            bad[left] = check(counts[left], sizes[left])
        return bad


def _records(record: Mapping[str, Any], _: Conditions) -> Any:
    least = whole(record["least"], "least", least=1, most=_MOST_RECORDS)
    return lambda counts, sizes: sizes < least


def _values(record: Mapping[str, Any], _: Conditions) -> Any:
    least = whole(record["least"], "least", least=1, most=_MOST_RECORDS)
    return lambda counts, sizes: (counts > 0).sum(axis=1) < least


def _entropy(record: Mapping[str, Any], conditions: Conditions) -> Any:
    """Decide by whole logarithms, what they leave open by finer ones, and what these leave open by the powers."""
    above, below = _positive(record["l"], "l").as_integer_ratio()
    log_of: dict[int, int] = {}
    known: dict[tuple[int, ...], bool] = {}

    def logs(numbers: IntArray, kind: Any) -> IntArray:
        found, places = np.unique(numbers, return_inverse=True)
        new = [number for number in found.tolist() if number not in log_of]
        conditions.work.spend(_LOG_WORK * len(new), "the logarithms of counts")
        log_of.update((number, _log(max(number, 1))) for number in new)  # 0·log 0 = 0
        of_found = np.array([log_of[number] for number in found.tolist()], dtype=kind)
        return np.asarray(of_found[places].reshape(numbers.shape))

    def violates(row: Sequence[int], size: int) -> bool:
        common = math.gcd(*row)  # the powers of counts that are all so many times as great are those, so often
        alike = tuple(sorted(count // common for count in row if count))
        if alike not in known:
            known[alike] = decided(alike, size // common)
        return known[alike]

    def decided(row: Sequence[int], size: int) -> bool:
        conditions.work.spend(_FINE_WORK * (3 + len(row)), "the entropy of a class")
        least = _log(above, _FINE_BITS) - _log(below, _FINE_BITS)
        excess = size * (_log(size, _FINE_BITS) - least) - sum(count * _log(count, _FINE_BITS) for count in row)
        return excess < 0 if abs(excess) >= 4 * size else by_powers(row, size)

    def by_powers(row: Sequence[int], size: int) -> bool:
        bits = size * max(above.bit_length(), below.bit_length(), size.bit_length())
        powers = 2 + len(row)
        conditions.work.spend(powers * (100 + 10 * (bits / 30) ** 1.6), "the entropy of a class")
        power = above**size
        for count in row:
            power *= count**count
        return bool(power > size**size * below**size)

    asked = _log(above) - _log(below)

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        greatest = int(sizes.max(initial=1))
        fits = greatest * (_log(greatest) + abs(asked) + 8) <= INT64_MAX
        kind: Any = np.int64 if fits else object
        numbers, n = counts.astype(kind), sizes.astype(kind)
        excess = n * (logs(sizes, kind) - asked) - (numbers * logs(counts, kind)).sum(axis=1)
        bad = np.asarray(excess < 0, dtype=np.bool_)
        for g in np.flatnonzero(np.abs(excess) < 4 * n).tolist():  # each logarithm is less than 2 too small
            bad[g] = violates(counts[g].tolist(), int(sizes[g]))
        return bad

    return violating


def _log(number: int, bits: int = _LOG_BITS) -> int:
    """Return a whole number that log₂ of a number ≥ 1, times 2^bits, exceeds by less than 2: one bit after another."""
    exponent, places = number.bit_length() - 1, bits + 64
    shift = exponent - places
    rest, found = number >> shift if shift > 0 else number << -shift, exponent
    for _ in range(bits):
        rest = rest * rest >> places
        bit = rest >> (places + 1)
        rest, found = rest >> bit, 2 * found + bit
    return found


def _tail(record: Mapping[str, Any], _: Conditions) -> Any:
    rank = whole(record["l"], "l", least=1, most=_MOST_RECORDS)
    above, below = _positive(record["c"], "c").as_integer_ratio()

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        if rank == 1:
            return np.zeros(len(counts), dtype=np.bool_)
        falling = -np.sort(-counts, axis=1)
        first, tail = falling[:, 0], falling[:, rank - 1 :].sum(axis=1)
        return _times(first, below) >= _times(tail, above)

    return violating


def asked_places(given: object, conditions: Conditions) -> Any:
    """Return the places of the values that a share is asked of; all for None."""
    if given is None:
        return slice(None)
    places = {value: place for place, value in enumerate(conditions.values)}
    named = [text(value, "values[]") for value in listed(given, "values", least=1)]
    return [places[value] for value in named if value in places]


def _share(record: Mapping[str, Any], conditions: Conditions) -> Any:
    above, below = _positive(record["most"], "most").as_integer_ratio()
    asked = asked_places(record["values"], conditions)

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        most = counts[:, asked].max(axis=1, initial=0)
        return _times(most, below) > _times(sizes, above)

    return violating


def _gain(record: Mapping[str, Any], conditions: Conditions) -> Any:
    above, below = (1 + canonical_fraction(record["most"], "most")).as_integer_ratio()
    if above < below:
        raise InputError(f"most is {shown(record['most'])}; it must not be negative")
    reference, total = conditions.reference, int(conditions.reference.sum())
    step = 2 * cells(100 + above.bit_length())

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        conditions.work.spend(step * counts.size, "the gain of each value")
        gained = _times(counts, below * total)
        allowed = _times(sizes, above)[:, None] * reference.astype(object)
        return (gained > allowed).any(axis=1)

    return violating


def cut_sums(
    counts: IntArray, sizes: IntArray, conditions: Conditions, cuts: Cuts, largest: int
) -> tuple[IntArray, IntArray]:
    """Return of each class Σ_S w_S·|N·n(S) − n·Q(S)|, and n, as numbers that have room for `largest`."""
    reference, total = conditions.reference, int(conditions.reference.sum())
    order, sets, _ = cuts
    fits = largest <= INT64_MAX
    kind, step = (np.int64, cells(0)) if fits else (object, cells(100 + largest.bit_length()))
    conditions.work.spend((len(sets) + counts.shape[1]) * (500 + step * len(counts)), "the distances of classes")
    prefix = np.zeros((len(counts), len(reference) + 1), dtype=kind)
    prefix[:, 1:] = np.cumsum(counts[:, order], axis=1)
    prefix *= total
    behind = np.concatenate([[0], np.cumsum(reference[order])]).astype(kind)
    own, size = np.zeros(len(counts), dtype=kind), sizes.astype(kind)
    for low, high, weight in sets:
        own += weight * abs(prefix[:, high] - prefix[:, low] - size * (behind[high] - behind[low]))
    return own, size


def _distance(record: Mapping[str, Any], conditions: Conditions) -> Any:
    t = canonical_fraction(record["t"], "t")
    if t < 0:
        raise InputError(f"t is {shown(record['t'])}; it must not be negative")
    total = int(conditions.reference.sum())
    cuts = conditions.cuts(record)
    _, sets, denominator = cuts
    whole_weight = max(sum(weight for *_, weight in sets), 1)
    factor = max(2 * whole_weight * t.denominator, t.numerator * denominator) * total

    def violating(counts: IntArray, sizes: IntArray) -> Any:
        own, size = cut_sums(counts, sizes, conditions, cuts, factor * int(sizes.max(initial=0)))
        return own * t.denominator > size * (t.numerator * denominator * total)

    return violating


_KINDS: dict[str, tuple[tuple[str, ...], Any]] = {
    "records": (("least",), _records),
    "values": (("least",), _values),
    "entropy": (("l",), _entropy),
    "tail": (("l", "c"), _tail),
    "share": (("most", "values"), _share),
    "gain": (("most",), _gain),
    "distance": (("t", "ground"), _distance),
}

CONDITION_KEYS = {name: keys for name, (keys, _) in _KINDS.items()}
"""By name, what a condition takes."""


def _positive(given: object, what: str) -> Fraction:
    number = canonical_fraction(given, what)
    if number <= 0:
        raise InputError(f"{what} is {shown(given)}; it must be positive")
    return number


def _times(numbers: IntArray, factor: int) -> IntArray:
    """Multiply exactly."""
    if factor * max(int(numbers.max(initial=0)), 1) <= INT64_MAX:
        return numbers * factor
    return numbers.astype(object) * factor


def described(record: Mapping[str, Any], values: Sequence[str]) -> str:
    """Return a condition that was checked as people read it; `values` is what it speaks of, in their order.

    >>> described({"condition": "distance", "t": "1/5", "ground": {"name": "ordered", "m": 2}}, ["text:a", "text:b"])
    'EMD ≤ 1/5 by the ordered distance over text:a, text:b'
    """
    if record["condition"] == "distance":
        ground = record["ground"]
        asked = f"EMD ≤ {record['t']} by the {ground['name']} distance"
        if ground["name"] == "equal":
            return asked
        over = list(values)
        if ground["name"] == "ordered-by-value":
            over = [f"{value} as {number}" for value, number in zip(values, ground["values"], strict=True)]
        if ground["name"] == "hierarchical":
            paths = (ground["paths"][row] for row in ground["values"])
            over = [f"{value} as {' < '.join(path)}" for value, path in zip(values, paths, strict=True)]
        more = ", …" if len(over) > _SHOWN else ""
        return f"{asked} over {', '.join(over[:_SHOWN])}{more}"
    if record["condition"] == "share":
        of = "a value" if record["values"] is None else " or ".join(record["values"])
        return f"at most {record['most']} of the records have {of}"
    return {
        "records": "at least {least} records",
        "values": "at least {least} different values",
        "entropy": "entropy ≥ ln {l}",
        "tail": "r₁ < {c}·(r_{l} + … + r_m)",
        "gain": "p ≤ (1 + {most})·q",
    }[record["condition"]].format(**record)


# ---------------------------------------------------------------------- ground distances


def cuts_of(ground: object, m: int) -> Cuts:
    """Return the sets whose differences add up to the EMD by a ground distance, from what names it.

    Raises
    ------
    InputError
        For a ground distance that no checker here knows, or one over another number of values.
    """
    name = ground.get("name") if type(ground) is dict else None
    if type(name) is not str or name not in _GROUNDS:
        raise InputError(f"the ground distance is {shown(name)}; a checker knows {', '.join(_GROUNDS)}")
    keys, make = _GROUNDS[name]
    record = fields(ground, ("name", *keys), "ground")
    if "m" in keys:
        whole(record["m"], "m", least=m, most=m)
    order, sets, denominator = make(record)
    if sorted(order) != list(range(m)):
        raise InputError(f"the ground distance is not over the {m} values")
    return np.array(order, dtype=np.int64), [each for each in sets if each[2]], denominator


def _equal(ground: Mapping[str, Any]) -> Any:
    m = ground["m"]
    return range(m), [(place, place + 1, 1) for place in range(m)], 2


def _ordered(ground: Mapping[str, Any]) -> Any:
    m = ground["m"]
    return range(m), [(0, place + 1, 1) for place in range(m - 1)], max(m - 1, 1)


def _by_value(ground: Mapping[str, Any]) -> Any:
    values = canonical_fractions(ground["values"], "values", least=1)
    common_bits(values, "values")
    order = sorted(range(len(values)), key=values.__getitem__)
    unit = np.lcm.reduce([value.denominator for value in values], dtype=object)
    places = [int(values[code] * unit) for code in order]
    gaps = [(0, place + 1, high - low) for place, (low, high) in enumerate(zip(places, places[1:], strict=False))]
    return order, gaps, max(places[-1] - places[0], 1)


def _hierarchical(ground: Mapping[str, Any]) -> Any:
    """The height of the lowest common ancestor over that of the root: a set for each node, weighted by the step up."""
    if ground["trivial_levels"] not in ("keep", "collapse"):
        raise InputError(f"trivial_levels is {shown(ground['trivial_levels'])}; it must be 'keep' or 'collapse'")
    paths, parent, children = tree_of(ground["paths"], "the ground distance's tree")
    rows = [whole(row, "values[]", most=len(paths) - 1) for row in listed(ground["values"], "values", least=1)]
    if len(set(rows)) < len(rows):
        raise InputError("two values of the ground distance are one leaf")
    leaves = {(len(path) - 1, path[0]): row for row, path in enumerate(paths)}
    root = (0, paths[0][-1])
    height: dict[TreeNode, int] = {}
    for node in sorted({root, *parent}, reverse=True):  # from the deepest on
        below = children.get(node, {})
        single = len(below) == 1 and ground["trivial_levels"] == "collapse"
        height[node] = max((height[child] + (not single) for child in below), default=0)
    code = {row: place for place, row in enumerate(rows)}
    order: list[int] = []
    sets: list[tuple[int, int, int]] = []
    stack: list[tuple[TreeNode, int | None]] = [(root, None)]
    while stack:
        node, begun = stack.pop()
        if begun is not None:
            sets.append((begun, len(order), height[parent[node]] - height[node]))
            continue
        if node in leaves and leaves[node] in code:
            order.append(code[leaves[node]])
            begun = len(order) - 1
        else:
            begun = len(order)
        if node != root:
            stack.append((node, begun))
        stack += [(child, None) for child in children.get(node, {})]
    return order, [each for each in sets if each[0] < each[1]], 2 * height[root] or 1


TreeNode = tuple[int, str]
"""A node of a tree: how many nodes are above it, and its label."""


def tree_of(
    given: object, what: str
) -> tuple[list[list[str]], dict[TreeNode, TreeNode], dict[TreeNode, dict[TreeNode, None]]]:
    """Read a tree from the labels from each leaf to the root: these, the node above each, and the nodes below each.

    Raises
    ------
    InputError
        If a leaf is there twice or has something below it, a node has two above it, or there is no one root.
    """
    paths = [[text(cell, what) for cell in listed(path, what, least=1)] for path in listed(given, what, least=1)]
    if sum(map(len, paths)) > _MOST_CELLS:
        raise InputError(f"{what} has more than {_MOST_CELLS:,} labels in its paths")
    if len({path[0] for path in paths}) < len(paths) or len({path[-1] for path in paths}) != 1:
        raise InputError(f"{what} has a leaf twice, or no root")
    parent: dict[TreeNode, TreeNode] = {}
    children: dict[TreeNode, dict[TreeNode, None]] = {}
    for path in paths:
        nodes = [(len(path) - 1 - level, label) for level, label in enumerate(path)]
        for child, above in zip(nodes, nodes[1:], strict=False):
            if parent.setdefault(child, above) != above:
                raise InputError(f"{what} has two nodes above {child[1]!r}")
            children.setdefault(above, {})[child] = None
    if any((len(path) - 1, path[0]) in children for path in paths):
        raise InputError(f"{what} has a leaf with something below it")
    return paths, parent, children


def _laminar(ground: Mapping[str, Any]) -> Any:
    m = len(listed(ground["order"], "order", least=1))
    order = [whole(code, "order[]", most=m - 1) for code in ground["order"]]
    ends = [[whole(x, name, most=m) for x in listed(ground[name], name)] for name in ("low", "high")]
    weights = canonical_fractions(ground["weights"], "weights", length=len(ends[0]))
    if len(ends[0]) != len(ends[1]) or any(w <= 0 or w.denominator != 1 for w in weights):
        raise InputError("the family needs a low, a high and a positive whole weight for each set")
    once: dict[tuple[int, int], int] = {}
    for low, high, w in zip(*ends, weights, strict=True):
        once[low, high] = once.get((low, high), 0) + w.numerator
    sets = [(low, high, weight) for (low, high), weight in once.items()]
    open_ends: list[int] = []
    for low, high, _ in sorted(sets, key=lambda each: (each[0], -each[1])):
        while open_ends and open_ends[-1] <= low:
            open_ends.pop()
        if low >= high or (open_ends and high > open_ends[-1]):
            raise InputError("the family is not laminar: two of its sets cross, or one is empty")
        open_ends.append(high)
    denominator = _positive(ground["denominator"], "denominator")
    if denominator.denominator != 1:
        raise InputError("the denominator is not a whole number")
    return order, sets, denominator.numerator


_GROUNDS: dict[str, tuple[tuple[str, ...], Any]] = {
    "equal": (("m",), _equal),
    "ordered": (("m",), _ordered),
    "ordered-by-value": (("values",), _by_value),
    "hierarchical": (("paths", "values", "trivial_levels"), _hierarchical),
    "laminar": (("order", "low", "high", "weights", "denominator"), _laminar),
}
