"""The levels of knowledge: more knowledge settles no less, and each is what its own attack says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from types import SimpleNamespace

import pandas as pd
import pytest

from tcloseness.anonymize import anatomy, mondrian
from tcloseness.attacks import label_disclosure, minimality_attack, ruled_out_steps, what_it_gives_away
from tcloseness.attacks.replay import shown_of, with_secrets
from tcloseness.errors import InputError, LimitReached, NotReached, TableError, TimeLimitReached
from tcloseness.lattice import RollUp, optimum
from tcloseness.limits import Clock
from tcloseness.loss import (
    ClassificationMetric,
    Discernibility,
    GeneralizationHeight,
    NormalizedCertaintyPenalty,
    Precision,
)
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import AlphaKAnonymity, DistinctLDiversity, FrequencyLDiversity, KAnonymity
from tcloseness.optimal import optimal_partition
from tcloseness.release import Partition, Release, attributes_of, verified

F = Fraction


def table_of(q, s):
    return Microdata.from_frame(pd.DataFrame({"q": q, "s": list(s)}), quasi_identifiers="q", sensitive="s")


TABLE = table_of([1, 1, 2, 2, 3, 3], "aabbac")
TREE = {"q": Hierarchy.intervals(range(1, 5), [2, 4], origin=1, name="q")}


def grouped(world):
    return mondrian(world, KAnonymity(2) & DistinctLDiversity(2), seed=1)


def test_levels_of_labels_are_those_of_label_disclosure():
    release = grouped(TABLE)
    for level in ("labels", "tight"):
        assert what_it_gives_away(release, level=level) == label_disclosure(release, level)
    assert what_it_gives_away(release) == label_disclosure(release)


def test_the_code_is_run_on_every_world():
    release = grouped(TABLE)
    found = what_it_gives_away(release, level="code", method=grouped)
    shown = release.release.codes["q"].tolist()
    alike = [
        world
        for world in set(product("abc", repeat=6))
        if Counter(zip(shown, world, strict=True)) == Counter(zip(shown, "aabbac", strict=True))
        and grouped(table_of([1, 1, 2, 2, 3, 3], world)).release.codes["q"].tolist() == shown
    ]
    assert found.consistent == len(alike)
    alone = what_it_gives_away(release, level="code", method=grouped, knows="release")
    assert alone.consistent >= 1
    assert set(alone.counts) == {"cells"}


def test_what_is_minimal_is_what_breaks_the_model_one_level_down():
    """q1 has a and a, so level 0 violates distinct 2-diversity; level 1 has {1, 2} and {3, 4}. A world is left if some
    value of q has one value of s."""
    release = Release.full_domain(FrequencySet.of(TABLE), TREE, {"q": 1})
    model = DistinctLDiversity(2)
    assert minimality_attack(FrequencySet.of(TABLE), TREE, {"q": 1}, model).minimal
    found = what_it_gives_away(release, level="minimal", model=model)
    left = [
        world
        for world in set(product("abc", repeat=6))
        if Counter(world[:4]) == Counter("aabb")
        and Counter(world[4:]) == Counter("ac")
        and (world[0] == world[1] or world[2] == world[3] or world[4] == world[5])
    ]
    assert (found.candidates, found.consistent) == (12, len(left))
    assert found.beliefs[0] == {v: F(n, len(left)) for v, n in Counter(w[0] for w in left).items()}
    assert "no table one step finer would do" in found.sentences[0]


@dataclass(frozen=True)
class Best:
    """The first, and so the cheapest, of some partitions in which each class has two values, and its cost."""

    partition: Partition
    objective: int


CHOICES = [(2, [[0, 1], [2, 3]]), (2, [[0, 2], [1, 3]]), (3, [[0, 3], [1, 2]]), (9, [[0, 1, 2, 3]])]


def best(world, choices=CHOICES):
    secrets = world.sensitive[0].codes
    for cost, groups in choices:
        if all(len(set(secrets[group].tolist())) > 1 for group in groups):
            return Best(Partition.of(world, groups), cost)
    raise NotReached("one value")


def test_what_is_optimal_is_what_has_no_cheaper_release():
    """The second partition costs as much as the first, which the code would take, so it is optimal in each."""
    table = table_of([1, 2, 3, 4], "abba")
    other = Best(Partition.of(table, [[0, 2], [1, 3]]), 2)
    found = what_it_gives_away(other, level="optimal", method=best)
    assert (found.candidates, found.consistent) == (4, 4)
    dear = table_of([1, 2, 3, 4], "abbb")
    whole = best(dear)
    assert whole.objective == 9
    found = what_it_gives_away(whole, level="optimal", method=best)
    assert (found.candidates, found.consistent) == (4, 4)  # whoever has the a, every pair without it has one value
    third = table_of([1, 2, 3, 4], "aabb")
    assert best(third).objective == 2
    costly = Best(Partition.of(third, [[0, 3], [1, 2]]), 3)
    with pytest.raises(InputError, match="makes another release"):
        what_it_gives_away(costly, level="optimal", method=best)
    fewer = [choice for choice in CHOICES if choice[0] != 2 or choice[1] == [[0, 1], [2, 3]]]
    made = best(third, fewer)  # the pairs {0, 1} and {2, 3} have one value each
    found = what_it_gives_away(made, level="optimal", method=lambda world: best(world, fewer))
    left = [w for w in product("ab", repeat=4) if w[0] != w[3] and w[1] != w[2] and not (w[0] != w[1] and w[2] != w[3])]
    assert (found.candidates, found.consistent) == (4, len(left))
    assert found.consistent == 2


TWO = {name: Hierarchy.intervals(range(4), [2, 4], origin=0, name=name) for name in ("q", "r")}


@pytest.mark.slow
@pytest.mark.parametrize("loss", [GeneralizationHeight(), Discernibility(), Precision(), ClassificationMetric()])
@pytest.mark.parametrize("secrets", ["aabbab", "abbaab"])
def test_a_node_is_optimal_for_the_originals_of_which_a_search_finds_it(loss, secrets):
    """The search of the lattice is another program: it prunes, and tabulates losses that follow from levels. The last
    loss depends on sensitive values, so that it is another one for each original."""
    model = DistinctLDiversity(2) & KAnonymity(2)

    def world(held):
        frame = pd.DataFrame({"q": [0, 0, 1, 2, 3, 3], "r": [0, 1, 1, 2, 2, 3], "s": list(held)})
        return FrequencySet.of(Microdata.from_frame(frame, quasi_identifiers=["q", "r"], sensitive="s"))

    @cache
    def optima(held):
        return {each.node for each in optimum(RollUp(world(held), TWO, compiled=False), model, loss=loss).nodes}

    for node in optima(secrets):
        release = Release.full_domain(world(secrets), TWO, dict(zip("qr", node, strict=True)))
        shown = list(zip(*(release.codes[name].tolist() for name in "qr"), strict=True))
        published = Counter(zip(shown, secrets, strict=True))
        alike = [w for w in set(product("ab", repeat=6)) if Counter(zip(shown, w, strict=True)) == published]
        left = [held for held in alike if node in optima(held)]
        found = what_it_gives_away(release, level="optimal", model=model, loss=loss)
        assert (found.candidates, found.consistent) == (len(alike), len(left))
        assert found.level == "optimal"
        dear = Release.full_domain(world(secrets), TWO, {"q": 2, "r": 2})
        if (2, 2) not in optima(secrets):
            with pytest.raises(InputError, match=r"the release is not optimal: levels .* have less"):
                what_it_gives_away(dear, level="optimal", model=model, loss=loss)


def test_what_is_optimal_by_height_is_minimal():
    """Each direct specialization has less height, so an optimum by height excludes what minimality excludes."""
    release = Release.full_domain(FrequencySet.of(TABLE), TREE, {"q": 1})
    minimal = what_it_gives_away(release, level="minimal", model=DistinctLDiversity(2))
    optimal = what_it_gives_away(release, level="optimal", model=DistinctLDiversity(2), loss=GeneralizationHeight())
    assert optimal.consistent == minimal.consistent < minimal.candidates  # one attribute: the nodes are a chain
    assert optimal.beliefs == minimal.beliefs


@pytest.mark.slow
def test_what_is_optimal_includes_what_the_code_makes():
    """Whoever knows the code knows that its releases are optimal, so the worlds of the code are among those."""
    optimum = lambda world: optimal_partition(world, KAnonymity(2) & DistinctLDiversity(2), seed=1)  # noqa: E731
    answer = optimum(table_of([1, 2, 4, 7], "aabb"))
    optimal = what_it_gives_away(answer, level="optimal", method=optimum)
    code = what_it_gives_away(answer, level="code", method=optimum)
    assert 1 <= code.consistent <= optimal.consistent <= optimal.candidates == code.candidates
    for mine, theirs in zip(code.beliefs, optimal.beliefs, strict=True):
        assert set(mine) <= set(theirs)


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"level": "none"}, InputError, "level='none' is unknown"),
        ({"level": "code"}, InputError, "level='code' needs method="),
        ({"level": "optimal"}, InputError, "level='optimal' needs method= or model= and loss="),
        ({"level": "optimal", "model": KAnonymity(2)}, InputError, "level='optimal' needs method= or model= and loss="),
        ({"level": "optimal", "method": grouped, "loss": 1}, InputError, "'optimal' uses no loss= beside method="),
        (
            {"level": "optimal", "model": KAnonymity(2), "loss": GeneralizationHeight()},
            TableError,
            "without suppression, or one with method=, and this one",
        ),
        ({"method": grouped}, InputError, "level='tight' uses no method="),
        ({"level": "code", "method": grouped, "model": KAnonymity(2)}, InputError, "level='code' uses no model="),
        ({"knows": "quasi-identifiers"}, InputError, "'tight' is not answered for knows='quasi-identifiers'"),
        ({"level": "optimal", "method": grouped, "knows": "release"}, InputError, "but for 'quasi-identifiers'; leave"),
        ({"level": "code", "method": grouped, "knows": "all"}, InputError, "but for 'quasi-identifiers' or 'release'"),
        ({"level": "minimal"}, InputError, "level='minimal' needs model="),
        ({"level": "minimal", "model": KAnonymity(2)}, InputError, "can be cut so that each part satisfies"),
        ({"level": "code", "method": lambda t: [0] * 6}, InputError, "makes another release"),
        ({"level": "code", "method": grouped, "most": 1}, LimitReached, "most=1 may be"),
    ],
)
def test_wrong_arguments_are_named(asked, error, words):
    with pytest.raises(error, match=words):
        what_it_gives_away(grouped(TABLE), **asked)


class Unsure:
    """A model that is undecided where two classes have one value."""

    name = "unsure"

    def evaluate(self, classes):
        found = DistinctLDiversity(2).evaluate(classes)
        return replace(found, status="undecided") if len(found.violating) == 2 else found


@pytest.mark.parametrize("secrets", ["aabba", "bbaaa"])
def test_a_candidate_about_which_nothing_is_decided_is_not_left_out_in_silence(secrets):
    """Of the original itself the second is undecided; of the candidates of the first it is one."""
    table = table_of([1, 1, 2, 2, 2], secrets)
    release = Release.full_domain(FrequencySet.of(table), {"q": Hierarchy.suppression([1, 2])}, {"q": 1})
    assert what_it_gives_away(release, level="minimal", model=DistinctLDiversity(2)).consistent
    with pytest.raises(NotReached, match="is undecided for some candidate, so what is consistent is not known"):
        what_it_gives_away(release, level="minimal", model=Unsure())


def test_a_release_in_classes_is_minimal_by_the_cuts_of_the_answer_that_made_it():
    with pytest.raises(TableError, match="about a full-domain release without suppression, or the answer of strict"):
        what_it_gives_away(grouped(TABLE).release, level="minimal", model=KAnonymity(2) & DistinctLDiversity(2))


def test_a_release_that_is_not_minimal_is_named():
    release = Release.full_domain(FrequencySet.of(TABLE), TREE, {"q": 2})
    with pytest.raises(InputError, match="not minimal: a direct specialization satisfies"):
        what_it_gives_away(release, level="minimal", model=DistinctLDiversity(2))


def test_a_release_that_violates_the_model_is_neither_minimal_nor_optimal():
    release = Release.full_domain(FrequencySet.of(TABLE), TREE, {"q": 0})
    for asked in ({"level": "minimal"}, {"level": "optimal", "loss": GeneralizationHeight()}):
        with pytest.raises(InputError, match=r"is violated; what is (minimal|optimal) satisfies its model: give the"):
            what_it_gives_away(release, model=DistinctLDiversity(2), **asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"level": "code", "method": grouped},
        {"level": "code", "method": grouped, "knows": "release"},
        {"level": "optimal", "model": DistinctLDiversity(2), "loss": GeneralizationHeight()},
        {"level": "minimal", "model": DistinctLDiversity(2)},
        {"level": "minimal", "model": AlphaKAnonymity("1/2", 1, values=["a"]), "most": 1},
        {"level": "minimal", "model": KAnonymity(2) & DistinctLDiversity(2)},
    ],
    ids=["code", "release", "optimal", "minimal node", "ruled-out steps", "refused cuts"],
)
def test_every_long_count_has_a_time_limit(asked):
    node = Release.full_domain(FrequencySet.of(TABLE), TREE, {"q": 1})
    of_node = "method" not in asked and asked["model"].name != (KAnonymity(2) & DistinctLDiversity(2)).name
    release = node if of_node else grouped(TABLE)
    what_it_gives_away(release, **asked, time_limit=60)
    with pytest.raises(TimeLimitReached, match="time_limit="):
        what_it_gives_away(release, **asked, time_limit=1e-9)
    with pytest.raises(InputError, match="time_limit"):
        what_it_gives_away(release, **asked, time_limit=0)


def test_the_polynomials_of_ruled_out_steps_look_at_the_clock():
    """Counting takes long within one step, and so it is not the step alone that looks."""
    node, model = Release.full_domain(FrequencySet.of(TABLE), TREE, {"q": 1}), AlphaKAnonymity("1/2", 1, values=["a"])

    class Ending(Clock):
        left = 10**6

        def check(self, what):
            self.left -= 1
            if not self.left:
                raise TimeLimitReached(what)

    clock = Ending()
    ruled_out_steps(node, model, time_limit=clock)
    looked = 10**6 - clock.left
    assert looked > 10
    for left in range(1, looked + 1):
        clock.left = left
        with pytest.raises(TimeLimitReached, match="ruled-out steps"):
            ruled_out_steps(node, model, time_limit=clock)


def test_two_tables_have_no_labels_and_are_replayed():
    made = anatomy(TABLE, FrequencyLDiversity(2), seed=1)
    with pytest.raises(TableError, match="Anatomized has none"):
        what_it_gives_away(made)
    found = what_it_gives_away(made, level="code", method=lambda t: anatomy(t, FrequencyLDiversity(2), seed=1))
    assert 1 <= found.consistent <= found.candidates
    with pytest.raises(TableError, match="int has neither"):
        what_it_gives_away(3, level="code", method=grouped)


PARTITIONS = ([[0, 1], [2, 3]], [[0, 2], [1, 3]], [[0, 3], [1, 2]], [[0, 1, 2, 3]])
"""All partitions of four records into classes of two or more."""


def optima_of(table, model):
    """The least sum of squared class sizes of a partition that satisfies, and what each that has it shows."""
    of_cost = {}
    for classes in PARTITIONS:
        partition = Partition.of(table, classes)
        if model.evaluate(partition.class_counts()).status == "satisfied":
            answer = verified(partition, model, method="all", attributes=attributes_of(table, {}))
            of_cost.setdefault(sum(len(each) ** 2 for each in classes), []).append((shown_of(answer, table), answer))
    return min(of_cost.items(), default=(None, []))


@pytest.mark.parametrize("rows", [[(1, 1), (2, 2), (1, 2), (2, 1)], [(1, 1)] * 4, [(1, 1), (1, 2), (1, 1), (1, 2)]])
def test_each_world_of_a_partition_of_least_loss_has_an_optimum_that_shows_the_release(rows):
    """Where two classes show the same, that a world has the same least loss does not say that it has the release."""
    model = DistinctLDiversity(2)
    frame = pd.DataFrame(rows, columns=["a", "b"]).assign(s=list("xyxy"))
    table = Microdata.from_frame(frame, quasi_identifiers=["a", "b"], sensitive="s")

    def method(world):
        least, best = optima_of(world, model)
        return SimpleNamespace(objective=least, release=best[0][1].release, grouped=best[0][1].grouped)

    least, best = optima_of(table, model)
    refused, fewer = 0, False
    for shown, each in best:
        answer = SimpleNamespace(objective=least, release=each.release, grouped=each.grouped)
        counts = Counter(zip(shown, table.sensitive[0].codes.tolist(), strict=True))
        worlds = {codes for codes in permutations(table.sensitive[0].codes.tolist())
                  if Counter(zip(shown, codes, strict=True)) == counts}  # fmt: skip
        true = [codes for codes in worlds if shown in [of for of, _ in optima_of(with_secrets(table, codes), model)[1]]]
        try:
            found = what_it_gives_away(answer, level="optimal", method=method)
        except TableError as error:
            refused += "two classes of the optimum show the same labels" in str(error)
            fewer |= len(true) < len(worlds)
        else:
            assert (found.candidates, found.consistent) == (len(worlds), len(true))
    assert bool(refused) == (len(set(rows)) > 1)
    assert fewer == (len(set(rows)) == 4)  # what would be said without that


def test_a_loss_that_does_not_notice_that_classes_show_the_same_leaves_every_world():
    frame = pd.DataFrame([(1, 1), (2, 2), (1, 2), (2, 1)], columns=["a", "b"]).assign(s=list("xxyy"))
    table = Microdata.from_frame(frame, quasi_identifiers=["a", "b"], sensitive="s")

    def best(world):
        return optimal_partition(world, FrequencyLDiversity(2), NormalizedCertaintyPenalty(), seed=1)

    assert best(table).objective == NormalizedCertaintyPenalty().evaluate(best(table).release).value
    found = what_it_gives_away(best(table), level="optimal", method=best)
    assert 1 <= found.consistent <= found.candidates
