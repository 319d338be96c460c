"""`Published`: what every answer offers that has a release."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcloseness.displayed import Displayed
from tcloseness.microdata import ClassCounts

if TYPE_CHECKING:
    import narwhals as nw

    from tcloseness.release.release import Release

__all__ = ["Published"]


class Published(Displayed):
    """An answer with a release: an optimum, a heuristic's table, a node of a lattice, or a release itself."""

    @property
    def _withheld(self) -> Collection[str]:
        return self.classes._withheld

    def _frame_rows(self) -> Iterable[Mapping[str, Any]]:
        """Return the cells of the published classes."""
        return self.classes._frame_rows()

    @property
    def release(self) -> Release:
        """What is published, beside the original."""
        raise NotImplementedError

    @property
    def table(self) -> pd.DataFrame:
        """The published table as a frame, see `Release.table`."""
        return self.release.table

    @property
    def classes(self) -> ClassCounts:
        """The published classes' counts; Q is that of all records."""
        return self.release.classes

    def losses(self, **options: Any) -> dict[str, Any]:
        """Return what the release costs, by the loss's name: `tcloseness.loss.losses` of it, with its options."""
        room = importlib.import_module("tcloseness.loss")  # a room above this one, which is loaded when it is asked for
        found: dict[str, Any] = room.losses(self.release, **options)
        return found

    def check(self, **asked: Any) -> Any:
        """Say what the published table gives away: `tcloseness.check` of it, with Q that of all records.

        Parameters
        ----------
        asked
            As for `tcloseness.check`; t needs ``ground={"salary": "ordered"}``, or what else was meant.
        """
        room = importlib.import_module("tcloseness.audit")  # above this one too
        return room.check(self.release.released, **{"reference": "all", **asked})

    def sql(self, table: str, *, keep: Sequence[str] = ()) -> str:
        """Return a statement of SQL that makes the published rows where the table is, for an engine of one's own.

        Parameters
        ----------
        table
            What stands after ``from``: the table's name in the engine, or ``read_parquet('…')``. Its columns must have
            the values that were counted, of the same types, and texts no collation by which two of them are equal.
        keep
            Further columns that are shown as they are.

        Returns
        -------
        str
            In the dialect of DuckDB, and of others that know ``is not distinct from``. The rows are sorted by what they
            show, so that their order shows nothing else. Where rows with missing cells were left out of the count, rows
            in which such a cell is null are left out. A row for which the release has no label, or the sensitive value
            of which was not counted, is an error of the engine, which names it in the text that it cannot cast to a
            number.

        Raises
        ------
        TableError
            Where records of equal values are shown in different ways, or a value cannot stand in SQL.

        Examples
        --------
        >>> from tcloseness import FrequencySet, Release
        >>> original = FrequencySet.from_counts({("21", 3): 2}, quasi_identifiers="age", sensitive="salary")
        >>> print(Release.full_domain(original).sql("people")[:41])
        with m0(v0, l0) as (values ('21', '21')),
        """
        from tcloseness.release.statement import statement

        return statement(self.release, table, keep)

    def expressions(self, *, uncovered: str | None = None) -> list[nw.Expr]:
        """Return narwhals expressions, one for each column that the release changes, for a frame of one's own.

        ``narwhals.from_native(frame).with_columns(*release.expressions())`` shows each row as it is published. Columns
        that have no role stay: select what is to be published. The order of the rows stays too, and links them to
        persons: sort by all columns that are published. Rows that were left out of the count for a missing sensitive
        value are to be left out of the frame.

        Parameters
        ----------
        uncovered
            What a row shows for which the release has no label. None (default) lets the engine raise an error, as
            Polars, pandas and Arrow do; engines of SQL (DuckDB, PySpark, Ibis) need a text here, and no row may show
            it.

        Raises
        ------
        TableError
            Where records of equal values are shown in different ways, or the text is a label.
        """
        from tcloseness.release.statement import expressions

        return expressions(self.release, uncovered)

    def write(
        self,
        file: str | PathLike[str],
        source: Any = None,
        *,
        keep: Sequence[str] = (),
        separator: str | None = None,
        force: bool = False,
        source_separator: str | None = None,
        encoding: str | None = None,
        missing_texts: Sequence[str] | None = None,
        memory: int | str | None = None,
        threads: int | None = None,
        temporary: str | PathLike[str] | None = None,
    ) -> None:
        """Write the published rows, sorted by what they show: Parquet by the name ``.parquet``, else CSV.

        CSV is that of ``rows().to_csv()``. In Parquet quasi-identifiers are texts, other columns have the types of
        their values, and a missing value is null.

        Parameters
        ----------
        file
            The file; it is written whole or not at all.
        source
            The files that were counted, as for `tcloseness.FrequencySet.read`: needed for columns that the release
            does not know alone, since without it the rows are made of the counts.
        keep
            Further columns of the source that are shown as they are, such as that of the weights.
        separator
            Of CSV; by default a tab in a file named ``.tsv``, else a comma.
        force
            Whether an existing file may be overwritten.
        source_separator, encoding, missing_texts, memory, threads, temporary
            As for `tcloseness.FrequencySet.read`, of the source.

        Raises
        ------
        TableError
            For a row of the source that the release does not cover, or a source of another table; or where records of
            equal values are shown in different ways, and a source is given.
        InputError
            If the file cannot be written.
        LimitReached
            If the memory does not suffice.
        """
        from tcloseness.microdata.combinations import Options
        from tcloseness.release.writing_back import write_release

        options = Options(source_separator, encoding, missing_texts, memory, threads, temporary)
        write_release(self.release, file, source, keep=keep, separator=separator, force=force, options=options)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-ready data, without the rows."""
        raise NotImplementedError

    def record(self) -> dict[str, Any]:
        """Return the answer and its release as JSON-ready data, without the rows: to be kept beside the table."""
        release = self.release
        return self.to_dict() if release is self else {**self.to_dict(), "release": release.to_dict()}
