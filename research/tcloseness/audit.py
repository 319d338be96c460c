"""`check`: what a table gives away, answered at once.

One pass over the class counts of each sensitive attribute: every model and measure, the attacks that need no further
knowledge, and what the classes' sizes say of risk and loss. Everything is measured, and decided where a threshold is
given.
"""

from __future__ import annotations

import json
import math
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from tcloseness.attacks import AttackResult, homogeneity_attack, similarity_attack, skewness_attack
from tcloseness.certificates import Envelope, Nodes, Reading
from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, Explained, Pictured, counted
from tcloseness.errors import InputError, NotCertified
from tcloseness.exact import IntArray, Number
from tcloseness.ground import IF_NONE, GroundDistance, GroundSpec, ground_distance
from tcloseness.loss import Loss, LossResult, losses as losses_of
from tcloseness.measures import GROUND_FREE, Measure, Value, class_distances, require_measure
from tcloseness.microdata import ClassCounts, FrequencySet
from tcloseness.microdata.border import FullTable, guarded, in_shape
from tcloseness.microdata.combinations import IN_MEMORY, Origin
from tcloseness.microdata.domain import NO_SENSITIVE
from tcloseness.models import ModelResult, PrivacyModel, multi_attribute
from tcloseness.models.catalogue import NAMED, measured_of, models_of, naming_thresholds, require_thresholds
from tcloseness.models.conditions import require_values_for
from tcloseness.models.large_tables import without_values
from tcloseness.models.protocol import Status, value_texts

__all__ = ["AttributeAudit", "Audit", "Distance", "Undefined", "check"]

_KEPT_CLASSES = 2**16
"""Of up to so many classes an audit keeps each model's value of each class."""

FORMAT = "tcloseness-audit-3"
"""What `Audit.to_dict` returns; within a format keys are only added."""

_OF_GROUND = tuple(keyword for keyword, model in NAMED.items() if model.option.needs_ground)


@dataclass(frozen=True)
class Undefined(Displayed):
    """A quantity that has no finite value here, or could not be measured as it is meant, and why."""

    quantity: str
    sensitive: str
    why: str

    def _said(self) -> str:
        return f"{self.quantity}"

    def to_dict(self) -> dict[str, str | None]:
        """Return the three texts by name; ``sensitive`` is None where the table has no sensitive attribute."""
        return {"quantity": self.quantity, "sensitive": self.sensitive or None, "why": self.why}


@dataclass(frozen=True)
class Distance(Displayed):
    """The greatest distance of a class from the reference, by one measure.

    Attributes
    ----------
    measure
        The measure's name.
    value
        The distance, exact.
    classes
        How many classes have it.
    """

    measure: str
    value: Value
    classes: int

    def _said(self) -> str:
        return f"{self.measure}, at most {value_texts(self.value)['decimal']}"

    def to_dict(self) -> dict[str, Any]:
        """Return the distance as JSON-ready data."""
        return {"measure": self.measure, **value_texts(self.value), "worst_classes": self.classes}


@dataclass(frozen=True, eq=False)
class AttributeAudit(Pictured, Explained):
    """What the models say about one sensitive attribute.

    Attributes
    ----------
    classes
        The counts that were measured.
    results
        One result a model.
    ground
        The ground distance of its t-closeness over the attribute's values; None where it is not known.
    distances
        The greatest distance of a class by further measures.
    attacks
        What the attacks that need no further knowledge reveal.
    over_rows
        Where rows have weights, the classes and results with each row as one record; else None.
    """

    classes: ClassCounts
    results: tuple[ModelResult, ...]
    ground: GroundDistance | None = None
    distances: tuple[Distance, ...] = ()
    attacks: tuple[AttackResult, ...] = ()
    over_rows: AttributeAudit | None = None

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [_summary(self.classes.sensitive, result) for result in self.results]

    def _said(self) -> str:
        return f"{counted(len(self.results), 'result')}, {self.classes._said()}"

    def to_dict(self, *, worst: int = 3) -> dict[str, Any]:
        """Return the results as JSON-ready data."""
        return {
            "sensitive": self.classes.sensitive or None,
            "values": len(self.classes.domain) * self.classes.has_values,
            "results": [r.to_dict(self.classes, worst=worst) for r in self.results],
            "distances": [distance.to_dict() for distance in self.distances],
            "attacks": [attack.to_dict(self.classes, findings=worst) for attack in self.attacks],
        }


