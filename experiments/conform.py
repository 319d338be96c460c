"""``python -m experiments conform``: ask all implementations all vectors, and write the record of their answers.

Written are ``record.json``, ``matrix.md`` and ``findings.md`` in ``docs/conformance/``, and in ``results/conformance/``
the full reports, the page, the badges. No vector's answer is sent to any adapter.
"""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.grids import load_grid
from experiments.peers import Fault, Peer, all_peers, command, install, installed
from experiments.provenance import ROOT
from experiments.runner import RESULTS
from experiments.studies import implementations
from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.assessment import FAILURES, VERDICTS, answer_text
from tcloseness.conformance.readings import READINGS
from tcloseness.conformance.reports import MARKS, badge_svg, cell, matrix_page, row_text, summary, verdict_of_totals
from tcloseness.conformance.runner import run
from tcloseness.conformance.vectors import Vector, load
from tcloseness.errors import StudyError
from tcloseness.writing import lock, make_folder, write_files

__all__ = ["Entry", "ask_all", "entries", "findings_text", "matrix_text", "unshown"]

DOCS = ROOT / "docs" / "conformance"
OUTPUT = RESULTS / "conformance"
SEED = 20070415
Report = Mapping[str, Any]

SIDES = {
    "wrong, unsafe side": "unsafe",
    "wrong, over-strict": "over-strict",
    "wrong": "other",
    "undefined": "no number",
    "error": "error",
    "timeout": "no answer in time",
}


@dataclass(frozen=True)
class Entry:
    """One fault of one implementation, with the tests that show it."""

    title: str
    cause: str
    tests: tuple[Mapping[str, Any], ...]
    fault: Fault | None = None

    @property
    def smallest(self) -> Mapping[str, Any]:
        """The smallest test of the gravest kind, best one whose verdict is wrong and not the number alone."""

        def rank(test: Mapping[str, Any]) -> tuple[int, bool, int, str]:
            right = answer_text(test["expected"]).split(", ")[-1]
            size = len(json.dumps(test["question"]["input"]))
            return FAILURES.index(test["verdict"]), test["got"].endswith(right), size, test["id"]

        return min(self.tests, key=rank)

    @property
    def sides(self) -> dict[str, int]:
        """How many tests on which side."""
        return {word: n for v, word in SIDES.items() if (n := sum(t["verdict"] == v for t in self.tests))}

    @property
    def algorithms(self) -> list[str]:
        """What is concerned."""
        return [name for name in ALGORITHMS if any(t["id"].split("/")[0] == name for t in self.tests)]


def entries(report: Report, peer: Peer) -> list[Entry]:
    """Return the faults of a report: the known ones that tests show, then the others by what they look like."""
    known: dict[int, list[Mapping[str, Any]]] = {}
    others = []
    for test in report["tests"]:
        if test["verdict"] in FAILURES:
            which = next((i for i, fault in enumerate(peer.faults) if fault.explains(test)), None)
            if which is None:
                others.append(test)
            else:
                known.setdefault(which, []).append(test)
    found = [
        Entry(peer.faults[i].title, peer.faults[i].cause, tuple(tests), peer.faults[i])
        for i, tests in sorted(known.items())
    ]
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    alike = Counter(name for test in others for name in test["looks_like"])
    for test in others:
        likely = max(test["looks_like"], key=lambda name: (alike[name], name), default="")
        grouped.setdefault(likely, []).append(test)
    for likely, tests in grouped.items():
        if likely:
            probes = READINGS[likely].probes
            title, cause = f"looks like `{likely}`", f"The answers are those of an implementation that {probes}."
        else:
            title, cause = "other wrong answers", "Not clear from outside."
        found.append(Entry(title, cause, tuple(tests)))
    return found


def unshown(report: Report, peer: Peer) -> list[str]:
    """Return the titles of known faults that no test shows."""
    shown = {entry.fault for entry in entries(report, peer)}
    return [fault.title for fault in peer.faults if fault not in shown]


