"""`optimal_cut`: one cut through each hierarchy, for the whole table, that satisfies a model at the least loss.

Global recoding: every record of one value shows the same node. With ``recoding="subtree"`` the cuts may be uneven; with
``"full-domain"`` all nodes of a cut have one height, and the answer is that of the generalization lattice.

The program (`tcloseness.optimal.splits`) says of each node whether the cut goes below it; what violates is forbidden by
the maximal tuples of nodes whose records violate the model, as the model itself decides. For a loss of cells its linear
relaxation is whole or nearly so, and prices prove the optimum in exact numbers after a few branches, or none.

Subtree recoding: R. Bayardo, R. Agrawal, ICDE 2005; V. Iyengar, KDD 2002. Full-domain: Samarati, Sweeney 1998.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.cut import CUT, LOSSES, check_cut
from tcloseness.displayed import Displayed, counted
from tcloseness.errors import (
    CertificateError,
    CertificateFormatError,
    HierarchyError,
    InputError,
    NotCertified,
    SolverError,
    TableError,
    TimeLimitReached,
)
from tcloseness.exact import number_text
from tcloseness.limits import TimeLimit
from tcloseness.loss import Loss
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.models.catalogue import taken_at_their_word
from tcloseness.models.certified import CertifiedTable, checked_conditions
from tcloseness.models.conditions import asks_of_values
from tcloseness.optimal.answers import Answer, Prover, Report, SolverClock, answer, sealing, watch_by, whole_bound
from tcloseness.optimal.class_costs import ClassCosts, minimized_loss, taken_at_its_word
from tcloseness.optimal.kinds import KindCounts, one_class, require_judging_classes
from tcloseness.optimal.solver import Engine, NoSolution, Proposal, propose, whose_bound
from tcloseness.optimal.splits import SplitProgram
from tcloseness.optimal.tree import Searched
from tcloseness.release import Anonymized, Partition, Release, attributes_of, verified
from tcloseness.release.full_domain import AtCut

__all__ = ["Cut", "optimal_cut"]


@dataclass(frozen=True, eq=False)
class Cut(Displayed):
    """A cut through each hierarchy, and the table that shows it.

    Attributes
    ----------
    nodes
        The labels of each attribute's cut, from left to right in its hierarchy.
    anonymized
        The table, verified.
    """

    nodes: Mapping[str, tuple[Hashable, ...]]
    anonymized: Anonymized

    _withheld = ("label",)

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [{"attribute": name, "label": str(label)} for name, labels in self.nodes.items() for label in labels]

    def _said(self) -> str:
        return (
            f"{sum(map(len, self.nodes.values()))} tree nodes of {counted(len(self.nodes), 'hierarchy', 'hierarchies')}"
        )

    @property
    def release(self) -> Release:
        """The table beside the original."""
        return self.anonymized.release

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-ready data."""
        return {
            "nodes": {name: [str(label) for label in labels] for name, labels in self.nodes.items()},
            "release": self.anonymized.to_dict(),
        }


