"""The triangle inequality of a matrix, and families of a great many sets, as machine code.

Importing this module loads numba.
"""

from __future__ import annotations

import numba

from tcloseness.exact import IntArray
from tcloseness.ground import cuts

__all__ = ["broken_triangle", "crossing", "smallest_sets_around"]

crossing = numba.njit(cache=True)(cuts.crossing)
"""`cuts.crossing` on int64 arrays."""

smallest_sets_around = numba.njit(cache=True)(cuts.smallest_sets_around)
"""`cuts.smallest_sets_around` on int64 arrays."""


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def broken_triangle(d: IntArray) -> tuple[int, int, int]:
    """Return the first i, j, k, by k and then by i and j, with d(i,j) > d(i,k) + d(k,j), or −1s; int64, pairs fit."""
    m = len(d)
    for k in range(m):
        for i in range(m):
            first, broken = d[i, k], False
            for j in range(m):
                broken |= d[i, j] > first + d[k, j]
            if broken:
                for j in range(m):
                    if d[i, j] > first + d[k, j]:
                        return i, j, k
    return -1, -1, -1
