"""The grids of the studies: what each one runs over, as a TOML file beside its module.

``studies/<name>.toml`` gives every field of the study's grid, a frozen dataclass; its table ``[smoke]`` replaces some
of them for a run that only shows that everything works.
"""

from __future__ import annotations

import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from tcloseness.errors import StudyError

__all__ = ["FOLDER", "load_grid"]

FOLDER = Path(__file__).resolve().parent / "studies"

G = TypeVar("G")


def load_grid(kind: type[G], name: str, *, smoke: bool = False, folder: Path = FOLDER) -> G:
    """Read the grid of a study.

    Parameters
    ----------
    kind
        A dataclass; its fields are ``int``, ``str`` or tuples of these.
    name
        The study's name.
    smoke
        Whether the values of ``[smoke]`` replace the others.

    Raises
    ------
    StudyError
        For a file that cannot be read, a key that is missing, unknown, or of another type than its field's.
    """
    path = folder / f"{name}.toml"
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise StudyError(f"the grid {path.name} cannot be read: {error}") from error
    assert is_dataclass(kind)
    types = get_type_hints(kind)
    names = [f.name for f in fields(kind)]
    small = content.pop("smoke", {})
    for where, given in (("", content), ("[smoke] of ", small)):
        for key, value in given.items():
            if key not in names:
                raise StudyError(f"{where}{path.name} has the unknown key {key!r}; the keys are {', '.join(names)}")
            if not _fits(value, types[key]):
                raise StudyError(f"{where}{path.name}: {key} is {value!r}; it must be {_words(types[key])}")
    for key in names:
        if key not in content:
            raise StudyError(f"{path.name} has no {key}; it needs {', '.join(names)}")
    chosen = content | (small if smoke else {})
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in chosen.items()})


def _fits(value: Any, kind: Any) -> bool:
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(_fits(item, get_args(kind)[0]) for item in value)
    return isinstance(value, kind) and not isinstance(value, bool)


def _words(kind: Any) -> str:
    names = {int: "a whole number", str: "a text"}
    return f"a list, each {names[get_args(kind)[0]]}" if get_origin(kind) is tuple else names[kind]
