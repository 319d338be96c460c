"""``tcloseness anonymize``: a table made anonymous by a heuristic, verified, and written with what was done."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any

from tcloseness.cli.arguments import Format, per_column
from tcloseness.cli.limits import Limits, alarm
from tcloseness.cli.losses import OwnLosses, own_losses
from tcloseness.cli.options import (
    HIERARCHIES,
    AllFiles,
    Categorical,
    Columns,
    EngineBesideRows,
    Force,
    Hierarchies,
    Meaning,
    Numeric,
    Output,
    OutputFormat,
    Table,
    expanded,
    option,
)
from tcloseness.cli.output import file_name
from tcloseness.cli.proofs import Proof, Proved, audited
from tcloseness.cli.released import Released, ReleaseFile, check_command, release_files
from tcloseness.cli.seeds import Seed, drawn_with, in_drawn_order, sentence
from tcloseness.cli.table_inputs import TableInputs
from tcloseness.cli.thresholds import Thresholds
from tcloseness.cli.user_objects import loaded
from tcloseness.errors import InputError, NotCertified, TableError
from tcloseness.writing import refuse_files

if TYPE_CHECKING:
    from tcloseness.anonymize import Anatomized
    from tcloseness.limits import Clock
    from tcloseness.loss import Loss
    from tcloseness.models import PrivacyModel
    from tcloseness.release import Anonymized

__all__ = ["EPILOG", "Method", "anonymize", "made"]

FORMAT = "tcloseness-anonymize-2"

_LONG = 60
"""Characters of a grid."""

EPILOG = """
Methods, and what each is for:

\b
  mondrian          cuts the table in two, column by column
  mondrian-relaxed  the same; records at the median may go to either side
  datafly           one level a column for all records; suppresses the rest
  mdav              classes of k near records, merged until they satisfy
  confidential      classes of near sensitive values, merged likewise
  swapping          classes of k near records, swapped until close; --t
  closeness-first   a class takes from all ranges of sensitive values; --t
  sabre             a class takes from buckets in proportion; --t
  anatomy           two tables linked by class; --frequency-l or another l

The last four need the threshold that is named; the others take any.

A quasi-identifier is generalized along its hierarchy if it has one; else to intervals if all its values are numbers,
else to sets of values. With --hierarchies each has a file, unless --numeric, --categorical or --suppress-only names it.

Example: make the Adult table 5-anonymous and 0.2-close, and check what was written.

\b
  tcloseness anonymize adult.csv --method mondrian --hierarchies hierarchies/ \\
      --quasi-identifiers age,education,race,sex --sensitive occupation \\
      --ground occupation=equal --k 5 --t 0.2 --output anonymized.csv
