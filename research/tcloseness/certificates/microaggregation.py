"""Checker of groups of numbers: that no groups of at least k have less variability within them.

Groups of least Σ (value − mean)² are intervals of the sorted numbers x_1 ≤ … ≤ x_N, of k to 2k − 1: an exchange makes
them intervals, and a group that is split has no more. With labels F_0 = 0 and F_j ≤ F_i + (that sum over x_{i+1}, …,
x_j) for each such interval, adding up over the groups shows that they have F_N at least.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise, starmap
from typing import Any

from tcloseness.certificates.class_costs import number_of
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.envelope import Task
from tcloseness.certificates.nodes import Nodes
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, InputError
from tcloseness.strict_records import (
    Work,
    canonical_fraction,
    canonical_fractions,
    cells,
    common_bits,
    fields,
    listed,
    whole,
)

__all__ = ["MICROAGGREGATION", "TASKS", "check_microaggregation", "require_path"]

MICROAGGREGATION = "tcloseness-microaggregation-certificate-1"

_MOST_RECORDS = 2**22
_MOST_BITS = 2**31
"""Of all numbers, once they have one denominator."""


def check_microaggregation(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check that groups of these sizes, in the order of the numbers, are best; return what was found, in words.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    record = fields(proof, ("values", "groups", "value", "labels"), "proof")
    asked = [each for each, _ in conditions.each]
    if [each["condition"] for each in asked] != ["records"] or len(nodes.names) != 1:
        raise InputError("groups of numbers are of one column, and are asked for a number of records alone")
    if nodes.records > _MOST_RECORDS:
        raise InputError(f"groups of {counted(nodes.records, 'number')} are not checked; at most {_MOST_RECORDS:,} are")
    known = [number_of(value, nodes.names[0]) for value in nodes.labels[0][0]]
    of_rows = zip(nodes.codes[0][0].tolist(), nodes.counts.tolist(), strict=True)
    numbers = sorted(known[code] for code, count in of_rows for _ in range(count))
    k, n = asked[0]["least"], nodes.records
    sizes = [whole(size, "groups[]") for size in listed(record["groups"], "groups")]
    value = canonical_fraction(record["value"], "value")
    labels = canonical_fractions(record["labels"], "labels", length=n - k + 1)
    require_path(numbers, k, sizes, value, labels, conditions.work)
    groups = f"{counted(len(sizes), 'group')} of {counted(n, 'number')}"
    return f"{groups}; the sum of squared errors within them is {value}, the least"


def require_path(
    numbers: Sequence[Fraction],
    k: int,
    sizes: Sequence[int],
    value: Fraction,
    labels: Sequence[Fraction],
    work: Work,
) -> None:
    """Raise `CertificateError` unless groups of some sizes have the value, and labels show that none have less.

    Parameters
    ----------
    numbers
        In ascending order.
    labels
        F_k, …, F_N.
    work
        How much of it may be done.
    """
    n = len(numbers)
    if sum(sizes) != n or not all(k <= size < 2 * k for size in sizes):
        raise CertificateError(f"the groups are not of {k} to {counted(2 * k - 1, 'record')} each, or not of all {n}")
    bits = common_bits(numbers, "the numbers")
    if n * bits > _MOST_BITS:
        raise InputError(f"{counted(n, 'number')} of {counted(bits, 'binary digit')} are not checked")
    work.spend(k * k, "groups of so many records")
    unit = math.lcm(*(number.denominator for number in numbers))
    shared = math.lcm(*range(k, 2 * k))  # makes the errors of all sizes whole numbers
    scale = shared * unit * unit
    if any(scale % label.denominator for label in labels):
        raise CertificateError("a label is not a sum of the squared errors of groups")
    places = [int(number * unit) for number in numbers]
    bits = max(common_bits(labels, "labels"), 2 * (bits + n.bit_length())) + scale.bit_length()
    work.spend(4 * n * k * cells(bits), "so many groups")
    shares = [shared // size for size in range(k, 2 * k)]
    sums, squares = (list(accumulate(each, initial=0)) for each in (places, (x * x for x in places)))

    def within(first: int, last: int) -> int:
        total = sums[last] - sums[first]
        return shared * (squares[last] - squares[first]) - shares[last - first - k] * total * total

    ends = list(accumulate(sizes, initial=0))
    if sum(starmap(within, pairwise(ends))) != value * scale:
        raise CertificateError(f"the groups do not have {value}, but another sum of squared errors")
    label_of = {0: 0, **{k + i: int(label * scale) for i, label in enumerate(labels)}}
    if label_of[n] != value * scale:
        raise CertificateError(f"the last label is not {value}")
    for last in range(k, n + 1):
        work.spend(0, "so many groups")
        for first in range(max(0, last - 2 * k + 1), last - k + 1):
            if first in label_of and label_of[last] > label_of[first] + within(first, last):
                raise CertificateError(
                    f"the label of the first {counted(last, 'number')} is too great for a group behind {first}"
                )


TASKS = (
    Task(
        MICROAGGREGATION,
        "groups of the numbers in ascending order, of sizes `groups`, have the sum of squared errors `value`, and no "
        "groups of at least so many records as the model asks for have less",
        check_microaggregation,
    ),
)
