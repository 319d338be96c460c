"""The hierarchies of the quasi-identifiers and of the sensitive values: which file each comes from, how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tcloseness.cli.arguments import digest, refuse_unused
from tcloseness.cli.output import file_name
from tcloseness.errors import HierarchyError, InputError
from tcloseness.writing import protect

if TYPE_CHECKING:
    from tcloseness.cli.options import AllFiles
    from tcloseness.microdata import Domain, Hierarchy

__all__ = [
    "HierarchyFiles",
    "place_of",
    "read_sensitive_hierarchy",
    "refuse_levels_unread",
    "require_sensitive_hierarchy",
]

_LONGEST_NAME = 255
"""The bytes of a file's name, on the usual file systems."""

SUPPRESSION = "as it is, or nothing"
"""What a hierarchy without a file is called."""


def refuse_levels_unread(written: AllFiles) -> None:
    """Raise `InputError` for how hierarchies are written, where none is read."""
    ragged = written.hierarchy_ragged.value
    refuse_unused(
        {
            "--hierarchy-separator": written.hierarchy_separator,
            "--hierarchy-ragged": None if ragged == "error" else ragged,
        },
        "no hierarchy is read from a file",
    )


@dataclass(frozen=True)
class HierarchyFiles:
    """Where the hierarchies come from."""

    folder: str | None  # holds ``<column>.csv`` for each quasi-identifier; None if there is no folder
    files: Mapping[str, str]  # by column, a file that goes before the folder's
    bare: Sequence[str]  # columns without a file: a value stays as it is, or becomes ``*``
    # how the files are written
    separator: str | None
    encoding: str | None
    ragged: str
    needed: bool = True  # whether each column needs a hierarchy; if not, a message names the ways to do without one

    def paths(self, columns: Sequence[str]) -> dict[str, str]:
        """Return the file of each column that has one.

        `InputError` for a folder that is none, or columns without a file.
        """
        if self.folder is not None and not Path(self.folder).is_dir():
            raise InputError(
                f"--hierarchies {self.folder!r} is not a folder; name one that holds a file <column>.csv for each "
                "quasi-identifier"
            )
        found: dict[str, str] = {}
        absent: dict[str, str] = {}
        for column in columns:
            if column in self.files:
                found[column] = self.files[column]
            elif column not in self.bare:
                place = f"{column}.csv" if self.folder is None else str(place_of(column, self.folder))
                (found if self.has_file(column) else absent)[column] = place
        if absent:
            column, place_text = next(iter(absent.items()))
            others = list(absent)[1:]
            also = f" (nor for {', '.join(map(repr, others))})" if others else ""
            where = f"there is no file {place_text}" if self.folder else "--hierarchies names no folder"
            instead = "" if self.needed else f", or --numeric or --categorical {column} to do without one"
            raise InputError(
                f"no hierarchy for the quasi-identifier {column!r}{also}: {where}; write one with rows "
                f"value,level 1,…,*, name another with --hierarchy {column}=FILE, or give --suppress-only {column} to "
                f"keep its values or suppress them all{instead}"
            )
        protect(*found.values())
        return found

    def has_file(self, column: str) -> bool:
        """Say whether a column has a file, named or in the folder."""
        in_folder = self.folder is not None and place_of(column, self.folder).is_file()
        return column in self.files or in_folder

    def unused(self, columns: Sequence[str], of_table: Sequence[str]) -> list[str]:
        """Return the columns of the table that have a file in the folder and are not quasi-identifiers."""
        if self.folder is None:
            return []
        held = {file.name for file in Path(self.folder).iterdir() if file.is_file()}
        found = [column for column in of_table if column not in columns and f"{column}.csv" in held]
        protect(*(Path(self.folder, f"{column}.csv") for column in found))
        return found

    def read(
        self, domains: Mapping[str, Domain], records: Mapping[str, Sequence[int]] | None = None
    ) -> dict[str, Hierarchy]:
        """Return a hierarchy over each quasi-identifier's values, by column.

        `HierarchyError` for a file that cannot be read, does not nest, or does not cover a value.

        `records` says how many records hold each value, for the messages.
        """
        from tcloseness.microdata import Hierarchy

        paths = self.paths(list(domains))
        found = {}
        for column, domain in domains.items():
            if column in paths:
                try:
                    found[column] = self._one(paths[column], column)
                    found[column].rows(domain, None if records is None else records[column])
                except HierarchyError as error:
                    where = "" if paths[column] in str(error) else f" (file {paths[column]})"
                    raise HierarchyError(_as_options(f"{error}{where}")) from error
            else:
                found[column] = Hierarchy.suppression(domain.values, name=column)
        return found

    def alone(self, column: str) -> Hierarchy:
        """Return the hierarchy of a column that has a file; `HierarchyError` for one that cannot be read."""
        path = self.paths([column])[column]
        try:
            return self._one(path, column)
        except HierarchyError as error:
            raise HierarchyError(_as_options(str(error))) from error

    def _one(self, path: str, column: str) -> Hierarchy:
        from tcloseness.microdata import Hierarchy

        return Hierarchy.from_csv(
            path,
            separator=self.separator,
            encoding=self.encoding,
            ragged=self.ragged,  # type: ignore[arg-type]
            name=column,
        )

    def to_dict(self, columns: Sequence[str]) -> dict[str, dict[str, str]]:
        """Return by column the file and its sha256, or that there is none."""
        paths = self.paths(columns)
        return {
            column: {"file": file_name(paths[column]), "sha256": digest(paths[column])}
            if column in paths
            else {"levels": SUPPRESSION}
            for column in columns
        }


def _as_options(message: str) -> str:
    for argument, option in (
        ("give separator=", "give --hierarchy-separator "),
        ("for leaves at unequal depth see ragged=", "for rows of different length see --hierarchy-ragged"),
        ("ragged='keep', 'repeat-leaf' or 'repeat-parent'", "--hierarchy-ragged repeat-leaf or repeat-parent"),
        ("give encoding=", "give --encoding"),
    ):
        message = message.replace(argument, option)
    return message


# ---------------------------------------------------------------------- the sensitive values


def require_sensitive_hierarchy(file: str | None, ground: Sequence[str]) -> str:
    """Return the file that ``--sensitive-hierarchy`` names; that of a ground distance is not taken for it.

    `InputError` if nothing was given; with the ground distance's hierarchy, if there is one, as what could be.
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


def place_of(column: str, folder: str) -> Path:
    """Return where the folder holds a column's hierarchy: in the folder itself, whatever the column is called."""
    name = f"{column}.csv"
    if not column or set(column) & set("/\\\0") or len(name.encode()) > _LONGEST_NAME:
        raise InputError(
            f"column {column!r} cannot be the name of a file in the folder {folder!r}, so no "
            "hierarchy is looked for there; name the file with --hierarchy COLUMN=FILE, give --suppress-only, or "
            "rename the column"
        )
    return Path(folder, name)


def read_sensitive_hierarchy(file: str, column: str, domain: Domain, written: AllFiles) -> Hierarchy:
    """Return the hierarchy of a sensitive column's values; it is read as those of the quasi-identifiers are.

    `HierarchyError` for a file that cannot be read, does not nest, or does not cover a value; or if two nodes of one
    label stand for different values, so that a table that shows the label would not say which.
    """
    from tcloseness.microdata.ancestors import Ancestors
    from tcloseness.microdata.domain import value_text

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
