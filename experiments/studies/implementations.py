"""How often is a tool's verdict on an ordinary table unsafe, over-strict or right? Random tables, and samples of Adult.

The tables have nothing unusual: text without missing values, row labels in order, whole numbers where an order is
needed. Each tool is asked through its adapter. Where it gives a number and no verdict, the number is compared with the
threshold as the model's definition has it.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from experiments import adult
from experiments.intervals import percent, wilson
from experiments.peers import all_peers, command, installed
from experiments.provenance import ROOT, digest
from experiments.runner import Figure, Study, StudyResult, StudyRun
from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.answers import Refused
from tcloseness.conformance.exact_text import answer_decimal
from tcloseness.conformance.generate import answered
from tcloseness.conformance.inputs import Table
from tcloseness.conformance.process import Harness
from tcloseness.conformance.protocol import Given, Implementation, Reply, Skipped
from tcloseness.conformance.vectors import Vector

__all__ = ["NAME", "OURS", "STUDY", "WORDS", "Grid", "counted", "questions", "said"]

NAME = "implementations"
RECORD = ROOT / "docs" / "conformance" / "record.json"
WORDS = ("right", "over-strict", "unsafe", "no verdict")
OURS = [sys.executable, "-m", "tcloseness.conformance.harness"]
SOURCES = ("random tables", "samples of Adult")
ORDERED = "t-ordered"


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    tables: int
    adult_tables: int
    adult_records: int
    algorithms: tuple[str, ...]


def questions(grid: Grid, seed: int) -> dict[str, list[Vector]]:
    """Return the questions by source, each with its right answer; the same for the same seed."""
    found: dict[str, list[Vector]] = {source: [] for source in SOURCES}
    frame = adult.load("train-complete")
    for algorithm in grid.algorithms:
        for source, number in zip(SOURCES, (grid.tables, grid.adult_tables), strict=True):
            rng = random.Random(f"{seed} {algorithm} {source}")
            for place in range(number):
                table = random_table(algorithm, rng) if source == SOURCES[0] else sample(frame, grid, algorithm, rng)
                id = f"{algorithm}/{source}/{place}"
                found[source].append(
                    answered(algorithm, table, random_parameters(algorithm, rng), id, source, flags=False)
                )
    return found


def random_table(algorithm: str, rng: random.Random) -> Table:
    """Return a table of 4 to 40 records, one or two quasi-identifiers and 2 to 5 sensitive values."""
    places = ["z", "y"][: rng.randint(1, 2)]
    values = [str(n) for n in (10, 20, 30, 40, 50)] if algorithm == ORDERED else ["v", "w", "x", "y", "z"]
    values = values[: rng.randint(2, 5)]
    rows = [
        (*(rng.choice("abc"[: rng.randint(1, 3)]) for _ in places), rng.choice(values))
        for _ in range(rng.randint(4, 40))
    ]
    kind = "integer" if algorithm == ORDERED else "text"
    return Table((*places, "s"), (*("text" for _ in places), kind), tuple(rows), tuple(places), ("s",))


def sample(frame: pd.DataFrame, grid: Grid, algorithm: str, rng: random.Random) -> Table:
    """Return a sample of Adult's complete training records, with one to three quasi-identifiers."""
    places = rng.sample(["sex", "race", "marital-status", "workclass", "class"], rng.randint(1, 3))
    sensitive = "education-num" if algorithm == ORDERED else "occupation"
    part = frame.iloc[sorted(rng.sample(range(len(frame)), grid.adult_records))]
    rows = tuple(tuple(map(str, row)) for row in part[[*places, sensitive]].itertuples(index=False))
    kind = "integer" if algorithm == ORDERED else "text"
    return Table((*places, sensitive), (*("text" for _ in places), kind), rows, tuple(places), (sensitive,))


