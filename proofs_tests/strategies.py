"""The one home of all Hypothesis strategies: what the papers quantify over.

Everything is drawn exactly: probabilities are `Fraction`s and counts are Python ints, some of them past 2³¹
and 2⁵³, where 32-bit products and doubles give out. Nothing drawn here carries a missing or look-alike value
unless its arguments say so.

A strategy costs more to build than to draw from, so what is drawn in bulk is built once and kept (`cache`).
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random
from typing import Any, Literal

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from tcloseness.ground import Cuts, Equal, Hierarchical, Ordered, OrderedByValue
from tcloseness.microdata import ClassCounts, Domain, Hierarchy

Distribution = tuple[Fraction, ...]
Entries = list[list[Fraction]]

SMALL = 6
"""The greatest count of an ordinary class."""

HUGE = 2**55
"""The greatest count drawn: 64 cells of it stay below the 2⁶² records that `ClassCounts` holds."""


# ---------------------------------------------------------------------- numbers


@cache
def fractions(low: int = -5, high: int = 5, max_denominator: int = 10**9) -> st.SearchStrategy[Fraction]:
    """Rational numbers, most of them with a small denominator."""
    small = {Fraction(x, d) for d in range(1, min(12, max_denominator) + 1) for x in range(low * d, high * d + 1)}
    simplest_first = sorted(small, key=lambda x: (x.denominator, abs(x), x < 0))
    return st.one_of(st.sampled_from(simplest_first), st.fractions(low, high, max_denominator=max_denominator))


@cache
def positive_fractions(high: int = 3) -> st.SearchStrategy[Fraction]:
    """Rational numbers > 0, up to `high`: most of them with a small denominator."""
    denominators = (1, 2, 3, 4, 7, 12, 10**6 + 3)
    return st.one_of([st.integers(1, high * d).map(lambda x, d=d: Fraction(x, d)) for d in denominators])


@cache
def counts(at_least: int = 0, *, huge: bool = True) -> st.SearchStrategy[int]:
    """Whole numbers: small ones, and with `huge` some around and past 2³¹ and 2⁵³."""
    small = st.integers(at_least, SMALL)
    if not huge:
        return small
    return st.one_of(small, small, st.integers(2**31 - 2, 2**31 + 2), st.integers(2**53 - 2, HUGE))


@cache
def repeated(element: st.SearchStrategy[Any], times: int) -> st.SearchStrategy[tuple[Any, ...]]:
    """So many draws of one strategy."""
    return st.tuples(*[element] * times)


@cache
def _masses(m: int, *, huge: bool) -> st.SearchStrategy[tuple[int, ...]]:
    """So many counts, not all of them 0."""
    return repeated(counts(huge=huge), m).filter(any)


# ---------------------------------------------------------------------- distributions


@st.composite
def distributions(draw: st.DrawFn, m: int, *, huge: bool = True) -> Distribution:
    """A distribution over m values: zeros are common, denominators small or (with `huge`) past 2⁵³."""
    masses = draw(_masses(m, huge=huge and draw(st.booleans())))
    total = sum(masses)
    return tuple(Fraction(mass, total) for mass in masses)


@st.composite
def distribution_pairs(
    draw: st.DrawFn, min_m: int = 1, max_m: int = 7, *, huge: bool = True, supported: bool = False
) -> tuple[Distribution, Distribution]:
    """Two distributions (P, Q) over the same values; with `supported`, P is 0 where Q is 0, as in a table."""
    m = draw(st.integers(min_m, max_m))
    p = draw(distributions(m, huge=huge))
    q = draw(distributions(m, huge=huge))
    if supported:
        share = draw(st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(1, 1000)]))
        q = tuple(share * a + (1 - share) * b for a, b in zip(p, q, strict=True))
    return p, q


@st.composite
def distribution_triples(
    draw: st.DrawFn, min_m: int = 1, max_m: int = 6
) -> tuple[Distribution, Distribution, Distribution]:
    """Three distributions over the same m values."""
    m = draw(st.integers(min_m, max_m))
    return draw(distributions(m)), draw(distributions(m)), draw(distributions(m))


# ---------------------------------------------------------------------- classes


@st.composite
def counts_matrix(
    draw: st.DrawFn, *, max_values: int = 6, max_classes: int = 6, huge: bool = True, full: bool = False
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Counts of shape (m, classes), no class empty; with `full` every value occurs somewhere."""
    m, classes = draw(st.integers(1, max_values)), draw(st.integers(1, max_classes))
    cells = draw(repeated(counts(huge=huge and draw(st.booleans())), m * classes))
    matrix = np.array(cells, dtype=np.int64).reshape(m, classes)
    matrix[0, ~matrix.any(axis=0)] = 1
    if full:
        matrix[~matrix.any(axis=1), 0] = 1
    return matrix


