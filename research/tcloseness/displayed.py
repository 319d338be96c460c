"""`Displayed`: how results show, compare, pickle and write themselves, once for all of them.

A class says in its own file only what is its own: `_said`, the words of its repr; `_frame_rows`, its tidy rows;
`_withheld`, which columns of those hold values of the table; and `to_dict`, whose schema is in ``results.schema.json``
under the class's name. Pages, pictures and sentences are made by `tcloseness.report.showing`, which is loaded when one
is asked for: this room knows nothing of it but its name, and loads neither pandas nor matplotlib nor Jinja2.
"""

from __future__ import annotations

import importlib
import json
import pickle
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from fractions import Fraction
from functools import cache, cached_property, partial
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Self

from tcloseness.errors import NotPicklable
from tcloseness.printable import LONGEST, shortest

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

__all__ = ["Compared", "Displayed", "Explained", "Pictured", "counted"]

_SHOWING = "tcloseness.report.showing"
_SCHEMAS = Path(__file__).with_name("results.schema.json")


def counted(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "record"), counted(3, "class"), counted(2000, "child", "children")
    ('1 record', '3 classes', '2,000 children')
    """
    return f"{number:,} {noun if number == 1 else several or noun + ('es' if noun.endswith('s') else 's')}"


class Compared:
    """The base of what equals another of its class that consists of equal things, arrays and not-a-numbers too.

    Examples
    --------
    >>> class Sizes(Compared):
    ...     def __init__(self, sizes):
    ...         self.sizes = sizes
    >>> Sizes([1, float("nan")]) == Sizes([1, float("nan")]), Sizes([1]) == Sizes([2])
    (True, False)
    """

    _consists_of: Collection[str] = ()
    """The attributes that it consists of, where those are not all that are not computed from others."""

    def _state(self) -> dict[str, Any]:
        """Return what it consists of, without what is computed from that when it is asked for."""
        left_out = () if self._consists_of else _not_compared(type(self))
        return {name: value for name, value in self._whole_state().items() if name not in left_out}

    def _whole_state(self) -> dict[str, Any]:
        computed = _computed(type(self))
        names = self._consists_of or [name for name in vars(self) if name not in computed]
        return {name: getattr(self, name) for name in names}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Compared) or type(other) is not type(self):
            return NotImplemented
        return self is other or _same(self._state(), other._state())

    def __hash__(self) -> int:
        return _hashed_parts(type(self), self._state())


class Displayed(Compared):
    """The base of every public result: repr, HTML, frame, dictionary, page, equality and pickling.

    A subclass defines

    * ``_said(self) -> str``: a few words that hold no value of the table; the repr is ``<Class: words>``, cut to
      fewer than 300 printable characters;
    * ``to_dict(self)``: JSON-ready data, and their schema in ``results.schema.json`` under the class's name;
    * ``_frame_rows(self)``, if it is more than one row: the rows of `to_frame`, as mappings from the names of columns
      to text, whole numbers, doubles, Booleans or None; anything else becomes its text;
    * ``_columns``, if there may be none: a row of the same names and types (a class attribute or a property), so that
      a frame without rows has its columns;
    * ``_withheld``, if some of those columns hold values of the table: their names (a class attribute or a property).
      Pages and notebooks show them only if asked to.

    Base classes are named before it only where they define one of these. A dataclass with ``eq=False`` is equal to
    another of its class whose fields are equal, arrays and not-a-numbers too; any other keeps the dataclass's equality.
    A subclass that has a picture inherits `Pictured`, one that has a verdict `Explained`.

    Examples
    --------
    >>> from tcloseness import ClassCounts
    >>> classes = ClassCounts.from_matrix([[2], [1]])
    >>> classes
    <ClassCounts: 3 records in 1 class, 2 sensitive values>
    >>> pickle.loads(pickle.dumps(classes)) == classes
    True
    """

    @property
    def _withheld(self) -> Collection[str]:
        return ()

    @property
    def _columns(self) -> Mapping[str, Any]:
        return {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Displayed.__repr__  # type: ignore[method-assign]  # so that a dataclass makes none of its own

    def _said(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return shortest(f"<{type(self).__name__}: {self._said()}", LONGEST) + ">"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data, see `schema`."""
        raise NotImplementedError

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Return the JSON schema (draft 2020-12) of what `to_dict` returns."""
        return {**_schemas(), "title": cls.__name__, "$ref": f"#/$defs/{cls.schema_name()}"}

    @classmethod
    def schema_name(cls) -> str:
        """Return the name of the class among the schemas, with its module's: two rooms may have a class of one name."""
        return f"{cls.__module__.removeprefix('tcloseness.')}.{cls.__qualname__}"

    def _frame_rows(self) -> Iterable[Mapping[str, Any]]:
        """Return one row: whatever in `to_dict` is a single text, number or truth value."""
        return [{name: cell for name, cell in self.to_dict().items() if not isinstance(cell, dict | list)}]

    def to_frame(self) -> pd.DataFrame:
        """Return it as a tidy frame: a row a thing, and one type a column.

        Returns
        -------
        pandas.DataFrame
            Columns of text (``string``), whole numbers, doubles or Booleans. Numbers that can be fractions are exact
            text, as in `to_dict`. It has its columns also where there is no thing.
        """
        import pandas as pd

        rows = list(self._frame_rows())
        shown = rows or [self._columns]
        names = dict.fromkeys(name for row in shown for name in row)
        frame = pd.DataFrame({name: _column([row.get(name) for row in shown]) for name in names})
        return frame if rows else frame.iloc[:0]

    def show(self, *, redact: bool = False) -> Any:
        """Return it as it shows in a notebook, with the values of the table unless they are to be withheld.

        Parameters
        ----------
        redact
            Whether values of the table are withheld, as they are where a result is shown by itself.

        Returns
        -------
        tcloseness.report.showing.Shown
            What a notebook shows; ``str()`` of it is the HTML.
        """
        return _showing().shown(self, redact=redact)

    def _repr_html_(self) -> str:
        return str(_showing().shown(self, redact=True))

    def report(self, path: str | PathLike[str], *, redact: bool = True, force: bool = False) -> None:
        """Write it as one self-contained HTML page.

        Parameters
        ----------
        path
            Where to.
        redact
            Whether values of the table are withheld.
        force
            Whether a file that is there may be overwritten.

        Raises
        ------
        InputError
            If there is such a file, or none can be written there.
        MissingPackageError
            Without the packages that pages need; it says how to install them.
        """
        from tcloseness.writing import write_files

        write_files({path: lambda: _showing().page(self, redact=redact).encode()}, force=force)

    # ------------------------------------------------------------------ pickling

    def __getstate__(self) -> dict[str, Any]:
        state = self._whole_state()
        for name, value in state.items():
            held = next(_unpicklable(value), None)
            if held is not None:
                raise NotPicklable(
                    f"{self!r} cannot be pickled: its {name.lstrip('_')!r} holds {shortest(held, 120)}; functions and "
                    "classes must be found by their name in a module, and connections stay in their process"
                )
        return state

    def __copy__(self) -> Self:
        return self  # nothing of it changes

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Explained(Displayed):
    """A result whose verdict needs words."""

    def explain(self, *, redact: bool = False) -> str:
        """Return what it says, in the sentences of the report.

        Parameters
        ----------
        redact
            Whether values of the table are withheld.
        """
        return str(_showing().explained(self, redact=redact))


