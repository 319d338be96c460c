"""The similarity attack: values that differ, but mean much the same (Li et al. 2007, §3).

Li, Li, Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and ℓ-Diversity", ICDE 2007.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tcloseness.attacks.result import AttackResult, Finding, attack_result, class_text
from tcloseness.errors import DomainError, HierarchyError, InputError
from tcloseness.exact import IntArray, Number, Rationals, number_text
from tcloseness.microdata import ClassCounts, Hierarchy
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text
from tcloseness.models.thresholds import at_least

__all__ = ["narrow_range_attack", "similarity_attack"]

_CITATION = "Li et al. 2007, §3"


def similarity_attack(
    classes: ClassCounts | FullTable, groups: Mapping[str, Iterable[Hashable]] | Hierarchy, *, level: int | None = None
) -> AttackResult:
    """Return the classes whose values all lie in one group: {s : n_(g,s) > 0} ⊆ G.

    Parameters
    ----------
    classes
        The released counts.
    groups
        By name, the values of a group that is sensitive in itself (``{"stomach": ["ulcer", "gastritis"]}``); they must
        not overlap, and values may be in none. Or a hierarchy of the sensitive values: its nodes are the groups.
    level
        With a hierarchy, the level of the nodes, 1 ≤ level < height (at the root everything is one group); None: for
        each class the lowest such level on which its values are in one node.

    Returns
    -------
    AttackResult
        One finding a class; all its records are revealed to have a value of the group. Homogeneous classes are
        among them.

    Raises
    ------
    DomainError
        For groups that overlap, or that hold no value which occurs.
    HierarchyError
        For a hierarchy that does not cover a value, or has no such level.

    References
    ----------
    Li et al. 2007, §3, "Similarity Attack" and Example 3.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"ulcer": 1, "gastritis": 1}, "b": {"flu": 1, "ulcer": 1}})
    >>> similarity_attack(classes, {"stomach": ["ulcer", "gastritis"]}).findings[0].sentence
    'Whoever is in the class a has a value of stomach: all of its values (gastritis, ulcer) are.'
    """
    classes = in_shape(classes, ClassCounts)
    classes.require_values("the similarity attack")
    names: list[str] = []  # of all groups, of all levels
    group = np.full(len(classes), -1, dtype=np.int64)  # the place in names of each class's group
    if isinstance(groups, Hierarchy):
        for at in _levels(groups, level):
            codes, labels = groups.generalize(classes.domain, at)
            found = _common(classes, codes)
            group = np.where((group < 0) & (found >= 0), found + len(names), group)
            names += map(value_text, labels.values)
        parameters = {"groups": f"hierarchy {groups.name}", "level": "lowest" if level is None else str(level)}
    else:
        if level is not None:
            raise InputError(f"level={level!r} is given with named groups; levels belong to a hierarchy")
        names, codes = _group_codes(classes, groups)
        group = _common(classes, codes)
        parameters = {"groups": ", ".join(names), "values in no group": str(int((codes < 0).sum()))}
    hit = np.flatnonzero(group >= 0)
    return attack_result(
        "similarity",
        classes,
        hit,
        classes.people[hit],
        partial(_similar, classes, hit, names, group),
        citation=_CITATION,
        parameters=parameters,
        reveals="are known to have a value of one group",
        spared="No class has all its values in one group",
    )


def _similar(classes: ClassCounts, hit: npt.NDArray[np.intp], names: Sequence[str], group: IntArray, i: int) -> Finding:
    g, name = int(hit[i]), names[group[hit[i]]]
    values = tuple(classes.domain.value(code) for code in classes.row(g))
    sentence = f"Whoever is in the class {class_text(classes, g)} has a value of {name}: all of its values "
    sentence += f"({', '.join(map(value_text, values))}) are."
    return Finding(g, int(classes.people[g]), values, sentence)


def narrow_range_attack(
    classes: ClassCounts | FullTable, *, at_most: Number, scale: Literal["value", "rank"] = "value"
) -> AttackResult:
    """Return the classes whose values span little of the domain: (max_g − min_g) / (max − min) ≤ at_most.

    The similarity attack on an ordered attribute: "Bob's salary is in the range 3K–5K".

    Parameters
    ----------
    classes
        The released counts. The whole range is that of their domain.
    at_most
        The greatest share of the range that counts, 0 ≤ at_most < 1, read exactly.
    scale
        ``"value"`` measures numbers (or dates) by value, ``"rank"`` ordered values by their place in the order.

    Returns
    -------
    AttackResult
        One finding a class; its values are the lowest and the highest one (one value in a homogeneous class).

    Raises
    ------
    DomainError
        For values that are not numbers (by value), or have no order (by rank), or a domain of one value.

    References
    ----------
    Li et al. 2007, §3, "Similarity Attack" and Example 3.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {3: 1, 4: 1, 5: 1}, "b": {6: 1, 8: 1, 11: 1}})
    >>> narrow_range_attack(classes, at_most="1/4").findings[0].sentence
    'Whoever is in the class a has a value from 3 to 5, which is 1/4 of the range from 3 to 11.'
    """
    classes = in_shape(classes, ClassCounts)
    classes.require_values("the attack by a narrow range")
    most = at_least(at_most, "at_most", 0)
    if most >= 1:
        raise InputError(
            f"at_most = {number_text(most)}; every class spans at most the whole range, so give less than 1"
        )
    domain = classes.domain
    if scale == "value":
        places = np.asarray(domain.scaled_positions("the range of a class by value")[0]).tolist()
    elif scale == "rank":
        domain.require_order("the range of a class by rank")
        places = list(range(len(domain)))
    else:
        raise InputError(f"scale={scale!r} is unknown; it is 'value' or 'rank'")
    ascending = sorted(range(len(places)), key=places.__getitem__)
    whole = places[ascending[-1]] - places[ascending[0]]
    if not whole:
        raise DomainError(f"the domain's range is 0 ({domain.values[0]!r} only); a share of it is undefined")
    rank = np.empty(len(places), dtype=np.int64)
    rank[ascending] = np.arange(len(places))
    starts = classes.starts[:-1]
    low = np.minimum.reduceat(rank[classes.values], starts)
    high = np.maximum.reduceat(rank[classes.values], starts)
    place = np.array([*(places[code] for code in ascending), None], dtype=object)[:-1]  # by rank
    spans = Rationals(place[high] - place[low], np.full(len(classes), whole, dtype=object))

    hit = np.flatnonzero(spans.compare(most) <= 0)
    return attack_result(
        "narrow range",
        classes,
        hit,
        classes.people[hit],
        partial(_narrow, classes, hit, ascending, low, high, spans),
        citation=_CITATION,
        parameters={"at most": number_text(most), "scale": scale},
        reveals=f"are known to have a value within {number_text(most)} of the range",
        spared=f"Every class spans more than {number_text(most)} of the range",
    )


def _narrow(
    classes: ClassCounts,
    hit: npt.NDArray[np.intp],
    ascending: Sequence[int],
    low: IntArray,
    high: IntArray,
    spans: Rationals,
    i: int,
) -> Finding:
    g, domain = int(hit[i]), classes.domain
    lowest, highest = (domain.values[ascending[int(end[g])]] for end in (low, high))
    ends = f"from {value_text(domain.values[ascending[0]])} to {value_text(domain.values[ascending[-1]])}"
    span = spans[g]
    sentence = f"Whoever is in the class {class_text(classes, g)} has a value from {value_text(lowest)} to "
    sentence += f"{value_text(highest)}, which is {number_text(span)} of the range {ends}."
    return Finding(g, int(classes.people[g]), (lowest, highest) if span else (lowest,), sentence)


def _common(classes: ClassCounts, group: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each class the group that all of its values have, −1 where they differ or have none."""
    of_cell, starts = group[classes.values], classes.starts[:-1]
    low, high = np.minimum.reduceat(of_cell, starts), np.maximum.reduceat(of_cell, starts)
    return np.where(low == high, low, -1)


