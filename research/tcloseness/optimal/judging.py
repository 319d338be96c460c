"""Which models a partition can be built for, and what the whole table as one class says at first."""

from __future__ import annotations

from tcloseness.errors import InputError
from tcloseness.models import PrivacyModel
from tcloseness.models.catalogue import taken_at_their_word
from tcloseness.models.conditions import conditions_of, parts_of
from tcloseness.models.protocol import value_texts
from tcloseness.optimal.answers import Infeasible
from tcloseness.optimal.kinds import Kinds
from tcloseness.release import Partition

__all__ = ["one_class", "require_judging_classes"]


def require_judging_classes(model: PrivacyModel) -> None:
    """Raise `InputError` unless a model judges each class by itself, and stays satisfied when classes are merged.

    Classes with equal labels are one class to a reader; only such a model survives that.
    """
    for part in parts_of(model):
        if conditions_of(part) is None:
            raise InputError(f"{part.name} is not known to judge each class by itself, so no partition is built for it")
    if not model.monotone.generalization:
        raise InputError(
            f"{model.name} is not monotone under generalization as asked for: classes with equal labels, which are one "
            "class to a reader, may violate it together"
        )


def one_class(kinds: Kinds, model: PrivacyModel) -> tuple[Partition, Infeasible | None]:
    """Return all records as one class, and, if that violates a model monotone under generalization, that none is left.

    Raises
    ------
    InputError
        For a model without a threshold.
    """
    whole = kinds.partition([dict(enumerate(kinds.counts))])
    verdict = model.evaluate(whole.class_counts(kinds.counting.sensitive))
    if verdict.status == "measured":
        raise InputError(f"{model.name} has no threshold, so there is nothing to reach; give one")
    if verdict.status == "satisfied":
        return whole, None
    return whole, Infeasible(
        f"all {kinds.records} records as one class violate {model.name} (value {value_texts(verdict.value)['value']}), "
        "which is monotone under generalization, so no classes of all records satisfy it (exact argument"
        f"{taken_at_their_word(model)})"
    )
