"""What a model asks of a method: whether the table can reach it at all, and the k and t inside it."""

from __future__ import annotations

import math

import numpy as np

from tcloseness.errors import Infeasible, InputError, NotReached
from tcloseness.exact import IntArray, as_fraction
from tcloseness.lattice.decide import parts_of
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    ModelResult,
    PrivacyModel,
    TCloseness,
)
from tcloseness.models.protocol import value_texts
from tcloseness.models.thresholds import whole
from tcloseness.release.counting import Counting

__all__ = ["asked_k", "asked_l", "asked_t_closeness", "require_reachable", "violating"]


def asked_k(model: PrivacyModel, k: int | None = None) -> int:
    """Return the greatest class size that is asked for, by `k` or by a part of the model; 1 if none is.

    Raises
    ------
    InputError
        If `k` is no whole number ≥ 1.
    """
    asked = [1 if k is None else whole(k, "k")]
    for part in parts_of(model):
        if isinstance(part, (KAnonymity, AlphaKAnonymity)) and part.k is not None:
            asked.append(int(part.k))
    return max(asked)


def asked_l(model: PrivacyModel) -> int:
    """Return the greatest ℓ that a frequency, distinct or entropy ℓ-diversity of the model asks for, rounded up.

    Raises
    ------
    InputError
        If none asks for one.
    """
    kinds = (FrequencyLDiversity, DistinctLDiversity, EntropyLDiversity)
    asked = [part.l for part in parts_of(model) if isinstance(part, kinds) and part.l is not None]
    if not asked:
        raise InputError(f"Anatomy makes classes for an l-diversity, and the model {model.name} asks for no l; add one")
    return math.ceil(max(map(as_fraction, asked)))


def asked_t_closeness(model: PrivacyModel, method: str) -> TCloseness:
    """Return the part of a model that is t-closeness by an Earth Mover's Distance.

    Raises
    ------
    InputError
        If there is none with a threshold and a ground distance, or more than one.
    """
    found = [
        part
        for part in parts_of(model)
        if isinstance(part, TCloseness) and part.t is not None and part.ground is not None
    ]
    if len(found) != 1:
        raise InputError(
            f"{method} builds classes for one t-closeness with a threshold and a ground distance, and the model "
            f"{model.name} has {len(found)} of these; give it one, or take a method for any model"
        )
    return found[0]


def require_reachable(counting: Counting, model: PrivacyModel) -> ModelResult:
    """Ask the model about the whole table as one class, from which every method starts or where it may end.

    Raises
    ------
    Infeasible
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
            raise Infeasible(
                f"{measured}, and it is monotone under generalization: no grouping of all {len(counting)} records "
                "satisfies it; weaken the model"
            )
        raise NotReached(f"{measured}, where this method starts; weaken the model, or try another method")
    return found


def violating(model: PrivacyModel, classes: ClassCounts) -> IntArray:
    """Return which classes violate a model; all of them where it cannot decide."""
    found = model.evaluate(classes)
    return np.arange(len(classes)) if found.status == "undecided" else np.asarray(found.violating)
