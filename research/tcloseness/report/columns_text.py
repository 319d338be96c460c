"""Which columns make people identifiable, as text for a terminal: the answer first, then the columns, then the sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from tcloseness.attacks import Columns
from tcloseness.displayed import counted
from tcloseness.report.short_text import printable
from tcloseness.report.text import assumed, table_of

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_columns"]

_LISTED = 12
"""So many sets are shown."""


def print_columns(found: Columns, console: Console, *, table: str) -> None:
    """Print what was found."""
    console.print(Text(printable(found.explain())), soft_wrap=False)
    if found.over_rows is not None:
        console.print(Text(printable(f"With each row as one record: {found.over_rows.explain()}")))
    for known in found.key_sets:
        console.print()
        shown = table_of(f"column ({known.name})", "alone by it", "not alone without it", "of the score", numbers=True)
        for column in sorted(known.columns, key=lambda column: -column.contribution):
            share = f"{float(column.contribution):.1%}"
            shown.add_row(printable(str(column.name)), f"{column.alone:,}", f"{column.needed:,}", share)
        console.print(shown)
    console.print()
    listed = sorted(found.sets, key=lambda each: (-each.uniques, len(each.columns)))[:_LISTED]
    sets = table_of("set of columns", "alone", "share", "k", "distinction", "separation", numbers=True)
    for each in listed:
        numbers = (f"{float(number):.4f}" for number in (each.distinction, each.separation))
        names = printable(", ".join(map(str, each.columns)))
        sets.add_row(names, f"{each.uniques:,}", f"{float(each.share):.1%}", f"{each.k:,}", *numbers)
    console.print(sets)
    if len(found.sets) > len(listed):
        left = f"{len(listed)} of {len(found.sets):,} sets, those by which most are alone; --output FILE writes all"
        console.print(Text(left, style="dim"))
    console.print()
    suppressed = f", {found.suppressed:,} suppressed" if found.suppressed else ""
    records = counted(found.records, "record")
    lines = {"table": f"{table}, {records}{suppressed}", "sets": f"of up to {counted(found.up_to, 'column')}"}
    console.print(assumed({**lines, **found.conventions}))
