"""The mutation check: small faults are put into the mathematical core, one at a time, and the tests must notice each.

    python -m proofs_tests.mutants [--only PART] [--workers N]     # `make mutants`

A *mutant* is a copy of the package with one operator, constant, bound, term or condition changed. It is *killed* when
a test fails (or never ends), and it *survives* when all pass. A survivor that changes no result is listed, with its
reason, in ``survivors.toml``; any other makes the check fail. The stamps of the ledger, which any change of code
breaks, are not among the tests that are run. A run that is interrupted goes on where it stopped, as long as code and
tests are the same.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import json
import math
import os
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

__all__ = ["CORE", "PAGE", "SURVIVORS", "Mutant", "explained", "mutants_of", "page"]

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "research" / "tcloseness"
JOURNAL = ROOT / ".mutants" / "journal.jsonl"
SURVIVORS = ROOT / "proofs_tests" / "survivors.toml"
PAGE = ROOT / "docs" / "mutants.md"

CORE = {
    "transport/*.py": ("proofs_tests/transport",),
    "models/*.py": ("proofs_tests/models",),
    "ground/*.py": ("proofs_tests/ground", "proofs_tests/transport"),
    "measures/*.py": ("proofs_tests/measures",),
}
"""The files that are mutated, and the tests that have to notice."""

PATIENCE = 5
"""How many times the unchanged package's time a mutant is given before it counts as one that makes a test hang."""

_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}


@dataclass(frozen=True)
class Mutant:
    """One changed copy of a file.

    Attributes
    ----------
    file
        The file, from the package's folder.
    name
        Function and change, as text; tells the mutant from all others of the file.
    source
        The whole changed file.
    """

    file: str
    name: str
    source: str

    @property
    def id(self) -> str:
        """File and name."""
        return f"{self.file}: {self.name}"


def mutants_of(file: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of a file, in the order of its lines."""
    tree = ast.parse(source)
    seen: Counter[str] = Counter()
    for place, parent, node, where in _code(tree):
        for changed in _changes(node):
            _put(parent, place, changed)
            name = f"{where}: `{_text(node)}` → `{_text(changed)}`"
            seen[name] += 1
            again = f" (no. {seen[name]})" if seen[name] > 1 else ""
            yield Mutant(file, name + again, ast.unparse(tree))
        _put(parent, place, node)


Place = tuple[str, int | None]


def _put(parent: ast.AST, place: Place, node: ast.AST) -> None:
    field, index = place
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.If):
        return f"if {ast.unparse(node.test)}"
    return " ".join(ast.unparse(node).split())


def _code(tree: ast.Module) -> Iterator[tuple[Place, ast.AST, ast.AST, str]]:
    """Yield what computes: neither annotations, nor decorators, texts, or the words of an error."""

    def walk(parent: ast.AST, where: str) -> Iterator[tuple[Place, ast.AST, ast.AST, str]]:
        for field, value in ast.iter_fields(parent):
            if field in ("annotation", "returns", "decorator_list", "bases", "type_params"):
                continue
            children = value if isinstance(value, list) else [value]
            for index, node in enumerate(children):
                if not isinstance(node, ast.AST) or isinstance(node, ast.Raise | ast.JoinedStr | ast.Import):
                    continue
                if isinstance(node, ast.keyword) and node.arg in ("strict", "stacklevel"):  # no result hangs on them
                    continue
                named = isinstance(node, ast.FunctionDef | ast.ClassDef)
                inside = (f"{where}.{node.name}" if where else node.name) if named else where  # type: ignore[attr-defined]
                if inside:
                    yield (field, index if isinstance(value, list) else None), parent, node, inside
                yield from walk(node, inside)

    yield from walk(tree, "")


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the changed forms of one node."""
    match node:
        case ast.Compare():
            for i, operator in enumerate(node.ops):
                if type(operator) in _SWAPS:
                    changed = copy.copy(node)
                    changed.ops = [*node.ops[:i], _SWAPS[type(operator)](), *node.ops[i + 1 :]]  # type: ignore[list-item]
                    yield changed
        case ast.BinOp(left=left, op=operator, right=right):
            if isinstance(left, ast.Constant) and isinstance(left.value, str):
                return
            if type(operator) in _SWAPS:
                yield ast.BinOp(left, _SWAPS[type(operator)](), right)  # type: ignore[arg-type]
            if isinstance(operator, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv):
                yield left
            if isinstance(operator, ast.Add | ast.Mult):
                yield right
        case ast.AugAssign() if type(node.op) in _SWAPS:
            yield ast.AugAssign(node.target, _SWAPS[type(node.op)](), node.value)  # type: ignore[arg-type]
        case ast.BoolOp():
            yield ast.BoolOp(_SWAPS[type(node.op)](), node.values)  # type: ignore[arg-type]
            if len(node.values) == 2:
                yield from node.values
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield node.operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
            if value == 1:
                yield ast.Constant(0)
        case ast.Call(func=ast.Name(id="abs"), args=[inner]):
            yield inner
        case ast.Call(func=ast.Name(id=name)) if name in _NAMES:
            yield ast.Call(ast.Name(_NAMES[name], ast.Load()), node.args, node.keywords)
        case ast.Call(func=ast.Attribute(attr=name)) if name in _NAMES:
            yield ast.Call(ast.Attribute(node.func.value, _NAMES[name], ast.Load()), node.args, node.keywords)  # type: ignore[attr-defined]
        case ast.IfExp(test=test, body=body, orelse=other):
            yield ast.IfExp(test, other, body)
        case ast.If() if not (isinstance(node.test, ast.Compare | ast.BoolOp)):
            yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


def targets(only: str = "") -> list[tuple[str, tuple[str, ...]]]:
    """Return the files of the core whose path contains a text, with their tests; a file's own tests come first."""
    found = []
    for pattern, folders in CORE.items():
        for path in sorted(PACKAGE.glob(pattern)):
            file = path.relative_to(PACKAGE).as_posix()
            if path.name == "__init__.py" or only not in file:
                continue
            own = sorted((ROOT / folders[0]).glob(f"test_{path.stem}*.py"))
            found.append((file, (*(p.relative_to(ROOT).as_posix() for p in own), *folders)))
    return found


def _fingerprint(source: str, tests: Sequence[str]) -> str:
    """Hash what a mutant's fate hangs on: the whole package but for comments, and the tests."""
    digest = hashlib.sha256(source.encode())
    for top in ("research/tcloseness/" + room for room in ("ground", "transport", "measures", "models", "microdata")):
        for path in sorted((ROOT / top).rglob("*.py")):
            digest.update(ast.dump(ast.parse(path.read_text(encoding="utf-8"))).encode())
    for test in tests:
        path = ROOT / test
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _run_tests(slot: Path, tests: Sequence[str], fresh_kernels: bool) -> int:
    """Run the tests on the copy of the package in a slot; in a process of its own, which ends here."""
    os.setpgid(0, 0)
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(slot))
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    os.environ["PYTHONPATH"] = str(slot)
    import numba
    import pytest

    kernels = slot / ".kernels"
    numba.config.CACHE_DIR = str(tempfile.mkdtemp(dir=slot) if fresh_kernels else kernels)  # type: ignore[attr-defined]
    os.chdir(ROOT)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain"]
    own = [test for test in tests if test not in _folders(tests)]
    return next((1 for some in (own, _folders(tests)) if some and pytest.main([*options, *some]) != 0), 0)


