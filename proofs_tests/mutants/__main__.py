"""The mutation check: small faults are put into the mathematical core, one at a time, and the tests must notice each.

    python -m proofs_tests.mutants [--only PART] [--workers N]     # `make mutants`

A *mutant* is a copy of the package with one operator, constant, bound, term or condition changed. It is *killed* when
one of the tests that run the changed line fails (or never ends), and it *survives* when all pass. A survivor that
changes no result is listed, with its reason, in ``survivors.toml``; any other makes the check fail. The stamps of the
ledger, which any change of code breaks, are not among the tests. A run that is interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from proofs_tests.mutants.in_place import decide_in_place
from proofs_tests.mutants.journal import FOLDER, Journal, fingerprint, test_files
from proofs_tests.mutants.operators import Mutant, mutants_of
from proofs_tests.mutants.page import PAGE, explained, page
from proofs_tests.mutants.processes import HANGS, OPTIONS, PACKAGE, run
from proofs_tests.mutants.reach import Reach, record

CORE = {
    "transport/*.py": ("proofs_tests/transport",),
    "models/*.py": ("proofs_tests/models",),
    "ground/*.py": ("proofs_tests/ground", "proofs_tests/transport"),
    "measures/*.py": ("proofs_tests/measures",),
    "certificates/*.py": ("proofs_tests/certificates/test_{stem}*.py",),
}
"""The files that are mutated, and the tests that have to notice: those of folders, or a checker's own quick ones."""

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
    apart = [case for case in undecided if not case.own]
    recorded = _record(dict.fromkeys(test for case in apart for test in case.files), workers)
    reaches = {files: Reach.read(map(recorded.__getitem__, files)) for files in {case.files for case in apart}}
    kills = journal.kills()

    def tests(case: Case) -> list[str]:
        found = reaches[case.files].tests(case.mutant.file, case.mutant.lines, kills.get(case.mutant.file))
        passed = journal.passed(case.mutant, case.files)
        return [test for test in found if test.split("::")[0] not in passed]

    def work(case: Case, slot: Path) -> int:
        chosen = _Chosen(tests(case), reaches[case.files].seconds, slot / "word")
        return int(pytest.main([*OPTIONS, "-x", *chosen.files()], plugins=[chosen]))

    def outcomes() -> Iterator[tuple[Case, int, str]]:
        yield from ((case, 0, "") for case in apart if not tests(case))
        yield from run([case for case in apart if tests(case)], _put, work, workers)
        for _, together in itertools.groupby((c for c in undecided if c.own), key=lambda case: case.mutant.file):
            group = list(together)
            todo = [(case.mutant, journal.passed(case.mutant, case.files)) for case in group]
            for number, code, last in decide_in_place(todo, group[0].files):
                yield group[number], code, last

    for case, code, last in outcomes():
        fate = "survives" if code == 0 else "hangs" if code == HANGS else "killed"
        if code != 0:
            kills.setdefault(case.mutant.file, Counter())[last] += 1
        yield case, fate, "" if code == 0 else last


def main() -> int:
    """Run the mutation check and write its page."""
    parser = argparse.ArgumentParser(description="Mutation check of the mathematical core.")
    parser.add_argument("--only", default="", help="only files whose path contains this; the page keeps the others")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="0: run nothing, show what is known")
    wanted = parser.parse_args()
    journal = Journal()
    every = list(cases(wanted.only))
    fates = {case.mutant.id: journal.fate(case.mutant, case.files) for case in every}
    undecided = [case for case in every if not fates[case.mutant.id]]
    print(f"{len(every)} mutants, {len(undecided)} to run", file=sys.stderr, flush=True)
    try:
        for case, fate, by in decide(undecided, wanted.workers, journal) if wanted.workers else ():
            fates[case.mutant.id] = fate
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
    PAGE.parent.mkdir(exist_ok=True)
    before = PAGE.read_text(encoding="utf-8") if wanted.only and PAGE.exists() else ""
    PAGE.write_text(page(fates, reasons, before), encoding="utf-8")
    for title, ids in lists.items():
        print(f"{title}: {len(ids)}", *ids[:200] if title != "not run" else (), sep="\n  ")
    return 1 if any(lists.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
