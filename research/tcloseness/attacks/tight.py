"""What the labels of a release disclose by themselves: the values that are shown, and those that tight labels imply.

Nothing is solved: what is certain of a class follows from its label and its size.

| label of n records | tight labels say | certain |
|---|---|---|
| a value | – | n times that value |
| interval [a, b], a < b | both ends occur | a and b |
| set {v_1, …, v_m} | each occurs | v_1, …, v_m |
| ancestor with two children | values below each occur | the value below a child that has no other |
| cells of a grid | the first and the last have values, or their one cell has two | the values that leaves no choice |
| ancestor with more children | values below some two occur | none |

The rest of a class is undetermined: each of its other records can have any value that the label stands for.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tcloseness.attacks.disclosure import Disclosure, Fact, StatusCounts
from tcloseness.attacks.result import Findings, class_text, listed
from tcloseness.certificates import Reading, levels_digest, read_table
from tcloseness.certificates.labels import ClassFact, Tight, labels_text, verify_labels
from tcloseness.certificates.reading import PublishedCounts
from tcloseness.displayed import counted
from tcloseness.errors import InputError, NotCertified, TableError
from tcloseness.exact import IntArray, percent_of
from tcloseness.microdata import ClassCounts, Hierarchy
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text
from tcloseness.release import Recoding, Release
from tcloseness.release.labels import text_of
from tcloseness.release.unaligned import UnalignedRelease

__all__ = ["LabelDisclosure", "disclosed_by_labels", "label_disclosure"]

ENDS, EACH, CELLS, CHILDREN = (
    "both ends of an interval occur",
    "each value of a set occurs",
    "values in both end cells of the grid, and several in all, occur",
    "values below both children of an ancestor occur",
)


@dataclass(frozen=True, eq=False)
class _Implied:
    """What each label of an attribute implies, whatever the size of its class.

    Attributes
    ----------
    exact
        Shape (labels,): whether the label stands for one value.
    values
        By label the values of which each class with it has one, by a tight label.
    rule
        Why; empty where labels are not taken to be tight.
    """

    exact: npt.NDArray[np.bool_]
    values: tuple[tuple[Hashable, ...], ...]
    rule: str

    @property
    def numbers(self) -> IntArray:
        return np.array([len(values) for values in self.values], dtype=np.int64)


About: TypeAlias = tuple[str, int, int, _Implied, int]
"""The attribute and the class that a fact is about, how many values are certain, by what, and the label."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelDisclosure(Disclosure):
    """What labels disclose, class by class.

    Attributes
    ----------
    classes, recodings
        The classes, whose keys are the labels; by quasi-identifier what each label stands for.
    tight
        The quasi-identifiers whose labels are taken to be tight.
    """

    classes: ClassCounts
    recodings: Mapping[str, Recoding]
    tight: tuple[str, ...]

    def about(self) -> list[About]:
        """Return what the facts are about, in another order."""
        return _about(self.classes, {name: _implied(each, name in self.tight) for name, each in self.recodings.items()})

    def certified(
        self,
        table: bytes,
        reading: Reading | None = None,
        hierarchies: Mapping[str, Sequence[Sequence[str]]] = MappingProxyType({}),
    ) -> str:
        """Return what proves the facts to whoever has the published table, once a checker has accepted it.

        Parameters
        ----------
        table, reading
            The published table's file, a CSV file, and how it is read.
        hierarchies
            By attribute the rows of its hierarchy's file, see `tcloseness.certificates.levels_of`.

        Returns
        -------
        str
            JSON text; `tcloseness verify` checks it, and `tcloseness.certificates.verify_labels`.

        Raises
        ------
        NotCertified
            If nothing is certain beyond what the labels show.
        InputError
            If a hierarchy is not given whose nodes are labels.
        CertificateFormatError, CertificateError
            If the table cannot be read so, or is another one.

        Examples
        --------
        >>> import pandas as pd
        >>> from tcloseness.anonymize import mondrian
        >>> from tcloseness import Microdata
        >>> from tcloseness.certificates import verify_labels
        >>> from tcloseness.models import KAnonymity
        >>> frame = pd.DataFrame({"age": [21, 24, 30, 41], "disease": ["flu", "cold", "flu", "gout"]})
        >>> made = mondrian(Microdata.from_frame(frame, quasi_identifiers="age", sensitive="disease"), KAnonymity(2))
        >>> file = made.frame().to_csv(index=False).encode()
        >>> verify_labels(label_disclosure(made).certified(file), file)
        '4 values of quasi-identifiers in 2 facts about a class and an attribute; labels are taken to be tight of age'
        """
        about, classes, reading = self.about(), self.classes, reading or Reading()
        if not about:
            raise NotCertified("not certified: the labels imply no value, so there is nothing to prove")
        assert classes.keys is not None
        names = classes.keys.names
        published = PublishedCounts("", names, classes.sensitive if classes.has_values else None, 0, reading)
        tight = {}
        for name in dict.fromkeys(each[0] for each in about):
            recoding = self.recodings[name]
            if recoding.hierarchy is not None:
                if name not in hierarchies:
                    way = f"hierarchies={{{name!r}: levels_of(file, {name!r}, reading)}}"
                    raise InputError(f"no rows of the hierarchy of {name!r} are given, of which labels are; give {way}")
                tight[name] = Tight(hierarchy=levels_digest(hierarchies[name]))
            elif recoding.grid is not None:
                tight[name] = Tight(grid=recoding.grid, domain=tuple(map(value_text, recoding.values.values)))
            else:
                tight[name] = Tight()
        facts = [
            ClassFact(
                tuple(f"text:{text}" if (text := text_of(label)) else "missing:" for label in classes.label(g)),
                name,
                int(classes.class_sizes[g]),
                tuple(map(value_text, implied.values[label])),
            )
            for name, g, _, implied, label in about
        ]
        shown = PublishedCounts.of(read_table(table, published), reading, has_sensitive=classes.has_values)
        found = labels_text(shown, tight, facts)
        verify_labels(found, table, hierarchies)
        return found


