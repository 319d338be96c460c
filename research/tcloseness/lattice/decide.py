"""Does a node satisfy a model? Exactly, and with records suppressed up to a limit.

Suppression rule: a class violates if it breaks the model's threshold, measured against the distribution Q of *all*
records; a node satisfies if the records of its violating classes, which are then suppressed, are at most the limit and
not all. LeFevre et al. 2005, §2; Samarati 2001, §4 (MaxSup).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import Number, as_fraction, fits_int64, number_text
from tcloseness.lattice.lattice import Levels
from tcloseness.lattice.node_classes import DenseClasses
from tcloseness.lattice.roll_up import RollUp
from tcloseness.measures.emd import BoundEMD
from tcloseness.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    PrivacyModel,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.combination import Combination
from tcloseness.models.p_sensitive import PSensitiveKAnonymity

__all__ = ["Decider", "Verdict", "parts_of", "stays_when_merged", "suppression_rows"]

Verdict: TypeAlias = Literal["satisfied", "violated", "undecided"]

_SMALL_LOGS = 4096
"""c·ln c is looked up for counts below."""


def suppression_rows(suppression: Number, records: int) -> int:
    """Return how many records may be suppressed: an int is that number, anything else a share, rounded down.

    Examples
    --------
    >>> suppression_rows("0.05", 30), suppression_rows(5, 30), suppression_rows("1", 30)
    (1, 5, 30)
    """
    number = as_fraction(suppression, "suppression")
    if isinstance(suppression, (int, np.integer)):
        if not 0 <= number <= records:
            raise InputError(f"suppression = {suppression} records; it must lie between 0 and the {records} there are")
        return int(number)
    if not 0 <= number <= 1:
        raise InputError(
            f"suppression = {number_text(number)}; a share lies between 0 and 1 (an int is a number of records)"
        )
    return int(number * records)


def parts_of(model: Any) -> tuple[Any, ...]:
    """Return the models that are asked for together."""
    if not isinstance(model, PrivacyModel):
        raise InputError(f"{model!r} is no privacy model; it needs name, monotone and evaluate(classes)")
    if type(model) is Combination:
        return tuple(part for each in model.models for part in parts_of(each))
    if type(model) is PSensitiveKAnonymity:
        return (KAnonymity(model.k), DistinctLDiversity(model.p))
    return (model,)


def _asks(part: Any) -> bool:
    """Say whether a part has a threshold; parts of unknown kind do."""
    letter = {KAnonymity: "k", DistinctLDiversity: "l", EntropyLDiversity: "l", RecursiveCLDiversity: "c"}
    name = letter.get(type(part), "t" if type(part) is TCloseness else None)
    return name is None or getattr(part, name) is not None


def stays_when_merged(part: Any) -> bool:
    """Say whether a class that satisfies still does after a merger with *any* class, also one that violates.

    Only then do the records that a node must suppress never grow under generalization. k-anonymity and distinct
    ℓ-diversity have the property. Entropy and recursive ℓ-diversity and t-closeness do not: one large violating class
    spoils a satisfying one.
    """
    return type(part) in (KAnonymity, DistinctLDiversity)


@dataclass
class _Count:
    """How many records may be in violating classes, and how many are so far."""

    limit: int
    records: int = 0

    def verdict(self, records: int) -> Verdict:
        """Take the new number and say whether it is too many."""
        self.records = records
        return "violated" if records > self.limit else "satisfied"


Check: TypeAlias = Callable[[Levels, Any, np.ndarray[Any, Any], _Count], Verdict]


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

    Attributes
    ----------
    checked
        How many nodes were decided.
    prunable
        Whether the verdicts are monotone under generalization, by the model's claim and the suppression rule.
    necessary
        The parts of the model that must hold too and are monotone; empty if there are none.

    Raises
    ------
    InputError
        For a model without a threshold.

    Notes
    -----
    Sizes are looked at first and distances last, and a node is given up at the first record too many. Whole numbers
    decide; where they could overflow, or a double's error bound leaves a question, the model's own `evaluate` decides.
    """

    def __init__(self, rolled: RollUp, model: Any, limit: int = 0) -> None:
        self.rolled, self.model, self.limit = rolled, model, limit
        self.checked = 0
        self.parts = tuple(part for part in parts_of(model) if _asks(part))
        if not self.parts:
            raise InputError(f"{model.name} has no threshold, so no node can satisfy or violate it; give one")
        checks = [self._compiled(part) if rolled.compiled else None for part in self.parts]
        self._checks = [check for _, check in sorted((c for c in checks if c is not None), key=lambda c: c[0])]
        self._evaluated = [part for check, part in zip(checks, self.parts, strict=True) if check is None]
        claims = [part.monotone.generalization if not limit else stays_when_merged(part) for part in self.parts]
        self.prunable = all(claims)
        self.necessary = tuple(part for part, claim in zip(self.parts, claims, strict=True) if claim)

    def __call__(self, node: Levels) -> Verdict:
        """Decide a node."""
        self.checked += 1
        return self._decide(node)[0]

    def violating(self, node: Levels) -> np.ndarray[Any, Any]:
        """Return which classes of a satisfying node violate and are to be suppressed, in the order of `RollUp.at`."""
        return np.asarray(self._decide(node)[1] == 1)

    def _decide(self, node: Levels) -> tuple[Verdict, np.ndarray[Any, Any]]:
        found = self.rolled.at(node)
        bad = np.zeros(len(found.sizes), dtype=np.int8)
        count = _Count(self.limit)
        for check in self._checks:
            if check(node, found, bad, count) == "violated":
                return "violated", bad
        if self._evaluated:
            return self._evaluate(node, bad), bad
        everything = count.records == self.rolled.records
        return ("violated" if everything else "satisfied"), bad

    # ------------------------------------------------------------------ the models' own evaluation

    def _evaluate(self, node: Levels, bad: np.ndarray[Any, Any]) -> Verdict:
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
        known = (KAnonymity, DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity, TCloseness)
        others = [part for part in self._evaluated if type(part) not in known]
        verdict = "satisfied" if others else _joined("satisfied", verdict, False)
        for part in others:  # a class may have been fine only beside those that are now suppressed
            status = part.evaluate(self.rolled.suppressed(classes, withheld)).status
            if status == "violated":
                return "violated"
            verdict = _joined(verdict, status, False)
        return verdict

    # ------------------------------------------------------------------ compiled decisions

    def _compiled(self, part: Any) -> tuple[int, Check] | None:
        """Return a check of one part by compiled code and its place in the order; None if the part decides itself."""
        kinds: dict[type, Callable[[Any], tuple[int, Check] | None]] = {
            KAnonymity: self._small,
            DistinctLDiversity: self._poor,
            RecursiveCLDiversity: self._frequent,
            EntropyLDiversity: self._uniform,
            TCloseness: self._distant,
        }
        make = kinds.get(type(part))
        return make(part) if make else None

    def _small(self, part: KAnonymity) -> tuple[int, Check] | None:
        from tcloseness.lattice.compiled import small_classes

        k = int(part.k or 0)
        if not fits_int64(k):
            return None

        def check(_: Levels, found: DenseClasses, bad: np.ndarray[Any, Any], count: _Count) -> Verdict:
            return count.verdict(small_classes(found.sizes, k, bad, count.records, count.limit))

        return 0, check

    def _poor(self, part: DistinctLDiversity) -> tuple[int, Check] | None:
        from tcloseness.lattice.compiled import poor_classes

        l = int(part.l or 0)  # noqa: E741
        if not fits_int64(l):
            return None

        def check(_: Levels, found: DenseClasses, bad: np.ndarray[Any, Any], count: _Count) -> Verdict:
            return count.verdict(poor_classes(found.matrix, found.sizes, l, bad, count.records, count.limit))

        return 1, check

    def _frequent(self, part: RecursiveCLDiversity) -> tuple[int, Check] | None:
        from tcloseness.lattice.compiled import frequent_classes

        c = as_fraction(part.c)
        if part.l == 1:  # always holds
            return 2, lambda *_: "satisfied"
        if not fits_int64(self.rolled.records, max(c.numerator, c.denominator)) or part.l > 2**20:
            return None

        def check(_: Levels, found: DenseClasses, bad: np.ndarray[Any, Any], count: _Count) -> Verdict:
            records = frequent_classes(
                found.matrix, found.sizes, part.l, c.numerator, c.denominator, bad, count.records, count.limit
            )
            return count.verdict(records)

        return 2, check

    def _uniform(self, part: EntropyLDiversity) -> tuple[int, Check] | None:
        from tcloseness.lattice.compiled import uniform_classes

        l = as_fraction(part.l)  # noqa: E741
        if not fits_int64(len(self.rolled.domain), l.numerator) or not fits_int64(
            len(self.rolled.domain), l.denominator
        ):
            return None
        c = np.arange(1, min(_SMALL_LOGS, self.rolled.records + 1), dtype=np.float64)
        logs = np.append(0.0, c * np.log(c))

        def check(node: Levels, found: DenseClasses, bad: np.ndarray[Any, Any], count: _Count) -> Verdict:
            records = uniform_classes(
                found.matrix, found.sizes, logs, l.numerator, l.denominator, bad, count.records, count.limit
            )
            if records <= count.limit and (bad == 2).any():
                exact = np.zeros(len(bad), dtype=bool)
                exact[part.evaluate(self.rolled.unsorted(node)).violating] = True
                late = exact & (bad == 2)
                records += int(found.sizes[late].sum())
                bad[bad == 2] = 0
                bad[late] = 1
            return count.verdict(records)

        return 3, check

    def _distant(self, part: TCloseness) -> tuple[int, Check] | None:
        from tcloseness.lattice.compiled import distant_classes

        measure = part.distance.over(self.rolled.domain)
        cuts = measure.ground.cuts if isinstance(measure, BoundEMD) else None
        t, n = as_fraction(part.t), self.rolled.records
        if cuts is None:
            return None
        per_record = t.numerator * n * cuts.denominator
        work = 2 * max(cuts.total_weight, 1) * t.denominator
        if not fits_int64(work, n, n) or not fits_int64(per_record, n):
            return None
        prefix = np.append([0], np.cumsum(self.rolled.reference[cuts.order]))
        share = prefix[cuts.high] - prefix[cuts.low]
        total = int(prefix[-1])

        def check(_: Levels, found: DenseClasses, bad: np.ndarray[Any, Any], count: _Count) -> Verdict:
            records = distant_classes(
                found.matrix,
                found.sizes,
                cuts.order,
                cuts.low,
                cuts.high,
                cuts.weights,
                share,
                total,
                per_record,
                t.denominator,
                bad,
                count.records,
                self.limit,
            )
            return count.verdict(records)

        return 4, check


def _joined(verdict: Verdict, status: str, alone: bool) -> Verdict:
    """Join a part's status to what is known; a part that only measures asks nothing, unless it is the only one."""
    if status == "measured" and alone:
        raise InputError("the model has no threshold, so no node can satisfy or violate it; give one")
    return "undecided" if "undecided" in (verdict, status) else "satisfied"
