"""How results show themselves: in notebooks, as pages, as pictures and in sentences, from the report's own pieces.

`tcloseness.displayed` asks here, by this module's name. A result of any class has a page of its words, its sentences,
its rows and its pictures; what is registered here for a class adds what the report says of it already.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcloseness import __version__
from tcloseness.anonymize import Anatomized
from tcloseness.attacks import Disclosure
from tcloseness.audit import AttributeAudit, Audit
from tcloseness.axioms import ReportCard
from tcloseness.comparison import Comparison
from tcloseness.conformance.reports import matrix_page, summary
from tcloseness.conformance.runner import Report
from tcloseness.displayed import Displayed, Explained, Pictured
from tcloseness.errors import InputError, MissingPackageError
from tcloseness.ground.base import PackageGround
from tcloseness.lattice import SearchResult
from tcloseness.lattice.search_answer import PartialSearchAnswer, SearchAnswer
from tcloseness.loss import LossResult
from tcloseness.microdata import ClassCounts, Hierarchy, TreeNode
from tcloseness.microdata.domain import value_text
from tcloseness.models import ModelResult
from tcloseness.page_templates import rendered
from tcloseness.release import Anonymized
from tcloseness.report import wording
from tcloseness.report.comparison_text import cell_text, sentences as sentences_of_comparison
from tcloseness.report.redaction import redacted, redacted_result
from tcloseness.report.search_text import answer_of_search, loss_text
from tcloseness.report.short_text import decimal_text, printable, shortened
from tcloseness.transport import Certificate
from tcloseness.writing import write_files

if TYPE_CHECKING:
    from tcloseness.report.drawing import Figure

__all__ = ["Picture", "Pictures", "Shown", "explained", "page", "pictures", "shown"]

MOST_ROWS = 12
"""So many rows are shown; `to_frame` has all."""

_LONGEST_CELL = 120


@dataclass(frozen=True)
class Shown:
    """A result as HTML; a notebook shows it, and ``str()`` is its text."""

    html: str

    def _repr_html_(self) -> str:
        return self.html

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<Shown: {len(self.html)} characters of HTML>"


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with the question that it answers and how it is read."""

    question: str
    caption: str
    figure: Figure

    def svg(self) -> str:
        """Return it as an ``<svg>`` element with ids of its own."""
        from matplotlib.text import Text

        from tcloseness.report.html import inline_svg

        label = f"{self.question} {self.caption}"
        drawn = [label, *(each.get_text() for each in self.figure.findobj(Text))]
        return inline_svg(self.figure, name=f"p{hashlib.sha256(repr(drawn).encode()).hexdigest()[:8]}", label=label)


@dataclass(frozen=True, eq=False)
class Pictures(Sequence[Picture]):
    """The pictures of a result; a notebook shows them."""

    each: tuple[Picture, ...]

    def __len__(self) -> int:
        return len(self.each)

    def __getitem__(self, index: Any) -> Any:
        return Pictures(self.each[index]) if isinstance(index, slice) else Pictures((self.each[index],))

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of matplotlib."""
        return tuple(picture.figure for picture in self.each)

    def __repr__(self) -> str:
        return f"<Pictures: {', '.join(picture.question for picture in self.each):.250}>"

    def _repr_html_(self) -> str:
        return _fragment(pictures=self.each)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the picture as a file: PNG, SVG or PDF by its suffix.

        Raises
        ------
        InputError
            If there are several, of which ``[i]`` is one; or if there is such a file, and `force` is not given.
        """
        from tcloseness.report.figures import image

        if len(self) != 1:
            raise InputError(f"there are {len(self)} pictures, and a file holds one; choose one, such as [0]")
        write_files({path: lambda: image(self.each[0].figure, Path(path).suffix)}, force=force)


def shown(found: Displayed, *, redact: bool) -> Shown:
    """Return a result as a notebook shows it."""
    try:
        return Shown(_fragment(**_pieces(found, redact)))
    except MissingPackageError as error:
        from html import escape

        return Shown(f"<pre>{escape(repr(found))}\n{escape(str(error))}</pre>")


