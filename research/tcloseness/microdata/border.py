"""The border of every room: a table object of another shape than a verb needs is named, with the way to the right one.

A table has several shapes, from a frame to its class counts, and a verb takes one of them, which its annotation says.
`guarded` is called once at the end of a room's ``__init__``; whatever the room exports is then guarded by what its
annotations say, so that a new verb cannot forget it. A `FullTable` has every shape, and a verb that says so in its
annotation, ``Microdata | FullTable``, is given the shape that it needs.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Hashable, Mapping, MutableMapping
from numbers import Integral
from typing import Any, TypeVar, overload

import numpy as np

from tcloseness.errors import InputError, TableError
from tcloseness.exact import shown_value
from tcloseness.limits import as_raised

__all__ = ["SHAPES", "FullTable", "guarded", "in_shape", "place_in", "require_callable"]

S = TypeVar("S")
W = TypeVar("W")


class FullTable:
    """A table of every shape: `tcloseness.Table`, with what it knows of its columns."""

    def shape(self, name: str) -> Any:
        """Return the table as an object of a class that a function of a room takes, by the name of that class."""
        raise NotImplementedError

    def known(self, parameter: str, annotation: str) -> Any:
        """Return what the table says about a parameter of a function of a room; None if it says nothing."""
        raise NotImplementedError


@overload
def in_shape(given: FullTable, wanted: type[W]) -> W: ...


@overload
def in_shape(given: S, wanted: type[Any]) -> S: ...


def in_shape(given: object, wanted: type) -> object:
    """Return a table in the shape that is wanted; one that has it already as it is."""
    return given.shape(wanted.__name__) if isinstance(given, FullTable) else given


SHAPES: Mapping[str, tuple[str, ...]] = {
    "Microdata": ("Microdata",),
    "FrequencySet": ("FrequencySet",),
    "ClassCounts": ("ClassCounts",),
    "RollUp": ("RollUp",),
    "Release": ("Release",),
    "Partition": ("Partition",),
    "Source": ("ClassCounts", "Release"),
}
"""By the word of an annotation, the classes that are meant."""

_READ = "quasi_identifiers=…, sensitive=…)"

_WAYS: Mapping[str, Mapping[str, str]] = {
    "Microdata": {
        "FrequencySet": "the rows are needed, and it holds counts; give the Microdata that it was counted from",
        "ClassCounts": "the rows are needed, and it holds counts; give the Microdata that they were counted from",
        "": f"make one: Microdata.from_frame(frame, {_READ}",
    },
    "FrequencySet": {
        "Microdata": "make one: FrequencySet.of(table)",
        "ClassCounts": "its classes are counted already; give the FrequencySet that they were counted from",
        "RollUp": "give its frequencies",
        "Anonymized": "ask the answer itself, as in found.check(k=3); or give its release.released",
        "": f"make one: tcloseness.Table(frame, {_READ}",
    },
    "ClassCounts": {
        "Microdata": "make them: FrequencySet.of(table).class_counts()",
        "FrequencySet": "make them: table.class_counts()",
        "RollUp": "make them: rolled.class_counts(node), or rolled.frequencies.class_counts()",
        "Anonymized": "give its class_counts",
        "Release": "give its class_counts()",
        "": f"make them: FrequencySet.from_frame(frame, {_READ}.class_counts()",
    },
    "RollUp": {
        "Microdata": "make one: RollUp(FrequencySet.of(table), hierarchies)",
        "FrequencySet": "make one: RollUp(table, hierarchies)",
        "": f"make one: RollUp(FrequencySet.from_frame(frame, {_READ}, hierarchies)",
    },
    "Release": {
        "Microdata": "make one: Release.full_domain(FrequencySet.of(table), hierarchies, levels)",
        "FrequencySet": "make one: Release.full_domain(table, hierarchies, levels)",
        "": f"make one: Release.full_domain(FrequencySet.from_frame(frame, {_READ}, hierarchies, levels)",
    },
    "Partition": {
        "Anonymized": "give its partition",
        "Microdata": "make one: Partition.of(table, groups)",
        "": f"make one: Partition.of(Microdata.from_frame(frame, {_READ}, groups)",
    },
}
"""By what is needed and what was given, the way from one to the other."""


def place_in(given: object, size: int, what: str, error: type[InputError]) -> int:
    """Return a place among so many as an int: a negative one would be counted from the end.

    Raises
    ------
    InputError
        Of the given class, for anything but a whole number from 0 to `size` − 1.

    Examples
    --------
    >>> place_in(2, 3, "code", TableError)
    2
    """
    if type(given) is int and 0 <= given < size:
        return given
    if not isinstance(given, Integral) or isinstance(given, bool) or not 0 <= int(given) < size:
        raise error(f"{what} is {shown_value(given)}; it must be a whole number from 0 to {size - 1}")
    return int(given)


def require_callable(given: object, name: str, what: str) -> None:
    """Raise `InputError` for what a verb is to call, and cannot."""
    if not callable(given):
        raise InputError(
            f"{what} calls what is given as {name}, and was given {shown_value(given)}, which cannot be called; give a "
            "function"
        )


def _names(given: object) -> tuple[str, ...]:
    """Return the names of a value's classes, those of the package and of pandas."""
    return _names_of(type(given))  # type: ignore[arg-type]


