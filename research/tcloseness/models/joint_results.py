"""One answer from several: how the results of a model's parts make the result of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tcloseness.conventions import Conventions
from tcloseness.microdata import ClassCounts
from tcloseness.models.protocol import ModelResult, PrivacyModel, Status

__all__ = ["joint_conventions", "joint_status", "united"]


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
    status = joint_status(part.status for part in parts)
    return replace(
        main,
        model=model.name,
        title=title,
        threshold=main.threshold if main.status == status else None,
        citation=citation,
        parameters=parameters,
        status=status,
        violating=violating,
        records_at_risk=int(classes.class_sizes[violating].sum()),
        monotone=model.monotone,
        conventions=joint_conventions(parts),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        parts=parts,
    )


def joint_conventions(parts: Sequence[ModelResult]) -> Conventions:
    """Return the conventions of all parts; where parts choose differently, each choice with its model's name."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(name for part in parts for name in part.conventions):
        chosen = {part.model: part.conventions[name] for part in parts if name in part.conventions}
        same = len(set(chosen.values())) == 1
        found[name] = next(iter(chosen.values())) if same else "; ".join(f"{m}: {c}" for m, c in chosen.items())
    return Conventions(found)


def joint_status(statuses: Iterable[Status]) -> Status:
    """Return ``violated`` or else ``undecided`` if any status is; else ``satisfied`` if anything was decided."""
    found = set(statuses)
    order: tuple[Status, ...] = ("violated", "undecided", "satisfied")
    return next((status for status in order if status in found), "measured")
