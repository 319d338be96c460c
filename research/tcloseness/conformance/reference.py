"""Every algorithm once more, from its definition, in plain Python: the second computation beside the package's models.

It shares nothing with them but the numbers' texts. It runs in four steps, and a *reading* (another convention, or a
known mistake) replaces one of them: group the records, measure a class, take the worst, decide the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import product
from operator import add
from typing import Any

from tcloseness.conformance.algorithms import Algorithm, algorithm_named
from tcloseness.conformance.answers import Answer, Nodes, Refused
from tcloseness.conformance.disclosures import disclosed, originals
from tcloseness.conformance.exact_text import INFINITE, Logarithm, Product, Value, in_primes, logarithm, order
from tcloseness.conformance.inputs import Cell, Distributions, Table

__all__ = [
    "Grouped",
    "NoAnswer",
    "Steps",
    "decide",
    "grouped",
    "least_cost",
    "measure_class",
    "numerators",
    "reference_answer",
    "worst",
]

Counts = Mapping[Cell, int]
Parameters = Mapping[str, str]


@dataclass(frozen=True)
class Question:
    """What a test asks: an algorithm, with an input and parameters."""

    algorithm: Algorithm
    given: Table | Distributions
    parameters: Parameters

    @property
    def name(self) -> str:
        """The algorithm's name."""
        return self.algorithm.name

    @property
    def table(self) -> Table:
        """The input of an algorithm that reads a table."""
        assert isinstance(self.given, Table)
        return self.given

    @property
    def threshold(self) -> Fraction:
        """What the value is compared with."""
        assert self.algorithm.threshold is not None
        return Fraction(self.parameters[self.algorithm.threshold])

    def but(self, **parameters: str) -> Question:
        """Return the question with other parameters."""
        return replace(self, parameters={**self.parameters, **parameters})


class NoAnswer(Exception):  # noqa: N818 (what it stands for: a reading that ends without an answer)
    """A reading has no answer on this input."""


@dataclass(frozen=True)
class Grouped:
    """The counts of each class by sensitive value, the reference counts, and the values in order."""

    classes: tuple[Counts, ...]
    reference: Counts
    domain: tuple[Cell, ...]
    attribute: str
    excluded: int = 0

    @property
    def sizes(self) -> list[int]:
        """The records of each class."""
        return [sum(counts.values()) for counts in self.classes]


Group = Callable[[Table], Sequence[Grouped]]
Measure = Callable[[Question, Grouped, int], Value]
Worst = Callable[[Algorithm, Sequence[Value], Sequence[int]], Value]
Decide = Callable[[Question, Value, Sequence[Grouped]], bool]


# ---------------------------------------------------------------------- step 1: group


def keys_of(table: Table) -> list[tuple[Cell, ...]]:
    """Return each row's quasi-identifier values, generalized to the table's levels; a missing value is a value."""
    columns = []
    for name in table.quasi_identifiers:
        cells = table.column(name)
        level = table.levels.get(name, 0)
        if level:
            up = {path[0]: path[level] for path in table.hierarchies[name]}
            cells = [up[str(cell)] for cell in cells]
        columns.append(cells)
    return list(zip(*columns, strict=True)) if columns else [() for _ in table.rows]


def in_order(values: Sequence[Cell], table: Table) -> tuple[Cell, ...]:
    """Return the different values in the declared order, or numbers ascending, or texts sorted; missing last."""
    if table.order is not None:
        return tuple(v for v in table.order if v in values)
    return tuple(sorted(set(values), key=lambda v: (v is None, "" if v is None else v)))


def count_rows(
    keys: Sequence[Any], cells: Sequence[Cell], times: Sequence[int], table: Table, attribute: str
) -> Grouped:
    """Count records by key and value."""
    classes: dict[Any, dict[Cell, int]] = {}
    reference: dict[Cell, int] = {}
    for key, cell, n in zip(keys, cells, times, strict=True):
        counts = classes.setdefault(key, {})
        counts[cell] = counts.get(cell, 0) + n
        reference[cell] = reference.get(cell, 0) + n
    return Grouped(tuple(classes.values()), reference, in_order(cells, table), attribute)


