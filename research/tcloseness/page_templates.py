"""The templates of pages: those of a room are read and compiled once a process, however many pages are made."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tcloseness.errors import MissingPackageError

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["missing_report", "rendered", "require_report", "templates_of"]


def missing_report(cause: ImportError | None = None) -> MissingPackageError:
    """Return the error that says how to install what draws figures and makes pages."""
    found = f" ({cause.name} is missing)" if cause is not None and cause.name else ""
    return MissingPackageError(
        f"figures and pages need matplotlib and Jinja2{found}; install them: python -m pip install 'tcloseness[report]'"
    )


def require_report() -> None:
    """Raise `MissingPackageError` unless figures can be drawn and pages made, before any work for them is done."""
    if any(find_spec(package) is None for package in ("matplotlib", "jinja2")):
        raise missing_report()


@cache
def templates_of(room: str) -> Environment:
    """Return the templates in the folder ``templates`` of a room: all text is escaped, and every name must be given."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise missing_report(error) from error

    return Environment(
        loader=PackageLoader(f"tcloseness.{room}"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )


def rendered(room: str, template: str, **values: Any) -> str:
    """Return a template of a room, filled in."""
    return str(templates_of(room).get_template(template).render(**values))
