"""The optimum is what measuring every satisfying node gives: all ties, and a reason for every other node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from experiments.arx_example import ArxLoss
from proofs_tests.effort import effort
from proofs_tests.lattice.cases import Case, cases, models
from proofs_tests.lattice.tiny_tables import tables
from tcloseness.errors import InputError, ProtocolError
from tcloseness.lattice import Optimum, PartialOptimum, level_losses, optimum
from tcloseness.lattice.level_losses import tabulated
from tcloseness.lattice.tags import Tags
from tcloseness.loss import (
    Ambiguity,
    AverageClassSize,
    Discernibility,
    GeneralizationHeight,
    GlobalCertaintyPenalty,
    KLUtility,
    LossMetric,
    LossResult,
    MaximalRisk,
    NormalizedCertaintyPenalty,
    Precision,
)
from tcloseness.loss.protocol import Generalizing, Source
from tcloseness.microdata import Hierarchy
from tcloseness.models import EntropyLDiversity, KAnonymity, TCloseness
from tcloseness.release import Release

LEVEL_LOSSES = (
    GeneralizationHeight(),
    GeneralizationHeight(weights={"a": "1/3"}),
    GlobalCertaintyPenalty(weights={"a": 5}),
    LossMetric(),
    LossMetric(leaves="table", attributes="sum"),
    NormalizedCertaintyPenalty(weights={"a": 2}),
    Precision(),
    ArxLoss(),
)
OTHERS = (
    Ambiguity(),
    AverageClassSize(),
    AverageClassSize(k="achieved"),
    Discernibility(),
    Discernibility("one-class"),
    Discernibility("before-suppression"),
    KLUtility(),
    MaximalRisk(),
)
losses = st.sampled_from(LEVEL_LOSSES + OTHERS)


def best_of(case: Case, model: Any, loss: Any, limit: int) -> set[tuple[int, ...]]:
    """Measure every satisfying node from scratch."""
    found: dict[tuple[int, ...], LossResult] = {}
    for node in case.satisfying(model, limit):
        found[node] = case.loss(node, model, loss)
    sign = -1 if getattr(loss, "better", "lower") == "higher" else 1
    return {v for v, a in found.items() if not any(sign * b.compare(a) < 0 for b in found.values())}


def accounts_for_every_node(found: Optimum) -> bool:
    return sum(found.excluded.values()) + len(found.nodes) == len(found.lattice)


@pytest.mark.long
@effort(1)
@given(cases(), models, losses, st.sampled_from([0, 0, 1, 3]), st.booleans())
def test_the_optimum_is_that_of_brute_force(case: Case, model: Any, loss: Any, limit: int, compiled: bool) -> None:
    limit = min(limit, len(case.rows))
    found = optimum(case.rolled(compiled=compiled), model, loss=loss, suppression=limit)
    assert {best.node for best in found.nodes} == best_of(case, model, loss, limit)
    assert accounts_for_every_node(found)
    for best in found.nodes:
        assert best.verdict.satisfied
        released = case.loss(best.node, model, loss)
        assert best.loss.value == released.value == found.value
        assert best.loss.to_dict() == released.to_dict(), "with what it says of suppressed records"
        assert best.suppressed <= limit
    assert found.to_dict()["nodes"] == len(found.lattice)


@dataclass(frozen=True)
class Score:
    """ARX's loss upside down: a score of another package that follows from a product, and the higher the better."""

    name = "score"
    generalizing: Generalizing = "never lowers it"
    terms_are = "multiplied"
    better = "higher"

    def evaluate(self, source: Source) -> LossResult:
        return replace(ArxLoss().evaluate(source), loss=self.name, better="higher")


