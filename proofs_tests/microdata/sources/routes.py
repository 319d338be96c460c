"""The ways by which a table reaches tcloseness: each makes a source of the same typed values; pandas is the reference.

A route is left out where what it needs is not installed.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

from tcloseness import FrequencySet

__all__ = ["ROUTES", "TEXT_ROUTES", "cells", "described", "objects"]


def cells(array: Any) -> list[Any]:
    """The cells of a column of Arrow as Python objects, times as pandas has them."""
    if pa.types.is_timestamp(array.type):
        zoned = array if array.type.tz is None else array.cast(pa.timestamp(array.type.unit, "UTC"))
        return pd.Series(zoned.to_pandas()).tolist()
    if pa.types.is_duration(array.type):
        return pd.Series(array.to_pandas()).tolist()
    return array.to_pylist()


def objects(table: pa.Table) -> pd.DataFrame:
    """The same table as a pandas frame whose columns all hold Python objects."""
    return pd.DataFrame(
        {name: pd.Series(cells(table.column(name).combine_chunks()), dtype=object) for name in table.column_names}
    )


def _csv(table: pa.Table, folder: Path) -> str:
    with open(folder / "table.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        writer.writerows(zip(*(["" if v is None else v for v in c.to_pylist()] for c in table.columns), strict=True))
    return str(folder / "table.csv")


def _gz(table: pa.Table, folder: Path) -> str:
    (folder / "table.csv.gz").write_bytes(gzip.compress(Path(_csv(table, folder)).read_bytes()))
    return str(folder / "table.csv.gz")


def _parquet(table: pa.Table, folder: Path) -> str:
    pyarrow.parquet.write_table(table, folder / "table.parquet")
    return str(folder / "table.parquet")


def _parts(table: pa.Table, folder: Path) -> str:
    half = len(table) // 2
    for part, rows in (("1", table.slice(0, half)), ("2", table.slice(half))):
        pyarrow.parquet.write_table(rows, folder / f"part-{part}.parquet")
    return str(folder / "part-*.parquet")


def _dataset(table: pa.Table, folder: Path) -> Any:
    return pyarrow.dataset.dataset(_parquet(table, folder))


def _relation(table: pa.Table, _: Path) -> Any:
    import duckdb

    return duckdb.connect().from_arrow(table)


def _database(table: pa.Table, _: Path) -> Any:
    import duckdb

    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("create table kept as from given")
    return connection.table("kept")


def _polars(table: pa.Table, _: Path) -> Any:
    import polars

    return polars.from_arrow(table)


def _lazy(table: pa.Table, folder: Path) -> Any:
    return _polars(table, folder).lazy()


def _ibis(table: pa.Table, _: Path) -> Any:
    import ibis

    return ibis.memtable(table)


def _dask(table: pa.Table, _: Path) -> Any:
    import dask
    import dask.dataframe

    with dask.config.set({"dataframe.convert-string": False}):
        return dask.dataframe.from_pandas(objects(table), npartitions=2, sort=False)


def _of_arrow(table: pa.Table, _: Path) -> pd.DataFrame:
    return table.to_pandas(types_mapper=pd.ArrowDtype)


_ALL: dict[str, tuple[str, Callable[[pa.Table, Path], Any]]] = {
    "pandas, columns of Arrow": ("pandas", _of_arrow),
    "Parquet": ("duckdb", _parquet),
    "Parquet in parts": ("duckdb", _parts),
    "DuckDB relation": ("duckdb", _relation),
    "DuckDB table": ("duckdb", _database),
    "Arrow table": ("duckdb", lambda table, _: table),
    "Arrow dataset": ("duckdb", _dataset),
    "Polars": ("polars", _polars),
    "Polars lazy": ("polars", _lazy),
    "Ibis": ("pyarrow_hotfix", _ibis),  # without it Ibis has no tables of Arrow
    "Dask": ("dask", _dask),
}

ROUTES = {name: route for name, (package, route) in _ALL.items() if find_spec(package)}

TEXT_ROUTES = {"CSV": _csv, "CSV, gzip": _gz}
"""Further routes, of tables that hold texts alone."""


def described(found: FrequencySet) -> dict[str, Any]:
    """All that a frequency set says, but where it was counted."""
    return {
        "roles": (found.quasi_identifiers, found.sensitive),
        "values": {
            name: [(type(value).__name__, value) for value in domain.values] for name, domain in found.domains.items()
        },
        "orders": {name: (domain.order, domain.declared) for name, domain in found.domains.items()},
        "codes": {name: codes.tolist() for name, codes in found.codes.items()},
        "counts": found.counts.tolist(),
        "suppressed": found.suppressed.tolist(),
        "dropped": found.dropped,
        "rows": None if found.rows is None else found.rows.tolist(),
        "persons": None if found.persons is None else found.persons.tolist(),
        "conventions": dict(found.conventions),
        "digest": found.digest,
    }
