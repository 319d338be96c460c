"""`optimal_partition`: the partition of a small table into classes that satisfy a model at the least loss.

Local recoding: each class shows the tight label of its own records, and no record is suppressed. Optimal k-anonymity is
NP-hard, so this is a baseline for tables of some tens of records, against which heuristics are measured.

Two formulations that know nothing of each other: `tcloseness.optimal.assignment` and
`tcloseness.optimal.set_partitioning`.

A. Meyerson, R. Williams, "On the Complexity of Optimal K-Anonymity", PODS 2004.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from tcloseness.anonymize import Anonymized, PartitionCost, attributes_of, cost_named, verified
from tcloseness.anonymize.costs import AverageSize
from tcloseness.anonymize.targets import asked_k
from tcloseness.errors import InputError, LimitReached, SolverError
from tcloseness.exact import number_text
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import PrivacyModel
from tcloseness.optimal.answers import Answer, answer, whole_bound
from tcloseness.optimal.assignment import Assignment
from tcloseness.optimal.class_costs import exact_loss, loss_of_totals, require_splittable, unit_of
from tcloseness.optimal.judging import one_class, require_judging_classes
from tcloseness.optimal.kinds import Kinds
from tcloseness.optimal.progress import Clock, Report, watch_by
from tcloseness.optimal.set_partitioning import SetPartitioning, least_needed
from tcloseness.optimal.solver import Engine, NoSolution, Proposal, propose, whose_bound

__all__ = ["FORMULATIONS", "Formulation", "optimal_partition"]

Formulation = Literal["auto", "assignment", "set-partitioning"]

FORMULATIONS: tuple[Formulation, ...] = ("auto", "assignment", "set-partitioning")


def optimal_partition(
    table: Microdata,
    model: PrivacyModel,
    loss: str | PartitionCost = "ncp",
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    categorical: Collection[str] = (),
    sensitive: str | None = None,
    formulation: Formulation = "auto",
    engine: Engine = "HiGHS",
    time_limit: float | None = None,
    progress: Report | None = None,
) -> Answer[Anonymized]:
    """Return the partition of all records that satisfies a model and has the least loss.

    minimize loss(classes) over all partitions of the records into classes that satisfy the model.

    Parameters
    ----------
    table
        A table without weights and without suppressed records.
    model
        k-anonymity, ℓ-diversity, t-closeness, β-likeness, δ-disclosure, (α,k), or several with ``&``; monotone under
        generalization. Entropy ℓ-diversity and t-closeness by another measure than an EMD need set-partitioning.
    loss
        ``"ncp"``, ``"gcp"``, ``"lm"``, ``"height"``, ``"dm"`` or ``"c-avg"``, or such a cost of
        `tcloseness.anonymize.costs`.
    hierarchies, categorical
        How quasi-identifiers are generalized, see `tcloseness.anonymize.attributes_of`.
    sensitive
        The sensitive attribute, if there are several.
    formulation
        ``"set-partitioning"`` tries every group of records as a class; ``"assignment"`` asks of each record in which
        class it is; ``"auto"`` takes the first where the groups are few enough.
    engine
        ``"HiGHS"``, or ``"CBC"`` for a second opinion: it tells no bound, so its answers are not `Optimal`.
    time_limit
        Seconds.
    progress
        Called with each `tcloseness.optimal.Progress`; by CBC with the first and the last only.

    Returns
    -------
    Optimal, Feasible or Infeasible
        Infeasible if even the whole table as one class violates the model; an exact argument, since the model is
        monotone. At the time limit the one class stands in for a better solution.

    Raises
    ------
    InputError
        For a model that is not monotone, has no threshold, or has no form in the formulation; for an unknown loss or
        formulation.
    LimitReached
        If the table has too many groups, or too large numbers.
    SolverError
        If the solver's proposal is no partition, or violates the model.

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
    clock = Clock(time_limit, progress)
    if formulation not in FORMULATIONS:
        raise InputError(f"formulation={formulation!r} is unknown; it is one of {', '.join(FORMULATIONS)}")
    attributes = attributes_of(table, hierarchies, categorical=categorical)
    cost = cost_named(loss, table, attributes, k=asked_k(model)) if isinstance(loss, str) else loss
    require_splittable(cost)
    require_judging_classes(model)
    kinds = Kinds(table, attributes, sensitive)
    whole, refused = one_class(kinds, model)
    if refused:
        return refused
    loss_of, unit = loss_of_totals(cost, whole), unit_of(cost)
    clock.tell(exact_loss(cost, whole), None)
    written = _formulated(kinds, model, cost, formulation)
    name = "set-partitioning" if isinstance(written, SetPartitioning) else "assignment"
    watch = watch_by(clock, lambda whole_cost: loss_of(Fraction(whole_cost, unit)))
    proposal = propose(written.program, engine=engine, clock=clock, watch=watch)
    if isinstance(proposal, NoSolution):
        raise SolverError(f"{engine} calls a program infeasible that one class of all records solves; refused")
    partition = whole
    if isinstance(proposal, Proposal):
        found = kinds.partition(written.read(proposal.values))
        status = model.evaluate(found.class_counts(kinds.counting.sensitive)).status
        if status != "satisfied":
            raise SolverError(f"{engine} proposes {len(found)} classes on which {model.name} is {status}; refused")
        partition = min((found, whole), key=cost.total)
    trivial = Fraction(-(kinds.records // least_needed(model)) if isinstance(cost, AverageSize) else 0)
    told = Fraction(whole_bound(proposal.bound), unit) if math.isfinite(proposal.bound) else trivial
    value, bound = exact_loss(cost, partition), loss_of(max(told, trivial))
    clock.tell(value, bound)
    release = verified(
        partition, model, method=f"optimal partition, {name}", attributes=attributes, sensitive=kinds.counting.sensitive
    )
    done = {
        "formulation": name,
        "loss": cost.name,
        "loss of the classes as published": number_text(exact_loss(cost, release.partition)),
    }
    return answer(
        replace(release, done=done),
        objective=value,
        bound=bound,
        minimized=cost.name,
        proof=whose_bound(engine, proposal.bound),
    )


def _formulated(
    kinds: Kinds, model: PrivacyModel, cost: PartitionCost, formulation: Formulation
) -> SetPartitioning | Assignment:
    if formulation != "assignment":
        try:
            return SetPartitioning.of(kinds, model, cost)
        except LimitReached:
            if formulation == "set-partitioning":
                raise
    return Assignment.of(kinds, model, cost)
