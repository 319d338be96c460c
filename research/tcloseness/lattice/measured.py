"""`measure_node`: what the table would be at one node of the lattice, in numbers: its classes, k, ℓ, t, and losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import InputError
from tcloseness.ground import GroundSpec
from tcloseness.lattice.lattice import Lattice, Node
from tcloseness.lattice.roll_up import RollUp
from tcloseness.loss import Loss, LossResult
from tcloseness.loss.summary import by_name
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, guarded, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.models.catalogue import UsualValues, Valued
from tcloseness.models.protocol import Status, value_texts
from tcloseness.release import Release

__all__ = ["MeasuredNode", "OverRows", "measure_node", "release_at"]


@dataclass(frozen=True)
class OverRows:
    """What the classes of a node are with each row as one record, whatever it stands for.

    Attributes
    ----------
    k
        How many rows the smallest class has.
    status
        What the model says.
    """

    k: int
    status: Status


@dataclass(frozen=True, eq=False)
class MeasuredNode(Valued, Displayed):
    """A node of the lattice, and what the table released there is like.

    It holds numbers only, so that a long list of nodes takes little memory.

    Attributes
    ----------
    node
        Its levels.
    classes, suppressed
        How many classes are released, and how many records are suppressed.
    status
        What the model says about the released classes, Q being that of all records.
    parts
        Where the model asks for several: the status of each, by name.
    k
        The classes' measured k-anonymity.
    values
        Their measured distinct and entropy ℓ-diversity, and t-closeness, which are attributes of the node too; None
        where the table has no sensitive attribute.
    losses
        What the node costs, by the loss's name.
    over_rows
        Where rows have weights, what the classes are with each row as one record; else None. The records decide.
    """

    node: Node
    classes: int
    suppressed: int
    status: Status
    parts: Mapping[str, Status]
    k: int
    values: UsualValues | None
    losses: Mapping[str, LossResult]
    over_rows: OverRows | None = None

    @property
    def height(self) -> int:
        """The sum of its levels."""
        return sum(self.node)

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers in a row: whole ones, doubles for logarithms, exact text for what can be a fraction."""
        measured: dict[str, Any] = {"k": self.k}
        if self.values is not None:
            measured |= {"distinct_l": self.distinct_l, "effective_l": self.effective_l}
            measured["t"] = value_texts(self.t)["value"]
        counts = {"classes": self.classes, "suppressed_records": self.suppressed}
        losses = {name: value_texts(found.value)["value"] for name, found in self.losses.items()}
        return {"status": self.status, **counts, **measured, **losses}

    def _said(self) -> str:
        return f"levels {self.node!r:.60}, {self.status}, k = {self.k}, {counted(self.classes, 'class')}"

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [{"levels": ", ".join(map(str, self.node)), **self.numbers}]

    def to_dict(self, lattice: Lattice | None = None) -> dict[str, Any]:
        """Return the numbers as JSON-ready data; those that can be fractions are text.

        Where the lattice is given, the levels are named by attribute, and the node is written as text.
        """
        levels: Any = list(self.node) if lattice is None else lattice.levels(self.node)
        return {
            **({} if lattice is None else {"node": lattice.text(self.node)}),
            "levels": levels,
            "height": self.height,
            "status": self.status,
            "classes": self.classes,
            "suppressed_records": self.suppressed,
            "k": self.k,
            **self._values_record(),
            "losses": {
                name: {**value_texts(found.value), "better": found.better} for name, found in self.losses.items()
            },
            **({} if self.over_rows is None else {"over_rows": asdict(self.over_rows)}),
        }


def release_at(
    rolled: RollUp | FullTable, node: Node, model: PrivacyModel, *, limit: int = 0
) -> tuple[Release, ClassCounts]:
    """Return the release of a node, and its class counts, after the suppression that the model asks for.

    Parameters
    ----------
    rolled
        The table under its lattice.
    node
        A node; one that satisfies the model within the limit, where there is one.
    model
        The privacy model. The classes that violate it, measured against the Q of all records, are suppressed.
    limit
        How many records may be suppressed, as `SearchResult.limit`; at 0 nothing is, whether or not the node satisfies.

    Raises
    ------
    TableError
        If the lattice does not have the node.
    InputError
        If there is a limit and the violating classes hold more records, or all.
    """
    rolled = in_shape(rolled, RollUp)
    node = rolled.lattice.node(node)
    release, classes = rolled.release(node), rolled.classes(node)
    if not limit:
        return release, classes
    violating = model.evaluate(classes).violating
    lost = int(classes.class_sizes[violating].sum())
    if lost > limit or len(violating) == len(classes):
        raise InputError(
            f"node {rolled.lattice.text(node)} violates {model.name}: {lost} of {rolled.records} records are in "
            f"violating classes, and {limit} may be suppressed"
        )
    if not len(violating):
        return release, classes
    return release.suppress(violating), rolled.suppressed(classes, violating)


def measure_node(
    rolled: RollUp | FullTable,
    node: Node,
    model: PrivacyModel,
    *,
    ground: GroundSpec,
    limit: int = 0,
    losses: Sequence[Loss] = (),
) -> MeasuredNode:
    """Measure the table at a node, after the suppression that the model asks for.

    Parameters
    ----------
    rolled, node, model, limit
        As for `release_at`.
    ground
        The ground distance of the t that is measured.
    losses
        What to measure of what it costs, each of a name of its own.

    Raises
    ------
    TableError, InputError
        As `release_at`; also for two losses of one name.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.loss import Discernibility
    >>> from tcloseness.microdata import FrequencySet, Hierarchy
    >>> from tcloseness.models import KAnonymity
    >>> table = pd.DataFrame({"zip": ["476", "477", "479"], "disease": ["flu", "cold", "flu"]})
    >>> frequencies = FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="disease")
    >>> rolled = RollUp(frequencies, {"zip": Hierarchy.prefixes(table["zip"], name="zip")})
    >>> found = measure_node(rolled, (1,), KAnonymity(2), ground="equal", losses=[Discernibility()])
    >>> found.k, str(found.t), str(found.losses["discernibility"].value)
    (3, '0', '9')
    """
    rolled = in_shape(rolled, RollUp)
    release, classes = release_at(rolled, node, model, limit=limit)
    verdict = model.evaluate(classes)
    return MeasuredNode(
        rolled.lattice.node(node),
        len(classes),
        classes.suppressed,
        verdict.status,
        {part.model: part.status for part in verdict.parts},
        int(classes.class_sizes.min()),
        UsualValues.of(classes, ground),
        {name: loss.evaluate(release) for name, loss in by_name(losses).items()},
        _over_rows(rolled, model, release),
    )


def _over_rows(rolled: RollUp, model: PrivacyModel, release: Release) -> OverRows | None:
    """Measure the released classes with each row as one record; Q is that of all rows, as it is that of all records."""
    if rolled.frequencies.rows is None:
        return None
    classes = release.released.over_rows().class_counts(rolled.sensitive, reference="all")
    return OverRows(int(classes.class_sizes.min()), model.evaluate(classes).status)


guarded(globals())
