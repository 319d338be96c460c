"""What was made of a table, ready to be written: the files, the record of what was done, the command that re-checks."""

from __future__ import annotations

import codecs
import hashlib
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcloseness.cli.arguments import Format
from tcloseness.cli.command import without_folders
from tcloseness.cli.output import file_name, print_json, result_console
from tcloseness.displayed import counted
from tcloseness.errors import InputError, TableError
from tcloseness.writing import Draft, drafted, write_files

if TYPE_CHECKING:
    from tcloseness.cli.proofs import Proved
    from tcloseness.cli.table_inputs import TableInputs
    from tcloseness.loss import Loss, LossResult
    from tcloseness.microdata import ClassCounts
    from tcloseness.models import PrivacyModel
    from tcloseness.release import Anonymized, Release
    from tcloseness.release.rows import AnonymizedTable
    from tcloseness.report.disclosure_text import GivenAway
    from tcloseness.report.release_text import Evaluated, Measured

__all__ = [
    "ReleaseFile",
    "Released",
    "check_command",
    "is_parquet_name",
    "recorded",
    "release_files",
    "sidecar_name",
    "sidecar_text",
    "warn_of_suppressed",
]

_SUFFIXES = (".csv", ".tsv", ".parquet", ".txt")

_MANY = 50_000
"""From so many rows on, DuckDB writes what the counts say: it takes longer to start, and much less for each row."""


def sidecar_name(output: str) -> str:
    """Return the name of the file that says what was done: the table's, with ``.json`` in place of its suffix."""
    return str(Path(output).with_suffix(".json"))


def release_files(output: str | None) -> list[str]:
    """Return the files that ``--output`` writes; `InputError` unless ``check`` reads it, by its suffix, as a table."""
    if output is not None and not output.endswith(_SUFFIXES):
        raise InputError(f"output {output!r} must end in {', '.join(_SUFFIXES[:-1])} or {_SUFFIXES[-1]}: it is a table")
    return [] if output is None else [output, sidecar_name(output)]


