"""How a reading replaces the measure of a class: by another formula, another order, another factor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from tcloseness.conformance.algorithms import Algorithm
from tcloseness.conformance.definition import (
    Grouped,
    Stages,
    distance_of_class,
    measure_class,
    numerators,
)
from tcloseness.conformance.exact_text import Value
from tcloseness.conformance.inputs import Cell, Table

__all__ = ["Formula", "as_algorithm", "in_domain", "of_counts", "of_shares", "rounded", "scaled"]

Parameters = Mapping[str, str]
Formula = Callable[[Algorithm, Grouped, int, Table, Parameters], Value]


def of_counts(formula: Callable[[list[int], Parameters], Value]) -> Stages:
    """Measure a class by its counts in descending order."""

    def measure(algorithm: Algorithm, classes: Grouped, g: int, table: Table, parameters: Parameters) -> Value:
        return formula(sorted(classes.classes[g].values(), reverse=True), parameters)

    return Stages(measure=measure)


def of_shares(formula: Callable[[list[tuple[Fraction, Fraction]]], Value]) -> Stages:
    """Measure a class by the pairs (p, q) of all values in order."""

    def measure(algorithm: Algorithm, classes: Grouped, g: int, table: Table, parameters: Parameters) -> Value:
        counts, n, total = classes.classes[g], classes.sizes[g], sum(classes.reference.values())
        return formula([(Fraction(counts.get(v, 0), n), Fraction(classes.reference[v], total)) for v in classes.domain])

    return Stages(measure=measure)


def as_algorithm(name: str) -> Stages:
    """Measure by another algorithm's formula; values that are no numbers have no spacing, and keep their own."""

    def measure(algorithm: Algorithm, classes: Grouped, g: int, table: Table, parameters: Parameters) -> Value:
        spaced = name != "t-ordered-by-value" or not any(isinstance(v, str) for v in classes.domain)
        return measure_class(replace(algorithm, name=name) if spaced else algorithm, classes, g, table, parameters)

    return Stages(measure=measure)


def in_domain(reorder: Callable[[Grouped, int, Table], tuple[Cell, ...]]) -> Stages:
    """Measure with the values in another order, or with only some of them in m."""

    def measure(algorithm: Algorithm, classes: Grouped, g: int, table: Table, parameters: Parameters) -> Value:
        extra, denominator = numerators(classes, g)
        seen = replace(classes, domain=reorder(classes, g, table))
        return distance_of_class(algorithm.name, extra, denominator, table, seen)

    return Stages(measure=measure)


def scaled(factor: Callable[[int], Fraction]) -> Stages:
    """Multiply the right distance by a factor that depends on m."""

    def measure(algorithm: Algorithm, classes: Grouped, g: int, table: Table, parameters: Parameters) -> Value:
        value = measure_class(algorithm, classes, g, table, parameters)
        return value * factor(len(classes.domain)) if isinstance(value, Fraction) else value

    return Stages(measure=measure)


def rounded(number: Decimal) -> Fraction:
    """Return a number to 20 digits: it has no short exact text."""
    return Fraction(f"{number:.20g}")
