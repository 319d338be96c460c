"""One question at every level of knowledge: what does a release give away?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias

from tcloseness.attacks.counted_beliefs import asks_of_one_value
from tcloseness.attacks.disclosure import Disclosure, Level
from tcloseness.attacks.refused_cuts import refused_cuts
from tcloseness.attacks.replay import Optimum, objective_of, require_one_secret, shown_of
from tcloseness.attacks.result import listed
from tcloseness.attacks.ruled_out_steps import ruled_out_steps
from tcloseness.attacks.tight import label_disclosure
from tcloseness.attacks.worlds import RUNNING, Knows, arranged, candidates_of, consistent_originals
from tcloseness.errors import InputError, NotReached, TableError
from tcloseness.limits import Clock, TimeLimit
from tcloseness.loss import Loss
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import PrivacyModel
from tcloseness.models.thresholds import whole
from tcloseness.release import Anonymized, Partition, Release

__all__ = ["what_it_gives_away"]

Asked: TypeAlias = Literal["labels", "tight", "minimal", "optimal", "code"]

NEEDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "minimal": (("model",),),
    "optimal": (("method",), ("model", "loss")),
    "code": (("method",),),
}
"""What each level needs to know of how the release was made, in one of these ways."""

KNOWN: Mapping[Asked, tuple[Knows, ...]] = {
    "labels": ("release",),
    "tight": ("release",),
    "minimal": ("quasi-identifiers",),
    "optimal": ("quasi-identifiers",),
    "code": ("quasi-identifiers", "release"),
}
"""Of whom each level is answered."""


def what_it_gives_away(
    release: Any,
    *,
    level: Asked = "tight",
    method: Callable[[Microdata], object] | None = None,
    model: PrivacyModel | None = None,
    loss: Loss | None = None,
    knows: Knows | None = None,
    most: int = 10_000,
    time_limit: TimeLimit = None,
) -> Disclosure:
    """Return what is true in all originals that are consistent with a release, and in some, at a level of knowledge.

    | level | the attacker knows | what is answered |
    |---|---|---|
    | ``labels`` | which values each label stands for | values of quasi-identifiers |
    | ``tight`` | also that no label that stands for less would do | values of quasi-identifiers |
    | ``minimal`` | also that each direct specialization of the node, or each cut of a class, violates the model | \
