"""A report in words: the summary line, the table of algorithms, the mistakes by what they look like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tcloseness.conformance.judge import FAILURES, VERDICTS, answer_text
from tcloseness.conformance.readings import READINGS

__all__ = ["MARKS", "mistakes", "report_text", "summary", "verdict_of_totals"]

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
    """Return a report's line: how many tests are right, and what of the others."""
    totals = report["totals"]
    judged = sum(n for verdict, n in totals.items() if verdict != "skipped")
    fine = totals["right"] + totals["other convention"]
    rest = [f"{totals[verdict]} {verdict}" for verdict in VERDICTS[1:] if totals[verdict]]
    return f"{fine} of {judged} right" + (f" ({'; '.join(rest)})" if rest else "")


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
    lines = [f"{name}: {summary(report)}"]
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
    unasked = [name for name in report["algorithms"] if name not in asked]
    if unasked:
        lines.append(f"skipped as a whole: {', '.join(unasked)}")
    found = mistakes(report)
    if found:
        lines += ["", "What went wrong:"]
    for row in found[:examples]:
        lines += _mistake_lines(row)
    if len(found) > examples:
        lines.append(f"  … and {len(found) - examples} kinds more; the JSON report has all")
    return "\n".join(lines) + "\n"


def _mistake_lines(row: Mapping[str, Any]) -> Sequence[str]:
    test = row["smallest"]
    alike = [f"{name}: {READINGS[name].probes}" for name in row["looks_like"] if name in READINGS]
    number = "1 test" if row["tests"] == 1 else f"{row['tests']} tests"
    return [
        f"  {row['algorithm']}, {row['verdict']}, {number}" + (f"; looks like {'; '.join(alike)}" if alike else ""),
        f"    smallest {test['id']}: got {test['got']}; right is {answer_text(test['expected'])}",
    ]
