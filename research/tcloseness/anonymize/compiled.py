"""The passes over all records as machine code. Importing this module loads numba."""

from __future__ import annotations

import numba

from tcloseness.anonymize import class_distances, records_left
from tcloseness.anonymize.swapping import work_after_swaps as _work_after_swaps

__all__ = ["add_by_class", "farthest", "following", "measure", "nearest", "remove", "work_after_swaps"]

add_by_class = numba.njit(cache=True)(class_distances.add_by_class)
"""`class_distances.add_by_class` on arrays."""

measure = numba.njit(cache=True)(records_left.measure)
"""`records_left.measure` on arrays."""

farthest = numba.njit(cache=True)(records_left.farthest)
"""`records_left.farthest` on arrays."""

nearest = numba.njit(cache=True)(records_left.nearest)
"""`records_left.nearest` on arrays."""

following = numba.njit(cache=True)(records_left.following)
"""`records_left.following` on arrays."""

remove = numba.njit(cache=True)(records_left.remove)
"""`records_left.remove` on arrays."""

work_after_swaps = numba.njit(cache=True)(_work_after_swaps)
"""`swapping.work_after_swaps` on int64 arrays."""
