"""Readings of t-closeness: other distances, other orders of the values, other references."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.exact_text import Value, decimal
from tcloseness.conformance.inputs import Cell, Table
from tcloseness.conformance.readings.reading import (
    CLOSENESS,
    LIKENESS,
    as_algorithm,
    convention,
    fault,
    in_domain,
    of_shares,
    rounded,
    scaled,
)
from tcloseness.conformance.reference import (
    Grouped,
    NoAnswer,
    Question,
    Steps,
    distance_of_class,
    grouped,
    measure_class,
    numerators,
    prefix_work,
)

__all__ = ["CLOSE"]


def present(pairs: list[tuple[Fraction, Fraction]]) -> list[Fraction]:
    """Return p − q of the values that the class has."""
    return [p - q for p, q in pairs if p]


def kullback_leibler(pairs: list[tuple[Fraction, Fraction]]) -> Value:
    """Return Σ p·ln(p/q)."""
    total = sum((decimal(p) * decimal(p / q).ln() for p, q in pairs if p), decimal(Fraction(0)))
    return rounded(total)


def first_seen(classes: Grouped, g: int, table: Table) -> tuple[Cell, ...]:
    """Return the values in the order in which the rows bring them."""
    return tuple(v for v in dict.fromkeys(table.column(classes.attribute)) if v in classes.domain)


def as_texts(classes: Grouped, g: int, table: Table) -> tuple[Cell, ...]:
    """Return the values sorted as they are written, digit by digit."""
    return tuple(sorted(classes.domain, key=str))


def by_frequency(classes: Grouped, g: int, table: Table) -> tuple[Cell, ...]:
    """Return the values, the most frequent first."""
    return tuple(sorted(classes.domain, key=lambda v: -classes.reference[v]))


def present_m(asked: Question, classes: Grouped, g: int) -> Value:
    """Divide by the number of values in the class, less one."""
    extra, denominator = numerators(classes, g)
    work = prefix_work([extra[v] for v in classes.domain], [Fraction(1)] * (len(classes.domain) - 1))
    here = len(classes.classes[g]) - 1
    if not here:
        raise NoAnswer
    return work / (denominator * here)


def one_value_divides_by_zero(asked: Question, classes: Grouped, g: int) -> Value:
    """Divide by m − 1 also where it is 0."""
    if len(classes.domain) == 1:
        raise NoAnswer
    return measure_class(asked, classes, g)


def mean_of_classes(table: Table) -> list[Grouped]:
    """Take the plain mean of the classes' distributions for Q."""
    found = []
    for classes in grouped(table):
        size = math.lcm(*classes.sizes)
        reference = {
            v: sum(c.get(v, 0) * (size // n) for c, n in zip(classes.classes, classes.sizes, strict=True))
            for v in classes.domain
        }
        found.append(replace(classes, reference=reference))
    return found


def uniform(table: Table) -> list[Grouped]:
    """Take Q uniform over the values that occur."""
    return [replace(classes, reference=dict.fromkeys(classes.domain, 1)) for classes in grouped(table)]


def with_paths(change: Callable[[tuple[tuple[str, ...], ...]], tuple[tuple[str, ...], ...]]) -> Steps:
    """Measure with a changed hierarchy."""

    def measure(asked: Question, classes: Grouped, g: int) -> Value:
        paths = change(tuple(asked.table.hierarchies[classes.attribute]))
        seen = replace(asked.table, hierarchies={**asked.table.hierarchies, classes.attribute: paths})
        if len(paths[0]) == 1:
            return Fraction(0)
        return distance_of_class(asked.name, *numerators(classes, g), seen, classes)

    return Steps(measure=measure)


def collapsed(paths: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Leave out levels on which nothing merges."""
    levels = list(zip(*paths, strict=True))
    kept = [0]
    for h in range(1, len(levels)):
        above = {path[h:] for path in paths}
        below = {path[kept[-1] :] for path in paths}
        if len(above) < len(below):
            kept.append(h)
    return tuple(tuple(path[h] for h in kept) for path in paths)


def padded(paths: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Add a level above the root."""
    return tuple((*path, "(all)") for path in paths)


def parents_only(asked: Question, classes: Grouped, g: int) -> Value:
    """Compare the direct parents of the values only, by the equal distance."""
    extra, denominator = numerators(classes, g)
    groups: dict[tuple[str, ...], int] = {}
    for path in asked.table.hierarchies[classes.attribute]:
        groups[path[1:]] = groups.get(path[1:], 0) + extra.get(path[0], 0)
    return Fraction(sum(map(abs, groups.values())), 2 * denominator)


def root_free(asked: Question, classes: Grouped, g: int) -> Value:
    """Charge nothing for mass that crosses the root."""
    extra, denominator = numerators(classes, g)
    paths = asked.table.hierarchies[classes.attribute]
    height = len(paths[0]) - 1
    right = distance_of_class(asked.name, extra, denominator, asked.table, classes)
    below: dict[str, int] = {}
    for path in paths:
        below[path[-2]] = below.get(path[-2], 0) + extra.get(path[0], 0)
    return right - Fraction(sum(e for e in below.values() if e > 0), denominator) if height else right


def matrix_rows_by_appearance(asked: Question, classes: Grouped, g: int) -> Value:
    """Take the matrix's rows for the values in the order in which the rows of the table bring them."""
    values, matrix = asked.table.distance or ((), ())
    seen = [str(v) for v in dict.fromkeys(asked.table.column(classes.attribute))]
    names = (*seen, *(v for v in values if v not in seen))
    changed = replace(asked.table, distance=(names, matrix))
    return distance_of_class(asked.name, *numerators(classes, g), changed, classes)


def matrix_whole(asked: Question, classes: Grouped, g: int) -> Value:
    """Cut the matrix's entries down to whole numbers."""
    values, matrix = asked.table.distance or ((), ())
    cut = tuple(tuple(str(int(Fraction(cell))) for cell in row) for row in matrix)
    changed = replace(asked.table, distance=(values, cut))
    return distance_of_class(asked.name, *numerators(classes, g), changed, classes)


_TOO_SMALL = "distances come out too small, and tables are declared safe that are not"
_TOO_LARGE = "distances come out too large, and safe tables are refused"
_EITHER = "the number is another quantity: it errs on either side"
_TC = "Li et al. 2007, section 5"

CLOSE = (
    fault(
        "without-half",
        ("t-equal",),
        scaled(lambda m: Fraction(2)),
        "leaves the factor 1/2 out",
        _TOO_LARGE,
        _TC,
    ),
    fault(
        "half-of-values-present",
        ("t-equal",),
        of_shares(lambda pairs: sum((abs(d) for d in present(pairs)), Fraction(0)) / 2),
        "sums half of |p - q| over the values that the class has",
        f"the mass of absent values is forgotten: {_TOO_SMALL}",
        _TC,
    ),
    fault(
        "largest-difference-present",
        ("t-equal", "t-ordered"),
        of_shares(lambda pairs: max(abs(d) for d in present(pairs))),
        "takes the largest |p - q| of the values that the class has",
        f"another quantity than the Earth Mover's Distance: {_TOO_SMALL}",
        "found in many copies of one tutorial",
    ),
    fault(
        "kullback-leibler",
        ("t-equal", "t-ordered", "t-ordered-by-value"),
        of_shares(kullback_leibler),
        "computes the Kullback-Leibler divergence under the name of t-closeness",
        _EITHER,
        "Li et al. 2007, section 4: it does not know how far apart values are",
    ),
    fault(
        "equal-for-ordered",
        ("t-ordered", "t-ordered-by-value", "t-hierarchical", "t-matrix"),
        as_algorithm("t-equal"),
        "uses the equal distance whatever was asked",
        "semantic closeness is not seen; the number is at least as large, as no distance exceeds 1 here",
        _TC,
    ),
    fault(
        "divides-by-m",
        ("t-ordered",),
        scaled(lambda m: Fraction(max(m - 1, 1), m)),
        "divides by m in place of m - 1",
        _TOO_SMALL,
        _TC,
    ),
    fault(
        "not-divided",
        ("t-ordered",),
        scaled(lambda m: Fraction(max(m - 1, 1))),
        "does not divide by m - 1",
        _TOO_LARGE,
        _TC,
    ),
    fault(
        "order-of-appearance",
        ("t-ordered",),
        in_domain(first_seen),
        "takes the values in the order in which the rows bring them",
        f"shuffling the rows changes the answer: {_EITHER}",
        "the order belongs to the attribute",
    ),
    fault(
        "digits-as-text",
        ("t-ordered",),
        in_domain(as_texts),
        "sorts numbers as texts, so 10 comes before 9",
        _EITHER,
        "the order belongs to the attribute",
        needs=("long-numbers",),
    ),
    fault(
        "order-of-frequency",
        ("t-ordered",),
        in_domain(by_frequency),
        "orders the values by how frequent they are",
        _EITHER,
        "the order belongs to the attribute",
    ),
    fault(
        "m-of-the-class",
        ("t-ordered",),
        Steps(measure=present_m),
        "divides by the number of values in the class less one",
        "too large, and no answer for a class with one value",
        "m is the number of values of the attribute",
    ),
    fault(
        "one-value-divides-by-zero",
        ("t-ordered", "t-ordered-by-value"),
        Steps(measure=one_value_divides_by_zero),
        "divides by m - 1 = 0 for a constant attribute",
        "no answer where the distance is 0",
        "P = Q has distance 0",
        needs=("one-value",),
    ),
    convention(
        "spacing-for-ranks",
        ("t-ordered",),
        as_algorithm("t-ordered-by-value"),
        "weighs each step with the numbers' own spacing",
        "another ground distance, which must be named",
        "Li et al. 2007 count ranks",
        needs=("spaced",),
    ),
    convention(
        "ranks-for-spacing",
        ("t-ordered-by-value",),
        as_algorithm("t-ordered"),
        "counts ranks and not the numbers' own spacing",
        "another ground distance, which must be named",
        "Li et al. 2007 count ranks",
        needs=("spaced",),
    ),
    fault(
        "mean-of-classes-for-Q",
        (*CLOSENESS, *LIKENESS),
        Steps(group=mean_of_classes),
        "takes the plain mean of the classes' distributions for Q, whatever their sizes",
        "small classes pull the reference towards themselves and pass",
        "Q is the distribution of all records",
    ),
    convention(
        "uniform-Q",
        CLOSENESS,
        Steps(group=uniform),
        "takes Q uniform over the values that occur",
        "another reference distribution, which must be named",
        "some worked numbers of Li et al. 2007 rest on it",
    ),
    convention(
        "trivial-levels-left-out",
        ("t-hierarchical",),
        with_paths(collapsed),
        "does not count levels of the hierarchy on which nothing merges",
        "another height, and so another distance",
        "the height of a tree is a choice where levels repeat",
        needs=("trivial-level",),
    ),
    fault(
        "one-level-too-high",
        ("t-hierarchical",),
        with_paths(padded),
        "counts one level more than the hierarchy has",
        _EITHER,
        _TC,
    ),
    fault(
        "parents-only",
        ("t-hierarchical",),
        Steps(measure=parents_only),
        "compares the direct parents of the values and nothing above or below",
        _EITHER,
        _TC,
    ),
    fault(
        "root-free",
        ("t-hierarchical",),
        Steps(measure=root_free),
        "charges nothing for mass that crosses the root",
        _TOO_SMALL,
        "met with hierarchies that lack a common root",
    ),
    fault(
        "matrix-by-appearance",
        ("t-matrix",),
        Steps(measure=matrix_rows_by_appearance),
        "matches the matrix's rows with the values in the order of the rows, and not by name",
        _EITHER,
        "the matrix names its values",
    ),
    fault(
        "matrix-cut-to-whole-numbers",
        ("t-matrix",),
        Steps(measure=matrix_whole),
        "cuts the distances down to whole numbers",
        _TOO_SMALL,
        "solvers for whole numbers need scaled costs",
    ),
)
"""What an implementation may compute in place of the Earth Mover's Distance."""
