"""What the tests of pages share: audits, a reader of a page's structure, and a table full of hostile texts."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pandas as pd

from tcloseness.audit import AttributeAudit, Audit, check
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import ModelResult, TCloseness

PAPERS = Path(__file__).parents[2] / "data" / "papers"
DISEASES = Hierarchy.from_csv(PAPERS / "disease_hierarchy.csv")

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</svg></style><b>&amp;</b>",
    "$\\frac{1}{2}$ and $x$",
    "{{ 7 * 7 }}",
    "-->",
    "url(#a) id=\"b\" font-family: 'c';",
    "\x1b[31mred\x00",
    "漢字",
)
"""Values that a page must show as they are."""

_VOID = {"meta", "link", "br", "img", "input", "hr"}


def salaries_and_diseases(**thresholds) -> Audit:
    table = FrequencySet.from_frame(
        pd.read_csv(PAPERS / "li_table4.csv"),
        quasi_identifiers=["ZIP Code", "Age"],
        sensitive=["Salary", "Disease"],
    )
    return check(table, ground={"Salary": "ordered", "Disease": DISEASES}, **thresholds)


def audit_of(rows, *, ground="equal", **thresholds) -> Audit:
    """An audit of (class, value) rows, in columns named q and v."""
    frame = pd.DataFrame(rows, columns=["q", "v"])
    table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="v")
    return check(table, ground={"v": ground}, **thresholds)


def t_closeness(attribute: AttributeAudit) -> ModelResult:
    """The result of t-closeness, wherever it stands."""
    (found,) = (result for result in attribute.results if result.model == TCloseness.name)
    return found


class Structure(HTMLParser):
    """The elements and texts of a page; unbalanced tags are an error."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    @property
    def text(self) -> str:
        """Everything that a reader sees."""
        return " ".join(" ".join(data for tag, data in self.texts if tag not in ("style", "script")).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]
