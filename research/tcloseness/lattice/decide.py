"""Does a node satisfy a model? Exactly, and with records suppressed up to a limit.

Suppression rule: a class violates if it breaks the model's threshold, measured against the distribution Q of *all*
records; a node satisfies if the records of its violating classes, which are then suppressed, are at most the limit and
not all. LeFevre et al. 2005, §2; Samarati 2001, §4 (MaxSup).
"""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.lattice.class_thresholds import CloseThreshold, CountThresholds, least_size, thresholds_of
from tcloseness.lattice.lattice import Levels
from tcloseness.lattice.node_classes import DenseClasses
from tcloseness.lattice.roll_up import RollUp
from tcloseness.limits import Clock
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import asks_of_values, conditions_of, parts_of, stays_when_merged
from tcloseness.models.protocol import Verdict

__all__ = ["SEARCHING", "Decider"]

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
        self._least = min(least_size(self.parts), rolled.records + 1)
        others = [part for part in self.parts if asks_of_values(part)]
        self._rounds: list[tuple[CountThresholds, CloseThreshold]] = []
        self._entropy: PrivacyModel | None = None
        self._evaluated = others
        if rolled.compiled:
            from tcloseness.lattice.compiled import violating_classes

            self._mark = violating_classes
            self._rounds, self._entropy, self._evaluated = thresholds_of(others, rolled)
        claims = [part.monotone.generalization if not limit else stays_when_merged(part) for part in self.parts]
        self.prunable = all(claims)
        self.necessary = tuple(part for part, claim in zip(self.parts, claims, strict=True) if claim)

    def __call__(self, node: Levels) -> Verdict:
        """Decide a node."""
        self.checked += 1
        return self._decide(node)[0]

    def violating(self, node: Levels) -> npt.NDArray[np.bool_]:
        """Return which classes of a satisfying node violate and are to be suppressed, in the order of `RollUp.at`."""
        return np.asarray(self._decide(node)[1] == 1)

    def _decide(self, node: Levels) -> tuple[Verdict, npt.NDArray[np.int8]]:
        if self.clock is not None:
            self.clock.check(SEARCHING)
        found = self.rolled.at(node)
        if found.smallest < self._least:
            bad = (found.sizes < self._least).view(np.int8)
            records = int(found.sizes[bad == 1].sum()) if self.limit else found.smallest  # one is too many
        else:
            bad, records = np.zeros(len(found.sizes), dtype=np.int8), 0
        for counts, close in self._rounds:
            if records > self.limit:
                break
            matrix = cast(DenseClasses, found).matrix  # compiled code works on no other form
            records = self._mark(matrix, found.sizes, bad, records, self.limit, *counts, *close)
            if counts.entropy_numerator and records <= self.limit and (bad == 2).any():
                records += self._settle(node, found.sizes, bad)
        if records > self.limit or records == self.rolled.records:
            return "violated", bad
        return (self._evaluate(node, bad) if self._evaluated else "satisfied"), bad

    def _settle(self, node: Levels, sizes: IntArray, bad: npt.NDArray[np.int8]) -> int:
        """Decide the classes whose entropy a double could not tell from ln ℓ; return the records of violating ones."""
        assert self._entropy is not None
        exact = np.zeros(len(bad), dtype=bool)
        exact[self._entropy.evaluate(self.rolled.unsorted(node)).violating] = True
        late = exact & (bad == 2)
        bad[bad == 2] = 0
        bad[late] = 1
        return int(sizes[late].sum())

    # ------------------------------------------------------------------ the models' own evaluation

    def _evaluate(self, node: Levels, bad: npt.NDArray[np.int8]) -> Verdict:
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
