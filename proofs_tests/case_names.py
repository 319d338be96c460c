"""How cases of tests are named: the same in every process, or the workers of a run would collect different tests."""

from __future__ import annotations

import re

__all__ = ["shown"]


def shown(value: object) -> str:
    """Return the text of a case without the place in memory that Python writes for objects without a text."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
