"""DuckDB at work: a database in memory within limits, what it counts, and its refusals in the project's words."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tcloseness.errors import TableError, TClosenessError
from tcloseness.exact import IntArray
from tcloseness.limits import free_memory
from tcloseness.microdata.combinations import Combinations, Counting, Options, Origin, memory_size
from tcloseness.microdata.roles import require_columns, suspects
from tcloseness.microdata.sources.duckdb_cells import Cells, cells_of, missing_where
from tcloseness.own_process import own_folder

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "LeftError",
    "Opened",
    "counted",
    "interrupts_and_memory",
    "refused_by_engine",
    "rows_of",
    "said",
    "session",
    "watching",
]

_LOOK = 0.2
"""Seconds between two looks at how much is done."""

_SAMPLE = 10_000
"""Whether a column without a role repeats a value is seen in so many rows first."""


class LeftError(Exception):
    """The strict reader has to read the files, or say why they cannot be read."""


@dataclass(frozen=True)
class Opened:
    """A source that DuckDB has open.

    Attributes
    ----------
    kind
        What it is, for the record.
    where
        What it is called in messages.
    text
        What stands after ``from``.
    names, types
        Of its columns, in their order.
    run
        What runs a statement.
    collated
        Whether the database is the user's, which may have collations.
    """

    kind: str
    where: str
    text: str
    names: tuple[str, ...]
    types: tuple[Any, ...]
    run: Callable[[str], Any]
    collated: bool = False

    @property
    def columns(self) -> str:
        """The source with its columns named by their places: names may be empty, equal, or equal but for case."""
        return f"{self.text} as t({', '.join(f'c{place}' for place in range(len(self.names)))})"


def counted(
    opened: Opened,
    columns: Mapping[str, str],
    texts: frozenset[str],
    watched: Callable[[bool], AbstractContextManager[None]] = lambda again: nullcontext(),
    *,
    whole: bool = False,
) -> Combinations:
    """Count the combinations of the columns that have a role; with `whole`, look at the texts of the others too."""
    read = require_columns(opened.names, columns)
    places = {name: opened.names.index(name) for name in read}
    cells = [
        cells_of(name, f"c{place}", opened.types[place], collated=opened.collated) for name, place in places.items()
    ]
    token = f"tcloseness_{secrets.token_hex(6)}"
    keys = ", ".join(f"{each.key} as k{place}" for place, each in enumerate(cells))
    names = ", ".join(f"k{place}" for place in range(len(cells)))
    made: list[str] = []

    def make(name: str, query: str) -> None:
        made.append(name)
        opened.run(f"create temp table {name} as {query}")

    try:
        others = [f"c{place}" for place in range(len(opened.names)) if whole and place not in places.values()]
        found = " or ".join(f"contains({column}, chr(0))" for column in others)
        nul = f", bool_or({found}) as z" if others else ""
        with watched(False):
            make(token, f"select {keys}, count(*) as n{nul} from {opened.columns} group by {names}")
        if others and opened.run(f"select bool_or(z) from {token}").fetchall()[0][0]:
            raise LeftError  # a NUL
        values: dict[int, Any] = {}
        joins = []
        for place, each in enumerate(cells):
            if each.by_number:
                continue
            table = f"{token}_{place}"
            different = f"select distinct k{place} as v from {token}"
            make(table, f"select v, (row_number() over () - 1)::integer as code from ({different})")
            found = opened.run(f"select {each.fetched('v')} as v, code from {table} order by code")
            values[place] = [value for value, _ in found.fetchall()]
            equal = "is not distinct from" if None in values[place] else "="
            joins.append(f"left join {table} on {token}.k{place} {equal} {table}.v")
        shown = [
            f"{token}.k{place} as k{place}" if each.by_number else f"{token}_{place}.code as k{place}"
            for place, each in enumerate(cells)
        ]
        fetched = opened.run(
            f"select {', '.join(shown)}, {token}.n::bigint as n from {token} {' '.join(joins)}"
        ).fetchnumpy()
    finally:
        for name in reversed(made):
            opened.run(f"drop table if exists {name}")
    counts = _whole_numbers(fetched["n"])
    coded = {}
    for place, each in enumerate(cells):
        numbers = fetched.pop(f"k{place}")
        coded[each.name] = (
            each.of_numbers(numbers) if each.by_number else each.of_values(values[place], _whole_numbers(numbers))
        )
    rows = int(counts.sum())
    with watched(True):
        distinct = _distinct(opened, columns, texts) if rows else {}
    return Combinations(coded, counts, opened.names, _origin(opened, rows), distinct)


def rows_of(opened: Opened) -> pd.DataFrame:
    """Return the rows of a source in their order, each cell as the value that is counted."""
    if not opened.collated:  # a setting of our own
        opened.run("set preserve_insertion_order = true")
    series: list[Any] = []
    for place, (name, type_) in enumerate(zip(opened.names, opened.types, strict=True)):
        try:
            each = cells_of(name, f"c{place}", type_, collated=False)
            query = f"select {each.key} as v from {opened.columns}"
        except TableError:  # cells that cannot be values; an error only where they are used
            found = opened.run(f"select c{place} as v from {opened.columns}").fetchall()
            series.append(pd.Series([value for (value,) in found], dtype=object))
            continue
        if each.by_number:
            series.append(each.array(opened.run(query).fetchnumpy()["v"]))
        else:
            series.append(each.series(value for (value,) in opened.run(query).fetchall()))
    frame = pd.concat(series, axis=1) if series else pd.DataFrame()
    frame.columns = pd.Index(opened.names)
    return frame


def _whole_numbers(array: Any) -> IntArray:
    return np.asarray(np.ma.getdata(array))


def _origin(opened: Opened, rows: int) -> Origin:
    import duckdb

    return Origin(opened.kind, f"DuckDB {duckdb.__version__}", "UTC", "binary", (), rows)


def _distinct(opened: Opened, columns: Mapping[str, str], texts: frozenset[str]) -> dict[str, tuple[int, int]]:
    """Return how many values and missing cells columns without a role have, see `Combinations.distinct`."""
    asked: dict[int, tuple[Cells, str]] = {}
    persons = suspects(opened.names, columns)
    for place in persons:
        try:
            each = cells_of(opened.names[place], f"c{place}", opened.types[place], collated=opened.collated)
        except TableError:  # cells that cannot be values
            continue
        missing = missing_where(each.kind, f"c{place}", sorted(texts))
        if missing is not None:
            asked[place] = each, missing
    if not asked:
        return {}

    def count(places: Sequence[int], source: str) -> dict[int, tuple[int, int, int]]:
        shown = [
            f"count(distinct case when not {asked[place][1]} then {asked[place][0].key} end), "
            f"count(*) filter (where {asked[place][1]})"
            for place in places
        ]
        rows, *found = opened.run(f"select count(*), {', '.join(shown)} from {source}").fetchall()[0]
        return {place: (rows, *found[2 * i : 2 * i + 2]) for i, place in enumerate(places)}

    first = count(list(asked), f"(select * from {opened.columns} limit {_SAMPLE})")
    left = [
        place
        for place, (rows, values, missing) in first.items()
        if persons[place] or (values + missing == rows and missing <= 1)
    ]
    if not left:
        return {}
    return {opened.names[place]: found[1:] for place, found in count(left, opened.columns).items()}


# ---------------------------------------------------------------------- the engine and its errors


@contextmanager
def session(options: Options) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database in memory whose temporary files lie in a folder of its own, which is removed."""
    import duckdb

    folder = None if options.temporary is None else str(options.temporary)
    memory = memory_size(options.memory) or free_memory() // 2
    with ExitStack() as held:
        try:
            place = held.enter_context(own_folder(folder))
        except (OSError, ValueError) as error:  # the second for a name that no folder can have
            raise TableError(
                f"temporary={options.temporary!r} is not a folder that can be written to: "
                f"{getattr(error, 'strerror', None) or error}"
            ) from error
        connection = duckdb.connect(
            config={
                "temp_directory": place,
                "memory_limit": f"{max(memory, 1)}B",
                "preserve_insertion_order": "false",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                **({} if options.threads is None else {"threads": str(options.threads)}),
            }
        )
        try:
            connection.execute("set TimeZone = 'UTC'")
            _set(connection, "enable_progress_bar_print", value=False)  # on standard output, after two seconds
            yield connection
        finally:
            connection.close()


