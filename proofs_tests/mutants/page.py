"""The page of the docs: the numbers by file, and the survivors with their reasons.

Each row has the stamp of the file's code on which its mutants were run; of a file that has changed since then, the row
is among those of earlier states, and is in no sum.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from proofs_tests.mutants.journal import code_of
from proofs_tests.mutants.processes import PACKAGE, ROOT

__all__ = ["PAGE", "SAMPLE", "as_code", "by_room", "explained", "page", "stamp"]

SURVIVORS = Path(__file__).with_name("survivors.toml")
PAGE = ROOT / "docs" / "mutants.md"

SAMPLE = "## A sample of all deciding rooms"
_SURVIVORS = "## Survivors"

_ROW = re.compile(r"^\| `(.*)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| `(\w+)` \|$", re.MULTILINE)
_SURVIVOR = re.compile(r"- `([^`]*)`, `([^`]*)`: (.*)")

HEAD = """# Mutation check of the mathematical core and the checkers

Written by `make mutants`: each mutant is the package with one operator, constant, bound, term or condition changed. It
is killed when one of the tests that run the changed line fails or never ends; the ledger's stamps, which any change of
code breaks, are not among them. Of a checker (`certificates/`) only its own quick tests are asked. Operators: `<`/`≤`,
`=`/`≠`, `+`/`−`, `×`/`÷`, a term or factor dropped, a constant one higher, `and`/`or`, `min`/`max`, `any`/`all`,
absolute value or minus dropped, a condition negated. A row holds for the code whose stamp it has.
"""


_UNEXPLAINED = "Not explained: a test is missing."

_EARLIER = """## Earlier states

The code of these files has changed since their mutants were run: the numbers are those of then, and in no sum. Who
survives today is open."""


def explained() -> dict[str, str]:
    """Return the survivors that change no result, each with its reason."""
    entries = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])
    return {mutant: entry["why"] for entry in entries for mutant in entry["mutants"]}


def stamp(file: str) -> str:
    """Return the stamp of a file's code, without comments and docstrings."""
    path = PACKAGE / file
    code = code_of(path.read_text(encoding="utf-8")) if path.exists() else ""
    return hashlib.sha256(code.encode()).hexdigest()[:8]


@dataclass(frozen=True)
class _Row:
    """The numbers of a file: of mutants, killed, surviving and not run, and the stamp of the code."""

    numbers: tuple[int, ...]
    code: str

    def text(self, name: str) -> str:
        return f"| {name} | {' | '.join(map(str, self.numbers))} | {f'`{self.code}`' if self.code else ''} |"


def page(
    fates: Mapping[str, str],
    reasons: Mapping[str, str],
    before: str = "",
    *,
    scope: Iterable[str] = (),
    sample: str | None = None,
) -> str:
    """Return the page of the docs: the numbers by file, and the survivors with their reasons.

    Of files without a mutant among the fates both are those of the page before; so is the part on the sample, unless
    one is given.

    Parameters
    ----------
    scope
        The files that are to be run; those without a row are named.
    """
    now = {id.split(": ")[0] for id in fates}
    rows = {row[1]: _Row(tuple(map(int, row.group(2, 3, 4, 5))), row[6]) for row in _ROW.finditer(before)}
    kept = {id: why for id, why in _explained_before(before).items() if id.split(": ")[0] not in now}
    of_files: dict[str, Counter[str]] = {}
    for id, fate in fates.items():
        of_files.setdefault(id.split(": ")[0], Counter())[fate] += 1
    for file, of_file in of_files.items():
        killed = of_file["killed"] + of_file["hangs"]
        rows[file] = _Row((of_file.total(), killed, of_file["survives"], of_file[""]), stamp(file))
    current = {file: row for file, row in sorted(rows.items()) if row.code == stamp(file)}
    earlier = {file: row for file, row in sorted(rows.items()) if file not in current}
    every = {**kept, **{id: "" for id, fate in fates.items() if fate == "survives"}}
    why = {id: reasons.get(id, kept.get(id, "")) or _UNEXPLAINED for id in every}
    survivors = {id: text for id, text in why.items() if id.split(": ")[0] in current}
    totals = [sum(column) for column in zip(*(row.numbers for row in current.values()), strict=True)] or [0] * 4
    never = sorted(set(scope) - set(rows))
    open_ones = [id for id, text in survivors.items() if text == _UNEXPLAINED]
    head = ["| file | mutants | killed | survive | not run | code |", "|---|--:|--:|--:|--:|---|"]
    lines = [
        HEAD,
        *head,
        *(row.text(f"`{file}`") for file, row in current.items()),
        _Row(tuple(totals), "").text("**all**"),
    ]
    if totals[-1]:
        lines += [
            "",
            f"**Not complete:** {totals[-1]} mutants are still to be run on this state; who survives there is open.",
        ]
    if never:
        lines += ["", f"**Never run:** {', '.join(f'`{file}`' for file in never)}."]
    lines += ["", "## Noticed, by room", "", *by_room(current, survivors)]
    if earlier:
        lines += ["", _EARLIER, "", *head, *(row.text(f"`{file}`") for file, row in earlier.items())]
    part = _between(before, SAMPLE, _SURVIVORS) if sample is None else sample
    if part:
        lines += ["", SAMPLE, "", part.strip()]
    lines += ["", f"{_SURVIVORS}: {len(survivors)}, of which {len(open_ones)} are not explained", *_listed(survivors)]
    if gone := {id: text for id, text in why.items() if id not in survivors}:
        lines += ["", "## Those that survived on earlier states of their files", *_listed(gone)]
    return "\n".join(lines) + "\n"


def by_room(rows: Mapping[str, _Row], survivors: Mapping[str, str]) -> list[str]:
    """Return the share of mutants that are noticed among those that were run and change a result, by room."""
    sums: dict[str, list[int]] = {}
    for file, row in rows.items():
        of_room = sums.setdefault(file.split("/")[0], [0, 0, 0])
        mutants, killed, _, left = row.numbers
        same = sum(id.startswith(f"{file}: ") and why != _UNEXPLAINED for id, why in survivors.items())
        for place, number in enumerate((mutants - left, killed, same)):
            of_room[place] += number
    lines = ["| room | run | noticed | no other result | noticed of the rest |", "|---|--:|--:|--:|--:|"]
    for room, (run, killed, same) in sums.items():
        share = f"{killed / (run - same):.2%}" if run > same else ""
        lines.append(f"| {room} | {run} | {killed} | {same} | {share} |")
    return lines


def _listed(survivors: Mapping[str, str]) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for id, reason in survivors.items():
        by_reason.setdefault(reason, []).append(id)
    return [
        line
        for reason, ids in by_reason.items()
        for line in ("", f"**{reason}**", "", *(f"- {as_code(id)}" for id in ids))
    ]


def _between(text: str, begin: str, end: str) -> str:
    return text.partition(f"{begin}\n")[2].partition(end)[0]


def _explained_before(page: str) -> dict[str, str]:
    """Return the survivors that a page lists, each with its reason there."""
    found, reason = {}, ""
    for line in page.replace(_between(page, SAMPLE, _SURVIVORS), "").splitlines():
        if line.startswith("**") and line.endswith("**"):
            reason = line.strip("*")
        elif survivor := _SURVIVOR.fullmatch(line):
            found[": ".join(survivor.groups())] = reason
    return found


def as_code(id: str) -> str:
    """Return a mutant's file, function and change as Markdown."""
    file, where, change = id.split(": ", 2)
    return f"`{file}`, `{where}`: {change}"
