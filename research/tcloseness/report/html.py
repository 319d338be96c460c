"""An audit as one self-contained HTML page: the answer first, then the numbers, the figures, what was assumed.

The page opens from disk: style and figures are inside, there is no script, and nothing is fetched. Every text from the
table is escaped by the template engine. Importing this module loads matplotlib, making a page jinja2.
"""

from __future__ import annotations

import base64
import io
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tcloseness import __version__
from tcloseness.audit import AttributeAudit, Audit
from tcloseness.conventions import MEANINGS
from tcloseness.models import ModelResult
from tcloseness.models.catalogue import NAMED
from tcloseness.page_templates import rendered
from tcloseness.report import audit_figures, wording
from tcloseness.report.audit_figures import MOST_VALUES
from tcloseness.report.drawing import Figure, FigureCanvasSVG, Markup, escape, mpl
from tcloseness.report.short_text import printable, shortened
from tcloseness.report.wording import Letters

__all__ = ["SIGNS", "CaptionedFigure", "attribute_figures", "inline_svg", "page", "whole_number"]

SIGNS = {"satisfied": "✓", "violated": "✗", "undecided": "?", "measured": ""}
"""A verdict never rests on its colour."""


_MEANINGS = {
    "equivalence classes": "the groups of records with the same quasi-identifiers",
    "quasi-identifiers": "the columns that an outsider may know about a person",
    "ground distance": "how far apart two values are",
    "order": MEANINGS["order of the values"],
    "m": "how many values the sensitive attribute has",
    "recursive (c,l)": MEANINGS["comparison"],
}
"""What the lines are about that are not conventions."""


@dataclass(frozen=True)
class CaptionedFigure:
    """A figure with the question that it answers and how it is read."""

    question: str
    caption: str
    svg: Markup


def page(
    audit: Audit,
    *,
    table: str = "",
    grounds: Mapping[str, str] | None = None,
    command: str = "",
    digest: str = "",
    certificate: str = "",
    without: str = "",
    known: Mapping[str, str] | None = None,
) -> str:
    """Return the page of an audit.

    Parameters
    ----------
    audit
        What `tcloseness.check` answered; to withhold its values, `tcloseness.report.redaction.redacted` of it.
    table
        The name of the table, for the reader.
    grounds
        Per sensitive attribute the ground distance as the reader knows it.
    command
        How the same audit is made again.
    digest
        The sha256 of the table, where it may be known.
    certificate
        The audit's certificate, as JSON; it is kept in the page.
    without
        Why there is none.
    known
        What the table gives away to somebody who knows how it was made, by what of it is known, without a value of it.
    """
    proof = json.loads(certificate) if certificate else {}
    letters, drawn = Letters(), _Figures()
    first = audit.attributes[0].classes
    table_lines = wording.lines_of(wording.of_the_table(audit), first, letters)
    table_lines += wording.lines_over_rows(audit.attributes[0], letters, of_table=True)
    return rendered(
        "report",
        "check.html",
        version=__version__,
        number=_number,
        whole=whole_number,
        signs=SIGNS,
        audit=audit,
        unit=first.unit,
        table=printable(table) or "the table",
        answer=_sentence(wording.answer(audit)),
        sentences=wording.gives_away(audit),
        table_lines=table_lines,
        table_figures=[
            drawn.of(
                audit_figures.class_sizes(first),
                "How large are the classes?",
                f"All {first.unit}s by the size of their class: to the left, few people share the quasi-identifiers.",
            )
        ],
        losses=wording.losses_of(audit),
        multi_attribute=wording.multi_attribute_of(audit),
        attributes=[_attribute(attribute, letters, drawn) for attribute in audit.of_values],
        assumed=[
            (shortened(name), printable(choice), _meaning(name))
            for name, choice in wording.assumptions(audit, table, grounds or {}).items()
        ],
        citations=_citations(audit),
        notes=wording.notes_of(audit),
        command=printable(command),
        digest=digest,
        proof=proof,
        certificate=base64.b64encode(certificate.encode()).decode(),
        without=printable(without),
        known={printable(name): printable(said) for name, said in (known or {}).items()},
    )


class _Figures:
    """Gives each figure of a page a name of its own."""

    def __init__(self) -> None:
        self.number = 0

    def of(self, figure: Figure, question: str, caption: str) -> CaptionedFigure:
        self.number += 1
        return CaptionedFigure(
            question, caption, inline_svg(figure, name=f"p{self.number}", label=f"{question} {caption}")
        )


def _attribute(attribute: AttributeAudit, letters: Letters, drawn: _Figures) -> dict[str, object]:
    classes, results = attribute.classes, wording.of_the_attribute(attribute)
    lines = wording.lines_of(results, classes, letters) + wording.lines_over_rows(attribute, letters, of_table=False)
    return {
        "title": wording.attribute_title(attribute),
        "attacks": wording.attacks_of(attribute),
        "distances": wording.distances_of(attribute),
        "lines": lines,
        "worst": [
            {
                "letter": letters.of(classes, index),
                "text": letters.texts[letters.of(classes, index)],
                "records": int(classes.people[index]),
                "counts": wording.class_counts_text(classes, index),
            }
            for index in wording.worst_classes(results)
        ],
        "figures": [drawn.of(figure, *words) for *words, figure in attribute_figures(attribute, letters)],
    }


