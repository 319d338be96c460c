"""Several sensitive attributes of one table: the others as quasi-identifiers in turn, or all as one joint attribute.

Each attribute apart is the plain case: evaluate a model on ``table.class_counts(name)`` for every name. It misses what
one attribute says about another. Machanavajjhala et al. 2006, Definition 4.5 lets the other sensitive attributes join
the quasi-identifier in turn; a joint distribution treats the tuple of values as one value, with a product ground
distance for t-closeness.

Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "ℓ-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from tcloseness.errors import TableError
from tcloseness.exact import Number
from tcloseness.ground import GroundSpec, ProductGround
from tcloseness.microdata import ClassCounts, Domain, FrequencySet
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.grouping import combined_codes
from tcloseness.models.catalogue import within_distances
from tcloseness.models.protocol import ModelResult, PrivacyModel
from tcloseness.models.t_closeness import TCloseness

__all__ = ["joint_class_counts", "joint_t_closeness", "multi_attribute", "multi_attribute_classes"]

Reference = Literal["released", "all"]

_HOW = "several sensitive attributes"


def multi_attribute_classes(
    table: FrequencySet | FullTable, sensitive: str, *, reference: Reference = "released"
) -> ClassCounts:
    """Return the counts of one sensitive attribute with all other sensitive attributes as quasi-identifiers.

    Parameters
    ----------
    table
        The table's frequency set.
    sensitive
        The attribute that stays sensitive.
    reference
        Whose distribution Q is, see `FrequencySet.class_counts`.

    Notes
    -----
    A table is multi-attribute ℓ-diverse, in any reading of ℓ-diversity, if it is ℓ-diverse for every choice of
    `sensitive`; see `multi_attribute`. With one sensitive attribute nothing changes.

    References
    ----------
    Machanavajjhala et al. 2006, Definition 4.5.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"q": ["a"] * 4, "s": ["s1", "s1", "s2", "s3"], "v": ["v1", "v2", "v3", "v3"]})
    >>> table = FrequencySet.from_frame(rows, quasi_identifiers="q", sensitive=["s", "v"])
    >>> multi_attribute_classes(table, "v").class_sizes.tolist()
    [2, 1, 1]
    """
    table = in_shape(table, FrequencySet)
    if sensitive not in table.sensitive:
        raise TableError(f"{sensitive!r} is not a sensitive attribute of this table; it has {table.sensitive!r}")
    others = tuple(name for name in table.sensitive if name != sensitive)
    regrouped = replace(table, quasi_identifiers=(*table.quasi_identifiers, *others), sensitive=(sensitive,))
    classes = regrouped.class_counts(sensitive, reference=reference)
    how = "the others join the quasi-identifier (Machanavajjhala et al. 2006, Definition 4.5)"
    return replace(classes, conventions=classes.conventions.but({_HOW: how}))


def multi_attribute(model: PrivacyModel, table: FrequencySet | FullTable) -> dict[str, ModelResult]:
    """Evaluate a model for each sensitive attribute, the others as quasi-identifiers (Machanavajjhala et al. 2006,
    Definition 4.5).

    Returns
    -------
    dict
        Attribute name → result. The table has the property if every result is satisfied.
    """
    table = in_shape(table, FrequencySet)
    return {name: model.evaluate(multi_attribute_classes(table, name)) for name in table.sensitive}


def joint_class_counts(
    table: FrequencySet | FullTable, names: Sequence[str] | None = None, *, reference: Reference = "released"
) -> ClassCounts:
    """Return the class counts of several sensitive attributes as one: its values are the tuples that occur.

    Parameters
    ----------
    table
        The table's frequency set.
    names
        At least two of its sensitive attributes; all of them by default.
    reference
        Whose distribution Q is, see `FrequencySet.class_counts`.

    Raises
    ------
    TableError
        For an unknown or repeated name, or fewer than two.

    Notes
    -----
    Tuples are in the order of their components' values; the joint attribute itself has no order. Every model runs
    on the answer: distinct ℓ-diversity counts different tuples, t-closeness asks for a ground distance between
    tuples (`tcloseness.ground.ProductGround`, or ``"equal"``).
    """
    table = in_shape(table, FrequencySet)
    chosen = tuple(table.sensitive if names is None else names)
    for name in chosen:
        if name not in table.sensitive:
            raise TableError(f"{name!r} is not a sensitive attribute of this table; it has {table.sensitive!r}")
    if len(chosen) < 2 or len(set(chosen)) != len(chosen):
        raise TableError(f"a joint distribution of {chosen!r} was asked for; name at least two attributes, each once")
    key = combined_codes([table.codes[n] for n in chosen], [len(table.domains[n]) for n in chosen])
    _, heads, codes = np.unique(key, return_index=True, return_inverse=True)
    components = [table.codes[n][heads].tolist() for n in chosen]
    tuples = tuple(
        tuple(table.domains[name].values[code] for name, code in zip(chosen, row, strict=True))
        for row in zip(*components, strict=True)
    )
    label = " × ".join(chosen)
    joint = replace(
        table,
        sensitive=(label,),
        domains={**{n: table.domains[n] for n in table.quasi_identifiers}, label: Domain(tuples)},
        codes={**{n: table.codes[n] for n in table.quasi_identifiers}, label: codes},
    )
    classes = joint.class_counts(label, reference=reference)
    return replace(classes, conventions=classes.conventions.but({_HOW: "joint distribution of the tuples that occur"}))


def joint_t_closeness(
    table: FrequencySet | FullTable,
    grounds: Mapping[str, GroundSpec],
    t: Number | None = None,
    *,
    combine: Literal["mean", "max"] = "mean",
    weights: Sequence[Number] | None = None,
    reference: Reference = "released",
) -> ModelResult:
    """Measure t-closeness of the joint distribution of several sensitive attributes under a product ground distance.

    Parameters
    ----------
    table
        The table's frequency set.
    grounds
        For each attribute of the joint distribution its ground distance; at least two attributes.
    t
        The threshold, or None to measure only.
    combine, weights
        How the attributes' distances make one, see `tcloseness.ground.ProductGround`.
    reference
        Whose distribution Q is, see `FrequencySet.class_counts`.

    Notes
    -----
    A product distance has no closed form: each different class is one transportation problem, solved and certified.
    The joint t under the mean is at least the weighted mean of the attributes' own ts of one class, and under the max
    at least the greatest: projecting a coupling on one attribute gives a coupling of its distributions.
    """
    table = in_shape(table, FrequencySet)
    classes = joint_class_counts(table, tuple(grounds), reference=reference)
    domains = [table.class_counts(name, reference=reference).domain for name in grounds]
    ground = ProductGround.over(classes.domain, list(grounds.values()), domains, combine=combine, weights=weights)
    if t is not None:
        within_distances(t, ground)
    return TCloseness(t, ground=ground).evaluate(classes)
