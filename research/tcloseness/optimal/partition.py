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

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from tcloseness.certificates import Envelope, Reading
from tcloseness.errors import InputError, NotCertified, SolverError, TimeLimitReached
from tcloseness.exact import IntArray, number_text
from tcloseness.limits import TimeLimit
from tcloseness.loss import Loss, SizeCost
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.models.catalogue import taken_at_their_word
from tcloseness.models.conditions import asks_of_values
from tcloseness.optimal.answers import (
    Answer,
    Infeasible,
    Prover,
    Report,
    SolverClock,
    answer,
    refusing,
    watch_by,
    whole_bound,
)
from tcloseness.optimal.assignment import Assignment
from tcloseness.optimal.class_costs import ClassCosts, minimized_loss, taken_at_its_word
from tcloseness.optimal.column_generation import Generated, generate
from tcloseness.optimal.kinds import Group, KindCounts, one_class, require_judging_classes
from tcloseness.optimal.partition_proof import PartitionProof
from tcloseness.optimal.set_partitioning import MOST_CANDIDATES, SetPartitioning, number_of_groups, trivial_bound
from tcloseness.optimal.solver import Engine, NoSolution, Proposal, propose, whose_bound
from tcloseness.release import Anonymized, Hierarchical, Partition, attributes_of, verified
from tcloseness.release.anonymized import AS_PUBLISHED
from tcloseness.release.draws import Draws

__all__ = ["FEW_GROUPS", "FORMULATIONS", "Formulation", "Outcome", "Start", "Task", "optimal_partition", "partition_of"]


def optimal_partition(
    table: Microdata | FullTable,
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
        ``"HiGHS"``, or ``"CBC"`` for a second opinion: it reports no bound, so its answers are not `Optimal`,
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
    table = in_shape(table, Microdata)
    clock = SolverClock(time_limit, memory_limit, progress=progress)
    if formulation not in FORMULATIONS:
        raise InputError(f"formulation={formulation!r} is unknown; it is one of {', '.join(FORMULATIONS)}")
    attributes = attributes_of(table, hierarchies, categorical=categorical)
    for each in attributes:
        if isinstance(each, Hierarchical):  # said before anything is solved
            each.ancestors.require_labels_apart(each.name)
    costs = ClassCosts(minimized_loss(loss, model), table, attributes)
    require_judging_classes(model)
    draws = Draws(seed)
    kinds = KindCounts(table, attributes, sensitive, by_value=asks_of_values(model), draws=draws)
    suppressed = _suppressible(suppress_at_most, kinds.records, costs)
    whole, refused = one_class(kinds, model)
    known = None if refused else whole
    if start is not None:
        given = partition_of(start, table, model, costs, sensitive=kinds.counting.sensitive, suppressed=suppressed)
        known = given if known is None else min((given, known), key=costs.total)
    elif refused and not suppressed:
        return refused
    clock.report(None if known is None else costs.of(known), None)
    task = Task(kinds, model, costs, suppressed, engine, clock)
    found = task.solve(formulation, None if known is None else int(costs.total(known) * costs.unit))
    words = taken_at_their_word(model) + taken_at_its_word(costs.loss)
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
                f"partition satisfies it ({found.proof}{words})",
                prover=task.refuted(found, words),
            )
        raise TimeLimitReached(
            f"no partition that satisfies {model.name} was found within {clock.time_limit} seconds, with at most "
            f"{suppressed} records suppressed; give more time, or one that does as start="
        )
    value, (least, proof, prover) = costs.of(known), task.proved(known, found, words)
    bound = costs.loss_of(least)
    clock.report(value, bound)
    release = verified(
        known,
        model,
        method=f"optimal partition, {found.formulation}",
        attributes=attributes,
        sensitive=kinds.counting.sensitive,
        conventions={"draws": draws.text},
    )
    by = start.method if isinstance(start, Anonymized) else "a given partition"
    done = {
        "formulation": found.formulation,
        **({} if start is None else {"started from": by, "its loss": number_text(costs.of(given))}),
        "loss": costs.name,
        AS_PUBLISHED: number_text(costs.published(release.partition)),
        **({"suppressed": known.suppressed, "suppressed at most": suppressed} if suppressed else {}),
        **found.done,
    }
    solution = replace(release, done=done)
    return answer(solution, objective=value, bound=bound, minimized=costs.name, proof=proof, prover=prover)


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
        If it is not a partition.
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


Formulation = Literal["auto", "assignment", "set-partitioning", "column-generation"]

FORMULATIONS: tuple[Formulation, ...] = ("auto", "assignment", "set-partitioning", "column-generation")

BY_PRICES = "exact argument: linear programming duality in whole numbers"

FEW_GROUPS = 1_000
"""Up to so many groups a program over all of them is as fast as one over generated classes."""


@dataclass(frozen=True)
class Outcome:
    """What a formulation came to.

    Attributes
    ----------
    formulation
        Its name.
    groups
        The classes of the best partition, or None.
    bound
        No partition has less whole cost.
    proof
        Whose word that is.
    infeasible
        Whether there is no partition at all, by the same word.
    done
        What else is known, by name.
    generated
        What was found, where classes were generated.
    """

    formulation: str
    groups: Sequence[Group] | None
    bound: int
    proof: str
    infeasible: bool = False
    done: Mapping[str, Any] = field(default_factory=dict)
    generated: Generated | None = None


