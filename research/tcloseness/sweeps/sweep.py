"""`sweep`: one question asked at every point of a grid."""

from __future__ import annotations

import inspect
import os
import pickle
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tcloseness.anonymize import METHODS
from tcloseness.audit import Audit, check
from tcloseness.comparison import audited_rows, by_name, measure
from tcloseness.errors import (
    InfeasibleError,
    InputError,
    MemoryLimitReached,
    NotReached,
    TClosenessError,
    TimeLimitReached,
    require_arguments,
)
from tcloseness.limits import as_raised
from tcloseness.loss import Loss
from tcloseness.methods import method_of
from tcloseness.models.catalogue import OPTIONS
from tcloseness.models.protocol import PrivacyModel
from tcloseness.progress import progress_bar
from tcloseness.release.published import Published
from tcloseness.sweeps.cells import OUTCOMES, PASSING, Cell, Sweep, Task, cell_of, record_of
from tcloseness.sweeps.kept import digest_of, keep, kept, key_of
from tcloseness.table import Table
from tcloseness.worker_pool import Died, how_many, in_processes
from tcloseness.writing import lock, make_folder

__all__ = ["sweep"]

_OF_THE_TABLE = ("hierarchies", "categorical", "sensitive")

VERBS = ("check", "search", "anonymize", "optimal")

_RAISED: tuple[tuple[type[BaseException], str], ...] = (
    (TimeLimitReached, "time limit"),
    (MemoryLimitReached, "memory limit"),
    (NotReached, "not reached"),
    (InfeasibleError, "infeasible"),
    (InputError, "refused"),
    (MemoryError, "memory limit"),
)


def sweep(
    tables: Table | Mapping[str, Table],
    verb: str | list[str] = "anonymize",
    *,
    processes: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    losses: Sequence[str | Loss] = (),
    **grid: Any,
) -> Sweep:
    """Ask tables one question at every point of a grid, in parallel processes; what is answered is kept.

    Parameters
    ----------
    tables
        A table, or several by name.
    verb
        What is asked: ``"anonymize"``, ``"optimal"``, ``"search"`` or ``"check"``; a list of them is an axis.
    processes
        How many processes work at a time; by default one a processor that may be used. 1 works in this process.
    folder
        Where each answer is kept, in a file of its own, as soon as it is there. What is kept there already, of the same
        table, parameters and version, is not computed again, so that a sweep that was interrupted or killed goes on
        when it is called again; a fault, or too little memory, is tried again. Nothing else in the folder is touched.
    losses
        Further losses of releases, or their names, beside those of `tcloseness.losses`; not for ``check``.
    **grid
        The arguments of the verb. Each that is a list (or a range) is an axis, and the grid is the product of all
        axes; anything else is the same everywhere. ``None`` leaves a threshold out. ``models=[…]`` is an axis of
        models, each a model or a tuple of several that are asked for together. ``time_limit`` and ``memory_limit`` hold
        for each cell. ``seed=1`` gives the same draws in any number of processes, ``seed=range(10)`` repeats everything
        under ten seeds; without a seed draws are secret, as elsewhere.

    Returns
    -------
    Sweep
        A cell that has no answer says so in its outcome: ``refused`` (with the message), ``infeasible``, ``not
        reached``, ``undecided``, ``time limit``, ``memory limit``, ``fault``. It ends no other cell.

    Raises
    ------
    InputError
        For an unknown verb or argument, an empty axis, or a folder in which a file of another kind has a cell's name.
    StudyError
        If another process works in the folder.
    KeyboardInterrupt
        When it is interrupted; it says how many cells are done, and that the same call goes on from there.

    Notes
    -----
    Processes are fresh interpreters, so tables and models must be picklable: a distance or model of one's own is
    defined in a module (in a script, below ``if __name__ == "__main__":`` stands what runs); else take
    ``processes=1``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [21, 24, 38, 41, 55, 58], "ill": ["flu", "cold"] * 3})
    >>> table = Table(frame, quasi_identifiers="age", sensitive="ill", ground="equal")
    >>> found = sweep(table, method=["mondrian", "mdav"], k=[2, 3, 7], seed=1, processes=1)
    >>> found.outcomes
    {'satisfied': 4, 'infeasible': 2}
    >>> found.to_frame()[["method", "k", "outcome", "GCP", "GCP exact"]].head(2)
         method  k    outcome       GCP GCP exact
    0  mondrian  2  satisfied  0.459459     17/37
    1  mondrian  3  satisfied  0.459459     17/37
    """
    named = {"table": tables} if isinstance(tables, Table) else tables
    if not isinstance(named, Mapping) or not named or not all(isinstance(each, Table) for each in named.values()):
        raise InputError(
            f"sweep() was given an object of class {type(tables).__name__}; give a Table, such as "
            "Table(frame, quasi_identifiers=…, sensitive=…), or a mapping from names to Tables"
        )
    workers = how_many(processes)
    axes, points = _points(verb, grid)
    if losses and any(each == "check" for each, _ in points):
        raise InputError("losses measures releases, and check makes none; leave losses= out, or check in another sweep")
    tasks = [(name, *point, tuple(losses)) for name in named for point in points]
    keys = ["" for _ in tasks]
    if folder is None:
        return Sweep(tuple(_answered(named, tasks, keys, {}, None, workers)), axes)
    digests = {name: digest_of(each) for name, each in named.items()}
    keys = [key_of(digests[task[0]], task) for task in tasks]
    make_folder(folder)
    with lock(folder):
        there = {key: kept(folder, key) for key in dict.fromkeys(keys)}
        found = {key: record for key, record in there.items() if record is not None}
        cells = _answered(named, tasks, keys, found, Path(folder), workers)
        return Sweep(tuple(cells), axes, os.fspath(folder))


