"""The mutation check: small faults are put into the mathematical core, one at a time, and the tests must notice each.

    python -m proofs_tests.mutants [--only PART] [--workers N]                # `make mutants`
    python -m proofs_tests.mutants --sample N [--seed S] [--minutes M]        # of all deciding rooms

A *mutant* is a copy of the package with one operator, constant, bound, term or condition changed. It is *killed* when
one of the tests that run the changed line fails (or never ends), and it *survives* when all pass. A survivor that
changes no result is listed, with its reason, in ``survivors.toml``; any other makes the check fail. The stamps of the
ledger, which any change of code breaks, are not among the tests. A run that is interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from proofs_tests.mutants.in_place import NOT_PUT, TOO_LONG, Question, decide_in_place
from proofs_tests.mutants.journal import FOLDER, Journal, fingerprint, test_files
from proofs_tests.mutants.operators import Mutant, mutants_of
from proofs_tests.mutants.page import PAGE, as_code, explained, page
from proofs_tests.mutants.processes import HANGS, OPTIONS, PACKAGE, run
from proofs_tests.mutants.reach import Reach, record
from proofs_tests.mutants.sample import asked_about, draw, table

CORE = {
    "transport/*.py": ("proofs_tests/transport",),
    "models/*.py": ("proofs_tests/models",),
    "ground/*.py": ("proofs_tests/ground", "proofs_tests/transport"),
    "measures/*.py": ("proofs_tests/measures",),
    "certificates/*.py": ("proofs_tests/certificates/test_{stem}*.py",),
}
"""The files that are mutated, and the tests that have to notice: those of folders, or a checker's own quick ones."""

LONGEST = 60
"""The seconds of processor time for the tests of one mutant of a sample."""

TOGETHER = 60
"""How many mutants of a sample are put into one process, whose tests are collected once."""

PATIENCE = 5
"""How many times the recorded processor time a test may take; and as many times ten seconds, to collect and compile."""


@dataclass(frozen=True)
class Case:
    """A mutant, and the files of tests that have to notice it; `own` are those of its file alone."""

    mutant: Mutant
    files: tuple[str, ...]
    own: bool


class _Chosen:
    """Keeps the chosen tests, in their order, tells which runs, and ends the process if one takes too long."""

    def __init__(self, tests: Iterable[str], seconds: dict[str, float], word: Path) -> None:
        self.rank = {test: i for i, test in enumerate(tests)}
        self.seconds = seconds
        self.word = word

    def files(self) -> list[str]:
        return list(dict.fromkeys(test.split("::")[0] for test in self.rank))

    def pytest_sessionstart(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, PATIENCE * 10)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        new = [item for item in items if item.nodeid not in self.seconds]  # a fault may rename a test
        items[:] = sorted((i for i in items if i.nodeid in self.rank), key=lambda i: self.rank[i.nodeid]) + new

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.word.write_text(item.nodeid, encoding="utf-8")
        signal.setitimer(signal.ITIMER_PROF, PATIENCE * (10 + self.seconds.get(item.nodeid, 0)))


def _put(case: Case, slot: Path) -> None:
    """Put a fault into the copy of the package, and take out the one before."""
    before = slot / "changed"
    if before.exists():
        file = before.read_text(encoding="utf-8")
        (slot / "tcloseness" / file).write_bytes((PACKAGE / file).read_bytes())
    (slot / "tcloseness" / case.mutant.file).write_text(case.mutant.source, encoding="utf-8")
    before.write_text(case.mutant.file, encoding="utf-8")


def _record(files: Iterable[str], workers: int) -> dict[str, Path]:
    """Return where it is written what each file of tests runs; record it where the package or the file is new."""
    folder = FOLDER / "reach"
    folder.mkdir(parents=True, exist_ok=True)
    stamps = {file: fingerprint(Path(file).parent.name, file, as_code=False, shared=True) for file in files}
    paths = {file: folder / f"{stamp}-{Path(file).stem}.json" for file, stamp in stamps.items()}
    new = [file for file, path in paths.items() if not path.exists()]

    def work(file: str, slot: Path) -> int:
        return record(slot / "tcloseness", file, OPTIONS, slot / "word")

    for file, code, word in run(new, lambda _file, _slot: None, work, workers):
        if code != 0:
            raise SystemExit(f"{file}: a test fails without a fault put in")
        paths[file].write_text(word, encoding="utf-8")
        print(f"recorded what {file} runs", file=sys.stderr, flush=True)
    return paths


