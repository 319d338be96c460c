"""A ground distance in words: all of it where it is small, else its beginning; its hash names it in any case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tcloseness.ground import GroundDistance
from tcloseness.printable import printable

__all__ = ["ground_text"]

_LONGEST = 1200
_BEGINNING = 300


def ground_text(ground: GroundDistance) -> str:
    """Return what makes a ground distance, printable; of a long one the beginning, and how much there is.

    Examples
    --------
    >>> from tcloseness.ground import Matrix, Ordered
    >>> ground_text(Ordered(9))
    'ordered, m = 9: d(i, j) = |i − j|/8'
    >>> ground_text(Matrix([[0, 2], [2, 0]]))
    'matrix, m = 2: rows 0, 2; 2, 0'
    """
    text = printable(f"{ground.name}, m = {ground.m}: {_made_of(ground.to_dict())}")
    return text if len(text) <= _LONGEST else f"{text[:_BEGINNING]} … ({len(text):,} characters; see its sha256)"


def _made_of(record: Mapping[str, Any]) -> str:
    match record["name"]:
        case "ordered":
            return f"d(i, j) = |i − j|/{max(record['m'] - 1, 1)}"
        case "equal":
            return "d(i, j) = 1 for i ≠ j"
        case "ordered-by-value":
            return f"over the range of the values {_joined(record['values'])}"
        case "hierarchical":
            paths = [" < ".join(path) for path in record["paths"]]
            used = [paths[row] for row in record["values"]]
            others = [path for row, path in enumerate(paths) if row not in set(record["values"])]
            more = f"; beside these: {'; '.join(others)}" if others else ""
            levels = "; levels without a branch left out" if record["trivial_levels"] == "collapse" else ""
            return f"{'; '.join(used)}{more}{levels}"
        case "matrix":
            allowed = "; it may break the rules of a metric" if record["allow_non_metric"] else ""
            return f"rows {'; '.join(map(_joined, record['entries']))}{allowed}"
        case "laminar":
            ends = zip(record["low"], record["high"], record["weights"], strict=True)
            order, over = record["order"], record["denominator"]
            sets = [f"{{{_joined(order[low:high])}}} {weight}/{over}" for low, high, weight in ends]
            return f"sets of values with their weights {'; '.join(sets)}"
        case "product":
            parts = [f"({part['name']}: {_made_of(part)})" for part in record["components"]]
            how = record["combine"] + (f" with weights {_joined(record['weights'])}" if record["weights"] else "")
            tuples = "; ".join(map(_joined, record["tuples"]))
            return f"{how} of {', '.join(parts)} over the tuples {tuples}"
    return str(record)


def _joined(entries: Iterable[object]) -> str:
    return ", ".join(map(str, entries))