def label_disclosure(
    release: Release | FullTable,
    level: Literal["labels", "tight"] = "tight",
    *,
    attained: Collection[str] | None = None,
) -> LabelDisclosure:
    """Return how many values of quasi-identifiers the labels of a release disclose, class by class.

    For a class of n records and an attribute A, a multiset W is certain if W ⊆ {t[A] : t in the class} in each table
    that the labels allow; |W| values are certain then, though not whose they are. For each class and attribute W is
    greatest.

    Parameters
    ----------
    release
        The release, or an answer that has one. Only its labels and its hierarchies are looked at.
    level
        ``"labels"``: a label stands for some values, and each record has one of them. ``"tight"`` (default): and no
        label that stands for less would do.
    attained
        The names of the quasi-identifiers whose labels are known to be tight; by default those that are by how they
        were made (`tcloseness.release.attributes.Says`). For a release that another tool made.

    Returns
    -------
    LabelDisclosure
        With the counts ``"cells"``, those of all quasi-identifiers of the records that are not suppressed, and
        ``"generalized cells"``, those whose labels stand for several values. Only those that show a mean are open. Its
        facts are about a class and an attribute whose label stands for several values.

    Raises
    ------
    InputError
        For another level.
    TableError
        If every record is suppressed; for a name in `attained` that is not a quasi-identifier, or one whose labels are
        means or, as the original shows, not tight.

    Notes
    -----
    An interval is taken to stand for values of the table, and an ancestor for all values below it in the hierarchy.
    Values that are equal as numbers, such as the texts ``62`` and ``62.0``, are one value. A class is what shows one
    label in each quasi-identifier; a method that makes several groups of one label discloses more to whoever knows how
    large its groups are. Labels at a whole level or cut of a hierarchy are not tight, nor are those of classes some of
    whose records were suppressed afterwards. Of a mean nothing is said. Cost: linear in classes, and in the leaves of
    the hierarchies.

    References
    ----------
    Xiao, Tao, Koudas, "Transparent Anonymization", TODS 2010, §1 (an attacker who knows the algorithm).

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.microdata import Microdata
    >>> from tcloseness.release import Partition, attributes_of
    >>> frame = pd.DataFrame({"age": [21, 25, 30, 41, 47], "disease": ["flu", "flu", "cold", "flu", "cold"]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="disease")
    >>> release = Release.of_partition(Partition.of(table, [[0, 1, 2], [3, 4]]), attributes_of(table))
    >>> found = label_disclosure(release)
    >>> found.counts["generalized cells"]
    <StatusCounts: 4 certain, 1 possible, 0 open of 5>
    >>> [fact.values for fact in found.facts]
    [(41, 47), (21, 30)]
    """
    release = in_shape(release, Release)
    if level not in ("labels", "tight"):
        raise InputError(f"level={level!r} is unknown; what labels say by themselves is 'labels' or 'tight'")
    for name in attained or ():
        if name not in release.recodings:
            raise TableError(f"{name!r} is not a quasi-identifier of this table; it has {tuple(release.recodings)}")
        if release.recodings[name].says == "summary":
            raise TableError(f"{name!r} shows the means of its groups, which are not tight; leave it out of attained=")
    tight = {
        name
        for name, each in release.recodings.items()
        if (each.says in ("attained", "several") if attained is None else name in attained)
    }
    found = disclosed_by_labels(release.classes, release.recodings, tight, level)
    if attained is not None and not isinstance(release, UnalignedRelease):
        _require_true(release, found.about(), attained)
    return found


