"""All results as one self-contained HTML page: the verdicts first, what does not hold, every claim, every study.

The page opens from disk: style and figures are inside, there is no script, and nothing is fetched. Every text is
escaped by the template engine. It shares the style sheet of the package's own pages. Importing this module loads
jinja2 and matplotlib.
"""

from __future__ import annotations

import base64
import json
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from experiments.claims import PAPERS
from experiments.report.found import Answer, Found, StudyFound, count_text, summary
from experiments.report.tables import Preview, preview
from experiments.verdicts import Kind, Verdict
from tcloseness import __version__
from tcloseness.errors import StudyError
from tcloseness.report.figures import STYLE
from tcloseness.report.short_text import digits_text, printable

__all__ = ["CITATIONS", "page"]

CITATIONS = {
    "Li 2007": "N. Li, T. Li, S. Venkatasubramanian: t-Closeness: Privacy Beyond k-Anonymity and l-Diversity. "
    "ICDE 2007.",
    "Machanavajjhala 2006": "A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam: l-Diversity: Privacy "
    "Beyond k-Anonymity. ICDE 2006.",
    "Dosselmann 2019": "R. Dosselmann, M. Sadeqi, H. J. Hamilton: A Tutorial on Computing t-Closeness. "
    "arXiv:1911.11212, 2019.",
    "Kantarcioglu": "M. Kantarcioglu: Other Privacy Definitions: l-diversity and t-closeness. Lecture slides.",
    "Soria-Comas 2013": "J. Soria-Comas, J. Domingo-Ferrer: Connecting Privacy Models: Synergies between k-Anonymity, "
    "t-Closeness and Differential Privacy. UNECE/Eurostat Work Session on Statistical Data Confidentiality, "
    "Ottawa 2013.",
}
"""The papers behind their short names."""

_OPEN_CLAIMS = 30
"""So many claims of a study are shown at once; more are folded up."""

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
    environment.globals |= {"exactly": _exactly, "count_text": count_text, "sentence": _sentence, "remark": _remark}
    groups = [_Paper.of(name, found.answers) for name in PAPERS]
    return environment.get_template("report.html").render(
        version=__version__,
        kinds=list(Kind),
        summary=summary(found),
        papers=[paper for paper in groups if paper.answers],
        most=max((len(paper.answers) for paper in groups), default=1),
        number={kind: sum(1 for a in found.answers if a.kind is kind) for kind in Kind},
        total=len(found.answers),
        failures=_grouped(found.answers, Kind.FAILS),
        misprints=_grouped(found.answers, Kind.MISPRINT),
        studies=[_Section.of(study) for study in found.studies],
        smoke=[study.title for study in found.studies if study.record["smoke"]],
        origins=_origins(found.studies),
    )


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
class _Group:
    """Claims of a paper with one kind of verdict and the same reason, if any."""

    paper: str
    why: str
    answers: tuple[Answer, ...]


def _grouped(answers: Sequence[Answer], kind: Kind) -> list[_Group]:
    grouped: dict[tuple[str, str], list[Answer]] = {}
    for answer in sorted(answers, key=lambda answer: list(PAPERS).index(answer.claim.paper)):
        if answer.kind is kind:
            grouped.setdefault((answer.claim.cited, answer.why), []).append(answer)
    return [_Group(paper, why, tuple(own)) for (paper, why), own in grouped.items()]


@dataclass(frozen=True)
class _Picture:
    """A figure inside the page: its bytes as a data address, its caption, its width and height on the screen."""

    source: str
    caption: str
    width: int
    height: int


@dataclass(frozen=True)
class _Section:
    """What the page shows of a study."""

    study: StudyFound
    record: Mapping[str, Any]
    counts: tuple[tuple[Kind, int], ...]
    unfolded: bool
    pictures: tuple[_Picture, ...]
    tables: tuple[Preview, ...]
    grid: dict[str, str]

    @classmethod
    def of(cls, study: StudyFound) -> _Section:
        number = Counter(answer.kind for answer in study.answers)
        try:
            pictures = tuple(_picture(study.folder / f["file"], f["caption"]) for f in study.record["figures"])
            tables = tuple(preview(study.folder / name) for name in study.record["tables"])
        except (OSError, ValueError, struct.error) as error:
            raise StudyError(f"a result of the study {study.name} cannot be read ({error}); run it again") from error
        return cls(
            study,
            study.record,
            tuple((kind, number[kind]) for kind in Kind if number[kind]),
            len(study.answers) <= _OPEN_CLAIMS,
            pictures,
            tables,
            {name.replace("_", " "): _value_text(value) for name, value in study.record["grid"].items()},
        )


def _picture(path: Path, caption: str) -> _Picture:
    content = path.read_bytes()
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        raise StudyError(f"the figure {path.name} is not a PNG file; a report takes PNG figures only")
    width, height = struct.unpack(">II", content[16:24])
    source = f"data:image/png;base64,{base64.b64encode(content).decode('ascii')}"
    return _Picture(source, caption, round(width * _SCREEN), round(height * _SCREEN))


@dataclass(frozen=True)
class _Origin:
    """What results were made with, and by which studies."""

    studies: tuple[str, ...]
    facts: dict[str, str]
    data: dict[str, str]


def _origins(studies: Sequence[StudyFound]) -> list[_Origin]:
    """Return where the results come from, once for all studies that were run alike."""
    alike: dict[str, tuple[list[str], Mapping[str, Any]]] = {}
    for study in studies:
        record = study.record
        key = json.dumps(
            [record[k] for k in ("revision", "packages", "python", "platform", "processor", "data_sha256")]
        )
        alike.setdefault(key, ([], record))[0].append(study.title)
    return [
        _Origin(
            tuple(titles),
            {
                "revision": record["revision"],
                "packages": ", ".join(f"{name} {version}" for name, version in record["packages"].items()),
                "Python": record["python"],
                "system": record["platform"],
                "processor": record["processor"],
            },
            record["data_sha256"],
        )
        for titles, record in alike.values()
    ]


# ---------------------------------------------------------------------- texts


def _exactly(value: str) -> str:
    """Return a value with its decimal beside it, where it is a fraction; a number does not part at a line's end."""
    numerator, slash, denominator = value.partition("/")
    if not slash or not (numerator.lstrip("-") + denominator).isdecimal():
        return value
    exact = Fraction(value)
    shown = digits_text(exact, None)
    return f"{value} {'=' if Fraction(shown) == exact else '≈'}{_BLANK}{shown}"


def _printable(text: str) -> str:
    return _BLANK.join(map(printable, text.split(_BLANK)))


def _value_text(value: object) -> str:
    return ", ".join(map(_value_text, value)) if isinstance(value, list) else str(value)


def _remark(answer: Answer) -> str:
    """Return what a verdict says after its kind, as a sentence; nothing where it says nothing."""
    words = str(Verdict(answer.kind, answer.why)).removeprefix(answer.kind.one).lstrip(":; ")
    return _sentence(words) if words else ""


def _sentence(text: str) -> str:
    """Return a text as a sentence; one that begins with a symbol, such as ``t = 0``, keeps its small letter."""
    word = text[:2].isalpha() or text.startswith("a ")
    return (text[:1].upper() + text[1:] if word else text) + ("" if text.endswith(".") else ".")
