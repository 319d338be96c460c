"""k-map and the journalist's risk: how many persons of the population a record can be of.

k-anonymity counts the records that a record cannot be told from; whoever does not know who is in the table has to tell
it from all persons of the population with such quasi-identifiers, of whom there are more. Sweeney, "Achieving
k-Anonymity Privacy Protection Using Generalization and Suppression", IJUFKS 10(5), 2002 (k-map); El Emam, Dankar,
"Protecting Privacy Using k-Anonymity", JAMIA 15(5), 2008 (prosecutor and journalist).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import Rationals
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.combination import Combinable
from tcloseness.models.presence import PopulationCounts
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import Exact, between, texts, whole

__all__ = ["JournalistRisk", "KMap", "of_population"]


@dataclass(frozen=True)
class _OfPopulation(Combinable):
    """What is asked of the persons of the population in each class."""

    population: PopulationCounts

    monotone = Monotone(generalization=True, suppression=True)
    looks_at_values = False

    def __post_init__(self) -> None:
        if not isinstance(self.population, PopulationCounts):
            raise InputError(
                f"the population is a {type(self.population).__name__}; give PopulationCounts, such as those of "
                "tcloseness.attacks.population_counts"
            )

    @property
    def _conventions(self) -> dict[str, str]:
        return {"population": f"{self.population.source}; {self.population.outside} persons in no class"}


@dataclass(frozen=True)
class KMap(_OfPopulation):
    """k-map: min over classes of N_g ≥ k, where N_g is the number of persons of the population that fit the class.

    Parameters
    ----------
    population
        The population's counts over the classes of the table to be measured.
    k
        A whole number ≥ 1, or None to measure only.

    Notes
    -----
    A person fits a class if its label stands for the person's quasi-identifiers. The table is of persons of the
    population, so a k-anonymous table has k-map too, and not the other way round: a person of whom it is known that he
    or she is in the table is hidden among the records of the class alone. Monotone under generalization, with the
    population generalized alike, and under suppression of classes.

    References
    ----------
    Sweeney 2002, §2 (k-map protection).

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 3}})
    >>> KMap(PopulationCounts((40, 5)), 10).evaluate(classes).violating.tolist()
    [1]
    """

    k: Exact[int | None] = Exact(whole, default=None)
    name = "k-map"

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the fewest persons; the margin is in persons.

        Raises
        ------
        TableError
            If the population has another number of classes, or fewer persons in a class than the table has records.
        """
        classes = in_shape(classes, ClassCounts)
        persons = self.population.over(classes)
        return result(
            self,
            classes,
            Rationals(persons, np.ones_like(persons)),
            citation="Sweeney 2002",
            parameters=texts(k=self.k),
            threshold=None if self.k is None else Fraction(self.k),
            worst_is="smallest",
            conventions=self._conventions,
            threshold_name="k",
            bounds=(1, None),
            reading="persons of the population that fit the class of fewest",
        )


@dataclass(frozen=True)
class JournalistRisk(_OfPopulation):
    """The journalist's risk: max over classes of 1/N_g ≤ risk, where N_g persons of the population fit the class.

    Parameters
    ----------
    population
        As for `KMap`.
    risk
        In (0, 1], or None to measure only.

    Notes
    -----
    The journalist finds somebody in the table, whoever it is, and does not know who is in it; she picks the right
    person for a record of class g with probability 1/N_g. The prosecutor, who knows that somebody is in the table, has
    1/n_g (`tcloseness.loss.MaximalRisk`), which is no less. The risk is at most 1/k exactly if the table has k-map.

    References
    ----------
    El Emam and Dankar 2008.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 3}})
    >>> JournalistRisk(PopulationCounts((40, 5))).evaluate(classes).value
    Fraction(1, 5)
    """

    risk: Exact[Fraction | None] = Exact(between, 0, 1, default=None)
    name = "journalist risk"

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the greatest risk.

        Raises
        ------
        TableError
            As `KMap.evaluate`.
        """
        classes = in_shape(classes, ClassCounts)
        persons = self.population.over(classes)
        return result(
            self,
            classes,
            Rationals(np.ones_like(persons), persons),
            citation="El Emam and Dankar 2008",
            parameters=texts(risk=self.risk),
            threshold=self.risk,
            worst_is="largest",
            conventions=self._conventions,
            threshold_name="risk",
            bounds=(0, 1),
            reading="the greatest probability of picking the right person of the population for a record",
        )

    def measure_record(self, domain: Any) -> dict[str, Any]:
        """See `tcloseness.models.protocol.PrivacyModel`."""
        return {"measure": "persons of the population"}


def of_population(population: PopulationCounts, k: Any = None) -> tuple[KMap, JournalistRisk]:
    """Return what is asked of a population beside a table: k-map, with a threshold if there is one, and the risk.

    Examples
    --------
    >>> [model.name for model in of_population(PopulationCounts((40, 5)), 10)]
    ['k-map', 'journalist risk']
    """
    return KMap(population, k), JournalistRisk(population)
