"""A report of a run as text, an HTML page, JUnit XML, and a badge."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree

from tcloseness import __version__
from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.assessment import FAILURES, VERDICTS, answer_text
from tcloseness.conformance.protocol import NOT_LISTED
from tcloseness.conformance.readings import READINGS
from tcloseness.conformance.vectors import REASONS
from tcloseness.page_templates import templates_of
from tcloseness.printable import printable

__all__ = [
    "MARKS",
    "badge_svg",
    "cell",
    "junit_xml",
    "matrix_page",
    "mistakes",
    "report_text",
    "row_text",
    "summary",
    "verdict_of_totals",
]

_LOOKS = {
    "right": ("✓", "right", "the right value and verdict"),
    "other convention": (
        "≈",
        "convention",
        "right under another convention, named by the value or by the implementation",
    ),
    "wrong, unsafe side": ("!", "unsafe", "the table looks safer than it is"),
    "wrong, over-strict": ("+", "strict", "the table looks less safe than it is"),
    "wrong": ("✗", "wrong", "another number, where no side is safe"),
    "undefined": (
        "?",
        "wrong",
        "nothing that can be assessed: a value that is not a number (NaN, null), a field of the wrong type",
    ),
    "error": ("E", "error", "an error or a crash where there is an answer"),
    "timeout": ("T", "error", "no answer in time"),
    "skipped": ("–", "skipped", "not offered, or skipped by the harness"),
}
"""The mark, the style and the meaning of each verdict; none rests on its colour."""

MARKS = {verdict: mark for verdict, (mark, _, _) in _LOOKS.items()}

_SHORT = {"other convention": "convention", "wrong, unsafe side": "unsafe", "wrong, over-strict": "strict"}


def verdict_of_totals(totals: Mapping[str, int]) -> str:
    """Return the gravest verdict that occurs, ``skipped`` if there is no other."""
    for verdict in (*FAILURES, "other convention", "right"):
        if totals.get(verdict):
            return verdict
    return "skipped"


def summary(report: Mapping[str, Any]) -> str:
    """Return a report's line: how many tests are right, how many under another convention, and what of the others."""
    totals = report["totals"]
    offered, own = _skips(report)
    other = totals["other convention"]
    line = f"{totals['right']} of {_asked(totals)} right" + (f", {other} under another convention" if other else "")
    rest = [f"{totals[verdict]} {verdict}" for verdict in FAILURES if totals[verdict]]
    rest += [f"{n} {words}" for n, words in ((offered, "not offered"), (own.total(), "skipped by the harness")) if n]
    return line + (f" ({'; '.join(rest)})" if rest else "")


def cell(totals: Mapping[str, int]) -> str:
    """Return a matrix's cell: how many of the assessed tests are right, and how many under another convention."""
    asked, other = _asked(totals), totals["other convention"]
    text = f"{totals['right']}/{asked}" + (f" + {other}{MARKS['other convention']}" if other else "")
    return text if asked else ""


def _asked(totals: Mapping[str, int]) -> int:
    return sum(n for verdict, n in totals.items() if verdict != "skipped")


def row_text(row: Sequence[str | None], between: str = " ") -> str:
    """Return the cells of a row for reading; a missing and an empty one look different."""
    return between.join("(missing)" if text is None else text or "(empty)" for text in row)


def _skips(report: Mapping[str, Any]) -> tuple[int, Counter[str]]:
    """Return how many tests were not sent, as their algorithm is not offered, and why the harness skipped others."""
    reasons = Counter(test["got"] for test in report["tests"] if test["verdict"] == "skipped")
    return reasons.pop(NOT_LISTED, 0), reasons


