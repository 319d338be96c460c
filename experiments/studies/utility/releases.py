"""What is released: by each method for each model, and what each record then shows.

A record of a release shows, in each attribute, a probability for each value: a label stands for the values below it,
all equally probable; in Anatomy's two tables the sensitive value has the frequencies of the record's class. Classifier
and queries see nothing else, so every method is used alike.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.studies.utility.data import DataSet
from tcloseness.anonymize import (
    Anatomized,
    anatomy,
    closeness_first,
    confidential_microaggregation,
    datafly,
    mdav,
    mondrian,
    sabre,
)
from tcloseness.errors import InfeasibleError, NotReached
from tcloseness.lattice import RollUp, optimum
from tcloseness.lattice.measured import release_at
from tcloseness.loss.names import loss_named
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import DistinctLDiversity, KAnonymity, PrivacyModel, TCloseness
from tcloseness.release import Release

__all__ = [
    "LOSS",
    "MAJORITY",
    "METHODS",
    "NOTHING",
    "NO_MODEL",
    "TWO_TABLES",
    "UNCHANGED",
    "Drawn",
    "Floats",
    "Made",
    "Shown",
    "all_made",
    "draw",
    "models",
    "of_release",
    "of_two_tables",
    "terms",
    "unchanged",
]

LOSS = "gcp"
NO_MODEL = "none"
UNCHANGED, NOTHING, MAJORITY = "unchanged table", "all quasi-identifiers suppressed", "most frequent value"
"""The references: what is asked of no model."""

LATTICE, DATAFLY, TWO_TABLES = "lattice node of least GCP", "Datafly", "Anatomy"
"""The methods that may suppress records, and the one that generalizes nothing, and publishes quasi-identifiers and
sensitive values apart."""

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Records drawn from a data set.

    Attributes
    ----------
    data, hierarchies
        The data set and its hierarchies.
    seed
        What drew them.
    frame, held_out
        The records that are released, and others.
    table
        The first, for a method.
    values
        The values of the sensitive attribute and of the label in all of the data, in their order.
    """

    data: DataSet
    hierarchies: Mapping[str, Hierarchy]
    seed: int
    frame: pd.DataFrame
    held_out: pd.DataFrame
    table: Microdata
    values: Mapping[str, list[str]]

    def codes(self, name: str, *, held_out: bool = False) -> Ints:
        """Return the places of a column's values: among the leaves of its hierarchy, or among `values`."""
        values = self.hierarchies[name].values if name in self.hierarchies else self.values[name]
        places = {value: place for place, value in enumerate(values)}
        column = (self.held_out if held_out else self.frame)[name]
        return np.array([places[value] for value in column], dtype=np.int64)


def draw(data: DataSet, seed: int, records: int, held_out: int) -> Drawn:
    """Draw records to release, and others to hold out, without replacement."""
    hierarchies = data.hierarchies()
    frame = data.records()[[*hierarchies, data.sensitive, data.label]]
    rows = random.Random(f"{data.name} {seed}").sample(range(len(frame)), records + held_out)
    values = {name: sorted(frame[name].unique()) for name in (data.sensitive, data.label)}
    chosen = frame.iloc[rows[:records]].reset_index(drop=True)
    return Drawn(
        data,
        hierarchies,
        seed,
        chosen,
        frame.iloc[rows[records:]].reset_index(drop=True),
        Microdata.from_frame(
            chosen,
            quasi_identifiers=list(hierarchies),
            sensitive=data.sensitive,
            orders={data.sensitive: values[data.sensitive]},
        ),
        values,
    )


# ---------------------------------------------------------------------- models and methods


def models(k: int, l: int, thresholds: tuple[str, ...]) -> dict[str, PrivacyModel]:  # noqa: E741
    """Return k-anonymity alone, with distinct ℓ-diversity, and with t-closeness under the equal distance, by name."""
    base = KAnonymity(k)
    return {
        f"k = {k}": base,
        f"k = {k}, l = {l}": base & DistinctLDiversity(l),
        **{f"k = {k}, t = {t}": base & TCloseness(t, ground="equal") for t in thresholds},
    }


Maker: TypeAlias = Callable[[Drawn, PrivacyModel, str], "Release | Anatomized"]


def _lattice(drawn: Drawn, model: PrivacyModel, suppression: str) -> Release:
    rolled = RollUp(FrequencySet.of(drawn.table), drawn.hierarchies)
    best = optimum(rolled, model, loss=loss_named(LOSS), suppression=suppression)
    if not best.nodes:
        raise NotReached(f"no node of the lattice satisfies {model.name}")
    return release_at(rolled, best.nodes[0].node, model, limit=best.limit)[0]


METHODS: Mapping[str, Maker] = {
    LATTICE: _lattice,
    DATAFLY: lambda drawn, model, suppression: (
        datafly(drawn.table, model, drawn.hierarchies, suppression=suppression, seed=drawn.seed).release
    ),
    "Mondrian": lambda drawn, model, _: mondrian(drawn.table, model, drawn.hierarchies, seed=drawn.seed).release,
    "MDAV": lambda drawn, model, _: mdav(drawn.table, model, drawn.hierarchies, seed=drawn.seed).release,
    "confidential microaggregation": lambda drawn, model, _: (
        confidential_microaggregation(drawn.table, model, drawn.hierarchies, seed=drawn.seed).release
    ),
    "t-closeness first": lambda drawn, model, _: (
        closeness_first(drawn.table, model, drawn.hierarchies, seed=drawn.seed).release
    ),
    "SABRE": lambda drawn, model, _: sabre(drawn.table, model, drawn.hierarchies, seed=drawn.seed).release,
    TWO_TABLES: lambda drawn, model, _: anatomy(drawn.table, model, drawn.hierarchies, seed=drawn.seed),
}
"""Of the methods of the package the relaxed Mondrian is left out, which under hierarchies makes what the strict one
makes, and microaggregation with swaps, which takes some ten times as long as the others."""