def cases(only: str) -> Iterator[Case]:
    """Yield the mutants of the files whose path contains a text."""
    for pattern, tests in CORE.items():
        for path in sorted(PACKAGE.glob(pattern)):
            file = path.relative_to(PACKAGE).as_posix()
            files = tuple(test_files(each.format(stem=path.stem) for each in tests))
            if path.name != "__init__.py" and only in file:
                for mutant in mutants_of(file, path.read_text(encoding="utf-8")):
                    yield Case(mutant, files, "{stem}" in "".join(tests))


def decide(undecided: Sequence[Case], workers: int, journal: Journal) -> Iterator[tuple[Case, str, str]]:
    """Yield each case with its fate, and the test that decided it."""
    kills = journal.kills()

    def outcomes() -> Iterator[tuple[Case, int, str]]:
        own, apart = [case for case in undecided if case.own], [case for case in undecided if not case.own]
        for number, code, last in decide_in_place(questions(own, journal)):
            if code == NOT_PUT:  # it changes what runs when the module is loaded
                apart.append(own[number])
            else:
                yield own[number], code, last
        recorded = _record(dict.fromkeys(test for case in apart for test in case.files), workers)
        reaches = {files: Reach.read(map(recorded.__getitem__, files)) for files in {case.files for case in apart}}

        def tests(case: Case) -> list[str]:
            found = reaches[case.files].tests(case.mutant.file, case.mutant.lines, kills.get(case.mutant.file))
            passed = journal.passed(case.mutant, case.files)
            return [test for test in found if test.split("::")[0] not in passed]

        def work(case: Case, slot: Path) -> int:
            chosen = _Chosen(tests(case), reaches[case.files].seconds, slot / "word")
            return int(pytest.main([*OPTIONS, "-x", *chosen.files()], plugins=[chosen]))

        yield from ((case, 0, "") for case in apart if not tests(case))
        yield from run([case for case in apart if tests(case)], _put, work, workers)

    for case, code, last in outcomes():
        fate, by = fate_of(code, last)
        if by:
            kills.setdefault(case.mutant.file, Counter())[by] += 1
        yield case, fate, by


def questions(undecided: Iterable[Case], journal: Journal) -> list[Question]:
    """Return what is asked of each mutant: of its files of tests, those that it is not known to pass."""
    return [
        Question(case.mutant, tuple(file for file in case.files if file not in passed))
        for case in undecided
        for passed in [journal.passed(case.mutant, case.files)]
    ]


def fate_of(code: int, last: str) -> tuple[str, str]:
    """Return the fate of a mutant and the test that decided it; nothing, if nothing is decided."""
    if code in (NOT_PUT, TOO_LONG):
        return "", ""
    return ("survives", "") if code == 0 else ("hangs" if code == HANGS else "killed", last)


def write_page(fates: Mapping[str, str], reasons: Mapping[str, str], sample: str | None = None) -> None:
    """Write the page; of files of which nothing is known it keeps what it said."""
    known = {id.split(": ")[0] for id, fate in fates.items() if fate}
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    of_known = {id: fate for id, fate in fates.items() if id.split(": ")[0] in known}
    scope = [path.relative_to(PACKAGE).as_posix() for pattern in CORE for path in PACKAGE.glob(pattern)]
    scope = [file for file in scope if not file.endswith("__init__.py")]
    PAGE.write_text(page(of_known, reasons, before, scope=scope, sample=sample), encoding="utf-8")


def by_and_by(todo: Sequence[Question]) -> Iterator[tuple[Question, int, str]]:
    """Yield what is found of the mutants of a sample, some after the others: the tests of all are many."""
    for begin in range(0, len(todo), TOGETHER):
        part = todo[begin : begin + TOGETHER]
        yield from ((part[place], code, last) for place, code, last in decide_in_place(part, seconds=LONGEST))