@st.composite
def class_mappings(
    draw: st.DrawFn, *, max_values: int = 5, max_classes: int = 6, huge: bool = True
) -> dict[str, dict[str, int]]:
    """Class counts as ``{class: {value: count}}``; a count may be 0, a class never is empty."""
    values = draw(st.integers(1, max_values))
    rows = draw(_named_rows(values, max_classes, huge=huge and draw(st.booleans())))
    return {f"c{i}": dict(row) for i, row in enumerate(rows)}


@cache
def _named_rows(values: int, max_rows: int, *, huge: bool) -> st.SearchStrategy[list[dict[str, int]]]:
    """Counts by the names of some of so many values, not all of them 0."""
    names = st.sampled_from([f"v{i}" for i in range(values)])
    row = st.dictionaries(names, counts(huge=huge), min_size=1).filter(lambda r: any(r.values()))
    return st.lists(row, min_size=1, max_size=max_rows)


def class_counts(
    *, max_values: int = 6, max_classes: int = 6, huge: bool = True, full: bool = True
) -> st.SearchStrategy[ClassCounts]:
    """`ClassCounts` over the domain 0 … m−1, dense or sparse; the reference is the column sum."""

    def build(matrix: np.ndarray[Any, np.dtype[np.int64]], sparse: bool) -> ClassCounts:
        if not sparse:
            return ClassCounts.from_matrix(matrix)
        rows = {g: {v: int(n) for v, n in enumerate(column)} for g, column in enumerate(matrix.T)}
        return ClassCounts.from_mapping(rows, domain=Domain.declare(range(len(matrix))))

    drawn = counts_matrix(max_values=max_values, max_classes=max_classes, huge=huge, full=full)
    return st.builds(build, drawn, st.booleans())


@st.composite
def partitions(draw: st.DrawFn, n: int) -> list[list[int]]:
    """A partition of 0 … n−1 into non-empty groups, groups and members in any order."""
    labels, members = draw(_labels_and_members(n))
    groups: dict[int, list[int]] = {}
    for i in members:
        groups.setdefault(labels[i], []).append(i)
    return list(groups.values())


@cache
def _labels_and_members(n: int) -> st.SearchStrategy[tuple[tuple[int, ...], list[int]]]:
    return st.tuples(repeated(st.integers(0, n - 1), n), st.permutations(range(n)))


@st.composite
def refinements(draw: st.DrawFn, values: Sequence[Hashable], steps: int = 2) -> list[dict[Hashable, Hashable]]:
    """Maps of values to labels, each coarser than the one before: the first is the finest."""
    blocks: list[list[Hashable]] = [[v] for v in values]
    maps = []
    for step in range(1, steps + 1):
        groups = draw(partitions(len(blocks)))
        blocks = [[v for i in group for v in blocks[i]] for group in groups]
        maps.append({v: f"L{step}.{number}" for number, block in enumerate(blocks) for v in block})
    return maps


# ---------------------------------------------------------------------- hierarchies and ground distances


@st.composite
def hierarchies(
    draw: st.DrawFn,
    *,
    ragged: bool = False,
    min_values: int = 1,
    max_values: int = 7,
    max_height: int = 3,
    values: Sequence[Hashable] | None = None,
) -> Hierarchy:
    """A hierarchy; with `ragged` its leaves may lie at unequal depth. Labels may repeat on several levels.

    Without `values` the leaves are ``"v0"``, ``"v1"``, … A level may merge nothing (a trivial level).
    """
    leaves = list(values) if values is not None else [f"v{i}" for i in range(draw(st.integers(min_values, max_values)))]
    height = draw(st.integers(1, max_height))
    maps = draw(refinements(leaves, height - 1)) if height > 1 else []
    rows = [(v, *(labels[v] for labels in maps), "*") for v in leaves]
    if not ragged:
        return Hierarchy(draw(st.permutations(rows)))
    return Hierarchy([_shortened(draw, row, leaves) for row in draw(st.permutations(rows))], ragged="keep")


def any_tree(random: Random, most: int = 10) -> list[tuple[str, ...]]:
    """Return the rows of a tree of up to so many nodes besides the root, leaves at any depth."""
    rows: list[tuple[str, ...]] = [("*",)]
    for label in "ABCDEFGHIJ"[: random.randrange(1, most + 1)]:
        rows.append((label, *random.choice(rows)))
    return [row for row in rows if row[0] not in {other[1] for other in rows[1:]}]


