"""Readings of the distance of two distributions, of losses and of lattices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.algorithms import Algorithm
from tcloseness.conformance.answers import Answer
from tcloseness.conformance.definition import Crash, Grouped, Stages, cell_loss, emd, grouped, nodes, satisfying
from tcloseness.conformance.inputs import Distributions, Table
from tcloseness.conformance.readings.reading import Reading

__all__ = ["BEYOND"]

Parameters = Mapping[str, str]


def of_distributions(formula: Callable[[Distributions], Fraction]) -> Stages:
    """Answer from two distributions and a matrix."""

    def answer(algorithm: Algorithm, given: Table | Distributions, parameters: Parameters) -> Answer:
        assert isinstance(given, Distributions)
        return Answer(formula(given))

    return Stages(answer=answer)


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
        raise Crash
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
        raise Crash
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


def of_classes(formula: Callable[[Grouped, Parameters], Fraction]) -> Stages:
    """Answer a loss from the classes."""

    def answer(algorithm: Algorithm, given: Table | Distributions, parameters: Parameters) -> Answer:
        assert isinstance(given, Table)
        return Answer(formula(grouped(given)[0], parameters))

    return Stages(answer=answer)


def of_cells(other: str, change: Callable[[Fraction, Table], Fraction] = lambda value, _: value) -> Stages:
    """Answer a loss of cells by another formula."""

    def answer(algorithm: Algorithm, given: Table | Distributions, parameters: Parameters) -> Answer:
        assert isinstance(given, Table)
        return Answer(change(cell_loss(other, given), given))

    return Stages(answer=answer)


def observed_leaves(algorithm: Algorithm, given: Table | Distributions, parameters: Parameters) -> Answer:
    """Leave values out of the hierarchy that do not occur."""
    assert isinstance(given, Table)
    kept = {
        name: tuple(path for path in paths if path[0] in given.column(name))
        for name, paths in given.hierarchies.items()
    }
    return Answer(cell_loss(algorithm.name, replace(given, hierarchies=kept)))


def outside_majority(classes: Grouped, parameters: Parameters) -> Fraction:
    """Let all of several most frequent labels win."""
    wrong = sum(n for c in classes.classes for n in c.values() if n < max(c.values()))
    return Fraction(wrong, sum(classes.sizes))


def of_nodes(pick: Callable[[Algorithm, Table, Parameters], Sequence[tuple[int, ...]]]) -> Stages:
    """Answer nodes."""

    def answer(algorithm: Algorithm, given: Table | Distributions, parameters: Parameters) -> Answer:
        assert isinstance(given, Table)
        return Answer(nodes=tuple(sorted(pick(algorithm, given, parameters))))

    return Stages(answer=answer)


def least_height(algorithm: Algorithm, table: Table, parameters: Parameters) -> Sequence[tuple[int, ...]]:
    """Return the satisfying nodes of the least height only."""
    good = satisfying(table, parameters)
    return [node for node in good if sum(node) == min(map(sum, good))]


def first_of_several(algorithm: Algorithm, table: Table, parameters: Parameters) -> Sequence[tuple[int, ...]]:
    """Return one of the nodes."""
    return nodes(algorithm, table, parameters)[:1]


def k_only(algorithm: Algorithm, table: Table, parameters: Parameters) -> Sequence[tuple[int, ...]]:
    """Ask for classes of two records whatever the model."""
    return nodes(algorithm, table, {"model": "k-anonymity", "threshold": "2"})


def lowest_optimum(algorithm: Algorithm, table: Table, parameters: Parameters) -> Sequence[tuple[int, ...]]:
    """Take the nodes of least height for the optimal ones."""
    return least_height(algorithm, table, parameters)


_EMD = ("emd",)
_LATTICE = ("minimal-nodes", "optimal-nodes")
_MUST_REFUSE = "garbage in is answered with a number"
_NOT_THE_EMD = "the number is not the least cost of the given matrix"

BEYOND = (
    Reading(
        "renormalises",
        "fault",
        _EMD,
        of_distributions(renormalised),
        "divides masses by their sum without a word",
        _MUST_REFUSE,
        "a vector whose sum is not 1 is a mistake of its maker",
        needs=("not-normalised",),
    ),
    Reading(
        "negatives-as-zero",
        "fault",
        _EMD,
        of_distributions(negatives_as_zero),
        "takes negative masses for 0",
        _MUST_REFUSE,
        "no distribution has negative masses",
        needs=("negative",),
    ),
    Reading(
        "probabilities-as-samples",
        "fault",
        _EMD,
        of_distributions(pmfs_as_samples),
        "takes two vectors of probabilities for two samples",
        "permuted distributions have distance 0",
        "the way in which wasserstein_distance(p, q) reads its arguments",
    ),
    Reading(
        "matrix-forgotten",
        "fault",
        _EMD,
        of_distributions(matrix_forgotten),
        "uses the distance of the values' places and not the matrix",
        _NOT_THE_EMD,
        "Li et al. 2007, section 4",
    ),
    Reading(
        "costs-cut-to-whole-numbers",
        "fault",
        _EMD,
        of_distributions(costs_cut),
        "cuts the distances down to whole numbers",
        "distances below 1 vanish",
        "solvers for whole numbers need scaled costs",
        needs=("fractional-costs",),
    ),
    Reading(
        "masses-in-percent",
        "fault",
        _EMD,
        of_distributions(masses_in_percent),
        "rounds the masses to hundredths",
        _NOT_THE_EMD,
        "solvers for whole numbers need the exact common denominator",
    ),
    Reading(
        "matrix-transposed",
        "fault",
        _EMD,
        of_distributions(transposed),
        "reads the matrix by columns",
        "the cost of the way back is charged",
        "a matrix need not be symmetric",
        needs=("asymmetric",),
    ),
    Reading(
        "shared-mass-stays",
        "fault",
        _EMD,
        of_distributions(shared_mass_stays),
        "leaves mass that both distributions share where it is",
        "right for metrics only; without the triangle inequality it can be cheaper to move it on",
        "Li et al. 2007, section 4, assume a metric",
        needs=("no-triangle",),
    ),
    Reading(
        "divided-by-the-largest",
        "convention",
        _EMD,
        of_distributions(divided_by_largest),
        "divides the matrix by its largest entry",
        "a number in another unit",
        "ground distances are often scaled to [0, 1]",
    ),
    Reading(
        "k-achieved",
        "convention",
        ("average-class-size",),
        of_classes(lambda c, p: Fraction(sum(c.sizes), len(c.sizes) * min(c.sizes))),
        "divides by the k that is achieved and not by the one that is aimed at",
        "better tables have worse numbers",
        "LeFevre et al. 2006 divide by the k that is asked for",
    ),
    Reading(
        "without-k",
        "convention",
        ("average-class-size",),
        of_classes(lambda c, p: Fraction(sum(c.sizes), len(c.sizes))),
        "does not divide by k",
        "a number in another unit",
        "Machanavajjhala et al. 2006 and Li et al. 2007 report it so",
    ),
    Reading(
        "mean-risk-over-classes",
        "convention",
        ("average-risk",),
        of_classes(lambda c, p: sum((Fraction(1, n) for n in c.sizes), Fraction(0)) / len(c.sizes)),
        "averages 1/size over the classes and not over the records",
        "small classes weigh more",
        "both are called average re-identification risk",
    ),
    Reading(
        "largest-risk",
        "fault",
        ("average-risk",),
        of_classes(lambda c, p: Fraction(1, min(c.sizes))),
        "reports the largest risk for the mean one",
        "a number that is another quantity",
        "the prosecutor's maximum is another measure",
    ),
    Reading(
        "all-tied-win",
        "fault",
        ("classification-metric",),
        of_classes(outside_majority),
        "lets all of several most frequent labels win",
        "a class of halves costs nothing, though half of its records are misclassified",
        "Iyengar 2002 has one majority label",
    ),
    Reading(
        "sum-of-sizes",
        "fault",
        ("discernibility",),
        of_classes(lambda c, p: Fraction(sum(c.sizes))),
        "charges each record 1 and not its class's size",
        "the number is that of the records",
        "Bayardo and Agrawal 2005",
    ),
    Reading(
        "mean-square",
        "fault",
        ("discernibility",),
        of_classes(lambda c, p: Fraction(sum(n * n for n in c.sizes), sum(c.sizes))),
        "divides by the number of records",
        "a number in another unit",
        "Bayardo and Agrawal 2005",
    ),
    Reading(
        "loss-for-precision",
        "convention",
        ("precision",),
        of_cells("precision", lambda value, _: 1 - value),
        "reports what is lost and not what is kept",
        "1 is the worst and not the best",
        "ARX reports it so",
        needs=("cells",),
    ),
    Reading(
        "leaves-less-none",
        "convention",
        ("loss-metric",),
        of_cells("certainty-penalty"),
        "divides leaves by leaves, not less 1",
        "the certainty penalty under the name of the loss metric",
        "Iyengar 2002 subtracts 1, Xu et al. 2006 do not",
        needs=("cells",),
    ),
    Reading(
        "leaves-less-one",
        "convention",
        ("certainty-penalty",),
        of_cells("loss-metric"),
        "subtracts 1 from both numbers of leaves",
        "the loss metric under the name of the certainty penalty",
        "Iyengar 2002 subtracts 1, Xu et al. 2006 do not",
        needs=("cells",),
    ),
    Reading(
        "sum-over-attributes",
        "convention",
        ("loss-metric", "certainty-penalty"),
        replace(
            Stages(),
            answer=lambda a, given, p: Answer(
                cell_loss(a.name, given) * len(given.quasi_identifiers)  # type: ignore[arg-type, union-attr]
            ),
        ),
        "sums over the attributes and does not average",
        "a number in another unit",
        "both are in use",
        needs=("cells",),
    ),
    Reading(
        "values-that-occur",
        "convention",
        ("loss-metric", "certainty-penalty"),
        Stages(answer=observed_leaves),
        "counts only values of the hierarchy that occur in the table",
        "the same label costs differently in different tables",
        "both domains are in use",
        needs=("cells",),
    ),
    Reading(
        "least-height-only",
        "convention",
        ("minimal-nodes",),
        of_nodes(least_height),
        "reports only nodes of the least height",
        "minimal nodes higher up are not seen",
        "k-minimal in the sense of Samarati 2001",
        needs=("lattice",),
    ),
    Reading(
        "all-that-satisfy",
        "fault",
        ("minimal-nodes",),
        of_nodes(lambda a, t, p: satisfying(t, p)),
        "reports all nodes that satisfy the model",
        "more is generalized than is needed",
        "minimal: no predecessor satisfies",
        needs=("lattice",),
    ),
    Reading(
        "one-of-several",
        "convention",
        _LATTICE,
        of_nodes(first_of_several),
        "reports one node where there are several",
        "which one, depends on the order of the search",
        "an optimum need not be unique",
        needs=("lattice",),
    ),
    Reading(
        "model-forgotten",
        "fault",
        _LATTICE,
        of_nodes(k_only),
        "asks for 2-anonymity whatever the model",
        "nodes are released that disclose sensitive values",
        "the model decides what a safe node is",
        needs=("lattice-with-values",),
    ),
    Reading(
        "lowest-for-best",
        "fault",
        ("optimal-nodes",),
        of_nodes(lowest_optimum),
        "takes the least height for the least loss",
        "a table is published that is coarser than needed",
        "height and discernibility rank nodes differently",
        needs=("lattice",),
    ),
)
"""What an implementation may answer beyond the models."""
