"""``tcloseness optimal``: the least that an anonymization can cost, proved; or how far the best found may be off."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import Format, digest
from tcloseness.cli.exit_codes import ROWS
from tcloseness.cli.hierarchies import require_sensitive_hierarchy
from tcloseness.cli.limits import Limits, alarm
from tcloseness.cli.losses import OF_CLASSES, OF_VALUES, loss_given
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
from tcloseness.cli.output import file_name, print_json, result_console, solver_progress
from tcloseness.cli.proofs import Proof, bound_to
from tcloseness.cli.released import release_files
from tcloseness.cli.seeds import Seed, drawn_with, in_drawn_order, sentence
from tcloseness.cli.table_inputs import TableInputs
from tcloseness.cli.thresholds import Thresholds
from tcloseness.errors import InputError
from tcloseness.writing import refuse_files, write_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcloseness.optimal import Answer

__all__ = ["EPILOG", "Recoding", "Solver", "Task", "optimal"]

FORMAT = "tcloseness-optimal-2"

EPILOG = """
Tasks, and what each minimizes:

\b
  partition                 the --loss of all partitions of tens of records
  cut                       the --loss of all cuts through the hierarchies
  suppression               the suppressed records of a table, or at --node
  hiding                    the hidden sensitive values, likewise
  sensitive-generalization  the --loss of sensitive values that are shown as
                            nodes of --sensitive-hierarchy, likewise, for --t
  microaggregation          squared errors; a column shown as means of K or more

Hiding and sensitive-generalization keep every record. A hidden value is not part of a class's distribution; a node is
read as each value below it, by how often that is in the whole table.

Every answer is one of three. Optimal: nothing costs less, and what proves it. Feasible: a solution, and a bound below
which nothing is. Infeasible: why there is none. Solutions are verified exactly. That nothing costs less is proved in
whole numbers, and the proof is checked before the answer is called Optimal; where no checker knows a threshold, a loss
or a distance, it is HiGHS's word, in doubles, and the answer says so. CBC reports no bound; it is a second opinion.
Suppression and hiding are decided without a solver, unless --solver names one, or t by a matrix needs it. A partition
or a cut starts from the best that the methods of tcloseness anonymize find in a quarter of the time, and is never
worse.

Example: the 2-anonymous classes of least NCP, with a minute to find them; and the fewest records to suppress.

\b
  tcloseness optimal partition patients.csv --quasi-identifiers age,zip --sensitive disease \\
      --k 2 --time-limit 60 --output classes.csv
  tcloseness optimal suppression adult.csv --hierarchies hierarchies/ --node 3221 \\
      --quasi-identifiers age,education,race,sex --sensitive occupation \\
      --ground occupation=equal --k 5 --t 0.2
