"""Instances of what the papers prove or state for all tables: distances, merging classes, diversity.

What has a theorem in ``proofs_tests/coq`` is proved there; here it is looked at on every small instance, so that a
statement that is written down wrongly meets its counterexample.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product, zip_longest

from experiments.claims import Outcome, check
from experiments.studies.worked_examples.distances import cases, solve
from experiments.studies.worked_examples.small_tables import TRIED, Counts, blocks, pd_recursive
from experiments.studies.worked_examples.soria_comas_2013 import ratio
from experiments.studies.worked_examples.tables import (
    TABLES,
    Example,
    covers,
    disease_hierarchy,
    entropy_of,
    example,
    k_of,
    one_class,
    probabilities,
    recursive_bound,
)
from tcloseness.attacks import background_knowledge_attack
from tcloseness.exact import LogSum, log_of
from tcloseness.ground import Equal, GroundDistance, Hierarchical, Ordered
from tcloseness.microdata import Domain, TreeNode
from tcloseness.transport import emd
from tcloseness.transport.closed_forms import hierarchical_emd, ordered_emd, ordered_emd_double_sum

__all__ = ["eliminations", "is_metric", "linked", "without_the_frequent"]

PAIRS = "all pairs of counts up to 2 of 3 values"


@cache
def _pairs() -> tuple[tuple[Counts, Counts], ...]:
    some = list(blocks(3, 2))
    return tuple((a, b) for a in some for b in some)


def _union(one: Counts, other: Counts) -> Counts:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _block_entropy(counts: Counts) -> LogSum:
    return entropy_of(one_class(dict(enumerate(counts))))


# ---------------------------------------------------------------------- Li et al. 2007, §2: diversity


RELEASES = {
    "li_table2": "li_table1",
    "li_table4": "li_table3",
    "li_table5": "li_table3",
    "machanavajjhala_figure2": "machanavajjhala_figure1",
    "machanavajjhala_figure3": "machanavajjhala_figure1",
}
"""The anonymized tables whose original is printed too."""


@check("TC-27")
def _confidence() -> Outcome:
    """Whoever knows a person's quasi-identifiers is left with the released records whose labels cover them."""
    greatest, people = {}, 0
    for name, original in RELEASES.items():
        released = example(name)
        found = linked(released, example(original))
        people += len(found)
        greatest[released] = max(Fraction(1, n) if n else Fraction(1) for n in found)
    return Outcome(
        all(most <= Fraction(1, k_of(released.counts())) for released, most in greatest.items()),
        detail=f"{people} times a person of Tables 1 and 3 of Li 2007 or of Figure 1 of Machanavajjhala 2006 is looked "
        f"for by her values in a released table: the confidence is at most {', '.join(map(str, greatest.values()))}",
    )


def linked(released: Example, original: Example) -> list[int]:
    """Return for each record of a table how many records of a release have labels that all cover its values."""
    names = list(released.quasi_identifiers)
    labels = list(released.frame[names].itertuples(index=False, name=None))
    return [
        sum(all(covers(label, value) for label, value in zip(row, person, strict=True)) for row in labels)
        for person in original.frame[names].itertuples(index=False, name=None)
    ]


@check("TC-28", "LD-27", "TC-29", "LD-25", "LD-26", "LD-24")
def _entropy_and_its_parts() -> dict[str, Outcome]:
    some = list(product(blocks(), (2, 3)))
    reached = {(counts, least) for counts, least in some if _block_entropy(counts) >= log_of(Fraction(least))}
    stronger = Outcome(
        all(sum(map(bool, counts)) >= least for counts, least in reached),
        detail=f"{TRIED}: {len(reached)} pairs of a block and l are entropy l-diverse",
    )
    values = {counts: _block_entropy(counts) for counts in {*blocks(3, 2), *(_union(*pair) for pair in _pairs())}}
    falls = [(a, b) for a, b in _pairs() if values[_union(a, b)] < values[a] and values[_union(a, b)] < values[b]]
    merged = Outcome(not falls, detail=f"tried on {PAIRS}, as the two classes of a table or the two parts of a block")
    anonymous = all(
        sum(counts) >= least
        for counts, least in some
        if sum(map(bool, counts)) >= least
        or (counts, least) in reached
        or recursive_bound(one_class(dict(enumerate(counts))), least) < 100
    )
    return {
        "TC-28": stronger,
        "LD-27": stronger,
        "TC-29": merged,
        "LD-25": merged,
        "LD-26": merged,
        "LD-24": Outcome(
            anonymous, detail=f"{TRIED}, distinct, entropy and recursive (c,l)-diversity for c up to 100, l = 2 and 3"
        ),
    }


