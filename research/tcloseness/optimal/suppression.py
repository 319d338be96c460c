"""`optimal_suppression`: at a given generalization, the fewest records to suppress so that a model holds.

Which records of a class go is a matter of their sensitive values: the program chooses how many records x_v of each
value v to keep, 0 ≤ x_v ≤ n_v, or none of the class. The reference distribution Q stays that of `classes`, usually of
all records, suppressed ones too. Then no class knows of another: each is a small program of its own.

With Q that of the *released* records, t-closeness would ask for Σ_S w_S·|N'·x(S) − x·N'(S)| ≤ t·N'·x with N' = Σ x over
all classes: products of variables, in one program of all classes. It is not offered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from tcloseness.displayed import counted
from tcloseness.errors import NotCertified, SolverError, TimeLimitReached
from tcloseness.exact import IntArray
from tcloseness.limits import TimeLimit
from tcloseness.microdata import ClassCounts, ClassKeys
from tcloseness.microdata.border import FullTable
from tcloseness.models import ModelResult, PrivacyModel
from tcloseness.models.catalogue import taken_at_their_word
from tcloseness.models.combination import all_of
from tcloseness.models.conditions import LeastValues, asks_of_values, conditions_of, least_records
from tcloseness.optimal.answers import (
    Answer,
    Infeasible,
    OfClasses,
    Prover,
    Report,
    SolverClock,
    answer,
    counts_and_release,
    refusing,
    whole_bound,
)
from tcloseness.optimal.certify import KeptProof, prove_kept
from tcloseness.optimal.keeping import Keeper, Kept
from tcloseness.optimal.linear_constraints import ClassVariables, Setting, linear_parts, require
from tcloseness.optimal.program import Program
from tcloseness.optimal.solver import Engine, NoSolution, OutOfTime, Proposal, propose
from tcloseness.release import Release
from tcloseness.release.drawn import keeping
from tcloseness.release.draws import Draws

__all__ = ["KeptCells", "Suppression", "keep_most", "kept_classes", "of_records", "optimal_suppression"]


@dataclass(frozen=True, eq=False)
class Suppression(OfClasses):
    """Records suppressed from classes.

    Attributes
    ----------
    before
        The classes as they were.
    kept
        How many records of each cell of `before` are kept, shape (cells,).
    after
        The classes with what is kept; classes without records are gone.
    verdict
        What the model says of `after`; its status is ``satisfied``.
    reasons
        For each class of `before`, what is kept, and what proves that no more can be: the material of the certificate.
    """

    before: ClassCounts
    kept: IntArray
    after: ClassCounts
    verdict: ModelResult
    reasons: tuple[Kept, ...]

    def _said(self) -> str:
        return f"{counted(self.records, 'record')} suppressed of {self.before.records}"

    @property
    def records(self) -> int:
        """How many records were suppressed."""
        return self.before.records - self.after.records

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-ready data."""
        touched = np.unique(self.before.class_of_cell[self.kept < self.before.counts])
        return {
            "suppressed_records": self.records,
            "released_records": self.after.records,
            "classes": len(self.after),
            "classes_gone": len(self.before) - len(self.after),
            "classes_touched": len(touched),
            "verdict": self.verdict.to_dict(self.after),
        }