def sidecar_text(record: Mapping[str, Any]) -> bytes:
    """Return what was done as the bytes of its file."""
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class ReleaseFile:
    """An anonymized table to write."""

    name: str
    rows: int  # how many it has
    marker: str | None  # what suppressed records show in all quasi-identifiers
    empty: frozenset[str]  # the columns of which a cell is empty
    content: bytes | Draft  # the file's bytes
    left_out: tuple[str, ...]  # the columns of the table that was read that are not written
    encoding: str  # of the bytes

    @classmethod
    def of(cls, name: str, rows: AnonymizedTable, inputs: TableInputs, *, elsewhere: Sequence[str] = ()) -> ReleaseFile:
        """Return the file of rows in the order of the table, with the weights and what is kept; sorted when written.

        Columns are in the order of the table that was read; what that did not have comes last. Those that stand
        elsewhere, in another file, are not left out.

        `InputError` if the table cannot be written in its encoding.
        """
        from tcloseness.release.rows import cell_text

        frame = inputs.frame
        more = [*([inputs.weight] if inputs.weight is not None else []), *inputs.keep]
        cells = {each: list(map(cell_text, frame[each])) for each in more}
        whole = rows.with_columns(cells)
        columns = [str(each) for each in frame.columns]
        added = [each for each in whole.columns if each not in columns]
        whole = whole.in_order([*(each for each in columns if each in whole.columns), *added])
        left_out = tuple(each for each in columns if each not in whole.columns and each not in elsewhere)
        typed: dict[str, Sequence[object]] = {each: frame[each].tolist() for each in more}
        for each in inputs.sensitive_columns:
            if each in whole.columns:  # a value that was counted: a float that is whole is a whole number
                typed[each] = inputs.frequencies.domains[each].values
        return cls._written(name, whole, inputs, left_out, typed)

    @classmethod
    def alone(cls, name: str, rows: AnonymizedTable, inputs: TableInputs) -> ReleaseFile:
        """Return the file of rows that are not rows of the table that was read."""
        return cls._written(name, rows, inputs, (), {})

    @classmethod
    def _written(
        cls,
        name: str,
        rows: AnonymizedTable,
        inputs: TableInputs,
        left_out: tuple[str, ...],
        typed: Mapping[str, Sequence[object]],
    ) -> ReleaseFile:
        """Return the file of rows as they are; in Parquet some columns have the types of the given cells."""
        empty = frozenset(each for each in rows.columns if rows.has_empty([each]))
        content: bytes | Draft
        if is_parquet_name(name):
            from tcloseness.release.writing_back import write_rows

            made = drafted(name)
            write_rows(rows, made.path, name, typed, inputs.reading)
            content, encoding = made, "utf-8"
        else:
            content, encoding = _encoded(name, rows, inputs), _encoding(inputs)
        return cls(name, len(rows), rows.marker, empty, content, left_out, encoding)

    @classmethod
    def of_release(cls, name: str, release: Release, inputs: TableInputs) -> ReleaseFile:
        """Return the file of a release of the table, written by DuckDB where there are many rows.

        `InputError` if the table cannot be written in its encoding.
        """
        if release.records >= _MANY and (is_parquet_name(name) or _encoding(inputs) == "utf-8"):
            from tcloseness.microdata.sources.duckdb_engine import LeftError

            with suppress(TableError, LeftError):  # what is not read as it is meant, or not known by its values
                return cls._joined(name, release, inputs)
        return cls.of(name, release.rows(inputs.table), inputs)

    @classmethod
    def _joined(cls, name: str, release: Release, inputs: TableInputs) -> ReleaseFile:
        """Return the file of a release of the table: of its counts, and of the table's file for further columns."""
        from tcloseness.release.lines import form_of
        from tcloseness.release.writing_back import write_lines

        kept = [*([inputs.weight] if inputs.weight is not None else []), *inputs.keep]
        source = inputs.source
        if kept and not source.paths:
            raise TableError("the rows are known in memory alone")
        content, columns = drafted(name), list(inputs.columns)
        found = write_lines(
            release,
            content.path,
            name,
            form_of(name),
            None if is_parquet_name(name) else inputs.written.separator,
            inputs.reading,
            order=columns,
            keep=kept,
            source=list(source.paths) if kept else None,
            files=inputs.frequencies.origin.files or [(source.name, source.sha256)],
        )
        shown = (*inputs.quasi_identifiers, *inputs.sensitive_columns, *kept)
        left_out = tuple(each for each in columns if each not in shown)
        return cls(name, found.rows, found.marker, found.empty, content, left_out, "utf-8")

    @property
    def record(self) -> dict[str, str]:
        """The name, and the sha256 of the bytes."""
        content = self.content
        digest = hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else content.sha256
        return {"file": file_name(self.name), "sha256": digest}


def is_parquet_name(name: str) -> bool:
    """Say whether a table is written as Parquet, by its file's name."""
    return name.endswith(".parquet")


def _encoding(inputs: TableInputs) -> str:
    return codecs.lookup(inputs.written.encoding or "utf-8").name.removesuffix("-sig")


def _separator(name: str, inputs: TableInputs) -> str:
    from tcloseness.microdata.text_files import separator_of

    return separator_of(inputs.written.separator, name, "", InputError)


def _encoded(name: str, rows: AnonymizedTable, inputs: TableInputs) -> bytes:
    encoding = _encoding(inputs)
    try:
        return rows.to_csv(separator=_separator(name, inputs)).encode(encoding)
    except UnicodeEncodeError as error:
        raise InputError(f"output {name!r} cannot be written in {encoding}: {error.reason}") from error


