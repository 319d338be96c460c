"""The similarity attack on minimal ℓ-diverse Adult tables: Li et al. 2007, §6.

The paper searches seven quasi-identifiers with Occupation as the sensitive attribute, and calls a class vulnerable if
all its occupations lie in one of three groups. Neither its hierarchies nor its groups are published; the search is run
under the presets of `experiments.adult_hierarchies`, with two groupings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.adult_hierarchies import occupation_groups
from experiments.adult_lattices import SEVEN, rolled, shown
from experiments.all_groupings import balanced, five_five_four, most_revealed
from experiments.claims import Outcome, check, load_ledger, outcomes_of
from experiments.runner import Figure, Study, StudyResult, StudyRun
from tcloseness.attacks import similarity_attack
from tcloseness.errors import StudyError
from tcloseness.lattice import Node, minimal_generalizations
from tcloseness.models import EntropyLDiversity, RecursiveCLDiversity

__all__ = ["STUDY", "Grid", "Searched", "criterion", "few_values", "search", "vulnerable"]

NAME = "similarity_attack"


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    presets: tuple[str, ...]
    criteria: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True)
class Searched:
    """What satisfies a criterion under a preset."""

    preset: str
    criterion: str
    satisfying: tuple[Node, ...]
    minimal: tuple[Node, ...]


def criterion(text: str) -> Any:
    """Read a model as the grid writes it: ``entropy L`` or ``recursive C,L``.

    Raises
    ------
    StudyError
        For another text.
    """
    kind, _, numbers = text.partition(" ")
    if kind == "entropy" and numbers:
        return EntropyLDiversity(numbers)
    c, comma, l = numbers.partition(",")  # noqa: E741
    if kind == "recursive" and comma and l.isdigit():
        return RecursiveCLDiversity(int(l), c=c)
    raise StudyError(f"criterion {text!r} is unknown; write 'entropy L' or 'recursive C,L'")


@cache
def search(preset: str, text: str) -> Searched:
    """Find all tables of a preset's lattice that satisfy a criterion."""
    found = minimal_generalizations(rolled(preset), criterion(text))
    return Searched(preset, text, found.satisfying, tuple(sorted(found.minimal)))


@cache
def vulnerable(preset: str, node: Node, groups: str) -> tuple[int, int]:
    """Return how many classes of a table have all occupations in one group, and how many records these hold."""
    attack = similarity_attack(rolled(preset).classes(node), occupation_groups(groups), level=1)
    return len(attack.affected), attack.records


def _open(found: Searched, groups: str) -> list[Node]:
    return [node for node in found.minimal if vulnerable(found.preset, node, groups)[0]]


@cache
def few_values(preset: str, text: str, values: int) -> int:
    """Return the most records in classes of at most so many occupations, over all tables that satisfy the criterion.

    Whatever the groups are, one of so many occupations can reveal no more records.
    """
    most = 0
    for node in search(preset, text).satisfying:
        classes = rolled(preset).classes(node)
        few = np.diff(classes.starts) <= values
        most = max(most, int(classes.class_sizes[few].sum()))
    return most


# ---------------------------------------------------------------------- claims


@check("TC-22a", "TC-22b", "TC-23")
def _entropy() -> dict[str, Outcome]:
    searched = {preset: search(preset, "entropy 2") for preset in SEVEN}
    counts = {preset: len(found.minimal) for preset, found in searched.items()}
    attacked = {g: {preset: len(_open(found, g)) for preset, found in searched.items()} for g in ("S1", "S2")}
    revealed = max(vulnerable("T1", node, "S1")[1] for node in searched["T1"].minimal)
    every = {
        words: {preset: most_revealed(preset, found.minimal, groups) for preset, found in searched.items()}
        for words, groups in (("5, 5 and 4 occupations", five_five_four()), ("25 to 42 % of the records", balanced()))
    }
    bound = {preset: few_values(preset, "entropy 2", 5) for preset in SEVEN}
    return {
        "TC-22a": Outcome(counts["T1"], detail=_by_preset(counts), presets=("T1",)),
        "TC-22b": Outcome(
            attacked["S1"]["T1"],
            detail=f"S1: {_by_preset(attacked['S1'])}; S2: {_by_preset(attacked['S2'])}",
            presets=("T1",),
        ),
        "TC-23": Outcome(
            revealed,
            detail="in the worst minimal table of T1 (fitted) under S1; over all satisfying tables, classes of at most "
            f"5 occupations, the most that a group of five can cover, hold {_by_preset(bound)} records. Over all "
            "minimal tables and all groups of "
            + "; of ".join(f"{words} at most {_by_preset(most)} are revealed" for words, most in every.items()),
            presets=("T1",),
        ),
    }


