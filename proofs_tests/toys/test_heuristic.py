"""A heuristic of the user's own: a function of a table and a model, whose partition the package publishes and verifies.

*Neighbours* puts records together in the order of their quasi-identifiers until each class satisfies the model; *pairs*
never asks the model; *thief* returns a partition of another table; *borrowed* hands on what `mdav` made for less.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

import tcloseness as tc
from proofs_tests.cli.commands import run
from tcloseness.errors import InputError, NotReached
from tcloseness.microdata import Microdata
from tcloseness.models import DistinctLDiversity, KAnonymity
from tcloseness.release import Partition

ROWS = [(21, "flu"), (23, "flu"), (25, "gout"), (31, "flu"), (34, "cold"), (35, "gout"), (47, "cold"), (52, "flu")]
SEEN = []


def neighbours(table, model):
    (column,) = table.quasi_identifiers
    order = sorted(range(len(table)), key=lambda i: column.domain.values[column.codes[i]])
    groups, rest = [], []
    for row in order:
        rest.append(row)
        if model.evaluate(Partition.of(table, [rest]).class_counts()).satisfied:
            groups.append(rest)
            rest = []
    return Partition.of(table, [*groups[:-1], [*groups[-1], *rest]] if groups else [rest])


def pairs(table, model, *, seed=None, time_limit=None):
    SEEN.append((seed, time_limit))
    return Partition.of(table, [range(i, min(i + 2, len(table))) for i in range(0, len(table), 2)])


def thief(table, model):
    return Partition.of(microdata(), [range(len(ROWS))])


def borrowed(table, model):
    return tc.mdav(table, KAnonymity(2))


class Neighbours:
    """The same as an object that can be called."""

    def __call__(self, table, model):
        return neighbours(table, model)


def frame():
    return pd.DataFrame(ROWS, columns=["age", "disease"])


def microdata():
    return Microdata.from_frame(frame(), quasi_identifiers="age", sensitive="disease")


def table():
    return tc.Table(frame(), quasi_identifiers="age", sensitive="disease", ground="equal")


def diverse(published, l):  # noqa: E741
    return all(len(set(group["disease"])) >= l for _, group in published.groupby("age"))


def test_what_it_finds_is_published_and_verified():
    found = table().anonymize(neighbours, distinct_l=2)
    assert found.method == "neighbours"
    assert found.verdict.satisfied
    assert diverse(found.frame(), 2)
    assert sorted(found.frame()["disease"]) == sorted(disease for _, disease in ROWS)
    assert table().anonymize(Neighbours(), distinct_l=2).frame().equals(found.frame())
    assert found.release.losses()


def test_what_does_not_satisfy_is_no_answer():
    with pytest.raises(NotReached, match="pairs ended at a table"):
        table().anonymize(pairs, distinct_l=2)
    assert table().anonymize(pairs, k=2).verdict.satisfied
    with pytest.raises(NotReached, match="borrowed ended at a table"):
        table().anonymize(borrowed, distinct_l=3)


def test_it_is_given_the_limits_and_the_seed_where_it_has_them():
    SEEN.clear()
    table().anonymize(pairs, k=2, seed=7, time_limit=60)
    ((seed, clock),) = SEEN
    assert seed == 7
    assert 0 < clock.left <= 60


@pytest.mark.parametrize("method", [thief, lambda table, model: [[0, 1]], lambda table, model: None])
def test_what_is_no_partition_of_the_table_is_refused_by_name(method):
    with pytest.raises(InputError, match="returns a Partition of the table that it is given"):
        table().anonymize(method, k=2)


# ---------------------------------------------------------------------- on the command line


@pytest.fixture(autouse=True)
def loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, Path(__file__).stem, raising=False)


@pytest.fixture
def file(tmp_path: Path) -> str:
    frame().to_csv(tmp_path / "table.csv", index=False)
    return str(tmp_path / "table.csv")


ROLES = ("--quasi-identifiers", "age", "--sensitive", "disease")


@pytest.mark.parametrize("name", ["neighbours", "Neighbours"])
def test_anonymize_takes_it_by_name_and_what_it_writes_satisfies(name, file, tmp_path):
    output = tmp_path / "out.csv"
    asked = ("anonymize", file, *ROLES, "--method", f"{__file__}:{name}", "--distinct-l", "2")
    found = run(*asked, "--output", str(output), "--format", "json")
    assert found.code == 0, found.err
    assert found.record["method"] == {"name": f"{Path(__file__).name}:{name}", "title": name}
    published = pd.read_csv(output, dtype=str)
    assert diverse(published, 2)
    assert Counter(published["disease"]) == Counter(disease for _, disease in ROWS)
    assert json.loads(output.with_suffix(".json").read_text("utf-8"))["method"] == found.record["method"]
    assert f"by {name}" in run(*asked).out


def test_on_the_command_line_too_it_does_not_have_the_last_word(file, tmp_path):
    output = tmp_path / "out.csv"
    asked = ("anonymize", file, *ROLES, "--output", str(output), "--distinct-l", "3", "--method")
    assert run(*asked, f"{__file__}:pairs").code == 3
    for given, message in [
        (f"{__file__}:thief", "returns a Partition of the table"),
        (f"{__file__}:ROWS", "not a function of a table and a model"),
        ("mondrain", "'mondrain' is not one of 'mondrian'"),
        ("no_such_module:f", "cannot be imported"),
    ]:
        refused = run(*asked, given)
        assert (refused.code, message in refused.err.replace("\n", " ")) == (2, True), refused.err
    assert not output.exists()


def test_the_model_has_the_last_word_whatever_the_method():
    assert DistinctLDiversity(2).evaluate(table().anonymize(neighbours, distinct_l=2).class_counts).satisfied