def page(found: Displayed, *, redact: bool, more: Sequence[str] = ()) -> str:
    """Return a result as a self-contained page: the report's own where there is one, else with further sentences."""
    if own := _own_page(_told(found, redact)):
        return own
    pieces = _pieces(found, redact)
    pieces["sentences"] = [*pieces["sentences"], *more]
    return rendered("report", "shown_page.html", title=type(found).__name__, version=__version__, **_context(pieces))


def explained(found: Explained, *, redact: bool) -> str:
    """Return what a result says, in sentences."""
    return "\n".join(_sentences(_told(found, redact)))


def pictures(found: Pictured, *, redact: bool) -> Pictures:
    """Return the pictures of a result."""
    return Pictures(tuple(_pictures(_told(found, redact), redact)))


# ---------------------------------------------------------------------- what may be told


def _told(found: Any, redact: bool) -> Any:
    return _withholding(found) if redact else found


@singledispatch
def _withholding(found: Any) -> Any:
    """Return a result without values of the table; columns of rows are left out besides, see `Displayed`."""
    return found


@_withholding.register
def _(found: Audit) -> Audit:
    return redacted(found)


@_withholding.register
def _(found: AttributeAudit) -> AttributeAudit:
    return redacted(_alone(found)).attributes[0]


@_withholding.register
def _(found: ModelResult) -> ModelResult:
    return redacted_result(found)


@_withholding.register(Anonymized)
@_withholding.register(Anatomized)
def _(found: Any) -> Any:
    return replace(found, verdict=redacted_result(found.verdict))


@_withholding.register
def _(found: Certificate) -> Certificate:
    return replace(found, labels=())


# ---------------------------------------------------------------------- the pieces of any result


def _pieces(found: Displayed, redact: bool) -> dict[str, Any]:
    told = _told(found, redact)
    withheld = set(told._withheld) if redact else set()
    rows, more = _rows(told, withheld)
    names = list(dict.fromkeys(name for row in rows for name in row))
    verdicts, sentences = _verdicts(told), _above_rows(told) if isinstance(found, Explained) else []
    return {
        "kind": type(found).__name__,
        "said": found._said(),
        "sentences": [each for each in sentences if each != found._said()],
        "verdicts": verdicts,
        "names": [] if verdicts else list(map(_cell, names)),
        "rows": [[_cell(row.get(name)) for name in names] for row in rows],
        "more": more,
        "withheld": redact and bool(withheld or verdicts or told != found),
        "pictures": _pictures(told, redact) if isinstance(found, Pictured) else (),
    }


def _cell(cell: Any) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return f"{int(cell):,}"
    return shortened(f"{cell:.6g}" if isinstance(cell, float) else printable(str(cell)), _LONGEST_CELL)


def _context(pieces: dict[str, Any]) -> dict[str, Any]:
    from markupsafe import Markup

    from tcloseness.report.html import SIGNS, CaptionedFigure, whole_number

    empty: dict[str, Any] = {"kind": "", "said": "", "sentences": [], "verdicts": [], "names": [], "rows": []}
    drawn = [CaptionedFigure(p.question, p.caption, Markup(p.svg())) for p in pieces.get("pictures", ())]
    facts = {"more": False, "withheld": False, "signs": SIGNS, "whole": whole_number, "unit": "record"}
    return {**empty, **facts, **pieces, "figures": drawn}


def _fragment(**pieces: Any) -> str:
    return rendered("report", "shown.html", **_context(pieces))


# ---------------------------------------------------------------------- what the report says of some


@singledispatch
def _own_page(found: Any) -> str:
    return ""


@_own_page.register
def _(found: Audit) -> str:
    from tcloseness.report.html import page

    return page(found)


@_own_page.register
def _(found: ReportCard) -> str:
    from tcloseness.report.card_page import card_page

    return card_page(found)


@_own_page.register
def _(found: Report) -> str:
    return matrix_page([found.to_dict()])


@singledispatch
def _sentences(found: Any) -> list[str]:
    """Return what a result says: its own sentence, else the words of its repr."""
    return [str(getattr(found, "sentence", "") or getattr(found, "statement", "") or found._said())]


