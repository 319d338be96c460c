"""What searches and merging heuristics rely on: that merging classes never makes a table worse.

Proof of convexity: z3 proves D(½P₁ + ½P₂, Q) ≤ ½D(P₁, Q) + ½D(P₂, Q). A function that is made with + − × abs min max is
bounded on the distributions over m values, and a bounded function with that property is convex (F. Bernstein, G.
Doetsch, Math. Ann. 76, 1915; applied to every segment, whose ends the inequality covers). The laws below it follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, islice, product

from tcloseness.axioms.amounts import Amount, difference_sign, text
from tcloseness.axioms.check import Check
from tcloseness.axioms.examination import Examination
from tcloseness.axioms.laws import Call, Claim, Law, Named, mixture, side
from tcloseness.axioms.subject import OutOfTime, Scene, Vector
from tcloseness.axioms.tables import Counts, Merge, Table, distribution, merges, small_tables, union
from tcloseness.axioms.verdict import Counterexample, Fails, Holds, Undecided, Verdict
from tcloseness.exact import number_text

__all__ = ["CHECKS"]

F = Fraction
_SHARES = (F(1, 2), F(1, 3), F(2, 3), F(1, 100))
_HALF = (F(1, 2),)


def _shares(scene: Scene) -> Iterable[Fraction]:
    return _SHARES


def _convex(scene: Scene, share: Fraction, p1: Named, p2: Named, q: Named) -> Claim:
    merged = mixture("M", (share, 1 - share), (p1, p2))
    parts = side((share, Call(scene, p1, q)), (1 - share, Call(scene, p2, q)))
    return Claim(side(Call(scene, merged, q)), "≤", parts)


def _check_convex(examination: Examination) -> Verdict:
    law = Law(("P1", "P2", "Q"), _convex, cases=_shares, most=0)
    answer = examination.settle(law)
    if not isinstance(answer, Holds):
        return answer
    proof = examination.prove(Law(law.names, law.claim, cases=lambda scene: _HALF, most=5), answer)
    if isinstance(proof, Holds) and proof.proved is not None:
        return Holds(proof.examples, proof.proved, "proved for halves; a bounded function that is so is convex")
    return proof


def _three(scene: Scene, shares: tuple[Fraction, ...], p1: Named, p2: Named, p3: Named, q: Named) -> Claim:
    merged = mixture("M", shares, (p1, p2, p3))
    parts = side(*((s, Call(scene, p, q)) for s, p in zip(shares, (p1, p2, p3), strict=True)))
    return Claim(side(Call(scene, merged, q)), "≤", parts)


def _check_convex_n(examination: Examination) -> Verdict:
    shares = ((F(1, 3), F(1, 3), F(1, 3)), (F(1, 2), F(1, 3), F(1, 6)))
    law = Law(("P1", "P2", "P3", "Q"), _three, cases=lambda scene: shares, most=0)
    return _follows(examination, examination.settle(law), ("convex",))


def _quasi_convex(examination: Examination) -> Verdict:
    def trial(vectors: tuple[Vector, ...]) -> tuple[int, Counterexample | None]:
        p1, p2, q = vectors
        if p1 > p2:  # the two classes have no order
            return 0, None
        scene = examination.scene(len(q))
        counted = 0
        for share in _SHARES:
            named = Named("P1", p1), Named("P2", p2), Named("Q", q)
            merged = mixture("M", (share, 1 - share), named[:2])
            found = [scene.outcome(v, q) for v in (p1, p2, merged.masses)]
            first, second, third = found
            if not (isinstance(first, Amount) and isinstance(second, Amount) and isinstance(third, Amount)):
                continue
            counted += 1
            if difference_sign(third, first) > 0 and difference_sign(third, second) > 0:
                return counted, _merge_that_grows(scene, (*named, merged), (first, second, third))
        return counted, None

    return _follows(examination, examination.tried(trial, 3, examination.sizes), ("convex",))


def _merge_that_grows(scene: Scene, named: tuple[Named, ...], found: tuple[Amount, ...]) -> Counterexample:
    p1, p2, _, merged = named
    subject = scene.subject
    calls = [f"float({subject.call_code(v.name, 'Q', scene.ground)})" for v in (merged, p1, p2)]
    values = {f"D({v.name}, Q)": text(x) for v, x in zip((p1, p2, merged), found, strict=True)}
    body = [f"{v.name} = {subject.vector_code(v.masses)}" for v in named]
    body.append(f"assert {calls[0]} <= max({calls[1]}, {calls[2]}) + 2**-24")
    return Counterexample(
        inputs={v.name: tuple(number_text(x) for x in v.masses) for v in named},
        ground=f"{scene.ground.name}, m = {scene.m}",
        values=values,
        finding="D(M, Q) > max(D(P1, Q), D(P2, Q)): " + ", ".join(f"{k} = {v}" for k, v in values.items()),
        code=(*subject.imports("\n".join(body)), *body),
    )


def _follows(examination: Examination, answer: Verdict, of: tuple[str, ...]) -> Verdict:
    """Return the verdict, as proved if one that implies the law is."""
    for name in of:
        above = examination.found.get(name)
        if isinstance(answer, Holds) and isinstance(above, Holds) and above.proved is not None:
            return Holds(answer.examples, above.proved, f"follows from {name}")
    return answer


# ---------------------------------------------------------------------- tables


def _on_tables(examination: Examination, *, whole_attribute: bool) -> Verdict:
    """Ask whether the greatest distance of a class grows when classes are merged.

    Generalization merges two classes of three. Dropping a quasi-identifier merges the classes of a table with two
    quasi-identifiers, {a, b} × {x, y}, all classes that have the same value of the other one. The smallest tables are
    tried, and where a merge by itself can grow, larger tables that are made of such merges. If none of them is broken
    either, the law is undecided.
    """
    quasi_convex = examination.found.get("quasi-convex")
    tried = 0

    def broken(scene: Scene, tables: Iterable[Table]) -> Counterexample | None:
        nonlocal tried
        mergers = [((0, 1), (2, 3))] if whole_attribute else [(pair,) for pair in combinations(range(3), 2)]
        for table, merger in product(tables, mergers):
            tried += 1
            if found := _grows(scene, table, merger, distribution(union(*table))):
                return found
        return None

    try:
        sizes = examination.sizes[:2] if examination.subject.family.largest is None else examination.sizes[-1:]
        for m in sizes:
            few = islice(small_tables(m, 4 if whole_attribute else 3), examination.some(700))
            if found := broken(examination.scene(m), few):
                return Fails(found)
        if isinstance(quasi_convex, Fails):
            for merge in _merges(examination, quasi_convex.counterexample, sizes):
                if found := broken(examination.scene(len(merge.q)), merge.tables(4 if whole_attribute else 3)):
                    return Fails(found)
            return Undecided(f"a merge can grow (quasi-convex fails), but none of {tried} tables has such a merge")
    except OutOfTime:
        return Undecided(f"{examination.budget:g} s were over after {tried} tables; give it more (budget)")
    return _follows(examination, Holds(tried), ("quasi-convex", "convex"))


def _merges(examination: Examination, found: Counterexample, sizes: Iterable[int]) -> Iterator[Merge]:
    """Yield merges that grow: the one that is known, then others."""
    p1, p2, merged, q = (tuple(map(F, found.inputs[name])) for name in ("P1", "P2", "M", "Q"))
    yield Merge.of(p1, p2, merged, q)
    for m in sizes:
        scene = examination.scene(m)
        for merge in islice(merges(m, 4), examination.some(20_000)):
            parts = [scene.outcome(v, merge.q) for v in (merge.p1, merge.p2)]
            after = scene.outcome(merge.merged, merge.q)
            if isinstance(after, Amount) and all(
                isinstance(x, Amount) and difference_sign(after, x) > 0 for x in parts
            ):
                yield merge


def _grows(scene: Scene, table: Table, merger: tuple[tuple[int, ...], ...], q: Vector) -> Counterexample | None:
    after = [union(*(table[i] for i in group)) for group in merger]
    before_ = [scene.outcome(distribution(c), q) for c in table]
    after_ = [scene.outcome(distribution(c), q) for c in after]
    if not all(isinstance(x, Amount) for x in (*before_, *after_)):
        return None
    for counts, found in zip(after, after_, strict=True):
        if isinstance(found, Amount) and all(difference_sign(found, x) > 0 for x in before_ if isinstance(x, Amount)):
            return _table_that_grows(scene, table, counts, q, found)
    return None


def _table_that_grows(scene: Scene, table: Table, merged: Counts, q: Vector, found: Amount) -> Counterexample:
    subject = scene.subject
    vectors = [Named(f"P{i}", distribution(c)) for i, c in enumerate(table, 1)]
    every = [*vectors, Named("M", distribution(merged)), Named("Q", q)]
    calls = [f"float({subject.call_code(v.name, 'Q', scene.ground)})" for v in every[:-1]]
    body = [f"{v.name} = {subject.vector_code(v.masses)}" for v in every]
    body.append(f"assert {calls[-1]} <= max({', '.join(calls[:-1])}) + 2**-24")
    values = {f"D({v.name}, Q)": text(x) for v in vectors if isinstance(x := scene.outcome(v.masses, q), Amount)}
    values["D(M, Q)"] = text(found)
    counts = "; ".join(str(list(c)) for c in table)
    return Counterexample(
        inputs={v.name: tuple(number_text(x) for x in v.masses) for v in every},
        ground=f"{scene.ground.name}, m = {scene.m}",
        values=values,
        finding=f"classes with counts {counts}: the union M is farther than every class was: "
        + ", ".join(f"{k} = {v}" for k, v in values.items()),
        code=(*subject.imports("\n".join(body)), *body),
    )


CHECKS = (
    Check(
        "convex",
        "D(λP₁ + (1 − λ)P₂, Q) ≤ λ·D(P₁, Q) + (1 − λ)·D(P₂, Q)",
        "TC Fact 2",
        "the distance of a merged class may pass the mean of its parts; optimizers that bound by it are wrong",
        "algorithms",
        _check_convex,
    ),
    Check(
        "convex-n",
        "D(Σ λᵢ·Pᵢ, Q) ≤ Σ λᵢ·D(Pᵢ, Q)",
        "TC Fact 2, for any number of classes",
        "the same for many classes merged at once",
        "algorithms",
        _check_convex_n,
    ),
    Check(
        "quasi-convex",
        "D of two merged classes is at most the greater of theirs",
        "TC Fact 2, in the form that its Lemma uses",
        "merging classes may break t-closeness: heuristics that merge until it holds may not end",
        "algorithms",
        _quasi_convex,
    ),
    Check(
        "generalization-property",
        "in a table, merging two classes never raises the greatest distance of a class",
        "TC §4, generalization property",
        "a search over generalizations must not prune: above a node that satisfies t may lie one that does not",
        "algorithms",
        lambda e: _on_tables(e, whole_attribute=False),
    ),
    Check(
        "subset-property",
        "in a table, dropping a quasi-identifier never raises the greatest distance of a class",
        "TC §4, subset property",
        "Incognito must not discard a set of quasi-identifiers because a subset of it fails",
        "algorithms",
        lambda e: _on_tables(e, whole_attribute=True),
    ),
)