def findings_text(found: Sequence[tuple[Peer, Report]], not_run: Mapping[str, str], date: str) -> str:
    """Return ``findings.md``."""
    lines = [
        "# Wrong answers found by the conformance vectors",
        "",
        f"Written by `make conform` on {date}; inputs, answers and counts are the run's. Each entry "
        "was seen when the named version answered the named vector through its adapter "
        "(`research/tcloseness/conformance/adapters/`). A version may have been corrected since.",
        "",
        "These are notes for the authors and users of the tools, most of which do more than is asked here, and some of "
        "which never promised what is asked. A *cause* is what the answers look like from outside. If an entry is "
        "wrong, or an adapter asks in a way that a tool does not intend, the entry is what should be corrected.",
        "",
        "**Unsafe**: the table looks safer than it is. **Over-strict**: it looks less safe than it is. **Other**: no "
        "side is safe. `tcloseness conform show ID` shows a vector; the adapter can be run alone with "
        "`tcloseness conform run -- .peers/…/bin/python -m tcloseness.conformance.adapters.…`.",
        "",
    ]
    packages = [(p, r) for p, r in found if not p.use]
    uses = [(p, r) for p, r in found if p.use]
    for peer, report in packages:
        lines += _peer_lines(peer, report)
    if uses:
        lines += [
            "# Traps of use: transport libraries as they are first called",
            "",
            "The libraries below are not at fault where the heading names a call that their documentation does not "
            "recommend. They are listed because such calls are met in code for t-closeness.",
            "",
        ]
        for peer, report in uses:
            lines += _peer_lines(peer, report)
    if not_run:
        lines += ["# Not run", "", *(f"- {title}: {reason}" for title, reason in not_run.items()), ""]
    return "\n".join(lines)


def _peer_lines(peer: Peer, report: Report) -> list[str]:
    lines = [f"## {_name(report)}" + (f": {peer.use}" if peer.use else ""), "", f"{summary(report)}.", ""]
    for number, entry in enumerate(entries(report, peer), 1):
        test = entry.smallest
        sides = ", ".join(f"{n} {side}" for side, n in entry.sides.items())
        lines += [
            f"### {number}. {entry.title[0].upper()}{entry.title[1:]}",
            "",
            f"- Concerns: {', '.join(entry.algorithms)} ({sides})",
            f"- Smallest input, vector `{test['id']}`:",
            "",
            "  ```text",
            *(f"  {line}" for line in _input_lines(test["question"])),
            "  ```",
            "",
            f"- Got: {_one_line(test['got'])}",
            f"- Right: {answer_text(test['expected'])}",
            f"- Side: {SIDES[test['verdict']]}",
            f"- Cause, as far as seen from outside: {entry.cause}",
            "",
        ]
    if not entries(report, peer):
        lines += ["No wrong answer.", ""]
    return lines


def _one_line(text: str) -> str:
    """Return the beginning of a text; paths begin in this project's folder or in the user's, which are not named."""
    for folder, name in ((ROOT, "."), (Path.home(), "~")):
        text = text.replace(str(folder), name)
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"


def _input_lines(question: Mapping[str, Any]) -> list[str]:
    given = question["input"]
    lines = [f"{name} = {value}" for name, value in question["parameters"].items()]
    lines = [", ".join(lines)] if lines else []
    if "p" in given:
        matrix = "; ".join(" ".join(row) for row in given["matrix"])
        return [*lines, f"p = {' '.join(given['p'])}", f"q = {' '.join(given['q'])}", f"matrix = {matrix}"]
    kinds = dict(zip(given["columns"], given["types"], strict=True))
    places, names = ", ".join(given["quasi_identifiers"]), ", ".join(given["sensitive"])
    lines.append(f"quasi-identifiers {places}; sensitive {names}")
    lines.append("  ".join(f"{name} ({kind})" for name, kind in kinds.items()))
    times, labels = given.get("times"), given.get("index")
    for number, row in enumerate(given["rows"][:14]):
        extra = (f"   × {times[number]}" if times else "") + (f"   row label {labels[number]}" if labels else "")
        lines.append(row_text(row, "  ") + extra)
    if len(given["rows"]) > 14:
        lines.append(f"… {len(given['rows']) - 14} rows more")
    for name, values in given.get("categories", {}).items():
        lines.append(f"declared categories of {name}: {', '.join(values)}")
    if "order" in given:
        lines.append(f"order of {names}: {' < '.join(given['order'])}")
    return lines


