"""A reading: the same algorithm as somebody else understands it, by convention or by mistake."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Literal

from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.exact_text import Value
from tcloseness.conformance.inputs import Cell, Table
from tcloseness.conformance.reference import (
    Grouped,
    Parameters,
    Question,
    Steps,
    count_rows,
    distance_of_class,
    measure_class,
    numerators,
)

__all__ = [
    "BY_KEYS",
    "CLOSENESS",
    "DIVERSITY",
    "LIKENESS",
    "MODELS",
    "WITH_VALUES",
    "Reading",
    "as_algorithm",
    "by_keys",
    "convention",
    "fault",
    "in_domain",
    "of_counts",
    "of_shares",
    "rounded",
    "scaled",
]

MODELS = tuple(a.name for a in ALGORITHMS.values() if a.kind == "model")
DIVERSITY = ("distinct-l", "entropy-l", "recursive-cl", "frequency-l", "alpha-k")
CLOSENESS = tuple(name for name in MODELS if name.startswith("t-"))
LIKENESS = ("beta-basic", "beta-enhanced", "delta-disclosure")
WITH_VALUES = (*DIVERSITY, *CLOSENESS, *LIKENESS)
BY_KEYS = (*MODELS, "discernibility", "average-class-size", "average-risk", "classification-metric")


@dataclass(frozen=True)
class Reading:
    """Another way to understand an algorithm. A vector carries its name as a flag exactly if its answer differs there.

    Attributes
    ----------
    kind
        ``convention``: a defensible choice that must be named; ``fault``: an answer that is wrong.
    name
        The flag.
    algorithms
        The algorithms for which it is defined.
    steps
        What it does.
    probes, why
        What goes wrong, in a line; and what comes of it.
    reference
        Where it was met, or what speaks against it.
    needs
        What an input must have for it to show, for the generator; several where it shows in different ways.
    variants
        In how many variants such inputs come, as by separator or word; 0: in one.
    """

    kind: Literal["convention", "fault"]
    name: str
    algorithms: Collection[str]
    steps: Steps
    probes: str
    why: str
    reference: str
    needs: tuple[str, ...] = ("plain",)
    variants: int = 0

    def note(self) -> dict[str, Any]:
        """Return what a file of vectors says about the flag."""
        return {"kind": self.kind, "probes": self.probes, "why": self.why, "reference": self.reference}


convention = partial(Reading, "convention")
fault = partial(Reading, "fault")


# ---------------------------------------------------------------------- other classes, another measure of a class


def by_keys(
    keys: Callable[[Table], Sequence[object]], cells: Callable[[Table, str], Sequence[Cell]] = Table.column
) -> Steps:
    """Group the records by other keys, perhaps with sensitive values that are read in another way."""

    def group(table: Table) -> Sequence[Grouped]:
        found = keys(table)
        return [count_rows(found, cells(table, name), table.counts, table, name) for name in table.sensitive]

    return Steps(group=group)


def of_counts(formula: Callable[[list[int], Parameters], Value]) -> Steps:
    """Measure a class by its counts in descending order."""

    def measure(asked: Question, classes: Grouped, g: int) -> Value:
        return formula(sorted(classes.classes[g].values(), reverse=True), asked.parameters)

    return Steps(measure=measure)


def of_shares(formula: Callable[[list[tuple[Fraction, Fraction]]], Value]) -> Steps:
    """Measure a class by the pairs (p, q) of all values in order."""

    def measure(asked: Question, classes: Grouped, g: int) -> Value:
        counts, n, total = classes.classes[g], classes.sizes[g], sum(classes.reference.values())
        return formula([(Fraction(counts.get(v, 0), n), Fraction(classes.reference[v], total)) for v in classes.domain])

    return Steps(measure=measure)


def as_algorithm(name: str) -> Steps:
    """Measure by another algorithm's formula; values that are not numbers have no spacing, and keep their own."""

    def measure(asked: Question, classes: Grouped, g: int) -> Value:
        spaced = name != "t-ordered-by-value" or not any(isinstance(v, str) for v in classes.domain)
        algorithm = replace(asked.algorithm, name=name) if spaced else asked.algorithm
        return measure_class(replace(asked, algorithm=algorithm), classes, g)

    return Steps(measure=measure)


def in_domain(reorder: Callable[[Grouped, int, Table], tuple[Cell, ...]]) -> Steps:
    """Measure with the values in another order, or with only some of them in m."""

    def measure(asked: Question, classes: Grouped, g: int) -> Value:
        extra, denominator = numerators(classes, g)
        seen = replace(classes, domain=reorder(classes, g, asked.table))
        return distance_of_class(asked.name, extra, denominator, asked.table, seen)

    return Steps(measure=measure)


def scaled(factor: Callable[[int], Fraction]) -> Steps:
    """Multiply the right distance by a factor that depends on m."""

    def measure(asked: Question, classes: Grouped, g: int) -> Value:
        value = measure_class(asked, classes, g)
        return value * factor(len(classes.domain)) if isinstance(value, Fraction) else value

    return Steps(measure=measure)


def rounded(number: Decimal) -> Fraction:
    """Return a number to 20 digits: it has no short exact text."""
    return Fraction(f"{number:.20g}")
