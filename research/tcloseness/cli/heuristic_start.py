"""Where ``tcloseness optimal`` starts: at the best of what the methods of ``tcloseness anonymize`` release."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tcloseness.cli.anonymize import Method, made
from tcloseness.cli.table_inputs import TableInputs
from tcloseness.errors import TClosenessError
from tcloseness.limits import Clock

if TYPE_CHECKING:
    from tcloseness.models import PrivacyModel
    from tcloseness.release import Anonymized

__all__ = ["LEAST", "METHODS", "SECONDS", "SHARE", "best_release", "levels_of_datafly"]

METHODS = (
    Method.MONDRIAN,
    Method.MONDRIAN_RELAXED,
    Method.MDAV,
    Method.CONFIDENTIAL,
    Method.CLOSENESS_FIRST,
    Method.SABRE,
    Method.SWAPPING,
)
"""The methods that make a partition of all records, the fast ones first."""

OF_VALUES = (Method.CONFIDENTIAL,)
"""Those of them that go by the sensitive values whatever is asked: not for a model that asks nothing of these."""

SHARE = 0.25
"""The share of the time that they may take together, of what is left."""

LEAST = 0.5
"""How many seconds they may take together at least, be the limit ever so near; and the latest past it that they end."""

SECONDS = 20
"""How many seconds they may take together if there is no limit."""


def best_release(
    inputs: TableInputs, model: PrivacyModel, loss: str, clock: Clock, seed: int | None
) -> Anonymized | None:
    """Return the release of least loss that the methods find in a share of the time; None if they find none.

    A method that does not reach the model, is not for it, or has no time left finds none; that is no fault. Under a
    model that asks nothing of the sensitive values a release must not depend on them, so none by `OF_VALUES` is taken.

    Raises
    ------
    InputError
        For an unknown loss, or a table that has none.
    """
    from tcloseness.anonymize import cost_named
    from tcloseness.models.conditions import asks_of_values, least_records
    from tcloseness.release import Anonymized, attributes_of

    attributes = attributes_of(inputs.table, inputs.read_hierarchies(), categorical=inputs.categorical)
    cost = cost_named(loss, inputs.table, attributes, k=least_records(model))
    part = _part(clock)
    best: tuple[Fraction, Anonymized] | None = None
    for method in METHODS:
        if part.over:
            break
        if method in OF_VALUES and not asks_of_values(model):
            continue
        try:
            found = made(method, inputs, model, None, seed, part)
        except TClosenessError:
            continue
        if isinstance(found, Anonymized) and (best is None or cost.total(found.grouped) < best[0]):
            best = cost.total(found.grouped), found
    return None if best is None else best[1]


def levels_of_datafly(
    inputs: TableInputs, model: PrivacyModel, clock: Clock, seed: int | None
) -> dict[str, int] | None:
    """Return the levels at which Datafly suppresses no record; None if it finds none in its time.

    It is the one method whose release is a cut through each hierarchy.
    """
    from tcloseness.release import Anonymized, AtLevel

    try:
        found = made(Method.DATAFLY, inputs, model, "0", seed, _part(clock))
    except TClosenessError:
        return None
    shown = found.attributes if isinstance(found, Anonymized) else ()
    return {each.name: each.level for each in shown if isinstance(each, AtLevel)}


def _part(clock: Clock) -> Clock:
    if clock.time_limit is None:
        return Clock(SECONDS, clock.memory_limit)
    left = clock.time_limit - clock.seconds  # below 0 if reading took longer
    return Clock(max(left * SHARE, min(LEAST, LEAST + left), 1e-9), clock.memory_limit)