# ---------------------------------------------------------------------- Li et al. 2007, §4 and §5: distances


@check("TC-30", "TC-31a", "TC-31b", "TC-31c", "TC-35b", "TU-17", "TC-34c", "TC-34d", "TU-11", "TU-12")
def _facts() -> dict[str, Outcome]:
    grounds: tuple[GroundDistance, ...] = (Equal(3), Ordered(3))
    some = {counts: probabilities(counts) for counts in blocks(3, 2)}
    q = probabilities((3, 2, 1))
    value = {(counts, g): emd(p, q, ground) for counts, p in some.items() for g, ground in enumerate(grounds)}
    convex, greatest = [], []
    for (a, b), g in product(_pairs(), range(len(grounds))):
        union = emd(probabilities(_union(a, b)), q, grounds[g])
        sizes = Fraction(sum(a), sum(a) + sum(b))
        convex.append(union <= sizes * value[a, g] + (1 - sizes) * value[b, g])
        greatest.append(union <= max(value[a, g], value[b, g]))
    halves = []
    for p in some.values():
        r = [a - b for a, b in zip(p, q, strict=True)]
        half = sum(map(abs, r), Fraction(0)) / 2
        halves.append(half == sum(x for x in r if x >= 0) == -sum(x for x in r if x < 0) == emd(p, q, Equal(3)))
    ordered = [
        ordered_emd(p, r) == ordered_emd_double_sum(p, r) == emd(p, r, Ordered(3))
        for p, r in product(some.values(), repeat=2)
    ]
    printed = [
        _ordered_sum(p, r, upto) == emd(p, r, Ordered(3))
        for p, r in product(some.values(), repeat=2)
        for upto in (len(p) - 1, len(p))
    ]
    tried = f"tried on {len(some)} distributions of 3 values, equal and ordered distance"
    formula = Outcome(all(ordered), detail=f"tried on {len(ordered)} pairs of distributions of 3 values")
    return {
        "TC-30": Outcome(all(0 <= x <= 1 for x in value.values()), detail=tried),
        "TC-31a": Outcome(all(convex), detail=f"tried on {PAIRS}, equal and ordered distance"),
        "TC-31b": Outcome(all(greatest), detail=f"tried on {PAIRS}, equal and ordered distance"),
        "TC-31c": Outcome(all(emd(q, q, ground) == 0 for ground in grounds), detail="one class: P = Q, at distance 0"),
        "TC-35b": Outcome(all(halves), detail=tried),
        "TU-17": Outcome(all(halves), detail=tried),
        "TC-34c": formula,
        "TC-34d": Outcome(
            all(printed), detail=f"both sums are the EMD of {len(printed) // 2} pairs of distributions of 3 values"
        ),
        "TU-11": formula,
        "TU-12": formula,
    }


def _ordered_sum(p: Sequence[Fraction], q: Sequence[Fraction], upto: int) -> Fraction:
    """Return Σ_{i ≤ upto} |Σ_{j ≤ i} (p_j − q_j)|/(m − 1), as §5.1 prints it with m − 1 and with m for `upto`."""
    r = [a - b for a, b in zip(p, q, strict=True)]
    return sum((abs(sum(r[:i], Fraction(0))) for i in range(1, upto + 1)), Fraction(0)) / (len(r) - 1)


def is_metric(ground: GroundDistance) -> bool:
    """Say whether a ground distance is one: 0 exactly on the diagonal, symmetric, with the triangle inequality."""
    d = [[ground.distance(i, j) for j in range(ground.m)] for i in range(ground.m)]
    places = range(ground.m)
    return all(
        (d[i][j] == 0) == (i == j) and d[i][j] == d[j][i] >= 0 and d[i][k] <= d[i][j] + d[j][k]
        for i, j, k in product(places, repeat=3)
    )


