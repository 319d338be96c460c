"""Following a model along every edge of a lattice: where does a generalization make a table worse?

An edge leads from a node to a direct generalization of it. It *violates* monotonicity at a threshold and a suppression
limit if the lower node meets the threshold within the limit and the upper node does not. The suppression rule is that
of `tcloseness.lattice`: the classes that break the threshold, measured against the distribution Q of all records, are
suppressed, and may hold no more records than the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from experiments.adult_hierarchies import preset
from experiments.adult_lattices import FIVE, SEVEN, frequencies, rolled
from experiments.dataset_lattices import TABLES, rolled_up
from experiments.studies.monotonicity.kinds import Kinds, exact_ranks, tabulate
from experiments.studies.monotonicity.models import NATURAL, asked, natural_closeness
from tcloseness.errors import StudyError
from tcloseness.exact import IntArray, Rationals, number_text
from tcloseness.lattice import RollUp
from tcloseness.lattice.decide import Decider
from tcloseness.microdata import ClassCounts, Hierarchy
from tcloseness.models import ModelResult, NTCloseness
from tcloseness.models.protocol import value_texts
from tcloseness.release.counting import suppression_rows

__all__ = [
    "EIGHT",
    "EVERY",
    "FOUR",
    "LATTICES",
    "Found",
    "follow",
    "lattice",
    "left_at",
    "natural_kinds",
    "tabulated",
    "worse",
]

EIGHT = "ARX, 8 attributes"
"""The lattice of 4,320 nodes over all attributes but occupation, salary class among the quasi-identifiers."""

FOUR = "T1, 4 attributes"
"""The 120 nodes over age, education, marital status and gender: for a model that takes long, and for a quick look."""

LATTICES = (FOUR, *FIVE, *SEVEN, EIGHT)

EVERY = "every"
"""In place of a threshold: an edge violates if it does at any threshold at all."""


@cache
def lattice(name: str) -> RollUp:
    """Return the records under a lattice; by name, see `LATTICES`, or of one of the `dataset_lattices.TABLES`.

    Of Adult, occupation sensitive: those of five attributes are over the 45,222 records of the l-diversity paper, the
    others over the 30,162 of the t-closeness paper.

    Raises
    ------
    StudyError
        For another name.
    """
    if name == FOUR:
        return rolled("T1", quasi_identifiers=("age", "education", "marital-status", "sex"))
    if name in TABLES:
        return rolled_up(name)
    if name in FIVE:
        return rolled(name, "both-complete")
    if name in SEVEN:
        return rolled(name)
    if name != EIGHT:
        raise StudyError(f"there is no lattice {name!r}; there are {', '.join(LATTICES)}")
    hierarchies = preset("ARX+race") | preset("ARX")
    hierarchies["class"] = Hierarchy.suppression(["<=50K", ">50K"], name="class")
    names = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "class")
    return RollUp(frequencies("train-complete", names), {key: hierarchies[key] for key in names})


@cache
def tabulated(name: str) -> tuple[Kinds, ClassCounts]:
    """Collect the kinds of classes of a lattice, and a class of each."""
    table = lattice(name)
    found = tabulate(table)
    table.forget()  # what was rolled up on the way takes more memory than it saves time
    return found


@dataclass(frozen=True)
class Found:
    """What was found along the edges of one lattice, for one model, threshold and suppression limit.

    Attributes
    ----------
    lattice, model, threshold
        Which ones; the threshold in words, or `EVERY`.
    share, limit
        How many records may be suppressed, as a share and in whole records.
    declared
        Whether the model declares itself monotone under generalization, that is, without suppression.
    prunable
        Whether a search of `tcloseness.lattice` prunes on the model under this limit.
    edges, violating
        How many edges there are, and how many violate.
    satisfying
        How many nodes meet the threshold; None for `EVERY`.
    lower, upper, lower_value, upper_value, upper_classes
        A violating edge whose upper table has the fewest classes, the values that the two tables have after
        suppression, and that number of classes; blank without one, values also where a model joins two conditions.
    """

    lattice: str
    model: str
    threshold: str
    share: str
    limit: int
    declared: bool
    prunable: bool
    edges: int
    violating: int
    satisfying: int | None = None
    lower: str = ""
    upper: str = ""
    lower_value: str = ""
    upper_value: str = ""
    upper_classes: int = 0


@dataclass(frozen=True, eq=False)
class _Model:
    """A model that has judged the kinds of a lattice.

    Attributes
    ----------
    lost
        By threshold in words, how many records of each node are in classes that violate it.
    prunable
        By limit, whether a search prunes on the model.
    badness, left
        How bad each kind is, and for each limit and node the worst that is left; None for a model of two conditions.
    text
        The value of a kind.
    """

    name: str
    kinds: Kinds
    lost: Mapping[str, IntArray]
    declared: bool
    prunable: Mapping[int, bool]
    badness: IntArray | None = None
    left: IntArray | None = None
    text: Callable[[int], str] = str


def worse(result: ModelResult, among: IntArray | None = None) -> IntArray:
    """Return a whole number ≥ 0 for each class, the greater the worse its measured value, by exact comparison.

    Parameters
    ----------
    result
        The result of a model that measures a class by one number.
    among
        As for `exact_ranks`.
    """
    ranks = exact_ranks(result.values, among=among)
    most = int(ranks.max())
    return ranks if ranks[int(result.worst[0])] == most else most - ranks


@cache
def follow(name: str, model: str, shares: tuple[str, ...], n: int = 0) -> tuple[Found, ...]:
    """Follow a model along every edge of a lattice.

    Parameters
    ----------
    name
        The lattice, as for `lattice`.
    model
        The name of a model of `asked`, or `NATURAL`.
    shares
        Which shares of the records may be suppressed.
    n
        For `NATURAL`: the least size of a natural superset.

    Returns
    -------
    tuple of Found
        For each limit one of `EVERY` threshold, if the model measures a class by one number, and one of each of its
        thresholds.
    """
    table = lattice(name)
    limits = [suppression_rows(share, table.records) for share in shares]
    one = _natural(name, n, limits) if model == NATURAL else _usual(name, model, limits)
    found: list[Found] = []
    for number, (share, limit) in enumerate(zip(shares, limits, strict=True)):
        found += _along(name, one, share, limit, None if one.left is None else one.left[number])
    return tuple(found)


def left_at(name: str, model: str) -> IntArray:
    """Return how bad a model measures the worst class of each node, nothing suppressed: whole numbers, exact order."""
    left = _usual(name, model, [0]).left
    if left is None:
        raise StudyError(f"{model} joins two conditions, so its tables have no order; ask for each")
    return np.asarray(left[0])


def _usual(name: str, model: str, limits: Sequence[int]) -> _Model:
    (one,) = (each for each in asked(name if name in TABLES else "adult") if each.name == model)
    table, (kinds, classes) = lattice(name), tabulated(name)
    results = {words: each.evaluate(classes) for words, each in one.models.items()}
    found = _Model(
        model,
        kinds,
        {words: kinds.lost(_marks(result.violating, len(classes))) for words, result in results.items()},
        one.first.monotone.generalization,
        {limit: Decider(table, one.first, limit).prunable for limit in limits},
    )
    if not one.ordered:
        return found
    result = next(iter(results.values()))
    badness, left = _ordered(kinds, result, limits)
    return replace(found, badness=badness, left=left, text=lambda kind: value_texts(result.values[kind])["value"])


def _ordered(kinds: Kinds, result: ModelResult, limits: Sequence[int]) -> tuple[IntArray, IntArray]:
    """Return the order of the kinds and what is left at each limit and node; exact where it matters."""
    if isinstance(result.values, Rationals):
        badness = worse(result)
        return badness, kinds.worst_left(badness, limits)
    rough = worse(result, among=np.zeros(0, np.int64))  # kinds that doubles cannot tell apart are equally bad
    wanted = np.isin(rough, kinds.worst_left(rough, limits))
    badness = worse(result, among=np.flatnonzero(wanted))
    return badness, kinds.worst_left(badness, limits)


def _marks(numbers: IntArray, size: int) -> IntArray:
    marks = np.zeros(size, dtype=bool)
    marks[numbers] = True
    return marks


def _along(name: str, one: _Model, share: str, limit: int, left: IntArray | None) -> list[Found]:
    lower, upper = one.kinds.edges
    found: list[tuple[str, int | None, IntArray]] = []
    if left is not None:
        found.append((EVERY, None, np.flatnonzero(left[upper] > left[lower])))
    for words, lost in one.lost.items():
        meets = lost <= limit
        found.append((words, int(meets.sum()), np.flatnonzero(meets[lower] & ~meets[upper])))
    return [
        Found(
            name,
            one.name,
            threshold,
            share,
            limit,
            one.declared,
            one.prunable[limit],
            len(lower),
            len(edges),
            satisfying,
            **_witness(name, one, edges, left),
        )
        for threshold, satisfying, edges in found
    ]


def _witness(name: str, one: _Model, edges: IntArray, left: IntArray | None) -> dict[str, Any]:
    """Return the edge with the smallest upper table, by its number of classes."""
    if not len(edges):
        return {}
    lower, upper = (ends[edges] for ends in one.kinds.edges)
    best = np.lexsort((lower, one.kinds.classes[lower], one.kinds.classes[upper]))[0]
    words: dict[str, Any] = {"upper_classes": int(one.kinds.classes[upper[best]])}
    for end, node in (("lower", int(lower[best])), ("upper", int(upper[best]))):
        words[end] = lattice(name).lattice.text(one.kinds.node(node))
        if left is not None and one.badness is not None:
            words[f"{end}_value"] = one.text(int(np.flatnonzero(one.badness == left[node])[0]))
    return words


# ---------------------------------------------------------------------- (n,t)-closeness

_T = ("0.2", "0.4")


@cache
def natural_kinds(name: str, n: int) -> tuple[Kinds, tuple[Fraction | float, ...]]:
    """Collect the values of (n,t)-closeness of all classes of all nodes; classes with equal values are of one kind.

    Returns
    -------
    Kinds
    tuple
        The value of each kind, rising.
    """
    table = lattice(name)
    shape = table.lattice.shape
    values: list[list[Fraction | float]] = [[]] * len(table.lattice)
    sizes: list[IntArray] = [np.empty(0)] * len(table.lattice)
    for node in table.lattice.nodes():
        number = int(np.ravel_multi_index(node, shape))
        classes = table.unsorted(node)
        result = natural_closeness(table, node, n).evaluate(classes)
        values[number] = [result.values[g] for g in range(len(classes))]
        sizes[number] = classes.class_sizes
    different = tuple(sorted({value for found in values for value in found}))
    place = {value: kind for kind, value in enumerate(different)}
    starts = np.append(0, np.cumsum([len(found) for found in values]))
    kind = np.array([place[value] for found in values for value in found])
    kinds = Kinds(shape, table.records, starts, kind, np.concatenate(sizes), np.diff(starts))
    return kinds, different


def _natural(name: str, n: int, limits: Sequence[int]) -> _Model:
    kinds, values = natural_kinds(name, n)
    badness = np.arange(len(values))
    return _Model(
        NATURAL,
        kinds,
        {f"t = {t}": kinds.lost(np.array([value > Fraction(t) for value in values])) for t in _T},
        NTCloseness.monotone.generalization,
        dict.fromkeys(limits, False),  # the model is another one at each node, so no search can prune on it
        badness,
        kinds.worst_left(badness, limits),
        lambda kind: number_text(values[kind]),
    )