def grouped(table: Table) -> Sequence[Grouped]:
    """Group the records by their quasi-identifiers, once for each sensitive attribute."""
    keys = keys_of(table)
    return [count_rows(keys, table.column(name), table.counts, table, name) for name in table.sensitive]


# ---------------------------------------------------------------------- step 2: measure a class


def numerators(classes: Grouped, g: int) -> tuple[dict[Cell, int], int]:
    """Return (p − q) of class g as whole numbers c·N − C·n over the denominator n·N."""
    counts, n, total = classes.classes[g], classes.sizes[g], sum(classes.reference.values())
    return {v: counts.get(v, 0) * total - classes.reference.get(v, 0) * n for v in classes.domain}, n * total


def measure_class(asked: Question, classes: Grouped, g: int) -> Value:
    """Measure one class by the algorithm's formula."""
    counts = classes.classes[g]
    r = sorted(counts.values(), reverse=True)
    n = sum(r)
    match asked.name:
        case "k-anonymity":
            return Fraction(n)
        case "distinct-l":
            return Fraction(len(r))
        case "entropy-l":
            return entropy_l(r)
        case "recursive-cl":
            l = int(asked.parameters["l"])  # noqa: E741
            tail = sum(r[l - 1 :])
            return Fraction(0) if l == 1 else Fraction(r[0], tail) if tail else INFINITE
        case "frequency-l":
            return Fraction(n, r[0])
        case "alpha-k":
            return Fraction(r[0], n)
        case "beta-basic":
            return max(gain for gain, _ in gains(classes, g))
        case "beta-enhanced":
            found = gains(classes, g)
            above = any(gain > 0 and order(Logarithm(1 / q, "e"), gain) < 0 for gain, q in found)
            return INFINITE if above else max(gain for gain, _ in found)
        case "delta-disclosure":
            ratios = [ratio for ratio in ratios_of(classes, g) if ratio is not None]
            if len(ratios) < len(classes.domain):
                return INFINITE
            return logarithm(max(max(ratio, 1 / ratio) for ratio in ratios), asked.parameters["base"])
    return distance_of_class(asked.name, *numerators(classes, g), asked.table, classes)


def entropy_l(counts: Sequence[int]) -> Value:
    """Return exp(H) = n·Π c^(−c/n) of a class."""
    counts = [c for c in counts if c]
    n = sum(counts)
    powers: dict[int, Fraction] = {n: Fraction(1)}
    for c in counts:
        powers[c] = powers.get(c, Fraction(0)) - Fraction(c, n)
    return Product.of(in_primes(powers))


def gains(classes: Grouped, g: int) -> list[tuple[Fraction, Fraction]]:
    """Return (p − q)/q and q of each value of the reference."""
    counts, n, total = classes.classes[g], classes.sizes[g], sum(classes.reference.values())
    return [
        (Fraction(counts.get(v, 0) * total, n * c) - 1, Fraction(c, total)) for v, c in classes.reference.items() if c
    ]


def ratios_of(classes: Grouped, g: int) -> list[Fraction | None]:
    """Return p/q of each value, None where the class lacks it."""
    return [gain + 1 if gain > -1 else None for gain, _ in gains(classes, g)]