def _folders(tests: Sequence[str]) -> tuple[str, ...]:
    return tuple(test for test in tests if not test.endswith(".py"))


def _preload() -> None:
    """Import what every run of the tests needs, once, before the processes part."""
    import cvc5
    import highspy
    import hypothesis
    import jsonschema
    import matplotlib.figure
    import networkx
    import numba
    import pandas
    import pulp
    import pytest
    import z3

    del cvc5, highspy, hypothesis, jsonschema, matplotlib, networkx, numba, pandas, pulp, pytest, z3


def run(
    work: Sequence[tuple[Mutant, tuple[str, ...]]], workers: int, limit: float = math.inf
) -> Iterator[tuple[Mutant, str, float]]:
    """Run the tests on every mutant, some at a time; yield each with its fate and its seconds.

    The fate is ``killed``, ``survives``, or ``hangs`` for one that takes longer than the limit, in seconds.
    """
    _preload()
    with tempfile.TemporaryDirectory() as scratch:
        slots = [Path(scratch) / str(i) for i in range(workers)]
        for slot in slots:
            shutil.copytree(PACKAGE, slot / "tcloseness", ignore=shutil.ignore_patterns("__pycache__"))
        running: dict[int, tuple[Mutant, Path, float]] = {}
        queue = list(reversed(work))
        free = list(slots)
        while queue or running:
            while queue and free:
                (mutant, tests), slot = queue.pop(), free.pop()
                (slot / "tcloseness" / mutant.file).write_text(mutant.source, encoding="utf-8")
                child = os.fork()
                if child == 0:
                    os._exit(_run_tests(slot, tests, mutant.file.endswith("compiled.py")))
                running[child] = mutant, slot, time.monotonic()
            time.sleep(0.05)
            for child, (mutant, slot, started) in list(running.items()):
                ended, status = os.waitpid(child, os.WNOHANG)
                seconds = time.monotonic() - started
                hangs = not ended and seconds > limit
                if hangs:
                    os.killpg(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                if ended or hangs:
                    del running[child]
                    free.append(slot)
                    shutil.copy(PACKAGE / mutant.file, slot / "tcloseness" / mutant.file)
                    passed = not hangs and os.waitstatus_to_exitcode(status) == 0
                    yield mutant, "survives" if passed else "hangs" if hangs else "killed", seconds


def explained() -> dict[str, str]:
    """Return the survivors that change no result, each with its reason."""
    entries = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])
    return {mutant: entry["why"] for entry in entries for mutant in entry["mutants"]}


