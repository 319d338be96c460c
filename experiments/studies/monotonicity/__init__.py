"""Which models may a lattice search prune on? Every edge of the Adult lattices, every model, three suppression limits.

A search prunes where a table that satisfies a model has only generalizations that satisfy it. Models declare that of
themselves for tables without suppression; `tcloseness.lattice` says for which of them it stays true where a few
records may be suppressed. Both are compared here with what happens along every edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from experiments.adult_lattices import shown
from experiments.claims import outcomes_of
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.studies.monotonicity import claims  # importing the module registers its checks
from experiments.studies.monotonicity.edges import EVERY, Found, follow
from experiments.studies.monotonicity.figures import draw_matrix
from experiments.studies.monotonicity.models import NATURAL, asked
from experiments.studies.monotonicity.totals import Total, by_model, percent
from tcloseness.exact import as_fraction

__all__ = ["STUDY", "Grid", "claims"]

NAME = "monotonicity"


@dataclass(frozen=True)
class Grid:
    """What the study runs over: lattices, those of (n,t)-closeness and its n, and shares that may be suppressed."""

    lattices: tuple[str, ...]
    natural_lattices: tuple[str, ...]
    natural_n: int
    shares: tuple[str, ...]


def run(study: StudyRun) -> StudyResult:
    """Follow every model along every edge, count what violates, and draw it."""
    grid = study.grid(Grid)
    work = [(name, one.name) for name in grid.lattices for one in asked()]
    work += [(name, NATURAL) for name in grid.natural_lattices]
    found: list[Found] = []
    for name, model in study.progress(work, "models on lattices"):
        found += follow(name, model, grid.shares, grid.natural_n if model == NATURAL else 0)
    totals = by_model(found)
    figure = Figure(
        draw_matrix(totals, study.folder / "violating_edges.png"),
        "How many edges lead from a table that satisfies the model to a generalization that does not, at any threshold "
        f"or at the one in brackets. {totals[0][0].edges:,} edges a cell, {totals[-1][0].edges:,} for {NATURAL}.",
    )
    tables = {"models": _models(totals), "edges": _edges(found)}
    return StudyResult(tables, [figure], outcomes_of(NAME), _summary(totals))


def _summary(totals: Sequence[Sequence[Total]]) -> str:
    declared = [row for row in totals if row[0].declared]
    others = [row for row in totals if not row[0].declared]
    broken = sum(row[0].violating > 0 for row in declared)
    first = totals[0][0]
    without = (
        f"Without suppression {broken or 'none'} of the {len(declared)} models that declare themselves monotone "
        f"{'have' if broken else 'has'} an edge along which a table that satisfies the model is generalized to one "
        f"that does not, at any threshold, on {first.edges:,} edges of {first.lattices} "
        f"lattice{'s' if first.lattices > 1 else ''}. Not declared monotone: "
        + "; ".join(f"{row[0].shown}, {row[0].violating:,} of {row[0].edges:,} edges" for row in others)
    )
    suppressed = [total for row in declared for total in row[1:]]
    safe = [row for row in declared if all(total.prunable for total in row)]
    spoiled = [row for row in declared if row not in safe and any(total.violating for total in row[1:])]
    lucky = [row for row in declared if row not in safe and row not in spoiled]
    kept = not any(total.violating for total in suppressed if total.prunable)
    worst = max(suppressed, key=lambda total: total.violating / total.edges)
    shares = " or ".join(f"{100 * float(total.share):g} %" for total in totals[0][1:])
    within = (
        f"Where up to {shares} of the records may be suppressed a search prunes on {_names(safe)} only, and "
        f"{'rightly' if kept else 'wrongly'} so: they have {'no' if kept else 'a'} violating edge. "
        f"{len(spoiled)} other models have some, up to {percent(worst)} of the edges ({worst.shown})"
    )
    if lucky:
        within += f"; {_names(lucky)} happen to have none here, which is not a promise"
    example = next((t for row in spoiled for t in row if row[0].model == _EXAMPLE and t.smallest), None)
    return f"{without}. {within}.{_told(example)}"


_EXAMPLE = "t-closeness, equal"


def _told(total: Total | None) -> str:
    if total is None or total.smallest is None:
        return ""
    one = total.smallest
    return (
        f" An example: with up to {100 * float(one.share):g} % suppressed, the least t of {_shown(one.lattice)} under "
        f"the equal distance rises from {_decimal(one.lower_value)} at {one.lower} to {_decimal(one.upper_value)} at "
        f"{one.upper}."
    )


def _names(rows: Sequence[Sequence[Total]]) -> str:
    *most, last = (row[0].shown for row in rows)
    return f"{', '.join(most)} and {last}" if most else last


# ---------------------------------------------------------------------- tables


def _shown(name: str) -> str:
    preset, comma, rest = name.partition(",")
    return shown([preset])[0] + comma + rest


def _models(totals: Sequence[Sequence[Total]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "model": total.model,
            "threshold": total.threshold,
            "may be suppressed": total.share,
            "declares itself monotone": "yes" if total.declared else "no",
            "search prunes": "yes" if total.prunable else "no",
            "lattices": total.lattices,
            "edges": total.edges,
            "violating edges": total.violating,
            "in %": round(100 * total.violating / total.edges, 3),
            **_smallest(total.smallest),
        }
        for row in totals
        for total in row
    )


def _smallest(one: Found | None) -> dict[str, str]:
    if one is None:
        return dict.fromkeys(("smallest witness", "value below", "value above", "decimals"), "")
    return {
        "smallest witness": f"{_shown(one.lattice)}: {one.lower} to {one.upper}",
        "value below": one.lower_value,
        "value above": one.upper_value,
        "decimals": " to ".join(_decimal(value) for value in (one.lower_value, one.upper_value) if value),
    }


def _decimal(value: str) -> str:
    return value if value == "inf" else f"{float(as_fraction(value)):.6g}"


def _edges(found: Sequence[Found]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "lattice": _shown(one.lattice),
            "model": one.model,
            "threshold": one.threshold,
            "may be suppressed": one.share,
            "in records": one.limit,
            "satisfying tables": "" if one.threshold == EVERY else one.satisfying,
            "edges": one.edges,
            "violating edges": one.violating,
            "smallest: from": one.lower,
            "to": one.upper,
            "value below": one.lower_value,
            "value above": one.upper_value,
        }
        for one in found
    )


STUDY = Study(
    NAME,
    "On which models may a search of generalizations prune, with and without suppression?",
    run,
    basis="every edge of each lattice and all records; nothing is a sample.",
)
