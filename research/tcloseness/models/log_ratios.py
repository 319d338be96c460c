"""Logarithms of exact ratios, one an equivalence class: what δ-disclosure privacy and exp(ε)-closeness measure."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from fractions import Fraction

import numpy as np

from tcloseness.exact import LOG_FILTER, Bits, LogSum, LogSums, Rationals, log_of

__all__ = ["LACKS", "log_ratios"]

LACKS = "a class lacks a value that the table has, so a probability falls by an infinite factor"
"""Why such a logarithm is infinite."""


def log_ratios(ratios: Rationals, *, bits: bool = False) -> LogSums:
    """Return ln of each ratio ≥ 1, or log₂ of it, exact on demand; infinite where the ratio is."""
    doubles = ratios.floats()
    finite = np.isfinite(doubles)
    natural = np.log(np.where(finite, doubles, 1.0))
    approximate = np.where(finite, natural / np.log(2.0) if bits else natural, np.inf)
    # the ratio's relative error becomes an absolute one of its logarithm; the greatest double stands for all above it
    error = np.where(doubles < sys.float_info.max, (natural + 1) * LOG_FILTER * (2 if bits else 1), np.inf)

    def exact(g: int) -> LogSum:
        ratio = ratios[g]
        assert isinstance(ratio, Fraction)
        found = log_of(ratio)
        return Bits(found.terms) if bits else found

    def key(g: int) -> Hashable:
        return ratios[g]

    return LogSums(approximate, error, exact, key)