def _points(verb: Any, grid: Mapping[str, Any]) -> tuple[tuple[str, ...], list[tuple[str, dict[str, Any]]]]:
    """Return the names of the axes, and the verb and the arguments of each point."""
    verbs = verb if isinstance(verb, list) else [verb]
    for each in verbs:
        if not isinstance(each, str) or each not in VERBS:
            raise InputError(f"verb {each!r} is unknown; it is one of {', '.join(VERBS)}")
    known = {name for each in verbs for name in inspect.signature(getattr(Table, each)).parameters}
    if "check" in verbs:
        known |= set(inspect.signature(check).parameters) - {"losses"}
    if "anonymize" in verbs:
        known |= {name for method in METHODS.values() for name in inspect.signature(method).parameters}
    known -= {"self", "table", "model", "asked", "thresholds", *_OF_THE_TABLE}
    if not any(callable(each) for each in (grid.get("method"), *_values(grid.get("method")))):
        require_arguments("sweep()", grid, [*OPTIONS, *sorted(known - set(OPTIONS))])
    varied = {name: _values(each) for name, each in grid.items()}
    for name, each in {"verb": verbs, **varied}.items():
        if not each:
            raise InputError(f"the axis {name} is empty, so there is nothing to ask; give at least one value")
    for each in varied.get("models", ()):
        for model in each if isinstance(each, tuple) else (each,):
            if model is not None and (isinstance(model, type) or not isinstance(model, PrivacyModel)):
                raise InputError(
                    f"models holds {model!r:.80}, which is not a privacy model; give a list of models, and in place of "
                    "one a tuple of several that are asked for together: models=[(one, other)]"
                )
    if "anonymize" in verbs:
        for each in varied.get("method", ()):
            if each is not None:
                method_of(each)
    axes = tuple(name for name, each in grid.items() if isinstance(each, list | range))
    points = [
        (each, {name: value for name, value in zip(varied, values, strict=True) if value is not None})
        for each in verbs
        for values in product(*varied.values())
    ]
    return (*(["verb"] if isinstance(verb, list) else []), *axes), points


def _values(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | range) else [given]


