"""Sources of tables: files, frames, relations of databases. Each becomes combinations by one engine, a file an engine.

A module of an engine says which sources it `takes`, and what their combinations are (`combine`); it groups raw cells
by an equality that is as fine as that of `Domain`, or finer, and loads the engine only when it is asked to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tcloseness.errors import TableError
from tcloseness.microdata.combinations import Combinations, Options
from tcloseness.microdata.sources import dask, duckdb, narwhals, pandas
from tcloseness.microdata.sources.own_orders import own_orders
from tcloseness.microdata.sources.strict import read_table

__all__ = ["combinations", "names", "own_orders", "read_table", "rows"]

if TYPE_CHECKING:
    import pandas as pd

_ENGINES = (pandas, duckdb, narwhals, dask)


def combinations(source: Any, columns: Mapping[str, str], *, options: Options | None = None) -> Combinations:
    """Return the distinct combinations of some columns' cells, and how many rows have each.

    Parameters
    ----------
    source
        What `tcloseness.FrequencySet.read` takes.
    columns
        The role of each column that has one; all are read, but for identifying ones.
    options
        How the source is read and counted.

    Raises
    ------
    TableError
        For another source, one that cannot be read, or columns that it lacks.
    """
    engine, source = _engine_of(source)
    found: Combinations = engine.combine(source, columns, options or Options())
    return replace(found, orders=own_orders(source, columns))


def rows(source: Any, options: Options | None = None) -> pd.DataFrame:
    """Return the rows of a source in their order, as a frame.

    Raises
    ------
    TableError
        For a source whose engine gives none, or one that cannot be read.
    """
    engine, source = _engine_of(source)
    if not hasattr(engine, "rows"):
        raise TableError(
            f"the rows of a table are needed, and those of a {type(source).__name__} are not read; give them as a "
            "pandas frame, or ask what needs counts alone"
        )
    found: pd.DataFrame = engine.rows(source, options or Options())
    return found


def names(source: Any, options: Options | None = None) -> tuple[str, ...]:
    """Return the names of all columns of a source, in their order.

    Raises
    ------
    TableError
        For a source that cannot be read, or whose engine does not list them.
    """
    engine, source = _engine_of(source)
    if not hasattr(engine, "names"):
        raise TableError(f"the columns of a {type(source).__name__} are not listed; name those that are meant")
    found: tuple[str, ...] = engine.names(source, options or Options())
    return found


def _engine_of(source: Any) -> tuple[Any, Any]:
    if type(source).__module__.partition(".")[0] == "narwhals":
        source = source.to_native()
    engine: Any = next((engine for engine in _ENGINES if engine.takes(source)), None)
    if engine is None:
        raise TableError(
            f"the table is a {type(source).__name__}; give the path of a file, a list of paths, an open file, a frame "
            "(pandas, Polars, PySpark, Ibis, Dask), an Arrow table, or a relation of DuckDB"
        )
    return engine, source
