"""The short names of the reports: what each means, where it is used first, and in a glossary."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tcloseness.errors import StudyError

__all__ = ["SHORT_NAME", "Entry", "Explained", "glossary", "short_names"]

_FILE = Path(__file__).resolve().parent / "glossary.toml"

SHORT_NAME = re.compile(r"(?<![\w§])(?:[A-Z]{2,}[A-Z0-9]*|[A-Z]\d+)(?![A-Za-z0-9_])")
"""A short name: two capitals or more, or a capital and a number."""


@dataclass(frozen=True)
class Entry:
    """A name of the glossary.

    Attributes
    ----------
    name
        The name.
    text
        What it means.
    short
        The same in a few words, for the place where a short name is used first.
    """

    name: str
    text: str
    short: str = ""


@cache
def glossary() -> Mapping[str, Entry]:
    """Return the glossary: names, also those that another entry explains, to entries.

    Raises
    ------
    StudyError
        For an entry without a text.
    """
    content = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    entries = {name: Entry(name, **entry) for name, entry in content.items() if "see" not in entry}
    for name, entry in content.items():
        if "see" in entry:
            if entry["see"] not in entries:
                raise StudyError(f"the glossary explains {name!r} by {entry['see']!r}, which has no entry there")
            entries[name] = entries[entry["see"]]
    return entries


def short_names(text: str) -> list[str]:
    """Return the short names in a text, each once, in order.

    Examples
    --------
    >>> short_names("The EMD of TC-12 under T1 and S1, by Table 5 of the EMD")
    ['EMD', 'TC', 'T1', 'S1']
    """
    return list(dict.fromkeys(SHORT_NAME.findall(text)))


class Explained:
    """Texts in a reader's order, cut where a short name is used first."""

    def __init__(self) -> None:
        self.used: dict[str, Entry] = {}

    def parts(self, text: str) -> Iterator[tuple[str, Entry | None]]:
        """Yield a text in pieces, and after a piece that ends with a name's first use, its entry."""
        begin = 0
        for match in SHORT_NAME.finditer(text):
            entry = glossary().get(match[0])
            if entry is not None and entry.name not in self.used:
                self.used[entry.name] = entry
                yield text[begin : match.end()], entry
                begin = match.end()
        yield text[begin:], None