def _answered(
    tables: Mapping[str, Table],
    tasks: Sequence[Task],
    keys: Sequence[str],
    found: dict[str, Mapping[str, Any]],
    folder: Path | None,
    processes: int,
) -> list[Cell]:
    """Answer what is not found, keep each answer, and return all cells in order."""
    by_place: dict[int, Cell] = {
        place: cell_of(task, key, found[key], reused=True)
        for place, (task, key) in enumerate(zip(tasks, keys, strict=True))
        if key in found
    }
    left = [place for place in range(len(tasks)) if place not in by_place]
    number = min(len(left), processes)
    begun = len(by_place)
    passing = 0
    try:
        with progress_bar() as tell:
            for place, record in _records(tables, tasks, left, number):
                if folder is not None and record["outcome"] not in PASSING:
                    keep(folder, keys[place], {**record, "key": keys[place]})
                by_place[place] = cell_of(tasks[place], keys[place], record)
                passing += record["outcome"] in PASSING
                if tell is not None:
                    tell("sweeping", len(by_place), len(tasks))
    except KeyboardInterrupt:
        where = "are lost, since no folder= was given" if folder is None else f"are kept in {os.fspath(folder)!r}"
        where += f", but for {passing} that failed" if passing and folder is not None else ""
        way = "" if folder is None else "; the same call goes on from there"
        raise KeyboardInterrupt(
            f"the sweep was interrupted: {len(by_place)} of {len(tasks)} cells are done "
            f"({begun} by earlier runs), which {where}{way}"
        ) from None
    return [by_place[place] for place in range(len(tasks))]


def _records(
    tables: Mapping[str, Table], tasks: Sequence[Task], places: Sequence[int], processes: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    if processes <= 1:
        for place in places:
            yield place, _asked(tables, tasks[place])
        return
    for what, each in (("the tables", dict(tables)), *((f"cell {place + 1}", tasks[place]) for place in places)):
        try:
            pickle.dumps(each)
        except Exception as error:
            raise InputError(
                f"{what} cannot be given to another process ({error}); define what is your own in a module, or give "
                "processes=1"
            ) from error
    for number, answer in in_processes(_asked, dict(tables), [tasks[place] for place in places], processes):
        task = tasks[places[number]]
        yield places[number], record_of(task, "fault", answer.why, [], 0.0) if isinstance(answer, Died) else answer


def _asked(tables: Mapping[str, Table], task: Task) -> dict[str, Any]:
    """Answer one cell; whatever it raises but an interrupt is its outcome."""
    name, verb, arguments, losses = task
    begun = time.perf_counter()
    rows: list[dict[str, Any]] = []
    message = ""
    try:
        given = dict(arguments)
        if "models" in given and not isinstance(given["models"], tuple):
            given["models"] = (given["models"],)
        answer = getattr(tables[name], verb)(**given)
        outcome, message = _outcome(answer)
        rows = _measured(tables[name], answer, given, losses)
    except Exception as raised:  # noqa: BLE001 (one cell must not end the others)
        error = as_raised(raised)
        if not isinstance(error, Exception):
            raise error from None
        outcome = next((word for kind, word in _RAISED if isinstance(error, kind)), "fault")
        message = str(error) if isinstance(error, TClosenessError) else f"{type(error).__name__}: {error}"
    return record_of(task, outcome, message, rows, time.perf_counter() - begun)


def _outcome(answer: Any) -> tuple[str, str]:
    """Return an answer in a word, and why, where it has no release."""
    verdict = getattr(answer, "verdict", answer)
    status = getattr(verdict, "status", None)
    if isinstance(status, str) and status in OUTCOMES:
        return status, ""
    said = answer.to_dict()
    word = str(said.get("answer", said.get("status")))
    if word not in OUTCOMES:
        word = "undecided"
    return word, str(said.get("reason", said.get("proof", ""))) if word in ("infeasible", "undecided") else ""


def _measured(table: Table, answer: Any, asked: Mapping[str, Any], losses: Sequence[Any]) -> list[dict[str, Any]]:
    """Return what is measured on the release of an answer, or on the table itself."""
    if isinstance(answer, Audit):
        return audited_rows(answer, by_name([(each.loss, each.parameters, each) for each in answer.losses]))
    if isinstance(answer, Published):
        try:
            release = answer.release
        except InputError:  # several nodes, or none
            return []
        models = asked.get("models", ())
        thresholds = {name: value for name, value in asked.items() if name in OPTIONS}
        found = measure("", release, ground=table.ground or None, models=models, losses=losses, **thresholds)
        return audited_rows(found.audit, found.losses)
    costs = answer.losses() if hasattr(answer, "losses") else {}
    return audited_rows(None, costs)
