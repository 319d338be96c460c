"""`Table`: a table with the roles of its columns, its hierarchies and its ground distances, asked by every verb."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import pandas as pd

from tcloseness.anonymize import Anatomized
from tcloseness.attacks import Columns, columns
from tcloseness.audit import Audit, check
from tcloseness.comparison import Comparison, compare
from tcloseness.displayed import Displayed
from tcloseness.errors import InputError, TableError, arguments_of, require_arguments
from tcloseness.exact import Number, shown_value
from tcloseness.ground import GroundDistance, GroundSpec, ground_distance, require_known
from tcloseness.lattice import RollUp, search_lattice
from tcloseness.lattice.search_answer import PartialSearchAnswer, SearchAnswer
from tcloseness.limits import Clock, TimeLimit
from tcloseness.loss import Loss
from tcloseness.loss.names import loss_named
from tcloseness.methods import best_release, levels_of_datafly, run_method
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, guarded
from tcloseness.microdata.combinations import READING
from tcloseness.microdata.roles import names_of
from tcloseness.models import PrivacyModel
from tcloseness.models.catalogue import OPTIONS, models_of
from tcloseness.models.combination import all_of
from tcloseness.models.conditions import asks_of_values, least_records, require_values_for
from tcloseness.optimal import TASKS, Answer
from tcloseness.release import Anonymized, Release, read_published
from tcloseness.transport import Transformation, emd_of

__all__ = ["Table"]


class Table(Displayed, FullTable):
    """A table, and what is known of its columns: one object that every verb takes.

    Parameters
    ----------
    source
        What `FrequencySet.read` takes: a frame (it is never changed), a file, a list of files or a pattern, a relation
        of DuckDB. A pandas frame is taken as it is; of others the combinations are counted where they are, and the rows
        are read when a verb asks for them.
    quasi_identifiers, sensitive
        Names of columns, as in `Microdata.from_frame`. Without a sensitive one the table can be asked for k alone.
    ground
        By sensitive attribute its ground distance, or, where there is one sensitive attribute, that distance.
    hierarchies
        By quasi-identifier its hierarchy; a search, Datafly and a cut need one for each.
    categorical
        Quasi-identifiers whose values are not numbers though they look so: heuristics and partitions show sets.
    **roles
        The other arguments of `Microdata.from_frame`: ``weight``, ``person``, ``missing``, ``identifying``, ``orders``,
        ``domains``, ``suppressed``, ``merge_spellings``; and how a source is read, as in `FrequencySet.read`.

    Attributes
    ----------
    microdata, frequencies, rolled
        The same table as the functions of the rooms take it: rows, distinct combinations, and with its hierarchies.

    Raises
    ------
    TableError, DomainError
        As `Microdata.from_frame`.
    InputError
        For a ground distance of a column that is not sensitive, or a hierarchy of one that is not a quasi-identifier.

    Examples
    --------
    >>> frame = pd.DataFrame({"zip": ["476", "477", "479"], "salary": [3, 4, 3]})
    >>> zips = Hierarchy.prefixes(frame["zip"], name="zip")
    >>> table = Table(frame, quasi_identifiers="zip", sensitive="salary", ground="ordered", hierarchies={"zip": zips})
    >>> table.check(k=2).status, table.search(k=2, t="1/5").status, len(table.anonymize("mdav", k=3).partition)
    ('violated', 'satisfied', 1)
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the table and what is known of its columns as JSON-ready data, without its rows."""
        return {
            **self.frequencies.to_dict(),
            "rows": len(self),
            "hierarchies": {name: hierarchy.height for name, hierarchy in self.hierarchies.items()},
            "categorical": list(self.categorical),
        }

    def _frame_rows(self) -> list[dict[str, Any]]:
        roles = dict.fromkeys(self.quasi_identifiers, "quasi-identifier") | dict.fromkeys(self.sensitive, "sensitive")
        heights = {name: hierarchy.height for name, hierarchy in self.hierarchies.items()}
        values = {name: len(self.frequencies.domains[name]) for name in roles}
        return [
            {"column": name, "role": role, "values": values[name], "hierarchy_height": heights.get(name)}
            for name, role in roles.items()
        ]

    def __init__(
        self,
        source: Any,
        *,
        quasi_identifiers: str | Sequence[str],
        sensitive: str | Sequence[str] | None = None,
        ground: Mapping[str, GroundSpec] | GroundSpec | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        categorical: Collection[str] = (),
        **roles: Any,
    ) -> None:
        reading = set(READING)
        known = set(inspect.signature(Microdata.from_frame).parameters) - {"frame"} | reading
        require_arguments("Table()", roles, sorted(known), inspect.signature(Table).parameters)
        named = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive, **roles}
        rows = isinstance(source, pd.DataFrame) and not reading.intersection(roles)
        self.frequencies = FrequencySet.from_frame(source, **named) if rows else FrequencySet.read(source, **named)
        self.sensitive = self.frequencies.sensitive
        self.quasi_identifiers = self.frequencies.quasi_identifiers
        self.ground = self._by_attribute(ground)
        list(map(require_known, self.ground.values()))
        self.hierarchies = dict(hierarchies or {})
        self.categorical = names_of(categorical)
        for what, names in (("hierarchies", self.hierarchies), ("categorical", self.categorical)):
            for name in names:
                if name not in self.quasi_identifiers:
                    raise InputError(f"{what} names {name!r}; the quasi-identifiers are {self.quasi_identifiers}")

    def _by_attribute(self, ground: Any) -> dict[str, Any]:
        if ground is None:
            return {}
        if isinstance(ground, Mapping) and all(name in self.sensitive for name in ground):
            return dict(ground)
        if isinstance(ground, Mapping) and not all(isinstance(row, Mapping) for row in ground.values()):
            unknown = next(name for name in ground if name not in self.sensitive)
            raise InputError(f"ground names {unknown!r}; the sensitive attributes are {self.sensitive}")
        if not self.sensitive:
            raise InputError(f"ground is {shown_value(ground)}, and the table has no sensitive attribute; leave it out")
        if len(self.sensitive) != 1:
            raise InputError(
                f"the table has the sensitive attributes {self.sensitive}; give their ground distances by name, such "
                f"as ground={{{self.sensitive[0]!r}: 'equal'}}"
            )
        return {self.sensitive[0]: ground}

    def __len__(self) -> int:
        counted = self.frequencies
        return int((counted.counts if counted.rows is None else counted.rows).sum())

    def _said(self) -> str:
        names = f"{', '.join(self.quasi_identifiers) or 'none'}, sensitive {', '.join(self.sensitive) or 'none'}"
        return f"{len(self):,} rows, quasi-identifiers {names}"

    # ------------------------------------------------------------------ what the rooms take

    @property
    def microdata(self) -> Microdata:
        """The rows; of a source that was counted where it is, they are read when they are first asked for."""
        return self.frequencies.microdata

    @cached_property
    def rolled(self) -> RollUp:
        """The table under its generalization lattice."""
        return self._rolled(None, None)

    def _rolled(self, time_limit: TimeLimit, memory_limit: int | None) -> RollUp:
        missing = [name for name in self.quasi_identifiers if name not in self.hierarchies]
        if missing:
            way = f"hierarchies={{{missing[0]!r}: tcloseness.Hierarchy.suppression(frame[{missing[0]!r}])}}"
            raise TableError(f"no hierarchy is given for {', '.join(map(repr, missing))}; give each one, such as {way}")
        return RollUp(self.frequencies, self.hierarchies, time_limit=time_limit, memory_limit=memory_limit)

    def class_counts(self, levels: Mapping[str, int] | None = None) -> ClassCounts:
        """Return the classes of the one sensitive attribute, at a node of the lattice if levels are given."""
        shown = self.frequencies if not levels else self.frequencies.generalize(self.hierarchies, levels)
        return shown.class_counts()

    def shape(self, name: str) -> Any:
        """Return the table as an object of a class that a function of a room takes, by the name of that class.

        Raises
        ------
        TableError
            Where there is no way from a table to it.
        """
        ways: dict[str, Callable[[], Any]] = {
            "Microdata": lambda: self.microdata,
            "FrequencySet": lambda: self.frequencies,
            "RollUp": lambda: self.rolled,
            "ClassCounts": self.class_counts,
            "Release": lambda: Release.full_domain(self.frequencies, self.hierarchies),
        }
        if name not in ways:
            raise TableError(f"a {name} was asked for, and a Table given; make a release of it, by search or anonymize")
        return ways[name]()

    def known(self, parameter: str, annotation: str) -> Any:
        """Return what the table says about a parameter of a function of a room; None if it says nothing."""
        given = {"hierarchies": self.hierarchies, "categorical": self.categorical}
        if parameter in given:
            return given[parameter] or None
        if parameter == "ground" and self.ground:
            by_name = annotation.startswith("Mapping")
            return self.ground if by_name else self.ground.get(self.sensitive[0]) if len(self.sensitive) == 1 else None
        return None

    # ------------------------------------------------------------------ what is asked for

    def model(self, *, models: Sequence[PrivacyModel] = (), **thresholds: Any) -> PrivacyModel:
        """Return the model that asks for all thresholds, by the keywords of `check`, and models together.

        Raises
        ------
        InputError, TableError
            For a threshold out of range, or none; a t without a ground distance; several sensitive attributes; or a
            model of sensitive values, where the table has none.

        Examples
        --------
        >>> frame = pd.DataFrame({"zip": ["476", "477"], "salary": [3, 4]})
        >>> Table(frame, quasi_identifiers="zip", sensitive="salary").model(k=2)
        KAnonymity(k=2)
        """
        given, name = {name: value for name, value in thresholds.items() if value is not None}, self._one()
        for keyword in given if self.sensitive else ():
            if keyword in OPTIONS and OPTIONS[keyword].needs_ground and name not in self.ground:
                raise InputError(
                    f"{keyword} = {given[keyword]!r} is given, and no ground distance for {name!r}; give one to the "
                    f"table, such as ground={{{name!r}: 'equal'}}: it is not guessed from the data"
                )
        asked = (*models_of(given, self.distance), *models)
        if not asked:
            raise InputError("no threshold is given, so every table would do; give at least one, such as k=5")
        return require_values_for(all_of(asked), name)

    def _one(self) -> str:
        if len(self.sensitive) > 1:
            raise InputError(
                f"the table has the sensitive attributes {self.sensitive}, and one is decided at a time; make a table "
                "for each (check measures them all)"
            )
        return self.frequencies.sensitive_name(None)

    @cached_property
    def distance(self) -> GroundDistance:
        """The ground distance of the one sensitive attribute; the equal distance where none was given."""
        return ground_distance(self.ground.get(self._one(), "equal"), self.class_counts().domain)

    # ------------------------------------------------------------------ the verbs

    def check(self, *, reference: Literal["released", "all"] = "released", **asked: Any) -> Audit:
        """Measure what the table gives away by every model, and decide the thresholds, see `tcloseness.check`."""
        ground = self._by_attribute(asked.pop("ground")) if "ground" in asked else self.ground
        return check(self.frequencies, **{"ground": ground or None, "reference": reference, **asked})

    def compare(self, *releases: Any, **asked: Any) -> Comparison:
        """Measure releases of the table beside the table itself, see `tcloseness.compare`."""
        return compare(self, *releases, **{"ground": self.ground or None, "hierarchies": self.hierarchies, **asked})

    def read_release(
        self,
        published: Any,
        *,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        suppressed: object | None = None,
        **reading: Any,
    ) -> Release:
        """Read what was published of the table, a frame or a file, see `tcloseness.release.read_published`.

        Labels are read by the table's hierarchies; give ``hierarchies={}`` where they are intervals and sets.
        """
        require_arguments("read_release()", {"original"} & set(reading), READING)
        known = self.hierarchies if hierarchies is None else hierarchies
        return read_published(self.frequencies, published, known, suppressed=suppressed, **reading)

    def emd(self, *, by: str, groups: Any = None, **asked: Any) -> Transformation:
        """Return how far apart groups of the rows are by the sensitive attribute, see `tcloseness.emd_of`."""
        name, rows = self._one(), self.microdata
        self.class_counts().require_values("the EMD")
        require_arguments("emd()", asked, arguments_of(emd_of, "first", "second", "column", "by", "groups"))
        if "ground" not in asked and name not in self.ground:
            raise InputError(f"no ground distance is given for {name!r}; give one to the table, such as ground='equal'")
        cells = {c.name: c.domain.cells(c.codes) for c in (*rows.quasi_identifiers, *rows.sensitive)}
        if by not in cells:
            way = f"tcloseness.emd_of(frame, column={name!r}, by={by!r}, ground=…)"
            raise TableError(f"no column {by!r} (by=) with a role is in the table; give it one, or compare by {way}")
        of = self.frequencies.domains[name]
        given = {"ground": self.ground.get(name), "missing": "category", "groups": groups, **asked}
        given |= {"order": of.values} if of.order == "declared" and asked.get("order") is None else {}
        return emd_of(pd.DataFrame(cells), column=name, by=by, **given)

    def columns(self, **asked: Any) -> Columns:
        """Say which columns make people identifiable, see `tcloseness.columns`."""
        require_arguments("columns()", {"table"} & set(asked), arguments_of(columns, "table"))
        return columns(self, **asked)

    def search(
        self,
        wanted: Literal["minimal", "all", "optimum"] | None = None,
        *,
        loss: str | Loss | None = None,
        suppression: Number = 0,
        losses: Sequence[str | Loss] = (),
        models: Sequence[PrivacyModel] = (),
        time_limit: TimeLimit = None,
        memory_limit: int | None = None,
        partial: bool = False,
        **thresholds: Any,
    ) -> SearchAnswer | PartialSearchAnswer:
        """Search the generalizations to whole levels of the hierarchies, see `tcloseness.lattice.search_lattice`.

        Parameters
        ----------
        wanted
            Which nodes are listed: ``"minimal"`` (default), ``"all"`` that satisfy, or the ``"optimum"`` (default
            where a loss is given).
        loss, losses
            What to minimize, and what else to measure: losses or their names, see `tcloseness.loss.names`.
        suppression
            How many records may be suppressed: a number of them, or a share below 1.
        models, **thresholds
            What must be satisfied, as in `model`.
        time_limit, memory_limit, partial
            As for `tcloseness.lattice.exhaustive`.

        Returns
        -------
        SearchAnswer
            With ``partial=True``, and if it ended early, a `PartialSearchAnswer`.
        """
        clock = Clock.of(time_limit, memory_limit)
        model = self.model(models=models, **thresholds)
        best, *listed = [self._loss(each, model) for each in (loss, *losses)]
        return search_lattice(
            self._rolled(clock, None),
            model,
            ground=self.distance,
            wanted=("minimal" if best is None else "optimum") if wanted is None else wanted,
            loss=best,
            suppression=suppression,
            losses=[each for each in listed if each is not None],
            time_limit=clock,
            partial=partial,
        )

    @staticmethod
    def _loss(loss: str | Loss | None, model: PrivacyModel) -> Loss | None:
        return loss_named(loss, k=least_records(model)) if isinstance(loss, str) else loss

    def anonymize(
        self,
        method: str | Callable[..., Any] = "mondrian",
        *,
        seed: int | None = None,
        grid: Mapping[str, int] | None = None,
        models: Sequence[PrivacyModel] = (),
        time_limit: TimeLimit = None,
        memory_limit: int | None = None,
        **thresholds: Any,
    ) -> Anonymized | Anatomized:
        """Group the records by a method of the literature until the thresholds hold, verified by the models.

        Parameters
        ----------
        method
            A name of `tcloseness.anonymize.METHODS`, or a function with the parameters of `mondrian`.
        seed
            For draws and ties: None (default), a secret one.
        grid
            By attribute of whole numbers, the width of the cells in which intervals are shown, see `on_grid`.
        time_limit, memory_limit
            Seconds and bytes.
        models, **thresholds
            What must be satisfied, as in `model`; and the method's own parameters (``suppression`` of Datafly).

        Raises
        ------
        InputError, InfeasibleError, LimitReached
            As the method.
        """
        asked = {name: thresholds.pop(name) for name in [*thresholds] if name in OPTIONS}
        return run_method(
            method,
            self.microdata,
            self.model(models=models, **asked),
            self.hierarchies,
            categorical=self.categorical,
            ground=self.ground.get(self._one()),
            seed=seed,
            clock=Clock.of(time_limit, memory_limit),
            grid=grid,
            options=thresholds,
        )

    def optimal(
        self,
        task: Literal[
            "partition", "cut", "suppression", "hiding", "sensitive-generalization", "microaggregation"
        ] = "partition",
        *,
        levels: Mapping[str, int] | None = None,
        models: Sequence[PrivacyModel] = (),
        seed: int | None = None,
        time_limit: TimeLimit = None,
        memory_limit: int | None = None,
        options: Mapping[str, Any] | None = None,
        **thresholds: Any,
    ) -> Answer[Any]:
        """Find the release of least loss there is, as a program.

        Parameters
        ----------
        task
            What is sought: a ``"partition"`` or a ``"cut"`` of least loss (started from the best heuristic's), the
            fewest records for ``"suppression"`` or values for ``"hiding"``, the least ``"sensitive-generalization"``,
            or the ``"microaggregation"`` of a numeric quasi-identifier.
        levels
            The node of the lattice whose classes are taken, for the three tasks about given classes; level 0 elsewhere.
        models, **thresholds
            What must be satisfied, as in `model`.
        seed, time_limit, memory_limit
            As in `anonymize`.
        options
            Further arguments of the function ``tcloseness.optimal.optimal_…``: ``loss``, ``hierarchy`` (of the
            sensitive values), ``engine``, ….

        Raises
        ------
        InputError
            For an unknown task, or levels where the task makes the classes itself.
        """
        more = dict(options or {})
        for name in {"model", "models", "levels", "seed", "time_limit", "memory_limit"} & set(more):
            raise InputError(f"options names {name!r}, which is an argument of optimal itself; give it there")
        clock = Clock.of(time_limit, memory_limit)
        made: dict[str, Callable[..., Answer[Any]]] = {
            "partition": self._partition,
            "cut": self._cut,
            "microaggregation": self._microaggregation,
        }
        if not isinstance(task, str) or task not in TASKS:
            raise InputError(f"task {task!r} is unknown; it is one of {', '.join(TASKS)}")
        of_table = ("table", "values", "classes", "model", "k", "hierarchies", "categorical")
        others = arguments_of(TASKS[task], *of_table, "seed", "time_limit", "memory_limit")
        require_arguments(f"options: {TASKS[task].__name__}()", more, others)
        if task == "sensitive-generalization" and "hierarchy" not in more:
            raise InputError("no hierarchy of the sensitive values is given; give one by options={'hierarchy': …}")
        model = self.model(models=models, **thresholds)
        if task not in made:
            shown = Release.full_domain(self.frequencies, self.hierarchies, levels)
            return TASKS[task](shown, model, seed=seed, time_limit=clock, **more)
        if levels:
            raise InputError(f"levels are given, and the task {task!r} makes the classes itself; leave them out")
        return made[task](model, seed, clock, more)

    def _partition(self, model: PrivacyModel, seed: int | None, clock: Clock, more: dict[str, Any]) -> Answer[Any]:
        start = more.pop("start", None) or best_release(
            self.microdata,
            model,
            more.get("loss", "ncp"),
            self.hierarchies,
            clock,
            categorical=self.categorical,
            ground=self.ground.get(self._one()),
            seed=seed,
        )
        return TASKS["partition"](
            self.microdata,
            model,
            hierarchies=self.hierarchies,
            categorical=self.categorical,
            start=start,
            seed=seed,
            time_limit=clock,
            **more,
        )

    def _cut(self, model: PrivacyModel, seed: int | None, clock: Clock, more: dict[str, Any]) -> Answer[Any]:
        start = more.pop("start", None) or levels_of_datafly(self.microdata, model, self.hierarchies, clock, seed)
        return TASKS["cut"](self.microdata, model, hierarchies=self.hierarchies, start=start, time_limit=clock, **more)

    def _microaggregation(
        self, model: PrivacyModel, seed: int | None, clock: Clock, more: dict[str, Any]
    ) -> Answer[Any]:
        k = least_records(model)
        if len(self.quasi_identifiers) != 1 or asks_of_values(model):
            raise InputError("microaggregation shows one quasi-identifier as means of k or more; give k alone")
        return TASKS["microaggregation"](self.microdata, k, seed=seed, time_limit=clock, **more)


guarded(globals())