@check("TC-24a", "TC-24b")
def _recursive() -> dict[str, Outcome]:
    literal = {preset: search(preset, "recursive 4,4") for preset in SEVEN}
    other = {preset: search(preset, "recursive 4,2") for preset in SEVEN}
    instead = ", ".join(
        f"{name} {len(found.minimal)}/{len(_open(found, 'S1'))}"
        for name, found in zip(shown(list(other)), other.values(), strict=True)
    )
    unexplained = (
        f". Read as (4,2), the numbers are {instead}; this explains nothing, since (4,2) was a target of the search "
        "for T1 and T2"
    )
    return {
        "TC-24a": Outcome(
            len(literal["T1"].minimal),
            detail=_by_preset({preset: len(found.minimal) for preset, found in literal.items()}) + unexplained,
            presets=("T1",),
        ),
        "TC-24b": Outcome(
            len(_open(literal["T1"], "S1")),
            detail=_by_preset({preset: len(_open(found, "S1")) for preset, found in literal.items()})
            + ". A (4,4)-diverse class has at least four occupations; all of them in one group is rare"
            + unexplained,
            presets=("T1",),
        ),
    }


def _by_preset(values: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in zip(shown(list(values)), values.values(), strict=True))


# ---------------------------------------------------------------------- the study


def run(study: StudyRun) -> StudyResult:
    """Search by every criterion under every preset, and attack every minimal table with every grouping."""
    grid = study.grid(Grid)
    work = list(product(grid.presets, grid.criteria))
    searched = [search(preset, text) for preset, text in study.progress(work, "searches")]
    tables = {"searches": _searches(searched, grid.groups), "tables": _tables(searched, grid.groups)}
    found = outcomes_of(NAME)
    figures = [
        Figure(
            _figure_revealed(searched, grid.groups[0], study.folder / "records_revealed.png"),
            "Each point is a minimal table: the records whose group of occupations the attack reveals. The printed 916 "
            "lies far beyond all of them.",
        ),
        Figure(
            _figure_counts(searched, grid.groups[0], study.folder / "minimal_and_vulnerable.png"),
            f"Minimal tables by criterion and preset, and how many of them the similarity attack opens (groups "
            f"{grid.groups[0]}). Dotted: the printed numbers, where the paper has the criterion.",
        ),
    ]
    return StudyResult(tables, figures, found, _summary(searched, grid.groups[0]))


def _summary(searched: Sequence[Searched], groups: str) -> str:
    by = {(found.preset, found.criterion): found for found in searched}
    texts = []
    for text, words in (("entropy 2", "entropy 2-diverse"), ("recursive 4,4", "recursive (4,4)-diverse")):
        found = by["T1", text]
        texts.append(f"{len(found.minimal)} minimal {words} tables, {len(_open(found, groups))} of them vulnerable")
    worst = max(vulnerable(found.preset, node, groups)[1] for found in searched for node in found.minimal)
    more = ""
    if ("T1", "recursive 4,2") in by:
        found = by["T1", "recursive 4,2"]
        more = (
            f"; read as (4,2) there are {len(found.minimal)} with {len(_open(found, groups))}, the numbers that are "
            "printed for (4,4)"
        )
    entropy = [found for found in searched if found.criterion == "entropy 2"]
    opened = sorted(len(_open(found, groups)) for found in entropy)
    minimal = sorted(len(found.minimal) for found in entropy)
    return (
        f"The attack opens {opened[0]} to {opened[-1]} of {minimal[0]} to {minimal[-1]} minimal entropy 2-diverse "
        f"tables, by preset, and reveals at most {worst:,} records in a minimal table of any criterion, not the "
        f"printed 916. Under T1 (fitted) there are {'; and '.join(texts)}{more}."
    )


def _searches(searched: Sequence[Searched], groups: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "preset": shown([found.preset])[0],
            "criterion": found.criterion,
            "satisfying": len(found.satisfying),
            "minimal": len(found.minimal),
            **{f"vulnerable, {g}": len(_open(found, g)) for g in groups},
            **{
                f"most records revealed, {g}": max(
                    (vulnerable(found.preset, n, g)[1] for n in found.minimal), default=0
                )
                for g in groups
            },
        }
        for found in searched
    )


def _tables(searched: Sequence[Searched], groups: Sequence[str]) -> pd.DataFrame:
    rows = []
    for found in searched:
        for node in found.minimal:
            classes = rolled(found.preset).classes(node)
            row: dict[str, object] = {
                "preset": shown([found.preset])[0],
                "criterion": found.criterion,
                "node": rolled(found.preset).lattice.text(node),
                "k": int(classes.class_sizes.min()),
                "classes": len(classes),
            }
            for g in groups:
                row[f"vulnerable classes, {g}"], row[f"records, {g}"] = vulnerable(found.preset, node, g)
            rows.append(row)
    return pd.DataFrame(rows)


