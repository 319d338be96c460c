"""The anonymized table: what is published is what is judged."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from hypothesis import given

from proofs_tests.anonymize.cases import assert_release_holds, cases_with_partitions
from proofs_tests.effort import effort
from tcloseness.errors import InputError, NotReached, ProtocolError, TableError
from tcloseness.microdata import FrequencySet, Microdata, read_table
from tcloseness.models import DistinctLDiversity, KAnonymity, NTCloseness, TCloseness
from tcloseness.release import Partition, attributes_of
from tcloseness.release.anonymized import verified


def published(case, partition, model):
    return verified(partition, model, method="by hand", attributes=attributes_of(case.table, case.hierarchies))


@effort(1 / 2)
@given(cases_with_partitions())
def test_any_partition_is_published_as_its_classes_with_equal_labels_merged(drawn):
    """With k = 1 every partition may be published; its frame reads back as exactly the published classes."""
    case, partition = drawn
    found = published(case, partition, KAnonymity(1))
    assert_release_holds(case, found, KAnonymity(1))
    assert len(found.partition) <= len(partition)
    target = {}
    for before, after in zip(partition.class_of.tolist(), found.partition.class_of.tolist(), strict=True):
        assert target.setdefault(before, after) == after  # a class never splits
        assert (before == -1) == (after == -1)


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")  # a class may be labelled * throughout
@effort(1 / 2)
@given(cases_with_partitions())
def test_the_written_file_reads_back_as_the_classes(drawn):
    case, partition = drawn
    found = published(case, partition, KAnonymity(1))
    frame = read_table(io.BytesIO(found.rows.to_csv().encode()))
    back = FrequencySet.from_frame(
        frame,
        quasi_identifiers=list(case.names),
        sensitive="s",
        suppressed=found.rows.marker,
        domains={"s": "0123"},
    ).class_counts(reference="all")
    mine = found.class_counts
    assert sorted((back.label(i), back.vector(i)) for i in range(len(back))) == sorted(
        (mine.label(i), mine.vector(i)) for i in range(len(mine))
    )


FRAME = pd.DataFrame({"age": [1, 3, 1, 3, 2], "s": list("xxyyx")})
TABLE = Microdata.from_frame(FRAME, quasi_identifiers="age", sensitive="s")


def test_two_classes_with_equal_labels_are_judged_as_the_one_that_is_published():
    """Apart they hold one value each, and whoever reads the file sees four records 1-3 with two values."""
    partition = Partition.of(TABLE, [[0, 1], [2, 3]])
    found = verified(partition, DistinctLDiversity(2), method="m", attributes=attributes_of(TABLE))
    assert (len(found.grouped), len(found.partition)) == (2, 1)
    assert found.frame(order="input")["age"].tolist() == ["1-3", "1-3", "1-3", "1-3", "*"]
    assert found.frame().to_dict("list") == {"age": [*["1-3"] * 4, "*"], "s": list("xxyyx")}
    assert found.frame(suppressed="left out").to_dict("list") == {"age": ["1-3"] * 4, "s": list("xxyy")}
    record = found.to_dict()
    assert (record["classes"], record["classes_before_equal_labels_were_merged"]) == (1, 2)
    assert (record["records"], record["suppressed_records"], record["smallest_class"]) == (5, 1, 4)
    assert record["verdict"]["status"] == "satisfied"


def test_classes_are_numbered_by_their_labels_not_as_they_were_made():
    """And 10 comes after 9: the numbers say nothing that the labels do not."""
    table = Microdata.from_frame(pd.DataFrame({"age": [10, 9, 1], "s": list("xyx")}), quasi_identifiers="age",
                                 sensitive="s")  # fmt: skip
    for groups in ([[0], [1], [2]], [[1], [2], [0]]):
        found = verified(Partition.of(table, groups), KAnonymity(1), method="m", attributes=attributes_of(table))
        assert found.labels == (("1",), ("9",), ("10",))
        assert found.partition.class_of.tolist() == [2, 1, 0]


def test_q_is_that_of_all_records_suppressed_ones_too():
    """The class has x, y half and half; Q of all five is 3/5, 2/5: distance 1/10, and 0 among the released ones."""
    partition = Partition.of(TABLE, [[0, 1, 2, 3]])
    attributes = attributes_of(TABLE)
    assert verified(partition, TCloseness("1/10", ground="equal"), method="m", attributes=attributes).verdict.satisfied
    with pytest.raises(NotReached, match="t-closeness is violated"):
        verified(partition, TCloseness("1/11", ground="equal"), method="m", attributes=attributes)


def test_what_cannot_be_published_is_refused():
    attributes = attributes_of(TABLE)
    whole = Partition.of(TABLE, [range(5)])
    with pytest.raises(NotReached, match=r"k-anonymity is violated \(1 of 1 classes"):
        verified(whole, KAnonymity(6), method="m", attributes=attributes)
    with pytest.raises(InputError, match="no threshold"):
        verified(whole, KAnonymity(), method="m", attributes=attributes)
    with pytest.raises(ProtocolError, match="'k' is not a privacy model"):
        verified(whole, "k", method="m", attributes=attributes)
    with pytest.raises(TableError, match="every record is suppressed"):
        verified(Partition.of(TABLE, []), KAnonymity(1), method="m", attributes=attributes)
    with pytest.raises(InputError, match="'marked' or 'left out'"):
        verified(whole, KAnonymity(5), method="m", attributes=attributes).frame(suppressed="gone")
    with pytest.raises(InputError, match="'published' or 'input'"):
        verified(whole, KAnonymity(5), method="m", attributes=attributes).frame(order="any")
    assert verified(whole, NTCloseness(5, 0, ground="equal"), method="m", attributes=attributes).verdict.satisfied


def test_a_table_without_quasi_identifiers_is_one_class():
    table = Microdata.from_frame(FRAME[["s"]], quasi_identifiers=[], sensitive="s")
    found = verified(Partition.of(table, [[0, 1], [2, 3, 4]]), KAnonymity(5), method="m", attributes=())
    assert len(found.partition) == 1
    assert found.frame().columns.tolist() == ["s"]
    with pytest.raises(TableError, match="no cell"):
        verified(Partition.of(table, [[0, 1]]), KAnonymity(2), method="m", attributes=()).frame()
