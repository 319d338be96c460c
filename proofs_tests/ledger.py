"""The ledger of what the project claims about its mathematics: ``claims.toml``, and what keeps it true.

Each claim names its source, the code that it speaks of and its evidence, and says in one of four words how strong that
is. ``stamps.txt`` holds a *stamp*, a hash of the syntax tree, of everything in the package on which that code rests.
Who changes a function, a class or a constant must look again at the claims about what uses it, and confirm them::

    python -m proofs_tests.ledger changed         # what changed, and which claims rest on it
    python -m proofs_tests.ledger confirm         # after having looked: writes the stamps
    python -m proofs_tests.ledger table           # writes the table of docs/proofs.md
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from proofs_tests.closures import Closures

__all__ = [
    "LEDGER",
    "PAGE",
    "ROOT",
    "STAMPS",
    "Claim",
    "changed",
    "claims",
    "has_test",
    "resting",
    "stamps",
    "table",
    "theorem_statements",
    "with_table",
]

ROOT = Path(__file__).resolve().parent.parent
LEDGER = ROOT / "proofs_tests" / "claims.toml"
STAMPS = ROOT / "proofs_tests" / "stamps.txt"
PAGE = ROOT / "docs" / "proofs.md"
STATEMENTS = ROOT / "proofs_tests" / "coq" / "statements.txt"
CODE = Closures()
BEGIN, END = "<!-- proofs:begin -->", "<!-- proofs:end -->"

FOR_ALL, TESTED, COUNTEREXAMPLE = "proved for all sizes", "tested", "counterexample"
BOUNDED = re.compile(r"proved for \S.* ≤ .+")


@dataclass(frozen=True)
class Claim:
    """One thing that the project claims.

    Attributes
    ----------
    id
        A short name.
    statement, formula
        What is claimed, in words and as a formula (which may be left out where the words say it all).
    source
        Where it stands.
    status
        ``proved for all sizes`` (in Coq), ``proved for m ≤ …`` (by SMT), ``tested``, or ``counterexample``.
    coq
        The theorems, as ``File.theorem``; those about translated functions as ``kernels.File.theorem``.
    tests
        Tests, as ``path::function``; those in files that end in ``_smt.py`` are SMT proofs.
    smt
        For which sizes the SMT proofs hold, if there are any.
    code
        The functions or classes that it speaks of, as ``module:name``.
    """

    id: str
    statement: str
    source: str
    status: str
    formula: str = ""
    coq: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    smt: str = ""
    code: tuple[str, ...] = ()

    def faults(self) -> Iterator[str]:
        """Say what is wrong with the record itself: a status that its evidence does not carry."""
        smt = [test for test in self.tests if "_smt.py::" in test]
        if self.status == FOR_ALL:
            if not self.coq:
                yield "is called proved for all sizes without a theorem"
        elif BOUNDED.fullmatch(self.status):
            if not smt:
                yield "is called proved up to a size without an SMT test"
        elif self.status == TESTED:
            if not self.tests:
                yield "is called tested without a test"
        elif self.status == COUNTEREXAMPLE:
            if not (self.coq or self.tests):
                yield "is called a counterexample without one"
        else:
            yield f"has the unknown status {self.status!r}"
        if bool(self.smt) != bool(smt):
            yield "must say for which sizes its SMT tests hold, and only if it has some"
        if not self.code:
            yield "speaks of no code"
        if not self.tests:
            yield "has no test of the code that it speaks of"


@cache
def claims() -> dict[str, Claim]:
    """Read the ledger: the claims by id."""
    found: dict[str, Claim] = {}
    for record in tomllib.loads(LEDGER.read_text(encoding="utf-8"))["claim"]:
        lists = {key: tuple(record.pop(key, ())) for key in ("coq", "tests", "code")}
        claim = Claim(**record, **lists)
        if claim.id in found:
            raise ValueError(f"claim {claim.id!r} occurs twice in {LEDGER.name}")
        found[claim.id] = claim
    return found


# ---------------------------------------------------------------------- stamps


@cache
def resting() -> dict[str, list[str]]:
    """Return all code on which some claim rests, with these claims' ids."""
    found: dict[str, list[str]] = {}
    for claim in claims().values():
        for name in CODE.closure(*claim.code):
            found.setdefault(name, []).append(claim.id)
    return found


def stamps() -> str:
    """Return the text of ``stamps.txt`` for the present code."""
    return "".join(f"{name} {CODE.stamp(name)}\n" for name in sorted(resting()))


def changed() -> dict[str, list[str]]:
    """Return what changed since it was confirmed, is new to the claims or no longer used by any, with their ids."""
    confirmed = dict(line.split() for line in STAMPS.read_text(encoding="utf-8").splitlines())
    present = dict(line.split() for line in stamps().splitlines())
    names = sorted(confirmed.keys() | present.keys())
    return {name: resting().get(name, []) for name in names if confirmed.get(name) != present.get(name)}


# ---------------------------------------------------------------------- evidence


@cache
def _functions(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    machines = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    return frozenset(found | machines | classes)


def has_test(test: str) -> bool:
    """Say whether ``path::function`` is there; a stateful test is an assignment or a class."""
    path, _, function = test.partition("::")
    return (ROOT / path).is_file() and function.startswith(("test_", "Test")) and function in _functions(path)


@cache
def theorem_statements() -> dict[str, str]:
    """Return the statements of the theorems, as Coq printed them, by ``File.theorem``."""
    blocks = re.split(r"^## theorem (\S+)\n", STATEMENTS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(blocks[1::2], (block.split("\n## ")[0].strip() for block in blocks[2::2]), strict=True))


# ---------------------------------------------------------------------- the table of the page


def table() -> str:
    """Return the table of proofs in Markdown."""
    lines = ["| statement | source | how strongly | code | Coq | SMT | tests |", "|---|---|---|---|---|---|---|"]
    for claim in claims().values():
        files = dict.fromkeys(name.split(":")[0].removeprefix("tcloseness.").replace(".", "/") for name in claim.code)
        code = "<br>".join(f"[`{each}`](../research/tcloseness/{each}.py)" for each in files)
        coq = "<br>".join(f"[`{name}`](../proofs_tests/coq/{_coq_file(name)})" for name in claim.coq)
        tests: dict[str, int] = {}
        for test in claim.tests:
            if "_smt.py::" not in test:
                tests[test.split("::")[0]] = tests.get(test.split("::")[0], 0) + 1
        shown = "<br>".join(f"[{n}](../{path})" for path, n in tests.items())
        smt = sorted({test.split("::")[0] for test in claim.tests if "_smt.py::" in test})
        bounded = "<br>".join(f"[{claim.smt}](../{path})" for path in smt)
        formula = f" {_code(claim.formula)}" if claim.formula else ""
        statement = (claim.statement + formula).replace("|", "\\|")
        lines.append(f"| {statement} | {claim.source} | {claim.status} | {code} | {coq} | {bounded} | {shown} |")
    return "\n".join(lines) + "\n"


def _coq_file(theorem: str) -> str:
    return f"{theorem.rpartition('.')[0].replace('.', '/')}.v"


def _code(formula: str) -> str:
    return f"`{formula}`"


def with_table(page: str) -> str:
    """Return the page with the present table."""
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: f"{BEGIN}\n{table()}{END}", page, flags=re.DOTALL)


def main(words: list[str]) -> None:
    """Run a command."""
    if words == ["changed"]:
        for name, ids in changed().items():
            print(f"{name}: {', '.join(ids) or 'no claim any more'}")
    elif words == ["confirm"]:
        STAMPS.write_text(stamps(), encoding="utf-8")
    elif words == ["table"]:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
