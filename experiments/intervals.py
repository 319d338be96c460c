"""Intervals for shares that were counted in a sample."""

from __future__ import annotations

import math

__all__ = ["percent", "wilson"]

_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: intervals of 95 %."""


def wilson(hits: int, drawn: int) -> tuple[float, float]:
    """Return the 95 % interval (c ± z·√(p(1−p)/n + z²/(4n²)))/(1 + z²/n), c = p + z²/(2n), of a share p = hits/n.

    Parameters
    ----------
    hits, drawn
        How many of how many; both whole numbers, 0 ≤ hits ≤ drawn and drawn > 0.

    References
    ----------
    E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference. Journal of the American
    Statistical Association 22, 1927, pages 209-212.

    Examples
    --------
    >>> [round(x, 4) for x in wilson(0, 500)]
    [0.0, 0.0076]
    """
    p, w = hits / drawn, _Z**2 / drawn
    half = _Z * math.sqrt(p * (1 - p) / drawn + w / (4 * drawn))
    low, high = (p + w / 2 - half) / (1 + w), (p + w / 2 + half) / (1 + w)
    return (0.0 if hits == 0 else low), (1.0 if hits == drawn else high)


def percent(hits: int, drawn: int) -> str:
    """Return a share with its interval: ``0 of 500 (0 %, 95 % interval 0 % to 0.8 %)``."""
    low, high = (f"{100 * x:.1f}".removesuffix(".0") for x in wilson(hits, drawn))
    share = f"{100 * hits / drawn:.1f}".removesuffix(".0")
    return f"{hits:,} of {drawn:,} ({share} %, 95 % interval {low} % to {high} %)"
