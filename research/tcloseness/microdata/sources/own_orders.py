"""The orders that sources declare themselves: ordered categories of pandas, enums of Polars and DuckDB, Arrow's ordered
dictionaries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

__all__ = ["own_orders"]


def own_orders(source: Any, columns: Collection[str]) -> Mapping[str, Sequence[object]]:
    """Return by column its values from lowest to highest, for those of some columns whose type says so.

    Values that do not occur may be among them. Files, and frames of Spark, Ibis and Dask, declare no order.

    Examples
    --------
    >>> grades = pd.Categorical(["mid", "low"], categories=["low", "mid", "high"], ordered=True)
    >>> own_orders(pd.DataFrame({"grade": grades}), ["grade"])
    {'grade': ['low', 'mid', 'high']}
    """
    return {name: order for name, order in _declared(source) if name in columns}


def _declared(source: Any) -> Iterator[tuple[str, Sequence[object]]]:
    kind = type(source)
    package = kind.__module__.partition(".")[0].lstrip("_")
    if isinstance(source, pd.DataFrame):
        for name, dtype in zip(source.columns, source.dtypes, strict=True):
            if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
                yield name, dtype.categories.tolist()
    elif package == "polars":
        for name, dtype in source.collect_schema().items():
            if type(dtype).__name__ == "Enum":
                yield name, dtype.categories.to_list()
    elif package == "pyarrow" and kind.__name__ in ("Table", "RecordBatch"):
        for place, field in enumerate(source.schema):
            if getattr(field.type, "ordered", False):
                column = source.column(place)
                chunks = getattr(column, "chunks", [column])
                orders = [chunk.dictionary.to_pylist() for chunk in chunks]
                if orders and all(order == orders[0] for order in orders):
                    yield field.name, orders[0]
    elif kind.__name__ == "DuckDBPyRelation":
        for name, type_ in zip(source.columns, source.types, strict=True):
            if type_.id == "enum":
                yield name, type_.children[0][1]
