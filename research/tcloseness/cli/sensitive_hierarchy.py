"""The hierarchy of the sensitive values: how its file is read, and that a table can show its nodes by their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tcloseness.cli.hierarchies import HierarchyFiles
from tcloseness.errors import HierarchyError, InputError

if TYPE_CHECKING:
    from tcloseness.cli.options import AllFiles
    from tcloseness.microdata import Domain, Hierarchy

__all__ = ["read_sensitive_hierarchy", "require_sensitive_hierarchy"]


def require_sensitive_hierarchy(file: str | None, ground: Sequence[str]) -> str:
    """Return the file that ``--sensitive-hierarchy`` names; that of a ground distance is not taken for it.

    Parameters
    ----------
    file
        What was given; None if nothing was.
    ground
        The texts of ``--ground``.

    Raises
    ------
    InputError
        If nothing was given; with the ground distance's hierarchy, if there is one, as what could be.
    """
    if file is not None:
        return file
    grounds = [text.partition("=hierarchical:")[2] for text in ground]
    also = "".join(
        f"; {each} says how far apart values are, and is not taken for what they are shown as: to use it for both, "
        f"give --sensitive-hierarchy {each}"
        for each in grounds[:1]
        if each
    )
    raise InputError(
        "sensitive-generalization shows sensitive values as nodes of a hierarchy, and none is given; give "
        f"--sensitive-hierarchy FILE, with rows value,level 1,…,*{also}"
    )


def read_sensitive_hierarchy(file: str, column: str, domain: Domain, written: AllFiles) -> Hierarchy:
    """Return the hierarchy of a sensitive column's values; it is read as those of the quasi-identifiers are.

    Parameters
    ----------
    file, column, domain
        The file, and what it is for.
    written
        How the files are written.

    Raises
    ------
    HierarchyError
        For a file that cannot be read, does not nest, or does not cover a value; or if two nodes of one label stand for
        different values, so that a table that shows the label would not say which.
    """
    from tcloseness.microdata.domain import value_text
    from tcloseness.release.ancestors import Ancestors

    files = HierarchyFiles(
        None, {column: file}, (), written.hierarchy_separator, written.encoding, written.hierarchy_ragged.value
    )
    hierarchy = files.read({column: domain})[column]
    tree = Ancestors(hierarchy)
    leaves_of: dict[str, tuple[int, int]] = {}
    for label, low, high in zip(tree.labels, tree.low.tolist(), tree.high.tolist(), strict=True):
        if leaves_of.setdefault(value_text(label), (low, high)) != (low, high):
            raise HierarchyError(
                f"hierarchy {column!r} has two nodes {value_text(label)!r} for different values (file {file}); "
                "a table that shows one would not say which, so rename one"
            )
    return hierarchy
