"""The checker of refused cuts accepts what is so in every way that leaves each cut refused, and nothing else."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product

import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st

from proofs_tests.attacks.refused import MODELS, PLACES, cuts_of
from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from proofs_tests.effort import effort
from tcloseness import FrequencySet, Hierarchy
from tcloseness.anonymize import mondrian
from tcloseness.attacks import refused_cuts
from tcloseness.certificates import check_nodes, read_certificate, seal
from tcloseness.certificates.refusals import REFUSALS, _at_median, _children, _failing
from tcloseness.errors import (
    CertificateError,
    CertificateFormatError,
    InfeasibleError,
    InputError,
    NotCertified,
    NotReached,
)
from tcloseness.microdata import Microdata
from tcloseness.models import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    TCloseness,
)
from tcloseness.models.certified import CertifiedTable
from tcloseness.release import Partition, attributes_of
from tcloseness.release.anonymized import verified
from tcloseness.release.attributes import Hierarchical
from tcloseness.strict_records import Work

F = Fraction

NAMES = ("x", "kind", "place")
ORDER = ["u", "v", "w"]

ROWS = st.lists(
    st.tuples(st.integers(8, 11), st.sampled_from(ORDER), st.sampled_from("pqr"), st.sampled_from("aabc")),
    min_size=2,
    max_size=7,
)


def table_of(rows):
    frame = pd.DataFrame(rows, columns=[*NAMES, "s"])
    return Microdata.from_frame(
        frame, quasi_identifiers=NAMES, sensitive="s", domains={"s": list("abc"), "kind": ORDER, "place": list("pqr")}
    )


def worlds_of(rows, members, violates):
    """Every way to hand the class's values to its members in which each cut leaves a part that violates."""
    for handed in set(permutations([rows[i][3] for i in members])):
        world = dict(zip(members, handed, strict=True))
        if all(
            any(violates(len(part), Counter(world[i] for i in part)) for part in parts)
            for parts in cuts_of(rows, members, (int, ORDER.index))
        ):
            yield world


def certificate_of(rows, model, classes, **changes):
    proof = {
        "attributes": [{"kind": "numeric"}, {"kind": "categorical", "order": ORDER}, {"kind": "hierarchical"}],
        "classes": classes,
    }
    table = CertifiedTable.of(FrequencySet.of(table_of(rows)), "s", {"place": PLACES})
    return table.sealed(REFUSALS, model, {**proof, **changes})


def entry_of(rows, members, facts):
    labels = list(dict.fromkeys((str(rows[i][0]), *rows[i][1:3]) for i in members))
    where = {i: labels.index((str(rows[i][0]), *rows[i][1:3])) for i in members}
    return {"members": [list(each) for each in labels], "facts": [[where[i], "abc".index(v)] for i, v in facts]}


def released(rows, model):
    try:
        return mondrian(table_of(rows), model, {"place": PLACES}, categorical=["kind"])
    except (NotReached, InfeasibleError):
        assume(False)


@given(ROWS, st.sampled_from(MODELS))
@effort(0.5)
def test_a_fact_is_accepted_if_it_is_so_in_every_way_that_leaves_each_cut_refused(rows, asked):
    """Each member and each value, by all ways to hand out the values; equal members are asked about together."""
    model, violates = asked
    made = released(rows, model)
    certain = {}
    for members in map(list, (group.tolist() for group in made.grouped.groups)):
        worlds = list(worlds_of(rows, members, violates))
        assert {i: rows[i][3] for i in members} in worlds
        for i in members:
            for value in "abc":
                classes = [entry_of(rows, members, [(i, value)])]
                if all(world[i] == value for world in worlds):
                    certain[i] = value
                    assert certificate_of(rows, model, classes).format == REFUSALS
                else:
                    with pytest.raises(NotCertified, match="there is another way"):
                        certificate_of(rows, model, classes)
    found = refused_cuts(made, model)
    if not certain:
        with pytest.raises(NotCertified, match="there is nothing to prove"):
            found.certified()
        return
    envelope = found.certified()
    assert {i: "abc"[v] for i, v in found.settled.items()} == certain
    assert sum(len(entry["facts"]) for entry in envelope.proof["classes"]) == len({rows[i][:3] for i in certain})


def same_parts(numbers, parts):
    """Whether members with one number are those of one part."""
    return len(set(numbers)) == len(set(zip(numbers, parts, strict=True))) == len(set(parts))


