"""An interrupt or a reached limit ends every search; who asks for a partial answer gets one, and it is all true."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import tcloseness.lattice
from proofs_tests.lattice.cases import MONOTONE, Case, minimal
from tcloseness import limits
from tcloseness.audit import check
from tcloseness.displayed import Explained
from tcloseness.errors import InputError, MemoryLimitReached, TimeLimitReached
from tcloseness.lattice import (
    Optimum,
    PartialOptimum,
    PartialSearch,
    RollUp,
    SearchResult,
    exhaustive,
    exhaustive_each,
    incognito,
    minimal_generalizations,
    optimum,
    roll_up,
    search_answer,
)
from tcloseness.lattice.decide import Decider
from tcloseness.lattice.search_answer import PartialSearchAnswer, SearchAnswer, search_lattice
from tcloseness.lattice.tags import SATISFYING, VIOLATING
from tcloseness.limits import Clock
from tcloseness.loss import Discernibility, GeneralizationHeight, LossMetric, LossResult
from tcloseness.loss.protocol import Generalizing, Source
from tcloseness.microdata import Hierarchy
from tcloseness.models import DeltaDisclosure, EntropyLDiversity, KAnonymity, ModelResult, Monotone
from tcloseness.models.combination import Combinable

VALUES = ("v0", "v1", "v2", "v3")
TREES = {
    "a": [("v0", "l", "*"), ("v1", "l", "*"), ("v2", "r", "*"), ("v3", "r", "*")],
    "b": [("v0", "*"), ("v1", "*"), ("v2", "*"), ("v3", "*")],
    "c": [("v0", "v0", "x", "*"), ("v1", "v1", "x", "*"), ("v2", "y", "y", "*"), ("v3", "y", "y", "*")],
}


def table(seed: int) -> Case:
    """A seeded table of a few records under a lattice of 6 to 24 nodes."""
    draw = Random(seed)
    names = [("a", "b"), ("a", "c"), ("a", "b", "c")][seed % 3]
    rows = [(*(draw.choice(VALUES) for _ in names), draw.randrange(3)) for _ in range(draw.randrange(4, 12))]
    return Case(rows, {name: Hierarchy(TREES[name], name=name) for name in names})


def second_of_two(rolled: RollUp, model: Any, **options: Any) -> Any:
    return exhaustive_each(rolled, [KAnonymity(2), model], **options)[1]


SEARCHES: dict[str, Callable[..., Any]] = {
    "exhaustive": exhaustive,
    "exhaustive_each": second_of_two,
    "incognito": incognito,
    "minimal": minimal_generalizations,
    "optimum, tabulated": partial(optimum, loss=LossMetric()),
    "optimum, measured": partial(optimum, loss=Discernibility()),
    "answer, minimal": partial(search_lattice, ground="equal"),
    "answer, all": partial(search_lattice, ground="equal", wanted="all"),
    "answer, optimum": partial(search_lattice, ground="equal", wanted="optimum", loss=LossMetric(), decide_all=True),
}
WHOLE = (SearchResult, Optimum, SearchAnswer)
PARTIAL = (PartialSearch, PartialOptimum, PartialSearchAnswer)


def loss_of(name: str) -> Any:
    return Discernibility() if "measured" in name else LossMetric()


class Truth:
    """What asking every generalized table says, and whether what a search states fits it."""

    def __init__(self, case: Case, model: Any, limit: int) -> None:
        self.case, self.model, self.limit = case, model, limit
        self.satisfying = case.satisfying(model, limit)
        self._losses: dict[Any, Any] = {}

    def fits(self, found: Any, loss: Any) -> None:
        match found:
            case SearchResult():
                assert set(found.satisfying) == self.satisfying
                assert set(found.minimal) == minimal(self.satisfying)
            case PartialSearch():
                known = set(found.found_satisfying)
                assert known <= self.satisfying
                assert not set(found.known.nodes(VIOLATING)) & self.satisfying
                assert set(found.lowest_found) == minimal(known)
                record = found.to_dict()
                kinds = ("found_satisfying", "found_violating", "found_undecided", "unsettled")
                assert sum(record[kind] for kind in kinds) == record["nodes"] == len(found.lattice)
                assert record["found_satisfying"] == len(known)
            case Optimum():
                best = self.best(loss)
                assert {each.node for each in found.nodes} == best
                assert sum(found.excluded.values()) + len(found.nodes) == len(found.lattice)
            case PartialOptimum():
                better = self.satisfying
                if found.best_so_far is not None:
                    assert found.best_so_far.node in self.satisfying
                    value = self.measured(found.best_so_far.node, loss)
                    assert found.best_so_far.loss.value == value
                    better = {node for node in self.satisfying if self.measured(node, loss) < value}
                assert len(better) <= found.unsettled
            case SearchAnswer():
                listed = {each.node for each in found.listed}
                if found.wanted == "optimum":
                    assert listed == self.best(loss)
                else:
                    assert listed == (self.satisfying if found.wanted == "all" else minimal(self.satisfying))
            case PartialSearchAnswer():
                for part in (found.search_so_far, found.optimum_so_far):
                    if part is not None:
                        self.fits(part, loss)
                assert {each.node for each in found.measured_so_far} <= self.satisfying
                assert set(found.lowest_found()) <= self.satisfying
                assert found.to_dict()["so_far"]["found_satisfying"] <= len(self.satisfying)
            case _:
                raise AssertionError(found)

    def measured(self, node: tuple[int, ...], loss: Any) -> Any:
        if (node, loss) not in self._losses:
            self._losses[node, loss] = self.case.loss(node, self.model if self.limit else KAnonymity(1), loss).value
        return self._losses[node, loss]

    def best(self, loss: Any) -> set[tuple[int, ...]]:
        values = {node: self.measured(node, loss) for node in self.satisfying}
        return {node for node, value in values.items() if value == min(values.values())}


def questions(count: int) -> Iterator[tuple[Case, Any, int]]:
    """Seeded tables with a model and a suppression limit, so that each way through the searches is gone."""
    others = (KAnonymity(2) & EntropyLDiversity("3/2"), KAnonymity(2) & DeltaDisclosure(2), EntropyLDiversity("3/2"))
    models = (*MONOTONE, *others)
    for seed in range(count):
        case = table(seed)
        yield case, models[seed % len(models)], (0, 0, 2)[seed // 2 % 3]


def skipped(name: str, rolled: RollUp, model: Any, limit: int) -> bool:
    return name == "incognito" and not Decider(rolled, model, limit).prunable


# ---------------------------------------------------------------------- interrupts at every decision


@dataclass
class Patience:
    """A progress callback that is interrupted (Ctrl-C) at its n-th call."""

    calls: int
    seen: int = 0

    def __call__(self, *_: Any) -> None:
        self.seen += 1
        if self.seen == self.calls:
            raise KeyboardInterrupt


@dataclass(frozen=True)
class Impatient(Combinable):
    """k-anonymity, interrupted (Ctrl-C) while it evaluates for the n-th time."""

    k: int
    calls: int
    seen: list[int] = field(default_factory=list)
    name = "impatient"
    monotone = Monotone(generalization=True, suppression=True)

    def evaluate(self, classes: Any) -> ModelResult:
        self.seen.append(len(classes))
        if len(self.seen) == self.calls:
            raise KeyboardInterrupt
        return KAnonymity(self.k).evaluate(classes)


@dataclass(frozen=True)
class Slow:
    """Discernibility, interrupted (Ctrl-C) while it is measured for the n-th time."""

    calls: int
    seen: list[int] = field(default_factory=list)
    name = "slow"
    generalizing: Generalizing = "never lowers it"

    def evaluate(self, source: Source) -> LossResult:
        self.seen.append(len(source.class_sizes))  # type: ignore[union-attr]
        if len(self.seen) == self.calls:
            raise KeyboardInterrupt
        return Discernibility().evaluate(source)


@pytest.mark.long
@pytest.mark.parametrize("name", SEARCHES)
def test_an_interrupted_progress_ends_the_search_at_every_call(name: str) -> None:
    ended = 0
    for case, model, limit in questions(9):
        rolled, truth = case.rolled(compiled=False), Truth(case, model, limit)
        if skipped(name, rolled, model, limit):
            continue
        for calls in (1, 2, 3, 4, 6, 8, 11, 15, 20, 30, 99):
            patience = Patience(calls)
            try:
                found = SEARCHES[name](rolled, model, suppression=limit, progress=patience)
            except KeyboardInterrupt:
                found = SEARCHES[name](rolled, model, suppression=limit, progress=Patience(calls), partial=True)
                assert isinstance(found, PARTIAL)
                assert found.reason == "interrupted"  # type: ignore[attr-defined]
                truth.fits(found, loss_of(name))
                ended += 1
                continue
            assert patience.seen < calls
            assert isinstance(found, WHOLE)
            truth.fits(found, loss_of(name))
            break
    assert ended > 15


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("compiled", [False, True])
def test_an_interrupt_within_a_decision_leaves_a_table_that_can_be_searched_again(name: str, compiled: bool) -> None:
    for seed in range(4):
        case, k = table(seed), 2 + seed % 2
        rolled, truth = case.rolled(compiled=compiled, memory=500), Truth(case, KAnonymity(k), 0)
        for calls in (1, 2, 3, 5, 8, 13):
            model = Impatient(k, calls)
            try:
                found = SEARCHES[name](rolled, model)
            except KeyboardInterrupt:
                assert len(model.seen) == calls
                found = SEARCHES[name](rolled, Impatient(k, calls), partial=True)
                assert isinstance(found, PARTIAL)
            truth.fits(found, loss_of(name))
        truth.fits(SEARCHES[name](rolled, KAnonymity(k)), loss_of(name))


@pytest.mark.long
def test_an_interrupt_while_losses_are_measured_leaves_the_best_so_far() -> None:
    for case, model, limit in questions(15):
        rolled, truth = case.rolled(compiled=False), Truth(case, model, limit)
        for calls in range(1, 6):
            try:
                found: Any = optimum(rolled, model, loss=Slow(calls), suppression=limit)
            except KeyboardInterrupt:
                found = optimum(rolled, model, loss=Slow(calls), suppression=limit, partial=True)
                assert isinstance(found, PartialOptimum)
            truth.fits(found, Discernibility())


def test_an_interrupt_while_nodes_are_measured_keeps_the_whole_search(monkeypatch: pytest.MonkeyPatch) -> None:
    case, measure = table(2), search_answer.measure_node
    rolled, truth = case.rolled(compiled=False), Truth(case, KAnonymity(2), 0)
    assert len(truth.satisfying) == 2
    left = [1]

    def once(*arguments: Any, **options: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return measure(*arguments, **options)

    monkeypatch.setattr(search_answer, "measure_node", once)
    found = search_lattice(rolled, KAnonymity(2), ground="equal", wanted="all", partial=True)
    assert isinstance(found, PartialSearchAnswer)
    assert (len(found.measured_so_far), found.unsettled, type(found.search_so_far)) == (1, 0, SearchResult)
    truth.fits(found, None)
    left[0] = 1
    with pytest.raises(KeyboardInterrupt):
        search_lattice(rolled, KAnonymity(2), ground="equal", wanted="all")


# ---------------------------------------------------------------------- interrupts at every line

ROOM = str(Path(tcloseness.lattice.__file__).parent)


class AtLine:
    """Interrupts (Ctrl-C) what runs in the room of the lattice at its n-th line, as a signal does: anywhere."""

    def __init__(self, line: int) -> None:
        self.left = line

    def __enter__(self) -> AtLine:
        self._before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _called(self, frame: Any, event: str, argument: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(ROOM) else None

    def _line(self, frame: Any, event: str, argument: Any) -> Any:
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self._line


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.slow
def test_an_interrupt_at_any_line_makes_no_false_statement_and_leaves_the_table_whole(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roll_up, "_ROOM", 1)  # so that room is made for nodes, too
    draw = Random(name)
    partials = 0
    for case, model, limit in questions(4):
        rolled, truth = case.rolled(compiled=False, memory=800), Truth(case, model, limit)
        if skipped(name, rolled, model, limit):
            continue
        search = partial(SEARCHES[name], rolled, model, suppression=limit, partial=True)
        counting = AtLine(-1)
        rolled.forget()
        with counting:
            search()
        for line in draw.sample(range(1, -counting.left), 20):
            rolled = case.rolled(compiled=False, memory=800)
            search = partial(SEARCHES[name], rolled, model, suppression=limit, partial=True)
            try:
                with AtLine(line):
                    found = search()
            except KeyboardInterrupt:  # before the search began, or while its answer was put together
                pass
            else:
                partials += isinstance(found, PARTIAL)
                truth.fits(found, loss_of(name))
            truth.fits(SEARCHES[name](rolled, model, suppression=limit), loss_of(name))
    assert partials > 12


@pytest.mark.long
def test_an_interrupt_of_a_question_is_answered_whatever_had_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while the search is prepared: what decides, the tags, machine code that is loaded."""
    draw = Random(4)
    reasons = Counter[str]()
    own = search_answer.__file__
    called = AtLine._called

    def below(self: AtLine, frame: Any, event: str, argument: Any) -> Any:
        return None if frame.f_code.co_filename == own else called(self, frame, event, argument)

    monkeypatch.setattr(AtLine, "_called", below)
    for case, model, limit in questions(4):
        for loss in (None, GeneralizationHeight()):
            wanted: Any = "minimal" if loss is None else "optimum"
            search = partial(
                search_lattice, model=model, ground="equal", wanted=wanted, loss=loss, suppression=limit, partial=True
            )
            rolled, counting = case.rolled(compiled=False), AtLine(-1)
            with counting:
                search(rolled)
            for line in (1, 2, 3, 5, 8, *draw.sample(range(1, -counting.left), 12)):
                rolled = case.rolled(compiled=False)
                with AtLine(line):
                    found = search(rolled)
                assert isinstance(found, PartialSearchAnswer)
                assert found.reason == "interrupted"
                Truth(case, model, limit).fits(found, loss)
                record = found.to_dict()["so_far"]
                begun = (found.search_so_far, found.optimum_so_far) != (None, None)
                assert begun or record["unsettled"] == len(found.lattice)
                reasons["begun" if begun else "not begun"] += 1
    assert min(reasons.values()) > 12, reasons