def random_parameters(algorithm: str, rng: random.Random) -> dict[str, str]:
    """Return random thresholds: whole ones for k, l and c, hundredths for the others."""
    hundredths = str(Fraction(rng.randint(1, 99), 100))
    match algorithm:
        case "k-anonymity":
            return {"k": str(rng.randint(1, 6))}
        case "distinct-l" | "entropy-l":
            return {"l": str(rng.randint(1, 4))}
        case "recursive-cl":
            return {"c": str(rng.randint(1, 6)), "l": str(rng.randint(2, 4))}
        case "alpha-k":
            return {"alpha": hundredths, "k": "1"}
        case "delta-disclosure":
            return {"delta": str(2 * Fraction(hundredths)), "base": "e"}
        case "beta-basic" | "beta-enhanced":
            return {"beta": str(3 * Fraction(hundredths))}
    return {"t": hundredths}


def said(vector: Vector, reply: Reply, implementation: Implementation) -> str | None:
    """Return what a reply comes to: one of `WORDS`; None where the tool was not asked."""
    if isinstance(reply, Skipped) or vector.algorithm not in implementation.algorithms:
        return None
    right = vector.expected
    assert not isinstance(right, Refused)
    holds = _verdict(vector, reply)
    if holds is None:
        return "no verdict"
    if holds == right.satisfied:
        return "right"
    return "unsafe" if holds else "over-strict"


def _verdict(vector: Vector, reply: Reply) -> bool | None:
    if not isinstance(reply, Given):
        return None
    if isinstance(reply.fields.get("satisfied"), bool):
        return bool(reply.fields["satisfied"])
    number = answer_decimal(reply.fields.get("value"))
    if number is None:
        return None
    algorithm = ALGORITHMS[vector.algorithm]
    threshold = Fraction(vector.parameters[str(algorithm.threshold)])
    value = Fraction(number) if number.is_finite() else None
    if value is None:
        return algorithm.larger_is_safer
    if algorithm.larger_is_safer:
        return value >= threshold
    return value < threshold if algorithm.strict else value <= threshold


def counted(words: Sequence[str], vectors: Sequence[Vector]) -> list[dict[str, Any]]:
    """Ask a tool all questions, and return by algorithm how often it said what."""
    harness = Harness(words, seconds=30)
    found: dict[str, Counter[str]] = {}
    try:
        harness.start()
        for seq, vector in enumerate(vectors):
            if vector.algorithm in harness.implementation.algorithms:
                word = said(vector, harness.ask(seq, vector.question()), harness.implementation)
                if word is not None:
                    found.setdefault(vector.algorithm, Counter())[word] += 1
        name = f"{harness.implementation.name} {harness.implementation.version}"
    finally:
        harness.close()
    return [
        {"implementation": name, "model": algorithm, **{word: counts[word] for word in WORDS}}
        for algorithm, counts in found.items()
    ]


def tools_here() -> list[list[str]]:
    """Return how our own package is run, and every tool whose environment is there."""
    return [OURS, *(command(peer) for peer in all_peers() if not peer.use and installed(peer))]


def measured(grid: Grid, seed: int, tools: Sequence[Sequence[str]], progress: Any = iter) -> list[dict[str, Any]]:
    """Return what some tools say."""
    asked = questions(grid, seed)
    return [
        {"tables": source, **row}
        for words in progress(tools)
        for source in SOURCES
        for row in counted(words, asked[source])
    ]


def run(study: StudyRun) -> StudyResult:
    """Ask our own package, and the tools if all are installed; for want of them, show what the record says of them."""
    grid = study.grid(Grid)
    anew = not study.smoke and all(installed(peer) for peer in all_peers() if not peer.use)
    rows = measured(grid, study.seed, tools_here() if anew else [OURS], lambda items: study.progress(items, "tools"))
    when = "asked anew"
    if not anew:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
        ours = {row["implementation"].split()[0] for row in rows}
        rows += [row for row in record["random_tables"] if row["implementation"].split()[0] not in ours]
        when = f"tcloseness asked anew, the others as recorded on {record['date']}"
    found = pd.DataFrame({**row, **_interval(row)} for row in rows)
    figure = Figure(
        _draw(found, study.folder / "verdicts.png"),
        f"Verdicts on ordinary tables with random thresholds ({when}): shares of the questions that each "
        "tool takes; at the right, how many they are.",
    )
    return StudyResult({"verdicts": found}, [figure], {}, _summary(found, when))