def check_command(
    file: ReleaseFile,
    inputs: TableInputs,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    weight: str | None = None,
) -> str:
    """Return the command line that asks the same of a written table; a value like an option is tied to its own.

    The columns that show the classes and that of the weights are those that were read, unless others are given.
    """
    separator = None if is_parquet_name(file.name) else inputs.written.separator  # None: by the file's name
    qi = inputs.quasi_identifiers if quasi_identifiers is None else quasi_identifiers
    weight = inputs.weight if weight is None else weight
    options: dict[str, list[str]] = {
        **inputs.recheck(qi),
        **({"--weight": [weight]} if weight is not None else {}),
        **({"--missing": ["category"]} if file.empty & {*qi, *inputs.sensitive_columns} else {}),
        **({"--suppressed": [file.marker]} if file.marker is not None else {}),
        **({"--reference": ["all"]} if file.marker is not None and inputs.sensitive_columns else {}),
        **({"--separator": [separator]} if separator is not None else {}),
        **({"--encoding": [file.encoding]} if file.encoding != "utf-8" else {}),
    }
    words = ["tcloseness", "check", f"./{file.name}" if file.name.startswith("-") else file.name]
    for option, values in options.items():
        for value in values:
            words += [f"{option}={value}"] if value.startswith("-") else [option, value]
    return shlex.join(words)


def recorded(command: str) -> str:
    """Return a command that re-checks a table as its record names it: for where the files are in one folder."""
    program, verb, table, *words = shlex.split(command)
    name = file_name(table)
    return shlex.join([program, verb, f"./{name}" if name.startswith("-") else name, *map(without_folders, words)])


