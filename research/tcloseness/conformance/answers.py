"""What an implementation can answer to a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tcloseness.conformance.exact_text import Value, agrees, decimal, order, read, text

__all__ = ["Answer", "Nodes", "Refused", "same"]

Nodes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Answer:
    """A value, a verdict, nodes: whatever the algorithm has.

    Attributes
    ----------
    value
        The exact value.
    satisfied
        Whether the table satisfies the model at the threshold.
    nodes
        The nodes, sorted, each as levels by quasi-identifier.
    excluded
        How many records were left out of account.
    """

    value: Value | None = None
    satisfied: bool | None = None
    nodes: Nodes | None = None
    excluded: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the answer with exact text, and a decimal where the text is not a fraction."""
        record: dict[str, Any] = {}
        if self.value is not None:
            record["value"] = text(self.value)
            if "(" in record["value"]:
                record["decimal"] = f"{decimal(self.value):.17g}"
        if self.satisfied is not None:
            record["satisfied"] = self.satisfied
        if self.nodes is not None:
            record["nodes"] = [[str(level) for level in node] for node in self.nodes]
        if self.excluded:
            record["excluded"] = str(self.excluded)
        return record

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Answer | Refused:
        """Read what `to_dict` wrote."""
        if record.get("refused"):
            return Refused()
        nodes = record.get("nodes")
        return cls(
            read(record["value"]) if "value" in record else None,
            record.get("satisfied"),
            None if nodes is None else tuple(tuple(int(level) for level in node) for node in nodes),
            int(record.get("excluded", 0)),
        )


@dataclass(frozen=True)
class Refused:
    """No answer: the input has none, or the implementation fails on it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the record of a refusal."""
        return {"refused": True}


def same(one: Answer | Refused, other: Answer | Refused) -> bool:
    """Say whether two answers are the same, values up to what a double can tell apart."""
    if isinstance(one, Refused) or isinstance(other, Refused):
        return type(one) is type(other)
    if (one.satisfied, one.nodes, one.excluded) != (other.satisfied, other.nodes, other.excluded):
        return False
    if one.value is None or other.value is None:
        return one.value is other.value
    return order(one.value, other.value) == 0 or agrees(decimal(one.value), other.value)
