"""The package's compiled loops run as Python, on symbols: the very code that numba compiles, with NumPy stood in for.

Machine code cannot take symbols, but the function that it is compiled from can, if the arrays that it makes hold
objects in the place of machine numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["as_python", "objects"]


def _blank(shape: Any, *_: Any) -> Any:
    return np.full(shape, 0, dtype=object)


_NUMPY = SimpleNamespace(empty=_blank, zeros=_blank, int64=lambda x: x)


def as_python(compiled: Any) -> Callable[..., Any]:
    """Return the Python function behind a compiled one, on arrays of objects; likewise for what it calls."""
    function = getattr(compiled, "py_func", compiled)  # the function itself, if numba is told not to compile
    known = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    inner = {name: as_python(f) for name, f in known.items() if getattr(f, "__module__", "") == function.__module__}
    return FunctionType(function.__code__, {**function.__globals__, **inner, "np": _NUMPY}, function.__name__)


def objects(rows: Any) -> Any:
    """Rows of symbols as a NumPy array."""
    array = np.empty((len(rows), len(rows[0])) if isinstance(rows[0], (list, tuple)) else len(rows), dtype=object)
    for i, row in enumerate(rows):
        array[i] = row
    return array
