"""`Population`: the joint distribution f of quasi-identifier and sensitive values that a full-knowledge attacker has.

Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "ℓ-Diversity: Privacy Beyond k-Anonymity", ICDE 2006, §3.1: the
table is a simple random sample of a larger population Ω, and Alice knows the frequencies f of Ω.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import DomainError, MassError, TableError
from tcloseness.exact import IntArray, as_fraction, number_text, scaled_integers
from tcloseness.microdata import ClassCounts, Domain, Hierarchy
from tcloseness.microdata.domain import identity, value_text

__all__ = ["Label", "Population", "as_label", "label_key"]

Label = tuple[Hashable, ...]
"""Values of the quasi-identifiers, in their order."""


def as_label(values: Hashable) -> Label:
    """Return quasi-identifier values as a tuple: a bare value is the value of the only quasi-identifier."""
    return values if isinstance(values, tuple) else (values,)


def label_key(values: Hashable) -> tuple[tuple[str, Hashable], ...]:
    """Return what two labels share exactly if they are one: 1, ``"1"`` and ``True`` are three values.

    A tuple that is itself the name of a class (``ClassCounts.from_mapping({("476**", "2*"): …})``) is its values.
    """
    label = as_label(values)
    if len(label) == 1 and isinstance(label[0], tuple):
        label = label[0]
    return tuple(identity(value) for value in label)


@dataclass(frozen=True, eq=False)
class Population(Displayed):
    """The joint distribution f(q, s), exact and sparse. Build it with `from_mapping` or `from_classes`.

    Attributes
    ----------
    names
        The quasi-identifiers' names.
    labels
        The quasi-identifier values q that occur, each a tuple in the order of `names`.
    domain
        The sensitive values that occur.
    starts
        Shape (labels + 1,): the cells of label q are ``starts[q]:starts[q + 1]``.
    values
        Shape (cells,): each cell's value code, ascending within a label.
    masses
        Shape (cells,), Python ints > 0: f(q, s) up to one common factor, which no belief depends on.
    """

    names: tuple[str, ...]
    labels: tuple[Label, ...]
    domain: Domain
    starts: IntArray
    values: IntArray
    masses: IntArray

    def to_dict(self) -> dict[str, Any]:
        """Return the sizes as JSON-ready data; the joint distribution is in `to_frame`."""
        sizes = {"labels": len(self.labels), "cells": len(self.values)}
        return {"quasi_identifiers": list(self.names), **sizes, "domain": self.domain.to_dict()}

    _withheld = ("label", "value")

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        for place, label in enumerate(self.labels):
            shown = ", ".join(map(value_text, label))
            for cell in range(int(self.starts[place]), int(self.starts[place + 1])):
                value = value_text(self.domain.values[int(self.values[cell])])
                yield {"label": shown, "value": value, "mass": str(self.masses[cell])}

    def _said(self) -> str:
        return f"{counted(len(self.labels), 'label')}, {counted(len(self.domain), 'sensitive value')}"

    @classmethod
    def from_mapping(
        cls, joint: Mapping[Hashable, Mapping[Hashable, object]], *, names: tuple[str, ...] | None = None
    ) -> Population:
        """Build from ``{q: {s: f}}``: counts of people (whole numbers), or shares that sum to 1.

        Parameters
        ----------
        joint
            By quasi-identifier value (a tuple where there are several quasi-identifiers) and sensitive value, the
            count or share, read exactly. 0 is as if it were not there.
        names
            The quasi-identifiers' names; ``q`` or ``q1``, ``q2``, … if left out.

        Raises
        ------
        MassError
            For a negative number, shares that do not sum to 1, or a q without mass, for which f(s|q) is undefined.
        DomainError
            For labels of different lengths, or a label that occurs twice (as ``1`` and ``1.0``, say).

        Examples
        --------
        >>> Population.from_mapping({"a": {"flu": "1/2"}, "b": {"flu": "1/4", "hiv": "1/4"}}).conditional("b")
        {'flu': Fraction(1, 2), 'hiv': Fraction(1, 2)}
        """
        if not joint:
            raise MassError("the population is empty; give at least one quasi-identifier value with its distribution")
        rows = [
            (as_label(q), {s: as_fraction(f, f"f({q!r}, {s!r})") for s, f in row.items()}) for q, row in joint.items()
        ]
        for q, row in rows:
            for s, f in row.items():
                if f < 0:
                    raise MassError(f"f({q!r}, {s!r}) = {number_text(f)} is negative; counts and shares must be ≥ 0")
            if not any(row.values()):
                raise MassError(f"nobody in the population has {q!r}, so f(s|q) is undefined there; leave it out")
        everything = [f for _, row in rows for f in row.values()]
        if any(f.denominator != 1 for f in everything) and sum(everything) != 1:
            raise MassError(
                f"the population's shares sum to {number_text(sum(everything, Fraction(0)))}; shares must sum to 1 "
                "exactly (0.333 is not a third), and counts must be whole numbers"
            )
        domain = Domain.of(s for _, row in rows for s, f in row.items() if f)
        starts, values, masses = [0], [], []
        for _, row in rows:
            cells: dict[int, Fraction] = {}
            for s, f in row.items():
                if f:
                    cells[domain.code(s)] = cells.get(domain.code(s), Fraction(0)) + f  # None and NaN are one value
            values += sorted(cells)
            masses += [cells[code] for code in sorted(cells)]
            starts.append(len(values))
        width = len(rows[0][0])
        return cls(
            names or (("q",) if width == 1 else tuple(f"q{i}" for i in range(1, width + 1))),
            tuple(q for q, _ in rows),
            domain,
            np.array(starts, dtype=np.int64),
            np.array(values, dtype=np.int64),
            np.array([*scaled_integers(masses)[0], None], dtype=object)[:-1],
        )

    @classmethod
    def from_classes(cls, classes: ClassCounts) -> Population:
        """Build from class counts: each class is one quasi-identifier value q, and counts are people.

        ``FrequencySet.from_frame(census, …).class_counts()`` counts a table of the whole population.
        """
        classes.require_records("a population")
        names = ("class",) if classes.keys is None else classes.keys.names
        return cls(
            names,
            tuple(classes.label(g) for g in range(len(classes))),
            classes.domain,
            classes.starts,
            classes.values,
            classes.counts.astype(object),
        )

    def __post_init__(self) -> None:
        for label in self.labels:
            if len(label) != len(self.names):
                raise DomainError(
                    f"the population's label {label!r} has {len(label)} value(s) for the quasi-identifiers "
                    f"{self.names!r}; each label gives one value for each of them"
                )
        if len(self.index) != len(self.labels):
            seen: set[tuple[tuple[str, Hashable], ...]] = set()
            for label in self.labels:
                if label_key(label) in seen:
                    raise DomainError(f"the population has the label {label!r} twice; each must be given once")
                seen.add(label_key(label))

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def index(self) -> Mapping[tuple[tuple[str, Hashable], ...], int]:
        """By label key, the label's place."""
        return {label_key(label): place for place, label in enumerate(self.labels)}

    def place(self, q: Hashable) -> int:
        """Return the place of a label.

        Raises
        ------
        DomainError
            If nobody in the population has it.
        """
        found = self.index.get(label_key(q))
        if found is None:
            raise DomainError(
                f"nobody in the population has {q!r}; its labels are values of {self.names!r}, first {self.labels[0]!r}"
            )
        return found

    def conditional(self, q: Hashable) -> dict[Hashable, Fraction]:
        """Return the attacker's prior belief α_(q,s) = f(s|q) by value s, without values of belief 0."""
        place = self.place(q)
        cells = slice(int(self.starts[place]), int(self.starts[place + 1]))
        masses = self.masses[cells].tolist()
        values = (self.domain.values[code] for code in self.values[cells].tolist())
        return {s: Fraction(mass, sum(masses)) for s, mass in zip(values, masses, strict=True)}

    def blocks(self, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> dict[Label, Label]:
        """Return for each q the q* that it generalizes to at the levels of the quasi-identifiers' hierarchies.

        Quasi-identifiers that `levels` does not name stay as they are.

        Raises
        ------
        TableError
            For an attribute that the population does not have, or one without a hierarchy.
        HierarchyError
            For a level that a hierarchy does not have, or a value that it does not cover.
        """
        for name in levels:
            if name not in self.names:
                raise TableError(f"{name!r} is not a quasi-identifier of the population; it has {self.names!r}")
            if name not in hierarchies:
                raise TableError(f"no hierarchy is given for {name!r}; give one in hierarchies")
        columns = []
        for place, name in enumerate(self.names):
            column = [label[place] for label in self.labels]
            if name in levels:
                domain = Domain.of(column)
                codes, target = hierarchies[name].generalize(domain, levels[name])
                column = [target.values[int(codes[domain.code(value)])] for value in column]
            columns.append(column)
        generalized = zip(*columns, strict=True) if columns else [()] * len(self)
        return dict(zip(self.labels, generalized, strict=True))
