"""Models that fail, die or take long, as a sweep over many may meet them."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from typing import Any

from tcloseness import KAnonymity
from tcloseness.microdata import ClassCounts

__all__ = ["DyingModel", "FailingModel", "SlowModel"]


@dataclass(frozen=True)
class _Toy(KAnonymity):
    k: Any = 2


@dataclass(frozen=True)
class FailingModel(_Toy):
    """A model with a fault."""

    def evaluate(self, classes: ClassCounts) -> Any:
        """Fail."""
        return 1 / 0


@dataclass(frozen=True)
class DyingModel(_Toy):
    """A model that takes the whole process with it, as too little memory does."""

    def evaluate(self, classes: ClassCounts) -> Any:
        """Die."""
        os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class SlowModel(_Toy):
    """A model that takes a while."""

    seconds: float = 30

    def __init__(self, seconds: float = 30) -> None:
        super().__init__(2)
        object.__setattr__(self, "seconds", seconds)

    def evaluate(self, classes: ClassCounts) -> Any:
        """Wait, and answer as k-anonymity."""
        time.sleep(self.seconds)
        return super().evaluate(classes)
