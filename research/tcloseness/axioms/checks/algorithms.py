"""What searches and merging heuristics rely on: that merging classes never makes a table worse.

Proof of convexity: z3 proves D(½P₁ + ½P₂, Q) ≤ ½D(P₁, Q) + ½D(P₂, Q). A function that is made with + − × abs min max is
bounded on the distributions over m values, and a bounded function with that property is convex (F. Bernstein, G.
Doetsch, Math. Ann. 76, 1915; applied to every segment, whose ends the inequality covers). The laws below it follow.

Tables in which a merge may raise the greatest distance of a class: the smallest ones, and those that are made of a
merge that grows. Let D(M, Q) > max(D(P₁, Q), D(P₂, Q)) for the merged class M = λP₁ + (1 − λ)P₂. Add one large class P₃
such that the three together have the distribution Q: the larger it is, the closer it is to Q. If D(P₃, Q) falls to 0
with that, merging the first two classes raises the table's greatest distance, in a table of more records than a search
over the smallest tables looks at. Split P₃ into two equal halves, and dropping a quasi-identifier merges the four
classes of {a, b} × {x, y} to M and P₃.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, combinations_with_replacement, islice, product

from tcloseness.axioms.checker import Checker, Vectors
from tcloseness.axioms.function import BoundFunction
from tcloseness.axioms.laws import Claim, Law, Named, Vector, counterexample, mixture
from tcloseness.axioms.values import NoNumber, Value, difference_sign
from tcloseness.axioms.verdict import Check, CheckVerdict, Counterexample, Fails, Holds, Undecided

__all__ = ["CHECKS", "Counts", "Merge", "Table", "distribution", "merges", "small_tables", "union"]

F = Fraction
_SHARES = (F(1, 2), F(1, 3), F(2, 3), F(1, 100))


def _convex(d: BoundFunction, share: Fraction, p1: Named, p2: Named, q: Named) -> Claim:
    merged = mixture("M", (share, 1 - share), (p1, p2))
    return d(merged, q) <= share * d(p1, q) + (1 - share) * d(p2, q)


_CONVEX = Law(("P1", "P2", "Q"), _convex, cases=lambda d: _SHARES, most=0)


def _check_convex(checker: Checker) -> CheckVerdict:
    answer = checker.test(_CONVEX)
    if isinstance(answer, Holds):
        answer = checker.prove(replace(_CONVEX, cases=lambda d: _SHARES[:1], most=5), answer)
    if isinstance(answer, Holds) and answer.proved is not None:
        return replace(answer, remark="proved for halves; a bounded function that is so is convex")
    return answer


def _three(d: BoundFunction, shares: tuple[Fraction, ...], p1: Named, p2: Named, p3: Named, q: Named) -> Claim:
    merged = mixture("M", shares, (p1, p2, p3))
    return d(merged, q) <= shares[0] * d(p1, q) + shares[1] * d(p2, q) + shares[2] * d(p3, q)


def _check_convex_n(checker: Checker) -> CheckVerdict:
    shares = ((F(1, 3), F(1, 3), F(1, 3)), (F(1, 2), F(1, 3), F(1, 6)))
    law = Law(("P1", "P2", "P3", "Q"), _three, cases=lambda d: shares, most=0)
    return _follows(checker, checker.test(law), "convex")


def _quasi_convex(checker: Checker) -> CheckVerdict:
    def trial(vectors: Vectors) -> Counterexample | None:
        p1, p2, q = vectors
        if p1 > p2:  # the two classes have no order
            return None
        d = checker.over(len(q))
        named = Named("P1", p1), Named("P2", p2), Named("Q", q)
        for share in _SHARES:
            merged = mixture("M", (share, 1 - share), named[:2])
            grows = _grows(d, [p1, p2], merged.masses, q)
            checker.tried += grows is not None
            if grows:
                finding = "D(M, Q) > max(D(P1, Q), D(P2, Q)): "
                return _merge_that_grows(d, named[:2], merged, named[2], finding, (*named, merged))
        return None

    return _follows(checker, checker.search(trial, 3, checker.sizes), "convex")


def _grows(d: BoundFunction, parts: Sequence[Vector], merged: Vector, q: Vector) -> bool | None:
    """Say whether a merged class is farther from Q than every class was; None where a distance is not a number."""
    *before, after = [d.value(v, q) for v in (*parts, merged)]
    numbers = [value for value in before if isinstance(value, Value)]
    if isinstance(after, NoNumber) or len(numbers) < len(before):
        return None
    return all(difference_sign(after, value) > 0 for value in numbers)


def _merge_that_grows(
    d: BoundFunction, parts: Sequence[Named], merged: Named, q: Named, finding: str, vectors: Sequence[Named]
) -> Counterexample:
    calls = [f"float({d.code(v, q)})" for v in (*parts, merged)]
    values = {f"D({v.name}, Q)": str(d.value(v.masses, q.masses)) for v in (*parts, merged)}
    listed = ", ".join(f"{name} = {value}" for name, value in values.items())
    line = f"assert {calls[-1]} <= max({', '.join(calls[:-1])}) + 2**-24"
    return counterexample(d, vectors, finding + listed, line, values=values)


def _follows(checker: Checker, answer: CheckVerdict, *of: str) -> CheckVerdict:
    """Return the verdict, as proved if one that implies the law is."""
    for name in of:
        above = checker.found.get(name)
        if isinstance(answer, Holds) and isinstance(above, Holds) and above.proved is not None:
            return Holds(answer.examples, above.proved, f"follows from {name}")
    return answer


# ---------------------------------------------------------------------- laws of tables


def _on_tables(checker: Checker, *, whole_attribute: bool) -> CheckVerdict:
    """Ask whether the greatest distance of a class grows when classes are merged.

    Generalization merges two classes of three. Dropping a quasi-identifier merges the classes of a table with two
    quasi-identifiers, {a, b} × {x, y}, all classes that have the same value of the other one. The smallest tables are
    tried, and where a merge by itself can grow, larger tables that are made of such merges. If none of them is broken
    either, the law is undecided.
    """
    quasi_convex = checker.found.get("quasi-convex")
    classes = 4 if whole_attribute else 3
    mergers = [((0, 1), (2, 3))] if whole_attribute else [(pair,) for pair in combinations(range(3), 2)]

    def broken(d: BoundFunction, tables: Iterable[Table]) -> Counterexample | None:
        for table, merger in product(tables, mergers):
            checker.tried += 1
            if found := _table_that_grows(d, table, merger):
                return found
        return None

    sizes = checker.sizes[:2] if checker.function.family.largest is None else checker.sizes[-1:]
    for m in sizes:
        if found := broken(checker.over(m), islice(small_tables(m, classes), checker.some(700))):
            return Fails(found)
    if isinstance(quasi_convex, Fails):
        for merge in _merges(checker, quasi_convex.counterexample, sizes):
            if found := broken(checker.over(len(merge.q)), merge.tables(classes)):
                return Fails(found)
        return Undecided(f"a merge can grow (quasi-convex fails), but none of {checker.tried} tables has such a merge")
    return _follows(checker, Holds(checker.tried), "quasi-convex", "convex")


def _merges(checker: Checker, found: Counterexample, sizes: Iterable[int]) -> Iterator[Merge]:
    """Yield merges that grow: the one that is known, then others."""
    p1, p2, merged, q = (tuple(map(F, found.inputs[name])) for name in ("P1", "P2", "M", "Q"))
    yield Merge.of(p1, p2, merged, q)
    for m in sizes:
        d = checker.over(m)
        for merge in islice(merges(m, 4), checker.some(20_000)):
            if _grows(d, [merge.p1, merge.p2], merge.merged, merge.q):
                yield merge


def _table_that_grows(d: BoundFunction, table: Table, merger: tuple[tuple[int, ...], ...]) -> Counterexample | None:
    parts = [distribution(counts) for counts in table]
    after = [distribution(union(*(table[i] for i in group))) for group in merger]
    q = distribution(union(*table))
    growing = [_grows(d, parts, merged, q) for merged in after]
    if not any(growing):
        return None
    merged = Named("M", after[growing.index(True)])
    vectors, reference = [Named(f"P{i}", p) for i, p in enumerate(parts, 1)], Named("Q", q)
    counts = "; ".join(str(list(c)) for c in table)
    finding = f"classes with counts {counts}: the union M is farther than every class was: "
    return _merge_that_grows(d, vectors, merged, reference, finding, (*vectors, merged, reference))


# ---------------------------------------------------------------------- tables

Counts = tuple[int, ...]
Table = tuple[Counts, ...]

_SIZES = (2, 3, 4, 6, 8, 12, 20, 50)
"""So many times the records of the two merged classes a table may have."""


@dataclass(frozen=True)
class Merge:
    """Two classes with the distributions P₁ and P₂, λ : 1 − λ by their records, and the reference Q."""

    p1: Vector
    p2: Vector
    q: Vector
    share: Fraction

    @classmethod
    def of(cls, p1: Vector, p2: Vector, merged: Vector, q: Vector) -> Merge:
        """Build from the merged class; P₁ ≠ P₂."""
        a, b, c = next((a, b, c) for a, b, c in zip(p1, p2, merged, strict=True) if a != b)
        return cls(p1, p2, q, (c - b) / (a - b))

    @property
    def merged(self) -> Vector:
        """M = λP₁ + (1 − λ)P₂."""
        return tuple(self.share * a + (1 - self.share) * b for a, b in zip(self.p1, self.p2, strict=True))

    def tables(self, classes: int) -> Iterator[Table]:
        """Yield tables with distribution Q whose first two classes are P₁ and P₂: three, or four with P₃ in halves."""
        parts = tuple(self.share * x for x in self.p1), tuple((1 - self.share) * x for x in self.p2)
        for size in _SIZES:
            third = tuple(size * c - a - b for a, b, c in zip(*parts, self.q, strict=True))
            if min(third) < 0:
                continue
            rest = [tuple(x / (classes - 2) for x in third)] * (classes - 2)
            scale = math.lcm(*(x.denominator for part in (*parts, *rest) for x in part))
            yield tuple(tuple(int(x * scale) for x in part) for part in (*parts, *rest))


def merges(m: int, most_records: int) -> Iterator[Merge]:
    """Yield merges of two classes of few records, under references of few records that have all m values."""
    classes = sorted({distribution(c) for c in _classes(m, most_records)})
    for q, (p1, p2), share in product(filter(all, classes), combinations(classes, 2), _SHARES[:3]):
        yield Merge(p1, p2, q, share)


def small_tables(m: int, classes: int) -> Iterable[Table]:
    """Return small tables of so many classes, few records first."""
    largest = {2: 4, 3: 2}.get(m, 1)
    tables = combinations_with_replacement(_classes(m, largest), classes)
    return sorted(tables, key=lambda table: (sum(map(sum, table)), table))


def distribution(counts: Counts) -> Vector:
    """Return the distribution of a class."""
    return tuple(Fraction(c, sum(counts)) for c in counts)


def union(*classes: Counts) -> Counts:
    """Return the counts of merged classes."""
    return tuple(map(sum, zip(*classes, strict=True)))


def _classes(m: int, largest: int) -> list[Counts]:
    """Return all classes of 1 to `largest` records over m values, as counts."""
    return [
        tuple(chosen.count(v) for v in range(m))
        for n in range(1, largest + 1)
        for chosen in combinations_with_replacement(range(m), n)
    ]


_algorithms = partial(Check, group="algorithms")

CHECKS = (
    _algorithms(
        "convex",
        "D(λP₁ + (1 − λ)P₂, Q) ≤ λ·D(P₁, Q) + (1 − λ)·D(P₂, Q)",
        "Li et al. 2007, Fact 2",
        "the distance of a merged class may pass the mean of its parts; optimizers that bound by it are wrong",
        _check_convex,
    ),
    _algorithms(
        "convex-n",
        "D(Σ λᵢ·Pᵢ, Q) ≤ Σ λᵢ·D(Pᵢ, Q)",
        "Li et al. 2007, Fact 2, for any number of classes",
        "the same for many classes merged at once",
        _check_convex_n,
    ),
    _algorithms(
        "quasi-convex",
        "D of two merged classes is at most the greater of theirs",
        "Li et al. 2007, Fact 2, in the form that its Lemma uses",
        "merging classes may break t-closeness: heuristics that merge until it holds may not end",
        _quasi_convex,
    ),
    _algorithms(
        "generalization-property",
        "in a table, merging two classes never raises the greatest distance of a class",
        "Li et al. 2007, §4, generalization property",
        "a search over generalizations must not prune: above a node that satisfies t may lie one that does not",
        lambda checker: _on_tables(checker, whole_attribute=False),
    ),
    _algorithms(
        "subset-property",
        "in a table, dropping a quasi-identifier never raises the greatest distance of a class",
        "Li et al. 2007, §4, subset property",
        "Incognito must not discard a set of quasi-identifiers because a subset of it fails",
        lambda checker: _on_tables(checker, whole_attribute=True),
    ),
)
