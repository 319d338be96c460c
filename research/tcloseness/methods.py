"""Heuristic methods by name, and the best of their releases, at which a program starts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any

from tcloseness.anonymize import METHODS, Anatomized
from tcloseness.anonymize.merging import BY_CLASS
from tcloseness.axioms import DependenceCard, dependence_card
from tcloseness.errors import InputError, TClosenessError, did_you_mean, require_arguments
from tcloseness.exact import shown_value
from tcloseness.limits import Clock
from tcloseness.loss import Loss
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import asks_of_values
from tcloseness.optimal.class_costs import ClassCosts, minimized_loss
from tcloseness.release import Anonymized, AtLevel, Partition, attributes_of, on_grid
from tcloseness.release.anonymized import verified
from tcloseness.release.draws import Draws

__all__ = ["STARTS", "best_release", "dependence_of", "levels_of_datafly", "method_of", "run_method"]

STARTS = ("mondrian", "mondrian-relaxed", "mdav", "confidential", "closeness-first", "sabre", "swapping")
"""The methods that make a partition of all records, the fast ones first."""

OF_VALUES = ("confidential",)
"""Those of them that go by the sensitive values whatever is asked: not for a model that asks nothing of these."""

SHARE = 0.25
"""The share of the time that they may take together, of what is left."""

LEAST = 0.5
"""How many seconds they may take together at least, be the limit ever so near; and the latest past it that they end."""

SECONDS = 20
"""How many seconds they may take together if there is no limit."""


def method_of(method: object) -> Callable[..., Any]:
    """Return a method of `tcloseness.anonymize.METHODS` by its name, and a heuristic of the user's own as it is.

    Raises
    ------
    InputError
        For an unknown name.
    """
    if callable(method):
        return method
    if not isinstance(method, str) or method not in METHODS:
        hint = did_you_mean(method, METHODS, "or a function of your own")
        raise InputError(f"method {shown_value(method)} is unknown; it is one of {', '.join(METHODS)} ({hint})")
    return METHODS[method]


def run_method(
    method: str | Callable[..., Any],
    table: Microdata,
    model: PrivacyModel,
    hierarchies: Mapping[str, Hierarchy],
    *,
    categorical: Collection[str] = (),
    ground: Any = None,
    seed: int | None = None,
    clock: Clock | None = None,
    grid: Any = None,
    options: Mapping[str, Any] | None = None,
) -> Anonymized | Anatomized:
    """Run a method of `tcloseness.anonymize.METHODS`, or a heuristic of the user's own.

    Parameters
    ----------
    method
        A name; or a function of the table and the model that returns a `Partition` of the table, or an `Anonymized`. It
        may have the other parameters of `mondrian`. What it returns is verified here: a partition is
        published, and the model is asked about the published table.
    table, model, hierarchies, categorical, seed
        As for the method; what it has no parameter for is left out.
    ground
        The ground distance of the sensitive attribute as it was given: a hierarchy is the sensitive attribute's too.
    clock
        The limits.
    grid
        On which intervals are shown, see `tcloseness.release.on_grid`.
    options
        The method's own parameters.

    Raises
    ------
    InputError
        For an unknown name or parameter, or what a method of the user's own must not return.
    NotReached
        If what is published does not satisfy the model.
    """
    own = method if callable(method) else None
    method = method_of(method)
    if method is METHODS["confidential"] and isinstance(ground, Hierarchy):
        hierarchies = {**hierarchies, table.sensitive[0].name: ground}
    more = {"hierarchies": hierarchies, "categorical": categorical, "seed": seed, "time_limit": clock}
    parameters = inspect.signature(method).parameters
    given, options = (*[*parameters][:2], *more), options or {}
    takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    by_name = [name for name, each in parameters.items() if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    known = [name for name in (*by_name, *(options if takes_all else ())) if name not in given]
    require_arguments(f"{_name_of(method)}()", options, known)
    more = {name: value for name, value in more.items() if name in parameters}
    found = method(table, model, **more, **options)
    if own is not None:
        found = _verified(own, found, table, model, hierarchies, categorical, Draws(seed))
    return on_grid(found, model, grid) if grid else found


def _name_of(method: Callable[..., Any]) -> str:
    return getattr(method, "__name__", type(method).__name__)


def _verified(
    method: Callable[..., Any],
    found: object,
    table: Microdata,
    model: PrivacyModel,
    hierarchies: Mapping[str, Hierarchy],
    categorical: Collection[str],
    draws: Draws,
) -> Anonymized:
    """Return what a method of the user's own found as the package publishes it, asked of the model anew."""
    name = _name_of(method)
    partition = found.grouped if isinstance(found, Anonymized) else found
    if not isinstance(partition, Partition) or partition.table is not table:
        raise InputError(
            f"{name} returned {found!r:.80}; a method returns a Partition of the table that it is given, such as "
            "Partition.of(table, groups)"
        )
    attributes = (
        found.attributes
        if isinstance(found, Anonymized)
        else attributes_of(table, hierarchies, categorical=categorical)
    )
    conventions = {"recoding": BY_CLASS, "draws": draws.text}
    return verified(partition, model, method=name, attributes=attributes, conventions=conventions)