def _name(report: Report) -> str:
    who = report["implementation"]
    return " ".join(part for part in (who["name"], who["version"]) if part)


def matrix_text(reports: Sequence[Report], not_run: Mapping[str, str], date: str) -> str:
    """Return the matrix as Markdown: algorithms by implementations, and one table for transport alone."""
    ours, others = reports[0], reports[1:]
    tables = [ours, *(r for r in others if _asks(r, "k-anonymity") or _asks(r, "t-equal"))]
    flows = [ours, *(r for r in others if _asks(r, "emd"))]
    lines = [
        f"How many vectors are answered right, of those that each was asked ({date}, "
        f"{sum(ours['totals'].values()):,} vectors). "
        + "; ".join(f"{MARKS[v]} {v}" for v in VERDICTS if v not in ("timeout", "skipped"))
        + ". The mark is that of the gravest answer. Before ≈: right under another convention, declared or followed.",
        "",
        "| | " + " | ".join(map(_name, tables)) + " |",
        "|---|" + "---|" * len(tables),
    ]
    names = [name for name in ALGORITHMS if name != "emd" and any(_asks(r, name) for r in tables[1:] or tables)]
    alone = [name for name in ALGORITHMS if name != "emd" and _asks(ours, name) and name not in names]
    lines += [f"| {name} | " + " | ".join(_cell(r, name) for r in tables) + " |" for name in names]
    lines += [
        "| *unsafe side* | " + " | ".join(str(r["totals"]["wrong, unsafe side"]) for r in tables) + " |",
        "| *over-strict* | " + " | ".join(str(r["totals"]["wrong, over-strict"]) for r in tables) + " |",
    ]
    if alone:
        counts = [f"{name} {_cell(ours, name)}" for name in alone]
        lines += ["", f"Asked of {_name(ours)} alone: {', '.join(counts)}."]
    if len(flows) > 1:
        lines += [
            "",
            "Earth Mover's Distance of two distributions, by general libraries as they are first called; "
            "the [findings](findings.md) have the calls:",
            "",
            "| | " + " | ".join(map(_name, flows)) + " |",
            "|---|" + "---|" * len(flows),
            "| emd | " + " | ".join(_cell(r, "emd") for r in flows) + " |",
        ]
    if not_run:
        lines += ["", "Not run: " + "; ".join(f"{title} ({reason})" for title, reason in not_run.items()) + "."]
    return "\n".join(lines) + "\n"


def _asks(report: Report, algorithm: str) -> bool:
    totals = report["algorithms"].get(algorithm, {})
    return bool(sum(totals.values()) > totals.get("skipped", 0))


def _cell(report: Report, algorithm: str) -> str:
    if not _asks(report, algorithm):
        return ""
    totals = report["algorithms"][algorithm]
    return f"{MARKS[verdict_of_totals(totals)]} {cell(totals)}"


def record(reports: Sequence[tuple[Peer | None, Report]], not_run: Mapping[str, str], date: str) -> dict[str, Any]:
    """Return what is kept of a run: totals, and each fault's smallest test."""
    kept = []
    for peer, report in reports:
        faults = [] if peer is None else entries(report, peer)
        kept.append(
            {
                "implementation": report["implementation"],
                **({"python": peer.python} if peer is not None and peer.python else {}),
                "totals": report["totals"],
                "algorithms": {name: t for name, t in report["algorithms"].items() if _asks(report, name)},
                "faults": [
                    {"title": e.title, "algorithms": e.algorithms, "sides": e.sides, "smallest": e.smallest["id"]}
                    for e in faults
                ],
                "not_reproduced": [] if peer is None else unshown(report, peer),
            }
        )
    return {
        "format": "tcloseness-conformance-record-1",
        "date": date,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "implementations": kept,
        "not_run": dict(not_run),
    }


