"""δ-presence: how sure an outsider can be that a person of the population is in the table, or is not.

Nergiz, Atzori, Clifton, "Hiding the Presence of Individuals from Shared Databases", SIGMOD 2007.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import InputError, MassError, TableError
from tcloseness.exact import Rationals, as_fraction
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import identity
from tcloseness.models.combination import Combinable, united
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import Exact, between, texts

__all__ = ["DeltaPresence", "PopulationCounts"]

_CITATION = "Nergiz et al. 2007"


@dataclass(frozen=True)
class PopulationCounts(Displayed):
    """How many persons of the population fall into each class of a table, and how many into none.

    Parameters
    ----------
    inside
        One count a class, in the order of the class counts.
    outside
        Persons whose generalized quasi-identifiers no released record has: all know that they are not in the table.
    source
        Where the counts come from, for the result.
    """

    inside: tuple[int, ...]
    outside: int = 0
    source: str = "given"

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-ready data."""
        return {"inside": list(self.inside), "outside": self.outside, "source": self.source}

    def _said(self) -> str:
        return f"{sum(self.inside) + self.outside} persons, {counted(len(self.inside), 'class')}"

    def __post_init__(self) -> None:
        object.__setattr__(self, "inside", tuple(_count(n) for n in self.inside))
        object.__setattr__(self, "outside", _count(self.outside))

    @classmethod
    def by_label(
        cls, classes: ClassCounts, counts: Mapping[Any, int] | ClassCounts, *, source: str = "given"
    ) -> PopulationCounts:
        """Match the population's counts with a table's classes by their quasi-identifier values.

        Parameters
        ----------
        classes
            The table's class counts.
        counts
            ``{quasi-identifier values: persons}``, a tuple each or, for one quasi-identifier, the value; or the class
            counts of the population's table at the same generalization.

        Raises
        ------
        TableError
            If a class of the table is missing from the population.
        """
        if isinstance(counts, ClassCounts):
            counts = {counts.label(g): int(n) for g, n in enumerate(counts.people)}
        found = {_key(label): n for label, n in counts.items()}
        inside = []
        for g in range(len(classes)):
            label = classes.label(g)
            if _key(label) not in found:
                raise TableError(f"class {label!r} is missing from the population; every record is of a person in it")
            inside.append(found.pop(_key(label)))
        return cls(tuple(inside), sum(map(_count, found.values())), source)

    def over(self, classes: ClassCounts) -> np.ndarray[Any, Any]:
        """Return the persons of the population by class, shape (classes,), once they can be those of the classes.

        Raises
        ------
        TableError
            If there is another number of classes, or fewer persons in a class than the table has records.
        """
        if len(self.inside) != len(classes):
            raise TableError(
                f"the population is counted over {len(self.inside)} classes and the table has {len(classes)}; "
                "count it at the same generalization"
            )
        for g, (persons, records) in enumerate(zip(self.inside, classes.people.tolist(), strict=True)):
            if persons < records:
                raise TableError(
                    f"class {classes.label(g)!r} has {records} records and a population of {persons}; "
                    "every record is of a different person of the population"
                )
        return np.array(self.inside, dtype=np.int64 if max(self.inside) < 2**62 else object)


def _key(label: Any) -> tuple[Hashable, ...]:
    return tuple(map(identity, label if isinstance(label, tuple) else (label,)))


def _count(n: object) -> int:
    number = as_fraction(n, "population count")
    if number.denominator != 1 or number < 0:
        raise MassError(f"a population count is {n!r}; counts of persons are whole and ≥ 0")
    return int(number)


@dataclass(frozen=True)
class DeltaPresence(Combinable):
    """(δ_min, δ_max)-presence: δ_min ≤ (records of the class) / (population of the class) ≤ δ_max.

    Parameters
    ----------
    population
        The population's counts over the classes of the table to be measured.
    low, high
        δ_min and δ_max in [0, 1]; None not to ask for it.

    Notes
    -----
    The value of a class is the probability that a person of the population who falls into it is in the table, in
    (0, 1]; persons in no class have 0. Value and margin are those of the greatest presence; the least presence is the
    second of the result's `parts`. Monotone under generalization, with the population generalized alike (the presence
    in a union is a mean); not under suppression unless `low` is 0 or None: a suppressed class's persons become known
    to be absent.

    References
    ----------
    Nergiz et al. 2007, definition of δ-presence.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 3}})
    >>> DeltaPresence(PopulationCounts((4, 4)), low="1/2", high="1/2").evaluate(classes).violating.tolist()
    [1]
    """

    population: PopulationCounts
    low: Exact[Fraction | None] = Exact(between, 0, 1, default=None)
    high: Exact[Fraction | None] = Exact(between, 0, 1, default=None)
    name = "delta-presence"

    def __post_init__(self) -> None:
        if not isinstance(self.population, PopulationCounts):
            raise InputError(f"the population is a {type(self.population).__name__}; give PopulationCounts")
        if self.low is not None and self.high is not None and self.low > self.high:
            ends = texts(low=self.low, high=self.high)
            raise InputError(f"low = {ends['low']} is above high = {ends['high']}; no presence is between them")

    @property
    def monotone(self) -> Monotone:
        """Monotone under generalization; under suppression where presence has no positive lower bound."""
        return Monotone(generalization=True, suppression=not self.low)

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the greatest and the least presence.

        Raises
        ------
        TableError
            If the population has another number of classes, or fewer persons in a class than the table has records.
        """
        classes = in_shape(classes, ClassCounts)
        values = Rationals(classes.people, self.population.over(classes))

        def part(
            what: str, name: str, threshold: Fraction | None, worst_is: Literal["smallest", "largest"]
        ) -> ModelResult:
            found = result(
                self,
                classes,
                values,
                citation=_CITATION,
                parameters=texts(**{name: threshold}),
                threshold=threshold,
                worst_is=worst_is,
                conventions={"population": f"{self.population.source}; {self.population.outside} persons in no class"},
                threshold_name=name,
                bounds=(0, 1),
                reading=f"the {what} probability that a person of the population is in the table",
            )
            return replace(found, model=f"{self.name}, {what}")

        greatest, least = part("greatest", "high", self.high, "largest"), part("least", "low", self.low, "smallest")
        if self.population.outside:
            least = self._with_absent(least, self.low)
        parameters = texts(low=self.low, high=self.high)
        return united(self, classes, greatest, [least], citation=_CITATION, parameters=parameters)

    def _with_absent(self, least: ModelResult, low: Fraction | None) -> ModelResult:
        """Let the persons in no class count: their presence is 0, in no class of the table."""
        note = f"{self.population.outside} persons of the population are in no class: they are known to be absent"
        return replace(
            least,
            status="violated" if low else least.status,
            value=Fraction(0),
            margin=None if low is None else -low,
            worst=np.zeros(0, dtype=np.intp),
            notes=(note,),
        )
