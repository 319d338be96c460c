"""Frames of other engines, counted where they are: of Polars (lazy), Spark and Ibis, through narwhals.

The engine counts the combinations of cells, and only these counts leave it, and of columns without a role their first
rows, in which it is seen whether a value occurs twice. Texts are compared by their bytes where the engine can: a column
or a session may have a collation by which ``"a"`` and ``"A"`` are equal.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.errors import TableError, TClosenessError
from tcloseness.exact import shown_value
from tcloseness.extras import needing
from tcloseness.microdata.combinations import LIMITS, Coded, Combinations, Options, Origin, missing_texts_of
from tcloseness.microdata.domain import MISSING, Domain
from tcloseness.microdata.roles import require_columns, suspects

__all__ = ["combine", "takes"]

_KINDS = {"polars": ("LazyFrame", "Polars"), "pyspark": ("DataFrame", "Spark"), "ibis": ("Table", "Ibis")}
"""By package, the name of its class that is counted here, and what it is called."""

_COUNTED = re.compile(
    r"Binary|Boolean|Categorical|Date|Datetime|Decimal|Enum|Float(32|64)|U?Int(8|16|32|64)|String|Time"
)
"""The types, in narwhals' words, of whose cells all engines say alike which are equal."""

_EMPTY = ("Null", "null", "void")
"""What engines call the type of a column without a value."""

_ROUNDED = ("decimal",)
"""What Ibis calls the type of decimals that have no scale, which are rounded on their way here."""

_ROWS = "rows"

_FIRST = 40
"""Whether a column repeats a value is seen in so many rows first."""


@dataclass(frozen=True)
class _Renamed:
    """An engine's own frame with its columns called ``"k0"``, ``"k1"``, … by their places.

    A name may look like a pattern to Polars and like a field of a structure to Spark, and Spark may have two alike.

    Attributes
    ----------
    types
        The type of each column in the engine's words.
    read
        By key, what makes a cell of what leaves the engine in its place.
    collation
        By what the engine compares texts.
    """

    frame: Any
    names: tuple[str, ...]
    types: tuple[str, ...]
    read: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    collation: str = "binary"


def takes(source: object) -> bool:
    """Say whether a source is a frame that is counted here."""
    return _package(source) is not None


def _package(source: object) -> str | None:
    for base in type(source).__mro__:
        package, _, inner = base.__module__.partition(".")
        if package in _KINDS and base.__name__ == _KINDS[package][0] and not inner.startswith("pandas"):
            return package
    return None


def combine(source: Any, columns: Mapping[str, str], options: Options) -> Combinations:
    """Count the combinations of some columns of a frame, where the frame is; `columns` are the roles of its columns.

    Raises
    ------
    TableError
        For a column that the frame lacks or has twice, or whose cells cannot be values; or if the engine cannot count.
    """
    package = _package(source) or ""
    kind = _KINDS[package][1]
    what = f"the frame of {kind}"
    with needing(f"counting {what} needs", "pyarrow"):
        import pyarrow  # noqa: F401 (narwhals hands the counts over as Arrow's)
    import narwhals as nw

    texts = missing_texts_of(options.missing_texts or ())
    options.refuse(f"{what} is counted by its own engine", "separator", "encoding", *LIMITS)
    with _in_own_words(f"{what} cannot be read"):
        renamed = {"polars": _of_polars, "pyspark": _of_spark, "ibis": _of_ibis}[package](source)
        schema = nw.from_native(renamed.frame).collect_schema()
    names = renamed.names
    read = {f"k{names.index(name)}": name for name in require_columns(names, columns)}
    if package == "ibis":  # to most databases, asked for it by its name, column A is column a
        _require_names_apart(names, read.values())
    counted = {key for key, dtype in schema.items() if _COUNTED.fullmatch(str(dtype).partition("(")[0])}
    counted |= {f"k{place}" for place, dtype in enumerate(renamed.types) if dtype in _EMPTY}
    counted -= {f"k{place}" for place, dtype in enumerate(renamed.types) if dtype in _ROUNDED}
    for key, name in read.items():
        if key not in counted:
            raise TableError(
                f"column {name!r} of {what} is of type {renamed.types[int(key[1:])]}, of whose cells engines do not "
                "say alike which are equal; make it a text or a number in the frame, or leave the column out"
            )
    others = {f"k{place}": of_persons for place, of_persons in suspects(names, columns).items()}
    with _in_own_words(f"{what} cannot be read"):
        used = {key: dtype == nw.String for key, dtype in schema.items() if key in read or key in others}
        encoded = {"polars": _as_it_is, "pyspark": _spark_bytes, "ibis": _ibis_bytes}[package](renamed, used)
    frame = nw.from_native(encoded.frame)

    def count(keys: Sequence[str]) -> Any:
        with _in_own_words(f"{what} cannot be counted"):
            rows = nw.len().alias(_ROWS)
            grouped = frame.select(*keys).group_by(*keys).agg(rows) if keys else frame.select(rows)
            return grouped.collect("pyarrow").to_native()

    try:
        table = count(list(read))
    except TableError as error:
        raise TableError(f"{error}{_at_fault(count, read)}") from error.__cause__
    coded = {name: _coded(table.column(key), name, encoded.read.get(key)) for key, name in read.items()}
    counts = table.column(_ROWS).to_numpy().astype(np.int64)
    engine = f"{package} {sys.modules[package].__version__}"
    origin = Origin(kind, engine, "UTC", encoded.collation, rows=int(counts.sum()))
    with _in_own_words(f"{what} cannot be counted"):
        distinct = _distinct(frame, {key: others[key] for key in others if key in counted})
    found = Combinations(coded, counts, names, origin, {names[int(key[1:])]: n for key, n in distinct.items()})
    return found.without(texts)


