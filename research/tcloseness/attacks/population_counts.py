"""How many persons of a population fit each class of a release, by what the labels of the class stand for."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.attacks.columns import counted_columns
from tcloseness.errors import TableError, TableWarning
from tcloseness.exact import IntArray
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PopulationCounts
from tcloseness.release.labels import Labels, text_of

__all__ = ["population_counts"]


def population_counts(
    classes: ClassCounts | FullTable,
    population: Any,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    source: str = "a population table",
    time_limit: TimeLimit = None,
    **roles: Any,
) -> PopulationCounts:
    """Return N_g = |{person of the population : each label of class g stands for the person's value}| for each class.

    Parameters
    ----------
    classes
        The released classes, with named quasi-identifiers.
    population
        The whole population, with the quasi-identifiers as they are before generalization: a `FrequencySet`, a
        `Microdata`, a frame, or a file as `FrequencySet.read` takes it. A row is a person, or as many as its weight
        says.
    hierarchies
        Whose nodes the labels are, by quasi-identifier; without one a label is a value, an interval, a set of values or
        ``*`` for all, as `tcloseness.release.read_published` reads them.
    source
        What the population is called in results.
    time_limit
        Seconds.
    **roles
        For a frame or file, ``missing``, ``weight``, ``suppressed``, … as for `Microdata.from_frame`.

    Returns
    -------
    PopulationCounts
        Where labels overlap, a person fits several classes and is counted in each.

    Raises
    ------
    TableError
        For quasi-identifiers that the population lacks, or a hierarchy of a column that is not one; a label that stands
        for no value of the population, since every record is of a person of it; a population of which a person has
        several rows, or some rows are suppressed.
    InputError
        For roles of a table that is read already, or ``sensitive`` and ``quasi_identifiers``, which are not asked for.
    HierarchyError
        For a label that is not a node of the hierarchy, or a value of the population that it does not cover.

    Notes
    -----
    Exact. That a class has fewer persons than records is refused by the models that use the counts. Cost: classes times
    different combinations of the population.

    References
    ----------
    Sweeney 2002 (k-map); El Emam and Dankar 2008 (the identification database).

    Examples
    --------
    >>> import pandas as pd
    >>> classes = FrequencySet.from_frame(
    ...     pd.DataFrame({"age": ["20-29", "20-29", "30-39"], "ill": ["flu", "cold", "flu"]}),
    ...     quasi_identifiers="age",
    ...     sensitive="ill",
    ... ).class_counts()
    >>> census = pd.DataFrame({"age": [21, 22, 25, 31, 38, 44]})
    >>> population_counts(classes, census)
    <PopulationCounts: 6 persons, 2 classes>
    >>> population_counts(classes, census).inside
    (3, 2)
    """
    classes = in_shape(classes, ClassCounts)
    if classes.keys is None:
        raise TableError("the classes have no named quasi-identifiers; count them with FrequencySet, or give by_label")
    for name in hierarchies or {}:
        if name not in classes.keys.names:
            raise TableError(
                f"{name!r} has a hierarchy and is not a quasi-identifier of the classes: {classes.keys.names}"
            )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)  # about columns to be published, and the population is not
        population = counted_columns(in_shape(population, FrequencySet), classes.keys.names, {}, roles)
    population.require_rows_of_different_persons("a population")
    clock = Clock.of(time_limit, None)
    if population.suppressed.any():
        raise TableError("records of the population are marked as suppressed; give the persons as they are")
    members, labels = [], []
    for name in classes.keys.names:
        member, of_class = _members(classes, population, name, (hierarchies or {}).get(name))
        members.append(member)
        labels.append(of_class)
    codes = [population.codes[name] for name in classes.keys.names]
    fits_some = np.zeros(len(population.counts), dtype=bool)
    inside = []
    for g in clock.through(range(len(classes)), "the population is counted"):
        fits = np.ones(len(population.counts), dtype=bool)
        for member, of_class, of_person in zip(members, labels, codes, strict=True):
            fits &= member[of_class[g]][of_person]
        inside.append(int(population.counts[fits].sum()))
        fits_some |= fits
    return PopulationCounts(tuple(inside), int(population.counts[~fits_some].sum()), source)


def _members(
    classes: ClassCounts, population: FrequencySet, name: str, hierarchy: Hierarchy | None
) -> tuple[npt.NDArray[np.bool_], IntArray]:
    """Return by label and value of the population whether it stands for it, and the label of each class."""
    assert classes.keys is not None
    place = classes.keys.names.index(name)
    texts = np.array([text_of(classes.label(g)[place]) for g in range(len(classes))], dtype=object)
    domain = population.domains[name]
    try:
        recoding, of_class = Labels(name, domain, hierarchy).read_alone(texts, np.ones(len(texts), bool), spare=False)
    except TableError as error:
        raise TableError(
            f"a label of {name!r} stands for no value of the population, of whom every record is: {error}"
        ) from error
    starts, values = recoding.below("table")
    member = np.zeros((len(recoding.labels), len(domain)), dtype=bool)
    member[np.repeat(np.arange(len(starts) - 1), np.diff(starts)), values] = True
    return member, of_class
