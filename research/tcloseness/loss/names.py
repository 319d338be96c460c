"""The losses of this package, a line each, by the short names that people give.

Everything else that is to be known of a loss it says itself, in its own file; see `tcloseness.loss.protocol.Loss` for
the members that it must have, and those that it may.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tcloseness.errors import InputError, did_you_mean
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

__all__ = ["LOSSES", "OF_CLASSES", "Named", "loss_named"]


@dataclass(frozen=True)
class Named:
    """A loss as people name it.

    Attributes
    ----------
    made_by, help
        Its class, and what it is in a few words.
    takes
        Which of k, the k that was aimed at, and numeric, the quasi-identifiers whose cells are intervals, it is made
        with.
    choices
        What else it is made with.
    of_classes
        What it is made with where classes are made, and not nodes compared: a label need not have one level there.
    """

    made_by: type[Any]
    help: str
    takes: tuple[str, ...] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    of_classes: Mapping[str, Any] = field(default_factory=dict)

    def made(self, *, classes: bool = False, **given: Any) -> Loss:
        """Return the loss."""
        chosen = {**self.choices, **(self.of_classes if classes else {}), **{name: given[name] for name in self.takes}}
        found: Loss = self.made_by(**chosen)
        return found


_STAR = {"suppressed": "before-suppression"}

LOSSES: Mapping[str, Named] = MappingProxyType(
    {
        "ncp": Named(NormalizedCertaintyPenalty, "Σ over cells of the label's share of all values", takes=("numeric",)),
        "gcp": Named(GlobalCertaintyPenalty, "its mean over the cells", takes=("numeric",)),
        "lm": Named(LossMetric, "the mean over cells of (values − 1)/(all − 1)", takes=("numeric",)),
        "height": Named(GeneralizationHeight, "how high up the labels lie", of_classes={"suppressed": "whole"}),
        "dm": Named(Discernibility, "Σ of squared class sizes"),
        "class-size": Named(AverageClassSize, "records a class"),
        "c-avg": Named(AverageClassSize, "records a class, over k", takes=("k",)),
        "precision": Named(Precision, "1 − the mean of level/height; maximized"),
        "dm-star": Named(Discernibility, "the same of the classes before suppression", choices=_STAR),
        "entropy": Named(NonUniformEntropy, "how surprising the values are under their labels"),
        "ambiguity": Named(Ambiguity, "the mean number of combinations a record could come from"),
        "cm": Named(ClassificationMetric, "the share of records that are not of their class's most frequent value"),
        "kl": Named(KLUtility, "how far the table that a reader would reconstruct lies from the original"),
        "max-risk": Named(MaximalRisk, "the greatest 1/class size"),
        "average-risk": Named(AverageRisk, "classes/records"),
    }
)
"""By name; each in its default variant."""

OF_CLASSES = tuple(
    name
    for name, each in LOSSES.items()
    if getattr(each.made(classes=True, k=1, numeric=None), "class_cost", None) is not None
)
"""Those that are sums over classes, or follow from one: programs minimize them."""


def loss_named(
    name: str, *, k: int | None = None, numeric: Collection[str] | None = None, classes: bool = False
) -> Loss:
    """Return the loss of a short name, one of `LOSSES`.

    Parameters
    ----------
    name
        The name.
    k
        The k that was aimed at; ``"c-avg"`` needs it, others ignore it.
    numeric
        The quasi-identifiers whose cells are intervals, for ``"ncp"``, ``"gcp"`` and ``"lm"``.
    classes
        Whether classes are made, which may have labels of several levels: then ``"height"`` is the mean height.

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
        hint = did_you_mean(name, LOSSES, "its name is misspelt")
        raise InputError(f"loss {name!r} is unknown; it is one of {', '.join(LOSSES)} ({hint})")
    if k is None and "k" in LOSSES[name].takes:
        raise InputError(f"the loss {name!r} divides by the k that was aimed at; give k, or take 'class-size'")
    return LOSSES[name].made(classes=classes, k=k, numeric=numeric)
