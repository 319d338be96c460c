"""Published tables as ``tcloseness attack`` reads them: alone, by the record beside one, or beside their original."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tcloseness.cli.arguments import (
    Source,
    column_names,
    open_source,
    per_column,
    read_frame,
    reading_of,
    refuse_unused,
)
from tcloseness.cli.grounds import grounds_of
from tcloseness.cli.hierarchies import HierarchyFiles, refuse_levels_unread
from tcloseness.cli.losses import NAMES, OF_CLASSES, loss_given
from tcloseness.cli.options import AllFiles, Columns, Engine, Hierarchies, Meaning
from tcloseness.cli.output import file_name
from tcloseness.cli.records_beside import Record, is_file, second_table
from tcloseness.cli.released import sidecar_name
from tcloseness.cli.table_inputs import TableInputs
from tcloseness.cli.thresholds import Thresholds
from tcloseness.cli.two_tables import TwoTables, drawn_l
from tcloseness.errors import InputError, NotCertified, TableError, warn

if TYPE_CHECKING:
    import pandas as pd

    from tcloseness.attacks import Disclosure, LinkedRelease
    from tcloseness.certificates import Reading
    from tcloseness.limits import Clock
    from tcloseness.loss import Loss
    from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
    from tcloseness.models import PrivacyModel
    from tcloseness.optimal import Answer
    from tcloseness.release import Anonymized, Release
    from tcloseness.release.unaligned import UnalignedRelease

__all__ = ["Original", "ReadRelease"]


@dataclass(frozen=True, eq=False)
class ReadRelease:
    """A published table, and how it was asked for."""

    source: Source
    frame: pd.DataFrame
    quasi_identifiers: tuple[str, ...]
    sensitive: str
    marker: str | None  # what suppressed records show
    made: Mapping[str, tuple[int, int] | None]  # by the record, whose labels are tight, and their grids
    told: Mapping[str, str]  # what was taken from where
    meaning: Meaning
    written: AllFiles
    hierarchies: Hierarchies
    two: TwoTables | None = None  # if the sensitive values are in a second file
    second: Source | None = None  # that file
    beside: Sequence[str] = ()  # the tables that are written as the options say

    @classmethod
    def of(
        cls,
        file: str,
        quasi_identifiers: Sequence[str] | None,
        sensitive: str | None,
        values: str | None = None,
        *,
        suppressed: str | None,
        meaning: Meaning,
        written: AllFiles,
        hierarchies: Hierarchies,
        beside: Sequence[str] = (),
    ) -> ReadRelease:
        """Read a release; `InputError` where its columns are neither named nor in a record beside it."""
        from tcloseness.microdata.domain import NO_SENSITIVE

        source = _opened(file)
        frame = read_frame(source, _options(source, meaning, written, hierarchies, beside))
        columns = list(map(str, frame.columns))
        record = Record.beside(source)
        if record is None and not quasi_identifiers:
            raise InputError(
                f"there is no record of anonymize beside {file_name(file)} that is of this very file; name its columns "
                "with --quasi-identifiers, and --sensitive where it has such a column"
            )
        named = record.sensitive if sensitive is None and record is not None else sensitive
        if values is None and record is not None and record.second is not None and named not in columns:
            values = second_table(source, *record.second)
        elif (
            values is not None
            and record is not None
            and record.second is not None
            and Path(values).is_file()  # a pipe can be read only once
            and not is_file(values, record.second[1])
        ):
            warn(
                f"{file_name(values)} is not the table of sensitive values that the record beside {file_name(file)} "
                "names; what is said is about the one that was given"
            )
        other = None if values is None else _opened(values)
        second = None if other is None else read_frame(other, _options(other, meaning, written, hierarchies, beside))
        names = quasi_identifiers or ([] if record is None else record.quasi_identifiers)
        qi = column_names([text for text in names if text], columns, "--quasi-identifiers")
        if second is not None and named is None:
            raise InputError("--sensitive-table was given, and no sensitive column is named; give --sensitive")
        of_values = columns if second is None else list(map(str, second.columns))
        sa = NO_SENSITIVE if named is None else column_names([named], of_values, "--sensitive")[0]
        two = None
        if second is not None and values is not None:
            two = TwoTables.of([(file, frame), (values, second)], qi, sa, meaning.missing)
        made: dict[str, tuple[int, int] | None] = {}
        if record is not None:
            made = {name: grid for name, grid in record.made.items() if name in qi}
            suppressed = record.marker if suppressed is None else suppressed
        told = {} if record is None else {"record beside it": file_name(sidecar_name(source.name))}
        return cls(
            source, frame, tuple(qi), sa, suppressed, made, told, meaning, written, hierarchies, two, other, beside
        )

    def refuse_unread(self, table: str | None) -> None:
        """Raise `InputError` for an option about hierarchies, ground distances or values that nothing would obey."""
        if not self._with_hierarchies:
            refuse_levels_unread(self.written)
        if table is None:
            grounds_of([], separator=self.written.ground_separator, ragged=self.written.ragged, encoding=None)
            given = {f"--{name}": getattr(self.meaning, name) for name in ("ground", "order", "domain")}
            refuse_unused(given, "--table was not, so that nothing is made again")

    def another(self, file: str) -> ReadRelease:
        """Read another release of the same persons: of the same quasi-identifiers, those that it has."""
        source = _opened(file)
        frame = read_frame(source, _options(source, self.meaning, self.written, self.hierarchies, self.beside))
        columns = set(map(str, frame.columns))
        names = tuple(name for name in self.quasi_identifiers if name in columns)
        if not names:
            raise InputError(f"{file_name(file)} has none of the columns {', '.join(self.quasi_identifiers)}")
        if self.sensitive and self.sensitive not in columns:
            raise InputError(f"{file_name(file)} has no column {self.sensitive!r}; rename its sensitive column")
        record = Record.beside(source)
        marker = self.marker if record is None else record.marker
        return replace(self, source=source, frame=frame, quasi_identifiers=names, marker=marker)

    # ------------------------------------------------------------------ what it shows

    def _microdata(self, frame: pd.DataFrame) -> Microdata:
        from tcloseness.microdata import Microdata

        return Microdata.from_frame(
            frame,
            quasi_identifiers=self.quasi_identifiers,
            sensitive=self.sensitive or None,
            missing=self.meaning.missing.value,
            suppressed=self.marker,
        )

    @cached_property
    def released(self) -> FrequencySet:
        """The published table; suppressed records are marked in it."""
        from tcloseness.microdata import FrequencySet

        return FrequencySet.of(self._microdata(self.frame))

    def by_labels(
        self, level: Literal["labels", "tight"], names: Sequence[str] | None, table: str | None, *, want: bool
    ) -> tuple[Disclosure, str | None]:
        """Return what its labels disclose, and the certificate if it is wanted."""
        from tcloseness.attacks.published import PublishedLabels

        tight = self.made if names is None else dict.fromkeys(names)
        if table is None:
            labels = PublishedLabels.of(self.released, self._hierarchies(), tight)
        else:
            original = Original(self, table)
            labels = PublishedLabels.of(original.release_of(self), original.hierarchies, tight)
        found = labels.disclosed(level)
        if not want:
            return found, None
        rows = {name: self._rows_of_hierarchy(name) for name in self._files.paths(self._with_hierarchies)}
        return found, found.certified(self.source.content, self.reading, rows)

    def drawn_in_order(self, thresholds: Thresholds, *, by_rows: bool, want: bool) -> tuple[Disclosure, str | None]:
        """Return what two tables disclose whose records were drawn in order, and the certificate if it is wanted."""
        assert self.two is not None
        found = self.two.drawn_in_order(drawn_l(thresholds, self.sensitive), by_rows=by_rows)
        if not want:
            return found, None
        assert self.second is not None
        readings = (self.reading, self._reading_of(self.second))
        return found, found.certified(self.source.content, self.second.content, readings)

    def by_key(self, key: str) -> LinkedRelease:
        """Return it with the persons that a column names."""
        from tcloseness.attacks.published import linked_by_key

        if key not in self.frame.columns:
            raise InputError(f"--key names {key!r}, and {file_name(self.source.name)} has no such column")
        if key in (*self.quasi_identifiers, self.sensitive):
            raise InputError(f"--key names {key!r}, which is a quasi-identifier or the sensitive column")
        return linked_by_key(self._microdata(self.frame.set_index(key)), self.released)

    # ------------------------------------------------------------------ its file and those of hierarchies

    @property
    def reading(self) -> Reading:
        """How a checker reads the file."""
        return self._reading_of(self.source)

    def _reading_of(self, source: Source) -> Reading:
        from tcloseness.certificates import Reading
        from tcloseness.microdata.sources.files import is_parquet
        from tcloseness.microdata.text_files import ENCODING, separator_of

        if is_parquet(source.head, source.one) or len(source.paths) > 1:
            raise NotCertified(
                f"not certified: checkers read CSV files, and {file_name(source.name)} is not one; write the release "
                "as CSV"
            )
        written = self.written
        return Reading(
            separator_of(written.separator, source.one, "", InputError),
            written.encoding or ENCODING,
            ("", *(self.meaning.missing_text or ())),
            self.meaning.missing.value,
            None,
            written.hierarchy_separator,
            written.hierarchy_ragged.value,
        )

    @property
    def _files(self) -> HierarchyFiles:
        given, written = self.hierarchies, self.written
        return HierarchyFiles(
            given.hierarchies,
            per_column(given.hierarchy or (), self.quasi_identifiers, "--hierarchy", "FILE"),
            (),
            written.hierarchy_separator,
            written.encoding,
            written.hierarchy_ragged.value,
            needed=False,
        )

    @property
    def _with_hierarchies(self) -> list[str]:
        """The quasi-identifiers that have a file."""
        files = self._files
        return [name for name in self.quasi_identifiers if files.has_file(name)]

    def _hierarchies(self) -> dict[str, Hierarchy]:
        if self.hierarchies.suppress_only:
            raise InputError("--suppress-only is about values of the table, and none is given; give --table too")
        return {name: self._files.alone(name) for name in self._with_hierarchies}

    def _rows_of_hierarchy(self, name: str) -> Sequence[Sequence[str]]:
        from tcloseness.certificates import levels_of

        path = self._files.paths([name])[name]
        return levels_of(Path(path).read_bytes(), name, self.reading, file=path)


class Original:
    """The table that releases were made of."""

    def __init__(self, read: ReadRelease, table: str, thresholds: Thresholds | None = None, method: str = "") -> None:
        self.read = read
        given = read.hierarchies
        free = [name for name in read.quasi_identifiers if name not in read._with_hierarchies]
        suppressed = given.suppress_only or ()
        self.inputs = TableInputs.read(
            table,
            Columns(list(read.quasi_identifiers), [read.sensitive] if read.sensitive else None),
            numeric=[],
            categorical=[],
            hierarchies=replace(
                given, hierarchies=None, hierarchy=[f"{name}={path}" for name, path in self._paths().items()]
            ),
            every_hierarchy=method == "datafly" and not set(free) - set(suppressed),
            thresholds=thresholds or Thresholds({}),
            meaning=read.meaning,
            written=read.written,
            beside=read.beside,
            engine=Engine(),
            rows=True,
        )

    def _paths(self) -> dict[str, str]:
        return self.read._files.paths(self.read._with_hierarchies)

    @cached_property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """Those of the quasi-identifiers that have one."""
        return self.inputs.read_hierarchies()

    def release_of(self, read: ReadRelease) -> UnalignedRelease:
        """Return a published table beside its original; whose row is whose is not known."""
        from tcloseness.microdata import FrequencySet, Microdata
        from tcloseness.release.foreign import read_labels

        frame = self.inputs.frame
        mine = Microdata.from_frame(
            frame.set_axis(range(1, len(frame) + 1)),
            quasi_identifiers=read.quasi_identifiers,
            sensitive=read.sensitive or None,
            missing=read.meaning.missing.value,
        )
        own = {name: each for name, each in self.hierarchies.items() if name in read.quasi_identifiers}
        return read_labels(FrequencySet.of(mine), read.frame, own, suppressed=read.marker)

    def linked(self, read: ReadRelease, clock: Clock) -> LinkedRelease:
        """Return a published table with the rows of the original that quasi-identifiers place in its classes."""
        from tcloseness.attacks.placed import placed

        return placed(self.release_of(read), time_limit=clock)

    # ------------------------------------------------------------------ what is run again

    def model(self) -> PrivacyModel:
        """Return the model of the thresholds."""
        found: PrivacyModel = self.inputs.model()
        return found

    def full_domain(self, level: str) -> Release:
        """Return the release as whole levels of the hierarchies; `InputError` if it is not one."""
        from tcloseness.release import Release
        from tcloseness.release.labels_alone import is_written_as

        read = self.release_of(self.read)
        levels = {name: level for name, level in read.levels.items() if level is not None}
        if len(levels) < len(read.levels) or read.suppressed:
            raise InputError(
                f"--level {level} is about a release of whole levels without suppression, and this one suppresses "
                "records or shows labels of several levels; give --level code and its method"
            )
        found = Release.full_domain(self.inputs.frequencies, self.hierarchies, levels)
        if not is_written_as(found, self.read.frame):
            raise TableError("the release shows other records at these levels than the table has")
        return found

    def loss(self, name: str, *, classes: bool) -> Loss:
        """Return the loss that ``--loss`` names, of nodes or of classes."""
        from tcloseness.loss.names import loss_named

        found = loss_given(name, "--loss", OF_CLASSES if classes else NAMES)
        if not isinstance(found, str):
            return found
        k = self.inputs.thresholds.number("k")
        return loss_named(
            found,
            k=None if k is None else int(k),
            numeric=None if classes else self.inputs.numeric,
            classes=classes,
        )

    def best_partition(
        self, model: PrivacyModel, loss: Loss, clock: Clock
    ) -> tuple[Answer[Anonymized], Callable[[Microdata], Answer[Anonymized]]]:
        """Return the release as a partition of least loss, and what finds one of a table.

        `InputError` if quasi-identifiers alone do not say who is in which class, if the labels are not those of the
        partition, or if another partition has less loss.
        """
        from tcloseness.exact import number_text
        from tcloseness.models.protocol import value_texts
        from tcloseness.optimal import Infeasible, optimal_partition
        from tcloseness.release import Partition, attributes_of, verified
        from tcloseness.release.labels_alone import is_written_as

        table = self.inputs.table
        members = self.linked(self.read, clock).members
        if len(members) < len(table):
            raise InputError(
                f"{len(table) - len(members)} of {len(table)} records fit several classes of RELEASE or none, so that "
                "its partition is not known; ask what_it_gives_away in Python, with the answer that made it"
            )
        groups: dict[Any, list[int]] = {}
        for row in range(len(table)):
            groups.setdefault(members[row + 1], []).append(row)
        partition = Partition.of(table, list(groups.values()))
        said = model.evaluate(partition.class_counts()).status
        if said != "satisfied":
            raise InputError(f"in RELEASE {model.name} is {said}; give the thresholds by which it was made")
        attributes = attributes_of(table, self.hierarchies)
        mine = verified(partition, model, method="published", attributes=attributes)
        if not is_written_as(mine.release, self.read.frame):
            raise InputError(
                "RELEASE does not show the sensitive values of --table under the least labels of each class, as a "
                "partition of least loss does; give --among nodes, or --level code and its method"
            )

        def run(world: Microdata) -> Answer[Anonymized]:
            return optimal_partition(world, model, loss, hierarchies=self.hierarchies, seed=0, time_limit=clock)

        found = run(table)
        own = loss.evaluate(mine.release).value
        if isinstance(found, Infeasible) or own != found.objective:
            least = "" if isinstance(found, Infeasible) else f", and the least is {number_text(found.objective)}"
            raise InputError(f"the {loss.name} of RELEASE is {value_texts(own)['value']}{least}; it is not optimal")
        return replace(found, solution=mine), run

    def method(self, name: str, model: PrivacyModel, seed: int | None) -> Callable[[Microdata], Any]:
        """Return what makes a release of a table."""
        from tcloseness.methods import run_method

        ground = None if self.inputs.ground is None else self.inputs.ground.spec
        return lambda table: run_method(name, table, model, self.hierarchies, ground=ground, seed=seed)

    def released_by(self, run: Callable[[Microdata], Any]) -> Any:
        """Return what the method makes of the table; `InputError` unless that is the release."""
        from tcloseness.release import Anonymized
        from tcloseness.release.labels_alone import is_written_as

        made = run(self.inputs.table)
        alone, two = isinstance(made, Anonymized), self.read.two
        if alone == (two is not None):
            raise InputError(
                f"the method makes {'one table' if alone else 'two tables'}, and RELEASE is "
                f"{'one of two' if two else 'one'}; give its method, and of two tables the other with --sensitive-table"
            )
        same = is_written_as(made.release, self.read.frame) if two is None else two.shows(made)
        if not same:
            raise InputError(
                "the method makes another release of --table than RELEASE; give the thresholds, the hierarchies and "
                "the seed by which it was made (what was drawn with a secret seed nobody can draw again)"
            )
        return made


def _opened(file: str) -> Source:
    """Return a table of which is known what its bytes are, if it is one file."""
    source = open_source(file)
    return replace(source, known=source.sha256)


def _options(
    source: Source, meaning: Meaning, written: AllFiles, hierarchies: Hierarchies, beside: Sequence[str]
) -> Any:
    return reading_of(
        source,
        written.separator,
        written.encoding,
        meaning.missing_text,
        other_files=bool(hierarchies.hierarchies or hierarchies.hierarchy),
        beside=beside,
    )
