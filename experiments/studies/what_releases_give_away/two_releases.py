"""Two releases of one table: who is certain by one alone, by both, by sums of counts, and by linear programs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import median

from experiments.proofs import COMPOSITION, COUNTS, plain_name
from experiments.studies.what_releases_give_away.adult_tables import NUMBERS, adult_table, released
from experiments.studies.what_releases_give_away.asked import asked
from tcloseness.attacks import ComplementaryAttack, LinkedRelease, complementary_release_attack

__all__ = ["compared", "require_true", "together"]

WAYS = ("alone", "by sets", "by sums", "by programs")
"""What makes somebody certain; each is added to the one before."""


def _linked(text: str) -> LinkedRelease:
    """Read the quasi-identifiers, the method and the model; return the release with everybody in it."""
    names, _, method = text.strip().partition(" ")
    release = released(asked(method), tuple(names.split(",")) if names != "all" else NUMBERS).release
    classes = release.classes
    labels = [classes.label(g) for g in range(len(classes))]
    return LinkedRelease(classes, {i: labels[g] for i, g in enumerate(release.class_of.tolist())})


def together(pair: str, *, programs: bool) -> ComplementaryAttack:
    """Link two releases, written as ``age,education-num mondrian k=5 + all mondrian k=7``."""
    found = complementary_release_attack([_linked(text) for text in pair.split(" + ")], programs=programs)
    require_true(found)
    return found


def require_true(found: ComplementaryAttack) -> None:
    """See that what is certain is the true value; the original is used for nothing else."""
    (secret,) = adult_table().sensitive
    true = [secret.domain.values[code] for code in secret.codes.tolist()]
    assert all(each.values == (true[int(str(each.person))],) for each in found.revealed), "unsound"


def compared(pair: str, *, programs: bool) -> tuple[dict[str, object], Mapping[str, bytes]]:
    """Return a row about two releases, and the certificate of what is certain, with the counts that it is about.

    Whoever is certain by one release alone is among those who are certain by sets, and so on.
    """
    found = together(pair, programs=programs)
    composition, facts = found.linked.composition, found.facts
    used = [len(fact.weights) for fact in facts]
    row: dict[str, object] = {
        "releases": re.sub(r"\b(mondrian|all) ", "", pair).replace(" + ", " and "),
        "cells": len(composition.bounds.cells),
        "unknowns": len(composition.unknowns),
        "alone": found.alone,
        "by sets": found.by_sets,
        "by sums": found.by_sums,
        "by programs": found.records if programs else None,
        "share": found.records / found.people,
        "shown to be open to several values": found.possible if programs else None,
        "undecided": found.open if programs else None,
        "components": found.components if programs else None,
        "facts in the certificate": len(facts),
        "published counts for each, median": median(used) if used else None,
        "most": max(used, default=None),
    }
    if not facts:
        return row, {}
    name = plain_name(pair)
    files = {f"{name}{COMPOSITION}": found.certificate().encode()}
    return row, files | {f"{name}-{r}{COUNTS}": counts for r, counts in enumerate(found.published(), 1)}
