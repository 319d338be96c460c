"""The measures that the package ships, side by side: what the card of each says, kept beside this file.

The cards take half a minute; ``shipped_cards.json`` holds their verdicts, and ``python -m
tcloseness.report.card_comparison FILE`` makes it again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tcloseness import measures
from tcloseness.axioms import CHECKS, ReportCard, check_distance
from tcloseness.axioms.verdict import Holds
from tcloseness.microdata import Hierarchy
from tcloseness.writing import write_files

__all__ = ["MARKS", "SHIPPED", "TIMED", "Compared", "Shipped", "compared", "made", "shipped", "verdict_word"]

TIMED = ("many-values",)
"""Checks whose verdict is one of seconds; a comparison that must come out alike everywhere leaves them out."""

MARKS = {"proved": "●", "examples": "○", "fails": "✗", "undecided": "?", "not applicable": "–"}
"""A verdict in a comparison, by its word; none rests on its colour."""

_STORED = Path(__file__).with_name("shipped_cards.json")
_FORMAT = "tcloseness-comparison-1"


@dataclass(frozen=True)
class Shipped:
    """A measure of the package and what its card is asked for."""

    name: str  # a short name, its own among all
    measure: measures.Measure
    # of `check_distance`: the domain or ground distance that it is judged by
    options: Mapping[str, Any] = field(default_factory=dict)


_TREE = Hierarchy.from_groups([{"low": ["a", "b"], "high": ["c", "d"]}])
_TRIANGLE = [["0", "1", "1/2"], ["1", "0", "1"], ["1/2", "1", "0"]]

SHIPPED = (
    Shipped("EMD, ordered", measures.EMD("ordered")),
    Shipped("EMD, ordered by value", measures.EMD("ordered-by-value"), {"domain": (1, 2, 4, 8)}),
    Shipped("EMD, equal", measures.EMD("equal")),
    Shipped("EMD, hierarchical", measures.EMD(_TREE)),
    Shipped("EMD, matrix", measures.EMD(_TRIANGLE)),
    Shipped("variational ½Σ|p − q|", measures.Variational(), {"ground": "ordered", "claims_emd": False}),
    Shipped("Kullback–Leibler", measures.KullbackLeibler()),
    Shipped("Jensen–Shannon, base 2", measures.JensenShannon(base=2)),
    Shipped("√ Jensen–Shannon, base 2", measures.JensenShannon(base=2, root=True)),
    Shipped("Hellinger", measures.Hellinger()),
    Shipped("χ²", measures.ChiSquare()),
    Shipped("greatest ratio", measures.Ratio()),
    Shipped(
        "smoothed Jensen–Shannon, raw",
        measures.SmoothedJensenShannon("ordered", bandwidth="1/2", renormalise=False, base=2),
    ),
    Shipped(
        "smoothed Jensen–Shannon, renormalised",
        measures.SmoothedJensenShannon("ordered", bandwidth="1/2", renormalise=True, base=2),
    ),
    Shipped("scaled EMD, ordered", measures.ScaledEMD("ordered")),
    Shipped("scaled EMD, hierarchical", measures.ScaledEMD(_TREE)),
)
"""All measures of the package; those that know no ground distance are judged by the ordered one."""


def verdict_word(verdict: Any) -> str:
    """Return ``proved``, ``examples``, ``fails``, ``undecided`` or ``not applicable``."""
    if isinstance(verdict, Holds):
        return "examples" if verdict.proved is None else "proved"
    return "fails" if verdict.status == "expected failure" else str(verdict.status)


@dataclass(frozen=True)
class Compared:
    """What a comparison shows of a card."""

    name: str  # the measure's name
    ground: str  # the ground distance by which it was judged
    verdicts: Mapping[str, str]  # by check, a key of `MARKS`
    open_question: Mapping[str, str]  # as `ReportCard.open_question`

    @property
    def failures(self) -> tuple[str, ...]:
        """The checks that fail."""
        return tuple(check for check, verdict in self.verdicts.items() if verdict == "fails")

    def of(self, *checks: str) -> str:
        """Return the mark of several checks together: the worst of their verdicts; empty if none was made."""
        found = {self.verdicts[check] for check in checks if check in self.verdicts}
        return next(
            (MARKS[v] for v in ("fails", "undecided", "examples", "proved", "not applicable") if v in found), ""
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as text."""
        return {
            "name": self.name,
            "ground": self.ground,
            "verdicts": dict(self.verdicts),
            "open_question": dict(self.open_question),
        }


def compared(card: ReportCard, name: str | None = None) -> Compared:
    """Return what a comparison shows of a card."""
    return Compared(
        name or card.measure,
        str(card.assumed["ground_distance"]),
        {result.name: verdict_word(result.verdict) for result in card if result.name not in TIMED},
        dict(card.open_question),
    )


def made(one: Shipped, **options: Any) -> ReportCard:
    """Make the card of a shipped measure, without the checks that depend on the machine's speed."""
    only = [check.name for check in CHECKS if check.name not in TIMED]
    return check_distance(one.measure, name=one.name, only=only, **{**one.options, **options})


def shipped() -> tuple[Compared, ...]:
    """Return the comparison of all shipped measures that is kept with the package."""
    record = json.loads(_STORED.read_text(encoding="utf-8"))
    return tuple(Compared(**row) for row in record["measures"])


def _rows(m: tuple[int, int], effort: str) -> Iterator[dict[str, Any]]:
    for one in SHIPPED:
        print(one.name, file=sys.stderr)
        yield compared(made(one, m=m, effort=effort, budget=120)).to_dict()


def _store(file: Path, m: tuple[int, int] = (2, 4), effort: str = "1/8") -> None:
    record = {
        "format": _FORMAT,
        "m": f"{m[0]} to {m[1]}",
        "effort": effort,
        "measures": list(_rows(m, effort)),
    }
    write_files({file: (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode()}, force=True)


if __name__ == "__main__":
    _store(Path(sys.argv[1]) if len(sys.argv) > 1 else _STORED)
