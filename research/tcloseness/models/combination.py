"""Several models asked of one table at once: `&`, and how the results of parts make the result of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from tcloseness.conventions import Conventions
from tcloseness.errors import ProtocolError
from tcloseness.exact import Rationals
from tcloseness.ground import GroundDistance
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.protocol import ModelResult, Monotone, PrivacyModel, Status, require_model, result

__all__ = ["Combinable", "Combination", "all_of", "united"]


class Combinable:
    """What lets a model be combined: ``model & other`` asks for both."""

    @classmethod
    def asked(cls, threshold: Any, ground: GroundDistance) -> Any:
        """Return the model of a threshold that was given by name, see `tcloseness.models.thresholds.Option`."""
        return cls(threshold)  # type: ignore[call-arg]

    def __and__(self, other: Any) -> Combination:
        return Combination((cast(PrivacyModel, self), other)) if isinstance(other, PrivacyModel) else NotImplemented

    def __rand__(self, other: Any) -> Combination:
        return Combination((other, cast(PrivacyModel, self))) if isinstance(other, PrivacyModel) else NotImplemented


@dataclass(frozen=True)
class Combination(Combinable):
    """Several models at once: a table satisfies the combination if it satisfies every part.

    Parameters
    ----------
    models
        At least one model; a combination among them is taken apart. Usually written with ``&``.

    Notes
    -----
    The measured value of a class is the number of parts that it violates, and the table's that of its worst class;
    the parts' own values are in the result's `parts`. The status is ``violated`` if any part's is, else ``undecided``
    if any part's is; parts without a threshold are measured only. Each part needs no more than its own protocol, so
    models of other packages combine too. Monotone where all parts are.

    Examples
    --------
    >>> from tcloseness.models import KAnonymity, TCloseness
    >>> model = KAnonymity(2) & TCloseness("1/5", ground="equal")
    >>> found = model.evaluate(ClassCounts.from_mapping({"a": {"x": 2}, "b": {"y": 2}}))
    >>> found.status, [(part.model, part.status) for part in found.parts]
    ('violated', [('k-anonymity', 'satisfied'), ('t-closeness', 'violated')])
    """

    models: tuple[PrivacyModel, ...]

    def __post_init__(self) -> None:
        flat: list[PrivacyModel] = []
        for model in self.models:
            require_model(model)
            flat += model.models if isinstance(model, Combination) else (model,)
        if not flat:
            raise ProtocolError("a combination of no models was asked for; give at least one")
        object.__setattr__(self, "models", tuple(flat))

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """The models."""
        return self.models

    @property
    def name(self) -> str:
        """The parts' names, joined by ``&``."""
        return " & ".join(model.name for model in self.models)

    @property
    def monotone(self) -> Monotone:
        """Monotone where all parts are."""
        return Monotone(
            generalization=all(model.monotone.generalization for model in self.models),
            suppression=all(model.monotone.suppression for model in self.models),
        )

    @property
    def looks_at_values(self) -> bool:
        """Whether a part looks at more than the sizes of the classes."""
        return any(getattr(model, "looks_at_values", True) for model in self.models)

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Evaluate every part, and decide them together."""
        classes = in_shape(classes, ClassCounts)
        parts = tuple(model.evaluate(classes) for model in self.models)
        broken = np.zeros(len(classes), dtype=np.int64)
        for part in parts:
            broken[part.violating] += 1
        status = _joint_status(part.status for part in parts)
        found = result(
            self,
            classes,
            Rationals(broken, np.ones_like(broken)),
            citation="; ".join(dict.fromkeys(part.citation for part in parts)),
            parameters={"models": "; ".join(map(_asked, parts))},
            threshold=None if status == "measured" else Fraction(0),
            worst_is="largest",
            reading="how many of its parts the worst class violates",
        )
        return replace(
            found,
            status=status,
            threshold=None,
            relation=None,
            conventions=_joint_conventions(parts),
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
            parts=parts,
        )


def all_of(models: Sequence[PrivacyModel]) -> PrivacyModel:
    """Return one model that asks for all of these: the only one itself, or their combination."""
    return require_model(models[0]) if len(models) == 1 else Combination(tuple(models))


def _asked(part: ModelResult) -> str:
    return f"{part.model} ({', '.join(f'{name} = {text}' for name, text in part.parameters.items())})"


def united(
    model: PrivacyModel,
    classes: ClassCounts,
    main: ModelResult,
    others: Sequence[ModelResult],
    *,
    citation: str,
    parameters: Mapping[str, str],
    title: str = "",
) -> ModelResult:
    """Answer for a model that asks for several things at once: all parts must hold.

    Value, margin and worst classes are those of the `main` part; status, violating classes and records at risk are
    those of all parts together. The threshold is that of the `main` part too where it explains the status; where
    another part does, only that part has it.
    """
    parts = (main, *others)
    violating = np.unique(np.concatenate([part.violating for part in parts])).astype(np.intp)
    status = _joint_status(part.status for part in parts)
    return replace(
        main,
        model=model.name,
        title=title,
        threshold=main.threshold if main.status == status else None,
        citation=citation,
        parameters=parameters,
        status=status,
        violating=violating,
        records_at_risk=int(classes.people[violating].sum()),
        monotone=model.monotone,
        conventions=_joint_conventions(parts),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        parts=parts,
    )


def _joint_conventions(parts: Sequence[ModelResult]) -> Conventions:
    """Return the conventions of all parts; where parts choose differently, each choice with its model's name."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(name for part in parts for name in part.conventions):
        chosen = {part.model: part.conventions[name] for part in parts if name in part.conventions}
        same = len(set(chosen.values())) == 1
        found[name] = next(iter(chosen.values())) if same else "; ".join(f"{m}: {c}" for m, c in chosen.items())
    return Conventions(found)


def _joint_status(statuses: Iterable[Status]) -> Status:
    """Return ``violated`` or else ``undecided`` if any status is; else ``satisfied`` if anything was decided."""
    found = set(statuses)
    order: tuple[Status, ...] = ("violated", "undecided", "satisfied")
    return next((status for status in order if status in found), "measured")
