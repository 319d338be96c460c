"""`Release`: what it counts, which classes it numbers how, what it refuses; and the results' form."""

from __future__ import annotations

import json
from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given

from proofs_tests.anonymize.cases import Case as ClassCase, cases_with_partitions, lowest_common_label
from proofs_tests.loss.naive import Case, cases
from tcloseness.errors import ConventionError, HierarchyError, InputError, ProtocolError, TableError
from tcloseness.loss import (
    Ambiguity,
    AverageClassSize,
    AverageRisk,
    ClassificationMetric,
    CountQuery,
    Discernibility,
    GeneralizationHeight,
    GlobalCertaintyPenalty,
    KLUtility,
    Loss,
    LossMetric,
    MaximalRisk,
    NonUniformEntropy,
    NormalizedCertaintyPenalty,
    Precision,
    QueryError,
    losses,
    random_queries,
)
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.models import KAnonymity
from tcloseness.release import Partition, Release, attributes_of
from tcloseness.release.anonymized import verified

FRAME = pd.DataFrame({"town": ["a", "a", "b", "c"], "s": ["x", "y", "x", "x"], "t": [1, 2, 1, 1]})
TABLE = FrequencySet.from_frame(FRAME, quasi_identifiers="town", sensitive="s")
TREE = Hierarchy.from_groups([{"ab": ["a", "b"], "c": ["c"]}])
RELEASE = Release.full_domain(TABLE, {"town": TREE}, {"town": 1})
CLASSES = RELEASE.class_counts()


@given(cases())
def test_a_release_agrees_with_the_roll_up_of_its_original(case: Case) -> None:
    release, rolled = case.release, case.original.generalize(case.hierarchies, case.levels)
    assert sorted(release.sizes_before_suppression) == sorted(rolled.class_counts("job").class_sizes)
    assert sorted(release.class_sizes) == sorted(case.sizes())
    assert release.suppressed == len(case.lost_rows())
    assert release.records == len(case.rows)
    if len(release):
        counts = release.class_counts("job")
        assert counts.class_sizes.tolist() == release.class_sizes.tolist()
        assert counts.suppressed == release.suppressed
        for combination, g in enumerate(release.class_of.tolist()):
            if g >= 0:
                place = {name: codes[combination] for name, codes in release.original.codes.items()}
                values = [release.original.domains[n].values[place[n]] for n in ("town", "age")]
                assert counts.label(g) == case.cell((*values,))
    else:
        with pytest.raises(TableError, match="every record"):
            release.class_counts("job")


@given(cases(suppress=False))
def test_suppressing_the_violating_classes_of_a_model_satisfies_it(case: Case) -> None:
    release, model = case.release, KAnonymity(2)
    violating = model.evaluate(release.class_counts("job")).violating
    left = release.suppress(violating)
    assert left.suppressed == sum(n for n in release.class_sizes if n < 2)
    assert not len(left) or model.evaluate(left.class_counts("job")).satisfied
    assert release.suppressed == 0, "a release is never changed"


def test_an_original_with_suppressed_records_is_refused() -> None:
    frame = FRAME.replace("c", "*")
    starred = FrequencySet.from_frame(frame, quasi_identifiers="town", sensitive="s", suppressed="*")
    with pytest.raises(TableError, match=r"1 record\(s\) of the original"):
        Release.full_domain(starred)


def test_a_table_without_quasi_identifiers_has_one_class_and_no_cells() -> None:
    release = Release.full_domain(FrequencySet.from_frame(FRAME, quasi_identifiers=[], sensitive="s"))
    found = losses(release)
    assert found["discernibility"].value == 16
    assert found["KL utility"].value == 0
    assert "GCP" not in found
    for loss in (GlobalCertaintyPenalty(), LossMetric(), Precision()):
        with pytest.raises(TableError, match="has none"):
            loss.evaluate(release)


def test_losses_gives_what_the_inputs_allow() -> None:
    few = set(losses(CLASSES))
    assert few == {
        "discernibility",
        "average class size",
        "maximal re-identification risk",
        "average re-identification risk over records",
        "average re-identification risk over classes",
        "classification metric",
    }
    queries = random_queries(TABLE, 3, attributes=1, seed=1)
    many = losses(RELEASE, k=2, queries=queries)
    assert set(many) == few | {
        "C_AVG",
        "generalization height",
        "precision",
        "NCP",
        "GCP",
        "LM",
        "non-uniform entropy",
        "ambiguity",
        "KL utility",
        "query error",
    }
    two = FrequencySet.from_frame(FRAME, quasi_identifiers="town", sensitive=["s", "t"])
    assert "classification metric" not in losses(Release.full_domain(two))
    assert "classification metric" in losses(Release.full_domain(two), label="t")


