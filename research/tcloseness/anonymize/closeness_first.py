"""t-closeness-first microaggregation: every class takes one record of each of k buckets of the sensitive attribute.

J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez, "t-Closeness Through Microaggregation: Strict Privacy with
Enhanced Utility Preservation", TKDE 27(11), 2015, Algorithm 3.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from tcloseness.anonymize.buckets import even_quotas, filled_classes, laid_out
from tcloseness.anonymize.cluster_bounds import least_cluster_size
from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.anonymize.merging import merged_release
from tcloseness.anonymize.targets import asked_distance, asked_k, require_reachable
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import PrivacyModel
from tcloseness.release.anonymized import Anonymized
from tcloseness.release.attributes import attributes_of
from tcloseness.release.counting import Counting
from tcloseness.release.draws import Draws

__all__ = ["closeness_first"]


def closeness_first(
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
    """Anonymize so that t-closeness holds by construction, and the quasi-identifiers are as near as that allows.

    Records are sorted by their sensitive value and cut into k buckets of ⌊n/k⌋, the n mod k records over going to the
    middle one or two. Each of the ⌊n/k⌋ classes takes from every bucket the record nearest to its seed, two from a
    bucket that has more records than there are classes left. What then still violates the model is merged with the
    class nearest to it.

    Parameters
    ----------
    table
        A table without weights and suppressed records.
    model
        One t-closeness with a threshold and a ground distance, alone or combined with other models.
    hierarchies, categorical
        By quasi-identifier, see `attributes_of`.
    k
        The size of the classes; by default the greatest of the least k for which the paper's bound is at most t, and
        the k that the model asks for.
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
    With different sensitive values, the ordered distance and k a divisor of n, every class lies within
    (n − k)/(2(n − 1)k) of Q (`one_per_bucket_distance`), and nothing is merged. With equal values, another distance or
    records over, the exact check decides. Values are laid out by the ground distance: in their order, or as the leaves
    of its hierarchy. Which class a record is in depends on its bucket, so a reader who knows the code, all
    quasi-identifiers and the sensitive values of one class may conclude those of many others. Records of equal
    sensitive values that two buckets share, equally near records and equally far seeds are told apart by
    quasi-identifiers, then drawn. With a given seed the order of the rows changes nothing, up to records that are equal
    in everything. Cost O(n²/k)
    look-ups for each attribute.

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
    clock, draws = Clock.of(time_limit, memory_limit), Draws(seed)
    counting = Counting(table, sensitive)
    attributes = attributes_of(table, hierarchies, categorical=categorical)
    aim = asked_distance(model, "t-closeness-first microaggregation")
    require_reachable(counting, model)
    n = len(table)
    size = asked_k(model, k) if k is not None else max(asked_k(model), least_cluster_size(n, aim.t))
    size = min(size, n)
    _, line = laid_out(counting, aim.ground)
    place = np.empty(len(line), dtype=np.int64)
    place[line] = np.arange(len(line))
    order = draws.order(table)
    distances = SquaredDistances(attributes, [column.codes[order] for column in table.quasi_identifiers])
    buckets = _bucket_sizes(n, size)
    bucket_of = np.empty(n, dtype=np.int64)
    bucket_of[np.argsort(place[counting.codes[order]], kind="stable")] = np.repeat(np.arange(size), buckets)
    class_of = np.empty(n, dtype=np.int64)
    class_of[order] = filled_classes(distances, bucket_of, even_quotas(buckets, n // size), clock)
    return merged_release(
        table,
        class_of,
        model,
        counting,
        distances,
        order,
        clock,
        method="t-closeness-first microaggregation",
        attributes=attributes,
        done={"k": size, "classes before mergers": n // size},
        conventions={
            "last records": "n mod k records go to the middle buckets",
            "ties": "by quasi-identifiers, then by a drawn number",
            "draws": draws.text,
        },
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
