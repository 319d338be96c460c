"""Packages that only some answers need: each is in an extra, and an error names that where it is missing.

A plain installation holds the command line, every engine for files, all models, searches, heuristics and programs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from tcloseness.errors import MissingPackageError

__all__ = ["EXTRAS", "PACKAGES", "install", "missing", "needing", "require"]

EXTRAS = {
    "arrow": "frames of Arrow, and of Polars, Spark and Ibis, which hand their counts over as Arrow's",
    "conformance": "checking files of test vectors by their schema",
    "report": "figures and pages",
    "sklearn": "`Anonymizer`, which is one of scikit-learn's, and classifiers in the study of utility",
    "spark": "frames of PySpark",
    "validate": "proofs of the laws of a distance, by z3",
}
"""By extra, what it is for."""

PACKAGES = {
    "jinja2": ("Jinja2", "report"),
    "jsonschema": ("jsonschema", "conformance"),
    "markupsafe": ("MarkupSafe", "report"),
    "matplotlib": ("matplotlib", "report"),
    "pyarrow": ("pyarrow", "arrow"),
    "sklearn": ("scikit-learn", "sklearn"),
    "z3": ("z3-solver", "validate"),
}
"""By module that is imported, the package that has it and its extra."""


def install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"python -m pip install 'tcloseness[{extra}]'"


def missing(what: str, *modules: str) -> MissingPackageError:
    """Return the error that says which packages something needs, and how they are installed with their extra."""
    names = " and ".join(PACKAGES[each][0] for each in modules)
    here = [PACKAGES[each][0] for each in modules if not _is_here(each)]
    found = f" ({', '.join(here)} missing)" if len(modules) > 1 and here else ""
    which = "it" if len(modules) == 1 else "them"
    return MissingPackageError(f"{what} {names}{found}; install {which}: {install(PACKAGES[modules[0]][1])}")


@contextmanager
def needing(what: str, *modules: str) -> Iterator[None]:
    """Within this optional packages are imported; `MissingPackageError` where one is not installed.

    Parameters
    ----------
    what
        What needs them, as the beginning of a sentence: ``"figures and pages need"``.
    modules
        The modules that are imported, of one extra.
    """
    try:
        yield
    except MissingPackageError:
        raise
    except ImportError as error:
        raise missing(what, *modules) from error


def require(what: str, *modules: str) -> None:
    """Raise `MissingPackageError` unless all of some packages are installed, before any work for them is done."""
    if not all(map(_is_here, modules)):
        raise missing(what, *modules)


def _is_here(module: str) -> bool:
    if module in sys.modules:  # of one that was loaded by something else than a file, `find_spec` raises
        return sys.modules[module] is not None
    return find_spec(module) is not None
