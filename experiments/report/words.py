"""The words of the reports, page and article alike: title, scope, citation, and claims and values as texts."""

from __future__ import annotations

import re
from fractions import Fraction

from experiments.claims import PAPERS
from experiments.datasets import DATASETS, title
from experiments.provenance import ROOT
from experiments.report.findings import BEYOND
from experiments.report.found import Answer, Found
from experiments.verdicts import Kind, Verdict
from tcloseness import __version__
from tcloseness.errors import StudyError
from tcloseness.report.short_text import digits_text

__all__ = [
    "CITATIONS",
    "SUBJECT",
    "TITLE",
    "citation",
    "exactly",
    "licence",
    "remark",
    "scope",
    "sentence",
    "sentences_of",
]

TITLE = "k-Anonymity, l-diversity and t-closeness: five papers recomputed"
SUBJECT = (
    "What Li et al. 2007, Machanavajjhala et al. 2006 and three texts on their models say about the privacy of "
    "published tables, checked claim by claim in exact arithmetic."
)

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


_BLANK = "\N{NO-BREAK SPACE}"
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9(])")
_NOT_AN_END = re.compile(r"(?:\b(?:et al|cf|vs|no|e\.g|i\.e|approx|Fig|Sec)|(?:^|\s)[A-Z])\.$")


def scope(found: Found) -> str:
    """Return what is compared, on which data, and what is not."""
    number = {kind: sum(1 for a in found.answers if a.kind is kind) for kind in Kind}
    compared = sum(1 for a in found.answers if a.ours)
    read = {name for study in found.studies if study.name == BEYOND for name in study.record["data"]} - {"adult"}
    others = [title(name) for name in DATASETS if name in read]
    beside = f" What was found on Adult is asked of {', '.join(others)} too, see there." if others else ""
    return (
        f"{len(found.answers)} claims of {len(PAPERS)} texts; {compared} are computed anew, on the papers' own example "
        f"tables and on Adult (United States census of 1994), {number[Kind.UNCHECKABLE]} rest on data or hierarchies "
        "that are not public. Where hierarchies are not published, ours take their place; what comes out only under "
        "such that were searched for it counts as fitted. Running times of the authors are not compared, numbers of "
        f"nodes checked are.{beside}"
    )


def citation() -> str:
    """Return how to cite the project, as its CITATION.cff says.

    Raises
    ------
    StudyError
        If that file lacks one of the fields.
    """
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")

    def field(name: str) -> str:
        match = re.search(rf'^(?:  - )?{name}: *"?(.*?)"?$', text, re.MULTILINE)
        if match is None:
            raise StudyError(f"CITATION.cff has no {name}; the reports print it")
        return match[1]

    doi = f" doi:{field('doi')}." if re.search("^doi:", text, re.MULTILINE) else ""
    return f"{field('name')}: {field('title')}. Version {__version__}, {licence()} licence.{doi}"


def licence() -> str:
    """Return the name of the project's licence, as its CITATION.cff has it."""
    match = re.search("^license: *(.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise StudyError("CITATION.cff has no license; the reports print it")
    return match[1]


def exactly(value: str) -> str:
    """Return a value with its decimal beside it, where it is a fraction; a number does not part at a line's end."""
    numerator, slash, denominator = value.partition("/")
    if not slash or not (numerator.lstrip("-") + denominator).isdecimal():
        return value
    exact = Fraction(value)
    shown = digits_text(exact, None)
    return f"{value} {'=' if Fraction(shown) == exact else '≈'}{_BLANK}{shown}"


def remark(answer: Answer) -> str:
    """Return what a verdict says after its kind, as a sentence; nothing where it says nothing."""
    words = str(Verdict(answer.kind, answer.why)).removeprefix(answer.kind.one).lstrip(":; ")
    return sentence(words) if words else ""


def sentence(text: str) -> str:
    """Return a text as a sentence; one that begins with a symbol, such as ``t = 0``, keeps its small letter."""
    word = text[:2].isalpha() or text.startswith("a ")
    return (text[:1].upper() + text[1:] if word else text) + ("" if text.endswith(".") else ".")


def sentences_of(text: str) -> list[str]:
    """Return a text's sentences.

    Examples
    --------
    >>> sentences_of("It is 0.25 (Li et al. 2007). Is it? At k = 3, no. 4 of 5 do.")
    ['It is 0.25 (Li et al. 2007).', 'Is it?', 'At k = 3, no. 4 of 5 do.']
    """
    found: list[str] = []
    for piece in _END.split(text):
        if found and _NOT_AN_END.search(found[-1]):
            found[-1] += f" {piece}"
        else:
            found.append(piece)
    return found
