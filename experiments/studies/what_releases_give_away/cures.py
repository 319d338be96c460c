"""Adult before and after a cure: whose value is certain to somebody who knows the method, and what the cure costs.

Anatomy, whose records of a value go to the classes in the order of their quasi-identifiers and of the rows, is cured by
draws with a secret seed. Strict Mondrian, whose refused cuts say something of sensitive values, is cured by cuts that
quasi-identifiers alone decide: at a k for which the classes satisfy the model, while for k − 1 they do not.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from experiments import adult
from experiments.proofs import DRAWS, ROWS, files_of, plain_name
from experiments.runner import SEED
from experiments.studies.what_releases_give_away.adult_tables import NUMBERS, adult_table, refused, released
from experiments.studies.what_releases_give_away.asked import Asked, asked
from tcloseness.anonymize import Anatomized, anatomy
from tcloseness.anonymize.anatomy import two_tables
from tcloseness.anonymize.merging import asked_l
from tcloseness.attacks import OrderedDraws, RefusedCuts, ordered_draw_attack
from tcloseness.attacks.ordered_draws import value_sets
from tcloseness.loss import GlobalCertaintyPenalty
from tcloseness.microdata import FrequencySet, Microdata
from tcloseness.release import Partition

__all__ = ["SEVEN", "cured", "drawn_in_order"]

SEVEN = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
"""The quasi-identifiers that are published with Anatomy's classes."""


def cured(text: str, most: int) -> tuple[dict[str, object], Mapping[str, bytes]]:
    """Return a row about a method and its cure, and the certificate of what is certain before it, with its tables."""
    each = asked(text)
    return _of_draws(each) if each.method == "anatomy" else _of_cuts(each, most)


def drawn_in_order(table: Microdata, l: int) -> Partition:  # noqa: E741
    """Return Anatomy's classes if records of a value go by their quasi-identifiers, and equal ones by their rows."""
    (secret,) = table.sensitive
    in_order = np.lexsort([column.codes for column in table.quasi_identifiers][::-1])
    sets, over = value_sets(np.bincount(secret.codes, minlength=len(secret.domain)).tolist(), l)
    rows = [iter(in_order[secret.codes[in_order] == value].tolist()) for value in range(len(secret.domain))]
    late = set(over)
    members = [[next(rows[v]) for v in mine if (v, place) not in late] for place, mine in enumerate(sets)]
    for value, place in over:
        members[place].append(next(rows[value]))
    return Partition.of(table, members)


def _of_draws(each: Asked) -> tuple[dict[str, object], Mapping[str, bytes]]:
    table, l = adult_table(SEVEN), asked_l(each.model)  # noqa: E741
    published = two_tables(drawn_in_order(table, l), each.model, seed=SEED)
    before, after = _read(published, l), _read(anatomy(table, each.model, seed=SEED), l)
    truth = adult.load("train-complete")["occupation"].tolist()
    assert all(value in left for value, left in zip(truth, before.left, strict=True)), "unsound"
    files = [frame.to_csv(index=False).encode() for frame in (before.people, before.values)]
    name = plain_name(f"{each.method} {each.title}")
    return {
        **_head(each, "code", "draws with a secret seed"),
        **_persons(before),
        "certain, cured": 0 if after.contradiction is not None else after.counts["persons"].certain,
        "NCP per cell": 0.0,
        "NCP per cell, cured": 0.0,
    }, {} if before.contradiction is not None or not before.facts else {
        f"{name}{DRAWS}": before.certified(files[0], files[1]).encode(),
        f"{name}-people{ROWS}": files[0],
        f"{name}-values{ROWS}": files[1],
    }


def _read(made: Anatomized, l: int) -> OrderedDraws:  # noqa: E741
    return ordered_draw_attack(made.quasi_identifier_table(order="input"), made.sensitive_table(), l, by_rows=True)


def _of_cuts(each: Asked, most: int) -> tuple[dict[str, object], Mapping[str, bytes]]:
    before = refused(each, most)
    k = _enough(each)
    again = released(asked(f"{each.method} k={k}"))
    after = refused(asked(f"{each.method} k={k}"), most).counts["persons"]
    price = GlobalCertaintyPenalty(numeric=NUMBERS)
    name = plain_name(f"{each.method} {each.title} refused cuts")
    about = {name: (FrequencySet.of(adult_table()), "occupation")}
    return {
        **_head(each, "minimal", f"cuts by quasi-identifiers alone, k = {k}"),
        **_persons(before),
        "certain, cured": after.certain,
        "NCP per cell": float(price.evaluate(before.made.release).value),
        "NCP per cell, cured": float(price.evaluate(again.release).value),
    }, files_of({name: before.certified()}, about) if before.settled else {}


def _enough(each: Asked) -> int:
    """Return a k for which the method's classes satisfy a model, while for k − 1 they do not."""

    def suffices(k: int) -> bool:
        return each.model.evaluate(released(asked(f"{each.method} k={k}")).release.classes).status == "satisfied"

    low, high = 1, 2
    while not suffices(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def _head(each: Asked, level: str, cure: str) -> dict[str, object]:
    return {"method": each.shown, "model": each.title, "level": level, "cure": cure}


def _persons(found: OrderedDraws | RefusedCuts) -> dict[str, object]:
    persons, alone = found.counts["persons"], found.counts["persons, by their class alone"]
    return {"persons": persons.total, "certain by classes": alone.certain, "certain": persons.certain}