def page(fates: dict[str, str], reasons: dict[str, str]) -> str:
    """Return the page of the docs: the numbers by file, and the survivors with their reasons."""
    files = sorted({id.split(": ")[0] for id in fates})
    rows = ["| file | mutants | killed | survive | not run |", "|---|--:|--:|--:|--:|"]
    for file in [*files, ""]:
        counts = Counter(fate for id, fate in fates.items() if not file or id.startswith(file + ": "))
        killed = counts["killed"] + counts["hangs"]
        name = f"`{file}`" if file else "**all**"
        rows.append(f"| {name} | {counts.total()} | {killed} | {counts['survives']} | {counts['']} |")
    survivors = [id for id, fate in fates.items() if fate == "survives"]
    open_ones = [id for id in survivors if id not in reasons]
    by_reason: dict[str, list[str]] = {}
    for id in survivors:
        by_reason.setdefault(reasons.get(id, "Not explained: a test is missing."), []).append(id)
    listed = [
        line
        for reason, ids in by_reason.items()
        for line in (f"**{reason}**", "", *(f"- {_as_code(id)}" for id in ids), "")
    ]
    return "\n".join(
        [
            "# Mutation check of the mathematical core",
            "",
            "Written by `make mutants`: each mutant is the package with one operator, constant, bound, term or",
            "condition changed; it is killed when a test fails or never ends. The ledger's stamps, which any change of",
            "code breaks, are not among the tests. Operators: `<`/`≤`, `=`/`≠`, `+`/`−`, `×`/`÷`, a term or factor",
            "dropped, a constant one higher, `and`/`or`, `min`/`max`, `any`/`all`, absolute value or minus dropped,",
            "a condition negated.",
            "",
            *rows,
            "",
            f"## Survivors: {len(survivors)}, of which {len(open_ones)} are not explained",
            "",
            *listed,
        ]
    )


def _as_code(id: str) -> str:
    file, where, change = id.split(": ", 2)
    return f"`{file}`, `{where}`: {change}"


def main() -> int:
    """Run the mutation check and write its page."""
    parser = argparse.ArgumentParser(description="Mutation check of the mathematical core.")
    parser.add_argument("--only", default="", help="only files whose path contains this text; writes no page")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    wanted = parser.parse_args()
    journal = _Journal(wanted.only)
    print(f"{len(journal.fates)} mutants, {len(journal.work)} to run", file=sys.stderr, flush=True)
    try:
        for folders in dict.fromkeys(_folders(tests) for _, tests in journal.work):
            part = [(mutant, tests) for mutant, tests in journal.work if _folders(tests) == folders]
            first = replace(part[0][0], source=(PACKAGE / part[0][0].file).read_text(encoding="utf-8"))
            (_, fate, seconds), *_ = run([(first, folders)], 1)
            if fate != "survives":
                print(f"{', '.join(folders)}: a test fails without a fault put in", file=sys.stderr)
                return 2
            for mutant, fate, _ in run(part, wanted.workers, PATIENCE * wanted.workers * (seconds + 10)):
                journal.write(mutant, fate)
    except KeyboardInterrupt:
        print("interrupted: the same command goes on from here", file=sys.stderr)
    fates, reasons = journal.fates, explained()
    lists = {
        "survives without a reason": [id for id, fate in fates.items() if fate == "survives" and id not in reasons],
        "has a reason, and does not survive": [id for id in reasons if fates.get(id) in ("killed", "hangs")],
        "not run": [id for id, fate in fates.items() if not fate],
    }
    if not wanted.only:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(fates, reasons), encoding="utf-8")
    for title, ids in lists.items():
        print(f"{title}: {len(ids)}", *ids[:200] if title != "not run" else (), sep="\n  ")
    return 1 if any(lists.values()) else 0


class _Journal:
    """What is known of each mutant, and what is left to run."""

    def __init__(self, only: str) -> None:
        JOURNAL.parent.mkdir(exist_ok=True)
        lines = JOURNAL.read_text(encoding="utf-8").splitlines() if JOURNAL.exists() else []
        known = {(line["id"], line["fingerprint"]): line["fate"] for line in map(json.loads, lines)}
        self.fates: dict[str, str] = {}
        self.work: list[tuple[Mutant, tuple[str, ...]]] = []
        self._fingerprints: dict[str, str] = {}
        for file, tests in targets(only):
            source = (PACKAGE / file).read_text(encoding="utf-8")
            self._fingerprints[file] = _fingerprint(source, tests)
            for mutant in mutants_of(file, source):
                self.fates[mutant.id] = known.get((mutant.id, self._fingerprints[file]), "")
                if not self.fates[mutant.id]:
                    self.work.append((mutant, tests))

    def write(self, mutant: Mutant, fate: str) -> None:
        """Add a fate, so that it is known to the next run."""
        self.fates[mutant.id] = fate
        line = {"id": mutant.id, "fingerprint": self._fingerprints[mutant.file], "fate": fate}
        with JOURNAL.open("a", encoding="utf-8") as file:
            print(json.dumps(line, ensure_ascii=False), file=file)
        left = sum(not fate for fate in self.fates.values())
        print(f"{left:5} left  {fate:8}  {mutant.id}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
