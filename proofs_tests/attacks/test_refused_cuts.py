"""What refused cuts say, against every way to hand out a class's values, and against the method itself."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import pairwise, permutations, product
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from experiments import adult
from proofs_tests.attacks.refused import MODELS, PLACES, cuts_of
from tcloseness.anonymize import mondrian
from tcloseness.attacks import consistent_originals, refused_cuts, what_it_gives_away
from tcloseness.attacks.disclosure import StatusCounts
from tcloseness.attacks.refused_cuts import _Classes, _deals
from tcloseness.certificates import verify
from tcloseness.errors import InfeasibleError, InputError, NotReached, TableError
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    TCloseness,
)
from tcloseness.models.certified import counts_text
from tcloseness.release import AtLevel, Partition, attributes_of
from tcloseness.release.anonymized import verified

F = Fraction

CLOSE = KAnonymity(2) & TCloseness("1/4", ground="equal")


def violates_close(n, count, q):
    return n < 2 or sum(abs(F(count[v], n) - q[v]) for v in q) / 2 > F(1, 4)


def table_of(rows):
    frame = pd.DataFrame(rows, columns=["x", "y", "place", "s"])
    return Microdata.from_frame(
        frame, quasi_identifiers=["x", "y", "place"], sensitive="s", domains={"s": list("abc"), "place": list("pqr")}
    )


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from("pqr"), st.sampled_from("aabc")),
    min_size=2,
    max_size=7,
)


@given(ROWS, st.sampled_from([*MODELS, (CLOSE, None)]))
def test_beliefs_are_the_shares_of_the_worlds_in_which_every_cut_is_refused(rows, asked):
    """Every way to hand each class's values to its members, each cut from its definition."""
    table, secrets = table_of(rows), [row[3] for row in rows]
    q = {v: F(c, len(secrets)) for v, c in Counter(secrets).items()}
    model, violates = asked[0], asked[1] or partial(violates_close, q=q)
    try:
        made = mondrian(table, model, {"place": PLACES})
    except (NotReached, InfeasibleError):
        return
    found = refused_cuts(made, model)
    assert found.exact
    believed = {}
    for each in found.changes:
        for i in each.persons.tolist():
            assert i not in believed
            believed[i] = {v: b.least for v, b in zip(each.values, each.after, strict=True) if b.least}
    certain = 0
    for group in made.grouped.groups:
        members = group.tolist()
        left = []
        for handed in set(permutations([secrets[i] for i in members])):
            world = dict(zip(members, handed, strict=True))
            refused = (
                any(violates(len(part), Counter(world[i] for i in part)) for part in parts)
                for parts in cuts_of(rows, members, (int, int))
            )
            if all(refused):
                left.append(world)
        assert {i: secrets[i] for i in members} in left
        for i in members:
            assert believed[i] == {v: F(n, len(left)) for v, n in Counter(world[i] for world in left).items()}
            certain += len(believed[i]) == 1
    of_groups = [{secrets[i] for i in group} for group in made.grouped.groups for _ in group]
    alone = sum(len(each) == 1 for each in of_groups)
    assert len(found.facts) == certain
    assert found.counts == {
        "persons": StatusCounts(certain, len(rows) - certain),
        "persons, by their class alone": StatusCounts(alone, len(rows) - alone),
    }


@pytest.mark.long
@settings(max_examples=15)
@given(ROWS.filter(lambda rows: len(rows) < 7), st.sampled_from([MODELS[1][0], CLOSE]))
def test_whoever_knows_the_whole_method_knows_at_least_what_refused_cuts_make_certain(rows, model):
    table = table_of(rows)
    method = lambda world: mondrian(world, model)  # noqa: E731
    try:
        made = method(table)
    except (NotReached, InfeasibleError):
        return
    found, code = refused_cuts(made, model), consistent_originals(table, method)
    for each in found.changes:
        for i in each.persons.tolist():
            left = {v for v, belief in zip(each.values, each.after, strict=True) if belief.least}
            assert set(code.beliefs[i]) <= left
    for fact in found.facts:
        place = int(fact.subject.removeprefix("record "))
        assert fact.values == (rows[place][3],)


def test_under_k_anonymity_alone_refused_cuts_say_nothing():
    rows = [(x, x % 2, "p", s) for x, s in enumerate("aabbcaab")]
    found = refused_cuts(mondrian(table_of(rows), KAnonymity(3)), KAnonymity(3))
    assert found.greatest_change == 0
    assert found.moved(F(0)) == 0
    assert "because of its size alone" in found.sentences[0]


def single_class(model, secrets="bcaaa", x=range(5)):
    frame = pd.DataFrame({"x": x, "s": list(secrets)})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    return verified(Partition.of(table, [range(len(secrets))]), model, method="one", attributes=attributes_of(table))


def test_a_class_with_more_states_than_may_be_is_open():
    """The two on the right have the value that occurs three times, else the cut would have been made."""
    made = single_class(DistinctLDiversity(2))
    found = what_it_gives_away(made, level="minimal", model=DistinctLDiversity(2))
    worlds = [w for w in set(permutations("bcaaa")) if len(set(w[:3])) == 1 or len(set(w[3:])) == 1]
    assert found.facts == ()
    assert {each.after[0].least for each in found.changes} == {
        F(sum(w[i] == "a" for w in worlds), len(worlds)) for i in (0, 3)
    }
    short = refused_cuts(made, DistinctLDiversity(2), most=1)
    assert (short.counts["persons"].certain, short.counts["persons"].open) == (0, 5)
    assert "5 are in classes too large to count" in short.sentences[1]
    assert json.loads(json.dumps(found.certificate()))["counts"]["persons"]["possible"] == 5


