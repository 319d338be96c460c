"""What a minimal release says of one value, against every way to hand out the values of the released classes."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from itertools import combinations, product
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st

from experiments import adult
from tcloseness.attacks import minimality_attack, ruled_out_steps, what_it_gives_away
from tcloseness.errors import InputError, TableError
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import AlphaKAnonymity, DistinctLDiversity
from tcloseness.release import Partition, Release, attributes_of

F = Fraction
NUMBERS = Hierarchy([(i, f"{i // 2}..", "*") for i in range(6)], name="n")
LETTERS = Hierarchy.suppression("ab", name="c")
TREES = {"n": NUMBERS, "c": LETTERS}


def released(rows, node):
    frame = pd.DataFrame(rows, columns=["n", "c", "s"])
    values = {"s": ["hiv", "flu", "flu2"]}
    table = Microdata.from_frame(frame, quasi_identifiers=["n", "c"], sensitive="s", domains=values)
    return Release.full_domain(FrequencySet.of(table), TREES, dict(zip(("n", "c"), node, strict=True)))


def groups_of(rows, node):
    found = {}
    for i, (n, c, _) in enumerate(rows):
        found.setdefault((NUMBERS.label(n, node[0]), LETTERS.label(c, node[1])), []).append(i)
    return list(found.values())


def worlds_of(rows, node):
    """Every way to place the value within the released classes, as the set of those who have it."""
    groups = groups_of(rows, node)
    ways = [combinations(g, sum(rows[i][2] == "hiv" for i in g)) for g in groups]
    return [set().union(*chosen) for chosen in product(*ways)]


ROWS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("ab"), st.sampled_from(["hiv", "flu", "flu2"])), min_size=2, max_size=9
)
SHARES = [F(1, 2), F(2, 3), F(2, 5), F(1, 3)]


def breaks(group, have, share, k):
    return len(group) < k or len(have & set(group)) > share * len(group)


@pytest.mark.long
@settings(max_examples=20)
@given(ROWS, st.booleans())
def test_beliefs_are_the_shares_of_the_worlds_in_which_a_step_is_ruled_out(rows, enclosed):
    """Every minimal node, every share and k."""
    truth, seen = {i for i, row in enumerate(rows) if row[2] == "hiv"}, 0
    for node, share, k in product(product(range(3), range(2)), SHARES, (1, 2)):
        below = {"n": (node[0] - 1, node[1]), "c": (node[0], node[1] - 1)}
        steps = {f"{name} at level {v[place]}": v for place, (name, v) in enumerate(below.items()) if node[place]}
        satisfied = [not any(breaks(g, truth, share, k) for g in groups_of(rows, v)) for v in (node, *steps.values())]
        if steps and satisfied[0] and not any(satisfied[1:]):
            check_node(rows, node, share, k, steps, enclosed)
            seen += 1
        if seen == 2:
            break


def check_node(rows, node, share, k, steps, enclosed):
    truth = {i for i, row in enumerate(rows) if row[2] == "hiv"}
    asked = {name: v for name, v in steps.items() if min(map(len, groups_of(rows, v))) >= k}

    with pytest.MonkeyPatch.context() as patch:
        if enclosed:
            patch.setattr(import_module("tcloseness.attacks.ruled_out_steps"), "EXACT", -1)
        found = ruled_out_steps(released(rows, node), AlphaKAnonymity(share, k, values=["hiv"]))

    everyone = worlds_of(rows, node)
    seen = {}
    for each in found.changes:
        left = [w for w in everyone if any(breaks(g, w, share, k) for g in groups_of(rows, asked[each.source]))]
        assert truth in left
        (before,), (after,) = each.before, each.after
        for i in each.persons.tolist():
            belief = F(sum(i in w for w in left), len(left))
            assert before == F(sum(i in w for w in everyone), len(everyone))
            assert after.least <= belief <= after.most
            assert after.most - after.least <= (F(1, 10**9) if enclosed else 0)
            seen[each.source, i] = belief
    assert set(seen) == {(name, i) for name in asked for i in range(len(rows))}

    certain = {i: each.values[0] for each in found.facts for i in each.proof["records"]}
    of_class = {i: g for g in groups_of(rows, node) for i in g}
    sure = 0
    for i, row in enumerate(rows):
        beliefs = [seen[name, i] for name in asked]
        values = {rows[j][2] for j in of_class[i]}
        if len(values) > 1:
            assert (i in certain) == any(belief in (0, 1) for belief in beliefs if "hiv" in values)
        sure += (
            len(values) == 1
            or ("hiv" in values and 1 in beliefs)
            or ("hiv" in values and 0 in beliefs and len(values) == 2)
        )
        for each in found.facts:
            if i in each.proof["records"]:
                assert (row[2] == "hiv") == (not each.attribute.startswith("not "))
    assert found.counts["persons"].certain == sure
    assert found.counts["persons"].open == (len(rows) - sure if len(asked) > 1 else 0)


@given(ROWS, st.sampled_from(SHARES))
def test_of_one_step_the_count_is_that_of_going_through_all_originals(rows, share):
    model = AlphaKAnonymity(share, 1, values=["hiv"])
    counts = FrequencySet.of(released(rows, (0, 1)).rows_of)
    try:
        minimal = minimality_attack(counts, TREES, {"n": 0, "c": 1}, model).minimal
    except InputError:
        return
    assume(minimal)
    release = released(rows, (0, 1))
    each, counted = what_it_gives_away(release, level="minimal", model=model), ruled_out_steps(release, model)
    assert counted.counts["persons"] == each.counts["persons"]
    for change in counted.changes:
        for i in change.persons.tolist():
            assert change.after[0].least == each.beliefs[i].get("hiv", 0)


def test_wong_et_al_two_q1_are_ill_and_many_q2_are_not():
    """At most half of a class may be ill. Of the C(302, 2) ways only one breaks that for the q1, none for the q2."""
    frame = pd.DataFrame({"q": ["q1"] * 2 + ["q2"] * 300, "ill": ["hiv"] * 2 + ["flu"] * 300})
    table = Microdata.from_frame(frame, quasi_identifiers="q", sensitive="ill")
    release = Release.full_domain(FrequencySet.of(table), {"q": Hierarchy.suppression(["q1", "q2"])}, {"q": 1})
    found = what_it_gives_away(release, level="minimal", model=AlphaKAnonymity("1/2", 1, values=["hiv"]))
    assert comb(302, 2) > 10_000
    assert {(len(each.persons), each.after[0].least) for each in found.changes} == {(2, 1), (300, 0)}
    assert found.counts["persons"].certain == 302
    assert (found.exact, found.greatest_change) == (True, 1 - F(2, 302))
    assert [fact.records for fact in found.facts] == [300, 2]
    assert "settles the value of 302 of 302 persons" in found.sentence


def test_a_model_that_asks_for_something_else_is_named():
    release = released([(0, "a", "hiv"), (1, "a", "flu")], (1, 0))
    with pytest.raises(InputError, match="distinct l-diversity asks for something else; give AlphaKAnonymity"):
        ruled_out_steps(release, DistinctLDiversity(2))


@pytest.mark.parametrize("secrets", [["flu", "flu", "flu"], ["flu", "hiv", "flu"]], ids=["absent", "too few"])
def test_a_step_that_cannot_violate_was_not_ruled_out(secrets):
    """At most one of three has the value, and each class one step below may have one half."""
    rows = [(0, "a", secrets[0]), (0, "a", secrets[1]), (1, "a", secrets[2]), (1, "a", "flu")]
    with pytest.raises(InputError, match="the release is not minimal: n at level 0 satisfies"):
        ruled_out_steps(released(rows, (1, 0)), AlphaKAnonymity("1/2", 1, values=["hiv"]))


def test_a_release_that_is_not_of_whole_levels_without_suppression_is_named():
    rows = [(0, "a", "hiv"), (1, "a", "flu"), (2, "a", "flu")]
    release, model = released(rows, (1, 0)), AlphaKAnonymity("1/2", 1, values=["hiv"])
    with pytest.raises(TableError, match="suppresses records or recodes locally"):
        ruled_out_steps(release.suppress([1]), model)
    table = release.rows_of
    local = Release.of_partition(Partition.of(table, [[0, 1], [2]]), attributes_of(table, TREES))
    with pytest.raises(TableError, match="suppresses records or recodes locally"):
        ruled_out_steps(local, model)


# ---------------------------------------------------------------------- at the size of Adult


def small_lattice():
    """Adult's complete records, with five levels of age, four of education, three of marital status and two of sex."""
    rows = adult.load("train-complete")
    education, marital = sorted(set(rows["education-num"])), sorted(set(rows["marital-status"]))
    trees = {
        "age": Hierarchy([(a, f"{a // 2}/2", f"{a // 4}/4", f"{a // 8}/8", "*") for a in range(20)], name="age"),
        "education": Hierarchy(
            [(e, f"{(e + 1) // 2}/2", f"{int(e >= 9) + (e >= 13)}/3", "*") for e in education], name="education"
        ),
        "marital": Hierarchy([(m, str(m.startswith("Married")), "*") for m in marital], name="marital"),
        "sex": Hierarchy([(s, "*") for s in sorted(set(rows["sex"]))], name="sex"),
    }
    frame = pd.DataFrame(
        {
            "age": rows["age"] // 5,
            "education": rows["education-num"],
            "marital": rows["marital-status"],
            "sex": rows["sex"],
            "class": rows["class"],
        }
    )
    return Microdata.from_frame(frame, quasi_identifiers=list(trees), sensitive="class"), trees


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "greatest", "moved"), [("1/2", "0.070", 0), ("2/3", "0.351", 65), ("2/5", "0.110", 62)]
)
def test_every_minimal_node_of_adult(share, greatest, moved):
    table, trees = small_lattice()
    model = AlphaKAnonymity(share, 5, values=[">50K"])
    has = np.asarray(table.sensitive[0].codes == table.sensitive[0].domain.code(">50K"))
    heights = {name: tree.height for name, tree in trees.items()}
    counts = FrequencySet.of(table)
    good = {
        node: model.evaluate(
            counts.generalize(trees, {n: v for n, v in zip(heights, node, strict=True) if v}).class_counts()
        ).status
        == "satisfied"
        for node in product(*(range(h + 1) for h in heights.values()))
    }
    lower = lambda v: [tuple(x - (i == j) for i, x in enumerate(v)) for j in range(len(v)) if v[j]]  # noqa: E731
    minimal = [v for v in good if good[v] and not any(good[w] for w in lower(v))]
    top, total = F(0), 0
    for node in minimal:
        release = Release.full_domain(counts, trees, dict(zip(heights, node, strict=True)))
        found = ruled_out_steps(release, model)
        top = max(top, found.greatest_change)
        total += sum(len(each.persons) for each in found.changes if each.change > F(1, 10))
        assert found.moved(F(1, 10)) <= sum(len(e.persons) for e in found.changes if e.change > F(1, 10))
        for each in found.changes:
            assert all(after.most - after.least < F(1, 1000) for after in each.after)
            assert has[each.persons].all() or each.after[0].least < 1
            assert not has[each.persons].any() or each.after[0].most > 0
    assert (f"{float(top):.3f}", total) == (greatest, moved)
