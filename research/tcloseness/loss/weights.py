"""Reading the weights of attributes: exactly, each attribute known, none negative."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from tcloseness.errors import InputError
from tcloseness.exact import Number, as_fraction, number_text
from tcloseness.models.thresholds import at_least
from tcloseness.release.release import Release

__all__ = ["read_weights", "weight_parameters"]


def read_weights(weights: Mapping[str, Number] | None, release: Release) -> dict[str, Fraction]:
    """Return the weight of every quasi-identifier; those that are not named have 1.

    Raises
    ------
    InputError
        For an attribute that is not a quasi-identifier, a negative weight, or weights that are all 0.
    """
    given = dict(weights or {})
    unknown = [name for name in given if name not in release.recodings]
    if unknown:
        raise InputError(f"a weight is given for {unknown[0]!r}, which is not a quasi-identifier of this table")
    read = {name: at_least(given.get(name, 1), f"the weight of {name!r}", 0) for name in release.recodings}
    if read and not any(read.values()):
        raise InputError("every attribute has the weight 0; at least one must count")
    return read


def weight_parameters(weights: Mapping[str, Number] | None) -> dict[str, str]:
    """Return the weights as a result's parameter."""
    if not weights:
        return {}
    return {"weights": ", ".join(f"{name}={number_text(as_fraction(w))}" for name, w in sorted(weights.items()))}
