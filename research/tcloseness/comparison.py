"""`compare`: what several releases of one table give away, and what each costs, side by side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import PurePath
from typing import Any, TypeVar

import pandas as pd

from tcloseness.audit import Audit, check
from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, Explained, Pictured
from tcloseness.errors import ConventionError, HierarchyError, InputError, NotAligned, TableError
from tcloseness.exact import shown_value
from tcloseness.ground import GroundSpec
from tcloseness.loss import Loss, LossResult, losses as losses_of
from tcloseness.loss.names import loss_named
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.microdata.border import FullTable, guarded, in_shape
from tcloseness.microdata.combinations import READING, options_among
from tcloseness.microdata.sources.files import is_paths
from tcloseness.models import ModelResult, PrivacyModel
from tcloseness.models.protocol import value_texts
from tcloseness.release import Release, UnalignedRelease, read_published
from tcloseness.release.published import Published

__all__ = ["Comparison", "Measured", "audited_rows", "by_name", "compare", "measure"]

_Result = TypeVar("_Result")

ORIGINAL = "original"
"""What the table is called before anything was done to it."""

KINDS = ("size", "threshold", "privacy", "loss")
"""What rows of a table are about, in their order."""

NO_ANSWER = "–"
"""What a table shows where a release has no answer."""


@dataclass(frozen=True, eq=False)
class Measured(Displayed):
    """What one release gives away, and what it costs.

    Attributes
    ----------
    name
        What it is called.
    release
        The release.
    audit
        What it gives away; Q is that of all records of the table.
    losses
        What it costs, by the loss's name.
    not_measured
        By loss, why it is not known: where it would depend on which published row is which record, and that is not
        known.
    """

    name: str
    release: Release
    audit: Audit
    losses: Mapping[str, LossResult]
    not_measured: Mapping[str, str] = field(default_factory=dict)

    @property
    def aligned(self) -> bool:
        """Whether it is known which published row is which record."""
        return not isinstance(self.release, UnalignedRelease)

    def _said(self) -> str:
        return (
            f"{self.name}, {self.audit.records:,} records released in {self.audit.classes:,} classes, "
            f"{self.audit.suppressed:,} suppressed, {self.audit.status}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data; fractions are text."""
        rows = [{**row, "value": _finite(row["value"])} for row in self._frame_rows()]
        return {"release": self.name, "status": self.audit.status, "quantities": rows}

    def _frame_rows(self) -> list[dict[str, Any]]:
        rows = [{"release": self.name, **row, "reason": ""} for row in audited_rows(self.audit, self.losses)]
        unknown = {"value": None, "exact": None, "better": "", "threshold": "", "status": ""}
        about = {"release": self.name, "kind": "loss", "sensitive": ""}
        return rows + [{**about, "quantity": name, **unknown, "reason": why} for name, why in self.not_measured.items()]

    def _cells(self) -> list[tuple[tuple[str, str, str], str, int | float | str]]:
        """Return what a table shows: what a number is about, which values are better, and the number.

        Thresholds are rows of their own, with the status.
        """
        found: list[tuple[tuple[str, str, str], str, int | float | str]] = []
        for row in self._frame_rows():
            about = (row["kind"], row["sensitive"], row["quantity"])
            whole = row["exact"] is not None and row["exact"].removeprefix("-").isdecimal()
            number = int(row["exact"]) if whole else row["value"]
            found.append((about, row["better"], NO_ANSWER if number is None else number))
        for (_, sensitive, name), result in _results(self.audit, {}).items():
            if isinstance(result, ModelResult) and result.status != "measured":
                asked = f"{name} {result.relation or ''} {result.threshold_text or ''}"
                found.append((("threshold", sensitive, " ".join(asked.split())), "", result.status))
        return found


def _finite(value: float | None) -> float | None:
    """Return a number that JSON has; None for an infinite one, which stands beside it as a text."""
    return value if value is None or math.isfinite(value) else None