ASKS = {"t-closeness first": "t = ", "SABRE": "t = ", TWO_TABLES: "l = "}
"""What a model must ask for so that a method applies."""


# ---------------------------------------------------------------------- what is shown


@dataclass(frozen=True, eq=False)
class Shown:
    """What the records of a release show, in the order of the drawn ones.

    Attributes
    ----------
    labels
        By quasi-identifier, the probability of each value under each label, shape (labels, values).
    label_of
        By quasi-identifier, the label of each record, shape (records,).
    sensitive
        The probability of each sensitive value, shape (records, values).
    """

    labels: Mapping[str, Floats]
    label_of: Mapping[str, Ints]
    sensitive: Floats


def of_release(release: Release, sensitive: Ints, values: int) -> Shown:
    """Return what a release of the drawn rows shows, with its sensitive values as they are.

    Parameters
    ----------
    release
        Every record is a combination of its own. Suppressed records show any value, each equally probable.
    sensitive, values
        The places of the sensitive values, and how many there are.
    """
    labels, label_of = {}, {}
    for name, recoding in release.recodings.items():
        starts, places = recoding.below("hierarchy")
        counts = np.diff(starts)
        shares = np.zeros((len(counts) + 1, recoding.size("hierarchy")))
        shares[np.repeat(np.arange(len(counts)), counts), places] = np.repeat(1 / counts, counts)
        shares[-1] = 1 / shares.shape[1]
        labels[name] = shares
        label_of[name] = np.where(release.withheld, len(counts), release.codes[name])
    return Shown(labels, label_of, np.eye(values)[sensitive])


def unchanged(drawn: Drawn) -> Shown:
    """Return what the table as it is shows."""
    rows = Release.full_domain(FrequencySet.of_rows(drawn.table), drawn.hierarchies)
    return of_release(rows, drawn.codes(drawn.data.sensitive), len(drawn.values[drawn.data.sensitive]))


def nothing(drawn: Drawn) -> Shown:
    """Return what is shown if every quasi-identifier is suppressed."""
    top = {name: hierarchy.height for name, hierarchy in drawn.hierarchies.items()}
    rows = Release.full_domain(FrequencySet.of_rows(drawn.table), drawn.hierarchies, top)
    return of_release(rows, drawn.codes(drawn.data.sensitive), len(drawn.values[drawn.data.sensitive]))


def of_two_tables(drawn: Drawn, found: Anatomized) -> Shown:
    """Return what Anatomy's two tables show: quasi-identifiers as they are, the sensitive values of the class."""
    shown, class_of = unchanged(drawn), found.partition.class_of
    counts = np.zeros((len(found.partition), shown.sensitive.shape[1]))
    np.add.at(counts, class_of, shown.sensitive)
    return replace(shown, sensitive=(counts / counts.sum(axis=1, keepdims=True))[class_of])


@dataclass(frozen=True, eq=False)
class Made:
    """A method's release for a model: what it shows (None: the model was not reached), and what making it took.

    Attributes
    ----------
    classes, suppressed, gcp
        Equivalence classes, suppressed records, and global certainty penalty; None where they have no meaning.
    seconds
        Processor time.
    """

    model: str
    method: str
    shown: Shown | None
    classes: int | None = None
    suppressed: int | None = None
    gcp: float | None = None
    seconds: float | None = None


def terms(suppression: str) -> str:
    """Say in which respect the methods are not alike."""
    return (
        f"The {LATTICE} and {DATAFLY} may suppress {100 * float(suppression):g} % of the records, which then show "
        f"their sensitive value and no quasi-identifier; the other methods suppress none. {TWO_TABLES}, where l is "
        "asked for, publishes the quasi-identifiers as they are: it hides who has which sensitive value, and not who "
        "is in the table."
    )


def all_made(drawn: Drawn, named: Mapping[str, PrivacyModel], suppression: str) -> Iterator[Made]:
    """Yield the references, and then for each model the release of each method that applies."""
    yield Made(NO_MODEL, UNCHANGED, unchanged(drawn), suppressed=0, gcp=0.0)
    yield Made(NO_MODEL, NOTHING, nothing(drawn), classes=1, suppressed=0, gcp=1.0)
    for name, model in named.items():
        for method, make in METHODS.items():
            if ASKS.get(method, "") in name:
                yield _made(drawn, name, model, method, make, suppression)


def _made(drawn: Drawn, name: str, model: PrivacyModel, method: str, make: Maker, suppression: str) -> Made:
    begun = time.process_time()
    try:
        found = make(drawn, model, suppression)
    except (NotReached, InfeasibleError):
        return Made(name, method, None, seconds=time.process_time() - begun)
    seconds = time.process_time() - begun
    if isinstance(found, Anatomized):
        return Made(name, method, of_two_tables(drawn, found), len(found.partition), 0, None, seconds)
    rows = found.on_rows(drawn.table)
    shown = of_release(rows, drawn.codes(drawn.data.sensitive), len(drawn.values[drawn.data.sensitive]))
    gcp = float(loss_named(LOSS).evaluate(rows).value)
    return Made(name, method, shown, len(rows.class_sizes), rows.suppressed, gcp, seconds)