@dataclass(frozen=True)
class Task:
    """What is asked of a partition.

    Attributes
    ----------
    kinds, model, costs
        The records, what a class must satisfy, and what it costs.
    suppressed
        At most so many records may be suppressed.
    engine, clock
        The solver and its time.
    """

    kinds: KindCounts
    model: PrivacyModel
    costs: ClassCosts
    suppressed: int
    engine: Engine
    clock: SolverClock

    def solve(self, formulation: Formulation, upper: int | None) -> Outcome:
        """Solve by one formulation, with the whole cost of a partition that is known.

        Raises
        ------
        InputError
            For a model or attribute that the formulation has no form for, or column generation by CBC.
        LimitReached
            If there are too many groups, or too large numbers.
        SolverError
            If the solver fails, or calls a program infeasible though a partition is known.
        """
        if formulation == "auto":
            number = number_of_groups(self.kinds.counts, self.model, MOST_CANDIDATES)
            formulation = "set-partitioning"
            if self.engine == "HiGHS" and number > FEW_GROUPS:
                formulation = "column-generation"
            elif number > MOST_CANDIDATES:
                formulation = "assignment"
        if formulation == "column-generation":
            return self._generated(upper)
        return self._solved(formulation, upper)

    def _solved(self, formulation: str, upper: int | None) -> Outcome:
        form: type[Assignment | SetPartitioning] = Assignment if formulation == "assignment" else SetPartitioning
        trivial = trivial_bound(self.kinds, self.model, self.costs)
        try:
            written = form.of(self.kinds, self.model, self.costs, self.suppressed, self.clock)
        except TimeLimitReached:
            return Outcome(formulation, None, trivial, whose_bound(self.engine, -math.inf))
        proposal = propose(
            written.program, engine=self.engine, clock=self.clock, watch=watch_by(self.clock, self.costs.loss_of)
        )
        if isinstance(proposal, NoSolution):
            if upper is not None:
                raise SolverError(f"{self.engine} calls a program infeasible that a known partition solves; refused")
            if self.engine == "CBC":
                raise SolverError("CBC calls the program infeasible, and its word alone is not taken; ask HiGHS")
            proof = f"{self.engine} calls the program infeasible, in doubles"
            return Outcome(formulation, None, trivial, proof, infeasible=True)
        bound = max(trivial, whole_bound(proposal.bound)) if math.isfinite(proposal.bound) else trivial
        groups = written.read(proposal.values) if isinstance(proposal, Proposal) else None
        return Outcome(formulation, groups, bound, whose_bound(self.engine, proposal.bound))

    def _generated(self, upper: int | None) -> Outcome:
        if self.engine != "HiGHS":
            raise InputError(f"column generation needs the dual prices of HiGHS; {self.engine} gives too few digits")
        found = self._generate(upper)
        proof = BY_PRICES if found.priced else whose_bound(self.engine, -math.inf)
        return Outcome(
            "column-generation",
            found.groups,
            found.bound,
            proof,
            found.infeasible,
            {
                "classes generated": len(found.classes),
                "bound before branching": number_text(self.costs.loss_of(found.relaxed)),
            },
            found,
        )

    def proved(self, known: Partition, found: Outcome, words: str) -> tuple[int, str, Prover | None]:
        """Return what bound a partition has, whose word that is, and what makes its certificate.

        Where a checker knows the model, the loss and the attributes, the partition is called optimal only if it accepts
        the proof, or if any partition costs as much. What a solver's bound says is then proved by generated classes.
        """
        least, proof = int(self.costs.total(known) * self.costs.unit), found.proof
        if words:
            return found.bound, proof + words, refusing(NotCertified(words.removeprefix("; ")))
        try:
            asked = PartitionProof(self.kinds, self.model, self.costs, self.suppressed)
        except NotCertified as error:
            return found.bound, f"{proof}; {error}", refusing(error)
        generated, trivial = found.generated, trivial_bound(self.kinds, self.model, self.costs)
        if found.bound != least:
            return found.bound, proof, partial(asked.sealed_bound, known, found.bound, generated)
        try:
            if generated is None and least > trivial:
                generated = self._generate(least)
            shown = asked.of(known, least, generated, self.clock)
        except (NotCertified, SolverError) as error:
            if least == trivial:
                proof = f"exact argument: no classes of these records cost less; {error}"
                return least, proof, refusing(NotCertified(f"not certified: {error}"))
            below = trivial if generated is None else max(trivial, min(generated.relaxed, least - 1))
            return below, f"{proof}; not proved optimal: {error}", refusing(NotCertified(f"not certified: {error}"))
        proof = proof if proof.startswith("exact") else BY_PRICES
        return least, f"{proof}, checked", partial(asked.sealed, shown)

    def refuted(self, found: Outcome, words: str) -> Prover:
        """Return what makes the certificate that there is no partition."""
        if words:
            return refusing(NotCertified(words.removeprefix("; ")))
        return partial(replace(self, clock=SolverClock())._refutation, found.generated)

    def _refutation(self, generated: Generated | None, reading: Reading | None, file_sha256: str) -> Envelope:
        asked = PartitionProof(self.kinds, self.model, self.costs, self.suppressed)
        bound = self.costs.greatest(self.suppressed) + 1
        return asked.sealed_bound(None, bound, generated or self._generate(None), reading, file_sha256)

    def _generate(self, upper: int | None) -> Generated:
        return generate(
            self.kinds,
            self.model,
            self.costs,
            suppressed=self.suppressed,
            upper=upper,
            clock=self.clock,
            report=self._report,
        )

    def _report(self, whole_cost: int | None, bound: int) -> None:
        self.clock.report(None if whole_cost is None else self.costs.loss_of(whole_cost), self.costs.loss_of(bound))
