"""The network simplex for the transportation problem, in whole numbers: an optimal flow, and potentials that prove it.

Written in plain integer arithmetic on flat sequences: `compiled` runs it as machine code on int64; on lists of Python
ints the same functions are exact at any size. The pricing looks at blocks of arcs, and the tree stays strongly
feasible, so that it ends also where pivots move nothing (Cunningham, Mathematical Programming 11, 1976).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tcloseness.exact import fits_int64

__all__ = ["TREE_ROWS", "is_optimal", "potentials_fit", "solve_transportation"]

TREE_ROWS = 10
"""How many numbers are kept of each vertex: those that `solve_transportation` returns, then its depth, first child,
next and previous sibling, and a stack."""


def solve_transportation(
    costs: Sequence[int], supply: Sequence[int], demand: Sequence[int], sources: int, sinks: int, tree: Any
) -> None:
    """Move a supply to a demand at least cost; the answer is left in the tree.

    Parameters
    ----------
    costs
        Shape (sources · sinks,) or longer: the cost ≥ 0 of arc ``i · sinks + j`` from source i to sink j.
    supply, demand
        Shapes (sources,) and (sinks,) or longer: positive, with equal sums.
    sources, sinks
        How many there are, each at least 1.
    tree
        Shape (TREE_ROWS, sources + sinks + 1) or longer, whatever is in it. Vertex i is source i, vertex sources + j
        is sink j, and the last is the root. Afterwards row 0 holds each vertex's parent, row 1 the arc to it (−1 for
        one to or from the root, which carries nothing in the end), row 2 whether flow runs up to the parent (1) or
        down from it (0), row 3 how much, and row 4 its potential π: c_ij + π_i − π_j ≥ 0 for each arc, with equality
        on the tree.
    """
    parent, arc, upward, flow, potential, depth, child, after, before, stack = tree
    vertices = sources + sinks
    root = vertices
    arcs = sources * sinks
    greatest = costs[0]
    for k in range(1, arcs):
        if costs[k] > greatest:
            greatest = costs[k]
    artificial = (greatest + 1) * (vertices + 1)  # dearer than any path
    parent[root], arc[root], upward[root], flow[root], potential[root], depth[root] = -1, -1, 0, 0, 0, 0
    child[root], after[root], before[root] = 0, -1, -1
    for v in range(vertices):  # a star: each source sends its supply to the root, each sink has its demand from it
        parent[v], arc[v], depth[v], child[v] = root, -1, 1, -1
        before[v] = v - 1
        after[v] = v + 1 if v + 1 < vertices else -1
        if v < sources:
            upward[v], flow[v], potential[v] = 1, supply[v], -artificial
        else:
            upward[v], flow[v], potential[v] = 0, demand[v - sources], artificial
    block = max(int(arcs**0.5), 12)
    row = 0
    column = 0
    while True:
        # the arc that enters: the cheapest of the first block that has one with a negative reduced cost
        least = 0 * greatest
        source, sink = -1, -1
        looked_at = 0
        in_block = 0
        while looked_at < arcs:
            many = min(sinks - column, arcs - looked_at)
            start = row * sinks
            here = potential[row]
            for j in range(column, column + many):
                reduced = costs[start + j] + here - potential[sources + j]
                if reduced < least:
                    least = reduced
                    source, sink = row, j
            looked_at += many
            in_block += many
            column += many
            if column == sinks:
                column = 0
                row = row + 1 if row + 1 < sources else 0
            if in_block >= block:
                if source >= 0:
                    break
                in_block = 0
        if source < 0:
            return
        head, tail = sources + sink, source
        a, b = tail, head
        while a != b:  # where the two ways to the root meet
            if depth[a] >= depth[b]:
                a, b = (parent[a], b) if depth[a] > depth[b] else (parent[a], parent[b])
            else:
                b = parent[b]
        join = a
        # the arc that leaves: the last of those that are emptied first, along the cycle from the join
        change = 0 * greatest - 1
        leaving = -1
        on_tail_side = True
        v = tail
        while v != join:
            if upward[v] == 1 and (change < 0 or flow[v] < change):
                change, leaving = flow[v], v
            v = parent[v]
        v = head
        while v != join:
            if upward[v] == 0 and (change < 0 or flow[v] <= change):
                change, leaving, on_tail_side = flow[v], v, False
            v = parent[v]
        if change > 0:
            v = tail
            while v != join:
                flow[v] += change * (1 - 2 * upward[v])
                v = parent[v]
            v = head
            while v != join:
                flow[v] += change * (2 * upward[v] - 1)
                v = parent[v]
        # hang the part below the leaving arc on the entering one: the way between them is turned round
        if on_tail_side:
            v, above, way, lift = tail, head, 1, -least
        else:
            v, above, way, lift = head, tail, 0, least
        top = v
        carried, number = change, source * sinks + sink
        while True:
            old_parent, old_way, old_number, old_flow = parent[v], upward[v], arc[v], flow[v]
            if before[v] >= 0:
                after[before[v]] = after[v]
            else:
                child[old_parent] = after[v]
            if after[v] >= 0:
                before[after[v]] = before[v]
            before[v], after[v] = -1, child[above]
            if child[above] >= 0:
                before[child[above]] = v
            child[above] = v
            parent[v], upward[v], arc[v], flow[v] = above, way, number, carried
            if v == leaving:
                break
            above, way, number, carried = v, 1 - old_way, old_number, old_flow
            v = old_parent
        size = 1
        stack[0] = top
        while size > 0:
            size -= 1
            v = stack[size]
            potential[v] += lift
            depth[v] = depth[parent[v]] + 1
            below = child[v]
            while below >= 0:
                stack[size] = below
                size += 1
                below = after[below]


def potentials_fit(greatest: int, vertices: int) -> bool:
    """Say whether potentials and reduced costs stay within int64: with the root's arcs of cost A = (greatest + 1)·
    (vertices + 1), no potential exceeds 2·A, and no reduced cost 4·A."""
    return fits_int64(4, greatest + 1, vertices + 2)


def is_optimal(
    costs: Sequence[int],
    supply: Sequence[int],
    demand: Sequence[int],
    sources: int,
    sinks: int,
    tree: Any,
    left: Any,
) -> bool:
    """Say whether the flow of a tree moves the supply to the demand, and its potentials prove that nothing is cheaper.

    Complementary slackness: no arc has a negative reduced cost, and flow runs only where it is 0. It is looked at arc
    by arc and vertex by vertex, whatever made the tree; no product of a mass and a potential is needed.

    Parameters
    ----------
    costs, supply, demand, sources, sinks, tree
        As for `solve_transportation`.
    left
        Shape (sources + sinks,) or longer, whatever is in it.
    """
    arc, flow, potential = tree[1], tree[3], tree[4]
    vertices = sources + sinks
    for v in range(vertices):
        left[v] = supply[v] if v < sources else demand[v - sources]
    for v in range(vertices):
        number = arc[v]
        if flow[v] != 0:
            if flow[v] < 0 or number < 0 or number >= sources * sinks:
                return False
            i, j = number // sinks, number % sinks
            if costs[number] + potential[i] - potential[sources + j] != 0:
                return False
            left[i] -= flow[v]
            left[sources + j] -= flow[v]
            if left[i] < 0 or left[sources + j] < 0:
                return False
    for v in range(vertices):
        if left[v] != 0:
            return False
    for i in range(sources):
        for j in range(sinks):
            if costs[i * sinks + j] + potential[i] - potential[sources + j] < 0:
                return False
    return True
