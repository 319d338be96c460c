"""What a shell completes: the names that an option may have, and the columns of the table that the line names."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from glob import has_magic
from pathlib import Path

import typer

from tcloseness.cli.arguments import encoding_name, separator_text
from tcloseness.errors import InputError

__all__ = ["column", "columns", "one_of"]


def one_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return what completes a text to one of some names."""
    known = list(names)

    def begun(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    return begun


def column(context: typer.Context, incomplete: str) -> list[str]:
    """Complete a text to a column of the table; nothing where it cannot be read."""
    return [name for name in _columns_of_table(context) if name.startswith(incomplete)]


def columns(context: typer.Context, incomplete: str) -> list[str]:
    """Complete a text to a column, or the last name of a list with commas, in which no name has one itself."""
    before, comma, last = incomplete.rpartition(",")
    listed = before.split(",")
    return [
        name if "," in name else f"{before}{comma}{name}"
        for name in _columns_of_table(context)
        if (name.startswith(incomplete) if "," in name else name.startswith(last) and name not in listed)
    ]


def _columns_of_table(context: typer.Context) -> Sequence[str]:
    """Return the columns of the table that the line names, as it says that the table is read; none if that fails."""
    words = [context.params.get("table"), *context.args]  # an option without its value ends the reading of the line
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            given = (word for word in words if word and word != "-")
            table = next((word for word in given if Path(word).is_file() or has_magic(word)), None)
            if table is None:
                return ()
            from tcloseness.microdata.combinations import Options
            from tcloseness.microdata.sources import names

            separator, encoding = (_given(context, name) for name in ("separator", "encoding"))
            return names(table, Options(separator_text(separator), encoding_name(encoding)))
        except (InputError, OSError):
            return ()


def _given(context: typer.Context, name: str) -> str | None:
    """Return the value of an option, which stands among the words where the reading of the line has ended."""
    found: str | None = context.params.get(name)
    for word, following in zip(context.args, [*context.args[1:], None], strict=False):
        option, equals, text = word.partition("=")
        if option == f"--{name}":
            found = text if equals else following
    return found
