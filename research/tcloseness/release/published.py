"""`Published`: what every answer offers that has a release."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcloseness.microdata import ClassCounts

if TYPE_CHECKING:
    from tcloseness.release.release import Release

__all__ = ["Published"]


class Published:
    """An answer with a release: an optimum, a heuristic's table, a node of a lattice, or a release itself."""

    @property
    def release(self) -> Release:
        """What is published, beside the original."""
        raise NotImplementedError

    @property
    def table(self) -> pd.DataFrame:
        """The published table as a frame, see `Release.table`."""
        return self.release.table

    @property
    def classes(self) -> ClassCounts:
        """The published classes' counts; Q is that of all records."""
        return self.release.classes

    def losses(self, **options: Any) -> dict[str, Any]:
        """Return what the release costs, by the loss's name: `tcloseness.loss.losses` of it, with its options."""
        room = importlib.import_module("tcloseness.loss")  # a room above this one, which is loaded when it is asked for
        found: dict[str, Any] = room.losses(self.release, **options)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-ready data, without the rows."""
        raise NotImplementedError

    def record(self) -> dict[str, Any]:
        """Return the answer and its release as JSON-ready data, without the rows: to be kept beside the table."""
        release = self.release
        return self.to_dict() if release is self else {**self.to_dict(), "release": release.to_dict()}