def run_sample(number: int, seed: int, minutes: float) -> int:
    """Run a sample of all deciding rooms as far as the time allows, and print what is known of it."""
    sample = draw(number, seed)
    journal = Journal()
    of_id = {each.mutant.id: Case(each.mutant, asked_about(each.mutant.file), True) for each in sample}
    fates = {id: journal.fate(case.mutant, case.files) if case.files else "survives" for id, case in of_id.items()}
    todo = questions([of_id[id] for id, fate in fates.items() if not fate], journal)
    digest = hashlib.sha256("\n".join(of_id).encode()).hexdigest()[:16]
    print(f"{number} mutants drawn by seed {seed} ({digest}), {len(todo)} to run", file=sys.stderr, flush=True)
    end = time.monotonic() + 60 * minutes
    try:
        for question, code, last in by_and_by(todo) if minutes else ():
            case = of_id[question.mutant.id]
            fate, by = fate_of(code, last)
            if fate:
                journal.write(case.mutant, case.files, fate, by)
            fates[case.mutant.id] = "late" if code == TOO_LONG else fate
            print(f"{fates[case.mutant.id] or 'not put':8}  {case.mutant.id}  {by}", file=sys.stderr, flush=True)
            if time.monotonic() > end:
                break
    except KeyboardInterrupt:
        print("interrupted: the same command goes on from here", file=sys.stderr)
    reasons = explained()
    unseen = [id for id, fate in fates.items() if fate in ("survives", "late") and id not in reasons]
    done = sum(bool(fate) for fate in fates.values())
    said = [
        f"Drawn by seed {seed} (`{digest}`): {number} mutants of all rooms that decide, of the further kinds too.",
        f"Run so far, in the order drawn: {done}. Asked are the quick tests that are nearest to the module; the share",
        "is of those that were run and change a result.",
        "",
        *table(sample, fates, reasons),
        "",
        f"Unseen when they were run: {len(unseen)}; what tests written for them since then notice is not counted.",
        "",
        *(f"- {as_code(id)}" for id in unseen),
    ]
    print(*said, sep="\n")
    write_page({}, reasons, "\n".join(said))
    return 1 if unseen or not all(fates.values()) else 0


def main() -> int:
    """Run the mutation check and write its page."""
    parser = argparse.ArgumentParser(description="Mutation check of the mathematical core.")
    parser.add_argument("--only", default="", help="only files whose path contains this; the page keeps the others")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="0: run nothing, show what is known")
    parser.add_argument("--sample", type=int, help="so many mutants of all deciding rooms, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60, help="of the sample; 0: run nothing, show what is known")
    wanted = parser.parse_args()
    if wanted.sample is not None:
        return run_sample(wanted.sample, wanted.seed, wanted.minutes)
    journal = Journal()
    every = list(cases(wanted.only))
    fates = {case.mutant.id: journal.fate(case.mutant, case.files) for case in every}
    undecided = [case for case in every if not fates[case.mutant.id]]
    print(f"{len(every)} mutants, {len(undecided)} to run", file=sys.stderr, flush=True)
    try:
        for case, fate, by in decide(undecided, wanted.workers, journal) if wanted.workers else ():
            fates[case.mutant.id] = fate
            if fate:
                journal.write(case.mutant, case.files, fate, by)
            left = sum(not fate for fate in fates.values())
            print(f"{left:5} left  {fate:8}  {case.mutant.id}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("interrupted: the same command goes on from here", file=sys.stderr)
    reasons = explained()
    lists = {
        "survives without a reason": [id for id, fate in fates.items() if fate == "survives" and id not in reasons],
        "has a reason, and does not survive": [id for id in reasons if fates.get(id) in ("killed", "hangs")],
        "not run": [id for id, fate in fates.items() if not fate],
    }
    write_page(fates, reasons)
    for title, ids in lists.items():
        print(f"{title}: {len(ids)}", *ids[:200] if title != "not run" else (), sep="\n  ")
    return 1 if any(lists.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