def optimal_suppression(
    classes: ClassCounts | Release | FullTable,
    model: PrivacyModel,
    *,
    engine: Engine | None = None,
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    progress: Report | None = None,
) -> Answer[Suppression]:
    """Suppress as few records as possible so that the classes satisfy a model.

    minimize Σ_g Σ_v (n_gv − x_gv) over whole x_gv in 0 … n_gv, such that each class with Σ_v x_gv > 0 satisfies it.

    Parameters
    ----------
    classes
        The classes; their `reference` is Q and does not change. Those of a `Release` are its, and the answer has a
        release then.
    model
        Any model that is linear (`tcloseness.optimal.linear_constraints`), or several with ``&``.
    engine
        None (default): without a solver, in whole numbers, whatever `tcloseness.optimal.keeping` decides, and the rest
        by HiGHS; what a checker knows is checked before it is called optimal. ``"HiGHS"`` or ``"CBC"``: every class as
        a program for that solver, an independent way to the same numbers, not certified; CBC reports no bound, so its
        answers are not `Optimal`.
    seed
        For the draw that breaks ties between sensitive values, None (default): with a secret seed. A given seed makes
        the same answer again; it is not for publication.
    time_limit
        Seconds for all classes together, from the call on. Classes that are not reached count as suppressed whole.
    memory_limit
        Bytes; by default half of what is free.
    progress
        Called with a `tcloseness.optimal.Progress` class by class; one that is not reached counts as suppressed whole
        in the incumbent, and as kept in the bound.

    Returns
    -------
    Optimal, Feasible or Infeasible
        Infeasible where the model holds of no class, however few of its records are kept: an empty table is not a
        release.

    Raises
    ------
    InputError
        For a model without a threshold, or that is not linear; for a seed that cannot be given.
    LimitReached
        If counts and threshold are too large for exact coefficients in doubles, or nothing was found in time.
    SolverError
        If what the solver proposes does not satisfy the model by its own exact decision.

    Notes
    -----
    Classes that satisfy the model stay as they are, and those too small for k or of too few values for ℓ go. Equal
    classes are solved once.

    Of several ways to keep as many records, the one of least distance to Q is taken under t-closeness by cuts, the most
    even one under other models; among such, a drawn order of the values decides. A solver takes any; which one hangs on
    that order too, in which the program names the values.

    References
    ----------
    Suppression beside generalization: Samarati 2001, §4, where whole classes go; here single records may.

    Examples
    --------
    >>> from tcloseness.models import FrequencyLDiversity
    >>> classes = ClassCounts.from_mapping({"a": {"x": 5, "y": 2, "z": 1}, "b": {"x": 1, "y": 1}})
    >>> found = optimal_suppression(classes, FrequencyLDiversity(2))
    >>> found.objective, found.solution.after.row(0)
    (Fraction(2, 1), {0: 3, 1: 2, 2: 1})
    """
    clock, draws = SolverClock(time_limit, memory_limit, progress=progress), Draws(seed)
    classes, source = counts_and_release(classes)
    parts = linear_parts(model)
    found = keep_most(classes, model, parts, draws, engine=engine, clock=clock, what="keep records")
    counts, prover = found.counts, found.prover(source, classes.sensitive, model)
    if not counts.any():
        return Infeasible(
            f"no class of {len(classes)} has records that satisfy {model.name} by themselves, and a table without "
            f"records is not a release ({found.proof})",
            prover=prover,
        )
    after = kept_classes(classes, counts, draws)
    verdict = model.evaluate(after)
    if verdict.status != "satisfied":
        raise SolverError(
            f"the proposal ({found.proof}) keeps {after.records} records on which {model.name} is "
            f"{verdict.status}; refused"
        )
    return answer(
        Suppression(
            classes,
            counts,
            after,
            verdict,
            found.reasons,
            published=None if source is None else keeping(source, counts, draws),
        ),
        objective=Fraction(after.suppressed - classes.suppressed),
        bound=Fraction(classes.records - found.bound),
        minimized="number of suppressed records",
        proof=found.proof,
        prover=prover,
    )


@dataclass(frozen=True)
class KeptCells:
    """What is kept of all classes.

    Attributes
    ----------
    counts
        How many records of each cell, shape (cells,).
    reasons
        For each class, what is kept, and what proves that no more can be.
    bound, proof
        No more can be kept than this many; and who says so, as text.
    proved
        What a checker accepted; or why there is nothing.
    """

    counts: IntArray
    reasons: tuple[Kept, ...]
    bound: int
    proof: str
    proved: KeptProof | NotCertified

    def prover(self, source: Release | None, sensitive: str, model: PrivacyModel) -> Prover:
        """Return what makes the certificate of an answer about a release."""
        if isinstance(self.proved, NotCertified):
            return refusing(self.proved)
        return partial(self.proved.certificate, source, sensitive, model)


def of_records(
    parts: tuple[PrivacyModel, ...], classes: ClassCounts, what: str, way_out: str = ""
) -> tuple[list[ModelResult], Infeasible | None]:
    """Return what the parts of a model say that count records, and, if one is violated, that `what` does not help."""
    verdicts = []
    for part in (part for part in parts if not asks_of_values(part)):
        verdicts.append(found := part.evaluate(classes))
        if not found.satisfied:
            return verdicts, Infeasible(
                f"{len(found.violating)} of {len(classes)} classes have fewer than k = {least_records(part)} records, "
                f"which no {what} of sensitive values changes{way_out}"
            )
    return verdicts, None


