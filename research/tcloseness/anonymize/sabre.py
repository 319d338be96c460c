"""SABRE: buckets of sensitive values such that proportional classes are t-close, then classes that are proportional.

J. Cao, P. Karras, P. Kalnis, K.-L. Tan, "SABRE: a Sensitive Attribute Bucketization and REdistribution Framework for
t-Closeness", VLDB Journal 20(1), 2011.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from itertools import islice

import numpy as np

from tcloseness.anonymize.buckets import filled_classes, laid_out
from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.anonymize.merging import merged_release
from tcloseness.anonymize.targets import asked_distance, asked_k, require_reachable
from tcloseness.anonymize.value_buckets import Buckets, bucketings
from tcloseness.exact import IntArray, number_text
from tcloseness.ground import GroundDistance
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import PrivacyModel
from tcloseness.release.anonymized import Anonymized
from tcloseness.release.attributes import attributes_of
from tcloseness.release.counting import Counting
from tcloseness.release.draws import Draws

__all__ = ["class_quotas", "sabre"]

_TRIED = 64
"""How many bucketings whose bound is at most t are tried, coarsest first."""


def sabre(
    table: Microdata,
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
    """Anonymize by SABRE.

    *Buckets*: the sensitive values are laid out in a line and split greedily into intervals until Σ U(B) ≤ t, see
    `tcloseness.anonymize.value_buckets`. *Classes*: starting from the whole table, numbers of records per bucket are
    halved as long as both halves keep k records and Σ U(B) + Σ_B (P(B) − Q(B))⁺·d_max ≤ t. That bounds their EMD, since
    moving the surplus of each bucket costs at most its mass times the greatest distance. *Records*: each class takes
    its numbers, nearest to a seed on the quasi-identifiers.

    Parameters
    ----------
    table
        A table without weights and suppressed records.
    model
        One t-closeness with a threshold and a ground distance, alone or combined with other models; classes that
        violate the others are merged with their nearest at the end.
    hierarchies, categorical
        By quasi-identifier, see `attributes_of`.
    k
        The least size of a class; by default what the model asks for.
    sensitive
        The sensitive attribute that the model is asked about; may be left out if there is one.
    seed
        For the draws by which ties are broken; None (default): a secret one. A given seed, a whole number ≥ 0, makes
        the run repeatable, and its release one that is not for publication. See `tcloseness.release.draws`.
    time_limit, memory_limit
        Seconds, and bytes that the process may grow by; see `tcloseness.limits.Clock`.

    Raises
    ------
    InfeasibleError
        If the whole table violates a monotone model.
    NotReached
        If it violates another.
    InputError
        If the model has no such t-closeness, or more than one.
    LimitReached
        If a limit is reached before the classes are made; a part of them is no answer.

    Notes
    -----
    The paper splits buckets along a hierarchy and stops at the first bucketing with Σ U(B) ≤ t. Here buckets are
    intervals of the line of values (for a hierarchical distance that of the leaves), and finer bucketings, up to 64,
    are tried too, since a smaller Σ U(B) leaves more of t for rounding: the first one that allows the most classes is
    taken. The bound needs a ground distance that is a metric; the exact check at the end needs nothing. Which
    class a record is in depends on its bucket, so a reader who knows the code and all quasi-identifiers may conclude
    something of the sensitive values; equally near records and equally far seeds are told apart by quasi-identifiers,
    then drawn. With a given seed the order of the rows changes nothing, up to records that are equal in everything.
    Cost O(m²) for the buckets and O(classes · n)
    look-ups for each attribute.

    References
    ----------
    Cao et al. 2011: bucketization (§4), redistribution by a tree of equivalence classes (§5).

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.models import TCloseness
    >>> frame = pd.DataFrame({"x": range(8), "s": list("abababab")})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    >>> sabre(table, TCloseness(0, ground="equal")).frame()["x"].tolist()
    ['0-1', '0-1', '2-3', '2-3', '4-5', '4-5', '6-7', '6-7']
    """
    clock, draws = Clock.of(time_limit, memory_limit), Draws(seed)
    counting = Counting(table, sensitive)
    attributes = attributes_of(table, hierarchies, categorical=categorical)
    aim = asked_distance(model, "SABRE")
    require_reachable(counting, model)
    t, least = aim.t, asked_k(model, k)
    ground, line = laid_out(counting, aim.ground)
    allowed = (b for b in bucketings(ground, line, counting.reference, clock) if b.bound <= t)
    farthest = _farthest(ground, clock)
    best: tuple[Buckets, IntArray] | None = None
    for buckets in islice(allowed, _TRIED):
        sizes = _sizes(buckets, counting, line)
        quotas = class_quotas(sizes, slack=t - buckets.bound, farthest=farthest, least=least, clock=clock)
        if best is None or len(quotas) > len(best[1]):
            best = buckets, quotas
    assert best is not None  # one bucket a value has the bound 0
    buckets, quotas = best
    place = np.empty(len(line), dtype=np.int64)
    place[line] = np.arange(len(line))
    bucket_of = np.searchsorted(np.array(buckets.ends), place, side="right")
    order = draws.order(table)
    distances = SquaredDistances(attributes, [column.codes[order] for column in table.quasi_identifiers])
    class_of = np.empty(len(table), dtype=np.int64)
    class_of[order] = filled_classes(distances, bucket_of[counting.codes[order]], quotas, clock)
    return merged_release(
        table,
        class_of,
        model,
        counting,
        distances,
        order,
        clock,
        method="SABRE",
        attributes=attributes,
        done={
            "buckets": len(buckets.ends),
            "bound of the buckets": number_text(buckets.bound),
            "classes before mergers": len(quotas),
        },
        conventions={
            "last records": "none: numbers of records are halved, odd ones to the left and the right half in turn",
            "ties": "by quasi-identifiers, then by a drawn number",
            "draws": draws.text,
        },
    )


def _farthest(ground: GroundDistance, clock: Clock) -> Fraction:
    most = 0
    for i in range(ground.m):
        clock.check("looking for the greatest distance of sensitive values")
        most = max(most, int(ground.row(i).max()))
    return Fraction(most, ground.denominator)


def class_quotas(
    sizes: list[int], *, slack: Fraction, farthest: Fraction, least: int, clock: Clock | None = None
) -> IntArray:
    """Return how many records each class takes from each bucket, shape (classes, buckets).

    Parameters
    ----------
    sizes
        The number of records of each bucket.
    slack
        What is left of t: a class may have Σ_B (P(B) − Q(B))⁺·`farthest` up to it.
    farthest
        The greatest ground distance.
    least
        The least size of a class.
    clock
        What limits it.
    """
    n = sum(sizes)
    whole = np.array(sizes, dtype=object)

    def fits(counts: IntArray) -> bool:
        size = int(counts.sum())
        if size < max(least, 1):
            return False
        surplus = np.maximum(counts * n - whole * size, 0).sum()
        return Fraction(int(surplus), n * size) * farthest <= slack

    found: list[IntArray] = []
    stack = [whole]
    while stack:
        if clock is not None:
            clock.check(f"halving numbers of records: {len(found):,} classes had theirs")
        counts = stack.pop()
        left, right = _halves(counts)
        if fits(left) and fits(right):
            stack += [right, left]
        else:
            found.append(counts)
    return np.array(found, dtype=np.int64)


def _halves(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Halve each count; odd records go to the left and the right half in turn."""
    left = counts // 2
    odd = np.flatnonzero(counts % 2)
    left[odd[::2]] += 1
    return left, counts - left


def _sizes(buckets: Buckets, counting: Counting, line: IntArray) -> list[int]:
    starts = np.array([0, *buckets.ends[:-1]])
    return [int(x) for x in np.add.reduceat(counting.reference[line], starts)]