class Pictured(Displayed):
    """A result of which a picture says more."""

    def plot(self, *, redact: bool = False) -> Any:
        """Draw it.

        Parameters
        ----------
        redact
            Whether values of the table are withheld.

        Returns
        -------
        tcloseness.report.showing.Pictures
            They show in a notebook by themselves; ``figures`` are matplotlib's, and ``save(path)`` writes
            one, as in ``plot()[0].save(path)``.

        Raises
        ------
        MissingPackageError
            Without the packages that figures need; it says how to install them.
        """
        return _showing().pictures(self, redact=redact)


def _showing() -> ModuleType:
    return importlib.import_module(_SHOWING)  # a room above this one, which is loaded when it is asked for


@cache
def _schemas() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_SCHEMAS.read_text(encoding="utf-8"))
    return found


def _column(cells: Sequence[Any]) -> Any:
    """Return cells as an array of one type."""
    import pandas as pd

    kinds = {type(cell) for cell in cells if cell is not None}
    lacking = None in cells
    if kinds == {bool}:
        return pd.array(cells, dtype="boolean" if lacking else "bool")
    if kinds == {int} and all(cell is None or -(2**63) <= cell < 2**63 for cell in cells):
        return pd.array(cells, dtype="Int64" if lacking else "int64")
    if kinds and kinds <= {int, float} and all(type(cell) is not int or abs(cell) <= 2**53 for cell in cells):
        return pd.array(cells, dtype="Float64" if lacking else "float64")
    return pd.array([None if cell is None else str(cell) for cell in cells], dtype="string")


# ---------------------------------------------------------------------- equality


def _computed(kind: Any) -> frozenset[str]:
    """Return the names of the attributes of a class that are computed when they are asked for."""
    return frozenset(
        name for base in kind.__mro__ for name, found in vars(base).items() if isinstance(found, cached_property)
    )


def _not_compared(kind: Any) -> frozenset[str]:
    ignored = {each.name for each in fields(kind) if not each.compare} if is_dataclass(kind) else set()
    return _computed(kind) | ignored


