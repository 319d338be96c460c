"""``tcloseness attack``: what releases give away to somebody who knows how they were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tcloseness.cli.arguments import Format, column_names, encoding_name, refuse_unused, separator_text
from tcloseness.cli.limits import Limits, alarm
from tcloseness.cli.losses import NAMES
from tcloseness.cli.options import (
    COLUMNS,
    RESULT,
    AllFiles,
    Hierarchies,
    Meaning,
    OutputFormat,
    Page,
    Suppressed,
    expanded,
    flag,
    option,
)
from tcloseness.cli.output import file_name, print_json, result_console
from tcloseness.cli.releases_read import Original, ReadRelease
from tcloseness.cli.seeds import Seed, drawn_with
from tcloseness.cli.thresholds import Thresholds
from tcloseness.errors import InputError, NotCertified
from tcloseness.writing import refuse_files, write_files

if TYPE_CHECKING:
    from tcloseness.attacks import Disclosure
    from tcloseness.limits import Clock

__all__ = ["EPILOG", "attack"]

FORMAT = "tcloseness-attack-1"

MOST = 10_000

KNOWLEDGE = "What the attacker knows"

EPILOG = """
Levels, each of which knows more of how RELEASE was made:

\b
  labels   which values each label stands for
  tight    also that no label that stands for less would do
  minimal  also that no release one step finer satisfies the thresholds; --table
  optimal  also that no release that satisfies them has less of --loss; --table,
           --among
  code     the method with its parameters and its seed; --table, --method

The last three are for small tables: every original that is possible is made
anonymous again. Of two tables joined by class, as by Anatomy, --level code
without --table takes records to be drawn in the order of quasi-identifiers, and
says of tables of any size what that gives away. With --with the attacker knows
the labels of all releases and who is in which class of each.

What anonymize wrote is known by the record beside it: its columns, what
suppressed records show, and whose labels are tight.

Example: what do two releases of one table give away together?

\b
  tcloseness attack first.csv --with second.csv --table people.csv -q age,zip -s disease \\
      --programs --certificate proof.json
  tcloseness verify proof.json --table first.csv --with second.csv
