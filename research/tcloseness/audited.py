"""Making the certificate of an audit: every value and verdict that a checker can count again."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from tcloseness.certificates import Envelope, Nodes, Reading
from tcloseness.certificates.audit import AUDIT, INFINITE, AuditedTable
from tcloseness.certificates.measures import DECIMALS, Measure, entropies_below
from tcloseness.certificates.reading import value_part
from tcloseness.errors import NotCertified
from tcloseness.exact import number_text
from tcloseness.microdata import ClassCounts, Domain, FrequencySet
from tcloseness.microdata.canonical import canonical_value
from tcloseness.models.certified import CertifiedTable, refused_by_checker
from tcloseness.models.conditions import conditions_of, parts_of
from tcloseness.models.protocol import ModelResult, PrivacyModel
from tcloseness.printable import printable

__all__ = ["audit_certificate"]

_NOTHING = {"condition": "records", "least": 1}
"""What is asked where nothing is: each class has a record."""


def audit_certificate(
    frequencies: FrequencySet,
    classes: ClassCounts,
    measured: Iterable[tuple[PrivacyModel, ModelResult]],
    reference: Literal["released", "all"],
    *,
    reading: Reading | None = None,
    file_sha256: str = "",
) -> tuple[Envelope, Nodes]:
    """Return the certificate of what a table gives away about one sensitive attribute, and the table as it was counted.

    Parameters
    ----------
    frequencies, classes, reference
        The table, the classes of the attribute, and whose distribution Q is.
    measured
        The models and their results.
    reading, file_sha256
        How the table's CSV file is read, and the sha256 of its bytes, where it was one.

    Raises
    ------
    NotCertified
        If the rows of the table are counted by person, it has no quasi-identifiers, a suppressed record has a sensitive
        value that the reference lacks, or the checker finds another value.
    """
    if not frequencies.quasi_identifiers:
        raise NotCertified("not certified: no checker for a table without quasi-identifiers")
    table = replace(CertifiedTable.of(frequencies, classes.sensitive), domain=classes.domain)
    absent = {combination[-1] for combination in table.counts.counts} - set(table.values)
    if absent and classes.has_values:  # Q is of the released records
        raise NotCertified(
            f"not certified: no checker for suppressed records with a sensitive value that no released record has, as "
            f"{printable(value_part(min(absent)))!r}, against the released records; take all as the reference"
        )
    marker = _marker(frequencies)
    entries: list[dict[str, Any]] = []
    seen: list[dict[str, Any]] = []
    unchecked: dict[str, None] = {}
    with refused_by_checker():
        models = _each(measured, classes)
        asked = _asked(models, classes.domain)
        audited = AuditedTable(table.nodes, marker, reference, asked)
        for model, result in models:
            of_model = getattr(model, "measure_record", None)
            measure = None if of_model is None else of_model(classes.domain)
            if measure is None or (result.status != "measured" and None in _records(model, classes.domain)):
                unchecked[model.name if measure is None else f"{model.name} (its verdict)"] = None
            if measure is not None and measure not in seen:
                seen.append(measure)
                entries.append(_entry(measure, result, classes, audited))
        proof = {
            "suppressed": marker,
            "reference": reference,
            "classes": len(classes),
            "measures": entries,
            "holds": _holds(audited),
            "unchecked": list(unchecked),
        }
    return table.sealed(AUDIT, asked, proof, reading=reading, file_sha256=file_sha256), table.nodes


def _records(model: PrivacyModel, domain: Domain) -> list[dict[str, Any] | None]:
    conditions = conditions_of(model)
    return [None] if conditions is None else [each.record(domain) for each in conditions]


def _asked(models: Iterable[tuple[PrivacyModel, ModelResult]], domain: Domain) -> list[dict[str, Any]]:
    """Return the conditions that a checker knows, each once."""
    found: list[dict[str, Any]] = []
    for model, _ in models:
        found += [each for each in _records(model, domain) if each is not None and each not in found]
    return found or [_NOTHING]


def _each(
    measured: Iterable[tuple[PrivacyModel, ModelResult]], classes: ClassCounts
) -> list[tuple[PrivacyModel, ModelResult]]:
    """Return the models without parts, and their results."""
    found = []
    for model, result in measured:
        parts = parts_of(model)
        found += [(model, result)] if parts == (model,) else [(part, part.evaluate(classes)) for part in parts]
    return found


def _holds(audited: AuditedTable) -> list[bool]:
    """Return of each condition whether all classes meet it."""
    broken = np.zeros(len(audited.conditions.each), dtype=np.bool_)
    for block in audited.blocks():
        broken |= [bool(violating(block, block.sum(axis=1)).any()) for _, violating in audited.conditions.each]
    return [not each for each in broken.tolist()]


def _marker(frequencies: FrequencySet) -> str | None:
    """Return what stands in all quasi-identifiers of the suppressed records."""
    if not frequencies.suppressed.any():
        return None
    found: set[str] = set()
    for name in frequencies.quasi_identifiers:
        codes = np.unique(frequencies.codes[name][frequencies.suppressed]).tolist()
        found.update(value_part(canonical_value(frequencies.domains[name].value(code))) for code in codes)
    if len(found) > 1:
        raise NotCertified(f"not certified: no checker for suppressed records that are marked by {sorted(found)}")
    return found.pop()


def _entry(measure: dict[str, Any], result: ModelResult, classes: ClassCounts, audited: AuditedTable) -> dict[str, Any]:
    """Return a measure with its value, which the checker counts again, and the class that has it."""
    worst = int(result.worst[0])
    assert classes.keys is not None
    labels = [value_part(canonical_value(value)) for value in classes.keys.label(worst)]
    if measure["measure"] == "entropy":
        return {**measure, "value": number_text(_effective(audited.one(labels), audited)), "class": labels}
    value: Any = result.value
    if measure["measure"] == "ratio":  # of which the model has the logarithm
        above, below = Measure(measure, audited.conditions).worst(audited.blocks())
        value = Fraction(above, below) if below else math.inf
    return {**measure, "value": INFINITE if value == math.inf else number_text(value), "class": labels}


def _effective(counts: Any, audited: AuditedTable) -> Fraction:
    """Return exp of the entropy of counts to nine decimals, rounded down."""
    found = counts[counts > 0].astype(float)
    near = math.exp(math.log(found.sum()) - float((found * np.log(found)).sum() / found.sum()))
    unit = round(near * DECIMALS) + 2
    while entropies_below(Fraction(unit, DECIMALS), [counts[None]], audited.conditions):
        unit -= 1
    return Fraction(unit, DECIMALS)
