"""An audit says the same of a table whether it is large or small: only what is kept, and in which steps, differs."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tracemalloc
from collections import Counter
from dataclasses import replace
from unittest import mock

import numpy as np
import pandas as pd
import pytest

from tcloseness import audit, check
from tcloseness.exact import Filtered, MeasuredAgain, Rationals
from tcloseness.measures import EMD, distributions
from tcloseness.measures.distributions import Profiles, alike
from tcloseness.microdata import ClassCounts, Domain, FrequencySet, Hierarchy, canonical, classes as class_counts
from tcloseness.models import AlphaKAnonymity, KAnonymity
from tcloseness.models.large_tables import without_values
from tcloseness.transport import batched

THRESHOLDS = {"k": 2, "t": "1/4", "entropy_l": "3/2", "recursive": (3, 2), "beta": 2, "delta": 3, "alpha": "1/2"}


def random_table(draw: np.random.Generator) -> FrequencySet:
    """Few or many classes, of which many are alike; now and then with weights or with suppressed records."""
    rows, kinds, values = (int(draw.integers(1, most)) for most in (60, 30, 9))
    frame = pd.DataFrame({"q": draw.integers(0, kinds, rows), "s": draw.integers(0, values, rows)}).astype(str)
    roles: dict[str, str] = {}
    if draw.random() < 0.3:
        frame["w"] = draw.integers(1, 4, rows)
        roles["weight"] = "w"
    if draw.random() < 0.3 and frame["q"].nunique() > 1:
        frame["q"] = frame["q"].replace("0", "*")
        roles["suppressed"] = "*"
    if (frame["q"] == "*").all():
        frame.loc[0, "q"] = "1"
    return FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", **roles)


def grounds(table: FrequencySet) -> list[object]:
    values = table.domains["s"].values
    tree = Hierarchy([(v, "even" if int(v) % 2 == 0 else "odd", "*") for v in values])
    return ["ordered", "equal", tree]


@pytest.mark.parametrize(("cells", "places", "numpy_cells"), [(1, 0, 0), (2, 2, 0), (7, 10**9, 0), (3, 0, 2**21)])
def test_an_audit_of_a_large_table_says_what_that_of_a_small_one_says(cells, places, numpy_cells):
    """All steps at sizes where each table is a large one: in parts, sparse or dense, without the values of classes."""
    draw = np.random.default_rng(cells)
    for turn in range(6):
        table = random_table(draw)
        ground = grounds(table)[turn % 3]
        asked = {"ground": {"s": ground}, "models": [AlphaKAnonymity("1/2", k=2)], **THRESHOLDS}
        usual = check(table, **asked)
        with (
            mock.patch.object(class_counts, "_CELLS_AT_ONCE", cells),
            mock.patch.multiple(batched, _DENSE_PLACES=places, _NUMPY_CELLS=numpy_cells),
            mock.patch.object(audit, "_KEPT_CLASSES", 0),
        ):
            found = check(table, **asked)
            assert found.to_dict(worst=5) == usual.to_dict(worst=5)
            same_values(found.attributes[0].results, usual.attributes[0].results)


def same_values(found, usual):
    for mine, other in zip(found, usual, strict=True):
        assert isinstance(mine.values, MeasuredAgain)
        assert isinstance(other.values, Rationals | Filtered)
        assert len(mine.values) == len(other.values)
        assert mine.values[0] == other.values[0]
        assert mine.values.floats().tolist() == other.values.floats().tolist()
        assert mine.worst.tolist() == other.worst.tolist()
        same_values(mine.parts, other.parts)


def test_the_matrix_is_made_up_to_eight_places_a_cell():
    """Two classes of 16 values have 32 places, and with four cells eight a cell; three classes and five cells more."""
    starts, values, counts = [0, 2, 4, 5], [0, 3, 1, 15, 2], [1, 2, 3, 4, 5]
    reference = np.arange(1, 17)
    for classes, made in ((2, True), (3, False)):
        last = starts[classes]
        parts = starts[: classes + 1], values[:last], counts[:last]
        cells = ClassCounts.from_cells(Domain.declare(range(16)), *parts, reference=reference)
        with mock.patch.object(batched, "_NUMPY_CELLS", 0):
            assert batched._is_dense(cells) == made
            sparse = replace(cells, **dict(zip(("starts", "values", "counts"), map(np.array, parts), strict=True)))
        assert batched._is_dense(cells)  # a small one costs nothing
        for ground in ("ordered", "equal"):
            with mock.patch.multiple(batched, _DENSE_VALUES=0):
                wanted = EMD(ground).over(cells.domain).per_class(sparse).numerators.tolist()
            assert EMD(ground).over(cells.domain).per_class(cells).numerators.tolist() == wanted


def test_parts_are_the_classes_in_their_order():
    draw = np.random.default_rng(5)
    for _ in range(50):
        classes = random_table(draw).class_counts()
        for cells in (1, 2, 5, 100):
            with mock.patch.object(class_counts, "_CELLS_AT_ONCE", cells):
                parts = list(classes.in_parts())
                assert next(classes.in_parts(10**6)) is classes
            rows = [part.row(g) for part in parts for g in range(len(part))]
            assert rows == [classes.row(g) for g in range(len(classes))]
            assert all((part.reference == classes.reference).all() for part in parts)
            longest = int(np.diff(classes.starts).max())
            assert all(len(part.counts) < cells + longest for part in parts)


@pytest.mark.parametrize("odd", [None, 0])
def test_classes_that_are_called_alike_have_equal_cells(odd, monkeypatch):
    """Also where the sums that find them tell nothing apart: with a factor 0 all are equal."""
    if odd is not None:
        monkeypatch.setattr(distributions, "_ODD", np.uint64(odd))
    draw = np.random.default_rng(8)
    for _ in range(50):
        classes = random_table(draw).class_counts()
        chosen = np.flatnonzero(draw.random(len(classes)) < 0.8)
        numbers = alike(classes, chosen, lambda cells, of=classes: (of.counts[cells], of.values[cells])).tolist()
        rows = [tuple(classes.row(int(g)).items()) for g in chosen]
        for a, mine in zip(numbers, rows, strict=True):
            for b, other in zip(numbers, rows, strict=True):
                assert a != b or mine == other
                assert odd == 0 or (a == b) == (mine == other)
        profiles = Profiles(classes)
        keys = {}
        for number, g in zip(profiles.alike(chosen).tolist(), chosen.tolist(), strict=True):
            assert keys.setdefault(number, profiles.key(g)) == profiles.key(g)


def test_equal_indices_are_kept_once():
    classes = ClassCounts.from_matrix(np.ones((2, 9), dtype=int))
    kept: list = []
    one, other = (
        without_values(KAnonymity(k).evaluate(classes), lambda k=k: KAnonymity(k).evaluate(classes), kept)
        for k in (3, 4)
    )
    assert one.worst is other.worst is one.violating
    assert other.violating.tolist() == list(range(9))
    assert len(kept) == 1


def distinct_table(rows: int) -> FrequencySet:
    """Each row is a combination and a class of its own; 147 sensitive values."""
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"q": draw.permutation(rows), "s": draw.integers(0, 147, rows)})
    return FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s")


BYTES = 300
"""What an audit takes at most for each class of one record, at its peak and beside the table; a matrix alone would take
8 · 147 = 1,176."""


def test_the_memory_of_an_audit_grows_with_the_combinations():
    table = distinct_table(rows := 2 * audit._KEPT_CLASSES)
    check(distinct_table(100), ground={"s": "ordered"}, t="0.2", k=5)
    tracemalloc.start()
    try:
        found = check(table, ground={"s": "ordered"}, t="0.2", k=5)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.classes == rows
    assert peak <= BYTES * rows, f"{peak / rows:.0f} bytes a combination"
    assert held <= BYTES / 2 * rows, f"{held / rows:.0f} bytes a combination are kept"


_PEAK = """
from pathlib import Path
from proofs_tests.models.test_large_tables import check, distinct_table
def peak():  # what getrusage says includes the process that started this one
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
table = distinct_table({rows})
check(distinct_table(100), ground={{"s": "ordered"}}, t="0.2", k=5)
before = peak()
check(table, ground={{"s": "ordered"}}, t="0.2", k=5)
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of a process is asked of Linux")
def test_the_memory_of_a_process_grows_by_no_more():
    rows = 1_000_000
    done = subprocess.run(
        [sys.executable, "-c", _PEAK.format(rows=rows)], check=True, capture_output=True, text=True, timeout=300
    )
    assert int(done.stdout) <= BYTES * rows


