"""Reports as one self-contained HTML page: a matrix of implementations × algorithms, and of each by reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tcloseness import __version__
from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.judge import FAILURES, VERDICTS, answer_text
from tcloseness.conformance.readings import READINGS
from tcloseness.conformance.vectors import REASONS
from tcloseness.conformance.words import MARKS, cell, mistakes, row_text, summary, verdict_of_totals

__all__ = ["matrix_page"]

_CLASSES = {
    "right": "right",
    "other convention": "convention",
    "wrong, unsafe side": "unsafe",
    "wrong, over-strict": "strict",
    "wrong": "wrong",
    "undefined": "wrong",
    "error": "error",
    "timeout": "error",
    "skipped": "skipped",
}


def matrix_page(reports: Sequence[Mapping[str, Any]], *, command: str = "") -> str:
    """Return the page of one or several reports.

    Parameters
    ----------
    reports
        What `Report.to_dict` returned, one an implementation.
    command
        How the page is made again.
    """
    environment = Environment(
        loader=PackageLoader("tcloseness.conformance"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    css, _, _ = environment.loader.get_source(environment, "matrix.css") if environment.loader else ("", None, None)
    algorithms = [name for name in ALGORITHMS if any(name in report["algorithms"] for report in reports)]
    return environment.get_template("matrix.html").render(
        version=__version__,
        css=Markup(css),
        command=command,
        names=[_name(report) for report in reports],
        summaries=[summary(report) for report in reports],
        smoke=[(_name(report), report["smoke_failed"]) for report in reports if report["smoke_failed"]],
        warnings=[(_name(report), text) for report in reports for text in report.get("warnings", ())],
        stopped=[(_name(report), report["stopped"]) for report in reports if report["stopped"]],
        legend=[(MARKS[v], v, _CLASSES[v], _MEANINGS[v]) for v in VERDICTS],
        rows=[
            (name, ALGORITHMS[name].formula, [_cell(r["algorithms"].get(name)) for r in reports]) for name in algorithms
        ],
        sections=[_section(name, reports) for name in algorithms],
        mistakes=[(_name(report), [_mistake(row) for row in mistakes(report)]) for report in reports],
    )


_MEANINGS = {
    "right": "the right value and verdict",
    "other convention": "right under another convention, named by the value or by the implementation",
    "wrong, unsafe side": "the table looks safer than it is",
    "wrong, over-strict": "the table looks less safe than it is",
    "wrong": "another number, where no side is safe",
    "undefined": "nothing that can be judged: a value that is no number (NaN, null), a field of the wrong type",
    "error": "an error or a crash where there is an answer",
    "timeout": "no answer in time",
    "skipped": "not offered, or skipped by the harness",
}


def _name(report: Mapping[str, Any]) -> str:
    who = report["implementation"]
    return " ".join(part for part in (who["name"], who["version"]) if part)


def _cell(totals: Mapping[str, int] | None) -> dict[str, str]:
    """Return a cell: its mark, how many of how many are right, its class, and all totals as its title."""
    if totals is None:
        return {"mark": "", "text": "", "css": "none", "title": "no test"}
    gravest = verdict_of_totals(totals)
    return {
        "mark": MARKS[gravest],
        "text": cell(totals),
        "css": _CLASSES[gravest],
        "title": ", ".join(f"{n} {verdict}" for verdict, n in totals.items() if n),
    }


def _section(algorithm: str, reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return an algorithm's matrix of reasons, those with a mistake first to be seen."""
    reasons = list(dict.fromkeys(reason for report in reports for reason in report["reasons"].get(algorithm, {})))
    rows = []
    for reason in reasons:
        totals = [report["reasons"].get(algorithm, {}).get(reason) for report in reports]
        reading = READINGS.get(reason)
        probes = reading.probes if reading else REASONS.get(reason, "")
        rows.append((reason, probes, reading.why if reading else "", [_cell(t) for t in totals]))
    wrong = sum(
        n for report in reports for verdict, n in report["algorithms"].get(algorithm, {}).items() if verdict in FAILURES
    )
    return {
        "name": algorithm,
        "formula": ALGORITHMS[algorithm].formula,
        "definition": ALGORITHMS[algorithm].citation,
        "rows": rows,
        "wrong": wrong,
    }


def _mistake(row: Mapping[str, Any]) -> dict[str, Any]:
    test = row["smallest"]
    return {
        "algorithm": row["algorithm"],
        "verdict": row["verdict"],
        "css": _CLASSES[row["verdict"]],
        "tests": row["tests"],
        "looks_like": [(n, READINGS[n].probes, READINGS[n].why) for n in row["looks_like"] if n in READINGS],
        "id": test["id"],
        "got": test["got"],
        "because": test.get("because", ""),
        "right": answer_text(test["expected"]),
        "input": _input_lines(test["question"]),
    }


def _input_lines(question: Mapping[str, Any]) -> list[str]:
    """Return a question's input as a few lines of text."""
    given, lines = question["input"], []
    if question["parameters"]:
        lines.append(", ".join(f"{name} = {value}" for name, value in question["parameters"].items()))
    if "p" in given:
        return [*lines, f"p = {', '.join(given['p'])}", f"q = {', '.join(given['q'])}", f"matrix = {given['matrix']}"]
    lines.append(" ".join(given["columns"]))
    labels = given.get("index", [""] * len(given["rows"]))
    times = given.get("times", [""] * len(given["rows"]))
    for row, label, n in list(zip(given["rows"], labels, times, strict=True))[:12]:
        lines.append(f"{row_text(row)}{f'   × {n}' if n else ''}{f'   label {label}' if label else ''}")
    if len(given["rows"]) > 12:
        lines.append(f"… {len(given['rows']) - 12} rows more")
    lines += [f"{name} declared: {', '.join(values)}" for name, values in given.get("categories", {}).items()]
    if "order" in given:
        lines.append(f"order: {' < '.join(given['order'])}")
    return lines
