"""Dask: its partitions are counted as pandas frames, and what it may have changed before is refused."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from proofs_tests.microdata.sources.routes import described
from proofs_tests.microdata.sources.test_routes import read
from tcloseness import FrequencySet
from tcloseness.errors import InputError, TableError, TableWarning
from tcloseness.microdata.sources.dask import takes

dask = pytest.importorskip("dask")
pytestmark = pytest.mark.slow  # it takes a second to load

BIG = 2**53
FRAME = pd.DataFrame(
    {
        "q": pd.Series([1, "1", True, 1.0, None, 1], dtype=object),
        "n": pd.array([BIG, None, BIG + 1, BIG, BIG, BIG], dtype="Int64"),
        "s": pd.Categorical(list("abcaba")),
        "l": [[1]] * 6,
    }
)


def kept(frame: pd.DataFrame, partitions: int = 3) -> Any:
    from dask import dataframe

    with dask.config.set({"dataframe.convert-string": False}):
        return dataframe.from_pandas(frame, npartitions=partitions, sort=False)


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
@pytest.mark.parametrize("partitions", [1, 2, 3, 6])
def test_objects_stay_what_they_are_over_partitions(partitions: int) -> None:
    roles: dict[str, Any] = {"quasi_identifiers": ["q", "n"], "sensitive": "s", "missing": "category"}
    assert takes(kept(FRAME))
    assert described(FrequencySet.read(kept(FRAME, partitions), **roles)) == described(
        FrequencySet.from_frame(FRAME, **roles)
    )


def test_dask_is_not_believed_where_it_may_have_made_texts_of_objects() -> None:
    from dask import dataframe as frames

    frame = pd.DataFrame({"q": pd.Series([1, "1", True], dtype=object), "s": ["x", "y", "z"], "n": [1, 2, 3]})
    converted = frames.from_pandas(frame, npartitions=1)
    assert converted["q"].compute().tolist() == ["1", "1", "True"]
    with dask.config.set({"dataframe.convert-string": False}):
        with pytest.raises(TableError, match=r"column 'q'.*convert-string"):
            read(converted)  # what it was made under counts, not what holds now
        kept = frames.from_pandas(frame, npartitions=1)
    with pytest.warns(TableWarning, match="look the same"):
        assert len(read(kept).domains["q"]) == 3


def test_what_cannot_be_counted_is_refused_by_its_name() -> None:
    for source, roles, says in [
        (kept(FRAME), {"quasi_identifiers": "l"}, "column 'l' holds a cell that cannot be a value"),
        (kept(FRAME), {"quasi_identifiers": "m"}, "no column 'm'"),
        (kept(FRAME.set_axis(["q", "q", "s", "l"], axis=1)), {}, "2 columns named 'q'"),
        (kept(FRAME.iloc[:0], 1), {}, "no records"),
        (
            kept(FRAME).map_partitions(lambda part: part.assign(q=part["n"].map(int)), meta=FRAME),
            {},
            "Dask stopped with",
        ),
    ]:
        with pytest.raises(TableError, match=says):
            read(source, **roles)
    with pytest.raises(InputError, match="threads=2 cannot apply"):
        read(kept(FRAME), threads=2)


@pytest.mark.filterwarnings("ignore:.*look the same:tcloseness.errors.TableWarning")
def test_a_column_that_looks_like_an_identifier_is_told_of() -> None:
    with pytest.warns(TableWarning, match=r"column 'z' .*different value in each of the 6 rows"):
        read(kept(FRAME.assign(z=range(6))))
    with pytest.warns(TableWarning, match=r"'patient' .*6 rows have 2 values"):
        read(kept(FRAME.assign(patient=list("ababab"))))


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_texts_that_mean_missing_are_missing() -> None:
    frame = pd.DataFrame({"q": pd.Series(["a", "?", "?"], dtype=object), "s": ["x", "y", "z"]})
    assert read(kept(frame), missing_texts=["?"], missing="drop").dropped == 2