def by_machine_code(error: BaseException) -> SystemError:
    """What machine code makes of an exception that a signal raises in it."""
    found = SystemError("CPUDispatcher(<function f>) returned a result with an exception set")
    found.__cause__ = error
    return found


@pytest.mark.parametrize("came", [KeyboardInterrupt, TimeLimitReached, MemoryLimitReached])
def test_what_a_signal_raises_in_machine_code_is_what_it_raised(
    came: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: object) -> None:
        raise by_machine_code(came("came"))

    monkeypatch.setattr(Decider, "_decide", ends)
    case, reason = (
        table(2),
        {KeyboardInterrupt: "interrupted", TimeLimitReached: "time limit"}.get(came, "memory limit"),
    )
    for search in SEARCHES.values():
        with pytest.raises(came):
            search(case.rolled(compiled=False), KAnonymity(2))
        found = search(case.rolled(compiled=False), KAnonymity(2), partial=True)
        assert isinstance(found, PARTIAL)
        assert found.reason == reason  # type: ignore[attr-defined]


def test_a_verb_raises_what_a_signal_raised_in_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with a table whose type was seen before, and not where machine code fails by itself."""
    raised: list[BaseException] = []

    def ends(*_: object, **__: object) -> None:
        raise raised[0]

    monkeypatch.setattr(KAnonymity, "evaluate", ends)
    frequencies = table(2).frequencies
    for came in (KeyboardInterrupt(), TimeLimitReached("late")):
        for _ in range(2):
            raised[:] = [by_machine_code(came)]
            with pytest.raises(type(came)):
                check(frequencies, k=2)
    raised[:] = [SystemError("by itself")]
    with pytest.raises(SystemError, match="by itself"):
        check(frequencies, k=2)


# ---------------------------------------------------------------------- limits


class Ticking:
    """A clock whose every look takes a second, and a process that grows by a byte with each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, grows: bool = False) -> None:
        self.looks = 0
        self.bytes = 0

        def now() -> float:
            self.looks += 1
            return float(self.looks)

        def resident() -> int:
            self.bytes += grows
            return self.bytes

        monkeypatch.setattr(limits.time, "monotonic", now)
        monkeypatch.setattr(limits, "resident_memory", resident)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.slow