@dataclass(frozen=True, eq=False)
class Audit(Pictured, Explained):
    """What a table gives away.

    Attributes
    ----------
    attributes
        One entry a sensitive attribute.
    records, suppressed, classes
        How many records are released and suppressed, and how many equivalence classes there are.
    conventions
        What was chosen on the way, by name.
    quasi_identifiers
        The columns that an outsider may know; none makes one class.
    dropped
        How many rows were dropped for missing values before anything was measured.
    undefined
        What has no finite value, or was not measured as it is meant, and why.
    redacted
        Whether the values are replaced by neutral names, see `tcloseness.report.redaction.redacted`.
    multi_attribute
        With several sensitive attributes: distinct ℓ of each, the others joined to the quasi-identifiers
        (Machanavajjhala et al. 2006, Definition 4.5).
    losses
        What the sizes of the classes say of re-identification risk and of information lost.
    rows
        Where rows have weights and stand for several records, how many rows are released; else None. The records
        decide; what the rows by themselves say is in each attribute's `over_rows`.
    prover
        What makes the certificate, see `certificate`; None of an audit that withholds values.
    frequencies, origin
        The table that was measured, None where values are withheld; and where it was counted, and by what.
    """

    attributes: tuple[AttributeAudit, ...]
    records: int
    suppressed: int
    classes: int
    conventions: Conventions = field(default_factory=Conventions)
    quasi_identifiers: tuple[str, ...] = ()
    dropped: int = 0
    undefined: tuple[Undefined, ...] = ()
    redacted: bool = False
    multi_attribute: tuple[ModelResult, ...] = ()
    losses: tuple[LossResult, ...] = ()
    rows: int | None = None
    prover: Callable[[str, Reading | None, str], tuple[Envelope, Nodes]] | None = field(default=None, compare=False)
    frequencies: FrequencySet | None = None
    origin: Origin = field(default=IN_MEMORY, compare=False)

    def _frame_rows(self) -> list[dict[str, Any]]:
        return self.summary()

    def _said(self) -> str:
        found = f"{counted(self.records, 'record')} in {counted(self.classes, 'class')}"
        return f"{self.status}, {found}, {counted(len(self.of_values), 'sensitive attribute')}"

    def certificate(
        self, sensitive: str | None = None, *, reading: Reading | None = None, file_sha256: str = ""
    ) -> Envelope:
        """Return the proof of every value and verdict that a checker can count again; what no checker knows, it names.

        Parameters
        ----------
        sensitive
            The attribute; it may be left out where there is one.
        reading, file_sha256
            See `tcloseness.models.certified.CertifiedTable.sealed`.

        Raises
        ------
        NotCertified
            If the audit withholds values, or is of a table that no checker reads.
        InputError
            If there are several sensitive attributes, and none is named.
        """
        return self._proved(sensitive, reading, file_sha256)[0]

    def redacted_certificate(
        self,
        sensitive: str | None = None,
        *,
        secret: bytes | None = None,
        reading: Reading | None = None,
        file_sha256: str = "",
    ) -> tuple[str, str]:
        """Return a certificate that withholds the table's values, and what its owner keeps to prove it, as JSON texts.

        Parameters
        ----------
        sensitive, reading, file_sha256
            As for `certificate`.
        secret
            The salt, of 32 bytes; drawn anew if left out.

        Raises
        ------
        NotCertified, InputError
            As `certificate`.
        """
        from tcloseness.certificates.redacted import redacted_audit, salt_text

        envelope, nodes = self._proved(sensitive, reading, file_sha256)
        drawn = secrets.token_bytes(32) if secret is None else secret
        if type(drawn) is not bytes or len(drawn) != 32:
            raise InputError("the salt must be 32 bytes, drawn at random; leave secret out and it is")
        record = redacted_audit(envelope, nodes, drawn)
        return json.dumps(record, indent=1, ensure_ascii=False) + "\n", salt_text(drawn, envelope)

    def _proved(self, sensitive: str | None, reading: Reading | None, file_sha256: str) -> tuple[Envelope, Nodes]:
        names = [attribute.classes.sensitive for attribute in self.attributes]
        if sensitive is None and len(names) > 1:
            raise InputError(f"a certificate is about one sensitive attribute; name one of {', '.join(names)}")
        if sensitive is not None and sensitive not in names:
            known = ", ".join(each.classes.sensitive for each in self.of_values) or "none"
            raise InputError(f"{sensitive!r} is not a sensitive attribute of this audit; it has {known}")
        if self.prover is None:
            raise NotCertified("not certified: an audit that withholds values has no certificate; ask the audit itself")
        return self.prover(sensitive or names[0], reading, file_sha256)

    @property
    def of_values(self) -> tuple[AttributeAudit, ...]:
        """What was found of each sensitive attribute: nothing, where the table has none."""
        return tuple(attribute for attribute in self.attributes if attribute.classes.has_values)

    @property
    def status(self) -> Status:
        """``violated`` or else ``undecided`` if any model is; ``satisfied`` with thresholds, ``measured`` without."""
        found = [r.status for a in self.attributes for r in a.results]
        order: tuple[Status, ...] = ("violated", "undecided", "satisfied")
        return next((status for status in order if status in found), "measured")

    def summary(self) -> list[dict[str, Any]]:
        """Return one short record a sensitive attribute and model: value, threshold, margin and status, as text.

        The value of entropy ℓ-diversity is exp(H), its effective ℓ; H, in nats, is beside it as ``"entropy"``.
        """
        return [_summary(attribute.classes.sensitive, r) for attribute in self.attributes for r in attribute.results]

    def to_dict(self, *, worst: int = 3) -> dict[str, Any]:
        """Return the answer, the digest of what was measured, and where it was counted, as JSON-ready data.

        Answer and digest do not depend on the engine. The digest is None where values are withheld, since a guess of
        the table could be confirmed by it.
        """
        return {
            "format": FORMAT,
            "answer": self.answer(worst=worst),
            "digest": None if self.frequencies is None else self.frequencies.digest,
            "source": self.origin.to_dict(),
        }

    def answer(self, *, worst: int = 3) -> dict[str, Any]:
        """Return what was found as JSON-ready data; numbers that can be fractions are text."""
        return {
            "status": self.status,
            "summary": self.summary(),
            "records": self.records,
            "suppressed": self.suppressed,
            "dropped": self.dropped,
            "classes": self.classes,
            "quasi_identifiers": list(self.quasi_identifiers),
            "redacted": self.redacted,
            "conventions": dict(self.conventions),
            "undefined": [entry.to_dict() for entry in self.undefined],
            "sensitive_attributes": [a.to_dict(worst=worst) for a in self.attributes],
            "multi_attribute": [result.to_dict() for result in self.multi_attribute],
            "losses": [loss.to_dict() for loss in self.losses],
            **({} if self.rows is None else {"over_rows": self._over_rows()}),
        }

    def _over_rows(self) -> dict[str, Any]:
        """Return what the rows say by themselves, and whether a verdict is another than that of the records."""
        pairs = [(a.results, a.over_rows.results) for a in self.attributes if a.over_rows is not None]
        each = [pair for records, rows in pairs for pair in zip(records, rows, strict=True)]
        parts = [(a.classes.sensitive, a.over_rows.results) for a in self.attributes if a.over_rows is not None]
        return {
            "rows": self.rows,
            "verdicts_differ": any(records.status != rows.status for records, rows in each),
            "summary": [_summary(name, result) for name, results in parts for result in results],
        }