@effort(1 / 2)
@given(cases(), st.sampled_from((*LEVEL_LOSSES, Score())), st.sampled_from([1, 4, 2**16]))
def test_tabulated_ranks_order_all_nodes_as_their_losses(case: Case, loss: Any, block: int) -> None:
    """However many nodes are ranked at a time; and the ranks are 0, 1, 2, … without gaps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(level_losses, "_BLOCK", block)
        table = tabulated(case.rolled(compiled=False), loss)
    assert table is not None
    ranks = table.ranks
    assert set(ranks.ravel().tolist()) == set(range(int(ranks.max()) + 1))
    measured = {node: case.loss(node, KAnonymity(1), loss) for node in case.nodes}
    sign = -1 if getattr(loss, "better", "lower") == "higher" else 1
    for a, x in measured.items():
        for b, y in measured.items():
            assert sign * x.compare(y) == int(ranks[a] > ranks[b]) - int(ranks[a] < ranks[b])


@pytest.mark.parametrize("loss", [ArxLoss(), Score(), Precision(), LossMetric()], ids=lambda loss: loss.name)
def test_a_measured_loss_is_no_worse_than_those_of_its_own_rank(loss: Any) -> None:
    """A sum or a product, and better where it is lower or higher."""
    for tiny in tables(10, 1):
        table = tabulated(tiny.rolled(compiled=False), loss)
        assert table is not None
        for node in tiny.nodes:
            levels = dict(zip(tiny.hierarchies, node, strict=True))
            found = loss.evaluate(Release.full_domain(tiny.frequencies, tiny.hierarchies, levels))
            assert table.no_worse(found) == table.ranks[node] + 1


@effort(1 / 2)
@given(cases(), st.sampled_from(LEVEL_LOSSES), models, st.integers(1, 4))
def test_suppression_never_improves_a_loss_that_says_so_and_ranks_bound_it(
    case: Case, loss: Any, model: Any, limit: int
) -> None:
    """A node's loss after suppression is among the ranks that are no better than its rank before it."""
    table = tabulated(case.rolled(compiled=False), loss)
    assert table is not None
    worse = "never raises it" if getattr(loss, "better", "lower") == "higher" else "never lowers it"
    assert loss.suppressing == worse
    sign = -1 if getattr(loss, "better", "lower") == "higher" else 1
    whole = {node: case.loss(node, KAnonymity(1), loss) for node in case.nodes}
    for node in case.satisfying(model, min(limit, len(case.rows))):
        before, after = whole[node], case.loss(node, model, loss)
        assert table.no_worse(after) == len({table.ranks[v] for v, x in whole.items() if sign * x.compare(after) <= 0})
        assert table.no_worse(before) == table.ranks[node] + 1
        assert table.no_worse(after) >= table.no_worse(before)


def test_a_loss_that_suppression_may_improve_is_measured_everywhere() -> None:
    """Suppressed cells that are left out cost nothing: the table bounds nothing then."""
    for loss in (GlobalCertaintyPenalty(suppressed="excluded"), Precision(suppressed="excluded")):
        assert loss.suppressing is None
    rng = Random(3)
    for _ in range(60):
        rows = [(rng.choice("xyz"), rng.randint(0, 2)) for _ in range(rng.randint(2, 8))]
        case = Case(rows, {"a": Hierarchy([("x", "xy", "*"), ("y", "xy", "*"), ("z", "z", "*")], name="a")})
        for loss in (GlobalCertaintyPenalty(suppressed="excluded"), Precision(suppressed="excluded")):
            limit = rng.randint(1, 3)
            if limit < len(rows) and case.satisfying(KAnonymity(2), limit):
                found = optimum(case.rolled(compiled=False), KAnonymity(2), loss=loss, suppression=limit)
                assert {best.node for best in found.nodes} == best_of(case, KAnonymity(2), loss, limit)


NESTED = Hierarchy([("x", "xy", "*"), ("y", "xy", "*"), ("z", "z", "*")], name="a")


def small_tables(seed: int, how_many: int) -> Iterator[Case]:
    rng = Random(seed)
    for _ in range(how_many):
        rows = [(rng.choice("xyz"), rng.choice("xyz"), rng.randint(0, 2)) for _ in range(rng.randint(4, 9))]
        yield Case(rows + rows[:1], {"a": NESTED, "b": Hierarchy.suppression("xyz", name="b")})


def test_bounds_at_the_end_of_64_bits_are_compared_exactly() -> None:
    """Before suppression losses are whole and fit; after it they are fractions whose numerators do not."""
    for case in small_tables(5, 9):
        loss = GeneralizationHeight(weights={"a": 2**60 + 3, "b": 2**60}, suppressed="whole")
        found = optimum(case.rolled(compiled=False), KAnonymity(2), loss=loss, suppression=3)
        assert {best.node for best in found.nodes} == best_of(case, KAnonymity(2), loss, 3)


