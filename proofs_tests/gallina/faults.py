"""Faults put into a translated function one at a time: its proof must fail, or it must not be translated any more."""

from __future__ import annotations

import ast
import copy
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from proofs_tests.gallina.functions import GENERATED, KERNELS, SOURCES, differs, generated
from proofs_tests.gallina.names import Function, NotTranslatedError

__all__ = ["Fault", "Workshop", "faults"]

_SECONDS = 60
"""So long may Coq compute for one file: what does not hold may be searched for long. Those that hold need a quarter."""

_OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv}
_COMPARISONS = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
}
_EXCHANGED = {
    **{"low": "high", "high": "low", "first": "last", "last": "first", "supply": "demand", "demand": "supply"},
    **{"positive": "negative", "negative": "positive"},
}


@dataclass(frozen=True)
class Fault:
    """A fault in a function: the text of its module with it, and what it is in words."""

    function: Function
    words: str
    text: str


def _changes(node: ast.AST) -> Iterator[tuple[str, object]]:
    """Yield what may be put in a field of a node, with the field's name."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _OPERATORS:
            yield "op", _OPERATORS[type(op)]()
        case ast.Compare(ops=[first, *rest]) if type(first) in _COMPARISONS:
            yield "ops", [_COMPARISONS[type(first)](), *rest]
        case ast.BoolOp(op=op):
            yield "op", ast.And() if isinstance(op, ast.Or) else ast.Or()
        case ast.Constant(value=bool() as value):
            yield "value", not value
        case ast.Constant(value=int() as value):
            yield from [("value", value + 1)] + ([("value", value - 1)] if value else [])
        case ast.Name(id=name, ctx=ast.Load()) if name in _EXCHANGED:
            yield "id", _EXCHANGED[name]
        case ast.Call(func=ast.Name(id="abs" | "absolute")):
            yield "func", ast.Attribute(ast.Name("np", ast.Load()), "int64", ast.Load())
        case ast.Call(func=ast.Name(id="min" | "least")):
            yield "func", ast.Name("max", ast.Load())
        case ast.For(body=body) | ast.While(body=body) | ast.If(body=body) if len(body) > 1:
            yield from (("body", body[:j] + body[j + 1 :]) for j in range(len(body)))


def faults(function: Function) -> Iterator[Fault]:
    """Yield every small fault: another operator, comparison, constant or name, no absolute value, a statement less."""
    tree = ast.parse((SOURCES / function.file).read_text(encoding="utf-8"))
    here = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function.name)
    body = here.body[1:] if ast.get_docstring(here) is not None else here.body
    nodes = [n for statement in body for n in ast.walk(statement)]
    around = {id(n): each for each in nodes if isinstance(each, ast.stmt) for n in ast.walk(each)}  # the innermost
    for node in nodes:
        statement = around[id(node)]
        before = ast.unparse(statement)
        for name, value in _changes(node):
            kept = getattr(node, name)
            setattr(node, name, value)
            text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree)))
            after = ast.unparse(statement)
            setattr(node, name, kept)
            if name == "body":
                gone = next(s for s in kept if s not in value)  # type: ignore[operator]
                words = f"line {gone.lineno} without {ast.unparse(gone).splitlines()[0]}"
            else:
                words = f"line {statement.lineno}: {before.splitlines()[0]} -> {after.splitlines()[0]}"
            yield Fault(function, words, text)


class Workshop:
    """A folder with the built proofs beside which the translation of a fault is looked at."""

    def __enter__(self) -> Workshop:
        self._folder = tempfile.TemporaryDirectory()
        self._sources, self._proofs = Path(self._folder.name) / "sources", Path(self._folder.name) / "coq"
        shutil.copytree(KERNELS, self._proofs / "kernels")
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._folder.cleanup()

    def outcome(self, fault: Fault) -> str:
        """Return what comes of a fault.

        Returns
        -------
        str
            ``not translated``, ``not typed`` (Coq refuses the definition), ``not proved``, also within so much time,
            ``the same`` (the translation does not change) or ``accepted``: the proof holds of the faulty function.
        """
        path = self._sources / fault.function.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fault.text, encoding="utf-8")
        try:
            text = generated((fault.function,), self._sources)
            whole = generated((fault.function,))
        except NotTranslatedError:
            return "not translated"
        if not differs(text, whole):
            return "the same"
        (self._proofs / "kernels" / "Generated.v").write_text(self._with(text, whole), encoding="utf-8")
        if not self._holds("Generated"):
            return "not typed"
        return "accepted" if all(map(self._holds, self._resting(fault.function.proof))) else "not proved"

    @staticmethod
    def _with(text: str, whole: str) -> str:
        """Return the committed file with another definition of one function."""
        head = whole.split("\n\n")[0]
        return GENERATED.read_text(encoding="utf-8").replace(
            whole.removeprefix(head).strip(), text.removeprefix(head).strip()
        )

    def _resting(self, proof: str) -> list[str]:
        """Return a proof, after those that it imports and that speak of translated functions."""
        text = (self._proofs / "kernels" / f"{proof}.v").read_text(encoding="utf-8")
        (imported,) = re.findall(r"^From Tcloseness\.kernels Require Import (.*)\.$", text, re.MULTILINE)
        first = [name for name in imported.split() if name not in ("Kernel", "Generated", "Work")]
        return [each for name in first for each in self._resting(name)] + [proof]

    def _holds(self, name: str) -> bool:
        """Say whether a file is accepted, in time."""
        flags = ["-q", "-w", "none", "-R", str(self._proofs), "Tcloseness"]
        call = ["coqc", *flags, str(self._proofs / "kernels" / f"{name}.v")]
        done = subprocess.run(
            call,
            capture_output=True,
            check=False,
            cwd=self._folder.name,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS)),
        )
        return not done.returncode