def by_definition(table: FrequencySet) -> str:
    """The digest as it is defined: a line for each combination with its records, sorted."""
    columns = (*table.quasi_identifiers, *table.sensitive)
    records: Counter[tuple[str, ...]] = Counter()
    for place, number in enumerate(table.counts.tolist()):
        values = (table.domains[name].value(table.codes[name][place]) for name in columns)
        records[tuple(json.dumps(canonical.canonical_value(value)) for value in values)] += number
    lines = ["[" + ",".join([*cells, str(number)]) + "]" for cells, number in sorted(records.items())]
    head = json.dumps(["tcloseness-counts-1", *columns], separators=(",", ":"))
    return hashlib.sha256("".join(f"{line}\n" for line in (head, *lines)).encode()).hexdigest()


@pytest.mark.parametrize("widest", [2_000, 0])
@pytest.mark.parametrize("largest", [2**63 - 1, 0])
@pytest.mark.parametrize("block", [1, 200, 2**22])
def test_the_digest_of_a_large_table_is_that_of_its_definition(block, largest, widest):
    """In blocks of one line, of some and of all, by one sort or by grouping, side by side or line by line."""
    draw = np.random.default_rng(block)
    with mock.patch.multiple(canonical, _BLOCK=block, INT64_MAX=largest, _WIDEST=widest):
        for _ in range(8):
            table = random_table(draw)
            assert replace(table).digest == by_definition(table)