def ask_all(names: Sequence[str] = (), *, workers: int = 2, seconds: float = 10.0) -> bool:
    """Make the environments, ask everything, write the record, and say whether our own answers are all right.

    Parameters
    ----------
    names
        Only these implementations; then nothing is recorded.
    workers
        How many copies of an adapter run at a time.
    seconds
        The time limit of one vector.

    Raises
    ------
    StudyError
        If another process writes the same results.
    """
    make_folder(OUTPUT)
    with lock(OUTPUT):
        return _ask_all(names, workers, seconds)


def _ask_all(names: Sequence[str], workers: int, seconds: float) -> bool:
    console = Console(stderr=True)
    date = datetime.now(UTC).date().isoformat()
    vectors = load()
    not_run: dict[str, str] = {}
    found: list[tuple[Peer | None, Report]] = [(None, _ask(None, vectors, workers, 60.0, console))]
    for peer in all_peers():
        if names and peer.name not in names:
            continue
        if not installed(peer):
            console.print(f"[dim]making the environment of[/dim] {peer.title} …")
        if reason := install(peer):
            console.print(f"  not installed: {reason}", markup=False)
            not_run[peer.title] = _one_line(reason)
            continue
        try:
            found.append((peer, _ask(peer, vectors, workers, seconds, console)))
        except Exception as error:  # noqa: BLE001 (one adapter's failure is reported, and the rest goes on)
            console.print(f"  not run: {error}", markup=False)
            not_run[peer.title] = _one_line(str(error))
            continue
        for title in unshown(found[-1][1], peer):
            console.print(f"  [dim]no test shows[/dim] {title}")
    reports = [report for _, report in found]
    write_files({OUTPUT / "matrix.html": matrix_page(reports, command="make conform").encode()}, force=True)
    if names:
        console.print("written: results/conformance/matrix.html; no record, since not all were asked")
        return bool(reports[0]["totals"]["right"] == len(vectors))
    console.print("random tables, and samples of Adult …")
    grid = load_grid(implementations.Grid, implementations.NAME)
    kept = {
        **record(found, not_run, date),
        "random_tables": implementations.measured(grid, SEED, implementations.tools_here()),
    }
    matrix = matrix_text(reports, not_run, date)
    page = (
        "# What other implementations answer\n\nWritten by `make conform`. The wrong answers one by one, with the "
        f"smallest inputs: [findings](findings.md). How it is asked: [README](README.md).\n\n{matrix}\n"
        "![tcloseness](badge.svg)\n"
    )
    contents = {
        DOCS / "record.json": json.dumps(kept, indent=1, ensure_ascii=False) + "\n",
        DOCS / "matrix.md": page,
        DOCS / "badge.svg": badge_svg(reports[0]),
        DOCS / "findings.md": findings_text([(p, r) for p, r in found if p is not None], not_run, date),
    }
    write_files({path: text.encode() for path, text in contents.items()}, force=True)
    console.print("written: docs/conformance/, results/conformance/")
    return bool(reports[0]["totals"]["right"] == len(vectors))


def _ask(peer: Peer | None, vectors: Sequence[Vector], workers: int, seconds: float, console: Console) -> Report:
    name = "tcloseness" if peer is None else peer.title
    words = implementations.OURS if peer is None else command(peer)
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task(name, total=len(vectors))
        report = run(
            words,
            vectors,
            seconds=seconds,
            workers=workers,
            progress=lambda done, total: bars.update(task, completed=done, total=total),
        ).to_dict()
    if report["stopped"]:
        raise StudyError(f"{_name(report)}: {report['stopped']}")
    console.print(f"{_name(report)}: {summary(report)}", highlight=False)
    stem = "tcloseness" if peer is None else peer.name
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    write_files(
        {OUTPUT / f"{stem}.json": text.encode(), OUTPUT / f"{stem}.svg": badge_svg(report).encode()}, force=True
    )
    return report
