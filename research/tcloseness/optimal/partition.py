"""`optimal_partition`: the partition of a small table into classes that satisfy a model at the least loss.

Local recoding: each class shows the tight label of its own records. Optimal k-anonymity is
NP-hard, so this is a baseline for tables of some tens of records, against which heuristics are measured. The search may
start from a partition that is handed in: a search that ends at a limit then answers with nothing worse.

Two formulations that know nothing of each other, `tcloseness.optimal.assignment` and
`tcloseness.optimal.set_partitioning`; the second also with classes that are generated as they are needed
(`tcloseness.optimal.column_generation`), which goes farthest.

A. Meyerson, R. Williams, "On the Complexity of Optimal K-Anonymity", PODS 2004.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from tcloseness.errors import InputError, SolverError, TimeLimitReached
from tcloseness.exact import IntArray, number_text
from tcloseness.limits import TimeLimit
from tcloseness.loss import Loss, SizeCost
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import PrivacyModel
from tcloseness.models.catalogue import taken_at_their_word
from tcloseness.models.conditions import asks_of_values
from tcloseness.optimal.answers import Answer, Infeasible, Report, SolverClock, answer
from tcloseness.optimal.class_costs import ClassCosts, minimized_loss, taken_at_its_word
from tcloseness.optimal.formulations import FORMULATIONS, Formulation, Task
from tcloseness.optimal.kinds import Kinds, one_class, require_judging_classes
from tcloseness.optimal.solver import Engine
from tcloseness.release import Anonymized, Partition, attributes_of, verified
from tcloseness.release.draws import Draws

__all__ = ["Start", "optimal_partition", "partition_of"]


def optimal_partition(
    table: Microdata,
    model: PrivacyModel,
    loss: str | Loss = "ncp",
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    categorical: Collection[str] = (),
    sensitive: str | None = None,
    suppress_at_most: int = 0,
    formulation: Formulation = "auto",
    engine: Engine = "HiGHS",
    start: Start | None = None,
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    progress: Report | None = None,
) -> Answer[Anonymized]:
    """Return the partition of the records that satisfies a model and has the least loss.

    minimize loss(classes) over all partitions of the records, but for at most s suppressed ones, into classes that
    satisfy the model.

    Parameters
    ----------
    table
        A table without weights and without suppressed records.
    model
        k-anonymity, ℓ-diversity, t-closeness, β-likeness, δ-disclosure, (α,k), or several with ``&``; monotone under
        generalization. Entropy ℓ-diversity and t-closeness by another measure than an EMD have no assignment form.
    loss
        One of `tcloseness.loss.names.OF_CLASSES`, such as ``"ncp"``, ``"dm"`` or ``"c-avg"``, or a loss that has a
        `class_cost`. One of your own is taken at its word for what a class costs, as far as `evaluate` agrees.
    hierarchies, categorical
        How quasi-identifiers are generalized, see `tcloseness.release.attributes_of`.
    sensitive
        The sensitive attribute, if there are several.
    suppress_at_most
        s: how many records may be suppressed. Each costs as in the loss: 1 per attribute (NCP, GCP, LM), the greatest
        heights, or n (DM); C_AVG, which suppression lowers, is refused. Q stays that of all records.
    formulation
        ``"set-partitioning"`` tries every group of records as a class, ``"column-generation"`` generates those that can
        be of use, ``"assignment"`` asks of each record in which class it is. ``"auto"`` takes the first where the
        groups are few, else the second, or with CBC the third.
    engine
        ``"HiGHS"``, or ``"CBC"`` for a second opinion: it tells no bound, so its answers are not `Optimal`,
        but for one that costs as little as anything can.
    start
        A partition that satisfies the model and suppresses no more records, such as a heuristic's release: then no
        answer is worse. Or the class of each record, −1 for a suppressed one.
    seed
        For the draw by which of equal records those are chosen that go into one class and not another; None (default):
        a secret one. A given seed makes the same choice again; such a release is not for publication. Records are equal
        if all their quasi-identifiers are, and, where the model asks something of it, their sensitive value.
    time_limit
        Seconds from the call on, building included. Then the best that was found is the answer, with its bound.
    memory_limit
        Bytes; by default half of what is free.
    progress
        Called with each `tcloseness.optimal.Progress`; by CBC with the first and the last only.

    Returns
    -------
    Optimal, Feasible or Infeasible
        Infeasible if even the whole table as one class violates the model; an exact argument, since the model is
        monotone. At the time limit `start` or the one class stands in for a better solution. Where records may be
        suppressed, infeasible if the solver says so.

    Raises
    ------
    InputError
        For a model that is not monotone, has no threshold, or has no form in the formulation; for an unknown loss or
        formulation; for C_AVG with suppression; for column generation by CBC; for a `start` that is of another table,
        suppresses too many records, or violates the model.
    LimitReached
        If the table has too many groups, or too large numbers; or if the one class violates the model, and with
        suppression nothing was found in time.
    SolverError
        If the solver's proposal is not a partition, or violates the model.

    Notes
    -----
    Two classes may have equal labels. They are two classes to the loss here, and one to a reader, and to the verdict:
    the solution's `partition` has them merged (its `grouped` has not), and for that reason a model must be monotone.
    Losses of cells do not notice; DM and C_AVG do, and `done` gives them for the classes as published too.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.models import KAnonymity
    >>> frame = pd.DataFrame({"x": [1, 2, 8, 9], "y": [1, 2, 8, 9], "s": list("abab")})
    >>> table = Microdata.from_frame(frame, quasi_identifiers=["x", "y"], sensitive="s")
    >>> found = optimal_partition(table, KAnonymity(2), "gcp")
    >>> found.objective, found.solution.labels
    (Fraction(1, 8), (('1-2', '1-2'), ('8-9', '8-9')))
    """
    clock = SolverClock(time_limit, memory_limit, progress=progress)
    if formulation not in FORMULATIONS:
        raise InputError(f"formulation={formulation!r} is unknown; it is one of {', '.join(FORMULATIONS)}")
    attributes = attributes_of(table, hierarchies, categorical=categorical)
    costs = ClassCosts(minimized_loss(loss, model), table, attributes)
    require_judging_classes(model)
    draws = Draws(seed)
    kinds = Kinds(table, attributes, sensitive, by_value=asks_of_values(model), draws=draws)
    suppressed = _suppressible(suppress_at_most, kinds.records, costs)
    whole, refused = one_class(kinds, model)
    known = None if refused else whole
    if start is not None:
        given = partition_of(start, table, model, costs, sensitive=kinds.counting.sensitive, suppressed=suppressed)
        known = given if known is None else min((given, known), key=costs.total)
    elif refused and not suppressed:
        return refused
    clock.tell(None if known is None else costs.of(known), None)
    task = Task(kinds, model, costs, suppressed, engine, clock)
    found = task.solve(formulation, None if known is None else int(costs.total(known) * costs.unit))
    proof = found.proof + taken_at_their_word(model) + taken_at_its_word(costs.loss)
    if found.groups is not None:
        partition = kinds.partition(found.groups, suppressed=suppressed)
        status = model.evaluate(partition.class_counts(kinds.counting.sensitive)).status
        if status != "satisfied":
            raise SolverError(
                f"{found.formulation} proposes {len(partition)} classes on which {model.name} is {status}; refused"
            )
        known = partition if known is None else min((partition, known), key=costs.total)
    if known is None:
        if found.infeasible:
            return Infeasible(
                f"{refused.reason if refused else model.name}; and with at most {suppressed} records suppressed no "
                f"partition satisfies it ({proof})"
            )
        raise TimeLimitReached(
            f"no partition that satisfies {model.name} was found within {clock.time_limit} seconds, with at most "
            f"{suppressed} records suppressed; give more time, or one that does as start="
        )
    value, bound = costs.of(known), costs.loss_of(found.bound)
    clock.tell(value, bound)
    release = verified(
        known,
        model,
        method=f"optimal partition, {found.formulation}",
        attributes=attributes,
        sensitive=kinds.counting.sensitive,
        conventions={"draws": draws.text},
    )
    done = {
        "formulation": found.formulation,
        **({} if start is None else {"started from": _named(start), "its loss": number_text(costs.of(given))}),
        "loss": costs.name,
        "loss of the classes as published": number_text(costs.published(release.partition)),
        **({"suppressed": known.suppressed, "suppressed at most": suppressed} if suppressed else {}),
        **found.done,
    }
    return answer(replace(release, done=done), objective=value, bound=bound, minimized=costs.name, proof=proof)


def _named(start: Start) -> str:
    return start.method if isinstance(start, Anonymized) else "a given partition"


def _suppressible(most: int, records: int, costs: ClassCosts) -> int:
    if isinstance(most, bool) or not isinstance(most, int) or most < 0:
        raise InputError(f"suppress_at_most = {most!r}; it is a number of records, ≥ 0")
    if most and isinstance(costs.form, SizeCost) and costs.form.suppressed is None:
        raise InputError(f"{costs.name} counts released records only, so suppression lowers it; take another loss")
    return min(most, records - 1)


Start: TypeAlias = Anonymized | Partition | Sequence[int] | IntArray
"""A release or partition of the table, or the class of each record: 0, 1, …, and −1 for a suppressed one."""


def partition_of(
    start: Start, table: Microdata, model: PrivacyModel, costs: ClassCosts, *, sensitive: str, suppressed: int
) -> Partition:
    """Return a start as a partition of a table that satisfies a model.

    Of a release the classes as its method made them are taken, or, if they violate the model or cost more, those that
    it publishes. Records are shown by tight labels of their classes, whatever the release shows.

    Raises
    ------
    InputError
        If it is a partition of another table, suppresses more records than allowed, or violates the model.
    TableError
        If it is no partition.
    """
    if isinstance(start, Anonymized):
        given = [start.grouped, start.partition]
    elif isinstance(start, Partition):
        given = [start]
    else:
        given = [Partition(table, _numbers(start))]
    if not _same(given[0].table, table):
        raise InputError(
            f"start= is a partition of another table ({_size(given[0].table)}; this one has {_size(table)}), or of one "
            "with other values; give one of this table"
        )
    found = [each if each.table is table else Partition(table, each.class_of) for each in given]
    if not len(found[0]):
        raise InputError("start= suppresses every record; give a partition with a class")
    if found[0].suppressed > suppressed:
        raise InputError(
            f"start= suppresses {found[0].suppressed} records, and at most {suppressed} may be; give another "
            "partition, or a greater suppress_at_most="
        )
    verdicts = [model.evaluate(each.class_counts(sensitive)) for each in found]
    good = [each for each, verdict in zip(found, verdicts, strict=True) if verdict.status == "satisfied"]
    if not good:
        verdict = verdicts[-1]
        raise InputError(
            f"start= does not satisfy {model.name}: {len(verdict.violating)} of {len(found[-1])} classes violate it; "
            "give a partition that does, or leave it out"
        )
    return min(good, key=costs.total)


def _numbers(start: Any) -> IntArray:
    try:
        return np.asarray(start)
    except (TypeError, ValueError) as error:  # ragged lists
        raise InputError(f"start={start!r} is not a number for each record; give a release or class numbers") from error


def _same(one: Microdata, other: Microdata) -> bool:
    """Say whether two tables have the same values in the same roles, record by record."""
    if one is other:
        return True
    for mine, theirs in ((one.quasi_identifiers, other.quasi_identifiers), (one.sensitive, other.sensitive)):
        if [column.name for column in mine] != [column.name for column in theirs]:
            return False
        for a, b in zip(mine, theirs, strict=True):
            if len(a.codes) != len(b.codes) or a.domain.values != b.domain.values or (a.codes != b.codes).any():
                return False
    return True


def _size(table: Microdata) -> str:
    names = ", ".join(column.name for column in table.quasi_identifiers)
    return f"{len(table)} records of {names or 'no quasi-identifier'}"