@check("TC-34a", "TC-35a", "TC-36a", "TC-36b", "TC-36d")
def _ground_distances() -> dict[str, Outcome]:
    hierarchy = disease_hierarchy()
    domain = Domain.of(hierarchy.values)
    tree = Hierarchical(hierarchy, domain)
    wanted = [case for table in ("li_table4", "li_table5") for case in cases(table, "Disease", "hierarchical")]
    sums, formula = [], []
    for case in wanted:
        certificate = solve(case).certificates[0]
        extra = {label: a - b for label, a, b in zip(certificate.labels, certificate.p, certificate.q, strict=True)}
        full = [extra.get(str(value), Fraction(0)) for value in domain.values]
        levels = _extras(hierarchy.tree(), dict(zip(domain.values, full, strict=True)))
        sums += [sum(nodes, Fraction(0)) == 0 for nodes in levels]
        p, q = [max(x, Fraction(0)) for x in full], [max(-x, Fraction(0)) for x in full]
        formula.append(hierarchical_emd(p, q, *tree.nodes) == certificate.value)
    return {
        "TC-34a": Outcome(all(is_metric(Ordered(m)) for m in range(2, 8)), detail="m = 2 to 7, all triples of values"),
        "TC-35a": Outcome(all(is_metric(Equal(m)) for m in range(2, 8)), detail="m = 2 to 7, all triples of values"),
        "TC-36a": Outcome(is_metric(tree), detail=f"the {len(domain)} diseases of Figure 1, all triples"),
        "TC-36b": Outcome(all(sums), detail=f"{len(sums)} levels of {len(wanted)} classes of Tables 4 and 5"),
        "TC-36d": Outcome(all(formula), detail=f"{len(formula)} classes of Tables 4 and 5, direct children"),
    }


def _extras(node: TreeNode, extra: Mapping[Hashable, Fraction]) -> list[list[Fraction]]:
    """Return extra(N) of the nodes by level, from a node down; an inner one's is the sum of its children's."""
    if not node.children:
        return [[extra[node.label]]]
    below = [_extras(child, extra) for child in node.children]
    own = sum((levels[0][0] for levels in below), Fraction(0))
    return [[own], *([x for part in level for x in part] for level in zip_longest(*below, fillvalue=[]))]


@check("TC-45")
def _solvers() -> Outcome:
    wanted = [
        case
        for table, attribute, ground in (
            ("li_table4", "Salary", "ordered"),
            ("li_table5", "Salary", "ordered"),
            ("li_table4", "Disease", "hierarchical"),
        )
        for case in cases(table, attribute, ground)
    ]
    agree = all(len({c.value for c in solve(case).certificates}) == 1 for case in wanted)
    return Outcome(agree, detail=f"{len(wanted)} classes: min-cost flow, linear program and formula give one number")


@check("TC-49")
def _hiding_values() -> Outcome:
    tables = [example(name) for name in TABLES]
    same = []
    for table in tables:
        hidden = table.frame.assign(**dict.fromkeys(table.sensitive, "hidden"))
        sizes = hidden.groupby(list(table.quasi_identifiers)).size()
        same.append(int(sizes.min()) == k_of(table.counts()))
    return Outcome(all(same), detail=f"k of {len(tables)} tables with and without their sensitive values")


@check("TC-52")
def _more_leakage() -> Outcome:
    first, second, _ = (solve(case).value for case in cases("li_table4", "Salary", "ordered"))
    return Outcome(
        first > second,
        detail=f"the EMD is {first} and {second}; by the two other distances both are equally far",
    )


# ---------------------------------------------------------------------- Machanavajjhala et al. 2006, §4.2


def eliminations(counts: Sequence[int], c: Fraction, least: int, *, every: bool) -> bool:
    """Say whether a block is (c,ℓ)-diverse by the recursive description: any one value may be eliminated, or some one.

    A block is (c,2)-diverse if r₁ < c(r₂ + … + r_m); for ℓ > 2, if it is (c,ℓ−1)-diverse without one of its values.
    """
    ranked = sorted((n for n in counts if n), reverse=True)
    if not ranked:
        return False
    if least == 2:
        return ranked[0] < c * sum(ranked[1:])
    left = (eliminations([*ranked[:i], *ranked[i + 1 :]], c, least - 1, every=every) for i in range(len(ranked)))
    return all(left) if every else any(left)


def without_the_frequent(counts: Counts, c: Fraction, least: int, disclosable: set[int]) -> bool:
    """Say whether, without the values more frequent than the first that must not be disclosed, (c,ℓ−y+1) is kept."""
    ranked = sorted(((n, value) for value, n in enumerate(counts) if n), reverse=True)
    y = next(rank for rank, (_, value) in enumerate(ranked, 1) if value not in disclosable)
    left = [n for n, _ in ranked[y - 1 :]]
    wanted = least - y + 1
    return wanted <= 1 or left[0] < c * sum(left[wanted - 1 :])