@_sentences.register
def _(found: Audit) -> list[str]:
    return [wording.answer(found), *wording.gives_away(found)]


@_sentences.register
def _(found: AttributeAudit) -> list[str]:
    return _sentences(_alone(found))


@_sentences.register
def _(found: ModelResult) -> list[str]:
    return [f"{wording.model_text(found)} {wording.HOLDS[found.status]}: {wording.comparison(found)}", *found.notes]


@_sentences.register(Anonymized)
@_sentences.register(Anatomized)
def _(found: Any) -> list[str]:
    return [f"{found._said()}.", *_sentences(found.verdict)]


@_sentences.register(SearchAnswer)
@_sentences.register(PartialSearchAnswer)
def _(found: Any) -> list[str]:
    asked = found.model.name if isinstance(found, SearchAnswer) else "what was asked"
    return answer_of_search(found, asked)


@_sentences.register
def _(found: LossResult) -> list[str]:
    low, high = (decimal_text(bound) for bound in found.bounds)
    return [f"{found.loss} is {loss_text(found)}, between {low} and {high}; {found.better} is better.", found.formula]


@_sentences.register
def _(found: Comparison) -> list[str]:
    return sentences_of_comparison(found)


@_sentences.register
def _(found: ReportCard) -> list[str]:
    return found.text().splitlines()


@_sentences.register
def _(found: Report) -> list[str]:
    return [summary(found.to_dict())]


def _alone(attribute: AttributeAudit) -> Audit:
    """Return an attribute as an audit of its own."""
    classes = attribute.classes
    return Audit((attribute,), classes.records, classes.suppressed, len(classes), classes.conventions)


@singledispatch
def _above_rows(found: Any) -> list[str]:
    """Return what is said above the rows: all that `explain` says, but for what is in the rows."""
    return _sentences(found)


@_above_rows.register
def _(found: ReportCard) -> list[str]:
    prunes = "; ".join(f"{answer}, {what}" for what, answer in found.searches.items())
    failed = [each for each in found if each.status in ("fails", "unexpected pass")]
    return [*(each.sentence for each in failed), f"May a search prune? {prunes}."]


@singledispatch
def _rows(found: Any, withheld: Collection[str]) -> tuple[list[Mapping[str, Any]], bool]:
    """Return the rows that are shown, without what is withheld, and whether there are more."""
    rows = ({name: cell for name, cell in row.items() if name not in withheld} for row in found._frame_rows())
    shown = iter(_one_a_class(rows) if withheld else rows)
    return list(islice(shown, MOST_ROWS)), next(shown, None) is not None


