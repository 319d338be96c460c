"""What a release discloses, from the package: its methods, run again on each original by `consistent_originals`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.anonymize import mdav, mondrian
from tcloseness.attacks import ConsistentOriginals, consistent_originals, label_disclosure
from tcloseness.attacks.ordered_draws import Contradicted, value_sets
from tcloseness.attacks.replay import shown_of
from tcloseness.conformance.inputs import Released, Table
from tcloseness.errors import NotReached, TableWarning, VectorError
from tcloseness.exact import IntArray
from tcloseness.lattice import RollUp, optimum
from tcloseness.loss import GeneralizationHeight
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import DistinctLDiversity, KAnonymity, PrivacyModel
from tcloseness.release import Partition

__all__ = ["disclosed_by"]

MOST = 20_000
"""The greatest number of candidates that are released again."""


def disclosed_by(name: str, table: Table, parameters: Mapping[str, str]) -> Fraction:
    """Return the right answer to a question about a disclosure.

    `VectorError` for a table without a release, or with classes that its method does not make.
    """
    released, level = table.release, parameters["level"]
    if released is None or released.method not in _METHODS:
        raise VectorError(f"a disclosure is asked of a table with a release, made by one of {', '.join(_METHODS)}")
    microdata, hierarchies = _microdata(table)
    method = partial(_METHODS[released.method], released=released, hierarchies=hierarchies)
    answer = method(microdata)
    of_persons = released.known == "quasi-identifiers"
    records = range(len(microdata)) if of_persons else microdata.quasi_identifiers[0].codes.tolist()
    if _grouped(records, shown_of(answer, microdata) or ()) != _grouped(records, released.classes):
        raise VectorError("the classes of a release are not those that its method makes of the table")
    found = consistent_originals(microdata, method, knows="quasi-identifiers" if of_persons else "release", most=MOST)
    if name == "certain-values" and level == "labels" and not of_persons:
        return Fraction(label_disclosure(answer.release, "labels").counts["cells"].certain)
    return _asked(name, found, parameters, of_persons)


def _grouped(records: Sequence[int], shown: Sequence[Hashable]) -> list[list[int]]:
    """Return the records of each class; of equal ones, which is in which class is left to the draw."""
    found: dict[Hashable, list[int]] = {}
    for each, record in zip_longest(shown, records, fillvalue=-1):
        found.setdefault(each, []).append(record)
    return sorted(map(sorted, found.values()))


def _asked(name: str, found: ConsistentOriginals, parameters: Mapping[str, str], of_persons: bool) -> Fraction:
    level = parameters["level"]
    match name, level:
        case "consistent-originals", "labels":
            return Fraction(found.candidates)
        case "consistent-originals", _:
            return Fraction(found.consistent)
        case "certain-values", "labels":
            return Fraction(found.counts["persons, by their class alone"].certain)
        case "certain-values", _:
            return Fraction(found.counts["persons" if of_persons else "cells"].certain)
    beliefs = found.beliefs_before if level == "labels" else found.beliefs
    return max(person.get(parameters["value"], Fraction()) for person in beliefs)


def _microdata(table: Table) -> tuple[Microdata, dict[str, Hierarchy]]:
    (key,), (secret,) = table.quasi_identifiers, table.sensitive
    frame = pd.DataFrame({key: table.column(key), secret: table.column(secret)})
    whole = table.type_of(key) == "integer"
    paths = [(int(leaf) if whole else leaf, *above) for leaf, *above in table.hierarchies.get(key, ())]
    hierarchies = {key: Hierarchy(paths, name=key)} if paths else {}
    domains: Any = {key: [path[0] for path in paths]} if paths else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        return Microdata.from_frame(frame, quasi_identifiers=key, sensitive=secret, domains=domains), hierarchies


# ---------------------------------------------------------------------- the methods


def _model(released: Released) -> PrivacyModel:
    return KAnonymity(int(released.parameters["k"])) & DistinctLDiversity(int(released.parameters["l"]))


def _mondrian(world: Microdata, released: Released, hierarchies: dict[str, Hierarchy]) -> Any:
    return mondrian(world, _model(released))


def _mdav(world: Microdata, released: Released, hierarchies: dict[str, Hierarchy]) -> Any:
    return mdav(world, KAnonymity(int(released.parameters["k"])), seed=0)


def _full_domain(world: Microdata, released: Released, hierarchies: dict[str, Hierarchy]) -> Any:
    rolled = RollUp(FrequencySet.of(world), hierarchies, compiled=False)
    nodes = optimum(rolled, _model(released), loss=GeneralizationHeight()).nodes
    if not nodes:
        raise NotReached("no level satisfies the model")
    return rolled.release(nodes[0].node)


def _classes(world: Microdata, groups: IntArray) -> list[int]:
    """Return by record the first record of its class."""
    return [int(np.flatnonzero(groups == number)[0]) for number in groups.tolist()]


def _merge(world: Microdata, released: Released, hierarchies: dict[str, Hierarchy]) -> list[int]:
    (key,), (secret,) = world.quasi_identifiers, world.sensitive
    share = Fraction(released.parameters["share"])
    held = np.array([value == released.parameters["protected"] for value in secret.domain.values])
    protected = held[secret.codes]
    order = np.argsort(key.codes != key.codes.min(), kind="stable")
    least = int((key.codes == key.codes.min()).sum())
    for size in range(least, len(world) + 1):
        groups = np.ones(len(world), dtype=np.int64)
        groups[order[:size]] = 0
        sizes = np.bincount(groups, minlength=2)
        if (np.bincount(groups[protected], minlength=2) * share.denominator <= share.numerator * sizes).all():
            return _classes(world, groups)
    raise NotReached("the protected value has too great a share of the whole table")


def _jump(world: Microdata, released: Released, hierarchies: dict[str, Hierarchy]) -> list[int]:
    model = DistinctLDiversity(int(released.parameters["l"]))
    groups = np.zeros(len(world), dtype=np.int64)
    for size in released.parameters["sizes"].split(","):
        tried = np.arange(len(world)) // int(size)
        if model.evaluate(Partition(world, tried).class_counts()).satisfied:
            groups = tried
            break
    return _classes(world, groups)


def _anatomy(world: Microdata, released: Released, hierarchies: dict[str, Hierarchy]) -> list[int]:
    (key,), (secret,) = world.quasi_identifiers, world.sensitive
    counts = np.bincount(secret.codes, minlength=len(secret.domain)).tolist()
    try:
        sets, over = value_sets(counts, int(released.parameters["l"]))
    except Contradicted as error:
        raise NotReached(str(error)) from error
    late = set(over)
    taken = [(value, number) for number, values in enumerate(sets) for value in values if (value, number) not in late]
    groups = np.empty(len(world), dtype=np.int64)
    rows: dict[int, list[int]] = {
        value: [i for i in np.argsort(key.codes, kind="stable").tolist() if secret.codes[i] == value]
        for value in range(len(counts))
    }
    for value, number in [*taken, *over]:
        groups[rows[value].pop(0)] = number
    return _classes(world, groups)


_METHODS: dict[str, Callable[..., Any]] = {
    "mondrian": _mondrian,
    "mdav": _mdav,
    "full-domain": _full_domain,
    "merge": _merge,
    "jump": _jump,
    "anatomy-in-order": _anatomy,
}
