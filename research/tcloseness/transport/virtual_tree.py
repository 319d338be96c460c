"""The closed form over cuts for one sparse class after another, at a cost that grows with the cells, not the domain.

Written in plain integer arithmetic on arrays: `compiled` runs it as machine code on int64; on arrays of Python ints the
same function is exact at any size.

A class puts count c_v on few values. The sets of the laminar family form a forest; the class's count f(S) is positive
only on the ways from its values up to the roots, and along such a way it is constant between two meeting points.
There the table's count C(S) grows upwards, so |f·N − C·n| changes sign once: a search along jump pointers finds
where, and prefix sums along the way give both parts. Everywhere else f(S) = 0, and the sets cost w·C·n, summed over
the whole family once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tcloseness.exact import IntArray
from tcloseness.ground import Cuts

__all__ = ["Forest", "sparse_work", "ways_up"]


class Forest:
    """What `sparse_work` needs to know of a laminar family and a reference distribution.

    The whole domain is above all K sets as set number K, so that every set has one around it.

    Attributes
    ----------
    place : shape (m,), the place of each code. home : shape (m,), the smallest set around each code's place. high :
    shape (K + 1,), the end of each set's interval. parent, jump : shape (K + 1,), the next set around each set, and
    one further up (a skew-binary jump pointer: any way up
        takes O(log K) steps by jumps and parents; Myers 1983).
    depth : shape (K + 1,), the number of sets around each set, the whole domain having −1.
    count : shape (K + 1,), C(S_k).
    weight_up, work_up : shape (K + 1,), Σ w and Σ w·C over the set and all sets around it but the whole domain.
    total : Σ_k w_k·C_k over the family.
    """

    def __init__(self, cuts: Cuts, reference: IntArray, dtype: Any, climb: Callable[..., None] | None = None) -> None:
        k = len(cuts)
        parent, home = cuts.forest
        self.place = cuts.place
        self.home = np.where(home < 0, k, home)[cuts.place]
        self.high = np.append(cuts.high, len(cuts.order))
        prefix = np.append([0], np.cumsum(reference[cuts.order].astype(dtype)))
        self.count = np.append(prefix[cuts.high] - prefix[cuts.low], prefix[-1:]) if k else prefix[-1:]
        weights = np.append(cuts.weights.astype(dtype), [0])
        works = weights * self.count
        self.total = works.sum()
        self.parent = np.append(np.where(parent < 0, k, parent), [k]).astype(np.int32)
        self.jump, self.depth = np.full(k + 1, k, dtype=np.int32), np.full(k + 1, -1, dtype=np.int32)
        self.weight_up, self.work_up = weights, works
        (climb or ways_up)(self.parent, self.jump, self.depth, self.weight_up, self.work_up)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What `sparse_work` takes of it, from ``high`` to ``total``."""
        up = self.weight_up, self.work_up
        return self.high, self.parent, self.jump, self.depth, self.count, *up, self.total


def ways_up(parent: Any, jump: Any, depth: Any, weight_up: Any, work_up: Any) -> None:
    """Fill in the jump pointer and the depth of each set, and sum weights and works over the sets around it.

    The last set is the whole domain, which has its own already.
    """
    for s in range(len(parent) - 2, -1, -1):  # a set comes before every set around it
        p = parent[s]
        depth[s] = depth[p] + 1
        j = jump[p]
        jump[s] = jump[j] if depth[p] - depth[j] == depth[j] - depth[jump[j]] else p
        weight_up[s] += weight_up[p]
        work_up[s] += work_up[p]


def sparse_work(
    starts: Any,
    places: Any,
    homes: Any,
    counts: Any,
    sizes: Any,
    n_reference: Any,
    high: Any,
    parent: Any,
    jump: Any,
    depth: Any,
    count: Any,
    weight_up: Any,
    work_up: Any,
    total: Any,
    work: Any,
) -> None:
    """Fill ``work[g]`` with Σ_k w_k·|f_g(S_k)·N − C(S_k)·n_g|.

    Parameters
    ----------
    starts
        Shape (classes + 1,): the cells of class g are ``starts[g]:starts[g + 1]``, ascending by place.
    places, homes, counts
        Shape (cells,): each cell's place, the smallest set around it, and its count.
    sizes
        Shape (classes,): n_g.
    n_reference
        N, the total of the reference.
    high, parent, jump, depth, count, weight_up, work_up, total
        See `Forest`.
    work
        Shape (classes,): the output.
    """
    whole = len(high) - 1
    longest = 0
    for g in range(len(sizes)):
        longest = max(longest, starts[g + 1] - starts[g])
    node = np.empty(2 * longest + 2, np.int64)  # open sets, each inside the one before
    below = np.empty(2 * longest + 2, counts.dtype)  # their counts so far
    for g in range(len(sizes)):
        n = sizes[g]
        done = 0 * n  # Σ w·|f·N − C·n| on the ways walked
        walked = 0 * n  # Σ w·C on the ways walked
        top = -1
        for cell in range(starts[g], starts[g + 1] + 1):
            last = cell == starts[g + 1]
            # walk up from every open set that does not hold the next place (at the end: from all)
            while top >= 0 and (last or places[cell] >= high[node[top]]):
                u, amount = node[top], below[top]
                f = amount * n_reference
                top -= 1
                end = whole  # the lowest set around u that holds the next place …
                if not last:
                    x = u
                    while True:
                        if places[cell] >= high[jump[x]]:
                            x = jump[x]
                        elif places[cell] >= high[parent[x]]:
                            x = parent[x]
                        else:
                            break
                    end = parent[x]
                if top >= 0 and depth[node[top]] >= depth[end]:
                    end = node[top]  # … or an open set on the way there
                # the way u … end, end excluded; up to and including x, C·n ≤ f·N
                w_turn, c_turn = weight_up[u], work_up[u]
                if count[u] * n <= f:
                    x = u
                    while True:
                        if depth[jump[x]] > depth[end] and count[jump[x]] * n <= f:
                            x = jump[x]
                        elif depth[parent[x]] > depth[end] and count[parent[x]] * n <= f:
                            x = parent[x]
                        else:
                            break
                    w_turn, c_turn = weight_up[parent[x]], work_up[parent[x]]
                done += (weight_up[u] - w_turn) * f - (work_up[u] - c_turn) * n
                done += (c_turn - work_up[end]) * n - (w_turn - weight_up[end]) * f
                walked += work_up[u] - work_up[end]
                if end != whole:
                    if top >= 0 and node[top] == end:
                        below[top] += amount
                    else:
                        top += 1
                        node[top] = end
                        below[top] = amount
            if not last and homes[cell] != whole:
                if top >= 0 and node[top] == homes[cell]:
                    below[top] += counts[cell]
                else:
                    top += 1
                    node[top] = homes[cell]
                    below[top] = counts[cell]
        work[g] = done + (total - walked) * n
