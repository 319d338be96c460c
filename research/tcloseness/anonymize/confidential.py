"""Microaggregation of the confidential attribute: classes whose sensitive values vary least.

J. Soria-Comas, J. Domingo-Ferrer, "Connecting Privacy Models: Synergies Between k-Anonymity, t-Closeness and
Differential Privacy", UNECE/Eurostat work session on statistical data confidentiality, Ottawa 2013, §3: partition on
the confidential attributes, so that they vary little within classes (utility), and ask for ℓ-diversity or t-closeness
besides (protection).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

import numpy as np

from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.anonymize.merging import BY_CLASS, TIES, asked_k, merge_until_satisfied, require_reachable, require_size
from tcloseness.anonymize.microaggregation import TAIL_RULE, mdav_classes
from tcloseness.errors import TableError
from tcloseness.exact import IntArray, number_text
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import MISSING, Domain, Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.classes import require_values
from tcloseness.microdata.domain import natural_position
from tcloseness.models import PrivacyModel
from tcloseness.release.anonymized import Anonymized, verified
from tcloseness.release.attributes import Categorical, Hierarchical, Numeric, attributes_of
from tcloseness.release.counting import Counting
from tcloseness.release.draws import Draws, numbered_by_first_record
from tcloseness.release.partition import Partition
from tcloseness.release.univariate import optimal_groups, within_groups

__all__ = ["confidential_microaggregation"]


def confidential_microaggregation(
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
    """Anonymize by classes of k or more records whose sensitive values vary least.

    A sensitive attribute of numbers or dates, or with a declared order, is partitioned optimally (`optimal_groups`;
    values in a declared order count as their ranks); one with a hierarchy in `hierarchies`, or without an order, by
    MDAV. Then classes that violate the model are merged with the class whose sensitive values are nearest.

    Parameters
    ----------
    table, k, sensitive, seed, time_limit, memory_limit
        As for `tcloseness.anonymize.mdav`; k is the least size of a class.
    model
        As there: without ℓ-diversity or t-closeness in it, classes of little variability disclose the sensitive value.
    hierarchies
        By quasi-identifier, see `attributes_of`; also that of the sensitive attribute, if it has one.
    categorical
        Quasi-identifiers, or the sensitive attribute, whose numbers are mere names.

    Raises
    ------
    InfeasibleError, NotReached, LimitReached
        As `tcloseness.anonymize.mdav`.

    Notes
    -----
    The paper's own warnings hold: the generalized quasi-identifiers of a class may span the whole domain, and coincide
    for different classes, which are then one class of the published table. To keep the quasi-identifiers as they are,
    publish the classes in two tables: ``two_tables(found.grouped, model)``. Where values are equal, or equally near,
    records go in the order of their quasi-identifiers, and where these are equal too, in a drawn one. With a given seed
    the order of the rows changes nothing, up to records that are equal in everything. Of a numeric or ordered
    attribute, `done` has the sum of squared deviations from the classes' means before and after the mergers. Cost
    O(n·k) for the optimal partition.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.anonymize.anatomy import two_tables
    >>> from tcloseness.models import KAnonymity
    >>> frame = pd.DataFrame({"x": [5, 1, 3, 2, 9, 4, 7], "salary": [1, 2, 3, 4, 20, 21, 22]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="salary")
    >>> found = confidential_microaggregation(table, KAnonymity(3))
    >>> found.done["variability within classes"], found.frame()["x"].tolist()
    ('7', ['1-5', '1-5', '1-5', '1-5', '4-9', '4-9', '4-9'])
    >>> sorted(two_tables(found.grouped, KAnonymity(3)).partition.sizes.tolist())
    [3, 4]
    """
    table = in_shape(table, Microdata)
    clock, draws = Clock.of(time_limit, memory_limit), Draws(seed)
    counting = Counting(table, sensitive)
    name, given = counting.sensitive, dict(hierarchies or {})
    require_values("microaggregation of the confidential attribute", name)
    tree = given.pop(name, None)
    names_only = {x for x in categorical if x != name}
    attributes = attributes_of(table, given, categorical=names_only)
    require_reachable(counting, model)
    size = require_size(asked_k(model, k), len(table))
    order = draws.order(table)
    codes = counting.codes[order]
    numbers = None if tree is not None or name in categorical else _numbers(counting.domain)
    done: dict[str, object] = {"k": size}
    class_of = np.empty(len(table), dtype=np.int64)
    if numbers is not None:
        values = [numbers[code] for code in codes.tolist()]
        for number, group in enumerate(optimal_groups(values, size, clock=clock)):
            class_of[order[group]] = number
        attribute: Numeric | Hierarchical | Categorical = Numeric(name, Domain.of(numbers))
        codes = attribute.domain.codes(numbers)[codes]
    else:
        attribute = Categorical(name, counting.domain) if tree is None else Hierarchical(name, counting.domain, tree)
    distances = SquaredDistances((attribute,), [codes])
    if numbers is None:
        class_of[order] = mdav_classes(distances, len(table), size, clock)
    done["classes before mergers"] = int(class_of.max()) + 1
    merged, done["mergers"] = merge_until_satisfied(class_of, model, counting, distances, order, clock)
    if numbers is not None:
        done["variability within classes before mergers"] = number_text(_variability(values, class_of[order]))
        done["variability within classes"] = number_text(_variability(values, merged[order]))
    return verified(
        Partition(table, numbered_by_first_record(merged, order)),
        model,
        method="microaggregation of the confidential attribute",
        attributes=attributes,
        sensitive=name,
        done=done,
        conventions={
            "recoding": BY_CLASS,
            "distance of records": f"on the sensitive attribute alone, {attribute.kind}",
            "last records": "optimal sizes k to 2k − 1" if numbers is not None else TAIL_RULE,
            "ties": TIES,
            "draws": draws.text,
        },
    )


def _numbers(domain: Domain) -> list[Fraction] | None:
    """Return the values as numbers: their own, or their ranks in a declared order; None without an order.

    Values that are equal as numbers lie at one place. Missing values among numbers have none, and are refused.
    """
    positions = [natural_position(value) for value in domain.values]
    placed = [position for position in positions if position is not None]
    if len(placed) == len(positions):
        return placed
    if domain.order == "declared":
        return [Fraction(rank) for rank in range(len(domain))]
    if len(placed) == len(positions) - 1 and placed and MISSING in domain:
        raise TableError(
            "the sensitive attribute holds numbers and a missing value, which has no place among numbers; leave these "
            "rows out (missing='drop'), declare the order of all values, or name the attribute in categorical="
        )
    return None


def _variability(values: list[Fraction], class_of: IntArray) -> Fraction:
    rows = np.argsort(class_of, kind="stable")
    starts = np.flatnonzero(np.diff(class_of[rows], prepend=-1))
    return within_groups(values, [group.tolist() for group in np.split(rows, starts[1:])])