PRINTED = {"entropy 2": ("TC-22a", "TC-22b"), "recursive 4,4": ("TC-24a", "TC-24b")}
"""The claims that print how many tables are minimal, and how many of them are vulnerable."""


def _title(text: str) -> str:
    kind, _, numbers = text.partition(" ")
    return f"entropy {numbers}-diverse" if kind == "entropy" else f"recursive ({numbers})-diverse"


def _figure_counts(searched: Sequence[Searched], groups: str, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    from experiments.figures import save
    from tcloseness.report.figures import INK, MOVE, REFERENCE, STYLE

    ledger = load_ledger()
    texts = list(dict.fromkeys(found.criterion for found in searched))
    with rc_context(STYLE):
        canvas = Canvas(figsize=(8.2, 0.9 + 0.5 * (len(searched) + len(texts))), layout="constrained")
        panels = canvas.subplots(len(texts), 1, sharex=True, squeeze=False)[:, 0]
        for axes, text in zip(panels, texts, strict=True):
            mine = [found for found in searched if found.criterion == text]
            places = list(range(len(mine)))
            opened = [len(_open(found, groups)) for found in mine]
            axes.barh(places, [len(found.minimal) for found in mine], 0.62, color=REFERENCE, label="minimal tables")
            axes.barh(places, opened, 0.62, color=MOVE, label="of these, vulnerable")
            for place, found, n in zip(places, mine, opened, strict=True):
                axes.text(len(found.minimal) + 0.2, place, f"{n} of {len(found.minimal)}", va="center", fontsize=9)
            title = _title(text)
            if text in PRINTED:
                stated = [int(ledger[key].stated or 0) for key in PRINTED[text]]
                for number, color in zip(stated, (INK, MOVE), strict=True):
                    axes.axvline(number, color=color, linewidth=1.2, linestyle=":")
                title += f"; printed (dotted): {stated[0]} tables, {stated[1]} vulnerable"
            axes.set_yticks(places, shown([found.preset for found in mine]))
            axes.set_ylim(len(mine) - 0.45, -0.55)
            axes.set_title(title, loc="left", fontsize=10.5)
        panels[0].set_xlim(0, 1.13 * max(len(found.minimal) for found in searched) + 1)
        panels[-1].set_xlabel("minimal tables")
        canvas.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=2)
    return save(canvas, path)


def _figure_revealed(searched: Sequence[Searched], groups: str, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, MOVE, STYLE

    stated = int(load_ledger()["TC-23"].stated or 0)
    texts = list(dict.fromkeys(found.criterion for found in searched))
    marks = dict(zip(SEVEN, ("o", "s", "^"), strict=True))
    colors = dict(zip(SEVEN, (MASS, MOVE, INK), strict=True))
    with rc_context(STYLE):
        canvas = Canvas(figsize=(8.2, 1.7 + 0.62 * len(texts)), layout="constrained")
        axes = canvas.subplots()
        for found in searched:
            i = SEVEN.index(found.preset)
            records = [vulnerable(found.preset, node, groups)[1] for node in found.minimal]
            place = texts.index(found.criterion) + (i - 1) * 0.2
            axes.scatter(
                [max(n, 0.7) for n in records],
                [place] * len(records),
                marker=marks[found.preset],
                color=colors[found.preset],
                s=26,
                alpha=0.55,
                linewidths=0,
                label=shown([found.preset])[0] if found.criterion == texts[0] else None,
            )
        axes.axvline(stated, color=INK, linewidth=1.2, linestyle=":")
        axes.text(stated * 0.93, -0.42, f"printed: {stated}", ha="right", va="center", fontsize=9)
        axes.set_xscale("log")
        axes.set_xlim(0.55, 1500)
        axes.set_xticks(
            [0.7, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
            ["0", "2", "5", "10", "20", "50", "100", "200", "500", "1,000"],
        )
        axes.minorticks_off()
        axes.set_ylim(len(texts) - 0.5, -0.6)
        axes.set_yticks(range(len(texts)), [_title(text) for text in texts])
        axes.set_axisbelow(True)
        axes.set_xlabel("records revealed in a minimal table")
        axes.grid(axis="x", color="#e6e8ec", linewidth=0.8)
        canvas.legend(frameon=False, loc="outside lower center", ncols=3)
    return save(canvas, path)


STUDY = Study(
    NAME,
    "How many minimal l-diverse Adult tables are open to the similarity attack, and how many records does it reveal?",
    run,
    basis="every node of each lattice and all records; nothing is a sample.",
)