def distance_of_class(
    name: str, extra: Mapping[Cell, int], denominator: int, table: Table, classes: Grouped
) -> Fraction:
    """Return the EMD of a class from (p − q)·denominator, by the closed form of its ground distance."""
    values = classes.domain
    match name:
        case "t-equal":
            return Fraction(sum(abs(e) for e in extra.values()), 2 * denominator)
        case "t-ordered":
            return prefix_work([extra[v] for v in values], [Fraction(1)] * (len(values) - 1)) / (
                denominator * max(len(values) - 1, 1)
            )
        case "t-ordered-by-value":
            if len(values) == 1:
                return Fraction(0)
            places = [Fraction(v) for v in values]  # type: ignore[arg-type]
            gaps = [b - a for a, b in zip(places, places[1:], strict=False)]
            return prefix_work([extra[v] for v in values], gaps) / (denominator * (places[-1] - places[0]))
        case "t-hierarchical":
            return tree_work(extra, table.hierarchies[classes.attribute]) / denominator
    names, matrix = table.distance or ((), ())
    costs, scale = whole([[Fraction(cell) for cell in row] for row in matrix])
    surplus = [extra.get(v, 0) for v in names]
    kept = [max(-min(surplus), 0)] * len(surplus)  # any amount of shared mass: the problem is solved as a whole
    moved = least_cost([k + s for k, s in zip(kept, surplus, strict=True)], kept, costs)
    return Fraction(moved, denominator * scale)


def added(terms: Iterable[Any]) -> Any:
    """Add one after another: from Python 3.12 on `sum` keeps what is rounded away of doubles, and others do not."""
    return reduce(add, terms, 0)


def prefix_work(extra: Sequence[Any], weights: Sequence[Any]) -> Fraction:
    """Return Σ |prefix sum| · weight; of doubles in doubles, left to right."""
    total, running = Fraction(0), 0
    for e, weight in zip(extra, weights, strict=False):
        running += e
        total += abs(running) * weight
    return total


def tree_work(extra: Mapping[Cell, Any], paths: Sequence[Sequence[str]]) -> Fraction:
    """Return Σ over inner nodes of height/H · min(pos, neg) of their children's surplus (Li et al. 2007, §5.2).

    Of doubles it is computed in doubles.
    """
    height, total = len(paths[0]) - 1, Fraction(0)
    here: dict[tuple[str, ...], Any] = {tuple(path): extra.get(path[0], 0) for path in paths}
    for h in range(1, height + 1):
        below: dict[tuple[str, ...], list[Any]] = {}
        for node, e in here.items():
            below.setdefault(node[1:], []).append(e)
        for children in below.values():
            positive, negative = added(e for e in children if e > 0), -added(e for e in children if e < 0)
            total += Fraction(h, height) * min(positive, negative)
        here = {node: added(children) for node, children in below.items()}
    return total


def whole(matrix: Sequence[Sequence[Fraction]]) -> tuple[list[list[int]], int]:
    """Return a matrix as whole numbers over a common denominator."""
    scale = math.lcm(1, *(cell.denominator for row in matrix for cell in row))
    return [[int(cell * scale) for cell in row] for row in matrix], scale


# ---------------------------------------------------------------------- steps 3 and 4: the worst class, the verdict


def worst(algorithm: Algorithm, values: Sequence[Value], sizes: Sequence[int]) -> Value:
    """Return the least private value of all classes."""
    found = values[0]
    for value in values[1:]:
        if (order(value, found) < 0) == algorithm.larger_is_safer and order(value, found):
            found = value
    return found


def decide(asked: Question, value: Value, groups: Sequence[Grouped]) -> bool:
    """Compare the value with the threshold, exactly."""
    side = order(value, asked.threshold) * (1 if asked.algorithm.larger_is_safer else -1)
    holds = side > 0 if asked.algorithm.strict else side >= 0
    if asked.name == "recursive-cl" and asked.parameters["l"] == "1":
        return True
    if asked.name == "alpha-k":
        return holds and min(groups[0].sizes) >= int(asked.parameters["k"])
    return holds


@dataclass(frozen=True)
class Steps:
    """The four steps; a reading replaces one of them, or answers as a whole."""

    group: Group = grouped
    measure: Measure = measure_class
    worst: Worst = worst
    decide: Decide = decide
    answer: Callable[[Question], Answer] | None = None


