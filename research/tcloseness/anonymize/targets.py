"""What a model asks of a method: whether the table can reach it at all, and the k and t inside it."""

from __future__ import annotations

import math

import numpy as np

from tcloseness.errors import InfeasibleError, InputError, NotReached
from tcloseness.exact import IntArray
from tcloseness.microdata import ClassCounts
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
)
from tcloseness.models.protocol import value_texts
from tcloseness.models.thresholds import whole
from tcloseness.release.counting import Counting

__all__ = ["asked_distance", "asked_k", "asked_l", "require_reachable", "violating"]


def asked_k(model: PrivacyModel, k: int | None = None) -> int:
    """Return the greatest class size that is asked for, by `k` or by a part of the model; 1 if none is.

    Raises
    ------
    InputError
        If `k` is not a whole number ≥ 1.
    """
    return max(1 if k is None else whole(k, "k"), least_records(model))


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
        value = value_texts(found.value)["value"]
        measured = f"{model.name} is {found.status} by the whole table as one class (value {value})"
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
