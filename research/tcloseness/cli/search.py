"""``tcloseness search``: which generalizations of a table are enough, what they cost, and the table written."""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from tcloseness.cli.anonymized_output import Anonymization, chosen_node, satisfying_node
from tcloseness.cli.arguments import Format
from tcloseness.cli.exit_codes import INTERRUPTED, ROWS
from tcloseness.cli.limits import Limits, alarm
from tcloseness.cli.losses import NAMES, OwnLosses, loss_given, own_losses
from tcloseness.cli.options import (
    COLUMNS,
    RESULT,
    AllFiles,
    Columns,
    Engine,
    Force,
    Hierarchies,
    Identifying,
    Keep,
    Meaning,
    NoPerson,
    Output,
    OutputFormat,
    Sensitive,
    Table,
    Weight,
    expanded,
    flag,
    option,
)
from tcloseness.cli.output import file_name, print_json, require_figure, result_console
from tcloseness.cli.proofs import Proof, Proved, bound_to
from tcloseness.cli.released import release_files, sidecar_name, warn_of_suppressed
from tcloseness.cli.table_inputs import TableInputs
from tcloseness.cli.thresholds import Thresholds
from tcloseness.displayed import counted
from tcloseness.errors import InputError
from tcloseness.progress import progress_bar
from tcloseness.writing import refuse_files, write_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tcloseness.lattice.search_answer import PartialSearchAnswer, SearchAnswer, Wanted
    from tcloseness.loss import Loss

__all__ = ["EPILOG", "search"]

FORMAT = "tcloseness-search-1"

EPILOG = """
A hierarchy file has no header; a row is value,level 1,…,* and every value that occurs has one.

Example: which generalizations of the Adult table are 5-anonymous and 0.2-close, and which of them loses least? Write
it, and what was done into anonymized.json.

\b
  tcloseness search adult.csv --hierarchies hierarchies/ \\
      --quasi-identifiers age,education,race,sex --sensitive occupation \\
      --ground occupation=equal --k 5 --t 0.2 --suppression 0.01 \\
      --optimum dm --output anonymized.csv --figure lattice.png
"""

_SEARCH = "What to search for"

_ONE = (
    "a search decides one sensitive attribute; name one. Without suppression, the nodes that --all lists for each of "
    "them in turn and that are on every list satisfy for all"
)