def audited_rows(audit: Audit | None, losses: Mapping[str, LossResult]) -> list[dict[str, Any]]:
    """Return a row for each number of an audit, and for each loss."""
    rows = []
    if audit is not None:
        sizes = {"records released": audit.records, "records suppressed": audit.suppressed, "classes": audit.classes}
        rows = [_row("size", "", name, {"value": str(number)}, float(number), "") for name, number in sizes.items()]
    for (kind, sensitive, name), result in _results(audit, losses).items():
        row = _row(kind, sensitive, name, value_texts(result.value), float(result.value), _better(result))
        if isinstance(result, ModelResult):
            row.update(threshold=result.threshold_text or "", status=result.status)
        rows.append(row)
    return rows


def _results(
    audit: Audit | None, losses: Mapping[str, LossResult]
) -> dict[tuple[str, str, str], ModelResult | LossResult]:
    """Return each result by what it is about: kind, sensitive attribute (empty for a loss) and name."""
    found: dict[tuple[str, str, str], ModelResult | LossResult] = {}
    for each in () if audit is None else audit.attributes:
        named = by_name([(one.model, one.parameters, one) for one in each.results])
        found |= {("privacy", each.classes.sensitive, name): one for name, one in named.items()}
    return {**found, **{("loss", "", name): result for name, result in losses.items()}}


def by_name(results: Sequence[tuple[str, Mapping[str, str], _Result]]) -> dict[str, _Result]:
    """Return results by their names; where several have one name, by their parameters too, so that none is lost."""
    times = Counter(name for name, _, _ in results)
    found: dict[str, _Result] = {}
    for name, parameters, result in results:
        asked = ", ".join(f"{key}={value}" for key, value in parameters.items())
        called = full = f"{name} ({asked})" if times[name] > 1 and asked else name
        number = 1
        while called in found:
            number += 1
            called = f"{full} ({number})"
        found[called] = result
    return found


def _row(kind: str, sensitive: str, name: str, texts: Mapping[str, str], value: float, better: str) -> dict[str, Any]:
    return {
        "kind": kind,
        "sensitive": sensitive,
        "quantity": name,
        "value": value,
        "exact": texts["value"],
        "better": better,
        "threshold": "",
        "status": "",
    }


def _better(result: ModelResult | LossResult) -> str:
    if isinstance(result, LossResult):
        return result.better
    return "" if result.relation is None else "higher" if result.relation in ("≥", ">") else "lower"


