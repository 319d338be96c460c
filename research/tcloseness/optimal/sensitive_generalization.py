"""`optimal_sensitive_generalization`: sensitive values shown as nodes of their hierarchy, as few as t-closeness needs.

The gentler variant of hiding (`tcloseness.optimal.hiding`): a record stays, and its sensitive value v is shown as a
node N above v. What does "a value below N" say? A reader knows Q, the distribution of `reference`, so it says v with
probability Q(v)/Q(N) for each v below N, and

    P(v) = (x_v + Σ_{N above v} y_N·Q(v)/Q(N)) / n

with x_v values of a class shown as they are, y_N shown as N, and n the size of the class. t-closeness is about what a
reader learns from a class who knew Q before (Li et al. 2007, §3.3: from B₁ to B₂), and under this reading a class all
of whose values are shown as the root has P = Q: it says nothing, and is 0-close. Hidden values, on the other hand, are
left out of P, and a class that shows one value out of a hundred has P = 1 there. So the two optima do not compare.

k-anonymity counts records, and is not helped. Distinct, frequency and recursive ℓ-diversity, β-likeness and
δ-disclosure ask for counts of values, which a node has none of: they are refused.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from tcloseness.displayed import counted
from tcloseness.errors import InputError, SolverError, TableError
from tcloseness.limits import TimeLimit
from tcloseness.loss import CellCost, Loss
from tcloseness.loss.per_class import class_cost_of
from tcloseness.microdata import ClassCounts, Hierarchy
from tcloseness.microdata.border import FullTable, place_in
from tcloseness.microdata.domain import value_text
from tcloseness.models import ModelResult, PrivacyModel
from tcloseness.models.catalogue import taken_at_their_word
from tcloseness.models.conditions import LeastRecords, MostDistance, asks_of_values, conditions_of
from tcloseness.optimal.answers import (
    Answer,
    OfClasses,
    Report,
    SolverClock,
    answer,
    counts_and_release,
)
from tcloseness.optimal.certify import ShownProof, too_small
from tcloseness.optimal.class_costs import minimized_loss, taken_at_its_word
from tcloseness.optimal.linear_constraints import linear_parts
from tcloseness.optimal.shown_values import EXACT, Reader, Shown, Solved
from tcloseness.optimal.solver import Engine
from tcloseness.optimal.suppression import of_records
from tcloseness.release import Release
from tcloseness.release.drawn import showing
from tcloseness.release.draws import Draws

__all__ = ["SensitiveGeneralization", "optimal_sensitive_generalization"]


@dataclass(frozen=True, eq=False)
class SensitiveGeneralization(OfClasses):
    """Sensitive values shown as nodes of their hierarchy.

    Attributes
    ----------
    classes
        The classes; their records stay.
    labels
        The label of each node.
    shown
        For each class, how many of its records of each value are shown at which node.
    generalized
        How many values are not shown as they are.
    read
        P of each class, as counts: multiplied, class by class, by what makes them whole.
    verdicts
        What the models say: k-anonymity of the records, t-closeness of P. All are ``satisfied``.
    leaves
        The node of each value itself.
    """

    classes: ClassCounts
    labels: tuple[Any, ...]
    shown: tuple[Shown, ...]
    generalized: int
    read: ClassCounts
    verdicts: tuple[ModelResult, ...]
    leaves: tuple[int, ...]

    def _said(self) -> str:
        return f"{counted(self.generalized, 'value')} generalized, of {counted(self.classes.records, 'record')}"

    @property
    def shown_as(self) -> dict[str, int]:
        """How many values are shown as each label that is not their own, the most frequent first."""
        found: Counter[str] = Counter()
        for one in self.shown:
            for (value, node), records in one.items():
                if node != self.leaves[value]:
                    found[value_text(self.labels[node])] += records
        return dict(found.most_common())

    @property
    def touched(self) -> int:
        """How many classes show a value as another label than its own."""
        return sum(any(node != self.leaves[value] for value, node in one) for one in self.shown)

    def node_counts(self, index: int) -> dict[str, int]:
        """Return how often a class shows each label."""
        counts: dict[str, int] = {}
        place = place_in(index, len(self.shown), "the number of a class", TableError)
        for (_, node), records in self.shown[place].items():
            label = value_text(self.labels[node])
            counts[label] = counts.get(label, 0) + records
        return counts

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-ready data."""
        return {
            "generalized_values": self.generalized,
            "records": self.classes.records,
            "reference": dict(
                zip(map(value_text, self.classes.domain.values), self.classes.reference.tolist(), strict=True)
            ),
            "classes": [{"class": g, "shows": self.node_counts(g)} for g in range(len(self.classes))],
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }


def optimal_sensitive_generalization(
    classes: ClassCounts | Release | FullTable,
    model: PrivacyModel,
    hierarchy: Hierarchy,
    *,
    weight: str | Loss = "ncp",
    engine: Engine = "HiGHS",
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    progress: Report | None = None,
) -> Answer[SensitiveGeneralization]:
    """Generalize sensitive values as little as possible so that the classes satisfy t-closeness.

    minimize Σ_g Σ_N w(N)·y_gN, where y_gN values of class g are shown as node N, such that each P_g is t-close to Q.

    Parameters
    ----------
    classes
        As for `tcloseness.optimal.optimal_suppression`.
    model
        t-closeness by an EMD, or k-anonymity with it.
    hierarchy
        The hierarchy of the sensitive values, with one root.
    weight
        ``"ncp"``: w(N) = leaves below N / all leaves, 0 for a leaf; ``"height"``: height of N / height of the root; or
        another loss of cells: its penalty of N / that of a suppressed value.
    engine, seed, time_limit, memory_limit, progress
        As for `tcloseness.optimal.optimal_suppression`; a class that is not reached counts as shown at the root.

    Returns
    -------
    Optimal, Feasible or Infeasible
        Infeasible only if a class is smaller than k.

    Raises
    ------
    InputError
        For another model or weight, a seed that cannot be given, or a class that has a value of a root of which Q has
        none.
    HierarchyError
        If the hierarchy misses a value.
    LimitReached
        If counts and threshold are too large for exact coefficients in doubles.
    SolverError
        If what the solver proposes is not t-close by the model's own exact decision.

    References
    ----------
    Li et al. 2007, §8, Other Anonymization Techniques: "to generalize a sensitive attribute value, rather than hiding
    it".

    Examples
    --------
    >>> from tcloseness.models import TCloseness
    >>> ills = Hierarchy.from_groups([{"lung": ["flu", "cough"], "stomach": ["ulcer", "reflux"]}])
    >>> classes = ClassCounts.from_mapping({"a": {"flu": 2}, "b": {"cough": 2}})
    >>> found = optimal_sensitive_generalization(classes, TCloseness("1/4", ground="equal"), ills)
    >>> found.objective, found.solution.generalized
    (Fraction(1, 1), 2)
    >>> found.solution.node_counts(0)
    {'flu': 1, 'lung': 1}
    """
    clock, draws = SolverClock(time_limit, memory_limit, progress=progress), Draws(seed)
    classes, source = counts_and_release(classes)
    classes.require_values("generalization of sensitive values")
    loss = minimized_loss(weight, model)
    form = class_cost_of(loss)
    if not isinstance(form, CellCost):
        raise InputError(
            f"the loss {loss.name} is of classes' sizes, and not of the labels of values; take ncp or height"
        )
    parts = linear_parts(model)
    for part in parts:
        if not all(isinstance(each, LeastRecords | MostDistance) for each in conditions_of(part) or ()):
            raise InputError(f"{part.name} counts values, and a generalized value has no count; ask for t-closeness")
    verdicts, refused = of_records(parts, classes, "generalization")
    if refused:
        return replace(refused, prover=partial(too_small, source, classes.sensitive, model))
    close = tuple(part for part in parts if asks_of_values(part))
    reader = Reader(classes, hierarchy, form, draws)
    certified = ShownProof(reader, model, loss, hierarchy)
    violating = {int(g) for part in close for g in part.evaluate(classes).violating}
    shown: list[Shown] = []
    cost, bound, proofs = 0, 0, dict[str, None]()
    least, most = len(violating) * reader.least, sum(reader.most(classes.row(g)) for g in violating)
    solved: dict[tuple[tuple[int, int], ...], Solved] = {}
    for g in range(len(classes)):
        row = classes.row(g)
        if g not in violating:
            shown.append({(v, reader.leaf(v)): count for v, count in row.items()})
            continue
        key = tuple(row.items())
        if key not in solved:
            solved[key] = reader.solve(row, close, engine, clock)
        one = solved[key]
        whole = max(reader.least, one.bound)
        proofs[one.proof] = None
        shown.append(one.shown)
        cost, bound = cost + one.cost, bound + whole
        least, most = least - reader.least + whole, most - reader.most(row) + one.cost
        clock.report(Fraction(most, reader.unit), Fraction(least, reader.unit))
    read = reader.beliefs(shown)
    verdicts += [part.evaluate(read) for part in close]
    if any(verdict.status != "satisfied" for verdict in verdicts):
        raise SolverError(f"{engine} proposes a generalization of sensitive values that is not t-close; refused")
    by = next(iter(sorted(proofs, key=EXACT.__eq__)), "exact argument")
    accepted, checked = Fraction(bound, reader.unit), certified.accepted(solved)
    if checked is not None:
        by, accepted = f"{EXACT if violating else by}, checked", checked
    words = taken_at_their_word(model) + taken_at_its_word(loss)
    return answer(
        SensitiveGeneralization(
            classes,
            tuple(reader.tree.labels),
            tuple(shown),
            sum(count for one in shown for (v, node), count in one.items() if node != reader.leaf(v)),
            read,
            tuple(verdicts),
            tuple(reader.leaf(v) for v in range(len(classes.domain))),
            published=None if source is None else showing(source, shown, reader.tree, draws),
        ),
        objective=Fraction(cost, reader.unit),
        bound=accepted,
        minimized=f"sum of the generalized values' {form.share or loss.name}",
        proof=by + (words or (certified.refused and f"; {certified.refused}")),
        prover=None if certified.refused else partial(certified.certificate, source, Fraction(cost, reader.unit)),
    )