"""

_PROGRAM = "What to solve"


class Task(StrEnum):
    """The programs of `tcloseness.optimal`."""

    PARTITION = "partition"
    CUT = "cut"
    SUPPRESSION = "suppression"
    HIDING = "hiding"
    SENSITIVE_GENERALIZATION = "sensitive-generalization"
    MICROAGGREGATION = "microaggregation"


class Recoding(StrEnum):
    """How even a cut is."""

    SUBTREE = "subtree"
    FULL_DOMAIN = "full-domain"


class Solver(StrEnum):
    """The solvers."""

    HIGHS = "highs"
    CBC = "cbc"


_ENGINES = {Solver.HIGHS: "HiGHS", Solver.CBC: "CBC"}

_IN_WHOLE_NUMBERS = (Task.SUPPRESSION, Task.HIDING)
"""Where no solver is asked unless one is named, or needed."""

_AT_NODE = (Task.SUPPRESSION, Task.HIDING, Task.SENSITIVE_GENERALIZATION)

_SOLVED = (Task.PARTITION, Task.CUT, *_AT_NODE)

_OF_TASKS = {
    "--loss": (Task.PARTITION, Task.CUT, Task.SENSITIVE_GENERALIZATION),
    "--sensitive-hierarchy": (Task.SENSITIVE_GENERALIZATION,),
    "--formulation": (Task.PARTITION,),
    "--recoding": (Task.CUT,),
    "--node": _AT_NODE,
    "--solver": _SOLVED,
    "--numeric": (Task.PARTITION,),
    "--categorical": (Task.PARTITION,),
}
"""The options that only some tasks have."""


@expanded
def optimal(
    *,
    task: Annotated[Task, typer.Argument(metavar="TASK", help=f"One of {', '.join(Task)}; see below.")],
    table: Table,
    columns: Columns,
    loss: Annotated[
        str | None,
        option(
            _PROGRAM,
            "LOSS",
            f"What a partition or a cut minimizes: {', '.join(OF_CLASSES)}, or MODULE:NAME, a loss of your own "
            f"that has a class_cost (imported, that is, run); a sensitive-generalization: {', '.join(OF_VALUES)}, or "
            "MODULE:NAME.  [default: ncp]",
            among=OF_CLASSES,
        ),
    ] = None,
    recoding: Annotated[
        Recoding | None,
        option(_PROGRAM, None, "A cut goes through any nodes, or through those of one level.  [default: subtree]"),
    ] = None,
    node: Annotated[
        str | None,
        option(
            _PROGRAM,
            "NODE",
            "Where to suppress, hide or generalize sensitive values: one level for each quasi-identifier, such "
            "as 3221. Needs --hierarchies.",
        ),
    ] = None,
    formulation: Annotated[
        str | None,
        option(
            _PROGRAM,
            "NAME",
            "How a partition is written as a program; auto takes what fits its size.  [default: auto]",
        ),
    ] = None,
    solver: Annotated[
        Solver | None,
        option(
            _PROGRAM,
            None,
            "Who solves it.  [default: highs; suppression and hiding need none, see below]",
        ),
    ] = None,
    sensitive_hierarchy: Annotated[
        str | None,
        option(
            HIERARCHIES,
            "FILE",
            "The nodes that a sensitive-generalization shows, written as the other hierarchies are. That of "
            "--ground is not taken for it.",
        ),
    ] = None,
    seed: Seed = None,
    hierarchies: Hierarchies,
    numeric: Numeric = None,
    categorical: Categorical = None,
    thresholds: Thresholds,
    meaning: Meaning,
    written: AllFiles,
    engine: EngineBesideRows,
    limits: Limits,
    output: Output = None,
    proof: Proof,
    force: Force = False,
    form: OutputFormat = Format.TEXT,
) -> None:
    """Find the anonymization that costs least under all given thresholds, and prove that none costs less.

    If a limit is reached before that, what was found is printed with its bound.
    """
    clock = limits.clock()
    _refuse_other_tasks(
        task,
        {
            "--loss": loss,
            "--sensitive-hierarchy": sensitive_hierarchy,
            "--formulation": formulation,
            "--recoding": recoding,
            "--node": node,
            "--solver": solver,
            "--numeric": numeric,
            "--categorical": categorical,
        },
    )
    if task is Task.SENSITIVE_GENERALIZATION:
        sensitive_hierarchy = require_sensitive_hierarchy(sensitive_hierarchy, meaning.ground or ())
    minimized = loss_given(loss or "ncp", "--loss", OF_VALUES if task is Task.SENSITIVE_GENERALIZATION else OF_CLASSES)
    files = [*release_files(output), *proof.paths]
    refuse_files(files, force=force)
    with alarm(clock, "reading the table", grace=0.5):  # then there may still be time for a heuristic
        draws = drawn_with(seed)
        inputs = TableInputs.read(
            table,
            columns,
            numeric=numeric,
            categorical=categorical,
            hierarchies=hierarchies,
            every_hierarchy=task is Task.CUT or node is not None,
            thresholds=thresholds,
            meaning=meaning,
            written=written,
            engine=engine,
            rows=True,
            other_hierarchies=sensitive_hierarchy is not None,
        )
        inputs = in_drawn_order(inputs, draws)
        from tcloseness import __version__
        from tcloseness.cli.optimal_tasks import Question
        from tcloseness.exact import as_fraction
        from tcloseness.models.protocol import value_texts
        from tcloseness.optimal import Feasible, Infeasible
        from tcloseness.report.release_text import print_release

        model = inputs.model()
    refuse_files(files, force=force)
    solved_by = None if solver is None and task in _IN_WHOLE_NUMBERS else _ENGINES[solver or Solver.HIGHS]
    with solver_progress() as progress:
        question = Question(
            inputs,
            model,
            output,
            engine=solved_by,
            clock=clock,
            seed=draws.seed,
            progress=progress,
        )
        match task:
            case Task.PARTITION:
                found, released = question.partition(minimized, formulation or "auto")
            case Task.CUT:
                found, released = question.cut(minimized, (recoding or Recoding.SUBTREE).value)
            case Task.SUPPRESSION:
                found, released = question.suppression(node)
            case Task.HIDING:
                found, released = question.hiding(node)
            case Task.SENSITIVE_GENERALIZATION:
                found, released = question.sensitive_generalization(node, str(sensitive_hierarchy), minimized)
            case Task.MICROAGGREGATION:
                found, released = question.microaggregation()
    reading, sha256 = bound_to(inputs.source, inputs.written, meaning, inputs.weight)
    proved = proof.of(
        lambda: found.certificate(reading=reading, file_sha256=sha256), inputs.frequencies, inputs.sensitive
    )
    status = found.to_dict()["answer"]
    answer = [*_answer(found, thresholds.text(inputs.ground_name)), *sentence(draws)]
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "status": status,
        "answer": answer,
        "task": task.value,
        "solver": solved_by if task in _SOLVED else None,
        "time_limit_seconds": clock.time_limit,
        "seed": draws.seed,
        "model": model.name,
        **inputs.to_dict(),
    }
    assumed = inputs.assumed()
    if sensitive_hierarchy is not None:
        record["sensitive_hierarchy"] = {"file": file_name(sensitive_hierarchy), "sha256": digest(sensitive_hierarchy)}
        assumed["sensitive hierarchy"] = sensitive_hierarchy
    if isinstance(found, Infeasible):
        record["reason"] = found.reason
    else:
        record |= {
            "minimized": found.minimized,
            "objective": value_texts(found.objective),
            "bound": value_texts(found.bound if isinstance(found, Feasible) else found.objective),
            "gap": value_texts(found.gap if isinstance(found, Feasible) else as_fraction(0)),
            "proof": found.proof,
            "solution": found.solution.to_dict(),
        }
    record["certificate"] = proved.certificate and file_name(proved.certificate)
    if released is not None:
        released = replace(released, conventions={**released.conventions, "draws": draws.text})
        released.publish({**record, **released.to_dict(inputs)}, inputs, assumed, form, force=force, proved=proved)
    else:
        write_files(proved.files, force=force)
        if form is Format.JSON:
            print_json(record)
        else:
            print_release(result_console(), status=status, answer=answer, written=proved.written, conventions=assumed)
    if proved.refused is not None:
        raise proved.refused
    raise typer.Exit(ROWS["optimal"].statuses[status])


def _refuse_other_tasks(task: Task, given: Mapping[str, object]) -> None:
    """Raise `InputError` for an option that a task does not have."""
    for name, value in given.items():
        if value is not None and task not in _OF_TASKS[name]:
            raise InputError(f"{name} is for {' and '.join(_OF_TASKS[name])}, and not for {task}; leave it out")


def _answer(found: Answer[Any], asked: str) -> list[str]:
    """Say what was found, in a few sentences."""
    from tcloseness.optimal import Feasible, Infeasible
    from tcloseness.report.release_text import amount_text

    if isinstance(found, Infeasible):
        return [f"Infeasible: nothing satisfies {asked}.", f"{found.reason[:1].upper()}{found.reason[1:]}."]
    value = amount_text(found.objective)
    if isinstance(found, Feasible):
        return [
            f"Feasible: {found.minimized} {value}, under {asked}.",
            f"Whether less is possible is open: nothing is below {amount_text(found.bound)}, a gap of "
            f"{amount_text(found.gap)}. Proof: {found.proof}.",
        ]
    return [f"Optimal: the least {found.minimized} is {value}, under {asked}.", f"Proof: {found.proof}."]
