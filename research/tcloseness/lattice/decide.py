"""Does a node satisfy a model? Exactly, and with records suppressed up to a limit.

Suppression rule: a class violates if it breaks the model's threshold, measured against the distribution Q of *all*
records; a node satisfies if the records of its violating classes, which are then suppressed, are at most the limit and
not all. LeFevre et al. 2005, §2; Samarati 2001, §4 (MaxSup). What compiled code decides of a class is written as
thresholds in whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError
from tcloseness.exact import IntArray, fits_int64
from tcloseness.lattice.lattice import Node
from tcloseness.lattice.node_classes import DenseClasses
from tcloseness.lattice.roll_up import RollUp
from tcloseness.limits import Clock
from tcloseness.measures import EMD
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import (
    ClassCondition,
    LeastEntropy,
    LeastRecords,
    LeastValues,
    MostDistance,
    TailBound,
    asks_of_values,
    conditions_of,
    parts_of,
    require_values_for,
    stays_when_merged,
)
from tcloseness.models.protocol import Verdict

__all__ = ["SEARCHING", "CloseThreshold", "CountThresholds", "Decider", "least_size", "thresholds_of"]


_SMALL_LOGS = 4096
"""c·ln c is looked up for counts below."""


class CountThresholds(NamedTuple):
    """What is asked of a class's counts c_1, …, c_m of n records, however they are named.

    Attributes
    ----------
    distinct
        Distinct ℓ-diversity: at least so many values; 0 asks nothing.
    entropy_numerator, entropy_denominator
        Entropy ℓ-diversity: n·ln n − Σ c·ln c ≥ n·ln ℓ with ℓ = numerator/denominator; 0/1 asks nothing.
    logs
        ``logs[c]`` is c·ln c for small c.
    l, c_numerator, c_denominator
        Recursive (c,ℓ)-diversity: r_1 < c·(r_ℓ + … + r_m), the counts in falling order; ℓ = 1 asks nothing.
    """

    distinct: int
    entropy_numerator: int
    entropy_denominator: int
    logs: npt.NDArray[np.float64]
    l: int  # noqa: E741
    c_numerator: int
    c_denominator: int


class CloseThreshold(NamedTuple):
    """t-closeness by the closed form over cuts: t_den·Σ_k w_k·|c(S_k)·N − C(S_k)·n| ≤ t_num·D·N·n.

    Attributes
    ----------
    order, low, high, weights
        The cuts, see `tcloseness.ground.Cuts`; no cut asks nothing.
    share
        C(S_k): how many of all records have a value in S_k.
    records
        N.
    per_record
        t_num·D·N, D being the cuts' denominator.
    t_denominator
        t_den.
    """

    order: IntArray
    low: IntArray
    high: IntArray
    weights: IntArray
    share: IntArray
    records: int
    per_record: int
    t_denominator: int


def least_size(parts: Sequence[PrivacyModel]) -> int:
    """Return the number of records that a class must have for all of these models: fewer are always too few."""
    return max((each.records for part in parts for each in conditions_of(part) or ()), default=0)


def thresholds_of(
    parts: Sequence[PrivacyModel], rolled: RollUp
) -> tuple[list[tuple[CountThresholds, CloseThreshold]], PrivacyModel | None, list[PrivacyModel]]:
    """Join models into rounds of thresholds, each with at most one of a kind; mostly one round is enough.

    Parameters
    ----------
    parts
        Models with a threshold. Least numbers of records are left to `least_size`.
    rolled
        The table whose classes will be asked.

    Returns
    -------
    rounds
        What compiled code decides.
    entropy
        The model with the least entropy of the first round, which decides what a double cannot; None if there is none.
    others
        The models that have to decide themselves: with other conditions, or with numbers that could overflow.
    """
    m, distinct, others = len(rolled.domain), 0, list[PrivacyModel]()
    entropies, recursive, close = list[tuple[Fraction, PrivacyModel]](), list[TailBound](), list[CloseThreshold]()
    for part in parts:
        conditions = conditions_of(part)
        distances = [_close(each, rolled) for each in conditions or () if isinstance(each, MostDistance)]
        if conditions is None or None in distances or not all(_decidable(each, rolled) for each in conditions):
            others.append(part)
            continue
        close += [each for each in distances if each is not None]
        for each in conditions:
            if isinstance(each, LeastValues):
                distinct = max(distinct, min(each.values, m + 1))  # no class has more than m values
            elif isinstance(each, LeastEntropy):
                entropies.append((each.l, part))
            elif isinstance(each, TailBound) and each.l > 1:
                recursive.append(each)
    least, entropy = max(entropies, key=lambda each: each[0], default=(Fraction(0), None))
    once = [(distinct, least)] if distinct or least else []
    rounds = [
        (_counts(of_values or (0, Fraction(0)), of_counts, rolled), distance or _ANYWHERE)
        for of_values, of_counts, distance in zip_longest(once, recursive, close)
    ]
    return rounds, entropy, others


def _decidable(condition: ClassCondition, rolled: RollUp) -> bool:
    """Say whether compiled code knows a condition, and its numbers fit."""
    if isinstance(condition, LeastEntropy):
        return _fits(condition.l, len(rolled.domain))
    if isinstance(condition, TailBound):
        return _fits(condition.c, rolled.records)
    return isinstance(condition, LeastRecords | LeastValues | MostDistance)


def _fits(number: Fraction, factor: int) -> bool:
    return fits_int64(max(number.numerator, number.denominator), factor)


def _counts(of_values: tuple[int, Fraction], recursive: TailBound | None, rolled: RollUp) -> CountThresholds:
    distinct, entropy = of_values
    c = recursive.c if recursive else Fraction(1)
    small = np.arange(1, min(_SMALL_LOGS, rolled.records + 1) if entropy else 1, dtype=np.float64)
    return CountThresholds(
        distinct,
        entropy.numerator,
        entropy.denominator,
        np.append(0.0, small * np.log(small)),
        min(recursive.l, len(rolled.domain) + 1) if recursive else 1,
        c.numerator,
        c.denominator,
    )


def _close(condition: MostDistance, rolled: RollUp) -> CloseThreshold | None:
    cuts = EMD(condition.ground).over(rolled.domain).ground.cuts
    if cuts is None:
        return None
    t, n = condition.t, int(rolled.reference.sum())
    per_record = t.numerator * cuts.denominator * n
    if not fits_int64(2 * max(cuts.total_weight, 1) * t.denominator, n, n) or not fits_int64(per_record, n):
        return None
    prefix = np.append(0, np.cumsum(rolled.reference[cuts.order]))
    share = prefix[cuts.high] - prefix[cuts.low]
    return CloseThreshold(cuts.order, cuts.low, cuts.high, cuts.weights, share, n, per_record, t.denominator)


_NONE = np.zeros(0, dtype=np.int64)
_NO_CUTS = _NONE.copy()
_NO_CUTS.flags.writeable = False
"""Not to be written to, as those of a ground distance, so that one machine code serves both."""
_ANYWHERE = CloseThreshold(_NO_CUTS, _NO_CUTS, _NO_CUTS, _NO_CUTS, _NONE, 0, 0, 1)


SEARCHING = "searching the lattice"
"""What a search does, for messages."""


class Decider:
    """Decides nodes of a rolled-up table, counting how many it was asked for.

    Parameters
    ----------
    rolled
        The table under its lattice.
    model
        What a node must satisfy.
    limit
        How many records may be suppressed.
    clock
        Its limits are looked at before each decision; no limit if left out.

    Attributes
    ----------
    checked
        How many nodes were decided.
    prunable
        Whether the verdicts are monotone under generalization, by the model's claim and the suppression rule.
    necessary
        The parts of the model that must hold too and are monotone; empty if there are none.
    least, rounds
        How many records a class needs, and the thresholds that compiled code decides.

    Raises
    ------
    InputError
        For a model without a threshold.

    Notes
    -----
    Class sizes are looked at first, since ℓ-diversity too needs a least size, and a node is given up at the first
    record too many. Whole numbers decide; where they could overflow, or a double's error bound leaves a question, the
    model's own `evaluate` decides.
    """

    def __init__(self, rolled: RollUp, model: PrivacyModel, limit: int = 0, clock: Clock | None = None) -> None:
        self.rolled, self.model, self.limit, self.clock = rolled, model, limit, clock
        self.checked = 0
        self.parts = tuple(part for part in parts_of(model) if conditions_of(part) != ())
        if not self.parts:
            raise InputError(f"{model.name} has no threshold, so no node can satisfy or violate it; give one")
        require_values_for(model, rolled.sensitive)
        self.least = min(least_size(self.parts), rolled.records + 1)
        others = [part for part in self.parts if asks_of_values(part)]
        self.rounds: list[tuple[CountThresholds, CloseThreshold]] = []
        self._entropy: PrivacyModel | None = None
        self._evaluated = others
        if rolled.compiled:
            from tcloseness.lattice.compiled import violating_classes

            self._mark = violating_classes
            self.rounds, self._entropy, self._evaluated = thresholds_of(others, rolled)
        claims = [part.monotone.generalization if not limit else stays_when_merged(part) for part in self.parts]
        self.prunable = all(claims)
        self.necessary = tuple(part for part, claim in zip(self.parts, claims, strict=True) if claim)

    def __call__(self, node: Node) -> Verdict:
        """Decide a node."""
        self.checked += 1
        return self._decide(node)[0]

    def violating(self, node: Node) -> npt.NDArray[np.bool_]:
        """Return which classes of a satisfying node violate and are to be suppressed, in the order of `RollUp.at`."""
        return np.asarray(self._decide(node)[1] == 1)

    def _decide(self, node: Node) -> tuple[Verdict, npt.NDArray[np.int8]]:
        if self.clock is not None:
            self.clock.check(SEARCHING)
        found = self.rolled.at(node)
        if found.smallest < self.least:
            bad = (found.sizes < self.least).view(np.int8)
            records = int(found.sizes[bad == 1].sum()) if self.limit else found.smallest  # one is too many
        else:
            bad, records = np.zeros(len(found.sizes), dtype=np.int8), 0
        for counts, close in self.rounds:
            if records > self.limit:
                break
            for part, matrix in cast(DenseClasses, found).blocks():  # compiled code works on no other form
                records = self._mark(matrix, found.sizes[part], bad[part], records, self.limit, *counts, *close)
                if records > self.limit:
                    break
            if counts.entropy_numerator and records <= self.limit and (bad == 2).any():
                records += self._settle(node, found.sizes, bad)
        if records > self.limit or records == self.rolled.records:
            return "violated", bad
        return (self._evaluate(node, bad) if self._evaluated else "satisfied"), bad

    def _settle(self, node: Node, sizes: IntArray, bad: npt.NDArray[np.int8]) -> int:
        """Decide the classes whose entropy is too near ln ℓ for doubles; return the records of violating ones."""
        assert self._entropy is not None
        exact = np.zeros(len(bad), dtype=bool)
        exact[self._entropy.evaluate(self.rolled.unsorted(node)).violating] = True
        late = exact & (bad == 2)
        bad[bad == 2] = 0
        bad[late] = 1
        return int(sizes[late].sum())

    # ------------------------------------------------------------------ the models' own evaluation

    def _evaluate(self, node: Node, bad: npt.NDArray[np.int8]) -> Verdict:
        classes = self.rolled.unsorted(node)
        verdict: Verdict = "satisfied"
        for part in self._evaluated:
            found = part.evaluate(classes)
            if found.status == "violated" and not (len(found.violating) and self.limit):
                return "violated"
            bad[found.violating] = 1
            if int(classes.class_sizes[bad == 1].sum()) > self.limit:
                return "violated"
            verdict = _joined(verdict, found.status, len(self.parts) == 1)
        withheld = np.flatnonzero(bad == 1)
        if not len(withheld):
            return verdict
        if len(withheld) == len(classes):
            return "violated"
        others = [part for part in self._evaluated if conditions_of(part) is None]
        verdict = "satisfied" if others else _joined("satisfied", verdict, False)
        for part in others:  # a class may have been fine only beside those that are now suppressed
            status = part.evaluate(self.rolled.suppressed(classes, withheld)).status
            if status == "violated":
                return "violated"
            verdict = _joined(verdict, status, False)
        return verdict


def _joined(verdict: Verdict, status: str, alone: bool) -> Verdict:
    """Join a part's status to what is known; a part that only measures asks nothing, unless it is the only one."""
    if status == "measured" and alone:
        raise InputError("the model has no threshold, so no node can satisfy or violate it; give one")
    return "undecided" if "undecided" in (verdict, status) else "satisfied"