def test_progress_rises_to_all_nodes_and_what_is_left_is_unsettled() -> None:
    """Whatever is monotone, tabulated or suppressed; ended at any call, a better node is still among the unsettled."""
    for number, case in enumerate(small_tables(7, 6)):
        loss = (LossMetric(), Precision(), Discernibility())[number % 3]
        for model in (KAnonymity(2), KAnonymity(2) & EntropyLDiversity(2), TCloseness("1/3", ground="equal")):
            for limit in (0, 3):
                said: list[int] = []

                def tell(settled: int, nodes: int, said: list[int] = said) -> None:
                    assert nodes == 6
                    said.append(settled)

                found = optimum(case.rolled(compiled=False), model, loss=loss, suppression=limit, progress=tell)
                assert said == sorted(said)
                assert said[0] >= 0
                if limit and number % 3 < 2:
                    assert said[-1] == 6
                best = {one.node for one in found.nodes}
                for last in {1, len(said) // 2, len(said)} - {0}:
                    calls = iter(range(last - 1))

                    def interrupt(*_: int, calls: Iterator[int] = calls) -> None:
                        if next(calls, None) is None:
                            raise KeyboardInterrupt

                    part = optimum(
                        case.rolled(compiled=False),
                        model,
                        loss=loss,
                        suppression=limit,
                        progress=interrupt,
                        partial=True,
                    )
                    assert isinstance(part, PartialOptimum)
                    reached = part.best_so_far is not None and part.best_so_far.node in best
                    assert reached or not best or part.unsettled
                    if limit and number % 3 < 2 and said[last - 1] == 6:
                        assert (part.unsettled, reached) == (0, bool(best))


@dataclass(frozen=True)
class Improving:
    """The penalty of released cells alone, which says of itself that suppression never lowers it."""

    name = "improving"
    generalizing: Generalizing = "never lowers it"
    terms_are = "summed"
    suppressing: Any = "never lowers it"

    def evaluate(self, source: Source) -> LossResult:
        return replace(LossMetric(suppressed="excluded").evaluate(source), loss=self.name)


def test_a_loss_that_suppression_improves_and_that_denies_it_is_reported() -> None:
    paths = [("u", "uvw", "*"), ("v", "uvw", "*"), ("w", "uvw", "*"), ("y", "yz", "*"), ("z", "yz", "*")]
    case = Case([(value, 0) for value in "uvwwyyyzzz"], {"a": Hierarchy(paths, name="a")})
    with pytest.raises(ProtocolError, match="suppressing of the loss improving is 'never lowers it', and suppression"):
        optimum(case.rolled(compiled=False), KAnonymity(5), loss=Improving(), suppression=4)
    for honest in (None, "may do either", "never raises it"):
        loss = Improving(suppressing=honest)
        found = optimum(case.rolled(compiled=False), KAnonymity(5), loss=loss, suppression=4)
        assert {best.node for best in found.nodes} == best_of(case, KAnonymity(5), loss, 4) == {(1,)}
    with pytest.raises(ProtocolError, match="suppressing of the loss improving is 'never'; it is one of"):
        optimum(case.rolled(compiled=False), KAnonymity(5), loss=Improving(suppressing="never"))


def test_losses_of_classes_are_not_tabulated() -> None:
    case = Case([("x", 1)], {"a": Hierarchy.suppression(["x"], name="a")})
    for loss in (*OTHERS, LossMetric(numeric="a", extent="class")):
        assert tabulated(case.rolled(compiled=False), loss) is None


@dataclass(frozen=True)
class Valley:
    """Least where every attribute is at level 1: a loss of another package that generalizing may lower or raise."""

    name = "valley"
    generalizing: Generalizing = "may do either"
    terms_are = "summed"

    def evaluate(self, source: Source) -> LossResult:
        found = GeneralizationHeight().evaluate(source)
        terms = {name: abs(level - 1) for name, level in found.terms.items()}  # type: ignore[operator]
        return replace(found, loss=self.name, value=sum(terms.values(), Fraction(0)), terms=terms)  # type: ignore[arg-type]


@effort(1)
@given(cases(), models, st.sampled_from([Valley(), LossMetric()]), st.randoms(use_true_random=False))
def test_the_optimum_does_not_depend_on_the_order_of_the_questions(
    case: Case, model: Any, loss: Any, random: Random
) -> None:
    """Nor on the guess behind it; and a tabulated loss need not rise."""

    def any_node(tags: Tags, _: Any, wanted: Any, __: Any) -> Any:
        nodes = np.argwhere(wanted).tolist()
        return tuple(random.choice(nodes)) if nodes else None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tags, "next_node", any_node)
        found = optimum(case.rolled(compiled=False), model, loss=loss)
    assert {best.node for best in found.nodes} == best_of(case, model, loss, 0)
    assert accounts_for_every_node(found)


@dataclass(frozen=True)
class Liar:
    """Declares that it follows from its terms, and does not."""

    name = "liar"
    generalizing: Generalizing = "never lowers it"
    terms_are = "summed"

    def evaluate(self, source: Source) -> LossResult:
        found = GeneralizationHeight().evaluate(source)
        object.__setattr__(found, "value", found.value + len(source.class_sizes))  # type: ignore[operator]
        return found


def test_a_loss_that_contradicts_its_declaration_is_reported() -> None:
    rows = [(a, b, 1) for a in "xyz" for b in "uw"]
    case = Case(
        rows,
        {"a": Hierarchy.suppression("xyz", name="a"), "b": Hierarchy.suppression(["u", "w"], name="b")},
    )
    with pytest.raises(ProtocolError, match="liar ranks"):
        optimum(case.rolled(compiled=False), KAnonymity(2), loss=Liar())


def test_what_is_no_loss_is_refused() -> None:
    case = Case([("x", 1)], {"a": Hierarchy.suppression(["x"], name="a")})
    with pytest.raises(InputError, match="not a loss"):
        optimum(case.rolled(compiled=False), KAnonymity(1), loss="height")  # type: ignore[arg-type]