def keep_most(
    classes: ClassCounts,
    model: PrivacyModel,
    parts: tuple[PrivacyModel, ...],
    draws: Draws,
    *,
    engine: Engine | None,
    clock: SolverClock,
    what: str,
    hidden: bool = False,
) -> KeptCells:
    """Return how many records of each cell can stay under some parts of a model, and why no more.

    Raises
    ------
    TimeLimitReached
        If no class was found that keeps any, though one may; `what` says what for.
    """
    setting = Setting.drawn(classes.domain, classes.reference.tolist(), draws)
    violating = set(all_of(parts).evaluate(classes).violating.tolist()) if parts else set()
    least_size = max(map(least_records, parts), default=1)
    asked = [each for part in parts for each in conditions_of(part) or ()]
    least_values = max((each.values for each in asked if isinstance(each, LeastValues)), default=1)
    most, least = sum(int(classes.class_sizes[g]) for g in violating), 0  # how many records go
    keeper = None if engine or not violating else Keeper(parts, setting, int(classes.class_sizes.max()), clock)
    solved: dict[tuple[tuple[int, int], ...], Kept] = {}
    found: list[Kept] = []
    counts = classes.counts.copy()
    for g in range(len(classes)):
        row = classes.row(g)
        if g not in violating:
            one = Kept(row, sum(row.values()), "exact")
        elif sum(row.values()) < least_size or len(row) < least_values:
            one = Kept({}, 0, "exact")
        else:
            key = tuple(row.items())
            if key not in solved:
                solved[key] = _one_class(row, parts, setting, keeper, engine or "HiGHS", clock)
            one = solved[key]
        found.append(one)
        cells = slice(int(classes.starts[g]), int(classes.starts[g + 1]))
        counts[cells] = [one.counts.get(v, 0) for v in classes.values[cells].tolist()]
        if g in violating:
            most -= sum(one.counts.values())
            least += sum(row.values()) - one.bound
        clock.report(Fraction(most), Fraction(least))
    if not counts.any() and any(one.bound for one in found):
        raise TimeLimitReached(
            f"no class of {len(classes)} was found to {what} under {model.name} within {clock.time_limit} seconds; "
            "give more time"
        )
    reasons, word = tuple(found), taken_at_their_word(model)
    try:
        if engine is not None:
            raise NotCertified(f"not certified: {engine} was named; without it the answer is proved")
        proved = prove_kept(classes, model, keeper, reasons, sorted(violating), clock, hidden=hidden)
        if proved.bound and not counts.any():
            raise NotCertified("not certified: that nothing can be kept is a solver's word")
    except TimeLimitReached as error:  # each class that violates loses one record
        bound, proof = classes.records - len(violating), f"exact argument; not certified: {error}"
        return KeptCells(counts, reasons, bound, proof + word, NotCertified(f"not certified: {error}"))
    except NotCertified as error:
        by = [one.by for one in reasons if one.by != "exact"]
        proof = f"the bound of {by[0]}, in doubles" if by else "exact argument"
        proof += word if word or engine is not None else f"; {error}"
        return KeptCells(counts, reasons, sum(one.bound for one in reasons), proof, error)
    return KeptCells(counts, reasons, proved.bound, f"exact argument, checked{word}", proved)


def _one_class(
    row: Mapping[int, int],
    parts: tuple[PrivacyModel, ...],
    setting: Setting,
    keeper: Keeper | None,
    engine: Engine,
    clock: SolverClock,
) -> Kept:
    known = sum(row.values()) - 1  # the class violates: one record goes
    own = Kept({}, known, "")
    if keeper is not None and keeper.decides:
        own = keeper.most(row)
        if own.by:
            return own
        known = own.bound
    try:
        proposal, kept = _proposed(row, parts, setting, engine, clock)
    except TimeLimitReached:
        proposal, kept = OutOfTime(-math.inf), {}
    if isinstance(proposal, NoSolution):
        raise SolverError(f"{engine} calls a program infeasible that the empty class solves; the answer is refused")
    bound = min(known, -whole_bound(proposal.bound)) if math.isfinite(proposal.bound) else known
    if not isinstance(proposal, OutOfTime):
        own = replace(own, counts={v: proposal.values[x] for v, x in kept.items() if proposal.values[x]})
    return replace(own, bound=bound, by=engine if bound < known else "exact", known=known)


def _proposed(
    row: Mapping[int, int], parts: tuple[PrivacyModel, ...], setting: Setting, engine: Engine, clock: SolverClock
) -> tuple[Proposal | NoSolution | OutOfTime, dict[int, int]]:
    """Return what the solver says of one class, and the variables of the records of each value that are kept."""
    program = Program(clock)
    opened = program.add(0, 1)
    kept = {v: program.add(0, row[v], cost=-1) for v in setting.in_order(row)}
    for v, x in kept.items():
        program.at_most({x: 1, opened: -row[v]})
    variables = ClassVariables({v: {x: 1} for v, x in kept.items()}, row, {opened: 1})
    for part in parts:
        require(program, part, variables, setting)
    return propose(program, engine=engine, clock=clock), kept


def kept_classes(classes: ClassCounts, counts: IntArray, draws: Draws) -> ClassCounts:
    """Return the classes with fewer records in their cells; classes without any are gone, and Q is what it was."""
    cells = np.flatnonzero(counts)
    owner = classes.class_of_cell[cells]
    left = np.unique(owner)
    keys = classes.keys
    if keys is not None:
        keys = ClassKeys(keys.names, keys.domains, {name: codes[left] for name, codes in keys.codes.items()})
    found = ClassCounts.from_cells(
        classes.domain,
        np.append(np.searchsorted(owner, left), len(cells)),
        classes.values[cells],
        counts[cells],
        reference=classes.reference,
        sensitive=classes.sensitive,
        keys=keys,
        suppressed=classes.suppressed + classes.records - int(counts.sum()),
        conventions=classes.conventions,
    )
    named = {"draws": draws.text}
    if classes.has_values:
        said = classes.conventions.get("reference distribution", "that of the classes")
        named["reference distribution"] = f"{said}, before records were suppressed"
    return replace(found, conventions=found.conventions.but(named))
