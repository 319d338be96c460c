"""A search of the lattice as text for a terminal: the answer first, then the nodes, then what was assumed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tcloseness.displayed import counted
from tcloseness.exact import ExactReal
from tcloseness.lattice import Lattice, Optimum, PartialOptimum, SearchResult
from tcloseness.lattice.measured import MeasuredNode
from tcloseness.lattice.search_answer import PartialSearchAnswer, SearchAnswer, Wanted
from tcloseness.lattice.tags import SATISFYING
from tcloseness.loss import LossResult
from tcloseness.report.short_text import decimal_text
from tcloseness.report.text import assumed, table_of

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["answer_of_search", "loss_text", "print_search", "size_text"]

_STYLES = {"satisfied": "green", "violated": "bold red", "undecided": "yellow"}

_SHORT = {
    "generalization height": "height",
    "precision": "Prec",
    "discernibility": "DM",
    "average class size": "mean class",
    "classification metric": "CM",
    "non-uniform entropy": "entropy",
    "KL utility": "KL",
    "maximal re-identification risk": "max risk",
    "average re-identification risk over records": "mean risk",
}
"""Losses as headings of columns."""

_LISTED = 40
"""So many nodes of a long list are shown."""


def size_text(lattice: Lattice) -> str:
    """Say how large a lattice is: known before it is searched.

    Examples
    --------
    >>> from tcloseness.microdata import Hierarchy
    >>> size_text(Lattice({"sex": Hierarchy.suppression("FM"), "zip": Hierarchy.prefixes(["47", "48"])}))
    'lattice: 6 nodes (sex 2 × zip 3 levels), heights 0 to 3'
    """
    levels = " × ".join(f"{name} {size}" for name, size in zip(lattice.quasi_identifiers, lattice.shape, strict=True))
    size = math.prod(lattice.shape)  # len() ends at 2⁶³
    return f"lattice: {counted(size, 'node')} ({levels} levels), heights 0 to {lattice.height}"


def answer_of_search(answer: SearchAnswer | PartialSearchAnswer, asked: str) -> list[str]:
    """Say what was found, in a few sentences; that an answer is not complete is the first of them.

    `asked` is what a node must satisfy, as text.
    """
    if isinstance(answer, PartialSearchAnswer):
        return _not_complete(answer, asked)
    if not answer.listed:
        return _nothing(answer, asked)
    if answer.optimum is not None:
        return [_best(answer.optimum, asked) + _over_rows(answer.listed)]
    assert answer.result is not None
    return [_counts(answer.result, answer.wanted, asked) + _over_rows(answer.listed)]


def _over_rows(listed: Sequence[MeasuredNode]) -> str:
    """Say of how many nodes the verdict is another with each row as one record: weights can hide that."""
    others = sum(each.over_rows is not None and each.over_rows.status != each.status for each in listed)
    nodes = counted(len(listed), "node")
    which = "the node listed does" if len(listed) == 1 else f"{others} of the {nodes} listed {_do(others, 'do')}"
    return f" But over the rows themselves, without their weights, {which} not." if others else ""


def _not_complete(answer: PartialSearchAnswer, asked: str) -> list[str]:
    """Say what is known although the search ended early."""
    everything = counted(len(answer.lattice), "node")
    missing = f"{answer.unsettled:,} of {everything} {_do(answer.unsettled, 'be')} not settled"
    if not answer.unsettled:
        missing = "the nodes are settled, but not all that are listed were measured"
    said = [f"NOT COMPLETE: {_WHY[answer.reason]}; {missing}."]
    best, found = answer.optimum_so_far, answer.search_so_far
    if isinstance(best, Optimum):
        return [*said, _best(best, asked)] if best.nodes else said
    if isinstance(found, SearchResult):
        return [*said, _counts(found, answer.wanted, asked)] if found.minimal else said
    shown = ", ".join(map(answer.lattice.text, answer.lowest_found()[:_LISTED]))
    if not shown:
        return [*said, f"No node that satisfies {asked} was found so far."]
    if isinstance(best, PartialOptimum):
        assert best.best_so_far is not None
        loss = best.best_so_far.loss
        extreme = "greatest" if loss.better == "higher" else "least"
        what = (
            f"The {extreme} {loss.loss} found so far of a node that satisfies {asked} is {loss_text(loss)}, at {shown}"
        )
        return [*said, f"{what}; a node that is not settled may be better."]
    more = " …" if len(answer.lowest_found()) > _LISTED else ""
    known = answer.found_satisfying
    return [
        *said,
        f"{counted(known, 'node')} {_do(known, 'be')} known to satisfy {asked}; the lowest found: {shown}{more}. "
        "They need not be minimal, and nodes that are not settled may satisfy too.",
    ]


_WHY = {
    "interrupted": "the search was interrupted",
    "time limit": "the time limit was reached",
    "memory limit": "the memory limit was reached",
}


def _counts(found: SearchResult, wanted: Wanted, asked: str) -> str:
    minimal, satisfying, everything = len(found.minimal), found.tags.count(SATISFYING), len(found.lattice)
    least = f"the least height is {found.least_height} of {found.lattice.height}"
    if wanted == "all":
        return (
            f"{satisfying:,} of {counted(everything, 'node')} {_do(satisfying, 'satisfy')} {asked}; "
            f"{minimal:,} of them {_do(minimal, 'be')} minimal, and {least}."
        )
    return (
        f"{minimal:,} of {counted(everything, 'node')} {_do(minimal, 'be')} minimal: "
        f"{'it' if minimal == 1 else 'they'} {_do(minimal, 'satisfy')} "
        f"{asked}, and no direct specialization does. {counted(satisfying, 'node')} {_do(satisfying, 'satisfy')}; "
        f"{least}."
    )


def _best(best: Optimum, asked: str) -> str:
    first = best.nodes[0].loss
    extreme = "greatest" if first.better == "higher" else "least"
    nodes = ", ".join(best.lattice.text(each.node) for each in best.nodes[:_LISTED])
    which = f"node {nodes} has" if len(best.nodes) == 1 else f"{len(best.nodes)} nodes have"
    ties = "" if len(best.nodes) == 1 else f" They tie: {nodes}{' …' if len(best.nodes) > _LISTED else ''}."
    sentence = f"{which} the {extreme} {first.loss} of the nodes that satisfy {asked}: {loss_text(first)}.{ties}"
    return sentence[0].upper() + sentence[1:]


def _nothing(answer: SearchAnswer, asked: str) -> list[str]:
    everything = counted(len(answer.lattice), "node")
    if answer.undecided:
        return [f"Of {everything}, none is known to satisfy {asked}; {answer.undecided} could not be decided."]
    said = [f"None of {everything} satisfies {asked}."]
    if answer.top is not None:
        top = answer.top
        broken = [model for model, status in top.parts.items() if status != "satisfied"]
        what = f" breaks {' and '.join(broken)}: it" if broken else ""
        values = "" if top.values is None else f" with {counted(top.distinct_l, 'distinct value')}"
        said.append(
            f"Even the top, where every quasi-identifier is at its root,{what} has one class of "
            f"{counted(top.k, 'record')}{values}."
        )
    return said


def _do(count: int, verb: str) -> str:
    forms = {"satisfy": ("satisfies", "satisfy"), "be": ("is", "are"), "do": ("does", "do")}
    return forms[verb][0 if count == 1 else 1]


# ---------------------------------------------------------------------- the whole text


def print_search(
    answer: SearchAnswer | PartialSearchAnswer,
    console: Console,
    *,
    asked: str,
    threshold: Fraction | None,
    written: Mapping[str, str],
    conventions: Mapping[str, str],
) -> None:
    """Print a search.

    `asked` is what a node must satisfy, as text. A measured t has the digits that distinguish it from the threshold.
    """
    first, *more = answer_of_search(answer, asked)
    console.print(Text(first, style=_STYLES["undecided" if isinstance(answer, PartialSearchAnswer) else answer.status]))
    for sentence in more:
        console.print(Text(sentence))
    listed = answer.measured_so_far if isinstance(answer, PartialSearchAnswer) else answer.listed
    shown = listed[:_LISTED]
    if shown:
        console.print()
        console.print(_privacy(answer, shown, threshold))
        console.print()
        console.print(_costs(answer.lattice, shown))
        left = len(listed) - len(shown)
        if left:
            console.print(Text(f"… and {counted(left, 'node')} more; --format json lists all", style="dim"))
    if isinstance(answer, SearchAnswer) and answer.optimum is not None:
        console.print()
        console.print(_reasons(answer.optimum.excluded))
    if written:
        console.print()
        console.print(assumed(written, title="written"))
    console.print()
    console.print(assumed(conventions))


def _privacy(
    answer: SearchAnswer | PartialSearchAnswer, shown: Sequence[MeasuredNode], threshold: Fraction | None
) -> RenderableType:
    headings = ["node", "height", "classes", "k"]
    if shown[0].values is not None:
        headings += ["distinct ℓ", "entropy ℓ", "t"]
    weighted = any(each.over_rows is not None for each in shown)
    headings += ["k, over rows"] * weighted + ["suppressed"] * bool(answer.limit)
    table = table_of(*headings, numbers=True)
    for each in shown:
        cells = [
            answer.lattice.text(each.node),
            str(each.height),
            f"{each.classes:,}",
            f"{each.k:,}",
        ]
        if each.values is not None:
            cells += [str(each.distinct_l), f"{each.effective_l:.4g}"]
            cells.append(decimal_text(each.t, short=True, apart_from=threshold))
        if weighted:
            cells.append("–" if each.over_rows is None else f"{each.over_rows.k:,}")
        table.add_row(*cells, *([f"{each.suppressed:,}"] if answer.limit else []))
    return Group(Text("what the nodes protect", style="bold"), table)


def _costs(lattice: Lattice, shown: Sequence[MeasuredNode]) -> RenderableType:
    losses = [name for name in shown[0].losses if name != "generalization height"]
    table = table_of("node", *(_SHORT.get(name, name) for name in losses), numbers=True)
    for each in shown:
        table.add_row(lattice.text(each.node), *(loss_text(each.losses[name]) for name in losses))
    return Group(Text("what they cost", style="bold"), table)


def _reasons(excluded: Mapping[str, int]) -> RenderableType:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right")
    grid.add_column(overflow="fold", style="dim")
    for reason, count in excluded.items():
        grid.add_row(f"  {count:,}", reason)
    return Group(Text("why no other node is better: so many nodes, and why", style="bold"), grid)


def loss_text(found: LossResult) -> str:
    """Write a loss as people read it: whole numbers in groups of three digits, others with four digits.

    Examples
    --------
    >>> from tcloseness.loss import Discernibility
    >>> from tcloseness.microdata import ClassCounts
    >>> loss_text(Discernibility().evaluate(ClassCounts.from_matrix([[1200, 100]])))
    '1,450,000'
    """
    value = found.value
    if isinstance(value, ExactReal) or value.denominator != 1:
        number = float(value)
        return f"{number:,.1f}" if abs(number) >= 10_000 else f"{number:.4g}"
    return f"{int(value):,}"
