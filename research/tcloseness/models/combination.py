"""`&`: several models asked of one table at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.errors import ProtocolError
from tcloseness.exact import Rationals
from tcloseness.microdata import ClassCounts
from tcloseness.models.joint_results import joint_conventions, joint_status
from tcloseness.models.protocol import ModelResult, Monotone, PrivacyModel, result

__all__ = ["Combinable", "Combination"]


class Combinable:
    """What lets a model be combined: ``model & other`` asks for both."""

    def __and__(self, other: Any) -> Combination:
        return Combination((self, other)) if isinstance(other, PrivacyModel) else NotImplemented

    def __rand__(self, other: Any) -> Combination:
        return Combination((other, self)) if isinstance(other, PrivacyModel) else NotImplemented


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

    models: tuple[Any, ...]

    def __post_init__(self) -> None:
        flat: list[PrivacyModel] = []
        for model in self.models:
            if not isinstance(model, PrivacyModel):
                raise ProtocolError(f"{model!r} is no privacy model; it needs name, monotone and evaluate(classes)")
            flat += model.models if isinstance(model, Combination) else (model,)
        if not flat:
            raise ProtocolError("a combination of no models was asked for; give at least one")
        object.__setattr__(self, "models", tuple(flat))

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

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Evaluate every part, and decide them together."""
        parts = tuple(model.evaluate(classes) for model in self.models)
        broken = np.zeros(len(classes), dtype=np.int64)
        for part in parts:
            broken[part.violating] += 1
        status = joint_status(part.status for part in parts)
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
            conventions=joint_conventions(parts),
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
            parts=parts,
        )


def _asked(part: ModelResult) -> str:
    return f"{part.model} ({', '.join(f'{name} = {text}' for name, text in part.parameters.items())})"
