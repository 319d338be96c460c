"""``tcloseness columns``: which columns make people identifiable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from tcloseness.cli.arguments import (
    Format,
    column_names,
    encoding_name,
    items,
    open_source,
    read_frame,
    reading_of,
    separator_text,
)
from tcloseness.cli.limits import Limits, alarm
from tcloseness.cli.options import (
    COLUMNS,
    RESULT,
    Cells,
    Engine,
    Identifying,
    OutputFormat,
    Suppressed,
    Table,
    TableFile,
    Weight,
    expanded,
    flag,
    option,
)
from tcloseness.cli.output import print_json, reading_bar, result_console
from tcloseness.errors import InputError
from tcloseness.writing import refuse_files, write_files

__all__ = ["EPILOG", "columns"]

EPILOG = """
Example: who is alone by age, sex and ZIP code, and on which of them does it depend?

\b
  tcloseness columns people.csv --quasi-identifiers age,sex,zip --output sets.csv
"""


@expanded
def columns(
    *,
    table: Table,
    quasi_identifiers: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "COLUMN,…",
            "Columns that an outsider may know. Repeatable; a value that is a column's whole name is not split.  "
            "[default: all but those of the other options]",
            "--quasi-identifiers",
            "-q",
        ),
    ] = None,
    key_set: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "NAME=COLUMN,…",
            "What one of several outsiders may know, such as neighbour=age,sex. Repeatable, in place of "
            "--quasi-identifiers; sets that none of them knows whole are not counted.",
        ),
    ] = None,
    identifying: Identifying = None,
    weight: Weight = None,
    up_to: Annotated[
        int | None, option(COLUMNS, "N", "The largest number of columns in a set.  [default: all of them]")
    ] = None,
    most_sets: Annotated[
        int | None, option(COLUMNS, "N", "How many sets are counted at most; more are refused.  [default: 65,536]")
    ] = None,
    meaning: Cells,
    suppressed: Suppressed = None,
    written: TableFile,
    engine: Engine,
    limits: Limits,
    output: Annotated[str | None, option(RESULT, "FILE", "Write every set of columns as CSV, one a row.")] = None,
    force: Annotated[bool, flag(RESULT, "--force", "Overwrite the file if it exists.")] = False,
    form: OutputFormat = Format.TEXT,
) -> None:
    """Say which columns make people identifiable: who is alone by every set of them, and what each contributes.

    Every set of the columns is counted, exactly. Nothing that is printed is a value of the table.
    """
    clock = limits.clock()
    separator, encoding = separator_text(written.separator), encoding_name(written.encoding)
    files = [] if output is None else [output]
    refuse_files(files, force=force)
    if quasi_identifiers and key_set:
        raise InputError("--quasi-identifiers and --key-set were given; leave one of them out")
    source = open_source(table)
    with alarm(clock, "reading the table"):
        from tcloseness.attacks import columns as counted
        from tcloseness.attacks.column_sets import MOST_SETS
        from tcloseness.microdata.sources import names

        options = reading_of(
            source,
            separator,
            encoding,
            meaning.missing_text,
            other_files=False,
            memory=engine.memory,
            threads=engine.threads,
        )
        given: Any = source.handle if source.paths else read_frame(source, options)
        known = [str(name) for name in (names(given, options) if source.paths else given.columns)]
    refuse_files(files, force=force)
    with alarm(clock, "counting the sets of columns", grace=0.5), reading_bar(source.name) as progress:
        found = counted(
            given,
            up_to=up_to,
            quasi_identifiers=_key_sets(quasi_identifiers, key_set, known),
            most_sets=MOST_SETS if most_sets is None else most_sets,
            time_limit=clock,
            weight=weight,
            missing=meaning.missing.value,
            identifying=column_names(identifying or (), known, "--identifying"),
            merge_spellings=column_names(meaning.merge_spellings or (), known, "--merge-spellings"),
            suppressed=suppressed,
            **({**vars(options), "progress": progress} if source.paths else {}),
        )
    content = {} if output is None else {output: found.to_frame().to_csv(index=False).encode()}
    write_files(content, force=force)
    if form is Format.JSON:
        print_json(found.to_dict())
    else:
        from tcloseness.report.columns_text import print_columns

        print_columns(found, result_console(), table=source.name)


def _key_sets(names: Sequence[str] | None, key_set: Sequence[str] | None, known: Sequence[str]) -> Any:
    """Return the columns of each outsider, or of the one; None where all columns are meant."""
    if not key_set:
        return column_names(names, known, "--quasi-identifiers") if names else None
    found: dict[str, list[str]] = {}
    for text in key_set:
        name, equals, listed = text.partition("=")
        if not equals or not name:
            raise InputError(f"--key-set {text!r} must be NAME=COLUMN,…, such as neighbour=age,sex")
        if name in found:
            raise InputError(f"--key-set names {name!r} twice; give each a name of its own")
        found[name] = [listed] if listed in known else items(listed, "--key-set")
    return found