"""


class Level(StrEnum):
    """What the attacker knows of how the release was made."""

    LABELS = "labels"
    TIGHT = "tight"
    MINIMAL = "minimal"
    OPTIMAL = "optimal"
    CODE = "code"


class Among(StrEnum):
    """What a release of least loss was chosen from."""

    NODES = "nodes"
    PARTITIONS = "partitions"


REPLAYED = (Level.MINIMAL, Level.OPTIMAL, Level.CODE)
"""Those at which originals are made anonymous again."""


NO_CHECKER = (
    "not certified: what is certain at --level {0} is shown by running the method on every original, or by counting "
    "them, which --level {0} repeats; no checker does"
)


class Knows(StrEnum):
    """Of whom the attacker knows the quasi-identifiers."""

    QI = "quasi-identifiers"
    RELEASE = "release"


@expanded
def attack(
    *,
    release: Annotated[
        str, typer.Argument(metavar="RELEASE", help="A published table: CSV, TSV or Parquet, by this or another tool.")
    ],
    others: Annotated[
        list[str] | None,
        option(KNOWLEDGE, "FILE", "Another release of the same persons. Repeatable.", "--with"),
    ] = None,
    quasi_identifiers: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "COLUMN,…",
            "The columns that show labels; of another release those of them that it has. Repeatable.  [default: as "
            "the record beside RELEASE says]",
            "--quasi-identifiers",
            "-q",
        ),
    ] = None,
    sensitive: Annotated[
        str | None,
        option(COLUMNS, "COLUMN", "The sensitive column.  [default: likewise, else none]", "--sensitive", "-s"),
    ] = None,
    sensitive_table: Annotated[
        str | None,
        option(
            KNOWLEDGE,
            "FILE",
            "The sensitive values by class, if RELEASE shows the class in their place, as by Anatomy; with --level "
            "code.  [default: as the record beside RELEASE says]",
        ),
    ] = None,
    by_rows: Annotated[
        bool,
        flag(
            KNOWLEDGE,
            "--by-rows",
            "Of two tables without --table: records of equal quasi-identifiers were drawn in the order of the rows.",
        ),
    ] = False,
    key: Annotated[
        str | None,
        option(COLUMNS, "COLUMN", "With --with, a column of all releases that says whose row it is."),
    ] = None,
    level: Annotated[Level, option(KNOWLEDGE, None, "How much of how RELEASE was made, see below.")] = Level.TIGHT,
    tight: Annotated[
        list[str] | None,
        option(
            KNOWLEDGE,
            "COLUMN,…",
            "Whose labels are tight; with --table that is checked as far as it can be.  [default: as the record beside "
            "RELEASE says, else none]",
        ),
    ] = None,
    table: Annotated[
        str | None, option(KNOWLEDGE, "FILE", "The table that the releases were made of, written as they are.")
    ] = None,
    method: Annotated[
        str | None, option(KNOWLEDGE, "METHOD", "For --level code, what made RELEASE, as for anonymize.")
    ] = None,
    knows: Annotated[
        Knows,
        option(KNOWLEDGE, None, "For --level code: everybody's quasi-identifiers, or RELEASE alone."),
    ] = Knows.QI,
    most: Annotated[
        int | None,
        option(
            KNOWLEDGE,
            "N",
            "For --level minimal, optimal and code, how many originals are tried at most; more are refused with their "
            "number.  [default: 10000]",
        ),
    ] = None,
    loss: Annotated[
        str | None,
        option(
            KNOWLEDGE, "LOSS", f"For --level optimal: one of {', '.join(NAMES)}, or MODULE:NAME, a loss of your own."
        ),
    ] = None,
    among: Annotated[
        Among | None,
        option(
            KNOWLEDGE,
            None,
            "For --level optimal: the nodes of the hierarchies, one of which search --optimum finds, or all partitions "
            "of the records, as for optimal partition.",
        ),
    ] = None,
    programs: Annotated[
        bool, flag(KNOWLEDGE, "--programs", "With --with, ask linear programs too what sums of counts leave open.")
    ] = False,
    seed: Seed = None,
    thresholds: Thresholds,
    hierarchies: Hierarchies,
    meaning: Meaning,
    suppressed: Suppressed = None,
    written: AllFiles,
    limits: Limits,
    form: OutputFormat = Format.TEXT,
    html: Page,
    certificate: Annotated[
        str | None, option(RESULT, "FILE", "Write what proves the certain facts; tcloseness verify checks it.")
    ] = None,
    redact: Annotated[
        bool, flag(RESULT, "--redact", "Withhold all values and persons: only the sentences and numbers are printed.")
    ] = False,
) -> None:
    """Say what a release gives away to somebody who knows how it was made: what is certain, possible and open.

    A fact is certain if it is so in each table of which RELEASE can have been made, as far as the attacker knows.
    """
    clock = limits.clock()
    html.refuse()
    refuse_files([] if certificate is None else [certificate], force=html.force)
    if redact and certificate is not None:
        raise InputError("--certificate writes the values of the table, and --redact withholds them; leave one out")
    of_code = {"--method": method, "--seed": seed, "--knows": None if knows is Knows.QI else knows}
    if level is not Level.CODE:
        refuse_unused({name: each for name, each in of_code.items() if each is not None}, f"--level is {level}")
    of_optimum = {"--loss": loss, "--among": among}
    if level is not Level.OPTIMAL:
        refuse_unused({name: each for name, each in of_optimum.items() if each is not None}, f"--level is {level}")
    if most is not None and level not in REPLAYED:
        refuse_unused({"--most": most}, f"--level is {level}")
    if tight is not None and (others or level is not Level.TIGHT):
        refuse_unused({"--tight": tight}, "--with was given" if others else f"--level is {level}")
    if level not in REPLAYED and thresholds.given:
        raise InputError(f"{next(iter(thresholds.given))} was given, and --level is {level}; leave it out")
    if not others and (key is not None or programs):
        raise InputError(f"{'--key' if key is not None else '--programs'} was given, and --with was not; give another "
                         "release, or leave it out")  # fmt: skip
    if others and level is not Level.TIGHT:
        raise InputError(f"--level {level} is about one release, and --with names another; leave one of them out")
    written = _written(written)
    with alarm(clock, "reading the release"):
        read = ReadRelease.of(
            release, quasi_identifiers, sensitive, sensitive_table, suppressed=suppressed, meaning=meaning,
            written=written, hierarchies=hierarchies,
            beside=[each for each in (release, sensitive_table, table, *(others or ())) if each is not None],
        )  # fmt: skip
    read.refuse_unread(table)
    drawn = read.two is not None and table is None
    if read.two is not None:
        _refuse_of_two(release, level, others)
        refuse_unused(
            {"--suppressed": suppressed, **_options_of(hierarchies)},
            "two tables that are joined by class show no labels",
        )
        method = method or "anatomy"
    if by_rows and not drawn:
        raise InputError("--by-rows was given, and RELEASE is not one of two tables without --table; leave it out")
    with alarm(clock, "asking what the release gives away", grace=0.5, looks=True):
        if read.two is not None and drawn:
            unused = {
                "--method": None if method == "anatomy" else method,
                "--seed": seed,
                "--knows": None if knows is Knows.QI else knows,
                "--most": most,
            }
            refuse_unused(unused, "--table was not, so that nothing is made again")
            found, proof = read.drawn_in_order(thresholds, by_rows=by_rows, want=certificate is not None)
        elif others:
            found, proof = _linked(read, others, key, table, programs, clock, want=certificate is not None)
        elif level is Level.LABELS or level is Level.TIGHT:
            names = None if tight is None else column_names(tight, list(read.quasi_identifiers), "--tight")
            found, proof = read.by_labels(
                "tight" if level is Level.TIGHT else "labels", names, table, want=certificate is not None
            )
        else:
            if table is None:
                raise InputError(f"--level {level} takes the table that RELEASE was made of; give --table")
            found, proof = (
                _replayed(
                    read,
                    table,
                    level,
                    thresholds,
                    MOST if most is None else most,
                    clock,
                    method=method,
                    seed=seed,
                    knows=knows,
                    loss=loss,
                    among=among,
                ),
                None,
            )
    files = {} if certificate is None or proof is None else {certificate: proof.encode()}
    replayed = level in REPLAYED and not drawn
    lacking = NO_CHECKER.format(level) if replayed and found.succeeds else None

    def made() -> str:
        from tcloseness.report.showing import page

        return page(found, redact=redact, more=[] if lacking is None else [lacking])

    html.write(made)
    write_files(files, force=html.force)
    record = {
        "format": FORMAT,
        "version": _version(),
        "status": found.status,
        "releases": [file_name(each) for each in (release, *(others or ()))],
        "sensitive_table": None if read.two is None else file_name(read.two.file),
        "quasi_identifiers": list(read.quasi_identifiers),
        "sensitive": read.sensitive or None,
        "certificate": file_name(certificate) if files and certificate is not None else None,
        "not_certified": lacking,
        **found.to_dict(facts=0 if redact else 3),
    }
    if form is Format.JSON:
        print_json(record)
    else:
        from tcloseness.report.disclosure_text import print_disclosure

        told = {
            "release": release,
            **({"with": ", ".join(others)} if others else {}),
            **({} if read.two is None else {"table of sensitive values": read.two.file}),
            **({} if read.sensitive else {"sensitive": "none was named"}),
            **read.told,
        }
        proved = {"certificate": f"{certificate}, checked"} if files else {}
        print_disclosure(
            found,
            result_console(),
            assumed_of=told,
            written=proved if lacking is None else {"certificate": lacking},
            certified=not replayed,
            facts=0 if redact else 3,
        )
    if certificate is not None and not files:
        raise NotCertified(NO_CHECKER.format(level))


def _refuse_of_two(release: str, level: Level, others: Sequence[str] | None) -> None:
    """Raise `InputError` for what is not answered of two tables that are joined by class."""
    if others or level is not Level.CODE:
        asked = "--with names another" if others else f"--level is {level}"
        raise InputError(
            f"{file_name(release)} is one of two tables that are joined by class, and shows no labels, and {asked}; "
            "ask for --level code with the thresholds, such as --frequency-l 3"
        )


def _options_of(given: Hierarchies) -> dict[str, object]:
    """Return what was given for each option about hierarchies."""
    return {f"--{each.name.replace('_', '-')}": getattr(given, each.name) for each in fields(given)}


def _written(written: AllFiles) -> AllFiles:
    from dataclasses import replace

    return replace(
        written,
        separator=separator_text(written.separator),
        encoding=encoding_name(written.encoding),
        hierarchy_separator=separator_text(written.hierarchy_separator),
    )


def _version() -> str:
    from tcloseness import __version__

    return __version__


def _linked(
    read: ReadRelease,
    others: Sequence[str],
    key: str | None,
    table: str | None,
    programs: bool,
    clock: Clock,
    *,
    want: bool,
) -> tuple[Disclosure, str | None]:
    """Return what several releases give away together, and its certificate if it is wanted."""
    if (key is None) == (table is None):
        raise InputError(
            "releases are linked by --key, a column of all of them that says whose row it is, or by --table, in whose "
            "rows the classes are looked up; give one of the two"
        )
    from tcloseness.attacks import complementary_release_attack

    all_read = [read, *(read.another(each) for each in others)]
    original = None if table is None else Original(read, table)
    linked = [each.by_key(str(key)) if original is None else original.linked(each, clock) for each in all_read]
    found = complementary_release_attack(linked, programs=programs, time_limit=clock)
    proof = found.certificate([each.reading for each in all_read]) if want else None
    return found.disclosure, proof


def _replayed(
    read: ReadRelease,
    table: str,
    level: Level,
    thresholds: Thresholds,
    most: int,
    clock: Clock,
    *,
    method: str | None,
    seed: str | None,
    knows: Knows,
    loss: str | None,
    among: Among | None,
) -> Disclosure:
    """Return what is true in each original that the method releases so, or whose minimum or optimum the release is."""
    from tcloseness.attacks import what_it_gives_away
    from tcloseness.microdata.classes import require_values

    if not thresholds.given:
        raise InputError(f"--level {level} takes the thresholds that RELEASE satisfies, such as --k 2; give them")
    require_values("a guess at who has which value", read.sensitive)
    original = Original(read, table, thresholds, method or "")
    model = original.model()
    if level is Level.MINIMAL:
        return what_it_gives_away(
            original.full_domain(level), level="minimal", model=model, most=most, time_limit=clock
        )
    if level is Level.OPTIMAL:
        if loss is None or among is None:
            raise InputError(
                "--level optimal takes the loss that RELEASE has least of, and what it was chosen from; give --loss "
                "and --among"
            )
        least = original.loss(loss, classes=among is Among.PARTITIONS)
        if among is Among.NODES:
            node = original.full_domain(level)
            return what_it_gives_away(node, level="optimal", model=model, loss=least, most=most, time_limit=clock)
        best, run = original.best_partition(model, least, clock)
        return what_it_gives_away(best, level="optimal", method=run, most=most, time_limit=clock)
    if method is None:
        raise InputError("--level code takes the method that made RELEASE; give --method")
    run = original.method(method, model, drawn_with(seed).seed)
    released = original.released_by(run)
    return what_it_gives_away(released, level="code", method=run, knows=knows.value, most=most, time_limit=clock)
