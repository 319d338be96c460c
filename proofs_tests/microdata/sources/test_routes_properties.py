"""The law of sources: any table is the same frequency set by every way, or is refused by all of them.

Drawn are columns of all types with the cells that engines confuse, missing ones, weights, persons, markers, declared
orders and domains. pandas frames of Python objects are the reference. Warnings agree too: they count rows.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from proofs_tests.microdata.sources.routes import ROUTES, TEXT_ROUTES, described, objects
from proofs_tests.strategies import typed_tables
from tcloseness import FrequencySet, check
from tcloseness.errors import InputError

QUICK = [route for route in ROUTES if route not in ("Ibis", "Dask")]


def answer(found: FrequencySet) -> Any:
    """The answer of an audit; what is beside it says where the table was counted."""
    made = check(found, k=2, distinct_l=2).to_dict()
    assert made["digest"] == found.digest
    return json.dumps(made["answer"])


def outcome(make: Callable[[], FrequencySet]) -> tuple[Any, ...]:
    """What comes of a table: all that is known of it and its audit, or the kind of its refusal; and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = make()
        except InputError as error:
            return "refused", type(error)
        told = sorted(str(each.message) for each in caught)
        return described(found), answer(found), told


def by_route(route: Any, table: pa.Table, roles: dict[str, Any], texts: tuple[str, ...] | None = ()) -> tuple[Any, ...]:
    with tempfile.TemporaryDirectory() as folder:
        source = route(table, Path(folder))
        return outcome(lambda: FrequencySet.read(source, missing_texts=texts, **roles))


def reference(table: pa.Table, roles: dict[str, Any]) -> tuple[Any, ...]:
    return outcome(lambda: FrequencySet.from_frame(objects(table), **roles))


@pytest.mark.long
@settings(max_examples=15)
@given(typed_tables(), st.sampled_from(QUICK))
def test_a_table_is_the_same_by_a_way(drawn: tuple[pa.Table, dict[str, Any]], route: str) -> None:
    assert by_route(ROUTES[route], *drawn) == reference(*drawn)


@pytest.mark.slow
@settings(max_examples=400)
@given(typed_tables(), st.sampled_from(list(ROUTES)))
def test_a_table_is_the_same_by_any_way(drawn: tuple[pa.Table, dict[str, Any]], route: str) -> None:
    assert by_route(ROUTES[route], *drawn) == reference(*drawn)


@pytest.mark.slow
@settings(max_examples=100)
@given(typed_tables(kinds=["string"]), st.sampled_from(list(TEXT_ROUTES)))
def test_a_table_of_texts_is_the_same_from_files(drawn: tuple[pa.Table, dict[str, Any]], route: str) -> None:
    """But for those with a NUL, which every file is refused for."""
    table, roles = drawn
    columns = {name: table.column(name).cast(pa.string()).to_pylist() for name in table.column_names}
    cells = {name: [each and each.replace("\0", "~") for each in given] for name, given in columns.items()}
    texts = pa.table({name: pa.array(given, pa.string()) for name, given in cells.items()})
    read = pa.table({name: pa.array([each or None for each in given], pa.string()) for name, given in cells.items()})
    assert by_route(TEXT_ROUTES[route], texts, roles, None) == reference(read, roles)
