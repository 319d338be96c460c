r"""The lines of a published table, written by DuckDB: as CSV, byte for byte as `AnonymizedTable.to_csv`, or as Parquet.

Every column is a dictionary of its texts in natural order, so that sorting the lines by the places of their texts is
the published order, and a text is quoted once for each that there is. What does not fit the memory goes to temporary
files, and lines that are alike are one line with a count until they are written.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pandas as pd

from tcloseness.errors import InputError, MemoryLimitReached, TableError
from tcloseness.exact import IntArray
from tcloseness.microdata.domain import is_missing
from tcloseness.microdata.sources.duckdb_engine import interrupts_and_memory
from tcloseness.microdata.text_files import kind_by_name, quoted
from tcloseness.release.rows import natural_order

if TYPE_CHECKING:
    import duckdb

__all__ = ["Form", "LineWriter", "ShownColumn", "form_of", "literal", "name_in_sql", "said"]

Form = Literal["CSV", "Parquet"]

_INT64 = 2**63


def form_of(file: str) -> Form:
    """Return how a file is written, by its name; `InputError` for a name that says something else."""
    binary = kind_by_name(file)
    if binary is not None:
        raise InputError(
            f"file {file!r} is called like {binary}, and what is written is CSV or Parquet; end its name in .csv, .tsv "
            "or .parquet"
        )
    return "Parquet" if file.lower().endswith((".parquet", ".pq")) else "CSV"


def literal(text: str) -> str:
    """Return a text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def name_in_sql(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """A column of what is published.

    Attributes
    ----------
    name
        Its name.
    texts
        What its cells show, each text once; an empty one is a missing value.
    values
        What each text stands for, where Parquet is to have that in place of the text; None for texts.
    """

    name: str
    texts: Sequence[str]
    values: Sequence[object] | None = None


class LineWriter:
    """Writes lines of one table.

    Parameters
    ----------
    connection
        The database; it is used for nothing else.
    names
        The columns that are written, in this order; each is added before anything is.
    form, separator
        How, and what separates the cells of CSV.

    Raises
    ------
    InputError
        For a name that the form cannot have.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, names: Sequence[str], form: Form, separator: str) -> None:
        self.connection, self.names, self.form, self.separator = connection, list(names), form, separator
        self.alone = len(names) == 1
        if form == "Parquet":
            folded = [name.casefold() for name in names]
            for name, fold in zip(names, folded, strict=True):
                if not name or folded.count(fold) > 1:
                    raise InputError(
                        f"column {name!r} cannot be written to Parquet: engines know columns by names that are not "
                        "empty and differ in more than case; rename it, or write CSV"
                    )
        else:
            self.header = separator.join(quoted(name, separator, alone=self.alone) for name in names) + "\n"
        connection.execute("set preserve_insertion_order = true")  # what is sorted is written so
        connection.execute("set disabled_optimizers = 'join_order,build_side_probe_side'")  # no map is the larger side
        self.typed: list[int] = []

    def cell(self, text: str) -> str:
        """Return a text as a line has it."""
        return quoted(text, self.separator, alone=self.alone) if self.form == "CSV" else text

    def add(self, column: ShownColumn) -> None:
        """Add a column; `InputError` for a text that the form cannot hold."""
        place = self.names.index(column.name)
        order = sorted(range(len(column.texts)), key=lambda i: natural_order(column.texts[i]))
        texts = [column.texts[i] for i in order]
        texts = [*map(self.cell, texts)]
        "".join(texts).encode()  # no text of DuckDB holds half a character
        held, type_ = None, None
        if self.form == "Parquet" and column.values is not None:
            held, type_ = _typed([column.values[i] for i in order])
        self.connection.execute(f"create type e{place} as enum (select unnest(?))", [texts])
        more, value = ("", "") if held is None else (", unnest(?) as value", f", value::{type_} as v")
        self.connection.execute(
            f"create temp table t{place} as select code::integer as code, text::e{place} as l{value} "
            f"from (select unnest(?) as code, unnest(?) as text{more})",
            [order, texts, *([] if held is None else [held])],
        )
        if held is not None:
            self.typed.append(place)

    def of_codes(self, codes: Sequence[IntArray], counts: IntArray) -> str:
        """Return the query of lines whose cells are the texts at places of each column's, each with its number."""
        frame = pd.DataFrame({**{f"c{i}": each for i, each in enumerate(codes)}, "n": counts}, copy=False)
        self.connection.register("given", frame)
        shown = ", ".join(f"t{i}.l as l{i}" for i in range(len(codes)))
        joins = " ".join(f"join t{i} on given.c{i} = t{i}.code" for i in range(len(codes)))
        return f"select {shown}, given.n as n from given {joins}"

    def write(self, lines: str, place: Path, *, counted: bool) -> int:
        """Write the lines of a query, its cells ``l0``, ``l1``, … of the columns' types, in published order.

        Parameters
        ----------
        lines
            The query.
        place
            The file; nothing is there.
        counted
            Whether each line has the number ``n`` of its rows.

        Returns
        -------
        int
            The number of rows.
        """
        every = range(len(self.names))
        cells = ", ".join(f"l{i}" for i in every)
        if self.form == "CSV":
            ordered, shown = f"select * from ({lines}) order by {cells}", cells
            how = (
                f"format csv, header false, delimiter {literal(self.separator)}, quote '', escape '', "
                f"prefix {literal(self.header)}, suffix '\n'"
            )
        else:
            values = "".join(f", t{i}.v as v{i}" for i in self.typed)
            joins = " ".join(f"join t{i} on r.l{i} = t{i}.l" for i in self.typed)
            ordered = f"select r.*{values} from ({lines}) r {joins} order by {cells}"
            shown = ", ".join(
                (f"v{i}" if i in self.typed else f"nullif(l{i}::varchar, '')") + f" as {name_in_sql(name)}"
                for i, name in enumerate(self.names)
            )
            how = "format parquet"
        if counted:
            ordered = f"select *, unnest(range(n)) from ({ordered})"
        done = self.connection.execute(
            f"copy (select {shown} from ({ordered})) to {literal(str(place))} ({how}, use_tmp_file false)"
        )
        return int(done.fetchall()[0][0])


def _typed(values: Sequence[object]) -> tuple[list[str | None] | None, str | None]:
    """Return values as texts and the type of DuckDB that reads them as they are; no texts where there is no such."""
    present = [value for value in values if not is_missing(value)]
    types = set(map(type, present))
    found: str | None = None
    if types == {bool}:
        found = "BOOLEAN"
    elif types == {int}:
        found = "BIGINT" if all(-_INT64 <= value < _INT64 for value in present) else None  # type: ignore[operator]
    elif types <= {int, float} and types:  # a column of floats holds those that are whole as whole numbers
        found = "DOUBLE" if all(_is_double(value) for value in present) else None  # type: ignore[arg-type]
    elif types == {datetime.date}:
        found = "DATE"
    elif types == {pd.Timestamp}:
        found = _time(present)  # type: ignore[arg-type]
    elif types == {datetime.time}:
        found = None if any(value.tzinfo for value in present) else "TIME"  # type: ignore[attr-defined]
    elif types == {Decimal}:
        found = _decimal(present)  # type: ignore[arg-type]
    if found is None:
        return None, None
    return [None if is_missing(value) else str(value) for value in values], found


def _is_double(value: float) -> bool:
    try:
        return float(value) == value
    except OverflowError:
        return False


def _time(values: Sequence[pd.Timestamp]) -> str | None:
    """Return the type of times; None where there is none that holds all as they are."""
    zones = {str(value.tzinfo) for value in values}
    if zones == {"None"} and all(pd.Timestamp.min <= value <= pd.Timestamp.max for value in values):
        return "TIMESTAMP_NS"
    if any(value.nanosecond for value in values):
        return None
    return {"None": "TIMESTAMP", "UTC": "TIMESTAMPTZ"}.get(zones.pop()) if len(zones) == 1 else None


def _decimal(values: Sequence[Decimal]) -> str | None:
    """Return the type of decimals; None where there is none that holds all as they are."""
    if not all(value.is_finite() for value in values):
        return None
    exponents = [int(value.as_tuple().exponent) for value in values]
    scale = max(0, *(-exponent for exponent in exponents))
    whole = max(value.adjusted() + 1 for value in values)
    width = max(1, whole, 0) + scale
    return f"DECIMAL({width}, {scale})" if width <= 38 else None


@contextmanager
def said(file: str) -> Iterator[None]:
    """Say in the project's words why a file cannot be written."""
    import duckdb

    try:
        with interrupts_and_memory("writing the table takes more memory than DuckDB may take", MemoryLimitReached):
            yield
    except UnicodeEncodeError as error:
        raise InputError(f"output {file!r} cannot be written in utf-8: {error.reason}") from error
    except duckdb.IOException as error:
        reason = "no space is left" if "space" in str(error).lower() else "the system refuses it"
        raise InputError(f"file {file!r} cannot be written: {reason}") from error
    except duckdb.Error as error:
        raise TableError(f"file {file!r} cannot be written by DuckDB: {type(error).__name__}") from error
