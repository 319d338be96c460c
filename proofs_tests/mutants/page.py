"""The page of the docs: the numbers by file, and the survivors with their reasons."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

from proofs_tests.mutants.processes import ROOT

__all__ = ["PAGE", "explained", "page"]

SURVIVORS = Path(__file__).with_name("survivors.toml")
PAGE = ROOT / "docs" / "mutants.md"

_ROW = re.compile(r"^\| `(.*)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
_SURVIVOR = re.compile(r"- `([^`]*)`, `([^`]*)`: (.*)")

HEAD = """# Mutation check of the mathematical core and the checkers

Written by `make mutants`: each mutant is the package with one operator, constant, bound, term or condition changed. It
is killed when one of the tests that run the changed line fails or never ends; the ledger's stamps, which any change of
code breaks, are not among them. Of a checker (`certificates/`) only its own quick tests are asked. Operators: `<`/`≤`,
`=`/`≠`, `+`/`−`, `×`/`÷`, a term or factor dropped, a constant one higher, `and`/`or`, `min`/`max`, `any`/`all`,
absolute value or minus dropped, a condition negated.
"""


def explained() -> dict[str, str]:
    """Return the survivors that change no result, each with its reason."""
    entries = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])
    return {mutant: entry["why"] for entry in entries for mutant in entry["mutants"]}


def page(fates: dict[str, str], reasons: dict[str, str], before: str = "") -> str:
    """Return the page of the docs: the numbers by file, and the survivors with their reasons.

    Of files without a mutant among the fates both are those of the page before.
    """
    now = {id.split(": ")[0] for id in fates}
    counts = {row[1]: [int(number) for number in row.group(2, 3, 4, 5)] for row in _ROW.finditer(before)}
    kept = {id: reason for id, reason in _explained_before(before).items() if id.split(": ")[0] not in now}
    survivors, reasons = list(kept), reasons | kept
    for file in now:
        of_file = Counter(fate for id, fate in fates.items() if id.startswith(file + ": "))
        killed = of_file["killed"] + of_file["hangs"]
        counts[file] = [of_file.total(), killed, of_file["survives"], of_file[""]]
    survivors += [id for id, fate in fates.items() if fate == "survives"]
    totals = [sum(column) for column in zip(*counts.values(), strict=True)]
    rows = ["| file | mutants | killed | survive | not run |", "|---|--:|--:|--:|--:|"]
    for name, numbers in [*((f"`{file}`", counts[file]) for file in sorted(counts)), ("**all**", totals)]:
        rows.append(f"| {name} | {' | '.join(map(str, numbers))} |")
    left = totals[-1]
    open_ones = [id for id in survivors if id not in reasons]
    by_reason: dict[str, list[str]] = {}
    for id in survivors:
        by_reason.setdefault(reasons.get(id, "Not explained: a test is missing."), []).append(id)
    listed = [
        line
        for reason, ids in by_reason.items()
        for line in (f"**{reason}**", "", *(f"- {_as_code(id)}" for id in ids), "")
    ]
    unfinished = f"**Not complete:** {left} mutants are still to be run on this state; who survives there is open."
    return "\n".join(
        [
            HEAD,
            *rows,
            "",
            *([unfinished, ""] if left else []),
            f"## Survivors: {len(survivors)}, of which {len(open_ones)} are not explained",
            "",
            *listed,
        ]
    )


def _explained_before(page: str) -> dict[str, str]:
    """Return the survivors that a page lists, each with its reason there."""
    found, reason = {}, ""
    for line in page.splitlines():
        if line.startswith("**") and line.endswith("**"):
            reason = line.strip("*")
        elif survivor := _SURVIVOR.fullmatch(line):
            found[": ".join(survivor.groups())] = reason
    return found


def _as_code(id: str) -> str:
    file, where, change = id.split(": ", 2)
    return f"`{file}`, `{where}`: {change}"
