"""Tables in two parts as ``tcloseness attack`` reads them: quasi-identifiers with classes, and sensitive values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tcloseness.cli.options import Missing
from tcloseness.cli.output import file_name
from tcloseness.cli.thresholds import OPTIONS, Thresholds, option_of
from tcloseness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from tcloseness.anonymize import Anatomized
    from tcloseness.attacks.ordered_draws import OrderedDraws

__all__ = ["TwoTables", "drawn_l"]


@dataclass(frozen=True, eq=False)
class TwoTables:
    """A table of quasi-identifiers and one of sensitive values, which are joined by class."""

    people: pd.DataFrame  # the quasi-identifiers, and last the class
    values: pd.DataFrame  # the class, the sensitive value, how many records
    file: str  # of the values

    @classmethod
    def of(
        cls,
        files: Sequence[tuple[str, pd.DataFrame]],
        quasi_identifiers: Sequence[str],
        sensitive: str,
        missing: Missing,
    ) -> TwoTables:
        """Return the columns of two files that have a role.

        `InputError` unless the second has three columns: one that both have, the sensitive one, and one more; for a
        column that the first lacks or has twice; or for an empty cell, unless that is a value.
        """
        from tcloseness.microdata.roles import require_columns

        (first, people), (second, values) = files
        joins = [
            name for name in values.columns if name in people.columns and name not in (*quasi_identifiers, sensitive)
        ]
        rest = [name for name in values.columns if name not in (*joins, sensitive)]
        if sensitive not in values.columns or len(joins) != 1 or len(rest) != 1:
            raise InputError(
                f"{file_name(second)} has the columns {', '.join(map(str, values.columns))}; the table of sensitive "
                f"values has three: one that {file_name(first)} has too, for the class, {sensitive!r}, and the number "
                "of records"
            )
        role = {**dict.fromkeys(quasi_identifiers, "quasi-identifier"), joins[0]: "class"}
        require_columns(tuple(people.columns), role)
        found = cls(people[[*quasi_identifiers, *joins]], values[[*joins, sensitive, *rest]], second)
        for file, frame in zip((first, second), (found.people, found.values), strict=True):
            for name in frame.columns:
                empty = int(frame[name].isna().sum())
                if empty and (missing is not Missing.CATEGORY or name not in quasi_identifiers):
                    way = "--missing category takes them as a value" if name in quasi_identifiers else "write a value"
                    raise InputError(f"column {name!r} of {file_name(file)} has {empty} empty cell(s); {way}")
        return found

    def drawn_in_order(self, l: int, *, by_rows: bool) -> OrderedDraws:  # noqa: E741
        """Return what is left for each person if Anatomy drew records in the order of their quasi-identifiers."""
        from tcloseness.attacks import ordered_draw_attack
        from tcloseness.attacks.ordered_draws import in_order

        people, values = in_order(self.people, self.values)
        return ordered_draw_attack(people, values, l, by_rows=by_rows)

    def shows(self, made: Anatomized) -> bool:
        """Return whether these are the two tables of an answer, their rows in any order."""
        joined, count = self.people.columns[-1], self.values.columns[-1]
        theirs = (
            made.quasi_identifier_table(class_column=joined),
            made.sensitive_table(class_column=joined, count_column=count),
        )
        return all(
            _rows(mine, mine) == _rows(each, mine)
            for mine, each in zip((self.people, self.values), theirs, strict=True)
        )


def _rows(frame: pd.DataFrame, columns: pd.DataFrame) -> Counter[tuple[str, ...]]:
    from tcloseness.release.labels import text_of

    return Counter(zip(*([*map(text_of, frame[name].tolist())] for name in columns), strict=True))


def drawn_l(thresholds: Thresholds, sensitive: str) -> int:
    """Return how many records a class takes, by the thresholds.

    `InputError` if there is no ℓ among them, or one that joins classes after the draws.
    """
    from tcloseness.anonymize.merging import asked_l

    for name in thresholds.texts:
        if OPTIONS[name]["needs_ground"]:
            raise InputError(
                f"{option_of(name)} was given, for which Anatomy joins classes after it has drawn them, and what is "
                "left of the draws is not known; give --table, and the seed"
            )
    return asked_l(thresholds.model(None, sensitive))