def _set(connection: duckdb.DuckDBPyConnection, name: str, *, value: bool) -> bool:
    """Set what DuckDB does with its progress; False in a Jupyter kernel without ipywidgets, where it does nothing."""
    import duckdb

    try:
        connection.execute(f"set {name} = {value}")
    except duckdb.InvalidInputException:
        return False
    return True


def watching(
    connection: duckdb.DuckDBPyConnection,
    progress: Callable[[Counting], None] | None,
    rows_in: Callable[[], int | None],
) -> Callable[[bool], AbstractContextManager[None]]:
    """Return within what somebody is told now and then how far a pass over a source is, and of its end.

    Parameters
    ----------
    connection
        The database.
    progress
        Who is told; None for nobody. What it raises ends the pass, and is raised by it.
    rows_in
        What says how many rows the source has.
    """
    if progress is None:
        return lambda again: nullcontext()
    total = rows_in()
    known = _set(connection, "enable_progress_bar", value=True)

    @contextmanager
    def watched(again: bool) -> Iterator[None]:
        ended, raised = threading.Event(), list[BaseException]()

        def watch() -> None:
            try:
                while not ended.wait(_LOOK):
                    share = connection.query_progress() / 100
                    if share > 0:
                        progress(Counting(min(share, 1.0), total, again))
            except BaseException as error:  # noqa: BLE001 (of who is told; it is raised below)
                raised.append(error)
                connection.interrupt()

        thread = threading.Thread(target=watch, daemon=True)
        if known:
            thread.start()
        try:
            yield
        finally:
            ended.set()
            if known:
                thread.join()
            if raised:
                raise raised[0]
        progress(Counting(1.0, total, again))

    return watched


