"""Readings of what a release discloses to somebody who knows its method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.answers import Answer
from tcloseness.conformance.disclosures import Originals, choices, disclosed, grouped_by, originals
from tcloseness.conformance.readings.reading import convention, fault
from tcloseness.conformance.reference import Question, Steps

__all__ = ["DISCLOSED"]

_COUNT, _CERTAIN, _BELIEF = "consistent-originals", "certain-values", "greatest-belief"


def of_originals(value: Callable[[Question, Originals], Fraction]) -> Steps:
    """Answer from the consistent originals."""
    return Steps(answer=lambda asked: Answer(value(asked, _found(asked))))


def _found(asked: Question) -> Originals:
    return originals(asked.table, asked.parameters["level"])


def by_classes(asked: Question, found: Originals) -> Fraction:
    """Answer from what the classes or labels allow."""
    return disclosed(asked.name, originals(asked.table, "labels"), asked.parameters)


def of_equal_sizes(asked: Question, found: Originals) -> Fraction:
    """Answer from the originals in whose releases the classes are as large."""
    if asked.parameters["level"] == "labels":
        return disclosed(asked.name, found, asked.parameters)
    left = originals(asked.table, "code", alike=lambda shown: sorted(map(len, grouped_by(shown))))
    return disclosed(asked.name, left, asked.parameters)


def of_records(asked: Question, found: Originals) -> Fraction:
    """Count each original as often as its records can be exchanged."""
    kept = set(found.found)
    return Fraction(sum(world in kept for world in choices(asked.table)))


def of_others(asked: Question, found: Originals) -> Fraction:
    """Count without the original itself."""
    return disclosed(asked.name, found, asked.parameters) - 1


def beyond_classes(asked: Question, found: Originals) -> Fraction:
    """Count what the method alone makes certain."""
    return disclosed(asked.name, found, asked.parameters) - (
        0 if asked.parameters["level"] == "labels" else by_classes(asked, found)
    )


def of_possible_values(asked: Question, found: Originals) -> Fraction:
    """Give each value that a person can have the same share."""
    possible = [set(values) for values in zip(*found.found, strict=True)]
    return max((Fraction(1, len(mine)) for mine in possible if asked.parameters["value"] in mine), default=Fraction())


def of_distinct_values(asked: Question, found: Originals) -> Fraction:
    """Count the values that occur in all originals, each once."""
    if found.of_persons:
        return disclosed(asked.name, found, asked.parameters)
    once = tuple(tuple((value, "") for value in sorted({value for value, _ in world})) for world in found.found)
    return disclosed(asked.name, replace(found, found=once), asked.parameters)


DISCLOSED = (
    fault(
        "method-ignored",
        (_COUNT, _CERTAIN, _BELIEF),
        of_originals(by_classes),
        "reads the classes and labels alone, although the method is known",
        "persons are called safe of whom only one value is consistent",
        "minimality attack, Wong et al. 2007",
    ),
    fault(
        "sizes-compared",
        (_COUNT, _CERTAIN, _BELIEF),
        of_originals(of_equal_sizes),
        "compares the sizes of the classes of two releases, and not who is in which",
        "originals are counted that the method releases otherwise",
        "consistent: the method makes the very release",
    ),
    convention(
        "records-told-apart",
        (_COUNT,),
        of_originals(of_records),
        "counts assignments of records to places, so that records of equal values are told apart",
        "numbers of originals differ by the orders of equal values; shares of them by persons do not",
        "random worlds over individuals, Wong et al. 2007",
    ),
    convention(
        "others-only",
        (_COUNT,),
        of_originals(of_others),
        "counts the other originals, without the one that was released",
        "one less; 0 where the original is known for certain",
        "a count of alternatives",
    ),
    convention(
        "beyond-classes",
        (_CERTAIN,),
        of_originals(beyond_classes),
        "counts only what is certain by the method and was not by the classes or labels alone",
        "homogeneous classes are left out",
        "what knowledge of the method adds",
    ),
    fault(
        "distinct-values-only",
        (_CERTAIN,),
        of_originals(of_distinct_values),
        "counts each value that occurs in all originals once, however many records have it",
        "less is reported than is disclosed",
        "a table is a multiset of records",
    ),
    fault(
        "possible-for-probable",
        (_BELIEF,),
        of_originals(of_possible_values),
        "gives all values that a person can have the same belief",
        "a value that nearly all originals have looks like any other",
        "random worlds: originals are equally probable, values are not",
    ),
)