def test_a_cut_is_at_the_lower_median_of_the_records_and_below_it_where_it_is_the_greatest():
    for places in product(range(3), repeat=3):
        for sizes in product((1, 2, 3), repeat=3):
            records = sorted(place for place, n in zip(places, sizes, strict=True) for _ in range(n))
            median = records[(len(records) - 1) // 2]
            left = [place <= median if median < records[-1] else place < median for place in places]
            assert same_parts(_at_median(places, sizes), left)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_hierarchy_is_cut_into_the_children_of_the_lowest_common_ancestor(depth):
    leaves = [*product("01", repeat=depth)]
    paths = {leaf: ["".join(leaf[: depth - level]) for level in range(depth + 1)] for leaf in leaves}
    for many in (1, 2, 3):
        for some in combinations(leaves, many):
            shared = next(n for n in range(depth, -1, -1) if len({leaf[:n] for leaf in some}) == 1)
            assert same_parts(_children([paths[leaf] for leaf in some]), [leaf[: shared + 1] for leaf in some])


def domain_of_four():
    """The example of `refused_cuts`: flu, cold and gout on the left, hiv twice on the right."""
    frame = pd.DataFrame({"age": [31, 32, 33, 34, 35], "ill": ["flu", "cold", "gout", "hiv", "hiv"]})
    table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="ill")
    model = DistinctLDiversity(2)
    made = verified(Partition.of(table, [range(5)]), model, method="one", attributes=attributes_of(table))
    found = refused_cuts(made, model)
    return found, CertifiedTable.of(FrequencySet.of(table), "ill").nodes


def checked(record, nodes):
    record = {key: value for key, value in record.items() if key != "sha256"}
    return check_nodes(read_certificate(json.dumps({**record, "sha256": seal(record)})), nodes)


def changed_proof(change):
    found, nodes = domain_of_four()
    record = json.loads(found.certified().to_json())
    change(record["proof"])
    return record, nodes


def test_what_is_found_is_said():
    record, nodes = changed_proof(lambda proof: None)
    assert record["proof"]["classes"] == [{"members": [[str(age)] for age in range(31, 36)], "facts": [[3, 3], [4, 3]]}]
    assert checked(record, nodes).startswith("the value of 2 persons in 1 class is certain")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda proof: proof["classes"][0]["facts"].append([0, 3]), "that a member has 'text:hiv' is not proved"),
        (lambda proof: proof["classes"][0].update(facts=[[3, 0]]), "that a member has 'text:cold' is not proved"),
        (lambda proof: proof["classes"][0].update(facts=[[3, 3], [0, 0], [1, 1]]), "has 'text:cold' is not proved"),
        (lambda proof: proof["classes"][0].update(facts=[[3, 3], [1, 1], [0, 0]]), "has 'text:flu' is not proved"),
        (lambda proof: proof["classes"][0]["facts"].append([3, 3]), "states a fact twice"),
        (lambda proof: proof["classes"].append(proof["classes"][0]), "which came before"),
        (lambda proof: proof["classes"][0]["members"].append(["31"]), "which came before"),
        (lambda proof: proof["classes"][0]["members"].append(["36"]), "which no record has"),
        (lambda proof: proof["classes"][0].update(members=[["31"], ["32"], ["33"], ["34"]], facts=[[3, 3]]),
         "can be cut"),
        (lambda proof: proof.update(attributes=[{"kind": "categorical", "order": ["31"]}]), "is not of all its values"),
        (lambda proof: proof.update(attributes=[{"kind": "categorical", "order": ["31", *map(str, range(31, 36))]}]),
         "is not of all its values"),
        (lambda proof: proof.update(attributes=[{"kind": "categorical", "order": ["34", "31", "32", "33", "35"]}]),
         "can be cut"),
        (lambda proof: proof.update(attributes=[{"kind": "hierarchical"}]), "is not proved"),
    ],
)  # fmt: skip
def test_a_fact_that_does_not_follow_is_refuted(change, words):
    """The last but one: with 34 on the left, both parts have two values; and single ages are cut into five parts."""
    record, nodes = changed_proof(change)
    with pytest.raises(CertificateError, match=words) as error:
        checked(record, nodes)
    assert not isinstance(error.value, CertificateFormatError)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda proof: proof.update(attributes=[{"kind": "means"}]), "is of the kind 'means'"),
        (lambda proof: proof.update(attributes=[None]), "is of the kind None"),
        (lambda proof: proof.update(attributes=[]), "must have 1"),
        (lambda proof: proof.update(attributes=[{"kind": "numeric", "order": []}]), "must not have"),
        (lambda proof: proof.update(classes=[]), "at least 1"),
        (lambda proof: proof["classes"][0].update(members=[]), "at least 1"),
        (lambda proof: proof["classes"][0].update(facts=[[5, 3]]), "from 0 to 4"),
        (lambda proof: proof["classes"][0].update(facts=[[0, 4]]), "from 0 to 3"),
        (lambda proof: proof["classes"][0].update(facts=[[0]]), "must have 2"),
        (lambda proof: proof["classes"][0]["members"][0].append("x"), "must have 1"),
    ],
)
def test_what_is_not_of_the_form_is_named(change, words):
    record, nodes = changed_proof(change)
    with pytest.raises(CertificateFormatError, match=words):
        checked(record, nodes)