@functools.lru_cache(maxsize=1024)
def _names_of(kind: type) -> tuple[str, ...]:
    return tuple(each.__name__ for each in kind.__mro__ if each.__module__.partition(".")[0] in _ROOMS)


_ROOMS = ("tcloseness", "pandas")


def _require(given: object, shapes: tuple[str, ...], what: str) -> None:
    names = _names(given)
    if any(name in shapes for name in names):
        return
    ways = _WAYS[shapes[0]]
    kinds = [*names, type(given).__name__]
    way = next((ways[kind] for kind in kinds if kind in ways), ways[""])
    needed = " or ".join(shapes)
    raise TableError(f"{what} takes a table of class {needed}, and was given {_given(given)}; {way}")


def _given(given: object) -> str:
    return "None" if given is None else f"one of class {type(given).__name__}"


def _words(annotation: object) -> list[str]:
    """Return the alternatives of an annotation; a `FullTable` is none, since it is given in a shape's place."""
    words = [word.strip().removeprefix("pd.") for word in str(annotation).split("|")]
    return [word for word in words if word != "FullTable"]


def _shapes_of(function: Callable[..., Any]) -> dict[str, tuple[tuple[str, ...], bool]]:
    """Return, for each parameter that is a table by its annotation, the shapes and whether it may be None."""
    found = {}
    for name, annotation in getattr(function, "__annotations__", {}).items():
        words = _words(annotation)
        optional = "None" in words
        words = [word for word in words if word != "None"]
        if name != "return" and words and all(word in SHAPES for word in words):
            found[name] = (tuple(shape for word in words for shape in SHAPES[word]), optional)
    return found


def _mixed_of(function: Callable[..., Any]) -> dict[str, tuple[str, ...]]:
    """Return, for each parameter that may be a table or something else, the shapes of that table."""
    found = {}
    for name, annotation in getattr(function, "__annotations__", {}).items():
        words = set(_words(annotation)) - {"None"}
        tables = [shape for word in sorted(words & set(SHAPES)) for shape in SHAPES[word]]
        if name != "return" and tables and words - set(SHAPES):
            found[name] = tuple(tables)
    return found


_COLLECTIONS = ("Sequence[", "Iterable[", "Collection[")
_CHOICES = ("Reference", "MissingRule", "Ragged", "Wanted", "Combine", "Base", "Leaves", "Suppressed")
"""The names of annotations that are one of a few words."""
_PLAIN = (*_COLLECTIONS, "Literal[", "Mapping[", "str", "int", "float", "Number")
"""How the annotation of a parameter begins that takes no table."""

_OF_MODELS = ("Sequence[PrivacyModel]", "Sequence[Measure]", "Sequence[Loss]", "Sequence[str")
"""Of these a text or a mapping is none, though it can be iterated over: an empty one would be ignored."""

_TABLES = {
    "Table",
    *(shape for shapes in SHAPES.values() for shape in shapes),
    "Anonymized",
    "Anatomized",
    "AnonymizedTable",
}


_LISTENERS = ("Progress | None", "Report | None", "StagedProgress | None")
"""The annotations of a parameter that is called with what is done, if it is given."""


def _called_of(function: Callable[..., Any]) -> dict[str, bool]:
    """Return, for each parameter that takes what can be called and nothing else, whether it may be None."""
    found = {}
    for name, annotation in getattr(function, "__annotations__", {}).items():
        text = str(annotation).strip("\"'")
        bare = text.removesuffix(" | None")
        if name != "return" and (text in _LISTENERS or re.fullmatch(r"Callable\[.*\]", bare)):
            found[name] = bare != text
    return found