def _levels(hierarchy: Hierarchy, level: int | None) -> list[int]:
    if level is None:
        return list(range(1, hierarchy.height))
    number: Any = level
    if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or not 1 <= number < hierarchy.height:
        raise HierarchyError(
            f"level {level!r} of hierarchy {hierarchy.name!r} makes no groups to be similar in; give a level from 1 to "
            f"{hierarchy.height - 1}: at 0 each value is its own group, at {hierarchy.height} all are one"
        )
    return [int(number)]


def _group_codes(
    classes: ClassCounts, groups: Mapping[str, Iterable[Hashable]]
) -> tuple[list[str], npt.NDArray[np.int64]]:
    names, codes = list(groups), np.full(len(classes.domain), -1, dtype=np.int64)
    for number, name in enumerate(names):
        members = groups[name]
        if isinstance(members, str):
            raise InputError(f"group {name!r} is the text {members!r}; list its values")
        for value in members:
            if value not in classes.domain:
                continue  # a grouping may know more values than a table has
            code = classes.domain.code(value)
            if codes[code] not in (-1, number):
                raise DomainError(
                    f"{value!r} is in the groups {names[codes[code]]!r} and {name!r}; groups must not overlap: ask "
                    "about each grouping by itself"
                )
            codes[code] = number
    if (codes < 0).all():
        raise DomainError(
            f"no group holds a value that occurs; the groups are {names!r}, and the values start with "
            f"{classes.domain.value(0)!r}"
        )
    return names, codes
