"""Adult: what the labels of each method's release give away, what its classes do, and what cures cost.

Two cures keep the classes and show them otherwise: intervals on a declared grid, and ancestors in a hierarchy of
intervals, of which each has three or more values or cells below it, or one, so that it says of none that it occurs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pandas as pd

from experiments import adult
from experiments.proofs import COUNTS, LABELS, files_of, levels_in, plain_name
from experiments.studies.what_releases_give_away.asked import Asked
from tcloseness.anonymize import Anatomized
from tcloseness.attacks import (
    LabelDisclosure,
    RefusedCuts,
    fitted_guesses,
    homogeneity_attack,
    label_disclosure,
    refused_cuts,
)
from tcloseness.loss import GlobalCertaintyPenalty
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.release import Anonymized, Release, attributes_of
from tcloseness.release.anonymized import verified
from tcloseness.release.grid import on_grid

__all__ = ["CURES", "GRID", "GUESSED", "NUMBERS", "adult_table", "refused", "refused_row", "released", "rows_of"]

NUMBERS = ("age", "education-num", "hours-per-week")
GRID = {"age": 5, "education-num": 2, "hours-per-week": 5}
_WIDTHS = {"age": (5, 10, 20, 40), "education-num": (4, 8, 16), "hours-per-week": (5, 10, 20, 40)}

CURES = ("as it is made", "on a grid of 5, 2 and 5", "intervals of a hierarchy")
"""How the labels of one partition are shown."""

GUESSED = "guessed right by a fitted model"


@cache
def adult_table(names: tuple[str, ...] = NUMBERS) -> Microdata:
    """Return the complete records with some numeric quasi-identifiers; occupation is sensitive."""
    return Microdata.from_frame(adult.load("train-complete"), quasi_identifiers=list(names), sensitive="occupation")


@cache
def _hierarchies() -> dict[str, Hierarchy]:
    domains = {column.name: column.domain for column in adult_table().quasi_identifiers}
    return {name: Hierarchy.intervals(domains[name].values, _WIDTHS[name], origin=1, name=name) for name in NUMBERS}


@cache
def released(asked: Asked, names: tuple[str, ...] = NUMBERS) -> Any:
    """Return what a method makes of Adult; Datafly and full domain generalize to the levels of the hierarchies."""
    needs = asked.method in ("datafly", "full-domain")
    return asked.release(adult_table(names), _hierarchies() if needs else {})


def rows_of(asked: Asked) -> Iterator[tuple[dict[str, object], Mapping[str, bytes]]]:
    """Yield a row for each way to show the classes that a method makes, and the certificate of what is certain."""
    found = released(asked)
    if isinstance(found, Anatomized):
        classes = found.partition.class_counts()
        yield (
            {
                **_head(asked, "quasi-identifiers as they are"),
                "classes": len(classes),
                "smallest class": int(classes.class_sizes.min()),
                "persons certain by classes": homogeneity_attack(classes).records,
                GUESSED: float(fitted_guesses(found.partition).share),
            },
            {},
        )
        return
    yield _row(asked, CURES[0], found if isinstance(found, Release) else found.release)
    if isinstance(found, Anonymized) and all(each.kind == "numeric" for each in found.attributes):
        yield _row(asked, CURES[1], on_grid(found, asked.model, GRID).release)
        attributes = attributes_of(adult_table(), _hierarchies())
        yield _row(
            asked, CURES[2], verified(found.grouped, asked.model, method=found.method, attributes=attributes).release
        )


@cache
def refused(asked: Asked, most: int) -> RefusedCuts:
    """Return what refused cuts say of a release of Adult, of classes with at most so many states."""
    made = released(asked)
    assert isinstance(made, Anonymized)
    return refused_cuts(made, asked.model, most=most)


def refused_row(asked: Asked, most: int) -> dict[str, object]:
    """Return what it says of persons that strict Mondrian cut no class any further; at most so many states a class."""
    found = refused(asked, most)
    (secret,) = adult_table().sensitive
    true = [secret.domain.values[code] for code in secret.codes.tolist()]
    for change in found.changes:
        for value, after in zip(change.values, change.after, strict=True):
            assert after.least < 1 or {true[row] for row in change.persons.tolist()} == {value}, "unsound"
    persons, alone = found.counts["persons"], found.counts["persons, by their class alone"]
    return {
        "method": asked.shown,
        "model": asked.title,
        "classes": len(found.made.release.classes),
        "persons certain by classes": alone.certain,
        "persons certain": persons.certain,
        "open": persons.open,
        "belief moved by more than 0.1": found.moved(Fraction(1, 10)),
        "greatest change": float(found.greatest_change),
    }


def _head(asked: Asked, labels: str) -> dict[str, object]:
    return {"method": asked.shown, "model": asked.title, "labels": labels}


def _row(asked: Asked, labels: str, release: Release) -> tuple[dict[str, object], Mapping[str, bytes]]:
    by_labels, found = label_disclosure(release, "labels").counts, label_disclosure(release)
    tight = found.counts
    wide, penalty = tight["generalized cells"], GlobalCertaintyPenalty(numeric=NUMBERS).evaluate(release).value
    return {
        **_head(asked, labels),
        "classes": len(release.classes),
        "smallest class": int(release.classes.class_sizes.min()),
        "suppressed records": release.suppressed,
        "NCP per cell": float(penalty),
        "cells": tight["cells"].total,
        "certain by labels": by_labels["cells"].certain,
        "certain by tight": tight["cells"].certain,
        "generalized cells": wide.total,
        "of these certain by tight": wide.certain,
        "share": float(Fraction(wide.certain, wide.total)) if wide.total else None,
        "open": wide.open,
        "persons certain by classes": homogeneity_attack(release.classes).records,
    }, _proved(plain_name(f"{asked.shown} {asked.title} {labels}"), release, found)


def _proved(name: str, release: Release, found: LabelDisclosure) -> Mapping[str, bytes]:
    """Return the certificate of what tight labels imply, with the published counts and the hierarchies."""
    if not found.facts:
        return {}
    rows = Microdata.from_frame(
        pd.DataFrame(release.rows().columns), quasi_identifiers=list(NUMBERS), sensitive=release.classes.sensitive
    )
    hierarchies = [each.hierarchy for each in release.recodings.values() if each.hierarchy is not None]
    files = files_of({}, {name: (FrequencySet.of(rows), release.classes.sensitive)}, hierarchies)
    levels = {each.name: levels_in(each) for each in hierarchies}
    return {**files, f"{name}{LABELS}": found.certified(files[f"{name}{COUNTS}"], hierarchies=levels).encode()}
