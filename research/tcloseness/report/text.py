"""An audit as text for a terminal: the answer first, then the numbers, then what was assumed.

Nothing is computed here. The functions return what rich prints, or print to a console that the caller made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tcloseness.audit import Audit
from tcloseness.displayed import counted
from tcloseness.exact import number_text
from tcloseness.ground import GroundDistance, definition_of
from tcloseness.report import wording
from tcloseness.report.short_text import printable
from tcloseness.report.wording import Letters, Line

if TYPE_CHECKING:
    from rich.console import Console

    from tcloseness.transport import Crossing, Move

__all__ = ["assumed", "crossings_table", "ground_text", "moves_table", "print_audit", "table_of", "vector_text"]

_STYLES = {"satisfied": "green", "violated": "bold red", "undecided": "yellow", "measured": ""}

_MULTI = "distinct values left in a class when the other sensitive attributes are known too"

_SHOWN = 12
_LONGEST, _BEGINNING = 1200, 300
"""So many entries of a long list are shown."""


def print_audit(audit: Audit, console: Console, *, table: str = "", grounds: Mapping[str, str] | None = None) -> None:
    """Print an audit.

    `table` and `grounds` name the table, and per sensitive attribute the ground distance, for the reader. The console's
    width is respected, and colours are its own decision.
    """
    console.print(Text(wording.answer(audit), style=_STYLES[audit.status]))
    for sentence in wording.gives_away(audit):
        console.print(Text(sentence))
    first = audit.attributes[0].classes
    letters = Letters()
    number = counted(audit.classes, "class")
    rows = "" if audit.rows is None else f"{counted(audit.rows, 'row')} for "
    records = f"{rows}{counted(audit.records, first.unit)}"
    table_lines = wording.lines_of(wording.of_the_table(audit), first, letters)
    table_lines += wording.lines_over_rows(audit.attributes[0], letters, of_table=True)
    console.print(_block(f"the table: {records} in {number}", table_lines, first.unit))
    for attribute in audit.of_values:
        classes, results = attribute.classes, wording.of_the_attribute(attribute)
        lines = wording.lines_of(results, classes, letters) + wording.lines_over_rows(
            attribute, letters, of_table=False
        )
        console.print(_block(wording.attribute_title(attribute), lines, first.unit))
        counts = {letters.of(classes, i): wording.class_counts_text(classes, i) for i in wording.worst_classes(results)}
        console.print(assumed(counts, title=None))
        console.print()
        console.print(assumed(wording.distances_of(attribute), title="farthest class by other distances"))
        console.print(assumed(wording.attacks_of(attribute), title="what an attacker learns from the release alone"))
    console.print()
    if audit.multi_attribute:
        console.print(assumed(wording.multi_attribute_of(audit), title=_MULTI))
    console.print(assumed(wording.losses_of(audit), title="risk and loss by the sizes of the classes"))
    console.print()
    console.print(assumed(letters.texts, title="the classes"))
    if audit.undefined:
        console.print()
        undefined = {f"{u.quantity} of {u.sensitive}": u.why for u in audit.undefined}
        console.print(assumed(undefined, title="undefined or not measured as meant"))
    notes = {model: "; ".join(said) for model, said in wording.notes_of(audit).items()}
    if notes:
        console.print()
        console.print(assumed(notes, title="what it means"))
    console.print()
    console.print(assumed(wording.assumptions(audit, table, grounds or {})))


# ---------------------------------------------------------------------- the numbers


def _block(title: str, lines: Sequence[Line], unit: str) -> RenderableType:
    decided = [line for line in lines if line.status != "measured"]
    return Group(Text(), Text(title, style="bold"), _numbers(lines), Text(), _worst_classes(decided or lines, unit))


def _numbers(lines: Sequence[Line]) -> Table:
    table = table_of("model", "measured", "threshold", "margin", "verdict")
    for line in lines:
        verdict = Text(line.status, style=_STYLES[line.status])
        table.add_row(line.model, line.value, line.threshold, line.margin, verdict)
    return table


def _worst_classes(lines: Sequence[Line], unit: str) -> Table:
    """Return the worst class of each model by its letter, and how many records (or persons) are at risk."""
    table = table_of("\nmodel", "\nworst class", f"its\n{unit}s", "violating\nclasses", f"{unit}s\nat risk")
    for column in table.columns[2:]:
        column.justify = "right"
    for line in lines:
        table.add_row(line.model, line.worst, line.worst_records, line.violating, line.at_risk)
    return table


def table_of(*headings: str, numbers: bool = False) -> Table:
    """Return an empty table; with numbers, all columns but the first are aligned to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for place, heading in enumerate(headings):
        table.add_column(heading, overflow="fold", justify="right" if numbers and place else "left")
    return table