def _interval(row: Mapping[str, Any]) -> dict[str, float]:
    low, high = wilson(row["right"], sum(row[word] for word in WORDS))
    return {"share right, from": low, "share right, to": high}


def _draw(found: pd.DataFrame, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, MOVE, REFERENCE, STYLE

    colours: Mapping[str, str] = {"right": REFERENCE, "over-strict": MASS, "unsafe": MOVE, "no verdict": INK}
    tools = list(found["implementation"].unique())
    with rc_context(STYLE):
        figure = Figure(figsize=(9, 1.3 + 0.3 * len(tools)), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for axes, source in zip(panels, SOURCES, strict=True):
            totals = found[found["tables"] == source].groupby("implementation")[list(WORDS)].sum().to_dict("index")
            for place, tool in enumerate(tools):
                row = totals.get(tool, {})
                asked, left = int(sum(row.values())), 0.0
                for word in WORDS if asked else ():
                    axes.barh(place, row[word] / asked, left=left, height=0.7, color=colours[word])
                    left += row[word] / asked
                axes.text(1.02, place, f"{asked}", va="center", fontsize=9, color=INK)
            axes.set_title(source, loc="left", fontsize=10.5)
            axes.set_xlim(0, 1)
            axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
            axes.xaxis.set_major_formatter(PercentFormatter(1))
            axes.spines[["left", "top", "right"]].set_visible(False)
            axes.tick_params(axis="y", length=0)
        panels[0].set_yticks(range(len(tools)), tools)
        panels[0].set_ylim(len(tools) - 0.5, -0.6)
        handles = [panels[0].barh([0], [0], color=colours[word], label=word) for word in WORDS]
        figure.legend(handles=handles, frameon=False, loc="outside lower center", ncols=4)
    return save(figure, path)


def _summary(found: pd.DataFrame, when: str) -> str:
    totals = found.groupby("implementation", sort=False)[list(WORDS)].sum()
    parts = []
    for tool, row in totals.iterrows():
        wrong = ", ".join(f"{int(row[word])} {word}" for word in WORDS[1:] if row[word])
        right = percent(int(row["right"]), int(row.sum()))
        parts.append(f"{tool}: right on {right}" + (f", {wrong}" if wrong else ""))
    others = totals.iloc[1:].to_dict("index")
    unsafe = {str(tool): (int(row["unsafe"]), int(sum(row.values()))) for tool, row in others.items() if row["unsafe"]}
    most = ""
    if unsafe:
        first = max(unsafe, key=lambda tool: unsafe[tool][0])
        most = f", most often {first}, in {percent(*unsafe[first])} verdicts"
    always = sum(row["right"] == sum(row.values()) for row in others.values())
    are = f"{always} is" if always == 1 else f"{always} are"
    return (
        f"Of {len(others)} other implementations {len(unsafe)} call some table safe that is not{most}; {are} right "
        f"throughout. Verdicts on ordinary tables that are drawn at random ({when}). {'; '.join(parts)}."
    )


def inputs() -> dict[str, Any]:
    """Return what the answers of other tools depend on: the record, and which tools are installed."""
    return {
        "record_sha256": digest(RECORD.read_bytes()),
        "tools": sorted(requirement for peer in all_peers() if installed(peer) for requirement in peer.requirements),
    }


STUDY = Study(
    NAME,
    "How often is an implementation's verdict on an ordinary table unsafe, over-strict or right?",
    run,
    inputs,
    basis="random tables and samples of Adult with random thresholds: the shares are of a sample, with the "
    "interval of each. The recorded answers are to the same questions.",
)
