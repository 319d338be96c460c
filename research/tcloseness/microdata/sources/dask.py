"""Frames of Dask: each partition is a pandas frame, and is counted as one; only the counts are put together.

Dask makes texts of cells that are objects, unless it is told not to: 1 and ``"1"`` are one value then, and nobody sees
it. A column that may have been changed so is refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.errors import TableError, TClosenessError
from tcloseness.exact import IntArray
from tcloseness.microdata.combinations import LIMITS, Coded, Combinations, Options, Origin, missing_texts_of
from tcloseness.microdata.domain import Domain
from tcloseness.microdata.grouping import combined_codes, grouped
from tcloseness.microdata.roles import require_columns, suspects
from tcloseness.microdata.sources.pandas import factorize

__all__ = ["combine", "takes"]

_FIRST = 40
"""Whether a column repeats a value is seen in so many rows first."""

_Part = tuple[list[tuple[IntArray, tuple[Hashable, ...]]], IntArray]
"""Of a partition the codes and the values of each column, and how many rows have each combination."""


def takes(source: object) -> bool:
    """Say whether a source is a frame of Dask."""
    kind = type(source)
    return kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] in ("dask", "dask_expr")


def combine(source: Any, columns: Mapping[str, str], options: Options) -> Combinations:
    """Count the combinations of some columns of a frame of Dask; `columns` are the roles of its columns.

    Raises
    ------
    TableError
        For a column that the frame lacks or has twice, that Dask may have changed, or whose cells cannot be values; or
        if Dask cannot count.
    """
    import dask

    what = "the frame of Dask"
    texts = missing_texts_of(options.missing_texts or ())
    options.refuse(f"{what} is counted by Dask", "separator", "encoding", *LIMITS)
    names = tuple(source.columns)
    read = require_columns(names, columns)
    for name in read:
        dtype = source.dtypes[name]
        if isinstance(dtype, pd.StringDtype) and dtype.storage == "pyarrow" and dtype.na_value is pd.NA:
            raise TableError(
                f"column {name!r} of {what} is of type {str(dtype)!r}, which Dask makes of all objects, and then 1 and "
                "'1' are one text; make the frame under dask.config.set({'dataframe.convert-string': False}), or give "
                f"the files themselves (if all its cells were texts, frame.astype({{{name!r}: object}}) says so)"
            )
    try:
        parts: list[_Part] = list(dask.compute(*map(dask.delayed(_counted), source[read].to_delayed())))
        distinct = _distinct(source, names, columns)
    except TClosenessError:
        raise
    except Exception as error:
        raise TableError(f"{what} cannot be counted: Dask stopped with {type(error).__name__}") from error
    coded = {name: _joined([part[0][place] for part in parts]) for place, name in enumerate(read)}
    counts = np.concatenate([part[1] for part in parts])
    origin = Origin("Dask", f"dask {dask.__version__} on pandas {pd.__version__}", rows=int(counts.sum()))
    return Combinations(coded, counts, names, origin, distinct).without(texts)


def _counted(part: pd.DataFrame) -> _Part:
    """Count the combinations of the cells of a partition."""
    coded = [factorize(part[name], name) for name in part.columns]
    key = combined_codes([codes for codes, _ in coded], [len(domain) for _, domain in coded])
    heads, counts = grouped(key, np.ones(len(part), dtype=np.int64))
    return [(codes[heads], domain.values) for codes, domain in coded], counts


def _joined(parts: list[tuple[IntArray, tuple[Hashable, ...]]]) -> Coded:
    """Return the codes and the domain of a column of which each partition has its own."""
    domain, places = Domain.numbered([value for _, values in parts for value in values])
    starts = np.cumsum([0, *(len(values) for _, values in parts)])
    return np.concatenate([places[codes + start] for (codes, _), start in zip(parts, starts, strict=False)]), domain


def _distinct(frame: Any, names: tuple[str, ...], role: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Return how many values and missing cells columns without a role have, see `Combinations.distinct`."""
    found = {}
    asked = {names[place]: of_persons for place, of_persons in suspects(names, role).items()}
    first = frame[[name for name in asked if names.count(name) == 1]].partitions[0].compute().head(_FIRST)
    for name, column in first.items():
        try:
            if asked[name] or column.is_unique:
                found[name] = int(frame[name].nunique().compute()), int(frame[name].isna().sum().compute())
        except TypeError:  # cells that cannot be values
            continue
    return found