def reference_answer(
    name: str, given: Table | Distributions, parameters: Parameters, steps: Steps | None = None
) -> Answer | Refused:
    """Answer a test from the definition, or as a reading has it."""
    steps = steps or Steps()
    asked = Question(algorithm_named(name), given, parameters)
    try:
        if steps.answer is not None:
            return steps.answer(asked)
        if isinstance(given, Distributions):
            return Answer(emd(given))
        if asked.algorithm.kind == "loss":
            classes = steps.group(given)[0]
            if not classes.classes:
                raise NoAnswer
            return Answer(loss(asked, classes), excluded=classes.excluded)
        if asked.algorithm.kind == "lattice":
            return Answer(nodes=nodes(asked))
        if asked.algorithm.kind == "disclosure":
            return Answer(disclosed(name, originals(given, parameters["level"]), parameters))
        return model(asked, steps)
    except NoAnswer:
        return Refused()


def model(asked: Question, steps: Steps) -> Answer:
    """Run the four steps."""
    groups = steps.group(asked.table)
    if not all(group.classes for group in groups):
        raise NoAnswer
    values, sizes = [], []
    for group in groups:
        values += [steps.measure(asked, group, g) for g in range(len(group.classes))]
        sizes += group.sizes
    value = steps.worst(asked.algorithm, values, sizes)
    return Answer(value, steps.decide(asked, value, groups), excluded=groups[0].excluded)


# ---------------------------------------------------------------------- distances, losses, lattices


def emd(given: Distributions) -> Fraction:
    """Return the EMD of two distributions.

    `NoAnswer` for negative masses, unequal sums or a negative distance: there is no answer.
    """
    p, q = [Fraction(x) for x in given.p], [Fraction(x) for x in given.q]
    matrix = [[Fraction(x) for x in row] for row in given.matrix]
    if min(*p, *q, *(x for row in matrix for x in row)) < 0 or sum(p) != 1 or sum(q) != 1 or len(p) != len(q):
        raise NoAnswer
    masses, unit = whole([p, q])
    costs, scale = whole(matrix)
    return Fraction(least_cost(masses[0], masses[1], costs), unit * scale)


def loss(asked: Question, classes: Grouped) -> Fraction:
    """Measure a loss."""
    sizes = classes.sizes
    n = sum(sizes)
    match asked.name:
        case "discernibility":
            return Fraction(sum(size * size for size in sizes))
        case "average-class-size":
            return Fraction(n, len(sizes) * int(asked.parameters["k"]))
        case "average-risk":
            return Fraction(len(sizes), n)
        case "classification-metric":
            return Fraction(n - sum(max(counts.values()) for counts in classes.classes), n)
    return cell_loss(asked.name, asked.table)


def cell_loss(name: str, table: Table) -> Fraction:
    """Measure a loss that is a mean over cells."""
    cells = []
    for attribute in table.quasi_identifiers:
        paths, level = table.hierarchies[attribute], table.levels.get(attribute, 0)
        up = {path[0]: path[level:] for path in paths}
        for cell, times in zip(table.column(attribute), table.counts, strict=True):
            below = sum(1 for path in paths if path[level:] == up[str(cell)])
            share = {
                "precision": Fraction(level, len(paths[0]) - 1),
                "loss-metric": Fraction(below - 1, len(paths) - 1) if len(paths) > 1 else Fraction(0),
                "certainty-penalty": Fraction(below, len(paths)) if below > 1 else Fraction(0),
            }[name]
            cells += [(share, times)]
    mean = sum((share * times for share, times in cells), Fraction(0)) / sum(times for _, times in cells)
    return 1 - mean if name == "precision" else mean


