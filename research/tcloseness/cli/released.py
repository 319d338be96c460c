"""What a method or a program made of a table, ready to be written: the files, and the record of what was done."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tcloseness.cli.release_file import ReleaseFile, check_command, recorded, sidecar_name, sidecar_text

if TYPE_CHECKING:
    from tcloseness.cli.table_inputs import TableInputs
    from tcloseness.loss import Loss, LossResult
    from tcloseness.microdata import ClassCounts
    from tcloseness.models import PrivacyModel
    from tcloseness.release import Anonymized
    from tcloseness.report.release_text import Evaluated, Measured

__all__ = ["Released", "losses_of", "warn_of_suppressed"]


@dataclass(frozen=True)
class Released:
    """A verified table.

    Attributes
    ----------
    classes
        Its classes' counts; Q is that of all records.
    verdicts
        What the models say, and of which classes.
    losses
        What it costs.
    kinds
        By quasi-identifier, how it is generalized.
    done, conventions
        What was done, and what was chosen on the way, by name.
    files
        What is written; none without ``--output``.
    check
        The command that re-checks it; None where nothing is written, or no command can.
    suppressed_together
        What the suppressed records are like as one class; None if there are none.
    people
        The counts of all records of the classes, where not all of them show their sensitive value.
    """

    classes: ClassCounts
    verdicts: tuple[Evaluated, ...]
    losses: tuple[LossResult, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    done: Mapping[str, Any] = field(default_factory=dict)
    conventions: Mapping[str, str] = field(default_factory=dict)
    files: tuple[ReleaseFile, ...] = ()
    check: str | None = None
    suppressed_together: Mapping[str, Any] | None = None
    people: ClassCounts | None = None

    @classmethod
    def of(
        cls,
        found: Anonymized,
        inputs: TableInputs,
        model: PrivacyModel,
        output: str | None,
        losses: Sequence[Loss] = (),
    ) -> Released:
        """Return the release of a table with generalized quasi-identifiers."""
        file = None if output is None else ReleaseFile.of(output, found.rows, inputs)
        return cls(
            found.class_counts,
            ((found.verdict, found.class_counts),),
            losses_of(found, model, losses),
            {attribute.name: attribute.kind for attribute in found.attributes},
            found.done,
            found.conventions,
            () if file is None else (file,),
            None if file is None else check_command(file, inputs),
            found.release.suppressed_together(model, inputs.sensitive),
        )

    def with_done(self, more: Mapping[str, Any]) -> Released:
        """Return the release with more said of what was done."""
        return replace(self, done={**self.done, **more})

    def done_lines(self) -> dict[str, str]:
        """Say what was done, by name."""
        return {name: _in_words(value) for name, value in self.done.items()}

    def measured(self, inputs: TableInputs) -> Measured:
        """Return what the classes are like, t with the ground distance that was named."""
        from tcloseness.report.release_text import Measured

        return Measured.of(self.classes, inputs.measured_by, people=self.people)

    def to_dict(self, inputs: TableInputs) -> dict[str, Any]:
        """Return what is known of the release and of what it was made from, as JSON-ready data."""
        from tcloseness.models.protocol import value_texts

        (file, *_) = self.files or (None,)
        return {
            "suppressed_records": (self.people or self.classes).suppressed,
            "suppressed_marker": None if file is None else file.rows.marker,
            "suppressed_together": self.suppressed_together,
            "verdicts": [verdict.to_dict(classes) for verdict, classes in self.verdicts],
            "measured": self.measured(inputs).to_dict(),
            "losses": {
                each.loss: {**value_texts(each.value), "range": [value_texts(bound)["value"] for bound in each.bounds]}
                for each in self.losses
            },
            "generalized": dict(self.kinds),
            "done": dict(self.done),
            "columns": {
                "quasi_identifiers": list(inputs.quasi_identifiers),
                "sensitive": inputs.sensitive,
                "kept_as_they_are": list(inputs.keep),
                "left_out": [] if file is None else list(file.left_out),
            },
            "anonymized": [each.record for each in self.files],
            "conventions": dict(self.conventions),
            "check": self.check and recorded(self.check),
        }

    def contents(self, record: Mapping[str, Any]) -> dict[str, bytes]:
        """Return what to write: the tables, and the record beside the first."""
        if not self.files:
            return {}
        sidecar = {sidecar_name(self.files[0].name): sidecar_text(record)}
        return {**{each.name: each.content for each in self.files}, **sidecar}

    def written(self) -> dict[str, str]:
        """Say what is written where."""
        if not self.files:
            return {"nothing": "--output FILE writes the table, and what was done"}
        first, *others = self.files
        rows = f"{first.name}: {len(first.rows):,} rows"
        suppressed = f", {self.classes.suppressed:,} records suppressed" if first.rows.marker is not None else ""
        return {
            "anonymized table": rows + suppressed,
            **({"and its classes": f"{others[0].name}: {len(others[0].rows):,} rows"} if others else {}),
            **({"left out": ", ".join(first.left_out)} if first.left_out else {}),
            "what was done": sidecar_name(first.name),
            "re-check": self.check or "none: the table does not show what it is checked against",
        }


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)


def losses_of(found: Anonymized, model: PrivacyModel, others: Sequence[Loss] = ()) -> tuple[LossResult, ...]:
    """Return what a generalized table costs, by every loss that is a sum over its classes, and by others."""
    from tcloseness.loss.names import OF_CLASSES, loss_named
    from tcloseness.models.conditions import least_records

    k = least_records(model)
    names = [name for name in OF_CLASSES if name != ("class-size" if k > 1 else "c-avg")]
    chosen = [*(loss_named(name, k=k, classes=True) for name in names), *others]
    return tuple(loss.evaluate(found.release) for loss in chosen)


def warn_of_suppressed(seen: Mapping[str, Any] | None) -> None:
    """Say on standard error if the suppressed records, seen as one class, give away what the model protects."""
    if seen is None or seen["status"] == "satisfied":
        return
    print(
        f"warning: the {seen['records']:,} suppressed record(s) stand in the table with their sensitive values; as one "
        f"class they have {seen['distinct_values']} distinct value(s) and do not satisfy the model, and whoever knows "
        "that a person fits no other class learns that much. To publish without this, delete these rows or allow none",
        file=sys.stderr,
    )