@dataclass(frozen=True, eq=False)
class Comparison(Pictured, Explained):
    """Releases of one table side by side, see `compare`.

    Attributes
    ----------
    releases
        Each with its audit and its losses, in the order in which they were given.
    incomparable
        By loss, why its values may not be compared across all releases.
    conventions
        What was chosen on the way.
    """

    releases: tuple[Measured, ...]
    incomparable: Mapping[str, str] = field(default_factory=dict)
    conventions: Conventions = field(default_factory=Conventions)

    def __getitem__(self, name: str) -> Measured:
        for each in self.releases:
            if each.name == name:
                return each
        raise InputError(
            f"release {name!r} is not compared; there are {', '.join(repr(e.name) for e in self.releases)}"
        )

    @property
    def status(self) -> str:
        """Whether all releases but the original satisfy all thresholds.

        ``violated`` where one does not, else ``undecided`` where one is, else ``satisfied``; ``measured`` where no
        threshold was given.
        """
        found = {each.audit.status for each in self.releases if each.name != ORIGINAL}
        return next(each for each in ("violated", "undecided", "satisfied", "measured") if each in found)

    def _said(self) -> str:
        return ", ".join(f"{each.name} ({each.audit.status})" for each in self.releases)

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [
            {**row, "comparable": row["quantity"] not in self.incomparable or row["kind"] != "loss"}
            for each in self.releases
            for row in each._frame_rows()
        ]

    def table(self) -> pd.DataFrame:
        """Return one row a quantity and one column a release, to be read; `to_frame` is to be computed with.

        Returns
        -------
        pandas.DataFrame
            By kind (``size``, ``threshold``, ``privacy``, ``loss``), sensitive attribute and quantity; the column
            ``better`` says which values are. Whole numbers are whole numbers, others decimals, whose exact values are
            in `to_frame`; a threshold shows whether it is ``satisfied``, ``violated`` or ``undecided``. A dash is what
            a release has no answer to, such as the height of labels of several levels, or what would depend on which
            row is which record where that is not known: `explain` gives the reason.
        """
        better, cells = self._wide()
        names = [each.name for each in self.releases]
        index = pd.MultiIndex.from_tuples(list(better), names=["kind", "sensitive", "quantity"])
        columns = {"better": [*better.values()]}
        columns |= {name: [cells.get((name, about), NO_ANSWER) for about in better] for name in names}
        return pd.DataFrame({name: pd.Series(each, dtype=object, index=index) for name, each in columns.items()})

    def _wide(self) -> tuple[dict[tuple[str, str, str], str], dict[tuple[str, tuple[str, str, str]], Any]]:
        """Return what the rows are about with what is better, and the cells by release and row."""
        cells, better = {}, dict[tuple[str, str, str], str]()
        for each in self.releases:
            for about, which, cell in each._cells():
                better[about] = better.get(about) or which
                cells[each.name, about] = cell
        return {about: better[about] for about in sorted(better, key=lambda about: KINDS.index(about[0]))}, cells

    def best(self, quantity: str, sensitive: str | None = None) -> tuple[str, ...]:
        """Return the names of the releases whose value of a quantity is best, decided exactly.

        The original is not among them where the quantity is a loss: it has lost nothing.

        Raises
        ------
        InputError
            For a quantity that no release has, or one of several sensitive attributes where none is named.
        ConventionError
            If its values were measured under different conventions; the message names the difference.
        """
        found = [_results(each.audit, each.losses) for each in self.releases]
        keys = {key for each in found for key in each if key[2] == quantity and sensitive in (None, key[1])}
        if len(keys) != 1:
            several = f"is of {len(keys)} sensitive attributes; name one"
            if not keys:
                known = sorted({key[2] for each in found for key in each if sensitive in (None, key[1])})
                of_it = "" if sensitive is None else f"of the sensitive attribute {sensitive!r} "
                several = f"{of_it}is not one of {', '.join(known) or 'those measured, which are none'}"
            raise InputError(f"the quantity {quantity!r} {several}")
        (key,) = keys
        results = [
            (each.name, mine[key])
            for each, mine in zip(self.releases, found, strict=True)
            if key in mine and not (key[0] == "loss" and each.name == ORIGINAL)
        ]
        if not results:
            raise InputError(f"the quantity {quantity!r} is known of no release, so none is best by it")
        sign = {"higher": 1, "lower": -1}.get(_better(results[0][1]), 0)
        if not sign:
            raise InputError(f"of {quantity!r} neither higher nor lower values are better by themselves")
        top = results[0][1]
        for _, each in results[1:]:
            top = each if sign * each.compare(top) > 0 else top  # type: ignore[arg-type]
        return tuple(name for name, each in results if each.compare(top) == 0)  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data; fractions are text."""
        return {
            "format": "tcloseness-comparison-1",
            "status": self.status,
            "releases": [each.to_dict() for each in self.releases],
            "incomparable": dict(self.incomparable),
            "conventions": dict(self.conventions),
        }


def compare(
    original: FrequencySet | FullTable,
    *releases: Any,
    names: Sequence[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    suppressed: object | None = None,
    ground: Mapping[str, GroundSpec] | None = None,
    models: Sequence[PrivacyModel] = (),
    losses: Sequence[str | Loss] = (),
    k: int | None = None,
    **thresholds: Any,
) -> Comparison:
    """Measure what releases of a table give away and what they cost, side by side with the table itself.

    Parameters
    ----------
    original
        The table before anything was done to it.
    *releases
        What was published of it: what `Table.anonymize`, `Table.optimal` and `Table.search` return, a `Release`, a
        frame, or the path of a file, CSV, TSV or Parquet. The index of a frame says which row is which record, see
        `Release.from_frames`. A file has none, and the rows of a frame that is numbered from the first row may be in
        another order (those of a file that ``write()`` made are sorted): then labels and counts are read alone, see
        `tcloseness.Table.read_release`. Also a mapping from names to such.
    names
        What they are called; by default by their method, the file's name, or ``release 1``, ….
    hierarchies
        Whose nodes the labels of frames are; give ``{}`` where they are intervals or sets though the table has
        hierarchies.
    suppressed
        What suppressed records show in frames in all quasi-identifiers.
    ground, models, k, **thresholds
        As for `check`; k is also what C_AVG divides by. Among them may also be how files are read: ``separator``,
        ``encoding``, ``missing_texts``, ``memory``, ``threads`` and ``temporary``, as in `FrequencySet.read`.
    losses
        Further losses, or their names. A quasi-identifier that one of the releases shows as intervals is measured by
        the width of its labels in all of them.

    Returns
    -------
    Comparison
        The table itself is the first, called ``original``. Q is always the distribution of all its records, so that
        distances are comparable.

    Raises
    ------
    TableError
        For a release of another table, or a frame that is not a release of it.
    InputError
        For what is not a release, has none, or is called like another.

    Examples
    --------
    >>> from tcloseness import Table
    >>> frame = pd.DataFrame({"age": [21, 24, 38, 41], "ill": ["flu", "cold", "flu", "cold"]})
    >>> table = Table(frame, quasi_identifiers="age", sensitive="ill", ground="equal")
    >>> theirs = frame.assign(age=["20-29", "20-29", "*", "*"])
    >>> found = compare(table, {"ours": table.anonymize("mondrian", k=2), "theirs": theirs}, k=2)
    >>> found.best("GCP"), found.best("k-anonymity")
    (('ours',), ('ours', 'theirs'))
    >>> wide = found.table()
    >>> wide.loc[("loss", "", "discernibility"), ["original", "ours", "theirs"]].tolist()
    [4, 8, 8]
    >>> wide.loc[("threshold", "ill", "k-anonymity ≥ 2"), ["original", "ours", "theirs"]].tolist()
    ['violated', 'satisfied', 'satisfied']
    """
    counts = in_shape(original, FrequencySet)
    reading = {name: thresholds.pop(name) for name in READING if name in thresholds}
    flat = [one for each in releases for one in (each.values() if isinstance(each, Mapping) else [each])]
    if reading and (options := options_among({**reading})) and not any(map(is_paths, flat)):
        options.refuse("no release is a file", *READING)
    read = partial(_release, original=counts, hierarchies=hierarchies or {}, suppressed=suppressed, reading=reading)
    given = {ORIGINAL: Release.full_domain(counts, hierarchies), **_named(releases, names, read)}
    if empty := [name for name, release in given.items() if not len(release)]:
        raise TableError(f"{empty[0]}: every record is suppressed, so there is no class to be measured")
    known = {"k": k, **thresholds, "ground": ground, "models": models, "losses": losses}
    shown = [each for release in given.values() for each in release.recodings.values()]
    numeric = [name for name in counts.quasi_identifiers if any(each.name == name and each.numeric for each in shown)]
    found = tuple(measure(name, release, numeric=numeric, **known) for name, release in given.items())
    incomparable: dict[str, str] = {}
    for each in found[1:]:
        for name, mine in each.losses.items():
            others = [other.losses[name] for other in found if name in other.losses]
            try:
                mine.compare(others[0])
            except ConventionError as error:
                incomparable[name] = str(error)
    return Comparison(found, incomparable, found[0].audit.conventions)


def measure(
    name: str,
    release: Release,
    *,
    ground: Mapping[str, GroundSpec] | None = None,
    models: Sequence[PrivacyModel] = (),
    losses: Sequence[str | Loss] = (),
    numeric: Collection[str] | None = None,
    k: int | None = None,
    **thresholds: Any,
) -> Measured:
    """Return what a release gives away and what it costs, see `compare`; `numeric` is that of `losses`."""
    asked = {"k": k, **thresholds}
    audit = check(release.released, ground=ground, models=models, reference="all", **asked)
    also = [loss_named(each, k=k, numeric=numeric, classes=True) if isinstance(each, str) else each for each in losses]
    label = release.original.sensitive[0] if len(release.original.sensitive) == 1 else None
    usual = losses_of(release, k=k, label=label, numeric=numeric)
    more, unknown = [], dict[int, str]()
    for place, each in enumerate(also):
        try:
            more.append(each.evaluate(release))
        except NotAligned as error:
            unknown[place] = str(error)
            own: Any = each
            alike = replace(own, numeric=own.intervals(release)) if hasattr(own, "intervals") else own
            more.append(alike.evaluate(Release.full_domain(release.original)))  # which says what it is called
    of_usual = [(each.loss, each.parameters, each.conventions) for each in usual.values()]
    further = [
        (place, each)
        for place, each in enumerate(more)
        if (each.loss, each.parameters, each.conventions) not in of_usual
    ]
    named = [
        (each.loss, {**each.parameters, **_otherwise(each, usual)}, (place, each))
        for place, each in [*((-1, each) for each in usual.values()), *further]
    ]
    apart = dict([*by_name(named).items()][len(usual) :])
    measured = {called: each for called, (place, each) in apart.items() if place not in unknown}
    not_measured = {called: unknown[place] for called, (place, _) in apart.items() if place in unknown}
    return Measured(name, release, audit, {**usual, **measured}, not_measured)


def _otherwise(result: LossResult, usual: Mapping[str, LossResult]) -> dict[str, str]:
    """Return in which conventions a result differs from the usual one of its name."""
    known = next((each.conventions for each in usual.values() if each.loss == result.loss), None)
    return {} if known is None else {name: text for name, text in result.conventions.items() if known.get(name) != text}


def _named(
    given: Iterable[Any],
    names: Sequence[str] | None,
    read: Callable[[Any, str], Release],
) -> dict[str, Release]:
    """Return each release by its name, frames and files read."""
    pairs: list[tuple[str | None, Any]] = []
    for each in given:
        pairs += each.items() if isinstance(each, Mapping) else [(None, each)]
    if names is not None:
        if isinstance(names, str) or len(names) != len(pairs):
            raise InputError(f"names is {names!r}, and {len(pairs)} releases are given; name each")
        if twice := [name for name, _ in pairs if name is not None]:
            raise InputError(f"the release {twice[0]!r} is named where it is given, and in names=; name it once")
        pairs = [(name, each) for name, (_, each) in zip(names, pairs, strict=True)]
    if not pairs:
        raise InputError("no release is given; give at least one, such as table.anonymize(k=2)")
    found: dict[str, Release] = {}
    for number, (name, each) in enumerate(pairs, 1):
        if name is not None and not isinstance(name, str):
            raise InputError(f"{shown_value(name)} is the name of a release; give a text")
        otherwise = PurePath(each).name if isinstance(each, str | PathLike) else f"release {number}"
        release = read(each, name or otherwise)
        method = getattr(each, "method", getattr(getattr(each, "solution", None), "method", otherwise))
        called = str(method) if name is None else name
        if called in found and name is None:
            called = f"{called} ({number})"
        if called == ORIGINAL or called in found:
            raise InputError(
                f"two releases are called {called!r}, as the table itself or another is; give other names="
            )
        found[called] = release
    return found


def _release(
    given: Any,
    what: str,
    original: FrequencySet,
    hierarchies: Mapping[str, Hierarchy],
    suppressed: object | None,
    reading: Mapping[str, Any],
) -> Release:
    if isinstance(given, pd.DataFrame) or is_paths(given):
        own = {} if isinstance(given, pd.DataFrame) else reading
        try:
            return read_published(original, given, hierarchies, suppressed=suppressed, **own)
        except (TableError, HierarchyError) as error:
            raise type(error)(f"{what}: {error}") from error
    if not isinstance(given, Published):
        raise InputError(
            f"{what} is {shown_value(given)}, which has no release to be compared; give what anonymize, optimal or "
            "search return, a Release, the published frame, or the path of its file"
        )
    release = given.release
    if release.original.digest != original.digest:
        raise TableError(
            f"{what} is a release of another table, or of other columns of it, so its losses cannot be compared; make "
            "it from this table"
        )
    return release


guarded(globals())