def test_a_limit_ends_the_search_at_every_look(name: str, memory: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = 0
    for case, model, limit in questions(6):
        rolled, truth = case.rolled(compiled=False), Truth(case, model, limit)
        if skipped(name, rolled, model, limit):
            continue
        for left in (*range(1, 24, 4), *range(24, 400, 17)):
            Ticking(monkeypatch, grows=memory)
            monkeypatch.setattr(Clock, "require_memory", lambda *_, **__: None)
            given = {"memory_limit": left} if memory else {"time_limit": left}
            search = partial(SEARCHES[name], rolled, model, suppression=limit, **given)
            kind = MemoryLimitReached if memory else TimeLimitReached
            try:
                found = search()
            except kind:
                Ticking(monkeypatch, grows=memory)
                rolled.forget()  # or less is left to do
                rolled.remembered.clear()
                found = search(partial=True)
                assert isinstance(found, PARTIAL)
                assert found.reason == ("memory limit" if memory else "time limit")  # type: ignore[attr-defined]
                truth.fits(found, loss_of(name))
                ended += 1
                continue
            truth.fits(found, loss_of(name))
            break
        else:
            raise AssertionError("the search looks at its limits without end")
    assert ended > 8


def test_preparing_a_table_has_limits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    case = table(2)
    with monkeypatch.context() as patch:
        Ticking(patch)
        with pytest.raises(TimeLimitReached, match="preparing the table"):
            RollUp(case.frequencies, case.hierarchies, time_limit=1)
        Ticking(patch)
        with pytest.raises(TimeLimitReached, match="generalizing the values to each level"):
            RollUp(case.frequencies, case.hierarchies, time_limit=4)
    with pytest.raises(MemoryLimitReached, match="classes on 9 levels of their attributes would take about"):
        RollUp(case.frequencies, case.hierarchies, memory_limit=1)
    with pytest.raises(MemoryLimitReached, match="search of a lattice of 24 nodes would take about"):
        minimal_generalizations(case.rolled(compiled=False), KAnonymity(2), memory_limit=1, partial=True)


def test_memory_that_the_system_does_not_have_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    case = table(2)

    def exhausted(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(KAnonymity, "evaluate", exhausted)
    monkeypatch.setattr(Decider, "_decide", exhausted)
    for search in SEARCHES.values():
        with pytest.raises(MemoryLimitReached, match="the system has no more memory"):
            search(case.rolled(compiled=False), KAnonymity(2))
        found = search(case.rolled(compiled=False), KAnonymity(2), partial=True)
        assert isinstance(found, PARTIAL)
        assert found.reason == "memory limit"  # type: ignore[attr-defined]


def test_one_clock_for_preparing_and_searching() -> None:
    case, clock = table(2), Clock(60)
    rolled = RollUp(case.frequencies, case.hierarchies, time_limit=clock)
    found = minimal_generalizations(rolled, KAnonymity(2), time_limit=clock)
    assert set(found.satisfying) == case.satisfying(KAnonymity(2))
    over = Clock(1e-9)
    for search in SEARCHES.values():
        with pytest.raises(TimeLimitReached):
            search(rolled, KAnonymity(2), time_limit=over)


@pytest.mark.parametrize("name", SEARCHES)
def test_limits_that_are_none_are_refused(name: str) -> None:
    rolled = table(0).rolled(compiled=False)
    for given in ({"time_limit": 0}, {"time_limit": True}, {"memory_limit": -1}, {"memory_limit": 0.5}):
        with pytest.raises(InputError, match="_limit = "):
            SEARCHES[name](rolled, KAnonymity(2), **given)


# ---------------------------------------------------------------------- the types


SHARED = {"lattice", "algorithm", "model", "limit", "loss", "work", "conventions", "to_dict", "wanted"}
"""What is the same whether or not the search was ended, beside how all results show; all else has another name."""


@pytest.mark.parametrize(
    ("whole", "part"), [(SearchResult, PartialSearch), (Optimum, PartialOptimum), (SearchAnswer, PartialSearchAnswer)]
)
def test_a_partial_answer_cannot_be_taken_for_an_answer(whole: Any, part: Any) -> None:
    def public_names(of: Any) -> set[str]:
        return {name for name in dir(of) if not name.startswith("_")}

    def public(of: Any) -> set[str]:
        return public_names(of) | {each.name for each in fields(of)}

    assert not issubclass(part, whole)
    assert not issubclass(whole, part)
    assert public(whole) & public(part) <= SHARED | public_names(Explained)
    assert "partial" not in public(whole)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_partial_answer_is_neither_true_nor_false_and_has_no_length(name: str) -> None:
    case = table(2)
    found = SEARCHES[name](case.rolled(compiled=False), KAnonymity(2), progress=Patience(1), partial=True)
    with pytest.raises(InputError, match=r"is not an answer: the call ended early \(interrupted\)"):
        bool(found)
    for ask in (len, iter, list):
        with pytest.raises(TypeError):
            ask(found)
    assert found.to_dict()


def test_what_a_complete_search_lists_is_counted_by_its_tags() -> None:
    case = table(2)
    found = minimal_generalizations(case.rolled(compiled=False), KAnonymity(2), partial=True)
    assert isinstance(found, SearchResult)
    assert found.tags.count(SATISFYING) == len(found.satisfying)
    assert tuple(found.tags.each(SATISFYING)) == found.satisfying