"""


_METHOD = "Method"


class Method(StrEnum):
    """The methods of `tcloseness.anonymize`."""

    MONDRIAN = "mondrian"
    MONDRIAN_RELAXED = "mondrian-relaxed"
    DATAFLY = "datafly"
    MDAV = "mdav"
    CONFIDENTIAL = "confidential"
    SWAPPING = "swapping"
    CLOSENESS_FIRST = "closeness-first"
    SABRE = "sabre"
    ANATOMY = "anatomy"


@expanded
def anonymize(
    *,
    table: Table,
    columns: Columns,
    method: Annotated[
        str,
        option(
            _METHOD,
            "METHOD",
            f"One of {', '.join(Method)}, see below; or MODULE:NAME, a function of yours of a table and a model "
            "that returns a Partition; MODULE, a module's name or a .py file, is imported, that is, run.",
            among=[*Method],
        ),
    ] = "mondrian",
    suppression: Annotated[
        str | None,
        option(
            _METHOD,
            "SHARE",
            "How many of the records datafly may suppress, rounded down.  [default: K records]",
        ),
    ] = None,
    seed: Seed = None,
    limits: Limits,
    hierarchies: Hierarchies,
    numeric: Numeric = None,
    categorical: Categorical = None,
    grid: Annotated[
        list[str] | None,
        option(
            HIERARCHIES,
            "COLUMN=WIDTH",
            "Show the intervals of a column of whole numbers in cells of so many, such as 20-24 for 5, so that their "
            "ends do not give values away. Repeatable; WIDTH:ORIGIN where a cell does not begin at 0.",
        ),
    ] = None,
    thresholds: Thresholds,
    meaning: Meaning,
    written: AllFiles,
    engine: EngineBesideRows,
    output: Output = None,
    force: Force = False,
    loss: OwnLosses = None,
    form: OutputFormat = Format.TEXT,
    proof: Proof,
) -> None:
    """Make a table anonymous by a heuristic, and verify that it satisfies all given thresholds.

    If the method does not reach that, or a limit is reached before, nothing is written. With --certificate, the audit
    of the table that is written is proved. How far a heuristic is from the least loss, tcloseness optimal reports for
    small tables.
    """
    clock, run = limits.clock(), _method(method)
    if suppression is not None and run is not Method.DATAFLY:
        raise InputError(f"--suppression is for --method datafly; {method} suppresses no record: leave it out")
    own = own_losses(loss)
    files = release_files(output)
    if output is not None and run is Method.ANATOMY:
        files.append(_sensitive_file(output))
    if proof.paths and output is None:
        raise InputError("a certificate, or the counts, are of the table that --output writes; give --output")
    files += proof.paths
    refuse_files(files, force=force)
    with alarm(clock, "reading the table"):
        draws = drawn_with(seed)
        inputs = TableInputs.read(
            table,
            columns,
            numeric=numeric,
            categorical=categorical,
            hierarchies=hierarchies,
            every_hierarchy=run is Method.DATAFLY,
            thresholds=thresholds,
            meaning=meaning,
            written=written,
            engine=engine,
            rows=True,
        )
        inputs = in_drawn_order(inputs, draws)
    refuse_files(files, force=force)
    cells = _cells(grid, inputs.quasi_identifiers)

    with alarm(clock, "making the table anonymous", grace=0.5, looks=True):
        from tcloseness import __version__
        from tcloseness.anonymize import Anatomized
        from tcloseness.release.draws import NOTHING_DRAWN
        from tcloseness.report.disclosure_text import given_away
        from tcloseness.report.release_text import attained

        model = inputs.model()
        found, tight = made(run, inputs, model, suppression, draws.seed, clock), None
        if cells:
            found, tight = _on_grid(found, inputs, model, cells), found
        if isinstance(found, Anatomized):
            released = _anatomized(found, inputs, output, own)
        else:
            released = Released.of(found, inputs, model, output, own)
        given = given_away(found, model, method=method if isinstance(run, Method) else None, seed=draws.seed)
        released = replace(released, given_away=given)
    proved = _proved(proof, released, inputs)
    classes = len(released.classes)
    whose = "the one class satisfies" if classes == 1 else f"all {classes:,} classes satisfy"
    answer = [
        f"Yes: {whose} {inputs.thresholds.text(inputs.ground_name)}, by {found.method}.",
        f"Attained: {attained(released.verdicts)}. {_cost(released)}",
        *_price(found, tight),
        *sentence(draws, nothing=released.conventions["draws"] == NOTHING_DRAWN),
    ]
    record = {
        "format": FORMAT,
        "version": __version__,
        "status": "satisfied",
        "answer": answer,
        "method": {"name": file_name(method), "title": found.method},
        "seed": draws.seed,
        "model": model.name,
        "certificate": proved.certificate and file_name(proved.certificate),
        **inputs.to_dict(),
        **released.to_dict(inputs),
    }
    released.publish(record, inputs, inputs.assumed(), form, force=force, proved=proved)
    if proved.refused is not None:
        raise proved.refused


def _proved(proof: Proof, released: Released, inputs: TableInputs) -> Proved:
    """Return the certificate of the audit of what is written."""
    if not proof.paths:
        return Proved(None, None, {})
    if len(released.files) > 1:
        return Proved(None, NotCertified("not certified: no checker for two tables that are joined by class"), {})
    frequencies, prove = audited(released.files[0], inputs)
    return proof.of(prove, frequencies, inputs.sensitive)


def _sensitive_file(output: str) -> str:
    """Return the name of Anatomy's second table."""
    path = PurePath(output)
    return str(path.with_name(f"{path.stem}.sensitive{path.suffix}"))


def _method(text: str) -> Method | Callable[..., Any]:
    """Return the method of a name, or the user's own function."""
    if text in set(Method):
        return Method(text)
    if ":" not in text:
        raise InputError(f"--method {text!r} is not one of {', '.join(map(repr, map(str, Method)))}, or MODULE:NAME")
    found = loaded(text, "--method", "my_module:my_heuristic or my_file.py:my_heuristic")
    if not callable(found):
        raise InputError(f"--method {text!r} is {found!r:.80}, which is not a function of a table and a model")
    return found  # type: ignore[no-any-return]


