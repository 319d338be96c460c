"""What a shell completes: the names that an option may have, and the columns of the table that the line names."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from glob import has_magic
from pathlib import Path

import typer

from tcloseness.errors import InputError

__all__ = ["columns", "one_of"]


def one_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return what completes a text to one of some names."""
    known = list(names)

    def begun(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    return begun


def columns(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the last name of a list with commas to a column of the table; nothing where it cannot be read."""
    words = [context.params.get("table"), *context.args]  # an option without its value ends the reading of the line
    table = next((word for word in words if word and word != "-" and (Path(word).is_file() or has_magic(word))), None)
    if table is None:
        return []
    from tcloseness.microdata.sources import names

    before, comma, last = incomplete.rpartition(",")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = names(table)
        except (InputError, OSError):
            return []
    return [f"{before}{comma}{name}" for name in found if name.startswith(last) and name not in before.split(",")]