def test_every_result_says_how_it_came_about() -> None:
    for name, result in losses(RELEASE, k=2, queries=[CountQuery({"town": ["a"]})]).items():
        record = json.loads(json.dumps(result.to_dict()))
        assert record["loss"] == name
        assert record["formula"]
        assert record["citation"]
        assert record["better"] == ("higher" if name == "precision" else "lower")
        assert record["conventions"]["suppressed records in the loss"]
        assert record["conventions"]["missing values"] == "error"
        assert len(record["range"]) == 2
        assert result.compare(result) == 0


def test_results_under_different_choices_are_not_compared() -> None:
    dm = Discernibility().evaluate(RELEASE)
    with pytest.raises(ConventionError, match="suppressed records in the loss"):
        dm.compare(Discernibility("one-class").evaluate(RELEASE))
    with pytest.raises(ConventionError, match="average class size"):
        dm.compare(AverageClassSize().evaluate(RELEASE))
    with pytest.raises(ConventionError, match="with k '2' and '3'"):
        AverageClassSize(k=2).evaluate(RELEASE).compare(AverageClassSize(k=3).evaluate(RELEASE))
    with pytest.raises(ConventionError, match="leaves of a label"):
        LossMetric().evaluate(RELEASE).compare(LossMetric(leaves="table").evaluate(RELEASE))


def test_the_reference_distribution_is_no_part_of_a_loss() -> None:
    uniform = CLASSES.with_uniform_reference()
    assert Discernibility().evaluate(CLASSES).compare(Discernibility().evaluate(uniform)) == 0


def test_every_loss_follows_the_protocol() -> None:
    kinds = [Discernibility, AverageClassSize, AverageRisk, MaximalRisk, ClassificationMetric, GeneralizationHeight]
    kinds += [Precision, NormalizedCertaintyPenalty, GlobalCertaintyPenalty, LossMetric, NonUniformEntropy]
    for kind in [*kinds, Ambiguity, KLUtility]:
        assert isinstance(kind(), Loss)


@pytest.mark.parametrize(
    "loss",
    [
        GeneralizationHeight(),
        Precision(),
        GlobalCertaintyPenalty(),
        NormalizedCertaintyPenalty(),
        LossMetric(),
        NonUniformEntropy(),
        Ambiguity(),
        KLUtility(),
        QueryError([CountQuery({})]),
    ],
    ids=lambda loss: loss.name,
)
def test_class_counts_are_not_enough_to_compare_with_the_original(loss: Loss) -> None:
    with pytest.raises(InputError, match="give a Release"):
        loss.evaluate(CLASSES)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Discernibility("squared"), InputError, "'squared'; it is one of 'whole-table'"),
        (lambda: AverageClassSize(k=0), InputError, "k = 0"),
        (lambda: AverageClassSize(k="3/2"), InputError, "whole number"),
        (lambda: AverageClassSize(suppressed="twice"), InputError, "'twice'"),
        (lambda: MaximalRisk("twice"), InputError, "'twice'"),
        (lambda: AverageRisk("rows"), InputError, "'rows'"),
        (lambda: AverageRisk(suppressed="x"), InputError, "'x'"),
        (lambda: ClassificationMetric(ties="none"), InputError, "'none'"),
        (lambda: ClassificationMetric(suppressed="x"), InputError, "'x'"),
        (lambda: ClassificationMetric(label="t").evaluate(CLASSES), InputError, "are of 's'"),
        (lambda: ClassificationMetric(label="t").evaluate(RELEASE), TableError, "not a sensitive attribute"),
        (lambda: Precision("x"), InputError, "'x'"),
        (lambda: GlobalCertaintyPenalty(leaves="x"), InputError, "'x'"),
        (lambda: GlobalCertaintyPenalty(extent="x"), InputError, "'x'"),
        (lambda: GlobalCertaintyPenalty(suppressed="x"), InputError, "'x'"),
        (
            lambda: GlobalCertaintyPenalty(numeric="age").evaluate(RELEASE),
            TableError,
            "'age' is not a quasi-identifier",
        ),
        (lambda: GlobalCertaintyPenalty(numeric="town").evaluate(RELEASE), InputError, "'a' is not one"),
        (lambda: GlobalCertaintyPenalty(weights={"age": 1}).evaluate(RELEASE), InputError, "'age'"),
        (lambda: GlobalCertaintyPenalty(weights={"town": -1}).evaluate(RELEASE), InputError, "≥ 0"),
        (lambda: GlobalCertaintyPenalty(weights={"town": 0}).evaluate(RELEASE), InputError, "weight 0"),
        (
            lambda: LossMetric(attributes="max"),
            InputError,
            "attributes of LossMetric is 'max'; it is one of 'mean', 'sum'",
        ),
        (lambda: NonUniformEntropy("x"), InputError, "'x'"),
        (lambda: Ambiguity(leaves="x"), InputError, "'x'"),
        (lambda: Ambiguity(suppressed="x"), InputError, "'x'"),
        (lambda: KLUtility(leaves="x"), InputError, "'x'"),
        (lambda: KLUtility(suppressed="x"), InputError, "'x'"),
        (lambda: QueryError([]), InputError, "give at least one CountQuery"),
        (lambda: QueryError("ab"), InputError, "'a', 'b'.*give at least one CountQuery"),
        (lambda: QueryError([CountQuery({})], sanity=0), InputError, "> 0"),
        (lambda: QueryError([CountQuery({})], average="max"), InputError, "'max'"),
        (lambda: QueryError([CountQuery({"age": [1]})]).evaluate(RELEASE), InputError, "asks for 'age'"),
        (lambda: QueryError([CountQuery({"town": ["z"]})]).evaluate(RELEASE), InputError, "'z'"),
        (lambda: QueryError([CountQuery({"s": ["z"]})]).evaluate(RELEASE), InputError, "'z'"),
        (lambda: CountQuery({"town": "abc"}), InputError, "list the admitted values"),
        (lambda: CountQuery({"town": 3}), InputError, "list the admitted values"),
        (lambda: random_queries(TABLE, 0, attributes=1, seed=1), InputError, "whole number"),
        (lambda: random_queries(TABLE, 1, attributes=2, seed=1), InputError, "has 1 quasi-identifiers"),
        (lambda: random_queries(TABLE, 1, attributes=1, selectivity=2, seed=1), InputError, "at most 1"),
        (lambda: random_queries(TABLE, 1, attributes=1, selectivity=0, seed=1), InputError, "> 0"),
        (lambda: Release.full_domain(TABLE, {}, {"town": 1}), TableError, "no hierarchy is given for 'town'"),
        (lambda: Release.full_domain(TABLE, {"age": TREE}), TableError, "'age' is not a quasi-identifier"),
        (lambda: Release.full_domain(TABLE, {"town": TREE}, {"town": 3}), HierarchyError, "levels 0 to 2"),
        (lambda: RELEASE.suppress([2]), TableError, "class 2 .* classes 0 to 1"),
        (lambda: RELEASE.suppress([-1]), TableError, "class -1"),
    ],
)
def test_wrong_input_is_refused_with_the_rule(call, error, words) -> None:
    with pytest.raises(error, match=words):
        call()