def _same(one: Any, other: Any, within: frozenset[tuple[int, int]] = frozenset()) -> bool:
    """Say whether two things are equal: arrays by their items, and a not-a-number to another.

    Two that are looked at already, further out, differ nowhere that is not found there: so things that hold themselves
    are compared too.
    """
    pair = (id(one), id(other))
    if one is other or pair in within:
        return True
    within |= {pair}
    if _is_array(one) or _is_array(other):
        return (
            _is_array(one)
            and _is_array(other)
            and one.shape == other.shape
            and one.dtype.kind == other.dtype.kind
            and _all_same(one.ravel().tolist(), other.ravel().tolist(), within)
        )
    if type(one) is not type(other):
        return False
    if _is_frame(one):
        return bool(one.equals(other))
    if isinstance(one, float):
        return one == other or (one != one and other != other)
    if isinstance(one, tuple | list):
        return _all_same(one, other, within)
    if isinstance(one, Mapping):
        return len(one) == len(other) and all(key in other and _same(one[key], other[key], within) for key in one)
    if isinstance(one, MethodType):
        return one.__func__ is other.__func__ and _same(one.__self__, other.__self__, within)
    if isinstance(one, partial):
        return _all_same((one.func, one.args, one.keywords), (other.func, other.args, other.keywords), within)
    if _is_plain(one):
        return _same(_compared_parts(one), _compared_parts(other), within)
    return bool(one == other)


def _all_same(some: Sequence[Any], others: Sequence[Any], within: frozenset[tuple[int, int]]) -> bool:
    return len(some) == len(others) and all(_same(one, other, within) for one, other in zip(some, others, strict=True))


_HASHED = 8
"""So many items of an array or a sequence are hashed, the first ones, and those of no larger mapping; and so deep."""


def _hashed(one: Any, deep: int = _HASHED) -> int:
    """Return a hash that is the same for things of which `_same` says that they are equal."""
    if not deep:
        return 0
    deep -= 1
    if _is_array(one):
        return hash((one.shape, one.dtype.kind, *(_hashed(each, deep) for each in one.ravel()[:_HASHED].tolist())))
    if _is_frame(one):
        return hash(type(one))
    if isinstance(one, float):
        return hash(one) if one == one else hash(float)
    if isinstance(one, tuple | list):
        return hash((type(one), len(one), *(_hashed(each, deep) for each in one[:_HASHED])))
    if isinstance(one, Mapping):
        return _hashed_parts(type(one), one, deep) if len(one) <= _HASHED else hash((type(one), len(one)))
    if isinstance(one, MethodType):
        return hash((one.__func__, _hashed(one.__self__, deep)))
    if isinstance(one, partial):
        return _hashed((one.func, one.args, one.keywords), deep)
    if _is_plain(one):
        return _hashed_parts(type(one), _compared_parts(one), deep)
    try:
        return hash(one)
    except TypeError:
        return hash(type(one))


def _hashed_parts(kind: type, parts: Mapping[Any, Any], deep: int = _HASHED) -> int:
    return hash((kind, frozenset((name, _hashed(value, deep)) for name, value in parts.items())))


def _is_frame(one: Any) -> bool:
    """Say whether a thing is a frame, or another of those that pandas compares by a method."""
    return hasattr(one, "equals") and not isinstance(one, type)


def _is_plain(one: Any) -> bool:
    """Say whether an object has attributes and no equality of its own."""
    return _method(one, "__eq__") is object.__eq__ and hasattr(one, "__dict__") and not callable(one)


def _compared_parts(one: Any) -> dict[str, Any]:
    ignored = _not_compared(type(one))
    return {name: value for name, value in vars(one).items() if name not in ignored}


def _method(found: Any, name: str) -> Any:
    return getattr(type(found), name)


def _is_array(found: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(found, numpy.ndarray)


# ---------------------------------------------------------------------- pickling

_STATE = ("__reduce_ex__", "__reduce__", "__getstate__")
_PLAIN = (str, bytes, int, float, Fraction, date, time, timedelta, type(None))


def _unpicklable(value: Any, within: frozenset[int] = frozenset()) -> Iterator[str]:
    """Go through what a value holds that no other process can be given, in words; what holds itself, once."""
    if id(value) in within or isinstance(value, (*_PLAIN, Displayed)):  # a result looks at what it holds itself
        return
    within |= {id(value)}
    if isinstance(value, Mapping):
        yield from (held for pair in value.items() for each in pair for held in _unpicklable(each, within))
    elif isinstance(value, tuple | list | set | frozenset):
        yield from (held for each in value for held in _unpicklable(each, within))
    elif isinstance(value, partial):
        yield from (held for each in (value.func, value.args, value.keywords) for held in _unpicklable(each, within))
    elif isinstance(value, MethodType):
        yield from _unpicklable(value.__self__, within)
    elif isinstance(value, FunctionType | BuiltinFunctionType | type):
        if not _found_by_name(value):
            yield f"the {'class' if isinstance(value, type) else 'function'} {value.__module__}.{value.__qualname__}"
    elif _is_array(value) and value.dtype.kind != "O":
        return
    elif not _found_by_name(type(value)):
        yield f"an object of the class {type(value).__module__}.{type(value).__qualname__}"
    elif hasattr(value, "__dict__") and all(_method(value, name) is getattr(object, name) for name in _STATE):
        yield from (held for each in vars(value).values() for held in _unpicklable(each, within))
    else:
        try:
            pickle.dumps(value)
        except Exception as error:  # noqa: BLE001  # whatever an object of another package raises
            yield f"an object of the class {type(value).__module__}.{type(value).__qualname__} ({error})"


def _found_by_name(value: Any) -> bool:
    found: Any = sys.modules.get(value.__module__ or "builtins")
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value
