"""Readings of the Earth Mover's Distance of two distributions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.answers import Answer
from tcloseness.conformance.inputs import Distributions
from tcloseness.conformance.readings.reading import convention, fault
from tcloseness.conformance.reference import NoAnswer, Question, Steps, emd

__all__ = ["DISTANCES"]


def of_distributions(formula: Callable[[Distributions], Fraction]) -> Steps:
    """Answer from two distributions and a matrix."""

    def answer(asked: Question) -> Answer:
        assert isinstance(asked.given, Distributions)
        return Answer(formula(asked.given))

    return Steps(answer=answer)


def fractions(row: Sequence[str]) -> list[Fraction]:
    """Read a row of numbers."""
    return [Fraction(x) for x in row]


def texts(row: Sequence[Fraction]) -> tuple[str, ...]:
    """Write a row of numbers."""
    return tuple(map(str, row))


def renormalised(given: Distributions) -> Fraction:
    """Divide both by their sums first."""
    p, q = fractions(given.p), fractions(given.q)
    if sum(p) <= 0 or sum(q) <= 0:
        raise NoAnswer
    return emd(replace(given, p=texts([x / sum(p) for x in p]), q=texts([x / sum(q) for x in q])))


def negatives_as_zero(given: Distributions) -> Fraction:
    """Take negative masses for 0, and divide by the sums."""
    p, q = ([max(x, Fraction(0)) for x in fractions(row)] for row in (given.p, given.q))
    return renormalised(replace(given, p=texts(p), q=texts(q)))


def pmfs_as_samples(given: Distributions) -> Fraction:
    """Take the probabilities for samples on the line, and compare those."""
    p, q = sorted(fractions(given.p)), sorted(fractions(given.q))
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / len(p)


def matrix_forgotten(given: Distributions) -> Fraction:
    """Use the distance of the values' places."""
    size = len(given.p)
    return emd(replace(given, matrix=tuple(tuple(str(abs(i - j)) for j in range(size)) for i in range(size))))


def costs_cut(given: Distributions) -> Fraction:
    """Cut the distances down to whole numbers."""
    return emd(replace(given, matrix=tuple(tuple(str(int(Fraction(x))) for x in row) for row in given.matrix)))


def masses_in_percent(given: Distributions) -> Fraction:
    """Round the masses to whole percent before they are moved."""
    p, q = ([Fraction(round(x * 100), 100) for x in fractions(row)] for row in (given.p, given.q))
    if sum(p) != sum(q) or sum(p) != 1:
        raise NoAnswer
    return emd(replace(given, p=texts(p), q=texts(q)))


def transposed(given: Distributions) -> Fraction:
    """Read the matrix by columns."""
    return emd(replace(given, matrix=tuple(zip(*given.matrix, strict=True))))


def shared_mass_stays(given: Distributions) -> Fraction:
    """Let mass that both distributions share stay where it is."""
    p, q = fractions(given.p), fractions(given.q)
    emd(given)  # or there is no answer
    rest = [max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True)]
    lack = [max(b - a, Fraction(0)) for a, b in zip(p, q, strict=True)]
    moved = sum(rest)
    if not moved:
        return Fraction(0)
    return moved * emd(replace(given, p=texts([x / moved for x in rest]), q=texts([x / moved for x in lack])))


def divided_by_largest(given: Distributions) -> Fraction:
    """Divide the matrix by its largest entry."""
    largest = max(Fraction(x) for row in given.matrix for x in row)
    return emd(given) / largest if largest else emd(given)


_EMD = ("emd",)
_MUST_REFUSE = "garbage in is answered with a number"
_NOT_THE_EMD = "the number is not the least cost of the given matrix"

DISTANCES = (
    fault(
        "renormalises",
        _EMD,
        of_distributions(renormalised),
        "divides masses by their sum without a word",
        _MUST_REFUSE,
        "a vector whose sum is not 1 is a mistake of its maker",
        needs=("not-normalised",),
    ),
    fault(
        "negatives-as-zero",
        _EMD,
        of_distributions(negatives_as_zero),
        "takes negative masses for 0",
        _MUST_REFUSE,
        "no distribution has negative masses",
        needs=("negative",),
    ),
    fault(
        "probabilities-as-samples",
        _EMD,
        of_distributions(pmfs_as_samples),
        "takes two vectors of probabilities for two samples",
        "permuted distributions have distance 0",
        "the way in which wasserstein_distance(p, q) reads its arguments",
    ),
    fault(
        "matrix-forgotten",
        _EMD,
        of_distributions(matrix_forgotten),
        "uses the distance of the values' places and not the matrix",
        _NOT_THE_EMD,
        "Li et al. 2007, section 4",
    ),
    fault(
        "costs-cut-to-whole-numbers",
        _EMD,
        of_distributions(costs_cut),
        "cuts the distances down to whole numbers",
        "distances below 1 vanish",
        "solvers for whole numbers need scaled costs",
        needs=("fractional-costs",),
    ),
    fault(
        "masses-in-percent",
        _EMD,
        of_distributions(masses_in_percent),
        "rounds the masses to hundredths",
        _NOT_THE_EMD,
        "solvers for whole numbers need the exact common denominator",
    ),
    fault(
        "matrix-transposed",
        _EMD,
        of_distributions(transposed),
        "reads the matrix by columns",
        "the cost of the way back is charged",
        "a matrix need not be symmetric",
        needs=("asymmetric",),
    ),
    fault(
        "shared-mass-stays",
        _EMD,
        of_distributions(shared_mass_stays),
        "leaves mass that both distributions share where it is",
        "right for metrics only; without the triangle inequality it can be cheaper to move it on",
        "Li et al. 2007, section 4, assume a metric",
        needs=("no-triangle",),
    ),
    convention(
        "divided-by-the-largest",
        _EMD,
        of_distributions(divided_by_largest),
        "divides the matrix by its largest entry",
        "a number in another unit",
        "ground distances are often scaled to [0, 1]",
    ),
)
