"""How t-close can a class of k of n records be, and how many records it needs: bounds on the ordered distance.

J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez, "t-Closeness Through Microaggregation: Strict Privacy with
Enhanced Utility Preservation", TKDE 27(11), 2015. All are about n records with different sensitive values under the
ordered distance, k a divisor of n. Where values repeat, a class of one record per bucket is still 1/k-close.
"""

from __future__ import annotations

from fractions import Fraction

from tcloseness.errors import InputError
from tcloseness.exact import Number, as_fraction
from tcloseness.models.thresholds import at_least, whole

__all__ = ["least_cluster_size", "least_distance", "one_per_bucket_distance"]


def one_per_bucket_distance(n: int, k: int) -> Fraction:
    """Return (n − k) / (2(n − 1)k): a class with one record of each of the k buckets of n/k lies no farther from Q.

    It is attained, by the least record of every bucket.

    Examples
    --------
    >>> one_per_bucket_distance(9, 3)
    Fraction(1, 8)
    """
    n, k = _sizes(n, k)
    return Fraction(n - k, 2 * (n - 1) * k) if n > 1 else Fraction(0)


def least_distance(n: int, k: int) -> Fraction:
    """Return (n + k)(n − k) / (4n(n − 1)k): no class of k records lies nearer to Q; attained if n/k is odd.

    Examples
    --------
    >>> least_distance(9, 3)
    Fraction(1, 12)
    """
    n, k = _sizes(n, k)
    return Fraction((n + k) * (n - k), 4 * n * (n - 1) * k) if n > 1 else Fraction(0)


def least_cluster_size(n: int, t: Number) -> int:
    """Return the least k with (n − k)/(2(n − 1)k) ≤ t, which is ⌈n / (1 + 2(n − 1)t)⌉.

    Examples
    --------
    >>> least_cluster_size(30_162, "0.1"), least_cluster_size(9, "1/8"), least_cluster_size(9, 0)
    (5, 3, 9)
    """
    n = whole(n, "n")
    bound = at_least(as_fraction(t, "t"), "t", 0)
    return -(-n // (1 + 2 * (n - 1) * bound))


def _sizes(n: int, k: int) -> tuple[int, int]:
    n, k = whole(n, "n"), whole(k, "k")
    if k > n:
        raise InputError(f"a class of k = {k} records of n = {n} was asked for; k is at most n")
    return n, k
