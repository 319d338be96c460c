"""One border: what roles make of combinations is what they make of rows, with the same words; errors count rows."""

from __future__ import annotations

import re
import warnings
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from tcloseness import FrequencySet
from tcloseness.errors import InputError

CELLS = {
    "a": ["*", "1", "01", "x", None],
    "b": [1.0, 2.5, -0.0, float("nan"), None],
    "c": ["*", "b", "B ", "b"],
    "s": ["u", "U", "v", None],
    "w": ["1", "2", "3.0"],
    "bad": ["1", "0", "1.5", None],
    "who": [1, 2, 3, 4, None],
    "name": ["n1", "n2", "n3", "n4", "n5", "n6", "n7", None],
}
"""By column, cells of all kinds; a row that is drawn is repeated, so that a combination stands for several."""

KINDS = {"b": pa.float64(), "who": pa.int64()}


def table_of(drawn: Random) -> list[dict[str, Any]]:
    rows = []
    for _ in range(drawn.randint(1, 9)):
        complete = drawn.random() < 0.6
        row = {name: drawn.choice([c for c in cells if not complete or c is not None]) for name, cells in CELLS.items()}
        rows += [row] * drawn.choice([1, 1, 2, 5])
    for number, row in enumerate(rows):
        if drawn.random() < 0.9 and number == 0:
            row["name"] = "first"
    return [{**row, "id": number, "patient": number // 2} for number, row in enumerate(rows)]


def roles_of(drawn: Random) -> dict[str, Any]:
    roles: dict[str, Any] = {
        "quasi_identifiers": drawn.choice([["a", "b"], ["a", "c"], ["c"], ["c", "id"], []]),
        "sensitive": drawn.choice(["s", ["s", "name"]]),
        "missing": drawn.choice(["error", "category", "category", "drop", "drop"]),
        "suppressed": drawn.choice([None, "*", "*", 1]),
    }
    roles |= drawn.choice([{}, {}, {"weight": "w"}, {"weight": "bad"}, {"person": "who"}, {"person": "patient"}])
    roles |= drawn.choice([{}, {}, {"merge_spellings": "s"}, {"orders": {"s": ["v", "u", "U", "(missing)"]}}])
    return roles


def outcome(make: Any) -> tuple[Any, ...]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = make()
        except InputError as error:
            said = re.sub(r", first row \d+", "", str(error))
            said = re.sub(r", row \d+ holds (.*?); a weight", r" holds …; a weight", said)
            return (
                "refused",
                type(error).__name__,
                re.sub(r" holds .*? in [\d,]+ row\(s\); a weight", " holds …; a weight", said),
            )
    names = (*found.quasi_identifiers, *found.sensitive)
    return (
        {name: (found.domains[name], [type(v) for v in found.domains[name].values]) for name in names},
        {name: found.codes[name].tolist() for name in names},
        [type(found.codes[name].dtype.type(0)).__name__ for name in names],
        found.counts.tolist(),
        found.suppressed.tolist(),
        found.dropped,
        None if found.rows is None else found.rows.tolist(),
        found.persons is None,
        [found.class_counts(name).class_sizes.tolist() for name in found.sensitive],
        dict(found.conventions),
        found.digest,
        sorted(str(each.message) for each in caught),
    )


@pytest.mark.parametrize("tables", [15, pytest.param(300, marks=pytest.mark.slow)])
def test_combinations_become_what_rows_become_with_the_same_words(tables: int) -> None:
    seen: dict[str, int] = {}
    for seed in range(tables):
        drawn = Random(seed)
        rows, roles = table_of(drawn), roles_of(drawn)
        names = list(rows[0])
        frame = pd.DataFrame({name: pd.Series([row[name] for row in rows], dtype=object) for name in names})
        arrow = pa.table({name: pa.array([row[name] for row in rows], KINDS.get(name)) for name in names})
        want = outcome(lambda frame=frame, roles=roles: FrequencySet.from_frame(frame, **roles))
        found = outcome(lambda arrow=arrow, roles=roles: FrequencySet.read(arrow, **roles))
        assert found == want, (seed, roles)
        words = [want[2]] if want[0] == "refused" else [*want[-1], "read", *(["weighted"] if want[6] else [])]
        for word in words:
            key = re.sub(r"'[^']*'|[\d,]+", "…", word)[:30]
            seen[key] = seen.get(key, 0) + 1
    assert seen["read"] > tables // 4
    assert len(seen) > 4, seen


def test_errors_and_warnings_count_rows_and_not_combinations() -> None:
    rows = {"q": ["a", None] * 50, "s": ["x", "y"] * 50, "w": ["1", "no"] * 50, "person id": [1, 2] * 50}
    table = pa.table(rows)
    with pytest.raises(InputError, match=r"column 'q' has 50 row\(s\) with a missing value; say what"):
        FrequencySet.read(table, quasi_identifiers="q", sensitive="s", identifying="person id")
    with pytest.raises(InputError, match=r"weight column 'w' holds 'no' in 50 row\(s\); a weight"):
        FrequencySet.read(
            table, quasi_identifiers="q", sensitive="s", weight="w", missing="category", identifying="person id"
        )
    with pytest.warns(UserWarning, match=r"names persons, and 100 rows have 2 values of it"):
        FrequencySet.read(table, quasi_identifiers="q", sensitive="s", missing="category")
    dropped = FrequencySet.read(table, quasi_identifiers="q", sensitive="s", missing="drop", identifying="person id")
    assert dropped.dropped == 50
    big = pa.table({"q": ["a"] * 3, "s": ["x"] * 3, "w": [2**62] * 3})
    with pytest.raises(InputError, match="sums to more than 2⁶³ − 1 records"):
        FrequencySet.read(big, quasi_identifiers="q", sensitive="s", weight="w")


def test_a_column_without_a_role_is_counted_wholly_only_where_its_first_rows_differ() -> None:
    from tcloseness.microdata.sources import combinations

    size = 10_050
    late = [*range(10_000), *range(50)]  # it repeats a value behind the rows that are looked at first
    table = pa.table({"q": ["a"] * size, "s": ["x"] * size, "late": late, "n": range(size), "k": [7] * size})
    found = combinations(table, {"q": "quasi-identifier", "s": "sensitive"})
    assert found.distinct == {"late": (10_000, 0), "n": (size, 0)}
    with pytest.warns(UserWarning, match="column 'n' .no role. has a different value in each of the 10,050 rows"):
        FrequencySet.read(table, quasi_identifiers="q", sensitive="s")


def test_a_person_whose_rows_are_alike_is_one_person_still() -> None:
    table = pa.table({"who": [1, 1, 2], "q": ["a", "a", "b"], "s": ["x", "x", "y"]})
    for source in (table, table.to_pandas()):
        found = FrequencySet.read(source, quasi_identifiers="q", sensitive="s", person="who")
        assert found.persons is not None
        assert found.class_counts().class_sizes.tolist() == [1, 1]
        assert "sizes and values count persons" in found.conventions["persons"]


def test_a_column_with_one_missing_cell_may_name_persons_too_and_with_two_it_does_not() -> None:
    roles = {"quasi_identifiers": "q", "sensitive": "s"}
    for cells, told in (([None, 1, 2, 3], True), ([None, None, 1, 2], False), ([0, 1, 2, 3], True)):
        table = pa.table({"q": ["a"] * 4, "s": ["x", "y"] * 2, "n": cells})
        for source in (table, table.to_pandas()):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                FrequencySet.read(source, **roles)
            assert any("column 'n' (no role) has a different value" in str(each.message) for each in caught) == told
