"""m-invariance: what several releases of a growing and shrinking table give away together.

Xiao, Tao, "m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets", SIGMOD 2007.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, Explained, counted
from tcloseness.errors import InputError, TableError
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.domain import identity, value_text
from tcloseness.models.protocol import Relation, Status
from tcloseness.models.thresholds import Exact, whole

__all__ = ["MInvariance", "MInvarianceResult", "TrackedRelease"]


@dataclass(frozen=True, eq=False)
class TrackedRelease(Displayed):
    """One release of a table: its classes, and which class each person's record is in.

    Parameters
    ----------
    classes
        The class counts.
    class_of
        person → class, by the class's number in `classes`. Records of a class that belong to no person are the
        counterfeits that a publisher adds.

    Raises
    ------
    TableError
        For an unknown class, or a class with more persons than records.
    """

    classes: ClassCounts
    class_of: Mapping[Hashable, int]

    def to_dict(self) -> dict[str, Any]:
        """Return the sizes as JSON-ready data."""
        counts = {"classes": len(self.classes), "records": self.classes.records}
        return {**counts, "persons": len(self.class_of), "counterfeits": self.counterfeits}

    def _said(self) -> str:
        return f"{counted(len(self.class_of), 'person')} in {counted(len(self.classes), 'class')}"

    def __post_init__(self) -> None:
        self.classes.require_records("m-invariance")
        self.classes.require_values("m-invariance")
        persons = np.zeros(len(self.classes), dtype=np.int64)
        for person, g in self.class_of.items():
            if isinstance(g, bool) or not isinstance(g, int | np.integer) or not 0 <= g < len(self.classes):
                raise TableError(
                    f"{person!r} is in class {g!r}, and the release has classes 0 to {len(self.classes) - 1}"
                )
            persons[g] += 1
        crowded = np.flatnonzero(persons > self.classes.class_sizes)
        if len(crowded):
            g = int(crowded[0])
            raise TableError(
                f"class {g} has {int(self.classes.class_sizes[g])} records and {int(persons[g])} persons; "
                "a person has one record in a release"
            )

    @property
    def counterfeits(self) -> int:
        """How many records belong to no person."""
        return self.classes.records - len(self.class_of)

    @cached_property
    def signatures(self) -> tuple[frozenset[tuple[str, Hashable]], ...]:
        """Each class's signature: the set of sensitive values in it (the values themselves, not their codes)."""
        values = self.classes.domain.values
        return tuple(frozenset(identity(values[c]) for c in self.classes.row(g)) for g in range(len(self.classes)))

    @cached_property
    def unique_sizes(self) -> tuple[int, ...]:
        """The greatest m that each class is unique for: its records if no sensitive value is in it twice, else 0."""
        repeated = np.maximum.reduceat(self.classes.counts, self.classes.starts[:-1]) > 1
        return tuple(np.where(repeated, 0, self.classes.class_sizes).tolist())


@dataclass(frozen=True)
class MInvarianceResult(Explained):
    """What m-invariance says about a sequence of releases.

    Attributes
    ----------
    status, m, margin
        The decision; the threshold; the value minus it (None without a threshold).
    value
        The greatest m that holds; 0 where none does.
    not_unique
        The classes that are not m-unique, as (release, class); without a threshold those that are unique for no m.
    changed
        The persons whose class's signature is not the same in all their releases.
    counterfeits
        Per release how many records belong to no person.
    relation
        The relation to m that is required of the value.
    """

    status: Status
    m: int | None
    value: int
    margin: int | None
    not_unique: tuple[tuple[int, int], ...]
    changed: tuple[Hashable, ...]
    counterfeits: tuple[int, ...]
    conventions: Conventions
    model: str = "m-invariance"
    citation: str = "Xiao and Tao 2007"
    relation: Relation = "≥"

    def _said(self) -> str:
        return f"{self.model}, {self.status}, value {self.value}, {counted(len(self.counterfeits), 'release')}"

    @property
    def satisfied(self) -> bool:
        """Whether the status is ``satisfied``."""
        return self.status == "satisfied"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready data."""
        return {
            "model": self.model,
            "parameters": {} if self.m is None else {"m": str(self.m)},
            "status": self.status,
            "value": str(self.value),
            "threshold": None if self.m is None else str(self.m),
            "threshold_name": "m",
            "relation": self.relation,
            "margin": None if self.margin is None else str(self.margin),
            "releases": len(self.counterfeits),
            "not_unique": [list(pair) for pair in self.not_unique],
            "changed": [value_text(person) for person in self.changed],
            "counterfeits": list(self.counterfeits),
            "citation": self.citation,
            "conventions": dict(self.conventions),
        }


@dataclass(frozen=True)
class MInvariance:
    """m-invariance of two or more releases.

    Every class of every release has at least m records, all with different sensitive values (the release is m-unique);
    and a person who is in several releases is in classes with the same set of sensitive values, the same signature,
    in each of them.

    Parameters
    ----------
    m
        A whole number ≥ 1, or None to measure only.

    Notes
    -----
    The value is the size of the smallest class, or 0 if a class holds a value twice or a signature changes: then no m
    holds. Xiao and Tao 2007 speaks of a person's lifespan, an unbroken run of releases; here every release that the
    person is in counts, also after an absence. Releases may have different domains; signatures compare values. It is
    not a property of one table, so it does not combine with the models of one.

    References
    ----------
    Xiao and Tao 2007, definitions of m-uniqueness, signature and m-invariance.

    Examples
    --------
    >>> first = ClassCounts.from_mapping({"a": {"flu": 1, "cold": 1}})
    >>> second = ClassCounts.from_mapping({"a": {"flu": 1, "cold": 1}, "b": {"gout": 1, "flu": 1}})
    >>> releases = [TrackedRelease(first, {"Ann": 0, "Bob": 0}), TrackedRelease(second, {"Ann": 0, "Bob": 1})]
    >>> found = MInvariance(2).evaluate(releases)
    >>> found.status, found.value, found.changed
    ('violated', 0, ('Bob',))
    """

    m: Exact[int | None] = Exact(whole, default=None)
    name = "m-invariance"

    def evaluate(self, releases: Sequence[TrackedRelease]) -> MInvarianceResult:
        """Measure a sequence of releases.

        Raises
        ------
        InputError
            For fewer than two releases, or something else than releases.
        """
        if any(not isinstance(release, TrackedRelease) for release in releases) or len(releases) < 2:
            raise InputError("m-invariance is about two or more releases; give a list of TrackedRelease objects")
        signatures: dict[Hashable, frozenset[tuple[str, Hashable]]] = {}
        changed: dict[Hashable, None] = {}
        for release in releases:
            for person, g in release.class_of.items():
                mine = release.signatures[g]
                if signatures.setdefault(person, mine) != mine:
                    changed[person] = None
        sizes = {(number, g): m for number, r in enumerate(releases) for g, m in enumerate(r.unique_sizes)}
        value = 0 if changed else min(sizes.values())
        least = 1 if self.m is None else self.m
        not_unique = tuple(where for where, size in sizes.items() if size < least)
        status: Status = "measured"
        if self.m is not None:
            status = "violated" if changed or not_unique else "satisfied"
        return MInvarianceResult(
            status=status,
            m=self.m,
            value=value,
            margin=None if self.m is None else value - self.m,
            not_unique=not_unique,
            changed=tuple(changed),
            counterfeits=tuple(release.counterfeits for release in releases),
            conventions=Conventions({"absent values": "a person who is absent from a release is not looked at in it"}),
        )
