"""The least distance work of a class of a given size, as a convex flow on the tree of laminar cuts. No solver.

A class keeps x_v of its records, X = Σ x_v in all. By cuts S of weight w_S/D it is within t of the reference N_v
exactly if

    Σ_S w_S·|N·x(S) − X·N(S)| ≤ t·D·N·X,  N = Σ N_v.

For a fixed X the left side, the work, is a sum of convex functions of x(S) over a laminar family. Its least value over
whole x in a box is found exactly by adding and merging slopes from the values up, and slopes down the tree prove it:
whole prices β_S, |β_S| ≤ N·w_S, such that no x in the box of that size has less work (weak duality):

    work ≥ Σ_S min_z (w_S·|N·z − X·N(S)| − β_S·z) + min Σ_v x_v·Σ_{S ∋ v} β_S.

Over the reals β is a potential, which holds at every size: if x is within t then Σ_v x_v·d_v ≤ 0, where

    d_v = b·(N·u_v − Σ_j N_j·u_j) − a·D·N²,  u_v = Σ_{S ∋ v} β_S,  t = a/b,

since Σ_S β_S·(N·x(S) − X·N(S)) ≤ N·Σ_S w_S·|N·x(S) − X·N(S)|.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter

from tcloseness.ground import Cuts
from tcloseness.limits import Clock
from tcloseness.optimal.linear_constraints import Setting

__all__ = ["Flow", "TreeFlow"]

Runs = list[tuple[int, int]]
"""A convex function from 0 on: how long it has which slope, by rising slopes."""


@dataclass(frozen=True)
class Flow:
    """One class of least work for its size.

    Attributes
    ----------
    work
        Σ_S w_S·|N·x(S) − X·N(S)|.
    counts
        x_v for each value of the domain.
    prices
        β_S for each cut, in the order of the `Cuts`.
    potential
        u_v for each value, up to a constant.
    """

    work: int
    counts: list[int]
    prices: tuple[int, ...]
    potential: list[int]


class TreeFlow:
    """The tree of one family of cuts, for classes that are asked how close to one reference they are.

    Of each cut that side is a node which does not hold the first value of the setting's order, and below a node the
    parts go by that order: so what is taken of several flows of least work goes by the order of the values alone.

    Parameters
    ----------
    cuts, setting
        The ground distance, and the reference with the order of the values.
    clock
        Asked at each node of a flow.
    """

    def __init__(self, cuts: Cuts, setting: Setting, clock: Clock) -> None:
        self.cuts, self.total, self._clock = cuts, setting.total, clock
        place, reference, first = setting.place, setting.reference, setting.order[0]
        parent, home = (found.tolist() for found in cuts.forest)
        top, order = len(cuts), cuts.order.tolist()  # the cuts are nodes 0 …, then that of all values
        leaves: list[list[int]] = [[] for _ in range(top + 1)]
        joined: list[list[tuple[int, int, int]]] = [[] for _ in range(top + 1)]  # the other end, the cut, its sign
        for spot, v in enumerate(order):
            leaves[home[spot]].append(v)  # −1, the last, where no cut holds it
        for k, above in enumerate(parent):
            joined[k].append((above % (top + 1), k, -1))
            joined[above].append((k, k, 1))
        self._reference = reference
        self._value: list[int] = []  # of each node, each after its parts; −1 if it is not a value
        self._parts: list[list[int]] = []
        self._cut: list[int] = []  # whose side it is, −1 if none's, and which side
        self._sign: list[int] = []
        self._mass: list[int] = []
        least: list[int] = []  # the first place in the order of a node's values

        def add(value: int, parts: list[int], cut: int, sign: int) -> int:
            self._value.append(value)
            self._parts.append(sorted(parts, key=least.__getitem__))
            self._cut.append(cut)
            self._sign.append(sign)
            self._mass.append(reference[value] if value >= 0 else sum(self._mass[part] for part in parts))
            least.append(place[value] if value >= 0 else min(least[part] for part in parts))
            return len(least) - 1

        root = home[int(cuts.place[first])] % (top + 1)
        made: list[list[int]] = [[] for _ in range(top + 1)]
        walk = [(root, -1, -1, 1)]  # from the root, which holds the first value: node, the one before, cut, sign
        for node, before, _, _ in walk:
            walk += [(other, node, k, sign) for other, k, sign in joined[node] if other != before]
        for node, before, k, sign in reversed(walk):
            if len(leaves[node]) == 1 and not made[node] and before >= 0:
                made[before].append(add(leaves[node][0], [], k, sign))
            else:
                found = add(-1, [*made[node], *(add(v, [], -1, 1) for v in leaves[node])], k, sign)
                if before >= 0:
                    made[before].append(found)
        self._weight = [int(cuts.weights[k]) if k >= 0 else 0 for k in self._cut]
        self._shares = [(w, mass) for w, mass in zip(self._weight, self._mass, strict=True) if w]

    def work(self, counts: Sequence[int]) -> int:
        """Return the work of a class."""
        total, size, cuts, reference = self.total, sum(counts), self.cuts, self._reference
        order = cuts.order.tolist()
        over = [0, *accumulate(total * counts[v] - size * reference[v] for v in order)]
        ends = zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True)
        return sum(weight * abs(over[high] - over[low]) for low, high, weight in ends)

    def nearest(self, size: int) -> int:
        """Return the work that no class of a size is below, since x(S) is whole for each S: what prices of 0 prove."""
        total, found = self.total, 0
        for w, mass in self._shares:
            over = size * mass % total
            found += w * min(over, total - over)
        return found

    def least(self, size: int, low: Sequence[int], high: Sequence[int]) -> Flow:
        """Return a class of least work with low_v ≤ x_v ≤ high_v and Σ x_v = size, where Σ low ≤ size ≤ Σ high.

        In units of records; or of 1/N of a record, all three numbers: then the work is that of real x, in 1/N too.
        """
        total, weight, mass, value = self.total, self._weight, self._mass, self._value
        nodes = range(len(value))
        base, inner, outer = [0] * len(value), [_NO_RUNS] * len(value), [_NO_RUNS] * len(value)
        for node in nodes:
            self._clock.check("a class of least distance is searched")
            parts = self._parts[node]
            if not parts:
                v = value[node]
                base[node] = low[v]
                runs = [(high[v] - low[v], 0)] if high[v] > low[v] else _NO_RUNS
            elif len(parts) == 1:
                base[node], runs = base[parts[0]], outer[parts[0]]
            else:
                base[node] = sum(base[part] for part in parts)
                runs = sorted((run for part in parts for run in outer[part]), key=_SLOPE)
            inner[node] = outer[node] = runs
            if weight[node] and runs:
                kink, over = divmod(size * mass[node], total)
                outer[node] = _added(runs, kink - base[node], over, weight[node], total)
        flow, price = [0] * len(value), [0] * len(value)
        potential, prices = [0] * len(value), [0] * len(self.cuts)
        root = len(value) - 1
        flow[root] = size
        left, right = _slopes_at(inner[root], size - base[root])
        price[root] = left if left is not None else right if right is not None else 0
        counts, work = [0] * len(low), 0
        for node in reversed(nodes):
            self._clock.check("a class of least distance is searched")
            z, w, share = flow[node], weight[node], size * mass[node]
            asked = price[node]
            if w:
                here = abs(total * z - share)
                work += w * here
                _, rising = _slopes_at(inner[node], z - base[node])
                mine = w * (here - abs(total * (z - 1) - share))  # unboxed: boxes are the matter of the values
                if rising is not None and asked - rising > mine:
                    mine = asked - rising
                prices[self._cut[node]] = self._sign[node] * mine
                potential[node] += mine
                asked -= mine
            parts = self._parts[node]
            if not parts:
                counts[value[node]] = z
                continue
            rest, equal = z, []
            for part in parts:
                below = at = 0
                for length, slope in outer[part]:
                    if slope < asked:
                        below += length
                    elif slope == asked:
                        at += length
                    else:
                        break
                flow[part], price[part], potential[part] = base[part] + below, asked, potential[node]
                rest -= flow[part]
                if at:
                    equal.append((part, at))
            for part, at in equal:
                more = min(at, rest)
                flow[part] += more
                rest -= more
        return Flow(work, counts, tuple(prices), _of_values(potential, value))


_NO_RUNS: Runs = []

_SLOPE = itemgetter(1)


def _added(runs: Runs, kink: int, over: int, weight: int, total: int) -> Runs:
    """Add w·|N·z − share| to a function of z, where share/N = kink + over/N with 0 ≤ over < N, at whole z."""
    found, steep = [], weight * total
    left, between = max(kink, 0), over if kink >= 0 else 0
    for length, slope in runs:
        if left:
            part = min(length, left)
            found.append((part, slope - steep))
            left -= part
            length -= part
        if length and between:
            found.append((1, slope + steep - 2 * weight * between))
            between = 0
            length -= 1
        if length:
            found.append((length, slope + steep))
    return found


def _slopes_at(runs: Runs, z: int) -> tuple[int | None, int | None]:
    """Return the slopes left and right of z; None at an end, where the function is infinite beyond."""
    left = None
    for length, slope in runs:
        if z > length:
            z -= length
        elif z == length:
            z, left = 0, slope
            continue
        else:
            return (slope if z > 0 else left), slope
        left = slope
    return left, None


def _of_values(potential: Sequence[int], value: Sequence[int]) -> list[int]:
    found = [0] * sum(v >= 0 for v in value)
    for node, v in enumerate(value):
        if v >= 0:
            found[v] = potential[node]
    return found