@pytest.mark.parametrize("model", [DistinctLDiversity(3), FrequencyLDiversity(3)], ids=["distinct", "frequency"])
def test_a_cut_into_a_part_with_fewer_records_than_values_are_asked_says_nothing(model):
    found = refused_cuts(single_class(model, secrets="abc", x=range(3)), model, most=1)
    assert found.sentences[0].startswith("The method left each group whole because of its size alone")
    assert (found.counts["persons"].certain, found.counts["persons"].open, found.greatest_change) == (0, 0, 0)


@given(st.data(), st.lists(st.integers(1, 3), min_size=1, max_size=4), st.integers(1, 20))
def test_atoms_have_too_many_states_exactly_if_some_number_of_records_has_too_many_places(data, sizes, most):
    """Once the values so far are placed, a state is at least how many records of each atom are."""
    total = sum(sizes)
    cuts = sorted(data.draw(st.sets(st.integers(1, total), max_size=3)) | {total})
    totals = [b - a for a, b in pairwise([0, *cuts])]
    states = Counter(map(sum, product(*(range(size + 1) for size in sizes))))
    given_most = SimpleNamespace(most=most)
    assert _Classes._more_states(given_most, totals, sizes) == any(states[placed] > most for placed in cuts)


@given(
    st.lists(st.integers(min_value=0, max_value=3), min_size=1, max_size=4).flatmap(
        lambda room: st.tuples(st.just(room), st.integers(min_value=0, max_value=sum(room)))
    )
)
def test_records_are_put_into_atoms_in_every_way_once(given_room):
    room, count = given_room
    every = [each for each in product(*(range(size + 1) for size in room)) if sum(each) == count]
    assert list(_deals(count, room)) == every


def test_a_class_of_more_atoms_than_calls_may_be_nested_is_read():
    size = 1_500
    assert sum(1 for _ in _deals(1, [1] * size)) == size


def test_what_refused_cuts_are_not_counted_for_is_named():
    with pytest.raises(InputError, match="can be cut so that each part satisfies the model"):
        refused_cuts(single_class(DistinctLDiversity(1)), DistinctLDiversity(1))
    with pytest.raises(InputError, match="not counted for entropy l-diversity"):
        refused_cuts(single_class(EntropyLDiversity(2)), EntropyLDiversity(2))
    frame = pd.DataFrame({"x": range(4), "s": list("abab")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    everything = Hierarchy([(x, "*") for x in range(4)], name="x")
    shown = (AtLevel("x", table.quasi_identifiers[0].domain, everything, 1),)
    of_a_level = verified(Partition.of(table, [range(4)]), KAnonymity(2), method="one", attributes=shown)
    with pytest.raises(InputError, match=r"'x' is generalized to .* values, which strict Mondrian does not cut"):
        refused_cuts(of_a_level, KAnonymity(2))
    ordered = TCloseness("1/2", ground="ordered")
    made = single_class(DistinctLDiversity(2), secrets=[1, 2, 3, 3, 3])
    with pytest.raises(InputError, match="not counted for t-closeness"):
        refused_cuts(made, ordered)
    frame = pd.DataFrame({"x": range(5), "s": list("abcab")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    model, attributes = KAnonymity(2), attributes_of(table)
    made = verified(Partition.of(table, [range(4)]), model, method="one", attributes=attributes)
    with pytest.raises(TableError, match="1 record of the release are suppressed"):
        refused_cuts(made, KAnonymity(2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "certain", "read"),
    [
        (DistinctLDiversity(2), 78, 30_162),
        (DistinctLDiversity(3), 0, 30_102),
        (FrequencyLDiversity(2), 17, 29_084),
    ],
    ids=["distinct 2", "distinct 3", "frequency 2"],
)
def test_refused_cuts_on_adult(model, certain, read):
    """Sound: each person's own value is left to her, and the certificate proves each that is certain. With a bound on
    states the last ones read fewer persons."""
    rows = adult.load("train-complete")
    names = ["age", "education-num", "hours-per-week"]
    table = Microdata.from_frame(rows, quasi_identifiers=names, sensitive="occupation")
    found = what_it_gives_away(mondrian(table, model), level="minimal", model=model, most=3000)
    truth = [table.sensitive[0].domain.values[code] for code in table.sensitive[0].codes.tolist()]
    for each in found.changes:
        left = {v for v, belief in zip(each.values, each.after, strict=True) if belief.least}
        assert {truth[i] for i in each.persons.tolist()} <= left
    for fact in found.facts:
        assert fact.values == (truth[int(fact.subject.removeprefix("record "))],)
    persons = found.counts["persons"]
    assert persons.certain == certain
    if certain:
        text = counts_text(FrequencySet.of(table), "occupation").encode()
        said = verify(found.certified().to_json(), text, {}).found
        assert said.startswith(f"the value of {certain} persons in")
    assert persons.total - persons.open >= read