def test_the_conventions_have_registered_names() -> None:
    with pytest.raises(ProtocolError, match="leaf"):
        CLASSES.conventions.but({"leaf": "x"})


def test_huge_weights_stay_exact() -> None:
    """Two records of weight 2⁶⁰: discernibility 2 · 2¹²⁰, ambiguity 3 where the label has three leaves."""
    frame = pd.DataFrame({"q": ["a", "b"], "s": ["x", "x"], "w": [2**60, 2**60]})
    table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", weight="w")
    tree = Hierarchy([("a", "*"), ("b", "*"), ("c", "*")])
    assert Discernibility().evaluate(Release.full_domain(table)).value == 2**121
    release = Release.full_domain(table, {"q": tree}, {"q": 1})
    assert Discernibility().evaluate(release).value == 2**122
    assert Ambiguity().evaluate(release).value == 3
    assert isinstance(release.class_counts(), ClassCounts)


@pytest.mark.long
@given(cases_with_partitions(suppress=False))
def test_a_label_of_classes_stands_for_the_leaves_that_it_covers(case_of: tuple[ClassCase, Partition]) -> None:
    """A set for its values, an interval for the values between its ends, a node for the leaves below it."""
    case, partition = case_of
    attributes = attributes_of(case.table, case.hierarchies)
    release = verified(partition, KAnonymity(1), method="given", attributes=attributes).release
    for place, name in enumerate(case.names):
        recoding, expected = release.recodings[name], {}
        leaves = recoding.values.values if recoding.hierarchy is None else recoding.hierarchy.values
        for group in partition.groups:
            mine = [case.rows[i][place] for i in group.tolist()]
            if name[0] == "h":
                label, level = lowest_common_label(case.hierarchies[name], mine)
                below = {path[0] for path in case.hierarchies[name].paths if path[level] == label}
            else:
                below = (
                    {v for v in recoding.values.values if min(mine) <= v <= max(mine)} if name[0] == "n" else set(mine)
                )
            expected[frozenset(below)] = below
        found = [recoding.places[a:b].tolist() for a, b in pairwise(recoding.starts.tolist())]
        assert sorted(sorted(leaves[p] for p in each) for each in found) == sorted(map(sorted, expected.values()))
        assert recoding.leaf_counts("hierarchy").tolist() == list(map(len, found))