@expanded
def search(
    *,
    table: Table,
    quasi_identifiers: Annotated[
        list[str],
        option(
            COLUMNS,
            "COLUMN,…",
            "Columns that an outsider may know, in the order of a node's levels. Repeatable; a value that is a "
            "column's whole name is not split.",
            "--quasi-identifiers",
            "-q",
        ),
    ],
    sensitive: Sensitive = None,
    identifying: Identifying = None,
    weight: Weight = None,
    person: NoPerson = None,
    keep: Keep = None,
    hierarchies: Hierarchies,
    minimal: Annotated[
        bool,
        flag(
            _SEARCH,
            "--minimal",
            "List the nodes that satisfy while no direct specialization does (the default).",
        ),
    ] = False,
    every: Annotated[bool, flag(_SEARCH, "--all", "List every node that satisfies.")] = False,
    best_by: Annotated[
        str | None,
        option(
            _SEARCH,
            "LOSS",
            f"List the nodes of least loss, and why no other is better. LOSS is one of {', '.join(NAMES)}, "
            "or MODULE:NAME, a loss of your own (imported, that is, run); precision is maximized, c-avg needs --k.",
            "--optimum",
            among=NAMES,
        ),
    ] = None,
    suppression: Annotated[
        str,
        option(
            _SEARCH,
            "SHARE",
            "How many of the records may be suppressed at a node, rounded down: all classes that violate are.",
        ),
    ] = "0",
    numeric: Annotated[
        list[str] | None,
        option(
            _SEARCH,
            "COLUMN,…",
            "Quasi-identifiers whose labels are intervals of numbers, for the losses ncp, gcp and lm.",
        ),
    ] = None,
    loss: OwnLosses = None,
    thresholds: Thresholds,
    meaning: Meaning,
    written: AllFiles,
    engine: Engine,
    limits: Limits,
    output: Output = None,
    chosen: Annotated[str | None, option(RESULT, "NODE", "Which node to write, such as 4222020.", "--node")] = None,
    figure: Annotated[
        str | None,
        option(RESULT, "FILE", "Draw the lattice (.png, .svg or .pdf): node by node if it is small, else by height."),
    ] = None,
    proof: Proof,
    force: Force = False,
    form: OutputFormat = Format.TEXT,
) -> None:
    """Search the generalizations of a table for those that satisfy all given thresholds.

    A node of the lattice is one level for each quasi-identifier, in the order in which they are named; 0 is the value
    itself. A search that ends early prints what was found until then, marked as not complete, and writes no file.
    """
    clock = limits.clock()
    wanted = _wanted(minimal, every, best_by)
    minimized = None if best_by is None else loss_given(best_by, "--optimum", NAMES)
    own = own_losses(loss)
    files = [*_files(output, chosen, figure), *proof.paths]
    refuse_files(files, force=force)
    with alarm(clock, "reading the table"):
        inputs = TableInputs.read(
            table,
            Columns(quasi_identifiers, sensitive, identifying, person, keep),
            weight=weight,
            numeric=numeric,
            hierarchies=hierarchies,
            every_hierarchy=True,
            thresholds=thresholds,
            meaning=meaning,
            written=written,
            one=_ONE,
            engine=engine,
            rows=False,
        )
    refuse_files(files, force=force)

    with alarm(clock, "preparing the table for the search"):
        from tcloseness import __version__
        from tcloseness.lattice.decide import SEARCHING
        from tcloseness.lattice.search_answer import PartialSearchAnswer, SearchAnswer, search_lattice
        from tcloseness.lattice.searches import search_conventions
        from tcloseness.release.counting import suppression_rows
        from tcloseness.report.search_text import answer_of_search, print_search, size_text

        model = inputs.model()
        best_loss, listed = _losses(minimized, own, inputs)
        limit = suppression_rows(suppression, inputs.frequencies.records)
        rolled = inputs.rolled_up(clock)
        node = None if chosen is None else satisfying_node(rolled, chosen, model, limit)
    with progress_bar() as progress, alarm(clock, SEARCHING, grace=0.5, looks=True):
        print(size_text(rolled.lattice), file=sys.stderr, flush=True)
        answer = search_lattice(
            rolled,
            model,
            ground=inputs.measured_by,
            wanted=wanted,
            loss=best_loss,
            suppression=limit,
            losses=listed,
            decide_all=figure is not None,
            progress=progress,
            time_limit=clock,
            partial=True,
        )

    asked, conventions = _asked(inputs, limit), search_conventions(rolled, limit)
    refused: InputError | None = None
    made: Anonymization | None = None
    if isinstance(answer, SearchAnswer) and output is not None:
        try:
            which = chosen_node(answer, node)
        except InputError as error:  # raised when the list is printed: it is what to choose from
            refused = error
        else:
            made = None if which is None else Anonymization.of(output, which, inputs, rolled, model, answer)
    results = {} if made is None else made.files
    if isinstance(answer, SearchAnswer) and figure is not None:
        results[figure] = _drawn(answer, asked, PurePath(figure).suffix)
    proved: Proved | None = None
    if isinstance(answer, SearchAnswer):
        reading, sha256 = bound_to(inputs.source, inputs.written, meaning, inputs.weight)
        proved = proof.of(
            lambda: answer.certificate(reading=reading, file_sha256=sha256), inputs.frequencies, inputs.sensitive
        )
        results |= proved.files
        refused = refused or proved.refused
    certificate = None if proved is None or proved.envelope is None else proof.certificate
    write_files(results, force=force)
    if isinstance(answer, PartialSearchAnswer) and files:
        print(f"warning: {', '.join(files)}: not written, since the search is not complete", file=sys.stderr)
    drawn = figure if figure in results else None
    if form is Format.JSON:
        print_json(
            {
                "format": FORMAT,
                "version": __version__,
                "status": answer.status if isinstance(answer, SearchAnswer) else "partial",
                "answer": answer_of_search(answer, asked),
                **inputs.to_dict(),
                "model": model.name,
                "lattice": {
                    "nodes": len(rolled.lattice),
                    "levels": list(rolled.lattice.shape),
                    "height": rolled.lattice.height,
                    "nodes_by_height": rolled.lattice.sizes_by_height(),
                },
                "suppression_limit_records": limit,
                **answer.to_dict(),
                "anonymized": None if made is None else made.summary,
                "figure": drawn and file_name(drawn),
                "certificate": certificate and file_name(certificate),
                "conventions": dict(conventions),
            }
        )
    else:
        print_search(
            answer,
            result_console(),
            asked=asked,
            threshold=thresholds.number("t"),
            written={**_written(made, drawn), **({"certificate": f"{certificate}, checked"} if certificate else {})},
            conventions={**_assumed(inputs, answer), **conventions},
        )
    if made is not None:
        warn_of_suppressed(made.record["suppressed_together"])
    if refused is not None:
        raise refused
    if isinstance(answer, PartialSearchAnswer):
        raise typer.Exit(INTERRUPTED if answer.reason == "interrupted" else ROWS["search"].statuses["partial"])
    raise typer.Exit(ROWS["search"].statuses[answer.status])


