"""What is known of each mutant, kept as long as what its fate hangs on is the same."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from proofs_tests.mutants.operators import Mutant
from proofs_tests.mutants.processes import PACKAGE, ROOT

__all__ = ["FOLDER", "Journal", "code_of", "fingerprint", "test_files"]

FOLDER = ROOT / ".mutants"
_IMPORT = re.compile(r"^\s*(?:from|import) tcloseness\.(\w+)", re.MULTILINE)

_NOTHING: dict[str, Any] = {"fate": "", "by": "", "same": []}


class Journal:
    """The fates of mutants: the last one of each.

    A killed mutant stays killed as long as its room, those that it uses, and the file of the test that killed it are
    the same; that what the tests share draws no less than before is taken for granted. One that survives has to pass
    what is new: files of tests that have changed, or share something that has. Without the journal, all are run anew.
    """

    def __init__(self) -> None:
        FOLDER.mkdir(exist_ok=True)
        self._file = FOLDER / "journal.jsonl"
        lines = self._file.read_text(encoding="utf-8").splitlines() if self._file.exists() else []
        self._last: dict[str, dict[str, Any]] = {record["id"]: record for record in map(json.loads, lines)}

    def fate(self, mutant: Mutant, tests: Iterable[str]) -> str:
        """Return what is known of a mutant that has these files of tests: its fate, or nothing."""
        last = self._last.get(mutant.id, _NOTHING)
        now = [_hangs_on(mutant, last["by"])] if last["by"] else [_passes(mutant, test) for test in tests]
        return str(last["fate"]) if set(now) <= set(last["same"]) else ""

    def passed(self, mutant: Mutant, tests: Iterable[str]) -> set[str]:
        """Return the files of tests that a mutant is known to pass."""
        last = self._last.get(mutant.id, _NOTHING)
        return {test for test in tests if last["fate"] == "survives" and _passes(mutant, test) in last["same"]}

    def kills(self) -> dict[str, Counter[str]]:
        """Return how many mutants each test has killed, by the file of the mutants."""
        found: dict[str, Counter[str]] = {}
        for record in self._last.values():
            if record["by"]:
                found.setdefault(record["id"].split(": ")[0], Counter())[record["by"]] += 1
        return found

    def write(self, mutant: Mutant, tests: Iterable[str], fate: str, by: str) -> None:
        """Add a fate, and the test that decided it, so that the next run knows it; none, if no file could be read."""
        same = [_hangs_on(mutant, by)] if by else sorted(_passes(mutant, test) for test in tests)
        record = {"id": mutant.id, "fate": fate, "by": by, "same": same}
        with self._file.open("a", encoding="utf-8") as file:
            print(json.dumps(record, ensure_ascii=False), file=file)


def _room(mutant: Mutant) -> str:
    return mutant.file.split("/")[0].removesuffix(".py")


def _hangs_on(mutant: Mutant, by: str) -> str:
    return fingerprint(_room(mutant), by.split("::")[0], as_code=True, shared=False)


def _passes(mutant: Mutant, test: str) -> str:
    return fingerprint(_room(mutant), test, as_code=True, shared=True)


@functools.cache
def fingerprint(room: str, test: str, *, as_code: bool, shared: bool) -> str:
    """Hash a room of the package and those that it uses, or the whole package if none is named; and a file of tests.

    Of the package only the code is hashed, if so asked, and not its comments; with the file of tests, what it shares
    with others (strategies, oracles), if so asked.
    """
    digest = _of_rooms(room, as_code).copy()
    paths = {ROOT / test}
    if shared:
        folders = {ROOT / "proofs_tests", ROOT / "proofs_tests" / "smt", (ROOT / test).parent}
        helpers = {path for folder in folders for path in folder.glob("*.py") if not path.name.startswith("test_")}
        paths |= helpers - {ROOT / "proofs_tests" / f"{name}.py" for name in ("ledger", "closures", "conftest")}
    for path in sorted(paths):
        if path.exists():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def _of_rooms(room: str, as_code: bool) -> hashlib._Hash:
    """Hash a room and those that it uses, or the whole package."""
    digest = hashlib.sha256()
    used = _used(room)
    for path in sorted(PACKAGE.rglob("*.py")):
        if not room or _room_of(path) in used:
            digest.update(_of_file(path, as_code))
    return digest


def _room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@functools.cache
def _used(room: str) -> frozenset[str]:
    """Return a room and those from which its files import, and so on."""
    named: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        named.setdefault(_room_of(path), set()).update(_IMPORT.findall(path.read_text("utf-8")))
    found, left = set[str](), [room]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += named.get(each, ())
    return frozenset(found)


@functools.cache
def _of_file(path: Path, as_code: bool) -> bytes:
    text = path.read_text(encoding="utf-8")
    return (code_of(text) if as_code else text).encode()


def code_of(text: str) -> str:
    """Return the code of a file as text, without comments and docstrings."""

    def plain(statement: ast.AST) -> bool:
        return not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))

    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if plain(each)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def test_files(places: Iterable[str]) -> list[str]:
    """Return the files of tests of some folders, or of some patterns, from the project's folder."""
    paths: list[Path] = []
    for place in places:
        paths += sorted(ROOT.glob(place) if place.endswith(".py") else (ROOT / place).rglob("test_*.py"))
    return [path.relative_to(ROOT).as_posix() for path in paths]
