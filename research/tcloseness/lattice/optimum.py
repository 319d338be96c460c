"""The nodes of least loss that satisfy a model, with the reasons why no other node is better."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError, ProtocolError
from tcloseness.exact import Number
from tcloseness.lattice.decide import Decider
from tcloseness.lattice.lattice import Node
from tcloseness.lattice.level_losses import LevelLosses, tabulated
from tcloseness.lattice.results import OptimalNode, Optimum, PartialOptimum, Progress, Work
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.searches import Search, SearchOptions, search_conventions
from tcloseness.lattice.tags import SATISFYING, UNDECIDED, UNKNOWN, VIOLATING, Guess, Tags, Worse, in_order
from tcloseness.limits import Clock, Ending, Reason, TimeLimit
from tcloseness.loss import Loss, LossResult
from tcloseness.loss.per_class import require_loss
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.release import Release

if TYPE_CHECKING:
    from tcloseness.lattice.leaving import FewestLeaving

__all__ = ["EXCLUDED", "optimum"]

_FURTHER = 64
"""The next so many nodes are ruled out at a time, and a quarter of those that were looked at more."""

EXCLUDED = {
    "checked": "violates the model: checked",
    "below": "violates the model: so does a node above it, or a part of the model that is monotone",
    "undecided": "the model could not decide",
    "loss": "its loss is worse",
    "above": "it generalizes a node of worse loss, and the loss never improves by that",
}
"""Why a node is not optimal."""


@overload
def optimum(
    rolled: RollUp | FullTable,
    model: PrivacyModel,
    *,
    loss: Loss,
    partial: Literal[False] = ...,
    **options: Unpack[SearchOptions],
) -> Optimum: ...


@overload
def optimum(
    rolled: RollUp | FullTable, model: PrivacyModel, *, loss: Loss, partial: bool, **options: Unpack[SearchOptions]
) -> Optimum | PartialOptimum: ...


def optimum(
    rolled: RollUp | FullTable,
    model: PrivacyModel,
    *,
    loss: Loss,
    suppression: Number = 0,
    progress: Progress | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    partial: bool = False,
) -> Optimum | PartialOptimum:
    """Find all nodes of least loss among those that satisfy a model.

    Parameters
    ----------
    rolled, model, suppression, progress, time_limit, memory_limit, partial
        As for `exhaustive`.
    loss
        What to minimize (or to maximize, if the loss says that higher is better), measured after suppression.

    Returns
    -------
    Optimum
        All optimal nodes, each with its loss and with the model's own verdict about the released classes, and for
        every other node the reason that excludes it. Only with ``partial=True``, and if the search ended early: a
        `PartialOptimum`.

    Raises
    ------
    InputError, TimeLimitReached, MemoryLimitReached, LimitReached
        As `exhaustive`; also for an object that is not a loss.
    ProtocolError
        If a loss contradicts what it declares (nodes of equal tabulated terms have different losses, or suppression
        improves it).

    Notes
    -----
    Where verdicts are monotone and nothing is suppressed: a loss that follows from the levels is tabulated, and each
    question goes to the node that is expected to settle most, since a satisfying node also rules out all nodes of
    greater loss. Elsewhere such a loss bounds what a node costs, if suppression never improves it: nodes are taken in
    its order, and measured after suppression, until it is worse than the best of those. For another loss that never
    improves by generalizing, all minimal nodes are found and measured, and from the best of them upwards whatever ties.
    In every other case the loss of every satisfying node is measured.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.loss import Discernibility
    >>> from tcloseness.microdata import FrequencySet, Hierarchy
    >>> from tcloseness.models import KAnonymity
    >>> table = pd.DataFrame({"zip": ["476", "477", "479"], "disease": ["flu", "cold", "flu"]})
    >>> frequencies = FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="disease")
    >>> rolled = RollUp(frequencies, {"zip": Hierarchy.prefixes(table["zip"], name="zip")})
    >>> best = optimum(rolled, KAnonymity(2), loss=Discernibility())
    >>> [found.node for found in best.nodes], best.value
    ([(1,), (2,), (3,)], Fraction(9, 1))
    """
    rolled = in_shape(rolled, RollUp)
    run = _Optimizer(rolled, model, require_loss(loss), suppression, progress, Clock.of(time_limit, memory_limit))
    with Ending(partial) as ending:
        return run.whole()
    assert ending.reason is not None
    return run.so_far(ending.reason)


class _Optimizer:
    """One run: a `Search` and the losses that were measured."""

    def __init__(
        self,
        rolled: RollUp,
        model: PrivacyModel,
        loss: Loss,
        suppression: Number,
        progress: Progress | None,
        clock: Clock,
    ) -> None:
        self.rolled, self.model, self.loss, self.clock = rolled, model, loss, clock
        self.search = Search(rolled, model, suppression, progress, clock)
        self.tags, self.limit = self.search.tags, self.search.limit
        self.ranks: npt.NDArray[np.int64] | None = None  # of a loss that is tabulated
        self.guess = Guess(rolled.lattice)
        self.left: int | None = None  # how many nodes are still to be looked at, in the order of their bounds
        self.best: list[Node] = []  # of those that were measured
        self.results: dict[Node, LossResult] = {}
        self.needs_release = False
        better = getattr(loss, "better", "lower")
        self.sign = 1 if better == "lower" else -1
        self.monotone = loss.generalizing == ("never lowers it" if better == "lower" else "never raises it")

    def whole(self) -> Optimum:
        """Choose the way and put the answer together."""
        pruned = self.search.decide.prunable and not self.limit
        worse = "never lowers it" if self.sign > 0 else "never raises it"
        bounded = not self.limit or getattr(self.loss, "suppressing", None) == worse
        losses = tabulated(self.rolled, self.loss, self.clock) if bounded else None
        if losses is None:
            return self._by_measuring(upwards=pruned and self.monotone)
        return self._by_rank(losses) if pruned else self._by_bound(losses)

    # ------------------------------------------------------------------ tabulated losses

    def _by_rank(self, losses: LevelLosses) -> Optimum:
        search, tags, self.ranks = self.search, self.tags, losses.ranks
        best = self._least_rank(search.decide, tags, losses.ranks)
        optimal = (tags.array == SATISFYING) & (losses.ranks == best)
        below, undecided = tags.count(VIOLATING) - search.violating, tags.count(UNDECIDED)
        excluded = {
            "checked": search.violating,
            "below": below,
            "undecided": undecided,
            "loss": tags.array.size - search.violating - below - undecided - int(optimal.sum()),
        }
        return self._answer(tuple(in_order(optimal)), excluded, tags.array.size)

    def _least_rank(self, decide: Decider | FewestLeaving, tags: Tags, ranks: npt.NDArray[np.int64]) -> int:
        """Return the least rank of a node that satisfies, where verdicts are monotone; tell all nodes below it."""
        guess, flat, worst = self.guess, ranks.reshape(-1), int(ranks.max())
        best = worst + 1
        while True:
            open_nodes = (tags.array == UNKNOWN) & (ranks <= best)
            node = tags.next_node(guess.chance(), open_nodes, Worse(tags, open_nodes, flat, worst))
            if node is None:
                return best
            verdict = decide(node)
            tags.spread(node, verdict)
            guess.learn(node, verdict)
            self.search.violating += verdict == "violated" and decide is self.search.decide
            if verdict == "satisfied":  # as all above it does, where some losses are less
                best = min(best, int(ranks[tuple(slice(level, None) for level in node)].min()))
            if self.search.progress:  # nodes that satisfy are still to be measured, but for a loss that is tabulated
                settled = tags.count(VIOLATING) if self.ranks is None else tags.array.size - int(open_nodes.sum()) + 1
                self.search.tell(settled)

    # ------------------------------------------------------------------ losses that are bounded by the table of them

    def _by_bound(self, losses: LevelLosses) -> Optimum:
        """Measure nodes in the order of their loss without suppression, until that is worse than the best after it."""
        search, tags, ranks = self.search, self.tags, losses.ranks.reshape(-1)
        with search.ruling_out() as (first, ruled):
            reached = int(ranks.max()) if first is None else self._least_rank(first, ruled, losses.ranks)
            search.rule(ruled)
            self._in_turn(losses, first, ruled, reached)
        violating, undecided = tags.count(VIOLATING), tags.count(UNDECIDED)
        excluded = {
            "checked": search.violating,
            "below": violating - search.violating,
            "undecided": undecided,
            "loss": tags.array.size - violating - undecided - len(self.best),
        }
        return self._answer(self._ordered_best(), excluded, len(self.results))

    def _in_turn(self, losses: LevelLosses, first: Decider | FewestLeaving | None, ruled: Tags, reached: int) -> None:
        """Decide and measure nodes; all up to the rank `reached` are ruled out that `first` rules out."""
        search, tags, ranks = self.search, self.tags, losses.ranks.reshape(-1)
        places = np.flatnonzero(tags.array != VIOLATING)
        places = places[np.argsort(ranks[places], kind="stable")]
        in_turn = ranks[places]
        within = self.left = len(places)
        for done, place in enumerate(places.tolist(), 1):
            if done > within:
                break
            node = tuple(map(int, np.unravel_index(place, tags.array.shape)))
            if first is not None and tags[node] == UNKNOWN and ranks[place] > reached:
                reached = int(in_turn[min(5 * done // 4 + _FURTHER, within) - 1])
                self._rule_out(first, ruled, losses.ranks <= reached)
                search.rule(ruled)
            if tags[node] == UNKNOWN:
                search.check(node)
            if tags[node] == SATISFYING:
                self._compare(self.best, node)
                if losses.no_worse(self.results[node]) <= ranks[place]:
                    raise ProtocolError(
                        f"suppressing of the loss {self.loss.name} is {self.loss.suppressing!r}, and suppression "  # type: ignore[attr-defined]
                        f"improves it at {node!r}; a loss that may be improved does not declare that"
                    )
                within = int(np.searchsorted(in_turn, losses.no_worse(self.results[self.best[0]])))
            self.left = within - done
            search.tell(tags.array.size - self.left)

    def _rule_out(self, first: Decider | FewestLeaving, ruled: Tags, inside: npt.NDArray[np.bool_]) -> None:
        """Ask until each of some nodes is known to be ruled out, or not."""
        while (node := ruled.next_node(self.guess.chance(), (ruled.array == UNKNOWN) & inside)) is not None:
            verdict = first(node)
            ruled.spread(node, verdict)
            self.guess.learn(node, verdict)
            self.search.violating += verdict == "violated" and first is self.search.decide

    def _ordered_best(self) -> tuple[Node, ...]:
        return tuple(sorted(self.best, key=lambda node: (sum(node), node)))

    # ------------------------------------------------------------------ measured losses

    def _by_measuring(self, *, upwards: bool) -> Optimum:
        self.search.settle()
        candidates: Iterable[Node] = self.tags.minimal() if upwards else self.tags.each(SATISFYING)
        for node in candidates:
            self._compare(self.best, node)
        if upwards:
            self._ties_above(self.best)
        measured = len(self.results)
        excluded = {
            "checked": self.search.violating,
            "below": self.tags.count(VIOLATING) - self.search.violating,
            "undecided": self.tags.count(UNDECIDED),
            "loss": measured - len(self.best),
            "above": self.tags.count(SATISFYING) - measured,
        }
        return self._answer(self._ordered_best(), excluded, measured)

    def _compare(self, best: list[Node], node: Node) -> None:
        """Measure a node and put it in the place of the best nodes, or beside them."""
        loss = self.measure(node)
        order = self.sign * loss.compare(self.measure(best[0])) if best else -1
        if order < 0:
            best[:] = [node]
        elif order == 0:
            best.append(node)

    def _ties_above(self, best: list[Node]) -> None:
        """Add the nodes above that are as good: each is reached over nodes that are as good."""
        for node in best:  # it grows on the way
            for parent in self.rolled.lattice.parents(node):
                if parent not in self.results:
                    self._compare(best, parent)

    def measure(self, node: Node) -> LossResult:
        """Return the loss of a node after suppression."""
        if node not in self.results:
            self.clock.check("measuring losses")
            self.results[node] = self._measured(node)
        return self.results[node]

    def _measured(self, node: Node) -> LossResult:
        if not self.needs_release:
            classes = self.rolled.unsorted(node)
            if self.limit and not getattr(self.loss, "before_suppression", False):
                withheld = np.flatnonzero(self.search.decide.violating(node))
                classes = self.rolled.suppressed(classes, withheld) if len(withheld) else classes
            try:
                return self.loss.evaluate(classes)
            except InputError:  # class counts are not enough for it
                self.needs_release = True
        return self.loss.evaluate(self._release(node))

    def _release(self, node: Node) -> Release:
        release = self.rolled.release(node)
        return self.rolled.withheld(release, node, self.search.decide.violating(node)) if self.limit else release

    def _withheld(self, node: Node) -> npt.NDArray[Any]:
        """The numbers of the classes of ``rolled.classes(node)`` that are suppressed."""
        if not self.limit:
            return np.zeros(0, dtype=np.int64)
        order = np.argsort(self.rolled.codes.keys(node, self.rolled.at(node).inside)[0], kind="stable")
        return np.flatnonzero(self.search.decide.violating(node)[order])

    # ------------------------------------------------------------------ the answer

    def _answer(self, nodes: tuple[Node, ...], excluded: dict[str, int], measured: int) -> Optimum:
        found = tuple(self._optimal(node) for node in nodes)
        for other in found[1:]:
            if other.loss.value != found[0].loss.value:
                raise ProtocolError(
                    f"the loss {self.loss.name} ranks {other.node!r} and {found[0].node!r} alike by its terms and "
                    "measures them differently; a loss that declares terms_are must follow from them"
                )
        work = self.search.work()
        return Optimum(
            self.rolled.lattice,
            self.model.name,
            self.limit,
            self.loss.name,
            found,
            {EXCLUDED[reason]: count for reason, count in excluded.items() if count},
            Work(work.checked, max(0, len(self.rolled.lattice) - work.checked), work.roll_ups),
            measured,
            self.tags,
            search_conventions(self.rolled, self.limit),
        )

    def so_far(self, reason: Reason) -> PartialOptimum:
        """Put together what is known; the limits no longer hold for it, and one node is measured at most."""
        self.search.decide.clock = None
        satisfying = self.tags.array == SATISFYING
        best: Node | None = None
        unsettled = self.tags.count(UNKNOWN)
        if self.ranks is not None:
            if satisfying.any():
                least = int(self.ranks[satisfying].min())
                best = next(in_order(satisfying & (self.ranks == least)))
                unsettled = int(((self.tags.array == UNKNOWN) & (self.ranks <= least)).sum())
        else:
            for node, loss in self.results.items():
                if best is None or self.sign * loss.compare(self.results[best]) < 0:
                    best = node
            unsettled += self.tags.count(SATISFYING) - len(self.results)
            if self.left is not None:
                unsettled = self.left
        if best is not None and best not in self.results:
            self.results[best] = self._measured(best)
        return PartialOptimum(
            self.rolled.lattice,
            self.model.name,
            self.limit,
            self.loss.name,
            reason,
            None if best is None else self._optimal(best),
            unsettled,
            self.search.work(),
            search_conventions(self.rolled, self.limit),
        )

    def _optimal(self, node: Node) -> OptimalNode:
        classes, withheld = self.rolled.classes(node), self._withheld(node)
        if len(withheld):
            classes = self.rolled.suppressed(classes, withheld)
        loss = replace(self.measure(node), suppressed=classes.suppressed)  # it may have seen the classes before that
        return OptimalNode(node, loss, self.model.evaluate(classes), classes.suppressed)