@pytest.mark.parametrize("tables", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_nothing_odd_in_any_place_is_accepted_unless_it_is_true(tables):
    """What the rest rests on, the model and how attributes are cut, as it is."""
    draw, tried = random.Random(5), 0
    while tried < 150 * tables:
        model, violates = draw.choice(MODELS[:3])
        rows = [(draw.randint(8, 11), draw.choice(ORDER), draw.choice("pqr"), draw.choice("aab")) for _ in range(6)]
        try:
            made = mondrian(table_of(rows), model, {"place": PLACES}, categorical=["kind"])
        except (NotReached, InfeasibleError):
            continue
        found = refused_cuts(made, model)
        if not found.settled:
            continue
        nodes = CertifiedTable.of(FrequencySet.of(table_of(rows)), "s", {"place": PLACES}).nodes
        record = json.loads(found.certified().to_json())
        checked(record, nodes)
        others = [with_at(record, way, odd) for way in places_of(record) for odd in draw.sample(ODD, 1)]
        others += [{**record, "proof": changed(draw, record["proof"])} for _ in range(40)]
        for other in others:
            tried += 1
            try:
                checked(other, nodes)
            except CertificateError:
                continue
            same = all(other["proof"][key] == record["proof"][key] for key in ("attributes", "values"))
            if same and other["model"] == record["model"]:
                require_true(rows, violates, other["proof"]["classes"])


def require_true(rows, violates, classes):
    for entry in classes:
        labels = [tuple(each) for each in entry["members"]]
        where = {i: labels.index(label) for i, row in enumerate(rows) if (label := (str(row[0]), *row[1:3])) in labels}
        for world in worlds_of(rows, list(where), violates):
            for member, value in entry["facts"]:
                assert all(world[i] == "abc"[value] for i, at in where.items() if at == member)


@pytest.mark.parametrize(
    ("limit", "most", "words"),
    [
        ("refusals._MOST_STATES", 100, "a class has more than 100 states"),
        ("conditions.MOST_WORK", 10**6, "so many ways to hand out the values of a class would take too long"),
    ],
)
def test_what_would_take_too_long_is_refused(monkeypatch, limit, most, words):
    """Forty values in four atoms of twenty records."""
    monkeypatch.setattr(f"tcloseness.certificates.{limit}", most)
    frame = pd.DataFrame({"x": range(80), "y": [x * 7 % 80 for x in range(80)], "s": [f"v{x // 2}" for x in range(80)]})
    table = Microdata.from_frame(frame, quasi_identifiers=["x", "y"], sensitive="s")
    members = [[str(x), str(y)] for x, y in zip(frame["x"], frame["y"], strict=True)]
    proof = {"attributes": [{"kind": "numeric"}] * 2, "classes": [{"members": members, "facts": [[0, 0]]}]}
    with pytest.raises(NotCertified, match=words):
        CertifiedTable.of(FrequencySet.of(table), "s").sealed(REFUSALS, DistinctLDiversity(40), proof)


@pytest.mark.parametrize(
    ("many", "words"), [(64, "there is another way"), (65, "has 65 parts of parts; at most 64 are checked")]
)
def test_parts_of_parts_are_bounded(many, words):
    """A hierarchy of one level cuts a class into as many parts as it has values."""
    frame = pd.DataFrame({"x": range(many), "s": ["a", "b", *"a" * (many - 2)]})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    proof = {
        "attributes": [{"kind": "hierarchical"}],
        "classes": [{"members": [[str(x)] for x in range(many)], "facts": [[2, 0]]}],
    }
    with pytest.raises(NotCertified, match=words):
        CertifiedTable.of(FrequencySet.of(table), "s").sealed(REFUSALS, FrequencyLDiversity(F(many, many - 1)), proof)


# ---------------------------------------------------------------------- what is certified, from Python


def one_class(model, secrets="bbaaa", x=range(5), hierarchies=None):
    frame = pd.DataFrame({"x": x, "s": list(secrets)})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    attributes = attributes_of(table, hierarchies)
    return verified(Partition.of(table, [range(len(secrets))]), model, method="one", attributes=attributes)


def test_only_a_part_that_is_beyond_the_share_keeps_a_cut_refused():
    """Of {0, 1, 2} and {3, 4}: two of three a are exactly 2/3, which is no more; both of two are, so these have a."""
    model = AlphaKAnonymity("2/3", 2, values=["a"])
    found = refused_cuts(one_class(model, secrets="bbbaa"), model)
    assert found.settled == {0: 1, 1: 1, 2: 1, 3: 0, 4: 0}
    assert found.certified().proof["classes"][0]["facts"] == [[0, 1], [1, 1], [2, 1], [3, 0], [4, 0]]
    for member in range(5):
        with pytest.raises(NotCertified, match="there is another way"):
            proved_of(found, [[member, int(member > 2)]])


def proved_of(found, facts):
    """The certificate that a class's members have values, if it is accepted."""
    column = found.made.grouped.table.quasi_identifiers[0]
    names = [[str(column.domain.values[code])] for code in dict.fromkeys(column.codes.tolist())]
    kinds = [
        {"kind": "hierarchical" if isinstance(each, Hierarchical) else "numeric"} for each in found.made.attributes
    ]
    hierarchies = {each.name: each.hierarchy for each in found.made.attributes if isinstance(each, Hierarchical)}
    table = CertifiedTable.of(FrequencySet.of(found.made.grouped.table), "s", hierarchies)
    proof = {"attributes": kinds, "classes": [{"members": names, "facts": facts}]}
    return table.sealed(REFUSALS, found.model, proof)


def test_a_class_is_cut_into_all_children_at_once():
    """Of parts of 4, 2 and 2 records, one of the small ones must have both a; so nobody of the large one has it."""
    model = AlphaKAnonymity("1/2", 2, values=["a"])
    flat = {"x": Hierarchy([[each, "*"] for each in "pqr"], name="x")}
    found = refused_cuts(one_class(model, secrets="bbbbaabb", x=list("ppppqqrr"), hierarchies=flat), model)
    assert found.settled == dict.fromkeys(range(4), 1)
    assert proved_of(found, [[0, 1]]).format == REFUSALS
    for fact in ([0, 0], [1, 0], [1, 1], [2, 0], [2, 1]):
        with pytest.raises(NotCertified, match="there is another way"):
            proved_of(found, [fact])


@pytest.mark.parametrize("parts", [[[0]], [[0], [0]], []])
def test_each_look_at_a_part_is_accounted_for(parts):
    """One way to hand out one value: 500 units, and 500 for each part."""
    units = 500 * (1 + len(parts))
    given = [1], [1], parts, [*range(len(parts))], [], []
    assert _failing(*given, Work(units)) == 0
    with pytest.raises(InputError, match="would take too long"):
        _failing(*given, Work(units - 1))


@pytest.mark.parametrize(("most", "words"), [(2, ""), (1, "a class has more than 1 states")])
def test_as_many_states_as_are_allowed_are_looked_at(most, words, monkeypatch):
    """One of two records has the first value."""
    monkeypatch.setattr("tcloseness.certificates.refusals._MOST_STATES", most)
    given = [1, 1], [1, 1], [], [], [], [], Work(None)
    if words:
        with pytest.raises(InputError, match=words):
            _failing(*given)
    else:
        assert _failing(*given) == 0


def test_a_class_of_equal_records_with_one_value_is_certain_without_a_cut():
    found = refused_cuts(one_class(KAnonymity(3), secrets="aaa", x=[7, 7, 7]), KAnonymity(3))
    assert found.certified().proof["classes"] == [{"members": [["7"]], "facts": [[0, 0]]}]


def test_a_model_of_which_no_checker_knows_refused_cuts_is_not_certified():
    model = TCloseness("2/5", ground="equal")
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "s": list("aabb")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    made = verified(Partition.of(table, [range(4)]), model, method="one", attributes=attributes_of(table))
    found = refused_cuts(made, model)
    assert not found.settled
    with pytest.raises(NotCertified, match="there is nothing to prove"):
        found.certified()
    proof = {"attributes": [{"kind": "numeric"}], "classes": [{"members": [["1"], ["2"], ["3"], ["4"]], "facts": []}]}
    for other in (model, EntropyLDiversity(2)):
        with pytest.raises(NotCertified, match="is not checked for the condition"):
            CertifiedTable.of(FrequencySet.of(table), "s").sealed(REFUSALS, other, proof)


def test_records_that_are_equal_and_in_two_classes_are_not_certified():
    model = DistinctLDiversity(1)
    frame = pd.DataFrame({"x": [1, 1, 1], "s": list("aaa")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    made = verified(Partition.of(table, [[0, 1], [2]]), model, method="two", attributes=attributes_of(table))
    with pytest.raises(NotCertified, match="in two classes, which no strict cut does"):
        refused_cuts(made, model).certified()


def test_leaves_at_unequal_depth_are_not_certified():
    uneven = Hierarchy([["1", "low", "*"], ["2", "low", "*"], ["3", "*"]], ragged="keep", name="x")
    made = one_class(DistinctLDiversity(1), secrets="aaa", x=["1", "2", "2"], hierarchies={"x": uneven})
    with pytest.raises(NotCertified, match="unequal depth in the hierarchy of 'x'"):
        refused_cuts(made, DistinctLDiversity(1) & KAnonymity(3)).certified()
