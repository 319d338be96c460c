"""Readings of the nodes that a search of a generalization lattice returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tcloseness.conformance.answers import Answer
from tcloseness.conformance.readings.reading import convention, fault
from tcloseness.conformance.reference import Question, Steps, nodes, satisfying

__all__ = ["LATTICES"]


def of_nodes(pick: Callable[[Question], Sequence[tuple[int, ...]]]) -> Steps:
    """Answer nodes."""

    def answer(asked: Question) -> Answer:
        return Answer(nodes=tuple(sorted(pick(asked))))

    return Steps(answer=answer)


def least_height(asked: Question) -> Sequence[tuple[int, ...]]:
    """Return the satisfying nodes of the least height only."""
    good = satisfying(asked)
    return [node for node in good if sum(node) == min(map(sum, good))]


def first_of_several(asked: Question) -> Sequence[tuple[int, ...]]:
    """Return one of the nodes."""
    return nodes(asked)[:1]


def k_only(asked: Question) -> Sequence[tuple[int, ...]]:
    """Ask for classes of two records whatever the model."""
    return nodes(asked.but(model="k-anonymity", threshold="2"))


_LATTICE = ("minimal-nodes", "optimal-nodes")

LATTICES = (
    convention(
        "least-height-only",
        ("minimal-nodes",),
        of_nodes(least_height),
        "reports only nodes of the least height",
        "minimal nodes higher up are not seen",
        "k-minimal in the sense of Samarati 2001",
    ),
    fault(
        "all-that-satisfy",
        ("minimal-nodes",),
        of_nodes(satisfying),
        "reports all nodes that satisfy the model",
        "more is generalized than is needed",
        "minimal: no predecessor satisfies",
    ),
    convention(
        "one-of-several",
        _LATTICE,
        of_nodes(first_of_several),
        "reports one node where there are several",
        "which one, depends on the order of the search",
        "an optimum need not be unique",
    ),
    fault(
        "model-forgotten",
        _LATTICE,
        of_nodes(k_only),
        "asks for 2-anonymity whatever the model",
        "nodes are released that disclose sensitive values",
        "the model decides what a safe node is",
    ),
    fault(
        "lowest-for-best",
        ("optimal-nodes",),
        of_nodes(least_height),
        "takes the least height for the least loss",
        "a table is published that is coarser than needed",
        "height and discernibility rank nodes differently",
    ),
)