# ---------------------------------------------------------------------- what was assumed


def assumed(lines: Mapping[str, str], *, title: str | None = "assumed") -> RenderableType:
    """Return named lines in two columns."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for name, text in lines.items():
        grid.add_row(printable(name), printable(text))
    body = Padding(grid, (0, 0, 0, 2), expand=False)
    return body if title is None else Group(Text(title, style="bold"), body)


# ---------------------------------------------------------------------- transformations


def moves_table(moves: Sequence[Move], labels: Sequence[str] = ()) -> RenderableType:
    """Return the moves of a transformation; values without labels are numbered from 0."""
    if not moves:
        return Text("moves: none, P and Q are equal")
    table = table_of("from", "to", "mass", "distance", "cost")
    for move in moves:
        numbers = (number_text(x) for x in (move.mass, move.distance, move.cost))
        table.add_row(_value_name(move.source, labels), _value_name(move.target, labels), *numbers)
    total = sum((move.cost for move in moves), Fraction(0))
    table.add_row("", "", "", "together", number_text(total), style="bold")
    return Group(Text(_heading("moves", labels), style="bold"), table)


def crossings_table(crossings: Sequence[Crossing], labels: Sequence[str] = ()) -> RenderableType:
    """Return what crosses the border of each cut; cuts that nothing crosses are only counted."""
    table = table_of("cut", "mass", "direction", "weight", "cost")
    crossed = [c for c in crossings if c.mass]
    for c in crossed:
        table.add_row(
            _set_name(c.inside, labels),
            number_text(abs(c.mass)),
            "leaves" if c.mass > 0 else "enters",
            number_text(c.weight),
            number_text(c.cost),
        )
    total = sum((c.cost for c in crossed), Fraction(0))
    table.add_row("", "", "", "together", number_text(total), style="bold")
    quiet = len(crossings) - len(crossed)
    note = f" (nothing crosses {quiet} more)" if quiet else ""
    return Group(Text(_heading("crossings of the cuts", labels) + note, style="bold"), table)


def _heading(what: str, labels: Sequence[str]) -> str:
    return what if labels else f"{what}, values numbered from 0"


def _value_name(code: int, labels: Sequence[str]) -> str:
    return printable(labels[code]) if labels else str(code)


def _set_name(codes: Sequence[int], labels: Sequence[str]) -> str:
    names = [_value_name(code, labels) for code in codes]
    if len(names) > 4:
        names = [names[0], "…", names[-1], f"({len(names)} values)"]
    return ", ".join(names).replace("…,", "…").replace(", (", " (").replace(", …", " …")


def vector_text(entries: Iterable[Fraction | str]) -> str:
    """Write a vector; of a long one, the first entries and how many there are."""
    texts = [printable(e) if isinstance(e, str) else number_text(e) for e in entries]
    if len(texts) <= _SHOWN:
        return ", ".join(texts)
    return ", ".join(texts[:_SHOWN]) + f", … ({len(texts)} entries)"


def ground_text(ground: GroundDistance) -> str:
    """Return what makes a ground distance, printable; of a long one the beginning, and how much there is.

    Examples
    --------
    >>> from tcloseness.ground import Matrix
    >>> ground_text(Matrix([[0, 2], [2, 0]]))
    'matrix, m = 2: rows 0, 2; 2, 0'
    """
    text = printable(f"{ground.name}, m = {ground.m}: {definition_of(ground)}")
    return text if len(text) <= _LONGEST else f"{text[:_BEGINNING]} … ({len(text):,} characters; see its sha256)"
