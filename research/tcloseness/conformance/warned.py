"""What in a harness's messages is probably a slip: names that nobody knows, and fields that are never read."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any

from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.protocol import RESULT_FIELDS, Implementation
from tcloseness.conformance.readings import READINGS

__all__ = ["result_warnings", "start_warnings"]

_MOST, _LONGEST = 20, 60
"""How many fields of a result are looked at, and how much of a name: there are four, with short names."""

_FIELDS_MEANT = {"result": "value", "k": "value", "l": "value", "t": "value", "holds": "satisfied", "ok": "satisfied"}


def start_warnings(said: Implementation) -> list[str]:
    """Return what is odd in the answer to ``start``: algorithms and conventions that do not exist."""
    found = [
        f"algorithm {name!r} is unknown, so it is never asked{_meant(name, ALGORITHMS, 'the names are in protocol.md')}"
        for name in said.algorithms
        if name not in ALGORITHMS
    ]
    conventions = [name for name, reading in READINGS.items() if reading.kind == "convention"]
    for name in said.conventions:
        if name in READINGS and name not in conventions:
            found.append(f"{name!r} is a mistake and no convention, so declaring it changes nothing")
        elif name not in READINGS:
            listed = "tcloseness conform show lists all"
            found.append(f"convention {name!r} is unknown, so it changes nothing{_meant(name, conventions, listed)}")
    return found


def result_warnings(fields: Mapping[str, Any]) -> list[str]:
    """Return what is odd in a result: fields that are not the protocol's."""
    found = []
    for name in (name[:_LONGEST] for name in islice(fields, _MOST)):
        if name not in RESULT_FIELDS:
            meant = _FIELDS_MEANT.get(name.casefold())
            hint = _meant(name, RESULT_FIELDS, f"the fields are {', '.join(RESULT_FIELDS)}", meant)
            found.append(f"a result has the field {name!r}, which is not read{hint}")
    return found


def _meant(name: str, known: Collection[str], otherwise: str, meant: str | None = None) -> str:
    near = [meant] if meant else difflib.get_close_matches(name.casefold().replace("_", "-"), known, 1)
    return f"; did you mean {near[0]!r}?" if near else f"; {otherwise}"
