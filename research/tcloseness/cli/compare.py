"""``tcloseness compare``: what releases of a table give away and what each costs, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import Format, open_source, read_frame, reading_of, separator_text
from tcloseness.cli.exit_codes import ROWS
from tcloseness.cli.losses import OwnLosses, own_losses
from tcloseness.cli.options import (
    COLUMNS,
    FILES,
    RESULT,
    AllFiles,
    Columns,
    Engine,
    Hierarchies,
    Identifying,
    Meaning,
    OutputFormat,
    Page,
    QuasiIdentifiers,
    Sensitive,
    Suppressed,
    Table,
    expanded,
    option,
)
from tcloseness.cli.output import file_name, print_json, result_console
from tcloseness.cli.table_inputs import TableInputs, indexed
from tcloseness.cli.thresholds import Thresholds, option_of
from tcloseness.errors import HierarchyError, InputError, TableError
from tcloseness.writing import refuse_files, write_files

if TYPE_CHECKING:
    import pandas as pd

    from tcloseness.comparison import Comparison
    from tcloseness.microdata import FrequencySet, Hierarchy
    from tcloseness.release.unaligned import UnalignedRelease

__all__ = ["EPILOG", "compare"]

EPILOG = """
Where no column says which row is which record (--index), labels and counts are measured; that is enough for all models
and the usual losses. Labels are nodes of the hierarchies that are given; of other columns they are values, intervals
(20-29, [20, 30)), sets ({a, b}) or * for all values.

Example: which of two releases meets the thresholds, and which lost less?

\b
  tcloseness compare hospital.csv ours.csv theirs.csv --quasi-identifiers age,zip --sensitive disease \\
      --suppressed "*" --k 5 --output compared.csv
"""


@expanded
def compare(
    *,
    table: Table,
    releases: Annotated[
        list[str],
        typer.Argument(
            metavar="RELEASE…",
            help="Files that were published of TABLE: CSV, TSV or Parquet.",
        ),
    ],
    quasi_identifiers: QuasiIdentifiers,
    sensitive: Sensitive = None,
    identifying: Identifying = None,
    thresholds: Thresholds,
    meaning: Meaning,
    suppressed: Suppressed = None,
    hierarchies: Hierarchies,
    written: AllFiles,
    release_separator: Annotated[
        str | None,
        option(FILES, "CHAR", "Between the cells of each RELEASE; tab is one.  [default: that of TABLE]"),
    ] = None,
    engine: Engine,
    loss: OwnLosses = None,
    index: Annotated[
        str | None,
        option(
            COLUMNS,
            "COLUMN",
            "The column that says in all files which record a row is: then every loss can be measured.",
        ),
    ] = None,
    output: Annotated[str | None, option(RESULT, "FILE", "Write every quantity of every release as CSV.")] = None,
    page: Page,
    form: OutputFormat = Format.TEXT,
) -> None:
    """Measure what releases of a table give away and what each costs, beside the table itself.

    Without thresholds it only measures. Q is the distribution of all records of TABLE.
    """
    page.refuse()
    files = [each for each in (output, page.html) if each is not None]
    refuse_files(files, force=page.force)
    losses = own_losses(loss)
    between = separator_text(release_separator, "--release-separator")
    names = _names(releases)
    inputs = TableInputs.read(
        table,
        Columns(quasi_identifiers, sensitive, identifying),
        hierarchies=hierarchies,
        every_hierarchy=None,
        thresholds=thresholds,
        meaning=meaning,
        written=written,
        beside=() if None not in (between, written.separator) else releases,
        engine=engine,
        rows=index is not None,
        index=index,
    )
    refuse_files(files, force=page.force)

    from tcloseness import compare as compared
    from tcloseness.models.thresholds import called

    ground = {} if inputs.ground is None else {inputs.sensitive: inputs.ground.spec}
    levels = inputs.read_hierarchies()
    asked = inputs.written if between is None else replace(inputs.written, separator=between)
    beside = [*releases, *([table] if between is None else [])]

    def read(name: str, file: str) -> Any:
        source = open_source(file)
        options = reading_of(
            source, asked.separator, asked.encoding, meaning.missing_text, other_files=True, beside=beside
        )
        frame = read_frame(source, options)
        if index is not None:
            return indexed(frame, index, file)
        return _released(name, inputs.frequencies, frame, levels, suppressed)

    with _of_releases(), called(option_of):
        found = compared(
            inputs.frequencies,
            {name: read(name, file) for name, file in zip(names, releases, strict=True)},
            hierarchies=levels,
            suppressed=suppressed,
            ground=ground or None,
            models=thresholds.models,
            losses=losses,
            **thresholds.values,
        )
    content: dict[str, Any] = {} if output is None else {output: found.to_frame().to_csv(index=False).encode()}
    if page.html is not None:
        content[page.html] = partial(_page, found)
    write_files(content, force=page.force)
    if form is Format.JSON:
        print_json(found.to_dict())
    else:
        from tcloseness.report.comparison_text import print_comparison

        print_comparison(found, result_console(), table=inputs.source.name)
    raise typer.Exit(ROWS["compare"].statuses[found.status])


def _page(found: Comparison) -> bytes:
    from tcloseness.report.showing import page

    return page(found, redact=True).encode()


def _released(
    name: str, original: FrequencySet, frame: pd.DataFrame, levels: Mapping[str, Hierarchy], suppressed: str | None
) -> UnalignedRelease:
    """Return a release whose rows are in any order; an error of what it shows begins with its name."""
    from tcloseness.release.foreign import read_labels

    try:
        return read_labels(original, frame, levels, suppressed=suppressed)
    except (TableError, HierarchyError) as error:
        raise type(error)(f"{name}: {error}") from error


@contextmanager
def _of_releases() -> Iterator[None]:
    """Say of a separator that a message names that it is one of releases."""
    try:
        yield
    except InputError as error:
        error.args = (str(error).replace("separator='", "--release-separator '"), *error.args[1:])
        raise


def _names(releases: list[str]) -> list[str]:
    """Return what the releases are called: by the files' names, or where two have one, by their paths."""
    for each in releases:
        if releases.count(each) > 1:
            raise InputError(f"RELEASE {each!r} is named twice; name each file once")
    short = [file_name(each) for each in releases]
    return short if len(set(short)) == len(short) and "original" not in short else list(releases)