def _plain_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return the annotation of each parameter that takes no table."""
    annotations = {name: str(text) for name, text in getattr(function, "__annotations__", {}).items()}
    tables = re.compile(rf"\b({'|'.join(('DataFrame', *_TABLES))})\b")
    return {
        name: text
        for name, text in annotations.items()
        if name != "return"
        and (text.startswith(_PLAIN) or text.removesuffix(" | None") in _CHOICES)
        and not tables.search(text)
    }


def _refuse_table(given: object, annotation: str, name: str, what: str) -> None:
    """Raise `TableError` for a table where none is taken, or for what is not a mapping where only a mapping is
    taken."""
    names = _names(given)
    alone = _is_alone(annotation.removesuffix(" | None"))
    if given is None and annotation.endswith(" | None"):
        return
    no_mapping = alone and annotation.startswith("Mapping[") and not isinstance(given, Mapping)
    no_collection = alone and annotation.startswith(_COLLECTIONS) and not hasattr(given, "__iter__")
    if annotation.startswith("Mapping[str, Hierarchy]") and isinstance(given, Mapping):
        for key, each in given.items():
            if "Hierarchy" not in _names(each):
                raise TableError(
                    f"{what} takes hierarchies, and the one of {key!r} is {each!r}; make one by Hierarchy.…"
                )
    if _TABLES.intersection(names) or no_mapping or no_collection:
        raise TableError(f"{what} takes {annotation} as {name}, and was given {_given(given)}; see its documentation")


def _is_alone(annotation: str) -> bool:
    """Say whether an annotation is of one type; what is inside of its brackets may be of several."""
    depth = 0
    for letter in annotation:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            return False
    return True


def _refuse_odd(given: object, annotation: str, name: str, what: str) -> None:
    """Raise `InputError` for what cannot be compared with a name, iterated over, or used as a path or a count."""
    if given is None and annotation.endswith(" | None"):
        return
    if annotation.removesuffix(" | None") in ("str | PathLike[str]", "str | os.PathLike[str]"):
        meant = isinstance(given.__fspath__() if hasattr(given, "__fspath__") else given, str)
        way = "give a text, or a pathlib.Path"
    elif annotation == "int":  # how many entries a record lists
        meant = isinstance(given, Integral) and not isinstance(given, bool) and int(given) >= 0
        way = "give a whole number ≥ 0"
    else:
        alone = annotation.removesuffix(" | None")
        array = isinstance(given, np.ndarray)
        single = alone == "str" or alone in _CHOICES or alone.startswith("Literal[")
        text = alone.startswith("Sequence[") and isinstance(given, str | bytes | Mapping)
        meant = not (
            {"NAType", "NaTType"}.intersection(_names(given))
            or (array and (single or not given.ndim))  # type: ignore[attr-defined]
            or (single and not isinstance(given, Hashable))
            or (text and alone.startswith(_OF_MODELS))
        )
        way = "see its documentation"
    if not meant:
        raise InputError(f"{what} takes {annotation} as {name}, and was given {shown_value(given)}; {way}")


def _shown_in(given: Any, shapes: tuple[str, ...]) -> Any:
    """Return the release of an answer that has one, where a release is taken."""
    names = _names(given)
    if "Release" not in shapes or "Published" not in names or any(name in shapes for name in names):
        return given
    return given.release


def _guard(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Return the function with its tables looked at first; itself if nothing is to be looked at."""
    shapes, mixed, plain = _shapes_of(function), _mixed_of(function), _plain_of(function)
    called = _called_of(function)
    if not (shapes or mixed or plain or called) or hasattr(function, "__guarded__"):
        return function
    signature = inspect.signature(function)
    names = list(signature.parameters)
    annotations = {name: str(text) for name, text in getattr(function, "__annotations__", {}).items()}
    shape = {**mixed, **{name: wanted for name, (wanted, _) in shapes.items()}}
    takes_release = {} if function.__name__ == "__init__" else shape  # a constructor trusts its arguments

    def shaped(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]:
        """Return the arguments with the front door's tables in the shapes that are taken, and what the first knows."""
        bound = signature.bind_partial(*args, **named)
        tables = [value for name, value in bound.arguments.items() if name in shape and isinstance(value, FullTable)]
        for name in names:
            value = bound.arguments.get(name)
            if name in shape and isinstance(value, FullTable):
                bound.arguments[name] = value.shape(shape[name][0])
            elif name not in bound.arguments:
                known = tables[0].known(name, annotations.get(name, ""))
                if known is not None:
                    bound.arguments[name] = known
        return bound.args, bound.kwargs, bound.arguments

    counted = {name for name, text in plain.items() if text == "int" and function.__name__ == "to_dict"}
    odd = {name for name, text in plain.items() if text != "int"} | counted
    seen: dict[str, set[type]] = {name: set() for name in names}  # types of arguments that were looked at before
    by_content = counted | {
        name for name in odd if "Mapping[str, Hierarchy]" in plain[name] or "PathLike" in plain[name]
    }

    @functools.wraps(function)
    def guarded(*args: Any, **named: Any) -> Any:
        for name, value in zip(names, args, strict=False):
            if type(value) not in seen[name]:
                break
        else:
            for name, value in named.items():
                if name not in seen or type(value) not in seen[name]:
                    break
            else:
                try:
                    return function(*args, **named)
                except SystemError as error:
                    raise as_raised(error) from None
        given = {**dict(zip(names, args, strict=False)), **named}
        shown = {name: _shown_in(given[name], wanted) for name, wanted in takes_release.items() if name in given}
        if any(shown[name] is not given[name] for name in shown):
            bound = signature.bind_partial(*args, **named)
            bound.arguments.update(shown)
            return guarded(*bound.args, **bound.kwargs)
        if any(isinstance(given.get(name), FullTable) for name in shape):
            try:
                args, named, given = shaped(args, named)
            except TypeError:  # the function says what is wrong with its arguments
                return function(*args, **named)
        for name, value in given.items():
            if name in seen and type(value) in seen[name]:
                continue
            if name in shapes:
                wanted, optional = shapes[name]
                if not (optional and value is None):
                    _require(value, wanted, what)
            elif name in mixed:
                if _TABLES.intersection(_names(value)):
                    _require(value, mixed[name], what)
            elif name in called:
                if not (value is None and called[name]):
                    require_callable(value, name, what)
            elif name in plain:
                _refuse_table(value, plain[name], name, what)
                if name in odd:
                    _refuse_odd(value, plain[name], name, what)
            looked_into = name in by_content or (name in odd and isinstance(value, np.ndarray))
            if name in seen and not looked_into and not isinstance(value, FullTable):
                seen[name].add(type(value))
        try:
            return function(*args, **named)
        except SystemError as error:
            raise as_raised(error) from None

    guarded.__guarded__ = True  # type: ignore[attr-defined]
    return guarded


