"""Losses by short names, as a person types them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import TypeAlias

from tcloseness.errors import InputError
from tcloseness.loss.ambiguity import Ambiguity
from tcloseness.loss.certainty import GlobalCertaintyPenalty, LossMetric, NormalizedCertaintyPenalty
from tcloseness.loss.class_size import AverageClassSize
from tcloseness.loss.classification import ClassificationMetric
from tcloseness.loss.discernibility import Discernibility
from tcloseness.loss.divergence import KLUtility
from tcloseness.loss.entropy import NonUniformEntropy
from tcloseness.loss.height import GeneralizationHeight, Precision
from tcloseness.loss.protocol import Loss
from tcloseness.loss.risk import AverageRisk, MaximalRisk

__all__ = ["LOSSES", "loss_named"]

Maker: TypeAlias = Callable[[int | None, Collection[str]], Loss]
"""What makes a loss, given the k that was aimed at and the quasi-identifiers whose cells are intervals."""


def _aimed_at(k: int | None) -> Loss:
    if k is None:
        raise InputError("the loss 'c-avg' divides by the k that was aimed at; give k, or take 'class-size'")
    return AverageClassSize(k=k)


LOSSES: Mapping[str, Maker] = MappingProxyType(
    {
        "height": lambda _, __: GeneralizationHeight(),
        "precision": lambda _, __: Precision(),
        "dm": lambda _, __: Discernibility(),
        "dm-star": lambda _, __: Discernibility(suppressed="before-suppression"),
        "class-size": lambda _, __: AverageClassSize(),
        "c-avg": lambda k, _: _aimed_at(k),
        "ncp": lambda _, numeric: NormalizedCertaintyPenalty(numeric=numeric),
        "gcp": lambda _, numeric: GlobalCertaintyPenalty(numeric=numeric),
        "lm": lambda _, numeric: LossMetric(numeric=numeric),
        "entropy": lambda _, __: NonUniformEntropy(),
        "ambiguity": lambda _, __: Ambiguity(),
        "cm": lambda _, __: ClassificationMetric(),
        "kl": lambda _, __: KLUtility(),
        "max-risk": lambda _, __: MaximalRisk(),
        "average-risk": lambda _, __: AverageRisk(),
    }
)
"""By name, how a loss is made; each in its default variant."""


def loss_named(name: str, *, k: int | None = None, numeric: Collection[str] = ()) -> Loss:
    """Return the loss of a short name, one of `LOSSES`.

    Parameters
    ----------
    name
        The name.
    k
        The k that was aimed at; ``"c-avg"`` needs it, others ignore it.
    numeric
        The quasi-identifiers whose cells are intervals, for ``"ncp"``, ``"gcp"`` and ``"lm"``.

    Raises
    ------
    InputError
        For an unknown name, or ``"c-avg"`` without k.

    Examples
    --------
    >>> loss_named("dm").name, loss_named("c-avg", k=5).name
    ('discernibility', 'C_AVG')
    """
    if name not in LOSSES:
        close = difflib.get_close_matches(name, LOSSES, 1)
        hint = f"did you mean {close[0]!r}?" if close else "its name is misspelt"
        raise InputError(f"loss {name!r} is unknown; it is one of {', '.join(LOSSES)} ({hint})")
    return LOSSES[name](k, numeric)