# ---------------------------------------------------------------------- what is asked for


def _wanted(minimal: bool, every: bool, best_by: str | None) -> Wanted:
    chosen = [
        option
        for option, given in (("--minimal", minimal), ("--all", every), ("--optimum", best_by is not None))
        if given
    ]
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(chosen)} ask for different lists of nodes; give one of them")
    return "all" if every else "optimum" if best_by is not None else "minimal"


def _files(output: str | None, chosen: str | None, figure: str | None) -> list[str]:
    """Return the files to write."""
    files = release_files(output)
    if chosen is not None and output is None:
        raise InputError(f"--node {chosen} says which node --output writes; give --output too")
    return [*files, *require_figure(figure)]


def _losses(best_by: str | Loss | None, own: Sequence[Loss], inputs: TableInputs) -> tuple[Loss | None, list[Loss]]:
    """Return the loss to minimize, and those that are listed."""
    from tcloseness.loss.names import loss_named
    from tcloseness.models.thresholds import whole

    given = inputs.thresholds.values.get("k")
    k = None if given is None else whole(given, "--k")
    names = ["height", "precision", "dm", "class-size", *([] if k is None else ["c-avg"]), "gcp"]
    listed = [*(loss_named(name, k=k, numeric=inputs.numeric) for name in names), *own]
    if best_by is None or not isinstance(best_by, str):
        return best_by, listed
    return loss_named(best_by, k=k, numeric=inputs.numeric), listed


def _asked(inputs: TableInputs, limit: int) -> str:
    suppressed = f" with at most {limit:,} of {counted(inputs.frequencies.records, 'record')} suppressed"
    return inputs.thresholds.text(inputs.ground_name) + (suppressed if limit else "")


# ---------------------------------------------------------------------- what is reported


def _drawn(answer: SearchAnswer, asked: str, suffix: str) -> bytes:
    """Return the figure of the lattice as a file's bytes."""
    from tcloseness.report.figures import image
    from tcloseness.report.lattice_figures import plot_lattice

    assert answer.result is not None
    best = () if answer.optimum is None else [each.node for each in answer.optimum.nodes]
    return image(plot_lattice(answer.result, optimal=best, title=asked), suffix)


def _written(made: Anonymization | None, figure: str | None) -> dict[str, str]:
    lines = {}
    if made is not None:
        record = made.record
        levels = ", ".join(f"{name} {each['level']}/{each['of']}" for name, each in record["levels"].items())
        columns = record["columns"]
        lines = {
            "anonymized table": f"{made.output}: {counted(record['rows'], 'row')}, "
            f"{counted(record['suppressed_records'], 'record')} suppressed",
            "node": f"{record['node']}, {record['chosen']}",
            "levels": levels,
            **({"left out": ", ".join(columns["left_out"])} if columns["left_out"] else {}),
            "what was done": sidecar_name(made.output),
            "re-check": made.check,
        }
    return {**lines, **({} if figure is None else {"figure": figure})}


def _assumed(inputs: TableInputs, answer: SearchAnswer | PartialSearchAnswer) -> dict[str, str]:
    from tcloseness.lattice.search_answer import SearchAnswer
    from tcloseness.report.wording import STAND_FOR

    work, files, table = answer.work, inputs.hierarchies, inputs.frequencies
    found = answer.result if isinstance(answer, SearchAnswer) else answer.search_so_far
    algorithm = "" if found is None else f"{found.algorithm}: "
    dropped = f", {counted(table.dropped, 'row')} dropped for missing values" if table.dropped else ""
    weighted, checked = table.rows, counted(work.checked, "node")
    rows = {} if weighted is None else {"rows": f"{int(weighted.sum()):,}, {STAND_FOR}"}
    return {
        "table": f"{inputs.source.name}, {counted(table.records, 'record')}{dropped}",
        **rows,
        "a node's digits": ", ".join(inputs.quasi_identifiers),
        "sensitive": inputs.sensitive or "none was named",
        **({"ground distance": inputs.ground_name} if inputs.sensitive_columns else {}),
        "hierarchies": files.folder or "each by its own option",
        **({"not used": f"the hierarchies of {', '.join(inputs.unused)}"} if inputs.unused else {}),
        "search": f"{algorithm}{checked} checked, {work.tagged:,} settled by monotonicity",
    }
