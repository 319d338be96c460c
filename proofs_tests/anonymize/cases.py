"""What the tests of this room share: small random tables of every kind, and what each release owes."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from proofs_tests.strategies import hierarchies
from tcloseness.errors import TableWarning
from tcloseness.loss.names import loss_named
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.release import Anonymized, Attribute, Partition

NUMBERS = (-3, 0, 1, 2, Fraction(5, 2), 10)
LEAVES = ("v0", "v1", "v2", "v3")
NAMES = ("red", "green, dark", "{blue}", "grey")

SENSITIVE = tuple(range(4))

SEED = 20060912

MODELS = (
    KAnonymity(1),
    KAnonymity(2),
    KAnonymity(3),
    DistinctLDiversity(2),
    EntropyLDiversity("3/2"),
    FrequencyLDiversity(2),
    RecursiveCLDiversity(2, c=2),
    TCloseness("1/4", ground="ordered"),
    TCloseness("1/3", ground="equal"),
    KAnonymity(2) & TCloseness("1/5", ground="ordered-by-value"),
    PSensitiveKAnonymity(p=2, k=3),
)
"""All monotone under generalization, with thresholds that small tables meet and miss."""

models = st.sampled_from(MODELS)


@dataclass(frozen=True)
class Case:
    """A table of rows, with a sensitive value in 0 … 3 last, and the hierarchies of some quasi-identifiers."""

    names: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    hierarchies: Mapping[str, Hierarchy]

    @cached_property
    def frame(self) -> pd.DataFrame:
        columns = zip(*self.rows, strict=True)
        return pd.DataFrame({n: pd.Series(c, dtype=object) for n, c in zip((*self.names, "s"), columns, strict=True)})

    @cached_property
    def table(self) -> Microdata:
        return read(self.frame, self.names)

    def permuted(self, order: Sequence[int]) -> Case:
        return Case(self.names, [self.rows[i] for i in order], self.hierarchies)


def read(frame: pd.DataFrame, names: Sequence[str], **options: Any) -> Microdata:
    domains = {"s": SENSITIVE}
    return Microdata.from_frame(frame, quasi_identifiers=list(names), sensitive="s", domains=domains, **options)


@cache
def _some(kinds: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(kinds), min_size=1, max_size=3)


CELLS = {"numeric": NUMBERS, "hierarchical": LEAVES, "categorical": NAMES}
POOLS = {kind: st.lists(st.sampled_from(cells), min_size=1, max_size=4) for kind, cells in CELLS.items()}


@st.composite
def cases(
    draw: st.DrawFn, *, kinds: Sequence[str] = ("numeric", "hierarchical", "categorical"), max_rows: int = 12
) -> Case:
    """One to three quasi-identifiers of any kind, constant ones too; copies of a row are common."""
    chosen = draw(_some(tuple(kinds)))
    names = tuple(f"{kind[0]}{i}" for i, kind in enumerate(chosen))
    given = {n: draw(hierarchies(values=LEAVES)) for n, kind in zip(names, chosen, strict=True) if kind[0] == "h"}
    pools = [draw(POOLS[kind]) for kind in chosen]
    row = st.tuples(*(st.sampled_from(pool) for pool in pools), st.integers(0, 3))
    distinct = draw(st.lists(row, min_size=1, max_size=max_rows))
    copies = draw(st.lists(st.sampled_from(distinct), max_size=max_rows - len(distinct)))
    return Case(names, distinct + copies, given)


@st.composite
def cases_with_partitions(draw: st.DrawFn, *, suppress: bool = True) -> tuple[Case, Partition]:
    """A table and any partition of its records; with `suppress`, some records may be suppressed, never all."""
    case = draw(cases())
    n = len(case.rows)
    numbers = draw(
        st.lists(st.integers(-1 if suppress else 0, 4), min_size=n, max_size=n).filter(lambda x: max(x) >= 0)
    )
    _, dense = np.unique([g for g in numbers if g >= 0], return_inverse=True)
    class_of = np.full(n, -1, dtype=np.int64)
    class_of[np.array(numbers) >= 0] = dense
    return case, Partition(case.table, class_of)


def lowest_common_label(hierarchy: Hierarchy, values: Sequence[Hashable]) -> tuple[Hashable, int]:
    """By hand: walk up the first value's path until every value's path ends in the same nodes; (label, level)."""
    paths = {path[0]: path for path in hierarchy.paths}
    mine = paths[values[0]]
    for level in range(len(mine)):
        if all(paths[v][level:] == mine[level:] for v in values):
            return mine[level], level
    raise AssertionError


def covers(case: Case, name: str, text: str, values: Sequence[Any]) -> bool:
    """Say whether a class's label stands for its values, and for nothing less general: by the text alone."""
    if name[0] == "h":
        return text == str(lowest_common_label(case.hierarchies[name], values)[0])
    distinct = sorted(set(values), key=NUMBERS.index if name[0] == "n" else NAMES.index)
    if len(distinct) == 1:
        return text == str(distinct[0])
    if name[0] == "n":
        low, high = (str(x) for x in (min(distinct), max(distinct)))
        return text == (f"[{low}, {high}]" if low[0] == "-" else f"{low}-{high}")
    written = {"red": "red", "green, dark": "'green, dark'", "{blue}": "'{blue}'", "grey": "grey"}
    ordered = sorted(distinct)
    return text == "{" + ", ".join(written[v] for v in ordered) + "}"


def assert_release_holds(case: Case, found: Anonymized, model: Any, *, tight: bool = True) -> None:
    """What every method owes: each record once, tight labels, and a model that holds on the table as it is written."""
    class_of = found.partition.class_of
    assert len(class_of) == len(case.rows)
    assert sorted(set(class_of.tolist()) - {-1}) == list(range(len(found.partition)))
    frame = found.frame(order="input")
    assert list(frame.columns) == [*case.names, "s"]
    assert frame["s"].tolist() == [row[-1] for row in case.rows]
    assert Counter(found.frame().itertuples(index=False, name=None)) == Counter(
        frame.itertuples(index=False, name=None)
    )
    if tight:
        for group in found.partition.groups:
            for place, name in enumerate(case.names):
                texts = {frame[name][int(i)] for i in group}
                assert len(texts) == 1
                assert covers(case, name, texts.pop(), [case.rows[int(i)][place] for i in group])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)  # a class may be labelled * throughout without being suppressed
        back = FrequencySet.of(read(frame, case.names, suppressed=found.rows.marker))
    classes = back.class_counts(reference="all")
    assert len(classes) == len(found.partition)
    assert classes.suppressed == found.partition.suppressed
    assert model.evaluate(classes).status == "satisfied" == found.verdict.status


def as_sets(partition: Partition, rows: Sequence[Any]) -> list[list[Any]]:
    """The classes as sorted lists of rows, in order: what does not depend on the order of the records."""
    return sorted(sorted(str(rows[int(i)]) for i in group) for group in partition.groups)


def costs_of(name: str, table: Microdata, attributes: Sequence[Attribute], *, k: int | None = None) -> ClassCosts:
    """Return what classes of a table cost by the loss of a short name."""
    return ClassCosts(loss_named(name, k=k, classes=True), table, tuple(attributes))


def penalty_of(name: str, attribute: Attribute, codes: Any) -> Fraction:
    """Return what a record of one class costs for an attribute, by the loss of a short name."""
    cost = loss_named(name, classes=True).class_cost  # type: ignore[attr-defined]
    found = cost.of_labels(attribute, np.asarray(codes), np.zeros(1, dtype=np.int64))
    return Fraction(int(found[0]), cost.unit(attribute))
