"""The closed form over cuts for one sparse class after another, at a cost that grows with the cells, not the domain.

Written in plain integer arithmetic on arrays: `compiled` runs it as machine code on int64; on arrays of Python ints the
same function is exact at any size.

A class puts count c_v on few values. The sets of the laminar family form a forest; the class's count f(S) is positive only
on the ways from its values up to the roots, and along such a way it is constant between two meeting points. There the
table's count C(S) grows upwards, so |f·N − C·n| changes sign once: binary lifting finds where, and prefix sums along the
way give both parts. Everywhere else f(S) = 0, and the sets cost w·C·n, summed over the whole family once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tcloseness.exact import IntArray
from tcloseness.ground import Cuts

__all__ = ["Forest", "sparse_work"]


class Forest:
    """What `sparse_work` needs to know of a laminar family and a reference distribution.

    Attributes
    ----------
    home : shape (m,), the smallest set around each code's place, −1 for none.
    place : shape (m,), the place of each code.
    high : shape (K,), the end of each set's interval.
    up : shape (levels, K), the ancestor 2^level steps up, −1 beyond the root.
    depth : shape (K,), the number of sets around each set.
    count : shape (K,), C(S_k).
    weight_up, work_up : shape (K,), Σ w and Σ w·C over the set and all sets around it.
    total : Σ_k w_k·C_k over the family.
    """

    def __init__(self, cuts: Cuts, reference: IntArray, dtype: Any) -> None:
        k = len(cuts)
        parent, home = cuts.forest
        self.place = cuts.place
        self.home = home[cuts.place]
        self.high = cuts.high
        prefix = np.append([0], np.cumsum(reference[cuts.order].astype(dtype)))
        self.count = prefix[cuts.high] - prefix[cuts.low] if k else np.zeros(0, dtype=dtype)
        weights = cuts.weights.astype(dtype)
        self.depth = np.zeros(k, dtype=np.int64)
        self.weight_up = weights.copy()
        self.work_up = weights * self.count
        self.total = self.work_up.sum() if k else 0
        for s in range(k - 1, -1, -1):  # a set stands before every set around it
            above = parent[s]
            if above >= 0:
                self.depth[s] = self.depth[above] + 1
                self.weight_up[s] += self.weight_up[above]
                self.work_up[s] += self.work_up[above]
        levels = max(1, int(self.depth.max(initial=0)).bit_length())
        self.up = np.full((levels, k), -1, dtype=np.int64)
        self.up[0] = parent
        for level in range(1, levels):
            step = self.up[level - 1]
            self.up[level] = np.where(step >= 0, step[np.maximum(step, 0)], -1)


def sparse_work(
    starts: Any,
    places: Any,
    homes: Any,
    counts: Any,
    sizes: Any,
    n_reference: Any,
    high: Any,
    up: Any,
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
        Shape (cells,): each cell's place, the smallest set around it (−1 for none), and its count.
    sizes
        Shape (classes,): n_g.
    n_reference
        N, the total of the reference.
    high, up, depth, count, weight_up, work_up, total
        See `Forest`.
    work
        Shape (classes,): the output.
    """
    levels = up.shape[0]
    longest = 0
    for g in range(len(sizes)):
        longest = max(longest, starts[g + 1] - starts[g])
    node = np.empty(2 * longest + 2, np.int64)
    below = np.empty(2 * longest + 2, counts.dtype)
    for g in range(len(sizes)):
        n = sizes[g]
        done = 0 * n  # Σ w·|f·N − C·n| on the ways walked
        walked = 0 * n  # Σ w·C on the ways walked
        top = -1
        for cell in range(starts[g], starts[g + 1] + 1):
            last = cell == starts[g + 1]
            # walk up from every open set that does not hold the next place (at the end: from all)
            while top >= 0 and (last or places[cell] >= high[node[top]]):
                u, f = node[top], below[top] * n_reference
                amount = below[top]
                top -= 1
                meet = -1  # the lowest set around u that holds the next place
                if not last:
                    y = u
                    for level in range(levels - 1, -1, -1):
                        z = up[level, y]
                        if z >= 0 and places[cell] >= high[z]:
                            y = z
                    meet = up[0, y]
                end = meet
                if top >= 0 and (meet < 0 or depth[node[top]] >= depth[meet]):
                    end = node[top]
                # the way u … end, end excluded: the lower part has C·n ≤ f
                x = -1
                if count[u] * n <= f:
                    x = u
                    for level in range(levels - 1, -1, -1):
                        y = up[level, x]
                        if y >= 0 and (end < 0 or depth[y] > depth[end]) and count[y] * n <= f:
                            x = y
                w_end = weight_up[end] if end >= 0 else 0 * n
                c_end = work_up[end] if end >= 0 else 0 * n
                w_turn, c_turn = weight_up[u], work_up[u]
                if x >= 0:
                    above = up[0, x]
                    w_turn = weight_up[above] if above >= 0 else 0 * n
                    c_turn = work_up[above] if above >= 0 else 0 * n
                done += (weight_up[u] - w_turn) * f - (work_up[u] - c_turn) * n
                done += (c_turn - c_end) * n - (w_turn - w_end) * f
                walked += work_up[u] - c_end
                if end >= 0:
                    if top >= 0 and node[top] == end:
                        below[top] += amount
                    else:
                        top += 1
                        node[top] = end
                        below[top] = amount
            if not last and homes[cell] >= 0:
                if top >= 0 and node[top] == homes[cell]:
                    below[top] += counts[cell]
                else:
                    top += 1
                    node[top] = homes[cell]
                    below[top] = counts[cell]
        work[g] = done + (total - walked) * n
