"""All results as one self-contained HTML page: what was found, every claim with its verdict, every study.

The page opens from disk: style and figures are inside, there is no script, and nothing is fetched. Every text is
escaped by the template engine. It shares the style sheet of the package's own pages. It has no date, no time and no
machine in it, so two runs with the same results write the same page. Importing this module loads jinja2 and matplotlib.
"""

from __future__ import annotations

import base64
import json
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from experiments.claims import PAPERS
from experiments.figures import NARROW
from experiments.kept import varies
from experiments.proofs import ENDINGS, certificates_of
from experiments.report.findings import findings
from experiments.report.found import Answer, Found, StudyFound, count_text, heading, summary
from experiments.report.glossary import Entry, Explained, glossary, short_names
from experiments.report.tables import Preview, preview
from experiments.report.words import (
    CITATIONS,
    SUBJECT,
    TITLE,
    citation,
    exactly,
    licence,
    remark,
    scope,
    sentence,
    sentences_of,
)
from experiments.verdicts import Kind
from tcloseness import __version__
from tcloseness.errors import StudyError
from tcloseness.report.figures import STYLE
from tcloseness.report.short_text import printable

__all__ = ["page"]

_MOST_CLAIMS = 24
"""So many claims of a study are named under it; of more, their number is."""

_SCREEN = Fraction(96, STYLE["savefig.dpi"])
"""Pixels of a screen per pixel of a figure, so that its letters are as large as those of the page."""

_BLANK = "\N{NO-BREAK SPACE}"


def page(found: Found) -> str:
    """Return the page of all results.

    Raises
    ------
    StudyError
        If a table or a figure of a study is missing or cannot be read.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("experiments.report"), PackageLoader("tcloseness.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: _printable(value) if type(value) is str else value,
    )
    entries = _entries(found)
    environment.globals |= {
        "exactly": exactly,
        "count_text": count_text,
        "sentence": sentence,
        "remark": remark,
        "named": _Named(entries),
        "heading": heading,
    }
    groups = [_Paper.of(name, found.answers) for name in PAPERS]
    number = {kind: sum(1 for a in found.answers if a.kind is kind) for kind in Kind}
    return environment.get_template("report.html").render(
        version=__version__,
        licence=licence(),
        title=TITLE,
        subject=SUBJECT,
        findings=findings(found),
        scope=scope(found),
        cite=citation(),
        kinds=list(Kind),
        fails=Kind.FAILS,
        shown=Kind.FAILS if number[Kind.FAILS] else None,
        summary=summary(found),
        papers=[paper for paper in groups if paper.answers],
        most=max((len(paper.answers) for paper in groups), default=1),
        number=number,
        total=len(found.answers),
        run={study.name for study in found.studies},
        studies=[_Section.of(study) for study in found.studies],
        not_run=found.not_run,
        extra=[study.title for study in found.studies if study.record["needs"]]
        + [heading(study.name) for study in found.not_run],
        smoke=[study.title for study in found.studies if study.record["smoke"]],
        glossary=entries,
        origins=_origins(found.studies),
    )


def _entries(found: Found) -> list[Entry]:
    """Return what the glossary of a page explains: its terms, and the short names that occur in the results."""
    texts = [text for a in found.answers for text in (*filter(None, a.claim.to_dict().values()), a.why, a.detail)]
    texts += [text for a in found.answers for text in a.alternatives] + [*CITATIONS.values(), citation()]
    texts += [json.dumps(study.record, ensure_ascii=False) for study in found.studies]
    known = {glossary()[name].name for name in short_names(" ".join(texts)) if name in glossary()}
    entries = dict.fromkeys(glossary().values())
    return sorted((e for e in entries if not short_names(e.name) or e.name in known), key=lambda e: e.name.lower())


class _Named:
    """Texts for the page, with the meaning of each short name where it is used first."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.explained = Explained()
        self.places = {entry.name: number for number, entry in enumerate(entries, 1)}

    def __call__(self, text: str, visible: bool = True) -> Markup:
        if not visible:  # folded up: a reader may not see it first
            return escape(_printable(text))
        found = Markup()
        for piece, entry in self.explained.parts(_printable(text)):
            found += escape(piece)
            if entry is not None and entry.name in self.places:
                link = Markup(' <a class="means" href="#word-{}">[{}]</a>')
                found += link.format(self.places[entry.name], entry.short)
        return found