sensitive values of persons |
    | ``optimal`` | also that no release that satisfies the model has less loss | sensitive values of persons |
    | ``code`` | the method with all its parameters | these; or values of quasi-identifiers, of the release alone |

    Parameters
    ----------
    release
        An answer with a release, a release, or a table in two parts by `anatomy`; with its original.
    level
        See above.
    method
        What made the release, of one argument, for ``"code"``; for ``"optimal"`` what returns optima. It is run on
        every candidate: give a function such as ``lambda table: mondrian(table, KAnonymity(3), seed=1)``.
    model
        The model by which a full-domain release or one by strict Mondrian was made, for ``"minimal"``; or a full-domain
        release, for ``"optimal"``.
    loss
        With `model`, for ``"optimal"``: the loss that no other node which satisfies the model has less of.
    knows
        As for `consistent_originals`. What labels say is asked of ``"release"`` alone, what is minimal or optimal of
        known ``"quasi-identifiers"``, ``"code"`` of either; those are the default.
    most
        As for `consistent_originals`; for refused cuts, as for `refused_cuts`.
    time_limit
        Seconds, or a running `tcloseness.limits.Clock`; from ``"minimal"`` on.

    Returns
    -------
    Disclosure
        By `label_disclosure` for the first two levels; a `ConsistentOriginals` for the others. For ``"minimal"`` a
        `CountedBeliefs` by `refused_cuts` for a release in classes, and by `ruled_out_steps` for a full-domain release
        with more than `most` candidates under a model that bounds one value's share.

    Raises
    ------
    InputError
        For an unknown level, one whose method, model or loss is not given, what the level does not use, a method that
        makes another release, and a release that violates the model, or is not minimal or optimal.
    LimitReached
        For more than `most` candidates. `TimeLimitReached` at the limit.
    NotReached
        If the model cannot decide whether some candidate's node is minimal or optimal.
    TableError
        For what has no release, or none that the level can speak of.

    Examples
    --------
    Two persons q1 and three q2 are shown as one class, since distinct l-diversity is violated by q1 alone:

    >>> import pandas as pd
    >>> from tcloseness.models import DistinctLDiversity
    >>> frame = pd.DataFrame({"q": ["q1"] * 2 + ["q2"] * 3, "ill": ["flu", "flu", "hiv", "hiv", "flu"]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="q", sensitive="ill")
    >>> release = Release.full_domain(FrequencySet.of(table), {"q": Hierarchy.suppression(["q1", "q2"])}, {"q": 1})
    >>> found = what_it_gives_away(release, level="minimal", model=DistinctLDiversity(2))
    >>> found.candidates, found.consistent
    (10, 4)

    Here the node below is the only other one, so that least height says the same:

    >>> from tcloseness.loss import GeneralizationHeight
    >>> least = what_it_gives_away(release, level="optimal", model=DistinctLDiversity(2), loss=GeneralizationHeight())
    >>> least.consistent
    4
    """
    if level not in ("labels", "tight", "minimal", "optimal", "code"):
        raise InputError(f"level={level!r} is unknown; it is 'labels', 'tight', 'minimal', 'optimal' or 'code'")
    clock = Clock.of(time_limit)
    _require_used(level, {"method": method, "model": model, "loss": loss}, knows)
    if level in ("labels", "tight"):
        return label_disclosure(_release_of(release), level)
    if model is not None:
        return _ruled_out(release, model, loss, whole(most, "most", least=1), clock)
    assert method is not None
    table = _table_of(release)
    require_one_secret(table)
    made, shown = method(table), shown_of(release, table)
    same = shown_of(made, table) == shown
    if shown is None or not (same or (level == "optimal" and _is_optimum(release, made))):
        raise InputError(
            "the method makes another release of the original than the one that is given; give the parameters and the "
            "seed by which it was made"
        )
    if level == "code":
        return consistent_originals(table, method, knows=knows or "quasi-identifiers", most=most, time_limit=clock)
    keeps = Optimum.of(method, made if same else release, table)
    return arranged(table, shown, keeps, level, whole(most, "most", least=1), clock)


def _require_used(level: Asked, given: Mapping[str, object], knows: Knows | None) -> None:
    """Raise `InputError` unless a level has what it needs, and nothing else."""
    named = [name for name, value in given.items() if value is not None]
    ways = NEEDS.get(level, ((),))
    way = next((each for each in ways if set(each) <= set(named)), None)
    if way is None:
        needed = " or ".join(listed([f"{name}=" for name in each], "and") for each in ways)
        raise InputError(f"level={level!r} needs {needed}, by which the release was made; or ask for 'tight'")
    unused = next((name for name in named if name not in way), None)
    if unused is not None:
        beside = f" beside {listed([f'{name}=' for name in way], 'and')}" if way else ""
        raise InputError(f"level={level!r} uses no {unused}={beside}; leave it out, or ask for another level")
    if knows not in (None, *KNOWN[level]):
        raise InputError(
            f"level={level!r} is not answered for knows={knows!r}, but for {listed(map(repr, KNOWN[level]))}; leave "
            "knows= out, or ask homogeneity_attack what classes say of persons whose quasi-identifiers are known"
        )


def _ruled_out(given: Any, model: PrivacyModel, loss: Loss | None, most: int, clock: Clock) -> Disclosure:
    """Return what it says that a release is minimal or, where there is a loss, optimal."""
    release = _release_of(given)
    level: Level = "minimal" if loss is None else "optimal"
    table = release.rows_of
    require_one_secret(table)
    levels = {name: level for name, level in release.levels.items() if level is not None}
    if isinstance(given, Anonymized) and len(levels) < len(release.recodings) and loss is None:
        return refused_cuts(given, model, most=most, time_limit=clock)
    if release.suppressed or len(levels) < len(release.recodings):
        other = ", or the answer of strict Mondrian" if loss is None else ", or one with method="
        raise TableError(
            f"level={level!r} is about a full-domain release without suppression{other}, and this one suppresses "
            "records or recodes locally; give its method and take level='code'"
        )
    said = model.evaluate(release.classes).status
    if said != "satisfied":
        raise InputError(
            f"at the levels {levels!r} of the release {model.name} is {said}; what is {level} satisfies its model: "
            "give the threshold by which the release was made"
        )
    hierarchies = {name: r.hierarchy for name, r in release.recodings.items() if r.hierarchy is not None}
    others = _RuledOut(hierarchies, levels, model, loss, clock)
    found = others.taken_instead(table)
    if found is not None:
        what = "a direct specialization" if loss is None else f"levels {dict(found)!r} have less {loss.name} and that"
        raise InputError(
            f"the release is not {level}: {what} satisfies {model.name} too, so that whoever relies on its being "
            f"{level} is misled"
        )
    shown = shown_of(release, table)
    assert shown is not None
    if loss is None and candidates_of(table, shown) > most and asks_of_one_value(model) is not None:
        return ruled_out_steps(release, model, time_limit=clock)
    return arranged(table, shown, others, level, most, clock)


@dataclass(frozen=True)
class _RuledOut:
    """Whether a world would not have been released at another node.

    Without a loss the others are the direct specializations; else all nodes of less loss.
    """

    hierarchies: Mapping[str, Hierarchy]
    levels: Mapping[str, int]
    model: PrivacyModel
    loss: Loss | None
    clock: Clock

    def __call__(self, world: Microdata) -> bool:
        return self.taken_instead(world) is None

    def taken_instead(self, world: Microdata) -> Mapping[str, int] | None:
        """Return a node that would have been released; `NotReached` if the model cannot decide whether there is one."""
        counts = FrequencySet.of(world)
        mine = None if self.loss is None else self.loss.evaluate(self._release(counts, self.levels))
        undecided = None
        for levels in self._others():
            self.clock.check(RUNNING)
            other = self._release(counts, levels)
            status = self.model.evaluate(other.classes).status
            if status == "violated":
                continue
            if self.loss is not None and mine is not None:
                cost = self.loss.evaluate(other)
                if cost.compare(mine) * (1 if cost.better == "lower" else -1) >= 0:
                    continue
            if status == "satisfied":
                return levels
            undecided = levels
        if undecided is not None:
            raise NotReached(
                f"whether {self.model.name} is violated at the levels {dict(undecided)!r} is undecided for some "
                "candidate, so what is consistent is not known; give a model that decides"
            )
        return None

    def _release(self, counts: FrequencySet, levels: Mapping[str, int]) -> Release:
        return Release.full_domain(counts, self.hierarchies, levels)

    def _others(self) -> Iterator[Mapping[str, int]]:
        if self.loss is None:
            yield from ({**self.levels, name: level - 1} for name, level in self.levels.items() if level)
            return
        names = list(self.hierarchies)
        for node in product(*(range(self.hierarchies[name].height + 1) for name in names)):
            levels = {**self.levels, **dict(zip(names, node, strict=True))}
            if levels != self.levels:
                yield levels


def _is_optimum(release: object, made: object) -> bool:
    """Say whether a release is another optimum than the one that is made."""
    return hasattr(release, "objective") and objective_of(release) == objective_of(made)


def _release_of(given: object) -> Release:
    found = getattr(given, "release", None)
    if not isinstance(found, Release):
        raise TableError(
            f"what labels disclose is asked of an answer with a release, and {type(given).__name__} has none; where "
            "quasi-identifiers are published as they are, take level='code'"
        )
    return found


def _table_of(given: object) -> Microdata:
    release, partition = getattr(given, "release", None), getattr(given, "partition", None)
    if isinstance(release, Release):
        return release.rows_of
    if isinstance(partition, Partition):
        return partition.table
    raise TableError(f"an answer with a release or a partition is needed, and {type(given).__name__} has neither")
