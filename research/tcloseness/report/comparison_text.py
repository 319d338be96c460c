"""Releases side by side in sentences, and as text for a terminal: which satisfies what, and which has lost least."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcloseness.comparison import NO_ANSWER, ORIGINAL, Comparison
from tcloseness.displayed import counted
from tcloseness.errors import ConventionError, InputError
from tcloseness.report import wording
from tcloseness.report.short_text import printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["cell_text", "print_comparison", "sentences"]


def sentences(found: Comparison) -> list[str]:
    """Return the verdict on each release, which has lost least by which loss, and what is not known and why."""
    releases = [each for each in found.releases if each.name != ORIGINAL]
    values = ", and for the sensitive values" if found.releases[0].audit.of_values else ""
    said = [f"{each.name}: {wording.answer(each.audit)}." for each in found.releases]
    if len(releases) > 1:
        said += _best(found)
    for each in releases:
        if not each.aligned:
            said.append(
                f"{each.name}: which published row is which record is not known, so labels and counts are measured; it "
                f"is checked that the table has records for the labels of each quasi-identifier{values}."
            )
        said += [f"{name} of {each.name} is not measured: {why}." for name, why in each.not_measured.items()]
    return said + [f"{name} is not ranked: {why}." for name, why in found.incomparable.items()]


def _best(found: Comparison) -> list[str]:
    """Say of each set of releases by which losses they are the best."""
    by_best: dict[tuple[str, ...], list[str]] = {}
    for name in dict.fromkeys(name for each in found.releases for name in each.losses):
        try:
            by_best.setdefault(found.best(name), []).append(name)
        except (ConventionError, InputError):  # not ranked, or neither lower nor higher is better
            continue
    return [f"Best by {', '.join(losses)}: {' and '.join(names)}." for names, losses in by_best.items()]


def print_comparison(found: Comparison, console: Console, *, table: str) -> None:
    """Print what `Comparison.explain` says, and a row a quantity with a column a release."""
    from rich.text import Text

    from tcloseness.report.text import assumed, table_of

    for each in sentences(found):
        console.print(Text(printable(each)))
    better, cells = found._wide()
    names = [each.name for each in found.releases]
    for kind in dict.fromkeys(about[0] for about in better):
        console.print()
        shown = table_of(kind, "better", *map(printable, names), numbers=True)
        for about in better:
            if about[0] == kind:
                numbers = (cell_text(cells.get((name, about))) for name in names)
                shown.add_row(printable(about[2]), better[about], *numbers)
        console.print(shown)
    console.print()
    first = found.releases[0].audit
    lines = {"table": f"{table}, {counted(first.records + first.suppressed, 'record')}", **found.conventions}
    console.print(assumed(lines if first.of_values else {**lines, "sensitive": "none was named"}))


def cell_text(cell: int | float | str | None) -> str:
    """Return what a cell of a comparison shows.

    Examples
    --------
    >>> [cell_text(cell) for cell in (12000, 0.25, "satisfied", None)]
    ['12,000', '0.25', 'satisfied', '–']
    """
    if cell is None:
        return NO_ANSWER
    if isinstance(cell, str):
        return cell
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.6g}"
