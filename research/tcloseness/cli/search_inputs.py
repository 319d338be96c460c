"""What ``tcloseness search`` reads: the table, the hierarchies, the ground distance, the thresholds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tcloseness.cli.arguments import (
    Ground,
    Ragged,
    Source,
    column_names,
    encoding_name,
    ground_of,
    items,
    open_source,
    per_column,
    separator_text,
)
from tcloseness.cli.hierarchies import HierarchyFiles
from tcloseness.cli.thresholds import Thresholds
from tcloseness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from tcloseness.ground import GroundDistance
    from tcloseness.lattice import RollUp
    from tcloseness.microdata import FrequencySet, Microdata

__all__ = ["SearchInputs"]


@dataclass(frozen=True, eq=False)
class SearchInputs:
    """What was read, and how it was asked for.

    Attributes
    ----------
    source
        The table's file.
    frame
        Its rows, without those that were left out for missing values.
    table
        The same rows with their roles.
    thresholds
        What a node must satisfy.
    sensitive, quasi_identifiers, weight, keep, numeric
        The columns' names.
    hierarchies
        Where the hierarchies come from.
    ground
        The ground distance as it was named; None if none was.
    meaning
        The options ``--ground``, ``--order`` and ``--domain`` as they were given, for a command that asks the same.
    separator, encoding, ground_separator, ragged, missing
        How the files are written.
    unused
        Columns that have a hierarchy and are no quasi-identifiers.
    """

    source: Source
    frame: pd.DataFrame
    table: Microdata
    thresholds: Thresholds
    sensitive: str
    quasi_identifiers: tuple[str, ...]
    weight: str | None
    keep: tuple[str, ...]
    numeric: tuple[str, ...]
    hierarchies: HierarchyFiles
    ground: Ground | None
    meaning: dict[str, list[str]]
    separator: str
    encoding: str
    ground_separator: str
    ragged: str
    missing: str
    unused: tuple[str, ...]

    @classmethod
    def read(
        cls,
        table: str,
        *,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str],
        weight: str | None,
        keep: Sequence[str],
        numeric: Sequence[str],
        folder: str | None,
        hierarchy: Sequence[str],
        suppress_only: Sequence[str],
        hierarchy_separator: str,
        hierarchy_ragged: str,
        thresholds: Thresholds,
        ground: Sequence[str],
        orders: Sequence[str],
        domains: Sequence[str],
        missing: str,
        missing_texts: Sequence[str],
        separator: str,
        encoding: str,
        ground_separator: str,
        ragged: Ragged,
    ) -> SearchInputs:
        """Read the options' texts and the files that they name; each as `tcloseness search` says it.

        Raises
        ------
        InputError
            For anything that is not as the option's help says.
        """
        separator, ground_separator = separator_text(separator), separator_text(ground_separator)
        hierarchy_separator, encoding = separator_text(hierarchy_separator), encoding_name(encoding)
        source = open_source(table)

        from tcloseness.microdata import Microdata, read_table

        frame = read_table(source.handle, separator=separator, encoding=encoding, missing_texts=("", *missing_texts))
        columns = [str(name) for name in frame.columns]
        qi = column_names([text for text in quasi_identifiers if text], columns, "--quasi-identifiers")
        if not qi:
            raise InputError("--quasi-identifiers names no column, so there is nothing to generalize; name one")
        sa = _one(column_names(sensitive, columns, "--sensitive"))
        per = {
            option: per_column(given, [sa], option, what)
            for option, given, what in (
                ("--ground", ground, "DISTANCE"),
                ("--order", orders, "LOW,…,HIGH"),
                ("--domain", domains, "VALUE,…"),
            )
        }
        rows = Microdata.from_frame(
            frame,
            quasi_identifiers=qi,
            sensitive=sa,
            weight=weight,
            missing=missing,  # type: ignore[arg-type]
            orders={name: items(text, "--order") for name, text in per["--order"].items()},
            domains={name: items(text, "--domain") for name, text in per["--domain"].items()},
        )
        named = per["--ground"].get(sa)
        files = HierarchyFiles(
            folder,
            per_column(hierarchy, qi, "--hierarchy", "FILE"),
            _among(column_names(suppress_only, qi, "--suppress-only"), qi, "--suppress-only"),
            hierarchy_separator,
            encoding,
            hierarchy_ragged,
        )
        roles = dict.fromkeys(qi, "quasi-identifier") | {sa: "sensitive"}
        if weight is not None:
            roles[weight] = "weight"
        if missing == "drop":
            frame = frame[~frame[[*qi, sa]].isna().any(axis=1)]
        return cls(
            source,
            frame,
            rows,
            thresholds,
            sa,
            tuple(qi),
            weight,
            _kept(column_names(keep, columns, "--keep"), columns, roles),
            _among(column_names(numeric, qi, "--numeric"), qi, "--numeric"),
            files,
            None
            if named is None
            else ground_of(named, separator=ground_separator, encoding=encoding, ragged=ragged.value),
            {option: [f"{name}={text}" for name, text in given.items()] for option, given in per.items()},
            separator,
            encoding,
            ground_separator,
            ragged.value,
            missing,
            tuple(name for name in files.unused(qi, columns) if name != sa),
        )

    @property
    def files(self) -> list[str]:
        """Everything that is read."""
        ground = [] if self.ground is None or self.ground.file is None else [self.ground.file]
        return [self.source.name, *self.hierarchies.paths(self.quasi_identifiers).values(), *ground]

    @cached_property
    def frequencies(self) -> FrequencySet:
        """The table, compressed."""
        from tcloseness.microdata import FrequencySet

        return FrequencySet.of(self.table)

    @cached_property
    def distance(self) -> GroundDistance | None:
        """The ground distance over the sensitive attribute's values; None if none was named."""
        return None if self.ground is None else self.ground.over(self.frequencies.class_counts().domain)

    @property
    def ground_name(self) -> str:
        """The ground distance in words."""
        return "equal (none was named)" if self.ground is None else str(self.ground)

    def model(self) -> Any:
        """Return the model that asks for all thresholds."""
        return self.thresholds.model(self.distance, self.sensitive)

    def rolled_up(self) -> RollUp:
        """Return the table under its lattice."""
        from tcloseness.lattice import RollUp

        domains = {name: self.frequencies.domains[name] for name in self.quasi_identifiers}
        return RollUp(self.frequencies, self.hierarchies.read(domains))

    def recheck(self) -> dict[str, list[str]]:
        """Return the options of ``tcloseness check`` that ask for the same of a released table."""
        ground = self.meaning["--ground"]
        return {
            "--quasi-identifiers": _listed(self.quasi_identifiers),
            "--sensitive": [self.sensitive],
            **{option: [text] for option, text in self.thresholds.given.items()},
            **{option: texts for option, texts in self.meaning.items() if texts},
            **({"--ground-separator": [self.ground_separator]} if ground and self.ground_separator != "," else {}),
            **({"--ragged": [self.ragged]} if ground and self.ragged != "error" else {}),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return what was read, as JSON-ready data."""
        ground = {"name": "equal", "chosen": "by default"} if self.ground is None else self.ground.to_dict()
        return {
            "table": {"file": self.source.name, "sha256": self.source.sha256},
            "records": self.frequencies.records,
            "dropped": self.table.dropped,
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": self.sensitive,
            "thresholds": self.thresholds.exact,
            "ground_distance": ground,
            "hierarchies": self.hierarchies.to_dict(self.quasi_identifiers),
        }


def _listed(names: Sequence[str]) -> list[str]:
    """Return one list with commas, or where a name could be misread in it, each name by itself."""
    joined = ",".join(names)
    plain = items(joined, "--quasi-identifiers") == list(names) if all(names) and '"' not in joined else False
    return [joined] if plain and joined not in names[1:] else list(names)


def _one(names: Sequence[str]) -> str:
    if len(names) != 1:
        raise InputError(
            f"--sensitive names {len(names)} columns ({', '.join(names)}), and a search decides one sensitive "
            "attribute; name one. Without suppression, the nodes that --all lists for each of them in turn and that "
            "are on every list satisfy for all"
        )
    return names[0]


def _among(names: Sequence[str], qi: Sequence[str], option: str) -> tuple[str, ...]:
    for name in names:
        if name not in qi:
            raise InputError(f"{option} names {name!r}, which is no quasi-identifier; they are {', '.join(qi)}")
    return tuple(names)


def _kept(names: Sequence[str], columns: Sequence[str], roles: dict[str, str]) -> tuple[str, ...]:
    known: Collection[str] = set(columns)
    for name in names:
        if name in roles:
            raise InputError(f"--keep names {name!r}, the {roles[name]} column, which is written anyway; leave it out")
        if name not in known:
            raise InputError(f"--keep names {name!r}, and the table has no such column; it has {', '.join(columns)}")
        if list(columns).count(name) > 1:
            raise InputError(f"--keep names {name!r}, and the table has several columns of that name; rename them")
    return tuple(dict.fromkeys(names))