@dataclass(frozen=True)
class Released:
    """A verified table."""

    classes: ClassCounts  # its classes' counts; Q is that of all records
    verdicts: tuple[Evaluated, ...]  # what the models say, and of which classes
    losses: tuple[LossResult, ...] = ()  # what it costs
    kinds: Mapping[str, str] = field(default_factory=dict)  # by quasi-identifier, how it is generalized
    # what was done, and what was chosen on the way, by name
    done: Mapping[str, Any] = field(default_factory=dict)
    conventions: Mapping[str, str] = field(default_factory=dict)
    files: tuple[ReleaseFile, ...] = ()  # what is written; none without ``--output``
    check: str | None = None  # the command that re-checks it; None where nothing is written, or no command can
    # what the suppressed records are like as one class; None if there are none
    suppressed_together: Mapping[str, Any] | None = None
    # the counts of all records of the classes, where not all of them show their sensitive value
    people: ClassCounts | None = None
    # by what somebody knows, what the table gives away to them
    given_away: GivenAway | None = None

    @classmethod
    def of(
        cls,
        found: Anonymized,
        inputs: TableInputs,
        model: PrivacyModel,
        output: str | None,
        losses: Sequence[Loss] = (),
    ) -> Released:
        """Return the release of a table with generalized quasi-identifiers."""
        file = None if output is None else ReleaseFile.of_release(output, found.release, inputs)
        return cls(
            found.class_counts,
            ((found.verdict, found.class_counts),),
            losses_of(found, model, losses),
            {attribute.name: attribute.kind for attribute in found.attributes},
            found.done,
            found.conventions,
            () if file is None else (file,),
            None if file is None else check_command(file, inputs),
            found.release.suppressed_together(model, inputs.sensitive),
        )

    def measured(self, inputs: TableInputs) -> Measured:
        """Return what the classes are like, t with the ground distance that was named."""
        from tcloseness.report.release_text import Measured

        return Measured.of(self.classes, inputs.measured_by, people=self.people)

    def to_dict(self, inputs: TableInputs) -> dict[str, Any]:
        """Return what is known of the release and of what it was made from, as JSON-ready data."""
        from tcloseness.models.protocol import value_texts

        (file, *_) = self.files or (None,)
        return {
            "suppressed_records": (self.people or self.classes).suppressed,
            "suppressed_marker": None if file is None else file.marker,
            "suppressed_together": self.suppressed_together,
            "verdicts": [verdict.to_dict(classes) for verdict, classes in self.verdicts],
            "measured": self.measured(inputs).to_dict(),
            "losses": {
                each.loss: {**value_texts(each.value), "range": [value_texts(bound)["value"] for bound in each.bounds]}
                for each in self.losses
            },
            "generalized": dict(self.kinds),
            "done": dict(self.done),
            "columns": {
                "quasi_identifiers": list(inputs.quasi_identifiers),
                "sensitive": inputs.sensitive or None,
                "kept_as_they_are": list(inputs.keep),
                "left_out": [] if file is None else list(file.left_out),
            },
            "anonymized": [each.record for each in self.files],
            **({} if self.given_away is None else {"gives_away": self.given_away.to_dict()}),
            "conventions": dict(self.conventions),
            "check": self.check and recorded(self.check),
        }

    def publish(
        self,
        record: Mapping[str, Any],
        inputs: TableInputs,
        assumed: Mapping[str, str],
        form: Format,
        *,
        force: bool,
        proved: Proved | None = None,
    ) -> None:
        """Write the files, those of a proof too, print the record or what it says, and warn of suppressed records."""
        from tcloseness.report.release_text import print_release

        write_files({**self.contents(record), **(proved.files if proved else {})}, force=force)
        if form is Format.JSON:
            print_json(record)
        else:
            print_release(
                result_console(),
                status=record["status"],
                answer=record["answer"],
                verdicts=self.verdicts,
                measured=self.measured(inputs).lines(inputs.ground_name, inputs.thresholds.number("t")),
                losses=self.losses,
                given_away=None if self.given_away is None else self.given_away.lines,
                done={name: _in_words(value) for name, value in self.done.items()},
                written={**self.written(), **(proved.written if proved else {})},
                conventions={**assumed, **self.conventions},
            )
        warn_of_suppressed(self.suppressed_together if self.files else None)

    def contents(self, record: Mapping[str, Any]) -> dict[str, bytes | Draft]:
        """Return what to write: the tables, and the record beside the first."""
        if not self.files:
            return {}
        sidecar = {sidecar_name(self.files[0].name): sidecar_text(record)}
        return {**{each.name: each.content for each in self.files}, **sidecar}

    def written(self) -> dict[str, str]:
        """Say what is written where."""
        if not self.files:
            return {"nothing": "--output FILE writes the table, and what was done"}
        first, *others = self.files
        rows = f"{first.name}: {counted(first.rows, 'row')}"
        suppressed = f", {counted(self.classes.suppressed, 'record')} suppressed" if first.marker is not None else ""
        return {
            "anonymized table": rows + suppressed,
            **({"and its classes": f"{others[0].name}: {counted(others[0].rows, 'row')}"} if others else {}),
            **({"left out": ", ".join(first.left_out)} if first.left_out else {}),
            "what was done": sidecar_name(first.name),
            "re-check": self.check or "none: the table does not show what it is checked against",
        }


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)


def losses_of(found: Anonymized, model: PrivacyModel, others: Sequence[Loss] = ()) -> tuple[LossResult, ...]:
    """Return what a generalized table costs, by every loss that is a sum over its classes, and by others."""
    from tcloseness.loss.names import OF_CLASSES, loss_named
    from tcloseness.models.conditions import least_records

    k = least_records(model)
    names = [name for name in OF_CLASSES if name != ("class-size" if k > 1 else "c-avg")]
    chosen = [*(loss_named(name, k=k, classes=True) for name in names), *others]
    return tuple(loss.evaluate(found.release) for loss in chosen)


def warn_of_suppressed(seen: Mapping[str, Any] | None) -> None:
    """Say on standard error if the suppressed records, seen as one class, give away what the model protects.

    Where they show no sensitive value they give none away.
    """
    if seen is None or seen["status"] == "satisfied" or not seen["distinct_values"]:
        return
    print(
        f"warning: the {seen['records']:,} suppressed record(s) stand in the table with their sensitive values; as one "
        f"class they have {seen['distinct_values']} distinct value(s) and do not satisfy the model, and whoever knows "
        "that a person fits no other class learns that much. To publish without this, delete these rows or allow none",
        file=sys.stderr,
    )