def best_release(
    table: Microdata,
    model: PrivacyModel,
    loss: str | Loss,
    hierarchies: Mapping[str, Hierarchy],
    clock: Clock,
    *,
    categorical: Collection[str] = (),
    ground: Any = None,
    seed: int | None = None,
) -> Anonymized | None:
    """Return the release of least loss that the methods find in a share of the time; None if they find none.

    A method that does not reach the model, is not for it, or has no time left finds none; that is not a fault. Under a
    model that asks nothing of the sensitive values a release must not depend on them, so none by `OF_VALUES` is taken.

    Raises
    ------
    InputError
        For an unknown loss, or a table that has none.
    """
    attributes = attributes_of(table, hierarchies, categorical=categorical)
    costs = ClassCosts(minimized_loss(loss, model), table, attributes)
    part = _part(clock)
    best: tuple[Fraction, Anonymized] | None = None
    for method in STARTS:
        if part.over:
            break
        if method in OF_VALUES and not asks_of_values(model):
            continue
        try:
            found = run_method(
                method, table, model, hierarchies, categorical=categorical, ground=ground, seed=seed, clock=part
            )
        except TClosenessError:
            continue
        if isinstance(found, Anonymized) and (best is None or costs.total(found.grouped) < best[0]):
            best = costs.total(found.grouped), found
    return None if best is None else best[1]


def levels_of_datafly(
    table: Microdata, model: PrivacyModel, hierarchies: Mapping[str, Hierarchy], clock: Clock, seed: int | None
) -> dict[str, int] | None:
    """Return the levels at which Datafly suppresses no record; None if it finds none in its time.

    It is the one method whose release is a cut through each hierarchy.
    """
    try:
        found = run_method(
            "datafly", table, model, hierarchies, seed=seed, clock=_part(clock), options={"suppression": "0"}
        )
    except TClosenessError:
        return None
    shown = found.attributes if isinstance(found, Anonymized) else ()
    return {each.name: each.level for each in shown if isinstance(each, AtLevel)}


def dependence_of(method: str, model: PrivacyModel, **tried: int) -> DependenceCard:
    """Return the card of a method of the package, see `tcloseness.axioms.dependence_card`.

    Parameters
    ----------
    method
        A name of `tcloseness.anonymize.METHODS`; one that needs no hierarchies.
    model
        What it is asked for. If that is a number of records only, the law must hold.
    tried
        Its other parameters: `tables`, `records`, `exchanges`, `seed`.

    Raises
    ------
    ProtocolError
        As `dependence_card`.
    InputError
        As `run_method`.

    Examples
    --------
    >>> from tcloseness.models import KAnonymity
    >>> dependence_of("mondrian", KAnonymity(3), tables=1, exchanges=2).holds
    True
    """
    return dependence_card(lambda table: run_method(method, table, model, {}, seed=1), name=method, **tried)


def _part(clock: Clock) -> Clock:
    if clock.time_limit is None:
        return Clock(SECONDS, clock.memory_limit)
    left = clock.time_limit - clock.seconds  # below 0 if reading took longer
    return Clock(max(left * SHARE, min(LEAST, LEAST + left), 1e-9), clock.memory_limit)
