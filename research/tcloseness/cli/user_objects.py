"""Objects of the user's own, named as ``MODULE:NAME`` on the command line."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcloseness.errors import InputError, TClosenessError
from tcloseness.writing import protect

__all__ = ["Users", "blaming", "loaded", "printed_aside"]


@contextmanager
def printed_aside() -> Iterator[None]:
    """Within this, what objects of the user's own print goes to stderr: stdout is for the result."""
    with redirect_stdout(sys.stderr):
        yield


@contextmanager
def blaming(what: str) -> Iterator[None]:
    """Within this, whatever goes wrong in an object of the user's own is said to be its fault."""
    try:
        with printed_aside():
            yield
    except TClosenessError:
        raise
    except Exception as error:
        raise InputError(f"{what} fails by itself ({type(error).__name__}: {error})") from error


@dataclass(frozen=True)
class Users:
    """An object of the user's own: what goes wrong in it is said to be its fault."""

    # how it was given, for messages
    option: str
    text: str
    found: Any

    @property
    def given(self) -> str:
        """How it was given."""
        return f"{self.option} {self.text!r}"

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.asked("name"))

    def asked(self, name: str) -> Any:
        """Return an attribute of the object."""
        with blaming(self.given):
            return getattr(self.found, name)

    def called(self, name: str, *arguments: object, answer: type | None = None) -> Any:
        """Return what a method answers; if it must be of a type, `InputError` for any other."""
        with blaming(self.given):
            result = getattr(self.found, name)(*arguments)
        if answer is not None and not isinstance(result, answer):
            raise InputError(f"{self.given} answers {result!r}; {name} must return a {answer.__name__}")
        return result


def loaded(text: str, what: str, example: str, *, with_method: str = "") -> Any:
    """Return the object that ``MODULE:NAME`` names; of a class, an object of it, unless it has a class method.

    `InputError` if there is none, or its module cannot be imported.

    Parameters
    ----------
    text
        The name.
    what, example
        What it is the name of, and one that is well written, for messages.
    with_method
        A class is taken as it is if this is a class method of it.
    """
    module, colon, name = text.rpartition(":")
    if not colon or not module or not name:
        raise InputError(f"{what} {text!r} must be MODULE:NAME, such as {example}")
    with printed_aside():
        found: Any = _imported(module)
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise InputError(f"module {module!r} has no {name!r}; the part after the colon is a name in it") from None
    if isinstance(found, type) and getattr(getattr(found, with_method, None), "__self__", None) is not found:
        try:
            with printed_aside():
                return found()
        except (Exception, SystemExit) as error:
            way = f"give it a class method {with_method}, or " if with_method else ""
            raise InputError(
                f"{text!r} is a class that needs arguments ({error}); {way}name an object made from it, in a module of "
                "yours"
            ) from error
    return found


def _imported(module: str) -> Any:
    compiled, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nothing is left where the user's modules are
    try:
        if module.endswith(".py"):
            spec = importlib.util.spec_from_file_location(Path(module).stem, module)
            assert spec is not None
            assert spec.loader is not None
            loaded = importlib.util.module_from_spec(spec)
            sys.modules.setdefault(Path(module).stem, loaded)
            spec.loader.exec_module(loaded)
            return loaded
        sys.path.insert(0, os.getcwd())
        try:
            return importlib.import_module(module)
        finally:
            sys.path.remove(os.getcwd())
    except (Exception, SystemExit) as error:
        raise InputError(
            f"module {module!r} cannot be imported ({type(error).__name__}: {error}); "
            "give a module that Python finds from here, or the path of a .py file"
        ) from error
    finally:  # with the module, whatever it imports
        sys.dont_write_bytecode = compiled
        protect(*filter(None, (getattr(each, "__file__", None) for each in list(sys.modules.values()))))
