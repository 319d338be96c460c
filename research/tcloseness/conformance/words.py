"""A report in words: the summary line, the table of algorithms, the mistakes by what they look like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tcloseness.conformance.judge import FAILURES, VERDICTS, answer_text
from tcloseness.conformance.protocol import NOT_LISTED
from tcloseness.conformance.readings import READINGS
from tcloseness.printable import printable

__all__ = ["MARKS", "cell", "mistakes", "report_text", "row_text", "summary", "verdict_of_totals"]

MARKS = {
    "right": "✓",
    "other convention": "≈",
    "wrong, unsafe side": "!",
    "wrong, over-strict": "+",
    "wrong": "✗",
    "undefined": "?",
    "error": "E",
    "timeout": "T",
    "skipped": "–",
}
"""A verdict never rests on its colour."""

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
    judged = sum(n for verdict, n in totals.items() if verdict != "skipped")
    offered, own = _skips(report)
    other = totals["other convention"]
    line = f"{totals['right']} of {judged} right" + (f", {other} under another convention" if other else "")
    rest = [f"{totals[verdict]} {verdict}" for verdict in FAILURES if totals[verdict]]
    rest += [f"{n} {words}" for n, words in ((offered, "not offered"), (own.total(), "skipped by the harness")) if n]
    return line + (f" ({'; '.join(rest)})" if rest else "")


def cell(totals: Mapping[str, int]) -> str:
    """Return a matrix's cell: how many of the judged tests are right, and how many under another convention."""
    judged = sum(n for verdict, n in totals.items() if verdict != "skipped")
    other = totals["other convention"]
    return f"{totals['right']}/{judged}" + (f" + {other}{MARKS['other convention']}" if other else "") if judged else ""


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

    Parameters
    ----------
    report
        What `Report.to_dict` returned.
    examples
        How many kinds of mistakes to show, each with its smallest test.
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