@check("LD-28", "LD-31", "LD-32", "LD-41")
def _recursive_diversity() -> dict[str, Outcome]:
    fewest = _fewest_pieces()
    bounds = [Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(3)]
    same: dict[bool, list[bool]] = {True: [], False: []}
    for counts, c, least in product(blocks(), bounds, (2, 3)):
        closed = recursive_bound(one_class(dict(enumerate(counts))), least) < c
        for every, found in same.items():
            found.append(eliminations(counts, c, least, every=every) == closed)
    reduces, shorter = [], {True: list[str](), False: list[str]()}
    for counts, c, least, disclosable in _disclosable(bounds):
        literal = pd_recursive(counts, c, least, disclosable)
        outside = [n for value, n in enumerate(counts) if n and value not in disclosable]
        if not outside:
            continue
        if _rank(counts, disclosable) > least - 1 and c > 1:
            reduces.append(literal)
        if without_the_frequent(counts, c, least, disclosable) != literal:
            shorter[c > 1].append(f"counts {counts}, y = {_rank(counts, disclosable)}, l = {least}, c = {c}")
    return {
        "LD-28": Outcome(
            all(same[True]), {"some one value may be eliminated, not any": all(same[False])}, f"{TRIED}, l = 2 and 3"
        ),
        "LD-31": Outcome(
            all(reduces), detail=f"{TRIED}, every set of disclosable values: {len(reduces)} with y > l - 1"
        ),
        "LD-32": Outcome(
            not shorter[True] and not shorter[False],
            {"c is greater than 1": not shorter[True]},
            f"{TRIED}; it differs for {next(iter(shorter[False]), 'none')}",
        ),
        "LD-41": Outcome(
            all(pieces == sum(map(bool, counts)) - 1 for counts, pieces in fewest.items()),
            detail=f"the background knowledge attack on {len(fewest)} blocks of 2 to 4 values, every set of values "
            "being ruled out",
        ),
    }


def _fewest_pieces() -> dict[Counts, int]:
    """Return for each block of two or more values how many must be ruled out until the attack reveals one."""
    found = {}
    for counts in [*blocks(), (1, 1, 1, 1), (3, 1, 1, 2)]:
        block = one_class({value: n for value, n in enumerate(counts) if n})
        present = block.domain.values
        if len(present) > 1:
            found[counts] = min(
                size
                for size in range(len(present))
                for out in combinations(present, size)
                if len(background_knowledge_attack(block, out).affected)
            )
    return found


def _disclosable(bounds: Sequence[Fraction]) -> Iterator[tuple[Counts, Fraction, int, set[int]]]:
    for counts, c, least in product(blocks(), bounds, (2, 3)):
        for size in range(len(counts)):
            for chosen in combinations(range(len(counts)), size):
                yield counts, c, least, set(chosen)


def _rank(counts: Counts, disclosable: set[int]) -> int:
    ranked = sorted(((n, value) for value, n in enumerate(counts) if n), reverse=True)
    return next(rank for rank, (_, value) in enumerate(ranked, 1) if value not in disclosable)


# ---------------------------------------------------------------------- Soria-Comas and Domingo-Ferrer 2013, §4


@check("CM-2", "CM-3")
def _factors() -> dict[str, Outcome]:
    """The belief about a person is Q before and P after; ε-differential privacy bounds the ratio of both by exp(ε)."""
    some = [probabilities(counts) for counts in blocks(2, 3)]
    factors, beliefs = [], []
    for p, q in product(some, repeat=2):
        for bound in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)):
            close = ratio(p, q) <= bound
            within = all(x <= bound * y and y <= bound * x for x, y in zip(p, q, strict=True))
            sets = all(
                sum(p[i] for i in chosen) <= bound * sum(q[i] for i in chosen)
                and sum(q[i] for i in chosen) <= bound * sum(p[i] for i in chosen)
                for size in range(3)
                for chosen in combinations(range(2), size)
            )
            factors.append(close == within)
            beliefs.append(not close or sets)
    tried = f"tried on all pairs of distributions with counts up to 3 of 2 values, four factors: {len(factors)} cases"
    return {"CM-2": Outcome(all(factors), detail=tried), "CM-3": Outcome(all(beliefs), detail=tried)}
