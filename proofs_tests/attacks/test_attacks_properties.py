"""Each attack against the plainest way to say what it does, class by class."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts, hierarchies, partitions, refinements
from tcloseness.attacks import (
    Person,
    background_knowledge_attack,
    damaging_knowledge,
    homogeneity_attack,
    known_persons_attack,
    narrow_range_attack,
    similarity_attack,
    skewness_attack,
)

F = Fraction


def rows(classes):
    """Each class as {value: count}."""
    values = classes.domain.values
    return [{values[code]: n for code, n in classes.row(g).items()} for g in range(len(classes))]


def revealed(found):
    return {f.index: (f.records, f.values) for f in found.findings}


@given(class_counts(), st.fractions("1/2", 1, max_denominator=12).filter(lambda x: x > F(1, 2)))
def test_homogeneity(classes, share):
    expected = {}
    for g, row in enumerate(rows(classes)):
        for s, n in row.items():
            if F(n, sum(row.values())) >= share:
                expected[g] = (sum(row.values()), (s,))
    assert revealed(homogeneity_attack(classes, share=share)) == expected


@given(class_counts(), st.data(), st.integers(2, 4))
def test_background_knowledge(classes, data, l):  # noqa: E741
    values = classes.domain.values
    gone = data.draw(st.sets(st.sampled_from(values)))
    found = background_knowledge_attack(classes, gone, fewer_than=l)
    expected = {}
    for g, row in enumerate(rows(classes)):
        left = [s for s in row if s not in gone]
        if 0 < len(left) < l <= len(row):
            expected[g] = (sum(row[s] for s in left), tuple(left))
    assert revealed(found) == expected
    assert found.records == sum(records for records, _ in expected.values())
    if len(gone) < damaging_knowledge(classes).least and l == 2:
        assert not found.succeeds


@given(class_counts(), st.data())
def test_a_known_person_is_left_with_the_shares_of_what_is_left(classes, data):
    g = data.draw(st.integers(0, len(classes) - 1))
    gone = data.draw(st.sets(st.sampled_from(classes.domain.values)))
    person = Person(classes.label(g), tuple(gone))
    (found,) = known_persons_attack(classes, {"Bob": person}).inferences
    left = {s: n for s, n in rows(classes)[g].items() if s not in gone}
    assert found.shares == {s: F(n, sum(left.values())) for s, n in left.items()}
    assert found.contradicted == (not left)
    assert found.records == sum(left.values())


@given(
    class_counts(),
    st.sampled_from(["ratio", "difference"]),
    st.integers(1, 5),
    st.sampled_from([(1, 0), ("3/2", 0), (1, "1/10"), (2, "1/5")]),
    st.data(),
)
def test_skewness(classes, by, top, thresholds, data):
    values = data.draw(st.none() | st.sets(st.sampled_from(classes.domain.values), min_size=1))
    ratio, difference = thresholds
    found = skewness_attack(classes, values, by=by, ratio=ratio, difference=difference, top=top)
    total = sum(classes.reference.tolist())
    expected = []
    for g, row in enumerate(rows(classes)):
        for code, (s, n) in zip(classes.row(g), row.items(), strict=True):
            p, q = F(n, sum(row.values())), F(int(classes.reference[code]), total)
            if (values is None or s in values) and p / q > F(ratio) and p - q > F(difference):
                expected.append((-(p / q if by == "ratio" else p - q), g, code, s, q, p))
    expected.sort()
    listed = [(f.index, f.values[0], f.prior, f.posterior) for f in found.findings]
    assert listed == [(g, s, q, p) for _, g, _, s, q, p in expected][:top]
    assert found.affected.tolist() == sorted({g for _, g, *_ in expected})
    assert found.records == sum(int(classes.class_sizes[g]) for g in found.affected)
    assert all(f.ratio == f.posterior / f.prior for f in found.findings)


@given(class_counts(max_classes=4), st.data())
def test_generalizing_never_makes_the_largest_rise_larger(classes, data):
    """A union's share of a value is between those of its classes (Li et al. 2007, Fact 2 in its simplest form)."""
    merged = classes.merge(data.draw(partitions(len(classes))))
    for by in ("ratio", "difference"):
        before, after = (skewness_attack(c, by=by, top=1).findings for c in (classes, merged))
        assert bool(before) >= bool(after)
        if after:
            assert getattr(before[0], by) >= getattr(after[0], by)


@given(class_counts(), st.data())
def test_similarity_in_named_groups(classes, data):
    values = classes.domain.values
    labels = data.draw(refinements(values, 1))[0]
    named = data.draw(st.sets(st.sampled_from(sorted(set(labels.values()))), min_size=1))
    groups = {label: [v for v in values if labels[v] == label] for label in sorted(named)}
    expected = {
        g: (sum(row.values()), tuple(row))
        for g, row in enumerate(rows(classes))
        if any(set(row) <= set(group) for group in groups.values())
    }
    assert revealed(similarity_attack(classes, groups)) == expected


@given(class_counts(), st.data())
def test_similarity_in_a_hierarchy(classes, data):
    """At each level below the root; without a level, at the lowest on which the class is in one node."""
    hierarchy = data.draw(hierarchies(values=classes.domain.values, max_height=4))
    at = {}
    for level in range(1, hierarchy.height):
        for g, row in enumerate(rows(classes)):
            if len({hierarchy.label(s, level) for s in row}) == 1:
                at.setdefault(level, set()).add(g)
        found = similarity_attack(classes, hierarchy, level=level)
        assert set(found.affected.tolist()) == at.get(level, set())
    lowest = similarity_attack(classes, hierarchy)
    assert set(lowest.affected.tolist()) == set().union(*at.values())
    for f in lowest.findings:
        level = min(level for level, hit in at.items() if f.index in hit)
        label = hierarchy.label(next(iter(rows(classes)[f.index])), level)
        assert f"has a value of {label}:" in f.sentence


@given(class_counts().filter(lambda c: len(c.domain) > 1), st.integers(0, 11))
def test_narrow_range(classes, twelfths):
    """The domain 0 … m−1 is its own ranks, so both scales agree."""
    most = F(twelfths, 12)
    expected = {}
    for g, row in enumerate(rows(classes)):
        if F(max(row) - min(row), len(classes.domain) - 1) <= most:
            expected[g] = (sum(row.values()), (min(row), max(row)) if len(row) > 1 else (min(row),))
    for scale in ("value", "rank"):
        assert revealed(narrow_range_attack(classes, at_most=most, scale=scale)) == expected


@given(class_counts())
def test_a_homogeneous_class_is_in_every_other_attack_s_answer(classes):
    """One value is in one group, spans nothing, and takes no background knowledge."""
    hit = set(homogeneity_attack(classes).affected.tolist())
    groups = {str(v): [v] for v in classes.domain.values}
    assert set(similarity_attack(classes, groups).affected.tolist()) == hit
    if len(classes.domain) > 1:
        assert set(narrow_range_attack(classes, at_most=0).affected.tolist()) == hit
    pieces = damaging_knowledge(classes).pieces
    assert {g for g in range(len(classes)) if pieces[g] == 0} == hit