def optimal_cut(
    table: Microdata | FullTable,
    model: PrivacyModel,
    loss: str | Loss = "ncp",
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    recoding: Literal["subtree", "full-domain"] = "subtree",
    sensitive: str | None = None,
    engine: Engine = "HiGHS",
    start: Mapping[str, int] | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    progress: Report | None = None,
) -> Answer[Cut]:
    """Return the cuts through the hierarchies of least loss such that the table shown satisfies a model.

    Parameters
    ----------
    table, model, loss, sensitive, engine, time_limit, memory_limit, progress
        As for `tcloseness.optimal.optimal_partition`. No record is suppressed.
    hierarchies
        One for each quasi-identifier; a `tcloseness.Table` has its own.
    recoding
        ``"subtree"``: any cut; ``"full-domain"``: a level of each hierarchy, which then may not be ragged.
    start
        A level of each quasi-identifier's hierarchy at which the table satisfies the model, such as those of a search
        or of Datafly: then no answer is worse.

    Returns
    -------
    Optimal, Feasible or Infeasible
        As for `tcloseness.optimal.optimal_partition`; at the time limit `start` or the roots stand in for better cuts.

    Raises
    ------
    InputError
        For a model that is not monotone or has no threshold, an unknown loss or recoding; for a `start` that is not a
        level of each hierarchy, or violates the model.
    TableError
        For a quasi-identifier without hierarchy.
    HierarchyError
        For a ragged hierarchy under ``"full-domain"`` or with `start`, or one that misses a value.
    LimitReached
        If more than `tcloseness.optimal.splits.MOST_TUPLES` tuples of nodes are tried, or the program takes too much
        memory.
    SolverError
        If the solver's proposal is not a cut, or violates the model.

    Notes
    -----
    A value that does not occur still lies below a node of the cut, which one is then arbitrary. Of several optimal cuts
    the answer is the one that the solver comes to, which depends on the quasi-identifiers and on which tuples violate,
    and on nothing else. C_AVG, DM: the number and sizes of the tuples with records.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.models import KAnonymity
    >>> towns = Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}])
    >>> frame = pd.DataFrame({"town": list("abccdd"), "s": list("xyxyxy")})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="town", sensitive="s")
    >>> found = optimal_cut(table, KAnonymity(2), hierarchies={"town": towns})
    >>> found.objective, found.solution.nodes["town"]
    (Fraction(1, 1), ('north', 'c', 'd'))
    """
    table = in_shape(table, Microdata)
    clock = SolverClock(time_limit, memory_limit, progress=progress)
    if recoding not in ("subtree", "full-domain"):
        raise InputError(f"recoding={recoding!r} is unknown; it is 'subtree' or 'full-domain'")
    hierarchies = hierarchies or {}
    for column in table.quasi_identifiers:
        if column.name not in hierarchies:
            raise TableError(f"{column.name!r} has no hierarchy, and a cut goes through one; give it in hierarchies=")
    require_judging_classes(model)
    kinds = KindCounts(table, attributes_of(table, hierarchies), sensitive, by_value=asks_of_values(model))
    _, refused = one_class(kinds, model)
    if refused:
        return refused
    trees = tuple(Ancestors(hierarchies[column.name]) for column in table.quasi_identifiers)
    if recoding == "subtree":
        for column, tree in zip(table.quasi_identifiers, trees, strict=True):
            tree.require_labels_apart(column.name)
    if recoding == "full-domain" or start is not None:
        for column in table.quasi_identifiers:
            if not hierarchies[column.name].uniform:
                raise HierarchyError(
                    f"the hierarchy of {column.name!r} is ragged, so it has no levels; take 'subtree', without start="
                )
    costs = ClassCosts(minimized_loss(loss, model), table, kinds.attributes)
    known = [_Shown.at(kinds, trees, hierarchies, costs.loss, [[0] for _ in trees])]
    if start is not None:
        known.append(_started(start, kinds, trees, hierarchies, costs.loss, model))
    clock.report(min(each.value for each in known), None)
    certified = _Certified(kinds, model, costs.loss, hierarchies, recoding)
    least, proof = Fraction(costs.least(kinds.records)), whose_bound(engine, -math.inf)
    with suppress(TimeLimitReached):
        written = SplitProgram(kinds, trees, model, costs, recoding == "full-domain", clock)
        found = written.search(clock) if engine == "HiGHS" else Searched(None, open=True)
        least, proof = certified.by_prices(written, found, least, proof)
        if found.values is not None:
            values = dict(enumerate(found.values.tolist()))
            known.insert(0, _Shown.at(kinds, trees, hierarchies, costs.loss, written.read(values)))
        if found.values is None or found.open:
            watch = watch_by(clock, lambda cost: costs.loss_of_total(written.total(cost)))
            proposal = propose(written.program, engine=engine, clock=clock, watch=watch)
            if isinstance(proposal, NoSolution):
                raise SolverError(f"{engine} calls a program infeasible that the roots solve; the answer is refused")
            if isinstance(proposal, Proposal):
                known.insert(0, _Shown.at(kinds, trees, hierarchies, costs.loss, written.read(proposal.values)))
                if engine == "HiGHS":  # with its cost more is excluded
                    least, proof = certified.by_prices(written, written.search(clock, proposal.values), least, proof)
            told = written.total(whole_bound(proposal.bound)) if math.isfinite(proposal.bound) else least
            if certified.refused and told > least:
                least, proof = told, whose_bound(engine, proposal.bound)
    best = min(known, key=lambda each: each.value)
    prover, bound = certified.accepted(best, costs.loss_of_total(least))
    words = ", checked" if prover else taken_at_their_word(model) + taken_at_its_word(costs.loss)
    release = verified(
        best.partition,
        model,
        method=f"optimal cut, {recoding}",
        attributes=best.attributes,
        sensitive=kinds.counting.sensitive,
        done={} if start is None else {"started from levels": ", ".join(map(str, start.values()))},
        conventions={"recoding": "global: every record of one value shows the same label"},
    )
    best.costs.published(release.partition)
    clock.report(best.value, bound)
    return answer(
        Cut(best.labels(), release),
        objective=best.value,
        bound=bound,
        minimized=costs.name,
        proof=proof + (words or f"; {certified.refused}"),
        prover=prover,
    )