def guarded(namespace: MutableMapping[str, Any]) -> None:
    """Let every function and class that a room exports look at the tables it is given.

    Parameters
    ----------
    namespace
        The room's ``globals()``; what its ``__all__`` names is guarded. Functions are replaced in it, classes are
        guarded where they are, their constructors and public methods.

    Raises
    ------
    TableError
        Not here: by a verb that is then given another object than its annotation says.
    """
    for name in namespace["__all__"]:
        exported = namespace.get(name)
        if inspect.isfunction(exported):
            wrapped = _guard(exported, f"{name}()")
            namespace[name] = wrapped
            home = vars(sys.modules[exported.__module__])
            if home.get(name) is exported:
                home[name] = wrapped
        elif inspect.isclass(exported) and not getattr(exported, "_is_protocol", False):
            _guard_class(exported)


def _guard_class(exported: type) -> None:
    for owner in exported.__mro__:
        if not owner.__module__.startswith("tcloseness") or getattr(owner, "_is_protocol", False):
            continue
        for name, member in list(vars(owner).items()):
            if name != "__init__" and name.startswith("_"):
                continue
            what = f"{owner.__name__}()" if name == "__init__" else f"{owner.__name__}.{name}()"
            if isinstance(member, classmethod | staticmethod):
                wrapped = _guard(member.__func__, what)
                if wrapped is not member.__func__:
                    setattr(owner, name, type(member)(wrapped))
            elif inspect.isfunction(member):
                wrapped = _guard(member, what)
                if wrapped is not member:
                    setattr(owner, name, wrapped)