def check(
    table: FrequencySet | FullTable,
    *,
    ground: Mapping[str, GroundSpec] | None = None,
    models: Sequence[PrivacyModel] = (),
    measures: Sequence[Measure] = (),
    losses: Sequence[Loss] = (),
    reference: Literal["released", "all"] = "released",
    **thresholds: Number | tuple[Number, Number] | None,
) -> Audit:
    """Measure what a table gives away by every model, and decide the thresholds that are given.

    Parameters
    ----------
    table
        The table's frequency set.
    ground
        Per sensitive attribute the ground distance of its t-closeness. An attribute without one is measured under the
        equal distance only, which asks nothing of the values; a threshold t needs a ground distance for every
        attribute.
    models
        Further models, each evaluated for every sensitive attribute; a combination (``model & other``) is one.
    measures
        Further distances between distributions, by which every class is measured.
    losses
        Further losses, each evaluated on the class counts of the first sensitive attribute.
    reference
        Whose distribution Q is, see `FrequencySet.class_counts`.
    **thresholds
        Thresholds by name, read exactly. `recursive` is a pair (c, ℓ), and is measured for ℓ = 2 without it:
        THRESHOLDS

    Raises
    ------
    InputError
        For a threshold out of range, or a t without a ground distance.
    TypeError
        For any other keyword.
    """
    table = in_shape(table, FrequencySet)
    require_thresholds(thresholds, "check()")
    distances = (*GROUND_FREE, *map(require_measure, measures))
    for name, times in Counter(measure.name for measure in distances).items():
        if times > 1:
            raise InputError(f"{times} measures are named {name!r}; a report tells them apart by their names")
    grounds = dict(ground or {})
    for name in grounds:
        if name not in table.sensitive:
            raise InputError(
                f"a ground distance is given for {name!r}, which is not a sensitive attribute of this table"
            )
    attributes: list[AttributeAudit] = []
    measured: dict[str, tuple[ClassCounts, list[tuple[PrivacyModel, ModelResult]]]] = {}
    undefined: list[Undefined] = []
    for name in table.sensitive or (NO_SENSITIVE,):
        classes = table.class_counts(name, reference=reference)
        for measure in measures:
            classes.require_values(f"the distance {measure.name}")
        chosen = measured_of(thresholds, name)
        for keyword in (each for each in _OF_GROUND if thresholds.get(each) is not None and name not in grounds):
            raise InputError(
                f"{keyword} = {thresholds[keyword]!r} is given, and no ground distance for {name!r}; name one, such as "
                "'equal' or 'ordered': it is not guessed from the data"
            )
        try:
            distance = ground_distance(grounds.get(name, IF_NONE), classes.domain)
        except InputError as error:
            raise type(error)(f"the ground distance of {name!r}: {error}") from error
        asked = (*models_of(chosen, distance), *(require_values_for(each, name) for each in models))
        results = tuple(_results(asked, classes))
        measured[name] = classes, list(zip(asked, results, strict=True))
        over_rows = None
        if table.rows is not None:
            row_classes = table.over_rows().class_counts(name, reference=reference)
            over_rows = AttributeAudit(row_classes, tuple(_results(asked, row_classes)), distance)
        attributes.append(
            AttributeAudit(
                classes,
                results,
                distance,
                _distances(classes, distances if classes.has_values else ()),
                _attacks(classes, distance),
                over_rows=over_rows,
            )
        )
        undefined += _undefined(classes, results, named=name in grounds)
    first = attributes[0].classes
    each_joined = multi_attribute(NAMED["distinct_l"](), table) if len(attributes) > 1 else {}
    ordered = [repr(name) for name in table.sensitive if table.domains[name].order == "declared"]
    orders = {"order of the values": f"declared for {', '.join(ordered)}"} if ordered else {}
    by = {"reference distribution": f"{reference} records"} if table.sensitive else {}
    return Audit(
        tuple(attributes),
        first.records,
        first.suppressed,
        len(first),
        table.conventions.but(by | orders),
        table.quasi_identifiers,
        table.dropped,
        tuple(undefined),
        multi_attribute=tuple(each_joined.values()),
        losses=tuple(losses_of(first, also=losses).values()),
        rows=None if table.rows is None else int(table.rows[~table.suppressed].sum()),
        prover=partial(_prove, table, measured, reference),
        frequencies=table,
        origin=table.origin,
    )