BY_PRICES = "exact argument: prices of the violating tuples of nodes"
"""What proves most optimal cuts."""


class _Certified:
    """The certificate of a cut, but for the cut.

    Attributes
    ----------
    refused
        Why there is none; empty if there is one.
    priced
        What excludes better cuts; at first nothing but that no cell costs less than 0.
    """

    def __init__(
        self, kinds: KindCounts, model: PrivacyModel, loss: Loss, hierarchies: Mapping[str, Hierarchy], recoding: str
    ) -> None:
        self._kinds, self._model, self._recoding, self._loss = kinds, model, recoding, getattr(loss, "checked_as", "")
        self._hierarchies = {column.name: hierarchies[column.name] for column in kinds.table.quasi_identifiers}
        self.priced: dict[str, Any] = _UNPRICED
        self.refused = ""
        ragged = next((name for name, hierarchy in self._hierarchies.items() if not hierarchy.uniform), None)
        try:
            self._asked = checked_conditions(model, kinds.counting.domain)
            if self._loss not in LOSSES:
                raise NotCertified(f"not certified: no checker for the loss {loss.name} of a cut")
            if ragged is not None:
                raise NotCertified(
                    f"not certified: no checker for leaves at unequal depth in the hierarchy of {ragged!r}"
                )
        except NotCertified as error:
            self.refused = str(error)

    def by_prices(self, written: SplitProgram, found: Searched, least: Fraction, proof: str) -> tuple[Fraction, str]:
        """Return the bound of a search, if it is better than one that is known, and keep what proves it."""
        bounds = [bound for bound in (found.upper, found.bound) if bound is not None]
        if (found.open and found.bound is None) or written.total(min(bounds)) < least:
            return least, proof
        self.priced = written.proof(found.leaves)
        return written.total(min(bounds)), BY_PRICES

    def accepted(self, best: _Shown, bound: Fraction) -> tuple[Prover | None, Fraction]:
        """Return what makes the certificate and the bound that its checker accepts; the bound as it is without one."""
        if self.refused:
            return None, bound
        proof = {
            "recoding": self._recoding,
            "loss": self._loss,
            "value": number_text(best.value),
            "cut": [
                [[int(a.ancestors.height[node]), value_text(a.ancestors.labels[node])] for node in sorted(cut)]
                for a, cut in zip(best.attributes, best.cuts, strict=True)
            ],
        }
        try:
            counted = FrequencySet.of(self._kinds.table)
            table = CertifiedTable.of(counted, self._kinds.counting.sensitive, self._hierarchies)
            table = replace(table, domain=self._kinds.counting.domain)
            for one in ({"bound": number_text(bound), **self.priced}, {"bound": "0", **_UNPRICED}):
                conditions = Conditions(self._asked, table.values, table.nodes.reference.tolist())
                try:
                    check_cut(table.nodes, conditions, {"values": table.values, **proof, **one})
                except CertificateError as error:
                    if isinstance(error, CertificateFormatError):
                        raise
                    continue
                return _sealed(table, self._model, {**proof, **one}), Fraction(one["bound"])
        except (CertificateFormatError, InputError) as error:  # beyond what is checked
            self.refused = str(error) if isinstance(error, NotCertified) else f"not certified: {error}"
            return None, bound
        raise SolverError(f"the checker refuses the cut {best.labels()!r:.200}; the answer is refused")