@contextmanager
def _in_own_words(what: str) -> Iterator[None]:
    """Raise `TableError` for whatever an engine raises, which is its cause."""
    try:
        yield
    except (TClosenessError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # a panic of Polars is not an Exception
        raise TableError(f"{what}: its engine stopped with {type(error).__name__}") from error


def _at_fault(count: Callable[[Sequence[str]], object], read: Mapping[str, str]) -> str:
    """Return for a message by which column a frame cannot be counted."""

    def counts(keys: Sequence[str]) -> bool:
        try:
            count(keys)
        except TableError:
            return False
        return True

    alone: dict[str, bool] = {}
    for key, name in read.items():
        alone[name] = counts([key])
        if len(set(alone.values())) == 2:  # some can be counted
            break
    failing = [name for name, counted in alone.items() if not counted]
    if not failing:
        return ", though each of its columns alone can; a limit of memory or of size may be reached"
    if len(failing) == len(alone) and not counts([]):
        return ", whatever is counted"
    return f" at column {failing[0]!r}; make it a text or a number in the frame, or leave the column out"


# ---------------------------------------------------------------------- what the engines differ in


def _of_polars(frame: Any) -> _Renamed:
    schema = frame.collect_schema()
    renamed = frame.rename({name: f"k{place}" for place, name in enumerate(schema)})
    return _Renamed(renamed, tuple(schema), tuple(map(str, schema.values())))


def _of_spark(frame: Any) -> _Renamed:
    renamed = frame.toDF(*[f"k{place}" for place in range(len(frame.columns))])
    return _Renamed(renamed, tuple(frame.columns), tuple(each.dataType.simpleString() for each in frame.schema))


def _of_ibis(frame: Any) -> _Renamed:
    types = tuple(f"{each}" for each in frame.schema().types)
    renamed = frame.select(**{f"k{place}": frame[name] for place, name in enumerate(frame.columns)})
    return _Renamed(renamed, tuple(frame.columns), types)


def _require_names_apart(names: Sequence[str], read: Iterable[str]) -> None:
    alike = Counter(name.casefold() for name in names)
    for name in read:
        if alike[name.casefold()] > 1:
            same = [other for other in names if other.casefold() == name.casefold()]
            raise TableError(f"the names of columns {shown_value(same)} differ by case alone; rename them in the frame")


def _as_it_is(renamed: _Renamed, used: Mapping[str, bool]) -> _Renamed:
    return renamed


def _spark_bytes(renamed: _Renamed, used: Mapping[str, bool]) -> _Renamed:
    frame = renamed.frame
    keys = [frame[key].cast("binary").alias(key) if is_text else frame[key] for key, is_text in used.items()]
    read = {key: bytes.decode for key, is_text in used.items() if is_text}
    return _Renamed(frame.select(keys), renamed.names, renamed.types, read)


def _ibis_bytes(renamed: _Renamed, used: Mapping[str, bool]) -> _Renamed:
    import ibis

    @ibis.udf.scalar.builtin(name="encode", signature=((str,), bytes))
    def encode(text):  # type: ignore[no-untyped-def]
        """Return the bytes of a text in DuckDB."""

    @ibis.udf.scalar.builtin(name="convert_to", signature=((str, str), bytes))
    def convert_to(text, encoding):  # type: ignore[no-untyped-def]
        """Return the bytes of a text in PostgreSQL."""

    frame, read = renamed.frame, dict[str, Callable[[Any], object]]()
    database = ibis.get_backend(frame).name
    to_bytes: Callable[[Any], Any] | None = {
        "duckdb": encode,
        "postgres": lambda text: convert_to(text, "UTF8"),
        "sqlite": lambda text: text.cast("binary"),
    }.get(database)
    keys = {key: frame[key] for key in used}
    for key, column in keys.items():
        if used[key] and to_bytes is not None:
            keys[key], read[key] = to_bytes(column), bytes.decode
        elif column.type().is_integer() and database != "duckdb":
            # others hand whole numbers over as doubles where one is null
            keys[key], read[key] = column.cast("string"), int
    collation = "binary" if to_bytes is not None or not any(used.values()) else f"that of the database ({database})"
    return _Renamed(frame.select(**keys), renamed.names, renamed.types, read, collation)


# ---------------------------------------------------------------------- what leaves the engine


def _coded(column: Any, name: str, read: Callable[[Any], object] | None) -> Coded:
    """Return the codes and the domain of a column of Arrow."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return np.zeros(len(column), dtype=np.int64), Domain.of([MISSING])
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    elif pa.types.is_timestamp(kind) and kind.tz is not None:
        column = column.cast(pa.timestamp(kind.unit, "UTC"))
    encoded = column.dictionary_encode().unify_dictionaries()
    if not encoded.num_chunks:
        return np.zeros(0, dtype=np.int64), Domain.of([])
    cells = encoded.chunk(0).dictionary
    if pa.types.is_time64(kind) and kind.unit == "ns" and any(cell.value % 1000 for cell in cells if cell.is_valid):
        raise TableError(f"column {name!r} has times of the day with nanoseconds; make it a whole number of them")
    try:
        values = pd.Series(cells.to_pandas()).tolist() if pa.types.is_timestamp(kind) else cells.to_pylist()
        if read is not None:
            values = list(map(read, values))
    except (ValueError, OverflowError) as error:
        raise TableError(f"column {name!r} holds a cell that is not a {kind} that Python has") from error
    numbers = np.concatenate([chunk.indices.fill_null(len(values)).to_numpy() for chunk in encoded.chunks])
    domain, codes = Domain.numbered([*values, MISSING] if column.null_count else values)
    return codes[numbers], domain


def _distinct(frame: Any, keys: Mapping[str, bool]) -> dict[str, tuple[int, int]]:
    """Return how many values and missing cells columns without a role have, see `Combinations.distinct`."""
    import narwhals as nw

    if not keys:
        return {}
    first = frame.select(*keys).head(_FIRST).collect("pyarrow").to_native()
    asked = [key for key, of_persons in keys.items() if of_persons or len(first.column(key).unique()) == len(first)]
    if not asked:
        return {}
    there = frame.select(nw.len().alias(_ROWS), *[nw.col(key).count() for key in asked]).collect("pyarrow")
    counted = there.to_native().to_pylist()[0]
    found = {}
    for key in asked:
        missing = counted[_ROWS] - counted[key]
        groups = frame.select(key).group_by(key).agg(nw.len().alias(_ROWS)).select(nw.len().alias(_ROWS))
        values = groups.collect("pyarrow").to_native().column(_ROWS)[0].as_py()
        found[key] = values - (missing > 0), missing
    return found
