"""The claims of the papers beside our numbers: as a table for the terminal and as ``results/report.md``."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from experiments.claims import Claim, load_ledger
from tcloseness.errors import StudyError

__all__ = ["write_and_print"]


def write_and_print(results: Path) -> None:
    """Write ``report.md`` and print the claims table.

    Raises
    ------
    StudyError
        If no study has been run.
    """
    ledger = load_ledger()
    found = _results(results)
    if not found:
        raise StudyError(f"no study has results in {results}; run 'python -m experiments run' first")
    claims = {claim["id"]: claim for _, claims in found for claim in claims}
    (results / "report.md").write_text(_markdown(ledger, found, claims), encoding="utf-8")
    _print(ledger, claims, Console())
    Console(stderr=True).print(f"report: {results / 'report.md'}")


def _results(results: Path) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    found = []
    for record in sorted(results.glob("*/provenance.json")):
        claims = json.loads((record.parent / "claims.json").read_text(encoding="utf-8"))
        found.append((json.loads(record.read_text(encoding="utf-8")), claims))
    return found


def _print(ledger: dict[str, Claim], claims: dict[str, dict[str, Any]], console: Console) -> None:
    if not console.is_terminal:
        console = Console(width=140)
    table = Table(title="Claims of the papers, recomputed", title_justify="left", expand=True)
    table.add_column("claim", no_wrap=True)
    table.add_column("what is said", no_wrap=True, overflow="ellipsis", ratio=5)
    table.add_column("stated", justify="right", no_wrap=True)
    table.add_column("ours", justify="right", no_wrap=True)
    table.add_column("verdict", ratio=6)
    for key, claim in ledger.items():
        if key in claims:
            found = claims[key]
            style = "" if str(found["kind"]).startswith("holds") else "bold"
            said = f"{claim.place}: {claim.statement}"
            table.add_row(key, said, claim.stated or "", found["ours"], str(found["verdict"]), style=style)
    console.print(table)
    for line in _summary(ledger, claims):
        console.print(line)


def _summary(ledger: dict[str, Claim], claims: dict[str, dict[str, Any]]) -> list[str]:
    kinds = Counter(str(claim["kind"]) for claim in claims.values())
    lines = [f"{len(claims)} claims recomputed: " + ", ".join(f"{n} {word}" for word, n in kinds.most_common()) + "."]
    waiting = Counter(claim.study for key, claim in ledger.items() if key not in claims and not claim.unchecked)
    if waiting:
        lines.append(
            f"{sum(waiting.values())} claims have no result here: "
            + ", ".join(f"{n} wait for the study {study}" for study, n in sorted(waiting.items()))
            + "."
        )
    beyond = sum(1 for claim in ledger.values() if claim.unchecked)
    if beyond:
        lines.append(f"{beyond} claims cannot be checked by anyone (proprietary data, running times, cited results).")
    return lines


def _markdown(
    ledger: dict[str, Claim],
    found: list[tuple[dict[str, Any], list[dict[str, Any]]]],
    claims: dict[str, dict[str, Any]],
) -> str:
    lines = ["# What the papers say, and what we find", "", *_summary(ledger, claims), ""]
    for record, _ in found:
        smoke = " **(smoke run: a small part of the data)**" if record["smoke"] else ""
        lines += [f"## {record['study']}{smoke}", "", f"*{record['question']}*", "", record["summary"], ""]
        lines += [f"![{figure['caption']}]({record['study']}/{figure['file']})" for figure in record["figures"]]
        lines += ["", "Tables: " + ", ".join(f"[{name}]({record['study']}/{name})" for name in record["tables"]), ""]
        lines += [f"Rerun: `python -m experiments run {record['study']}`. Revision {record['revision']}.", ""]
    lines += [
        "## Claims",
        "",
        "| claim | paper | place | statement | stated | ours | verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    for key, claim in ledger.items():
        if key in claims:
            outcome = claims[key]
            cells = (
                key,
                claim.paper,
                claim.place,
                claim.statement,
                claim.stated or "",
                outcome["ours"],
                outcome["verdict"],
            )
            lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    lines += ["", "## Not checked", "", "| claim | statement | why |", "|---|---|---|"]
    for key, claim in ledger.items():
        if key not in claims:
            why = claim.unchecked or f"waits for the study {claim.study}"
            lines.append(f"| {key} | {claim.statement} | {why} |".replace("\n", " "))
    return "\n".join(lines) + "\n"
