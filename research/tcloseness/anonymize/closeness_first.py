"""t-closeness-first microaggregation: every class takes one record of each of k buckets of the sensitive attribute.

J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez, "t-Closeness Through Microaggregation: Strict Privacy with
Enhanced Utility Preservation", TKDE 27(11), 2015, Algorithm 3. Its bounds are about n records with different sensitive
values under the ordered distance, k a divisor of n: how t-close a class of k records can be, and how many it needs.
Where values repeat, a class of one record per bucket is still 1/k-close.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

import numpy as np

from tcloseness.anonymize.buckets import even_quotas, filled_classes, laid_out
from tcloseness.anonymize.merging import Records, asked_distance, asked_k
from tcloseness.errors import InputError
from tcloseness.exact import Number, as_fraction
from tcloseness.limits import TimeLimit
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.models.thresholds import at_least, whole
from tcloseness.release.anonymized import Anonymized

__all__ = ["closeness_first", "least_cluster_size", "least_distance", "one_per_bucket_distance"]


def closeness_first(
    table: Microdata | FullTable,
    model: PrivacyModel,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    k: int | None = None,
    sensitive: str | None = None,
    categorical: Collection[str] = (),
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
) -> Anonymized:
    """Anonymize so that t-closeness holds by construction, and the quasi-identifiers are as near as that allows.

    Records are sorted by their sensitive value and cut into k buckets of ⌊n/k⌋, the n mod k records over going to the
    middle one or two. Each of the ⌊n/k⌋ classes takes from every bucket the record nearest to its seed, two from a
    bucket that has more records than there are classes left. What then still violates the model is merged with the
    class nearest to it.

    Parameters
    ----------
    table, hierarchies, sensitive, categorical, seed, time_limit, memory_limit
        As for `tcloseness.anonymize.mdav`.
    model
        One t-closeness with a threshold and a ground distance, alone or combined with other models.
    k
        The size of the classes; by default the greatest of the least k for which the paper's bound is at most t, and
        the k that the model asks for.

    Raises
    ------
    InfeasibleError, NotReached, LimitReached
        As `tcloseness.anonymize.mdav`.
    InputError
        If the model has no such t-closeness, or more than one.

    Notes
    -----
    With different sensitive values, the ordered distance and k a divisor of n, every class lies within
    (n − k)/(2(n − 1)k) of Q (`one_per_bucket_distance`), and nothing is merged. With equal values, another distance or
    records over, the exact check decides. Values are laid out by the ground distance: in their order, or as the leaves
    of its hierarchy. Which class a record is in depends on its bucket, so a reader who knows the code, all
    quasi-identifiers and the sensitive values of one class may conclude those of many others. Records of equal
    sensitive values that two buckets share, equally near records and equally far seeds are distinguished by
    quasi-identifiers, then drawn. With a given seed the order of the rows changes nothing, up to records that are equal
    in everything. Cost O(n²/k) for
    each attribute.

    References
    ----------
    Soria-Comas et al. 2015, Algorithm 3; its seeds are chosen as in MDAV.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.models import TCloseness
    >>> frame = pd.DataFrame({"x": range(9), "salary": range(9)})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="salary")
    >>> found = closeness_first(table, TCloseness("1/8", ground="ordered"))
    >>> found.done["k"], found.partition.sizes.tolist(), found.done["mergers"]
    (3, [3, 3, 3], 0)
    """
    table = in_shape(table, Microdata)
    aim = asked_distance(model, "t-closeness-first microaggregation")
    records = Records(table, model, hierarchies, sensitive, categorical, seed, time_limit, memory_limit)
    n = len(table)
    size = asked_k(model, k) if k is not None else max(asked_k(model), least_cluster_size(n, aim.t))
    size = min(size, n)
    _, line = laid_out(records.counting, aim.ground)
    place = np.argsort(line)
    buckets = _bucket_sizes(n, size)
    bucket_of = np.empty(n, dtype=np.int64)
    bucket_of[np.argsort(place[records.codes], kind="stable")] = np.repeat(np.arange(size), buckets)
    return records.merged_release(
        filled_classes(records.distances, bucket_of, even_quotas(buckets, n // size), records.clock),
        method="t-closeness-first microaggregation",
        done={"k": size, "classes before mergers": n // size},
        last_records="n mod k records go to the middle buckets",
    )


def _bucket_sizes(n: int, k: int) -> list[int]:
    """Return k sizes of ⌊n/k⌋; the middle bucket, or the middle two, have the records over."""
    sizes, over = [n // k] * k, n % k
    if k % 2:
        sizes[k // 2] += over
    else:
        sizes[k // 2 - 1] += over - over // 2
        sizes[k // 2] += over // 2
    return sizes


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