def _shortened(draw: st.DrawFn, row: tuple[Hashable, ...], leaves: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Hang a leaf higher up: leave out some of the levels directly above it (never the root)."""
    skipped = draw(st.integers(0, len(row) - 2)) if len(leaves) > 1 else 0
    return (row[0], *row[1 + skipped :])


@st.composite
def laminar_cuts(draw: st.DrawFn, m: int) -> Cuts:
    """A random laminar family: nested intervals of a permuted domain of m values, with rational weights."""
    order = draw(st.permutations(range(m)))
    sets: list[tuple[int, int]] = []

    def split(low: int, high: int) -> None:
        if draw(st.booleans()) or high - low == 1:
            sets.append((low, high))
        if high - low > 1 and draw(st.integers(0, 4)):
            middle = draw(st.integers(low + 1, high - 1))
            split(low, middle)
            split(middle, high)

    split(0, m)
    weights = draw(repeated(positive_fractions(), len(sets)))
    return Cuts.of(order, sets, weights)


@st.composite
def metrics(draw: st.DrawFn, m: int, *, pseudo: bool = False) -> Entries:
    """A metric: the shortest paths of a random symmetric matrix over a random denominator.

    With `pseudo`, two different values may lie at distance 0.
    """
    denominator = draw(st.sampled_from([1, 2, 7, 10**6 + 3]))
    least = 0 if pseudo else 1
    d = [[0] * m for _ in range(m)]
    drawn = draw(repeated(st.integers(least, 30), m * (m - 1) // 2))
    for (i, j), length in zip(combinations(range(m), 2), drawn, strict=True):
        d[i][j] = d[j][i] = length
    for k in range(m):
        for i in range(m):
            for j in range(m):
                d[i][j] = min(d[i][j], d[i][k] + d[k][j])
    return [[Fraction(x, denominator) for x in row] for row in d]


@st.composite
def non_metrics(draw: st.DrawFn, m: int) -> Entries:
    """A matrix with zero diagonal and entries ≥ 0 that breaks the triangle inequality or symmetry (m ≥ 2)."""
    drawn = draw(repeated(st.integers(0, 30), m * m))
    d = [[Fraction(drawn[m * i + j] if i != j else 0) for j in range(m)] for i in range(m)]
    if m > 2 and draw(st.booleans()):  # symmetric, but d(0, m−1) > d(0, 1) + d(1, m−1)
        for i in range(m):
            for j in range(i):
                d[i][j] = d[j][i]
        d[0][m - 1] = d[m - 1][0] = d[0][1] + d[1][m - 1] + draw(st.integers(1, 9))
    else:
        d[0][m - 1] = d[m - 1][0] + draw(st.integers(1, 9))
    return d


PARTS = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1)])


@st.composite
def couplings(draw: st.DrawFn, p: Sequence[Fraction], q: Sequence[Fraction]) -> Entries:
    """Any flow that turns P into Q, not only a cheap one: cells served in any order, first in part, then in full."""
    flow = [[Fraction(0)] * len(q) for _ in p]
    supply, demand = list(p), list(q)
    cells = [(i, j) for i in range(len(p)) for j in range(len(q))]
    in_any_order = st.permutations(cells)
    parts = draw(repeated(PARTS, len(cells)))
    for shares in (parts, [Fraction(1)] * len(cells)):
        for (i, j), share in zip(draw(in_any_order), shares, strict=True):
            mass = min(supply[i], demand[j]) * share
            flow[i][j] += mass
            supply[i] -= mass
            demand[j] -= mass
    return flow


SLACK = st.one_of(st.just(Fraction(0)), positive_fractions())


@st.composite
def feasible_potentials(draw: st.DrawFn, d: Entries) -> tuple[Distribution, Distribution]:
    """Any (u, v) with u_i + v_j ≤ d_ij everywhere: v is free, and u_i lies at or below min_j d_ij − v_j."""
    v, slack = draw(repeated(fractions(), len(d))), draw(repeated(SLACK, len(d)))
    u = [min(x - y for x, y in zip(row, v, strict=True)) - s for row, s in zip(d, slack, strict=True)]
    return tuple(u), tuple(v)


# ---------------------------------------------------------------------- tables

Kind = Literal["text", "numbers", "mixed"]

CELLS: dict[Kind, tuple[Any, ...]] = {
    "text": ("a", "b", "c d", "é"),
    "numbers": (0, 1, 2, 10, -3),
    "mixed": (0, 7, 2.5, "a", "b", True),  # no two look alike, so no warning
}


@cache
def _cells(kind: Kind, *, missing: bool) -> st.SearchStrategy[Any]:
    return st.sampled_from((*CELLS[kind], None) if missing else CELLS[kind])


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    columns: Sequence[str] = ("q1", "q2", "s"),
    max_rows: int = 12,
    missing: Sequence[str] = (),
    kinds: Sequence[Kind] = ("text", "numbers", "mixed"),
) -> pd.DataFrame:
    """A small table with index 0 … n−1; each column of one kind. Columns in `missing` may have None cells."""
    rows = draw(st.integers(1, max_rows))
    content = {}
    for name in columns:
        kind = draw(st.sampled_from(kinds))
        drawn = list(draw(repeated(_cells(kind, missing=name in missing), rows)))
        as_objects = kind == "mixed" or name in missing or draw(st.booleans())
        content[name] = pd.Series(drawn, dtype=object) if as_objects else pd.Series(drawn)
    return pd.DataFrame(content)


TYPED_CELLS: dict[str, tuple[Any, ...]] = {
    "string": ("a", "A", "*", "\u00e9", "e\u0301", "01", "1", "1.0", "x\x00", ""),
    "int64": (0, 1, -3, 2**53, 2**53 + 1),
    "uint64": (0, 1, 2**64 - 1, 2**64 - 2),
    "double": (0.0, -0.0, 1.0, 2.5, math.nan, math.inf, 1e300),
    "float": (0.5, -0.0, 0.0, math.nan),
    "bool": (True, False),
    "date32": (dt.date(2020, 1, 1), dt.date(1500, 1, 1), dt.date(9999, 12, 31)),
    "timestamp": (dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 1), dt.datetime(1600, 1, 1)),
    "decimal": (Decimal("1.00"), Decimal("2.50"), Decimal("0.10")),
    "binary": (b"a", b"A", b"\xff", b""),
    "categories": ("lo", "hi", "*"),
    "nothing": (None,),
}
"""By the type of a column of Arrow, cells that some engine or frame is known to confuse."""


WEIGHTS: list[tuple[str, tuple[Any, ...]]] = [
    ("int64", (1, 2, 3)),
    ("string", ("1", "2.0", "3")),
    ("double", (1.0, 2.5, 0.0)),
]


def _of_type(kind: str, given: list[Any]) -> Any:
    import pyarrow as pa

    types = {"timestamp": pa.timestamp("us"), "decimal": pa.decimal128(10, 2), "nothing": pa.null()}
    if kind == "categories":
        return pa.array(given, pa.string()).dictionary_encode()
    return pa.array(given, types.get(kind) or pa.type_for_alias(kind))


@st.composite
def typed_tables(draw: st.DrawFn, *, max_rows: int = 8, kinds: Sequence[str] = ()) -> tuple[Any, dict[str, Any]]:
    """A table of Arrow with columns of any types, and roles for `Microdata.from_frame`, not all of which can be."""
    rows = draw(st.integers(1, max_rows))
    content: dict[str, Any] = {}
    for name in ("q1", "q2", "s", "other"):
        kind = draw(st.sampled_from([*(kinds or TYPED_CELLS), "string"]))
        cells = st.sampled_from([*TYPED_CELLS[kind], *([None] * draw(st.integers(0, 1)))])
        few = draw(st.lists(cells, min_size=1, max_size=3))
        content[name] = kind, draw(st.lists(st.sampled_from(few), min_size=rows, max_size=rows))
    roles: dict[str, Any] = {
        "quasi_identifiers": draw(st.sampled_from([["q1", "q2"], ["q2"], []])),
        "sensitive": draw(st.sampled_from(["s", ["s", "q1"]])) if draw(st.booleans()) else "s",
        "missing": draw(st.sampled_from(["error", "category", "category", "drop", "drop"])),
        "suppressed": draw(st.sampled_from([None, "*", 1])),
    }
    match draw(st.sampled_from(["", "", "weight", "person"])):
        case "weight":
            kind, cells = draw(st.sampled_from(WEIGHTS))
            content["w"] = kind, draw(st.lists(st.sampled_from(cells), min_size=rows, max_size=rows))
            roles["weight"] = "w"
        case "person":
            content["w"] = "string", draw(st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows))
            roles["person"] = "w"
    for declared in ("orders", "domains"):
        if draw(st.integers(0, 3)) == 0:
            name = draw(st.sampled_from(["q2", "s"]))
            found = [cell for cell in dict.fromkeys(content[name][1]) if cell is not None and cell == cell]
            also = [None] * draw(st.integers(0, 1)) + [7] * draw(st.integers(0, 1))
            roles[declared] = {name: draw(st.permutations([*found, *also]))}
    if draw(st.integers(0, 3)) == 0:
        roles["merge_spellings"] = ["s"]
    import pyarrow as pa

    return pa.table({name: _of_type(kind, given) for name, (kind, given) in content.items()}), roles


@st.composite
def reindexed(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    """The same rows in the same order under another index: duplicate, shifted, text, dates or two levels."""
    n = len(frame)
    labels: dict[str, Any] = {
        "duplicate": [i % 2 for i in range(n)],
        "reversed": list(range(n))[::-1],
        "shifted": range(10, 10 + n),
        "text": [f"r{i}" for i in range(n)],
        "dates": pd.date_range("2007-04-15", periods=n),
        "levels": pd.MultiIndex.from_tuples([(i // 2, "x") for i in range(n)]),
    }
    return frame.set_axis(labels[draw(st.sampled_from(sorted(labels)))], axis=0)


# ---------------------------------------------------------------------- ground distances


@dataclass(frozen=True, eq=False)
class CutDistance:
    """A ground distance that is nothing but a laminar family: d(i, j) weighs the sets that part i from j."""

    cuts: Cuts
    name = "cuts"
    metric = True

    @property
    def m(self) -> int:
        return len(self.cuts.order)

    @property
    def denominator(self) -> int:
        return self.cuts.denominator

    def distance(self, i: int, j: int) -> Fraction:
        order = self.cuts.order.tolist()
        ends = zip(self.cuts.low.tolist(), self.cuts.high.tolist(), strict=True)
        sets = [order[low:high] for low, high in ends]
        parting = [w for s, w in zip(sets, self.cuts.weights.tolist(), strict=True) if (i in s) != (j in s)]
        return Fraction(sum(parting), self.cuts.denominator)

    def row(self, i: int) -> np.ndarray[Any, Any]:
        return np.array([int(self.distance(i, j) * self.denominator) for j in range(self.m)])

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "m": self.m}


@st.composite
def ascending(draw: st.DrawFn, m: int) -> tuple[Fraction, ...]:
    """m different positions, lowest first."""
    gaps = draw(repeated(positive_fractions(), m))
    return tuple(sum(gaps[: i + 1], Fraction(-2)) for i in range(m))


@st.composite
def hierarchical_distances(draw: st.DrawFn, m: int) -> Hierarchical:
    """A hierarchical distance over the values 0 … m−1, which stand in the hierarchy in any order.

    Leaves may lie at unequal depth, trivial levels may be collapsed, and the hierarchy may have values
    that the domain lacks.
    """
    spare = draw(st.integers(0, 2))
    hierarchy = draw(hierarchies(values=range(m + spare), ragged=draw(st.booleans())))
    levels = draw(st.sampled_from(["keep", "collapse"]))
    return Hierarchical(hierarchy, Domain.declare(range(m)), trivial_levels=levels)


def grounds(m: int, *, papers_only: bool = False) -> st.SearchStrategy[Any]:
    """Ground distances with cuts: the papers' four and, unless `papers_only`, random laminar families."""
    papers = [
        st.just(Ordered(m)),
        ascending(m).map(OrderedByValue),
        st.just(Equal(m)),
        hierarchical_distances(m),
    ]
    return st.one_of(*papers) if papers_only else st.one_of(*papers, laminar_cuts(m).map(CutDistance))


@st.composite
def sparse_class_counts(draw: st.DrawFn, *, max_values: int = 30, huge: bool = True) -> ClassCounts:
    """Few cells over a large domain; the reference may be larger than the classes."""
    m = draw(st.integers(1, max_values))
    rows = draw(_few_cells(m, huge=huge and draw(st.booleans())))
    classes = ClassCounts.from_mapping(dict(enumerate(rows)), domain=Domain.declare(range(m)))
    if draw(st.booleans()):
        more = draw(repeated(counts(huge=False), m))
        classes = classes.with_reference([int(a) + b for a, b in zip(classes.reference, more, strict=True)])
    return classes


@cache
def _few_cells(m: int, *, huge: bool) -> st.SearchStrategy[list[dict[int, int]]]:
    """Rows of one to six counts by their places among so many."""
    row = st.dictionaries(st.integers(0, m - 1), counts(1, huge=huge), min_size=1, max_size=6)
    return st.lists(row, min_size=1, max_size=5)


@st.composite
def samples(draw: st.DrawFn, max_m: int = 4, max_size: int = 5) -> tuple[int, list[int], list[int]]:
    """A size m and two equally large samples of codes below it, so small that all pairings can be tried."""
    m, size = draw(st.integers(1, max_m)), draw(st.integers(1, max_size))
    sample = st.lists(st.integers(0, m - 1), min_size=size, max_size=size)
    return m, draw(sample), draw(sample)