def disclosed_by_labels(
    classes: ClassCounts,
    recodings: Mapping[str, Recoding],
    tight: Collection[str],
    level: Literal["labels", "tight"] = "tight",
) -> LabelDisclosure:
    """Return what classes disclose whose keys are the labels of some recodings, those of some attributes being tight.

    Raises
    ------
    TableError
        For a class that is too small for its label to be tight.
    """
    assert classes.keys is not None
    sizes = classes.class_sizes
    wide: dict[str, list[str]] = {}
    exact, generalized, means = 0, 0, 0
    every = {name: _implied(recoding, name in tight and level == "tight") for name, recoding in recodings.items()}
    for name, recoding in recodings.items():
        implied, labels = every[name], classes.keys.codes[name]
        shown, numbers = implied.exact[labels], implied.numbers[labels]
        several = int(sizes[~shown].sum())
        exact, generalized = exact + int(sizes[shown].sum()), generalized + several
        means += several * (recoding.says == "summary")
        if several and implied.rule:
            wide.setdefault(implied.rule, []).append(name)
        needed = np.maximum(numbers, 2 if implied.rule else 0)
        short = np.flatnonzero(~shown & (sizes < needed))
        if len(short):
            label, size = recoding.labels.values[int(labels[short[0]])], counted(int(sizes[short[0]]), "record")
            raise TableError(
                f"the label {label!r} of {name!r} is of a class of {size}, and a tight one needs "
                f"{needed[short[0]]}; leave {name!r} out of attained="
            )
    about = _about(classes, every)
    known = np.array([each[2] for each in about], dtype=np.int64)
    of_class = sizes[[each[1] for each in about]] if about else known
    implied_values = int(known.sum())
    possible = generalized - implied_values - means
    names = tuple(name for name in recodings if name in tight)
    return LabelDisclosure(
        level,
        {
            "how labels are made": _how(names, level),
            "values": "those that the table's domains and hierarchies have",
            "quasi-identifiers": "not known",
        },
        {
            "cells": StatusCounts(exact + implied_values, possible, means),
            "generalized cells": StatusCounts(implied_values, possible, means),
        },
        Findings(known * 2**32 // of_class, partial(_fact, classes, about)),
        _sentences(level, wide, exact, implied_values, generalized, means),
        "Xiao, Tao, Koudas 2010, §1 (an attacker who knows the algorithm)",
        classes.conventions,
        classes=classes,
        recodings=recodings,
        tight=names if level == "tight" else (),
    )


def _about(classes: ClassCounts, implied: Mapping[str, _Implied]) -> list[About]:
    assert classes.keys is not None
    about = []
    for name, each in implied.items():
        labels = classes.keys.codes[name]
        numbers = each.numbers[labels] * ~each.exact[labels]
        about += [(name, g, int(numbers[g]), each, int(labels[g])) for g in np.flatnonzero(numbers).tolist()]
    return about


def _implied(recoding: Recoding, tight: bool) -> _Implied:
    """Return what the labels of an attribute imply."""
    none: tuple[tuple[Hashable, ...], ...] = ((),) * len(recoding.labels)
    if recoding.says == "summary":
        return _Implied(np.zeros(len(none), dtype=bool), none, "")
    one = recoding.leaf_counts("hierarchy") == 1
    if recoding.hierarchy is None:
        one |= recoding.heights == 0
    if not tight:
        return _Implied(one, none, "")
    if recoding.hierarchy is not None:
        rule, values = CHILDREN, _of_two_children(recoding, recoding.hierarchy)
    elif recoding.grid is not None:
        rule, values = CELLS, _of_cells(recoding, *recoding.grid)
    elif recoding.numeric:
        rule, values = ENDS, _ends(recoding)
    else:
        rule, values = EACH, _each(recoding)
    return _Implied(one, tuple(() if single else found for single, found in zip(one, values, strict=True)), rule)


def _each(recoding: Recoding) -> list[tuple[Hashable, ...]]:
    """Return by label the values that it stands for."""
    found = [recoding.values.values[code] for code in recoding.places.tolist()]
    begins = recoding.starts.tolist()
    return [tuple(found[a:b]) for a, b in pairwise(begins)]


def _shown_alike(recoding: Recoding) -> list[int]:
    """Return by value of the domain the first that is equal to it as a number, by which it is shown; else itself."""
    if not recoding.numeric or recoding.hierarchy is not None:
        return list(range(len(recoding.values)))
    first: dict[Fraction, int] = {}
    positions = recoding.values.positions(f"the intervals of {recoding.name!r}")
    return [first.setdefault(position, code) for code, position in enumerate(positions)]


def _ends(recoding: Recoding) -> list[tuple[Hashable, ...]]:
    """Return by label the least and the greatest value that it stands for."""
    positions, alike = recoding.values.positions(f"the intervals of {recoding.name!r}"), _shown_alike(recoding)
    order = sorted(range(len(positions)), key=positions.__getitem__)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    at, begins = rank[recoding.places], recoding.starts[:-1]
    ends = zip(np.minimum.reduceat(at, begins).tolist(), np.maximum.reduceat(at, begins).tolist(), strict=True)
    return [tuple(recoding.values.values[alike[order[place]]] for place in pair) for pair in ends]


def _of_cells(recoding: Recoding, width: int, origin: int) -> list[tuple[Hashable, ...]]:
    """Return by label the value that an end cell has alone, and both of a single cell that has two."""
    cells = [(int(p) - origin) // width for p in recoding.values.positions(f"the intervals of {recoding.name!r}")]
    alike, found = np.array(_shown_alike(recoding), dtype=np.int64), list[tuple[Hashable, ...]]()
    for a, b in pairwise(recoding.starts.tolist()):
        codes = np.unique(alike[recoding.places[a:b]]).tolist()
        ends = sorted({f(cells[code] for code in codes) for f in (min, max)})
        parts = [[code for code in codes if cells[code] == cell] for cell in ends]
        most = 1 if len(ends) == 2 else 2
        found.append(tuple(recoding.values.values[code] for part in parts if len(part) == most for code in part))
    return found


def _of_two_children(recoding: Recoding, hierarchy: Hierarchy) -> list[tuple[Hashable, ...]]:
    """Return by label, if its node has two children, the leaves that are alone below one of them."""
    tree = Ancestors(hierarchy)
    at, begins = tree.place_of_row[recoding.places], recoding.starts[:-1]
    nodes = tree.covering(np.minimum.reduceat(at, begins), np.maximum.reduceat(at, begins))
    children = np.argsort(tree.parent[1:], kind="stable") + 1
    above, row_at = tree.parent[children], np.argsort(tree.place_of_row)
    low, high = np.searchsorted(above, nodes), np.searchsorted(above, nodes, side="right")
    found: list[tuple[Hashable, ...]] = []
    for a, b in zip(low.tolist(), high.tolist(), strict=True):
        alone = [c for c in children[a:b].tolist() if b - a == 2 and tree.high[c] - tree.low[c] == 1]
        found.append(tuple(hierarchy.values[row_at[tree.low[c]]] for c in alone))
    return found


def _require_true(release: Release, about: Sequence[About], attained: Collection[str]) -> None:
    """Raise `TableError` if labels that are said to be tight are not, by the original."""
    kept = np.flatnonzero(~release.withheld)
    for name in attained:
        domain = release.original.domains[name].values
        values = [value_text(domain[code]) for code in _shown_alike(release.recodings[name])]
        cells = zip(release.class_of[kept].tolist(), release.original.codes[name][kept].tolist(), strict=True)
        present = {(g, values[code]) for g, code in cells}
        for attribute, g, _, implied, label in about:
            if attribute == name and not all((g, value_text(v)) in present for v in implied.values[label]):
                shown = release.recodings[name].labels.values[label]
                raise TableError(
                    f"the labels of {name!r} are not tight: that {implied.rule} is not so in a class that shows "
                    f"{shown!r}; leave {name!r} out of attained="
                )


def _fact(classes: ClassCounts, about: Sequence[About], place: int) -> Fact:
    name, g, number, implied, label = about[place]
    assert classes.keys is not None
    text = value_text(classes.label(g)[classes.keys.names.index(name)])
    size, values = int(classes.class_sizes[g]), implied.values[label]
    has = f"has {name} {listed(values, 'and')}" if number == 1 else f"have {name} {listed(values, 'and')}"
    return Fact(
        "certain",
        class_text(classes, g),
        name,
        values,
        size,
        {"rule": implied.rule, "label": text, "records": size},
        f"In the class {class_text(classes, g)}, {number} of {counted(size, 'record')} {has}: {implied.rule}.",
    )


def _how(tight: Sequence[str], level: str) -> str:
    if level == "labels":
        return "a label stands for some values, one of which each record has"
    return f"tight labels of {listed(tight, 'and')}" if tight else "the labels of no quasi-identifier are tight"


def _sentences(
    level: str, wide: Mapping[str, Sequence[str]], exact: int, implied: int, generalized: int, means: int
) -> tuple[str, ...]:
    """Say it; `wide` has by rule the attributes with tight labels that stand for several values."""
    cells = exact + generalized
    if not generalized:
        return ("Each value of the quasi-identifiers is shown as it is.",)
    shown = (
        f"The labels show {exact:,} of {counted(cells, 'value')} of the quasi-identifiers "
        f"({percent_of(Fraction(exact, cells))}) exactly."
    )
    of_means = f" What means disclose, of {counted(means, 'value')}, is not counted." if means else ""
    if level == "labels":
        return (
            "Each label of this table stands for several values or for one.",
            shown + of_means,
            "How the labels were made may show more.",
        )
    if not wide:
        return (
            "No label of this table is taken to be tight, so none says which of the values that it stands for occur.",
            shown + of_means,
            "Whoever knows more of how the labels were made may know more.",
        )
    return (
        " ".join(_SAID[rule].format(listed(names, "and")) for rule, names in wide.items()),
        f"In all, {implied:,} of the {counted(generalized, 'generalized value')} "
        f"({percent_of(Fraction(implied, generalized))}) can be listed exactly, though not whose they are.{of_means}",
        _WIDER if wide.keys() == {CELLS} else _ON_A_GRID,
    )


_SAID = {
    ENDS: "Each interval of {} begins and ends at a value that somebody in the group really has.",
    EACH: "Each value in a set of {} is one that somebody in the group really has.",
    CELLS: "Intervals of {} are on a fixed grid, so that their ends are known to the cell of the grid only.",
    CHILDREN: "A generalized value of {} is the lowest in its hierarchy that covers the group.",
}
"""By rule what it means to the one who publishes, of the attributes with such labels."""

_WIDER = "Wider cells of the grid show less."
_ON_A_GRID = (
    "Labels that do not depend on the very values of a group, such as intervals on a fixed grid, show less and are "
    "wider."
)
