"""The templates of pages: those of a room are read and compiled once a process, however many pages are made."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from tcloseness.extras import needing, require

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["REPORT", "rendered", "require_report", "templates_of"]

REPORT = ("figures and pages need", "matplotlib", "jinja2")
"""What draws and makes pages, see `tcloseness.extras`."""


def require_report() -> None:
    """Raise `MissingPackageError` unless figures can be drawn and pages made, before any work for them is done."""
    require(*REPORT)


@cache
def templates_of(room: str) -> Environment:
    """Return the templates in the folder ``templates`` of a room: all text is escaped, and every name must be given."""
    with needing(*REPORT):
        from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(f"tcloseness.{room}"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )


def rendered(room: str, template: str, **values: Any) -> str:
    """Return a template of a room, filled in."""
    return str(templates_of(room).get_template(template).render(**values))
