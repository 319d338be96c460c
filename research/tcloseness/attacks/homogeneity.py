"""The homogeneity attack: a class whose records all carry one value gives it away (Machanavajjhala et al. 2006, §1.1).

Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "ℓ-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from tcloseness.attacks.result import AttackResult, Finding, attack_result, class_text
from tcloseness.errors import InputError
from tcloseness.exact import Number, Rationals, as_fraction, number_text
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text

__all__ = ["homogeneity_attack"]


def homogeneity_attack(classes: ClassCounts | FullTable, *, share: Number = 1) -> AttackResult:
    """Return the classes in which one value has max_s p_(g,s) ≥ share of the records; with share = 1, all of them.

    Parameters
    ----------
    classes
        The released counts.
    share
        1/2 < share ≤ 1, read exactly. Below 1 the inference is right with that probability only.

    Returns
    -------
    AttackResult
        One finding a class. All its records count as revealed: the attacker concludes the same about each, wrongly
        about those with another value.

    Raises
    ------
    InputError
        For a share that does not single out one value.

    References
    ----------
    Machanavajjhala et al. 2006, §1.1, Observation 1. With a share below 1, the probabilistic inference of Li et al.
    2007, §2, on distinct ℓ-diversity.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"130**, 3*": {"cancer": 4}, "130**, <30": {"heart": 2, "virus": 2}})
    >>> found = homogeneity_attack(classes)
    >>> found.sentence
    '4 of 8 records, in 1 class of 2, have their value revealed.'
    >>> found.findings[0].values
    ('cancer',)
    """
    classes = in_shape(classes, ClassCounts)
    classes.require_values("the homogeneity attack")
    least = as_fraction(share, "share")
    if not Fraction(1, 2) < least <= 1:
        raise InputError(
            f"share = {number_text(least)}; it must be > 1/2, so that one value is meant, and ≤ 1 (all records)"
        )
    largest = np.maximum.reduceat(classes.counts, classes.starts[:-1])
    hit = np.flatnonzero(Rationals(largest, classes.people).compare(least) >= 0)
    return attack_result(
        "homogeneity",
        classes,
        hit,
        classes.people[hit],
        partial(_finding, classes, hit),
        citation="Machanavajjhala et al. 2006, §1.1",
        parameters={"share": number_text(least)},
        reveals="have their value revealed"
        if least == 1
        else f"have a value revealed that holds for ≥ {least} of them",
        spared="No class has one value only" if least == 1 else f"No class has one value in ≥ {least} of its records",
    )


def _finding(classes: ClassCounts, hit: npt.NDArray[np.intp], i: int) -> Finding:
    g = int(hit[i])
    start, end = classes.starts[g : g + 2].tolist()
    cell = start + int(classes.counts[start:end].argmax())  # the first of the commonest values
    size, count, value = (
        int(classes.people[g]),
        int(classes.counts[cell]),
        classes.domain.value(classes.values[cell]),
    )
    who = f"Whoever is in the class {class_text(classes, g)} has {value_text(value)}"
    if count < size:
        reason = f" with probability {number_text(Fraction(count, size))}: {count} of {size} {classes.unit}s do."
    else:
        reason = f": all {size} records of it do." if size > 1 else ": the only record of it does."
    sentence = who + reason
    return Finding(g, size, (value,), sentence)
