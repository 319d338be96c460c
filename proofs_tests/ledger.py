"""The ledger of what the project claims about its mathematics: ``claims.toml``, and what keeps it true.

Each claim names its source, the code that it speaks of and its evidence, and says in one of four words how strong that
is. The code has a *stamp*, a hash of its syntax tree: who changes a function must look at its claims again and confirm
them::

    python -m proofs_tests.ledger confirm ID…     # after having looked: writes the stamps of these claims
    python -m proofs_tests.ledger table           # writes the table of docs/proofs.md
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

__all__ = [
    "LEDGER",
    "PAGE",
    "ROOT",
    "Claim",
    "claims",
    "confirm",
    "has_test",
    "stamp",
    "table",
    "theorem_statements",
    "with_table",
]

ROOT = Path(__file__).resolve().parent.parent
LEDGER = ROOT / "proofs_tests" / "claims.toml"
PAGE = ROOT / "docs" / "proofs.md"
STATEMENTS = ROOT / "proofs_tests" / "coq" / "statements.txt"
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
        The theorems, as ``File.theorem``.
    tests
        Tests, as ``path::function``; those in files that end in ``_smt.py`` are SMT proofs.
    smt
        For which sizes the SMT proofs hold, if there are any.
    code
        The functions or classes that it speaks of, as ``module:name``, with the stamp under which it was confirmed.
    """

    id: str
    statement: str
    source: str
    status: str
    formula: str = ""
    coq: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    smt: str = ""
    code: Mapping[str, str] = field(default_factory=dict)

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
        lists = {key: tuple(record.pop(key, ())) for key in ("coq", "tests")}
        claim = Claim(**record, **lists)
        if claim.id in found:
            raise ValueError(f"claim {claim.id!r} occurs twice in {LEDGER.name}")
        found[claim.id] = claim
    return found


# ---------------------------------------------------------------------- stamps


def stamp(name: str) -> str:
    """Return the stamp of ``module:name``: a hash of its syntax tree, without docstrings, comments and layout.

    Raises
    ------
    LookupError
        If there is no such module or no such function or class in it.
    """
    module, _, path = name.partition(":")
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise LookupError(f"there is no module {module}")
    node: ast.AST = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    for part in path.split("."):
        inner = [n for n in ast.iter_child_nodes(node) if getattr(n, "name", None) == part]
        if not inner:
            raise LookupError(f"there is no {path} in {module}")
        node = inner[-1]
    return hashlib.sha256(_text(node).encode()).hexdigest()[:12]


def _text(node: object) -> str:
    """Write a tree so that every version of Python writes it alike: empty fields are left out."""
    if isinstance(node, list):
        return "[" + ",".join(map(_text, node)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = []
    for key, value in ast.iter_fields(node):
        if key in ("ctx", "kind", "type_comment", "type_params"):
            continue
        if key == "body" and isinstance(value, list) and isinstance(node, ast.FunctionDef | ast.ClassDef):
            value = [statement for i, statement in enumerate(value) if i or not _is_text(statement)]
        if value is not None and value != []:
            fields.append(f"{key}={_text(value)}")
    return f"{type(node).__name__}({','.join(fields)})"


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def confirm(ids: list[str]) -> None:
    """Write the present stamps of claims into the ledger; all claims if none is named."""
    known = claims()
    text = LEDGER.read_text(encoding="utf-8")
    for key in ids or known:
        begin = text.index(f'id = "{key}"\n')
        end = text.find("[[claim]]", begin)
        end = len(text) if end < 0 else end
        part = text[begin:end]
        for name in known[key].code:
            part = re.sub(rf'^"{re.escape(name)}" = ".*"$', f'"{name}" = "{stamp(name)}"', part, flags=re.MULTILINE)
        text = text[:begin] + part + text[end:]
    LEDGER.write_text(text, encoding="utf-8")


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
        coq = "<br>".join(f"[`{name}`](../proofs_tests/coq/{name.split('.')[0]}.v)" for name in claim.coq)
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


def _code(formula: str) -> str:
    return f"`{formula}`"


def with_table(page: str) -> str:
    """Return the page with the present table."""
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: f"{BEGIN}\n{table()}{END}", page, flags=re.DOTALL)


def main(words: list[str]) -> None:
    """Run a command."""
    if words[:1] == ["confirm"]:
        confirm(words[1:])
    elif words == ["table"]:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