def mistakes(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what went wrong, put together by algorithm, verdict and likely reading; the most frequent first.

    Each has the algorithm, the verdict, the readings that answer the same, the number of tests, and the smallest test.
    """
    found: dict[tuple[str, str, tuple[str, ...]], list[Mapping[str, Any]]] = {}
    for algorithm in report["algorithms"]:
        failed = [t for t in report["tests"] if t["verdict"] in FAILURES and t["id"].split("/")[0] == algorithm]
        likely = _likely(failed)
        for test in failed:
            found.setdefault((algorithm, test["verdict"], likely[test["id"]]), []).append(test)
    rows = [
        {
            "algorithm": algorithm,
            "verdict": verdict,
            "looks_like": list(alike),
            "tests": len(tests),
            "smallest": min(
                tests, key=lambda t: (len(str(t["question"]["input"])), t["id"].split("/")[1] not in alike, t["id"])
            ),
        }
        for (algorithm, verdict, alike), tests in found.items()
    ]
    return sorted(rows, key=lambda row: -int(row["tests"]))


def _likely(failed: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Return for each test the reading that its answer looks like.

    As few readings as possible: the one that explains the most answers comes first, then the one that explains the
    most of the others, and so on.
    """
    found: dict[str, tuple[str, ...]] = {test["id"]: () for test in failed}
    left = [test for test in failed if test["looks_like"]]
    while left:
        explained = Counter(name for test in left for name in test["looks_like"])
        best = min(explained, key=lambda name: (-explained[name], READINGS[name].kind == "convention", name))
        for test in left:
            if best in test["looks_like"]:
                found[test["id"]] = (best,)
        left = [test for test in left if best not in test["looks_like"]]
    return found


def report_text(report: Mapping[str, Any], *, examples: int = 12) -> str:
    """Return a report as plain text.

    `examples` is how many kinds of mistakes to show, each with its smallest test.
    """
    who = report["implementation"]
    name = " ".join(part for part in (who["name"], who["version"]) if part)
    lines = [f"{name}: {summary(report)}", *(f"note: {text}" for text in report.get("warnings", ()))]
    if report["smoke_failed"]:
        lines.append(
            f"no smoke test right: {', '.join(report['smoke_failed'])}; there the harness may be wrong and not the "
            "implementation"
        )
    if report["stopped"]:
        lines.append(f"the run ended early: {report['stopped']}")
    shown = [v for v in VERDICTS if report["totals"][v]]
    width = max((len(a) for a in report["algorithms"]), default=9)
    lines += [
        "",
        "  ".join(["algorithm".ljust(width), *(_SHORT.get(v, v).rjust(max(len(_SHORT.get(v, v)), 5)) for v in shown)]),
    ]
    asked = {name: totals for name, totals in report["algorithms"].items() if totals["skipped"] < sum(totals.values())}
    for algorithm, totals in asked.items():
        cells = [str(totals[v] or "·").rjust(max(len(_SHORT.get(v, v)), 5)) for v in shown]
        lines.append("  ".join([algorithm.ljust(width), *cells, MARKS[verdict_of_totals(totals)]]))
    offered, own = _skips(report)
    listed = report["implementation"]["algorithms"]
    unlisted = [name for name in report["algorithms"] if name not in listed]
    if unlisted:
        lines.append(f"not offered ({_tests(offered)}): {', '.join(unlisted)}")
    if own:
        shown_reasons = [f"{n} × {reason or 'no reason given'}" for reason, n in own.most_common(5)]
        more = [f"{_tests(own.total() - sum(n for _, n in own.most_common(5)))} for other reasons"] * (len(own) > 5)
        lines.append(f"skipped by the harness ({_tests(own.total())}): {'; '.join([*shown_reasons, *more])}")
    found = mistakes(report)
    if found:
        lines += ["", "What went wrong:"]
    for row in found[:examples]:
        lines += _mistake_lines(row)
    if len(found) > examples:
        lines.append(f"  … and {len(found) - examples} kinds more; the JSON report has all")
    return "\n".join(map(printable, lines)) + "\n"  # a report may come from a file


def _mistake_lines(row: Mapping[str, Any]) -> Sequence[str]:
    test = row["smallest"]
    alike = [f"{name}: {READINGS[name].probes}" for name in row["looks_like"] if name in READINGS]
    because = f" ({test['because']})" if test.get("because") else ""
    return [
        f"  {row['algorithm']}, {row['verdict']}, {_tests(row['tests'])}"
        + (f"; looks like {'; '.join(alike)}" if alike else ""),
        f"    smallest {test['id']}: got {test['got']}{because}; right is {answer_text(test['expected'])}",
    ]


def _tests(number: int) -> str:
    return "1 test" if number == 1 else f"{number:,} tests"


# ---------------------------------------------------------------------- the page


def matrix_page(reports: Sequence[Mapping[str, Any]], *, command: str = "") -> str:
    """Return the page of one or several reports.

    `reports` holds what `Report.to_dict` returned, one an implementation; `command` makes the page again.
    """
    from markupsafe import Markup

    environment = templates_of("conformance")
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
        legend=[(mark, v, css, meaning) for v, (mark, css, meaning) in _LOOKS.items()],
        rows=[
            (name, ALGORITHMS[name].formula, [_cell(r["algorithms"].get(name)) for r in reports]) for name in algorithms
        ],
        sections=[_section(name, reports) for name in algorithms],
        mistakes=[(_name(report), [_mistake(row) for row in mistakes(report)]) for report in reports],
    )


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
        "css": _LOOKS[gravest][1],
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
        "css": _LOOKS[row["verdict"]][1],
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