@contextmanager
def interrupts_and_memory(what: str, kind: type[TClosenessError]) -> Iterator[None]:
    """Raise a `KeyboardInterrupt` for what DuckDB raises in its place, and an error of a kind for too little memory.

    Parameters
    ----------
    what
        What takes the memory, as the beginning of a sentence.
    kind
        The class of that error.
    """
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise kind(
            f"{what}; give more by memory=, fewer threads= (each has memory of its own), or a temporary= folder with "
            "more space"
        ) from error
    except (RuntimeError, duckdb.InterruptException) as error:
        if isinstance(error, duckdb.InterruptException) or "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


def _counting(options: Options) -> AbstractContextManager[None]:
    memory = "half of what is free" if options.memory is None else f"memory={options.memory!r}"
    return interrupts_and_memory(f"counting the table takes more memory than DuckDB may take ({memory})", TableError)


@contextmanager
def refused_by_engine(options: Options) -> Iterator[None]:
    """Leave to the strict reader what DuckDB refuses, but for a lack of memory."""
    import duckdb

    try:
        with _counting(options):
            yield
    except (duckdb.Error, UnicodeError) as error:
        raise LeftError from error


@contextmanager
def said(where: str, options: Options, what: str = "cannot be counted") -> Iterator[None]:
    """Say in the project's words what DuckDB refuses."""
    import duckdb

    try:
        with _counting(options):
            yield
    except duckdb.Error as error:
        ways = {"the relation": "run its query by itself to see why", "the frame": "read it by itself to see why"}
        way = ways.get(where, "write it again, or give CSV")
        raise TableError(f"{where} {what}; {way}") from error
