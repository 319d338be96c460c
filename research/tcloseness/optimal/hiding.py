"""`optimal_hiding`: the fewest sensitive values to hide so that a model holds, where every record stays.

Instead of a whole record, its sensitive value is withheld: the record still counts in its class. Then

- k-anonymity is asked of all records of a class, and hiding cannot help it;
- every other model is asked of the values that are still shown: P is the distribution of the shown values of a class,
  Q stays that of the classes' `reference`, all values, hidden ones too;
- a class that shows no value says nothing of one, and satisfies.

Li et al. 2007, §8 (Other Anonymization Techniques) proposes it, and says that it does not help k-anonymity and
ℓ-diversity. For distinct ℓ that is so: a class shows all its values, or none. Frequency and recursive (c,ℓ)-diversity
are helped, as t-closeness is, by hiding of what is too frequent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from tcloseness.displayed import counted
from tcloseness.errors import SolverError
from tcloseness.exact import IntArray
from tcloseness.limits import TimeLimit
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable
from tcloseness.models import ModelResult, PrivacyModel
from tcloseness.models.combination import all_of
from tcloseness.models.conditions import asks_of_values
from tcloseness.optimal.answers import Answer, Infeasible, OfClasses, Report, SolverClock, answer, counts_and_release
from tcloseness.optimal.certify import KeptProof
from tcloseness.optimal.keeping import Kept
from tcloseness.optimal.linear_constraints import linear_parts
from tcloseness.optimal.solver import Engine
from tcloseness.optimal.suppression import keep_most, kept_classes, of_records
from tcloseness.release import Release
from tcloseness.release.drawn import hiding
from tcloseness.release.draws import Draws

__all__ = ["Hiding", "optimal_hiding"]


@dataclass(frozen=True, eq=False)
class Hiding(OfClasses):
    """Sensitive values withheld from records that stay in their classes.

    Attributes
    ----------
    classes
        The classes; their sizes do not change.
    hidden
        How many values of each cell of `classes` are hidden, shape (cells,).
    shown
        The counts of the shown values; classes that show none are left out.
    verdicts
        What the models say: k-anonymity of all records, every other of the shown values. All are ``satisfied``.
    reasons
        For each class, what is shown, and what proves that no more can be, as for `tcloseness.optimal.Suppression`.
    """

    classes: ClassCounts
    hidden: IntArray
    shown: ClassCounts
    verdicts: tuple[ModelResult, ...]
    reasons: tuple[Kept, ...]

    def _said(self) -> str:
        return f"{counted(self.values, 'value')} hidden, {self.shown.records} shown"

    @property
    def values(self) -> int:
        """How many values are hidden."""
        return int(self.hidden.sum())

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-ready data."""
        return {
            "hidden_values": self.values,
            "shown_values": self.shown.records,
            "classes": len(self.classes),
            "classes_that_show_none": len(self.classes) - len(self.shown),
            "classes_touched": len(np.unique(self.classes.class_of_cell[self.hidden > 0])),
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }


def optimal_hiding(
    classes: ClassCounts | Release | FullTable,
    model: PrivacyModel,
    *,
    engine: Engine | None = None,
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    progress: Report | None = None,
) -> Answer[Hiding]:
    """Hide as few sensitive values as possible so that what is shown satisfies a model.

    minimize Σ_g Σ_v (n_gv − x_gv) over whole x_gv in 0 … n_gv, such that the shown counts x_g of each class satisfy it
    or are all 0, and the class sizes n_g satisfy k-anonymity if the model asks for it.

    Parameters
    ----------
    classes, model, engine, seed, time_limit, memory_limit, progress
        As for `tcloseness.optimal.optimal_suppression`.

    Returns
    -------
    Optimal, Feasible or Infeasible
        Infeasible if a class is smaller than k, or if only hiding of every value of the table would do.

    Raises
    ------
    InputError, LimitReached, SolverError
        As for `tcloseness.optimal.optimal_suppression`.

    Notes
    -----
    A hidden value shows that it was worth hiding; a reader who knows the rule can narrow it down. Like every optimum
    here, the answer depends on the data.

    References
    ----------
    Li et al. 2007, §8, Other Anonymization Techniques.

    Examples
    --------
    >>> from tcloseness.models import KAnonymity, TCloseness
    >>> classes = ClassCounts.from_mapping({"a": {"x": 3, "y": 1}, "b": {"x": 1, "y": 3}})
    >>> found = optimal_hiding(classes, KAnonymity(4) & TCloseness("1/6", ground="equal"))
    >>> found.objective, found.solution.shown.row(0), found.solution.shown.row(1)
    (Fraction(2, 1), {0: 2, 1: 1}, {0: 1, 1: 2})
    """
    clock, draws = SolverClock(time_limit, memory_limit, progress=progress), Draws(seed)
    classes, source = counts_and_release(classes)
    classes.require_values("hiding of sensitive values")
    parts = linear_parts(model)
    of_values = tuple(part for part in parts if asks_of_values(part))
    verdicts, refused = of_records(parts, classes, "hiding", "; generalize further, or suppress records")
    if refused:
        proved = KeptProof([], 0, 0, 0, hidden=True)
        return replace(refused, prover=partial(proved.certificate, source, classes.sensitive, model))
    found = keep_most(classes, model, of_values, draws, engine=engine, clock=clock, what="show values", hidden=True)
    counts, prover = found.counts, found.prover(source, classes.sensitive, model)
    if not counts.any():
        return Infeasible(f"{model.name} holds only if every sensitive value is hidden ({found.proof})", prover=prover)
    shown = kept_classes(classes, counts, draws)
    verdicts += [part.evaluate(shown) for part in of_values]
    if any(verdict.status != "satisfied" for verdict in verdicts):
        broken = all_of(parts).evaluate(shown)
        raise SolverError(f"the proposal ({found.proof}) shows values on which {broken.model} is violated; refused")
    return answer(
        Hiding(
            classes,
            classes.counts - counts,
            shown,
            tuple(verdicts),
            found.reasons,
            published=None if source is None else hiding(source, classes.counts - counts, draws),
        ),
        objective=Fraction(classes.records - shown.records),
        bound=Fraction(classes.records - found.bound),
        minimized="number of hidden sensitive values",
        proof=found.proof,
        prover=prover,
    )
