"""Readings of the losses of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.answers import Answer
from tcloseness.conformance.readings.reading import convention, fault
from tcloseness.conformance.reference import Grouped, Question, Steps, cell_loss, grouped

__all__ = ["LOSSES"]


def of_classes(formula: Callable[[Grouped], Fraction]) -> Steps:
    """Answer a loss from the classes."""

    def answer(asked: Question) -> Answer:
        return Answer(formula(grouped(asked.table)[0]))

    return Steps(answer=answer)


def of_cells(other: str, change: Callable[[Fraction], Fraction] = lambda value: value) -> Steps:
    """Answer a loss of cells by another formula."""

    def answer(asked: Question) -> Answer:
        return Answer(change(cell_loss(other, asked.table)))

    return Steps(answer=answer)


def observed_leaves(asked: Question) -> Answer:
    """Leave values out of the hierarchy that do not occur."""
    kept = {
        name: tuple(path for path in paths if path[0] in asked.table.column(name))
        for name, paths in asked.table.hierarchies.items()
    }
    return Answer(cell_loss(asked.name, replace(asked.table, hierarchies=kept)))


def outside_majority(classes: Grouped) -> Fraction:
    """Let all of several most frequent labels win."""
    wrong = sum(n for c in classes.classes for n in c.values() if n < max(c.values()))
    return Fraction(wrong, sum(classes.sizes))


LOSSES = (
    convention(
        "k-achieved",
        ("average-class-size",),
        of_classes(lambda c: Fraction(sum(c.sizes), len(c.sizes) * min(c.sizes))),
        "divides by the k that is achieved and not by the one that is aimed at",
        "better tables have worse numbers",
        "LeFevre et al. 2006 divide by the k that is asked for",
    ),
    convention(
        "without-k",
        ("average-class-size",),
        of_classes(lambda c: Fraction(sum(c.sizes), len(c.sizes))),
        "does not divide by k",
        "a number in another unit",
        "Machanavajjhala et al. 2006 and Li et al. 2007 report it so",
    ),
    convention(
        "mean-risk-over-classes",
        ("average-risk",),
        of_classes(lambda c: sum((Fraction(1, n) for n in c.sizes), Fraction(0)) / len(c.sizes)),
        "averages 1/size over the classes and not over the records",
        "small classes weigh more",
        "both are called average re-identification risk",
    ),
    fault(
        "largest-risk",
        ("average-risk",),
        of_classes(lambda c: Fraction(1, min(c.sizes))),
        "reports the largest risk for the mean one",
        "a number that is another quantity",
        "the prosecutor's maximum is another measure",
    ),
    fault(
        "all-tied-win",
        ("classification-metric",),
        of_classes(outside_majority),
        "lets all of several most frequent labels win",
        "a class of halves costs nothing, though half of its records are misclassified",
        "Iyengar 2002 has one majority label",
    ),
    fault(
        "sum-of-sizes",
        ("discernibility",),
        of_classes(lambda c: Fraction(sum(c.sizes))),
        "charges each record 1 and not its class's size",
        "the number is that of the records",
        "Bayardo and Agrawal 2005",
    ),
    fault(
        "mean-square",
        ("discernibility",),
        of_classes(lambda c: Fraction(sum(n * n for n in c.sizes), sum(c.sizes))),
        "divides by the number of records",
        "a number in another unit",
        "Bayardo and Agrawal 2005",
    ),
    convention(
        "loss-for-precision",
        ("precision",),
        of_cells("precision", lambda value: 1 - value),
        "reports what is lost and not what is kept",
        "1 is the worst and not the best",
        "ARX reports it so",
    ),
    convention(
        "leaves-less-none",
        ("loss-metric",),
        of_cells("certainty-penalty"),
        "divides leaves by leaves, not less 1",
        "the certainty penalty under the name of the loss metric",
        "Iyengar 2002 subtracts 1, Xu et al. 2006 do not",
    ),
    convention(
        "leaves-less-one",
        ("certainty-penalty",),
        of_cells("loss-metric"),
        "subtracts 1 from both numbers of leaves",
        "the loss metric under the name of the certainty penalty",
        "Iyengar 2002 subtracts 1, Xu et al. 2006 do not",
    ),
    convention(
        "sum-over-attributes",
        ("loss-metric", "certainty-penalty"),
        Steps(answer=lambda asked: Answer(cell_loss(asked.name, asked.table) * len(asked.table.quasi_identifiers))),
        "sums over the attributes and does not average",
        "a number in another unit",
        "both are in use",
    ),
    convention(
        "values-that-occur",
        ("loss-metric", "certainty-penalty"),
        Steps(answer=observed_leaves),
        "counts only values of the hierarchy that occur in the table",
        "the same label costs differently in different tables",
        "both domains are in use",
    ),
)
