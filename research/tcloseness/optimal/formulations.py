"""The formulations of a partition of least loss, and what each of them came to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tcloseness.errors import InputError, SolverError, TimeLimitReached
from tcloseness.exact import number_text
from tcloseness.models import PrivacyModel
from tcloseness.optimal.answers import SolverClock, watch_by, whole_bound
from tcloseness.optimal.assignment import Assignment
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.optimal.column_generation import generate
from tcloseness.optimal.kinds import Group, Kinds
from tcloseness.optimal.set_partitioning import MOST_CANDIDATES, SetPartitioning, number_of_groups, trivial_bound
from tcloseness.optimal.solver import Engine, NoSolution, Proposal, propose, whose_bound

__all__ = ["FEW_GROUPS", "FORMULATIONS", "Formulation", "Outcome", "Task"]

Formulation = Literal["auto", "assignment", "set-partitioning", "column-generation"]

FORMULATIONS: tuple[Formulation, ...] = ("auto", "assignment", "set-partitioning", "column-generation")

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
        More to tell, by name.
    """

    formulation: str
    groups: Sequence[Group] | None
    bound: int
    proof: str
    infeasible: bool = False
    done: Mapping[str, Any] = field(default_factory=dict)


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

    kinds: Kinds
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
        found = generate(
            self.kinds,
            self.model,
            self.costs,
            suppressed=self.suppressed,
            upper=upper,
            clock=self.clock,
            tell=self._tell,
        )
        proof = "exact argument: linear programming duality in whole numbers"
        if not found.priced:
            proof = whose_bound(self.engine, -math.inf)
        elif not found.exact:
            proof = f"the bound of HiGHS, in doubles, over {found.classes} classes; of all others by {proof}"
        return Outcome(
            "column-generation",
            found.groups,
            found.bound,
            proof,
            found.infeasible,
            {
                "classes generated": found.classes,
                "bound before branching": number_text(self.costs.loss_of(found.relaxed)),
            },
        )

    def _tell(self, whole_cost: int | None, bound: int) -> None:
        self.clock.tell(None if whole_cost is None else self.costs.loss_of(whole_cost), self.costs.loss_of(bound))
