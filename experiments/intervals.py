"""What a sample allows one to say: intervals for shares, medians and means, and the sign test for paired comparisons.

Written here in numpy and whole numbers: scipy, which has the same, comes only with what one study needs, and its sign
test returns a double where this one is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from tcloseness.errors import StudyError

__all__ = ["LEVEL", "Paired", "bootstrap", "holm", "p_text", "percent", "wilson", "with_interval"]

LEVEL = Fraction(1, 20)
"""A difference is named where its p-value is at most this; intervals cover 1 − this."""

_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: intervals of 95 %."""

_RESAMPLES = 10_000
_CELLS = 4_000_000
"""How many numbers are drawn at a time."""

K = TypeVar("K")


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


def bootstrap(
    values: Iterable[float], statistic: Callable[..., Any] = np.median, *, seed: int, resamples: int = _RESAMPLES
) -> tuple[float, float]:
    """Return the 95 % percentile interval of a statistic: the 2.5 % and 97.5 % quantiles over resamples of the values.

    Parameters
    ----------
    values
        One number for each unit that was drawn, at least one. Of very few the interval is too narrow: it never leaves
        their range.
    statistic
        ``numpy.median``, ``numpy.mean``, or whatever else takes an array and an ``axis``.
    seed
        The seed of the resamples: the same seed and values give the same interval.

    Raises
    ------
    StudyError
        If there is no value, or one is not finite.

    References
    ----------
    B. Efron, Bootstrap Methods: Another Look at the Jackknife. Annals of Statistics 7, 1979, pages 1-26.

    Examples
    --------
    >>> bootstrap([1, 1, 1, 2, 3, 5, 8, 13], seed=0)
    (1.0, 8.0)
    >>> bootstrap([3, 3, 3], np.mean, seed=0)
    (3.0, 3.0)
    """
    sample = np.asarray([*values], dtype=float)
    if not sample.size or not np.isfinite(sample).all():
        raise StudyError(f"an interval is asked for of {sample.tolist()!r}; it needs one finite number or more")
    rng, found = np.random.default_rng(seed), []
    for begin in range(0, resamples, step := max(1, _CELLS // sample.size)):
        drawn = rng.integers(sample.size, size=(min(step, resamples - begin), sample.size))
        found.append(statistic(sample[drawn], axis=1))
    low, high = np.quantile(np.concatenate(found), [0.025, 0.975])
    return float(low), float(high)


def with_interval(
    values: Iterable[float], statistic: Callable[..., Any] = np.median, *, seed: int, digits: int = 2
) -> str:
    """Return a statistic with its interval: ``1.31 (1.22 to 1.38)``; see `bootstrap`."""
    sample = [*values]
    low, high = bootstrap(sample, statistic, seed=seed)
    return f"{float(statistic(sample)):.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


@dataclass(frozen=True)
class Paired:
    """How two methods compare on the same units: on how many the first is better, neither is, the second is better."""

    wins: int
    ties: int
    losses: int

    @classmethod
    def least(cls, first: Sequence[Any], second: Sequence[Any]) -> Paired:
        """Compare pairs of numbers of which the lesser is better.

        Parameters
        ----------
        first, second
            Numbers that compare exactly, unit by unit; ``math.inf`` where a method found nothing.

        Examples
        --------
        >>> Paired.least([1, 2, 3], [2, 2, math.inf])
        Paired(wins=2, ties=1, losses=0)
        """
        pairs = list(zip(first, second, strict=True))
        wins, losses = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
        return cls(wins, len(pairs) - wins - losses, losses)

    @property
    def p(self) -> Fraction:
        """The exact p-value of the two-sided sign test: min(1, 2·Σ_{i ≤ min(wins, losses)} C(n, i)/2ⁿ).

        Here n = wins + losses: ties are left out. The hypothesis is that a win is as likely as a loss.

        Examples
        --------
        >>> Paired(13, 2, 17).p > Fraction(1, 2), Paired(10, 0, 0).p
        (True, Fraction(1, 512))
        """
        n = self.wins + self.losses
        return min(
            Fraction(1),
            Fraction(2 * sum(math.comb(n, i) for i in range(min(self.wins, self.losses) + 1)), 2**n),
        )

    @property
    def text(self) -> str:
        """In words: ``wins 13, ties 2, losses 17 (sign test p = 0.58)``."""
        return f"wins {self.wins}, ties {self.ties}, losses {self.losses} (sign test p {p_text(self.p)})"


def p_text(p: Fraction) -> str:
    """Return a p-value behind its relation: ``= 0.58``, or ``< 0.001``.

    Examples
    --------
    >>> p_text(Fraction(58, 100)), p_text(Fraction(1, 10**6))
    ('= 0.58', '< 0.001')
    """
    return "< 0.001" if p < Fraction(1, 1000) else f"= {float(p):.2g}"


def holm(ps: Mapping[K, Fraction]) -> dict[K, Fraction]:
    """Return p-values adjusted for being several: of the i-th least of m, min(1, (m − i + 1)·p), or more.

    None is less than one that was less before. Those that are at most α then include one by mere chance with
    probability at most α, however they depend on each other.

    References
    ----------
    S. Holm, A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> {key: str(p) for key, p in holm({"a": Fraction(1, 100), "b": Fraction(1, 2), "c": Fraction(1, 50)}).items()}
    {'a': '3/100', 'b': '1/2', 'c': '1/25'}
    """
    adjusted: dict[K, Fraction] = {}
    least = Fraction(0)
    for place, key in enumerate(sorted(ps, key=lambda key: ps[key])):
        least = max(least, min(Fraction(1), (len(ps) - place) * ps[key]))
        adjusted[key] = least
    return {key: adjusted[key] for key in ps}