def attribute_figures(attribute: AttributeAudit, letters: Letters) -> Iterator[tuple[str, str, Figure]]:
    """Draw what t-closeness says of an attribute: each figure after the question that it answers and its caption."""
    for result in wording.of_the_attribute(attribute):
        if result.model == NAMED["t"].name:
            yield from _distance_figures(attribute, result, letters)


def _distance_figures(
    attribute: AttributeAudit, result: ModelResult, letters: Letters
) -> Iterator[tuple[str, str, Figure]]:
    """Draw where the distances are, whom a threshold puts at risk, and the farthest class."""
    classes, index = attribute.classes, int(result.worst[0])
    name, values = letters.of(classes, index), result.values.floats()
    # a threshold that no table can break may lie anywhere beyond the figure
    t = result.threshold if isinstance(result.threshold, Fraction) and not result.unbreakable else None
    few = len(classes.domain) <= MOST_VALUES
    some = "" if few else f" Of {len(classes.domain)} values, the {MOST_VALUES} largest differences are shown."
    yield (
        "How far is each class from the whole table?",
        f"{result.parameters.get('measure', 'distance')}, by the size of the class. "
        "A larger or darker mark is more classes.",
        audit_figures.distances(classes, values, t),
    )
    yield (
        f"How many {classes.unit}s are at risk, whatever the threshold?",
        f"For each threshold t, the {classes.unit}s in classes farther away than t: 0 where the table is t-close.",
        audit_figures.records_beyond(classes, values, t),
    )
    arrows = few and attribute.ground is not None
    yield (
        f"How does the farthest class ({name}) differ?",
        "Its distribution P beside the reference Q."
        + (" The arrows are the mass that moves, at the least cost, to turn P into Q." if arrows else "")
        + some,
        audit_figures.class_against_reference(classes, index, attribute.ground),
    )
    yield (
        f"What does an outsider learn about its members ({name})?",
        "The belief in each value before (Q) and after finding the class (P); grey: the range over all classes." + some,
        audit_figures.values_believed(classes, index),
    )


def _meaning(name: str) -> str:
    return MEANINGS.get(name) or _MEANINGS.get(name.partition(" of ")[0], "")


def _citations(audit: Audit) -> list[tuple[str, str]]:
    results: Sequence[ModelResult] = [r for attribute in audit.attributes for r in attribute.results]
    return list(dict.fromkeys((wording.model_text(r), r.citation) for r in results))


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def whole_number(text: str) -> str:
    """Return a number whose sign is not parted from it at a line's end."""
    return text.replace("≈ ", "≈\N{NO-BREAK SPACE}").replace("= ", "=\N{NO-BREAK SPACE}").replace("-", "\N{MINUS SIGN}")


# ---------------------------------------------------------------------- a figure inside a page

_RASTER = 144
"""Dots per inch of what is rasterised."""

_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_COMMENTS = re.compile(r"<!--.*?-->", re.DOTALL)
_NAMESPACES = re.compile(r' xmlns(:\w+)?="[^"]*"')
_STYLE = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
_SIZE = re.compile(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"')
_TAG = re.compile(r"<[^<>]*>")
_FAMILY = re.compile(r" font-family: [^;\"]*;")
_IDS = re.compile(r'( id="|url\(#|xlink:href="#)')
_BLANKS = re.compile(r"\s*\n\s*")


def inline_svg(figure: Figure, *, name: str, label: str) -> Markup:
    """Return a figure as an ``<svg>`` element: text in the page's own font, and nothing that points elsewhere.

    Parameters
    ----------
    figure
        A matplotlib figure; parts that it asks to rasterise are embedded.
    name
        A prefix for all ids in it, unlike that of any other figure of the page.
    label
        What the figure shows, for those who do not see it.
    """
    target = io.StringIO()
    # the texts are measured in matplotlib's font, which may lack a sign that the reader's browser has
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tcloseness"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing", category=UserWarning)
        figure.dpi = _RASTER
        # figure.savefig would draw everything twice
        FigureCanvasSVG(figure).print_svg(target, metadata={"Date": None})
    text = target.getvalue()
    # no cell can look like these parts: every < and > of a cell is escaped
    for pattern in (_PROLOGUE, _METADATA, _COMMENTS, _STYLE):
        text = pattern.sub("", text, count=0 if pattern is _COMMENTS else 1)
    head, bracket, body = text.partition(">")
    head = _SIZE.sub(r"\1", _NAMESPACES.sub("", head))
    head += f' role="img" aria-label="{escape(label)}"'
    body = _TAG.sub(lambda tag: _BLANKS.sub(" ", _IDS.sub(rf"\g<1>{name}-", _FAMILY.sub("", tag[0]))), body)
    return Markup(head + bracket + _BLANKS.sub("\n", body).strip())