def made(
    method: Method | Callable[..., Any],
    inputs: TableInputs,
    model: PrivacyModel,
    suppression: str | None,
    seed: int | None,
    clock: Clock,
) -> Anonymized | Anatomized:
    """Run a method."""
    from tcloseness.methods import run_method

    hierarchies = inputs.read_hierarchies()
    if method is not Method.DATAFLY:
        inputs.require_numbers()
    return run_method(
        method.value if isinstance(method, Method) else method,
        inputs.table,
        model,
        hierarchies,
        categorical=inputs.categorical,
        ground=None if inputs.ground is None else inputs.ground.spec,
        seed=seed,
        clock=clock,
        options={"suppression": suppression} if method is Method.DATAFLY else None,
    )


def _cells(grid: Sequence[str] | None, quasi_identifiers: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return by column the width of the cells of its grid, and where one begins."""
    found = {}
    for name, text in per_column(grid or (), quasi_identifiers, "--grid", "WIDTH").items():
        numbers = re.fullmatch(r"([0-9]+)(?::([+-]?[0-9]+))?", text)
        if numbers is None or len(text) > _LONG:
            raise InputError(
                f"--grid {name}={text!r:.60} is not COLUMN=WIDTH or COLUMN=WIDTH:ORIGIN of whole numbers; write it "
                f"like {name}=5"
            )
        found[name] = int(numbers[1]), int(numbers[2] or 0)
    return found


def _on_grid(
    found: Anonymized | Anatomized, inputs: TableInputs, model: PrivacyModel, cells: Mapping[str, tuple[int, int]]
) -> Anonymized:
    """Return the answer with its intervals on grids."""
    from tcloseness.release import Anonymized, on_grid

    if not isinstance(found, Anonymized):
        raise InputError(
            "--grid is for intervals, and this method shows the quasi-identifiers as they are; leave it out"
        )
    widths, origins = ({name: each[place] for name, each in cells.items()} for place in (0, 1))
    try:
        return on_grid(found, model, widths, origins=origins)
    except TableError as error:
        raise InputError(f"--grid: {error}") from error


def _price(found: Any, tight: Any) -> list[str]:
    """Say what the grid costs beside tight labels, if there are both."""
    if tight is None:
        return []
    from tcloseness.loss.names import loss_named
    from tcloseness.report.search_text import loss_text

    before, after = (loss_named("gcp", classes=True).evaluate(each.release) for each in (tight, found))
    return [
        f"On the grid GCP is {loss_text(after)}; with tight labels, which give their ends away, {loss_text(before)}."
    ]


def _anatomized(found: Anatomized, inputs: TableInputs, output: str | None, losses: Sequence[Loss]) -> Released:
    """Return two tables: the quasi-identifiers with each record's class, and the sensitive values of each class."""
    from tcloseness.loss import AverageClassSize, Discernibility

    classes = found.class_counts
    chosen: list[Loss] = [Discernibility(), AverageClassSize(), *losses]
    files: tuple[ReleaseFile, ...] = ()
    check = None
    if output is not None:
        from tcloseness.release import AnonymizedTable

        names = list(inputs.columns)
        number, count = _free("class", names), _free("count", names)
        people = AnonymizedTable.of_frame(found.quasi_identifier_table(class_column=number, order="input"))
        values = AnonymizedTable.of_frame(found.sensitive_table(class_column=number, count_column=count))
        second = ReleaseFile.alone(_sensitive_file(output), values, inputs)
        files = (ReleaseFile.of(output, people, inputs, elsewhere=[inputs.sensitive]), second)  # sorts the rows
        check = check_command(second, inputs, quasi_identifiers=[number], weight=count)
    return Released(
        classes,
        ((found.verdict, classes),),
        tuple(loss.evaluate(classes) for loss in chosen),
        dict.fromkeys(inputs.quasi_identifiers, "as it is"),
        found.done,
        found.conventions,
        files,
        check,
    )


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _cost(released: Released) -> str:
    """Return the loss in one sentence."""
    from tcloseness.report.search_text import loss_text

    share = next((each for each in released.losses if each.loss == "GCP"), None)
    if share is None:
        return "The quasi-identifiers stay as they are: who is in the table is not hidden, only the sensitive value is."
    return f"Loss: GCP {loss_text(share)} (0: the table as it was; 1: every value generalized away)."