@dataclass(frozen=True)
class _Paper:
    """A paper's claims, how many are of each kind, and the parts of its bar: kind, begin and length."""

    name: str
    citation: str
    anchor: str
    answers: tuple[Answer, ...]
    counts: tuple[tuple[Kind, int], ...]
    bar: tuple[tuple[Kind, int, int], ...]

    @classmethod
    def of(cls, name: str, answers: Sequence[Answer]) -> _Paper:
        own = tuple(answer for answer in answers if answer.claim.paper == name)
        number = Counter(answer.kind for answer in own)
        counts = tuple((kind, number[kind]) for kind in Kind if number[kind])
        begins = [sum(n for _, n in counts[:place]) for place in range(len(counts))]
        bar = tuple((kind, begin, n) for (kind, n), begin in zip(counts, begins, strict=True))
        return cls(PAPERS[name], CITATIONS[name], f"paper-{list(PAPERS).index(name) + 1}", own, counts, bar)


@dataclass(frozen=True)
class _Picture:
    """A figure inside the page: its bytes as a data address, caption, size on the screen, and its narrow twin."""

    source: str
    caption: str
    width: int
    height: int
    narrow: _Picture | None = None


@dataclass(frozen=True)
class _Section:
    """What the page shows of a study."""

    study: StudyFound
    record: Mapping[str, Any]
    counts: tuple[tuple[Kind, int], ...]
    finding: str
    numbers: str
    pictures: tuple[_Picture, ...]
    tables: tuple[Preview, ...]
    certificates: tuple[tuple[str, str], ...]  # the name of each file, and its address from the page
    grid: dict[str, str]
    most: int = _MOST_CLAIMS

    @classmethod
    def of(cls, study: StudyFound) -> _Section:
        number = Counter(answer.kind for answer in study.answers)
        try:
            pictures = tuple(_picture(study.folder / f["file"], f["caption"]) for f in study.record["figures"])
            tables = tuple(preview(study.folder / name) for name in study.record["tables"] if not varies(name))
        except (OSError, ValueError, struct.error) as error:
            raise StudyError(f"a result of the study {study.name} cannot be read ({error}); run it again") from error
        finding, *numbers = sentences_of(study.record["summary"])
        return cls(
            study,
            study.record,
            tuple((kind, number[kind]) for kind in Kind if number[kind]),
            finding,
            " ".join(numbers),
            pictures,
            tables,
            tuple(
                (reduce(str.removesuffix, ENDINGS, path.name), f"{study.folder.name}/{quote(path.name)}")
                for path in certificates_of(study.folder)
            ),
            {name.replace("_", " "): _value_text(value) for name, value in study.record["grid"].items()},
        )


def _picture(path: Path, caption: str) -> _Picture:
    narrow = path.with_stem(f"{path.stem}{NARROW}")
    picture = _image(path, caption)
    return replace(picture, narrow=_image(narrow, caption)) if narrow.is_file() else picture


def _image(path: Path, caption: str) -> _Picture:
    content = path.read_bytes()
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        raise StudyError(f"the figure {path.name} is not a PNG file; a report takes PNG figures only")
    width, height = struct.unpack(">II", content[16:24])
    source = f"data:image/png;base64,{base64.b64encode(content).decode('ascii')}"
    return _Picture(source, caption, round(width * _SCREEN), round(height * _SCREEN))


@dataclass(frozen=True)
class _Origin:
    """The revision and the data that results were made with, and by which studies."""

    studies: tuple[str, ...]
    revision: str
    data: dict[str, str]


def _origins(studies: Sequence[StudyFound]) -> list[_Origin]:
    """Return where the results come from, once for all studies that were run alike."""
    alike: dict[str, tuple[list[str], Mapping[str, Any]]] = {}
    for study in studies:
        key = json.dumps([study.record[k] for k in ("revision", "data_sha256")])
        alike.setdefault(key, ([], study.record))[0].append(study.title)
    return [_Origin(tuple(t), record["revision"], record["data_sha256"]) for t, record in alike.values()]


# ---------------------------------------------------------------------- texts


def _printable(text: str) -> str:
    return _BLANK.join(map(printable, text.split(_BLANK)))


def _value_text(value: object) -> str:
    return ", ".join(map(_value_text, value)) if isinstance(value, list) else str(value)