def _results(models: Iterable[PrivacyModel], classes: ClassCounts) -> Iterator[ModelResult]:
    """Go through what models say of the classes; the values of many classes are not kept."""
    kept: list[IntArray] = []
    for model in models:
        found = model.evaluate(classes)
        yield (
            found if len(classes) <= _KEPT_CLASSES else without_values(found, partial(model.evaluate, classes), kept)
        )


def _prove(
    table: FrequencySet,
    measured: Mapping[str, tuple[ClassCounts, list[tuple[PrivacyModel, ModelResult]]]],
    reference: Literal["released", "all"],
    sensitive: str,
    reading: Reading | None,
    file_sha256: str,
) -> tuple[Envelope, Nodes]:
    from tcloseness.audited import audit_certificate

    return audit_certificate(table, *measured[sensitive], reference, reading=reading, file_sha256=file_sha256)


def _distances(classes: ClassCounts, measures: Sequence[Measure]) -> tuple[Distance, ...]:
    found = []
    for measure in measures:
        value, worst = class_distances(measure.over(classes.domain), classes).largest()
        found.append(Distance(measure.name, value, len(worst)))
    return tuple(found)


def _attacks(classes: ClassCounts, ground: GroundDistance) -> tuple[AttackResult, ...]:
    """Run the attacks that need no knowledge but the release: similarity where a hierarchy says what is similar."""
    if not classes.has_values:
        return ()
    found = [homogeneity_attack(classes)]
    hierarchy = getattr(ground, "hierarchy", None)
    if hierarchy is not None and hierarchy.uniform and hierarchy.height > 1:
        found.append(similarity_attack(classes, hierarchy))
    if classes.persons is None:
        found.append(skewness_attack(classes, top=3))
    return tuple(found)


def _undefined(classes: ClassCounts, results: Sequence[ModelResult], *, named: bool) -> list[Undefined]:
    """Say which results are infinite, and what was not asked for as it is meant."""
    found = []
    for result in results:
        if result.value == math.inf:
            why = result.why_infinite or "its value is infinite in the worst class"
            found.append(Undefined(result.model, classes.sensitive, why))
    if classes.persons is not None and classes.has_values:
        why = "it adds up records, and a person may have several values; give one row a person to measure it"
        found += [Undefined(what, classes.sensitive, why) for what in ("skewness", "classification metric")]
    if not named and classes.has_values:
        why = "no ground distance was named; it is measured as if all values were equally far apart (equal distance)"
        found += [Undefined(NAMED[each].name, classes.sensitive, why) for each in _OF_GROUND]
    return found


def _summary(sensitive: str, result: ModelResult) -> dict[str, Any]:
    """Return a short record of a result: its numbers, or those of the part that says why the status is what it is."""
    first = result.decisive[0]
    return {
        "sensitive": sensitive or None,
        "model": result.model,
        **first.numbers(),
        "status": result.status,
        **({"decided_by": first.model} if first.model != result.model else {}),
    }


check = naming_thresholds(check)
guarded(globals())