_UNPRICED: dict[str, Any] = {"violating": [], "scale": 1, "tree": [{"prices": []}]}


def _sealed(table: CertifiedTable, model: PrivacyModel, proof: Mapping[str, Any]) -> Prover:
    return sealing(table, CUT, model, proof)


@dataclass(frozen=True)
class _Shown:
    """A table at one cut through each hierarchy: its classes, and what they cost."""

    cuts: Sequence[Sequence[int]]
    attributes: tuple[AtCut, ...]
    partition: Partition
    costs: ClassCosts
    value: Fraction

    @classmethod
    def at(
        cls,
        kinds: KindCounts,
        trees: Sequence[Ancestors],
        hierarchies: Mapping[str, Hierarchy],
        loss: Loss,
        cuts: Sequence[Sequence[int]],
    ) -> _Shown:
        attributes = tuple(
            AtCut(column.name, column.domain, hierarchies[column.name], nodes, tree)
            for column, nodes, tree in zip(kinds.table.quasi_identifiers, cuts, trees, strict=True)
        )
        partition = kinds.grouped([a.node_of for a in attributes])
        costs = ClassCosts(loss, kinds.table, attributes)
        return cls(cuts, attributes, partition, costs, costs.of(partition))

    def labels(self) -> dict[str, tuple[Hashable, ...]]:
        """Return the labels of each cut, from left to right."""
        return {
            a.name: tuple(a.ancestors.labels[node] for node in sorted(cut, key=a.ancestors.low.__getitem__))
            for a, cut in zip(self.attributes, self.cuts, strict=True)
        }


def _started(
    start: Mapping[str, int],
    kinds: KindCounts,
    trees: tuple[Ancestors, ...],
    hierarchies: Mapping[str, Hierarchy],
    loss: Loss,
    model: PrivacyModel,
) -> _Shown:
    """Return the table at the levels that a search starts from.

    Raises
    ------
    InputError
        If they are not a level of each hierarchy, or violate the model there.
    """
    names = [column.name for column in kinds.table.quasi_identifiers]
    if sorted(start) != sorted(names):
        raise InputError(f"start= names {', '.join(map(str, start))}; give a level for each of {', '.join(names)}")
    cuts = []
    for name, tree in zip(names, trees, strict=True):
        level, top = start[name], hierarchies[name].height
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= top:
            raise InputError(f"start= has level {level!r} for {name!r}; its hierarchy has the levels 0 to {top}")
        cuts.append(np.flatnonzero(tree.height == level).tolist())
    shown = _Shown.at(kinds, trees, hierarchies, loss, cuts)
    verdict = model.evaluate(shown.partition.class_counts(kinds.counting.sensitive))
    if verdict.status != "satisfied":
        raise InputError(
            f"start= does not satisfy {model.name}: {len(verdict.violating)} of {len(shown.partition)} classes at "
            "these levels violate it; give levels that do, or leave it out"
        )
    return shown
