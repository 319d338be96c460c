"""Running a method again: the release that it makes of another original, compared with the one that was published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from tcloseness.attacks.result import listed
from tcloseness.errors import InfeasibleError, InputError, NotReached, ProtocolError, TableError
from tcloseness.exact import number_text, shown_value
from tcloseness.microdata import Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.classes import require_values
from tcloseness.microdata.domain import NO_SENSITIVE, value_text
from tcloseness.release import Partition, Release
from tcloseness.release.anonymized import AS_PUBLISHED
from tcloseness.release.counting import require_plain

__all__ = [
    "Method",
    "Optimum",
    "Replay",
    "Shown",
    "is_consistent",
    "objective_of",
    "require_one_secret",
    "run",
    "shown_by",
    "shown_of",
    "with_rows",
    "with_secrets",
]

Method: TypeAlias = Callable[[Microdata], object]
"""What makes a release of a table: an answer with a release or a partition, or by record what is shown."""

Shown: TypeAlias = tuple[Hashable, ...]
"""By record what it shows; records that show one thing are one class."""


def is_consistent(
    table: Microdata | FullTable, method: Callable[[Microdata], object], values: Sequence[Hashable]
) -> bool:
    """Return whether M(T) = M(T′), where T′ is the table T with other sensitive values: checks a witness by one run.

    What is released has the sensitive values too, so each class has the same number of each value in T and in T′.

    Parameters
    ----------
    table, method
        As for `consistent_originals`.
    values
        By record, the sensitive value, or its text.

    Raises
    ------
    InputError
        For another number of values, or an unknown one.
    TableError, ProtocolError
        As `consistent_originals`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"q": [1, 2, 3, 4], "ill": ["flu", "cold", "flu", "cold"]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="q", sensitive="ill")
    >>> method = lambda world: ["1-2", "1-2", "3-4", "3-4"]
    >>> is_consistent(table, method, ["cold", "flu", "flu", "cold"])
    True
    >>> is_consistent(table, method, ["flu", "flu", "cold", "cold"])
    False
    """
    table = in_shape(table, Microdata)
    require_one_secret(table)
    (column,) = table.sensitive
    code_of = {value_text(value): code for code, value in enumerate(column.domain.values)}
    texts = [*map(value_text, values)]
    if len(texts) != len(table):
        raise InputError(f"{len(texts)} values are given; give for each of {len(table)} records one of {column.name!r}")
    unknown = next((text for text in texts if text not in code_of), None)
    if unknown is not None:
        raise InputError(f"{unknown!r} is not a value of {column.name!r}; those are {listed(code_of, 'and')}")
    codes = [code_of[text] for text in texts]
    made = shown_by(method, table)
    if made is None or Counter(zip(made, codes, strict=True)) != Counter(zip(made, column.codes.tolist(), strict=True)):
        return False
    return shown_by(method, with_secrets(table, codes)) == made


@dataclass(frozen=True)
class Replay:
    """Whether the method makes the release of a world."""

    method: Method
    shown: Shown

    def __call__(self, world: Microdata) -> bool:
        """Say whether it does."""
        return shown_by(self.method, world) == self.shown


@dataclass(frozen=True)
class Optimum:
    """Whether the least loss of a world is that of the release, which every world can have."""

    method: Method
    objective: object

    @classmethod
    def of(cls, method: Method, answer: object, table: Microdata) -> Optimum:
        """Return the test by an answer about a table; `TableError` if not every world can have its release.

        A published class keeps its values in every world, and so satisfies the model. If it was made as several that
        show the same, which together have less loss, a world has those only if its values can be handed out to them so
        that each satisfies: then the members must be alike.
        """
        grouped, shown = getattr(answer, "grouped", None), shown_of(answer, table)
        objective: Any = objective_of(answer)
        published = getattr(answer, "done", {}).get(AS_PUBLISHED)
        costs_as_much = published is not None and published == number_text(objective)
        if isinstance(grouped, Partition) and shown is not None and not costs_as_much:
            codes = zip(*(column.codes.tolist() for column in table.quasi_identifiers), strict=True)
            found: dict[Hashable, tuple[set[int], set[Hashable]]] = {}
            for label, group, row in zip(shown, grouped.class_of.tolist(), codes, strict=False):
                groups, rows = found.setdefault(label, (set(), set()))
                groups.add(group)
                rows.add(row)
            if any(len(groups) > 1 < len(rows) for groups, rows in found.values()):
                raise TableError(
                    "two classes of the optimum show the same labels, and their members differ, so that not every way "
                    "to hand out their values leaves two such classes; what is consistent is not counted. Take "
                    "level='code' with the method and its seed, or a loss that does not notice, such as NCP"
                )
        return cls(method, objective)

    def __call__(self, world: Microdata) -> bool:
        """Say whether it is."""
        answer = run(self.method, world)
        return answer is not None and objective_of(answer) == self.objective


def objective_of(answer: object) -> object:
    """Return the least loss that an answer has proved."""
    if hasattr(answer, "bound"):
        raise ProtocolError(
            "level='optimal' takes a method that proves its optima, and this answer is not proved to be one; give the "
            "method more time, or take level='code'"
        )
    if not hasattr(answer, "objective"):
        raise ProtocolError("level='optimal' takes a method whose answers have an objective, such as optimal_partition")
    return answer.objective


def run(method: Method, world: Microdata) -> object | None:
    """Return the method's answer; None if it does not reach one."""
    try:
        return method(world)
    except (NotReached, InfeasibleError):
        return None


