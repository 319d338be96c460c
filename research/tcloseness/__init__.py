"""tcloseness: exact, certified privacy models of published microdata.

Everything here answers a question about one object, the counts of records of each equivalence class that carry each
sensitive value (`ClassCounts`). Counts are integers, distances are fractions, thresholds are decided exactly, and
a distance comes with a certificate on demand.

The names that most people need are here, the others in their rooms (``tc.models``, ``tc.loss``, ``tc.attacks``, …). All
are loaded when they are first used, so that ``import tcloseness`` is quick.

Examples
--------
>>> import tcloseness as tc
>>> tc.emd(["1/3", "1/3", "1/3", 0, 0, 0, 0, 0, 0], ["1/9"] * 9, tc.Ordered(9))
Fraction(3, 8)
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

__version__ = "0.2.0"


def _door() -> dict[str, str]:
    """Return the home of each name here, as the stub beside this file says; a room's home is this package."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = (node for node in stub.body if isinstance(node, ast.ImportFrom))
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_HOME = _door()

__all__ = sorted([*_HOME, "__version__"])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'tcloseness' has no attribute {name!r}{_moved(name)}")
    if home == __name__:
        return importlib.import_module(f"{home}.{name}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def _moved(name: str) -> str:
    """Return where a name is that was here in version 0.1; the next version no longer looks."""
    rooms = [] if name.startswith("_") else [room for room, home in _HOME.items() if home == __name__]
    found = next((room for room in rooms if name in importlib.import_module(f"{__name__}.{room}").__all__), None)
    return "" if found is None else f"; since version 0.2 it is tcloseness.{found}.{name}"


def __dir__() -> list[str]:
    return __all__