def _one_a_class(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Add up the records of the rows of a class that differ in nothing else, once values are withheld."""
    last: dict[str, Any] | None = None
    for row in rows:
        if last is not None and "class" in row and {**row, "records": last.get("records")} == last:
            last["records"] += row["records"]
            continue
        if last is not None:
            yield last
        last = row
    if last is not None:
        yield last


@_rows.register
def _(found: ReportCard, withheld: Collection[str]) -> tuple[list[Mapping[str, Any]], bool]:
    return [{"law": each.name, "verdict": str(each.verdict), "says": each.check.statement} for each in found], False


@_rows.register
def _(found: Comparison, withheld: Collection[str]) -> tuple[list[Mapping[str, Any]], bool]:
    """Return a quantity a row and a release a column; sensitive attributes stand first where there are several."""
    better, cells = found._wide()
    several = len({sensitive for kind, sensitive, _ in better if kind == "privacy"}) > 1
    rows: list[Mapping[str, Any]] = []
    for about, which in better.items():
        _, sensitive, quantity = about
        own = {**({"sensitive": sensitive or None} if several else {}), "quantity": quantity, "better": which}
        numbers = {_named(each.name): cell_text(cells.get((each.name, about))) for each in found.releases}
        rows.append({**own, **numbers})
    return rows, False


def _named(release: str) -> str:
    """Return what stands above the values of a release, which is none of the other columns' names."""
    return f"release {release}" if re.fullmatch("(release )*(sensitive|quantity|better)", release) else release


@singledispatch
def _verdicts(found: Any) -> list[tuple[str, list[wording.Line]]]:
    """Return tables of verdicts, with their headings."""
    return []


@_verdicts.register
def _(found: Audit) -> list[tuple[str, list[wording.Line]]]:
    first, letters = found.attributes[0].classes, wording.Letters()
    tables = [("The table", wording.lines_of(wording.of_the_table(found), first, letters))]
    for each in found.attributes:
        lines = wording.lines_of(wording.of_the_attribute(each), each.classes, letters)
        tables.append((wording.attribute_title(each), lines))
    return tables


@_verdicts.register
def _(found: AttributeAudit) -> list[tuple[str, list[wording.Line]]]:
    return _verdicts(_alone(found))


# ---------------------------------------------------------------------- pictures


@singledispatch
def _pictures(found: Any, redact: bool) -> Iterator[Picture]:
    yield from ()


@_pictures.register
def _(found: ClassCounts, redact: bool) -> Iterator[Picture]:
    from tcloseness.report.audit_figures import class_sizes

    caption = f"All {found.unit}s by the size of their class."
    yield Picture("How large are the classes?", caption, class_sizes(found))


@_pictures.register(Audit)
@_pictures.register(AttributeAudit)
def _(found: Any, redact: bool) -> Iterator[Picture]:
    from tcloseness.report.html import attribute_figures

    attributes, letters = found.attributes if isinstance(found, Audit) else (found,), wording.Letters()
    yield from _pictures(attributes[0].classes, redact)
    for attribute in attributes:
        yield from (Picture(*each) for each in attribute_figures(attribute, letters))


@_pictures.register
def _(found: Comparison, redact: bool) -> Iterator[Picture]:
    from tcloseness.report.comparison_figures import panels, side_by_side

    for kind, question in (("privacy", "What does each release give away?"), ("loss", "What does each release lose?")):
        drawn, left_out = panels(found, kind)
        if drawn:
            more = f" {left_out} more are in the table." if left_out else ""
            marks = "The line is the threshold, a diamond breaks it. " if any(each.threshold for each in drawn) else ""
            yield Picture(question, f"{marks}The hollow point is the table itself.{more}", side_by_side(drawn))


@_pictures.register
def _(found: Certificate, redact: bool) -> Iterator[Picture]:
    from tcloseness.report.figures import plot_moves

    yield Picture("What is moved?", "Bars are P and Q, arcs the mass that moves.", plot_moves(found))


@_pictures.register
def _(found: TreeNode, redact: bool) -> Iterator[Picture]:
    from tcloseness.report.structure_figures import tree

    figure, left_out = tree(found, labels=not redact)
    caption = f"From the root to {len(found.leaves())} values. {left_out}".strip()
    yield Picture("What lies below what?", caption, figure)


@_pictures.register
def _(found: Hierarchy, redact: bool) -> Iterator[Picture]:
    yield from _pictures(found.tree(), redact)


@_pictures.register
def _(found: PackageGround, redact: bool) -> Iterator[Picture]:
    from tcloseness.report.structure_figures import heat_map

    domain = None if redact else getattr(found, "domain", None)
    figure, left_out = heat_map(found, [] if domain is None else list(map(value_text, domain.values)))
    caption = f"The {found.name} distance of {found.m} values; darker is farther. {left_out}".strip()
    yield Picture("How far apart are two values?", caption, figure)


@_pictures.register
def _(found: SearchResult, redact: bool) -> Iterator[Picture]:
    from tcloseness.report.lattice_figures import plot_lattice

    yield Picture("Which nodes satisfy?", "By height, from no generalization up.", plot_lattice(found))


@_pictures.register
def _(found: Disclosure, redact: bool) -> Iterator[Picture]:
    from tcloseness.report.disclosure_figures import status_bars

    caption = f"Certain, possible and open to somebody whose level of knowledge is: {found.level}."
    yield Picture("How much is certain?", caption, status_bars(found.counts))


@_pictures.register
def _(found: SearchAnswer, redact: bool) -> Iterator[Picture]:
    if found.result is not None:
        yield from _pictures(found.result, redact)
