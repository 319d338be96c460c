"""Pandas frames: each line is a row, and cells are distinguished as Python objects are; the reference for all engines.

No engine may read a pandas column of objects: to some of them 1 and ``"1"`` are one value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.errors import TableError
from tcloseness.exact import IntArray
from tcloseness.microdata.combinations import LIMITS, Coded, Combinations, Options, Origin, missing_texts_of
from tcloseness.microdata.domain import MISSING, Domain
from tcloseness.microdata.roles import require_columns, suspects
from tcloseness.microdata.sources.own_orders import own_orders

__all__ = ["coded", "combine", "factorize", "names", "rows", "takes"]

_FIRST, _FEW = 40, 10_000
"""Whether a column repeats a value is seen in so many rows first, and then in so many."""


def takes(source: object) -> bool:
    """Say whether a source is a pandas frame."""
    return isinstance(source, pd.DataFrame)


def combine(
    source: pd.DataFrame, columns: Mapping[str, str], options: Options | None = None, *, origin: Origin | None = None
) -> Combinations:
    """Return the rows of a frame as lines; `columns` are the roles of its columns.

    Raises
    ------
    TableError
        For a column that the frame lacks or has twice, or cells that cannot be values.
    """
    if options is not None:
        options.refuse("the table is a pandas frame", "separator", "encoding", *LIMITS)
    names = tuple(source.columns)
    read = require_columns(names, columns)
    coded = {name: factorize(source[name], name) for name in read}
    found = origin or Origin("pandas", f"pandas {pd.__version__}", rows=len(source))
    texts = missing_texts_of(() if options is None else options.missing_texts or ())
    orders = own_orders(source, read)
    return Combinations(coded, None, names, found, _distinct(source, columns), orders).without(texts)


def names(source: pd.DataFrame, options: Options) -> tuple[str, ...]:
    """Return the names of a frame's columns."""
    return tuple(source.columns)


def rows(source: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the frame itself; texts that mean a missing value are made one, where they are named."""
    from tcloseness.microdata.sources.strict import read_table

    return source if options.missing_texts is None else read_table(source, missing_texts=options.missing_texts)


def _distinct(frame: pd.DataFrame, role: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Return how many values and missing cells columns without a role have, see `Combinations.distinct`."""
    found = {}
    for place, of_persons in suspects(tuple(frame.columns), role).items():
        column = frame.iloc[:, place]
        try:
            first = column.array[:_FIRST].tolist()
            differ = len(set(first)) == len(first) and column.iloc[:_FEW].is_unique
            if of_persons or differ:
                found[frame.columns[place]] = int(column.nunique()), int(column.isna().sum())
        except TypeError:  # cells that cannot be values
            continue
    return found


def factorize(series: pd.Series[Any], name: str) -> tuple[IntArray, Domain]:
    """Return the codes of a column's cells and the domain of the values that occur.

    Numbers, dates and texts are factorised by pandas; texts with a NUL and mixed objects by a dictionary, since 1,
    ``"1"`` and ``True`` are three values. Unused categories of a categorical column do not count.
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        numbered, uniques = series.cat.codes.to_numpy().astype(np.int64), series.cat.categories
        used = np.flatnonzero(np.bincount(numbered + 1, minlength=len(uniques) + 1)[1:])
        if len(used) < len(uniques):
            numbered, uniques = np.where(numbered < 0, -1, np.searchsorted(used, numbered)), uniques[used]
    elif (found := _arrow_codes(series)) is not None:
        return found
    elif _one_type(series.dtype):
        numbered, uniques = pd.factorize(series)
    else:
        return _factorize_objects(series, name)
    return coded(numbered, uniques)


def coded(numbered: IntArray, uniques: pd.Index[Any]) -> Coded:
    """Return the codes and the domain of cells, given each one's place among different values; −1 is missing."""
    if numbered.min(initial=0) < 0:
        numbered = np.where(numbered < 0, len(uniques), numbered)
        domain, codes = Domain.numbered([*uniques.tolist(), MISSING], apart=True)
    else:
        domain, codes = Domain.of_index(uniques)
    return codes[numbered], domain


def _arrow_codes(series: pd.Series[Any]) -> tuple[IntArray, Domain] | None:
    """Return what `factorize` does for Arrow's texts, by its own dictionary; None for others, or if one is missing."""
    if not isinstance(series.dtype, pd.StringDtype) or series.dtype.storage != "pyarrow":
        return None
    array: Any = series.array.__arrow_array__()
    if array.null_count:
        return None
    found = (array.combine_chunks() if hasattr(array, "combine_chunks") else array).dictionary_encode()
    domain, codes = Domain.numbered(found.dictionary.to_pylist(), apart=True)
    return codes[found.indices.to_numpy()], domain


def _one_type(dtype: Any) -> bool:
    """Say whether equal cells of a column are one value, and pandas distinguishes different ones."""
    if isinstance(dtype, pd.StringDtype):
        return dtype.storage == "pyarrow"  # pandas' own table of texts ends each at its first NUL
    return isinstance(dtype, np.dtype) and dtype.kind in "iufbmM"


def _whole_texts(cells: list[str]) -> bool:
    """Say whether pandas' own table distinguishes texts: it ends each at its first NUL, and reads them as UTF-8."""
    together = "".join(cells)
    try:
        together.encode()
    except UnicodeEncodeError:  # half of a character
        return False
    return "\0" not in together


def _factorize_objects(series: pd.Series[Any], name: str) -> tuple[IntArray, Domain]:
    cells = series.tolist()
    try:
        types = set(map(type, cells))
        if types in ({str}, {int}):
            if types == {str} and _whole_texts(cells):
                numbered, uniques = pd.factorize(series.to_numpy(dtype=object))
                domain, codes = Domain.numbered(uniques.tolist(), apart=True)
                return codes[numbered], domain
            domain, codes = Domain.numbered(cells)
            return codes, domain
        typed: dict[Any, int] = {}
        numbered = np.array([typed.setdefault((type(cell), cell), len(typed)) for cell in cells], dtype=np.int64)
    except TypeError as error:
        raise TableError(
            f"column {name!r} holds a cell that cannot be a value ({error}); cells must be numbers, texts, dates or "
            "other hashable objects"
        ) from error
    values = [cell for _, cell in typed]
    domain, codes = Domain.numbered(values)
    return codes[numbered], domain