# ---------------------------------------------------------------------- JUnit and the badge

_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 does not allow, even escaped."""


def junit_xml(report: Mapping[str, Any]) -> str:
    """Return a report as JUnit XML: one test suite an algorithm; another convention counts as passed."""
    name = _clean(report["implementation"]["name"])
    tests = report["tests"]
    root = ElementTree.Element("testsuites", {"name": name, **_numbers(tests)})
    for algorithm in report["algorithms"]:
        own = [test for test in tests if test["id"].split("/")[0] == algorithm]
        suite = ElementTree.SubElement(root, "testsuite", {"name": algorithm, **_numbers(own)})
        for test in own:
            case = ElementTree.SubElement(suite, "testcase", classname=f"{name}.{algorithm}", name=test["id"])
            verdict, got = test["verdict"], _clean(test.get("got", ""))
            if verdict == "skipped":
                ElementTree.SubElement(case, "skipped", message=got)
            elif verdict in ("error", "timeout"):
                ElementTree.SubElement(case, "error", type=verdict, message=got)
            elif verdict in FAILURES:
                failure = ElementTree.SubElement(case, "failure", type=verdict, message=f"got {got}")
                failure.text = _clean(f"{test['comment']}\nexpected {test['expected']}\nquestion {test['question']}")
            elif verdict == "other convention":
                ElementTree.SubElement(case, "system-out").text = _clean(
                    f"right under another convention: {', '.join(test['looks_like'])}"
                )
    if report["stopped"]:
        suite = ElementTree.SubElement(root, "testsuite", {"name": "the run", "tests": "1", "errors": "1"})
        case = ElementTree.SubElement(suite, "testcase", classname=name, name="complete")
        ElementTree.SubElement(case, "error", type="incomplete", message=_clean(report["stopped"]))
        for total in ("tests", "errors"):
            root.set(total, str(int(root.get(total, "0")) + 1))
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _numbers(tests: list[Any]) -> dict[str, str]:
    errors = sum(test["verdict"] in ("error", "timeout") for test in tests)
    failures = sum(test["verdict"] in FAILURES for test in tests) - errors
    skipped = sum(test["verdict"] == "skipped" for test in tests)
    return {"tests": str(len(tests)), "failures": str(failures), "errors": str(errors), "skipped": str(skipped)}


def _clean(text: object) -> str:
    return _UNPRINTABLE.sub("�", str(text))


_CHARACTER = 6.6
"""The mean width of a character at 11 px, in px; the text is fitted to it, so that any font fits."""


def badge_svg(report: Mapping[str, Any]) -> str:
    """Return an SVG of about 200 × 20 px: right of assessed tests, and the number of unsafe ones if there are any."""
    totals = report["totals"]
    asked, other = _asked(totals), totals["other convention"]
    unsafe = totals["wrong, unsafe side"]
    left = f"{report['implementation']['name']} conformance"
    right = (
        f"{totals['right']} of {asked}"
        + (f" + {other} by convention" if other else "")
        + (f", {unsafe} unsafe" if unsafe else "")
        + (", incomplete" if report["stopped"] else "")
    )
    fine = asked and not report["stopped"] and not any(totals[v] for v in FAILURES)
    colour = "#8a1c1c" if unsafe else "#1d6b35" if fine else "#8a5a00"
    a, b = (round(len(text) * _CHARACTER) + 14 for text in (left, right))
    title = escape(f"{left}: {right}")

    def words(text: str, x: int, width: int) -> str:
        return (
            f'<text x="{x + width / 2:g}" y="14" text-anchor="middle" textLength="{width - 14}" '
            f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        )

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{a + b}" height="20" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<rect width="{a + b}" height="20" rx="3" fill="#3d4451"/>'
        f'<path d="M{a} 0h{b - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3H{a}z" fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{words(left, 0, a)}{words(right, a, b)}</g></svg>\n"
    )
