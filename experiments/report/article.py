"""All results as an article in Markdown, from the same data as the page: the form in which ReScience C prints.

Importing this module loads jinja2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jinja2 import Environment, PackageLoader, StrictUndefined

from experiments.claims import PAPERS
from experiments.report.findings import findings
from experiments.report.found import Found, StudyFound, count_text, heading, summary
from experiments.report.glossary import glossary
from experiments.report.words import CITATIONS, SUBJECT, TITLE, citation, exactly, remark, scope, sentence, sentences_of
from experiments.verdicts import Kind
from tcloseness.report.short_text import printable

__all__ = ["article"]

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$])")


def article(found: Found) -> str:
    """Return the article of all results."""
    environment = Environment(
        loader=PackageLoader("experiments.report"),
        autoescape=False,  # it is not HTML; the filter escapes what Markdown reads
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"md": _markdown, "joined": lambda words: ", ".join(map(str, words))}
    environment.globals |= {
        "exactly": exactly,
        "remark": remark,
        "sentence": sentence,
        "count_text": count_text,
        "heading": heading,
    }
    return environment.get_template("article.md").render(
        title=TITLE,
        subject=SUBJECT,
        cite=citation(),
        findings=findings(found),
        scope=scope(found),
        summary=summary(found),
        kinds=list(Kind),
        papers=[(PAPERS[p], CITATIONS[p], [a for a in found.answers if a.claim.paper == p]) for p in PAPERS],
        studies=[(study, *_answer(study)) for study in found.studies],
        not_run=found.not_run,
        target="reproduce-all" if any(study.record["needs"] for study in found.studies) else "reproduce",
        terms=dict.fromkeys(glossary().values()),
        data=_data(found.studies),
        revisions=list(dict.fromkeys(str(study.record["revision"]) for study in found.studies)),
    )


def _answer(study: StudyFound) -> tuple[str, str]:
    first, *others = sentences_of(study.record["summary"])
    return first, " ".join(others)


def _data(studies: Iterable[StudyFound]) -> dict[str, str]:
    return {name: value for study in studies for name, value in study.record["data_sha256"].items()}


def _markdown(text: object) -> str:
    """Return a text as Markdown shows it: in one line, with nothing in it that Markdown reads."""
    words = map(printable, str(text).replace("\N{NO-BREAK SPACE}", " ").split())
    return _SPECIAL.sub(r"\\\1", " ".join(words))
