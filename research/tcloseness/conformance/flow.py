"""The transportation problem by successive cheapest paths: a second way to an EMD, on whole numbers, solver-free."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["least_cost"]


def least_cost(supplies: Sequence[int], demands: Sequence[int], costs: Sequence[Sequence[int]]) -> int:
    """Return the least Σ f_ij·c_ij with row sums `supplies` and column sums `demands`.

    Parameters
    ----------
    supplies, demands
        Whole numbers ≥ 0 of one sum.
    costs
        Whole numbers ≥ 0, one row a supply.

    Notes
    -----
    Each round sends as much as possible along a cheapest path of the residual graph (Bellman–Ford); the flow stays
    optimal for the amount sent, so the last one is optimal. Nothing assumes a metric. Meant for a dozen values.
    """
    left, wanted = list(supplies), list(demands)
    flow = [[0] * len(wanted) for _ in left]
    total = 0
    while any(left):
        path, price = _cheapest_path(left, wanted, costs, flow)
        amount = min(left[path[0]], wanted[path[-1]])
        for step in range(1, len(path) - 1, 2):  # back along flow that is there
            amount = min(amount, flow[path[step + 1]][path[step]])
        for step in range(0, len(path) - 1, 2):
            flow[path[step]][path[step + 1]] += amount
        for step in range(1, len(path) - 1, 2):
            flow[path[step + 1]][path[step]] -= amount
        left[path[0]] -= amount
        wanted[path[-1]] -= amount
        total += amount * price
    return total


def _cheapest_path(
    left: Sequence[int], wanted: Sequence[int], costs: Sequence[Sequence[int]], flow: Sequence[Sequence[int]]
) -> tuple[list[int], int]:
    """Return source, sink, source, …, sink and its cost."""
    rows, columns = range(len(left)), range(len(wanted))
    to_row: list[int | None] = [0 if left[i] else None for i in rows]
    to_column: list[int | None] = [None for _ in columns]
    row_from: list[int | None] = [None for _ in rows]
    column_from = [0 for _ in columns]
    changed = True
    while changed:
        changed = False
        for i in rows:
            base = to_row[i]
            if base is None:
                continue
            for j in columns:
                known = to_column[j]
                if known is None or base + costs[i][j] < known:
                    to_column[j], column_from[j], changed = base + costs[i][j], i, True
        for j in columns:
            base = to_column[j]
            if base is None:
                continue
            for i in rows:
                known = to_row[i]
                if flow[i][j] and (known is None or base - costs[i][j] < known):
                    to_row[i], row_from[i], changed = base - costs[i][j], j, True
    price, end = min((cost, j) for j, cost in enumerate(to_column) if wanted[j] and cost is not None)
    path = [end]
    while True:
        row = column_from[path[0]]
        path.insert(0, row)
        back = row_from[row]
        if back is None:
            return path, price
        path.insert(0, back)
