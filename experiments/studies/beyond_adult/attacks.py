"""Four attacks on the minimal tables of some models: what they open, and how many records they reveal at most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from experiments.dataset_lattices import Table, rolled_up
from tcloseness.attacks import (
    AttackResult,
    background_knowledge_attack,
    homogeneity_attack,
    similarity_attack,
    skewness_attack,
)
from tcloseness.lattice import minimal_generalizations
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel

__all__ = ["ATTACKS", "attacked"]

ATTACKS: dict[str, Callable[[Table, ClassCounts], AttackResult]] = {
    "homogeneity": lambda asked, classes: homogeneity_attack(classes),
    "background": lambda asked, classes: background_knowledge_attack(classes, [asked.common]),
    "similarity": lambda asked, classes: similarity_attack(classes, asked.groups, level=1),
    "skewness": lambda asked, classes: skewness_attack(classes, difference="1/2", top=1),
}
"""What each does with the classes of a table: the attacker of the second can exclude the table's common value, groups
are those of the third, and the fourth counts the classes that make a value more likely by more than a half."""


def attacked(asked: Table, criteria: Mapping[str, PrivacyModel]) -> Iterator[dict[str, Any]]:
    """Yield for each criterion and attack how many of the minimal tables it opens, and how much it reveals at most,
    with the sensitive values of those records: an attack that tells one value only, such as having no occupation, is
    less than its number of records says."""
    table = rolled_up(asked.name)
    for criterion, model in criteria.items():
        minimal = sorted(minimal_generalizations(table, model).minimal)
        found = {attack: list[int]() for attack in ATTACKS}
        for node in minimal:
            classes = table.classes(node)
            for attack, make in ATTACKS.items():
                found[attack].append(make(asked, classes).records)
        for attack, records in found.items():
            most = max(records, default=0)
            worst = minimal[records.index(most)] if most else None
            told = () if worst is None else ATTACKS[attack](asked, table.classes(worst)).findings
            yield {
                "data": asked.title,
                "criterion": criterion,
                "attack": attack,
                "records": table.records,
                "minimal tables": len(minimal),
                "opened": sum(number > 0 for number in records),
                "most records revealed": most,
                "in %": round(100 * most / table.records, 4),
                "worst table": "" if worst is None else table.lattice.text(worst),
                "values there": "; ".join(sorted({value_text(value) for found in told for value in found.values})),
            }