def shown_by(method: Method, world: Microdata) -> Shown | None:
    """Return what each record of a world shows in its release; None if there is none."""
    answer = run(method, world)
    return None if answer is None else shown_of(answer, world)


def shown_of(answer: Any, table: Microdata) -> Shown | None:
    """Return what each record shows; None for an answer that there is no release."""
    if hasattr(answer, "tolist"):  # an array or a Series
        answer = answer.tolist()
    if isinstance(answer, list | tuple):
        if len(answer) != len(table):
            raise ProtocolError(
                f"the method shows {len(answer)} records, and the table has {len(table)}; give for each record what it "
                "shows, also for a suppressed one"
            )
        try:
            hash(tuple(answer))
        except TypeError as error:
            raise ProtocolError(
                f"the method shows records as {shown_value(answer[0])}, and {error}; give a text, a number or a tuple "
                "for each record"
            ) from error
        return tuple(answer)
    release, partition = getattr(answer, "release", None), getattr(answer, "partition", None)
    if isinstance(release, Release):
        if release.shown:
            raise TableError(
                "sensitive values are hidden in this release, and the worlds that it allows are not counted; ask for "
                "what the release shows before they are hidden, or ask label_disclosure"
            )
        mine = release.on_rows(table)
        labels = [[each.labels.values[c] for c in mine.codes[name].tolist()] for name, each in mine.recodings.items()]
        rows = zip(*labels, strict=True) if labels else [()] * len(table)
        return tuple(None if hidden else row for row, hidden in zip(rows, mine.withheld.tolist(), strict=True))
    if isinstance(partition, Partition):
        if hasattr(answer, "quasi_identifier_table"):  # of two tables, which show the numbers of the classes
            return tuple(partition.class_of.tolist())
        number: dict[int, int] = {-1: -1}
        return tuple(number.setdefault(g, len(number)) for g in partition.class_of.tolist())
    return None


def with_secrets(table: Microdata, codes: Sequence[int]) -> Microdata:
    """Return the table with other sensitive values."""
    return replace(table, sensitive=(replace(table.sensitive[0], codes=np.array(codes, dtype=np.int64)),))


def with_rows(table: Microdata, rows: Sequence[tuple[int, ...]]) -> Microdata:
    """Return a table of the same columns with other rows: codes of the quasi-identifiers, then the sensitive one."""
    columns = [np.array(codes, dtype=np.int64) for codes in zip(*rows, strict=True)]
    known = tuple(replace(c, codes=codes) for c, codes in zip(table.quasi_identifiers, columns[:-1], strict=True))
    return replace(with_secrets(table, columns[-1].tolist()), quasi_identifiers=known, index=None)


def require_one_secret(table: Microdata) -> None:
    """Raise `TableError` unless each row is a record, and there is one sensitive attribute, of different texts."""
    require_plain(table)
    if not table.sensitive:
        require_values("a guess at who has which value", NO_SENSITIVE)
    if len(table.sensitive) != 1:
        raise TableError(
            f"the table has {len(table.sensitive)} sensitive attributes, and one is guessed; give it alone"
        )
    (column,) = table.sensitive
    twice = [text for text, n in Counter(map(value_text, column.domain.values)).items() if n > 1]
    if twice:
        raise TableError(
            f"two sensitive values of {column.name!r} are both written {twice[0]!r}, so that a release shows one; "
            "rename one"
        )