def satisfying(asked: Question) -> list[tuple[int, ...]]:
    """Return all nodes that satisfy the model, each measured by itself."""
    wanted = algorithm_named(asked.parameters["model"])
    assert wanted.threshold is not None
    parameters = {wanted.threshold: asked.parameters["threshold"]}
    heights = [len(asked.table.hierarchies[name][0]) for name in asked.table.quasi_identifiers]
    found = []
    for node in product(*(range(h) for h in heights)):
        answer = reference_answer(wanted.name, at_node(asked.table, node), parameters)
        if isinstance(answer, Answer) and answer.satisfied:
            found.append(node)
    return found


def at_node(table: Table, node: tuple[int, ...]) -> Table:
    """Return the table generalized to a node."""
    return replace(table, levels=dict(zip(table.quasi_identifiers, node, strict=True)))


def nodes(asked: Question) -> Nodes:
    """Return the minimal or the optimal nodes of a lattice, by trying all of them."""
    good = satisfying(asked)
    if asked.name == "minimal-nodes":
        below = [(a, b) for a, b in product(good, good) if a != b and all(x <= y for x, y in zip(a, b, strict=True))]
        return tuple(sorted(set(good) - {b for _, b in below}))
    squares = {node: sum(n * n for n in grouped(at_node(asked.table, node))[0].sizes) for node in good}
    return tuple(sorted(node for node, square in squares.items() if square == min(squares.values())))


# ---------------------------------------------------------------------- transport


def least_cost(supplies: Sequence[int], demands: Sequence[int], costs: Sequence[Sequence[int]]) -> int:
    """Return the least Σ f_ij·c_ij with row sums `supplies` and column sums `demands`.

    Parameters
    ----------
    supplies, demands
        Whole numbers ≥ 0 of one sum.
    costs
        Whole numbers ≥ 0, one row a supply.

    Notes
    -----
    Each round sends as much as possible along a cheapest path of the residual graph (Bellman–Ford); the flow stays
    optimal for the amount sent, so the last one is optimal. Nothing assumes a metric. Meant for a dozen values.
    """
    left, wanted = list(supplies), list(demands)
    flow = [[0] * len(wanted) for _ in left]
    total = 0
    while any(left):
        path, price = _cheapest_path(left, wanted, costs, flow)
        amount = min(left[path[0]], wanted[path[-1]])
        for step in range(1, len(path) - 1, 2):  # back along flow that is there
            amount = min(amount, flow[path[step + 1]][path[step]])
        for step in range(0, len(path) - 1, 2):
            flow[path[step]][path[step + 1]] += amount
        for step in range(1, len(path) - 1, 2):
            flow[path[step + 1]][path[step]] -= amount
        left[path[0]] -= amount
        wanted[path[-1]] -= amount
        total += amount * price
    return total


def _cheapest_path(
    left: Sequence[int], wanted: Sequence[int], costs: Sequence[Sequence[int]], flow: Sequence[Sequence[int]]
) -> tuple[list[int], int]:
    """Return source, sink, source, …, sink and its cost."""
    rows, columns = range(len(left)), range(len(wanted))
    to_row: list[int | None] = [0 if left[i] else None for i in rows]
    to_column: list[int | None] = [None for _ in columns]
    row_from: list[int | None] = [None for _ in rows]
    column_from = [0 for _ in columns]
    changed = True
    while changed:
        changed = False
        for i in rows:
            base = to_row[i]
            if base is None:
                continue
            for j in columns:
                known = to_column[j]
                if known is None or base + costs[i][j] < known:
                    to_column[j], column_from[j], changed = base + costs[i][j], i, True
        for j in columns:
            base = to_column[j]
            if base is None:
                continue
            for i in rows:
                known = to_row[i]
                if flow[i][j] and (known is None or base - costs[i][j] < known):
                    to_row[i], row_from[i], changed = base - costs[i][j], j, True
    price, end = min((cost, j) for j, cost in enumerate(to_column) if wanted[j] and cost is not None)
    path = [end]
    while True:
        row = column_from[path[0]]
        path.insert(0, row)
        back = row_from[row]
        if back is None:
            return path, price
        path.insert(0, back)
