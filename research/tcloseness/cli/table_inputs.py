"""What a command that generalizes reads: the table, the hierarchies, the ground distance, the thresholds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tcloseness.cli.arguments import (
    Source,
    column_names,
    digest,
    encoding_name,
    items,
    open_source,
    per_column,
    read_frame,
    reading_of,
    separator_text,
)
from tcloseness.cli.grounds import Ground, ground_record, grounds_of
from tcloseness.cli.hierarchies import HierarchyFiles, refuse_levels_unread
from tcloseness.cli.options import AllFiles, Columns, Engine, Hierarchies, Meaning, Missing
from tcloseness.cli.output import file_name, reading_bar
from tcloseness.cli.thresholds import Thresholds
from tcloseness.displayed import counted
from tcloseness.errors import InputError, TableError, TableWarning, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

    from tcloseness.ground import GroundDistance
    from tcloseness.lattice import RollUp
    from tcloseness.limits import Clock
    from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
    from tcloseness.microdata.combinations import Options as ReadingOptions

__all__ = ["TableInputs"]


def indexed(frame: pd.DataFrame, index: str, what: str) -> pd.DataFrame:
    """Return a frame whose index is a column of it; `TableError` without that column."""
    if index not in frame.columns:
        hint = did_you_mean(index, frame.columns, f"it has {', '.join(map(repr, frame.columns))}")
        raise TableError(f"{file_name(what)} has no column {index!r}, which --index names; {hint}")
    return frame.set_index(index)


@dataclass(frozen=True, eq=False)
class TableInputs:
    """What was read, and how it was asked for."""

    source: Source  # the table's file
    columns: tuple[str, ...]  # the names of all its columns
    rows_of: Callable[[], tuple[pd.DataFrame, Microdata]]  # reads its rows, without those that are left out
    frequencies: FrequencySet  # the table, compressed
    thresholds: Thresholds  # what must be satisfied
    # the columns' names
    sensitive: str
    quasi_identifiers: tuple[str, ...]
    weight: str | None
    keep: tuple[str, ...]
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    generalized: tuple[str, ...]  # the quasi-identifiers that have a hierarchy
    hierarchies: HierarchyFiles  # where the hierarchies come from
    ground: Ground | None  # the ground distance as it was named; None if none was
    # the options ``--ground``, ``--order`` and ``--domain`` as they were given, for a command that asks the same
    meaning: dict[str, list[str]]
    written: AllFiles  # how the files are written
    unused: tuple[str, ...]  # columns that have a hierarchy and are not quasi-identifiers
    missing_texts: tuple[str, ...]  # the cells of the table's file that are missing values
    engine: Engine  # within what it was counted or read, and is written

    @classmethod
    def read(
        cls,
        table: str,
        named: Columns,
        *,
        weight: str | None = None,
        numeric: Sequence[str] | None = None,
        categorical: Sequence[str] | None = None,
        hierarchies: Hierarchies,
        every_hierarchy: bool | None,
        thresholds: Thresholds,
        meaning: Meaning,
        written: AllFiles,
        one: str = "one sensitive attribute is decided; name one",
        other_hierarchies: bool = False,
        beside: Sequence[str] = (),
        engine: Engine,
        rows: bool,
        index: str | None = None,
    ) -> TableInputs:
        """Read the options' texts and the files that they name; each as its help says it.

        `InputError` for anything that is not as the option's help says.

        Parameters
        ----------
        table, named, weight, numeric, categorical, hierarchies, thresholds, meaning
            The options.
        every_hierarchy
            Whether each quasi-identifier must have a hierarchy. If not, those need none that are named by ``--numeric``
            or ``--categorical``, nor the others where no folder is given. With None those have one that have a file.
        written
            How the files are written.
        one
            What to say where several sensitive attributes are named.
        other_hierarchies
            Whether the command reads a hierarchy beside those of the quasi-identifiers.
        beside
            Other tables that are written as the options say.
        engine
            Within what the table is counted or read, and written.
        rows
            Whether the command needs the rows in any case; if not, they are counted where they are, and read if asked.
        index
            The column that says which record a row is; with it the rows are needed.
        """
        written = replace(
            written,
            separator=separator_text(written.separator),
            encoding=encoding_name(written.encoding),
            ground_separator=separator_text(written.ground_separator),
            hierarchy_separator=separator_text(written.hierarchy_separator),
        )
        source = open_source(table)

        from tcloseness.microdata import FrequencySet, Microdata
        from tcloseness.microdata.domain import NO_SENSITIVE
        from tcloseness.microdata.roles import Roles
        from tcloseness.microdata.sources import combinations, names

        options = reading_of(
            source,
            written.separator,
            written.encoding,
            meaning.missing_text,
            other_files=bool(hierarchies.hierarchies or hierarchies.hierarchy or other_hierarchies)
            or any(":" in text for text in meaning.ground or ()),
            beside=beside,
            memory=engine.memory,
            threads=engine.threads,
        )
        frame = read_frame(source, options) if rows or not source.paths else None
        if frame is not None and index is not None:
            frame = indexed(frame, index, source.name)
        columns = [str(name) for name in (names(source.handle, options) if frame is None else frame.columns)]
        qi = column_names([text for text in named.quasi_identifiers if text], columns, "--quasi-identifiers")
        if not qi:
            raise InputError("--quasi-identifiers names no column, so there is nothing to generalize; name one")
        named_sensitive = column_names(named.sensitive or (), columns, "--sensitive")
        sa = _one(named_sensitive, one) if named_sensitive else NO_SENSITIVE
        identifying = column_names(named.identifying or (), columns, "--identifying")
        if index is not None and index in (*qi, *named_sensitive, *identifying):
            raise InputError(
                f"--index {index} says which record a row is, so {index!r} has no other role; name another"
            )
        per = {
            option: per_column(given or (), named_sensitive, option, what, alone=option == "--ground")
            for option, given, what in (
                ("--ground", meaning.ground, "DISTANCE"),
                ("--order", meaning.order, "LOW,…,HIGH"),
                ("--domain", meaning.domain, "VALUE,…"),
            )
        }
        named_roles: dict[str, Any] = {
            "quasi_identifiers": qi,
            "sensitive": named_sensitive or None,
            "identifying": identifying,
            "weight": weight,
            "missing": meaning.missing.value,
            "orders": {name: items(text, "--order") for name, text in per["--order"].items()},
            "domains": {name: items(text, "--domain") for name, text in per["--domain"].items()},
            "merge_spellings": column_names(meaning.merge_spellings or (), columns, "--merge-spellings"),
        }
        if frame is None:
            with reading_bar(source.name) as progress:
                asked = Roles.of(**named_roles)
                found = combinations(source.handle, asked.by_column, options=replace(options, progress=progress))
            counted = replace(FrequencySet.of_combinations(found, asked), reader=lambda: rows_of()[1])
            source = replace(source, known=counted.origin.files[0][1] if len(source.paths) == 1 else "")
        else:
            counted = FrequencySet.of(Microdata.from_frame(frame, **named_roles))

        def rows_of() -> tuple[pd.DataFrame, Microdata]:
            lines, table = frame, counted.table
            if lines is None or table is None:
                lines = read_frame(source, options)
                if [digest(path) for path in source.paths] != [sha256 for _, sha256 in counted.origin.files]:
                    raise TableError(f"table {source.name} has changed since it was counted; run the command again")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", TableWarning)  # of which was told when it was counted
                    table = Microdata.from_frame(lines, **named_roles)
            whole = meaning.missing is not Missing.DROP
            return lines if whole else lines[~lines[[*qi, *named_sensitive]].isna().any(axis=1)], table

        ground = per["--ground"].get(sa)
        of_qi = {
            option: _among(column_names(given or (), qi, option), qi, option)
            for option, given in (
                ("--suppress-only", hierarchies.suppress_only),
                ("--numeric", numeric),
                ("--categorical", categorical),
            )
        }
        files = HierarchyFiles(
            hierarchies.hierarchies,
            per_column(hierarchies.hierarchy or (), qi, "--hierarchy", "FILE"),
            of_qi["--suppress-only"],
            written.hierarchy_separator,
            written.encoding,
            written.hierarchy_ragged.value,
            bool(every_hierarchy),
        )
        generalized = tuple(qi) if every_hierarchy else _generalized(qi, files, of_qi)
        if every_hierarchy is None:
            generalized = tuple(name for name in generalized if name in files.bare or files.has_file(name))
        # asked here, so that what is missing is said before any work, and nothing is written over the rest
        if not files.paths(generalized) and not other_hierarchies:
            refuse_levels_unread(written)
        grounds = grounds_of(
            [] if ground is None else [ground],
            separator=written.ground_separator,
            ragged=written.ragged,
            encoding=written.encoding,
            other_files=True,
        )
        roles = dict.fromkeys(qi, "quasi-identifier") | dict.fromkeys(named_sensitive, "sensitive")
        if weight is not None:
            roles[weight] = "weight"
        for name in identifying:
            if name in (named.keep or ()):
                raise InputError(
                    f"--keep names {name!r}, which --identifying says is never published; give one of them"
                )
        return cls(
            source,
            tuple(columns),
            rows_of,
            counted,
            thresholds,
            sa,
            tuple(qi),
            weight,
            _kept(column_names(named.keep or (), columns, "--keep"), columns, roles),
            of_qi["--numeric"],
            of_qi["--categorical"],
            generalized,
            files,
            grounds[0] if grounds else None,
            {option: [f"{name}={text}" for name, text in given.items()] for option, given in per.items()},
            written,
            tuple(name for name in files.unused(generalized, columns) if name not in named_sensitive),
            ("", *(meaning.missing_text or ())),
            engine,
        )

    @property
    def sensitive_columns(self) -> list[str]:
        """The sensitive column, where one was named."""
        return [self.sensitive] * bool(self.sensitive)

    @cached_property
    def _rows(self) -> tuple[pd.DataFrame, Microdata]:
        return self.rows_of()

    @property
    def frame(self) -> pd.DataFrame:
        """The rows, without those that were left out for missing values."""
        return self._rows[0]

    @property
    def table(self) -> Microdata:
        """The same rows with their roles."""
        return self._rows[1]

    @cached_property
    def reading(self) -> ReadingOptions:
        """How the table is read again, and within what an engine works."""
        from tcloseness.microdata.combinations import Options

        engine = self.engine
        return Options(self.written.separator, None, self.missing_texts, engine.memory, engine.threads)

    def with_rows(self, frame: pd.DataFrame, table: Microdata) -> TableInputs:
        """Return the same with the rows in another order."""
        from tcloseness.microdata import FrequencySet

        return replace(self, rows_of=lambda: (frame, table), frequencies=FrequencySet.of(table))

    @cached_property
    def distance(self) -> GroundDistance | None:
        """The ground distance over the sensitive attribute's values; None if none was named."""
        if self.ground is None:
            return None
        classes = self.frequencies.class_counts()
        return self.ground.over(classes.domain, column=self.sensitive, records=classes.reference.tolist())

    @property
    def measured_by(self) -> GroundDistance | str:
        """What the table is measured by: the ground distance, or what stands for one where none was named."""
        from tcloseness.ground import IF_NONE

        return self.distance or IF_NONE

    @property
    def ground_name(self) -> str:
        """The ground distance as text."""
        return f"{self.measured_by} (none was named)" if self.ground is None else self.ground.text(self.distance)

    def model(self) -> Any:
        """Return the model that asks for all thresholds."""
        return self.thresholds.model(self.distance, self.sensitive)

    def rolled_up(self, clock: Clock | None = None) -> RollUp:
        """Return the table under its lattice, prepared within a clock's limits."""
        from tcloseness.lattice import RollUp

        return RollUp(self.frequencies, self.read_hierarchies(), time_limit=clock)

    def read_hierarchies(self) -> dict[str, Hierarchy]:
        """Return the hierarchy of each quasi-identifier that has one."""
        domains = {name: self.frequencies.domains[name] for name in self.generalized}
        return self.hierarchies.read(domains, {name: self.frequencies.records_of(name) for name in domains})

    def require_numbers(self) -> None:
        """Raise `InputError` unless the columns that ``--numeric`` names hold numbers or dates alone."""
        from tcloseness.release.attributes import require_numeric

        for column in self.table.quasi_identifiers:
            if column.name in self.numeric:
                try:
                    require_numeric(column)
                except TableError as error:
                    raise InputError(f"--numeric names {column.name!r}: {error}") from error

    def assumed(self) -> dict[str, str]:
        """Return what was read, by name, as text."""
        found, files = self.frequencies, self.hierarchies
        dropped = f", {counted(found.dropped, 'row')} dropped for missing values" if found.dropped else ""
        said = found.conventions
        return {
            "table": f"{self.source.name}, {counted(found.total_rows, 'record')}{dropped}",
            "sensitive": self.sensitive or "none was named",
            **{name: said[name] for name in ("columns without a role", "spellings") if name in said},
            **({"ground distance": self.ground_name} if self.sensitive_columns else {}),
            **({"hierarchies": files.folder or "each by its own option"} if self.generalized else {}),
            **({"not used": f"the hierarchies of {', '.join(self.unused)}"} if self.unused else {}),
        }

    def recheck(self, quasi_identifiers: Sequence[str]) -> dict[str, list[str]]:
        """Return the options of ``tcloseness check`` that ask for the same of a released table with these columns."""
        ground, files = self.meaning["--ground"], self.written
        return {
            "--quasi-identifiers": _listed(quasi_identifiers),
            "--sensitive": self.sensitive_columns,
            **self.thresholds.given,
            **{option: texts for option, texts in self.meaning.items() if texts},
            **({"--ground-separator": [files.ground_separator]} if ground and files.ground_separator else {}),
            **({"--ragged": [files.ragged.value]} if ground and files.ragged.value != "error" else {}),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return what was read, as JSON-ready data."""
        return {
            "table": {"file": file_name(self.source.name), "sha256": self.source.sha256 or None},
            "records": self.frequencies.records,
            "dropped": self.frequencies.dropped,
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": self.sensitive or None,
            "thresholds": self.thresholds.exact,
            "ground_distance": ground_record(self.ground, self.distance),
            "hierarchies": self.hierarchies.to_dict(self.generalized),
        }


def _listed(names: Sequence[str]) -> list[str]:
    """Return one list with commas, or where a name could be misread in it, each name by itself."""
    joined = ",".join(names)
    plain = items(joined, "--quasi-identifiers") == list(names) if all(names) and '"' not in joined else False
    return [joined] if plain and joined not in names[1:] else list(names)


def _one(names: Sequence[str], told: str) -> str:
    if len(names) != 1:
        raise InputError(f"--sensitive names {len(names)} columns ({', '.join(names)}), and {told}")
    return names[0]


def _generalized(qi: Sequence[str], files: HierarchyFiles, of_qi: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the quasi-identifiers that have a hierarchy, or should have one."""
    told: dict[str, str] = {}
    for option, names in (("--hierarchy", list(files.files)), *of_qi.items()):
        for name in names:
            if name in told:
                raise InputError(f"{told[name]} and {option} both say how {name!r} is generalized; give one of them")
            told[name] = option
    free = ("--numeric", "--categorical")
    return tuple(name for name in qi if told.get(name) not in free and (files.folder is not None or name in told))


def _among(names: Sequence[str], qi: Sequence[str], option: str) -> tuple[str, ...]:
    for name in names:
        if name not in qi:
            raise InputError(f"{option} names {name!r}, which is not a quasi-identifier; they are {', '.join(qi)}")
    return tuple(names)


def _kept(names: Sequence[str], columns: Sequence[str], roles: dict[str, str]) -> tuple[str, ...]:
    known: Collection[str] = set(columns)
    for name in names:
        if name in roles:
            raise InputError(f"--keep names {name!r}, the {roles[name]} column, which is written anyway; leave it out")
        if name not in known:
            raise InputError(f"--keep names {name!r}, and the table has no such column; it has {', '.join(columns)}")
        if list(columns).count(name) > 1:
            raise InputError(f"--keep names {name!r}, and the table has several columns of that name; rename them")
    return tuple(dict.fromkeys(names))
