"""What the methods share: what a model asks of them, and merging classes that violate it with the nearest ones."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from tcloseness.anonymize.class_distances import ClassDistances
from tcloseness.anonymize.distances import STANDARDISED, SquaredDistances
from tcloseness.errors import InfeasibleError, InputError, NotReached
from tcloseness.exact import IntArray
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import ClassCounts, Hierarchy, Microdata
from tcloseness.models import ModelResult, PrivacyModel
from tcloseness.models.conditions import (
    ClassCondition,
    LeastEntropy,
    LeastValues,
    MostDistance,
    ShareBounds,
    conditions_of,
    least_records,
    parts_of,
    short_of_records,
)
from tcloseness.models.protocol import value_texts
from tcloseness.models.thresholds import whole
from tcloseness.release.anonymized import Anonymized, verified
from tcloseness.release.attributes import attributes_of
from tcloseness.release.counting import Counting
from tcloseness.release.draws import Draws, numbered_by_first_record
from tcloseness.release.partition import Partition

__all__ = [
    "BY_CLASS",
    "TIES",
    "Records",
    "asked_distance",
    "asked_k",
    "asked_l",
    "merge_until_satisfied",
    "require_reachable",
    "require_size",
    "violating",
]


def asked_k(model: PrivacyModel, k: int | None = None) -> int:
    """Return the greatest class size that is asked for, by `k` or by a part of the model; 1 if none is.

    Raises
    ------
    InputError
        If `k` is not a whole number ≥ 1.
    """
    return max(1 if k is None else whole(k, "k"), least_records(model))


def require_size(size: int, records: int) -> int:
    """Return a size of classes that so many records allow.

    Raises
    ------
    InfeasibleError
        If there are fewer.
    """
    if size > records:
        raise InfeasibleError(f"classes of k = {size} records were asked for, and the table has {records}; lower k")
    return size


def asked_l(model: PrivacyModel) -> int:
    """Return the greatest ℓ that is asked for as a number of values, of shares or of entropy, rounded up.

    Raises
    ------
    InputError
        If none is.
    """
    asked = [each.l for each in _conditions(model) if isinstance(each, LeastValues | LeastEntropy | ShareBounds)]
    known = [each for each in asked if each is not None]
    if not known:
        raise InputError(f"Anatomy makes classes for an l-diversity, and the model {model.name} asks for no l; add one")
    return math.ceil(max(known))


def asked_distance(model: PrivacyModel, method: str) -> MostDistance:
    """Return the one condition of a model that is a greatest Earth Mover's Distance from the whole table.

    Raises
    ------
    InputError
        If there is none, or more than one.
    """
    found = [each for each in _conditions(model) if isinstance(each, MostDistance)]
    if len(found) != 1:
        raise InputError(
            f"{method} builds classes for one t-closeness with a threshold and a ground distance, and the model "
            f"{model.name} has {len(found)} of these; give it one, or take a method for any model"
        )
    return found[0]


def _conditions(model: PrivacyModel) -> list[ClassCondition]:
    return [each for part in parts_of(model) for each in conditions_of(part) or ()]


def require_reachable(counting: Counting, model: PrivacyModel) -> ModelResult:
    """Ask the model about the whole table as one class, from which every method starts or where it may end.

    Raises
    ------
    InfeasibleError
        If the model is violated there and monotone under generalization: then no grouping satisfies it.
    NotReached
        If it is violated there and not monotone.
    InputError
        If it has no threshold.
    """
    parts_of(model)
    found = model.evaluate(counting.of(np.zeros(len(counting), dtype=np.int64)))
    if found.status == "measured":
        raise InputError(f"{model.name} has no threshold, so no table reaches it; give one")
    if found.status != "satisfied":
        value, few = value_texts(found.value)["value"], short_of_records(model, len(counting))
        measured = f"{model.name} is {found.status} by the whole table as one class (value {value}{few})"
        if found.status == "violated" and model.monotone.generalization:
            raise InfeasibleError(
                f"{measured}, and it is monotone under generalization: no grouping of all {len(counting)} records "
                "satisfies it; weaken the model"
            )
        raise NotReached(f"{measured}, where this method starts; weaken the model, or try another method")
    return found


def violating(model: PrivacyModel, classes: ClassCounts) -> IntArray:
    """Return which classes violate a model; all of them where it cannot decide."""
    found = model.evaluate(classes)
    return np.arange(len(classes)) if found.status == "undecided" else np.asarray(found.violating)


BY_CLASS = "by class: records of equal quasi-identifiers may be in different classes"
"""The recoding of all methods that group records."""

TIES = "by quasi-identifiers, then by a drawn number"
"""How they break ties."""


class Records:
    """The records of a table as a method sees them that groups near ones: in an order, with what a model says of them.

    Parameters
    ----------
    table, model, hierarchies, sensitive, categorical, seed, time_limit, memory_limit
        As for `tcloseness.anonymize.mdav`.

    Attributes
    ----------
    order
        The records by quasi-identifiers, equal ones as drawn; what follows has them in this order.
    codes
        The sensitive codes, shape (records,).
    distances
        How far apart two records lie.

    Raises
    ------
    InfeasibleError, NotReached, InputError
        As `require_reachable`.
    """

    def __init__(
        self,
        table: Microdata,
        model: PrivacyModel,
        hierarchies: Mapping[str, Hierarchy] | None,
        sensitive: str | None,
        categorical: Collection[str],
        seed: int | None,
        time_limit: TimeLimit,
        memory_limit: int | None,
    ) -> None:
        self.table, self.model = table, model
        self.clock, self.draws = Clock.of(time_limit, memory_limit), Draws(seed)
        self.counting = Counting(table, sensitive)
        self.attributes = attributes_of(table, hierarchies, categorical=categorical)
        require_reachable(self.counting, model)
        self.order = self.draws.order(table)
        self.codes = self.counting.codes[self.order]
        columns = [column.codes[self.order] for column in table.quasi_identifiers]
        self.distances = SquaredDistances(self.attributes, columns)

    def __len__(self) -> int:
        return len(self.order)

    def size(self, k: int | None) -> int:
        """Return the size of the classes: `k`, or what the model asks for.

        Raises
        ------
        InfeasibleError
            If the table has fewer records.
        """
        return require_size(asked_k(self.model, k), len(self))

    def merged_release(
        self, classes: IntArray, *, method: str, done: Mapping[str, Any], last_records: str
    ) -> Anonymized:
        """Merge classes, one number a record in order, until none violates, and publish them, verified.

        Raises
        ------
        NotReached
            If the published classes do not satisfy the model.
        """
        class_of = _back(classes, self.order)
        merged, mergers = merge_until_satisfied(
            class_of, self.model, self.counting, self.distances, self.order, self.clock
        )
        return verified(
            Partition(self.table, numbered_by_first_record(merged, self.order)),
            self.model,
            method=method,
            attributes=self.attributes,
            sensitive=self.counting.sensitive,
            done={**done, "mergers": mergers},
            conventions={
                "recoding": BY_CLASS,
                "distance of records": STANDARDISED,
                "last records": last_records,
                "ties": TIES,
                "draws": self.draws.text,
            },
        )


def merge_until_satisfied(
    class_of: IntArray,
    model: PrivacyModel,
    counting: Counting,
    distances: SquaredDistances,
    order: IntArray,
    clock: Clock,
) -> tuple[IntArray, int]:
    """Return classes none of which violates the model, and how many mergers that took.

    In rounds: the violating classes in turn, each is merged with the class whose records are nearest to its own by mean
    squared distance, unless it became part of another in this round. Ends at the latest with the whole table as one
    class, of which nothing is asked here.

    Parameters
    ----------
    class_of
        The class 0, 1, … of each record.
    order
        The records in the order in which `distances` has them; among equally near classes the one with the first record
        in this order is taken, and violating classes go in this order too.
    clock
        What limits it.
    """
    classes, mergers = ClassDistances(distances, class_of[order]), 0
    while True:
        classes.renumber()
        clock.check(_merging(mergers, classes))
        bad = violating(model, counting.of(classes.class_of, order))
        if not len(bad) or classes.left == 1:
            return _back(classes.class_of, order), mergers
        merged: set[int] = set()
        for number in bad.tolist():
            if number in merged or classes.left == 1:
                continue
            clock.check(_merging(mergers, classes))
            other = classes.nearest(number)
            classes.merge(number, other)
            merged |= {number, other}
            mergers += 1


def _merging(mergers: int, classes: ClassDistances) -> str:
    return (
        f"merging classes that violate the model: {mergers:,} mergers were made, and {classes.left:,} classes are left"
    )


def _back(mine: IntArray, order: IntArray) -> IntArray:
    class_of = np.empty(len(mine), dtype=np.int64)
    class_of[order] = mine
    return class_of
